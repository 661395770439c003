"""Reading a manifest: nothing of it is believed before it is known to be whole, and no file before its hash is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

from mbsym.codegen.manifest import own_hash
from mbsym.errors import CodegenError

REMEDY = "generate it again"


def read_manifest(path: Path | str) -> dict[str, Any]:
    """The manifest in a file, or the only one in a directory.

    Raises:
        CodegenError: there is none, or it is not as it was written; the message has the file and the JSON path.
    """
    place = Path(path)
    if place.is_dir():
        found = [file for file in sorted(place.glob("*.json")) if _looks_like_one(file)]
        if not found:
            raise CodegenError("no manifest stands here", where=str(place), remedy="run mbsym generate first")
        if len(found) > 1:
            raise CodegenError(
                f"{len(found)} manifests", where=str(place), remedy="name the manifest of one generated module"
            )
        place = found[0]
    try:
        content = _content(place)
    except (OSError, ValueError, RecursionError) as error:
        raise CodegenError(f"the manifest cannot be read: {error}", where=str(place), remedy=REMEDY) from None
    if not isinstance(content, dict) or "mbsym" not in content:
        raise CodegenError("this is no manifest of mbsym", where=str(place), remedy=REMEDY)
    _require_whole(place, content)
    return content


def _content(file: Path) -> object:
    if not file.is_file():
        raise OSError("there is no such file")  # opening a pipe would wait for its writer
    return json.loads(
        file.read_text(encoding="utf-8"), object_pairs_hook=_each_key_once, parse_constant=_refuse_constant
    )


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} is there twice")
    return content


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _looks_like_one(file: Path) -> bool:
    """True for what mbsym wrote beside code, however damaged; certificates, reports and documents are not."""
    try:
        content = _content(file)
    except (OSError, ValueError, RecursionError):
        return False
    return (
        isinstance(content, dict) and "mbsym" in content and not content.keys() & {"certificate", "labelling", "misra"}
    )


def _require_whole(place: Path, content: Mapping[str, Any]) -> None:
    from mbsym.codegen.manifest_schema import fault_of

    fault = fault_of(content)
    if fault:
        raise CodegenError(fault, where=str(place), remedy=REMEDY)
    if content["name"] != place.stem:
        raise CodegenError(
            f"name: it is {content['name']!r}, that of the file {place.stem!r}",
            where=str(place),
            remedy="give the file its name back",
        )
    if own_hash(content) != content["sha256"]:
        raise CodegenError("sha256: the manifest was changed after it was written", where=str(place), remedy=REMEDY)


def changed_files(directory: Path, manifest: Mapping[str, Any], names: Iterable[str]) -> tuple[str, ...]:
    """Those of the named files that are not the ones that the manifest was written with."""
    recorded: Mapping[str, str] = manifest["files"]
    return tuple(name for name in names if file_hash(directory / name) != recorded.get(name, "none"))


def file_hash(file: Path) -> str:
    """SHA-256 of a file in hexadecimal digits; empty where there is none."""
    return sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def require_unchanged(directory: Path, manifest: Mapping[str, Any], names: Iterable[str]) -> None:
    """Requires that the named files are those that the manifest was written with.

    Raises:
        CodegenError: one is not, as where a writer was killed or somebody edited it.
    """
    for name in changed_files(directory, manifest, names):
        raise CodegenError(
            f"this is not the file that {manifest['name']}.json was written with",
            where=str(directory / name),
            remedy="generate again, so that all files are of one generation",
        )

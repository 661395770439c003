"""Faults planted in a certificate and in what it is about, each of which a check must find.

A fault in the data is forged as well as somebody can who has mbsym: the file is laid out again, its page is written
again, and the hash of whatever was changed is put into its place. So nothing but finding all of it again can tell.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from mbsym.codegen.manifest import json_text, own_hash
from mbsym.verification.certificate import ROW
from mbsym.verification.certificate_page import certificate_page

KINDS = ("certificate", "bounds", "safety report", "file", "page")


GONE = "gone"
"""In the place of a value that is taken away."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: its kind, what it is in words, and what plants it into a directory."""

    kind: str
    what: str
    plant: Callable[[Path], object]


def forged(directory: Path, name: str, told: Any) -> None:
    """Writes a certificate as mbsym would write it, and its page where it has one."""
    (directory / f"{name}.certificate.json").write_text(f"{json_text(told, width=ROW)}\n", encoding="utf-8")
    with suppress(TypeError, ValueError, KeyError):
        (directory / f"{name}.certificate.md").write_text(certificate_page(told), encoding="utf-8")


def content(directory: Path, file: str) -> Any:
    """The data of a file."""
    return json.loads((directory / file).read_text(encoding="utf-8"))


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Places in data, and what is wrong there: another number or word, an entry less, one twice, two exchanged."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*path, key), GONE
            yield from places(value, (*path, key))
    elif isinstance(data, list):
        if data:
            yield path, data[:-1]
            yield path, [*data, data[-1]]
        if len(data) > 1 and data[0] != data[1]:
            yield path, [data[1], data[0], *data[2:]]
        for k, value in enumerate(data):
            yield from places(value, (*path, k))
    elif isinstance(data, bool):
        yield path, not data
    elif isinstance(data, str):
        yield path, f"{data[:-1]}{'0' if data[-1:] != '0' else '1'}"
    elif isinstance(data, int):
        yield path, data + 1
    elif data is not None:
        yield path, data * 1.01 if data else 1e-12


def with_fault(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of data with another value in a place."""
    changed = json.loads(json.dumps(data))
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    if value == GONE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return changed


def told_otherwise(directory: Path, name: str, count: int, seed: int = 0) -> list[Fault]:
    """Faults in the data of the certificate, so many of each key that it has, and of all."""
    told = content(directory, f"{name}.certificate.json")
    by_key: dict[str, list[tuple[tuple[Any, ...], Any]]] = {}
    for path, value in places(told):
        by_key.setdefault(str(path[0]), []).append((path, value))
    rng = random.Random(seed)
    chosen = [rng.choice(found) for found in by_key.values()]
    rest = [each for found in by_key.values() for each in found if each not in chosen]
    chosen += rng.sample(rest, max(0, count - len(chosen)))
    return [_in_certificate(name, path, value) for path, value in chosen[:count]]


def _in_certificate(name: str, path: tuple[Any, ...], value: Any) -> Fault:
    def plant(directory: Path) -> None:
        told = content(directory, f"{name}.certificate.json")
        forged(directory, name, with_fault(told, path, value))

    return Fault("certificate", f"{'.'.join(map(str, path))} = {json.dumps(value)[:60]}", plant)


def beside_otherwise(directory: Path, name: str, kind: str, count: int, seed: int = 0) -> list[Fault]:
    """Faults in the bounds or in the safety report, whose hash the certificate is given.

    What a file of bounds may say and is still right is left out: larger bounds of a part that is not the worst, sines
    that are better than need be, and what is told of the making.
    """
    suffix = {"bounds": "bounds", "safety report": "safety"}[kind]
    harmless = {"mbsym", "compiler", "samples", "seed", "text", "sine_units", "parts", "divisors", "state", "dangers"}
    found = [
        (path, value)
        for path, value in places(content(directory, f"{name}.{suffix}.json"))
        if kind != "bounds" or not harmless.intersection(map(str, path))
    ]
    chosen = random.Random(seed).sample(found, count)
    return [in_file(name, kind, suffix, path, _narrower(path, value)) for path, value in chosen]


def _narrower(path: tuple[Any, ...], value: Any) -> Any:
    """A range that does not hold all values, and a bound that is too small: wider ones are still right."""
    if not isinstance(value, float):
        return value
    return value / 1.01 + 0.03 * abs(value) * (1 if path[-2:] == ("range", 0) else -1)


def in_file(name: str, kind: str, suffix: str, path: tuple[Any, ...], value: Any) -> Fault:
    """A fault in a file beside the certificate, whose hash this is given."""

    def plant(directory: Path) -> None:
        file = directory / f"{name}.{suffix}.json"
        file.write_text(json_text(with_fault(content(directory, file.name), path, value)), encoding="utf-8")
        told = content(directory, f"{name}.certificate.json")
        told[suffix]["sha256"] = sha256(file.read_bytes()).hexdigest()
        forged(directory, name, told)

    return Fault(kind, f"{'.'.join(map(str, path))} = {json.dumps(value)[:60]}", plant)


def on_the_whole(name: str, other: Path) -> list[Fault]:
    """Faults of whole files; another module's directory of the same name lends its certificate and code."""

    def replaced(suffix: str, old: str, new: str) -> Callable[[Path], object]:
        def plant(directory: Path) -> None:
            file = directory / f"{name}{suffix}"
            text = file.read_text(encoding="utf-8")
            assert old in text, (file, old)
            file.write_text(text.replace(old, new, 1), encoding="utf-8")

        return plant

    def copied(suffix: str) -> Callable[[Path], object]:
        return lambda directory: shutil.copyfile(other / f"{name}{suffix}", directory / f"{name}{suffix}")

    def edited_and_signed(directory: Path) -> None:
        """A digit of the C, with every hash that is about it."""
        # Not one of the sines and cosines, which stand first.
        before, sign, after = (directory / f"{name}.c").read_text(encoding="utf-8").rpartition(" - ")
        assert sign
        (directory / f"{name}.c").write_text(f"{before} + {after}", encoding="utf-8")
        manifest = content(directory, f"{name}.json")
        manifest["files"][f"{name}.c"] = sha256((directory / f"{name}.c").read_bytes()).hexdigest()
        manifest["sha256"] = own_hash(manifest)
        (directory / f"{name}.json").write_text(json.dumps(manifest), encoding="utf-8")
        told = content(directory, f"{name}.certificate.json")
        told["files"] = {file: sha256((directory / file).read_bytes()).hexdigest() for file in told["files"]}
        forged(directory, name, told)

    def cut(directory: Path) -> None:
        file = directory / f"{name}.certificate.json"
        file.write_text(file.read_text(encoding="utf-8")[:-200], encoding="utf-8")

    def exchanged(directory: Path) -> None:
        told = content(directory, f"{name}.certificate.json")
        first, second, *_ = told["files"]
        told["files"][first], told["files"][second] = told["files"][second], told["files"][first]
        forged(directory, name, told)

    def removed(suffix: str) -> Callable[[Path], object]:
        return lambda directory: (directory / f"{name}{suffix}").unlink()

    return [
        Fault("file", "a certificate of another model", copied(".certificate.json")),
        Fault("file", "bounds of another model", copied(".bounds.json")),
        Fault("file", "a safety report of another model", copied(".safety.json")),
        Fault("file", "C of another model", copied(".c")),
        Fault("file", "a manifest of another model", copied(".json")),
        Fault("file", "an operator of the C, signed again", edited_and_signed),
        Fault("file", "a space in the header", replaced(".h", " double", "  double")),
        Fault("file", "two hashes exchanged", exchanged),
        Fault("file", "the certificate cut off", cut),
        Fault("file", "a key twice", replaced(".certificate.json", '"passed"', '"passed": true,\n  "passed"')),
        Fault("file", "a space more in the certificate", replaced(".certificate.json", '"seed": ', '"seed":  ')),
        Fault("file", "no certificate", removed(".certificate.json")),
        Fault("file", "no bounds", removed(".bounds.json")),
        Fault("page", "no page", removed(".certificate.md")),
        Fault("page", "a verdict that is none", replaced(".certificate.md", "**verified**", "**proven**")),
        Fault("page", "a section less", replaced(".certificate.md", "## Unchecked", "")),
        Fault("page", "another hash", replaced(".certificate.md", "SHA-256 ", "SHA-256 0")),
        Fault("page", "another figure", replaced(".certificate.md", "e-16", "e-18")),
        Fault("page", "a line more", replaced(".certificate.md", "## Files", "All is well.\n\n## Files")),
        Fault("page", "another page for the report", replaced(".safety.md", "none", "some")),
    ]

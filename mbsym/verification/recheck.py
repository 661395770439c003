"""A certificate checked without trusting it: all that it tells is found again and compared, entry by entry."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mbsym.codegen.build import find_compiler
from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.languages import BY
from mbsym.codegen.manifest import CERTIFICATE_SUFFIXES, json_text
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.embedded.safety import safety_report
from mbsym.errors import CodegenError, ToolchainError, VerificationError
from mbsym.pipeline import Progress
from mbsym.rounding.checking import check_bounds
from mbsym.verification.beside import safety_beside
from mbsym.verification.certificate import ROW, certified
from mbsym.verification.certificate_file import read_certificate
from mbsym.verification.certificate_page import certificate_page
from mbsym.verification.commands import confirming
from mbsym.verification.options import VerifyOptions
from mbsym.verification.signature import signer
from mbsym.version import __version__

PARTS: Final = 40
"""Of each box whose bounds are derived again: the worst ones and some by chance."""

MEASURED: Final = frozenset((
    "tools", "compiler", "flags", "watched_with", "condition_of_mass_matrix", "closure_rows_apart_by", "error",
    "tolerance", "worst_state", "branches_taken", "statuses_met", "not_reached", "remarks", "unchecked",
))  # fmt: skip
"""What other tools may find otherwise; verdicts they may not."""

_JSON, _PAGE, _SIGNATURE = CERTIFICATE_SUFFIXES


@dataclass(frozen=True, slots=True)
class Rechecked:
    """What a check of a certificate found.

    Attributes:
        name: of the module.
        done: what was looked at, and with which outcome, a sentence each.
        faults: what differs, where; none where the certificate holds.
        remarks: what could not be done again here, and what is not known.
    """

    name: str
    done: tuple[str, ...]
    faults: tuple[str, ...]
    remarks: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "certificate": self.name,
            "passed": not self.faults,
            "done": list(self.done),
            "faults": list(self.faults),
            "remarks": list(self.remarks),
        }

    def summary(self) -> str:
        """A line for each, and a verdict."""
        told = [
            *self.done,
            *(f"remark: {each}" for each in self.remarks),
            *(f"DIFFERS: {each}" for each in self.faults),
        ]
        verdict = f"{len(self.faults)} FAULTS" if self.faults else "the certificate holds"
        return "\n".join([*told, "", f"{self.name}: {verdict}"])


def check_certificate(
    target: str | Path, *, allowed_signers: str | Path | None = None, progress: Progress | None = None
) -> Rechecked:
    """Checks the certificate of a module; the code is compiled and run, nothing is written.

    Args:
        target: a directory of generated files, the manifest of one module there, or its certificate.
        allowed_signers: names and public keys, as ssh-keygen has them; then there must be a signature by one of them.
        progress: told of each step.

    Raises:
        MbsymError: the certificate or what it is about cannot be read.
        ToolchainError: there is no C compiler, or no ssh-keygen where signers are named.
    """
    place = Path(target)
    if place.name.endswith(_JSON):
        place = place.with_name(f"{place.name.removesuffix(_JSON)}.json")
    manifest = read_manifest(place)
    directory, name = place if place.is_dir() else place.parent, manifest["name"]
    text, told = read_certificate(directory / f"{name}{_JSON}")
    if told["mbsym"] != __version__:
        raise CodegenError(
            f"mbsym {told['mbsym']} wrote the certificate, and this is {__version__}",
            where=str(directory / f"{name}{_JSON}"),
            remedy="check it with that version, or verify again with this one",
        )
    check = _Check(directory, name, manifest, text, told, [], [], [])
    check.signature(Path(allowed_signers) if allowed_signers is not None else None)
    check.page()
    if check.is_about_this():
        check.run_again(progress)
        check.bounds()
        check.safety()
    return Rechecked(name, tuple(check.done), tuple(check.faults), tuple(check.remarks))


@dataclass(frozen=True, slots=True)
class _Check:
    """Of one certificate; what is found is noted."""

    directory: Path
    name: str
    manifest: Mapping[str, Any]
    text: str
    told: dict[str, Any]
    done: list[str]
    faults: list[str]
    remarks: list[str]

    def signature(self, allowed: Path | None) -> None:
        """Notes whose signature there is, and whether it fits."""
        file = self.directory / f"{self.name}{_SIGNATURE}"
        if not file.is_file():
            if allowed is not None:
                self.faults.append(f"{file.name}: there is no signature, which `sign KEY` writes")
            else:
                self.remarks.append("nobody signed it: hashes guard against accidents, not against hands")
            return
        try:
            self.done.append(f"signature: {signer(self.text, file, allowed)}")
        except VerificationError as error:
            self.faults.append(f"{file.name}: {error.what}; {error.remedy}")
        except ToolchainError as error:
            if allowed is not None:
                raise
            self.remarks.append(f"the signature was not looked at: {error}")

    def page(self) -> None:
        """Notes whether the file is written as certificates are, and the page is a view of it."""
        if f"{json_text(self.told, width=ROW)}\n" != self.text:
            self.faults.append(
                f"{self.name}{_JSON}: it is not laid out as it was written: a key twice, or edited by hand"
            )
        file = self.directory / f"{self.name}{_PAGE}"
        expected = certificate_page(self.told).split("\n")
        found = file.read_text(encoding="utf-8", errors="replace").split("\n") if file.is_file() else []
        if found == expected:
            self.done.append("page: it says what the certificate says")
            return
        line = next((k for k, pair in enumerate(zip(found, expected, strict=False)) if pair[0] != pair[1]), None)
        line = min(len(found), len(expected)) if line is None else line
        said = found[line].strip()[:100] if line < len(found) else "the page ends"
        self.faults.append(f"{file.name}:{line + 1}: the page does not say what the certificate says: {said}")

    def is_about_this(self) -> bool:
        """Whether the certificate is of this module; notes it where not."""
        if self.told["certificate"] != self.name:
            self.faults.append(f"certificate: it is of {self.told['certificate']}, not of {self.name}")
        elif self.told["model_sha256"] != self.manifest["model_sha256"]:
            self.faults.append(
                f"model_sha256: it is of another model, {self.told['model_sha256']}; that of {self.name}.json has "
                f"{self.manifest['model_sha256']}"
            )
        else:
            return True
        return False

    def run_again(self, progress: Progress | None) -> None:
        """Notes what differs from a certificate that is made now, of the same states and in the same ways."""
        told = self.told
        missing = [item["asked"] for item in told["also_compiled"] if not _is_there(item["asked"])]
        for each in missing:
            self.remarks.append(f"{each} is not here: what it compiled was not run again")
            told = _without(told, each)
        asked = VerifyOptions(
            told["states"],
            told["seed"],
            told["exact"] is not None,
            tuple(item["asked"] for item in told["also_compiled"]),
        )
        here = certified(self.directory / f"{self.name}.json", asked, progress).as_dict()
        found = json.loads(json_text(here))
        self.faults.extend(f"tools.{key}: it is missing" for key in found["tools"] if key not in told["tools"])
        others = _other_tools(told, found)
        if others:
            self.remarks.append(f"other tools made it: {'; '.join(others)}; of figures the verdicts alone are compared")
            self.faults.extend(
                f"checks[{k}]: the verdict on {item['function']} does not follow from its error and tolerance"
                for k, item in enumerate(told["checks"])
                if item["passed"]
                != (None not in (item["error"], item["tolerance"]) and item["error"] <= item["tolerance"])
            )
        # Without a compiler what is unchecked is told otherwise, and nothing else is.
        skipped = MEASURED if others else frozenset({"unchecked"} if missing else ())
        faults = [*differences(told, found, skipped)]
        self.faults.extend(faults)
        if not faults:
            proven = [item for item in (told["exact"] or {}).get("functions", ()) if item["outcome"] == "proven"]
            self.done.append(f"files: {len(told['files'])} have the hashes that it tells")
            self.done.append(f"checks: {len(told['checks'])} at {told['states']} states, made again, are the same")
            self.done.append(f"proofs: {len(proven)} made again" if told["exact"] else "proofs: it tells of none")

    def bounds(self) -> None:
        """Notes faults of the bounds that the certificate tells of; some parts are derived again."""
        if not (self.directory / f"{self.name}.bounds.json").is_file():
            self.done.append("rounding: there are no bounds")
            return
        checked = check_bounds(self.directory / f"{self.name}.bounds.json", parts=PARTS)
        parts, count = (sum(item[k] for item in checked.functions.values()) for k in (0, 1))
        self.faults.extend(f"{self.name}.bounds.json: {fault}" for fault in checked.faults)
        if not checked.faults:
            self.done.append(f"rounding: {parts} of {count} parts confirmed; all of them: {confirming(self.name)}")

    def safety(self) -> None:
        """Notes what differs from a safety report that is made now."""
        safety = safety_beside(self.directory, self.name, self.told["files"])
        file = self.directory / f"{self.name}.safety.json"
        if safety is None:
            self.done.append("safety report: there is none of these texts")
            return
        report = json.loads(file.read_text(encoding="utf-8"))
        texts = [*report["files"], f"{self.name}.json"]
        files = [GeneratedFile(each, (self.directory / each).read_text(encoding="utf-8")) for each in texts]
        made, page = safety_report(files)
        found = json.loads(made.text)
        here = [found["stack"]["compiler"], found["stack"]["command"], found["misra"]["checker"]]
        if here != [safety["stack"]["compiler"], safety["stack"]["command"], safety["checker"]]:
            self.remarks.append(
                f"the safety report was not made again: it is by {safety['stack']['compiler'] or 'no compiler'}, "
                f"`{safety['stack']['command']}`, and {safety['checker'] or 'no checker'}; set CC and CFLAGS to these"
            )
            return
        faults = [f"{file.name}: {each}" for each in differences(report, found)]
        beside = file.with_name(page.name)
        if not beside.is_file() or beside.read_text(encoding="utf-8", errors="replace") != page.text:
            faults.append(f"{beside.name}: the page does not say what the report says")
        self.faults.extend(faults)
        self.done.extend([] if faults else ["safety report: made again, it is the same"])


def _other_tools(told: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Tools and compilers of which the certificate has another version than there is here."""
    ours, theirs = ({**content["tools"], "compiler": content["compiler"]} for content in (found, told))
    return [
        f"{key}: {theirs.get(key, 'none')}, here {ours.get(key, 'none')}"
        for key in {**theirs, **ours}
        if theirs.get(key) != ours.get(key)
    ]


def _is_there(command: str) -> bool:
    try:
        return bool(find_compiler(shlex.quote(shlex.split(command)[0])))
    except (ToolchainError, ValueError, IndexError):
        return False


def _without(told: Mapping[str, Any], command: str) -> dict[str, Any]:
    """A certificate without what a compiler compiled."""
    return {
        **told,
        "also_compiled": [item for item in told["also_compiled"] if item["asked"] != command],
        "checks": [item for item in told["checks"] if item["language"] != f"{BY}{command}"],
    }


def differences(told: Any, found: Any, skipped: frozenset[str] = frozenset(), path: str = "") -> Iterator[str]:
    """What differs, each with its JSON path; keys that are skipped are not looked at."""
    if isinstance(told, dict) and isinstance(found, dict):
        for key in {**told, **found}:
            if key not in skipped:
                own = f"{path}.{key}".removeprefix(".")
                yield from differences(told.get(key, _NONE), found.get(key, _NONE), skipped, own)
    elif isinstance(told, list) and isinstance(found, list):
        yield from _of_lists(told, found, skipped, path)
    elif told != found or isinstance(told, bool) != isinstance(found, bool):
        yield f"{path}: it tells {_shown(told)}, found is {_shown(found)}"


_NONE: Final = "nothing"


def _of_lists(told: Sequence[Any], found: Sequence[Any], skipped: frozenset[str], path: str) -> Iterator[str]:
    """Entries by their places; where the numbers differ, those that the other has not."""
    if len(told) == len(found):
        for k, (one, other) in enumerate(zip(told, found, strict=True)):
            yield from differences(one, other, skipped, f"{path}[{k}]")
        return
    yield f"{path}: it tells {len(told)} entries, found are {len(found)}"
    for k, one in enumerate(told):
        if one not in found:
            yield f"{path}[{k}]: it tells {_shown(one)}, which is not found"
    for one in found:
        if one not in told:
            yield f"{path}: it does not tell {_shown(one)}"


def _shown(value: Any) -> str:
    said = value if value is _NONE else json.dumps(value)
    return said if len(said) <= 100 else f"{said[:97]}..."

"""The certificate of generated code: compiled, run, and compared with the independent reference.

It is written as data for programs and as a page for people, and tells what bounds and reports beside the texts say.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from mbsym import markup
from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.languages import LANGUAGES
from mbsym.codegen.manifest import CERTIFICATE_SUFFIXES, json_text
from mbsym.codegen.manifest_reader import changed_files, file_hash, read_manifest
from mbsym.codegen.write import settle, write_files
from mbsym.errors import CodegenError, VerificationError
from mbsym.exact.proof import Verdict
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.model.system import Model
from mbsym.pipeline import Progress, generate
from mbsym.verification.apart import Ended, run_apart
from mbsym.verification.beside import bounds_beside, safety_beside, tools_here
from mbsym.verification.certificate_page import beyond, certificate_page
from mbsym.verification.checks import WITHIN_ARRAYS, Check, Conditioning
from mbsym.verification.closed_states import ATTEMPTS, REGULAR
from mbsym.verification.coverage import FunctionCoverage, sentences
from mbsym.verification.exact_texts import exact_verdicts
from mbsym.verification.exactness import Exactness
from mbsym.verification.memory import FLAGS
from mbsym.verification.options import DEFAULT_STATES, VerifyOptions
from mbsym.verification.running import Compiled, Found, Loading, ended_early, run_all
from mbsym.verification.signature import signed
from mbsym.verification.unchecked import PRINTED_ONLY, UNWATCHED, unchecked
from mbsym.version import __version__

_NEAR_SINGULAR = (
    f"no regular state of the loops was found in {ATTEMPTS} trials for at least one state: near singular positions "
    "results that are right to round-off differ by more than the tolerances allow"
)


SCHEMA: Final = 1
"""Of certificates; raised when a field changes its meaning or goes."""

ROW: Final = 160
"""Columns of a line of a certificate's data: a check stands on one."""

MOST_NAMED: Final = 5
"""Functions and files that failed, of which a line names no more."""


@dataclass(frozen=True, slots=True, repr=False)
class Certificate:
    """What was compared, at how many states, and the worst errors.

    Attributes:
        name: of the module.
        model_sha256: of the model that was generated from.
        formulation: of the generated code.
        states: number of random states.
        seed: of the random states.
        compiler: first line of the compiler's version, empty if there is no C.
        flags: that the C was compiled with.
        files: SHA-256 of each file checked.
        changed: files that are not the ones that were generated together with the manifest.
        conditioning: what the states were like; not numbers where the code did not run to its end.
        checks: the comparisons.
        coverage: branches and statuses that states were led to, by function.
        exact: what was proven of the texts, where that was asked for.
        also_compiled: what else compiled the C, as it was asked for, with version and flags.
        bounds: what bounds of rounding beside the texts say, as data; None where there are none of these texts.
        safety: what a safety report beside them says, likewise.
    """

    name: str
    model_sha256: str
    formulation: str
    states: int
    seed: int
    compiler: str
    flags: tuple[str, ...]
    files: Mapping[str, str]
    changed: tuple[str, ...]
    conditioning: Conditioning
    checks: tuple[Check, ...]
    coverage: tuple[FunctionCoverage, ...] = ()
    exact: Exactness | None = None
    also_compiled: tuple[Compiled, ...] = ()
    bounds: Mapping[str, Any] | None = None
    safety: Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        verdict = "verified" if self.passed else f"NOT VERIFIED: {', '.join(self.failures[:MOST_NAMED])}"
        return f"<Certificate of {self.name!r}: {verdict}, {len(self.checks)} checks at {self.states} random states>"

    def _repr_html_(self) -> str:
        """For notebooks: the checks with their worst errors, and the verdict."""
        heads, *rows = self._rows()
        return markup.paragraph(repr(self)[1:-1]) + markup.table(heads, rows)

    @property
    def condition(self) -> float:
        """Largest condition number of the mass matrix among the states."""
        return self.conditioning.mass_matrix

    @property
    def is_near_singular(self) -> bool:
        """True where no regular state of the loops was found for one of the states."""
        return self.conditioning.loops < REGULAR

    @property
    def passed(self) -> bool:
        """True where every file is as it was generated and every check stays within its tolerance."""
        return not self.failures

    @property
    def failures(self) -> tuple[str, ...]:
        """Functions whose checks failed, those that differ exactly, then files that were changed."""
        functions = sorted({check.function for check in self.checks if not check.passed})
        exactly = self.exact.failures if self.exact is not None else ()
        return (*functions, *exactly, *(f"{name} (changed since it was generated)" for name in self.changed))

    @property
    def not_run(self) -> tuple[str, ...]:
        """Files that are as they were generated, in a language that mbsym prints and does not run."""
        printed = {file for item in LANGUAGES.values() if not item.is_run for file in item.files(self.name)}
        return tuple(name for name in self.files if name in printed)

    def raise_on_failure(self) -> None:
        """Raises VerificationError naming the functions and files that failed."""
        if self.failures:
            raise VerificationError(f"not verified: {', '.join(self.failures)}", where=self.name, remedy=self.summary())

    def as_dict(self) -> dict[str, Any]:
        """The certificate as JSON data; what ``certificate_file`` requires of it is all that it has."""
        watched = any(check.against.startswith(WITHIN_ARRAYS) for check in self.checks)
        told: dict[str, Any] = {
            "mbsym": __version__,
            "certificate": self.name,
            "schema": SCHEMA,
            "passed": self.passed,
            "model_sha256": self.model_sha256,
            "formulation": self.formulation,
            "states": self.states,
            "seed": self.seed,
            "tools": tools_here(),
            "compiler": self.compiler,
            "flags": list(self.flags),
            "also_compiled": [item.as_dict() for item in self.also_compiled],
            "watched_with": list(FLAGS) if watched else [],
            "condition_of_mass_matrix": self.condition if math.isfinite(self.condition) else None,
            "closure_rows_apart_by": self.conditioning.loops if math.isfinite(self.conditioning.loops) else None,
            "files": dict(self.files),
            "changed_files": list(self.changed),
            "not_run": list(self.not_run),
            "checks": [check.as_dict() for check in self.checks],
            "coverage": self._coverage(),
            "exact": self.exact.as_dict() if self.exact is not None else None,
            "bounds": self.bounds,
            "safety": self.safety,
            "remarks": [self._near_singular()] if self.is_near_singular else [],
        }
        return {**told, "unchecked": unchecked(told)}

    def _coverage(self) -> dict[str, Any]:
        """Branches and statuses in all and by function, as JSON data."""
        return {
            "branches": sum(item.sides for item in self.coverage),
            "branches_taken": sum(item.taken for item in self.coverage),
            "statuses": sum(len(item.statuses) for item in self.coverage),
            "statuses_met": sum(len(item.met) for item in self.coverage),
            "functions": [item.as_dict() for item in self.coverage],
        }

    def _near_singular(self) -> str:
        if not self.conditioning.tight:
            return _NEAR_SINGULAR
        names = ", ".join(self.conditioning.tight)
        return (
            f"{_NEAR_SINGULAR}; where rows of {names} follow from others but for {self.conditioning.loops:.1e} in every"
            " position, as of axes that are parallel but for the digits of a file, such rows hold fast what would move:"
            " make the axes exact, or let one of these joints be looser"
        )

    def _rows(self) -> Iterator[tuple[str, ...]]:
        """The checks of each function against each opinion, a column for each language."""
        languages = list(dict.fromkeys(check.language for check in self.checks))
        table: dict[tuple[str, str], dict[str, Check]] = {}
        told = [check for check in self.checks if not (check.is_beyond and check.passed)]
        for check in sorted(told, key=lambda check: check.function):
            table.setdefault((check.function, check.against), {})[check.language] = check
        yield ("function", "compared with", *languages, "allowed", "")
        for (function, against), found in table.items():
            errors = (f"{found[language].error:.1e}" if language in found else "" for language in languages)
            allowed = min(check.tolerance for check in found.values())
            verdict = "ok" if all(check.passed for check in found.values()) else "FAILED"
            yield (function, against, *errors, f"{allowed:.1e}", verdict)

    def summary(self) -> str:
        """A table of the checks, a column of worst errors for each language, and a verdict."""
        lines = [
            *markup.aligned(list(self._rows())),
            *(f"{line}  ok" for line in beyond([check.as_dict() for check in self.checks])),
        ]
        if self.compiler and not any(check.against.startswith(WITHIN_ARRAYS) for check in self.checks):
            lines.append(UNWATCHED)
        lines += [f"{name}: changed since it was generated  FAILED" for name in self.changed]
        lines += [f"{name}: {PRINTED_ONLY}" for name in self.not_run]
        lines += ["", *self.exact.lines()] if self.exact is not None else []
        verdict = "verified" if self.passed else "NOT VERIFIED"
        end = f"{self.name}: {verdict} at {self.states} random states (seed {self.seed})"
        if math.isfinite(self.condition):
            end = f"{end}, largest condition of M {self.condition:.1e}"
        if math.isfinite(self.conditioning.loops):
            end = f"{end}, closure rows apart by {self.conditioning.loops:.1e}"
        if self.is_near_singular:
            end = f"{end}\n{self._near_singular()}"
        return "\n".join([*lines, "", *sentences(self.coverage), end])


def is_generated(target: Model | str | Path) -> bool:
    """True for a directory of generated files, and for the manifest of one of its modules."""
    if not isinstance(target, (str, Path)):
        return False
    place = Path(target)
    return place.is_dir() or (place.suffix == ".json" and place.is_file())


def verify(
    target: Model | str | Path,
    *,
    states: int = DEFAULT_STATES,
    seed: int = 0,
    exact: bool = False,
    compilers: Sequence[str] = (),
    sign: str | Path | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Compiles and runs generated code, compares it with the reference, and returns the certificate.

    A directory's code is compiled and run as it stands there, in a process of its own: verify only what you would run.

    Args:
        target: a directory of generated files, where the certificate is written too, or the manifest of one module
            where it holds several; or a model, a model file or the name of a bundled example, which is generated into a
            temporary directory.
        states: number of random states.
        seed: of the random states.
        exact: prove the texts too, as they stand, at random points of a finite field.
        compilers: that compile the C besides, each with its flags, such as "clang -O3"; all checks are made of each.
        sign: a key of SSH that signs the certificate which is written.
        progress: told of each step.

    Raises:
        MbsymError: files are missing or do not compile, or the model cannot be read.
        ToolchainError: there is C code and no compiler.
    """
    asked = VerifyOptions(states, seed, exact, tuple(compilers), Path(sign) if sign is not None else None)
    if isinstance(target, (str, Path)) and is_generated(target):
        certificate = certified(Path(target), asked, progress)
        _write(Path(target), certificate, asked.sign)
        return certificate
    if sign is not None:
        raise VerificationError(
            "no certificate is written that could be signed", where="`sign`", remedy="generate the module and verify it"
        )
    with TemporaryDirectory(prefix="mbsym") as scratch:
        generate(target, scratch, progress=progress)
        return certified(Path(scratch), asked, progress)


def _write(place: Path, certificate: Certificate, key: Path | None) -> None:
    """The certificate for programs and for people, and its signature; one of other bytes goes."""
    told = certificate.as_dict()
    text = f"{json_text(told, width=ROW)}\n"
    texts = [text, certificate_page(told), *([signed(text, key)] if key is not None else [])]
    names = [f"{certificate.name}{suffix}" for suffix in CERTIFICATE_SUFFIXES]
    files = [GeneratedFile(name, content) for name, content in zip(names, texts, strict=False)]
    write_files(place if place.is_dir() else place.parent, files, outdated=names[len(files) :])


def certified(place: Path, asked: VerifyOptions, progress: Progress | None = None) -> Certificate:
    """The certificate of a directory of generated files, or of the module of a manifest; nothing is written.

    Raises:
        MbsymError: files are missing or do not compile.
        ToolchainError: there is C code and no compiler, or one that is asked for is not there.
    """
    directory = place if place.is_dir() else place.parent
    settle(directory)
    manifest = read_manifest(place)
    name, model = manifest["name"], _model(directory, manifest)
    languages = [language for language in LANGUAGES.values() if language.is_in(directory, name)]
    if not any(language.is_run for language in languages):
        only = " and ".join(language.name for language in languages)
        raise CodegenError(
            f"there is no generated code that can be run, {only} alone" if only else "there is no generated code",
            where=str(directory),
            remedy=f"generate it with `languages {' or '.join(x.name for x in LANGUAGES.values() if x.is_run)}`",
        )
    code = [file for language in languages for file in language.files(name)]
    changed = changed_files(directory, manifest, code)
    hashes = _hashes(directory, [*code, f"{name}.json"])
    exact = _proven(directory, manifest, model) if asked.exact else None
    bounds, safety = bounds_beside(directory, name, hashes), safety_beside(directory, name, hashes)
    loading = Loading(directory, manifest, languages, asked.compilers)
    done = run_apart(lambda notes, tell: run_all(loading, model, asked.states, asked.seed, notes, tell), progress)
    found = done if isinstance(done, Found) else ended_early(done)
    if _hashes(directory, hashes) != hashes:
        raise VerificationError(
            "the files changed while they were verified", where=str(directory), remedy="verify again"
        )
    return Certificate(
        name=name,
        model_sha256=manifest["model_sha256"],
        formulation=manifest["formulation"],
        states=asked.states,
        seed=asked.seed,
        compiler=found.compiler,
        flags=found.flags,
        files=hashes,
        changed=changed,
        conditioning=found.conditioning,
        checks=found.checks,
        coverage=found.coverage,
        exact=exact,
        also_compiled=found.also_compiled,
        bounds=bounds,
        safety=safety,
    )


def _proven(directory: Path, manifest: Mapping[str, Any], model: Model) -> Exactness:
    """What is proven of the texts, in a process of its own: Python runs what is arithmetic of arrays as it stands."""
    done = run_apart(lambda notes, _: exact_verdicts(directory, manifest, model, notes.write))
    if isinstance(done, Ended):
        text, _, function = done.doing.partition(": ")
        why = f"the process that followed the text ended: {done.how}"
        done = (Verdict(function or manifest["name"], text or "all texts", "differs", why),)
    return Exactness(done)


def _model(directory: Path, manifest: Mapping[str, Any]) -> Model:
    """The model that the manifest holds."""
    where = str(directory / f"{manifest['name']}.json")
    for key in ("model", "formulation"):
        if not manifest.get(key):
            raise CodegenError(f"{key}: it is missing", where=where, remedy="generate the module again")
    if sha256(manifest["model"].encode("utf-8", "replace")).hexdigest() != manifest["model_sha256"]:
        raise CodegenError("model: it does not have the hash model_sha256", where=where, remedy="generate it again")
    return read_native(TextSource(f"{manifest['name']}.json", manifest["model"]))


def _hashes(directory: Path, names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of the files that are there."""
    return {name: digest for name in names if (digest := file_hash(directory / name))}

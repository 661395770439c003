"""The certificate of generated code: compiled, run, and compared with the independent reference.

What stands in a directory is run in a process of its own: somebody may have changed it.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from mbsym import markup
from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.languages import LANGUAGES, LIMBS, THREADS, Language, load_limbs, load_threads
from mbsym.codegen.load import LoadedFunction, LoadedModule
from mbsym.codegen.manifest import CERTIFICATE_SUFFIXES, json_text
from mbsym.codegen.manifest_reader import changed_files, file_hash, read_manifest
from mbsym.codegen.write import settle, write_files
from mbsym.doors import one_thread
from mbsym.errors import CodegenError, MbsymError, VerificationError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.model.system import Model
from mbsym.pipeline import Progress, generate
from mbsym.registry import TRANSFER_MATRIX
from mbsym.verification.apart import Ended, Notes, run_apart
from mbsym.verification.beyond import check_beyond
from mbsym.verification.checks import (
    OF_ITSELF,
    READ_BACK,
    WITHIN_ARRAYS,
    Check,
    Conditioning,
    Settings,
    Worst,
    run_checks,
)
from mbsym.verification.closed_states import ATTEMPTS, REGULAR
from mbsym.verification.coverage import FunctionCoverage, sentences
from mbsym.verification.evidence import between
from mbsym.verification.exact_texts import exact_verdicts
from mbsym.verification.exactness import Exactness
from mbsym.verification.memory import Calls
from mbsym.verification.stepping_checks import run_stepping_checks
from mbsym.verification.text_checks import SizesOf, in_ones
from mbsym.version import __version__

DEFAULT_STATES = 20

_NEAR_SINGULAR = (
    f"no regular state of the loops was found in {ATTEMPTS} trials for at least one state: near singular positions "
    "results that are right to round-off differ by more than the tolerances allow"
)


OF_ITSELF_WORDS: Final = "{count} function{s} as their own equations say, far off, at branches and in each status"
READ_BACK_WORDS: Final = "{count} table{s} of constants, places, limits and defaults as the model says, read back"
WITHIN_WORDS: Final = "{count} function{s} within the memory of arguments and arrays, as the compiler watches it"
ROW: Final = 160
"""Columns of a line of a certificate's data: a check stands on one."""

UNWATCHED: Final = "accesses to memory were not watched: the compiler has nothing that does (-fsanitize=address)"

PRINTED_ONLY: Final = "printed from the same functions, not run by mbsym"
"""What is said of files that no check has run."""

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

    def __repr__(self) -> str:
        verdict = "verified" if self.passed else f"NOT VERIFIED: {', '.join(self.failures[:MOST_NAMED])}"
        return f"<Certificate of {self.name!r}: {verdict}, {len(self.checks)} checks at {self.states} random states>"

    def _repr_html_(self) -> str:
        """For notebooks: the checks with their worst errors, and the verdict."""
        rows = (
            (check.function, check.language, check.against, f"{check.error:.1e}", f"{check.tolerance:.1e}",
             "ok" if check.passed else "FAILED")
            for check in self.checks
        )  # fmt: skip
        heads = ("function", "language", "compared with", "worst error", "allowed", "")
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
        """The certificate as JSON data."""
        return {
            "mbsym": __version__,
            "certificate": self.name,
            "passed": self.passed,
            "model_sha256": self.model_sha256,
            "formulation": self.formulation,
            "states": self.states,
            "seed": self.seed,
            "compiler": self.compiler,
            "flags": list(self.flags),
            "condition_of_mass_matrix": self.condition if math.isfinite(self.condition) else None,
            "closure_rows_apart_by": self.conditioning.loops if math.isfinite(self.conditioning.loops) else None,
            "files": dict(self.files),
            "changed_files": list(self.changed),
            "not_run": list(self.not_run),
            "checks": [check.as_dict() for check in self.checks],
            "coverage": self._coverage(),
            "exact": self.exact.as_dict() if self.exact is not None else None,
        }

    def _coverage(self) -> dict[str, Any]:
        """Branches and statuses in all and by function, as JSON data."""
        return {
            "branches": sum(item.sides for item in self.coverage),
            "branches_taken": sum(item.taken for item in self.coverage),
            "statuses": sum(len(item.statuses) for item in self.coverage),
            "statuses_met": sum(len(item.met) for item in self.coverage),
            "functions": [item.as_dict() for item in self.coverage],
        }

    def _beyond(self) -> list[str]:
        """A line for each kind of check that no row tells of, since all of the kind passed."""
        lines = []
        told = ((OF_ITSELF_WORDS, OF_ITSELF), (READ_BACK_WORDS, (READ_BACK,)), (WITHIN_WORDS, (WITHIN_ARRAYS,)))
        for words, kinds in told:
            own = [check for check in self.checks if check.against in kinds and check.passed]
            if own:
                languages = ", ".join(dict.fromkeys(check.language for check in own))
                count = len({check.function for check in own})
                lines.append(f"{words.format(count=count, s='' if count == 1 else 's')} ({languages})  ok")
        if self.compiler and not any(check.against.startswith(WITHIN_ARRAYS) for check in self.checks):
            lines.append(UNWATCHED)
        return lines

    def _near_singular(self) -> str:
        if not self.conditioning.tight:
            return _NEAR_SINGULAR
        names = ", ".join(self.conditioning.tight)
        return (
            f"{_NEAR_SINGULAR}; where rows of {names} follow from others but for {self.conditioning.loops:.1e} in every"
            " position, as of axes that are parallel but for the digits of a file, such rows hold fast what would move:"
            " make the axes exact, or let one of these joints be looser"
        )

    def summary(self) -> str:
        """A table of the checks, a column of worst errors for each language, and a verdict."""
        languages = list(dict.fromkeys(check.language for check in self.checks))
        table: dict[tuple[str, str], dict[str, Check]] = {}
        told = [check for check in self.checks if not (check.is_beyond and check.passed)]
        for check in sorted(told, key=lambda check: check.function):
            table.setdefault((check.function, check.against), {})[check.language] = check
        rows = [("function", "compared with", *languages, "allowed", "")]
        for (function, against), found in table.items():
            errors = (f"{found[language].error:.1e}" if language in found else "" for language in languages)
            allowed = min(check.tolerance for check in found.values())
            verdict = "ok" if all(check.passed for check in found.values()) else "FAILED"
            rows.append((function, against, *errors, f"{allowed:.1e}", verdict))
        lines = [*markup.aligned(rows), *self._beyond()]
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

    def markdown(self) -> str:
        """The certificate as a page."""
        lines = [
            f"# Certificate of {self.name}",
            "",
            f"Generated by mbsym {__version__}.",
            "",
            f"* Verdict: **{'verified' if self.passed else 'NOT VERIFIED'}**",
            f"* States: {self.states}, drawn with seed {self.seed}",
            f"* Formulation: {self.formulation}",
        ]
        if math.isfinite(self.condition):
            lines += [f"* Largest condition number of the mass matrix: {self.condition:.3e}"]
        if math.isfinite(self.conditioning.loops):
            lines += [f"* Smallest singular value of closure rows of length one: {self.conditioning.loops:.3e}"]
        if self.is_near_singular:
            lines += [f"* {self._near_singular()}"]
        lines += [f"* Model: SHA-256 {self.model_sha256}"]
        if self.compiler:
            lines += [f"* Compiler: {self.compiler}", f"* Flags: `{' '.join(self.flags)}`"]
        lines += ["", "Errors are relative to the largest entry of what they are compared with, at least 1.", ""]
        lines += ["| function | language | compared with | worst error | allowed | |", "|---|---|---|---|---|---|"]
        for check in self.checks:
            mark = "ok" if check.passed else "**failed**"
            errors = (f"{check.error:.2e}", f"{check.tolerance:.2e}")
            cells = (check.function, check.language, check.against, *errors, mark)
            lines.append(f"| {' | '.join(cells)} |")
        if self.coverage:
            lines += ["", "| function | branches taken | statuses met | not reached |", "|---|---|---|---|"]
            lines += [
                f"| {item.function} | {item.taken} of {item.sides} | {len(item.met)} of {len(item.statuses)} |"
                f" {', '.join(item.left)} |"
                for item in self.coverage
            ]
        lines += self.exact.markdown() if self.exact is not None else []
        lines += ["", "| file | SHA-256 |", "|---|---|"]
        told = dict.fromkeys(self.not_run, f", {PRINTED_ONLY}")
        changed = told | dict.fromkeys(self.changed, ", **changed since it was generated**")
        lines += [f"| {name} | {digest}{changed.get(name, '')} |" for name, digest in self.files.items()]
        return "\n".join(lines) + "\n"


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
        progress: told of each step.

    Raises:
        MbsymError: files are missing or do not compile, or the model cannot be read.
        ToolchainError: there is C code and no compiler.
    """
    if isinstance(target, (str, Path)) and is_generated(target):
        return _verify_generated(Path(target), states, seed, progress, write=True, exact=exact)
    with TemporaryDirectory(prefix="mbsym") as scratch:
        generate(target, scratch, progress=progress)
        return _verify_generated(Path(scratch), states, seed, progress, write=False, exact=exact)


def _verify_generated(
    place: Path, states: int, seed: int, progress: Progress | None, *, write: bool, exact: bool
) -> Certificate:
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
    blank = Certificate(
        name=name,
        model_sha256=manifest["model_sha256"],
        formulation=manifest["formulation"],
        states=states,
        seed=seed,
        compiler="",
        flags=(),
        files=hashes,
        changed=changed,
        conditioning=Conditioning(math.nan, math.nan),
        checks=(),
        exact=Exactness(exact_verdicts(directory, manifest, model)) if exact else None,
    )
    done = run_apart(lambda notes, tell: _filled(blank, directory, manifest, model, languages, notes, tell), progress)
    certificate = done if isinstance(done, Certificate) else replace(blank, checks=(_failed(done),))
    if _hashes(directory, hashes) != hashes:
        raise VerificationError(
            "the files changed while they were verified", where=str(directory), remedy="verify again"
        )
    if write:
        text = f"{json_text(certificate.as_dict(), width=ROW)}\n"
        texts = zip(CERTIFICATE_SUFFIXES, (text, certificate.markdown()), strict=True)
        write_files(directory, [GeneratedFile(f"{name}{suffix}", content) for suffix, content in texts])
    return certificate


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


# ---- in a process of its own -----------------------------------------------------------------------------------------


@one_thread()
def _filled(
    blank: Certificate,
    directory: Path,
    manifest: Mapping[str, Any],
    model: Model,
    languages: Sequence[Language],
    notes: Notes,
    progress: Progress,
) -> Certificate:
    """The certificate with what the checks found, and what the C was compiled with."""
    modules, calls = [], Calls(directory, manifest)
    for language in languages:
        if language.load is not None:
            notes.write(f"{language.name} {manifest['name']}")
            modules.append(_watched(language.load(directory, manifest["name"]), notes, calls))
    threaded = [entry["name"] for entry in manifest["functions"] if "threads" in entry]
    if threaded and any(module.language == "c" for module in modules):
        notes.write(f"{THREADS} {manifest['name']}")
        by_threads = load_threads(directory, manifest["name"], threaded)
        modules += [_watched(by_threads, notes, calls)] if by_threads is not None else []
    limbed = [entry["name"] for entry in manifest["functions"] if entry.get("style") == LIMBS]
    if limbed and any(module.language == "c" for module in modules):
        notes.write(f"{LIMBS} {manifest['name']}")
        modules.append(_watched(load_limbs(directory, manifest["name"], limbed), notes, calls))
    for module in modules:
        if module.unlisted:
            raise CodegenError(
                f"the code has {module.unlisted[0]}, which the manifest does not list",
                where=f"{manifest['name']} in {module.language}",
                remedy="generate it again",
            )
    settings = Settings(blank.states, blank.seed, manifest.get("order", "weight"), single=manifest["real"] == "float")
    coverage: list[FunctionCoverage] = []

    def beyond(worst: Worst, states: Sequence[Mapping[str, Any]], sizes_of: SizesOf = in_ones) -> None:
        coverage.extend(check_beyond(worst, model, manifest, modules, directory, states, settings.seed, sizes_of))

    try:
        run = run_stepping_checks if blank.formulation == TRANSFER_MATRIX else run_checks
        checks, conditioning = run(model, modules, settings, progress, beyond)
        checks = (*checks, *calls.checks())
    except MbsymError:
        raise
    except Exception as error:
        stopped = VerificationError(
            f"the checks cannot go on: {type(error).__name__}: {error}",
            where=notes.read(),
            remedy="generate it again; if they stop still, report it with the model",
        )
        stopped.add_note(traceback.format_exc())
        raise stopped from error
    compiled = next((module for module in modules if module.compiler), modules[0])
    return replace(
        blank,
        compiler=compiled.compiler,
        flags=compiled.command,
        conditioning=conditioning,
        checks=checks,
        coverage=tuple(coverage),
    )


def _watched(module: LoadedModule, notes: Notes, calls: Calls) -> LoadedModule:
    """The module, whose functions say that they run before they do, and must return what the manifest says."""

    def watched(function: LoadedFunction) -> LoadedFunction:
        where, expected = f"{module.language} {function.name}", [item.shape for item in function.outputs]

        def begun(inputs: Any, parameters: Any) -> Any:
            notes.write(where)
            calls.keep(module, function, inputs, parameters)
            return inputs

        def shaped(found: Any) -> Any:
            results = found if isinstance(found, tuple) else (found,)
            # Whatever comes before a result's own axes is a batch.
            ends = zip(results, expected, strict=False)
            shapes = [np.shape(array)[np.ndim(array) - len(shape) :] for array, shape in ends]
            if len(results) != len(expected) or shapes != expected:
                raise VerificationError(
                    f"it returns the shapes {shapes}; the manifest says {expected}",
                    where=where,
                    remedy="generate it again",
                )
            return found

        return between(begun, function, shaped)

    return replace(module, functions={name: watched(function) for name, function in module.functions.items()})


def _failed(ended: Ended) -> Check:
    """The check that a function that ends its process has failed."""
    language, _, function = ended.doing.partition(" ")
    return Check(function, language, f"running to its end: {ended.how}", math.inf, 0.0, 0)

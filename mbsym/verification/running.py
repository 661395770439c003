"""All checks of a module's texts, compiled and run in a process of its own: somebody may have changed them."""

from __future__ import annotations

import math
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from mbsym.codegen.languages import BY, OTHERWISE_COMPILED, Language, load_by
from mbsym.codegen.load import LoadedFunction, LoadedModule
from mbsym.doors import one_thread
from mbsym.errors import CodegenError, MbsymError, VerificationError
from mbsym.model.system import Model
from mbsym.pipeline import Progress
from mbsym.registry import TRANSFER_MATRIX
from mbsym.verification.apart import Ended, Notes
from mbsym.verification.beyond import check_beyond
from mbsym.verification.checks import Check, Conditioning, Settings, Worst, run_checks
from mbsym.verification.coverage import FunctionCoverage
from mbsym.verification.evidence import between
from mbsym.verification.memory import Calls
from mbsym.verification.stepping_checks import run_stepping_checks
from mbsym.verification.text_checks import SizesOf, in_ones

UNKNOWN: Final = Conditioning(math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What compiled C: the command that was asked for, the compiler's version, and all flags."""

    asked: str
    compiler: str
    flags: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {"asked": self.asked, "compiler": self.compiler, "flags": list(self.flags)}


@dataclass(frozen=True, slots=True)
class Found:
    """What all checks of a module found.

    Attributes:
        compiler: first line of the compiler's version, empty if there is no C.
        flags: that the C was compiled with.
        also_compiled: what else compiled the C.
        conditioning: what the states were like; not numbers where the code did not run to its end.
        checks: the comparisons.
        coverage: branches and statuses that states were led to, by function.
    """

    compiler: str = ""
    flags: tuple[str, ...] = ()
    also_compiled: tuple[Compiled, ...] = ()
    conditioning: Conditioning = UNKNOWN
    checks: tuple[Check, ...] = ()
    coverage: tuple[FunctionCoverage, ...] = ()


@dataclass(frozen=True, slots=True)
class Loading:
    """What is loaded: the languages of a module in a directory, its C by further compilers too."""

    directory: Path
    manifest: Mapping[str, Any]
    languages: Sequence[Language]
    compilers: Sequence[str]

    def modules(self, notes: Notes) -> Iterator[LoadedModule]:
        """Each as it is loaded."""
        directory, name, has_c = self.directory, self.manifest["name"], False
        for language in self.languages:
            if language.load is not None:
                notes.write(f"{language.name} {name}")
                yield language.load(directory, name)
                has_c = has_c or language.name == "c"
        if self.compilers and not has_c:
            raise CodegenError("there is no C to compile", where=str(directory), remedy="leave out `compilers`")
        for kind, load in OTHERWISE_COMPILED.items() if has_c else ():
            entries = self.manifest["functions"]
            functions = [entry["name"] for entry in entries if kind == entry.get("style") or kind in entry]
            if functions:
                notes.write(f"{kind} {name}")
                loaded = load(directory, name, functions)
                yield from [loaded] if loaded is not None else []
        for command in dict.fromkeys(self.compilers):
            notes.write(f"{BY}{command} {name}")
            yield load_by(directory, name, command)


@one_thread()
def run_all(loading: Loading, model: Model, states: int, seed: int, notes: Notes, progress: Progress) -> Found:
    """What the checks find of a module, at so many states.

    Raises:
        MbsymError: something does not compile, has no check, or stops the checks.
    """
    directory, manifest = loading.directory, loading.manifest
    calls = Calls(directory, manifest)
    modules = [_watched(module, notes, calls) for module in loading.modules(notes)]
    settings = Settings(states, seed, manifest.get("order", "weight"), single=manifest["real"] == "float")
    coverage: list[FunctionCoverage] = []

    def beyond(worst: Worst, states: Sequence[Mapping[str, Any]], sizes_of: SizesOf = in_ones) -> None:
        coverage.extend(check_beyond(worst, model, manifest, modules, directory, states, settings.seed, sizes_of))

    try:
        run = run_stepping_checks if manifest["formulation"] == TRANSFER_MATRIX else run_checks
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
    return Found(
        compiler=compiled.compiler,
        flags=compiled.command,
        conditioning=conditioning,
        checks=checks,
        coverage=tuple(coverage),
        also_compiled=tuple(
            Compiled(module.language.removeprefix(BY), module.compiler, module.command)
            for module in modules
            if module.language.startswith(BY)
        ),
    )


def _watched(module: LoadedModule, notes: Notes, calls: Calls) -> LoadedModule:
    """The module, whose functions say that they run before they do, and must return what the manifest says."""

    if module.unlisted:
        raise CodegenError(
            f"the code has {module.unlisted[0]}, which the manifest does not list",
            where=f"{calls.name} in {module.language}",
            remedy="generate it again",
        )

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


def ended_early(ended: Ended) -> Found:
    """The check that a function that ends its process has failed, and nothing else."""
    language, _, function = ended.doing.rpartition(" ")
    failed = Check(function, language, f"running to its end: {ended.how}", math.inf, 0.0, 0)
    return Found(checks=(failed,))

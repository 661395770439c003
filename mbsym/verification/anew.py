"""What the model says that a generated module is, derived again: nothing is taken from the module's own texts.

The manifest is asked only what was wanted: which functions, in which way, in which languages. Its numbers are not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction, lower_module
from mbsym.derivatives.of_functions import requests_of
from mbsym.model.system import Model
from mbsym.options.generation import DEFAULTS, GenerationOptions
from mbsym.passes.given_sines import SINES_COSINES
from mbsym.passes.prepare import PREPARE
from mbsym.pipeline import derive, describe, express
from mbsym.symbolic.program import Program
from mbsym.symbolic.unroll import unrolled

MADE_FOR_OTHERS: Final = (PREPARE, SINES_COSINES)
"""Functions that nobody names: they follow from the others."""


@dataclass(frozen=True)
class Anew:
    """A module derived again from its model.

    Attributes:
        module: its names, constants, tolerances, statuses and functions, ready for printing.
        derived: the functions, those with loops among them.
    """

    module: LoweredModule
    derived: tuple[Program, ...]

    @property
    def single(self) -> bool:
        """True where the code computes in single precision."""
        return self.module.description.real == "float"

    @cached_property
    def programs(self) -> Mapping[str, Program]:
        """The derived functions by name, loops written out."""
        return {program.name: unrolled(program) for program in self.derived}

    @cached_property
    def functions(self) -> Mapping[str, ModuleFunction]:
        """All functions by name, those with fixed text too."""
        return {function.name: function for function in self.module.functions}


def derived_anew(model: Model, manifest: Mapping[str, Any]) -> Anew:
    """The module of a manifest, derived from its model.

    Raises:
        MbsymError: the model cannot be derived, or has no function that the manifest names.
    """
    options = _options(manifest, model.name)
    derivation = derive(express(model, options), options)
    module = lower_module(describe(derivation, options))
    return Anew(module, derivation.programs)


def _options(manifest: Mapping[str, Any], model: str) -> GenerationOptions:
    """What was asked for when a manifest was written, as far as it changes what a module's numbers mean."""
    functions = {entry["name"]: entry for entry in manifest["functions"]}
    requests = requests_of(manifest)
    named = {request.name for request in requests}
    styles = {entry.get("style") for entry in functions.values()}
    return GenerationOptions(
        functions=tuple(each for each in functions if each not in named and each not in MADE_FOR_OTHERS),
        formulation=manifest["formulation"],
        real=manifest["real"],
        symbolic_parameters=tuple(manifest["run_time_parameters"]) or "none",
        order=manifest.get("order", "weight"),
        prefix=manifest["name"] if manifest["name"] != model else "",
        frames=("all",),  # the model of a manifest has those that were asked for, and no other
        largest=float("inf"),
        derivatives=requests,
        compressed=bool(manifest.get("compressed")),
        trigonometry=manifest.get("trigonometry", DEFAULTS.trigonometry),
        batch=tuple(each for each, entry in functions.items() if "batch" in entry),
        prepare=PREPARE in functions,
        style=next((each for each in ("shared", "limbs") if each in styles), "straight"),
        threads=max((entry.get("threads", 0) for entry in functions.values()), default=0),
    )

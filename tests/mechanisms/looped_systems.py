"""Closed loops of a mechanism as a NumPy module that is written for the purpose and never leaves the memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from mbsym.codegen.interface import ModuleDescription, render
from mbsym.codegen.load import numpy_module
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.looped_system import LoopedSystem
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.loops.runtime import LOOP_KERNELS, extra_arguments, loop_constants, loop_runtime
from mbsym.loops.tolerances import RUNTIME

OBSERVED: Final = ("position_rate", "kinetic_energy", "potential_energy")


def looped_system(
    mechanism: Mechanism, analysis: LoopAnalysis | None = None, parameters: Mapping[str, float] | None = None
) -> LoopedSystem:
    """What keeping constraints, assembly and simulation ask of it, with the given values of its parameters."""
    found = analyse_loops(mechanism) if analysis is None else analysis
    runtime = loop_runtime(mechanism, found)
    derived = (*LOOP_KERNELS, "closure_gap", *(() if runtime else ("constrained_dynamics", "forward_dynamics")))
    programs = [TREE_FUNCTIONS[name](mechanism) for name in OBSERVED]
    programs += [LOOP_FUNCTIONS[name](mechanism, found) for name in derived]
    description = ModuleDescription(
        mechanism.model.name,
        tuple(programs),
        manifest={"nq": mechanism.nq, "nv": mechanism.nv},
        constants={"NQ": mechanism.nq, "NV": mechanism.nv, **loop_constants(mechanism, found)},
        runtime=runtime,
        tolerances=RUNTIME,
        extra=extra_arguments(mechanism),
    )
    module = numpy_module(*render(description, ("numpy",)))
    system = LoopedSystem.of_module(module)
    if not parameters:
        return system
    functions = {name: partial(function, parameters=parameters) for name, function in module.functions.items()}
    projection = partial(module.functions["project_position_report"].with_status, parameters=parameters)
    return replace(system, functions=functions, projection=projection)

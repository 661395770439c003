"""States and results for the self-test of a module, frozen: what each function must return, and how exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, get_args

import numpy as np

from mbsym.codegen.description import ModuleDescription, Real, Tolerance
from mbsym.codegen.interface import render
from mbsym.codegen.load import LoadedModule, numpy_module
from mbsym.codegen.lowered_module import lower_module
from mbsym.codegen.statuses import Status
from mbsym.doors import Array
from mbsym.embedded.choice import Choice, Strength
from mbsym.embedded.results import LINEAR, FrozenFunction, frozen_function
from mbsym.embedded.rounding import RoundedNumpy
from mbsym.embedded.states import Drawing, State
from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Contract
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.tolerances import REGULAR

ITERATES: Final = frozenset((Status.NOT_CLOSED, Status.NOT_CONVERGED))
"""What only an iteration returns."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """States, and what all functions return there.

    Attributes:
        inputs: by the names of arguments, (states, size), numbers of single precision.
        functions: in the order of the module.
        strength: how many faults were planted in derived functions, and how many are seen.
    """

    inputs: Mapping[str, Array]
    functions: tuple[FrozenFunction, ...]
    strength: Strength


def freeze(description: ModuleDescription, mechanism: Mechanism, contracts: Mapping[str, Contract]) -> Frozen:
    """States of a mechanism and the results of its module's functions, whose contracts say which of them solve.

    Raises:
        DerivationError: the module steps by transfer matrices, whose functions take states of their own, or no state
            was found at which single and double precision agree about statuses.
    """
    if "transfer_matrix" in description.manifest:
        raise DerivationError(
            "stepping code has no self-test: its functions take states that only its own steps make",
            where=description.name,
            remedy="generate another formulation, or check the steps with mbsym verify",
        )
    modules = double, single, _ = ways_to_compute(description)
    generator = np.random.default_rng(21)
    fixed = {each.name: bool(ITERATES & {item.status for item in each.failures}) for each in description.runtime}
    solving = {name for name, contract in contracts.items() if contract.solves}

    def at(name: str, states: Sequence[State]) -> FrozenFunction:
        # Rounding decides where an iteration goes.
        left = (
            np.array([state.quarters if fixed[name] else state.unsure for state in states]) if name in fixed else None
        )
        most = LINEAR if description.real == "double" and name in solving else None
        own, other, third = (module.functions[name] for module in modules)
        return frozen_function(own, other, third, states, generator, left, most)

    drawing = Drawing(mechanism, double, single, fixed)
    choice = Choice(lower_module(replace(description, batch=())), drawing, at)
    kept = choice.states()
    return Frozen(
        {name: np.array([state.values[name].ravel() for state in kept]) for name in kept[0].values},
        tuple(at(name, kept) for name in double.functions),
        choice.strength,
    )


def ways_to_compute(description: ModuleDescription) -> tuple[LoadedModule, LoadedModule, LoadedModule]:
    """The NumPy form in double and in single precision, and with each operation rounded at random."""
    alike = replace(
        description, tolerances=tuple(_as_on_target(item, description.real) for item in description.tolerances)
    )
    double, single = (_loaded(alike, real) for real in get_args(Real))
    return double, single, _rounded(alike)


def _as_on_target(tolerance: Tolerance, real: Real) -> Tolerance:
    """The tolerance; both precisions go the way that the target takes, for errors grow otherwise on another."""
    if tolerance.name != REGULAR.name:
        return tolerance
    value = tolerance.of(real)
    return replace(tolerance, double=value, single=value)


def _rounded(description: ModuleDescription) -> LoadedModule:
    """The module in double precision with the tolerances of single precision, as far as which it is rounded."""
    tolerances = tuple(replace(item, double=item.of("float")) for item in description.tolerances)
    return _loaded(replace(description, tolerances=tolerances), "double", RoundedNumpy(np.random.default_rng(22)))


def _loaded(description: ModuleDescription, real: Real, arithmetic: RoundedNumpy | None = None) -> LoadedModule:
    python, manifest = render(replace(description, real=real, batch=()), ("numpy",))
    return numpy_module(python, manifest, arithmetic)

"""The functions of this room, in modules that ask for them by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Derived, Function, contract
from mbsym.formulations.fewest_operations import shortest_way
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import position_rate
from mbsym.kinematics.recursion import joints_at_rest
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.records import Registry
from mbsym.regressors.base_parameters import base_parameters_of
from mbsym.regressors.columns import (
    Column,
    dense,
    energy_rows,
    extracted_columns,
    force_columns,
    momentum_columns,
)
from mbsym.regressors.parameters import standard_parameters
from mbsym.symbolic.differentiate import forward
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar


def regressor(mechanism: Mechanism) -> Derived:
    """Y(q, v, vdot), (nv, np), in the way that takes fewer operations."""
    columns, how = _fewest(mechanism, range(len(standard_parameters(mechanism.model))))
    return Derived(dense(mechanism, columns), how, sizes={"np": len(columns)})


def _fewest(mechanism: Mechanism, kept: Sequence[int]) -> tuple[list[Column], str]:
    """Some columns of Y, and how they were derived."""
    ways: dict[str, Callable[[Mechanism], list[Column]]] = {
        "Jacobians of the bodies": force_columns,
        "differentiated recursive Newton-Euler": extracted_columns,
    }
    columns, how = shortest_way(
        mechanism, ways, lambda columns: (entry for place in kept for entry in columns[place].values())
    )
    return [columns[place] for place in kept], how


def energy_regressor(mechanism: Mechanism) -> Derived:
    """Rows of kinetic and potential energy, (np,) each."""
    kinetic, potential = energy_rows(mechanism)
    return Derived({"kinetic": kinetic, "potential": potential}, sizes={"np": len(kinetic)})


def momentum_regressor(mechanism: Mechanism) -> Derived:
    """P(q, v) with M v = P pi, and F(q, v) with d(M v)/dt = tau + F pi, (nv, np) each.

    d(M v)/dt = Mdot v + M vdot and M vdot + h = tau, so F is dP/dt at constant v less Y at vdot = 0.
    """
    graph = mechanism.graph
    momenta, zero = momentum_columns(mechanism), Scalar(graph, 0)
    moving = dict(zip(mechanism.q.symbols, (rate.ref for rate in position_rate(mechanism)), strict=True))
    refs = [entry.ref for column in momenta for entry in column.values()]
    rates = iter(forward(graph, refs, moving))
    changes = [{row: Scalar(graph, next(rates)) for row in column} for column in momenta]
    forces = force_columns(mechanism, joints_at_rest(mechanism))
    found = [
        {row: change.get(row, zero) - force.get(row, zero) for row in {**change, **force}}
        for change, force in zip(changes, forces, strict=True)
    ]
    return Derived({"P": dense(mechanism, momenta), "F": dense(mechanism, found)}, sizes={"np": len(momenta)})


def base_regressor(mechanism: Mechanism, loops: LoopAnalysis | None = None) -> Derived:
    """The columns of Y that stand for base parameters, (nv, nbase)."""
    found = base_parameters_of(mechanism, loops)
    kept = [item.column for item in found.base]
    columns, how = _fewest(mechanism, kept)
    return Derived(dense(mechanism, columns), how, sizes={"nbase": len(kept)})


BASE_REGRESSOR: Final = contract(
    "base_regressor(q, v, vdot, t, u, x)",
    "Y(q, v, vdot) with inverse_dynamics = Y beta, beta the base parameters; with closed loops along their motions",
    "Y[nv, nbase]: regressor, its columns named by base_parameters in the manifest",
    identities=("forces of other base parameters", "forces of other base parameters along loops"),
)


def base_regressor_along_loops(mechanism: Mechanism, loops: LoopAnalysis) -> Program:
    """The same where loops stay closed."""
    return BASE_REGRESSOR.program(mechanism, base_regressor(mechanism, loops))


REGRESSOR_FUNCTIONS: Final = Registry(
    "function",
    (
        Function(
            contract(
                "regressor(q, v, vdot, t, u, x)",
                "Y(q, v, vdot) with inverse_dynamics = Y pi, pi the standard parameters",
                "Y[nv, np]: regressor, its columns named by regressor_columns in the manifest",
                identities=("forces of other parameters",),
            ),
            regressor,
        ),
        Function(
            contract(
                "energy_regressor(q, v)",
                "rows with kinetic_energy = kinetic pi and potential_energy = potential pi",
                "kinetic[np]: kinetic energy per parameter",
                "potential[np]: potential energy per parameter",
                identities=("energies of other parameters",),
            ),
            energy_regressor,
        ),
        Function(
            contract(
                "momentum_regressor(q, v, t, u, x)",
                "P(q, v) and F(q, v) with M v = P pi and d(M v)/dt = tau + F pi: no accelerations are needed",
                "P[nv, np]: M(q) v per parameter",
                "F[nv, np]: force besides tau per parameter",
                identities=("momenta of other parameters",),
            ),
            momentum_regressor,
        ),
        Function(BASE_REGRESSOR, base_regressor),
    ),
    DerivationError,
)
"""Not among the functions of a module that names none: they are long."""

"""Independent coordinates, and how all others move with them.

G v = 0 of closed loops, with the columns of G split into those of dependent and independent speeds, gives v = N v_i.
Its derivative along a motion, G dv + d(G v)/dq dq = 0, says how dependent speeds change with the configuration. Rows
that hold speeds alone let coordinates go anywhere, so that there are more independent coordinates than speeds.

Source: J. Garcia de Jalon, E. Bayo, Kinematic and Dynamic Simulation of Multibody Systems, 1994, chapter 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.derivatives.in_numbers import NumericDerivatives
from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.kinematics.driven import driven_speeds
from mbsym.kinematics.measures import measures_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.linear.equations import LinearEquations, State
from mbsym.linear.tangent import increment_names
from mbsym.loops.generic_rank import dependent_columns
from mbsym.loops.independent import independent_columns
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.runtime import closure_sizes
from mbsym.loops.tolerances import FOLLOWS
from mbsym.model.beams_of_models import of_fixed_length
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

OPEN: Final = 1e-8
"""Gaps above this [rad, part of the mechanism's size] are refused: linear equations there would be those of no motion.
"""

PARTING: Final = 1e-6
"""Rates of gaps above this part of the largest speed, both measured, are refused."""

SINGULAR: Final = 1e-5
"""Part of the largest singular value of G, rows by the lengths of their loops, below which a position is singular:
loops closed to 1e-10 leave the motions by which they are singular open by its root."""


@dataclass(frozen=True, slots=True)
class Freedom:
    """Which increments and speeds are independent, n and m of nv; both are the same but where speeds alone are held.

    Attributes:
        independent: places of the increments in v.
        speeds: places of the speeds, some of these.
        motion: all increments of the independent ones, N in dq = N dq_i (nv, n).
        rates: all speeds of the independent ones (nv, m).
        change: of all speeds with the independent increments at constant independent speeds (nv, n).
    """

    independent: tuple[int, ...]
    speeds: tuple[int, ...]
    motion: Array
    rates: Array
    change: Array

    @property
    def of_states(self) -> Array:
        """[dq; dv] of [dq_i; dv_i] (2 nv, n + m)."""
        return np.block([[self.motion, np.zeros_like(self.rates)], [self.change, self.rates]])

    @property
    def states(self) -> list[int]:
        """Places of the states in [dq; dv]."""
        return [*self.independent, *(len(self.motion) + k for k in self.speeds)]


def freedom_at(equations: LinearEquations, state: State, independent: Sequence[str] = ()) -> Freedom:
    """The freedom of a mechanism at a state; all coordinates of a tree that no motion prescribes are independent.

    Raises:
        AnalysisError: the loops are open or part, the state is singular, or coordinates are chosen from which the
            others do not follow.
    """
    nv, loops = equations.mechanism.nv, equations.loops
    driven = driven_speeds(equations.mechanism)
    places = sorted(each.column for each in driven if each.position is not None)
    rates = sorted(each.column for each in driven if each.speed is not None)
    if loops is None:
        if independent:
            raise AnalysisError(
                "all coordinates of a tree are independent", where=equations.name, remedy="choose none of them"
            )
        every, own = (tuple(k for k in range(nv) if k not in held) for held in (places, rates))
        unit = np.eye(nv)
        return Freedom(every, own, unit[:, list(every)], unit[:, list(own)], np.zeros((nv, len(every))))
    # What motions prescribe is held like what closed loops hold.
    rows = _rows(equations, loops, state)
    closing = np.concatenate([rows[loops.closing], np.eye(nv)[places]])
    rows = np.concatenate([rows, np.eye(nv)[rates]])
    increments = measures_of(equations.mechanism).increments
    chosen, speeds = _chosen(equations, rows * increments, closing * increments, independent)
    change = np.zeros((nv, len(chosen)))
    motion = _carried(closing, chosen)
    if state.v.any():
        _, slopes = NumericDerivatives(equations.mechanism, _rate_program(equations.mechanism, loops))(
            state.by_argument
        )
        changes = slopes["rate", "q"]
        changes = np.concatenate([changes, np.zeros((len(rates), nv))])
        dependent = [k for k in range(nv) if k not in speeds]
        change[dependent] = -np.linalg.solve(rows[:, dependent], changes @ motion)
    return Freedom(tuple(chosen), tuple(speeds), motion, _carried(rows, speeds), change)


def _carried(rows: Array, chosen: Sequence[int]) -> Array:
    """All speeds of the chosen ones, by rows that hold the others (nv, n)."""
    dependent = [k for k in range(rows.shape[1]) if k not in chosen]
    found = np.zeros((rows.shape[1], len(chosen)))
    found[chosen] = np.eye(len(chosen))
    found[dependent] = -np.linalg.solve(rows[:, dependent], rows[:, chosen])
    return found


def _rows(equations: LinearEquations, loops: LoopAnalysis, state: State) -> Array:
    """G at a state, which closes the loops, keeps them closed, and is regular.

    Raises:
        AnalysisError: it does not, or is singular.
    """
    measures = measures_of(equations.mechanism)
    every = [row for closure in loops.closures for row in closure.rows]
    gaps = np.abs(equations.evaluate("closure_gap", state)[0])
    open_by = gaps / np.array([measures.of_unit(row.unit) for row in every])
    if open_by.max(initial=0.0) > OPEN:
        worst = int(np.argmax(open_by))
        row = every[worst]
        gap = f"{gaps[worst]:.3g} {row.unit} ({row.quantity})"
        raise AnalysisError(
            f"the state does not close the loop of {row.closure}: the gap is {gap}",
            where=equations.name,
            remedy="give fewer coordinates, and the others are made to fit",
        )
    (rows,) = equations.evaluate("constraint_jacobian", state)
    # By the lengths of the loops, not by the rows' own sizes: a row may vanish by itself.
    sizes = np.array(closure_sizes(equations.mechanism, loops))
    parting = np.abs(rows @ state.v)
    if np.any(parting / sizes > PARTING * float(np.abs(state.v / measures.increments).max(initial=0.0))):
        raise AnalysisError(
            f"the speeds part the loops by {parting.max():.3g} m/s, rad/s",
            where=equations.name,
            remedy="give fewer speeds, and the others are made to fit",
        )
    _, values, motions = np.linalg.svd(rows * measures.increments / sizes[:, None])
    rank = int(np.sum(values > SINGULAR * values.max(initial=0.0)))
    if rank < len(rows):
        freedoms = rows.shape[1] - rank
        names = _moving(equations, motions[rank:])
        raise AnalysisError(
            f"the position is singular: {freedoms} in place of {rows.shape[1] - len(rows)} of the coordinates "
            f"{', '.join(names)} move by themselves there",
            where=equations.name,
            remedy=of_fixed_length(equations.mechanism.model)
            or "linear equations do not hold across it; take a position beside it",
        )
    return rows


def _moving(equations: LinearEquations, motions: Array) -> list[str]:
    """Coordinates that move in any of the motions (rows)."""
    shares = np.abs(motions).max(axis=0, initial=0.0)
    names = increment_names(equations.mechanism)
    return [name for name, share in zip(names, shares, strict=True) if share > 1e-6]


def _chosen(
    equations: LinearEquations, rows: Array, closing: Array, names: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Columns of the independent coordinates, and of the independent speeds among them.

    They are those that are named; where none is, those that tell the others best.

    Args:
        equations: of the mechanism.
        rows, closing: G, and those of its rows that close loops.
        names: of coordinates.
    """
    if names:
        coordinates = _named(equations, closing, names)
        return coordinates, independent_with(rows, coordinates) if len(closing) < len(rows) else coordinates
    speeds = list(independent_columns(equations.mechanism, rows))
    return independent_with(closing, speeds) if len(closing) < len(rows) else speeds, speeds


def _named(equations: LinearEquations, rows: Array, names: Sequence[str]) -> list[int]:
    """Columns of the coordinates that are named."""
    known = increment_names(equations.mechanism)
    for name in names:
        if name not in known:
            raise equations.unknown("coordinate", name, known)
    chosen = sorted({known.index(name) for name in names})
    freedoms = len(known) - len(rows)
    if len(chosen) != freedoms:
        count = f"{freedoms} {'freedom' if freedoms == 1 else 'freedoms'}"
        raise AnalysisError(
            f"{len(chosen)} independent coordinates are chosen of a mechanism with {count}",
            where=equations.name,
            remedy=f"choose {freedoms}, or none to have them chosen",
        )
    rest = [k for k in range(len(known)) if k not in chosen]
    _, sizes, motions = np.linalg.svd(rows[:, rest])
    if sizes.min(initial=np.inf) <= FOLLOWS * sizes.max(initial=0.0):
        still = np.zeros((1, len(known)))
        still[0, rest] = motions[-1]
        raise AnalysisError(
            f"{', '.join(names)} cannot be independent at this state: "
            f"{', '.join(_moving(equations, still))} can move without",
            where=equations.name,
            remedy="choose one of these, or none to have a good choice made",
        )
    return chosen


def independent_with(rows: Array, wanted: Iterable[int]) -> list[int]:
    """As many columns as there are freedoms, the wanted ones among them as far as the others follow from them."""
    first = list(wanted)
    scaled = rows.copy()
    # What counts little is made dependent last.
    scaled[:, first] *= FOLLOWS
    dependent, _ = dependent_columns(scaled)
    return [k for k in range(rows.shape[1]) if k not in dependent]


def _rate_program(mechanism: Mechanism, loops: LoopAnalysis) -> Program:
    """G v."""
    v = mechanism.entries(mechanism.v)
    zero = Scalar(mechanism.graph, 0)
    rates = [sum((entry * v[k] for k, entry in row.jacobian.items()), zero).ref for row in loops.rows]
    inputs = mechanism.q, mechanism.v
    return Program(
        "rate", mechanism.graph, inputs, (Output("rate", (len(rates),), tuple(rates)),), mechanism.parameters
    )

"""What closed loops add to a formulation's own quantities: equations, wrenches, and the multipliers' system.

    M vdot + h = tau + G^T lambda,   G vdot = gamma,   G M^-1 G^T lambda = gamma - G M^-1 (tau - h)
    constraint forces:   P F + E lambda = I a + b,   E^T a = e
    Kane:                F + F* + G^T lambda = 0,    G^T = V^T E

G, gamma and the residuals are functions of every formulation. E has the wrenches of unit multipliers on the bodies, in
the axes and about the points that the formulation has. All rows are the independent closure rows, in the order of the
multipliers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Entries
from mbsym.formulations.kane.closed_form import kane_bodies
from mbsym.formulations.quantity import Quantity, bodies, quantities_by_name, quantity
from mbsym.formulations.recursive.sparse_factor import product
from mbsym.joints.motion import Motion, six
from mbsym.kinematics.equality import equal_in_motion
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import body_jacobian_columns
from mbsym.kinematics.recursion import accelerations, joint_speeds, joints_at_rest
from mbsym.loops.functions import ConstrainedSystem, constrained_system
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.loops.wrenches import closure_wrenches, dense
from mbsym.spatial.vector import cross, dot, negate, subtract
from mbsym.symbolic.scalar import Scalar

Analyse: TypeAlias = Callable[[Mechanism], LoopAnalysis]

_FEATHERSTONE: Final = "Featherstone 2008, sections 8.2 to 8.5"
_ROWS: Final = "an entry an independent closure row"


def rows_of_loops(analyse: Analyse, mechanism: Mechanism) -> LoopAnalysis:
    """What holds the speeds.

    Raises:
        DerivationError: nothing does.
    """
    loops = analyse(mechanism)
    if not loops.rows:
        raise DerivationError(
            "no closed loop and no constraint holds the speeds, so that all of v are independent",
            where=mechanism.model.name,
            remedy="look at mass_matrix and bias_force, which are those of v",
        )
    return loops


def _sizes(analyse: Analyse, mechanism: Mechanism) -> Mapping[str, int]:
    return {**bodies(mechanism), "rows": len(rows_of_loops(analyse, mechanism).rows)}


def _entries(analyse: Analyse, entries: Callable[[Mechanism, LoopAnalysis], Entries], mechanism: Mechanism) -> Entries:
    return entries(mechanism, rows_of_loops(analyse, mechanism))


def _quantity(
    analyse: Analyse, head: str, title: str, sentence: str, entries: Callable[[Mechanism, LoopAnalysis], Entries]
) -> Quantity:
    derive, sizes = partial(_entries, analyse, entries), partial(_sizes, analyse)
    return quantity(head, title, sentence, _FEATHERSTONE, derive, sizes=sizes)


# ---- the multipliers' system -----------------------------------------------------------------------------------------


def _system(mechanism: Mechanism, loops: LoopAnalysis) -> ConstrainedSystem:
    return constrained_system(mechanism, loops.rows, mechanism.entries(mechanism.tau))


def multiplier_quantities(analyse: Analyse = analyse_loops) -> Mapping[str, Quantity]:
    """The system that the multipliers solve."""
    return quantities_by_name(
        _quantity(
            analyse,
            "Delta = delassus(q)[rows, rows]",
            "Matrix Delta of the multipliers",
            "Delta = G M^-1 G^T of Delta lambda = delta, and M vdot + h = tau + G^T lambda: a row and a column an "
            "independent closure row.",
            lambda mechanism, loops: _system(mechanism, loops).delassus,
        ),
        _quantity(
            analyse,
            "delta = right(q, v, tau, t, u, x)[rows]",
            "Right side delta of the multipliers",
            f"delta = gamma - G M^-1 (tau - h) of Delta lambda = delta: what the open tree lacks, {_ROWS}.",
            lambda mechanism, loops: _system(mechanism, loops).right,
        ),
    )


# ---- wrenches on the bodies ------------------------------------------------------------------------------------------


def _unit_wrenches(mechanism: Mechanism, loops: LoopAnalysis) -> list[Mapping[int, Motion]]:
    """[moment; force] of each row's unit multiplier on bodies by label, at and in their internal frames.

    Raises:
        DerivationError: a row acts along joints too, or alone.
    """
    graph, columns = mechanism.graph, body_jacobian_columns(mechanism)
    one, zero = Scalar(graph, 1), Scalar(graph, 0)
    found: list[Mapping[int, Motion]] = []
    for row in loops.rows:
        wrenches = closure_wrenches(mechanism, (row,), (one,))
        along = [zero] * mechanism.nv
        for label, (moment, force) in wrenches.items():
            for place, (angular, linear) in columns[label].items():
                along[place] = along[place] + dot(angular, moment) + dot(linear, force)
        if not equal_in_motion(mechanism, along, dense(mechanism, row.jacobian)):
            raise DerivationError(
                f"{row.closure} holds coordinates of joints, which no wrench on the bodies does",
                where=mechanism.model.name,
                remedy="take constraint_jacobian, whose G^T lambda are forces along v",
            )
        found.append(wrenches)
    return found


def _columns(mechanism: Mechanism, wrenches: list[Mapping[int, Motion]]) -> Entries:
    """Six rows a body and a column a closure row."""
    nothing = [Scalar(mechanism.graph, 0)] * 6
    six_each = [
        [list(six(own[label])) if label in own else nothing for own in wrenches] for label in range(1, mechanism.nb + 1)
    ]
    return [[column[k] for column in columns] for columns in six_each for k in range(6)]


def _about_centers(mechanism: Mechanism, loops: LoopAnalysis) -> Entries:
    about: list[Mapping[int, Motion]] = []
    places = kane_bodies(mechanism)
    for own in _unit_wrenches(mechanism, loops):
        turned: dict[int, Motion] = {}
        for label, (moment, force) in own.items():
            body = places[label - 1]
            pull = body.frame.rotation.to_parent(force)
            turned[label] = subtract(body.frame.rotation.to_parent(moment), cross(body.arm, pull)), pull
        about.append(turned)
    return _columns(mechanism, about)


def _closing_accelerations(mechanism: Mechanism, loops: LoopAnalysis) -> Entries:
    still = accelerations(mechanism, joint_speeds(mechanism), joints_at_rest(mechanism), negate(mechanism.gravity))
    biases = {body.label: six((own.angular, own.linear)) for body, own in still}
    return [
        sum((product(six(wrench), biases[label]) for label, wrench in own.items()), row.bias)
        for row, own in zip(loops.rows, _unit_wrenches(mechanism, loops), strict=True)
    ]


def constraint_force_loops(analyse: Analyse = analyse_loops) -> Mapping[str, Quantity]:
    """How closed loops enter A F_S = X."""
    return quantities_by_name(
        _quantity(
            analyse,
            "E(q)[6nb, rows]",
            "Wrenches E of the closure rows",
            "E lambda are the wrenches of cut joints and constraints on the bodies, P F + E lambda = I a + b, at and "
            "in the frame that each joint carries on its outboard body: six rows a body by label, a column an "
            "independent closure row. With E^T a = e the unknowns solve [A N; N^T E^T I^-1 E] [F_S; lambda] = "
            "[X; e - E^T I^-1 (P F_known - b)], N = W^T P^T I^-1 E.",
            lambda mechanism, loops: _columns(mechanism, _unit_wrenches(mechanism, loops)),
        ),
        _quantity(
            analyse,
            "e(q, v, t, u, x)[rows]",
            "Accelerations e of the closure rows",
            "E^T a = e keeps the loops closed, e = gamma + E^T a at vdot = 0; a has accelerations of the frames' "
            f"origins less that of gravity, {_ROWS}.",
            _closing_accelerations,
        ),
    )


def kane_loops(analyse: Analyse = analyse_loops) -> Mapping[str, Quantity]:
    """How closed loops enter F + F* = 0."""
    return quantities_by_name(
        _quantity(
            analyse,
            "E = closure_wrenches(q)[6nb, rows]",
            "Wrenches E of the closure rows",
            "E lambda are the wrenches [moment; force] of cut joints and constraints on the bodies about their centres "
            "of mass in base axes, G^T = V^T E and F + F* + G^T lambda = 0: six rows a body by label, a column an "
            "independent closure row.",
            _about_centers,
        )
    )


MULTIPLIERS: Final = multiplier_quantities()
CONSTRAINT_FORCE_LOOPS: Final = constraint_force_loops()
KANE_LOOPS: Final = kane_loops()
"""With loops that are analysed anew each time."""

"""Held speeds that hold places: rows whose rates could be integrated.

Rows G leave motions a and b free; a loop of small steps along a, b, -a, -b comes back to where a row of speeds g holds
its place if d g (a, b) = D_a (g b) - D_b (g a) - g [a, b] is zero, with [a, b] that of the joints' motions (theorem of
Frobenius).

Source: H. Flanders, Differential Forms with Applications to the Physical Sciences, 1963, chapter 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.joints.coordinate_groups import momentum_bracket
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import position_rate
from mbsym.loops.closure_row import ClosureRow
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.differentiate import forward
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

NOTHING: Final = 1e-9
"""Curvature, over the size of a row, that is round-off."""


def integrable(mechanism: Mechanism, rows: Sequence[ClosureRow], at: Sequence[Array], matrices: Array) -> list[str]:
    """Names of constraints that hold speeds and might hold places, as seen at some configurations.

    Args:
        mechanism: whose they are.
        rows: independent closure rows.
        at: configurations.
        matrices: G of these rows there.
    """
    held = [row for row in rows if row.of_speeds]
    evaluator = Evaluator(_curvature(mechanism, held))
    largest = np.zeros(len(held))
    places = [k for k, row in enumerate(rows) if row.of_speeds]
    closing = [k for k, row in enumerate(rows) if not row.of_speeds]
    together = mechanism.nv - len(rows) >= 2
    for q, matrix in zip(at, matrices, strict=True):
        for each, place in enumerate(places):
            # One motion alone always comes back; then a row is asked without the others that hold speeds.
            beside = matrix if together else matrix[[*closing, place]]
            size = float(np.linalg.norm(matrix[place]))
            for a, b in combinations(np.linalg.svd(beside)[2][len(beside) :], 2):
                largest[each] = max(largest[each], abs(evaluator(q, a, b)["curvature"][each]) / size)
    names = dict.fromkeys(row.closure for row in held)
    moved = {row.closure for row, size in zip(held, largest, strict=True) if size > NOTHING}
    return [name for name in names if name not in moved]


def _curvature(mechanism: Mechanism, rows: Sequence[ClosureRow]) -> Program:
    """d g (a, b) of each row, a in the place of v, b in that of vdot."""
    graph = mechanism.graph
    a, b = mechanism.entries(mechanism.v), mechanism.entries(mechanism.vdot)
    rates = [rate.ref for rate in position_rate(mechanism)]
    swapped = dict(zip(mechanism.v.symbols, mechanism.vdot.symbols, strict=True))
    along_a = dict(zip(mechanism.q.symbols, rates, strict=True))
    along_b = dict(zip(mechanism.q.symbols, substitute(graph, rates, swapped), strict=True))
    found = []
    for row in rows:
        columns, refs = list(row.jacobian), [entry.ref for entry in row.jacobian.values()]
        total = Scalar(graph, 0)
        for column, by_a, by_b in zip(
            columns, forward(graph, refs, along_a), forward(graph, refs, along_b), strict=True
        ):
            total = total + Scalar(graph, by_a) * b[column] - Scalar(graph, by_b) * a[column]
        for body in mechanism.bodies_by_coordinates:
            own = range(*body.v_range)
            entries = [row.jacobian.get(column, Scalar(graph, 0)) for column in own]
            # b(v, p) . w = -p . [v, w]; there is none of what adds up.
            for column, entry in zip(own, momentum_bracket(body.joint.kind.group, body.v, entries), strict=False):
                total = total + entry * b[column]
        found.append(total.ref)
    output = Output("curvature", (len(found),), tuple(found))
    return Program("curvature", graph, (mechanism.q, mechanism.v, mechanism.vdot), (output,), mechanism.parameters)

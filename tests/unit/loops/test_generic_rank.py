"""Closure rows are dropped only where they follow generically, whatever the configuration that is started from."""

from __future__ import annotations

import numpy as np
import pytest

from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.generic_rank import independent_anywhere, rank_of
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import symbol
from mechanisms.overconstrained import parallel_cranks, sarrus, windows


def analysed(model: Model) -> LoopAnalysis:
    return analyse_loops(build_mechanism(model, model.label()))


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_a_flat_row_of_windows_keeps_two_rows_a_window(count: int) -> None:
    """2 count + 1 joints move with one freedom, so 2 count rows are independent, whatever G is where all lie flat."""
    found = analysed(windows(count))
    assert (len(found.rows), found.mobility) == (2 * count, 1)
    assert any("they are singular" in sentence for sentence in found.sentences)


def test_what_is_kept_closes_the_loops_in_motion() -> None:
    """Driven away from the flat start, the kept rows hold all others closed."""
    model = windows(3)
    mechanism = build_mechanism(model, model.label())
    found = analyse_loops(mechanism)
    reference = Reference(model)
    joints = [body.joint.name for body in mechanism.bodies]
    # On the branch of parallel cranks A turn by 0.7, the couplers keep their direction.
    angle = {
        **{f"A{k}": 0.7 for k in range(4)},
        **{f"B{k}": -0.7 for k in range(3)},
        **{f"C{k}": 0.7 for k in range(3)},
    }
    q = np.array([angle[name] for name in joints])
    assert np.abs(reference.closure_gap(q)).max() < 1e-14
    assert rank_of(reference.closure_jacobian(q)) == len(found.rows)


@pytest.mark.parametrize("angle", [0.8, 0.0])
@pytest.mark.parametrize(("count", "rank"), [(2, 2), (3, 3), (4, 4)])
def test_a_bar_on_parallel_cranks_moves_from_any_start(count: int, rank: int, angle: float) -> None:
    """Each crank beyond two adds a joint's freedom and two rows, one of which follows while the cranks are parallel."""
    found = analysed(parallel_cranks(count, angle))
    assert (len(found.rows), found.mobility) == (rank, 1)


@pytest.mark.parametrize("fold", [0.6, 1.1])
def test_a_sarrus_linkage_moves(fold: float) -> None:
    found = analysed(sarrus(fold))
    assert (len(found.rows), found.mobility) == (4, 1)


def test_rows_that_follow_everywhere_are_found_exactly() -> None:
    graph = Graph()
    x, y = symbol(graph, "x[0]"), symbol(graph, "x[1]")
    rows = ((x, y), (x * x, x * y), (y, x), (x - x, y - y), (x + y, x + y))
    values = tuple(entry.ref for row in rows for entry in row)
    program = Program("rows", graph, (Input("x", (2,), (x.ref, y.ref)),), (Output("G", (5, 2), values),))
    assert independent_anywhere(program, "G", 2) == [0, 2]

"""What each record of a joint type says fits together: motion, directions and closure equations are of one joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mbsym.joints.closure_rows import ClosureGap
from mbsym.joints.coordinate_groups import momentum_bracket
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import JointType
from mbsym.joints.registry import JOINT_TYPES, joint_conventions, one_freedom
from mbsym.joints.revolute import REVOLUTE
from mbsym.spatial.rotation import about_axis
from mbsym.spatial.vector import Vector3, add, cross, scale, subtract, vector, zero_vector
from mbsym.symbolic.differentiate import forward
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar, constant, symbol

Array = np.ndarray[Any, Any]
TYPES = list(JOINT_TYPES)
BINDING = [name for name, kind in JOINT_TYPES.items() if not kind.is_unbound]
both_ways = pytest.mark.parametrize("flipped", [False, True])
CLOSE = 1e-13


class Case:
    """A joint type with symbols for coordinates and speeds, and with numbers for them."""

    def __init__(self, name: str, *, flipped: bool = False) -> None:
        self.kind: JointType = JOINT_TYPES[name]
        self.flipped = flipped
        self.graph = Graph()
        shape = self.kind.shape
        self.q = tuple(symbol(self.graph, f"q[{k}]") for k in range(shape.nq))
        self.v = tuple(symbol(self.graph, f"v[{k}]") for k in range(shape.nv))
        self.numbers = tuple(constant(self.graph, Fraction(3, 10)) for _ in self.kind.numbers)
        outward = self.kind.motion(self.graph, self.q, self.v, self.numbers)
        self.outward = outward
        self.motion: JointMotion = outward.reversed() if flipped else outward
        rng = np.random.default_rng(5)
        numbers = rng.uniform(-1, 1, shape.nq)
        if self.kind.quaternion is not None:
            quaternion = numbers[self.kind.quaternion : self.kind.quaternion + 4]
            quaternion /= np.linalg.norm(quaternion)
        self.point = {"q": numbers, "v": rng.uniform(-1, 1, shape.nv)}

    def number(self, *scalars: Scalar) -> Array:
        """The values at the point."""
        inputs = tuple(
            Input(name, (len(entries),), tuple(x.ref for x in entries), "", "")
            for name, entries in (("q", self.q), ("v", self.v))
        )
        output = Output("found", (len(scalars),), tuple(x.ref for x in scalars))
        return interpret(Program("values", self.graph, inputs, (output,), ()), self.point)["found"]

    def rate(self, scalars: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Derivatives along the motion."""
        seeds = {x.ref: rate.ref for x, rate in zip(self.q, self.motion.position_rate, strict=True)}
        return tuple(Scalar(self.graph, ref) for ref in forward(self.graph, [x.ref for x in scalars], seeds))


@pytest.mark.parametrize("name", TYPES)
def test_shapes_have_a_unit_and_a_suffix_for_each_entry(name: str) -> None:
    kind = JOINT_TYPES[name]
    shape = kind.shape
    assert len(shape.coordinate_units) == len(shape.neutral) == shape.nq
    assert len(shape.speed_units) == len(shape.force_units) == shape.nv
    assert len(set(shape.coordinates)) == shape.nq
    assert kind.sentence and not kind.sentence.endswith(".")
    assert 0 <= kind.tie_break <= 9
    assert "axis" in kind.entries or not kind.entries
    assert (shape.nq == shape.nv) == kind.speeds_are_rates


@pytest.mark.parametrize("name", TYPES)
def test_frames_coincide_at_the_neutral_coordinates(name: str) -> None:
    case = Case(name)
    case.point["q"] = np.array(case.kind.shape.neutral, dtype=float)
    placement = case.motion.placement
    matrix = case.number(*(x for row in placement.rotation.matrix() for x in row)).reshape(3, 3)
    assert matrix == pytest.approx(np.eye(3))
    assert case.number(*placement.translation) == pytest.approx(np.zeros(3))


@both_ways
@pytest.mark.parametrize("name", TYPES)
def test_the_motion_subspace_is_the_derivative_of_the_placement(name: str, flipped: bool) -> None:
    case = Case(name, flipped=flipped)
    placement = case.motion.placement
    entries = [x for row in placement.rotation.matrix() for x in row]
    R, Rdot = (case.number(*found).reshape(3, 3) for found in (entries, case.rate(entries)))
    spin = R.T @ Rdot
    rdot = case.number(*case.rate(placement.translation))
    angular, linear = case.motion.twist(case.v)
    assert case.number(*angular) == pytest.approx(np.array([spin[2, 1], spin[0, 2], spin[1, 0]]), abs=CLOSE)
    assert case.number(*linear) == pytest.approx(R.T @ rdot, abs=CLOSE)


@both_ways
@pytest.mark.parametrize("name", TYPES)
def test_the_bias_is_the_rate_of_the_motion_subspace(name: str, flipped: bool) -> None:
    case = Case(name, flipped=flipped)
    total = np.zeros(6)
    for (angular, linear), speed in zip(case.motion.columns, case.v, strict=True):
        rates = case.rate((*angular, *linear))
        total += case.number(*rates) * case.number(speed)
    assert case.number(*case.motion.bias[0], *case.motion.bias[1]) == pytest.approx(total, abs=CLOSE)


@pytest.mark.parametrize("name", TYPES)
def test_speeds_are_rates_where_coordinates_add_up(name: str) -> None:
    case = Case(name)
    assert (case.motion.position_rate == case.v) == case.kind.speeds_are_rates
    terms = momentum_bracket(case.kind.group, case.v, case.v)
    assert len(terms) == (0 if case.kind.speeds_are_rates else case.kind.shape.nv)


@both_ways
@pytest.mark.parametrize("name", TYPES)
def test_free_and_held_directions_are_dual(name: str, flipped: bool) -> None:
    case = Case(name, flipped=flipped)
    spaces = case.kind.subspaces(case.motion, case.q, flipped)

    def matrix(columns: Sequence[Sequence[Scalar]]) -> Array:
        return np.array([case.number(*column) for column in columns]).reshape(len(columns), 6).T

    H, force, W = (matrix(columns) for columns in (spaces.freedoms, spaces.forces, spaces.constraints))
    assert pytest.approx(matrix([(*w, *u) for w, u in case.motion.columns]), abs=CLOSE) == H
    assert H.T @ force == pytest.approx(np.eye(case.kind.shape.nv), abs=CLOSE)
    assert pytest.approx(np.zeros((H.shape[1], W.shape[1])), abs=CLOSE) == H.T @ W
    assert W.shape[1] == 6 - case.kind.shape.nv
    assert np.linalg.matrix_rank(np.hstack([H, W])) == 6


@pytest.mark.parametrize("name", TYPES)
def test_turning_and_sliding_are_as_the_motion_says(name: str) -> None:
    case = Case(name)
    turns = np.array([case.number(*angular) for angular, _ in case.motion.columns]).reshape(-1, 3)
    found = "in space"
    if not np.any(turns[:, :2]):
        found = "about its axis" if np.any(turns) else "never"
    assert case.kind.turning == found
    parts = bool(np.any(case.number(*case.motion.placement.translation)))
    assert case.kind.slides == (parts and not case.kind.is_unbound)


def closed_gap(case: Case) -> ClosureGap:
    """P as seen from S where the joint closes its loop and moves as it may."""
    inverse = case.outward.placement.inverse()
    angular, linear = case.outward.twist(case.v)
    zero = zero_vector(case.graph)
    # Twists are taken at the origin of S, which is that of P where the joint does not slide.
    twist = subtract(zero, angular), subtract(zero, linear)
    return ClosureGap(inverse.rotation.matrix(), inverse.translation, twist, case.numbers)


@pytest.mark.parametrize("name", TYPES)
def test_closure_rows_hold_what_the_joint_holds(name: str) -> None:
    case = Case(name)
    gap = closed_gap(case)
    rows = case.kind.closure_rows(gap)
    assert len(rows) == 6 - case.kind.shape.nv
    spaces = case.kind.subspaces(case.outward, case.q, False)
    wrenches = [case.number(*row.wrench[0], *row.wrench[1]) for row in rows]
    for row, wrench in zip(rows, wrenches, strict=True):
        assert case.number(row.residual) == pytest.approx(np.zeros(1), abs=CLOSE), row.quantity
        assert case.number(*row.rate[0], *row.rate[1]) == pytest.approx(wrench, abs=CLOSE), row.quantity
        for column in spaces.freedoms:
            assert wrench @ case.number(*column) == pytest.approx(0, abs=CLOSE), row.quantity
    held = np.array([case.number(*column) for column in spaces.constraints]).reshape(-1, 6)
    both = np.vstack([held, *wrenches])
    assert (np.linalg.matrix_rank(both) if len(both) else 0) == len(rows)


@pytest.mark.parametrize("name", BINDING)
def test_rows_of_cut_joints_have_exact_rates_anywhere(name: str) -> None:
    """P moves on six coordinates of its own; residual and wrench change as the rows say."""
    kind = JOINT_TYPES[name]
    graph = Graph()
    x = tuple(symbol(graph, f"x[{k}]") for k in range(6))
    y = tuple(symbol(graph, f"y[{k}]") for k in range(6))
    numbers = tuple(constant(graph, Fraction(3, 10)) for _ in kind.numbers)
    turns = [about_axis(k, x[k]) for k in range(3)]
    rotation = turns[0].then(turns[1]).then(turns[2])
    first, second, third = (vector(graph, [int(k == i) for i in range(3)]) for k in range(3))
    axes = first, turns[0].to_parent(second), turns[0].then(turns[1]).to_parent(third)
    omega = add(add(scale(axes[0], y[0]), scale(axes[1], y[1])), scale(axes[2], y[2]))
    place, velocity = (x[3], x[4], x[5]), (y[3], y[4], y[5])
    # Of the point of P's body at the origin of S, where rows of sliding joints are taken.
    at_s = subtract(velocity, cross(omega, place))
    twist = (omega, at_s if kind.slides else velocity)
    rows = kind.closure_rows(ClosureGap(rotation.matrix(), place, twist, numbers))
    rng = np.random.default_rng(2)
    point = {"x": rng.uniform(-0.5, 0.5, 6), "y": rng.uniform(-1, 1, 6)}

    def number(refs: Sequence[int], at: Mapping[str, Array] = point) -> Array:
        inputs = tuple(
            Input(letter, (6,), tuple(s.ref for s in entries), "", "") for letter, entries in (("x", x), ("y", y))
        )
        output = Output("found", (len(refs),), tuple(refs))
        return interpret(Program("values", graph, inputs, (output,), ()), at)["found"]

    def along(refs: Sequence[int]) -> Array:
        return number(forward(graph, refs, {s.ref: rate.ref for s, rate in zip(x, y, strict=True)}))

    def refs(pair: tuple[Vector3, Vector3]) -> list[int]:
        return [s.ref for part in pair for s in part]

    speeds = number(refs(twist))
    for row in rows:
        assert along([row.residual.ref]) == pytest.approx([number(refs(row.rate)) @ speeds], abs=1e-12), row.quantity
        assert along(refs(row.wrench)) == pytest.approx(number(refs(row.wrench_rate)), abs=1e-12), row.quantity


def test_conventions_are_filled_into_lines() -> None:
    lines = joint_conventions(JOINT_TYPES.values())
    assert [line.split()[0] for line in lines] == ["Free", "Spherical", "Cylindrical"]
    assert "Planar: q" in lines[2] and "Universal: q" in lines[2]


def test_types_of_one_freedom() -> None:
    assert one_freedom() == ("revolute", "prismatic", "helical")
    assert JOINT_TYPES.named("revolute") is REVOLUTE

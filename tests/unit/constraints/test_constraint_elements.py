"""Every closure constraint keeps its word: rates of residuals, entries, a law in the reference."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from mbsym.constraints import (
    CONSTRAINTS,
    ConstraintElement,
    DistanceConstraint,
    ExpressionConstraint,
    GearConstraint,
    LinearCoupling,
    PointOnLineConstraint,
    RollingConstraint,
    VelocityConstraint,
)
from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.kinematics.observables import position_rate
from mbsym.loops.constraints import closures
from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.model.validate import validate
from mbsym.reference import Reference
from mbsym.symbolic.differentiate import gradient
from mbsym.symbolic.equality import is_zero
from mbsym.symbolic.scalar import Scalar
from mbsym.values.entries import entries_of
from mbsym.values.lines import SEGMENTS, SPOKES
from mbsym.values.numbers import evaluate, evaluate_reference
from mbsym.values.parameter import ControlInput, Parameter, Value

EXAMPLES: dict[str, ConstraintElement] = {
    "distance": DistanceConstraint("rod", "sled", "tip", "1.3", (0, 1, 0), (0.2, 0.1, 0)),
    "point_on_line": PointOnLineConstraint("slot", "ground", "tip", (0, 0, 0.1), (1, 2, 2), (0.2, 0.1, 0)),
    "gear": GearConstraint("mesh", "pin", "rail", -3, 0.25),
    "linear_coupling": LinearCoupling("tendon", ("pin", "rail"), (2, "-0.5"), 0.25),
    "expression": ExpressionConstraint("height", "position(tip).z + 0.3*axis(tip, x, in=sled).y - 0.1*sin(q_pin)"),
    "rolling": RollingConstraint("wheel", "tip", "ground", 0.4, 0.1, (1, 2, 2), (0.2, 0.1, 0), (1, 0, 2), (0, 0, -0.1)),
    "velocity": VelocityConstraint("blade", "velocity(tip, in=tip).y - 0.4*cos(q_pin)*v_rail"),
}


def arm(*constraints: ConstraintElement) -> Model:
    """A slide, a hinge and a hinge across it, each with a body beyond it."""
    bodies = tuple(Body(name, 1, (0.1, 0.2, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for name in ("sled", "bar", "tip"))
    joints = (
        Joint("rail", "prismatic", "ground", "sled", axis=(1, 0, 0)),
        Joint("pin", "revolute", "bar", "sled", axis=(0, 2, 1)),
        Joint("knee", "universal", "bar", "tip", axis=(0, 1, 0)),
    )
    return Model("arm", bodies, joints, constraints=constraints)


def test_there_is_an_example_of_each() -> None:
    assert set(EXAMPLES) == set(CONSTRAINTS)
    assert all(type(element) is CONSTRAINTS[kind].element for kind, element in EXAMPLES.items())


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_the_rate_of_the_residual_is_G_v(kind: str) -> None:
    """Everywhere, as an identity; what holds speeds has no residual."""
    mechanism = build_mechanism(model := arm(EXAMPLES[kind]), model.label())
    found = closures(mechanism)
    assert {closure.kind for closure in found} == {kind.replace("_", " ")}
    for row in (row for closure in found for row in closure.rows):
        rate = Scalar(mechanism.graph, 0)
        slopes = gradient(mechanism.graph, row.residual.ref, mechanism.q.symbols)
        for slope, speed in zip(slopes, position_rate(mechanism), strict=True):
            rate = rate + Scalar(mechanism.graph, slope) * speed
        speeds = mechanism.entries(mechanism.v)
        for column, entry in row.residual_jacobian.items():
            rate = rate - entry * speeds[column]
        assert is_zero(mechanism.graph, rate.ref)
        assert row.of_speeds == (not row.residual) == (row.jacobian != row.residual_jacobian) == row.unit.endswith("/s")


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_the_reference_sees_the_same_gap(kind: str) -> None:
    model = arm(EXAMPLES[kind])
    mechanism = build_mechanism(model, model.label())
    found = closures(mechanism)
    q = np.array([0.3, -0.4, 0.7, 0.2])
    gap = Reference(model).closure_gap(q)
    values = dict(zip(mechanism.q.symbols, q, strict=True))
    names = {mechanism.graph.arguments[ref][0]: value for ref, value in values.items()}
    rows = [row for closure in found for row in closure.rows]
    own = [evaluate_reference(mechanism.graph, row.residual.ref, names) for row in rows]
    # Axes across a line are free to turn about it.
    assert np.linalg.norm(own) == pytest.approx(np.linalg.norm(gap), abs=1e-12)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_entries_are_complete_and_checked(kind: str) -> None:
    element = EXAMPLES[kind]
    assert ["name", *(entry.key for entry in entries_of(type(element)))] == [item.name for item in fields(element)]  # type: ignore[arg-type]
    assert validate(arm(element)) == ()
    for entry in entries_of(type(element)):
        wrong: Any = {"vector": (1, 2), "direction": (0, 0, 0), "values": (1, 0)}.get(entry.kind, "nothing")
        found = validate(arm(replace(element, **{entry.key: wrong})))  # type: ignore[type-var]
        assert [item.path[:3] for item in found] == [("constraints", 0, entry.key)]


@pytest.mark.parametrize(
    ("joints", "factors", "what"),
    [
        ((), (), "constraint 'tendon' names no joint"),
        (("pin", "pin"), (1, 2), "constraint 'tendon' couples joint 'pin' with itself"),
        (("pin", "pn"), (1, 2), "constraint 'tendon' refers to joint 'pn', which does not exist"),
        (("pin", "knee"), (1, 2), "constraint 'tendon' refers to universal joint 'knee', which has 2 degrees"),
        (("pin", "rail"), (1, 2, 3), "(1, 2, 3) are not 2 numbers"),
        (("pin", "rail"), (1, "0"), "the factor of 'rail' in constraint 'tendon' is zero"),
        (("pin", "rail"), (1, "k"), "unknown name k"),
    ],
)
def test_mistakes_in_couplings(joints: tuple[str, ...], factors: tuple[Value, ...], what: str) -> None:
    (fault,) = validate(arm(LinearCoupling("tendon", joints, factors)))
    assert what in fault.what


@pytest.mark.parametrize(
    ("kind", "expression", "what", "remedy"),
    [
        ("expression", "q_rail - push*t", "constraint 'held' depends on 'push'", "hold coordinates and frames"),
        ("expression", "q_rail - push", "constraint 'held' depends on 'push'", "hold coordinates and frames"),
        ("expression", "sin(t) - L", "constraint 'held' names nothing that moves", "name coordinates or frames"),
        ("expression", "v_rail*t", "constraint 'held' holds the speed v_rail", "type velocity holds speeds"),
        ("expression", "v_rail*q_pin", "constraint 'held' holds the speed v_rail", "type velocity holds speeds"),
        ("expression", "velocity(tip).x", "constraint 'held' holds the speed velocity(tip).x", "type velocity"),
        ("expression", "2*L - 1", "constraint 'held' names nothing that moves", "name coordinates or frames"),
        ("expression", "position(tp).z", "there is no body or frame 'tp'", "did you mean 'tip'?"),
        ("expression", "q_ral", "unknown name q_ral", "did you mean q_rail?"),
        ("velocity", "q_rail", "constraint 'held' names no speed", "type expression holds places"),
        ("velocity", "L", "constraint 'held' names nothing that moves", "name coordinates or frames"),
        ("velocity", "v_rail**2", "constraint 'held' is not linear in speeds", "a sum of speeds times factors"),
        ("velocity", "abs(v_rail)", "constraint 'held' is not linear in speeds", "a sum of speeds times factors"),
        ("velocity", "v_rail*v_pin", "constraint 'held' is not linear in speeds", "a sum of speeds times factors"),
        ("velocity", "v_rail - push", "constraint 'held' depends on 'push'", "hold coordinates and frames"),
        ("velocity", "q_rail - 0.5*t", "constraint 'held' names no speed", "type expression holds places"),
        ("velocity", "v_rail**2 - 0.5*t", "constraint 'held' is not linear in speeds", "a sum of speeds times factors"),
    ],
)
def test_mistakes_in_expressions(kind: str, expression: str, what: str, remedy: str) -> None:
    model = arm(CONSTRAINTS[kind].element("held", expression))  # type: ignore[call-arg]
    model = replace(model, parameters=(Parameter("L", 1),), inputs=(ControlInput("push"),))
    (fault,) = validate(model)
    assert fault.path == ("constraints", 0, "expression")
    assert what in fault.what
    assert remedy in fault.remedy


@pytest.mark.parametrize(
    "element",
    [
        ExpressionConstraint("held", "distance(bar, sled)"),
        VelocityConstraint("held", "angular_velocity(sled).x"),
        ExpressionConstraint("held", "position(ground).z + 0*q_pin"),
        ExpressionConstraint("held", "position(ground).z + 0*q_pin - t"),
        VelocityConstraint("held", "angular_velocity(sled).x - 0.3"),
    ],
)
def test_what_moves_in_no_motion_is_refused(element: ConstraintElement) -> None:
    model = arm(element)
    with pytest.raises(DerivationError, match=r"stays as it is in every motion|always coincide"):
        closures(build_mechanism(model, model.label()))


def test_coordinates_of_cut_joints_are_refused() -> None:
    model = arm(VelocityConstraint("held", "v_knee_1"))
    loop = Joint("lock", "revolute", "ground", "tip", coordinates=("turn",), speeds=("spin",), cut="cut")
    model = replace(model, joints=(*model.joints, loop), constraints=(VelocityConstraint("held", "v_rail + spin"),))
    with pytest.raises(DerivationError, match="joint lock is cut, so that there is no spin"):
        closures(build_mechanism(model, model.label()))


def test_gears_join_joints_of_one_freedom_in_the_tree() -> None:
    (fault,) = validate(arm(GearConstraint("mesh", "knee", "rail")))
    assert fault.what == "constraint 'mesh' refers to universal joint 'knee', which has 2 degrees of freedom"
    assert "revolute, prismatic, helical" in fault.remedy
    model = arm(GearConstraint("mesh", "knee", "rail"))
    with pytest.raises(DerivationError, match="joint knee of a gear has 2 coordinates"):
        closures(build_mechanism(model, model.label()))


@pytest.mark.parametrize("axis", [(0, 1, 0), (0, 0, -2), (1, 2, -3), (3, 0, 0), (1, 1, 1)])
def test_a_wheel_is_drawn_as_a_circle_about_its_axis(axis: tuple[int, int, int]) -> None:
    element = RollingConstraint("wheel", "tip", "ground", "R", 0.1, axis, (0.2, "h", 0))
    lines = element.drawn()
    center = np.array([0.2, 0.5, 0.0])
    for line in lines:
        assert (line.kind, line.first_body, line.second_body) == ("rim", "tip", "tip")
        first, second = (
            np.array([evaluate(x, {"R": 0.4, "h": 0.5}) for x in point]) - center
            for point in (line.first_point, line.second_point)
        )
        assert np.linalg.norm(first) == pytest.approx(0.4)
        assert min(np.linalg.norm(second), abs(np.linalg.norm(second) - 0.4)) < 1e-12
        assert abs(first @ axis) < 1e-12
    assert len(lines) == SEGMENTS + SEGMENTS // SPOKES
    assert RollingConstraint("wheel", "tip", "ground", 0.4, axis=("a", 0, 1)).drawn() == ()

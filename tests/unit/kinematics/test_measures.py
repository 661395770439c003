"""How large a mechanism is: by its bodies, else by its springs, where it starts and where it stands."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import sqrt

import pytest

from mbsym import examples
from mbsym.constraints import DistanceConstraint
from mbsym.forces import JointDamper, PointSpringDamper
from mbsym.kinematics.measures import measures_of
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.own_units import Units, in_units, length_unit, own_length
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate
from mechanisms.mechanism import mechanism_of

FAR = Placement((100, 0, 0))
POINT = Model("point", (Body("a", 2),), (Joint("j", "prismatic", "ground", "a"),))


def test_bodies_count_and_the_ground_does_not() -> None:
    """Two bars on ground, far from each other: their joints are 0.3 and 0.4 apart."""
    bodies = (Body("a"), Body("b"), Body("c"))
    joints = (
        Joint("j", "revolute", "ground", "a"),
        Joint("k", "revolute", "a", "b", predecessor_placement=Placement((0, 0.3, 0))),
        Joint("l", "revolute", "ground", "c", predecessor_placement=FAR),
    )
    assert own_length(Model("m", bodies, joints)) == 0.3
    rod = DistanceConstraint("rod", "ground", "c", 0.7, second_point=(0, 0, 0.4))
    assert own_length(Model("m", bodies, joints, constraints=(rod,))) == 0.7


@pytest.mark.parametrize("where", [0.0, 5.0])
def test_inertia_counts_wherever_the_frame_of_a_body_is(where: float) -> None:
    """Trace 6 about the centre of mass, which is 0.5 from the joint, of 2 kg; told about three points."""
    at = Placement((where, 0, 0))
    joint = Joint("j", "revolute", "ground", "a", successor_placement=at)
    center = where + 0.5
    about_frame = (2.0, 2.0 + 2 * center**2, 2.0 + 2 * center**2)
    for body in (
        Body("a", 2, (center, 0, 0), (2, 2, 2, 0, 0, 0)),
        Body("a", 2, (center, 0, 0), (*about_frame, 0, 0, 0), "frame"),
        Body("a", 2, (0, 0, 0), (*about_frame, 0, 0, 0), "frame", (2 * center, 0, 0)),
    ):
        assert own_length(Model("m", (body,), (joint,))) == pytest.approx(sqrt((6 + 2 * 2 * 0.25) / 2), rel=1e-12)


def test_points_have_the_lengths_of_what_acts_on_them() -> None:
    assert own_length(POINT) == 1.0
    started = replace(POINT, joints=(replace(POINT.joints[0], initial=(-3,)),))
    assert own_length(started) == 3.0
    spring = PointSpringDamper("s", "ground", "a", 5, 0, 0.2, (0, 0, 4))
    assert own_length(replace(POINT, forces=(spring,))) == 4.0
    assert own_length(replace(started, forces=(replace(spring, first_point=(0, 0, 0)),))) == 3.0


@pytest.mark.parametrize("factor", ["1e-6", "1000"])
def test_it_grows_with_the_mechanism(factor: str) -> None:
    model = examples.load("slider_crank")
    other = in_units(model, Units(1 / Fraction(factor)))
    assert own_length(other) == pytest.approx(own_length(model) * float(factor), rel=1e-12)
    assert length_unit(other) == pytest.approx(length_unit(model) * float(factor), rel=1e-12)
    measures = measures_of(mechanism_of(other))
    units = [u for body in mechanism_of(model).bodies_by_coordinates for u in body.joint.shape.coordinate_units]
    assert measures.coordinates.tolist() == [measures.length if unit == "m" else 1.0 for unit in units]
    assert set(measures.increments.tolist()) == {1.0, measures.length}


@pytest.mark.parametrize(("kind", "sliding"), [("cylindrical", (0,)), ("planar", (0, 1)), ("free", (3, 4, 5))])
def test_what_acts_along_one_of_several_speeds_has_its_unit(kind: str, sliding: tuple[int, ...]) -> None:
    """In millimetres and grams a damper of 1 N s/m is one of 1e3, and one of 1 N m s is one of 1e9."""
    joint = Joint("j", kind, "ground", "a")
    dampers = tuple(JointDamper(f"d{k}", "j", 1, k) for k in range(joint.shape.nv))
    small = in_units(Model("m", (Body("a", 2),), (joint,), dampers), Units(Fraction("1e-3"), Fraction("1e-3")))
    found = [float(evaluate(force.damping, {})) for force in small.forces if isinstance(force, JointDamper)]
    assert found == [1e3 if k in sliding else 1e9 for k in range(joint.shape.nv)]

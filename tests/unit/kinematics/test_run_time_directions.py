"""Directions are numbers: a run-time parameter in one is refused, and not frozen at its default."""

from __future__ import annotations

import pytest

from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.values.parameter import Parameter


def arm(parameter: Parameter, joint: Joint) -> Model:
    return Model("arm", (Body("rod", 1, (0.3, 0, 0), (1, 1, 1, 0, 0, 0)),), (joint,), parameters=(parameter,))


def built(parameter: Parameter, joint: Joint) -> None:
    model = arm(parameter, joint)
    build_mechanism(model, model.label())


TILTED = Joint("pin", "revolute", "ground", "rod", axis=("sin(a)", 0, "cos(a)"))


def test_an_axis_by_a_run_time_parameter_is_refused() -> None:
    with pytest.raises(DerivationError, match=r"joint pin: a direction with sin\(a\) depends on a run-time parameter"):
        built(Parameter("a", 0.3, symbolic=True), TILTED)
    second = Joint("pin", "universal", "ground", "rod", axis=(1, 0, 0), second_axis=(0, "a", 0))
    with pytest.raises(DerivationError, match="joint pin: a direction with a depends"):
        built(Parameter("a", 1, symbolic=True), second)


def test_a_folded_one_is_a_number_and_a_turn_may_depend_on_anything() -> None:
    built(Parameter("a", "pi/10"), TILTED)
    turned = Placement(rotation=(("y", "a"),))
    built(Parameter("a", 0.3, symbolic=True), Joint("pin", "revolute", "ground", "rod", predecessor_placement=turned))


def test_a_quaternion_takes_folded_parameters_alone() -> None:
    placed = Placement(quaternion=("cos(a/2)", 0, "sin(a/2)", 0))
    joint = Joint("pin", "revolute", "ground", "rod", predecessor_placement=placed)
    built(Parameter("a", "pi/5"), joint)
    with pytest.raises(Exception, match="a quaternion depends on a run-time parameter"):
        built(Parameter("a", 0.3, symbolic=True), joint)

"""Records of joint types are refused, when they are listed, where algorithms could not rely on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mbsym.errors import ModelError
from mbsym.joints.cylindrical import CYLINDRICAL
from mbsym.joints.fixed import FIXED
from mbsym.joints.helical import HELICAL, PITCH
from mbsym.joints.motion import JointMotion
from mbsym.joints.planar import PLANAR
from mbsym.joints.record import ANGLE, JointType, shape_of_rates
from mbsym.joints.record_checks import check_joint_type
from mbsym.joints.registry import JOINT_TYPES
from mbsym.joints.revolute import REVOLUTE
from mbsym.joints.spherical import SPHERICAL
from mbsym.joints.subspaces import JointSubspaces


@pytest.mark.parametrize("name", JOINT_TYPES)
def test_those_that_are_listed_pass(name: str) -> None:
    check_joint_type(JOINT_TYPES[name])


def changed(kind: JointType, change: Callable[[JointMotion], JointMotion]) -> JointType:
    return replace(kind, name="odd", motion=lambda *given: change(kind.motion(*given)))


def directed(kind: JointType, change: Callable[[JointSubspaces], JointSubspaces]) -> JointType:
    return replace(kind, name="odd", subspaces=lambda *given: change(kind.subspaces(*given)))


def added(first: Any, second: Any) -> tuple[Any, ...]:
    return tuple(x + y for x, y in zip(first, second, strict=True))


def skewed(spaces: JointSubspaces) -> JointSubspaces:
    """The same held directions by columns of which two are not perpendicular."""
    first, second, *rest = spaces.constraints
    return replace(spaces, constraints=(first, added(first, second), *rest))


def doubled(spaces: JointSubspaces) -> JointSubspaces:
    first, _, *rest = spaces.constraints
    return replace(spaces, constraints=(first, first, *rest))


def empty(spaces: JointSubspaces) -> JointSubspaces:
    first, *rest = spaces.constraints
    return replace(spaces, constraints=(tuple(x - x for x in first), *rest))


ODD = [
    (directed(REVOLUTE, skewed), "columns of W are not perpendicular"),
    (directed(HELICAL, doubled), "columns of W are not perpendicular"),
    (directed(PLANAR, empty), "a column of W is zero"),
    (directed(REVOLUTE, lambda s: replace(s, constraints=(*s.constraints[:-1], s.freedoms[0]))), r"H\^T W is not zero"),
    (directed(REVOLUTE, lambda s: replace(s, constraints=s.constraints[:-1])), "not six in all"),
    (directed(HELICAL, lambda s: replace(s, forces=s.freedoms)), r"H\^T H-bar is not the unit matrix"),
    (
        directed(CYLINDRICAL, lambda s: replace(s, freedoms=s.freedoms[::-1])),
        "free directions are not the columns of H",
    ),
    (changed(PLANAR, lambda m: replace(m, bias=(m.bias[0], added(m.bias[1], m.bias[1])))), "bias is not the rate of H"),
    (changed(SPHERICAL, lambda m: replace(m, columns=m.columns[::-1])), "H v is not the rate of its placement"),
    (changed(CYLINDRICAL, lambda m: replace(m, columns=m.columns[:1])), "not a column for each speed"),
    (replace(REVOLUTE, name="odd", shape=replace(REVOLUTE.shape, neutral=(1,))), "do not coincide at the neutral"),
    (replace(REVOLUTE, name="odd", shape=replace(REVOLUTE.shape, force_units=("N",))), "is no power in watts"),
    (replace(FIXED, name="odd", shape=replace(FIXED.shape, neutral=(0,))), "are not equally many"),
    (replace(CYLINDRICAL, name="odd", shape=shape_of_rates(("", ANGLE), ("", ANGLE))), "have one name"),
    (replace(HELICAL, name="odd", numbers=(PITCH, PITCH)), "have one name"),
]


@pytest.mark.parametrize(("kind", "fault"), ODD, ids=[f"{k}: {fault}" for k, (_, fault) in enumerate(ODD)])
def test_what_does_not_fit_is_refused_when_it_is_listed(kind: JointType, fault: str) -> None:
    with pytest.raises(ModelError, match=fault), JOINT_TYPES.including(kind):
        pass
    assert "odd" not in JOINT_TYPES

"""Held speeds that hold places are told; those that hold none are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbsym import examples
from mbsym.constraints import VelocityConstraint
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mechanisms.mechanism import mechanism_of

ARM = Model(
    "arm",
    tuple(Body(name, 1, (0.3, 0, 0), (1, 1, 1, 0, 0, 0)) for name in "abc"),
    (
        Joint("p", "revolute", "ground", "a"),
        Joint("s", "spherical", "a", "b", predecessor_placement=Placement((0.8, 0, 0))),
        Joint("r", "revolute", "b", "c", predecessor_placement=Placement((0.5, 0.1, 0))),
    ),
)


def sentences(*expressions: str) -> tuple[str, ...]:
    held = tuple(VelocityConstraint(f"held {k}", text) for k, text in enumerate(expressions))
    return analyse_loops(mechanism_of(replace(ARM, constraints=held))).sentences


@pytest.mark.parametrize(
    "expression",
    [
        "velocity(c).z",
        "2*distance_rate(c, ground)",
        "v_p - 0.4*v_r",
        "v_p*sin(q_r) - v_r",  # dr / sin r
        "(1 + position(c).x**2)*velocity(c).z",
    ],
)
def test_what_can_be_integrated_is_told(expression: str) -> None:
    (told,) = sentences(expression)
    assert told.startswith("velocity constraint held 0 can be integrated: it holds places, which")


@pytest.mark.parametrize(
    "expression", ["angular_velocity(b, in=b).x", "velocity(c, in=c).x", "v_s_x", "velocity(c).z + q_p*velocity(c).x"]
)
def test_what_cannot_is_not(expression: str) -> None:
    assert sentences(expression) == ()


def test_one_beside_another() -> None:
    """A spherical joint that turns about two of its own axes turns about all; one axis alone is a place."""
    assert sentences("v_s_x", "velocity(c, in=c).y") == ()
    assert [told[:26] for told in sentences("v_s_x", "v_s_y")] == [
        "velocity constraint held 0",
        "velocity constraint held 1",
    ]


@pytest.mark.parametrize("name", ["rolling_disc", "bicycle"])
def test_wheels_go_anywhere(name: str) -> None:
    assert analyse_loops(mechanism_of(examples.load(name))).sentences == ()


def test_where_one_freedom_is_left() -> None:
    """A gear of speeds holds places, whatever else there is; of two blades on a sleigh neither does by itself."""
    slides = (Joint("x", "prismatic", "ground", "a", (1, 0, 0)), Joint("y", "prismatic", "a", "b", (0, 1, 0)))
    turn = Joint("turn", "revolute", "b", "c", (0, 0, 1))
    plane = Model("plane", tuple(Body(name, 1, (0, 0, 0), (1, 1, 1, 0, 0, 0)) for name in "abc"), (*slides, turn))
    pair = replace(plane, bodies=plane.bodies[:2], joints=slides, constraints=(VelocityConstraint("g", "v_x - 2*v_y"),))
    assert [told[:21] for told in analyse_loops(mechanism_of(pair)).sentences] == ["velocity constraint g"]
    blades = (
        VelocityConstraint("front", "velocity(c, in=c).y + 0.5*v_turn"),
        VelocityConstraint("rear", "velocity(c, in=c).y - 0.5*v_turn + 0.1*velocity(c, in=c).x"),
    )
    assert analyse_loops(mechanism_of(replace(plane, constraints=blades))).sentences == ()

"""Closed forms of planar linkages: recognised by their joints, both branches closed, any order and direction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbsym import examples
from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.assembly import assemble
from mbsym.loops.closed_form import PlanarLoop, closed_form_position, planar_loops
from mbsym.model.body import Placement
from mbsym.model.joint import Joint
from mbsym.symbolic.interpret import interpret
from mechanisms.looped_systems import looped_system
from mechanisms.mechanism import mechanism_of

Array = np.ndarray[Any, Any]
LINKAGES = {
    "four_bar": "four-bar",
    "slider_crank": "slider-crank",
    "five_bar": "five-bar",
    "rhombus_regular": "five-bar",
}


def both_branches(mechanism: Mechanism, leading: tuple[str, ...] = ()) -> None:
    """Closes both ways from random leading coordinates near a closed configuration."""
    (loop,) = planar_loops(mechanism, leading)
    program = closed_form_position(mechanism, loop)
    system = looped_system(mechanism)
    start = assemble(mechanism).q
    generator = np.random.default_rng(0)
    for _ in range(5):
        q = assemble(mechanism, start + generator.uniform(-0.1, 0.1, mechanism.nq)).q
        solutions = [interpret(program, {"q": q, "branch": np.float64(sign)})["q_closed"] for sign in (1, -1)]
        for found in solutions:
            assert np.max(np.abs(system.functions["closure_gap"](found))) < 1e-13
            for body in mechanism.bodies_by_coordinates:
                if body.joint.name not in loop.dependent:
                    assert found[body.q_range[0]] == q[body.q_range[0]]
        assert np.max(np.abs(solutions[0] - solutions[1])) > 1e-2
        turned = [np.max(np.abs(np.sin((found - q) / 2))) for found in solutions]
        assert min(turned) < 1e-9 or any(np.allclose(found, q, atol=1e-9) for found in solutions)


@pytest.mark.parametrize("name", sorted(LINKAGES))
def test_linkages_are_recognised_and_closed_both_ways(name: str) -> None:
    mechanism = mechanism_of(examples.load(name))
    (loop,) = planar_loops(mechanism)
    assert loop.kind == LINKAGES[name]
    both_branches(mechanism)


@pytest.mark.parametrize("lead", ["A", "B", "C"])
def test_any_tree_joint_of_a_four_bar_may_lead(lead: str) -> None:
    mechanism = mechanism_of(examples.load("four_bar"))
    (loop,) = planar_loops(mechanism, (lead,))
    assert loop.leading == (lead,)
    both_branches(mechanism, (lead,))


@pytest.mark.parametrize("cut", ["crank_bearing", "crank_pin", "piston_pin", "guide"])
def test_any_joint_of_a_slider_crank_may_be_cut(cut: str) -> None:
    model = examples.load("slider_crank")
    joints = tuple(replace(joint, cut="cut" if joint.name == cut else "tree") for joint in model.joints)
    both_branches(mechanism_of(replace(model, joints=joints, forces=())))


def test_joints_may_point_either_way_and_axes_too() -> None:
    model = examples.load("four_bar")
    joints = []
    for joint in model.joints:
        if joint.name == "B":
            joint = replace(
                joint,
                predecessor=joint.successor,
                successor=joint.predecessor,
                predecessor_placement=joint.successor_placement,
                successor_placement=joint.predecessor_placement,
                initial=(0.5,),
            )
        if joint.name == "C":
            joint = replace(joint, axis=(0, 0, -1), initial=(-1,))
        joints.append(joint)
    both_branches(mechanism_of(replace(model, joints=tuple(joints))))


def test_a_linkage_in_any_plane_is_recognised() -> None:
    model = examples.load("slider_crank")
    tilt: tuple[tuple[Any, float], ...] = (("x", 0.7), ("y", -0.4))
    carried = tuple(
        replace(joint, predecessor="frame") if joint.predecessor == "ground" else joint for joint in model.joints
    )
    stand = Joint("stand", "fixed", "ground", "frame", predecessor_placement=Placement((1, 2, 3), tilt))
    frame = replace(model.bodies[0], name="frame")
    both_branches(mechanism_of(replace(model, bodies=(*model.bodies, frame), joints=(stand, *carried), forces=())))


@pytest.mark.parametrize("name", ["stewart_platform", "rhombus_spatial"])
def test_spatial_loops_have_none(name: str) -> None:
    assert planar_loops(mechanism_of(examples.load(name))) == ()


def test_where_the_bars_do_not_reach_there_is_no_number() -> None:
    model = examples.load("four_bar")
    wide = replace(model, parameters=tuple(replace(p, value=2) if p.name == "l_base" else p for p in model.parameters))
    mechanism = mechanism_of(wide)
    (loop,) = planar_loops(mechanism)
    found = interpret(closed_form_position(mechanism, loop), {"q": np.zeros(3), "branch": np.float64(1)})["q_closed"]
    assert np.isnan(found).any()


def test_a_loop_of_another_mechanism_is_refused() -> None:
    with pytest.raises(DerivationError, match="no loop is closed by nothing"):
        closed_form_position(mechanism_of(examples.load("four_bar")), PlanarLoop("nothing", "four-bar", (), ()))

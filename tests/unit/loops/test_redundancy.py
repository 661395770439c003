"""Dependent closure rows are found, named in words, and chosen alike in every run."""

from __future__ import annotations

from dataclasses import replace
from math import asin, cos, pi, sin

import numpy as np
import pytest

from mbsym import DistanceConstraint, examples
from mbsym.constraints import GearConstraint
from mbsym.errors import DerivationError
from mbsym.loops import redundancy
from mbsym.loops.constraints import closures
from mbsym.loops.functions import constraint_jacobian
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.symbolic.interpret import interpret
from mechanisms.mechanism import mechanism_of


def analysed(model: Model) -> LoopAnalysis:
    return analyse_loops(mechanism_of(model))


def body(name: str) -> Body:
    return Body(name, 1, (0.1, 0.1, 0.05), (0.1, 0.1, 0.1, 0, 0, 0))


def chain(name: str, placements: list[Placement], initial: list[float]) -> Model:
    """A closed chain of revolute joints; placement k is that of joint k on the body before it."""
    count = len(placements)
    names = ["ground", *(f"b{k}" for k in range(1, count)), "ground"]
    joints = [
        Joint(
            f"J{k + 1}",
            "revolute",
            names[k],
            names[k + 1],
            predecessor_placement=placements[k],
            initial=(initial[k],) if k < count - 1 else (),
            cut="cut" if k == count - 1 else "auto",
        )
        for k in range(count)
    ]
    return Model(name, tuple(body(item) for item in names[1:-1]), tuple(joints))


def denavit_hartenberg(twist: float, length: float, offset: float = 0.0) -> Placement:
    """Place of the next joint's frame on a body."""
    return Placement((length, 0, offset), (("x", twist),))


def bennett() -> Model:
    """Four revolute joints, opposite links alike: sin(alpha)/a = sin(beta)/b, no offsets."""
    alpha, beta, a = 0.7, 1.2, 0.3
    b = a * sin(beta) / sin(alpha)
    links = [denavit_hartenberg(alpha, a), denavit_hartenberg(beta, b)] * 2
    # Joint 1 is at the origin, so the last link's end is where ground carries joint 1.
    return chain("bennett", [Placement(), *links[:3]], [0.9, 1.0, -0.9, 0.0])


def bennett_closed() -> Model:
    """The same with its last joint's frame on ground placed behind the fourth link."""
    model = bennett()
    last = model.joints[-1]
    alpha, beta, a = 0.7, 1.2, 0.3
    b = a * sin(beta) / sin(alpha)
    # From joint 1 back along the fourth link: the inverse of its transform.
    turned = replace(last, predecessor="b3", successor="ground", predecessor_placement=last.predecessor_placement)
    inverse = Placement((-b, 0, 0), (("x", -beta),))
    return replace(model, joints=(*model.joints[:-1], replace(turned, successor_placement=inverse)))


def spherical_four_bar() -> Model:
    """Four revolute joints whose axes meet in a point."""
    arcs = (0.5, 1.1, 0.9)
    placements = [Placement(), *(Placement((0, 0, 0), (("x", arc),)) for arc in arcs)]
    model = chain("spherical_four_bar", placements, [0.4, 0.9, 0.6, 0.0])
    end = Placement((0, 0, 0), (("x", -1.0),))
    return replace(model, joints=(*model.joints[:-1], replace(model.joints[-1], successor_placement=end)))


def test_a_planar_four_bar_is_named() -> None:
    found = analysed(examples.load("four_bar"))
    assert found.sentences == ("closure of joint D: rows 1, 2, 5 follow from the others: the loop is planar",)
    assert [row.number for row in found.rows] == [3, 4]
    assert [row.number for row in found.dependent] == [1, 2, 5]
    assert found.mobility == 1


def test_a_planar_loop_in_any_orientation_is_named() -> None:
    model = examples.load("four_bar")
    turned = Placement((0.1, 0.2, 0.3), (("x", 0.4), ("y", 1.1)))
    carried = [
        replace(joint, predecessor="frame") if joint.predecessor == "ground" else joint for joint in model.joints
    ]
    stand = Joint("stand", "fixed", "ground", "frame", predecessor_placement=turned)
    model = replace(model, bodies=(*model.bodies, Body("frame", 1)), joints=(stand, *carried))
    found = analysed(model)
    assert len(found.dependent) == 3
    assert found.sentences[0].endswith("the loop is planar")


def test_a_spherical_four_bar_is_named() -> None:
    found = analysed(spherical_four_bar())
    assert found.mobility == 1
    assert len(found.dependent) == 3
    assert found.sentences[0].endswith("the loop is spherical")


def test_a_bennett_linkage_moves_although_it_has_more_closure_rows_than_freedoms() -> None:
    found = analysed(bennett_closed())
    assert found.mobility == 1
    assert (len(found.rows), len(found.dependent)) == (2, 3)
    assert found.sentences[0].endswith("the loop is overconstrained")


def test_an_assembled_configuration_of_the_bennett_linkage_has_equal_opposite_angles() -> None:
    model = bennett_closed()
    mechanism = mechanism_of(model)
    q = np.array(analyse_loops(mechanism).configuration)
    by_name = {item.joint.name: q[item.q_range[0]] for item in mechanism.bodies}
    assert np.isclose(np.cos(by_name["J1"]), np.cos(by_name["J3"]), atol=1e-6)


def test_a_wedge_of_sliding_joints_does_not_turn() -> None:
    """Three prismatic joints in a plane: one loop, one freedom."""
    slide = {"type": "prismatic"}
    model = Model(
        "wedge",
        (body("a"), body("b")),
        (
            Joint("x", predecessor="ground", successor="a", axis=(1, 0, 0), **slide),  # type: ignore[arg-type]
            Joint("slope", predecessor="a", successor="b", axis=(1, 1, 0), **slide),  # type: ignore[arg-type]
            Joint("y", predecessor="ground", successor="b", axis=(0, 1, 0), **slide),  # type: ignore[arg-type]
        ),
    )
    found = analysed(model)
    assert (len(found.rows), found.mobility) == (1, 1)
    assert "nothing turns in the loop" in found.sentences[0]


def test_loops_that_move_together_are_named() -> None:
    """A parallelogram with a second, parallel coupler moves although its loops take one freedom too many."""
    names = ("left", "right", "middle", "top")
    joints = []
    for k, name in enumerate(names[:3]):
        place = Placement((0.3 * k, 0, 0))
        top = Placement((0.3 * k, 0, 0))
        initial = (pi / 3,)
        joints.append(Joint(f"A{k}", "revolute", "ground", name, predecessor_placement=place, initial=initial))
        joints.append(
            Joint(
                f"B{k}",
                "revolute",
                name,
                "top",
                predecessor_placement=Placement((0.5, 0, 0)),
                successor_placement=top,
                initial=(-pi / 3,),
            )
        )
    found = analysed(Model("double_parallelogram", tuple(body(name) for name in names), tuple(joints)))
    assert found.mobility == 1

    assert any("moves together with other loops" in sentence for sentence in found.sentences)


def test_rods_of_which_another_one_follows_are_named_and_no_others() -> None:
    """Four parallel rods hold three freedoms of a plate; a rod along it and one elsewhere have no part in that."""
    ends = {"a": (0.1, 0), "b": (-0.1, 0), "c": (0.1, 0.25), "d": (-0.1, 0.25)}
    rods = [
        DistanceConstraint(name, "ground", "plate", 0.35, (x, 0.4, z), (x, 0.05, z)) for name, (x, z) in ends.items()
    ]
    rods.append(DistanceConstraint("along", "ground", "plate", 0.5, (0.5, 0.2, 0.1), (0, 0.2, 0.1)))
    rods.append(DistanceConstraint("apart", "ground", "ball", 0.5, (0.5, 0, 0), (0, 0, 0)))
    joints = (Joint("plate", "free", "ground", "plate"), Joint("ball", "free", "ground", "ball"))
    found = analysed(Model("plate", (body("plate"), body("ball")), joints, constraints=tuple(rods)))
    assert found.mobility == 12 - 5
    (told,) = found.sentences
    assert told == "closure of distance d: row 1 follows from those of a, b, c: the loops move together"


def test_the_independent_rows_are_the_same_in_every_run() -> None:
    first, second = analysed(bennett_closed()), analysed(bennett_closed())
    assert [row.number for row in first.rows] == [row.number for row in second.rows]
    assert first.configuration == second.configuration


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "five_bar", "stewart_platform", "rhombus_spatial"])
def test_independent_rows_have_full_rank_where_loops_are_closed(name: str) -> None:
    model = examples.load(name)
    mechanism = mechanism_of(model)
    found = analyse_loops(mechanism)
    jacobian = interpret(constraint_jacobian(mechanism, found), {"q": np.array(found.configuration)})["G"]
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    assert sizes[-1] > 1e-2 * sizes[0]


def test_a_loop_that_cannot_close_says_by_how_much() -> None:
    model = examples.load("four_bar")
    short = replace(model, parameters=tuple(replace(p, value=2) if p.name == "l_base" else p for p in model.parameters))
    with pytest.raises(DerivationError) as caught:
        analysed(short)
    # Crank, coupler and rocker together reach 1.7 m of the 2 m.
    assert "the loop of D cannot be closed" in str(caught.value)
    assert "0.3 m" in str(caught.value)
    assert "check the lengths" in str(caught.value)


def test_a_structure_is_named_and_has_no_freedom() -> None:
    model = examples.load("four_bar")
    at_crank = Placement((0.3 * cos(1), 0.3 * sin(1), 0))
    brace = Joint("brace", "revolute", "ground", "coupler", predecessor_placement=at_crank)
    found = analysed(replace(model, joints=(*model.joints, brace)))
    assert found.is_structure
    assert "structure" in found.sentences[-1]


def test_more_closure_rows_than_coordinates_are_reduced() -> None:
    """Two fixed joints in parallel to a revolute one: twelve rows for one coordinate."""
    model = Model(
        "stuck",
        (body("a"),),
        (
            Joint("turn", "revolute", "ground", "a", cut="tree"),
            Joint("weld 1", "fixed", "ground", "a", cut="cut"),
            Joint("weld 2", "fixed", "ground", "a", cut="cut"),
        ),
    )
    found = analysed(model)
    assert (len(found.rows), len(found.dependent), found.mobility) == (1, 11, 0)


def test_a_free_joint_in_a_loop_closes_nothing() -> None:
    model = examples.load("four_bar")
    loose = Joint("loose", "free", "ground", "rocker", cut="cut")
    found = analysed(replace(model, joints=(*model.joints, loose)))
    assert found.mobility == 1
    assert found.sentences[0] == "joint loose: a free joint closes nothing and is dropped"


def test_a_gear_that_repeats_a_closure_is_dependent() -> None:
    """The opposite bars of a parallelogram turn alike, so a gear of ratio 1 between them says nothing new."""
    model = examples.load("four_bar")
    lengths = {"l_crank": "0.3", "l_coupler": "0.7", "l_rocker": "0.3", "l_base": "0.7"}
    parameters = tuple(replace(p, value=lengths[p.name]) for p in model.parameters)
    start = {"A": (1,), "B": (-1,), "C": (1 - pi,), "D": ()}
    joints = tuple(
        replace(joint, initial=start[joint.name], cut="cut" if joint.name == "C" else "tree") for joint in model.joints
    )
    joints = tuple(replace(joint, initial=(1,)) if joint.name == "D" else joint for joint in joints)
    gear = GearConstraint("gear", "A", "D", 1, 0)
    found = analysed(replace(model, parameters=parameters, joints=joints, constraints=(gear,)))
    assert found.mobility == 1
    assert any(sentence.startswith("closure of gear gear") for sentence in found.sentences)


def test_angles_of_the_spherical_loop_close_on_the_sphere() -> None:
    """Cosine law on the closing arc as a check that the configuration is one of the linkage."""
    model = spherical_four_bar()
    mechanism = mechanism_of(model)
    q = np.array(analyse_loops(mechanism).configuration)

    def turn(axis: int, angle: float) -> np.ndarray:
        c, s = cos(angle), sin(angle)
        i, j = ((1, 2), (2, 0), (0, 1))[axis]
        matrix = np.eye(3)
        matrix[i, i] = matrix[j, j] = c
        matrix[i, j], matrix[j, i] = -s, s
        return matrix

    end = np.eye(3)
    for arc, angle in zip((0.0, 0.5, 1.1, 0.9), (*q, 0.0), strict=True):
        end = end @ turn(0, arc) @ turn(2, angle)
    fourth = end[:, 2]
    assert np.isclose(asin(np.linalg.norm(np.cross(fourth, turn(0, -1.0)[:, 2]))), 0, atol=1e-9)


def test_what_is_round_off_is_told_by_the_unit_of_each_speed() -> None:
    """In the order of the speeds, which in a Stewart platform is not that of the labels."""
    mechanism = mechanism_of(examples.load("stewart_platform"))
    rows = [row for closure in closures(mechanism) for row in closure.rows]
    units = [unit for body in mechanism.bodies_by_coordinates for unit in body.joint.shape.speed_units]
    assert mechanism.bodies_by_coordinates != tuple(body for body in mechanism.bodies if body.v)
    for row, noise in zip(rows, redundancy._round_off(mechanism, rows), strict=True):
        assert [size != redundancy._ROUND_OFF for size in noise] == [
            (row.unit, unit) == ("m", "rad/s") for unit in units
        ]

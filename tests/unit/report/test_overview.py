"""The overview of a model: figures against what the models' files say, and what it says where something is missing."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mbsym import Body, Box, Coupling, Frame, Joint, Model, NamedState, Placement, Shape, Sphere, examples
from mbsym.loops.assembly import assemble
from mbsym.report.overview import overview
from mbsym.report.overview_text import overview_text


@pytest.mark.parametrize(
    ("name", "speeds", "freedoms", "dependent", "mass"),
    [
        ("double_pendulum", 2, 2, 0, None),
        ("floating_two_arm", 12, 12, 0, 52.0),
        ("four_bar", 3, 1, 3, 4.5),
        ("stewart_platform", 21, 6, 0, 21.8),
        ("slides_tree", 5, 5, 0, None),
        ("qi_closed_loops", 5, None, 0, None),
    ],
)
def test_freedoms_redundancy_and_mass(
    name: str, speeds: int, freedoms: int | None, dependent: int, mass: float | None
) -> None:
    found = overview(examples.load(name))
    assert (found.nv, found.freedoms) == (speeds, freedoms)
    assert sum(len(loop.dependent) for loop in found.loops) == dependent
    assert bool(found.reasons) == bool(dependent)
    if mass is not None:
        assert sum(found.masses) == pytest.approx(mass)


def test_a_loop_names_its_joints_and_the_reason_of_its_redundancy() -> None:
    (loop,) = overview(examples.load("four_bar")).loops
    assert (loop.name, loop.type, loop.rows, loop.dependent) == ("D", "revolute", 5, (1, 2, 5))
    assert loop.joints == {"A": 1, "B": 1, "C": 1}
    assert "the loop is planar" in overview_text(overview(examples.load("four_bar")))


def test_what_closing_the_loops_moved_is_told_as_a_simulation_tells_it() -> None:
    """Four figures of an angle leave the four-bar open; a loop that is closed as it is given tells nothing."""
    found = overview(examples.load("four_bar"))
    assert found.start == assemble(examples.load("four_bar")).sentences and found.as_dict()["start"] == [*found.start]
    assert "initial values of A, B, C do not fit" in found.start[0] and "moved A by 0.0134 rad, B by" in found.start[1]
    assert "\nstart\n* the initial values of A" in overview_text(found)
    assert overview(examples.load("rhombus_regular")).start == ()


def test_topology_alone_has_labels_but_no_masses_and_no_known_freedom() -> None:
    found = overview(examples.load("qi_closed_loops"), order="input")
    assert found.labelling.cut_joints == ("5", "7", "8")
    assert found.masses == ()
    text = overview_text(found)
    assert "degrees of freedom  not known, see below" in text
    assert "no joint has a place in space" in text
    assert found.as_dict()["total_mass"] is None
    assert [body["mass"] for body in found.as_dict()["bodies"]] == [None] * 5


def test_coordinates_stand_in_the_order_asked_for() -> None:
    model = replace(examples.load("floating_two_arm"), coordinate_order=("right_wrist",))
    entries = overview(model).entries
    assert [item.joint for item in entries][:2] == ["right_wrist", "base_motion"]
    assert (entries[1].q, entries[1].v) == ((1, 8), (1, 7))
    assert "first right_wrist, then as the joints stand in the file" in overview_text(overview(model))


def arm(**changes: object) -> Model:
    """Two bodies on two joints about z."""
    bodies = (Body("a", 1, (1, 0, 0)), Body("b", 2, (1, 0, 0)))
    joints = (
        Joint("first", "revolute", "ground", "a"),
        Joint("second", "revolute", "a", "b", predecessor_placement=Placement((1, 0, 0))),
    )
    return replace(Model("arm", bodies, joints), **changes)


def test_coupled_joints_have_no_entries_of_their_own() -> None:
    found = overview(arm(couplings=(Coupling("second", "first", -2, 0.5),)))
    assert (found.nv, found.freedoms, [item.joint for item in found.entries]) == (1, 1, ["first"])
    assert found.as_dict()["couplings"] == [{"joint": "second", "source": "first", "ratio": -2.0, "offset": 0.5}]
    assert "second  first       -2     0.5" in overview_text(found)


def test_shapes_are_counted_and_states_listed() -> None:
    shapes = (Shape("a", Sphere(1)), Shape("a", Box((1, 1, 1))), Shape("b", Sphere(1)))
    found = overview(arm(shapes=shapes, states=(NamedState("home"), NamedState("rest"))))
    assert found.as_dict()["shapes"] == {"box": 1, "sphere": 2}
    assert found.as_dict()["states"] == ["home", "rest"]
    text = overview_text(found, None)
    assert "1 box, 2 sphere" in text and "home, rest" in text


def test_frames_are_listed() -> None:
    found = overview(arm(frames=(Frame("tool", "b"),)))
    assert found.as_dict()["frames"] == [{"name": "tool", "body": "b", "axes": "local"}]
    assert "tool   b     local" in overview_text(found)


def test_a_body_that_nothing_holds_gets_a_free_joint_where_the_model_says_so() -> None:
    found = overview(arm(joints=arm().joints[1:], free_roots=True))
    assert found.nv == 7
    assert found.as_dict()["added_joints"] == [str(name) for name in found.labelling.added_joints]
    assert "free joints added" in overview_text(found)


def test_a_structure_is_told() -> None:
    fixed = (Joint("first", "fixed", "ground", "a"), Joint("second", "fixed", "a", "b"))
    found = overview(arm(joints=fixed))
    assert (found.nv, found.freedoms) == (0, 0)
    assert "a structure" in " ".join(found.findings)
    assert "0 (a structure: nothing can move)" in overview_text(found)


def test_a_motion_without_inertia_does_not_fit() -> None:
    still = arm(bodies=(Body("a", 1, (1, 0, 0)), Body("b", 0)))
    assert any("without moving any inertia" in finding for finding in overview(still).findings)
    assert overview(arm()).findings == ()


def test_a_loop_that_cannot_be_closed_does_not_fit() -> None:
    far = Joint("third", "revolute", "b", "ground", successor_placement=Placement((9, 0, 0)))
    found = overview(arm(joints=(*arm().joints, far)))
    assert found.freedoms is None
    assert [loop.rows for loop in found.loops] == [None]
    assert any("cannot be closed" in finding for finding in found.findings)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", ["cart_pole", "four_bar", "stewart_platform", "floating_two_arm"])
def test_text_fits_the_terminal(name: str, width: int) -> None:
    text = overview_text(overview(examples.load(name)), width)
    assert max(map(len, text.splitlines())) <= width


def test_all_of_it_is_json() -> None:
    for name in ("cart_pole", "driver_cab_motion"):
        found = overview(examples.load(name)).as_dict()
        assert json.loads(json.dumps(found, allow_nan=False)) == found

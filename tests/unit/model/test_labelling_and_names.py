"""Labels of models, virtual free joints, and the names that expressions may use."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbsym.errors import TopologyError
from mbsym.forces import Actuator, AppliedWrench
from mbsym.formats.native import load_native
from mbsym.formats.registry import example_path
from mbsym.model.body import Body
from mbsym.model.joint import Coupling, Joint
from mbsym.model.labelling import label_model
from mbsym.model.names import expression_names, identifier_fault, model_name, model_name_fault, name_fault
from mbsym.model.system import Model, with_virtual_joints
from mbsym.values.parameter import ControlInput, Parameter


def test_the_worked_example_of_qi_huang_shao() -> None:
    labelling = load_native(example_path("qi_closed_loops")).label(order="input")
    assert labelling.cut_joints == ("5", "7", "8")
    assert [labelling.body_labels[str(body)] for body in range(1, 6)] == [3, 4, 2, 1, 5]
    assert [labelling.joint_labels[str(joint)] for joint in range(1, 9)] == [2, 3, 4, 1, 6, 5, 7, 8]
    assert labelling.inboard == (0, 1, 2, 1, 2)


@pytest.mark.parametrize(
    ("order", "cut"), [("weight", "p"), ("input", "s"), ("depth-first", "s"), ("breadth-first", "r")]
)
def test_searches_take_joints_as_they_are_given(order: str, cut: str) -> None:
    """The first joint of the square is the heaviest, which assembly by weight alone minds."""
    ends = {"p": ("ground", "a"), "q": ("a", "b"), "r": ("b", "c"), "s": ("c", "ground")}
    joints = tuple(Joint(name, "spherical" if name == "p" else "revolute", *ends[name]) for name in ends)
    square = Model("square", tuple(Body(name, 1) for name in "abc"), joints)
    assert square.label(order=order).cut_joints == (cut,)


def test_the_driver_cab() -> None:
    model = load_native(example_path("driver_cab"))
    by_weight = model.label()
    assert by_weight.cut_joints == tuple("belmtu")
    assert by_weight.flipped == tuple("lmtu")
    assert [by_weight.body_labels[str(body)] for body in range(2, 17)] == [
        1, 2, 3, 4, 5, 8, 9, 12, 13, 6, 7, 10, 11, 14, 15,
    ]  # fmt: skip
    assert "".join(str(name) for name in by_weight.assembly_order) == "hipqjkrscdfgnoabelmtu"
    assert model.label(order="input").cut_joints == tuple("celmtu")


@pytest.mark.parametrize(
    ("given", "file", "name"),
    [
        ("arm", "other.urdf", "arm"),
        (None, "/robots/arm 2.urdf", "arm 2"),
        (None, "my*robot.yaml", "my_robot"),
        (None, "*.sdf", "model"),
        (" ", "arm.xml", "arm"),
        ("my*robot", "arm.xml", "my*robot"),  # which is refused where it stands
    ],
)
def test_files_without_a_name_lend_theirs(given: str | None, file: str, name: str) -> None:
    assert model_name(given, file) == name


def test_the_tree_of_the_slides() -> None:
    labelling = load_native(example_path("slides_tree")).label()
    assert labelling.cut_joints == ()
    assert list(labelling.path_matrix.row(0)) == [-1, -1, -1, -1, -1]


def triangle(**attributes: dict[str, object]) -> Model:
    """Three bodies in a ring with ground; attributes by joint."""
    ends = {"a": ("ground", "1"), "b": ("1", "2"), "c": ("2", "3"), "d": ("3", "ground")}
    joints = tuple(Joint(name, "revolute", *ends[name], **attributes.get(name, {})) for name in ends)  # type: ignore[arg-type]
    return Model("ring", (Body("1"), Body("2"), Body("3")), joints)


def test_demands_and_drives_decide_what_is_cut() -> None:
    assert triangle().label().cut_joints == ("d",)
    assert triangle(b={"cut": "cut"}).label().cut_joints == ("b",)
    assert triangle(d={"actuated": True}).label().cut_joints == ("a",)
    assert triangle(b={"reaction_wanted": True}).label().cut_joints == ("b",)
    assert triangle(c={"weight": 10_000}).label().cut_joints == ("c",)
    assert triangle(d={"cut": "tree"}).label().cut_joints == ("a",)
    assert triangle(d={"armature": 0.1}).label().cut_joints == ("a",)
    for named in ("coordinates", "speeds"):
        written = replace(triangle(d={named: ("phi",)}), forces=(AppliedWrench("push", "1", ("sin(phi)", 0, 0)),))
        assert written.label().cut_joints == ("a",)
    for name in ("q_d", "v_d"):  # what they are called where nobody names them
        written = replace(triangle(), forces=(AppliedWrench("push", "1", (f"sin({name})", 0, 0)),))
        assert written.label().cut_joints == ("a",)
    driven = Model(
        "ring",
        triangle().bodies,
        triangle().joints,
        forces=(Actuator("m", "d", "u"), Actuator("n", "a", "u")),
        inputs=(ControlInput("u"),),
    )
    assert driven.label().cut_joints == ("c",)
    coupled = Model("ring", triangle().bodies, triangle().joints, couplings=(Coupling("d", "a"),))
    assert coupled.label().cut_joints == ("c",)
    assert triangle().label(order="input").cut_joints == ("d",)
    with pytest.raises(TopologyError, match="use weight, input, type-only"):
        label_model(triangle(), order="size")


def test_contradicting_demands_name_the_joints() -> None:
    everything = {name: {"cut": "tree"} for name in "abcd"}
    with pytest.raises(TopologyError, match="form the loop"):
        triangle(**everything).label()


def test_loose_bodies_get_virtual_free_joints() -> None:
    model = Model("m", (Body("x"), Body("y"), Body("z")), (Joint("j", "revolute", "y", "x"),), free_roots=True)
    labelling = model.label()
    whole = with_virtual_joints(model, labelling)
    assert [(joint.name, joint.type, joint.predecessor, joint.successor) for joint in whole.joints] == [
        ("j", "revolute", "y", "x"),
        ("x_free", "free", "ground", "x"),
        ("z_free", "free", "ground", "z"),
    ]
    assert whole.label().body_labels == labelling.body_labels
    assert with_virtual_joints(whole, whole.label()) is whole


def test_coordinates_have_names() -> None:
    model = Model(
        "m",
        tuple(Body(name) for name in "abcd"),
        (
            Joint("hip", "revolute", "ground", "a"),
            Joint("ball 1", "spherical", "a", "b"),
            Joint("base", "free", "ground", "c", coordinates=("w", "x", "y", "z", "p1", "p2", "p3")),
            Joint("θ", "cylindrical", "c", "d"),
        ),
        parameters=(Parameter("m", 1),),
        inputs=(ControlInput("u"),),
    )
    names = expression_names(model)
    assert names.coordinates == {
        "hip": ("q_hip",),
        "ball 1": ("q_ball_1_w", "q_ball_1_x", "q_ball_1_y", "q_ball_1_z"),
        "base": ("w", "x", "y", "z", "p1", "p2", "p3"),
        "θ": ("q___z", "q___angle"),
    }
    assert names.speeds["base"] == tuple(f"v_base_{part}" for part in ("wx", "wy", "wz", "vx", "vy", "vz"))
    assert names.kinds["t"] == "time"
    assert names.kinds["m"] == "parameter"
    assert names.kinds["u"] == "input"
    assert names.kinds["p1"] == "coordinate"
    assert names.kinds["v_hip"] == "speed"


def test_colliding_names_are_kept_apart() -> None:
    joints = (
        Joint("a-b", "revolute", "ground", "1"),
        Joint("a b", "revolute", "1", "2"),
        Joint("a_b", "spherical", "2", "3"),
        Joint("k", "revolute", "3", "4"),
    )
    model = Model("m", tuple(Body(name) for name in "1234"), joints, parameters=(Parameter("q_k", 1),))
    names = expression_names(model)
    assert names.coordinates["a-b"] == ("q_a_b",)
    assert names.coordinates["a b"] == ("q_a_b_2",)
    assert names.coordinates["a_b"] == ("q_a_b_w", "q_a_b_x", "q_a_b_y", "q_a_b_z")
    assert names.coordinates["k"] == ("q_k_2",)
    every = [name for table in (names.coordinates, names.speeds) for entry in table.values() for name in entry]
    assert len(set(every)) == len(every)


@pytest.mark.parametrize("name", ["arm", "left/hand", "link_1.0", "RevoluteJoint (3)", "θ", "関節", "7", "a:b", "J1'"])
def test_names_of_the_world_are_accepted(name: str) -> None:
    assert name_fault(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "", " ", " a", "a ", "a\nb", "a\tb", "a\0", "*/", 'a"', "a;b", "a`b`", "$(x)", "../a", "/etc", "a//b",
        "a\\n", "<b>", "{a}", "'''", "x" * 201, "-rf", "a\u202eb", None, 7,
    ],
)  # fmt: skip
def test_names_that_could_be_code_are_refused(name: object) -> None:
    assert name_fault(name) is not None
    assert model_name_fault(name) is not None


@pytest.mark.parametrize("name", ["a b", "1a", "sin", "t", "pi", "lambda", "__import__", "", None, "a.b", "x" * 201])
def test_identifiers_are_identifiers(name: object) -> None:
    assert identifier_fault(name) is not None
    assert identifier_fault("I_zz") is None

"""Models in models: the same motion as with the part's ground bolted on, names of their own, values from outside."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy

import mbsym
from mbsym import Beam, Body, Coupling, Frame, Joint, NamedState, Parameter, Placement, Shape
from mbsym.errors import ModelError
from mbsym.forces import AppliedWrench, JointForce, JointSpring, PointSpringDamper
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.submodels import with_submodel
from mbsym.model.system import Model
from mbsym.model.validate import require_valid
from mbsym.reference.reference import Reference
from mbsym.shapes.forms import Box, Mesh
from mbsym.values.numbers import evaluate, parameter_values
from mbsym.verification.random_state import random_state
from mechanisms.random_trees import random_tree

PLACE = Placement((0.3, -0.2, "L"), (("z", 0.4), ("x", "-pi/2"), ("y", 1.1)))


def carrier(*more: Joint) -> Model:
    """A body that turns and slides, and a second one on it."""
    mount = [Body(joint.successor) for joint in more]
    bodies = (
        Body("carrier", 3, (0.1, 0, 0.2), (0.5, 0.6, 0.7, 0, 0, 0)),
        Body("hand", 1, (0, 0.1, 0), (0.1, 0.1, 0.1)),
    )
    joints = (
        Joint("base", "cylindrical", "ground", "carrier", "y"),
        Joint("wrist", "revolute", "carrier", "hand", "x", predecessor_placement=Placement((0, 0.5, 0))),
    )
    return Model("whole", (*bodies, *mount), (*joints, *more), parameters=(Parameter("L", "0.7"), Parameter("K", 40)))


def part() -> Model:
    """A tree on its ground with forces, a frame and values of all kinds, and a loop by a rod."""
    bodies = (
        Body("upper", "m", (0, 0, "-l/2"), ("m*l**2/12", "0.1", "0.1", 0, 0, 0)),
        Body("lower", sympy.Symbol("m") / 2, (0.1, 0, 0), (0.2, 0.1, 0.2)),
    )
    joints = (
        Joint("pin", "revolute", "base", "upper", (0.6, 0, 0.8), predecessor_placement=Placement((1, 0, 0.2))),
        Joint("slide", "prismatic", "upper", "lower", "y", coordinates=("s",), armature="0.1*m"),
    )
    forces = (
        PointSpringDamper("cable", "base", "lower", "k", 2, 0.1, ("l", 0.1, 0), (0.1, 0, 0)),
        JointSpring("spring", "pin", "k/10"),
        JointForce("law", "slide", "-k*sin(s) + v_slide*cos(q_pin)*t"),
        AppliedWrench("push", "tip", ("1", "v_pin", 3), point=(0, "l", 0), axes="body"),
    )
    return Model(
        "part",
        bodies,
        joints,
        forces,
        (Parameter("m", "1.5"), Parameter("l", 0.5), Parameter("k", "10*m", symbolic=True)),
        frames=(Frame("tip", "lower", Placement((0.1, 0, "l"), (("z", 0.3),))), Frame("stand", "base", PLACE_IN_PART)),
        shapes=(Shape("upper", Box(("l", 0.1, 0.1))), Shape("base", Mesh("meshes/foot.stl"))),
        states=(NamedState("home", q=(("pin", ("pi/6",)),)),),
        ground="base",
    )


PLACE_IN_PART = Placement((0.1, 0.2, 0.3), (("y", 0.2),))


def motion(model: Model, seed: int = 3) -> tuple[np.ndarray, ...]:
    """Mass matrix, bias force, energy and poses of frames at a random state, with numbers of another opinion."""
    require_valid(model)
    reference = Reference(model)
    q, v, _ = random_state(model, model.label(), np.random.default_rng(seed))
    frames = reference.frame_poses(q) if model.frames else np.zeros(0)
    return reference.mass_matrix(q), reference.bias_force(q, v, 0.3), reference.potential_energy(q), frames


@pytest.mark.parametrize("on", ["carrier", "socket"])
def test_motion_is_that_of_a_part_bolted_on(on: str) -> None:
    """By a fixed joint, of which placing a part knows nothing; on a frame, too."""
    whole = replace(carrier(), frames=(Frame("socket", "carrier", Placement((0, 0.1, 0), (("x", 0.5),))),))
    found = with_submodel(whole, part(), "p_", on=on, at=PLACE, parameters={"l": "L/2"})
    socket = whole.frame(on).placement
    bolts = (
        Joint("socket bolt", "fixed", "carrier", "plate", predecessor_placement=socket),
        Joint("bolt", "fixed", "plate", "mount", predecessor_placement=PLACE),
    )
    bolted = replace(carrier(*bolts), frames=whole.frames)
    expected = with_submodel(bolted, part(), "p_", on="mount", parameters={"l": "L/2"})
    assert [body.name for body in found.bodies] == ["carrier", "hand", "p_upper", "p_lower"]
    for one, other in zip(motion(found), motion(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)


@pytest.mark.more
def test_what_is_derived_is_what_the_reference_has() -> None:
    assert mbsym.verify(with_submodel(carrier(), part(), "p_", on="hand", at=PLACE), states=3).passed


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_alone_and_as_parts(seed: int) -> None:
    """Placed on ground without a turn nothing changes but names, in expressions too."""
    tree = random_tree(seed, bodies=(2, 8), free_roots=False)
    found = with_submodel(Model("whole", ground="world", gravity=tree.gravity), tree, "a_")
    assert {body.name for body in found.bodies} == {f"a_{body.name}" for body in tree.bodies}
    reference, other = Reference(tree), Reference(found)
    q, v, _ = random_state(tree, tree.label(), np.random.default_rng(seed))
    np.testing.assert_allclose(other.mass_matrix(q), reference.mass_matrix(q), rtol=1e-12, atol=1e-12)
    u = np.full(len(tree.inputs), 0.3)
    np.testing.assert_allclose(
        other.bias_force(q, v, 0.2, u), reference.bias_force(q, v, 0.2, u), rtol=1e-11, atol=1e-11
    )


def test_names_and_values() -> None:
    found = with_submodel(carrier(), part(), "p_", on="hand", parameters={"k": "2*K", "m": Fraction(3, 2)})
    assert [(item.name, item.value, item.symbolic) for item in found.parameters[2:]] == [
        ("p_m", Fraction(3, 2), False),
        ("p_l", 0.5, False),
        ("p_k", "2*K", False),
    ]
    law, push = found.forces[2], found.forces[3]
    assert isinstance(law, JointForce) and law.expression == "-p_k*sin(p_s) + v_p_slide*cos(q_p_pin)*t"
    assert isinstance(push, AppliedWrench) and (push.body, push.force) == ("p_tip", ("1", "v_p_pin", 3))
    assert found.bodies[3].mass == sympy.Symbol("p_m") / 2
    assert found.states[0] == NamedState("p_home", q=(("p_pin", ("pi/6",)),))
    assert found.joints[3].coordinates == ("p_s",) and found.joints[3].armature == "0.1*p_m"
    # Written out and read again it is the same mechanism.
    again = read_native(TextSource("whole.yaml", dump_native(found)))
    assert dump_native(again) == dump_native(found)
    numbers = parameter_values(found)
    assert [evaluate(body.mass, numbers) for body in again.bodies] == [evaluate(b.mass, numbers) for b in found.bodies]


def test_names_of_any_letters_and_numbers_with_exponents() -> None:
    letters = Model(
        "letters",
        (Body("b", "ölmasse*1e0 + 2.e-1*Δ_1", (0, 0, 0), (1, 1, 1)),),
        (Joint("j", "revolute", "ground", "b"),),
        parameters=(Parameter("ölmasse", 2), Parameter("Δ_1", 5), Parameter("e", 1)),
    )
    found = with_submodel(Model("whole"), letters, "p_")
    assert found.bodies[0].mass == "p_ölmasse*1e0 + 2.e-1*p_Δ_1"
    assert evaluate(found.bodies[0].mass, parameter_values(found)) == 3.0


def test_a_number_leaves_a_parameter_an_argument() -> None:
    for value, stays in (("12.5", True), (3, True), ("K", False), (sympy.Symbol("K"), False), (sympy.Integer(4), True)):
        found = with_submodel(carrier(), part(), "p_", parameters={"k": value})
        assert found.parameters[-1].symbolic is stays, value


def test_connected_bodies_are_those_of_the_whole() -> None:
    """A rod from a hand that the part does not have, whose place is a frame of the whole."""
    link = Model(
        "rod",
        (Body("end"), Body("bob", 1, (0, 0, -1), (0.1, 0.1, 0.1))),
        (Joint("pin", "revolute", "ground", "bob", "y"),),
        (PointSpringDamper("rod", "bob", "body:end", 100, second_point=(0, 0.1, 0)),),
    )
    whole = replace(carrier(), frames=(Frame("grip", "hand", PLACE),))
    found = with_submodel(whole, link, "", connect={"end": "grip"})
    spring = found.forces[0]
    assert isinstance(spring, PointSpringDamper) and spring.second_body == "hand"
    direct = replace(
        whole,
        forces=(replace(spring, second_body="grip", second_point=(0, 0.1, 0)),),
        bodies=found.bodies,
        joints=found.joints,
    )
    for one, other in zip(motion(found), motion(direct), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)


def test_parts_in_parts_couplings_and_beams() -> None:
    finger = Model(
        "finger",
        (Body("a", 1, (0, 0, 1), (1, 1, 1)), Body("b", 1, (0, 0, 1), (1, 1, 1))),
        (Joint("j1", "revolute", "ground", "a", "x"), Joint("j2", "revolute", "a", "b", "x")),
        couplings=(Coupling("j2", "j1", "r"),),
        parameters=(Parameter("r", "2/3"),),
    )
    finger = mbsym.with_beams(finger, (Beam("nail", "b", "r", 0.1, ("10*r",), segments=2, axial_stiffness="9*r"),))
    hand = with_submodel(Model("hand", (Body("palm", 1, (0, 0, 0), (1, 1, 1)),)), finger, "left_", on="palm")
    hand = with_submodel(hand, finger, "right_", on="palm", at=(0, "0.1", 0), parameters={"r": 1})
    hand = replace(hand, joints=(Joint("wrist", "free", "ground", "palm"), *hand.joints))
    whole = with_submodel(Model("robot"), hand, "arm.")
    assert [(c.joint, c.source, c.ratio) for c in whole.couplings if "j2" in c.joint] == [
        ("arm.left_j2", "arm.left_j1", "arm.left_r"),
        ("arm.right_j2", "arm.right_j1", "arm.right_r"),
    ]
    assert [(beam.name, beam.body, beam.length, beam.axial_stiffness) for beam in whole.beams] == [
        ("arm.left_nail", "arm.left_b", "arm.left_r", "9*arm.left_r"),
        ("arm.right_nail", "arm.right_b", "arm.right_r", "9*arm.right_r"),
    ]


def test_another_gravity_is_told() -> None:
    space = replace(part(), gravity=(0, 0, 0))
    assert not with_submodel(carrier(), part(), "p_").warnings
    assert not with_submodel(replace(carrier(), gravity=(0, 0, 0)), space, "p_").warnings
    (told,) = with_submodel(carrier(), space, "p_").warnings
    assert told == "the gravity of part part is left out: that of whole holds"


@pytest.mark.parametrize("accepting", [(True, False), (False, True), (False, False)])
def test_impossible_inertia_of_either_is_accepted_in_the_whole(accepting: tuple[bool, bool]) -> None:
    """What was measured and accepted in one of both is no error when they are put together."""
    whole, added = carrier(), part()
    impossible = [replace(model.bodies[0], mass=1, inertia=(1, 1, 9)) for model in (whole, added)]
    whole, added = (
        replace(
            model, bodies=(body if accepts else model.bodies[0], *model.bodies[1:]), accept_impossible_inertia=accepts
        )
        for model, body, accepts in zip((whole, added), impossible, accepting, strict=True)
    )
    found = with_submodel(whole, added, "p_")
    require_valid(found)
    assert found.accept_impossible_inertia == any(accepting)


def test_meshes_are_found_from_the_directory_of_the_whole() -> None:
    model = replace(carrier(), directory="models")
    found = with_submodel(model, replace(part(), directory="models/parts/leg"), "p_")
    meshes = [shape.form.file for shape in found.shapes if isinstance(shape.form, Mesh)]
    assert meshes == ["parts/leg/meshes/foot.stl"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"on": "carier"}, r"no body or frame 'carier'.*'carrier'"),
        ({"parameters": {"kk": 1}}, r"no parameter 'kk'.*'k'"),
        ({"connect": {"uper": "hand"}}, r"no body 'uper'.*'upper'"),
        ({"connect": {"upper": "hand"}}, r"'upper' has mass in the part"),
        ({"at": Placement(quaternion=("cos(L)", 0, 0, "sin(L)"))}, r"a quaternion meets a value that is no number"),
    ],
)
def test_mistakes(arguments: dict[str, object], complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        with_submodel(carrier(), part(), "p_", **arguments)  # type: ignore[arg-type]


def test_names_that_would_mean_something_else_are_refused() -> None:
    """The whole has a parameter that is called like a coordinate of the part under its new name, and the other way."""
    model = replace(carrier(), parameters=(Parameter("q_p_pin", 1),))
    with pytest.raises(ModelError, match="q_p_pin of joint 'p_pin' is the name of something else"):
        with_submodel(model, part(), "p_")
    clash = replace(part(), parameters=(*part().parameters, Parameter("wrist", 1)))
    with pytest.raises(ModelError, match="q_wrist of joint 'wrist' is the name of something else"):
        with_submodel(carrier(), clash, "q_")
    once = with_submodel(carrier(), part(), "p_")
    with pytest.raises(ModelError, match="among its bodies the model has 'p_upper' already"):
        with_submodel(once, part(), "p_")

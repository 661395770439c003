"""The native format: what is read, where errors are, and that writing and reading give the model back."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym.constraints import DistanceConstraint, GearConstraint, LinearCoupling, PointOnLineConstraint
from mbsym.errors import FormatError, MbsymError
from mbsym.forces import (
    Actuator,
    AppliedWrench,
    JointDamper,
    JointForce,
    JointFriction,
    JointSpring,
    PointSpringDamper,
)
from mbsym.formats.native import load_native, read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.registry import example_names, example_path, load
from mbsym.formats.text_source import TextSource
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.shape import Shape
from mbsym.model.system import Model
from mbsym.shapes.forms import Sphere
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import ControlInput, Parameter

ARM = """\
name: arm
parameters:
  l1: {value: 0.50, unit: m, symbolic: true}
  m1: 2.5
inputs: {motor: N m}
bodies:
  upper:
    mass: m1
    center_of_mass: [0, 0, -l1/2]
    inertia: {xx: m1*l1**2/12, yy: 0.1, zz: 0.1}
  lower: {mass: 1, inertia: [1e-2, 0.010, 0.01]}
joints:
  shoulder:
    type: revolute
    from: ground
    to: upper
    axis: y
    at: {translation: [0, 0, 1], rpy: [0, 1.5707963267948966, 0.1]}
  elbow: [spherical, upper, lower]
forces:
  drive: {type: actuator, joint: shoulder, input: motor}
  law: {type: joint_force, joint: elbow, index: 1, expression: -0.1*v_shoulder + sin(t)*motor}
"""


def read(text: str) -> Model:
    return read_native(TextSource("arm.yaml", text))


def test_a_file_is_read_as_written() -> None:
    model = read(ARM)
    assert model.parameters == (Parameter("l1", "0.50", "m", True), Parameter("m1", "2.5"))
    assert model.inputs == (ControlInput("motor", "N m"),)
    assert model.bodies[0] == Body("upper", "m1", (0, 0, "-l1/2"), ("m1*l1**2/12", "0.1", "0.1", 0, 0, 0))
    assert model.bodies[1].inertia == ("1e-2", "0.010", "0.01", 0, 0, 0)
    shoulder, elbow = model.joints
    assert shoulder.axis == (0, 1, 0)
    assert shoulder.predecessor_placement == Placement((0, 0, 1), (("z", "0.1"), ("y", "pi/2")))
    assert (elbow.type, elbow.predecessor, elbow.successor) == ("spherical", "upper", "lower")
    assert model.forces[1] == JointForce("law", "elbow", "-0.1*v_shoulder + sin(t)*motor", 1)
    assert model.gravity == ("0", "0", "-9.81")
    assert model.warnings == ()


def test_the_name_of_the_file_names_the_model() -> None:
    assert read(ARM.replace("name: arm\n", "")).name == "arm"


def test_numbers_are_names_too() -> None:
    model = read(
        "ground: 0\njoints:\n  1: [revolute, 0, 10]\n  2: [revolute, 2, 10]\n  007: {type: fixed, from: 2, to: 3}\n"
    )
    assert [body.name for body in model.bodies] == ["2", "3", "10"]
    assert [joint.name for joint in model.joints] == ["1", "2", "007"]
    assert model.warnings and "topology" in model.warnings[0]


def test_anchors_are_shared_values() -> None:
    model = read(
        "bodies: {a: &rod {mass: 1, inertia: [1, 1, 1]}, b: *rod}\njoints: {j: [free, ground, a], k: [free, a, b]}\n"
    )
    assert model.bodies[0] == replace(model.bodies[1], name="a")


# what is replaced in ARM, by what, where the error is, and a part of the message
MISTAKES = [
    ("mass: m1", "mass: -2", "8:11", "body 'upper' has the negative mass -2"),
    ("mass: m1", "mass: -m1", "8:11", "negative mass -2.5"),
    ("mass: m1", "mass: .nan", "8:11", ".nan is not a finite number"),
    ("mass: m1", "mass: inf", "8:11", "inf is not a finite number"),
    ("mass: m1", "mass: -.Inf", "8:11", "-.Inf is not a finite number"),
    ("mass: m1", "mass: 1e400", "8:11", "not a finite number"),
    ("mass: m1", "mass: 1e99999999999", "8:11", "out of range"),
    ("mass: m1", "mass: true", "8:11", "true is no number"),
    ("mass: m1", "mass: [1, 2]", "8:11", "a list where a number or an expression belongs"),
    ("mass: m1", "mass: {a: 1}", "8:11", "a table where a number or an expression belongs"),
    ("mass: m1", "mass:", "8:5", "nothing where a number or an expression belongs"),
    ("mass: m1", "mass: m1 + m2", "8:16", "unknown name m2; known are l1, m1, pi"),
    ("mass: m1", 'mass: "m1 + m2"', "8:17", "unknown name m2"),
    ("mass: m1", "mass: m1 +", "8:", "this is no expression"),
    ("mass: m1", "mass: m1/(m1 - 2.5)", "8:11", "division by zero"),
    ("mass: m1", "mass: sqrt(-m1)", "8:11", "no finite real value"),
    ("mass: m1", "mass: __import__('os').system('true')", "8:22", "has no place in an expression"),
    ("mass: m1", "mass: (lambda m1)(1)", "8:", "no expression"),
    ("mass: m1", "mass: open(m1)", "8:11", "unknown function open"),
    ("mass: m1", "mass: q_shoulder", "8:11", "unknown name q_shoulder"),
    ("mass: m1", "masss: m1", "8:5", "unknown key 'masss'; did you mean 'mass'?"),
    ("mass: m1", "mass: m1\n    mass: 3", "9:5", "'mass' is given twice, first in line 8"),
    ("mass: m1", "mass: !!python/object/apply:os.system [m1]", "8:11", "the tag"),
    ("[0, 0, -l1/2]", "[0, 0]", "9:21", "2 values where three values belong"),
    ("[0, 0, -l1/2]", "[0, .nan, 0]", "9:25", "not a finite number"),
    ("[0, 0, -l1/2]", "[0, 0, -l2/2]", "9:29", "unknown name l2; known are l1, m1, pi"),
    ("[0, 0, -l1/2]", "abc", "9:21", "no list where three values belong"),
    ("yy: 0.1", "yz: 0.1", "10:14", "principal moment"),
    ("yy: 0.1", "yy: 1.0", "10:14", "of which the largest exceeds the sum of the others"),
    ("[1e-2, 0.010, 0.01]", "[1e-2, 0.010, 0.03]", "11:29", "of which the largest exceeds the sum of the others"),
    ("[1e-2, 0.010, 0.01]", "[1, 2]", "11:29", "2 values where an inertia belongs"),
    ("lower: {mass: 1, inertia: [1e-2, 0.010, 0.01]}", "lower: {mass: 0}", "11:17", "no inertia against a motion"),
    ("lower: {mass: 1, inertia: [1e-2, 0.010, 0.01]}", "lower: {mass: 1}", "11:17", "no inertia against a motion"),
    ("  lower: {", "  upper: {", "11:3", "'upper' is given twice"),
    ("  lower: {", "  ground: {", "11:3", "has the name of ground"),
    ("  lower: {", '  "*/ int x; /*": {', "11:3", "holds the character '*'"),
    ("  lower: {", '  "a\\nb": {', "11:3", "holds the character"),
    ("  lower: {", "  ../../etc/passwd: {", "11:3", "holds '..'"),
    ("  lower: {", "  '\"; import os': {", "11:3", "holds the character"),
    ("  lower: {", f"  {'x' * 300}: {{", "11:3", "longer than 200"),
    ("  lower: {mass: 1", "  lower: {mass: 1, mass: 2", "11:20", "given twice"),
    ("joints:", "  loose: {mass: 1}\njoints:", "12:3", "nothing connects body 'loose' to ground"),
    ("type: revolute", "type: revolut", "14:11", "'revolut' is not known here; did you mean 'revolute'?"),
    ("    type: revolute\n", "", "13:3", "the entry 'type' is missing"),
    ("from: ground", "from: groud", "15:11", "refers to body 'groud', which does not exist; did you mean 'ground'?"),
    ("from: ground", "from: upper", "16:9", "connects body 'upper' with itself"),
    ("    to: upper\n", "", "13:3", "the entry 'to' is missing"),
    ("axis: y", "axis: [0, 0, 0]", "17:11", "the axis of revolute joint 'shoulder' is zero"),
    ("axis: y", "axis: w", "17:11", "'w' is no direction"),
    ("axis: y", "axis: [0, 1]", "17:11", "2 values where three components belong"),
    ("axis: y", "axxis: y", "17:5", "unknown key 'axxis'; did you mean 'axis'?"),
    ("axis: y", "initial: [1, 2]", "17:14", "has 1 coordinates but 2 entries of 'initial'"),
    ("axis: y", "speeds: [a, b]", "17:13", "has 1 speeds but 2 names"),
    ("axis: y", "speeds: m1", "17:13", "speed 'm1' has the name of a parameter"),
    ("axis: y", "coordinates: sin", "17:18", "has a meaning of its own"),
    ("axis: y", "coordinates: t", "17:18", "has a meaning of its own"),
    ("axis: y", "cut: maybe", "17:10", "'maybe' is not known here"),
    ("axis: y", "cut: cut", "13:3", "forced to be cut but lies in no loop"),
    ("axis: y", "actuated: 1", "17:15", "neither true nor false"),
    ("axis: y", "weight: 1.5", "17:13", "no whole number"),
    ("axis: y", "armature: -1", "17:15", "the armature of revolute joint 'shoulder' is negative"),
    ("rpy: [0, 1.5707963267948966, 0.1]", "rpy: [0, 1, 2, 3]", "18:39", "4 values where three angles belong"),
    ("rpy: [0, 1.5707963267948966, 0.1]", "rotation: [[w, 1]]", "18:45", "this is no rotation"),
    ("rpy: [0, 1.5707963267948966, 0.1]", "rotation: [[z, nan]]", "18:49", "not a finite number"),
    ("rpy: [0, 1.5707963267948966, 0.1]", "quaternion: [0, 0, 0, 0]", "18:46", "a quaternion of"),
    ("rpy: [0, 1.5707963267948966, 0.1]", "rpy: [0, 0, 1], rotation: [[z, 1]]", "18:34", "rotation and rpy at one"),
    ("rpy: [0, 1.5707963267948966, 0.1]", "rpy: [0, 0, 1], quaternion: [1, 0, 0, 0]", "18:50", "rpy and quaternion"),
    ("[spherical, upper, lower]", "{type: spherical, from: upper, to: lower, axis: x}", "19:52", "'axis' means"),
    ("[spherical, upper, lower]", "{type: fixed, from: upper, to: lower, armature: 1}", "19:48", "'armature'"),
    ("axis: y", "second_axis: y", "17:5", "'second_axis' means nothing for a revolute joint"),
    ("axis: y", "pitch: 0.1", "17:5", "'pitch' means nothing for a revolute joint"),
    ("type: revolute", "type: helical", "13:3", "helical joint 'shoulder' has no pitch"),
    ("[spherical, upper, lower]", "[spherical, upper]", "19:10", "2 entries where a joint belongs"),
    ("[spherical, upper, lower]", "[spherical, upper, lowr]", "19:29", "refers to body 'lowr'"),
    ("[spherical, upper, lower]", "[ball, upper, lower]", "19:11", "'ball' is not known here"),
    ("[spherical, upper, lower]", "spherical", "19:10", "no table where one belongs"),
    ("type: actuator", "type: aktuator", "21:17", "there is no type 'aktuator' here"),
    ("type: actuator, ", "", "21:3", "the entry 'type' is missing"),
    ("joint: shoulder, input", "joint: shulder, input", "21:34", "refers to joint 'shulder'"),
    ("input: motor", "input: moter", "21:51", "refers to the control input 'moter'"),
    ("index: 1", "index: 3", "22:49", "acts on speed 3 of spherical joint 'elbow', which has 3"),
    ("sin(t)", "sin(x)", "22:86", "unknown name x"),
    ("[0, 0, -l1/2]", "[0, max(0, l1), 0]", "9:25", "the text 'max(0' ends at a comma"),
    ("sin(t)", "min(1, sin(t))", "22:64", "+ min(1' ends at a comma, as text without quotes does in brackets; put"),
    ("sin(t)", "min(1, t, sin(t))", "22:64", "+ min(1' ends at a comma"),
    ("joint: elbow, ", "joint: elbow, damping: 1, ", "22:42", "unknown key 'damping'"),
    ("l1: {value: 0.50", "l1: {value: inf", "3:15", "not a finite number"),
    ("l1: {value: 0.50", "l1: {valu: 0.50", "3:8", "unknown key 'valu'; did you mean 'value'?"),
    ("  l1: {", "  1l: {", "3:3", "is no identifier"),
    ("  l1: {", "  lambda: {", "3:3", "is a word of the expression language"),
    ("  l1: {", "  pi: {", "3:3", "has a meaning of its own"),
    ("  m1: 2.5", "  m1: m1", "4:7", "unknown name m1"),
    ("  m1: 2.5", "  m1: 2.5\n  m1: 3", "5:3", "'m1' is given twice, first in line 4"),
    ("{motor: N m}", "{m1: N m}", "5:10", "control input 'm1' has the name of a parameter"),
    ("name: arm", "name: ../arm", "1:7", "the model's name holds '..'"),
    ("name: arm", "nam: arm", "1:1", "unknown key 'nam'; did you mean 'name'?"),
    ("name: arm", "name: [arm]", "1:7", "a list where a name belongs"),
    ("name: arm", "name: arm\ngravity: [0, 0]", "2:10", "2 values where three values belong"),
    ("name: arm", "name: arm\ncouplings: {elbow: {source: shoulder}}", "2:13", "which has 3 degrees of freedom"),
    ("name: arm", "name: arm\ncouplings: {shoulder: {source: nobody}}", "2:32", "refers to joint 'nobody'"),
    ("name: arm", "name: arm\ncouplings: {shoulder: {source: shoulder}}", "2:32", "couplings go round in a circle"),
    ("name: arm", "name: arm\nbodies: {}", "7:1", "'bodies' is given twice"),
    ("name: arm", "name: arm\n---", "2:1", "a second document"),
    ("name: arm", "name: arm: b", "1:10", "no valid YAML"),
    ("name: arm", "name: [arm", "2:11", "no valid YAML"),
    ("name: arm", "\tname: arm", "1:1", "no valid YAML"),
    ("name: arm", "name: *arm", "1:7", "no valid YAML"),
    ("name: arm", "name: a\0rm", "1:8", "has no place in a model file"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "message"), MISTAKES, ids=[f"{m[2]}-{m[3][:40]}" for m in MISTAKES])
def test_every_mistake_is_found_where_it_is(refused: Any, old: str, new: str, place: str, message: str) -> None:
    assert old in ARM
    refused(read, ARM.replace(old, new, 1), "arm.yaml", place, message)


def test_all_errors_are_told_at_once() -> None:
    with pytest.raises(FormatError) as caught:
        read(ARM.replace("mass: m1", "mass: x1").replace("axis: y", "axis: [0, 0, 0]"))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("arm.yaml:8:11: unknown name x1")
    assert lines[1].startswith("arm.yaml:17:11: the axis of revolute joint 'shoulder' is zero")


def test_a_coupling_without_numbers_passes_motion_on() -> None:
    body = "{mass: 1, inertia: [1, 1, 1]}"
    text = f"bodies: {{a: {body}, b: {body}}}\njoints: {{j: [revolute, ground, a], k: [revolute, a, b]}}\n"
    (coupling,) = read(f"{text}couplings: {{k: {{source: j}}}}\n").couplings
    assert (evaluate(coupling.ratio), evaluate(coupling.offset)) == (1, 0)


def test_a_stated_mass_of_zero_is_no_topology() -> None:
    with pytest.raises(FormatError, match=r"arm\.yaml:1:20: body 'a' has a mass of zero"):
        read("bodies: {a: {mass: 0}}\njoints: {j: [revolute, ground, a]}\n")


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        (b"", "1:1", "the file is empty"),
        (b" \n\n", "1:1", "the file is empty"),
        (b"# only a comment\n", "1:1", "the file is empty"),
        (b"name: arm\ndescription: caf\xe9\n", "2:17", "byte 0xe9 is not UTF-8"),
        (b"\xff\xfen\0", "1:1", "not UTF-8"),
        (b"#" * 32_000_001, "1:1", "more than 32 MB"),
        (b"[" * 500_000, "1:41", "nested too deeply"),
        (b"- " * 500_000, "1:81", "nested too deeply"),
        (b"name: x\nground: \x07\n", "2:9", "no place in a model file"),
        ("name: x\ndescription: a\N{LINE SEPARATOR}b: 2\n".encode(), "2:15", "no place in a model file"),
        (b"{a: " * 30, "1:", ""),
        (b"- 1\n", "1:1", "no table where one belongs"),
        (b"hello\n", "1:1", "no table where one belongs"),
        (b"bodies: &a {x: *a}\n", "", ""),
    ],
)
def test_files_that_are_no_models_are_refused(tmp_path: Path, content: bytes, place: str, message: str) -> None:
    path = tmp_path / "m.yaml"
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:{place}")
    assert message in str(caught.value)


def test_a_bomb_of_aliases_is_refused() -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 12)]
    with pytest.raises(FormatError, match="more than 200000 entries, aliases counted"):
        read("\n".join(lines))


def test_a_circular_alias_is_refused() -> None:
    with pytest.raises(FormatError, match="an alias that contains itself"):
        read("bodies: &a [*a]\n")


@pytest.mark.parametrize("name", example_names())
def test_examples_survive_writing_and_reading(name: str) -> None:
    model = load_native(example_path(name))
    text = dump_native(model)
    again = read_native(TextSource("again.yaml", text))
    assert again == model
    assert dump_native(again) == text


EVERYTHING = Model(
    name="everything",
    description="All kinds: of # things",
    gravity=(0, "-9.81", 0),
    ground="0",
    parameters=(Parameter("k", "1.50", "N/m", True), Parameter("c", "2*k")),
    inputs=(ControlInput("u"), ControlInput("w", "N m")),
    bodies=(
        Body("1", 1, ("0.1", 0, 0), (1, 1, 1, "0.01", 0, "-0.02")),
        Body("body two", "c", (0, 0, 0), (1, 1, 1, 0, 0, 0), "frame"),
        Body("true", 1, inertia=(1, 1, 1, 0, 0, 0)),
        Body("null", 1, inertia=(1, 1, 1, 0, 0, 0)),
    ),
    joints=(
        Joint(
            "a",
            "revolute",
            "0",
            "1",
            (0, -1, 0),
            armature="0.01",
            coordinates=("phi",),
            lower=(-1,),
            upper=("k",),
            weight=3,
        ),
        Joint(
            "b",
            "universal",
            "1",
            "body two",
            (1, 0, 0),
            (0, 0, 1),
            Placement((1, 2, "3.0"), (("z", "pi/2"), ("x", "0.1"))),
            initial=("0.1", "0.2"),
        ),
        Joint("c: d", "free", "body two", "true", actuated=True, speeds=("a1", "a2", "a3", "a4", "a5", "a6")),
        Joint("e", "helical", "0", "null", pitch="0.1", predecessor_placement=Placement(quaternion=(1, "0.5", 0, 0))),
        Joint("f", "prismatic", "null", "1", (0, 1, 1), cut="cut", reaction_wanted=True, effort=(5,), velocity=(1,)),
    ),
    forces=(
        JointSpring("s", "a", "k", "0.1"),
        JointDamper("d", "b", "c", 1),
        JointFriction("f", "a", 1),
        JointFriction("g", "a", 1, "0.02"),
        Actuator("m", "a", "u", -2),
        JointForce("law", "a", "-k*phi + atan2(v_b_1, 1)*w if t > 1 else 0"),
        PointSpringDamper("p", "0", "true", 1, 2, 3, (1, 0, 0), (0, "c", 0)),
        AppliedWrench("w", "null", ("u", 0, "sin(t)"), (0, 0, "phi"), (1, 0, 0), "body"),
    ),
    couplings=(Coupling("e", "f", "-0.5", "k"),),
    constraints=(
        DistanceConstraint("rod", "1", "null", "1.5", (1, 0, 0)),
        PointOnLineConstraint("slot", "1", "true", line_direction=(0, 0, 1), second_point=("k", 0, 0)),
        GearConstraint("gear", "a", "e", 2),
        LinearCoupling("tendon", ("a", "e", "f"), (1, "-0.5", "k"), "k"),
    ),
)


def test_everything_survives_writing_and_reading() -> None:
    model = replace(EVERYTHING, couplings=(), joints=tuple(replace(j, cut="auto") for j in EVERYTHING.joints))
    assert set(JOINT_TYPES) - {joint.type for joint in model.joints} == {
        "cylindrical",
        "spherical",
        "planar",
        "fixed",
    }
    for candidate in (model, replace(model, free_roots=True, accept_impossible_inertia=True)):
        assert read_native(TextSource("x.yaml", dump_native(candidate))) == candidate


def test_numbers_of_every_kind_are_written_exactly() -> None:
    numbers = (0.1, Decimal("0.10"), Fraction(1, 3), 7, 1e-300, 1e22)
    text = dump_native(Model("n", (Body("b"),), (), gravity=numbers[:3]))  # type: ignore[arg-type]
    assert "gravity: [0.1, 0.10, 1/3]" in text
    text = dump_native(Model("n", (Body("b"),), (), gravity=numbers[3:]))  # type: ignore[arg-type]
    assert "gravity: [7, 1e-300, 1e+22]" in text


def test_sympy_is_written_as_text() -> None:
    import sympy

    l, m = sympy.symbols("l m")
    body = Body("b", m, (0, 0, -l / 2), (m * l**2 / 12 + sympy.Float("0.1"), sympy.sin(l), sympy.Max(l, m), 0, 0, 0))
    model = Model("n", (body,), (Joint("j", "free", "ground", "b"),), parameters=(Parameter("l", 1), Parameter("m", 1)))
    again = read_native(TextSource("x.yaml", dump_native(replace(model, accept_impossible_inertia=True))))

    values = {"l": 0.7, "m": 0.3}
    for before, after in zip(body.inertia, again.bodies[0].inertia, strict=True):
        assert evaluate(before, values) == pytest.approx(evaluate(after, values), rel=1e-15)


decimals = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=0, max_value=1000).map(str)
names = st.text("abcXYZ019 _-.:+/()[],#@'äπ", min_size=1, max_size=12)


@given(st.lists(st.tuples(names, decimals), min_size=1, max_size=5, unique_by=lambda item: item[0]), names)
def test_any_names_and_numbers_survive(items: list[tuple[str, str]], ground: str) -> None:
    model = Model(
        "random",
        tuple(Body(name, f"1{mass}", ("0.1", mass, 0), (1, 1, 1, 0, 0, 0)) for name, mass in items),
        tuple(Joint(name, "free", ground, name) for name, _ in items),
        ground=ground,
    )
    text = dump_native(model)
    try:
        assert read_native(TextSource("x.yaml", text)) == model
    except FormatError as error:
        assert "name" in error.what or "itself" in error.what  # such names are refused whoever writes them


def test_names_in_lists_that_open_a_bracket_survive() -> None:
    bodies = tuple(Body(name, 1, inertia=(1, 1, 1)) for name in "ab")
    joints = (Joint("j(", "free", "ground", "a"), Joint("k", "free", "a", "b"))
    model = Model("n", bodies, joints, coordinate_order=("j(", "k"))
    assert read_native(TextSource("x.yaml", dump_native(model))) == model


def test_flags_counts_and_lists_of_any_kind_are_read_back() -> None:
    """What loops over arrays give: truth values and whole numbers of NumPy, and lists where tuples are meant."""
    model = Model(
        "m",
        (Body("b", 1, (0, 0, 0), (1, 1, 1, 0, 0, 0)), Body("c", 1, (0, 0, 0), (1, 1, 1, 0, 0, 0))),
        (
            Joint("j", "revolute", "ground", "b", actuated=np.True_, reaction_wanted=1),  # type: ignore[arg-type]
            Joint("k", "revolute", "b", "c", actuated=np.False_, weight=np.int64(3)),  # type: ignore[arg-type]
        ),
        parameters=(Parameter("a", 1, symbolic=np.True_),),  # type: ignore[arg-type]
        shapes=(Shape("b", Sphere(1), color=[1, 0, 0, 1]),),  # type: ignore[arg-type]
    )
    found = read_native(TextSource("m.yaml", dump_native(model)))
    assert [joint.actuated for joint in found.joints] == [True, False] and found.joints[0].reaction_wanted is True
    assert found.joints[1].weight == 3 and found.parameters[0].symbolic is True
    assert found.shapes[0].color == (1, 0, 0, 1)


@given(st.text(max_size=200))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    with contextlib.suppress(MbsymError):
        read(text)


@given(st.integers(0, len(ARM) - 1), st.integers(0, 12), st.text("[]{}:,-&*!|>'\"#%@` \n\tax01.e+", max_size=6))
def test_no_change_of_a_file_makes_the_reader_fail(position: int, length: int, insertion: str) -> None:
    try:
        read(ARM[:position] + insertion + ARM[position + length :])
    except MbsymError as error:
        assert "arm.yaml" in str(error)


@given(st.binary(max_size=100))
def test_no_bytes_make_the_loader_fail(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.yaml"
    path.write_bytes(content)
    with contextlib.suppress(MbsymError):
        load(path)

"""Python takes what files take: words for axes, three inertias, triples of angles; and matrices of SymPy and NumPy."""

from __future__ import annotations

import ast
from dataclasses import fields, replace
from inspect import getsource, signature
from textwrap import dedent

import numpy as np
import pytest
import sympy as sp

from mbsym import AppliedWrench, Body, Joint, MbsymError, Model, Placement, PointOnLineConstraint, generate
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.model.joint import JointEntries
from mbsym.pipeline import generate_files

PLAIN = Joint("pin", "revolute", "ground", "rod", (0, 1, 0), predecessor_placement=Placement((1, 2, 3)))


@pytest.mark.parametrize("axis", ["y", [0, 1, 0], sp.Matrix([0, 1, 0]), np.array([0, 1, 0])])
def test_a_direction_is_a_word_or_three_of_anything(axis: object) -> None:
    joint = Joint("pin", "revolute", "ground", "rod", axis, predecessor_placement=[1, 2, 3])  # type: ignore[arg-type]
    assert joint == PLAIN and hash(joint) == hash(PLAIN)


@pytest.mark.parametrize(
    "inertia",
    [
        (1, 2, 3, 0.5, 0, 0),
        [1, 2, 3, 0.5, 0, 0],
        {"xx": 1, "yy": 2, "zz": 3, "xy": 0.5},
        [[1, 0.5, 0], [0.5, 2, 0], [0, 0, 3]],
        np.array([[1, 0.5, 0], [0.5, 2, 0], [0, 0, 3]]),
    ],
)
def test_an_inertia_has_six_entries_names_or_a_matrix(inertia: object) -> None:
    assert Body("rod", 1, inertia=inertia) == Body("rod", 1, inertia=(1, 2, 3, 0.5, 0, 0))  # type: ignore[arg-type]


def test_three_principal_inertias_and_symbols() -> None:
    m, l = sp.symbols("m l")
    body = Body("rod", m, sp.Matrix([0, 0, -l / 2]), sp.diag(m * l**2 / 12, m * l**2 / 12, 0))
    assert body.center_of_mass == (0, 0, -l / 2)
    assert body.inertia == Body("rod", inertia=[m * l**2 / 12, m * l**2 / 12, 0]).inertia == (
        m * l**2 / 12, m * l**2 / 12, 0, 0, 0, 0
    )  # fmt: skip


@pytest.mark.parametrize("turns", [(("z", 0.3), ("x", -1.2)), (("y", sp.pi),), (("z", sp.pi), ("x", sp.pi / 2))])
def test_a_rotation_matrix_turns_as_its_angles_do(turns: tuple[tuple[str, float], ...]) -> None:
    matrix = sp.eye(3)
    about = {"x": sp.rot_axis1, "y": sp.rot_axis2, "z": sp.rot_axis3}
    for axis, angle in turns:
        matrix = matrix * about[axis](-angle)
    by_matrix, by_angles = Placement(rotation=matrix.evalf(25)), Placement(rotation=turns)  # type: ignore[arg-type]
    assert by_matrix.rotation == () and by_matrix.quaternion is not None
    poses = [_turned(placement) for placement in (by_matrix, by_angles)]
    assert np.allclose(*poses, atol=1e-14)


def _turned(placement: Placement) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Where a body stands whose joint is placed so."""
    from mbsym.codegen.load import numpy_module

    body = Body("rod", 1, inertia=(1, 1, 1))
    joint = Joint("slide", "prismatic", "ground", "rod", "z", predecessor_placement=placement)
    files = generate_files(Model("turned", (body,), (joint,)))[1]
    module = numpy_module(*(next(file for file in files if file.name.endswith(end)) for end in (".py", ".json")))
    return np.asarray(module.functions["body_poses"]([0.7]))[0]


def test_angles_and_quaternions() -> None:
    assert Placement.from_rpy(0.1, 0, 0.3) == Placement(rotation=(("z", 0.3), ("x", 0.1)))
    assert Placement([0, 0, 1], quaternion=[1, 0, 0, 0]) == Placement((0, 0, 1), quaternion=(1, 0, 0, 0))


def test_one_value_stands_for_a_list_of_one() -> None:
    joint = Joint("pin", "revolute", "ground", "rod", coordinates="theta", speeds=["omega"], initial=0.2, lower=-1)
    assert (joint.coordinates, joint.speeds, joint.initial, joint.lower) == (("theta",), ("omega",), (0.2,), (-1,))


def test_vectors_of_elements_are_any_three() -> None:
    assert AppliedWrench("push", "rod", force=sp.Matrix([1, 0, 0])) == AppliedWrench("push", "rod", force=(1, 0, 0))
    found = PointOnLineConstraint("slot", "rod", "ground", line_direction="x")  # type: ignore[arg-type]
    assert found.line_direction == (1, 0, 0)


def test_the_file_and_its_words_in_python_are_one_model() -> None:
    text = (
        "name: pendulum\nbodies:\n  rod: {mass: m, center_of_mass: [0, 0, -l/2], inertia: [m*l**2/12, m*l**2/12, 0]}\n"
        "joints:\n  pin: {type: revolute, from: ground, to: rod, axis: y, at: [0, 0, 1], initial: 0.1}\n"
        "parameters: {m: 1.5, l: 0.4}\n"
    )
    from_file = read_native(TextSource("pendulum.yaml", text))
    rod = Body("rod", "m", [0, 0, "-l/2"], ["m*l**2/12", "m*l**2/12", 0])
    pin = Joint("pin", "revolute", "ground", "rod", axis="y", predecessor_placement=[0, 0, 1], initial="0.1")
    assert (rod, pin) == (from_file.bodies[0], from_file.joints[0])


def test_what_is_no_direction_or_inertia_is_refused_by_name() -> None:
    with pytest.raises(MbsymError, match="axis of joint 'pin': 'up' is no direction; say x, y, z"):
        Joint("pin", "revolute", "ground", "rod", axis="up")  # type: ignore[arg-type]
    with pytest.raises(MbsymError, match="inertia of body 'rod': the inertia matrix is not symmetric"):
        Body("rod", inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(MbsymError, match="an inertia has no entry 'xz2'"):
        Body("rod", inertia={"xz2": 1})
    with pytest.raises(MbsymError, match="axis"):
        generate(
            Model("m", (Body("rod", 1, inertia=(1, 1, 1)),), (Joint("pin", "revolute", "ground", "rod", [0, 1]),)), "."
        )


def test_numbers_of_a_joint_are_given_by_name() -> None:
    screw = Joint("screw", "helical", "ground", "rod", pitch=0.1)
    assert screw == Joint("screw", "helical", "ground", "rod", numbers={"pitch": 0.1})
    assert (screw.pitch, screw.values, screw.numbers) == (0.1, (0.1,), (("pitch", 0.1),))
    assert replace(screw, pitch="p").pitch == replace(screw, numbers={"pitch": "p"}).pitch == "p"
    assert replace(screw, armature=2).pitch == 0.1
    assert Joint("pin", "revolute", "ground", "rod", pitch=0).numbers == () and len({screw, screw}) == 1


def test_checkers_see_each_entry_of_a_joint() -> None:
    own = [name for name in signature(Joint).parameters if name != "entries"]
    assert {*own, *JointEntries.__annotations__} == {*(item.name for item in fields(Joint)), "pitch"}
    assert set(own).isdisjoint(JointEntries.__annotations__)


def test_a_joint_has_no_other_entries() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'axle'"):
        Joint("pin", "revolute", "ground", "rod", axle="x")  # type: ignore[call-arg]


@pytest.mark.parametrize("kind", [Placement, Body])
def test_checkers_see_the_arguments_that_there_are(kind: type) -> None:
    """The signature for type checkers names the fields in their order."""
    (definition,) = ast.parse(dedent(getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    (block,) = [node for node in definition.body if isinstance(node, ast.If)]
    (signature,) = block.body
    assert isinstance(signature, ast.FunctionDef)
    assert [item.arg for item in signature.args.args[1:]] == [item.name for item in fields(kind)]

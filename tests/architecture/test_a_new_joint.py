"""What a new type of joint costs: one record, and one in the reference. A cam is added here to show what it reaches.

The cam turns about its axis and slides along it by ``rise * sin(angle)``: it takes a number that no listed type takes,
and its H depends on the coordinate, so H-dot v is not zero, which no type of one freedom that is listed has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.formats.native.schema import json_schema
from mbsym.formats.native.text import dump_native
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force.leaf_to_root import CFA_FUNCTIONS
from mbsym.formulations.kane.closed_form import KANE_FUNCTIONS
from mbsym.joints.closure_rows import ClosureGap, RowDraft, aligned_axes, point_on_axis
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import ANGLE, JointNumber, JointType, shape_of_rates
from mbsym.joints.registry import JOINT_TYPES
from mbsym.joints.subspaces import about_one_axis
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.system import Model
from mbsym.model.validate import validate
from mbsym.reference.joint_types import NONE, REFERENCE_JOINTS, ReferenceJoint
from mbsym.reference.rotations import angle_about, rotation_about
from mbsym.spatial.rotation import about_axis
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import cross, dot, negate, scale, subtract, vector, zero_vector
from mbsym.symbolic.equality import compare
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, cos, sin
from mechanisms.examples import further
from mechanisms.random_mechanisms import random_closed_loops, random_tree

# ---- the record -----------------------------------------------------------------------------------------------------


def motion(graph: Graph, q: tuple[Scalar, ...], v: tuple[Scalar, ...], numbers: tuple[Scalar, ...]) -> JointMotion:
    (rise,), zero = numbers, zero_vector(graph)
    s, c = rise * sin(q[0]), rise * cos(q[0])
    return JointMotion(
        Transform(about_axis(2, q[0]), (zero[0], zero[1], s)),
        ((vector(graph, (0, 0, 1)), (zero[0], zero[1], c)),),
        (zero, (zero[0], zero[1], -s * v[0] * v[0])),
        v,
    )


def closure_rows(gap: ClosureGap) -> list[RowDraft]:
    """Equal axes, and the place along them that the angle demands: sin and cos of it stand in the rotation matrix."""
    x, y, axis, unit = gap.axis(0), gap.axis(1), gap.axis(2), gap.unit
    half = gap.numbers[0] / 2
    sine, cosine = half * (y[0] - x[1]), half * (x[0] + y[1])
    # Rates of the axes of P are w x axis.
    turn = scale(subtract(cross(y, unit[0]), cross(x, unit[1])), half)
    omega = gap.twist[0]
    bend = half * (cross(omega, x)[0] + cross(omega, y)[1])
    advance = RowDraft(
        "rise of the cam",
        "m",
        -dot(axis, gap.place) - sine,
        (negate(turn), negate(axis)),
        (scale(unit[2], cosine), negate(unit[2])),
        (scale(unit[2], bend), gap.zero),
    )
    return [*aligned_axes(gap), *point_on_axis(gap), advance]


CAM = JointType(
    name="cam",
    sentence="rotation about an axis, and along it a rise times the sine of the angle",
    shape=shape_of_rates(("", ANGLE)),
    entries=("axis",),
    numbers=(JointNumber("rise", "amplitude of the motion along the axis", "m", "give rise: metres"),),
    turning="about its axis",
    slides=True,
    motion=motion,
    subspaces=about_one_axis,
    closure_rows=closure_rows,
    tie_break=4,
    convention="Cam: q = (angle), the way along the axis is rise sin(q).",
    likelihood=20,
)

REFERENCE_CAM = ReferenceJoint(
    "cam",
    lambda joint, q: (rotation_about(joint.axis, q[0]), joint.axis * (joint.numbers[0] * np.sin(q[0]))),
    lambda joint, P, S, q: [(P @ joint.axis, P @ joint.axis * (joint.numbers[0] * np.cos(q[0])), False)],
    lambda joint, rotation, origin: np.array([angle_about(joint.axis, rotation)]),
    change=lambda joint, P, q, v: np.concatenate([NONE, P @ joint.axis * (-joint.numbers[0] * np.sin(q[0]) * v[0])])[
        :, None
    ],
)

# ---- what it reaches ------------------------------------------------------------------------------------------------

PRESS = """
name: press
gravity: [0, 0, -9.81]
bodies:
  wheel: {mass: 2, inertia: [0.02, 0.02, 0.03], center_of_mass: [0.1, 0, 0.05]}
  follower: {mass: 1, inertia: [0.01, 0.02, 0.02], center_of_mass: [0, 0.1, 0]}
joints:
  shaft: {type: cam, from: ground, to: wheel, axis: [1, 2, 2], rise: 0.2}
  back: {type: cam, from: follower, to: wheel, axis: y, at: [0.1, 0.2, 0], rise: -0.1}
"""


@pytest.fixture(autouse=True)
def cam() -> Iterator[None]:
    with JOINT_TYPES.including(CAM), REFERENCE_JOINTS.including(REFERENCE_CAM):
        yield


@pytest.fixture
def press(tmp_path: Path) -> Model:
    path = tmp_path / "press.yaml"
    path.write_text(PRESS, encoding="utf-8")
    return mbsym.load(path)


def cams(model: Model) -> set[str]:
    return {joint.name for joint in model.joints if joint.type == CAM.name}


def test_schema_reader_and_writer_know_it(press: Model) -> None:
    joint = json_schema()["$defs"]["JointTable"]["anyOf"]
    assert joint[0]["properties"]["type"]["enum"][-1] == "cam"
    assert CAM.sentence in joint[0]["properties"]["type"]["description"]
    assert joint[1]["prefixItems"][0]["enum"][-1] == "cam"
    assert press.joint("shaft").kind is CAM and press.joint("shaft").values == ("0.2",)
    assert validate(press) == ()
    assert "type: cam" in dump_native(press) and "rise: -0.1" in dump_native(press)
    assert joint[0]["properties"]["rise"]["description"] == "Of cam joints: amplitude of the motion along the axis [m]."
    assert press.label().flipped == ("back",)


def test_headers_and_messages_know_it(press: Model, tmp_path: Path) -> None:
    text = {path.suffix: path.read_text(encoding="utf-8") for path in mbsym.generate(press, tmp_path).paths}
    assert CAM.convention in text[".h"] and CAM.convention in text[".py"]
    assert all(
        kind.convention not in text[".h"] for kind in JOINT_TYPES.values() if kind is not CAM and kind.convention
    )
    without = mbsym.generate("double_pendulum", tmp_path, functions=("mass_matrix",))
    assert all(CAM.convention not in path.read_text(encoding="utf-8") for path in without.paths)
    found = validate(replace(press, joints=(replace(press.joints[0], type="camm"), *press.joints[1:])))
    assert [item.remedy for item in found] == ["did you mean 'cam'?"]
    still = replace(press, joints=(replace(press.joints[0], numbers=()), *press.joints[1:]))
    assert [item.what for item in validate(still)] == ["cam joint 'shaft' has no rise"]


def test_random_trees_draw_it_in_both_directions() -> None:
    models = [random_tree(seed, bodies=6) for seed in range(8)]
    assert all(cams(model) for model in models)
    flipped = {name in model.label().flipped for model in models for name in cams(model)}
    assert flipped == {False, True}


@pytest.mark.parametrize("seed", range(4))
def test_formulations_agree_exactly_on_trees_with_it(seed: int) -> None:
    model = random_tree(seed, bodies=3, joint_types=("cam", "universal"), couplings=False)
    mechanism = build_mechanism(model, model.label())
    for functions in (KANE_FUNCTIONS, CFA_FUNCTIONS):
        for name, derive in functions.items():
            assert compare(derive(mechanism), TREE_FUNCTIONS[name](mechanism), trials=1), name


@pytest.mark.parametrize("formulation", ["auto", "cfa", *further("newton-euler", "kane")])
def test_generated_code_is_certified(press: Model, tmp_path: Path, formulation: str) -> None:
    mbsym.generate(press, tmp_path, formulation=formulation)
    mbsym.verify(tmp_path, states=5).raise_on_failure()


@pytest.mark.more
def test_it_closes_loops_in_certified_code() -> None:
    model, _ = random_closed_loops(4, loops=1, cut_types=("cam",), planar=False, constraints=False, forces=False)
    joints = tuple(replace(joint, cut="cut" if joint.name == "loop 1" else "tree") for joint in model.joints)
    model = replace(model, joints=joints)
    assert model.label().cut_joints == ("loop 1",) and "loop 1" in cams(model)
    mbsym.verify(model, states=5).raise_on_failure()


def test_it_is_simulated(press: Model) -> None:
    run = mbsym.simulate(press, 0.5, initial={"v_shaft": 3.0})
    assert np.abs(run.monitors.energy_drift).max() < 1e-8

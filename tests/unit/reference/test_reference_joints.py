"""What coordinates and speeds of each joint type mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference, complex_difference
from mbsym.reference.joint_types import REFERENCE_JOINTS
from mbsym.reference.mechanism import numeric_joint
from mbsym.reference.rotations import quaternion_rotation, rotation_about
from mechanisms.one_joint import one_joint

X, Y, Z = np.eye(3)
HALF = np.sqrt(0.5)
TYPES = sorted(JOINT_TYPES)


def pose(kind: str, q: list[float], **options: Any) -> np.ndarray:
    return Reference(one_joint(kind, **options)).poses(q)[0]  # type: ignore[arg-type]


def assert_pose(found: np.ndarray, rotation: np.ndarray, origin: list[float]) -> None:
    assert found[:3, :3] == pytest.approx(rotation, abs=1e-15)
    assert found[:3, 3] == pytest.approx(np.array(origin), abs=1e-15)


def test_placements_of_every_type() -> None:
    assert_pose(pose("revolute", [0.3], axis=(0, 2, 0)), rotation_about(Y, 0.3), [0, 0, 0])
    assert_pose(pose("prismatic", [0.3], axis=(0, -4, 0)), np.eye(3), [0, -0.3, 0])
    assert_pose(pose("helical", [0.5], axis=(1, 0, 0), pitch="1/5"), rotation_about(X, 0.5), [0.1, 0, 0])
    assert_pose(pose("cylindrical", [0.2, 0.7]), rotation_about(Z, 0.7), [0, 0, 0.2])
    assert_pose(
        pose("universal", [0.2, 0.7], axis=(0, 1, 0), second_axis=(0, 0, 1)),
        rotation_about(Y, 0.2) @ rotation_about(Z, 0.7),
        [0, 0, 0],
    )
    quaternion = [HALF, 0, 0, HALF]
    assert_pose(pose("spherical", quaternion), rotation_about(Z, np.pi / 2), [0, 0, 0])
    assert_pose(pose("free", [*quaternion, 1, 2, 3]), rotation_about(Z, np.pi / 2), [1, 2, 3])
    assert_pose(pose("fixed", []), np.eye(3), [0, 0, 0])


def test_planar_coordinates_run_along_the_turned_frame() -> None:
    assert_pose(pose("planar", [1, 2, 0.3]), rotation_about(Z, 0.3), [1, 2, 0])
    # The smallest rotation from z to x takes x to -z and leaves y.
    assert_pose(pose("planar", [1, 2, 0.3], axis=(1, 0, 0)), rotation_about(X, 0.3), [0, 2, -1])
    assert_pose(pose("planar", [1, 2, 0.3], axis=(0, 0, -1)), rotation_about(-Z, 0.3), [1, -2, 0])


def test_placements_on_both_bodies() -> None:
    near = Placement((1, 0, 0), (("z", "pi/2"), ("x", 0.4)))
    far = Placement((0, 0, 2), quaternion=(2, 0, 2, 0))
    found = pose("revolute", [0.3], predecessor_placement=near, successor_placement=far)
    rotation = rotation_about(Z, np.pi / 2) @ rotation_about(X, 0.4) @ rotation_about(Z, 0.3)
    turned_back = rotation @ rotation_about(Y, np.pi / 2).T
    assert_pose(found, turned_back, list(X - turned_back @ [0, 0, 2]))


@pytest.mark.parametrize("kind", TYPES)
def test_coordinates_are_read_off_a_pose(kind: str) -> None:
    rng = np.random.default_rng(3)
    joint = numeric_joint(Joint("j", kind, "a", "b", axis=(1, 2, -2), pitch=0.1), {})  # type: ignore[arg-type]
    q = rng.uniform(-1, 1, JOINT_TYPES[kind].shape.nq)
    if JOINT_TYPES[kind].quaternion is not None:
        q[:4] *= np.sign(q[0]) / np.linalg.norm(q[:4])
    if kind == "helical":
        q += 4 * np.pi  # the translation counts the turns
    law = REFERENCE_JOINTS[kind]
    assert law.coordinates(joint, *law.placement(joint, q)) == pytest.approx(q, abs=1e-14)


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("kind", TYPES)
def test_speeds_are_those_of_the_conventions(kind: str, flipped: bool) -> None:
    """The relative twist of S, from derivatives of the poses, is what the conventions say of v."""
    shape = JOINT_TYPES[kind].shape
    rng = np.random.default_rng(8)
    axis, other = np.array([1, 2, -2]) / 3, (2, 1, 2)
    bodies = ("b", "ground") if flipped else ("ground", "b")
    joint = Joint("j", kind, *bodies, axis=(1, 2, -2), second_axis=other, pitch=0.1)  # type: ignore[arg-type]
    reference = Reference(Model("one", (Body("b", 1),), (joint,)))
    q, v = rng.uniform(-1, 1, shape.nq), rng.uniform(-1, 1, shape.nv)
    if JOINT_TYPES[kind].quaternion is not None:
        q[:4] /= np.linalg.norm(q[:4])

    def placement(q: np.ndarray) -> np.ndarray:
        found = reference.poses(q)[0]
        if flipped:  # S is at rest in the base
            rotation, origin = found[:3, :3].T, -found[:3, :3].T @ found[:3, 3]
            found = np.vstack([np.column_stack([rotation, origin]), [0, 0, 0, 1]])
        return found

    S = placement(q)
    rate = complex_difference(reference.mechanism, placement, q, v)
    spin = rate[:3, :3] @ S[:3, :3].T
    omega, velocity = np.array([spin[2, 1], spin[0, 2], spin[1, 0]]), rate[:3, 3]
    zero = np.zeros(3)
    frame = reference.mechanism.joints[0].frame
    second = S[:3, :3] @ (np.array(other) / 3)
    expected = {
        "revolute": lambda: (axis * v[0], zero),
        "prismatic": lambda: (zero, axis * v[0]),
        "helical": lambda: (axis * v[0], 0.1 * axis * v[0]),
        "cylindrical": lambda: (axis * v[1], axis * v[0]),
        "universal": lambda: (axis * v[0] + second * v[1], zero),
        "planar": lambda: (axis * v[2], frame[:, 0] * v[0] + frame[:, 1] * v[1]),
        "spherical": lambda: (S[:3, :3] @ v, zero),
        "free": lambda: (S[:3, :3] @ v[:3], S[:3, :3] @ v[3:]),
        "fixed": lambda: (zero, zero),
    }[kind]()
    assert omega == pytest.approx(expected[0], abs=1e-14)
    assert velocity == pytest.approx(expected[1], abs=1e-14)


def test_quaternion_rate_is_that_of_the_pose() -> None:
    reference = Reference(one_joint("free"))
    q = np.array([0.5, -0.5, 0.5, 0.5, 1, 2, 3])
    v = np.array([1.0, 2, -1, 3, 0, 1])
    rate = reference.position_rate(q, v)
    stepped = reference.integrate_position(q, v, 1e-30j)
    assert stepped.imag / 1e-30 == pytest.approx(rate, abs=1e-14)
    assert rate[4:] == pytest.approx(quaternion_rotation(q[:4]) @ v[3:])

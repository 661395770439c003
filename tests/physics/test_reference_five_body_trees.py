"""Two five-body trees whose motion was worked out independently by the constraint force algorithm.

Source of the algorithm: Liu, Hu, Zhang: constraint force algorithm for tree-like multibody systems (2016). Numbers were
printed with nine decimals, which is the tolerance. A free joint's speeds stand linear first in these tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.reference.rotations import UNIT_VECTORS, rotation_about, rotation_quaternion

PARENTS = ("ground", "1", "1", "3", "3")
FREE_ORDER = (3, 4, 5, 0, 1, 2)
PRINTED = 2e-9


@dataclass(frozen=True)
class Case:
    """Joint types, coordinates by body, and the printed results in the table's order of speeds."""

    types: tuple[str, ...]
    coordinates: Mapping[str, list[float]]
    vdot: list[float]
    wrenches: list[list[float]]


def quaternion(*turns: tuple[str, float]) -> list[float]:
    rotation = np.eye(3)
    for axis, angle in turns:
        rotation = rotation @ rotation_about(np.array(UNIT_VECTORS[axis]), angle)
    return list(rotation_quaternion(rotation))


SPHERICAL = quaternion(("x", 0.2), ("y", -0.3), ("z", 0.5))
FIXED_BASE = Case(
    ("revolute", "spherical", "universal", "prismatic", "cylindrical"),
    {"1": [0.3], "2": SPHERICAL, "3": [0.4, -0.6], "4": [0.25], "5": [-0.15, 0.7]},
    [-0.774680213, 15.745219362, 10.128039990, 2.564066897, 11.354754904, 1.543947494, -8.906561411, -9.913308705,
     6.592246806],
    [[19.694686366, -23.485157744, 0.8, 11.952719376, 11.262649179, 85.608747920],
     [0.6, 0.4, 0.2, 7.122700907, 3.351257105, 16.143423005],
     [1.109740380, -0.2, 1.622103015, 21.286209642, 42.463445632, 28.880578936],
     [-0.437149871, 1.277157520, -0.685071471, 7.084169957, 6.150353630, -0.4],
     [-2.122510332, 3.831484949, -0.8, 25.831247683, 13.560001549, -0.6]],
)  # fmt: skip
FLOATING = Case(
    ("free", "spherical", "universal", "prismatic", "fixed"),
    {
        "1": [*quaternion(("z", 0.3), ("x", -0.2)), 0.1, 0.2, 0.3],
        "2": SPHERICAL,
        "3": [0.4, -0.6],
        "4": [0.25],
        "5": [],
    },
    [1.325600598, 1.259829173, -9.106783092, 20.011866625, 15.428064699, 1.959058404, -29.721627869, -10.579369108,
     -6.271568943, -21.007465221, -20.877060105, 0.511416104],
    [[0.2, 0, -0.2, 0.8, 0.6, 0.4],
     [-0.4, -0.6, -0.8, -0.916393338, 1.008549615, -0.230159149],
     [-1.264332534, -1.2, -0.077037543, -3.018319893, 4.152091717, -0.560858434],
     [0.567117654, -0.164475287, -0.690643604, 1.893217258, -4.941322790, -1.4],
     [-1.223131293, -1.077938488, 0.601388399, -1.724845626, 3.625503689, -0.951768498]],
)  # fmt: skip


def build(case: Case) -> Model:
    bodies, joints = [], []
    for i, (kind, parent) in enumerate(zip(case.types, PARENTS, strict=True), start=1):
        bodies.append(Body(str(i), 1 + i / 2, (0.1, 0.02 * i, 0.2), (0.02 * i, 0.03 * i, 0.04 * i, 0, 0, 0)))
        placement = Placement((0.3, 0.1 * i, 0.05), (("x", 0.1 * i), ("y", 0.2)))
        universal = kind == "universal"
        joints.append(
            Joint(
                f"joint {i}",
                kind,
                parent,
                str(i),
                axis=(1, 0, 0) if universal else (0, 0, 1),
                second_axis=(0, 1, 0) if universal else None,
                predecessor_placement=placement,
            )
        )
    return Model("tree", tuple(bodies), tuple(joints))


def table_places(reference: Reference) -> list[int]:
    """Place in v of each speed in the table's order."""
    places: list[int] = []
    for i in range(1, 6):
        joint = reference.mechanism.joints[reference.mechanism.joint_labels[f"joint {i}"] - 1]
        assert joint.speeds is not None
        own = list(range(joint.speeds.start, joint.speeds.stop))
        places += [own[k] for k in FREE_ORDER] if joint.type == "free" else own
    return places


@pytest.mark.parametrize("case", [FIXED_BASE, FLOATING], ids=["fixed base", "floating"])
def test_accelerations_and_wrenches(case: Case) -> None:
    reference = Reference(build(case))
    places = table_places(reference)
    numbers = np.arange(1, reference.nv + 1)
    q, v, tau = np.zeros(reference.nq), np.zeros(reference.nv), np.zeros(reference.nv)
    v[places], tau[places] = 0.1 * numbers, 1 - 0.2 * numbers
    for joint in reference.mechanism.tree_joints:
        q[joint.coordinates] = case.coordinates[joint.name.removeprefix("joint ")]
    assert reference.forward_dynamics(q, v, tau)[places] == pytest.approx(case.vdot, abs=PRINTED)
    wrenches = reference.joint_wrenches(q, v, tau)
    for i, wrench in enumerate(case.wrenches, start=1):
        label = reference.mechanism.joint_labels[f"joint {i}"]
        assert wrenches[label - 1] == pytest.approx(wrench, abs=PRINTED), f"joint {i}"


def test_bias_and_mass_matrix() -> None:
    reference = Reference(build(FIXED_BASE))
    places = table_places(reference)
    q, v = np.zeros(reference.nq), np.zeros(reference.nv)
    v[places] = 0.1 * np.arange(1, 10)
    for joint in reference.mechanism.tree_joints:
        q[joint.coordinates] = FIXED_BASE.coordinates[joint.name.removeprefix("joint ")]
    bias = [10.490849644, -1.273944829, -1.035231659, 0.846162709, -5.782159521, -14.675617793, 9.172690775,
            8.841777555, 0.006644756]  # fmt: skip
    assert reference.bias_force(q, v)[places] == pytest.approx(bias, abs=PRINTED)
    row = [4.527388, -0.1519605, 0.0235812, 0.1535046, -2.9462527, -0.222238, -1.4193807, -1.4214259, 0.4006096]
    M = reference.mass_matrix(q)[np.ix_(places, places)]
    assert M[0] == pytest.approx(row, abs=6e-8)  # printed with seven decimals
    assert np.diag(M) == pytest.approx([4.527388, 0.1232, 0.16, 0.1032, 3.655036, 2.3042622, 3, 3.5, 0.27], abs=6e-7)

"""Loops of a URDF by pairs of frames and by elements <loop>: accelerations against contacts of these in Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import read_urdf
from mbsym.formats.urdf.loop_file import parse_loops
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.symbolic.interpret import interpret
from mechanisms.mechanism import mechanism_of

Array = np.ndarray[Any, Any]

CONVERGED = 1e-9
"""Relative; Pinocchio solves for contacts by iteration."""

LINK = (
    '<link name="{0}"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 0 0"/><mass value="{1}"/>'
    '<inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.01" ixz="0" iyz="0.02"/></inertial></link>'
)
JOINT = (
    '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="{4}" rpy="{5}"/><axis xyz="{6}"/>'
    '<limit effort="9" velocity="9" lower="-9" upper="9"/></joint>'
)
# Seven joints lead to the hand on the left, two to that on the right; the hands meet where all joints are at zero.
LINKS = [
    ("base", 1),
    ("l1", 2),
    ("l2", 1.5),
    ("l3", 1),
    ("l4", 1),
    ("l5", 1),
    ("l6", 1),
    ("l7", 1),
    ("r1", 2),
    ("r2", 3),
]
JOINTS = [
    ("a1", "revolute", "base", "l1", "0 0 0.5", "0 0 0", "0 0 1"),
    ("a2", "revolute", "l1", "l2", "1 0 0", "0 0 0", "0 1 0"),
    ("a3", "revolute", "l2", "l3", "1 0 0", "0.2 0 0", "1 0 0"),
    ("a4", "prismatic", "l3", "l4", "0.5 0 0", "0 0 0", "0 1 1"),
    ("a5", "revolute", "l4", "l5", "0 0.5 0", "0 0 0", "1 1 0"),
    ("a6", "revolute", "l5", "l6", "0.3 0 0.2", "0 0 0", "0 0 1"),
    ("a7", "revolute", "l6", "l7", "0.1 0 0.2", "0 0 0", "0 1 0"),
    ("b1", "revolute", "base", "r1", "0 2 0", "0 0.4 0", "0 0 1"),
    ("b2", "revolute", "r1", "r2", "1 0 0", "0 0 0", "0 1 0"),
]
CHAINS = "".join(LINK.format(*entry) for entry in LINKS) + "".join(JOINT.format(*entry) for entry in JOINTS)


def tree() -> tuple[str, Any]:
    """The URDF with a frame on each hand, which coincide at zero, and Pinocchio's model of it."""
    bare = pin.buildModelFromXML(f'<robot name="pair">{CHAINS}</robot>')
    data = bare.createData()
    pin.framesForwardKinematics(bare, data, pin.neutral(bare))
    left, right = (data.oMf[bare.getFrameId(name)] for name in ("l7", "r2"))
    meeting = left * pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([0.2, 0.1, 0.0]))
    text = CHAINS
    for side, link, place in (("left", "l7", left), ("right", "r2", right)):
        local = place.inverse() * meeting
        xyz, rpy = (
            " ".join(map(repr, map(float, part))) for part in (local.translation, pin.rpy.matrixToRpy(local.rotation))
        )
        text += (
            f'<link name="{side}"/><joint name="{side}_hand" type="fixed"><parent link="{link}"/><child link="{side}"/>'
        )
        text += f'<origin xyz="{xyz}" rpy="{rpy}"/></joint>'
    return text, pin.buildModelFromXML(f'<robot name="pair">{text}</robot>')


def read(kind: str, way: str, text: str) -> Model:
    if way == "pairs":
        loops = parse_loops(TextSource("pair.yaml", f"closed_loop: [[left, right_hand]]\ntype: [{kind}]\n"))
        return read_urdf(TextSource("pair.urdf", f'<robot name="pair">{text}</robot>'), loops=loops)
    word = {"3d": "spherical", "6d": "fixed"}[kind]
    loop = f'<loop name="meet" type="{word}"><predecessor link="left"/><successor link="right"/></loop>'
    return read_urdf(TextSource("pair.urdf", f'<robot name="pair">{text}{loop}</robot>'))


@pytest.mark.parametrize("way", ["pairs", "loop"])
@pytest.mark.parametrize(("kind", "rank"), [("3d", 3), ("6d", 6)])
def test_accelerations_agree(kind: str, rank: int, way: str) -> None:
    text, twin = tree()
    model = read(kind, way, text)
    mechanism = mechanism_of(model)
    analysis = analyse_loops(mechanism)
    assert [body.joint.name for body in sorted(mechanism.bodies, key=lambda body: body.joint.name)] == list(twin.names)[
        1:
    ]
    assert len(analysis.rows) == rank
    reference = Reference(model)
    rng = np.random.default_rng(4)
    q = reference.closed_position(0.3 * rng.uniform(-1, 1, twin.nq))
    v = reference.consistent_velocity(q, rng.uniform(-1, 1, twin.nv))
    tau = rng.uniform(-1, 1, twin.nv)
    assert np.max(np.abs(q)) > 0.1
    found = interpret(LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analysis), {"q": q, "v": v, "tau": tau})["vdot"]

    contact = pin.ContactType.CONTACT_3D if kind == "3d" else pin.ContactType.CONTACT_6D
    ends = [twin.frames[twin.getFrameId(name)] for name in ("left", "right")]
    models, results = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    models.append(
        pin.RigidConstraintModel(
            contact, twin, ends[0].parentJoint, ends[0].placement, ends[1].parentJoint, ends[1].placement
        )
    )
    results.append(pin.RigidConstraintData(models[0]))
    data = twin.createData()
    pin.initConstraintDynamics(twin, data, models, results)
    settings = pin.ProximalSettings(1e-13, 1e-10, 200)
    expected = np.array(pin.constraintDynamics(twin, data, q, v, tau, models, results, settings))
    assert np.max(np.abs(found - expected)) < CONVERGED * (1 + np.max(np.abs(expected)))

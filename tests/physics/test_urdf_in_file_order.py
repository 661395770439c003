"""URDFs as MuJoCo reads them, which keeps the order of the file as mbsym does: nothing is reordered here.

MuJoCo refuses inertias that no rigid body has, so that of every file the order of the joints is compared with unit
inertias in place, and of files that it takes as they are mass, mass matrix and bias forces as well. Shapes are taken
out, because their meshes are elsewhere, and so is what other programs say in a file. Angles within 1e-8 rad of a
multiple of 90 degrees are that multiple to mbsym, so that MuJoCo is given them exactly.

Run this file as a script for the table of all files.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from importlib.metadata import files
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from mbsym.formats.load_options import LoadOptions
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.pipeline import read
from mbsym.symbolic.interpret import interpret
from mbsym.values.numbers import evaluate

sys.path.append(str(Path(__file__).resolve().parents[1]))
from mechanisms.examples import further
from mechanisms.right_angles import with_right_angles

STATES = 20
"""For the table."""

AGREEMENT = 1e-10
"""Relative to the largest entry."""

FREE_MIMICS = LoadOptions(mimic="ignore")
"""Joints that mimic others are free to MuJoCo."""

ROBOTS = {
    str(file).partition("/robots/")[2]: Path(str(file.locate()))
    for file in files("example-robot-data") or ()
    if file.suffix == ".urdf"
}
UNREADABLE = ("alex_description/urdf/alex_psyonic_hands.urdf", "ur_description/urdf/ur3.urdf")
"""Their defects are tested against Pinocchio."""

NO_TREE = {"hector_description/robots/quadrotor_base.urdf", "iris_description/robots/iris_simple.urdf"}
"""Nothing moves in these; mbsym takes them as floating, MuJoCo as part of the world."""

ON_PURPOSE = {
    "bolt_description/robots/bolt.urdf": "the inertia of feet without mass is kept here and by Pinocchio, dropped there"
}
"""Where both differ, and why."""

TAKEN = [
    "alex_description/urdf/alex_sake_hands.urdf", "centauro_description/urdf/centauro.urdf",
    "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", "panda_description/urdf/panda.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf", "talos_data/robots/talos_full_v2.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf", "ur_description/urdf/ur5_gripper.urdf",
]  # fmt: skip
"""Files that MuJoCo takes as they are, of each kind one."""

UNIT = {"ixx": "1", "iyy": "1", "izz": "1", "ixy": "0", "ixz": "0", "iyz": "0"}


def theirs(path: Path, *, unit: bool) -> Any:
    """MuJoCo's model of a file; with unit inertias in place of those of the file where asked."""
    robot = ElementTree.fromstring(with_right_angles(path))
    for tag in ("mujoco", "gazebo", "transmission"):
        for element in robot.findall(tag):
            robot.remove(element)
    for link in robot.iter("link"):
        for element in [item for item in link if item.tag in ("visual", "collision")]:
            link.remove(element)
        if unit:
            for element in link.findall("inertial"):
                link.remove(element)
            inertial = ElementTree.SubElement(link, "inertial")
            ElementTree.SubElement(inertial, "mass", {"value": "1"})
            ElementTree.SubElement(inertial, "inertia", UNIT)
    compiler = ElementTree.SubElement(robot, "mujoco")
    ElementTree.SubElement(compiler, "compiler", {"fusestatic": "true", "balanceinertia": "false"})
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(robot, encoding="unicode"))


def ours(path: Path) -> Mechanism:
    model = read(path, FREE_MIMICS)
    return build_mechanism(model, model.label())


def joints(mechanism: Mechanism) -> list[str]:
    return [body.joint.name for body in mechanism.bodies_by_coordinates]


def errors(path: Path, states: int) -> dict[str, float]:
    """The largest relative differences of a file that both take."""
    robot, mechanism = theirs(path, unit=False), ours(path)
    robot.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(robot)
    assert (robot.nq, robot.nv) == (mechanism.nq, mechanism.nv)
    mass = sum(evaluate(body.mass) for body in mechanism.model.bodies)
    found = {"mass": abs(mass - robot.body_mass[1:].sum()) / max(1.0, mass)}
    programs = {name: TREE_FUNCTIONS[name](mechanism.afresh()) for name in ("mass_matrix", "bias_force")}
    rng = np.random.default_rng(0)
    for _ in range(states):
        q, v = rng.uniform(-2, 2, robot.nq), rng.uniform(-2, 2, robot.nv)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(robot, data)
        M = np.zeros((robot.nv, robot.nv))
        mujoco.mj_fullM(robot, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(robot, data, M)
        pairs = {
            "mass_matrix": (interpret(programs["mass_matrix"], {"q": q})["M"], M),
            "bias_force": (interpret(programs["bias_force"], {"q": q, "v": v})["bias"], data.qfrc_bias),
        }
        for name, (left, right) in pairs.items():
            error = float(np.abs(left - right).max(initial=0.0) / max(1.0, np.abs(right).max(initial=0.0)))
            found[name] = max(found.get(name, 0.0), error)
    return found


@pytest.mark.parametrize("step", [3, *further(1)])
def test_every_file_has_the_order_of_its_joints(step: int) -> None:
    readable = sorted(set(ROBOTS) - set(UNREADABLE) - NO_TREE)
    assert len(readable) == 65
    for name in readable[::step]:
        robot = theirs(ROBOTS[name], unit=True)
        assert joints(ours(ROBOTS[name])) == [robot.joint(k).name for k in range(robot.njnt)], name


@pytest.mark.parametrize("name", TAKEN)
def test_a_file_means_the_same_as_it_stands(name: str) -> None:
    found = errors(ROBOTS[name], 2)
    assert max(found.values()) < AGREEMENT, found


def main() -> None:
    print("| file | nv | mass | M | bias | why they differ |\n|---|---|---|---|---|---|")
    for name, path in sorted(ROBOTS.items()):
        if name in (*UNREADABLE, *NO_TREE):
            continue
        try:
            row = " | ".join(f"{value:.1e}" for value in errors(path, STATES).values())
        except ValueError as error:
            row = f"the order alone; {str(error).splitlines()[0]}"
        print(f"| {name} | {ours(path).nv} | {row} | {ON_PURPOSE.get(name, '')} |")


if __name__ == "__main__":
    main()

"""Every URDF as it is, against Pinocchio: mass, mass matrix, bias, a frame's pose and Jacobian, in its own order.

Nothing is reordered here but by the permutation that the manifest states. Pinocchio writes the angle of a joint without
limits as cosine and sine, and spatial vectors linear first; joints that mimic others are free on both sides. Angles
within 1e-8 rad of a multiple of 90 degrees are that multiple to mbsym, so that Pinocchio is given them exactly.

Run this file as a script for the table of all files.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from importlib.metadata import files
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

from mbsym.errors import FormatError
from mbsym.formats.load_options import LoadOptions
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.frame_functions import FRAME_FUNCTIONS
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.kinematics.roadmap import manifest_fields
from mbsym.pipeline import read
from mbsym.symbolic.interpret import interpret
from mbsym.values.numbers import evaluate

sys.path.append(str(Path(__file__).resolve().parents[1]))
from mechanisms.examples import some
from mechanisms.right_angles import with_right_angles

Array = NDArray[Any]

STATES = 20
"""For the table; what stands in another place differs at every state."""

AGREEMENT = 1e-10
"""Relative to the largest entry."""

FREE_MIMICS = LoadOptions(mimic="ignore")

ROBOTS = {
    str(file).partition("/robots/")[2]: Path(str(file.locate()))
    for file in files("example-robot-data") or ()
    if file.suffix == ".urdf"
}
DEFECTS = {
    "alex_description/urdf/alex_psyonic_hands.urdf": "mimics joint 'index_q1', which does not exist",
    "ur_description/urdf/ur3.urdf": "the robot has no <link>",
}
OWN_ORDER = ("talos_data/robots/talos_full_v2.urdf", "solo_description/robots/solo12.urdf")
"""One whose order is not that of its file, and one whose order is."""


def errors(path: Path, states: int) -> tuple[int, bool, dict[str, float]]:
    """How many speeds there are, whether their order is that of the file, and the largest relative differences."""
    model = read(path, FREE_MIMICS)
    roots = () if model.joints[0].type != "free" else (pin.JointModelFreeFlyer(),)
    theirs = pin.buildModelFromXML(with_right_angles(path), *roots)
    data = theirs.createData()
    own = [frame for frame in model.frames if theirs.existFrame(frame.name, pin.FrameType.BODY)]
    name = own[-1].name if own else model.bodies[-1].name
    model = replace(model, frames=(replace(model.frame(name), name=name, axes="aligned"),))
    mechanism = build_mechanism(model, model.label())
    fields: Any = manifest_fields(mechanism)["pinocchio_order"]
    assert fields["joints"][len(roots) :] == list(theirs.names)[1 + len(roots) :]
    order, speeds = fields["q"], fields["v"]
    functions = {**TREE_FUNCTIONS, **FRAME_FUNCTIONS}
    programs = {
        key: functions[key](mechanism.afresh()) for key in ("mass_matrix", "bias_force", "frame_pose", "frame_jacobian")
    }
    mass = sum(evaluate(body.mass) for body in model.bodies)
    found = {"mass": abs(mass - pin.computeTotalMass(theirs)) / max(1.0, mass)}
    rng = np.random.default_rng(0)
    for _ in range(states):
        q, v = rng.uniform(-2, 2, mechanism.nq), rng.uniform(-2, 2, mechanism.nv)
        for start in mechanism.q.quaternions:
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        q_theirs, v_theirs = unwound(theirs, q[order]), v[speeds]
        pin.crba(theirs, data, q_theirs)
        M = np.triu(data.M) + np.triu(data.M, 1).T
        bias = pin.nonLinearEffects(theirs, data, q_theirs, v_theirs).copy()
        pin.computeJointJacobians(theirs, data, q_theirs)
        pin.updateFramePlacements(theirs, data)
        frame = theirs.getFrameId(name, pin.FrameType.BODY)
        J = pin.getFrameJacobian(theirs, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        numbers = {"q": q, "v": v}
        ours = {
            key: interpret(program, {item.name: numbers[item.name] for item in program.inputs})[program.outputs[0].name]
            for key, program in programs.items()
        }
        pairs = {
            "mass_matrix": (ours["mass_matrix"][np.ix_(speeds, speeds)], M),
            "bias_force": (ours["bias_force"][speeds], bias),
            "frame_pose": (ours["frame_pose"][0], data.oMf[frame].homogeneous),
            "frame_jacobian": (ours["frame_jacobian"][0][:, speeds], np.concatenate([J[3:], J[:3]])),
        }
        for key, (left, right) in pairs.items():
            error = float(np.abs(left - right).max(initial=0.0) / max(1.0, np.abs(right).max(initial=0.0)))
            found[key] = max(found.get(key, 0.0), error)
    return mechanism.nv, speeds == list(range(mechanism.nv)), found


def unwound(theirs: Any, q: Array) -> Array:
    """Their coordinates: cosine and sine where they keep these."""
    found = np.zeros(theirs.nq)
    start = 0
    for joint in list(theirs.joints)[1:]:
        two = joint.nq == 2 and joint.nv == 1
        entries = (math.cos(q[start]), math.sin(q[start])) if two else q[start : start + joint.nq]
        found[joint.idx_q : joint.idx_q + joint.nq] = entries
        start += 1 if two else joint.nq
    assert start == len(q)
    return found


@pytest.mark.parametrize("name", some(sorted(set(ROBOTS) - set(DEFECTS)), sorted(set(ROBOTS) - set(DEFECTS))[::4]))
def test_a_file_means_the_same_in_their_order(name: str) -> None:
    _, _, found = errors(ROBOTS[name], 2)
    assert max(found.values()) < AGREEMENT, found


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_named(name: str) -> None:
    with pytest.raises(FormatError, match=DEFECTS[name]):
        read(ROBOTS[name])


def test_all_files_are_there_and_orders_differ() -> None:
    assert len(ROBOTS) == 69
    assert [errors(ROBOTS[name], 1)[1] for name in OWN_ORDER] == [False, True]


def main() -> None:
    print("| file | nv | order | mass | M | bias | pose | Jacobian |\n|---|---|---|---|---|---|---|---|")
    for name, path in sorted(ROBOTS.items()):
        if name in DEFECTS:
            print(f"| {name} | {DEFECTS[name]} |")
            continue
        nv, same, found = errors(path, STATES)
        row = " | ".join(f"{value:.1e}" for value in found.values())
        print(f"| {name} | {nv} | {'the file' if same else 'theirs'} | {row} |")


if __name__ == "__main__":
    main()

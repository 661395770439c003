"""The robots of the tables, one text of numbers for each peer, and the same random states in the order of each."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import mbsym
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.reference.mechanism import NumericMechanism
from peers.builds import wheel_headers

Array: TypeAlias = np.ndarray[Any, Any]

STATES = 256
"""As many as a batch has here."""
SNAP = 1e-9
"""Entries of rotations nearer than this to 0, 1 or -1 are meant to be that; all peers are given the same."""


@dataclass(frozen=True, slots=True)
class Robot:
    """A robot of the tables.

    Attributes:
        name: for files and options.
        title: for tables.
        file: below the robots of example-robot-data, or a path; empty for what that package does not have.
        floating: its root is a body on a free joint.
        welded: joints whose names begin so are fixed.
        mimic: joints that follow others do.
        limits: operations at most of inverse dynamics, forward dynamics and mass matrix.
        ratios: times as fast at least as the best Pinocchio, of the same functions.
    """

    name: str
    title: str
    file: str
    floating: bool = False
    welded: str = ""
    mimic: bool = False
    limits: tuple[int, int, int] = (0, 0, 0)
    ratios: tuple[float, float, float] | None = None


PANDA = "panda_description/urdf/panda.urdf"
ROBOTS = (
    Robot("ur5", "UR5", "ur_description/urdf/ur5_robot.urdf", limits=(263, 471, 127), ratios=(8, 8.5, 6)),
    Robot("panda", "Panda, fingers welded", PANDA, False, "panda_finger", False, (586, 1111, 315), (7, 7.5, 5.5)),
    Robot("panda_mimic", "Panda with its fingers", PANDA, mimic=True, limits=(700, 1253, 344)),
    Robot("iiwa", "iiwa 7R", "", limits=(392, 773, 190), ratios=(8, 8.5, 6)),
    Robot("solo12", "Solo12, floating", "solo_description/robots/solo12.urdf", True, "", False,
          (1126, 2610, 494), (7, 5, 4.5)),
    Robot("talos", "Talos, floating", "talos_data/robots/talos_reduced.urdf", True, "", False,
          (3653, 8830, 3035), (8, 5, 3)),
)  # fmt: skip
"""Robots with what is asked of mbsym's code for them."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Positions, speeds, and accelerations or forces of all states, in the order of one peer."""

    q: Array
    v: Array
    u: Array


@dataclass(frozen=True, slots=True)
class Prepared:
    """A robot as each peer takes it.

    Attributes:
        robot: it is.
        model: mbsym's.
        ours, theirs: states in mbsym's and in Pinocchio's order.
        places: of our speeds among Pinocchio's.
        joints: the text that Pinocchio's and CasADi's drivers read, None where Pinocchio is not installed.
        mjcf: the text that MuJoCo reads, None likewise and for what it has no joints for.
    """

    robot: Robot
    model: Model
    ours: Inputs
    theirs: Inputs
    places: Array
    joints: str | None
    mjcf: str | None


def found(robot: Robot, given: Mapping[str, Path]) -> Path | None:
    """The robot's URDF: the given one, or that of example-robot-data."""
    if robot.name in given:
        return given[robot.name]
    headers = wheel_headers()
    path = Path(robot.file)
    if robot.file and not path.is_absolute() and headers is not None:
        path = headers.parent / "share/example-robot-data/robots" / robot.file
    return path if robot.file and path.is_file() else None


def prepared(robot: Robot, urdf: Path, place: Path) -> Prepared:
    """The robot from its URDF; the one that all peers read is written into a directory."""
    text = place / f"{robot.name}.urdf"
    text.write_text(_plain(urdf.read_text(), robot))
    model = mbsym.load(text, mbsym.LoadOptions(floating=robot.floating))
    mechanism = Reference(model).mechanism
    rng = np.random.default_rng(1)
    nq, nv = Reference(model).nq, Reference(model).nv
    q = rng.uniform(-3, 3, (STATES, nq))
    for joint in mechanism.tree_joints:
        if joint.type == "free" and joint.coordinates is not None:
            turn = q[:, joint.coordinates.start : joint.coordinates.start + 4]
            turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    ours = Inputs(q, *rng.uniform(-1, 1, (2, STATES, nv)))
    try:
        import pinocchio as pin
    except ImportError:
        return Prepared(robot, model, ours, ours, np.arange(nv), None, None)
    roots = (pin.JointModelFreeFlyer(),) if robot.floating else ()
    twin = pin.buildModelFromUrdf(str(text), *roots)
    followers = _followers(text, twin) if robot.mimic else []
    theirs, places = _in_their_order(mechanism, twin, ours, [item[1] for item in followers])
    joints = as_text(twin, followers=followers)
    return Prepared(robot, model, ours, theirs, places, joints, None if followers else _mjcf(twin))


def _plain(text: str, robot: Robot) -> str:
    """The URDF without looks and friction; an angle without limits is one number, whose sine and cosine all compute."""
    root = ET.fromstring(text)
    for link in root.findall("link"):
        for item in [item for item in link if item.tag != "inertial"]:
            link.remove(item)
    for item in [item for item in root if item.tag not in ("link", "joint")]:
        root.remove(item)
    for joint in root.findall("joint"):
        for item in [item for item in joint if item.tag in ("dynamics", *(() if robot.mimic else ("mimic",)))]:
            joint.remove(item)
        if robot.welded and joint.get("name", "").startswith(robot.welded):
            joint.set("type", "fixed")
        if joint.get("type") == "continuous":
            joint.set("type", "revolute")
            for item in joint.findall("limit"):
                joint.remove(item)
            ET.SubElement(joint, "limit", lower="-3.14", upper="3.14", effort="100", velocity="10")
    return ET.tostring(root, encoding="unicode")


def _followers(urdf: Path, twin: Any) -> list[tuple[int, int, float, float]]:
    """Joints that follow others: leader, follower, factor and offset."""
    every = []
    for joint in ET.parse(urdf).getroot().findall("joint"):
        rule = joint.find("mimic")
        if rule is not None:
            leader, follower = (twin.getJointId(name) for name in (rule.get("joint"), joint.get("name")))
            numbers = (float(rule.get("multiplier", "1")), float(rule.get("offset", "0")))
            every.append((leader, follower, *numbers))
    return every


def _in_their_order(mechanism: NumericMechanism, twin: Any, ours: Inputs, followers: list[int]) -> tuple[Inputs, Array]:
    """States in Pinocchio's order, whose quaternions are scalar-last and whose spatial vectors linear first."""
    nq, nv = ours.q.shape[1], ours.v.shape[1]
    q_places, places = np.zeros(nq, dtype=int), np.zeros(nv, dtype=int)
    gone = [twin.joints[k] for k in followers]
    for joint in mechanism.tree_joints:
        if joint.coordinates is None or joint.speeds is None:
            continue
        name = joint.name if twin.existJointName(joint.name) else "root_joint"
        theirs = twin.joints[twin.getJointId(name)]
        first_q = theirs.idx_q - sum(item.nq for item in gone if item.idx_q < theirs.idx_q)
        first_v = theirs.idx_v - sum(item.nv for item in gone if item.idx_v < theirs.idx_v)
        free = joint.type == "free"
        q_places[joint.coordinates] = first_q + (np.array([6, 3, 4, 5, 0, 1, 2]) if free else np.arange(theirs.nq))
        places[joint.speeds] = first_v + (np.array([3, 4, 5, 0, 1, 2]) if free else np.arange(theirs.nv))

    def moved(values: Array, to: Array) -> Array:
        result = np.zeros_like(values)
        result[:, to] = values
        return result

    return Inputs(moved(ours.q, q_places), moved(ours.v, places), moved(ours.u, places)), places


def as_text(twin: Any, followers: list[tuple[int, int, float, float]] | None = None) -> str:
    """Gravity, joints with their placements and inertias, and followers of a model of Pinocchio."""

    def line(*parts: Any) -> str:
        return " ".join(repr(float(entry)) for part in parts for entry in np.ravel(part))

    lines = [f"{line(twin.gravity.linear)} {twin.njoints - 1}"]
    for k in range(1, twin.njoints):
        joint, place, inertia = twin.joints[k], twin.jointPlacements[k], twin.inertias[k]
        kind = joint.shortname().removeprefix("JointModel")
        axis = joint.extract().axis if kind.endswith("Unaligned") else (0, 0, 1)
        numbers = line(axis, _snapped(place.rotation), place.translation, inertia.mass, inertia.lever, inertia.inertia)
        lines.append(f"{twin.parents[k]} {kind} {numbers}")
    lines.append(str(len(followers or ())))
    lines += [f"{leader} {follower} {line(factor, offset)}" for leader, follower, factor, offset in followers or ()]
    return "\n".join(lines) + "\n"


def _snapped(rotation: Array) -> Array:
    near = np.round(rotation)
    return np.where(np.abs(rotation - near) < SNAP, near, rotation)


def _mjcf(twin: Any) -> str:
    """The same tree for MuJoCo: a body for each joint, without contacts."""
    import pinocchio as pin

    root = ET.Element("mujoco")
    ET.SubElement(root, "compiler", angle="radian", balanceinertia="true")
    bodies = {0: ET.SubElement(root, "worldbody")}

    def text(values: Any) -> str:
        return " ".join(repr(float(value)) for value in np.ravel(values))

    for k in range(1, twin.njoints):
        joint, place, inertia = twin.joints[k], twin.jointPlacements[k], twin.inertias[k]
        kind = joint.shortname().removeprefix("JointModel")
        x, y, z, w = pin.Quaternion(place.rotation).coeffs()
        body = ET.SubElement(bodies[twin.parents[k]], "body", pos=text(place.translation), quat=text((w, x, y, z)))
        bodies[k] = body
        about = inertia.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        ET.SubElement(body, "inertial", pos=text(inertia.lever), mass=text(inertia.mass), fullinertia=text(about))
        if kind == "FreeFlyer":
            ET.SubElement(body, "freejoint")
            continue
        axis = joint.extract().axis if kind.endswith("Unaligned") else np.eye(3)["XYZ".index(kind[1])]
        ET.SubElement(body, "joint", type="slide" if kind[0] == "P" else "hinge", axis=text(axis))
    return ET.tostring(root, encoding="unicode")

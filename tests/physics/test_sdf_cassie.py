"""Cassie, a biped whose legs are closed loops, in the five SDF files that Pinocchio's robots have of it.

Pinocchio's wheel has no reader of SDF, so another reading stands here: links and joints with ElementTree and NumPy,
every body in axes of the world and every axis there, handed to the independent reference.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from importlib.metadata import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.errors import FormatError
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.sdf import load_sdf
from mbsym.loops.functions import constraint_jacobian
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.registry import TREE_FUNCTIONS
from mbsym.symbolic.interpret import interpret
from mechanisms.examples import some
from mechanisms.looped_systems import looped_system
from mechanisms.mechanism import mechanism_of

Array = np.ndarray[Any, Any]

STATES = 20

AGREEMENT = 1e-12
"""Relative to the largest entry: rounding of both sides together; 2e-15 when this was written."""

RANK = 1e-8
"""Singular values, relative to the largest, below which rows depend. The files give six digits, so that what is meant
to be parallel is not by 1e-6, and rounding in closing the loops leaves 1e-9."""

FILES = {
    Path(str(file)).stem: Path(str(file.locate()))
    for file in files("example-robot-data") or ()
    if file.suffix == ".sdf"
}

#       speeds, joints that close loops, gears, rank of all closures
TABLE = {
    "cassie": (40, 6, 10, 24),
    "cassie_reduced": (23, 4, 0, 12),
    "cassie_simple": (23, 4, 0, 12),
    "cassie_v2": (28, 4, 0, 10),
    "cassie_wo_gearbox_spring": (23, 4, 0, 10),
}

CLOSED = 1e-8
"""Largest gap of all closures [m or rad]: those that are dropped for following from the others do so to the digits of
the file; 2e-9 when this was written."""

LOCKED = ("cassie",)
"""Legs held fast by planes that are not quite parallel: closing ends in a singular configuration, and says so."""


@pytest.fixture(scope="module", params=some(TABLE, ("cassie_simple", "cassie_v2")))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def model(name: str) -> Model:
    return load_sdf(FILES[name])


# ---- another reading ------------------------------------------------------------------------------------------------


def rotation(roll: float, pitch: float, yaw: float) -> Array:
    (a, b, c), (d, e, f) = ([trig(angle) for angle in (roll, pitch, yaw)] for trig in (math.cos, math.sin))
    x = np.array([[1, 0, 0], [0, a, -d], [0, d, a]])
    y = np.array([[b, 0, e], [0, 1, 0], [-e, 0, b]])
    z = np.array([[c, -f, 0], [f, c, 0], [0, 0, 1]])
    return z @ y @ x


def pose(element: ElementTree.Element) -> tuple[Array, Array]:
    x, y, z, *angles = (float(word) for word in element.findtext("pose", "0 0 0 0 0 0").split())
    return rotation(*angles), np.array([x, y, z])


def other_reading(path: Path, model: Model) -> Model:
    """The same joints in the same order with the same ones cut, from the file itself."""
    (root,) = ElementTree.parse(path).getroot().findall("model")
    links = {str(link.get("name")): link for link in root.findall("link")}
    joints = {str(joint.get("name")): joint for joint in root.findall("joint")}
    places = {name: pose(link) for name, link in links.items()} | {"world": (np.eye(3), np.zeros(3))}
    cut = model.label().cut_joints
    made = []
    for joint in model.joints:
        if joint.name not in joints:
            assert joint.type == "free"
            assert places[joint.successor][0] == pytest.approx(np.eye(3))
            made.append(mbsym.Joint(joint.name, "free", "world", joint.successor))
            continue
        element = joints[joint.name]
        parent, child = str(element.findtext("parent")), str(element.findtext("child"))
        turn, offset = pose(element)
        origin = places[child][1] + places[child][0] @ offset
        axis = np.array([float(word) for word in element.findtext("axis/xyz", "0 0 1").split()])
        if element.findtext("axis/use_parent_model_frame", "0") != "1":
            axis = places[child][0] @ turn @ axis
        made.append(
            mbsym.Joint(
                joint.name,
                {"ball": "spherical"}.get(str(element.get("type")), str(element.get("type"))),
                parent,
                child,
                axis=tuple(axis),
                predecessor_placement=mbsym.Placement(tuple(origin - places[parent][1])),
                successor_placement=mbsym.Placement(tuple(origin - places[child][1])),
                cut="cut" if joint.name in cut else "tree",
            )
        )
    springs = [
        mbsym.JointSpring(
            f"{name} spring", name, float(stiffness), float(joint.findtext("axis/dynamics/spring_reference"))
        )
        for name, joint in joints.items()
        if (stiffness := joint.findtext("axis/dynamics/spring_stiffness"))
    ]
    gears = [
        mbsym.GearConstraint(name, name.replace("joint", "op"), name.replace("joint", "ip"), -float(ratio))
        for name, joint in joints.items()
        if (ratio := joint.findtext("gearbox_ratio"))
    ]
    bodies = [other_body(links[body.name], places[body.name][0]) for body in model.bodies]
    return mbsym.Model(
        "other", tuple(bodies), tuple(made), forces=tuple(springs), constraints=tuple(gears), ground="world"
    )


def other_body(link: ElementTree.Element, axes: Array) -> mbsym.Body:
    inertial = link.find("inertial")
    assert inertial is not None
    turn, center = pose(inertial)
    xx, xy, xz, yy, yz, zz = (
        float(inertial.findtext(f"inertia/i{key}")) for key in ("xx", "xy", "xz", "yy", "yz", "zz")
    )
    R = axes @ turn
    J = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    moments = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    mass = float(inertial.findtext("mass"))
    return mbsym.Body(str(link.get("name")), mass, tuple(axes @ center), tuple(float(entry) for entry in moments))


@pytest.fixture(scope="module")
def reference(name: str, model: Model) -> Reference:
    return Reference(other_reading(FILES[name], model))


def states(model: Model, reference: Reference) -> list[tuple[Array, Array]]:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(STATES):
        q, v = rng.uniform(-1, 1, reference.nq), rng.uniform(-2, 2, reference.nv)
        if model.joints[0].type == "free":
            q[:4] /= np.linalg.norm(q[:4])
        found.append((q, v))
    return found


def start_of(model: Model) -> Array:
    """Where the file has the robot."""
    cut = model.label().cut_joints
    inner = [joint for joint in model.joints if joint.name not in cut]
    return np.array([float(value) for joint in inner for value in (joint.initial or joint.shape.neutral)])


# ---- tests ----------------------------------------------------------------------------------------------------------


def test_links_joints_and_loops_are_all_there(name: str, model: Model, reference: Reference) -> None:
    root = ElementTree.parse(FILES[name]).getroot()
    speeds, closing, gears, _ = TABLE[name]
    assert reference.nv == speeds
    assert len(model.label().cut_joints) == closing
    assert len(model.constraints) == gears
    links = {str(link.get("name")): link for link in root.iter("link")}
    assert {body.name: float(body.mass) for body in model.bodies} == {
        key: float(link.findtext("inertial/mass")) for key, link in links.items()
    }
    joints = [str(joint.get("name")) for joint in root.iter("joint") if joint.get("type") != "gearbox"]
    assert sorted(joint.name for joint in model.joints if joint.type != "free") == sorted(joints)


def test_the_spanning_tree_agrees_with_another_reading(model: Model, reference: Reference) -> None:
    mechanism = mechanism_of(model)
    mass_matrix, bias_force = (TREE_FUNCTIONS[key](mechanism) for key in ("mass_matrix", "bias_force"))
    center = TREE_FUNCTIONS["center_of_mass"](mechanism)
    for q, v in states(model, reference):
        for found, expected in (
            (interpret(mass_matrix, {"q": q})["M"], reference.mass_matrix(q)),
            (interpret(bias_force, {"q": q, "v": v})["bias"], reference.bias_force(q, v)),
            (interpret(center, {"q": q})["com"], reference.center_of_mass(q)),
        ):
            assert np.max(np.abs(found - expected)) < AGREEMENT * np.max(np.abs(expected))


def test_the_loops_close_and_their_rank_is_that_of_maximal_coordinates(
    name: str, model: Model, reference: Reference
) -> None:
    mechanism = mechanism_of(model)
    analysis = analyse_loops(mechanism)
    system = looped_system(mechanism, analysis)
    jacobian = constraint_jacobian(mechanism, analysis)
    start = start_of(model)
    assert np.max(np.abs(reference.closure_gap(start))) < 1e-14  # the file closes its loops where it has the robot
    rng = np.random.default_rng(3)
    for step in (0.0, 0.005):
        projected = system.project_position(system.move(start, step * rng.uniform(-1, 1, system.nv)))
        assert projected.converged or (name in LOCKED and step)
        assert np.max(np.abs(reference.closure_gap(projected.q))) < CLOSED
        for rows in (interpret(jacobian, {"q": projected.q})["G"], reference.closure_jacobian(projected.q)):
            assert np.linalg.matrix_rank(rows, tol=RANK * np.linalg.norm(rows, 2)) == TABLE[name][3]


def test_coordinates_go_leg_by_leg_through_the_file(model: Model) -> None:
    inner = [joint.name for joint in model.joints if joint.name not in model.label().cut_joints]
    sides = [name.partition("-")[0] for name in inner]
    first = sides.index("left")
    assert sides[first:] == ["left"] * sides.count("left") + ["right"] * sides.count("right")
    leg = [name for name in inner[first:] if name.endswith(("op", "shin-joint", "tarsus-joint", "crank-joint"))]
    for side in ("left", "right"):
        ordered = [name for name in leg if name.startswith(side)]
        assert ordered == [
            f"{side}-{part}"
            for part in (
                "roll-op", "yaw-op", "pitch-op", "knee-op", "knee-shin-joint", "shin-tarsus-joint",
                "tarsus-crank-joint", "foot-op",
            )
        ]  # fmt: skip


def test_dampers_are_forces_on_request(name: str, model: Model) -> None:
    root = ElementTree.parse(FILES[name]).getroot()
    damped = [
        str(joint.get("name"))
        for joint in root.iter("joint")
        if float(joint.findtext("axis/dynamics/damping", "0")) and joint.get("type") != "ball"
    ]
    forces = load_sdf(FILES[name], LoadOptions(joint_dynamics="forces")).forces
    assert [force.joint for force in forces if force.type == "joint_damper"] == damped
    assert len(forces) == len(model.forces) + len(damped)


def test_the_world_of_the_package_is_no_xml() -> None:
    """Its declaration stands behind a comment."""
    with pytest.raises(FormatError, match=r"cassie.world:17:1: no valid XML: XML or text declaration not at start"):
        mbsym.load(FILES["cassie"].with_suffix(".world"))

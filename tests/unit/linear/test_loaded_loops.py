"""Closed loops and couplings that carry load at rest vibrate by transfer matrices as their equations of motion say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.constraints.gear import GearConstraint
from mbsym.constraints.linear_coupling import LinearCoupling
from mbsym.errors import AnalysisError
from mbsym.forces import JointSpring
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model
from mechanisms.examples import further

AGREE = 1e-9
"""Loops are closed, and equilibria found, to about 1e-10."""


def same(model: Any, at: str = "equilibrium", **options: Any) -> bool:
    """Whether all frequencies agree, and there are any."""
    own = mbsym.transfer_matrix_modes(model, at, **options)
    expected = np.sort(mbsym.modes(model, at).frequencies)
    return len(own) == len(expected) > 0 and bool(
        np.abs(np.sort(own.frequencies) - expected).max() < AGREE * expected.max()
    )


def ring(kinds: tuple[str, ...], cut: int) -> Model:
    """Bodies in a row between ground and ground, springs along all joints but the one that is cut, a slanted weight."""
    rng = np.random.default_rng(3)

    def drawn(size: float) -> tuple[float, float, float]:
        x, y, z = (round(float(entry) * size, 2) for entry in rng.normal(size=3))
        return x, y, z

    names = ["ground", *(f"b{k}" for k in range(1, len(kinds))), "ground"]
    joints, forces = [], []
    for k, kind in enumerate(kinds):
        place, pitch = Placement(drawn(0.5)), (("pitch", "0.1"),) if kind == "helical" else ()
        joint = Joint(f"j{k}", kind, names[k], names[k + 1], drawn(1), predecessor_placement=place,
                      successor_placement=place, cut="cut" if k == cut else "auto", numbers=pitch)  # fmt: skip
        joints.append(joint)
        if k != cut and kind != "spherical":
            stiffness = (round(float(rng.uniform(5, 20)), 1) for _ in range(joint.shape.nv))
            forces += [JointSpring(f"s{k}{i}", joint.name, value, index=i) for i, value in enumerate(stiffness)]
    inertia = (0.1, 0.15, 0.2, 0.01, 0, 0.02)
    bodies = tuple(Body(name, 1 + k, drawn(0.3), inertia) for k, name in enumerate(names[1:-1]))
    return Model("ring", bodies, tuple(joints), tuple(forces), gravity=("0.5", -1, -2))


@pytest.mark.parametrize(
    ("kinds", "cut"),
    [
        *((("revolute", "cylindrical", "cylindrical", "cylindrical"), cut) for cut in range(4)),
        *((("revolute", "spherical", "spherical", "revolute"), cut) for cut in (1, 2)),
        *((("helical", "spherical", "cylindrical", "prismatic"), cut) for cut in (0, 1, 2, 3)),
        (("universal", "spherical", "planar"), 1),
        *further((("universal", "spherical", "planar"), 2)),
    ],
)
def test_loads_of_a_ring_in_space_count(kinds: tuple[str, ...], cut: int) -> None:
    """Forces and moments that the cut joint carries, whichever it is, its axes turned with the bodies."""
    assert same(ring(kinds, cut))


@pytest.mark.parametrize("ends", [("ground", "b"), ("b", "ground")])
@pytest.mark.parametrize("kind", ["planar", "cylindrical", "universal"])
def test_joints_of_several_freedoms_are_loaded_in_either_direction(kind: str, ends: tuple[str, str]) -> None:
    place = Placement(("0.3", "-0.2", "0.1"))
    joint = Joint("j", kind, *ends, ("0.3", "0.5", "0.8"), predecessor_placement=place, successor_placement=place)
    springs = tuple(JointSpring(f"s{i}", "j", 30 + 3 * i, index=i) for i in range(joint.shape.nv))
    body = Body("b", 1, ("0.2", "0.1", "-0.3"), ("0.1", "0.15", "0.2", "0.01", 0, "0.02"))
    assert same(Model("held", (body,), (joint,), springs, gravity=("0.5", -1, -2)))


@pytest.mark.parametrize(("name", "at"), [*further(("four_bar", "equilibrium:3")), ("slider_crank", "equilibrium:2")])
def test_hanging_linkages_swing(name: str, at: str) -> None:
    assert same(name, at)
    with pytest.raises(AnalysisError, match="the state is unstable: 1 motion grows"):
        mbsym.transfer_matrix_modes(name, "equilibrium:1")


ARMS = """
name: arms
bodies:
  a: {mass: 1, center_of_mass: [0, 0, -0.3], inertia: [0.02, 0.02, 0]}
  b: {mass: 2, center_of_mass: [0.02, 0, -0.2], inertia: [0.03, 0.03, 0]}
  c: {mass: 0.5, center_of_mass: [0, 0.01, -0.4]}
joints:
  A: {type: revolute, from: ground, to: a, axis: y, armature: 0.01}
  B: {type: revolute, from: a, to: b, axis: y, at: [0, 0, -0.5]}
  C: {type: prismatic, from: b, to: c, axis: z, at: [0, 0, -0.4]}
forces:
  k: {type: joint_spring, joint: C, stiffness: 60}
  d: {type: joint_damper, joint: B, damping: 0.02}
"""


@pytest.mark.parametrize(
    "given",
    [
        {"couplings": (Coupling("B", "A", "-0.7", "0.1"),)},
        {"couplings": (Coupling("C", "B", "0.2"),)},
        {"constraints": (GearConstraint("g", "B", "A", "1.5", "0.05"),)},
        {"constraints": (LinearCoupling("l", ("A", "B", "C"), (1, -2, 3), "0.02"),)},
    ],
)
def test_couplings_hold_what_they_hold(given: dict[str, Any]) -> None:
    """Linear relations between joints under a weight, a spring along the joint that follows among them; damped."""
    model = read_native(TextSource("arms.yaml", ARMS))
    model = Model(model.name, model.bodies, model.joints, model.forces, **given)
    assert same(model)
    own = sorted((each.eigenvalue for each in mbsym.transfer_matrix_modes(model)), key=abs)
    expected = sorted((each.eigenvalue for each in mbsym.modes(model)), key=abs)
    assert own == pytest.approx(expected, rel=1e-8)


def test_other_constraints_and_loaded_beams_are_refused_by_name() -> None:
    rod = "constraints:\n  rod: {type: distance, first_body: ground, second_body: b, length: 0.5}\n"
    with pytest.raises(AnalysisError, match="constraint rod: the transfer matrix method has no element for a distance"):
        mbsym.transfer_matrix_modes(read_native(TextSource("arms.yaml", ARMS + rod)))
    gear = "constraints:\n  g: {type: gear, first_joint: A, second_joint: b_2}\n"
    beam = "beams: {b: {from: a, length: 1, mass: 1, bending_stiffness: 9, segments: 3}}\ngravity: [0, 0, 0]\n"
    with pytest.raises(AnalysisError, match="g: it relates joint b_2, which lies inside a beam; take"):
        mbsym.transfer_matrix_modes(read_native(TextSource("arms.yaml", ARMS + gear + beam)))
    bar = (
        "name: bar\nbodies: {e: {mass: 1}, f: {mass: 1, center_of_mass: [0.1, 0, 0]}}\njoints:\n"
        "  pin: {type: revolute, from: ground, to: f, at: [1, 0, 0]}\n  weld: {type: revolute, from: e, to: f}\n"
        "beams: {b: {from: ground, to: e, length: 1, mass: 1, bending_stiffness: 9, axial_stiffness: 1e4}}\n"
        "gravity: [0, -9.81, 0]\n"
    )
    with pytest.raises(AnalysisError, match="bent or stretched at rest"):
        mbsym.transfer_matrix_modes(read_native(TextSource("bar.yaml", bar)))

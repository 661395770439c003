"""Definitions are questioned: work and energy over a finite motion, and the same mechanism in other words.

What a derivation and the reference both say of an element may be wrong in both alike. Energies are here those of point
masses whose velocities are the rates of their places; the work over a finite motion has to change them, and the motion
has to be the one that Hamilton's principle takes, which sees forces that do no work. A mechanism has to move as it does
when the world is turned, the base is another body, a joint is written from its other side, and bodies and joints stand
in another order. All that is registered takes part, whatever it is; MuJoCo stands beside where it has the element.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from mbsym.constraints import CONSTRAINTS
from mbsym.forces import FORCE_ELEMENTS
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model
from mbsym.pipeline import read
from mbsym.verification.random_state import random_state
from mechanisms.definitions import (
    Array,
    Derived,
    balance,
    based_on,
    closure_errors,
    hamilton_error,
    rate_error,
    reordered,
    reversed_joint,
    state_error,
    turned,
)
from mechanisms.elements import with_constraint, with_element
from mechanisms.random_mechanisms import random_closed_loops

DURATION = 0.06
"""Seconds of motion: long enough for dozens of evaluations."""

BALANCED = 1e-8
"""Of the largest energy: steps are made to 1e-10, and there are some tens of them."""

STATIONARY = 1e-10
"""Of the largest of the forces: differences of energies over a thousandth of a radian, which leave 4e-13."""

CLOSED = 1e-7
"""Of energies and of displacements: steps are made to 1e-9."""

SAME = 1e-8
"""Of accelerations, relative to the largest: those of bodies are differences over a thousandth of a second."""

MOVING = tuple(kind for kind in JOINT_TYPES if JOINT_TYPES[kind].shape.nv)

I = (0.11, 0.12, 0.13, 0.01, 0.02, 0.03)


def tree(kind: str, *, armature: float = 0.0, floating: bool = False) -> Model:
    """Three bodies one behind the other: two joints of the type, written both ways, and a hinge."""
    bodies = tuple(Body(name, 1 + k, (0.1, -0.2 * k, 0.15), I) for k, name in enumerate(("trunk", "arm", "hand")))

    def joint(name: str, kind: str, *ends: str, rotor: float = 0.0) -> Joint:
        taken = JOINT_TYPES[kind].entries
        return Joint(
            name,
            kind,
            *ends,
            axis=(1, 2, -1) if "axis" in taken else (0, 0, 1),
            second_axis=(1, 0, 1) if "second_axis" in taken else None,
            predecessor_placement=Placement((0.2, 0.05 * len(name), -0.3), (("x", 0.4), ("z", 0.7))),
            successor_placement=Placement((-0.1, 0.2, 0.1), (("y", 0.5),)),
            numbers={number.name: 0.2 for number in JOINT_TYPES[kind].numbers},
            armature=rotor,
        )

    own = armature if JOINT_TYPES[kind].shape.nv else 0.0
    first = joint("first", "free" if floating else kind, "ground", "trunk", rotor=0.0 if floating else own)
    joints = (first, joint("second", kind, "arm", "trunk", rotor=2 * own), joint("hinge", "revolute", "arm", "hand"))
    return Model("questioned", bodies, joints, gravity=(1, 2, -9))


def state(derived: Derived, seed: int = 5) -> tuple[Array, Array, Array, Array]:
    rng = np.random.default_rng(seed)
    q, v, tau = random_state(derived.model, derived.labelling, rng, reference=derived.reference)
    return q, v, tau, rng.uniform(-1, 1, len(derived.model.inputs))


def moved_alike(given: Derived, other: Derived) -> None:
    assert rate_error(given, other, *state(given)) < SAME


def accelerated_alike(given: Derived, other: Derived) -> None:
    q, v, _, u = state(given)
    assert state_error(given, other, q, v, u) < SAME


# ---- joints ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_energy_changes_by_the_work(kind: str) -> None:
    derived = Derived(tree(kind, armature=0.4))
    assert balance(derived, *state(derived), DURATION).error < BALANCED


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_the_motion_is_that_of_hamilton(kind: str) -> None:
    derived = Derived(tree(kind, armature=0.4))
    assert hamilton_error(derived, *state(derived)) < STATIONARY


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_a_turned_world_changes_nothing(kind: str) -> None:
    model = tree(kind, armature=0.4)
    moved_alike(Derived(model), Derived(turned(model)))


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_the_order_in_the_file_changes_nothing(kind: str) -> None:
    model = tree(kind, armature=0.4)
    moved_alike(Derived(model), Derived(reordered(model), order="input"))


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_the_side_from_which_a_joint_is_written_changes_nothing(kind: str) -> None:
    model = tree(kind)
    accelerated_alike(Derived(model), Derived(reversed_joint(reversed_joint(model, "first"), "second")))


@pytest.mark.parametrize("kind", MOVING)
def test_the_base_of_what_floats_changes_nothing(kind: str) -> None:
    """Rotors of the joints between bodies see their motion relative to each other alone."""
    model = tree(kind, armature=0.4, floating=True)
    accelerated_alike(Derived(model), Derived(based_on(model, "hand")))


def test_energy_changes_by_the_work_through_gears() -> None:
    model = replace(tree("cylindrical", armature=0.4), couplings=())
    hinges = tuple(replace(joint, type="revolute", armature=0.3) for joint in model.joints)
    derived = Derived(replace(model, joints=hinges, couplings=(Coupling("hinge", "second", -1.7, 0.2),)))
    assert balance(derived, *state(derived), DURATION).error < BALANCED
    assert hamilton_error(derived, *state(derived)) < STATIONARY


# ---- force elements --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORCE_ELEMENTS)
def test_energy_changes_by_the_work_of_elements(kind: str) -> None:
    derived = Derived(with_element(tree("universal"), kind, 1))
    assert balance(derived, *state(derived), DURATION).error < BALANCED
    assert hamilton_error(derived, *state(derived)) < STATIONARY


@pytest.mark.parametrize("kind", FORCE_ELEMENTS)
def test_elements_act_alike_in_other_words(kind: str) -> None:
    """In a turned world and another order; beside a joint that is written from its other side."""
    model = with_element(tree("universal"), kind, 2)
    given = Derived(model)
    moved_alike(given, Derived(turned(model)))
    moved_alike(given, Derived(reordered(model), order="input"))
    own = {name for force in model.forces for name in (*force.named("joint"), *force.named("joints"))}
    other = next(joint.name for joint in model.joints if joint.name not in own)
    accelerated_alike(given, Derived(reversed_joint(model, other)))


# ---- closed loops ----------------------------------------------------------------------------------------------------


def stays_closed(model: Model, q: Array) -> None:
    derived = Derived(model)
    _, v, _, u = state(derived)
    errors = closure_errors(derived, q, v, u, DURATION)
    assert errors
    assert max(errors.values()) < CLOSED, errors


@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_constraints_hold_and_do_no_work(kind: str) -> None:
    between_bodies = not {"joint", "joints"} & {entry.kind for entry in CONSTRAINTS[kind].entries}
    stays_closed(*with_constraint(tree("spherical" if between_bodies else "revolute"), kind, 3))


@pytest.mark.parametrize("kind", ["revolute", "universal", "planar"])
def test_cut_joints_hold_and_do_no_work(kind: str) -> None:
    """A sample; the benchmark has all types."""
    stays_closed(*random_closed_loops(1, loops=1, bodies=(3, 4), cut_types=(kind,), constraints=False, forces=False))


# ---- beside another engine -------------------------------------------------------------------------------------------

MACHINE = """<mujoco><option gravity="1 2 -9"/><compiler angle="radian"/><worldbody>
<body name="base" pos="0.1 0.2 0.3" quat="0.5 0.5 -0.5 0.5">
 <joint name="float" type="free" armature="0.6" damping="0.3"/>
 <inertial pos="0.1 -0.2 0.05" mass="2" fullinertia="0.3 0.4 0.5 0.01 0.02 -0.03"/>
 <body name="b" pos="0.2 0 0.1" euler="0.3 0.2 0.1">
  <joint name="ball" type="ball" armature="0.4" damping="0.2" pos="0 0 0.1"/>
  <inertial pos="0.1 0 0" mass="0.7" fullinertia="0.02 0.03 0.04 0.001 0 0"/>
  <body name="c" pos="0 0.3 0">
   <joint name="hinge" axis="1 2 0" armature="0.1" damping="0.2" stiffness="3" springref="0.4"/>
   <inertial pos="0 0.1 0" mass="0.5" fullinertia="0.01 0.02 0.02 0 0 0.001"/>
   <body name="d" pos="0.1 0 0.2">
    <joint name="slide" type="slide" axis="0 1 1" armature="0.2" stiffness="5" damping="1"/>
    <inertial pos="0 0 0.1" mass="0.3" diaginertia="0.01 0.01 0.02"/></body></body></body></body>
</worldbody></mujoco>"""


def test_mujoco_accelerates_alike(tmp_path: Path) -> None:
    """All that both have: four joint types, rotors, springs, dampers; speeds of the base are turned."""
    path = tmp_path / "machine.xml"
    path.write_text(MACHINE, encoding="utf-8")
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    derived = Derived(read(path), order="input")
    q, v, tau, u = state(derived)
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, q[:4])
    to_world = turn.reshape(3, 3)
    data.qpos[:] = [*q[4:7], *q[:4], *q[7:]]
    data.qvel[:] = [*(to_world @ v[3:6]), *v[:3], *v[6:]]
    data.qfrc_applied[:] = [*(to_world @ tau[3:6]), *tau[:3], *tau[6:]]
    mujoco.mj_forward(theirs, data)
    vdot = derived.rates(q, v, tau, 0.0, u)
    found = np.concatenate([to_world @ (vdot[3:6] + np.cross(v[:3], v[3:6])), vdot[:3], vdot[6:]])
    np.testing.assert_allclose(found, data.qacc, rtol=0, atol=SAME * np.abs(data.qacc).max())

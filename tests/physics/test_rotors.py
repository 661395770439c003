"""Rotors reflected to joints have the energy a v.v / 2, whatever the speeds of the joint are: rates or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import mbsym
from mbsym.derivatives.coriolis import coriolis_matrix, slotine_li
from mbsym.forces import AppliedWrench
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import position_rate
from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.pipeline import read
from mbsym.reference.reference import Reference
from mbsym.registry import FORMULATIONS, available_functions
from mbsym.simulation.monitors import floats_freely
from mbsym.spatial.vector import dot
from mbsym.symbolic.differentiate import forward
from mbsym.symbolic.equality import compare
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.scalar import Scalar
from mbsym.verification.random_state import random_state
from mechanisms.exact import same
from mechanisms.mechanism import mechanism_of
from mechanisms.trees import tree_model

PAIRS = (("free", "free"), ("spherical", "free"), ("free", "spherical"), ("universal", "planar"), ("planar", "free"))
"""Joints of two bodies, the second of which is written from the body to its parent."""

ROUNDING = 1e-11
"""Of accelerations, relative to the largest: the reference solves a system of thirty unknowns."""

BOX_ALONE = Model(
    "spun",
    (Body("box", 2, inertia=(1.1, 1.2, 1.3, 0.01, 0.02, 0.03)),),
    (Joint("float", "free", "ground", "box", armature=1),),
    gravity=(0, 0, 0),
)

BOX = """<mujoco><option gravity="0 0 {gravity}"/><compiler angle="radian"/><worldbody>
  <body name="box" pos="0.1 0.2 0.3" quat="0.5 0.5 -0.5 0.5"><joint name="float" type="free" armature="1"/>
    <inertial pos="0.1 -0.2 0.05" mass="2" fullinertia="0.3 0.4 0.5 0.01 0.02 -0.03"/>
    <body name="arm" pos="0.2 0 0.1"><joint name="wrist" type="ball" armature="0.4" pos="0 0 0.1"/>
      <inertial pos="0.1 0 0" mass="0.7" fullinertia="0.02 0.03 0.04 0.001 0 0"/></body></body>
</worldbody></mujoco>"""


def geared(*kinds: str) -> Mechanism:
    """A chain whose joints have rotors, each another armature."""
    model = tree_model(range(len(kinds)), kinds, backwards=True)
    joints = tuple(replace(joint, armature=f"{k}/3") for k, joint in enumerate(model.joints, start=1))
    return mechanism_of(replace(model, joints=joints))


@pytest.mark.parametrize("kinds", PAIRS)
def test_all_formulations_are_those_of_lagrange(kinds: tuple[str, ...]) -> None:
    """Lagrange's equations take the energy of rotors with that of bodies, and differentiate."""
    mechanism = geared(*kinds)
    lagrange = available_functions(mechanism, "lagrange").functions
    for name in ("inverse_dynamics", "forward_dynamics"):
        expected = lagrange[name](mechanism.afresh())
        for formulation in (found for found in FORMULATIONS if found not in ("lagrange", "transfer-matrix")):
            derive = available_functions(mechanism, formulation).functions[name]
            assert compare(derive(mechanism.afresh()), expected, trials=1), f"{name} by {formulation}"


@pytest.mark.parametrize("kinds", PAIRS)
def test_the_reference_finds_the_same_by_structure_constants(kinds: tuple[str, ...]) -> None:
    mechanism = geared(*kinds)
    reference = Reference(mechanism.model, mechanism.labelling)
    q, v, tau = random_state(mechanism.model, mechanism.labelling, np.random.default_rng(1))
    vdot = interpret(TREE_FUNCTIONS["forward_dynamics"](mechanism), {"q": q, "v": v, "tau": tau})["vdot"]
    scale = np.abs(vdot).max()
    np.testing.assert_allclose(vdot, reference.forward_dynamics(q, v, tau), rtol=0, atol=ROUNDING * scale)
    np.testing.assert_allclose(tau, reference.inverse_dynamics(q, v, vdot), rtol=0, atol=ROUNDING * np.abs(tau).max())


@pytest.mark.parametrize("kinds", PAIRS)
def test_the_coriolis_matrix_has_them(kinds: tuple[str, ...]) -> None:
    """C v = h without weight, and C + C^T = Mdot."""
    given = geared(*kinds)
    mechanism = mechanism_of(replace(given.model, gravity=(0, 0, 0)))
    graph, nv = mechanism.graph, mechanism.nv
    C = coriolis_matrix(mechanism)
    along = [dot(tuple(row), mechanism.entries(mechanism.v)) for row in C]
    bias = available_functions(mechanism, "lagrange").functions["bias_force"](mechanism)
    assert same(mechanism, along, [Scalar(graph, ref) for ref in bias.output_references])
    moving = dict(zip(mechanism.q.symbols, (rate.ref for rate in position_rate(mechanism)), strict=True))
    rates = forward(graph, list(TREE_FUNCTIONS["mass_matrix"](mechanism).output_references), moving)
    sums = [C[row][column] + C[column][row] for row in range(nv) for column in range(nv)]
    assert same(mechanism, sums, [Scalar(graph, ref) for ref in rates])


def test_slotine_and_li_take_the_same_matrix() -> None:
    """M a_r + C v_r + g, M and g from elsewhere."""
    mechanism = geared("free", "spherical")
    graph, nv = mechanism.graph, mechanism.nv
    found = slotine_li(mechanism)
    v_r, a_r = (tuple(Scalar(graph, ref) for ref in item.symbols) for item in found.inputs)
    assert not isinstance(found.entries, Mapping)
    M, g = (
        [Scalar(graph, ref) for ref in TREE_FUNCTIONS[name](mechanism).output_references]
        for name in ("mass_matrix", "gravity_force")
    )
    expected = [
        dot(tuple(M[nv * k : nv * k + nv]), a_r) + dot(tuple(row), v_r) + g[k]
        for k, row in enumerate(coriolis_matrix(mechanism))
    ]
    assert same(mechanism, found.entries, expected)


@pytest.mark.parametrize("given", [False, True])
def test_a_box_of_mujoco_moves_alike(given: bool, tmp_path: Path) -> None:
    """A free joint's displacement is in the world's axes there and in the body's axes here."""
    path = tmp_path / "box.xml"
    path.write_text(BOX.format(gravity=-9.81 * given), encoding="utf-8")
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    mechanism = mechanism_of(read(path))
    q, v, tau = random_state(mechanism.model, mechanism.labelling, np.random.default_rng(3))
    data.qpos[:] = [*q[4:7], *q[:4], *q[7:]]
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, q[:4])
    to_world = turn.reshape(3, 3)
    data.qvel[:] = [*(to_world @ v[3:6]), *v[:3], *v[6:]]
    data.qfrc_applied[:] = [*(to_world @ tau[3:6]), *tau[:3], *tau[6:]]
    mujoco.mj_forward(theirs, data)
    vdot = interpret(TREE_FUNCTIONS["forward_dynamics"](mechanism), {"q": q, "v": v, "tau": tau})["vdot"]
    found = np.concatenate([to_world @ (vdot[3:6] + np.cross(v[:3], v[3:6])), vdot[:3], vdot[6:]])
    np.testing.assert_allclose(found, data.qacc, rtol=0, atol=ROUNDING * np.abs(data.qacc).max())


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "actuator_armature"), reason="this MuJoCo has no rotors of actuators")
def test_rotors_of_actuators_are_in_the_mass_matrix_of_mujoco(tmp_path: Path) -> None:
    path = tmp_path / "geared.xml"
    path.write_text(
        """<mujoco><worldbody><body name="a"><joint name="x" axis="0 1 0"/><geom size="0.1"/>
        <body name="b" pos="0.3 0 0"><joint name="y" axis="0 1 0" armature="0.2"/><geom size="0.1"/></body></body>
        </worldbody><actuator><motor joint="x" gear="3" armature="0.5"/></actuator></mujoco>""",
        encoding="utf-8",
    )
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    mechanism = mechanism_of(read(path))
    data.qpos[:] = q = np.array([0.3, -0.8])
    mujoco.mj_forward(theirs, data)
    units = np.eye(2)
    M = np.zeros((2, 2))
    for k, unit in enumerate(units):
        mujoco.mj_mulM(theirs, data, M[k], unit)
    found = interpret(TREE_FUNCTIONS["mass_matrix"](mechanism), {"q": q})["M"]
    np.testing.assert_allclose(found, M, rtol=0, atol=ROUNDING * np.abs(M).max())


@pytest.mark.parametrize(("method", "near"), [("DOP853", 1e-8), ("symplectic", 1e-5)])
def test_a_spinning_box_goes_straight(method: str, near: float) -> None:
    """A moment alone acts, so its centre keeps its velocity; steps of 2 ms leave the symplectic method 1e-6."""
    model = replace(BOX_ALONE, forces=(AppliedWrench("twist", "box", moment=(0.1, 0.2, 0)),))
    start = {"v_float_wx": 1.0, "v_float_wy": 2.0, "v_float_wz": 3.0, "v_float_vx": 0.3, "v_float_vy": 0.2}
    found = mbsym.simulate(model, 0.5, method=method, step=2e-3 if method == "symplectic" else None, initial=start)
    np.testing.assert_allclose(found.q[-1, 4:], [0.15, 0.1, 0], rtol=0, atol=near)


def test_what_pushes_off_from_ground_by_rotors_does_not_float() -> None:
    """Its momentum is not kept then."""
    (joint,) = BOX_ALONE.joints
    assert not floats_freely(BOX_ALONE)
    assert floats_freely(replace(BOX_ALONE, joints=(replace(joint, armature=0),)))

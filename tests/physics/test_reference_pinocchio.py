"""The reference against Pinocchio for trees of joints that it has, and for a loop closed by a ball joint.

Pinocchio's composite-rigid-body algorithm wants depth-first joint numbers, so the tree is built in preorder. Its
quaternions are scalar-last and its spatial vectors linear first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.reference.mechanism import NumericJoint
from mbsym.verification.random_state import random_state
from mechanisms.random_mechanisms import random_tree

TYPES = ("revolute", "prismatic", "helical", "universal", "spherical", "free", "fixed")
AGREEMENT = 1e-10  # relative, times the condition of M where M is inverted


def outward(model: Model) -> Model:
    """The model with every joint pointing away from ground: Pinocchio knows no other."""
    flipped = {str(name) for name in model.label().flipped}
    return replace(
        model,
        joints=tuple(
            replace(joint, predecessor=joint.successor, successor=joint.predecessor) if joint.name in flipped else joint
            for joint in model.joints
        ),
    )


@dataclass
class Twin:
    """A Pinocchio model of the same tree, and the places of our q and v in its own."""

    model: pin.Model
    data: pin.Data
    frames: list[int]
    v_places: np.ndarray

    @classmethod
    def of(cls, reference: Reference) -> Twin:
        mechanism = reference.mechanism
        model = pin.Model()
        model.gravity.linear = mechanism.gravity
        joint_of, placement_in = {0: 0}, {0: pin.SE3.Identity()}
        frames = [0] * mechanism.nb
        v_places = np.zeros(mechanism.nv, dtype=int)
        children: dict[int, list[NumericJoint]] = {}
        for joint in mechanism.tree_joints:
            children.setdefault(joint.predecessor, []).append(joint)
        stack = list(reversed(children.get(0, [])))
        while stack:
            joint = stack.pop()
            near = pin.SE3(joint.predecessor_rotation, joint.predecessor_translation)
            far = pin.SE3(joint.successor_rotation, joint.successor_translation)
            start = placement_in[joint.predecessor] * near
            parent, end = joint_of[joint.predecessor], far.inverse()
            if joint.type == "fixed":
                joint_of[joint.successor], end = parent, start * end
            else:
                index = model.addJoint(parent, _joint_model(joint), start, joint.name)
                joint_of[joint.successor] = index
                first = model.joints[index].idx_v
                own = np.arange(model.joints[index].nv)
                v_places[joint.speeds] = first + (np.roll(own, 3) if joint.type == "free" else own)
                model.armature[first : first + len(own)] = joint.armature
            placement_in[joint.successor] = end
            body = mechanism.bodies[joint.successor - 1]
            inertia = pin.Inertia(body.mass, body.center_of_mass, body.inertia)
            model.appendBodyToJoint(joint_of[joint.successor], inertia, end)
            frame = pin.Frame(body.name, joint_of[joint.successor], 0, end, pin.FrameType.OP_FRAME)
            frames[joint.successor - 1] = model.addFrame(frame)
            stack += reversed(children.get(joint.successor, []))
        return cls(model, model.createData(), frames, v_places)

    def q(self, reference: Reference, q: np.ndarray) -> np.ndarray:
        found = np.zeros(self.model.nq)
        for joint in reference.mechanism.tree_joints:
            if joint.type == "fixed" or joint.coordinates is None:
                continue
            first = self.model.joints[self.model.getJointId(joint.name)].idx_q
            own = q[joint.coordinates]
            if joint.type in ("spherical", "free"):
                own = np.concatenate([own[4:], own[1:4], own[:1]])
            found[first : first + len(own)] = own
        return found

    def speeds(self, v: np.ndarray) -> np.ndarray:
        found = np.zeros(self.model.nv)
        found[self.v_places] = v
        return found


def _joint_model(joint: NumericJoint) -> Any:
    match joint.type:
        case "revolute":
            return pin.JointModelRevoluteUnaligned(joint.axis)
        case "prismatic":
            return pin.JointModelPrismaticUnaligned(joint.axis)
        case "helical":
            return pin.JointModelHelicalUnaligned(joint.axis, joint.numbers[0])
        case "universal":
            return pin.JointModelUniversal(joint.axis, joint.second_axis)
        case "spherical":
            return pin.JointModelSpherical()
        case _:
            return pin.JointModelFreeFlyer()


@pytest.mark.parametrize("seed", range(25))
def test_all_functions_agree_with_pinocchio(seed: int) -> None:
    options = {"forces": False, "couplings": False, "free_roots": False, "parameters": False}
    model = outward(random_tree(seed, bodies=(1, 20), joint_types=TYPES, **options))
    rng = np.random.default_rng(seed)
    model = replace(
        model,
        joints=tuple(
            replace(j, armature=0.1 * float(rng.random())) if j.type == "revolute" else j for j in model.joints
        ),
    )
    reference = Reference(model)
    twin = Twin.of(reference)
    m, data, places = twin.model, twin.data, twin.v_places
    q, v, tau = random_state(model, model.label(), rng, reference=reference)
    vdot = rng.uniform(-1, 1, reference.nv)
    q_pin, v_pin = twin.q(reference, q), twin.speeds(v)

    def close(found: np.ndarray, expected: np.ndarray, factor: float = 1.0) -> None:
        assert found == pytest.approx(expected, abs=AGREEMENT * factor * max(1.0, np.abs(expected).max(initial=0)))

    M = reference.mass_matrix(q)
    pin.crba(m, data, q_pin)
    full = np.triu(data.M) + np.triu(data.M, 1).T
    close(M, full[np.ix_(places, places)])
    close(reference.inverse_dynamics(q, v, vdot), pin.rnea(m, data, q_pin, v_pin, twin.speeds(vdot))[places])
    close(reference.bias_force(q, v), pin.nonLinearEffects(m, data, q_pin, v_pin)[places])
    close(reference.gravity_force(q), pin.computeGeneralizedGravity(m, data, q_pin)[places])
    condition = np.linalg.cond(M) if reference.nv else 1.0
    close(reference.forward_dynamics(q, v, tau), pin.aba(m, data, q_pin, v_pin, twin.speeds(tau))[places], condition)
    # Pinocchio leaves out what is welded to ground.
    moving, welded = pin.centerOfMass(m, data, q_pin), m.inertias[0]
    mass = pin.computeTotalMass(m)
    center = (mass * moving + welded.mass * welded.lever) / (mass + welded.mass)
    close(reference.center_of_mass(q), center)
    momentum = pin.computeCentroidalMomentum(m, data, q_pin, v_pin)
    angular = momentum.angular + np.cross(moving - center, momentum.linear)
    close(reference.momentum(q, v), np.concatenate([angular, momentum.linear]))

    pin.computeJointJacobians(m, data, q_pin)
    pin.updateFramePlacements(m, data)
    poses, jacobians = reference.poses(q), reference.jacobians(q)
    for k, frame in enumerate(twin.frames):
        close(poses[k], data.oMf[frame].homogeneous)
        jacobian = pin.getFrameJacobian(m, data, frame, pin.ReferenceFrame.LOCAL)[:, places]
        close(jacobians[k], np.concatenate([jacobian[3:], jacobian[:3]]))


@pytest.mark.parametrize("seed", range(6))
def test_joint_wrenches_agree_with_pinocchio(seed: int) -> None:
    options = {"forces": False, "couplings": False, "free_roots": False, "parameters": False}
    types = tuple(kind for kind in TYPES if kind != "fixed")
    model = outward(random_tree(seed, bodies=(1, 15), joint_types=types, **options))
    reference = Reference(model)
    twin = Twin.of(reference)
    rng = np.random.default_rng(seed)
    q, v, tau = random_state(model, model.label(), rng, reference=reference)
    vdot = reference.forward_dynamics(q, v, tau)
    pin.rnea(twin.model, twin.data, twin.q(reference, q), twin.speeds(v), twin.speeds(vdot))
    wrenches = reference.joint_wrenches(q, v, tau)
    for joint in reference.mechanism.tree_joints:
        force = twin.data.f[twin.model.getJointId(joint.name)]
        expected = np.concatenate([force.angular, force.linear])
        size = max(1.0, np.abs(wrenches).max())
        assert wrenches[joint.label - 1] == pytest.approx(expected, abs=AGREEMENT * size), joint.name


def test_a_loop_closed_by_a_ball_joint_agrees_with_pinocchio() -> None:
    """A chain of five bodies whose end is held at a point of ground: accelerations and the force of the closure."""
    inertia = (0.02, 0.03, 0.04, 0.001, 0, 0.002)
    bodies = tuple(Body(f"b{k}", 1 + k / 4, (0.1, 0.02 * k, 0), inertia) for k in range(1, 6))
    axes = ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    names = ("ground", *(body.name for body in bodies))
    chain = tuple(
        Joint(f"j{k}", "revolute", names[k], names[k + 1], axes[k], None, Placement((0.4, 0, 0.1)), cut="tree")
        for k in range(5)
    )
    opened = Model("chain", bodies, chain)
    open_reference = Reference(opened)
    q = np.array([0.3, -0.4, 0.5, 0.9, -0.6])
    tip = open_reference.poses(q)[open_reference.mechanism.body_labels["b5"] - 1] @ [0.3, 0.1, 0, 1]
    closing = Joint(
        "ball",
        "spherical",
        "ground",
        "b5",
        predecessor_placement=Placement((tip[0], tip[1], tip[2])),
        successor_placement=Placement((0.3, 0.1, 0)),
        cut="cut",
    )
    reference = Reference(replace(opened, joints=(*chain, closing)))
    assert np.abs(reference.closure_gap(q)).max() < 1e-14
    rng = np.random.default_rng(1)
    v = reference.consistent_velocity(q, rng.uniform(-1, 1, 5))
    tau = rng.uniform(-1, 1, 5)
    solution = reference.solve(q, v, tau)
    vdot, wrench = solution.vdot, solution.wrenches[reference.mechanism.nb :]

    twin = Twin.of(open_reference)
    constraint = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D,
        twin.model,
        0,
        pin.SE3(np.eye(3), tip[:3]),
        twin.model.getJointId("j4"),
        pin.SE3(np.eye(3), np.array([0.3, 0.1, 0])),
    )
    constraints, results = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    constraints.append(constraint)
    results.append(pin.RigidConstraintData(constraint))
    pin.initConstraintDynamics(twin.model, twin.data, constraints, results)
    settings = pin.ProximalSettings(1e-14, 1e-14, 50)
    found = pin.constraintDynamics(twin.model, twin.data, q, v, tau, constraints, results, settings)
    size = max(1.0, np.abs(vdot).max())
    assert vdot == pytest.approx(found, abs=1e-9 * size)  # its solution is iterative
    force = results[0].contact_force.linear
    assert np.linalg.norm(wrench[0, 3:]) == pytest.approx(np.linalg.norm(force), rel=1e-8)
    assert wrench[0, :3] == pytest.approx(np.zeros(3), abs=1e-12)

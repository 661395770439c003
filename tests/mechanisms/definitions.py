"""Energies and frames in words that no derivation has: bodies are point masses that move as their places do.

What is asked of a model stays the same where the world is turned, where bodies and joints are written in another
order, where a joint is written from its other side, and where a floating mechanism hangs on another of its bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.body import Placement
from mbsym.model.joint import Joint
from mbsym.model.joint_frame import default_second_axis
from mbsym.model.system import Model
from mbsym.reference.force_elements import element_forces, stored_energy
from mbsym.reference.joint_types import REFERENCE_JOINTS
from mbsym.reference.mechanism import NumericBody, NumericJoint, placement_numbers
from mbsym.reference.placements import centroidal_twists, configuration, motion
from mbsym.reference.reference import Reference
from mbsym.reference.rotations import rotation_quaternion
from mbsym.symbolic.evaluator import Evaluator
from mbsym.values.entries import entries_of
from mbsym.values.numbers import evaluate, parameter_values
from mbsym.values.parameter import Value
from mechanisms.energy import STEP, WEIGHTS

Array = NDArray[Any]

COMPLEX_STEP = 1e-30
TIME = 0.3
LEAST_MOTION = 1e-4

TURN = Placement((0.3, -0.2, 0.5), quaternion=(2, 1, -3, 1))
"""From the world to another one."""


def point_masses(body: NumericBody) -> tuple[Array, Array]:
    """Masses (6,) and places (6, 3) in the body's frame, with its mass, centre and inertia: pairs on principal axes."""
    second = 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia
    sizes, axes = np.linalg.eigh(second)
    arms = axes * np.sqrt(np.maximum(3 * sizes / (body.mass or 1.0), 0.0))
    places = body.center_of_mass + np.concatenate([arms.T, -arms.T])
    return np.full(6, body.mass / 6), places


class Derived:
    """The equations of a model as they are derived, and its reference for places and laws."""

    def __init__(self, model: Model, *, order: str = "weight") -> None:
        self.model = model
        self.labelling = model.label(order=order)  # type: ignore[arg-type]
        self.reference = Reference(model, self.labelling)
        mechanism = build_mechanism(model, self.labelling)
        self._programs = {
            name: TREE_FUNCTIONS[name](mechanism.afresh()) for name in ("forward_dynamics", "position_rate")
        }
        self._evaluators = {name: Evaluator(program) for name, program in self._programs.items()}
        self._points = [point_masses(body) for body in self.reference.mechanism.bodies]

    def value(self, name: str, **given: Array) -> Array:
        program = self._programs[name]
        (found,) = self._evaluators[name](*(np.ravel(given[item.name]).tolist() for item in program.inputs)).values()
        return np.asarray(found)

    def rates(self, q: Array, v: Array, tau: Array, t: float, u: Array) -> Array:
        return self.value("forward_dynamics", q=q, v=v, tau=tau, t=np.array(t), u=u)

    def energy(self, moving: Array) -> tuple[float, float]:
        """Kinetic energy of all points and rotors, and potential energy of points and springs [J].

        Args:
            moving: q, and its rate times the complex step as its imaginary part.
        """
        mechanism, q = self.reference.mechanism, moving.real
        poses = self.reference.poses(moving)
        kinetic, potential = 0.0, stored_energy(mechanism, configuration(mechanism, q))
        for (masses, points), pose in zip(self._points, poses, strict=True):
            places = points @ pose[:3, :3].T + pose[:3, 3]
            kinetic += 0.5 * float(masses @ np.sum((places.imag / COMPLEX_STEP) ** 2, axis=1))
            potential -= float(masses @ (places.real @ mechanism.gravity))
        for joint, own in zip(mechanism.tree_joints, mechanism.joint_coordinates(moving), strict=True):
            if joint.armature:
                speeds = speeds_of(joint, own)
                kinetic += 0.5 * joint.armature * float(speeds @ speeds)
        return kinetic, potential

    def moving(self, q: Array, v: Array) -> Array:
        """q with its rate as ``energy`` takes it."""
        return q + 1j * COMPLEX_STEP * self.value("position_rate", q=q, v=v)

    def accelerations(self, q: Array, v: Array, vdot: Array) -> dict[str, Array]:
        """[alpha; a] of every body's frame in base axes: how its velocities change along the motion."""
        reference = self.reference

        def twists(h: float) -> Array:
            moved = reference.integrate_position(q, v, h)
            return world_twists(reference, moved, v + h * vdot)

        found = sum(weight * (twists(k * STEP) - twists(-k * STEP)) for k, weight in WEIGHTS) / STEP
        return {body.name: found[k] for k, body in enumerate(reference.mechanism.bodies)}


@dataclass(frozen=True)
class Balance:
    """Change of the energy over a motion, work, and the size of what they are sums of."""

    change: float
    work: float
    scale: float

    @property
    def error(self) -> float:
        return abs(self.change - self.work) / self.scale


def balance(derived: Derived, q: Array, v: Array, tau: Array, u: Array, duration: float) -> Balance:
    """Along the motion of the derived equations under constant tau and u."""
    reference = derived.reference
    nq, nv = reference.nq, reference.nv

    def rate(t: float, y: Array) -> Array:
        q, v = y[:nq], y[nq : nq + nv]
        power = reference.power(q, v, tau, t, u)
        return np.concatenate([derived.value("position_rate", q=q, v=v), derived.rates(q, v, tau, t, u), [power]])

    path = solve_ivp(rate, (0, duration), np.concatenate([q, v, [0.0]]), method="DOP853", rtol=1e-10, atol=1e-11)
    end = path.y[:, -1]
    before, after = (derived.energy(derived.moving(y[:nq], y[nq : nq + nv])) for y in (path.y[:, 0], end))
    return Balance(sum(after) - sum(before), end[-1], max(1e-3, *map(abs, (*before, *after, end[-1]))))


def speeds_of(joint: NumericJoint, moving: Array) -> Array:
    """The speeds of a joint whose coordinates have rates as their imaginary parts."""
    rate = REFERENCE_JOINTS[joint.type].rate
    units = np.eye(joint.rates.stop - joint.rates.start)
    motions = np.array([rate(moving.real, unit) for unit in units]).reshape(len(units), len(moving)).T
    return np.linalg.lstsq(motions, moving.imag / COMPLEX_STEP, rcond=None)[0]


def hamilton_error(derived: Derived, q: Array, v: Array, tau: Array, u: Array) -> float:
    """By how much the derived motion misses d/dt dL/dy' - dL/dy = Q, relative to the largest term.

    y counts from q: small steps along the speeds, which need not commute. Forces without a potential come from the
    reference, and only the derivatives of L decide on the rest. What does no work is seen here, unlike in a balance of
    energy.
    """
    reference, t = derived.reference, TIME
    vdot = derived.rates(q, v, tau, t, u)
    units = np.eye(reference.nv)

    def along(y: Array, rate: Array) -> Array:
        return reference.integrate_position(q, y + 1j * COMPLEX_STEP * rate, 1.0 + 0j)

    def lagrangian(y: Array, rate: Array) -> float:
        kinetic, potential = derived.energy(along(y, rate))
        return kinetic - potential

    def speeds(s: float) -> Array:
        moving, found = along(s * v, v), np.zeros(reference.nv)
        for joint in reference.mechanism.tree_joints:
            if joint.speeds is not None:
                found[joint.speeds] = speeds_of(joint, moving[joint.coordinates])
        return found

    # Along y = v s + y'' s^2 / 2 the speeds have to change by vdot.
    bend = vdot - slope(speeds)

    def momentum(s: float, unit: Array) -> float:
        y, rate = v * s + 0.5 * bend * s * s, v + bend * s
        return 0.5 * (lagrangian(y, rate + unit) - lagrangian(y, rate - unit))

    moved = np.array([slope(lambda s, unit=unit: momentum(s, unit)) for unit in units])
    sloping = np.array([slope(lambda s, unit=unit: lagrangian(s * unit, v)) for unit in units])
    forces = tau + generalised(reference, q, v, t, u)
    scale = max(np.abs(part).max(initial=1e-3) for part in (moved, sloping, forces))
    return float(np.abs(moved - sloping - forces).max(initial=0.0) / scale)


def slope(function: Callable[[float], Any]) -> Any:
    """At zero, by differences of sixth order; rounding and what is left out are near 1e-13 for sizes of one."""
    return sum(weight * (function(k * STEP) - function(-k * STEP)) for k, weight in WEIGHTS) / STEP


def generalised(reference: Reference, q: Array, v: Array, t: float, u: Array) -> Array:
    """Forces of elements but springs along the speeds, by their power."""
    mechanism = reference.mechanism
    at = configuration(mechanism, q)
    forces = element_forces(mechanism, at, motion(mechanism, at, v[:, None]), t, u, elastic=False)
    unit = motion(mechanism, at, np.eye(reference.nv))
    found: Array = np.einsum("bik,bi->k", centroidal_twists(at, unit), forces.wrenches[1:])
    return found + unit.rates.T @ forces.joint_forces


# ---- the same in other words -----------------------------------------------------------------------------------------


def turned(model: Model) -> Model:
    """The model with all that stands on ground, gravity included, in another attitude at another place."""
    numbers = parameter_values(model)
    rotation, _ = placement_numbers(TURN, numbers)

    def joint_of(joint: Joint) -> Joint:
        for end in ("predecessor", "successor"):
            if getattr(joint, end) == model.ground:
                own = getattr(joint, f"{end}_placement")
                joint = replace(joint, **{f"{end}_placement": _joined(TURN, own, numbers)})
        return joint

    return replace(
        model,
        joints=tuple(map(joint_of, model.joints)),
        gravity=_rotated(rotation, model.gravity),
        forces=tuple(_turned_element(model, element, rotation, numbers) for element in model.forces),
        constraints=tuple(_turned_element(model, element, rotation, numbers) for element in model.constraints),
    )


def _turned_element(model: Model, element: Any, rotation: Array, numbers: Mapping[str, float]) -> Any:
    """Its entries say in which axes they are given."""
    changes: dict[str, Any] = {}
    for entry in entries_of(type(element)):
        if not entry.body or entry.kind not in ("vector", "direction", "expressions"):
            continue
        given = getattr(element, entry.key)
        if entry.axes and getattr(element, entry.axes) != "body":
            changes[entry.key] = _rotated(rotation, given)
        elif getattr(element, entry.body) == model.ground:
            moved = _rotated(rotation, given)
            if entry.kind == "vector":
                moved = tuple(f"{x} + ({y})" for x, y in zip(moved, TURN.translation, strict=True))
            changes[entry.key] = moved
    return replace(element, **changes) if changes else element


def _rotated(rotation: Array, vector: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(" + ".join(f"({float(r)!r})*({x})" for r, x in zip(row, vector, strict=True)) for row in rotation)


def _joined(outer: Placement, inner: Placement, numbers: Mapping[str, float]) -> Placement:
    (R, p), (Q, r) = placement_numbers(outer, numbers), placement_numbers(inner, numbers)
    quaternion = tuple(float(x) for x in rotation_quaternion(R @ Q))
    return Placement(tuple(float(x) for x in p + R @ r), quaternion=quaternion)


def reordered(model: Model) -> Model:
    """The model with its bodies and joints written the other way round."""
    return replace(model, bodies=model.bodies[::-1], joints=model.joints[::-1], forces=model.forces[::-1])


def reversed_joint(model: Model, name: str) -> Model:
    """The model with one joint written from its successor to its predecessor; where it has two axes they change."""
    numbers = parameter_values(model)

    def other(joint: Joint) -> Joint:
        if joint.name != name:
            return joint
        swapped = replace(
            joint,
            predecessor=joint.successor,
            successor=joint.predecessor,
            predecessor_placement=joint.successor_placement,
            successor_placement=joint.predecessor_placement,
        )
        if "second_axis" not in joint.kind.entries:
            return swapped
        x, y, z = (evaluate(entry, numbers) for entry in joint.axis)
        second = joint.second_axis or default_second_axis((x, y, z))
        return replace(swapped, axis=second, second_axis=joint.axis)

    return replace(model, joints=tuple(map(other, model.joints)))


def based_on(model: Model, body: str) -> Model:
    """A floating model whose free joint leads to another body."""
    joints = tuple(
        replace(
            joint, predecessor=model.ground, successor=body, predecessor_placement=TURN, successor_placement=Placement()
        )
        if model.ground in (joint.predecessor, joint.successor)
        else joint
        for joint in model.joints
    )
    return replace(model, joints=joints)


# ---- the same state in other words -----------------------------------------------------------------------------------


def world_twists(reference: Reference, q: Array, v: Array) -> Array:
    """[omega; v] of every body's frame in base axes, (nb, 6)."""
    rotations = reference.poses(q)[:, :3, :3]
    halves = reference.velocities(q, v).reshape(-1, 2, 3)
    turned: Array = np.einsum("bij,bhj->bhi", rotations, halves).reshape(-1, 6)
    return turned


def same_state(given: Reference, q: Array, v: Array, other: Reference) -> tuple[Array, Array]:
    """q and v of another model of the same bodies in which they are where they were, and move alike."""
    poses = {body.name: pose for body, pose in zip(given.mechanism.bodies, given.poses(q), strict=True)}
    twists = given.velocities(q, v)
    by_name = {body.name: twist for body, twist in zip(given.mechanism.bodies, twists, strict=True)}
    ordered = [np.eye(4), *(poses[body.name] for body in other.mechanism.bodies)]
    found = np.zeros(other.nq)
    for joint in other.mechanism.tree_joints:
        if joint.coordinates is None:
            continue
        near = ordered[joint.predecessor] @ _pose(joint.predecessor_rotation, joint.predecessor_translation)
        far = ordered[joint.successor] @ _pose(joint.successor_rotation, joint.successor_translation)
        between = np.linalg.inv(near) @ far
        found[joint.coordinates] = REFERENCE_JOINTS[joint.type].coordinates(joint, between[:3, :3], between[:3, 3])
    jacobian = other.jacobians(found).reshape(6 * other.mechanism.nb, other.nv)
    wanted = np.concatenate([by_name[body.name] for body in other.mechanism.bodies])
    return found, np.linalg.lstsq(jacobian, wanted, rcond=None)[0]


def rate_error(given: Derived, other: Derived, q: Array, v: Array, tau: Array, u: Array) -> float:
    """By how much rates of speeds differ, relative to the largest, of models in the same coordinates joint by joint."""
    there = {joint.name: joint for joint in other.reference.mechanism.tree_joints}
    q2, v2, tau2 = np.zeros(other.reference.nq), np.zeros(other.reference.nv), np.zeros(other.reference.nv)
    own = [joint for joint in given.reference.mechanism.tree_joints if joint.speeds is not None]
    for joint in own:
        q2[there[joint.name].coordinates] = q[joint.coordinates]
        v2[there[joint.name].speeds], tau2[there[joint.name].speeds] = v[joint.speeds], tau[joint.speeds]
    found, expected = given.rates(q, v, tau, TIME, u), other.rates(q2, v2, tau2, TIME, u)
    differences = [np.abs(found[joint.speeds] - expected[there[joint.name].speeds]).max(initial=0.0) for joint in own]
    return float(max(differences, default=0.0) / max(1e-3, np.abs(found).max(initial=0.0)))


def state_error(given: Derived, other: Derived, q: Array, v: Array, u: Array) -> float:
    """By how much accelerations of bodies differ, relative to the largest, without forces along joints.

    The bodies are where they are and move alike in both, in whatever coordinates.
    """
    q2, v2 = same_state(given.reference, q, v, other.reference)
    still, still2 = np.zeros(given.reference.nv), np.zeros(other.reference.nv)
    found = given.accelerations(q, v, given.rates(q, v, still, TIME, u))
    expected = other.accelerations(q2, v2, other.rates(q2, v2, still2, TIME, u))
    scale = max(1e-3, *(float(np.abs(rates).max()) for rates in found.values()))
    return float(max(np.abs(found[name] - expected[name]).max() for name in found) / scale)


def closure_errors(derived: Derived, q: Array, v: Array, u: Array, duration: float) -> dict[str, float]:
    """By how much loops open, and energy changes beside the work, where the reference's accelerations lead.

    Energies are those of point masses, and places alone say whether loops are closed.

    Args:
        derived: a model with closed loops.
        q: where they close.
        v: from which the nearest speeds are taken that keep them closed.
        u: control inputs.
        duration: of the motion.

    Returns:
        Errors by what they are of; none where next to nothing moves.
    """
    reference = derived.reference
    v = reference.consistent_velocity(q, v)
    nq, still = reference.nq, np.zeros(reference.nv)

    def rate(t: float, y: Array) -> Array:
        q, v = y[:nq], y[nq:-1]
        vdot = reference.forward_dynamics(q, v, still, t, u)
        return np.concatenate([reference.position_rate(q, v), vdot, [reference.power(q, v, still, t, u)]])

    path = solve_ivp(rate, (0, duration), [*q, *v, 0.0], method="DOP853", rtol=1e-9, atol=1e-10)
    end = path.y[:, -1]
    before, after = (derived.energy(derived.moving(y[:nq], y[nq:-1])) for y in (path.y[:, 0], end))
    scale = max(1e-3, *map(abs, (*before, *after)))
    moved = float(np.abs(end[:nq] - q).max())
    if moved < LEAST_MOTION:
        return {}
    gap = float(np.abs(reference.closure_gap(end[:nq])).max())
    return {"energy": abs(sum(after) - sum(before) - end[-1]) / scale, "closure": gap / max(1.0, moved)}


def _pose(rotation: Array, translation: Array) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, translation
    return pose

"""Reference: every function of the catalogue, numerically, for one state at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbsym.errors import ModelError
from mbsym.model.frame import Frame
from mbsym.model.system import Model
from mbsym.reference import closure, maximal, placements
from mbsym.reference.force_elements import drive_rates, element_forces, output_values, stored_energy
from mbsym.reference.maximal import MaximalSolution
from mbsym.reference.mechanism import NumericMechanism, numeric_mechanism
from mbsym.reference.placements import (
    Configuration,
    Motion,
    accelerations,
    body_placements,
    centroidal_twists,
    configuration,
    joint_bias,
    motion,
    relative_twist,
)
from mbsym.reference.rotations import Array, cross
from mbsym.reference.rotors import rotor_bias
from mbsym.topology import Labelling


class Reference:
    """A model's equations by maximal coordinates.

    q and v run over the tree joints by regular label in the user's sense; a joint that follows another by a coupling
    has no entries. Rows of results run over regular labels 1..nb of bodies and 1..nj of joints. Cut joints are
    opened in ``mass_matrix``, ``bias_force``, ``inverse_dynamics`` and ``gravity_force``, which belong to
    M vdot + bias = tau + G^T lambda; armature and force elements at cut joints count.

    Attributes:
        labelling: regular labels.
        mechanism: the model in numbers.
    """

    def __init__(
        self, model: Model, labelling: Labelling | None = None, parameters: Mapping[str, float] | None = None
    ) -> None:
        """Turns the model into numbers.

        Args:
            model: the model.
            labelling: its labels; default ``model.label()``.
            parameters: numbers that replace those of the model's parameters.
        """
        self.labelling = model.label() if labelling is None else labelling
        self.mechanism: NumericMechanism = numeric_mechanism(model, self.labelling, parameters)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.mechanism.nq

    @property
    def nv(self) -> int:
        """Number of speeds."""
        return self.mechanism.nv

    @property
    def neutral(self) -> Array:
        """q at which the joint frames of every tree joint coincide (but for couplings with an offset), (nq,)."""
        q = np.zeros(self.nq)
        for joint in self.mechanism.tree_joints:
            if joint.coordinates is not None:
                q[joint.coordinates] = joint.neutral
        return q

    def joint_coordinates(self, q: Any) -> dict[str, Array]:
        """Coordinates of every joint by name; those of cut joints are read off the poses, with angles in (-pi, pi]."""
        coordinates = self._configuration(q).coordinates
        return {joint.name: entries for joint, entries in zip(self.mechanism.joints, coordinates, strict=True)}

    def joint_speeds(self, q: Any, v: Any) -> dict[str, Array]:
        """Speeds of every joint by name; those of cut joints are read off the twists of their bodies."""
        _, moving, _ = self._state(q, v)
        return {joint.name: moving.rates[joint.rates, 0] for joint in self.mechanism.joints}

    def poses(self, q: Any) -> Array:
        """Body frames in base axes, homogeneous matrices (nb, 4, 4); complex q is accepted."""
        q = self._vector(q, self.nq, "q")
        rotations, origins = body_placements(self.mechanism, q)
        poses = np.zeros((self.mechanism.nb, 4, 4), dtype=q.dtype)
        poses[:, :3, :3], poses[:, :3, 3], poses[:, 3, 3] = rotations[1:], origins[1:], 1.0
        return poses

    def velocities(self, q: Any, v: Any) -> Array:
        """[omega; velocity of the body frame's origin] of every body in its own axes, (nb, 6)."""
        at, moving, _ = self._state(q, v)
        return _in_body_axes(at, moving)[:, :, 0]

    def jacobians(self, q: Any) -> Array:
        """Velocities for unit speeds, (nb, 6, nv)."""
        at = self._configuration(q)
        return _in_body_axes(at, motion(self.mechanism, at, np.eye(self.nv)))

    def mass_matrix(self, q: Any) -> Array:
        """Hessian of the kinetic energy by v, (nv, nv)."""
        at = self._configuration(q)
        unit = motion(self.mechanism, at, np.eye(self.nv))
        twists = centroidal_twists(at, unit)
        inertias = maximal.centroidal_inertias(self.mechanism, at)
        bodies = np.einsum("bik,bij,bjl->kl", twists, inertias, twists, optimize=True)
        rotors: Array = unit.rates.T @ (self.mechanism.armatures[:, None] * unit.rates)
        total: Array = bodies + rotors
        return total

    def inverse_dynamics(
        self, q: Any, v: Any, vdot: Any, t: float = 0.0, u: Sequence[float] = (), x: Sequence[float] = ()
    ) -> Array:
        """tau by virtual power of all inertia, weight and element forces in base axes, (nv,)."""
        at, moving, _ = self._state(q, v)
        vdot = self._vector(vdot, self.nv, "vdot")
        alpha, linear = accelerations(self.mechanism, at, moving, vdot)
        elements = element_forces(self.mechanism, at, moving, t, u, x)
        unbalanced = -maximal.body_forces(self.mechanism, at, moving, elements.wrenches)
        inertias = maximal.centroidal_inertias(self.mechanism, at)
        omega = moving.angular[:, :, 0]
        for k in range(self.mechanism.nb):
            arm = at.centers[k + 1] - at.origins[k + 1]
            turn = cross(alpha[k + 1], arm) + cross(omega[k + 1], cross(omega[k + 1], arm))
            unbalanced[k] += inertias[k] @ np.concatenate([alpha[k + 1], linear[k + 1] + turn])
        rate_changes = self._rate_changes(at, moving, vdot, alpha, linear)
        along = self.mechanism.armatures * rate_changes - elements.joint_forces
        along += rotor_bias(self.mechanism, at.coordinates, moving.rates[:, 0])
        unit = motion(self.mechanism, at, np.eye(self.nv))
        tau: Array = np.einsum("bik,bi->k", centroidal_twists(at, unit), unbalanced) + unit.rates.T @ along
        return tau

    def bias_force(self, q: Any, v: Any, t: float = 0.0, u: Sequence[float] = (), x: Sequence[float] = ()) -> Array:
        """tau that makes vdot zero, (nv,)."""
        return self.inverse_dynamics(q, v, np.zeros(self.nv), t, u, x)

    def outputs(self, q: Any, v: Any, t: float = 0.0, u: Sequence[float] = (), x: Sequence[float] = ()) -> Array:
        """The outputs of the model, (ny,)."""
        at, moving, _ = self._state(q, v)
        return output_values(self.mechanism, at, moving, t, u, x)

    def drive_rates(self, q: Any, v: Any, t: float = 0.0, u: Sequence[float] = (), x: Sequence[float] = ()) -> Array:
        """Rates of the states of drives, (nx,)."""
        at, moving, _ = self._state(q, v)
        return drive_rates(self.mechanism, at, moving, t, u, x)

    def gravity_force(self, q: Any) -> Array:
        """tau that holds the weight alone, (nv,)."""
        at = self._configuration(q)
        linear = centroidal_twists(at, motion(self.mechanism, at, np.eye(self.nv)))[:, 3:]
        force: Array = -np.einsum("b,bik,i->k", self._masses, linear, self.mechanism.gravity)
        return force

    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any,
        t: float = 0.0,
        u: Sequence[float] = (),
        x: Sequence[float] = (),
        *,
        closed: bool = True,
    ) -> Array:
        """vdot, (nv,); with closed=False that of the tree with its cut joints opened."""
        return self.solve(q, v, tau, t, u, x, closed=closed).vdot

    def joint_wrenches(
        self,
        q: Any,
        v: Any,
        tau: Any,
        t: float = 0.0,
        u: Sequence[float] = (),
        x: Sequence[float] = (),
        *,
        closed: bool = True,
    ) -> Array:
        """[moment; force] on every joint's successor by its predecessor, at and in the successor's joint frame.

        (nj, 6). Where reactions are not unique they are those of minimum norm over all joints (and gear and rod
        forces); ``reaction_null_space`` tells by how much others may differ.
        """
        return self.solve(q, v, tau, t, u, x, closed=closed).wrenches

    def solve(
        self,
        q: Any,
        v: Any,
        tau: Any,
        t: float = 0.0,
        u: Sequence[float] = (),
        x: Sequence[float] = (),
        *,
        closed: bool = True,
    ) -> MaximalSolution:
        """Accelerations, joint wrenches and the multipliers of gears and constraint elements."""
        at, moving, _ = self._state(q, v)
        tau = self._vector(tau, self.nv, "tau")
        return maximal.solve(self.mechanism, at, moving, tau, t, u, x, closed=closed)

    def reaction_null_space(self, q: Any) -> Array:
        """Orthonormal columns (6 nj, k) by which the rows of ``joint_wrenches`` may differ without any effect."""
        at, moving, _ = self._state(q, np.zeros(self.nv))
        return maximal.reaction_null_space(self.mechanism, at, moving)

    def kinetic_energy(self, q: Any, v: Any) -> float:
        """Of the bodies and of the reflected rotors [J]."""
        at, moving, _ = self._state(q, v)
        twists = centroidal_twists(at, moving)[:, :, 0]
        bodies = np.einsum("bi,bij,bj->", twists, maximal.centroidal_inertias(self.mechanism, at), twists)
        return 0.5 * float(bodies + self.mechanism.armatures @ moving.rates[:, 0] ** 2)

    def potential_energy(self, q: Any) -> float:
        """Of gravity, zero at the base's origin, and of joint springs and point springs [J]."""
        at = self._configuration(q)
        return float(-self._masses @ at.centers[1:] @ self.mechanism.gravity) + stored_energy(self.mechanism, at)

    def power(
        self, q: Any, v: Any, tau: Any, t: float = 0.0, u: Sequence[float] = (), x: Sequence[float] = ()
    ) -> float:
        """Rate of kinetic plus potential energy by tau and all force elements but springs [W]."""
        at, moving, speeds = self._state(q, v)
        forces = element_forces(self.mechanism, at, moving, t, u, x, elastic=False)
        on_bodies = np.sum(centroidal_twists(at, moving)[:, :, 0] * forces.wrenches[1:])
        along = forces.joint_forces @ moving.rates[:, 0]
        return float(self._vector(tau, self.nv, "tau") @ speeds + on_bodies + along)

    def center_of_mass(self, q: Any) -> Array:
        """Of all bodies, base axes, (3,)."""
        return self._center_of_mass(self._configuration(q))

    def momentum(self, q: Any, v: Any) -> Array:
        """[angular momentum about the centre of mass; linear momentum] of all bodies, base axes, (6,)."""
        at, moving, _ = self._state(q, v)
        center = self._center_of_mass(at)
        total = np.zeros(6)
        blocks = maximal.centroidal_inertias(self.mechanism, at)
        for k, twist in enumerate(centroidal_twists(at, moving)[:, :, 0]):
            own = blocks[k] @ twist
            total[:3] += own[:3] + cross(at.centers[k + 1] - center, own[3:])
            total[3:] += own[3:]
        return total

    def position_rate(self, q: Any, v: Any) -> Array:
        """qdot, (nq,)."""
        return placements.position_rate(self.mechanism, self._vector(q, self.nq, "q"), self._vector(v, self.nv, "v"))

    def integrate_position(self, q: Any, v: Any, h: Any) -> Array:
        """q after a step h along v, quaternions kept at unit length, (nq,)."""
        return placements.integrate_position(
            self.mechanism, self._vector(q, self.nq, "q"), self._vector(v, self.nv, "v"), h
        )

    def closure_gap(self, q: Any) -> Array:
        """By how much loops are open: six entries for each cut joint, then gears and constraint elements."""
        return closure.closure_gap(self.mechanism, self._configuration(q))

    def closure_jacobian(self, q: Any) -> Array:
        """Rates of the closure gap for unit speeds, (entries, nv), with dependent rows."""
        return closure.closure_jacobian(self.mechanism, self._configuration(q))

    def consistent_velocity(self, q: Any, v: Any) -> Array:
        """The speeds nearest to v that keep the loops closed, (nv,)."""
        return closure.consistent_velocity(self.mechanism, self._configuration(q), self._vector(v, self.nv, "v"))

    def frame_poses(self, q: Any) -> Array:
        """Frames of the model in base axes, homogeneous matrices (nf, 4, 4)."""
        rotations, origins = body_placements(self.mechanism, self._vector(q, self.nq, "q"))
        poses = np.zeros((len(self._frames), 4, 4), dtype=rotations.dtype)
        poses[:, 3, 3] = 1.0
        for pose, frame in zip(poses, self._frames, strict=True):
            pose[:3, :3], pose[:3, 3] = placements.frame_pose(self.mechanism, frame, rotations, origins)
        return poses

    def frame_velocities(self, q: Any, v: Any) -> Array:
        """[omega; v] of the model's frames in the axes that each asks for, (nf, 6)."""
        at, moving, _ = self._state(q, v)
        return self._twists(at, moving)[:, :, 0]

    def frame_jacobians(self, q: Any) -> Array:
        """Velocities of the frames for unit speeds, (nf, 6, nv)."""
        at = self._configuration(q)
        return self._twists(at, motion(self.mechanism, at, np.eye(self.nv)))

    def frame_accelerations(self, q: Any, v: Any, vdot: Any) -> Array:
        """[alpha; a] of the model's frames in the axes that each asks for, (nf, 6)."""
        return self._frame_accelerations(q, v, vdot, np.zeros(3))

    def frame_proper_accelerations(self, q: Any, v: Any, vdot: Any) -> Array:
        """[alpha; a less gravity] of the model's frames in the axes that each asks for, (nf, 6)."""
        return self._frame_accelerations(q, v, vdot, self.mechanism.gravity)

    def frame_jacobian_rates_v(self, q: Any, v: Any) -> Array:
        """Accelerations of the frames with constant speeds, (nf, 6)."""
        return self.frame_accelerations(q, v, np.zeros(self.nv))

    @property
    def _frames(self) -> tuple[Frame, ...]:
        return self.mechanism.model.frames_of_functions

    def _twists(self, at: Configuration, moving: Motion) -> Array:
        return np.stack([placements.frame_twists(self.mechanism, frame, at, moving) for frame in self._frames])

    def _frame_accelerations(self, q: Any, v: Any, vdot: Any, gravity: Array) -> Array:
        at, moving, _ = self._state(q, v)
        alpha, linear = accelerations(self.mechanism, at, moving, self._vector(vdot, self.nv, "vdot"))
        return np.stack(
            [
                placements.frame_acceleration(self.mechanism, frame, at, moving, alpha, linear - gravity)
                for frame in self._frames
            ]
        )

    def closed_position(self, q: Any) -> Array:
        """A configuration near q whose loops are closed, if Gauss-Newton steps reach one, (nq,)."""
        return closure.closed_position(self.mechanism, self._vector(q, self.nq, "q"))

    @property
    def _masses(self) -> Array:
        return np.array([body.mass for body in self.mechanism.bodies])

    def _center_of_mass(self, at: Configuration) -> Array:
        masses = self._masses
        total = float(masses.sum())
        if not total > 0:
            raise ModelError("nothing has mass", where=self.mechanism.model.name, remedy="give a body mass")
        center: Array = masses @ at.centers[1:] / total
        return center

    def _rate_changes(self, at: Configuration, moving: Motion, vdot: Array, alpha: Array, linear: Array) -> Array:
        """Rates of the speeds of all joints; those of cut joints follow from the accelerations of their bodies."""
        changes = [self.mechanism.rate_map @ vdot]
        omega = moving.angular[:, :, 0]
        for joint in self.mechanism.cut_joints:
            frames = at.joints[joint.label - 1]
            relative = relative_twist(joint, frames, at, alpha[:, :, None], linear[:, :, None])[:, 0]
            for label, sign in ((joint.successor, 1.0), (joint.predecessor, -1.0)):
                arm = frames.head - at.origins[label]
                relative[3:] += sign * cross(omega[label], cross(omega[label], arm))
            changes.append(np.linalg.pinv(frames.freedom) @ (relative - joint_bias(joint, frames, moving)))
        return np.concatenate(changes)

    def _configuration(self, q: Any) -> Configuration:
        return configuration(self.mechanism, self._vector(q, self.nq, "q"))

    def _state(self, q: Any, v: Any) -> tuple[Configuration, Motion, Array]:
        at, speeds = self._configuration(q), self._vector(v, self.nv, "v")
        return at, motion(self.mechanism, at, speeds[:, None]), speeds

    def _vector(self, values: Any, length: int, name: str) -> Array:
        vector = np.asarray(values)
        vector = vector if np.iscomplexobj(vector) else vector.astype(float)
        if vector.shape != (length,):
            raise ModelError(
                f"{name} has the shape {vector.shape}", where=self.mechanism.model.name, remedy=f"give {length} numbers"
            )
        return vector


def _in_body_axes(at: Configuration, moving: Motion) -> Array:
    turned = np.transpose(at.rotations[1:], (0, 2, 1))
    return np.concatenate([turned @ moving.angular[1:], turned @ moving.linear[1:]], axis=1)

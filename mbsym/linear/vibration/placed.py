"""A mechanism at rest as elements of the transfer matrix method for vibrations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.forces.element import ForceElement, LinearLaw
from mbsym.joints.planar import PLANAR
from mbsym.kinematics.mechanism import CutJoint, Mechanism, TreeBody
from mbsym.kinematics.placement import scalars, vector_of
from mbsym.linear.vibration import elements as el
from mbsym.linear.vibration.cuts import OPEN, CutAtRest, asked_of_cut
from mbsym.linear.vibration.loads import Relation
from mbsym.linear.vibration.tree import VibratingTree
from mbsym.model.beam import Beam
from mbsym.model.beam_parts import bar_lengths, parts_of
from mbsym.registry import available_functions
from mbsym.spatial.vector import Vector3
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import evaluate, parameter_values, value_names
from mbsym.values.parameter import Value

BeamModel: TypeAlias = Literal["exact", "consistent", "lumped", "segments"]
"""A beam as it is, as finite elements of two kinds of mass matrix, or as the bars that the model has for it."""

BEAM_MODELS: Final[tuple[BeamModel, ...]] = ("exact", "consistent", "lumped", "segments")

COINCIDING: Final = 1e-13
"""Lengths that differ by less than this part of them are equal."""

INSIDE: Final = 0.3819660112501051
"""Part of an exact piece at which its own computation parts it. Beside frequencies of a piece with both ends held its
matrices have few digits, and a mode that is nearly one of these moves its ends by nothing; inside it moves, and the
parts, which the golden section makes as unlike as can be, have other frequencies."""


def _evaluated(
    mechanism: Mechanism, q: Array, asked: Mapping[str, Sequence[Sequence[Scalar]]]
) -> dict[str, list[Array]]:
    """Scalars of a mechanism as numbers at a configuration, all evaluated at once, in the groups in which they came."""
    outputs = [
        Output(f"{name}{k}", (len(values),), tuple(x.ref for x in values))
        for name, group in asked.items()
        for k, values in enumerate(group)
    ]
    inputs = (mechanism.q, mechanism.v, *mechanism.extra_inputs)
    program = Program("vibrating", mechanism.graph, inputs, tuple(outputs), mechanism.parameters)
    found = interpret(program, {item.name: np.zeros(item.shape) for item in inputs} | {"q": q})
    return {name: [found[f"{name}{k}"] for k in range(len(group))] for name, group in asked.items()}


def _asked_of(body: TreeBody) -> list[Scalar]:
    """What a body is added by, its inertia as the user gives it: of heavy bodies rounding would be felt."""
    user = body.user_frame
    inertia = body.inertia.to_parent(user.rotation, user.translation)
    return [
        *(entry for row in body.rotation.matrix() for entry in row),
        *body.translation,
        *(entry for row in user.rotation.matrix() for entry in row),
        *user.translation,
        *(inertia.mass, *inertia.first_moment, *inertia.about_origin),
        *(entry for motion in body.columns for part in motion for entry in part),
        *body.armature,
        *body.q,
    ]


class VibratingElements:
    """A mechanism on its way to elements.

    Attributes:
        points: by label, of the body's internal origin in base axes [m].
        rotations: by label, of the internal frame.
        beams: how beams are taken.
        element: by label, index of the element that the body belongs to, -1 for ground.
        tree: of the elements.
    """

    def __init__(self, mechanism: Mechanism, q: Array, beams: BeamModel = "exact") -> None:
        """Evaluates what the elements need at a configuration.

        Raises:
            AnalysisError: the state is not one of rest, or something is not covered.
        """
        self.mechanism = mechanism
        model = mechanism.model
        self._beams = () if beams == "segments" else model.beams
        self._require_covered()
        self.beams: BeamModel = beams
        self._names = parameter_values(model)
        self._q = q = q.copy()
        self._hinge_of = {name: (beam, k) for beam in self._beams for k, name in enumerate(beam.hinges, start=1)}
        self._lines = {name for beam in self._beams for name in beam.middles}
        self._bars = {name for beam in self._beams for name in (*beam.bars, *beam.middles)}
        self._modal = {item.name: beam for beam in self._beams if beam.modes for item in parts_of(beam).bodies}
        self._welds = {name for beam in self._beams for name in beam.ends}
        self._ends: dict[str, int] = {}
        self._straighten(q)
        laws = [(force, law) for force in model.forces if (law := force.linear_law()) is not None]
        numbers = _evaluated(mechanism, q, self._asked([law for _, law in laws]))
        (self.gravity,) = numbers["gravity"]
        self.points, self.rotations = [np.zeros(3)], [np.eye(3)]
        self.element = [-1]
        self.elements: list[el.VibrationElement] = []
        self._at = {-1: np.zeros(3)}
        points = iter(numbers["ends"])
        self._laws = [
            (force, law, own, list(islice(points, len(law.ends))))
            for (force, law), own in zip(laws, numbers["laws"], strict=True)
        ]
        for body, values in zip(mechanism.bodies, numbers["bodies"], strict=True):
            self._add(body, values)
        self._add_point_springs()
        self._closures: list[el.Closure] = []
        for cut, own in zip(mechanism.cut_joints, numbers["cuts"], strict=True):
            self._add_cut(cut, own)
        self.tree = VibratingTree(self.elements, self.gravity, self._closures, self._ties, self._relations())

    def _asked(self, laws: Sequence[LinearLaw]) -> dict[str, Sequence[Sequence[Scalar]]]:
        mechanism, graph, names = self.mechanism, self.mechanism.graph, self.mechanism.names
        return {
            "gravity": [mechanism.gravity],
            "bodies": [_asked_of(body) for body in mechanism.bodies],
            "laws": [scalars((law.stiffness, law.damping, law.rest), graph, names) for law in laws],
            "ends": [self._end(name, at) for law in laws for name, at in law.ends],
            "cuts": [asked_of_cut(mechanism, cut) for cut in mechanism.cut_joints],
        }

    def _straighten(self, q: Array) -> None:
        """Beams as they are unloaded.

        Raises:
            AnalysisError: loops hold one in another shape.
        """
        for body in self.mechanism.bodies:
            if body.joint.name in self._lines or body.joint.name in self._hinge_of or body.name in self._modal:
                own = q[slice(*body.q_range)]
                if self.mechanism.cut_joints and np.abs(own).max(initial=0.0) > OPEN:
                    raise AnalysisError(
                        "a beam of a mechanism with loops is bent or stretched at rest, which transfer matrices do not "
                        "cover",
                        where=body.name,
                        remedy="hold its ends as far apart as it is long, or take `method equations`",
                    )
                own[:] = 0.0

    @property
    def name(self) -> str:
        """Of the model."""
        return self.mechanism.model.name

    def body_frames(self) -> Array:
        """Frames of all bodies at rest (nb, 4, 4)."""
        program = available_functions(self.mechanism, "auto").functions["body_poses"](self.mechanism)
        return np.asarray(interpret(program, {"q": self._q})["poses"].reshape(-1, 4, 4))

    def motions_of_bodies(self, shape: Array) -> tuple[Array, Array]:
        """Points of all bodies at rest (nb, 3), and their motions in a shape of the points that are told (nb, 6)."""
        own, moved = self.element[1:], {-1: np.zeros(6), **dict(zip(self.told, shape, strict=True))}
        return np.array([self._at[k] for k in own]), np.array([moved[k] for k in own])

    @property
    def told(self) -> list[int]:
        """Indices of the elements whose points people know."""
        return [k for k, element in enumerate(self.elements) if not element.inside]

    @property
    def places(self) -> Array:
        """Points of the elements that are told, base axes (n, 3) [m]."""
        return np.array([self._at[k] for k in self.told]).reshape(-1, 3)

    def _require_covered(self) -> None:
        model = self.mechanism.model
        for constraint in model.constraints:
            if not constraint.related:
                raise AnalysisError(
                    f"the transfer matrix method has no element for a {constraint.type.replace('_', ' ')} constraint",
                    where=f"constraint {constraint.name}",
                    remedy="leave `method` out",
                )
        for unknown, said in ((model.motions, "prescribes no motions"), (model.drives, "knows no states of drives")):
            if unknown:
                raise AnalysisError(f"the transfer matrix method {said}", where=model.name, remedy="leave `method` out")
        moving = {name for joint in model.joints for name in (*joint.coordinates, *joint.speeds)}
        known = {parameter.name for parameter in model.parameters} | {"t"} | {item.name for item in model.inputs}
        for force in model.forces:
            if force.linear_law() is not None:
                continue
            names = {name for value in force.expressions for name in value_names(value)}
            if force.named("input") and not names:
                continue
            if not names <= known or names & moving or not self._rests(force):
                raise AnalysisError(
                    f"the transfer matrix method takes no {force.type.replace('_', ' ')} that acts at rest or "
                    "depends on the motion",
                    where=f"force {force.name}",
                    remedy="leave `method` out",
                )

    def _rests(self, force: ForceElement) -> bool:
        """Whether a force that depends on time and inputs alone is zero where these are."""
        values = parameter_values(self.mechanism.model)
        values |= {"t": 0.0} | {item.name: 0.0 for item in self.mechanism.model.inputs}
        return all(evaluate(value, values) == 0.0 for value in force.expressions)

    def _end(self, name: str, point: Any) -> Vector3:
        mechanism, label = self.mechanism, self.mechanism.labelling.body_labels[name]
        at = vector_of(point, mechanism.graph, mechanism.names)
        return mechanism.body(label).user_frame.point_to_child(at) if label else at

    def _add(self, body: TreeBody, numbers: Array) -> None:
        k = 34 + 6 * len(body.columns)
        turn, shift, user, place, moments, columns, armature, q = np.split(
            numbers, (9, 12, 21, 24, 34, k, k + len(body.armature))
        )
        R = self.rotations[body.parent] @ turn.reshape(3, 3)
        origin = self.points[body.parent] + self.rotations[body.parent] @ shift
        self.rotations.append(R)
        self.points.append(origin)
        (beam, k), modal = self._hinge_of.get(body.joint.name, (None, 0)), self._modal.get(body.name)
        inner = self.element[body.parent]
        if modal is not None:
            if modal.name not in self._ends:
                # A body that is fixed to its carrier has the carrier's frame: the beam starts where the user's is.
                axes = R @ user.reshape(3, 3).T
                self._add_modal(modal, body, inner, axes, origin - axes @ place)
            self.element.append(self._ends[modal.name] if modal.tip and body.name == modal.bars[-1] else inner)
            return
        if body.joint.kind.is_rigid or body.joint.name in self._lines:
            self.element.append(inner)
            if body.joint.name in self._welds and body.name not in self._bars and inner >= 0:
                # What is welded to the end of a beam gives its name to the point there, the first of them.
                own = self.elements[inner]
                self.elements[inner] = replace(own, name=body.name if own.name in self._bars else own.name)
        elif beam is None:
            link = self._joint_link(body, R, columns, armature, q)
            self.element.append(self._new_element(body.name, inner, link, origin, origin - self._at[inner]))
        else:
            axes = R @ user.reshape(3, 3).T @ (np.diag([-1.0, 1.0, -1.0]) if body.flipped else np.eye(3))
            inboard = sum(bar_lengths(beam)[:k]) - Fraction(k - 1, beam.pieces)
            before = 1 / Fraction(beam.pieces) - inboard if body.flipped else inboard
            start = origin - float(before) * evaluate(beam.length, self._names) * axes[:, 0]
            self.element.append(self._new_piece(beam, beam.bars[k - body.flipped], inner, axes, start))
        index = self.element[-1]
        if index >= 0 and body.name not in self._bars:
            axes = R @ user.reshape(3, 3).T
            at = origin - axes @ place
            lever = at - self._at[index]
            at_point = np.abs(lever).max() <= COINCIDING * np.abs(at).max()
            self._load(index, axes, 0.0 * lever if at_point else lever, moments)

    def _new_element(
        self, name: str, inner: int, link: el.JointLink | el.BeamLink, at: Array, lever: Array, *, inside: bool = False
    ) -> int:
        """Index of a new element with nothing at its end."""
        nothing, index = np.zeros((6, 6)), len(self.elements)
        self._at[index] = at
        self.elements.append(
            el.VibrationElement(name, inner, lever, link, nothing, nothing, nothing, np.zeros(6), inside)
        )
        return index

    def _add_modal(self, beam: Beam, body: TreeBody, inner: int, axes: Array, start: Array) -> None:
        """The pieces of a beam that has modes in the equations of motion."""
        if body.joint.name != beam.ends[0] or body.flipped:
            raise AnalysisError(
                "this beam with modes hangs on its end",
                where=f"beam {beam.name}",
                remedy="exchange 'from' and 'to', or take segments without modes",
            )
        for k in range(1, beam.pieces + 1):
            inner = self._new_piece(beam, f"{beam.name}_{k}", inner, axes, start)
            start = self._at[inner]
        self._ends[beam.name] = inner

    def _load(self, index: int, R: Array, lever: Array, moments: Array) -> None:
        """Adds a rigid body to an element: its inertia about a point at the lever's end, turned to base axes."""
        xx, yy, zz, xy, xz, yz = moments[4:]
        about = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        mass, first = moments[0], R @ moments[1:4]
        c = el.cross_matrix(first)
        M = np.block([[about, c], [c.T, mass * np.eye(3)]])
        T = el.lever_matrix(lever)
        weight = mass * self.gravity
        moment = -np.cross(first + mass * lever, self.gravity)
        # Second order of the weight's potential as its centre of mass turns with the body.
        stiffness = el.lever_hessian(first + mass * lever, -self.gravity)
        old = self.elements[index]
        self.elements[index] = replace(
            old,
            mass=old.mass + T.T @ M @ T,
            stiffness=old.stiffness + stiffness,
            gradient=old.gradient + np.concatenate([moment, -weight]),
        )

    def _joint_link(self, body: TreeBody, R: Array, columns: Array, armature: Array, q: Array) -> el.JointLink:
        k = len(body.columns)
        turned = np.kron(np.eye(2), R) @ columns.reshape(k, 6).T
        stiffness, damping, torque = np.zeros(k), np.zeros(k), np.zeros(k)
        for force, law, (spring, damper, rest), _ in self._laws:
            if law.index is None or body.joint.name not in force.named("joint"):
                continue
            stiffness[law.index] += spring
            damping[law.index] += damper
            if spring:
                torque[law.index] += spring * (q[law.index] - rest)
        order = 0
        if k == 2 and np.all(np.linalg.norm(turned[:3], axis=0) > 0.0):
            order = -1 if body.flipped else 1
        carrier = 2 if body.flipped and body.joint.type == PLANAR.name else -1
        return el.JointLink(turned, stiffness, damping, armature, torque, order, carrier)

    def _new_piece(self, beam: Beam, name: str, inner: int, axes: Array, start: Array) -> int:
        """Index of an element that is an nth of a beam, from a point along the first of its axes."""
        shares = (INSIDE, 1.0 - INSIDE) if self.beams in ("exact", "segments") else (1.0,)
        for k, share in enumerate(shares, start=1):
            link = self._beam_link(beam, axes, share)
            end = start + link.length * axes[:, 0]
            inner = self._new_element(name, inner, link, end, start - self._at[inner], inside=k < len(shares))
            start = end
        return inner

    def _beam_link(self, beam: Beam, axes: Array, share: float) -> el.BeamLink:
        """A part of one of its pieces."""
        names = self._names
        return el.BeamLink(
            axes,
            share * evaluate(beam.length, names) / beam.pieces,
            share * evaluate(beam.mass, names) / beam.pieces,
            tuple(evaluate(value, names) for value in beam.stiffness_about),
            tuple({"y": 1, "z": 2}[axis] for axis in beam.axes),
            evaluate(beam.damping, names),
            "exact" if self.beams == "segments" else self.beams,
            None if beam.axial_stiffness is None else evaluate(beam.axial_stiffness, names),
            None
            if beam.torsional_stiffness is None or beam.torsional_inertia is None
            else (
                evaluate(beam.torsional_stiffness, names),
                share * evaluate(beam.torsional_inertia, names) / beam.pieces,
            ),
        )

    def _add_point_springs(self) -> None:
        """Springs and dampers between points: on an element, or between two of them."""
        labels = self.mechanism.labelling.body_labels
        self._ties: list[el.Tie] = []
        for force, law, (stiffness, damping, rest), ends in self._laws:
            if not law.ends:
                continue
            own = [labels[name] for name, _ in law.ends]
            index = (self.element[own[0]], self.element[own[1]])
            if index[0] == index[1]:
                continue
            points = [self.points[label] + self.rotations[label] @ at for label, at in zip(own, ends, strict=True)]
            span = points[0] - points[1]
            length = float(np.linalg.norm(span))
            if length <= COINCIDING * max(float(np.abs(points).max()), abs(rest)):
                if rest or damping:
                    raise AnalysisError(
                        "its ends coincide, so it has no direction",
                        where=f"force {force.name}",
                        remedy="take a state where they are apart; without a rest length and damping none is needed",
                    )
                frame, resisting, pull = np.eye(3), np.full(3, stiffness), np.zeros(3)
            else:
                # Along the span, and across it what turns the force.
                frame = np.linalg.svd(span[None, :] / length)[2]
                strain = 0.0 if abs(length - rest) <= COINCIDING * length else 1.0 - rest / length
                resisting = stiffness * np.array([1.0, strain, strain])
                pull = stiffness * strain * span
            levers = []
            for k, point, sign in zip(index, points, (1.0, -1.0), strict=True):
                lever = point - self._at[k]
                levers.append(el.lever_matrix(lever))
                if k >= 0:
                    self._add_pull(k, lever, sign * pull)
            if min(index) >= 0:
                rows = np.hstack([np.zeros((3, 3)), frame])
                dampers = np.array([damping, 0.0, 0.0])
                tie = el.Tie(force.name, index, (levers[0], levers[1]), rows, resisting, dampers, np.zeros(3))
                self._ties.append(tie)
                continue
            moving = 0 if index[0] >= 0 else 1
            T, old = levers[moving][3:], self.elements[index[moving]]
            self.elements[index[moving]] = replace(
                old,
                stiffness=old.stiffness + T.T @ (frame.T * resisting @ frame) @ T,
                damping=old.damping + damping * T.T @ np.outer(frame[0], frame[0]) @ T,
            )

    def _add_cut(self, cut: CutJoint, numbers: Array) -> None:
        """What a cut joint holds, and what acts along it.

        Raises:
            AnalysisError: the loop is open, or what acts along the joint is not covered.
        """
        found = CutAtRest.of(cut, numbers, self.rotations, self.points)
        size = max(float(np.ptp([*self.points, *found.ends], axis=0).max()), 0.0)
        found.require_closed(size)
        pair = (self.element[cut.predecessor], self.element[cut.successor])
        at = (self._at[pair[0]], self._at[pair[1]])
        closure = found.closure(pair, at)
        laws = [values for force, law, values, _ in self._laws if cut.joint.name in force.named("joint")]
        start = evaluate(cut.joint.initial[0], self._names) if cut.joint.initial else 0.0
        tie = found.tie(pair, at, laws, start, size)
        self._closures += [] if closure is None else [closure]
        self._ties += [] if tie is None else [tie]

    def _relations(self) -> list[Relation]:
        """Couplings, gears and linear couplings, but for what stands for modes of beams."""
        model = self.mechanism.model
        own = {item.joint for beam in self._beams for item in parts_of(beam).couplings}
        asked: list[tuple[str, tuple[tuple[str, Value], ...]]] = [
            (item.joint, ((item.joint, -1), (item.source, item.ratio)))
            for item in model.couplings
            if item.joint not in own
        ]
        asked += [(item.name, item.related) for item in model.constraints]
        elements = {body.joint.name: self.element[body.label] for body in self.mechanism.bodies}
        for name, terms in asked:
            for joint, _ in terms:
                if joint not in elements or joint in self._hinge_of:
                    how = "lies inside a beam" if joint in self._hinge_of else "is cut"
                    raise AnalysisError(
                        f"it relates joint {joint}, which {how}",
                        where=name,
                        remedy="keep it in the tree (cut: tree)" if how == "is cut" else "take `method equations`",
                    )
        return [
            Relation(name, tuple((elements[joint], 0, evaluate(factor, self._names)) for joint, factor in terms))
            for name, terms in asked
        ]

    def _add_pull(self, index: int, lever: Array, pull: Array) -> None:
        """Adds a potential's gradient over displacements of a lever's end, and what turning the lever makes of it."""
        old = self.elements[index]
        self.elements[index] = replace(
            old,
            stiffness=old.stiffness + el.lever_hessian(lever, pull),
            gradient=old.gradient + el.lever_matrix(lever)[3:].T @ pull,
        )

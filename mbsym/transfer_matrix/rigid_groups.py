"""Bodies that fixed joints hold together as one rigid group each, and what elements need to know of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mbsym.errors import DerivationError
from mbsym.forces.element import ForceElement, LinearLaw
from mbsym.joints.free import FREE
from mbsym.joints.planar import PLANAR
from mbsym.kinematics.driven import driven_columns
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.placement import scalars, vector_of
from mbsym.model.geometry import Rotation, Triple
from mbsym.model.joint import Joint
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.transform import Transform, identity_transform
from mbsym.spatial.vector import Symmetric3, Vector3, negate
from mbsym.symbolic.graph import exact
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.transfer_matrix.system import TransferCut, tidy
from mbsym.values.numbers import evaluate_reference, parameter_values
from mbsym.values.parameter import Value, Vector

End: TypeAlias = tuple[int, Vector3]
"""A group and a point in its internal frame."""

Turn: TypeAlias = Callable[[int, Vector3], tuple[Scalar, ...]]
"""Components of a vector in a group's internal frame to those of the element."""


@dataclass(frozen=True, slots=True)
class RigidGroup:
    """Bodies that fixed joints hold together, which is to say that they share an internal frame.

    Attributes:
        parent: number of the inboard group, 0 for ground.
        hinge: the bodies that joints lead to between the two: those without mass, and ``first``.
        inertia: of all members in the internal frame, whose origin is the input end.
        members: names of the user's bodies.
    """

    parent: int
    hinge: tuple[TreeBody, ...]
    inertia: RigidInertia
    members: tuple[str, ...]

    @property
    def first(self) -> TreeBody:
        """The body that the inboard joint leads to; the element's axes are those of the user's frame on it."""
        return self.hinge[-1]

    @property
    def joint(self) -> Joint:
        """The inboard joint."""
        return self.first.joint

    @property
    def center(self) -> Vector3:
        """Centre of mass in the internal frame."""
        mass, (x, y, z) = self.inertia.mass, self.inertia.first_moment
        return x / mass, y / mass, z / mass

    def inertia_about_center(self, axes: Transform) -> Symmetric3:
        """Inertia (xx, yy, zz, xy, xz, yz) about the centre of mass, turned as ``axes`` turns the internal frame."""
        there = negate(axes.rotation.to_parent(self.center))
        return self.inertia.to_parent(axes.rotation, there).about_origin


class RigidGroups:
    """The rigid groups of a mechanism.

    Attributes:
        groups: group k + 1 at index k, parents first.
        number: by label, of the group that the body is in, or that carries it where it has no mass; 0 for ground.
        light: labels of bodies without mass.
        frames: by number, internal frame in the user's frame on the first body; the base for ground.
        springs: between points: element, law and both ends.
        driven: places in v of what motions prescribe.
        zero: of the mechanism's graph.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        """Sums up the bodies that share an internal frame.

        Raises:
            DerivationError: a group has no mass, by the parameters' own values where it depends on some, and is not
                between two joints at one place.
        """
        self.mechanism = mechanism
        self.zero = constant(mechanism.graph, 0)
        self.driven = driven_columns(mechanism)
        self._numbers = parameter_values(mechanism.model)
        laws = ((force, force.linear_law()) for force in mechanism.model.forces)
        self._laws = [(force, law) for force, law in laws if law is not None]
        whole: list[RigidGroup] = []
        held = [0]
        for body in mechanism.bodies:
            parent = held[body.parent]
            if not body.joint.kind.is_rigid:
                whole.append(RigidGroup(parent, (body,), body.inertia, (body.name,)))
                held.append(len(whole))
                continue
            held.append(parent)
            if parent:
                group = whole[parent - 1]
                total, members = group.inertia + body.inertia, (*group.members, body.name)
                whole[parent - 1] = replace(group, inertia=total, members=members)
        groups: list[RigidGroup] = []
        # By number in ``whole``: number of the element, or what goes on from a body without mass.
        numbers, light = [0], dict[int, RigidGroup]()
        for k, group in enumerate(whole, start=1):
            before = light.get(group.parent)
            hinge = group.hinge if before is None else (*before.hinge, *group.hinge)
            grown = replace(group, parent=numbers[group.parent], hinge=hinge)
            if not evaluate_reference(self.mechanism.graph, group.inertia.mass.ref, self._numbers):
                self._require_between(k, group, whole)
                light[k] = grown
                numbers.append(grown.parent)
            else:
                groups.append(grown)
                numbers.append(len(groups))
        self.number = [numbers[k] for k in held]
        self.light = frozenset(label for label, k in enumerate(held) if k in light)
        self.groups = tuple(groups)
        self.frames = (identity_transform(mechanism.graph), *(group.first.user_frame for group in groups))
        self.springs = [(force, law, self._ends(law)) for force, law in self._laws if law.ends]

    def _require_between(self, k: int, group: RigidGroup, whole: Sequence[RigidGroup]) -> None:
        """A body without mass is but the place between two joints, and nothing else holds on to it.

        Raises:
            DerivationError: it is not.
        """
        beyond = [other for other in whole if other.parent == k]
        graph, numbers = self.mechanism.graph, self._numbers
        turns = any(evaluate_reference(graph, x.ref, numbers) for x in group.inertia.about_origin)
        at_one_place = len(beyond) == 1 and not any(beyond[0].first.inboard.translation) and not turns
        labels = {self.mechanism.labelling.body_labels[name] for name in group.members}
        cut = {label for each in self.mechanism.cut_joints for label in (each.predecessor, each.successor)}
        sprung = {name for _, law in self._laws for name, _ in law.ends}
        if at_one_place and not labels & cut and not sprung & set(group.members):
            return
        raise DerivationError(
            "the transfer matrix method needs bodies with mass, but for those between two joints at one place",
            where=f"body {group.members[0]}",
            remedy="give it a mass",
        )

    def _ends(self, law: LinearLaw) -> tuple[End, End]:
        first, second = (self._end(name, point) for name, point in law.ends)
        return first, second

    def _end(self, name: str, point: Vector) -> End:
        """A point in the user's frame on a body."""
        mechanism, label = self.mechanism, self.mechanism.labelling.body_labels[name]
        at = vector_of(point, mechanism.graph, mechanism.names)
        return self.number[label], mechanism.body(label).user_frame.point_to_child(at) if label else at

    def scalars(self, *values: Value) -> tuple[Scalar, ...]:
        """Values of the model."""
        return scalars(values, self.mechanism.graph, self.mechanism.names)

    def triple(self, a: Vector3) -> Triple:
        """A vector for the default values of the parameters."""
        x, y, z = (evaluate_reference(entry.graph, entry.ref, self._numbers) for entry in a)
        return x, y, z

    def rotation(self, frame: Transform) -> Rotation:
        """A frame's rotation for the default values of the parameters."""
        x, y, z = (self.triple(row) for row in frame.rotation.matrix())
        return x, y, z

    def require_constant_axes(self, number: int, group: RigidGroup) -> None:
        """Directions that the tables of hinges have as numbers do not depend on run-time parameters.

        Raises:
            DerivationError: they do.
        """
        frames = self.frames[number], self.frames[group.parent], *(body.inboard for body in group.hinge)
        if any(entry.constant is None for frame in frames for row in frame.rotation.matrix() for entry in row):
            raise DerivationError(
                "the direction of this joint depends on a run-time parameter, for which steps have no element",
                where=f"joint {group.joint.name}",
                remedy="make the parameter a number (symbolic: false)",
            )

    def in_user_axes(self, number: int, a: Vector3) -> Vector3:
        """Components in the user's frame on the group's first body of a vector in its internal frame."""
        return self.frames[number].rotation.to_parent(a)

    def laws_on(self, joint: Joint) -> list[tuple[ForceElement, LinearLaw]]:
        """Force elements on coordinates of a joint."""
        return [(force, law) for force, law in self._laws if joint.name in force.named("joint")]

    def cut_joints(self) -> list[tuple[Joint, tuple[End, End]]]:
        """Cut joints with both ends, but for those that let the ends go anywhere.

        Raises:
            DerivationError: one has springs, dampers or rotor inertia.
        """
        held = []
        for cut in self.mechanism.cut_joints:
            if self.laws_on(cut.joint) or any(self.scalars(cut.joint.armature)):
                raise DerivationError(
                    "springs, dampers and rotor inertia on a cut joint are not covered",
                    where=f"joint {cut.joint.name}",
                    remedy="keep the joint in the tree (cut: tree)",
                )
            if cut.joint.kind in (PLANAR, FREE):
                continue
            first = self.number[cut.predecessor], cut.predecessor_frame.translation
            second = self.number[cut.successor], cut.successor_frame.translation
            held.append((cut.joint, (first, second)))
        return held

    def cuts(self, turn: Turn) -> tuple[TransferCut, ...]:
        """Cut joints, then springs between points; their points turned to the elements' axes."""
        cuts = []
        for joint, (a, b) in self.cut_joints():
            cuts.append(TransferCut(joint.name, False, a[0], b[0], turn(*a), turn(*b), *(self.zero,) * 3))
        for force, law, (a, b) in self.springs:
            values = self.scalars(law.stiffness, law.damping, law.rest)
            cuts.append(TransferCut(force.name, True, a[0], b[0], turn(*a), turn(*b), *values))
        return tuple(cuts)


def turned(R: Sequence[Sequence[float]], a: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """R a, the entries of R tidied to what they are meant to be."""
    rows = []
    for row in R:
        total = constant(a[0].graph, 0)
        for factor, component in zip(row, a, strict=True):
            total = total + component * exact(tidy(factor))
        rows.append(total)
    return tuple(rows)

"""Equal limbs: subtrees of one carrier with the same joints and other numbers, of which one stands for all.

A mechanism with one limb of each group is written like any other; numbers in which the limbs differ are symbols, and
what the limb's first body hands on to its carrier is a symbol of the sum over the limbs. What is derived of it is a
program whose values are scalars where they belong to the carriers, and otherwise one of each limb.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, TypeAlias

from mbsym.kinematics.equivalents import for_forces, for_mass_matrix
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.rotation import MatrixRotation, Rotation
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Matrix3, Vector3
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Input
from mbsym.symbolic.scalar import Scalar, constant, symbol

Group: TypeAlias = tuple[tuple[int, ...], ...]
"""Labels of the bodies of equal limbs: a row for each place in the limb, the first for what the carrier carries."""

COMMUTATIVE: Final = ("add", "mul")


# ---- which limbs are equal -------------------------------------------------------------------------------------------


def equal_limbs(mechanism: Mechanism, *, by_zeros: bool) -> tuple[Group, ...]:
    """Groups of equal limbs, each as large as it can be.

    Args:
        mechanism: a tree without parameters at run time.
        by_zeros: limbs have their zeros in the same places, and not only the same joints.
    """
    views = (mechanism, for_forces(mechanism), for_mass_matrix(mechanism))
    shapes: dict[int, int] = {}
    known: dict[object, int] = {}
    for body in reversed(mechanism.bodies):
        own = tuple(_shape(view.body(body.label), by_zeros) for view in views)
        below = tuple(sorted(shapes[child] for child in body.children))
        shapes[body.label] = known.setdefault((own, below), len(known))
    children: dict[int, list[int]] = {}
    for body in mechanism.bodies:
        children.setdefault(body.parent, []).append(body.label)

    def paired(limbs: Sequence[int]) -> list[tuple[int, ...]]:
        """The rows of limbs whose first bodies have those labels."""
        below = [sorted(children.get(label, ()), key=lambda each: (shapes[each], each)) for label in limbs]
        return [tuple(limbs), *(row for same in zip(*below, strict=True) for row in paired(same))]

    found: list[Group] = []
    waiting = [0]
    while waiting:
        alike: dict[int, list[int]] = {}
        for label in children.get(waiting.pop(), ()):
            alike.setdefault(shapes[label], []).append(label)
        for same in alike.values():
            rows = paired(same) if len(same) > 1 else []
            if any(mechanism.body(row[0]).v for row in rows):
                found.append(tuple(rows))
            else:
                waiting += same
    return tuple(sorted(found))


def _shape(body: TreeBody, by_zeros: bool) -> tuple[object, ...]:
    """What equal bodies have in common."""
    own = {entry.ref: f"{array}{k}" for array in ("q", "v") for k, entry in enumerate(getattr(body, array))}
    motion = (*_entries(body.motion.placement), *(x for column in body.columns for part in column for x in part))
    bias = (*body.motion.bias[0], *body.motion.bias[1])
    forms = tuple(_form(entry.graph, entry.ref, own) for entry in (*motion, *bias))
    numbers = [*body.inertia.entries(), *body.armature, *_entries(body.inboard)]
    # Multiples of pi, for one, have no exact value: limbs have the same.
    inexact = tuple(entry.ref if entry.constant is None else 0 for entry in numbers)
    zeros = tuple(entry.ref == 0 for entry in numbers) if by_zeros else ()
    return body.joint.kind.name, body.flipped, len(body.armature), forms, inexact, zeros


def _entries(transform: Transform) -> list[Scalar]:
    return [*transform.translation, *(entry for row in transform.rotation.matrix() for entry in row)]


def _form(graph: Graph, ref: Reference, own: dict[Reference, str]) -> str:
    """A value as text in which the symbols of a body are called by their places."""
    if ref < 0:
        return f"-{_form(graph, -ref, own)}"
    if ref in own:
        return own[ref]
    operands = [_form(graph, each, own) for each in graph.operands(ref)]
    kind = graph.kinds[ref]
    if not operands:
        return f"{kind}{graph.arguments[ref]}"
    return f"{kind}({', '.join(sorted(operands) if kind in COMMUTATIVE else operands)})"


# ---- one of them for all ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Limbs:
    """The limbs of a mechanism, and what came up while one of each group stood for all.

    Attributes:
        whole: the mechanism with all of them.
        groups: of equal ones.
        constants: numbers in which they differ, by group and limb, with the symbol for them.
        sums: group and summand, with the symbol for the sum over the limbs.
    """

    whole: Mechanism
    groups: tuple[Group, ...]
    constants: dict[tuple[int, tuple[Fraction, ...]], Scalar] = field(default_factory=dict)
    sums: dict[tuple[int, Reference], Scalar] = field(default_factory=dict)
    group_of: dict[int, int] = field(init=False)
    rows: dict[int, tuple[int, ...]] = field(init=False)
    kept: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.group_of = {label: g for g, rows in enumerate(self.groups) for row in rows for label in row}
        self.rows = {row[0]: row for rows in self.groups for row in rows}
        labels = (body.label for body in self.whole.bodies)
        self.kept = [label for label in labels if label not in self.group_of or label in self.rows]

    def mechanism(self) -> Mechanism:
        """The mechanism with one limb of each group."""
        return self._reduced(self.whole)

    def equivalent(self, given: Mechanism, change: Callable[[Mechanism], Mechanism]) -> Mechanism:
        """What the mechanism with one limb of each group becomes when the whole one is changed so."""
        return replace(self._reduced(change(self.whole)), stands_for=given)

    def met(self, body: TreeBody, values: Sequence[Scalar]) -> list[Scalar]:
        """What a body hands on to its carrier: the sum over the limbs where it is the first of one."""
        label = self.kept[body.label - 1]
        group = self.group_of.get(label, -1)
        if group < 0 or self.groups[group][0][0] != label:
            return list(values)
        return [self._sum(group, value) for value in values]

    def _sum(self, group: int, value: Scalar) -> Scalar:
        graph, node = value.graph, abs(value.ref)
        if value.constant is not None:
            return value * len(self.groups[group][0])
        numbers = next((key[1] for key, made in self.constants.items() if made.ref == node), None)
        if numbers is not None:
            total = constant(graph, sum(numbers))
        else:
            total = self.sums.setdefault((group, node), symbol(graph, f"sum over limbs {len(self.sums)}"))
        return total if value.ref > 0 else -total

    # ---- bodies -----------------------------------------------------------------------------------------------------

    def _reduced(self, mechanism: Mechanism) -> Mechanism:
        labels = {0: 0} | {old: new for new, old in enumerate(self.kept, 1)}
        places = {what: self.places(what) for what in ("q", "v")}
        ranges = {what: _counted([mechanism.body(label) for label in self.kept], what) for what in ("q", "v")}
        columns = {old[0]: new for new, old in enumerate(places["v"])}
        bodies = []
        for label in self.kept:
            body = mechanism.body(label)
            body = self._common(mechanism, body) if label in self.rows else body
            children = tuple(labels[child] for child in body.children if child in labels)
            bodies.append(
                replace(
                    body,
                    label=labels[label],
                    parent=labels[body.parent],
                    children=children,
                    q_range=ranges["q"][label],
                    v_range=ranges["v"][label],
                )
            )
        speed_of = tuple(
            tuple((columns[column], ratio) for column, ratio in mechanism.speed_of[label - 1]) for label in self.kept
        )
        q, v = ([old[0] for old in places[what]] for what in ("q", "v"))
        return replace(
            mechanism,
            bodies=tuple(bodies),
            frames=(),
            q=_chosen(mechanism.q, q),
            v=_chosen(mechanism.v, v),
            vdot=_chosen(mechanism.vdot, v),
            tau=_chosen(mechanism.tau, v),
            speed_of=speed_of,
            stands_for=None,
            limbs=self,
        )

    def places(self, what: str) -> list[tuple[int, ...]]:
        """Where the entries of q or v of the mechanism with one limb stand in those of the whole: in each limb."""
        found = []
        for label in self.kept:
            starts = [getattr(self.whole.body(each), f"{what}_range") for each in self.rows.get(label, (label,))]
            start, stop = starts[0]
            found += [tuple(each[0] + k for each in starts) for k in range(stop - start)]
        return sorted(found)

    def groups_at(self, what: str) -> list[int]:
        """The groups of these entries, -1 for those of carriers."""
        at = {
            place: self.group_of.get(body.label, -1)
            for body in self.whole.bodies
            for place in range(*getattr(body, f"{what}_range"))
        }
        return [at[place[0]] for place in self.places(what)]

    def _common(self, mechanism: Mechanism, first: TreeBody) -> TreeBody:
        """The body that stands for all of its row."""
        group = self.group_of[first.label]
        row = [mechanism.body(label) for label in self.rows[first.label]]

        def at(read: Callable[[TreeBody], Sequence[Scalar]]) -> list[Scalar]:
            return [self._value(group, entries) for entries in zip(*map(read, row), strict=True)]

        entries = at(lambda body: body.inertia.entries())
        moments = [body.inertia.about_origin for body in row]
        if all(xx + yy == zz for xx, yy, zz, *_ in moments):
            # What regrouping brings about, and recursions look for.
            entries[6] = entries[4] + entries[5]
        x, y, z = at(lambda body: body.inboard.translation)
        inboard = Transform(self._rotation(row, at), (x, y, z))
        return replace(
            first,
            inertia=RigidInertia.of_entries(entries),
            inboard=inboard,
            placement=first.placement if first.joint.kind.is_rigid else inboard.then(first.motion.placement),
            armature=tuple(at(lambda body: body.armature)),
        )

    def _rotation(
        self, row: Sequence[TreeBody], at: Callable[[Callable[[TreeBody], Sequence[Scalar]]], list[Scalar]]
    ) -> Rotation:
        rotation = row[0].inboard.rotation
        flat = at(lambda body: [entry for line in body.inboard.rotation.matrix() for entry in line])
        if flat == [entry for line in rotation.matrix() for entry in line]:
            return rotation
        return Rotation(rotation.graph, (MatrixRotation(_matrix(flat)),))

    def _value(self, group: int, entries: Sequence[Scalar]) -> Scalar:
        """A number of all limbs: itself where it is the same, up to its sign one symbol for equal rows of numbers."""
        if all(entry == entries[0] for entry in entries):
            return entries[0]
        numbers = [entry.constant or Fraction(0) for entry in entries]
        sign = 1 if next(number for number in numbers if number) > 0 else -1
        key = group, tuple(sign * number for number in numbers)
        made = self.constants.setdefault(key, symbol(entries[0].graph, f"number of limbs {len(self.constants)}"))
        return made if sign > 0 else -made


def _matrix(entries: Sequence[Scalar]) -> Matrix3:
    rows: list[Vector3] = [(entries[k], entries[k + 1], entries[k + 2]) for k in (0, 3, 6)]
    return rows[0], rows[1], rows[2]


def _counted(bodies: Sequence[TreeBody], what: str) -> dict[int, tuple[int, int]]:
    """Ranges without gaps in the same order, by label."""
    found, start = {}, 0
    for body in sorted(bodies, key=lambda body: getattr(body, f"{what}_range")):
        first, last = getattr(body, f"{what}_range")
        found[body.label] = start, start + last - first
        start += last - first
    return found


def _chosen(item: Input, places: Sequence[int]) -> Input:
    """An array of those entries alone."""
    new = {old: place for place, old in enumerate(places)}
    return replace(
        item,
        shape=(len(places),),
        symbols=tuple(item.symbols[place] for place in places),
        quaternions=tuple(new[place] for place in item.quaternions if place in new),
        labels=tuple(item.labels[place] for place in places) if item.labels else (),
    )

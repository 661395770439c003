"""What closure residuals are measured by, from the reference's own places of joints: the way around each loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbsym.doors import Array
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.motion import loop_joints
from mbsym.model.frame_ends import frames_in_expressions
from mbsym.model.names import expression_names
from mbsym.model.own_units import length_unit
from mbsym.reference.constraint_elements import REFERENCE_CONSTRAINTS, between_points
from mbsym.reference.held import End, expression_factors, held_rows
from mbsym.reference.mechanism import OF_COORDINATES, NumericJoint, NumericMechanism
from mbsym.reference.placements import Configuration, configuration, frame_pose
from mbsym.symbolic.frame_quantities import quantity_of
from mbsym.verification.evidence import Evidence, Pairs

_SHARE = 64.0


def sizes_of_sums(evidence: Evidence) -> Pairs:
    """Lengths of the way around the loop, and what half a unit in the last place of each coordinate moves.

    Which rows of a loop are independent is the generator's choice: each row is compared with what is nearest to it.
    """
    found = np.stack(evidence.outputs(), axis=-1)
    numeric = evidence.reference.mechanism
    position = _Position(evidence.mechanism, numeric, configuration(numeric, evidence.state["q"]))
    closures = [*(joint.name for joint in numeric.cut_joints), *(item.name for item in numeric.model.constraints)]
    of_speeds = [(1.0, 0.0), (length_unit(numeric.model), 0.0)]
    known = np.array([*of_speeds, *(position.measured(name, unit) for name in closures for unit in ("rad", "m"))])
    for row in found:
        yield row, known[np.argmin(np.abs(known - row).sum(axis=-1))]


@dataclass(frozen=True, slots=True)
class _Position:
    """A mechanism, labelled and as the reference has it, in a position of its own."""

    labelled: Mechanism
    mechanism: NumericMechanism
    at: Configuration

    def measured(self, closure: str, unit: str) -> tuple[float, float]:
        """Size and rounding of a row."""
        constraints = self.mechanism.model.constraints
        if any(item.name == closure and item.type in OF_COORDINATES for item in constraints):
            return self._proportion(closure)
        held = next((row for row in held_rows(self.mechanism) if row.element.name == closure), None)
        if held is not None and held.law.ends is not None:
            ends, fixed = held.law.ends(self.mechanism, self.at, held.element)
            return _or_rounding(*self._around(ends, unit, fixed))
        if held is not None:
            return (1.0, 0.0) if held.of_speeds else self._expression(held.element)
        ends, fixed, slides = self._ends(closure)
        return _or_rounding(*self._around(ends, unit, fixed, _apart(ends[0][1], ends[1][1]) if slides else 0.0))

    def _around(self, ends: tuple[End, End], unit: str, fixed: float = 0.0, slid: float = 0.0) -> tuple[float, float]:
        """Lengths, or 1 of angles, and rounding around the way between two ends, with lengths that close it."""
        way = self._way(ends)
        angles = [self._coordinates(label, "rad") for _, label in way]
        if unit != "m":
            return 1.0, sum(angles) / _SHARE
        travels = [self._travel(label) for _, label in way]
        reaches = np.array([length for length, _ in way]) + travels
        levers = [min(reaches[:k].sum(), reaches[k + 1 :].sum()) + travels[k] + fixed + slid for k in range(len(way))]
        lengths = sum(length for length, _ in way) + fixed
        joints = sum(label > 0 for _, label in way)
        rounding = float((lengths + sum(travels) + slid) * joints + np.dot(levers, angles)) / _SHARE
        return lengths, rounding

    def _ends(self, closure: str) -> tuple[tuple[End, End], float, bool]:
        """Bodies and places that a closure holds together, its own lengths, and whether it lets them slide."""
        mechanism, at = self.mechanism, self.at
        element = next((item for item in between_points(mechanism) if item.name == closure), None)
        if element is None:
            cut = next(joint for joint in mechanism.cut_joints if joint.name == closure)
            frames = at.joints[cut.label - 1]
            fixed = _lengths(cut, "m") + _lengths(cut, "m/rad")
            return ((cut.successor, frames.head), (cut.predecessor, frames.tail)), fixed, JOINT_TYPES[cut.type].slides
        law = REFERENCE_CONSTRAINTS.named(element.type, element.name)

        def end(body: str, point: Any) -> End:
            label = mechanism.body_labels[body]
            return label, at.origins[label] + at.rotations[label] @ mechanism.numbers(point)

        fixed = abs(mechanism.number(getattr(element, "length", 0)))
        near, far = end(element.first_body, getattr(element, law.near)), end(element.second_body, element.second_point)
        return (near, far), fixed, not fixed

    def _way(self, ends: tuple[End, End]) -> list[tuple[float, int]]:
        """The way around: lengths, and joints by their label."""
        up, down = loop_joints(self.labelled, ends[0][0], ends[1][0])
        first, last = (_apart(place, self._outboard(label)) for label, place in ends)
        way: list[tuple[float, int]] = [(first, 0)]
        for label in (*up, *down):
            body = self.labelled.body(label)
            if body.joint.shape.nv:
                frames = self.at.joints[label - 1]
                inboard = frames.head if body.flipped else frames.tail
                step = (_apart(inboard, self._outboard(body.parent)), 0)
                way += [(0.0, label), step] if label in up else [step, (0.0, label)]
        return [*way, (last, 0)]

    def _outboard(self, label: int) -> Array:
        """Where the outboard frame is of the joint that moves a body, with what is fixed to it; the base for ground."""
        while label and not self.labelled.body(label).joint.shape.nv:
            label = self.labelled.body(label).parent
        if not label:
            return np.zeros(3)
        frames = self.at.joints[label - 1]
        return frames.tail if self.labelled.body(label).flipped else frames.head

    def _travel(self, label: int) -> float:
        """By how much a joint slides."""
        if not label:
            return 0.0
        turned, joint = self._coordinates(label, "rad"), self.mechanism.joints[label - 1]
        return self._coordinates(label, "m") + _lengths(joint, "m/rad") * turned + _lengths(joint, "m")

    def _proportion(self, closure: str) -> tuple[float, float]:
        constraints = self.mechanism.model.constraints
        place = [item.name for item in constraints if item.type in OF_COORDINATES].index(closure)
        relation = self.mechanism.relations[place]
        units = [self.labelled.body(label).joint.shape.coordinate_units[0] for label, _ in relation.terms]
        terms = [(label, abs(factor), unit) for (label, factor), unit in zip(relation.terms, units, strict=True)]
        summed = abs(relation.offset) + sum(factor * self._coordinates(label, unit) for label, factor, unit in terms)
        turning = [factor for _, factor, unit in terms if unit == "rad"]
        rounding = summed * len(units) / _SHARE
        return abs(relation.offset) + sum(turning) if turning else rounding, rounding

    def _expression(self, element: Any) -> tuple[float, float]:
        """The sizes of what it names, each by how much it counts, at least a share of the mechanism's own."""
        size = rounding = named = 0.0
        for name, factor in expression_factors(self.mechanism, self.at, element).items():
            for own in self._named(name):
                size, rounding = size + abs(factor) * own[0], rounding + abs(factor) * own[1]
                named += own[0]
        least = (length_unit(self.mechanism.model) if element.unit == "m" else 1.0) / _SHARE
        return max(size, least) if named else rounding, rounding

    def _named(self, name: str) -> Iterator[tuple[float, float]]:
        """Size and rounding of a coordinate, or of each way to a frame of a quantity."""
        model, quantity = self.mechanism.model, quantity_of(name)
        if quantity is None:
            names = expression_names(model).coordinates
            joint = next(joint for joint in self.mechanism.joints if name in names[joint.name])
            place = names[joint.name].index(name)
            rounding = abs(float(self.at.coordinates[joint.label - 1][place])) / _SHARE
            yield float(JOINT_TYPES[joint.type].shape.coordinate_units[place] != "m"), rounding
            return
        frames = frames_in_expressions(model)
        labels = {each: self.mechanism.body_labels[frames[each].body] for each in quantity.every_frame}
        root = 0
        if quantity.is_relative:
            behind = [self._inboard(label) for label in labels.values()]
            root = max(set(behind[0]).intersection(*behind))
        for each, label in labels.items():
            origin = frame_pose(self.mechanism, frames[each], self.at.rotations, self.at.origins)[1]
            is_length = quantity.word in ("position", "distance")
            yield self._around(((root, self._outboard(root)), (label, origin)), "m" if is_length else "rad")

    def _inboard(self, label: int) -> list[int]:
        """A body and all on the way to ground."""
        return [label, *(self._inboard(self.labelled.body(label).parent) if label else ())]

    def _coordinates(self, label: int, unit: str) -> float:
        """Sizes of a joint's coordinates of that unit; of one that follows another also what it is the sum of."""
        if not label:
            return 0.0
        units = self.labelled.body(label).joint.shape.coordinate_units
        total = sum(abs(float(x)) for x, own in zip(self.at.coordinates[label - 1], units, strict=True) if own == unit)
        follower = self.mechanism.followers.get(label)
        if follower is not None and unit in units:
            total += abs(follower.ratio * float(self.at.coordinates[follower.leader - 1][0]))
        return total


def _or_rounding(size: float, rounding: float) -> tuple[float, float]:
    """Where there are no lengths nothing but their rounding is there to measure by."""
    return size or rounding, rounding


def _lengths(joint: NumericJoint, unit: str) -> float:
    """The numbers of a joint that have that unit, in all."""
    numbers = zip(JOINT_TYPES[joint.type].numbers, joint.numbers, strict=True)
    return sum((abs(value) for number, value in numbers if number.unit == unit), 0.0)


def _apart(first: Array, second: Array) -> float:
    return float(np.linalg.norm(first - second))

"""A mechanism in units of its own size: millimetres, tonnes, milliseconds; what is of ordinary size stays in SI.

What counts as small is a part of what is summed, and where all that is summed vanishes, a part of what such a
mechanism has: its length, its inertia, and the time in which its forces move it by its length. In these units
tolerances and steps mean the same for a watch and for a crane. They are powers of a thousand, so that decimals of a
file stay decimals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import dist, log10, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.names import TIME, expression_names
from mbsym.model.system import Model
from mbsym.model.value_products import times
from mbsym.reference import Reference
from mbsym.regressors.parameters import StandardParameter, standard_parameters
from mbsym.values.entries import Entry, entries_of
from mbsym.values.numbers import evaluate, parameter_values
from mbsym.values.parameter import Value
from mbsym.verification.random_state import random_state

Array = NDArray[Any]

SAMPLES: Final = 3
"""Positions at which inertias and forces are looked at."""


@dataclass(frozen=True, slots=True)
class Units:
    """Units of length, mass and time in SI [m, kg, s]."""

    length: Fraction = Fraction(1)
    mass: Fraction = Fraction(1)
    time: Fraction = Fraction(1)

    @property
    def energy(self) -> Fraction:
        """[J]"""
        return self.mass * self.length**2 / self.time**2

    def of(self, unit: str, slides: bool = True) -> Fraction:
        """What one of a unit is in SI; of two with "or" between them the first where a joint slides, else the other."""
        first, _, second = unit.partition(" or ")
        base = {"m": self.length, "kg": self.mass, "s": self.time, "J": self.energy, "N": self.energy / self.length}
        above, _, below = (first if slides or not second else second).partition("/")
        found = Fraction(1)
        for part, sign in ((above, 1), (below, -1)):
            for factor in part.split():
                name, _, power = factor.partition("^")
                found *= base.get(name, Fraction(1)) ** (sign * int(power or 1))
        return found


SI: Final = Units()


def motion_units(reference: Reference, units: Units) -> tuple[Array, Array]:
    """Units of the entries of q (nq,), and of the motions along the entries of v (nv,) [m]."""
    mechanism, length = reference.mechanism, float(units.length)
    q, v = np.ones(mechanism.nq), np.ones(mechanism.nv)
    for joint in mechanism.tree_joints:
        shape = JOINT_TYPES[joint.type].shape
        if joint.coordinates is not None:
            q[joint.coordinates] = [length if unit == "m" else 1.0 for unit in shape.coordinate_units]
        if joint.speeds is not None:
            v[joint.speeds] = [length if unit == "m/s" else 1.0 for unit in shape.speed_units]
    return q, v


# ---- the size of a mechanism -----------------------------------------------------------------------------------------


def units_of(reference: Reference) -> Units:
    """Units near the size of a mechanism, the largest of its inertias, and the time in which its forces move it."""
    model = reference.mechanism.model
    length = Fraction(1) if _mixes_units(model) else _power(_size(model))
    units = Units(length)
    coordinates, motions = motion_units(reference, units)
    rng, nothing = np.random.default_rng(0), np.zeros(reference.nv)
    inertia, fastest = 0.0, 0.0
    for _ in range(SAMPLES):
        q = coordinates * random_state(model, reference.labelling, rng, reference=reference)[0]
        inertias = np.diagonal(reference.mass_matrix(q)) * motions**2
        forces = np.abs(reference.bias_force(q, nothing, u=[0.0] * len(model.inputs))) * motions
        moving = inertias > 0
        inertia = max(inertia, float(inertias.max(initial=0.0)))
        fastest = max(fastest, float((forces[moving] / inertias[moving]).max(initial=0.0)))
    return Units(length, _power(inertia / float(length) ** 2), _power(1 / sqrt(fastest) if fastest > 0 else 1.0))


def input_sizes(reference: Reference) -> Array:
    """Sizes of the control inputs whose forces are of the size of one unit; 1 of those without a force where it rests.

    Args:
        reference: of a mechanism in units of its own size.
    """
    count, nothing = len(reference.mechanism.model.inputs), np.zeros(reference.nv)
    q = random_state(reference.mechanism.model, reference.labelling, np.random.default_rng(0), reference=reference)[0]
    still = reference.bias_force(q, nothing, u=[0.0] * count)
    forces = [np.abs(reference.bias_force(q, nothing, u=list(one)) - still).max(initial=0.0) for one in np.eye(count)]
    return np.array([float(1 / _power(float(force))) for force in forces])


def _power(size: float) -> Fraction:
    """The nearest power of a thousand; 1 of zero."""
    return Fraction(1000) ** round(log10(size) / 3) if size > 0 else Fraction(1)


def _mixes_units(model: Model) -> bool:
    """True where one rotor inertia stands for turning and sliding, which no change of units leaves as it is."""
    numbers = parameter_values(model)
    mixed = (joint for joint in model.joints if len(set(joint.shape.speed_units)) > 1)
    return any(evaluate(joint.armature, numbers) for joint in mixed)


def _size(model: Model) -> float:
    """Largest distance on a body [m], or radius of gyration; of points its springs' lengths and where it starts."""
    numbers = parameter_values(model)

    def point(values: Sequence[Value]) -> tuple[float, ...]:
        return tuple(evaluate(value, numbers) for value in values)

    places: dict[str, list[tuple[float, ...]]] = {}
    lengths, others = [0.0], [0.0]
    for joint in model.joints:
        places.setdefault(joint.predecessor, []).append(point(joint.predecessor_placement.translation))
        places.setdefault(joint.successor, []).append(point(joint.successor_placement.translation))
        given = zip(joint.initial, joint.shape.coordinate_units, strict=False)
        others += [abs(evaluate(value, numbers)) for value, unit in given if unit == "m"]
    for body in model.bodies:
        mass = evaluate(body.mass, numbers)
        if mass > 0:
            center = point(body.center_of_mass if body.first_moment is None else body.first_moment)
            share = 1.0 if body.first_moment is None else mass
            places.setdefault(body.name, []).append(tuple(x / share for x in center))
            lengths.append(sqrt(max(sum(point(body.inertia)[:3]), 0.0) / mass))
    for element in (*model.forces, *model.constraints):
        for entry in entries_of(type(element)):
            value: Any = getattr(element, entry.key)
            if entry.kind == "vector" and entry.unit in ("m", ""):
                places.setdefault(getattr(element, entry.body or "name"), []).append(point(value))
            elif entry.kind == "value" and entry.unit == "m":
                others.append(abs(evaluate(value, numbers)))
    lengths += [dist(first, other) for first, *rest in places.values() for other in rest]
    return max(lengths) or max(others)


# ---- the mechanism in other units ------------------------------------------------------------------------------------


def in_units(model: Model, units: Units) -> Model:
    """The same mechanism with numbers of other units, to be computed with: what is drawn or only told is left out.

    Run-time parameters and control inputs stay in SI, so that what follows from them is multiplied instead.
    """
    if units == SI:
        return model
    scaling = _Scaling(model, units)
    return replace(
        model,
        bodies=tuple(scaling.body(body) for body in model.bodies),
        joints=tuple(scaling.joint(joint) for joint in model.joints),
        couplings=tuple(scaling.coupling(coupling) for coupling in model.couplings),
        constraints=tuple(scaling.element(item) for item in model.constraints),
        forces=tuple(scaling.element(item) for item in model.forces),
        frames=tuple(replace(frame, placement=scaling.placed(frame.placement)) for frame in model.frames),
        gravity=scaling.all(model.gravity, units.of("m/s^2")),
        shapes=(),
        states=(),
        beams=(),
    )


def entry_unit(model: Model, element: Any, entry: Entry, units: Units) -> Fraction:
    """One of these units in SI of what an entry of a force element or constraint holds."""
    index = getattr(element, "index", 0)
    slides = all(_slides(model.joint(joint), index) for joint in element.named("joint"))
    # A gain is the force of one unit of an input, which stays what it is; a vector that says nothing else is a place.
    unsaid = "N or N m" if entry.key in getattr(element, "linear_in", ()) else "m" if entry.kind == "vector" else ""
    return units.of(entry.unit or unsaid, slides)


def _slides(joint: Joint, index: int = 0) -> bool:
    return joint.shape.speed_units[index : index + 1] == ("m/s",)


def parameter_units(model: Model, units: Units) -> Array:
    """One of these units in SI of each standard parameter of a model."""
    joints = {joint.name: joint for joint in model.joints}
    forces = {element.name: element for element in model.forces}

    def unit(item: StandardParameter) -> Fraction:
        if item.kind == "armature":
            return units.of("kg or kg m^2", _slides(joints[item.owner]))
        if item.kind != "force":
            return units.of(item.unit)
        element = forces[item.owner]
        (entry,) = (entry for entry in entries_of(type(element)) if entry.key == item.key)
        return entry_unit(model, element, entry, units)

    return np.array([float(unit(item)) for item in standard_parameters(model)])


class _Scaling:
    """Parts of a model with numbers of other units."""

    def __init__(self, model: Model, units: Units) -> None:
        self._model, self._units = model, units
        names = expression_names(model)
        found: dict[str, Fraction] = {TIME: units.time}
        for joint in model.joints:
            found |= {
                name: units.of(unit)
                for name, unit in (
                    *zip(names.coordinates[joint.name], joint.shape.coordinate_units, strict=True),
                    *zip(names.speeds[joint.name], joint.shape.speed_units, strict=True),
                )
            }
        self._names = {name: unit for name, unit in found.items() if unit != 1}
        self._pattern = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, self._names)) or '(?!)'})(?![\w.(])")

    def all(self, values: Sequence[Value], unit: Fraction) -> Any:
        return tuple(times(value, 1 / unit) for value in values)

    def placed(self, place: Placement) -> Placement:
        return replace(place, translation=self.all(place.translation, self._units.length))

    def body(self, body: Body) -> Body:
        units = self._units
        moment = body.first_moment
        return replace(
            body,
            mass=times(body.mass, 1 / units.mass),
            center_of_mass=self.all(body.center_of_mass, units.length),
            inertia=self.all(body.inertia, units.of("kg m^2")),
            first_moment=None if moment is None else self.all(moment, units.of("kg m")),
        )

    def joint(self, joint: Joint) -> Joint:
        return replace(
            joint,
            predecessor_placement=self.placed(joint.predecessor_placement),
            successor_placement=self.placed(joint.successor_placement),
            numbers=tuple(
                (number.name, times(value, 1 / self._units.of(number.unit)))
                for number, value in zip(joint.kind.numbers, joint.values, strict=True)
            ),
            armature=times(joint.armature, 1 / self._units.of("kg or kg m^2", _slides(joint))),
            initial=tuple(
                times(value, 1 / self._units.of(unit))
                for value, unit in zip(joint.initial, joint.shape.coordinate_units, strict=False)
            ),
            lower=(),
            upper=(),
            effort=(),
            velocity=(),
        )

    def coupling(self, coupling: Coupling) -> Coupling:
        own, other = self._coordinate(coupling.joint), self._coordinate(coupling.source)
        return replace(coupling, ratio=times(coupling.ratio, other / own), offset=times(coupling.offset, 1 / own))

    def element(self, element: Any) -> Any:
        """A force element or constraint, by what its entries hold."""
        changes: dict[str, Any] = {}
        for entry in entries_of(type(element)):
            value = getattr(element, entry.key)
            if entry.counts:
                (own, *_), others = (
                    self._coordinates(element, entry.counts),
                    self._coordinates(element, entry.counts_per),
                )
                if entry.kind == "values":
                    shares = zip(value, others, strict=True)
                    changes[entry.key] = tuple(times(each, other / own) for each, other in shares)
                else:
                    changes[entry.key] = times(value, others[0] / own)
            else:
                changes |= self._entry(entry, value, 1 / entry_unit(self._model, element, entry, self._units))
        return replace(element, **changes)

    def _entry(self, entry: Entry, value: Any, factor: Fraction) -> Mapping[str, Any]:
        match entry.kind:
            case "value":
                return {entry.key: times(value, factor)}
            case "vector" | "values":
                return {entry.key: tuple(times(each, factor) for each in value)}
            case "expression":
                return {entry.key: times(self._of_states(value), factor)}
            case "expressions":
                return {entry.key: tuple(times(self._of_states(each), factor) for each in value)}
        return {}

    def _of_states(self, value: Value) -> Value:
        """An expression of coordinates, speeds and time in these units."""
        if not isinstance(value, str):
            return value
        return self._pattern.sub(lambda found: f"({times(found[1], self._names[found[1]])})", value)

    def _coordinates(self, element: Any, key: str) -> list[Fraction]:
        """Units of the joints that an entry names; one where no entry is named."""
        named = getattr(element, key) if key else ()
        return [self._coordinate(joint) for joint in ((named,) if isinstance(named, str) else named)] or [Fraction(1)]

    def _coordinate(self, joint: str) -> Fraction:
        """Unit of the only coordinate of a joint."""
        return self._units.of(self._model.joint(joint).shape.coordinate_units[0])

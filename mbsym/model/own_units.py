"""A mechanism in units of its own size: millimetres, tonnes, milliseconds; what is of ordinary size stays in SI.

What counts as small is a part of what is summed, and where all that is summed vanishes, a part of what such a
mechanism has. In its own units tolerances and steps mean the same for a watch and for a crane. They are powers of a
thousand, so that decimals of a file stay decimals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import dist, hypot, log10, sqrt
from typing import Any, Final

from mbsym.model.beam import UNITS, Beam
from mbsym.model.body import Body, Placement
from mbsym.model.clock import with_clock
from mbsym.model.drive import DriveState
from mbsym.model.inertia_checks import center_of_mass
from mbsym.model.joint import Coupling, Joint
from mbsym.model.names import TIME, expression_names
from mbsym.model.system import Model
from mbsym.model.value_products import times
from mbsym.symbolic.frame_quantities import WORDS, quantity_of
from mbsym.values.entries import Entry, entries_of
from mbsym.values.numbers import evaluate, parameter_values, with_names
from mbsym.values.parameter import NamedExpression, Value


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


# ---- how large it is -------------------------------------------------------------------------------------------------


def power_of_thousand(size: float) -> Fraction:
    """The nearest one; 1 of zero."""
    return Fraction(1000) ** round(log10(size) / 3) if size > 0 else Fraction(1)


def length_unit(model: Model, parameters: Mapping[str, float] | None = None) -> float:
    """A power of a thousand near ``own_length`` [m]."""
    return float(power_of_thousand(own_length(model, parameters)))


def own_length(model: Model, parameters: Mapping[str, float] | None = None) -> float:
    """How large a mechanism is [m].

    That is the longest way on a moving body from its first joint to what else is placed on it, or the radius of
    gyration of all bodies about their first joints, or the length of a rod that closes a loop. Where it stands on
    ground is none of its lengths; a mechanism of points has those of its springs, of where it starts and of its places
    on ground, one without any length that of a metre.

    Args:
        model: any.
        parameters: values of run-time parameters; the others keep their defaults.
    """
    own, other = _lengths(model, parameter_values(model, parameters))
    return max(own, default=0.0) or max(other, default=0.0) or 1.0


def _lengths(model: Model, numbers: Mapping[str, float]) -> tuple[list[float], list[float]]:
    """The lengths of bodies and rods, and the others."""
    number = partial(evaluate, names=numbers)

    def point(values: Sequence[Value]) -> tuple[float, ...]:
        return tuple(map(number, values))

    places: dict[str, list[tuple[float, ...]]] = {}
    own, other = list[float](), list[float]()
    for joint in model.joints:
        places.setdefault(joint.predecessor, []).append(point(joint.predecessor_placement.translation))
        places.setdefault(joint.successor, []).append(point(joint.successor_placement.translation))
        numbered = zip(joint.values, (kind.unit for kind in joint.kind.numbers), strict=True)
        started = zip(joint.initial, joint.shape.coordinate_units, strict=False)
        for given, lengths in ((numbered, own), (started, other)):
            lengths += [abs(number(value)) for value, unit in given if unit == "m"]
    own.append(_gyration(model, numbers, places))
    for elements, lengths in ((model.constraints, own), (model.forces, other)):
        for element in elements:
            for entry in entries_of(type(element)):
                value: Any = getattr(element, entry.key)
                if (entry.kind, entry.unit) == ("vector", "m"):
                    places.setdefault(getattr(element, entry.body or "name"), []).append(point(value))
                elif (entry.kind, entry.unit) == ("value", "m"):
                    lengths.append(abs(number(value)))
    moving = {body.name for body in model.bodies}
    for name, (first, *rest) in places.items():
        (own if name in moving else other).extend(dist(first, place) for place in rest)
    return own, other


def _gyration(model: Model, numbers: Mapping[str, float], places: Mapping[str, Sequence[Sequence[float]]]) -> float:
    """Radius of gyration of all bodies about their first joints, where these are known to be."""
    total, turning = 0.0, 0.0
    for body in model.bodies:
        mass = evaluate(body.mass, numbers)
        if mass > 0.0 and body.name in places:
            center = center_of_mass(body, mass, numbers)
            trace = sum(evaluate(value, numbers) for value in body.inertia[:3])
            about_frame = body.first_moment is not None or body.inertia_about == "frame"
            shift = dist(center, places[body.name][0]) ** 2 - (hypot(*center) ** 2 if about_frame else 0.0)
            total, turning = total + mass, turning + trace + 2.0 * mass * shift
    return sqrt(turning / total) if total > 0.0 and turning > 0.0 else 0.0


# ---- the mechanism in other units ------------------------------------------------------------------------------------


def in_units(model: Model, units: Units) -> Model:
    """The same mechanism with numbers of other units, to be computed with: what is drawn or only told is left out.

    Run-time parameters, control inputs, states of drives with their rates, and outputs stay in SI, so that what follows
    from them is multiplied instead.
    """
    if units == SI:
        return model
    model = with_clock(model)  # whose coordinate has the unit of a place
    scaling = _Scaling(model, units)
    return replace(
        model,
        bodies=tuple(scaling.body(body) for body in model.bodies),
        joints=tuple(scaling.joint(joint) for joint in model.joints),
        couplings=tuple(scaling.coupling(coupling) for coupling in model.couplings),
        constraints=tuple(scaling.element(item) for item in model.constraints),
        motions=tuple(scaling.element(item) for item in model.motions),
        forces=tuple(scaling.element(item) for item in model.forces),
        frames=tuple(replace(frame, placement=scaling.placed(frame.placement)) for frame in model.frames),
        gravity=scaling.all(model.gravity, units.of("m/s^2")),
        drives=tuple(scaling.drive(item) for item in model.drives),
        outputs=tuple(scaling.output(item) for item in model.outputs),
        shapes=(),
        states=(),
        beams=tuple(scaling.beam(beam) for beam in model.beams),
    )


def entry_unit(model: Model, element: Any, entry: Entry, units: Units) -> Fraction:
    """One of these units in SI of what an entry of a force element or constraint holds."""
    index = getattr(element, "index", 0)
    sliding = all(slides(model.joint(joint), index) for joint in element.named("joint"))
    # A gain is the force of one unit of an input, which stays what it is; a vector that says nothing else is a place.
    said = getattr(element, entry.unit_key) if entry.unit_key else entry.unit
    unsaid = "N or N m" if entry.key in getattr(element, "linear_in", ()) else "m" if entry.kind == "vector" else ""
    return units.of(said or unsaid, sliding)


def slides(joint: Joint, index: int = 0) -> bool:
    """Whether a joint moves by a length along that one of its speeds."""
    return joint.shape.speed_units[index : index + 1] == ("m/s",)


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
            armature=times(joint.armature, 1 / self._units.of("kg or kg m^2", slides(joint))),
            initial=tuple(
                times(value, 1 / self._units.of(unit))
                for value, unit in zip(joint.initial, joint.shape.coordinate_units, strict=False)
            ),
            lower=(),
            upper=(),
            effort=(),
            velocity=(),
        )

    def beam(self, beam: Beam) -> Beam:
        """Kept for the labelling, which parts no beam."""
        numbers: dict[str, Any] = {
            key: self.all(value, self._units.of(unit)) if key == "bending_stiffness" else
            times(value, 1 / self._units.of(unit))
            for key, unit in UNITS.items()
            if (value := getattr(beam, key)) is not None
        }  # fmt: skip
        return replace(beam, **numbers, at=self.placed(beam.at), at_tip=self.placed(beam.at_tip))

    def output(self, output: NamedExpression) -> NamedExpression:
        return replace(output, expression=self._of_states(output.expression))

    def drive(self, drive: DriveState) -> DriveState:
        return replace(drive, rate=self._of_states(drive.rate))

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
                return {entry.key: value if value is None else times(value, factor)}
            case "vector" | "values":
                return {entry.key: tuple(times(each, factor) for each in value)}
            case "expression":
                return {entry.key: times(self._of_states(value), factor)}
            case "expressions":
                return {entry.key: tuple(times(self._of_states(each), factor) for each in value)}
        return {}

    def _of_states(self, value: Value) -> Value:
        """An expression of coordinates, speeds, quantities of frames and time in these units."""
        return with_names(value, self._counted)

    def _counted(self, name: str) -> tuple[str, Fraction]:
        """The name of a number in SI, and what it is counted in."""
        quantity = quantity_of(name)
        if quantity is not None:
            return name, self._units.of(WORDS[quantity.word].unit)
        return name, self._names.get(name, Fraction(1))

    def _coordinates(self, element: Any, key: str) -> list[Fraction]:
        """Units of the joints that an entry names; one where no entry is named."""
        named = getattr(element, key) if key else ()
        return [self._coordinate(joint) for joint in ((named,) if isinstance(named, str) else named)] or [Fraction(1)]

    def _coordinate(self, joint: str) -> Fraction:
        """Unit of the only coordinate of a joint."""
        return self._units.of(self._model.joint(joint).shape.coordinate_units[0])

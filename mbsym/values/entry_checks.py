"""Checks of force elements and closure constraints against their entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mbsym.symbolic.differentiate import gradient
from mbsym.symbolic.frame_quantities import WORDS, quantity_of
from mbsym.symbolic.scalar import Scalar
from mbsym.values.diagnostic import Findings, Path, nearest
from mbsym.values.entries import Entry, entries_of
from mbsym.values.numbers import value_names


class Freedoms(Protocol):
    """How many coordinates and speeds a joint has."""

    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...


class NamedJoint(Protocol):
    """What an entry needs to know of a joint."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> Any: ...
    @property
    def shape(self) -> Freedoms: ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the entries of a model may refer to.

    Attributes:
        ground: name of ground.
        bodies: names of the bodies.
        joints: by name.
        inputs: names of the control inputs.
        one_freedom: types of joints with one degree of freedom.
        frames: bodies by the frames that they carry and that elements can name.
        ambiguous: what is wrong with names of several frames, and advice, by name.
    """

    ground: str
    bodies: tuple[str, ...]
    joints: Mapping[str, NamedJoint]
    inputs: tuple[str, ...]
    one_freedom: tuple[str, ...]
    frames: Mapping[str, str]
    ambiguous: Mapping[str, tuple[str, str]]

    def carrier(self, name: Any) -> Any:
        """The body behind a name, which may be that of a frame."""
        return self.frames.get(name, name)

    def frame_fault(self, name: str) -> tuple[str, str] | None:
        """What is wrong with the name of a frame in an expression, and advice; None where nothing is."""
        known = (self.ground, *self.bodies)
        if name in self.ambiguous:
            what, remedy = self.ambiguous[name]
            return f"several frames are meant: {what}", f"{remedy}, in quotes"
        if name in known or name in self.frames:
            return None
        if f"joint:{name}" in self.frames:
            return f"there is no body or frame {name!r}", f'say "joint:{name}" for the frame of that joint'
        return f"there is no body or frame {name!r}", nearest(name, (*known, *_plain(self.frames)))

    def joint(
        self, name: Any, path: Path, word: str, findings: Findings, one_freedom: bool, coordinate_needed: bool = False
    ) -> NamedJoint | None:
        """The joint of a name, None where there is none; what is wrong with it is noted."""
        joint = self.joints.get(name)
        if joint is None:
            what = f"{word} refers to joint {name!r}, which does not exist"
            findings.error(path, what, nearest(str(name), self.joints))
        elif one_freedom and joint.type not in self.one_freedom:
            findings.error(
                path,
                f"{word} refers to {joint.type} joint {name!r}, which has {joint.shape.nv} degrees of freedom",
                f"use a joint of one degree of freedom ({', '.join(self.one_freedom)})",
            )
        elif coordinate_needed and joint.shape.nq != joint.shape.nv:
            findings.error(
                path,
                f"{word} needs a coordinate of {joint.type} joint {name!r}, whose speeds are no rates of coordinates",
                "use an applied wrench or a joint force with an expression",
            )
        return joint


def _plain(frames: Iterable[str]) -> list[str]:
    return [frame for frame in frames if ":" not in frame]


def check_references(item: Any, path: Path, word: str, around: Surroundings, findings: Findings) -> None:
    """Notes references to what does not exist or does not suit.

    Args:
        item: a dataclass with entries.
        path: of the item in its model.
        word: what the item is called in messages.
        around: what it may refer to.
        findings: where errors are noted.
    """
    bodies = [entry for entry in entries_of(type(item)) if entry.kind == "body"]
    for entry in bodies:
        _check_body(getattr(item, entry.key), entry, (*path, entry.key), word, around, findings)
    for number, entry in enumerate(bodies):
        name = around.carrier(getattr(item, entry.key))
        if any(name == around.carrier(getattr(item, other.key)) for other in bodies[:number]):
            findings.error(
                (*path, entry.key), f"{word} connects body {name!r} with itself", "connect two different bodies"
            )
    joint = _check_joints(item, path, word, around, findings)
    for entry in entries_of(type(item)):
        name = getattr(item, entry.key)
        if entry.kind == "index" and joint is not None:
            _check_index(name, (*path, entry.key), word, joint, findings)
        elif entry.kind == "input" and name not in around.inputs:
            findings.error(
                (*path, entry.key),
                f"{word} refers to the control input {name!r}, which does not exist",
                f"{nearest(str(name), around.inputs)}; control inputs are listed under 'inputs'",
            )


def _check_joints(item: Any, path: Path, word: str, around: Surroundings, findings: Findings) -> NamedJoint | None:
    """Checks the joints that an element names, and returns the last of them."""
    joint: NamedJoint | None = None
    seen: list[Any] = []
    for entry in entries_of(type(item)):
        value, here = getattr(item, entry.key), (*path, entry.key)
        if entry.kind == "joint":
            named: list[tuple[Path, Any]] = [(here, value)]
        elif entry.kind != "joints":
            continue
        elif isinstance(value, str) or not value:
            findings.error(here, f"{word} names no joint", "list one or more")
            continue
        else:
            named = [((*here, place), name) for place, name in enumerate(value)]
        for at, name in named:
            if name in seen:
                findings.error(at, f"{word} couples joint {name!r} with itself", "name two joints")
            seen.append(name)
            joint = around.joint(name, at, word, findings, entry.one_freedom, entry.coordinate_needed)
    return joint


def _check_body(name: Any, entry: Entry, path: Path, word: str, around: Surroundings, findings: Findings) -> None:
    frames = around.frames if entry.or_frame else {}
    plain = _plain(frames)
    if entry.or_frame and name in around.ambiguous:
        what, remedy = around.ambiguous[name]
        findings.error(path, f"{word} refers to several frames: {what}", remedy)
    elif name not in (around.ground, *around.bodies) and name not in frames:
        kind = "body or frame" if plain else "body"
        known = (around.ground, *around.bodies, *plain)
        findings.error(path, f"{word} refers to {kind} {name!r}, which does not exist", nearest(str(name), known))
    elif entry.no_ground and around.carrier(name) == around.ground:
        findings.error(path, f"{word} acts on ground", "name a body")


def _check_index(index: Any, path: Path, word: str, joint: NamedJoint, findings: Findings) -> None:
    if not isinstance(index, int) or not 0 <= index < joint.shape.nv:
        findings.error(
            path,
            f"{word} acts on speed {index} of {joint.type} joint {joint.name!r}, which has {joint.shape.nv}",
            "count speeds from 0",
        )


def check_values(item: Any, path: Path, word: str, findings: Findings) -> None:
    """Notes values that are no numbers or expressions, or have the wrong sign; arguments as ``check_references``."""
    numbers: dict[str, float | None] = {}
    for entry in entries_of(type(item)):
        value, here = getattr(item, entry.key), (*path, entry.key)
        match entry.kind:
            case "value" if value is not None or entry.required:
                number = numbers[entry.key] = _check_number(value, entry, here, word, findings)
                most = numbers.get(entry.within)
                if number is not None and most is not None and not 0 <= number <= most:
                    what = f"the {entry.key} of {word} is not between zero and its {entry.within}"
                    findings.error(here, what, f"give one up to {most:g}")
            case "values":
                _check_factors(item, value, entry, here, word, findings)
            case "expression":
                _check_expression(item, value, entry, here, word, findings)
            case "vector" | "direction":
                _check_vector(value, entry, here, word, findings)
            case "expressions":
                if _are_several(findings, value, here, 3):
                    for index, component in enumerate(value):
                        findings.expression(component, (*here, index))
            case "choice":
                if value not in entry.words:
                    verb = "are" if entry.key.endswith("s") else "is"
                    findings.error(here, f"there {verb} no {entry.key} {value!r}", f"say {' or '.join(entry.words)}")
            case "text":
                if not isinstance(value, str) or not (value.strip() or value == entry.default):
                    findings.error(here, f"the {entry.key} of {word} is empty", "name one")


def _check_expression(item: Any, value: Any, entry: Entry, path: Path, word: str, findings: Findings) -> None:
    scalar = findings.expression(value, path)
    if scalar is not None and entry.of == "time":
        _check_law(item, value, path, word, findings)
    elif scalar is not None and entry.of:
        _check_held(scalar, value, entry, path, word, findings)


def _kinds_in(value: Any, findings: Findings) -> dict[str, str]:
    """What the names in an expression are, but parameters."""
    kinds: dict[str, str] = {}
    for name in value_names(value):
        quantity = quantity_of(name)
        if quantity is not None:
            kinds[name] = "speed" if WORDS[quantity.word].is_rate else "place"
        elif name not in findings.numbers:
            kinds[name] = findings.variables[name]
    return kinds


def _check_law(item: Any, value: Any, path: Path, word: str, findings: Findings) -> None:
    """Notes what has no place in a law of time, by what the item says that it gives."""
    kinds = _kinds_in(value, findings)
    inputs = [name for name, kind in kinds.items() if kind == "input"]
    moving = [name for name, kind in kinds.items() if kind not in ("input", "time")]
    if moving:
        remedy = "a motion follows a law of time: hold a sum of coordinates by a constraint of type expression"
        findings.error(path, f"{word} depends on {moving[0]!r}", remedy)
    elif inputs and item.gives != "acceleration":
        remedy = "give its acceleration by the input (gives: acceleration), position and speed by the state"
        findings.error(path, f"{word} depends on the control input {inputs[0]!r}, whose rate nobody knows", remedy)


def _check_held(scalar: Scalar, value: Any, entry: Entry, path: Path, word: str, findings: Findings) -> None:
    """Notes what has no place in an expression of places, or in one that is linear in speeds."""
    kinds = _kinds_in(value, findings)
    outside = [name for name, kind in kinds.items() if kind in ("input", "drive")]
    speeds = [name for name, kind in kinds.items() if kind == "speed"]
    graph = scalar.graph
    symbols = [graph.symbol(name) for name in speeds]
    if outside:
        findings.error(path, f"{word} depends on {outside[0]!r}", "hold coordinates and frames, with parameters and t")
    elif speeds and entry.of == "places":
        findings.error(path, f"{word} holds the speed {speeds[0]}", "a constraint of type velocity holds speeds")
    elif not {*kinds.values()} - {"time"}:
        findings.error(path, f"{word} names nothing that moves", "name coordinates or frames")
    elif entry.of == "speeds" and not speeds:
        findings.error(path, f"{word} names no speed", "a constraint of type expression holds places")
    elif not set(symbols).isdisjoint(graph.reachable(gradient(graph, scalar.ref, symbols))):
        findings.error(path, f"{word} is not linear in speeds", "write a sum of speeds times factors of places")


def _check_number(value: Any, entry: Entry, path: Path, word: str, findings: Findings) -> float | None:
    """The number of a value, whose sign is checked."""
    number = findings.number(value, path)
    what = f"the {entry.key.replace('_', ' ')} of {word}"
    if number is not None and entry.least == "zero" and number < 0:
        findings.warning(path, f"{what} is negative", "check its sign")
    elif number is not None and entry.least == "above zero" and number <= 0:
        findings.error(path, f"{what} is not positive", entry.remedy)
    return number


def _check_vector(value: Any, entry: Entry, path: Path, word: str, findings: Findings) -> None:
    numbers = check_several(findings, value, path)
    if numbers is None:
        return
    if entry.kind == "direction" and not any(numbers):
        findings.error(path, f"the direction of {word} is zero", "give a direction")
    elif entry.kind == "vector" and entry.least == "above zero" and min(numbers) <= 0:
        findings.error(path, f"the {entry.key} of {word} is not positive", entry.remedy)


def _check_factors(item: Any, values: Any, entry: Entry, path: Path, word: str, findings: Findings) -> None:
    names = getattr(item, entry.each)
    if not _are_several(findings, values, path, len(names)):
        return
    for place, (value, name) in enumerate(zip(values, names, strict=True)):
        if findings.number(value, (*path, place)) == 0:
            findings.error((*path, place), f"the factor of {name!r} in {word} is zero", "leave it out")


def check_several(findings: Findings, values: Any, path: Path, length: int = 3) -> tuple[float, ...] | None:
    """The numbers of a fixed count of values; None, and errors noted, if they are not as many or have none."""
    return findings.numbers_of(values, path) if _are_several(findings, values, path, length) else None


def _are_several(findings: Findings, values: Any, path: Path, length: int) -> bool:
    if isinstance(values, str) or not isinstance(values, Sequence) or len(values) != length:
        findings.error(path, f"{values!r} are not {length} numbers", f"give {length} values")
        return False
    return True

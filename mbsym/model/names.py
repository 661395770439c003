"""Names that expressions of a model may use beside frames: parameters, inputs, drives, coordinates, speeds, time."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Final, Literal, Protocol

from mbsym.model.drive import DriveState
from mbsym.model.joint import Joint
from mbsym.symbolic.graph import BINARY_FUNCTIONS, UNARY_FUNCTIONS
from mbsym.values.numbers import Parametrised
from mbsym.values.parameter import ControlInput

Kind = Literal["parameter", "input", "drive", "coordinate", "speed", "time"]

TIME: Final = "t"
FUNCTION_NAMES: Final = frozenset((*UNARY_FUNCTIONS, *BINARY_FUNCTIONS))
RESERVED: Final = FUNCTION_NAMES | {"pi", TIME}
"""Names with a meaning of their own in expressions."""

LONGEST_NAME: Final = 200
_PRINTABLE_SIGNS: Final = frozenset(" _-.:+/()[],#@'")


class NamedSystem(Parametrised, Protocol):
    """What has names in expressions."""

    @property
    def joints(self) -> tuple[Joint, ...]: ...
    @property
    def inputs(self) -> tuple[ControlInput, ...]: ...
    @property
    def drives(self) -> tuple[DriveState, ...]: ...


@dataclass(frozen=True, slots=True)
class ExpressionNames:
    """The name table of a model.

    Attributes:
        parameters: in the model's order.
        inputs: in the model's order, the entries of u.
        drives: in the model's order, the entries of x.
        coordinates: names of the entries of q of each joint, by joint name in the model's order.
        speeds: names of the entries of v of each joint, likewise.
    """

    parameters: tuple[str, ...]
    inputs: tuple[str, ...]
    drives: tuple[str, ...]
    coordinates: Mapping[str, tuple[str, ...]]
    speeds: Mapping[str, tuple[str, ...]]

    @property
    def kinds(self) -> dict[str, Kind]:
        """What each name is; a name given twice counts as what it is first."""
        named: list[tuple[Kind, Iterable[str]]] = [("parameter", self.parameters), ("input", self.inputs)]
        named.append(("drive", self.drives))
        named += [("coordinate", names) for names in self.coordinates.values()]
        named += [("speed", names) for names in self.speeds.values()]
        table: dict[str, Kind] = {TIME: "time"}
        for kind, names in named:
            table |= {name: kind for name in names if name not in table}
        return table


def expression_names(model: NamedSystem) -> ExpressionNames:
    """The names that force expressions of a model may use.

    Default names of coordinates and speeds are ``q_JOINT`` and ``v_JOINT`` with the suffix of the entry where a joint
    has several. Characters that no identifier holds become underscores; where that makes two names equal, or equal to
    a name that the user chose, the later one gets ``_2``, ``_3``, ...
    """
    parameters = tuple(parameter.name for parameter in model.parameters)
    inputs = tuple(item.name for item in model.inputs)
    drives = tuple(item.name for item in model.drives)
    chosen = {name for joint in model.joints for name in (*joint.coordinates, *joint.speeds)}
    taken = {*RESERVED, *parameters, *inputs, *drives, *chosen}
    coordinates: dict[str, tuple[str, ...]] = {}
    speeds: dict[str, tuple[str, ...]] = {}
    for joint in model.joints:
        shape = joint.shape
        coordinates[joint.name] = joint.coordinates or _default_names("q", joint, shape.coordinates, taken)
        speeds[joint.name] = joint.speeds or _default_names("v", joint, shape.speeds, taken)
    return ExpressionNames(parameters, inputs, drives, coordinates, speeds)


def units_of_names(model: NamedSystem) -> dict[str, str]:
    """Units of the names that expressions may use, as they are stated, and of what joints and time are measured in."""
    names = expression_names(model)
    units = {item.name: item.unit for item in model.parameters}
    units |= {item.name: item.unit for item in model.inputs} | {item.name: item.unit for item in model.drives}
    for joint in model.joints:
        units |= zip(names.coordinates[joint.name], joint.shape.coordinate_units, strict=True)
        units |= zip(names.speeds[joint.name], joint.shape.speed_units, strict=True)
    return {TIME: "s"} | units


def _default_names(letter: str, joint: Joint, suffixes: tuple[str, ...], taken: set[str]) -> tuple[str, ...]:
    stem = f"{letter}_{identifier_part(joint.name)}"
    stems = chain((stem,), (f"{stem}_{number}" for number in count(2)))
    every = (tuple(f"{each}_{suffix}" if suffix else each for suffix in suffixes) for each in stems)
    names = next(names for names in every if taken.isdisjoint(names))
    taken.update(names)
    return names


def identifier_part(name: str) -> str:
    """A name with every character that no ASCII identifier holds replaced by an underscore."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name) or "_"


def free_name(wanted: str, taken: Collection[str]) -> str:
    """A name that is not taken: the one wanted, or with a number behind it."""
    numbered = (f"{wanted}_{number}" for number in count(2))
    return next(name for name in chain((wanted,), numbered) if name not in taken)


def name_fault(name: object) -> str | None:
    """What makes a name of a body, joint, force or constraint unusable, None if nothing does.

    Such names reach comments, strings and file names of what is generated, so they are plain printable text.
    """
    if not isinstance(name, str):
        return f"is {name!r}, no text"
    if not name.strip():
        return "is empty"
    if name != name.strip():
        return "begins or ends with a blank"
    if len(name) > LONGEST_NAME:
        return f"is longer than {LONGEST_NAME} characters"
    for character in name:
        if not (character.isalnum() or character in _PRINTABLE_SIGNS):
            return f"holds the character {character!r}"
    for sequence in ("..", "//", "'''"):
        if sequence in name:
            return f"holds {sequence!r}"
    if name[0] in "/.-":
        return f"begins with {name[0]!r}"
    return None


def model_name_fault(name: object) -> str | None:
    """What makes a model's name unusable as the name of files and functions, None if nothing does."""
    fault = name_fault(name)
    if fault is None and "/" in str(name):
        return "holds the character '/'"
    return fault


def model_name(given: str | None, file: str) -> str:
    """The name that a file gives its model; of a file that gives none, one made of the file's own."""
    name = (given or "").strip() or Path(file).stem
    if given is not None or model_name_fault(name) is None:
        return name
    return identifier_part(name).strip("_") or "model"


def identifier_fault(name: object) -> str | None:
    """What makes the name of a parameter, input, coordinate or speed unusable in expressions, None if nothing does."""
    if not isinstance(name, str) or not name:
        return "is no text"
    if len(name) > LONGEST_NAME:
        return f"is longer than {LONGEST_NAME} characters"
    if not name.isidentifier():
        return "is no identifier"
    if keyword.iskeyword(name):
        return "is a word of the expression language"
    if name in RESERVED:
        return "has a meaning of its own in expressions"
    if name.startswith("__"):
        return "begins with two underscores"
    return None

"""Measured motions and forces from a table, checked for what goes wrong with tables."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from mbsym.conventions import unit_factor
from mbsym.doors import Array
from mbsym.errors import IdentificationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.joint import Joint
from mbsym.model.names import expression_names
from mbsym.values.numbers import evaluate, parameter_values

DEGREES: Final = 180 / math.pi

_FEWEST: Final = 10
_UNEVEN: Final = 0.05
"""Part of the usual step by which steps may differ."""

_GAP: Final = 1.5
"""Steps that are so many times the usual one are gaps."""

_TURNS: Final = 10.0
"""An angle beyond so many radians is no robot's; limits that the model states count more."""

_BEYOND: Final = 3.0
_ALIKE: Final = 0.1
"""Part by which the factor between speeds and differences of coordinates may be off and still be told."""

_TOGETHER: Final = 0.5
"""Squared correlation of speeds and differences of coordinates below which their factor is that of noise."""

_FACTORS: Final = {
    DEGREES: ("{v} looks like degrees per second beside {q} in radians", "give all angles in radians"),
    1 / DEGREES: ("{q} looks like degrees beside {v} in radians per second", "give all angles in radians"),
    1000.0: ("t looks like milliseconds", "give it in seconds"),
    0.001: ("{v} looks a thousand times too small, or {q} too large", "use metres, radians and seconds"),
}


@dataclass(frozen=True, slots=True)
class Names:
    """Names of the columns of a table for a mechanism: entries of q, of v, their rates and the forces."""

    q: tuple[str, ...]
    v: tuple[str, ...]
    vdot: tuple[str, ...]
    tau: tuple[str, ...]


def column_names(mechanism: Mechanism) -> Names:
    """As ``simulate`` writes them; rates of speeds and forces have ``vdot`` and ``tau`` where speeds have ``v``."""
    table = expression_names(mechanism.model)
    joints = [body.joint.name for body in mechanism.bodies_by_coordinates]
    q = tuple(name for joint in joints for name in table.coordinates[joint])
    v = tuple(name for joint in joints for name in table.speeds[joint])
    stems = [name.removeprefix("v_") for name in v]
    return Names(q, v, tuple(f"vdot_{stem}" for stem in stems), tuple(f"tau_{stem}" for stem in stems))


@dataclass(frozen=True, slots=True)
class Measurements:
    """Samples at equal steps.

    Attributes:
        t: times (n,) [s].
        q: coordinates (n, nq).
        v, vdot: (n, nv), None where they were not measured.
        tau: generalised forces (n, nv); zero where the table has none.
        forces: columns of v whose forces the table has.
        remarks: what one should know of the table.
    """

    t: Array
    q: Array
    v: Array | None
    vdot: Array | None
    tau: Array
    forces: tuple[int, ...]
    remarks: tuple[str, ...] = ()

    @property
    def step(self) -> float:
        """Between samples [s]."""
        return float((self.t[-1] - self.t[0]) / (len(self.t) - 1))


def read_measurements(path: str | Path, mechanism: Mechanism, *, forces: Sequence[int] | None = None) -> Measurements:
    """A CSV with the columns t, q, tau and perhaps v and vdot, a unit in square brackets behind names or none.

    Args:
        path: of the file; lines that begin with # are left out.
        mechanism: whose columns they are.
        forces: columns of v whose forces must be there; None for all. Those of a floating base are zero where not.

    Raises:
        IdentificationError: columns are missing, lines are incomplete, times are uneven, or units look wrong.
    """
    names = column_names(mechanism)
    table = _Table.read(path, column_units(mechanism))
    # Nothing drives a floating base; what the table has of it counts all the same.
    floating = {k for body in mechanism.bodies for k in range(*body.v_range) if body.joint.kind.is_unbound}
    needed = [k for k in (range(mechanism.nv) if forces is None else forces) if k not in floating]
    table.require(("t", *names.q, *(names.tau[k] for k in needed)))
    t = table.columns(("t",))[:, 0]
    _require_even(t, table.where)
    q, v, vdot = table.columns(names.q), table.optional(names.v), table.optional(names.vdot)
    measured = tuple(k for k, name in enumerate(names.tau) if name in table.values)
    tau = np.zeros((len(t), mechanism.nv))
    tau[:, measured] = table.columns([names.tau[k] for k in measured])
    if vdot is not None and v is None:
        raise IdentificationError(
            "has rates of speeds but no speeds", where=table.where, remedy=f"add {', '.join(names.v)}"
        )
    found = Measurements(t, q, v, vdot, tau, measured, tuple(table.remarks))
    _suspect_units(found, mechanism, names, table.where, [name for name in names.q if table.units[name]])
    return found


def column_units(mechanism: Mechanism) -> dict[str, str]:
    """By the names of columns."""
    names, shapes = column_names(mechanism), [body.joint.shape for body in mechanism.bodies_by_coordinates]
    speeds = [unit for shape in shapes for unit in shape.speed_units]
    groups = (
        (names.q, [unit for shape in shapes for unit in shape.coordinate_units]),
        (names.v, speeds),
        (names.vdot, [f"{unit}^2" for unit in speeds]),
        (names.tau, [unit for shape in shapes for unit in shape.force_units]),
    )
    found = {name: unit for group, units in groups for name, unit in zip(group, units, strict=True)}
    return {**found, "t": "s"}


@dataclass(frozen=True, slots=True)
class _Table:
    """Columns of a file by name.

    Attributes:
        where: the file.
        values: as they stand there.
        units: that the header gives them, "" where none.
        usual: in which they are handed out.
        remarks: what was converted.
    """

    where: str
    values: Mapping[str, Array]
    units: Mapping[str, str]
    usual: Mapping[str, str]
    remarks: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: str | Path, usual: Mapping[str, str]) -> _Table:
        """From a CSV."""
        where = str(path)
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise IdentificationError(
                f"cannot be read: {error}", where=where, remedy="give a CSV file in UTF-8"
            ) from None
        lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1)
                 if line.strip() and not line.lstrip().startswith("#")]  # fmt: skip
        if len(lines) < _FEWEST + 1:
            raise IdentificationError(
                f"has {max(len(lines) - 1, 0)} lines of numbers",
                where=where,
                remedy=f"give a header and {_FEWEST} lines at least",
            )
        units: dict[str, str] = {}
        for cell in _cells(lines[0][1], f"{where}:{lines[0][0]}"):
            found = re.fullmatch(r"\s*(.*?)\s*(?:\[(.*)\])?\s*", cell)
            name, unit = (found[1], found[2] or "") if found else (cell, "")
            if name in units:
                raise IdentificationError(f"there are two columns {name}", where=where, remedy="keep one")
            units[name] = unit
        array = np.array([_numbers(line, len(units), f"{where}:{number}") for number, line in lines[1:]])
        return cls(where, dict(zip(units, array.T, strict=True)), units, usual)

    def require(self, names: Sequence[str]) -> None:
        """Checks that columns are there."""
        missing = [name for name in names if name not in self.values]
        if missing:
            raise IdentificationError(
                f"there is no column {', '.join(missing)}",
                where=self.where,
                remedy=f"it has {', '.join(self.values)}",
            )

    def columns(self, names: Sequence[str]) -> Array:
        """Columns side by side in their usual units (n, names)."""
        found = np.zeros((len(self.values["t"]), len(names)))
        for k, name in enumerate(names):
            factor = unit_factor(self.units[name], self.usual[name])
            if factor is None:
                raise IdentificationError(
                    f"{name} is given in {self.units[name]}, which is not {self.usual[name]}",
                    where=self.where,
                    remedy=f"give {self.usual[name]}",
                )
            found[:, k] = self.values[name] * factor
            if factor != 1.0:
                self.remarks.append(f"{name} was given in {self.units[name]}")
        return found

    def optional(self, names: Sequence[str]) -> Array | None:
        """The same of columns that are all there or none."""
        if self.values.keys().isdisjoint(names):
            return None
        self.require(names)
        return self.columns(names)


def _numbers(line: str, count: int, where: str) -> list[float]:
    """So many finite numbers of a line."""
    try:
        values = [float(cell) for cell in _cells(line, where)]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        raise IdentificationError(
            f"has no {count} finite numbers",
            where=where,
            remedy="fill the gap, or cut the table there and identify from one part",
        )
    return values


def _cells(line: str, where: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(line)))
    except csv.Error as error:
        raise IdentificationError(f"this is no table: {error}", where=where, remedy="mend the line") from None


def _require_even(t: Array, where: str) -> None:
    steps = np.diff(t)
    usual = float(np.median(steps))
    if usual <= 0 or steps.min() <= 0:
        place = int(np.argmin(steps))
        raise IdentificationError(
            f"time does not go on after t = {t[place]:g}", where=where, remedy="sort the lines and drop repeated ones"
        )
    if steps.max() > _GAP * usual:
        place = int(np.argmax(steps))
        raise IdentificationError(
            f"there is a gap of {steps[place]:g} s after t = {t[place]:g} s, where the step is {usual:g} s",
            where=where,
            remedy="fill it, or cut the table there and identify from one part",
        )
    if np.abs(steps - usual).max() > _UNEVEN * usual:
        raise IdentificationError(
            f"steps differ, from {steps.min():g} to {steps.max():g} s", where=where, remedy="resample to equal steps"
        )


def _suspect_units(found: Measurements, mechanism: Mechanism, names: Names, where: str, stated: Sequence[str]) -> None:
    """Refuses angles and times that look as if they had other units; how far angles with stated ones reach is believed.

    Raises:
        IdentificationError: saying what looks like what.
    """
    if not mechanism.q.quaternions and found.v is not None:
        for k, (q, v) in enumerate(zip(names.q, names.v, strict=True)):
            slope = np.gradient(found.q[:, k], found.t)
            size, shared = float(slope @ slope), float(found.v[:, k] @ slope)
            if shared**2 < _TOGETHER * size * float(found.v[:, k] @ found.v[:, k]) or not size:
                continue
            factor = shared / size
            for known, (what, remedy) in _FACTORS.items():
                if abs(factor / known - 1) < _ALIKE:
                    raise IdentificationError(what.format(q=q, v=v), where=where, remedy=remedy)
    for body in mechanism.bodies_by_coordinates:
        for k in range(*body.q_range):
            if body.joint.shape.coordinate_units[k - body.q_range[0]] != "rad" or names.q[k] in stated:
                continue
            reach = float(np.abs(found.q[:, k]).max())
            limits = _limits(body.joint, k - body.q_range[0], parameter_values(mechanism.model))
            if reach > (_BEYOND * limits if limits else _TURNS * math.tau):
                raise IdentificationError(
                    f"{names.q[k]} reaches {reach:.4g}, which looks like degrees",
                    where=where,
                    remedy="give radians, or say which in the header: NAME [rad] or NAME [deg]",
                )


def _limits(joint: Joint, index: int, numbers: Mapping[str, float]) -> float:
    """The farthest that a joint may be from zero, 0 where the model states no limits."""
    if not joint.lower or not joint.upper:
        return 0.0
    ends = [evaluate(each[index], numbers) for each in (joint.lower, joint.upper)]
    return max(map(abs, ends)) if all(map(math.isfinite, ends)) else 0.0

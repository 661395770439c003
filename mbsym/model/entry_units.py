"""Numbers with units whose unit the rest of a model decides: what is along a joint, gears, states, parameters.

A model holds them in SI: what states the unit that is asked for is converted when the model is made. Anything else
stays as it is, for the checks of the model to name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, repeat
from typing import Any, Final

from mbsym.errors import SymbolicError
from mbsym.joints.record import JointShape
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.joint import Coupling, Joint
from mbsym.model.named_state import JointValues, NamedState
from mbsym.model.names import NamedSystem
from mbsym.values.diagnostic import Findings, Path
from mbsym.values.entries import entries_of
from mbsym.values.parameter import ControlInput, NamedExpression, Parameter
from mbsym.values.units import si_value, stated_value, states_unit

PARTS: Final = (
    "parameters", "inputs", "drives", "outputs", "joints", "forces", "constraints", "motions", "couplings", "states",
)  # fmt: skip
"""Of a model, with such numbers."""

_KEYS: Final[Mapping[type, tuple[str, ...]]] = {
    Parameter: ("value",),
    ControlInput: ("lower", "upper"),
    NamedExpression: ("expression",),
    Joint: ("initial", "lower", "upper", "velocity", "effort", "armature"),
    Coupling: ("ratio", "offset"),
}
"""Attributes that hold them, of items without entries."""

_UNITS: Final = {
    **dict.fromkeys(("initial", "lower", "upper", "q"), "coordinate_units"),
    **dict.fromkeys(("velocity", "v"), "speed_units"),
    "effort": "force_units",
}
"""Units of a joint's shape, by what is in them."""


def in_si(model: NamedSystem, findings: Findings | None = None) -> dict[str, tuple[Any, ...]]:
    """The parts of a model that hold such numbers, with these in SI.

    Args:
        model: whose names need not be right.
        findings: where an error is noted for each number that stays as it is.
    """
    conversion = _Conversion(model, findings or Findings())
    changed: dict[str, tuple[Any, ...]] = {}
    for part in PARTS:
        items = getattr(model, part)
        places = [place for place, item in enumerate(items) if any(map(states_unit, _values(item)))]
        if places:
            items = list(items)
            for place in places:
                items[place] = conversion.item(items[place], (part, place))
            changed[part] = tuple(items)
    return changed


def _values(item: Any) -> Iterable[Any]:
    """What an item has in such units."""
    if isinstance(item, Joint):  # of which there may be many, most of them without any
        several = item.initial, item.lower, item.upper, item.velocity, item.effort
        return (item.armature, *(each for each in several if each))
    if isinstance(item, NamedState):
        return [values for _, values in (*item.q, *item.v, *item.x)]
    return [getattr(item, key) for key in _keys(item)]


def _keys(item: Any) -> Sequence[str]:
    if type(item) in _KEYS:
        return _KEYS[type(item)]
    return [entry.key for entry in entries_of(type(item)) if entry.kind in ("value", "values", "expression")]


class _Conversion:
    """One pass over a model."""

    def __init__(self, model: NamedSystem, findings: Findings) -> None:
        self._model, self._findings = model, findings

    def item(self, item: Any, path: Path) -> Any:
        """An item of one of the parts, in SI."""
        if isinstance(item, Parameter | ControlInput | NamedExpression):
            return self._as_stated(item, path)
        if isinstance(item, NamedState):
            units = {drive.name: drive.unit for drive in self._model.drives}
            drives = tuple(
                (name, self._in_si(value, (units.get(name, ""),), (*path, "x", name))) for name, value in item.x
            )
            return replace(item, q=self._state("q", item.q, path), v=self._state("v", item.v, path), x=drives)
        given = {key: getattr(item, key) for key in _keys(item)}
        return replace(
            item,
            **{
                key: self._in_si(value, self._units(item, key), (*path, key))
                for key, value in given.items()
                if states_unit(value)
            },
        )

    def _as_stated(self, item: Any, path: Path) -> Any:
        for key in _keys(item):
            try:
                value, unit = stated_value(getattr(item, key), item.unit)
            except SymbolicError as error:
                self._findings.error((*path, key), error.what, error.remedy)
            else:
                item = replace(item, **{key: value, "unit": unit})
        return item

    def _state(self, key: str, values: JointValues, path: Path) -> JointValues:
        shapes = self._shapes
        return tuple(
            (joint, self._in_si(each, getattr(shapes.get(joint), _UNITS[key], ()), (*path, key, joint)))
            for joint, each in values
        )

    def _in_si(self, value: Any, units: Sequence[str], path: Path) -> Any:
        """A value or several, whose units are none where nothing decides them."""
        if isinstance(value, tuple):
            every = enumerate(zip(value, chain(units, repeat("")), strict=False))
            return tuple(self._in_si(each, (unit,), (*path, place)) for place, (each, unit) in every)
        try:
            return si_value(value, next(iter(units), ""))
        except SymbolicError as error:
            self._findings.error(path, error.what, error.remedy)
            return value

    # ---- what is asked for -------------------------------------------------------------------------------------------

    @cached_property
    def _shapes(self) -> Mapping[str, JointShape]:
        """Of joints whose types are known, by name."""
        return {joint.name: joint.shape for joint in self._model.joints if joint.type in JOINT_TYPES}

    def _units(self, item: Any, key: str) -> Sequence[str]:
        """SI units of the values of an attribute."""
        if isinstance(item, Joint):
            shape = self._shapes.get(item.name)
            return getattr(shape, _UNITS[key], ()) if key in _UNITS else _of_armature(shape)
        if isinstance(item, Coupling):
            return self._counted(item.joint, (item.source,) if key == "ratio" else ())
        (entry,) = (each for each in entries_of(type(item)) if each.key == key)
        if entry.counts:
            own, others = (_names(getattr(item, name)) if name else () for name in (entry.counts, entry.counts_per))
            return self._counted(own[0] if own else "", others)
        unit = getattr(item, entry.unit_key) if entry.unit_key else entry.unit
        return _along(unit, self._shapes.get(getattr(item, "joint", "")), getattr(item, "index", 0))

    def _counted(self, joint: str, others: Sequence[str]) -> Sequence[str]:
        """The unit of the only coordinate of a joint, or what it is per one of each of the others; none if alike."""
        own, *per = (self._coordinate(name) for name in (joint, *others))
        return [f"{own}/{each}" if own and each and own != each else "" for each in per] if others else [own]

    def _coordinate(self, joint: str) -> str:
        units = self._shapes[joint].coordinate_units if joint in self._shapes else ()
        return units[0] if len(units) == 1 else ""


def _of_armature(shape: JointShape | None) -> Sequence[str]:
    """None of joints that slide and turn."""
    rates = {*getattr(shape, "speed_units", ())}
    return ["kg" if rate == "m/s" else "kg m^2" for rate in rates] if len(rates) == 1 else ()


def _along(unit: str, shape: JointShape | None, index: int) -> Sequence[str]:
    """The unit of an entry that says "N/m or N m": the first where the joint slides there, else the second."""
    sliding, _, turning = unit.partition(" or ")
    rates = shape.speed_units[index : index + 1] if shape is not None and isinstance(index, int) else ()
    if not turning or rates == ("m/s",):
        return [sliding]
    # What is per metre where a joint slides is per radian where it turns.
    return [f"{turning}/rad" if "/m" in sliding else turning] if rates else ()


def _names(given: str | Sequence[str]) -> Sequence[str]:
    return (given,) if isinstance(given, str) else given

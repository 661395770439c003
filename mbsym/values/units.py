"""Units in which numbers of a model may be stated, and what such a number is in SI, exactly.

A number with a unit is one text: the number, then products, powers and quotients of units, as in ``30deg``, ``20 cm``,
``12 kg mm^2``, ``5 N/mm``. It stands for a number in SI units and radians. Angles count as a dimension here, so that a
length is no angle and 10 Hz are no 10 rad/s; beside forces a radian counts as one, since N m and N m/rad are written
for one another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from operator import eq
from typing import Any, Final, TypeAlias

from mbsym.errors import ModelError, SymbolicError
from mbsym.values.given import set_plain
from mbsym.values.numbers import decimal_number
from mbsym.values.parameter import Value

PREFIXES: Final[Mapping[str, Fraction]] = {
    "G": Fraction(10**9),
    "M": Fraction(10**6),
    "k": Fraction(1000),
    "c": Fraction(1, 100),
    "d": Fraction(1, 10),
    "m": Fraction(1, 1000),
    "u": Fraction(1, 10**6),
    "µ": Fraction(1, 10**6),
    "n": Fraction(1, 10**9),
}
"""What multiplies a unit that takes prefixes; the Greek letter that looks like the micro sign is read too."""


@dataclass(frozen=True, slots=True)
class NamedUnit:
    """A unit of the table.

    Attributes:
        word: what it is of.
        si: the SI unit of the same, as a product of powers of its names.
        factor: what one of it is in that unit, but for powers of pi.
        pi: power of pi that multiplies the factor.
        takes_prefixes: whether prefixes may stand before its name.
    """

    word: str
    si: str
    factor: Fraction = Fraction(1)
    pi: int = 0
    takes_prefixes: bool = False


_INCH: Final = Fraction(254, 10000)
_POUND: Final = Fraction(45359237, 10**8)

UNITS: Final[Mapping[str, NamedUnit]] = {
    "m": NamedUnit("length", "m", takes_prefixes=True),
    "in": NamedUnit("length", "m", _INCH),
    "ft": NamedUnit("length", "m", 12 * _INCH),
    "g": NamedUnit("mass", "kg", Fraction(1, 1000), takes_prefixes=True),
    "lb": NamedUnit("mass", "kg", _POUND),
    "s": NamedUnit("time", "s", takes_prefixes=True),
    "min": NamedUnit("time", "s", Fraction(60)),
    "h": NamedUnit("time", "s", Fraction(3600)),
    "rad": NamedUnit("angle", "rad", takes_prefixes=True),
    "deg": NamedUnit("angle", "rad", Fraction(1, 180), 1),
    "°": NamedUnit("angle", "rad", Fraction(1, 180), 1),
    "rev": NamedUnit("angle", "rad", Fraction(2), 1),
    "rpm": NamedUnit("angular velocity", "rad s^-1", Fraction(1, 30), 1),
    "Hz": NamedUnit("frequency", "Hz", takes_prefixes=True),
    "N": NamedUnit("force", "N", takes_prefixes=True),
    "lbf": NamedUnit("force", "N", _POUND * Fraction(980665, 10**5)),
    "Nm": NamedUnit("moment", "N m", takes_prefixes=True),
    "Nmm": NamedUnit("moment", "N m", Fraction(1, 1000)),
    "J": NamedUnit("energy", "J", takes_prefixes=True),
    "W": NamedUnit("power", "W", takes_prefixes=True),
    "Pa": NamedUnit("pressure", "Pa", takes_prefixes=True),
    "bar": NamedUnit("pressure", "Pa", Fraction(10**5), takes_prefixes=True),
}
"""Units by name; a name that stands here is none of a prefix and another unit, as min."""

Dimension: TypeAlias = tuple[int, ...]

_DIMENSIONS: Final[Mapping[str, Dimension]] = {
    "m": (1, 0, 0, 0),
    "kg": (0, 1, 0, 0),
    "s": (0, 0, 1, 0),
    "rad": (0, 0, 0, 1),
    "Hz": (0, 0, -1, 0),
    "N": (1, 1, -2, 0),
    "J": (2, 1, -2, 0),
    "W": (2, 1, -3, 0),
    "Pa": (-1, 1, -2, 0),
}
"""Powers of metre, kilogram, second and radian of SI units that are written."""

_WANTED: Final[Mapping[str, tuple[str, str]]] = {
    "m": ("a length", "20 cm"),
    "kg": ("a mass", "500 g"),
    "s": ("a time", "250 ms"),
    "rad": ("an angle", "30 deg"),
    "Hz": ("a frequency", "10 Hz"),
    "N": ("a force", "1.5 kN"),
    "N m": ("a moment", "2 N m"),
    "m/s": ("a speed", "20 mm/s"),
    "rad/s": ("an angular velocity", "3000 rpm"),
    "m/s^2": ("an acceleration", "9.81 m/s^2"),
    "kg m^2": ("a moment of inertia", "12 kg mm^2"),
    "kg m": ("a first moment of mass", "5 kg mm"),
    "kg/m^3": ("a density", "7.85 g/cm^3"),
    "N/m": ("a stiffness", "5 N/mm"),
    "N m/rad": ("a torsional stiffness", "5 N m/deg"),
    "N s/m": ("a damping coefficient", "5 N s/m"),
    "N m s/rad": ("a torsional damping coefficient", "5 N m s/rad"),
    "N m^2": ("a bending stiffness", "5 kN m^2"),
    "m/rad": ("a pitch", "5 mm/rev"),
}
"""What is measured in SI units that entries of a model have, and how to write one."""

_WORD: Final = r"(?:[^\W\d_²³]+|°)"
_POWER: Final = r"(?:(?:\^|\*\*)-?[1-9]|[²³])?"
_FACTOR: Final = re.compile(rf"\s*([*·/]?)\s*({_WORD})({_POWER})")
_QUANTITY: Final = re.compile(
    r"\s*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*"
    rf"({_WORD}{_POWER}(?:(?:\s*[*·/]\s*|\s+){_WORD}{_POWER})*)\s*"
)
"""A number and what stands behind it without an operator; no arithmetic is written so."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A product of powers of units.

    Attributes:
        factor: what one of it is in the SI unit, but for powers of pi.
        pi: power of pi that multiplies the factor.
        dimension: powers of metre, kilogram, second and radian.
        si: the SI unit, as it is written.
    """

    factor: Fraction
    pi: int
    dimension: Dimension
    si: str

    def stands_for(self, other: Unit) -> bool:
        """Whether what is stated in this unit may be meant where another one is wanted.

        Beside forces and masses a radian counts as one; degrees and revolutions do not.
        """
        same = self.dimension[:3] == other.dimension[:3]
        angle, wanted = self.dimension[3], other.dimension[3]
        return same and (angle == wanted or (self.dimension[1] != 0 and not self.pi and 0 in (angle, wanted)))


def is_quantity(value: object) -> bool:
    """Whether a value is text that is a number with a unit, known or not."""
    return isinstance(value, str) and _QUANTITY.fullmatch(value) is not None


def states_unit(given: object) -> bool:
    """Whether a value, or one of several, is a number with a unit."""
    return any(map(states_unit, given)) if isinstance(given, tuple | list) else is_quantity(given)


def si_value(value: Value, unit: str) -> Value:
    """The value that a number with a unit is in SI: whole, a decimal, a fraction, or one of these times pi, as text.

    Args:
        value: any; what is no number with a unit stays as it is.
        unit: SI unit in which a number alone is taken, "1" of a ratio, "" where none is known.

    Raises:
        SymbolicError: the unit is unknown, or measures something else.
    """
    found = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return value
    stated, wanted = read_unit(found[2]), read_unit(unit) if unit not in ("", "1") else None
    if wanted is None:
        raise SymbolicError(f"{_shown(value)} has a unit where none is taken", remedy="write a number alone")
    if not stated.stands_for(wanted):
        word, example = _WANTED.get(unit, ("what is asked for", f"1 {unit}"))
        what = f"{_shown(value)} is not {word}, which is taken in {unit}"
        raise SymbolicError(what, remedy=f"write it as in {example}")
    return _in_si(found[1], stated)


def stated_value(value: Value, unit: str) -> tuple[Value, str]:
    """A value whose unit its user states, and that unit: without one, the SI unit that stands behind the number.

    Raises:
        SymbolicError: one of both units is unknown, they measure different things, or the stated one is not of SI.
    """
    found = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return value, unit
    own = read_unit(found[2])
    if not unit:
        return _in_si(found[1], own), own.si
    stated = read_unit(unit)
    if stated.factor != 1 or stated.pi:
        raise SymbolicError(f"the unit {unit} is not of SI", remedy=f"write unit: {stated.si}, or leave it out")
    return si_value(value, unit), unit


def set_si(record: Any, units: Mapping[str, str], where: str) -> None:
    """Brings values and tuples of them that a new frozen record holds as numbers with units into SI.

    Args:
        record: that is being made.
        units: SI units by attribute.
        where: what the record is called, for errors.

    Raises:
        ModelError: a unit is unknown, or measures something else.
    """
    for key, unit in units.items():
        given = getattr(record, key)
        if states_unit(given):
            set_plain(record, key, si_given(given, unit, f"{key} of {where}"))


def si_given(given: Any, unit: str, where: str) -> Any:
    """A value in SI, or several likewise, that a caller in Python gives for an entry in that SI unit.

    Raises:
        ModelError: a unit is unknown, or measures something else.
    """
    if isinstance(given, tuple | list):
        return tuple(si_given(each, unit, where) for each in given)
    try:
        return si_value(given, unit)
    except SymbolicError as error:
        raise ModelError(error.what, where=where, remedy=error.remedy) from None


@cache
def read_unit(text: str) -> Unit:
    """The unit that a text says: names with prefixes and powers, between them blanks, ``*`` or ``/`` before one name.

    Raises:
        SymbolicError: a name is unknown, or the text is no such product.
    """
    factor, pi, names = Fraction(1), 0, dict[str, int]()
    dimension: Dimension = (0, 0, 0, 0)
    divided = False
    for sign, name, power in _factors(text):
        if divided and sign != "/":
            remedy = "write / before each unit that divides, behind all others: N m s/rad, kg/m/s"
            raise SymbolicError(f"{text!r} may be read in two ways", remedy=remedy)
        divided = sign == "/"
        known, prefix = _named(name)
        times = -power if divided else power
        factor *= (prefix * known.factor) ** times
        pi += known.pi * times
        for each, own in _powers(known.si):
            names[each] = names.get(each, 0) + own * times
            dimension = tuple(x + own * times * y for x, y in zip(dimension, _DIMENSIONS[each], strict=True))
    return Unit(factor, pi, dimension, _written(names))


def _factors(text: str) -> Iterator[tuple[str, str, int]]:
    """Sign, name and power of each factor."""
    place = 0
    while place < len(text.rstrip()):
        found = _FACTOR.match(text, place)
        if found is None or (found[1] and not place):
            raise SymbolicError(f"{text!r} is no unit", remedy="write it like N m s/rad or kg m^2")
        place = found.end()
        power = {"": 1, "²": 2, "³": 3}.get(found[3])
        yield found[1], found[2], int(found[3].lstrip("^*")) if power is None else power


def _named(name: str) -> tuple[NamedUnit, Fraction]:
    """A unit of the table and the prefix of its name."""
    name = name.replace("μ", "µ")
    if name in UNITS:
        return UNITS[name], Fraction(1)
    known = UNITS.get(name[1:])
    if known is None or not known.takes_prefixes or name[0] not in PREFIXES:
        others = f"units are {', '.join(UNITS)}, some with prefixes; a name stands behind an operator: 2*{name}"
        near = [each for each in all_names() if each.lower() == name.lower()]
        remedy = f"did you mean {' or '.join(near)}?" if near else others
        raise SymbolicError(f"{name!r} is no unit that is known", remedy=remedy)
    return known, PREFIXES[name[0]]


def units_text() -> str:
    """The units as a table: name, whether it takes prefixes, what it is of, what one is in SI; then the prefixes."""
    lines = ["unit   prefixes  of                in SI", "-" * 50]
    for name, unit in UNITS.items():
        prefixes, one = "yes" if unit.takes_prefixes else "", read_unit(name)
        lines.append(f"{name:6} {prefixes:8}  {unit.word:16}  {_in_si('1', one)} {one.si}")
    prefixes = ", ".join(f"{name} = {_decimal(factor)}" for name, factor in PREFIXES.items())
    return "\n".join([*lines, "", prefixes])


def all_names() -> Iterator[str]:
    """Names of units with and without prefixes."""
    for name, unit in UNITS.items():
        yield from (name, *(f"{prefix}{name}" for prefix in PREFIXES if unit.takes_prefixes))


def _powers(si: str) -> Iterable[tuple[str, int]]:
    """Names and powers of an SI unit of the table."""
    for part in si.split():
        name, _, power = part.partition("^")
        yield name, int(power or 1)


def dimension_text(dimension: Iterable[Fraction]) -> str:
    """Powers of metre, kilogram and second as a unit."""
    length, mass, time = dimension
    powers = (length, mass, time, 0)
    named = (name for name, known in _DIMENSIONS.items() if all(map(eq, known, powers)))
    return next(named, "") or _written({"kg": mass, "m": length, "s": time})


def _written(names: Mapping[str, int | Fraction]) -> str:
    """An SI unit from powers of its names: one that divides once behind a slash."""
    below = [name for name, power in names.items() if power < 0]
    above = [name if power == 1 else f"{name}^{power}" for name, power in names.items() if power > 0]
    if len(below) == 1 and above:
        power = -names[below[0]]
        return f"{' '.join(above)}/{below[0]}" + (f"^{power}" if power > 1 else "")
    return " ".join([*above, *(f"{name}^{names[name]}" for name in below)])


def _in_si(number: str, unit: Unit) -> Value:
    """The number in SI; one in an SI unit keeps its digits."""
    value = decimal_number(number)
    assert value is not None
    if value == 0:
        return 0
    if unit.pi == 0:
        digits = number if unit.factor == 1 else _decimal(value * unit.factor)
        return int(digits) if digits.lstrip("+-").isdigit() and len(digits) <= 18 else digits
    value *= unit.factor
    above, below = abs(value.numerator), value.denominator
    pi = "pi" if abs(unit.pi) == 1 else f"pi**{abs(unit.pi)}"
    over = [str(above)] if above != 1 or unit.pi < 0 else []
    under = [str(below)] if below != 1 else []
    (over if unit.pi > 0 else under).append(pi)
    denominator = "*".join(under)
    text = "*".join(over) + (f"/({denominator})" if len(under) > 1 else f"/{denominator}" if under else "")
    return text if value > 0 else f"-{text}"


def _decimal(value: Fraction) -> str:
    """The decimal that a number is, else its fraction."""
    rest, places = value.denominator, 0
    while rest % 10 == 0 or rest % 5 == 0 or rest % 2 == 0:
        rest, places = rest // (10 if rest % 10 == 0 else 5 if rest % 5 == 0 else 2), places + 1
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
    return ("-" if value < 0 else "") + (f"{whole}.{part}" if part else whole)


def _shown(value: Value) -> str:
    text = str(value).strip()
    return repr(text if len(text) <= 60 else f"{text[:57]}...")

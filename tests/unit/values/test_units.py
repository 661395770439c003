"""Units: exact factors, what is read and what is refused, and how numbers in SI are written."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym.errors import ModelError, SymbolicError
from mbsym.model.body import Body, Placement
from mbsym.values.numbers import evaluate
from mbsym.values.units import (
    PREFIXES,
    UNITS,
    all_names,
    is_quantity,
    read_unit,
    si_given,
    si_value,
    stated_value,
    units_text,
)


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("20 cm", "m", "0.2"),
        ("20cm", "m", "0.2"),
        ("1e3 mm", "m", 1),
        ("0.20 m", "m", "0.20"),
        ("1e3m", "m", "1e3"),
        ("-3 in", "m", "-0.0762"),
        ("5 µm", "m", "0.000005"),
        ("5 μm", "m", "0.000005"),
        ("5 um", "m", "0.000005"),
        ("500 g", "kg", "0.5"),
        ("1 lb", "kg", "0.45359237"),
        ("1 lbf", "N", "4.4482216152605"),
        ("250 ms", "s", "0.25"),
        ("2 min", "s", 120),
        ("2min", "s", 120),
        ("30deg", "rad", "pi/6"),
        ("30 °", "rad", "pi/6"),
        ("90deg", "rad", "pi/2"),
        ("-180deg", "rad", "-pi"),
        ("270deg", "rad", "3*pi/2"),
        ("12.5 deg", "rad", "5*pi/72"),
        ("0deg", "rad", 0),
        ("0.5 rev", "rad", "pi"),
        ("100 mrad", "rad", "0.1"),
        ("3000 rpm", "rad/s", "100*pi"),
        ("2 rev/s", "rad/s", "4*pi"),
        ("1 deg/s^2", "rad/s^2", "pi/180"),
        ("1.5 kN", "N", 1500),
        ("2 Nm", "N m", 2),
        ("2 Nmm", "N m", "0.002"),
        ("2 kN*m", "N m", 2000),
        ("2 J", "N m", 2),
        ("5 N/mm", "N/m", 5000),
        ("5 N m", "N m/rad", 5),
        ("5 N m/rad", "N m", 5),
        ("5 N m/deg", "N m/rad", "900/pi"),
        ("5 N m s/rad", "N m s", 5),
        ("12 kg mm^2", "kg m^2", "0.000012"),
        ("12 g cm^2", "kg m^2", "0.0000012"),
        ("12 kg*mm**2", "kg m^2", "0.000012"),
        ("12 kg·mm²", "kg m^2", "0.000012"),
        ("7.85 g/cm^3", "kg/m^3", 7850),
        ("210 GPa m^4", "N m^2", 210000000000),
        ("2 bar mm^2", "N", "0.2"),
        ("1 m/h", "m/s", "1/3600"),
        ("5 mm/rev", "m/rad", "1/(400*pi)"),
        ("5 N m^-1", "N/m", 5),
        ("3 kW h", "J", 10800000),
    ],
)
def test_a_number_with_a_unit_is_exact_in_si(text: str, unit: str, value: int | str) -> None:
    found = si_value(text, unit)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize("name", sorted(all_names()))
def test_each_unit_is_what_it_is_of(name: str) -> None:
    unit = read_unit(name)
    assert unit.dimension == read_unit(unit.si).dimension and read_unit(unit.si).factor == 1
    assert math.isclose(evaluate(si_value(f"1 {name}", unit.si)), float(unit.factor) * math.pi**unit.pi)


def test_factors_are_fractions() -> None:
    assert read_unit("in").factor == Fraction(127, 5000) and read_unit("g cm^2").factor == Fraction(1, 10**7)
    assert (read_unit("rpm").factor, read_unit("rpm").pi) == (Fraction(1, 30), 1)
    assert (read_unit("deg^2").factor, read_unit("deg^2").pi) == (Fraction(1, 180**2), 2)
    assert si_value("1 deg^2", "rad^2") == "pi**2/32400" and si_value("1 rad/deg^2", "rad^-1") == "32400/pi**2"
    assert all(isinstance(unit.factor, Fraction) for unit in UNITS.values()) and len(PREFIXES) == 9


@given(st.fractions(max_denominator=10**6), st.sampled_from(["m", "mm", "in", "km"]))
def test_decimals_are_the_numbers_that_they_were(number: Fraction, name: str) -> None:
    decimal = f"{float(number):.6f}"
    found = si_value(f"{decimal} {name}", "m")
    numerator, _, denominator = str(found).partition("/")
    assert Fraction(numerator) / Fraction(denominator or 1) == Fraction(decimal) * read_unit(name).factor


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        ("30 kg", "m", "'30 kg' is not a length, which is taken in m; write it as in 20 cm"),
        ("30deg", "m", "'30deg' is not a length, which is taken in m; write it as in 20 cm"),
        ("30 m", "rad", "'30 m' is not an angle, which is taken in rad; write it as in 30 deg"),
        ("10 Hz", "rad/s", "'10 Hz' is not an angular velocity, which is taken in rad/s; write it as in 3000 rpm"),
        ("60 rpm", "Hz", "'60 rpm' is not a frequency, which is taken in Hz; write it as in 10 Hz"),
        ("5 mm", "m/rad", "'5 mm' is not a pitch, which is taken in m/rad; write it as in 5 mm/rev"),
        ("5 N m/deg", "N m", "'5 N m/deg' is not a moment, which is taken in N m; write it as in 2 N m"),
        ("5 N", "N/m^3", "'5 N' is not what is asked for, which is taken in N/m^3; write it as in 1 N/m^3"),
        ("5 Kg", "kg", "'Kg' is no unit that is known; did you mean kg?"),
        ("5 NM", "N m", "'NM' is no unit that is known; did you mean nm or Nm?"),
        ("5 m/s s", "m/s^2", "'m/s s' may be read in two ways; write / before each unit that divides, behind all"),
        ("5 m", "", "'5 m' has a unit where none is taken; write a number alone"),
        ("1e999 m", "m", "the number 1e999 is out of range; give one that double precision can hold"),
    ],
)
def test_what_measures_something_else_is_refused(text: str, unit: str, message: str) -> None:
    with pytest.raises(SymbolicError, match=f"^{re.escape(message)}"):
        si_value(text, unit)


def test_an_unknown_name_is_told_all_units_and_how_products_are_written() -> None:
    with pytest.raises(SymbolicError) as caught:
        si_value("5 stiff", "m")
    assert caught.value.what == "'stiff' is no unit that is known"
    assert caught.value.remedy.startswith("units are m, in, ft, g,")
    assert caught.value.remedy.endswith("a name stands behind an operator: 2*stiff")


@pytest.mark.parametrize(
    "text", ["2", "2.5e-3", "2*m", "m", "m/2", "2 if q > 0 else 3", "L + 20 cm", "0x10", "1_0", "", "pi/6", "2 m*(3)"]
)
def test_what_is_no_number_with_a_unit_stays_as_it_is(text: str) -> None:
    assert not is_quantity(text) and si_value(text, "m") == text


def test_long_texts_are_told_apart_at_once() -> None:
    """A pattern that tries each way to part them would not end."""
    for text in ("1" * 9_000 + "+", "1 " + "m " * 4_000 + "+", "1 m" + " " * 9_000 + "+", "1 " + "m" * 9_000 + "+"):
        assert not is_quantity(text)


def test_other_values_stay_as_they_are() -> None:
    for value in (2, 2.5, Fraction(1, 3)):
        assert si_value(value, "m") is value


@pytest.mark.parametrize(
    ("value", "unit", "found"),
    [
        ("30 cm", "", ("0.3", "m")),
        ("30 cm", "m", ("0.3", "m")),
        ("30", "furlong", ("30", "furlong")),
        ("12 g cm^2", "", ("0.0000012", "kg m^2")),
        ("12 N mm/rad", "", ("0.012", "N m/rad")),
        ("30 Nm/rpm", "", ("900/pi", "N m s/rad")),
        ("9.81 m/s^2", "", ("9.81", "m/s^2")),
        ("3 kg/m/s", "", (3, "kg m^-1 s^-1")),
        ("3 N m/deg", "N m", None),
        ("3 kg", "m", None),
        ("3 cm", "cm", None),
        ("3 cm", "furlong", None),
    ],
)
def test_a_stated_unit_is_kept_and_one_of_si(value: str, unit: str, found: tuple[object, str] | None) -> None:
    if found is not None:
        assert stated_value(value, unit) == found
        return
    with pytest.raises(SymbolicError):
        stated_value(value, unit)


def test_a_stated_unit_of_another_system_is_refused_with_that_of_si() -> None:
    with pytest.raises(SymbolicError, match=re.escape("the unit N/mm is not of SI; write unit: N/m, or leave it out")):
        stated_value("3 N/m", "N/mm")


def test_python_takes_what_files_take() -> None:
    body = Body("lever", "500 g", ("20 cm", 0, "5 mm"), {"xx": "12 kg mm^2", "yy": 1}, first_moment=None)
    assert body == Body("lever", "0.5", ("0.2", 0, "0.005"), ("0.000012", 1, 0, 0, 0, 0))
    assert Placement(["20 cm", 0, 0], (("z", "30deg"),)) == Placement(("0.2", 0, 0), (("z", "pi/6"),))
    assert si_given(["20 cm", (3, "1 mm")], "m", "x") == ("0.2", (3, "0.001"))


def test_python_is_told_where_a_unit_is_wrong() -> None:
    message = "mass of body 'lever': '500 m' is not a mass, which is taken in kg; write it as in 500 g"
    with pytest.raises(ModelError, match=f"^{re.escape(message)}$"):
        Body("lever", "500 m")


def test_the_table_has_every_unit() -> None:
    lines = units_text().splitlines()
    assert [line.split()[0] for line in lines[2 : 2 + len(UNITS)]] == list(UNITS)
    assert "deg              angle             pi/180 rad" in lines and lines[-1].startswith("G = 1000000000, M = ")

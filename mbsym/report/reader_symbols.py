"""Symbols that people read: q_1 for a coordinate with a long name in formulas of documents, and what they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mbsym.doors import sympy
from mbsym.kinematics.mechanism import Mechanism
from mbsym.report.equations import Equations
from mbsym.report.sections import Entries, Item, NamedMatrix, Section, StepGroup, Steps, Table, VectorRows
from mbsym.report.symbols import symbol_parts
from mbsym.report.vectors import with_short_numbers

LONGEST_SUBSCRIPT: Final = 2
"""Letters of a subscript that formulas of documents keep."""


def reader_symbols(equations: Equations, sections: Sequence[Section] = ()) -> dict[sympy.Expr, sympy.Symbol]:
    """What stands for the model's symbols of coordinates, speeds, rates and forces: q_1, v_1, vdot_1, tau_1.

    Sums of angles, as those of parallel axes, are named once: q_23 for q_2 + q_3. Names that the model states stay. So
    do all where they are short, or where something else is called like a short one.

    Args:
        equations: whose symbols they are.
        sections: with other symbols, such as names of steps.
    """
    columns = tuple(equations.columns.values())
    short = equations.short_names
    stated = _stated(equations.mechanism)
    named = [
        symbol
        for column, kept in zip(columns, (stated[0], *[stated[1]] * 3), strict=True)
        for place, symbol in enumerate(column)
        if place not in kept
    ]
    if all(len(symbol_parts(str(symbol.name)).subscript) <= LONGEST_SUBSCRIPT for symbol in named):
        return {}
    found = {symbol: short[symbol] for symbol in named}
    others = {*_names_in(sections), *(item.name for item in equations.mechanism.parameters)}
    others |= {str(symbol) for column in columns for symbol in column}
    found |= _sums(equations, sections, found)
    return found if others.isdisjoint(map(str, found.values())) else {}


def _sums(
    equations: Equations, sections: Sequence[Section], short: Mapping[sympy.Expr, sympy.Symbol]
) -> dict[sympy.Expr, sympy.Symbol]:
    """Names of the sums of coordinates whose sines and cosines stand in the sections."""
    places = {symbol: k for k, symbol in enumerate(equations.coordinates, start=1) if symbol in short}
    circular = (each for value in _values_in(sections) for each in value.atoms(sympy.sin, sympy.cos))
    sums = {each.args[0] for each in circular if each.args[0].is_Add and places.keys() >= set(each.args[0].args)}
    found = {each: sorted(places[symbol] for symbol in each.args) for each in sums}
    join = "" if len(equations.coordinates) < 10 else ","
    return {
        each: sympy.Symbol(f"q_{join.join(map(str, own))}")
        for each, own in sorted(found.items(), key=lambda item: item[1])
    }


def _values_in(sections: Sequence[Section]) -> Iterator[sympy.Expr]:
    for section in sections:
        for item in section.items:
            if isinstance(item, Entries):
                yield from item.values.values()
            elif isinstance(item, Steps):
                yield from (value for group in item.groups for _, value in group.steps)
                yield from item.entries.values.values()
            elif isinstance(item, VectorRows):
                for row in item.rows:
                    yield from (*row.numbers.values(), *row.components)
            elif isinstance(item, NamedMatrix) and isinstance(item.value, sympy.MatrixBase):
                yield from item.value


def _stated(mechanism: Mechanism) -> tuple[set[int], set[int]]:
    """Places in q and v of entries that the model gives names."""
    q, v = set[int](), set[int]()
    for body in mechanism.bodies:
        q |= set(range(*body.q_range)) if body.joint.coordinates else set()
        v |= set(range(*body.v_range)) if body.joint.speeds else set()
    return q, v


def _names_in(sections: Sequence[Section]) -> Iterator[str]:
    for section in sections:
        for item in section.items:
            if isinstance(item, Steps):
                yield from (left for group in item.groups for left, _ in group.steps)


def symbols_section(equations: Equations, short: Mapping[Any, Any]) -> Section:
    """What the symbols of coordinates, speeds, rates and forces stand for, and how files and code call it."""
    mechanism = equations.mechanism
    own = mechanism.bodies_by_coordinates

    def shown(symbol: Any) -> str:
        return str(short.get(symbol, symbol))

    q, v = [], []
    for body in own:
        joint, shape = body.joint, body.joint.shape
        for k, (suffix, unit) in enumerate(zip(shape.coordinates, shape.coordinate_units, strict=True)):
            place = body.q_range[0] + k
            symbol = equations.coordinates[place]
            q.append((shown(symbol), str(symbol), f"q[{place}]", " ".join((joint.name, suffix)).strip(), unit))
        units = zip(shape.speeds, shape.speed_units, shape.force_units, strict=True)
        for k, (suffix, unit, force) in enumerate(units):
            place = body.v_range[0] + k
            symbols = [column[place] for column in (equations.speeds, equations.rates, equations.forces)]
            v.append(
                (
                    *map(shown, symbols),
                    str(symbols[0]),
                    f"v[{place}]",
                    " ".join((joint.name, suffix)).strip(),
                    f"{unit}; {force}",
                )
            )
    sums = [(str(name), " + ".join(map(shown, of.as_ordered_terms()))) for of, name in short.items() if of.is_Add]
    tables = (
        Table(("coordinate", "name", "in code", "joint", "unit"), tuple(q), symbols=(0,)),
        Table(
            ("speed", "rate", "force", "name", "in code", "joint", "units of speed; force"),
            tuple(v),
            symbols=(0, 1, 2),
        ),
        Table(("angle", "is"), tuple(sums), symbols=(0,)),
    )
    return Section("symbols", "Symbols", items=tuple(table for table in tables if table.rows))


def in_short(section: Section, short: Mapping[Any, Any]) -> Section:
    """The section with short symbols in its formulas."""
    return replace(section, items=tuple(_item(item, short) for item in section.items)) if short else section


def _item(item: Item, short: Mapping[Any, Any]) -> Item:
    if isinstance(item, Entries):
        return _entries(item, short)
    if isinstance(item, NamedMatrix):
        return NamedMatrix(item.name, item.value.xreplace(dict(short)))
    if isinstance(item, Steps):
        groups = tuple(
            StepGroup(group.title, tuple((left, value.xreplace(dict(short))) for left, value in group.steps))
            for group in item.groups
        )
        return Steps(groups, _entries(item.entries, short))
    if isinstance(item, VectorRows):
        return VectorRows(tuple(with_short_numbers(row, short) for row in item.rows))
    return item


def _entries(entries: Entries, short: Mapping[Any, Any]) -> Entries:
    return Entries(entries.letter, {place: value.xreplace(dict(short)) for place, value in entries.values.items()})

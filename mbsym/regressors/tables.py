"""What a module says of the columns of its regressors: names, units and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis, restated
from mbsym.regressors.base_parameters import BaseParameters, base_parameters_of
from mbsym.regressors.functions import BASE_REGRESSOR, REGRESSOR_FUNCTIONS
from mbsym.regressors.parameters import standard_parameters
from mbsym.regressors.relations_text import proof, relation_lines, relations_data

_WIDTH: Final = 115
"""Behind the mark of a comment."""

Places = tuple[str, str, Mapping[str, tuple[int, int]], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class ColumnTables:
    """For the manifest, the header, the constants and the tables of places of a module."""

    manifest: Mapping[str, object] = field(default_factory=dict)
    header: tuple[str, ...] = ()
    constants: Mapping[str, int] = field(default_factory=dict)
    indices: tuple[Places, ...] = ()


def column_tables(mechanism: Mechanism, loops: LoopAnalysis | None, functions: Sequence[str]) -> ColumnTables:
    """Tables of the columns that some functions have; nothing where none of them is a regressor."""
    if REGRESSOR_FUNCTIONS.keys().isdisjoint(functions):
        return ColumnTables()
    columns = standard_parameters(mechanism.model)
    listed = [
        {
            "name": item.name,
            "unit": item.unit,
            "kind": item.kind,
            "of": item.owner,
            "key": item.key,
            "value": item.value,
        }
        for item in columns
    ]
    tables = [_places("COLUMN", "Columns of regressors, one for each standard parameter.", [x.name for x in columns])]
    manifest: dict[str, object] = {"regressor_columns": listed}
    constants = {"NP": len(columns)}
    header: tuple[str, ...] = ()
    if BASE_REGRESSOR.name in functions:
        afresh = mechanism.afresh()
        found = base_parameters_of(afresh, restated(loops, afresh) if loops is not None else None)
        names = [item.name for item in found.base]
        if names:
            tables.append(_places("BASE", "Columns of base_regressor, one for each base parameter.", names))
        manifest["base_parameters"] = relations_data(found)
        constants["NBASE"] = len(names)
        header = _header(found)
    return ColumnTables(manifest, header, constants, tuple(tables))


def _places(name: str, sentence: str, names: Sequence[str]) -> Places:
    return name, sentence, {each: (place, place + 1) for place, each in enumerate(names)}, {}


def _header(found: BaseParameters) -> tuple[str, ...]:
    """The base parameters, one a line."""
    title = f"Base parameters, {len(found.base)} of {len(found.columns)}: {proof(found)}."
    return ("", *title.splitlines(), *relation_lines(found, _WIDTH))

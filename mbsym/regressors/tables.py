"""What a module says of the columns of its regressors: names, units and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mbsym.kinematics.mechanism import Mechanism
from mbsym.regressors.functions import REGRESSOR_FUNCTIONS
from mbsym.regressors.parameters import standard_parameters


@dataclass(frozen=True, slots=True)
class ColumnTables:
    """For the manifest, the constants and the tables of places of a module."""

    manifest: Mapping[str, object] = field(default_factory=dict)
    constants: Mapping[str, int] = field(default_factory=dict)
    indices: tuple[tuple[str, str, Mapping[str, tuple[int, int]]], ...] = ()


def column_tables(mechanism: Mechanism, functions: Sequence[str]) -> ColumnTables:
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
    places = {item.name: (place, place + 1) for place, item in enumerate(columns)}
    return ColumnTables(
        {"regressor_columns": listed},
        {"NP": len(columns)},
        (("COLUMN", "Columns of regressors, one for each standard parameter.", places),),
    )

"""Numbers with units in the tables of the native format: brought into SI before the entries themselves are read."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import BeforeValidator

from mbsym.errors import SymbolicError
from mbsym.formats.native.leaves import refused
from mbsym.formats.yaml_document import Leaf
from mbsym.values.units import is_quantity, si_value


def taken_in(unit: str) -> BeforeValidator:
    """What is read before an entry whose numbers are in an SI unit: they may state other ones."""
    return BeforeValidator(partial(_in_si, unit))


def _in_si(unit: str, item: Any, *path: int) -> Any:
    """An entry with its numbers in SI, at a path within the whole."""
    if isinstance(item, list):
        return [_in_si(unit, each, *path, place) for place, each in enumerate(item)]
    if not is_quantity(item):
        return item
    try:
        return Leaf(str(si_value(item, unit)), in_file=False)
    except SymbolicError as error:
        raise refused(error.what, error.remedy, path=path) from None

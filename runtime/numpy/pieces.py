"""How functions with tables find the piece that a number lies in, and what belongs to it."""

# ruff: noqa: F821
from __future__ import annotations

import numpy as np

# mbsym: copied from here


def _entry(column, number):
    """What a column has for the piece of a number, or of each number of an array."""
    if isinstance(number, float):
        return column.item(int(number))
    library = _library_of(number)
    if library is None:
        return column[number.astype(int)]
    found = number * 0 + column.item(0)
    for place in range(1, len(column)):
        found = library.where(number >= place, found * 0 + column.item(place), found)
    return found


def _piece(x, starts, last):
    """The number of the piece in which x lies, the first or the last beyond them; they begin at increasing starts."""
    if _library_of(x) is None:
        found = np.clip(np.searchsorted(starts, x, side="right") - 1, 0, last)
        return float(found) if isinstance(x, float) else found.astype(_REAL)
    found = 0.0
    for start in starts.tolist()[1:]:
        found = found + _library_of(x).where(x >= start, x * 0 + 1, x * 0)
    return found


def _even_piece(x, start, per_length, last):
    """The same of pieces of one length."""
    place = (x - start) * per_length
    if isinstance(place, float):
        return float(int(place)) if 1 <= place < last else float(last) if place >= last else 0.0
    library = _library_of(place)
    if library is None:
        return np.floor(np.fmin(np.fmax(place, 0), last))
    found = library.where(place >= 1, place, place * 0)
    return library.floor(library.where(place < last, found, found * 0 + last))

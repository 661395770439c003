"""What may be given in place of the plain data that a model holds: in Python the same as in its files, and matrices.

What is recognised is brought into its plain form; anything else stays as it is, for the checks of the model to name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, Protocol, TypeAlias

from mbsym.errors import ModelError
from mbsym.values.parameter import Value, Vector

DirectionWord: TypeAlias = Literal["x", "y", "z", "-x", "-y", "-z"]

DIRECTIONS: Final[Mapping[str, tuple[int, int, int]]] = {
    "x": (1, 0, 0),
    "y": (0, 1, 0),
    "z": (0, 0, 1),
    "-x": (-1, 0, 0),
    "-y": (0, -1, 0),
    "-z": (0, 0, -1),
}
"""Words for directions."""


class Listed(Protocol):
    """A NumPy array or a SymPy matrix."""

    def tolist(self) -> Any:
        """Its entries, or rows of them."""


GivenVector: TypeAlias = Vector | list[Value] | Listed
"""Three values: a tuple, a list, a NumPy array, a SymPy matrix."""

GivenDirection: TypeAlias = GivenVector | DirectionWord
"""Three components, or a word for one of the axes."""


def entries(given: Any) -> Any:
    """The entries of a list, an array or a matrix, row by row, as a tuple; anything else as it is."""
    listed = _listed(given)
    if isinstance(given, tuple) or listed is None:
        return given
    if any(isinstance(row, list) for row in listed):
        listed = [entry for row in listed for entry in (row if isinstance(row, list) else [row])]
    return tuple(listed)


def several(given: Any) -> Any:
    """The entries of a list; one value or name by itself is a list of one."""
    if given is None or isinstance(given, Mapping):
        return given
    found = entries(given)
    return found if isinstance(found, tuple) else (found,)


def direction(given: Any, where: str) -> Any:
    """Three components of a direction.

    Raises:
        ModelError: a word names none.
    """
    if not isinstance(given, str):
        return entries(given)
    if given not in DIRECTIONS:
        remedy = f"say {', '.join(DIRECTIONS)} or give three components"
        raise ModelError(f"{given!r} is no direction", where=where, remedy=remedy)
    return DIRECTIONS[given]


def inertia(given: Any, where: str) -> Any:
    """(xx, yy, zz, xy, xz, yz) of six entries, of three principal ones, of entries by name, or of a 3x3 matrix.

    Raises:
        ModelError: the matrix is not symmetric, or there is no entry of a name.
    """
    names = ("xx", "yy", "zz", "xy", "xz", "yz")
    if isinstance(given, Mapping):
        unknown = sorted(set(given) - set(names))
        if unknown:
            raise ModelError(f"an inertia has no entry {unknown[0]!r}", where=where, remedy=f"use {', '.join(names)}")
        return tuple(given.get(name, 0) for name in names)
    found = matrix_rows(given)
    if found is None:
        flat = entries(given)
        return (*flat, 0, 0, 0) if isinstance(flat, tuple) and len(flat) == 3 else flat
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = found
    if (xy, xz, yz) != (yx, zx, zy):
        remedy = "give a symmetric matrix, products as its entries"
        raise ModelError("the inertia matrix is not symmetric", where=where, remedy=remedy)
    return (xx, yy, zz, xy, xz, yz)


def matrix_rows(given: Any) -> tuple[tuple[Any, ...], ...] | None:
    """The rows of a 3x3 matrix, given as such or as nested lists; None where it is none."""
    listed = _listed(given)
    if listed is None or len(listed) != 3 or not all(isinstance(row, list | tuple) and len(row) == 3 for row in listed):
        return None
    return tuple(tuple(row) for row in listed)


def _listed(given: Any) -> list[Any] | None:
    """What is listed, or the rows of an array or matrix; None where nothing is."""
    if hasattr(given, "tolist"):
        found = given.tolist()
        return found if isinstance(found, list) else None
    return None if isinstance(given, str | Mapping) or not isinstance(given, Iterable) else list(given)


def quaternion_of(rows: tuple[tuple[Any, ...], ...]) -> tuple[Value, Value, Value, Value]:
    """(w, x, y, z), of some length, of a rotation matrix.

    Of the four forms that differ by a factor, the longest is taken, as far as the entries are numbers; of a matrix with
    symbols the one whose scalar part is 1 + trace.

    Raises:
        ModelError: an entry is text.
    """
    if any(isinstance(entry, str) for row in rows for entry in row):
        remedy = "give numbers, SymPy expressions, or turns such as (('z', 'angle'),)"
        raise ModelError("a rotation matrix has text in it", remedy=remedy)
    forms = quaternion_forms(rows)
    try:
        return max(forms, key=lambda form: max(abs(float(entry)) for entry in form))
    except TypeError:
        return forms[0]


def quaternion_forms(rows: Sequence[Sequence[Any]]) -> tuple[tuple[Any, Any, Any, Any], ...]:
    """The quaternion of a rotation matrix four times, multiplied with 4 w, 4 x, 4 y and 4 z."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rows
    return (
        (1 + xx + yy + zz, zy - yz, xz - zx, yx - xy),
        (zy - yz, 1 + xx - yy - zz, xy + yx, xz + zx),
        (xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy),
        (yx - xy, xz + zx, yz + zy, 1 - xx - yy + zz),
    )


def set_plain(frozen: Any, name: str, value: Any) -> None:
    """Sets a field of a frozen record that is being made."""
    object.__setattr__(frozen, name, value)

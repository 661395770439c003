"""Parameters grouped with others: which are solved for, and what the others then stand for.

A change of parameters that nothing shows makes one of them superfluous: it is taken to be nothing, and the others take
over what it stood for. Coefficients are values of a graph, numbers or expressions of the geometry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.regressors.invariants import Ten
from mbsym.regressors.parameters import StandardParameter
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.transform import Transform
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.equality import is_zero
from mbsym.symbolic.scalar import Scalar, constant

Combination: TypeAlias = Mapping[int, Scalar]
"""Coefficients by column of the regressor."""

SOLVED_FOR: Final = (0, 3, 2, 1, 5, 6, 4, 7, 8, 9)
"""Which of the ten are solved for, the first ones first: mass, then hz and Iyy of a hinge along z."""

_LONG: Final = 256
"""Bits of a denominator; those of lengths with four decimals stay below, squared and multiplied along an arm."""

_CLEAR: Final = 0.3
"""Part of the largest number of a change that one solves for at least."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A change of parameters that no motion shows, solved for one of them.

    Attributes:
        column: that one; its coefficient is one.
        others: coefficients of the others.
    """

    column: int
    others: Combination


def first_columns(columns: Sequence[StandardParameter]) -> dict[str, int]:
    """Where the ten columns of each body start."""
    return {item.owner: place for place, item in reversed(list(enumerate(columns))) if item.kind == "inertial"}


def handed_on(
    mechanism: Mechanism, body: TreeBody, unseen: Sequence[Ten], first: Mapping[str, int], units: Sequence[Fraction]
) -> tuple[Unseen, ...]:
    """Changes that take inertia from a parent and give it to a body, in the user's frames of both.

    Args:
        mechanism: of any tree joints.
        body: whose inboard joint cannot tell.
        unseen: the inertias in question, in the internal frame of the body.
        first: see ``first_columns``.
        units: see ``solved``.
    """
    start, rows = first[body.name], []
    for ten in unseen:
        inertia = inertia_of(mechanism, ten)
        row = placed(moved(inertia, body.user_frame), start)
        if body.parent:
            carrier = mechanism.body(body.parent)
            there = placed(moved(moved(inertia, body.placement), carrier.user_frame), first[carrier.name])
            row |= {column: -entry for column, entry in _at_rest(mechanism, there).items()}
        rows.append(row)
    return solved(rows, [start + place for place in SOLVED_FOR], units)


def inertia_of(mechanism: Mechanism, ten: Ten) -> RigidInertia:
    """Ten numbers as an inertia."""
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = (constant(mechanism.graph, number) for number in ten)
    return RigidInertia(m, (hx, hy, hz), (xx, yy, zz, xy, xz, yz))


def moved(inertia: RigidInertia, frame: Transform) -> RigidInertia:
    """The same inertia seen from the frame in which its own is placed."""
    return inertia.to_parent(frame.rotation, frame.translation)


def placed(inertia: RigidInertia, start: int) -> dict[int, Scalar]:
    """Its ten numbers by column, zeros left out."""
    ten = (inertia.mass, *inertia.first_moment, *inertia.about_origin)
    return {start + k: entry for k, entry in enumerate(ten) if entry}


def _at_rest(mechanism: Mechanism, row: Mapping[int, Scalar]) -> dict[int, Scalar]:
    """Entries that depend on no coordinate, written without any."""
    graph = mechanism.graph
    still = {ref: graph.const(0) for ref in mechanism.q.symbols}
    still |= {mechanism.q.symbols[start]: graph.const(1) for start in mechanism.q.quaternions}
    refs = substitute(graph, [entry.ref for entry in row.values()], still)
    return {column: Scalar(graph, ref) for column, ref in zip(row, refs, strict=True) if ref}


def solved(
    rows: Sequence[Mapping[int, Scalar]], places: Sequence[int], units: Sequence[Fraction], *, exactly: bool = True
) -> tuple[Unseen, ...]:
    """Changes combined so that each has a one of its own where the others have nothing.

    Args:
        rows: independent ones.
        places: columns to solve for, the first ones first.
        units: the mechanism's own, by column, in which numbers are called small.
        exactly: False lets long fractions become doubles.
    """
    rest, done = [dict(row) for row in rows], list[tuple[int, dict[int, Scalar]]]()
    while rest:
        place, index = _pivot(rest, places, units)
        row = rest.pop(index)
        inverse = 1 / row[place]
        row = {column: entry for column, item in row.items() if (entry := tidy(item * inverse))}
        rest = [_without(other, row, place, exactly=exactly) for other in rest]
        done = [(own, _without(other, row, place, exactly=exactly)) for own, other in done]
        done.append((place, row))
    return tuple(
        Unseen(place, {column: entry for column, entry in row.items() if column != place}) for place, row in done
    )


def _pivot(rows: Sequence[Mapping[int, Scalar]], places: Sequence[int], units: Sequence[Fraction]) -> tuple[int, int]:
    """Where to solve which row: for a number that is not small where there is one, else for anything."""
    sizes = [
        {place: abs(float(entry.constant / units[place])) for place, entry in row.items() if entry.constant is not None}
        for row in rows
    ]
    for place in places:
        for index, own in enumerate(sizes):
            if place in own and own[place] >= _CLEAR * max(own.values()):
                return place, index
    return next((place, index) for place in places for index, row in enumerate(rows) if place in row)


def _without(row: dict[int, Scalar], other: Mapping[int, Scalar], place: int, *, exactly: bool) -> dict[int, Scalar]:
    factor = row.get(place)
    if factor is None:
        return row
    found = dict(row)
    add_to(found, other, -factor, exactly=exactly)
    found.pop(place, None)
    return found


def tidy(entry: Scalar) -> Scalar:
    """Zero where the value is zero for all values of its symbols."""
    if entry and entry.constant is None and is_zero(entry.graph, entry.ref):
        return Scalar(entry.graph, 0)
    return entry


def add_to(form: dict[int, Scalar], other: Combination, factor: Scalar, *, exactly: bool = True) -> bool:
    """Adds a multiple of one sum to another.

    Where that need not be exact, long fractions become doubles; returns whether any did.
    """
    rounded = False
    for column, coefficient in other.items():
        total = tidy(form.get(column, 0 * coefficient) + factor * coefficient)
        if not exactly and is_long(total):
            total, rounded = constant(total.graph, float(total.constant or 0)), True
        if total:
            form[column] = total
        else:
            form.pop(column, None)
    return rounded


def is_long(entry: Scalar) -> bool:
    """Whether a number has more digits than anyone measures, so that sums of such numbers grow without end."""
    return entry.constant is not None and entry.constant.denominator.bit_length() > _LONG


def grouped_forms(mechanism: Mechanism, count: int, changes: Sequence[Unseen]) -> tuple[list[dict[int, Scalar]], bool]:
    """What each column's parameter stands for once those solved for are nothing, as sums of parameters.

    Args:
        mechanism: in whose graph the coefficients are.
        count: number of columns.
        changes: one that solves for a column stands before all in which that column is no more.

    Returns:
        The sums by column, and whether any of their numbers had to be rounded.
    """
    one, rounded = constant(mechanism.graph, 1), False
    forms: list[dict[int, Scalar]] = [{column: one} for column in range(count)]
    for change in changes:
        taken = forms[change.column]
        for column, coefficient in change.others.items():
            rounded |= add_to(forms[column], taken, -coefficient, exactly=False)
        forms[change.column] = {}
    return forms, rounded

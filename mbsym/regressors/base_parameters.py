"""The base parameters of a mechanism: the fewest sums of standard parameters that its forces depend on.

First every joint of the tree hands on to its parent what it cannot tell apart (``invariants``); coefficients are
expressions of the geometry. What is left is decided over GF(p): the regressor of the remaining columns at random
points, stacked, has a rank that is proved by its pivots; columns that follow from others there, since bodies near the
base move little, are grouped with short fractions, which are checked at further points. With closed loops the regressor
is projected on the motions that these leave, at closed configurations, and relations are numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from mbsym.doors import Array, one_thread
from mbsym.doors import numpy as np
from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.model.inertial_parameters import INERTIAL_NAMES
from mbsym.model.own_units import power_of_thousand
from mbsym.regressors.columns import Column, force_columns
from mbsym.regressors.grouping import (
    SOLVED_FOR,
    Unseen,
    add_to,
    first_columns,
    grouped_forms,
    handed_on,
    inertia_of,
    moved,
    placed,
    solved,
)
from mbsym.regressors.invariants import invariants, solved_places
from mbsym.regressors.parameters import StandardParameter, parameter_units, standard_parameters
from mbsym.regressors.sampled import Rows, dependencies, is_deficient, loop_rows, own_units, random_rows
from mbsym.symbolic.field_matrix import Echelon, rational
from mbsym.symbolic.finite_field import PRIME, Sampler, prepare, signed
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.values.numbers import evaluate_reference, parameter_values

_CHECKS: Final = 2
_SHORT: Final = 1000
_ROUNDING: Final = 1e-11

PROVED: Final = "GF(p)"
CLOSED_LOOPS: Final = "closed loops"


@dataclass(frozen=True, slots=True)
class BaseParameter:
    """A sum of standard parameters that can be identified, which its first one stands for.

    Attributes:
        name: of the first, with _R behind it where others are grouped with it.
        unit: SI.
        column: of the first in the regressor.
        terms: coefficients of all of them by column; that of the first is one.
    """

    name: str
    unit: str
    column: int
    terms: Mapping[int, Scalar]


@dataclass(frozen=True, slots=True, repr=False)
class BaseParameters:
    """What can be identified of a mechanism.

    Attributes:
        mechanism: in whose graph coefficients are.
        columns: its standard parameters.
        base: the base parameters; as many as the rank of the regressor.
        without_effect: standard parameters that no force depends on, by column.
        points: random points at which the rank was reached, or rows of which it is.
        how: PROVED where the rank is that over GF(p), CLOSED_LOOPS where it is that of floating-point numbers.
        gap: of closed loops: what the least independent column leaves of its length beside those before it, and the
            most that a dependent one does.
        exact: False where coefficients are rounded.
        blurred: how many more there are exactly, told apart by no more than the rounding of the model's numbers.
    """

    mechanism: Mechanism
    columns: tuple[StandardParameter, ...]
    base: tuple[BaseParameter, ...]
    without_effect: tuple[int, ...]
    points: int
    how: str
    gap: tuple[float, float] = (1.0, 0.0)
    exact: bool = True
    blurred: int = 0

    def __repr__(self) -> str:
        name = self.mechanism.model.name
        return f"<BaseParameters of {name!r}: {len(self.base)} of {len(self.columns)} parameters, {self.how}>"

    def __len__(self) -> int:
        return len(self.base)

    def matrix(self, parameters: Mapping[str, float] | None = None) -> Array:
        """B with base = B pi, (nbase, np), at the given values of the model's run-time parameters or at its own."""
        graph = self.mechanism.graph
        numbers = {**parameter_values(self.mechanism.model), **(parameters or {})}
        found = np.zeros((len(self.base), len(self.columns)))
        for row, item in enumerate(self.base):
            for column, coefficient in item.terms.items():
                found[row, column] = evaluate_reference(graph, coefficient.ref, numbers)
        return found

    def values(self) -> Array:
        """Of the base parameters in the model, (nbase,)."""
        return np.asarray(self.matrix() @ np.array([item.value for item in self.columns]))


@one_thread()
def base_parameters_of(mechanism: Mechanism, loops: LoopAnalysis | None = None) -> BaseParameters:
    """Of a tree, or with loops of a mechanism whose loops stay closed.

    Raises:
        DerivationError: their number cannot be decided.
    """
    columns = standard_parameters(mechanism.model)
    first, units = first_columns(columns), parameter_units(mechanism.model, own_units(mechanism.model))
    unseen = {body.name: invariants(mechanism, body) for body in mechanism.bodies}
    given = [
        change
        for body in reversed(mechanism.bodies)
        for change in handed_on(mechanism, body, unseen[body.name], first, units)
    ]
    inside = {first[name] + place for name, tens in unseen.items() for place in solved_places(tens)}
    found = _relations(mechanism, columns, units, inside, loops)
    rest = _in_user_frames(mechanism, columns, units, found, given)
    require_unseen(mechanism, (*given, *rest) if found.exact else given)
    changes = (*given, *rest)
    forms, rounded = grouped_forms(mechanism, len(columns), changes)
    kept = set(range(len(columns))).difference(change.column for change in changes)
    base = tuple(
        BaseParameter(
            f"{columns[place].name}_R" if len(forms[place]) > 1 else columns[place].name,
            columns[place].unit,
            place,
            {place: forms[place][place], **{k: forms[place][k] for k in sorted(forms[place]) if k != place}},
        )
        for place in sorted(kept)
    )
    seen = {column for item in base for column in item.terms}
    silent = tuple(place for place in range(len(columns)) if place not in seen)
    exact = found.exact and not rounded
    return BaseParameters(mechanism, columns, base, silent, found.points, found.how, found.gap, exact, found.blurred)


@dataclass(frozen=True, slots=True)
class _Relations:
    """Changes of columns in internal frames that nothing shows; how they were found, as in ``BaseParameters``."""

    changes: tuple[Mapping[int, Fraction], ...]
    points: int
    how: str
    gap: tuple[float, float] = (1.0, 0.0)
    exact: bool = True
    blurred: int = 0


def _relations(
    mechanism: Mechanism,
    columns: Sequence[StandardParameter],
    units: Sequence[Fraction],
    solved_for: Collection[int],
    loops: LoopAnalysis | None,
) -> _Relations:
    """What is left of the columns that are not solved for."""
    entries = force_columns(mechanism, internal=True)
    kept = _order(mechanism, columns, [place for place in range(len(columns)) if place not in solved_for])
    if loops is not None and loops.rows:
        rows = loop_rows(mechanism, loops, [entries[place] for place in kept])
        changes, gap = _numbers(_OwnColumns.of(columns, units, kept, rows))
        return _Relations(changes, len(rows.matrix), CLOSED_LOOPS, gap, exact=False)
    points = _Points(mechanism, {place: entries[place] for place in kept})
    echelon, used = _reduced(mechanism, kept, points)
    own = _OwnColumns.of(columns, units, kept, random_rows(mechanism, [entries[place] for place in kept]))
    if is_deficient(own.matrix(echelon.pivots)):
        # Independent but for rounding of the model's numbers, such as axes that are parallel to 1e-7.
        changes, gap = _numbers(own)
        blurred = echelon.rank - (len(kept) - len(changes))
        return _Relations(changes, used, PROVED, gap, exact=False, blurred=blurred)
    independent = set(echelon.pivots)
    exact = True
    made: list[Mapping[int, Fraction]] = []
    for place in kept:
        if place not in independent:
            residues = echelon.combination(place)
            numbers = {other: rational(residue) for other, residue in residues.items()}
            short = {other: -number for other, number in numbers.items() if number is not None}
            if len(short) < len(numbers):
                # Which columns it has is known.
                known = [other for other in kept if other in residues]
                measured = np.linalg.lstsq(own.matrix(known), own.matrix([place])[:, 0], rcond=None)[0].tolist()
                made.append(own.change(place, dict(zip(known, measured, strict=True))))
                exact = False
            else:
                made.append({place: Fraction(1), **short})
    return _Relations(tuple(made), used, PROVED, exact=exact)


@dataclass(frozen=True, slots=True)
class _OwnColumns:
    """Columns of a regressor in floating point, in the mechanism's own units.

    Attributes:
        kept: their places.
        rows: in SI.
        units: of their parameters in SI, by place.
    """

    kept: Sequence[int]
    rows: Array
    units: Mapping[int, Fraction]

    @classmethod
    def of(
        cls, columns: Sequence[StandardParameter], units: Sequence[Fraction], kept: Sequence[int], rows: Rows
    ) -> _OwnColumns:
        # The share of a force that counts as a whole has no unit; it is measured by that force.
        own = {
            place: 1 / power_of_thousand(float(size)) if columns[place].kind == "share" else units[place]
            for place, size in zip(kept, rows.largest, strict=True)
        }
        return cls(kept, rows.matrix, own)

    def matrix(self, places: Collection[int]) -> Array:
        """Some of them, in the order of all."""
        chosen = [k for k, place in enumerate(self.kept) if place in set(places)]
        return np.asarray(self.rows[:, chosen] * [float(self.units[self.kept[k]]) for k in chosen])

    def change(self, place: int, others: Mapping[int, float]) -> dict[int, Fraction]:
        """The change of parameters in SI that nothing shows, from how a column follows from others."""
        own = {other: -_short(value) * self.units[other] / self.units[place] for other, value in others.items()}
        return {place: Fraction(1), **own}


def _numbers(own: _OwnColumns) -> tuple[tuple[Mapping[int, Fraction], ...], tuple[float, float]]:
    """Relations of columns in floating point, and how far apart those are that count and those that do not."""
    found = dependencies(own.matrix(own.kept), range(len(own.kept)))
    changes = (
        own.change(own.kept[place], {own.kept[other]: value for other, value in relation.items()})
        for place, relation in found.relations.items()
    )
    return tuple(changes), found.gap


def _reduced(mechanism: Mechanism, kept: Sequence[int], points: _Points) -> tuple[Echelon, int]:
    """Rows of the regressor at random points in echelon form, and how many points it took.

    A row at a random point that follows from those before says, up to chances of 1e-17, that this row does so
    everywhere: so each row is asked until it adds nothing, outer joints first, whose rows are short.
    """
    echelon, used = Echelon(kept), 0
    for row in reversed(mechanism.columns_by_label):
        point = 0
        while echelon.rank < len(kept) and echelon.add(points.row(point, row)):
            point += 1
        used = max(used, point)
    return echelon, used


def _short(value: float) -> Fraction:
    """The fraction that a measured number is meant to be, where there is a short one, else the number in few digits."""
    near = Fraction(value).limit_denominator(_SHORT)
    return near if abs(float(near) - value) < _ROUNDING * abs(value) else Fraction(f"{value:.12g}")


def _in_user_frames(
    mechanism: Mechanism,
    columns: Sequence[StandardParameter],
    units: Sequence[Fraction],
    found: _Relations,
    given: Sequence[Unseen],
) -> tuple[Unseen, ...]:
    """Changes of columns in internal frames as changes of the user's, without the columns that are solved for."""
    first = first_columns(columns)
    bodies = {body.name: body for body in mechanism.bodies}
    rows = []
    for change in found.changes:
        row: dict[int, Scalar] = {}
        for owner in dict.fromkeys(columns[place].owner for place in change if columns[place].kind == "inertial"):
            ten = tuple(change.get(first[owner] + k, Fraction(0)) for k in range(10))
            row |= placed(moved(inertia_of(mechanism, ten), bodies[owner].user_frame), first[owner])
        row |= {
            place: constant(mechanism.graph, number)
            for place, number in change.items()
            if columns[place].kind != "inertial"
        }
        for other in given:
            if other.column in row:
                add_to(row, other.others, -row.pop(other.column), exactly=found.exact)
        rows.append(row)
    return solved(rows, _superfluous(mechanism, columns), units, exactly=found.exact)


def _superfluous(mechanism: Mechanism, columns: Sequence[StandardParameter]) -> list[int]:
    """Columns in the order in which they are solved for: rotors and forces, then bodies from the base."""
    label = {body.name: body.label for body in mechanism.bodies}
    rank = {key: place for place, key in enumerate(INERTIAL_NAMES[k] for k in SOLVED_FOR)}
    return sorted(
        range(len(columns)),
        key=lambda place: (
            columns[place].kind == "inertial",
            label.get(columns[place].owner, 0),
            rank.get(columns[place].key, 0),
            -place,
        ),
    )


def require_unseen(mechanism: Mechanism, changes: Sequence[Unseen]) -> None:
    """Checks that no force shows the changes, at points of the field that they were not made from.

    Raises:
        DerivationError: one is seen.
    """
    entries = force_columns(mechanism)
    more = [entry for change in changes for entry in change.others.values()]
    points = _Points(mechanism, dict(enumerate(entries)), more)
    for point in range(_CHECKS):
        values, columns = points.at(point, seed=13)
        for change in changes:
            total = dict(columns[change.column])
            for other, coefficient in change.others.items():
                for row, entry in columns[other].items():
                    total[row] = (total.get(row, 0) + signed(values, coefficient.ref) * entry) % PRIME
            if any(total.values()):
                raise DerivationError(
                    "a change of parameters that no motion should show is seen", where=mechanism.model.name
                )


def _order(mechanism: Mechanism, columns: Sequence[StandardParameter], kept: Sequence[int]) -> list[int]:
    """The outermost bodies first, so that rows of outer joints are short; rotors and forces behind all bodies."""
    depth = {body.name: -body.label for body in mechanism.bodies}
    return sorted(
        kept, key=lambda place: (columns[place].kind != "inertial", depth.get(columns[place].owner, 0), place)
    )


class _Points:
    """Entries of a regressor at random points of the field."""

    def __init__(self, mechanism: Mechanism, entries: Mapping[int, Column], more: Sequence[Scalar] = ()) -> None:
        """Everything is evaluated together.

        Args:
            mechanism: in whose graph all of it is.
            entries: columns by place.
            more: other values.
        """
        refs = tuple(entry.ref for entry in (*(x for column in entries.values() for x in column.values()), *more))
        inputs = (mechanism.q, mechanism.v, mechanism.vdot, *mechanism.extra_inputs)
        output = Output("entries", (len(refs),), refs)
        program = Program("stacked", mechanism.graph, inputs, (output,), mechanism.parameters)
        self._entries = entries
        self._sampler: Sampler = prepare((program,))
        self._known: dict[int, dict[int, dict[int, int]]] = {}

    def row(self, point: int, row: int) -> dict[int, int]:
        """One row at one point."""
        if point not in self._known:
            rows: dict[int, dict[int, int]] = {}
            for place, column in self.at(point)[1].items():
                for each, entry in column.items():
                    rows.setdefault(each, {})[place] = entry
            self._known[point] = rows
        return self._known[point].get(row, {})

    def at(self, point: int, seed: int = 11) -> tuple[Mapping[int, int], dict[int, dict[int, int]]]:
        """Values of all nodes, and the columns."""
        values = self._sampler.evaluate(seed, point)[0]
        return values, {
            place: {row: signed(values, entry.ref) for row, entry in column.items()}
            for place, column in self._entries.items()
        }

"""Regressors at states in floating point: random ones, and motions that closed loops leave, projected on these.

States and forces are in the mechanism's own units: so what is drawn, and what counts as small, is the same whatever its
size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import hypot, log10, sqrt
from typing import Final

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.errors import DerivationError
from mbsym.kinematics.initial_coordinates import normalised
from mbsym.kinematics.measures import Measures, measures_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.closing import ClosingProblem, close, closing_problem
from mbsym.loops.generic_rank import rank_of
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.model.names import TIME
from mbsym.model.own_units import Units, own_length
from mbsym.model.system import Model
from mbsym.regressors.columns import Column, dense
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import evaluate, parameter_values

_MORE: Final = 2.0
"""Rows in terms of columns."""

_FEWEST: Final = 24
_TRIALS: Final = 2000
_STEP: Final = 0.12
_STEPS: Final = 5
"""Length of a step along the free motions, and steps from one configuration to the next [rad, own unit of length]."""

_ORDINARY: Final = 10.0
"""Gravity [m/s^2] by which bodies of a metre are measured in seconds."""

_ASIDE: Final = 0.5
"""Part of a step by which closing may move: what moves farther is another branch."""

_SPEEDS_EACH: Final = 3
"""Motions tried in each configuration."""

_CLEAR: Final = (1e-2, 1e-4, 1e-6, 1e-8)
"""Parts of a column that columns before it leave, above which it counts, the first ones first."""

_DEPENDENT: Final = _CLEAR[-1]
"""Part of a column that columns before it leave unexplained, below which it follows from them. States close their loops
to some 1e-12; parameters that matter by less than this cannot be identified from any data."""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Which columns follow from others.

    Attributes:
        pivots: places of those that do not.
        relations: for the others, coefficients by pivot.
        gap: what the least independent column leaves of its length beside those before it, and the most that a
            dependent one does.
    """

    pivots: tuple[int, ...]
    relations: Mapping[int, Mapping[int, float]]
    gap: tuple[float, float]


def sampled_program(mechanism: Mechanism, columns: Sequence[Column], more: Sequence[Output] = ()) -> Program:
    """Y (nv, columns) and other outputs at q, v, vdot and, where the model has them, t and u."""
    refs = tuple(entry.ref for row in dense(mechanism, columns) for entry in row)
    inputs = (mechanism.q, mechanism.v, mechanism.vdot, *mechanism.extra_inputs)
    outputs = (Output("Y", (mechanism.nv, len(columns)), refs), *more)
    return Program("sampled", mechanism.graph, inputs, outputs, mechanism.parameters)


@dataclass(frozen=True, slots=True)
class _States:
    """States of a mechanism in its own units.

    Attributes:
        mechanism: of any tree.
        units: its own.
        measures: of the entries of q and v.
    """

    mechanism: Mechanism
    units: Units
    measures: Measures

    @classmethod
    def of(cls, mechanism: Mechanism) -> _States:
        units = own_units(mechanism.model)
        return cls(mechanism, units, measures_of(mechanism, float(units.length)))

    def motion(self, v: Array, vdot: Array) -> tuple[Array, Array]:
        """Speeds and their rates in SI."""
        time, increments = float(self.units.time), self.measures.increments
        return v * increments / time, vdot * increments / time**2

    def others(self, generator: np.random.Generator) -> list[Array]:
        """Time and inputs in SI."""
        times = {TIME: float(self.units.time)}
        inputs = self.mechanism.extra_inputs
        return [generator.uniform(-1, 1, item.shape) * times.get(item.name, 1.0) for item in inputs]

    def forces(self, Y: Array) -> Array:
        """Rows of a regressor, of own forces along own speeds."""
        return Y * (self.measures.increments / float(self.units.energy))[:, None]


def own_units(model: Model) -> Units:
    """A mechanism's own units: powers of ten of its length and of its bodies' mean mass, and the time of a fall."""
    numbers, length = parameter_values(model), _power_of_ten(own_length(model))
    masses = [found for body in model.bodies if (found := evaluate(body.mass, numbers)) > 0.0]
    gravity = hypot(*(evaluate(value, numbers) for value in model.gravity)) or _ORDINARY
    mass = _power_of_ten(sum(masses) / len(masses)) if masses else Fraction(1)
    return Units(length, mass, Fraction(f"{sqrt(length / gravity * _ORDINARY):.2g}"))


def _power_of_ten(size: float) -> Fraction:
    return Fraction(10) ** round(log10(size))


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a regressor at states.

    Attributes:
        matrix: them (m, columns), each column per one SI unit of its parameter.
        largest: size of the entries of each column before loops were closed (columns,).
    """

    matrix: Array
    largest: Array

    @classmethod
    def of(cls, parts: Sequence[Array], whole: Sequence[Array]) -> Rows:
        return cls(np.concatenate(parts), np.abs(whole).max(axis=(0, 1)))


def random_rows(mechanism: Mechanism, columns: Sequence[Column]) -> Rows:
    """Rows of the regressor of a tree at random states in which its entries are numbers.

    Raises:
        DerivationError: there are too few such states.
    """
    if not mechanism.nv:
        return Rows(np.zeros((0, len(columns))), np.zeros(len(columns)))
    generator = np.random.default_rng(3)
    evaluator, states = Evaluator(sampled_program(mechanism, columns)), _States.of(mechanism)
    rows: list[Array] = []
    wanted = int(_MORE * len(columns)) + _FEWEST
    for _ in range(_TRIALS + 4 * wanted):
        q = normalised(generator.uniform(-1.5, 1.5, mechanism.nq), mechanism.q.quaternions)
        motion = states.motion(*generator.uniform(-2, 2, (2, mechanism.nv)))
        with np.errstate(all="ignore"):
            found = evaluator(q * states.measures.coordinates, *motion, *states.others(generator))["Y"]
        if np.isfinite(found).all():
            rows.append(states.forces(found))
        if sum(map(len, rows)) >= wanted:
            return Rows.of(rows, rows)
    raise DerivationError(
        "too few random states are within the domain of the force laws to tell which parameters matter",
        where=mechanism.model.name,
        remedy="name the functions that are wanted, without base_regressor",
    )


def loop_rows(mechanism: Mechanism, loops: LoopAnalysis, columns: Sequence[Column]) -> Rows:
    """Rows of the regressor along the motions that closed loops leave.

    Raises:
        DerivationError: too few closed configurations were found.
    """
    generator = np.random.default_rng(3)
    rows = [row for closure in loops.closures for row in closure.rows]
    zero = Scalar(mechanism.graph, 0)
    entries = tuple(row.jacobian.get(column, zero).ref for row in rows for column in range(mechanism.nv))
    jacobian = Output("G", (len(rows), mechanism.nv), entries)
    bias = Output("gamma", (len(rows),), tuple(row.bias.ref for row in rows))
    evaluator, states = Evaluator(sampled_program(mechanism, columns, (jacobian, bias))), _States.of(mechanism)
    problem = closing_problem(mechanism, loops.closures, length=float(states.units.length))
    still, acceleration = np.zeros(mechanism.nv), problem.rows / float(states.units.time) ** 2
    found: list[Array] = []
    whole: list[Array] = []
    rank = mechanism.nv - loops.mobility
    configurations = _configurations(problem, np.array(loops.configuration), loops.places, generator)
    while sum(map(len, found)) < _MORE * len(columns) + _FEWEST:
        q = next(configurations, None)
        if q is None:
            raise DerivationError(
                "too few configurations close the loops to tell which parameters matter", where=mechanism.model.name
            )
        others = states.others(generator)
        G = problem.matrix(evaluator(q, still, still, *others)["G"])
        if rank_of(G) != rank:
            continue
        free = np.linalg.svd(G)[2][rank:].T
        for _ in range(_SPEEDS_EACH):
            v = free @ generator.uniform(-2, 2, loops.mobility)
            gamma = evaluator(q, states.motion(v, still)[0], still, *others)["gamma"] / acceleration
            vdot = free @ generator.uniform(-2, 2, loops.mobility) + np.linalg.lstsq(G, gamma, rcond=1e-9)[0]
            whole.append(states.forces(evaluator(q, *states.motion(v, vdot), *others)["Y"]))
            found.append(free.T @ whole[-1])
    return Rows.of(found, whole)


def _configurations(
    problem: ClosingProblem, start: Array, places: int, generator: np.random.Generator
) -> Iterator[Array]:
    """Closed configurations along a walk by short steps, which stays on the branch of assembly that it starts on."""
    q = start
    for _ in range(_TRIALS):
        way = generator.normal(size=problem.nv)
        for _ in range(_STEPS):
            null = np.linalg.svd(problem.gap(q)[1])[2][problem.nv - places :]
            step = null.T @ (null @ way)
            step *= _STEP / max(float(np.linalg.norm(step)), 1e-12)
            gone = problem.move(q.copy(), step)
            closing = close(problem, gone)
            if not closing.closed or problem.apart(closing.q, gone) > _ASIDE * _STEP:
                break
            q = closing.q
        else:
            yield q


def is_deficient(rows: Array) -> bool:
    """Whether some column follows from others, up to what cannot be measured."""
    sizes = np.linalg.norm(rows, axis=0)
    if not len(sizes) or sizes.min() <= _DEPENDENT * sizes.max():
        return bool(len(sizes))
    values = np.linalg.svd(rows / sizes, compute_uv=False)
    return bool(values[-1] < _DEPENDENT * values[0])


def dependencies(rows: Array, order: Sequence[int]) -> Dependencies:
    """Columns that follow from others, those that come first in the order being kept first."""
    sizes = np.linalg.norm(rows, axis=0)
    largest = float(sizes.max(initial=0.0))
    scaled = rows / np.where(sizes > _DEPENDENT * largest, sizes, np.inf)
    rest, basis = scaled.copy(), np.zeros((len(rows), 0))
    pivots: list[int] = []
    smallest = 1.0
    # Columns that stand clear come first: what is left beside nearly parallel ones is noise magnified.
    for least in _CLEAR:
        for place in order:
            own = rest[:, place] - basis @ (basis.T @ rest[:, place])
            size = float(np.linalg.norm(own))
            if size > least and place not in pivots:
                own /= size
                rest -= np.outer(own, own @ rest)
                basis = np.column_stack([basis, own])
                smallest = min(smallest, size)
                pivots.append(place)
    others = [place for place in order if place not in set(pivots)]
    leftover = float(np.linalg.norm(rest[:, others], axis=0).max(initial=0.0))
    shares = (
        np.linalg.lstsq(scaled[:, pivots], scaled[:, others], rcond=None)[0] if pivots else np.zeros((0, len(others)))
    )
    relations = {
        place: {
            pivot: float(share * sizes[place] / sizes[pivot])
            for pivot, share in zip(pivots, column, strict=True)
            if abs(share) > _DEPENDENT
        }
        for place, column in zip(others, shares.T, strict=True)
    }
    return Dependencies(tuple(pivots), relations, (smallest, leftover))

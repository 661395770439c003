"""Regressors at states in floating point: random ones, and motions that closed loops leave, projected on these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mbsym.doors import numpy as np
from mbsym.errors import DerivationError
from mbsym.kinematics.initial_coordinates import normalised
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.closing import ClosingProblem, close, closing_problem
from mbsym.loops.generic_rank import rank_of
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.regressors.columns import Column
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

_MORE: Final = 2.0
"""Rows in terms of columns."""

_FEWEST: Final = 24
_TRIALS: Final = 2000
_STEP: Final = 0.12
_STEPS: Final = 5
"""Length of a step along the free motions, and steps from one configuration to the next [rad, m]."""

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
    zero = Scalar(mechanism.graph, 0)
    refs = tuple(column.get(row, zero).ref for row in range(mechanism.nv) for column in columns)
    inputs = (mechanism.q, mechanism.v, mechanism.vdot, *mechanism.extra_inputs)
    outputs = (Output("Y", (mechanism.nv, len(columns)), refs), *more)
    return Program("sampled", mechanism.graph, inputs, outputs, mechanism.parameters)


def random_rows(mechanism: Mechanism, columns: Sequence[Column]) -> Array:
    """Rows of the regressor of a tree at random states in which its entries are numbers.

    Raises:
        DerivationError: there are too few such states.
    """
    if not mechanism.nv:
        return np.zeros((0, len(columns)))
    generator = np.random.default_rng(3)
    evaluator = Evaluator(sampled_program(mechanism, columns))
    rows: list[Array] = []
    wanted = int(_MORE * len(columns)) + _FEWEST
    for _ in range(_TRIALS + 4 * wanted):
        q = normalised(generator.uniform(-1.5, 1.5, mechanism.nq), mechanism.q.quaternions)
        v, vdot = generator.uniform(-2, 2, (2, mechanism.nv))
        with np.errstate(all="ignore"):
            found = evaluator(q, v, vdot, *_others(mechanism, generator))["Y"]
        if np.isfinite(found).all():
            rows.append(found)
        if sum(map(len, rows)) >= wanted:
            return np.concatenate(rows)
    raise DerivationError(
        "too few random states are within the domain of the force laws to tell which parameters matter",
        where=mechanism.model.name,
        remedy="name the functions that are wanted, without base_regressor",
    )


def loop_rows(mechanism: Mechanism, loops: LoopAnalysis, columns: Sequence[Column]) -> Array:
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
    evaluator = Evaluator(sampled_program(mechanism, columns, (jacobian, bias)))
    problem = closing_problem(mechanism, loops.closures)
    still = np.zeros(mechanism.nv)
    found: list[Array] = []
    rank = mechanism.nv - loops.mobility
    configurations = _configurations(problem, np.array(loops.configuration), loops.mobility, generator)
    while sum(map(len, found)) < _MORE * len(columns) + _FEWEST:
        q = next(configurations, None)
        if q is None:
            raise DerivationError(
                "too few configurations close the loops to tell which parameters matter", where=mechanism.model.name
            )
        others = _others(mechanism, generator)
        G = evaluator(q, still, still, *others)["G"]
        if rank_of(G) != rank:
            continue
        free = np.linalg.svd(G)[2][rank:].T
        for _ in range(_SPEEDS_EACH):
            v = free @ generator.uniform(-2, 2, loops.mobility)
            gamma = evaluator(q, v, still, *others)["gamma"]
            vdot = free @ generator.uniform(-2, 2, loops.mobility) + np.linalg.lstsq(G, gamma, rcond=1e-9)[0]
            found.append(free.T @ evaluator(q, v, vdot, *others)["Y"])
    return np.concatenate(found)


def _others(mechanism: Mechanism, generator: np.random.Generator) -> list[Array]:
    """Time and inputs."""
    return [generator.uniform(-1, 1, item.shape) for item in mechanism.extra_inputs]


def _configurations(
    problem: ClosingProblem, start: Array, mobility: int, generator: np.random.Generator
) -> Iterator[Array]:
    """Closed configurations along a walk by short steps, which stays on the branch of assembly that it starts on."""
    q = start
    for _ in range(_TRIALS):
        way = generator.normal(size=problem.nv)
        for _ in range(_STEPS):
            null = np.linalg.svd(problem.gap(q)[1])[2][problem.nv - mobility :]
            step = null.T @ (null @ way)
            step *= _STEP / max(float(np.linalg.norm(step)), 1e-12)
            gone = problem.move(q.copy(), step)
            closing = close(problem, gone)
            if not closing.closed or float(np.linalg.norm(closing.q - gone)) > _ASIDE * _STEP:
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

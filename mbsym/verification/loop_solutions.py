"""What texts that solve closed loops must find: the module's own terms, solved by singular values.

Rows may depend on others, and multipliers are of least norm then; where rounding decides of ranks nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mbsym.codegen.statuses import Status
from mbsym.doors import Array
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Output
from mbsym.verification.anew import Anew
from mbsym.verification.conditions import BRANCHING, conditions_of
from mbsym.verification.far_states import States, precision
from mbsym.verification.text_checks import JITTER, Rounding, are_numbers, as_double, shaken

PIVOTS: Final = 32.0
"""Factor around the bound of dependent rows within which nothing is said of ranks: the texts decide by pivots, which
differ from singular values by as much as there are rows."""

FAINT: Final = 1e-12
"""Size of a closure row over that of the largest below which it is what rounding left of zero."""


@dataclass(frozen=True, slots=True)
class Solved:
    """vdot, lambda and whatever follows, by name, and the status, of a batch of states."""

    results: Mapping[str, Array]
    status: Array


def terms_of(name: str) -> str:
    """The function whose results are the terms of one that solves for multipliers."""
    return "velocity_correction" if name == "project_velocity" else "constrained_terms"


@dataclass(frozen=True, slots=True)
class Term:
    """What a function returns at a batch of states: no numbers where guards say so, and where these are in doubt."""

    results: dict[str, Array]
    doubtful: Array


def guarded(anew: Anew, name: str, states: States, rounded: Rounding | None = None) -> Term:
    """Results of a function by name, in double precision; ``rounded`` is what each operation gives."""
    program = anew.programs[name]
    guards = [
        condition
        for condition in conditions_of(program, anew.functions[name].guards, anew.single)
        if condition.kind not in BRANCHING
    ]
    seen = Output("what guards look at", (len(guards),), tuple(guard.value for guard in guards))
    found = interpret(
        replace(program, outputs=(*program.outputs, seen)), {item.name: states[item.name] for item in program.inputs},
        None, rounded,
    )  # fmt: skip
    results = {key: as_double(array).copy() for key, array in found.items()}
    values = results.pop(seen.name)
    doubtful = np.zeros(len(values), dtype=bool)
    for place, guard in enumerate(guards):
        doubtful |= guard.is_doubtful(values[:, place], np.zeros(len(values)))
        for array in results.values():
            array[~guard.is_above(values[:, place])] = np.nan
    if guards:
        # What has guards takes no arguments that are no numbers either.
        given = are_numbers(*(states[item.name] for item in program.inputs))
        for array in results.values():
            array[~given] = np.nan
    return Term(results, doubtful)


class Terms:
    """Results of the module's Programs, each made once for states that several functions are asked at.

    Attributes:
        anew: the module, derived again.
        epsilon: of the code's numbers.
    """

    def __init__(self, anew: Anew) -> None:
        self.anew, self.epsilon = anew, float(precision(anew.single).eps)
        self._made: dict[tuple[object, ...], tuple[States, Term]] = {}

    def run(self, name: str, states: States, rng: np.random.Generator | None) -> Term:
        """Results of a function, each of its operations a rounding off where there is what draws them."""
        given = {item.name: states[item.name] for item in self.anew.programs[name].inputs}
        key = (name, *map(id, given.values()))
        if key not in self._made:
            self._made[key] = given, guarded(self.anew, name, given, None if rng is None else shaken(self.epsilon, rng))
        return self._made[key][1]


def solution(made: Terms, name: str, states: States, rng: np.random.Generator | None = None) -> Solved:
    """vdot = free + response lambda with delassus lambda = right, of least norm in rows of equal size.

    Args:
        made: results of the module's Programs.
        name: of the function.
        states: its arguments.
        rng: moves terms and multipliers by as much as rounding may, if it is given.
    """
    anew = made.anew
    with np.errstate(all="ignore"):
        terms = made.run(terms_of(name), states, rng).results
        weighted, inverses = terms["weighted"], terms["inverses"]
        if name == "project_velocity":
            right = np.einsum("nij,nj->ni", terms["G"], states["v"])
        else:
            right = terms["right"].copy()
        if "gains" in states:
            rows = made.run("constraint_jacobian", states, rng).results["G"]
            residual = made.run("constraint_residual", states, rng).results["residual"]
            alpha, beta = states["gains"][:, :1], states["gains"][:, 1:]
            right -= 2 * alpha * np.einsum("nij,nj->ni", rows, states["v"]) + beta**2 * residual
        matrix = np.sqrt(np.abs(inverses))[:, :, None] * weighted
        multipliers, rank, doubtful = least(matrix, terms["delassus"], right, made.epsilon, rng)
        moved = np.einsum("nij,nj->ni", terms["response"], multipliers)
        if name == "project_velocity":
            results = {anew.functions[name].arguments[-1].name: states["v"] - moved}
        else:
            opened = anew.programs[terms_of(name)].outputs[0].name  # vdot with open loops
            results = {"vdot": terms[opened] + moved, "lambda": multipliers, "rank": rank.astype(float)}
        solved = are_numbers(*(array for key, array in results.items() if key != "rank"))
        if name == "joint_wrenches":
            wrenches = made.run("constrained_wrenches", {**states, **results}, rng)
            results, doubtful = wrenches.results, doubtful | wrenches.doubtful
        elif name == "driving_forces":
            asked = made.run("forces_of_motions", {**states, **results}, rng)
            results, doubtful = asked.results, doubtful | asked.doubtful
        elif name == "constrained_dynamics_derivatives":
            term = made.run("constrained_derivative_terms", {**states, **results}, rng)
            held, results, doubtful = term.results, {}, doubtful | term.doubtful
            for by, free, right in (
                ("q", held["free_dq"], held["right_dq"]),
                ("v", held["free_dv"], held["right_dv"]),
                ("tau", held["M_inverse"], -np.swapaxes(terms["response"], -1, -2)),
            ):
                pull = least(matrix, terms["delassus"], right, made.epsilon, rng)[0]
                results |= {f"dlambda_d{by}": pull, f"dvdot_d{by}": free + terms["response"] @ pull}
    status = np.where(rank < right.shape[1], int(Status.SINGULAR), int(Status.OK))
    status[~solved] = Status.NOT_FINITE
    # What follows from the motion is asked for after it.
    status[(status == Status.OK) & ~are_numbers(*results.values())] = Status.NOT_FINITE
    status[doubtful] = -1
    status[~are_numbers(inverses)] = Status.SINGULAR
    if anew.functions[terms_of(name)].guards:
        # Terms that have a status of their own are no numbers where that is not OK, whatever the reason.
        status[~are_numbers(*terms.values())] = -1
    # Of a row that all but vanishes rounding decides whether it is one, and in which direction.
    sizes = np.sqrt((matrix * matrix).sum(axis=1))
    status[((sizes > 0) & (sizes < FAINT * sizes.max(axis=1, initial=0.0, keepdims=True))).any(axis=1)] = -1
    given = [states[item.name] for item in anew.functions[name].inputs if item.name in ("q", "v", "tau")]
    status[~are_numbers(*given)] = Status.NOT_FINITE
    return Solved(results, status)


def least(
    matrix: Array, product: Array, right: Array, epsilon: float, rng: np.random.Generator | None
) -> tuple[Array, Array, Array]:
    """lambda of least norm in rows of equal size with A^T A lambda = right, the rank of each A, and if it is in doubt.

    Right sides have a trailing axis of columns, or none.
    Whatever solves that errs by epsilon over the square of the smallest singular value.
    """
    found, rank = np.full_like(right, np.nan), np.zeros(len(right), dtype=int)
    doubtful = np.zeros(len(right), dtype=bool)
    usable = are_numbers(matrix, product)
    squares = np.einsum("nii->ni", product)[usable]
    scale = np.where(squares > 0, 1 / np.sqrt(np.where(squares > 0, squares, 1.0)), 0.0)
    _, values, vt = np.linalg.svd(matrix[usable] * scale[:, None], full_matrices=False)
    most = values.max(axis=1, initial=0.0, keepdims=True)
    bound = epsilon ** (2 / 3) * most
    kept = values > bound
    doubtful[usable] = ((values > bound / PIVOTS) & (values < bound * PIVOTS)).any(axis=1)
    inverse = np.where(kept, 1 / np.where(kept, values, 1.0) ** 2, 0.0)
    columns = right[usable].reshape(*right[usable].shape[:2], -1) * scale[:, :, None]
    solved = np.einsum("nki,nk,nkj,njc->nic", vt, inverse, vt, columns, optimize=True)
    if rng is not None:
        share = JITTER * epsilon * inverse.max(axis=1, initial=0.0, keepdims=True) * most**2
        size = np.abs(solved).max(axis=1, initial=0.0, keepdims=True)
        solved = solved + share[:, :, None] * size * rng.uniform(-1, 1, solved.shape)
    found[usable] = (scale[:, :, None] * solved).reshape(right[usable].shape)
    rank[usable] = kept.sum(axis=1)
    return found, rank, doubtful

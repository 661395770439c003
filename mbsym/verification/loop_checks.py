"""Checks of the texts that solve closed loops, where random closed states do not lead: open, near singular, and beyond.

What the texts solve is put together here from the module's own Programs, derived again, and solved by singular values:
rows that depend on others, multipliers of least norm, starts that cannot be closed, arguments that are no numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mbsym.codegen.statuses import Status
from mbsym.doors import Array
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Program
from mbsym.verification.anew import Anew
from mbsym.verification.checks import OWN_GAPS, OWN_SOLUTIONS, OWN_TERMS
from mbsym.verification.evidence import called
from mbsym.verification.far_states import (
    Sizes,
    States,
    far_states,
    not_finite_states,
    sized,
    with_unit_quaternions,
)
from mbsym.verification.loop_solutions import Terms, solution, terms_of
from mbsym.verification.newton import CLEARLY, Gaps, newton
from mbsym.verification.text_checks import (
    COPIES,
    JITTER,
    Texts,
    apart,
    are_numbers,
    for_precision,
    largest,
    worst_ratio,
)

DYNAMICS: Final = (
    "constrained_dynamics",
    "constrained_dynamics_report",
    "forward_dynamics",
    "stabilised_dynamics",
    "joint_wrenches",
    "driving_forces",
    "project_velocity",
    "constrained_dynamics_derivatives",
)
PROJECTIONS: Final = ("project_position", "project_position_report", "assemble")

ROUNDINGS: Final = 256.0
"""Allowance over what roundings of the arguments do to a solution: two factorisations of the same terms differ by what
each of their steps rounds, and that is magnified as the arguments' roundings are."""

BLUNT: Final = 1e-4
"""Allowance over the size of a solution from which on a state shows nothing."""

BLUNT_SINGLE: Final = 1e-1

DISTANCES: Final = (0.0, 1e-6, 1e-4, 1e-2)
"""From a singular position: at it, and where the factor that is squared no longer serves, and where it does."""

OPENINGS: Final = (0.0, 1e-9, 1e-4, 0.02, 0.3, 1.0, 3.0)
"""Sizes of motions from closed positions to starts of projections, in units of the mechanism's own size."""

STARTS: Final = 8
"""Starts of each size."""

SCALED: Final = (1.0, 1e3, 1e-6)
"""Factors of speeds and forces."""

HUGE: Final = {"double": 1e305, "float": 1e37}
"""A force that no acceleration can have a number for, where masses are small."""

SPARE_STEPS: Final = 1
"""More steps that a text may take, or fewer: rounding may decide whether a last one is needed; one more in single
precision, whose roundings are as large as what the last two take away."""


def check_loops(texts: Texts, closed: Array) -> None:
    """Notes how far solutions of closed loops and their statuses are from those of the module's own terms.

    ``closed`` are coordinates with closed loops, a row a state.
    """
    anew, sizes_of, rng = texts.anew, texts.sizes_of, np.random.default_rng(texts.seed)
    q = [item for function in anew.functions.values() for item in function.inputs if item.name == "q"]
    singular = singular_positions(anew, closed, rng, sizes_of("", q[:1]).get("q", 1.0))
    terms = Terms(anew)
    samples: dict[tuple[str, ...], list[States]] = {}
    # Squares of speeds and products of forces overflow in single precision where double precision does not show it.
    for name in DYNAMICS if not anew.single else ("project_velocity",):
        if name in anew.functions and terms_of(name) in anew.programs:
            inputs = anew.functions[name].inputs
            arguments = tuple(item.name for item in inputs)
            if arguments not in samples:
                sizes = sizes_of(name, inputs)
                states = _dynamic_states(anew, name, closed, singular, rng, sizes)
                samples[arguments] = _samples(states, terms.epsilon, sizes)
            why = "rounding decides in those that were found" if len(singular) else "none was found"
            texts.coverage.explain(name, "SINGULAR", f"of singular positions {why}")
            _check_solution(texts, terms, name, samples[arguments])
    for name in PROJECTIONS:
        if name in anew.functions and "constraint_residual" in anew.programs:
            sizes = sizes_of(name, anew.functions[name].inputs)
            starts = _starts(anew, name, closed, rng, sizes)
            _check_projection(texts, name, starts, sizes.get("q", 1.0))


# ---- solutions -------------------------------------------------------------------------------------------------------


def _dynamic_states(
    anew: Anew, name: str, closed: Array, singular: Array, rng: np.random.Generator, sizes: Sizes
) -> States:
    """Closed and open positions with ordinary, large and small loads, singular ones at rest, and no numbers."""
    arguments = anew.functions[name].inputs
    others = [item for item in arguments if item.name != "q"]
    groups = [sized(far_states(arguments, rng, anew.single), sizes), sized(not_finite_states(arguments, rng), sizes)]
    nq = closed.shape[1]
    unit = sizes.get("q", 1.0)
    near = np.concatenate([singular + distance * unit * rng.uniform(-1, 1, singular.shape) for distance in DISTANCES])
    for positions, factors in ((closed, SCALED), (near, (1.0,)), (singular, (0.0,))):
        for factor in factors:
            group = {"q": positions.reshape(-1, nq)}
            for item in others:
                # At rest the right sides of dependent rows depend alike, so that the motion is one.
                moving = factor if factor or item.name not in ("v", "gains") else 0.0
                size = (len(positions), *item.shape)
                factor_of = (moving or float(item.name == "tau")) * sizes.get(item.name, 1.0)
                group[item.name] = factor_of * rng.uniform(-2, 2, size)
            groups.append(group)
    largest = sized({item.name: rng.uniform(-1, 1, (1, *item.shape)) for item in arguments}, sizes)
    largest["q"] = closed[:1]
    for key in ("tau", "v") if name != "project_velocity" else ():  # whose results are as large as speeds, no larger
        if key in largest:
            groups.append({**largest, key: np.full_like(largest[key], HUGE[anew.module.description.real])})
    joined = {item.name: np.concatenate([group[item.name] for group in groups]) for item in arguments}
    return for_precision(with_unit_quaternions(arguments, joined), anew.single)


def _samples(states: States, epsilon: float, sizes: Sizes) -> list[States]:
    """The states in extended precision, as they are, and a few times moved by roundings."""
    rng = np.random.default_rng(0)
    exact = {key: array.astype(np.longdouble) for key, array in states.items()}
    moved = [
        {key: _moved(array, JITTER * epsilon, rng, sizes.get(key, 1.0)) for key, array in states.items()}
        for _ in range(COPIES)
    ]
    return [exact, states, *moved]


def _check_solution(texts: Texts, terms: Terms, name: str, samples: Sequence[States]) -> None:
    rng = np.random.default_rng(0)
    exact, states, *_ = samples
    expected = solution(terms, name, exact)
    status = expected.status.copy()
    spread = {key: np.zeros(len(status)) for key in expected.results}
    held = terms.run(terms_of(name), exact, None).results
    for near in samples[1:]:
        other = solution(terms, name, near, rng)
        status[other.status != expected.status] = -1
        moved = terms.run(terms_of(name), near, rng).results
        for key in ("inverses", "weighted", "delassus"):
            # Of a mass matrix of which rounding leaves nothing no rank follows.
            status[ROUNDINGS * largest(apart(moved[key], held[key])) > largest(held[key])] = -1
        for key, array in other.results.items():
            difference = largest(apart(array, expected.results[key]))
            spread[key] = np.maximum(spread[key], np.where(np.isfinite(difference), difference, np.inf))
    texts.coverage.note_statuses(name, status)
    blunt = BLUNT_SINGLE if terms.anew.single else BLUNT
    # Where rounding may be as large as a result, pivots that it leaves may be zero as well.
    faint = np.any([ROUNDINGS * spread[key] > largest(array) for key, array in expected.results.items()], axis=0)
    still = ~largest(states["v"]).astype(bool) if "v" in states else np.zeros(len(status), dtype=bool)
    for module in texts.of(name):
        found, said = called(module.functions[name], states)
        told = np.broadcast_to(said, status.shape)
        wanted_status = np.where(faint & (status == Status.OK) & (told != Status.OK), -1, status)
        # Dependent rows leave one motion where nothing moves.
        usable = (wanted_status == Status.OK) | ((wanted_status == Status.SINGULAR) & still)
        error = 0.0
        for item, array in zip(module.functions[name].outputs, found, strict=True):
            if item.name in expected.results:
                wanted = expected.results[item.name]
                allowed = ROUNDINGS * (spread[item.name] + terms.epsilon * largest(wanted))
                error = max(error, worst_ratio(array, wanted, allowed, usable, blunt))
        texts.worst.note(name, module.language, OWN_TERMS, error, 1.0, 0)
        missed = np.any((told != wanted_status)[wanted_status >= 0])
        texts.worst.note(name, module.language, OWN_SOLUTIONS, float(missed), 0.5, 0)


def _moved(array: Array, share: float, rng: np.random.Generator, unit: Array | float) -> Array:
    """Numbers moved by a share of their size, at least of one of their units; what is not finite stays."""
    finite = np.where(np.isfinite(array), array, 0.0)
    moved = finite + share * np.maximum(unit, np.abs(finite)) * rng.uniform(-1, 1, array.shape)
    return np.where(np.isfinite(array), moved, array)


# ---- projections of positions ----------------------------------------------------------------------------------------


def _starts(anew: Anew, name: str, closed: Array, rng: np.random.Generator, sizes: Sizes) -> States:
    """Starts that are closed, opened little and much, anywhere, and no numbers."""
    arguments, unit = anew.functions[name].inputs, sizes.get("q", 1.0)
    chosen = [closed[rng.integers(0, len(closed), STARTS)] for _ in OPENINGS]
    moved = [q + size * unit * rng.uniform(-1, 1, q.shape) for size, q in zip(OPENINGS, chosen, strict=True)]
    rows = np.concatenate([*moved, unit * not_finite_states(arguments, rng)["q"]])
    nothing = {item.name: np.zeros((len(rows), *item.shape)) for item in arguments if item.name != "q"}
    return for_precision(with_unit_quaternions(arguments, {"q": rows, **nothing}), anew.single)


def _check_projection(texts: Texts, name: str, starts: States, unit: Array | float) -> None:
    """What is said of the coordinates that were found is true of them, and they are where Newton's steps lead."""
    q = starts["q"]
    gaps = Gaps(texts.anew)
    before, enough = gaps.residuals(q), gaps.allowed(q, "ENOUGH")
    given = are_numbers(q, before)
    sure = newton(gaps, q, unit)
    if set(starts) != {"q"}:  # steps of assembly are others
        sure.steps[:] = -1
    for module in texts.of(name):
        found, said = called(module.functions[name], starts)
        after = gaps.residuals(found[0])
        rounded, bounds = gaps.rounding(found[0]), gaps.allowed(found[0], "ACCEPTED")
        rounding = largest(np.fmax(rounded, gaps.rounding(q)))
        excess = _times_over(after, bounds)
        told = np.broadcast_to(said, len(q))
        margin = CLEARLY * (1 + _times_over(rounded, bounds))
        closed = told == Status.OK
        wrong = closed & ~(excess <= margin)
        wrong |= (told == Status.NOT_CLOSED) & ~(excess >= 1 / margin)
        wrong |= given != (told != Status.NOT_FINITE)
        wrong |= ~given & ~((found[0] == q) | (np.isnan(found[0]) & np.isnan(q))).all(axis=1)
        # Each step is taken only if it makes the largest residual smaller, or leaves no row open.
        wrong |= given & ~((largest(after) <= largest(before) + rounding) | (excess <= margin))
        rests = given & (_times_over(before, enough) < 1 / CLEARLY)
        wrong |= rests & (found[0] != q).any(axis=1)
        # A start near closed loops must come to them where Newton's steps do, and in as many.
        wrong |= (sure.steps >= 0) & ~((excess <= margin) & (apart(found[0], sure.q) <= sure.allowed).all(axis=1))
        if len(found) > 1:
            gap, steps = found[1].reshape(len(q)), found[2].reshape(len(q))
            wrong |= given & ~(apart(gap, largest(after)) <= rounding + 1e-6 * gap + gaps.magnified(found[0], after))
            wrong |= given & ((steps < 0) | (steps > gaps.limits["ITERATIONS"]) | (steps != np.round(steps)))
            wrong |= rests & (steps != 0)
            moved = given & (np.abs(before) > CLEARLY * (enough + gaps.rounding(q))).any(axis=1)
            wrong |= moved & (steps < 1)
            wrong |= (sure.steps >= 0) & (np.abs(steps - sure.steps) > SPARE_STEPS + texts.anew.single)
        texts.worst.note(name, module.language, OWN_GAPS, float(np.any(wrong)), 0.5, int(np.argmax(wrong)))
        texts.coverage.note_statuses(name, told)
    texts.coverage.explain(name, "NOT_CLOSED", f"{given.sum()} starts, opened by up to {max(OPENINGS):g}, were closed")


def _times_over(values: Array, bounds: Array) -> Array:
    """How many times its bound the largest of each row is; what is zero is within any."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(values == 0.0, 0.0, np.abs(values) / bounds).max(axis=1))


TRIALS: Final = 6
STEPS: Final = 24
FOUND: Final = 2
"""Positions after which the search ends."""

SLOPE_STEP: Final = 1e-6
AT_ZERO: Final = 1e-12
"""Part of the rows' size that counts as zero: rounding of their entries is less than a tenth of it."""

MOST_WORK: Final = 400_000
"""Operations of the interpreted rows that a search may take."""


def singular_positions(anew: Anew, closed: Array, rng: np.random.Generator, unit: Array | float = 1.0) -> Array:
    """A few positions in which some combination of the closure rows vanishes, none where none was found.

    Gauss-Newton steps on G(q)^T w = 0 with a unit combination w, of least change.

    Args:
        anew: the module, derived again.
        closed: coordinates from which to search, a row a state.
        rng: draws others.
        unit: what coordinates are counted in [SI].
    """
    program = anew.programs.get("constraint_jacobian")
    if program is None or not len(closed):
        return closed[:0]
    found: list[Array] = []
    work = MOST_WORK
    for trial in range(TRIALS):
        if len(found) == FOUND or work <= 0:
            break
        start = closed[trial % len(closed)] / unit + rng.uniform(-1, 1, closed.shape[1]) * (trial > 1)
        position, used = _solved(program, start, unit)
        work -= used
        if position is not None:
            found.append(position * unit)
    return np.array(found).reshape(len(found), closed.shape[1])


def _solved(program: Program, q: Array, unit: Array | float) -> tuple[Array | None, int]:
    """The position near one, counted in units, and the operations that the search took."""
    n, used = len(q), len(program.nodes())
    first = interpret(program, {"q": (q * unit)[None]})["G"][0]
    if not np.all(np.isfinite(first)):
        return None, used
    # A combination of rows vanishes in any units: lengths and angles count alike where all rows are one long.
    sizes = np.linalg.norm(first, axis=1, keepdims=True)
    sizes[sizes == 0] = 1.0

    def rows(at: Array) -> Array:
        return np.asarray(interpret(program, {"q": at * unit})["G"] / sizes)

    w = np.linalg.svd(first / sizes)[0][:, -1]
    before = np.inf
    for _ in range(STEPS):
        used += len(program.nodes())
        many = rows(np.concatenate([q[None], q + SLOPE_STEP * np.eye(n)]))
        if not np.all(np.isfinite(many)):
            return None, used
        G = many[0]
        size = max(float(np.abs(G).max(initial=0.0)), 1e-300)
        miss = np.append(G.T @ w, (w @ w - 1) / 2)
        error = float(np.abs(miss).max())
        if error <= AT_ZERO * size:
            return q, used
        if error > 0.99 * before and error < 1e-9 * size:
            return q, used
        before = error
        slopes = np.einsum("kij,i->jk", (many[1:] - G) / SLOPE_STEP, w)
        jacobian = np.block([[slopes, G.T], [np.zeros((1, n)), w[None]]])
        step = np.linalg.lstsq(jacobian, -miss, rcond=1e-9)[0]
        step *= min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-300))
        q, w = q + step[:n], w + step[n:]
    return None, used

"""Positions in which closure rows lose rank, loops open or closed: solved for, since no random state is one."""

from __future__ import annotations

from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Program
from mbsym.verification.anew import Anew

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

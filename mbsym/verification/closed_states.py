"""Random states with closed loops at which generated code is checked: regular ones.

Near a singular position numbers that are right to round-off are far apart: the loops determine positions and forces
there up to round-off over the distance from it. So states are drawn anew until closure rows are well apart. Their
measure is the smallest singular value that counts of J M^-1/2, where the rotations and the shifts of each joint are
brought to a largest length of one, so that it has no unit.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import VerificationError
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.closing import close, closing_problem
from mbsym.loops.constraints import closures
from mbsym.loops.generic_rank import held_aside
from mbsym.loops.start import close_near, given_joints
from mbsym.reference import Reference

DISTURBANCES: Final = (0.2, 0.2, 0.4, 0.8, 1.5)
"""Random offsets of coordinates [rad, m] from where loops close at the start, ever larger in case that is singular."""

ATTEMPTS: Final = 50
"""Drawings for one state: so many fail to close or are not regular before the most regular of them is taken."""

SURVEYED: Final = 6
"""Configurations of which the rank that all states must have is taken."""

REGULAR: Final = 0.03
"""Measure above which a state is regular: solutions then lose less than two digits."""

CLOSED: Final = 1e-11
"""Gap below which loops count as closed [m, rad]."""

DEPENDENT: Final = 1e-5
"""Part of the largest singular value below which a row counts as dependent: loops closed to 1e-11 leave up to 3e-6 to
rows of loops whose gaps grow with the square of the error."""

SHARED: Final = 0.1
"""Part of directions in which closure rows hardly differ from which on a joint is named."""

_NO_ROW: Final = 1e-9


class ClosedStates:
    """Draws states of a mechanism with closed loops.

    Attributes:
        smallest: measure of the least regular state drawn so far, infinite before the first.
        singular: the configuration in which the loops close at the start where that is singular, else None.
        tight: names of cut joints whose rows nearly follow from others at the least regular state, if that is not
            regular.
    """

    def __init__(self, reference: Reference, mechanism: Mechanism, rank: int | None = None) -> None:
        """Closes the loops near the model's initial configuration, and looks farther where that is singular.

        Args:
            reference: that says where loops are closed.
            mechanism: the labelled model.
            rank: number of closure rows that are to be independent; default the largest that was seen.

        Raises:
            VerificationError: no configuration was found in which the loops close.
        """
        self._reference = reference
        guess, found = initial_coordinates(mechanism), closures(mechanism)
        start = self._start = close_near(mechanism, found, guess, given_joints(mechanism)).closing.q
        self._problem = closing_problem(mechanism, found)
        self.smallest = float("inf")
        self.tight: tuple[str, ...] = ()
        rng = np.random.default_rng(1)
        around = (self._drawn(rng, DISTURBANCES[k % len(DISTURBANCES)]) for k in range(SURVEYED))
        best = self._best(around, rank, (-1, 0.0))
        if best[1] < REGULAR or (rank is not None and best[0] < rank):
            farther = (self._polished(q) for q in islice(held_aside(self._problem, self._start), ATTEMPTS))
            best = self._best(farther, rank, best[:2], moves=True)
        self._rank = best[0]
        self.singular = start if self._measure(start)[0] < best[0] else None

    def _best(
        self, drawn: Iterable[Array | None], rank: int | None, least: tuple[int, float], *, moves: bool = False
    ) -> tuple[int, float]:
        """Rank and measure of the most regular of some configurations, which becomes the start if that ``moves``."""
        for q in drawn:
            if q is None:
                continue
            found = self._measure(q)
            if (found[0], min(found[1], REGULAR)) > (least[0], min(least[1], REGULAR)):
                least = found
                self._start = q if moves else self._start
            if rank is not None and least[0] >= rank and least[1] >= REGULAR:
                break
        return least

    def draw(self, v: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """A regular configuration with closed loops, and the speeds nearest to v that keep them closed.

        Raises:
            VerificationError: no such configuration was found.
        """
        best: tuple[int, float, Array] | None = None
        for attempt in range(ATTEMPTS):
            q = self._drawn(rng, DISTURBANCES[attempt % len(DISTURBANCES)] * 0.95**attempt)
            if q is None:
                continue
            rank, measure = self._measure(q)
            if best is None or (rank, measure) > best[:2]:
                best = rank, measure, q
            if best[0] >= self._rank and best[1] >= REGULAR:
                break
        if best is None:
            raise VerificationError(
                f"no configuration was found in which the loops close, in {ATTEMPTS} trials",
                remedy="give joints initial coordinates that nearly do",
            )
        smallest = best[1] if best[0] >= self._rank else 0.0
        if smallest < min(self.smallest, REGULAR):
            self.tight = self._nearly_dependent(best[2])
        self.smallest = min(self.smallest, smallest)
        return best[2], self._reference.consistent_velocity(best[2], v)

    def _drawn(self, rng: np.random.Generator, size: float) -> Array | None:
        reference = self._reference
        moved = reference.integrate_position(self._start, rng.uniform(-1, 1, reference.nv), size)
        return self._polished(close(self._problem, moved).q)

    def _polished(self, q: Array) -> Array | None:
        """The configuration closed by the reference, which also says whether it is."""
        q = self._reference.closed_position(q)
        return q if np.abs(self._reference.closure_gap(q)).max(initial=0.0) < CLOSED else None

    def _measure(self, q: Array) -> tuple[int, float]:
        """Rank of the closure rows and the smallest singular value that counts."""
        rows, _ = self._rows(q)
        if not len(rows):
            return 0, float("inf")
        values = np.linalg.svd(rows, compute_uv=False)
        counted = values[values > DEPENDENT * values[0]]
        return len(counted), float(counted[-1])

    def _nearly_dependent(self, q: Array) -> tuple[str, ...]:
        """Names of the cut joints that share most in what hardly counts."""
        rows, places = self._rows(q)
        U, values, _ = np.linalg.svd(rows, full_matrices=False)
        small = (values > DEPENDENT * values[0]) & (values < REGULAR)
        shares = np.zeros(self._reference.closure_gap(q).size)
        shares[places] = np.sum(U[:, small] ** 2, axis=1)
        joints = self._reference.mechanism.cut_joints
        own = shares[: 6 * len(joints)].reshape(-1, 6).sum(axis=1)
        return tuple(joint.name for joint, share in zip(joints, own, strict=True) if share > SHARED)

    def _rows(self, q: Array) -> tuple[Array, Array]:
        """Closure rows that are not zero, of length one, and their places among all."""
        rows = self._reference.closure_jacobian(q)
        if not rows.size:
            return np.zeros((0, 0)), np.zeros(0, dtype=int)
        weighted = np.linalg.solve(np.linalg.cholesky(with_resistance(self._reference.mass_matrix(q))), rows.T).T
        sizes = np.linalg.norm(weighted, axis=1)
        # Rotations and shifts of a joint come in threes; what is small among three is small, whatever its own length.
        threes = 6 * len(self._reference.mechanism.cut_joints)
        sizes[:threes] = np.repeat(sizes[:threes].reshape(-1, 3).max(axis=1), 3)
        kept = sizes > _NO_ROW * sizes.max(initial=0.0)
        return weighted[kept] / sizes[kept, None], np.flatnonzero(kept)


def with_resistance(mass: Array) -> Array:
    """A mass matrix with ones on its diagonal where a motion drives what moves no inertia (nv, nv)."""
    return np.asarray(mass + np.diag(np.diagonal(mass) == 0.0))

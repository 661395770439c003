"""Small vibrations of a tree of elements by transfer matrices in Riccati's form, at one frequency at a time.

Each element stands between its parent's point and its own: a rigid lever, then what lets its end move (a joint's
freedoms with their springs, or the bending of a beam), then a rigid body. Motions exp(s t) of a point are six numbers
[rotation; displacement] in base axes. From the tips inward the overall transfer equation of everything outboard is kept
solved for the loads that it needs, [M; Q] = S [rotation; displacement], and an element's own freedoms are eliminated:

    P = H^T S H + K + s D - ..., S_parent = T^T S T - C P^-1 C^T with C = T^T S H.

Roots of the overall equation are where a pivot P is singular. None is missed: the number of negative eigenvalues of all
pivots, and of frequencies of each beam with both ends held, is the number of frequencies below (Wittrick and Williams).

Springs between two elements, and joints that close loops, are forces along rows of motions: with the motions C that
unit forces along them make, forces of springs of stiffness k solve (1 + k C) f = k gap, those of joints C f = gap. What
they add to the count are signs of eigenvalues of C + 1/k (Sylvester's law for the matrix bordered by the rows).

Static loads enter by the potential to second order: S at rest is the Hessian over rotation vectors, g its gradient.
Sources: Rui et al., Transfer matrix method for linear multibody systems; Wittrick, Williams, Quarterly Journal of
Mechanics and Applied Mathematics 24 (1971) 263.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.linear.vibration import beam_matrices as beams
from mbsym.linear.vibration import elements as el
from mbsym.linear.vibration.loads import Relation, felt, static_loads
from mbsym.linear.vibration.ties import independent_ties, negative_eigenvalues

HELD: Final = 1e-7
"""Part of motions of size one that a row of a closure must feel to hold anything: loops are closed to about 1e-10."""

ASIDE: Final = 1e-8
"""Relative step aside from a frequency at which a pivot is singular."""


class VibratingTree:
    """A tree of elements about a state of rest.

    Attributes:
        elements: parents first.
        gravity: [m/s^2], which acts on beams.
        size: by which lengths are measured [m].
        pace: how quickly something of its size and mass swings on what resists in it [rad/s].
    """

    def __init__(
        self,
        elements: Sequence[el.VibrationElement],
        gravity: Array,
        closures: Sequence[el.Closure] = (),
        ties: Sequence[el.Tie] = (),
        relations: Sequence[Relation] = (),
    ) -> None:
        """Finds the static loads.

        Raises:
            AnalysisError: the state is not one of rest, or a static load is not covered.
        """
        self.elements = tuple(elements)
        self.gravity = gravity
        self.size = size = _size(self.elements) or 1.0
        measures = np.repeat([1.0, size], 3)
        closures = [_measured(closure, size) for closure in closures]
        rest = static_loads(self.elements, gravity, size, closures, relations)
        self.elements, self._loads = rest.elements, rest.loads
        largest = max((float(np.abs(measures * load).max()) for load in self._loads), default=0.0)
        self.pace = _pace(self.elements, ties, measures, largest)
        self._held = [_rows_held_by(element, k, closures, measures) for k, element in enumerate(self.elements)]
        held = self._independent_rows(closures, relations)
        self._closing = len(held)
        known = np.concatenate([self._rows_of_elements(), held])
        self._ties = independent_ties(len(self.elements), (*ties, *rest.ties), known, self._felt)
        self._rows = np.concatenate([held, self._ties.rows])

    @property
    def freedoms(self) -> int | None:
        """How many frequencies there are, those of rest among them; None for infinitely many."""
        total = 0
        for element in self.elements:
            link = element.link
            if isinstance(link, el.BeamLink):
                if link.model == "exact":
                    return None
                total += 2 * len(link.planes) + len(link.lines)
            else:
                total += link.columns.shape[1]
        return total - self._closing - sum(len(held) for held in self._held)

    @property
    def is_damped(self) -> bool:
        """Whether anything takes energy."""
        return bool(self._ties.damping.any()) or any(
            element.damping.any() or np.any(element.link.damping) for element in self.elements
        )

    def _independent_rows(self, closures: Sequence[el.Closure], relations: Sequence[Relation]) -> Array:
        """What closures and relations hold and elements alone do not, as forces on all of them (m, n, 6)."""
        n = len(self.elements)
        rows = [el.row_of(n, closure.elements, closure.levers, held) for closure in closures for held in closure.held]
        related = (relation.row(self.elements) for relation in relations)
        rows += [row / np.abs(self._felt(row)).max() for row in related]
        if not rows:
            return np.zeros((0, n, 6))
        known = self._rows_of_elements()
        # Which motions the freedoms can make tells which rows are independent, of those too that elements hold.
        felt = np.array([self._felt(row) for row in rows])
        scale = max(1.0, float(np.abs(felt).max(initial=0.0)))
        if len(known):
            basis = np.linalg.qr(np.array([self._felt(row) for row in known]).T)[0]
            felt = felt - felt @ basis @ basis.T
        left, sizes, _ = np.linalg.svd(felt)
        kept = left[:, : len(sizes)][:, sizes > HELD * scale]
        return np.asarray(np.tensordot(kept.T, np.array(rows), axes=1))

    def _rows_of_elements(self) -> Array:
        """What elements hold by themselves, as forces on all of them (m, n, 6)."""
        own = [(k, row) for k, held in enumerate(self._held) for row in held]
        rows = np.zeros((len(own), len(self.elements), 6))
        for place, (k, row) in enumerate(own):
            rows[place, k] = row
        return rows

    def _felt(self, row: Array) -> Array:
        """Generalised forces of forces on elements along all freedoms, these measured."""
        shares = zip(self.elements, felt(self.elements, row), strict=True)
        return np.concatenate(
            [el.measures_of(el.freedoms_of(element)[0], self.size) * share for element, share in shares]
        )

    def count_below(self, omega: float) -> int:
        """How many frequencies lie below omega [rad/s], damping left out."""
        try:
            count = self._negative(1j * omega)
        except AnalysisError:
            # Some pivot may be singular just here, as of unit masses on unit springs at 1 rad/s.
            omega *= 1.0 + ASIDE
            count = self._negative(1j * omega)
        for element in self.elements:
            link = element.link
            if isinstance(link, el.BeamLink) and link.model == "exact":
                for bending in link.bending:
                    count += beams.clamped_frequencies_below(link.length, link.mass, bending, omega)
                for _, stiffness, inertia in link.lines:
                    count += beams.held_line_frequencies_below(link.length, inertia, stiffness, omega)
        return count

    def growing(self, rate: float) -> int:
        """How many motions grow faster than exp(rate t), damping left out: negative eigenvalues of the stiffness."""
        return self._negative(rate)

    def negative_at(self, rate: float) -> int:
        """Negative eigenvalues of what the damped tree resists to motions exp(rate t)."""
        try:
            return self._negative(rate, damped=True)
        except AnalysisError:
            return self._negative(rate * (1.0 + ASIDE), damped=True)

    def _negative(self, s: complex, *, damped: bool = False) -> int:
        """Negative eigenvalues of all pivots; each row that is held takes one, other rows by their compliance."""
        found = self._eliminate(s, damped)
        count = -sum(len(held) for held in self._held)
        for own in found:
            if own.pivot.size:
                count += negative_eigenvalues(own.pivot.real)
        if not len(self._rows):
            return count
        return count + self._ties.negative(self._compliance(found).real, self._closing, s, damped=damped)

    def motion(self, s: complex, forces: Array, damped: bool = True) -> Array:
        """Motions of the elements' points under loads [moment; force] exp(s t) on them (n, 6).

        Args:
            s: frequency [1/s].
            forces: (n, 6) in base axes.
            damped: False leaves dampers out.
        """
        found = self._eliminate(s, damped)
        return self._respond(found, self._with_holding(found, forces, s, damped))[0]

    def undamped_motions(self, s: complex, forces: Array) -> tuple[Array, list[Array]]:
        """As ``motion`` without dampers, of several loads (m, n, 6) and real, and the freedoms by element (m, k)."""
        found = self._eliminate(s, damped=False)
        motions, freedoms = zip(
            *(self._respond(found, self._with_holding(found, own, s, False)) for own in forces), strict=True
        )
        return np.array(motions).real, [np.array(own).real for own in zip(*freedoms, strict=True)]

    def _with_holding(self, found: Sequence[el.Eliminated], forces: Array, s: complex, damped: bool) -> Array:
        """The loads with the forces that keep loops closed, and those of springs between two elements."""
        if not len(self._rows):
            return forces
        gaps = np.tensordot(self._rows, self._respond(found, forces)[0], axes=2)
        scale = np.eye(len(self._rows), dtype=complex)
        own = scale.copy()
        own[: self._closing] = 0.0
        scale[self._closing :, self._closing :] = self._ties.resisting(s, damped)
        multipliers = np.linalg.solve(own + scale @ self._compliance(found), scale @ gaps)
        return np.asarray(forces - np.tensordot(multipliers, self._rows, axes=1))

    def _compliance(self, found: Sequence[el.Eliminated]) -> Array:
        """Motions along the held rows by unit forces along them (m, m)."""
        moved = np.array([self._respond(found, row)[0] for row in self._rows])
        compliance: Array = np.tensordot(self._rows, moved, axes=((1, 2), (1, 2)))
        return 0.5 * (compliance + compliance.T)

    def _respond(self, found: Sequence[el.Eliminated], forces: Array) -> tuple[Array, list[Array]]:
        n = len(self.elements)
        loads = forces.astype(complex)
        rests: list[Array] = [np.zeros(0)] * n
        for k in range(n - 1, -1, -1):
            own = found[k]
            push = own.columns.T @ loads[k]
            rests[k] = el.solved(own.name, own.pivot, push) if len(push) else push
            parent = self.elements[k].parent
            if parent >= 0:
                loads[parent] += own.lever.T @ loads[k] - own.coupling.T @ rests[k]
        moved = np.zeros((n, 6), dtype=complex)
        for k, own in enumerate(found):
            parent = self.elements[k].parent
            inner = moved[parent] if parent >= 0 else np.zeros(6)
            if len(rests[k]):
                rests[k] = rests[k] - el.solved(own.name, own.pivot, own.coupling @ inner)
            moved[k] = own.lever @ inner + own.columns @ rests[k]
        return moved, rests

    def quadratic_form(self, s: complex, freedoms: Sequence[Array], moved: Array) -> Array:
        """x^T K(s) x of motions, undamped, element by element: zero along a shape at its frequency (m, m).

        Args:
            s: frequency [1/s].
            freedoms: by element, as ``undamped_motions`` gives them.
            moved: of the elements' points (m, n, 6).
        """
        total = np.zeros((len(moved), len(moved)), dtype=complex)
        for k, element in enumerate(self.elements):
            blocks = self._blocks(k, s, damped=False)
            own = freedoms[k][:, : blocks.columns.shape[1]]
            total += moved[:, k] @ element.resisting(s, damped=False) @ moved[:, k].T + own @ blocks.end @ own.T
            if element.parent >= 0:
                inner = moved[:, element.parent]
                cross = own @ blocks.coupling @ inner.T
                total += inner @ blocks.near @ inner.T + cross + cross.T
        gaps = np.tensordot(moved, self._rows[self._closing :], axes=((1, 2), (1, 2)))
        total += gaps @ self._ties.resisting(s, damped=False) @ gaps.T
        return total

    def _blocks(self, k: int, s: complex, damped: bool) -> el.Blocks:
        return el.blocks_of(self.elements[k], self._loads[k], s, damped, self.gravity)

    def _eliminate(self, s: complex, damped: bool) -> list[el.Eliminated]:
        n = len(self.elements)
        S = [element.resisting(s, damped) for element in self.elements]
        found: list[el.Eliminated] = [None] * n  # type: ignore[list-item]
        for k in range(n - 1, -1, -1):
            element = self.elements[k]
            blocks = self._blocks(k, s, damped)
            free = blocks.with_outboard(S[k])
            found[k] = own = _held_besides(free, self._held[k])
            if element.parent < 0:
                continue
            if own is free:
                inner = blocks.inward(S[k], own)
            else:
                T = blocks.lever
                inner = blocks.near + T.T @ S[k] @ T - own.coupling.T @ el.solved(own.name, own.pivot, own.coupling)
            S[element.parent] = S[element.parent] + inner
        return found


def _size(elements: Sequence[el.VibrationElement]) -> float:
    """Largest way along one of the base axes between points of the elements at rest [m]."""
    points = [np.zeros(3)]
    for element in elements:
        start = points[element.parent + 1] + element.lever
        link = element.link
        points.append(start + link.length * link.axes[:, 0] if isinstance(link, el.BeamLink) else start)
    return float(np.ptp(points, axis=0).max())


def _pace(elements: Sequence[el.VibrationElement], ties: Sequence[el.Tie], measures: Array, load: float) -> float:
    """Square root of the largest energy of a displacement by the size, over that of a rate; 1 rad/s where one is none.

    Args:
        elements: of a tree.
        ties: between them.
        measures: of rotations and displacements, 1 and the size [m] (6,).
        load: the largest static load, measured [N m].
    """
    resisting, moving = [load], [0.0]
    for element in elements:
        link = element.link
        resisting.append(np.abs(element.stiffness * np.outer(measures, measures)).max())
        moving.append(np.abs(element.mass * np.outer(measures, measures)).max())
        if isinstance(link, el.BeamLink):
            resisting.append(max(link.bending, default=0.0) / link.length)
            moving.append(link.mass * measures[5] ** 2)
        else:
            units = el.measures_of(link.columns, float(measures[5]))
            resisting.append(np.abs(link.stiffness * units**2).max(initial=0.0))
            moving.append(np.abs(link.inertia * units**2).max(initial=0.0))
    for tie in ties:
        # Rows are forces, so that what they resist is measured by what they are along.
        units = 1.0 / np.abs(tie.rows / measures).max(axis=1, initial=0.0)
        resisting.append(np.abs(tie.stiffness * units**2).max(initial=0.0))
        moving.append(np.abs(tie.inertia * units**2).max(initial=0.0))
    most, mass = float(max(resisting)), float(max(moving))
    return float(np.sqrt(most / mass)) if most > 0.0 and mass > 0.0 else 1.0


def _measured(closure: el.Closure, size: float) -> el.Closure:
    """The closure with rows that do work one on motions of size one."""
    held = closure.held / np.linalg.norm(closure.held * np.repeat([1.0, size], 3), axis=1)[:, None]
    return replace(closure, held=held)


def _rows_held_by(element: el.VibrationElement, index: int, closures: Sequence[el.Closure], measures: Array) -> Array:
    """What closures to ground hold of an element's own freedoms, as rows over motions of its point (r, 6)."""
    columns, _ = el.freedoms_of(element)
    rows = [np.zeros((0, 6))]
    for closure in closures:
        if -1 in closure.elements and index in closure.elements:
            place = closure.elements.index(index)
            rows.append(closure.held @ closure.levers[place])
    held = np.vstack(rows)
    if not len(held) or not columns.size:
        return np.zeros((0, 6))
    left, sizes, _ = np.linalg.svd(held @ (columns * el.measures_of(columns, float(measures[5]))))
    return np.asarray(left[:, : len(sizes)][:, sizes > HELD * max(1.0, float(sizes.max()))].T @ held)


def _held_besides(own: el.Eliminated, held: Array) -> el.Eliminated:
    """The element with forces that hold rows of its point's motion as further unknowns."""
    if not len(held):
        return own
    felt, r = held @ own.columns, len(held)
    pivot = np.block([[own.pivot, felt.T], [felt, np.zeros((r, r))]])
    columns = np.hstack([own.columns, np.zeros((6, r))])
    return el.Eliminated(own.name, pivot, own.lever, columns, np.vstack([own.coupling, held @ own.lever]))

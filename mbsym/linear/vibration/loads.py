"""Static loads of a vibrating tree, with those that closed loops and couplings carry, and what these add to stiffness.

A closure with the gap g and the load lambda adds lambda . g to the potential. Its gradient are forces on both
elements; its second order follows from the exact gap of a joint that lets a rotation about its axis, all rotations or
none, slides or a screw: with d a direction and m an axis of the predecessor, the successor's rotation against it
exp(-a) exp(b) = exp(b - a - a x b / 2) and each end's displacement u + a x l + a x (a x l) / 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.linear.vibration import elements as el

SLACK: Final = 1e-9
"""Part of the largest static load that may be unbalanced along a freedom."""

ALIKE: Final = 1e-9
"""Smallest singular value, as a part of the largest, of loads that closures carry in different ways."""

NOTHING: Final = 1e-13
"""Part of the largest stiffness that a load adds below which another is round-off."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A linear relation of freedoms that holds: the sum of factors times these does not change.

    Attributes:
        name: of the coupling.
        terms: element, place among its freedoms, factor.
    """

    name: str
    terms: tuple[tuple[int, int, float], ...]

    def row(self, elements: Sequence[el.VibrationElement]) -> Array:
        """As forces on the elements (n, 6)."""
        row = np.zeros((len(elements), 6))
        for k, place, factor in self.terms:
            columns, lever = el.freedoms_of(elements[k])
            own = factor * np.linalg.pinv(columns)[place]
            row[k] += own
            if elements[k].parent >= 0:
                row[elements[k].parent] -= lever.T @ own
        return row


@dataclass(frozen=True, slots=True)
class StaticLoads:
    """A tree at rest.

    Attributes:
        elements: with what closures and couplings load them.
        loads: gradient of the potential of everything outboard, by element (n, 6).
        ties: what loads of closures between two elements add.
    """

    elements: tuple[el.VibrationElement, ...]
    loads: list[Array]
    ties: list[el.Tie]


def felt(elements: Sequence[el.VibrationElement], row: Array) -> list[Array]:
    """Generalised forces of forces on elements along the freedoms, by element."""
    loads, shares = row.copy(), [np.zeros(0)] * len(elements)
    for k in range(len(elements) - 1, -1, -1):
        columns, lever = el.freedoms_of(elements[k])
        shares[k] = columns.T @ loads[k]
        if elements[k].parent >= 0:
            loads[elements[k].parent] += lever.T @ loads[k]
    return shares


def static_loads(
    elements: Sequence[el.VibrationElement],
    gravity: Array,
    size: float,
    closures: Sequence[el.Closure],
    relations: Sequence[Relation],
) -> StaticLoads:
    """The loads at rest, balanced by what closures and couplings carry.

    Raises:
        AnalysisError: the state is not one of rest, or a load is not covered.
    """
    elements = tuple(elements)
    loads = _inward(elements, gravity)
    slack, largest = _unbalanced(elements, loads, size)
    ties: list[el.Tie] = []
    if (closures or relations) and np.abs(np.concatenate(slack)).max(initial=0.0) > SLACK * largest:
        elements, ties = _with_reactions(elements, slack, size, closures, relations)
        loads = _inward(elements, gravity)
        slack, largest = _unbalanced(elements, loads, size)
    for element, load, own in zip(elements, loads, slack, strict=True):
        if np.abs(own).max(initial=0.0) > SLACK * largest:
            raise AnalysisError(
                "the state is no equilibrium: a joint is not balanced",
                where=element.name,
                remedy="take the state 'equilibrium'",
            )
        _require_covered(element, load, gravity)
    return StaticLoads(elements, loads, ties)


def _inward(elements: Sequence[el.VibrationElement], gravity: Array) -> list[Array]:
    loads = [element.gradient.copy() for element in elements]
    for k in range(len(elements) - 1, -1, -1):
        element, link, end = elements[k], elements[k].link, elements[k].lever
        if isinstance(link, el.BeamLink):
            end = end + link.length * link.axes[:, 0]
        if element.parent < 0:
            continue
        loads[element.parent] += el.lever_matrix(end).T @ loads[k]
        if isinstance(link, el.BeamLink):
            weight = link.mass * gravity
            own = np.concatenate([-np.cross(link.length / 2 * link.axes[:, 0], weight), -weight])
            loads[element.parent] += el.lever_matrix(element.lever).T @ own
    return loads


def _unbalanced(
    elements: Sequence[el.VibrationElement], loads: Sequence[Array], size: float
) -> tuple[list[Array], float]:
    """What is left along freedoms of joints, measured, and the largest load there is [N m]."""
    measures = np.repeat([1.0, size], 3)
    largest, left = 0.0, []
    for element, load in zip(elements, loads, strict=True):
        largest = max(largest, float(np.abs(measures * load).max()), float(np.abs(measures * element.gradient).max()))
        link = element.link
        if isinstance(link, el.BeamLink):
            left.append(np.zeros(0))
            continue
        # What springs would pull by a radian, or by the size of the tree, is a load too.
        unit = el.measures_of(link.columns, size)
        springs = np.maximum(np.abs(link.torque) * unit, np.abs(link.stiffness) * unit**2)
        largest = max(largest, float(springs.max(initial=0.0)))
        left.append((load @ link.columns + link.torque) * unit)
    return left, largest


def _require_covered(element: el.VibrationElement, load: Array, gravity: Array) -> None:
    """Refuses loads along a beam that is exact or stretches."""
    link = element.link
    if not isinstance(link, el.BeamLink) or (link.model != "exact" and link.stretch is None):
        return
    weight = float(np.linalg.norm(link.mass * gravity))
    if abs(el.tension_of(link, load, gravity)) <= SLACK * (float(np.linalg.norm(load)) + weight):
        return
    if link.stretch is None:
        raise AnalysisError(
            "a static load acts along this beam, which the exact element does not take",
            where=element.name,
            remedy="take finite elements (`beams consistent`), the model's segments, or no gravity",
        )
    raise AnalysisError(
        "a static load acts along this beam, which stretches",
        where=element.name,
        remedy="take the model's segments (`beams segments`), no gravity, or leave axial_stiffness out",
    )


# ---- what closures and couplings carry -------------------------------------------------------------------------------


def _carried(
    elements: Sequence[el.VibrationElement], rows: Sequence[Array], slack: Sequence[Array], size: float
) -> Array:
    """What each row carries of what is unbalanced."""
    shares = [felt(elements, row) for row in rows]
    for k, element in enumerate(elements):
        if isinstance(element.link, el.BeamLink) and any(share[k].any() for share in shares):
            raise AnalysisError(
                "a closed loop with a beam carries load at rest, which transfer matrices do not cover",
                where=element.name,
                remedy="take `method equations`, or no gravity",
            )
    units = [el.measures_of(el.freedoms_of(element)[0], size) for element in elements]
    matrix = np.array([np.concatenate([a * unit for a, unit in zip(share, units, strict=True)]) for share in shares])
    carried: Array = -np.linalg.lstsq(matrix.T, np.concatenate(slack), rcond=ALIKE)[0]
    return carried


def _with_reactions(
    elements: tuple[el.VibrationElement, ...],
    slack: Sequence[Array],
    size: float,
    closures: Sequence[el.Closure],
    relations: Sequence[Relation],
) -> tuple[tuple[el.VibrationElement, ...], list[el.Tie]]:
    """The elements with the loads that balance what is unbalanced, and ties; least ones where they are not unique."""
    n = len(elements)
    rows = [el.row_of(n, closure.elements, closure.levers, held) for closure in closures for held in closure.held]
    rows += [relation.row(elements) for relation in relations]
    carried = _carried(elements, rows, slack, size)
    changed, ties, place = list(elements), list[el.Tie](), 0
    for closure in closures:
        count = len(closure.held)
        held = carried[place : place + count] @ closure.held
        place += count
        blocks = _second_order(closure, held)
        for side, k in enumerate(closure.elements):
            if k >= 0:
                sign = 1.0 - 2.0 * side
                changed[k] = replace(
                    changed[k],
                    gradient=changed[k].gradient + sign * closure.levers[side].T @ held,
                    stiffness=changed[k].stiffness + blocks[side][side],
                )
        if min(closure.elements) >= 0:
            ties.append(_across(closure, blocks[0][1]))
    for relation, load in zip(relations, carried[place:], strict=True):
        for k, own, factor in relation.terms:
            link = changed[k].link
            assert isinstance(link, el.JointLink)
            torque = link.torque.copy()
            torque[own] += load * factor
            changed[k] = replace(changed[k], link=replace(link, torque=torque))
    return tuple(changed), [tie for tie in ties if len(tie.rows)]


def _second_order(closure: el.Closure, held: Array) -> list[list[Array]]:
    """Hessian of held . gap over motions of both elements' points, in blocks (2, 2, 6, 6).

    The gap is that of the first against the second, so that with [M; F] = held and the ends' levers l it is
    -M.(b - a - a x b / 2) - (F + a x F).(end of the second - end of the first).
    """
    moment, force = held[:3], held[3:]
    first, second = (np.array([lever[4, 2], lever[5, 0], lever[3, 1]]) for lever in closure.levers)
    turn = el.cross_matrix(force)
    near = el.lever_hessian(first, force)
    mixed = np.zeros((6, 6))
    mixed[:3] = turn @ closure.levers[0][3:]
    near = near + mixed + mixed.T
    across = np.zeros((6, 6))
    across[:3] = -turn @ closure.levers[1][3:]
    across[:3, :3] -= 0.5 * el.cross_matrix(moment)
    return [[near, across], [across.T, el.lever_hessian(second, -force)]]


def _across(closure: el.Closure, block: Array) -> el.Tie:
    """What a load adds between motions of two elements, x^T B y, as springs along sums and differences of these."""
    left, sizes, right = np.linalg.svd(block)
    kept = sizes > NOTHING * max(float(sizes.max(initial=0.0)), np.finfo(float).tiny)
    a, b, k = left.T[kept], right[kept], sizes[kept]
    # s x y = s/4 (x + y)^2 - s/4 (x - y)^2, and springs have k/2 of the square.
    count = len(k)
    both = np.concatenate([a, a]), np.concatenate([-b, b])
    zero = np.zeros(2 * count)
    return el.Tie(closure.name, closure.elements, both, np.eye(2 * count), np.concatenate([k, -k]) / 2, zero, zero)

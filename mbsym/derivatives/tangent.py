"""Directions in which coordinates move: those of the joints' speeds.

A function of q is differentiated with respect to increments of the speeds' directions: q moves by position_rate(q, v)
with v a unit vector. Where the speeds are the rates of the coordinates that is the partial derivative by the
coordinate; a unit quaternion has three such directions and stays one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mbsym.formulations.recursive.sparse_factor import product
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.observables import position_rate
from mbsym.symbolic.differentiate import forward, jacobian
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.scalar import Scalar

Matrix: TypeAlias = list[list[Scalar]]


def transposed(matrix: Iterable[Iterable[Scalar]]) -> Matrix:
    """Its columns as rows."""
    return [list(column) for column in zip(*matrix, strict=True)]


def difference(a: Matrix, b: Matrix) -> Matrix:
    """a - b."""
    return [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def product_of(a: Matrix, b: Matrix) -> Matrix:
    """a b, terms that are zero left out."""
    columns = transposed(b)
    return [[product(row, column) for column in columns] for row in a]


def tangent_map(mechanism: Mechanism) -> Matrix:
    """T(q) with qdot = T v, (nq, nv)."""
    return along(mechanism, [rate.ref for rate in position_rate(mechanism)], mechanism.v.symbols)


def along(mechanism: Mechanism, refs: Sequence[Reference], symbols: Sequence[Reference]) -> Matrix:
    """Derivatives of values (rows) with respect to symbols (columns)."""
    rows = jacobian(mechanism.graph, refs, symbols)
    return [[Scalar(mechanism.graph, ref) for ref in row] for row in rows]


def along_speeds(mechanism: Mechanism, refs: Sequence[Reference]) -> Matrix:
    """Derivatives of values (rows) with respect to increments of q along the speeds (columns of v)."""
    graph = mechanism.graph
    by_coordinate = jacobian(graph, refs, mechanism.q.symbols)
    columns: list[list[tuple[int, Scalar]]] = [[] for _ in range(mechanism.nv)]
    for place, rates in enumerate(tangent_map(mechanism)):
        for column, rate in zip(columns, rates, strict=True):
            if rate:
                column.append((place, rate))
    found = []
    for row in by_coordinate:
        entries = []
        for column in columns:
            total = Scalar(graph, 0)
            for place, rate in column:
                total = total + Scalar(graph, row[place]) * rate
            entries.append(total)
        found.append(entries)
    return found


def along_own_speeds(body: TreeBody, values: Sequence[Scalar], held: Sequence[Scalar] = ()) -> Matrix:
    """Derivatives of values of a joint's own coordinates along its speeds: one list of all values for each speed.

    Args:
        body: outboard of the joint.
        values: to differentiate.
        held: values that count as constant, whatever they depend on.
    """
    graph = body.motion.graph
    refs = [value.ref for value in values]
    if body.v_range[0] == body.v_range[1]:
        return [[Scalar(graph, 0)] * len(refs) for _ in body.v]
    found = []
    for speed in body.v:
        seeds = {other.ref: Scalar(graph, 0).ref for other in body.v} | {speed.ref: graph.const(1)}
        rates = forward(graph, [rate.ref for rate in body.motion.position_rate], seeds)
        moved = {abs(value.ref): 0 for value in held if value} | {
            q.ref: rate for q, rate in zip(body.q, rates, strict=True)
        }
        found.append([Scalar(graph, ref) for ref in forward(graph, refs, moved)])
    return found

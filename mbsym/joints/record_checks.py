"""What algorithms rely on in the record of a joint type, decided exactly in a finite field when the record is listed.

The motion subspace H must be the rate of the placement and its bias the rate of H. With the directions of
``subspaces`` H^T H-bar = U and H^T W = 0, and the columns of W are perpendicular to each other and not zero: so W has
full rank, and W (W^T W)^-1 is each column of W by its own square.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from mbsym.errors import ModelError, SymbolicError
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import ANGLE, LENGTH, JointType
from mbsym.joints.subspaces import Column
from mbsym.spatial.vector import dot
from mbsym.symbolic.differentiate import forward
from mbsym.symbolic.finite_field import evaluate
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar, constant, symbol

_Demand: TypeAlias = tuple[str, list[Scalar]]
"""A sentence on what is wrong where one of the values is not zero."""


def check_joint_type(kind: JointType) -> None:
    """Checks a record.

    Raises:
        ModelError: names, units or directions do not fit each other; the message says which.
    """
    found = next(_faults(kind), None)
    if found is not None:
        raise ModelError(
            f"joint type {kind.name!r}: {found}",
            where=kind.name,
            remedy="see docs/adding/a_joint.md on what is checked",
        )


def _faults(kind: JointType) -> Iterator[str]:
    shape = kind.shape
    if not len(shape.coordinates) == len(shape.coordinate_units) == len(shape.neutral):
        yield "coordinates, their units and their neutral values are not equally many"
    if not len(shape.speeds) == len(shape.speed_units) == len(shape.force_units):
        yield "speeds, their units and those of their forces are not equally many"
    for names in (shape.coordinates, shape.speeds, [number.name for number in kind.numbers]):
        if len(set(names)) < len(names):
            yield f"two of {', '.join(names)} have one name"
    for units in zip(shape.speed_units, shape.force_units, strict=True):
        if units not in (ANGLE[1:], LENGTH[1:]):
            yield f"a force in {units[1]} along a speed in {units[0]} is no power in watts"
    if any(value != 0 for value in _away_at_rest(kind)):
        yield "the frames do not coincide at the neutral coordinates"
    for flipped in (False, True):
        yield from _motion_faults(kind, flipped=flipped)


def _away_at_rest(kind: JointType) -> Iterator[object]:
    """Entries of the neutral placement less those of no motion; what is not constant stands for a difference."""
    graph = Graph()
    q = tuple(constant(graph, value) for value in kind.shape.neutral)
    v = tuple(Scalar(graph, 0) for _ in kind.shape.speeds)
    numbers = tuple(symbol(graph, number.name) for number in kind.numbers)
    placement = kind.motion(graph, q, v, numbers).placement
    for i, row in enumerate(placement.rotation.matrix()):
        yield from ((entry - (1 if i == j else 0)).constant for j, entry in enumerate(row))
    yield from (entry.constant for entry in placement.translation)


def _motion_faults(kind: JointType, *, flipped: bool) -> Iterator[str]:
    graph = Graph()
    q = tuple(symbol(graph, f"q{k}") for k in range(kind.shape.nq))
    v = tuple(symbol(graph, f"v{k}") for k in range(kind.shape.nv))
    motion = kind.motion(graph, q, v, tuple(symbol(graph, number.name) for number in kind.numbers))
    motion = motion.reversed() if flipped else motion
    walked = ", walked from its outboard side" if flipped else ""
    if (len(motion.columns), len(motion.position_rate)) != (kind.shape.nv, kind.shape.nq):
        yield f"its motion has not a column for each speed and a rate for each coordinate{walked}"
        return
    spaces = kind.subspaces(motion, q, flipped)
    if len(spaces.constraints) != 6 - kind.shape.nv or not len(spaces.freedoms) == len(spaces.forces) == kind.shape.nv:
        yield f"free and held directions are not six in all{walked}"
        return
    demands = [*_of_motion(motion, q, v), *_of_directions(motion, spaces.freedoms, spaces.forces, spaces.constraints)]
    squares = [dot(column, column) for column in spaces.constraints]
    group = kind.quaternion
    inputs = (Input("q", (len(q),), tuple(x.ref for x in q), quaternions=() if group is None else (group,)),)
    outputs = [_entries("squares", squares), *(_entries(sentence, entries) for sentence, entries in demands)]
    try:
        values = evaluate((Program(kind.name, graph, inputs, tuple(outputs)),))[0]
    except SymbolicError as error:
        yield f"{error.what}{walked}"
        return
    if not all(values["squares"]):
        yield f"a column of W is zero{walked}"
    yield from (f"{sentence}{walked}" for sentence, _ in demands if any(values[sentence]))


def _entries(name: str, entries: Sequence[Scalar]) -> Output:
    return Output(name, (len(entries),), tuple(entry.ref for entry in entries))


def _of_motion(motion: JointMotion, q: Sequence[Scalar], v: Sequence[Scalar]) -> Iterator[_Demand]:
    graph, placement = motion.graph, motion.placement
    seeds = {x.ref: rate.ref for x, rate in zip(q, motion.position_rate, strict=True)}

    def rates(entries: Sequence[Scalar]) -> list[Scalar]:
        return [Scalar(graph, ref) for ref in forward(graph, [entry.ref for entry in entries], seeds)]

    R = placement.rotation.matrix()
    turning = rates([entry for row in R for entry in row])
    # R^T Rdot = [omega x]: entries (2, 1), (0, 2) and (1, 0).
    spin = [
        sum((R[k][i] * turning[3 * k + j] for k in range(3)), Scalar(graph, 0)) for i, j in ((2, 1), (0, 2), (1, 0))
    ]
    moved = rates(placement.translation)
    linear = [sum((R[k][i] * moved[k] for k in range(3)), Scalar(graph, 0)) for i in range(3)]
    angular_speed, linear_speed = motion.twist(tuple(v))
    yield (
        "H v is not the rate of its placement",
        [x - y for x, y in zip((*spin, *linear), (*angular_speed, *linear_speed), strict=True)],
    )
    change = [Scalar(graph, 0)] * 6
    for (w, u), speed in zip(motion.columns, v, strict=True):
        change = [total + rate * speed for total, rate in zip(change, rates((*w, *u)), strict=True)]
    bias = (*motion.bias[0], *motion.bias[1])
    yield "its bias is not the rate of H, times v", [x - y for x, y in zip(change, bias, strict=True)]


def _of_directions(
    motion: JointMotion, freedoms: Sequence[Column], forces: Sequence[Column], constraints: Sequence[Column]
) -> Iterator[_Demand]:
    pairs = [(own, (*w, *u)) for own, (w, u) in zip(freedoms, motion.columns, strict=True)]
    yield "its free directions are not the columns of H", [x - y for a, b in pairs for x, y in zip(a, b, strict=True)]
    products = [(i == j, dot(a, b)) for i, a in enumerate(freedoms) for j, b in enumerate(forces)]
    yield "H^T H-bar is not the unit matrix", [product - 1 if same else product for same, product in products]
    yield "H^T W is not zero", [dot(a, b) for a in freedoms for b in constraints]
    crossed = [dot(a, b) for k, a in enumerate(constraints) for b in constraints[:k]]
    yield "columns of W are not perpendicular to each other", crossed

"""Where bodies stand, as sweeps hand it on: rotation matrices by rows and translations, in base axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.formulations.shared.heads import vector
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.spatial.rotation import MatrixRotation, Rotation, identity_matrix
from mbsym.spatial.transform import Transform, identity_transform
from mbsym.symbolic.scalar import Scalar

POSE: Final = 12
"""Entries of a rotation matrix and a translation."""


def still_base(mechanism: Mechanism) -> tuple[Scalar, ...]:
    """The base's frame."""
    return tuple(entries_of(identity_transform(mechanism.graph)))


def placed(entries: Sequence[Scalar]) -> Transform:
    """The frame with those entries."""
    rotation = Rotation(entries[0].graph)
    rows = vector(entries[0:3]), vector(entries[3:6]), vector(entries[6:9])
    if rows != identity_matrix(entries[0].graph):
        rotation = Rotation(entries[0].graph, (MatrixRotation(rows),))
    return Transform(rotation, vector(entries[9:12]))


def placed_on(body: TreeBody, carrier: Transform) -> Transform:
    """A body's internal frame on that of the body inboard, with one matrix."""
    return placed(entries_of(carrier.then(body.placement)))


def entries_of(frame: Transform) -> list[Scalar]:
    """Rotation matrix by rows, and translation."""
    return [*(entry for row in frame.rotation.matrix() for entry in row), *frame.translation]


def in_base(body: TreeBody, frame: Transform) -> list[Scalar]:
    """Columns of a body's joint, [angular; linear] at its origin one after the other, in base axes."""
    turn = frame.rotation.to_parent
    return [entry for angular, linear in body.columns for entry in (*turn(angular), *turn(linear))]

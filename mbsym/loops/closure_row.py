"""Records of closure equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mbsym.joints.motion import Motion
from mbsym.loops.scale import RowScale
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3
from mbsym.symbolic.scalar import Scalar

Row: TypeAlias = Mapping[int, Scalar]
"""Entries of a matrix row by column; what is missing is zero."""


@dataclass(frozen=True, slots=True, repr=False)
class ClosureRow:
    """One scalar closure equation.

    Attributes:
        closure: name of the cut joint or constraint element.
        number: of the row within it, from 1.
        quantity: what the row holds together, in words.
        unit: of the residual, or of what is held of the speeds.
        residual: zero where the loop is closed, and everywhere where speeds are held.
        scale: what the residual is measured by.
        residual_jacobian: derivative of the residual by the motion of v, exact everywhere.
        jacobian: row of G.
        bias: entry of gamma in G vdot = gamma.
        wrench: [moment; force] per unit multiplier on the body of ``target``, and its opposite on the body of
            ``source``, in the axes of ``frame``; None for relations of coordinates.
        source, target: body labels.
        frame: frame s in the internal frame of ``source``.
        point: where the wrench is taken, in ``frame``.
        target_frame: internal frame of ``target`` in ``frame``.
        loads: [moment; force] per unit multiplier of an expression of frames, on bodies by label, at the internal
            frame's origin in its components.
        of_speeds: it holds speeds alone and closes nothing.
    """

    closure: str
    number: int
    quantity: str
    unit: str
    residual: Scalar
    scale: RowScale
    residual_jacobian: Row
    jacobian: Row
    bias: Scalar
    wrench: Motion | None
    source: int
    target: int
    frame: Transform | None
    point: Vector3 | None
    target_frame: Transform | None
    loads: Mapping[int, Motion] = field(default_factory=dict)
    of_speeds: bool = False

    @property
    def is_length(self) -> bool:
        """Whether lengths, or their rates, are held: no angles."""
        return self.unit in ("m", "m/s")

    def __repr__(self) -> str:
        return f"<ClosureRow {self.number} of {self.closure!r}: {self.quantity} [{self.unit}]>"


@dataclass(frozen=True, slots=True, repr=False)
class Closure:
    """The closure equations of one cut joint or constraint element.

    Attributes:
        name: of the joint or element.
        kind: joint type, or the type of the element in words, such as "point on line".
        rows: its equations; none for a free joint.
        joints: labels of the tree joints that move its loop, in the order of the walk.
        columns: twists of the loop's joints for unit speeds, for what is to be known about the loop as a whole.
    """

    name: str
    kind: str
    rows: tuple[ClosureRow, ...]
    joints: tuple[int, ...]
    columns: Mapping[int, Motion]

    def __repr__(self) -> str:
        return f"<Closure {self.name!r}, {self.kind}: {len(self.rows)} rows>"

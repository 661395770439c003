"""Kernels that eliminate the coordinates of hinges, in the plane and in space alike.

Loads are [M; Q] = W x + w of a body and everything outboard, x its change [phi; dr]; a coordinate q of its hinge with
axis h adds h dq to x, and h.[M; Q] = pulling - giving dq. Where a motion prescribes the coordinate, dq = pulling is
known instead. What is left is the same in the change before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from mbsym.spatial.vector import dot
from mbsym.symbolic.scalar import Scalar
from mbsym.transfer_matrix.kernel import Kernel, Kernels
from mbsym.transfer_matrix.layout import Layout

Turning: TypeAlias = Callable[[Sequence[Scalar], Sequence[Scalar]], tuple[Sequence[Scalar], Sequence[Scalar]]]
"""Changes of the moment, in axes that turn, per change of a coordinate, and of the force along its axis per rotation,
from the axis and the loads at the iterate."""


def hinge_kernels(layout: Layout, turning: Turning) -> Kernels:
    """The kernels of one variant."""
    n, kept = layout.load, layout.elimination

    def axis_of(k: Kernel) -> tuple[Scalar, ...]:
        return k.array("axis", n, "rotation and displacement per change of the coordinate")

    def driven_of(k: Kernel) -> Scalar:
        return k.scalar("driven", "1 where a motion prescribes the coordinate, else 0")

    def elimination_of(k: Kernel) -> tuple[Scalar, tuple[Scalar, ...], tuple[Scalar, ...]]:
        inverse, *rest = k.array("elimination", kept, "")
        return inverse, tuple(rest[:n]), tuple(rest[n:])

    def coordinate(k: Kernel) -> None:
        W = k.array("W", (n, n), "loads of the body and everything outboard")
        h = axis_of(k)
        moments, alongs = turning(h, k.array("wrench", n, "moment and force at the input end, last iterate"))
        geometric = k.scalar("geometric", "1 where axes turn with the unknowns, else 0")
        giving = k.scalar("giving", "stiffness along the coordinate")
        free = 1 - driven_of(k)
        column = [dot(W[n * i : n * i + n], h) for i in range(n)]
        row = [dot([W[n * i + j] for i in range(n)], h) for j in range(n)]
        for i, (moment, along) in enumerate(zip(moments, alongs, strict=True)):
            column[i], row[i] = column[i] + geometric * moment, row[i] + geometric * along
        inverse = free / (free * (dot(row, h) + giving) + 1 - free)
        across = [inverse * x for x in row]
        left = [W[n * i + j] - column[i] * across[j] for i in range(n) for j in range(n)]
        k.output("W_left", (n, n), left, "loads in the change before the coordinate")
        k.output("elimination", kept, (inverse, *column, *across), "")

    def right_side(k: Kernel) -> None:
        h, (inverse, column, _) = axis_of(k), elimination_of(k)
        driven = driven_of(k)
        pulling = k.scalar("pulling", "force along the coordinate; its change where it is driven")
        w = k.array("w", n, "column of the loads")
        side = inverse * (dot(h, w) - pulling) - driven * pulling
        k.output("side", 1, (side,), "what the coordinate lacks for an interface at rest")
        k.output("w_left", n, [x - side * y for x, y in zip(w, column, strict=True)], "before the coordinate")

    def change(k: Kernel) -> None:
        h, (_, _, across) = axis_of(k), elimination_of(k)
        (side,) = k.array("side", 1, "what the coordinate lacks for an interface at rest")
        x = k.array("change", n, "rotation and displacement before the coordinate")
        dq = -(side + dot(across, x))
        k.output("own_change", 1, (dq,), "of the coordinate")
        k.output("beyond", n, [a + b * dq for a, b in zip(x, h, strict=True)], "change beyond it")

    def load(k: Kernel) -> None:
        W, w = k.array("W", (n, n), ""), k.array("w", n, "")
        x = k.array("change", n, "rotation and displacement")
        k.output("load", n, [dot(W[n * i : n * i + n], x) + w[i] for i in range(n)], "W x + w")

    return (
        ("transfer_hinge_coordinate", "eliminates a coordinate of a hinge from the loads of its body", coordinate),
        ("transfer_hinge_column", "eliminates it from one column of these loads", right_side),
        ("transfer_hinge_change", "change of a coordinate and of what lies beyond it", change),
        ("transfer_load", "loads of a change", load),
    )

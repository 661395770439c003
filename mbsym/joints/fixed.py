"""Fixed joint: no freedom."""

from __future__ import annotations

from typing import Final

from mbsym.joints.closure_rows import ClosureGap, RowDraft, equal_attitude, same_point
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import JointType, shape_of_rates
from mbsym.joints.subspaces import selected
from mbsym.spatial.transform import identity_transform
from mbsym.spatial.vector import zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar


def motion(graph: Graph, q: tuple[Scalar, ...], v: tuple[Scalar, ...], numbers: tuple[Scalar, ...]) -> JointMotion:
    """The frames coincide."""
    zero = zero_vector(graph)
    return JointMotion(identity_transform(graph), (), (zero, zero), ())


def closure_rows(gap: ClosureGap) -> list[RowDraft]:
    """Equal attitude in one point."""
    return [*equal_attitude(gap), *same_point(gap)]


FIXED: Final = JointType(
    name="fixed",
    sentence="no freedom",
    shape=shape_of_rates(),
    entries=(),
    turning="never",
    slides=False,
    motion=motion,
    subspaces=selected(0, 1, 2, 3, 4, 5),
    closure_rows=closure_rows,
    unfelt=("mass", "first moments", "second moments"),
    likelihood=1.2,
)

"""Free joint: six degrees of freedom, attitude by a unit quaternion."""

from __future__ import annotations

from typing import Final

from mbsym.joints.closure_rows import ClosureGap, RowDraft
from mbsym.joints.coordinate_groups import CoordinateGroup, quaternion_rate
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import JointShape, JointType
from mbsym.joints.subspaces import JointSubspaces, freedoms
from mbsym.spatial.rotation import from_quaternion, identity_matrix
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import negate, zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar


def motion(graph: Graph, q: tuple[Scalar, ...], v: tuple[Scalar, ...], numbers: tuple[Scalar, ...]) -> JointMotion:
    """q = (w, x, y, z, px, py, pz), v = [omega; v_O] in outboard axes."""
    zero = zero_vector(graph)
    placement = _placement(q)
    axes = identity_matrix(graph)
    return JointMotion(
        placement,
        (*((axis, zero) for axis in axes), *((zero, axis) for axis in axes)),
        (zero, zero),
        (*quaternion_rate(q[:4], (v[0], v[1], v[2])), *placement.rotation.to_parent((v[3], v[4], v[5]))),
    )


def _placement(q: tuple[Scalar, ...]) -> Transform:
    return Transform(from_quaternion((q[0], q[1], q[2], q[3])), (q[4], q[5], q[6]))


def subspaces(motion: JointMotion, q: tuple[Scalar, ...], flipped: bool) -> JointSubspaces:
    """H-bar walked backwards is -X, since H is -X^-T: forces change sides as wrenches do, freedoms as twists."""
    columns = freedoms(motion)
    if not flipped:
        return JointSubspaces(columns, columns, ())
    placement = _placement(q)
    axes, none = identity_matrix(motion.graph), zero_vector(motion.graph)
    wrenches = [placement.wrench_to_parent(axis, none) for axis in axes]
    wrenches += [placement.wrench_to_parent(none, axis) for axis in axes]
    return JointSubspaces(columns, tuple((*negate(moment), *negate(force)) for moment, force in wrenches), ())


def closure_rows(gap: ClosureGap) -> list[RowDraft]:
    """None."""
    return []


FREE: Final = JointType(
    name="free",
    sentence="six degrees of freedom, the attitude by a unit quaternion",
    shape=JointShape(
        coordinates=("w", "x", "y", "z", "px", "py", "pz"),
        coordinate_units=("1",) * 4 + ("m",) * 3,
        speeds=("wx", "wy", "wz", "vx", "vy", "vz"),
        speed_units=("rad/s",) * 3 + ("m/s",) * 3,
        force_units=("N m",) * 3 + ("N",) * 3,
        neutral=(1, 0, 0, 0, 0, 0, 0),
    ),
    entries=(),
    turning="in space",
    slides=False,
    motion=motion,
    subspaces=subspaces,
    closure_rows=closure_rows,
    group=CoordinateGroup.POSES,
    convention=(
        "Free joint: q = [quaternion; position of the frame origin], v = [omega; v_O] in the moving frame's axes."
    ),
    likelihood=0.7,
)

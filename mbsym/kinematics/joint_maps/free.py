"""Free joint: six degrees of freedom, attitude by a unit quaternion."""

from __future__ import annotations

from mbsym.kinematics.joint_maps.quaternion_rate import quaternion_rate
from mbsym.kinematics.joint_motion import JointMotion
from mbsym.spatial.rotation import from_quaternion
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import vector, zero_vector
from mbsym.symbolic.scalar import Scalar


def motion(q: tuple[Scalar, ...], v: tuple[Scalar, ...], pitch: Scalar) -> JointMotion:
    """q = (w, x, y, z, px, py, pz), v = [omega; v_O] in outboard axes."""
    graph = pitch.graph
    zero = zero_vector(graph)
    rotation = from_quaternion((q[0], q[1], q[2], q[3]))
    axes = (vector(graph, (1, 0, 0)), vector(graph, (0, 1, 0)), vector(graph, (0, 0, 1)))
    return JointMotion(
        Transform(rotation, (q[4], q[5], q[6])),
        (*((axis, zero) for axis in axes), *((zero, axis) for axis in axes)),
        (zero, zero),
        (*quaternion_rate(q[:4], (v[0], v[1], v[2])), *rotation.to_parent((v[3], v[4], v[5]))),
    )

"""Fixed joint: no freedom."""

from __future__ import annotations

from mbsym.kinematics.joint_motion import JointMotion
from mbsym.spatial.transform import identity_transform
from mbsym.spatial.vector import zero_vector
from mbsym.symbolic.scalar import Scalar


def motion(q: tuple[Scalar, ...], v: tuple[Scalar, ...], pitch: Scalar) -> JointMotion:
    """The frames coincide."""
    zero = zero_vector(pitch.graph)
    return JointMotion(identity_transform(pitch.graph), (), (zero, zero), ())

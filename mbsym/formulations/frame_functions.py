"""The functions of the user's frames, in modules that ask for some."""

from __future__ import annotations

from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Contract, Function, Result
from mbsym.kinematics import frames
from mbsym.records import Registry

FRAME_FUNCTIONS: Final = Registry(
    "function",
    (
        Function(
            Contract(
                "frame_pose",
                ("q",),
                (Result("poses", ("nf", 4, 4), "", "homogeneous matrices from the frames to the base frame"),),
                "homogeneous matrices from the frames to the base frame",
                reference="frame_poses",
            ),
            frames.frame_pose_entries,
        ),
        Function(
            Contract(
                "frame_velocity",
                ("q", "v"),
                (Result("velocities", ("nf", 6), "", "[omega; v] of the frames"),),
                "[omega; v] of the frames, each in its axes",
                reference="frame_velocities",
            ),
            frames.frame_velocity_entries,
        ),
        Function(
            Contract(
                "frame_acceleration",
                ("q", "v", "vdot"),
                (Result("accelerations", ("nf", 6), "", "[alpha; a] of the frames"),),
                "[alpha; a] of the frames, each in its axes: frame_jacobian vdot + frame_jacobian_rate_v",
                reference="frame_accelerations",
            ),
            frames.frame_acceleration_entries,
        ),
        Function(
            Contract(
                "frame_proper_acceleration",
                ("q", "v", "vdot"),
                (Result("accelerations", ("nf", 6), "", "[alpha; a - g] of the frames"),),
                "[alpha; a less gravity] of the frames, each in its axes, as inertial sensors feel it",
                reference="frame_proper_accelerations",
            ),
            frames.proper_acceleration_entries,
        ),
        Function(
            Contract(
                "frame_jacobian",
                ("q",),
                (Result("jacobians", ("nf", 6, "nv"), "", "Jacobians of the frames"),),
                "Jacobians of the frames, each in its axes: frame_velocity = frame_jacobian v",
                reference="frame_jacobians",
            ),
            frames.frame_jacobian_entries,
        ),
        Function(
            Contract(
                "frame_jacobian_rate_v",
                ("q", "v"),
                (Result("accelerations", ("nf", 6), "", "[alpha; a] of the frames with vdot = 0"),),
                "[alpha; a] of the frames with vdot = 0, each in its axes: Jdot v",
                reference="frame_jacobian_rates_v",
            ),
            frames.jacobian_rate_entries,
        ),
    ),
    DerivationError,
)
"""Over the frames that a module was asked for; they cost nothing where there are none."""

"""The functions of the user's frames, in modules that ask for some."""

from __future__ import annotations

from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Function, contract
from mbsym.kinematics import frames
from mbsym.records import Registry

FRAME_FUNCTIONS: Final = Registry(
    "function",
    (
        Function(
            contract(
                "frame_pose(q)",
                "homogeneous matrices from the frames to the base frame",
                "poses[nf, 4, 4]",
                reference="frame_poses",
            ),
            frames.frame_pose_entries,
        ),
        Function(
            contract(
                "frame_velocity(q, v)",
                "[omega; v] of the frames, each in its axes",
                "velocities[nf, 6]: [omega; v] of the frames",
                reference="frame_velocities",
            ),
            frames.frame_velocity_entries,
        ),
        Function(
            contract(
                "frame_acceleration(q, v, vdot)",
                "[alpha; a] of the frames, each in its axes: frame_jacobian vdot + frame_jacobian_rate_v",
                "accelerations[nf, 6]: [alpha; a] of the frames",
                reference="frame_accelerations",
            ),
            frames.frame_acceleration_entries,
        ),
        Function(
            contract(
                "frame_proper_acceleration(q, v, vdot)",
                "[alpha; a less gravity] of the frames, each in its axes, as inertial sensors feel it",
                "accelerations[nf, 6]: [alpha; a - g] of the frames",
                reference="frame_proper_accelerations",
            ),
            frames.proper_acceleration_entries,
        ),
        Function(
            contract(
                "frame_jacobian(q)",
                "Jacobians of the frames, each in its axes: frame_velocity = frame_jacobian v",
                "jacobians[nf, 6, nv]: Jacobians of the frames",
                reference="frame_jacobians",
            ),
            frames.frame_jacobian_entries,
        ),
        Function(
            contract(
                "frame_jacobian_rate_v(q, v)",
                "[alpha; a] of the frames with vdot = 0, each in its axes: Jdot v",
                "accelerations[nf, 6]: [alpha; a] of the frames with vdot = 0",
                reference="frame_jacobian_rates_v",
            ),
            frames.jacobian_rate_entries,
        ),
    ),
    DerivationError,
)
"""Over the frames that a module was asked for; they cost nothing where there are none."""

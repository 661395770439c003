"""What controllers make of the dynamics, in modules that ask for it by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mbsym.derivatives.centroidal import centroidal_momentum_matrix, centroidal_momentum_rate_v
from mbsym.derivatives.functions import DERIVATIVE_FUNCTIONS
from mbsym.derivatives.operational_space import operational_space, operational_space_inertia
from mbsym.derivatives.wrenches_of_motion import joint_wrenches_of_motion
from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Contract, Function, Result
from mbsym.kinematics.mechanism import Mechanism
from mbsym.records import Registry

CONTROL_FUNCTIONS: Final = Registry(
    "function",
    (
        Function(
            Contract(
                "joint_wrenches_of_motion",
                ("q", "v", "vdot", "t", "u"),
                (Result("wrenches", ("nb", 6), "", "joint wrenches"),),
                "[moment; force] on each joint's successor by its predecessor that produce the rates vdot, as "
                "joint_wrenches has them",
                identities=("wrenches of the forces of the motion",),
            ),
            joint_wrenches_of_motion,
        ),
        Function(
            Contract(
                "centroidal_momentum_matrix",
                ("q",),
                (Result("A", (6, "nv"), "", "momentum by each speed"),),
                "A(q) with A v the momentum, [angular about the centre of mass; linear] in base axes",
                identities=("A v = momentum",),
            ),
            centroidal_momentum_matrix,
        ),
        Function(
            Contract(
                "centroidal_momentum_rate_v",
                ("q", "v"),
                (Result("rate", (6,), "", "rate of the momentum with vdot = 0"),),
                "Adot v, the rate of momentum with vdot = 0, about the centre of mass in base axes",
                identities=("difference of momentum",),
            ),
            centroidal_momentum_rate_v,
        ),
    ),
    DerivationError,
)
"""Of every tree."""

_INERTIA: Final = Result("Lambda", ("6nf", "6nf"), "", "inertia that the frames feel, (J M^-1 J^T + damping 1)^-1")

FRAME_CONTROL_FUNCTIONS: Final = Registry(
    "function",
    (
        Function(
            Contract(
                "operational_space_inertia",
                ("q", "damping"),
                (_INERTIA,),
                "Lambda = (J M^-1 J^T + damping 1)^-1 over the frames; rows in which nothing moves are zero",
                identities=("Lambda of the mass matrix",),
                solves=True,
            ),
            operational_space_inertia,
        ),
        Function(
            Contract(
                "operational_space",
                ("q", "v", "damping", "t", "u"),
                (
                    _INERTIA,
                    Result(
                        "bias", ("6nf",), "", "velocity, gravity and force element terms, Lambda (J M^-1 h - Jdot v)"
                    ),
                    Result("J_bar", ("nv", "6nf"), "", "dynamically consistent inverse, M^-1 J^T Lambda"),
                ),
                "F = Lambda a + bias gives the frames the accelerations a by tau = J^T F; J_bar^T takes tau to F",
                identities=("Lambda, bias and inverse of the mass matrix",),
                solves=True,
            ),
            operational_space,
        ),
    ),
    DerivationError,
)
"""Over the frames that a module was asked for."""


def functions_on_request(mechanism: Mechanism) -> Mapping[str, Function]:
    """Functions that a module of a mechanism has only where they are named."""
    of_frames = FRAME_CONTROL_FUNCTIONS if mechanism.frames else {}
    return {**DERIVATIVE_FUNCTIONS, **CONTROL_FUNCTIONS, **of_frames}

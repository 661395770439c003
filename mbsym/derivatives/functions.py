"""The functions of this room, in modules that ask for them by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mbsym.derivatives.centroidal import centroidal_momentum_matrix, centroidal_momentum_rate_v
from mbsym.derivatives.coriolis import coriolis_matrix, slotine_li
from mbsym.derivatives.forward_dynamics import (
    forward_dynamics_derivatives,
    forward_dynamics_with_derivatives,
    inverse_mass_matrix,
)
from mbsym.derivatives.inverse_dynamics import inverse_dynamics_derivatives
from mbsym.derivatives.operational_space import operational_space, operational_space_inertia
from mbsym.derivatives.second_derivatives import (
    forward_dynamics_second_derivatives,
    inverse_dynamics_second_derivatives,
)
from mbsym.derivatives.tangent import tangent_map
from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import joint_wrenches_at
from mbsym.formulations.contracts import Contract, Entries, Function, Result, contract
from mbsym.kinematics.mechanism import Mechanism
from mbsym.records import Registry

_BY_SPEEDS: Final = "q moved along the speeds (see tangent_map)"
_BY_ROWS: Final = "by q and q, that of the row first"

_OF_MOTION: Final = (
    Result("dvdot_dq", ("nv", "nv"), "", f"d vdot / d q, {_BY_SPEEDS}"),
    Result("dvdot_dv", ("nv", "nv"), "", "d vdot / d v"),
    Result("dvdot_dtau", ("nv", "nv"), "", "d vdot / d tau, the inverse of the mass matrix"),
)


def _second(function: str, result: str, by: str, identity: str) -> Contract:
    """Second derivatives of a function whose result is weighted, by q, v and its third argument."""
    return Contract(
        f"{function}_second_derivatives",
        ("q", "v", by, "weights", "t", "u", "x"),
        (
            Result(f"d2{result}_dqdq", ("nv", "nv"), "", f"{_BY_ROWS}, {_BY_SPEEDS}"),
            Result(f"d2{result}_dqdv", ("nv", "nv"), "", "by q (rows) and v (columns)"),
            Result(f"d2{result}_dvdv", ("nv", "nv"), "", "by v and v, symmetric"),
            Result(f"d2{result}_dqd{by}", ("nv", "nv"), "", f"by q (rows) and {by} (columns)"),
        ),
        f"second derivatives of weights^T {function}, {_BY_SPEEDS}; those that are not here are zero",
        identities=(identity,),
        solves=result == "vdot",
    )


def joint_wrenches_of_motion(mechanism: Mechanism) -> Entries:
    """Wrench in every joint that produces the rates vdot, (nb, 6)."""
    return joint_wrenches_at(mechanism, mechanism.entries(mechanism.vdot))


DERIVATIVE_FUNCTIONS: Final = Registry(
    "function",
    (
        Function(
            contract(
                "inverse_dynamics_derivatives(q, v, vdot, t, u, x)",
                f"derivatives of inverse_dynamics by q and v, {_BY_SPEEDS}; that by vdot is mass_matrix",
                f"dtau_dq[nv, nv]: d tau / d q, {_BY_SPEEDS}",
                "dtau_dv[nv, nv]: d tau / d v",
                identities=("difference of inverse dynamics",),
            ),
            inverse_dynamics_derivatives,
        ),
        Function(
            contract(
                "forward_dynamics_derivatives(q, v, tau, t, u, x)",
                f"derivatives of forward_dynamics by q, v and tau, {_BY_SPEEDS}",
                *_OF_MOTION,
                identities=("difference of forward dynamics", "solved difference of inverse dynamics"),
                solves=True,
            ),
            forward_dynamics_derivatives,
        ),
        Function(
            contract(
                "forward_dynamics_with_derivatives(q, v, tau, t, u, x)",
                f"forward_dynamics and its derivatives by q, v and tau in one, {_BY_SPEEDS}",
                "vdot[nv]: rates of the speeds",
                *_OF_MOTION,
                reference="solve.vdot",
                identities=("difference of forward dynamics", "solved difference of inverse dynamics"),
                solves=True,
            ),
            forward_dynamics_with_derivatives,
        ),
        Function(
            _second("inverse_dynamics", "tau", "vdot", "difference of the first derivatives"),
            inverse_dynamics_second_derivatives,
        ),
        Function(
            _second("forward_dynamics", "vdot", "tau", "difference of the first derivatives of the solution"),
            forward_dynamics_second_derivatives,
        ),
        Function(
            contract(
                "tangent_map(q)",
                "T(q) with qdot = T v: what a step along the speeds does to the coordinates",
                "T[nq, nv]: qdot = T v",
                identities=("T v = position_rate",),
            ),
            tangent_map,
        ),
        Function(
            contract(
                "coriolis_matrix(q, v)",
                "C(q, v) with C v the velocity terms of bias_force and Mdot = C + C^T, so that Mdot - 2 C is skew",
                "C[nv, nv]: Coriolis matrix",
                identities=("Mdot = C + C^T and C v",),
            ),
            coriolis_matrix,
        ),
        Function(
            contract(
                "inverse_mass_matrix(q)",
                "inverse of the mass matrix",
                "M_inverse[nv, nv]",
                identities=("M M^-1 = 1",),
                solves=True,
            ),
            inverse_mass_matrix,
        ),
        Function(
            contract(
                "slotine_li(q, v, v_r, a_r)",
                "M(q) a_r + C(q, v) v_r + g(q), C the Coriolis matrix and g the gravity force; force elements left out",
                "tau[nv]: generalised forces",
                identities=("M a_r + C v_r + g",),
            ),
            slotine_li,
        ),
    ),
    DerivationError,
)
"""Not among the functions of a module that names none: the derivatives of a long chain are most of its code."""

OF_FREE_MOTION: Final = (
    "forward_dynamics_derivatives",
    "forward_dynamics_with_derivatives",
    "forward_dynamics_second_derivatives",
    "joint_wrenches_of_motion",
    "operational_space_inertia",
    "operational_space",
)
"""Functions whose motion closed loops constrain."""

OF_UNDRIVEN_MOTION: Final = (
    "forward_dynamics_second_derivatives",
    "operational_space_inertia",
    "operational_space",
)
"""Functions that are not there where motions are prescribed."""

CONTROL_FUNCTIONS: Final = Registry(
    "function",
    (
        Function(
            contract(
                "joint_wrenches_of_motion(q, v, vdot, t, u, x)",
                "[moment; force] on each joint's successor by its predecessor that produce the rates vdot, as "
                "joint_wrenches has them",
                "wrenches[nb, 6]: joint wrenches",
                identities=("wrenches of the forces of the motion",),
            ),
            joint_wrenches_of_motion,
        ),
        Function(
            contract(
                "centroidal_momentum_matrix(q)",
                "A(q) with A v the momentum, [angular about the centre of mass; linear] in base axes",
                "A[6, nv]: momentum by each speed",
                identities=("A v = momentum",),
            ),
            centroidal_momentum_matrix,
        ),
        Function(
            contract(
                "centroidal_momentum_rate_v(q, v)",
                "Adot v, the rate of momentum with vdot = 0, about the centre of mass in base axes",
                "rate[6]: rate of the momentum with vdot = 0",
                identities=("difference of momentum",),
            ),
            centroidal_momentum_rate_v,
        ),
    ),
    DerivationError,
)
"""What controllers make of the dynamics, of every tree."""

_INERTIA: Final = Result("Lambda", ("6nf", "6nf"), "", "inertia that the frames feel, (J M^-1 J^T + damping 1)^-1")

FRAME_CONTROL_FUNCTIONS: Final = Registry(
    "function",
    (
        Function(
            contract(
                "operational_space_inertia(q, damping)",
                "Lambda = (J M^-1 J^T + damping 1)^-1 over the frames; rows in which nothing moves are zero",
                _INERTIA,
                identities=("Lambda of the mass matrix",),
                solves=True,
            ),
            operational_space_inertia,
        ),
        Function(
            contract(
                "operational_space(q, v, damping, t, u, x)",
                "F = Lambda a + bias gives the frames the accelerations a by tau = J^T F; J_bar^T takes tau to F",
                _INERTIA,
                "bias[6nf]: velocity, gravity and force element terms, Lambda (J M^-1 h - Jdot v)",
                "J_bar[nv, 6nf]: dynamically consistent inverse, M^-1 J^T Lambda",
                identities=("Lambda, bias and inverse of the mass matrix",),
                solves=True,
            ),
            operational_space,
        ),
    ),
    DerivationError,
)
"""The same over the frames that a module was asked for."""


def functions_on_request(mechanism: Mechanism) -> Mapping[str, Function]:
    """Functions that a module of a mechanism has only where they are named."""
    of_frames = FRAME_CONTROL_FUNCTIONS if mechanism.frames else {}
    return {**DERIVATIVE_FUNCTIONS, **CONTROL_FUNCTIONS, **of_frames}

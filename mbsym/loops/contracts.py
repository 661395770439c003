"""Contracts of the functions that closed loops add, or that take the place of those of the tree.

Sizes besides the mechanism's are "rows", the independent closure rows, and "gaps", all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mbsym.codegen.statuses import Failure, Status
from mbsym.formulations import contracts as of_trees
from mbsym.formulations.contracts import Contract, Display, Result, contract

MOTION: Final = (
    Result("vdot", ("nv",), "", "rates of the speeds"),
    Result("lambda", ("rows",), "", "multipliers of the independent closure rows"),
)

NOT_NUMBERS: Final = Failure(Status.NOT_FINITE, "what arithmetic made of them, and not to be used")

SOLVED: Final = (
    Failure(
        Status.SINGULAR,
        "the motion of the rows that are left, which is one of several where G loses rank; lambda and reactions are of "
        "least norm; not numbers where the mass matrix itself is singular",
    ),
    NOT_NUMBERS,
)
"""Of functions that solve for multipliers."""

PROJECTED: Final = (
    Failure(Status.NOT_CLOSED, "the coordinates with the smallest gap that the steps came to"),
    Failure(Status.NOT_FINITE, "the coordinates that were given"),
)

NEAREST: Final = (
    Failure(
        Status.SINGULAR,
        "the nearest speeds with G v = 0, which are more than elsewhere; not numbers where the mass matrix is singular",
    ),
    NOT_NUMBERS,
)

WRENCHES: Final = (Result("wrenches", ("nj", 6), "", "joint wrenches, tree joints and then cut joints"),)

CONSTRAINT_RESIDUAL: Final = contract(
    "constraint_residual(q)",
    "residuals of the independent closure rows, zero where the loops are closed",
    "residual[rows]: closure residuals [m, rad]",
    display=Display("Phi", "Closure equations", "Phi(q) = 0 where the loops close."),
    identities=("closed loops", "motions of closed loops"),
)

CLOSURE_GAP: Final = contract(
    "closure_gap(q)",
    "residuals of all closure rows, those that follow from others included",
    "gap[gaps]: closure residuals [m, rad]",
    identities=("closed loops", "motions of closed loops"),
)

CLOSURE_SCALE: Final = contract(
    "closure_scale(q)",
    "what residuals of the independent closure rows are measured by: a few epsilon of the sum are round-off",
    "size[rows]: what each residual is measured by: 1, or the way around the loop [m, rad]",
    "rounding[rows]: what rounded coordinates add to it [m, rad]",
    identities=("sizes of what is summed",),
)

CONSTRAINT_JACOBIAN: Final = contract(
    "constraint_jacobian(q)",
    "Jacobian of the independent closure rows",
    "G[rows, nv]: closure rows: G v = 0, and G^T lambda is their force",
    display=Display(
        "G",
        "Constraint Jacobian",
        "G(q) in G vdot = gamma and M vdot + h = tau + G^T lambda; independent rows only.",
    ),
    identities=("G v = 0", "rows of closed loops", "difference of residuals"),
)

CONSTRAINT_BIAS: Final = contract(
    "constraint_bias(q, v)",
    "right side of the closure rows at acceleration level",
    "gamma[rows]: G vdot = gamma",
    display=Display("gamma", "Constraint bias", "gamma(q, v) in G vdot = gamma."),
    identities=("G vdot = gamma",),
)

CONSTRAINED_DYNAMICS: Final = contract(
    "constrained_dynamics(q, v, tau, t, u, x)",
    "rates of the speeds with closed loops, and multipliers: M vdot + bias = tau + G^T lambda",
    *MOTION,
    reference="solve.vdot",
    identities=("M vdot + h = tau + G^T lambda",),
    solves=True,
    failures=SOLVED,
)

FORWARD_DYNAMICS: Final = replace(
    of_trees.FORWARD_DYNAMICS,
    description=f"{of_trees.FORWARD_DYNAMICS.description}, with closed loops",
    failures=SOLVED,
)

JOINT_WRENCHES: Final = replace(of_trees.JOINT_WRENCHES, results=WRENCHES, failures=SOLVED)

OF_LEAST_NORM: Final = "; of least norm, because reactions are not unique"
"""What is added to the description of wrenches where closure rows depend on each other."""

CONSTRAINED_WRENCHES: Final = contract(
    "constrained_wrenches(q, v, vdot, lambda, t, u, x)",
    JOINT_WRENCHES.description,
    *WRENCHES,
    identities=("wrenches of the motion",),
)

CONSTRAINED_TERMS: Final = contract(
    "constrained_terms(q, v, tau, t, u, x)",
    "terms of the constrained dynamics: lambda solves delassus lambda = right, vdot = free + response lambda",
    "free[nv]: vdot with open loops",
    "response[nv, rows]: M^-1 G^T",
    "delassus[rows, rows]: G M^-1 G^T",
    "right[rows]: gamma - G vdot with open loops",
    "weighted[nv, rows]: Y = L^-T G^T",
    "inverses[nv]: D^-1 in M = L^T D L",
    identities=("motion with open loops", "rows on the mass matrix"),
)

ROWS: Final = (
    Result("response", ("nv", "rows"), "", "M^-1 J^T"),
    Result("delassus", ("rows", "rows"), "", "J M^-1 J^T"),
    Result("weighted", ("nv", "rows"), "", "Y = L^-T J^T"),
    Result("inverses", ("nv",), "", "D^-1 in M = L^T D L"),
)
"""Rows J on the mass matrix: what a solver that copes with dependent ones needs."""

_BY_SPEEDS: Final = "q moved along the speeds (see tangent_map)"

CONSTRAINED_DERIVATIVE_TERMS: Final = contract(
    "constrained_derivative_terms(q, v, vdot, lambda, t, u, x)",
    "terms of the derivatives of constrained_dynamics: delassus dlambda = right, dvdot = free + response dlambda",
    f"free_dq[nv, nv]: d vdot / d q at held multipliers, {_BY_SPEEDS}",
    "right_dq[rows, nv]: d (gamma - G vdot) / d q less G free_dq",
    "free_dv[nv, nv]: d vdot / d v at held multipliers",
    "right_dv[rows, nv]: d gamma / d v less G free_dv",
    "M_inverse[nv, nv]: inverse of the mass matrix",
    identities=("difference of the balance of forces",),
    solves=True,
)

CONSTRAINED_DYNAMICS_DERIVATIVES: Final = contract(
    "constrained_dynamics_derivatives(q, v, tau, t, u, x)",
    f"derivatives of constrained_dynamics by q, v and tau, {_BY_SPEEDS}",
    f"dvdot_dq[nv, nv]: d vdot / d q, {_BY_SPEEDS}",
    "dvdot_dv[nv, nv]: d vdot / d v",
    "dvdot_dtau[nv, nv]: d vdot / d tau",
    f"dlambda_dq[rows, nv]: d lambda / d q, {_BY_SPEEDS}",
    "dlambda_dv[rows, nv]: d lambda / d v",
    "dlambda_dtau[rows, nv]: d lambda / d tau",
    identities=(
        "difference of constrained dynamics",
        "solved difference of constrained dynamics",
        "difference of closed motions",
    ),
    solves=True,
    failures=(
        Failure(
            Status.SINGULAR,
            "those of the rows that are left, of least norm in dlambda; not numbers where the mass matrix is singular",
        ),
        NOT_NUMBERS,
    ),
)

_INDEPENDENT: Final = "the other coordinates and speeds following as the loops have it"

INDEPENDENT_DYNAMICS_DERIVATIVES: Final = contract(
    "independent_dynamics_derivatives(q, v, tau, t, u, x)",
    f"vdot of closed loops and its derivatives by independent coordinates and speeds, {_INDEPENDENT}",
    MOTION[0],
    "N[nv, independent]: v = N v_i of the independent speeds, in whose rows it is the unit matrix",
    "dv_dq[nv, independent]: d v / d q_i at constant v_i",
    f"dvdot_dq[nv, independent]: d vdot / d q_i, {_BY_SPEEDS}",
    "dvdot_dv[nv, independent]: d vdot / d v_i",
    "dvdot_dtau[nv, nv]: d vdot / d tau",
    reference="solve.vdot",
    identities=("motions of independent speeds", "difference along independent motions"),
    solves=True,
)

INDEPENDENT_MULTIPLIER_DERIVATIVES: Final = contract(
    "independent_multiplier_derivatives(q, v, tau, t, u, x)",
    f"lambda of constrained_dynamics and its derivatives by independent coordinates and speeds, {_INDEPENDENT}",
    MOTION[1],
    f"dlambda_dq[rows, independent]: d lambda / d q_i, {_BY_SPEEDS}",
    "dlambda_dv[rows, independent]: d lambda / d v_i",
    "dlambda_dtau[rows, nv]: d lambda / d tau",
    identities=("difference of multipliers along independent motions",),
    solves=True,
)

DEPENDENT_SPEEDS: Final = contract(
    "dependent_speeds(q, v_independent)",
    "all speeds of closed loops by the independent ones",
    "v[nv]: all speeds",
    identities=("speeds of independent ones",),
    solves=True,
)

POSITION_CORRECTION: Final = contract(
    "position_correction(q)",
    "what moves residuals of the independent closure rows with least kinetic energy, J their exact derivatives",
    "residual_jacobian[rows, nv]: derivatives J of the residuals by the motion of v",
    *ROWS,
    identities=("rows at closed loops", "rows on the mass matrix"),
)

VELOCITY_CORRECTION: Final = contract(
    "velocity_correction(q)",
    "what changes the rates of the independent closure rows with least kinetic energy",
    "G[rows, nv]: closure rows J = G",
    *ROWS,
    identities=("rows at closed loops", "rows on the mass matrix"),
)

MOVED_POSITION: Final = contract(
    "moved_position(q, motion)",
    "coordinates after a small motion of v, quaternions of unit length",
    "q_moved[nq]: coordinates after the motion",
    identities=("rates of the coordinates",),
)

ACTUATED_INVERSE_DYNAMICS: Final = contract(
    "actuated_inverse_dynamics(q, v, vdot, t, u, x)",
    "forces of the actuated joints that produce vdot with closed loops",
    "tau[nv]: generalised forces, zero where there is no motor",
    identities=("least forces of the motors",),
)

CLOSED_FORM_POSITION: Final = contract(
    "closed_form_position(q, branch)",
    "coordinates of a planar loop by its leading ones, in closed form",
    "q_closed[nq]: coordinates with the loop closed, angles in (-pi, pi]",
    identities=("closed by either branch",),
)

# ---- functions with fixed text --------------------------------------------------------------------------------------

DRIVING_FORCES: Final = contract(
    "driving_forces(q, v, tau, t, u, x)",
    "what motions take, in place of these entries of tau",
    "driving[nv]: generalised forces of the driven speeds; zero for all others",
    reference="solve.driving",
    solves=True,
    failures=SOLVED,
)

FORCES_OF_MOTIONS: Final = contract(
    "forces_of_motions(q, v, vdot, lambda, t, u, x)",
    "driving_forces of known vdot and lambda",
    *DRIVING_FORCES.results,
    identities=("forces of the driven speeds",),
)

DRIVEN_STATE: Final = contract(
    "driven_state(q, v, t, u, x)",
    "q and v with what motions prescribe at that time; all else as it is given",
    "q_prescribed[nq]: coordinates",
    "v_prescribed[nv]: speeds",
    identities=("prescribed entries",),
)

PROJECT_POSITION: Final = contract(
    "project_position(q)",
    "nearest coordinates with closed loops, weighted by M (operations of one Newton step)",
    "q_closed[nq]: coordinates with closed loops",
    identities=("closes the loops",),
    failures=PROJECTED,
)

ASSEMBLY_TERMS: Final = contract(
    "assembly_terms(q)",
    "what moves residuals of the independent closure rows while other coordinates are held",
    "residual_jacobian[rows, nv]: derivatives J of the residuals by the motion of v",
    "inverse_inertias[nv]: of the diagonal of the mass matrix; 0 where a motion is prescribed",
    identities=("rows at closed loops", "diagonal of the mass matrix"),
)

ASSEMBLE: Final = contract(
    "assemble(q, held)",
    "coordinates with closed loops near q, those along speeds whose entry of held is not zero as they are (operations "
    "of one Newton step)",
    "q_assembled[nq]: coordinates with closed loops",
    identities=("closes the loops and holds",),
    failures=PROJECTED,
)

PROJECT_POSITION_REPORT: Final = replace(
    PROJECT_POSITION,
    name="project_position_report",
    results=(
        *PROJECT_POSITION.results,
        Result("gap", (), "", "largest closure residual that is left [m, rad]"),
        Result("steps", (), "", "Newton steps", "int"),
    ),
    description="project_position with what became of it (operations of one Newton step)",
)

PROJECT_VELOCITY: Final = contract(
    "project_velocity(q, v)",
    "nearest speeds with G v = 0, weighted by M",
    "v_consistent[nv]: speeds that keep the loops closed",
    identities=("nearest speeds of closed loops",),
    failures=NEAREST,
)

CONSTRAINED_DYNAMICS_REPORT: Final = replace(
    CONSTRAINED_DYNAMICS,
    name="constrained_dynamics_report",
    results=(
        *MOTION,
        Result("rank", (), "", "of G", "int"),
        Result("pivot", (), "", "smallest pivot of the rows of G at equal size"),
    ),
    description="constrained_dynamics with how regular the configuration is",
    identities=(*CONSTRAINED_DYNAMICS.identities, "rank and pivot of the rows"),
)

STABILISED_DYNAMICS: Final = contract(
    "stabilised_dynamics(q, v, tau, t, u, x, gains)",
    "constrained_dynamics with G vdot = gamma - 2 alpha G v - beta^2 residual",
    *MOTION,
    identities=("M vdot + h = tau + G^T lambda", "restoring terms"),
    failures=SOLVED,
)

OF_DRIVEN_TREES: Final = (
    of_trees.FORWARD_DYNAMICS,
    of_trees.JOINT_WRENCHES,
    replace(DRIVING_FORCES, failures=()),
    DRIVEN_STATE,
)
"""Contracts of trees with motions, which have no multipliers."""

LOOP_CONTRACTS: Final = tuple(value for value in vars().values() if isinstance(value, Contract))
"""All of them."""

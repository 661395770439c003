"""Contracts of the functions that closed loops add, or that take the place of those of the tree.

Sizes besides the mechanism's are "rows", the independent closure rows, and "gaps", all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mbsym.codegen.statuses import Failure, Status
from mbsym.formulations import contracts as of_trees
from mbsym.formulations.contracts import Contract, Display, Result

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

CONSTRAINT_RESIDUAL: Final = Contract(
    "constraint_residual",
    ("q",),
    (Result("residual", ("rows",), "", "closure residuals [m, rad]"),),
    "residuals of the independent closure rows, zero where the loops are closed",
    display=Display("Phi", "Closure equations", "Phi(q) = 0 where the loops close."),
    identities=("closed loops", "motions of closed loops"),
)

CLOSURE_GAP: Final = Contract(
    "closure_gap",
    ("q",),
    (Result("gap", ("gaps",), "", "closure residuals [m, rad]"),),
    "residuals of all closure rows, those that follow from others included",
    identities=("closed loops", "motions of closed loops"),
)

CLOSURE_SCALE: Final = Contract(
    "closure_scale",
    ("q",),
    (
        Result("size", ("rows",), "", "what each residual is measured by: 1, or the way around the loop [m, rad]"),
        Result("rounding", ("rows",), "", "what rounded coordinates add to it [m, rad]"),
    ),
    "what residuals of the independent closure rows are measured by: a few epsilon of the sum are round-off",
    identities=("sizes of what is summed",),
)

CONSTRAINT_JACOBIAN: Final = Contract(
    "constraint_jacobian",
    ("q",),
    (Result("G", ("rows", "nv"), "", "closure rows: G v = 0, and G^T lambda is their force"),),
    "Jacobian of the independent closure rows",
    display=Display(
        "G",
        "Constraint Jacobian",
        "G(q) in G vdot = gamma and M vdot + h = tau + G^T lambda; independent rows only.",
    ),
    identities=("G v = 0", "rows of closed loops", "difference of residuals"),
)

CONSTRAINT_BIAS: Final = Contract(
    "constraint_bias",
    ("q", "v"),
    (Result("gamma", ("rows",), "", "G vdot = gamma"),),
    "right side of the closure rows at acceleration level",
    display=Display("gamma", "Constraint bias", "gamma(q, v) in G vdot = gamma."),
    identities=("G vdot = gamma",),
)

CONSTRAINED_DYNAMICS: Final = Contract(
    "constrained_dynamics",
    ("q", "v", "tau", "t", "u", "x"),
    MOTION,
    "rates of the speeds with closed loops, and multipliers: M vdot + bias = tau + G^T lambda",
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

CONSTRAINED_WRENCHES: Final = Contract(
    "constrained_wrenches",
    ("q", "v", "vdot", "lambda", "t", "u", "x"),
    WRENCHES,
    JOINT_WRENCHES.description,
    identities=("wrenches of the motion",),
)

CONSTRAINED_TERMS: Final = Contract(
    "constrained_terms",
    ("q", "v", "tau", "t", "u", "x"),
    (
        Result("free", ("nv",), "", "vdot with open loops"),
        Result("response", ("nv", "rows"), "", "M^-1 G^T"),
        Result("delassus", ("rows", "rows"), "", "G M^-1 G^T"),
        Result("right", ("rows",), "", "gamma - G vdot with open loops"),
        Result("weighted", ("nv", "rows"), "", "Y = L^-T G^T"),
        Result("inverses", ("nv",), "", "D^-1 in M = L^T D L"),
    ),
    "terms of the constrained dynamics: lambda solves delassus lambda = right, vdot = free + response lambda",
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

CONSTRAINED_DERIVATIVE_TERMS: Final = Contract(
    "constrained_derivative_terms",
    ("q", "v", "vdot", "lambda", "t", "u", "x"),
    (
        Result("free_dq", ("nv", "nv"), "", f"d vdot / d q at held multipliers, {_BY_SPEEDS}"),
        Result("right_dq", ("rows", "nv"), "", "d (gamma - G vdot) / d q less G free_dq"),
        Result("free_dv", ("nv", "nv"), "", "d vdot / d v at held multipliers"),
        Result("right_dv", ("rows", "nv"), "", "d gamma / d v less G free_dv"),
        Result("M_inverse", ("nv", "nv"), "", "inverse of the mass matrix"),
    ),
    "terms of the derivatives of constrained_dynamics: delassus dlambda = right, dvdot = free + response dlambda",
    identities=("difference of the balance of forces",),
    solves=True,
)

CONSTRAINED_DYNAMICS_DERIVATIVES: Final = Contract(
    "constrained_dynamics_derivatives",
    ("q", "v", "tau", "t", "u", "x"),
    (
        Result("dvdot_dq", ("nv", "nv"), "", f"d vdot / d q, {_BY_SPEEDS}"),
        Result("dvdot_dv", ("nv", "nv"), "", "d vdot / d v"),
        Result("dvdot_dtau", ("nv", "nv"), "", "d vdot / d tau"),
        Result("dlambda_dq", ("rows", "nv"), "", f"d lambda / d q, {_BY_SPEEDS}"),
        Result("dlambda_dv", ("rows", "nv"), "", "d lambda / d v"),
        Result("dlambda_dtau", ("rows", "nv"), "", "d lambda / d tau"),
    ),
    f"derivatives of constrained_dynamics by q, v and tau, {_BY_SPEEDS}",
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

INDEPENDENT_DYNAMICS_DERIVATIVES: Final = Contract(
    "independent_dynamics_derivatives",
    ("q", "v", "tau", "t", "u", "x"),
    (
        MOTION[0],
        Result(
            "N", ("nv", "independent"), "", "v = N v_i of the independent speeds, in whose rows it is the unit matrix"
        ),
        Result("dv_dq", ("nv", "independent"), "", "d v / d q_i at constant v_i"),
        Result("dvdot_dq", ("nv", "independent"), "", f"d vdot / d q_i, {_BY_SPEEDS}"),
        Result("dvdot_dv", ("nv", "independent"), "", "d vdot / d v_i"),
        Result("dvdot_dtau", ("nv", "nv"), "", "d vdot / d tau"),
    ),
    f"vdot of closed loops and its derivatives by independent coordinates and speeds, {_INDEPENDENT}",
    reference="solve.vdot",
    identities=("motions of independent speeds", "difference along independent motions"),
    solves=True,
)

INDEPENDENT_MULTIPLIER_DERIVATIVES: Final = Contract(
    "independent_multiplier_derivatives",
    ("q", "v", "tau", "t", "u", "x"),
    (
        MOTION[1],
        Result("dlambda_dq", ("rows", "independent"), "", f"d lambda / d q_i, {_BY_SPEEDS}"),
        Result("dlambda_dv", ("rows", "independent"), "", "d lambda / d v_i"),
        Result("dlambda_dtau", ("rows", "nv"), "", "d lambda / d tau"),
    ),
    f"lambda of constrained_dynamics and its derivatives by independent coordinates and speeds, {_INDEPENDENT}",
    identities=("difference of multipliers along independent motions",),
    solves=True,
)

DEPENDENT_SPEEDS: Final = Contract(
    "dependent_speeds",
    ("q", "v_independent"),
    (Result("v", ("nv",), "", "all speeds"),),
    "all speeds of closed loops by the independent ones",
    identities=("speeds of independent ones",),
    solves=True,
)

POSITION_CORRECTION: Final = Contract(
    "position_correction",
    ("q",),
    (
        Result("residual_jacobian", ("rows", "nv"), "", "derivatives J of the residuals by the motion of v"),
        *ROWS,
    ),
    "what moves residuals of the independent closure rows with least kinetic energy, J their exact derivatives",
    identities=("rows at closed loops", "rows on the mass matrix"),
)

VELOCITY_CORRECTION: Final = Contract(
    "velocity_correction",
    ("q",),
    (Result("G", ("rows", "nv"), "", "closure rows J = G"), *ROWS),
    "what changes the rates of the independent closure rows with least kinetic energy",
    identities=("rows at closed loops", "rows on the mass matrix"),
)

MOVED_POSITION: Final = Contract(
    "moved_position",
    ("q", "motion"),
    (Result("q_moved", ("nq",), "", "coordinates after the motion"),),
    "coordinates after a small motion of v, quaternions of unit length",
    identities=("rates of the coordinates",),
)

ACTUATED_INVERSE_DYNAMICS: Final = Contract(
    "actuated_inverse_dynamics",
    ("q", "v", "vdot", "t", "u", "x"),
    (Result("tau", ("nv",), "", "generalised forces, zero where there is no motor"),),
    "forces of the actuated joints that produce vdot with closed loops",
    identities=("least forces of the motors",),
)

CLOSED_FORM_POSITION: Final = Contract(
    "closed_form_position",
    ("q", "branch"),
    (Result("q_closed", ("nq",), "", "coordinates with the loop closed, angles in (-pi, pi]"),),
    "coordinates of a planar loop by its leading ones, in closed form",
    identities=("closed by either branch",),
)

# ---- functions with fixed text --------------------------------------------------------------------------------------

DRIVING_FORCES: Final = Contract(
    "driving_forces",
    ("q", "v", "tau", "t", "u", "x"),
    (Result("driving", ("nv",), "", "generalised forces of the driven speeds; zero for all others"),),
    "what motions take, in place of these entries of tau",
    reference="solve.driving",
    solves=True,
    failures=SOLVED,
)

FORCES_OF_MOTIONS: Final = Contract(
    "forces_of_motions",
    ("q", "v", "vdot", "lambda", "t", "u", "x"),
    DRIVING_FORCES.results,
    "driving_forces of known vdot and lambda",
    identities=("forces of the driven speeds",),
)

DRIVEN_STATE: Final = Contract(
    "driven_state",
    ("q", "v", "t", "u", "x"),
    (
        Result("q_prescribed", ("nq",), "", "coordinates"),
        Result("v_prescribed", ("nv",), "", "speeds"),
    ),
    "q and v with what motions prescribe at that time; all else as it is given",
    identities=("prescribed entries",),
)

PROJECT_POSITION: Final = Contract(
    "project_position",
    ("q",),
    (Result("q_closed", ("nq",), "", "coordinates with closed loops"),),
    "nearest coordinates with closed loops, weighted by M (operations of one Newton step)",
    identities=("closes the loops",),
    failures=PROJECTED,
)

ASSEMBLY_TERMS: Final = Contract(
    "assembly_terms",
    ("q",),
    (
        Result("residual_jacobian", ("rows", "nv"), "", "derivatives J of the residuals by the motion of v"),
        Result("inverse_inertias", ("nv",), "", "of the diagonal of the mass matrix; 0 where a motion is prescribed"),
    ),
    "what moves residuals of the independent closure rows while other coordinates are held",
    identities=("rows at closed loops", "diagonal of the mass matrix"),
)

ASSEMBLE: Final = Contract(
    "assemble",
    ("q", "held"),
    (Result("q_assembled", ("nq",), "", "coordinates with closed loops"),),
    "coordinates with closed loops near q, those along speeds whose entry of held is not zero as they are (operations "
    "of one Newton step)",
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

PROJECT_VELOCITY: Final = Contract(
    "project_velocity",
    ("q", "v"),
    (Result("v_consistent", ("nv",), "", "speeds that keep the loops closed"),),
    "nearest speeds with G v = 0, weighted by M",
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

STABILISED_DYNAMICS: Final = Contract(
    "stabilised_dynamics",
    ("q", "v", "tau", "t", "u", "x", "gains"),
    MOTION,
    "constrained_dynamics with G vdot = gamma - 2 alpha G v - beta^2 residual",
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

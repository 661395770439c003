"""Functions of closed loops with fixed text: a solver that copes with singular configurations, and what it serves.

They call the generated functions ``LOOP_KERNELS``.
"""

from __future__ import annotations

from typing import Final

from mbsym.codegen.interface import Argument, RuntimeFunction
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.runtime_cost import RuntimeCost
from mbsym.symbolic.program import Input

FILE: Final = "loops"
"""Name of the runtime's text in each language."""

LOOP_KERNELS: Final = (
    "constraint_residual",
    "constraint_jacobian",
    "constrained_terms",
    "constrained_wrenches",
    "position_correction",
    "velocity_correction",
    "moved_position",
)
"""Functions of ``LOOP_FUNCTIONS`` that a module must hold for these."""

REPLACED: Final = ("constrained_dynamics", "forward_dynamics", "joint_wrenches")
"""Functions of ``LOOP_FUNCTIONS`` whose straight-line form these take the place of."""


def loop_constants(mechanism: Mechanism, analysis: LoopAnalysis) -> dict[str, int]:
    """Sizes that the fixed text needs besides NQ and NV: of joints, and of independent closure rows."""
    return {"NJ": mechanism.nb + len(mechanism.cut_joints), "NR": len(analysis.rows)}


def extra_arguments(mechanism: Mechanism) -> tuple[Argument, ...]:
    """Time and control inputs, which the fixed text passes on; nothing where there are none."""
    return tuple(_argument(item) for item in mechanism.extra_inputs)


def loop_runtime(mechanism: Mechanism, analysis: LoopAnalysis) -> tuple[RuntimeFunction, ...]:
    """The functions; none for a mechanism without closure rows."""
    if not analysis.rows:
        return ()
    q, v = _argument(mechanism.q), _argument(mechanism.v)
    state = (q, v, _argument(mechanism.tau), *extra_arguments(mechanism))
    vdot = Argument("vdot", "out", (mechanism.nv,), "", "rates of the speeds")
    multipliers = Argument("lambda", "out", (len(analysis.rows),), "", "multipliers of the independent closure rows")
    closed = Argument("q_closed", "out", (mechanism.nq,), "", "coordinates with closed loops")
    consistent = Argument("v_consistent", "out", (mechanism.nv,), "", "speeds that keep the loops closed")
    rank = Argument("status", "out", (2,), "", "rank of G and smallest pivot of its rows at equal size")
    gains = Argument("gains", "in", (2,), "1/s", "alpha and beta of the restoring terms")
    joints = mechanism.nb + len(mechanism.cut_joints)
    wrenches = Argument("wrenches", "out", (joints, 6), "", "joint wrenches, tree joints and then cut joints")
    done = Argument("projection", "out", (3,), "", "1 if closed else 0, largest gap left, Newton steps")
    least = "; multipliers of least norm where G loses rank"
    cost = RuntimeCost(len(analysis.rows), mechanism.nv, mechanism.nq)
    solved = ("constrained_terms",)
    step = ("constraint_residual", "position_correction", "moved_position", "constraint_residual")
    return (
        RuntimeFunction(
            "project_position",
            FILE,
            (q, closed),
            "nearest coordinates with closed loops, weighted by M (operations of one Newton step)",
            step,
            cost.position_step,
            cost.position_reals,
        ),
        RuntimeFunction(
            "project_position_status",
            FILE,
            (q, closed, done),
            "project_position with what became of it (operations of one Newton step)",
            step,
            cost.position_step,
            cost.position_reals,
        ),
        RuntimeFunction(
            "project_velocity",
            FILE,
            (q, v, consistent),
            "nearest speeds with G v = 0, weighted by M",
            ("velocity_correction",),
            cost.velocity,
            cost.velocity_reals,
        ),
        RuntimeFunction(
            "constrained_dynamics",
            FILE,
            (*state, vdot, multipliers),
            f"rates of the speeds with closed loops, M vdot + bias = tau + G^T lambda{least}",
            solved,
            cost.dynamics,
            cost.dynamics_reals,
        ),
        RuntimeFunction(
            "constrained_dynamics_status",
            FILE,
            (*state, vdot, multipliers, rank),
            "constrained_dynamics with how regular the configuration is",
            solved,
            cost.dynamics,
            cost.dynamics_reals,
        ),
        RuntimeFunction(
            "stabilised_dynamics",
            FILE,
            (*state, gains, vdot, multipliers),
            "constrained_dynamics with G vdot = gamma - 2 alpha G v - beta^2 residual",
            (*solved, "constraint_residual", "constraint_jacobian"),
            cost.stabilised,
            cost.dynamics_reals,
        ),
        RuntimeFunction(
            "joint_wrenches",
            FILE,
            (*state, wrenches),
            "[moment; force] on each joint's successor by its predecessor, at and in the joint frame on the successor"
            + ("; of least norm, because reactions are not unique" if analysis.dependent else ""),
            (*solved, "constrained_wrenches"),
            cost.dynamics,
            cost.wrenches_reals,
        ),
        RuntimeFunction(
            "forward_dynamics",
            FILE,
            (*state, vdot),
            "rates of the speeds under tau, with closed loops",
            solved,
            cost.dynamics,
            cost.forward_reals,
        ),
    )


def _argument(item: Input) -> Argument:
    return Argument(item.name, "in", item.shape, item.unit, item.description, item.quaternions)

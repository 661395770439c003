"""Functions of closed loops with fixed text: solvers that cope with singular configurations, and projections.

They call the generated functions ``LOOP_KERNELS``.
"""

from __future__ import annotations

from typing import Final

from mbsym.codegen.interface import Argument, RuntimeFunction
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.symbolic.program import Input, OperationCount

LOOP_KERNELS: Final = (
    "constraint_residual",
    "constraint_jacobian",
    "constrained_terms",
    "constrained_wrenches",
    "constraint_correction",
    "moved_position",
)
"""Functions of ``LOOP_FUNCTIONS`` that a module must hold for these."""

REPLACED: Final = ("constrained_dynamics", "forward_dynamics", "joint_wrenches")
"""Functions of ``LOOP_FUNCTIONS`` whose straight-line form these take the place of."""


def loop_constants(mechanism: Mechanism, analysis: LoopAnalysis) -> dict[str, int]:
    """Sizes that the fixed text needs besides NQ and NV: of joints, and of independent closure rows."""
    return {"NJ": mechanism.nb + len(mechanism.cut_joints), "NR": len(analysis.rows)}


def loop_macros(mechanism: Mechanism) -> dict[str, str]:
    """Time and control inputs as formal and actual arguments of the fixed text; empty where there are none."""
    if mechanism.controls is None:
        return {"TIMED_FORMAL": "", "TIMED_ACTUAL": ""}
    size = mechanism.controls.shape[0]
    controls = f"const MODEL_real u[{size}]" if size else "const MODEL_real *u"
    return {"TIMED_FORMAL": f"MODEL_real t, {controls},", "TIMED_ACTUAL": "t, u,"}


def loop_runtime(mechanism: Mechanism, analysis: LoopAnalysis) -> tuple[RuntimeFunction, ...]:
    """The functions; none for a mechanism without closure rows."""
    if not analysis.rows:
        return ()
    q, v = _argument(mechanism.q), _argument(mechanism.v)
    state = (q, v, _argument(mechanism.tau), *(_argument(item) for item in mechanism.extra_inputs))
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
    m, n = len(analysis.rows), mechanism.nv
    solved = ("constrained_terms",)
    # Arrays of loops.c and constrained_dynamics.c, the path near singular configurations included.
    solving = 3 * m * n + 2 * m * m + 4 * m + n
    projecting = 3 * m * n + m * m + 3 * m + n
    step = ("constraint_correction", "moved_position", "constraint_correction")
    return (
        RuntimeFunction(
            "project_position",
            "loops",
            (q, closed),
            "nearest coordinates with closed loops, weighted by M (operations of one Newton step)",
            step,
            _newton_step(m, n),
            projecting + mechanism.nq,
        ),
        RuntimeFunction(
            "project_position_status",
            "loops",
            (q, closed, done),
            "project_position with what became of it (operations of one Newton step)",
            step,
            _newton_step(m, n),
            projecting + mechanism.nq,
        ),
        RuntimeFunction(
            "project_velocity",
            "loops",
            (q, v, consistent),
            "nearest speeds with G v = 0, weighted by M",
            ("constraint_correction",),
            _sum(*[_newton_step(m, n), OperationCount(add=m * n + n, mul=m * n)] * 2),
            projecting,
        ),
        RuntimeFunction(
            "constrained_dynamics",
            "constrained_dynamics",
            (*state, vdot, multipliers),
            f"rates of the speeds with closed loops, M vdot + bias = tau + G^T lambda{least}",
            solved,
            _solution(m, n),
            solving,
        ),
        RuntimeFunction(
            "constrained_dynamics_status",
            "constrained_dynamics",
            (*state, vdot, multipliers, rank),
            "constrained_dynamics with how regular the configuration is",
            solved,
            _solution(m, n),
            solving,
        ),
        RuntimeFunction(
            "stabilised_dynamics",
            "constrained_dynamics",
            (*state, gains, vdot, multipliers),
            "constrained_dynamics with G vdot = gamma - 2 alpha G v - beta^2 residual",
            (*solved, "constraint_residual", "constraint_jacobian"),
            _sum(_solution(m, n), OperationCount(add=m * n + 2 * m, mul=m * n + 4 * m)),
            solving + m * n + m,
        ),
        RuntimeFunction(
            "joint_wrenches",
            "constrained_dynamics",
            (*state, wrenches),
            "[moment; force] on each joint's successor by its predecessor, at and in the joint frame on the successor"
            + ("; of least norm, because reactions are not unique" if analysis.dependent else ""),
            (*solved, "constrained_wrenches"),
            _solution(m, n),
            solving + m + n,
        ),
        RuntimeFunction(
            "forward_dynamics",
            "constrained_dynamics",
            (*state, vdot),
            "rates of the speeds under tau, with closed loops",
            solved,
            _solution(m, n),
            solving,
        ),
    )


def _solution(m: int, n: int) -> OperationCount:
    """Of the multipliers by Cholesky's factor at regular configurations, and of what they add to n rates."""
    factor = m * (m * m - 1) // 6
    return OperationCount(
        add=factor + m * (m - 1) + m * n,
        mul=factor + m * (m - 1) + m * n + m * (m + 1) + 2 * m,
        div=m * (m - 1) // 2 + 3 * m,
        sqrt=2 * m,
    )


def _newton_step(m: int, n: int) -> OperationCount:
    """Of the least motion that closes m gaps of n speeds."""
    eliminated = sum((k + 1) * k + k for k in range(m)) + m * (m - 1) // 2
    return OperationCount(
        add=m * m * n + eliminated + m * n, mul=m * m * n + eliminated + m * n, div=m * (m - 1) // 2 + m
    )


def _sum(*counts: OperationCount) -> OperationCount:
    total = dict.fromkeys(OperationCount().as_dict(), 0)
    for count in counts:
        for kind, value in count.as_dict().items():
            total[kind] += value
    return OperationCount(**total)


def _argument(item: Input) -> Argument:
    return Argument(item.name, "in", item.shape, item.unit, item.description, item.quaternions)

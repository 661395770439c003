"""Functions of closed loops with fixed text: a solver that copes with singular configurations, and what it serves.

They call the generated functions ``LOOP_KERNELS``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mbsym.codegen.interface import Argument, RuntimeFunction
from mbsym.formulations.contracts import Contract, Result, units_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops import contracts
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.runtime_cost import RuntimeCost
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, OperationCount, Output, Program

FILE: Final = "loops"
"""Name of the runtime's text in each language."""

LOOP_KERNELS: Final = (
    "constraint_residual",
    "closure_scale",
    "constraint_jacobian",
    "constrained_terms",
    "constrained_wrenches",
    "position_correction",
    "velocity_correction",
    "moved_position",
)
"""Functions of ``LOOP_FUNCTIONS`` that a module must hold for these."""

_JUDGED: Final = ("constraint_residual", "closure_scale")
"""A gap, and what it is measured by."""

DERIVATIVES_FILE: Final = "loop_derivatives"
"""Name of the text that differentiates what the other one solves."""

DERIVATIVE_KERNELS: Final = ("constrained_derivative_terms",)
"""Derived functions that it calls besides ``LOOP_KERNELS``."""

SPARED: Final = {
    "constrained_terms": ("weighted",),
    "position_correction": ("residual_jacobian", "weighted"),
    "velocity_correction": ("weighted",),
}
"""What only singular configurations need, which are left to the functions for one state."""

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
    sizes = {"nq": mechanism.nq, "nv": mechanism.nv, "rows": len(analysis.rows)}
    sizes["nj"] = mechanism.nb + len(mechanism.cut_joints)
    units = units_of(mechanism)
    gains = Argument("gains", "in", (2,), "1/s", "alpha and beta of the restoring terms")
    least = "; of least norm, because reactions are not unique" if analysis.dependent else ""
    cost = RuntimeCost(len(analysis.rows), mechanism.nv)
    solved = ("constrained_terms",)
    step = (*_JUDGED, "position_correction", "moved_position", *_JUDGED)

    def function(
        contract: Contract,
        inputs: Sequence[Argument],
        calls: tuple[str, ...],
        operations: OperationCount,
        more: str = "",
    ) -> RuntimeFunction:
        return _function(contract, FILE, (*inputs, *_results(contract, sizes, units)), calls, operations, more)

    return (
        function(contracts.PROJECT_POSITION, (q,), step, cost.position_step),
        function(contracts.PROJECT_POSITION_REPORT, (q,), step, cost.position_step),
        function(contracts.PROJECT_VELOCITY, (q, v), ("velocity_correction",), cost.velocity),
        function(contracts.CONSTRAINED_DYNAMICS, state, solved, cost.dynamics),
        function(contracts.CONSTRAINED_DYNAMICS_REPORT, state, solved, cost.dynamics),
        function(
            contracts.STABILISED_DYNAMICS,
            (*state, gains),
            (*solved, "constraint_residual", "constraint_jacobian"),
            cost.stabilised,
        ),
        function(
            contracts.JOINT_WRENCHES,
            state,
            (*solved, "constrained_wrenches"),
            cost.dynamics,
            least,
        ),
        function(contracts.FORWARD_DYNAMICS, state, solved, cost.dynamics),
    )


def loop_derivatives(mechanism: Mechanism, analysis: LoopAnalysis) -> tuple[RuntimeFunction, ...]:
    """Derivatives of what ``loop_runtime`` solves, in modules that ask for them; none without closure rows."""
    if not analysis.rows:
        return ()
    state = (*(_argument(item) for item in (mechanism.q, mechanism.v, mechanism.tau)), *extra_arguments(mechanism))
    contract = contracts.CONSTRAINED_DYNAMICS_DERIVATIVES
    outputs = _results(contract, {"nv": mechanism.nv, "rows": len(analysis.rows)}, units_of(mechanism))
    cost = RuntimeCost(len(analysis.rows), mechanism.nv).derivatives
    calls = ("constrained_terms", *DERIVATIVE_KERNELS)
    return (_function(contract, DERIVATIVES_FILE, (*state, *outputs), calls, cost),)


def _function(
    contract: Contract,
    file: str,
    arguments: tuple[Argument, ...],
    calls: tuple[str, ...],
    operations: OperationCount,
    more: str = "",
) -> RuntimeFunction:
    sentence = f"{contract.description}{more}"
    return RuntimeFunction(
        contract.name,
        file,
        arguments,
        sentence,
        calls,
        operations,
        failures=contract.failures,
        lanes=True,
        spared=SPARED,
    )


def closure_sizes(mechanism: Mechanism, analysis: LoopAnalysis) -> tuple[float, ...]:
    """The size of each independent closure row, whatever the state: 1 for angles, the way around for lengths [m].

    Raises:
        SymbolicError: a length depends on something that has no value.
    """
    sizes = tuple(row.scale.size.ref for row in analysis.rows)
    output = Output("sizes", (len(sizes),), sizes)
    program = Program("sizes", mechanism.graph, (mechanism.q,), (output,), mechanism.parameters)
    found = interpret(program, {"q": analysis.configuration})["sizes"]
    return tuple(float(size) or 1.0 for size in found)


def _results(contract: Contract, sizes: Mapping[str, int], units: Mapping[str, str]) -> tuple[Argument, ...]:
    return tuple(_result(item, sizes, units) for item in contract.results)


def _result(item: Result, sizes: Mapping[str, int], units: Mapping[str, str]) -> Argument:
    shape = tuple(sizes[n] if isinstance(n, str) else n for n in item.shape)
    unit = item.unit or units.get(item.name, "")
    return Argument(item.name, "out", shape, unit, item.description, kind=item.kind)


def _argument(item: Input) -> Argument:
    return Argument(item.name, "in", item.shape, item.unit, item.description, item.quaternions)

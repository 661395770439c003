"""Functions of closed loops with fixed text: a solver that copes with singular configurations, and what it serves.

They call the generated functions ``LOOP_KERNELS``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mbsym.codegen.expressions import Array
from mbsym.codegen.interface import Argument, Real, RuntimeFunction
from mbsym.codegen.routines.counts import count_operations
from mbsym.codegen.routines.language import Routine, Signature
from mbsym.codegen.routines.module import routine_file
from mbsym.codegen.routines.reader import read_routine
from mbsym.codegen.statements import Formal
from mbsym.codegen.statuses import Status
from mbsym.formulations.contracts import TIMED, Contract, Result, units_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops import contracts
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.tolerances import RUNTIME
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program

FILE: Final = "loops"
"""Name of the runtime's text in each language."""

_KERNELS: Final = (
    contracts.CONSTRAINT_RESIDUAL,
    contracts.CLOSURE_SCALE,
    contracts.CONSTRAINT_JACOBIAN,
    contracts.CONSTRAINED_TERMS,
    contracts.CONSTRAINED_WRENCHES,
    contracts.POSITION_CORRECTION,
    contracts.VELOCITY_CORRECTION,
    contracts.MOVED_POSITION,
)
_MOTION_KERNELS: Final = (contracts.FORCES_OF_MOTIONS,)
"""What the text calls, always and for motions."""

_OFFERED: Final = (
    contracts.PROJECT_POSITION,
    contracts.PROJECT_POSITION_REPORT,
    contracts.PROJECT_VELOCITY,
    contracts.CONSTRAINED_DYNAMICS,
    contracts.CONSTRAINED_DYNAMICS_REPORT,
    contracts.STABILISED_DYNAMICS,
    contracts.JOINT_WRENCHES,
    contracts.FORWARD_DYNAMICS,
)
_OF_MOTIONS: Final = (contracts.DRIVING_FORCES,)
_ON_REQUEST: Final = {
    contracts.CONSTRAINED_DYNAMICS_DERIVATIVES: (contracts.CONSTRAINED_DERIVATIVE_TERMS,),
    contracts.ASSEMBLE: (contracts.ASSEMBLY_TERMS,),
}
"""What the text offers, always, where motions are prescribed, and on request, with what that calls."""

MOTION_KERNELS: Final = tuple(contract.name for contract in _MOTION_KERNELS)
"""Derived functions that it calls where motions are prescribed."""

LOOP_KERNELS: Final = tuple(contract.name for contract in _KERNELS)
"""Functions of ``LOOP_FUNCTIONS`` that a module must hold for these."""

KERNELS_ON_REQUEST: Final = {
    contract.name: tuple(kernel.name for kernel in kernels) for contract, kernels in _ON_REQUEST.items()
}
"""Derived functions that functions on request call besides ``LOOP_KERNELS``."""

REPLACED: Final = ("constrained_dynamics", "forward_dynamics", "joint_wrenches", "driving_forces")
"""Functions of ``LOOP_FUNCTIONS`` whose straight-line form these take the place of."""


def loop_constants(mechanism: Mechanism, analysis: LoopAnalysis) -> dict[str, int]:
    """Sizes that the fixed text needs besides NQ and NV: of joints, and of independent closure rows."""
    return {"NJ": mechanism.nb + len(mechanism.cut_joints), "NR": len(analysis.rows)}


def extra_arguments(mechanism: Mechanism) -> tuple[Argument, ...]:
    """Time and control inputs, which the fixed text passes on; nothing where there are none."""
    return tuple(_argument(item) for item in mechanism.extra_inputs)


def loop_runtime(mechanism: Mechanism, analysis: LoopAnalysis) -> tuple[RuntimeFunction, ...]:
    """The functions; none for a mechanism without closure rows."""
    return _functions(mechanism, analysis, (*_OFFERED, *(_OF_MOTIONS if mechanism.model.motions else ())))


def loops_on_request(mechanism: Mechanism, analysis: LoopAnalysis) -> tuple[RuntimeFunction, ...]:
    """Functions of the text in modules that ask for them; none without closure rows."""
    return _functions(mechanism, analysis, tuple(_ON_REQUEST))


def _functions(
    mechanism: Mechanism, analysis: LoopAnalysis, offered: Sequence[Contract]
) -> tuple[RuntimeFunction, ...]:
    """Functions of the text for a mechanism, with their operations."""
    if not analysis.rows:
        return ()
    constants, units = loop_constants(mechanism, analysis), units_of(mechanism)
    sizes = {"nq": mechanism.nq, "nv": mechanism.nv, "rows": constants["NR"], "nj": constants["NJ"]}
    extra = tuple((item.name, item.shape) for item in mechanism.extra_inputs)
    size = (mechanism.nq, mechanism.nv, constants["NR"], constants["NJ"])
    routine = loop_routine(*size, extra, motions=bool(mechanism.model.motions))
    gains = Argument("gains", "in", (2,), "1/s", "alpha and beta of the restoring terms")
    held = Argument("held", "in", (mechanism.nv,), "", "not zero where the coordinate of a speed is held")
    state = (_argument(item) for item in (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs))
    given = {item.name: item for item in (*state, gains, held)}
    least = contracts.OF_LEAST_NORM if analysis.dependent else ""
    functions = []
    for contract in offered:
        own, calls = count_operations(routine, contract.name)
        inputs = (given[name] for name in contract.inputs if name in given)
        results = (_result(item, sizes, units) for item in contract.results)
        functions.append(
            RuntimeFunction(
                contract.name,
                FILE,
                (*inputs, *results),
                contract.description + (least if contract is contracts.JOINT_WRENCHES else ""),
                tuple(calls.elements()),
                own,
                failures=contract.failures,
                lanes=True,
            )
        )
    return tuple(functions)


def loop_routine(
    nq: int,
    nv: int,
    rows: int,
    joints: int,
    extra: tuple[tuple[str, tuple[int, ...]], ...] = (),
    real: Real = "double",
    *,
    motions: bool = False,
) -> Routine:
    """The text with its sizes decided.

    Args:
        nq: coordinates.
        nv: speeds.
        rows: independent closure rows.
        joints: tree joints and cut joints.
        extra: names and shapes of time, control inputs and states of drives.
        real: type whose tolerances it bears.
        motions: whether some are prescribed.
    """
    sizes = {"nq": nq, "nv": nv, "rows": rows, "nj": joints}
    shapes: dict[str, tuple[int, ...]] = {"q": (nq,), "lambda": (rows,), **dict(extra)}
    kernels = {}
    on_request = (contract for kernels in _ON_REQUEST.values() for contract in kernels)
    for contract in (*_KERNELS, *on_request, *(_MOTION_KERNELS if motions else ())):
        names = [name for name in contract.inputs if name not in TIMED or name in shapes]
        results = [tuple(sizes[n] if isinstance(n, str) else n for n in item.shape) for item in contract.results]
        kernels[contract.name] = Signature(tuple(shapes.get(name, (nv,)) for name in names), tuple(results))
    numbers = {status.name: int(status) for status in Status} | {item.name: item.of(real) for item in RUNTIME}
    passed = [Formal(name, None, Array(name, shape, False)) if shape else Formal(name, "real") for name, shape in extra]
    text = routine_file(FILE).read_text(encoding="utf-8")
    known = {"NQ": nq, "NV": nv, "NR": rows, "NJ": joints}
    offered = (*_OFFERED, *(_OF_MOTIONS if motions else ()), *_ON_REQUEST)
    public = dict.fromkeys(contract.name for contract in offered)
    return read_routine(text, FILE, known, {}, kernels, public, passed, numbers)


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


def _result(item: Result, sizes: Mapping[str, int], units: Mapping[str, str]) -> Argument:
    shape = tuple(sizes[n] if isinstance(n, str) else n for n in item.shape)
    unit = item.unit or units.get(item.name, "")
    return Argument(item.name, "out", shape, unit, item.description, kind=item.kind)


def _argument(item: Input) -> Argument:
    return Argument(item.name, "in", item.shape, item.unit, item.description, item.quaternions)

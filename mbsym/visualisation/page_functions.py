"""What a page computes on which a mechanism is moved by hand: poses of bodies, and coordinates with closed loops.

Loops are closed by the same text as in generated C and NumPy, on the same functions but for one: there is no mass
matrix, and each speed has a mobility instead, a parameter of the functions, which is zero for what the user holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from mbsym.codegen.description import ModuleDescription, RuntimeFunction
from mbsym.codegen.javascript.module import enclosed
from mbsym.formulations.contracts import Derived, Entries
from mbsym.formulations.recursive.sparse_factor import product
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import pose_entries
from mbsym.loops import contracts
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.runtime import loop_constants, loop_runtime
from mbsym.loops.tolerances import RUNTIME
from mbsym.loops.wrenches import dense
from mbsym.model.own_units import length_unit
from mbsym.passes.pass_manager import run
from mbsym.passes.standard import STANDARD_PASSES
from mbsym.symbolic.program import Output, ParameterInput, Program
from mbsym.symbolic.scalar import Scalar, symbol

_AS_DERIVED: Final = ("constraint_residual", "closure_scale", "moved_position")


def page_module(mechanism: Mechanism, loops: LoopAnalysis) -> ModuleDescription:
    """body_poses, and with closed loops project_position with what it calls.

    Args:
        mechanism: whose parameters are numbers.
        loops: its closure equations.
    """
    programs = [poses_program(mechanism)]
    runtime: tuple[RuntimeFunction, ...] = ()
    if loops.rows:
        programs += [LOOP_FUNCTIONS[name](mechanism, loops) for name in _AS_DERIVED]
        programs.append(_position_correction(mechanism, loops))
        runtime = tuple(item for item in loop_runtime(mechanism, loops) if item.name == "project_position")
    sizes = {"NQ": mechanism.nq, "NV": mechanism.nv, "NB": mechanism.nb, **loop_constants(mechanism, loops)}
    return ModuleDescription(
        "page",
        tuple(run(program, STANDARD_PASSES)[0] for program in programs),
        constants=sizes,
        runtime=runtime,
        tolerances=RUNTIME if runtime else (),
    )


def page_script(mechanism: Mechanism, loops: LoopAnalysis) -> str:
    """The functions as an object called mechanism."""
    return f"const mechanism = {enclosed(page_module(mechanism, loops))};"


def poses_program(mechanism: Mechanism) -> Program:
    """Body frames in base axes."""
    entries = tuple(x.ref for x in pose_entries(mechanism))
    output = Output("poses", (mechanism.nb, 4, 4), entries, "", "body frames in base axes")
    return Program("body_poses", mechanism.graph, (mechanism.q,), (output,), mechanism.parameters)


def _position_correction(mechanism: Mechanism, loops: LoopAnalysis) -> Program:
    """Closure rows on mobilities: what is long moves as easily as what turns by the angle of that length."""
    graph, length = mechanism.graph, Fraction(length_unit(mechanism.model))
    units = [unit for body in mechanism.bodies_by_coordinates for unit in body.joint.shape.speed_units]
    given = [
        ParameterInput(f"mobility_{k}", symbol(graph, f"mobility_{k}").ref, length**2 if unit == "m/s" else Fraction(1))
        for k, unit in enumerate(units)
    ]
    mobility = [Scalar(graph, item.symbol) for item in given]
    rows = [dense(mechanism, row.residual_jacobian) for row in loops.rows]
    eased = [[x * ease for x, ease in zip(row, mobility, strict=True)] for row in rows]
    found: dict[str, Entries] = {
        "residual_jacobian": rows,
        "response": _transposed(eased),
        "delassus": [[product(row, other) for other in eased] for row in rows],
        "weighted": _transposed(rows),
        "inverses": mobility,
    }
    derived = Derived(found, description="what closes the loops with the least motion", sizes={"rows": len(rows)})
    program = contracts.POSITION_CORRECTION.program(mechanism, derived)
    return Program(
        program.name, graph, program.inputs, program.outputs, (*program.parameters, *given), program.description
    )


def _transposed(rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    return [list(column) for column in zip(*rows, strict=True)]

"""The matrices of a linearised tree in symbols."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbsym.errors import AnalysisError
from mbsym.linear.equations import BY_INPUTS, POSITIONS, LinearEquations, State
from mbsym.linear.observed import observed
from mbsym.linear.tangent import turning_program
from mbsym.symbolic.program import Input
from mbsym.symbolic.sympy_bridge import expand

if TYPE_CHECKING:
    import sympy

SIMPLIFIED: Final = 200
"""Operations of an entry up to which it is simplified."""


@dataclass(frozen=True, slots=True)
class SymbolicSystem:
    """A, B, C and D as SymPy matrices; it unpacks as these."""

    A: sympy.Matrix
    B: sympy.Matrix
    C: sympy.Matrix
    D: sympy.Matrix

    def __iter__(self) -> Iterator[sympy.Matrix]:
        return iter((self.A, self.B, self.C, self.D))


def symbolic_system(
    equations: LinearEquations, state: State, names: tuple[Sequence[str], Sequence[str]], general: bool
) -> SymbolicSystem:
    """The matrices in run-time parameters at the state, or in everything.

    Args:
        equations: of a tree.
        state: about which.
        names: of inputs and outputs.
        general: whether numbers of the state are left out.

    Raises:
        AnalysisError: the model has closed loops, whose equations are solved in numbers alone.
    """
    import sympy as sp

    nv = equations.mechanism.nv
    inputs, observations = names
    if equations.is_closed:
        raise AnalysisError(
            "closed loops are linearised in numbers alone", where=equations.name, remedy="take A, B, C and D"
        )
    table = _symbols(equations)
    slopes = expand(equations.program("forward_dynamics_derivatives"), table)
    turned = expand(turning_program(equations.mechanism), table)["K"]
    columns = {
        f"tau_{speed.removeprefix('v_')}": slopes["dvdot_dtau"][:, k] for k, speed in enumerate(equations.speeds)
    }
    if equations.inputs:
        pushed = -slopes["dvdot_dtau"] * expand(equations.program(BY_INPUTS.name), table)["dtau_du"]
        columns |= {name: pushed[:, k] for k, name in enumerate(equations.inputs)}
    by_input = sp.zeros(nv, 0)
    for name in inputs:
        by_input = by_input.row_join(columns[name])
    zero, one = sp.zeros(nv, nv), sp.eye(nv)
    motion = sp.Matrix(sp.BlockMatrix([[turned, one], [slopes["dvdot_dq"], slopes["dvdot_dv"]]]))
    C, D = sp.zeros(0, 2 * nv), sp.zeros(0, len(inputs))
    tangent = expand(equations.program("tangent_map"), table)["T"]
    for name in observations:
        item = observed(equations, name)
        row, through = sp.zeros(1, 2 * nv), sp.zeros(1, len(inputs))
        if item.kind == "acceleration":
            row, through = motion[nv + item.place, :], by_input[item.place, :]
        elif item.kind == "position":
            shift = expand(equations.program(POSITIONS), table)["jacobians"]
            row = sp.Matrix([[*(shift[item.place, 3 + item.axis, k] for k in range(nv)), *([0] * nv)]])
        elif item.kind == "coordinate":
            row = tangent[item.place, :].row_join(zero[0, :])
        else:
            row[item.place + nv * (item.kind == "speed")] = 1
        C, D = C.col_join(row), D.col_join(through)
    values = {} if general else _values(equations, state, table)
    matrices = (motion, sp.zeros(nv, len(inputs)).col_join(by_input), C, D)
    return SymbolicSystem(*(_at(matrix, values) for matrix in matrices))


def _symbols(equations: LinearEquations) -> dict[str, Any]:
    """Names that print for what has indices in the graph: ``tau_X`` along the speed ``v_X``."""
    import sympy as sp

    mechanism = equations.mechanism
    names = zip(mechanism.tau.symbols, equations.speeds, strict=True)
    return {str(mechanism.graph.arguments[ref][0]): sp.Symbol(f"tau_{name.removeprefix('v_')}") for ref, name in names}


def _values(equations: LinearEquations, state: State, table: dict[str, Any]) -> dict[Any, Any]:
    """Numbers of the state by symbol."""
    import sympy as sp

    mechanism = equations.mechanism
    numbers = {}
    groups: list[tuple[Input, Any]] = [(mechanism.q, state.q), (mechanism.v, state.v), (mechanism.tau, state.tau)]
    groups += [(item, {"t": [state.t], "u": state.u}[item.name]) for item in mechanism.extra_inputs]
    for item, values in groups:
        for ref, value in zip(item.symbols, values, strict=True):
            name = str(mechanism.graph.arguments[ref][0])
            numbers[table.get(name, sp.Symbol(name))] = exact_number(float(value))
    return numbers


def exact_number(value: float) -> Any:
    """Twelfths of pi and short decimals as what they are meant to be, any other number as it is."""
    import sympy as sp

    if abs(value) < 1e-12:
        return sp.Integer(0)
    twelfths = value / math.pi * 12
    if abs(twelfths - round(twelfths)) < 1e-12 and abs(twelfths) < 1000:
        return sp.pi * sp.Rational(round(twelfths), 12)
    if len(repr(value).strip("-").replace(".", "").strip("0")) <= 6:
        decimal = Fraction(repr(value))
        return sp.Rational(decimal.numerator, decimal.denominator)
    return sp.Float(value)


def _at(matrix: Any, values: dict[Any, Any]) -> Any:
    import sympy as sp

    def entry(expression: Any) -> Any:
        expression = expression.subs(values) if values else expression
        return sp.simplify(expression) if sp.count_ops(expression) <= SIMPLIFIED else expression

    return matrix.applyfunc(entry)

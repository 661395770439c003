"""The matrices of a linear system in symbols; with closed loops, in independent coordinates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mbsym.derivatives.loop_functions import in_independent_coordinates
from mbsym.derivatives.tangent import Matrix, tangent_map
from mbsym.doors import sympy as sp
from mbsym.errors import AnalysisError
from mbsym.formulations.recursive.sparse_factor import product
from mbsym.kinematics.mechanism import Mechanism
from mbsym.linear.equations import BY_INPUTS, POSITIONS, LinearEquations, State
from mbsym.linear.observed import Observed, observed
from mbsym.linear.tangent import turning
from mbsym.loops.contracts import INDEPENDENT_DYNAMICS_DERIVATIVES
from mbsym.loops.redundancy import restated
from mbsym.symbolic.compose import transplant
from mbsym.symbolic.program import Input, Output
from mbsym.symbolic.scalar import Scalar
from mbsym.symbolic.sympy_bridge import to_shared_sympy, to_sympy, written_out

SIMPLIFIED: Final = 200
"""Operations of an entry up to which it is simplified."""


LONGEST: Final = 200_000
"""Operations of all entries written out, above which they are only given with what they share."""


@dataclass(frozen=True, slots=True)
class SymbolicSystem:
    """A, B, C and D as SymPy matrices; it unpacks as these.

    Attributes:
        A, B, C, D: the matrices.
        replacements: symbols in them with what they stand for, in the order of ``sympy.cse``; none where the entries
            are written out.
    """

    A: sp.Matrix
    B: sp.Matrix
    C: sp.Matrix
    D: sp.Matrix
    replacements: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()

    def __iter__(self) -> Iterator[sp.Matrix]:
        return iter((self.A, self.B, self.C, self.D))


def symbolic_system(
    equations: LinearEquations,
    state: State,
    names: tuple[Sequence[str], Sequence[str]],
    independent: Sequence[int],
    *,
    general: bool,
    shared: bool,
) -> SymbolicSystem:
    """The matrices in run-time parameters at the state, or in everything.

    Args:
        equations: of a model.
        state: about which.
        names: of inputs and outputs.
        independent: columns of v; all of them for a tree.
        general: whether numbers of the state are left out.
        shared: whether what occurs several times is a symbol, told in ``replacements``.

    Raises:
        AnalysisError: the entries written out are too long.
    """
    graph, rows, columns = equations.mechanism.graph, *_matrices(equations, names, independent)
    numbers = {} if general else _values(equations, state)
    table = {**_symbols(equations), **numbers}
    flat = [entry.ref for matrix in rows for row in matrix for entry in row]
    if shared:
        replacements, entries = to_shared_sympy(graph, flat, table)
    else:
        if written_out(graph, flat, numbers) > LONGEST:
            raise AnalysisError(
                "the entries written out are too long",
                where=equations.name,
                remedy="ask for shared=True: what they share as symbols of their own",
            )
        replacements, entries = [], [_simplified(entry) for entry in to_sympy(graph, flat, table, evaluate=True)]
    A, B, C, D = _shaped(entries, rows, columns)
    return SymbolicSystem(A, B, C, D, tuple(replacements))


def _matrices(
    equations: LinearEquations, names: tuple[Sequence[str], Sequence[str]], independent: Sequence[int]
) -> tuple[list[Matrix], list[int]]:
    """A, B, C and D as graphs, with the number of their columns."""
    slopes, own = _slopes(equations, independent), list(independent)
    nv, count = equations.mechanism.nv, len(own)
    turned = _times(turning(equations.mechanism), slopes.motion)
    above = [[x + y for x, y in zip(*pair, strict=True)] for pair in zip(turned, slopes.change, strict=True)]
    by_states = [
        [*x, *y] for x, y in (*zip(above, slopes.motion, strict=True), *zip(slopes.by_q, slopes.by_v, strict=True))
    ]
    inputs = [list(row) for row in zip(*(slopes.by_input[name] for name in names[0]), strict=True)] or [[]] * nv
    zero = Scalar(equations.mechanism.graph, 0)
    still = [[zero] * len(names[0])] * nv
    kept = [*own, *(nv + k for k in own)]
    C, D = [], []
    for name in names[1]:
        item = observed(equations, name)
        if item.kind == "acceleration":
            C.append(by_states[nv + item.place])
            D.append(inputs[item.place])
            continue
        row = _seen(equations, slopes.motion, item)
        C.append([*slopes.change[item.place], *row] if item.kind == "speed" else [*row, *[zero] * count])
        D.append(still[0])
    by_inputs = [*still, *inputs]
    return [[by_states[k] for k in kept], [by_inputs[k] for k in kept], C, D], [2 * count, len(names[0])] * 2


def _seen(equations: LinearEquations, motion: Matrix, item: Observed) -> Sequence[Scalar]:
    """How an increment, a speed, a coordinate or a place changes with a motion."""
    if item.kind == "coordinate":
        return _times([tangent_map(equations.mechanism)[item.place]], motion)[0]
    if item.kind == "position":
        return _times([_frame_rows(equations)[item.place][3 + item.axis]], motion)[0]
    return motion[item.place]


@dataclass(frozen=True, slots=True)
class _Slopes:
    """Changes along the independent increments; of a tree all are.

    Attributes:
        motion, change: of increments and speeds, N and N' (nv, n).
        by_q, by_v: of vdot (nv, n).
        by_input: of vdot by the name of each input (nv,).
    """

    motion: Matrix
    change: Matrix
    by_q: Matrix
    by_v: Matrix
    by_input: dict[str, Sequence[Scalar]]


def _slopes(equations: LinearEquations, independent: Sequence[int]) -> _Slopes:
    mechanism, nv = equations.mechanism, equations.mechanism.nv
    zero = Scalar(mechanism.graph, 0)
    if equations.loops is not None and equations.is_closed:
        function = in_independent_coordinates(INDEPENDENT_DYNAMICS_DERIVATIVES, independent)
        found = function(mechanism, restated(equations.loops, mechanism))
        _, motion, change, by_q, by_v, by_tau = (_rows_of(mechanism, output) for output in found.outputs)
    else:
        found = equations.program("forward_dynamics_derivatives")
        by_q, by_v, by_tau = (_rows_of(mechanism, output) for output in transplant(found, mechanism.graph).outputs)
        motion = [[zero + int(i == k) for k in range(nv)] for i in range(nv)]
        change = [[zero] * nv for _ in range(nv)]
    columns = [list(column) for column in zip(*by_tau, strict=True)]
    names = (f"tau_{speed.removeprefix('v_')}" for speed in equations.speeds)
    by_input: dict[str, Sequence[Scalar]] = dict(zip(names, columns, strict=True))
    if equations.inputs:
        (by_u,) = transplant(equations.program(BY_INPUTS.name), mechanism.graph).outputs
        pushed = [[-x for x in row] for row in _times(by_tau, _rows_of(mechanism, by_u))]
        by_input |= dict(zip(equations.inputs, map(list, zip(*pushed, strict=True)), strict=True))
    return _Slopes(motion, change, by_q, by_v, by_input)


def _frame_rows(equations: LinearEquations) -> list[Matrix]:
    """Jacobians of the frames, (nf, 6, nv)."""
    nv = equations.mechanism.nv
    (output,) = transplant(equations.program(POSITIONS), equations.mechanism.graph).outputs
    flat = [Scalar(equations.mechanism.graph, ref) for ref in output.values]
    rows = [flat[k : k + nv] for k in range(0, len(flat), nv)]
    return [rows[k : k + 6] for k in range(0, len(rows), 6)]


def _rows_of(mechanism: Mechanism, output: Output) -> Matrix:
    columns = output.shape[1] if len(output.shape) > 1 else 1
    flat = [Scalar(mechanism.graph, ref) for ref in output.values]
    return [flat[k : k + columns] for k in range(0, len(flat), columns)]


def _times(a: Matrix, b: Matrix) -> Matrix:
    columns = [list(column) for column in zip(*b, strict=True)]
    return [[product(row, column) for column in columns] for row in a]


def _shaped(entries: Sequence[Any], matrices: Sequence[Matrix], columns: Sequence[int]) -> Iterator[Any]:
    start = 0
    for matrix, width in zip(matrices, columns, strict=True):
        count = len(matrix) * width
        yield sp.Matrix(len(matrix), width, entries[start : start + count])
        start += count


def _symbols(equations: LinearEquations) -> dict[str, Any]:
    """Names that print for what has indices in the graph: ``tau_X`` along the speed ``v_X``."""
    mechanism = equations.mechanism
    names = zip(mechanism.tau.symbols, equations.speeds, strict=True)
    return {str(mechanism.graph.arguments[ref][0]): sp.Symbol(f"tau_{name.removeprefix('v_')}") for ref, name in names}


def _values(equations: LinearEquations, state: State) -> dict[str, Any]:
    """Numbers of the state by the names of their symbols."""
    mechanism = equations.mechanism
    numbers = {}
    groups: list[tuple[Input, Any]] = [(mechanism.q, state.q), (mechanism.v, state.v), (mechanism.tau, state.tau)]
    groups += [(item, {"t": [state.t], "u": state.u}[item.name]) for item in mechanism.extra_inputs]
    for item, values in groups:
        for ref, value in zip(item.symbols, values, strict=True):
            numbers[str(mechanism.graph.arguments[ref][0])] = exact_number(float(value))
    return numbers


def exact_number(value: float) -> Any:
    """Twelfths of pi and short decimals as what they are meant to be, any other number as it is."""
    if abs(value) < 1e-12:
        return sp.Integer(0)
    twelfths = value / math.pi * 12
    if abs(twelfths - round(twelfths)) < 1e-12 and abs(twelfths) < 1000:
        return sp.pi * sp.Rational(round(twelfths), 12)
    if len(repr(value).strip("-").replace(".", "").strip("0")) <= 6:
        decimal = Fraction(repr(value))
        return sp.Rational(decimal.numerator, decimal.denominator)
    return sp.Float(value)


def _simplified(expression: Any) -> Any:
    return sp.simplify(expression) if sp.count_ops(expression) <= SIMPLIFIED else expression

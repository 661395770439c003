"""The matrices of a linear system in symbols; with closed loops, in independent coordinates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from typing import Any, Final

import numpy as np

from mbsym.derivatives.loop_functions import in_independent_coordinates
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.derivatives.tangent import Matrix, tangent_map
from mbsym.doors import Array
from mbsym.doors import sympy as sp
from mbsym.errors import AnalysisError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.linear.equations import POSITIONS, LinearEquations, State
from mbsym.linear.observed import Observed, observed
from mbsym.linear.tangent import turning
from mbsym.loops.contracts import INDEPENDENT_DYNAMICS_DERIVATIVES
from mbsym.loops.redundancy import restated
from mbsym.markup import Told
from mbsym.symbolic.compose import transplant
from mbsym.symbolic.program import Input, Output
from mbsym.symbolic.scalar import Scalar
from mbsym.symbolic.sympy_bridge import to_shared_sympy, to_sympy, written_out

SIMPLIFIED: Final = 200
"""Operations of an entry up to which it is simplified."""


LONGEST: Final = 200_000
"""Operations of all entries written out, above which they are only given with what they share."""


@dataclass(frozen=True, slots=True, repr=False)
class SymbolicSystem(Told):
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

    @property
    def text(self) -> str:
        """Entries that are neither 0 nor 1, and what symbols in them stand for, one a line."""
        lines = [f"  {symbol} = {value}" for symbol, value in self.replacements]
        for letter, matrix in zip("ABCD", self, strict=True):
            for i, j in product(range(matrix.rows), range(matrix.cols)):
                if matrix[i, j] not in (0, 1):
                    lines.append(f"  {letter}[{i + 1},{j + 1}] = {matrix[i, j]}")
        return "\n".join(["in symbols", *lines]) + "\n"

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
    # Formulas depend on nothing that was evaluated before.
    equations = replace(equations, mechanism=equations.mechanism.afresh())
    graph, matrices = equations.mechanism.graph, _matrices(equations, names, independent)
    numbers = {} if general else _values(equations, state)
    table = {**_symbols(equations), **numbers}
    flat = [entry.ref for matrix in matrices for entry in matrix.flat]
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
    rest = iter(entries)
    A, B, C, D = (sp.Matrix(*matrix.shape, list(islice(rest, matrix.size))) for matrix in matrices)
    return SymbolicSystem(A, B, C, D, tuple(replacements))


def _matrices(
    equations: LinearEquations, names: tuple[Sequence[str], Sequence[str]], independent: Sequence[int]
) -> list[Array]:
    """A, B, C and D, of values of the graph."""
    slopes, nv, own = _slopes(equations, independent), equations.mechanism.nv, list(independent)
    turned = _array(turning(equations.mechanism)) @ slopes.motion
    by_states = np.block([[turned + slopes.change, slopes.motion], [slopes.by_q, slopes.by_v]])
    zero = Scalar(equations.mechanism.graph, 0)
    by_inputs = np.full((2 * nv, len(names[0])), zero, object)
    for column, name in enumerate(names[0]):
        by_inputs[nv:, column] = slopes.by_input[name]
    C = np.full((len(names[1]), 2 * len(own)), zero, object)
    D = np.full((len(names[1]), len(names[0])), zero, object)
    for row, name in enumerate(names[1]):
        item = observed(equations, name)
        if item.kind == "acceleration":
            C[row], D[row] = by_states[nv + item.place], by_inputs[nv + item.place]
        elif item.kind == "speed":
            C[row] = [*slopes.change[item.place], *slopes.motion[item.place]]
        elif item.kind == "output":
            C[row], D[row] = _of_model(equations, slopes, item.place, names[0])
        else:
            C[row, : len(own)] = _seen(equations, slopes.motion, item)
    kept = [*own, *(nv + k for k in own)]
    return [by_states[kept], by_inputs[kept], C, D]


def _of_model(
    equations: LinearEquations, slopes: _Slopes, place: int, inputs: Sequence[str]
) -> tuple[list[Scalar], list[Scalar]]:
    """Rows of C and D of an output of the model."""
    mechanism = equations.mechanism
    asked = DerivativeRequest("outputs", ("q", "v", *(("u",) if equations.inputs else ())))
    found = transplant(equations.formula(asked), mechanism.graph).outputs
    by_q, by_v, *by_u = (_entries(mechanism, output)[place] for output in found)
    through = dict(zip(equations.inputs, *by_u, strict=True)) if by_u else {}
    row = [*(by_q @ slopes.motion + by_v @ slopes.change), *(by_v @ slopes.motion)]
    return row, [through.get(name, Scalar(mechanism.graph, 0)) for name in inputs]


def _seen(equations: LinearEquations, motion: Array, item: Observed) -> Array:
    """How an increment, a coordinate or a place changes with a motion."""
    mechanism = equations.mechanism
    if item.kind == "coordinate":
        return np.asarray(_array(tangent_map(mechanism))[item.place] @ motion)
    if item.kind == "position":
        (output,) = transplant(equations.formula(POSITIONS), mechanism.graph).outputs
        return np.asarray(_entries(mechanism, output)[item.place, 3 + item.axis] @ motion)
    return np.asarray(motion[item.place])


@dataclass(frozen=True, slots=True)
class _Slopes:
    """Changes along the independent increments, of values of the graph; of a tree all are independent.

    Attributes:
        motion, change: of increments and speeds, N and N' (nv, n).
        by_q, by_v: of vdot (nv, n).
        by_input: of vdot by the name of each input (nv,).
    """

    motion: Array
    change: Array
    by_q: Array
    by_v: Array
    by_input: dict[str, Array]


def _slopes(equations: LinearEquations, independent: Sequence[int]) -> _Slopes:
    mechanism, nv = equations.mechanism, equations.mechanism.nv
    if equations.loops is not None:
        function = in_independent_coordinates(INDEPENDENT_DYNAMICS_DERIVATIVES, independent)
        found = function(mechanism, restated(equations.loops, mechanism))
        _, motion, change, by_q, by_v, by_tau = (_entries(mechanism, output) for output in found.outputs)
    else:
        found = transplant(equations.formula("forward_dynamics_derivatives"), mechanism.graph)
        by_q, by_v, by_tau = (_entries(mechanism, output) for output in found.outputs)
        zero = Scalar(mechanism.graph, 0)
        motion, change = np.eye(nv, dtype=object) + zero, np.full((nv, nv), zero, object)
    by_input = {f"tau_{speed.removeprefix('v_')}": by_tau[:, k] for k, speed in enumerate(equations.speeds)}
    if equations.inputs:
        asked = DerivativeRequest("inverse_dynamics", ("u",))
        (output,) = transplant(equations.formula(asked), mechanism.graph).outputs
        by_u = -(by_tau @ _entries(mechanism, output))
        by_input |= {name: by_u[:, k] for k, name in enumerate(equations.inputs)}
    return _Slopes(motion, change, by_q, by_v, by_input)


def _entries(mechanism: Mechanism, output: Output) -> Array:
    """An output as an array of values of the mechanism's graph."""
    return _array([Scalar(mechanism.graph, ref) for ref in output.values]).reshape(output.shape)


def _array(values: Sequence[Scalar] | Matrix) -> Array:
    return np.array(values, object)


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

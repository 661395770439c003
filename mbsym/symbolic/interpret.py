"""Programs evaluated in floating point, for single states and for batches of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from math import inf, pi
from operator import mul, truediv
from typing import TYPE_CHECKING, Any, Final

from mbsym.doors import numpy as np
from mbsym.errors import SymbolicError
from mbsym.symbolic.given_functions import GivenFunction
from mbsym.symbolic.program import Program
from mbsym.symbolic.unroll import unrolled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike


EXACT: Final = ("const", "pi", "symbol", "abs", "sign", "min", "max", "select")
"""Operations that round nothing."""


def interpret(
    program: Program,
    arguments: Mapping[str, ArrayLike],
    parameters: Mapping[str, float] | None = None,
    rounded: Callable[[Any, Any], Any] | None = None,
) -> dict[str, np.ndarray[Any, Any]]:
    """The outputs of a program for the given arguments, in double precision.

    Args:
        program: what to evaluate.
        arguments: an array per input, of shape batch + input.shape; the batch axes broadcast against each other.
            Complex arrays are evaluated as such, which serves differentiation by a complex step.
        parameters: values of run-time parameters by symbol name; those not given keep their defaults.
        rounded: takes the result of each operation, and the size of what it was computed from, and returns what is
            used instead: the way to see what rounding does.

    Returns:
        An array of shape batch + output.shape per output. Operations outside their domain give nan or inf.

    Raises:
        SymbolicError: an argument is missing, unknown or of the wrong shape, or a symbol has no value.
    """
    program = unrolled(program)
    graph = program.graph
    values: dict[int, Any] = {}
    batch = _bind_inputs(program, arguments, values)
    _bind_parameters(program, parameters or {}, values)
    functions = _functions()
    with np.errstate(all="ignore"):
        for node in program.nodes():
            kind = graph.kinds[node]
            operands = graph.arguments[node]
            if kind == "add":
                first, second = operands
                values[node] = values[first] + values[second] if second > 0 else values[first] - values[-second]
            elif kind in functions:
                values[node] = functions[kind](*(values[ref] if ref >= 0 else -values[-ref] for ref in operands))
            elif isinstance(kind, GivenFunction):
                values[node] = kind.of_array(*(values[ref] if ref >= 0 else -values[-ref] for ref in operands))
            elif node not in values:
                values[node] = np.float64(_constant(program, node))
            if rounded is not None and kind not in EXACT and not isinstance(kind, GivenFunction):
                # A sum is rounded, in whatever order it is made, as the largest of what it is the sum of.
                parts = operands if kind == "add" else (node,)
                values[node] = rounded(values[node], reduce(np.maximum, (np.abs(values[abs(ref)]) for ref in parts)))
    return _results(program, values, batch)


def _results(program: Program, values: Mapping[int, Any], batch: tuple[int, ...]) -> dict[str, np.ndarray[Any, Any]]:
    """The outputs from the values of nodes."""
    results: dict[str, np.ndarray[Any, Any]] = {}
    for output in program.outputs:
        entries = [values[ref] if ref >= 0 else -values[-ref] for ref in output.values]
        columns = [np.broadcast_to(entry, batch) for entry in entries]
        stacked = np.stack(columns, axis=-1) if columns else np.zeros((*batch, 0))
        results[output.name] = stacked.reshape(batch + output.shape)
    return results


def _constant(program: Program, node: int) -> float:
    """The value of a constant."""
    kind, arguments = program.graph.kinds[node], program.graph.arguments[node]
    if kind == "symbol":
        raise SymbolicError(
            f"symbol {arguments[0]} has no value",
            where=program.name,
            remedy="make it an entry of an input or a run-time parameter",
        )
    return pi if kind == "pi" else nearest_double(arguments[0])


def nearest_double(value: Fraction) -> float:
    """The double nearest to a rational number, infinite where it is out of range."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return inf if value > 0 else -inf


def _bind_inputs(program: Program, arguments: Mapping[str, ArrayLike], values: dict[int, Any]) -> tuple[int, ...]:
    """Puts the entries of the arguments into ``values`` and returns the common batch shape."""
    known = [item.name for item in program.inputs]
    unknown = sorted(set(arguments) - set(known))
    if unknown:
        raise SymbolicError(f"unknown argument {unknown[0]}", where=program.name, remedy=f"the inputs are {known}")
    batches: list[tuple[int, ...]] = []
    for item in program.inputs:
        if item.name not in arguments:
            raise SymbolicError(f"argument {item.name} is missing", where=program.name, remedy=f"give all of {known}")
        array = np.asarray(arguments[item.name])
        if array.dtype.kind not in "fc":
            array = array.astype(np.float64)
        rank = len(item.shape)
        if array.ndim < rank or array.shape[array.ndim - rank :] != item.shape:
            raise SymbolicError(
                f"argument {item.name} has shape {array.shape}",
                where=program.name,
                remedy=f"its last axes must be {item.shape}, those before are batch axes",
            )
        batch = array.shape[: array.ndim - rank]
        flat = array.reshape((*batch, len(item.symbols)))
        batches.append(batch)
        for index, symbol in enumerate(item.symbols):
            values[symbol] = flat[..., index] if batch else flat[index]
    try:
        return np.broadcast_shapes(*batches)
    except ValueError:
        shapes = dict(zip(known, batches, strict=True))
        raise SymbolicError(
            f"the batch axes {shapes} do not broadcast", where=program.name, remedy="make them equal or 1"
        ) from None


def _bind_parameters(program: Program, parameters: Mapping[str, float], values: dict[int, Any]) -> None:
    known = [item.name for item in program.parameters]
    unknown = sorted(set(parameters) - set(known))
    if unknown:
        raise SymbolicError(f"unknown parameter {unknown[0]}", where=program.name, remedy=f"the parameters are {known}")
    for item in program.parameters:
        values[item.symbol] = np.float64(parameters.get(item.name, float(item.default)))


def _functions() -> dict[str, Callable[..., Any]]:
    """What each elementary function is in NumPy."""
    return {
        "mul": mul,
        "div": truediv,
        "sqrt": np.sqrt,
        "sin": np.sin,
        "cos": np.cos,
        "tan": np.tan,
        "asin": np.arcsin,
        "acos": np.arccos,
        "exp": np.exp,
        "log": np.log,
        "tanh": np.tanh,
        "abs": np.abs,
        "sign": np.sign,
        "atan2": np.arctan2,
        "min": np.minimum,
        "max": np.maximum,
        "pow": np.power,
        "select": lambda condition, positive, otherwise: np.where(condition > 0, positive, otherwise),
    }

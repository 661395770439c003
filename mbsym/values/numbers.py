"""Values of a model as exact graph scalars and as floating-point numbers.

A value is a number, an expression as text, or a SymPy expression. Decimal text stands for the decimal it is, a float
for its shortest decimal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, Final, NamedTuple, Protocol

from mbsym.doors import sympy
from mbsym.errors import MbsymError, ModelError, SymbolicError
from mbsym.symbolic import sympy_bridge
from mbsym.symbolic.evaluator import ELEMENTARY_FUNCTIONS
from mbsym.symbolic.given_functions import Definition, GivenFunction
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.reader import expression_parts, free_names, read_expression
from mbsym.symbolic.scalar import Scalar, Symbols, constant
from mbsym.symbolic.sympy_bridge import from_sympy
from mbsym.values.parameter import Parameter, Value


class Parametrised(Protocol):
    """Whatever has named constants: a model."""

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> tuple[Parameter, ...]: ...


class NumberFunction(NamedTuple):
    """A function of numbers: how many it takes, and what it makes of them."""

    arguments: int
    compute: Callable[..., float]


NUMBER_TEXT: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
"""A decimal number as text."""

_NAME: Final = re.compile(r"(?<![\w.])[^\W\d]\w*")
"""A name or function in an expression, not what stands behind a dot."""

LARGEST_EXPONENT: Final = 400
"""Decimal exponents beyond this lie outside double precision; exact rationals of them would fill the memory."""

LARGEST_SIZE: Final = 1e60
SMALLEST_SIZE: Final = 1e-100
"""Sizes of what a model holds, in SI units: masses times squares of lengths and of speeds stay within double precision,
and what rounding leaves of a zero is let pass."""
_LARGEST: Final = Fraction(LARGEST_SIZE)
_SMALLEST: Final = Fraction(SMALLEST_SIZE)

LONGEST_NUMBER: Final = 500
"""Digits of a number as text; more of them are no measurement."""


def decimal_number(text: str) -> Fraction | None:
    """The exact number that a decimal text stands for, None if the text is no decimal number.

    Raises:
        SymbolicError: the number has too many digits or lies outside double precision.
    """
    stripped = text.strip()
    if NUMBER_TEXT.fullmatch(stripped) is None:
        return None
    if len(stripped) > LONGEST_NUMBER:
        raise SymbolicError(f"a number of {len(stripped)} characters", remedy="write it with 17 digits or fewer")
    number = Decimal(stripped)
    if number and abs(number.adjusted()) > LARGEST_EXPONENT:
        raise SymbolicError(f"the number {stripped} is out of range", remedy="give one that double precision can hold")
    return Fraction(number)


def size_fault(number: float | Fraction) -> str:
    """What is wrong with the size of a number of a model, empty if nothing is."""
    size = abs(Fraction(number))
    if size > _LARGEST:
        return f"larger than {LARGEST_SIZE:g}, the largest number that a model may hold"
    if 0 < size < _SMALLEST:
        return f"smaller than {SMALLEST_SIZE:g}, the smallest number above zero that a model may hold"
    return ""


def to_scalar(value: Value, graph: Graph, names: Mapping[str, Scalar]) -> Scalar:
    """The value as an exact scalar of a graph.

    Args:
        value: a number, a text expression or a SymPy expression.
        graph: where the scalar is made.
        names: what each name in an expression stands for, all of the same graph.

    Raises:
        SymbolicError: the value is no arithmetic expression, holds an unknown name, or is not finite.
    """
    if isinstance(value, bool):
        raise SymbolicError(f"{value} is no number", remedy="give a number or an expression")
    if isinstance(value, str):
        number = decimal_number(value)
        if number is not None:
            return constant(graph, number)
        return read_expression(value, graph, names)
    if isinstance(value, (int, float, Fraction)):
        return constant(graph, value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise SymbolicError(f"{value} is no number to compute with", remedy="give a finite number")
        if value and abs(value.adjusted()) > LARGEST_EXPONENT:
            raise SymbolicError(f"the number {value} is out of range", remedy="give one that double precision can hold")
        return constant(graph, value)
    if isinstance(value, Scalar):
        raise SymbolicError("a value of a graph is no value of a model", remedy="give a number, text or SymPy")
    if hasattr(value, "free_symbols"):
        return _from_sympy(value, graph, names)
    if hasattr(value, "__float__") and not hasattr(value, "shape"):
        return constant(graph, float(value))
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return to_scalar(value.item(), graph, names)
    raise SymbolicError(
        f"{value!r} is no number or expression", remedy="give a number, an expression as text, or a SymPy expression"
    )


def to_sympy(value: Value, symbols: Mapping[str, Any], functions: Mapping[str, NumberFunction] | None = None) -> Any:
    """The value as a SymPy expression, with what stands there for each of its ``value_names``.

    Functions that it may call besides the elementary ones are undefined functions of SymPy by their names.
    """
    graph = Graph()
    graph.definitions = {name: _definition(name, function) for name, function in (functions or {}).items()}
    (found,) = sympy_bridge.to_sympy(graph, [to_scalar(value, graph, Symbols(graph, symbols)).ref], symbols)
    return found


def _from_sympy(value: Any, graph: Graph, names: Mapping[str, Scalar]) -> Scalar:
    """A SymPy expression over symbols, or functions of time, of the given names."""
    named = _named_atoms(value)
    functions = [name for name, atom in named.items() if not atom.is_Symbol]
    symbols = {}
    for name, atom in named.items():
        if name in names:
            symbols[atom] = names[name].ref
        elif not (functions and name == "t"):
            raise SymbolicError(f"unknown name {name}", remedy=_suggest(name, names))
    return Scalar(graph, from_sympy(graph, value, symbols))


def _named_atoms(value: Any) -> dict[str, Any]:
    """Symbols, and functions such as q(t), of a SymPy expression, by name in sorted order."""
    atoms = {str(atom.name): atom for atom in value.free_symbols}
    for atom in value.atoms(sympy.core.function.AppliedUndef):
        atoms[str(atom.func.__name__)] = atom
    return dict(sorted(atoms.items()))


def _suggest(name: str, names: Mapping[str, Any]) -> str:
    near = get_close_matches(name, sorted(names), n=1)
    if near:
        return f"did you mean {near[0]}?"
    return f"known are {', '.join(sorted(names)[:12])}" if names else "no names are known here"


def value_names(value: Value) -> tuple[str, ...]:
    """Names that a value refers to, sorted; functions and ``pi`` are not among them.

    Raises:
        SymbolicError: a text is no expression.
    """
    if isinstance(value, str):
        if decimal_number(value) is not None:
            return ()
        return free_names(value)
    if hasattr(value, "free_symbols"):
        return tuple(_named_atoms(value))
    return ()


def with_names(value: Value, new: Callable[[str], tuple[str, Fraction]]) -> Value:
    """The value with other names, each times a number; other values as they are.

    Args:
        value: any.
        new: for each name, function and quantity of frames by its one spelling, what stands there then.
    """
    if isinstance(value, str):

        def written(name: str) -> str:
            name, factor = new(name)
            return name if factor == 1 else f"({name}*{factor.numerator}/{factor.denominator})"

        try:
            parts = expression_parts(value)
        except SymbolicError:
            return value  # the checks of the model say where
        return "".join(
            _NAME.sub(lambda found: written(found[0]), part) if isinstance(part, str) else written(part.name)
            for part in parts
        )
    if not hasattr(value, "free_symbols"):
        return value
    found = {}
    for name, atom in _named_atoms(value).items():
        name, factor = new(name)
        other = sympy.Symbol(name) if atom.is_Symbol else sympy.Function(name)(*atom.args)
        found[atom] = other * sympy.Rational(factor.numerator, factor.denominator)
    expression: Any = value
    return expression.xreplace(found)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def evaluate(
    value: Value, names: Mapping[str, float] | None = None, functions: Mapping[str, NumberFunction] | None = None
) -> float:
    """The number that a value amounts to.

    Args:
        value: a number, a text expression or a SymPy expression.
        names: the number of each name.
        functions: that it may call besides the elementary ones.

    Raises:
        SymbolicError: the value is no expression, holds an unknown name, has no finite real value, or vanishes only
            because it lies below double precision.
    """
    if isinstance(value, (int, float, Fraction)) and not isinstance(value, bool):
        return _finite(value, value)
    if isinstance(value, str):
        number = decimal_number(value)
        if number is not None:
            return _finite(number, value)
    graph = Graph()
    graph.definitions = {name: _definition(name, function) for name, function in (functions or {}).items()}
    numbers = names or {}
    scalar = to_scalar(value, graph, Symbols(graph, numbers))
    return _finite(evaluate_reference(graph, scalar.ref, numbers), value)


def _definition(name: str, function: NumberFunction) -> Definition:
    return Definition(
        function.arguments, lambda graph, given: graph.function(GivenFunction(name, function.compute), *given)
    )


def _finite(number: float | Fraction, value: Value) -> float:
    try:
        result = float(number)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise SymbolicError(f"{_short(str(value))} is not a finite number", remedy="give a finite number")
    if result == 0 and number != 0:
        raise _vanishing(_short(str(value)))
    return result


def _vanishing(what: str) -> SymbolicError:
    return SymbolicError(f"{what} is too small for double precision, which takes it as zero", remedy="check its units")


_FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    **ELEMENTARY_FUNCTIONS,
}


def evaluate_reference(graph: Graph, ref: Reference, names: Mapping[str, float]) -> float:
    """The number of a graph value for the given numbers of its symbols.

    Raises:
        SymbolicError: a function is evaluated outside its domain, a divisor is zero, or a product or quotient
            vanishes although none of its parts does.
    """
    values: dict[int, float] = {}
    for node in graph.reachable([ref]):
        kind = graph.kinds[node]
        arguments: tuple[Any, ...] = graph.arguments[node]
        try:
            if kind == "const":
                values[node] = _finite(arguments[0], arguments[0])
            elif kind == "pi":
                values[node] = math.pi
            elif kind == "symbol":
                values[node] = float(names[arguments[0]])
            else:
                operands = [values[ref] if ref >= 0 else -values[-ref] for ref in arguments]
                function = kind if isinstance(kind, GivenFunction) else _FUNCTIONS[kind]
                values[node] = function(*operands)
                if values[node] == 0 and kind in ("mul", "div") and operands[0] != 0 and operands[1] != 0:
                    raise _vanishing("a product" if kind == "mul" else "a quotient")
        except ZeroDivisionError:
            raise SymbolicError("division by zero", remedy="check the values of the names in the divisor") from None
        except (ValueError, OverflowError):
            raise SymbolicError(f"{kind} has no finite real value here", remedy="check its argument") from None
    return values[ref] if ref >= 0 else -values[-ref]


def parameter_values(model: Parametrised, overrides: Mapping[str, float] | None = None) -> dict[str, float]:
    """The number of each parameter, in the model's order; a parameter may be an expression of those before it.

    Args:
        model: whose parameters.
        overrides: numbers to use instead of the model's own.

    Raises:
        ModelError: an override is for no parameter, or a value has no finite number.
    """
    given = dict(overrides or {})
    known = {parameter.name: 0 for parameter in model.parameters} if given else {}
    for name in sorted(given):
        if name not in known:
            raise ModelError(f"no parameter is named {name!r}", where=model.name, remedy=_suggest(name, known))
    values: dict[str, float] = {}
    for parameter in model.parameters:
        try:
            values[parameter.name] = evaluate(given.get(parameter.name, parameter.value), values)
        except MbsymError as error:
            raise ModelError(error.what, where=f"parameter {parameter.name}", remedy=error.remedy) from None
    return values

"""Programs to SymPy and SymPy to graphs, both without loss.

Walks are iterative and every shared value is converted once, so that the size of a graph, not of its expanded text,
determines the time. SymPy is imported when a function is called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from mbsym.doors import sympy
from mbsym.errors import SymbolicError
from mbsym.symbolic.given_functions import GivenFunction
from mbsym.symbolic.graph import ONE, ZERO, Graph, Reference

if TYPE_CHECKING:
    import sympy

_MOST_NODES_TO_EVALUATE: Final = 20_000
_DEEPEST_TO_EVALUATE: Final = 120
"""SymPy's own evaluation calls itself for each level of an expression, several times over."""


def to_sympy(
    graph: Graph,
    refs: Sequence[Reference],
    symbols: Mapping[str, sympy.Expr] | None = None,
    *,
    evaluate: bool | None = None,
) -> list[sympy.Expr]:
    """The values as SymPy expressions.

    Args:
        graph: where the values live.
        refs: the values.
        symbols: what stands for each symbol of the graph, by name; a plain ``Symbol`` of that name where none is given.
        evaluate: whether SymPy may order and merge terms as it usually does; without it the expression keeps the
            operations of the graph. By default true up to 20 000 nodes and 120 nested operations.

    Returns:
        An expression for each value; shared values are shared objects.
    """
    nodes = graph.reachable(refs)
    if evaluate is None:
        evaluate = len(nodes) <= _MOST_NODES_TO_EVALUATE and _depth(graph, nodes) <= _DEEPEST_TO_EVALUATE
    writer = _Writer(graph, symbols or {}, evaluate)
    for node in nodes:
        writer.write(node)
    return [writer.signed(ref) for ref in refs]


def to_shared_sympy(
    graph: Graph, refs: Sequence[Reference], symbols: Mapping[str, sympy.Expr] | None = None
) -> tuple[list[tuple[sympy.Symbol, sympy.Expr]], list[sympy.Expr]]:
    """The values as SymPy expressions in which operations that occur several times are symbols.

    Args:
        graph: where the values live.
        refs: the values.
        symbols: as in ``to_sympy``.

    Returns:
        The symbols x0, x1, ... with what they stand for, each in terms of those before, and an expression for each
        value: what ``sympy.cse`` returns.
    """
    nodes = graph.reachable(refs)
    uses: dict[int, int] = {}
    for ref in (*refs, *(operand for node in nodes for operand in graph.operands(node))):
        uses[abs(ref)] = uses.get(abs(ref), 0) + 1
    given = dict(symbols or {})
    taken = {graph.arguments[node][0] for node in nodes if graph.kinds[node] == "symbol"}
    taken |= {str(symbol) for expression in given.values() for symbol in sympy.sympify(expression).free_symbols}
    names = (f"x{number}" for number in count() if f"x{number}" not in taken)
    writer = _Writer(graph, given, True)
    replacements = []
    for node in nodes:
        writer.write(node)
        made = writer.made[node]
        if uses[node] > 1 and made.args and not made.is_number:
            symbol = sympy.Symbol(next(names))
            replacements.append((symbol, made))
            writer.made[node] = symbol
    return replacements, [writer.signed(ref) for ref in refs]


def written_out(graph: Graph, refs: Sequence[Reference], numbers: Collection[str] = ()) -> int:
    """Operations of the values if nothing were shared.

    Args:
        graph: where the values live.
        refs: the values.
        numbers: names of symbols that numbers are inserted for; what depends on these alone is a number.
    """
    sizes: dict[int, int] = {}
    fixed: set[int] = set()
    for node in graph.reachable(refs):
        operands = [abs(ref) for ref in graph.operands(node)]
        leaf = graph.kinds[node] != "symbol" or graph.arguments[node][0] in numbers
        if leaf and fixed.issuperset(operands):
            fixed.add(node)
        sizes[node] = 0 if node in fixed else sum(map(sizes.__getitem__, operands)) + max(len(operands) - 1, 1)
    return sum(sizes[abs(ref)] for ref in refs)


def from_sympy(graph: Graph, expression: sympy.Expr | float | Fraction, symbols: Mapping[Any, Reference]) -> Reference:
    """The value of a SymPy expression.

    Floats are taken as the decimals they print. ``Piecewise`` with inequalities becomes select nodes; where a condition
    is an equality or a limit of an interval, the value is that of a neighbouring piece.

    Args:
        graph: where the value is made.
        expression: what to convert.
        symbols: the value of each symbol, applied function such as q(t), or derivative in the expression.

    Raises:
        SymbolicError: a symbol has no value in ``symbols``, or a function is not one of the graph's.
    """
    return from_sympy_many(graph, [expression], symbols)[0]


def from_sympy_many(
    graph: Graph, expressions: Iterable[sympy.Expr | float | Fraction], symbols: Mapping[Any, Reference]
) -> list[Reference]:
    """The values of several expressions, such as the entries of a matrix; what they share is converted once.

    Raises:
        SymbolicError: as ``from_sympy``.
    """
    reader = _Reader(graph, symbols)
    return [reader.read(sympy.sympify(expression)) for expression in expressions]


def _depth(graph: Graph, nodes: Sequence[int]) -> int:
    """Nested operations; a sum of sums, or a product of products, counts once since SymPy merges them."""
    depth: dict[int, int] = {}
    for node in nodes:
        kind = graph.kinds[node]
        below = [
            depth[abs(ref)] - (kind in ("add", "mul") and kind == graph.kinds[abs(ref)]) for ref in graph.operands(node)
        ]
        depth[node] = 1 + max(below, default=0)
    return max(depth.values(), default=0)


def _functions(sympy: Any) -> dict[str, Any]:
    """SymPy's functions by the names that the graph has for them."""
    names = ("sin", "cos", "tan", "asin", "acos", "exp", "log", "tanh", "sign", "atan2")
    return {name: getattr(sympy, name) for name in names} | {"abs": sympy.Abs, "min": sympy.Min, "max": sympy.Max}


class _Writer:
    """Graph to SymPy, node by node."""

    def __init__(self, graph: Graph, symbols: Mapping[str, sympy.Expr], evaluate: bool) -> None:
        self.graph = graph
        self.symbols = symbols
        self.evaluate = evaluate
        self.sympy: Any = sympy
        self.made: dict[int, Any] = {}
        self.functions = _functions(sympy)

    def signed(self, ref: Reference) -> Any:
        if ref >= 0:
            return self.made[ref]
        value = self.made[-ref]
        return -value if value.is_Number else self.sympy.Mul(-1, value, evaluate=self.evaluate)

    def write(self, node: int) -> None:
        kind, arguments = self.graph.kinds[node], self.graph.arguments[node]
        if kind == "const":
            self.made[node] = self.sympy.Rational(arguments[0].numerator, arguments[0].denominator)
        elif kind == "pi":
            self.made[node] = self.sympy.pi
        elif kind == "symbol":
            given = self.symbols.get(arguments[0])
            self.made[node] = self.sympy.Symbol(arguments[0]) if given is None else given
        else:
            self.made[node] = self._operation(kind, [self.signed(ref) for ref in arguments])

    def _operation(self, kind: str, operands: list[Any]) -> Any:
        sympy, evaluate = self.sympy, self.evaluate
        if kind == "add":
            return sympy.Add(*operands, evaluate=evaluate)
        if kind == "mul":
            return sympy.Mul(*operands, evaluate=evaluate)
        if kind == "div":
            inverse = sympy.Pow(operands[1], -1, evaluate=evaluate)
            return inverse if operands[0] == 1 else sympy.Mul(operands[0], inverse, evaluate=evaluate)
        if kind == "sqrt":
            return sympy.Pow(operands[0], sympy.S.Half, evaluate=evaluate)
        if kind == "pow":
            return sympy.Pow(*operands, evaluate=evaluate)
        if kind == "select":
            return sympy.Piecewise((operands[1], operands[0] > 0), (operands[2], True), evaluate=evaluate)
        if isinstance(kind, GivenFunction):
            return sympy.Function(str(kind))(*operands)
        return self.functions[kind](*operands, evaluate=evaluate)


class _Reader:
    """SymPy to graph, arguments first."""

    def __init__(self, graph: Graph, symbols: Mapping[Any, Reference]) -> None:
        self.graph = graph
        self.sympy: Any = sympy
        self.made: dict[Any, Reference] = dict(symbols)
        self.known = sorted(str(each) for each in symbols)
        self.functions = {function: name for name, function in _functions(sympy).items()}
        half = Fraction(1, 2)
        self.others: dict[Any, Callable[[Reference], Reference]] = {
            sympy.atan: lambda x: graph.function("atan2", x, ONE),
            sympy.sec: lambda x: graph.div(ONE, graph.function("cos", x)),
            sympy.csc: lambda x: graph.div(ONE, graph.function("sin", x)),
            sympy.cot: lambda x: graph.div(graph.function("cos", x), graph.function("sin", x)),
            sympy.sinh: lambda x: graph.mul(graph.const(half), graph.sub(*self._exponentials(x))),
            sympy.cosh: lambda x: graph.mul(graph.const(half), graph.add(*self._exponentials(x))),
            sympy.Heaviside: lambda x: graph.select(x, ONE, ZERO),
            # All that is computed is real; SymPy is not sure of roots.
            sympy.conjugate: lambda x: x,
        }

    def _exponentials(self, x: Reference) -> tuple[Reference, Reference]:
        return self.graph.function("exp", x), self.graph.function("exp", -x)

    def read(self, top: Any) -> Reference:
        stack = [top]
        while stack:
            expression = stack[-1]
            if expression in self.made:
                stack.pop()
                continue
            missing = [each for each in self._operands(expression) if each not in self.made]
            if missing:
                stack += reversed(missing)
            else:
                self.made[expression] = self._value(expression)
                stack.pop()
        return self.made[top]

    def _operands(self, expression: Any) -> Iterable[Any]:
        sympy = self.sympy
        if isinstance(expression, sympy.Piecewise):
            operands: list[Any] = []
            for value, condition in expression.args:
                operands += (value, *self._compared(condition))
            return operands
        if isinstance(expression, sympy.Pow):
            fixed = expression.exp.is_Rational or expression.exp.is_Float or expression.base == sympy.E
            return (expression.exp,) if expression.base == sympy.E else expression.args[: 1 if fixed else 2]
        if expression.is_Atom or isinstance(expression, (sympy.Derivative, sympy.core.function.AppliedUndef)):
            return ()
        return tuple(expression.args[:1]) if isinstance(expression, sympy.Heaviside) else tuple(expression.args)

    def _compared(self, condition: Any) -> list[Any]:
        """The two sides of every inequality in a condition."""
        sides: list[Any] = []
        stack = [condition]
        while stack:
            each = stack.pop()
            if each.is_Relational:
                sides += each.args
            else:
                stack += each.args
        return sides

    def _value(self, expression: Any) -> Reference:
        sympy, graph = self.sympy, self.graph
        if expression.is_Rational:
            return graph.const(Fraction(int(expression.p), int(expression.q)))
        if expression.is_Float:
            return graph.const(_decimal(expression))
        if expression.is_Add:
            total = ZERO
            for each in expression.args:
                total = graph.add(total, self.made[each])
            return total
        if expression.is_Mul:
            return self._product(expression.args)
        if expression.is_Pow:
            return self._power(expression)
        if expression is sympy.pi:
            return graph.pi()
        if expression is sympy.E:
            return graph.function("exp", ONE)
        if isinstance(expression, sympy.Piecewise):
            return self._piecewise(expression)
        operands = [self.made[each] for each in self._operands(expression)]
        name = self.functions.get(expression.func)
        if name in ("min", "max"):
            value = operands[0]
            for each in operands[1:]:
                value = graph.function(name, value, each)
            return value
        if name is not None:
            return graph.function(name, *operands)
        if expression.func in self.others:
            return self.others[expression.func](*operands)
        raise self._unknown(expression)

    def _unknown(self, expression: Any) -> SymbolicError:
        text = str(expression)
        text = text if len(text) <= 60 else f"{text[:57]}..."
        if expression.is_Symbol or isinstance(
            expression, (self.sympy.Derivative, self.sympy.core.function.AppliedUndef)
        ):
            return SymbolicError(f"{text} has no value here", remedy=f"known are {', '.join(self.known) or 'none'}")
        return SymbolicError(
            f"{text} cannot be computed", remedy="use real elementary functions, Piecewise, Min, Max and atan2"
        )

    def _product(self, factors: Sequence[Any]) -> Reference:
        """Numerators first, then one division by all that is raised to negative powers."""
        graph = self.graph
        numerator, denominator = ONE, ONE
        for each in factors:
            exponent = each.exp if each.is_Pow else None
            if exponent is not None and exponent.is_Rational and exponent < 0 and each.base != self.sympy.E:
                power = graph.power(self.made[each.base], Fraction(-int(exponent.p), int(exponent.q)))
                denominator = graph.mul(denominator, power)
            else:
                numerator = graph.mul(numerator, self.made[each])
        return graph.div(numerator, denominator)

    def _power(self, expression: Any) -> Reference:
        graph, base, exponent = self.graph, expression.base, expression.exp
        if base == self.sympy.E:
            return graph.function("exp", self.made[exponent])
        if exponent.is_Rational:
            return graph.power(self.made[base], Fraction(int(exponent.p), int(exponent.q)))
        if exponent.is_Float:
            return graph.power(self.made[base], _decimal(exponent))
        return graph.function("pow", self.made[base], self.made[exponent])

    def _piecewise(self, expression: Any) -> Reference:
        *pieces, last = expression.args
        if last[1] != self.sympy.true:
            raise SymbolicError(
                "a Piecewise without value elsewhere cannot be computed", remedy="add a last piece (value, True)"
            )
        value = self.made[last[0]]
        for piece, condition in reversed(pieces):
            value = self._where(condition, self.made[piece], value)
        return value

    def _where(self, condition: Any, positive: Reference, otherwise: Reference) -> Reference:
        """``positive`` where the condition holds."""
        sympy, graph = self.sympy, self.graph
        if condition == sympy.true:
            return positive
        if condition == sympy.false:
            return otherwise
        if isinstance(condition, sympy.Not):
            return self._where(condition.args[0], otherwise, positive)
        if isinstance(condition, sympy.And):
            for each in condition.args:
                positive = self._where(each, positive, otherwise)
            return positive
        if isinstance(condition, sympy.Or):
            for each in condition.args:
                otherwise = self._where(each, positive, otherwise)
            return otherwise
        if condition.is_Relational:
            left, right = (self.made[each] for each in condition.args)
            difference = graph.sub(left, right)
            if isinstance(condition, sympy.Equality | sympy.Unequality):
                difference = graph.function("abs", difference)
            elif isinstance(condition, sympy.StrictLessThan | sympy.GreaterThan):
                difference = -difference
            if isinstance(condition, sympy.StrictGreaterThan | sympy.StrictLessThan | sympy.Unequality):
                return graph.select(difference, positive, otherwise)
            return graph.select(difference, otherwise, positive)
        raise SymbolicError(f"the condition {condition} cannot be computed", remedy="use inequalities, And, Or, Not")


def _decimal(number: Any) -> Fraction:
    """The decimal that a SymPy float prints: a double's shortest one, else all its digits.

    Raises:
        SymbolicError: it is infinite or not a number.
    """
    if not number.is_finite:
        raise SymbolicError(f"{number} is no number to compute with", remedy="give a finite number")
    return Fraction(repr(float(number))) if number._prec <= 53 else Fraction(str(number))

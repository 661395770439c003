"""From a Program to statements: which values get a name, which are written where they are used, and with which sign.

A value becomes a temporary if it is used more than once, if somebody named it, if it is the sine or cosine of an angle
of which both are needed, or if the expression that holds it would grow too long. A temporary may hold the negated
value, so that no sign is ever computed that could be absorbed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from mbsym.codegen.expressions import (
    Call,
    Constant,
    Element,
    Expression,
    Product,
    Quotient,
    Select,
    Sum,
    Variable,
    negated,
    ordered_sum,
)
from mbsym.codegen.identifiers import Scope
from mbsym.errors import CodegenError
from mbsym.symbolic.graph import EVEN_FUNCTIONS, ODD_FUNCTIONS, Reference
from mbsym.symbolic.program import Program

LONGEST_EXPRESSION: Final = 100
PI: Final = Fraction("3.14159265358979323846264338327950288419716939937510")


@dataclass(frozen=True, slots=True)
class Assignment:
    """A temporary and the expression it holds."""

    identifier: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class Block:
    """Statements under one section title, which may be empty."""

    title: str
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """An output and the expressions of its entries, row-major."""

    identifier: str
    shape: tuple[int, ...]
    entries: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class LoweredFunction:
    """The body of a function.

    Attributes:
        blocks: temporaries in the order of evaluation.
        results: outputs, written after all temporaries.
        used: identifiers of the arguments and parameters that occur in the body.
        calls: elementary functions that occur in the body, sorted; "select" counts as one.
        temporaries: number of temporaries.
        live: largest number of temporaries that are needed at the same time.
    """

    blocks: tuple[Block, ...]
    results: tuple[Result, ...]
    used: frozenset[str]
    calls: tuple[str, ...]
    temporaries: int
    live: int


def lower(
    program: Program,
    arguments: Mapping[str, str],
    parameters: Mapping[str, str],
    reserved: frozenset[str] = frozenset(),
) -> LoweredFunction:
    """Statements that evaluate a program.

    Args:
        program: what to evaluate.
        arguments: identifiers of its inputs and outputs, by their names.
        parameters: identifiers of its parameters, by their names.
        reserved: identifiers that no temporary may take.

    Raises:
        CodegenError: the program uses a symbol that is neither input nor parameter.
    """
    return _Lowering(program, arguments, parameters, reserved).result()


class _Lowering:
    """One pass over the nodes of a program in topological order."""

    __slots__ = (
        "_arguments",
        "_blocks",
        "_calls",
        "_current",
        "_last_use",
        "_names",
        "_number",
        "_operators",
        "_pairs",
        "_parameters",
        "_program",
        "_scope",
        "_stated",
        "_title",
        "_used",
        "_uses",
        "_values",
    )

    def __init__(
        self, program: Program, arguments: Mapping[str, str], parameters: Mapping[str, str], reserved: frozenset[str]
    ) -> None:
        self._program = program
        self._arguments = arguments
        self._parameters = parameters
        self._scope = Scope({*reserved, *arguments.values(), *parameters.values()})
        # Of each node: an expression, the sign s with expression = s * node, and the columns it takes.
        self._values: dict[int, tuple[Expression, int, int]] = {}
        self._uses: dict[int, int] = {}
        self._names: dict[int, tuple[str, int]] = {}
        self._pairs: dict[int, tuple[int, int]] = {}
        self._blocks: list[Block] = []
        self._current: list[Assignment] = []
        self._title = ""
        self._number = 0
        self._stated: dict[int, int] = {}
        self._last_use: dict[int, int] = {}
        self._used: set[str] = set()
        self._calls: set[str] = set()
        self._operators: dict[str, Callable[[int, tuple[Reference, ...]], tuple[Expression, int, int]]] = {
            "add": self._sum,
            "mul": self._product,
            "div": self._quotient,
            "select": self._select,
        }

    def result(self) -> LoweredFunction:
        program, graph = self._program, self._program.graph
        nodes = program.nodes()
        self._bind_symbols()
        self._count_uses(nodes)
        self._find_pairs(nodes)
        self._claim_names(nodes)
        kinds, sections, section_of = graph.kinds, graph.sections, graph.section_of
        for node in nodes:
            kind = kinds[node]
            if kind == "symbol":
                if node not in self._values:
                    raise CodegenError(
                        f"{program.name} uses the symbol {graph.arguments[node][0]}, which no input provides",
                        where=program.name,
                        remedy="make it an input or a parameter, or give it a value",
                    )
            elif kind == "const":
                value = graph.arguments[node][0]
                assert isinstance(value, Fraction)
                self._values[node] = _constant(value)
            elif kind == "pi":
                self._values[node] = _constant(PI)
            elif node not in self._values:
                title = sections[section_of[node]]
                if title != self._title:
                    self._close_block(title)
                self._evaluate(node)
        results = tuple(
            Result(
                self._arguments[output.name],
                output.shape,
                tuple(self._root(ref) for ref in output.values),
            )
            for output in program.outputs
        )
        self._close_block("")
        return LoweredFunction(
            tuple(block for block in self._blocks if block.assignments),
            results,
            frozenset(self._used),
            tuple(sorted(self._calls)),
            len(self._stated),
            self._most_live(),
        )

    # ---- preparation ------------------------------------------------------------------------------------------------

    def _bind_symbols(self) -> None:
        for item in self._program.inputs:
            array = self._arguments[item.name]
            for index, ref in enumerate(item.symbols):
                leaf = Element(array, index) if item.shape else Variable(array)
                self._values[abs(ref)] = (leaf, 1 if ref > 0 else -1, len(array) + 2 + len(str(index)))
        for parameter in self._program.parameters:
            identifier = self._parameters[parameter.name]
            sign = 1 if parameter.symbol > 0 else -1
            self._values[abs(parameter.symbol)] = (Variable(identifier), sign, len(identifier))

    def _count_uses(self, nodes: list[int]) -> None:
        uses = dict.fromkeys(nodes, 0)
        operands = self._program.graph.operands
        for node in nodes:
            for ref in operands(node):
                uses[abs(ref)] += 1
        self._uses = uses
        # A name for a value that is used once, as a result, would only be copied into the result.
        names = self._program.graph.names
        results: dict[int, int] = {}
        for ref in self._program.output_references:
            results[abs(ref)] = results.get(abs(ref), 0) + 1
        self._names = {
            node: names[node] for node in nodes if node in names and not (uses[node] == 0 and results[node] == 1)
        }
        for node, count in results.items():
            uses[node] += count

    def _find_pairs(self, nodes: list[int]) -> None:
        graph = self._program.graph
        halves: dict[object, list[int]] = {}
        for node in nodes:
            if graph.kinds[node] in ("sin", "cos"):
                halves.setdefault(graph.arguments[node][0], []).append(node)
        for pair in halves.values():
            if len(pair) == 2:
                sine, cosine = pair if graph.kinds[pair[0]] == "sin" else pair[::-1]
                self._pairs[sine] = self._pairs[cosine] = (sine, cosine)

    def _claim_names(self, nodes: list[int]) -> None:
        """Names that were asked for are given out before any automatic one, in the order of evaluation."""
        claim = self._scope.claim
        for node in nodes:
            if node in self._names:
                name, sign = self._names[node]
                self._names[node] = (claim(name), sign)

    # ---- statements -------------------------------------------------------------------------------------------------

    def _close_block(self, title: str) -> None:
        if self._current:
            self._blocks.append(Block(self._title, tuple(self._current)))
            self._current = []
        self._title = title

    def _evaluate(self, node: int) -> None:
        pair = self._pairs.get(node)
        for half in (node,) if pair is None else pair:
            self._values[half] = self._expression(half)
            if pair is not None or self._uses[half] > 1 or half in self._names:
                self._state(half)

    def _state(self, node: int) -> None:
        """Puts the value of a node into a temporary."""
        expression, sign, _ = self._values[node]
        if isinstance(expression, (Constant, Variable, Element)):
            return
        suggestion = self._names.get(node)
        if suggestion is None:
            identifier = self._automatic_name(expression)
        else:
            identifier = suggestion[0]
            if suggestion[1] != sign:
                expression, sign = negated(expression), suggestion[1]
        self._stated[node] = len(self._stated)
        self._current.append(Assignment(identifier, expression))
        self._values[node] = (Variable(identifier), sign, len(identifier))

    def _automatic_name(self, expression: Expression) -> str:
        if isinstance(expression, Call) and expression.function in ("sin", "cos"):
            angle = expression.arguments[0]
            if isinstance(angle, Element):
                return self._scope.claim(f"{expression.function}_{angle.array}{angle.index}")
            if isinstance(angle, Variable):
                return self._scope.claim(f"{expression.function}_{angle.identifier}")
        self._number += 1
        while f"t{self._number}" in self._scope:
            self._number += 1
        return self._scope.claim(f"t{self._number}")

    def _most_live(self) -> int:
        """Largest number of temporaries between their statement and their last use."""
        ends = [0] * (len(self._stated) + 1)
        for node, place in self._stated.items():
            ends[max(self._last_use.get(node, place), place)] += 1
        live = most = 0
        for place in range(len(self._stated)):
            live += 1
            most = max(most, live)
            live -= ends[place]
        return most

    # ---- expressions ------------------------------------------------------------------------------------------------

    def _operand(self, ref: Reference) -> tuple[Expression, int, int]:
        """Expression, sign (of the value that the reference stands for) and columns."""
        node = -ref if ref < 0 else ref
        expression, sign, columns = self._values[node]
        if node in self._stated:
            self._last_use[node] = len(self._stated)
        elif isinstance(expression, Element):
            self._used.add(expression.array)
        elif isinstance(expression, Variable):
            self._used.add(expression.identifier)
        return expression, -sign if ref < 0 else sign, columns

    def _operands(self, refs: tuple[Reference, ...]) -> list[tuple[Expression, int, int]]:
        """All operands; the longest become temporaries until the rest fits."""
        operands = [self._operand(ref) for ref in refs]
        while sum(columns for _, _, columns in operands) > LONGEST_EXPRESSION:
            longest = max(range(len(refs)), key=lambda place: operands[place][2])
            node = abs(refs[longest])
            if isinstance(operands[longest][0], (Constant, Variable, Element)):
                break
            self._state(node)
            operands[longest] = self._operand(refs[longest])
        return operands

    def _root(self, ref: Reference) -> Expression:
        """Expression of exactly the value that the reference stands for."""
        expression, sign, _ = self._operand(ref)
        return expression if sign > 0 else negated(expression)

    def _expression(self, node: int) -> tuple[Expression, int, int]:
        graph = self._program.graph
        kind = graph.kinds[node]
        refs: tuple[Reference, ...] = graph.operands(node)
        return self._operators.get(kind, self._call)(node, refs)

    def _sum(self, node: int, refs: tuple[Reference, ...]) -> tuple[Expression, int, int]:
        terms: list[tuple[bool, Expression]] = []
        width = 0
        for expression, sign, columns in self._operands(refs):
            if isinstance(expression, Sum):
                terms.extend(((sign < 0) != negative, term) for negative, term in expression.terms)
            else:
                terms.append((sign < 0, expression))
            width += columns + 3
        if all(negative for negative, _ in terms):
            return Sum(tuple((False, term) for _, term in terms)), -1, width
        return ordered_sum(tuple(terms)), 1, width

    def _product(self, node: int, refs: tuple[Reference, ...]) -> tuple[Expression, int, int]:
        factors: list[Expression] = []
        constant = Fraction(1)
        sign = 1
        width = 0
        for expression, operand_sign, columns in self._operands(refs):
            sign *= operand_sign
            width += columns + 3
            for factor in expression.factors if isinstance(expression, Product) else (expression,):
                if isinstance(factor, Constant):
                    constant *= factor.value
                else:
                    factors.append(factor)
        if not factors:
            return _constant(constant, sign)
        if constant != 1:
            factors.insert(0, Constant(constant))
        elif len(factors) == 1:
            return factors[0], sign, width
        return Product(tuple(factors)), sign, width

    def _quotient(self, node: int, refs: tuple[Reference, ...]) -> tuple[Expression, int, int]:
        (numerator, sign, width), (denominator, other_sign, other_width) = self._operands(refs)
        sign *= other_sign
        if isinstance(denominator, Constant):
            # Only multiples of pi come here: the graph turns division by a rational into multiplication.
            reciprocal = Constant(1 / denominator.value)
            if isinstance(numerator, Constant):
                return _constant(numerator.value * reciprocal.value, sign)
            return Product((reciprocal, numerator)), sign, width + 24
        return Quotient(numerator, denominator), sign, width + other_width + 3

    def _call(self, node: int, refs: tuple[Reference, ...]) -> tuple[Expression, int, int]:
        function = self._program.graph.kinds[node]
        self._calls.add(function)
        operands = self._operands(refs)
        width = len(function) + 2 + sum(columns + 2 for _, _, columns in operands)
        sign = 1
        if function in ODD_FUNCTIONS:
            arguments = (operands[0][0],)
            sign = operands[0][1]
        elif function in EVEN_FUNCTIONS:
            arguments = (operands[0][0],)
        else:
            return Call(function, _signed(operands)), 1, width
        if function == "sign" and not isinstance(arguments[0], (Constant, Variable, Element)):
            # Languages without a sign function compare the argument more than once.
            self._state(abs(refs[0]))
            expression, sign, _ = self._operand(refs[0])
            arguments = (expression,)
        return Call(function, arguments), sign, width

    def _select(self, node: int, refs: tuple[Reference, ...]) -> tuple[Expression, int, int]:
        self._calls.add("select")
        operands = self._operands(refs)
        condition, positive, otherwise = _signed(operands)
        return Select(condition, positive, otherwise), 1, 12 + sum(columns for _, _, columns in operands)


def _signed(operands: list[tuple[Expression, int, int]]) -> tuple[Expression, ...]:
    return tuple(expression if sign > 0 else negated(expression) for expression, sign, _ in operands)


def _constant(value: Fraction, sign: int = 1) -> tuple[Expression, int, int]:
    """A constant with its columns, which a short decimal saves."""
    digits = len(str(value.numerator)) + 2 if value.denominator == 1 else 18
    return Constant(value), sign, min(digits, 18)

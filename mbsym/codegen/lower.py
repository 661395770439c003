"""From a Program to statements: which values get a name, which are written where they are used, and with which sign.

A value becomes a temporary if it is used more than once, if somebody named it, if it is the sine or cosine of an angle
of which both are needed, or if the expression that holds it would grow too long. A temporary may hold the negated
value, so that no sign is ever computed that could be absorbed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, TypeAlias

from mbsym.codegen import expressions as ex
from mbsym.codegen.expressions import negated, ordered_sum
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.lowered import Assignment, Block, LoweredFunction, Result
from mbsym.errors import CodegenError
from mbsym.symbolic.given_functions import Column
from mbsym.symbolic.graph import EVEN_FUNCTIONS, ODD_FUNCTIONS, Reference
from mbsym.symbolic.program import OperationCount, Program, count_operations

LONGEST_EXPRESSION: Final = 100
PI: Final = Fraction("3.14159265358979323846264338327950288419716939937510")
_NUMBER: Final = re.compile(r"\d+")
SIMPLE: Final = frozenset((ex.Constant, ex.Variable, ex.Element))

# Of a node: an expression, the sign s with expression = s * node, and the columns that it takes.
_Value: TypeAlias = tuple[ex.Expression, int, int]


def lower(
    program: Program,
    arguments: Mapping[str, str],
    parameters: Mapping[str, str],
    outer: Scope | None = None,
) -> LoweredFunction:
    """Statements that evaluate a straight program.

    Args:
        program: what to evaluate.
        arguments: identifiers of its inputs and outputs, by their names.
        parameters: identifiers of its parameters, by their names.
        outer: scope of what surrounds the function, of which no temporary may bear a name.

    Raises:
        CodegenError: the program uses a symbol that is neither input nor parameter.
    """
    return _Lowering(program, arguments, parameters, outer or Scope()).result()


class _Lowering:
    """One pass over the nodes of a program in topological order."""

    def __init__(
        self, program: Program, arguments: Mapping[str, str], parameters: Mapping[str, str], outer: Scope
    ) -> None:
        self._program = program
        self._arguments = arguments
        self._parameters = parameters
        self._scope = outer.inside((*arguments.values(), *parameters.values()))
        self._values: dict[int, _Value] = {}
        self._names: dict[int, tuple[str, int]] = {}
        self._blocks: list[Block] = []
        self._current: list[Assignment] = []
        self._title = ""
        self._number = 0
        self._labels = {arguments[item.name]: item.labels for item in program.inputs if item.labels}
        self._spared_additions = 0
        self._spared_multiplications = 0
        self._spared_divisions = 0
        self._stated: set[int] = set()
        self._used: set[str] = set()
        self._calls: set[str] = set()

    def result(self) -> LoweredFunction:
        program, graph = self._program, self._program.graph
        uses = usage(program)
        self._bind_symbols()
        # Names that were asked for are given out before any automatic one.
        self._names = {node: (self._scope.claim(name), sign) for node, (name, sign) in uses.names.items()}
        kept = {node for node, count in uses.counts.items() if count > 1} | uses.names.keys() | uses.pairs.keys()
        values, kinds, arguments = self._values, graph.kinds, graph.arguments
        sections, section_of = graph.sections, graph.section_of
        operators: dict[str, Callable[[str, tuple[Reference, ...]], _Value]] = {
            "add": self._sum,
            "mul": self._product,
            "div": self._quotient,
            "select": self._select,
        }
        section = 0
        for node in uses.nodes:
            kind = kinds[node]
            if kind == "symbol":
                self._use_symbol(node)
            elif kind == "const":
                values[node] = _constant(arguments[node][0])
            elif kind == "pi":
                values[node] = _constant(PI)
            elif node not in values:
                if section_of[node] != section:
                    section = section_of[node]
                    self._open_section(sections[section])
                for half in uses.pairs.get(node, (node,)):
                    kind = kinds[half]
                    values[half] = operators.get(kind, self._call)(kind, arguments[half])
                    if half in kept:
                        self._state(half)
        results = tuple(
            Result(self._arguments[output.name], output.shape, tuple(self._root(ref) for ref in output.values))
            for output in program.outputs
        )
        self._close_section()
        return LoweredFunction(
            tuple(self._blocks),
            results,
            frozenset(self._used),
            tuple(sorted(self._calls)),
            self._operations(count_operations(graph, uses.nodes)),
            len(self._stated),
        )

    def _operations(self, counted: OperationCount) -> OperationCount:
        return replace(
            counted,
            add=counted.add - self._spared_additions,
            mul=counted.mul - self._spared_multiplications,
            div=counted.div - self._spared_divisions,
        )

    # ---- symbols ----------------------------------------------------------------------------------------------------

    def _bind_symbols(self) -> None:
        for item in self._program.inputs:
            array = self._arguments[item.name]
            for index, ref in enumerate(item.symbols):
                leaf = ex.Element(array, index) if item.shape else ex.Variable(array)
                self._values[abs(ref)] = (leaf, 1 if ref > 0 else -1, _columns(array) + 4)
        for parameter in self._program.parameters:
            identifier = self._parameters[parameter.name]
            sign = 1 if parameter.symbol > 0 else -1
            self._values[abs(parameter.symbol)] = (ex.Variable(identifier), sign, _columns(identifier))

    def _use_symbol(self, node: int) -> None:
        value = self._values.get(node)
        if value is None:
            raise CodegenError(
                f"nothing provides the symbol {self._program.graph.arguments[node][0]}",
                where=self._program.name,
                remedy="make it an input or a parameter, or give it a value",
            )
        leaf = value[0]
        self._used.add(leaf.array if isinstance(leaf, ex.Element) else leaf.identifier)  # type: ignore[union-attr]

    # ---- statements -------------------------------------------------------------------------------------------------

    def _open_section(self, title: str) -> None:
        if title != self._title:
            self._close_section()
            self._title = title

    def _close_section(self) -> None:
        if self._current:
            self._blocks.append(Block(self._title, tuple(self._current)))
            self._current = []

    def _state(self, node: int) -> None:
        """Puts the value of a node into a temporary, unless it is as simple as a temporary."""
        expression, sign, _ = self._values[node]
        if expression.__class__ in SIMPLE:
            return
        suggestion = self._names.get(node)
        if suggestion is None:
            identifier = self._automatic_name(expression)
        else:
            identifier = suggestion[0]
            if suggestion[1] != sign:
                expression, sign = negated(expression), suggestion[1]
        self._stated.add(node)
        self._current.append(Assignment(identifier, expression))
        self._values[node] = (ex.Variable(identifier), sign, _columns(identifier))

    def _automatic_name(self, expression: ex.Expression) -> str:
        if expression.__class__ is ex.Call and expression.function in ("sin", "cos"):
            angle = expression.arguments[0]
            if isinstance(angle, ex.Element):
                labels = self._labels.get(angle.array)
                of = labels[angle.index] if labels is not None else f"_{angle.array}{angle.index}"
                return self._scope.claim(f"{expression.function}{of}")
            if isinstance(angle, ex.Variable):
                return self._scope.claim(f"{expression.function}_{angle.identifier}")
        identifier, self._number = self._scope.numbered("t", self._number + 1)
        return identifier

    # ---- expressions ------------------------------------------------------------------------------------------------

    def _operands(self, refs: tuple[Reference, ...]) -> list[_Value]:
        """Values that the references stand for; the longest become temporaries until the rest fits."""
        values = self._values
        operands: list[_Value] = []
        room = LONGEST_EXPRESSION
        for ref in refs:
            if ref < 0:
                expression, sign, columns = values[-ref]
                operands.append((expression, -sign, columns))
            else:
                operands.append(values[ref])
                columns = operands[-1][2]
            room -= columns
        while room < 0:
            longest = max(range(len(refs)), key=lambda place: operands[place][2])
            if operands[longest][0].__class__ in SIMPLE:
                break
            self._state(abs(refs[longest]))
            room += operands[longest][2]
            operands[longest] = self._operand(refs[longest])
            room -= operands[longest][2]
        return operands

    def _operand(self, ref: Reference) -> _Value:
        expression, sign, columns = self._values[abs(ref)]
        return expression, -sign if ref < 0 else sign, columns

    def _root(self, ref: Reference) -> ex.Expression:
        """Expression of exactly the value that the reference stands for."""
        expression, sign, _ = self._operand(ref)
        return expression if sign > 0 else negated(expression)

    def _sum(self, kind: str, refs: tuple[Reference, ...]) -> _Value:
        (first, sign, width), (second, other_sign, other_width) = self._operands(refs)
        width += other_width + 3
        if first.__class__ is not ex.Sum and second.__class__ is not ex.Sum and first.__class__ is not ex.Constant:
            if sign > 0:
                return ex.Sum(((False, first), (other_sign < 0, second))), 1, width
            if other_sign > 0:
                return ex.Sum(((False, second), (True, first))), 1, width
            return ex.Sum(((False, first), (False, second))), -1, width
        terms = self._with_one_constant((*_terms(first, sign), *_terms(second, other_sign)))
        if len(terms) == 1:
            return terms[0][1], -1 if terms[0][0] else 1, width
        if all([negative for negative, _ in terms]):
            return ex.Sum(tuple([(False, term) for _, term in terms])), -1, width
        return ordered_sum(terms), 1, width

    def _with_one_constant(
        self, terms: tuple[tuple[bool, ex.Expression], ...]
    ) -> tuple[tuple[bool, ex.Expression], ...]:
        """Terms in which the constants that meet in a flattened sum are one."""
        constants = [place for place, (_, term) in enumerate(terms) if term.__class__ is ex.Constant]
        if len(constants) < 2:
            return terms
        total = Fraction(0)
        for place in constants:
            negative, term = terms[place]
            assert isinstance(term, ex.Constant)
            total += -term.value if negative else term.value
        rest = [term for place, term in enumerate(terms) if place not in constants]
        if total or not rest:
            rest.insert(constants[0], (total < 0, ex.Constant(abs(total))))
        self._spared_additions += len(terms) - len(rest)
        return tuple(rest)

    def _product(self, kind: str, refs: tuple[Reference, ...]) -> _Value:
        (first, sign, width), (second, other_sign, other_width) = self._operands(refs)
        return self._multiplied(first, second, sign * other_sign, width + other_width + 1)

    def _multiplied(self, first: ex.Expression, second: ex.Expression, sign: int, width: int) -> _Value:
        left = first.factors if isinstance(first, ex.Product) else (first,)
        right = second.factors if isinstance(second, ex.Product) else (second,)
        # Constants stand in front, and there is one of them at most.
        if right[0].__class__ is not ex.Constant:
            return ex.Product((*left, *right)), sign, width
        if left[0].__class__ is not ex.Constant:
            return ex.Product((right[0], *left, *right[1:])), sign, width
        self._spared_multiplications += 1
        constant = left[0].value * right[0].value
        factors = (*left[1:], *right[1:])
        return (ex.Product((ex.Constant(constant), *factors)), sign, width) if factors else _constant(constant, sign)

    def _quotient(self, kind: str, refs: tuple[Reference, ...]) -> _Value:
        (numerator, sign, width), (denominator, other_sign, other_width) = self._operands(refs)
        sign *= other_sign
        if isinstance(denominator, ex.Constant):
            # Only multiples of pi come here: the graph turns division by a rational into multiplication.
            self._spared_divisions += 1
            self._spared_multiplications -= 1
            return self._multiplied(ex.Constant(1 / denominator.value), numerator, sign, width + 20)
        return ex.Quotient(numerator, denominator), sign, width + other_width + 3

    def _call(self, function: str, refs: tuple[Reference, ...]) -> _Value:
        self._calls.add(function)
        if isinstance(function, Column):
            # Its argument is converted to an index, which compilers do not like of calls.
            self._state(abs(refs[0]))
        operands = self._operands(refs)
        width = len(function) + 2 + sum(columns + 2 for _, _, columns in operands)
        sign = 1
        if function in ODD_FUNCTIONS:
            arguments = (operands[0][0],)
            sign = operands[0][1]
        elif function in EVEN_FUNCTIONS:
            arguments = (operands[0][0],)
        else:
            return ex.Call(function, _signed(operands)), 1, width
        if function == "sign" and arguments[0].__class__ not in SIMPLE:
            # Languages without a sign function compare the argument more than once.
            self._state(abs(refs[0]))
            expression, sign, _ = self._operand(refs[0])
            arguments = (expression,)
        return ex.Call(function, arguments), sign, width

    def _select(self, kind: str, refs: tuple[Reference, ...]) -> _Value:
        self._calls.add("select")
        operands = self._operands(refs)
        condition, positive, otherwise = _signed(operands)
        return ex.Select(condition, positive, otherwise), 1, 12 + sum(columns for _, _, columns in operands)


def _terms(expression: ex.Expression, sign: int) -> tuple[tuple[bool, ex.Expression], ...]:
    if not isinstance(expression, ex.Sum):
        return ((sign < 0, expression),)
    if sign > 0:
        return expression.terms
    return tuple([(not negative, term) for negative, term in expression.terms])


def _signed(operands: list[_Value]) -> tuple[ex.Expression, ...]:
    return tuple(expression if sign > 0 else negated(expression) for expression, sign, _ in operands)


def _columns(identifier: str) -> int:
    """Columns of a name in which every number counts as two digits, so that bodies alike are written alike."""
    return len(_NUMBER.sub("00", identifier))


def _constant(value: Fraction, sign: int = 1) -> _Value:
    """A constant with its columns, which a short decimal saves."""
    digits = len(str(value.numerator)) + 2 if value.denominator == 1 else 18
    return ex.Constant(value), sign, min(digits, 18)


@dataclass(frozen=True, slots=True)
class Usage:
    """What lowering must know of a program's nodes before it begins.

    Attributes:
        nodes: that the outputs depend on, in topological order.
        counts: uses of each node as an operand or as an output entry.
        names: suggested names with their signs, in topological order, of the nodes that deserve a temporary by name.
        pairs: (sine, cosine) of one angle, under both nodes, where both occur.
    """

    nodes: list[int]
    counts: Mapping[int, int]
    names: Mapping[int, tuple[str, int]]
    pairs: Mapping[int, tuple[int, int]]


def usage(program: Program) -> Usage:
    """Counts uses, collects names and finds pairs."""
    graph = program.graph
    nodes = program.nodes()
    counts = dict.fromkeys(nodes, 0)
    operands, kinds = graph.operands, graph.kinds
    halves: dict[int, list[int]] = {}
    for node in nodes:
        refs = operands(node)
        for ref in refs:
            counts[ref if ref > 0 else -ref] += 1
        if kinds[node] in ("sin", "cos"):
            halves.setdefault(refs[0], []).append(node)
    results: dict[int, int] = {}
    for ref in program.output_references:
        results[abs(ref)] = results.get(abs(ref), 0) + 1
    # A name for a value that is used once, as a result, would only be copied into the result.
    names = {
        node: graph.names[node]
        for node in sorted(counts.keys() & graph.names.keys())
        if counts[node] > 0 or results[node] > 1
    }
    for node, count in results.items():
        counts[node] += count
    pairs: dict[int, tuple[int, int]] = {}
    for pair in halves.values():
        if len(pair) == 2:
            sine, cosine = pair if kinds[pair[0]] == "sin" else pair[::-1]
            pairs[sine] = pairs[cosine] = (sine, cosine)
    return Usage(nodes, counts, names, pairs)

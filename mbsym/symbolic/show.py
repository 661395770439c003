"""Readable text of values and programs: what an engineer compares with the book."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import groupby
from typing import Final

from mbsym.symbolic.graph import LEAVES, Graph, Reference
from mbsym.symbolic.program import ForPairs, Input, Program, Zeros

_SUM: Final = 1
_PRODUCT: Final = 2
_ATOM: Final = 3

_LONGEST_VALUE: Final = 2000
_LONGEST_LINE: Final = 100

_Text = tuple[str, int]


def show_value(graph: Graph, ref: Reference) -> str:
    """The value as one expression of its symbols.

    A subexpression whose own text would exceed 2000 characters appears as ``#k``, k its node.
    """
    texts: dict[int, _Text] = {}
    for node in graph.reachable([ref]):
        text = _node_text(graph, node, lambda operand: _signed(texts[abs(operand)], operand))
        texts[node] = text if len(text[0]) <= _LONGEST_VALUE else (f"#{node}", _ATOM)
    return _signed(texts[abs(ref)], ref)[0]


def show(program: Program) -> str:
    """The program as text: inputs, parameters, one line per stored operation under its section, outputs.

    An operation is stored if it is used more than once or bears a name; others appear where they are used. Of loops,
    the steps that they call come first, and then how often they do.
    """
    lines = [f"{program.name}({', '.join(item.name for item in program.inputs)})"]
    if program.description:
        lines.append(f"  {program.description}")
    lines += [f"  note: {note}" for note in program.notes]
    lines += [f"  input {_declaration(item)}" for item in program.inputs]
    for parameter in program.parameters:
        unit = f" [{parameter.unit}]" if parameter.unit else ""
        lines.append(f"  parameter {parameter.name} = {show_number(parameter.default)}{unit}")
    lines += _loop_lines(program) if program.body else _straight_lines(program)
    return "\n".join(lines) + "\n"


def _loop_lines(program: Program) -> list[str]:
    """The steps as they would be shown alone, and the loops that call them."""
    lines = [f"  {line}" for step in program.steps for line in show(step.program).splitlines()]
    names = [step.program.name for step in program.steps]
    for statement in program.body:
        if isinstance(statement, Zeros):
            lines.append(f"  {statement.result} := 0")
            continue
        lines.append(f"  # {statement.title}")
        if isinstance(statement, ForPairs):
            targets = ", ".join(dict.fromkeys(target.result for target in statement.targets))
            lines.append(f"  {targets} := {names[statement.step]} of {statement.count} pairs")
            continue
        for step, calls in groupby(statement.calls, key=lambda call: call.step):
            count = len(list(calls))
            lines.append(f"  {names[step]}" + f", {count} times" * (count > 1))
    return lines


def _straight_lines(program: Program) -> list[str]:
    """A line for each stored operation and each entry of the results."""
    graph = program.graph
    nodes = program.nodes()
    stored = _stored_names(program, nodes)
    lines: list[str] = []
    texts: dict[int, _Text] = {}

    def operand_text(operand: Reference) -> _Text:
        node = abs(operand)
        if node in stored:
            name, sign = stored[node]
            return _signed((name, _ATOM), sign * operand)
        return _signed(texts[node], operand)

    section = ""
    for node in nodes:
        text = _node_text(graph, node, operand_text)
        if node not in stored and len(text[0]) > _LONGEST_LINE:
            stored[node] = (f"t{node}", 1)
        if node not in stored:
            texts[node] = text
            continue
        title = graph.sections[graph.section_of[node]]
        if title != section:
            lines.append(f"  # {title}" if title else "  #")
            section = title
        name, sign = stored[node]
        lines.append(f"  {name} = {_signed(text, sign)[0]}")
    for output in program.outputs:
        for index, value in enumerate(output.values):
            place = _subscript(output.shape, index)
            lines.append(f"  {output.name}{place} := {operand_text(value)[0]}")
    return lines


def show_number(value: Fraction) -> str:
    """A rational as the shortest exact text: an integer, a terminating decimal of at most 17 digits, or p/q."""
    if value.denominator == 1:
        return str(value.numerator)
    rest = value.denominator
    twos = fives = 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest == 1 and places <= 17:
        digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
        return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
    return f"{value.numerator}/{value.denominator}"


def _stored_names(program: Program, nodes: Iterable[int]) -> dict[int, tuple[str, int]]:
    """Name and sign of every node that gets a line of its own."""
    graph = program.graph
    uses: dict[int, int] = {}
    for node in nodes:
        for operand in graph.operands(node):
            uses[abs(operand)] = uses.get(abs(operand), 0) + 1
    for ref in program.output_references:
        uses[abs(ref)] = uses.get(abs(ref), 0) + 1
    stored: dict[int, tuple[str, int]] = {}
    taken: set[str] = set()
    for node in nodes:
        if graph.kinds[node] in LEAVES:
            continue
        if node in graph.names:
            name, sign = graph.names[node]
            stored[node] = (f"{name}#{node}" if name in taken else name, sign)
            taken.add(name)
        elif uses.get(node, 0) > 1:
            stored[node] = (f"t{node}", 1)
    return stored


def _declaration(item: Input) -> str:
    shape = f"[{', '.join(map(str, item.shape))}]" if item.shape else ""
    unit = f" [{item.unit}]" if item.unit else ""
    description = f"  {item.description}" if item.description else ""
    return f"{item.name}{shape}{unit}{description}"


def _subscript(shape: tuple[int, ...], index: int) -> str:
    if not shape:
        return ""
    places: list[str] = []
    for extent in reversed(shape):
        index, place = divmod(index, extent)
        places.append(str(place))
    return f"[{', '.join(reversed(places))}]"


def _signed(text: _Text, sign: int) -> _Text:
    if sign >= 0:
        return text
    inner, level = text
    return (f"-({inner})" if level < _PRODUCT else f"-{inner}"), _SUM


def _within(text: _Text, level: int) -> str:
    return text[0] if text[1] >= level else f"({text[0]})"


_INFIX: Final[Mapping[str, tuple[str, int, int]]] = {"mul": ("*", _PRODUCT, _PRODUCT), "div": ("/", _PRODUCT, _ATOM)}


def _node_text(graph: Graph, node: int, operand_text: Callable[[Reference], _Text]) -> _Text:
    kind = graph.kinds[node]
    arguments = graph.arguments[node]
    if kind == "const":
        text = show_number(arguments[0])
        return text, _PRODUCT if "/" in text else _ATOM
    if kind == "pi":
        return "pi", _ATOM
    if kind == "symbol":
        return arguments[0], _ATOM
    if kind == "add":
        first, second = (operand_text(ref)[0] for ref in arguments)
        return (f"{first} - {second[1:]}" if second.startswith("-") else f"{first} + {second}"), _SUM
    if kind in _INFIX:
        sign, left, right = _INFIX[kind]
        if kind == "mul" and graph.kinds[arguments[1]] == "const":
            arguments = arguments[::-1]
        first, second = (_within(operand_text(ref), level) for ref, level in zip(arguments, (left, right), strict=True))
        return f"{first}{sign}{second}", _PRODUCT
    if kind == "select":
        condition, positive, otherwise = (operand_text(ref)[0] for ref in arguments)
        return f"select({condition} > 0, {positive}, {otherwise})", _ATOM
    return f"{kind}({', '.join(operand_text(ref)[0] for ref in arguments)})", _ATOM

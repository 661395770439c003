"""Reads arithmetic expressions from model files. Nothing in a text is ever evaluated or executed.

The text is parsed by Python's grammar into a syntax tree and every node of the tree must be on a short list: numbers,
known names (also dotted or with constant subscripts), + - * / **, signs, brackets, the graph's functions, ``pi``,
``a if x > y else b``, functions that the graph has definitions of, and quantities of frames where names know some
(``mbsym.symbolic.frame_quantities``). Numbers are taken from the text, digit by digit, as the decimals they are.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache
from typing import Final, NoReturn

from mbsym.errors import SymbolicError
from mbsym.symbolic.frame_quantities import COMPONENTS, MENTIONED, QUOTED, WORDS, FrameQuantity, QuantityWord
from mbsym.symbolic.graph import BINARY_FUNCTIONS, UNARY_FUNCTIONS, Graph, Reference
from mbsym.symbolic.scalar import Scalar

LONGEST_TEXT: Final = 10_000
DEEPEST_NESTING: Final = 60
LARGEST_EXPONENT: Final = 64
LARGEST_DECIMAL_EXPONENT: Final = 300

_NUMBER: Final = re.compile(r"(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?", re.ASCII)
_BESIDE: Final = re.compile(r"(?<![\w.])[0-9][0-9.]*\s*(?:[^\W\d_]|°)")
"""A letter behind a number without an operator between them."""
_FUNCTIONS: Final = (*UNARY_FUNCTIONS, *BINARY_FUNCTIONS)
_OPERATIONS: Final[Mapping[type[ast.operator], Callable[[Graph, Reference, Reference], Reference]]] = {
    ast.Add: Graph.add,
    ast.Sub: Graph.sub,
    ast.Mult: Graph.mul,
    ast.Div: Graph.div,
}
_IN: Final = re.compile(r"\bin(?=\s*=(?!=))")
_AXES: Final = "IN"
"""What stands for ``in``, which Python's grammar keeps for itself, while a text is parsed."""
_COMPARISONS: Final = "write comparisons as 'a if x > y else b', with one of < <= > >="


def read_expression(text: str, graph: Graph, names: Mapping[str, Scalar]) -> Scalar:
    """The value that a text stands for.

    Args:
        text: an arithmetic expression, at most 10 000 characters and 60 brackets deep.
        graph: where the value is made.
        names: what the names in the text mean; a key may be dotted or subscripted (``arm.q``, ``u[0]``), or the one
            spelling of a quantity of frames, of which they may refuse one by a SymbolicError.

    Raises:
        SymbolicError: the text is no arithmetic of those names; ``where`` is ``column N``, counted from 1.
    """
    if text.isidentifier() and text in names:
        return names[text]
    reader = _Reader(text, graph, names)
    return Scalar(graph, reader.read(syntax_tree(text), 0))


def free_names(text: str) -> tuple[str, ...]:
    """The names an expression uses, ``pi`` and functions excepted, quantities of frames by their one spelling, sorted.

    Raises:
        SymbolicError: the text is no arithmetic expression.
    """
    found: dict[str, Scalar] = {}
    graph = Graph()

    def note(name: str) -> Reference:
        found[name] = Scalar(graph, graph.symbol(name))
        return found[name].ref

    _Reader(text, graph, {}, note).read(syntax_tree(text), 0)
    return tuple(sorted(found))


def expression_parts(text: str) -> list[str | FrameQuantity]:
    """The text of an expression with its quantities of frames apart.

    Raises:
        SymbolicError: the text is no arithmetic expression.
    """
    if MENTIONED.search(text) is None:
        return [text]
    reader = _Reader(text, Graph(), {})
    rest, parts, done = text.lstrip(" \t").encode(), list[str | FrameQuantity](), 0
    nodes = [node for node in ast.walk(syntax_tree(text)) if isinstance(node, ast.expr)]
    found = [(node, word) for node in nodes if (word := reader.frame_word(node)) is not None]
    # A vector's word is found twice: as the call, and with its component around the call.
    calls = {node.value for node, _ in found if isinstance(node, ast.Attribute)}
    for node, word in sorted((each for each in found if each[0] not in calls), key=lambda each: each[0].col_offset):
        parts += [rest[done : node.col_offset].decode(), reader.quantity(node, word)]
        done = node.end_col_offset or done
    return [*parts, rest[done:].decode()]


@lru_cache(maxsize=1024)
def syntax_tree(text: str) -> ast.expr:
    """The tree of a text; the same text is read for validation and for each function that is derived."""
    if len(text) > LONGEST_TEXT:
        raise SymbolicError(f"expression of {len(text)} characters", where="column 1", remedy=f"at most {LONGEST_TEXT}")
    if not text.strip():
        raise SymbolicError("empty expression", where="column 1", remedy="write a number or a formula")
    stripped = text.lstrip(" \t")
    names_frames = MENTIONED.search(text) is not None
    bare = QUOTED.sub(lambda found: "_" * len(found[0]), text) if names_frames else text
    depth = 0
    for column, character in enumerate(bare, 1):
        depth += (character in "([{") - (character in ")]}")
        if depth > DEEPEST_NESTING:
            raise _too_deep(column)
        if character in "\n\r\f\0\\#'\"`;":
            raise SymbolicError(f"{character!r} has no place in an expression", where=f"column {column}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(_with_axes(stripped) if names_frames else stripped, mode="eval").body
    except SyntaxError as error:
        column = max(error.offset or 1, 1) + len(text) - len(stripped)
        united = "a name stands behind an operator, as in 2*m; a number with a unit, as in 20 cm, stands by itself"
        arithmetic = united if _BESIDE.search(text) else "write arithmetic such as 2*k*(q - 0.5)"
        quotes = 'names of frames that are no plain words stand in quotes, as in position("left wheel").z'
        raise SymbolicError(
            "this is no expression", where=f"column {column}", remedy=quotes if names_frames else arithmetic
        ) from None
    except (RecursionError, MemoryError, ValueError):
        raise _too_deep(1) from None


def _with_axes(text: str) -> str:
    """The text with a word for ``in`` that Python's grammar takes, of the same length."""
    parts = re.split(f"({QUOTED.pattern})", text)
    return "".join(part if k % 2 else _IN.sub(_AXES, part) for k, part in enumerate(parts))


def _too_deep(column: int) -> SymbolicError:
    return SymbolicError(
        "the expression is nested too deeply", where=f"column {column}", remedy="split it into named parts"
    )


@dataclass(slots=True)
class _Reader:
    text: str
    graph: Graph
    names: Mapping[str, Scalar]
    unknown: Callable[[str], Reference] | None = None
    _source: bytes = field(init=False)
    _indent: int = field(init=False)

    def __post_init__(self) -> None:
        stripped = self.text.lstrip(" \t")
        self._indent = len(self.text) - len(stripped)
        self._source = stripped.encode()

    def read(self, node: ast.expr, depth: int) -> Reference:
        if depth > DEEPEST_NESTING:
            raise _too_deep(self._column(node))
        if isinstance(node, ast.BinOp):
            return self._operation(node, depth)
        if isinstance(node, ast.Constant):
            return self._number(node)
        word = self.frame_word(node)
        if word is not None:
            return self._of_frames(node, word)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            return self._name(node)
        if isinstance(node, ast.UnaryOp):
            return self._signed(node, depth)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        if isinstance(node, ast.IfExp):
            return self._choice(node, depth)
        if isinstance(node, ast.Compare):
            self._refuse(node, "a comparison is no number", _COMPARISONS)
        self._refuse(node, f"{self._words(node)} is no arithmetic", "use numbers, names, + - * / ** and functions")

    def _operation(self, node: ast.BinOp, depth: int) -> Reference:
        """A chain of operations of equal rank leans to the left: it is walked, so that long sums are not deep."""
        chain = [node]
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        value = self.read(chain[-1].left, depth + 1)
        for item in reversed(chain):
            value = self._combined(item, value, depth)
        return value

    def _combined(self, node: ast.BinOp, left: Reference, depth: int) -> Reference:
        right = self.read(node.right, depth + 1)
        if isinstance(node.op, ast.Pow):
            return self._power(node.right, left, right)
        if isinstance(node.op, ast.Div) and right == 0:
            self._refuse(node.right, "division by zero", "change the divisor")
        if type(node.op) not in _OPERATIONS:
            self._refuse(node, f"operator {self._operator(node)!r} is not known", "use + - * / **")
        return _OPERATIONS[type(node.op)](self.graph, left, right)

    def _power(self, place: ast.expr, base: Reference, exponent: Reference) -> Reference:
        value = self.graph.constant_value(exponent)
        if value is None:
            return self.graph.function("pow", base, exponent)
        if abs(value) > LARGEST_EXPONENT:
            self._refuse(
                place, "the exponent is too large", f"use one between -{LARGEST_EXPONENT} and {LARGEST_EXPONENT}"
            )
        number = self.graph.constant_value(base)
        if number is not None and abs(value) * (number.numerator.bit_length() + number.denominator.bit_length()) > 9000:
            self._refuse(place, "the power is out of range", "use numbers that a computer's floating point can hold")
        if base == 0 and value < 0:
            self._refuse(place, "zero to a negative power", "change the exponent")
        return self._exact(place, lambda: self.graph.power(base, value))

    def _signed(self, node: ast.UnaryOp, depth: int) -> Reference:
        if isinstance(node.op, ast.USub):
            return -self.read(node.operand, depth + 1)
        if isinstance(node.op, ast.UAdd):
            return self.read(node.operand, depth + 1)
        self._refuse(node, f"{self._words(node)} is no arithmetic", "of the signs, + and - are known")

    def _number(self, node: ast.Constant) -> Reference:
        text = self._text_of(node)
        match = _NUMBER.fullmatch(text)
        if match is None or isinstance(node.value, complex):
            self._refuse(node, f"{text} is no decimal number", "write it like 12, 0.5 or 3e-4")
        if match.group(2) is not None and (
            len(match.group(2)) > 4 or abs(int(match.group(2))) > LARGEST_DECIMAL_EXPONENT
        ):
            self._refuse(node, f"{text} is out of range", "use decimal exponents between -300 and 300")
        return self.graph.const(Fraction(text))

    def _name(self, node: ast.Name | ast.Attribute | ast.Subscript) -> Reference:
        name = self._spelt(node)
        if name in self.names:
            return self.names[name].ref
        if name == "pi":
            return self.graph.pi()
        if name in _FUNCTIONS or name in self.graph.definitions:
            self._refuse(node, f"function {name} lacks its argument", f"write {name}(...)")
        if self.unknown is not None:
            return self.unknown(name)
        self._refuse(node, f"unknown name {name}", self._suggestion(name, [*self.names, "pi"]))

    def _spelt(self, node: ast.expr) -> str:
        """The dotted or subscripted name; the subscript must be a whole number.

        Names are as they stand in the text: the syntax tree takes letters that look alike for one another.
        """
        parts: list[str] = []
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Attribute):
                parts.append(f".{self._text_of(node).rpartition('.')[2].strip()}")
                node = node.value
            elif isinstance(node, ast.Subscript):
                index = node.slice
                if not isinstance(index, ast.Constant) or type(index.value) is not int:
                    self._refuse(index, "a subscript must be a whole number", "write it like u[0]")
                parts.append(f"[{index.value}]")
                node = node.value
            else:
                self._refuse(node, f"{self._words(node)} is no name", "subscripts and dots follow names only")
        return self._text_of(node) + "".join(reversed(parts))

    def _call(self, node: ast.Call, depth: int) -> Reference:
        function = node.func
        if not isinstance(function, ast.Name):
            self._refuse(function, f"{self._words(function)} is no function", f"known are {', '.join(_FUNCTIONS)}")
        name = self._text_of(function)
        wanted = self._arity(name)
        if wanted is None and self.unknown is None:
            known = (*_FUNCTIONS, *self.graph.definitions)
            self._refuse(function, f"unknown function {name}", self._suggestion(name, known))
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            self._refuse(node, f"{name} takes plain arguments", f"write {name}(x)")
        count = len(node.args)
        if wanted is not None and count != wanted and not (name in ("min", "max") and count > 2):
            plural = "s" if wanted > 1 else ""
            self._refuse(node, f"{name} of {count} arguments", f"give it {wanted} argument{plural}")
        values = [self.read(argument, depth + 1) for argument in node.args]
        if wanted is None:
            return self.graph.symbol(name)
        if name in self.graph.definitions:
            return self._exact(node, lambda: self.graph.function(name, *values))
        if name == "pow":
            return self._power(node.args[1], values[0], values[1])
        return self._elementary(node, name, values)

    def _elementary(self, node: ast.Call, name: str, values: Sequence[Reference]) -> Reference:
        """A function of one argument, or one of two of all arguments in turn."""
        result = values[0]
        if name in UNARY_FUNCTIONS:
            return self._exact(node, lambda: self.graph.function(name, result))
        for value in values[1:]:
            result = self._exact(node, lambda x=result, y=value: self.graph.function(name, x, y))  # type: ignore[misc]
        return result

    def _arity(self, name: str) -> int | None:
        """How many arguments a function takes, None of one that is not known."""
        if name in self.graph.definitions:
            return self.graph.definitions[name].arguments
        return 1 if name in UNARY_FUNCTIONS else 2 if name in BINARY_FUNCTIONS else None

    def frame_word(self, node: ast.expr) -> QuantityWord | None:
        """The word for a quantity of frames that begins a node, with or without a component behind it."""
        call = node.value if isinstance(node, ast.Attribute) else node
        if not isinstance(call, ast.Call) or (call.lineno, call.col_offset) != (call.func.lineno, call.func.col_offset):
            return None
        return WORDS.get(self._text_of(call.func))

    def _of_frames(self, node: ast.expr, word: QuantityWord) -> Reference:
        """A quantity of frames, which the names know by its one spelling."""
        name = self.quantity(node, word).name
        if self.unknown is not None:
            return self.unknown(name)
        try:
            return self._exact(node, lambda: self.names[name].ref)
        except KeyError:
            remedy = "expressions of force elements may use them; this needs parameters and numbers"
            self._refuse(node, f"{word.name} of frames is not known here", remedy)

    def quantity(self, node: ast.expr, word: QuantityWord) -> FrameQuantity:
        """What a call of a frame's word, or one of its components, says."""
        call, component = (node.value, node.attr) if isinstance(node, ast.Attribute) else (node, "")
        assert isinstance(call, ast.Call)
        as_written = f"write {word.pattern}"
        if word.is_vector and component not in COMPONENTS:
            self._refuse(node, f"{word.name} is a vector", f"{as_written}, or .y or .z")
        if component and not word.is_vector:
            self._refuse(node, f"{word.name} is a number and has no component {component}", as_written)
        names = [self._frame(argument) for argument in call.args]
        given = {self._text_of(item).partition("=")[0].strip(): self._frame(item.value) for item in call.keywords}
        twice = len(given) < len(call.keywords)
        letter = ""
        if word.has_letter and not word.letter_key and len(names) > word.frames:
            letter = names.pop()
        elif word.letter_key in given:
            letter = given.pop(word.letter_key)
        axes = given.pop("in", "") if word.is_vector else ""
        if twice or given or len(names) != word.frames or (word.has_letter and letter not in COMPONENTS):
            more = ", and in=NAME for other axes than those of the base" if word.is_vector else ""
            self._refuse(node, f"{self._words(call)} is not how {word.name} is written", as_written + more)
        return FrameQuantity(word.name, tuple(names), letter, axes, component)

    def _frame(self, node: ast.expr) -> str:
        """A name of a frame, in quotes where it is no identifier."""
        text = self._text_of(node)
        if isinstance(node, ast.Name):
            return text
        if QUOTED.fullmatch(text) and "\\" not in text and text[1:-1]:
            return text[1:-1]
        self._refuse(node, f"{self._words(node)} is no name of a frame", 'write names such as "left wheel" in quotes')

    def _choice(self, node: ast.IfExp, depth: int) -> Reference:
        test = node.test
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            self._refuse(test, "the condition is no single comparison", _COMPARISONS)
        left, right = self.read(test.left, depth + 1), self.read(test.comparators[0], depth + 1)
        positive, otherwise = self.read(node.body, depth + 1), self.read(node.orelse, depth + 1)
        difference = self.graph.sub(left, right)
        if isinstance(test.ops[0], ast.Lt | ast.GtE):
            difference = -difference
        if isinstance(test.ops[0], ast.Gt | ast.Lt):
            return self.graph.select(difference, positive, otherwise)
        if isinstance(test.ops[0], ast.GtE | ast.LtE):
            return self.graph.select(difference, otherwise, positive)
        self._refuse(test, "this comparison is not known", _COMPARISONS)

    def _exact(self, place: ast.expr, make: Callable[[], Reference]) -> Reference:
        """A graph operation whose refusal is reported with the column."""
        try:
            return make()
        except SymbolicError as error:
            self._refuse(place, error.what, error.remedy)

    def _suggestion(self, name: str, known: Iterable[str]) -> str:
        names = sorted(known)
        near = get_close_matches(name, names, n=1, cutoff=0.6)
        if near:
            return f"did you mean {near[0]}?"
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        return f"known are {shown}"

    def _words(self, node: ast.expr) -> str:
        """What the text says at that node, cut to forty characters."""
        words = self._text_of(node)
        return words if len(words) <= 40 else f"{words[:37]}..."

    def _text_of(self, node: ast.expr | ast.keyword) -> str:
        return self._source[node.col_offset : node.end_col_offset].decode()

    def _operator(self, node: ast.BinOp) -> str:
        return self._source[node.left.end_col_offset : node.right.col_offset].decode().strip(" ()")

    def _column(self, node: ast.expr) -> int:
        return self._indent + len(self._source[: node.col_offset].decode()) + 1

    def _refuse(self, node: ast.expr, what: str, remedy: str) -> NoReturn:
        raise SymbolicError(what, where=f"column {self._column(node)}", remedy=remedy)

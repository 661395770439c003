"""Expressions of C by precedence climbing, over tokens behind the preprocessor."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from mbsym.errors import TextError
from mbsym.texts.c_tokens import Token
from mbsym.texts.representation import (
    Call,
    Entry,
    Expression,
    Field,
    From,
    Listed,
    Name,
    Number,
    Operation,
)

_BINARY: Final = {
    "||": (1, "or"),
    "&&": (2, "and"),
    "|": (3, "|"),
    "^": (4, "^"),
    "&": (5, "&"),
    "==": (6, "=="),
    "!=": (6, "!="),
    "<": (7, "<"),
    ">": (7, ">"),
    "<=": (7, "<="),
    ">=": (7, ">="),
    "<<": (8, "<<"),
    ">>": (8, ">>"),
    "+": (9, "+"),
    "-": (9, "-"),
    "*": (10, "*"),
    "/": (10, "/"),
    "%": (10, "%"),
}
"""How tightly each operator binds, and its name."""

_UNARY: Final = {"-": "negative", "!": "not", "~": "~"}
_ZERO: Final = Number(Fraction(0), "0", is_integer=True)
WORDS_OF_TYPES: Final = frozenset(
    (
        *("const", "static", "inline", "volatile", "unsigned", "signed", "struct", "enum"),
        *("int", "long", "short", "char", "float", "double", "void", "bool", "_Bool"),
    )
)


@dataclass(slots=True)
class Tokens:
    """Tokens and a place among them.

    Attributes:
        types: names of types besides the words of the language.
    """

    tokens: Sequence[Token]
    types: Container[str] = ()
    place: int = 0
    _texts: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self._texts = [*(token.text for token in self.tokens), ""]

    @property
    def text(self) -> str:
        """The token here, empty at the end."""
        return self._texts[self.place]

    @property
    def line(self) -> int:
        """Where it stands."""
        return self.tokens[min(self.place, len(self.tokens) - 1)].line if self.tokens else 0

    def ahead(self, count: int = 1) -> str:
        """A token further on."""
        place = self.place + count
        return self._texts[place] if place < len(self._texts) else ""

    def take(self, expected: str = "") -> Token:
        """The token here, which is left behind.

        Raises:
            TextError: it is not the one expected.
        """
        if self.place >= len(self.tokens) or (expected and self.text != expected):
            raise TextError(f"{expected or 'something'} is missing before {self.text!r}", where=f"line {self.line}")
        self.place += 1
        return self.tokens[self.place - 1]

    def takes(self, text: str) -> bool:
        """Whether the token here is this one; it is left behind then."""
        found = self._texts[self.place] == text
        self.place += found
        return found

    def skip(self, opening: str, closing: str) -> list[Token]:
        """The tokens from an opening mark here to the one that closes it, both among them; they are left behind.

        Raises:
            TextError: nothing closes it.
        """
        start, depth, words = self.place, 0, self._texts
        for place in range(start, len(self.tokens)):
            word = words[place]
            if word == opening:
                depth += 1
            elif word == closing:
                depth -= 1
            if not depth:
                self.place = place + 1
                return list(self.tokens[start : self.place])
        raise TextError(f"{closing} is missing", where=f"line {self.line}")

    def is_type(self, text: str) -> bool:
        """Whether a word begins a type."""
        return text in WORDS_OF_TYPES or text in self.types


def expression(tokens: Tokens) -> Expression:
    """The expression that begins here, conditional ones among them."""
    test = _binary(tokens, 1)
    if not tokens.takes("?"):
        return test
    first = expression(tokens)
    tokens.take(":")
    return Operation("choice", (test, first, expression(tokens)))


def _binary(tokens: Tokens, lowest: int) -> Expression:
    left = _unary(tokens)
    while (found := _BINARY.get(tokens.text)) is not None and found[0] >= lowest:
        tokens.take()
        left = Operation(found[1], (left, _binary(tokens, found[0] + 1)))
    return left


def _unary(tokens: Tokens) -> Expression:
    text = tokens.text
    if text in _UNARY:
        tokens.take()
        return Operation(_UNARY[text], (_unary(tokens),))
    if text == "+":
        tokens.take()
        return _unary(tokens)
    if text == "&":
        tokens.take()
        target = _unary(tokens)
        return From(target.array, target.index) if isinstance(target, Entry) else Call("&", (target,))
    if text == "*":
        tokens.take()
        return Entry(_unary(tokens), _ZERO)
    if text == "sizeof":
        tokens.take()
        return Call("sizeof", (_size(tokens),))
    if text == "(" and tokens.is_type(tokens.ahead()):
        tokens.take()
        word = _type_words(tokens)
        given = listed(tokens) if tokens.text == "{" else _unary(tokens)
        cast = Call(f"({word})", (given,))
        return _behind(tokens, cast)
    return _behind(tokens, _first(tokens))


def _size(tokens: Tokens) -> Expression:
    if tokens.text == "(" and tokens.is_type(tokens.ahead()):
        tokens.take()
        return Name(_type_words(tokens))
    return _unary(tokens)


def _type_words(tokens: Tokens) -> str:
    """The words of a type up to its parenthesis, which is left behind."""
    words = []
    while tokens.text != ")":
        words.append(tokens.take().text)
    tokens.take(")")
    return " ".join(word for word in words if word != "const")


def _first(tokens: Tokens) -> Expression:
    token = tokens.take()
    if token.text == "(":
        inner = expression(tokens)
        tokens.take(")")
        return inner
    if token.kind == "number":
        return number(token)
    if token.kind == "string":
        return Name(token.text)
    if token.kind != "name":
        raise TextError(f"{token.text!r} begins no expression", where=f"line {token.line}")
    return Name(token.text)


def _behind(tokens: Tokens, found: Expression) -> Expression:
    """What follows a name or parenthesis: indices, arguments, fields."""
    while True:
        if tokens.takes("["):
            index = expression(tokens)
            tokens.take("]")
            found = Entry(found, index)
        elif tokens.text == "(" and isinstance(found, Name):
            tokens.take()
            found = Call(found.name, tuple(_separated(tokens, ")", expression)))
        elif tokens.takes(".") or tokens.takes("->"):
            found = Field(found, tokens.take().text)
        else:
            return found


def listed(tokens: Tokens) -> Expression:
    """An initialiser: an expression, or a list in braces."""
    if not tokens.takes("{"):
        return expression(tokens)
    return Listed(tuple(_separated(tokens, "}", listed)))


def _separated(tokens: Tokens, end: str, one: Callable[[Tokens], Expression]) -> list[Expression]:
    """Items with commas between them, up to an end, which is left behind; a comma may stand before it."""
    items = []
    while not tokens.takes(end):
        items.append(one(tokens))
        if not tokens.takes(","):
            tokens.take(end)
            break
    return items


def number(token: Token) -> Number:
    """A literal, exactly."""
    text = token.text
    if text[:2] in ("0x", "0X"):
        return Number(Fraction(int(text.rstrip("uUlL"), 16)), text, is_integer=True)
    digits = text.rstrip("fFlLuU")
    is_integer = not any(mark in digits for mark in ".eE") and text[-1] not in "fF"
    return Number(Fraction(digits if digits[-1] != "." else f"{digits}0"), text, is_integer)


_OF_INTEGERS: Final[dict[str, Callable[..., Any]]] = {
    "or": lambda a, b: int(bool(a) or bool(b)),
    "and": lambda a, b: int(bool(a) and bool(b)),
    "not": lambda a: int(not a),
    "negative": lambda a: -a,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "choice": lambda a, b, c: b if a else c,
}


def integer(found: Expression, named: Callable[[str], int | None] = lambda name: None) -> int:
    """The value of an expression of whole numbers that are known when a text is read.

    Args:
        found: the expression.
        named: values of names, and of ``sizeof TYPE``.

    Raises:
        TextError: it is none.
    """
    if isinstance(found, Number):
        return int(found.value)
    value = None
    if isinstance(found, Name):
        value = named(found.name)
    elif isinstance(found, Call) and found.function == "sizeof" and isinstance(found.arguments[0], Name):
        value = named(f"sizeof {found.arguments[0].name}")
    elif isinstance(found, Operation) and found.operator in _OF_INTEGERS:
        value = _OF_INTEGERS[found.operator](*(integer(each, named) for each in found.operands))
    if value is None:
        raise TextError(f"no whole number: {found}")
    return int(value)

"""Tokens of a C text behind its preprocessor: comments gone, directives followed, macros replaced.

Of the preprocessor it knows what emitted texts use: #include of texts that are given, #define of names and of
functions, #undef, #if with defined, comparisons and arithmetic, #ifdef, #ifndef, #elif, #else, #endif. Pragmas are
left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mbsym.errors import TextError

_TOKEN: Final = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFlLuU]*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|[-+*/%<>=!&|^~?:;,.(){}\[\]\#])
    |(?P<space>\s+|\\\n)""",
    re.VERBOSE | re.DOTALL,
)
_DEEPEST: Final = 200
"""Macros within macros."""


class Token(NamedTuple):
    """A word of the text: "name", "number", "string" or "sign", and the line it stands in."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Macro:
    """What a name stands for, with arguments or (None) without."""

    arguments: tuple[str, ...] | None
    tokens: tuple[Token, ...]


def tokens_of(text: str, line: int = 1) -> tuple[Token, ...]:
    """Tokens of a text without comments and blanks.

    Raises:
        TextError: something is no token of C.
    """
    found, place = list[Token](), 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise TextError(f"{text[place]!r} is no word of C", where=f"line {line}")
        if match.lastgroup not in ("comment", "space"):
            found.append(Token(str(match.lastgroup), match[0], line))
        else:
            line += match[0].count("\n")
        place = match.end()
    return tuple(found)


@dataclass(slots=True)
class Preprocessor:
    """Follows directives.

    Attributes:
        included: texts of headers by name; others are left out.
        macros: that stand.
        fixed: names that keep what they were given, whatever the text defines.
        read: tokens by the text and the line in which it begins, as far as they are known; more are added.
        integer: the value of an expression of numbers.
    """

    included: Mapping[str, str]
    integer: Callable[[Sequence[Token]], int]
    macros: dict[str, Macro] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    read: dict[tuple[str, int], tuple[Token, ...]] = field(default_factory=dict)
    _open: list[tuple[bool, bool]] = field(default_factory=list)
    """Of each #if: whether its lines count, and whether one of its branches did."""

    def tokens(self, text: str) -> list[Token]:
        """All tokens of a text, macros replaced."""
        depth, first = len(self._open), 1
        found: list[Token] = []
        waiting: list[str] = []
        for line, content in _logical_lines(text):
            if content.lstrip().startswith("#"):
                found += self.replaced(self._tokens_of("".join(waiting), first))
                waiting = []
                found += self._directive(content.lstrip()[1:].strip(), line)
            elif self._counts():
                if not waiting:
                    first = line
                waiting.append(content)
        if len(self._open) != depth:
            raise TextError("an #if has no #endif")
        return [*found, *self.replaced(self._tokens_of("".join(waiting), first))]

    def _tokens_of(self, text: str, line: int) -> tuple[Token, ...]:
        if (text, line) not in self.read:
            self.read[text, line] = tokens_of(text, line)
        return self.read[text, line]

    def _counts(self) -> bool:
        return all(counts for counts, _ in self._open)

    def _directive(self, content: str, line: int) -> list[Token]:
        word, _, rest = content.partition(" ")
        if word in ("if", "ifdef", "ifndef"):
            counts = self._counts() and self._holds(word, rest, line)
            self._open.append((counts, counts))
        elif word in ("elif", "else", "endif"):
            if not self._open:
                raise TextError(f"#{word} without #if", where=f"line {line}")
            _, done = self._open.pop()
            if word != "endif":
                counts = not done and self._counts() and (word == "else" or self._holds("if", rest, line))
                self._open.append((counts, done or counts))
        elif self._counts():
            if word == "include":
                name = rest.strip().strip('"<>')
                return self.tokens(self.included[name]) if name in self.included else []
            if word == "define":
                self._define(rest, line)
            elif word == "undef":
                self.macros.pop(rest.strip(), None)
            elif word not in ("pragma", "error"):
                raise TextError(f"#{word}: emitted texts have no such directive", where=f"line {line}")
        return []

    def _define(self, rest: str, line: int) -> None:
        match = re.match(r"(\w+)(\(([^)]*)\))?(.*)", rest, re.DOTALL)
        if match is None:
            raise TextError("a #define without a name", where=f"line {line}")
        name, has_arguments, arguments, body = match.groups()
        if name in self.fixed:
            return
        taken = tuple(part.strip() for part in arguments.split(",") if part.strip()) if has_arguments else None
        self.macros[name] = Macro(taken, tokens_of(body, line))

    def _holds(self, word: str, rest: str, line: int) -> bool:
        if word != "if":
            return (rest.strip() in self.macros) == (word == "ifdef")
        # Names that are still there stand for zero.
        text = re.sub(
            r"\bdefined\s*\(?\s*(\w+)\s*\)?|\b__has_builtin\s*\(\s*\w+\s*\)",
            lambda found: str(int(bool(found[1]) and found[1] in self.macros)),
            rest,
        )
        words = [Token("number", "0", line) if x.kind == "name" else x for x in self.replaced(tokens_of(text, line))]
        return self.integer(words) != 0

    # ---- macros ------------------------------------------------------------------------------------------------------

    def replaced(self, tokens: Sequence[Token], hidden: frozenset[str] = frozenset()) -> list[Token]:
        """Tokens with macros replaced; within a macro its own name stays."""
        if len(hidden) > _DEEPEST:
            raise TextError("macros stand for each other")
        found: list[Token] = []
        place = 0
        while place < len(tokens):
            token = tokens[place]
            place += 1
            macro = self.macros.get(token.text) if token.kind == "name" and token.text not in hidden else None
            called = place < len(tokens) and tokens[place].text == "("
            if macro is None or (macro.arguments is not None and not called):
                found.append(token)
                continue
            body: Sequence[Token] = macro.tokens
            if macro.arguments is not None:
                given, place = _arguments(tokens, place)
                each = dict(zip(macro.arguments, (self.replaced(part, hidden) for part in given), strict=False))
                body = [new for old in body for new in each.get(old.text, [old])]
            found += self.replaced([Token(x.kind, x.text, token.line) for x in body], hidden | {token.text})
        return found


def _arguments(tokens: Sequence[Token], place: int) -> tuple[list[list[Token]], int]:
    """What stands in the parentheses that begin at a place, parted by commas, and the place behind them."""
    depth = 0
    parts: list[list[Token]] = []
    current: list[Token] = []
    for end in range(place, len(tokens)):
        text = tokens[end].text
        depth += (text in "([{") - (text in ")]}")
        if depth == 0:
            return [*parts, current], end + 1
        if text == "," and depth == 1:
            parts.append(current)
            current = []
        elif end > place:
            current.append(tokens[end])
    raise TextError("a macro's parentheses are not closed", where=f"line {tokens[place].line}")


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; a directive with those that it goes on in. Comments over lines count as one line."""
    blank: Callable[[re.Match[str]], str] = lambda found: "\n" * found[0].count("\n") + " "  # noqa: E731
    plain = re.sub(r"/\*.*?\*/", blank, text, flags=re.DOTALL)
    lines, number = plain.split("\n"), 0
    while number < len(lines):
        first = number
        while lines[number].lstrip().startswith("#") and lines[number].endswith("\\"):
            lines[number + 1] = f"#{lines[number][:-1].lstrip()[1:]} {lines[number + 1]}"
            number += 1
        yield first + 1, f"{lines[number]}\n"
        number += 1

"""Reads a C text, as mbsym emits it, back into the neutral representation.

It knows the subset that is emitted: no goto, switch, do, unions, function pointers or declarators of several names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, TypeAlias

from mbsym.errors import TextError
from mbsym.texts.c_expressions import Tokens, expression, integer, listed
from mbsym.texts.c_tokens import Macro, Preprocessor, Token, tokens_of
from mbsym.texts.representation import (
    Argument,
    Do,
    Entry,
    Expression,
    Field,
    For,
    Function,
    If,
    Kind,
    Leave,
    Let,
    Name,
    Number,
    Operation,
    Record,
    Return,
    Statement,
    Store,
    Text,
    While,
)

_BASES: Final = {
    "double": ("real", 8),
    "float": ("real", 4),
    "int": ("int", 4),
    "char": ("int", 1),
    "short": ("int", 2),
    "long": ("int", 8),
    "unsigned": ("int", 4),
    "bool": ("bool", 1),
    "_Bool": ("bool", 1),
    "void": ("void", 0),
    "size_t": ("int", 8),
    "ptrdiff_t": ("int", 8),
    **{f"{sign}int{bits}_t": ("int", bits // 8) for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
"""What words of types stand for, and how many bytes they take; only ratios of these matter."""

_STEPS: Final = {"++": ("+", 1), "--": ("-", 1)}
_ONE: Final = Number(Fraction(1), "1", is_integer=True)
_ASSIGNED: Final = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=")


Whole: TypeAlias = tuple[Sequence[Token], Mapping[str, str], Function]


@dataclass(frozen=True, slots=True)
class Before:
    """What was read of a text as another kind of compiler takes it, and need not be read again.

    Attributes:
        tokens: by text and line.
        functions: by name, as they were read, each with the words of its body and the types that it was read with.
    """

    tokens: dict[tuple[str, int], tuple[Token, ...]] = field(default_factory=dict)
    functions: dict[str, list[Whole]] = field(default_factory=dict)


def read_c(
    text: str,
    included: Mapping[str, str] | None = None,
    defined: Mapping[str, str] | None = None,
    before: Before | None = None,
) -> Text:
    """A C text in the neutral representation.

    Args:
        text: of NAME.c or NAME_batch.c.
        included: texts of headers by the name that the text includes them by; others are taken for the library's.
        defined: macros that stand from the start and that the text does not change, such as ``NAME_LIMBS`` or
            ``NAME_LANES``; without a compiler's own macros the text takes what it has for any C99 compiler.
        before: what was read before, to which this is added.

    Raises:
        TextError: the text holds what no emitted text does; it says in which line.
    """
    given = {name: Macro(None, tokens_of(value)) for name, value in (defined or {}).items()}
    before = before or Before()
    preprocessor = Preprocessor(
        included or {},
        lambda words: integer(expression(Tokens(words))),
        {**given, "NULL": Macro(None, (Token("number", "0", 0),))},
        frozenset(given),
        before.tokens,
    )
    for name in ("UINT32_C", "UINT64_C"):
        preprocessor.macros[name] = Macro(("x",), (Token("name", "x", 0),))
    reader = _Reader(Tokens(preprocessor.tokens(text)), before.functions)
    reader.read()
    standing = {name: " ".join(token.text for token in macro.tokens) for name, macro in preprocessor.macros.items()}
    return Text(
        functions=reader.functions,
        constants=reader.constants,
        records=reader.records,
        types=reader.types,
        defined=standing,
        prototypes=reader.prototypes,
    )


@dataclass(slots=True)
class _Reader:
    tokens: Tokens
    known: dict[str, list[Whole]]
    functions: dict[str, Function] = field(default_factory=dict)
    prototypes: dict[str, Function] = field(default_factory=dict)
    constants: dict[str, Expression] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=lambda: {name: size for name, (_, size) in _BASES.items()})

    def read(self) -> None:
        """All that stands outside of functions."""
        self.tokens.types = _Types(self)
        while self.tokens.text:
            if self.tokens.takes(";"):
                continue
            if self.tokens.takes("typedef"):
                self._typedef()
            elif self.tokens.text == "enum":
                self._enum()
            else:
                self._outside()

    # ---- types -------------------------------------------------------------------------------------------------------

    def _base(self) -> tuple[str, bool, bool]:
        """What the words of a type stand for, whether it is constant, and whether it is static."""
        tokens = self.tokens
        words: list[str] = []
        constant = static = False
        while tokens.is_type(tokens.text) or tokens.text == "extern":
            if words and words[-1] in self.types:
                break
            word = tokens.take().text
            constant |= word == "const"
            static |= word == "static"
            if word in ("struct", "enum"):
                words.append(tokens.take().text)
            elif word not in ("const", "static", "inline", "volatile", "extern"):
                words.append(word)
        if not words:
            raise TextError(f"{tokens.text!r} is no type", where=f"line {tokens.line}")
        name = words[-1]
        base = self.types.get(name) or (_BASES[name][0] if name in _BASES else name)
        return (name if base.startswith("vector") else base), constant, static

    def _typedef(self) -> None:
        tokens = self.tokens
        if tokens.text == "struct" and "{" in (tokens.ahead(), tokens.ahead(2)):
            self._struct()
            return
        if tokens.takes("__typeof__"):
            tokens.skip("(", ")")
            base, size = "mask", 0
        else:
            word = tokens.text
            base, _, _ = self._base()
            size = self.sizes.get(word, 0)
        name = tokens.take().text
        self.sizes[name] = size
        if tokens.takes("__attribute__"):
            inner = Tokens(tokens.skip("(", ")")[1:-1], self.tokens.types)
            inner.take("(")
            inner.take("vector_size")
            size = integer(expression(inner), self._known)
            base, self.sizes[name] = f"vector of {size // self.sizes[word]}", size
        self.types[name] = base
        tokens.take(";")

    def _known(self, name: str) -> int | None:
        if name.startswith("sizeof "):
            return self.sizes.get(name.removeprefix("sizeof "))
        value = self.constants.get(name)
        return int(value.value) if isinstance(value, Number) else None

    def _struct(self) -> None:
        tokens, fields = self.tokens, []
        tokens.take("struct")
        if tokens.text != "{":
            tokens.take()
        tokens.take("{")
        while not tokens.takes("}"):
            base, constant, _ = self._base()
            fields.append(self._declared(base, constant))
            tokens.take(";")
        name = tokens.take().text
        self.records[name], self.types[name] = Record(name, tuple(fields)), name
        tokens.take(";")

    def _enum(self) -> None:
        tokens, value = self.tokens, 0
        tokens.take("enum")
        if tokens.text != "{":
            tokens.take()
        if tokens.takes("{"):
            while not tokens.takes("}"):
                name = tokens.take().text
                value = integer(expression(tokens), self._known) if tokens.takes("=") else value
                self.constants[name] = Number(Fraction(value), str(value), is_integer=True)
                value += 1
                tokens.takes(",")
        tokens.take(";")

    def _declared(self, base: str, constant: bool) -> Argument:
        """A name behind a type, with its stars and brackets."""
        tokens, is_array, shape = self.tokens, False, []
        pointer = False
        while tokens.text in ("*", "const", "restrict", "__restrict"):
            pointer |= tokens.take().text == "*"
        name = tokens.take().text
        while tokens.takes("["):
            is_array = True
            while tokens.text in ("restrict", "static", "const", "__restrict") or tokens.text.endswith("_restrict"):
                tokens.take()
            shape.append(None if tokens.text == "]" else expression(tokens))
            tokens.take("]")
        return Argument(name, Kind(base, tuple(shape), is_array or pointer, constant))

    # ---- outside of functions ----------------------------------------------------------------------------------------

    def _outside(self) -> None:
        tokens, line = self.tokens, self.tokens.line
        if tokens.text == "struct" and tokens.ahead(2) in ("{", ";"):
            raise TextError("a structure without typedef", where=f"line {line}")
        base, constant, static = self._base()
        found = self._declared(base, constant)
        if tokens.takes("("):
            arguments = self._arguments()
            if tokens.takes(";"):
                self.prototypes[found.name] = Function(found.name, arguments, found.kind, (), static, line)
                return
            if found.name in self.functions:
                raise TextError(f"{found.name} stands there twice", where=f"line {line}")
            head = Function(found.name, arguments, found.kind, (), static, line)
            self.functions[found.name] = self._whole(head)
            return
        while True:
            if tokens.takes("="):
                self.constants[found.name] = _as_real(found.kind, listed(tokens))
            if not tokens.takes(","):
                break
            found = self._declared(base, constant)
        tokens.take(";")

    def _whole(self, head: Function) -> Function:
        """A function with its body, which was read before if another kind of compiler takes the same words for it."""
        start = self.tokens.place
        words = self.tokens.skip("{", "}")
        known = self.known.setdefault(head.name, [])
        for body, types, function in known:
            if body == words and types == self.types and replace(function, body=()) == head:
                return function
        self.tokens.place = start
        known.append((words, dict(self.types), replace(head, body=self._block())))
        return known[-1][2]

    def _arguments(self) -> tuple[Argument, ...]:
        tokens, found = self.tokens, []
        if tokens.text == "void" and tokens.ahead() == ")":
            tokens.take()
        while not tokens.takes(")"):
            base, constant, _ = self._base()
            found.append(self._declared(base, constant))
            if not tokens.takes(","):
                tokens.take(")")
                break
        return tuple(found)

    # ---- statements --------------------------------------------------------------------------------------------------

    def _block(self) -> tuple[Statement, ...]:
        """Statements in braces, or the one that stands here."""
        found: list[Statement] = []
        if not self.tokens.takes("{"):
            return tuple(self._statement())
        while not self.tokens.takes("}"):
            found += self._statement()
        return tuple(found)

    def _statement(self) -> Sequence[Statement]:
        tokens, line = self.tokens, self.tokens.line
        text = tokens.text
        if tokens.takes(";"):
            return ()
        if text == "{":
            return self._block()
        if text == "for":
            return self._for()
        if tokens.takes("while"):
            condition = self._parenthesised()
            return (While(condition, self._block(), line),)
        if tokens.takes("if"):
            condition = self._parenthesised()
            body = self._block()
            return (If(condition, body, self._block() if tokens.takes("else") else (), line),)
        if tokens.takes("return"):
            value = None if tokens.text == ";" else expression(tokens)
            tokens.take(";")
            return (Return(value, line),)
        if text in ("break", "continue"):
            tokens.take()
            tokens.take(";")
            return (Leave(text, line),)
        if tokens.is_type(text):
            return self._lets()
        found = self._simple()
        tokens.take(";")
        return (found,)

    def _lets(self) -> tuple[Statement, ...]:
        """New variables of one type."""
        tokens, line, made = self.tokens, self.tokens.line, list[Statement]()
        base, constant, _ = self._base()
        while not made or not tokens.takes(";"):
            if made:
                tokens.take(",")
            found = self._declared(base, constant)
            made.append(Let(found.name, found.kind, listed(tokens) if tokens.takes("=") else None, line))
        return tuple(made)

    def _counter(self) -> Statement:
        """What a loop counts from, in a new variable or in one that there is."""
        if self.tokens.is_type(self.tokens.text):
            found = self._lets()
            return found[0] if len(found) == 1 else Do(_ONE)
        made = self._simple()
        self.tokens.take(";")
        if isinstance(made, Store) and isinstance(made.target, Name) and not made.operator:
            return Let(made.target.name, Kind("int"), made.value, made.line)
        return made

    def _simple(self) -> Statement:
        """An assignment or a call, up to what ends it."""
        tokens, line = self.tokens, self.tokens.line
        for sign, (operator, _) in _STEPS.items():
            if tokens.takes(sign):
                return Store(expression(tokens), _ONE, operator, line)
        if tokens.text == "(" and tokens.ahead() == "void":
            for part in ("(", "void", ")"):
                tokens.take(part)
        target = expression(tokens)
        if tokens.text in _STEPS:
            return Store(target, _ONE, _STEPS[tokens.take().text][0], line)
        if tokens.text in _ASSIGNED:
            operator = tokens.take().text[:-1]
            if not isinstance(target, (Name, Entry, Field)):
                raise TextError("nothing can be stored there", where=f"line {line}")
            return Store(target, expression(tokens), operator, line)
        return Do(target, line)

    def _for(self) -> Sequence[Statement]:
        tokens, line = self.tokens, self.tokens.line
        tokens.take("for")
        tokens.take("(")
        start = self._counter()
        condition = expression(tokens)
        tokens.take(";")
        step = self._simple()
        tokens.take(")")
        body = self._block()
        if not isinstance(start, Let) or start.value is None or not isinstance(step, Store):
            raise TextError("no loop that counts", where=f"line {line}")
        if step.operator not in ("+", "-"):
            return (start, While(condition, (*body, step), line))
        value = step.value if step.operator == "+" else Operation("negative", (step.value,))
        return (For(start.name, start.value, condition, value, body, line),)

    def _parenthesised(self) -> Expression:
        self.tokens.take("(")
        found = expression(self.tokens)
        self.tokens.take(")")
        return found


def _as_real(kind: Kind, value: Expression) -> Expression:
    """What a constant is: a whole number that a real one is given by divides as real ones do."""
    is_whole = isinstance(value, Number) and value.is_integer and kind.base == "real"
    return Number(value.value, value.text) if is_whole and isinstance(value, Number) else value


class _Types:
    """Names of types, as they become known."""

    __slots__ = ("reader",)

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader

    def __contains__(self, word: object) -> bool:
        return word in _BASES or word in self.reader.types

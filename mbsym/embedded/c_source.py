"""What the text of generated C says of itself: its functions, who calls whom, decisions, and constants."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"""(?P<skipped>/\*.*?\*/|//[^\n]*|[ \t\r\n]+)
    |(?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<number>\.?[0-9](?:[eEpP][+-]|[0-9A-Za-z_.])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign>&&|\|\||->|<<=|>>=|<<|>>|[-+*/%&|^=!<>]=|\+\+|--|\.\.\.|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_DECISIONS: Final = frozenset({"if", "for", "while", "case", "&&", "||", "?"})
_LOOPS: Final = frozenset({"for", "while"})
_NOT_CALLED: Final = frozenset(
    {"if", "for", "while", "switch", "return", "sizeof", "defined", "do", "else", "__attribute__", "__typeof__"}
)
_DECLARES: Final = frozenset({"typedef", "extern"})
_ALIAS: Final = re.compile(r"\s*#\s*define\s+(?P<name>\w+)\s+(?P<other>[A-Za-z_]\w*)\s*")
_DEFINE: Final = re.compile(r"\s*#\s*define\s+(?P<name>\w+)(?:\([^)]*\))?(?P<body>.*)", re.DOTALL)


class Token(NamedTuple):
    """A word of C: its kind ("name", "number", "string", "sign", "directive"), text and line."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class CFunction:
    """A function that a source defines.

    Attributes:
        name, line: where its name stands.
        is_static: seen in its file only.
        lines: from its name to the brace that closes it.
        complexity: cyclomatic, decisions and one; ``&&``, ``||`` and ``?`` are decisions.
        nesting: of braces, at most.
        loops, returns: how many.
        calls: what it calls as the text stands, by name, macros among them.
        names: all names in it.
        constants: texts of its floating-point numbers in order, each once.
    """

    name: str
    line: int
    is_static: bool
    lines: int
    complexity: int
    nesting: int
    loops: int
    returns: int
    calls: tuple[str, ...]
    names: frozenset[str]
    constants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CSource:
    """A source.

    Attributes:
        functions: in the order of the text.
        words: names and directives that it uses; ``NAME()`` for what it calls, ``(*)()`` for functions as values,
            ``:n`` for bit-fields.
        changing: variables outside of functions, or kept between calls, that are not constant.
        macros: its own macros: what looks like a call of one is none, but what each calls by name is.
        aliases: macros that are another name, which compilers and linkers see.
        constants: texts of floating-point numbers outside of functions, those of macros among them, each once.
    """

    functions: tuple[CFunction, ...]
    words: frozenset[str]
    changing: tuple[str, ...]
    macros: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, str]
    constants: tuple[str, ...]


def tokens_of(text: str) -> Iterator[Token]:
    """The words of a text, comments left out."""
    line = 1
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or "sign"
        if kind != "skipped":
            yield Token(kind, found.group(), line)
        line += found.group().count("\n")


def read_source(text: str) -> CSource:
    """What a source of ours has; nothing is expanded, so that a macro counts as what stands there."""
    every = tuple(tokens_of(text))
    tokens = [token for token in every if token.kind != "directive"]
    functions, changing, outside = _outline(tokens)
    words = {" ".join(token.text.split()) for token in every if token.kind != "number"}
    words |= {f"{called}()" for function in functions for called in function.calls}
    words.update(_spelt(tokens, {function.name for function in functions}, outside))
    directives = [token.text for token in every if token.kind == "directive"]
    aliases = {found["name"]: found["other"] for found in map(_ALIAS.fullmatch, directives) if found}
    macros: dict[str, set[str]] = {}
    for found in filter(None, map(_DEFINE.match, directives)):
        if not _ALIAS.fullmatch(found.string):
            tokens_in = list(tokens_of(found["body"].replace("\\\n", " ")))
            macros.setdefault(found["name"], set()).update(_called_in(tokens_in))
    outside += [token for each in directives for token in tokens_of(each.replace("#", " ").replace("\\\n", " "))]
    called = {name: tuple(sorted(each)) for name, each in macros.items()}
    return CSource(functions, frozenset(words), tuple(changing), called, aliases, _reals(outside))


def _outline(tokens: Sequence[Token]) -> tuple[tuple[CFunction, ...], list[str], list[Token]]:
    """Functions, variables that change, and what is within braces outside of functions."""
    functions: list[CFunction] = []
    changing: list[str] = []
    outside: list[Token] = []
    start = place = depth = 0
    while place < len(tokens):
        depth += {"(": 1, ")": -1}.get(tokens[place].text, 0)
        if tokens[place].text == "{":
            end = _closing(tokens, place)
            # Within parentheses a literal of a type stands behind its type's.
            if tokens[place - 1].text == ")" and not depth:
                functions.append(_function(tokens[start:place], tokens[place : end + 1]))
                changing += _kept(tokens[place : end + 1])
                start = end + 1
            else:
                outside += tokens[place:end]
            place = end
        elif tokens[place].text == ";":
            changing += _changing(tokens[start:place])
            start = place + 1
        place += 1
    return tuple(functions), changing, outside


def _spelt(tokens: Sequence[Token], own: Container[str], outside: Sequence[Token]) -> Iterator[str]:
    """Words for what several tokens say: functions as values, and bit-fields."""
    values = (one.text in own and other.text != "(" for one, other in pairwise(tokens))
    if any(values) or any(_is_pointer(tokens, place) for place in range(len(tokens))):
        yield "(*)()"
    if any(_is_bit_field(outside[place : place + 3]) for place in range(len(outside))):
        yield ":n"


def _called_in(tokens: Sequence[Token]) -> set[str]:
    return {one.text for one, other in pairwise(tokens) if one.kind == "name" and _is_call(one.text, other.text)}


def _reals(tokens: Iterable[Token]) -> tuple[str, ...]:
    """Texts of floating-point numbers, each once."""
    return tuple(dict.fromkeys(token.text for token in tokens if token.kind == "number" and _is_real(token.text)))


def _is_bit_field(tokens: Sequence[Token]) -> bool:
    return [token.kind for token in tokens] == ["name", "sign", "number"] and tokens[1].text == ":"


def _is_pointer(tokens: Sequence[Token], place: int) -> bool:
    """True where ``(*name)(`` begins."""
    found = tokens[place : place + 5]
    return "".join("n" if token.kind == "name" else token.text for token in found) == "(*n)("


def _closing(tokens: Sequence[Token], place: int) -> int:
    depth = 0
    for end in range(place, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[end].text, 0)
        if not depth:
            return end
    return len(tokens) - 1


def _function(head: Sequence[Token], body: Sequence[Token]) -> CFunction:
    place = next(k for k, token in enumerate(head) if token.text == "(")
    name = head[place - 1]
    depth = nesting = 0
    for token in body:
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        nesting = max(nesting, depth)
    return CFunction(
        name.text,
        name.line,
        any(token.text == "static" for token in head),
        body[-1].line - name.line + 1,
        1 + sum(token.text in _DECISIONS for token in body),
        nesting - 1,
        sum(token.text in _LOOPS for token in body),
        sum(token.text == "return" for token in body),
        tuple(sorted(_called_in(body))),
        frozenset(token.text for token in body if token.kind == "name"),
        _reals(body),
    )


def _is_call(text: str, following: str) -> bool:
    return following == "(" and text not in _NOT_CALLED


def _is_real(text: str) -> bool:
    return not text.startswith(("0x", "0X")) and any(sign in text for sign in ".eE")


def _kept(body: Sequence[Token]) -> list[str]:
    """Names of variables of a function that stay between calls and may change."""
    found = []
    for place, token in enumerate(body):
        if token.text == "static":
            end = next(k for k in range(place, len(body)) if body[k].text in (";", "=", "["))
            if not _is_constant(body[place:end]):
                found.append(body[end - 1].text)
    return found


def _changing(declaration: Sequence[Token]) -> list[str]:
    """The name of a variable that a declaration outside of functions makes, if it is not constant."""
    if not declaration or declaration[0].text in _DECLARES or declaration[-1].text == "}":
        return []
    plain, depth = [], 0
    for token in declaration:
        depth += token.text == "{"
        if not depth:
            plain.append(token)
        depth -= token.text == "}"
    end = next((k for k, token in enumerate(plain) if token.text in ("=", "[", "(")), len(plain))
    is_variable = end == len(plain) or plain[end].text != "("
    return [plain[end - 1].text] if is_variable and not _is_constant(plain[:end]) and end > 1 else []


def _is_constant(declared: Sequence[Token]) -> bool:
    """True where what is declared is constant: of a pointer, the pointer itself."""
    stars = [place for place, token in enumerate(declared) if token.text == "*"]
    return any(token.text == "const" for token in (declared[stars[-1] :] if stars else declared))


def cycles(calls: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Functions that call themselves, through others or not."""
    found = []
    for name in calls:
        reached: set[str] = set()
        front = [name]
        while front:
            new = {called for one in front for called in calls.get(one, ()) if called in calls} - reached
            reached |= new
            front = sorted(new)
        if name in reached:
            found.append(name)
    return tuple(found)


def deepest(sizes: Mapping[str, int], calls: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The largest sum of sizes along any chain of calls from each function; none may call itself."""
    total: dict[str, int] = {}

    def of(name: str) -> int:
        if name not in total:
            total[name] = sizes[name] + max((of(called) for called in calls[name] if called in sizes), default=0)
        return total[name]

    return {name: of(name) for name in sizes}

"""A function that a user wrote, in Python or in C: how it is called over doubles and over numbers of a field."""

from __future__ import annotations

import ctypes
import inspect
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol

from mbsym.codegen.cache import library_of
from mbsym.codegen.description import GeneratedFile
from mbsym.doors import numpy as np
from mbsym.errors import CodegenError, TextError
from mbsym.testing.python_numbers import Copies
from mbsym.texts.c_reader import read_c
from mbsym.texts.machine import Arithmetic, Machine, View
from mbsym.texts.representation import Argument, For, Function, If, Let, Statement, Text, While

FLAGS: Final = ("-O2", "-ffp-contract=off")
"""Without contraction, so that products and sums are rounded as they stand."""

_COMMENTS: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DEFINITION: Final = re.compile(r"^((?:[A-Za-z_]\w*[\s*]+)+)([A-Za-z_]\w*)\s*\(([^(){};]*)\)\s*\{", re.MULTILINE)


class UsersFunction(Protocol):
    """A function of a user.

    Attributes:
        title: for messages.
        own: names of its arguments without its results, empty where they are not known.
        scalars: whether each is a number or an array, None where that is not known.
        rounded: numbers in it that may be rounded, as far as they are not told when they are met.
    """

    @property
    def title(self) -> str: ...
    @property
    def own(self) -> tuple[str, ...]: ...
    @property
    def scalars(self) -> tuple[bool | None, ...]: ...
    @property
    def rounded(self) -> set[float]: ...

    def over_doubles(self, given: Sequence[Any], results: Sequence[tuple[int, ...]]) -> list[Any]:
        """Entries of all results for doubles and arrays of them; ``results`` are shapes."""
        ...

    def over_numbers(
        self, given: Sequence[Any], results: Sequence[tuple[int, ...]], arithmetic: Arithmetic
    ) -> list[Any]:
        """The same for numbers of any kind."""
        ...


@dataclass(frozen=True)
class PythonFunction:
    """Anything that Python calls."""

    function: Callable[..., Any]

    @property
    def title(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"your function {name}"

    @cached_property
    def own(self) -> tuple[str, ...]:
        try:
            items = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):
            return ()
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return tuple(item.name for item in items if item.kind in kinds and item.default is item.empty)

    @property
    def scalars(self) -> tuple[bool | None, ...]:
        return (None,) * len(self.own)

    @cached_property
    def _copies(self) -> Copies:
        return Copies()

    @cached_property
    def _over_any(self) -> Callable[..., Any]:
        copied: Any = self._copies.of(self.function)
        found: Callable[..., Any] = copied
        return found

    @property
    def rounded(self) -> set[float]:
        return self._copies.rounded

    def over_doubles(self, given: Sequence[Any], results: Sequence[tuple[int, ...]]) -> list[Any]:
        return self._sized(flat(self.function(*map(_own_copy, given))), results)

    def over_numbers(
        self, given: Sequence[Any], results: Sequence[tuple[int, ...]], arithmetic: Arithmetic
    ) -> list[Any]:
        return self._sized(flat(self._over_any(*map(_own_copy, given))), results)

    def _sized(self, found: list[Any], results: Sequence[tuple[int, ...]]) -> list[Any]:
        _require_size(self.title, len(found), results)
        return found


def _require_size(title: str, count: int, results: Sequence[tuple[int, ...]]) -> None:
    wanted = sum(map(math.prod, results))
    if count != wanted:
        shapes = ", ".join(" x ".join(map(str, shape)) or "a number" for shape in results)
        raise CodegenError(
            f"{title} returns {count} numbers; mbsym's returns {wanted}", remedy=f"return {shapes}, row by row"
        )


def _own_copy(value: Any) -> Any:
    """Arguments that a function may store into."""
    return value.copy() if isinstance(value, np.ndarray) else value


def flat(value: Any) -> list[Any]:
    """Entries of numbers, sequences and arrays, nested or not, one after the other."""
    if isinstance(value, np.ndarray):
        return list(value.ravel().tolist())
    if isinstance(value, (list, tuple)):
        return [entry for item in value for entry in flat(item)]
    if isinstance(value, np.generic):
        return [value.item()]
    return [value]


@dataclass(frozen=True)
class CFunction:
    """A function of a C source.

    Attributes:
        path: of the source.
        source: its text.
        declared: the function as it is declared there.
        taken: names that its arguments are inputs by; those that are neither constant nor among them are results.
    """

    path: Path
    source: str
    declared: Function
    taken: frozenset[str] = frozenset()

    @property
    def title(self) -> str:
        return f"{self.declared.name} of {self.path.name}"

    @property
    def _inputs(self) -> list[Argument]:
        return [item for item in self.declared.arguments if not self._is_result(item)]

    def _is_result(self, item: Argument) -> bool:
        return item.kind.is_array and not item.kind.is_constant and item.name not in self.taken

    @property
    def own(self) -> tuple[str, ...]:
        return tuple(item.name for item in self._inputs)

    @property
    def scalars(self) -> tuple[bool | None, ...]:
        return tuple(not item.kind.is_array for item in self._inputs)

    @property
    def rounded(self) -> set[float]:
        return set()

    @property
    def _returns(self) -> bool:
        """Whether it returns a result."""
        return self.declared.returns.base == "real"

    # ---- results -----------------------------------------------------------------------------------------------------

    def _sizes(self, results: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Shapes of what its pointers to results hold: of each result, or of each entry of all of them.

        Raises:
            CodegenError: it has not as many.
        """
        pointers = sum(map(self._is_result, self.declared.arguments))
        total = sum(map(math.prod, results))
        if self._returns and pointers == 0 and total == 1:
            return []
        if not self._returns and pointers == len(results):
            return [shape or (1,) for shape in results]
        if not self._returns and pointers == total:
            return [(1,)] * total
        raise CodegenError(
            f"it has {pointers} pointers to results{' beside what it returns' if self._returns else ''}; "
            f"mbsym's has {len(results)} with {total} entries",
            where=self.title,
            remedy="make pointers to arguments const, and give one to each result, or to each entry, in their order",
        )

    # ---- doubles -----------------------------------------------------------------------------------------------------

    @cached_property
    def _compiled(self) -> Any:
        headers = [GeneratedFile(name, text) for name, text in _headers(self.path).items()]
        handle = library_of([GeneratedFile(self.path.name, self.source), *headers], FLAGS).handle
        try:
            function = getattr(handle, self.declared.name)
        except AttributeError:
            raise CodegenError("the function is static, so that nobody can call it", where=self.title) from None
        function.restype = ctypes.c_double if self._returns else ctypes.c_int
        return function

    def over_doubles(self, given: Sequence[Any], results: Sequence[tuple[int, ...]]) -> list[Any]:
        """Raises:
        ToolchainError: there is no C compiler.
        CodegenError: the source does not compile.
        """
        values, made = iter(given), [np.full(shape, np.nan) for shape in self._sizes(results)]
        places = iter(made)
        arguments: list[Any] = []
        for item in self.declared.arguments:
            if self._is_result(item):
                arguments.append(ctypes.c_void_p(next(places).ctypes.data))
            elif item.kind.is_array:
                array = np.array(next(values), dtype=float)
                made.append(array)  # held until the call is over
                arguments.append(ctypes.c_void_p(array.ctypes.data))
            else:
                arguments.append(ctypes.c_double(next(values)))
        count = sum(map(self._is_result, self.declared.arguments))
        returned = self._compiled(*arguments)
        return [float(returned)] if self._returns else flat(made[:count])

    # ---- other numbers -----------------------------------------------------------------------------------------------

    @cached_property
    def _text(self) -> Text:
        text = read_c(self.source, _headers(self.path))
        for function in text.functions.values():
            _require_once(function, text)
        return text

    def over_numbers(
        self, given: Sequence[Any], results: Sequence[tuple[int, ...]], arithmetic: Arithmetic
    ) -> list[Any]:
        """Raises:
        TextError: the text does what the reader of C does not follow.
        """
        shapes, values = iter(self._sizes(results)), iter(given)
        arguments, made = list[Any](), list[View]()
        for item in self.declared.arguments:
            if self._is_result(item):
                made.append(_view(None, next(shapes), len(item.kind.shape)))
                arguments.append(made[-1])
            else:
                value = next(values)
                shape = np.shape(value)
                arguments.append(_view(flat(value), shape, len(item.kind.shape)) if item.kind.is_array else value)
        own = replace(arithmetic, given={"pow": _pow(arithmetic.library["pow"])})
        returned = Machine(self._text, own).call(self.declared.name, arguments)
        found = [returned] if self._returns else [entry for view in made for entry in _cells(view)]
        if any(entry is None for entry in found):
            raise TextError("a result is not filled", where=self.title)
        return found


def _require_once(function: Function, text: Text) -> None:
    """Requires that a name means one variable everywhere in a function: the machine knows no blocks.

    Raises:
        TextError: some name is another's too.
    """
    seen = {item.name for item in function.arguments} | set(text.constants)
    for step in _steps(function.body):
        if isinstance(step, Let):
            if step.name in seen:
                raise TextError(f"{step.name} is declared twice", where=f"{function.name}, line {step.line}")
            seen.add(step.name)


def _steps(body: Sequence[Statement]) -> Iterator[Statement]:
    """Statements and those inside of them; what a loop counts with may be declared in each."""
    for step in body:
        yield step
        if isinstance(step, (For, While, If)):
            yield from _steps(step.body)
        if isinstance(step, If):
            yield from _steps(step.otherwise)


def _view(entries: list[Any] | None, shape: tuple[int, ...], axes: int) -> View:
    """An array as the machine has it: in rows where the text has two axes."""
    cells = entries if entries is not None else [None] * math.prod(shape)
    if axes < 2 or len(shape) < 2:
        return View(cells)
    return View([View(cells[k * shape[1] : (k + 1) * shape[1]]) for k in range(shape[0])])


def _cells(view: View) -> list[Any]:
    return [cell for each in view.cells for cell in (_cells(each) if isinstance(each, View) else [each])]


def _pow(other: Callable[..., Any]) -> Callable[..., Any]:
    """C's pow, a product where the exponent is whole."""

    def power(x: Any, y: Any) -> Any:
        if isinstance(y, (int, Fraction)) and y == int(y):
            return Fraction(x) ** int(y) if isinstance(x, int) else x ** int(y)
        return other(x, y)

    return power


def _headers(path: Path) -> dict[str, str]:
    """Headers beside a source, by their names."""
    return {each.name: each.read_text(encoding="utf-8") for each in sorted(path.parent.glob("*.h"))}


def c_function(path: Path, symbol: str, name: str, taken: Sequence[str]) -> CFunction:
    """A function of a C source.

    Args:
        path: of the source.
        symbol: its name; "" for the only one, or that with mbsym's name or one that ends in it.
        name: of mbsym's function.
        taken: names that arguments may stand for.

    Raises:
        CodegenError: the source cannot be read, or has no such function.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CodegenError(f"the C source cannot be read: {error}", where=str(path)) from None
    found = {each[2]: each for each in _DEFINITION.finditer(_COMMENTS.sub(" ", source)) if "static" not in each[1]}
    chosen = (
        [symbol]
        if symbol
        else [each for each in found if each == name] or [each for each in found if each.endswith(f"_{name}")]
    )
    chosen = chosen or list(found)
    if len(chosen) != 1 or chosen[0] not in found:
        raise CodegenError(
            f"it has no function {symbol}" if symbol else f"which of its functions is {name} is not clear",
            where=path.name,
            remedy=f"give symbol=..., one of {', '.join(found)}" if found else "give a source with a function",
        )
    before, own, arguments = found[chosen[0]].groups()
    written = f"{before} {own}({arguments});"
    if re.search(r"\bfloat\b", written):
        raise CodegenError(f"{own} takes or returns float", where=path.name, remedy="compare one of double")
    declared = _whole(path, source, own) or _alone(path, written, own)
    return CFunction(path, source, declared, frozenset(taken))


def _whole(path: Path, source: str, own: str) -> Function | None:
    """A function as the reader of C has it, with the types that the source and its headers define."""
    with suppress(TextError, OSError, UnicodeDecodeError):
        return read_c(source, _headers(path)).functions.get(own)
    return None


def _alone(path: Path, written: str, own: str) -> Function:
    """A function by its declaration, where the source cannot be read."""
    try:
        return read_c(written).prototypes[own]
    except (TextError, KeyError) as error:
        raise CodegenError(
            f"the declaration of {own} is not understood: {error}",
            where=path.name,
            remedy="let it take double, const double * for arguments and double * for results",
        ) from None

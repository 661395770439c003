"""Bodies of functions in CasADi's calling convention: pointers to arrays of what is stored of each matrix.

An argument that is not given is zero, a result that is not asked for is not stored, and memory comes from the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any, Final, TypeAlias

from mbsym.codegen.description import Argument
from mbsym.consumers.consumer import Exported
from mbsym.consumers.places import Pattern
from mbsym.errors import CodegenError

PARAMETERS: Final = "parameters"
"""The argument that holds all run-time parameters, in the order of the structure."""

WIDTH: Final = 100

Terms: TypeAlias = Sequence[Sequence[tuple[int, int]]]
"""Of each entry of a result the products that it is the sum of, each with the places of its factors."""


@dataclass(frozen=True, slots=True)
class Slot:
    """An argument or a result of an external function, and how its file calls the table of its pattern."""

    name: str
    pattern: Pattern
    table: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of integers."""

    name: str
    size: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """What is stored of a result, if it is asked for: each of a count of entries k is a value, one perhaps of a sum of
    terms, or each entry has a value of its own."""

    place: int
    count: int = 0
    tables: tuple[Table, ...] = ()
    value: str = ""
    term: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """One of: a text, a call whose status is returned, a result that is stored, columns of a map turned back."""

    text: str = ""
    checked: str = ""
    store: Store | None = None
    columns: tuple[Table, ...] = ()


RETURN: Final = Statement("return 0")


@dataclass(frozen=True, slots=True)
class ExternalFunction:
    """A function in CasADi's convention.

    Attributes:
        symbol: of the function, before which and behind which the names of its companions are made.
        sentence: for the comment above it.
        inputs, outputs: in order.
        work: doubles of memory that it needs.
        statements: of its body.
        unused: arguments that they do not use.
    """

    symbol: str
    sentence: str
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    work: int
    statements: tuple[Statement, ...]
    unused: tuple[str, ...]

    @property
    def input_count(self) -> int:
        """How many arguments it has."""
        return len(self.inputs)

    @property
    def output_count(self) -> int:
        """How many results."""
        return len(self.outputs)


def table(name: str, numbers: Sequence[int]) -> Table:
    """The numbers on lines of a width."""
    return Table(name, max(len(numbers), 1), tuple(wrap(", ".join(map(str, numbers)) or "0", WIDTH)))


@dataclass(slots=True)
class Body:
    """The statements of a body while they are written, and the memory that they need."""

    exported: Exported
    statements: list[Statement] = field(default_factory=list)
    results: dict[tuple[str, str], str] = field(default_factory=dict)
    work: int = 0

    def array(self, size: int) -> str:
        """Memory for an array."""
        place = self.work
        self.work += max(size, 1)
        return f"(w + {place})"

    def add(self, *texts: str) -> None:
        """Statements as they stand, without the semicolon."""
        self.statements += [Statement(text) for text in texts]

    def call(self, function: str, values: Mapping[str, str]) -> None:
        """Calls a generated function; what it fails with is returned."""
        exported = self.exported
        called = exported.function(function)
        actual = [f"&{PARAMETERS}"] if exported.module.parameters else []
        actual += [values[item.name] for item in called.arguments]
        text = f"{exported.module.names.c_symbol(function)}({', '.join(actual)})"
        self.statements.append(Statement(checked=text) if called.failures else Statement(text))

    def call_all(
        self, functions: Iterable[str], values: Mapping[str, str], direct: Mapping[tuple[str, str], int] | None = None
    ) -> None:
        """Calls functions; ``results`` says by function and name where what they give stands.

        Args:
            functions: names.
            values: expressions for their arguments.
            direct: places of results that are filled right there, where they are asked for.
        """
        for function in functions:
            for item in arguments_out(self.exported, function):
                local, own = f"a{len(self.results)}", self.array(item.size)
                place = (direct or {}).get((function, item.name))
                self.add(f"double *const {local} = {own if place is None else self.asked_for(place, own)}")
                self.results[function, item.name] = local
        for function in functions:
            results = {name: local for (owner, name), local in self.results.items() if owner == function}
            self.call(function, {**values, **results})

    def asked_for(self, place: int, otherwise: str) -> str:
        """The array of a result, or another one where it is not asked for."""
        return f"res[{place}] != NULL ? res[{place}] : {otherwise}"

    def given(self, place: int) -> str:
        """The array of an argument, or zeros."""
        return f"arg[{place}] != NULL ? arg[{place}] : {self.exported.name}_zeros"

    def inputs(self, arguments: Sequence[Argument], unit: bool) -> dict[str, str]:
        """Expressions for the inputs of generated functions; coordinates are made unit quaternions where need be."""
        values = {}
        for place, item in enumerate(arguments):
            local = f"in_{place}"
            if not item.shape:
                values[item.name] = f"(arg[{place}] != NULL ? arg[{place}][0] : 0.0)"
                continue
            if unit and item.name == "q":
                self.add(f"double *const {local} = {self.array(item.size)}")
                self.add(f"double *const shrink = {self.array(item.size)}")
                self.add(f"{self.exported.name}_unit({self.given(place)}, {local}, shrink)")
            else:
                self.add(f"const double *const {local} = {self.given(place)}")
            values[item.name] = local
        if self.exported.module.parameters:
            names = self.exported.module.names
            self.add(f"const double *const p = {self.given(len(arguments))}")
            self.add(f"{names.module}_parameters {PARAMETERS}")
            for k, parameter in enumerate(self.exported.module.parameters):
                self.add(f"{PARAMETERS}.{names.parameters[parameter.name]} = p[{k}]")
        return values

    def store(self, place: int, **stored: Any) -> None:
        """Stores something of a result, see ``Store``."""
        self.statements.append(Statement(store=Store(place, **stored)))

    def gather(self, place: int, source: str, places: Sequence[int]) -> None:
        """Copies what is stored of a result, if it is asked for."""
        if places:
            self.store(place, count=len(places), tables=(table("places", places),), value=f"{source}[places[k]]")

    def sums(self, place: int, factors: tuple[str, str], terms: Terms, shrunk: Sequence[int] = ()) -> None:
        """Stores sums of products of entries of two arrays, if the result is asked for.

        Args:
            place: of the result.
            factors: the arrays.
            terms: of each entry.
            shrunk: coordinates by which the entries are shrunk, if they are.
        """
        if not terms:
            return
        starts = [0]
        for entry in terms:
            starts.append(starts[-1] + len(entry))
        tables = [
            table("starts", starts),
            table("left", [left for entry in terms for left, _ in entry]),
            table("right", [right for entry in terms for _, right in entry]),
            *([table("columns", shrunk)] if shrunk else []),
        ]
        value = "sum * shrink[columns[k]]" if shrunk else "sum"
        term = f"{factors[0]}[left[m]] * {factors[1]}[right[m]]"
        self.store(place, count=len(terms), tables=tuple(tables), value=value, term=term)

    def finished(
        self, symbol: str, sentence: str, inputs: tuple[Slot, ...], outputs: tuple[Slot, ...]
    ) -> ExternalFunction:
        """The function with this body, which names what it does not use."""
        texts = "".join(f"{item.text} {item.checked} " for item in self.statements)
        stores = any(item.store is not None for item in self.statements)
        used = {"arg": "arg[" in texts, "res": stores or "res[" in texts, "w": self.work > 0}
        unused = tuple(name for name in ("arg", "res", "iw", "w", "mem") if not used.get(name))
        return ExternalFunction(symbol, sentence, inputs, outputs, self.work, (*self.statements, RETURN), unused)


def arguments_out(exported: Exported, function: str) -> tuple[Argument, ...]:
    """Results of a generated function.

    Raises:
        CodegenError: one is an integer, which the convention does not have.
    """
    found = exported.function(function).outputs
    for item in found:
        if item.kind != "real":
            raise CodegenError(
                f"{function} returns the integers {item.name}, and there are none in CasADi's convention",
                where="`functions`",
                remedy="leave it out",
            )
    return found

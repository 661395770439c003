"""Functions of a text at a point of the field: what they return for arguments that are residues.

Comparisons are not decided by the field. Where a text makes some, floats are computed beside the residues, at a state
of their own, and the branches that they take are followed.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Final

import numpy as np

from mbsym.errors import TextError
from mbsym.exact.degrees import Degree, Degrees
from mbsym.exact.numbers import NumberClass
from mbsym.exact.residues import COMPARED, UndecidedError, chosen
from mbsym.texts.c_expressions import integer
from mbsym.texts.machine import Arithmetic, Chosen, Lanes, Machine, View, lane_by_lane
from mbsym.texts.representation import Argument, Function, Number, Text
from mbsym.texts.several import Several

_STANDING: Final = {"fabs": "abs", "fmin": "min", "fmax": "max"}
_STANDING_IN_LANES: Final = {short: name for name, short in _STANDING.items()}
_OTHERS: Final = ("tanh", "exp", "log", "atan2", "asin", "acos", "pow", "sign")
_PLAIN: Final = ("sin", "cos", "tan", "sqrt")


@dataclass(frozen=True, slots=True)
class Signature:
    """A function as its contract has it.

    Attributes:
        name: of the function.
        inputs: names and shapes.
        outputs: names and shapes.
        takes_parameters: it takes the run-time parameters before all.
    """

    name: str
    inputs: tuple[tuple[str, tuple[int, ...]], ...]
    outputs: tuple[tuple[str, tuple[int, ...]], ...]
    takes_parameters: bool


@dataclass(frozen=True, slots=True)
class Spoken:
    """A text that was read.

    Attributes:
        title: for people: language, and how it was compiled where that changes it.
        text: what it says.
        symbol: the name in it of a function.
        prefix: of its fixed functions.
        returns: functions return their results, as Python's do; else they fill arguments.
        unread: names of functions that were not read, since they compute by arithmetic of arrays.
        source: the text itself, of Python.
        lanes: states side by side that its functions take; 0 where they take one.
    """

    title: str
    text: Text
    symbol: Callable[[str], str]
    prefix: str = ""
    returns: bool = False
    unread: frozenset[str] = frozenset()
    source: str = ""
    lanes: int = 0


Literal = Callable[[Number], Fraction]
"""The exact number that a literal stands for."""


def _both_sides(of: Callable[[Any, Any, Any], Any]) -> Chosen:
    """A choice of which both sides are followed; it is not decided where one of them has no value."""

    def found(test: Any, positive: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        try:
            return of(test, positive(), otherwise())
        except ZeroDivisionError:
            raise UndecidedError(COMPARED) from None

    return found


def over_numbers(point: NumberClass, literal: Literal) -> Arithmetic:
    """Numbers of a point."""

    def standing(name: str) -> Callable[..., Any]:
        return lambda x, *others: x.stands(name, *others)

    library: dict[str, Callable[..., Any]] = {
        name: standing(_STANDING.get(name, name)) for name in (*_STANDING, *_OTHERS)
    }
    library |= {name: (lambda x, name=name: getattr(x, name)()) for name in _PLAIN}
    library |= {"select": chosen, "piece": lambda x, starts: x.piece(list(map(_start, starts)))}
    # What compares with these is not decided by residues, and is not infinite.
    names = {name: point.of(10**30) for name in ("HUGE_VAL", "HUGE_VALF", "NAN")}
    return Arithmetic(_once(lambda number: point.of(literal(number))), library, {}, names, _both_sides(chosen))


def _once(made: Callable[[Number], Any]) -> Callable[[Number], Any]:
    """Makes the number of each literal of a text once."""
    known: dict[int, tuple[Number, Any]] = {}

    def found(number: Number) -> Any:
        if id(number) not in known:
            known[id(number)] = number, made(number)
        return known[id(number)][1]

    return found


def over_degrees(degrees: Degrees) -> Arithmetic:
    """Degrees in what is drawn."""
    library: dict[str, Callable[..., Any]] = {name: (lambda x, *others: x.root()) for name in (*_STANDING, *_OTHERS)}
    library |= {name: Degree.turned for name in ("sin", "cos", "tan")} | {"sqrt": Degree.root}
    library |= {"select": lambda x, a, b: x.root() * (a + b), "piece": lambda x, starts: Several.of([x.root()])}
    names = {name: degrees.constant() for name in ("HUGE_VAL", "HUGE_VALF", "NAN")}
    return Arithmetic(
        lambda number: degrees.constant(), library, {}, names, lambda test, a, b: test.root() * (a() + b())
    )


class Beside:
    """A residue with a float beside it, which decides."""

    __slots__ = ("near", "residue")

    def __init__(self, residue: Any, near: float) -> None:
        self.residue, self.near = residue, near

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], near: Callable[[float, float], float]) -> Any:
        if isinstance(other, (np.ndarray, Several)):
            return NotImplemented
        if isinstance(other, Beside):
            return Beside(operation(self.residue, other.residue), near(self.near, other.near))
        return Beside(operation(self.residue, other), near(self.near, float(other)))

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a / b, _divided)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b / a, lambda a, b: _divided(b, a))

    def __neg__(self) -> Beside:
        return Beside(-self.residue, -self.near)

    def piece(self, starts: Sequence[float]) -> Several:
        """Which of some pieces it lies in."""
        own = max(bisect_right(starts, self.near) - 1, 0)
        shares = self.residue.piece(starts).weights.values()
        return Several.of(Beside(share, float(k == own)) for k, share in enumerate(shares))

    def twice(self) -> int:
        """Twice a number that is whole or halves one."""
        return int(self.residue.twice())

    def __pos__(self) -> Beside:
        return self

    # Masks of arrays are turned round by ~, which Python's own truth values do not bear.

    def __lt__(self, other: Any) -> np.bool_:
        return np.bool_(self.near < _near(other))

    def __le__(self, other: Any) -> np.bool_:
        return np.bool_(self.near <= _near(other))

    def __gt__(self, other: Any) -> np.bool_:
        return np.bool_(self.near > _near(other))

    def __ge__(self, other: Any) -> np.bool_:
        return np.bool_(self.near >= _near(other))


def _defined(function: Callable[..., float]) -> Callable[..., float]:
    """A function of floats that is no number where it has no value."""

    def defined(*given: float) -> float:
        try:
            return function(*given)
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan

    return defined


def _start(number: Any) -> float:
    """Where a piece starts, as a float; of residues only how many there are counts."""
    return float(getattr(number, "near", getattr(number, "value", 0.0)))


def _near(value: Any) -> float:
    return value.near if isinstance(value, Beside) else float(value)


def _divided(a: float, b: float) -> float:
    return a / b if b else math.nan


def over_both(point: NumberClass, literal: Literal) -> Arithmetic:
    """Residues with floats beside them."""
    residues = over_numbers(point, literal)

    def both(name: str) -> Callable[..., Any]:
        near = _defined(getattr(math, name))
        return lambda *given: Beside(
            residues.library[name](*(x.residue for x in given)), near(*(x.near for x in given))
        )

    library = {name: both(name) for name in (*_PLAIN, "tanh", "exp", "log", "atan2", "asin", "acos", "pow")}

    def selected(test: Beside, positive: Beside, otherwise: Beside) -> Beside:
        near = (positive if test.near > 0 else otherwise).near
        return Beside(chosen(test.residue, positive.residue, otherwise.residue), near)

    library |= {
        "fabs": lambda x: selected(x, x, -x),
        "fmin": lambda x, y: selected(y - x, x, y),
        "fmax": lambda x, y: selected(x - y, x, y),
        "sign": lambda x: Beside(x.residue.stands("sign"), float((x.near > 0) - (x.near < 0))),
        "select": selected,
        "piece": residues.library["piece"],
    }

    def made(number: Number) -> Beside:
        exact = literal(number)
        return Beside(point.of(exact), float(exact))

    names = {"HUGE_VAL": Beside(point.of(0), math.inf), "NAN": Beside(point.of(0), math.nan)}
    names["HUGE_VALF"] = names["HUGE_VAL"]
    return Arithmetic(_once(made), library, {}, names, _both_sides(selected))


def followed(
    spoken: Spoken,
    signature: Signature,
    given: Mapping[str, Any],
    parameters: Mapping[str, Any],
    arithmetic: Arithmetic,
    makers: Mapping[str, Signature],
) -> list[list[Any]]:
    """The entries of each result of a function.

    Args:
        spoken: the text.
        signature: the function.
        given: arguments by name: lists, scalars for those without axes.
        parameters: run-time parameters by name.
        arithmetic: what numbers are.
        makers: functions of the text that make arguments which are not given, by the name of what they make.

    Raises:
        TextError: the text has no such function, or does what no emitted text does.
        UndecidedError: the field does not decide.
    """
    symbol = spoken.symbol(signature.name)
    own = replace(arithmetic, given=_stood_for(spoken, arithmetic.library))
    machine = Machine(spoken.text, own)
    made = {
        name: followed(spoken, makers[name], given, parameters, arithmetic, {})[0]
        for name, _ in signature.inputs
        if name in makers
    }
    given = {**given, **made}
    inputs = [View(list(given[name])) if shape else given[name] for name, shape in signature.inputs]
    function = spoken.text.functions.get(symbol)
    if function is None:
        raise TextError("the text has no such function", where=symbol)
    if spoken.returns:
        found = _returned(machine, symbol, function, inputs, parameters)
    else:
        outputs = [View([None] * math.prod(shape)) for _, shape in signature.outputs]
        arguments = [*([dict(parameters)] if signature.takes_parameters else ()), *inputs, *outputs]
        told = _told_besides(function.arguments[len(arguments) :]) if spoken.lanes else []
        machine.call(symbol, [*arguments, *told])
        found = [view.cells for view in outputs]
    for (name, shape), entries in zip(signature.outputs, found, strict=False):
        if len(entries) != math.prod(shape) or any(entry is None for entry in entries):
            raise TextError(f"{name} is not filled", where=symbol)
    return [list(entries) for entries in found[: len(signature.outputs)]]


def _returned(
    machine: Machine, symbol: str, function: Function, inputs: Sequence[Any], parameters: Mapping[str, Any]
) -> list[Any]:
    """Results of a function that takes parameters one by one and gives its results back."""
    places = [argument.name.rpartition(".") for argument in function.arguments]
    taken = [parameters[name] for record, _, name in places if record == "parameters"]
    plain = [name for record, _, name in places if record != "parameters"]
    if len(plain) != len(inputs):
        raise TextError(f"it takes {len(plain)} arguments, not {len(inputs)}", where=symbol)
    values = iter(inputs), iter(taken)
    results = machine.call(symbol, [next(values[record == "parameters"]) for record, _, _ in places])
    return [each.cells if isinstance(each, View) else each for each in results]


def _stood_for(spoken: Spoken, library: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """What stands for a text's own functions that are not followed."""
    fronts: dict[str, Callable[..., Any]] = {
        f"{spoken.prefix}_sincos": _front(library, apart=True),
        f"{spoken.prefix}_lanes_sincos": _front(library, apart=False),
        f"{spoken.prefix}_piece": lambda x, starts, last: library["piece"](x, starts.cells[: last + 1]),
        f"{spoken.prefix}_even_piece": lambda x, start, per_length, last: library["piece"](
            x, [start + k / per_length for k in range(last + 1)]
        ),
        f"{spoken.prefix}_entry": lambda column, place: place.read(column.read),
    }
    lanes = of_lanes(spoken)
    for name in spoken.text.functions if spoken.lanes else ():
        word = name.removeprefix(lanes)
        of = library.get(_STANDING_IN_LANES.get(word, word)) if word != name else None
        if of is not None:
            fronts[name] = partial(lane_by_lane, of)
        elif word != name and word.endswith("_piece"):
            fronts[name] = _undecided_in_lanes
    return fronts


def _told_besides(arguments: Sequence[Argument]) -> list[View]:
    """What functions of vectors tell besides results: that by which their statuses are decided."""
    sizes = (item.kind.shape[0] if item.kind.shape else None for item in arguments)
    return [View([None] * (0 if size is None else integer(size))) for size in sizes]


def of_lanes(spoken: Spoken) -> str:
    """How names of a text's own functions of vectors begin, in whose place the library's stand lane by lane."""
    return f"{spoken.prefix}_lanes_"


def _undecided_in_lanes(*_: Any) -> Any:
    raise UndecidedError("a table in several lanes")


def _front(library: Mapping[str, Callable[..., Any]], *, apart: bool) -> Callable[..., None]:
    """Sines and cosines of all angles, which a text computes side by side in front.

    Args:
        library: sine and cosine of one.
        apart: results are numbers one after the other, where angles stand in vectors.
    """

    def sincos(count: int, angle: View, sine: View, cosine: View) -> None:
        cells = angle.cells
        entries = [lane for each in cells for lane in (each if apart and isinstance(each, Lanes) else (each,))]
        for of, target in ((library["sin"], sine), (library["cos"], cosine)):
            for k, entry in enumerate(entries[:count]):
                target.write(k, Lanes(map(of, entry)) if isinstance(entry, Lanes) else of(entry))

    return sincos

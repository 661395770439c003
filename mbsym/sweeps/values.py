"""What differs from state to state of a sweep, and what all states share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from mbsym.doors import Array
from mbsym.errors import CodegenError
from mbsym.simulation.argument_checks import shown


@dataclass(frozen=True, slots=True)
class Values:
    """Numbers of a sweep; each array has one axis of states in front, or none where all states share it.

    Attributes:
        names: of the arguments.
        inputs: arguments in order.
        own: how many axes each argument has itself.
        parameters: of the model, by name.
        initial: coordinates and speeds to start from, by name.
    """

    names: tuple[str, ...] = ()
    inputs: tuple[Array, ...] = ()
    own: tuple[int, ...] = ()
    parameters: Mapping[str, Array] = field(default_factory=dict)
    initial: Mapping[str, Array] = field(default_factory=dict)

    def each(self) -> Iterator[tuple[str, Array, int]]:
        """Name, array and own axes of all."""
        yield from zip(self.names, self.inputs, self.own, strict=True)
        yield from ((name, array, 0) for named in (self.parameters, self.initial) for name, array in named.items())

    def states(self, where: str) -> int:
        """How many there are: the length of all axes of states.

        Raises:
            CodegenError: lengths differ, there is no such axis, or there are several.
        """
        every = list(self.each())
        lengths = {name: array.shape[0] for name, array, own in every if array.ndim == own + 1}
        deep = [name for name, array, own in every if array.ndim > own + 1]
        if deep:
            raise CodegenError(f"{deep[0]} has several axes of states", where=where, remedy="give one axis")
        if len(set(lengths.values())) != 1:
            told = ", ".join(f"{name}: {length}" for name, length in lengths.items())
            told = told or "none has an axis of states"
            raise CodegenError(f"the numbers of states differ: {told}", where=where, remedy="give arrays of one length")
        (length,) = set(lengths.values())
        return int(length)

    def part(self, start: int, end: int) -> Values:
        """The states of a range."""
        some = tuple(a[start:end] if a.ndim > k else a for a, k in zip(self.inputs, self.own, strict=True))
        return Values(self.names, some, self.own, _part(self.parameters, start, end), _part(self.initial, start, end))


def _part(named: Mapping[str, Array], start: int, end: int) -> dict[str, Array]:
    return {name: array[start:end] if array.ndim else array for name, array in named.items()}


def arrays(values: Sequence[ArrayLike]) -> tuple[Array, ...]:
    """As arrays of floats.

    Raises:
        CodegenError: one is no array of real numbers.
    """
    return tuple(_array(f"argument {place}", value) for place, value in enumerate(values, 1))


def named_arrays(what: str, values: Mapping[str, ArrayLike] | None) -> dict[str, Array]:
    """As arrays of floats.

    Args:
        what: the keyword, for errors.
        values: by name.

    Raises:
        CodegenError: nothing is named, or something is no array of real numbers.
    """
    if values is not None and not isinstance(values, Mapping):
        raise CodegenError(
            f"{what} = {shown(values)} does not give values by name", where="sweep", remedy="give arrays by name"
        )
    return {name: _array(name, value) for name, value in (values or {}).items()}


def _array(name: str, value: ArrayLike) -> Array:
    try:
        found = np.asarray(value)
        if found.dtype.kind in "biuf":
            return found.astype(float)
    except (TypeError, ValueError):
        pass
    raise CodegenError(
        f"{name} = {shown(value)} is no array of real numbers",
        where="sweep",
        remedy="give rows of one length",
    )

"""Kernels: small Programs of one element each, written over named argument arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from mbsym.spatial.vector import Matrix3, Vector3
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar, symbol


class Kernel:
    """Collects the inputs and outputs of one Program while its equations are written."""

    __slots__ = ("_description", "_inputs", "_name", "_outputs", "graph")

    def __init__(self, graph: Graph, name: str, description: str) -> None:
        self.graph = graph
        self._name = name
        self._description = description
        self._inputs: list[Input] = []
        self._outputs: list[Output] = []

    def scalar(self, name: str, description: str, unit: str = "") -> Scalar:
        """An input of shape ()."""
        value = symbol(self.graph, name)
        self._inputs.append(Input(name, (), (value.ref,), unit, description))
        return value

    def array(self, name: str, shape: int | tuple[int, ...], description: str, unit: str = "") -> tuple[Scalar, ...]:
        """An input array, its entries row-major."""
        extents = (shape,) if isinstance(shape, int) else shape
        entries = tuple(symbol(self.graph, f"{name}[{k}]") for k in range(prod(extents)))
        self._inputs.append(Input(name, extents, tuple(x.ref for x in entries), unit, description))
        return entries

    def vector3(self, name: str, description: str, unit: str = "") -> Vector3:
        """An input array of three entries."""
        x, y, z = self.array(name, 3, description, unit)
        return x, y, z

    def output(
        self, name: str, shape: int | tuple[int, ...], entries: Sequence[Scalar], description: str, unit: str = ""
    ) -> None:
        """A result array; a shape of () takes one entry."""
        extents = (shape,) if isinstance(shape, int) else shape
        self._outputs.append(Output(name, extents, tuple(x.ref for x in entries), unit, description))

    def program(self) -> Program:
        """The finished Program."""
        return Program(
            self._name,
            self.graph,
            tuple(self._inputs),
            tuple(self._outputs),
            description=self._description,
            trusting=True,
        )


Write: TypeAlias = Callable[[Kernel], None]
"""Writes inputs, equations and outputs."""

Kernels: TypeAlias = Sequence[tuple[str, str, Write]]
"""Names, what each does, and what writes it."""


def programs_of(kernels: Kernels, graph: Graph) -> tuple[Program, ...]:
    """The finished Programs of kernels, over one graph."""
    programs = []
    for name, description, write in kernels:
        kernel = Kernel(graph, name, description)
        write(kernel)
        programs.append(kernel.program())
    return tuple(programs)


def rows_of(entries: Sequence[Scalar]) -> Matrix3:
    """Nine entries as a matrix, row-major."""
    a, b, c, d, e, f, g, h, i = entries
    return (a, b, c), (d, e, f), (g, h, i)


def entries_of(matrix: Matrix3) -> tuple[Scalar, ...]:
    """A matrix as nine entries, row-major."""
    return (*matrix[0], *matrix[1], *matrix[2])

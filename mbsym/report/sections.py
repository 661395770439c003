"""What a report says, apart from how a format writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mbsym.doors import sympy
from mbsym.spatial.vector_formula import Formula
from mbsym.symbolic.scalar import Scalar


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries of an array that are not zero.

    Attributes:
        letter: of the array.
        values: by place, one index or two, from 1; none for a scalar.
    """

    letter: str
    values: Mapping[tuple[int, ...], sympy.Expr]


@dataclass(frozen=True, slots=True)
class NamedMatrix:
    """A matrix that is shown as one; its name may bear a subscript, as in ``A_1,2``, or be empty."""

    name: str
    value: sympy.Matrix | sympy.MatrixExpr


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation between arrays, as each format writes it."""

    text: str
    latex: str
    mathml: str


@dataclass(frozen=True, slots=True)
class StepGroup:
    """Named values of one section of a derivation, in order of computation."""

    title: str
    steps: tuple[tuple[str, sympy.Expr], ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """How an array is computed where its closed form would fill pages."""

    groups: tuple[StepGroup, ...]
    entries: Entries


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of text.

    Attributes:
        header: a word a column.
        rows: of as many cells.
        symbols: columns whose cells are names of symbols, which formulas set as such.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    symbols: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which blocks of a block matrix are there.

    Attributes:
        name: of the matrix.
        rows, columns: names of the block rows and columns.
        cells: text of each block that is not zero, by row and column.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[int, int], str]

    def table(self, empty: str = "") -> Table:
        """The same as a table, with a sign where no block is."""
        rows = (
            (label, *(self.cells.get((i, j), empty) for j in range(len(self.columns))))
            for i, label in enumerate(self.rows)
        )
        return Table((self.name, *self.columns), tuple(rows))


@dataclass(frozen=True, slots=True)
class VectorRow:
    """A named vector, dyad or rotation, or an entry of an array, in terms of named vectors.

    Attributes:
        left: its name.
        formula: what it is; None where components are given.
        numbers: the expressions that the formula's numbers are.
        components: of a vector, of a dyad or of a rotation, row-major; of a number, itself.
        rows: of the components.
        told: what it is in words.
        is_number: True for an entry of an array.
    """

    left: str
    formula: Formula | None
    numbers: Mapping[Scalar, sympy.Expr] = field(default_factory=dict)
    components: tuple[sympy.Expr, ...] = ()
    rows: int = 1
    told: str = ""
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class VectorRows:
    """Named vectors in order, each in terms of those before it."""

    rows: tuple[VectorRow, ...]


Item: TypeAlias = Entries | Equation | NamedMatrix | Steps | Table | Pattern | VectorRows


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with sentences and what they introduce.

    Attributes:
        key: identifier in JSON.
        title: heading.
        sentences: plain text.
        items: in order.
        operations: + - * / of what the section shows, None where there is nothing to count.
        remark: one line below the items.
    """

    key: str
    title: str
    sentences: tuple[str, ...] = ()
    items: tuple[Item, ...] = field(default=())
    operations: int | None = None
    remark: str = ""

"""Equations of motion in independent speeds, without multipliers.

With the closure rows G v = 0 and the independent speeds u = Y v,

    [G; Y] N = [0; 1],   [G; Y] c = [gamma; -Ydot v],   v = N u,   vdot = N udot + c
    N^T M N udot + N^T (M c + h) = N^T tau

since N^T G^T = 0. What is left of [G; Y] behind numbers as pivots is solved by its adjugate over its determinant, which
people can read; a large rest by the factors of its normal equations, which compute well.

Sources: T. R. Kane, D. A. Levinson, Dynamics: Theory and Applications, 1985, sections 2.13 and 4.11; J. Garcia de
Jalon, E. Bayo, Kinematic and Dynamic Simulation of Multibody Systems, 1994, chapter 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.recursive.sparse_factor import Vector, product
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.closing import closing_problem
from mbsym.loops.generic_rank import held_aside, rank_of
from mbsym.loops.independent import elimination
from mbsym.loops.independent_speeds import IndependentSpeed
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.wrenches import dense
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.readable import merged, readable
from mbsym.symbolic.scalar import Scalar, constant, symbol

LARGEST_ADJUGATE: Final = 4
"""Rows and columns up to which a matrix is inverted by its adjugate."""

LONGEST: Final = 150
"""Operations, as printed, up to which values are written out, rather than in terms of long entries of N and c."""

_SHORT: Final = 6
"""Operations, as printed, of entries of N and c that need no name."""

_TRIED: Final = 4
"""Configurations looked at beside one where the rows are singular."""


@dataclass(frozen=True, repr=False)
class IndependentForm:
    """A mechanism's equations in independent speeds.

    Attributes:
        mechanism: with closed loops or held speeds.
        loops: its closure rows.
        speeds: u, one for each freedom.
    """

    mechanism: Mechanism
    loops: LoopAnalysis
    speeds: tuple[IndependentSpeed, ...]
    _named: dict[str, tuple[Scalar, Scalar]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<IndependentForm of {self.mechanism.model.name!r}: {', '.join(speed.name for speed in self.speeds)}>"

    @cached_property
    def motion(self) -> list[Vector]:
        """N in v = N u, by rows (nv, n)."""
        flat = self._readable([x for row in self._solved[0] for x in row[:-1]])
        return [flat[k : k + len(self.speeds)] for k in range(0, len(flat), len(self.speeds))]

    @cached_property
    def carried(self) -> Vector:
        """c in vdot = N udot + c (nv,)."""
        return self._written(self._moving([row[-1] for row in self._solved[0]]))

    @cached_property
    def determinant(self) -> Scalar | None:
        """What N and c are divided by; None where they come from normal equations."""
        found = self._solved[1]
        return None if found is None else self._readable([found])[0]

    @property
    def roots(self) -> tuple[Scalar, ...]:
        """What is taken to be positive, as the root of its square."""
        return tuple(self._roots.values())

    @cached_property
    def mass_matrix(self) -> list[Vector]:
        """N^T M N (n, n)."""
        n = range(len(self.speeds))
        heavy = [self._along([product(row, column) for row in self._mass]) for column in self._columns]
        places = [(r, c) for r in n for c in n if r <= c]
        found = dict(zip(places, self._written([heavy[c][r] for r, c in places]), strict=True))
        return [[found[min(r, c), max(r, c)] for c in n] for r in n]

    @cached_property
    def bias_force(self) -> Vector:
        """N^T (M c + h) (n,)."""
        refs = TREE_FUNCTIONS["bias_force"](self.mechanism).output_references
        bias = self._moving(self._merged([Scalar(self.mechanism.graph, ref) for ref in refs]))
        carried = [self._mark(f"c_{k}", entry) for k, entry in enumerate(self.carried, 1)]
        inertial = [product(row, carried) for row in self._mass]
        return self._written(self._along([a + b for a, b in zip(inertial, bias, strict=True)]))

    @cached_property
    def forces(self) -> Vector:
        """N^T tau (n,)."""
        return self._written(self._along(self.mechanism.entries(self.mechanism.tau)))

    @cached_property
    def equations(self) -> Vector:
        """The sides N^T M N udot + N^T (M c + h) (n,), which N^T tau is equal to."""
        rates = [speed.rate for speed in self.speeds]
        return [product(row, rates) + bias for row, bias in zip(self.mass_matrix, self.bias_force, strict=True)]

    def give_names(self) -> None:
        """Lets what is written in terms of N and c print the names of their entries."""
        for name, (_, entry) in self._named.items():
            entry.named(name)

    # ---- v = N u -----------------------------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> tuple[list[Vector], Vector]:
        """[G; Y] and [gamma; -Ydot v]."""
        rows = [*((row.jacobian, row.bias) for row in self.loops.rows), *((own.row, own.bias) for own in self.speeds)]
        nv = self.mechanism.nv
        values = [entry for row, _ in rows for entry in dense(self.mechanism, row)] + [bias for _, bias in rows]
        refs = substitute(self.mechanism.graph, [x.ref for x in values], {k: x.ref for k, x in self._roots.items()})
        flat = [Scalar(self.mechanism.graph, ref) for ref in refs]
        return [flat[k : k + nv] for k in range(0, nv * nv, nv)], flat[nv * nv :]

    @cached_property
    def _roots(self) -> Mapping[int, Scalar]:
        """Of squares of coordinates, by node: positive where the loops were analysed."""
        graph = self.mechanism.graph
        values = [x.ref for row in self.loops.rows for x in (*row.jacobian.values(), row.bias)]
        values += [x.ref for own in self.speeds for x in (*own.row.values(), own.bias)]
        found = {}
        for node in graph.reachable(values):
            if graph.kinds[node] == "sqrt":
                (square,) = self._merged([Scalar(graph, graph.operands(node)[0])])
                factors = graph.operands(square.ref) if square.ref > 0 else ()
                if graph.kinds[abs(square.ref)] == "mul" and factors[0] == factors[1]:
                    root = Scalar(graph, factors[0])
                    found[node] = root if self._at([root], self.loops.configuration)[0] > 0 else -root
        return found

    @cached_property
    def _solved(self) -> tuple[list[Vector], Scalar | None]:
        """N and c in terms of v, side by side, and the determinant.

        Raises:
            DerivationError: the speeds do not tell all others.
        """
        graph, n, held = self.mechanism.graph, len(self.speeds), len(self.loops.rows)
        matrix, biases = self._rows
        units = [[constant(graph, int(r == held + k)) for k in range(n)] for r in range(len(matrix))]
        right = [[*unit, bias] for unit, bias in zip(units, biases, strict=True)]
        self._require_regular(matrix)
        with graph.section("motions in independent speeds"):
            return self._answer(matrix, right)

    def _answer(self, matrix: Sequence[Vector], right: Sequence[Vector]) -> tuple[list[Vector], Scalar | None]:
        """X of matrix X = right, by rows, and what it is divided by."""
        size = range(len(matrix))
        whole = [[*a, *b] for a, b in zip(matrix, right, strict=True)]
        pivots = _eliminate_numbers(whole, len(matrix))
        rows, columns = ([k for k in size if k not in taken] for taken in (pivots.values(), pivots))
        if len(rows) > LARGEST_ADJUGATE:
            closed = elimination(self.mechanism, matrix, ())
            return [list(row) for row in zip(*map(closed.motion, zip(*right, strict=True)), strict=True)], None
        rest = self._merged([whole[r][c] for r in rows for c in columns])
        block = [rest[k : k + len(rows)] for k in range(0, len(rest), len(rows) or 1)]
        determinant, adjugate = self._adjugate(block)
        found: dict[int, Vector] = {}
        for column, cofactors in zip(columns, adjugate, strict=True):
            sums = [product(cofactors, [whole[r][k] for r in rows]) for k in range(len(matrix), len(whole[0]))]
            found[column] = [x / determinant for x in self._merged(sums)]
        for column, row in pivots.items():
            values = whole[row][len(matrix) :]
            for c in columns:
                values = [a - whole[row][c] * b for a, b in zip(values, found[c], strict=True)]
            found[column] = [x / whole[row][column] for x in values]
        return [found[k] for k in size], determinant

    def _adjugate(self, block: Sequence[Vector]) -> tuple[Scalar, list[Vector]]:
        """Determinant and adjugate, by minors of the last rows."""
        graph, n = self.mechanism.graph, len(block)

        def minor(rows: tuple[int, ...], columns: tuple[int, ...]) -> Scalar:
            if not rows:
                return constant(graph, 1)
            if (rows, columns) not in known:
                total = Scalar(graph, 0)
                for place, column in enumerate(columns):
                    entry = block[rows[0]][column]
                    if entry:
                        part = entry * minor(rows[1:], columns[:place] + columns[place + 1 :])
                        total = total - part if place % 2 else total + part
                (known[rows, columns],) = self._merged([total])
            return known[rows, columns]

        known: dict[tuple[tuple[int, ...], tuple[int, ...]], Scalar] = {}
        every = tuple(range(n))
        without = [every[:k] + every[k + 1 :] for k in every]
        signs = [[1 - 2 * ((r + c) % 2) for c in every] for r in every]
        return minor(every, every), [[minor(without[r], without[c]) * signs[r][c] for r in every] for c in every]

    def _require_regular(self, matrix: Sequence[Vector]) -> None:
        """Refuses speeds of which the others do not follow, here and around."""
        flat, nv = [x for row in matrix for x in row], self.mechanism.nv
        start = np.array(self.loops.configuration)
        near = held_aside(closing_problem(self.mechanism, self.loops.closures), start)
        for q in (start, *islice(near, _TRIED)):
            if rank_of(self._at(flat, q).reshape(nv, nv)) == nv:
                return
        raise DerivationError(
            f"{', '.join(own.name for own in self.speeds)} cannot be independent: the other speeds do not follow from "
            "them",
            where=self.mechanism.model.name,
            remedy="choose others, or none to have a good choice made",
        )

    # ---- values ------------------------------------------------------------------------------------------------------

    @cached_property
    def _mass(self) -> list[Vector]:
        refs = TREE_FUNCTIONS["mass_matrix"](self.mechanism).output_references
        flat = self._merged([Scalar(self.mechanism.graph, ref) for ref in refs])
        return [flat[k : k + self.mechanism.nv] for k in range(0, len(flat), self.mechanism.nv)]

    def _along(self, values: Sequence[Scalar]) -> Vector:
        """N^T times values, in terms of marks."""
        return [product(column, values) for column in self._columns]

    @cached_property
    def _columns(self) -> list[Vector]:
        """Columns of N, with marks for long entries."""
        columns = enumerate(zip(*self.motion, strict=True), 1)
        return [[self._mark(f"N_{r}{c}", entry) for r, entry in enumerate(column, 1)] for c, column in columns]

    def _mark(self, name: str, entry: Scalar) -> Scalar:
        """A symbol that stands for a long entry, so that sums of products stay in terms of it."""
        if PrintedSizes(self.mechanism.graph).of(entry.ref) <= _SHORT:
            return entry
        mark = symbol(self.mechanism.graph, f"entry {name}")
        self._named[name] = (mark, entry)
        return mark

    def _written(self, values: Sequence[Scalar]) -> Vector:
        """Values without marks: as short as they get, or in terms of the long entries where that is long."""
        graph, sizes = self.mechanism.graph, PrintedSizes(self.mechanism.graph)
        images = {mark.ref: entry.ref for mark, entry in self._named.values()}
        refs = [x.ref for x in self._merged(values)]
        whole = [Scalar(graph, ref) for ref in substitute(graph, refs, images)]
        short = self._readable(whole)
        return [b if sizes.of(b.ref) <= LONGEST else a for a, b in zip(whole, short, strict=True)]

    def _moving(self, values: Sequence[Scalar]) -> Vector:
        """Values with v = N u."""
        graph, u = self.mechanism.graph, [own.symbol for own in self.speeds]
        speeds = [product(row, u).ref for row in zip(*self._columns, strict=True)]
        images = dict(zip(self.mechanism.v.symbols, speeds, strict=True))
        return [Scalar(graph, ref) for ref in substitute(graph, [x.ref for x in values], images)]

    def _at(self, values: Sequence[Scalar], q: Sequence[float] | Array) -> Array:
        """Numbers of values at a configuration."""
        m = self.mechanism
        output = Output("values", (len(values),), tuple(x.ref for x in values))
        return Evaluator(Program("values", m.graph, (m.q,), (output,), m.parameters))(q)["values"]

    @property
    def _units(self) -> list[tuple[Reference, ...]]:
        q = self.mechanism.q
        return [q.symbols[first : first + 4] for first in q.quaternions]

    def _merged(self, values: Sequence[Scalar]) -> Vector:
        graph = self.mechanism.graph
        return [Scalar(graph, ref) for ref in merged(graph, [x.ref for x in values], self._units)]

    def _readable(self, values: Sequence[Scalar]) -> Vector:
        graph = self.mechanism.graph
        return [Scalar(graph, ref) for ref in readable(graph, [x.ref for x in values], self._units)]


def _eliminate_numbers(rows: list[Vector], columns: int) -> dict[int, int]:
    """Makes rows free of what others tell with a number as pivot, rows of few entries first; pivot rows by column."""
    pivots: dict[int, int] = {}
    while True:
        open_rows = (r for r in range(len(rows)) if r not in pivots.values())
        places = [
            (sum(map(bool, rows[r][:columns])), r, c)
            for r in open_rows
            for c in range(columns)
            if rows[r][c].constant and c not in pivots
        ]
        if not places:
            return pivots
        _, row, column = min(places)
        pivots[column] = row
        for r, own in enumerate(rows):
            if r != row and own[column]:
                factor = own[column] / rows[row][column]
                rows[r] = [a - factor * b if b else a for a, b in zip(own, rows[row], strict=True)]

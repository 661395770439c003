"""How large the code of a mechanism will be, estimated before anything is derived.

Most functions grow with the number of bodies; mass matrices and Jacobians with the number of pairs of a body and a
joint inward of it, which is quadratic for a chain; what solves for multipliers with the square of the closure rows
times the joints that they involve; and wrenches of least norm with their cube. The factors below are those of chains of
bodies in general position and of rows of parallel cranks, right within a factor of three for these, which is enough to
tell megabytes from gigabytes; arms whose frames are in line need less.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Contract, sizes_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops import contracts
from mbsym.loops.redundancy import LoopAnalysis

_PER_BODY: Final = 150
_PER_BODY_MOVED: Final = 60
_PER_BODY_SOLVED: Final = 450
_PER_PAIR: Final = 20
_PER_PAIR_AND_PARAMETER: Final = 10
_PER_ROW_ENTRY: Final = 20
_PER_ROW_DERIVATIVE: Final = 100
"""Operations."""

_BYTES: Final = 45
_BYTES_SOLVING: Final = 15
_BYTES_ENTRY: Final = 25
"""Text of an operation of mechanics, of one of linear algebra and of an entry of a result, in C and NumPy together."""

_BYTES_SHARED: Final = 60_000
_BYTES_SHARED_BODY: Final = 2_000
"""Text of the steps that bodies share, and of the tables of one body."""

_OF_A_BODY: Final = 10
"""Parameters in which its forces are linear."""

_OF_PARAMETERS: Final = frozenset(("np", "nbase"))
_OF_PAIRS: Final = frozenset(("nv", "nb"))
_OF_MOTION: Final = _OF_PARAMETERS | {"nb"}
"""Axes of results: of parameters; two of which are pairs; of places, energies and momenta, which need no forces."""

_FACTORED: Final = tuple(
    item.name
    for item in (
        contracts.CONSTRAINED_DYNAMICS,
        contracts.CONSTRAINED_TERMS,
        contracts.POSITION_CORRECTION,
        contracts.VELOCITY_CORRECTION,
    )
)

_INDEPENDENT: Final = (
    contracts.INDEPENDENT_DYNAMICS_DERIVATIVES.name,
    contracts.INDEPENDENT_MULTIPLIER_DERIVATIVES.name,
)

WORTH_TELLING: Final = 5.0
"""Megabytes above which the size is told before the work begins."""

_MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class CodeSize:
    """An estimate.

    Attributes:
        megabytes: of the text of each function, in all languages together.
    """

    megabytes: Mapping[str, float]

    @property
    def total(self) -> float:
        """Megabytes in all."""
        return sum(self.megabytes.values())

    def beyond(self, largest: float) -> dict[str, float]:
        """Functions that take more than a tenth of a size [MB] each, largest first, where all together exceed it.

        None, if without them there would be nothing left.
        """
        order = sorted(self.megabytes, key=lambda name: (-self.megabytes[name], name))
        found = {name: self.megabytes[name] for name in order if self.megabytes[name] > largest / 10}
        return found if self.total > largest and len(found) < len(order) else {}

    def without(self, names: Container[str]) -> CodeSize:
        """Of the other functions."""
        return CodeSize({name: size for name, size in self.megabytes.items() if name not in names})

    @property
    def sentence(self) -> str:
        """How much it is, and the largest functions with their share."""
        largest = sorted(self.megabytes, key=lambda name: (-self.megabytes[name], name))[:_MOST_NAMED]
        listed = ", ".join(f"{name} {_rounded(self.megabytes[name])}" for name in largest)
        return f"about {_rounded(self.total)} MB of code, of which {listed}"


def _rounded(megabytes: float) -> str:
    return f"{megabytes:.2g}" if megabytes < 100 else f"{round(megabytes, -1):.0f}"


def code_size(
    mechanism: Mechanism, loops: LoopAnalysis | None, functions: Iterable[Contract], shared: Container[str] = ()
) -> CodeSize:
    """The estimate for functions of a mechanism.

    Args:
        mechanism: of any tree and loops.
        loops: analysed, None for a tree.
        functions: those that will be derived.
        shared: names of those of them that are made of steps which bodies share.
    """
    counts, of_steps = _Counts.of(mechanism, loops), _BYTES_SHARED + _BYTES_SHARED_BODY * mechanism.nb
    return CodeSize(
        {item.name: 1e-6 * (of_steps if item.name in shared else counts.bytes_of(item)) for item in functions}
    )


@dataclass(frozen=True, slots=True)
class _Counts:
    """What code grows with.

    Attributes:
        bodies: their number.
        pairs: of a body and a speed of a joint inward of it.
        rows: independent closure rows.
        row_entries: of G.
        speeds: nv.
        free: freedoms that the loops leave.
        sizes: of axes of results by their names.
    """

    bodies: int
    pairs: int
    rows: int
    row_entries: int
    speeds: int
    free: int
    sizes: Mapping[str, int]

    @classmethod
    def of(cls, mechanism: Mechanism, loops: LoopAnalysis | None) -> _Counts:
        inward = [0] * (mechanism.nb + 1)  # speeds of the joints from a body to the base
        for body in mechanism.bodies:
            inward[body.label] = inward[body.parent] + len(body.columns)
        rows = loops.rows if loops is not None else ()
        free = loops.mobility if loops is not None else 0
        axes = {"rows": len(rows), "gaps": len(rows), "independent": free}
        axes |= dict.fromkeys(_OF_PARAMETERS, _OF_A_BODY * mechanism.nb)
        entries = sum(len(row.jacobian) for row in rows)
        return cls(mechanism.nb, sum(inward), len(rows), entries, mechanism.nv, free, {**sizes_of(mechanism), **axes})

    def bytes_of(self, item: Contract) -> float:
        """Of the text of a function."""
        shapes = [[self.sizes[n] if isinstance(n, str) else n for n in result.shape] for result in item.results]
        entries = sum(prod(shape) for shape in shapes)
        return _BYTES * self._mechanics(item) + _BYTES_SOLVING * self._solving(item) + _BYTES_ENTRY * entries

    def _mechanics(self, item: Contract) -> int:
        """Operations on bodies and pairs."""
        shapes = [result.shape for result in item.results]
        of_motion = all(axis in _OF_MOTION for shape in shapes for axis in shape if isinstance(axis, str))
        found = (_PER_BODY_SOLVED if item.solves else _PER_BODY_MOVED if of_motion else _PER_BODY) * self.bodies
        if any(sum(axis in _OF_PAIRS for axis in shape) > 1 for shape in shapes):
            found += _PER_PAIR * self.pairs
        if any(len(shape) > 1 and not _OF_PARAMETERS.isdisjoint(map(str, shape)) for shape in shapes):
            found += _PER_PAIR_AND_PARAMETER * _OF_A_BODY * self.pairs
        if item.name == contracts.CONSTRAINT_JACOBIAN.name:
            found += _PER_ROW_ENTRY * self.row_entries
        return found

    def _solving(self, item: Contract) -> int:
        """Operations of linear algebra."""
        entries, rows, speeds = self.row_entries, self.rows, self.speeds
        if item.name in _FACTORED:
            return (_PER_ROW_ENTRY + rows) * entries
        if item.name == contracts.CONSTRAINED_DERIVATIVE_TERMS.name:
            return (_PER_ROW_DERIVATIVE + 4 * speeds) * entries
        if item.name in _INDEPENDENT:
            return _PER_ROW_DERIVATIVE * entries + (4 * self.free + 6) * speeds**2
        if item.name in (contracts.CONSTRAINED_WRENCHES.name, contracts.JOINT_WRENCHES.name):
            return _PER_ROW_ENTRY * entries + 3 * rows**3
        return 0


def require_moderate(size: CodeSize, largest: float, where: str) -> None:
    """Checks that code stays below a size [MB].

    Raises:
        DerivationError: it would not.
    """
    if size.total <= largest:
        return
    raise DerivationError(
        f"this would be {size.sentence}",
        where=where,
        remedy="name the functions that you need with `functions`, take `formulation transfer-matrix`, whose code does "
        f"not grow with the number of bodies, or allow more than {largest:g} MB with `largest`",
    )

"""Which closure equations follow from others, found where the loops are closed.

The generic rank of G is taken by singular values at several closed configurations near the model's initial one. Rows
are kept in a fixed order of preference, so that the same model always keeps the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.closing import (
    Closing,
    ClosingProblem,
    close,
    close_from_anywhere,
    closing_problem,
    initial_coordinates,
)
from mbsym.loops.constraints import Closure, ClosureRow, closures
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

DEPENDENT: Final = 1e-6
"""Part of the largest singular value below which a row counts as dependent. Loops are closed to about 1e-14, which
leaves about 1e-7 to a dependent row of an overconstrained loop, whose gap grows with the square of the error."""

_BESIDE: Final = 0.02
"""Size of the motions by which dependent rows are tried [rad, m]."""

_OPENS: Final = 1e-8
"""A row that opens by more where those it depends on are closed does not depend on them. Gaps of second order in the
motions are about 1e-4; dependent rows stay at round-off."""

_SAMPLES: Final = 4
_PREFERRED: Final = 0.3


@dataclass(frozen=True, slots=True)
class LoopAnalysis:
    """The closure equations of a mechanism and which of them are independent.

    Attributes:
        closures: all of them.
        rows: the independent rows, in order; G, gamma and the multipliers run over them.
        dependent: the rows that follow from them where the loops are closed.
        configuration: q at which the loops are closed, near the model's initial one.
        mobility: degrees of freedom that the closed loops leave.
        sentences: the findings in words.
    """

    closures: tuple[Closure, ...]
    rows: tuple[ClosureRow, ...]
    dependent: tuple[ClosureRow, ...]
    configuration: tuple[float, ...]
    mobility: int
    sentences: tuple[str, ...]

    @property
    def is_structure(self) -> bool:
        """True where the loops leave no freedom: what is computed then are statics."""
        return self.mobility == 0


def analyse_loops(mechanism: Mechanism) -> LoopAnalysis:
    """Closes the loops, finds the generic rank of their equations and picks independent rows.

    Raises:
        DerivationError: no configuration was found in which the loops close.
    """
    import numpy as np

    found = closures(mechanism)
    rows = [row for closure in found for row in closure.rows]
    notes = [
        f"joint {closure.name}: a free joint closes nothing and is dropped" for closure in found if not closure.rows
    ]
    start = initial_coordinates(mechanism)
    if not rows:
        return LoopAnalysis(found, (), (), tuple(float(x) for x in start), mechanism.nv, tuple(notes))
    problem = closing_problem(mechanism, found)
    closed = close_from_anywhere(problem, start)
    if not closed.closed:
        raise cannot_close(mechanism.model.name, found, closed)
    samples = [closed.q, *_neighbours(mechanism, problem, closed.q)]
    program = _sampling_program(mechanism, found)
    values = interpret(program, {"q": np.array(samples)})
    matrices = values["jacobian"]
    rank = max(_rank(matrix) for matrix in matrices)
    generic = np.array([matrix for matrix in matrices if _rank(matrix) == rank])
    kept = _independent(generic, rank)
    here_alone = _dependent_here_alone(problem, closed.q, kept, mechanism.nv)
    for k in here_alone:
        notes.append(
            f"closure of {rows[k].closure}: row {rows[k].number} follows from the others in the closed configurations "
            "that were found, but not beside them: they are singular"
        )
    kept = sorted((*kept, *here_alone))
    mobility = mechanism.nv - len(kept)
    sentences = notes + _words(found, rows, kept, values, [_rank(matrix) == rank for matrix in matrices])
    if mobility == 0:
        sentences.append("the loops leave no freedom: this is a structure, and its dynamics are its statics")
    return LoopAnalysis(
        found,
        tuple(rows[k] for k in kept),
        tuple(row for k, row in enumerate(rows) if k not in set(kept)),
        tuple(float(x) for x in closed.q),
        mobility,
        tuple(sentences),
    )


def _dependent_here_alone(problem: ClosingProblem, q: Array, kept: Sequence[int], nv: int) -> list[int]:
    """Rows that seemed to depend on the kept ones but open up where only these are closed, a little way off.

    That happens in a singular configuration which closing cannot leave, such as a chain stretched between two points.
    """
    import numpy as np

    added: list[int] = []
    generator = np.random.default_rng(3)
    steps = generator.uniform(-_BESIDE, _BESIDE, (3, nv))
    while len(kept) + len(added) < nv:
        chosen = sorted((*kept, *added))

        def gap(at: Array, chosen: list[int] = chosen) -> tuple[Array, Array]:
            residual, jacobian = problem.gap(at)
            return residual[chosen], jacobian[chosen]

        part = ClosingProblem(gap, problem.move, nv)
        worst, row = 0.0, -1
        for step in steps:
            beside = close(part, problem.move(np.array(q), step))
            if not beside.closed:
                continue
            residual = np.abs(problem.gap(beside.q)[0])
            if residual.max() > worst:
                worst, row = float(residual.max()), int(np.argmax(residual))
        if worst < _OPENS or row in chosen:
            break
        added.append(row)
    return added


def restated(analysis: LoopAnalysis, mechanism: Mechanism) -> LoopAnalysis:
    """What was found of the same loops, on another graph of the same mechanism."""
    before = [row for closure in analysis.closures for row in closure.rows]
    found = closures(mechanism)
    rows = [row for closure in found for row in closure.rows]
    kept = {k for k, row in enumerate(before) if any(row is other for other in analysis.rows)}
    return replace(
        analysis,
        closures=found,
        rows=tuple(row for k, row in enumerate(rows) if k in kept),
        dependent=tuple(row for k, row in enumerate(rows) if k not in kept),
    )


def cannot_close(where: str, found: Sequence[Closure], closing: Closing) -> DerivationError:
    """The error that names the loop with the widest gap."""
    rows = [row for closure in found for row in closure.rows]
    widest = max(range(len(rows)), key=lambda k: abs(float(closing.residual[k])))
    row = rows[widest]
    return DerivationError(
        f"the loop of {row.closure} cannot be closed: the smallest gap found is {closing.gap:.3g} {row.unit}"
        f" ({row.quantity})",
        where=where,
        remedy="check the lengths and placements around that loop, or give initial coordinates nearer to a closed one",
    )


def _neighbours(mechanism: Mechanism, problem: ClosingProblem, q: Array) -> list[Array]:
    """Closed configurations around a closed one."""
    import numpy as np

    generator = np.random.default_rng(7)
    found: list[Array] = []
    for attempt in range(4 * _SAMPLES):
        radius = 0.4 / (1 + attempt // 4) ** 2
        moved = problem.move(np.array(q), generator.uniform(-radius, radius, mechanism.nv))
        closing = close(problem, moved)
        if closing.closed:
            found.append(closing.q)
        if len(found) == _SAMPLES:
            break
    return found


def _sampling_program(mechanism: Mechanism, found: Sequence[Closure]) -> Program:
    """G of all rows, and for each closure with a wrench the screws of its loop's joints and its own wrenches."""
    zero = Scalar(mechanism.graph, 0)
    rows = [row for closure in found for row in closure.rows]
    entries = [row.jacobian.get(column, zero).ref for row in rows for column in range(mechanism.nv)]
    outputs = [Output("jacobian", (len(rows), mechanism.nv), tuple(entries))]
    for number, closure in enumerate(found):
        motions = list(closure.columns.values())
        screws = [x.ref for motion in motions for half in motion for x in half]
        wrenches = [row.wrench for row in closure.rows if row.wrench is not None]
        held = [x.ref for wrench in wrenches for half in wrench for x in half]
        outputs.append(Output(f"screws{number}", (len(motions), 6), tuple(screws)))
        outputs.append(Output(f"wrenches{number}", (len(wrenches), 6), tuple(held)))
    return Program("closure_samples", mechanism.graph, (mechanism.q,), tuple(outputs), mechanism.parameters)


def _rank(matrix: Array) -> int:
    import numpy as np

    sizes = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(sizes > DEPENDENT * sizes[0])) if len(sizes) and sizes[0] > 0 else 0


def _independent(matrices: Array, rank: int) -> list[int]:
    """Indices of ``rank`` rows that are independent at every sample, the first good ones being preferred."""
    import numpy as np

    rest = np.array(matrices, dtype=float)
    sizes = np.linalg.norm(rest, axis=2).max(axis=0)
    sizes[sizes < DEPENDENT * sizes.max()] = np.inf  # rows of round-off
    kept: list[int] = []
    for _ in range(rank):
        share = np.linalg.norm(rest, axis=2).min(axis=0) / sizes
        share[kept] = -1.0
        chosen = int(np.argmax(share >= _PREFERRED * share.max()))
        kept.append(chosen)
        direction = rest[:, chosen, :] / np.maximum(np.linalg.norm(rest[:, chosen, :], axis=1), 1e-300)[:, None]
        rest = rest - np.einsum("smn,sn->sm", rest, direction)[:, :, None] * direction[:, None, :]
    return sorted(kept)


def _words(
    found: Sequence[Closure], rows: Sequence[ClosureRow], kept: Sequence[int], values: Any, generic: Sequence[bool]
) -> list[str]:
    import numpy as np

    sentences = []
    first = 0
    for number, closure in enumerate(found):
        indices = range(first, first + len(closure.rows))
        first += len(closure.rows)
        dropped = [rows[k].number for k in indices if k not in set(kept)]
        if not dropped:
            continue
        own = values["jacobian"][:, list(indices), :]
        alone = max(_rank(matrix) for matrix in own)
        if alone == len(closure.rows):
            reason = "the loops move together"
        else:
            sample = int(np.argmax(generic))
            reason = _kind_of_loop(values[f"screws{number}"][sample], values[f"wrenches{number}"][sample])
            if len(dropped) > len(closure.rows) - alone:
                reason += ", and it moves together with other loops"
        which = "row" if len(dropped) == 1 else "rows"
        numbers = ", ".join(str(k) for k in dropped)
        sentences.append(
            f"closure of {'joint' if closure.kind not in ('distance', 'point on line', 'gear') else closure.kind} "
            f"{closure.name}: {which} {numbers} follow{'s' if len(dropped) == 1 else ''} from the others: {reason}"
        )
    return sentences


def _kind_of_loop(screws: Array, wrenches: Array) -> str:
    """What the screws of a loop's joints, those of its cut joint included, have in common."""
    import numpy as np

    own = np.linalg.svd(wrenches)[2][np.linalg.matrix_rank(wrenches, tol=1e-9) :] if len(wrenches) else np.eye(6)
    every = np.concatenate([screws, own])
    every = every[np.linalg.norm(every, axis=1) > 1e-12]
    every /= np.linalg.norm(every, axis=1)[:, None]
    turning, sliding = every[:, :3], every[:, 3:]
    normals = np.linalg.svd(turning)[2]
    turns = int(np.sum(np.linalg.svd(turning, compute_uv=False) > DEPENDENT))
    if turns == 0:
        return "nothing turns in the loop"
    if turns == 1 and float(np.max(np.abs(sliding @ normals[0]))) < DEPENDENT:
        return "the loop is planar"
    crosses = np.concatenate([np.cross(np.eye(3), w).T for w in turning])
    point, _, _, _ = np.linalg.lstsq(crosses, sliding.ravel(), rcond=None)
    if float(np.max(np.abs(crosses @ point - sliding.ravel()))) < DEPENDENT:
        return "the loop is spherical"
    return "the loop is overconstrained"

"""Which closure equations follow from others, and whether anything can move.

A row is dropped only if it follows generically: at regular closed configurations, whose rank is that of all closed
configurations around them, or with the loops open as well, which is decided exactly. What depends in special
configurations alone, such as a flat chain of parallel cranks, is kept, and the generated solvers handle the rank. Rows
are kept in a fixed order of preference, so that the same model always keeps the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from mbsym.doors import Array, one_thread
from mbsym.doors import numpy as np
from mbsym.errors import DerivationError, MbsymError
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics.driven import driven_speeds
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.measures import measures_of
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.loops.closing import Closing, close_from_anywhere, closing_problem, still_open
from mbsym.loops.closure_row import Closure, ClosureRow
from mbsym.loops.constraints import closures
from mbsym.loops.generic_rank import RegularConfigurations, independent_anywhere, rank_of, regular_configurations
from mbsym.loops.integrable import integrable
from mbsym.loops.start import close_near, given_joints
from mbsym.loops.tolerances import FOLLOWS
from mbsym.model.beams_of_models import of_fixed_length
from mbsym.model.system import Model
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import evaluate, parameter_values

MOST_SPEEDS: Final = 150
"""Speeds of the opened loops up to which a structure is looked for; more of them take longer to close than to wait."""

MOST_NAMED: Final = 6
"""Closures that a sentence names of which rows of another one are made."""

_TAKES_PART: Final = 1e-3
"""Part of a row, made of others, below which one of them counts as none: that of singular loops is known to the square
root of how well they are closed, which leaves about 1e-4."""

_PREFERRED: Final = 0.3

_ROUND_OFF: Final = 1e-13
"""Part of what an entry of G is the difference of, below which it is round-off."""


@dataclass(frozen=True, slots=True, repr=False)
class LoopAnalysis:
    """The closure equations of a mechanism and which of them are independent.

    Attributes:
        closures: all of them.
        rows: the independent rows, in order; G, gamma and the multipliers run over them.
        dependent: the rows that follow from them where the loops are closed.
        configuration: q at which the loops are closed, near the model's initial one.
        mobility: how many speeds the closed loops and what holds speeds leave.
        sentences: the findings in words.
    """

    closures: tuple[Closure, ...]
    rows: tuple[ClosureRow, ...]
    dependent: tuple[ClosureRow, ...]
    configuration: tuple[float, ...]
    mobility: int
    sentences: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<LoopAnalysis: {len(self.rows)} independent closure rows, mobility {self.mobility}>"

    @property
    def closing(self) -> list[bool]:
        """Of each row whether it closes loops; the others hold speeds alone."""
        return [not row.of_speeds for row in self.rows]

    @property
    def places(self) -> int:
        """How many coordinates are left, which what holds speeds does not lessen."""
        return self.mobility + self.closing.count(False)

    @property
    def is_structure(self) -> bool:
        """True where the loops leave no freedom: what is computed then are statics."""
        return self.mobility == 0


@one_thread()
def analyse_loops(mechanism: Mechanism) -> LoopAnalysis:
    """Closes the loops, finds the generic rank of their equations and picks independent rows.

    Raises:
        DerivationError: no configuration was found in which the loops close.
    """
    found = closures(mechanism)
    rows = [row for closure in found for row in closure.rows]
    notes = _without_effect(mechanism, found)
    start = initial_coordinates(mechanism)
    if not rows:
        return LoopAnalysis(found, (), (), tuple(float(x) for x in start), mechanism.nv, tuple(notes))
    problem = closing_problem(mechanism, found)
    closed = _closed(mechanism, found, start)
    program = _sampling_program(mechanism, found)
    matrix_at, noise = Evaluator(replace(program, outputs=program.outputs[:1])), _round_off(mechanism, rows)

    # Behind those that close loops are the rows of speeds, which say nothing of where the mechanism may be.
    closing = sum(not row.of_speeds for row in rows)

    def rows_at(q: Array) -> Array:
        return problem.matrix(_without(matrix_at(q)["jacobian"], noise))

    _require_directions(mechanism, rows, matrix_at(closed.q)["jacobian"])
    anywhere = independent_anywhere(program, "jacobian", mechanism.nv)
    most = sum(k < closing for k in anywhere)
    regular = regular_configurations(problem, lambda q: rows_at(q)[:closing], closed.q, most)
    if regular.rank is None:
        kept = anywhere
        notes.append(
            "no regular configuration was found near the initial one, which is singular: of the closure rows those are "
            "kept that do not follow from the others with the loops open either"
        )
    else:
        kept = _independent(np.array(regular.matrices), regular.rank)
        if closing < len(rows):
            kept, told = _with_speeds(mechanism, rows, kept, regular.q, np.array([rows_at(q) for q in regular.q]))
            notes += told
    if regular.singular_start:
        notes += _singular_rows(rows, kept, rows_at(closed.q))
    notes += _of_beams(mechanism, regular)
    _require_freedom(mechanism, rows, kept, [rows_at(q) for q in regular.q or [closed.q]])
    mobility = mechanism.nv - len(kept)
    values = interpret(program, {"q": np.array(regular.q or [closed.q])})
    values = {**values, "jacobian": problem.matrix(_without(values["jacobian"], noise))}
    sentences = notes + _words(found, rows, kept, values, problem.length)
    if mobility == 0:
        sentences.append("the loops leave no freedom: this is a structure, and its dynamics are its statics")
    others = set(range(len(rows))).difference(kept)
    return LoopAnalysis(
        found,
        tuple(rows[k] for k in kept),
        tuple(rows[k] for k in sorted(others)),
        tuple(float(x) for x in closed.q),
        mobility,
        tuple(sentences),
    )


def _without_effect(mechanism: Mechanism, found: Sequence[Closure]) -> list[str]:
    """Sentences on joints that close nothing, and on forces along which motions are prescribed."""
    notes = [
        f"joint {closure.name}: a free joint closes nothing and is dropped" for closure in found if not closure.rows
    ]
    return notes + [
        f"motion {driven.motion.name} prescribes {mechanism.speed_names[driven.column]}: tau[{driven.column}] has no "
        "effect, driving_forces has what it takes"
        for driven in driven_speeds(mechanism)
    ]


def _closed(mechanism: Mechanism, found: Sequence[Closure], start: Array) -> Closing:
    """The loops closed near a start."""
    closed = close_near(mechanism, found, start, given_joints(mechanism)).closing
    if not closed.closed:
        raise DerivationError(
            still_open(found, closed),
            where=mechanism.model.name,
            remedy="check the lengths and placements around that loop, "
            "or give initial coordinates nearer to a closed one",
        )
    return closed


def _require_directions(mechanism: Mechanism, rows: Sequence[ClosureRow], matrix: Array) -> None:
    """Refuses rows of G that are no numbers where the loops are closed."""
    for row, entries in zip(rows, matrix, strict=True):
        if not np.all(np.isfinite(entries)):
            raise DerivationError(
                f"{row.quantity} of {row.closure} has no direction in the initial configuration",
                where=mechanism.model.name,
                remedy="a wheel must not lie flat on its plane, nor may frames meet whose direction is held; "
                "give other initial coordinates",
            )


def _require_freedom(
    mechanism: Mechanism, rows: Sequence[ClosureRow], kept: Sequence[int], matrices: Sequence[Array]
) -> None:
    """Refuses motions that leave the closed loops no way to follow."""
    driven = driven_speeds(mechanism)
    if not driven or not kept:
        return
    free = [k for k in range(mechanism.nv) if k not in {each.column for each in driven}]
    if max(rank_of(matrix[np.ix_(kept, free)]) if free else 0 for matrix in matrices) < len(kept):
        raise DerivationError(
            f"motions of {', '.join(each.motion.joint for each in driven)} contradict what holds the mechanism: "
            f"{', '.join(dict.fromkeys(rows[k].closure for k in kept))}",
            where=mechanism.model.name,
            remedy="drive no more than moves by itself, and let the other joints follow",
        )


def _with_speeds(
    mechanism: Mechanism, rows: Sequence[ClosureRow], closing: Sequence[int], at: Sequence[Array], matrices: Array
) -> tuple[list[int], list[str]]:
    """Independent rows that hold speeds besides those that close loops, and which of them hold places."""
    kept = _independent(matrices, max(map(rank_of, matrices)), closing)
    names = integrable(mechanism, [rows[k] for k in kept], at, matrices[:, kept])
    return kept, [
        f"velocity constraint {name} can be integrated: it holds places, which a constraint of type expression "
        "keeps from drifting"
        for name in names
    ]


def immobility(model: Model, order: str = "weight") -> str:
    """A sentence on a mechanism without any freedom, empty for all others and for topology alone.

    Loops are closed only where there are as many closure rows as speeds, or more. Where they cannot be closed, or are
    closed in a singular configuration, nothing is said here: the analysis of the loops tells that.
    """
    if not any(body.mass != 0 or any(entry != 0 for entry in body.inertia) for body in model.bodies):
        return ""
    labelling = model.label(order=order)
    freedoms = {joint.name: joint.shape.nv for joint in model.joints}
    tree = labelling.joint_names[: len(labelling.inboard)]
    speeds = sum(freedoms.get(str(name), 6) for name in tree) - len(model.couplings)
    if speeds == 0:
        return "no joint can move, so this is a structure, whose dynamics are its statics"
    held = sum(6 - freedoms[str(name)] for name in labelling.cut_joints) + 6 * len(model.constraints)
    if held < speeds or speeds > MOST_SPEEDS:
        return ""
    try:
        mechanism = build_mechanism(model, labelling)
        found = closures(mechanism)
        if sum(len(closure.rows) for closure in found) < speeds:
            return ""
        problem = closing_problem(mechanism, found)
        closed = close_from_anywhere(problem, initial_coordinates(mechanism))
        immobile = closed.closed and rank_of(problem.gap(closed.q)[1]) == mechanism.nv
    except MbsymError:
        return ""
    return "the loops leave no freedom, so this is a structure, whose dynamics are its statics" if immobile else ""


def _round_off(mechanism: Mechanism, rows: Sequence[ClosureRow]) -> Array:
    """Sizes below which entries of G are round-off of what they are the difference of (rows, nv).

    Angles, directions and what slides are of size one. What turns moves points by its distance from them, a difference
    of lengths of the mechanism, which decimals leave where axes are meant to coincide.
    """
    numbers = parameter_values(mechanism.model)
    places = [
        place for joint in mechanism.model.joints for place in (joint.predecessor_placement, joint.successor_placement)
    ]
    size = max((abs(evaluate(entry, numbers)) for place in places for entry in place.translation), default=0.0)
    turns = measures_of(mechanism, 2.0).increments == 1.0
    return np.array([np.where(turns & row.is_length, size, 1.0) * _ROUND_OFF for row in rows])


def _without(matrix: Array, noise: Array) -> Array:
    """The matrix without entries that are round-off."""
    return np.where(np.abs(matrix) > noise, matrix, 0.0)


def _of_beams(mechanism: Mechanism, regular: RegularConfigurations) -> list[str]:
    """A sentence on beams of fixed length where a position near which the mechanism is regular is not at hand."""
    fixed = of_fixed_length(mechanism.model) if regular.rank is None or regular.singular_start else ""
    return [fixed] if fixed else []


def _singular_rows(rows: Sequence[ClosureRow], kept: Sequence[int], matrix: Array) -> list[str]:
    """Which of the kept rows follow from the others in the configuration with that G, closure by closure."""
    needed = _independent(np.array([matrix[list(kept)]]), rank_of(matrix[list(kept)]))
    idle: dict[str, list[int]] = {}
    for place, k in enumerate(kept):
        if place not in needed:
            idle.setdefault(rows[k].closure, []).append(rows[k].number)
    return [
        f"closure of {closure}: {_numbered(numbers)} from the others in the initial configuration and others that were "
        "found, but not beside them: they are singular"
        for closure, numbers in idle.items()
    ]


def _numbered(numbers: Sequence[int]) -> str:
    """Rows by number and what they do."""
    listed = ", ".join(map(str, numbers))
    return f"row {listed} follows" if len(numbers) == 1 else f"rows {listed} follow"


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


def _independent(matrices: Array, rank: int, taken: Sequence[int] = ()) -> list[int]:
    """Indices of ``rank`` rows that are independent at every sample, those taken and then the first good ones."""
    rest = np.array(matrices, dtype=float)
    sizes = np.linalg.norm(rest, axis=2).max(axis=0)
    sizes[sizes < FOLLOWS * sizes.max(initial=0.0)] = np.inf  # rows of round-off
    kept: list[int] = []
    for place in range(rank):
        share = np.linalg.norm(rest, axis=2).min(axis=0) / sizes
        share[kept] = -1.0
        chosen = taken[place] if place < len(taken) else int(np.argmax(share >= _PREFERRED * share.max()))
        kept.append(chosen)
        direction = rest[:, chosen, :] / np.maximum(np.linalg.norm(rest[:, chosen, :], axis=1), 1e-300)[:, None]
        rest = rest - np.einsum("smn,sn->sm", rest, direction)[:, :, None] * direction[:, None, :]
    return sorted(kept)


def _words(
    found: Sequence[Closure], rows: Sequence[ClosureRow], kept: Sequence[int], values: Any, length: float
) -> list[str]:
    """The findings, from the rows and screws at samples and a unit of length [m] of the mechanism's size."""
    turns = np.array([1.0, 1.0, 1.0, length, length, length])
    sentences = []
    first = 0
    for number, closure in enumerate(found):
        indices = range(first, first + len(closure.rows))
        first += len(closure.rows)
        dropped = [rows[k].number for k in indices if k not in set(kept)]
        if not dropped:
            continue
        own = values["jacobian"][:, list(indices), :]
        alone = max(rank_of(matrix) for matrix in own)
        source = "the others"
        if alone == len(closure.rows):
            source = f"those of {_listed(_followed(rows, kept, indices, values['jacobian']))}"
            reason = "the loops move together"
        else:
            reason = _kind_of_loop(values[f"screws{number}"][0] / turns, values[f"wrenches{number}"][0] * turns)
            if len(dropped) > len(closure.rows) - alone:
                reason += ", and it moves together with other loops"
        sentences.append(
            f"closure of {'joint' if closure.kind in JOINT_TYPES else closure.kind} "
            f"{closure.name}: {_numbered(dropped)} from {source}: {reason}"
        )
    return sentences


def _followed(rows: Sequence[ClosureRow], kept: Sequence[int], indices: Sequence[int], matrices: Array) -> list[str]:
    """Other closures of whose kept rows those of one are made that are dropped, in order."""
    dropped = [k for k in indices if k not in kept]
    shares = np.zeros(len(kept))
    for matrix in matrices:
        held, wanted = matrix[list(kept)], matrix[dropped]
        factors, _, _, _ = np.linalg.lstsq(held.T, wanted.T, rcond=None)
        sizes = np.linalg.norm(held, axis=1)[:, None] / np.linalg.norm(wanted, axis=1)
        shares = np.maximum(shares, np.max(np.abs(factors) * sizes, axis=1))
    own = rows[dropped[0]].closure
    makers = (rows[k].closure for k, share in zip(kept, shares, strict=True) if share > _TAKES_PART)
    return [name for name in dict.fromkeys(makers) if name != own]


def _listed(names: Sequence[str]) -> str:
    """The names, the first of many."""
    rest = len(names) - MOST_NAMED
    return ", ".join(names) if rest < 2 else f"{', '.join(names[:MOST_NAMED])} and {rest} others"


def _kind_of_loop(screws: Array, wrenches: Array) -> str:
    """What the screws of a loop's joints, those of its cut joint included, have in common."""
    wrenches = wrenches / np.linalg.norm(wrenches, axis=1)[:, None]
    own = np.linalg.svd(wrenches)[2][np.linalg.matrix_rank(wrenches, tol=1e-9) :] if len(wrenches) else np.eye(6)
    every = np.concatenate([screws, own])
    every = every[np.linalg.norm(every, axis=1) > 1e-12]
    every /= np.linalg.norm(every, axis=1)[:, None]
    turning, sliding = every[:, :3], every[:, 3:]
    normals = np.linalg.svd(turning)[2]
    turns = int(np.sum(np.linalg.svd(turning, compute_uv=False) > FOLLOWS))
    if turns == 0:
        return "nothing turns in the loop"
    if turns == 1 and float(np.max(np.abs(sliding @ normals[0]))) < FOLLOWS:
        return "the loop is planar"
    crosses = np.concatenate([np.cross(np.eye(3), w).T for w in turning])
    point, _, _, _ = np.linalg.lstsq(crosses, sliding.ravel(), rcond=None)
    if float(np.max(np.abs(crosses @ point - sliding.ravel()))) < FOLLOWS:
        return "the loop is spherical"
    return "the loop is overconstrained"

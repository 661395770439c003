"""Motions that move no inertia, whatever the configuration: where there is one, the mass matrix is singular.

A motion costs no kinetic energy where no body gains momentum and no rotor turns. From the base outwards, each body's
momentum and each rotor's speed set linear equations for the speeds; the motions that no body has ruled out so far stay
few, so that the effort is that of one pass over the bodies. The equations are solved at coordinates and symbolic
parameters drawn at random: what is left free there is free everywhere. In numbers and not exactly, for frames that are
turned by rounded sines leave something of what is zero; what is left of larger terms that cancel counts as nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import hypot, isfinite
from random import Random
from typing import Final, NamedTuple

from mbsym.errors import DerivationError
from mbsym.joints.motion import motion_of
from mbsym.joints.subspaces import unit_columns
from mbsym.kinematics.driven import driven_columns
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

_MOST_NAMED: Final = 6

SMALLEST_PIVOT: Final = 1e-3
"""Of an equation's largest coefficient: the last speed with more than that follows from the others."""

ROUNDING: Final = 2.0**-40
"""Part of what a number was summed from that counts as zero: some thousand units of rounding."""


class Rounded(NamedTuple):
    """A number, and the largest of what it was made from, of which it holds the rounding."""

    value: float
    size: float

    @property
    def is_something(self) -> bool:
        """Whether it is more than rounding."""
        return abs(self.value) > ROUNDING * self.size

    def times(self, other: Rounded) -> Rounded:
        """The product."""
        return Rounded(self.value * other.value, max(abs(self.value) * other.size, self.size * abs(other.value)))

    def inverse(self) -> Rounded:
        """One by it."""
        return Rounded(1 / self.value, self.size / self.value**2)


ONE: Final = Rounded(1.0, 1.0)

Form = dict[int, Rounded]
"""A linear form: coefficients, none of them nothing, by the index of a speed."""


@dataclass(frozen=True, slots=True)
class MasslessMotion:
    """A motion of the tree that moves no inertia.

    Attributes:
        joints: names of the joints that take part, in tree order; those coupled to one of them are left out.
        bodies: names of the bodies that move.
        count: how many independent motions of that kind there are.
    """

    joints: tuple[str, ...]
    bodies: tuple[str, ...]
    count: int


def massless_motion(mechanism: Mechanism) -> MasslessMotion | None:
    """A motion of what is not driven that moves no inertia, None where accelerations follow from forces in general."""
    values = _values(mechanism)
    if values is None:  # a divisor that vanishes everywhere: the functions will tell which
        return None
    sweep = _Sweep()
    sweep.solved |= {column: {} for column in driven_columns(mechanism)}  # what is driven needs none
    for body in mechanism.bodies:
        sweep.visit(body, values[f"body{body.label}"], mechanism.speed_of[body.label - 1])
    free = [column for column in range(mechanism.nv) if column not in sweep.solved]
    if not free:
        return None
    last = free[-1]
    turning = [
        body.joint.name
        for body in mechanism.bodies
        if any(last in sweep.resolved({column: ONE}) for column in range(*body.v_range))
    ]
    moving = [
        body.name
        for body in mechanism.bodies
        if any(last in sweep.resolved(component) for component in sweep.twists[body.label])
    ]
    return MasslessMotion(tuple(turning), tuple(moving), len(free))


def require_inertia(mechanism: Mechanism) -> None:
    """Checks that accelerations follow from forces.

    Raises:
        DerivationError: some motion moves no inertia, so that the mass matrix is singular in every configuration.
    """
    found = massless_motion(mechanism)
    if found is None:
        return
    joints, bodies = (_listed(names) for names in (found.joints, found.bodies))
    more = "" if found.count == 1 else f"; there are {found.count} such motions in all"
    rod = (
        ", make a massless rod a constraint of distance, or cut other joints (`cut`, `order`)"
        if mechanism.cut_joints
        else ""
    )
    verb = f"joint {joints} can" if len(found.joints) == 1 else f"joints {joints} can together"
    what = f"bod{'y' if len(found.bodies) == 1 else 'ies'} {bodies}"
    raise DerivationError(
        f"the mass matrix is singular in every configuration: {verb} move {what} without moving any inertia{more}",
        where=f"joint {found.joints[0]}" if len(found.joints) == 1 else mechanism.model.name,
        remedy=f"give what moves mass and inertia or a joint an armature{rod}; without that, `functions` generates "
        "what solves for no acceleration, such as inverse_dynamics",
    )


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED} more"


def _values(mechanism: Mechanism) -> dict[str, list[float]] | None:
    """Results of the sweep's program at random; None where some are no numbers."""
    begun, rng = mechanism.graph.copy(), Random(0)
    program = _sweep_program(mechanism)
    q = [rng.uniform(-1, 1) for _ in mechanism.q.symbols]
    for first in mechanism.q.quaternions:
        length = hypot(*q[first : first + 4])
        q[first : first + 4] = [entry / length for entry in q[first : first + 4]]
    parameters = {
        item.name: float(item.default) * rng.uniform(0.9, 1.1) or rng.uniform(0.5, 1) for item in program.parameters
    }
    found = Evaluator(program, parameters).entries(q)
    # Nobody needs its values again.
    mechanism.graph.become(begun)
    return found if all(map(isfinite, chain.from_iterable(found.values()))) else None


# ---- the sweep ------------------------------------------------------------------------------------------------------


def _sweep_program(mechanism: Mechanism) -> Program:
    """For each body: placement, columns of its joint, columns of its inertia, armatures and ratios of its speeds."""
    graph = mechanism.graph
    units = [motion_of(column) for column in unit_columns(graph, tuple(range(6)))]
    outputs = []
    for body in mechanism.bodies:
        entries: list[Scalar] = []
        for image in (body.placement.twist_to_child, body.inertia.times):
            entries += [x for unit in units for half in image(*unit) for x in half]
        for column in body.columns:
            entries += [x for half in column for x in half]
        entries += body.armature
        entries += [ratio for _, ratio in mechanism.speed_of[body.label - 1]]
        outputs.append(Output(f"body{body.label}", (len(entries),), tuple(x.ref for x in entries)))
    return Program("massless_motion", graph, (mechanism.q,), tuple(outputs), mechanism.parameters)


@dataclass(slots=True)
class _Sweep:
    """The motions that no body has ruled out so far.

    Attributes:
        solved: speeds that others determine.
        twists: of each body by label, as forms of the speeds; those of the base are zero.
    """

    solved: dict[int, Form] = field(default_factory=dict)
    twists: dict[int, tuple[Form, ...]] = field(default_factory=lambda: {0: ({},) * 6})

    def visit(self, body: TreeBody, values: Sequence[float], speeds: tuple[tuple[int, Scalar], ...]) -> None:
        """Takes a body in whose parent was visited; ``values`` are its entries of the program."""
        nv = len(speeds)
        placement, inertia, columns = (_sized(part) for part in (values[:36], values[36:72], values[72 : 72 + 6 * nv]))
        armatures, ratios = values[72 + 6 * nv : 72 + 7 * nv], values[72 + 7 * nv :]
        carried = [self.resolved(form) for form in self.twists[body.parent]]
        own = [
            self.resolved({column: Rounded(ratio, abs(ratio))})
            for (column, _), ratio in zip(speeds, ratios, strict=True)
        ]
        for armature, form in zip(armatures, own, strict=True):
            if armature:
                self.require_zero(form)
        twist = [
            _combined([*zip(carried, placement[k::6], strict=True), *zip(own, columns[k::6], strict=True)])
            for k in range(6)
        ]
        for k in range(6):
            self.require_zero(_combined(zip(twist, inertia[k::6], strict=True)))
        self.twists[body.label] = tuple(self.resolved(form) for form in twist)

    def require_zero(self, form: Form) -> None:
        """Adds an equation: its last speed follows from the others."""
        left = self.resolved(form)
        if left:
            largest = max(abs(each.value) for each in left.values())
            last = max(column for column, each in left.items() if abs(each.value) >= SMALLEST_PIVOT * largest)
            factor = Rounded(-1.0, 1.0).times(left.pop(last).inverse())
            self.solved[last] = {column: each.times(factor) for column, each in left.items()}

    def resolved(self, form: Form) -> Form:
        """The form in the speeds that are free."""
        while any(column in self.solved for column in form):
            form = _combined((self.solved.get(column, {column: ONE}), value) for column, value in form.items())
        return form


def _combined(parts: Iterable[tuple[Form, Rounded]]) -> Form:
    """The sum of forms times factors; what cancels is left out."""
    total: Form = {}
    for form, factor in parts:
        for column, each in form.items():
            term, before = each.times(factor), total.get(column, Rounded(0.0, 0.0))
            total[column] = Rounded(before.value + term.value, max(before.size, term.size))
    return {column: each for column, each in total.items() if each.is_something}


def _sized(columns: Sequence[float]) -> list[Rounded]:
    """Columns of six; those beside each other have rounding of the largest entry in the same half of any."""
    halves = [max((abs(x) for k, x in enumerate(columns) if k % 6 // 3 == half), default=0.0) for half in (0, 1)]
    return [Rounded(x, halves[k % 6 // 3]) for k, x in enumerate(columns)]

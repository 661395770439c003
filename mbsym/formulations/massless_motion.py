"""Motions that move no inertia, whatever the configuration: where there is one, the mass matrix is singular.

A motion costs no kinetic energy where no body gains momentum and no rotor turns. From the base outwards, each body's
momentum and each rotor's speed set linear equations for the speeds; the motions that no body has ruled out so far stay
few, so that the effort is that of one pass over the bodies. The equations are solved in a finite field, with
coordinates and symbolic parameters at random: what is left free there is free everywhere, but for a chance below 1e-12.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from mbsym.errors import DerivationError, SymbolicError
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.symbolic.finite_field import PRIME, evaluate
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

_MOST_NAMED: Final = 6

Form = dict[int, int]
"""A linear form: coefficients in the field, none of them zero, by the index of a speed."""


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
    """A motion that moves no inertia, None where the mass matrix is regular in general."""
    program = _sweep_program(mechanism)
    try:
        (values,) = evaluate((program,))
    except SymbolicError:  # a divisor that vanishes everywhere: the functions will tell which
        return None
    sweep = _Sweep()
    for body in mechanism.bodies:
        sweep.visit(body, values[f"body{body.label}"], mechanism.speed_of[body.label - 1])
    free = [column for column in range(mechanism.nv) if sweep.resolved({column: 1}) == {column: 1}]
    if not free:
        return None
    last = free[-1]
    turning = [
        body.joint.name
        for body in mechanism.bodies
        if any(last in sweep.resolved({column: 1}) for column in range(*body.v_range))
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


# ---- the sweep ------------------------------------------------------------------------------------------------------


def _sweep_program(mechanism: Mechanism) -> Program:
    """For each body: placement, columns of its joint, columns of its inertia, armatures and ratios of its speeds."""
    graph = mechanism.graph
    outputs = []
    for body in mechanism.bodies:
        entries: list[Scalar] = []
        unit = [Scalar(graph, int(k == m)) for k in range(3) for m in range(3)]
        basis = [(unit[0], unit[1], unit[2]), (unit[3], unit[4], unit[5]), (unit[6], unit[7], unit[8])]
        still = (Scalar(graph, 0),) * 3
        for angular, linear in (*((e, still) for e in basis), *((still, e) for e in basis)):
            entries += [x for half in body.placement.twist_to_child(angular, linear) for x in half]
        for angular, linear in (*((e, still) for e in basis), *((still, e) for e in basis)):
            entries += [x for half in body.inertia.times(angular, linear) for x in half]
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

    def visit(self, body: TreeBody, values: tuple[int, ...], speeds: tuple[tuple[int, Scalar], ...]) -> None:
        """Takes a body in whose parent was visited; ``values`` are its entries of the program."""
        nv = len(speeds)
        placement, inertia, columns = (values[start:stop] for start, stop in ((0, 36), (36, 72), (72, 72 + 6 * nv)))
        armatures, ratios = values[72 + 6 * nv : 72 + 7 * nv], values[72 + 7 * nv :]
        carried = [self.resolved(form) for form in self.twists[body.parent]]
        own = [self.resolved({column: ratio}) for (column, _), ratio in zip(speeds, ratios, strict=True)]
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
            last = max(left)
            factor = -pow(left.pop(last), -1, PRIME) % PRIME
            self.solved[last] = {column: value * factor % PRIME for column, value in left.items()}

    def resolved(self, form: Form) -> Form:
        """The form in the speeds that are free."""
        while any(column in self.solved for column in form):
            form = _combined((self.solved.get(column, {column: 1}), value) for column, value in form.items())
        return form


def _combined(parts: Iterable[tuple[Form, int]]) -> Form:
    """The sum of forms times factors."""
    total: Form = {}
    for form, factor in parts:
        if factor:
            for column, value in form.items():
                total[column] = (total.get(column, 0) + value * factor) % PRIME
    return {column: value for column, value in total.items() if value}

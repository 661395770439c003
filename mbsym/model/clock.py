"""The clock of constraints: time in what is held, as a coordinate that is driven.

A constraint phi(q, t) = 0 is one of coordinates alone where one of them, c, follows the motion c = t: its rate is 1 and
its acceleration 0, so that phi' = (d phi / d q) q' + (d phi / d c) c' and phi'' follow as for any coordinates. What
gives a speed, psi(q, v, t) with psi(q, 0, t) = g, is linear in speeds as psi + g (c' - 1).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Protocol, TypeVar

from mbsym.constraints import ConstraintElement
from mbsym.doors import sympy
from mbsym.errors import MbsymError
from mbsym.joints.prismatic import PRISMATIC
from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.model.motion import PrescribedMotion
from mbsym.model.names import TIME, NamedSystem, expression_names
from mbsym.symbolic.frame_quantities import WORDS, quantity_of
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, Symbols
from mbsym.values.entries import entries_of
from mbsym.values.numbers import to_scalar, value_names, with_names
from mbsym.values.parameter import Value
from mbsym.values.table import Table
from mbsym.values.table_pieces import by_name

CLOCK: Final = "constraint_clock"
"""Name of the body without mass, of its joint and of the motion that this follows."""

_KINDS: Final = ("bodies", "joints", "motions")
"""Where these stand."""


class TimedSystem(NamedSystem, Protocol):
    """What the clock asks of a model."""

    @property
    def bodies(self) -> tuple[Body, ...]: ...
    @property
    def constraints(self) -> tuple[ConstraintElement, ...]: ...
    @property
    def motions(self) -> tuple[PrescribedMotion, ...]: ...
    @property
    def tables(self) -> tuple[Table, ...]: ...
    @property
    def ground(self) -> str: ...


M = TypeVar("M", bound=TimedSystem)


def needs_clock(model: TimedSystem) -> bool:
    """Whether a constraint depends on time or gives a speed, and no clock stands for that yet."""
    held = _Held(model)
    return any(held.is_timed(value) for item in model.constraints for _, value in _expressions(item))


def with_clock(model: M) -> M:
    """The model whose constraints hold coordinates alone: a clock behind its joints, and its coordinate for the time.

    A model whose constraints know no time is returned as it is.
    """
    if not needs_clock(model):
        return model
    held, grown = _Held(model), model
    copy: Any = replace  # of the dataclass that the model is
    if all(joint.name != CLOCK for joint in model.joints):
        grown = copy(
            model,
            bodies=(*model.bodies, Body(CLOCK)),
            joints=(*model.joints, Joint(CLOCK, PRISMATIC.name, model.ground, CLOCK)),
            motions=(*model.motions, PrescribedMotion(CLOCK, CLOCK, TIME)),
        )
    names = expression_names(grown)
    (time,), (rate,) = names.coordinates[CLOCK], names.speeds[CLOCK]

    def timeless(item: ConstraintElement) -> Any:
        return copy(item, **{key: held.by_clock(value, time, rate) for key, value in _expressions(item)})

    whole: M = copy(grown, constraints=tuple(map(timeless, model.constraints)))
    return whole


def taken_names(model: TimedSystem) -> list[tuple[str, int]]:
    """What has the name of the clock and is none: kinds of entries of a model, and places there."""
    called = [(kind, k) for kind in _KINDS for k, item in enumerate(getattr(model, kind)) if item.name == CLOCK]
    if [kind for kind, _ in called] != [*_KINDS]:
        return called
    body, joint, motion = (getattr(model, kind)[k] for kind, k in called)
    ends = (joint.type, joint.predecessor, joint.successor)
    is_clock = body == Body(CLOCK) and ends == (PRISMATIC.name, model.ground, CLOCK) and motion.joint == CLOCK
    return [] if is_clock and value_names(motion.law) == (TIME,) else called


def _expressions(item: ConstraintElement) -> list[tuple[str, Value]]:
    """What a constraint holds as an expression, by its entries."""
    return [(entry.key, getattr(item, entry.key)) for entry in entries_of(type(item)) if entry.kind == "expression"]


class _Held:
    """Expressions that the constraints of a model hold."""

    def __init__(self, model: TimedSystem) -> None:
        self._model = model

    @cached_property
    def _speeds(self) -> frozenset[str]:
        return frozenset(name for own in expression_names(self._model).speeds.values() for name in own)

    def is_timed(self, value: Value) -> bool:
        """Whether the time stands in it, or it gives a speed."""
        if TIME not in value_names(value):
            return self._gives_speed(value)
        held = self._read(value)  # in SymPy the time may be no more than the argument of a function
        return held is not None and held.graph.symbol(TIME) in held.graph.reachable([held.ref])

    def by_clock(self, value: Any, time: str, rate: str) -> Value:
        """The value over the coordinate of the clock, and its speed where a speed is given."""
        if self._gives_speed(value):
            still = self._at_rest(value)
            if isinstance(value, str):
                value = f"({value}) + ({still})*({rate} - 1)"
            else:
                value = value + still * (sympy.Symbol(rate) - 1)
        return with_names(value, lambda name: (time if name == TIME else name, Fraction(1)))

    def _gives_speed(self, value: Value) -> bool:
        """Whether it holds speeds and is not zero at rest."""
        if not any(map(self._is_speed, value_names(value))):
            return False
        still = self._read(self._at_rest(value))
        return still is not None and bool(still)

    def _at_rest(self, value: Value) -> Any:
        """The value at speeds of zero."""
        return with_names(value, lambda name: (name, Fraction(not self._is_speed(name))))

    def _is_speed(self, name: str) -> bool:
        quantity = quantity_of(name)
        return name in self._speeds if quantity is None else WORDS[quantity.word].is_rate

    def _read(self, value: Value) -> Scalar | None:
        """The value in a graph of its own; None of what the checks of the model refuse."""
        graph = Graph()
        graph.definitions = by_name(self._model.tables)
        try:
            return to_scalar(value, graph, Symbols(graph, dict.fromkeys(value_names(value))))
        except MbsymError:
            return None

"""Limits of a model's coordinates, speeds, forces and inputs, and what is told of those that a motion exceeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.kinematics.driven import driven_speeds
from mbsym.kinematics.roadmap import limit_tables
from mbsym.model.joint import Coupling, Joint
from mbsym.model.names import expression_names
from mbsym.simulation.equations import (
    Equations,
    Quantity,
    coordinate_quantities,
    force_quantities,
    speed_quantities,
    suggestion,
)
from mbsym.simulation.rates import ActingLoads
from mbsym.values.numbers import evaluate, parameter_values

Side: TypeAlias = Literal["lower", "upper"]

TELL: Final = "tell"
STOP: Final = "stop"
CHOICES: Final = (TELL, STOP)


@dataclass(frozen=True, slots=True)
class Exceeded:
    """A limit that was exceeded.

    Attributes:
        name: of the coordinate, speed or input, or of the speed along which a force is given.
        kind: which of these it is.
        side: which limit.
        limit: its value.
        unit: of the value.
        t: when first [s].
        beyond: by how much at most.
        t_most: when [s].
        held: True for an input or a force that acted at its limit, because saturation was asked for.
    """

    name: str
    kind: str
    side: Side
    limit: float
    unit: str
    t: float
    beyond: float
    t_most: float
    held: bool = False

    @property
    def sentence(self) -> str:
        """What is told of it."""
        what = self.name if self.kind in ("coordinate", "speed") else f"{self.kind} {self.name}"
        limit = f"its {self.side} limit {self.limit:.6g} {self.unit}".rstrip()
        beyond = f"{self.beyond:.6g} {self.unit}".rstrip()
        if self.held:
            return f"{what} is held at {limit}, first at t = {self.t:.6g} s; asked for is up to {beyond} more"
        if self.t_most == self.t:
            return f"{what} is beyond {limit} at t = {self.t:.6g} s, by {beyond}"
        return f"{what} exceeds {limit}, first at t = {self.t:.6g} s, by up to {beyond} at t = {self.t_most:.6g} s"

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Bound:
    """One side of the limits of a quantity: its value times ``sign`` stays below that of the limit.

    Attributes:
        entry: of the state, or of forces and inputs behind one another.
        ratio, offset: from that entry to the quantity, where it follows another joint by a coupling.
        of_state: which of the two ``entry`` counts in.
        of_motion: it is of a force that a motion takes, which follows from the state and which nothing holds.
    """

    name: str
    kind: str
    unit: str
    side: Side
    limit: float
    entry: int
    of_state: bool
    ratio: float = 1.0
    offset: float = 0.0
    of_motion: bool = False

    @property
    def sign(self) -> float:
        """+1 for an upper limit, -1 for a lower one."""
        return 1.0 if self.side == "upper" else -1.0

    @property
    def sentence(self) -> str:
        """What is told of a motion that stops there."""
        return f"{self.name} at its {self.side} limit {self.limit:.6g} {self.unit}".rstrip()


def check_choice(limits: str) -> None:
    """Refuses an unknown choice.

    Raises:
        SimulationError: naming those that there are.
    """
    if limits not in CHOICES:
        raise SimulationError(
            f"limits cannot be treated by {limits!r}", where="`limits`", remedy=suggestion(limits, CHOICES)
        )


def held_within(equations: Equations, loads: ActingLoads) -> ActingLoads:
    """Forces and inputs that stay within their limits, whatever is asked for."""
    tables = limit_tables(equations.mechanism)
    nv, inputs = equations.mechanism.nv, len(equations.mechanism.model.inputs)
    effort = np.array([_size(limit) for limit in tables.get("tau_limit", (np.inf,) * nv)])
    lower, upper = (
        np.array(tables.get(name, (none,) * inputs)) for name, none in (("u_lower", -np.inf), ("u_upper", np.inf))
    )
    return ActingLoads(_clipped(loads.tau, -effort, effort), _clipped(loads.u, lower, upper), inputs)


def _clipped(given: Any, lower: Array, upper: Array) -> Any:
    if not callable(given):
        return np.clip(given, lower, upper)

    def held(t: float, q: Array, v: Array) -> Array:
        asked = np.asarray(given(t, q, v), dtype=float)
        # Of another shape it is refused by that of what acts, which broadcasting would hide.
        return np.clip(asked, lower, upper) if asked.shape == lower.shape else asked

    return held


def _size(limit: float) -> float:
    """A limit of sizes; some formats write a negative one for none."""
    return limit if limit >= 0.0 else np.inf


def bounds_of(equations: Equations) -> list[Bound]:
    """The limits that a state, or what acts in it, can be asked about."""
    mechanism, layout = equations.mechanism, equations.layout
    tables = limit_tables(mechanism)
    inputs = tuple(Quantity(item.name, item.unit) for item in mechanism.model.inputs)
    nq, nv = layout.nq, layout.nv
    driven = {each.column for each in driven_speeds(mechanism)}
    kinds = (
        ("coordinate", coordinate_quantities(mechanism), 0, True, "q_lower", "q_upper"),
        ("speed", speed_quantities(mechanism), nq, True, "v_limit", "v_limit"),
        ("force along", force_quantities(mechanism), 0, False, "tau_limit", "tau_limit"),
        ("input", inputs, nv, False, "u_lower", "u_upper"),
    )
    found = []
    for kind, items, first, of_state, lower, upper in kinds:
        low, high = tables.get(lower, ()), tables.get(upper, ())
        if lower == upper:
            high = tuple(map(_size, high))
            low = tuple(-size for size in high)
        sides: tuple[tuple[Side, Sequence[float]], ...] = ("lower", low), ("upper", high)
        found += [
            Bound(
                item.name,
                kind,
                item.unit,
                side,
                limit,
                first + k,
                of_state,
                of_motion=kind == "force along" and k in driven,
            )
            for side, limits in sides
            for k, (item, limit) in enumerate(zip(items, limits or [np.inf] * len(items), strict=True))
            if np.isfinite(limit)
        ]
    return [*found, *_followers(equations)]


def _followers(equations: Equations) -> list[Bound]:
    """Limits of joints that follow another one by couplings."""
    mechanism, layout = equations.mechanism, equations.layout
    model, table = mechanism.model, expression_names(mechanism.model)
    numbers = parameter_values(model)
    sources = {coupling.joint: coupling for coupling in model.couplings}
    own = {body.joint.name: (body.q_range[0], body.v_range[0]) for body in mechanism.bodies_by_coordinates}
    found: list[Bound] = []
    for name in sources:
        ratio, offset, at = 1.0, 0.0, name
        while at in sources:
            coupling: Coupling = sources[at]
            offset += ratio * evaluate(coupling.offset, numbers)
            ratio *= evaluate(coupling.ratio, numbers)
            at = coupling.source
        joint: Joint = model.joint(name)
        q, v = own[at]
        low, high, most = (
            [evaluate(each, numbers) for each in limits] for limits in (joint.lower, joint.upper, joint.velocity)
        )
        fast = [_size(each) for each in most]
        coordinate, speed = table.coordinates[name][0], table.speeds[name][0]
        (unit,), (rate,) = joint.shape.coordinate_units, joint.shape.speed_units
        v += layout.nq
        found += [Bound(coordinate, "coordinate", unit, "lower", x, q, True, ratio, offset) for x in low]
        found += [Bound(coordinate, "coordinate", unit, "upper", x, q, True, ratio, offset) for x in high]
        found += [Bound(speed, "speed", rate, "lower", -x, v, True, ratio) for x in fast if np.isfinite(x)]
        found += [Bound(speed, "speed", rate, "upper", x, v, True, ratio) for x in fast if np.isfinite(x)]
    return found


def unwatched(equations: Equations) -> tuple[str, ...]:
    """A sentence for each joint whose limits nobody looks at: those that are cut have no coordinates."""
    limited = [
        item.joint.name
        for item in equations.mechanism.cut_joints
        if item.joint.lower or item.joint.upper or item.joint.velocity
    ]
    return tuple(
        f"the limits of joint {name} are not looked at: it is cut; keep it to have them told" for name in limited
    )

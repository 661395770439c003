"""Equilibria of a mechanism: found from many starts, named, with their stability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from mbsym.doors import Array
from mbsym.errors import AnalysisError, MbsymError
from mbsym.kinematics.driven import driven_speeds
from mbsym.kinematics.measures import measures_of
from mbsym.linear.balance import Balance, Free
from mbsym.linear.equations import LinearEquations, State
from mbsym.linear.freedom import independent_with
from mbsym.linear.linearised import linearised
from mbsym.linear.options import STARTS
from mbsym.linear.search import solutions
from mbsym.linear.tangent import increment_names
from mbsym.markup import Told
from mbsym.model.clock import CLOCK
from mbsym.pipeline import Progress


@dataclass(frozen=True, slots=True)
class Stability:
    """What becomes of small disturbances.

    Attributes:
        kind: "asymptotically stable", "stable without damping", "indifferent", "unstable", or "unknown".
        growing: number of modes that grow.
        drifting: number of modes without resistance.
        reason: why nothing is known.
    """

    kind: str
    growing: int = 0
    drifting: int = 0
    reason: str = ""

    @property
    def sentence(self) -> str:
        """In words."""
        if self.growing:
            return f"unstable: {self.growing} {'mode grows' if self.growing == 1 else 'modes grow'}"
        if self.drifting:
            return f"indifferent: {self.drifting} {'mode drifts' if self.drifting == 1 else 'modes drift'}"
        return f"{self.kind}: {self.reason}" if self.reason else self.kind


@dataclass(frozen=True, slots=True, repr=False)
class Equilibrium:
    """A state in which nothing moves.

    Attributes:
        name: "equilibrium 1", ... in the order of ``Equilibria``.
        state: it.
        stability: of it, at constant inputs.
        idle: names of what is free and can change together without upsetting it; empty for one that stands alone.
        unbalanced: largest force left, over the largest at work.
        equations: of the model.
    """

    name: str
    state: State
    stability: Stability
    idle: tuple[str, ...]
    unbalanced: float
    equations: LinearEquations

    def __repr__(self) -> str:
        return f"<{self.name} of {self.equations.name!r}: {self.stability.sentence}>"

    @property
    def q(self) -> Array:
        """Coordinates (nq,)."""
        return self.state.q

    @property
    def u(self) -> Array:
        """Control inputs (nu,)."""
        return self.state.u

    @property
    def tau(self) -> Array:
        """Generalised forces (nv,)."""
        return self.state.tau

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        state = self.equations.by_name(self.state)
        return {
            "name": self.name,
            **{key: state[key] for key in ("q", "u", "tau", "x", "t")},
            "stability": self.stability.kind,
            "growing": self.stability.growing,
            "drifting": self.stability.drifting,
            "idle": list(self.idle),
            "unbalanced": self.unbalanced,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Equilibria(Told):
    """The equilibria that were found, and what was free."""

    found: tuple[Equilibrium, ...]
    free: tuple[str, ...]

    @property
    def text(self) -> str:
        """Each with its state and stability."""
        equations = self.found[0].equations
        lines = [f"{equations.name}: {len(self)} {'equilibrium' if len(self) == 1 else 'equilibria'}"]
        for item in self.found:
            lines += ["", f"{item.name}: {item.stability.sentence}", *equations.lines(item.state)]
            if item.idle:
                lines.append(f"{'one of many':12}{', '.join(item.idle)} may change")
        return "\n".join(lines) + "\n"

    def __iter__(self) -> Iterator[Equilibrium]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, index: int) -> Equilibrium:
        return self.found[index]

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        return {
            "name": self.found[0].equations.name,
            "solved_for": list(self.free),
            "solutions": [item.as_dict() for item in self.found],
        }


def equilibria(
    equations: LinearEquations,
    state: State,
    free: Sequence[str] = (),
    starts: int = STARTS,
    progress: Progress | None = None,
) -> Equilibria:
    """The equilibrium that the search comes to from a state, then others by their distance.

    Args:
        equations: of the model.
        state: where the search begins; what is not free stays as it is there, speeds are zero; states of
            drives are always free, and their rates zero.
        free: names of coordinates, control inputs, and speeds along which a generalised force may take any value;
            default all coordinates.
        starts: how many places the search begins at.
        progress: told of each.

    Raises:
        AnalysisError: a name is unknown, or no equilibrium was found.
    """
    state = replace(state, v=np.zeros(equations.mechanism.nv))
    named, chosen = _chosen(equations, state, free)
    balance = Balance(equations.mechanism, equations.loops, state, chosen)
    found_places, best = solutions(balance, state.q, starts, progress)
    if not found_places:
        raise _nothing_found(equations, balance, best, named)
    increments = increment_names(equations.mechanism)
    labels = (
        *(increments[k] for k in chosen.speeds),
        *(equations.inputs[k] for k in chosen.inputs),
        *(f"tau of {equations.speeds[k]}" for k in chosen.forces),
        *equations.drives,
    )
    found = []
    for number, z in enumerate(found_places, start=1):
        q, u, tau, x, _ = balance.split(z)
        there = replace(state, q=q, u=u, tau=tau, x=x)
        idle = np.abs(balance.idle(z)).max(axis=1, initial=0.0)
        moving = tuple(name for name, share in zip(labels, idle, strict=True) if share > 1e-6)
        stability = stability_at(equations, there)
        found.append(Equilibrium(f"equilibrium {number}", there, stability, moving, balance.unbalanced(z), equations))
    return Equilibria(tuple(found), named)


def _chosen(equations: LinearEquations, state: State, free: Sequence[str]) -> tuple[tuple[str, ...], Free]:
    """Names of what is free, and what that frees besides: what follows from it, forces of motions, states of drives."""
    mechanism = equations.mechanism
    increments = increment_names(mechanism)
    known = (increments, equations.inputs, equations.speeds)
    for name in free:
        if not any(name in names for names in known):
            raise equations.unknown("coordinate, control input or speed", name, [*chain(*known)])
    driven = {each.column: each.motion.name for each in driven_speeds(mechanism)}
    for k, name in driven.items():
        if increments[k] in free:
            what = f"{increments[k]} cannot be free: motion {name} prescribes it"
            raise AnalysisError(what, where=equations.name, remedy="leave it out; its force is solved for")
    _require_rest(equations, state, driven)
    named = tuple(free) or tuple(name for k, name in enumerate(increments) if k not in driven)
    chosen = Free(*(tuple(k for k, each in enumerate(names) if each in named) for names in known))
    if equations.loops is not None and chosen.speeds:
        (rows,) = equations.evaluate("constraint_jacobian", state)
        rows = np.concatenate([rows[equations.loops.closing], np.eye(mechanism.nv)[[*driven]]])
        held = set(independent_with(rows * measures_of(mechanism).increments, chosen.speeds)) - set(chosen.speeds)
        chosen = replace(chosen, speeds=tuple(k for k in range(mechanism.nv) if k not in held | {*driven}))
    drives = tuple(range(len(equations.drives)))
    return named, replace(chosen, forces=tuple(sorted({*chosen.forces, *driven})), drives=drives)


def _require_rest(equations: LinearEquations, state: State, driven: Mapping[int, str]) -> None:
    """Refuses motions that move at the time of a state."""
    if not driven:
        return
    if CLOCK in driven.values():
        raise AnalysisError(
            "a constraint depends on time or gives a speed: nothing rests there",
            where=equations.name,
            remedy="hold there what does not move, or linearise about a state",
        )
    speeds, rates = equations.evaluate("driven_state", state)[1], equations.evaluate("forward_dynamics", state)[0]
    for k, name in driven.items():
        if speeds[k] or rates[k]:
            raise AnalysisError(
                f"motion {name} moves at t = {state.t:g} s, with a speed of {speeds[k]:g} and a rate of it of "
                f"{rates[k]:g}: nothing rests there",
                where=equations.name,
                remedy="take a time at which it rests, or another law",
            )


def stability_at(equations: LinearEquations, state: State) -> Stability:
    """Stability by the eigenvalues of the linearised equations."""
    try:
        system = linearised(equations, state)
        values = [pair.value for pair in system.eigenpairs()]
    except MbsymError as error:
        return Stability("unknown", reason=error.what)
    growing = sum(value.real > 1e-9 * abs(value) for value in values if value)
    drifting = sum(not value for value in values)
    if growing:
        return Stability("unstable", growing, drifting)
    if drifting:
        return Stability("indifferent", 0, drifting)
    undamped = any(abs(value.real) <= 1e-9 * abs(value) for value in values)
    return Stability("stable without damping" if undamped else "asymptotically stable")


def _nothing_found(equations: LinearEquations, balance: Balance, z: Array, free: Sequence[str]) -> AnalysisError:
    """The error that names what stays unbalanced."""
    residual = balance.residual(z)[0]
    nv = equations.mechanism.nv
    worst = int(np.argmax(np.abs(residual)))
    every = set(free) >= set(increment_names(equations.mechanism))
    remedy = "free inputs or forces as well" if every else f"free more than {', '.join(free)}"
    remedy = f"{remedy}, or begin elsewhere"
    if worst < nv:
        units = [unit for body in equations.mechanism.bodies_by_coordinates for unit in body.joint.shape.force_units]
        left = abs(float(residual[worst])) * balance.forces[worst]
        what = f"no equilibrium was found: {left:.3g} {units[worst]} along {equations.speeds[worst]} stay unbalanced"
        return AnalysisError(what, where=equations.name, remedy=remedy)
    if worst < nv + len(equations.drives):
        drive = equations.drives[worst - nv]
        what = f"no equilibrium was found: the state {drive} of a drive does not come to rest"
        return AnalysisError(what, where=equations.name, remedy=remedy)
    rows = [row for closure in equations.loops.closures for row in closure.rows] if equations.loops else []
    row = rows[worst - nv - len(equations.drives)]
    gap = f"{abs(float(residual[worst])) * balance.measures.of_unit(row.unit):.3g} {row.unit}"
    what = f"no equilibrium was found: the loop of {row.closure} stays open by {gap}"
    return AnalysisError(what, where=equations.name, remedy=remedy)

"""What is done with the equations of a mechanism, beside the reference: simulated, linearised, balanced, written out.

Each check gives sentences about what is wrong. Allowances are measured: the reference takes its steps in two lengths,
and its differences are taken over two distances.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import mbsym
from mbsym.errors import MbsymError
from mbsym.formats.native.text import dump_native
from mbsym.model.clock import with_clock
from mbsym.model.names import expression_names
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.reference.motions import prescribed_motions, prescribed_state
from mechanisms.factor_models import model_factors, start_of

Array = NDArray[Any]

DURATION: Final = 0.04
STEPS: Final = 40
"""Of the reference [s], and half as many once more."""

MARGIN: Final = 30.0
"""Times what halving a step or a distance changes: laws with kinks leave no order to reckon with."""

FLOOR: Final = 1e-7
"""Of the largest entry: errors that steps may leave, a hundred times the relative one per step, and rounding of
differences over a distance of 1e-5."""

STILL: Final = 1e-6
"""Gaps and rates [rad, m] below which loops are closed."""

AT_REST: Final = 1e-5
"""Accelerations at rest: a millionth of gravity and of forces per mass, all about ten."""

PARTS: Final = ("bodies", "joints", "forces", "constraints", "motions", "inputs", "outputs", "parameters")
"""Of a model, with names."""

WORDS: Final = ("no equilibrium was found", "nothing rests there")
"""Of refusals that are an answer."""


def drawn(seed: int, settings: int = 5) -> dict[str, str]:
    """A mechanism of so many settings that are not the plain ones, as far as the draw has it."""
    rng = random.Random(seed)
    every = model_factors()
    row = {factor.name: factor.values[0] for factor in every}
    for factor in rng.sample(every, settings):
        row[factor.name] = rng.choice(factor.values)
    (force,) = (factor for factor in every if factor.name == "force")
    row["force"] = rng.choice(force.values)
    # States of drives are held against the reference by tests of their own (``test_drives.py``).
    return row | {"drives": "none"}


def told(row: Mapping[str, str]) -> dict[str, str]:
    """The settings that are not the plain ones."""
    return {each.name: row[each.name] for each in model_factors() if row[each.name] != each.values[0]}


def wrong_uses(model: Model, seed: int) -> Iterator[str]:
    """What is wrong, if anything is."""
    for name, check in USES.items():
        try:
            yield from (f"{name}: {sentence}" for sentence in check(model, np.random.default_rng(seed)))
        except MbsymError as error:
            if not any(words in str(error) for words in WORDS):
                yield f"{name}: refused: {error}"
        except Exception as error:
            yield f"{name}: {type(error).__name__}: {error}"


def _moving(model: Model, rng: np.random.Generator) -> tuple[Reference, Array, Array]:
    """The reference, where joints start, and speeds that loops and motions allow."""
    reference = Reference(model)
    wanted = start_of(model, reference), rng.uniform(-0.5, 0.5, reference.nv)
    q, v = prescribed_state(reference.mechanism, *wanted, 0.0, np.zeros(len(model.inputs)))
    rows = reference.closure_jacobian(q)
    free = [k for k in range(reference.nv) if k not in {each.speed for each in prescribed_motions(reference.mechanism)}]
    if len(rows):
        v[free] -= np.linalg.lstsq(rows[:, free], rows @ v, rcond=STILL)[0]
    return reference, q, v


def _simulated(model: Model, rng: np.random.Generator) -> Iterator[str]:
    motion = mbsym.simulate(model, DURATION, output_step=DURATION / 2, initial=_speeds(model, rng))
    reference = Reference(motion.equations.mechanism.model, motion.equations.mechanism.labelling)
    u = np.zeros(len(model.inputs))
    fine, coarse = (_stepped(reference, motion.q[0], motion.v[0], u, steps) for steps in (STEPS, STEPS // 2))
    for name, found, expected, other in zip("qv", (motion.q[-1], motion.v[-1]), fine, coarse, strict=True):
        allowed = MARGIN * np.abs(expected - other).max(initial=0.0) + FLOOR * (1 + np.abs(expected).max(initial=0.0))
        off = np.abs(found - expected).max(initial=0.0)
        if not off <= allowed:
            yield f"{name} is {off:.1e} off, {allowed:.1e} are allowed"
    drift = motion.monitors.worst_energy_drift
    if not drift <= 1e-6 * max(motion.monitors.energy_scale, 1e-3):
        yield f"the energy drifts by {drift:.1e} of {motion.monitors.energy_scale:.1e}"


def _speeds(model: Model, rng: np.random.Generator) -> dict[str, float]:
    """Speeds of the tree to start with, by name, as far as no motion prescribes them; none where loops are open yet."""
    reference, q, v = _moving(model, rng)
    if np.abs(reference.closure_gap(q)).max(initial=0.0) > STILL:
        return {}
    model = with_clock(model)
    names = expression_names(model).speeds
    driven = {(motion.joint, motion.index) for motion in model.motions if motion.gives != "acceleration"}
    found = {}
    for joint in reference.mechanism.tree_joints:
        if joint.speeds is not None:
            for index, value in enumerate(v[joint.speeds]):
                if (joint.name, index) not in driven:
                    found[names[joint.name][index]] = float(value)
    return found


def _stepped(reference: Reference, q: Array, v: Array, u: Array, steps: int) -> tuple[Array, Array]:
    """The state after the duration, by the classical method of Runge and Kutta on the reference's accelerations."""
    h, tau = DURATION / steps, np.zeros(reference.nv)

    def rates(t: float, q: Array, v: Array) -> tuple[Array, Array]:
        return reference.position_rate(q, v), reference.forward_dynamics(q, v, tau, t, u)

    for step in range(steps):
        t = step * h
        a = rates(t, q, v)
        b = rates(t + h / 2, q + h / 2 * a[0], v + h / 2 * a[1])
        c = rates(t + h / 2, q + h / 2 * b[0], v + h / 2 * b[1])
        d = rates(t + h, q + h * c[0], v + h * c[1])
        q, v = (x + h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]) for k, x in enumerate((q, v)))
    return q, v


def _linearised(model: Model, rng: np.random.Generator) -> Iterator[str]:
    """Slopes of the accelerations along what is independent, from those of the reference; loops open by the square."""
    found = mbsym.linearise(model, at=_speeds(model, rng), inputs="all")
    state, mechanism = found.state, found.equations.mechanism
    reference, nv = Reference(mechanism.model, mechanism.labelling), mechanism.nv
    speeds, carried = list(found.freedom.speeds), found.freedom.of_states

    def accelerations(change: Array, inputs: Array) -> Array:
        q = reference.integrate_position(state.q, change[:nv], 1.0)
        u = state.u + inputs[: len(state.u)]
        tau = state.tau + inputs[len(state.u) :]
        return reference.forward_dynamics(q, state.v + change[nv:], tau, state.t, u)[speeds]

    def slopes(h: float) -> Array:
        by_state = [
            (accelerations(h * column, none) - accelerations(-h * column, none)) / (2 * h) for column in carried.T
        ]
        return np.array(by_state).T.reshape(len(speeds), carried.shape[1])

    none = np.zeros(len(state.u) + nv)
    expected, other = slopes(1e-5), slopes(2e-5)
    allowed = MARGIN * np.abs(expected - other).max(initial=0.0) + FLOOR * (1 + np.abs(expected).max(initial=0.0))
    off = np.abs(found.A[len(found.freedom.independent) :] - expected).max(initial=0.0)
    if not off <= allowed:
        yield f"A is {off:.1e} off, {allowed:.1e} are allowed"


def _balanced(model: Model, _: np.random.Generator) -> Iterator[str]:
    for found in mbsym.equilibrium(model, starts=2):
        mechanism = found.equations.mechanism
        reference = Reference(mechanism.model, mechanism.labelling)
        rest = np.zeros(reference.nv)
        at = reference.forward_dynamics(found.q, rest, rest, 0.0, np.zeros(len(model.inputs)))
        if not (size := np.abs(at).max(initial=0.0)) <= AT_REST:
            yield f"an equilibrium accelerates by {size:.1e}"


def _written(model: Model, rng: np.random.Generator) -> Iterator[str]:
    with TemporaryDirectory() as place:
        file = Path(place) / "m.yaml"
        file.write_text(dump_native(model), encoding="utf-8")
        read = mbsym.load(file)
    for part in PARTS:
        one, other = ([item.name for item in getattr(each, part)] for each in (model, read))
        if one != other:
            yield f"{part} are {other}, not {one}"
    first, q, v = _moving(model, rng)
    second = Reference(replace(read, name=model.name))
    given = q, v, np.zeros(first.nv), 0.0, np.zeros(len(model.inputs))
    one, other = (reference.forward_dynamics(*given) for reference in (first, second))
    if not np.allclose(one, other, rtol=1e-9, atol=1e-9 * (1 + np.abs(one).max(initial=0.0))):
        yield f"accelerations are {np.abs(one - other).max():.1e} off once it is read again"


USES: Final[Mapping[str, Callable[[Model, np.random.Generator], Iterator[str]]]] = {
    "simulate": _simulated,
    "linearise": _linearised,
    "equilibrium": _balanced,
    "convert": _written,
}
"""By verb."""

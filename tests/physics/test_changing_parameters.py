"""Masses and inertias that change from step to step, against closed forms of motions with changing mass."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import cos, log, sqrt

import numpy as np
import pytest

from mbsym.errors import SimulationError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.transfer_matrix.stepper import Observation, Scheme, TransferMatrixStepper

PUCK = """\
name: puck
parameters:
  m: {value: 2, unit: kg, symbolic: true}
  J: {value: 0.5, unit: kg m^2, symbolic: true}
bodies: {puck: {mass: m, inertia: [0, 0, J]}}
joints: {plane: {type: planar, from: ground, to: puck}}
gravity: [0, 0, 0]
"""
SPRINGS = """\
forces:
  x: {type: joint_spring, joint: plane, index: 0, stiffness: 18}
  y: {type: joint_spring, joint: plane, index: 1, stiffness: 18}
  turn: {type: joint_spring, joint: plane, index: 2, stiffness: 8}
"""
ROD = """\
name: rod
parameters: {m: {value: 2, unit: kg, symbolic: true}, l: {value: 0.8, unit: m, symbolic: true}}
bodies: {rod: {mass: m, center_of_mass: [l/2, 0, 0], inertia: [0, 0, m*l**2/12]}}
joints: {pin: {type: revolute, from: ground, to: rod}}
gravity: [0, -9.81, 0]
"""
GROWTH = 0.7


@cache
def stepper(text: str) -> TransferMatrixStepper:
    return TransferMatrixStepper(read_native(TextSource("model.yaml", text)), engine="numpy")


def growing(t: float) -> dict[str, float]:
    """Mass and inertia that grow with the square of 1 + a t."""
    size = (1 + GROWTH * t) ** 2
    return {"m": 2 * size, "J": 0.5 * size}


def moved(
    steps: TransferMatrixStepper,
    start: tuple[list[float], list[float]],
    h: float,
    count: int,
    law: Callable[[float], dict[str, float]],
    force: float = 0.0,
) -> Observation:
    given = steps.nothing.copy()
    given[0, 0] = force
    state = steps.start(*start, given, parameters=law(0.0))
    for k in range(count):
        now = law((k + 1) * h)
        state, report = steps.advance(state, h, loads=given, parameters=now)
        assert report.status == 0
    return steps.observe(state, now)


def test_springs_with_growing_mass_and_inertia() -> None:
    """(1 + a t)^2 x'' + w^2 x = 0, an equation of Euler's: x = sqrt(s) (A cos(n ln s) + B sin(n ln s)), s = 1 + a t.

    The scheme is of second order: half the step, a quarter of the error.
    """
    springs = stepper(PUCK + SPRINGS)

    def exact(t: float, stiffness_by_inertia: float, x: float) -> float:
        """From rest at x: x'(0) = a (A/2 + n B) = 0."""
        n = sqrt(stiffness_by_inertia / GROWTH**2 - 0.25)
        turn = n * log(1 + GROWTH * t)
        return x * sqrt(1 + GROWTH * t) * (cos(turn) - 0.5 / n * np.sin(turn))

    errors = []
    for count in (50, 100):
        seen = moved(springs, ([0.3, 0.0, 0.2], [0.0] * 3), 1 / count, count, growing)
        found = np.array([seen.centers[0, 0], seen.attitudes[0, 0]])
        errors.append(np.abs(found - [exact(1.0, 9, 0.3), exact(1.0, 16, 0.2)]))
    assert np.all(errors[1] < 1e-3)
    np.testing.assert_allclose(errors[0] / errors[1], 4.0, rtol=0.1)


def test_a_rocket_has_the_speed_of_ziolkowski() -> None:
    """Mass leaves at a rate r with a speed c against the rocket, which is a force r c: v = c ln(m0/m)."""
    rate, speed, h, count = 1.0, 3.0, 0.01, 100
    seen = moved(
        stepper(PUCK), ([0.0] * 3, [0.0] * 3), h, count, lambda t: {"m": 2 - rate * t}, rate * speed
    )  # fmt: skip
    assert seen.velocities[0, 0] == pytest.approx(speed * log(2), rel=2e-5)


def test_a_leaking_pendulum_swings_like_a_full_one() -> None:
    """What leaves with the velocity of its place takes its momentum along: weight and inertia keep their ratio."""
    rod, start = stepper(ROD), ([-1.0], [0.0])
    full, leaking = (moved(rod, start, 0.01, 60, law) for law in (lambda t: {}, lambda t: {"m": 2 - 1.5 * t}))
    assert full.attitudes[0, 0] == pytest.approx(leaking.attitudes[0, 0], abs=1e-12)
    assert leaking.forces[0] == pytest.approx(full.forces[0] * (2 - 1.5 * 0.6) / 2, rel=1e-10)
    assert rod.kinetic_energy(leaking, {"m": 1.1}) == pytest.approx(0.55 * rod.kinetic_energy(full), rel=1e-10)


def test_a_skater_keeps_her_angular_momentum() -> None:
    """Arms that are drawn in move within the body: -J' omega is a load, of the speed at the end of each step."""
    skater, h = stepper(PUCK), 0.02
    state = skater.start([0.0] * 3, [0.0, 0.0, 4.0], moment(skater, 0.15 * 4.0), {"J": 0.5})
    for k in range(50):
        now, moved = {"J": 0.5 - 0.15 * (k + 1) * h}, state
        for _ in range(6):
            speed = skater.observe(moved).angular_velocities[0, 0]
            moved, report = skater.advance(state, h, loads=moment(skater, 0.15 * speed), parameters=now)
            assert report.status == 0
        state = moved
    assert skater.observe(state).angular_velocities[0, 0] == pytest.approx(4.0 * 0.5 / 0.35, rel=1e-4)


def moment(steps: TransferMatrixStepper, size: float) -> np.ndarray:
    loads: np.ndarray = steps.nothing.copy()
    loads[0, 2] = size
    return loads


def test_lengths_and_what_is_unknown_are_refused() -> None:
    rod = stepper(ROD)
    state = rod.start([-1.0], [0.0])
    with pytest.raises(SimulationError, match="parameter 'l' cannot change: centres of mass or joints"):
        rod.advance(state, 0.01, parameters={"l": 0.9})
    with pytest.raises(SimulationError, match="Wilson's scheme holds the equations beyond the step, where parameters"):
        rod.advance(state, 0.01, scheme=Scheme("wilson"), parameters={"m": 1})

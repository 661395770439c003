"""Machines that are bundled, each against mechanics worked out here from the numbers of its file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator

import mbsym
from mbsym.reference import Reference

Array = np.ndarray[Any, Any]


def test_the_work_of_the_gas_is_what_the_crank_gives() -> None:
    """The area of the indicator diagram, by the crank's geometry and SciPy's curve, less what rubs off in two turns."""
    count, r, l, speed = 240, 0.05, 0.18, 100.0
    motion = mbsym.simulate("engine", 4 * np.pi / speed, output_step=4 * np.pi / speed / count)
    table = mbsym.load("engine").tables[0]
    angle = 0.5 + 4 * np.pi * np.arange(count) / count
    place = r * np.cos(angle) + np.sqrt(l**2 - (r * np.sin(angle)) ** 2)
    slope = -r * np.sin(angle) * (1 + r * np.cos(angle) / (place - r * np.cos(angle)))
    pressure = 42e5 * PchipInterpolator(table.x, table.y)((angle + 2 * np.pi) % (4 * np.pi) - 2 * np.pi)
    np.testing.assert_allclose(motion.y[:-1, 0], pressure, rtol=1e-9, atol=1e-9 * 42e5)
    np.testing.assert_allclose(motion.y[:-1, 1], 55e-6 + 0.005 * (r + l - place), rtol=1e-9)
    # Means over whole turns; what inertia and weight take in between comes back.
    gained = float(np.mean(-0.005 * pressure * slope))
    rubbed = float(np.mean(2 * speed * slope**2))
    assert gained > 30 * rubbed > 0
    assert np.mean(motion.y[:-1, 2]) == pytest.approx(rubbed - gained, rel=1e-8)


def test_the_torque_of_a_cam_is_spring_weight_and_second_derivative_of_its_table() -> None:
    speed, lift, mass = 300.0, 0.009, 0.12
    motion = mbsym.simulate("cam_valve", 2 * np.pi / speed, output_step=2 * np.pi / speed / 90)
    (table,) = mbsym.load("cam_valve").tables
    curve, angle = CubicSpline(table.x, table.y), speed * motion.t
    opening = lift * curve(np.cos(angle))
    rise = -lift * curve(np.cos(angle), 1) * np.sin(angle)
    bend = lift * (curve(np.cos(angle), 2) * np.sin(angle) ** 2 - curve(np.cos(angle), 1) * np.cos(angle))
    pressed = mass * bend * speed**2 + 32e3 * (opening + 0.01) - mass * 9.81
    np.testing.assert_allclose(motion.q[:, 1], opening, rtol=0, atol=1e-12)
    np.testing.assert_allclose(motion.y[:, 0], pressed * rise, rtol=0, atol=1e-10)
    assert pressed.min() > 0  # the valve never leaves the cam
    assert np.abs(mass * bend * speed**2).max() > 200  # and its inertia counts


def test_a_quadruped_stands_on_its_feet() -> None:
    """What the floor presses with, by how deep the feet are, carries the weight beneath the centre of mass."""
    found = mbsym.equilibrium("quadruped_on_ground", at={"q_floating_base_pz": 0.292}, starts=0)[0]
    mechanism = found.equations.mechanism
    reference = Reference(mechanism.model, mechanism.labelling)
    poses = reference.poses(found.q)
    feet = np.array(
        [
            (poses[mechanism.labelling.body_labels[f"{leg}_shank"] - 1] @ [0, 0, -0.2, 1])[:3]
            for leg in ("front_left", "front_right", "hind_left", "hind_right")
        ]
    )
    pressed = 30e3 * (0.022 - feet[:, 2])
    assert pressed.min() > 20
    weight = 13.72 * 9.81
    np.testing.assert_allclose(pressed.sum(), weight, rtol=1e-6)
    np.testing.assert_allclose(pressed @ feet[:, :2] / weight, reference.center_of_mass(found.q)[:2], atol=1e-6)


def turned(angle: float, along: float, across: float) -> Array:
    """A place in the plane x, z, from a body that is turned upwards."""
    return np.array([along * np.cos(angle) - across * np.sin(angle), along * np.sin(angle) + across * np.cos(angle)])


def excavator(boom: float, stick: float, rocker: float) -> tuple[Array, float]:
    """Lengths of the three cylinders, and the energy of all weights, of the angles from each body to the next."""
    foot = np.array([0.2, 1.1])
    elbow, lower = foot + turned(boom, 5.2, 0), boom + stick
    pivot, hinge = elbow + turned(lower, 2.25, 0), elbow + turned(lower, 2.7, 0)
    knuckle = pivot + turned(lower + rocker, 0.6, 0)
    # The lip of the bucket is 0.65 from the knuckle and |(0.1, 0.4)| from the hinge.
    span, arm = hinge - knuckle, np.hypot(0.1, 0.4)
    apart = np.hypot(*span)
    near = (0.65**2 - arm**2 + apart**2) / (2 * apart)
    ahead = span / apart
    lip = knuckle + near * ahead + np.sqrt(0.65**2 - near**2) * np.array([-ahead[1], ahead[0]])
    bucket = np.arctan2(*(lip - hinge)[::-1]) - np.arctan2(0.4, 0.1)
    ends = (
        (np.array([0.7, 0.7]), foot + turned(boom, 2.3, 0.5), 1.5, 1.2),
        (foot + turned(boom, 2.6, 0.8), elbow + turned(lower, -0.7, 0.15), 1.9, 1.4),
        (elbow + turned(lower, 0.3, 0.5), knuckle, 1.3, 1.0),
    )
    heights = [
        (1500, foot + turned(boom, 2.4, 0.35)),
        (800, elbow + turned(lower, 0.9, 0.15)),
        (1100, hinge + turned(bucket, 0.6, 0.1)),
        (60, pivot + turned(lower + rocker, 0.3, 0)),
        (70, knuckle + (lip - knuckle) * 0.3 / 0.65),
    ]
    lengths = []
    for base, pin, closed, stroke in ends:
        length = np.hypot(*(pin - base))
        lengths.append(length)
        heights += [
            (20, base + (pin - base) * closed / 2 / length),
            (12, pin - (pin - base) * stroke / 2 / length),
        ]
    return np.array(lengths), 9.81 * sum(mass * place[1] for mass, place in heights)


def test_pressures_of_an_excavator_at_rest_are_those_of_virtual_work() -> None:
    found = mbsym.equilibrium("hydraulic_excavator", free=["q_swing"], starts=0)[0]
    angles = found.q[[1, 2, 4]]
    lengths, _ = excavator(*angles)
    np.testing.assert_allclose(lengths - [1.5, 1.9, 1.3], found.q[[7, 9, 11]], atol=1e-9)
    head, ring = np.array([[200, 150, 90], [110, 80, 50]]) * 1e-4
    pushed = head * found.state.x[::3] - ring * found.state.x[1::3]
    for step in 1e-5 * np.eye(3):
        (ahead, above), (behind, below) = excavator(*(angles + step)), excavator(*(angles - step))
        np.testing.assert_allclose(pushed @ (ahead - behind), above - below, rtol=1e-7)

"""The bundled PUMA 560 reproduces the constants of its source.

Armstrong, Khatib, Burdick: The explicit dynamic model and inertial parameters of the PUMA 560 arm, 1986. Their gravity
torque of joint 2 is g1 C2 + g2 S23 + g3 S2 + g4 C23 + g5 (S23 C5 + C23 C4 S5), of joint 3 the same without the terms of
joint 2 alone, printed with three digits.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest

from mbsym import examples
from mbsym.reference.reference import Reference

G1, G2, G3, G4, G5 = -37.2, -8.44, 1.02, 0.249, -0.0282
MOTORS = (1.14, 4.71, 0.827, 0.2, 0.179, 0.193)


@pytest.mark.parametrize("seed", range(5))
def test_gravity_torques(seed: int) -> None:
    reference = Reference(examples.load("puma560"))
    q = np.random.default_rng(seed).uniform(-3, 3, 6)
    joint2, s23, c23 = q[1], sin(q[1] + q[2]), cos(q[1] + q[2])
    wrist = G5 * (s23 * cos(q[4]) + c23 * cos(q[3]) * sin(q[4]))
    expected3 = G2 * s23 + G4 * c23 + wrist
    expected2 = G1 * cos(joint2) + G3 * sin(joint2) + expected3
    torque = reference.gravity_force(q)
    # The printed constants carry three digits, and g = 9.8 where we take 9.81.
    assert torque[0] == pytest.approx(0, abs=1e-12)
    assert abs(torque[1]) == pytest.approx(abs(expected2), abs=0.1)
    assert abs(torque[2]) == pytest.approx(abs(expected3), abs=0.03)
    assert torque[1] * expected2 > 0 and torque[2] * expected3 > 0


def test_inertia_about_the_elbow() -> None:
    """M33 = Im3 + I6 + 2 I15 with I6 = 0.333 and I15 = 0.00125, at q4 = q5 = q6 = 0."""
    reference = Reference(examples.load("puma560"))
    M = reference.mass_matrix([0.3, -0.5, 0.7, 0, 0, 0])
    assert M[2, 2] == pytest.approx(MOTORS[2] + 0.333 + 2 * 0.00125, abs=0.005)


def test_inertia_about_the_shoulder_varies_with_the_elbow() -> None:
    """M22 varies with q3 by 2 I5 S3 + 2 I12 C3 with I5 = 0.372 and I12 = -0.011; M23 by half of it."""
    reference = Reference(examples.load("puma560"))

    def M(q3: float) -> np.ndarray:
        return np.asarray(reference.mass_matrix([0, 0, q3, 0, 0, 0]))

    straight, bent = M(-np.pi / 2), M(np.pi / 2)
    # I5 and, from the last link, I16 = 0.00124 at a wrist that is straight
    assert (bent - straight)[1, 1] == pytest.approx(4 * (0.372 + 0.00124), abs=0.004)
    assert (bent - straight)[1, 2] == pytest.approx(2 * (0.372 + 0.00124), abs=0.002)
    assert (M(0) - M(np.pi))[1, 1] == pytest.approx(4 * -0.011, abs=0.002)

"""Exciting motions: within limits everywhere, at rest at the ends, better than where the search began."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from mbsym import examples
from mbsym.cli.application import main
from mbsym.errors import IdentificationError
from mbsym.identification.estimate import estimate
from mbsym.identification.excitation import Excitation, Search, excite, limits_of
from mbsym.identification.measurements import Measurements
from mbsym.identification.options import Settings
from mbsym.identification.rows import regression_of
from mbsym.model.joint import Coupling
from mbsym.model.own_units import Units, in_units
from mbsym.model.system import Model
from mechanisms.measured import needed_forces, with_noise

SETTINGS = Settings(duration=6, harmonics=4, step=0.02)


def limited() -> Model:
    """A planar arm whose shoulder turns little, whose elbow is slow, and whose wrist stands aside."""
    model = examples.load("planar_3r")
    shoulder, elbow, wrist = model.joints
    joints = (
        replace(shoulder, lower=("-0.2",), upper=("0.3",)),
        replace(elbow, velocity=("0.4",)),
        replace(wrist, lower=("1",), upper=("2.5",)),
    )
    return replace(model, joints=joints)


@pytest.fixture(scope="module")
def motion() -> Excitation:
    return excite(limited(), SETTINGS)


def test_limits_hold_between_samples_too(motion: Excitation) -> None:
    """The series is evaluated at a thousand times as many points as it was fitted to."""
    spectrum = [np.fft.rfft(array[:-1], axis=0) for array in (motion.q, motion.v, motion.vdot)]
    dense = [np.fft.irfft(each * 50, n=50 * (len(motion.t) - 1), axis=0) for each in spectrum]
    q, v, vdot = dense
    limits = motion.limits
    assert np.allclose(limits.lower, (-0.2, -1, 1)) and np.allclose(limits.upper, (0.3, 1, 2.5))
    assert (q >= limits.lower).all() and (q <= limits.upper).all()
    assert (np.abs(v) <= limits.speed).all() and limits.speed[1] == 0.4
    assert (np.abs(vdot) <= limits.acceleration).all()
    reached = np.maximum(
        np.ptp(q, axis=0) / (limits.upper - limits.lower),
        np.maximum(np.abs(v).max(axis=0) / limits.speed, np.abs(vdot).max(axis=0) / limits.acceleration),
    )
    assert (reached > 0.98).all(), "each coordinate meets one of its limits"


def test_it_begins_and_ends_at_rest_and_is_one_motion(motion: Excitation) -> None:
    for array in (motion.v, motion.vdot):
        assert np.abs(array[[0, -1]]).max() < 1e-12
    assert np.allclose(np.gradient(motion.q, motion.t, axis=0)[5:-5], motion.v[5:-5], atol=0.01)
    assert np.allclose(np.gradient(motion.v, motion.t, axis=0)[5:-5], motion.vdot[5:-5], atol=0.05)


def test_the_search_makes_deviations_smaller(motion: Excitation) -> None:
    """Against a motion of a random shape within the same limits."""
    assert motion.condition < 0.6 * motion.before
    regression = regression_of(limited())
    search = Search(regression, limits_of(regression.mechanism, SETTINGS), SETTINGS)
    random = search.motion(np.random.default_rng(SETTINGS.seed).normal(size=search.size))
    worst = []
    for t, q, v, vdot in ((motion.t, motion.q, motion.v, motion.vdot), random):
        tau = needed_forces(regression.mechanism, q, v, vdot)
        data = Measurements(t, q, v, vdot, with_noise(tau, 0.01, 1), (0, 1, 2))
        found = estimate(regression.regressor(data.q, v, vdot), data.tau)
        worst.append(found.condition)
    assert worst[0] < worst[1]


@pytest.mark.parametrize("name", ["planar_3r", "puma560"])
def test_the_gradient_is_that_of_the_condition(name: str) -> None:
    regression = regression_of(examples.load(name))
    search = Search(regression, limits_of(regression.mechanism, SETTINGS), SETTINGS)
    rng = np.random.default_rng(3)
    shapes, direction = rng.normal(size=(2, search.size))
    _, gradient = search.cost(shapes)
    h = 1e-6
    slope = (search.cost(shapes + h * direction)[0] - search.cost(shapes - h * direction)[0]) / (2 * h)
    assert gradient @ direction == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_the_bound_of_speeds_holds_for_the_shape_that_is_fastest_at_one_time() -> None:
    """All harmonics in phase at a third of the period; each of them is below what the bound has for it."""
    regression = regression_of(examples.load("planar_3r"))
    search = Search(regression, limits_of(regression.mechanism, SETTINGS), SETTINGS)
    _, speeds, _ = search._basis(np.linspace(0.0, SETTINGS.duration, 301))
    own = speeds[100]
    fastest = np.abs(speeds @ own).max()
    assert fastest <= search._amplitude(own) < 2 * fastest


def test_no_more_speed_is_given_away_than_samples_can_miss() -> None:
    """Between samples a 64th of the shortest period apart: (2 pi/64)^2/8 of the amplitudes' sum.

    That sum is less than twice the fastest speed of this shape.
    """
    regression = regression_of(limited())
    limits = limits_of(regression.mechanism, SETTINGS)
    search = Search(regression, limits, SETTINGS)
    _, speeds, _ = search._basis(np.linspace(0.0, SETTINGS.duration, 3001))
    own = speeds[1000]
    scale, _ = search._bounded_scale(1, own)  # the slow elbow
    reached = scale * np.abs(speeds @ own).max() / limits.speed[1]
    assert 1 - 2 * (2 * np.pi / 64) ** 2 / 8 < reached <= 1


def test_limits_of_a_follower_bind_its_source() -> None:
    model = limited()
    geared = replace(model, couplings=(Coupling("wrist", "elbow", 2, 0.5),))
    limits = limits_of(regression_of(geared).mechanism, SETTINGS)
    assert np.allclose(limits.lower, (-0.2, 0.25)) and np.allclose(limits.upper, (0.3, 1.0))


def test_a_small_mechanism_moves_by_its_own_lengths() -> None:
    """A pole of half a millimetre on a rail for which the model states no limits."""
    small = in_units(examples.load("cart_pole"), Units(Fraction(1000)))
    limits = limits_of(regression_of(small).mechanism, SETTINGS)
    assert np.allclose(limits.upper, (1e-3, 1.0), rtol=1e-12) and np.allclose(limits.speed, (2e-3, 2.0), rtol=1e-12)
    narrow = replace(small, joints=(replace(small.joints[0], lower=("0",), upper=("1e-8",)), small.joints[1]))
    assert limits_of(regression_of(narrow).mechanism, SETTINGS).upper[0] == 1e-8


def test_what_cannot_be_excited_is_said() -> None:
    model = limited()
    shut = replace(model, joints=(replace(model.joints[0], lower=("0.3",)), *model.joints[1:]))
    with pytest.raises(IdentificationError, match=r"q_shoulder has no room between its limits 0\.3 and 0\.3"):
        excite(shut, SETTINGS)
    slow = replace(model, joints=(model.joints[0], replace(model.joints[1], velocity=("0",)), model.joints[2]))
    with pytest.raises(IdentificationError, match="v_elbow may not be more than 0"):
        excite(slow, SETTINGS)
    with pytest.raises(IdentificationError, match="closed loops do not let each coordinate"):
        excite("rhombus_planar", SETTINGS)
    with pytest.raises(IdentificationError, match="are no sums of harmonics"):
        excite("spinning_top", SETTINGS)
    for wrong, what in (
        (replace(SETTINGS, harmonics=1), "1 harmonics do not begin and end at rest"),
        (replace(SETTINGS, duration=-1), "-1 is no duration"),
        (replace(SETTINGS, seed=-1), "-1 is no seed"),
        (replace(SETTINGS, step=1e-9), "samples are more than 1e"),
        (replace(SETTINGS, step=1.0), "do not follow a period of 1.5 s"),
    ):
        with pytest.raises(IdentificationError, match=what):
            excite(model, wrong)


def test_the_command_line_writes_the_motion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "motion.csv"
    words = ["identify", "double_pendulum", "--excite", "--duration", "4", "--harmonics", "3", "-o", str(path)]
    assert main(words) == 0
    assert "condition" in capsys.readouterr().out
    lines = path.read_text().splitlines()
    assert lines[1].split(",")[:2] == ["t [s]", "q_upper [rad]"] or lines[1].startswith("t [s],q_")
    assert len(lines) == 2 + 401
    assert main([*words, "--json"]) == 0
    assert '"condition"' in capsys.readouterr().out
    assert main([*words[:-1], str(tmp_path / "motion.yaml")]) == 2
    assert main(["identify", "double_pendulum", str(path), "--excite"]) == 2
    capsys.readouterr()

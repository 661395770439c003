"""Pieces of identification on what is known beforehand: filters, units that are suspected, bodies that are possible."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mbsym import examples
from mbsym.errors import IdentificationError
from mbsym.identification.consistent import consistent_parameters, pseudo_inertia
from mbsym.identification.identify import ESTIMATED, identify
from mbsym.identification.measurements import Measurements, read_measurements
from mbsym.identification.rows import Regression, regression_of
from mbsym.identification.smoothing import Motion, motion_of
from mbsym.regressors.parameters import standard_parameters
from mechanisms.measured import measured, write_table


@pytest.fixture(scope="module")
def planar() -> Regression:
    return regression_of(examples.load("planar_3r"))


@pytest.mark.parametrize(("cutoff", "repeated"), [(0.0, 1.0), (10.0, 5.0), (100.0, 1.0)])
def test_filters_leave_fewer_samples_that_are_independent(cutoff: float, repeated: float) -> None:
    """Of samples every 10 ms a filter at 10 Hz leaves two a tenth of a second."""
    motion = Motion(0.01 * np.arange(4), *(np.zeros((4, 1)) for _ in range(4)), cutoff)
    assert motion.repeated == pytest.approx(repeated, rel=1e-12)
    part = motion.part(slice(1, 3))
    assert (part.t.tolist(), len(part.tau), part.cutoff) == ([0.01, 0.02], 2, cutoff)


def test_a_swing_comes_through_the_filters(planar: Regression) -> None:
    """One sine of 1 Hz for ten seconds: five times that is the cut-off; its slope and curvature are known."""
    t = 0.005 * np.arange(2000)
    q = np.column_stack([np.sin(2 * np.pi * t)] * 3)
    data = Measurements(t, q, None, None, 0 * q, (0, 1, 2))
    assert data.step == pytest.approx(0.005, rel=1e-12)
    found = motion_of(data, planar.mechanism)
    assert found.cutoff == pytest.approx(5.0, rel=0.02)
    middle = slice(300, -300)
    w, at = 2 * np.pi, found.t[middle]
    # Filters of fourth order take (1/5)^8 of a swing at a fifth of the cut-off, twice; differences (w h)^2/6.
    assert np.abs(found.q[middle, 0] - np.sin(w * at)).max() < 1e-4
    assert np.abs(found.v[middle, 0] - w * np.cos(w * at)).max() < 1e-3 * w
    assert np.abs(found.vdot[middle, 0] + w * w * np.sin(w * at)).max() < 1e-3 * w * w


@pytest.mark.parametrize(("limit", "is_suspected"), [(("-0.5",), True), (("-20",), False), ((), False)])
def test_limits_of_joints_say_what_looks_like_degrees(tmp_path: Path, limit: tuple[str], is_suspected: bool) -> None:
    """Beyond three times its limits a joint is taken to be given in degrees; without limits beyond ten turns."""
    model = examples.load("planar_3r")
    upper = ("0.4",) if limit else ()
    joints = tuple(replace(joint, lower=limit, upper=upper) for joint in model.joints)
    regression = regression_of(replace(model, joints=joints))
    data = measured(regression)
    path = write_table(tmp_path / "motion.csv", regression.mechanism, replace(data, q=data.q + 4.0))
    if is_suspected:
        with pytest.raises(IdentificationError, match="which looks like degrees"):
            read_measurements(path, regression.mechanism)
    else:
        assert read_measurements(path, regression.mechanism).q.max() > 4


def test_second_moments_of_particles() -> None:
    """Three particles: the matrix of their second moments in homogeneous coordinates."""
    masses, places = np.array([2.0, 3.0, 5.0]), np.array([[1.0, 0, 3], [0, -2, 1], [1, 1, -1]])
    h = masses @ places
    inertia = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, places, strict=True))
    ten = [masses.sum(), *h, *np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    homogeneous = np.column_stack([places, np.ones(3)])
    assert np.allclose(pseudo_inertia(np.array(ten)), homogeneous.T @ np.diag(masses) @ homogeneous, rtol=0, atol=1e-13)


def test_what_is_possible_and_sure_is_taken_as_it_is() -> None:
    """A mass that is well known, others as the model has them."""
    model = examples.load("spinning_top")
    columns = standard_parameters(model)
    own = np.array([item.value for item in columns])
    matrix = np.eye(len(columns))[:1]
    found = consistent_parameters(model, columns, matrix, 1.1 * own[:1], np.array([[1e-12]]))
    assert found[0] == pytest.approx(1.1 * own[0], rel=1e-6)
    assert np.linalg.eigvalsh(pseudo_inertia(found[:10]))[0] > 0
    assert np.abs(found - own).max() < 0.2 * np.abs(own).max()


def test_errors_are_root_mean_squares_of_what_is_left(planar: Regression) -> None:
    found = identify("planar_3r", measured(planar), held_back=0.25)
    assert found.kept == 450
    left = found.measured - found.predicted[ESTIMATED]
    for held_back, rows in ((False, slice(0, 450)), (True, slice(450, None))):
        expected = np.sqrt(np.mean(left[rows] ** 2, axis=0))
        assert found.errors(ESTIMATED, held_back=held_back) == pytest.approx(expected, rel=1e-12)
    assert found.remarks == ()
    filtered = identify("planar_3r", replace(measured(planar), vdot=None))
    assert filtered.remarks[0] == "vdot by central differences"
    assert f"cut-off frequency of {filtered.motion.cutoff:.4g} Hz" in filtered.remarks[1]

"""Pieces of identification on what is known beforehand: filters, units that are suspected, bodies that are possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.errors import IdentificationError
from mbsym.identification import consistent
from mbsym.identification.consistent import consistent_parameters, pseudo_inertia
from mbsym.identification.identify import ESTIMATED, identify
from mbsym.identification.measurements import Measurements, read_measurements
from mbsym.identification.report import summary
from mbsym.identification.rows import Regression, regression_of
from mbsym.identification.smoothing import Motion, motion_of
from mbsym.regressors.parameters import standard_parameters
from mechanisms.measured import measured, needed_forces, write_table
from mechanisms.mechanism import mechanism_of
from mechanisms.one_joint import one_joint

Edit = Callable[[list[list[str]]], object]


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


@pytest.mark.parametrize(("change", "what"), [
    (lambda rows: rows[0].append("q_shoulder"), "there are two columns q_shoulder"),
    (lambda rows: rows[30].__setitem__(1, "far"), r"csv:31: .*has no 10 finite numbers"),
    (lambda rows: rows[30].__setitem__(1, "1" * 140000), r"csv:31: .*this is no table: field larger than field limit"),
    (lambda rows: rows[30].__setitem__(0, "0.2906"), r"steps differ, from 0\.0094 to 0\.0106 s"),
    (lambda rows: rows[30].__setitem__(0, "0.27"), r"time does not go on after t = 0\.28"),
])  # fmt: skip
def test_tables_that_are_none_say_where(planar: Regression, tmp_path: Path, change: Edit, what: str) -> None:
    path = write_table(tmp_path / "motion.csv", planar.mechanism, measured(planar, samples=60), "v")
    rows = [line.split(",") for line in path.read_text().splitlines()]
    change(rows)
    path.write_text("\n".join(",".join(row) for row in rows))
    with pytest.raises(IdentificationError, match=what):
        read_measurements(path, planar.mechanism)
    with pytest.raises(IdentificationError, match="cannot be read"):
        read_measurements(tmp_path / "none.csv", planar.mechanism)


def test_speeds_of_a_quaternion_are_not_differentiated() -> None:
    top = mechanism_of(examples.load("spinning_top"))
    t = 0.01 * np.arange(100)
    data = Measurements(t, np.tile([1.0, 0, 0, 0], (100, 1)), None, None, np.zeros((100, 3)), (0, 1, 2))
    with pytest.raises(IdentificationError, match="speeds of joints with quaternions cannot be differentiated"):
        motion_of(data, top)


def test_motors_must_drive_the_loops() -> None:
    """As many as there are freedoms; closure rows that hold the motor itself leave a motion that it does not drive."""
    model = examples.load("four_bar")
    every = tuple(replace(joint, actuated=joint.name != "D") for joint in model.joints)
    with pytest.raises(IdentificationError, match="the loops leave 1 freedoms, and 3 joints are actuated"):
        regression_of(replace(model, joints=every))
    regression = regression_of(model)
    (motor,), nv = regression.forces, regression.mechanism.nv
    still = np.zeros((1, nv))
    assert regression.regressor(still + 0.5, still, still).shape == (1, 1, len(regression.found))
    held = np.eye(nv)[[k for k in range(nv) if k == motor or k == (motor + 1) % nv]]
    with pytest.raises(IdentificationError, match="in some samples the motors do not drive the loops"):
        regression._free(held[None], 1)


def test_a_joint_that_stands_still_tells_nothing_of_its_damper() -> None:
    model = examples.load("planar_3r")
    damped = replace(model, forces=(*model.forces, mbsym.JointDamper("grease", model.joints[2].name, "0.1")))
    regression = regression_of(damped)
    data = measured(regression, samples=100, noise=0.0)
    q, v, vdot = (np.where(np.arange(3) == 2, 0.0, each) for each in (data.q, data.v, data.vdot))
    tau = needed_forces(regression.mechanism, q, v, vdot)
    text = summary(identify(damped, replace(data, q=q, v=v, vdot=vdot, tau=tau)))
    assert "grease_damping shows in none of the forces: the motion does not excite it\n" in text


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


def test_what_must_be_positive_and_what_need_not_weigh_as_stated() -> None:
    """Misfit (x - y)^2/(2 s^2), and for what the model has 0.01 (x/a - ln(x/a)) or 0.01 (x - a)^2/(2 a^2), by hand."""
    forces = mbsym.JointDamper("d", "j", "0.3"), mbsym.AppliedWrench("w", "b", force=(2, 0, 0))
    model = replace(one_joint(axis=(0, 1, 0), armature="0.2"), forces=forces)
    columns = standard_parameters(model)
    places = [[item.name for item in columns].index(name) for name in ("j_armature", "d_damping", "w_force_x")]
    own, values, sizes = [0.2, 0.3, 2.0], np.array([-0.1, 0.5, -3.0]), np.array([0.05, 0.1, 1.0])
    found = consistent_parameters(model, columns, np.eye(len(columns))[places], values, np.diag(sizes**2))[places]
    expected = []
    for a, y, s in zip(own[:2], values, sizes, strict=False):
        # x^2/s^2 + (0.01/a - y/s^2) x - 0.01 = 0, and the root above zero.
        half = (0.01 / a - y / s**2) * s**2 / 2
        expected.append(-half + sqrt(half**2 + 0.01 * s**2))
    expected.append((-3.0 + 0.01 * 2.0 / 4.0) / (1.0 + 0.01 / 4.0))
    # The search ends where a step gains a part of 1e-10 of the cost, which leaves the root of that.
    assert found == pytest.approx(expected, rel=1e-4)


def test_newton_steps_that_do_not_settle_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistent, "_STEPS", 0)
    model = examples.load("spinning_top")
    columns = standard_parameters(model)
    with pytest.raises(IdentificationError, match="no physically consistent parameters were found"):
        consistent_parameters(model, columns, np.eye(len(columns))[:1], np.ones(1), np.eye(1))


def test_errors_are_root_mean_squares_of_what_is_left(planar: Regression) -> None:
    found = identify("planar_3r", measured(planar), held_back=0.25)
    assert found.kept == 450 and repr(found) == "<Identification of 'planar_3r': 7 of 7 base parameters>"
    left = found.measured - found.predicted[ESTIMATED]
    for held_back, rows in ((False, slice(0, 450)), (True, slice(450, None))):
        expected = np.sqrt(np.mean(left[rows] ** 2, axis=0))
        assert found.errors(ESTIMATED, held_back=held_back) == pytest.approx(expected, rel=1e-12)
    assert found.remarks == ()
    filtered = identify("planar_3r", replace(measured(planar), vdot=None))
    assert filtered.remarks[0] == "vdot by central differences"
    assert f"cut-off frequency of {filtered.motion.cutoff:.4g} Hz" in filtered.remarks[1]

"""Identification: what is put in comes out within what is stated, what cannot be told is said, bad data are named."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from mbsym import examples
from mbsym.cli.application import main
from mbsym.errors import IdentificationError
from mbsym.forces.joint_force import JointForce
from mbsym.formats.registry import load
from mbsym.identification.consistent import consistent_parameters, pseudo_inertia
from mbsym.identification.estimate import estimate
from mbsym.identification.identify import CONSISTENT, ESTIMATED, GIVEN, identify
from mbsym.identification.measurements import Measurements, column_names, read_measurements
from mbsym.identification.report import summary
from mbsym.identification.rows import Regression, regression_of
from mbsym.identification.smoothing import motion_of
from mbsym.model.own_units import Units, in_units
from mbsym.pipeline import GenerationOptions, express
from mbsym.regressors.parameters import parameter_units, standard_parameters, with_values
from mbsym.values.parameter import ControlInput
from mechanisms.looped_systems import looped_system
from mechanisms.measured import measured, needed_forces, swinging, with_noise, write_table


@pytest.fixture(scope="module")
def arm() -> Regression:
    return regression_of(examples.load("puma560"))


@pytest.fixture(scope="module")
def planar() -> Regression:
    return regression_of(examples.load("planar_3r"))


def test_base_parameters_of_an_arm_come_out_within_their_deviations(arm: Regression) -> None:
    """1 % noise, ten runs: all 40 parameters within the 99 % ellipsoid, and single ones as often as normal errors are.

    ``tests/benchmarks/identified_arm.py`` does a thousand.
    """
    data = measured(arm, noise=0.0)
    regressor, forces = arm.rows(motion_of(data, arm.mechanism))
    true, levels, near = arm.found.values(), [], []
    for seed in range(10):
        found = estimate(regressor, with_noise(forces, 0.01, seed))
        levels.append(found.level_of(true))
        near.append(np.mean(np.abs(found.values - true) < 2 * found.deviations))
    assert max(levels) < 0.99
    assert min(levels) < 0.9, "and the ellipsoid is no larger than it need be"
    assert 0.90 < np.mean(near) < 0.99, "deviations are neither too small nor too large: 0.954"


def test_short_records_have_larger_deviations(planar: Regression) -> None:
    """Twelve samples of three forces for seven parameters: weights from so few are uncertain, and that is counted.

    Of 400 records 95 % +- 3 deviations of a binomial (1.1 %) lie within the ellipsoid; the chi squared of certain
    weights has 86 %.
    """
    data = measured(planar, noise=0.0, samples=12, step=0.5)
    regressor, forces = planar.rows(motion_of(data, planar.mechanism))
    true = planar.found.values()
    found = [estimate(regressor, with_noise(forces, 0.01, seed)) for seed in range(400)]
    assert abs(np.mean([each.level_of(true) < 0.95 for each in found]) - 0.95) < 0.033
    assert abs(np.mean([each.level_of(true) < 0.5 for each in found]) - 0.5) < 0.075
    assert np.isnan(estimate(regressor[:3], forces[:3]).level_of(true))


def test_without_noise_parameters_come_out_exactly(arm: Regression) -> None:
    data = measured(arm, noise=0.0)
    regressor, forces = arm.rows(motion_of(data, arm.mechanism))
    assert np.allclose(forces, regressor @ arm.found.values(), rtol=1e-10, atol=1e-10)
    found = estimate(regressor, forces)
    assert np.allclose(found.values, arm.found.values(), rtol=1e-6, atol=1e-8)
    assert not found.grouped


def test_another_arm_is_told_from_the_one_assumed(planar: Regression) -> None:
    """The model is twice as heavy as what was measured; consistent parameters predict what was held back."""
    model = examples.load("planar_3r")
    doubled = with_values(
        model,
        {item.name: 2 * item.value for item in standard_parameters(model) if item.kind == "inertial"},
    )
    found = identify(doubled, measured(planar))
    errors = {by: float(found.errors(by, held_back=True).max()) for by in (ESTIMATED, CONSISTENT, GIVEN)}
    assert errors[ESTIMATED] < 0.05 * errors[GIVEN]
    assert errors[CONSISTENT] < 1.1 * errors[ESTIMATED]
    values = {item.name: item.value for item in standard_parameters(found.model)}
    for body in ("link1", "link2", "link3"):
        ten = np.array([values[item.name] for item in standard_parameters(model) if item.owner == body])
        assert np.linalg.eigvalsh(pseudo_inertia(ten))[0] > 0
    base = regression_of(found.model).found.values()
    assert np.abs(base - planar.found.values()).max() < 4 * found.estimate.deviations.max()


@pytest.mark.parametrize(("length", "mass"), [("1e-4", "1e-9"), ("1000", "1e6")])
def test_consistent_parameters_do_not_depend_on_the_size_of_the_arm(length: str, mass: str) -> None:
    """A watch and a crane that fall alike, each in its own time, have the same parameters in their own units."""
    found, plain = [], examples.load("planar_3r")
    other = in_units(plain, Units(1 / Fraction(length), 1 / Fraction(mass)))
    for model, unit in ((plain, 1.0), (replace(other, gravity=plain.gravity), float(length))):
        regression = regression_of(model)
        t, q, v, vdot = swinging(3)
        given = q, v / sqrt(unit), vdot / unit
        tau = with_noise(needed_forces(regression.mechanism, *given), 0.01, 1)
        heavy = {item.name: 1.5 * item.value for item in standard_parameters(model) if item.kind == "inertial"}
        found.append(identify(with_values(model, heavy), Measurements(t * sqrt(unit), *given, tau, (0, 1, 2))))
    errors = {by: float(found[1].errors(by, held_back=True).max()) for by in (ESTIMATED, CONSISTENT)}
    assert errors[CONSISTENT] < 1.1 * errors[ESTIMATED]
    units = np.array(parameter_units(plain, Units(Fraction(length), Fraction(mass))), dtype=float)
    # Both searches end where a step gains a part of 1e-10, which moves what nothing holds but the model by its root.
    off = np.abs(found[1].standard / units - found[0].standard)
    assert off.max() < 1e-3 * np.abs(found[0].standard).max()


def test_consistent_parameters_are_possible_where_the_estimate_is_not() -> None:
    """A moment of inertia estimated below zero."""
    model = examples.load("spinning_top")
    columns = standard_parameters(model)
    matrix = np.zeros((1, len(columns)))
    matrix[0, 6] = 1.0
    found = consistent_parameters(model, columns, matrix, np.array([-0.5]), np.array([[1e-4]]))
    assert np.linalg.eigvalsh(pseudo_inertia(found))[0] > 0
    assert 0 < found[6] < columns[6].value


def test_closed_loops_are_identified_from_their_motors() -> None:
    """A five-bar at random closed states: two motors, and what they accelerate by constrained dynamics."""
    regression = regression_of(examples.load("five_bar"))
    mechanism, loops = regression.mechanism, regression.loops
    assert loops is not None and len(regression.forces) == 2
    system, rng = looped_system(mechanism), np.random.default_rng(0)
    samples = []
    while len(samples) < 60:
        closed = system.project_position(np.array(loops.configuration) + rng.uniform(-0.5, 0.5, mechanism.nq))
        if not closed.converged:
            continue
        v = system.project_velocity(closed.q, rng.uniform(-2, 2, mechanism.nv))
        tau = np.zeros(mechanism.nv)
        tau[list(regression.forces)] = rng.uniform(-3, 3, 2)
        samples.append((closed.q, v, system.accelerate(closed.q, v, tau).vdot, tau))
    q, v, vdot, tau = (np.array(arrays) for arrays in zip(*samples, strict=True))
    data = Measurements(np.arange(len(q)) * 0.01, q, v, vdot, tau, regression.forces)
    regressor, forces = regression.rows(motion_of(data, mechanism))
    assert np.allclose(regressor @ regression.found.values(), forces, atol=1e-8)
    found = estimate(regressor, forces)
    assert np.allclose(found.values, regression.found.values(), atol=1e-6)
    other = identify(examples.load("five_bar"), data)
    assert other.errors(ESTIMATED, held_back=True).max() < 1e-6


def test_laws_that_the_model_knows_are_taken_off() -> None:
    """A hardening spring and a law that takes an input, which the measured forces hold already."""
    model = examples.load("planar_3r")
    spring = JointForce("hardening", "elbow", "-20*q_elbow**3 - 3*v_elbow*q_elbow")
    motor = JointForce("motor", "wrist", "5*drive")
    whole = express(replace(model, forces=(spring,)), GenerationOptions())
    t, q, v, vdot = swinging(3)
    data = Measurements(t, q, v, vdot, needed_forces(whole, q, v, vdot), (0, 1, 2))
    found = identify(replace(model, forces=(spring, motor), inputs=(ControlInput("drive", "N m"),)), data)
    assert found.remarks == ("forces of hardening as the model has them, taken off the measured ones",)
    assert np.allclose(found.estimate.values, found.regression.found.values(), atol=1e-9)
    assert found.errors(GIVEN, held_back=True).max() < 1e-9


def test_parameters_that_a_motion_does_not_excite_are_named(planar: Regression) -> None:
    t, q, v, vdot = swinging(3)
    for array in (q, v, vdot):
        array[:, 1:] = 0.0
    tau = with_noise(needed_forces(planar.mechanism, q, v, vdot), 0.01, 3)
    found = identify(examples.load("planar_3r"), Measurements(t, q, v, vdot, tau, (0, 1, 2)))
    names = {found.regression.found.base[k].name for k in found.estimate.grouped}
    assert names
    assert any("cannot be told from" in line or "does not excite" in line for line in summary(found).splitlines())
    combined = found.estimate
    told = found.regression.found.values()
    for k in combined.told:
        expected = told[k] + sum(share.get(k, 0.0) * told[j] for j, share in combined.grouped.items())
        assert abs(combined.values[k] - expected) < 4 * combined.deviations[k]


def test_speeds_and_accelerations_are_found_by_filters(planar: Regression, tmp_path: Path) -> None:
    data = measured(planar, noise=0.001)
    path = write_table(tmp_path / "motion.csv", planar.mechanism, data)
    read = read_measurements(path, planar.mechanism)
    assert read.v is None and read.vdot is None
    motion = motion_of(read, planar.mechanism)
    first = round((motion.t[0] - data.t[0]) / data.step)
    assert data.v is not None and data.vdot is not None
    assert np.abs(motion.v - data.v[first : first + len(motion.t)]).max() < 0.02 * np.abs(data.v).max()
    assert np.abs(motion.vdot - data.vdot[first : first + len(motion.t)]).max() < 0.05 * np.abs(data.vdot).max()
    assert motion.repeated > 1
    with pytest.raises(IdentificationError, match="a cut-off frequency of 60 Hz cannot be had from 100"):
        motion_of(read, planar.mechanism, cutoff=60.0)


def test_joints_that_stand_still_leave_the_cut_off_to_the_others(planar: Regression) -> None:
    """Noise of a joint that stands has power at all frequencies, and none at all has no frequency."""
    data = replace(measured(planar), v=None, vdot=None)
    usual = motion_of(replace(data, q=data.q[:, [0, 1, 1]]), planar.mechanism).cutoff
    for held in (np.zeros(len(data.t)), 1e-5 * np.random.default_rng(0).normal(size=len(data.t))):
        still = replace(data, q=np.column_stack([data.q[:, :2], 0.3 + held]))
        assert motion_of(still, planar.mechanism).cutoff == usual
    assert motion_of(replace(data, q=np.zeros_like(data.q)), planar.mechanism).cutoff < usual


# ---- data that are wrong ---------------------------------------------------------------------------------------------


def spoilt(path: Path, line: int, text: str) -> Path:
    lines = path.read_text().splitlines()
    lines[line] = text
    path.write_text("\n".join(lines) + "\n")
    return path


def test_missing_columns_are_named_with_those_that_are_there(planar: Regression, tmp_path: Path) -> None:
    path = write_table(tmp_path / "motion.csv", planar.mechanism, measured(planar))
    header = path.read_text().splitlines()[0]
    spoilt(path, 0, header.replace("tau_elbow", "torque2"))
    with pytest.raises(IdentificationError, match="there is no column tau_elbow") as caught:
        read_measurements(path, planar.mechanism)
    assert "torque2" in str(caught.value.remedy)


def test_gaps_have_their_place(planar: Regression, tmp_path: Path) -> None:
    path = write_table(tmp_path / "motion.csv", planar.mechanism, measured(planar))
    row = path.read_text().splitlines()[7]
    with pytest.raises(IdentificationError, match=r"motion\.csv:8: has no 7 finite numbers"):
        read_measurements(spoilt(path, 7, row.replace(row.split(",")[2], "nan")), planar.mechanism)
    path = write_table(tmp_path / "motion.csv", planar.mechanism, measured(planar))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:20], *lines[30:]]) + "\n")
    with pytest.raises(IdentificationError, match=r"a gap of 0\.11 s after t = 0\.18 s"):
        read_measurements(path, planar.mechanism)
    path.write_text("\n".join([*lines[:20], lines[19], *lines[20:]]) + "\n")
    with pytest.raises(IdentificationError, match=r"time does not go on after t = 0\.18"):
        read_measurements(path, planar.mechanism)
    path.write_text("\n".join(lines[:5]) + "\n")
    with pytest.raises(IdentificationError, match="has 4 lines of numbers"):
        read_measurements(path, planar.mechanism)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"q": 180 / np.pi}, "q_shoulder looks like degrees beside v_shoulder"),
        ({"v": 180 / np.pi}, "v_shoulder looks like degrees per second beside q_shoulder"),
        ({"t": 1000.0}, "t looks like milliseconds"),
        ({"q": 180 / np.pi, "v": 180 / np.pi, "vdot": 180 / np.pi}, "which looks like degrees"),
    ],
)
def test_wrong_units_are_suspected(planar: Regression, tmp_path: Path, change: dict[str, float], what: str) -> None:
    data = measured(planar, size=2.0)
    data = replace(data, **{name: factor * getattr(data, name) for name, factor in change.items()})
    path = write_table(tmp_path / "motion.csv", planar.mechanism, data, "v", "vdot")
    with pytest.raises(IdentificationError, match=what):
        read_measurements(path, planar.mechanism)


def test_noise_of_a_joint_that_stands_still_has_no_units(planar: Regression, tmp_path: Path) -> None:
    """Speeds that are a thousandth of the differences of coordinates by chance; correlated ones are told as ever."""
    data, noise = measured(planar), np.random.default_rng(0).normal(size=(2, 600))
    assert data.v is not None
    q, v = data.q.copy(), data.v.copy()
    q[:, 1] = 0.3 + 1e-4 * noise[0]
    slope = np.gradient(q[:, 1], data.t)
    v[:, 1] = 1e-3 * slope + 1e-3 * (noise[1] - slope * (noise[1] @ slope) / (slope @ slope))
    path = write_table(tmp_path / "motion.csv", planar.mechanism, replace(data, q=q, v=v), "v")
    assert np.allclose(read_measurements(path, planar.mechanism).q, q, atol=1e-9)
    path = write_table(tmp_path / "motion.csv", planar.mechanism, replace(data, v=1e-3 * data.v), "v")
    with pytest.raises(IdentificationError, match="v_shoulder looks a thousand times too small"):
        read_measurements(path, planar.mechanism)


def test_wheels_turn_far_where_the_header_says_radians(planar: Regression, tmp_path: Path) -> None:
    data = measured(planar)
    path = write_table(tmp_path / "motion.csv", planar.mechanism, replace(data, q=data.q + 1000.0))
    with pytest.raises(IdentificationError, match="which looks like degrees") as caught:
        read_measurements(path, planar.mechanism)
    assert "NAME [rad]" in str(caught.value.remedy)
    header = ",".join(
        f"{name} [rad]" if name[0] == "q" else name for name in path.read_text().splitlines()[0].split(",")
    )
    assert read_measurements(spoilt(path, 0, header), planar.mechanism).q.min() > 900


def test_a_floating_base_needs_no_forces(tmp_path: Path) -> None:
    """They are zero; all else of the table is asked for."""
    regression = regression_of(examples.load("floating_two_arm"))
    mechanism = regression.mechanism
    names = column_names(mechanism)
    free = next(range(*body.v_range) for body in mechanism.bodies if body.joint.kind.is_unbound)
    own = [name for k, name in enumerate(names.tau) if k not in free]
    header = ["t", *names.q, *names.v, *names.vdot, *own]
    rows = np.random.default_rng(0).uniform(-1, 1, (20, len(header)))
    rows[:, 0] = np.arange(20) * 0.1
    path = tmp_path / "motion.csv"
    np.savetxt(path, rows, delimiter=",", header=",".join(header), comments="")
    found = read_measurements(path, mechanism)
    assert not found.tau[:, list(free)].any() and len(found.forces) == mechanism.nv - 6
    path.write_text(path.read_text().replace(header[1], header[2], 1))
    with pytest.raises(IdentificationError, match=f"there are two columns {header[2]}"):
        read_measurements(path, mechanism)


def test_degrees_that_the_header_states_are_taken(planar: Regression, tmp_path: Path) -> None:
    data = measured(planar)
    path = write_table(tmp_path / "motion.csv", planar.mechanism, replace(data, q=data.q * 180 / np.pi))
    header = path.read_text().splitlines()[0]
    for joint in ("shoulder", "elbow", "wrist"):
        header = header.replace(f"q_{joint},", f"q_{joint} [deg],")
    found = read_measurements(spoilt(path, 0, header), planar.mechanism)
    assert np.allclose(found.q, data.q, atol=1e-8)
    assert "q_shoulder was given in deg" in found.remarks


@pytest.mark.parametrize(("name", "unit"), [("t", "ms"), ("q_elbow", "mm"), ("tau_elbow", "kN m")])
def test_other_units_in_the_header_are_refused(planar: Regression, tmp_path: Path, name: str, unit: str) -> None:
    path = write_table(tmp_path / "motion.csv", planar.mechanism, measured(planar))
    names = path.read_text().splitlines()[0].split(",")
    spoilt(path, 0, ",".join(f"{each} [{unit}]" if each == name else each for each in names))
    with pytest.raises(IdentificationError, match=f"{name} is given in {unit}, which is not"):
        read_measurements(path, planar.mechanism)


def test_tables_too_short_to_filter_are_refused(planar: Regression, tmp_path: Path) -> None:
    path = write_table(tmp_path / "motion.csv", planar.mechanism, measured(planar))
    path.write_text("\n".join(path.read_text().splitlines()[:13]) + "\n")
    with pytest.raises(IdentificationError, match="12 samples are too few for filters"):
        motion_of(read_measurements(path, planar.mechanism), planar.mechanism)


def test_nearly_all_held_back_is_told_as_such(planar: Regression) -> None:
    with pytest.raises(IdentificationError, match=r"of 600 samples 1 are left, too few for 7 parameters") as caught:
        identify("planar_3r", measured(planar), held_back=0.999)
    assert "`hold_back`" in str(caught.value)


def test_data_that_tell_nothing_are_refused(planar: Regression) -> None:
    with pytest.raises(IdentificationError, match="2 samples of 3 forces are too few"):
        estimate(np.random.default_rng(0).normal(size=(2, 3, 7)), np.zeros((2, 3)), "here")
    with pytest.raises(IdentificationError, match="no parameter shows in the data"):
        estimate(np.zeros((20, 3, 7)), np.zeros((20, 3)))


# ---- the command line ------------------------------------------------------------------------------------------------


def test_the_command_line_writes_a_model_and_a_page(
    planar: Regression, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(write_table(tmp_path / "motion.csv", planar.mechanism, measured(planar), "v", "vdot"))
    model, page = tmp_path / "found.yaml", tmp_path / "found.html"
    assert main(["identify", "planar_3r", data, "-o", str(model), "--report", str(page)]) == 0
    text = capsys.readouterr().out
    assert "planar_3r: 7 of 7 base parameters from 450 samples of 3 forces" in text
    assert "estimate, held back" in text
    read = regression_of(load(model)).found.values()
    assert np.allclose(read, planar.found.values(), rtol=0.05, atol=0.01)
    html = page.read_text()
    assert html.startswith("<!DOCTYPE html>") and "<svg" in html and "<script" not in html and "src=" not in html
    assert main(["identify", "planar_3r", data, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["base"]) == 7
    assert found["errors"]["held_back"]["estimate"]["tau_shoulder"] < 0.03 * found["noise"]["tau_shoulder"] * 100


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["nowhere.csv"], "cannot be read"),
        (["-o", "found.yaml"], "there are no data"),
        (["DATA", "-o", "found.txt"], "the suffix does not fit"),
        (["DATA", "--hold-back", "1"], "no part to hold back"),
    ],
)
def test_mistakes_end_with_status_two(
    planar: Regression, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], what: str
) -> None:
    data = str(write_table(tmp_path / "motion.csv", planar.mechanism, measured(planar), "v", "vdot"))
    assert main(["identify", "planar_3r", *(word.replace("DATA", data) for word in words)]) == 2
    assert what in capsys.readouterr().err


TRUSS = """name: truss
bodies: {a: {mass: 1}, b: {mass: 1}}
joints:
  A: [revolute, ground, a]
  B: {type: revolute, from: a, to: b, at: [1, 0, 0]}
  C: {type: revolute, from: b, to: ground, at: {translation: [1, 0, 0]}, at_successor: [1, -1, 0]}
"""


def test_a_structure_tells_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "held.yaml").write_text("name: held\nbodies: {a: {mass: 1}}\njoints: {f: [fixed, ground, a]}\n")
    (tmp_path / "truss.yaml").write_text(TRUSS)
    for name, more in (("held", []), ("held", ["--excite"]), ("truss", [])):
        assert main(["identify", str(tmp_path / f"{name}.yaml"), *more]) == 2
        assert "a structure, which tells nothing of its parameters" in capsys.readouterr().err

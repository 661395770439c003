"""Limits that act where a model asks for it: stops of joints, inputs that saturate."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.cli import main
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.reference import Reference
from mbsym.reference.motions import prescribed_motions
from mbsym.registry import FORMULATIONS, available_functions
from mbsym.symbolic.interpret import interpret
from mbsym.verification.own_units import spread

STOPS = """\
name: buffer
parameters: {reach: {value: 0.1, unit: m, symbolic: true}}
bodies:
  cart: {mass: 2, inertia: [1, 1, 1]}
  arm: {mass: 0.4, center_of_mass: [0, 0, -0.3], inertia: [0.012, 0.012, 0.01]}
joints:
  rail: {type: prismatic, from: ground, to: cart, axis: x, limits: RAIL}
  hinge: {type: universal, from: cart, to: arm, axis: x, second_axis: y, limits: HINGE}
"""
RAIL = "{lower: -reach, upper: reach, stop: {stiffness: 5 kN/m, damping: 0.4}}"
HINGE = "{lower: [-90deg, -1], upper: [90deg, 1], stop: {stiffness: [100, 200]}}"

ELEMENTS = """\
forces:
  rail_lower_stop: {type: joint_stop, joint: rail, side: lower, limit: -reach, stiffness: 5000, damping: 0.4}
  rail_upper_stop: {type: joint_stop, joint: rail, side: upper, limit: reach, stiffness: 5000, damping: 0.4}
  hinge_lower_stop_1: {type: joint_stop, joint: hinge, side: lower, limit: -90deg, stiffness: 100}
  hinge_upper_stop_1: {type: joint_stop, joint: hinge, side: upper, limit: 90deg, stiffness: 100}
  hinge_lower_stop_2: {type: joint_stop, joint: hinge, side: lower, limit: -1, stiffness: 200, index: 1}
  hinge_upper_stop_2: {type: joint_stop, joint: hinge, side: upper, limit: 1, stiffness: 200, index: 1}
"""

SERVO = """\
name: servo
parameters: {most: {value: 3, unit: N m, symbolic: true}}
inputs:
  torque: {unit: N m, lower: -2, upper: most, saturates: SATURATES}
  push: {unit: N, upper: 1, saturates: SATURATES}
bodies:
  arm: {mass: 0.4, center_of_mass: [0, 0, -0.3], inertia: [0.012, 0.012, 0.01]}
  rod: {mass: 0.4, center_of_mass: [0, 0, -0.3], inertia: [0.012, 0.012, 0.01]}
joints:
  hinge: {type: revolute, from: ground, to: arm, axis: y}
  elbow: {type: revolute, from: arm, to: rod, axis: y, at: [0, 0, -0.6]}
forces:
  motor: {type: actuator, joint: hinge, input: torque, gain: 2, effort: 1.5*most}
  law: {type: joint_force, joint: elbow, expression: torque*cos(q_elbow) + wound}
  jet: {type: applied_wrench, body: rod, force: [push, 0, 0], axes: body}
drives: {wound: {rate: push - wound, unit: N m, lower: -0.4, upper: most/6}}
outputs: {power: {expression: torque*v_hinge, unit: W}}
"""


def load(path: Path, text: str) -> mbsym.Model:
    path.write_text(text, encoding="utf-8")
    return mbsym.load(path)


def stops(rail: str = RAIL, hinge: str = HINGE) -> str:
    return STOPS.replace("RAIL", rail).replace("HINGE", hinge)


# ---- stops ----------------------------------------------------------------------------------------------------------


def test_stops_of_limits_are_the_elements(tmp_path: Path) -> None:
    asked = load(tmp_path / "asked.yaml", stops())
    plain = stops(*(text.partition(", stop")[0] + "}" for text in (RAIL, HINGE)))
    written = load(tmp_path / "written.yaml", plain + ELEMENTS)
    for folder, model in (("a", asked), ("b", written)):
        mbsym.generate(model, tmp_path / folder, languages=["c", "numpy"], functions=("forward_dynamics",))
    for name in ("buffer.c", "buffer.h", "buffer.py"):
        ours, theirs = ((tmp_path / folder / name).read_text(encoding="utf-8") for folder in "ab")
        assert ours == theirs
    assert main(["convert", str(tmp_path / "asked.yaml"), str(tmp_path / "flat.yaml")]) == 0
    assert mbsym.load(tmp_path / "flat.yaml").forces == asked.forces


def test_stops_in_python_are_those_of_files(tmp_path: Path) -> None:
    asked = load(tmp_path / "asked.yaml", stops(RAIL.replace("5 kN/m", "5000")))
    rail, hinge = asked.joints
    found = (*mbsym.limit_stops(rail, 5000, 0.4), *mbsym.limit_stops(hinge, [100, 200]))
    for ours, theirs in zip(found, asked.forces, strict=True):
        assert (ours.name, ours.joint, ours.side, ours.index) == (theirs.name, theirs.joint, theirs.side, theirs.index)
        assert [str(ours.limit), float(ours.stiffness)] == [str(theirs.limit), float(theirs.stiffness)]
        assert float(ours.damping) == float(theirs.damping)
    assert [stop.limit for stop in mbsym.limit_stops(mbsym.Joint("a", "revolute", "b", "c", upper=2), 1)] == [2]


def test_a_file_that_brings_stops_twice(tmp_path: Path) -> None:
    (tmp_path / "part.yaml").write_text(stops(), encoding="utf-8")
    both = load(tmp_path / "both.yaml", "name: both\ninclude: {a: {file: part.yaml}, b: {file: part.yaml}}\n")
    assert [force.name for force in both.forces][::6] == ["a_rail_lower_stop", "b_rail_lower_stop"]
    assert [force.joint for force in both.forces][::6] == ["a_rail", "b_rail"]


@pytest.mark.parametrize(
    ("rail", "told"),
    [
        (
            "{stop: {stiffness: 5}}",
            r":7:\d+: the stop of joint 'rail' has no limit to stand at; give lower, upper or b",
        ),
        ("{upper: 1, stop: {}}", r":7:\d+: the entry 'stiffness' is missing"),
        ("{upper: 1, stop: {stiffness: [1, 2]}}", r":7:\d+: .* has 1 coordinates but 2 entries of 'stiffness'; give"),
        ("{upper: 1, stop: {stiffness: 5 N}}", r":7:\d+: '5 N' is not a stiffness"),
        ("{upper: 1, stop: {stiffness: 5, damping: y}}", r":7:\d+: unknown name y"),
        ("{lower: 1, upper: -1, stop: {stiffness: 5}}", r":7:\d+: a lower limit of .* exceeds the upper one; exchange"),
        ("{upper: 1, stop: {stiffness: 5, side: 1}}", r":7:\d+: .*'side'"),
    ],
)
def test_mistakes_about_stops(tmp_path: Path, rail: str, told: str) -> None:
    with pytest.raises(mbsym.MbsymError, match=told):
        load(tmp_path / "buffer.yaml", stops(rail))


def test_a_joint_without_coordinates_of_its_speeds_has_no_stop(tmp_path: Path) -> None:
    text = (
        stops("{lower: [0, 0, 0, 0], stop: {stiffness: 1}}")
        .replace("prismatic", "spherical")
        .replace("axis: x, l", "l")
    )
    with pytest.raises(mbsym.MbsymError, match=r":7:\d+: force element 'rail_lower_stop_1' needs a coordinate of sph"):
        load(tmp_path / "buffer.yaml", text)


def test_a_drive_that_starts_beyond_its_limits_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "servo.yaml"
    path.write_text(SERVO.replace("SATURATES", "true").replace("lower: -0.4", "initial: 0.6"), encoding="utf-8")
    assert main(["label", str(path)]) == 0
    assert "drive 'wound' starts outside its limits" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "rail", "told"),
    [
        ("", "{upper: 1, stop: {stiffness: -5}}", "the stiffness of force element 'rail_upper_stop' is negative"),
        (
            "motions: {go: {joint: rail, law: sin(t)}}\n",
            "{upper: 1, stop: {stiffness: 5}}",
            "force element 'rail_upper_stop' stops nothing: motion 'go' drives the joint through it",
        ),
    ],
)
def test_doubtful_stops_are_told(
    tmp_path: Path, more: str, rail: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "buffer.yaml"
    path.write_text(stops(rail) + more, encoding="utf-8")
    assert main(["label", str(path)]) == 0
    assert told in capsys.readouterr().err


# ---- inputs ---------------------------------------------------------------------------------------------------------


@cache
def servo(saturates: bool) -> mbsym.Model:
    """The servo, whose inputs saturate or not."""
    from mbsym.formats.native.reader import read_native
    from mbsym.formats.text_source import TextSource

    return read_native(TextSource("servo.yaml", SERVO.replace("SATURATES", str(saturates).lower())))


GIVEN = np.array([[-5.0, -7.0], [-2.0, 0.0], [0.3, 0.4], [3.0, 1.0], [3.5, 1e6], [1e9, 2.0]])
ACTS = np.array([[-2.0, -7.0], [-2.0, 0.0], [0.3, 0.4], [3.0, 1.0], [3.0, 1.0], [3.0, 1.0]])


def test_every_formulation_sees_what_acts() -> None:
    q, v, tau, x = (np.random.default_rng(1).uniform(-1, 1, (len(GIVEN), n)) for n in (2, 2, 2, 1))
    tried = 0
    for formulation in FORMULATIONS:
        if formulation == "transfer-matrix":
            continue  # It knows no states of drives.
        found = []
        for saturates, u in ((True, GIVEN), (False, ACTS)):
            mechanism = build_mechanism(servo(saturates), servo(saturates).label())
            functions = available_functions(mechanism, formulation).functions
            if "forward_dynamics" not in functions:
                continue
            program = functions["forward_dynamics"](mechanism)
            given = {"q": q, "v": v, "tau": tau, "t": np.zeros(len(u)), "u": u, "x": x}
            found.append(interpret(program, {item.name: given[item.name] for item in program.inputs})["vdot"])
        if found:
            tried += 1
            assert np.array_equal(*found), formulation
    assert tried > 5


def test_it_is_certified_in_every_language_and_proven(tmp_path: Path) -> None:
    model = servo(saturates=True)
    asked = ("forward_dynamics", "outputs", "drive_rates")
    mbsym.generate(model, tmp_path / "a", languages=["c", "numpy"], functions=asked)
    certificate = mbsym.verify(tmp_path / "a", states=5)
    assert certificate.passed, certificate.summary()
    # The field has no definition of states of drives.
    bare = SERVO.replace("SATURATES", "true").replace(" + wound", "").replace("drives: {wound", "#")
    mbsym.generate(load(tmp_path / "bare.yaml", bare), tmp_path / "b", languages=["numpy"], functions=asked[:1])
    found = mbsym.verify(tmp_path / "b", states=2, exact=True).exact
    assert found is not None
    assert {each.outcome for each in found.verdicts if each.function == "forward_dynamics"} == {"proven"}


def test_states_of_a_certificate_have_values_beyond_both_limits() -> None:
    model = servo(saturates=True)
    found = [spread(model, model.inputs, np.array([1.0, 2.0]), np.full(2, x)) for x in (-1, 0, 1)]
    assert np.array_equal(found, [[-4.5, -5.0], [0.5, -1.0], [5.5, 3.0]])
    assert spread(model, model.drives, np.ones(1), np.array([1.0])) == pytest.approx([0.95])
    plain = servo(saturates=False)
    assert np.array_equal(spread(plain, plain.inputs, np.array([1.0, 2.0]), np.array([0.5, 1.0])), [0.5, 2.0])


@pytest.mark.parametrize(
    ("state", "fed", "rate"),
    [(0.4, 1, 0.6), (0.5, 1, 0), (0.7, 1, 0), (0.5, 0, -0.5), (-0.4, -1, 0), (-0.4, 0, 0.4), (-9, -9.5, 0), (0, 2, 2)],
)
def test_a_state_at_its_limit_goes_back_only(state: float, fed: float, rate: float) -> None:
    model = servo(saturates=False)
    mechanism = build_mechanism(model, model.label())
    program = available_functions(mechanism, "auto").functions["drive_rates"](mechanism)
    given = {"q": [0, 0], "v": [0, 0], "t": 0, "u": [0, fed], "x": [state]}
    assert interpret(program, {item.name: given[item.name] for item in program.inputs})["xdot"] == pytest.approx([rate])
    assert Reference(model).drive_rates([0, 0], [0, 0], 0, [0, fed], [state]) == pytest.approx([rate])


def test_a_motor_gives_no_more_than_its_effort() -> None:
    model = servo(saturates=False)
    motor = replace(model.forces[0], effort="2*most")
    system = Reference(replace(model, forces=(motor,), drives=(), outputs=()))
    still, u = np.zeros(2), [[-9, 0], [-3, 0], [1.5, 0], [3.1, 0]]
    assert [-system.bias_force(still, still, u=each)[0] for each in u] == [-6, -6, 3, 6]
    assert motor.linear_fields == () and replace(motor, effort=None).linear_fields == ("gain",)


def test_derivatives_end_where_the_limits_do(tmp_path: Path) -> None:
    model = servo(saturates=True)
    mbsym.generate(
        model,
        tmp_path,
        languages=["numpy"],
        functions=["forward_dynamics"],
        derivatives=(("forward_dynamics", ("u",)),),
    )
    module = mbsym.codegen.load.load_numpy(tmp_path / "servo.py").functions
    slope = module["forward_dynamics_by_u"]
    at = [np.full((len(GIVEN), n), 0.3) for n in (2, 2, 2)]
    found = np.abs(slope(*at, 0.0, GIVEN, np.zeros((len(GIVEN), 1)))).max(axis=1) > 1e-3
    assert found.tolist() == [[False, True], [True, True], [True, True], [True, True], [False, False], [False, False]]


def test_a_measured_acceleration_saturates_in_a_motion(tmp_path: Path) -> None:
    text = """\
name: table
inputs: {surge: {lower: -1, upper: 2, saturates: true}}
bodies: {slide: {mass: 1}}
joints: {x: {type: prismatic, from: ground, to: slide, axis: x}}
motions: {shake: {joint: x, law: 3*surge, gives: acceleration}}
"""
    model = load(tmp_path / "table.yaml", text)
    motion = prescribed_motions(Reference(model).mechanism, u=[7.0])[0]
    assert motion.values[-1] == pytest.approx(6.0)
    mechanism = build_mechanism(model, model.label())
    program = available_functions(mechanism, "auto").functions["forward_dynamics"](mechanism)
    given = {"q": [0.0], "v": [0.0], "tau": [0.0], "t": 0.0, "u": [7.0]}
    assert interpret(program, {item.name: given[item.name] for item in program.inputs})["vdot"] == pytest.approx([6.0])


def test_files_keep_what_saturates(tmp_path: Path) -> None:
    path = tmp_path / "servo.yaml"
    path.write_text(SERVO.replace("SATURATES", "true"), encoding="utf-8")
    assert main(["convert", str(path), str(tmp_path / "again.yaml")]) == 0
    assert mbsym.load(tmp_path / "again.yaml").inputs == mbsym.load(path).inputs
    part = load(tmp_path / "both.yaml", "name: both\ninclude: {a: {file: servo.yaml}}\n").inputs[0]
    assert (part.name, part.upper, part.saturates) == ("a_torque", "a_most", True)


def test_what_saturates_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "servo.yaml"
    path.write_text(SERVO.replace("SATURATES", "true").replace("upper: 1, saturates: true", "upper: 1"), "utf-8")
    assert main(["info", str(path)]) == 0
    table = capsys.readouterr().out
    assert "u[0]  torque  N m      -2      3  saturates\nu[1]  push    N                1\n" in table
    mbsym.generate(path, tmp_path / "build", functions=("mass_matrix",))
    assert "drive hinge; inputs that saturate: torque." in (tmp_path / "build" / "servo.h").read_text(encoding="utf-8")
    inputs = json.loads((tmp_path / "build" / "servo.json").read_text(encoding="utf-8"))["inputs"]
    assert [item.get("saturates") for item in inputs] == [True, None]
    (drive,) = json.loads((tmp_path / "build" / "servo.json").read_text(encoding="utf-8"))["drives"]
    assert (drive["lower"], drive["upper"]) == (-0.4, 0.5)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            ("lower: -2, upper: most, ", ""),
            ":4:.* control input 'torque' saturates and has no limits; give lower, upper",
        ),
        (("lower: -2, upper: most", "lower: 4, upper: most"), ":4:.* lower bound of control input 'torque' exceeds"),
        (
            ("effort: 1.5*most", "effort: 0"),
            ":13:.* the effort of force element 'motor' is not positive; give its size",
        ),
        (("saturates: true", "saturates: often"), ":4:.* 'often' is neither true nor false"),
    ],
)
def test_mistakes_about_inputs(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    with pytest.raises(mbsym.MbsymError, match=told):
        load(tmp_path / "servo.yaml", SERVO.replace("SATURATES", "true").replace(*change))

"""Outputs of a model: a function that is certified and differentiated, columns and curves of motions, and mistakes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import Body, Frame, Joint, JointDamper, Model, NamedExpression, Parameter
from mbsym.cli.application import main
from mbsym.codegen.load import load_numpy
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.errors import FormatError, ModelError, SimulationError
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.submodels import with_submodel
from mbsym.model.validate import require_valid
from mbsym.reference.reference import Reference

CRANE = """name: crane
parameters: {l: {value: 0.004, unit: m, symbolic: true}}
inputs: {pull: N}
bodies:
  boom: {mass: 2e-3, center_of_mass: [0.002, 0, 0], inertia: [1e-9, 2e-8, 2e-8]}
  hook: {mass: 1e-3, inertia: [1e-9, 1e-9, 1e-9]}
joints:
  slew: {type: spherical, from: ground, to: boom}
  rope: {type: prismatic, from: boom, to: hook, axis: x, at: [0.003, 0, 0], coordinates: s}
frames:
  top: {body: boom, at: [l, 0, 0.001]}
forces:
  motor: {type: actuator, joint: rope, input: pull}
outputs:
  height: {expression: position(top).z, unit: m}
  reach: "distance(hook, ground)/l"
  push: {expression: pull*velocity(hook).x + sin(t), unit: W}
"""


def crane(text: str = CRANE) -> Model:
    return read_native(TextSource("crane.yaml", text))


def test_they_are_read_and_written() -> None:
    model = crane()
    assert model.outputs == (
        NamedExpression("height", "position(top).z", "m"),
        NamedExpression("reach", "distance(hook, ground)/l"),
        NamedExpression("push", "pull*velocity(hook).x + sin(t)", "W"),
    )
    assert crane(dump_native(model)) == model


def test_the_function_is_certified_in_the_mechanisms_own_units(tmp_path: Path) -> None:
    """A crane of millimetres and grams, with its Jacobians."""
    mbsym.generate(crane(), tmp_path, derivatives=(("outputs", ("q", "v", "u")),))
    certificate = mbsym.verify(tmp_path, states=4)
    assert certificate.passed
    assert "outputs" in {check.function for check in certificate.checks}
    manifest = read_manifest(tmp_path)
    assert [item["name"] for item in manifest["outputs"]] == ["height", "reach", "push"]
    assert "crane_Y_push = 2 /* [W] */" in (tmp_path / "crane.h").read_text()


def test_they_cost_nothing_where_there_are_none(tmp_path: Path) -> None:
    mbsym.generate(replace(crane(), outputs=()), tmp_path)
    assert "outputs" not in {item["name"] for item in read_manifest(tmp_path)["functions"]}


def test_values_are_what_they_say(tmp_path: Path) -> None:
    mbsym.generate(crane(), tmp_path, languages=("numpy",), functions=("outputs",))
    outputs = load_numpy(tmp_path / "crane.py").functions["outputs"]
    half = np.sqrt(0.5)  # the boom upright
    found = outputs([half, 0, -half, 0, 0.001], [0, 0, 0, 0.2], 0.3, [2.0])
    assert found == pytest.approx([0.004, 1.0, np.sin(0.3)])


def test_motions_have_columns_and_curves_of_them(tmp_path: Path) -> None:
    model = replace(crane(), forces=(*crane().forces, JointDamper("d", "rope", 0.01)))
    for method in ("DOP853", "rk4"):
        motion = mbsym.simulate(
            model, 0.02, method=method, output_step=0.01, step=1e-4 if method == "rk4" else None,
            loads=mbsym.Loads(inputs={"pull": 0.01}),
        )  # fmt: skip
        reference = Reference(model)
        expected = [reference.outputs(q, v, t, [0.01]) for t, q, v in zip(motion.t, motion.q, motion.v, strict=True)]
        np.testing.assert_allclose(motion.y, expected, rtol=1e-9, atol=1e-12)
    names = [(column.name, column.unit) for column in motion.columns]
    assert names[10:13] == [("height", "m"), ("reach", ""), ("push", "W")]
    motion.save(tmp_path / "motion.npz")
    assert np.array_equal(np.load(tmp_path / "motion.npz")["y"], motion.y)
    assert {axis.get_ylabel().replace("\n", " ") for axis in motion.plot(["height", "push"]).axes} == {
        "outputs [m]",
        "outputs [W]",
    }


def test_a_joint_whose_coordinate_is_an_output_stays_in_the_tree() -> None:
    bodies = (Body("a", 1, (1, 0, 0)), Body("b", 1, (1, 0, 0)), Body("c", 1, (1, 0, 0)))
    joints = tuple(
        Joint(name, "revolute", one, two, axis=(0, 0, 1))
        for name, one, two in (("1", "ground", "a"), ("2", "a", "b"), ("3", "b", "c"), ("4", "c", "ground"))
    )
    model = Model("bars", bodies, joints)
    cut = str(model.label().joint_names[-1])
    assert str(replace(model, outputs=(NamedExpression("y", f"2*q_{cut}"),)).label().joint_names[-1]) != cut


def test_info_tells_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "crane.yaml"
    file.write_text(CRANE)
    assert main(["info", str(file)]) == 0
    assert re.search(r"y\[1\] +reach +distance\(hook, ground\)/l\n", capsys.readouterr().out)
    assert main(["info", str(file), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["outputs"]
    assert listed[0] == {"name": "height", "expression": "position(top).z", "unit": "m"}


def test_of_a_part_they_have_its_prefix() -> None:
    whole = with_submodel(Model("whole"), crane(), "c_")
    assert [(item.name, item.expression) for item in whole.outputs] == [
        ("c_height", "position(c_top).z"),
        ("c_reach", "distance(c_hook, ground)/c_l"),
        ("c_push", "c_pull*velocity(c_hook).x + sin(t)"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("reach:", "l:", r"crane.yaml:\d+:.*output 'l' has the name of a parameter"),
        ("reach:", "q_slew_w:", r"output 'q_slew_w' has the name of a coordinate"),
        ("reach:", "two words:", r"the name 'two words' of an output is no identifier"),
        (
            "position(top).z",
            "position(tip).z",
            r"crane.yaml:15:.*no body or frame 'tip'; did you mean 'top'",
        ),
        ("sin(t)", "sin(x)", r"crane.yaml:17:\d+: unknown name x"),
        ("{expression: position(top).z, unit: m}", "{unit: m}", r"crane.yaml:15:\d+: .*expression"),
    ],
)
def test_mistakes_have_their_place(old: str, new: str, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        crane(CRANE.replace(old, new))


def test_names_of_checks_are_refused_where_they_would_stand_beside_them() -> None:
    pendulum = Model(
        "p",
        (Body("b", 1, (1, 0, 0)),),
        (Joint("j", "revolute", "ground", "b", axis=(0, 1, 0)),),
        outputs=(NamedExpression("kinetic_energy", "v_j**2/2"),),
    )
    require_valid(pendulum)
    with pytest.raises(SimulationError, match="output 'kinetic_energy' has the name of a check of the motion"):
        mbsym.simulate(pendulum, 0.1)


def test_names_given_in_python_are_checked() -> None:
    model = replace(crane(), outputs=(NamedExpression("a", 1), NamedExpression("a", 2)))
    with pytest.raises(ModelError, match="output 'a' has the name of an output"):
        require_valid(model)
    assert Frame("a", "b").in_functions and Parameter("a", 1).unit == ""

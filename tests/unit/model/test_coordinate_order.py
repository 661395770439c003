"""The layout of q, v and tau: by file, by labels, or by names; the equations are the same."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.cli.application import VERBS, command_of, main
from mbsym.errors import DerivationError, ModelError
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import read_urdf
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.roadmap import manifest_fields, roadmap_lines
from mbsym.model.joint import Coupling
from mbsym.model.system import CoordinateOrder, Model
from mbsym.model.validate import require_valid
from mbsym.report.document import document
from mbsym.report.equations import derive
from mbsym.symbolic.interpret import interpret
from mechanisms.mechanism import mechanism_of

LEGS = ["front_left", "front_right", "hind_left", "hind_right"]
JOINTS = ["roll", "pitch", "knee"]


def laid_out(model: Model) -> list[str]:
    return [body.joint.name for body in mechanism_of(model).bodies_by_coordinates]


def test_the_order_of_the_file_is_the_default() -> None:
    assert laid_out(examples.load("quadruped")) == ["floating_base", *(f"{leg}_{j}" for leg in LEGS for j in JOINTS)]


def test_labels_and_names() -> None:
    model = examples.load("quadruped")
    by_label = laid_out(replace(model, coordinate_order="labels"))
    assert by_label == ["floating_base", *(f"{leg}_{j}" for j in JOINTS for leg in LEGS)]
    named = laid_out(replace(model, coordinate_order=("hind_left_knee", "front_right_roll")))
    rest = [name for name in laid_out(model) if name not in named[:2]]
    assert named == ["hind_left_knee", "front_right_roll", *rest]


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("file", "as the joints stand in the file"),
        ("labels", "by label"),
        (("right_motor",), "first right_motor, then as the joints stand in the file"),
    ],
)
def test_header_report_and_manifest_say_which(order: CoordinateOrder, words: str) -> None:
    mechanism = mechanism_of(replace(examples.load("five_bar"), coordinate_order=order))
    assert f"q, v and tau are laid out {words}." in roadmap_lines(mechanism)
    stated = manifest_fields(mechanism)["coordinate_order"]
    assert stated == (order if isinstance(order, str) else list(order))
    report = document(derive(mechanism.model), "text")
    assert f"laid out {words}." in report


def test_one_coordinate_has_a_number_and_several_have_a_range() -> None:
    words = " ".join(roadmap_lines(mechanism_of(examples.load("floating_two_arm")))).split()
    assert {"q[0..6]", "v[0..5]", "q[7]", "v[6]"} <= set(words)


def test_the_manifest_says_where_motors_sit() -> None:
    """Of joints without one it says nothing."""
    model = examples.load("planar_3r")
    first, *others = model.joints
    stated: Any = manifest_fields(mechanism_of(replace(model, joints=(replace(first, actuated=True), *others))))
    assert [joint.get("actuated") for joint in stated["joints"]] == [True, None, None]


def test_a_virtual_base_stands_first() -> None:
    model = examples.load("quadruped")
    loose = replace(model, joints=model.joints[1:], free_roots=True)
    order = laid_out(loose)
    assert order[1:] == laid_out(model)[1:]
    again = read_native(TextSource("m.yaml", dump_native(mechanism_of(loose).model)))
    assert laid_out(again) == order


def test_text_and_model_agree() -> None:
    model = examples.load("five_bar")
    orders: tuple[CoordinateOrder, ...] = ("labels", ("right_motor", "left_motor"))
    for order in orders:
        given = replace(model, coordinate_order=order)
        assert read_native(TextSource("m.yaml", dump_native(given))).coordinate_order == order


@pytest.mark.parametrize(
    ("order", "complaint"),
    [
        (("left_motor", "nobody"), r"coordinate_order\[1\].*no joint 'nobody'"),
        (("left_motor", "left_motor"), r"coordinate_order\[1\].*named twice"),
        ("depth", "no order 'depth'"),
    ],
)
def test_impossible_orders_are_refused(order: CoordinateOrder, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        require_valid(replace(examples.load("five_bar"), coordinate_order=order))


def test_a_tied_joint_has_no_place() -> None:
    model = examples.load("planar_3r")
    last, first = model.joints[2].name, model.joints[0].name
    tied = replace(model, couplings=(Coupling(last, first, 2),), coordinate_order=(last,))
    with pytest.raises(ModelError, match="a coupling ties it to another joint"):
        require_valid(tied)


@pytest.mark.parametrize("name", list(TREE_FUNCTIONS))
def test_the_equations_and_their_cost_do_not_depend_on_it(name: str) -> None:
    model = examples.load("floating_two_arm")
    joints = [joint.name for joint in model.joints]
    rng = np.random.default_rng(5)
    values = {name: (rng.normal(size=7), *rng.normal(size=(3, 6))) for name in joints}
    found, costs = [], set()
    for order in ("labels", "file", tuple(reversed(joints))):
        mechanism = mechanism_of(replace(model, coordinate_order=order))
        program = TREE_FUNCTIONS[name](mechanism)
        costs.add(program.operation_count())
        owners = mechanism.bodies_by_coordinates
        state = {
            "q": np.concatenate([values[body.joint.name][0][: body.joint.shape.nq] for body in owners]),
            **{
                letter: np.concatenate([values[body.joint.name][k][: body.joint.shape.nv] for body in owners])
                for k, letter in enumerate(("v", "vdot", "tau"), start=1)
            },
        }
        columns = [column for joint in joints for body in owners if body.joint.name == joint
                   for column in range(*body.v_range)]  # fmt: skip
        output = program.outputs[0]
        array = interpret(program, {item.name: state[item.name] for item in program.inputs})[output.name]
        for axis, size in enumerate(array.shape):
            if name == "position_rate":
                rows = [k for joint in joints for body in owners if body.joint.name == joint
                        for k in range(*body.q_range)]  # fmt: skip
                array = array[rows]
            elif size == mechanism.nv:
                array = np.take(array, columns, axis=axis)
        found.append(array)
    assert len(costs) == 1
    for other in found[1:]:
        assert np.allclose(found[0], other, rtol=1e-10, atol=1e-10)


ROBOT = """<robot name="r"><link name="base"/>
{links}
<joint name="b" type="revolute"><parent link="base"/><child link="lb"/><axis xyz="0 0 1"/>
 <limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
<joint name="a" type="revolute"><parent link="base"/><child link="la"/><axis xyz="0 0 1"/>
 <limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
<joint name="a2" type="revolute"><parent link="la"/><child link="la2"/><axis xyz="0 1 0"/>
 <limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
<joint name="b2" type="revolute"><parent link="lb"/><child link="lb2"/><axis xyz="0 1 0"/>
 <limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
</robot>"""
LINK = """<link name="{}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


def test_robot_files_go_depth_first() -> None:
    text = ROBOT.format(links="\n".join(LINK.format(name) for name in ("la", "lb", "la2", "lb2")))
    assert laid_out(read_urdf(TextSource("r.urdf", text))) == ["b", "b2", "a", "a2"]


LINES = {
    "derive": [],
    "report": ["-o", "out.html"],
    "show": ["-o", "out.html"],
    "info": [],
    "generate": ["-o", "out"],
    "simulate": ["--duration", "1e-3"],
    "export": ["-o", "out"],
    "label": [],
    "linearise": [],
    "equilibrium": [],
    "modes": [],
    "response": ["--from", "1", "--to", "2"],
    "verify": [],
    "identify": [],
    "convert": ["out.yaml"],
}
"""How each verb with the option --coordinates is called."""

WITHOUT_ORDER = {"convert", "identify", "verify"}
"""Verbs that take the tree of the default order."""


@pytest.mark.parametrize("verb", sorted(LINES))
def test_coordinates_are_checked_against_the_tree_that_is_taken(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By weight the four-bar's D is cut, by a search in breadth its C."""
    monkeypatch.chdir(tmp_path)
    line = [verb, *(["casadi"] if verb == "export" else []), "four_bar", *LINES[verb]]
    refused = r"joint '{}' has no coordinates of its own: it closes a loop of the tree taken; name some of "
    for order, missing in (("weight", "D"), ("breadth-first", "C")):
        asked = ["--order", order] if order != "weight" else []
        if asked and verb in WITHOUT_ORDER:
            continue
        assert main([*line, *asked, "--coordinates", missing]) == 2
        assert refused.format(missing) in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []
    if verb in ("derive", "info"):
        for order, there in (("breadth-first", "D"), ("weight", "C")):
            assert main([*line, "--order", order, "--coordinates", there]) == 0
            capsys.readouterr()


def test_every_verb_with_coordinates_is_asked() -> None:
    takers = {name for name in VERBS if any("--coordinates" in item.opts for item in command_of(name).params)}
    assert takers == set(LINES)


def test_a_model_may_be_laid_out_for_a_tree_of_another_order(tmp_path: Path) -> None:
    model = replace(examples.load("four_bar"), coordinate_order=("D",))
    again = read_native(TextSource("m.yaml", dump_native(model)))
    with pytest.raises(DerivationError, match=r"'D' .* closes a loop of the tree taken"):
        mbsym.generate(again, tmp_path)
    mbsym.generate(again, tmp_path, order="breadth-first", languages=("numpy",))
    manifest = json.loads((tmp_path / "four_bar.json").read_text(encoding="utf-8"))
    first = next(joint for joint in manifest["joints"] if joint["name"] == "D")
    assert first["q"] == [0, 1]
    assert mbsym.verify(tmp_path, states=2).passed

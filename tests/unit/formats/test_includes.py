"""``include:`` and ``repeat:`` in model files: as if everything had been written out, and mistakes by place."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import Body, Joint
from mbsym.errors import FormatError
from mbsym.formats.native import load_native, read_native
from mbsym.formats.native.includes import bundled_parts
from mbsym.formats.native.repetition import MOST_ENTRIES, written_out
from mbsym.formats.native.schema import json_schema
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.formats.yaml_document import read_yaml
from mbsym.model.submodels import with_submodel
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate

CORNER = """\
ground: road
parameters:
  m: {value: 40, unit: kg}
  k: {value: 20000, unit: N/m, symbolic: true}
bodies:
  wheel: {mass: m, inertia: [1, 1, 1], geometry: [{type: sphere, size: 0.3}]}
  chassis:
joints:
  hop: {type: prismatic, from: road, to: wheel, axis: z, coordinates: z}
forces:
  tyre: {type: joint_force, joint: hop, expression: -9*k*z}
  strut: {type: point_spring_damper, first_body: road, second_body: chassis, stiffness: k}
"""

CAR = """\
name: car
parameters: {K: 25000, track: 1.4}
bodies:
  chassis: {mass: 1200, inertia: [500, 1800, 2000]}
joints:
  heave: [free, ground, chassis]
include:
  left: {file: parts/corner.yaml, at: [1.2, track/2, 0], connect: {chassis: chassis}, parameters: {k: 2*K}}
  right: {file: parts/corner.yaml, prefix: R, at: {rpy: [0, 0, pi/2]}, connect: {chassis: chassis}}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "corner.yaml").write_text(
        CORNER.replace("type: sphere, size: 0.3", "type: sphere, radius: 0.3")
    )
    (tmp_path / "car.yaml").write_text(CAR)
    return tmp_path


def test_a_part_is_what_python_makes_of_it(files: Path) -> None:
    found = load_native(files / "car.yaml")
    corner = replace(load_native_part(files / "parts" / "corner.yaml"), directory="")
    own = read_native(TextSource("car.yaml", CAR.partition("include:")[0]))
    at = mbsym.Placement((1.2, "track/2", 0))
    made = with_submodel(own, corner, "left_", at=at, connect={"chassis": "chassis"}, parameters={"k": "2*K"})
    turned = mbsym.Placement.from_rpy(0, 0, "pi/2")
    made = with_submodel(made, corner, "R", at=turned, connect={"chassis": "chassis"})
    assert dump_native(found) == dump_native(made)
    assert [body.name for body in found.bodies] == ["chassis", "left_wheel", "Rwheel"]
    assert found.forces[2].expressions == ("-9*Rk*Rz",)


def load_native_part(path: Path) -> Model:
    """A part that is no mechanism by itself, with a joint that makes it one, which is taken away again."""
    text = path.read_text().replace("joints:\n", "joints:\n  aside: [fixed, road, chassis]\n")
    model = read_native(TextSource(str(path), text))
    return replace(model, joints=tuple(joint for joint in model.joints if joint.name != "aside"))


def test_it_is_written_out_flat_and_equal(files: Path) -> None:
    found = load_native(files / "car.yaml")
    text = dump_native(found)
    assert "include" not in text
    assert dump_native(read_native(TextSource("flat.yaml", text))) == text
    assert mbsym.verify(found, states=3).passed


def test_parts_in_parts_are_found_from_their_own_file(files: Path) -> None:
    (files / "parts" / "axle.yaml").write_text(
        "bodies: {chassis: }\n"
        "include: {w: {file: corner.yaml, connect: {chassis: chassis}}}\n"
        "frames: {hub: {body: w_wheel, at: [0, 0.1, 0]}}\n"
    )
    (files / "van.yaml").write_text(
        "name: van\n"
        "bodies: {box: {mass: 1000, inertia: [1, 1, 1]}}\n"
        "joints: {heave: [prismatic, ground, box]}\n"
        "include:\n"
        "  front: {file: parts/axle.yaml, at: [1, 0, 0], connect: {chassis: box}}\n"
        "  rear: {file: parts/axle.yaml, connect: {chassis: box}, parameters: {w_m: 50}}\n"
        "  spare: {file: parts/corner.yaml, on: rear_hub, connect: {chassis: box}}\n"
    )
    found = load_native(files / "van.yaml")
    assert [joint.name for joint in found.joints] == ["heave", "front_w_hop", "rear_w_hop", "spare_hop"]
    spare = found.joint("spare_hop")
    assert (spare.predecessor, spare.predecessor_placement.translation) == ("rear_w_wheel", (0, "0.1", 0))
    assert {item.name: item.value for item in found.parameters if item.name.endswith("_m")} == {
        "front_w_m": 40, "rear_w_m": 50, "spare_m": 40,
    }  # fmt: skip


def test_a_robot_file_is_a_part(files: Path) -> None:
    (files / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="tip"><inertial><mass value="2"/>'
        '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="turn" type="continuous"><parent link="base"/><child link="tip"/>'
        '<axis xyz="0 1 0"/></joint></robot>'
    )
    (files / "cart.yaml").write_text(
        "bodies: {cart: {mass: 5}}\n"
        "joints: {rail: {type: prismatic, from: ground, to: cart, axis: x}}\n"
        "include: {arm: {file: arm.urdf, on: cart, at: [0, 0, 0.5]}}\n"
    )
    found = mbsym.load(files / "cart.yaml")
    assert [(joint.name, joint.predecessor) for joint in found.joints] == [("rail", "ground"), ("arm_turn", "cart")]
    assert evaluate(found.body("arm_tip").mass) == 2
    with pytest.raises(FormatError, match=r"cart.yaml:3:11: arm.urdf is no file in the native format"):
        load_native(files / "cart.yaml")


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("car.yaml", "file: parts/corner.yaml, at", "file: corner.yaml, at", r"car.yaml:8:16: there is no file"),
        (
            "car.yaml",
            "left: {file: parts/corner.yaml",
            "left: {file: car.yaml",
            r"car.yaml:8:3: .*includes itself: car",
        ),
        (
            "parts/corner.yaml",
            "joints:",
            "include: {a: ../car.yaml}\njoints:",
            r"corner.yaml:8:11: .*car.yaml > corner",
        ),
        ("car.yaml", "parameters: {k: 2*K}", "parameters: {kk: 2*K}", r"car.yaml:8:3: the part has no parameter 'kk'"),
        ("car.yaml", "parameters: {k: 2*K}", "parameters: {k: 2*KK}", r"car.yaml:8:103: .*unknown name KK"),
        (
            "car.yaml",
            "connect: {chassis: chassis}, p",
            "on: chasis, p",
            r"car.yaml:8:3: there is no body or frame 'chasis'",
        ),
        ("car.yaml", "connect: {chassis: chassis}, p", "connect: {wheel: chassis}, p", r"'wheel' has mass in the part"),
        ("car.yaml", "prefix: R", "prefix: left_", r"car.yaml:9:3: among its bodies the model has 'left_wheel'"),
        ("car.yaml", "prefix: R", "prefix: '*'", r"holds the character '\*'"),
        ("car.yaml", "prefix: R", "prefx: R", r"car.yaml:9:36: unknown key 'prefx'; did you mean 'prefix'"),
        ("parts/corner.yaml", "to: wheel", "to: weel", r"corner.yaml:9:42: .*'left_weel', which does not exist"),
        ("parts/corner.yaml", "mass: m,", "mass: mm,", r"corner.yaml:6:17: .*unknown name mm"),
        ("parts/corner.yaml", "-9*k*z", "-9*k*zz", r"corner.yaml:11:53: .*unknown name zz"),
        ("parts/corner.yaml", "radius: 0.3", "radius: -1", r"corner.yaml:6:74"),
        (
            "parts/corner.yaml",
            "type: joint_force",
            "type: joint_forc",
            r"corner.yaml:11:16: there is no type 'joint_forc'",
        ),
    ],
)
def test_mistakes_have_their_place(files: Path, file: str, old: str, new: str, complaint: str) -> None:
    text = (files / file).read_text()
    assert old in text
    (files / file).write_text(text.replace(old, new, 1))
    with pytest.raises(FormatError, match=complaint) as caught:
        load_native(files / "car.yaml")
    assert Path(str(caught.value.where).split(":")[0]).is_file()


# ---- repetitions ----------------------------------------------------------------------------------------------------

CHAIN = """\
name: chain
parameters: {l: 0.2}
ground: bar0
repeat:
  to: 40
  bodies:
    bar<i>: {mass: 0.1*<i>, center_of_mass: [0, 0, -l/2], inertia: [1e-3, 1e-3, 1e-6]}
  joints:
    pin<i>: {type: revolute, from: bar<i-1>, to: bar<i>, axis: y, at: [0, 0, "-l*<(i+38)//39>+l*<i//i>-l"]}
"""


def chain(text: str = CHAIN) -> Model:
    return read_native(TextSource("chain.yaml", text))


def test_a_chain_of_forty_bars_in_ten_lines() -> None:
    found = chain()
    assert len(CHAIN.splitlines()) < 10
    assert [body.name for body in found.bodies] == [f"bar{k}" for k in range(1, 41)]
    assert [(joint.predecessor, joint.successor) for joint in found.joints] == [
        (f"bar{k - 1}", f"bar{k}") for k in range(1, 41)
    ]
    np.testing.assert_allclose([evaluate(body.mass) for body in found.bodies], 0.1 * np.arange(1, 41), rtol=1e-15)


def test_several_indices_and_lists_of_repetitions() -> None:
    text = """\
name: grid
parameters: {a: 1}
bodies: {b0_0: {mass: 1, inertia: [1, 1, 1]}}
joints: {first: [free, ground, b0_0]}
repeat:
- {from: 1, to: 3, parameters: {a<i>: a*<2*i>}}
- index: row
  from: 0
  to: 1
  repeat:
    index: k
    from: 1
    to: row+1
    bodies:
      b<row>_<k>: {mass: a<k>, inertia: [1, 1, 1]}
    joints:
      "j<row>_<k>": [spherical, b0_0, b<row>_<k>]
    states:
      s<row><k>: {v: {j<row>_<k>: [1, 0, 0]}}
"""
    found = read_native(TextSource("grid.yaml", text))
    assert [(item.name, item.value) for item in found.parameters] == [
        ("a", 1),
        ("a1", "a*2"),
        ("a2", "a*4"),
        ("a3", "a*6"),
    ]
    assert [body.name for body in found.bodies] == ["b0_0", "b0_1", "b1_1", "b1_2"]
    assert found.states[2].v == (("j1_2", (1, 0, 0)),)


def test_parts_are_repeated(files: Path) -> None:
    (files / "train.yaml").write_text(
        "bodies: {wagon0: {mass: 9, inertia: [1, 1, 1]}}\n"
        "joints: {rail: [prismatic, ground, wagon0]}\n"
        "repeat:\n"
        "  to: 3\n"
        "  include: {w<i>: {file: parts/corner.yaml, on: wagon0, at: [<i>, 0, 0], connect: {chassis: ground}}}\n"
    )
    found = load_native(files / "train.yaml")
    assert [joint.name for joint in found.joints] == ["rail", "w1_hop", "w2_hop", "w3_hop"]
    assert found.joint("w3_hop").predecessor_placement.translation == (3, 0, 0)


def test_without_repetitions_a_document_stays_itself() -> None:
    document = read_yaml(TextSource("a.yaml", "description: '<i> stays'\nbodies: {a: }\n"))
    assert written_out(document) is document
    assert "<i>" in chain(CHAIN + "description: where <i> is text\n").description


def test_none_of_them_is_none() -> None:
    text = "bodies: {a: {mass: 1}}\njoints: {j: [prismatic, ground, a]}\nrepeat: {from: 3, to: 2, bodies: {b<i>: }}\n"
    assert [body.name for body in read_native(TextSource("a.yaml", text)).bodies] == ["a"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("  to: 40\n", "", r"chain.yaml:4:1: the entry 'to' is missing"),
        ("to: 40", "to: many", r"chain.yaml:5:7: 'many' is no whole number"),
        ("to: 40", "to: 1.5", r"chain.yaml:5:7: '1.5' is no whole number"),
        ("to: 40", "to: -1", r"chain.yaml:5:7: it ends at -1 and begins at 1"),
        ("to: 40", "to: 1000000000", r"chain.yaml:5:7: 1000000000 repetitions"),
        ("to: 40", "to: 40\n  from: [1]", r"chain.yaml:6:9: '' is no whole number"),
        ("to: 40", "to: 40\n  index: 2i", r"chain.yaml:6:10: '2i' is no name"),
        ("to: 40", "too: 40", r"chain.yaml:5:3: unknown key 'too'; did you mean 'to'"),
        ("  bodies:", "  body:", r"chain.yaml:6:3: unknown key 'body'"),
        ("0.1*<i>", "0.1*<j>", r"chain.yaml:7:20: <j> is no whole number made of i; write <i-1>"),
        ("0.1*<i>", "0.1*<i/2>", r"chain.yaml:7:20: <i/2> is no whole number"),
        ("0.1*<i>", "0.1*<i//0>", r"chain.yaml:7:20: <i//0> is no whole number"),
        ("0.1*<i>", "<i>*n", r"chain.yaml:7:20: .*unknown name n"),
        ("bar<i>: {", "bar: {", r"chain.yaml:7:5: 'bar' is there already; put an index into the name"),
        ("ground: bar0\n", "ground: bar0\nbodies: {bar3: }\n", r"chain.yaml:8:5: 'bar3' is there already; rename"),
        ("ground: bar0\n", "ground: bar0\nbodies: [bar41]\n", r"chain.yaml:8:5: bodies is a list above"),
        ("axis: y", "axis: w", r"chain.yaml:9:64: 'w' is no direction"),
        ("from: bar<i-1>", "from: bar<i-2>", r"chain.yaml:9:36: .*'bar-1', which does not exist"),
    ],
)  # fmt: skip
def test_mistakes_in_repetitions(old: str, new: str, complaint: str) -> None:
    assert old in CHAIN
    with pytest.raises(FormatError, match=complaint):
        chain(CHAIN.replace(old, new, 1))


def test_how_many_entries_are_too_many() -> None:
    with pytest.raises(FormatError, match=f"more than {MOST_ENTRIES} entries"):
        chain(CHAIN.replace("to: 40", "to: 300000"))
    with pytest.raises(FormatError, match="repetition belongs"):
        chain("repeat: 3\n")
    with pytest.raises(FormatError, match="entries with names belong"):
        chain("repeat: {to: 2, bodies: [a<i>]}\n")


def test_the_schema_describes_both() -> None:
    schema = json_schema()
    json.dumps(schema)
    assert {"include", "repeat"} <= schema["properties"].keys()
    known = schema["$defs"]["RepetitionTable"]
    assert known["required"] == ["to"] and {"from", "index", "bodies", "include"} <= known["properties"].keys()
    for table in (known, schema["$defs"]["IncludeTable"]["anyOf"][0]):
        assert all(entry.get("description") for entry in table["properties"].values())


def test_bodies_of_joints_are_not_guessed_beside_parts(files: Path) -> None:
    text = CAR.replace("bodies:\n  chassis: {mass: 1200, inertia: [500, 1800, 2000]}\n", "")
    (files / "car.yaml").write_text(text)
    with pytest.raises(FormatError, match=r"no body or frame 'chassis'"):
        load_native(files / "car.yaml")
    model = Model("a", (Body("b", 1),), (Joint("j", "prismatic", "ground", "b"),))
    assert read_native(TextSource("a.yaml", dump_native(model))).bodies == model.bodies


def test_bundled_parts_are_found_by_their_names(tmp_path: Path) -> None:
    """Wherever the model lies and whatever directory its files are kept to; what is not there is told with them."""
    text = "bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\ninclude: {m: {file: dc_motor, connect: {load: rod}}}\n"
    file, part = tmp_path / "arm.yaml", mbsym.examples.path("dc_motor")
    file.write_text(text, encoding="utf-8")
    model = load_native(file, under=str(tmp_path))
    assert [joint.name for joint in model.joints] == ["m_shaft"] and not model.warnings
    (tmp_path / "mine.yaml").write_text(part.read_text(encoding="utf-8"), encoding="utf-8")
    file.write_text(text.replace("dc_motor", "mine.yaml"), encoding="utf-8")
    assert load_native(file).joints == model.joints
    file.write_text(text.replace("dc_motor", "dc_moter"), encoding="utf-8")
    with pytest.raises(FormatError, match=r"arm.yaml:2:21: there is no file .*by their names alone: ball_screw, dc_mo"):
        load_native(file)


@pytest.mark.parametrize("name", bundled_parts())
def test_bundled_parts_say_what_they_are_and_have_sensible_numbers(name: str, tmp_path: Path) -> None:
    part = bundled_parts()[name].read_text(encoding="utf-8")
    assert part.startswith(f"name: {name}\ndescription: ")
    connect = ", connect: {load: rod}" if "\n  load:\n" in part else ""
    file = tmp_path / "whole.yaml"
    text = "bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: [free, ground, rod]}\n"
    file.write_text(f"{text}include: {{p: {{file: {name}{connect}}}}}\n", encoding="utf-8")
    assert not load_native(file).warnings

"""Numbers with units in model files: every kind of entry, what is refused and where, and that nothing else changes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

import mbsym
from mbsym.errors import ModelError
from mbsym.forces import JointDamper, JointSpring, PointSpringDamper
from mbsym.formats.native import read_native, schema
from mbsym.formats.native.entry_sentences import SENTENCES
from mbsym.formats.native.schema import json_schema
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.beam import Beam
from mbsym.model.body import Body
from mbsym.model.joint import Coupling, Joint
from mbsym.model.shape import Shape
from mbsym.model.solid_body import solid_body
from mbsym.model.submodels import with_submodel
from mbsym.model.system import Model
from mbsym.model.validate import require_valid
from mbsym.shapes.forms import Box
from mbsym.values.parameter import ControlInput, NamedExpression, Parameter

IN_UNITS = """\
name: lever
gravity: [0, 0, -981 cm/s^2]
parameters:
  L: 30 cm
  k: {value: 5 N m/deg, unit: N m/rad, symbolic: true}
inputs:
  push: {unit: N, lower: -2 kN, upper: 1.5 kN}
bodies:
  lever:
    mass: 500 g
    center_of_mass: [1 mm, 0, -15 cm]
    inertia: [3750 kg mm^2, 0.00375, 120 g cm^2]
  slider: {mass: 1.2 kg, inertia: {xx: 1 kg m^2, yy: 1, zz: 1, xy: 10 g m^2}}
  block: {geometry: [{type: box, size: [20 cm, 0.1, 5 mm], at: [1 cm, 0, 0]}], density: 7.85 g/cm^3}
  wheel: {mass: 1, first_moment: [0, 0, 5 kg mm], inertia_about: frame, inertia: [1, 1, 1]}
joints:
  hinge:
    type: revolute
    from: ground
    to: lever
    axis: y
    at: {translation: [0, 0, 1 m], rotation: [[z, 45deg], [x, 0.1]]}
    armature: 120 g cm^2
    limits: {lower: -90deg, upper: [90°], velocity: 300 rpm, effort: 5 Nm}
    initial: 30deg
  rail: {type: prismatic, from: lever, to: slider, at: [0, 0, -L], armature: 20 g, initial: 5 mm}
  screw: {type: helical, from: slider, to: block, pitch: 5 mm/rev, at: {rpy: [0, 90deg, 30deg]}}
  axle: {type: cylindrical, from: ground, to: wheel, initial: [2 mm, 10deg], limits: {velocity: [20 mm/s, 10 rpm]}}
couplings: {screw: {source: rail, ratio: 2 rad/mm, offset: 15deg}}
forces:
  torsion: {type: joint_spring, joint: hinge, stiffness: 5 N m/deg, reference: 10deg}
  return: {type: joint_spring, joint: rail, stiffness: 0.5 N/mm, reference: 2 cm}
  oil: {type: joint_damper, joint: rail, damping: 5 N s/mm}
  grease: {type: joint_damper, joint: axle, index: 1, damping: 5 N m s/rad}
  dry: {type: joint_friction, joint: hinge, magnitude: 20 N mm, transition_speed: 1 deg/s}
  push: {type: joint_force, joint: axle, expression: 2 kN}
  strut: {type: point_spring_damper, first_body: ground, second_body: slider, stiffness: 2 kN/m, free_length: 30 cm,
          first_point: [1 mm, 0, 0]}
  load: {type: applied_wrench, body: slider, force: [2 kN, 0, push], point: [0, 1 cm, 0]}
constraints:
  rod: {type: distance, first_body: ground, second_body: wheel, length: 40 cm, second_point: [40 cm, 0, 0]}
outputs:
  reference: {expression: 20 cm, unit: m}
states:
  rest: {q: {hinge: 10deg, rail: 3 mm}, v: {hinge: 1 rpm}}
"""

IN_SI = """\
name: lever
gravity: [0, 0, -9.81]
parameters:
  L: {value: 0.3, unit: m}
  k: {value: 900/pi, unit: N m/rad, symbolic: true}
inputs:
  push: {unit: N, lower: -2000, upper: 1500}
bodies:
  lever:
    mass: 0.5
    center_of_mass: [0.001, 0, -0.15]
    inertia: [0.00375, 0.00375, 0.000012]
  slider: {mass: 1.2, inertia: {xx: 1, yy: 1, zz: 1, xy: 0.01}}
  block: {geometry: [{type: box, size: [0.2, 0.1, 0.005], at: [0.01, 0, 0]}], density: 7850}
  wheel: {mass: 1, first_moment: [0, 0, 0.005], inertia_about: frame, inertia: [1, 1, 1]}
joints:
  hinge:
    type: revolute
    from: ground
    to: lever
    axis: y
    at: {translation: [0, 0, 1], rotation: [[z, pi/4], [x, 0.1]]}
    armature: 0.000012
    limits: {lower: -pi/2, upper: pi/2, velocity: 10*pi, effort: 5}
    initial: pi/6
  rail: {type: prismatic, from: lever, to: slider, at: [0, 0, -L], armature: 0.02, initial: 0.005}
  screw: {type: helical, from: slider, to: block, pitch: 1/(400*pi), at: {rpy: [0, pi/2, pi/6]}}
  axle: {type: cylindrical, from: ground, to: wheel, initial: [0.002, pi/18], limits: {velocity: [0.02, pi/3]}}
couplings: {screw: {source: rail, ratio: 2000, offset: pi/12}}
forces:
  torsion: {type: joint_spring, joint: hinge, stiffness: 900/pi, reference: pi/18}
  return: {type: joint_spring, joint: rail, stiffness: 500, reference: 0.02}
  oil: {type: joint_damper, joint: rail, damping: 5000}
  grease: {type: joint_damper, joint: axle, index: 1, damping: 5}
  dry: {type: joint_friction, joint: hinge, magnitude: 0.02, transition_speed: pi/180}
  push: {type: joint_force, joint: axle, expression: 2000}
  strut: {type: point_spring_damper, first_body: ground, second_body: slider, stiffness: 2000, free_length: 0.3,
          first_point: [0.001, 0, 0]}
  load: {type: applied_wrench, body: slider, force: [2000, 0, push], point: [0, 0.01, 0]}
constraints:
  rod: {type: distance, first_body: ground, second_body: wheel, length: 0.4, second_point: [0.4, 0, 0]}
outputs:
  reference: {expression: 0.2, unit: m}
states:
  rest: {q: {hinge: pi/18, rail: 0.003}, v: {hinge: pi/30}}
"""


def read(text: str) -> Model:
    return read_native(TextSource("lever.yaml", text))


def test_every_entry_is_what_it_is_in_si() -> None:
    assert read(IN_UNITS) == read(IN_SI)


def test_converted_files_are_in_si() -> None:
    written = dump_native(read(IN_UNITS))
    assert written == dump_native(read(IN_SI)) and read(written) == read(IN_SI)


def test_the_same_files_are_generated(tmp_path: Path) -> None:
    made = []
    for place, text in (("units", IN_UNITS), ("si", IN_SI)):
        model = tmp_path / place / "lever.yaml"
        model.parent.mkdir()
        model.write_text(text, encoding="utf-8")
        found = mbsym.generate(model, tmp_path / place / "out")
        made.append({path.name: path.read_bytes() for path in (tmp_path / place / "out").iterdir()})
        assert found is not None
    assert made[0] == made[1] and len(made[0]) > 2


def test_gears_are_counted_in_what_their_joints_are() -> None:
    def gears(rows: str) -> Any:
        return read(
            "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
            "joints: {turn: [revolute, ground, a], slide: [prismatic, ground, b]}\n"
            f"constraints: {{gear: {{type: {rows}}}}}\n"
        ).constraints[0]

    gear = gears("gear, first_joint: slide, second_joint: turn, ratio: 5 mm/rev, offset: 3 mm")
    assert (gear.ratio, gear.offset) == ("1/(400*pi)", "0.003")
    coupling = gears("linear_coupling, joints: [turn, slide], factors: [1, 2 rev/mm], offset: 3deg")
    assert (coupling.factors, coupling.offset) == ((1, "4000*pi"), "pi/60")


def test_beams_have_units_in_files_and_in_python() -> None:
    def beam(entries: str) -> Model:
        return read(f"beams: {{rod: {{from: ground, segments: 2, {entries}}}}}\n")

    united = beam("length: 30 cm, mass: 500 g, bending_stiffness: 5 kN mm^2, damping: 2 ms, at: [1 cm, 0, 0]")
    assert united == beam("length: 0.3, mass: 0.5, bending_stiffness: 0.005, damping: 0.002, at: [0.01, 0, 0]")
    assert united.beams[0] == Beam(
        "rod", "ground", "30 cm", "500 g", ("5 kN mm^2",), "z", "", "2 ms", 2, ("1 cm", 0, 0)
    )
    for entry, message in (("length: 3 kg", "not a length"), ("bending_stiffness: 3 N m", "not a bending stiffness")):
        rest = {"length: 3": "length: 1", "bending_stiffness: 3": "bending_stiffness: 1"}
        others = ", ".join(value for key, value in rest.items() if not entry.startswith(key))
        with pytest.raises(mbsym.MbsymError, match=f"lever.yaml:1:[0-9]+: '3 .*' is {message}"):
            beam(f"{others}, mass: 1, {entry}")


def test_densities_have_units_in_python() -> None:
    box = Shape("a", Box(("10 cm", "1 m", 1)))
    assert solid_body("a", [(box, "7.85 g/cm^3")]) == solid_body("a", [(box, 7850)])
    with pytest.raises(ModelError, match="density of body 'a': '7 kg' is not a density, which is taken in kg/m"):
        solid_body("a", [(box, "7 kg")])


UNITS_OF_ENTRIES = ("m", "kg", "s", "rad", "m/s^2", "kg m", "kg m^2", "kg/m^3", "N m^2")


def test_sentences_of_entries_say_the_units_in_which_they_are_taken() -> None:
    """Units are written twice, in the sentence and at the entry, where no record has them."""
    checked = set()
    for table, sentences in SENTENCES.items():
        for key, field in getattr(schema, table).model_fields.items():
            found = re.search(r"\[([a-zN^/0-9 ]+)\]", sentences.get(field.alias or key, ""))
            unit = found[1] if found is not None else ""
            if unit in UNITS_OF_ENTRIES and not hasattr(field.annotation, "model_fields"):
                parts = (field, *get_args(field.annotation))
                read_by = [getattr(part, "metadata", getattr(part, "__metadata__", ())) for part in parts]
                assert repr(unit) in repr(read_by), f"{table}.{key} is in {unit}"
                checked.add((table, key, unit))
    assert {("BodyTable", "mass", "kg"), ("BeamTable", "damping", "s"), ("ModelTable", "gravity", "m/s^2")} < checked


def test_parts_take_values_in_their_own_units(tmp_path: Path) -> None:
    part = tmp_path / "part.yaml"
    part.write_text(
        "parameters: {L: {value: 1, unit: m, symbolic: true}}\nbodies: {arm: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {hinge: {type: revolute, from: ground, to: arm, at: [0, 0, L]}}\n",
        encoding="utf-8",
    )
    whole = tmp_path / "whole.yaml"
    text = (
        "include: {left: {file: part.yaml, at: [0, 0, 5 cm], parameters: {L: 30 cm}}}\n"
        "forces: {k: {type: joint_spring, joint: left_hinge, stiffness: 5 N m/deg}}\n"
    )
    whole.write_text(text, encoding="utf-8")
    model = mbsym.load(whole)
    assert model.parameters == (Parameter("left_L", "0.3", "m", symbolic=True),)
    assert getattr(model.forces[0], "stiffness") == "900/pi"  # noqa: B009
    whole.write_text(text.replace("30 cm", "30 kg"), encoding="utf-8")
    with pytest.raises(mbsym.MbsymError, match=r"whole.yaml:1:69: '30 kg' is not a length, which is taken in m"):
        mbsym.load(whole)


def test_repeated_entries_have_units() -> None:
    text = (
        "bodies: {b0: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j0: [revolute, ground, b0]}\n"
        "repeat: {to: 2, bodies: {b<i>: {mass: <i> g, inertia: [1, 1, 1]}},\n"
        "  joints: {j<i>: {type: revolute, from: b<i-1>, to: b<i>, initial: <i*10>deg}}}\n"
    )
    model = read(text)
    assert [body.mass for body in model.bodies] == [1, "0.001", "0.002"]
    assert [joint.initial for joint in model.joints] == [(), ("pi/18",), ("pi/9",)]


BESIDE = "a name stands behind an operator, as in 2*m; a number with a unit, as in 20 cm, stands by itself"

REFUSED = [
    ("mass: 500 g", "mass: |500 cm", "'500 cm' is not a mass, which is taken in kg; write it as in 500 g"),
    ("-15 cm", "|-15 kg", "'-15 kg' is not a length, which is taken in m; write it as in 20 cm"),
    (
        "120 g cm^2]",
        "|1 g cm]",
        "'1 g cm' is not a moment of inertia, which is taken in kg m^2; write it as in 12 kg mm^2",
    ),
    ("xy: 10 g m^2", "xy: |10 N", "'10 N' is not a moment of inertia, which is taken in kg m^2; write it as in 12 kg"),
    ("7.85 g/cm^3", "|7.85 g", "'7.85 g' is not a density, which is taken in kg/m^3; write it as in 7.85 g/cm^3"),
    ("size: [20 cm", "size: [|20deg", "'20deg' is not a length, which is taken in m; write it as in 20 cm"),
    ("5 kg mm]", "|5 kg]", "'5 kg' is not a first moment of mass, which is taken in kg m; write it as in 5 kg mm"),
    ("1 m]", "|30deg]", "'30deg' is not a length, which is taken in m; write it as in 20 cm"),
    ("[z, 45deg]", "[z, |45 m]", "'45 m' is not an angle, which is taken in rad; write it as in 30 deg"),
    ("90deg, 30deg", "|90 Deg, 30deg", "'Deg' is no unit that is known; did you mean deg?"),
    ("armature: 120 g cm^2", "armature: |120 g", "'120 g' is not a moment of inertia, which is taken in kg m^2; write"),
    ("armature: 20 g", "armature: |20 g m^2", "'20 g m^2' is not a mass, which is taken in kg; write it as in 500 g"),
    ("300 rpm", "|300 Hz", "'300 Hz' is not an angular velocity, which is taken in rad/s; write it as in 3000 rpm"),
    ("effort: 5 Nm", "effort: |5 N", "'5 N' is not a moment, which is taken in N m; write it as in 2 N m"),
    ("initial: 30deg", "initial: |30 mm", "'30 mm' is not an angle, which is taken in rad; write it as in 30 deg"),
    ("[2 mm, 10deg]", "[|2deg, 10deg]", "'2deg' is not a length, which is taken in m; write it as in 20 cm"),
    ("5 mm/rev", "|5 mm", "'5 mm' is not a pitch, which is taken in m/rad; write it as in 5 mm/rev"),
    ("2 rad/mm", "|2 mm", "'2 mm' is not what is asked for, which is taken in rad/m; write it as in 1 rad/m"),
    (
        "5 N m/deg, ref",
        "|5 N/m, ref",
        "'5 N/m' is not a torsional stiffness, which is taken in N m/rad; write it as in",
    ),
    ("0.5 N/mm", "|0.5 N m/rad", "'0.5 N m/rad' is not a stiffness, which is taken in N/m; write it as in 5 N/mm"),
    ("5 N s/mm", "|5 N s", "'5 N s' is not a damping coefficient, which is taken in N s/m; write it as in 5 N s/m"),
    ("1 deg/s", "|1 m/s", "'1 m/s' is not an angular velocity, which is taken in rad/s; write it as in 3000 rpm"),
    ("expression: 2 kN", "expression: |2 Nm", "'2 Nm' is not a force, which is taken in N; write it as in 1.5 kN"),
    ("length: 40 cm", "length: |40 g", "'40 g' is not a length, which is taken in m; write it as in 20 cm"),
    ("-981 cm/s^2", "|-981 cm/s", "'-981 cm/s' is not an acceleration, which is taken in m/s^2; write it as in 9.81"),
    ("upper: 1.5 kN", "upper: |1.5 kg", "'1.5 kg' is not a force, which is taken in N; write it as in 1.5 kN"),
    ("5 N m/deg, unit: N m/rad", "|5 N m, unit: N mm", "the unit N mm is not of SI; write unit: N m, or leave it out"),
    ("20 cm, unit: m", "|20 cm, unit: kg", "'20 cm' is not a mass, which is taken in kg; write it as in 500 g"),
    (
        "hinge: 10deg, rail",
        "hinge: |10 mm, rail",
        "'10 mm' is not an angle, which is taken in rad; write it as in 30 d",
    ),
    ("axis: y", "axis: [0, |1 m, 0]", "'1 m' has a unit where none is taken; write a number alone"),
    ("initial: 30deg", "initial: |30 L", "'L' is no unit that is known; units are m, in, ft, g, lb, s, min, h, rad"),
]
"""What is written in place of what, the refused value behind a bar, and what is said of it."""


@pytest.mark.parametrize(("old", "new", "message"), REFUSED, ids=[row[1] for row in REFUSED])
def test_what_measures_something_else_is_refused_at_its_place(old: str, new: str, message: str) -> None:
    before, _, behind = IN_UNITS.partition(old)
    assert behind
    before += new.partition("|")[0]
    with pytest.raises(mbsym.MbsymError) as caught:
        read(before + new.partition("|")[2] + behind)
    where = f"lever.yaml:{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
    assert str(caught.value).startswith(f"{where}: {message}")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new"), [("L: 30 cm", "L: 2 + 30 cm"), ("[1 mm, 0", "[2*1 mm, 0"), ("initial: 30deg", "initial: 2*30°")]
)
def test_units_inside_expressions_are_refused(old: str, new: str) -> None:
    with pytest.raises(mbsym.MbsymError, match=f": this is no expression; {re.escape(BESIDE)}$"):
        read(IN_UNITS.replace(old, new, 1))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("gain: 5 N", "'5 N' has a unit where none is taken; write a number alone"),
        ("gain: 5 x", "'x' is no unit that is known"),
    ],
)
def test_what_no_joint_decides_is_refused_by_name(row: str, message: str) -> None:
    text = (
        "inputs: [u]\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: [cylindrical, ground, a]}\n"
        f"forces: {{motor: {{type: actuator, joint: j, input: u, {row}}}}}\n"
    )
    with pytest.raises(mbsym.MbsymError) as caught:
        read(text)
    assert str(caught.value).startswith(f"lever.yaml:4:60: {message}")


def test_a_rotor_of_a_joint_that_slides_and_turns_has_no_unit() -> None:
    text = (
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {j: {type: cylindrical, from: ground, to: a, armature: 1 kg}}\n"
    )
    with pytest.raises(mbsym.MbsymError, match=r"lever.yaml:2:64: '1 kg' has a unit where none is taken"):
        read(text)


def test_a_number_with_letters_behind_it_is_no_product_with_a_parameter_of_that_name() -> None:
    """The rule of the page: units come first, products have an operator."""
    text = (
        "parameters: {m: 7}\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {j: {type: revolute, from: ground, to: a, at: [2 m, 2*m, 0]}}\n"
    )
    model = read(text)
    assert model.joints[0].predecessor_placement.translation == (2, "2*m", 0)
    with pytest.raises(mbsym.MbsymError, match="'2 m' is not a mass"):
        read(text.replace("mass: 1", "mass: 2 m"))


def test_the_schema_takes_text_where_numbers_stand() -> None:
    tables = json_schema()["$defs"]
    body = tables["BodyTable"]["anyOf"][0]["properties"]
    joint = tables["JointTable"]["anyOf"][0]["properties"]
    spring = tables["JointSpringTable"]["properties"]
    for entry in (body["mass"], body["center_of_mass"]["items"], joint["armature"], spring["stiffness"]):
        assert entry["type"] == ["number", "string"]


# ---- Python ----------------------------------------------------------------------------------------------------------


def arm(**more: Any) -> Model:
    bodies = Body("a", "500 g", (0, 0, "1 cm"), ("12 kg mm^2",) * 3), Body("b", 1, inertia=(1, 1, 1))
    joints = (
        Joint("turn", "revolute", "ground", "a", "y", initial="30deg", upper="90deg", armature="1 kg mm^2"),
        Joint("slide", "prismatic", "a", "b", lower=["-2 mm"]),
    )
    return Model("arm", bodies, joints, **more)


def test_models_in_python_are_in_si() -> None:
    model = arm(
        gravity=["0 m/s^2", 0, "-1 cm/s^2"],
        forces=(JointSpring("k", "turn", "5 N m/deg"), JointDamper("d", "slide", "5 N s/mm")),
        couplings=(Coupling("slide", "turn", "5 mm/rev", "1 mm"),),
        parameters=(Parameter("L", "30 cm"),),
        inputs=(ControlInput("u", upper="2 kN"),),
        outputs=(NamedExpression("y", "3 cm", "m"),),
    )
    require_valid(model)
    assert model.bodies[0] == Body("a", "0.5", (0, 0, "0.01"), ("0.000012",) * 3)
    turn, slide = model.joints
    assert (turn.initial, turn.upper, turn.armature, slide.lower) == (("pi/6",), ("pi/2",), "0.000001", ("-0.002",))
    assert model.gravity == (0, 0, "-0.01")
    assert model.forces == (JointSpring("k", "turn", "900/pi"), JointDamper("d", "slide", 5000))
    assert model.couplings == (Coupling("slide", "turn", "1/(400*pi)", "0.001"),)
    assert model.parameters == (Parameter("L", "0.3", "m"),) and model.inputs == (ControlInput("u", "N", None, 2000),)
    assert model.outputs[0].expression == "0.03"


def test_wrong_units_in_python_are_told_with_their_entries() -> None:
    with pytest.raises(ModelError, match=r"joints\[0\].initial\[0\]: '3 mm' is not an angle"):
        require_valid(Model("m", (Body("a"),), (Joint("j", "revolute", "ground", "a", initial="3 mm"),)))
    with pytest.raises(ModelError, match="pitch of joint 'j': '3 mm' is not a pitch"):
        Joint("j", "helical", "ground", "a", pitch="3 mm")
    with pytest.raises(ModelError, match="stiffness of 's': '3 mm' is not a stiffness"):
        PointSpringDamper("s", "ground", "a", stiffness="3 mm")
    with pytest.raises(ModelError, match="size of 'box': '3 kg' is not a length"):
        mbsym.Box(("3 kg", 1, 1))


def test_unknown_joints_are_told_before_units() -> None:
    model = arm(forces=(JointSpring("k", "nothing", "5 N m/deg"), JointSpring("l", "turn", "5 m", index=3)))
    with pytest.raises(ModelError, match="refers to joint 'nothing', which does not exist"):
        require_valid(model)


def test_parts_in_python_take_units() -> None:
    part = arm(parameters=(Parameter("L", 1, "m"),))
    whole = with_submodel(Model("whole"), part, "left_", parameters={"L": "30 cm"})
    assert whole.parameters == (Parameter("left_L", "0.3", "m"),)

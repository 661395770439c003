"""Shapes of model files: read, kept where bodies are merged, written and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbsym.errors import FormatError, ModelError
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.native import read_native
from mbsym.formats.native.schema import json_schema
from mbsym.formats.native.text import dump_native
from mbsym.formats.sdf import read_sdf
from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import read_urdf
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.shape import Shape
from mbsym.model.system import Model
from mbsym.model.validate import require_valid
from mbsym.pipeline import generate, read
from mbsym.shapes.forms import FORMS, Box, Capsule, Cylinder, Ellipsoid, Form, Mesh, Sphere

ARM = """name: arm
parameters: {l: 0.4}
bodies:
  rod:
    mass: 1
    inertia: [1, 1, 1]
    geometry:
      - {type: cylinder, radius: 0.2, length: l, at: {translation: [0, 0, -l/2], rpy: [0, 0.1, 0]}, color: [1, 0, 0, 1]}
      - {type: mesh, file: meshes/rod.stl, scale: [0.001, 0.001, 0.001], name: "a: b"}
      - {type: capsule, radius: 0.1, length: 0.2}
      - {type: sphere, radius: 0.1, at: [0, 1, 0]}
      - {type: ellipsoid, radii: [0.1, 0.2, l]}
joints: {pin: {type: revolute, from: ground, to: rod}}
ground_geometry:
  - {type: box, size: [1, 1, 0.1]}
"""

ROBOT = """<robot name="r">
<material name="red"><color rgba="1 0 0 1"/></material>
<link name="base"><visual><geometry><box size="1 2 3"/></geometry><material name="red"/></visual></link>
<link name="arm">
 <visual name="v"><origin xyz="0 0 1" rpy="0 0 0.3"/>
  <geometry><mesh filename="package://r/a.dae" scale="2 2 2"/></geometry>
  <material name="x"><color rgba="0 0.5 0 0.5"/></material></visual>
 <collision><geometry><sphere radius="1"/></geometry></collision>
 <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="tool"><collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>
 <visual><geometry><sphere radius="0"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
<joint name="k" type="fixed"><parent link="arm"/><child link="tool"/>
 <origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/></joint>
</robot>"""

WALKER = """<mujoco><compiler meshdir="parts"/><asset><mesh name="shell" file="shell.stl" scale="2 2 2" refpos="0 0 1"/>
<material name="blue" rgba="0 0 1 1"/></asset>
<worldbody><geom type="plane" size="1 1 1"/><geom type="box" size="1 2 3"/>
<body name="a"><joint axis="0 1 0"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>
<frame name="held" pos="0 0 1"><geom type="capsule" size="0.1 0.2" pos="1 0 0" material="blue"/></frame>
<geom type="mesh" mesh="shell" pos="0 1 0"/><geom size="0.5" group="3"/>
<body name="b" pos="0 0 2"><geom size="0.5" group="4" rgba="1 1 0 1" name="g"/>
<geom type="ellipsoid" size="1 2 3" group="4"/></body></body></worldbody></mujoco>"""


def native(text: str) -> Model:
    return read_native(TextSource("arm.yaml", text))


def test_shapes_are_read_and_written() -> None:
    model = native(ARM)
    assert model.shapes == (
        Shape("ground", Box((1, 1, "0.1"))),
        Shape("rod", Cylinder("0.2", "l"), Placement((0, 0, "-l/2"), (("y", "0.1"),)), (1, 0, 0, 1)),
        Shape("rod", Mesh("meshes/rod.stl", ("0.001", "0.001", "0.001")), name="a: b"),
        Shape("rod", Capsule("0.1", "0.2")),
        Shape("rod", Sphere("0.1"), Placement((0, 1, 0))),
        Shape("rod", Ellipsoid(("0.1", "0.2", "l"))),
    )
    assert native(dump_native(model)) == model
    assert repr(model) == "<Model 'arm': 1 bodies, 1 joints, 1 parameters, 6 shapes>"


def test_the_schema_has_every_form() -> None:
    tables = json_schema()["$defs"]
    assert {f"{record.element.__name__}Table" for record in FORMS.values()} <= set(tables)
    assert tables["CylinderTable"]["required"] == ["type", "radius", "length"]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("radius: 0.2", "radius: -1", "8:34", "the radius of a cylinder of 'rod' is not positive"),
        ("radius: 0.2", "radios: 1", "8:26", "unknown key 'radios'; did you mean 'radius'?"),
        ("[1, 0, 0, 1]", "[8, 0, 0, 1]", "8:108", "a part of the colour of a cylinder of 'rod' lies outside"),
        ("[1, 0, 0, 1]", "[1, 0, 0]", "8:108", "3 values where red, green, blue and opacity belong"),
        ("file: meshes/rod.stl, ", "", "9:9", "the entry 'file' is missing"),
        ("file: meshes/rod.stl", 'file: " "', "9:28", "the file of a mesh of 'rod' is empty"),
        ("type: box", "type: bix", "15:12", "there is no type 'bix' here; use one of box, sphere"),
        ("0, -l/2", "0, -k/2", "8:76", "unknown name k"),
        ("[1, 1, 0.1]", "[1, 1, 0]", "15:23", "the size of a box of 'ground' is not positive"),
        ("- {type: box, size: [1, 1, 0.1]}", "box", "15:3", "no list where shapes belong"),
    ],
)
def test_mistakes_are_found_where_they_are(old: str, new: str, place: str, message: str) -> None:
    assert old in ARM
    with pytest.raises(FormatError) as caught:
        native(ARM.replace(old, new))
    assert caught.value.where == f"arm.yaml:{place}"
    assert message in str(caught.value)


def test_shapes_on_nothing_are_refused() -> None:
    model = Model(
        "m", (Body("a", 1, inertia=(1, 1, 1, 0, 0, 0)),), (Joint("j", "revolute", "ground", "a"),),
        shapes=(Shape("b", Sphere(1)),),
    )  # fmt: skip
    with pytest.raises(ModelError, match="a sphere is on body 'b', which does not exist; use one of a, ground"):
        require_valid(model)


def test_a_robot_shows_what_is_seen_and_else_what_collides() -> None:
    model = read_urdf(TextSource("r.urdf", ROBOT))
    assert model.shapes == (
        Shape("base", Box((1, 2, 3)), color=(1, 0, 0, 1)),
        Shape(
            "arm",
            Mesh("package://r/a.dae", (2, 2, 2)),
            Placement((0, 0, 1), (("z", "0.3"),)),
            (0, "0.5", 0, "0.5"),
            "v",
        ),
        Shape("arm", Cylinder("0.1", "0.4"), Placement((1, 0, 0), (("z", "pi/2"),))),
    )
    assert native(dump_native(model)).shapes == model.shapes


def test_impossible_pictures_do_not_stop_equations() -> None:
    model = read_urdf(
        TextSource("r.urdf", ROBOT.replace('rgba="1 0 0 1"', 'rgba="255 0 0 1"').replace("1 2 3", "1 2 0"))
    )
    assert [shape.body for shape in model.shapes] == ["arm", "arm"]


def test_geoms_are_shapes() -> None:
    model = read_mjcf(TextSource("w.xml", WALKER))
    form: Form = Mesh("parts/shell.stl", (2, 2, 2))
    assert model.shapes == (
        Shape("world", Box((2, 4, 6))),
        Shape("a", Capsule("0.1", "0.4"), Placement((1, 0, 1)), (0, 0, 1, 1)),
        Shape("a", form, Placement((0, 1, -2))),
        Shape("a", Sphere("0.5"), Placement((0, 0, 2)), (1, 1, 0, 1), "g"),
        Shape("a", Ellipsoid((1, 2, 3)), Placement((0, 0, 2))),
    )
    assert model.frame("held").placement == Placement((0, 0, 1))
    assert native(dump_native(model)).shapes == model.shapes


def test_shapes_change_no_code(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(ARM, encoding="utf-8")
    model = read(path)
    assert model.directory == str(tmp_path)
    bare = native("\n".join(ARM.splitlines()[:6] + ARM.splitlines()[12:13]))
    assert bare.shapes == ()
    for name, each in (("with", model), ("without", bare)):
        generate(each, tmp_path / name, functions=["mass_matrix"])
    for file in sorted((tmp_path / "with").iterdir()):
        assert file.read_bytes() == (tmp_path / "without" / file.name).read_bytes()


WORLD = """<sdf version="1.11"><model name="m"><link name="a"><pose>0 0 1 0 0 0</pose>
<visual name="v"><pose>0 0 1 0 0 0.3</pose><geometry><box><size>1 2 3</size></box></geometry>
<material><diffuse>1 0 0</diffuse></material></visual>
<visual name="w"><geometry><mesh><uri>model://m/a.stl</uri><scale>2 2 2</scale></mesh></geometry></visual>
<visual name="p"><geometry><plane/></geometry></visual>
<collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision>
<inertial><mass>1</mass><inertia><ixx>1</ixx></inertia></inertial></link>
<link name="b"><pose relative_to="a">0 0 1 0 0 0</pose>
<collision name="c"><geometry><capsule><radius>1</radius><length>2</length></capsule></geometry></collision>
<inertial><mass>1</mass><inertia><ixx>1</ixx></inertia></inertial></link>
<joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="k" type="fixed"><parent>a</parent><child>b</child></joint></model></sdf>"""


def test_visuals_of_an_sdf_are_shapes() -> None:
    model = read_sdf(TextSource("m.sdf", WORLD))
    assert model.shapes == (
        Shape("a", Box((1, 2, 3)), Placement((0, 0, 1), (("z", "0.3"),)), (1, 0, 0, 1), "v"),
        Shape("a", Mesh("model://m/a.stl", (2, 2, 2)), name="w"),
        Shape("a", Capsule(1, 2), Placement((0, 0, 1)), name="c"),
    )

"""Model files of every format, and what becomes of them when their values, names and references are replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from mbsym.errors import DerivationError, FormatError, TopologyError
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.native import read_native
from mbsym.formats.registry import example_path
from mbsym.formats.sdf import read_sdf
from mbsym.formats.text_source import TextSource, decoded
from mbsym.formats.urdf import read_urdf
from mbsym.formats.urdf.loop_file import parse_loops
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, express

BAD_VALUES: Final = (
    "", " ", "nan", "-inf", ".inf", "1e400", "1e-400", "-1", "0", "1e110", "1e-110", "1e200 0 1", "1e-200 0 0",
    "0 0 0", "1e110 1e110 1e110", "1 2", "1 2 3 4 5 6 7 8", "9" * 30, "9" * 700, "1e99999999999", "1_000", "1,5",
    "\N{ARABIC-INDIC DIGIT ONE}\N{ARABIC-INDIC DIGIT TWO}", "0x10", "1:30",
    "--1", "1e", "[1, 2]", "[]", "{a: 1}", "{}", "- a", "null", "~", "true",
    "off", "no_such_name", "no such name", "\N{CYRILLIC SMALL LETTER IO}\N{SNOWMAN}", "pi", "q", "t",
    "1/0", "sqrt(-1)", "1e200*1e200", "1e-200*1e-200",
    "2**64**2", "((((((((", "a.b[0]", "lambda: 1", "gcc \"x'", "'", '"', "x" * 20_000, "\0", "\x07", "\ufffe",
    "*alias", "&anchor 1", "!!python/object:os.system {}", "|", "#", "%", "@", "`", "<x>", "&bogus;", "&#0;",
    "${x}", "{{ x }}", "{% x %}", "../../x", "-", "NaN", "x", "-z", "z z",
)  # fmt: skip
"""What stands in for a value: nothing, no number, numbers no double holds, wrong counts, other types, and syntax."""

EVERYTHING: Final = """\
name: everything
description: One of each.
gravity: [0, 0, -9.81]
ground: floor
free_roots: false
accept_impossible_inertia: false
parameters:
  m: {value: 1.5, unit: kg, symbolic: true}
  l: 0.5
  k: 2*l
inputs:
  push: N
bodies:
  cart: {mass: m, center_of_mass: [0, 0, l/2], inertia: [0.1, 0.1, 0.1]}
  arm: {mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.1, xy: 0.01}, inertia_about: frame}
  ball: {mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
  screw: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  cross: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  drone: {density: m, geometry: [{type: capsule, radius: 0.1, length: l}, {type: ellipsoid, radii: [1, l, k]}]}
joints:
  rail: {type: prismatic, from: floor, to: cart, axis: x, armature: 0.1, actuated: true, cut: tree, weight: 3}
  hinge:
    type: revolute
    from: cart
    to: arm
    axis: [0, 3, 4]
    at: {translation: [0, 0, l], rpy: [0.1, 0.2, 0.3]}
    at_successor: {rotation: [[x, pi/2], [z, 0.1]]}
    limits: {lower: -1, upper: 1, effort: 10, velocity: 3}
    initial: 0.3
    coordinates: phi
    speeds: [omega]
    reaction_wanted: true
  socket: {type: spherical, from: arm, to: ball, at: {quaternion: [0.8, 0.6, 0, 0]}, initial: [1, 0, 0, 0]}
  thread: {type: helical, from: floor, to: screw, pitch: 0.01}
  gimbal: {type: universal, from: floor, to: cross, axis: x, second_axis: y, at: [0, 1, 0]}
  sky: [free, floor, drone]
forces:
  motor: {type: actuator, joint: rail, input: push, gain: 2}
  bearing: {type: joint_damper, joint: hinge, damping: 0.1, index: 0}
  dry: {type: joint_friction, joint: hinge, magnitude: 0.1, transition_speed: 0.01}
  spring: {type: joint_spring, joint: hinge, stiffness: 3, reference: 0.1}
  law: {type: joint_force, joint: rail, expression: -k*q_rail**3 + sin(t)}
  cable:
    type: point_spring_damper
    first_body: cart
    second_body: drone
    stiffness: 3
    damping: 0.1
    free_length: 1
    first_point: [0, 0, 1]
  wind: {type: applied_wrench, body: drone, force: [sin(t), 0, 0], moment: [0, 0, k], point: [0, 0, 1], axes: body}
couplings:
  thread: {source: rail, ratio: 2, offset: 0.1}
constraints:
  rod: {type: distance, first_body: cart, second_body: drone, length: 1.5, second_point: [0, 0, 1]}
  mesh: {type: gear, first_joint: hinge, second_joint: rail, ratio: 3, offset: 0.1}
  slot: {type: point_on_line, first_body: floor, second_body: ball, line_point: [0, 0, 1], line_direction: [1, 0, 0]}
states:
  home: {q: {hinge: l, socket: [1, 0, 0, 0]}, v: {hinge: 0.1}}
pinocchio_order: [rail, hinge]
ground_geometry:
  - {type: box, size: [1, l, 0.1], at: {translation: [0, 0, l], rpy: [0, 0, 0.1]}, color: [1, 0, 0, 1], name: floor}
  - {type: mesh, file: a.stl, scale: [1, 1, 1]}
  - {type: sphere, radius: 0.3}
  - {type: cylinder, radius: 0.3, length: 1}
"""

LOOPS: Final = """\
joints:
  closing: {type: revolute, from: upper, to: tool, axis: z, at: [0.1, 0, 0], at_successor: [0.2, 0, 0], cut: cut}
constraints:
  rod: {type: distance, first_body: upper, second_body: fore, first_point: [0.1, 0, 0], length: 0.2}
"""

PAIRS: Final = """\
closed_loop: [[upper, tool], [shoulder, hand], [base, fore], [tool, base]]
type: [3d, '6D', 3D, "3d"]
name_mot: [shoulder, elbow]
joint_name: [slide, elbow]
joint_type: [UJOINT_XY, SPHERICAL]
"""

URDF: Final = """\
<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.5" rpy="0.1 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0.01" ixz="0" iyz="0"/>
    </inertial>
    <visual name="v"><origin xyz="0 0 1" rpy="0 0 0.1"/><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <link name="fore"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
  <link name="hand"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
  <link name="tool"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 1" rpy="0 0.3 0"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="3"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="elbow" type="continuous">
    <origin xyz="0 0 1"/><parent link="upper"/><child link="fore"/><axis xyz="0 0.6 0.8"/>
    <mimic joint="shoulder" multiplier="2" offset="0.1"/>
  </joint>
  <joint name="wrist" type="fixed">
    <origin xyz="0 0.1 0" rpy="0.1 0.2 0.3"/><parent link="fore"/><child link="hand"/>
  </joint>
  <joint name="slide" type="prismatic">
    <origin rpy="0 0 1.5708"/><parent link="hand"/><child link="tool"/><axis xyz="1 0 0"/><limit lower="0" upper="1"/>
  </joint>
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="tip">
    <visual><geometry><mesh filename="package://a/b.stl" scale="1 1 1"/></geometry><material name="red"/></visual>
    <collision><geometry><cylinder radius="1" length="2"/></geometry></collision></link>
  <joint name="end" type="fixed"><parent link="tool"/><child link="tip"/></joint>
</robot>
"""

MJCF: Final = """\
<mujoco model="arm">
  <compiler angle="radian" eulerseq="xyz" coordinate="local" inertiafromgeom="auto"/>
  <option gravity="0 0 -9.81" density="0"><flag gravity="enable"/></option>
  <default>
    <joint damping="0.1"/>
    <default class="light"><geom type="capsule" density="500" size="0.1"/></default>
  </default>
  <worldbody>
    <body name="upper" pos="0 0 1" euler="0.1 0.2 0.3" childclass="light">
      <joint name="shoulder" type="hinge" axis="0 1 0" pos="0 0 0.1" range="-1 1" ref="0.2" armature="0.1"/>
      <joint type="slide" axis="0 3 4" stiffness="3" springref="0.1"/>
      <geom type="capsule" size="0.1 0.2"/>
      <body name="fore" pos="0 0 1" quat="0.8 0.6 0 0">
        <joint name="elbow" axis="0 1 0" frictionloss="0.1" limited="false"/>
        <inertial pos="0 0 0.5" mass="1" fullinertia="0.1 0.1 0.1 0 0 0.01"/>
        <body xyaxes="1 0 0 0 1 0.1"><geom fromto="0 0 0 0 0 1" mass="1"/></body>
        <body name="tool" zaxis="0 1 1">
          <joint name="wrist" type="ball"/>
          <geom type="box" size="0.1 0.2 0.3" class="light"/>
        </body>
      </body>
    </body>
    <body name="drone" pos="1 0 0">
      <freejoint name="sky"/>
      <inertial mass="1" diaginertia="0.1 0.11 0.12" pos="0 0 0.1" axisangle="0 1 0 0.2"/>
    </body>
  </worldbody>
  <equality>
    <connect name="close" body1="tool" body2="drone" anchor="0 0 1"/>
    <weld body1="fore" body2="drone" relpose="0 0 1 1 0 0 0" active="false"/>
    <joint joint1="elbow" joint2="shoulder" polycoef="0 2 0 0 0"/>
  </equality>
  <actuator><motor name="m" joint="shoulder"/></actuator>
  <compiler boundmass="0.001" boundinertia="0.00001" inertiagrouprange="0 5" autolimits="true" balanceinertia="true"/>
  <asset>
    <mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 1 2 3 0 3 2" inertia="exact" scale="1 1 2"/>
    <mesh name="hull" vertex="0 0 0 1 0 0 0 1 0 0 0 1" refpos="0 0 1" refquat="1 1 0 0"/>
    <mesh name="seen" file="a.stl"/><material name="red" rgba="1 0 0 1"/>
  </asset>
  <worldbody>
    <frame name="outer" pos="0 1 0" euler="0 0 0.3" childclass="light">
      <frame pos="0 0 1">
        <body name="nest">
          <joint name="n" springdamper="0.1 1"/>
          <geom type="mesh" mesh="tetra" density="10"/><geom type="mesh" mesh="hull" mass="1" material="red" group="1"/>
          <geom type="mesh" mesh="seen" mass="0" rgba="0 1 0 0.5"/>
          <replicate count="2" offset="0 0 1" euler="0 0 0.1"><geom size="0.1 0.2"/><site name="s"/></replicate>
        </body>
      </frame>
    </frame>
  </worldbody>
  <keyframe>
    <key name="start" qpos="0 0 0 1 0 0 0 1 0 0 1 0 0 0 0.1" qvel="0 0 0 0 0 0 1 2 3 4 5 6 7"/>
  </keyframe>
</mujoco>
"""

SDF: Final = """\
<?xml version="1.0"?>
<sdf version="1.9">
  <world name="yard">
    <gravity>0 0 -9.81</gravity>
    <model name="arm" canonical_link="base" placement_frame="base">
      <pose degrees="true">0 0 1 0 0 30</pose>
      <static>false</static>
      <link name="base">
        <inertial>
          <pose>0 0 0.5 0.1 0 0</pose>
          <mass>2</mass>
          <inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz><ixy>0.01</ixy><ixz>0</ixz><iyz>0</iyz></inertia>
        </inertial>
        <velocity_decay><linear>0.1</linear></velocity_decay>
      </link>
      <link name="upper">
        <pose relative_to="tip">0 0 1 0 0.3 0</pose><inertial><mass>1</mass><inertia/></inertial>
      </link>
      <link name="fore"><pose rotation_format="quat_xyzw">0 0 2 0 0.6 0 0.8</pose></link>
      <link name="hand">
        <gravity>true</gravity><inertial auto="true"><density>800</density></inertial>
        <visual name="v">
          <pose>0 0 1 0 0 0</pose><geometry><mesh><uri>hand.stl</uri><scale>1 1 2</scale></mesh></geometry>
          <material><diffuse>0.1 0.2 0.3 1</diffuse></material>
        </visual>
        <collision name="c">
          <density>900</density><pose>0 0 1 0 0.3 0</pose><geometry><box><size>0.1 0.2 0.3</size></box></geometry>
        </collision>
        <collision name="d"><geometry><cylinder><radius>0.1</radius><length>1</length></cylinder></geometry></collision>
      </link>
      <model name="tool"><pose relative_to="fore">0 0 1 0 0 0</pose><link name="disc"/><frame name="rim"/></model>
      <frame name="tip" attached_to="base"><pose>0 0 0.5 0 0 0</pose></frame>
      <joint name="shoulder" type="revolute">
        <parent>base</parent><child>upper</child><pose relative_to="tip">0 0 0.1 0 0 0</pose>
        <axis>
          <xyz expressed_in="__model__">0 0.6 0.8</xyz>
          <limit><lower>-1</lower><upper>1</upper><effort>10</effort><velocity>3</velocity></limit>
          <dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>3</spring_stiffness></dynamics>
        </axis>
      </joint>
      <joint name="elbow" type="revolute2">
        <parent>upper</parent><child>fore</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>
      </joint>
      <joint name="wrist" type="fixed"><parent>fore</parent><child>hand</child></joint>
      <joint name="thread" type="screw">
        <parent>hand</parent><child>tool::disc</child><screw_thread_pitch>0.02</screw_thread_pitch>
        <axis><xyz>0 0 1</xyz><mimic joint="shoulder"><multiplier>2</multiplier><offset>0.1</offset></mimic></axis>
      </joint>
      <joint name="spin" type="continuous"><parent>base</parent><child>hand</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="gear" type="gearbox">
        <parent>upper</parent><child>hand</child><gearbox_reference_body>base</gearbox_reference_body>
        <gearbox_ratio>0.1</gearbox_ratio>
        <axis><xyz expressed_in="shoulder">0 0.6 0.8</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>
      </joint>
      <joint name="close" type="ball">
        <parent>world</parent><child>tool::rim</child>
        <physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>
      </joint>
    </model>
  </world>
</sdf>
"""


def _read_loops(source: TextSource) -> Model:
    return read_urdf(TextSource("arm.urdf", URDF), LoadOptions(), parse_loops(source))


def _read_pairs(source: TextSource) -> Model:
    return read_urdf(TextSource("arm.urdf", URDF), LoadOptions(mimic="ignore"), parse_loops(source))


@dataclass(frozen=True, slots=True)
class Seed:
    """A sound model file.

    Attributes:
        suffix: of the file.
        text: what is in it.
        read: makes a model of it.
    """

    suffix: str
    text: str
    read: Callable[[TextSource], Model]


def _example(name: str) -> Seed:
    return Seed(".yaml", example_path(name).read_text(encoding="utf-8"), read_native)


SEEDS: Final[Mapping[str, Seed]] = {
    "everything": Seed(".yaml", EVERYTHING, read_native),
    **{name: _example(name) for name in ("cart_pole", "four_bar", "rhombus_planar", "qi_closed_loops")},
    "urdf": Seed(".urdf", URDF, read_urdf),
    "mjcf": Seed(".xml", MJCF, read_mjcf),
    "sdf": Seed(".sdf", SDF, read_sdf),
    "loops": Seed(".loops.yaml", LOOPS, _read_loops),
    "pairs": Seed(".yaml", PAIRS, _read_pairs),
}
"""By name; each format is there."""


# ---- places ---------------------------------------------------------------------------------------------------------

Span = tuple[int, int]
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*"([^"]*)\"""")
_TAG = re.compile(r"</?([\w:.-]+)")
_TEXT = re.compile(r">([^<>\s][^<>]*)<")


def scalars(seed: Seed) -> list[Span]:
    """Where the values, keys, names and tags of a file stand in its text."""
    if "yaml" in seed.suffix:
        return sorted(_yaml_spans(seed.text))
    values = [found.span(2) for found in _ATTRIBUTE.finditer(seed.text)]
    words = [found.span(1) for pattern in (_ATTRIBUTE, _TAG, _TEXT) for found in pattern.finditer(seed.text)]
    return sorted((*values, *words))


def _yaml_spans(text: str) -> Iterator[Span]:
    import yaml

    stack = [yaml.compose(text)]
    while stack:
        node: Any = stack.pop()
        yield node.start_mark.index, node.end_mark.index
        for item in node.value if isinstance(node.value, list) else ():
            stack += item if isinstance(item, tuple) else (item,)


def replaced(seed: Seed) -> Iterator[tuple[Span, str, str]]:
    """Each place, each bad value, and the text with one in the other's place."""
    for start, end in scalars(seed):
        for value in BAD_VALUES:
            yield (start, end), value, seed.text[:start] + value + seed.text[end:]


# ---- outcomes -------------------------------------------------------------------------------------------------------

PLACE: Final = re.compile(r"model\.(yaml|urdf|xml|sdf|loops\.yaml):\d+:\d+: .")

Outcome = Literal["taken", "refused", "no place", "traceback"]


def outcome(seed: Seed, text: str | bytes) -> tuple[Outcome, str]:
    """What becomes of a text in the place of a seed's: what it should not be is "no place" or "traceback".

    A model that is taken is labelled and its equations begun; what is refused later than by the reader has a name for
    its place.
    """
    content = text if isinstance(text, bytes) else text.encode("utf-8", errors="surrogatepass")
    try:
        model = seed.read(decoded(f"model{seed.suffix}", content))
    except FormatError as error:
        return ("refused" if PLACE.match(str(error)) else "no place"), str(error)
    except Exception as error:
        return "traceback", f"{type(error).__name__}: {error}"
    try:
        model.label()
        express(model, GenerationOptions())
    except (DerivationError, TopologyError) as error:
        return ("refused" if error.where else "no place"), str(error)
    except Exception as error:
        return "traceback", f"after reading, {type(error).__name__}: {error}"
    return "taken", ""

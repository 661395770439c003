"""Mistakes in SDF files: each with its place, what is wrong and what to do."""

from __future__ import annotations

import pytest

from mbsym.errors import FormatError
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.sdf import read_sdf
from mbsym.formats.text_source import TextSource

FILE = """\
<sdf version="1.7">
 <model name="m">
  <link name="a">
   <pose>0 0 1 0 0 0</pose>
   <inertial><mass>1</mass><inertia><ixx>1</ixx></inertia></inertial>
  </link>
  <link name="b"/>
  <link name="c"/>
  <frame name="f" attached_to="a"><pose relative_to="b">0 0 1 0 0 0</pose></frame>
  <frame name="g" attached_to="f"/>
  <joint name="p" type="revolute">
   <parent>a</parent><child>b</child>
   <axis><xyz expressed_in="f">0 0 1</xyz></axis>
  </joint>
  <joint name="q" type="revolute"><parent>a</parent><child>c</child>
   <axis><xyz>0 0 1</xyz></axis>
  </joint>
  <joint name="gear" type="gearbox"><parent>b</parent><child>c</child>
   <gearbox_reference_body>a</gearbox_reference_body><gearbox_ratio>2</gearbox_ratio>
   <axis><xyz>0 0 1</xyz></axis>
   <axis2><xyz>0 0 1</xyz></axis2>
  </joint>
 </model>
</sdf>
"""

MISTAKES = {
    "no SDF": ("sdf", "robot", "1:1", "<robot> is no description in SDF; give .* .urdf"),
    "no version": (' version="1.7"', "", "1:1", "<sdf> has no version; versions 1.4 to 1.12 are read"),
    "an old version": ("1.7", "1.3", "1:1", "SDF of version '1.3' is not read"),
    "no model": ("model", "actor", "1:1", "the file has no <world> or <model>"),
    "two models": ("</model>", '</model><model name="n"/>', "23:10", "a <model> beside the <model> of line 2"),
    "no name": (' name="b"', "", "7:3", "<link> has no name"),
    "a reserved name": ('name="b"', 'name="world"', "7:3", "the name 'world' is reserved"),
    "two of a name": ('name="b"', 'name="a"', "7:3", "two links are named 'a', the first in line 3"),
    "a frame like a link": ('frame name="f"', 'frame name="c"', "9:3", "a frame and the link of line 8 are both named"),
    "an unknown frame": ('relative_to="b"', 'relative_to="bb"', "9:35", "the pose of frame 'f' refers to 'bb'.*'b'"),
    "nearly the model": ('relative_to="b"', 'relative_to="__modl__"', "9:35", "refers to '__modl__'.*'__model__'"),
    "an unknown carrier": ('attached_to="f"', 'attached_to="ff"', "10:3", "frame 'g' refers to 'ff'"),
    "attached in a circle": ('attached_to="a"', 'attached_to="g"', "9:3", "goes round in a circle: f <- g <- f"),
    "placed in a circle": ('relative_to="b"', 'relative_to="g"', "10:3", "relative to itself: f <- g <- f|g <- f <- g"),
    "an unknown axis frame": ('expressed_in="f"', 'expressed_in="ff"', "13:10", "the axis of joint 'p' refers to 'ff'"),
    "a word of 1.6": ("<xyz>0 0 1</xyz></axis>\n  </joint>\n  <joint name=\"gear\"",
                      "<use_parent_model_frame>1</use_parent_model_frame></axis>\n  </joint>\n  <joint name=\"gear\"",
                      "16:10", "is a word of version 1.6; say expressed_in=\"__model__\""),
    "a frame of 1.6": ("<pose relative_to", "<pose frame", "9:35", "frame of <pose> is a word of version 1.6"),
    "two inertials": ("</inertial>", "</inertial><inertial/>", "5:70", "a second <inertial> in the <link> of line 3"),
    "a misspelt mass": ("<mass>1</mass>", "<mas>1</mas>", "5:14", "<mas> in <inertial> is not understood; did you"),
    "a misspelt axis": ("<axis2>", "<axis3>", "21:4", "<axis3> in <joint> is not understood|mismatched"),
    "an unclosed tag": ("</joint>", "", "23:4", "no valid XML: mismatched tag"),
    "no number": ("<ixx>1<", "<ixx>one<", "5:37", "<ixx> is 'one', no finite number; give .* <ixx>0.5</ixx>"),
    "an empty number": ("<ixx>1<", "<ixx><", "5:37", "<ixx> has no number"),
    "numbers too few": ("0 0 1 0 0 0</pose>\n   <in", "0 0 1</pose>\n   <in", "4:4", "<pose> has 3 numbers; give 6"),
    "a negative mass": ("<mass>1<", "<mass>-1<", "5:14", "body 'a' has the negative mass -1"),
    "an unknown type": ('"q" type="revolute"', '"q" type="revolut"', "15:3", "unknown type 'revolut'; did you"),
    "no type": ('name="q" type="revolute"', 'name="q"', "15:3", "joint 'q' has no type"),
    "no child": ("<child>b</child>", "", "11:3", "joint 'p' has no child; add <child>...</child>"),
    "an empty parent": ("<parent>a</parent><child>b", "<parent> </parent><child>b", "11:3", "joint 'p' has no parent"),
    "an unknown child": ("<child>b</child>", "<child>bb</child>", "12:22", "joint 'p' refers to 'bb'.*you mean 'b'"),
    "the world as child": ("<child>b</child>", "<child>world</child>", "12:22", "the world is the child of joint 'p'"),
    "itself": ("<child>b</child>", "<child>f</child>", "11:3", "joint 'p' connects 'a' with itself"),
    "no axis": ("<axis><xyz>0 0 1</xyz></axis>\n  </joint>\n  <joint name=\"gear\"",
                "</joint>\n  <joint name=\"gear\"", "15:3", "revolute joint 'q' has no <axis>|mismatched"),
    "a zero axis": ("<xyz>0 0 1</xyz></axis>\n  </joint>\n  <joint name=\"gear\"",
                    "<xyz>0 0 0</xyz></axis>\n  </joint>\n  <joint name=\"gear\"", "16:10", "of joint 'q' is zero"),
    "no reference body": ("<gearbox_reference_body>a</gearbox_reference_body>", "", "18:3", "has no reference body"),
    "no joint to it": ("_body>a</", "_body>f</", "", ""),
    "another reference": ("_body>a</", "_body>b</", "18:3", "no revolute joint joins the parent 'b' of gearbox 'gear'"),
    "another gear axis": ("<axis2><xyz>0 0 1", "<axis2><xyz>0 1 1", "21:4", "axis2 of gearbox 'gear' is not that of"),
    "a ratio of zero": ("<gearbox_ratio>2<", "<gearbox_ratio>0<", "18:3", "the ratio of gearbox 'gear' is zero"),
    "a shapely inertia": ("<inertial>", '<inertial auto="true">', "5:4", "link 'a' has no collision"),
    "added mass": ("</mass>", "</mass><fluid_added_mass/>", "5:28", "the added mass of a fluid is not covered"),
    "no truth": ("<inertial>", '<inertial auto="maybe">', "5:4", "auto of <inertial> is 'maybe'; say true or false"),
    "degrees of a quaternion": ("<pose>0 0 1 0 0 0<", '<pose degrees="1" rotation_format="quat_xyzw">0 0 1 0 0 0 1<',
                                "4:4", "a quaternion has no degrees"),
    "a zero quaternion": ("<pose>0 0 1 0 0 0<", '<pose rotation_format="quat_xyzw">0 0 1 0 0 0 0<',
                          "4:4", "the quaternion of <pose> is zero"),
    "an unknown rotation": ("<pose>0 0 1", '<pose rotation_format="euler">0 0 1', "4:4", "no rotation_format 'euler'"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_with_its_place(name: str) -> None:
    old, new, place, complaint = MISTAKES[name]
    assert old in FILE
    text = FILE.replace(old, new, -1 if name in ("no SDF", "no model") else 1)
    if not place:
        read_sdf(TextSource("m.sdf", text))
        return
    with pytest.raises(FormatError, match=complaint) as caught:
        read_sdf(TextSource("m.sdf", text))
    if "|mismatched" not in complaint:
        assert str(caught.value).startswith(f"m.sdf:{place}: ")


def test_forces_all_around_a_loop_have_no_place() -> None:
    axis = "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis>"
    text = FILE.replace("<axis><xyz>0 0 1</xyz></axis>\n  </joint>", f"{axis}</joint>", 1)
    text = text.replace('<axis><xyz expressed_in="f">0 0 1</xyz></axis>', axis)
    closing = f'<joint name="r" type="revolute"><parent>b</parent><child>c</child>{axis}</joint>'
    text = text.replace("</model>", f"{closing}</model>")
    assert read_sdf(TextSource("m.sdf", text)).joint("r").cut == "auto"
    with pytest.raises(FormatError, match=r"m.sdf:\d+:2: joint 'r' closes a loop of joints that all have forces"):
        read_sdf(TextSource("m.sdf", text), LoadOptions(joint_dynamics="forces"))


def test_a_strict_reading_refuses_every_word_that_is_not_understood() -> None:
    text = FILE.replace('<link name="b"/>', '<link name="b"><wobble/></link>')
    assert any("<wobble> (line 7)" in note for note in read_sdf(TextSource("m.sdf", text)).warnings)
    with pytest.raises(FormatError, match=r"m.sdf:7:18: <wobble> in <link> is not understood"):
        read_sdf(TextSource("m.sdf", text), LoadOptions(strict=True))

"""Loops of a URDF in the two public conventions: elements <loop> and <coupling>, and pairs of frames in YAML."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbsym.constraints import LinearCoupling
from mbsym.errors import FormatError
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import load_urdf, read_urdf
from mbsym.formats.urdf.loop_file import parse_loops
from mbsym.model.body import Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model

LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>'
JOINT = """
<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/><origin xyz="{} 0 0"/><axis xyz="0 0 1"/></joint>"""
TREE = "".join(LINK.format(name) for name in ("base", "left", "right", "far", "tip")) + "".join(
    JOINT.format(*entry)
    for entry in (
        ("a", "revolute", "base", "left", 0),
        ("b", "revolute", "base", "right", 1),
        ("c", "revolute", "right", "far", 1),
        ("end", "fixed", "far", "tip", 1),
    )
)
LOOP = """
<loop name="close" type="revolute">
 <predecessor link="left"><origin xyz="1 0 0" rpy="0 0 0.5"/></predecessor>
 <successor link="tip"/>
 <axis xyz="0 0 1"/>
</loop>
<coupling name="belt"><predecessor link="left"/><successor link="right"/><ratio value="3.5"/></coupling>"""
PLUS = f'<robot name="bars">{TREE}{LOOP}\n</robot>'
PAIRS = """\
closed_loop: [[left, end], ['c', a]]
type: ['3d', '6D']
name_mot: [a]
joint_name: [b, c]
joint_type: [SPHERICAL, UJOINT_ZX]
"""


def read(urdf: str = PLUS, pairs: str = "", options: LoadOptions = LoadOptions()) -> Model:  # noqa: B008
    loops = parse_loops(TextSource("bars.yaml", pairs)) if pairs else None
    return read_urdf(TextSource("bars.urdf", urdf), options, loops)


# ---- URDF+ ----------------------------------------------------------------------------------------------------------


def test_a_loop_is_a_joint_that_is_cut() -> None:
    model = read()
    expected = Joint(
        "close",
        "revolute",
        "left",
        "far",
        axis=(0, 0, 1),
        predecessor_placement=Placement((1, 0, 0), (("z", "0.5"),)),
        successor_placement=Placement((1, 0, 0)),
        cut="cut",
    )
    assert model.joint("close") == expected
    assert model.label().cut_joints == ("close",)
    assert [joint.name for joint in model.joints] == ["a", "b", "c", "close"]


@pytest.mark.parametrize(("word", "kind"), [("prismatic", "prismatic"), ("spherical", "spherical"), ("fixed", "fixed")])
def test_types_of_loops(word: str, kind: str) -> None:
    joint = read(PLUS.replace('"close" type="revolute"', f'"close" type="{word}"')).joint("close")
    assert (joint.type, joint.axis) == (kind, (0, 0, 1))


def test_a_coupling_ties_the_successor_to_the_predecessor() -> None:
    assert read().couplings == (Coupling("b", "a", "3.5"),)


def test_a_coupling_over_several_joints_is_a_relation_of_all_of_them() -> None:
    model = read(PLUS.replace('<successor link="right"/>', '<successor link="far"/>'))
    assert model.couplings == ()
    assert model.constraints == (LinearCoupling("belt", ("b", "c", "a"), (1, 1, "-(3.5)")),)
    assert read_native(TextSource("bars.yaml", dump_native(model))) == model


def test_independent_joints_say_nothing() -> None:
    assert read(PLUS.replace('<joint name="a"', '<joint independent="true" name="a"')) == read()


# ---- pairs of frames ------------------------------------------------------------------------------------------------


def test_pairs_share_a_point_or_a_frame() -> None:
    model = read(f'<robot name="bars">{TREE}</robot>', PAIRS)
    point, frame = model.joint("left-end"), model.joint("c-a")
    assert point == Joint("left-end", "spherical", "left", "far", successor_placement=Placement((1, 0, 0)), cut="cut")
    assert frame == Joint("c-a", "fixed", "far", "left", cut="cut")
    assert {joint.name: joint.actuated for joint in model.joints[:3]} == {"a": True, "b": False, "c": False}


def test_joints_of_other_types() -> None:
    model = read(f'<robot name="bars">{TREE}</robot>', PAIRS)
    assert model.joint("b").type == "spherical"
    crossed = model.joint("c")
    assert (crossed.type, crossed.axis, crossed.second_axis) == ("universal", (0, 0, 1), (1, 0, 0))
    fixed = read(f'<robot name="bars">{TREE}</robot>', "closed_loop: []\njoint_name: [c]\njoint_type: [FIXED]\n")
    assert [body.name for body in fixed.bodies] == ["left", "right"]
    assert [frame.name for frame in fixed.frames] == ["far", "tip", "c", "end"]
    assert fixed.pinocchio_order == ("a", "b")
    assert read_native(TextSource("bars.yaml", dump_native(fixed))) == fixed


def test_damping_along_an_axis_that_a_joint_no_longer_has_is_left_out_and_told() -> None:
    damped = TREE.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><dynamics damping="2" friction="1"/>')
    model = read(f'<robot name="bars">{damped}</robot>', PAIRS, LoadOptions(joint_dynamics="forces"))
    assert {force.name for force in model.forces} == {"a_damping", "a_friction"}
    assert any(
        "damping and friction of 2 joints ('b', 'c') that are of another type" in note for note in model.warnings
    )


def test_a_closure_without_a_type_holds_the_whole_frame() -> None:
    model = read(f'<robot name="bars">{TREE}</robot>', "closed_loop: [[left, tip]]\n")
    assert model.joint("left-tip").type == "fixed"


def test_a_name_of_a_link_and_of_a_joint_elsewhere_is_refused() -> None:
    urdf = f'<robot name="bars">{TREE.replace(chr(34) + "c" + chr(34), chr(34) + "left" + chr(34))}</robot>'
    with pytest.raises(FormatError, match=r"bars.yaml:1:16: 'left' is a link and, elsewhere, a joint; say body:left"):
        read(urdf, "closed_loop: [[left, tip]]")
    assert read(urdf, "closed_loop: [['body:left', tip]]").joints[-1].predecessor == "left"
    assert read(urdf, "closed_loop: [['joint:left', tip]]").joints[-1].predecessor != "left"
    here = urdf.replace('"left" type', '"far" type')  # the joint whose successor is that link
    assert read(here, "closed_loop: [[far, a]]").joint("far-a").predecessor == "far"


def test_the_file_beside_the_urdf_is_found_by_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "bars.urdf"
    path.write_text(f'<robot name="bars">{TREE}</robot>', encoding="utf-8")
    (tmp_path / "bars.yaml").write_text("name: a native model\n", encoding="utf-8")
    assert len(load_urdf(path).joints) == 3
    (tmp_path / "bars.yaml").write_text(PAIRS, encoding="utf-8")
    assert len(load_urdf(path).joints) == 5
    (tmp_path / "bars.loops.yaml").write_text("joints: {own: [spherical, left, tip]}\n", encoding="utf-8")
    assert [joint.name for joint in load_urdf(path).joints] == ["a", "b", "c", "own"]
    chosen = LoadOptions(loops=str(tmp_path / "bars.yaml"))
    assert len(load_urdf(path, chosen).joints) == 5


def test_what_is_written_out_is_the_same_model() -> None:
    for model in (read(), read(f'<robot name="bars">{TREE}</robot>', PAIRS)):
        assert read_native(TextSource("bars.yaml", dump_native(model))) == model


# ---- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "place", "complaint"),
    [
        ('<loop name="close"', "<loop", "6:1", "<loop> has no name"),
        ('"close" type="revolute"', '"close"', "6:1", "<loop> has no type"),
        ('"close" type="revolute"', '"close" type="revolut"', "6:1", "unknown type 'revolut'; did you mean 'revolute'"),
        ('"close"', '"a"', "6:1", "two of the joints are named 'a'"),
        ('<successor link="tip"/>\n', "", "6:1", "loop 'close' has no successor; add <successor link="),
        ('link="tip"/>\n', 'link="top"/>\n', "8:2", "the successor of 'close' is link 'top', which does not exist"),
        ('link="tip"/>\n', 'link="left"/>\n', "6:1", "joint 'close' connects body 'left' with itself"),
        ('rpy="0 0 0.5"', 'rpy="0 0.5"', "7:27", "rpy of <origin> has 2 numbers"),
        ('<axis xyz="0 0 1"/>\n</loop>', '<axis xyz="0 0 0"/>\n</loop>', "6:1", "the axis of .* 'close' is zero"),
        ('<axis xyz="0 0 1"/>\n</loop>', '<axs xyz="0 0 1"/>\n</loop>', "9:2", "<axs> in <loop> is not understood"),
        ('<ratio value="3.5"/>', "", "11:1", "coupling 'belt' has no ratio"),
        ('<ratio value="3.5"/>', '<ratio value="0"/>', "11:74", "the ratio of coupling 'belt' is zero"),
        ('<predecessor link="left"/>', '<predecessor link="base"/>', "11:23", "no joint carries the predecessor"),
    ],
)
def test_mistakes_in_loops_have_their_place(old: str, new: str, place: str, complaint: str) -> None:
    assert old in PLUS
    with pytest.raises(FormatError, match=complaint) as caught:
        read(PLUS.replace(old, new))
    assert str(caught.value).startswith(f"bars.urdf:{place}: ")


@pytest.mark.parametrize(
    ("old", "new", "place", "complaint"),
    [
        ("[left, end]", "[left, ends]", "1:22", "there is no link or joint 'ends'; did you mean 'end'"),
        ("[left, end]", "[left]", "1:15", "this is no pair of frames; give"),
        ("[left, end]", "left", "1:15", "this is no pair of frames"),
        ("'3d'", "'4d'", "2:8", "there is no closure '4d'; say 3d or 6d"),
        ("'3d', ", "", "2:7", "type has 1 entries, closed_loop has 2"),
        ("name_mot", "name_motor", "3:1", "'name_motor' has no place beside closed_loop"),
        ("name_mot: [a]", "name_mot: [aa]", "3:12", "there is no joint 'aa'"),
        ("name_mot: [a]", "name_mot: a", "3:11", "name_mot is no list of names"),
        ("[b, c]", "[b, d]", "4:17", "there is no joint 'd'"),
        ("[b, c]", "[b, b]", "4:17", "joint 'b' is given two types; keep one"),
        ("[b, c]", "[b]", "5:13", "joint_type has 2 entries, joint_name has 1"),
        ("UJOINT_ZX", "UJOINT_ZZ", "5:25", "there is no joint type 'UJOINT_ZZ'"),
    ],
)
def test_mistakes_in_pairs_have_their_place(old: str, new: str, place: str, complaint: str) -> None:
    assert old in PAIRS
    with pytest.raises(FormatError, match=complaint) as caught:
        read(f'<robot name="bars">{TREE}</robot>', PAIRS.replace(old, new))
    assert str(caught.value).startswith(f"bars.yaml:{place}: ")

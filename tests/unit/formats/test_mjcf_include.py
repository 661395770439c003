"""Files that an MJCF reads in, total masses, and tendons that tie two joints."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import mujoco
import numpy as np
import pytest

from mbsym.errors import FormatError
from mbsym.formats.mjcf import load_mjcf, read_mjcf
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.reference import Reference
from mbsym.values.numbers import evaluate

MAIN = """<mujoco model="m">
<include file="parts/defaults.xml"/>
<worldbody>
 <include file="parts/arm.xml"/>
 <body name="last"><joint name="c" type="slide"/><geom size="0.1"/></body>
</worldbody>
</mujoco>"""
DEFAULTS = """<mujocoinclude>
 <compiler angle="radian"/>
 <default><joint armature="0.5"/></default>
</mujocoinclude>"""
ARM = """<mujocoinclude>
 <body name="arm"><joint name="a" axis="0 1 0" ref="0.25"/><geom size="0.1"/>
  <include file="parts/hand.xml"/>
 </body>
</mujocoinclude>"""
HAND = """<any><body name="hand" pos="0 0 1"><joint name="b" axis="1 0 0"/><geom size="0.2"/></body></any>"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    for name, text in {
        "m.xml": MAIN,
        "parts/defaults.xml": DEFAULTS,
        "parts/arm.xml": ARM,
        "parts/hand.xml": HAND,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_elements_of_other_files_stand_where_they_are_included(files: Path) -> None:
    model = load_mjcf(files / "m.xml")
    assert [joint.name for joint in model.joints] == ["a", "b", "c"]
    assert [body.name for body in model.bodies] == ["arm", "hand", "last"]
    assert {joint.armature for joint in model.joints} == {"0.5"}


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("parts/hand.xml", 'axis="1 0 0"', 'axis="1 0"', "parts/hand.xml:1:"),
        ("parts/arm.xml", 'name="a"', 'name="a" axs="1"', "parts/arm.xml:2:.*axs"),
        ("parts/arm.xml", "</body>", "", "parts/arm.xml.*no valid XML"),
        ("m.xml", "parts/arm.xml", "parts/leg.xml", "m.xml:4:2: 'parts/leg.xml': the file cannot be read"),
        ("m.xml", "parts/arm.xml", "../arm.xml", "m.xml:4:2: '../arm.xml': the file cannot be read"),
        ("m.xml", "parts/arm.xml", "/etc/passwd", "/etc/passwd:.*no valid XML"),
        ("m.xml", "parts/arm.xml", "m.xml", "m.xml:4:2: 'm.xml' is included twice"),
        ("parts/hand.xml", "<any>", '<any><include file="parts/arm.xml"/>', "parts/hand.xml:1:6: .*included twice"),
        ("m.xml", ' file="parts/arm.xml"', "", "m.xml:4:2: <include> names no file"),
        ("m.xml", 'arm.xml"/>', 'arm.xml"><body/></include>', "m.xml:4:2: .*elements of its own"),
    ],
)
def test_faults_have_their_place_in_their_own_file(files: Path, file: str, old: str, new: str, complaint: str) -> None:
    text = (files / file).read_text(encoding="utf-8")
    assert old in text
    (files / file).write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError, match=complaint):
        load_mjcf(files / "m.xml")


def test_warnings_name_the_file(files: Path) -> None:
    (files / "parts" / "hand.xml").write_text(HAND.replace("<geom", '<geom glow="1"'), encoding="utf-8")
    (warning,) = (text for text in load_mjcf(files / "m.xml").warnings if "glow" in text)
    assert "line 1 of hand.xml" in warning


def model(compiler: str = "", more: str = "") -> str:
    return f"""<mujoco><compiler {compiler}/><worldbody><body name="p"><joint name="x" axis="1 0 0"/>
<geom size="0.1"/><body name="s"><joint name="y" axis="0 1 0"/><geom size="0.2"/></body></body></worldbody>
{more}</mujoco>"""


def test_a_total_mass_scales_all_bodies() -> None:
    plain = read_mjcf(TextSource("m.xml", model()))
    scaled = read_mjcf(TextSource("m.xml", model('settotalmass="3"')))
    masses = [Fraction(str(body.mass)) for body in scaled.bodies]
    assert abs(sum(masses) - 3) < 1e-14
    for before, after in zip(plain.bodies, scaled.bodies, strict=True):
        ratio = float(after.mass) / float(before.mass)
        assert after.center_of_mass == before.center_of_mass
        assert float(after.inertia[0]) == pytest.approx(ratio * float(before.inertia[0]), rel=1e-15)
    assert read_mjcf(TextSource("m.xml", model('settotalmass="-1"'))).bodies == plain.bodies
    with pytest.raises(FormatError, match=r"m.xml:1:9: no body has mass"):
        read_mjcf(TextSource("m.xml", model('settotalmass="3"').replace("<geom", '<geom mass="0"')))


TENDON = """<tendon><fixed name="t"><joint joint="x" coef="-0.5"/><joint joint="y" coef="0.25"/></fixed>
<spatial name="s"/></tendon><equality><tendon tendon1="{}" polycoef="0.1 0"/></equality>"""


def test_a_tendon_over_two_joints_is_a_coupling() -> None:
    found = read_mjcf(TextSource("m.xml", model(more=TENDON.format("t"))))
    (coupling,) = found.couplings
    assert "1 tendons are left out of the dynamics" in found.warnings
    assert (coupling.joint, coupling.source) == ("y", "x")
    # -0.5 x + 0.25 y = 0.1
    assert (evaluate(coupling.ratio), evaluate(coupling.offset)) == (2.0, 0.4)


LIMB = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="x" ref="0.3"/><geom size="0.1"/>
<body name="b" pos="1 0 0"><joint name="y" type="slide"/><geom size="0.1"/><body name="c" pos="1 0 0">
<joint name="z" axis="1 0 0" ref="-0.2"/><geom size="0.1"/></body></body></body></worldbody>
<tendon><fixed name="s"><joint joint="x" coef="2"/><joint joint="z" coef="-0.7"/><joint joint="y" coef="0.4"/></fixed>
<fixed name="t"><joint joint="y" coef="-0.25"/><joint joint="z" coef="3"/></fixed></tendon>
<equality><tendon tendon1="s" polycoef="0.1"/><tendon tendon1="s" tendon2="t" polycoef="0.2 0.5"/>
<tendon tendon1="t" polycoef="-0.3"/></equality></mujoco>"""


def test_what_a_tying_tendon_has_of_its_own_is_named() -> None:
    text = """<mujoco><default><tendon damping="2"/></default><worldbody><body name="a"><joint name="x" type="slide"/>
<geom size="1"/><body name="b"><joint name="y" type="slide"/><geom size="1"/></body></body></worldbody><tendon>
<fixed name="t" armature="3" stiffness="0 0"><joint joint="x" coef="1"/><joint joint="y" coef="2"/></fixed></tendon>
<equality><tendon tendon1="t"/></equality></mujoco>"""
    (told,) = (note for note in read_mjcf(TextSource("m.xml", text)).warnings if "tendon" in note)
    assert told.endswith("damping and armature of tendon 't', which ties joints, is left out of the dynamics")


def test_tendons_over_more_joints_hold_what_mujoco_holds() -> None:
    found = read_mjcf(TextSource("limb.xml", LIMB))
    assert [item.name for item in found.constraints] == ["s", "s_2"]
    assert [(item.joint, item.source) for item in found.couplings] == [("z", "y")]
    assert not any("tendons are left out" in note for note in found.warnings)
    theirs = mujoco.MjModel.from_xml_string(LIMB)
    data = mujoco.MjData(theirs)
    q = np.array([0.4, -0.2, 0.9])
    data.qpos[:] = q
    mujoco.mj_forward(theirs, data)
    rows = np.reshape(data.efc_J, (3, 3))
    reference = Reference(replace(found, couplings=()))
    assert reference.closure_gap(q) == pytest.approx(data.efc_pos[:2], abs=1e-15)
    assert reference.closure_jacobian(q) == pytest.approx(rows[:2], abs=1e-15)
    (coupling,) = found.couplings
    # The row of two joints, with the factor of its second taken out.
    gap = q[2] - evaluate(coupling.ratio) * q[1] - evaluate(coupling.offset)
    assert 3 * gap == pytest.approx(data.efc_pos[2], abs=1e-15)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"t" polycoef', '"u" polycoef', "'u'"),
        ('tendon1="t"', 'tendon1="s"', "tendon 's' is spatial"),
        ('polycoef="0.1 0"', 'tendon2="t" polycoef="0 0.5 1"', "not linear"),
        ('joint="y"', 'joint="z"', "'z'"),
        ('coef="0.25"', 'coef="0"', "holds one joint or none"),
        ('<joint joint="x" coef="-0.5"/>', "", "holds one joint or none"),
    ],
)
def test_other_tendons_are_refused(old: str, new: str, complaint: str) -> None:
    text = model(more=TENDON.format("t"))
    assert old in text
    with pytest.raises(FormatError, match=rf"m.xml:\d+:\d+: .*{complaint}"):
        read_mjcf(TextSource("m.xml", text.replace(old, new)))


CHAIN = """<mujoco><worldbody><site name="post" pos="1.5 0.1 0.2" euler="0 0 30"/>
<body name="a"><joint name="x" axis="0 1 0" ref="20"/><geom size="0.1"/>
<body name="b" pos="1 0 0"><joint name="y" type="ball"/><geom size="0.1"/><frame pos="0 0 0.1" euler="90 0 0">
<site name="tip" pos="0.6 0 0" euler="0 20 0"/></frame></body></body></worldbody>
<equality><{} site1="post" site2="tip"/><joint joint1="x" polycoef="0.2 0 0 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize(("kind", "size"), [("connect", 3), ("weld", 6)])
def test_sites_are_joined_and_joints_are_held(kind: str, size: int) -> None:
    """What may move is what MuJoCo leaves to move: the row spaces are the same."""
    text = CHAIN.format(kind)
    found = read_mjcf(TextSource("chain.xml", text))
    assert found.constraints[0].name == "x_held"
    assert read_native(TextSource("chain.yaml", dump_native(found))) == found
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    reference = Reference(found)
    q = np.array([0.5, *np.array([0.8, 0.2, -0.5, 0.3]) / np.linalg.norm([0.8, 0.2, -0.5, 0.3])])
    data.qpos[:] = q
    mujoco.mj_forward(theirs, data)
    rows, ours = np.reshape(data.efc_J, (size + 1, 4)), reference.closure_jacobian(q)
    assert reference.closure_gap(q)[-1] == pytest.approx(data.efc_pos[-1], abs=1e-15)
    assert np.linalg.norm(reference.closure_gap(q)[3:6]) == pytest.approx(np.linalg.norm(data.efc_pos[:3]), rel=1e-12)
    if kind == "connect":  # rotations of a weld are scaled by how far they are off
        both = np.linalg.svd(np.concatenate([rows, ours]), compute_uv=False)
        assert np.linalg.matrix_rank(rows) == np.linalg.matrix_rank(ours) == int(np.sum(both > 1e-12))

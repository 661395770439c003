"""Settings of MJCF's compiler give the masses and limits that MuJoCo gives."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from mbsym.errors import FormatError
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.text_source import TextSource
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate

BODIES = """<worldbody><body name="a" euler="10 20 30"><joint name="h" range="-10 20"/>
<geom size="0.1 0.2 0.001" type="box" euler="0 30 0"/><geom size="0.3" group="3" pos="1 0 0"/>
<body name="b"><joint name="s" type="slide" axis="1 0 0"/><joint name="t" axis="0 1 0" limited="true" range="-5 5"/>
<inertial mass="0.01" pos="0.1 0 0" fullinertia="0.001 0.002 0.009 0.0001 0 0.0002"/></body>
<body name="c" pos="0 0 1"><joint name="u"/><inertial mass="2" pos="0 0 0" diaginertia="0.1 0.2 0.25"/></body>
</body></worldbody>"""


def file(compiler: str) -> str:
    return f"<mujoco><compiler {compiler}/>{BODIES}</mujoco>"


def read(compiler: str) -> Model:
    return read_mjcf(TextSource("m.xml", file(compiler)))


@pytest.mark.parametrize(
    "compiler",
    [
        'balanceinertia="true"',
        'balanceinertia="true" boundmass="0.5"',
        'balanceinertia="true" boundinertia="0.15"',
        'balanceinertia="true" inertiagrouprange="0 2"',
        'balanceinertia="true" inertiagrouprange="3 5" boundmass="5"',
        'balanceinertia="true" boundmass="0.5" settotalmass="7"',
    ],
)
def test_masses_are_theirs(compiler: str) -> None:
    theirs = mujoco.MjModel.from_xml_string(file(compiler))
    bodies = {body.name: body for body in read(compiler).bodies}
    for name in "abc":
        body, index = bodies[name], theirs.body(name).id
        xx, yy, zz, xy, xz, yz = (evaluate(value) for value in body.inertia)
        moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        assert evaluate(body.mass) == pytest.approx(theirs.body_mass[index], rel=1e-13)
        assert moments == pytest.approx(np.sort(theirs.body_inertia[index]), rel=1e-11)
        center = [evaluate(value) for value in body.center_of_mass]
        assert center == pytest.approx(theirs.body_ipos[index], abs=1e-13)
    # A body that stands between two joints of one body has no mass to bound.
    assert evaluate(bodies["b_1"].mass) == 0


@pytest.mark.parametrize("follow", ["true", "false"])
def test_limits_follow_from_ranges_or_do_not(follow: str) -> None:
    compiler = f'autolimits="{follow}" balanceinertia="true"'
    limited = {joint.name: bool(joint.lower) for joint in read(compiler).joints}
    assert limited == {"h": follow == "true", "s": False, "t": True, "u": False}


@pytest.mark.parametrize("ends", ["0 0", "5 -5"])
def test_an_empty_range_limits_nothing_unless_it_is_asked_for(ends: str) -> None:
    text = file('balanceinertia="true"').replace('name="h" range="-10 20"', f'name="h" range="{ends}"')
    assert not mujoco.MjModel.from_xml_string(text).joint("h").limited[0]
    assert read_mjcf(TextSource("m.xml", text)).joints[0].lower == ()


def test_what_is_moved_from_outside_stays_and_is_told() -> None:
    text = (
        '<mujoco><compiler alignfree="true"/><worldbody><body name="target" mocap="true" pos="1 2 3"/>'
        '<body name="a"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    model = read_mjcf(TextSource("m.xml", text))
    assert model.frame("target").placement.translation == (1, 2, 3)
    assert model.warnings == (
        "frames of free bodies are where the file has them; alignfree would move them",
        "body 'target', which may be moved from outside (mocap), stays where the file has it",
    )


@pytest.mark.parametrize(
    "options",
    [
        '<option><flag gravity="disable"/></option><option gravity="0 0 -5"/>',
        '<option gravity="0 0 -5"/><option><flag gravity="disable"/></option><option><flag gravity="enable"/></option>',
    ],
)
def test_gravity_acts_unless_the_last_flag_says_that_it_does_not(options: str) -> None:
    text = file('balanceinertia="true"').replace("<worldbody>", f"{options}<worldbody>")
    theirs = mujoco.MjModel.from_xml_string(text)
    off = theirs.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
    gravity = read_mjcf(TextSource("m.xml", text)).gravity
    assert [evaluate(value) for value in gravity] == ([0, 0, 0] if off else [0, 0, -5])


@pytest.mark.parametrize(
    ("defaults", "where"),
    [
        ('<equality active="false"/>', ""),
        ('<default class="loose"><equality active="false"/></default>', ' class="loose"'),
    ],
)
def test_constraints_take_from_their_default_class_whether_they_are_active(defaults: str, where: str) -> None:
    text = file('balanceinertia="true"').replace("<worldbody>", f"<default>{defaults}</default><worldbody>")
    ends = f'body1="b" anchor="0 0 0"{where}'
    text = text.replace("</mujoco>", f'<equality><connect {ends}/><connect {ends} active="true"/></equality></mujoco>')
    assert [bool(active) for active in mujoco.MjModel.from_xml_string(text).eq_active0] == [False, True]
    assert sum(joint.cut == "cut" for joint in read_mjcf(TextSource("m.xml", text)).joints) == 1


@pytest.mark.parametrize("group", ["\u00b2", "1.5", "x"])
def test_groups_are_whole_numbers(group: str) -> None:
    text = file('balanceinertia="true"').replace('group="3"', f'group="{group}"')
    with pytest.raises(FormatError, match=f"m.xml:2:55: group of <geom> is '{group}'; give a whole number"):
        read_mjcf(TextSource("m.xml", text))

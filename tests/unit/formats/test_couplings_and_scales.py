"""Couplings about reference positions, defaults that formats state, and masses that are scaled to a total."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.sdf import read_sdf
from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import read_urdf
from mbsym.values.numbers import evaluate

PAIR = """<mujoco model="m"><compiler angle="radian" {}/><worldbody>
<body name="a"><joint name="x" axis="0 1 0" ref="0.3"/><geom type="box" size="0.1 0.2 0.3" pos="0.1 0.2 0.3"/></body>
<body name="b"><joint name="y" axis="1 0 0" ref="-0.2"/><geom type="box" size="0.3 0.1 0.2" pos="0.1 0 0"/></body>
</worldbody>{}</mujoco>"""


@pytest.mark.parametrize(
    "equality",
    [
        '<equality><joint joint1="y" joint2="x" polycoef="0.1 -2.5"/></equality>',
        '<equality><joint joint1="y" joint2="x"/></equality>',
        '<tendon><fixed name="t"><joint joint="y" coef="2"/><joint joint="x" coef="-3"/></fixed></tendon>'
        '<equality><tendon tendon1="t" polycoef="0.4"/></equality>',
    ],
)
def test_a_coupling_holds_where_mujoco_has_no_residual(equality: str) -> None:
    text = PAIR.format("", equality)
    (coupling,) = read_mjcf(TextSource("m.xml", text)).couplings
    his = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(his)
    for value in (0.7, -1.1):
        q = {coupling.source: value}
        q[coupling.joint] = evaluate(coupling.ratio) * value + evaluate(coupling.offset)
        data.qpos[:] = q["x"], q["y"]
        mujoco.mj_forward(his, data)
        assert np.abs(data.efc_pos[: data.ne]).max() < 1e-14  # radians of the order of one, in doubles
        data.qpos[1] += 0.1
        mujoco.mj_forward(his, data)
        assert np.abs(data.efc_pos[: data.ne]).max() > 0.05


@pytest.mark.parametrize("total", ["0.5", "3"])
def test_bodies_are_scaled_to_a_total_mass(total: str) -> None:
    text = PAIR.format(f'settotalmass="{total}"', "")
    his = mujoco.MjModel.from_xml_string(text)
    for body in read_mjcf(TextSource("m.xml", text)).bodies:
        there = his.body(body.name)
        assert evaluate(body.mass) == pytest.approx(there.mass[0], rel=1e-12)
        assert sorted(map(evaluate, body.inertia[:3])) == pytest.approx(sorted(there.inertia), rel=1e-12)
        assert [evaluate(value) for value in body.center_of_mass] == pytest.approx(there.ipos, abs=1e-14)


def test_a_mimicking_joint_without_numbers_follows_one_to_one() -> None:
    text = """<robot name="r"><link name="base"/><link name="a"/><link name="b"/>
    <joint name="x" type="continuous"><parent link="base"/><child link="a"/></joint>
    <joint name="y" type="continuous"><parent link="base"/><child link="b"/><mimic joint="x"/></joint></robot>"""
    (coupling,) = read_urdf(TextSource("r.urdf", text)).couplings
    assert (coupling.joint, coupling.source) == ("y", "x")
    assert (evaluate(coupling.ratio), evaluate(coupling.offset)) == (1, 0)


@pytest.mark.parametrize(
    ("words", "ratio", "offset"),
    [
        ("", 1.0, 0.0),
        ("<multiplier>0.5</multiplier>", 0.5, 0.0),
        ("<offset>0.2</offset>", 1.0, 0.2),
        ("<multiplier>-2</multiplier><offset>0.2</offset><reference>0.3</reference>", -2.0, 0.8),
    ],
)
def test_sdf_mimics_by_multiplier_times_what_is_above_the_reference_and_offset(
    words: str, ratio: float, offset: float
) -> None:
    joint = '<joint name="{}" type="revolute"><parent>world</parent><child>{}</child><axis>{}</axis></joint>'
    link = '<link name="{}"/>' + joint
    mimic = f'<mimic joint="x">{words}</mimic>'
    parts = link.format("a", "x", "a", "<xyz>0 0 1</xyz>") + link.format("b", "y", "b", f"<xyz>0 0 1</xyz>{mimic}")
    (found,) = read_sdf(TextSource("r.sdf", f'<sdf version="1.9"><model name="r">{parts}</model></sdf>')).couplings
    assert (found.joint, found.source) == ("y", "x")
    assert (evaluate(found.ratio), evaluate(found.offset)) == pytest.approx((ratio, offset), rel=1e-15)

"""Nested frames and copies of MJCF: bodies, joints, masses and sites within them are where MuJoCo has them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from mbsym.errors import FormatError
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.text_source import TextSource
from mbsym.model.frame_ends import with_frames
from mbsym.reference.reference import Reference

NESTED = """<mujoco><default><default class="big"><geom size="0.3"/></default></default><worldbody>
<frame pos="1 0 0.2" euler="0 10 90"><frame pos="0 0.1 0"><body name="a" pos="0 1 0" euler="20 0 0">
 <frame pos="0 0 0.1" euler="0 30 0" name="mount"><joint name="j" axis="1 0 2" pos="0 0 0.2" ref="20"/>
  <geom size="0.1 0.2" type="capsule"/><geom fromto="0 0 0 1 0.2 0" size="0.1" type="capsule"/>
  <site name="s" pos="0.3 0 0" euler="0 0 45"/></frame>
 <body name="b" pos="0 0 1"><joint name="k" type="slide" axis="0 1 1"/>
  <frame euler="0 0 30" pos="1 0 0"><inertial mass="2" pos="0.1 0 0" diaginertia="0.1 0.2 0.25"/></frame></body>
</body></frame>
<body name="c" childclass="big"><joint name="l" axis="0 1 0"/><frame pos="0.3 0 0"><geom/></frame></body></frame>
</worldbody></mujoco>"""


def test_frames_are_where_they_are_theirs() -> None:
    model = read_mjcf(TextSource("n.xml", NESTED))
    theirs = mujoco.MjModel.from_xml_string(NESTED)
    data = mujoco.MjData(theirs)
    q, v = np.array([0.4, -0.2, 0.7]), np.array([0.3, 0.5, -0.2])
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(theirs, data)
    reference = Reference(with_frames(model, ["a", "b", "c", "s"]))
    M = np.zeros((3, 3))
    mujoco.mj_fullM(theirs, data, M)
    # Their file reader works in double precision, too: what is left is rounding.
    assert np.allclose(reference.mass_matrix(q), M, rtol=0, atol=1e-13)
    assert np.allclose(reference.bias_force(q, v), data.qfrc_bias, rtol=0, atol=1e-12)
    poses = np.asarray(reference.frame_poses(q))
    site = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_SITE, "s")
    assert np.allclose(poses[3, :3, 3], data.site_xpos[site], rtol=0, atol=1e-14)
    assert np.allclose(poses[3, :3, :3], data.site_xmat[site].reshape(3, 3), rtol=0, atol=1e-14)
    for pose, name in zip(poses, "abc", strict=False):
        assert np.allclose(pose[:3, 3], data.body(name).xpos, rtol=0, atol=1e-14)
    assert model.frame("mount").body == "a"


COPIED = """<mujoco><worldbody><replicate count="3" offset="1 0 0" euler="10 0 30"><body name="a" pos="0 1 0">
<joint name="j"/><geom name="g" size="0.1"/><body name="b"><joint name="k"/><geom size=".1" pos="1 0 0"/></body></body>
</replicate><body name="x"><joint name="l" axis="0 1 0"/>
<replicate count="2" sep="_" euler="0 90 0"><geom size=".1" pos="1 0 0"/></replicate></body>
<replicate count="11" offset="0 0 1"><replicate count="2" offset="0 1 0" sep="-"><body name="n"><joint name="o"/>
<geom size=".1"/></body></replicate></replicate></worldbody></mujoco>"""


def test_copies_are_where_they_are_theirs() -> None:
    model = read_mjcf(TextSource("c.xml", COPIED))
    theirs = mujoco.MjModel.from_xml_string(COPIED)
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    assert [body.name for body in model.bodies] == [theirs.body(k).name for k in range(1, theirs.nbody)]
    assert [joint.name for joint in model.joints] == [theirs.joint(k).name for k in range(theirs.njnt)]
    reference = Reference(model)
    poses = dict(zip([body.name for body in reference.mechanism.bodies], reference.poses(np.zeros(29)), strict=True))
    for name, pose in poses.items():
        assert np.allclose(pose[:3, 3], data.body(name).xpos, rtol=0, atol=1e-13)
        assert np.allclose(pose[:3, :3], data.body(name).xmat.reshape(3, 3), rtol=0, atol=1e-13)
    M = np.zeros((29, 29))
    mujoco.mj_fullM(theirs, data, M)
    assert np.allclose(reference.mass_matrix(np.zeros(29)), M, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('count="3"', "", "<replicate> has no count"),
        ('count="3"', 'count="0"', "count=0 is no number of copies; give 1 or more"),
        ('count="11"', 'count="99999"', "copies make more than 100000 elements"),
        ('sep="_"', 'step="_"', "step in <replicate> is not understood"),
    ],
)
def test_bad_copies_are_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_mjcf(TextSource("c.xml", COPIED.replace(old, new)))

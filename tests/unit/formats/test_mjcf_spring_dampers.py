"""Springs and dampers that MJCF states by time constants have the numbers that MuJoCo gives them."""

from __future__ import annotations

import mujoco
import pytest

from mbsym.errors import FormatError
from mbsym.forces import JointDamper, JointSpring
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.text_source import TextSource

TIMED = """<mujoco><worldbody><body name="p" euler="10 20 30">
<joint name="a" axis="0 1 0" armature="0.3" springdamper="0.2 0.5"/>
<geom size=".1" pos="1 0 0"/><body pos="0 0 1"><joint name="b" type="slide" axis="1 1 0" springdamper="0.3 0.7"
stiffness="3" damping="4"/><joint name="d" pos="0.1 0 0" springdamper="1 1" springref="10" ref="20"/>
<geom size=".2 .1 .3" type="box" pos="0.1 0 0.2"/><body pos="0.1 0 0" euler="0 40 0"><joint name="c" type="ball"/>
<geom size=".2" pos="1 0 0"/></body></body></body>
<body><freejoint/><geom size="0.1"/>
<body pos="1 0 0"><joint name="e" springdamper="0.1 2"/><geom size="0.1" pos="1 0 0"/>
</body></body></worldbody><equality><connect body1="p" anchor="0 0 1"/></equality></mujoco>"""


def test_numbers_are_theirs() -> None:
    model = read_mjcf(TextSource("m.xml", TIMED))
    theirs = mujoco.MjModel.from_xml_string(TIMED)
    springs = {force.joint: float(force.stiffness) for force in model.forces if isinstance(force, JointSpring)}
    dampers = {force.joint: float(force.damping) for force in model.forces if isinstance(force, JointDamper)}
    assert list(springs) == list(dampers) == ["a", "b", "d", "e"]
    for name in springs:
        joint = theirs.joint(name)
        assert springs[name] == pytest.approx(joint.stiffness[0], rel=1e-12)
        assert dampers[name] == pytest.approx(joint.damping[0], rel=1e-12)


def test_what_is_no_pair_is_refused() -> None:
    with pytest.raises(FormatError, match="springdamper of <joint> has 1 numbers"):
        read_mjcf(TextSource("m.xml", TIMED.replace("0.2 0.5", "0.2")))
    with pytest.raises(FormatError, match="the stiffness of ball joint 'c' is not covered"):
        read_mjcf(TextSource("m.xml", TIMED.replace('type="ball"', 'type="ball" springdamper="1 1"')))

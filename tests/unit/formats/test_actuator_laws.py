"""The laws of actuators give the forces that MuJoCo gives."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from mbsym.formats.load_options import LoadOptions
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.text_source import TextSource
from mbsym.reference.reference import Reference

ROBOT = """<mujoco model="m"><compiler angle="radian"/><worldbody>
<body name="a"><joint name="h" axis="0 1 0"/><geom type="box" size="0.1 0.2 0.3"/>
<body name="b" pos="0 0 1"><joint name="s" type="slide" axis="1 0 0"/><geom type="box" size="0.1 0.1 0.1"/>
</body></body>
</worldbody><actuator>{}</actuator></mujoco>"""


@pytest.mark.parametrize("joint", ["h", "s"])
@pytest.mark.parametrize(
    "law",
    [
        '<motor joint="J"/>',
        '<motor joint="J" gear="3"/>',
        '<position joint="J" kp="7" kv="0.4"/>',
        '<position joint="J" kp="7" kv="0.4" gear="-2"/>',
        '<velocity joint="J" kv="1.3"/>',
        '<velocity joint="J" kv="1.3" gear="2.5"/>',
        '<general joint="J" gainprm="4"/>',
        '<general joint="J" gainprm="4" gear="1.5" biastype="affine" biasprm="0.6 -3 -0.7"/>',
        '<general joint="J" gainprm="4" biastype="affine" biasprm="0.6"/>',
        '<motor joint="J"/><position joint="J" kp="2"/>',
    ],
)
def test_forces_are_those_of_mujoco(law: str, joint: str) -> None:
    text = ROBOT.format(law.replace("J", joint))
    model = read_mjcf(TextSource("m.xml", text), LoadOptions(actuators="inputs"))
    his = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(his)
    u = np.array([0.9, -0.4])[: his.nu]
    data.qpos[:], data.qvel[:], data.ctrl[:] = (0.3, -0.2), (1.1, 0.8), u
    mujoco.mj_forward(his, data)
    without = Reference(replace(model, forces=(), inputs=())).bias_force(data.qpos, data.qvel)
    force = without - Reference(model).bias_force(data.qpos, data.qvel, 0.0, u)
    assert np.abs(data.qfrc_actuator).max() > 0.1
    # Differences of bias forces of some hundred newtons, in doubles.
    assert force == pytest.approx(data.qfrc_actuator, abs=1e-10)

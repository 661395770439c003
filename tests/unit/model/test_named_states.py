"""Named states: of native files and keyframes, in manifests, as starts of simulations, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

import mbsym
from mbsym.errors import FormatError, ModelError
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.named_state import NamedState
from mbsym.reference.reference import Reference
from mbsym.simulation.initial_state import state_values
from mbsym.values.numbers import evaluate

ARM = """name: arm
parameters: {a: 0.4}
bodies:
  rod: {mass: 1, inertia: [1, 1, 1]}
  ball: {mass: 1, inertia: [1, 1, 1]}
joints:
  pin: {type: revolute, from: ground, to: rod}
  socket: {type: spherical, from: rod, to: ball}
states:
  home: {q: {pin: a/2, socket: [2, 0, 0, 0]}, v: {socket: [1, 2, 3]}}
  rest: {}
"""

KEYS = """<mujoco><worldbody><body name="a" pos="1 2 3"><freejoint name="f"/><geom size="0.1 0.2 0.3" type="box"/>
<body name="b" pos="1 0 0"><joint name="h" axis="0 1 0" ref="30"/><joint name="s" type="slide"/>
<geom size="0.1" pos="1 0 0"/>
<body name="c" pos="1 0 0"><joint name="ball" type="ball"/><geom size="0.1" pos="1 0 0"/></body></body></body>
</worldbody><keyframe>
<key name="up" qpos="0.1 0.2 0.3 0.8 0.2 -0.4 0.4 0.7 0.5 0.6 0 0.8 0" qvel="1 2 3 4 5 6 7 8 9 10 11"/>
<key time="2"/></keyframe></mujoco>"""


def arm(text: str = ARM) -> mbsym.Model:
    return read_native(TextSource("arm.yaml", text))


def test_states_are_read_and_written() -> None:
    model = arm()
    assert model.states == (
        NamedState("home", (("pin", ("a/2",)), ("socket", (2, 0, 0, 0))), (("socket", (1, 2, 3)),)),
        NamedState("rest"),
    )
    assert arm(dump_native(model)) == model
    values = state_values(model, "home")
    assert values == {
        "q_pin": 0.2, "q_socket_w": 2, "q_socket_x": 0, "q_socket_y": 0, "q_socket_z": 0,
        "v_socket_x": 1, "v_socket_y": 2, "v_socket_z": 3,
    }  # fmt: skip
    with pytest.raises(ModelError, match="there is no state 'hom'; did you mean 'home'"):
        state_values(model, "hom")


def test_manifest_and_header_list_them(tmp_path: Path) -> None:
    mbsym.generate(arm(), tmp_path, functions=["mass_matrix"])
    manifest = json.loads((tmp_path / "arm.json").read_text(encoding="utf-8"))
    home, rest = manifest["states"]
    assert home == {"name": "home", "q": [0.2, 1, 0, 0, 0], "v": [0, 1, 2, 3]}
    assert rest == {"name": "rest", "q": [0, 1, 0, 0, 0], "v": [0, 0, 0, 0]}
    assert "Named states, whose values the manifest has: home, rest" in (tmp_path / "arm.h").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        (
            "{pin: a/2",
            "{pun: a/2",
            "10:19",
            "is of joint 'pun', which does not exist; did you mean 'pin'?",
        ),
        ("a/2", "[1, 2]", "10:19", "revolute joint 'pin' has 1 coordinates, state 'home' gives 2; give 1"),
        ("a/2", "b/2", "10:19", "unknown name b"),
        ("[2, 0, 0, 0]", "[0, 0, 0, 0]", "10:32", "the quaternion of joint 'socket' in state 'home' is zero"),
        ("[1, 2, 3]", "[1, 2, x]", "10:66", "unknown name x"),
        ("rest: {}", "rest: {w: 1}", "11:10", "unknown key 'w'"),
    ],
)
def test_mistakes_are_found_where_they_are(old: str, new: str, place: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        arm(ARM.replace(old, new))
    assert message in str(caught.value)
    assert caught.value.where == f"arm.yaml:{place}"


def test_keyframes_are_the_same_state() -> None:
    model = read_mjcf(TextSource("m.xml", KEYS))
    assert [state.name for state in model.states] == ["up", "key_2"]
    assert model.states[1] == NamedState("key_2")
    theirs = mujoco.MjModel.from_xml_string(KEYS)
    data = mujoco.MjData(theirs)
    mujoco.mj_resetDataKeyframe(theirs, data, 0)
    mujoco.mj_forward(theirs, data)
    mujoco.mj_energyVel(theirs, data)
    reference = Reference(model)
    values = state_values(model, "up")
    q = np.array([values[name] for name in values if name.startswith("q")])
    v = np.array([values[name] for name in values if name.startswith("v")])
    poses = dict(zip([body.name for body in reference.mechanism.bodies], reference.poses(q), strict=True))
    for name in "abc":
        assert np.allclose(poses[name][:3, 3], data.body(name).xpos, rtol=0, atol=1e-14)
    assert reference.kinetic_energy(q, v) == pytest.approx(data.energy[1], rel=1e-13)
    assert read_native(TextSource("m.yaml", dump_native(model))).states == model.states


def test_velocity_of_a_keyframe_without_pose_is_turned_as_the_file_places_the_body() -> None:
    text = """<mujoco><worldbody><body name="b" euler="0 0 90"><freejoint/><geom size="0.1"/></body></worldbody>
<keyframe><key name="k" qvel="1 2 3 0 0 0"/></keyframe></mujoco>"""
    (state,) = read_mjcf(TextSource("m.xml", text)).states
    assert state.q == ()
    ((_, values),) = state.v
    assert [evaluate(value) for value in values] == pytest.approx([0, 0, 0, 2, -1, 3], abs=1e-15)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0 0.8 0\"", "0 0.8\"", "qpos of <key> has 12 numbers; give 13"),
        ("<key time", '<key name="up" time', "two keyframes are named 'up'"),
        ("10 11", "10 x", "no finite number"),
        ("0.6 0 0.8 0\"", "0 0 0 0\"", "the quaternion of joint 'ball' is zero"),
    ],
)  # fmt: skip
def test_bad_keyframes_are_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_mjcf(TextSource("m.xml", KEYS.replace(old, new)))

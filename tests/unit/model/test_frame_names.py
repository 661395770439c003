"""Names that several things have: refused where they are in different places, and KIND:NAME says which."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import mbsym
from mbsym import AppliedWrench, Frame, Placement
from mbsym.errors import FormatError, ModelError
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.linear.observed import spelt_out
from mbsym.model.frame_ends import with_frames
from mbsym.model.system import Model
from mbsym.model.validate import require_valid
from mbsym.model.wrench_inputs import with_wrench_inputs
from mbsym.pipeline import GenerationOptions, express
from mbsym.reference.reference import Reference

HAND = """<mujoco model="m"><worldbody>
<camera name="arm" pos="0 0 9"/>
<body name="arm" pos="0.1 0 0"><joint name="hand" pos="0.02 0 0" axis="0 1 0"/>
  <geom type="box" size="0.1 0.2 0.3"/>
  <body name="hand" pos="0 0 0.5"><joint name="wrist" axis="0 0 1"/><geom type="box" size="0.1 0.1 0.2"/>
    <camera name="hand" pos="0 0 0.2"/><site name="hand" pos="0 0.3 0" euler="30 0 0"/><site name="eye" pos="1 0 0"/>
    <body name="eye" pos="0 2 0"><geom type="box" size="0.1 0.1 0.1"/></body></body></body>
</worldbody></mujoco>"""

KINDS = ("body:hand", "joint:hand", "camera:hand", "site:hand", "site:eye", "body:eye", "body:arm", "camera:arm")


def hand(options: LoadOptions | None = None) -> Model:
    return read_mjcf(TextSource("m.xml", HAND), options or LoadOptions())


@pytest.fixture(params=["read", "kept", "converted"])
def model(request: pytest.FixtureRequest) -> Model:
    found = hand(LoadOptions(fixed_joints="keep" if request.param == "kept" else "merge"))
    if request.param == "converted":
        again = read_native(TextSource("m.yaml", dump_native(found)))
        assert again.frames == found.frames
        return again
    return found


def place(model: Model, name: str, q: np.ndarray) -> np.ndarray:
    """Where the frame of that name is."""
    return Reference(with_frames(model, [name])).frame_poses(q)[0]


def test_each_kind_is_where_mujoco_has_it(model: Model) -> None:
    his = mujoco.MjModel.from_xml_string(HAND)
    data = mujoco.MjData(his)
    data.qpos[:] = (0.4, -0.7)
    mujoco.mj_forward(his, data)
    for name in KINDS:
        kind, own = name.split(":")
        found = place(model, name, data.qpos)[:3, 3]
        there = data.joint(own).xanchor if kind == "joint" else getattr(data, "cam" if kind == "camera" else kind)(own)
        wanted = there if kind == "joint" else there.xpos
        assert found == pytest.approx(wanted, abs=1e-12), name  # metres, of the order of one


def test_a_name_of_several_is_refused_with_what_it_may_mean(model: Model) -> None:
    listed = "'hand' may be the camera hand on body hand, the site hand on body hand, the body hand or the joint hand"
    for ask in (
        lambda: model.frame("hand"),
        lambda: express(model, GenerationOptions(frames=("hand",))),
        lambda: with_wrench_inputs(model, ["hand"]),
    ):
        with pytest.raises(ModelError, match=f"{listed} on body arm; say camera:hand, site:hand, body:hand or joint:h"):
            ask()
    with pytest.raises(ModelError, match="'arm' may be the camera arm on body world or the body arm; say camera:arm"):
        model.frame("arm")
    assert model.frame("wrist").body == "hand"


def test_elements_name_bodies_and_frames_likewise(model: Model) -> None:
    for name, force in (("body:hand", (0, 0, 5)), ("camera:hand", (1, 2, 3)), ("joint:hand", (0, 4, 0))):
        pushed = replace(model, forces=(AppliedWrench("push", name, force, axes="body"),))
        require_valid(pushed)
        q, v = np.array([0.3, 0.8]), np.zeros(2)
        reference, jacobian = Reference(pushed), Reference(with_frames(model, [name])).frame_jacobians(q)[0]
        given = reference.bias_force(q, v) - Reference(model).bias_force(q, v)
        assert -given == pytest.approx(jacobian.T @ [0, 0, 0, *force], abs=1e-12)  # newton metres of the order of one
        assert read_native(TextSource("m.yaml", dump_native(pushed))).forces == pushed.forces
    with pytest.raises(
        ModelError, match=r"'push' refers to several frames: 'hand' may be the camera hand .*say camera:h"
    ):
        require_valid(replace(model, forces=(AppliedWrench("push", "hand", (1, 0, 0)),)))
    with pytest.raises(ModelError, match=r"refers to body.* 'wrist', which does not exist"):
        require_valid(replace(model, forces=(AppliedWrench("push", "wrist", (1, 0, 0)),)))


def test_wrenches_act_on_the_body_that_a_camera_hides(model: Model) -> None:
    require_valid(with_wrench_inputs(model, ["camera:hand", "body:hand"]))


def test_outputs_take_full_names(model: Model) -> None:
    names, frames = spelt_out(model, ("body:hand", "camera:hand.z", "joint:wrist.y", "q_wrist"))
    assert names == ("body:hand.x", "body:hand.y", "body:hand.z", "camera:hand.z", "joint:wrist.y", "q_wrist")
    assert frames == ("body:hand", "camera:hand", "joint:wrist")


def test_names_of_one_place_are_no_doubt() -> None:
    model = mbsym.load(mbsym.examples.path("double_pendulum"))
    body = model.bodies[0].name
    same = replace(model, frames=(Frame(body, body), Frame("a", body), Frame("site:a", body, kind="site")))
    assert [same.frame(name).body for name in (body, f"body:{body}", f"frame:{body}", "a", "frame:a", "site:a")] == (
        [body] * 6
    )
    with pytest.raises(ModelError, match="no frame 'camera:a'"):
        same.frame("camera:a")
    with pytest.raises(ModelError, match="two of the frames are named 'site:a'"):
        require_valid(replace(model, frames=(Frame("a", body, kind="site"), Frame("site:a", body, kind="site"))))


def test_a_native_file_says_kinds() -> None:
    text = """name: n
bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}
joints: {pin: {type: revolute, from: ground, to: rod}}
frames: {rod: {body: rod, at: [1, 0, 0], kind: camera}}
forces: {push: {type: applied_wrench, body: NAME, force: [1, 0, 0]}}
"""
    model = read_native(TextSource("n.yaml", text.replace("NAME", "camera:rod")))
    assert model.frame("camera:rod") == Frame("camera:rod", "rod", Placement((1, 0, 0)), kind="camera")
    assert "kind: camera" in dump_native(model)
    with pytest.raises(FormatError, match=r"n.yaml:5:.*'rod' may be the camera rod on body rod or the body rod"):
        read_native(TextSource("n.yaml", text.replace("NAME", "rod")))
    with pytest.raises(FormatError, match=r"n.yaml:4:.*did you mean 'camera'"):
        read_native(TextSource("n.yaml", text.replace("kind: camera", "kind: camra").replace("NAME", "rod")))


def test_the_reacher_of_a_public_set(tmp_path: Path) -> None:
    """Its camera ``hand`` stands 0.2 m off the body."""
    found = importlib.util.find_spec("dm_control")
    assert found is not None and found.origin is not None
    file = Path(found.origin).parent / "suite" / "reacher.xml"
    model = mbsym.load(file)
    with pytest.raises(ModelError, match="'hand' may be the camera hand on body hand or the body hand"):
        mbsym.generate(model, tmp_path, frames=("hand",))
    assert not any(tmp_path.iterdir())
    names = ("body:hand", "camera:hand", "body_hand")
    odd = replace(model, frames=(*model.frames, Frame("body_hand", "hand")))
    mbsym.generate(odd, tmp_path, frames=names, functions=("frame_pose",))
    his = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(his)
    data.qpos[:] = (0.3, -0.8)
    mujoco.mj_forward(his, data)
    space: dict[str, Any] = {"__name__": "generated"}
    exec((tmp_path / "two_link_planar_reacher.py").read_text(encoding="utf-8"), space)
    poses = space["frame_pose"](data.qpos)
    for row, wanted in enumerate((data.body("hand").xpos, data.cam("hand").xpos, data.body("hand").xpos)):
        assert poses[row, :3, 3] == pytest.approx(wanted, abs=1e-12)
    header = next(tmp_path.glob("*.h")).read_text(encoding="utf-8")
    macros = [line.split()[1] for line in header.splitlines() if line.startswith("#define") and "hand" in line.lower()]
    assert len(macros) == len(set(macros))

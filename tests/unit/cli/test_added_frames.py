"""``--add-frame``: a frame that the file lacks, on a body, a frame or a joint, in every verb."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import Frame, Placement
from mbsym.cli import main
from mbsym.errors import ModelError
from mbsym.model.frame_ends import with_frame
from mbsym.reference.reference import Reference

HAND = Placement((0.1, 0, 0.2), (("z", 0.3), ("y", -0.7)))
TOOL = Placement.from_rpy(0.1, 0.2, "pi/2", (0, 0.05, "0.1"))


def test_it_sits_on_what_it_is_put_on() -> None:
    """By the poses of the reference: that of the carrier, times that of the placement alone."""
    model = mbsym.examples.load("puma560")
    model = replace(model, frames=(Frame("hand", model.bodies[-1].name, HAND),))
    for on in (model.bodies[2].name, "hand", f"joint:{model.joints[3].name}"):
        found = with_frame(model, "tool", on, TOOL)
        carrier = replace(found.frame(on), name="carrier")
        alone = Frame("alone", model.ground, TOOL)
        reference = Reference(replace(found, frames=(*found.frames, carrier, alone)))
        poses = reference.frame_poses(np.linspace(-1.0, 1.0, reference.nq))
        _, tool, carried, step = poses
        np.testing.assert_allclose(tool, carried @ step, atol=1e-14)


def test_from_the_command_line(tmp_path: Path) -> None:
    words = ["--add-frame", "tool=link 2:0,0,l2,0,pi/2,0", "--add-frame", "tip=tool:1,0,0"]
    names = [body.name for body in mbsym.examples.load("double_pendulum").bodies]
    words[1] = words[1].replace("link 2", names[1]).replace("l2", "0.5")
    assert main(["convert", "double_pendulum", str(tmp_path / "pendulum.yaml"), *words]) == 0
    found = mbsym.load(tmp_path / "pendulum.yaml")
    tool, tip = found.frames
    assert (tool.name, tool.body, tip.name, tip.body) == ("tool", names[1], "tip", names[1])
    assert tool.placement == Placement((0, 0, "0.5"), (("y", "pi/2"),))
    poses = Reference(found).frame_poses(np.zeros(2))
    np.testing.assert_allclose(poses[1, :3, 3] - poses[0, :3, 3], poses[0, :3, 0], atol=1e-14)
    assert main(["generate", "double_pendulum", "-o", str(tmp_path), *words, "--frame", "tip"]) == 0
    assert mbsym.verify(tmp_path, states=3).passed


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("tool", "'tool' says no frame; write NAME=BODY:X,Y,Z"),
        ("tool=base", "says no frame"),
        ("=cart:0,0,0", "says no frame"),
        ("tool=:0,0,0", "says no frame"),
        ("tool=cart:0,0", "says no frame"),
        ("tool=cart:0,0,0,1", "says no frame"),
        ("tool=cart:0,,0", "says no frame"),
        ("tool=carts:0,0,0", "there is no frame 'carts'; did you mean 'cart'"),
        ("pole=cart:0,0,0", "there is a frame 'pole' already"),
        ("tool=cart:0,0,a", "unknown name a"),
    ],
)
def test_mistakes(text: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "cart_pole", "--add-frame", text]) == 2
    said = capsys.readouterr().err
    assert complaint in said and "Traceback" not in said


def test_a_quaternion_that_is_no_number() -> None:
    model = mbsym.examples.load("cart_pole")
    model = replace(model, frames=(Frame("odd", "pole", Placement(quaternion=("cos(l)", 0, 0, "sin(l)"))),))
    with pytest.raises(ModelError, match="cannot be put on 'odd'"):
        with_frame(model, "tool", "odd", TOOL)

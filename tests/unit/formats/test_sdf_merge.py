"""Models that an SDF merges into the one that includes them: the same mechanism without a level of names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbsym.errors import FormatError
from mbsym.formats.sdf import load_sdf
from mbsym.model.frame_ends import with_frames
from mbsym.model.system import Model
from mbsym.reference import Reference

MASS = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
LINK = f"<link name='{{}}'>{{}}{MASS}{{}}</link>"
IMU = "<sensor name='imu' type='imu'><pose relative_to='__model__'>0 0 1 0 0 0</pose></sensor>"
SHANK, TOE = LINK.format("shank", "<pose>0.1 0 0 0.2 0 0</pose>", IMU), LINK.format("toe", "", "")
SOLE = LINK.format("sole", "<pose relative_to='__model__'>0 0.3 0 0 0 0</pose>", "")
LEG = f"""<sdf version="1.9"><model name="leg" canonical_link="toe"><pose>0 0 0.5 0 0.3 0</pose>{SHANK}{TOE}
<frame name="mark"><pose>0.5 0 0 0 0 0.4</pose></frame><frame name="own" attached_to="__model__"/>
<model name="foot"><pose>1 0 0 0 0 0</pose>{SOLE}</model>
<joint name="ankle" type="revolute"><pose relative_to="__model__">0 0.2 0 0 0 0</pose>
<parent>shank</parent><child>toe</child><axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint>
<joint name="ball" type="ball"><parent>__model__</parent><child>foot::sole</child></joint>
</model></sdf>"""
ROBOT = """<sdf version="1.9"><model name="robot">{trunk}<frame name="hook"><pose>0 0 0.7 0 0 0</pose></frame>
<include{merge}><uri>leg.sdf</uri><name>left</name><pose relative_to="hook">0 1 0 0.1 0 0</pose>{placement}</include>
<joint name="hip" type="revolute"><parent>trunk</parent><child>{scope}shank</child><axis><xyz>1 0 0</xyz></axis></joint>
</model></sdf>"""


def robot(directory: Path, *, merge: bool, placement: str = "", leg: str = LEG) -> Model:
    directory.mkdir(exist_ok=True)
    (directory / "leg.sdf").write_text(leg, encoding="utf-8")
    path = directory / "robot.sdf"
    text = ROBOT.format(
        trunk=LINK.format("trunk", "", ""),
        merge=" merge='true'" if merge else "",
        placement=f"<placement_frame>{placement}</placement_frame>" if placement else "",
        scope="" if merge else "left::",
    )
    path.write_text(text, encoding="utf-8")
    return load_sdf(path)


@pytest.mark.parametrize("placement", ["", "mark", "toe", "__model__"])
def test_it_moves_as_the_model_that_is_included(tmp_path: Path, placement: str) -> None:
    apart, one = (robot(tmp_path / str(merge), merge=merge, placement=placement) for merge in (False, True))
    assert [body.name for body in apart.bodies] == ["trunk", "left::shank", "left::toe", "left::foot::sole"]
    assert [body.name for body in one.bodies] == ["trunk", "shank", "toe", "foot::sole"]
    assert [joint.name for joint in one.joints] == [joint.name.removeprefix("left::") for joint in apart.joints]
    named = {
        "left": "_merged__left__model__",
        "left::mark": "mark",
        "left::own": "own",
        "left::shank::imu": "shank::imu",
    }
    references = Reference(with_frames(apart, list(named))), Reference(with_frames(one, list(named.values())))
    rng = np.random.default_rng(0)
    for _ in range(3):
        q, v = rng.normal(size=references[0].nq), rng.normal(size=references[0].nv)
        for start in (0, 10):
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        for name in ("poses", "mass_matrix", "frame_poses"):
            left, right = (np.asarray(getattr(reference, name)(q)) for reference in references)
            assert left == pytest.approx(right, abs=1e-12), name
        left, right = (reference.bias_force(q, v) for reference in references)
        assert left == pytest.approx(right, abs=1e-11)


def test_merges_may_be_nested(tmp_path: Path) -> None:
    toe = f"<sdf version='1.9'><model name='tip'>{LINK.format('nail', '<pose>0 0 1 0 0 0</pose>', '')}</model></sdf>"
    include = "<include merge='true'><uri>tip.sdf</uri><pose>0 2 0 0 0 0</pose></include>"
    tmp_path.joinpath("tip.sdf").write_text(toe, encoding="utf-8")
    model = robot(tmp_path, merge=True, leg=LEG.replace("</model></sdf>", f"{include}</model></sdf>"))
    flat = robot(tmp_path, merge=True)
    assert [body.name for body in model.bodies if body.name not in {item.name for item in flat.bodies}] == ["nail"]
    frames = {frame.name for frame in model.frames} - {frame.name for frame in flat.frames}
    assert frames == {"_merged__tip__model__"}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("'shank'", "'trunk'", r"leg.sdf:1:\d+: two links are named 'trunk'"),
        ('name="mark"', 'name="hip"', r"a joint and the frame of line 2 of leg.sdf are both named 'hip'"),
        (
            "<pose>0 0 0.5",
            "<static>true</static><pose>0 0 0.5",
            r"robot.sdf:2:1: the static model 'left' cannot be merged",
        ),
        (LEG[LEG.index("<pose>0 0 0.5") : LEG.index("</model></sdf>")], "", r"model 'left' has no <link>"),
    ],
)
def test_mistakes_are_answered(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    assert old in LEG
    with pytest.raises(FormatError, match=complaint):
        robot(tmp_path, merge=True, leg=LEG.replace(old, new))


def test_a_world_merges_nothing(tmp_path: Path) -> None:
    robot(tmp_path, merge=True)
    text = "<sdf version='1.10'><world name='w'><include merge='true'><uri>leg.sdf</uri></include></world></sdf>"
    tmp_path.joinpath("w.sdf").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"w.sdf:1:\d+: a world merges no model; include it without merge"):
        load_sdf(tmp_path / "w.sdf")

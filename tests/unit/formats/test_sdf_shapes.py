"""Shapes of SDF links, and inertia that follows from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbsym.errors import FormatError
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.sdf import load_sdf, read_sdf
from mbsym.formats.text_source import TextSource
from mbsym.model.body import Body, Placement
from mbsym.model.shape import Shape
from mbsym.model.system import Model
from mbsym.shapes.forms import Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere
from mbsym.values.numbers import evaluate

ROUND = "<sphere><radius>0.1</radius></sphere>"
LONG = "<cylinder><radius>0.2</radius><length>0.6</length></cylinder>"
FLAT = "<box><size>0.3 0.4 0.5</size></box>"


def item(tag: str, geometry: str, inside: str = "") -> str:
    return f'<{tag} name="s">{inside}<geometry>{geometry}</geometry></{tag}>'


def read(inside: str) -> Model:
    text = f'<sdf version="1.11"><model name="m"><link name="a">{inside}</link></model></sdf>'
    return read_sdf(TextSource("m.sdf", text))


def test_every_form_is_kept_with_its_place_and_colour() -> None:
    color = "<material><ambient>1 0 0</ambient><diffuse>0.1 0.2 0.3 0.4</diffuse></material>"
    model = read(
        item("visual", FLAT, "<pose>1 2 3 0 0 0.5</pose>" + color)
        + item("visual", "<ellipsoid><radii>1 2 3</radii></ellipsoid>", "<material><ambient>1 0 0</ambient></material>")
        + item("visual", "<capsule><radius>0.2</radius><length>0.6</length></capsule>")
        + item("visual", "<mesh><uri>model://m/part.stl</uri><scale>2 2 2</scale></mesh>")
        + item("visual", "<plane><normal>0 0 1</normal></plane>")
        + item("visual", "<sphere><radius>0</radius></sphere>")
        + item("collision", ROUND)
    )
    at = Placement((1, 2, 3), (("z", "0.5"),))
    assert model.shapes == (
        Shape("a", Box(("0.3", "0.4", "0.5")), at, ("0.1", "0.2", "0.3", "0.4"), "s"),
        Shape("a", Ellipsoid((1, 2, 3)), color=(1, 0, 0, 1), name="s"),
        Shape("a", Capsule("0.2", "0.6"), name="s"),
        Shape("a", Mesh("model://m/part.stl", (2, 2, 2)), name="s"),
    )
    assert read_native(TextSource("m.yaml", dump_native(model))) == model


def test_what_collides_is_shown_where_nothing_else_is() -> None:
    shapes = read(item("collision", ROUND) + item("collision", LONG)).shapes
    assert [shape.form for shape in shapes] == [Sphere("0.1"), Cylinder("0.2", "0.6")]


def test_meshes_of_included_files_are_named_from_the_first(tmp_path: Path) -> None:
    mesh = item("visual", "<mesh><uri>meshes/part.stl</uri></mesh>")
    part = f'<sdf version="1.9"><model name="p"><link name="b">{mesh}</link></model></sdf>'
    include = "<include><uri>parts/p.sdf</uri></include>"
    main = f'<sdf version="1.9"><model name="m"><link name="a">{mesh}</link>{include}</model></sdf>'
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "p.sdf").write_text(part, encoding="utf-8")
    (tmp_path / "m.sdf").write_text(main, encoding="utf-8")
    assert [shape.form for shape in load_sdf(tmp_path / "m.sdf").shapes] == [
        Mesh("meshes/part.stl"),
        Mesh("parts/meshes/part.stl"),
    ]


def inertia_of(body: Body) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = (evaluate(value) for value in body.inertia)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_inertia_follows_from_collisions_and_their_densities() -> None:
    auto = '<inertial auto="true"><density>500</density></inertial>'
    heavy = "<density>2000</density><pose>1 0 0 1.5707963267948966 0 0</pose>"
    body = read(auto + item("collision", FLAT) + item("collision", LONG, heavy)).bodies[0]
    box, rod = 500 * 0.3 * 0.4 * 0.5, 2000 * np.pi * 0.2**2 * 0.6
    assert evaluate(body.mass) == pytest.approx(box + rod, rel=1e-15)
    assert [evaluate(value) for value in body.center_of_mass] == pytest.approx([rod / (box + rod), 0, 0], rel=1e-15)
    own = box / 12 * np.diag([0.4**2 + 0.5**2, 0.3**2 + 0.5**2, 0.3**2 + 0.4**2])
    across, along = rod * (3 * 0.2**2 + 0.6**2) / 12, rod * 0.2**2 / 2
    apart = box * rod / (box + rod) * np.diag([0, 1, 1])
    assert inertia_of(body) == pytest.approx(own + np.diag([across, along, across]) + apart, rel=1e-14)


def test_a_stated_mass_scales_the_inertia_that_follows() -> None:
    body = read('<inertial auto="1"><mass>6</mass></inertial>' + item("collision", FLAT)).bodies[0]
    assert (evaluate(body.mass), body.center_of_mass) == (6, (0, 0, 0))
    assert inertia_of(body) == pytest.approx(0.5 * np.diag([0.41, 0.34, 0.25]), rel=1e-15)
    water = read('<inertial auto="1"/>' + item("collision", FLAT))
    assert evaluate(water.bodies[0].mass) == 60
    assert not any("have no mass" in note for note in water.warnings)


@pytest.mark.parametrize(
    ("inside", "complaint"),
    [
        (item("visual", "<box><size>1 2</size></box>"), r"m.sdf:1:\d+: <size> has 2 numbers; give 3"),
        (item("visual", "<sphere><radius>big</radius></sphere>"), r"m.sdf:1:\d+: <radius> is 'big', no finite number"),
        (
            item("visual", ROUND, '<pose relative_to="b">0 0 0 0 0 0</pose>'),
            "of link 'a' refers to 'b', which does not",
        ),
        ('<inertial auto="1"/>', r"m.sdf:1:\d+: link 'a' has no collision that its inertia can follow from"),
        ('<inertial auto="1"/>' + item("visual", ROUND), "link 'a' has no collision"),
        (
            '<inertial auto="1"/>' + item("collision", "<mesh><uri>a.stl</uri></mesh>"),
            "a collision of link 'a' has no mass here",
        ),
        ('<inertial auto="1"><density>none</density></inertial>' + item("collision", ROUND), "<density> is 'none'"),
        ('<inertial auto="1"><density>0</density></inertial>' + item("collision", ROUND), "link 'a' has no collision"),
    ],
)
def test_mistakes(inside: str, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        read(inside)

"""Mass from geometry and density: exact for primitives, with pi; refused where it is given twice or bounds nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import mbsym
from mbsym.errors import FormatError, ModelError
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.native import load_native, read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.rigid_frames import exact_mass
from mbsym.formats.text_source import TextSource
from mbsym.model.body import Body, Placement
from mbsym.shapes.forms import Box, Capsule, Cylinder, Ellipsoid, Form, Sphere
from mbsym.values.numbers import evaluate
from mechanisms.bracket import VOLUME, bracket, write_stl

ROD = """name: rod
parameters: {{rho: {{value: 7850, symbolic: true}}, l: 0.4}}
bodies:
  rod:
    {density}
    geometry:
      - {{type: cylinder, radius: 0.02, length: l, at: [0, 0, -l/2]}}
      - {{type: box, size: [0.1, 0.2, 0.3], at: {{translation: [0, 0, -l], rotation: [[z, pi/2]]}}{own}}}
joints: {{pin: {{type: revolute, from: ground, to: rod, axis: y}}}}
"""


def rod(density: str = "density: rho", own: str = "") -> mbsym.Model:
    return read_native(TextSource("rod.yaml", ROD.format(density=density, own=own)))


def test_mass_is_exact_and_pi_stays_pi() -> None:
    (body,) = rod("density: 1000").bodies
    l = sp.Symbol("l")
    assert sp.sympify(body.mass) == 6 + sp.pi * 4 * l / 10
    assert body.first_moment is not None
    assert sp.expand(sp.sympify(body.first_moment[2]) - (-6 * l - sp.pi * l**2 / 5)) == 0
    # About the frame's origin: a cylinder hanging from its end, and a box turned by a right angle.
    across = sp.pi * 4 * l / 10 * (sp.Rational(1, 10000) + l**2 / 3)
    x, y = sp.sympify(body.inertia[0]), sp.sympify(body.inertia[1])
    assert sp.expand(x - across - 6 * (l**2 + (sp.Rational(1, 100) + sp.Rational(9, 100)) / 12)) == 0
    assert sp.expand(y - across - 6 * (l**2 + (sp.Rational(4, 100) + sp.Rational(9, 100)) / 12)) == 0
    assert body.inertia[3:] == (0, 0, 0)


def test_densities_are_of_bodies_and_shapes() -> None:
    (body,) = rod(own=", density: 10").bodies
    assert sp.sympify(body.mass).coeff("rho") == sp.pi * 4 * sp.Symbol("l") / 10000
    (alone,) = rod("", ", density: 500").bodies
    assert (alone.mass, alone.center_of_mass, alone.first_moment) == (3, (0, 0, "-l"), None)
    assert alone.inertia == ("1/40", "13/400", "1/80", 0, 0, 0)
    assert dump_native(read_native(TextSource("rod.yaml", dump_native(rod())))) == dump_native(rod())


FORMS: list[tuple[str, Form, str]] = [
    ("box", Box(("0.2", "0.4", "0.6")), 'size="0.1 0.2 0.3"'),
    ("sphere", Sphere("0.3"), 'size="0.3"'),
    ("ellipsoid", Ellipsoid(("0.1", "0.2", "0.3")), 'size="0.1 0.2 0.3"'),
    ("cylinder", Cylinder("0.1", "0.5"), 'size="0.1 0.25"'),
    ("capsule", Capsule("0.1", "0.5"), 'size="0.1 0.25"'),
]


@pytest.mark.parametrize(("kind", "form", "size"), FORMS, ids=[kind for kind, _, _ in FORMS])
def test_forms_weigh_what_geoms_weigh(kind: str, form: Form, size: str) -> None:
    """Two forms, one turned by an arbitrary quaternion, against geoms of MJCF, which other tests weigh with MuJoCo."""
    shapes = [
        mbsym.Shape("a", form, Placement(("0.1", 0, 0), quaternion=("0.9", "0.1", "0.2", "0.3"))),
        mbsym.Shape("a", form, Placement((0, 1, 0), (("z", "pi/2"),))),
    ]
    found = numbers(mbsym.solid_body("a", [(shape, 500) for shape in shapes]))
    geoms = f'<geom type="{kind}" density="500" {size} pos="0.1 0 0" quat="0.9 0.1 0.2 0.3"/>'
    geoms += f'<geom type="{kind}" density="500" {size} pos="0 1 0" euler="0 0 90"/>'
    text = f"<mujoco><worldbody><body><joint/>{geoms}</body></worldbody></mujoco>"
    theirs = numbers(read_mjcf(TextSource("m.xml", text)).bodies[0])
    assert found == pytest.approx(theirs, rel=1e-13, abs=1e-13)


def numbers(body: Body) -> np.ndarray:
    """Mass, first moment and inertia about the frame's origin."""
    J = np.array([evaluate(value) for value in body.inertia])
    m = evaluate(body.mass)
    if body.first_moment is not None:
        return np.array([m, *map(evaluate, body.first_moment), *J])
    c = np.array(exact_mass(body).center, dtype=float)
    J += m * np.array([c[1] ** 2 + c[2] ** 2, c[0] ** 2 + c[2] ** 2, c[0] ** 2 + c[1] ** 2, *-np.array(
        [c[0] * c[1], c[0] * c[2], c[1] * c[2]])])  # fmt: skip
    return np.array([m, *(m * c), *J])


def test_the_equations_follow_the_density() -> None:
    equations = mbsym.derive(rod())
    (entry,) = equations.mass_matrix
    l, rho = sp.Rational(2, 5), sp.Integer(7)
    expected = rho * sp.pi * l / 2500 * (sp.Rational(1, 10000) + l**2 / 3)
    expected += rho * sp.Rational(6, 1000) * (l**2 + sp.Rational(13, 1200))
    values = {symbol: {"rho": rho, "l": l}[symbol.name] for symbol in entry.free_symbols}
    assert float(entry.subs(values)) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize(
    ("density", "own", "place", "message"),
    [
        ("density: 10\n    mass: 1", "", "6:5", "'mass' beside a density, from which it follows; remove 'mass'"),
        ("first_moment: [1, 0, 0]", ", density: 1", "5:5", "'first_moment' beside a density"),
        ("density: 10*", "", "5:14", "this is no expression"),
        ("density: k", "", "5:14", "unknown name k"),
        ("density: -10", "", "5:14", "negative"),
        ("", ", density: [1]", "8:107", "a list where a number or an expression belongs"),
    ],
)
def test_mistakes_are_found_where_they_are(density: str, own: str, place: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        rod(density, own)
    assert message in str(caught.value)
    assert caught.value.where == f"rod.yaml:{place}"


def test_a_quaternion_of_zero_is_one_mistake() -> None:
    text = ROD.format(density="density: 3", own="").replace("rotation: [[z, pi/2]]", "quaternion: [0, 0.0, 0, 0]")
    with pytest.raises(FormatError) as caught:
        read_native(TextSource("rod.yaml", text))
    assert str(caught.value) == (
        "rod.yaml:8:86: a quaternion of a box of 'rod' is zero; give (w, x, y, z) of length one"
    )


@pytest.mark.parametrize("density", ["abs(a - b)", "min(a, b)", "max(a, max(min(b, 3), 2*a))"])
def test_densities_may_use_all_functions(density: str) -> None:
    body = mbsym.solid_body("b", [(mbsym.Shape("b", Box((1, 2, 3))), density)])
    names = {"a": 0.25, "b": 4.5}
    assert evaluate(body.mass, names) == pytest.approx(6 * evaluate(density, names), rel=1e-15)


def test_a_density_needs_shapes() -> None:
    text = "name: a\nbodies:\n  rod:\n    density: 3\njoints: {pin: {type: revolute, from: ground, to: rod}}\n"
    with pytest.raises(FormatError, match=r"a.yaml:4:5: body 'rod' has a density and no shape; give it shapes"):
        read_native(TextSource("a.yaml", text))


@pytest.mark.parametrize(
    ("faces", "message"),
    [(slice(None), ""), (slice(0, -1), "it is open: 3 edges"), (None, "it is inside out")],
    ids=["closed", "open", "inside out"],
)
def test_meshes_have_mass_where_they_bound_a_volume(tmp_path: Path, faces: slice | None, message: str) -> None:
    pytest.importorskip("trimesh")
    vertices, triangles = bracket()
    write_stl(tmp_path / "b.stl", vertices, triangles[:, ::-1] if faces is None else triangles[faces])
    path = tmp_path / "m.yaml"
    path.write_text(
        "bodies:\n  rod:\n    density: 2\n    geometry:\n      - {type: mesh, file: b.stl, scale: [0.1, 0.1, 0.1]}\n"
        "joints: {pin: {type: revolute, from: ground, to: rod}}\n",
        encoding="utf-8",
    )
    if message:
        with pytest.raises(FormatError, match=f"m.yaml:4:5: mesh 'b.stl' has no mass: {message}"):
            load_native(path)
        return
    (body,) = load_native(path).bodies
    assert evaluate(body.mass) == pytest.approx(2e-3 * VOLUME, rel=1e-14)
    assert [evaluate(value) for value in body.center_of_mass] == pytest.approx([0.075, 0.125, 0.025], rel=1e-14)


def test_a_missing_mesh_says_where_was_looked(tmp_path: Path) -> None:
    shape = mbsym.Shape("a", mbsym.Mesh("b.stl"))
    with pytest.raises(ModelError, match=f"b.stl: there is no mesh 'b.stl'; looked for {tmp_path}/b.stl"):
        mbsym.solid_body("a", [(shape, 1)], str(tmp_path))
    with pytest.raises(ModelError, match="body 'a' has a density and no shape"):
        mbsym.solid_body("a", [])

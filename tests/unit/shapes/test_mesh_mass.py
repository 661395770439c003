"""Mass properties of meshes: exact ones of a bracket, those of MuJoCo, and surfaces that bound nothing."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from mbsym.shapes.mesh_file import Triangles
from mbsym.shapes.mesh_mass import RULES, Rule, joined, mesh_mass, surface_fault
from mechanisms.bracket import THICKNESS, VOLUME, bracket

VERTICES, FACES = bracket()
ROUNDING = 1e-13


def test_a_bracket_is_two_bars() -> None:
    found = mesh_mass(Triangles(VERTICES, FACES))
    # One bar of 2 x 1, and one of 1 x 2 on its left half, both as thick.
    bars = ((np.array([1.0, 0.5]), 2.0, 1.0), (np.array([0.5, 2.0]), 1.0, 2.0))
    center = sum(middle for middle, _, _ in bars) / 2
    assert found.volume == pytest.approx(VOLUME, rel=ROUNDING)
    assert found.center == pytest.approx([*center, THICKNESS / 2], rel=ROUNDING)
    polar = 0.0
    for middle, width, height in bars:
        arm = middle - center
        polar += width * height * THICKNESS * ((width**2 + height**2) / 12 + arm @ arm)
    assert found.inertia[2, 2] == pytest.approx(polar, rel=ROUNDING)


def moved(seed: int) -> Triangles:
    """A bracket out of shape, with numbers of single precision, which MuJoCo keeps vertices in."""
    rng = np.random.default_rng(seed)
    return Triangles(np.float32(VERTICES + 0.1 * rng.normal(size=VERTICES.shape)).astype(float), FACES)


@pytest.mark.parametrize("scale", [(1, 1, 1), (1.1, 0.3, -0.7)])
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_theirs(rule: Rule, scale: tuple[float, float, float]) -> None:
    mesh = moved(0)
    text = " ".join(map(repr, mesh.vertices.ravel().tolist()))
    faces = " ".join(map(str, mesh.faces.ravel().tolist()))
    factors = " ".join(map(str, scale))
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="m" vertex="{text}" face="{faces}" inertia="{rule}" scale="{factors}"/></asset>'
        '<worldbody><body><freejoint/><geom type="mesh" mesh="m" density="1"/></body></worldbody></mujoco>'
    )
    found = mesh_mass(joined([mesh], scale), rule)
    assert model.body_mass[1] == pytest.approx(found.volume, rel=ROUNDING)
    assert model.body_ipos[1] == pytest.approx(found.center, abs=ROUNDING)
    assert sorted(model.body_inertia[1]) == pytest.approx(np.linalg.eigvalsh(found.inertia), rel=1e-12)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1])
    turned = R.reshape(3, 3) @ np.diag(model.body_inertia[1]) @ R.reshape(3, 3).T
    # Their iteration for principal axes ends before rounding does: their products of inertia are off by 1e-8.
    assert turned == pytest.approx(found.inertia, abs=1e-7 * found.inertia.max())


def test_surfaces_that_bound_nothing_are_told() -> None:
    assert surface_fault(Triangles(VERTICES, FACES)) == ""
    assert surface_fault(Triangles(VERTICES[FACES].reshape(-1, 3), np.arange(FACES.size).reshape(-1, 3))) == ""
    assert "open: 3 edges" in surface_fault(Triangles(VERTICES, FACES[:-1]))
    assert "faces that disagree" in surface_fault(Triangles(VERTICES, np.vstack([FACES[:1, ::-1], FACES[1:]])))
    assert "inside out" in surface_fault(Triangles(VERTICES, FACES[:, ::-1]))
    assert "inside out" in surface_fault(Triangles(VERTICES * (1, 1, 0), FACES))


def test_a_flat_hull_is_refused() -> None:
    with pytest.raises(ValueError, match="lie in a plane"):
        mesh_mass(Triangles(VERTICES * (1, 1, 0), FACES), "convex")

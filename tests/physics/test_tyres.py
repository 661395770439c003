"""Tyres: printed curves, limits, signs and what a tyre at rest does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import atan, cos, pi, sin, sqrt, tan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.codegen.load import load_numpy
from mbsym.visualisation.skeleton import skeleton
from mechanisms.mechanism import mechanism_of

Array = np.ndarray[Any, Any]
Forces = Callable[..., Array]

RADIUS, LOAD, STIFFNESS = 0.3, 4000.0, 2e5

RIG = """\
name: rig
gravity: [0, 0, 0]
bodies: {{slide: {{mass: 0}}, cross: {{mass: 0}}, hub: {{mass: 0}}, wheel: {{mass: 1, inertia: [1, 1, 1]}}}}
joints:
  x: {{type: prismatic, from: ground, to: slide, axis: x}}
  y: {{type: prismatic, from: slide, to: cross, axis: y}}
  z: {{type: prismatic, from: cross, to: hub, axis: z}}
  axle: {{type: revolute, from: hub, to: wheel, axis: y}}
forces:
  tyre: {{type: tyre, wheel: wheel, on: ground, radius: 0.3, stiffness: 2e5, transition_speed: 1e-3, {entries}}}
"""
"""A wheel that slides in any direction, and turns."""


def forces_of(folder: Path, **entries: Any) -> Forces:
    """Force along x, y, z and moment about the axle for V_x, V_y [m/s], omega [rad/s] and load [N]."""
    folder.mkdir(exist_ok=True)
    text = RIG.format(entries=", ".join(f"{key}: {value}" for key, value in entries.items()))
    (folder / "rig.yaml").write_text(text, encoding="utf-8")
    mbsym.generate(folder / "rig.yaml", folder / "build", languages=["numpy"], functions=["inverse_dynamics"])
    function = load_numpy(folder / "build" / "rig.py").functions["inverse_dynamics"]

    def forces(ahead: Any, aside: Any, turning: Any, load: float = LOAD, sinking: float = 0.0) -> Array:
        v = np.stack(np.broadcast_arrays(ahead, aside, -sinking, turning), axis=-1).astype(float)
        q = np.zeros_like(v)
        q[..., 2] = RADIUS - load / STIFFNESS
        found: Array = -function(q, v, 0 * v)
        return found

    return forces


def magic(B: float, C: float, D: float, E: float) -> Callable[[float], float]:
    """The formula as Bakker, Nyborg and Pacejka print it."""

    def curve(x: float) -> float:
        return D * sin(C * atan(B * ((1 - E) * x + E / B * atan(B * x))))

    return curve


ALONG = (0.171, 1.69, 4236.0, 0.619)
ASIDE = (0.239, 1.19, 3650.0, -0.678)
"""B, C, D, E of the measured tyre at 4 kN in E. Bakker, L. Nyborg, H. B. Pacejka, SAE 870421 (1987): force [N] over
slip [%] and over slip angle [degrees]."""

PERCENT, DEGREE = 100.0, 180 / pi

PRINTED = {
    "longitudinal_stiffness": ALONG[0] * ALONG[1] * ALONG[2] * PERCENT / LOAD,
    "longitudinal_friction": ALONG[2] / LOAD,
    "longitudinal_shape": ALONG[1],
    "longitudinal_curvature": ALONG[3],
    "cornering_stiffness": ASIDE[0] * ASIDE[1] * ASIDE[2] * DEGREE / LOAD,
    "cornering_friction": ASIDE[2] / LOAD,
    "cornering_shape": ASIDE[1],
    "cornering_curvature": ASIDE[3],
}


def test_the_magic_formula_is_the_printed_curve(tmp_path: Path) -> None:
    """At 30 m/s the transition speed changes slips by 1e-9 of themselves; the lateral curve is of tan(alpha)."""
    forces, speed = forces_of(tmp_path, law="magic_formula", **PRINTED), 30.0
    for slip in (-0.9, -0.2, -0.05, 1e-3, 0.04, 0.11, 0.3, 1.0):
        found = forces(speed, 0, speed * (1 + slip) / RADIUS)
        assert found[0] == pytest.approx(magic(*ALONG)(PERCENT * slip), rel=1e-7)
        assert found[1:3] == pytest.approx([0, LOAD], abs=1e-8)
        assert found[3] == pytest.approx(-RADIUS * found[0], rel=1e-12)
    for tangent in (-0.3, -0.02, 0.01, 0.1, 0.25):
        found = forces(speed, speed * tangent, speed / RADIUS)
        assert found[1] == pytest.approx(-magic(*ASIDE)(DEGREE * tangent), rel=1e-7)
        assert found[[0, 3]] == pytest.approx([0, 0], abs=1e-8)


def test_its_peak_is_d_and_its_slope_b_c_d(tmp_path: Path) -> None:
    """The peak is where B x (1 - E) + E atan(B x) = tan(pi/(2 C)); steps of 1e-4 miss it by 1e-6 of its height."""
    forces, speed = forces_of(tmp_path, law="magic_formula", **PRINTED), 30.0
    slips = np.arange(0.02, 0.3, 1e-4)
    along = forces(speed, 0, speed * (1 + slips) / RADIUS)[:, 0]
    assert along.max() == pytest.approx(ALONG[2], rel=1e-6)
    B, C, _, E = ALONG
    best = PERCENT * slips[along.argmax()]
    assert B * best * (1 - E) + E * atan(B * best) == pytest.approx(tan(pi / (2 * C)), rel=1e-3)
    small = 1e-5
    slope = forces(speed, 0, speed * (1 + small) / RADIUS)[0] / (PERCENT * small)
    assert slope == pytest.approx(np.prod(ALONG[:3]), rel=1e-6)


def test_a_brush_slides_all_over_from_three_mu_over_c(tmp_path: Path) -> None:
    """Slip is per speed of the tread there: kappa/(1 + kappa). Half way it has 7/8 of the most; at first c."""
    stiffness, friction, speed = 12.0, 0.9, 20.0
    given = {"longitudinal_stiffness": stiffness, "longitudinal_friction": friction, "cornering_stiffness": 7,
             "cornering_friction": friction}  # fmt: skip
    forces = forces_of(tmp_path, law="brush", **given)
    sliding = 3 * friction / stiffness
    for part, share in ((1, 1), (1.5, 1), (0.5, 7 / 8), (1e-5, 3e-5)):
        slip = part * sliding
        found = forces(speed * (1 - slip), 0, speed / RADIUS)
        assert found[0] == pytest.approx(share * friction * LOAD, rel=2e-5)
    locked = forces(speed, 0.0, 0.0)
    assert locked[0] == pytest.approx(-friction * LOAD, rel=1e-7)


@pytest.mark.parametrize("part", [-0.7, 0.01, 0.2, 0.55, 0.99, 1.3])
def test_the_moment_of_a_brush_is_that_of_its_bristles(tmp_path: Path, part: float) -> None:
    """Each bristle is bent by slip times its way through the patch, up to what parabolic pressure holds; their forces
    and moments about the middle are summed by Gauss's rule on both sides of where they begin to slide. The moment turns
    the wheel out of its slip angle."""
    half, stiffness, friction, speed = 0.09, 12.0, 0.8, 25.0
    given = {"longitudinal_stiffness": 9, "cornering_stiffness": stiffness, "cornering_friction": friction}
    text = RIG.format(entries=", ".join(f"{k}: {v}" for k, v in {**given, "law": "brush", "trail": half / 3}.items()))
    text = text.replace("hub: {{mass: 0}},".format(), "turn: {mass: 0}, hub: {mass: 0},")
    text = text.replace(
        "to: hub, axis: z}", "to: turn, axis: z}\n  steer: {type: revolute, from: turn, to: hub, axis: z}"
    )
    (tmp_path / "rig.yaml").write_text(text, encoding="utf-8")
    mbsym.generate(tmp_path / "rig.yaml", tmp_path / "build", languages=["numpy"], functions=["inverse_dynamics"])
    function = load_numpy(tmp_path / "build" / "rig.py").functions["inverse_dynamics"]
    slip = part * 3 * friction / stiffness
    q, v = np.array([0, 0, RADIUS - LOAD / STIFFNESS, 0, 0]), np.array([speed, slip * speed, 0, 0, speed / RADIUS])
    found = -function(q, v, 0 * v)

    def shear(way: Array) -> Array:
        pressed = 3 * LOAD / (4 * half) * (1 - ((way - half) / half) ** 2)
        return np.minimum(stiffness * LOAD / (2 * half**2) * abs(slip) * way, friction * pressed)

    slides = 2 * half * max(0.0, 1 - abs(part))
    nodes, weights = np.polynomial.legendre.leggauss(4)
    force = moment = 0.0
    for start, end in ((0.0, slides), (slides, 2 * half)):
        way = start + (end - start) * (nodes + 1) / 2
        force += float(weights @ shear(way)) * (end - start) / 2
        moment += float(weights @ (shear(way) * (way - half))) * (end - start) / 2
    assert found[1] == pytest.approx(-np.sign(slip) * force, rel=1e-6)
    assert found[3] == pytest.approx(np.sign(slip) * moment, rel=1e-6, abs=1e-6 * force * half)


def test_linear_up_to_friction(tmp_path: Path) -> None:
    given = {"longitudinal_stiffness": 10, "cornering_stiffness": 8, "cornering_friction": 0.5}
    forces = forces_of(tmp_path, law="linear", **given)
    assert forces(20, 0, 20 * 1.05 / RADIUS)[0] == pytest.approx(0.5 * LOAD, rel=1e-7)
    assert forces(20, 0, 20 * 1.5 / RADIUS)[0] == pytest.approx(LOAD, rel=1e-7)
    assert forces(20, 1, 20 / RADIUS)[1] == pytest.approx(-0.4 * LOAD, rel=1e-7)
    assert forces(20, 3, 20 / RADIUS)[1] == pytest.approx(-0.5 * LOAD, rel=1e-7)


@pytest.mark.parametrize("law", ["linear", "brush", "magic_formula"])
def test_signs_and_symmetries(tmp_path: Path, law: str) -> None:
    """ISO 8855: driving pushes forwards, a wheel that travels to its left is pushed to its right, backwards alike."""
    forces = forces_of(tmp_path, law=law, longitudinal_stiffness=10, cornering_stiffness=8)
    driving, braking = forces(10, 0, 10.5 / RADIUS), forces(10, 0, 9.5 / RADIUS)
    assert driving[0] > 0 > driving[3]
    assert braking[0] < 0 < braking[3]
    left = forces(10, 0.3, 10 / RADIUS)
    assert left[1] < 0
    assert forces(10, -0.3, 10 / RADIUS)[1] == pytest.approx(-left[1])
    assert forces(-10, 0.3, -10 / RADIUS)[1] == pytest.approx(left[1])
    assert forces(-10, 0, -10.5 / RADIUS)[0] == pytest.approx(-driving[0])
    assert forces(10, 0.3, 10.5 / RADIUS, load=0.0) == pytest.approx(np.zeros(4), abs=1e-9)
    assert np.all(forces(10, 0.3, 10.5 / RADIUS, load=-50.0) == 0)  # off the ground


@pytest.mark.parametrize("law", ["linear", "brush", "magic_formula"])
def test_slip_together_is_shared_and_only_takes(tmp_path: Path, law: str) -> None:
    """With alike curves force is against the slip and as large as one slip of that size makes it; power is taken."""
    alike = {"longitudinal_stiffness": 9, "cornering_stiffness": 9, "cornering_shape": 1.65}
    forces = forces_of(tmp_path / "alike", law=law, **alike)
    ahead, aside, turning = 20.0, 1.2, 20 * 0.93 / RADIUS
    slip = np.array([ahead - turning * RADIUS, aside])
    both = forces(ahead, aside, turning)[:2]
    assert both[0] * slip[1] - both[1] * slip[0] == pytest.approx(0, abs=1e-6)
    per = ahead if law != "brush" else turning * RADIUS
    alone = forces(per, np.linalg.norm(slip), per / RADIUS)[1]
    assert np.linalg.norm(both) == pytest.approx(-alone, rel=1e-7)
    unlike = forces_of(tmp_path / "unlike", law=law, longitudinal_stiffness=14, cornering_stiffness=4,
                       longitudinal_friction=1.3, longitudinal_curvature=-3, cornering_curvature=0.9)  # fmt: skip
    rng = np.random.default_rng(1)
    v = rng.uniform(-1, 1, (500, 3)) * [20, 5, 80]
    found = unlike(*v.T)
    assert np.all(np.sum(found[:, [0, 1, 3]] * v, axis=1) <= 1e-9 * LOAD)
    assert np.all(np.linalg.norm(found[:, :2], axis=1) <= 1.3 * LOAD * (1 + 1e-12))


def test_a_damper_carries_and_never_pulls(tmp_path: Path) -> None:
    forces = forces_of(tmp_path, longitudinal_stiffness=10, cornering_stiffness=10, damping=1000)
    assert [float(forces(0, 0, 0, LOAD, rate)[2]) for rate in (0.5, -0.5, -5.0)] == pytest.approx([4500, 3500, 0])


SLOPE = """\
name: slope
gravity: [9.81*sin(0.2), 0, -9.81*cos(0.2)]
bodies: {cart: {mass: 100}, frame: {mass: 0}}
joints:
  x: {type: prismatic, from: ground, to: frame, axis: x}
  z: {type: prismatic, from: frame, to: cart, axis: z, initial: 0.295}
forces:
  tyre: {type: tyre, wheel: cart, on: ground, radius: 0.3, stiffness: 2e5, damping: 5e3, law: linear,
         longitudinal_stiffness: 10, cornering_stiffness: 10, transition_speed: 0.05}
"""


def test_a_braked_wheel_on_a_slope_creeps(tmp_path: Path) -> None:
    """At a slip of tan(slope)/c: v = v_s s/sqrt(1 - s^2)."""
    (tmp_path / "slope.yaml").write_text(SLOPE, encoding="utf-8")
    motion = mbsym.simulate(tmp_path / "slope.yaml", 1.0, accuracy=mbsym.Accuracy(rtol=1e-10, atol=1e-12))
    slip = tan(0.2) / 10
    assert motion.v[-1, 0] == pytest.approx(0.05 * slip / sqrt(1 - slip**2), rel=1e-6)


def test_a_leaning_wheel_turns_about_where_it_touches(tmp_path: Path) -> None:
    """Slip is counted where the rounded rim touches: a wheel that leans rolls with the radius it has there."""
    lean, rounding, turning = 0.4, 0.05, 30.0
    text = RIG.format(entries=f"longitudinal_stiffness: 9, cornering_stiffness: 9, law: linear, profile: {rounding}")
    text = text.replace("axis: y}\nforces", f"axis: [0, {cos(lean)!r}, {sin(lean)!r}]}}\nforces")
    text = text.replace("on: ground,", f"on: ground, axis: [0, {cos(lean)!r}, {sin(lean)!r}],")
    (tmp_path / "rig.yaml").write_text(text, encoding="utf-8")
    mbsym.generate(tmp_path / "rig.yaml", tmp_path / "build", languages=["numpy"], functions=["inverse_dynamics"])
    function = load_numpy(tmp_path / "build" / "rig.py").functions["inverse_dynamics"]
    rolls = RADIUS - rounding + rounding * cos(lean)
    height = (RADIUS - rounding) * cos(lean) + rounding
    q, v = np.array([0, 0, height - 0.01, 0]), np.array([turning * rolls, 0, 0, turning])
    found = -function(q, v, 0 * v)
    assert found == pytest.approx([0, 0, 0.01 * STIFFNESS, 0], abs=1e-6)
    assert -function(q, v * [1.01, 1, 1, 1], 0 * v)[0] < -100


def test_it_is_drawn_and_refused(tmp_path: Path) -> None:
    forces_of(tmp_path, longitudinal_stiffness=1, cornering_stiffness=1)
    model = mbsym.load(tmp_path / "rig.yaml")
    assert {link.kind for link in skeleton(mechanism_of(model)).links if link.kind == "rim"} == {"rim"}
    for change, what in (
        ({"radius": 0}, "the radius of force element 'tyre' is not positive; give it one"),
        ({"axis": (0, 0, 0)}, "the direction of force element 'tyre' is zero"),
        ({"normal": (0, 0, 0)}, "the direction of force element 'tyre' is zero"),
        ({"profile": 0.4}, "is not between zero and its radius"),
        ({"law": "fiala"}, "there is no law 'fiala'; say linear or brush or magic_formula"),
        ({"cornering_curvature": 1.2}, "with a curvature above 1 the magic formula turns its sign"),
        ({"longitudinal_friction": 0}, "the longitudinal friction of force element 'tyre' is not positive"),
    ):
        wrong = replace(model, forces=(replace(model.forces[0], **change),))
        with pytest.raises(mbsym.MbsymError, match=what):
            mbsym.generate(wrong, tmp_path / "wrong")

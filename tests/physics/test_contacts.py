"""What balls do that bounce, slide, roll and stand on slopes: against integrals in closed form and 50 digits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import atan2, exp, log, pi, sqrt, tau
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbsym
from mbsym.codegen.load import load_numpy
from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds
from mbsym.kinematics.scene import MechanismInMotion
from mbsym.model.system import Model
from mbsym.model.validate import validate
from mbsym.spatial.vector import add
from mbsym.visualisation.skeleton import skeleton
from mechanisms.exact import same
from mechanisms.mechanism import mechanism_of
from mechanisms.random_trees import random_tree

Array = np.ndarray[Any, Any]

TIGHT = mbsym.Accuracy(rtol=1e-11, atol=1e-13)

DROP = """\
name: drop
gravity: [0, 0, {gravity}]
bodies: {{ball: {{mass: {mass}}}}}
joints: {{height: {{type: prismatic, from: ground, to: ball, axis: z, initial: {start}}}}}
forces: {{floor: {{type: contact, body: ball, on: ground, radius: 0.1, stiffness: {stiffness}{more}}}}}
"""


def drop(path: Path, gravity: float = 0, mass: float = 0.5, start: float = 0.1, stiffness: float = 2000,
         **more: Any) -> Path:  # fmt: skip
    entries = "".join(f", {key}: {value}" for key, value in more.items())
    text = DROP.format(gravity=gravity, mass=mass, start=start, stiffness=stiffness, more=entries)
    (path / "drop.yaml").write_text(text, encoding="utf-8")
    return path / "drop.yaml"


def functions(model: Path | Model, folder: Path, *names: str) -> Mapping[str, Any]:
    mbsym.generate(model, folder / "build", languages=["numpy"], functions=names or None)
    (module,) = (folder / "build").glob("*.py")
    return load_numpy(module).functions


# ---- along the normal ------------------------------------------------------------------------------------------------


def in_fifty_digits(duration: str) -> tuple[Any, Any]:
    """Height and speed of a ball of 0.1 m and 0.5 kg that falls from 0.4 m on 2000 N/m with 0.3 s/m.

    It is in the air on parabolas; in the ground the equation is a polynomial, whose Taylor series are summed.
    """
    number = mpmath.mpf
    with mpmath.workdps(50):
        m, k, a, g, r = number("0.5"), number(2000), number("0.3"), number("9.81"), number("0.1")
        t, z, v, end = number(0), number("0.4"), number(0), number(duration)
        while True:
            touches = t + (v + mpmath.sqrt(v * v + 2 * g * (z - r))) / g
            if touches > end:
                rest = end - t
                return z + v * rest - g * rest * rest / 2, v - g * rest
            v, t, z = v - g * (touches - t), touches, r

            def rate(_: Any, y: Any) -> list[Any]:
                return [y[1], g - k / m * y[0] * (1 + a * y[1])]

            deep = mpmath.odefun(rate, 0, [number(0), -v])
            guess = mpmath.pi * mpmath.sqrt(m / k)
            leaves = mpmath.findroot(
                lambda s, deep=deep: deep(s)[0], (guess, guess * number("1.05")), tol=number(10) ** -45
            )
            t, v = t + leaves, -deep(leaves)[1]


@pytest.mark.more
def test_a_bouncing_ball_in_fifty_digits(tmp_path: Path) -> None:
    """Steps are made to 1e-11, and where it touches the second derivative jumps: four bounces leave 2e-10."""
    z, v = in_fifty_digits("1.2")
    model = drop(tmp_path, gravity=-9.81, start=0.4, damping=0.3)
    motion = mbsym.simulate(model, 1.2, accuracy=TIGHT, output_step=0.01)
    falls = motion.v[:-1, 0] < 0
    assert np.sum(falls & (motion.v[1:, 0] > 0)) == 4
    assert motion.q[-1, 0] == pytest.approx(float(z), abs=1e-9)
    assert motion.v[-1, 0] == pytest.approx(float(v), abs=1e-9)


def thrown_back(model: Path, speed: float) -> float:
    motion = mbsym.simulate(model, 0.4, initial={"v_height": -speed}, accuracy=TIGHT, output_step=0.1)
    return float(motion.v[-1, 0]) / speed


@pytest.mark.parametrize("exponent", [1, 1.5, 2.2])
@pytest.mark.parametrize("damping", [0.02, 0.4])
def test_restitution_of_hunt_and_crossley(tmp_path: Path, exponent: float, damping: float) -> None:
    """From d' d(d')/dd = -(k/m) d^n (1 + a d'), whatever k and n: a v (1 + e) = ln((1 + a v)/(1 - a e v)).

    Its series begins 1 - 2/3 a v, Hunt's and Crossley's approximation (their alpha is 2/3 a).
    """
    speed = 1.5
    found = thrown_back(drop(tmp_path, damping=damping, exponent=exponent, at_depth=0.02), speed)
    hit, left = damping * speed, damping * speed * found
    assert hit + left == pytest.approx(log((1 + hit) / (1 - left)), rel=1e-7)
    # The next term of the series is 4/9 (a v)^2.
    assert found == pytest.approx(1 - 2 / 3 * hit, abs=hit**2 / 2)


@pytest.mark.parametrize("ratio", [0.05, 0.3, 0.6])
def test_restitution_of_kelvin_and_voigt_that_never_pull(tmp_path: Path, ratio: float) -> None:
    """T. Schwager, T. Poeschel, Granular Matter 9 (2007) 465: the ball leaves when the force is zero, not the depth."""
    mass, stiffness = 0.5, 2000.0
    natural = sqrt(stiffness / mass)
    found = thrown_back(drop(tmp_path, dashpot=2 * ratio * sqrt(mass * stiffness)), 1.5)
    slow, fast = ratio * natural, natural * sqrt(1 - ratio**2)
    angle = pi - atan2(2 * slow * fast, fast**2 - slow**2) if fast > slow else atan2(2 * slow * fast, slow**2 - fast**2)
    assert found == pytest.approx(exp(-slow / fast * angle), rel=1e-6)


def test_forces_push_at_depth_and_nowhere_else(tmp_path: Path) -> None:
    """At at_depth the force is stiffness times depth; outside, and torn out quickly, there is none, nor a slope."""
    more = {"damping": 0.5, "exponent": 1.5, "at_depth": 0.01}
    names = ("inverse_dynamics", "inverse_dynamics_derivatives")
    module = functions(drop(tmp_path, stiffness=3000, **more), tmp_path, *names)
    q, v = np.array([[0.09], [0.09], [0.09], [0.1], [0.3]]), np.array([[0.0], [-1.0], [2.5], [-1.0], [-1.0]])
    force = -module["inverse_dynamics"](q, v, 0 * v)[:, 0]
    assert force == pytest.approx([30, 45, 0, 0, 0], rel=1e-12)
    by_q, by_v = (-found[:, 0, 0] for found in module["inverse_dynamics_derivatives"](q, v, 0 * v))
    # d/dz of -(1.5 * force / depth) upwards, and d/dv of 30 N (1 - 0.5 v).
    assert by_q[[0, 1, 2, 4]] == pytest.approx([-4500, -6750, 0, 0], rel=1e-12)
    assert by_v[[0, 1, 2, 4]] == pytest.approx([-15, -15, 0, 0], rel=1e-12)
    assert np.all(np.isfinite([by_q[3], by_v[3]]))  # where it just touches


# ---- along the surface -----------------------------------------------------------------------------------------------

BALL = """\
name: ball
bodies: {ball: {mass: 2, inertia: [0.008, 0.008, 0.008]}}
joints: {flight: {type: free, from: ground, to: ball, initial: [1, 0, 0, 0, 0, 0, 0.0990190]}}
forces:
  floor: {type: contact, body: ball, on: ground, radius: 0.1, stiffness: 2e4, dashpot: 200, friction: 0.3,
          transition_speed: 1e-3}
"""


def test_a_ball_that_slides_comes_to_roll_at_five_sevenths(tmp_path: Path) -> None:
    """Friction acts at the ball's own radius, so that its moment about that point stays; sliding lasts 2 v/(7 mu g)."""
    (tmp_path / "ball.yaml").write_text(BALL, encoding="utf-8")
    motion = mbsym.simulate(tmp_path / "ball.yaml", 1.0, initial={"v_flight_vx": 2.0}, accuracy=TIGHT, output_step=0.01)
    speed, turning = np.hypot(motion.v[:, 3], motion.v[:, 5]), motion.v[:, 1]
    ends = 2 * 2.0 / (7 * 0.3 * 9.81)
    assert speed[-1] == pytest.approx(5 / 7 * 2.0, rel=1e-7)
    assert 0.1 * turning[-1] == pytest.approx(5 / 7 * 2.0, rel=1e-7)
    early = motion.t < 0.9 * ends
    # Slip is a thousand times the transition speed at first and a hundred times it at the end: 1e-4 of mu less at most.
    assert speed[early] == pytest.approx(2.0 - 0.3 * 9.81 * motion.t[early], abs=1e-4)
    assert 0.1 * turning[motion.t < 0.9 * ends][-1] < speed[early][-1] - 0.1


SLOPE = """\
name: slope
parameters: {{slope: {slope}}}
gravity: [9.81*sin(slope), 0, -9.81*cos(slope)]
bodies: {{block: {{mass: 3}}, rider: {{mass: 0}}}}
joints:
  down: {{type: prismatic, from: ground, to: rider, axis: x}}
  off: {{type: prismatic, from: rider, to: block, axis: z}}
forces: {{floor: {{type: contact, body: block, on: ground, stiffness: 1e5, dashpot: 1000, friction: 0.6,
          transition_speed: 0.002}}}}
"""


@pytest.mark.parametrize("slope", [0.1, 0.5])
def test_within_the_cone_a_block_creeps(tmp_path: Path, slope: float) -> None:
    """N mu v/sqrt(v^2 + v_s^2) = N tan(slope) at v = v_s s/sqrt(1 - s^2), s = tan(slope)/mu < 1."""
    (tmp_path / "slope.yaml").write_text(SLOPE.format(slope=slope), encoding="utf-8")
    motion = mbsym.simulate(tmp_path / "slope.yaml", 1.0, accuracy=TIGHT, output_step=0.1)
    part = float(np.tan(slope)) / 0.6
    assert motion.v[-1, 0] == pytest.approx(0.002 * part / sqrt(1 - part**2), rel=1e-6)


def test_at_rest_friction_has_a_slope(tmp_path: Path) -> None:
    """mu N/v_s, where a root of the slip alone would have none."""
    (tmp_path / "slope.yaml").write_text(SLOPE.format(slope=0.1), encoding="utf-8")
    module = functions(tmp_path / "slope.yaml", tmp_path, "inverse_dynamics_derivatives")
    q, still = np.array([0.3, -0.0004]), np.zeros(2)
    _, by_v = module["inverse_dynamics_derivatives"](q, still, still)
    assert by_v == pytest.approx(np.diag([0.6 * 40 / 0.002, 1000]), rel=1e-12)


def test_friction_only_takes(tmp_path: Path) -> None:
    """The power of all, less that of the same without friction, is never positive."""
    rng = np.random.default_rng(3)
    model = two_balls(friction=0.7)
    smooth = replace(model, forces=tuple(replace(force, friction=0) for force in model.forces))  # type: ignore[type-var]
    v, q = rng.uniform(-2, 2, (200, 12)), np.tile([1.0, 0, 0, 0, 0, 0, 0], (200, 2))
    q[:, 4:7], q[:, 11:14] = rng.uniform(-0.12, 0.12, (2, 200, 3))
    power = []
    for place, each in enumerate((model, smooth)):
        force = functions(each, tmp_path / str(place), "bias_force")["bias_force"](q, v)
        power.append(-np.sum(force * v, axis=1))
    assert np.all(power[0] <= power[1] + 1e-12)
    assert np.sum(power[0] < power[1] - 1e-3) > 100


# ---- what is conserved -----------------------------------------------------------------------------------------------


def two_balls(**more: Any) -> Model:
    inertia = (0.01, 0.01, 0.01, 0, 0, 0)
    bodies = (mbsym.Body("one", 1, inertia=inertia), mbsym.Body("two", 2, inertia=inertia))
    joints = tuple(mbsym.Joint(f"flight {body.name}", "free", "ground", body.name) for body in bodies)
    between = mbsym.Contact(
        "between", "one", "two", 5000, damping=0.2, radius=0.1, surface="sphere", surface_radius=0.15, **more
    )
    return Model("balls", bodies, joints, forces=(between,), gravity=(0, 0, 0))


def total_wrench(mechanism: Mechanism) -> Any:
    """What all forces of the model are together: moment about the origin and force, base axes."""
    scene = MechanismInMotion(mechanism, joint_speeds(mechanism), with_bodies=True)
    for force in mechanism.model.forces:
        force.act(scene)
    moments, forces = [], []
    for label, wrench in scene.wrenches.items():
        moment, force = scene._frames[label].wrench_to_parent(*wrench)
        moments.append(moment)
        forces.append(force)
    return moments, forces


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [mbsym.Contact, mbsym.Tyre])
def test_on_both_bodies_is_nothing_together_exactly(kind: Any, seed: int) -> None:
    """In a finite field: equal and opposite, and along one line, on bodies of random trees."""
    model = random_tree(seed, bodies=3, forces=False, parameters=False, free_roots=False)
    names = [body.name for body in model.bodies]
    first, second = (1, 2) if seed % 2 else (2, 0)
    given: dict[str, Any] = (
        {"body": names[first], "radius": 0.2, "rim": 0.1, "friction": 0.5, "dashpot": 1, "stiffness": 10}
        if kind is mbsym.Contact
        else {"wheel": names[first], "radius": 0.3, "longitudinal_stiffness": 5, "cornering_stiffness": 4,
              "stiffness": 10}
    )  # fmt: skip
    element = kind("between", on=names[second], **given)
    mechanism = mechanism_of(replace(model, forces=(element,), inputs=()))
    moments, forces = total_wrench(mechanism)
    assert len(forces) == 2
    total = (*add(*moments), *add(*forces))
    assert same(mechanism, total, [entry * 0 for entry in total])
    assert not same(mechanism, moments[0], moments[1])


def test_two_balls_that_meet_keep_their_momenta(tmp_path: Path) -> None:
    start = {"q_flight_one_px": -0.4, "v_flight_one_vx": 2.0, "q_flight_two_py": 0.1, "v_flight_one_wz": 20.0}
    motion = mbsym.simulate(two_balls(friction=0.4), 0.5, initial=start, accuracy=TIGHT, output_step=0.01)
    momenta = functions(two_balls(friction=0.4), tmp_path, "momentum")["momentum"](motion.q, motion.v)
    assert np.ptp(motion.v[:, 3]) > 0.5  # they have met
    assert np.abs(momenta - momenta[0]).max() < 1e-9 * np.abs(momenta).max()
    # What is pressed into the contact counts as taken until it is given back, in the balance of energy as well.
    assert motion.monitors.worst_energy_drift < 1e-8 * motion.monitors.energy_scale
    assert motion.monitors.work[-1] < -0.05


# ---- shapes ----------------------------------------------------------------------------------------------------------


def deepest_of_many(element: Any, turn: Array, place: Array) -> float:
    """Depth by trying points all along the rim."""
    angles = np.linspace(0, tau, 40001)
    circle = np.column_stack([np.cos(angles), 0 * angles, np.sin(angles)]) * element.rim
    points = place + circle @ turn.T
    out = {
        "plane": points[:, 2],
        "sphere": np.linalg.norm(points, axis=1) - element.surface_radius,
        "bowl": element.surface_radius - np.linalg.norm(points, axis=1),
        "cylinder": np.hypot(points[:, 0], points[:, 1]) - element.surface_radius,
        "bore": element.surface_radius - np.hypot(points[:, 0], points[:, 1]),
    }[element.surface]
    return float(element.radius - out.min())


def flying_ring(element: Any) -> Model:
    return Model(
        "ring", (mbsym.Body("ring", 1, inertia=(1, 1, 1, 0, 0, 0)),),
        (mbsym.Joint("flight", "free", "ground", "ring"),), forces=(element,), gravity=(0, 0, 0),
    )  # fmt: skip


@pytest.mark.parametrize("surface", ["plane", "sphere", "bowl", "cylinder", "bore"])
def test_the_deepest_point_is_the_deepest(tmp_path: Path, surface: str) -> None:
    """Steps of 1.6e-4 along a rim of 0.3 m miss the deepest point by 1e-8 m at most."""
    rim = 0 if surface in ("cylinder", "bore") else 0.3
    element = mbsym.Contact(
        "c", "ring", "ground", 1, radius=0.1, rim=rim, surface=surface, surface_radius=0 if surface == "plane" else 0.7
    )
    module = functions(flying_ring(element), tmp_path, "bias_force", "body_poses")
    rng = np.random.default_rng(7)
    touching = 0
    for _ in range(30):
        q = np.concatenate([rng.normal(size=4), rng.uniform(-0.7, 0.7, 3)])
        q[:4] /= np.linalg.norm(q[:4])
        pose = module["body_poses"](q)[-1]
        depth = deepest_of_many(element, pose[:3, :3], pose[:3, 3])
        force = float(np.linalg.norm(module["bias_force"](q, np.zeros(6))[3:]))
        assert force == pytest.approx(max(depth, 0), abs=1e-7)
        touching += depth > 0
    assert 5 <= touching <= 30


def test_rims_on_cylinders_are_as_near_as_the_page_says(tmp_path: Path) -> None:
    """Wheels along a drum, which lean and steer by up to half a radian, and discs in any position.

    Steps of 1.6e-4 along a rim of 0.3 m miss the deepest point by 1e-8 m at most.
    """
    element = mbsym.Contact("c", "ring", "ground", 1, radius=0.1, rim=0.3, surface="cylinder", surface_radius=0.7)
    module = functions(flying_ring(element), tmp_path, "bias_force", "body_poses")
    rng = np.random.default_rng(3)
    touching = 0
    for wheel in [True] * 20 + [False] * 20:
        about = rng.normal(size=2)
        about *= rng.uniform(0, 0.5) / np.linalg.norm(about)
        # the ring's axis y along the drum's z, and turned from there about an axis across it
        turn = Rotation.from_rotvec([*about, 0]) * Rotation.from_euler("x", 90, degrees=True)
        x, y, z, w = (turn if wheel else Rotation.random(random_state=rng)).as_quat()
        angle, far = rng.uniform(0, tau), rng.uniform(0.95, 1.1)
        q = np.array([w, x, y, z, far * np.cos(angle), far * np.sin(angle), rng.uniform(-1, 1)])
        pose = module["body_poses"](q)[-1]
        depth = max(0.0, deepest_of_many(element, pose[:3, :3], pose[:3, 3]))
        short = depth - float(np.linalg.norm(module["bias_force"](q, np.zeros(6))[3:]))
        assert -1e-8 <= short <= 1e-8 + 0.3 * (1e-8 if wheel else 2e-5)
        touching += depth > 0
    assert touching >= 10


def test_a_wheel_that_leans_and_steers_on_a_drum_keeps_its_energy(tmp_path: Path) -> None:
    """What is pressed in comes back only where force is the slope of depth, which it is at the nearest point."""
    element = mbsym.Contact("c", "ring", "ground", 2e4, radius=0.1, rim=0.3, surface="cylinder", surface_radius=0.7)
    turn = Rotation.from_rotvec([0.3, 0.25, 0]) * Rotation.from_euler("x", 90, degrees=True)
    x, y, z, w = turn.as_quat()
    start = dict(zip(("w", "x", "y", "z", "px", "py", "pz"), (w, x, y, z, 1.15, 0.0, 0.0), strict=True))
    initial = {f"q_flight_{key}": value for key, value in start.items()} | {"v_flight_vx": -2.0, "v_flight_wy": 5.0}
    motion = mbsym.simulate(flying_ring(element), 0.2, initial=initial, accuracy=TIGHT, output_step=0.01)
    assert motion.v[-1, 3] > 0.5  # it has been pushed back
    energy = functions(flying_ring(element), tmp_path, "kinetic_energy")["kinetic_energy"](motion.q, motion.v)
    assert energy[-1] == pytest.approx(energy[0], rel=1e-6)


@pytest.mark.parametrize("surface", ["sphere", "bowl", "cylinder", "bore"])
def test_in_the_middle_there_is_no_direction_and_no_fault(tmp_path: Path, surface: str) -> None:
    """A journal may start in the middle of its bore, and a ball in that of its bowl."""
    element = mbsym.Contact("c", "pin", "ground", 1, radius=0.1, surface=surface, surface_radius=0.2, exponent=1.5)
    model = Model("pin", (mbsym.Body("pin", 1),), (mbsym.Joint("slide", "prismatic", "ground", "pin"),),
                  forces=(element,), gravity=(0, 0, 0))  # fmt: skip
    module = functions(model, tmp_path, "inverse_dynamics", "inverse_dynamics_derivatives")
    zero = np.zeros(1)
    results = [module["inverse_dynamics"](zero, zero, zero), *module["inverse_dynamics_derivatives"](zero, zero, zero)]
    assert all(np.all(np.isfinite(found)) for found in results)
    assert np.abs(results[0]) == pytest.approx(0)


def test_a_disc_that_lies_flat_is_carried(tmp_path: Path) -> None:
    """Its lowest point is its centre there, and moves to the rim within a thousandth of a radian."""
    element = mbsym.Contact("c", "coin", "ground", 1000, rim=0.2, axis=(0, 0, 1))
    bodies = mbsym.Body("hub", 0), mbsym.Body("coin", 1, inertia=(1, 1, 1, 0, 0, 0))
    sink = mbsym.Joint("sink", "prismatic", "ground", "hub", axis="z")
    joints = sink, mbsym.Joint("tilt", "revolute", "hub", "coin", axis="y")
    model = Model("coin", bodies, joints, forces=(element,), gravity=(0, 0, 0))
    module = functions(model, tmp_path, "inverse_dynamics", "inverse_dynamics_derivatives")
    tilt = np.array([0, 2e-4, 5e-3, -5e-3])
    q = np.column_stack([0 * tilt - 0.01, tilt])
    depth = 0.01 + 0.2 * np.array([0, np.sin(2e-4) ** 2 / 1e-3, *np.sin([5e-3, 5e-3])])
    force, moment = -module["inverse_dynamics"](q, 0 * q, 0 * q).T
    assert force == pytest.approx(1000 * depth, rel=1e-9)
    assert moment[0] == 0
    assert moment[1] == pytest.approx(-force[1] * 0.2 * np.sin(2e-4) * np.cos(2e-4) / 1e-3, rel=1e-6)
    assert moment[2:] == pytest.approx([-force[2] * 0.2 * np.cos(5e-3), force[3] * 0.2 * np.cos(5e-3)], rel=1e-9)
    assert all(np.all(np.isfinite(found)) for found in module["inverse_dynamics_derivatives"](q, 0 * q, 0 * q))


def test_what_touches_is_drawn() -> None:
    def links(**more: Any) -> int:
        element = mbsym.Contact("c", "one", "two", 1, **more)
        model = replace(two_balls(), forces=(element,))
        return len(skeleton(mechanism_of(model)).links)

    assert (links(), links(radius=0.1), links(rim=0.1)) == (0, 96, 36)


# ---- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"surface_radius": 1}, "a plane has no radius .*; leave it out, or say which surface is round"),
        ({"surface": "bowl"}, "a bowl needs a radius"),
        ({"surface": "bore", "surface_radius": 0.05}, "a ball of 0.1 m has no room in a bore of 0.05 m"),
        ({"surface": "bore", "surface_radius": 1, "rim": 0.1}, "a rim that leans in a bore touches it in two places"),
        ({"surface": "cone"}, "'cone' is not known here; say plane, sphere, bowl, cylinder or bore"),
        ({"exponent": 0.5}, "has no slope at the surface"),
        ({"transition_speed": 0}, "the transition speed .* is not positive; give a small speed"),
        ({"surface_axis": [0, 0, 0]}, "the direction of .* is zero"),
        ({"axis": [0, 0, 0]}, "the direction of .* is zero"),
        ({"stiffness": "2 N"}, "'2 N' is not a stiffness, which is taken in N/m"),
        ({"friction": "0.3 m"}, "'0.3 m' has a unit where none is taken; write a number alone"),
    ],
)
def test_mistakes(tmp_path: Path, given: dict[str, Any], what: str) -> None:
    with pytest.raises(mbsym.MbsymError, match=what):
        mbsym.load(drop(tmp_path, **given))


def test_a_negative_stiffness_is_told(tmp_path: Path) -> None:
    model = mbsym.load(drop(tmp_path, stiffness=-1))
    assert [item.what for item in validate(model)] == ["the stiffness of force element 'floor' is negative"]


def test_directions_of_run_time_parameters_are_refused(tmp_path: Path) -> None:
    text = drop(tmp_path, surface_axis="[tilt, 0, 1]").read_text(encoding="utf-8")
    path = tmp_path / "tilted.yaml"
    path.write_text(text + "parameters: {tilt: {value: 0.1, symbolic: true}}\n", encoding="utf-8")
    with pytest.raises(DerivationError, match="a direction with tilt depends on a run-time parameter"):
        mbsym.generate(path, tmp_path / "build")


def test_the_bundled_ball_is_certified(tmp_path: Path) -> None:
    functions = ["forward_dynamics", "forward_dynamics_derivatives", "inverse_dynamics_derivatives"]
    mbsym.generate("bouncing_ball", tmp_path, functions=functions)
    certificate = mbsym.verify(tmp_path, states=4)
    assert certificate.passed, certificate.summary()

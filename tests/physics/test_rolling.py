"""What rolls and does not slip, against the textbooks: exactly in a finite field where these give formulas.

Sources: J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 (2007) 1955 (bicycle); J. I.
Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, 1972 (disc, sleigh, ball on a turntable); J. Ostrowski and
others, Proc. IEEE Int. Conf. Robotics and Automation, 1994 (snakeboard).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.equality import compare
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar, cos, sin
from mbsym.values.numbers import to_scalar
from mechanisms.mechanism import mechanism_of
from mechanisms.textbook_wheels import DISC, SLEIGH, SNAKEBOARD, read

# ---- the benchmark bicycle -------------------------------------------------------------------------------------------

G = 9.81
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
"""Of lean and steering, as printed."""

EIGENVALUES = {
    0: (3.13164324790656, -3.13164324790656, 5.53094371765393, -5.53094371765393),
    1: (3.52696170990070 + 0.80774027519930j, -3.13423125066578, -7.11008014637442),
    2: (2.68234517512745 + 1.68066296590675j, -3.07158645641514, -8.67387984831735),
    3: (1.70675605663975 + 2.31582447384325j, -2.63366137253667, -10.35101467245920),
    4: (0.41325331521125 + 3.07910818603206j, -1.42944427361326, -12.15861426576447),
    5: (-0.77534188219585 + 4.46486771378823j, -0.32286642900409, -14.07838969279822),
    6: (-1.52644486584142 + 5.87673060598709j, -0.00406690076970, -16.08537123098026),
    7: (-2.13875644258362 + 7.19525913329805j, 0.10268170574766, -18.15788466125262),
    8: (-2.69348683581097 + 8.46037971396931j, 0.14327879765713, -20.27940894394569),
    9: (-3.21675402252485 + 9.69377351531791j, 0.15790184030917, -22.43788559040858),
    10: (-3.72016840437287 + 10.90681139476287j, 0.16105338653172, -24.62459635017404),
}
"""By speed [m/s], as printed; of pairs the upper one."""

PRINTED = 2e-12
"""Half a unit of the last printed digit of matrices and eigenvalues, times what inverting M makes of it."""


def riding(speed: float) -> mbsym.Linearisation:
    return mbsym.linearise("bicycle", {"v_flight_vx": speed, "v_rear_hub": speed / 0.3, "v_front_hub": speed / 0.35})


def of_lean_and_steering(found: mbsym.Linearisation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masses, and what lean, steering and their rates do to their accelerations."""
    speeds = [found.states.index(name) - len(found.freedom.independent) for name in ("v_flight_wx", "v_steer")]
    rates = [found.states.index(name) for name in ("v_flight_wx", "v_steer")]
    places = [found.states.index(name) for name in ("d_v_flight_wx", "q_steer")]
    return found.mass[np.ix_(speeds, speeds)], found.A[np.ix_(rates, places)], found.A[np.ix_(rates, rates)]


def test_matrices_of_the_bicycle_are_those_that_are_printed() -> None:
    mass, by_places, by_rates = of_lean_and_steering(riding(0.0))
    assert np.abs(mass - M).max() < 1e-13 * np.abs(M).max()
    assert np.abs(mass @ by_places + G * K0).max() < 1e-12 * np.abs(G * K0).max()
    assert np.abs(by_rates).max() < 1e-12
    for speed in (1.0, 7.0):
        mass, by_places, by_rates = of_lean_and_steering(riding(speed))
        assert np.abs(mass @ by_places + G * K0 + speed**2 * K2).max() < 1e-12 * np.abs(G * K0 + speed**2 * K2).max()
        assert np.abs(mass @ by_rates + speed * C1).max() < 1e-12 * np.abs(speed * C1).max()


@pytest.mark.parametrize("speed", EIGENVALUES)
def test_eigenvalues_of_the_bicycle_are_those_that_are_printed(speed: int) -> None:
    """The others are zero: where it is, where it goes, how fast, and how far its wheels have turned."""
    poles = riding(float(speed)).poles
    expected = [value for each in EIGENVALUES[speed] for value in {each, np.conj(each)}]
    assert np.sum(poles != 0.0) == 4
    for value in expected:
        assert np.abs(poles - value).min() < PRINTED * max(map(abs, expected))


@pytest.mark.more
def test_operations_of_the_bicycle() -> None:
    """Mass matrix and bias force; other generators are told to need 2367."""
    derived = mbsym.derive("bicycle")
    found = [derived.operation_counts()[name] for name in ("mass_matrix", "bias_force")]
    assert [(count.add, count.mul, count.div, count.sqrt, count.sincos) for count in found] == [
        (73, 71, 0, 0, 2),
        (144, 173, 0, 0, 4),
    ]


# ---- formulas --------------------------------------------------------------------------------------------------------


def moving(model: Model, held: Mapping[str, str], roots: str = "") -> tuple[Mechanism, dict[str, Scalar], list[Scalar]]:
    """A mechanism, its names, and its accelerations without forces where coordinates and speeds are expressions."""
    mechanism = mechanism_of(model)
    names = dict(mechanism.names)
    program = LOOP_FUNCTIONS["forward_dynamics"](mechanism, analyse_loops(mechanism))
    values = {name: to_scalar(text, mechanism.graph, names) for name, text in held.items()}
    images = {names[name].ref: value.ref for name, value in values.items()} | dict.fromkeys(mechanism.tau.symbols, 0)
    refs = substitute(mechanism.graph, program.output_references, images)
    if roots:
        # A root has two values in a finite field; of a disc that leans by less than a right angle it is this one.
        (root,) = [node for node in mechanism.graph.reachable(refs) if mechanism.graph.kinds[node] == "sqrt"]
        value = to_scalar(roots, mechanism.graph, names)
        (square,) = mechanism.graph.operands(root)
        assert same(mechanism, [(Scalar(mechanism.graph, square), value * value)])
        refs = substitute(mechanism.graph, refs, {root: value.ref})
    return mechanism, {**names, **values}, [Scalar(mechanism.graph, ref) for ref in refs]


def same(mechanism: Mechanism, pairs: list[tuple[Scalar, Scalar]]) -> bool:
    graph = mechanism.graph
    first, second = (
        Program("formula", graph, (), (Output("x", (len(pairs),), tuple(x.ref for x in side)),), mechanism.parameters)
        for side in zip(*pairs, strict=True)
    )
    return bool(compare(first, second))


def test_a_disc_rolls_as_textbooks_have_it(tmp_path: Path) -> None:
    """u = angular velocity along the shaft's axes: u1' = (4 g sin q2 + 6 r u2 u3 - r u3^2 tan q2) / 5 r,
    u2' = -2 u1 u3 / 3, u3' = (u3 tan q2 - 2 u2) u1."""
    turning = "(v_yaw*sin(q_lean) + v_spin)"
    mechanism, n, (_, _, _, yaw, lean, spin) = moving(
        read(tmp_path, DISC),
        {
            "q_z": "r*cos(q_lean)",
            "v_x": f"r*({turning}*cos(q_yaw) + v_lean*cos(q_lean)*sin(q_yaw))",
            "v_y": f"r*({turning}*sin(q_yaw) - v_lean*cos(q_lean)*cos(q_yaw))",
            "v_z": "-r*v_lean*sin(q_lean)",
        },
        "cos(q_lean)",
    )
    s, c = sin(n["q_lean"]), cos(n["q_lean"])
    u1, u2, u3 = n["v_lean"], n["v_yaw"] * s + n["v_spin"], n["v_yaw"] * c
    g, r = n["g"], n["r"]
    assert same(
        mechanism,
        [
            (lean, (4 * g * s + 6 * r * u2 * u3 - r * u3 * u3 * s / c) / (5 * r)),
            (yaw * s + n["v_yaw"] * n["v_lean"] * c + spin, -2 * u1 * u3 / 3),
            (yaw * c - n["v_yaw"] * n["v_lean"] * s, (u3 * s / c - 2 * u2) * u1),
        ],
    )


def test_a_sleigh_glides_as_chaplygin_has_it(tmp_path: Path) -> None:
    """The blade at a from the centre of mass: u' = a w^2, (I + m a^2) w' = -m a u w."""
    mechanism, n, (x, y, turn) = moving(read(tmp_path, SLEIGH), {"v_y": "v_x*sin(q_turn)/cos(q_turn)"})
    s, c, w = sin(n["q_turn"]), cos(n["q_turn"]), n["v_turn"]
    u = n["v_x"] / c
    m, a, inertia = n["m"], n["a"], n["I"]
    assert same(mechanism, [(x * c + y * s, a * w * w), (turn * (inertia + m * a * a), -m * a * u * w)])


def test_a_snakeboard_gains_momentum_as_is_printed(tmp_path: Path) -> None:
    """p = 2 Jr sin phi cos phi psi' + 2 m l u grows by 2 Jr cos^2 phi phi' psi' - p phi' tan phi."""
    mechanism, n, (x, y, _, psi, _) = moving(
        read(tmp_path, SNAKEBOARD),
        {
            "v_y": "v_x*sin(q_turn)/cos(q_turn)",
            "v_turn": "v_x/cos(q_turn)*sin(q_phi)/cos(q_phi)/l",
        },
    )
    s, c, sp, cp = sin(n["q_turn"]), cos(n["q_turn"]), sin(n["q_phi"]), cos(n["q_phi"])
    m, l, jr, rate = n["m"], n["l"], n["Jr"], n["v_phi"]
    u, u_rate = n["v_x"] / c, x * c + y * s
    p = 2 * jr * sp * cp * n["v_psi"] + 2 * m * l * u
    grows = 2 * jr * (cp * cp - sp * sp) * rate * n["v_psi"] + 2 * jr * sp * cp * psi + 2 * m * l * u_rate
    assert same(mechanism, [(grows, 2 * jr * cp * cp * rate * n["v_psi"] - p * rate * sp / cp)])


TURNTABLE = """\
name: turntable
bodies:
  table: {mass: 3, inertia: [1, 1, 2]}
  ball: {mass: 1.3, inertia: [0.0208, 0.0208, 0.0208]}
joints:
  turn: {type: revolute, from: ground, to: table, axis: z}
  flight: {type: free, from: ground, to: ball, initial: [1, 0, 0, 0, 0.3, 0.1, 0.2]}
constraints:
  contact: {type: rolling, wheel: ball, on: table, radius: 0.2, profile: 0.2}
"""


def test_a_ball_circles_on_a_turntable(tmp_path: Path) -> None:
    """Of a homogeneous ball: a = 2/7 (W z x v + W' z x r), for a table that turns with W."""
    model = read(tmp_path, TURNTABLE)
    mbsym.generate(model, tmp_path / "build", languages=["numpy"])
    module = mbsym.codegen.load.load_numpy(tmp_path / "build" / "turntable.py").functions
    rng, q = np.random.default_rng(1), np.array([0.4, 1, 0, 0, 0, 0.3, 0.1, 0.2])
    for _ in range(5):
        v = module["project_velocity"](q, rng.normal(size=7))
        vdot, force = module["constrained_dynamics"](q, v, rng.normal(size=7) * np.eye(7)[0])
        (velocity, acceleration), up = (v[4:7], vdot[4:7] + np.cross(v[1:4], v[4:7])), np.array([0.0, 0.0, 1.0])
        expected = 2 / 7 * (v[0] * np.cross(up, velocity) + vdot[0] * np.cross(up, q[5:8]))
        assert np.abs(acceleration - expected).max() < 1e-12
        assert force[0] == pytest.approx(1.3 * G, rel=1e-12)
        q = module["project_position"](q + 0.1 * rng.normal(size=8) * [1, 0, 0, 0, 0, 1, 1, 0])


# ---- motions ---------------------------------------------------------------------------------------------------------


@pytest.mark.more
def test_a_disc_keeps_its_energy_for_a_hundred_seconds() -> None:
    motion = mbsym.simulate(
        "rolling_disc",
        100.0,
        initial={"q_flight_x": 0.2, "v_flight_wx": 0.3, "v_flight_wy": 6.0, "v_flight_wz": 1.0},
        accuracy=mbsym.Accuracy(rtol=1e-12, atol=1e-13),
        output_step=1.0,
    )
    assert np.abs(motion.monitors.energy_drift).max() < 1e-10
    assert motion.q[-1, 4] != pytest.approx(motion.q[0, 4], abs=0.1)


ROBOT = """\
name: robot
bodies:
  body: {mass: 10, inertia: [0.1, 0.2, 0.3], center_of_mass: [0, 0, -0.02]}
  left: {mass: 1, inertia: [0.003, 0.005, 0.003]}
  right: {mass: 1, inertia: [0.003, 0.005, 0.003]}
  one: {mass: 0}
  two: {mass: 0}
joints:
  x: {type: prismatic, from: ground, to: one, axis: x, at: [0, 0, 0.1]}
  y: {type: prismatic, from: one, to: two, axis: y}
  yaw: {type: revolute, from: two, to: body, axis: z}
  left_motor: {type: revolute, from: body, to: left, axis: y, at: [0, 0.2, 0], actuated: true}
  right_motor: {type: revolute, from: body, to: right, axis: y, at: [0, -0.2, 0], actuated: true}
constraints:
  left_wheel: {type: rolling, wheel: left, on: ground, radius: 0.1}
  right_wheel: {type: rolling, wheel: right, on: ground, radius: 0.1}
"""


def test_a_robot_on_two_wheels_has_rows_that_follow_from_others(tmp_path: Path) -> None:
    """Heights are held by the joints already, and what one wheel's axle does not slide, the other's does not."""
    model = read(tmp_path, ROBOT)
    mechanism = mechanism_of(model)
    analysis = analyse_loops(mechanism)
    assert (len(analysis.rows), len(analysis.dependent), analysis.mobility) == (3, 3, 2)
    certificate = mbsym.verify(model, states=2)
    assert certificate.passed, certificate.summary()
    motion = mbsym.simulate(
        model, 1.0, loads=mbsym.Loads(tau={"v_left_motor": 0.1, "v_right_motor": 0.1}), output_step=0.5
    )
    # Two wheels of I = 0.005 on 12 kg: a = 2 tau / r / (m + 2 I / r^2).
    assert motion.q[-1, 0] == pytest.approx(0.5 * 2.0 / (12 + 2 * 0.005 / 0.01), rel=1e-9)


# ---- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (("radius: r}", "radius: 0}"), "the radius of constraint 'contact' is not positive; give it one"),
        (("radius: r}", "radius: r, axis: [0, 0, 0]}"), "the direction of constraint 'contact' is zero"),
        (("on: ground", "on: table"), "refers to body 'table', which does not exist"),
        (("on: ground", "on: disc"), "connects body 'disc' with itself"),
        (
            ("radius: r}", "radius: r, profile: 0.5}"),
            "the profile of constraint 'contact' is not between zero",
        ),
        (("wheel: disc, ", ""), "'wheel'"),
    ],
)
def test_wheels_that_cannot_be(tmp_path: Path, change: tuple[str, str], what: str) -> None:
    with pytest.raises(mbsym.MbsymError, match=what):
        read(tmp_path, DISC.replace(*change))


def test_a_wheel_that_lies_flat_is_named(tmp_path: Path) -> None:
    text = DISC.replace("fork, to: shaft, axis: x", "fork, to: shaft, axis: x, initial: pi/2").replace(
        "initial: 0.4}", "initial: 0}"
    )
    with pytest.raises(DerivationError, match="over the plane of contact has no direction in the initial"):
        analyse_loops(mechanism_of(read(tmp_path, text)))


def test_a_radius_given_later_is_checked_too() -> None:
    for radius in (0, -0.3):
        with pytest.raises(mbsym.MbsymError, match="parameter r: the radius of constraint 'contact' is not positive"):
            mbsym.simulate("rolling_disc", 0.1, parameters={"r": radius})


def test_independent_coordinates_are_refused_where_speeds_are_held() -> None:
    with pytest.raises(DerivationError, match="velocity constraints leave more coordinates than speeds free"):
        mbsym.generate("rolling_disc", "nowhere", functions=["independent_dynamics_derivatives"])


@pytest.mark.more
def test_parameters_that_matter_and_derivatives_of_what_rolls(tmp_path: Path) -> None:
    """Base parameters need configurations in which the disc has turned, more of them than its speeds lead to."""
    asked = ["base_regressor", "constrained_dynamics_derivatives", "constrained_dynamics"]
    mbsym.generate("rolling_disc", tmp_path, functions=asked)
    certificate = mbsym.verify(tmp_path, states=2)
    assert certificate.passed, certificate.summary()


def test_a_slope_does_not_freeze(tmp_path: Path) -> None:
    """Directions are numbers: one of a run-time parameter is refused, and not taken at its default."""
    text = DISC.replace("r: {value", "lean_of_plane: {value: 0.2, symbolic: true}, r: {value").replace(
        "radius: r}", "radius: r, normal: [0, sin(lean_of_plane), cos(lean_of_plane)]}"
    )
    with pytest.raises(DerivationError, match="depends on a run-time parameter; leave the parameter folded in"):
        mechanism = mechanism_of(read(tmp_path, text))
        analyse_loops(mechanism)

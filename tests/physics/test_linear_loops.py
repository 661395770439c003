"""Linear analysis of closed loops: differences of maximal coordinates along closed motions, and closed forms."""

from __future__ import annotations

from dataclasses import replace
from math import pi
from typing import Any

import numpy as np
import pytest
import sympy

import mbsym
from mbsym import examples
from mbsym.cli.application import main
from mbsym.errors import AnalysisError, MbsymError
from mbsym.linear.equations import State
from mbsym.loops.assembly import assemble
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.values.numbers import parameter_values
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of
from mechanisms.overconstrained import parallel_cranks, windows
from mechanisms.random_mechanisms import random_closed_loops

Captured = pytest.CaptureFixture[str]

SLOW = ("stewart_platform", 3, 8, 11)
CASES = (
    "four_bar",
    "five_bar",
    "slider_crank",
    "rhombus_regular",
    "rhombus_spatial",
    "stewart_platform",
    3,
    5,
    8,
    11,
    43,
)


def slope(function: Any) -> Any:
    """Sixth-order central difference at zero."""
    h = 1e-3
    weights = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    return sum(w * (np.asarray(function(k * h)) - np.asarray(function(-k * h))) for k, w in weights) / h


@pytest.mark.parametrize("name", [each if each not in SLOW else further(each)[0] for each in CASES])
def test_linear_systems_are_differences_of_closed_motions(name: str | int) -> None:
    """Independent increments along a random direction; the rest follows, in the reference by its own closure."""
    if isinstance(name, int):
        model, q = random_closed_loops(name, bodies=(3, 5), loops=(1, 2))
    else:
        model = examples.load(name)
        q = assemble(model).q
    reference, rng = Reference(model), np.random.default_rng(2)
    v = reference.consistent_velocity(q, rng.uniform(-1, 1, reference.nv))
    state = State(q, v, rng.uniform(-1, 1, reference.nv), rng.uniform(-1, 1, len(model.inputs)), 0.3)
    found = mbsym.linearise(model, state)
    n, kept, places = reference.nv, list(found.freedom.speeds), len(found.freedom.independent)
    direction = rng.uniform(-1, 1, places + len(kept))
    carried = found.freedom.of_states @ direction
    along_q, along_v = carried[:n], carried[n:]

    def there(h: float) -> tuple[Any, Any]:
        moved = reference.closed_position(reference.integrate_position(q, along_q, h))
        return moved, reference.consistent_velocity(moved, v + h * along_v)

    def vdot(h: float) -> Any:
        return reference.solve(*there(h), state.tau, state.t, state.u).vdot

    closing = [row.unit in ("m", "rad") for row in found.equations.loops.rows] if found.equations.loops else []
    (jacobian,) = found.equations.evaluate("constraint_jacobian", state)
    assert np.abs(jacobian[closing] @ along_q).max(initial=0.0) < 1e-9 * max(1.0, np.abs(along_q).max())
    # Differences err by their step's sixth power times derivatives that grow with the powers of the linear system.
    assert np.allclose(slope(lambda h: there(h)[1]), along_v, rtol=0.0, atol=1e-7 * max(1.0, np.abs(along_v).max()))
    expected = slope(vdot)
    assert np.allclose(
        found.A[places:] @ direction, expected[kept], rtol=0.0, atol=1e-6 * max(1.0, np.abs(expected).max())
    )
    if model.inputs:
        pushed = slope(lambda h: reference.solve(q, v, state.tau, state.t, state.u + h).vdot)
        assert np.allclose(found.B[places:].sum(axis=1), pushed[kept], rtol=0.0, atol=1e-8 * np.abs(pushed).max())


@pytest.mark.parametrize("name", ["four_bar", *further("slider_crank")])
def test_poles_do_not_depend_on_which_coordinates_are_independent(name: str) -> None:
    model = examples.load(name)
    (balance, *_) = mbsym.equilibrium(model)
    found = [mbsym.linearise(model, balance)]
    names = mechanism_of(model)
    for coordinate in found[0].equations.coordinates[: names.nv]:
        try:
            found.append(mbsym.linearise(model, balance, independent=[coordinate]))
        except AnalysisError as error:
            assert "cannot be independent" in str(error)
    assert len(found) > 2
    for other in found[1:]:
        assert np.allclose(other.poles, found[0].poles, rtol=1e-9, atol=1e-12)


def test_motors_are_what_enters_unless_told_otherwise() -> None:
    found = mbsym.linearise("four_bar")
    assert found.inputs == ("tau_A",) and found.states == ("q_A", "v_A")
    assert mbsym.linearise("four_bar", inputs="tau").inputs == ("tau_A", "tau_B", "tau_C")
    legs = tuple(f"tau_leg_{k}" for k in range(1, 7))
    assert mbsym.linearise("stewart_platform").inputs == legs


def test_a_cut_joint_that_holds_nothing_leaves_a_tree() -> None:
    """The bob of a double pendulum that a free joint connects to ground as well."""
    double = examples.load("double_pendulum")
    loose = mbsym.Joint("loose", "free", double.ground, double.bodies[1].name, cut="cut")
    held = replace(double, joints=(*double.joints, loose))
    assert held.label().cut_joints == ("loose",)
    found = mbsym.linearise(held)
    assert np.allclose(found.A, mbsym.linearise(double).A, rtol=1e-13)
    assert found.symbolic().A == mbsym.linearise(double).symbolic().A


# ---- spectra ---------------------------------------------------------------------------------------------------------


def parallelogram(stiffness: float = 0.0) -> Model:
    """A bar of 2 kg that hangs on two equal uniform cranks of half a metre and 0.6 kg."""
    box = (0, 0.6 * 0.5**2 / 12, 0, 0, 0, 0)
    cranks = [mbsym.Body(name, 0.6, (0, 0, -0.25), box) for name in ("left", "right")]
    end, beside = mbsym.Placement((0, 0, -0.5)), mbsym.Placement((0.3, 0, 0))
    y = (0, 1, 0)
    hinges = (
        mbsym.Joint("A", "revolute", "ground", "left", axis=y),
        mbsym.Joint("B", "revolute", "left", "bar", axis=y, predecessor_placement=end),
        mbsym.Joint("C", "revolute", "right", "bar", axis=y, predecessor_placement=end, successor_placement=beside),
        mbsym.Joint("D", "revolute", "ground", "right", axis=y, predecessor_placement=beside),
    )
    springs = (mbsym.JointSpring("spring", "A", stiffness),) if stiffness else ()
    bar = mbsym.Body("bar", 2.0, (0.15, 0, 0), (0, 0.1, 0.1, 0, 0, 0))
    return Model("parallelogram", bodies=(*cranks, bar), joints=hinges, forces=springs)


def test_a_bar_on_parallel_cranks_swings_like_a_point() -> None:
    inertia = 2 * 0.6 * 0.5**2 / 3 + 2.0 * 0.5**2
    stiffness = 9.81 * (2 * 0.6 * 0.25 + 2.0 * 0.5)
    for spring in (0.0, 3.0):
        (mode,) = mbsym.modes(parallelogram(spring))
        assert mode.frequency == pytest.approx(np.sqrt((stiffness + spring) / inertia), rel=1e-10)


def crank_and_slider(crank: float, rod: float) -> Model:
    """Vertical: the crank turns freely, the slider is a point mass on the line through the crank's bearing."""
    return Model(
        "crank_and_slider",
        bodies=(
            mbsym.Body("crank", 1.5, (0, 0, -crank / 2), (0, 1.5 * crank**2 / 12, 0, 0, 0, 0)),
            mbsym.Body("rod", 0.8, (0, 0, -rod / 2), (0, 0.8 * rod**2 / 12, 0, 0, 0, 0)),
            mbsym.Body("slider", 2.5),
        ),
        joints=(
            mbsym.Joint("bearing", "revolute", "ground", "crank", axis=(0, 1, 0)),
            mbsym.Joint("pin", "revolute", "crank", "rod", axis=(0, 1, 0),
                        predecessor_placement=mbsym.Placement((0, 0, -crank))),
            mbsym.Joint("wrist", "revolute", "rod", "slider", axis=(0, 1, 0),
                        predecessor_placement=mbsym.Placement((0, 0, -rod))),
            mbsym.Joint("guide", "prismatic", "ground", "slider", axis=(0, 0, 1)),
        ),
    )  # fmt: skip


def test_a_hanging_slider_crank_has_the_frequency_of_its_energies() -> None:
    """At bottom dead centre the slider and the rod's end rest: x of the crank pin is all that moves to first order."""
    r, l, g = 0.25, 0.6, 9.81
    (mode,) = mbsym.modes(crank_and_slider(r, l))
    inertia = 1.5 * r**2 / 3 + 0.8 * r**2 / 3
    # Heights to second order in the crank's angle a: pin r a^2/2, wrist r (1 + r/l) a^2/2, rod's middle their mean.
    stiffness = g * (1.5 * r / 2 + 0.8 * (r + r * (1 + r / l)) / 2 + 2.5 * r * (1 + r / l))
    assert mode.frequency == pytest.approx(np.sqrt(stiffness / inertia), rel=1e-10)


@pytest.mark.parametrize("loops", [1, 2, *further(6)])
def test_a_row_of_four_bars_has_the_frequency_of_its_energies(loops: int) -> None:
    """The N-four-bar linkage of the benchmarks of linearisation (F. Gonzalez, P. Masarati, J. Cuadrado, M. A. Naya,
    Assessment of linearization approaches for multibody dynamics formulations, 2017), rods of one metre and one
    kilogram, hanging, with a spring at the first hinge: each level rod follows the cranks like a point."""
    g, k = 9.81, 25.0
    down = {"A": -pi / 2, "B": pi / 2, "C": -pi / 2}
    row = windows(loops)
    model = replace(
        row,
        gravity=(0, -g, 0),
        joints=tuple(replace(joint, initial=(down[joint.name[0]],)) for joint in row.joints),
        forces=(mbsym.JointSpring("spring", "A0", k, reference=-pi / 2),),
    )
    (mode,) = mbsym.modes(model, at=None)
    inertia = (loops + 1) / 3 + loops
    stiffness = k + g * ((loops + 1) / 2 + loops)
    assert mode.frequency == pytest.approx(np.sqrt(stiffness / inertia), rel=1e-10)


# ---- equilibria and what goes wrong ----------------------------------------------------------------------------------


def test_equilibria_of_a_four_bar_are_where_its_centre_of_mass_does_not_rise() -> None:
    model = examples.load("four_bar")
    reference = Reference(model)
    found = mbsym.equilibrium(model)
    assert len(found) == 4
    assert [item.stability.kind for item in found].count("unstable") == 2
    for item in found:
        assert np.abs(reference.closure_gap(item.q)).max() < 1e-12
        v = reference.consistent_velocity(item.q, np.array([1.0, 0.3, -0.2]))
        assert np.abs(reference.gravity_force(item.q) @ v) < 1e-9 * np.abs(v).max()
        vdot = reference.forward_dynamics(item.q, np.zeros(3), np.zeros(3))
        assert np.abs(vdot).max() < 1e-8


def test_a_torque_is_found_that_holds_a_crank() -> None:
    model = examples.load("four_bar")
    (held,) = mbsym.equilibrium(model, free=["v_A"], at={"q_A": 0.5})
    assert held.q[0] == 0.5 and held.tau[1:].tolist() == [0.0, 0.0]
    assert np.abs(Reference(model).forward_dynamics(held.q, np.zeros(3), held.tau)).max() < 1e-9


def test_one_leg_of_a_platform_moves_where_the_others_are_held() -> None:
    """The rest follows: five independent coordinates stay as they are."""
    model = examples.load("stewart_platform")
    forces = [f"v_leg_{k}" for k in range(1, 7)]
    (held,) = mbsym.equilibrium(model, free=forces, starts=1)
    assert np.abs(Reference(model).forward_dynamics(held.q, np.zeros(21), held.tau)).max() < 1e-8


def test_a_state_that_does_not_close_its_loops_is_refused_with_the_gap(capsys: Captured) -> None:
    model = examples.load("four_bar")
    with pytest.raises(AnalysisError, match=r"does not close the loop of D: the gap is 0\.\d+ m \(translation along"):
        mbsym.linearise(model, State(np.array([0.5, 0.2, 0.1]), np.zeros(3), np.zeros(3), np.zeros(0)))
    q = assemble(model).q
    with pytest.raises(AnalysisError, match=r"the speeds part the loops by"):
        mbsym.linearise(model, State(q, np.ones(3), np.zeros(3), np.zeros(0)))
    assert main(["linearise", "four_bar", "--at", "q_A=0.5,q_B=1"]) == 2
    assert "the loop of D cannot be closed: the smallest gap found is 0.416 m" in capsys.readouterr().err


def test_a_singular_position_names_what_moves_by_itself() -> None:
    flat = parallel_cranks(2, 0.0)
    with pytest.raises(MbsymError, match=r"the position is singular: 2 in place of 1 of the coordinates .* move"):
        mbsym.linearise(flat)
    assert mbsym.linearise(parallel_cranks(2, 0.5)).A.shape == (2, 2)


def test_rows_that_vanish_by_themselves_are_singular_too() -> None:
    """A rhombus folded flat: of the row that says how it moves across itself only round-off is left."""
    folded = {"q_hinge_1": -np.pi / 2, "q_hinge_3": 0.0, "q_hinge_5": np.pi, "q_hinge_7": 0.0}
    with pytest.raises(AnalysisError, match="the position is singular: 5 in place of 4 of the coordinates"):
        mbsym.linearise("rhombus_planar", folded)
    (first, *_) = mbsym.equilibrium("rhombus_planar", starts=1)
    assert first.stability.kind == "unknown" and "singular" in first.stability.reason


def test_a_wrong_choice_of_independent_coordinates_is_told() -> None:
    model = parallelogram()
    with pytest.raises(AnalysisError, match="2 independent coordinates are chosen of a mechanism with 1 freedom"):
        mbsym.linearise(model, independent=["q_A", "q_B"])
    with pytest.raises(AnalysisError, match="no coordinate is called 'q_X'; "):
        mbsym.linearise(model, independent=["q_X"])
    # At dead centre the slider rests while the crank turns.
    with pytest.raises(
        AnalysisError, match=r"q_guide cannot be independent at this state: q_pin, q_wrist can move without"
    ):
        mbsym.linearise(crank_and_slider(0.25, 0.6), independent=["q_guide"])


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "five_bar"])
def test_symbols_of_loops_are_the_numbers(name: str) -> None:
    """With the numbers of the state, and with all of its values as symbols and what is shared as symbols too."""
    found = mbsym.linearise(name, "equilibrium:2" if name == "four_bar" else None)
    values = dict(parameter_values(found.equations.mechanism.model))
    for exact, number in zip(found.symbolic(), found, strict=True):
        shown = np.array(exact.subs(values).evalf(), dtype=float).reshape(number.shape)
        assert np.allclose(shown, number, rtol=1e-11, atol=1e-11)
    system = found.symbolic(general=True, shared=True)
    state, equations = found.state, found.equations
    values |= dict(zip((*equations.coordinates, *equations.speeds), (*state.q, *state.v), strict=True))
    values |= {f"tau_{speed.removeprefix('v_')}": 0.0 for speed in equations.speeds}
    values |= dict(zip(equations.inputs, state.u, strict=True))
    for symbol, expression in system.replacements:
        values[symbol.name] = evaluated(expression, values)
    for exact, number in zip(system, found, strict=True):
        shown = np.array([evaluated(entry, values) for entry in exact]).reshape(number.shape)
        assert np.allclose(shown, number, rtol=1e-11, atol=1e-11)


def evaluated(expression: Any, values: dict[str, float]) -> float:
    names = sorted(symbol.name for symbol in expression.free_symbols)
    return float(sympy.lambdify(names, expression, "math")(*(values[name] for name in names)))


def test_entries_that_are_too_long_are_not_written_out(capsys: Captured) -> None:
    found = mbsym.linearise("four_bar")
    with pytest.raises(AnalysisError, match="ask for shared=True"):
        found.symbolic(general=True)
    assert main(["linearise", "four_bar", "--symbols"]) == 0
    assert "A[2,1] = " in capsys.readouterr().out


def test_shapes_of_loops_stay_closed(tmp_path: Any) -> None:
    found = mbsym.modes("four_bar", "equilibrium:3")
    assert "from 0 s mode 1" in found.page(tmp_path / "shapes.html").read_text(encoding="utf-8")

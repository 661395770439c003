"""What a caller gives: initial states, loads, names; mistakes are named with what to do."""

from __future__ import annotations

import numpy as np
import pytest

import mbsym
from mbsym.errors import ModelError, SimulationError, ToolchainError
from mbsym.simulation import equations as equations_module
from mbsym.simulation.argument_checks import shown
from mbsym.simulation.equations import prepare
from mbsym.simulation.events import Event
from mbsym.simulation.initial_state import initial_state
from mechanisms.examples import further

COUPLED = """
name: coupled
bodies: {one: {mass: 1.0, inertia: [1, 1, 1]}, two: {mass: 1.0, inertia: [1, 1, 1]}}
joints:
  drive: {type: revolute, from: ground, to: one, axis: z}
  driven: {type: revolute, from: ground, to: two, axis: z}
couplings:
  driven: {source: drive, ratio: 2}
"""


def run(name: str = "double_pendulum", duration: float = 0.1, **arguments: object) -> object:
    return mbsym.simulate(name, duration, **{"preparation": mbsym.Preparation("numpy"), **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"duration": 0.0}, "the duration is 0"),
        ({"duration": -1.0}, "the duration is -1"),
        ({"duration": float("nan")}, "duration = nan is no finite number"),
        ({"step": 0.0}, "the step is 0"),
        ({"step": -1e-3}, "the step is -0.001"),
        ({"output_step": 0.0}, "the output step is 0"),
        ({"accuracy": mbsym.Accuracy(rtol=0.0)}, "the rtol is 0"),
        ({"method": "RK54"}, "did you mean RK45"),
        ({"initial": {"q_shoudler": 1.0}}, "did you mean q_shoulder"),
        ({"initial": {"q_shoulder": "up"}}, "q_shoulder = up is no finite number"),
        ({"initial": {"q_shoulder": float("inf")}}, "q_shoulder = inf is no finite number"),
        ({"loads": mbsym.Loads(inputs={"push": 1.0})}, "no control input is called 'push'"),
        ({"loads": mbsym.Loads(tau={"v_elbo": 1.0})}, "did you mean v_elbow"),
        ({"loads": mbsym.Loads(tau=lambda t, q, v: np.zeros(3))}, "give 2 finite numbers"),
        ({"loads": mbsym.Loads(tau=lambda t, q, v: [0.0, np.inf])}, r"tau is \[0.0, inf\] at the start"),
        ({"keeping": mbsym.Keeping("projection")}, "no closed loops"),
        ({"preparation": mbsym.Preparation("fortran")}, "no language 'fortran'"),
        ({"step": 1e-12}, "take a longer step"),
        ({"loads": {"push": 1}}, r"loads = \{'push': 1\} is no Loads; write loads=Loads\(inputs="),
        ({"loads": 5}, "loads = 5 is no Loads"),
        ({"keeping": "projection"}, r"keeping = 'projection' is no Keeping; write keeping=Keeping\('projection'\)"),
        ({"accuracy": 1e-9}, "accuracy = 1e-09 is no Accuracy"),
        ({"accuracy": mbsym.Accuracy("a")}, "rtol = a is no finite number"),
        ({"accuracy": mbsym.Accuracy(2.0)}, "the rtol is 2; give a part of one"),
        ({"accuracy": mbsym.Accuracy(max_step="x")}, "max_step = x is no finite number"),
        ({"accuracy": mbsym.Accuracy(max_step=-1)}, "the longest step is -1"),
        ({"preparation": "numpy"}, "preparation = 'numpy' is no Preparation"),
        ({"stepping": "newmark"}, "stepping = 'newmark' is no Stepping"),
        ({"initial": [0, 1]}, r"initial = \[0, 1\] does not give values by name; write initial=\{'q_rail'"),
        ({"initial": {1: 1}}, "does not give values by name"),
        ({"parameters": "l"}, "parameters = 'l' does not give values by name"),
        ({"duration": "5"}, "duration = 5 is no finite number"),
        ({"duration": None}, "duration = None is no finite number"),
        ({"step": "0.1"}, "step = 0.1 is no finite number"),
        ({"method": None}, "no method is called None"),
        ({"method": "rk45"}, r"did you mean RK45\?"),
        ({"loads": mbsym.Loads(tau={"v_elbow": lambda t, q, v: 1})}, "give a number, or one function in the place of"),
        (
            {"loads": mbsym.Loads(tau=lambda t: [1, 2])},
            r"the function of tau failed at the start with TypeError: .*v",
        ),
        ({"loads": mbsym.Loads(tau=lambda t, q, v: "ab")}, "the function of tau failed at the start with ValueError"),
        ({"loads": mbsym.Loads(tau=lambda t, q, v: [0.0] * (2 if t < 0.05 else 1))}, r"tau is \[0.0\] at t = 0.0"),
        ({"events": Event(lambda t, q, v: 1.0)}, "is no list; give a list of Event"),
        ({"events": [lambda t, q, v: 1.0]}, r"is no event; write Event\(function\)"),
        ({"events": [Event(lambda t: 1.0, "late")]}, "the function of event late failed at the start with TypeError"),
        ({"events": [Event(lambda t, q, v: None, "late")]}, "event late failed at the start with TypeError"),
        ({"progress": 5}, "progress = 5 is no function"),
        ({"tell": 5}, "tell = 5 is no function"),
        ({"name": 5}, "5 is no model; give a Model"),
        ({"method": "transfer-matrix", "events": [Event(lambda t, q, v: 1.0)]}, "takes no events"),
    ],
)
def test_mistakes_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        run(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [[1.0], 5, {0: 1.0}, np.ones(2)])
@pytest.mark.parametrize("keyword", ["inputs", "tau"])
def test_loads_are_numbers_by_name_or_one_function(keyword: str, given: object) -> None:
    with pytest.raises(SimulationError, match=f"{keyword} of Loads = .* does not give values by name; give numbers"):
        mbsym.Loads(**{keyword: given})  # type: ignore[arg-type]


@pytest.mark.parametrize(("letters", "said"), [(78, f"'{'x' * 78}'"), (79, f"'{'x' * 79}...")])
def test_dots_stand_for_what_is_not_shown(letters: int, said: str) -> None:
    """Eighty characters are shown, the quotation mark in front among them."""
    assert shown("x" * letters) == said


def test_an_interval_longer_than_the_motion_leaves_its_ends() -> None:
    assert run(output_step=1e300).t.tolist() == [0.0, 0.1]  # type: ignore[attr-defined]


def test_unknown_parameters_are_named() -> None:
    with pytest.raises(ModelError, match="no parameter is named 'm9'"):
        run(parameters={"m9": 1.0})


def test_parameters_replace_those_of_the_model() -> None:
    for mass, most in ((1e9, 1e-9), (1.0, 1.0)):
        result = mbsym.simulate("cart_pole", 1.0, parameters={"m_cart": mass, "d": 0.0}, initial={"q_hinge": 0.3})
        # With a pole of 0.2 kg and 0.6 m the cart moves by about mass ratio times half the pole.
        assert 0.02 * most < np.ptp(result.q[:, 0]) < most


def test_a_model_that_cannot_move_is_refused() -> None:
    model = mbsym.Model("rigid", (mbsym.Body("a", 1),), (mbsym.Joint("j", "fixed", "ground", "a"),))
    with pytest.raises(SimulationError, match="no joint can move"):
        mbsym.simulate(model, 1.0)


def test_initial_states_are_the_models_own_with_what_is_given() -> None:
    mechanism = prepare(mbsym.load("quadruped"), preparation=mbsym.Preparation("numpy")).mechanism
    found = initial_state(mechanism, {"q_floating_base_w": 3.0, "q_floating_base_z": 4.0, "v_front_left_knee": 2.0})
    assert found.q[:7].tolist() == pytest.approx([0.6, 0, 0, 0.8, 0, 0, 0.4])
    assert sorted(found.v.tolist())[-1] == 2.0 and np.count_nonzero(found.v) == 1
    assert found.named == ("q_floating_base_w", "q_floating_base_z", "v_front_left_knee")
    with pytest.raises(SimulationError, match=r"the quaternion .* is zero"):
        initial_state(mechanism, {"q_floating_base_w": 0.0})


def test_coordinates_that_follow_others_are_told_apart(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "coupled.yaml").write_text(COUPLED, encoding="utf-8")
    with pytest.raises(SimulationError, match="q_driven belongs to joint driven, which follows joint drive"):
        mbsym.simulate(tmp_path / "coupled.yaml", 1.0, initial={"q_driven": 1.0})
    loop = prepare(mbsym.load("four_bar"), preparation=mbsym.Preparation("numpy")).mechanism
    cut = loop.cut_joints[0].joint.name
    with pytest.raises(SimulationError, match=f"belongs to joint {cut}, which is cut"):
        initial_state(loop, {f"q_{cut}": 1.0})


def test_numpy_takes_over_where_there_is_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(cc: str | None = None) -> tuple[str, ...]:
        raise ToolchainError("no C compiler")

    monkeypatch.setattr(equations_module, "find_compiler", none)
    assert mbsym.simulate("double_pendulum", 0.1).statistics.language == "numpy"
    with pytest.raises(ToolchainError):
        mbsym.simulate("double_pendulum", 0.1, preparation=mbsym.Preparation("c"))


def test_laws_may_depend_on_time_and_state() -> None:
    def spring(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -4.0 * q - 0.3 * v + np.array([np.sin(t), 0.0])

    for method in ("DOP853", "rk4", "symplectic"):
        result = mbsym.simulate(
            "double_pendulum", 1.0, step=2e-3, method=method, loads=mbsym.Loads(tau=spring), initial={"q_elbow": 0.4}
        )
        drift = result.monitors.worst_energy_drift / result.monitors.energy_scale
        # The work of the law is integrated with the motion: to the order of each method.
        assert drift < {"DOP853": 1e-8, "rk4": 1e-6, "symplectic": 1e-3}[method]
        assert abs(result.monitors.work[-1]) > 0.01


def test_time_enters_where_the_model_names_it() -> None:
    joint = mbsym.Joint("rail", "prismatic", "ground", "block", axis=(1, 0, 0))
    push = mbsym.JointForce("push", "rail", "6*t")
    model = mbsym.Model("pushed", (mbsym.Body("block", 2),), (joint,), (push,))
    for method, language in (("DOP853", "c"), ("rk4", "c"), ("rk4", "numpy"), ("symplectic", "c")):
        result = mbsym.simulate(model, 1.0, step=1e-3, method=method, preparation=mbsym.Preparation(language))
        assert result.v[-1, 0] == pytest.approx(1.5, abs=1e-10)
        assert result.q[-1, 0] == pytest.approx(0.5, abs=3e-7)  # h^2/4 of the midpoint rule
        assert result.monitors.work[-1] == pytest.approx(2.25, abs=2e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("force", "time", "method"),
    [
        *(("50*x**3", 0.35, method) for method in ("RK45", "LSODA", "rk4", "symplectic")),
        *(("log(0.5-x)", 0.034, method) for method in ("RK45", "Radau", "LSODA", "rk4", "symplectic")),
        *further(*(("50*x**3", 0.35, method) for method in ("Radau", "DOP853", "BDF"))),
        *further(*(("log(0.5-x)", 0.034, method) for method in ("DOP853", "BDF"))),
    ],
)
def test_a_motion_that_ends_in_infinity_or_nowhere_is_told_with_its_time(method: str, force: str, time: float) -> None:
    joint = mbsym.Joint("rail", "prismatic", "ground", "block", axis=(1, 0, 0), coordinates=("x",))
    model = mbsym.Model("blow", (mbsym.Body("block", 1),), (joint,), (mbsym.JointForce("push", "rail", force),))
    with pytest.raises(SimulationError, match=r"after t = |failed at t = ") as caught:
        mbsym.simulate(
            model, 5.0, initial={"x": 0.4, "v_rail": 3.0}, method=method, preparation=mbsym.Preparation("numpy")
        )
    found = float(caught.value.what.split("t = ")[1].split()[0])
    assert found == pytest.approx(time, abs=3e-3)


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "BDF", "LSODA", "rk4", "symplectic"])
@pytest.mark.parametrize("language", ["numpy", "c"])
def test_infinite_states_are_not_finite(method: str, language: str) -> None:
    """A force near the largest number is finite, and so are all rates before the speed is infinite."""
    joint = mbsym.Joint("rail", "prismatic", "ground", "block", axis=(1, 0, 0))
    model = mbsym.Model("fast", (mbsym.Body("block", 1),), (joint,))
    loads, preparation = mbsym.Loads(tau={"v_rail": 1e308}), mbsym.Preparation(language)
    with pytest.raises(SimulationError, match=r"not finite after t = |failed at t = "):
        mbsym.simulate(model, 10.0, step=0.1, method=method, loads=loads, preparation=preparation)


def test_an_angle_whose_sine_means_nothing_is_told() -> None:
    told: list[str] = []
    run("cart_pole", initial={"q_hinge": 1e300, "q_rail": 1e300}, tell=told.append)
    (sentence,) = told
    assert sentence.startswith("q_hinge starts at 1e+300 rad, where neighbouring numbers are 1.5e+284 rad apart")
    run("cart_pole", initial={"q_hinge": 1e6}, tell=told.append)
    assert len(told) == 1

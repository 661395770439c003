"""The six bars of Li and Rui: values of the converged schemes, reference motions, closure without correction.

Reference values were computed in 128-bit arithmetic by two formulations each; the discrete ones with a dense Newton
solver. Bars have the paper's numbers; gravity is 9.8 m/s^2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mbsym import examples
from mbsym.errors import SimulationError
from mbsym.transfer_matrix.coordinates import rotation_matrices
from mbsym.transfer_matrix.settings import Status
from mbsym.transfer_matrix.stepper import (
    Iteration,
    Scheme,
    StepReport,
    TransferMatrixStepper,
)
from mechanisms.examples import further
from mechanisms.stepped import at_rest, simulate_transfer_matrix

Array = NDArray[Any]
GENERALISED_ALPHA = Scheme()
UNDAMPED_NEWMARK = Scheme("newmark", {"beta": 0.25, "gamma": 0.5})
BARS = ("body_2", "body_4", "body_6", "body_8", "body_9", "body_10")
LENGTHS = dict(zip(BARS, (1.0, 1.0, 0.9, 0.7, 1.0, 1.0), strict=True))


@pytest.fixture(scope="module")
def steppers() -> Callable[..., TransferMatrixStepper]:
    """Compiled stepping code, one for each example and rotation variable."""
    kept: dict[tuple[str, str | None], TransferMatrixStepper] = {}

    def stepper(example: str, rotation: Any = None) -> TransferMatrixStepper:
        if (example, rotation) not in kept:
            kept[example, rotation] = TransferMatrixStepper(examples.load(example), rotation=rotation, flags=("-O1",))
        return kept[example, rotation]

    return stepper


def start(stepper: TransferMatrixStepper) -> Array:
    return stepper.start(*at_rest(stepper.system))


def angles(stepper: TransferMatrixStepper, state: Array) -> dict[str, float]:
    return dict(zip(stepper.elements, stepper.observe(state).attitudes[:, 0], strict=True))


def bars(stepper: TransferMatrixStepper, state: Array, names: tuple[str, ...] = BARS) -> Array:
    found = angles(stepper, state)
    return np.array([found[name] for name in names])


def cardan(stepper: TransferMatrixStepper, state: Array, name: str) -> Array:
    R = rotation_matrices(stepper.observe(state).attitudes[stepper.elements.index(name)])
    return np.array([np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(R[0, 2]), np.arctan2(-R[0, 1], R[0, 0])])


def run(stepper: TransferMatrixStepper, h: float, steps: int, scheme: Scheme = GENERALISED_ALPHA) -> Array:
    state, report = stepper.advance(start(stepper), h, steps, scheme)
    assert report.status == 0
    return state


# ---- values of the converged schemes ---------------------------------------------------------------------------------

REGULAR_AFTER_100_STEPS = {
    "generalised-alpha": (-1.22278790224, -2.66424936699, 0.89064200705, 1.59769871637, -2.50100840402, 6.76294709731),
    "newmark": (-1.22280404749, -2.66432934533, 0.89052757459, 1.59773894461, -2.50077816161, 6.76310587571),
    "houbolt": (-1.22257502778, -2.65570733982, 0.90378628936, 1.59042643969, -2.51006953206, 6.74692865968),
    "wilson": (-1.22266515232, -2.66215139372, 0.89381237359, 1.59606947361, -2.50396783409, 6.75893651173),
    "fox-euler": (-1.23050382612, -2.60753807623, 0.99010340317, 1.52328651743, -2.45192363133, 6.55927618233),
}
EQUAL_AFTER_30_STEPS = {
    "generalised-alpha": (-1.36245183511, 1.41110448911, -0.31308079863, 3.67170753252),
    "newmark": (-1.36245769760, 1.41111157025, -0.31307916108, 3.67170723502),
    "houbolt": (-1.36206391940, 1.41063516858, -0.31320988926, 3.67177375589),
    "wilson": (-1.36234694370, 1.41097773105, -0.31311416133, 3.67172104055),
}


def scheme_of(name: str) -> Scheme:
    return UNDAMPED_NEWMARK if name == "newmark" else Scheme(name)


@pytest.mark.parametrize("name", REGULAR_AFTER_100_STEPS)
def test_regular_loop_takes_the_values_of_the_converged_scheme(
    name: str, steppers: Callable[..., TransferMatrixStepper]
) -> None:
    stepper = steppers("rhombus_regular")
    got = bars(stepper, run(stepper, 0.01, 100, scheme_of(name)))
    np.testing.assert_allclose(got, REGULAR_AFTER_100_STEPS[name], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", EQUAL_AFTER_30_STEPS)
def test_equal_bars_take_the_values_of_the_converged_scheme(
    name: str, steppers: Callable[..., TransferMatrixStepper], agreement: Callable[[object], None]
) -> None:
    stepper = steppers("rhombus_planar")
    got = bars(stepper, run(stepper, 0.01, 30, scheme_of(name)), ("body_2", "body_8", "body_9", "body_10"))
    error = np.abs(np.subtract(got, EQUAL_AFTER_30_STEPS[name])).max()
    assert error < 1e-9
    agreement(error)


SPATIAL_AFTER_10_STEPS = {
    "cardan": ((-0.5234690971, 0.4047268806, -0.0193761798), (0.5236758560, -0.3897235988, -0.0482312356)),
    "incremental": ((-0.5234722267, 0.4047269460, -0.0193749580), (0.5236744724, -0.3897235340, -0.0482317736)),
}


@pytest.mark.parametrize("rotation", SPATIAL_AFTER_10_STEPS)
def test_spatial_loop_takes_the_values_of_the_converged_scheme(
    rotation: str, steppers: Callable[..., TransferMatrixStepper], agreement: Callable[[object], None]
) -> None:
    stepper = steppers("rhombus_spatial", rotation)
    state = run(stepper, 0.01, 10)
    for name, expected in zip(("body_9", "body_10"), SPATIAL_AFTER_10_STEPS[rotation], strict=True):
        error = np.abs(np.subtract(cardan(stepper, state, name), expected)).max()
        assert error < 1e-9
        agreement(error)


def test_incremental_rotation_after_half_a_second(steppers: Callable[..., TransferMatrixStepper]) -> None:
    stepper = steppers("rhombus_spatial", "incremental")
    state = run(stepper, 0.01, 50)
    nine, ten = (0.3869214398, 0.9006665419, -1.9792473257), (-0.1433902806, -0.7162762688, -1.5685118834)
    np.testing.assert_allclose(cardan(stepper, state, "body_9"), nine, rtol=0, atol=1e-9)
    np.testing.assert_allclose(cardan(stepper, state, "body_10"), ten, rtol=0, atol=1e-9)


# ---- consistent initial values ---------------------------------------------------------------------------------------


def test_initial_accelerations_and_forces(steppers: Callable[..., TransferMatrixStepper]) -> None:
    """Twelve printed digits, so the differences are those of the table, not of the method."""
    stepper = steppers("rhombus_regular")
    view = stepper.observe(start(stepper))
    forces = dict(zip(stepper.elements, view.forces, strict=True))
    np.testing.assert_allclose(forces["body_2"], (-6.27345311, 14.32134149), rtol=0, atol=1e-8)
    np.testing.assert_allclose(-view.cut_forces, (7.27191081, 13.91350217), rtol=0, atol=1e-8)
    assert view.energy == pytest.approx(-52.368966830067, abs=1e-12)
    alphas = stepper_accelerations(stepper)
    expected = (-4.3337940984, 5.26547049864, -10.8265220597, 15.3506435028, -5.35942823914, 11.4496544262)
    np.testing.assert_allclose([alphas[name] for name in BARS], expected, rtol=1e-11, atol=0)


def stepper_accelerations(stepper: TransferMatrixStepper) -> dict[str, float]:
    """Angular accelerations in the history of the initial state: row a, after the angle."""
    size = stepper.system.body_state
    rows = start(stepper)[: size * len(stepper.elements)].reshape(-1, size)
    return dict(zip(stepper.elements, rows[:, 1 + 2 * 3], strict=True))


def test_initial_accelerations_in_space(steppers: Callable[..., TransferMatrixStepper]) -> None:
    stepper = steppers("rhombus_spatial", "incremental")
    size = stepper.system.body_state
    state = start(stepper)
    alphas = state[: size * 6].reshape(6, size)[:, 4 + 2 * 6 : 4 + 2 * 6 + 3]
    expected = {
        "body_2": (0, -1.6010630101, -6.5330367071),
        "body_4": (0, 1.7648162329, 7.6945851716),
        "body_6": (0, -0.2034755392, -6.5330367071),
        "body_8": (0, 0.0397223164, 7.6945851716),
        "body_9": (0, 2.2199866429, -3.5765117484),
        "body_10": (0, 0.6357588265, -9.5921177020),
    }
    np.testing.assert_allclose(alphas, [expected[name] for name in stepper.elements], rtol=0, atol=1e-9)
    assert stepper.observe(state).energy == pytest.approx(-61.284491518201, abs=1e-11)


# ---- convergence -----------------------------------------------------------------------------------------------------

REGULAR_AT_1_S = (
    -1.223137322041, -2.665617400238, 0.888725610038, 1.598247133912, -2.496366781334, 6.765722344046,
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("generalised-alpha", 1.95, 2.05),
        ("newmark", 1.95, 2.05),
        ("fox-euler", 0.95, 1.05),
        ("wilson", 1.8, 2.05),
        ("houbolt", 1.8, 2.05),
    ],
)
def test_order_of_convergence(
    name: str, least: float, most: float, steppers: Callable[..., TransferMatrixStepper]
) -> None:
    stepper = steppers("rhombus_regular")
    errors = [
        np.abs(bars(stepper, run(stepper, h, round(1 / h), scheme_of(name))) - REGULAR_AT_1_S).max()
        for h in (2e-3, 1e-3, 5e-4)
    ]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all((orders >= least) & (orders <= most)), orders


def test_starting_from_zero_accelerations_would_cost_an_order(steppers: Callable[..., TransferMatrixStepper]) -> None:
    """Why the initial state solves for accelerations."""
    stepper = steppers("rhombus_regular")
    size = stepper.system.body_state
    errors = []
    for h in (2e-3, 1e-3):
        state = start(stepper)
        rows = state[: size * 6].reshape(6, size)
        rows[:, 1 + 6 : 1 + 12] = 0.0
        state, _ = stepper.advance(state, h, round(1 / h))
        errors.append(np.abs(bars(stepper, state) - REGULAR_AT_1_S).max())
    assert np.log2(errors[0] / errors[1]) < 1.3


# ---- closure without correction --------------------------------------------------------------------------------------


def test_an_iteration_is_worth_more_than_terms_of_higher_order(
    steppers: Callable[..., TransferMatrixStepper], agreement: Callable[[object], None]
) -> None:
    """Geometry to first order in the change d of the angles leaves l d^2/2, of order h^6 since a predictor leaves h^3.

    Terms of second order would leave l d^3/6 after one iteration; a second one leaves less, a third one round-off.
    """
    stepper = steppers("rhombus_regular")

    def gap(h: float, iterations: int) -> float:
        state, largest = start(stepper), 0.0
        for _ in range(round(1 / h)):
            scheme = Scheme(iteration=Iteration(most=iterations, acceptable=1.0))
            state, report = stepper.advance(state, h, scheme=scheme)
            assert report.status == 0
            largest = max(largest, stepper.observe(state).closure)
        return largest

    gaps = {h: [gap(h, iterations) for iterations in (1, 2, 3)] for h in (0.02, 0.01)}
    assert gaps[0.02][0] / gaps[0.01][0] == pytest.approx(2**6, rel=0.15)
    for first, second, third in gaps.values():
        assert second < (2 * first) ** 1.5 / 6 / 20
        assert third < 2e-15
    agreement(gaps[0.01][1])


def largest_closure(stepper: TransferMatrixStepper, h: float, scheme: Scheme) -> tuple[float, StepReport]:
    """Largest gap at every twentieth step over 20 s."""
    state, closure, total, done = start(stepper), 0.0, None, 0
    while done * h < 20 - h / 2:
        state, report = stepper.advance(state, h, 20, scheme, done=done)
        done += 20
        assert report.status == 0, (done * h, report)
        total = report
        closure = max(closure, stepper.observe(state).closure)
    assert total is not None
    return closure, total


@pytest.mark.parametrize("name", ["fox-euler", "houbolt", "generalised-alpha"])
@pytest.mark.parametrize("example", ["rhombus_regular", *further("rhombus_symmetric", "rhombus_spatial")])
def test_loops_stay_closed_without_correction(
    example: str, name: str, steppers: Callable[..., TransferMatrixStepper], agreement: Callable[[object], None]
) -> None:
    rotation = "incremental" if example == "rhombus_spatial" else None
    closure, _ = largest_closure(steppers(example, rotation), 1e-3, Scheme(name))
    assert closure <= 1e-13
    agreement(closure)


def test_singular_crossings_are_passed(steppers: Callable[..., TransferMatrixStepper]) -> None:
    """Equal bars pass 31 singular configurations in 20 s."""
    closure, _ = largest_closure(steppers("rhombus_planar"), 1e-3, GENERALISED_ALPHA)
    assert closure <= 1e-7


def test_wilson_closes_to_fourth_order_only(steppers: Callable[..., TransferMatrixStepper]) -> None:
    """Its equations hold beyond the step and are interpolated back."""
    stepper = steppers("rhombus_regular")
    gaps = []
    for h in (8e-3, 4e-3, 2e-3):
        state, gap = start(stepper), 0.0
        for _ in range(round(1 / h)):
            state, _ = stepper.advance(state, h, 1, Scheme("wilson"))
            gap = max(gap, loop_gap(stepper, state))
        gaps.append(gap)
    orders = np.log2(np.array(gaps[:-1]) / gaps[1:])
    assert np.all(np.abs(orders - 4) < 0.35), (gaps, orders)


def loop_gap(stepper: TransferMatrixStepper, state: Array) -> float:
    """Gap of the loop from the angles alone."""
    found = angles(stepper, state)
    return float(abs(sum(LENGTHS[name] * np.exp(1j * found[name]) for name in BARS[:4])))


def test_velocities_close_to_second_order_only(steppers: Callable[..., TransferMatrixStepper]) -> None:
    """The claim that constraints are satisfied without correction holds for positions."""
    stepper = steppers("rhombus_regular")
    gaps = []
    for h in (2e-3, 1e-3):
        state, gap = start(stepper), 0.0
        for _ in range(round(1 / h)):
            state, _ = stepper.advance(state, h)
            view = stepper.observe(state)
            spin = dict(zip(stepper.elements, view.angular_velocities[:, 0], strict=True))
            found = dict(zip(stepper.elements, view.attitudes[:, 0], strict=True))
            rate = sum(LENGTHS[name] * spin[name] * np.exp(1j * found[name]) for name in BARS[:4])
            gap = max(gap, abs(rate))
        gaps.append(gap)
    assert gaps[1] > 1e-6
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("h", [5e-3, 1e-3])
def test_undamped_newmark_is_diagnosed(h: float) -> None:
    """Hidden velocity defects make its reactions grow; the run must not pass for a result."""
    with pytest.raises(SimulationError, match=r"does not converge|no longer finite") as caught:
        simulate_transfer_matrix(examples.load("rhombus_regular"), 5, h, scheme=UNDAMPED_NEWMARK, every=50)
    assert "more damping" in str(caught.value)


def test_cardan_angles_report_their_singular_attitude(steppers: Callable[..., TransferMatrixStepper]) -> None:
    """A bar comes within one degree of the pole; incremental rotations pass it."""
    reports = {}
    for rotation in ("cardan", "incremental"):
        stepper = steppers("rhombus_spatial", rotation)
        _, reports[rotation] = stepper.advance(start(stepper), 0.01, 2000)
    assert reports["cardan"].status == Status.CHART_LOST
    assert reports["cardan"].steps < 2000
    assert (reports["incremental"].status, reports["incremental"].steps) == (0, 2000)


def test_few_iterations_are_needed(steppers: Callable[..., TransferMatrixStepper]) -> None:
    stepper = steppers("rhombus_regular")
    state = start(stepper)
    _, newton = stepper.advance(state, 1e-3, 1000)
    _, picard = stepper.advance(state, 1e-3, 1000, scheme=Scheme(iteration=Iteration(newton=False)))
    assert newton.iterations <= 2100
    assert newton.iterations <= picard.iterations <= 3000


def test_a_bound_on_iterations_that_is_too_small_is_a_failure(steppers: Callable[..., TransferMatrixStepper]) -> None:
    stepper = steppers("rhombus_regular")
    before = start(stepper)
    after, report = stepper.advance(before, 0.01, 5, scheme=Scheme(iteration=Iteration(most=1, acceptable=1e-9)))
    assert (report.status, report.steps, report.most_iterations) == (Status.NOT_CONVERGED, 0, 1)
    np.testing.assert_array_equal(after, before)


# ---- symmetries ------------------------------------------------------------------------------------------------------


def test_mirror_symmetric_motion(steppers: Callable[..., TransferMatrixStepper]) -> None:
    stepper = steppers("rhombus_symmetric")
    found = angles(stepper, run(stepper, 1e-3, 2000))
    assert found["body_8"] == pytest.approx(-found["body_2"], abs=1e-10)
    assert found["body_10"] == pytest.approx(np.pi - found["body_9"], abs=1e-10)


def test_equal_bars_stay_a_parallelogram(steppers: Callable[..., TransferMatrixStepper]) -> None:
    stepper = steppers("rhombus_planar")
    found = angles(stepper, run(stepper, 1e-3, 2000))
    assert found["body_4"] == pytest.approx(found["body_8"] - np.pi, abs=1e-10)
    assert found["body_6"] == pytest.approx(found["body_2"] + np.pi, abs=1e-10)


def test_no_spin_about_the_bars(steppers: Callable[..., TransferMatrixStepper]) -> None:
    """Forces act on the axes of bodies with equal transverse moments of inertia."""
    stepper = steppers("rhombus_spatial", "incremental")
    view = stepper.observe(run(stepper, 1e-3, 1000))
    assert np.abs(view.angular_velocities[:, 0]).max() < 1e-9


def test_energy_at_the_start() -> None:
    """Kinetic energy zero, bars at the heights of the hanging rhombus."""
    s = np.sqrt(3) / 2
    heights = {"rhombus_planar": -(4 * s + 2 * s + s), "rhombus_symmetric": -6 * s}
    for example, height in heights.items():
        run = simulate_transfer_matrix(examples.load(example), 0, 0.01, engine="numpy")
        assert run.energy[0] == pytest.approx(9.8 * height, abs=1e-12)

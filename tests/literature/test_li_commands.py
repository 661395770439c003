"""The schemes and corrections of Li and Rui's comparison, from the command line.

Angles after 100 steps of 10 ms are those of the converged schemes, which a dense solution of each step's equations
gives as well; the paper prints none.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mbsym import examples
from mbsym.cli import main
from mbsym.loops.corrections import Partitioning
from mbsym.simulation.integrate import simulate
from mbsym.simulation.options import Accuracy, Keeping
from mechanisms.looped_systems import looped_system
from mechanisms.mechanism import mechanism_of
from mechanisms.rhombus import Rhombus

# Angles of bodies 2, 4, 6, 8, 9, 10 [rad] of the regular six bars at 1 s.
AT_ONE_SECOND = {
    "generalised-alpha": (-1.22278790224, -2.66424936699, 0.89064200705, 1.59769871637, -2.50100840402, 6.76294709731),
    "newmark": (-1.22280404749, -2.66432934533, 0.89052757459, 1.59773894461, -2.50077816161, 6.76310587571),
    "houbolt": (-1.22257502778, -2.65570733982, 0.90378628936, 1.59042643969, -2.51006953206, 6.74692865968),
    "wilson": (-1.22266515232, -2.66215139372, 0.89381237359, 1.59606947361, -2.50396783409, 6.75893651173),
    "fox-euler": (-1.23050382612, -2.60753807623, 0.99010340317, 1.52328651743, -2.45192363133, 6.55927618233),
}
PARAMETERS = {
    "generalised-alpha": ["spectral_radius=0.8"],
    "newmark": ["beta=0.25,gamma=0.5"],
    "wilson": ["theta=1.4"],
}


@pytest.mark.parametrize("scheme", AT_ONE_SECOND)
def test_every_scheme_is_reached_with_its_parameters(
    scheme: str, tmp_path: Path, agreement: Callable[[object], None]
) -> None:
    table = tmp_path / "motion.npz"
    options = ["--scheme", scheme]
    for text in PARAMETERS.get(scheme, []):
        options += ["--scheme-parameter", text]
    start = ["simulate", "rhombus_regular", "--duration", "1", "--step", "0.01", "--method", "transfer-matrix"]
    assert main([*start, "--output-step", "0.05", *options, "-o", str(table)]) == 0
    with np.load(table) as found:
        q = found["q"][-1]
    rhombus = Rhombus.of_mechanism(mechanism_of(examples.load("rhombus_regular")))
    # The last digit printed, and what an iteration to 1e-12 in each of a hundred steps leaves.
    error = np.abs(np.subtract(rhombus.angles(q), AT_ONE_SECOND[scheme])).max()
    assert error < 1e-9
    agreement(error)


@pytest.mark.more
def test_the_rotation_variable_is_reached(tmp_path: Path) -> None:
    start = ["simulate", "rhombus_spatial", "--duration", "0.1", "--step", "0.01", "--method", "transfer-matrix"]
    motions = {}
    for rotation in ("incremental", "cardan"):
        table = tmp_path / f"{rotation}.npz"
        assert main([*start, "--rotation", rotation, "-o", str(table)]) == 0
        with np.load(table) as found:
            motions[rotation] = found["q"][-1]
    # Both are of second order with constants of their own: alike, and not the same.
    apart = np.abs(motions["incremental"] - motions["cardan"]).max()
    assert 1e-7 < apart < 1e-4


def test_gains_are_reached(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = ["simulate", "rhombus_regular", "--duration", "1", "--step", "0.01", "--method", "rk4"]
    gaps = []
    for gains in ("5", "20", "20,20"):
        assert main([*start, "--correction", "baumgarte", "--gains", gains, "-o", str(tmp_path / f"{gains}.npz")]) == 0
        with np.load(tmp_path / f"{gains}.npz") as found:
            gaps.append(found["closure_gap"])
    capsys.readouterr()
    assert np.array_equal(gaps[1], gaps[2])
    assert gaps[0].max() > 1.5 * gaps[1].max()


def test_reassignment_is_that_of_equations_11_to_13(agreement: Callable[[object], None]) -> None:
    # With bodies 2, 8, 9 and 10 independent, the closure equations solved anew are the source's closed form.
    mechanism = mechanism_of(examples.load("rhombus_regular"))
    rhombus, system = Rhombus.of_mechanism(mechanism), looped_system(mechanism)
    general = Partitioning(np.array([rhombus.row(body) for body in (2, 8, 9, 10)]), in_stages=False)
    closed_form = rhombus.reassignment()
    rng = np.random.default_rng(11)
    q, v = rhombus.start + 1e-3 * rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6)
    ours, theirs = general.after_step(system, q, v), closed_form.after_step(system, q, v)
    assert np.abs(theirs.q - q).max() > 1e-4
    np.testing.assert_allclose(ours.q, theirs.q, rtol=0, atol=1e-13)
    agreement(np.abs(ours.q - theirs.q).max())
    np.testing.assert_allclose(ours.v, theirs.v, rtol=0, atol=1e-12)
    assert all(np.array_equal(*pair) for pair in zip(general.stage(system, q, v), (q, v), strict=True))


def test_reassignment_keeps_the_loop_closed_and_leaves_stages_alone() -> None:
    motions, gaps = {}, {}
    for name in ("none", "reassignment", "partitioning"):
        run = simulate("rhombus_regular", 2.0, step=0.01, method="rk4", keeping=Keeping(name))
        assert run.monitors.closure_gap is not None
        motions[name], gaps[name] = run.q, run.monitors.closure_gap.max()
    assert gaps["none"] > 1e-5
    # A few roundings of metres.
    assert gaps["reassignment"] < 1e-13
    assert not np.array_equal(motions["reassignment"], motions["partitioning"])


def test_transfer_matrices_with_and_without_correction(agreement: Callable[[object], None]) -> None:
    """On bars that are never singular: positions need none; that of velocities keeps them, and costs an order."""
    accurate = simulate("rhombus_regular", 1.0, step=0.1, accuracy=Accuracy(1e-11)).q[-1]
    errors: dict[str | None, list[float]] = {None: [], "projection": []}
    for correction, found in errors.items():
        for step in (4e-3, 2e-3):
            run = simulate("rhombus_regular", 1.0, step=step, method="transfer-matrix", keeping=Keeping(correction))
            found.append(float(np.abs(run.q[-1] - accurate).max()))
            assert run.monitors.speed_gap is not None and run.monitors.closure_gap is not None
            assert run.monitors.closure_gap.max() < 1e-12
            agreement(run.monitors.closure_gap.max())
            assert (run.monitors.speed_gap.max() < 1e-12) == (correction is not None)
    orders = {correction: float(np.log2(found[0] / found[1])) for correction, found in errors.items()}
    assert orders[None] == pytest.approx(2.0, abs=0.1)
    assert orders["projection"] == pytest.approx(1.0, abs=0.2)
    assert errors[None][1] < errors["projection"][1] < 0.02


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--correction", "baumgarte"], "correct after each step: velocity, projection, reassignment"),
        (["--correction", "projection", "--scheme", "houbolt"], "remembers earlier steps"),
    ],
)
def test_corrections_that_steps_cannot_take_are_refused(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    start = ["simulate", "rhombus_regular", "--duration", "0.1", "--method", "transfer-matrix", "--language", "numpy"]
    assert main([*start, *options]) == 2
    assert message in capsys.readouterr().err

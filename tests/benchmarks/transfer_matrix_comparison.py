"""The comparison of Li and Rui: transfer matrices against ordinary dynamics, with and without correction.

For each method: how long the motion of the six bars agrees with an accurate reference (every angle within 0.05 rad; in
space every entry of the rotation matrices within 0.05), the largest gap of the loop, and the change of energy, over
20 s. Ordinary dynamics are classical Runge-Kutta steps on the accelerations of hand-written equations.

    python tests/benchmarks/transfer_matrix_comparison.py [--quick] [--duration SECONDS] [--plot DIRECTORY]

``--quick`` leaves out the small steps.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import six_bars
from numpy.typing import NDArray

from mbsym import examples
from mbsym.errors import SimulationError
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.transfer_matrix.coordinates import rotation_matrices
from mbsym.transfer_matrix.stepper import Scheme, TransferMatrixStepper

Array = NDArray[Any]
DURATION = 20.0
INTERVAL = 0.02
AGREEMENT = 0.05
NAMES = tuple(f"body_{number}" for number in six_bars.BARS)
UNDAMPED = Scheme("newmark", {"beta": 0.25, "gamma": 0.5})
ALPHA = "generalised-alpha 0.8"


@dataclass(frozen=True)
class Motion:
    """A motion at multiples of the interval; what comes after a breakdown is nan."""

    method: str
    attitudes: Array
    energy: Array
    closure: Array
    seconds: float


@cache
def stepping(example: str, rotation: Any) -> TransferMatrixStepper:
    """Compiled stepping code of a bundled model."""
    return TransferMatrixStepper(examples.load(example), rotation=rotation)


def transfer_matrix(
    example: str, scheme: Scheme, h: float, method: str, duration: float, rotation: Any = None
) -> Motion:
    """A motion by transfer matrices."""
    stepper = stepping(example, rotation)
    order = [stepper.elements.index(name) for name in NAMES]
    samples, every = round(duration / INTERVAL) + 1, round(INTERVAL / h)
    planar = stepper.system.is_planar
    attitudes = np.full((samples, 6) if planar else (samples, 6, 3, 3), np.nan)
    energy, closure = np.full(samples, np.nan), np.full(samples, np.nan)
    state = stepper.start(initial_coordinates(stepper.system.mechanism), np.zeros(stepper.system.mechanism.nv))
    spent = 0.0
    for sample in range(samples):
        if sample:
            began = time.perf_counter()
            state, report = stepper.advance(state, h, every, scheme, done=(sample - 1) * every)
            spent += time.perf_counter() - began
            if report.status:
                break
        view = stepper.observe(state)
        attitudes[sample] = view.attitudes[order, 0] if planar else rotation_matrices(view.attitudes[order])
        energy[sample], closure[sample] = view.energy, view.closure
    return Motion(f"transfer matrices, {method}, h = {h:g}", attitudes, energy, closure, spent)


def ordinary(system: six_bars.PlanarBars | six_bars.SpatialBars, h: float, method: str, duration: float) -> Motion:
    """A motion by ordinary dynamics."""
    began = time.perf_counter()
    states = six_bars.runge_kutta(system, h, round(duration / h), round(INTERVAL / h))
    spent = time.perf_counter() - began
    spatial = isinstance(system, six_bars.SpatialBars)
    attitudes = six_bars.rotations(states[:, :24].reshape(-1, 6, 4)) if spatial else states[:, :6]
    with np.errstate(all="ignore"):
        return Motion(f"ordinary, {method}, h = {h:g}", attitudes, system.energy(states), system.closure(states), spent)


def agreement(motion: Motion, reference: Array) -> float:
    """Time until which the motion stays near the reference."""
    with np.errstate(invalid="ignore"):
        distance = np.abs(motion.attitudes - reference).reshape(len(reference), -1).max(axis=1)
    off = np.flatnonzero(~(distance <= AGREEMENT))
    return (off[0] if len(off) else len(reference) - 1) * INTERVAL


def table(title: str, motions: list[Motion], reference: Array) -> None:
    """Prints a line a method."""
    print(f"\n{title}")
    print(f"{'method':58} {'agrees for':>10} {'largest gap':>12} {'energy at end':>15} {'largest':>9} {'run':>8}")
    for motion in motions:
        change = motion.energy - motion.energy[0]
        ended = not np.isfinite(change[-1])
        last = "breaks down" if ended else f"{change[-1]:+.1e} J"
        print(
            f"{motion.method:58} {agreement(motion, reference):8.1f} s {np.nanmax(motion.closure):10.1e} m {last:>15} "
            f"{np.nanmax(np.abs(change)):9.1e} {motion.seconds:6.2f} s"
        )


def planar_motions(case: six_bars.Case, example: str, quick: bool, duration: float) -> list[Motion]:
    """All methods in the plane."""
    motions = [
        ordinary(six_bars.PlanarBars(case, correction), h, f"{correction} correction", duration)
        for correction in ("no", "velocity", "position and velocity")
        for h in ((1e-2,) if quick else (1e-2, 1e-3))
    ]
    for h in (1e-2, 1e-3) if quick else (1e-2, 1e-3, 1e-4):
        motions.append(transfer_matrix(example, Scheme(), h, ALPHA, duration))
    for scheme, method in (
        (Scheme("wilson"), "Wilson 1.4"),
        (Scheme("houbolt"), "Houbolt"),
        (Scheme("fox-euler"), "Fox-Euler"),
        (UNDAMPED, "Newmark 1/4, 1/2"),
    ):
        motions.append(transfer_matrix(example, scheme, 1e-3, method, duration))
    return motions


def spatial_motions(quick: bool, duration: float) -> list[Motion]:
    """All methods in space."""
    motions = [
        ordinary(six_bars.SpatialBars(six_bars.PLANAR), h, "no correction", duration)
        for h in ((1e-2,) if quick else (1e-2, 2e-3))
    ]
    for rotation in ("incremental", "cardan"):
        for h in (1e-2, 1e-3):
            motions.append(transfer_matrix("rhombus_spatial", Scheme(), h, f"{rotation} rotation", duration, rotation))
    return motions


def reference_motions(duration: float) -> dict[str, Array]:
    """Accurate motions at multiples of the interval."""
    times = np.arange(0, duration + INTERVAL / 2, INTERVAL)
    equal, regular = six_bars.EqualBars(six_bars.PLANAR), six_bars.PlanarBars(six_bars.REGULAR)
    spatial = six_bars.SpatialBars(six_bars.PLANAR)
    states = six_bars.tight(spatial.rate, spatial.start, times)
    return {
        "planar": equal.all_angles(six_bars.tight(equal.rate, equal.start, times)),
        "regular": six_bars.tight(regular.rate, regular.start, times)[:, :6],
        "spatial": six_bars.rotations(states[:, :24].reshape(-1, 6, 4)),
    }


def plots(directory: Path, found: dict[str, list[Motion]], references: dict[str, Array]) -> None:
    """The paper's figures 2 to 6."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    directory.mkdir(parents=True, exist_ok=True)
    times = np.arange(len(references["planar"])) * INTERVAL

    def pick(kind: str, *words: str) -> Motion:
        return next(motion for motion in found[kind] if all(word in motion.method for word in words))

    def draw(name: str, rows: list[tuple[str, list[tuple[str, Array, str]]]]) -> None:
        figure, axes = pyplot.subplots(len(rows), 1, figsize=(9, 2.6 * len(rows)), sharex=True, squeeze=False)
        for (label, curves), axis in zip(rows, axes[:, 0], strict=True):
            for text, values, style in curves:
                axis.plot(times, values, style, label=text, linewidth=1)
            axis.set_ylabel(label)
            axis.grid(alpha=0.3)
        axes[0, 0].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=4, fontsize=8, frameon=False)
        axes[-1, 0].set_xlabel("t [s]")
        figure.tight_layout()
        figure.savefig(directory / name, dpi=70)
        pyplot.close(figure)

    def curves(kind: str, sources: list[tuple[str, Motion, str]], get: Callable[[Array], Array]) -> list[Any]:
        own = [(text, get(motion.attitudes), style) for text, motion, style in sources]
        return [*own, ("reference", get(references[kind]), "k:")]

    none, corrected = pick("planar", "no correction"), pick("planar", "position and velocity")
    transfer = pick("planar", ALPHA, "0.001")
    draw(
        "figure_2_correction.png",
        [
            (
                "energy change [J]",
                [
                    ("ordinary, no correction", none.energy - none.energy[0], "C1"),
                    ("ordinary, corrected", corrected.energy - corrected.energy[0], "C2"),
                    ("transfer matrices", transfer.energy - transfer.energy[0], "C0"),
                ],
            ),
            (
                "theta 2 [rad]",
                curves(
                    "planar",
                    [("ordinary, no correction", none, "C1"), ("ordinary, corrected", corrected, "C2")],
                    lambda a: a[:, 0],
                ),
            ),
        ],
    )
    sources = [("transfer matrices", transfer, "C0"), ("ordinary, no correction", none, "C1")]
    for name, bars in (("figure_3_planar_1.png", (0, 1, 3)), ("figure_4_planar_2.png", (2, 4, 5))):
        draw(
            name,
            [
                (f"theta {six_bars.BARS[bar]} [rad]", curves("planar", sources, lambda a, bar=bar: a[:, bar]))
                for bar in bars
            ],
        )
    spatial = [
        ("transfer matrices", pick("spatial", "incremental", "0.001"), "C0"),
        ("ordinary, no correction", pick("spatial", "no correction"), "C1"),
    ]
    for name, bar in (("figure_5_spatial_body_9.png", 4), ("figure_6_spatial_body_10.png", 5)):
        angles = {
            "alpha": lambda a, bar=bar: np.arctan2(-a[:, bar, 1, 2], a[:, bar, 2, 2]),
            "beta": lambda a, bar=bar: np.arcsin(np.clip(a[:, bar, 0, 2], -1, 1)),
            "gamma": lambda a, bar=bar: np.arctan2(-a[:, bar, 0, 1], a[:, bar, 0, 0]),
        }
        draw(name, [(f"{text} [rad]", curves("spatial", spatial, get)) for text, get in angles.items()])
    print(f"\nfigures in {directory}")


def compare(quick: bool, duration: float = DURATION, directory: Path | None = None) -> None:
    """Prints the tables and draws the figures."""
    references = reference_motions(duration)
    found = {
        "planar": planar_motions(six_bars.PLANAR, "rhombus_planar", quick, duration),
        "regular": planar_motions(six_bars.REGULAR, "rhombus_regular", quick, duration),
        "spatial": spatial_motions(quick, duration),
    }
    table(
        "Plane, bars of equal length (the paper's system: 31 singular configurations in 20 s)",
        found["planar"],
        references["planar"],
    )
    table("Plane, bars of unequal length (never singular)", found["regular"], references["regular"])
    table("Space, ball joints", found["spatial"], references["spatial"])
    if directory is not None:
        plots(directory, found, references)


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--duration", type=float, default=DURATION)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    compare(options.quick, options.duration, options.plot)


if __name__ == "__main__":
    try:
        main()
    except SimulationError as error:
        sys.exit(str(error))

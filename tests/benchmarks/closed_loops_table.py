"""Constraint keeping on the six-bar system without singular configurations: figures over 20 s of fixed-step RK4.

Prints the gap of the loop and the errors of energy and angles for each way of keeping the loop closed, beside the
figures of an independent implementation. ``--fine`` adds steps of 1 ms, ``--plot FILE`` draws gaps and energy errors.

    python tests/benchmarks/closed_loops_table.py [--fine] [--plot FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from mbsym import examples
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.corrections import Baumgarte, Keeper, NoCorrection, Partitioning, Projection
from mbsym.loops.looped_system import LoopedSystem
from mechanisms.looped_systems import looped_system

sys.path.append(str(Path(__file__).resolve().parents[1]))
from mechanisms.constrained_step import runge_kutta_step
from mechanisms.rhombus import Rhombus

Array = np.ndarray[Any, Any]

# Angles of bodies 2, 4, 6, 8, 9, 10 from two formulations in extended precision.
REFERENCE = {
    1.0: (-1.223137322041, -2.665617400238, 0.888725610038, 1.598247133912, -2.496366781334, 6.765722344046),
    20.0: (-0.877887081037, -2.238533130412, 1.793100426533, 1.312413655165, -1.201611476589, -2.529198013465),
}

# closure at 1 s, closure at 20 s, largest energy error at multiples of 0.1 s, error at 1 s, error at 20 s, of an
# independent implementation.
EXPECTED = {
    ("none", 1e-2): (3.4e-5, 9.39e-3, 0.375, 4.1e-5, 0.22),
    ("none", 5e-3): (2.2e-6, 5.95e-4, 2.4e-2, 2.6e-6, 1.4e-2),
    ("none", 1e-3): (3.6e-9, 9.58e-7, 3.8e-5, 4.3e-9, 2.5e-5),
    ("velocity", 1e-2): (2.8e-7, 9.9e-7, 1.1e-3, 1.5e-5, 4.2e-2),
    ("position and velocity", 1e-2): (1e-16, 1e-16, 1.2e-3, 1.6e-5, 4.8e-2),
    ("projection", 1e-2): (1e-16, 2e-16, 4.8e-4, 5.3e-6, 7.5e-2),
    ("partitioning", 1e-2): (1e-16, 2e-16, 1.1e-3, 2.6e-5, 1.6e-2),
    ("baumgarte 5", 1e-2): (2.2e-6, 2.8e-6, 3.9e-4, 1.6e-5, 2.8e-2),
    ("baumgarte 20", 1e-2): (2.5e-7, 3.1e-7, 1.8e-3, 1.1e-5, 0.40),
    ("baumgarte 100", 1e-2): (1.9e-7, 1.2e-5, 4.7e-2, 1.9e-4, 2.0),
}


def way(name: str, rhombus: Rhombus) -> Keeper:
    """The row's way of keeping the loop closed."""
    if name in ("velocity", "position and velocity"):
        return rhombus.reassignment(positions=name != "velocity")
    if name == "partitioning":
        return Partitioning(np.array([rhombus.row(body) for body in (2, 8, 9, 10)]))
    if name == "projection":
        return Projection()
    gain = float(name.removeprefix("baumgarte ")) if name != "none" else 0.0
    return Baumgarte(gain, gain) if gain else NoCorrection()


def run(
    system: LoopedSystem,
    rhombus: Rhombus,
    keeper: Keeper,
    step: float,
    history: list[tuple[float, float, float]] | None = None,
) -> tuple[float, ...]:
    """The figures of 20 s of fixed-step RK4 from rest; ``history`` gets (time, gap, energy error) every 0.1 s."""
    tau = np.zeros(system.nv)
    q, v = rhombus.start.copy(), np.zeros(system.nv)

    def energy() -> float:
        return float(system.functions["kinetic_energy"](q, v)) + float(system.functions["potential_energy"](q))

    first, worst = energy(), 0.0
    found: dict[float, tuple[float, float]] = {}
    for number in range(1, round(20.0 / step) + 1):
        done = runge_kutta_step(system, keeper, q, v, step, tau)
        q, v = done.q, done.v
        if number % round(0.1 / step) == 0:
            worst = max(worst, abs(energy() - first))
            if history is not None:
                history.append((number * step, rhombus.gap(q), abs(energy() - first)))
        for time, angles in REFERENCE.items():
            if abs(number * step - time) < step / 2:
                found[time] = rhombus.gap(q), float(np.max(np.abs(rhombus.angles(q) - angles)))
    return found[1.0][0], found[20.0][0], worst, found[1.0][1], found[20.0][1]


def draw(histories: dict[str, list[tuple[float, float, float]]], file: str) -> None:
    """Gaps and energy errors over time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for name, history in histories.items():
        times, gaps, errors = np.array(history).T
        panels[0].semilogy(times, np.maximum(gaps, 1e-17), label=name, linewidth=1)
        panels[1].semilogy(times, np.maximum(errors, 1e-17), label=name, linewidth=1)
    for panel, title in zip(panels, ("gap of the loop [m]", "energy error [J]"), strict=True):
        panel.set_xlabel("time [s]")
        panel.set_title(title)
        panel.grid(visible=True, alpha=0.3)
    panels[1].legend(fontsize=8, loc="lower right")
    figure.savefig(file, dpi=110)


def main() -> None:
    """Prints the table."""
    histories: dict[str, list[tuple[float, float, float]]] = {}
    model = examples.load("rhombus_regular")
    mechanism = build_mechanism(model, model.label())
    system, rhombus = looped_system(mechanism), Rhombus.of_mechanism(mechanism)
    print(f"{'method':24}{'h':>7}  {'gap 1 s':>16}{'gap 20 s':>18}{'energy':>18}{'error 1 s':>18}{'error 20 s':>18}")
    for (name, step), expected in EXPECTED.items():
        if step < 2e-3 and "--fine" not in sys.argv:
            continue
        history = histories.setdefault(name, []) if step == 1e-2 else None
        figures = run(system, rhombus, way(name, rhombus), step, history)
        cells = "".join(f"{ours:9.2g} ({theirs:7.2g})" for ours, theirs in zip(figures, expected, strict=True))
        print(f"{name:24}{step:7g}  {cells}")
    print("In brackets: an independent implementation.")
    if "--plot" in sys.argv:
        draw(histories, sys.argv[sys.argv.index("--plot") + 1])


if __name__ == "__main__":
    main()

"""Transfer matrix stepping of hanging chains: time and memory per step from 10 to 10000 bodies, and a swinging chain.

Prints microseconds per step and body; then energy and accuracy of a 1000-body chain over 1 s, beside articulated
bodies with classical Runge-Kutta steps (an O(n) recursion in NumPy over bodies, no generated code) and the step time
of both for a chain for which forward dynamics is generated too.
Run: python tests/benchmarks/transfer_matrix_scaling.py [--quick]
"""

from __future__ import annotations

import sys
import tempfile
import time
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbsym import pipeline
from mbsym.codegen.load import load_c
from mbsym.model.system import Model
from mbsym.transfer_matrix.module import work_size
from mbsym.transfer_matrix.stepper import TransferMatrixStepper

sys.path.append(str(Path(__file__).resolve().parents[1]))
from mechanisms.bars import hanging_bars

Array = NDArray[Any]
GRAVITY = 9.81
FLAGS = ("-std=c99", "-O2")


def chain(count: int, length: float) -> Model:
    """Uniform bars of 1 kg and ``length`` in all."""
    return hanging_bars(count, length / count, 1.0 / count, gravity=GRAVITY)


def hanging(count: int) -> Array:
    """Coordinates of a chain at rest, turned by half a radian about its pin."""
    q = np.zeros(count)
    q[0] = -pi / 2 + 0.5
    return q


def articulated_accelerations(angle: Array, omega: Array, bar: float, mass: float) -> Array:
    """Absolute angular accelerations of a hanging chain, by articulated inertias from the tip in absolute coordinates.

    Written in floats, which are faster than arrays of two.
    """
    n = len(angle)
    J, half = mass * bar**2 / 12, bar / 2
    cosines, sines = np.cos(angle).tolist(), np.sin(angle).tolist()
    speeds = omega.tolist()
    xx = xy = yy = px = py = 0.0  # force at the outboard pin: K a + p
    gains = [(0.0, 0.0, 0.0)] * n
    for i in range(n - 1, -1, -1):
        c, s, w2 = cosines[i], sines[i], speeds[i] ** 2
        bx, by = -bar * s, bar * c  # E beta; E rho is half of it
        kx, ky = xx * bx + xy * by, xy * bx + yy * by
        cx, cy = -w2 * bar * c, -w2 * bar * s
        fx, fy = px + xx * cx + xy * cy, py + xy * cx + yy * cy
        rx, ry = mass * bx / 2 + kx, mass * by / 2 + ky
        pivot = J + mass * half * half + bx * kx + by * ky
        # The centripetal force of the body itself passes through its pin.
        rest = mass * GRAVITY * by / 2 + bx * fx + by * fy
        gx, gy, g0 = -rx / pivot, -ry / pivot, -rest / pivot
        gains[i] = (gx, gy, g0)
        xx, xy, yy = mass + xx + rx * gx, xy + rx * gy, mass + yy + ry * gy
        px = fx + mass * cx / 2 + rx * g0
        py = fy + mass * cy / 2 + mass * GRAVITY + ry * g0
    alpha = [0.0] * n
    ax = ay = 0.0
    for i in range(n):
        c, s, w2 = cosines[i], sines[i], speeds[i] ** 2
        gx, gy, g0 = gains[i]
        alpha[i] = turn = gx * ax + gy * ay + g0
        ax += -turn * bar * s - w2 * bar * c
        ay += turn * bar * c - w2 * bar * s
    return np.array(alpha)


def runge_kutta(count: int, length: float, h: float, steps: int) -> Array:
    """Absolute angles after classical steps."""
    bar, mass = length / count, 1.0 / count
    x = np.stack([np.cumsum(hanging(count)), np.zeros(count)])

    def rate(x: Array) -> Array:
        return np.stack([x[1], articulated_accelerations(x[0], x[1], bar, mass)])

    for _ in range(steps):
        k1 = rate(x)
        k2 = rate(x + h / 2 * k1)
        k3 = rate(x + h / 2 * k2)
        k4 = rate(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x[0]


def scaling(counts: tuple[int, ...]) -> None:
    """Processor time of a step and memory by the number of bodies."""
    heads = (
        ("us/step", 10),
        ("us/body", 9),
        ("iterations", 11),
        ("each, us/body", 14),
        ("kB state", 9),
        ("kB scratch", 11),
        ("build s", 8),
    )
    print(f"{'bodies':>7}", *(f"{head:>{width}}" for head, width in heads))
    for count in counts:
        began = time.perf_counter()
        stepper = TransferMatrixStepper(chain(count, 1.0), order="input", flags=FLAGS)
        built = time.perf_counter() - began
        state = stepper.start(hanging(count), np.zeros(count))
        state, _ = stepper.advance(state, 1e-3, 2)
        steps = max(10, 40000 // count)
        best, report = float("inf"), None
        for _ in range(3):
            began = time.process_time()
            _, report = stepper.advance(state, 1e-3, steps)
            best = min(best, (time.process_time() - began) / steps)
        assert report is not None and report.status == 0
        kilobytes = [8e-3 * stepper.system.state_size, 8e-3 * work_size(stepper.system)]
        iterations = report.iterations / steps
        print(
            f"{count:7} {best * 1e6:10.1f} {best * 1e6 / count:9.3f} {iterations:11.2f} "
            f"{best * 1e6 / count / iterations:14.3f} {kilobytes[0]:9.1f} {kilobytes[1]:11.1f} {built:8.2f}"
        )


def swing(count: int, length: float, duration: float) -> None:
    """A long chain over some time: energy, joints, and the other method."""
    stepper = TransferMatrixStepper(chain(count, length), order="input", flags=FLAGS)
    print(f"\n{count} bodies, {length:g} m, {duration:g} s")
    ends = []
    start = stepper.start(hanging(count), np.zeros(count))
    energy = stepper.observe(start).energy
    for h in (1e-3, 5e-4):
        state, report = stepper.advance(start, h, round(duration / h))
        view = stepper.observe(state)
        ends.append(view.attitudes[:, 0])
        fall = GRAVITY * length / 2 * (1 - np.cos(0.5))
        print(
            f"  transfer matrices, h = {h:g}: status {report.status}, "
            f"{report.iterations / max(report.steps, 1):.2f} iterations, "
            f"energy changes by {view.energy - energy:.2e} J, {fall:.3g} J fall"
        )
    h = 1e-3
    exact = runge_kutta(count, length, h, round(duration / h))
    print(f"  largest difference of an angle to articulated bodies (RK4, h = {h:g}):")
    for name, end in zip(("1e-3", "5e-4"), ends, strict=True):
        print(f"    h = {name}: {np.abs(end - exact).max():.2e} rad")


def beside_forward_dynamics(count: int) -> None:
    """Step time of both in one run, forward dynamics as generated by articulated bodies."""
    model = chain(count, 1.0)
    stepper = TransferMatrixStepper(model, order="input", flags=FLAGS)
    state = stepper.start(hanging(count), np.zeros(count))
    began = time.perf_counter()
    stepper.advance(state, 1e-3, 2000)
    transfer = (time.perf_counter() - began) / 2000
    with tempfile.TemporaryDirectory() as directory:
        pipeline.generate(model, directory, languages=("c",), functions=("forward_dynamics",))
        forward = load_c(directory, "chain", flags=FLAGS).functions["forward_dynamics"]
        batch = np.tile(hanging(count), (2000, 1))
        nothing = np.zeros_like(batch)
        forward(batch, nothing, nothing)
        began = time.perf_counter()
        forward(batch, nothing, nothing)
        evaluation = (time.perf_counter() - began) / 2000
    print(f"{count:7} {transfer * 1e6:22.2f} {4 * evaluation * 1e6:35.2f}")


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    scaling((10, 100, 1000) if quick else (10, 32, 100, 320, 1000, 3200, 10000))
    swing(100 if quick else 1000, 10.0 if quick else 100.0, 0.1 if quick else 1.0)
    print(f"\n{'bodies':>7} {'us/step transfer matrix':>22} {'us/step forward dynamics, RK4':>35}")
    for count in (6, 20, 60):
        beside_forward_dynamics(count)


if __name__ == "__main__":
    main()

"""Figures 8 to 12 of Liu, Hu and Zhang: the space robot for 10 s by constraint forces and by recursion.

    python tests/benchmarks/paper_liu.py [--plot DIRECTORY]

The paper runs its robot by the general constraint force algorithm and by a recursive one under the same excitation and
prints attitude, joint angles of arm 1, the constraint wrench at L11, and what both runs differ by. It gives neither
masses nor torques: the robot is the bundled ``space_robot``, the torques are sines that turn the arms by up to 15 rad.
Steps are classical Runge-Kutta ones of 0.002 s, as in the paper's table 1, which ``space_robot_cpu.py`` prints.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mbsym
from mbsym.codegen.load import LoadedModule, load_c

Array = NDArray[Any]

DURATION, STEP = 10.0, 0.002
EVERY = 10
"""Steps between two recorded instants."""

FUNCTIONS = ("forward_dynamics", "position_rate", "joint_wrenches", "momentum", "kinetic_energy")

SIZES = np.tile([3.0, 4.0, 2.0, 0.02, 0.05, 0.01], 2)
"""Amplitudes of the torques of the joints of both arms [N m]."""

PLACES = np.concatenate([6 + 2 * np.arange(6), 7 + 2 * np.arange(6)])
"""Number of each joint from which frequency and phase of its torque follow: joints of both arms in turn."""


@dataclass(frozen=True, slots=True)
class Motion:
    """A run, instants along the first axis.

    Attributes:
        t, q, v: times, coordinates, speeds.
        wrench: in the first joint of arm 1.
        momentum: angular and linear of the whole robot, which no outer force acts on.
        energy: kinetic.
    """

    t: Array
    q: Array
    v: Array
    wrench: Array
    momentum: Array
    energy: Array

    @property
    def attitude(self) -> Array:
        """Cardan angles x, y, z of the base [rad]."""
        w, x, y, z = self.q[:, :4].T
        return np.stack(
            [
                np.arctan2(2 * (w * x - y * z), 1 - 2 * (x * x + y * y)),
                np.arcsin(np.clip(2 * (x * z + w * y), -1, 1)),
                np.arctan2(2 * (w * z - x * y), 1 - 2 * (y * y + z * z)),
            ],
            axis=1,
        )

    @property
    def arm(self) -> Array:
        """Angles of the six joints of arm 1 [rad]."""
        return self.q[:, 7:13]


def torques(t: float) -> Array:
    """Generalised forces: none on the base, a sine of its own on every joint."""
    return np.concatenate([np.zeros(6), SIZES * np.sin((1.0 + 0.1 * PLACES) * t + 0.3 * PLACES)])


def run(module: LoadedModule, duration: float = DURATION) -> Motion:
    """Runge-Kutta steps from rest with bent arms."""
    functions: Mapping[str, Any] = module.functions
    accelerate, rate, wrenches, momentum, energy = (functions[name] for name in FUNCTIONS)
    row = [joint["name"] for joint in module.manifest["joints"]].index("J11")
    q, v = np.concatenate([[1.0, 0, 0, 0, 0, 0, 0], 0.3 + 0.1 * (PLACES - 6)]), np.zeros(18)
    kept: list[tuple[Any, ...]] = []
    steps = round(duration / STEP)
    for number in range(steps + 1):
        t = number * STEP
        if number % EVERY == 0:
            kept.append((t, q, v, np.asarray(wrenches(q, v, torques(t)))[row], momentum(q, v), energy(q, v)))
        if number == steps:
            break
        middle, end = torques(t + STEP / 2), torques(t + STEP)
        slopes = [(rate(q, v), accelerate(q, v, torques(t)))]
        for part, tau in ((STEP / 2, middle), (STEP / 2, middle), (STEP, end)):
            at = q + part * slopes[-1][0], v + part * slopes[-1][1]
            slopes.append((rate(*at), accelerate(*at, tau)))
        moved = [(a + 2 * b + 2 * c + d) * STEP / 6 for a, b, c, d in zip(*slopes, strict=True)]
        q, v = q + moved[0], v + moved[1]
        q[:4] /= np.linalg.norm(q[:4])
    times, *columns = zip(*kept, strict=True)
    return Motion(np.array(times), *(np.array(column) for column in columns))


def motions(duration: float = DURATION) -> dict[str, Motion]:
    """Both runs, by formulation."""
    found = {}
    for formulation in ("articulated-body", "cfa"):
        with TemporaryDirectory() as scratch:
            mbsym.generate("space_robot", scratch, formulation=formulation, functions=FUNCTIONS, languages=["c"])
            found[formulation] = run(load_c(scratch), duration)
    return found


def differences(found: Mapping[str, Motion]) -> dict[str, float]:
    """Largest differences of both runs relative to the largest value, of what the figures show."""
    ours, theirs = found["cfa"], found["articulated-body"]
    pairs = {
        "attitude of the base": (ours.attitude, theirs.attitude),
        "angles of arm 1": (ours.arm, theirs.arm),
        "wrench at L11": (ours.wrench, theirs.wrench),
    }
    return {name: float(np.abs(a - b).max() / np.abs(b).max()) for name, (a, b) in pairs.items()}


def draw(found: Mapping[str, Motion], directory: Path) -> None:
    """The five figures."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    ours, theirs = found["cfa"], found["articulated-body"]
    panels = {
        "figure_8_attitude": (ours.attitude, ["alpha", "beta", "gamma"], "attitude of the base [rad]"),
        "figure_9_arm_1": (ours.arm, [f"J1{k}" for k in range(1, 7)], "joint angles of arm 1 [rad]"),
        "figure_10_constraint_wrench": (
            ours.wrench,
            ["mx [N m]", "my [N m]", "mz [N m]", "fx [N]", "fy [N]", "fz [N]"],
            "wrench on L11 by the base",
        ),
        "figure_11_attitude_error": (
            ours.attitude - theirs.attitude, ["alpha", "beta", "gamma"], "difference of attitude [rad]"
        ),
        "figure_12_arm_1_error": (
            ours.arm - theirs.arm, [f"J1{k}" for k in range(1, 7)], "difference of joint angles [rad]"
        ),
    }  # fmt: skip
    directory.mkdir(parents=True, exist_ok=True)
    for name, (values, labels, title) in panels.items():
        figure, axes = pyplot.subplots(figsize=(7, 3.2), layout="constrained")
        for column, label in zip(values.T, labels, strict=True):
            axes.plot(ours.t, column, label=label, linewidth=1)
        axes.set_xlabel("time [s]")
        axes.set_title(title)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize=8, loc="upper left", ncols=2)
        figure.savefig(directory / f"{name}.png", dpi=90, metadata={"Software": None})
        pyplot.close(figure)


def compare(directory: Path | None = None) -> None:
    """Prints the differences, draws the figures."""
    found = motions()
    print(f"space robot, {DURATION:g} s at {STEP:g} s: constraint forces (cfa) against recursion (articulated-body)")
    print(f"largest arm rotation {np.abs(found['cfa'].arm).max():.2f} rad")
    print(f"{'of':24}{'difference, relative to the largest value':>44}")
    for name, value in differences(found).items():
        print(f"{name:24}{value:44.1e}")
    if directory is not None:
        draw(found, directory)


if __name__ == "__main__":
    compare(Path(sys.argv[sys.argv.index("--plot") + 1]) if "--plot" in sys.argv[1:] else None)

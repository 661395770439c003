"""Model files of long chains, read, labelled, printed, compiled and stepped by transfer matrices: time, memory, error.

    python tests/benchmarks/large_model_files.py [--write] [BARS ...]

Each file in a fresh process: processor time of each stage, with that of the compiler, and memory at the most. The
error is that of a quarter of the slowest swing, started from rest in the lowest mode (Bernoulli's, see
``mechanisms.chain_files``) and taken in 100 steps, beside the largest angle; bars, instead of a rope, make 0.3/n^2 of
it, the step 3e-5. Accelerations are those of a chain that moves in a bow, beside articulated bodies written by hand in
floats. With --write the table takes its place in docs/transfer_matrix.md.
"""

from __future__ import annotations

import platform
import re
import resource
import subprocess
import sys
import tempfile
from datetime import date
from math import pi
from pathlib import Path
from time import process_time

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from transfer_matrix_scaling import articulated_accelerations  # noqa: E402

import mbsym  # noqa: E402
from mbsym.codegen.interface import ModuleDescription, render  # noqa: E402
from mbsym.codegen.load import load_c  # noqa: E402
from mbsym.codegen.write import write_files  # noqa: E402
from mbsym.kinematics.mechanism import build_mechanism  # noqa: E402
from mbsym.transfer_matrix.module import stepping_module, with_steps  # noqa: E402
from mbsym.transfer_matrix.recognition import transfer_system  # noqa: E402
from mbsym.transfer_matrix.stepper import TransferMatrixStepper  # noqa: E402
from mechanisms import chain_files  # noqa: E402

PAGE = ROOT / "docs" / "transfer_matrix.md"
MARK = "<!-- model files -->"
SIZES = (1_000, 10_000, 100_000)
STEPS = 100
LARGEST = 1e-3
HEADS = (
    "file",
    "bars",
    "text",
    "read",
    "label",
    "elements",
    "print",
    "C",
    "compile",
    "start",
    "step",
    "memory",
    "swing",
    "accelerations",
)


def spent() -> float:
    """Processor time of this process and of those that it ran [s]."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def size(content: int) -> str:
    """Of so many bytes."""
    return (
        f"{content / 1e3:.2g} kB"
        if content < 1e5
        else f"{content / 1e6:.2g} MB"
        if content < 1e8
        else f"{content / 1e9:.2g} GB"
    )


def one(path: Path) -> None:
    """Prints the cells of a file."""
    cells = [size(path.stat().st_size)]
    began = spent()

    def lap(parts: int = 1) -> None:
        nonlocal began
        seconds = (spent() - began) / parts
        cells.append(f"{seconds:.2g} s" if seconds >= 0.1 else f"{1e3 * seconds:.2g} ms")
        began = spent()

    model = mbsym.load(path)
    lap()
    labelling = model.label()
    lap()
    system = transfer_system(build_mechanism(model, labelling))
    lap()
    files = render(with_steps(ModuleDescription(model.name, ()), stepping_module(system)), ("c",))
    lap()
    cells.append(size(sum(len(file.text) for file in files)))
    began = spent()
    with tempfile.TemporaryDirectory() as place:
        write_files(place, files)
        module = load_c(place)
    lap()
    count = len(system.bodies)
    stepper = TransferMatrixStepper(system, module=module)
    angles = chain_files.lowest_mode(count, LARGEST)
    state = stepper.start(chain_files.coordinates(angles), np.zeros(count))
    lap()
    quarter = pi / 2 / chain_files.frequency(count)
    state, report = stepper.advance(state, quarter / STEPS, STEPS)
    lap(STEPS)
    assert report.status == 0
    q, _ = stepper.coordinates_of(stepper.observe(state))
    error = np.abs(np.cumsum(q) + pi / 2 - chain_files.swung(count, angles, quarter)).max() / LARGEST
    memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(" | ".join([*cells, size(memory), f"{error:.1e}", f"{off_articulated(stepper):.1e}"]))


def off_articulated(stepper: TransferMatrixStepper) -> float:
    """Largest difference of an acceleration from that of articulated bodies, beside the largest."""
    bar, x = chain_files.BAR, np.linspace(0.0, 1.0, len(stepper.elements))
    angle, omega = -pi / 2 + 0.5 * np.sin(3 * x), 0.3 * np.cos(2 * x)
    found = stepper.observe(stepper.start_elements(angle[:, None], omega[:, None])).accelerations
    alpha = articulated_accelerations(angle, omega, bar, chain_files.MASS)
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    ends = bar * (alpha[:, None] * across - omega[:, None] ** 2 * along)
    exact = np.cumsum(ends, axis=0) - ends / 2
    return float(np.abs(found - exact).max() / np.abs(exact).max())


def table(sizes: tuple[int, ...]) -> str:
    """The rows, printed as they come."""
    lines = [f"| {' | '.join(HEADS)} |", "|---" * len(HEADS) + "|"]
    print(*lines, sep="\n", flush=True)
    with tempfile.TemporaryDirectory() as place:
        for name, text in (("repeat", chain_files.repeated), ("flat", chain_files.flat)):
            for count in sizes:
                path = Path(place) / f"{name}_{count}.yaml"
                path.write_text(text(count), encoding="utf-8")
                command = [sys.executable, __file__, "--one", str(path)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                lines.append(f"| {name} | {count} | {done.stdout.strip()} |")
                print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Prints the table, and writes it where it is asked for."""
    if sys.argv[1:2] == ["--one"]:
        one(Path(sys.argv[2]))
        return
    sizes = tuple(int(word) for word in sys.argv[1:] if word.isdigit())
    found = table(sizes or SIZES)
    if "--write" in sys.argv:
        text = PAGE.read_text(encoding="utf-8")
        block = f"{MARK}\n{found}\n\nPython {platform.python_version()}, {date.today()}.\n{MARK}"
        PAGE.write_text(re.sub(f"{MARK}.*?{MARK}", lambda _: block, text, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Random mechanisms with closed loops: generated C and NumPy against maximal coordinates, worst errors side by side.

Compiled without optimisation, which is for the compiler's time alone.

    python tests/benchmarks/closed_loops_random.py [COUNT] [FIRST_SEED]
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from mbsym.codegen.load import load_c, load_numpy
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.pipeline import generate
from mbsym.reference import Reference
from mechanisms.random_mechanisms import random_closed_loops

FUNCTIONS = ("constrained_dynamics", "joint_wrenches")


def relative(found: Any, expected: Any) -> float:
    """Largest difference by the largest entry."""
    return float(np.max(np.abs(found - expected), initial=0.0) / (1 + np.max(np.abs(expected), initial=0.0)))


def errors(seed: int) -> dict[str, tuple[float, float]]:
    """Relative errors of accelerations and wrenches by language."""
    model, q = random_closed_loops(seed)
    reference = Reference(model)
    generator = np.random.default_rng(seed)
    v = reference.consistent_velocity(q, generator.normal(size=reference.nv))
    tau = generator.normal(size=reference.nv)
    timed = build_mechanism(model, model.label()).controls is not None
    extra = (0.3, generator.normal(size=len(model.inputs))) if timed else ()
    expected = reference.solve(q, v, tau, *extra)
    found = {}
    with TemporaryDirectory() as scratch:
        done = generate(model, scratch, functions=FUNCTIONS)
        python = next(path for path in done.paths if path.suffix == ".py")
        for module in (load_c(Path(scratch), flags=("-std=c99", "-O0")), load_numpy(python)):
            vdot = np.asarray(module.functions["constrained_dynamics"](q, v, tau, *extra)[0])
            wrenches = np.asarray(module.functions["joint_wrenches"](q, v, tau, *extra))
            found[module.language] = relative(vdot, expected.vdot), relative(wrenches, expected.wrenches)
    return found


def main() -> None:
    """Prints the worst of all."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    worst: dict[str, tuple[float, float, int]] = {}
    for seed in range(first, first + count):
        for language, (vdot, wrenches) in errors(seed).items():
            before = worst.get(language, (0.0, 0.0, -1))
            kept = seed if max(vdot, wrenches) > max(before[:2]) else before[2]
            worst[language] = max(vdot, before[0]), max(wrenches, before[1]), kept
    print(f"{count} mechanisms from seed {first}")
    for language, (vdot, wrenches, seed) in worst.items():
        print(f"{language:8} accelerations {vdot:.1e}   joint wrenches {wrenches:.1e}   (worst: seed {seed})")


if __name__ == "__main__":
    main()

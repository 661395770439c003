"""Modes of random mechanisms with loops said in other ways: by both methods, largest differences side by side.

Each mechanism rests on springs that do not pull and dampers. The others of it stand on a turned ground, are assembled
in the order given, have their joints turned round, or another joint of a loop cut. Differences are parts of the largest
eigenvalue.

    python tests/benchmarks/linear_invariance.py [COUNT] [FIRST_SEED] [--equations]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

import mbsym
from mbsym.errors import MbsymError
from mbsym.linear.transfer_matrix_modes import transfer_matrix_modes
from mbsym.model.body import Placement
from mbsym.model.system import Model
from mechanisms.alike import on_another_ground, other_cuts, resting, with_joints_turned_round
from mechanisms.random_mechanisms import random_closed_loops

Array = NDArray[Any]

TURNED = Placement((1, -2, 0.5), (("x", 0.4), ("y", -1.1), ("z", 2.0)))


def by_equations(model: Model, order: str) -> Array:
    """Poles about the position that the model starts from."""
    return mbsym.linearise(model, inputs="tau", order=order).poles


def by_transfer_matrices(model: Model, order: str) -> Array:
    """Eigenvalues of all modes, both of each pair."""
    found = np.array([mode.eigenvalue for mode in transfer_matrix_modes(model, at=None, count=99, order=order)])
    return np.concatenate([found, found.conj()])


def apart(found: Array, other: Array) -> float:
    """Largest distance of a value of one set from the nearest of the other; infinite where their numbers differ."""
    if found.shape != other.shape:
        return float("inf")
    distances = np.abs(found[:, None] - other[None, :])
    return float(max(distances.min(axis=0).max(), distances.min(axis=1).max()) / np.abs(other).max())


def differences(seed: int, methods: Sequence[Callable[[Model, str], Array]]) -> tuple[float, int, int]:
    """The largest of one mechanism, how many results were compared, and how many were refused."""
    model, q = random_closed_loops(seed, forces=False, constraints=False, loops=(1, 2), bodies=(3, 5))
    model = resting(model, q, seed)
    ways = [(model, "weight"), (model, "input"), (on_another_ground(model, TURNED, (0, 0, 0)), "weight")]
    ways += [(with_joints_turned_round(model), "weight"), *((other, "weight") for other in other_cuts(model))]
    found, refused = [], 0
    for method in methods:
        for other, order in ways:
            try:
                found.append(method(other, order))
            except MbsymError as error:
                refused += 1
                print(f"  seed {seed}: {error}")
    return max((apart(own, found[0]) for own in found[1:]), default=0.0), len(found), refused


def main() -> None:
    """Prints a line for each mechanism, and the worst."""
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    count, first = (numbers + [20, 0][len(numbers) :])[:2]
    methods = [by_transfer_matrices, *([by_equations] if "--equations" in sys.argv else [])]
    worst, compared, refused = 0.0, 0, 0
    print(f"{'seed':>5} {'results':>8} {'refused':>8} {'difference':>11}")
    for seed in range(first, first + count):
        difference, own, no = differences(seed, methods)
        print(f"{seed:5} {own:8} {no:8} {difference:11.1e}", flush=True)
        worst, compared, refused = max(worst, difference), compared + own, refused + no
    print(f"{count} mechanisms, {compared} results, {refused} refused, largest difference {worst:.1e}")


if __name__ == "__main__":
    main()

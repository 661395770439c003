"""A thousand identifications of the PUMA 560 with 1 % noise on its torques: how often what is stated holds.

    python tests/benchmarks/identified_arm.py [RUNS [SAMPLES]]

Torques are those of inverse dynamics. All base parameters together should lie within the 95 % ellipsoid in 95 of 100
runs, give or take what a hundred or a thousand throws of such a coin scatter, and single ones within two standard
deviations in 95.4 of 100.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scipy.stats import binom

from mbsym import examples
from mbsym.identification.estimate import estimate
from mbsym.identification.rows import regression_of
from mbsym.identification.smoothing import motion_of
from mechanisms.measured import measured, with_noise

LEVELS = (0.5, 0.95, 0.99)
BY_CHANCE = 0.999
"""Of runs of this many throws, what is counted lies within what is told beside it."""


def main() -> int:
    runs, samples = (int(word) for word in (*sys.argv[1:], *("1000", "600")[len(sys.argv) - 1 :]))
    arm = regression_of(examples.load("puma560"))
    regressor, forces = arm.rows(motion_of(measured(arm, noise=0.0, samples=samples, step=6 / samples), arm.mechanism))
    true = arm.found.values()
    levels, near, condition = [], [], 0.0
    for seed in range(runs):
        found = estimate(regressor, with_noise(forces, 0.01, seed))
        levels.append(found.level_of(true))
        near.append(np.mean(np.abs(found.values - true) < 2 * found.deviations))
        condition = found.condition
    print(f"{runs} runs of {len(true)} base parameters, {len(regressor)} samples, condition {condition:.3g}")
    wrong = 0
    for level in LEVELS:
        inside, (least, most) = int(np.sum(np.array(levels) < level)), binom.interval(BY_CHANCE, runs, level)
        wrong += not least <= inside <= most
        print(f"all together within the {level:.0%} ellipsoid: {inside}, by chance {least:.0f} to {most:.0f}")
    print(f"single parameters within two standard deviations: {np.mean(near):.1%}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

"""A hundred identifications of the PUMA 560 with 1 % noise on its torques: how often what is stated holds.

    python tests/benchmarks/identified_arm.py [RUNS]

Torques are those of inverse dynamics. 95 of 100 runs should lie within the 95 % ellipsoid of all base parameters
together, and of the parameters 95.4 % within two standard deviations.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scipy.stats import chi2

from mbsym import examples
from mbsym.identification.estimate import estimate
from mbsym.identification.rows import regression_of
from mbsym.identification.smoothing import motion_of
from mechanisms.measured import measured, with_noise


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    arm = regression_of(examples.load("puma560"))
    regressor, forces = arm.rows(motion_of(measured(arm, noise=0.0), arm.mechanism))
    true = arm.found.values()
    inside, near, condition = {0.95: 0, 0.99: 0}, [], 0.0
    for seed in range(runs):
        found = estimate(regressor, with_noise(forces, 0.01, seed))
        off, condition = found.values - true, found.condition
        distance = float(off @ np.linalg.solve(found.covariance, off))
        for level in inside:
            inside[level] += distance < chi2.ppf(level, len(off))
        near.append(np.mean(np.abs(off) < 2 * found.deviations))
    print(f"{runs} runs of {len(true)} base parameters, {len(regressor)} samples, condition {condition:.3g}")
    print(f"all together within the 95 % ellipsoid: {inside[0.95]}, within the 99 % ellipsoid: {inside[0.99]}")
    print(f"single parameters within two standard deviations: {100 * np.mean(near):.1f} %")
    return int(inside[0.99] < 0.95 * runs)


if __name__ == "__main__":
    sys.exit(main())

"""Mechanisms of any settings simulated, linearised, balanced and written out, beside the reference.

    python tests/benchmarks/uses.py [--count COUNT] [--seed SEED]

Each has five settings that are not the plain ones, and a force element. Prints what is wrong, and how many were tried.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mechanisms.factor_models import ImpossibleError, model_of
from mechanisms.uses import USES, drawn, told, wrong_uses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    tried = impossible = bad = 0
    begun = process_time()
    for seed in range(asked.seed, asked.seed + asked.count):
        row = drawn(seed)
        try:
            model = model_of(row)
        except ImpossibleError:
            impossible += 1
            continue
        tried += 1
        if wrong := list(wrong_uses(model, seed)):
            bad += 1
            print(seed, told(row), *wrong, sep="\n    ", flush=True)
    print(
        f"{tried} mechanisms through {', '.join(USES)}: {bad} with something wrong; {impossible} cannot be built; "
        f"{process_time() - begun:.0f} s"
    )


if __name__ == "__main__":
    main()

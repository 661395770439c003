"""Derivatives of closed loops in independent coordinates against formal ones, exactly in a field of 2^61 - 1 elements.

What is differentiated formally is the straight-line Program of constrained_dynamics, along the motions that the loops
leave. Mechanisms whose loops leave no freedom have none of these functions.

    python tests/benchmarks/loop_derivatives_exact.py [COUNT [FIRST_SEED]]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from physics.test_independent_derivatives import exact
from physics.test_loop_derivatives import LOOPS, mechanism_named


def main() -> int:
    """Prints a line for each mechanism, and what failed at the end."""
    count, first = (int(word) for word in (*sys.argv[1:], *("100", "0")[len(sys.argv) - 1 :]))
    failed, done = [], 0
    for name in (*LOOPS, *range(first, first + count)):
        start = time.process_time()
        mechanism, loops = mechanism_named(name)
        if not loops.mobility or not loops.rows:
            print(f"{name!s:18} leaves no freedom or has no rows")
            continue
        done += 1
        passed = exact(mechanism, loops)
        failed += [] if passed else [name]
        sizes = f"{mechanism.nv:3} speeds {len(loops.rows):3} rows"
        print(
            f"{name!s:18} {sizes}  {'equal' if passed else 'DIFFERS'}  {time.process_time() - start:.1f} s", flush=True
        )
    print(f"{done} mechanisms, differing: {failed or 'none'}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())

"""The Stewart platform: time to derive and print C, and operations.

Its forward dynamics stand beside Pinocchio's in ``python tests/benchmarks/peers --only loops``.

    python tests/benchmarks/stewart_platform.py
"""

from __future__ import annotations

import time

from mbsym import examples
from mbsym.pipeline import GenerationOptions, generate_files

NAME = "stewart_platform"


def main() -> None:
    """Prints the figures."""
    model = examples.load(NAME)
    options = GenerationOptions(languages=("c",))
    seconds = []
    for _ in range(3):
        start = time.process_time()
        derivation, _ = generate_files(model, options)
        seconds.append(time.process_time() - start)
    mechanism, loops = derivation.mechanism, derivation.loops
    assert loops is not None
    counts = {program.name: program.operation_count() for program in derivation.programs}
    print(f"{NAME}: {mechanism.nb} bodies, {mechanism.nv} speeds, {len(mechanism.cut_joints)} loops, "
          f"{len(loops.rows)} closure rows, {loops.mobility} freedoms")  # fmt: skip
    print(f"derive and print C, all functions   {min(seconds):8.2f} s")
    print(f"operations of constrained_terms     {counts['constrained_terms'].arithmetic:8d}")


if __name__ == "__main__":
    main()

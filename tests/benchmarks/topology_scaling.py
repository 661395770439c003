"""Time and memory of labelling against the number of joints: python tests/benchmarks/topology_scaling.py

Each run has a process of its own, so that its peak of memory is its own. The time covers labelling, the name maps,
the 3 x nj matrix, i+ and the cut joints, not the making of the input; the peak of memory covers everything. Exit
status 1 if a run of a million joints takes over 10 s or 1.5 GB, or if the time for each joint grows with their number.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

Joints = list[tuple[str, int, int]]

SIZES = (1_000, 10_000, 100_000, 1_000_000)
MOST_SECONDS = 10.0
MOST_MEMORY = 1500.0  # MB
# Seconds per joint at the greatest size over those at the least. Linear growth is 1; arrays that outgrow the caches
# and the sorting cost a small factor more, growth with n^1.5 would give 32.
MOST_GROWTH = 8.0


def chain(joints: int) -> Joints:
    """A chain of bodies."""
    return [(f"joint{k}", k, k + 1) for k in range(joints)]


def star(joints: int) -> Joints:
    """Every body on the ground."""
    return [(f"joint{k}", 0, k + 1) for k in range(joints)]


def random_graph(joints: int) -> Joints:
    """Half as many bodies as joints, connected at random, in random numbering, order and direction."""
    draw = random.Random(joints)
    nb = joints // 2
    number = list(range(1, nb + 1))
    draw.shuffle(number)
    body = [0, *number]
    ends = [(body[draw.randrange(k)], body[k]) for k in range(1, nb + 1)]
    while len(ends) < joints:
        a, b = draw.randrange(nb + 1), draw.randrange(nb + 1)
        if a != b:
            ends.append((a, b))
    draw.shuffle(ends)
    return [(f"joint{k}", *(end if draw.random() < 0.5 else end[::-1])) for k, end in enumerate(ends)]


GRAPHS: dict[str, Callable[[int], Joints]] = {"chain": chain, "star": star, "random": random_graph}


def run(shape: str, size: int, method: str) -> dict[str, float]:
    """Labels one system in this process."""
    from mbsym.topology import label

    joints = GRAPHS[shape](size)
    draw = random.Random(1)
    weights = [draw.randrange(100) for _ in joints] if shape == "random" else None
    start = time.perf_counter()
    labelling = label(joints, weights=weights, method=method)  # type: ignore[arg-type]
    results = (
        labelling.body_labels,
        labelling.joint_labels,
        labelling.matrix,
        labelling.inboard,
        labelling.cut_joints,
    )
    seconds = time.perf_counter() - start
    assert len(results[4]) == labelling.nj - labelling.nb
    return {"seconds": seconds, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def run_alone(shape: str, size: int, method: str) -> dict[str, float]:
    """Labels one system in a process of its own."""
    command = [sys.executable, __file__, shape, str(size), method]
    finished = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(finished.stdout)
    return figures


def main() -> int:
    failed = False
    print(f"{'graph':<8} {'method':<14} {'joints':>9} {'seconds':>9} {'us/joint':>9} {'peak MB':>9}")
    for shape, method in [
        *((shape, "kruskal") for shape in GRAPHS),
        ("random", "depth-first"),
        ("random", "breadth-first"),
    ]:
        per_joint = []
        for size in SIZES:
            # Small runs are over too soon to be measured once.
            runs = [run_alone(shape, size, method) for _ in range(3 if size < 100_000 else 1)]
            figures = min(runs, key=lambda each: each["seconds"])
            seconds, memory = figures["seconds"], figures["memory"]
            per_joint.append(seconds / size)
            verdict = "" if seconds <= MOST_SECONDS and memory <= MOST_MEMORY else "  too much"
            failed |= bool(verdict)
            rate = seconds / size * 1e6
            print(f"{shape:<8} {method:<14} {size:>9} {seconds:>9.3f} {rate:>9.2f} {memory:>9.0f}{verdict}", flush=True)
        if per_joint[-1] > MOST_GROWTH * per_joint[0]:
            failed = True
            print(f"{shape}: time for each joint grows by {per_joint[-1] / per_joint[0]:.1f}")
    return int(failed)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    if len(sys.argv) == 4:
        print(json.dumps(run(sys.argv[1], int(sys.argv[2]), sys.argv[3])))
    else:
        sys.exit(main())

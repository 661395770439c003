"""Random mechanisms asked what tests/physics/test_definitions.py asks of small ones.

Trees with force elements, rotors, couplings and parameters: work against the energy of point masses over a finite
motion, Hamilton's principle, a turned world, another order in the file, each reversible joint written from its other
side. Mechanisms with one loop for each type of cut joint and each constraint: loops stay closed and energy is kept
where the reference's accelerations lead. The largest relative errors are printed, and what passes a limit by its seed.

    python tests/benchmarks/definitions.py [COUNT] [FIRST_SEED]
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from mbsym.constraints import CONSTRAINTS
from mbsym.errors import MbsymError
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.system import Model
from mbsym.verification.random_state import random_state
from mechanisms.definitions import (
    Array,
    Derived,
    balance,
    closure_errors,
    hamilton_error,
    rate_error,
    reordered,
    reversed_joint,
    state_error,
    turned,
)
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.random_trees import random_tree

LIMIT = 1e-7
"""Beyond which a seed is printed."""

DURATION = 0.05


def drawn(derived: Derived, seed: int) -> tuple[Array, Array, Array, Array]:
    rng = np.random.default_rng(seed)
    q, v, tau = random_state(derived.model, derived.labelling, rng, reference=derived.reference)
    return q, v, tau, rng.uniform(-1, 1, len(derived.model.inputs))


def of_tree(model: Model, seed: int) -> dict[str, float]:
    """Errors by question."""
    given = Derived(model)
    q, v, _, u = state = drawn(given, seed)
    found = {
        "work and energy": balance(given, *state, DURATION).error,
        "Hamilton's principle": hamilton_error(given, *state),
    }
    ordered = Derived(reordered(model), order="input")
    if model.free_roots:
        # It may hang on another body then, and its coordinates count from the base that is turned.
        found["other order"] = state_error(given, ordered, q, v, u)
    else:
        found["other order"] = rate_error(given, ordered, *state)
        found["turned world"] = rate_error(given, Derived(turned(model)), *state)
    named = {name for force in model.forces for name in (*force.named("joint"), *force.named("joints"))}
    named |= {name for item in model.couplings for name in (item.joint, item.source)}
    expressed = any(force.expressions for force in model.forces)
    for joint in model.joints:
        # Rotors of joints of several freedoms, and what names a joint's coordinates, mean its own side.
        if joint.name in named or expressed or (joint.armature and joint.shape.nv > 1):
            continue
        found["other side of a joint"] = max(
            found.get("other side of a joint", 0.0),
            state_error(given, Derived(reversed_joint(model, joint.name)), q, v, u),
        )
    return found


def main(count: int, first: int) -> None:
    """Prints a table."""
    started = time.perf_counter()
    worst: dict[str, list[float]] = defaultdict(list)
    for seed in range(first, first + count):
        model = random_tree(seed, bodies=(1, 5))
        try:
            found = of_tree(model, seed)
        except MbsymError as error:
            print(f"tree {seed}: {error}")
            continue
        for question, off in found.items():
            worst[question].append(off)
            if not off < LIMIT:
                print(f"tree {seed}: {question} {off:.1e}")
    kinds = [(kind, True) for kind in JOINT_TYPES] + [("", False)] * len(CONSTRAINTS)
    for number, (kind, by_joint) in enumerate(kinds):
        for seed in range(first, first + max(1, count // 20)):
            try:
                model, q = random_closed_loops(
                    seed + 1000 * number,
                    loops=1,
                    bodies=(3, 4),
                    cut_types=(kind,) if by_joint else (),
                    constraints=not by_joint,
                )
            except (MbsymError, ValueError):
                continue
            derived = Derived(model)
            for question, off in closure_errors(derived, q, *drawn(derived, seed)[1::2], DURATION).items():
                worst[f"loops: {question}"].append(off)
                if not off < LIMIT:
                    print(f"loop {kind} {seed + 1000 * number}: {question} {off:.1e}")
    print(f"{'question':28}{'asked':>7}{'worst':>10}")
    for question, errors in worst.items():
        print(f"{question:28}{len(errors):7}{max(errors):10.1e}")
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    arguments = [int(item) for item in sys.argv[1:]]
    main(arguments[0] if arguments else 100, arguments[1] if len(arguments) > 1 else 0)

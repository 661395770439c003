"""Generated modules of driven mechanisms pass their certificates, as those of free ones do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.model.system import Model
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of
from mechanisms.motions import free_to_drive, with_motions
from mechanisms.random_mechanisms import random_closed_loops, random_tree

OF_TREES = ("forward_dynamics", "forward_dynamics_derivatives", "joint_wrenches", "driving_forces", "driven_state")
OF_LOOPS = (
    "constrained_dynamics", "constrained_dynamics_derivatives", "stabilised_dynamics", "joint_wrenches",
    "project_position", "project_velocity", "driving_forces", "driven_state",
)  # fmt: skip


def driven_tree(seed: int) -> Model:
    return with_motions(random_tree(seed, bodies=5), np.random.default_rng(seed), 0.4)


def driven_loops(seed: int) -> Model:
    model, q = random_closed_loops(seed, loops=1, bodies=(3, 3), planar=True)
    return with_motions(model, np.random.default_rng(seed), 0.4, free_to_drive(mechanism_of(model), q))


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (driven_tree(4), {"functions": OF_TREES[:1], "formulation": "cfa"}),
        (driven_loops(5), {"functions": OF_LOOPS[:1], "formulation": "articulated-body", "real": "float"}),
        *further(
            (driven_tree(2), {"functions": OF_TREES}),
            (driven_loops(1), {"functions": OF_LOOPS}),
            (driven_tree(3), {"functions": OF_TREES, "real": "float"}),
            (driven_loops(4), {"functions": OF_LOOPS, "batch": ("constrained_dynamics", "driving_forces")}),
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Model) else ",".join(value),
)
def test_driven_modules_are_certified(model: Model, options: dict[str, Any], tmp_path: Path) -> None:
    assert model.motions
    mbsym.generate(model, tmp_path, **options)
    found = mbsym.verify(tmp_path)
    assert found.passed, [check for check in found.checks if check.error > check.tolerance]
    checked = {check.function for check in found.checks}
    assert set(options["functions"]) <= checked

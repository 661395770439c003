"""A watch, a crane and dust are verified as what they are: right code passes, and faults of a thousandth are named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym import examples
from mbsym.codegen.load import LoadedFunction, LoadedModule, load_numpy
from mbsym.model.own_units import SI, Units, in_units
from mbsym.model.system import Model
from mbsym.pipeline import generate
from mbsym.reference import Reference
from mbsym.verification.certificate import verify
from mbsym.verification.checks import Settings, run_checks
from mbsym.verification.own_units import units_of
from mechanisms.examples import further
from mechanisms.scaled import scaled

SCALES = {"dust": (1e-4, 1e-6, 1e-3), "watch": (1e-4, 1e6, 1.0), "crane": (1e3, 1e6, 1e3), "balloon": (1e3, 1e-6, 1.0)}
"""Factors of length, mass and time."""

LOOPED = (
    "mass_matrix", "inverse_dynamics", "gravity_force", "momentum", "body_jacobians", "constraint_residual",
    "constraint_jacobian", "constraint_bias", "forward_dynamics", "constrained_dynamics", "project_position",
    "project_velocity", "stabilised_dynamics", "closed_form_position", "inverse_dynamics_derivatives", "regressor",
    "joint_wrenches", "base_regressor",
)  # fmt: skip
TREES = (
    "mass_matrix", "inverse_dynamics", "forward_dynamics", "gravity_force", "momentum", "kinetic_energy", "body_poses",
    "joint_wrenches", "inverse_dynamics_derivatives", "coriolis_matrix", "regressor", "momentum_regressor",
)  # fmt: skip
MODELS = {"slider_crank": LOOPED, "cart_pole": TREES}


def made(name: str, scale: str, directory: Path) -> tuple[Model, LoadedModule]:
    model = scaled(examples.load(name), *SCALES[scale])
    generate(model, directory, languages=("numpy",), functions=MODELS[name])
    return model, load_numpy(directory / f"{model.name}.py")


@pytest.mark.parametrize(
    ("name", "scale"), [("slider_crank", "dust"), ("cart_pole", "watch"), *further(("slider_crank", "crane"))]
)
def test_right_code_of_every_size_is_verified(name: str, scale: str, tmp_path: Path) -> None:
    made(name, scale, tmp_path)
    found = verify(tmp_path, states=2)
    assert found.passed, found.summary()


def off(function: LoadedFunction, entry: int, seen: set[str], name: str) -> LoadedFunction:
    """The function with one entry of its first result a thousandth too large; it tells where that is more than zero."""

    def wrong(found: Any) -> Any:
        results = [np.array(array, dtype=float) for array in (found if isinstance(found, tuple) else (found,))]
        rows = results[0].reshape(-1, int(np.prod(function.outputs[0].shape, dtype=int)))
        if (np.abs(rows[:, entry]) > 1e-2 * np.abs(rows).max(axis=1)).all():
            seen.add(name)
        rows[:, entry] *= 1.001
        return tuple(results) if isinstance(found, tuple) else results[0]

    def call(inputs: Any, parameters: Mapping[str, float]) -> Any:
        return wrong(function.call(inputs, parameters))

    return replace(function, call=call, judged=None, statuses=())


@pytest.mark.parametrize(
    ("name", "scale"),
    [("slider_crank", "dust"), ("slider_crank", "crane"), ("cart_pole", "watch"), ("cart_pole", "balloon")],
)
def test_faults_of_a_thousandth_are_named_at_every_size(name: str, scale: str, tmp_path: Path) -> None:
    """In entries of each function, each in a module of its own, that are a hundredth of the largest where they are."""
    model, module = made(name, scale, tmp_path)
    seen: set[str] = set()
    broken = []
    for key, function in module.functions.items():
        size = int(np.prod(function.outputs[0].shape, dtype=int))
        for entry in sorted({0, size // 2, size - 1 if key != "body_poses" else size - 2}):
            title = f"{key} {entry}"
            broken.append(replace(module, language=title, functions={key: off(function, entry, seen, title)}))
    checks, _ = run_checks(model, broken, Settings(3, 0, "weight"))
    # A multiple of a residual is one.
    asked = {title for title in seen if not title.startswith("constraint_residual")}
    assert len(asked) >= 10
    assert asked - {check.language for check in checks if not check.passed} == set()


def test_units_are_those_of_the_mechanism() -> None:
    model = examples.load("cart_pole")
    assert units_of(Reference(model)) == SI and in_units(model, SI) is model
    found = units_of(Reference(scaled(model, 1e3, 1e-6, 1e3)))
    assert (found.length, found.mass, found.time) == (1000, Fraction(1, 10**6), 1000)
    units = Units(Fraction(1000), Fraction(2), Fraction(10))
    assert units.of("N s/m or N m s") == Fraction(2, 10) and units.of("N s/m or N m s", slides=False) == 200000

"""What stepping code by transfer matrices says of a step, in C and in Python."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.codegen.interface import ModuleDescription, render
from mbsym.codegen.load import LoadedModule, load_c, load_numpy
from mbsym.codegen.statuses import Status
from mbsym.codegen.write import write_files
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.system import Model
from mbsym.transfer_matrix.module import stepping_module, with_steps
from mbsym.transfer_matrix.recognition import transfer_system
from mechanisms.examples import further
from mechanisms.singular import parallel_cranks

MODELS = {
    "tree": ("double_pendulum", None),
    "flat loop": (None, None),
    "top": ("spinning_top", "cardan"),
}
FAILING = ("transfer_matrix_start", "transfer_matrix_advance", "step")


@cache
def modules(name: str, real: Any = "double") -> tuple[LoadedModule, LoadedModule]:
    """In C and in Python."""
    example, rotation = MODELS[name]
    return loaded(parallel_cranks() if example is None else examples.load(example), rotation, real)


def loaded(model: Model, rotation: Any, real: Any = "double") -> tuple[LoadedModule, LoadedModule]:
    system = transfer_system(build_mechanism(model, model.label()), rotation)
    description = with_steps(ModuleDescription(model.name, (), real=real), stepping_module(system))
    with TemporaryDirectory() as scratch:
        paths = write_files(scratch, render(description))
        return load_c(scratch), load_numpy(next(Path(path) for path in paths if Path(path).suffix == ".py"))


def called(module: LoadedModule, name: str, given: Mapping[str, Any]) -> tuple[dict[str, Any], Status]:
    """Results by name and the status; what is not given is zero."""
    function = module.functions[name]
    values = [np.broadcast_to(np.asarray(given.get(item.name, 0.0), float), item.shape) for item in function.inputs]
    found, status = function.with_status(*values)
    results = found if isinstance(found, tuple) else (found,)
    return dict(zip((item.name for item in function.outputs), results, strict=True)), Status(int(status))


def upright(module: LoadedModule) -> Any:
    """Attitudes without rotation."""
    item = module.functions["transfer_matrix_start"].inputs[0]
    return np.eye(item.shape[-1])[0] if item.shape[-1] == 4 else 0.0


def start(module: LoadedModule, **changes: Any) -> tuple[Any, Status]:
    results, status = called(module, "transfer_matrix_start", {"attitude": upright(module), **changes})
    return results["next_state"], status


def step(module: LoadedModule, name: str = "step", state: Any = None, **changes: Any) -> tuple[dict[str, Any], Status]:
    """One step of a millisecond from rest, by either function."""
    scheme = called(module, "generalised_alpha", {"h": 1e-3, "r": 0.8, "spectral_radius": 0.8})[0]["scheme"]
    given = {"state": start(module)[0] if state is None else state, "h": 1e-3, "spectral_radius": 0.8}
    given |= {"scheme": scheme, "steps": 1, "settings": (1e-9, 1e-6, 20, 1)}
    return called(module, name, given | changes)


@pytest.mark.parametrize("real", ["double", *further("float")])
def test_start(real: str) -> None:
    for regular, singular in zip(modules("tree", real), modules("flat loop", real), strict=True):
        assert start(regular)[1] == Status.OK
        assert start(singular)[1] == Status.SINGULAR
        assert start(regular, loads=np.nan)[1] == start(singular, attitude=np.inf)[1] == Status.NOT_FINITE


@pytest.mark.parametrize("real", ["float", *further("double")])
@pytest.mark.parametrize("name", FAILING[1:])
def test_steps(name: str, real: str) -> None:
    for tree, flat, top in zip(*(modules(model, real) for model in MODELS), strict=True):
        done, status = step(tree, name)
        assert status == Status.OK and np.isfinite(done["next_state"]).all()
        before = start(tree)[0]
        for changes in ({"loads": np.nan}, {"h": 0.0, "scheme": 0.0}):
            assert np.array_equal(step(tree, name, **changes)[0]["next_state"], before)
        assert step(tree, name, loads=np.nan)[1] == Status.NOT_FINITE
        assert step(flat, name, state=np.nan)[1] == Status.NOT_FINITE
        assert step(tree, name, h=0.0, scheme=0.0)[1] == Status.IMPOSSIBLE_STEP
        # At rest as it lies, without the accelerations that could not be found.
        lying = np.nan_to_num(start(flat)[0], nan=0.0, posinf=0.0, neginf=0.0)
        assert step(flat, name, lying)[1] == Status.SINGULAR
        turned = start(top, attitude=np.array([np.sqrt(0.5), 0, np.sqrt(0.5), 0]))[0]
        assert step(top, name, turned, loads=np.nan)[1] == Status.CHART_LOST
        assert "CHART_LOST" not in tree.functions[name].statuses
        assert "CHART_LOST" in top.functions[name].statuses


def test_a_spring_whose_ends_coincide_has_no_direction() -> None:
    """The one unknown of the closure is its tension."""
    link = mbsym.Body("link", 1, (0, 0, 1), (0.1, 0.1, 0.1))
    hinge = mbsym.Joint("hinge", "revolute", "ground", "link", axis=(0, 1, 0))
    spring = mbsym.PointSpringDamper("spring", "ground", "link", 3, first_point=(0, 0, 1), second_point=(0, 0, 1))
    model = mbsym.Model("sprung", bodies=(link,), joints=(hinge,), forces=(spring,))
    for module in loaded(model, None):
        lying = np.nan_to_num(start(module)[0], nan=0.0)
        for name in FAILING[1:]:
            assert step(module, name, lying)[1] == Status.SINGULAR


def test_an_iteration_that_does_not_come_to_rest() -> None:
    for module in modules("tree"):
        settings = (-1.0, -1.0, 1, 1)
        found = step(module, "transfer_matrix_advance", loads=1.0, settings=settings)
        assert found[1] == Status.NOT_CONVERGED
        assert np.array_equal(found[0]["next_state"], start(module)[0])
        # Forces that would throw the bodies around many times within the step.
        assert step(module, loads=1e9)[1] == Status.NOT_CONVERGED


def test_nothing_else_is_said() -> None:
    for name in MODELS:
        functions = modules(name)[0].functions
        assert {key for key, function in functions.items() if function.statuses} == set(FAILING)

"""Modules for NumPy take arrays of other libraries, and what these do to functions works."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from typing import Any

import array_api_strict
import numpy as np
import pytest

import mbsym
from mbsym.codegen.statuses import Status
from mbsym.model.system import Model
from mechanisms.singular import CASES

BATCH = (4, 1)


def arrays_of(library: str) -> tuple[Any, Any]:
    """A function that makes arrays of a library in double precision, and one that makes them NumPy's again."""
    if library == "array_api_strict":  # nothing but the standard
        return array_api_strict.asarray, np.asarray
    other = pytest.importorskip(library, reason=f"{library} is not installed; it is too large for the tests' own needs")
    if library == "jax":
        other.config.update("jax_enable_x64", True)
        return other.numpy.asarray, np.asarray
    return other.asarray, lambda array: array.detach().numpy()


def written(model: Model | str, directory: Path, **options: Any) -> Any:
    """The Python module of a model, as a user imports it."""
    derivation = mbsym.generate(model, directory, languages=["numpy"], **options)
    path = next(directory.glob("*.py"))
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert derivation is not None and specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def each_call(module: Any, rng: np.random.Generator) -> Any:
    """Every function of a module with arguments for a batch, the last of which are lists."""
    sizes = {"q": module.NQ, "v": module.NV, "vdot": module.NV, "tau": module.NV, "u": 1}
    for name in module.__all__:
        function = getattr(module, name)
        if not inspect.isfunction(function):
            continue
        names = [item for item in inspect.signature(function).parameters if item not in ("parameters", "failures")]
        values = [rng.uniform(0.2, 1, (*BATCH, sizes[item]) if item in sizes else ()) for item in names]
        if len(values) > 1 and names[-1] in sizes:
            values[-1] = values[-1][0, 0].tolist()
        yield name, function, values


@pytest.mark.parametrize("library", ["array_api_strict", "jax", "torch"])
@pytest.mark.parametrize("model", ["cart_pole", "double_pendulum", "spinning_top"])
def test_results_are_those_of_numpy(library: str, model: str, tmp_path: Path) -> None:
    """To the last rounding: libraries fuse operations and have their own sine."""
    make, back = arrays_of(library)
    calls = list(each_call(module := written(model, tmp_path), np.random.default_rng(2)))
    assert {"forward_dynamics", "body_poses", "kinetic_energy"} < {name for name, _, _ in calls}
    defaults = module.Parameters() if hasattr(module, "Parameters") else None
    for name, function, (first, *others) in calls:
        expected = function(first, *others)
        found = function(make(first), *others)
        if defaults is not None and "parameters" in inspect.signature(function).parameters:
            field = next(iter(vars(defaults)))
            tensor = type(defaults)(**{field: make(np.full(BATCH, getattr(defaults, field)))})
            found = function(make(first), *others, tensor)
        pairs = zip(
            found if isinstance(found, tuple) else [found],
            expected if isinstance(expected, tuple) else [expected],
            strict=True,
        )
        for theirs, ours in pairs:
            assert type(theirs) is type(make(first)) or library == "jax", name
            assert np.allclose(back(theirs), ours, rtol=1e-13, atol=1e-13), name


@pytest.mark.parametrize("library", ["array_api_strict", "jax", "torch"])
def test_elementary_functions_treat_numbers_and_nan_as_numpy_does(library: str, tmp_path: Path) -> None:
    make, back = arrays_of(library)
    module = written("double_pendulum", tmp_path)
    x, y = (axis.ravel() for axis in np.meshgrid([-1.5, -0.0, 0.7, np.nan, np.inf], [-0.3, 0.1, 0.7, np.nan]))
    functions = module._Library(module._library_of(make(x)), make(x))
    for name in ("min", "max", "pow", "atan2"):
        expected = getattr(module._Arrays, name)
        with np.errstate(all="ignore"):
            assert np.allclose(back(getattr(functions, name)(make(x), make(y))), expected(x, y), equal_nan=True), name
    for name in ("min", "max"):
        expected = getattr(module._Arrays, name)
        assert np.array_equal(back(getattr(functions, name)(make(x), 0.1)), expected(x, 0.1), equal_nan=True)
        assert np.array_equal(back(getattr(functions, name)(0.1, make(x))), expected(0.1, x), equal_nan=True)
    assert np.array_equal(back(functions.select(make(x), 0.1, make(y))), np.where(x > 0, 0.1, y), equal_nan=True)
    inside = np.linspace(-0.9, 0.9, 5)
    for name in ("sin", "cos", "tan", "asin", "acos", "exp", "tanh", "abs", "sign"):
        assert np.allclose(back(getattr(functions, name)(make(inside))), getattr(module._Arrays, name)(inside)), name
    for name in ("sqrt", "log"):
        assert np.allclose(back(getattr(functions, name)(make(inside + 1))), getattr(module._Arrays, name)(inside + 1))


@pytest.mark.parametrize("library", ["array_api_strict", "jax", "torch"])
def test_states_without_a_result_are_nan(library: str, tmp_path: Path) -> None:
    """Statuses are those of NumPy; nothing is raised, since a library may trace a function before there are numbers."""
    make, back = arrays_of(library)
    case = CASES["gimbal"]()
    module = written(case.model, tmp_path)
    q = np.array([case.states[Status.OK], case.states[Status.SINGULAR], np.full(module.NQ, np.nan)])
    zeros = [[0.5] * module.NV] * 2
    expected, statuses = module.forward_dynamics(q, *zeros, failures="return")
    found, status = module.forward_dynamics(make(q), *zeros, failures="return")
    assert back(status).tolist() == statuses.tolist() == [Status.OK, Status.SINGULAR, Status.NOT_FINITE]
    assert np.allclose(back(found), expected, equal_nan=True, rtol=1e-13)
    assert np.isnan(back(module.forward_dynamics(make(q), *zeros))[1:]).all()


def test_jax_compiles_maps_and_differentiates_them(tmp_path: Path) -> None:
    make, _ = arrays_of("jax")
    import jax

    module = written("double_pendulum", tmp_path)
    q, v, tau = np.random.default_rng(3).normal(size=(3, 5, 2))
    expected = module.forward_dynamics(q, v, tau)
    assert np.allclose(jax.jit(module.forward_dynamics)(q, v, tau), expected, rtol=1e-13)
    slopes = jax.vmap(jax.jacfwd(module.forward_dynamics))(make(q), v, tau)
    differences = [
        (module.forward_dynamics(q + step, v, tau) - module.forward_dynamics(q - step, v, tau)) / 2e-6
        for step in 1e-6 * np.eye(2)
    ]
    # Central differences of this step are right to 1e-9 of values near 100.
    assert np.allclose(slopes, np.stack(differences, axis=-1), rtol=1e-6, atol=1e-6)


def test_torch_differentiates_by_parameters_too(tmp_path: Path) -> None:
    make, _ = arrays_of("torch")
    module = written("double_pendulum", tmp_path)
    q, v = np.random.default_rng(4).normal(size=(2, 2))
    mass = make(1.0).requires_grad_()
    module.kinetic_energy(make(q), v, module.Parameters(m1=mass)).backward()
    step = module.kinetic_energy(q, v, module.Parameters(m1=2.0)) - module.kinetic_energy(q, v)
    assert np.isclose(mass.grad.item(), step)  # linear in the mass


def test_shapes_are_looked_at(tmp_path: Path) -> None:
    module = written("double_pendulum", tmp_path)
    with pytest.raises(ValueError, match=r"v has the shape \(3,\); expected are batch axes and then \(2,\)"):
        module.kinetic_energy(array_api_strict.zeros(2), array_api_strict.zeros(3))

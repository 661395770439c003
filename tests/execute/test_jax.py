"""Exports to JAX: values are those of the C, derivatives of both modes are exact, batches are one call.

Where JAX is not installed (the extra ``jax``, some 350 MB), the C is compiled against a stub of XLA's header only.
"""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.cli.application import main
from mbsym.codegen.build import WARNINGS
from mechanisms.trees import chain, tree_model

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "jax" / "swing_up.py"
WITHOUT = "JAX is not installed: pip install mbsym[jax]"
STUBS = Path(__file__).with_name("stubs")


@pytest.mark.parametrize(("model", "options"), [("four_bar", {}), ("cart_pole", {"symbolic_parameters": "all"})])
def test_the_handlers_compile(model: str, options: dict[str, Any], tmp_path: Path) -> None:
    mbsym.export(model, "jax", tmp_path, functions=["forward_dynamics"], **options)
    source = tmp_path / f"{model}_jax.c"
    command = ["gcc", *WARNINGS, "-Wmissing-prototypes", "-fsyntax-only", "-I", str(STUBS), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
    ast.parse((tmp_path / f"{model}_jax.py").read_text(encoding="utf-8"))


def test_integers_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["export", "jax", "four_bar", "--function", "project_position_report", "-o", str(tmp_path)]
    assert main(asked) == 2
    assert "returns the integers steps, of which there are no derivatives" in capsys.readouterr().err


def test_what_iterates_is_told(tmp_path: Path) -> None:
    done = mbsym.export("four_bar", "jax", tmp_path, functions=["project_position"])
    assert done.notes == ("project_position has no derivatives: it iterates",)


# ---- with JAX --------------------------------------------------------------------------------------------------------


def imported(directory: Path, model: Any, *functions: str, **options: Any) -> Any:
    """The module of an export, fresh."""
    jax = pytest.importorskip("jax", reason=WITHOUT)
    jax.config.update("jax_enable_x64", True)
    mbsym.export(model, "jax", directory, functions=functions, **options)
    name = model if isinstance(model, str) else model.name
    spec = importlib.util.spec_from_file_location(f"{name}_jax", directory / f"{name}_jax.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFLAGS", "-O1")


CASES = [
    (tree_model(chain(2), ("revolute", "prismatic")), {}),
    (tree_model(chain(2), ("free", "spherical")), {}),
    ("cart_pole", {"symbolic_parameters": "all"}),
    ("four_bar", {}),
]


@pytest.mark.parametrize(("model", "options"), CASES, ids=lambda case: str(getattr(case, "name", case)))
def test_derivatives_are_exact(model: Any, options: dict[str, Any], tmp_path: Path) -> None:
    """Of both modes, against differences of the values, which are those of NumPy."""
    module = imported(tmp_path, model, "forward_dynamics", **options)
    jax = pytest.importorskip("jax")
    function = module.forward_dynamics
    shapes = module._FUNCTIONS["forward_dynamics"]["inputs"]
    rng = np.random.default_rng(5)
    given = [rng.standard_normal(shape) for shape in shapes.values()]
    if model == "four_bar":
        given[0] = np.asarray(mbsym.compile(model, ["project_position"]).project_position([0.3, 0.4, 0.2]))
    keywords = {"parameters": np.array(list(module.PARAMETERS.values()))} if module.PARAMETERS else {}
    names = tuple(range(len(given)))
    forward = jax.jacfwd(function, names)(*given, **keywords)
    backward = jax.jacrev(function, names)(*given, **keywords)
    for k, (one, other) in enumerate(zip(forward, backward, strict=True)):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12 * max(1.0, np.abs(one).max()))
        step = 1e-6
        for entry in range(given[k].size):
            moved = [[x.copy() for x in given] for _ in range(2)]
            moved[0][k].flat[entry] += step
            moved[1][k].flat[entry] -= step
            ahead, behind = (np.asarray(function(*there, **keywords)) for there in moved)
            exact = np.asarray(one).reshape(len(ahead), -1)[:, entry]
            if model != "four_bar" or k:  # off the closed positions forward dynamics of loops mean nothing
                np.testing.assert_allclose(
                    (ahead - behind) / (2 * step), exact, rtol=0, atol=3e-7 * np.abs(one).max() + 1e-7
                )
    if keywords:
        by_parameters = jax.jacrev(lambda p: function(*given, parameters=p))(keywords["parameters"])
        assert np.abs(by_parameters).max() > 0
    compiled = mbsym.compile(model, ["forward_dynamics"], **options)
    unit = list(given)
    for start in module._QUATERNIONS:
        unit[0][start : start + 4] /= np.linalg.norm(unit[0][start : start + 4])
    np.testing.assert_allclose(function(*given, **keywords), compiled.forward_dynamics(*unit), rtol=1e-12, atol=1e-12)


def test_batches_gradients_and_refusals(tmp_path: Path) -> None:
    module = imported(tmp_path, "four_bar", "forward_dynamics", "project_position")
    import jax
    import jax.numpy as jnp

    q = np.asarray(mbsym.compile("four_bar", ["project_position"]).project_position([0.3, 0.4, 0.2]))
    rng = np.random.default_rng(1)
    v, tau = rng.standard_normal((300, 3)), rng.standard_normal((300, 3))
    many = jax.jit(jax.vmap(module.forward_dynamics, in_axes=(None, 0, 0)))
    found = many(q, v, tau)
    np.testing.assert_allclose(found[299], module.forward_dynamics(q, v[299], tau[299]), rtol=1e-12)
    slopes = jax.vmap(jax.grad(lambda v, tau: jnp.sum(module.forward_dynamics(q, v, tau) ** 2)))(v, tau)
    assert slopes.shape == (300, 3) and np.isfinite(slopes).all()
    assert np.isnan(module.project_position(jnp.full(3, jnp.nan))).all()
    with pytest.raises(NotImplementedError, match="project_position cannot be differentiated: it iterates"):
        jax.jacfwd(module.project_position)(q)
    with pytest.raises(NotImplementedError, match="derivatives of derivatives are not exported"):
        jax.hessian(lambda tau: jnp.sum(module.forward_dynamics(q, v[0], tau)))(tau[0])
    with pytest.raises(TypeError, match=r"q has the shape \(2,\), not \(3,\)"):
        module.forward_dynamics(q[:2], v[0], tau[0])
    with pytest.raises(TypeError, match="takes q, v, tau"):
        module.forward_dynamics(q)
    with jax.enable_x64(False), pytest.raises(RuntimeError, match="jax_enable_x64"):
        module.forward_dynamics(q, v[0], tau[0])


def test_the_example_swings_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax", reason=WITHOUT).config.update("jax_enable_x64", True)
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec = importlib.util.spec_from_file_location("jax_example", EXAMPLE)
    assert spec and spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    cost = example.cost_of(example.exported(tmp_path).forward_dynamics)
    before, after = example.optimised(cost, 150)
    assert after < 0.2 * before

"""Exports to CUDA: on the host they compute what the C computes, and clang makes kernels of them."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.cli import main
from mbsym.codegen.build import runs
from mbsym.codegen.load import LoadedFunction, LoadedModule, load_c
from mbsym.codegen.statuses import Status
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.system import Model
from mechanisms.curves import scipys, slider, tables
from mechanisms.singular import CASES

STUBS = Path(__file__).resolve().parent / "stubs" / "cuda"
STATES = 5


def host_library(directory: Path, name: str) -> ctypes.CDLL:
    """The functions for the host, the C linked with them to see that names do not clash."""
    target, source = directory / "host.so", directory / f"{name}_cuda.cu"
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I", str(directory)]
    subprocess.run(["gcc", "-c", *flags, f"{directory}/{name}.c", "-o", f"{directory}/c.o"], check=True)
    sources = ["-x", "c++", str(source), "-x", "none", f"{directory}/c.o"]
    command = ["g++", "-std=c++14", *flags, *sources, "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    return ctypes.CDLL(str(target))


def on_the_host(library: ctypes.CDLL, module: LoadedModule, name: str, values: list[Any]) -> tuple[list[Any], Any]:
    """Results and statuses, states in front, of a model without run-time parameters."""
    function, real = module.functions[name], np.float32 if module.manifest["real"] == "float" else np.float64
    inputs = [np.ascontiguousarray(np.moveaxis(np.asarray(value, real), 0, -1)) for value in values]
    kinds = [np.intc if item.kind == "int" else real for item in function.outputs]
    outputs = [np.full((*item.shape, STATES), -7, kind) for item, kind in zip(function.outputs, kinds, strict=True)]
    statuses = np.full(STATES, -7, np.intc)
    arrays = [*inputs, *outputs, *[statuses] * bool(function.statuses)]
    call = getattr(library, f"{module.manifest['name']}_{name}_cuda")
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    assert call(ctypes.c_ssize_t(STATES), *pointers, None) == 0
    return [np.moveaxis(output, -1, 0) for output in outputs], statuses


def drawn(function: LoadedFunction, rng: np.random.Generator, q: Any) -> list[Any]:
    """Inputs of all states, coordinates near some."""
    centres = {"q": np.asarray(q, float)}
    return [centres.get(item.name, 0.6) + rng.uniform(-0.1, 0.1, (STATES, *item.shape)) for item in function.inputs]


def exported(model: Model | str, directory: Path, **options: Any) -> LoadedModule:
    mbsym.export(model, "cuda", directory, **options)
    return load_c(directory)


@pytest.mark.parametrize(
    ("model", "real", "functions"),
    [
        ("cart_pole", "double", ()),
        ("spinning_top", "float", ()),
        ("four_bar", "double", ("constrained_dynamics", "position_correction", "mass_matrix")),
    ],
)
def test_the_host_computes_what_the_c_computes(
    model: str, real: Any, functions: tuple[str, ...], tmp_path: Path
) -> None:
    module = exported(model, tmp_path, real=real, functions=functions, symbolic_parameters="none")
    library, rng = host_library(tmp_path, model), np.random.default_rng(3)
    tolerance = 1e-4 if real == "float" else 1e-10
    labelling = examples.load(model).label()
    start = initial_coordinates(build_mechanism(examples.load(model), labelling))
    for name, function in module.functions.items():
        values = drawn(function, rng, start)
        found, statuses = on_the_host(library, module, name, values)
        for k in range(STATES):
            expected, status = function.with_status(*(value[k] for value in values))
            one = expected if isinstance(expected, tuple) else (expected,)
            if function.statuses:
                assert statuses[k] == status, name
            for theirs, ours in zip(found, one, strict=True):
                # The compilers may fuse other products.
                assert np.allclose(theirs[k], ours, rtol=tolerance, atol=1e-6, equal_nan=True), name


def test_each_state_has_its_own_parameters_and_status(tmp_path: Path) -> None:
    module = exported("double_pendulum", tmp_path, functions=("mass_matrix",))
    library = host_library(tmp_path, "double_pendulum")
    names = [item["name"] for item in module.manifest["parameters"]]
    rng = np.random.default_rng(1)
    table = rng.uniform(0.5, 2, (STATES, len(names)))
    q = rng.uniform(-1, 1, (STATES, 2))
    columns, M = np.ascontiguousarray(q.T), np.zeros((2, 2, STATES))
    for stride in (0, 1):
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (table, columns, M)]
        library.double_pendulum_mass_matrix_cuda(
            ctypes.c_ssize_t(STATES), pointers[0], ctypes.c_ssize_t(stride), *pointers[1:], None
        )
        for k in range(STATES):
            given = dict(zip(names, table[k * stride], strict=True))
            assert np.allclose(M[..., k], module.functions["mass_matrix"](q[k], parameters=given), rtol=1e-13)


def test_statuses_are_told_state_by_state(tmp_path: Path) -> None:
    case = CASES["gimbal"]()
    module = exported(case.model, tmp_path, functions=("forward_dynamics",), symbolic_parameters="none")
    library = host_library(tmp_path, case.model.name)
    fine, lost = case.states[Status.OK], case.states[Status.SINGULAR]
    q = np.array([fine, lost, fine, np.full(len(fine), np.nan), lost])
    others = [np.full((STATES, *item.shape), 0.5) for item in module.functions["forward_dynamics"].inputs[1:]]
    (vdot,), statuses = on_the_host(library, module, "forward_dynamics", [q, *others])
    wanted = [Status.OK, Status.SINGULAR, Status.OK, Status.NOT_FINITE, Status.SINGULAR]
    assert statuses.tolist() == wanted
    assert np.isfinite(vdot).all(axis=1).tolist() == [status is Status.OK for status in wanted]


@pytest.mark.skipif(not runs("clang++"), reason="not checked without clang++ (Debian: clang)")
@pytest.mark.parametrize(("model", "real"), [("four_bar", "double"), ("cart_pole", "float")])
def test_clang_makes_kernels_of_it(model: str, real: Any, tmp_path: Path) -> None:
    """Assembly for a graphics processor, its library left open: each function is an entry."""
    module = exported(model, tmp_path, real=real)
    assert kernels(tmp_path, model).count(".entry ") == len(module.functions)


def kernels(directory: Path, name: str) -> str:
    """What clang writes for a graphics processor."""
    target, source = directory / "kernels.ptx", directory / f"{name}_cuda.cu"
    command = ["clang++", "-x", "cuda", "-D__CUDACC__", "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-nocudainc"]
    command += ["-nocudalib", "-Wno-unknown-cuda-version", "-std=c++14", "-isystem", str(STUBS)]
    command += ["-include", str(STUBS / "cuda_stub.h"), "-S", str(source), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    return target.read_text()


@pytest.mark.skipif(not runs("clang++"), reason="not checked without clang++ (Debian: clang)")
def test_tables_go_along(tmp_path: Path) -> None:
    """The host computes with them, and each array is one of the processor's."""
    given = tables()
    module = exported(slider(given), tmp_path, functions=("outputs",))
    x, v = np.array([[-3.0], [-0.66], [0.3], [1.99], [2.5]]), np.array([[-4.0], [0.1], [0.7], [3.9], [5.0]])
    (found,), _ = on_the_host(host_library(tmp_path, "curves"), module, "outputs", [x, v])
    np.testing.assert_allclose(found, module.functions["outputs"](x, v), rtol=1e-12, atol=1e-12)
    for place, table in enumerate(given):
        np.testing.assert_allclose(found[:, place], scipys(table, x[:, 0], v[:, 0]), rtol=1e-11, atol=1e-12)
    text = kernels(tmp_path, "curves")
    assert len(re.findall(r"\.(?:global|const) .*_valueE\[", text)) == sum(len(item.x) > 2 for item in given)


def test_what_it_has_not_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "cuda", "cart_pole", "-o", str(tmp_path), "--set", "threads=3"]) == 2
    assert "cuda has no setting 'threads'" in capsys.readouterr().err

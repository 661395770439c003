"""Functions for many states: each state as the function for one has it, wherever it lies in memory and however many."""

from __future__ import annotations

import ctypes
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mbsym
from mbsym import examples
from mbsym.codegen.build import compile_c
from mbsym.codegen.description import Real
from mbsym.codegen.load import LoadedModule, c_module
from mbsym.codegen.load_batch import CHECKED, batch_module
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.errors import DerivationError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mechanisms.examples import further, some
from mechanisms.generated_c import CLANG, GCC, LIKE_OTHERS, LONGEST, TOPOLOGIES, require, run

Array = NDArray[Any]
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
ELSEWHERE = {*LIKE_OTHERS, LONGEST, "stewart_platform", "quadruped", "cam_valve"}
MODELS = [name for name in examples.names() if name not in {*TOPOLOGIES, *ELSEWHERE}]
"""Bundled examples with equations, but for the longest, of which benchmarks and other tests here have some, and a cam,
whose certificate has them."""

OF_EACH_RUN = ("cart_pole", "double_pendulum", "five_bar", "four_bar", "slider_crank", "spinning_top")


def modules(directory: Path, model: Any, *flags: str, **options: Any) -> tuple[LoadedModule, LoadedModule, Any]:
    """Functions for one state and for many from one library, and the library."""
    options = {"functions": FUNCTIONS, **options}
    mbsym.generate(model, directory, languages=("c", "batch"), **options)
    manifest = read_manifest(directory)
    library = compile_c(directory, f"{manifest['name']}_batch", (*CHECKED, *flags), also=(manifest["name"],))
    return c_module(library, manifest), batch_module(library, manifest), library


def drawn(module: LoadedModule, name: str, *batch: int) -> list[Array]:
    """Arguments of a function, unit quaternions included."""
    rng = np.random.default_rng(3)
    arrays = []
    for item in module.functions[name].inputs:
        array = rng.uniform(-1, 1, (*batch, *item.shape))
        for start in item.quaternions:
            flat = array.reshape((*batch, -1))[..., start : start + 4]
            flat /= np.linalg.norm(flat, axis=-1, keepdims=True)
        arrays.append(array)
    return arrays


def compared(one: LoadedModule, many: LoadedModule, name: str, arguments: list[Array], epsilon: float) -> None:
    expected, status = one.functions[name].with_status(*arguments)
    found, statuses = many.functions[name].with_status(*arguments)
    np.testing.assert_array_equal(np.broadcast_to(status, statuses.shape), statuses)
    pairs = zip(*((item if isinstance(item, tuple) else (item,)) for item in (found, expected)), strict=True)
    for a, b in pairs:
        assert a.shape == b.shape
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
        # The same operations, but for sines and cosines, which differ in their last place, and solutions magnify that.
        size = np.nanmax(np.abs(b), initial=1.0)
        assert np.nanmax(np.abs(a - b), initial=0.0) <= 1e5 * epsilon * size


@pytest.mark.parametrize("model", some(MODELS, OF_EACH_RUN))
def test_every_bundled_model(model: str, tmp_path: Path) -> None:
    one, many, _ = modules(tmp_path, model, "-O0")
    for name in many.functions:
        compared(one, many, name, drawn(one, name, 13), float(np.finfo(np.float64).eps))


@pytest.mark.parametrize("real", ["double", *further("float")])
def test_every_number_of_states_and_lanes(real: Real, tmp_path: Path) -> None:
    epsilon = float(np.finfo(np.float32 if real == "float" else np.float64).eps)
    for lanes in (1, 2, 8):
        one, many, _ = modules(tmp_path, "double_pendulum", f"-Ddouble_pendulum_LANES={lanes}", "-O1", real=real)
        for name, count in product(many.functions, (0, 1, lanes - 1, lanes, lanes + 1, 37)):
            compared(one, many, name, drawn(one, name, count), epsilon)


@pytest.mark.parametrize(("lanes", "size"), [(4, 3), (4, 17), (8, 5), (8, 17), (16, 1), (16, 17)])
def test_rows_are_transposed_in_squares(lanes: int, size: int, tmp_path: Path) -> None:
    """Rows of fewer and of more numbers than lanes, with and without something between them."""
    bodies = [f"body_{k}" for k in range(size)]
    model = mbsym.Model(
        "rails",
        bodies=tuple(mbsym.Body(name, 1 + k, (0, 0, 0), (1, 1, 1, 0, 0, 0)) for k, name in enumerate(bodies)),
        joints=tuple(
            mbsym.Joint(f"rail_{k}", "prismatic", "ground", name, axis=(1, 0, 0)) for k, name in enumerate(bodies)
        ),
    )
    _, many, _ = modules(tmp_path, model, f"-Drails_LANES={lanes}", "-O1", functions=("inverse_dynamics",))
    function = many.functions["inverse_dynamics"]
    q, v, vdot = drawn(many, "inverse_dynamics", 2 * lanes + 3)
    expected = vdot * np.arange(1, size + 1)
    np.testing.assert_array_equal(np.asarray(function(q, v, vdot)), expected)
    apart = np.concatenate((vdot, np.full((len(vdot), 3), np.nan)), axis=1)[:, :size]
    np.testing.assert_array_equal(np.asarray(function(q, v, apart)), expected)


def test_arrays_as_they_lie_and_parameters_of_each_state(tmp_path: Path) -> None:
    one, many, _ = modules(tmp_path, "cart_pole")
    q, v, tau, t, u = drawn(one, "forward_dynamics", 5, 7)
    columns = [np.moveaxis(np.ascontiguousarray(np.moveaxis(array, -1, 0)), 0, -1) for array in (q, v, tau)]
    steps = [np.repeat(array, 2, axis=1)[:, ::2] for array in (q, v, tau)]
    backwards = [array[::-1, ::-1][::-1, ::-1] for array in (q, v, tau)]
    expected = one.functions["forward_dynamics"](q, v, tau, t, u)
    function = many.functions["forward_dynamics"]
    for first in (columns, steps, backwards):
        np.testing.assert_allclose(function(*first, t, u), expected, rtol=1e-12)
    some = (q, v, tau[0, 0], 0.0, u)
    np.testing.assert_allclose(function(*some), one.functions["forward_dynamics"](*some), rtol=1e-12)
    lengths = np.linspace(0.5, 1.0, 7)
    found = function.call((q, v, tau, t, u), {"l": lengths})  # type: ignore[dict-item]
    for k, length in enumerate(lengths):
        single = one.functions["forward_dynamics"](
            q[:, k], v[:, k], tau[:, k], t[:, k], u[:, k], parameters={"l": length}
        )
        np.testing.assert_allclose(found[:, k], single, rtol=1e-12)


def test_a_result_may_stand_where_an_argument_stands(tmp_path: Path) -> None:
    one, _, library = modules(tmp_path, "puma560", "-Dpuma560_LANES=8")
    q, v, tau = drawn(one, "forward_dynamics", 21)
    expected = one.functions["forward_dynamics"](q, v, tau)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (q, v, tau, tau)]
    call = library.handle.puma560_forward_dynamics_batch
    call.restype = None
    call(ctypes.c_ssize_t(21), *(x for pointer in pointers for x in (pointer, ctypes.c_void_p(None))))
    np.testing.assert_allclose(tau, expected, rtol=1e-10)


def test_one_bad_state_spoils_no_other(tmp_path: Path) -> None:
    """A spring of no length divides by it: that state has a status, its neighbours in the vector have results."""
    model = mbsym.Model(
        "bob",
        bodies=(mbsym.Body("mass", "1", (0, 0, 0), ("0.1", "0.1", "0.1", 0, 0, 0)),),
        joints=(mbsym.Joint("slide", "prismatic", "ground", "mass", axis=(1, 0, 0)),),
        forces=(mbsym.PointSpringDamper("spring", "ground", "mass", 40, 0.3, 0.6),),
    )
    one, many, _ = modules(tmp_path, model, functions=("inverse_dynamics",))
    q, v, vdot = drawn(one, "inverse_dynamics", 11)
    q[4] = 0.0
    v[7] = np.inf
    compared(one, many, "inverse_dynamics", [q, v, vdot], float(np.finfo(np.float64).eps))
    found, status = many.functions["inverse_dynamics"].with_status(q, v, vdot)
    assert status.nonzero()[0].tolist() == [4, 7]
    assert np.isnan(np.asarray(found)[[4, 7]]).all()


def test_threads_give_the_same_bits(tmp_path: Path) -> None:
    one, many, _ = modules(tmp_path / "one", "puma560", functions=("inverse_dynamics",))
    _, threads, _ = modules(tmp_path / "threads", "puma560", "-fopenmp", functions=("inverse_dynamics",))
    arguments = drawn(one, "inverse_dynamics", 1001)
    a, b = (np.asarray(module.functions["inverse_dynamics"](*arguments)) for module in (many, threads))
    assert a.tobytes() == b.tobytes()


def test_long_functions_in_parts_and_loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbsym.codegen.c.parts.LARGEST_WHOLE", 300)
    monkeypatch.setattr("mbsym.codegen.c.parts.PART_SIZE", 200)
    one, many, _ = modules(tmp_path, "space_robot", "-O0", functions=("inverse_dynamics", "mass_matrix"))
    assert "_lanes_part2(" in (tmp_path / "space_robot_batch.c").read_text()
    for name in many.functions:
        compared(one, many, name, drawn(one, name, 9), float(np.finfo(np.float64).eps))


@pytest.mark.parametrize(("tool", "real"), [("gcc", "double"), ("clang", "float")])
def test_compilers_say_nothing(tool: str, real: Real, tmp_path: Path) -> None:
    require(tool)
    for model in ("double_pendulum", "four_bar"):
        mbsym.generate(model, tmp_path, languages=("c", "batch"), functions=("forward_dynamics",), real=real)
        warnings = (CLANG if tool == "clang" else GCC)[real]
        for extra in ((), ("-mavx",), ("-fopenmp", "-mavx512f"), (f"-D{model}_LANES=1",)):
            command = (tool, "-std=c99", *warnings, "-Werror", "-Wno-psabi", "-O0", *extra, "-c", f"{model}_batch.c")
            done = run(*command, cwd=tmp_path)
            assert (done.returncode, done.stderr) == (0, ""), f"{command}\n{done.stderr[:2000]}"


def test_arguments_without_numbers_are_not_touched(tmp_path: Path) -> None:
    """A force over time without control inputs: u is empty, and no other argument is said to be unused."""
    text = "name: pushed\nbodies: {a: {mass: 1}}\njoints: {A: {type: prismatic, from: ground, to: a, axis: x}}\n"
    text += "forces: {f: {type: joint_force, joint: A, expression: sin(t)}}\n"
    pushed = read_native(TextSource("pushed.yaml", text))
    _, many, _ = modules(tmp_path, pushed, functions=("forward_dynamics",))
    t = np.array([0.3, 1.1])
    found = many.functions["forward_dynamics"](np.zeros((2, 1)), np.zeros((2, 1)), np.ones((2, 1)), t, np.zeros((2, 0)))
    np.testing.assert_allclose(np.asarray(found)[:, 0], 1 + np.sin(t), rtol=1e-14)
    opening = (tmp_path / "pushed_batch.c").read_text().split("void pushed_forward_dynamics_batch(")[1]
    assert [line.strip() for line in opening.splitlines() if "(void)" in line] == ["(void)u;", "(void)u_strides;"]


def test_the_certificate_covers_them(tmp_path: Path) -> None:
    mbsym.generate("cart_pole", tmp_path, functions=("mass_matrix", "forward_dynamics"), batch=("mass_matrix",))
    written = [tmp_path / f"cart_pole_batch.{suffix}" for suffix in "ch"]
    assert all("the licence of mbsym does not extend to it" in file.read_text(encoding="utf-8") for file in written)
    certificate = mbsym.verify(tmp_path, states=11)
    assert certificate.passed
    assert {check.function for check in certificate.checks if check.language == "batch"} == {"mass_matrix"}
    entries = {entry["name"]: entry for entry in read_manifest(tmp_path)["functions"]}
    assert entries["mass_matrix"]["batch"] == {"c_symbol": "cart_pole_mass_matrix_batch", "side_by_side": True}
    assert "batch" not in entries["forward_dynamics"]


@pytest.mark.parametrize(("model", "style", "expected"), [("four_bar", "auto", True), ("puma560", "shared", False)])
def test_the_manifest_says_what_runs_side_by_side(model: str, style: str, expected: bool, tmp_path: Path) -> None:
    """Closed loops do; what is made of shared steps does not."""
    mbsym.generate(model, tmp_path, languages=("batch",), functions=("forward_dynamics",), style=style)
    entries = {entry["name"]: entry.get("batch") for entry in read_manifest(tmp_path)["functions"]}
    assert entries["forward_dynamics"]["side_by_side"] is expected
    way = "Several states side by side." if expected else "State by state."
    assert f"forward_dynamics of many states. {way}" in (tmp_path / f"{model}_batch.h").read_text()


def test_unknown_functions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DerivationError, match="use all, mass_matrix"):
        mbsym.generate("cart_pole", tmp_path, functions=("mass_matrix",), batch=("forward_dynamics",))

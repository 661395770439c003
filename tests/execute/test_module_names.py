"""A module may be called like anything that occurs in it: an argument, a local variable, a table of the self-test."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbsym
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.module_names import IMPORTED_MODULES
from mbsym.errors import CodegenError
from mbsym.pipeline import GenerationOptions
from mechanisms.generated_c import require, run
from mechanisms.module_names import FLAGS, NEUTRAL, described, mixed_up, rivals, texts

INLINE = GenerationOptions(trigonometry="inline", batch=("all",), functions=("mass_matrix", "body_poses", "momentum"))
LOOPS = GenerationOptions(batch=("project_position",), functions=("project_position", "forward_dynamics"))
STEPS = GenerationOptions(formulation="transfer-matrix", batch=("all",))


@pytest.mark.parametrize(
    ("model", "options", "beside", "least"),
    [
        ("cart_pole", INLINE, ("self-test",), 5),
        ("four_bar", LOOPS, (), 2),
        ("double_pendulum", STEPS, (), 20),
    ],
)
def test_no_name_hides_another(model: str, options: GenerationOptions, beside: tuple[str, ...], least: int) -> None:
    description, mechanism = described(model, options)
    neutral = texts(description, mechanism, NEUTRAL, beside)
    names = rivals(neutral)
    assert len(names) >= least
    checked = 0
    for name in [*names[:: max(len(names) // 12, 1)], "own"]:
        try:
            named = texts(description, mechanism, name, beside)
        except CodegenError as error:
            assert "cannot be a prefix" in str(error)
            continue
        checked += 1
        assert mixed_up(neutral, named, name) == []
    assert checked >= 3


@pytest.mark.parametrize("name", ["q", "M", "momentum", "poses", "test", "out0", "expected"])
def test_it_compiles_and_is_right(name: str, tmp_path: Path) -> None:
    require("gcc", "clang")
    functions = ("mass_matrix", "body_poses", "momentum")
    mbsym.generate("double_pendulum", tmp_path, prefix=name, functions=functions, batch=("all",), self_test=True)
    for compiler in ("gcc", "clang"):
        done = run(compiler, *FLAGS, *(path.name for path in tmp_path.glob("*.c")), cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")


def test_loops_under_the_name_of_their_coordinates_are_right(tmp_path: Path) -> None:
    """Arguments of fixed texts, ``q_closed``, are called otherwise there, in both languages."""
    mbsym.generate("four_bar", tmp_path, prefix="q", functions=("project_position", "forward_dynamics"))
    assert "own_q_closed" in (tmp_path / "q.h").read_text()
    assert mbsym.verify(tmp_path, states=3).passed


def test_a_module_may_be_called_like_the_arguments_of_a_routine(tmp_path: Path) -> None:
    mbsym.generate("double_pendulum", tmp_path, prefix="displacement", formulation="transfer-matrix")
    assert mbsym.verify(tmp_path, states=3).passed


@pytest.mark.parametrize("name", ["double", "platform", "gamma", "far"])
def test_a_model_may_be_called_like_a_word_of_a_language(name: str, tmp_path: Path) -> None:
    from mbsym import examples

    text = examples.path("cart_pole").read_text(encoding="utf-8").replace("name: cart_pole", f"name: {name}", 1)
    (tmp_path / "model.yaml").write_text(text, encoding="utf-8")
    mbsym.generate(tmp_path / "model.yaml", tmp_path / "out", functions=("mass_matrix",))
    assert {path.stem for path in (tmp_path / "out").iterdir()} == {f"{name}_model"}


def test_names_are_no_keywords_of_some_compiler_and_no_modules_that_arrays_need() -> None:
    assert [Scope().claim(name) for name in ("near", "far", "nearer")] == ["near_", "far_", "nearer"]
    assert {"numpy", "platform", "types", "random"} <= IMPORTED_MODULES


def test_python_looks_for_no_module_of_a_name_that_one_may_have(tmp_path: Path) -> None:
    """NumPy in a process of its own, which imports modules that hide those of the library under their names."""
    import sys

    script = (
        "import sys, numpy, numpy.random, numpy.linalg\n"
        "own = {name.partition('.')[0] for name in sys.modules} & sys.stdlib_module_names\n"
        "print(*sorted(name for name in own if not name.startswith('_') and name not in sys.builtin_module_names))\n"
    )
    needed = set(run(sys.executable, "-I", "-c", script).stdout.split())
    assert needed and needed - IMPORTED_MODULES == set()


def test_methods_of_classes_call_functions_of_the_module(tmp_path: Path) -> None:
    """The function inverse_dynamics of the module ``actuated`` is not its method actuated_inverse_dynamics."""
    require("g++")
    mbsym.export("four_bar", "cpp", tmp_path, prefix="actuated")
    (tmp_path / "use.cpp").write_text('#include "actuated.hpp"\nint main() { return 0; }\n')
    flags = ("-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-fsyntax-only")
    done = run("g++", *flags, "use.cpp", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_temporaries_that_only_inline_angles_need_are_left_out(tmp_path: Path) -> None:
    require("gcc")
    options = {"formulation": "transfer-matrix", "batch": ("all",)}
    mbsym.generate("double_pendulum", tmp_path, **options)  # type: ignore[arg-type]
    done = run("gcc", *FLAGS, "double_pendulum_batch.c", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")

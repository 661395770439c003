"""Tables in generated code: SciPy's values and derivatives, within, at and beyond their ends, in every language."""

from __future__ import annotations

from pathlib import Path

import array_api_strict
import numpy as np
import pytest

import mbsym
from mbsym.codegen.build import compile_c
from mbsym.codegen.load import LoadedModule, c_module, load_c, load_numpy
from mbsym.codegen.load_batch import CHECKED, batch_module
from mbsym.codegen.manifest_reader import read_manifest
from mechanisms.curves import EVEN, UNEVEN, Array, scipys, slider, tables
from mechanisms.generated_c import CLANG, GCC, SANITIZED, Module, require, run
from mechanisms.javascript import javascript_module

ROUND_OFF = 1e-14
"""Of the largest value: SciPy rounds its coefficients, and so does the text."""
LANGUAGES = ("c", "lanes", "numpy", "javascript")


def states() -> tuple[Array, Array]:
    """Places and speeds: at random, at all points, at the ends, beside them and beyond them."""
    random = np.random.default_rng(1)
    ends = [-1.0, 2.0, np.nextafter(-1.0, -2), np.nextafter(2.0, 3), -4.0, 7.5]
    x = np.concatenate([random.uniform(-1, 2, 400), random.uniform(-3, 4, 100), EVEN, UNEVEN, ends])
    return x, random.uniform(-5, 6, len(x))


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("curves")
    languages = ("c", "numpy", "javascript", "batch")
    by_place = (("outputs", ("q",)),)
    mbsym.generate(slider(tables()), found, languages=languages, functions=("outputs",), derivatives=by_place)
    return found


@pytest.fixture(scope="module")
def loaded(directory: Path) -> dict[str, LoadedModule]:
    manifest = read_manifest(directory)
    library = compile_c(directory, "curves_batch", CHECKED, also=("curves",))
    return {
        "c": c_module(library, manifest),
        "lanes": batch_module(library, manifest),
        "numpy": load_numpy(directory / "curves.py"),
        "javascript": javascript_module(directory, manifest),
    }


def compared(module: LoadedModule, round_off: float) -> None:
    """Values, and slopes between points, where those of straight lines jump."""
    x, v = states()
    values = np.asarray(module.functions["outputs"](x[:, None], v[:, None]))
    slopes = np.asarray(module.functions["outputs_by_q"](x[:, None], v[:, None])).reshape(values.shape)
    between = ~np.isin(x, (*EVEN, *UNEVEN))
    for place, table in enumerate(tables()):
        expected = scipys(table, x, v)
        allowed = round_off * np.abs(expected).max()
        np.testing.assert_allclose(values[:, place], expected, rtol=0, atol=allowed, err_msg=str(table))
        if not table.z:
            slope = scipys(table, x, v, 1)
            allowed = round_off * np.abs(slope).max()
            np.testing.assert_allclose(slopes[between, place], slope[between], rtol=0, atol=allowed, err_msg=str(table))


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_and_slopes_are_scipys(loaded: dict[str, LoadedModule], language: str) -> None:
    compared(loaded[language], ROUND_OFF)


def test_in_single_precision(tmp_path: Path) -> None:
    by_place = (("outputs", ("q",)),)
    mbsym.generate(slider(tables()), tmp_path, real="float", functions=("outputs",), derivatives=by_place)
    x, v = states()
    x, v = x.astype(np.float32), v.astype(np.float32)
    for module in (load_c(tmp_path, "curves"), load_numpy(tmp_path / "curves.py")):
        found = np.asarray(module.functions["outputs"](x[:, None], v[:, None]))
        for place, table in enumerate(tables()):
            expected = scipys(table, x.astype(float), v.astype(float))
            np.testing.assert_allclose(found[:, place], expected, rtol=0, atol=3e-6 * np.abs(expected).max())


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_no_number_gives_none_and_infinity_an_end(loaded: dict[str, LoadedModule], language: str) -> None:
    x, v = np.array([np.nan, np.inf, -np.inf, 0.3]), np.array([0.0, 0.0, 0.0, np.nan])
    with np.errstate(all="ignore"):
        found = np.asarray(loaded[language].functions["outputs"](x[:, None], v[:, None]))
    for place, table in enumerate(tables()):
        assert np.isnan(found[0, place])
        assert np.isnan(found[3, place]) == bool(table.z)
        if table.outside == "hold":
            ends = scipys(table, np.array([2.0, -1.0]), v[1:3])
            np.testing.assert_allclose(found[1:3, place], ends, rtol=0, atol=ROUND_OFF * 3)


def test_one_state_at_a_time_in_python(loaded: dict[str, LoadedModule]) -> None:
    x, v = states()
    outputs = loaded["numpy"].functions["outputs"]
    many = outputs(x[:, None], v[:, None])
    assert np.array_equal([outputs([a], [b]) for a, b in zip(x[::9], v[::9], strict=True)], many[::9])


def test_arrays_of_other_libraries(loaded: dict[str, LoadedModule], directory: Path) -> None:
    scene: dict[str, object] = {"__name__": "curves"}
    exec(compile((directory / "curves.py").read_text(), "curves.py", "exec"), scene)
    x, v = states()
    outputs = scene["outputs"]
    assert callable(outputs)
    found = outputs(array_api_strict.asarray(x[:, None]), array_api_strict.asarray(v[:, None]))
    assert type(found) is type(array_api_strict.asarray(x))
    expected = loaded["numpy"].functions["outputs"](x[:, None], v[:, None])
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-14, atol=1e-14)


PROGRAM = """
#include <math.h>
#include "curves.h"
int main(void)
{
    const double states[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, -1.0, 2.0, 0.1};
    double y[COUNT], sum = 0.0;
    for (int k = 0; k < 64; ++k) {
        const double *q = &states[k % 8], *v = &states[k / 8];
        curves_outputs(q, v, y);
        sum += isnan(y[k % COUNT]) ? 0.0 : 1.0;
    }
    return sum > 0.0 ? 0 : 1;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_compilers_say_nothing(directory: Path, compiler: str) -> None:
    require(compiler)
    module = Module(directory / "curves.c", read_manifest(directory))
    module.compiled(compiler, "-std=c99", *{"gcc": GCC, "clang": CLANG}[compiler]["double"])


def test_no_argument_reads_beside_the_arrays(directory: Path, tmp_path: Path) -> None:
    """Run where the compiler watches what is read and converted."""
    require("gcc")
    (tmp_path / "main.c").write_text(PROGRAM)
    program = str(tmp_path / "main")
    sources = (str(tmp_path / "main.c"), str(directory / "curves.c"))
    given = (f"-DCOUNT={len(tables())}", f"-I{directory}", *sources, "-lm")
    done = run("gcc", "-std=c99", *SANITIZED, *given, "-o", program)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    done = run(program)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_numbers_stand_once_in_a_text(directory: Path) -> None:
    """Where a piece starts is read by the search and by what follows it, from one array."""
    for name in ("curves.c", "curves.py", "curves.mjs", "curves_batch.c"):
        text = (directory / name).read_text()
        uneven = next(table.name for table in tables() if table.x == UNEVEN)
        assert text.count("-0.7, -0.65, 0.2, 0.9") == sum(table.x == UNEVEN for table in tables())
        assert f"{uneven}_start" in text

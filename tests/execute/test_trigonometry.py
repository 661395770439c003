"""Sines and cosines inline: below one unit in the last place, as the library beyond, side by side in vectors."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mbsym
from mbsym.codegen.build import WARNINGS, compile_c, find_compiler
from mbsym.codegen.c.trigonometry import in_front, sincos_text
from mbsym.codegen.description import Real, Trigonometry
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.load import load_c
from mbsym.codegen.lower import lower
from mbsym.errors import CodegenError
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import cos, sin, sqrt, symbol
from mechanisms.examples import further
from mechanisms.generated_c import require, run

Array = NDArray[Any]
NEAR = {"double": 1e5, "float": 1e3}
TYPES = {"double": np.float64, "float": np.float32}


def source(directory: Path, real: Real, trigonometry: Trigonometry = "auto") -> Path:
    """A library with the function alone, for any number of angles."""
    headers = "".join(f"#include <{name}.h>\n" for name in ("float", "math", "stdint", "string"))
    text = sincos_text(real, trigonometry, "x_")
    caller = "void call(int count, const x_real *angle, x_real *sine, x_real *cosine);\n" + (
        "void call(int count, const x_real *angle, x_real *sine, x_real *cosine)\n{\n"
        "    for (int i = 0; i < count; i += 4) {\n"
        "        x_angles four[4 / x_ABREAST];\n"
        "        (void)memcpy(four, angle + i, sizeof four);\n"
        "        x_sincos(4, four, sine + i, cosine + i);\n"
        "    }\n}\n"
    )
    path = directory / f"{real}.c"
    path.write_text(f"{headers}typedef {real} x_real;\n{text}\n{caller}")
    return path


def sines(
    directory: Path,
    real: Real,
    angles: Array,
    flags: tuple[str, ...] = ("-O2",),
    trigonometry: Trigonometry = "auto",
) -> tuple[Array, Array]:
    """Sines and cosines as the generated text computes them."""
    library = compile_c(source(directory, real, trigonometry).parent, real, (*WARNINGS, *flags))
    count = -(-len(angles) // 4) * 4
    given, sine, cosine = (np.zeros(count, dtype=TYPES[real]) for _ in range(3))
    given[: len(angles)] = angles
    library.handle.call(count, *(ctypes.c_void_p(array.ctypes.data) for array in (given, sine, cosine)))
    return sine[: len(angles)], cosine[: len(angles)]


def sample(real: Real) -> Array:
    """Angles of all sizes within the loop's range, and those next to multiples of a quarter of pi."""
    rng = np.random.default_rng(0)
    ends = [rng.uniform(-size, size, 10_000) for size in (1.0, 7.0, 100.0, NEAR[real])]
    sizes = np.exp2(rng.uniform(-60, np.log2(NEAR[real]), 20_000)) * rng.choice([-1, 1], 20_000)
    eighths = (np.arange(-20_000, 20_000) * (np.longdouble(np.pi) / 4)).astype(TYPES[real])
    close = [eighths, np.nextafter(eighths, TYPES[real](0)), np.nextafter(eighths, TYPES[real](np.inf))]
    angles = np.concatenate([*ends, sizes, *close]).astype(TYPES[real])
    return angles[np.abs(angles) < NEAR[real]]


def units(found: Array, exact: Array) -> float:
    """Largest departure in units in the last place of the exact value rounded towards zero."""
    nearest = np.abs(exact).astype(found.dtype)
    unit = np.maximum(nearest - np.nextafter(nearest, found.dtype.type(0)), np.finfo(found.dtype).smallest_subnormal)
    return float(np.max(np.abs(found.astype(np.longdouble) - exact) / unit))


@pytest.mark.parametrize("real", ["double", "float"])
def test_they_are_below_one_unit_in_the_last_place(real: Real, tmp_path: Path) -> None:
    if np.finfo(np.longdouble).nmant < 63:
        pytest.skip("long doubles are doubles here, so that there is nothing to compare with")
    angles = sample(real)
    assert len(angles) > 50_000
    sine, cosine = sines(tmp_path, real, angles, trigonometry="inline")
    wide = angles.astype(np.longdouble)
    assert units(sine, np.sin(wide)) < 1
    assert units(cosine, np.cos(wide)) < 1
    assert max(units(sine, np.sin(wide)), units(cosine, np.cos(wide))) > 0.5  # it has been measured
    for abreast in (1, 2, 4):  # a vector that the processor lacks is made of shorter ones
        again = sines(tmp_path, real, angles, ("-O2", "-ffp-contract=off", f"-Dx_ABREAST={abreast}"), "inline")
        assert (again[0] == sine).all() and (again[1] == cosine).all()


@pytest.mark.parametrize("flags", [(), ("-Dx_ABREAST=1",)])
@pytest.mark.parametrize("real", ["double", "float"])
def test_what_is_far_or_no_number_is_as_the_library_has_it(real: Real, flags: tuple[str, ...], tmp_path: Path) -> None:
    """With vectors and without."""
    own, flags = TYPES[real], ("-O2", *flags)
    angles = np.array([np.nan, np.inf, -np.inf, NEAR[real], 1e22, -3e38, 0.0, -0.0, 5e-324, 1.0], dtype=own)
    sine, cosine = sines(tmp_path, real, angles, flags)
    with np.errstate(invalid="ignore"):
        # Within one unit, as both are.
        np.testing.assert_allclose(sine, np.sin(angles.astype(np.float64)), rtol=2 * np.finfo(own).eps)
        np.testing.assert_allclose(cosine, np.cos(angles.astype(np.float64)), rtol=2 * np.finfo(own).eps)
    assert np.isnan(sine[:3]).all() and np.isnan(cosine[:3]).all()
    assert list(np.signbit(sine[6:8])) == [False, True]
    # One of them alone, wherever it stands in a vector.
    for place in range(4):
        angles = np.full(4, 0.5, dtype=own)
        angles[place] = 1e20
        sine, cosine = sines(tmp_path, real, angles, flags)
        wide = angles.astype(np.float64)
        np.testing.assert_allclose([sine, cosine], [np.sin(wide), np.cos(wide)], rtol=2 * np.finfo(own).eps)


@pytest.mark.parametrize("flag", ["-ffast-math", "-funsafe-math-optimizations"])
def test_fast_mathematics_leaves_it_to_the_library(flag: str, tmp_path: Path) -> None:
    """There the sum that rounds to whole quarters would be simplified away."""
    angles = sample("double")
    # A library that is linked with the option as well would flush small numbers to zero in all of this process.
    (compiler, *_), path, library = find_compiler(), source(tmp_path, "double"), tmp_path / "fast.so"
    assert run(compiler, "-std=c99", "-O2", flag, "-fPIC", "-c", str(path), cwd=tmp_path).returncode == 0
    assert run(compiler, "-shared", "double.o", "-o", str(library), "-lm", cwd=tmp_path).returncode == 0
    angles = angles[: len(angles) // 4 * 4]
    sine, cosine = np.zeros(len(angles)), np.zeros(len(angles))
    call = ctypes.CDLL(str(library)).call
    call(len(angles), *(ctypes.c_void_p(array.ctypes.data) for array in (angles, sine, cosine)))
    assert np.max(np.abs(sine - np.sin(angles))) < 1e-15
    assert np.float64(2.3e-308) / 4 > 0


ROUNDING = {"double": (0, 1, 16, 32, 64), "float": (0, 16, 32)}
"""Methods of evaluation, C23 5.2.4.2.2 and annex H.3, under which each operation on the type rounds to it."""


def is_own(directory: Path, real: Real, *flags: str) -> bool:
    """Whether the text computes sines itself, and not the library, after the preprocessor has seen it."""
    told = run("gcc", *flags, "-E", "-P", f"{real}.c", cwd=directory)
    assert (told.returncode, told.stderr) == (0, "") and told.stdout.count(" x_sincos(int count") == 1
    return f" bound = {'1e5' if real == 'double' else '1e3f'};" in told.stdout


@pytest.mark.parametrize("method", [-1, 0, 1, 2, 16, 32, 64, 128])
@pytest.mark.parametrize("real", ["double", "float"])
def test_the_way_of_rounding_decides_on_the_loop(real: Real, method: int, tmp_path: Path) -> None:
    """16 is what GCC's GNU modes say on processors with half precision; it is as good as 0."""
    require("gcc")
    path = source(tmp_path, real)
    path.write_text(path.read_text().replace("#include <float.h>\n", ""))
    vectors = "-Dx_ABREAST=4"
    assert is_own(tmp_path, real, vectors, f"-DFLT_EVAL_METHOD={method}") == (method in ROUNDING[real])
    assert not is_own(tmp_path, real, vectors, "-DFLT_EVAL_METHOD=0", "-D__FAST_MATH__")
    assert not is_own(tmp_path, real, "-Dx_ABREAST=1", "-DFLT_EVAL_METHOD=0")
    assert is_own(tmp_path, real, "-Dx_ABREAST=1", "-DFLT_EVAL_METHOD=0", "-Dx_INLINE")


@pytest.mark.parametrize("standard", ["c99", "gnu99", "gnu11", "c2x"])
@pytest.mark.parametrize("real", ["double", "float"])
def test_processors_with_half_precision_have_it(real: Real, standard: str, tmp_path: Path) -> None:
    require("gcc")
    source(tmp_path, real)
    flags = (f"-std={standard}", "-march=sapphirerapids")
    if run("gcc", *flags, "-E", "-x", "c", "/dev/null").returncode:
        pytest.skip("this compiler knows no processor with AVX512-FP16")
    assert is_own(tmp_path, real, *flags)


@pytest.mark.parametrize("real", ["double", "float"])
def test_the_headers_say_where_the_library_computes_them(real: Real, tmp_path: Path) -> None:
    mbsym.generate("cart_pole", tmp_path, languages=("c", "batch"), trigonometry="inline", batch=("all",), real=real)
    for name in ("cart_pole.h", "cart_pole_batch.h"):
        text = " ".join((tmp_path / name).read_text().replace("\n *", " ").split())
        assert f"where FLT_EVAL_METHOD rounds each step to {real}; elsewhere, and with -ffast-math, the library" in text


def test_angles_are_handed_over_in_vectors(tmp_path: Path) -> None:
    """A vector that is loaded from an array which single stores have just filled waits for all that came before."""
    require("gcc")
    mbsym.generate("puma560", tmp_path, languages=("c",), functions=("inverse_dynamics",), trigonometry="inline")
    text = (tmp_path / "puma560.c").read_text()
    assert re.search(r"puma560_angles angle\[\d+ / puma560_ABREAST\] = \{puma560_FOUR\(q\[\d\], q\[\d\], ", text)
    told = run("gcc", "-std=c99", "-O2", "-dM", "-E", "puma560.c", cwd=tmp_path).stdout
    if "__x86_64__" in told:
        assert "#define puma560_ABREAST 2" in told
        assembly = run("gcc", "-std=c99", "-O2", "-S", "-o", "-", "puma560.c", cwd=tmp_path).stdout
        assert len(re.findall(r"\bmulpd\b", assembly)) > 10


@pytest.mark.parametrize("real", ["double", "float"])
def test_compilers_without_vectors_ask_the_library(real: Real, tmp_path: Path) -> None:
    """By default the text decides by the compiler's macros."""
    require("gcc")
    mbsym.generate("puma560", tmp_path, languages=("c",), functions=("gravity_force",), real=real)
    header = " ".join((tmp_path / "puma560.h").read_text().replace("\n *", " ").split())
    assert "computed here where the compiler has vectors and FLT_EVAL_METHOD" in header
    vectors = ("__SSE2__", "__AVX__", "__ARM_NEON", "__aarch64__")
    told = [
        run("gcc", "-std=c99", *flags, "-E", "puma560.c", cwd=tmp_path) for flags in ((), [f"-U{x}" for x in vectors])
    ]
    assert [each.returncode for each in told] == [0, 0]
    has_vectors = any(f"#define {name} " in run("gcc", "-dM", "-E", "-x", "c", "/dev/null").stdout for name in vectors)
    assert [" bound = 1e" in each.stdout for each in told] == [has_vectors, False]
    assert "vector_size" not in told[1].stdout


def program(angle: str) -> Program:
    """sin and cos of something that follows from q, and of q itself."""
    graph = Graph()
    q = [symbol(graph, f"q{k}") for k in range(2)]
    inner = {"sum": q[0] + q[1], "root": sqrt(q[0] * q[0] + 1), "nested": sin(q[0])}[angle]
    value = sin(inner) * cos(inner) + cos(q[0])
    return Program("f", graph, (Input("q", (2,), tuple(x.ref for x in q)),), (Output("y", (), (value.ref,)),))


@pytest.mark.parametrize(("angle", "count", "left"), [("sum", 2, ()), ("root", 1, ("cos", "sin")), ("nested", 1, ())])
def test_what_follows_from_arguments_stands_in_front(angle: str, count: int, left: tuple[str, ...]) -> None:
    body = lower(program(angle), {"q": "q", "y": "y"}, {})
    front = in_front(body, Scope(("q", "y")))
    assert len(front.angles) == count
    assert set(left) <= set(front.body.calls)


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("model", ["puma560", "four_bar", *further("quadruped")])
def test_functions_are_the_same(model: str, real: Real, tmp_path: Path) -> None:
    found = []
    rng = np.random.default_rng(1)
    functions = ("mass_matrix", "inverse_dynamics", "gravity_force")
    ways: tuple[Trigonometry, ...] = ("libm", "inline", "auto")
    for way in ways:
        mbsym.generate(model, tmp_path / way, languages=("c",), functions=functions, real=real, trigonometry=way)
        found.append(load_c(tmp_path / way))
    text = next((tmp_path / "auto").glob("*.c")).read_text()
    # Those of the loop, for what is far, and those of the library where there are no vectors.
    assert len(re.findall(r"\b(?:sin|cos)f?\(", text)) == 4
    assert [module.manifest.get("trigonometry") for module in found] == ["libm", "inline", None]
    epsilon = np.finfo(TYPES[real]).eps
    for name in functions:
        function = found[0].functions[name]
        arguments = [rng.normal(size=(20, *item.shape)) for item in function.inputs]
        a, b, c = (np.asarray(module.functions[name](*arguments)) for module in found)
        # Both differ from exact arithmetic by rounding alone, in some hundred operations.
        assert np.max(np.abs(a - b)) < 500 * epsilon * np.max(np.abs(a))
        assert np.max(np.abs(a - c)) < 500 * epsilon * np.max(np.abs(a))


def test_parts_of_long_functions_read_the_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbsym.codegen.c.parts.LARGEST_WHOLE", 100)
    monkeypatch.setattr("mbsym.codegen.c.parts.PART_SIZE", 80)
    q = np.linspace(-1, 1, 6)
    results = []
    for way in ("libm", "inline"):
        mbsym.generate(
            "puma560", tmp_path / way, languages=("c",), functions=("mass_matrix",), trigonometry=way,
            symbolic_parameters="all",
        )  # fmt: skip
        assert "_part2(" in (tmp_path / way / "puma560.c").read_text()
        results.append(np.asarray(load_c(tmp_path / way).functions["mass_matrix"](q)))
    np.testing.assert_allclose(results[1], results[0], rtol=0, atol=1e-13)


def test_unknown_ways_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CodegenError, match="use auto, libm, inline or argument"):
        mbsym.generate("cart_pole", tmp_path, trigonometry="fast")


def test_an_angle_that_follows_from_another_leaves_nothing_behind(tmp_path: Path) -> None:
    """What only the angle of a coupled joint reads stands in front; left in the body it would be an unused variable."""
    bodies = tuple(mbsym.Body(name, 1, (0.1, 0, 0), (1, 1, 1)) for name in ("a", "b"))
    joints = mbsym.Joint("j", "revolute", "ground", "a"), mbsym.Joint("k", "revolute", "a", "b", axis="x")
    model = mbsym.Model("geared", bodies, joints, couplings=(mbsym.Coupling("k", "j", 2),))
    mbsym.generate(model, tmp_path, languages=("c",), functions=("body_poses",), trigonometry="argument")
    module = load_c(tmp_path)
    found: Any = module.functions["sines_cosines"]([0.2])
    assert sorted(found[:, 0]) == pytest.approx(np.sin([0.2, 0.4]), rel=1e-15)

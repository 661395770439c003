"""Generated modules in programs: what does not fit together does not link, what is told apart does, in C and in C++."""

from __future__ import annotations

import json
import subprocess
from itertools import product
from pathlib import Path

import pytest

import mbsym
from mbsym.codegen.build import WARNINGS, find_compiler, runs
from mbsym.codegen.description import ModuleDescription, Real
from mbsym.codegen.interface import render
from mbsym.codegen.load import load_c, load_numpy, read_manifest
from mbsym.errors import CodegenError
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program

FUNCTIONS = ("mass_matrix", "forward_dynamics")

CPP = pytest.param(".cpp", marks=pytest.mark.skipif(not runs("g++"), reason="checked where there is a C++ compiler"))


def object_of(source: Path) -> Path:
    """The source compiled, by its language."""
    made = source.with_suffix(".o")
    plus = source.suffix == ".cpp"
    command = (
        ["g++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"] if plus else [*find_compiler(), *WARNINGS]
    )
    subprocess.run([*command, "-c", str(source), "-o", str(made)], check=True)
    return made


def link(*objects: Path) -> subprocess.CompletedProcess[str]:
    """What the linker says; the program is ``a`` beside the first object."""
    command = [*find_compiler(), *map(str, objects), "-o", str(objects[0].parent / "a"), "-lm"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[Real, Path]:
    """Directories of one model in both precisions, with objects."""
    found: dict[Real, Path] = {}
    for real in ("double", "float"):
        found[real] = tmp_path_factory.mktemp(real)
        mbsym.generate("cart_pole", found[real], languages=("c",), functions=FUNCTIONS, real=real)
        object_of(found[real] / "cart_pole.c")
    return found


USER = """#include "{header}"
int main(void) {{
    cart_pole_parameters parameters = cart_pole_default_parameters;
    const cart_pole_real q[cart_pole_NQ] = {{0, 0}};
    cart_pole_real M[4];
    cart_pole_mass_matrix(&parameters, q, M);
    return M[1] > 0.05 && M[1] < 0.07 ? 0 : 1;
}}
"""


@pytest.mark.parametrize("suffix", [".c", CPP])
@pytest.mark.parametrize(("header", "compiled"), [*product(("double", "float"), repeat=2)])
def test_a_header_links_with_an_object_of_its_precision_only(
    built: dict[Real, Path], tmp_path: Path, header: Real, compiled: Real, suffix: str
) -> None:
    user = tmp_path / f"user{suffix}"
    user.write_text(USER.format(header=built[header] / "cart_pole.h"))
    done = link(object_of(user), built[compiled] / "cart_pole.o")
    if header == compiled:
        assert done.returncode == 0, done.stderr
        subprocess.run([tmp_path / "a"], check=True)
    else:
        assert done.returncode != 0
        symbol = "cart_pole_mass_matrix_float" if header == "float" else "cart_pole_mass_matrix"
        assert f"undefined reference to `{symbol}'" in done.stderr


def test_double_symbols_are_those_of_sources() -> None:
    assert symbols("double") == ["m_a", "m_a_float"]


def test_symbols_of_single_precision_say_so_and_stay_apart() -> None:
    assert symbols("float") == ["m_a_float_2", "m_a_float_float"]


def symbols(real: Real) -> list[str]:
    """Linked symbols of functions ``a`` and ``a_float``."""
    graph = Graph()
    x = graph.symbol("x")
    arguments = graph, (Input("x", (), (x,)),), (Output("y", (), (x,)),)
    names = ("a", "a_float")
    *_, file = render(ModuleDescription("m", tuple(Program(name, *arguments) for name in names), real=real))
    return [entry["c_symbol"] for entry in json.loads(file.text)["functions"]]


READER = """#include "{header}"
int main(void) {{ return cart_pole_interface[0] == 0; }}
"""


@pytest.mark.parametrize("suffix", [".c", CPP])
def test_what_reads_the_interface_links_with_its_own_generation_only(tmp_path: Path, suffix: str) -> None:
    objects, users = [], []
    for symbolic in ("all", "none"):
        mbsym.generate(
            "cart_pole", tmp_path / symbolic, languages=("c",), functions=FUNCTIONS, symbolic_parameters=symbolic
        )
        objects.append(object_of(tmp_path / symbolic / "cart_pole.c"))
        users.append(tmp_path / f"{symbolic}{suffix}")
        users[-1].write_text(READER.format(header=objects[-1].with_name("cart_pole.h")))
    for user, made in product(users, objects):
        done = link(object_of(user), made)
        assert (done.returncode == 0) == (user.stem == made.parent.name)
        assert done.returncode == 0 or "undefined reference to `cart_pole_interface_" in done.stderr


# ---- prefixes --------------------------------------------------------------------------------------------------------

TOGETHER = """#include "cart_pole.h"
#include "cart_pole_f32.h"
#include "pendulum.h"
#include "double_pendulum.h"
static int near(double a, double b) { return a - b < 1e-6 && b - a < 1e-6; }
int main(void) {
    cart_pole_parameters parameters = cart_pole_default_parameters;
    cart_pole_f32_parameters single = cart_pole_f32_default_parameters;
    const cart_pole_real q[cart_pole_NQ] = {0.1, 0.2};
    const cart_pole_f32_real q_single[cart_pole_f32_NQ] = {0.1f, 0.2f};
    cart_pole_real M[4];
    cart_pole_f32_real M_single[4];
    double_pendulum_real A[4];
    pendulum_real B[4];
    cart_pole_mass_matrix(&parameters, q, M);
    cart_pole_f32_mass_matrix(&single, q_single, M_single);
    double_pendulum_mass_matrix(q, A);
    pendulum_mass_matrix(q, B);
    return sizeof M == 2 * sizeof M_single && near(M[1], (double)M_single[1]) && near(A[1], B[1]) ? 0 : 1;
}
"""


@pytest.mark.parametrize("suffix", [".c", CPP])
def test_two_precisions_and_two_models_in_one_program(tmp_path: Path, suffix: str) -> None:
    mbsym.generate("cart_pole", tmp_path, languages=("c",), functions=FUNCTIONS)
    mbsym.generate("cart_pole", tmp_path, languages=("c",), functions=FUNCTIONS, real="float", prefix="cart_pole_f32")
    for prefix in ("", "pendulum"):
        mbsym.generate(
            "double_pendulum",
            tmp_path,
            languages=("c",),
            functions=("mass_matrix",),
            prefix=prefix,
            symbolic_parameters="none",
        )
    sources = sorted(tmp_path.glob("*.c"))
    assert [path.stem for path in sources] == ["cart_pole", "cart_pole_f32", "double_pendulum", "pendulum"]
    with pytest.raises(CodegenError, match="4 manifests; name the manifest"):
        mbsym.verify(tmp_path)
    assert mbsym.verify(tmp_path / "cart_pole_f32.json", states=2).name == "cart_pole_f32"
    user = tmp_path / f"user{suffix}"
    user.write_text(TOGETHER)
    done = link(*map(object_of, [user, *sources]))
    assert done.returncode == 0, done.stderr
    subprocess.run([tmp_path / "a"], check=True)


@pytest.mark.more
def test_a_prefix_is_on_all_that_a_module_calls_its_own(tmp_path: Path) -> None:
    mbsym.generate("four_bar", tmp_path, prefix="leg", symbolic_parameters="all")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["leg.c", "leg.h", "leg.json", "leg.py"]
    for name in ("leg.c", "leg.h"):
        lines = (tmp_path / name).read_text().splitlines()
        assert not [line for line in lines if "four_bar" in line and not line.startswith(" * four_bar: model sha256")]
    manifest = read_manifest(tmp_path)
    assert (manifest["name"], manifest["names"]["module"]) == ("leg", {"four_bar": "leg"})
    assert all(entry["c_symbol"] == f"leg_{entry['name']}" for entry in manifest["functions"])
    assert load_c(tmp_path).functions.keys() == load_numpy(tmp_path / "leg.py").functions.keys()
    assert mbsym.verify(tmp_path, states=2).passed


@pytest.mark.parametrize(
    "prefix", ["9", "a-b", "a__b", "a_", "_a", "int", "numpy", "sin", "ä", "a b", "../a", "x" * 61]
)
def test_a_prefix_that_is_no_free_identifier_is_refused(tmp_path: Path, prefix: str) -> None:
    with pytest.raises(CodegenError, match="cannot be a prefix"):
        mbsym.generate("double_pendulum", tmp_path / "out", prefix=prefix)
    assert not (tmp_path / "out").exists()

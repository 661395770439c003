"""What holds of all generated C: no warning, no double in single precision, no mutable data, no undefined behaviour.

Gates that need a program which is missing are skipped with its name, or fail where MBSYM_GATES is "required".
``tests/benchmarks/generated_c_gates.py`` runs the same with more compilers, levels and models, among them the longest
bundled example; the Stewart platform, whose functions are written in parts too, stands for it here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import files
from itertools import product
from pathlib import Path
from tempfile import mkdtemp

import pytest

from mbsym.codegen.description import Real
from mechanisms.examples import further, some
from mechanisms.generated_c import (
    ALL_CALLS,
    CASES,
    CLANG,
    FLOAT_IMPORTS,
    GCC,
    IMPORTS,
    LONGEST,
    SANITIZED,
    THREADS,
    Case,
    Module,
    caller,
    lacking,
    require,
    run,
    symbols,
)

Make = Callable[[Case, Real], Module]

SMALL = [case for case in CASES if case.model not in (LONGEST, "stewart_platform")]
SHORT = [case for case in CASES if case.model != LONGEST]
FEW = [
    case for case in CASES if case.model in ("cart_pole", "double_pendulum", "four_bar", "spinning_top", "slider_crank")
]
"""Of each run: of every joint and function that the others have too, trees and loops, stepping, parameters, inline."""

ROBOTS = (
    "a1_description/urdf/a1.urdf",
    "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "double_pendulum_description/urdf/double_pendulum.urdf",
    "finger_edu_description/robots/finger_edu.urdf",
    "iris_description/robots/iris_simple.urdf",
    "kinova_description/robots/kinova.urdf",
    "panda_description/urdf/panda.urdf",
    "solo_description/robots/solo12.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "z1_description/urdf/z1.urdf",
)


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Modules, each generated once, also where several processes run the tests."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "generated-c"
    shared.mkdir(exist_ok=True)

    def generated(case: Case, real: Real) -> Module:
        place = shared / f"{case}-{real}"
        if not place.is_dir():
            scratch = tmp_path_factory.mktemp("module")
            case.module(scratch, real)
            with suppress(OSError):  # another process was first
                scratch.rename(place)
        return Module.in_directory(place)

    return generated


# ---- compilers -------------------------------------------------------------------------------------------------------


def complaints(module: Module, made: Path, nm: str = "nm") -> list[str]:
    """What is wrong with the symbols of an object file."""
    real, found = module.manifest["real"], symbols(made, nm)
    external = {name for name, kind in found.items() if kind.isupper() and kind != "U"}
    own = {entry["c_symbol"] for entry in module.manifest["functions"]}
    external -= {
        name for name in external if re.fullmatch(rf"{module.manifest['name']}_interface_[0-9a-f]{{16}}", name)
    }
    mutable = {name for name, kind in found.items() if kind.lower() in "dbcsgv"}
    foreign = lacking(made, nm) - (FLOAT_IMPORTS if real == "float" else IMPORTS)
    return [
        *(f"{name} is external" for name in sorted(external - own)),
        *(f"{name} is missing" for name in sorted(own - external)),
        *(f"{name} is data that changes" for name in sorted(mutable)),
        *(f"{name} is imported" for name in sorted(foreign)),
    ]


@pytest.mark.parametrize(
    ("case", "real", "compiler"),
    some(
        (*product(SHORT, ("double", "float"), ("gcc",)), *product(SHORT, ("double",), ("clang",))),
        (*product(FEW, ("double", "float"), ("gcc",)), *product(FEW, ("double",), ("clang",))),
    ),
    ids=str,
)
def test_compilers_say_nothing_and_symbols_are_the_own_ones(make: Make, case: Case, real: Real, compiler: str) -> None:
    require(compiler, "nm")
    flags = {"gcc": GCC, "clang": CLANG}[compiler]
    module = make(case, real)
    assert "_part2(" in module.source.read_text() or case.model != "stewart_platform"
    slow = module.is_large and (real == "float" or case.model == "stewart_platform")
    level = "-O0" if compiler == "clang" or slow else "-O1"
    assert complaints(module, module.compiled(compiler, "-std=c99", *flags[real], level)) == []


@pytest.mark.parametrize("cases", [FEW, *further(SHORT)], ids=len)
@pytest.mark.parametrize("standard", ["c11", "c17", "c2x", "gnu99"])
def test_every_standard_takes_every_module(make: Make, standard: str, cases: list[Case]) -> None:
    require("gcc")
    sources = [str(make(case, "double").source) for case in cases]
    done = run("gcc", f"-std={standard}", *GCC["double"], "-fsyntax-only", *sources)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "command",
    [
        ("g++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wold-style-cast"),
        ("g++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow"),
        ("clang++", "-std=c++17", "-Weverything", "-Wno-c++98-compat", "-Wno-c++98-compat-pedantic"),
    ],
    ids=["g++11", "g++20", "clang++17"],
)
@pytest.mark.parametrize("cases", [FEW, *further(SHORT)], ids=len)
def test_cpp_takes_all_headers_together(
    tmp_path: Path, make: Make, command: tuple[str, ...], cases: list[Case]
) -> None:
    require(command[0])
    auto = [case for case in cases if (case.formulation, case.symbolic) == ("auto", "")]
    headers = [make(case, "double").header for case in auto]
    user = tmp_path / "user.cpp"
    user.write_text("".join(f'#include "{header}"\n' for header in headers * 2) + "int main() { return 0; }\n")
    done = run(*command, "-fsyntax-only", str(user))
    assert (done.returncode, done.stderr) == (0, "")


def macros(*command: str) -> set[str]:
    """Names that the preprocessor knows in the end."""
    return {
        line.split()[1].partition("(")[0] for line in run("gcc", "-dM", "-E", "-x", "c", *command).stdout.splitlines()
    }


@pytest.mark.parametrize("case", [case for case in CASES if case.model == "four_bar"], ids=str)
def test_macros_of_the_header_begin_with_the_name(make: Make, case: Case) -> None:
    require("gcc")
    found = macros(str(make(case, "float").header)) - macros("/dev/null")
    assert found >= {"MBSYM_four_bar_H", f"four_bar_{make(case, 'float').manifest['functions'][0]['name']}"}
    assert {name for name in found - {"MBSYM_four_bar_H"} if not name.startswith("four_bar_")} == set()


# ---- single precision ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("robot", some(ROBOTS, ROBOTS[:4]), ids=[Path(robot).stem for robot in ROBOTS])
def test_no_double_in_robots_of_single_precision(tmp_path: Path, robot: str) -> None:
    require("gcc", "nm")
    (path,) = (
        str(file.locate()) for file in files("example-robot-data") or () if str(file).endswith(f"/robots/{robot}")
    )
    module = Case(path).module(tmp_path, "float")
    assert complaints(module, module.compiled("gcc", "-std=c99", *GCC["float"], "-O0")) == []


@pytest.mark.parametrize("case", some(SMALL, FEW), ids=str)
def test_a_processor_without_doubles_needs_none(make: Make, case: Case) -> None:
    """Where the hardware has single precision only, arithmetic of doubles would be calls of the compiler's library."""
    require("arm-none-eabi-gcc", "arm-none-eabi-nm")
    module = make(case, "float")
    processor = ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")
    made = module.compiled("arm-none-eabi-gcc", "-std=c99", *processor, "-O0")
    assert complaints(module, made, "arm-none-eabi-nm") == []


@pytest.mark.parametrize(
    ("text", "planted", "message"),
    [
        (" sqrtf(most)", " (float)sqrt(most)", "sqrt is imported"),
        ("static void four_bar_loops_factor_rows(", "void four_bar_loops_factor_rows(", "is external"),
        ("    rows->rank = 2;", "    static int changing; rows->rank = 2 + 0 * changing++;", "is data that changes"),
    ],
)
def test_planted_faults_are_found(tmp_path: Path, text: str, planted: str, message: str) -> None:
    require("gcc", "nm")
    module = Case("four_bar").module(tmp_path, "float")
    source = module.source.read_text()
    assert text in source
    module.source.write_text(source.replace(text, planted, 1))
    assert [line for line in complaints(module, module.compiled("gcc", "-std=c99", "-O0")) if message in line]


# ---- running ---------------------------------------------------------------------------------------------------------


def program(module: Module, text: str, *flags: str, head: str = "") -> Path:
    """The module with a user that calls everything, linked."""
    where = Path(mkdtemp(dir=module.source.parent))
    user, made = where / "user.c", where / "user"
    user.write_text(caller(module, head) + text)
    include = f"-I{module.source.parent}"
    done = run("gcc", "-std=c99", *flags, include, str(user), str(module.source), "-o", str(made), "-lm")
    assert (done.returncode, done.stderr) == (0, "")
    return made


@pytest.mark.parametrize(
    ("case", "real"),
    [
        *some(((case, "double") for case in SHORT), ((case, "double") for case in FEW)),
        *((case, "float") for case in SHORT if case.model == "four_bar"),
    ],
    ids=str,
)
def test_no_input_makes_behaviour_undefined(make: Make, case: Case, real: Real) -> None:
    """Zeros, NaN, infinities, the largest and smallest numbers, ordinary ones, and mixtures of them.

    Nothing is optimised: an access that an optimiser leaves out is one that nobody watches.
    """
    require("gcc")
    module = make(case, real)
    done = run(str(program(module, ALL_CALLS, *SANITIZED, "-O0")))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("case", [case for case in CASES if case.model == "four_bar"], ids=str)
def test_threads_do_not_meet(make: Make, case: Case) -> None:
    """Two threads call all functions at the same time; each finds what one alone finds."""
    require("gcc")
    flags = ("-D_POSIX_C_SOURCE=200809L", "-pthread", "-fsanitize=thread", "-g1", "-O1")
    done = run(str(program(make(case, "double"), THREADS, *flags, head="#include <pthread.h>")))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_planted_overrun_is_found(tmp_path: Path) -> None:
    require("gcc")
    module = Case("double_pendulum").module(tmp_path)
    source = module.source.read_text()
    planted, count = re.subn(r"\bM\[3\] = ", "M[4] = ", source)
    assert count == 1
    module.source.write_text(planted)
    done = run(str(program(module, ALL_CALLS, *SANITIZED, "-O1", "-Wno-array-bounds")))
    assert done.returncode != 0 and "heap-buffer-overflow" in done.stderr


def test_a_planted_race_is_found(tmp_path: Path) -> None:
    require("gcc")
    module = Case("double_pendulum").module(tmp_path)
    source = module.source.read_text()
    planted = source.replace("    M[0] = ", "    static double last; last = q[1]; M[0] = ", 1)
    assert planted != source
    module.source.write_text(planted)
    flags = ("-D_POSIX_C_SOURCE=200809L", "-pthread", "-fsanitize=thread", "-g1", "-O0")
    done = run(str(program(module, THREADS, *flags, head="#include <pthread.h>")))
    assert done.returncode != 0 and "data race" in done.stderr

"""Exports as a CMake package and a C++17 header: found, built, linked and called in both precisions."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mechanisms.generated_c import require

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "cpp"

WARNINGS = (
    *("-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Werror"),
    *("-Wold-style-cast", "-Wuseless-cast", "-Wsign-conversion", "-fno-exceptions", "-fno-rtti"),
)


def done(*command: object, cwd: Path | None = None) -> str:
    """What a command prints; it must succeed."""
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=cwd)
    assert run.returncode == 0, f"{run.stdout[-3000:]}{run.stderr[-3000:]}"
    return run.stdout


def refused(directory: Path, text: str) -> str:
    """What the compiler says of a program over the arm that it must not take."""
    source = directory / "wrong.cpp"
    source.write_text(f'#include <array>\n#include <vector>\n#include "planar_3r.hpp"\n{text}')
    command = ["g++", "-std=c++17", "-fsyntax-only", "-I", str(directory), *eigen(), str(source)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode != 0, text
    return run.stderr


def eigen() -> list[str]:
    """Where the compiler finds Eigen: the wheel of CasADi has its headers."""
    place = Path(pytest.importorskip("casadi").__file__).parent / "include" / "eigen3"
    return ["-isystem", str(place)] if place.is_dir() else []


def test_the_example_finds_the_package_and_prints_what_the_module_computes(tmp_path: Path) -> None:
    require("cmake", "g++")
    mbsym.export("puma560", "cpp", tmp_path / "robot")
    build, prefix = tmp_path / "build", tmp_path / "installed"
    done("cmake", "-S", tmp_path / "robot", "-B", build / "robot", f"-DCMAKE_INSTALL_PREFIX={prefix}")
    done("cmake", "--build", build / "robot", "--target", "install")
    done("cmake", "-S", EXAMPLE, "-B", build / "example", f"-DCMAKE_PREFIX_PATH={prefix}")
    done("cmake", "--build", build / "example")
    double, single = (np.array(line.split(), float) for line in done(build / "example" / "holding").splitlines())
    mbsym.generate("puma560", tmp_path, languages=["numpy"])
    names: dict[str, object] = {}
    exec((tmp_path / "puma560.py").read_text(), names)
    q, v = np.array([0.1, -0.5, 0.8, 0.3, 1.2, -0.7]), np.array([1.0, -1, 2, 0, 1, 3])
    torques = names["gravity_force"](q), names["inverse_dynamics"](q, v, np.full(6, 2.0))  # type: ignore[operator]
    np.testing.assert_allclose(double, np.concatenate(torques), rtol=1e-12)
    np.testing.assert_allclose(single, np.concatenate(torques), atol=2e-5 * np.abs(double).max())


def test_a_library_in_c_alone_is_found_too(tmp_path: Path) -> None:
    require("cmake", "gcc")
    mbsym.export("planar_3r", "cmake", tmp_path / "robot", functions=["mass_matrix"], real="float")
    done("cmake", "-S", tmp_path / "robot", "-B", tmp_path / "b", f"-DCMAKE_INSTALL_PREFIX={tmp_path / 'installed'}")
    done("cmake", "--build", tmp_path / "b", "--target", "install")
    found = sorted(path.name for path in (tmp_path / "installed").rglob("*.*") if path.is_file())
    assert found == [
        *("libplanar_3r.a", "planar_3r.h", "planar_3rConfig-noconfig.cmake", "planar_3rConfig.cmake"),
        "planar_3rConfigVersion.cmake",
    ]


ALL_FORMS = """
#include <Eigen/Core>
#include <array>
#include <vector>
#include "MODEL.hpp"

using robot = MODEL::model<double>;
using RowMajor = Eigen::Matrix<double, MODEL::nv, MODEL::nv, Eigen::RowMajor>;

int main()
{
    double raw[MODEL::nq] = {0.1, 0.2, 0.3};
    const std::array<double, MODEL::nq> array{0.1, 0.2, 0.3};
    const std::vector<double> vector(array.begin(), array.end());
    const Eigen::Vector3d fixed(0.1, 0.2, 0.3);
    const Eigen::VectorXd dynamic = fixed;
    const Eigen::Map<const Eigen::Vector3d> map(array.data());
    RowMajor known, found[6];
    robot::mass_matrix(raw, known);
    robot::mass_matrix(array, found[0]);
    robot::mass_matrix(vector, found[1]);
    robot::mass_matrix(fixed, found[2]);
    robot::mass_matrix(dynamic, found[3]);
    robot::mass_matrix(map, found[4]);
    robot::mass_matrix(array.data(), Eigen::Map<RowMajor>(found[5].data()));
    for (const RowMajor &M : found) {
        if (M != known || M(0, 1) == 0.0) { return 1; }
    }
    static_assert(MODEL::nq == 3 && MODEL::nv == 3 && MODEL::nb == 3);
    return 0;
}
"""


def test_views_are_made_of_whatever_has_numbers_side_by_side(tmp_path: Path) -> None:
    require("g++", "gcc")
    mbsym.export("planar_3r", "cpp", tmp_path, symbolic_parameters="none")
    (tmp_path / "main.cpp").write_text(ALL_FORMS.replace("MODEL", "planar_3r"))
    flags = [*WARNINGS, *eigen(), "-I", tmp_path]
    done("gcc", "-c", tmp_path / "planar_3r.c", "-o", tmp_path / "c.o")
    done("g++", *flags, tmp_path / "main.cpp", tmp_path / "c.o", "-o", tmp_path / "main", "-lm")
    done(tmp_path / "main")


def test_parameters_and_statuses_have_their_types(tmp_path: Path) -> None:
    require("g++")
    mbsym.export("four_bar", "cpp", tmp_path, symbolic_parameters="all")
    (tmp_path / "main.cpp").write_text(
        """
        #include "four_bar.hpp"
        template <class Real>
        bool moves(const Real (&q)[3])
        {
            using robot = four_bar::model<Real>;
            auto changed = robot::defaults;
            Real v[3] = {}, tau[3] = {}, vdot[3];
            return robot::forward_dynamics(changed, q, v, tau, vdot) == four_bar::status::OK;
        }
        int main() { return moves<double>({1.0, -0.5, 1.0}) && moves<float>({1.0F, -0.5F, 1.0F}) ? 0 : 1; }
        """
    )
    done("g++", *WARNINGS, "-fsyntax-only", "-I", tmp_path, tmp_path / "main.cpp")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("std::array<double, 2> q{}; robot::mass_matrix(q, q.data());", "an array of another size"),
        ("double q[4] = {}; robot::mass_matrix(q, q);", "an array of another size"),
        ("float q[3] = {}; double M[9]; robot::mass_matrix(q, M);", "could not convert|no matching|cannot convert"),
        ("const double M[9] = {}; double q[3] = {}; robot::mass_matrix(q, M);", r"matrix<double, 9> M"),
        ("double q[3] = {}; Eigen::Matrix3d M; robot::mass_matrix(q, M);", "results are row-major"),
        (
            "Eigen::Matrix3d Q; double M[9]; robot::mass_matrix(Q.row(0), M);",
            "the entries do not lie side by side",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_the_compiler(tmp_path: Path, body: str, message: str) -> None:
    require("g++")
    mbsym.export("planar_3r", "cpp", tmp_path, functions=["mass_matrix"], symbolic_parameters="none")
    text = f"#include <Eigen/Core>\nusing robot = planar_3r::model<double>;\nint main() {{ {body} }}\n"
    assert re.search(message, refused(tmp_path, text))

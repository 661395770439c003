"""C with equal limbs side by side: compiled both ways, without a warning, and beside the NumPy module."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.codegen.build import WARNINGS, compile_c, runs
from mbsym.codegen.description import Real, Trigonometry
from mbsym.codegen.load import c_module, imported
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.stages import limbs as stage
from mechanisms.examples import further
from mechanisms.generated_c import CLANG, GCC, Module, require
from mechanisms.limbs import limbed

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
AGREE = {"double": 1e-11, "float": 2e-3}
"""Of the largest entry: last digits differ from straight code's."""


def generated(directory: Path, seed: int, trigonometry: Trigonometry, real: Real) -> str:
    """The module's name."""
    done = mbsym.generate(
        limbed(seed) if seed else "quadruped", directory, functions=FUNCTIONS, style="limbs", prefix="m",
        trigonometry=trigonometry, real=real, languages=("c", "numpy"),
    )  # fmt: skip
    assert done.derivation.limbs
    return "m"


@pytest.mark.parametrize("lanes", [0, 2, 16])
@pytest.mark.parametrize(
    ("seed", "trigonometry", "real"),
    [
        (0, "libm", "double"),
        (0, "inline", "float"),
        *further((1, "inline", "double"), (5, "libm", "float")),
    ],
)
def test_it_computes_what_numpy_does(
    seed: int, trigonometry: Trigonometry, real: Real, lanes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "WORTH", 2)
    name = generated(tmp_path, seed, trigonometry, real)
    manifest = read_manifest(tmp_path / f"{name}.json")
    assert "limbs" in {entry.get("style") for entry in manifest["functions"]}
    compiled = c_module(compile_c(tmp_path, name, (*WARNINGS, "-O1", f"-D{name}_LIMBS={lanes}")), manifest)
    beside = imported(tmp_path / f"{name}.py", manifest)
    rng = np.random.default_rng(seed)
    for function in FUNCTIONS:
        for _ in range(3):
            given = [rng.uniform(-1, 1, item.shape) for item in compiled.functions[function].inputs]
            for start in compiled.functions[function].inputs[0].quaternions:
                given[0][start : start + 4] /= np.linalg.norm(given[0][start : start + 4])
            one, other = (np.asarray(each.functions[function](*given)) for each in (compiled, beside))
            assert np.abs(one - other).max() <= AGREE[real] * np.abs(other).max()


def test_the_certificate_runs_both(tmp_path: Path) -> None:
    mbsym.generate("quadruped", tmp_path, functions=(*FUNCTIONS, "center_of_mass"))
    certificate = mbsym.verify(tmp_path, states=3)
    certificate.raise_on_failure()
    assert {check.function for check in certificate.checks if check.language == "limbs"} == {*FUNCTIONS}
    assert {check.language for check in certificate.checks} == {"c", "numpy", "limbs"}


@pytest.mark.parametrize("real", ["float", *further("double")])
def test_no_compiler_has_anything_to_say(real: Real, tmp_path: Path) -> None:
    require("gcc")
    generated(tmp_path, 0, "inline", real)
    module = Module.in_directory(tmp_path)
    for optimised in ("-O2", "-O3"):
        for lanes in ("-Dm_LIMBS=0", "-Dm_LIMBS=16"):
            module.compiled("gcc", "-std=c99", "-Werror", optimised, lanes, *GCC[real])
            if runs("clang"):
                module.compiled("clang", "-std=c99", "-Werror", optimised, lanes, *CLANG[real])

"""Code whose parts threads take: the same results to the bit with OpenMP and without, verified, and refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.cli.application import main
from mbsym.codegen.build import WARNINGS, knows_flag
from mbsym.codegen.languages import OPENMP
from mbsym.codegen.load import LoadedModule, load_c
from mbsym.errors import DerivationError
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mechanisms.trees import arms, chain, tree_model

FORWARD = ["forward_dynamics"]
PARALLEL = {"functions": FORWARD, "formulation": "cfa-parallel"}
UNKNOWN = "-Wno-unknown-pragmas"


def by_threads(directory: Path, name: str = "tree") -> LoadedModule:
    if not knows_flag(OPENMP):
        pytest.skip("the compiler knows no OpenMP")
    return load_c(directory, name, (*WARNINGS, OPENMP))


@pytest.mark.parametrize(("shape", "threads"), [("chain", 2), ("arms", 3)])
def test_threads_change_no_bit(shape: str, threads: int, tmp_path: Path) -> None:
    parents = {"chain": (*chain(15), 3), "arms": arms(16, 3)}[shape]
    model = tree_model(parents, ["revolute"] * len(parents))
    mbsym.generate(model, tmp_path / "parts", threads=threads, languages=["c"], **PARALLEL)  # type: ignore[arg-type]
    mbsym.generate(model, tmp_path / "serial", languages=["c"], functions=FORWARD, style="shared")
    alone, together = load_c(tmp_path / "parts", "tree", (*WARNINGS, UNKNOWN)), by_threads(tmp_path / "parts")
    recursion = load_c(tmp_path / "serial", "tree")
    rng = np.random.default_rng(1)
    for _ in range(20):
        given = [rng.uniform(-1, 1, len(parents)) for _ in range(3)]
        found = alone.functions["forward_dynamics"](*given)
        assert np.array_equal(together.functions["forward_dynamics"](*given), found)
        expected = recursion.functions["forward_dynamics"](*given)
        # Bodies get heavier outward: mass matrices have condition numbers of about 1e5 here.
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_a_sweep_of_parts_with_one_step_has_nothing_to_choose(tmp_path: Path) -> None:
    """Two equal legs on ground: what is carried back to all ends is one step in two parts."""
    parents = (0, 1, 0, 3)
    bodies = tuple(Body(f"b{k}", 1, (0.1, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for k in range(1, 5))
    joints = tuple(
        Joint(f"j{k}", "revolute", f"b{p}" if p else "ground", f"b{k}", predecessor_placement=Placement((0.3, 0, 0)))
        for k, p in enumerate(parents, start=1)
    )
    legs = Model("legs", bodies, joints)
    mbsym.generate(legs, tmp_path, threads=2, languages=["c"], **PARALLEL)  # type: ignore[arg-type]
    given = [np.linspace(0.1, 0.4, 4)] * 3
    found = load_c(tmp_path, "legs", (*WARNINGS, UNKNOWN)).functions["forward_dynamics"](*given)
    assert np.array_equal(by_threads(tmp_path, "legs").functions["forward_dynamics"](*given), found)


@pytest.mark.more
def test_the_certificate_runs_it_with_threads_and_without(tmp_path: Path) -> None:
    model = replace(tree_model((*chain(9), 4), ["revolute", "prismatic"] * 5), name="parts")
    mbsym.generate(model, tmp_path, threads=2, batch=["forward_dynamics"], **PARALLEL)  # type: ignore[arg-type]
    if not knows_flag(OPENMP):
        pytest.skip("the compiler knows no OpenMP")
    certificate = mbsym.verify(tmp_path, states=3)
    certificate.raise_on_failure()
    assert {check.language for check in certificate.checks} == {"c", "numpy", "batch", "threads"}
    against = {check.against: check.error for check in certificate.checks if check.language == "threads"}
    assert against["c code, in batches"] == 0.0 and "reference" in against
    entry = json.loads((tmp_path / "parts.json").read_text(encoding="utf-8"))["functions"][0]
    assert (entry["style"], entry["threads"]) == ("shared", 2)
    source = (tmp_path / "parts.c").read_text(encoding="utf-8")
    assert source.count("#pragma omp parallel num_threads(2)") == 1
    assert source.count("#ifdef _OPENMP") == source.count("#pragma omp")


def test_without_threads_the_code_knows_of_none(tmp_path: Path) -> None:
    mbsym.generate("space_robot", tmp_path, style="shared", languages=["c"], **PARALLEL)  # type: ignore[arg-type]
    source = (tmp_path / "space_robot.c").read_text(encoding="utf-8")
    assert "OPENMP" not in source and "inside the parts, inward" in source


def test_no_more_threads_than_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--formulation", "cfa-parallel", "--threads", "100", "--function", "forward_dynamics"]
    assert main(["generate", "space_robot", "-o", str(tmp_path), "--language", "c", *options]) == 0
    assert "note: the tree falls into 2 parts, for 2 threads" in capsys.readouterr().err
    assert '"threads": 2' in (tmp_path / "space_robot.json").read_text(encoding="utf-8")
    source = (tmp_path / "space_robot.c").read_text(encoding="utf-8")
    assert "num_threads(2)" in source
    header = (tmp_path / "space_robot.h").read_text(encoding="utf-8")
    assert "compiled with -fopenmp, 2 threads share the work" in header
    before = ("ends", "first", "order", "places_")
    lines = source.splitlines()
    tables = [k for k, line in enumerate(lines) if any(f" {name}" in line.split("[")[0] for name in before)]
    tables = [k for k in tables if "static const" in lines[k]]
    assert tables and all(lines[k - 1].strip().startswith("/*") for k in tables)


def test_what_they_do_not_go_with_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(model: str, match: str, **options: object) -> None:
        given = {"formulation": "cfa-parallel", "threads": 2, **options}
        with pytest.raises(DerivationError, match=match):
            mbsym.generate(model, tmp_path, **given)  # type: ignore[arg-type]

    refused("space_robot", "for 1 threads", threads=1)
    refused("space_robot", "for -2 threads", threads=-2)
    refused("space_robot", "for '2' threads", threads="2")
    refused("space_robot", "for 2.0 threads", threads=2.0)
    refused("space_robot", "no parts that threads could take", formulation="auto")
    refused("space_robot", "`style straight`", style="straight")
    refused("space_robot", "falls into parts", functions=["inverse_dynamics"])
    refused("cart_pole", "`prepare`", prepare=True)
    refused("spinning_top", "falls into parts")
    assert main(["generate", "space_robot", "-o", str(tmp_path), "--threads", "2", "--language", "numpy"]) == 2
    assert "about C, which is not generated" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())

"""Exports as a crate: built without a network, without the standard library, and called."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.codegen.build import runs

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "rust"

pytestmark = pytest.mark.skipif(
    not (runs("cargo") and runs("rustc")), reason="not checked without cargo (Debian: cargo)"
)


def cargo(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CARGO_NET_OFFLINE": "true", "RUSTFLAGS": "-D warnings"}
    command = ["cargo", *arguments, "--quiet", "--offline", "--target-dir", str(directory / "target")]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False, env=environment)


def test_the_example_prints_what_the_module_computes(tmp_path: Path) -> None:
    place = tmp_path / "example"
    shutil.copytree(EXAMPLE, place, ignore=shutil.ignore_patterns("robot", "target"))
    mbsym.export("puma560", "rust", place / "robot")
    done = cargo(place, "run")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:3000]
    mbsym.generate("puma560", tmp_path, languages=["numpy"])
    names: dict[str, Any] = {}
    exec((tmp_path / "puma560.py").read_text(), names)
    q, v = np.array([0.1, -0.5, 0.8, 0.3, 1.2, -0.7]), np.array([1.0, -1, 2, 0, 1, 3])
    expected = np.concatenate([names["gravity_force"](q), names["inverse_dynamics"](q, v, np.full(6, 2.0))])
    np.testing.assert_allclose(np.array(done.stdout.split(), float), expected, rtol=1e-12)


CHECKS = """
#[cfg(test)]
mod checks {
    extern crate std;
    use super::*;

    #[test]
    fn parameters_and_failures_have_types() {
        let parameters = Parameters { l_crank: 0.31, ..Parameters::default() };
        let (mut vdot, v) = ([0.0f32; NV], [0.0f32; NV]);
        let q = [1.0, -0.5, 1.0];
        assert_eq!(forward_dynamics(&parameters, &q, &v, &v, &mut vdot), Ok(()));
        assert!(vdot[0].abs() > 1.0);
        assert_eq!(forward_dynamics(&parameters, &[f32::NAN; NQ], &v, &v, &mut vdot), Err(Failure::NotFinite));
    }
}
"""


def test_single_precision_parameters_and_failures(tmp_path: Path) -> None:
    mbsym.export("four_bar", "rust", tmp_path, real="float", symbolic_parameters="all")
    library = tmp_path / "lib.rs"
    assert "#![no_std]" in library.read_text()
    library.write_text(library.read_text() + CHECKS)
    done = cargo(tmp_path, "test")
    assert done.returncode == 0, done.stderr[:3000]
    assert "1 passed" in done.stdout

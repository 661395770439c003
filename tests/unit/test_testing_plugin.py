"""pytest's plugin, as a project has it in which mbsym is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numpy", "sympy", "scipy", "pydantic", "jinja2", "mbsym.pipeline")

WITH_FIXTURE = """
import os
import pytest

def test_right(mbsym_equal):
    mbsym_equal.function("gravity.c", "arm.yaml", "gravity_force")
    assert ".pytest_cache" in os.environ["MBSYM_CACHE"]
    assert list(os.scandir(os.environ["MBSYM_CACHE"]))

def test_wrong(mbsym_equal, tmp_path):
    text = open("gravity.c").read().replace("sin", "cos")
    (tmp_path / "wrong.c").write_text(text)
    with pytest.raises(AssertionError, match="gravity of wrong.c and .* is different"):
        mbsym_equal.function("wrong.c", "arm.yaml", "gravity_force")

def test_equations(mbsym_equal):
    import sympy
    q = sympy.Symbol("q_pin")
    mbsym_equal.equations({"gravity_force": [2 * 9.81 * sympy.sin(q) / 2]}, "arm.yaml")
    with pytest.raises(AssertionError, match="is different"):
        mbsym_equal.equations({"gravity_force": [sympy.sin(q)]}, "arm.yaml")

def test_everything_is_as_it_was():
    assert "MBSYM_CACHE" not in os.environ
"""

ARM = """
name: arm
bodies: {rod: {mass: 2, center_of_mass: [0, 0, -0.5]}}
joints: {pin: {type: revolute, from: ground, to: rod, axis: -y}}
"""

GRAVITY = """#include <math.h>
double gravity(double q_pin) { return 2*9.81*sin(q_pin)/2; }
"""


def pytest_in(directory: Path, *words: str) -> str:
    """What pytest prints that has no other plugin than mbsym's; it has to pass."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    for name in ("MBSYM_CACHE", "PYTEST_ADDOPTS"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "mbsym.testing.plugin", *words]
    run = subprocess.run(command, capture_output=True, text=True, cwd=directory, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_it_is_the_plugin_that_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"mbsym": "mbsym.testing.plugin"}


def test_the_fixture_compares_files_beside_the_test(tmp_path: Path) -> None:
    for name, text in (("test_arm.py", WITH_FIXTURE), ("arm.yaml", ARM), ("gravity.c", GRAVITY)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert "4 passed" in pytest_in(tmp_path)


def test_without_pytests_cache_compiled_files_are_temporary(tmp_path: Path) -> None:
    text = "import os\ndef test_it(mbsym_equal, tmp_path): assert os.environ['MBSYM_CACHE'].startswith(str(tmp_path))\n"
    (tmp_path / "test_it.py").write_text(text, encoding="utf-8")
    pytest_in(tmp_path, "-p", "no:cacheprovider")


@pytest.mark.parametrize("used", ["", "mbsym_equal"])
def test_nothing_heavy_is_imported_until_it_compares(tmp_path: Path, used: str) -> None:
    text = f"import sys\ndef test_it({used}): assert not {{*{HEAVY!r}}} & {{*sys.modules}}\n"
    (tmp_path / "test_it.py").write_text(text, encoding="utf-8")
    pytest_in(tmp_path)


def test_a_project_that_does_not_ask_sees_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n", encoding="utf-8")
    assert "mbsym" not in pytest_in(tmp_path, "--strict-config", "--strict-markers", "-W", "error").replace(
        str(ROOT), ""
    )
    assert not list(tmp_path.rglob(".pytest_cache/d"))
    assert "mbsym" not in pytest_in(tmp_path, "--help").replace("mbsym.testing.plugin", "")

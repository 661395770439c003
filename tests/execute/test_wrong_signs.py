"""Generated code with a mistake in it: verification fails and names the function."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from mechanisms.examples import some

Run = Callable[..., Any]
"""The fixture that runs the command line and returns status, out and err."""

FUNCTIONS = (
    "forward_dynamics", "inverse_dynamics", "mass_matrix", "bias_force", "gravity_force", "kinetic_energy",
    "potential_energy", "position_rate", "body_poses", "body_velocities", "body_jacobians", "joint_wrenches",
    "center_of_mass", "momentum",
)  # fmt: skip


def with_wrong_sign(text: str, beginning: str, ending: str) -> str:
    """The text with the sign in its last sum below ``beginning`` changed, or without sums that of its last result."""
    start = text.index(beginning)
    end = text.index(ending, start)
    body = text[start:end]
    sums = [found for found in re.finditer(r" ([+-]) ", body) if not body[: found.start()].endswith("/*")]
    if sums:
        sign = sums[-1]
        other = {"+": " - ", "-": " + "}[sign[1]]
        return text[: start + sign.start()] + other + text[start + sign.end() :]
    # What is written to an output: "x[3] = VALUE;" in C, a line of its own in Python; a name, maybe with a factor.
    *_, value = re.finditer(r"(?m)(?<=\] = )-?(?=[a-z].*;$)|(?<=^ {8})-?(?=[a-z].*,$)", body)
    return text[: start + value.start()] + ("" if value[0] else "-") + text[start + value.end() :]


@pytest.mark.parametrize(
    ("language", "function"),
    some(product(("c", "numpy"), FUNCTIONS), [*product(["c"], FUNCTIONS[::2]), *product(["numpy"], FUNCTIONS[1::2])]),
)
def test_a_wrong_sign_is_found_and_named(
    run: Run, pendulum: Path, tmp_path: Path, function: str, language: str
) -> None:
    shutil.copytree(pendulum, tmp_path, dirs_exist_ok=True)
    (tmp_path / f"double_pendulum{'.py' if language == 'c' else '.c'}").unlink()
    if language == "c":
        file, limits = tmp_path / "double_pendulum.c", (f"void double_pendulum_{function}(", "\n}\n")
    else:
        file, limits = tmp_path / "double_pendulum.py", (f"def _{function}(", "\n    return ")
    right = file.read_text(encoding="utf-8")
    wrong = with_wrong_sign(right, *limits)
    assert wrong != right
    file.write_text(wrong, encoding="utf-8")
    outcome = run("verify", tmp_path, "--states", "3", "--json")
    assert outcome.status == 1, function
    assert re.search(rf"not verified: .*\b{function}\b", outcome.err)
    data = json.loads(outcome.out)
    assert data["passed"] is False
    failed = {check["function"] for check in data["checks"] if not check["passed"]}
    # A fault of one function shows in those that are compared with it, and in no other.
    allowed = {
        "forward_dynamics": {"inverse_dynamics"},
        "mass_matrix": {"kinetic_energy"},
        "body_poses": {"body_jacobians"},
        "potential_energy": {"gravity_force"},
    }
    assert function in failed
    assert failed <= {function} | allowed.get(function, set())
    assert "**NOT VERIFIED**" in (tmp_path / "double_pendulum.certificate.md").read_text(encoding="utf-8")


def test_both_languages_are_checked(run: Run, pendulum: Path, tmp_path: Path) -> None:
    """A fault in one of two languages: the table tells which."""
    shutil.copytree(pendulum, tmp_path, dirs_exist_ok=True)
    file = tmp_path / "double_pendulum.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(with_wrong_sign(text, "def _bias_force(", "\n    return "), encoding="utf-8")
    outcome = run("verify", tmp_path, "--states", "2", "--json")
    assert outcome.status == 1
    failed = {(c["function"], c["language"]) for c in json.loads(outcome.out)["checks"] if not c["passed"]}
    assert failed == {("bias_force", "numpy")}


def test_code_that_does_not_compile_or_import_is_an_error(run: Run, pendulum: Path, tmp_path: Path) -> None:
    for name in ("double_pendulum.c", "double_pendulum.py"):
        shutil.copytree(pendulum, tmp_path / name, dirs_exist_ok=True)
        with (tmp_path / name / name).open("a", encoding="utf-8") as stream:
            stream.write("\n@ is in no language a statement\n")
        outcome = run("verify", tmp_path / name, "--states", "1")
        assert outcome.status == 2
        assert name in outcome.err

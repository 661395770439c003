"""Verification of a directory that somebody changed: told, named, and never the end of the interpreter."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import mbsym
from mbsym.codegen.manifest import own_hash
from mbsym.errors import VerificationError
from mechanisms.examples import further

Run = Callable[..., Any]
"""The fixture that runs the command line and returns status, out and err."""


@pytest.fixture
def copy(pendulum: Path, tmp_path: Path) -> Path:
    shutil.copytree(pendulum, tmp_path, dirs_exist_ok=True)
    return tmp_path


def rewrite(directory: Path, change: Callable[[dict[str, Any]], object], *, forged: bool) -> None:
    """Changes the manifest; a forged one has the hashes that belong to what is there."""
    file = directory / "double_pendulum.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    change(content)
    if forged:
        content["files"] = {name: sha256((directory / name).read_bytes()).hexdigest() for name in content["files"]}
        content["sha256"] = own_hash(content)
    file.write_text(json.dumps(content), encoding="utf-8")


def function(content: dict[str, Any], name: str) -> dict[str, Any]:
    """The entry of a function."""
    return next(entry for entry in content["functions"] if entry["name"] == name)


def insert(file: Path, place: str, text: str) -> None:
    """Inserts text behind the only place that fits a pattern."""
    before = file.read_text(encoding="utf-8")
    after, count = re.subn(place, lambda found: found[0] + text, before)
    assert count == 1
    file.write_text(after, encoding="utf-8")


IN_PYTHON = r"def _mass_matrix\(.*\):\n"
IN_C = r"(?s)_mass_matrix\([^;]*?\)\n\{\n"


def no_functions(content: dict[str, Any]) -> None:
    content["functions"] = []


def fewer_functions(content: dict[str, Any]) -> None:
    content["functions"] = content["functions"][:3]


def other_precision(content: dict[str, Any]) -> None:
    content["real"] = "float"


def other_direction(content: dict[str, Any]) -> None:
    function(content, "mass_matrix")["arguments"][0]["direction"] = "out"


def other_shape(content: dict[str, Any]) -> None:
    function(content, "mass_matrix")["arguments"][1]["shape"] = [1, 1]


CHANGES = (no_functions, fewer_functions, other_precision, other_direction, other_shape)


@pytest.mark.parametrize("forged", [False, True])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("left", [".c", ".py"])
def test_a_changed_manifest_verifies_nothing(
    run: Run, copy: Path, change: Callable[[dict[str, Any]], None], forged: bool, left: str
) -> None:
    """Whether or not its hashes are made to fit: an error or a failed check, and the interpreter goes on."""
    (copy / f"double_pendulum{'.py' if left == '.c' else '.c'}").unlink()
    rewrite(copy, change, forged=False)
    if forged:
        # What is not there has no hash.
        rewrite(
            copy, lambda content: content["files"].pop(f"double_pendulum{'.py' if left == '.c' else '.c'}"), forged=True
        )
    outcome = run("verify", copy, "--states", "2")
    assert outcome.status in ((1, 2) if forged else (2,))
    assert forged or "double_pendulum.json: " in outcome.err
    assert "Traceback" not in outcome.err
    assert "double_pendulum: verified" not in outcome.out


def test_functions_that_the_manifest_hides_are_named(run: Run, copy: Path) -> None:
    rewrite(copy, fewer_functions, forged=True)
    outcome = run("verify", copy, "--states", "1")
    assert outcome.status == 2
    assert re.search(r"in c: the code has double_pendulum_\w+, which the manifest does not list", outcome.err)
    (copy / "double_pendulum.c").unlink()
    outcome = run("verify", copy, "--states", "1")
    assert re.search(r"in numpy: the code has \w+, which the manifest does not list", outcome.err)


def test_another_model_in_the_manifest_is_refused(run: Run, copy: Path) -> None:
    rewrite(copy, lambda content: content.update(model=content["model"] + "\n# mine"), forged=True)
    outcome = run("verify", copy, "--states", "1")
    assert outcome.status == 2
    assert "double_pendulum.json: model: it does not have the hash model_sha256" in outcome.err


@pytest.mark.parametrize("name", ["double_pendulum.c", *further("double_pendulum.h"), "double_pendulum.py"])
def test_a_changed_file_is_not_verified(run: Run, copy: Path, name: str) -> None:
    """Even where its functions compute what they must."""
    with (copy / name).open("a", encoding="utf-8") as stream:
        stream.write("\n")
    outcome = run("verify", copy, "--states", "2", "--json")
    assert outcome.status == 1
    assert f"not verified: {name} (changed since it was generated)" in outcome.err
    data = json.loads(outcome.out)
    assert (data["passed"], data["changed_files"]) == (False, [name])
    assert all(check["passed"] for check in data["checks"])
    page = (copy / "double_pendulum.certificate.md").read_text(encoding="utf-8")
    assert "**NOT VERIFIED**" in page and "**changed since it was generated**" in page
    found = mbsym.verify(copy, states=1)
    assert found.changed == (name,) and f"{name}: changed since it was generated  FAILED" in found.summary()
    with pytest.raises(VerificationError, match=rf"not verified: {name} \(changed"):
        found.raise_on_failure()


def test_a_file_of_another_generation_is_not_verified(run: Run, tmp_path: Path) -> None:
    mbsym.generate("double_pendulum", tmp_path)
    mbsym.generate("double_pendulum", tmp_path, languages=["c"], formulation="kane")
    outcome = run("verify", tmp_path, "--states", "1")
    assert outcome.status == 1
    assert "not verified: double_pendulum.py (changed since it was generated)" in outcome.err


def test_a_certificate_does_not_outlive_the_code_that_it_is_about(tmp_path: Path) -> None:
    mbsym.generate("cart_pole", tmp_path)
    mbsym.verify(tmp_path, states=1)
    certificates = sorted(tmp_path.glob("*.certificate.*"))
    assert len(certificates) == 2
    mbsym.generate("cart_pole", tmp_path)
    assert sorted(tmp_path.glob("*.certificate.*")) == certificates
    mbsym.generate("cart_pole", tmp_path, formulation="kane")
    assert sorted(tmp_path.glob("*.certificate.*")) == []


DEATHS = {
    "c": ("double_pendulum.c", IN_C, "    *(volatile int *)0 = 1;\n", "SIGSEGV"),
    "numpy": ("double_pendulum.py", IN_PYTHON, "    import os; os.abort()\n", "SIGABRT"),
}


@pytest.mark.parametrize("language", DEATHS)
def test_code_that_ends_its_process_fails_a_check_that_names_the_signal(run: Run, copy: Path, language: str) -> None:
    name, place, text, signal = DEATHS[language]
    insert(copy / name, place, text)
    outcome = run("verify", copy, "--states", "2", "--json")
    assert outcome.status == 1
    assert "not verified: mass_matrix, " in outcome.err
    (check,) = json.loads(outcome.out)["checks"]
    assert (check["function"], check["language"], check["passed"]) == ("mass_matrix", language, False)
    assert check["against"].startswith(f"running to its end: {signal}")
    assert json.loads(outcome.out)["condition_of_mass_matrix"] is None
    assert "NOT VERIFIED" in mbsym.verify(copy, states=1).summary()


def test_code_that_prints_or_raises_is_told(run: Run, copy: Path) -> None:
    insert(copy / "double_pendulum.py", IN_PYTHON, "    print('noise'); raise KeyError('x')\n")
    outcome = run("verify", copy, "--states", "1", "--json")
    assert outcome.status == 1
    assert "numpy mass_matrix: the checks cannot go on: KeyError: 'x'; generate it again" in outcome.err
    assert json.loads(outcome.out)["error"]["what"] == "the checks cannot go on: KeyError: 'x'"


def test_what_an_interrupted_writer_left_is_settled_first(run: Run, copy: Path) -> None:
    (copy / ".double_pendulum.c.mbsym-old").write_text("left", encoding="utf-8")
    (copy / "double_pendulum.h").rename(copy / ".double_pendulum.h.mbsym-new")
    (copy / ".mbsym-journal").write_text("double_pendulum.h\n", encoding="utf-8")
    assert run("verify", copy, "--states", "1").status == 0
    assert [path.name for path in copy.iterdir() if path.name.startswith(".")] == []


def test_help_says_that_code_is_run(run: Run) -> None:
    assert "compiled and run: verify only what you would run" in " ".join(run("verify", "--help").out.split())

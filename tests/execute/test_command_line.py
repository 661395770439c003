"""The command line: verbs, exit statuses, what is written and what is not, and what becomes of wrong code.

Statuses: 0 done; 1 a check failed; 2 the input or the usage is wrong; 3 the machine lacks something.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import mbsym
from mbsym.cli import main
from mbsym.cli.json_output import DOCUMENTS, ENVELOPE
from mbsym.examples import names
from mbsym.registry import FORMULATIONS
from mbsym.verification.checks import OF_ITSELF, READ_BACK
from mechanisms.examples import further

VERBS = ("info", "label", "derive", "generate", "verify", "convert", "examples", "schema")
COMMAND = (sys.executable, "-m", "mbsym")
SUFFIXES = (".c", ".h", ".py", ".json")

FUNCTIONS = (
    "forward_dynamics", "inverse_dynamics", "mass_matrix", "bias_force", "gravity_force", "kinetic_energy",
    "potential_energy", "position_rate", "body_poses", "body_velocities", "body_jacobians", "joint_wrenches",
    "center_of_mass", "momentum",
)  # fmt: skip


Run = Callable[..., Any]
"""The fixture that runs the command line and returns status, out and err."""


def contents(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def refused(outcome: Any, directory: Path, before: dict[str, bytes], *, as_json: bool = False) -> None:
    """Status 2, a message, nothing on standard output but the error with --json, and no file made or changed."""
    assert outcome.status == 2, outcome
    told = json.loads(outcome.out)["error"]["what"] if as_json else outcome.out
    assert told == "" if not as_json else told and told in " ".join(outcome.err.split())
    assert contents(directory) == before


# ---- every verb -----------------------------------------------------------------------------------------------------


def test_version_and_help(run: Run) -> None:
    version = run("--version")
    assert (version.status, version.out, version.err) == (0, f"mbsym {mbsym.__version__}\n", "")
    for arguments in ((), *((verb,) for verb in VERBS)):
        outcome = run(*arguments, "--help")
        assert outcome.status == 0
        assert "Usage:" in outcome.out
    assert set(VERBS) <= set(run("--help").out.split())


def test_the_program_runs_as_a_module_and_as_a_script() -> None:
    script = shutil.which("mbsym", path=str(Path(sys.executable).parent))
    assert script is not None
    for command in (COMMAND, (script,)):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"mbsym {mbsym.__version__}\n", "")


def test_label(run: Run, tmp_path: Path) -> None:
    table = run("label", "puma560")
    assert table.status == 0
    data = json.loads(run("label", "puma560", "--json").out)
    assert list(data) == [
        *ENVELOPE, "bodies", "joints", "cut_joints", "flipped", "patterns", "weights", "inboard", "incidence_matrix",
        "path_matrix", "loops", "elements",
    ]  # fmt: skip
    assert data["name"] == "puma560"
    assert sorted(data["joints"].values()) == [1, 2, 3, 4, 5, 6]
    assert data["cut_joints"] == []
    # The path matrix of a chain whose joints all point outward: T = -(1 on and above the diagonal).
    assert data["path_matrix"] == [[-1 if c >= r else 0 for c in range(6)] for r in range(6)]
    assert data["inboard"] == [0, 1, 2, 3, 4, 5]
    assert all(name in table.out for name in (*data["bodies"], *data["joints"]))
    assert run("label", "quadruped", "--diagram", tmp_path / "graph.svg").status == 0
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8").lstrip().startswith(("<?xml", "<svg"))


@pytest.mark.parametrize("verb", ["derive", "generate"])
def test_formulations_are_all_named_and_each_once(run: Run, verb: str) -> None:
    names = list(FORMULATIONS)
    said = run(verb, "cart_pole", "--formulation", "nope").err
    assert said.strip().partition("known: ")[2].split(", ") == names
    assert [name for name in names if name not in "".join(run(verb, "--help").out.split())] == []
    told = " ".join(run("manual", verb).out.replace("-\n", "-").split())
    assert [name for name in names if f" {name} (" not in told.replace("transfer- matrix", "transfer-matrix")] == []


def test_label_lists_and_draws_what_is_no_joint(run: Run, tmp_path: Path) -> None:
    outcome = run("label", "cart_pole", "--diagram", tmp_path / "graph.svg")
    assert outcome.status == 0
    assert ["bearing", "joint_damper", "joint", "rail"] in [line.split() for line in outcome.out.splitlines()]
    assert ["motor", "actuator", "joint", "rail"] in [line.split() for line in outcome.out.splitlines()]
    assert "bearing: damper" in (tmp_path / "graph.svg").read_text(encoding="utf-8")
    elements = json.loads(run("label", "cart_pole", "--json").out)["elements"]
    assert {"name": "motor", "type": "actuator", "joints": ["rail"], "bodies": []} in elements
    assert "bearing: damper" in run("derive", "cart_pole", "--format", "html").out


@pytest.mark.parametrize("order", ["weight", "input"])
def test_label_takes_an_order(run: Run, order: str) -> None:
    assert run("label", "quadruped", "--order", order).status == 0


def test_generate_writes_what_it_says(run: Run, tmp_path: Path) -> None:
    outcome = run("generate", "cart_pole", "-o", tmp_path / "new" / "place")
    assert outcome.status == 0
    files = [tmp_path / "new" / "place" / f"cart_pole{suffix}" for suffix in SUFFIXES]
    assert sorted((tmp_path / "new" / "place").iterdir()) == sorted(files)
    assert [line.removeprefix("wrote ") for line in outcome.out.splitlines() if line.startswith("wrote ")] == [
        str(file) for file in files
    ]
    assert all(f"\n{name} " in outcome.out for name in FUNCTIONS)


def test_generate_writes_only_what_was_asked_for(run: Run, tmp_path: Path) -> None:
    asked = ("--function", "mass_matrix", "--function", "bias_force", "--language", "numpy")
    assert run("generate", "planar_3r", "-o", tmp_path, *asked).status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["planar_3r.json", "planar_3r.py"]
    manifest = json.loads((tmp_path / "planar_3r.json").read_text(encoding="utf-8"))
    assert [function["name"] for function in manifest["functions"]] == ["mass_matrix", "bias_force"]


@pytest.mark.parametrize(
    ("asked", "expected"), [("all", ["m1", "m2", "l1", "l2"]), ("none", []), ("l1,m2", ["m2", "l1"])]
)
def test_generate_keeps_the_parameters_asked_for(run: Run, tmp_path: Path, asked: str, expected: list[str]) -> None:
    assert run("generate", "double_pendulum", "-o", tmp_path, "--symbolic-parameters", asked).status == 0
    manifest = json.loads((tmp_path / "double_pendulum.json").read_text(encoding="utf-8"))
    assert list(manifest["run_time_parameters"]) == expected
    assert ("double_pendulum_parameters" in (tmp_path / "double_pendulum.c").read_text(encoding="utf-8")) == bool(
        expected
    )


def test_generate_in_single_precision_verifies(run: Run, tmp_path: Path) -> None:
    assert run("generate", "double_pendulum", "-o", tmp_path, "--real", "float").status == 0
    text = (tmp_path / "double_pendulum.c").read_text(encoding="utf-8")
    assert "sinf(" in text
    assert "sin(" not in text
    assert run("verify", tmp_path, "--states", "3").status == 0


def test_verify_writes_the_certificate(run: Run, tmp_path: Path) -> None:
    run("generate", "spinning_top", "-o", tmp_path)
    outcome = run("verify", tmp_path, "--states", "4", "--seed", "7", "--json")
    assert outcome.status == 0
    data = json.loads(outcome.out)
    certificate = json.loads((tmp_path / "spinning_top.certificate.json").read_text(encoding="utf-8"))
    assert {key: data[key] for key in certificate} == certificate
    assert set(data) == {*ENVELOPE, *DOCUMENTS["verify"]} and data["name"] == "spinning_top"
    assert (data["passed"], data["states"], data["seed"]) == (True, 4, 7)
    beyond = {*OF_ITSELF, READ_BACK}
    assert {check["function"] for check in data["checks"] if check["against"] not in beyond} == set(FUNCTIONS)
    assert {check["language"] for check in data["checks"]} == {"c", "numpy"}
    assert all(0 <= check["error"] <= check["tolerance"] for check in data["checks"])
    assert data["condition_of_mass_matrix"] >= 1
    assert {"-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"} <= set(data["flags"])
    assert data["compiler"]
    page = (tmp_path / "spinning_top.certificate.md").read_text(encoding="utf-8")
    assert "**verified**" in page
    assert all(name in page for name in FUNCTIONS)
    # Again, beside its own certificate.
    assert run("verify", tmp_path, "--states", "2").status == 0


@pytest.mark.parametrize(
    "name", ["cart_pole", "planar_3r", *further("floating_two_arm", "puma560", "quadruped", "space_robot")]
)
def test_verify_takes_a_model_and_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("verify", name, "--states", "2")
    assert outcome.status == 0
    assert f"{name}: verified at 2 random states" in outcome.out
    assert list(tmp_path.iterdir()) == []


def test_convert_keeps_the_model(run: Run, tmp_path: Path) -> None:
    assert run("convert", "puma560", tmp_path / "copy.yaml").status == 0
    for source, place in (("puma560", "a"), (tmp_path / "copy.yaml", "b")):
        assert run("generate", source, "-o", tmp_path / place).status == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_examples_are_listed_and_copied(run: Run, tmp_path: Path) -> None:
    *models, parts = run("examples").out.splitlines()
    assert tuple(line.split()[0] for line in models) == names()
    assert parts.startswith("parts that models include by their names: ball_screw, dc_motor, ")
    assert {
        "double_pendulum", "cart_pole", "planar_3r", "puma560", "spinning_top", "floating_two_arm", "quadruped",
    } <= set(names())  # fmt: skip
    assert run("examples", "cart_pole", "-o", tmp_path).status == 0
    assert run("label", tmp_path / "cart_pole.yaml").status == 0


def test_schema_is_a_json_schema(run: Run) -> None:
    schema = json.loads(run("schema").out)
    assert "json-schema.org" in schema["$schema"]
    assert {"bodies", "joints", "forces", "parameters"} <= set(schema["properties"])


# ---- what the machine lacks -----------------------------------------------------------------------------------------


def test_without_a_compiler(run: Run, pendulum: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(pendulum, tmp_path / "all")
    before = contents(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.delenv("CC", raising=False)
    outcome = run("verify", tmp_path / "all")
    assert outcome.status == 3
    assert "C compiler" in outcome.err
    assert "install" in outcome.err
    assert contents(tmp_path) == before
    monkeypatch.setenv("CC", "no-such-compiler")
    outcome = run("verify", tmp_path / "all")
    assert outcome.status == 3
    assert "no-such-compiler" in outcome.err
    # Neither generating nor checking NumPy alone needs one.
    assert run("generate", "planar_3r", "-o", tmp_path / "numpy", "--language", "numpy").status == 0
    assert run("verify", tmp_path / "numpy", "--states", "2").status == 0


# ---- bad input ------------------------------------------------------------------------------------------------------

ARM = """\
name: arm
parameters:
  length: {value: 0.5, unit: m}
bodies:
  upper: {mass: 2, center_of_mass: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
  lower: {mass: 1, center_of_mass: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02]}
joints:
  shoulder: {type: revolute, from: ground, to: upper, axis: z}
  elbow: {type: revolute, from: upper, to: lower, axis: z, at: [length, 0, 0]}
"""

MISTAKES = {
    "negative mass": ("mass: 2", "mass: -2", "mass"),
    "zero mass where it matters": (
        "{mass: 1, center_of_mass: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02]}",
        "{}",
        "elbow",
    ),
    "impossible inertia": ("inertia: [0.01, 0.02, 0.02]}\n  lower", "inertia: [0.01, 0.02, 0.5]}\n  lower", "inertia"),
    "not a number": ("mass: 2", "mass: .nan", "finite"),
    "infinite": ("mass: 2", "mass: .inf", "finite"),
    "zero axis": ("to: upper, axis: z", "to: upper, axis: [0, 0, 0]", "axis"),
    "duplicate name": ("  lower: {mass: 1", "  upper: {mass: 1", "upper"),
    "unknown body": ("to: lower", "to: lowr", "lower"),
    "body to itself": ("from: upper, to: lower", "from: lower, to: lower", "itself"),
    "disconnected body": ("joints:", "  loose: {mass: 1, inertia: [1, 1, 1]}\njoints:", "loose"),
    "wrong type": ("mass: 2", "mass: [2]", "a list where a number"),
    "unknown key": ("mass: 2", "masss: 2", "did you mean 'mass'"),
    "unknown joint type": ("type: revolute, from: ground", "type: revolut, from: ground", "revolute"),
    "unknown symbol": ("at: [length", "at: [lenght", "length"),
    "division by zero": ("at: [length", "at: [length/0", "zero"),
    "code in an expression": ("at: [length", 'at: [\'__import__("os").system("id")\'', "no place in an expression"),
    "attribute in an expression": ("at: [length", "at: [length.real", "length"),
    "comprehension": ("at: [length", "at: ['[x for x in (1, 2)]'", ""),
    "enormous power": ("at: [length", "at: ['9**9**9**9'", ""),
    "path as a name": ("name: arm", "name: ../../arm", "name"),
    "C in the name": ("name: arm", "name: 'arm; int x'", "name"),
    "comment in the name": ("name: arm", "name: 'arm */ int main(void) { return 1; } /*'", "name"),
    "line in the name": ("name: arm", 'name: "arm\\nimport os"', "name"),
    "keyword as a parameter": ("length: {", "for: {", ""),
    "no table": (ARM, "- 1\n- 2\n", ""),
    "nothing": (ARM, "", "empty"),
    "no YAML": (ARM, "bodies: {upper: [1, 2\n", ""),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_model_file(run: Run, tmp_path: Path, mistake: str) -> None:
    old, new, said = MISTAKES[mistake]
    assert ARM.count(old) == 1
    file = tmp_path / "arm.yaml"
    file.write_text(ARM.replace(old, new), encoding="utf-8")
    before = contents(tmp_path)
    outcome = run("generate", file, "-o", tmp_path / "out")
    refused(outcome, tmp_path, before)
    assert not (tmp_path / "out").exists()
    first = outcome.err.splitlines()[0]
    if mistake != "zero mass where it matters":  # found when the equations are derived, so that a joint is named
        assert re.match(rf"{re.escape(str(file))}:\d+:\d+: \S", first), outcome.err
    assert said in outcome.err
    assert "; " in first, "what to do"


def test_the_file_without_mistakes_is_taken(run: Run, tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM, encoding="utf-8")
    assert run("generate", tmp_path / "arm.yaml", "-o", tmp_path / "out").status == 0
    assert run("verify", tmp_path / "out", "--states", "2").status == 0


def test_a_massless_body_is_taken_where_the_mechanics_allow_it(run: Run, tmp_path: Path) -> None:
    massless = ARM.replace("{mass: 2, center_of_mass: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}", "{mass: 0}")
    assert massless != ARM
    (tmp_path / "arm.yaml").write_text(massless, encoding="utf-8")
    assert run("generate", tmp_path / "arm.yaml", "-o", tmp_path / "out").status == 0
    assert run("verify", tmp_path / "out", "--states", "2").status == 0


def entity_bomb() -> bytes:
    entities = "".join(f'<!ENTITY e{k + 1} "{f"&e{k};" * 10}">' for k in range(9))
    return f'<?xml version="1.0"?><!DOCTYPE robot [<!ENTITY e0 "ha">{entities}]><robot name="&e9;"/>'.encode()


FILES: dict[str, tuple[str, bytes]] = {
    "empty YAML": ("x.yaml", b""),
    "empty URDF": ("x.urdf", b""),
    "not UTF-8": ("x.yaml", ARM.encode().replace(b"arm", b"\xff\xfe")),
    "not UTF-8 in XML": ("x.urdf", b'<robot name="\xff"/>'),
    "binary": ("x.yaml", bytes(range(256))),
    "truncated XML": ("x.urdf", b'<robot name="a"><link name="b"><inertial>'),
    "truncated tag": ("x.urdf", b'<robot name="a"><link na'),
    "entity bomb": ("x.urdf", entity_bomb()),
    "external entity": (
        "x.urdf",
        b'<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><robot name="a"><link name="&f;"/></robot>',
    ),
    "entity bomb in MJCF": ("x.xml", entity_bomb().replace(b"robot", b"mujoco")),
    "alias bomb": (
        "x.yaml",
        b"a0: &a0 [x, x]\n" + b"".join(b"a%d: &a%d [*a%d, *a%d]\n" % (k + 1, k + 1, k, k) for k in range(40)),
    ),
    "deep YAML": ("x.yaml", b"[" * 20000),
    "deep XML": ("x.urdf", b"<a>" * 20000),
    "Python in YAML": ("x.yaml", b"name: !!python/object/apply:os.system ['touch here']\n"),
    "another format": ("x.yaml", b'{"a": 1}'),
}


@pytest.mark.parametrize("what", FILES)
def test_a_file_that_is_no_model(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    name, content = FILES[what]
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    before = contents(tmp_path)
    tracemalloc.start()
    outcome = run("generate", name, "-o", "out")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100e6, "a bomb has gone off"
    refused(outcome, tmp_path, before)
    assert re.match(rf"{re.escape(name)}:\d+:\d+: \S", outcome.err), outcome.err
    assert "root:" not in outcome.err


@pytest.mark.parametrize("line", ["label x.yaml --json", "derive x.yaml", "verify x.yaml", "convert x.yaml y.yaml"])
def test_every_verb_refuses_a_mistake_alike(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.yaml").write_text(ARM.replace("mass: 2", "mass: -2"), encoding="utf-8")
    before = contents(tmp_path)
    outcome = run(*line.split())
    refused(outcome, tmp_path, before, as_json="--json" in line)
    assert outcome.err.startswith("x.yaml:5:17: ")


@pytest.mark.parametrize("name", ["big.yaml", "big.urdf", "big.xml"])
def test_an_enormous_file_is_not_read(run: Run, tmp_path: Path, name: str) -> None:
    with (tmp_path / name).open("wb") as stream:
        stream.truncate(1 << 40)
    outcome = run("generate", tmp_path / name, "-o", tmp_path / "out")
    assert outcome.status == 2
    assert "MB" in outcome.err or "large" in outcome.err
    assert not (tmp_path / "out").exists()


HOSTILE = (
    "*/ int evil(void) { return 1; } /*", "??/", "// \\\\", "'; import os; os.abort(); '", '\\"\\"\\"', "{{ 7 * 7 }}",
    "{% raw %}", "%s%n", "back`tick`", "../../../etc/x", "$(id)", "line\\nbreak", "bell\\a", " blank", "",
)  # fmt: skip
"""As they stand between quotation marks in YAML."""

ODD = (
    "double", "int", "q", "NULL", "sin", "t1", "parameters", "NB", "a/b", "a.b", "a-b", "a b",
    "a_b", "A_B", "1", "01", "Körper", "漢字", "arm (left) [2]:+", "ground 2", "def", "lambda",
)  # fmt: skip


def chain_of(names_of_bodies: tuple[str, ...]) -> str:
    """A model file with bodies of these names in a row, joints named alike."""
    bodies = [f'  "{name}": {{mass: 1, inertia: [1, 1, 1]}}' for name in names_of_bodies]
    chain = ["ground", *names_of_bodies]
    joints = [
        f'  "{after}": {{type: revolute, from: "{before}", to: "{after}", at: [1, 0, 0]}}'
        for before, after in pairwise(chain)
    ]
    return "\n".join(["name: chain", "bodies:", *bodies, "joints:", *joints, ""])


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_could_do_something_is_refused(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "chain.yaml").write_text(chain_of((name,)), encoding="utf-8")
    before = contents(tmp_path)
    outcome = run("generate", tmp_path / "chain.yaml", "-o", tmp_path / "out")
    refused(outcome, tmp_path, before)
    assert outcome.err.startswith(f"{tmp_path / 'chain.yaml'}:3:3: "), outcome.err


def test_odd_names_are_names(run: Run, tmp_path: Path) -> None:
    """Keywords, our own identifiers, slashes and letters of all scripts may name bodies and collide with nothing."""
    (tmp_path / "chain.yaml").write_text(chain_of(ODD), encoding="utf-8")
    functions = [part for name in ("mass_matrix", "bias_force", "center_of_mass") for part in ("--function", name)]
    assert run("generate", tmp_path / "chain.yaml", "-o", tmp_path / "out", *functions).status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chain.yaml", "out"]
    assert run("verify", tmp_path / "out", "--states", "2").status == 0
    manifest = json.loads((tmp_path / "out" / "chain.json").read_text(encoding="utf-8"))
    assert [body["name"] for body in manifest["bodies"] if body["name"] != "ground"] == list(ODD)


IMPOSSIBLE = """\
<robot name="r"><link name="base"/><link name="world">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="world"/></joint></robot>
"""


def test_an_impossible_inertia_of_a_robot_is_a_warning(run: Run, tmp_path: Path) -> None:
    """Real robot files hold such, and links named like ours."""
    file = tmp_path / "r.urdf"
    file.write_text(IMPOSSIBLE, encoding="utf-8")
    outcome = run("generate", file, "-o", tmp_path / "out", "--function", "mass_matrix")
    assert outcome.status == 0
    warnings = [line for line in outcome.err.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 2
    assert all("'world'" in line for line in warnings)
    strict = run("generate", file, "-o", tmp_path / "strict", "--strict")
    assert strict.status == 2
    assert re.match(rf"{re.escape(str(file))}:\d+:\d+: ", strict.err)
    assert not (tmp_path / "strict").exists()


# ---- bad usage ------------------------------------------------------------------------------------------------------

NONSENSE = [
    ("", ""),
    ("frobnicate", "frobnicate"),
    ("--frobnicate", "--frobnicate"),
    ("generate", "model"),
    ("generate nosuch", "examples"),
    ("generate double_pendlum", "'double_pendulum'"),
    ("generate nosuch.yaml", "nosuch.yaml"),
    ("generate nosuch.urdf", "nosuch.urdf"),
    ("generate text.txt", ".urdf"),
    ("generate .", "directory"),
    ("generate double_pendulum extra", "extra"),
    ("generate double_pendulum -o", "-o"),
    ("generate double_pendulum -o text.txt", "text.txt"),
    ("generate double_pendulum -o /dev/null/x", "/dev/null"),
    ("generate double_pendulum --real quad", "double or float"),
    ("generate double_pendulum --language fortran", "known: c, numpy"),
    ("generate double_pendulum --language numpy --batch all", "add --language c"),
    ("generate double_pendulum --language numpy --trigonometry inline", "add --language c"),
    ("generate double_pendulum --function nope", "mass_matrix"),
    ("generate double_pendulum --formulation nope", "auto"),
    ("generate double_pendulum --symbolic-parameters nope", "m1"),
    ("generate double_pendulum --symbolic-parameters ,", "m1"),
    ("generate double_pendulum --order zigzag", "weight"),
    ("generate double_pendulum --snap-angles nan", "--snap-angles"),
    ("generate double_pendulum --snap-angles -1", "--snap-angles"),
    ("generate double_pendulum --snap-angles 2", "--snap-angles"),
    ("generate double_pendulum --snap-angles x", "--snap-angles"),
    ("label", "model"),
    ("label double_pendulum --order zigzag", "weight"),
    ("label double_pendulum --json --yaml", "--yaml"),
    ("derive double_pendulum --format nope", "latex"),
    ("derive double_pendulum --formulation nope", "kane"),
    ("verify", "target"),
    ("verify nosuch", "nosuch"),
    ("verify .", "manifest"),
    ("verify double_pendulum --states 0", "--states"),
    ("verify double_pendulum --states many", "--states"),
    ("verify double_pendulum --seed -1", "--seed"),
    ("convert double_pendulum", "OUT"),
    ("convert double_pendulum out.urdf", ".yaml"),
    ("convert nosuch out.yaml", "nosuch"),
    ("examples nosuch", "cart_pole"),
    ("examples cart_pole -o text.txt", "text.txt"),
    ("schema extra", "extra"),
]


@pytest.mark.parametrize(("line", "said"), NONSENSE, ids=[line for line, _ in NONSENSE])
def test_nonsense(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, said: str) -> None:
    (tmp_path / "text.txt").write_text("mine", encoding="utf-8")
    before = contents(tmp_path)
    monkeypatch.chdir(tmp_path)
    outcome = run(*line.split())
    refused(outcome, tmp_path, before, as_json="--json" in line)
    assert said in outcome.err or said in outcome.err.lower()  # Typer's versions write arguments in either case


def test_a_directory_without_or_with_damaged_manifest(run: Run, pendulum: Path, tmp_path: Path) -> None:
    manifest = (pendulum / "double_pendulum.json").read_text(encoding="utf-8")
    damages = {
        "half": manifest[: len(manifest) // 2],
        "list": "[]",
        "model": manifest.replace("mass: m1", "mass: -m1"),
        "type": manifest.replace('"functions": [', '"functions": 3, "other": ['),
        "symbol": manifest.replace("double_pendulum_mass_matrix", "double_pendulum_no_such_symbol"),
        "real": manifest.replace('"real": "double"', '"real": "quad"'),
    }
    for what, text in damages.items():
        assert text != manifest, what
        shutil.copytree(pendulum, tmp_path / what)
        (tmp_path / what / "double_pendulum.json").write_text(text, encoding="utf-8")
        assert run("verify", tmp_path / what, "--states", "1").status == 2, what


# ---- files of others, interruptions, determinism --------------------------------------------------------------------


def test_files_of_others_are_kept_without_force(run: Run, tmp_path: Path) -> None:
    (tmp_path / "planar_3r.h").write_text("mine", encoding="utf-8")
    (tmp_path / "cart_pole.yaml").write_text("mine", encoding="utf-8")
    (tmp_path / "drawing.svg").write_text("mine", encoding="utf-8")
    before = contents(tmp_path)
    lines: tuple[tuple[str | Path, ...], ...] = (
        ("generate", "planar_3r", "-o", tmp_path),
        ("convert", "planar_3r", tmp_path / "cart_pole.yaml"),
        ("examples", "cart_pole", "-o", tmp_path),
        ("label", "cart_pole", "--diagram", tmp_path / "drawing.svg"),
    )
    for line in lines:
        outcome = run(*line)
        refused(outcome, tmp_path, before)
        assert "was not written by mbsym" in outcome.err
    assert run("generate", "planar_3r", "-o", tmp_path, "--force").status == 0
    assert b"Generated by mbsym" in (tmp_path / "planar_3r.h").read_bytes()
    # What mbsym wrote it overwrites unasked.
    assert run("generate", "planar_3r", "-o", tmp_path, "--real", "float").status == 0
    assert b"float" in (tmp_path / "planar_3r.h").read_bytes()


@pytest.mark.parametrize("moment", ["write_text", "replace"])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_an_interruption_leaves_the_old_files(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, number: int
) -> None:
    """At each of the four files, while they are written and while they get their names."""
    run("generate", "double_pendulum", "-o", tmp_path)
    before = contents(tmp_path)
    original = getattr(Path, moment)
    calls = 0

    def interrupted(path: Path, *arguments: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if calls == number:
            raise KeyboardInterrupt
        return original(path, *arguments, **options)

    monkeypatch.setattr(Path, moment, interrupted)
    assert main(["generate", "double_pendulum", "-o", str(tmp_path), "--real", "float"]) == 130
    monkeypatch.undo()
    assert calls >= number
    assert contents(tmp_path) == before
    # And where there was nothing, nothing is left.
    calls = 0
    monkeypatch.setattr(Path, moment, interrupted)
    assert main(["generate", "double_pendulum", "-o", str(tmp_path / "new")]) == 130
    monkeypatch.undo()
    assert contents(tmp_path) == before


@pytest.mark.parametrize("sent", [*further(signal.SIGINT), signal.SIGTERM, signal.SIGKILL])
def test_a_run_killed_while_it_writes_leaves_whole_files(run: Run, tmp_path: Path, sent: signal.Signals) -> None:
    """Each file is the old or the new one, and after an interrupt from the keyboard all are old or all are new."""
    (tmp_path / "old").mkdir()
    run("generate", "planar_3r", "-o", tmp_path / "old")
    run("generate", "planar_3r", "-o", tmp_path / "new", "--real", "float")
    old, new = contents(tmp_path / "old"), contents(tmp_path / "new")
    process = subprocess.Popen(
        [*COMMAND, "generate", "planar_3r", "-o", str(tmp_path / "old"), "--real", "float"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and not list((tmp_path / "old").glob(".*")):
        time.sleep(0.0005)
    process.send_signal(sent)
    status = process.wait(timeout=60)
    found = {name: text for name, text in contents(tmp_path / "old").items() if not name.startswith(".")}
    assert set(found) == set(old)
    assert all(text in (old[name], new[name]) for name, text in found.items())
    if status == 0:
        assert found == new
    if sent == signal.SIGINT:
        assert found in (old, new)
        assert status == 130 or found == new


@pytest.mark.more
def test_the_output_is_the_same_in_every_process(tmp_path: Path) -> None:
    """Another hash seed, another directory, another locale: the same bytes."""
    lines = (
        ["generate", "floating_two_arm", "-o", "out"],
        ["info", "four_bar"],
        ["label", "quadruped", "--json"],
        ["convert", "puma560", "out/puma.yaml"],
        ["derive", "planar_3r"],
        ["schema"],
    )
    program = f"from mbsym.cli import main\nraise SystemExit(max(main(line) for line in {lines}))"
    found = []
    for seed, locale in (("0", "C"), ("4242", "C.UTF-8")):
        (directory := tmp_path / seed).mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": f"UTC{seed[0]}"}
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=directory, env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
        found.append((done.stdout, contents(directory)))
    assert found[0] == found[1]
    assert len(found[0][1]) == 5
    assert str(tmp_path).encode() not in b"".join(found[0][1].values())


def test_json_stands_alone_on_standard_output(tmp_path: Path) -> None:
    """Warnings go to standard error, so that a program can read the rest."""
    (tmp_path / "r.urdf").write_text(IMPOSSIBLE, encoding="utf-8")
    done = subprocess.run(
        [*COMMAND, "label", str(tmp_path / "r.urdf"), "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["name"] == "r"
    assert "warning: " in done.stderr
    assert "\r" not in done.stderr + done.stdout
    assert "\x1b" not in done.stderr + done.stdout


def test_parameters_may_bear_the_names_of_the_module(tmp_path: Path, run: Run) -> None:
    names = ("real", "parameters", "restrict", "NQ", "mass_matrix", "default_parameters", "FORMAL", "H")
    lines = [f"  arm_{name}: {{value: 0.5, symbolic: true}}" for name in names]
    lines.append("  MBSYM_arm_H: {value: 0.5, symbolic: true}")
    total = " + ".join([*(f"arm_{name}" for name in names), "MBSYM_arm_H"])
    text = "\n".join(
        [
            "name: arm",
            "parameters:",
            *lines,
            "bodies:",
            f"  rod: {{mass: {total}, center_of_mass: [0, 0, arm_real], inertia: [1, 1, 0.5]}}",
            "joints:",
            "  pin: {type: revolute, from: ground, to: rod, axis: y}",
        ]
    )
    (tmp_path / "arm.yaml").write_text(text, encoding="utf-8")
    assert run("generate", tmp_path / "arm.yaml", "-o", tmp_path / "code").status == 0
    assert run("verify", tmp_path / "code").status == 0


def test_exact_numbers_that_square_themselves_end_politely(tmp_path: Path, run: Run) -> None:
    lines = ["name: squares", "parameters:", "  p0: 1.0000000000000017"]
    lines += [f"  p{k}: p{k - 1}*p{k - 1}/1.0000000000000013" for k in range(1, 40)]
    lines += ["bodies:", "  rod: {mass: p3, inertia: [1, 1, 1]}", "joints:", "  pin: [revolute, ground, rod]"]
    path = tmp_path / "squares.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    outcome = run("generate", path, "-o", tmp_path / "code")
    assert outcome.status == 2
    assert f"{path}:14:8: an exact number grew beyond 19660 digits" in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert not (tmp_path / "code").exists()


def test_what_goes_with_other_c_of_the_name_is_removed(run: Run, tmp_path: Path) -> None:
    line = ("generate", "cart_pole", "--function", "mass_matrix", "-o", tmp_path)
    beside = {"cart_pole_batch.c", "cart_pole_batch.h", "cart_pole_selftest.c"}
    assert run(*line, "--batch", "all", "--self-test").status == 0
    assert beside < {path.name for path in tmp_path.iterdir()}
    (tmp_path / "cart_pole_batch.h").write_text("mine\n", encoding="utf-8")
    assert run(*line, "--language", "numpy").status == 0
    assert beside < {path.name for path in tmp_path.iterdir()}
    assert run(*line).status == 0
    assert {path.name for path in tmp_path.iterdir()} & beside == {"cart_pole_batch.h"}

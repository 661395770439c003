"""What the command line imports before it knows what is asked, and that its list of verbs is the verbs there are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mbsym.cli
from mbsym.cli.application import VERBS

HEAVY = ("sympy", "scipy", "numpy", "jinja2", "pydantic", "mbsym.pipeline", "mbsym.model", "mbsym.symbolic")
NO_VERB = {
    "application",
    "delivery",
    "in_unit",
    "json_output",
    "reading",
    "spoken",
    "taken",
    "terminal",
    "progress",
}

PENDULUM = """<robot name="pendulum">
  <link name="ground"/>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 -0.5"/>
      <mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/>
    </inertial>
    <visual><geometry><mesh filename="rod.stl"/></geometry></visual>
  </link>
  <joint name="hinge" type="continuous">
    <parent link="ground"/>
    <child link="rod"/>
    <axis xyz="0 1 0"/>
  </joint>
</robot>
"""

Captured = pytest.CaptureFixture[str]


def heavy_modules_after(*arguments: str) -> list[str]:
    """Those of ``HEAVY`` that a fresh interpreter has loaded after it ran the command line."""
    program = (
        "import sys; from mbsym.cli import main; status = main(sys.argv[1:]); "
        f"print(*(name for name in {HEAVY} if name in sys.modules), file=sys.stderr); sys.exit(status)"
    )
    root = Path(mbsym.cli.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout
    return done.stderr.split()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    assert heavy_modules_after(*arguments) == []


QUICK = ("info", "label", "verify", "simulate", "linearise", "equilibrium", "modes", "convert", "examples", "schema")


@pytest.mark.parametrize("verb", [*QUICK, "show"])
def test_help_of_a_verb_loads_no_library_of_mathematics_and_not_the_pipeline(verb: str) -> None:
    found = heavy_modules_after(verb, "--help")
    assert {"sympy", "scipy", "numpy", "jinja2", "mbsym.pipeline"}.isdisjoint(found)


def test_what_is_loaded_is_seen() -> None:
    assert "mbsym.pipeline" in heavy_modules_after("derive", "cart_pole")


def test_a_robot_is_generated_without_numpy_and_pydantic(tmp_path: Path) -> None:
    robot = tmp_path / "pendulum.urdf"
    robot.write_text(PENDULUM, encoding="utf-8")
    (tmp_path / "rod.stl").write_bytes(bytes(84))  # looked for, and not looked into
    found = heavy_modules_after("generate", str(robot), "-o", str(tmp_path), "--largest", "50", "--snap-angles", "1e-6")
    assert "mbsym.pipeline" in found
    assert {"numpy", "pydantic", "sympy", "scipy"}.isdisjoint(found)


def test_every_module_of_a_verb_is_listed() -> None:
    modules = {path.stem for path in Path(mbsym.cli.__file__).parent.glob("[a-z]*.py")}
    assert modules == set(VERBS) | NO_VERB


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_called_as_it_is_listed(verb: str, capsys: Captured) -> None:
    assert mbsym.cli.main([verb, "--help"]) == 0
    assert f" {verb} [OPTIONS]" in capsys.readouterr().out.splitlines()[0]


def test_each_line_of_the_list_is_whole(capsys: Captured) -> None:
    assert mbsym.cli.main(["--help"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert [line for line in lines if line in {f"{verb} {said}" for verb, said in VERBS.items()}] == [
        f"{verb} {said}" for verb, said in VERBS.items()
    ]


def test_a_slip_is_mended(capsys: Captured) -> None:
    assert mbsym.cli.main(["lable"]) == 2
    assert "Did you mean 'label'?" in capsys.readouterr().err


@pytest.mark.parametrize(("typed", "offered"), [("mbsym la", "label"), ("mbsym label --ma", "--matrices")])
def test_a_shell_completes_verbs_and_options(typed: str, offered: str) -> None:
    words = {"_MBSYM_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    program = "import sys; from mbsym.cli import main; sys.argv[0] = 'mbsym'; sys.exit(main())"
    root = Path(mbsym.cli.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=root, env={**os.environ, **words}
    )
    assert done.stdout.split() == [offered]

"""The verb simulate: what it writes, what it says, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mbsym.cli import main
from mbsym.errors import ToolchainError
from mbsym.visualisation import plots

SHORT = ["simulate", "double_pendulum", "--duration", "0.1", "--language", "numpy"]
LOOP = ["simulate", "rhombus_regular", "--duration", "0.1", "--language", "numpy"]
STEPPED = [*LOOP, "--method", "transfer-matrix"]


def test_it_writes_what_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["run.csv", "run.npz", "run.png", "run.html"]
    csv, npz, png, html = (str(tmp_path / name) for name in names)
    start = ["--initial", "q_shoulder=1.2,v_elbow=-1e-1", "--initial", "q_elbow=0.3"]
    assert main([*SHORT, *start, "-o", csv, "--plot", png, "--animation", html]) == 0
    said = capsys.readouterr()
    assert "drifts by" in said.out and f"wrote {csv}" in said.out and said.err == ""
    assert main([*SHORT, "-o", npz, "--step", "0.05", "--method", "rk4"]) == 0
    assert sorted(item.name for item in tmp_path.iterdir()) == sorted(names)
    header = (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()
    assert header[2].startswith("0.0,1.2,0.3,0.0,-0.1,")


def test_gains_are_one_or_two(capsys: pytest.CaptureFixture[str]) -> None:
    for gains in ("20", "20,100"):
        assert main([*LOOP, "--duration", "0.001", "--correction", "baumgarte", "--gains", gains]) == 0
    assert capsys.readouterr().err == ""


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SHORT, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["name"] == "double_pendulum" and found["files"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simulate", "double_pendulum"], "--duration"),
        (["simulate", "double_pendulm", "--duration", "1"], "double_pendul"),
        ([*SHORT, "--step", "-1"], "the step is -1"),
        ([*SHORT, "--method", "euler"], "no method is called 'euler'"),
        ([*SHORT, "--initial", "q_elbw=1"], "did you mean q_elbow"),
        ([*SHORT, "--initial", "elbow=1"], "'elbow' is a joint and no coordinate or speed; give q_elbow or v_elbow"),
        (["simulate", "four_bar", "--duration", "1", "--initial", "D=1"], "joint D is cut and follows from the others"),
        (["simulate", "spinning_top", "--duration", "1", "--initial", "tip=1"], "give q_tip_w, q_tip_x, q_tip_y, q_"),
        ([*SHORT, "--initial", "q_elbow"], "write NAME=NUMBER"),
        ([*SHORT, "--initial", "q_elbow=x"], "write NAME=NUMBER"),
        ([*SHORT, "--initial", "q_elbow=5+deg"], "write NAME=NUMBER, in SI units and rad, or with a unit"),
        ([*SHORT, "--initial", "q_elbow=1_0"], "'q_elbow=1_0' gives no number a name"),
        ([*SHORT, "--initial", "q_elbow=1", "--initial", "q_elbow=2"], "--initial: q_elbow is given twice"),
        ([*SHORT, "--tau", "v_elbow=1,v_elbow=1"], "--tau: v_elbow is given twice"),
        ([*SHORT, "--rtol", "nan"], "rtol = nan is no finite number"),
        ([*SHORT, "--limits", "halt"], "limits cannot be treated by 'halt'; known are tell, stop"),
        ([*SHORT, "--tau", "v_knee=1"], "no speed is called"),
        ([*SHORT, "--input", "push=1"], "no control input is called"),
        ([*SHORT, "--parameter", "m3=1"], "no parameter is named"),
        ([*SHORT, "--correction", "projection"], "no closed loops"),
        ([*SHORT, "--gains", "20"], "add --correction baumgarte"),
        ([*LOOP, "--correction", "baumgarte", "--gains", "1,2,3"], "give ALPHA or ALPHA,BETA"),
        ([*LOOP, "--correction", "baumgarte", "--gains", "-1"], "numbers that are not negative"),
        ([*LOOP, "--correction", "baumgarte", "--gains", "x"], "'x' are no gains"),
        ([*LOOP, "--correction", "baumgarte", "--gains", ""], "'' are no gains"),
        ([*SHORT, "--quantity", "total"], "--quantity: curves are those of a plot; add --plot"),
        ([*LOOP, "--scheme", "wilson"], "use transfer-matrix, or leave them out"),
        ([*STEPPED, "--scheme", "wilsen"], "no integration scheme is called 'wilsen'"),
        ([*STEPPED, "--scheme-parameter", "theta=1.5"], "generalised-alpha has no parameter 'theta'"),
        ([*STEPPED, "--rotation", "euler"], "use incremental or cardan"),
        ([*STEPPED, "--rotation", "cardan"], "the motion is planar"),
        ([*SHORT, "-o", "run.txt"], "use .csv, .npz"),
        ([*SHORT, "--plot", "run.jpeg"], "use .png, .svg"),
        ([*SHORT, "--animation", "run.mp4"], "use .html, .gif"),
    ],
)
def test_mistakes_end_with_status_two(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert message in said.err and "Traceback" not in said.err and said.out == ""
    assert list(tmp_path.iterdir()) == []


def test_somebody_elses_file_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "data.csv"
    target.write_text("mine\n", encoding="utf-8")
    assert main([*SHORT, "-o", str(target)]) == 2
    assert target.read_text(encoding="utf-8") == "mine\n"
    assert "not written by mbsym" in capsys.readouterr().err
    assert main([*SHORT, "-o", str(target), "--force"]) == 0
    assert main([*SHORT, "-o", str(target)]) == 0


def test_what_the_machine_lacks_ends_with_status_three(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def none() -> None:
        raise ToolchainError("plots need matplotlib", remedy="install it")

    monkeypatch.setattr(plots, "require_matplotlib", none)
    assert main([*SHORT, "--plot", str(tmp_path / "run.png")]) == 3
    monkeypatch.setenv("CC", "no-such-compiler")
    assert main([*SHORT[:-1], "c"]) == 3
    assert "no C compiler" in capsys.readouterr().err


def test_a_named_state_is_a_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pin.yaml"
    path.write_text(
        "bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\njoints: {pin: {type: revolute, from: ground, to: rod}}\n"
        "states: {up: {q: {pin: 0.3}, v: {pin: 2}}}\n",
        encoding="utf-8",
    )
    command = ["simulate", str(path), "--duration", "1", "--language", "numpy", "--json"]
    assert main([*command, "--initial", "up", "--initial", "v_pin=0"]) == 0
    assert json.loads(capsys.readouterr().out)["q"] == {"q_pin": 0.3}
    assert main([*command, "--initial", "down"]) == 2
    assert "no state of the model has that name; write NAME=NUMBER or one of up" in capsys.readouterr().err

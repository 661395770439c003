"""The MODEL argument with its options."""

from __future__ import annotations

from math import pi
from pathlib import Path

import pytest

from mbsym.cli.application import VERBS, main
from mbsym.cli.reading import Reading, read_model
from mbsym.cli.taken import made
from mbsym.errors import MbsymError

MASSLESS = "bodies: {a: {mass: 1}}\njoints: {j: [prismatic, ground, a]}\n"


def test_an_example_by_its_name_and_a_file_by_its_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert read_model("cart_pole").name == "cart_pole"
    path = tmp_path / "slide.yaml"
    path.write_text(MASSLESS, encoding="utf-8")
    assert [body.name for body in read_model(str(path)).bodies] == ["a"]
    assert capsys.readouterr().out == ""


def test_wrenches_at_frames_become_inputs() -> None:
    model = read_model("spinning_top", made(Reading, {"wrench_inputs": ("top",), "wrench_axes": "aligned"}))
    assert len(model.inputs) == 6


def test_warnings_go_to_standard_error_and_end_it_only_where_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text("bodies: {a: {mass: 1, inertia: [1, 1, 5]}}\njoints: {j: [revolute, ground, a]}\n"
                    "accept_impossible_inertia: true\n", encoding="utf-8")  # fmt: skip
    model = read_model(str(path))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("warning: ") == len(model.warnings) > 0
    with pytest.raises(MbsymError):
        read_model(str(path), made(Reading, {"strict": True}))


ROBOT = """<robot name="r"><link name="base"/><link name="rod"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pin" type="continuous"><parent link="base"/><child link="rod"/></joint></robot>"""


def test_loops_from_a_file_of_any_name(tmp_path: Path) -> None:
    robot, loops = tmp_path / "r.urdf", tmp_path / "closing.yaml"
    robot.write_text(ROBOT, encoding="utf-8")
    loops.write_text("constraints: {far: {type: distance, first_body: base, second_body: rod, length: 1}}\n")
    closed = made(Reading, {"loops": str(loops)})
    assert read_model(str(robot)).constraints == ()
    assert [item.name for item in read_model(str(robot), closed).constraints] == ["far"]
    with pytest.raises(MbsymError, match=r"missing\.yaml"):
        read_model(str(robot), made(Reading, {"loops": str(tmp_path / "missing.yaml")}))
    with pytest.raises(MbsymError, match=r"cart_pole\.yaml: only a URDF has its loops in another file"):
        read_model("cart_pole", closed)


def test_every_verb_that_reads_a_model_takes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is refused, by the file that is not there."""
    robot = tmp_path / "r.urdf"
    robot.write_text(ROBOT, encoding="utf-8")
    apart = {"certify", "doctor", "examples", "manual", "new", "schema"}
    for verb in sorted(set(VERBS) - apart):
        consumer = ["casadi"] if verb == "export" else []
        output = [str(tmp_path / "out.yaml")] if verb == "convert" else []
        output += ["--duration", "1"] if verb == "simulate" else []
        output += ["--from", "1", "--to", "2"] if verb == "response" else []
        assert main([verb, *consumer, str(robot), *output, "--loops", str(tmp_path / "no.yaml")]) == 2, verb
        assert "no.yaml" in capsys.readouterr().err, verb


@pytest.mark.parametrize("tolerance", [-1e-9, pi / 4, float("nan"), float("inf")])
def test_what_is_no_tolerance_of_angles_is_refused(tolerance: float) -> None:
    with pytest.raises(MbsymError, match="no tolerance of angles") as caught:
        made(Reading, {"snap_angles": tolerance})
    assert caught.value.where == "`snap_angles`"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["label", "cart_pole", "--cut", "rail"], "joint rail: the joint is forced to be cut but lies in no loop"),
        (["label", "four_bar", "--cut", "nobody"], "no joint is named 'nobody'; use one of A, B, C, D"),
        (["report", "cart_pole", "-o", "page.pdf"], "page.pdf: the report is a page; end it in .html"),
        (["export", "cpp", "cart_pole", "--cut", "rail"], "joint rail: "),
        (["export", "fmu", "cart_pole", "--fmi", "3.0", "--set", "fmi=2.0"], "--set: fmi is to be 2.0 and 3.0"),
        (["generate", "cart_pole", "--self-test", "--language", "numpy"], "--self-test: this is about C"),
        (["simulate", "rhombus_planar", "--duration", "1", "--scheme", "euler"], "--scheme: no integration scheme"),
        (
            ["simulate", "rhombus_planar", "--duration", "1", "--scheme-parameter", "theta=1"],
            "--scheme-parameter: generalised-alpha has no parameter 'theta'",
        ),
    ],
)
def test_options_are_refused_by_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(line) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err
    assert list(tmp_path.iterdir()) == []

"""Cut joints of the driver-cab system by every order of assembly, and forced ones, from the command line and Python."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import mbsym
from mbsym import examples
from mbsym.cli import main
from mbsym.errors import ModelError
from mbsym.model.system import with_cuts
from mbsym.topology.spanning_tree import ASSEMBLY_ORDERS
from mechanisms.examples import further

CUT = {
    "weight": "belmtu",
    "input": "celmtu",
    "type-only": "celmtu",
    "ground-first": "belmtu",
    "depth-first": "belmtu",
    "breadth-first": "cdhipq",
}


def labelled(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, list[str]]:
    assert main(["label", "driver_cab", "--json", *options]) == 0
    content: dict[str, list[str]] = json.loads(capsys.readouterr().out)
    return content


@pytest.mark.parametrize("order", ASSEMBLY_ORDERS)
def test_every_order_is_reached_by_the_command_and_from_python(order: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "".join(labelled(capsys, "--order", order)["cut_joints"]) == CUT[order]
    assert "".join(map(str, examples.load("driver_cab").label(order=order).cut_joints)) == CUT[order]


def test_joints_are_cut_and_kept_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    assert "".join(labelled(capsys, "--cut", "h,a", "--keep", "b")["cut_joints"]) == "aehmtu"
    assert not set("lmt") & set(labelled(capsys, "--keep", "l", "--keep", "m,t")["cut_joints"])
    demanded = with_cuts(examples.load("driver_cab"), cut=["h", "a"], keep=["b"])
    assert "".join(map(str, demanded.label().cut_joints)) == "aehmtu"


def test_a_demand_takes_the_place_of_the_model_s_own() -> None:
    model = examples.load("driver_cab")
    joints = tuple(replace(joint, cut="tree") if joint.name == "b" else joint for joint in model.joints)
    kept = replace(model, joints=joints)
    assert "b" not in kept.label().cut_joints
    assert "b" in with_cuts(kept, cut=["b"]).label().cut_joints


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--order", "size"], "--order: there is no order 'size'; use weight, input, type-only"),
        (["--cut", "h", "--keep", "h"], "joint 'h' is to be cut and kept"),
        (["--cut", "zz"], "no joint is named 'zz'"),
        (["--cut", "a,b,e,l,m,t,u"], "are all forced to be cut"),
        (["--keep", "a,b,c"], "joints forced into the tree form the loop"),
    ],
)
def test_demands_that_cannot_be_met_are_named(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["label", "driver_cab", *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "cut"), [([], "D"), (["--cut", "B"], "B"), *further((["--order", "breadth-first"], "C"))]
)
def test_equations_and_code_follow_the_cut(
    options: list[str], cut: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The kept module says which joint is cut, and is verified with the same order again.
    assert main(["generate", "four_bar", "-o", str(tmp_path), "--language", "numpy", *options]) == 0
    manifest = json.loads((tmp_path / "four_bar.json").read_text(encoding="utf-8"))
    assert [joint["name"] for joint in manifest["joints"] if joint["cut"]] == [cut]
    assert mbsym.verify(tmp_path, states=2).passed
    assert main(["derive", "four_bar", *options]) == 0
    assert f"v_{cut}" not in capsys.readouterr().out
    assert main(["simulate", "four_bar", "--duration", "0.01", "--language", "numpy", *options]) == 0


def test_a_loose_body_is_told_how_to_float(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "name: loose\nbodies:\n  box: {mass: 1, inertia: [1, 1, 1]}\njoints: {}\n"
    path = tmp_path / "loose.yaml"
    path.write_text(text, encoding="utf-8")
    assert main(["label", str(path)]) == 2
    assert "say free_roots: true" in capsys.readouterr().err
    path.write_text(f"free_roots: true\n{text}", encoding="utf-8")
    assert main(["label", str(path)]) == 0
    assert "free joints added: box_free" in capsys.readouterr().out
    with pytest.raises(ModelError, match="free_roots"):
        mbsym.derive(mbsym.Model("loose", (mbsym.Body("box", 1, (0, 0, 0), (1, 1, 1, 0, 0, 0)),), ()))

"""Initial values of all joints take part in closing the loops, those of joints that are cut as well."""

from __future__ import annotations

import json
from dataclasses import replace
from math import pi
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.cli import main
from mbsym.errors import ModelError
from mbsym.loops.assembly import Assembly, assemble
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.values.parameter import Value
from mechanisms.mechanism import mechanism_of
from mechanisms.overconstrained import windows


def started(count: int, **initial: Value) -> Model:
    """A row of windows with initial values by joint."""
    model = windows(count)
    joints = (replace(j, initial=(initial[j.name],)) if j.name in initial else j for j in model.joints)
    return replace(model, joints=tuple(joints))


def angles(model: Model, done: Assembly) -> dict[str, float]:
    """Coordinates of the joints of the tree by name."""
    return {body.joint.name: float(done.q[body.q_range[0]]) for body in mechanism_of(model).bodies}


def test_the_value_of_a_cut_joint_chooses_the_configuration() -> None:
    model = started(1, A0="pi/2", A1="pi/2")
    assert model.label().cut_joints == ("A1",)
    done = assemble(model)
    assert angles(model, done) == pytest.approx({"A0": pi / 2, "B0": -pi / 2, "C0": pi / 2}, abs=1e-12)
    assert done.contradiction is None
    assert [(item.joint, item.given) for item in done.joints] == [("B0", False), ("C0", False)]
    assert np.allclose(analyse_loops(mechanism_of(model)).configuration, done.q, atol=1e-12)
    result = mbsym.simulate(model, 0.01, preparation=mbsym.Preparation("numpy"))
    assert result.q[0] == pytest.approx(done.q, abs=1e-12)


def test_the_value_of_a_cut_joint_alone_is_enough() -> None:
    """From the flat start, with the other crank left where it is: the coupler folds onto it."""
    model = started(1, A1=1)
    assert angles(model, assemble(model)) == pytest.approx({"A0": 0, "B0": 1, "C0": 0}, abs=1e-12)
    crossed = started(1, A0=1, A1=-1)
    done = assemble(crossed)
    assert done.contradiction is not None and done.contradiction.joints == ("A0", "A1")


def test_values_that_hold_stay_where_others_have_to_follow() -> None:
    """Of three windows two cranks of the same angle are given; all else follows."""
    model = started(3, A1=0.6, A3=0.6)
    found = angles(model, assemble(model))
    assert {found[f"A{k}"] for k in (1, 3) if f"A{k}" in found} <= {0.6}
    system = mbsym.simulate(model, 0.01, preparation=mbsym.Preparation("numpy"))
    assert system.assembly is not None and system.assembly.contradiction is None
    assert not [item for item in system.assembly.joints if item.given]


def test_contradictions_are_told_with_the_smallest_gap() -> None:
    """Cranks leaning apart by 0.4: no coupler of length one reaches."""
    model = started(1, A0="pi/2", A1="pi/2 - 0.4")
    done = assemble(model)
    assert done.contradiction is not None
    reach = float(np.hypot(1 + np.sin(0.4), 1 - np.cos(0.4)))
    assert done.contradiction.joints == ("A0", "A1")
    # The joint's rows share what the coupler lacks.
    assert done.contradiction.gap == pytest.approx(reach - 1, rel=0.6)
    assert done.gap < 1e-12
    moved = {item.joint: item.by for item in done.joints if item.given}
    assert moved and max(moved.values()) < 0.5


@pytest.mark.parametrize(("kind", "initial"), [("spherical", (0.96, 0.28, 0, 0)), ("cylindrical", (0.2, 0.3))])
def test_cut_joints_of_several_coordinates_are_put_where_they_say(kind: str, initial: tuple[Value, ...]) -> None:
    """A bar on a free and on another joint to ground: the free one follows."""
    bar = Body("bar", 1, (0, 0, 0), (1, 1, 1, 0, 0, 0))
    joints = (
        Joint("float", "free", "ground", "bar", cut="tree"),
        Joint("tie", kind, "ground", "bar", predecessor_placement=Placement((0, 0, 2)), cut="cut", initial=initial),
    )
    model = Model("tied", (bar,), joints)
    done = assemble(model)
    turned = (0.96, 0.28, 0, 0) if kind == "spherical" else (np.cos(0.15), 0, 0, np.sin(0.15))
    place = (0, 0, 2) if kind == "spherical" else (0, 0, 2.2)
    assert done.q == pytest.approx((*turned, *place), abs=1e-12)


def test_what_the_assembly_moved_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["simulate", "four_bar", "--duration", "0.01", "--language", "numpy"]
    assert main(run) == 0
    said = capsys.readouterr().out
    assert (
        "the initial values of A, B, C do not fit together: with all of them the smallest gap found is 0.119 m" in said
    )
    assert "closing the loops moved A by 0.0134 rad, B by 0.0817 rad, C by 0.175 rad" in said
    assert main([*run, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["assembly"]
    assert told["contradiction"]["joints"] == ["A", "B", "C"] and told["contradiction"]["unit"] == "m"
    assert [item["joint"] for item in told["moved"]] == ["A", "B", "C"]
    assert set(told["q"]) == {"q_A", "q_B", "q_C"}
    assert main(["simulate", "rhombus_planar", "--duration", "0.01", "--language", "numpy"]) == 0
    assert "start" not in capsys.readouterr().out


def test_a_joint_that_follows_another_has_no_initial_value_of_its_own() -> None:
    bars = tuple(Body(name, 1, (0, 0, 0), (1, 1, 1, 0, 0, 0)) for name in ("one", "two"))
    joints = (Joint("drive", "revolute", "ground", "one"), Joint("driven", "revolute", "ground", "two", initial=(1,)))
    model = Model("geared", bars, joints, couplings=(mbsym.Coupling("driven", "drive", 2),))
    with pytest.raises(ModelError, match="give joint 'drive' one"):
        mbsym.simulate(model, 0.1)

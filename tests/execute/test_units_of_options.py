"""Options with units: the same as in SI, in every verb, and refused where they measure something else."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import mbsym
from mbsym.cli import main
from mbsym.cli.application import VERBS, command_of
from mbsym.cli.in_unit import InUnit

SIMULATE = ["simulate", "cart_pole", "--language", "numpy", "--method", "rk4"]
STATE = "q_rail=2cm,q_hinge=10deg,v_rail=3 mm/s,v_hinge=30 deg/s"
SAME_STATE = "q_rail=0.02,q_hinge=0.17453292519943295,v_rail=0.003,v_hinge=0.5235987755982988"

SAME = [
    (
        [*SIMULATE, "--duration", "0.001min", "--step", "10ms", "--output-step", "20 ms", "--initial", STATE],
        [*SIMULATE, "--duration", "0.06", "--step", "0.01", "--output-step", "0.02", "--initial", SAME_STATE],
    ),
    (
        [*SIMULATE, "--duration", "0.01", "--input", "push=2 kN", "--tau", "v_hinge=20 N mm"],
        [*SIMULATE, "--duration", "0.01", "--input", "push=2000", "--tau", "v_hinge=0.02"],
    ),
    (
        [*SIMULATE, "--duration", "0.01", "--parameter", "l=50cm,m_pole=100 g"],
        [*SIMULATE, "--duration", "0.01", "--parameter", "l=0.5,m_pole=0.1"],
    ),
    (
        ["linearise", "cart_pole", "--at", STATE, "--parameter", "l=50cm", "--tau", "v_rail=0.2kN"],
        ["linearise", "cart_pole", "--at", SAME_STATE, "--parameter", "l=0.5", "--tau", "v_rail=200"],
    ),
    (
        ["equilibrium", "double_pendulum", "--at", "q_shoulder=10deg", "--starts", "2"],
        ["equilibrium", "double_pendulum", "--at", "q_shoulder=0.17453292519943295", "--starts", "2"],
    ),
    (
        ["modes", "double_pendulum", "--at", "q_shoulder=1rev,t=1min"],
        ["modes", "double_pendulum", "--at", "q_shoulder=6.283185307179586,t=60"],
    ),
    (
        ["response", "double_pendulum", "--inputs", "tau", "--from", "100mHz", "--to", "0.01kHz", "--points", "3"],
        ["response", "double_pendulum", "--inputs", "tau", "--from", "0.1", "--to", "10", "--points", "3"],
    ),
    (
        ["info", "cart_pole", "--add-frame", "tip=pole:0,0,60cm,0,90deg,0"],
        ["info", "cart_pole", "--add-frame", "tip=pole:0,0,0.6,0,pi/2,0"],
    ),
]


@pytest.mark.parametrize(("with_units", "in_si"), SAME, ids=[f"{row[0][0]}-{place}" for place, row in enumerate(SAME)])
def test_options_with_units_are_those_in_si(
    with_units: list[str], in_si: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for arguments in (with_units, in_si):
        assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
        found.append(json.loads(capsys.readouterr().out))
        found[-1].pop("seconds", None)
    assert found[0] == found[1]


def test_motions_are_the_same(tmp_path: Path) -> None:
    tables = []
    for place, arguments in enumerate(SAME[0]):
        assert main([*arguments, "-o", str(tmp_path / f"{place}.csv")]) == 0
        tables.append((tmp_path / f"{place}.csv").read_bytes())
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--initial", "q_hinge=3mm"],
            "cart_pole: q_hinge: '3mm' is not an angle, which is taken in rad; write it as in 30",
        ),
        (
            ["--initial", "v_hinge=3 Hz"],
            "cart_pole: v_hinge: '3 Hz' is not an angular velocity, which is taken in rad/s",
        ),
        (["--initial", "nothing=3mm"], "no coordinate or speed is called 'nothing'"),
        (["--parameter", "l=3kg"], "cart_pole: l: '3kg' is not a length, which is taken in m; write it as in 20 cm"),
        (
            ["--input", "push=3 Nm"],
            "cart_pole: push: '3 Nm' is not a force, which is taken in N; write it as in 1.5 kN",
        ),
        (
            ["--tau", "v_hinge=3 N"],
            "cart_pole: v_hinge: '3 N' is not a moment, which is taken in N m; write it as in 2 N m",
        ),
        (["--tau", "v_hinge=3 x"], "cart_pole: v_hinge: 'x' is no unit that is known; units are m, in, ft, g"),
        (["--step", "3mm"], "'3mm' is not a time, which is taken in s; write it as in 250 ms"),
        (["--step", "3*s"], "'3*s' is no number; give one in s, or with a unit"),
        (["--scheme-parameter", "beta=3s"], "'beta=3s' gives no number a name; write NAME=NUMBER"),
    ],
)
def test_what_measures_something_else_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SIMULATE, "--duration", "0.01", *arguments]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert message in said and "Traceback" not in said


def test_python_takes_them_where_the_command_line_does() -> None:
    rest = {"duration": 0.01, "preparation": mbsym.Preparation("numpy"), "method": "rk4"}
    united = mbsym.simulate(
        "cart_pole",
        initial={"q_hinge": "10deg", "v_rail": "3 mm/s"},
        parameters={"l": "50 cm"},
        loads=mbsym.Loads(inputs={"push": "2 kN"}, tau={"v_hinge": "20 N mm"}),
        **rest,
    )
    plain = mbsym.simulate(
        "cart_pole",
        initial={"q_hinge": math.pi / 18, "v_rail": 0.003},
        parameters={"l": 0.5},
        loads=mbsym.Loads(inputs={"push": 2000.0}, tau={"v_hinge": 0.02}),
        **rest,
    )
    assert (united.q == plain.q).all() and (united.v == plain.v).all() and plain.q.any()
    linear = [mbsym.linearise("cart_pole", at={"q_hinge": angle}).A for angle in ("10deg", math.pi / 18)]
    assert (linear[0] == linear[1]).all()
    with pytest.raises(mbsym.MbsymError, match="cart_pole: q_hinge: '10 m' is not an angle, which is taken in rad"):
        mbsym.linearise("cart_pole", at={"q_hinge": "10 m"})


def test_lengths_of_steps_of_consumers_have_units(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, step in (("units", "20 ms"), ("si", "0.02")):
        arguments = ["export", "fmu", "cart_pole", "--set", f"step={step}", "-o", str(tmp_path / name)]
        assert main(arguments) == 0, capsys.readouterr().err


def test_numbers_alone_are_what_they_were() -> None:
    taken = InUnit("s")
    assert [taken("2"), taken(2.5), taken("1e-3"), taken("2 min"), taken("-5ms")] == [2.0, 2.5, 1e-3, 120.0, -0.005]


def test_options_in_seconds_and_hertz_take_units_in_every_verb() -> None:
    """Whatever says in its sentence that it is in one of these."""
    found = {}
    for verb in VERBS:
        for item in command_of(verb).params:
            for unit in ("s", "Hz", "rad"):
                if f"[{unit}]" in (getattr(item, "help", "") or "") and not item.multiple:
                    found[f"{verb} {item.opts[0]}"] = item
    assert {"simulate --duration", "simulate --step", "response --from", "identify --cutoff"} < found.keys()
    assert [name for name, item in found.items() if not isinstance(parser_of(item), InUnit)] == []


def parser_of(item: Any) -> Any:
    """Versions of Typer keep it in different places."""
    about = getattr(item, "type_descriptor", None)
    return about.parameter_info.parser if about is not None else getattr(item.type, "func", None)

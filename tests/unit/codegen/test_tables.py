"""Names in place of counting: indices, limits, and what the manifest says of them."""

from __future__ import annotations

import json
import re
import runpy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mbsym import JointForce, Parameter, examples
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.pipeline import generate


def limited() -> Model:
    model = examples.load("quadruped")

    def with_limits(joint: Joint) -> Joint:
        if joint.name == "front_left_knee":
            return replace(joint, lower=("-pi/2",), upper=(0.5,), effort=(30,), velocity=(), actuated=True)
        free = replace(joint, lower=(), upper=(), effort=(), velocity=())
        return replace(free, name="hind left:pitch") if joint.name == "hind_left_pitch" else free

    return replace(model, joints=tuple(map(with_limits, model.joints)))


def files(tmp_path: Path, frames: tuple[str, ...] = ()) -> tuple[str, SimpleNamespace, dict[str, Any]]:
    generate(limited(), tmp_path, functions=["mass_matrix"], frames=frames)
    module = runpy.run_path(str(tmp_path / "quadruped.py"))
    manifest = json.loads((tmp_path / "quadruped.json").read_text(encoding="utf-8"))
    return (tmp_path / "quadruped.h").read_text(encoding="utf-8"), SimpleNamespace(**module), manifest


def test_every_joint_body_and_frame_has_an_index(tmp_path: Path) -> None:
    header, module, manifest = files(tmp_path, ("trunk", "front_left_knee"))
    places = {name: int(place) for name, place in re.findall(r"quadruped_(\w+) = (\d+)", header)}
    for joint in manifest["joints"]:
        start, stop = joint["q"]
        assert module.Q[joint["name"]] == (start if stop == start + 1 else slice(start, stop))
        assert places["Q_" + re.sub(r"\W", "_", joint["name"])] == start
        assert places["V_" + re.sub(r"\W", "_", joint["name"])] == joint["v"][0]
    assert module.Q["floating_base"] == slice(0, 7)
    for body in manifest["bodies"]:
        assert module.BODY[body["name"]] == places[f"BODY_{body['name']}"] == body["label"] - 1
    assert module.FRAME == {"trunk": 0, "front_left_knee": 1}
    assert places["FRAME_front_left_knee"] == 1
    assert [frame["name"] for frame in manifest["frames"]] == ["trunk", "front_left_knee"]


def test_limits_are_arrays_with_infinity_where_there_is_none(tmp_path: Path) -> None:
    header, module, manifest = files(tmp_path)
    place = module.Q["front_left_knee"]
    assert (module.q_lower[place], module.q_upper[place]) == (-1.5707963267948966, 0.5)
    assert module.tau_limit[module.V["front_left_knee"]] == 30.0
    assert sum(abs(x) != float("inf") for x in (*module.q_lower, *module.q_upper, *module.tau_limit)) == 3
    assert not hasattr(module, "v_limit")
    assert "#include <math.h>" in header
    (lower,) = re.findall(r"quadruped_q_lower\[19\] = \{([^}]*)\}", header)
    values = [text.strip() for text in lower.split(",")]
    assert values.count("-HUGE_VAL") == 18
    assert float(values[place]) == -1.5707963267948966
    (knee,) = (joint for joint in manifest["joints"] if joint["name"] == "front_left_knee")
    assert knee["actuated"] is True
    assert knee["limits"] == {"lower": [-1.5707963267948966], "upper": [0.5], "effort": [30.0]}
    assert sum("limits" in joint for joint in manifest["joints"]) == 1


def test_models_without_limits_or_frames_have_no_such_tables(tmp_path: Path) -> None:
    generate("double_pendulum", tmp_path, functions=["mass_matrix"])
    header = (tmp_path / "double_pendulum.h").read_text(encoding="utf-8")
    assert "limits" not in header.lower()
    assert "FRAME" not in header
    assert "math.h" not in header


def test_parameters_have_their_defaults_with_their_signs(tmp_path: Path) -> None:
    """In the header, the module and the manifest, in the order of the structure."""
    values = {"m_pole": ("0.2", 0.2), "slope": ("-3/4", -0.75)}
    model = examples.load("cart_pole")
    kept = tuple(replace(item, value=values["m_pole"][0]) for item in model.parameters if item.name == "m_pole")
    slope = Parameter("slope", values["slope"][0], "", symbolic=True)
    drift = JointForce("drift", model.joints[0].name, "slope")
    others = tuple(item for item in model.parameters if item.name != "m_pole")
    generate(
        replace(model, parameters=(*kept, slope, *others), forces=(*model.forces, drift)),
        tmp_path,
        functions=["bias_force"],
    )
    header = (tmp_path / "cart_pole.h").read_text(encoding="utf-8")
    manifest = json.loads((tmp_path / "cart_pole.json").read_text(encoding="utf-8"))
    found = runpy.run_path(str(tmp_path / "cart_pole.py"))["Parameters"]()
    assert "\n    -0.75, \\\n" in header and found.slope == -0.75
    assert manifest["run_time_parameters"]["slope"] == -0.75 and found.m_pole == 0.2

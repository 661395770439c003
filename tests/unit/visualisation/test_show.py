"""Pages on which models are moved by hand: what their JavaScript computes, and what they say to bad input."""

from __future__ import annotations

import json
import re
from functools import cache
from math import cos, pi, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.cli.application import main
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.loops.closing import gap_program
from mbsym.loops.constraints import closures
from mbsym.report.show import show_page
from mbsym.symbolic.evaluator import Evaluator
from mbsym.visualisation.posing import independent_speeds, poses_at
from mechanisms.javascript import run_node


@cache
def page(name: str) -> str:
    return show_page(mbsym.load(name))


def test_a_body_without_thickness_is_drawn() -> None:
    """Bars with one moment of inertia are flat boxes, discs without a length along their axis."""
    assert "NaN" not in page("planar_3r")


def mechanism(name: str) -> Mechanism:
    model = mbsym.load(name)
    return build_mechanism(model, model.label(), "none")


def run(name: str, script: str) -> Any:
    """What a script returns that sees the page's functions, its solver and its sliders by joint and name."""
    text = page(name)
    functions = text[text.index("const mechanism") : text.index("/* Sliders, and what")]
    controls = re.search(r'id="handles">(.*?)</script>', text)
    assert controls is not None
    program = f"""{functions}
        const controls = {controls.group(1)}, sliders = {{}};
        const solver = handling(controls, mechanism);
        controls.handles.forEach(handle => handle.sliders.forEach(slider => {{
          sliders[handle.joint + " " + slider.name] = [handle, slider];
        }}));
        console.log(JSON.stringify((() => {{ {script} }})()));"""
    return json.loads(run_node(program))


@cache
def closure(name: str) -> Evaluator:
    system = mechanism(name)
    return Evaluator(gap_program(system, closures(system)))


def gap(name: str, q: Any) -> float:
    """The largest residual of all closure rows, those that follow from others included."""
    return float(np.abs(closure(name)(np.array(q))["residual"]).max())


def test_a_page_puts_bodies_where_the_programs_say() -> None:
    system = mechanism("quadruped")
    q = np.random.default_rng(3).uniform(-1, 1, system.nq)
    found = run("quadruped", f"return Array.from(solver.poses({json.dumps(q.tolist())}));")
    # Sums are taken in the printed order; libraries differ in the last digit of sines and cosines.
    assert found == pytest.approx(poses_at(system, q).ravel(), abs=1e-14)


EVERY_SLIDER = """
  return controls.handles.flatMap(handle => handle.sliders.map(slider => {
    let q = controls.q.slice(), far = 0;
    const seen = [];
    for (let k = 0; k <= 12; k += 1) {
      const share = Math.abs(6 - k)/6, target = slider.low + share*(slider.high - slider.low);
      const found = solver.moved(q, handle, slider, target);
      q = found.q;
      seen.push(q);
      far = found.reached ? Math.max(far, Math.abs(solver.value(q, handle, slider) - target)) : far;
    }
    return {seen, far, back: solver.moved(q, handle, slider, solver.value(controls.q, handle, slider)).reached};
  }));"""


@pytest.mark.parametrize("name", ["four_bar", "rhombus_spatial"])
def test_wherever_sliders_go_loops_stay_closed(name: str) -> None:
    """From end to end: to where all lies in a line, through where rows depend on each other, and back."""
    for moved in run(name, EVERY_SLIDER):
        # A generated projection accepts 256 epsilon of a size and 256 roundings of coordinates, all near 1 here.
        assert max(gap(name, q) for q in moved["seen"]) < 1e-12
        # Half the digits of an arc sine are lost at a right angle.
        assert moved["far"] < 1e-7 and moved["back"]


def test_what_was_pulled_into_a_line_comes_back() -> None:
    """However long one pulls at a piston that cannot follow."""
    found = run(
        "slider_crank",
        """
        let q = controls.q;
        for (let k = 0; k < 40; k += 1) { q = solver.moved(q, ...sliders["guide q_guide"], 0.231 + 0.001*k).q; }
        const [inner, outer] = [0.2295, 0.15].map(x => solver.moved(q, ...sliders["guide q_guide"], x));
        return [q, inner, outer];""",
    )
    # Steps end at a 4096th of a fiftieth of the mechanism's size.
    assert found[0][-1] == pytest.approx(0.23, abs=1e-5)
    assert [each["reached"] for each in found[1:]] == [True, True]
    assert [each["q"][-1] for each in found[1:]] == [0.2295, 0.15]


def test_a_slider_drives_what_depends_on_it() -> None:
    """The piston of a slider-crank stands at r cos(a) + sqrt(l^2 - r^2 sin(a)^2)."""
    for angle in (2.0, -2.5):
        found = run(
            "slider_crank",
            f'return solver.moved(controls.q, ...sliders["crank_bearing q_crank_bearing"], {angle});',
        )
        assert found["reached"]
        q = dict(zip(("q_crank_bearing", "q_crank_pin", "q_guide"), found["q"], strict=True))
        assert q["q_crank_bearing"] == angle
        # 256 epsilon of the loop's size, 0.46 m, are 3e-14.
        assert q["q_guide"] == pytest.approx(0.05 * cos(angle) + sqrt(0.18**2 - (0.05 * sin(angle)) ** 2), abs=1e-13)


def test_a_slider_drives_as_little_as_it_is_moved() -> None:
    at, to = run(
        "slider_crank",
        """const [handle, slider] = sliders["crank_bearing q_crank_bearing"];
        const target = solver.value(controls.q, handle, slider) + 0.01;
        return [target, solver.value(solver.moved(controls.q, handle, slider, target).q, handle, slider)];""",
    )
    assert at == to


def test_where_loops_cannot_be_closed_the_page_holds() -> None:
    """The piston cannot come farther than r + l = 0.23 m, where all lies in a line and rows depend on each other."""
    found = run("slider_crank", 'return solver.moved(controls.q, ...sliders["guide q_guide"], 0.3);')
    assert not found["reached"]
    assert found["q"][-1] == pytest.approx(0.23, abs=1e-4)
    assert gap("slider_crank", found["q"]) < 1e-13


def test_legs_of_a_platform_move_one_by_one() -> None:
    system = mechanism("stewart_platform")
    q = np.array(run("stewart_platform", "return controls.q;"))
    legs = [body for body in system.bodies if body.joint.actuated]
    columns = {column for body in legs for column in range(*body.v_range)}
    assert independent_speeds(system, q) == columns and len(columns) == 6
    place = next(body.q_range[0] for body in legs if body.joint.name == "leg_2")
    target = q[place] + 0.1
    found = run("stewart_platform", f'return solver.moved(controls.q, ...sliders["leg_2 q_leg_2"], {float(target)!r});')
    moved = np.array(found["q"])
    others = [body.q_range[0] for body in legs if body.q_range[0] != place]
    assert found["reached"] and moved[place] == target
    assert moved[others].tolist() == q[others].tolist()


def test_a_ball_turns_by_three_angles() -> None:
    q = run("spinning_top", 'return solver.moved(controls.q, ...sliders["tip turn about y"], 0.5).q;')
    assert q == pytest.approx([cos(0.25), 0, sin(0.25), 0], abs=1e-15)
    angles = run("spinning_top", "return solver.angles(solver.quaternion([0.3, -1.1, 2.9]));")
    assert angles == pytest.approx([0.3, -1.1, 2.9], abs=1e-14)
    straight = run("spinning_top", f"return solver.angles(solver.quaternion([0.3, {pi / 2}, 0]));")
    assert straight == pytest.approx([0.3, pi / 2, 0], abs=1e-7)  # where the angles are no coordinates


def test_sliders_do_not_repeat_the_name_of_their_joint() -> None:
    """It stands above them; what is left is what the coordinate is, or its axis."""
    for name, expected in (
        ("slider_crank", ["angle", "angle", "travel"]),
        ("spinning_top", ["turn about x", "turn about y", "turn about z"]),
        ("floating_two_arm", ["turn about x", "turn about y", "turn about z", "px", "py", "pz", *["angle"] * 6]),
    ):
        written = re.search(r"function short\(.*?\n\}", page(name), re.DOTALL)
        assert written is not None
        assert run(name, f"{written.group()} return Object.values(sliders).map(each => short(...each));") == expected


def test_limits_are_those_of_the_model() -> None:
    base = mbsym.load("double_pendulum")
    joints = (mbsym.Joint("a", "revolute", "ground", base.bodies[0].name, lower=-0.5, upper=7.0),)
    text = show_page(mbsym.Model("m", base.bodies[:1], joints, parameters=base.parameters))
    (slider,) = json.loads(re.search(r'id="handles">(.*?)</script>', text).group(1))["handles"][0]["sliders"]  # type: ignore[union-attr]
    assert (slider["low"], slider["high"]) == (-0.5, 7.0)


def test_the_page_stands_alone_and_names_do_no_harm() -> None:
    rod = mbsym.Body("</script><b>", 1, (0, 0, -1), (1, 1, 0, 0, 0, 0))
    model = mbsym.Model("<i>", (rod,), (mbsym.Joint("pin<", "revolute", "ground", rod.name, axis="y"),))
    text = show_page(model)
    assert not re.search(r"(?:src|href)\s*=|https?:|@import|fetch\(|XMLHttpRequest", text)
    assert text.count("</script>") == 3 and "<b>" not in text.split('id="scene">')[1]
    assert show_page(model) == text
    assert "<iframe srcdoc=" in mbsym.show("spinning_top")._repr_html_()


def test_the_command_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "look.html"
    assert main(["show", "double_pendulum", "-o", str(path)]) == 0
    assert capsys.readouterr().out == f"wrote {path}\n"
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>\n<!-- Generated by mbsym ")


OPEN = """name: open
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  p: {type: revolute, from: ground, to: a}
  r: {type: revolute, from: a, to: b, at: [1, 0, 0]}
  s: {type: revolute, from: b, to: ground, at: [1, 0, 0], at_successor: [9, 0, 0]}
"""
STILL = "name: still\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {p: {type: fixed, from: ground, to: a}}\n"


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (OPEN, "page.html", "cannot be closed"),
        (STILL, "page.html", "no joint can move"),
        (STILL, "page.gif", "use .html, .png"),
    ],
)
def test_bad_input_is_answered(
    text: str, name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    assert main(["show", str(tmp_path / "m.yaml"), "-o", str(tmp_path / name)]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / name).exists()

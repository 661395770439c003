"""Every two options of reading together, on a file of each format: the same mechanics, or a sentence about it.

What an option changes is said here by what must stay: bodies on fixed joints carry what they carried, a model that is
written out is the model, and what a format does not leave open is told.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.formats.load_options import DEFAULTS, LoadOptions
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.registry import FORMATS
from mbsym.formats.text_source import TextSource
from mbsym.model.system import Model
from mbsym.reference.reference import Reference
from mbsym.verification.random_state import random_state

VALUES: dict[str, tuple[Any, ...]] = {
    "strict": (True,),
    "floating": (True,),
    "fixed_joints": ("keep",),
    "mimic": ("ignore",),
    "joint_dynamics": ("forces",),
    "actuators": ("inputs",),
    "snap_angles": (0.0, 1e-4),
}
"""Values of each option besides its default."""

APART = {"loops", "files_under"}
"""What closes loops, and where files may lie, have tests of their own (test_urdf, test_file_finder)."""

INERTIAL = """<inertial><origin xyz="0.1 0.2 -0.1" rpy="0.3 1.5708 0.1"/><mass value="{}"/>
<inertia ixx="0.2" iyy="0.3" izz="0.25" ixy="0.01" ixz="-0.02" iyz="0.03"/></inertial>"""
URDF = f"""<robot name="r"><link name="base">{INERTIAL.format(3)}</link><link name="arm">{INERTIAL.format(2)}</link>
<link name="plate">{INERTIAL.format(1.5)}</link><link name="hand">{INERTIAL.format(1)}</link>
<link name="finger">{INERTIAL.format(0.5)}</link><link name="thumb">{INERTIAL.format(0.4)}</link>
<joint name="pin" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0.1 0.4" rpy="0.1 0.2 0.3"/>
 <axis xyz="1 2 3"/><limit lower="-2" upper="2" effort="5" velocity="6"/>
 <dynamics damping="0.7" friction="0.2"/></joint>
<joint name="weld" type="fixed"><parent link="arm"/><child link="plate"/>
 <origin xyz="0.3 0 0.2" rpy="1.5708 0 0.4"/></joint>
<joint name="wrist" type="continuous"><parent link="plate"/><child link="hand"/><origin rpy="0 1.570796325 0"/></joint>
<joint name="squeeze" type="prismatic"><parent link="hand"/><child link="finger"/><axis xyz="0 1 0"/></joint>
<joint name="follow" type="prismatic"><parent link="hand"/><child link="thumb"/><axis xyz="0 -1 0"/>
 <mimic joint="squeeze" multiplier="0.8" offset="0.01"/><dynamics damping="0.3"/></joint>
<transmission name="t"><joint name="pin"/></transmission></robot>"""
BOX = '<geom type="box" size="{}" pos="0.1 0.2 0.3" euler="0.1 1.5708 0.2"/>'
MJCF = f"""<mujoco model="r"><compiler angle="radian"/><worldbody>
<body name="arm" pos="0 0.1 0.4" euler="0.1 0.2 1.5708">
<joint name="pin" axis="1 2 3" damping="0.7" frictionloss="0.2" stiffness="2" springref="0.3"/>
{BOX.format("0.1 0.2 0.3")}
<body name="plate" pos="0.3 0 0.2" euler="1.570796325 0 0.4">{BOX.format("0.2 0.1 0.1")}<site name="tip" pos="0 0 1"/>
<body name="hand" pos="0 0 0.1"><joint name="wrist" type="ball" pos="0.1 0 0" damping="0.1" frictionloss="0.1"/>
{BOX.format("0.1 0.1 0.1")}</body></body></body></worldbody>
<actuator><position joint="pin" kp="3"/></actuator></mujoco>"""
MASS = """<inertial><pose>0.1 0.2 -0.1 0.3 1.5708 0.1</pose><mass>{}</mass><inertia>
<ixx>0.2</ixx><iyy>0.3</iyy><izz>0.25</izz>
<ixy>0.01</ixy><ixz>-0.02</ixz><iyz>0.03</iyz></inertia></inertial>"""
SDF = f"""<sdf version="1.9"><model name="r"><link name="arm"><pose>0 0.1 0.4 0.1 0.2 0.3</pose>{MASS.format(2)}</link>
<link name="plate"><pose relative_to="arm">0.3 0 0.2 1.5708 0 0.4</pose>{MASS.format(1)}</link>
<link name="hand"><pose relative_to="plate">0 0 0.2 0 1.570796325 0</pose>{MASS.format(0.5)}</link>
<joint name="pin" type="revolute"><parent>world</parent><child>arm</child><axis><xyz>1 2 3</xyz>
<dynamics><damping>0.7</damping><friction>0.2</friction></dynamics></axis></joint>
<joint name="weld" type="fixed"><pose>0 0.1 0 0 0 0.3</pose><parent>arm</parent><child>plate</child></joint>
<joint name="slide" type="prismatic"><parent>plate</parent><child>hand</child><axis><xyz>0 1 0</xyz>
<mimic joint="pin"><multiplier>0.5</multiplier><offset>0.1</offset><reference>0</reference></mimic>
</axis></joint></model></sdf>"""
NATIVE = """name: r
bodies:
  arm: {mass: 2, center_of_mass: [0.1, 0.2, 0.3], inertia: [0.2, 0.3, 0.25, 0.01, -0.02, 0.03]}
  hand: {mass: 1, center_of_mass: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  pin: {type: revolute, from: ground, to: arm, axis: [1, 2, 3], at: {translation: [0, 0.1, 0], rpy: [0.1, 1.5708, 0]}}
  weld: {type: fixed, from: arm, to: hand, at: {rotation: [[x, 1.570796325]]}}
forces: {drag: {type: joint_damper, joint: pin, damping: 0.7}}
"""
FILES = {"r.urdf": URDF, "r.xml": MJCF, "r.sdf": SDF, "r.yaml": NATIVE}


def pairs() -> Iterator[LoadOptions]:
    """Every two options with every two of their values, and each alone."""
    yield DEFAULTS
    for name, values in VALUES.items():
        yield from (LoadOptions(**{name: value}) for value in values)
    for one, other in itertools.combinations(VALUES, 2):
        for first, second in itertools.product(VALUES[one], VALUES[other]):
            yield LoadOptions(**{one: first, other: second})


def mechanics(model: Model, state: tuple[np.ndarray, np.ndarray] | None = None) -> tuple[Any, np.ndarray]:
    """Mass matrix, bias force and energy at a state, by the reference; and the state."""
    reference = Reference(model)
    q, v = state or random_state(model, model.label(), np.random.default_rng(3))[:2]
    inputs = (0.0, np.arange(1.0, len(model.inputs) + 1)) if model.inputs else ()
    values = (reference.mass_matrix(q).ravel(), reference.bias_force(q, v, *inputs), [reference.kinetic_energy(q, v)])
    return (q, v), np.concatenate(values)


def test_every_option_is_asked_about() -> None:
    assert {*VALUES, *APART} == {entry.name for entry in fields(LoadOptions)}
    assert all(form.heeds <= {*VALUES, *APART} for form in FORMATS.values())


@pytest.mark.parametrize("name", sorted(FILES))
def test_pairs_change_what_they_say_and_nothing_else(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8")
    form = next(form for form in FORMATS.values() if path.suffix in form.suffixes)
    for options in pairs():
        model = mbsym.load(path, options)
        state, found = mechanics(model)
        scale = np.abs(found).max()
        again = read_native(TextSource("again.yaml", dump_native(model)))
        # The same numbers on the same way; the digits of converted angles are those of the file.
        assert mechanics(again, state)[1] == pytest.approx(found, abs=1e-12 * scale), options
        other = "keep" if options.fixed_joints == "merge" else "merge"
        merged = mbsym.load(path, replace(options, fixed_joints=other))
        # Right angles snapped in a product of several move by the tolerance, others by round-off.
        near = max(2 * options.snap_angles, 1e-10) * scale
        assert mechanics(merged, state)[1] == pytest.approx(found, abs=near), options
        for entry in fields(LoadOptions):
            asked = getattr(options, entry.name) != getattr(DEFAULTS, entry.name)
            told = any(
                note.startswith(entry.name.replace("_", " ")) and "asked for, and nothing" in note
                for note in model.warnings
            )
            assert told == (asked and entry.name not in form.heeds), (entry.name, options)


@pytest.mark.parametrize(("name", "form"), [(f"r{form.suffixes[0]}", form) for form in FORMATS.values()])
def test_what_is_heeded_makes_a_difference(name: str, form: Any, tmp_path: Path) -> None:
    """A record that names too much would keep silent about what does nothing."""
    name = name if name in FILES else "r.xml"
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8")
    plain = dump_native(mbsym.load(path))
    for entry in sorted(form.heeds - APART - {"strict"}):
        changed = [dump_native(mbsym.load(path, LoadOptions(**{entry: value}))) for value in VALUES[entry]]
        assert any(text != plain for text in changed), entry


def test_a_slide_on_a_link_that_is_merged_is_the_slide_that_it_was(tmp_path: Path) -> None:
    """Its points move with the link's frame, its direction turns only."""
    (tmp_path / "r.urdf").write_text(URDF, encoding="utf-8")
    (tmp_path / "r.loops.yaml").write_text(
        "constraints: {rail: {type: point_on_line, first_body: plate, second_body: finger, line_direction: [1, 2, 3], "
        "line_point: [0.1, 0.2, 0.3], second_point: [0.3, 0.2, 0.1]}}\n",
        encoding="utf-8",
    )
    merged, kept = (mbsym.load(tmp_path / "r.urdf", LoadOptions(fixed_joints=word)) for word in ("merge", "keep"))
    assert merged.constraints != kept.constraints
    q = random_state(merged, merged.label(), np.random.default_rng(5))[0]
    first, second = Reference(merged), Reference(kept)
    # The two directions across the line are any.
    sizes = [np.linalg.norm(item.closure_gap(q)) for item in (first, second)]
    assert sizes[0] == pytest.approx(sizes[1], rel=1e-12)
    one, other = (item.closure_jacobian(q) for item in (first, second))
    assert one.T @ one == pytest.approx(other.T @ other, abs=1e-12)  # of lengths of about a metre

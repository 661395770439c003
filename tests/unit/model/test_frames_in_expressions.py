"""Expressions of forces that name frames: as they are read, written, made parts of a model, scaled and refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy

import mbsym
from mbsym import AppliedWrench, Body, Frame, Joint, JointForce, JointSpring, Parameter, Placement
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.errors import AnalysisError, DerivationError, FormatError, ModelError
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.own_units import Units, in_units
from mbsym.model.submodels import with_submodel
from mbsym.model.system import Model
from mbsym.model.validate import require_valid
from mbsym.reference.reference import Reference
from mbsym.symbolic.frame_quantities import WORDS
from mbsym.verification.random_state import random_state

ARM = """name: arm
parameters: {l: 0.4, position: 2}
bodies:
  upper: {mass: 1, inertia: [0.1, 0.2, 0.3], center_of_mass: [0, 0.1, -0.2]}
  lower: {mass: 2, inertia: [0.2, 0.1, 0.2], center_of_mass: [0.3, 0, 0]}
joints:
  pin: {type: revolute, from: ground, to: upper, axis: y}
  ball: {type: spherical, from: upper, to: lower, at: [0, 0, -0.5]}
forces:
  law: {type: joint_force, joint: pin, expression: "-position*l*angle(ground, upper, about=y) + distance_rate(hook, tip)"}
  drag: {type: applied_wrench, body: tip, force: ["-velocity(tip, in=tip).x", 0, "axis(upper, x, in=tip).y"], axes: body}
  pull:
    type: applied_wrench
    body: upper
    force: ["direction(tip, hook).x*distance(tip, hook)", 'position("the mark").z', 0]
    moment: ["-0.1*angular_velocity(lower).x", 0, 0]
frames:
  tip: {body: lower, at: {translation: [l, 0, 0.1], rotation: [[z, 0.3], [x, pi/2]]}}
  the mark: {body: upper, at: [0.1, 0, 0], in_functions: false}
  hook: {body: ground, at: [1, 0, 0.5]}
"""  # noqa: E501


def arm(text: str = ARM) -> Model:
    return read_native(TextSource("arm.yaml", text))


def bias(model: Model, seed: int = 3) -> np.ndarray:
    require_valid(model)
    reference = Reference(model)
    q, v, _ = random_state(model, model.label(), np.random.default_rng(seed))
    return reference.bias_force(q, v, 0.3)


def test_every_word_is_here() -> None:
    assert all(f"{word}(" in ARM for word in WORDS)


def test_what_is_derived_is_what_the_reference_has(tmp_path: Path) -> None:
    """Where no frame is asked for, and where one is; the manifest keeps what expressions name."""
    assert mbsym.verify(arm(), states=3).passed
    mbsym.generate(arm(), tmp_path, languages=("numpy",), frames=("all",))
    assert mbsym.verify(tmp_path, states=3).passed


def test_functions_leave_out_what_is_only_named(tmp_path: Path) -> None:
    mbsym.generate(arm(), tmp_path, languages=("numpy",), frames=("all",))
    assert [item["name"] for item in read_manifest(tmp_path)["frames"]] == ["tip", "hook"]


def test_they_are_written_as_they_were_read() -> None:
    model = arm()
    assert not model.frames[1].in_functions
    assert arm(dump_native(model)) == model


def test_a_symbol_of_sympy_may_bear_their_one_spelling() -> None:
    height = sympy.Symbol("position(tip).z")
    written = arm(ARM.replace("-0.1*angular_velocity(lower).x", "2*position(tip).z**2"))
    pull = written.forces[2]
    assert isinstance(pull, AppliedWrench)
    given = replace(written, forces=(*written.forces[:2], replace(pull, moment=(2 * height**2, 0, 0))))
    np.testing.assert_allclose(bias(given), bias(written), rtol=1e-14)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("rate(hook, tip)", "rate(hook, top)", r"arm.yaml:10:.*there is no body or frame 'top'; did you mean 'tip'"),
        ('position("the mark").z', "position(mark).z", r"arm.yaml:15:.*no body or frame 'mark'"),
        ("in=tip).y", "in=pin).y", r"arm.yaml:11:.*no body or frame 'pin'; say \"joint:pin\" for the frame of that"),
        ("angle(ground, upper, about=y)", "angle(ground, upper)", r"arm.yaml:10:\d+: .*write angle\(a, b, about=z\)"),
        ("mass: 1,", 'mass: "distance(hook, tip)",', r"arm.yaml:4:.*distance of frames is not known here"),
    ],
)
def test_mistakes_have_their_place(old: str, new: str, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        arm(ARM.replace(old, new))


def test_a_name_of_several_frames_is_refused() -> None:
    model = replace(arm(), frames=(*arm().frames, Frame("site:tip", "upper", kind="site")), forces=arm().forces[:1])
    with pytest.raises(ModelError, match=r"several frames are meant: 'tip' may be .*say frame:tip or site:tip, in q"):
        require_valid(model)


def test_in_numbers_of_other_units_they_are_the_same() -> None:
    """A newton metre of millimetres, tonnes and milliseconds is 1e-3 * 1e3 * 1e-6 * 1e6."""
    units = Units(Fraction(1, 1000), Fraction(1000), Fraction(1, 1000))
    scaled = in_units(arm(), units)
    np.testing.assert_allclose(bias_at(scaled, units) * float(units.energy), bias_at(arm(), Units()), rtol=1e-12)


def bias_at(model: Model, units: Units) -> np.ndarray:
    """The bias force, in the units, at a state that is the same in all."""
    rate = float(units.time)
    reference = Reference(model)
    return reference.bias_force([0.3, 0.5, 0.5, -0.5, 0.5], np.array([0.2, -0.4, 0.7, 1.1]) * rate, 0.3)


def test_coordinates_of_sympy_are_counted_in_units_too() -> None:
    q, v, t = sympy.symbols("q_s v_s t")
    body, rail = Body("b", 1, (0, 0, 0), (1, 1, 1)), Joint("s", "prismatic", "ground", "b", "x")
    text, given = (
        in_units(Model("m", (body,), (rail,), (JointForce("f", "s", law),)), Units(Fraction(1, 1000)))
        for law in ("2*q_s**2 + v_s*t", 2 * q**2 + v * t)
    )
    for model in (text, given):
        assert Reference(model).bias_force([30.0], [40.0], 0.5) == pytest.approx([-(2 * 0.03**2 + 0.04 * 0.5) * 1000])


def test_places_that_always_coincide_have_no_direction(tmp_path: Path) -> None:
    model = arm(ARM.replace("direction(tip, hook)", "direction(tip, tip)"))
    with pytest.raises(DerivationError, match="force pull: the origins of tip and tip always coincide"):
        mbsym.generate(model, tmp_path)


@pytest.mark.parametrize("frames", [(), ("all",), ("tip",), ("frame:tip",), ("site:tip",), ("lower",), ("joint:pin",)])
def test_manifests_are_read_again_whatever_a_frame_is_called(frames: tuple[str, ...], tmp_path: Path) -> None:
    """In expressions and where it is asked for, by its plain name or with its kind; axes are of the frame."""
    sites = (Frame("site:tip", "lower", arm().frames[0].placement, kind="site"), Frame("only", "upper"))
    names = ("tip", "frame:tip", "site:tip", "body:lower", "lower", "joint:pin", "only", "frame:only")
    moments = tuple(" + ".join(f'position("{name}").{axis}' for name in names) for axis in "xyz")
    force = AppliedWrench("f", "lower", moment=moments)
    model = replace(arm(), frames=(*arm().frames, *sites), forces=(force,))
    mbsym.generate(model, tmp_path, languages=("numpy",), frames=frames, frame_axes="base", functions=("bias_force",))
    assert mbsym.verify(tmp_path, states=2).passed


# ---- parts ----------------------------------------------------------------------------------------------------------


def gripper() -> Model:
    bodies = (Body("palm", 1, (0.1, 0, 0), (0.1, 0.1, 0.1)), Body("end"))
    law = 'k*angle(base, palm, about=x) - distance(base, tip) + velocity(tip, in=base).y*distance("body:end", palm)'
    return Model(
        "gripper",
        bodies,
        (Joint("wrist", "revolute", "base", "palm", "x"),),
        (JointForce("law", "wrist", law),),
        (Parameter("k", 3),),
        frames=(Frame("tip", "palm", Placement((0.2, 0.1, 0))),),
        ground="base",
    )


def carrier() -> Model:
    return Model(
        "whole",
        (Body("hand", 1, (0, 0.1, 0), (0.1, 0.1, 0.1)),),
        (Joint("root", "planar", "ground", "hand", "z"),),
        frames=(Frame("grip", "hand", Placement((0, 0.3, 0), (("y", 0.4),))),),
    )


def test_in_a_part_they_have_its_names() -> None:
    """Its ground is a body of the whole, or a frame of its own name where it is placed otherwise."""
    found = with_submodel(carrier(), gripper(), "g_", on="hand", connect={"end": "hand"})
    (law,) = found.forces
    assert isinstance(law, JointForce) and law.expression == (
        "g_k*angle(hand, g_palm, about=x) - distance(hand, g_tip) + velocity(g_tip, in=hand).y*distance(hand, g_palm)"
    )
    placed = with_submodel(carrier(), gripper(), "g_", on="hand", at=[0.1, 0, 0], connect={"end": "grip"})
    (law,) = placed.forces
    assert isinstance(law, JointForce) and "angle(g_base, g_palm, about=x)" in str(law.expression)
    assert [(frame.name, frame.body, frame.in_functions) for frame in placed.frames[1:]] == [
        ("g_tip", "g_palm", True),
        ("g_base", "hand", False),
        ("g_end", "hand", False),
    ]


def test_a_part_of_a_file_may_name_its_ground_wherever_it_stands(tmp_path: Path) -> None:
    """Mistakes in its expressions have their place in its own file."""
    (tmp_path / "part.yaml").write_text(dump_native(gripper()))
    include = "g: {file: part.yaml, on: grip, at: [0.1, 0, 0], connect: {end: grip}}"
    whole = f"{dump_native(carrier())}include:\n  {include}\n"
    (tmp_path / "whole.yaml").write_text(whole)
    found = mbsym.load(tmp_path / "whole.yaml")
    assert {frame.name for frame in found.frames} == {"grip", "g_tip", "g_base", "g_end"}
    again = read_native(TextSource("flat.yaml", dump_native(found)))
    np.testing.assert_array_equal(bias(found), bias(again))
    (tmp_path / "part.yaml").write_text(dump_native(gripper()).replace("distance(base, tip)", "distance(base, top)"))
    with pytest.raises(FormatError, match=r"part.yaml:\d+:.*no body or frame 'g_top'"):
        mbsym.load(tmp_path / "whole.yaml")
    (tmp_path / "part.yaml").write_text(dump_native(gripper()).replace("distance(base, tip)", "distance(base, ti p)"))
    with pytest.raises(FormatError, match=r"part.yaml:\d+:.*this is no expression"):
        mbsym.load(tmp_path / "whole.yaml")


def test_a_part_placed_and_a_part_bolted_on_move_alike() -> None:
    place = Placement((0.3, -0.2, 0), (("z", 0.4), ("x", 1.1)))
    bolted = replace(
        carrier(),
        bodies=(*carrier().bodies, Body("mount")),
        joints=(*carrier().joints, Joint("bolt", "fixed", "hand", "mount", predecessor_placement=place)),
    )
    found = with_submodel(carrier(), gripper(), "g_", on="hand", at=place, connect={"end": "grip"})
    expected = with_submodel(bolted, gripper(), "g_", on="mount", connect={"end": "grip"})
    np.testing.assert_allclose(bias(found), bias(expected), rtol=1e-12)


def test_a_symbol_of_sympy_is_renamed_too() -> None:
    law = JointForce("law", "wrist", 2 * sympy.Symbol("distance(base, tip)") + sympy.Symbol("k"))
    found = with_submodel(carrier(), replace(gripper(), forces=(law,)), "g_", on="hand", connect={"end": "hand"})
    (renamed,) = found.forces
    assert isinstance(renamed, JointForce)
    assert renamed.expression == 2 * sympy.Symbol("distance(hand, g_tip)") + sympy.Symbol("g_k")


# ---- methods that have no place for them ----------------------------------------------------------------------------


def test_vibrations_by_transfer_matrices_refuse_what_depends_on_the_motion() -> None:
    bar = Model(
        "bar",
        (Body("b", 1, (0.3, 0, 0), (0.1, 0.1, 0.1)),),
        (Joint("j", "revolute", "ground", "b", "z"),),
        (JointSpring("s", "j", 30), AppliedWrench("f", "b", (0, "-3*position(b).x", 0))),
    )
    with pytest.raises(AnalysisError, match="takes no applied wrench that acts at rest or depends on the motion"):
        mbsym.transfer_matrix_modes(bar)


def test_time_steps_by_transfer_matrices_take_them() -> None:
    """With the square of the step to the motion of the equations."""
    text = (
        "name: double\\nbodies:\\n  a: {mass: 1, center_of_mass: [0.5, 0.1, 0], inertia: [0.1, 0.1, 0.1]}\\n"
        "  b: {mass: 0.7, center_of_mass: [0.3, 0, 0], inertia: [0.05, 0.05, 0.05]}\\njoints:\\n"
        "  A: {type: revolute, from: ground, to: a, initial: 0.3}\\n"
        "  B: {type: revolute, from: a, to: b, at: [1, 0, 0]}\\nforces:\\n"
        '  f: {type: applied_wrench, body: b, force: ["-2*velocity(b).x", "-3*position(b).y", 0]}\\n'
        '  g: {type: joint_force, joint: A, expression: "-2*angle(ground, b, about=z) + distance_rate(ground, b)"}\\n'
    ).replace("\\n", "\n")
    model = read_native(TextSource("double.yaml", text))
    exact = mbsym.simulate(model, 0.2, output_step=0.1)
    errors = [
        np.abs(
            mbsym.simulate(model, 0.2, output_step=0.1, step=step, method="transfer-matrix").q[-1] - exact.q[-1]
        ).max()
        for step in (1e-2, 5e-3)
    ]
    assert errors[0] < 2e-2
    assert 3.5 < errors[0] / errors[1] < 4.5

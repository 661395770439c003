"""Force elements, constraints and shapes on named frames: the same as on the bodies that carry these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbsym
from mbsym import AppliedWrench, Frame, Placement, PointSpringDamper
from mbsym.errors import FormatError, ModelError
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.frame_ends import on_bodies, turned
from mbsym.model.shape import Shape
from mbsym.model.system import Model
from mbsym.model.validate import require_valid
from mbsym.pipeline import GenerationOptions, express
from mbsym.reference.reference import Reference
from mbsym.shapes.forms import Box
from mbsym.values.numbers import evaluate
from mbsym.verification.random_state import random_state
from mbsym.visualisation.attachments import attachments_of
from mbsym.visualisation.skeleton import skeleton
from mbsym.visualisation.surfaces import surfaces_of
from mechanisms.examples import further

ARM = """name: arm
parameters: {l: 0.4}
bodies:
  upper: {mass: 1, inertia: [0.1, 0.2, 0.3], center_of_mass: [0, 0.1, -0.2]}
  lower: {mass: 2, inertia: [0.2, 0.1, 0.2], center_of_mass: [0.3, 0, 0]}
joints:
  pin: {type: revolute, from: ground, to: upper, axis: y}
  ball: {type: spherical, from: upper, to: lower, at: [0, 0, -0.5]}
forces:
  cable: {type: point_spring_damper, first_body: hook, second_body: tip, stiffness: 30, damping: 2, second_point: [0.1, 0.2, l]}
  push: {type: applied_wrench, body: tip, force: [1, v_pin, 3], moment: [0.5, 0, sin(t)], point: [0, 0.1, 0], axes: body}
  pull: {type: applied_wrench, body: turned, force: [4, 5, 6]}
constraints:
  rod: {type: distance, first_body: ground, second_body: turned, length: 1, first_point: [1, 0, 0], second_point: [0.1, 0, 0]}
frames:
  tip: {body: lower, at: {translation: [l, 0, 0.1], rotation: [[z, 0.3], [x, pi/2]]}}
  turned: {body: upper, at: {translation: [0, 0.2, 0], quaternion: [0.8, 0, 0.6, 0]}}
  hook: {body: ground, at: [1, 0, 0.5]}
"""  # noqa: E501


def arm(text: str = ARM) -> Model:
    return read_native(TextSource("arm.yaml", text))


def test_elements_name_frames_and_are_written_so() -> None:
    model = arm()
    require_valid(model)
    assert model.forces[0] == PointSpringDamper("cable", "hook", "tip", 30, 2, second_point=("0.1", "0.2", "l"))
    assert arm(dump_native(model)) == model
    assert "second_body: tip" in dump_native(model)
    settled = on_bodies(model)
    assert [force.named("body") for force in settled.forces] == [("ground", "lower"), ("lower",), ("upper",)]
    assert settled.constraints[0].named("body") == ("ground", "upper")
    assert on_bodies(settled) is settled


def test_quaternions_of_frames_may_name_parameters() -> None:
    """Of any length, as those of numbers."""
    named = arm(ARM.replace("l: 0.4}", "l: 0.4, p: 1.6}").replace("[0.8, 0, 0.6, 0]", "[p, 0, 3*p/4, 0]"))
    q, v, _vdot = random_state(named, named.label(), np.random.default_rng(5))
    forces = [Reference(model).bias_force(q, v, 0.7) for model in (on_bodies(named), on_bodies(arm()))]
    assert forces[0] == pytest.approx(forces[1], rel=1e-14)


def test_forces_are_those_of_points_in_the_frames() -> None:
    """By the frames' own poses and Jacobians: virtual work of each wrench, and the stretch of the cable."""
    model = replace(arm(), constraints=())
    reference, bare = Reference(model), Reference(replace(model, forces=()))
    q, v, _ = random_state(model, model.label(), np.random.default_rng(5))
    poses, jacobians = reference.frame_poses(q), reference.frame_jacobians(q)  # tip and turned, local; hook
    tip, _, hook = poses[:, :3, 3]
    arm_of_push, force, moment = np.array([0, 0.1, 0]), np.array([1, v[0], 3]), np.array([0.5, 0, np.sin(0.7)])
    work = jacobians[0].T @ np.concatenate([moment + np.cross(arm_of_push, force), force])
    work += jacobians[1].T @ np.concatenate([np.zeros(3), poses[1, :3, :3].T @ [4, 5, 6]])
    end = np.array([0.1, 0.2, 0.4])
    span = tip + poses[0, :3, :3] @ end - hook
    length = np.linalg.norm(span)
    twist = jacobians[0] @ v
    rate = span @ poses[0, :3, :3] @ (twist[3:] + np.cross(twist[:3], end)) / length
    pull = -(30 * length + 2 * rate) * poses[0, :3, :3].T @ span / length
    work += jacobians[0].T @ np.concatenate([np.cross(end, pull), pull])
    assert bare.bias_force(q, v) - reference.bias_force(q, v, 0.7) == pytest.approx(work, abs=1e-11)
    stored = reference.potential_energy(q) - bare.potential_energy(q)
    assert stored == pytest.approx(15 * length**2)


@pytest.mark.parametrize("closed", [True, *further(False)])
def test_what_is_derived_is_what_the_reference_has(closed: bool) -> None:
    model = arm() if closed else replace(arm(), constraints=())
    assert mbsym.verify(model, states=4).passed


def test_a_frame_that_nothing_is_generated_for_may_be_named() -> None:
    mechanism = express(arm(), GenerationOptions(frames=("hook",)))
    assert [frame.name for frame in mechanism.frames] == ["hook"]
    assert len(skeleton(mechanism).links) == 2


def test_pictures_show_them_on_their_bodies() -> None:
    found = {item.name: item.bodies for item in attachments_of(arm())}
    assert found == {"cable": ("ground", "lower"), "push": ("lower",), "pull": ("upper",), "rod": ("ground", "upper")}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("second_body: tip", "second_body: top", r"arm.yaml:10:.*body or frame 'top', which does not .*mean 'tip'"),
        ("body: turned, force", "body: hook, force", r"arm.yaml:12:.*'pull' acts on ground"),
        ("first_body: ground, second_body: turned", "first_body: upper, second_body: turned", r"'upper' with itself"),
        ("  tip: {body: lower", "  tip: {body: lowr", r"arm.yaml:16:.*body 'lowr', which does not exist"),
        ("to: lower", "to: tip", r"joint 'ball' refers to body 'tip', which does not exist"),
    ],
)
def test_mistakes_have_their_place(old: str, new: str, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        arm(ARM.replace(old, new))


def test_a_body_goes_before_a_frame_of_its_name() -> None:
    model = arm()
    frame = Frame("lower", "upper", Placement((9, 9, 9)))
    push = AppliedWrench("push", "lower", force=(1, 0, 0))
    assert on_bodies(replace(model, frames=(*model.frames, frame), forces=(push,))).forces == (push,)


def test_shapes_stand_on_frames() -> None:
    drawn = ARM.replace("quaternion: [0.8, 0, 0.6, 0]}}", "quaternion: [0.8, 0, 0.6, 0]}, geometry: [BOX]}").replace(
        "BOX", "{type: box, size: [0.1, 0.2, 0.3], at: {translation: [0.1, 0, 0], rotation: [[z, 0.5]]}}"
    )
    model = arm(drawn)
    assert model.shapes == (Shape("turned", Box(("0.1", "0.2", "0.3")), Placement(("0.1", 0, 0), (("z", "0.5"),))),)
    assert arm(dump_native(model)) == model
    (surface,), _ = surfaces_of(on_bodies(model))
    assert surface.body == "upper"
    turn = np.array([[0.28, 0, 0.96], [0, 1, 0], [-0.96, 0, 0.28]])
    assert np.mean(surface.vertices, axis=0) == pytest.approx(np.array([0, 0.2, 0]) + turn @ [0.1, 0, 0])
    own = np.array([[np.cos(0.5), -np.sin(0.5), 0], [np.sin(0.5), np.cos(0.5), 0], [0, 0, 1]])
    corner = np.array([0, 0.2, 0]) + turn @ (np.array([0.1, 0, 0]) + own @ [0.05, 0.1, 0.15])
    assert min(np.linalg.norm(surface.vertices - corner, axis=1)) < 1e-12
    with pytest.raises(FormatError, match=r"arm.yaml:17:.*body has the name of frame 'upper'"):
        arm(
            drawn.replace("  turned:", "  upper:")
            .replace("body: turned", "body: upper")
            .replace("second_body: turned", "second_body: lower")
        )
    with pytest.raises(FormatError, match=r"a density on a frame, which has no mass"):
        arm(drawn.replace("type: box,", "type: box, density: 2,"))
    with pytest.raises(ModelError, match="is on body 'nobody'"):
        require_valid(replace(model, shapes=(replace(model.shapes[0], body="nobody"),)))


@pytest.mark.parametrize("letters", ["x", "y", "z", "xy", "zyx", "yzy"])
def test_components_turn_with_the_frame(letters: str) -> None:
    angles = [0.3, -0.7, 1.1][: len(letters)]
    found = turned(Placement(rotation=tuple(zip(letters, map(str, angles), strict=True))), (1, "-2", 0.5))
    wanted = Rotation.from_euler(letters.upper(), angles).apply([1, -2, 0.5])  # capitals: moving axes
    assert [evaluate(value) for value in found] == pytest.approx(wanted, abs=1e-14)

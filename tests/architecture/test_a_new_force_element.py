"""What a new force element costs: its class, and its law in the reference. A bumper shows what they reach.

A bumper between two points hardens with the cube of its stretch and is damped the more, the more it is stretched. It
stores energy, takes energy, has parameters and a drawing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import mbsym
from mbsym.errors import FormatError, ModelError
from mbsym.forces import FORCE_ELEMENTS, ForceElement, ForceType
from mbsym.forces.element import Draw
from mbsym.forces.scene import MovingScene, PlacedPoint, Scene
from mbsym.formats.native.schema import json_schema
from mbsym.formats.native.text import dump_native
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.system import Model
from mbsym.model.validate import validate
from mbsym.reference.force_elements import REFERENCE_FORCES, ReferenceForce
from mbsym.reference.force_state import State
from mbsym.spatial.vector import Vector3, dot, negate, scale, subtract
from mbsym.symbolic.scalar import Scalar, sqrt
from mbsym.values.entries import holds
from mbsym.values.lines import Line
from mbsym.values.parameter import Value, Vector
from mbsym.visualisation.skeleton import skeleton
from mechanisms.random_mechanisms import random_tree

# ---- the record -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bumper(ForceElement):
    """tension = (hardness * s + damping * rate of s) * s^2 between two points, s the stretch beyond the free length."""

    type: ClassVar[str] = "bumper"
    stores_energy: ClassVar[bool] = True

    name: str
    first_body: str = field(metadata=holds("body", "the body at one end"))
    second_body: str = field(metadata=holds("body", "the body at the other end"))
    hardness: Value = field(metadata=holds("value", "tension per cube of stretch", unit="N/m^3", least="zero"))
    damping: Value = field(default=0, metadata=holds("value", "of the rate", unit="N s/m^3", least="zero"))
    free_length: Value = field(
        default="0.1", metadata=holds("value", "length without force", unit="m", least="above zero", remedy="give one")
    )
    point: Vector = field(default=(0, 0, 0), metadata=holds("vector", "end on the second body", unit="m"))

    def act(self, scene: MovingScene) -> None:
        a, b, span, length = self._line(scene)
        stretch = length - scene.value(self.free_length)
        rate = dot(span, subtract(b.velocity(), a.velocity())) / length
        tension = (scene.value(self.hardness) * stretch + scene.value(self.damping) * rate) * stretch**2
        pull = scale(span, tension / length)
        scene.push(a, pull)
        scene.push(b, negate(pull))

    def stored_energy(self, scene: Scene) -> Scalar:
        *_, length = self._line(scene)
        return Fraction(1, 4) * scene.value(self.hardness) * (length - scene.value(self.free_length)) ** 4

    def _line(self, scene: Scene) -> tuple[PlacedPoint, PlacedPoint, Vector3, Scalar]:
        a, b = scene.point(self.first_body, (0, 0, 0)), scene.point(self.second_body, self.point)
        span = subtract(b.position(), a.position())
        return a, b, span, sqrt(dot(span, span))

    def external_part(self, numbers: Mapping[str, float]) -> Bumper:
        return replace(self, hardness=0)

    def linear_law(self) -> None:
        return None

    def drawn(self) -> tuple[Line, ...]:
        return (Line("spring", self.first_body, (0, 0, 0), self.second_body, self.point),)

    @classmethod
    def random(cls, draw: Draw) -> Bumper:
        first, second = draw.two_bodies()
        hardness = draw.value(draw.number(1, 5), "h", "N/m^3")
        return cls(
            draw.name, first, second, hardness, draw.number(0, 1), draw.number(0.1, 1), (0.3, *draw.vector(0.5)[1:])
        )


def ends(mechanism: Any, at: Any, element: Bumper) -> tuple[np.ndarray, np.ndarray]:
    first, second = mechanism.body_labels[element.first_body], mechanism.body_labels[element.second_body]
    return at.origins[first], at.origins[second] + at.rotations[second] @ mechanism.numbers(element.point)


def pull(state: State, element: Bumper, law: Any) -> None:
    first, second = ends(state.mechanism, state.at, element)
    direction = (second - first) / np.linalg.norm(second - first)
    velocity = state.velocity(element.second_body, second) - state.velocity(element.first_body, first)
    stretch = float(np.linalg.norm(second - first)) - state.of(element.free_length)
    force = law(stretch, float(direction @ velocity)) * direction
    state.pull(element.first_body, first, force)
    state.pull(element.second_body, second, -force)


def energy(mechanism: Any, at: Any, element: Bumper) -> float:
    first, second = ends(mechanism, at, element)
    stretch = float(np.linalg.norm(second - first)) - mechanism.number(element.free_length)
    return 0.25 * mechanism.number(element.hardness) * stretch**4


REFERENCE_BUMPER = ReferenceForce(
    "bumper",
    other=lambda state, e: pull(state, e, lambda s, rate: state.of(e.damping) * rate * s**2),
    elastic=lambda state, e: pull(state, e, lambda s, rate: state.of(e.hardness) * s**3),
    energy=energy,
)

# ---- what it reaches ------------------------------------------------------------------------------------------------

SWING = """\
name: swing
parameters: {h: {value: 90, unit: N/m^3, symbolic: true}}
bodies:
  arm: {mass: 2, inertia: [0.02, 0.2, 0.2], center_of_mass: [0.4, 0, 0]}
  tip: {mass: 1, inertia: [0.01, 0.02, 0.02], center_of_mass: [0.1, 0, 0.05]}
joints:
  pin: {type: revolute, from: ground, to: arm, axis: y}
  ball: {type: spherical, from: arm, to: tip, at: [0.8, 0, 0]}
forces:
  stop: {type: bumper, first_body: ground, second_body: tip, hardness: h, damping: 3, point: [0.2, 0.1, 0]}
"""


@pytest.fixture(autouse=True)
def bumper() -> Iterator[None]:
    with FORCE_ELEMENTS.including(ForceType(Bumper)):
        yield


@pytest.fixture
def swing(tmp_path: Path) -> Model:
    path = tmp_path / "swing.yaml"
    path.write_text(SWING, encoding="utf-8")
    return mbsym.load(path)


def test_schema_reader_and_writer_know_it(swing: Model, tmp_path: Path) -> None:
    table = json_schema()["$defs"]["BumperTable"]
    assert table["description"] == Bumper.__doc__
    assert table["required"] == ["type", "first_body", "second_body", "hardness"]
    assert (
        table["properties"]["hardness"]["description"]
        == "tension per cube of stretch [N/m^3], a number or an expression"
    )
    assert swing.forces == (Bumper("stop", "ground", "tip", "h", 3, point=("0.2", "0.1", 0)),)
    assert validate(swing) == ()
    path = tmp_path / "again.yaml"
    path.write_text(dump_native(swing), encoding="utf-8")
    assert "type: bumper" in dump_native(swing) and "free_length" not in dump_native(swing)
    assert mbsym.load(path) == swing


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("hardness", "hardnes", "swing.yaml:10:62: unknown key 'hardnes'; did you mean 'hardness'?"),
        (", hardness: h", "", "swing.yaml:10:3: the entry 'hardness' is missing; add hardness: ..."),
        ("hardness: h", "hardness: [1]", "swing.yaml:10:72: a list where a number or an expression belongs"),
        ("hardness: h", "hardness: k", "swing.yaml:10:72: unknown name k"),
        ("second_body: tip", "second_body: top", "refers to body 'top', which does not exist; did you mean 'tip'?"),
        ("second_body: tip", "second_body: ground", "connects body 'ground' with itself"),
        ("damping: 3", "free_length: 0", "the free length of force element 'stop' is not positive; give one"),
        ("type: bumper", "type: bumber", "swing.yaml:10:16: there is no type 'bumber' here; use one of joint_spring"),
    ],
)
def test_what_is_wrong_with_it_is_said_at_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "swing.yaml"
    path.write_text(SWING.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError) as refusal:
        mbsym.load(path)
    assert message in str(refusal.value).replace(f"{tmp_path}/", "")
    assert "swing.yaml:10:" in str(refusal.value)


def test_random_mechanisms_have_some() -> None:
    models = [random_tree(seed, bodies=4) for seed in range(20)]
    assert sum(isinstance(force, Bumper) for model in models for force in model.forces) >= 3


def test_generated_code_agrees_with_the_reference(swing: Model) -> None:
    with REFERENCE_FORCES.including(REFERENCE_BUMPER):
        certificate = mbsym.verify(swing, states=5)
    assert certificate.passed
    functions = {check.function for check in certificate.checks if check.language == "c"}
    assert {"forward_dynamics", "potential_energy"} <= functions
    with REFERENCE_FORCES.including(replace(REFERENCE_BUMPER, elastic=None)):
        assert not mbsym.verify(swing, states=1).passed
    with pytest.raises(ModelError, match="no force law of the reference is called 'bumper'"):
        mbsym.verify(swing, states=1)


def test_what_it_takes_and_stores_is_in_the_balance_of_energy(swing: Model) -> None:
    result = mbsym.simulate(swing, 1.5, accuracy=mbsym.Accuracy(rtol=1e-10))
    monitors = result.monitors
    assert monitors.work[-1] < -0.05  # the damper has taken some
    assert np.ptp(monitors.potential_energy) > 1
    assert monitors.worst_energy_drift < 1e-8 * monitors.energy_scale


def test_it_is_drawn(swing: Model) -> None:
    shape = skeleton(build_mechanism(swing, swing.label()))
    assert [(link.kind, link.second_point) for link in shape.links] == [("spring", (0.2, 0.1, 0.0))]

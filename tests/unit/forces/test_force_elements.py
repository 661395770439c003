"""Every force element keeps its word: its forces follow from its energy, and what it names is checked."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from mbsym.errors import DerivationError, ModelError
from mbsym.forces import FORCE_ELEMENTS, AppliedWrench, ForceElement, JointSpring, PointSpringDamper
from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.recursive.newton_euler import newton_euler
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.kinematics.observables import position_rate, stored_energy
from mbsym.kinematics.recursion import joint_speeds
from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.model.validate import validate
from mbsym.reference.force_elements import REFERENCE_FORCES
from mbsym.simulation.monitors import floats_freely
from mbsym.simulation.step_terms import external_forces
from mbsym.spatial.vector import zero_vector
from mbsym.symbolic.differentiate import gradient
from mbsym.symbolic.equality import compare
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.values.entries import entries_of
from mechanisms.random_trees import RandomDraw, RandomParameters

TYPES = sorted(FORCE_ELEMENTS)


def arm(**changes: Any) -> Model:
    """A slide, a hinge and a ball, each with a body beyond it."""
    bodies = tuple(Body(name, 1, (0.1, 0.2, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for name in ("sled", "bar", "tip"))
    joints = (
        Joint("rail", "prismatic", "ground", "sled", axis=(1, 0, 0)),
        Joint("pin", "revolute", "bar", "sled", axis=(0, 2, 1)),
        Joint("ball", "spherical", "bar", "tip"),
    )
    return replace(Model("arm", bodies, joints), **changes)


def random_element(kind: str, seed: int) -> tuple[Model, ForceElement]:
    """A random element of that type on one of the joints with coordinates, or on any bodies, in its model."""
    rng = np.random.default_rng(seed)
    model, inputs = arm(), []
    table = RandomParameters(rng, used=False)
    draw = RandomDraw(rng, "element", model, model.joints[:2], inputs, table)
    draw.choose_speed()
    element = FORCE_ELEMENTS[kind].element.random(draw)
    assert element is not None
    return replace(model, forces=(element,), inputs=tuple(inputs)), element


def mechanism_of(model: Model) -> Mechanism:
    return build_mechanism(model, model.label())


def generalised(mechanism: Mechanism) -> tuple[Scalar, ...]:
    """What the force elements do along v."""
    zero = Scalar(mechanism.graph, 0)
    still = tuple((zero,) * len(body.v) for body in mechanism.bodies)
    applied = applied_forces(mechanism, joint_speeds(mechanism))
    held = newton_euler(mechanism, still, still, zero_vector(mechanism.graph), applied)
    return tuple(-force for force in mechanism.gather(held.forces))


def power_program(mechanism: Mechanism, power: Scalar) -> Program:
    inputs = (mechanism.q, mechanism.v, *mechanism.extra_inputs)
    return Program("power", mechanism.graph, inputs, (Output("power", (), (power.ref,)),))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", TYPES)
def test_power_is_that_of_the_external_part_less_the_rate_of_what_is_stored(kind: str, seed: int) -> None:
    """As an identity of rational functions: sum of force times speed = external power - dE/dt."""
    model, element = random_element(kind, seed)
    whole, split = mechanism_of(model), mechanism_of(model)
    power = Scalar(whole.graph, 0)
    for force, speed in zip(generalised(whole), whole.entries(whole.v), strict=True):
        power = power + force * speed
    balance = Scalar(split.graph, 0)
    for force, speed in zip(external_forces(split), split.entries(split.v), strict=True):
        balance = balance + force * speed
    energy = stored_energy(split)
    assert bool(energy) == element.stores_energy
    for slope, rate in zip(gradient(split.graph, energy.ref, split.q.symbols), position_rate(split), strict=True):
        balance = balance - Scalar(split.graph, slope) * rate
    verdict = compare(power_program(whole, power), power_program(split, balance))
    assert verdict, verdict


@pytest.mark.parametrize("kind", TYPES)
def test_every_element_has_a_law_in_the_reference(kind: str) -> None:
    law = REFERENCE_FORCES[kind]
    stores = FORCE_ELEMENTS[kind].element.stores_energy
    assert (law.elastic is not None, law.energy is not None) == (stores, stores)


@pytest.mark.parametrize("kind", TYPES)
def test_all_that_an_element_holds_has_an_entry(kind: str) -> None:
    element = FORCE_ELEMENTS[kind].element
    assert ["name", *(entry.key for entry in entries_of(element))] == [item.name for item in fields(element)]  # type: ignore[arg-type]
    assert all(entry.sentence for entry in entries_of(element))
    assert all(entry.unit for entry in entries_of(element) if entry.kind in ("value", "vector") and entry.key != "gain")


@pytest.mark.parametrize("kind", TYPES)
def test_names_of_nothing_and_values_of_nothing_are_refused(kind: str) -> None:
    model, element = random_element(kind, 1)
    assert [item for item in validate(model) if item.severity == "error"] == []
    for entry in entries_of(type(element)):
        unlike = {"index": 7, "vector": (1, 2), "direction": (0, 0, 0), "expressions": (1, 2), "choice": "no"}
        wrong: Any = unlike.get(entry.kind, "nothing")
        found = validate(replace(model, forces=(replace(element, **{entry.key: wrong}),)))
        assert [item.path[:3] for item in found if item.severity == "error"] == [("forces", 0, entry.key)], entry.key


def test_a_spring_on_a_quaternion_is_refused_where_it_acts_and_where_it_stores() -> None:
    mechanism = mechanism_of(arm(forces=(JointSpring("s", "ball", 1),)))
    with pytest.raises(DerivationError, match="force s needs a coordinate whose rate is the speed; joint ball has"):
        generalised(mechanism)
    with pytest.raises(DerivationError, match="s: force s needs a coordinate"):
        stored_energy(mechanism)


def test_what_ties_bodies_to_ground_is_seen() -> None:
    base = arm(joints=(Joint("float", "free", "ground", "sled"), *arm().joints[1:]))
    inside = (JointSpring("s", "pin", 1), PointSpringDamper("p", "sled", "tip", 1))
    assert floats_freely(replace(base, forces=inside))
    for outside in (
        PointSpringDamper("p", "ground", "tip", 1),
        AppliedWrench("w", "tip", (1, 0, 0)),
        FORCE_ELEMENTS["joint_damper"].element.random(_on_joint("float")),
    ):
        assert outside is not None
        assert not floats_freely(replace(base, forces=(*inside, outside)))


def _on_joint(name: str) -> RandomDraw:
    rng = np.random.default_rng(0)
    joint = Joint(name, "free", "ground", "sled")
    draw = RandomDraw(rng, "d", arm(joints=(joint,)), (joint,), [], RandomParameters(rng, used=False))
    draw.choose_speed()
    return draw


def test_types_of_no_element_are_refused_with_the_nearest() -> None:
    with pytest.raises(ModelError, match="no force element is called 'joint_sprung'; did you mean 'joint_spring'"):
        FORCE_ELEMENTS.named("joint_sprung")


def test_what_stores_energy_says_how_much() -> None:
    with pytest.raises(TypeError, match="Forgetful stores energy"):
        type("Forgetful", (ForceElement,), {"stores_energy": True, "__slots__": ()})

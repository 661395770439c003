"""Models with one element of a registered type, drawn as random models are, or filled in as its entries ask."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbsym.constraints import CONSTRAINTS
from mbsym.constraints.element import ConstraintElement, ConstraintType
from mbsym.forces import FORCE_ELEMENTS
from mbsym.forces.element import ForceElement, JointElement
from mbsym.model.system import Model
from mbsym.reference.reference import Reference
from mbsym.values.parameter import ControlInput
from mbsym.verification.random_state import random_state
from mechanisms.random_mechanisms import RandomLoop
from mechanisms.random_trees import RandomDraw, RandomParameters

Array = NDArray[Any]

ATTEMPTS = 20
"""Draws of a joint, of which some do not suit an element."""


def with_element(model: Model, kind: str, seed: int) -> Model:
    """The model with random force elements of that type: two on joints, or four on bodies, which may be ground."""
    rng = np.random.default_rng(seed)
    inputs: list[ControlInput] = []
    moving = [joint for joint in model.joints if joint.shape.nv]
    record = FORCE_ELEMENTS[kind]
    found: list[ForceElement] = []
    for attempt in range(ATTEMPTS):
        draw = RandomDraw(rng, f"element {attempt}", model, moving, inputs, RandomParameters(rng, used=False))
        draw.choose_speed()
        element = record.element.random(draw)
        found += [element] if element is not None else []
        if len(found) == (2 if issubclass(record.element, JointElement) else 4):
            return replace(model, forces=tuple(found), inputs=tuple(inputs))
    raise AssertionError(f"no random {kind} suits the model")


def with_constraint(model: Model, kind: str, seed: int) -> tuple[Model, Array]:
    """The model with a constraint of that type, and coordinates at which it holds."""
    rng = np.random.default_rng(seed)
    reference = Reference(model)
    q, _, _ = random_state(model, reference.labelling, rng, reference=reference)
    record = CONSTRAINTS[kind]
    element = None
    if {"body", "expression"} & {entry.kind for entry in record.entries}:
        ends = model.bodies[-1].name, model.bodies[0].name
        element = record.element.random(RandomLoop(rng, ends, reference, q, 1))
    if element is None:
        element, q = _between_joints(record, model), reference.neutral
    return replace(model, constraints=(element,)), q


def _between_joints(record: ConstraintType, model: Model) -> ConstraintElement:
    """One that holds where all coordinates are zero."""
    joints = [joint.name for joint in model.joints if joint.shape.nv == 1]
    singles = iter(joints)
    given: dict[str, Any] = {}
    for place, entry in enumerate(record.entries):
        if entry.kind == "joint":
            given[entry.key] = next(singles)
        elif entry.kind == "joints":
            given[entry.key] = tuple(joints)
        elif entry.kind == "values":
            given[entry.key] = tuple(0.7 + 0.4 * k for k in range(len(joints)))
        elif entry.key != "offset":
            given[entry.key] = 1.3 + place
    return record.element(name="constraint", **given)

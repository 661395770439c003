"""Motions drawn at random for mechanisms that tests have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.functions import constraint_jacobian
from mbsym.loops.generic_rank import dependent_columns
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.motion import PrescribedMotion
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.symbolic.interpret import interpret
from mechanisms.mechanism import mechanism_of

LAWS = (
    "{a}*sin({b}*t) + {c}",
    "{a}*t**3/(1 + t**2) - {c}*t",
    "{a}*exp(-{b}*t)*cos(t)",
    "{a}*tanh(t) + {c}*sqrt(2 + sin(t))",
)


def with_motions(
    model: Model,
    rng: np.random.Generator,
    share: float = 0.5,
    columns: list[int] | None = None,
    ways: tuple[str, ...] = ("position", "speed", "acceleration"),
    start: NDArray[np.float64] | None = None,
) -> Model:
    """The model with motions of a share of the speeds of its tree, or of those in some columns; one at least.

    A joint whose speeds are no rates of its coordinates has no position to prescribe, whatever the ways are. Where a
    configuration to start from is given, such as one at which loops are closed, positions begin there at t = 0.
    """
    mechanism = mechanism_of(model)
    places = [
        (body.joint, index, body.v_range[0] + index, body.q_range[0] + index)
        for body in mechanism.bodies
        for index in range(body.v_range[1] - body.v_range[0])
    ]
    places = [place for place in places if columns is None or place[2] in columns]
    if not places:
        return model
    first = int(rng.integers(len(places)))
    motions = []
    for number, (joint, index, _, coordinate) in enumerate(places):
        if number != first and rng.random() > share:
            continue
        a, b, c = (round(float(x), 2) for x in rng.uniform(0.5, 1.5, 3))
        law = LAWS[int(rng.integers(len(LAWS)))].format(a=a, b=b, c=c)
        possible = [way for way in ways if way != "position" or joint.shape.nq == joint.shape.nv]
        gives = possible[int(rng.integers(len(possible)))]
        if gives == "position" and start is not None:
            law += f" + ({start[coordinate] - float(sp.sympify(law).subs('t', 0)):.17g})"
        motions.append(PrescribedMotion(f"motion {number}", joint.name, law, gives, index))
    given = {motion.joint for motion in motions if motion.gives == "position"}
    joints = tuple(replace(joint, initial=()) if joint.name in given else joint for joint in model.joints)
    return replace(model, motions=tuple(motions), joints=joints)


def free_to_drive(mechanism: Mechanism, q: NDArray[np.float64]) -> list[int]:
    """Columns of v that closed loops leave independent at a configuration."""
    rows = interpret(constraint_jacobian(mechanism, analyse_loops(mechanism)), {"q": q})["G"]
    dependent, _ = dependent_columns(rows)
    return [k for k in range(mechanism.nv) if k not in dependent]


def as_labelled_now(before: Model, q: NDArray[np.float64], after: Model) -> NDArray[np.float64]:
    """The same configuration of a model whose labels or coordinates may stand in another order."""
    known = Reference(before).joint_coordinates(q)
    reference = Reference(after)
    found = np.zeros(reference.nq)
    for joint in reference.mechanism.tree_joints:
        if joint.coordinates is not None:
            found[joint.coordinates] = known[joint.name]
    return found

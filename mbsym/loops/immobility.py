"""Structures: mechanisms that nothing can move, told before anyone computes with them."""

from __future__ import annotations

from typing import Final

from mbsym.errors import MbsymError
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.closing import close_from_anywhere, closing_problem
from mbsym.loops.constraints import closures
from mbsym.loops.generic_rank import rank_of
from mbsym.model.system import Model

MOST_SPEEDS: Final = 150
"""Speeds of the opened loops up to which a structure is looked for; more of them take longer to close than to wait."""


def immobility(model: Model, order: str = "weight") -> str:
    """A sentence on a mechanism without any freedom, empty for all others and for topology alone.

    Loops are closed only where there are as many closure rows as speeds, or more. Where they cannot be closed, or are
    closed in a singular configuration, nothing is said here: the analysis of the loops tells that.
    """
    if not any(body.mass != 0 or any(entry != 0 for entry in body.inertia) for body in model.bodies):
        return ""
    labelling = model.label(order=order)
    freedoms = {joint.name: joint.shape.nv for joint in model.joints}
    tree = labelling.joint_names[: len(labelling.inboard)]
    speeds = sum(freedoms.get(str(name), 6) for name in tree) - len(model.couplings)
    if speeds == 0:
        return "no joint can move, so this is a structure, whose dynamics are its statics"
    held = sum(6 - freedoms[str(name)] for name in labelling.cut_joints) + 6 * len(model.constraints)
    if held < speeds or speeds > MOST_SPEEDS:
        return ""
    try:
        mechanism = build_mechanism(model, labelling)
        found = closures(mechanism)
        if sum(len(closure.rows) for closure in found) < speeds:
            return ""
        problem = closing_problem(mechanism, found)
        closed = close_from_anywhere(problem, initial_coordinates(mechanism))
        immobile = closed.closed and rank_of(problem.gap(closed.q)[1]) == mechanism.nv
    except MbsymError:
        return ""
    return "the loops leave no freedom, so this is a structure, whose dynamics are its statics" if immobile else ""

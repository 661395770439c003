"""In which order the coordinates of the joints stand in q, v and tau.

It is a choice of the layout alone: labels stay the regular labels of the tree, whatever the order.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Final

from mbsym.errors import DerivationError
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.topology import Labelling

FILE: Final = "file"
"""The order in which joints stand in the model: that of its file, for robot files depth first."""

LABELS: Final = "labels"
"""The order of the regular labels."""


def order_in_words(model: Model) -> str:
    """How the coordinates stand, as in "as the joints stand in the file"."""
    order = model.coordinate_order
    if isinstance(order, str):
        return {FILE: "as the joints stand in the file", LABELS: "by label"}[order]
    return f"first {', '.join(order)}, then as the joints stand in the file"


def why_without_coordinates(model: Model, joint: Joint) -> str:
    """Why a joint has no coordinates of its own whichever tree is taken, "" where that depends on the tree."""
    if any(coupling.joint == joint.name for coupling in model.couplings):
        return "a coupling ties it to another joint"
    if not joint.shape.nv:
        return "nothing moves in it"
    return "it is to be cut" if joint.cut == "cut" else ""


def joints_by_coordinates(model: Model, labelling: Labelling) -> tuple[str, ...]:
    """Names of the joints with coordinates of their own, in the order in which these stand in q, v and tau.

    Joints that a coupling ties to others have no coordinates of their own, nor have joints that close loops. Joints
    that the model's list leaves out follow in the order of the file.

    Args:
        model: with the free joints that the labelling added.
        labelling: its labels.

    Raises:
        DerivationError: the model's list names a joint without coordinates.
    """
    tied = {coupling.joint for coupling in model.couplings}
    in_tree = [str(name) for name in labelling.joint_names[: len(labelling.inboard)]]
    moving = {joint.name for joint in model.joints if joint.shape.nv} - tied
    by_label = tuple(name for name in in_tree if name in moving)
    if model.coordinate_order == LABELS:
        return by_label
    own = set(by_label)
    in_file = [joint.name for joint in model.joints if joint.name in own]
    if model.coordinate_order == FILE:
        return tuple(in_file)
    for name in model.coordinate_order:
        if name not in own:
            reason = next((why_without_coordinates(model, joint) for joint in model.joints if joint.name == name), "")
            raise DerivationError(
                f"joint {name!r} has no coordinates of its own: {reason or 'it closes a loop of the tree taken'}",
                where=f"{model.name}: coordinate_order",
                remedy=f"name some of {', '.join(in_file)}, or ask for another tree",
            )
    return tuple(dict.fromkeys((*model.coordinate_order, *in_file)))


def first_entries(sizes: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """Where the entries of each joint start, one joint after the other, and how many there are."""
    starts = [*accumulate(sizes.values(), initial=0)]
    return dict(zip(sizes, starts, strict=False)), starts[-1]

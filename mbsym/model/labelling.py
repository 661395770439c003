"""From a model to its labelling: which joints are cut, which labels bodies and joints get."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from mbsym.errors import TopologyError
from mbsym.model.force import Actuator
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.topology.joint_weights import JointTraits, joint_weights
from mbsym.topology.labelling import Labelling, label

if TYPE_CHECKING:
    from mbsym.topology.labelling import Order


def label_model(model: Model, *, order: str = "weight") -> Labelling:
    """Labels the bodies and joints of a model regularly and picks its cut joints.

    A joint with a motor stays in the tree where it can; joints of a coupling always do, because their coordinates are
    the ones that the coupling ties together.

    Args:
        model: bodies and joints in any order, numbering and direction.
        order: "weight" assembles the lightest joint first, "input" in the order given.

    Raises:
        TopologyError: a body is not connected to ground, or demands on cut joints contradict each other.
    """
    if order not in ("weight", "input"):
        raise TopologyError(f"there is no order {order!r}", where=model.name, remedy="use weight or input")
    traits = joint_traits(model)
    return label(
        [(joint.name, joint.predecessor, joint.successor) for joint in model.joints],
        base=model.ground,
        weights=joint_weights(traits),
        forced_cut=[item.name for item in traits if item.force == "cut"],
        forced_tree=[item.name for item in traits if item.force == "tree"],
        order=cast("Order", order),
        bodies=[body.name for body in model.bodies],
        free_roots="add" if model.free_roots else "error",
    )


def joint_traits(model: Model) -> list[JointTraits]:
    """What decides the weight of each joint, in the model's order."""
    driven = {force.joint for force in model.forces if isinstance(force, Actuator)}
    coupled = {name for coupling in model.couplings for name in (coupling.joint, coupling.source)}
    traits = []
    for joint in model.joints:
        force = None if joint.cut == "auto" else joint.cut
        traits.append(
            JointTraits(
                joint.name,
                joint.type,
                actuated=joint.type != "fixed" and (joint.actuated or joint.name in driven),
                reaction_wanted=joint.reaction_wanted,
                touches_ground=model.ground in (joint.predecessor, joint.successor),
                force="tree" if force is None and joint.name in coupled else force,
                weight=joint.weight,
            )
        )
    return traits


def with_virtual_joints(model: Model, labelling: Labelling) -> Model:
    """The model with the free joints that the labelling added, as ordinary joints behind the user's own.

    Returns:
        The model itself if the labelling added none.
    """
    if not labelling.added_joints:
        return model
    graph = labelling.graph
    first = len(graph.joint_names) - len(labelling.added_joints)
    virtual = tuple(
        Joint(str(graph.joint_names[k]), "free", model.ground, str(graph.body_names[graph.successors[k]]))
        for k in range(first, len(graph.joint_names))
    )
    return replace(model, joints=model.joints + virtual, free_roots=False)

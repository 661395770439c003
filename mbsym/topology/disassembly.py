"""Regular labelling by disassembly: end bodies are taken off layer by layer and get the highest free labels.

Labels are regular if parent < child, a body has the label of its inboard joint and every joint points away from the
base. Of one layer, all bodies can be eliminated at once on the way from the leaves to the base.

Source: Qi, Huang, Shao: dynamic assembling and regular labelling, section 2. Labels of a layer ascend with the
original body number, as in the paper's examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbsym.topology.graph import JointGraph


@dataclass(frozen=True, slots=True)
class RegularLabels:
    """Maps between original numbers and regular labels.

    Attributes:
        body_labels: I_B, the label of each original body number, with I_B(0) = 0.
        joint_labels: I_J, the label of each 0-based original joint number; cut joints have nb+1..nj.
        bodies: inverse of I_B, the original body number of each label 0..nb.
        joints: inverse of I_J, the 0-based original joint number of label j at index j - 1.
        inboard: i+ of every joint by label (index j - 1), the lesser label of its two bodies.
        outboard: i- of every joint by label, the greater label of its two bodies.
        flipped: 1 for each joint by label that was turned round to point so, as bytes.
        layer_sizes: number of bodies in each layer, in the order of disassembly.
    """

    body_labels: tuple[int, ...]
    joint_labels: tuple[int, ...]
    bodies: tuple[int, ...]
    joints: tuple[int, ...]
    inboard: tuple[int, ...]
    outboard: tuple[int, ...]
    flipped: bytes
    layer_sizes: tuple[int, ...]


def regular_labels(graph: JointGraph, patterns: str) -> RegularLabels:
    """Labels bodies and joints regularly.

    Cost is linear in bodies and joints, but for sorting the bodies inside each layer.

    Args:
        graph: the joint graph.
        patterns: pattern letters of the joints; those other than d must form a spanning tree.
    """
    nb = graph.nb
    predecessors, successors = graph.predecessors, graph.successors
    # A body of degree one needs its only joint; the exclusive-or of the joints left at a body is that joint.
    degree = [0] * (nb + 1)
    joints_left = [0] * (nb + 1)
    for joint, pattern in enumerate(patterns):
        if pattern != "d":
            for body in (predecessors[joint], successors[joint]):
                degree[body] += 1
                joints_left[body] ^= joint
    degree[0] = 0  # the base is no end body

    bodies = [0] * (nb + 1)
    joints = [0] * graph.nj
    layer = [body for body in range(nb + 1) if degree[body] == 1]
    layer_sizes = []
    highest = nb
    while layer:
        layer_sizes.append(len(layer))
        highest -= len(layer)
        inner_layer = []
        for label, body in enumerate(layer, start=highest + 1):
            joint = joints_left[body]
            bodies[label] = body
            joints[label - 1] = joint
            neighbour = predecessors[joint] + successors[joint] - body
            joints_left[neighbour] ^= joint
            degree[neighbour] -= 1
            if degree[neighbour] == 1:
                inner_layer.append(neighbour)
        inner_layer.sort()
        layer = inner_layer
    cut = nb
    for joint, pattern in enumerate(patterns):
        if pattern == "d":
            joints[cut] = joint
            cut += 1

    body_labels = _inverse(bodies)
    inboard = [body_labels[predecessors[joint]] for joint in joints]
    outboard = [body_labels[successors[joint]] for joint in joints]
    flipped = bytearray(graph.nj)
    for k, (tail, head) in enumerate(zip(inboard, outboard, strict=True)):
        if tail > head:
            inboard[k], outboard[k], flipped[k] = head, tail, 1
    return RegularLabels(
        body_labels=tuple(body_labels),
        joint_labels=tuple(label + 1 for label in _inverse(joints)),
        bodies=tuple(bodies),
        joints=tuple(joints),
        inboard=tuple(inboard),
        outboard=tuple(outboard),
        flipped=bytes(flipped),
        layer_sizes=tuple(layer_sizes),
    )


def _inverse(permutation: Sequence[int]) -> list[int]:
    inverse = [0] * len(permutation)
    for position, number in enumerate(permutation):
        inverse[number] = position
    return inverse

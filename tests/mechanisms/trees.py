"""Trees of any shape, whose bodies have dense numbers: no entry of an inertia, an offset or a placement is alike."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model


def chain(n: int) -> tuple[int, ...]:
    """Parents of a chain."""
    return tuple(range(n))


def arms(n: int, count: int = 4) -> tuple[int, ...]:
    """Parents of ``count`` equal chains on one node, the first body."""
    length = (n - 1) // count
    parents = [0]
    for _ in range(count):
        parents.append(1)
        parents.extend(range(len(parents), len(parents) + length - 1))
    return tuple(parents)


def binary(n: int) -> tuple[int, ...]:
    """Parents of a complete binary tree."""
    return tuple(k // 2 for k in range(1, n + 1))


def comb(n: int) -> tuple[int, ...]:
    """Parents of a chain each of whose bodies carries one more."""
    return tuple((k - 2 if k > 2 else 0) if k % 2 else k - 1 for k in range(1, n + 1))


def tree_model(parents: Sequence[int], kinds: Sequence[str], *, backwards: bool = False) -> Model:
    """The tree of Liu, Hu and Zhang's method with bodies B1, B2, ... on joints J1, J2, ...

    Args:
        parents: The number of each body's parent, 0 for ground.
        kinds: The type of each body's joint.
        backwards: Every second joint is written from the body to its parent.
    """
    bodies, joints = [], []
    for i, (parent, kind) in enumerate(zip(parents, kinds, strict=True), start=1):
        bodies.append(Body(f"B{i}", 1 + i / 2, (0.1, 0.02 * i, 0.2), (0.02 * i, 0.03 * i, 0.04 * i, 0, 0, 0)))
        placement = Placement((0.3, 0.1 * i, 0.05), (("x", 0.1 * i), ("y", 0.2)))
        axes = {"axis": (1, 0, 0), "second_axis": (0, 1, 0)} if kind == "universal" else {}
        pitch = 0.05 * i if kind == "helical" else 0
        ends = (f"B{parent}" if parent else "ground", f"B{i}")
        ends = ends[::-1] if backwards and i % 2 == 0 else ends
        joints.append(Joint(f"J{i}", kind, *ends, predecessor_placement=placement, pitch=pitch, **axes))
    return Model("tree", tuple(bodies), tuple(joints))

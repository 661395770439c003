"""Bodies on fixed joints made part of the bodies that carry them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from mbsym.constraints import ConstraintElement
from mbsym.formats.rigid_frames import (
    SAME_ROTATION,
    ExactMass,
    apply,
    compose,
    exact3,
    exact_mass,
    placement_matrix,
    text,
)
from mbsym.model.body import COINCIDENT, Body, Placement
from mbsym.model.frame import Frame, FrameKind
from mbsym.model.frame_ends import body_end, on_bodies
from mbsym.model.joint import Joint
from mbsym.model.shape import Shape, in_body_order
from mbsym.model.system import Model
from mbsym.values.entries import entries_of
from mbsym.values.parameter import Vector


def merge_fixed_joints(
    model: Model, mergeable: Collection[str], tolerance: float = SAME_ROTATION, *, keep_joints: bool = False
) -> Model:
    """The model without the fixed joints named, whose successors become part of their predecessors.

    Their frames stay, under the names that they had; where that of a body or joint is a frame's already, with BODY: or
    JOINT: before it.

    Args:
        model: all values are numbers, inertias about centres of mass, no force element refers to a body, and the joint
            frames of the joints to merge coincide with the frames of their successors.
        mergeable: names of fixed joints that form no loop.
        tolerance: how near to a right angle the product of arbitrary rotations is taken as one [rad].
        keep_joints: the frames of the joints stay, too.
    """
    model = on_bodies(model)
    carrier: dict[str, tuple[str, Placement]] = {
        joint.successor: (joint.predecessor, joint.predecessor_placement)
        for joint in model.joints
        if joint.name in mergeable and joint.kind.is_rigid
    }
    home = {name: _home(name, carrier, tolerance) for name in (model.ground, *(body.name for body in model.bodies))}
    gained: dict[str, list[ExactMass]] = {}
    for body in model.bodies:
        if body.name in carrier:
            name, placement = home[body.name]
            part = exact_mass(body)
            if part.mass != 0 or any(entry != 0 for row in part.inertia for entry in row):
                gained.setdefault(name, []).append(part if placement == COINCIDENT else part.moved(placement))
    frames = [_rehomed_frame(frame, home, tolerance) for frame in model.frames]
    merged = [joint for joint in model.joints if joint.kind.is_rigid and joint.name in mergeable]
    named: list[tuple[FrameKind, str, str]] = [("body", joint.successor, joint.successor) for joint in merged]
    named += [("joint", joint.name, joint.successor) for joint in merged if keep_joints]
    for kind, own, carried in named:
        taken = {frame.name for frame in frames}
        frames.append(Frame(f"{kind}:{own}" if own in taken else own, *home[carried], kind=kind))
    moved = replace(
        model,
        frames=tuple(frames),
        shapes=in_body_order((_rehomed_shape(shape, home, tolerance) for shape in model.shapes), home),
        bodies=tuple(_heavier(body, gained.get(body.name, [])) for body in model.bodies if body.name not in carrier),
        joints=tuple(
            _rehomed(joint, home, tolerance)
            for joint in model.joints
            if not (joint.kind.is_rigid and joint.name in mergeable)
        ),
        constraints=(),
    )
    return replace(moved, constraints=tuple(_rehomed_constraint(item, home, moved) for item in model.constraints))


def _heavier(body: Body, parts: list[ExactMass]) -> Body:
    """The body with parts fixed to it; the body itself, digit by digit, if there are none."""
    if not parts:
        return body
    total = exact_mass(body)
    if total.mass == 0 and not any(entry != 0 for row in total.inertia for entry in row):
        total, *parts = parts
    for part in parts:
        total = total.joined(part)
    return total.body(body.name)


def _home(name: str, carrier: dict[str, tuple[str, Placement]], tolerance: float) -> tuple[str, Placement]:
    """The body that a body becomes part of, and the body's frame in it."""
    placement = COINCIDENT
    while name in carrier:
        name, on_carrier = carrier[name]
        placement = on_carrier if placement == COINCIDENT else compose(on_carrier, placement, tolerance)
    return name, placement


def _rehomed(joint: Joint, home: dict[str, tuple[str, Placement]], tolerance: float) -> Joint:
    predecessor, on_predecessor = home[joint.predecessor]
    successor, on_successor = home[joint.successor]
    return replace(
        joint,
        predecessor=predecessor,
        successor=successor,
        predecessor_placement=_on(on_predecessor, joint.predecessor_placement, tolerance),
        successor_placement=_on(on_successor, joint.successor_placement, tolerance),
    )


def _rehomed_frame(frame: Frame, home: dict[str, tuple[str, Placement]], tolerance: float) -> Frame:
    body, on_body = home[frame.body]
    return replace(frame, body=body, placement=_on(on_body, frame.placement, tolerance))


def _rehomed_shape(shape: Shape, home: dict[str, tuple[str, Placement]], tolerance: float) -> Shape:
    body, on_body = home[shape.body]
    return replace(shape, body=body, placement=_on(on_body, shape.placement, tolerance))


def _on(outer: Placement, inner: Placement, tolerance: float) -> Placement:
    if outer == COINCIDENT:
        return inner
    return outer if inner == COINCIDENT else compose(outer, inner, tolerance)


def _rehomed_constraint(
    item: ConstraintElement, home: dict[str, tuple[str, Placement]], model: Model
) -> ConstraintElement:
    """The constraint on the bodies that now carry its own."""
    moved: Any = item
    for entry in entries_of(type(item)):
        value = getattr(item, entry.key)
        if entry.kind == "body":
            moved = replace(moved, **{entry.key: body_end(model, home[value][0])})
        elif entry.body:
            carrier = home[getattr(item, entry.body)][1]
            if entry.kind == "direction":
                carrier = Placement(rotation=carrier.rotation, quaternion=carrier.quaternion)
            moved = replace(moved, **{entry.key: _point(carrier, value)})
    rehomed: ConstraintElement = moved
    return rehomed


def _point(placement: Placement, point: Vector) -> Vector:
    if placement == COINCIDENT:
        return point
    moved = apply(placement_matrix(placement), exact3(point))
    x, y, z = (text(a + b) for a, b in zip(exact3(placement.translation), moved, strict=True))
    return x, y, z

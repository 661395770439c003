"""Bodies on fixed joints made part of the bodies that carry them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from mbsym.constraints import ConstraintElement
from mbsym.formats.findings import place_of, report_findings
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.rigid_frames import (
    SAME_ROTATION,
    ExactMass,
    exact3,
    exact_mass,
    placed_on,
    placement_matrix,
    text,
)
from mbsym.formats.text_source import FilePlace
from mbsym.model.body import COINCIDENT, Body, Placement
from mbsym.model.frame import Frame, FrameKind
from mbsym.model.frame_ends import body_end, on_bodies
from mbsym.model.geometry import times
from mbsym.model.joint import Joint
from mbsym.model.shape import Shape, in_body_order
from mbsym.model.system import Model
from mbsym.model.validate import validate
from mbsym.values.entries import entries_of
from mbsym.values.parameter import Vector

_Carried = TypeVar("_Carried", Frame, Shape)


def finished(
    model: Model,
    options: LoadOptions,
    places: Mapping[tuple[str, ...], FilePlace],
    mergeable: Collection[str],
    *,
    keep_joints: bool = False,
) -> Model:
    """A model as its reader gives it: checked, its fixed joints merged unless the options keep them.

    Args:
        model: as read.
        options: of the reader.
        places: of what it has, as in ``place_of``.
        mergeable: and ``keep_joints``: as in ``merge_fixed_joints``.

    Raises:
        FormatError: it has errors.
    """
    model = report_findings(model, validate(model, options.strict), lambda item: str(place_of(item, model, places)))
    if options.fixed_joints == "keep":
        return model
    # Rounding of products stays far below 1e-13.
    return merge_fixed_joints(model, mergeable, max(options.snap_angles, 1e-13), keep_joints=keep_joints)


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
    merged = {joint.name: joint for joint in model.joints if joint.name in mergeable and joint.kind.is_rigid}
    carriers = {joint.successor: joint for joint in merged.values()}
    homes = _Homes(model, carriers, tolerance)
    gained: dict[str, list[ExactMass]] = {}
    for body in (each for each in model.bodies if each.name in carriers):
        name, placement = homes.of[body.name]
        part = exact_mass(body)
        if not part.is_nothing:
            gained.setdefault(name, []).append(part if placement == COINCIDENT else part.moved(placement))
    moved = replace(
        model,
        frames=homes.frames(model, merged.values(), keep_joints=keep_joints),
        shapes=in_body_order(map(homes.carried, model.shapes), homes.of),
        bodies=tuple(_heavier(body, gained.get(body.name, [])) for body in model.bodies if body.name not in carriers),
        joints=tuple(homes.joint(joint) for joint in model.joints if joint.name not in merged),
        constraints=(),
    )
    return replace(moved, constraints=tuple(homes.constraint(item, moved) for item in model.constraints))


def _heavier(body: Body, parts: list[ExactMass]) -> Body:
    """The body with parts fixed to it; the body itself, digit by digit, if there are none."""
    if not parts:
        return body
    total = exact_mass(body)
    if total.is_nothing:
        total, *parts = parts
    for part in parts:
        total = total.joined(part)
    return total.body(body.name)


class _Homes:
    """The bodies that bodies become part of, and the frames of these in them."""

    def __init__(self, model: Model, carriers: Mapping[str, Joint], tolerance: float) -> None:
        self.tolerance = tolerance
        self.of: dict[str, tuple[str, Placement]] = {}
        for start in (model.ground, *(body.name for body in model.bodies)):
            name, placement = start, COINCIDENT
            while name in carriers:
                joint = carriers[name]
                name, placement = joint.predecessor, placed_on(joint.predecessor_placement, placement, tolerance)
            self.of[start] = name, placement

    def place(self, body: str, placement: Placement) -> tuple[str, Placement]:
        """The body that carries what is on a body, and its placement there."""
        home, on_home = self.of[body]
        return home, placed_on(on_home, placement, self.tolerance)

    def carried(self, item: _Carried) -> _Carried:
        """A frame or shape."""
        body, placement = self.place(item.body, item.placement)
        return replace(item, body=body, placement=placement)

    def frames(self, model: Model, merged: Collection[Joint], *, keep_joints: bool) -> tuple[Frame, ...]:
        """The frames of the model, and those of what is merged."""
        frames = [self.carried(frame) for frame in model.frames]
        taken = {frame.name for frame in frames}
        named: list[tuple[FrameKind, str, str]] = [("body", joint.successor, joint.successor) for joint in merged]
        named += [("joint", joint.name, joint.successor) for joint in merged if keep_joints]
        for kind, own, carried in named:
            frames.append(Frame(f"{kind}:{own}" if own in taken else own, *self.of[carried], kind=kind))
            taken.add(frames[-1].name)
        return tuple(frames)

    def joint(self, joint: Joint) -> Joint:
        """A joint between the bodies that are left."""
        predecessor, on_predecessor = self.place(joint.predecessor, joint.predecessor_placement)
        successor, on_successor = self.place(joint.successor, joint.successor_placement)
        return replace(
            joint,
            predecessor=predecessor,
            successor=successor,
            predecessor_placement=on_predecessor,
            successor_placement=on_successor,
        )

    def constraint(self, item: ConstraintElement, model: Model) -> ConstraintElement:
        """The constraint on the bodies that now carry its own."""
        moved: dict[str, Any] = {}
        for entry in entries_of(type(item)):
            value = getattr(item, entry.key)
            if entry.kind == "body":
                moved[entry.key] = body_end(model, self.of[value][0])
            elif entry.body:
                carrier = self.of[getattr(item, entry.body)][1]
                if entry.kind == "direction":
                    carrier = Placement(rotation=carrier.rotation, quaternion=carrier.quaternion)
                moved[entry.key] = _point(carrier, value)
        changed: Any = item
        rehomed: ConstraintElement = replace(changed, **moved)
        return rehomed


def _point(placement: Placement, point: Vector) -> Vector:
    if placement == COINCIDENT:
        return point
    moved = times(placement_matrix(placement), exact3(point))
    x, y, z = (text(a + b) for a, b in zip(exact3(placement.translation), moved, strict=True))
    return x, y, z

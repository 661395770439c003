"""What a system has besides its joints: rods, slides, gears, couplings, force elements; and what each holds on to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from mbsym.constraints import ConstraintElement
from mbsym.forces import ForceElement
from mbsym.markup import aligned
from mbsym.model.frame_ends import on_bodies
from mbsym.model.system import Model
from mbsym.values.entries import named

Tie: TypeAlias = Literal["", "spring", "rod", "slide", "rim", "gear"]


@dataclass(frozen=True, slots=True)
class Attachment:
    """One of them.

    Attributes:
        type: as in files; "coupling" for what stands among the couplings.
        name: of a coupling that of the joint that follows.
        joints, bodies: names of those that it holds on to.
        line: how the line between two of them is drawn, "" where it holds on to one.
    """

    type: str
    name: str
    joints: tuple[str, ...]
    bodies: tuple[str, ...]
    line: Tie

    @property
    def holders(self) -> str:
        """The joints or bodies in words."""
        found = [(word, names) for word, names in (("joint", self.joints), ("body", self.bodies)) if names]
        plural = {"joint": "joints", "body": "bodies"}
        return ", ".join(f"{plural[word] if len(names) > 1 else word} {', '.join(names)}" for word, names in found)


def attachments_of(model: Model) -> tuple[Attachment, ...]:
    """Couplings, constraints and force elements, in the model's order; what is on a frame on its body."""
    model = on_bodies(model)
    couplings = (Attachment("coupling", item.joint, (item.joint, item.source), (), "gear") for item in model.couplings)
    return (*couplings, *map(_attachment, model.constraints), *map(_attachment, model.forces))


def _attachment(item: ConstraintElement | ForceElement) -> Attachment:
    joints, bodies = named(item, "joint"), named(item, "body")
    drawn = item.drawn()
    line: Tie = "gear" if len(joints) == 2 else ""
    return Attachment(item.type, item.name, joints, bodies, drawn[0].kind if drawn else line)


def attachments_table(attachments: Sequence[Attachment]) -> str:
    """A line each, under a heading; nothing where there are none."""
    if not attachments:
        return ""
    rows = [("element", "type", "holds on to"), *((item.name, item.type, item.holders) for item in attachments)]
    lines = aligned(rows)
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines) + "\n"


def attachments_to_json(attachments: Sequence[Attachment]) -> list[dict[str, Any]]:
    """The same as lists and dictionaries that JSON can hold."""
    return [
        {"name": item.name, "type": item.type, "joints": list(item.joints), "bodies": list(item.bodies)}
        for item in attachments
    ]

"""Beams in models: what stands for them stands among the model's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from mbsym.errors import ModelError
from mbsym.model.beam import Beam
from mbsym.model.beam_parts import parts_of
from mbsym.model.joint import Coupling
from mbsym.model.system import Model

PARTS: Final = ("bodies", "joints", "forces", "couplings")
"""What a beam brings, as a model calls it."""


def with_beams(model: Model, beams: Sequence[Beam]) -> Model:
    """The model with beams besides what it has: what stands for them, behind its own, and what they are.

    Raises:
        ModelError: two beams have one name.
    """
    known = [beam.name for beam in model.beams]
    parts = {kind: list[Any](getattr(model, kind)) for kind in PARTS}
    for beam in beams:
        if beam.name in known:
            raise ModelError(f"two beams are named {beam.name!r}", where=model.name, remedy="rename one of them")
        known.append(beam.name)
        own = parts_of(beam)
        for kind, items in parts.items():
            items += getattr(own, kind)
    grown: dict[str, Any] = {kind: tuple(items) for kind, items in parts.items()}
    return replace(model, **grown, beams=(*model.beams, *beams))


def without_beams(model: Model) -> Model:
    """The model without its beams and what stands for them."""
    parts = [parts_of(beam) for beam in model.beams]
    known = {(kind, _name(item)) for own in parts for kind in PARTS for item in getattr(own, kind)}
    kept: dict[str, Any] = {
        kind: tuple(item for item in getattr(model, kind) if (kind, _name(item)) not in known) for kind in PARTS
    }
    return replace(model, **kept, beams=())


def beam_of(model: Model, kind: str, name: str) -> Beam | None:
    """The beam that brought an entry of that name among ``PARTS``; None for other entries."""
    if kind not in PARTS:
        return None
    for beam in model.beams:
        if name.startswith(f"{beam.name}_") and any(_name(item) == name for item in getattr(parts_of(beam), kind)):
            return beam
    return None


def of_fixed_length(model: Model) -> str:
    """What is told where closed loops are singular of beams that do not stretch; "" without any."""
    names = [beam.name for beam in model.beams if beam.tip and "stretch" not in beam.lines]
    if not names:
        return ""
    listed = ", ".join(names)
    bars = " in place of modes" if all(beam.modes for beam in model.beams if beam.name in names) else ""
    return f"a straight beam of fixed length that is held at both ends cannot move: give {listed} axial_stiffness{bars}"


def _name(item: Any) -> str:
    return str(item.joint if isinstance(item, Coupling) else item.name)

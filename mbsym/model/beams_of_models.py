"""Beams in models: their bars, hinges and springs stand among the model's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mbsym.errors import ModelError
from mbsym.model.beam import Beam
from mbsym.model.system import Model

PARTS: Final = ("bodies", "joints", "forces")
"""What a beam brings, as a model calls it."""


def with_beams(model: Model, beams: Sequence[Beam]) -> Model:
    """The model with beams besides what it has: their bars, hinges and springs, behind its own, and what they are.

    Raises:
        ModelError: two beams have one name.
    """
    known = [beam.name for beam in model.beams]
    bodies, joints, forces = list(model.bodies), list(model.joints), list(model.forces)
    for beam in beams:
        if beam.name in known:
            raise ModelError(f"two beams are named {beam.name!r}", where=model.name, remedy="rename one of them")
        known.append(beam.name)
        own = beam.parts()
        bodies += own[0]
        joints += own[1]
        forces += own[2]
    return replace(
        model,
        bodies=tuple(bodies),
        joints=tuple(joints),
        forces=tuple(forces),
        beams=(*model.beams, *beams),
    )


def without_beams(model: Model) -> Model:
    """The model without its beams, their bars, hinges and springs."""
    parts = [beam.parts() for beam in model.beams]
    bodies, joints, forces = ({item.name for own in parts for item in own[k]} for k in range(3))
    return replace(
        model,
        bodies=tuple(item for item in model.bodies if item.name not in bodies),
        joints=tuple(item for item in model.joints if item.name not in joints),
        forces=tuple(item for item in model.forces if item.name not in forces),
        beams=(),
    )


def beam_of(model: Model, kind: str, name: str) -> Beam | None:
    """The beam that brought an entry of that name among the "bodies", "joints" or "forces"; None for other entries."""
    if kind not in PARTS:
        return None
    place = PARTS.index(kind)
    for beam in model.beams:
        if name.startswith(f"{beam.name}_") and any(item.name == name for item in beam.parts()[place]):
            return beam
    return None

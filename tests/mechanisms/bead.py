"""A bead on a wire that turns: the smallest mechanism whose constraint names the time."""

from __future__ import annotations

from pathlib import Path

BEAD = """\
name: bead
gravity: [0, 0, 0]
bodies: {slide: {}, bead: {mass: 0.1}}
joints:
  x: {type: prismatic, from: ground, to: slide, axis: x, initial: 1}
  y: {type: prismatic, from: slide, to: bead, axis: y}
constraints:
  wire: {type: expression, expression: "position(bead).y*cos(1.5*t) - position(bead).x*sin(1.5*t)"}
"""
"""On a wire that turns: from rest it moves away as cosh(1.5 t)."""


def written(directory: Path) -> Path:
    """The file of the model."""
    path = directory / "bead.yaml"
    path.write_text(BEAD, encoding="utf-8")
    return path

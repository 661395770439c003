"""Options of a generation as keywords: what editors and type checkers know of ``**options``.

Names and sentences are those of ``GenerationOptions``; here stands what a caller may give for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from mbsym.codegen.interface import Real, Trigonometry
    from mbsym.model.frame import FrameAxes
    from mbsym.options.generation import Style


class OfFunctions(TypedDict, total=False):
    """How functions are derived and printed."""

    formulation: str
    real: Real
    symbolic_parameters: str | Sequence[str]


class OfModules(OfFunctions, total=False):
    """What stands in a module of C, whoever takes it."""

    functions: Sequence[str]
    order: str
    prefix: str
    frames: Sequence[str]
    frame_axes: FrameAxes | Literal[""]
    largest: float
    trigonometry: Trigonometry


class OfGeneration(OfModules, total=False):
    """All that can be asked of a generation."""

    languages: Sequence[str]
    derivatives: Sequence[tuple[str, Sequence[str]]]
    compressed: bool
    batch: Sequence[str]
    simplify: str | Sequence[str]
    self_test: bool
    safety_report: bool
    prepare: bool
    style: Style
    threads: int

"""What a module says of its sines and cosines in all languages, where they are not the library's everywhere."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mbsym.codegen.description import Trigonometry
from mbsym.conventions import GIVEN_TRIGONOMETRY, INLINE_TRIGONOMETRY
from mbsym.passes.given_sines import angle_texts
from mbsym.symbolic.program import Program

_WIDTH = 115
"""Behind the mark of a comment."""


@dataclass(frozen=True, slots=True)
class SineTables:
    """For the manifest, the header and the constants of a module."""

    manifest: Mapping[str, object] = field(default_factory=dict)
    header: tuple[str, ...] = ()
    constants: Mapping[str, int] = field(default_factory=dict)


def sine_tables(trigonometry: Trigonometry, programs: Sequence[Program]) -> SineTables:
    """What is said of sines and cosines; nothing of those that the library computes, at least outside of C.

    Args:
        trigonometry: where they come from.
        programs: of the module.
    """
    if trigonometry in ("auto", "libm"):
        return SineTables()
    if trigonometry == "inline":
        return SineTables(header=(INLINE_TRIGONOMETRY,))
    angles = angle_texts(programs)
    rows = ", ".join(f"{row}: {angle}" for row, angle in enumerate(angles))
    given = ["parameters"] * any(program.parameters for program in programs) + ["q", "sin_cos"]
    sentences = (sentence.format(given=", ".join(given)) for sentence in GIVEN_TRIGONOMETRY)
    header = (*sentences, *textwrap.wrap(f"Rows of sin_cos by their angles: {rows}.", _WIDTH))
    return SineTables({"angles": list(angles)}, header, {"ANGLES": len(angles)})

"""What is wrong with the numbers of elastic beams."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.model.beam import Beam
from mbsym.values.diagnostic import Findings, Path
from mbsym.values.parameter import Value


def check_beams(beams: Sequence[Beam], findings: Findings) -> None:
    """Lengths, masses and stiffnesses are above zero, damping is not below."""
    for index, beam in enumerate(beams):
        given: list[tuple[Path, str, Value]] = [
            (("length",), "the length", beam.length),
            (("mass",), "the mass", beam.mass),
        ]
        for place, stiffness in enumerate(beam.bending_stiffness):
            given.append((("bending_stiffness", place), "a bending stiffness", stiffness))
        for path, word, value in given:
            number = findings.number(value, ("beams", index, *path))
            if number is not None and not number > 0.0:
                findings.error(
                    ("beams", index, *path), f"{word} of beam {beam.name!r} is {number:g}", "give one above zero"
                )
        number = findings.number(beam.damping, ("beams", index, "damping"))
        if number is not None and number < 0.0:
            findings.error(
                ("beams", index, "damping"), f"the damping of beam {beam.name!r} is {number:g}", "give a positive one"
            )

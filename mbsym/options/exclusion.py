"""One row of what excludes what, and the facts that decide it besides the options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from mbsym.errors import OptionError


@dataclass(frozen=True, slots=True)
class Facts:
    """What decides besides the options.

    Attributes:
        name: of the model.
        formulation: name of the formulation.
        has_parameters: there are parameters at run time.
        is_closed: joints are cut, or constraints close loops.
        is_coupled: a coupling joins two joints.
        has_frames: functions of frames are asked for.
        steps: the formulation gives steps in place of equations.
        has_parts: it has functions whose parts threads can take.
        takes_no_couplings: it derives a function that is asked for in a way that covers no couplings.
        parting: names of the formulations that have such parts.
        shareable: names of the functions that can be made of steps that bodies share, of whatever mechanism.
        number: name of a parameter by which something is to be differentiated and which is a number; "" for none.
        shared: names of functions made of steps that bodies share; None as long as that is not known.
        parted: some of these fall into parts that threads can take.
        failing: why functions that could fail are not made of steps, each with its names.
        beside: names of functions with equal limbs side by side; None as long as that is not known.
        has_angles: sines or cosines of coordinates occur; None as long as that is not known.
    """

    name: str
    formulation: str
    has_parameters: bool
    is_closed: bool
    is_coupled: bool
    has_frames: bool
    steps: bool
    has_parts: bool
    takes_no_couplings: bool
    parting: str
    shareable: str
    number: str = ""
    shared: tuple[str, ...] | None = None
    parted: bool = False
    failing: str = ""
    beside: tuple[str, ...] | None = None
    has_angles: bool | None = None


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Something that cannot be had together.

    Attributes:
        name: of the exclusion.
        options: those that take part, each perhaps with a value; the first is where it is told.
        holds: whether it is so, of the options; facts that are not known yet decide nothing.
        sentence: what is wrong; {name} and others are facts.
        remedy: what to do about it, with facts likewise.
        against: what of the model takes part, for the table.
    """

    name: str
    options: tuple[str, ...]
    holds: Callable[[Any, Facts], bool]
    sentence: str
    remedy: str
    against: str = ""

    def error(self, facts: Facts | None = None) -> OptionError:
        """What is told."""
        known = {field.name: getattr(facts, field.name) for field in fields(facts)} if facts is not None else {}
        what, remedy = self.sentence.format(**known), self.remedy.format(**known)
        error = OptionError(what, where=f"`{self.options[0]}`", remedy=remedy)
        error.exclusion = self.name
        return error


def of_c(option: str) -> Exclusion:
    """An option, perhaps with a value, that is about C alone."""
    return Exclusion(
        f"{option} without C",
        (option, "languages numpy"),
        lambda options, facts: options.asks(option) and not options.has_c,
        "this is about C, which is not generated",
        "add `languages c`, or leave it out",
    )

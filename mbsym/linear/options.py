"""What linear analyses are asked for: one table, of which each function and each verb takes its part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypedDict

from mbsym.errors import AnalysisError
from mbsym.option import alike, option, options_of
from mbsym.options.exclusion import Exclusion
from mbsym.options.generation import GenerationOptions
from mbsym.options.texts import numbers_in

STARTS: Final = 40
"""Places from which equilibria are looked for, if nothing is said; the first is the state that is given."""

OF_EQUILIBRIA: Final = ("free", "starts")
"""Options of the search for equilibria alone."""

MODES: Final = 10
"""Modes of transfer matrices, if nothing is said."""


def _state(texts: list[str]) -> Mapping[str, float | str] | Sequence[str] | None:
    """A state as it is typed: pairs, and the name of a state, a file, or the word for an equilibrium."""
    words = any("=" not in text for text in texts)
    return texts if words else numbers_in(texts, "`at`") if texts else None


def _counted(count: int | None) -> None:
    if count is not None and count < 1:
        raise AnalysisError(f"{count} modes", where="`count`", remedy="ask for one at least")


def _by_elements(option: str) -> Exclusion:
    """An option that only transfer matrices have."""
    return Exclusion(
        f"{option} of equations",
        (option, "method equations"),
        lambda options, facts: options.method == "equations" and getattr(options, option) not in ("", None),
        f"`{option}` means nothing to equations of motion, which have the model's segments and all modes",
        "add `method transfer-matrix`",
    )


def _by_equations(option: str) -> Exclusion:
    """An option that only equations of motion have."""
    return Exclusion(
        f"{option} of transfer matrices",
        (option, "method transfer-matrix"),
        lambda options, facts: options.method != "equations" and bool(getattr(options, option)),
        f"`{option}` means nothing to transfer matrices",
        "leave it or `method` out",
    )


@dataclass(frozen=True, slots=True)
class LinearOptions:
    """What to analyse; each field says in its own words what it is for."""

    free: tuple[str, ...] = option(
        (),
        "What an equilibrium may choose: NAME,... of coordinates, control inputs, and speeds along which any force may "
        "act; default all coordinates. All else stays as `at` says.",
        "free",
    )
    at: Any = option(
        None,
        "The state: NAME=VALUE,... (0.5, 30deg) of coordinates, speeds and inputs, or a named state (repeatable); or a "
        ".json or .csv file, 'equilibrium', 'equilibrium:2' for the second one. Others are as the model starts.",
        "at",
        typed=_state,
    )
    inputs: str | tuple[str, ...] = option(
        "auto",
        "Inputs of the linear model: u (control inputs), motors (forces of actuated joints), tau (along all speeds), "
        "all, or NAME,... of control inputs and speeds; default the first of these that there are. Of transfer-matrix "
        "ELEMENT.x,...: forces on a body's point along base axes, moments about them (ELEMENT.rx).",
        "inputs",
        words=("auto", "u", "motors", "tau", "all"),
    )
    outputs: tuple[str, ...] = option(
        (),
        "Outputs of the linear model: NAME,... of coordinates, speeds, accelerations, outputs of the model, places of "
        "frames and bodies along base axes, FRAME.x; default all states. Of transfer-matrix ELEMENT.x,..., default the "
        "inputs'.",
        "outputs",
    )
    independent: tuple[str, ...] = option(
        (),
        "Independent coordinates of closed loops: NAME,...; default a good choice.",
        "independent",
        excludes=(_by_equations("independent"),),
    )
    starts: int = option(STARTS, "From how many places equilibria are looked for.", "starts", least=1)
    method: Literal["equations", "transfer-matrix"] = option(
        "equations",
        "Method: equations (of motion, linearised) or transfer-matrix (of elements, about rest; it knows beams as they "
        "are).",
        "method",
        choices=("equations", "transfer-matrix"),
        refused="no method is called {}",
        error=AnalysisError,
    )
    beams: str = option(
        "",
        "Beams of transfer-matrix: exact (default), consistent, lumped (finite elements) or segments (as other "
        "methods).",
        "beams",
        excludes=(_by_elements("beams"),),
    )
    count: int | None = option(
        None,
        "How many modes transfer-matrix tells; default 10.",
        "count",
        kind=int,
        check=_counted,
        excludes=(_by_elements("count"),),
    )
    symbols: bool = option(
        False, "The matrices in the model's parameters too.", "symbols", excludes=(_by_equations("symbols"),)
    )
    tau: Mapping[str, float | str] | None = option(
        {},
        "Generalised forces that act at the state: SPEED=VALUE,...; repeatable.",
        "tau",
        excludes=(_by_equations("tau"),),
    )
    parameters: Mapping[str, float | str] | None = option(
        {}, "NAME=VALUE,...: numbers that replace those of the model's parameters; repeatable.", "parameter"
    )
    order: str = alike(GenerationOptions, "order")

    def __post_init__(self) -> None:
        for item in options_of(LinearOptions):
            item.require(getattr(self, item.name))

    def require_meant(self) -> None:
        """Checks that each option means something to the method.

        Raises:
            OptionError: one does not.
        """
        for item in options_of(LinearOptions):
            for exclusion in item.excludes:
                if exclusion.holds(self, None):
                    raise exclusion.error()

    @property
    def beam_model(self) -> str:
        """How transfer matrices take beams."""
        return self.beams or "exact"

    @property
    def modes(self) -> int:
        """How many are kept."""
        return MODES if self.count is None else self.count


class OfEveryAnalysis(TypedDict, total=False):
    """What all analyses take as keywords."""

    parameters: Mapping[str, float | str] | None
    order: str


class OfEquilibria(OfEveryAnalysis, total=False):
    """What a search for equilibria takes besides."""

    starts: int
    tau: Mapping[str, float | str] | None


class OfModes(OfEveryAnalysis, total=False):
    """What modes take besides."""

    independent: Sequence[str]
    tau: Mapping[str, float | str] | None


class OfLinearisation(OfModes, total=False):
    """What a linearisation takes besides."""

    inputs: str | Sequence[str]
    outputs: Sequence[str]


class OfVibration(OfEveryAnalysis, total=False):
    """What modes by transfer matrices take besides."""

    beams: str
    count: int | None


class OfModalSystem(OfVibration, total=False):
    """What a linear system by transfer matrices takes besides."""

    inputs: str | Sequence[str]
    outputs: Sequence[str]


class OfResponse(OfEveryAnalysis, total=False):
    """What a frequency response takes besides."""

    inputs: str | Sequence[str]
    outputs: Sequence[str]
    method: str
    beams: str

"""What a simulation can be told besides the model and its duration, grouped by what it is about."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mbsym.errors import SimulationError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mbsym.loops.corrections import Keeper
    from mbsym.transfer_matrix.layout import RotationVariable
    from mbsym.transfer_matrix.stepper import Scheme

Law: TypeAlias = "Callable[[float, NDArray[Any], NDArray[Any]], ArrayLike]"

LANGUAGES: Final = ("auto", "c", "numpy")

_LONGEST: Final = 80
"""Letters of a value that an error shows."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Errors per step that methods which choose their steps allow.

    Attributes:
        rtol: relative.
        atol: absolute; a hundredth of ``rtol`` if it is not given.
        max_step: longest step [s].
    """

    rtol: float = 1e-9
    atol: float | None = None
    max_step: float = math.inf

    @property
    def absolute(self) -> float:
        """The absolute error."""
        return self.rtol / 100.0 if self.atol is None else self.atol


@dataclass(frozen=True, slots=True)
class Loads:
    """What acts on a mechanism from outside.

    Attributes:
        inputs: control inputs by name, zero where not given, or a function of t, q and v that returns u.
        tau: generalised forces by the names of their speeds, or a function of t, q and v that returns tau.
        saturate: holds inputs within their limits, and forces within the efforts of their joints; what is asked for
            beyond them is told.
    """

    inputs: Mapping[str, float] | Law = field(default_factory=dict)
    tau: Mapping[str, float] | Law = field(default_factory=dict)
    saturate: bool = False

    def __post_init__(self) -> None:
        for name, entry in (("inputs", "push"), ("tau", "v_rail")):
            given = getattr(self, name)
            if not callable(given):
                remedy = f"give numbers by name, such as {{{entry!r}: 1.0}}, or one function of t, q and v for all"
                check_named(f"{name} of Loads", given, remedy)

    @property
    def drive(self) -> bool:
        """True where generalised forces may act."""
        return callable(self.tau) or any(self.tau.values())


@dataclass(frozen=True, slots=True)
class Keeping:
    """How closed loops are kept closed.

    Attributes:
        correction: a name of ``mbsym.loops.corrections.CORRECTIONS`` or an object that does it; None takes
            "projection", and "baumgarte" with the multi-step methods BDF and LSODA.
        gains: of Baumgarte's correction, alpha and beta [1/s]; they follow from the step if none are given.
    """

    correction: str | Keeper | None = None
    gains: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Stepping:
    """How the transfer matrix method takes its steps.

    Attributes:
        scheme: of integration in time; None takes generalised-alpha with a spectral radius of 0.8.
        rotation: variable of rotations in space, "incremental" or "cardan"; None takes incremental ones.
    """

    scheme: Scheme | None = None
    rotation: RotationVariable | None = None


@dataclass(frozen=True, slots=True)
class Preparation:
    """How equations are made ready to run.

    Attributes:
        language: "c", "numpy", or "auto" for C where there is a compiler.
        order: of the assembly, a key of ``ASSEMBLY_ORDERS``.
    """

    language: str = "auto"
    order: str = "weight"


EXAMPLES: Final[Mapping[type, str]] = {
    Accuracy: "Accuracy(rtol=1e-9)",
    Loads: "Loads(inputs={'push': 1.0}), or Loads(tau=...) with numbers by speed or a function of t, q and v",
    Keeping: "Keeping('projection')",
    Stepping: "Stepping(Scheme('newmark'))",
    Preparation: "Preparation('numpy')",
}
"""What to write for each group of options."""


def check_kinds(options: Mapping[str, object]) -> None:
    """Refuses what is no group of options where one is asked for.

    Args:
        options: by keyword, each named as its class is.

    Raises:
        SimulationError: naming the keyword and what to write.
    """
    kinds = {kind.__name__.lower(): kind for kind in EXAMPLES}
    for name, value in options.items():
        if not isinstance(value, kinds[name]):
            raise SimulationError(f"{name} = {shown(value)} is no {kinds[name].__name__}", remedy=_write(name))


def _write(name: str) -> str:
    return next(f"write {name}={text}" for kind, text in EXAMPLES.items() if kind.__name__.lower() == name)


def check_named(name: str, given: object, remedy: str) -> None:
    """Refuses what does not give values by name.

    Raises:
        SimulationError: naming the keyword.
    """
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise SimulationError(f"{name} = {shown(given)} does not give values by name", remedy=remedy)


def check_callable(name: str, given: object) -> None:
    """Refuses what is neither None nor a function.

    Raises:
        SimulationError: naming the keyword.
    """
    if given is not None and not callable(given):
        raise SimulationError(f"{name} = {shown(given)} is no function", remedy="give one, or leave it out")


def shown(value: object) -> str:
    """A value as an error shows it, on one line and not for ever."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def check_numbers(duration: float, step: float | None, output_step: float | None, accuracy: Accuracy) -> None:
    """Refuses lengths of time and errors that are not positive.

    Raises:
        SimulationError: naming the number.
    """
    given: dict[str, object] = {
        "duration": duration,
        "step": step,
        "output step": output_step,
        "rtol": accuracy.rtol,
        "atol": accuracy.atol,
    }
    for name, value in given.items():
        if value is None and name not in ("duration", "rtol"):
            continue
        number = finite(name, value)
        if number <= 0.0:
            raise SimulationError(f"the {name} is {number:g}", remedy="give a positive number")
    if accuracy.rtol >= 1.0:
        raise SimulationError(f"the rtol is {accuracy.rtol:g}", remedy="give a part of one, such as 1e-6")
    # Infinity is no bound, and the only number here that may be infinite.
    longest = 1.0 if accuracy.max_step == math.inf else finite("max_step", accuracy.max_step)
    if not longest > 0.0:
        raise SimulationError(f"the longest step is {longest:g}", remedy="give a positive number")


def finite(name: str, value: object) -> float:
    """The value as a float.

    Raises:
        SimulationError: it is no finite number.
    """
    try:
        # Text that looks like a number is a slip where numbers are computed with.
        number = math.nan if isinstance(value, (str, bytes)) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        remedy = "give a number, or one function in the place of them all" if callable(value) else "give a number"
        raise SimulationError(
            f"{name} = {shown(value) if callable(value) else value} is no finite number", remedy=remedy
        )
    return number

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


def check_numbers(duration: float, step: float | None, output_step: float | None, accuracy: Accuracy) -> None:
    """Refuses lengths of time and errors that are not positive.

    Raises:
        SimulationError: naming the number.
    """
    given = {
        "duration": duration,
        "step": step,
        "output step": output_step,
        "rtol": accuracy.rtol,
        "atol": accuracy.absolute,
    }
    for name, value in given.items():
        if value is not None and finite(name, value) <= 0.0:
            raise SimulationError(f"the {name} is {value:g}", remedy="give a positive number")
    if not accuracy.max_step > 0.0:
        raise SimulationError(f"the longest step is {accuracy.max_step:g}", remedy="give a positive number")


def finite(name: str, value: object) -> float:
    """The value as a float.

    Raises:
        SimulationError: it is no finite number.
    """
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise SimulationError(f"{name} = {value} is no finite number", remedy="give a number")
    return number

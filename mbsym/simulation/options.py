"""What a simulation can be told besides the model and its duration, grouped by what it is about."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict

from mbsym.errors import SimulationError
from mbsym.option import Checked, alike, option
from mbsym.options.generation import GenerationOptions
from mbsym.options.texts import names_in, numbers_in
from mbsym.simulation.argument_checks import check_named, finite, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mbsym.loops.corrections import Keeper
    from mbsym.simulation.events import Event
    from mbsym.transfer_matrix.layout import RotationVariable
    from mbsym.transfer_matrix.stepper import Scheme

Law: TypeAlias = "Callable[[float, NDArray[Any], NDArray[Any]], ArrayLike]"

LANGUAGES: Final = ("auto", "c", "numpy")


def _gains(texts: list[str]) -> tuple[float, ...]:
    """Gains of Baumgarte's correction as they are typed."""
    parts = names_in(texts)
    if len(parts) > 2:
        raise SimulationError(f"{len(parts)} gains are given", where="`gains`", remedy="give ALPHA or ALPHA,BETA")
    try:
        found = tuple(float(part) for part in parts)
    except ValueError:
        found = (-1.0,)
    if not all(0.0 <= gain < math.inf for gain in found):
        remedy = "give numbers that are not negative"
        raise SimulationError(f"{','.join(texts)!r} are no gains", where="`gains`", remedy=remedy)
    return found


def _scheme(names: list[str], parameters: list[str]) -> Scheme | None:
    """A scheme of integration as it is typed."""
    from mbsym.transfer_matrix.stepper import SCHEMES, Scheme

    numbers = numbers_in(parameters, "`scheme_parameter`", with_units=False)
    name = next((name for name in reversed(names) if name), "")
    try:
        return Scheme(name or "generalised-alpha", numbers) if name or numbers else None
    except SimulationError as error:
        where = "`scheme_parameter`" if not name or name in SCHEMES else "`scheme`"
        raise SimulationError(error.what, where=where, remedy=error.remedy) from None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Errors per step that methods which choose their steps allow.

    Attributes:
        rtol: relative.
        atol: absolute; a hundredth of ``rtol`` if it is not given.
        max_step: longest step [s].
    """

    rtol: float = option(1e-9, "Relative error per step of methods that choose their steps.", "rtol")
    atol: float | None = option(
        None, "Absolute error per step of these methods; default a hundredth of `rtol`.", "atol", kind=float
    )
    max_step: float = option(math.inf, "Longest step [s].")

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

    inputs: Mapping[str, float | str] | Law = option(
        {}, "Constant control inputs: NAME=VALUE,...; repeatable.", "input"
    )
    tau: Mapping[str, float | str] | Law = option(
        {}, "Constant generalised forces: SPEED=VALUE,...; repeatable.", "tau"
    )
    saturate: bool = option(False, "Control inputs and given forces are held within their limits.", "saturate")

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

    correction: str | Keeper | None = option(
        None,
        "Correction of closed loops: none, baumgarte, velocity, projection, partitioning, reassignment.",
        "correction",
        kind=str,
    )
    gains: Sequence[float] = option(
        (),
        "Gains of the correction baumgarte [1/s]: ALPHA[,BETA]; default 0.1 per step length.",
        "gains",
        typed=_gains,
    )


@dataclass(frozen=True, slots=True)
class Stepping(Checked):
    """How the transfer matrix method takes its steps.

    Attributes:
        scheme: of integration in time; None takes generalised-alpha with a spectral radius of 0.8.
        rotation: variable of rotations in space, "incremental" or "cardan"; None takes incremental ones.
    """

    scheme: Scheme | None = option(
        None,
        (
            "Scheme of transfer-matrix: generalised-alpha (default), newmark, wilson, houbolt or fox-euler.",
            "Parameters of the scheme: NAME=VALUE,... of spectral_radius, beta and gamma, or theta; repeatable.",
        ),
        "scheme",
        "scheme-parameter",
        typed=_scheme,
    )
    rotation: RotationVariable | None = option(
        None,
        "Variable of transfer-matrix in space: incremental (default) or cardan.",
        "rotation",
        kind=str,
        choices=("incremental", "cardan"),
        refused="no rotation variable is called {}",
        error=SimulationError,
    )


@dataclass(frozen=True, slots=True)
class Preparation:
    """How equations are made ready to run.

    Attributes:
        language: "c", "numpy", or "auto" for C where there is a compiler.
        order: of the assembly, a key of ``ASSEMBLY_ORDERS``.
    """

    language: str = option(
        "auto", "Language of the equations: c, numpy, or auto for C where there is a compiler.", "language"
    )
    order: str = alike(GenerationOptions, "order")


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """What a simulation is asked for besides the model and its duration; each field says what it is for."""

    step: float | None = option(
        None,
        "Length of fixed steps [s]: of rk4, symplectic and transfer-matrix, default 1 ms; of methods that choose their "
        "steps, interval of the output, default a thousandth of the duration.",
        "step",
        kind=float,
        unit="s",
    )
    output_step: float | None = option(
        None, "Interval of the output [s]; default `step`.", "output-step", kind=float, unit="s"
    )
    method: str = option(
        "DOP853",
        "Method: RK45, DOP853, Radau, BDF, LSODA (SciPy's), rk4, symplectic (variational midpoint rule, trees only) or "
        "transfer-matrix.",
        "method",
    )
    initial: Mapping[str, float | str] | Sequence[str] | None = option(
        {},
        "Where the motion starts: NAME=VALUE,... of coordinates and speeds (0.5, 30deg), or a named state; repeatable. "
        "Others are the model's initial coordinates, and zero.",
        "initial",
        typed=lambda texts: texts,
    )
    parameters: Mapping[str, float | str] | None = option(
        {}, "Other numbers for the model's parameters: NAME=VALUE,...; repeatable.", "parameter"
    )
    events: Sequence[Event] = option((), "to look out for.")
    loads: Loads = option(Loads(), "control inputs and generalised forces.")
    limits: str = option(
        "tell",
        "Limits of the model: tell goes on beyond them and tells them; stop ends the motion there, as a terminal event "
        "does.",
        "limits",
    )
    keeping: Keeping = option(Keeping(), "how loops are kept closed.")
    stepping: Stepping = option(Stepping(), "scheme and rotation variable of transfer-matrix.")
    accuracy: Accuracy = option(Accuracy(), "of methods that choose their steps.")
    preparation: Preparation = option(
        Preparation(), "language and order of the equations; those of prepared equations stay as they are."
    )


DEFAULTS: Final = SimulationOptions()
"""Nothing asked for."""


class OfSimulations(TypedDict, total=False):
    """These as keywords, with what a caller may give."""

    step: float | None
    output_step: float | None
    method: str
    initial: Mapping[str, float | str] | Sequence[str] | None
    parameters: Mapping[str, float | str] | None
    events: Sequence[Event]
    loads: Loads
    limits: str
    keeping: Keeping
    stepping: Stepping
    accuracy: Accuracy
    preparation: Preparation


EXAMPLES: Final[Mapping[type, str]] = {
    Accuracy: "Accuracy(rtol=1e-9)",
    Loads: "Loads(inputs={'push': 1.0}), or Loads(tau=...) with numbers by speed or a function of t, q and v",
    Keeping: "Keeping('projection')",
    Stepping: "Stepping(Scheme('newmark'))",
    Preparation: "Preparation('numpy')",
}
"""What to write for each group of options."""


def check_kinds(asked: object) -> None:
    """Refuses what is no group of options where one is asked for.

    Args:
        asked: has them as attributes, each named as its class is.

    Raises:
        SimulationError: naming the keyword and what to write.
    """
    for kind, example in EXAMPLES.items():
        name = kind.__name__.lower()
        value = getattr(asked, name, kind())
        if not isinstance(value, kind):
            raise SimulationError(f"{name} = {shown(value)} is no {kind.__name__}", remedy=f"write {name}={example}")


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

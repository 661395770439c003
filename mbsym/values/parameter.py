"""Values, parameters and control inputs."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

Value: TypeAlias = int | float | Fraction | Decimal | str | Any
"""A number, an expression as text over the model's names ("m*l**2/12"), or a SymPy expression of symbols so named."""

Vector: TypeAlias = tuple[Value, Value, Value]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named constant of the model.

    Attributes:
        name: an identifier.
        value: its number (or an expression of parameters listed before it).
        unit: SI unit as text.
        symbolic: True keeps it a run-time argument of the generated code, False folds its number in.
    """

    name: str
    value: Value
    unit: str = ""
    symbolic: bool = False


@dataclass(frozen=True, slots=True)
class NamedExpression:
    """An output of the model: what its user wants to know of a motion.

    Attributes:
        name: an identifier.
        expression: of what force laws may name: coordinates, speeds, frames, time, control inputs and parameters.
        unit: SI unit as text.
    """

    name: str
    expression: Value
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ControlInput:
    """An entry of the control input u.

    Attributes:
        name: in expressions.
        unit: of it.
        lower, upper: limits that users keep it within; None for none.
        saturates: what it drives sees it within these limits, whatever is given: forces, rates, outputs, laws of
            motions name a value that stays at the limit beyond it, and whose derivatives are zero there.
    """

    name: str
    unit: str = ""
    lower: Value | None = None
    upper: Value | None = None
    saturates: bool = False

"""Bounds of rounding errors and ranges of a tape over boxes.

What is computed is v + e, v being exact. Of each step the exact partial derivatives d at v say that e is the sum of
d e_operand, s and rho: rho is what the step itself rounds, s what is of second order in the errors of its operands.
Both are bounded; the errors that enter these bounds are followed ahead with absolute values. The recursion is linear:
the error of a result is the sum over all steps of its exact derivative by the step times (s + rho). Derivatives are
enclosed backwards. Nothing is left out; that s is small makes the bound tight, not valid.

A product may be fused with a sum that uses it, in one use and not in another: its rounding counts for each use alone.

Source of the expansion: A. Solovyev and others, Rigorous estimation of floating-point round-off errors with symbolic
Taylor expansions, ACM Transactions on Programming Languages and Systems 41, 2018.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.rounding import forms
from mbsym.rounding.forms import Form
from mbsym.rounding.precision import Precision
from mbsym.rounding.tape import ROUNDED_BY_LIBRARY, Step, Tape, is_exact, is_power_of_two

FUSED: Final = ("*", "negative")
"""Steps whose rounding may be left out by what uses them."""

UP: Final = 1 + 2.0**-30
"""Covers the roundings of sums of positive numbers, of which there are fewer than 2^20."""


@dataclass(frozen=True, slots=True)
class Rounding:
    """What is known of the machine's operations.

    Attributes:
        precision: of all numbers.
        sine_units: bound of the error of sines and cosines in units in the last place.
        contraction: products may be fused with sums.
    """

    precision: Precision
    sine_units: float = 1.0
    contraction: bool = True


@dataclass(frozen=True, slots=True)
class Danger:
    """What cannot be excluded.

    Attributes:
        what: "division by zero", "root of a negative number" or "overflow".
        place: of the step on the tape.
        where: boxes, (B,).
    """

    what: str
    place: int
    where: Array


@dataclass(frozen=True, slots=True)
class Ahead:
    """What is known of the steps of a tape over B boxes.

    Attributes:
        values: enclosures of the exact values.
        slopes: enclosures of derivatives by operands, where they are no values themselves.
        losses: bounds of |rho| + |s|, (B,); None for exact steps.
        errors: crude bounds of the absolute error, (B,); None for exact steps.
        dangers: in the order of the text.
    """

    values: list[Form]
    slopes: dict[int, tuple[Form, ...]]
    losses: list[Array | None]
    errors: list[Array | None]
    dangers: list[Danger]


def ahead(tape: Tape, low: Array, high: Array, rounding: Rounding) -> Ahead:
    """Values, losses and dangers over boxes between low and high, (n, B) each."""
    found = Ahead([], {}, [], [], [])
    inputs = iter(forms.box(low, high))
    turned: dict[int, tuple[Form, Form]] = {}
    for place, step in enumerate(tape.steps):
        value = _constant(step, rounding, low.shape[1]) if step.kind == "constant" else None
        found.values.append(_value(found, place, step, inputs, turned) if value is None else value)
        _loss(found, place, step, tape, rounding)
    return found


def _constant(step: Step, rounding: Rounding, boxes: int) -> Form:
    """What a constant may stand for: its decimal is half a unit from the machine's number, and so is what it is of."""
    half_unit = float(rounding.precision.half_unit(np.array(abs(float(step.value)))))
    return forms.constant(step.value, boxes, 0.0 if is_exact(step.value) else 2 * half_unit)


def _value(found: Ahead, place: int, step: Step, inputs: Iterator[Form], turned: dict[int, tuple[Form, Form]]) -> Form:
    """The exact value of a step; notes slopes that are no values."""
    known = [found.values[k] for k in step.operands]
    if step.kind == "input":
        value = next(inputs)
    elif step.kind in BINARY:
        value = BINARY[step.kind](*known)
    elif step.kind == "/":
        part = forms.reciprocal(known[1])
        value = forms.times(known[0], part)
        found.slopes[place] = (part, forms.negative(forms.times(value, part)))
    elif step.kind == "negative":
        value = forms.negative(*known)
    elif step.kind in ROUNDED_BY_LIBRARY:
        (operand,) = step.operands
        if operand not in turned:
            turned[operand] = forms.sine_and_cosine(*known)
        sine, cosine = turned[operand]
        value = sine if step.kind == "sin" else cosine
        found.slopes[place] = (cosine if step.kind == "sin" else forms.negative(sine),)
    elif step.kind == "sqrt":
        value = forms.root(*known)
        found.slopes[place] = (forms.times(forms.constant(0.5, len(value.c)), forms.reciprocal(value)),)
    else:
        value, factor = forms.absolute(*known)
        found.slopes[place] = (factor,)
    return value


BINARY: Final[Mapping[str, Callable[[Form, Form], Form]]] = {"+": forms.plus, "-": forms.minus, "*": forms.times}


def _loss(found: Ahead, place: int, step: Step, tape: Tape, rounding: Rounding) -> None:
    """Notes what a step rounds and bends, its error, and its dangers."""
    size = found.values[place].greatest
    if not tape.rounded[place]:
        found.losses.append(None)
        found.errors.append(None)
        return
    taken, second = _taken(found, place, step)
    whole = (size + taken) * UP
    rounded = _rounded(step, tape, whole, rounding)
    found.losses.append((second + rounded) * UP)
    found.errors.append((taken + rounded) * UP)
    over = ~(whole + rounded <= rounding.precision.greatest)
    if over.any() and step.kind not in ("constant", "negative"):
        found.dangers.append(Danger("overflow", place, over))


def _rounded(step: Step, tape: Tape, size: Array, rounding: Rounding) -> Array:
    """Bound of |rho| of a step whose result before rounding is at most ``size``."""
    half_unit = rounding.precision.half_unit
    if step.kind in ("negative", "abs"):
        return np.zeros_like(size)
    if step.kind in ROUNDED_BY_LIBRARY:
        # A sine of a machine number other than 0 is never 1; that of 0 is exact.
        return 2 * rounding.sine_units * half_unit(np.minimum(size, 1 - 2.0**-53))
    if step.kind == "*" and any(is_power_of_two(tape.steps[k].value) for k in step.operands):
        return np.full_like(size, float(half_unit(np.zeros(()))))
    return half_unit(size)


def _taken(found: Ahead, place: int, step: Step) -> tuple[Array, Array]:
    """Bounds of the error that a step takes over from its operands, and of the part of it that is of second order."""
    none = np.zeros_like(found.values[place].c)
    values = [found.values[k] for k in step.operands]
    errors = [none if (error := found.errors[k]) is None else error for k in step.operands]
    if step.kind == "constant":
        return none, none
    if step.kind in ("+", "-"):
        return errors[0] + errors[1], none
    if step.kind == "*":
        second = errors[0] * errors[1]
        return values[0].greatest * errors[1] + values[1].greatest * errors[0] + second, second
    if step.kind == "/":
        left = values[1].least - errors[1]
        bad = ~(left > 0)
        if bad.any():
            found.dangers.append(Danger("division by zero", place, bad))
        left = np.where(bad, np.nan, left) / UP
        first = errors[0] + found.values[place].greatest * errors[1]
        return first / left, first * errors[1] / (values[1].least * left) * UP
    if step.kind in ROUNDED_BY_LIBRARY:
        return np.minimum(errors[0], 2.0), errors[0] * errors[0] / 2
    if step.kind == "sqrt":
        left = values[0].low - errors[0]
        bad = ~(left >= 0)
        if bad.any():
            found.dangers.append(Danger("root of a negative number", place, bad))
        left = np.where(bad, np.nan, left) / UP
        return errors[0] / np.sqrt(left), errors[0] * errors[0] / (8 * left * np.sqrt(left)) * UP
    return errors[0], none


def bounds(tape: Tape, found: Ahead, rounding: Rounding) -> Array:
    """Bounds of the absolute error of each place in ``tape.places``, (places, B); infinite where there is none."""
    with np.errstate(all="ignore"):
        rows = [_bound(tape, found, place, rounding.contraction) for place in tape.places]
    return np.where(np.isnan(rows), np.inf, rows)


def _bound(tape: Tape, found: Ahead, result: int, contraction: bool) -> Array:
    """Sum of derivatives times losses."""
    none = np.zeros_like(found.values[result].c)
    derivatives = {result: forms.constant(1.0, len(none))}
    # Of a product each use counts alone where it may be fused.
    apart: dict[int, Array] = {result: none + 1}
    total = none
    for place in range(result, -1, -1):
        if place not in derivatives or not tape.rounded[place]:
            continue
        step, own = tape.steps[place], derivatives.pop(place)
        uses, loss = apart.pop(place), found.losses[place]
        if loss is not None:
            total = total + (uses if contraction and step.kind in FUSED else own.greatest) * loss
        for operand, part in _parts(tape, found, place, own):
            derivatives[operand] = forms.plus(derivatives[operand], part) if operand in derivatives else part
            apart[operand] = apart.get(operand, none) + (uses if step.kind == "negative" else part.greatest)
    return total * UP


def _parts(tape: Tape, found: Ahead, place: int, own: Form) -> Iterator[tuple[int, Form]]:
    """Derivatives by the operands of a step that have errors, of the derivative by the step itself."""
    step, values = tape.steps[place], found.values
    for k, operand in enumerate(step.operands):
        if not tape.rounded[operand]:
            continue
        if step.kind == "negative" or (step.kind == "-" and k == 1):
            yield operand, forms.negative(own)
        elif step.kind in ("+", "-"):
            yield operand, own
        elif step.kind == "*":
            yield operand, forms.times(own, values[step.operands[1 - k]])
        else:
            yield operand, forms.times(own, found.slopes[place][k])

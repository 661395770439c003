"""Bounds of rounding errors over one box in whole numbers: the formulas of ``analysis``, written a second time.

None stands for what has no bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt

from mbsym.rounding import exact_forms as exact
from mbsym.rounding.exact_forms import ONE, ExactForm, UnboundedError
from mbsym.rounding.precision import Precision
from mbsym.rounding.tape import Step, Tape, is_exact, is_power_of_two


@dataclass(slots=True)
class ExactPart:
    """What is known of one box, in multiples of 2^-BITS.

    Attributes:
        tape: of the function.
        precision: of its numbers.
        sine_units: error of sines and cosines in units in the last place.
        contraction: products may be fused with sums.
        values: of steps.
        errors, losses: of steps, 0 for exact ones.
        slopes: by operands, of steps that are neither sums nor products.
        dangers: what is feared and the line, in order.
        divisors: least absolute value of each, in order; None where its value has no bound.
    """

    tape: Tape
    precision: Precision
    sine_units: Fraction
    contraction: bool
    values: list[ExactForm | None] = field(default_factory=list)
    errors: list[int | None] = field(default_factory=list)
    losses: list[int | None] = field(default_factory=list)
    slopes: dict[int, list[ExactForm]] = field(default_factory=dict)
    dangers: list[tuple[str, int]] = field(default_factory=list)
    divisors: list[int | None] = field(default_factory=list)

    def look(self, low: Sequence[Fraction], high: Sequence[Fraction]) -> None:
        """Follows all steps over a box."""
        inputs = iter([exact.of_input(*ends) for ends in zip(range(len(low)), low, high, strict=True)])
        turned: dict[int, tuple[ExactForm, ExactForm]] = {}
        for place, step in enumerate(self.tape.steps):
            known = [form for k in step.operands if (form := self.values[k]) is not None]
            if step.kind == "/":
                self.divisors.append(None if self.values[step.operands[1]] is None else known[-1].least)
            value = error = loss = None
            if len(known) == len(step.operands):
                try:
                    if step.kind == "input":
                        value = next(inputs)
                    elif step.kind in ("sin", "cos"):
                        operand = step.operands[0]
                        turned[operand] = turned.get(operand) or exact.sine_and_cosine(known[0])
                        value = self._turned(place, step.kind, turned[operand])
                    else:
                        value = self._value(place, step, known)
                    error, loss = self._error(place, step, known, value)
                except UnboundedError:
                    what = "division by zero" if step.kind == "/" else "root of a negative number"
                    self.dangers.append((what, step.line))
            self.values.append(value)
            self.errors.append(error)
            self.losses.append(loss)

    @property
    def largest(self) -> int | None:
        """Of anything computed."""
        both = list(zip(self.values, self.errors, strict=True))
        sizes = [value.greatest + error for value, error in both if value is not None and error is not None]
        return max(sizes) if len(sizes) == len(both) else None

    def _turned(self, place: int, kind: str, pair: tuple[ExactForm, ExactForm]) -> ExactForm:
        sine, cosine = pair
        self.slopes[place] = [cosine if kind == "sin" else exact.negative(sine)]
        return sine if kind == "sin" else cosine

    def _value(self, place: int, step: Step, known: list[ExactForm]) -> ExactForm:
        if step.kind == "constant":
            off = 0 if is_exact(step.value) else 2 * self._half_unit(exact.floor_of(abs(step.value)))
            return exact.of_number(step.value, off)
        if step.kind == "negative":
            return exact.negative(*known)
        if step.kind in ("+", "-"):
            return exact.plus(known[0], known[1] if step.kind == "+" else exact.negative(known[1]))
        if step.kind == "*":
            return exact.times(*known)
        if step.kind == "/":
            part = exact.reciprocal(known[1])
            value = exact.times(known[0], part)
            self.slopes[place] = [part, exact.negative(exact.times(value, part))]
            return value
        if step.kind == "sqrt":
            value = exact.root(*known)
            self.slopes[place] = [exact.times(exact.of_number(Fraction(1, 2)), exact.reciprocal(value))]
            return value
        value, factor = exact.absolute(*known)
        self.slopes[place] = [factor]
        return value

    def _half_unit(self, size: int) -> int:
        least = max(self.precision.lowest, -1074) + exact.BITS
        exponent = max(size.bit_length() - 1 - self.precision.digits, least) if size > 0 else least
        return 1 << max(exponent, 0)

    def _error(self, place: int, step: Step, known: list[ExactForm], value: ExactForm) -> tuple[int | None, int | None]:
        """Error and loss of a step.

        Raises:
            UnboundedError: rounding may make a divisor zero, or a root's operand negative.
        """
        if not self.tape.rounded[place]:
            return 0, 0
        errors = [error for k in step.operands if (error := self.errors[k]) is not None]
        if len(errors) < len(step.operands):
            return None, None
        taken, bent = _taken(step.kind, known, errors, value)
        whole = value.greatest + taken
        rounded = self._rounded(step, whole)
        if whole + rounded > exact.floor_of(Fraction(self.precision.greatest)):
            self.dangers.append(("overflow", step.line))
        return taken + rounded, bent + rounded

    def _rounded(self, step: Step, whole: int) -> int:
        if step.kind in ("negative", "abs"):
            return 0
        if step.kind in ("sin", "cos"):
            return exact.up(exact.ceiling_of(2 * self.sine_units), self._half_unit(min(whole, ONE - 1)))
        if step.kind == "*" and any(is_power_of_two(self.tape.steps[k].value) for k in step.operands):
            return self._half_unit(0)
        return self._half_unit(whole)

    def bound(self, result: int) -> int | None:
        """Of the absolute error of a place of the tape; None where there is none."""
        derivatives: dict[int, ExactForm] = {result: exact.of_number(Fraction(1))}
        uses: dict[int, int] = {result: ONE}
        total = 0
        for place in range(result, -1, -1):
            if place not in derivatives or not self.tape.rounded[place]:
                continue
            own, step, loss = derivatives.pop(place), self.tape.steps[place], self.losses[place]
            if loss is None:
                return None
            alone = self.contraction and step.kind in ("*", "negative")
            total += exact.up(uses[place] if alone else own.greatest, loss)
            for k, operand in enumerate(step.operands):
                if not self.tape.rounded[operand]:
                    continue
                part = self._part(place, step, k, own)
                size = uses[place] if step.kind == "negative" else part.greatest
                derivatives[operand] = exact.plus(derivatives[operand], part) if operand in derivatives else part
                uses[operand] = uses.get(operand, 0) + size
        return total

    def _part(self, place: int, step: Step, k: int, own: ExactForm) -> ExactForm:
        if step.kind in ("+", "-", "negative"):
            return exact.negative(own) if step.kind == "negative" or (step.kind == "-" and k) else own
        other = self.values[step.operands[1 - k]] if step.kind == "*" else self.slopes[place][k]
        # A step that has a loss has operands that are known.
        assert other is not None
        return exact.times(own, other)


def _taken(kind: str, known: list[ExactForm], errors: list[int], value: ExactForm) -> tuple[int, int]:
    """What a step takes over from errors of its operands, and the part of it that is of second order.

    Raises:
        UnboundedError: as ``ExactPart.look`` names it.
    """
    if kind == "constant":
        return 0, 0
    if kind in ("+", "-"):
        return errors[0] + errors[1], 0
    if kind == "*":
        bent = exact.up(*errors)
        return exact.up(known[0].greatest, errors[1]) + exact.up(known[1].greatest, errors[0]) + bent, bent
    if kind == "/":
        left = known[1].least - errors[1]
        if left <= 0:
            raise UnboundedError
        first = errors[0] + exact.up(value.greatest, errors[1])
        return exact.over(first, left), exact.over(exact.up(first, errors[1]), exact.down(known[1].least, left))
    square = exact.up(errors[0], errors[0])
    if kind in ("sin", "cos"):
        return min(errors[0], 2 * ONE), (square + 1) >> 1
    if kind == "sqrt":
        left = known[0].low - errors[0]
        if left <= 0:
            raise UnboundedError
        below = isqrt(left << exact.BITS)
        return exact.over(errors[0], below), exact.over(square, 8 * exact.down(left, below))
    return errors[0], 0

"""Bounds of rounding errors over one box in whole numbers: the formulas of ``analysis``, written a second time."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt

from mbsym.rounding import exact_forms as exact
from mbsym.rounding.exact_forms import ONE, ExactForm, UnboundedError
from mbsym.rounding.precision import Precision
from mbsym.rounding.tape import Step, Tape, is_power_of_two


@dataclass(slots=True)
class ExactPart:
    """What is known of one box, in multiples of 2^-BITS.

    Attributes:
        tape: of the function.
        precision: of its numbers.
        sine_units: error of sines and cosines in units in the last place.
        contraction: products may be fused with sums.
        values: of steps; the last one is that before a danger, where there is one.
        errors, losses: of steps, 0 for exact ones.
        slopes: of steps that are neither sums nor products.
        danger: what is feared and the line; empty where nothing is.
        largest: of anything computed.
        divisors: least absolute value of each, in order.
    """

    tape: Tape
    precision: Precision
    sine_units: Fraction
    contraction: bool
    values: list[ExactForm] = field(default_factory=list)
    errors: list[int] = field(default_factory=list)
    losses: list[int] = field(default_factory=list)
    slopes: dict[int, list[ExactForm]] = field(default_factory=dict)
    danger: tuple[str, int] = ("", 0)
    largest: int = 0
    divisors: list[int] = field(default_factory=list)

    def look(self, low: list[Fraction], high: list[Fraction]) -> None:
        """Follows all steps over a box."""
        ends = iter(zip(range(len(low)), low, high, strict=True))
        turned: dict[int, tuple[ExactForm, ExactForm]] = {}
        for place, step in enumerate(self.tape.steps):
            known = [self.values[k] for k in step.operands]
            try:
                if step.kind == "input":
                    value = exact.of_input(*next(ends))
                elif step.kind in ("sin", "cos"):
                    operand = step.operands[0]
                    pair = turned[operand] = turned.get(operand) or exact.sine_and_cosine(known[0])
                    value = pair[step.kind == "cos"]
                    self.slopes[place] = [pair[1] if step.kind == "sin" else exact.negative(pair[0])]
                else:
                    value = self._value(place, step, known)
                self.values.append(value)
                self._follow(place, step, known)
            except UnboundedError:
                what = "division by zero" if step.kind == "/" else "root of a negative number"
                self.danger = (what, step.line)
                return

    def _value(self, place: int, step: Step, known: list[ExactForm]) -> ExactForm:
        if step.kind == "constant":
            return exact.of_number(step.value)
        if step.kind == "negative":
            return exact.negative(*known)
        if step.kind in ("+", "-"):
            return exact.plus(known[0], known[1] if step.kind == "+" else exact.negative(known[1]))
        if step.kind == "*":
            return exact.times(*known)
        if step.kind == "/":
            self.divisors.append(known[1].least)
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
        least = max(self.precision.lowest, -1074)
        if size <= 0:
            return max(1, exact.ceiling_of(Fraction(2) ** least))
        exponent = max(size.bit_length() - 1 - self.precision.digits, least + exact.BITS)
        return 1 << exponent if exponent >= 0 else 1

    def _follow(self, place: int, step: Step, known: list[ExactForm]) -> None:
        """Error, loss and danger of a step."""
        value, none = self.values[place], (step.kind == "input" or not self.tape.rounded[place])
        if none:
            self.errors.append(0)
            self.losses.append(0)
            self.largest = max(self.largest, value.greatest)
            return
        errors = [self.errors[k] for k in step.operands]
        taken = bent = 0
        if step.kind in ("+", "-"):
            taken = errors[0] + errors[1]
        elif step.kind == "*":
            bent = exact.up(*errors)
            taken = exact.up(known[0].greatest, errors[1]) + exact.up(known[1].greatest, errors[0]) + bent
        elif step.kind == "/":
            left = known[1].least - errors[1]
            if left <= 0:
                raise UnboundedError
            first = errors[0] + exact.up(value.greatest, errors[1])
            taken = exact.over(first, left)
            bent = exact.over(exact.up(first, errors[1]), exact.down(known[1].least, left))
        elif step.kind in ("sin", "cos"):
            taken, bent = min(errors[0], 2 * ONE), exact.up(errors[0], errors[0])
        elif step.kind == "sqrt":
            left = known[0].low - errors[0]
            if left <= 0:
                raise UnboundedError
            below = isqrt(left << exact.BITS)
            taken = exact.over(errors[0], below)
            bent = exact.over(exact.up(errors[0], errors[0]), 8 * exact.down(left, below))
        elif step.kind != "constant":
            taken = errors[0]
        whole = value.greatest + taken
        rounded = self._rounded(step, whole)
        if step.kind in ("sin", "cos"):
            bent = (bent + 1) >> 1
        self.errors.append(taken + rounded)
        self.losses.append(bent + rounded)
        self.largest = max(self.largest, value.greatest + taken + rounded)
        if whole + rounded > exact.floor_of(Fraction(self.precision.greatest)) and not self.danger[0]:
            self.danger = ("overflow", step.line)

    def _rounded(self, step: Step, whole: int) -> int:
        if step.kind in ("negative", "abs"):
            return 0
        if step.kind in ("sin", "cos"):
            return exact.up(exact.ceiling_of(2 * self.sine_units), self._half_unit(min(whole, ONE - 1)))
        if step.kind == "*" and any(is_power_of_two(self.tape.steps[k].value) for k in step.operands):
            return self._half_unit(0)
        return self._half_unit(whole)

    def bound(self, result: int) -> int:
        """Of the absolute error of a place of the tape."""
        derivatives: dict[int, ExactForm] = {result: exact.of_number(Fraction(1))}
        uses: dict[int, int] = {result: ONE}
        total = 0
        for place in range(result, -1, -1):
            if place not in derivatives or not self.tape.rounded[place]:
                continue
            own, step = derivatives.pop(place), self.tape.steps[place]
            alone = self.contraction and step.kind in ("*", "negative")
            total += exact.up(uses[place] if alone else own.greatest, self.losses[place])
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
        if step.kind == "*":
            return exact.times(own, self.values[step.operands[1 - k]])
        return exact.times(own, self.slopes[place][k])

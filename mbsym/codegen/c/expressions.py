"""Expressions in C99, in double or single precision."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from mbsym.codegen.description import Real
from mbsym.codegen.expressions import Call, Constant, Expression, Select, leaves
from mbsym.codegen.printer import ExpressionPrinter, double_literal
from mbsym.errors import CodegenError

LIBRARY_NAMES: Final = {"abs": "fabs", "min": "fmin", "max": "fmax"}
LARGEST_FLOAT: Final = Fraction((2**24 - 1) * 2**104)


class CPrinter(ExpressionPrinter):
    """Prints for one floating-point type: in single precision literals end in f and functions are ``sinf`` etc."""

    __slots__ = ("_one", "_single", "_zero", "kind")

    def __init__(self, real: Real, kind: str = "real") -> None:
        """Starts a printer.

        Args:
            real: the floating-point type.
            kind: what stands behind the prefix in the type of values.
        """
        super().__init__()
        self.kind = kind
        self._single = real == "float"
        self._zero = self.literal(Fraction(0))
        self._one = self.literal(Fraction(1))

    @property
    def infinity(self) -> str:
        """The macro of <math.h>, which no warning calls a conversion."""
        return "HUGE_VALF" if self._single else "HUGE_VAL"

    def literal(self, value: Fraction) -> str:
        """A number: 17 significant digits at most, 9 in single precision.

        Raises:
            CodegenError: the value exceeds the range of the type.
        """
        if not self._single:
            return double_literal(value)
        if abs(value) > LARGEST_FLOAT:
            raise CodegenError(
                "a constant exceeds the range of a float", remedy="generate double, or choose other units"
            )
        text = f"{float(value):.9g}"
        if abs(float(text)) < 1.2e-38:
            return "0.0f"
        return f"{text}f" if "." in text or "e" in text else f"{text}.0f"

    def format_constant(self, expression: Constant) -> str:
        """A literal."""
        return self.literal(expression.value)

    def spread(self, text: str) -> str:
        """A number as a value of the kind."""
        return text

    def value(self, expression: Expression) -> str:
        """An expression as a value of the kind, even where it is but a number."""
        text = self.format(expression)
        return text if any(not isinstance(leaf, Constant) for leaf in leaves(expression)) else self.spread(text)

    def format_call(self, expression: Call) -> str:
        """A function of the library; ``sign`` is a comparison that passes zero and NaN through."""
        if expression.function == "sign":
            x = self.format(expression.arguments[0])
            return f"({x} > {self._zero} ? {self._one} : {x} < {self._zero} ? -{self._one} : {x})"
        arguments = ", ".join(self.format(argument) for argument in expression.arguments)
        return f"{self.function(expression.function)}({arguments})"

    def function(self, name: str) -> str:
        """What the library calls an elementary function."""
        return f"{LIBRARY_NAMES.get(name, name)}{'f' if self._single else ''}"

    def format_select(self, expression: Select) -> str:
        """A conditional expression in parentheses."""
        condition, positive, otherwise = (
            self.format(part) for part in (expression.condition, expression.positive, expression.otherwise)
        )
        return f"({condition} > {self._zero} ? {positive} : {otherwise})"

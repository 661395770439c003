"""Expressions in C99, in double or single precision, and over vectors of GCC and Clang that hold a number of each of
several states."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Final

from mbsym.codegen.description import Real
from mbsym.codegen.expressions import Call, Constant, Element, Expression, Select, Variable, leaves, operands
from mbsym.codegen.identifiers import spelled
from mbsym.codegen.printer import ATOM, ExpressionPrinter, Item, double_literal
from mbsym.errors import CodegenError
from mbsym.symbolic.given_functions import StepFunction

LIBRARY_NAMES: Final = {"abs": "fabs", "min": "fmin", "max": "fmax"}
LARGEST_FLOAT: Final = Fraction((2**24 - 1) * 2**104)


class CPrinter(ExpressionPrinter):
    """Prints for one floating-point type: in single precision literals end in f and functions are ``sinf`` etc."""

    WORDS: ClassVar[Mapping[str, str]] = {"and": "&&", "or": "||", "not": "!"}

    def __init__(self, real: Real, kind: str = "real", prefix: str = "") -> None:
        """Starts a printer.

        Args:
            real: the floating-point type.
            kind: what stands behind the prefix in the type of values.
            prefix: of the module, for what stands outside of functions.
        """
        self.kind = kind
        self.prefix = prefix
        self.places: Mapping[str, str] = {}
        self._single = real == "float"

    @property
    def infinity(self) -> str:
        """The macro of <math.h>, which no warning calls a conversion."""
        return "HUGE_VALF" if self._single else "HUGE_VAL"

    def literal(self, value: Fraction | float) -> str:
        """A real number: 17 significant digits at most, 9 in single precision.

        Raises:
            CodegenError: the value exceeds the range of the type.
        """
        if not self._single:
            return double_literal(value)
        if not -LARGEST_FLOAT <= value <= LARGEST_FLOAT:
            raise CodegenError(
                "a constant exceeds the range of a float", remedy="generate double, or choose other units"
            )
        text = f"{float(value):.9g}"
        if abs(float(text)) < 1.2e-38:
            return "0.0f"
        return f"{text}f" if "." in text or "e" in text else f"{text}.0f"

    def number(self, value: Fraction | bool | int | float) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        return str(value) if isinstance(value, int) else self.literal(value)

    def format_element(self, node: Element, items: Sequence[Item] = ()) -> str:
        """Array and index from 0; what several functions share stands where ``places`` say."""
        return self.places[node.array] % node.index if node.array in self.places else super().format_element(node)

    def spread(self, text: str) -> str:
        """A number as a value of the kind."""
        return text

    def value(self, expression: Expression) -> str:
        """An expression as a value of the kind, even where it is but a number."""
        text = self.expression(expression)
        return text if any(not isinstance(leaf, Constant) for leaf in leaves(expression)) else self.spread(text)

    def call(self, node: Call, items: Sequence[Item] = ()) -> str:
        """A function of the library; ``sign`` is a comparison that passes zero and NaN through."""
        if isinstance(node.function, StepFunction):
            return self.stepped(node.function, node.arguments[0])
        texts = [self.expression(each, items=items) for each in node.arguments]
        if node.function == "sign":
            zero, one, x = self.literal(0.0), self.literal(1.0), texts[0]
            return f"({x} > {zero} ? {one} : {x} < {zero} ? -{one} : {x})"
        return f"{self.library(node.function)}({', '.join(texts)})"

    def outside(self, name: str) -> str:
        return f"{self.prefix}_{name}"

    def entry(self, array: str, number: Expression) -> str:
        return f"{array}[(int){self.expression(number, ATOM)}]"

    def library(self, name: str) -> str:
        """What the library calls an elementary function."""
        return f"{LIBRARY_NAMES.get(name, name)}{'f' if self._single else ''}"

    def choice(self, test: str, first: str, second: str) -> str:
        return f"{test} ? {first} : {second}"

    def format_select(self, node: Select, items: Sequence[Item] = ()) -> str:
        condition, positive, otherwise = map(self.expression, (node.condition, node.positive, node.otherwise))
        return f"({self.choice(f'{condition} > {self.literal(0.0)}', positive, otherwise)})"


KIND: Final = "lanes"
"""What stands behind the prefix in the type of these values."""


class LanePrinter(CPrinter):
    """Operators are those of numbers; functions are remembered."""

    def __init__(self, real: Real, prefix: str) -> None:
        super().__init__(real, KIND, prefix)
        self._numbers = CPrinter(real, prefix=prefix)
        self.arities: dict[str, int] = {}

    def call(self, node: Call, items: Sequence[Item] = ()) -> str:
        """A call of the function over lanes."""
        return self._called(node.function, node.arguments)

    def format_select(self, node: Select, items: Sequence[Item] = ()) -> str:
        """The choice, lane by lane."""
        return self._called("select", operands(node))

    def _called(self, function: str, arguments: tuple[Expression, ...]) -> str:
        self.arities[function] = len(arguments)
        return f"{self.prefix}_lanes_{spelled(function)}({', '.join(map(self.value, arguments))})"

    def spread(self, text: str) -> str:
        """The number in every lane."""
        return f"{self.prefix}_ALL({text})"

    def helpers(self, known: Collection[str]) -> tuple[str, ...]:
        """Definitions of the functions that were called, without those that are known to vectors."""
        return tuple(self._helper(name, arity) for name, arity in sorted(self.arities.items()) if name not in known)

    def _helper(self, function: str, arity: int) -> str:
        """A function of the C library, one lane after the other."""
        prefix = self.prefix
        names = [f"x{place}" for place in range(1, arity + 1)]
        numbers = tuple(Variable(f"((const {prefix}_real *)&{name})[lane]") for name in names)
        formals = ", ".join(f"{prefix}_lanes {name}" for name in names)
        lines = (
            f"static inline {prefix}_lanes {prefix}_lanes_{spelled(function)}({formals})",
            "{",
            f"    {prefix}_lanes y = x1;",
            f"    for (int lane = 0; lane < {prefix}_LANES; ++lane) {{",
            f"        (({prefix}_real *)&y)[lane] = {self._numbers.expression(Call(function, numbers))};",
            "    }",
            "    return y;",
            "}",
        )
        return "\n".join(lines)

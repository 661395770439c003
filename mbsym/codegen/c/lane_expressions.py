"""Expressions over values that hold one number of each of several states: vectors of GCC and Clang."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.description import Real
from mbsym.codegen.expressions import Call, Expression, Select, Variable, operands
from mbsym.codegen.identifiers import spelled
from mbsym.codegen.printer import Item

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

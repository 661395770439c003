"""Hash-consed directed acyclic graph of scalar operations.

A value is a *reference*: a signed integer whose magnitude is a node and whose sign is the value's sign. Equal
subexpressions are one node, negation costs nothing, zero is reference 0 and one is reference 1. Constants are exact
rationals and become floating-point numbers only where they are printed or interpreted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from math import isfinite, isqrt
from typing import Any, Final, TypeAlias

from mbsym.errors import SymbolicError
from mbsym.symbolic.given_functions import Definition, GivenFunction, StepFunction

Reference: TypeAlias = int
Number: TypeAlias = int | float | Fraction | Decimal

UNARY_FUNCTIONS: Final = ("sqrt", "sin", "cos", "tan", "asin", "acos", "exp", "log", "tanh", "abs", "sign")
BINARY_FUNCTIONS: Final = ("atan2", "min", "max", "pow")
ODD_FUNCTIONS: Final = frozenset(("sin", "tan", "asin", "tanh", "sign"))
EVEN_FUNCTIONS: Final = frozenset(("cos", "abs"))
LEAVES: Final = frozenset(("const", "pi", "symbol"))

ZERO: Final[Reference] = 0
ONE: Final[Reference] = 1

MOST_BITS: Final = 1 << 16
"""Bits of a numerator or denominator above which a constant is refused: exact arithmetic on it would not end."""


def exact(value: Number) -> Fraction:
    """The rational number that a literal stands for: a float is read as its shortest decimal, not as its binary digits.

    Raises:
        SymbolicError: the value is infinite or not a number.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, (float, Decimal)):
        if not isfinite(value):
            raise SymbolicError(f"{value} is no number to compute with", remedy="give a finite number")
        return Fraction(float.__repr__(value) if isinstance(value, float) else value)
    try:
        return Fraction(int(value.numerator), int(value.denominator))
    except AttributeError:
        kind = type(value).__name__
        raise SymbolicError(f"a {kind} is no number", remedy="give an int, float, Fraction or Decimal") from None


class Graph:
    """Nodes in creation order, which is a topological order; node k is ``kinds[k]`` applied to ``arguments[k]``.

    Kinds: ``const`` (a positive Fraction), ``pi``, ``symbol`` (its name), ``add`` (the first argument positive, the
    second signed), ``mul`` and ``div`` (positive references), the functions of ``UNARY_FUNCTIONS`` and
    ``BINARY_FUNCTIONS``, ``select`` (c, a, b), which is a where c > 0 and b elsewhere, and functions that it was given
    (``mbsym.symbolic.given_functions``). ``definitions`` has what a model's own functions are made of. ``never_zero``
    holds nodes of which a derivation has proved that no state makes them vanish, ``may_vanish`` such as depend on
    parameters alone and are divided by although some values of these make them vanish.
    """

    __slots__ = (
        "_index", "_section", "arguments", "definitions", "kinds", "may_vanish", "names", "never_zero", "section_of",
        "sections",
    )  # fmt: skip

    def __init__(self) -> None:
        self.kinds: list[str] = ["const", "const"]
        self.arguments: list[tuple[Any, ...]] = [(Fraction(0),), (Fraction(1),)]
        self._index: dict[tuple[object, ...], int] = {("const", 1, 1): 1}
        self.names: dict[int, tuple[str, int]] = {}
        self.definitions: dict[str, Definition] = {}
        self.never_zero: set[int] = set()
        self.may_vanish: set[int] = set()
        self.sections: list[str] = [""]
        self.section_of: list[int] = [0, 0]
        self._section = 0

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of nodes and sections: what changes whenever anything is derived."""
        return len(self.kinds), len(self.sections)

    # ---- leaves -----------------------------------------------------------------------------------------------------

    def const(self, value: Number) -> Reference:
        """Reference of an exact constant."""
        # Most are small integers, of which fractions would be made for nothing.
        numerator, denominator = (value, 1) if type(value) is int else exact(value).as_integer_ratio()
        if numerator == 0:
            return ZERO
        # Looked up by two integers, since hashing a fraction takes a modular inverse.
        key = ("const", -numerator if numerator < 0 else numerator, denominator)
        node = self._index.get(key)
        if node is None:
            if max(numerator.bit_length(), denominator.bit_length()) > MOST_BITS:
                raise SymbolicError(
                    f"an exact number grew beyond {MOST_BITS * 3 // 10} digits",
                    remedy="write the values that it is made of with fewer digits, or make one a run-time parameter",
                )
            node = self._append(key, "const", (Fraction(abs(numerator), denominator),))
        return -node if numerator < 0 else node

    def pi(self) -> Reference:
        """Reference of the circle number, kept exact so that sin(pi/2) folds to one."""
        return self._node("pi")

    def symbol(self, name: str) -> Reference:
        """Reference of the free symbol of that name; the same name is the same symbol."""
        return self._node("symbol", name)

    def constant_value(self, ref: Reference) -> Fraction | None:
        """The rational value of a constant reference, None for anything else."""
        node = -ref if ref < 0 else ref
        if self.kinds[node] != "const":
            return None
        value: Fraction = self.arguments[node][0]
        return -value if ref < 0 else value

    # ---- operations -------------------------------------------------------------------------------------------------

    def add(self, x: Reference, y: Reference) -> Reference:
        """x + y."""
        if x == 0:
            return y
        if y == 0:
            return x
        if x == -y:
            return ZERO
        kinds = self.kinds
        a, b = abs(x), abs(y)
        kind_a, kind_b = kinds[a], kinds[b]
        if kind_a == "const" and kind_b == "const":
            first: Fraction = self.arguments[a][0]
            second: Fraction = self.arguments[b][0]
            return self.const((-first if x < 0 else first) + (-second if y < 0 else second))
        if x == y:
            return self.mul(self.const(2), x)
        if kind_a == "add" and (rest := self._cancelled(x, y)) is not None:
            return rest
        if kind_b == "add" and (rest := self._cancelled(y, x)) is not None:
            return rest
        if kind_a == "mul" or kind_b == "mul":
            factor_x, term_x = self._coefficient(x)
            factor_y, term_y = self._coefficient(y)
            if term_x == term_y:
                return self.mul(self.const(factor_x + factor_y), term_x)
            if kinds[term_x] == kinds[term_y] and self._is_sine_and_cosine_squared(factor_x, term_x, factor_y, term_y):
                return self.const(factor_x)
        if a > b:
            x, y = y, x
        if x < 0:
            return -self._node("add", -x, -y)
        return self._node("add", x, y)

    def _is_sine_and_cosine_squared(self, factor: Number, x: int, other: Number, y: int) -> bool:
        """Whether two terms are equal multiples of sin^2 and cos^2 of one angle."""
        kinds, arguments = self.kinds, self.arguments
        if kinds[x] != "mul" or factor != other:
            return False
        (a, b), (c, d) = arguments[x], arguments[y]
        return a == b and c == d and {kinds[a], kinds[c]} == {"sin", "cos"} and arguments[a] == arguments[c]

    def _cancelled(self, total: Reference, other: Reference) -> Reference | None:
        """The remaining summand of ``total + other`` where ``other`` undoes a summand, or joins a constant one."""
        first, second = self._summands(total)
        if first == -other:
            return second
        if second == -other:
            return first
        if self.kinds[abs(other)] == "const":
            if self.kinds[abs(first)] == "const":
                return self.add(second, self.add(first, other))
            if self.kinds[abs(second)] == "const":
                return self.add(first, self.add(second, other))
        return None

    def _summands(self, total: Reference) -> tuple[Reference, Reference]:
        first, second = self.arguments[abs(total)]
        return (-first, -second) if total < 0 else (first, second)

    def _coefficient(self, ref: Reference) -> tuple[Fraction | int, Reference]:
        """A value as rational factor times positive reference."""
        node, sign = (-ref, -1) if ref < 0 else (ref, 1)
        if self.kinds[node] == "mul":
            first, second = self.arguments[node]
            if self.kinds[first] == "const":
                return sign * self.arguments[first][0], second
            if self.kinds[second] == "const":
                return sign * self.arguments[second][0], first
        return sign, node

    def sub(self, x: Reference, y: Reference) -> Reference:
        """x - y."""
        return self.add(x, -y)

    def mul(self, x: Reference, y: Reference) -> Reference:
        """x * y."""
        if x == 0 or y == 0:
            return ZERO
        negative = (x < 0) != (y < 0)
        a, b = abs(x), abs(y)
        if a > b:
            a, b = b, a
        if a == 1:
            return -b if negative else b
        product = self._product(a, b)
        return -product if negative else product

    def _product(self, a: int, b: int) -> Reference:
        kinds = self.kinds
        kind_a, kind_b = kinds[a], kinds[b]
        if kind_b == "const":
            a, b, kind_a, kind_b = b, a, kind_b, kind_a
        if kind_a == "const":
            if kind_b == "const":
                return self.const(self.arguments[a][0] * self.arguments[b][0])
            if kind_b == "mul":
                factor, term = self._coefficient(b)
                if term != b:
                    return self.mul(self.const(self.arguments[a][0] * factor), term)
        elif kind_a == "div" and self.arguments[a][1] == b:
            numerator: Reference = self.arguments[a][0]
            return numerator
        elif kind_b == "div" and self.arguments[b][1] == a:
            numerator = self.arguments[b][0]
            return numerator
        elif a == b and kind_a == "sqrt":
            radicand: Reference = self.arguments[a][0]
            return radicand
        return self._node("mul", a, b) if a < b else self._node("mul", b, a)

    def div(self, x: Reference, y: Reference) -> Reference:
        """x / y.

        Raises:
            SymbolicError: y is the constant zero.
        """
        if y == 0:
            raise SymbolicError("division by zero", remedy="check for a mass, length or coefficient that is zero")
        if x == 0:
            return ZERO
        negative = (x < 0) != (y < 0)
        a, b = abs(x), abs(y)
        quotient = self._quotient(a, b)
        return -quotient if negative else quotient

    def _quotient(self, a: int, b: int) -> Reference:
        if a == b:
            return ONE
        divisor = self.constant_value(b)
        if divisor is not None:
            return self.mul(a, self.const(1 / divisor))
        if self.kinds[a] == "mul":
            first: Reference
            second: Reference
            first, second = self.arguments[a]
            if first == b:
                return second
            if second == b:
                return first
        if a == 1 and self.kinds[b] == "div":
            numerator, denominator = self.arguments[b]
            return self.div(denominator, numerator)
        return self._node("div", a, b)

    def power(self, x: Reference, exponent: Number) -> Reference:
        """x raised to a rational constant: products for integers, square roots for halves, else a ``pow`` node."""
        p = exact(exponent)
        if p < 0:
            return self.div(ONE, self.power(x, -p))
        if p.denominator == 2:
            whole = self.power(x, p.numerator // 2)
            return self.mul(whole, self.function("sqrt", x))
        if p.denominator != 1:
            return self.function("pow", x, self.const(p))
        result, base, n = ONE, x, p.numerator
        while n:
            if n & 1:
                result = self.mul(result, base)
            base = self.mul(base, base) if n > 1 else base
            n >>= 1
        return result

    def function(self, name: str, *args: Reference) -> Reference:
        """An elementary function of its arguments, folded where the value is exact.

        Raises:
            SymbolicError: the function is unknown or the argument lies outside its domain.
        """
        if name in UNARY_FUNCTIONS and len(args) == 1:
            return self._unary(name, args[0])
        if name in BINARY_FUNCTIONS and len(args) == 2:
            return self._binary(name, args[0], args[1])
        if isinstance(name, GivenFunction):
            value = self.constant_value(args[0]) if isinstance(name, StepFunction) else None
            return self._node(name, *args) if value is None else self.const(name(float(value)))
        if name in self.definitions and len(args) == self.definitions[name].arguments:
            return self.definitions[name].write(self, args)
        raise SymbolicError(
            f"no function {name} of {len(args)} arguments",
            remedy=f"known are {', '.join(UNARY_FUNCTIONS)} of one and {', '.join(BINARY_FUNCTIONS)} of two",
        )

    def _unary(self, name: str, x: Reference) -> Reference:
        if name in ("sin", "cos"):
            return self._sine_or_cosine(name, x)
        if x == 0 and (name in ODD_FUNCTIONS or name in ("sqrt", "abs")):
            return ZERO
        if x < 0 and name in ODD_FUNCTIONS:
            return -self._unary(name, -x)
        if x < 0 and name in EVEN_FUNCTIONS:
            x = -x
        value = self.constant_value(x)
        exact = None if value is None else _exact_value(name, value)
        if exact is not None:
            return self.const(exact)
        if name == "abs" and self.kinds[x] in ("abs", "sqrt", "exp"):
            return x
        return self._node(name, x)

    def _sine_or_cosine(self, name: str, x: Reference) -> Reference:
        quarters, rest = self._quarter_turns(x)
        if rest == 0:
            sine, cosine = ZERO, ONE
        else:
            sine = -self._node("sin", -rest) if rest < 0 else self._node("sin", rest)
            cosine = self._node("cos", abs(rest))
        if name == "sin":
            return (sine, cosine, -sine, -cosine)[quarters]
        return (cosine, -sine, -cosine, sine)[quarters]

    def _quarter_turns(self, angle: Reference) -> tuple[int, Reference]:
        """An angle as (k, rest), angle = k pi/2 + rest, k in 0..3, where a multiple of pi/2 is a visible summand."""
        if self.kinds[abs(angle)] == "add":
            for summand, rest in (self._summands(angle), self._summands(angle)[::-1]):
                factor, term = self._coefficient(summand)
                if self.kinds[term] == "pi" and (2 * factor).denominator == 1:
                    return int(2 * factor) % 4, rest
            return 0, angle
        factor, term = self._coefficient(angle)
        if angle != 0 and self.kinds[term] == "pi" and (2 * factor).denominator == 1:
            return int(2 * factor) % 4, ZERO
        return 0, angle

    def _binary(self, name: str, x: Reference, y: Reference) -> Reference:
        if name == "pow":
            exponent = self.constant_value(y)
            if exponent is not None and exponent.denominator in (1, 2) and abs(exponent) <= 64:
                return self.power(x, exponent)
            if x == 1:
                return ONE
        elif name in ("min", "max"):
            if x == y:
                return x
            first, second = self.constant_value(x), self.constant_value(y)
            if first is not None and second is not None:
                return self.const(min(first, second) if name == "min" else max(first, second))
            if x > y:
                x, y = y, x
        elif x == 0 and (value := self.constant_value(y)) is not None and value > 0:
            return ZERO
        return self._node(name, x, y)

    def select(self, condition: Reference, positive: Reference, otherwise: Reference) -> Reference:
        """``positive`` where ``condition`` > 0, else ``otherwise``."""
        value = self.constant_value(condition)
        if value is not None:
            return positive if value > 0 else otherwise
        return positive if positive == otherwise else self._node("select", condition, positive, otherwise)

    def _node(self, kind: str, *arguments: Any) -> int:
        key = (kind, *arguments)
        node = self._index.get(key)
        return self._append(key, kind, arguments) if node is None else node

    def _append(self, key: tuple[Any, ...], kind: str, arguments: tuple[Any, ...]) -> int:
        node = len(self.kinds)
        self._index[key] = node
        self.kinds.append(kind)
        self.arguments.append(arguments)
        self.section_of.append(self._section)
        return node

    def make(self, kind: str, arguments: Sequence[Reference]) -> Reference:
        """The operation ``kind`` of the given references, with all foldings: how passes rebuild a graph."""
        if kind == "add":
            return self.add(arguments[0], arguments[1])
        if kind == "mul":
            return self.mul(arguments[0], arguments[1])
        if kind == "div":
            return self.div(arguments[0], arguments[1])
        if kind == "select":
            return self.select(arguments[0], arguments[1], arguments[2])
        return self.function(kind, *arguments)

    # ---- what the printed program shows ------------------------------------------------------------------------------

    def name(self, ref: Reference, name: str) -> None:
        """Suggests the identifier under which the value is printed; the first suggestion for a node stays."""
        node = abs(ref)
        if self.kinds[node] not in LEAVES:
            self.names.setdefault(node, (name, -1 if ref < 0 else 1))

    def forget_names(self) -> None:
        """Drops all suggested identifiers, so that the next derivation on this graph suggests its own."""
        self.names.clear()

    @contextmanager
    def section(self, title: str) -> Iterator[None]:
        """Nodes made inside belong to the section of that title."""
        before = self._section
        self.sections.append(title)
        self._section = len(self.sections) - 1
        try:
            yield
        finally:
            self._section = before

    def copy(self) -> Graph:
        """The same nodes in a graph that grows by itself."""
        found = Graph()
        found.become(self)
        return found

    def become(self, other: Graph) -> None:
        """Forgets its nodes for those of another graph, which stays as it is."""
        self.kinds, self.arguments, self._index = [*other.kinds], [*other.arguments], {**other._index}
        self.names, self.never_zero, self.may_vanish = {**other.names}, {*other.never_zero}, {*other.may_vanish}
        self.definitions = {**other.definitions}
        self.sections, self.section_of, self._section = [*other.sections], [*other.section_of], other._section

    def adopt_sections(self, other: Graph) -> int:
        """Appends the other graph's sections; its section k > 0 becomes the returned number plus k."""
        offset = len(self.sections) - 1
        self.sections.extend(other.sections[1:])
        return offset

    def continue_section(self, number: int) -> None:
        """Nodes made from now on belong to the section of that number: how copies keep their place."""
        self._section = number

    # ---- reading ----------------------------------------------------------------------------------------------------

    def operands(self, node: int) -> tuple[Reference, ...]:
        """References that a node is computed from; empty for leaves."""
        if self.kinds[node] in LEAVES:
            return ()
        return self.arguments[node]

    def reachable(self, refs: Iterable[Reference]) -> list[int]:
        """Nodes that the given values depend on, leaves included, in topological order."""
        kinds, arguments = self.kinds, self.arguments
        tops = [abs(ref) for ref in refs]
        if not tops:
            return []
        # Operands are older than what is computed from them, so one sweep from the newest value down finds them all.
        needed = bytearray(max(tops) + 1)
        for node in tops:
            needed[node] = 1
        found = []
        node = len(needed) - 1
        while node >= 0:
            found.append(node)
            if kinds[node] not in LEAVES:
                for ref in arguments[node]:
                    needed[ref if ref > 0 else -ref] = 1
            node = needed.rfind(1, 0, node)
        found.reverse()
        return found


def _exact_value(name: str, x: Fraction) -> Fraction | None:
    """The value of an elementary function of a number, the absolute one of even and odd functions; None where it is not
    known exactly.

    Raises:
        SymbolicError: there is none.
    """
    if (name == "sqrt" and x < 0) or (name == "log" and x <= 0):
        raise SymbolicError(f"{name}({x}) has no real value", remedy="check the sign of its argument")
    if name == "sqrt":
        root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
        return root if root * root == x else None
    if name in ("abs", "sign"):
        return x if name == "abs" else Fraction(1)
    known = {"exp": (0, 1), "log": (1, 0), "acos": (1, 0)}
    return Fraction(known[name][1]) if name in known and x == known[name][0] else None

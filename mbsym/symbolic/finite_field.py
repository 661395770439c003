"""Programs evaluated at random points of the finite field GF(p), p = 2^61 - 1, where equality is exact.

A rational function that is not zero vanishes at a random point with probability at most degree/p (Schwartz 1980,
Zippel 1979). The other functions take values that obey the identities one wants to see proved:

* Sine and cosine. An angle is a polynomial in the symbols, hence a rational combination of monomials. Each monomial m
  draws a point (2t, 1 - t^2)/(1 + t^2) of the unit circle for the angle m/L, L the common denominator of its
  coefficients, and whole multiples follow from the group law. Distinct monomials are linearly independent, so their
  sines and cosines are algebraically independent of each other and of the symbols (Ax 1971): what differs here differs
  indeed. The point of pi/2^k is found by halving. Since -1 is no square modulo p, 1 + t^2 is never zero.
* Unit quaternions are r^2/|r|^2 for a random quaternion r.
* The square root of a residue r is r^((p+1)/4); a point where a radicand is no residue is drawn again. Roots of
  constants without a root in the field, and all roots where there are more than ten, are unknown functions.
* exp, log, abs and the like are unknown functions: a hash of their arguments. What is equal for unknown functions is
  equal; what differs may still be equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import blake2b
from math import lcm
from typing import Final, TypeAlias

from mbsym.errors import SymbolicError
from mbsym.symbolic.angles import Angle, Monomial, is_opaque, lattice_key, linear_angle
from mbsym.symbolic.given_functions import GivenFunction
from mbsym.symbolic.graph import EVEN_FUNCTIONS, ODD_FUNCTIONS, Graph, Reference
from mbsym.symbolic.program import Program
from mbsym.symbolic.unroll import unrolled

PRIME: Final = (1 << 61) - 1

UNKNOWN_FUNCTIONS: Final = frozenset(
    ("asin", "acos", "exp", "log", "tanh", "abs", "sign", "atan2", "min", "max", "pow", "select")
)
"""Functions that the field knows nothing about."""


def is_unknown(kind: str) -> bool:
    """Whether the field knows nothing about a kind of node but what it is made of."""
    return kind in UNKNOWN_FUNCTIONS or isinstance(kind, GivenFunction)


_DEEPEST_HALVING: Final = 50
_ZERO_DIVISORS: Final = 16
_ROOT_ATTEMPTS: Final = 1 << 14
_MOST_ROOTS: Final = 10

Point: TypeAlias = tuple[int, int]


class _DrawAgainError(Exception):
    """The random point lies outside the domain of an operation."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What an evaluation needs to know about one program.

    Attributes:
        program: the program.
        radicands: square roots and what lies below them, in topological order; evaluated first, since they can ask for
            another point.
        rest: its other nodes, in topological order.
        constants: field values of its constants.
        labels: the name by which a symbol shares its random value with other programs.
        angles: the linear combination that each argument of a sine, cosine or tangent is.
    """

    program: Program
    radicands: tuple[int, ...]
    rest: tuple[int, ...]
    constants: Mapping[int, int]
    labels: Mapping[int, str]
    angles: Mapping[Reference, Angle]


@dataclass(frozen=True, slots=True)
class Sampler:
    """Several programs that are evaluated together: equal names of inputs, parameters and free symbols share values."""

    prepared: tuple[Prepared, ...]
    quaternions: tuple[tuple[str, str, str, str], ...]
    lattice: Mapping[Monomial, int]

    def roots(self) -> int:
        """Square roots of what is no constant, in the program that has the most of them."""
        counts = [0]
        for item in self.prepared:
            kinds, arguments = item.program.graph.kinds, item.program.graph.arguments
            below = [abs(arguments[node][0]) for node in item.radicands if kinds[node] == "sqrt"]
            counts.append(sum(kinds[node] != "const" for node in below))
        return max(counts)

    def steps(self, monomial: Monomial, coefficient: Fraction) -> int:
        """The multiple of its lattice unit that an angle's part is."""
        return int(coefficient * self.lattice[lattice_key(monomial)])

    def evaluate(self, seed: int, trial: int) -> list[dict[int, int]]:
        """The value of every node of each program at one random point.

        Args:
            seed, trial: say which.

        Raises:
            SymbolicError: some divisor is zero everywhere.
        """
        zero_divisors = 0
        attempt = 0
        known_roots = self.roots() <= _MOST_ROOTS
        while True:
            draw = Draw(f"{seed},{trial},{attempt}", self.lattice, known_roots and attempt < _ROOT_ATTEMPTS)
            try:
                draw.unit_quaternions(self.quaternions)
                values: list[dict[int, int]] = [{} for _ in self.prepared]
                for item, known in zip(self.prepared, values, strict=True):
                    draw.evaluate(item, item.radicands, known)
                for item, known in zip(self.prepared, values, strict=True):
                    draw.evaluate(item, item.rest, known)
                return values
            except _DrawAgainError:
                attempt += 1
            except ZeroDivisionError:
                attempt += 1
                zero_divisors += 1
                if zero_divisors > _ZERO_DIVISORS:
                    names = ", ".join(item.program.name for item in self.prepared)
                    raise SymbolicError(
                        "a divisor is zero everywhere", where=names, remedy="look for a difference that cancels"
                    ) from None


def prepare(programs: Sequence[Program]) -> Sampler:
    """Gets programs ready for evaluation at shared random points."""
    prepared = tuple(_prepared(program) for program in programs)
    lattice: dict[Monomial, int] = {}
    quaternions: dict[tuple[str, str, str, str], None] = {}
    for item in prepared:
        for angle in item.angles.values():
            for monomial, coefficient in angle:
                key = lattice_key(monomial)
                lattice[key] = lcm(lattice.get(key, 1), coefficient.denominator)
        for argument in item.program.inputs:
            for start in argument.quaternions:
                w, x, y, z = (item.labels[ref] for ref in argument.symbols[start : start + 4])
                quaternions[w, x, y, z] = None
    return Sampler(prepared, tuple(quaternions), lattice)


def evaluate(programs: Sequence[Program], *, seed: int = 0) -> list[dict[str, tuple[int, ...]]]:
    """The output entries of several programs at one random point, equal names sharing random values.

    Args:
        programs: what to evaluate; they may live in different graphs.
        seed: the same seed gives the same point.

    Returns:
        For each program the row-major entries of each output, integers modulo ``PRIME``.

    Raises:
        SymbolicError: some divisor is zero everywhere.
    """
    results = []
    straight = [unrolled(program) for program in programs]
    for program, values in zip(straight, prepare(straight).evaluate(seed, 0), strict=True):
        entries = {item.name: tuple(signed(values, ref) for ref in item.values) for item in program.outputs}
        results.append(entries)
    return results


def signed(values: Mapping[int, int], ref: Reference) -> int:
    """The field value of a signed reference."""
    return values[ref] if ref >= 0 else -values[-ref] % PRIME


def residue(value: Fraction, inverses: dict[int, int]) -> int:
    """A rational number in the field; inverses of denominators are kept.

    Raises:
        ZeroDivisionError: the denominator is a multiple of ``PRIME``.
    """
    if value.denominator not in inverses:
        inverses[value.denominator] = inverse(value.denominator % PRIME)
    return value.numerator * inverses[value.denominator] % PRIME


def root(value: int) -> int | None:
    """The square root that is itself a square modulo p, None where there is no root."""
    candidate = pow(value, (PRIME + 1) // 4, PRIME)
    return candidate if candidate * candidate % PRIME == value else None


# ---- preparation ----------------------------------------------------------------------------------------------------


def _prepared(program: Program) -> Prepared:
    graph = program.graph
    nodes = program.nodes()
    labels = _labels(program, nodes)
    arguments = [graph.arguments[node][0] for node in nodes if graph.kinds[node] in ("sin", "cos", "tan")]
    radicands = graph.reachable(node for node in nodes if graph.kinds[node] == "sqrt")
    below = set(radicands)
    rest = tuple(node for node in nodes if node not in below) if below else tuple(nodes)
    polynomials: dict[int, dict[Monomial, Fraction]] = {}
    angles = {ref: linear_angle(graph, ref, labels, polynomials) for ref in dict.fromkeys(arguments)}
    return Prepared(program, tuple(radicands), rest, _constants(graph, nodes), labels, angles)


def _constants(graph: Graph, nodes: Sequence[int]) -> dict[int, int]:
    """Rational constants in the field; each denominator is inverted once."""
    inverses: dict[int, int] = {1: 1}
    return {node: residue(graph.arguments[node][0], inverses) for node in nodes if graph.kinds[node] == "const"}


def _labels(program: Program, nodes: Sequence[int]) -> dict[int, str]:
    labels: dict[int, str] = {}
    for item in program.inputs:
        for index, ref in enumerate(item.symbols):
            labels[ref] = f"{item.name}[{index}]" if item.shape else item.name
    for parameter in program.parameters:
        labels[parameter.symbol] = parameter.name
    for node in nodes:
        if program.graph.kinds[node] == "symbol" and node not in labels:
            labels[node] = program.graph.arguments[node][0]
    return labels


# ---- evaluation -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Draw:
    """One random point: values are functions of the key and of names, so their order does not matter.

    Attributes:
        key: of the point.
        lattice: common denominators of the coefficients of monomials in angles.
        known_roots: square roots are roots.
        symbols: values by label, as far as they were asked for.
        units, multiples: sines and cosines that are known.
    """

    key: str
    lattice: Mapping[Monomial, int]
    known_roots: bool
    symbols: dict[str, int] = field(default_factory=dict)
    units: dict[object, Point] = field(default_factory=dict)
    multiples: dict[tuple[object, int], Point] = field(default_factory=dict)

    def random(self, name: object) -> int:
        digest = blake2b(repr(name).encode(), key=self.key.encode(), digest_size=16).digest()
        return int.from_bytes(digest, "little") % PRIME

    def symbol(self, label: str) -> int:
        """The value of a symbol."""
        if label not in self.symbols:
            self.symbols[label] = self.random(label)
        return self.symbols[label]

    def unit_quaternions(self, quaternions: Sequence[tuple[str, str, str, str]]) -> None:
        for labels in quaternions:
            w, x, y, z = (self.random(label) for label in labels)
            divided = inverse((w * w + x * x + y * y + z * z) % PRIME)
            parts = (w * w - x * x - y * y - z * z, 2 * w * x, 2 * w * y, 2 * w * z)
            for label, part in zip(labels, parts, strict=True):
                self.symbols[label] = part * divided % PRIME

    def evaluate(self, item: Prepared, nodes: Sequence[int], values: dict[int, int]) -> None:
        """Adds the values of the given nodes."""
        graph, labels, constants = item.program.graph, item.labels, item.constants
        kinds, arguments = graph.kinds, graph.arguments
        circle: dict[Reference, Point] = {}
        for node in nodes:
            kind = kinds[node]
            operands = arguments[node]
            if kind == "mul":
                values[node] = values[operands[0]] * values[operands[1]] % PRIME
            elif kind == "add":
                first, second = operands
                values[node] = (
                    values[first] + values[second] if second > 0 else values[first] - values[-second]
                ) % PRIME
            elif kind == "div":
                values[node] = values[operands[0]] * inverse(values[operands[1]]) % PRIME
            elif kind == "const":
                values[node] = constants[node]
            elif kind == "symbol":
                values[node] = self.symbol(labels[node])
            elif kind == "pi":
                values[node] = self.random(("pi",))
            elif kind in ("sin", "cos", "tan"):
                angle = operands[0]
                if angle not in circle:
                    circle[angle] = self._point(item.angles[angle], values)
                sine, cosine = circle[angle]
                if kind == "tan":
                    values[node] = sine * inverse(cosine) % PRIME
                else:
                    values[node] = sine if kind == "sin" else cosine
            elif kind == "sqrt":
                values[node] = self._root(signed(values, operands[0]), kinds[abs(operands[0])] == "const")
            else:
                values[node] = self._unknown(kind, [signed(values, operand) for operand in operands])

    def _root(self, radicand: int, constant: bool) -> int:
        found = root(radicand) if self.known_roots or constant else None
        if found is not None:
            return found
        if self.known_roots and not constant:
            raise _DrawAgainError
        return self.random(("sqrt", radicand))

    def _unknown(self, kind: str, values: Sequence[int]) -> int:
        """A value that depends on the function and its arguments' values alone, and respects its symmetries."""
        if kind in ODD_FUNCTIONS or kind in EVEN_FUNCTIONS:
            positive = min(values[0], PRIME - values[0]) if values[0] else 0
            value = self.random((kind, positive))
            return -value % PRIME if positive != values[0] and kind in ODD_FUNCTIONS else value
        if kind in ("min", "max"):
            values = sorted(values)
        return self.random((kind.identity if isinstance(kind, GivenFunction) else kind, *values))

    def _point(self, angle: Angle, values: Mapping[int, int]) -> Point:
        """(sin, cos) of an angle."""
        sine, cosine = 0, 1
        for monomial, coefficient in angle:
            scale = self.lattice[lattice_key(monomial)]
            steps = int(coefficient * scale)
            atom: object = monomial
            if is_opaque(monomial):
                value = self._value(monomial, values)
                positive = min(value, PRIME - value)
                atom, steps = positive, steps if positive == value else -steps
            s, c = self._multiple(atom, abs(steps), scale)
            s = -s if steps < 0 else s
            sine, cosine = (sine * c + cosine * s) % PRIME, (cosine * c - sine * s) % PRIME
        return sine, cosine

    def _value(self, monomial: Monomial, values: Mapping[int, int]) -> int:
        """The value of a monomial with factors that are nodes."""
        value = 1
        for label in monomial:
            if label.startswith("#"):
                value = value * values[int(label[1:])] % PRIME
            elif label == "pi":
                value = value * self.random(("pi",)) % PRIME
            else:
                value = value * self.symbol(label) % PRIME
        return value

    def _multiple(self, atom: object, steps: int, scale: int) -> Point:
        """(sin, cos) of ``steps`` times the atom's unit angle, by repeated doubling."""
        known = self.multiples.get((atom, steps))
        if known is not None:
            return known
        s, c = self._unit(atom, scale)
        sine, cosine = 0, 1
        for bit in _bits(steps):
            if bit:
                sine, cosine = (sine * c + cosine * s) % PRIME, (cosine * c - sine * s) % PRIME
            s, c = 2 * s * c % PRIME, (c * c - s * s) % PRIME
        self.multiples[atom, steps] = sine, cosine
        return sine, cosine

    def _unit(self, atom: object, scale: int) -> Point:
        if atom not in self.units:
            halving = scale.bit_length() - 1
            if atom == ("pi",) and scale == 1 << halving and halving <= _DEEPEST_HALVING:
                self.units[atom] = _half_turn_divided(halving)
            else:
                t = self.random(("angle", atom))
                divided = inverse((1 + t * t) % PRIME)
                self.units[atom] = 2 * t * divided % PRIME, (1 - t * t) * divided % PRIME
        return self.units[atom]


def _half_turn_divided(halvings: int) -> Point:
    """(sin, cos) of pi/2^k, from cos(a/2) = sqrt((1 + cos a)/2)."""
    sine, cosine = 0, PRIME - 1
    for halving in range(halvings):
        if halving == 0:
            sine, cosine = 1, 0
            continue
        half = root((1 + cosine) * inverse(2) % PRIME)
        if half is None:
            raise SymbolicError("an angle is too fine a fraction of pi", remedy="write it as a decimal")
        sine, cosine = sine * inverse(2 * half % PRIME) % PRIME, half
    return sine, cosine


def inverse(value: int) -> int:
    """The residue that times this one is 1.

    Raises:
        ZeroDivisionError: the value is zero.
    """
    if value == 0:
        raise ZeroDivisionError
    return pow(value, -1, PRIME)


def _bits(number: int) -> Iterator[int]:
    while number:
        yield number & 1
        number >>= 1

"""Functions in which one limb stands for all that are equal to it, ready for printing: vectors hold a value of each.

What belongs to the carriers is straight code. Vectors are gathered from scalars, one for each lane, and their lanes are
entries like those of an array: sums over them are scalars, results are stored one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import prod
from typing import TypeVar

from mbsym.codegen import expressions as ex
from mbsym.codegen.expressions import leaves, operands, with_operands
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.limb_programs import NUMBERS, SUMMANDS, SUMS, WIDTHS, LimbProgram
from mbsym.codegen.lower import lower
from mbsym.codegen.lowered import Assignment, Block, LoweredFunction, Result, Store

Leaf = TypeVar("Leaf", ex.Call, ex.Element)


@dataclass(frozen=True, slots=True)
class LimbBody:
    """The body of a function in which one limb stands for all.

    Attributes:
        zeros: results with places that no statement writes, which are zero.
        blocks: statements in order; operands of vectors are scalars and vectors of the same width, and the lanes of one
            are entries of its name.
        used: identifiers of arguments that are read.
        counted: operations for people.
    """

    zeros: tuple[Result, ...]
    blocks: tuple[Block, ...]
    used: frozenset[str]
    counted: str

    @property
    def widths(self) -> tuple[int, ...]:
        """Of the vectors."""
        return tuple(sorted({each.width for block in self.blocks for each in block.assignments} - {0}))


def lower_limbs(given: LimbProgram, arguments: Mapping[str, str], outer: Scope) -> LimbBody | None:
    """Statements that evaluate the program; None where no vectors are left, or more to call than sines and cosines.

    Args:
        given: what to evaluate.
        arguments: identifiers of inputs and outputs, by their names.
        outer: scope of what surrounds the function.
    """
    # No identifier has a blank in it.
    own = {NUMBERS: NUMBERS, SUMS: SUMS, SUMMANDS: SUMMANDS}
    body = lower(given.program, {**arguments, **own}, {}, outer)
    if not {"sin", "cos"}.issuperset(body.calls):
        return None
    found = _Limbs(given, body, arguments, outer).result()
    return found if found.widths else None


class _Limbs:
    """Orders the statements of a body by what they need, and puts vectors in the place of what limbs differ in."""

    def __init__(self, given: LimbProgram, body: LoweredFunction, arguments: Mapping[str, str], outer: Scope) -> None:
        self._given = given
        self._arrays = {arguments[name]: entries for name, entries in given.arrays.items()}
        self._expressions = {item.identifier: item.expression for block in body.blocks for item in block.assignments}
        self._shapes = {arguments[name]: shape for name, shape in given.shapes.items()}
        self._scope = outer.inside((*arguments.values(), *self._expressions))
        self._statements: list[tuple[str, Assignment | Store]] = []
        self._title = ""
        self._made: dict[ex.Expression, ex.Expression] = {}
        self._widths: dict[str, int] = {}
        self._gathers: dict[str, tuple[ex.Expression, ...]] = {}
        results = {result.identifier: result for result in body.results}
        self._summands = results.pop(SUMMANDS).entries
        for block in body.blocks:
            self._title = block.title or self._title
            for item in block.assignments:
                self._of(ex.Variable(item.identifier))
        self._zeros = [zeros for result in results.values() for zeros in self._left(result)]
        for result in results.values():
            self._stores(result)

    def result(self) -> LimbBody:
        """The statements."""
        # Vectors of angles, for one, are read by nobody where their sines are gathered from the angles' places.
        read, kept = set[str](), list[tuple[str, Assignment | Store]]()
        for title, each in reversed(self._statements):
            if isinstance(each, Store) or each.identifier in read:
                kept.insert(0, (title if self._waits(each) else "", each))
                read |= {name_of(leaf) for leaf in leaves(each.expression) if not isinstance(leaf, ex.Constant)}
        kept.sort(key=lambda pair: self._waits(pair[1]))
        scalars, lanes = self._given.operations()
        of_limbs = "".join(
            f", {count} on {width} limbs at once" for count, width in zip(lanes, self._given.limbs, strict=True)
        )
        sums = f", {len(self._given.sums)} sums over limbs" if self._given.sums else ""
        counted = f"operations + - * /: {scalars} on numbers{of_limbs}{sums}"
        return LimbBody(
            tuple(self._zeros),
            tuple(
                Block(title, tuple(each for _, each in group))
                for title, group in groupby(kept, key=lambda pair: pair[0])
            ),
            frozenset(read & {*self._arrays}),
            counted,
        )

    def _waits(self, statement: Assignment | Store) -> bool:
        """False for sines and cosines of arguments, which come first: over a call of the library no vector is kept."""
        value = statement.expression
        return (
            not isinstance(value, ex.Gather)
            or not isinstance(value.lanes[0], ex.Call)
            or any(not isinstance(leaf, ex.Element) or leaf.array not in self._arrays for leaf in leaves(value))
        )

    def _left(self, result: Result) -> list[Result]:
        """The whole result without what is stored, if that leaves anything."""
        entries = self._arrays[result.identifier]
        shape = self._shapes[result.identifier]
        size = prod(shape)
        written = {
            place
            for entry, places in zip(result.entries, entries.places, strict=True)
            for place in places
            if entry != ex.Constant(Fraction(0))
        }
        if len(written) == size:
            return []
        zero, other = ex.Constant(Fraction(0)), ex.Variable("")
        return [Result(result.identifier, shape, tuple(other if k in written else zero for k in range(size)))]

    def _stores(self, result: Result) -> None:
        """Entries of a result, stored lane by lane."""
        stores = list[Store]()
        entries = self._arrays[result.identifier]
        for entry, places in zip(result.entries, entries.places, strict=True):
            if not places or entry == ex.Constant(Fraction(0)):
                continue
            value = self._of(entry)
            width = self._width(value)
            if width:
                sign = isinstance(value, ex.Negation) and isinstance(value.operand, ex.Variable)
                plain = value.operand if sign and isinstance(value, ex.Negation) else value
                lanes = self._lanes(plain, len(places))
                stores += [
                    Store(result.identifier, place, ex.Negation(lane) if sign else lane)
                    for place, lane in zip(places, lanes, strict=True)
                ]
            else:
                stores += [Store(result.identifier, place, value) for place in places]
        self._statements += [(self._title, store) for store in stores]

    def _lanes(self, value: ex.Expression, count: int) -> list[ex.Expression]:
        """A vector's value for each limb."""
        if not isinstance(value, ex.Variable):
            name = self._scope.claim("lanes")
            self._vector(name, value)
            value = ex.Variable(name)
        return [ex.Element(value.identifier, lane) for lane in range(count)]

    def _vector(self, name: str, value: ex.Expression) -> None:
        self._assign(name, value, self._width(value))

    def _assign(self, name: str, value: ex.Expression, width: int = 0) -> None:
        self._widths[name] = width
        self._statements.append((self._title, Assignment(name, value, width)))

    def _width(self, expression: ex.Expression) -> int:
        """Lanes of a value, 0 for a scalar."""
        found = {self._widths.get(leaf.identifier, 0) for leaf in leaves(expression) if isinstance(leaf, ex.Variable)}
        assert len(found - {0}) < 2, "limbs of two groups meet"
        return max(found, default=0)

    def _of(self, expression: ex.Expression) -> ex.Expression:
        """The expression anew, behind the statements that it needs."""
        if isinstance(expression, ex.Variable):
            name = expression.identifier
            if name not in self._widths:
                self._named(name, self._expressions[name])
            return expression
        if isinstance(expression, ex.Element):
            return self._kept(expression, self._element)
        changed = tuple(map(self._of, operands(expression)))
        made = with_operands(expression, changed) if changed else expression
        return self._kept(made, self._called) if isinstance(made, ex.Call) and self._width(made) else made

    def _named(self, name: str, expression: ex.Expression) -> None:
        """A temporary of that name."""
        if isinstance(expression, ex.Call):
            made = ex.Call(expression.function, tuple(map(self._of, expression.arguments)))
            if self._width(made) and made not in self._made:
                self._made[made] = self._called(made, name)
                return
        self._vector(name, self._of(expression))

    def _kept(self, expression: Leaf, make: Callable[[Leaf], ex.Expression]) -> ex.Expression:
        if expression not in self._made:
            self._made[expression] = make(expression)
        return self._made[expression]

    def _element(self, element: ex.Element) -> ex.Expression:
        if element.array == SUMS:
            return self._sum(element.index)
        if element.array == NUMBERS:
            _, values = self._given.numbers[element.index]
            return self._gathered(self._scope.claim("number"), [ex.Constant(value) for value in values])
        entries = self._arrays[element.array]
        group, places = entries.groups[element.index], entries.places[element.index]
        lanes = [ex.Element(element.array, place) for place in places]
        return self._gathered(self._scope.claim(f"{element.array}{places[0]}"), lanes) if group >= 0 else lanes[0]

    def _sum(self, place: int) -> ex.Expression:
        count = self._given.limbs[self._given.sums[place]]
        value = self._of(self._summands[place])
        is_same = not self._width(value)
        total = ex.Product((ex.Constant(Fraction(count)), value)) if is_same else _balanced(self._lanes(value, count))
        name = self._scope.claim("sum")
        self._assign(name, total)
        return ex.Variable(name)

    def _called(self, call: ex.Call, name: str = "") -> ex.Expression:
        """The sines or cosines of a vector."""
        (argument,) = call.arguments
        known = self._gathers.get(argument.identifier) if isinstance(argument, ex.Variable) else None
        lanes = known or self._lanes(argument, self._width(argument))
        return self._gathered(
            name or self._scope.claim(call.function), [ex.Call(call.function, (lane,)) for lane in lanes]
        )

    def _gathered(self, name: str, lanes: Sequence[ex.Expression]) -> ex.Expression:
        width = next(width for width in WIDTHS if width >= len(lanes))
        whole = (*lanes, *[lanes[-1]] * (width - len(lanes)))
        self._gathers[name] = whole
        self._assign(name, ex.Gather(whole), width)
        return ex.Variable(name)


def _balanced(terms: Sequence[ex.Expression]) -> ex.Expression:
    """Their sum in pairs, so that none waits for all before it."""
    if len(terms) == 1:
        return terms[0]
    half = (len(terms) + 1) // 2
    return ex.Sum(((False, _balanced(terms[:half])), (False, _balanced(terms[half:]))))


def name_of(leaf: ex.Variable | ex.Element) -> str:
    """Identifier of a temporary or an array."""
    return leaf.array if isinstance(leaf, ex.Element) else leaf.identifier

"""Sections that do the same work on different values, side by side in the lanes of one loop that compilers vectorise.

Neighbouring sections are alike if their statements are the same up to the order of terms and factors, up to signs, and
up to which values from outside they read. The first section becomes the body of a loop over the lanes. What differs
between lanes is read from columns, constants from tables; a temporary may hold the opposite of what it holds in another
lane, which a table of signs puts right where others read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, TypeAlias

from mbsym.codegen import expressions as ex
from mbsym.codegen.expressions import operands, operations, with_operands
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.lowered import Assignment, Block
from mbsym.symbolic.graph import ODD_FUNCTIONS

FEWEST_LANES: Final = 2
LEAST_WORK: Final = 40
"""Operations of a section below which a loop is not worth its columns."""

Leaf: TypeAlias = ex.Constant | ex.Variable | ex.Element | ex.Negation
"""What a column holds in one lane: a number, a value from outside, or its opposite."""


@dataclass(frozen=True, slots=True)
class Lanes:
    """Alike sections as one loop body.

    Attributes:
        titles: of the sections, lane by lane.
        assignments: the body, in the words of the first section; what differs between lanes are column variables.
        columns: for each column variable the leaf that it stands for in each lane.
        common: temporaries from outside that all lanes read.
        names: for each temporary of the body its name in each lane.
        signs: for each temporary the sign s with: lane's value = s * temporary.
        operations: + - * / of one lane.
    """

    titles: tuple[str, ...]
    assignments: tuple[Assignment, ...]
    columns: Mapping[str, tuple[Leaf, ...]]
    common: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]
    signs: Mapping[str, tuple[int, ...]]
    operations: int

    @property
    def title(self) -> str:
        """The titles as one: what they begin with, then the rest of each."""
        words = [title.split(" ") for title in self.titles]
        alike = 0
        while all(row[alike : alike + 1] == words[0][alike : alike + 1] != [] for row in words):
            alike += 1
        rest = ", ".join(" ".join(row[alike:]) for row in words)
        return " ".join((*words[0][:alike], rest)).rstrip()

    @property
    def width(self) -> int:
        """Lanes that the loop runs over: the last is repeated so that the number is even, or a multiple of four."""
        count = len(self.titles)
        four = -(-count // 4) * 4
        return four if four <= 1.25 * count else count + count % 2


def in_lanes(blocks: Sequence[Block]) -> list[Block | Lanes]:
    """The blocks with runs of alike ones put together."""
    result: list[Block | Lanes] = []
    temporaries = frozenset(item.identifier for block in blocks for item in block.assignments)
    start = 0
    while start < len(blocks):
        found = _run(blocks, start, temporaries)
        result.append(found if found is not None else blocks[start])
        start += len(found.titles) if found is not None else 1
    return result


@dataclass(frozen=True, slots=True)
class _Match:
    """b = sign * a with these leaves in the place of a's; ``flexible`` is a leaf that may change its sign.

    Attributes:
        cost: of changing it: nothing where it is a number, 1 where it differs between the lanes anyway, more where it
            is the same in both and would have to be written to a column; without such a leaf it cannot be done.
    """

    sign: int
    leaves: tuple[Leaf, ...]
    flexible: int | None
    cost: float = inf

    def towards(self, sign: int) -> _Match | None:
        """The match with the given sign, if it can have it."""
        if sign == self.sign:
            return self
        if self.flexible is None:
            return None
        place = self.flexible
        leaves = (*self.leaves[:place], _opposite(self.leaves[place]), *self.leaves[place + 1 :])
        return _Match(sign, leaves, self.flexible, self.cost)


def _opposite(leaf: Leaf) -> Leaf:
    if isinstance(leaf, ex.Constant):
        return ex.Constant(-leaf.value)
    if isinstance(leaf, ex.Negation):
        assert isinstance(leaf.operand, (ex.Variable, ex.Element))
        return leaf.operand
    return ex.Negation(leaf)


def _run(blocks: Sequence[Block], start: int, temporaries: frozenset[str]) -> Lanes | None:
    """The longest run of blocks like the one at ``start``, or None if there is none worth a loop."""
    first = blocks[start]
    size = len(first.assignments)
    following = blocks[start + 1 : start + FEWEST_LANES]
    if len(following) < FEWEST_LANES - 1 or any(len(block.assignments) != size for block in following):
        return None
    work = sum(operations(item.expression) for item in first.assignments)
    if work < LEAST_WORK:
        return None
    own = {item.identifier: place for place, item in enumerate(first.assignments)}
    taken = set(own)
    lanes: list[list[_Match]] = []
    for block in blocks[start + 1 :]:
        found = _alike(first, own, block, taken)
        if found is None:
            break
        lanes.append(found)
        taken.update(item.identifier for item in block.assignments)
    if len(lanes) + 1 < FEWEST_LANES:
        return None
    return _merged(blocks[start : start + len(lanes) + 1], _Rewriting(own, temporaries), lanes, work)


def _alike(first: Block, own: dict[str, int], block: Block, taken: set[str]) -> list[_Match] | None:
    """For each statement how the other block's one follows from the first block's; None if they are not alike."""
    if len(first.assignments) != len(block.assignments):
        return None
    theirs = {item.identifier: place for place, item in enumerate(block.assignments)}
    matcher = _Matcher(own, theirs, taken)
    found = []
    for a, b in zip(first.assignments, block.assignments, strict=True):
        match = matcher.match(a.expression, b.expression)
        if match is None:
            return None
        found.append(match)
        matcher.signs.append(match.sign)
    return found


class _Matcher:
    """Compares expressions of two blocks."""

    __slots__ = ("_own", "_taken", "_theirs", "signs")

    def __init__(self, own: dict[str, int], theirs: dict[str, int], taken: set[str]) -> None:
        self._own = own
        self._theirs = theirs
        self._taken = taken
        self.signs: list[int] = []

    def match(self, a: ex.Expression, b: ex.Expression) -> _Match | None:
        """How ``b`` follows from ``a``."""
        mine, other = _bare(a), _bare(b)
        found = self._alike(mine, other)
        if found is None or (a is mine) == (b is other):
            return found
        return _Match(-found.sign, found.leaves, found.flexible, found.cost)

    def _alike(self, a: ex.Expression, b: ex.Expression) -> _Match | None:
        if isinstance(a, (ex.Constant, ex.Variable, ex.Element)) and isinstance(
            b, (ex.Constant, ex.Variable, ex.Element)
        ):
            return self._leaf(a, b)
        if a.__class__ is not b.__class__ or len(operands(a)) != len(operands(b)):
            return None
        if isinstance(a, ex.Sum) and isinstance(b, ex.Sum):
            return self._sum(a, b)
        if isinstance(a, ex.Product):
            return _multiplied(self._paired(_unsigned(a), _unsigned(b)))
        if isinstance(a, ex.Call) and isinstance(b, ex.Call) and a.function != b.function:
            return None
        found = _whole(self.match(x, y) for x, y in zip(operands(a), operands(b), strict=True))
        if found is None or isinstance(a, ex.Quotient) or (isinstance(a, ex.Call) and a.function in ODD_FUNCTIONS):
            return _multiplied(found)
        upright = _whole(part.towards(1) for part in found)
        return None if upright is None else _Match(1, _leaves(upright), None)

    def _leaf(
        self, a: ex.Constant | ex.Variable | ex.Element, b: ex.Constant | ex.Variable | ex.Element
    ) -> _Match | None:
        mine = self._own.get(a.identifier) if isinstance(a, ex.Variable) else None
        other = self._theirs.get(b.identifier) if isinstance(b, ex.Variable) else None
        if mine is not None or other is not None:
            return _Match(self.signs[mine], (b,), None) if mine is not None and mine == other else None
        if isinstance(a, ex.Constant) and isinstance(b, ex.Constant):
            return _Match(-1, (a,), 0, 0) if a.value == -b.value else _Match(1, (b,), 0, 0)
        # Of two lanes none may read what the other one computes.
        return (
            None
            if isinstance(b, ex.Variable) and b.identifier in self._taken
            else _Match(1, (b,), 0, 2 if a == b else 1)
        )

    def _sum(self, a: ex.Sum, b: ex.Sum) -> _Match | None:
        terms = [(-1 if negative else 1, term) for negative, term in a.terms]
        found = self._paired(terms, [(-1 if negative else 1, term) for negative, term in b.terms])
        if found is None:
            return None
        common = min((1, -1), key=lambda sign: sum(match.cost for match in found if match.sign != sign))
        turned = _whole(match.towards(common) for match in found)
        return None if turned is None else _Match(common, _leaves(turned), None)

    def _paired(
        self, a: Sequence[tuple[int, ex.Expression]], b: Sequence[tuple[int, ex.Expression]]
    ) -> list[_Match] | None:
        """Matches of the signed operands of ``a`` with those of ``b`` in any order."""
        if len(a) != len(b):
            return None
        found: dict[int, _Match] = {}
        free = list(range(len(b)))
        # What has fewest counterparts chooses first: temporaries of the block, then expressions, then what is outside.
        for place in sorted(range(len(a)), key=lambda place: (self._freedom(a[place][1]), place)):
            for k in sorted(free, key=lambda k: (k != place, k)):
                match = self.match(a[place][1], b[k][1])
                if match is not None:
                    sign = match.sign * a[place][0] * b[k][0]
                    found[place] = _Match(sign, match.leaves, match.flexible, match.cost)
                    free.remove(k)
                    break
            else:
                return None
        return [found[place] for place in range(len(a))]

    def _freedom(self, expression: ex.Expression) -> int:
        if isinstance(expression, ex.Variable) and expression.identifier in self._own:
            return 0
        return 2 if isinstance(expression, (ex.Constant, ex.Variable, ex.Element)) else 1


def _bare(expression: ex.Expression) -> ex.Expression:
    return expression.operand if isinstance(expression, ex.Negation) else expression


def _unsigned(product: ex.Expression) -> list[tuple[int, ex.Expression]]:
    return [(1, factor) for factor in operands(product)]


def _whole(found: Iterable[_Match | None]) -> list[_Match] | None:
    """All of them, if none is missing."""
    matches = list(found)
    kept = [match for match in matches if match is not None]
    return kept if len(kept) == len(matches) else None


def _leaves(matches: Sequence[_Match]) -> tuple[Leaf, ...]:
    return tuple(leaf for match in matches for leaf in match.leaves)


def _multiplied(factors: Sequence[_Match] | None) -> _Match | None:
    """The match of a product: its sign is that of its factors together."""
    if factors is None:
        return None
    sign, leaves, flexible, cost = 1, list[Leaf](), None, inf
    for factor in factors:
        sign *= factor.sign
        if factor.flexible is not None and factor.cost < cost:
            flexible, cost = len(leaves) + factor.flexible, factor.cost
        leaves += factor.leaves
    return _Match(sign, tuple(leaves), flexible, cost)


def _merged(blocks: Sequence[Block], rewriting: _Rewriting, lanes: list[list[_Match]], work: int) -> Lanes:
    first = blocks[0]
    assignments = tuple(
        Assignment(item.identifier, rewriting.of(item.expression, [iter(lane[place].leaves) for lane in lanes]))
        for place, item in enumerate(first.assignments)
    )
    names, signs = {}, {}
    for place, item in enumerate(first.assignments):
        names[item.identifier] = tuple(block.assignments[place].identifier for block in blocks)
        signs[item.identifier] = (1, *(lane[place].sign for lane in lanes))
    columns = {name: leaves for leaves, name in rewriting.columns.items()}
    titles = tuple(block.title for block in blocks)
    return Lanes(titles, assignments, columns, tuple(rewriting.common), names, signs, work)


class _Rewriting:
    """Puts column variables into the place of leaves that differ between lanes."""

    __slots__ = ("_own", "_scope", "_temporaries", "columns", "common")

    def __init__(self, own: dict[str, int], temporaries: frozenset[str]) -> None:
        self._own = own
        self._temporaries = temporaries
        self._scope = Scope(own)
        self.columns: dict[tuple[Leaf, ...], str] = {}
        self.common: dict[str, None] = {}

    def of(self, expression: ex.Expression, others: Sequence[Iterator[Leaf]]) -> ex.Expression:
        """The expression anew; ``others`` are the leaves of the other lanes from left to right."""
        if isinstance(expression, (ex.Constant, ex.Variable, ex.Element)):
            leaves = (expression, *(next(lane) for lane in others))
            if isinstance(expression, ex.Variable) and expression.identifier in self._own:
                return expression
            if isinstance(expression, ex.Constant) and all(leaf == expression for leaf in leaves):
                return expression
            if all(leaf == expression for leaf in leaves) and self._is_common(expression):
                return expression
            if leaves not in self.columns:
                self.columns[leaves] = self._scope.claim(_column_name(expression))
            return ex.Variable(self.columns[leaves])
        parts = tuple(self.of(operand, others) for operand in operands(expression))
        return with_operands(expression, parts)

    def _is_common(self, expression: ex.Expression) -> bool:
        """Whether it can stand before the loop: a temporary that no column is called like."""
        if not isinstance(expression, ex.Variable) or expression.identifier not in self._temporaries:
            return False
        name = expression.identifier
        if name not in self.common and self._scope.claim(name) != name:
            return False
        self.common[name] = None
        return True


def _column_name(leaf: ex.Constant | ex.Variable | ex.Element) -> str:
    if isinstance(leaf, ex.Variable):
        return leaf.identifier
    return f"{leaf.array}{leaf.index}" if isinstance(leaf, ex.Element) else "number"

"""Where names of a function begin: in the innermost block that has all their mentions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.expressions import is_whole
from mbsym.codegen.statements import blocks, names, walk


@dataclass(frozen=True, slots=True)
class Scopes:
    """What a printer of declarations asks for.

    Attributes:
        begins: names by the block and statement before which, or by which, they are declared.
        once: names that get a value only once, where they are declared.
        loops: names that are declared by the loops that count with them.
    """

    begins: Mapping[tuple[int, int], tuple[str, ...]]
    once: frozenset[str]
    loops: frozenset[str]

    def at(self, block: Sequence[st.Statement], place: int) -> tuple[str, ...]:
        """Names that begin with a statement of a block."""
        return self.begins.get((id(block), place), ())


class _Mentions:
    """Which names statements mention: each is looked through once, however many names are asked for.

    Statements are known by their identities, so that none of them may end before this does.
    """

    def __init__(self) -> None:
        self.known: dict[int, tuple[frozenset[str], frozenset[str]]] = {}

    def inside(self, statement: st.Statement) -> frozenset[str]:
        """Names that a statement and those inside it mention."""
        return self._of(statement)[0]

    def own(self, statement: st.Statement) -> frozenset[str]:
        """Those that it mentions itself."""
        return self._of(statement)[1]

    def _of(self, statement: st.Statement) -> tuple[frozenset[str], frozenset[str]]:
        found = self.known.get(id(statement))
        if found is None:
            own = frozenset(names(statement))
            inner = (self.inside(each) for block in blocks(statement) for each in block)
            found = self.known[id(statement)] = (own.union(*inner), own)
        return found


def scopes_of(body: tuple[st.Statement, ...], wanted: Collection[str]) -> Scopes:
    """The scopes of the names wanted in a body."""
    mentions = _Mentions()
    loops = frozenset(name for name in wanted if _is_counted(body, name, mentions))
    begins: dict[tuple[int, int], tuple[str, ...]] = {}
    given: dict[str, int] = {}
    for name in wanted:
        for found in _homes(body, name, mentions) if name not in loops else ():
            begins[found] = (*begins.get(found, ()), name)
            given[name] = given.get(name, 0) - 1
    for statement in walk(body):
        if isinstance(statement, (st.Let, st.Look)):
            name = statement.target.identifier if isinstance(statement, st.Let) else statement.view.name
            # A product is added up term by term.
            given[name] = given.get(name, 0) + (2 if isinstance(statement.value, ex.MatrixProduct) else 1)
        elif isinstance(statement, st.For) and statement.index.identifier not in loops:
            given[statement.index.identifier] = 2
    return Scopes(begins, frozenset(name for name, count in given.items() if count <= 0), loops)


def homes_of(body: tuple[st.Statement, ...]) -> dict[str, frozenset[int]]:
    """The identities of the blocks in which each name begins."""
    mentions = _Mentions()
    mentioned = {name for statement in body for name in mentions.inside(statement)}
    return {name: frozenset(block for block, _ in _homes(body, name, mentions)) for name in mentioned}


def is_given(statement: st.Statement, name: str) -> bool:
    """True where a statement gives a first value to a name and does nothing else."""
    if isinstance(statement, st.Let):
        return statement.target.identifier == name and not statement.target.record and statement.operator == "="
    if isinstance(statement, st.Store):
        return statement.operator == "=" and _gives(statement.target, name)
    if isinstance(statement, st.Invoke):
        return statement.operator == "=" and any(_gives(target, name) for target in statement.targets)
    if isinstance(statement, st.Do):
        return statement.call == ex.Call(st.BEGIN, (ex.RecordName(name),), "bool")
    return isinstance(statement, st.Look) and statement.view.name == name


def _gives(target: ex.Place, name: str) -> bool:
    return target.array.name == name and not target.array.record and is_whole(target)


def _homes(body: tuple[st.Statement, ...], name: str, mentions: _Mentions) -> list[tuple[int, int]]:
    """The block and the statement with which a name begins; several where each block gives it a value of its own."""
    places = [place for place, statement in enumerate(body) if name in mentions.inside(statement)]
    if not places:
        return []
    inside: list[tuple[st.Statement, ...]] = []
    for place in places:
        if name in mentions.own(body[place]):
            return [(id(body), places[0])]
        inside += [block for block in blocks(body[place]) if any(name in mentions.inside(inner) for inner in block)]
    # What a block does not begin with a value of its own may come from before, or from its last round.
    if all(_begins(block, name, mentions) for block in inside):
        return [each for block in inside for each in _homes(block, name, mentions)]
    return [(id(body), places[0])]


def _begins(block: tuple[st.Statement, ...], name: str, mentions: _Mentions) -> bool:
    """Whether the first that a block does with a name is to give it a value."""
    first = next(statement for statement in block if name in mentions.inside(statement))
    inner = [each for each in blocks(first) if any(name in mentions.inside(statement) for statement in each)]
    if is_given(first, name):
        return True
    return bool(inner) and name not in mentions.own(first) and all(_begins(block, name, mentions) for block in inner)


def _is_counted(body: Sequence[st.Statement], name: str, mentions: _Mentions) -> bool:
    """True where all mentions of a name are in loops that count with it."""
    for statement in body:
        if isinstance(statement, st.For) and statement.index.identifier == name:
            continue
        if name in mentions.own(statement):
            return False
        if not all(_is_counted(block, name, mentions) for block in blocks(statement)):
            return False
    return True

"""Recursions over the bodies of a tree as programs with loops: one step a sweep for each kind of bodies.

A sweep runs from ground outward or from the leaves inward, and hands values on along the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, TypeAlias

from mbsym.formulations.shared.kinds import FrameName, Number, Sorted, carried_by, sorted_bodies, stand_ins
from mbsym.formulations.shared.recursion import Beforehand, Pairing, Recursion, Values
from mbsym.formulations.shared.steps import COMMON, JOINT, Handed, Row, argument, first_of, step_of
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import MEMORY, Call, For, ForPairs, Item, Program, Statement, Step, Zeros
from mbsym.symbolic.scalar import Scalar, constant, symbol

GIVEN_NUMBERS: Final = "given"
"""Those that depend on run-time parameters."""


def rolled_up(
    head: Program,
    variants: Sequence[Mechanism],
    recursions: Sequence[Recursion],
    pairing: Pairing | None = None,
    frame: FrameName | None = None,
    before: Beforehand | None = None,
) -> Program:
    """The function whose sweeps are given.

    Numbers of bodies that depend on run-time parameters are computed beforehand, all in one step.

    Args:
        head: its arguments and results.
        variants: equivalent mechanisms, in the order in which steps take their bodies.
        recursions: in order; the first takes q.
        pairing: what follows them; results that it writes are zero elsewhere.
        frame: that bodies have besides.
        before: what is found before them.
    """
    found = sorted_bodies(variants, frame)
    given = tuple(found.given(kind) for kind in range(len(found.kinds)))
    every = () if before is None else (before,)

    def rolling(used: tuple[tuple[int, ...], ...]) -> _Rolling:
        rows = [
            [_scalar(head.graph, own[place]) for place in used[kind]]
            for own, kind in zip(found.numbers, found.kind, strict=True)
        ]
        numbers = Beforehand("what depends on parameters alone", "of_parameters", (), {GIVEN_NUMBERS: rows})
        all_before = (*every, numbers) if any(rows) else every
        return _Rolling(head, tuple(variants), tuple(recursions), found, given, used, all_before, pairing, frame)

    every_number = tuple(tuple(dict.fromkeys(own.values())) for own in given)
    if not any(every_number):
        return rolling(every_number).result()
    draft = rolling(every_number)
    draft.derive()
    return rolling(draft.looked_at()).result()


def _scalar(graph: Graph, number: Number) -> Scalar:
    return number if isinstance(number, Scalar) else constant(graph, number)


_Key: TypeAlias = tuple[str, int, int]
"""What a step is for, such as "body", "ground" or "sum", in which sweep, and for which kind of bodies."""


@dataclass(slots=True)
class _Rolling:
    """Derives the steps and lists the calls.

    Attributes:
        given: which numbers of each kind depend on parameters, with those that they equal.
        used: those of them that are found beforehand.
        before: what is found before the sweeps.
        handed: what steps hand on, and what bodies keep.
        steps: by what they are for.
        number: of each step.
        kept: blocks by name and label of the body.
        pieces: how many blocks of a pool a body fills, by its name and their kind.
        starts: where what was found beforehand begins, by its name and the label of the body.
    """

    head: Program
    variants: tuple[Mechanism, ...]
    recursions: tuple[Recursion, ...]
    sorted: Sorted
    given: tuple[dict[int, int], ...]
    used: tuple[tuple[int, ...], ...]
    before: tuple[Beforehand, ...]
    pairing: Pairing | None
    frame: FrameName | None
    handed: Handed = field(default_factory=Handed)
    steps: dict[_Key, Step] = field(default_factory=dict)
    number: dict[_Key, int] = field(default_factory=dict)
    kept: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    pieces: dict[tuple[str, int], int] = field(default_factory=dict)
    starts: dict[tuple[str, int], int] = field(default_factory=dict)

    def result(self) -> Program:
        """The function."""
        self.derive()
        if self.pairing is not None:
            self.steps["pair", len(self.recursions), -1] = self._pair_step(self.pairing)
        self.number = {key: place for place, key in enumerate(self.steps)}
        body: list[Statement] = []
        for place, each in enumerate(self.before):
            body.append(For(each.title, (self._call_before(place),)))
        for place, recursion in enumerate(self.recursions):
            body.append(For(recursion.title, tuple(self._calls(place, recursion))))
        if self.pairing is not None:
            found = self._pairs(self.pairing)
            zeroed = dict.fromkeys(target.result for target in found.targets)
            body = [*map(Zeros, zeroed), *body, *[found] * (found.count > 0)]
        return replace(self.head, body=tuple(body), steps=tuple(self.steps.values()))

    # ---- steps ------------------------------------------------------------------------------------------------------

    def derive(self) -> None:
        """All steps but that of pairs, until what they write keeps its shapes."""
        for each in self.before:
            self._find_before(each)

        def sweeps() -> None:
            for place, recursion in enumerate(self.recursions):
                self._derive(place, recursion)

        self.handed.settle(sweeps)

    def looked_at(self) -> tuple[tuple[int, ...], ...]:
        """Which of the numbers found beforehand the steps of each kind look at."""
        found: list[set[str]] = [set() for _ in self.sorted.kinds]
        for (what, _, kind), step in self.steps.items():
            if what == "body":
                graph = step.program.graph
                found[kind].update(graph.arguments[n][0] for n in step.program.nodes() if graph.kinds[n] == "symbol")
        return tuple(
            tuple(place for place in used if f"{GIVEN_NUMBERS}{place}" in own)
            for used, own in zip(self.used, found, strict=True)
        )

    def _find_before(self, each: Beforehand) -> None:
        """The step that finds something for all bodies; what is zero for all of a kind is left out."""
        outputs: list[Row] = []
        for name, found in each.found.items():
            for kind in range(len(self.sorted.kinds)):
                rows = [row for row, own in zip(found, self.sorted.kind, strict=True) if own == kind]
                idle = [name != GIVEN_NUMBERS and not any(column) for column in zip(*rows, strict=True)]
                self.handed.shapes[name, kind] = tuple(0 if is_idle else None for is_idle in idle)
            values: list[Scalar] = []
            for label, (row, kind) in enumerate(zip(found, self.sorted.kind, strict=True), start=1):
                self.starts[name, label] = len(values)
                values += self.handed.varying((name, kind), row)
            outputs += [(name, name, values)] * bool(values)
        step = step_of(each.name, self.head.graph, (), outputs, parameters=self.head.parameters)
        arguments = tuple(item.name for item in each.arguments)
        whole = replace(step.program, inputs=each.arguments)
        self.steps["before", self.before.index(each), -1] = replace(step, program=whole, reads=arguments)

    def _call_before(self, place: int) -> Call:
        step = self.steps["before", place, -1]
        return Call(self.number["before", place, -1], (0,) * len(step.reads), (0,) * len(step.writes))

    def _derive(self, place: int, recursion: Recursion) -> None:
        """The steps of a sweep, what they write taken into account in the shapes."""
        name = recursion.along
        nothing = [Scalar(self.head.graph, 0)] * recursion.width
        if recursion.ground is not None:
            self.handed.widen((name, COMMON), recursion.ground)
            given = self.handed.given("ground", name, recursion.ground, self.head.parameters)
            self.steps["ground", place, -1] = given
        else:
            self.handed.shapes.setdefault((name, COMMON), (0,) * recursion.width)
            self.steps["leaf", place, -1] = self.handed.given("leaf", name, nothing)
            self.steps["sum", place, -1] = self.handed.added(name)
            if recursion.arrives is not None:
                self._arrival(place, recursion, recursion.arrives)
        for kind in range(len(self.sorted.kinds)):
            self.steps["body", place, kind] = self._body_step(place, recursion, kind)

    def _arrival(self, place: int, recursion: Recursion, arrives: Callable[[Graph, Sequence[Scalar]], Values]) -> None:
        """The step that makes results of what the bodies on ground hand on."""
        graph = Graph()
        given = self.handed.entries(graph, recursion.along, (recursion.along, COMMON))
        with graph.section(recursion.title):
            found = arrives(graph, given)
        rows = [(name, name, values) for name, values in found.items()]
        own = step_of(f"{recursion.along}_at_ground", graph, ((recursion.along, MEMORY, given),), rows)
        self.steps["arrival", place, -1] = own

    def _pair_step(self, pairing: Pairing) -> Step:
        """What is found of two; pools are called outer and inner by whom they belong to."""
        graph = Graph()
        given: dict[str, list[Scalar]] = {}
        for side, names in (("outer", pairing.outer), ("inner", pairing.inner)):
            for name in names:
                given[f"{side}_{name}"] = self.handed.entries(graph, f"{side}_{name}", (name, COMMON))
        with graph.section(pairing.title):
            found = pairing.step(graph, given)
        rows = [(name, MEMORY, values) for name, values in given.items()]
        return step_of(pairing.name, graph, rows, (("found", pairing.targets[0][0].result, found),))

    def _body_step(self, place: int, recursion: Recursion, kind: int) -> Step:
        graph, bodies = Graph(), self._bodies(kind)
        read = self._read(place, recursion, kind, graph)
        given = {name: list(values) for name, _, values in read}
        # Passes over steps name the numbers of calls anew, those given beforehand keep their names.
        stems = [GIVEN_NUMBERS if k in self.given[kind] else "n" for k in range(self.sorted.kinds[kind].numbers)]
        numbers = [symbol(graph, f"{stem}{k}") for k, stem in enumerate(stems)]
        fixed = [number for k, number in enumerate(numbers) if k not in self.given[kind]]
        if self.used[kind]:
            read.append((GIVEN_NUMBERS, GIVEN_NUMBERS, [numbers[k] for k in self.used[kind]]))
        numbers = [numbers[self.given[kind].get(k, k)] for k in range(len(numbers))]
        stand_in = stand_ins(graph, self.sorted.kinds[kind], bodies, numbers, given.pop(JOINT, None), self.frame)
        with graph.section(recursion.title):
            found = dict(recursion.step(stand_in, given))
        if not place:
            found[JOINT] = carried_by(stand_in[0].motion)
        written = self._written(place, recursion, kind, found)
        labels = tuple(f"_{suffix}" if suffix else "_q" for suffix in bodies[0].joint.kind.shape.coordinates)
        name = f"{recursion.along}_{bodies[0].joint.type}_{kind + 1}"
        return step_of(name, graph, read, written, fixed, labels=labels)

    def _read(self, place: int, recursion: Recursion, kind: int, graph: Graph) -> list[Row]:
        """What the step of a kind reads; ``_body_call`` says where it stands."""
        read = [argument(graph, name, self._bodies(kind)[0]) for name in recursion.arguments]
        owners = [*((name, kind) for name in _taken(place, recursion)), (recursion.along, COMMON)]
        for name, owner in (*owners, *((name, kind) for name in recursion.given)):
            array = name if name in recursion.given else MEMORY
            read.append((name, array, self.handed.entries(graph, name, (name, owner))))
        return read

    def _written(self, place: int, recursion: Recursion, kind: int, found: Values) -> list[Row]:
        """What the step of a kind writes; ``_body_call`` says where."""
        written: list[Row] = []

        def write(own: str, key: tuple[str, int], values: Sequence[Scalar]) -> None:
            self.handed.widen(key, values)
            written.append((own, MEMORY, self.handed.varying(key, values)))

        for name in _kept(place, recursion):
            write(name, (name, kind), found[name])
        for name, width in recursion.pools.items():
            pieces = _pieces(name, found[name], len(found[name]) // width)
            self.pieces[name, kind] = len(pieces)
            for own, piece in pieces:
                write(own, (name, COMMON), piece)
        if self._hands_on(recursion, kind):
            write(f"{recursion.along}_out", (recursion.along, COMMON), found[recursion.along])
        for name, places in recursion.results.items():
            count = len(places(self._bodies(kind)[0]))
            written += [(own, name, piece) for own, piece in _pieces(name, found[name], count)]
        return written

    def _bodies(self, kind: int) -> list[TreeBody]:
        first = self.sorted.kind.index(kind)
        return [variant.bodies[first] for variant in self.variants]

    def _hands_on(self, recursion: Recursion, kind: int) -> bool:
        """True where somebody asks what bodies of the kind hand on."""
        return recursion.ground is not None or recursion.arrives is not None or not self._ends_at_ground(kind)

    def _ends_at_ground(self, kind: int) -> bool:
        """True where every body of the kind hangs on ground."""
        bodies = self.variants[0].bodies
        return not any(body.parent for body, own in zip(bodies, self.sorted.kind, strict=True) if own == kind)

    # ---- calls ------------------------------------------------------------------------------------------------------

    def _calls(self, place: int, recursion: Recursion) -> Iterator[Call]:
        """The calls of a sweep."""
        outward = recursion.ground is not None
        bodies = self.variants[0].bodies
        blocks: dict[int, int] = {}
        start = self.handed.block()
        yield Call(self.number["ground" if outward else "leaf", place, -1], (), (start,))
        if outward:
            blocks[0] = start
        for body in bodies if outward else reversed(bodies):
            arriving = blocks[body.parent] if outward else blocks.get(body.label, start)
            call, own = self._body_call(place, recursion, body, arriving)
            yield call
            if outward:
                blocks[body.label] = own
            elif not body.parent and recursion.arrives is None:
                continue
            elif body.parent not in blocks:
                blocks[body.parent] = own
            else:
                total = self.handed.block()
                yield Call(self.number["sum", place, -1], (blocks[body.parent], own), (total,))
                blocks[body.parent] = total
        if recursion.arrives is not None:
            step = self.steps["arrival", place, -1].program
            yield Call(self.number["arrival", place, -1], (blocks[0],), (0,) * len(step.outputs))

    def _body_call(self, place: int, recursion: Recursion, body: TreeBody, arriving: int) -> tuple[Call, int]:
        """The call of a body, and the block that it hands on; -1 where nobody asks."""
        kind, label = self.sorted.kind[body.label - 1], body.label
        reads = [first_of(name, body) for name in recursion.arguments]
        reads += [block for name in _taken(place, recursion) for block in self.kept[name, label]]
        reads.append(arriving)
        numbers_given = [GIVEN_NUMBERS] if self.used[kind] else []
        reads += [self.starts[name, label] for name in (*recursion.given, *numbers_given)]
        for name in _kept(place, recursion):
            self.kept[name, label] = (self.handed.block(),)
        for name in recursion.pools:
            self.kept[name, label] = tuple(self.handed.block() for _ in range(self.pieces[name, kind]))
        writes = [block for name in (*_kept(place, recursion), *recursion.pools) for block in self.kept[name, label]]
        own = self.handed.block() if self._hands_on(recursion, kind) else -1
        writes += [own] * (own >= 0)
        writes += [start for places in recursion.results.values() for start in places(body)]
        own_numbers = enumerate(self.sorted.numbers[label - 1])
        numbers = tuple(n for k, n in own_numbers if k not in self.given[kind] and isinstance(n, Fraction))
        return Call(self.number["body", place, kind], tuple(reads), tuple(writes), numbers), own

    def _pairs(self, pairing: Pairing) -> ForPairs:
        """Speeds in the order of the labels; the path of each goes inward."""
        places = [target[1:] for target in pairing.targets]
        outer, inner = list[Item](), list[Item]()
        last = [-1] * (len(self.variants[0].bodies) + 1)

        def item(names: Sequence[str], body: TreeBody, k: int, starts: Sequence[int], following: int) -> Item:
            blocks = [self.kept[name, body.label] for name in names]
            return Item(tuple(own[k % len(own)] for own in blocks), tuple(starts), following)

        for body in self.variants[0].bodies:
            before = last[body.parent]
            for k, column in enumerate(range(*body.v_range)):
                if not pairing.of_bodies:
                    outer.append(item(pairing.outer, body, k, [of(column) for of, _ in places], before))
                inner.append(item(pairing.inner, body, k, [of(column) for _, of in places], before))
                before = len(inner) - 1
            last[body.label] = before
            if pairing.of_bodies:
                outer.append(item(pairing.outer, body, 0, [of(body.label - 1) for of, _ in places], before))
        targets = tuple(target for target, *_ in pairing.targets)
        step = self.number["pair", len(self.recursions), -1]
        return ForPairs(pairing.title, step, tuple(outer), tuple(inner), targets)


def _taken(place: int, recursion: Recursion) -> tuple[str, ...]:
    """What a body keeps and the sweep at that place takes; all but the first take the joint's motion."""
    return (JOINT, *recursion.takes) if place else tuple(recursion.takes)


def _kept(place: int, recursion: Recursion) -> tuple[str, ...]:
    """What a body keeps of the sweep at that place."""
    return tuple(recursion.keeps) if place else (JOINT, *recursion.keeps)


def _pieces(name: str, values: Sequence[Scalar], count: int) -> list[tuple[str, list[Scalar]]]:
    """Values in so many pieces of one size, with names."""
    size = len(values) // max(count, 1)
    pieces = [list(values[k * size : (k + 1) * size]) for k in range(count)]
    return [(name if count == 1 else f"{name}_{k + 1}", piece) for k, piece in enumerate(pieces)]

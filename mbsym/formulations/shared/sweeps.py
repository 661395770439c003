"""Recursions over the bodies of a tree as programs with loops: one step a sweep for each kind of bodies.

A sweep runs from ground outward or from the leaves inward, and hands values on along the tree. What is handed on, and
what bodies keep for later sweeps, is zero or one in some places for all bodies: such places are found by deriving the
steps until nothing changes, and do not stand in the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, TypeAlias

from mbsym.formulations.shared.kinds import FrameName, Number, Sorted, carried_by, sorted_bodies, stand_ins
from mbsym.formulations.shared.recursion import Beforehand, Pairing, Recursion, Values
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import MEMORY, Call, For, ForPairs, Input, Item, Output, Program, Statement, Step, Zeros
from mbsym.symbolic.scalar import Scalar, constant, symbol

Shape: TypeAlias = tuple[int | None, ...]
"""Of values in the memory: 0, 1 or -1 where they are that for all bodies, None where they vary."""

JOINT: Final = "joint"
"""What the first sweep finds of a joint's position, for the later ones."""

NUMBERS: Final = "numbers"

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
        shapes: of what is handed on, by its name; of what bodies keep, by its name and their kind.
        steps: by what they are for.
        blocks: how many the memory has.
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
    shapes: dict[tuple[str, int], Shape] = field(default_factory=dict)
    steps: dict[_Key, Step] = field(default_factory=dict)
    blocks: int = 0
    pieces: dict[tuple[str, int], int] = field(default_factory=dict)
    starts: dict[tuple[str, int], int] = field(default_factory=dict)

    def result(self) -> Program:
        """The function."""
        self.derive()
        if self.pairing is not None:
            self.steps["pair", len(self.recursions), -1] = self._pair_step(self.pairing)
        number = {key: place for place, key in enumerate(self.steps)}
        kept: dict[tuple[str, int], tuple[int, ...]] = {}
        body: list[Statement] = []
        for place, each in enumerate(self.before):
            body.append(For(each.title, (self._call_before(number["before", place, -1]),)))
        for place, recursion in enumerate(self.recursions):
            body.append(For(recursion.title, tuple(self._calls(place, recursion, number, kept))))
        if self.pairing is not None:
            found = self._pairs(self.pairing, number["pair", len(self.recursions), -1], kept)
            zeroed = dict.fromkeys(target.result for target in found.targets)
            body = [*map(Zeros, zeroed), *body, *[found] * (found.count > 0)]
        return replace(self.head, body=tuple(body), steps=tuple(self.steps.values()))

    # ---- steps ------------------------------------------------------------------------------------------------------

    def derive(self) -> None:
        """All steps but that of pairs, until what they write keeps its shapes."""
        for each in self.before:
            self._find_before(each)
        while True:
            before = dict(self.shapes)
            for place, recursion in enumerate(self.recursions):
                self._derive(place, recursion)
            if self.shapes == before:
                return

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
        outputs = []
        for name, found in each.found.items():
            for kind in range(len(self.sorted.kinds)):
                rows = [row for row, own in zip(found, self.sorted.kind, strict=True) if own == kind]
                idle = [name != GIVEN_NUMBERS and not any(column) for column in zip(*rows, strict=True)]
                self.shapes[name, kind] = tuple(0 if is_idle else None for is_idle in idle)
            values: list[Scalar] = []
            for label, (row, kind) in enumerate(zip(found, self.sorted.kind, strict=True), start=1):
                self.starts[name, label] = len(values)
                values += _varying(row, self.shapes[name, kind])
            if values:
                outputs.append(_output(name, values))
        program = Program(each.name, self.head.graph, each.arguments, tuple(outputs), self.head.parameters)
        arguments = tuple(item.name for item in each.arguments)
        self.steps["before", self.before.index(each), -1] = Step(
            program, arguments, tuple(item.name for item in outputs), 0
        )

    def _call_before(self, number: int) -> Call:
        step = tuple(self.steps.values())[number]
        return Call(number, (0,) * len(step.reads), (0,) * len(step.writes))

    def _derive(self, place: int, recursion: Recursion) -> None:
        """The steps of a sweep, what they write taken into account in the shapes."""
        along = (recursion.along, -1)
        if recursion.ground is not None:
            self._widen(along, recursion.ground)
            written = _output(f"{recursion.along}_out", _varying(recursion.ground, self.shapes[along]))
            program = Program(f"ground_{recursion.along}", self.head.graph, (), (written,), self.head.parameters)
            self.steps["ground", place, -1] = Step(program, (), (MEMORY,), 0)
        else:
            self.shapes.setdefault(along, (0,) * recursion.width)
            self._small("leaf", place, recursion, lambda graph, _: [Scalar(graph, 0)] * recursion.width, 0)
            self._small("sum", place, recursion, lambda _, two: [a + b for a, b in zip(*two, strict=True)], 2)
            if recursion.arrives is not None:
                self._arrival(place, recursion, recursion.arrives)
        for kind in range(len(self.sorted.kinds)):
            self.steps["body", place, kind] = self._body_step(place, recursion, kind)

    def _small(
        self,
        what: str,
        place: int,
        recursion: Recursion,
        make: Callable[[Graph, list[list[Scalar]]], list[Scalar]],
        reads: int,
    ) -> None:
        """A step that belongs to no kind of bodies."""
        graph = Graph()
        shape = self.shapes[recursion.along, -1]
        given = [_entries(graph, f"{name}{recursion.along}", shape) for name in ("", "other_")[:reads]]
        inputs = tuple(
            _input(name, [value for value in values if value.constant is None])
            for name, values in zip((recursion.along, f"other_{recursion.along}"), given, strict=False)
        )
        written = _varying(make(graph, given), shape)
        program = Program(f"{what}_{recursion.along}", graph, inputs, (_output(f"{recursion.along}_out", written),))
        self.steps[what, place, -1] = Step(program, (MEMORY,) * reads, (MEMORY,), 0)

    def _arrival(self, place: int, recursion: Recursion, arrives: Callable[[Graph, Sequence[Scalar]], Values]) -> None:
        """The step that makes results of what the bodies on ground hand on."""
        graph = Graph()
        given = _entries(graph, recursion.along, self.shapes[recursion.along, -1])
        with graph.section(recursion.title):
            found = arrives(graph, given)
        taken = _input(recursion.along, [value for value in given if value.constant is None])
        outputs = tuple(_output(name, values) for name, values in found.items())
        program = Program(f"{recursion.along}_at_ground", graph, (taken,), outputs)
        self.steps["arrival", place, -1] = Step(program, (MEMORY,), tuple(found), 0)

    def _pair_step(self, pairing: Pairing) -> Step:
        """What is found of two; pools are called outer and inner by whom they belong to."""
        graph = Graph()
        given: dict[str, list[Scalar]] = {}
        for side, names in (("outer", pairing.outer), ("inner", pairing.inner)):
            for name in names:
                given[f"{side}_{name}"] = _entries(graph, f"{side}_{name}", self.shapes[name, -1])
        with graph.section(pairing.title):
            found = pairing.step(graph, given)
        inputs = [_input(name, [item for item in values if item.constant is None]) for name, values in given.items()]
        program = Program(pairing.name, graph, tuple(inputs), (_output("found", found),))
        return Step(program, (MEMORY,) * len(inputs), (pairing.targets[0][0].result,), 0)

    def _body_step(self, place: int, recursion: Recursion, kind: int) -> Step:
        graph = Graph()
        bodies = self._bodies(kind)
        given: dict[str, list[Scalar]] = {}
        read: list[tuple[str, str, list[Scalar]]] = []
        for name in recursion.arguments:
            given[name] = [symbol(graph, f"{name}{k}") for k in range(len(bodies[0].q if name == "q" else bodies[0].v))]
            read.append((name, name, given[name]))
        carried: list[Scalar] | None = None
        if place:
            carried = _entries(graph, JOINT, self.shapes[JOINT, kind])
            read.append((JOINT, MEMORY, carried))
        for name, owner in (*((name, kind) for name in recursion.takes), (recursion.along, -1)):
            given[name] = _entries(graph, name, self.shapes[name, owner])
            read.append((name, MEMORY, [value for value in given[name] if value.constant is None]))
        for name in recursion.given:
            given[name] = _entries(graph, name, self.shapes[name, kind])
            read.append((name, name, [value for value in given[name] if value.constant is None]))
        # Passes over steps name the numbers of calls anew, those given beforehand keep their names.
        stems = [GIVEN_NUMBERS if k in self.given[kind] else "n" for k in range(self.sorted.kinds[kind].numbers)]
        numbers = [symbol(graph, f"{stem}{k}") for k, stem in enumerate(stems)]
        fixed = [number for place, number in enumerate(numbers) if place not in self.given[kind]]
        if self.used[kind]:
            read.append((GIVEN_NUMBERS, GIVEN_NUMBERS, [numbers[place] for place in self.used[kind]]))
        numbers = [numbers[self.given[kind].get(place, place)] for place in range(len(numbers))]
        stand_in = stand_ins(graph, self.sorted.kinds[kind], bodies, numbers, carried, self.frame)
        with graph.section(recursion.title):
            found = dict(recursion.step(stand_in, given))
        written: list[tuple[str, str, list[Scalar]]] = []
        if not place:
            found[JOINT] = carried_by(stand_in[0].motion)
        for name in (*([JOINT] if not place else []), *recursion.keeps):
            self._widen((name, kind), found[name])
            written.append((name, MEMORY, _varying(found[name], self.shapes[name, kind])))
        for name, width in recursion.pools.items():
            pieces = _pieces(name, found[name], len(found[name]) // width)
            self.pieces[name, kind] = len(pieces)
            for own, piece in pieces:
                self._widen((name, -1), piece)
                written.append((own, MEMORY, _varying(piece, self.shapes[name, -1])))
        if self._hands_on(recursion, kind):
            self._widen((recursion.along, -1), found[recursion.along])
            values = _varying(found[recursion.along], self.shapes[recursion.along, -1])
            written.append((f"{recursion.along}_out", MEMORY, values))
        for name, places in recursion.results.items():
            count = len(places(self._bodies(kind)[0]))
            written += [(own, name, piece) for own, piece in _pieces(name, found[name], count)]
        suffixes = bodies[0].joint.kind.shape.coordinates
        labels = tuple(f"_{suffix}" if suffix else "_q" for suffix in suffixes)
        inputs = [_input(name, values, labels if name == "q" else ()) for name, _, values in read]
        inputs += [_input(NUMBERS, fixed)] * bool(fixed)
        program = Program(
            f"{recursion.along}_{bodies[0].joint.type}_{kind + 1}",
            graph,
            tuple(inputs),
            tuple(_output(name, values) for name, _, values in written),
        )
        return Step(program, tuple(array for _, array, _ in read), tuple(array for _, array, _ in written), len(fixed))

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

    def _widen(self, name: tuple[str, int], values: Sequence[Scalar]) -> None:
        marks = tuple(value.ref if abs(value.ref) <= 1 else None for value in values)
        known = self.shapes.setdefault(name, marks)
        self.shapes[name] = tuple(a if a == b else None for a, b in zip(known, marks, strict=True))

    # ---- calls ------------------------------------------------------------------------------------------------------

    def _calls(
        self, place: int, recursion: Recursion, number: Mapping[_Key, int], kept: dict[tuple[str, int], tuple[int, ...]]
    ) -> Iterator[Call]:
        """The calls of a sweep; ``kept`` holds blocks by name and label of the body."""
        outward = recursion.ground is not None
        blocks: dict[int, int] = {}
        if outward:
            blocks[0] = self._block()
            yield Call(number["ground", place, -1], (), (blocks[0],))
        nothing: int | None = None
        bodies = self.variants[0].bodies
        for body in bodies if outward else reversed(bodies):
            kind = self.sorted.kind[body.label - 1]
            if not outward and body.label not in blocks:
                if nothing is None:
                    nothing = self._block()
                    yield Call(number["leaf", place, -1], (), (nothing,))
                blocks[body.label] = nothing
            reads = [self._first(name, body) for name in recursion.arguments]
            reads += kept[JOINT, body.label] if place else ()
            reads += [block for name in recursion.takes for block in kept[name, body.label]]
            reads.append(blocks[body.parent if outward else body.label])
            reads += [self.starts[name, body.label] for name in recursion.given]
            if self.used[kind]:
                reads.append(self.starts[GIVEN_NUMBERS, body.label])
            writes: list[int] = []
            for name in (*([JOINT] if not place else []), *recursion.keeps):
                kept[name, body.label] = (self._block(),)
                writes += kept[name, body.label]
            for name in recursion.pools:
                kept[name, body.label] = tuple(self._block() for _ in range(self.pieces[name, kind]))
                writes += kept[name, body.label]
            own = -1
            if self._hands_on(recursion, kind):
                own = self._block()
                writes.append(own)
            writes += [start for places in recursion.results.values() for start in places(body)]
            own_numbers = enumerate(self.sorted.numbers[body.label - 1])
            numbers = tuple(n for k, n in own_numbers if k not in self.given[kind] and isinstance(n, Fraction))
            yield Call(number["body", place, kind], tuple(reads), tuple(writes), numbers)
            if outward:
                blocks[body.label] = own
            elif not body.parent and recursion.arrives is None:
                continue
            elif body.parent not in blocks:
                blocks[body.parent] = own
            else:
                total = self._block()
                yield Call(number["sum", place, -1], (blocks[body.parent], own), (total,))
                blocks[body.parent] = total
        if recursion.arrives is not None:
            step = self.steps["arrival", place, -1].program
            yield Call(number["arrival", place, -1], (blocks[0],), (0,) * len(step.outputs))

    def _pairs(self, pairing: Pairing, step: int, kept: Mapping[tuple[str, int], tuple[int, ...]]) -> ForPairs:
        """Speeds in the order of the labels; the path of each goes inward."""
        places = [target[1:] for target in pairing.targets]
        outer, inner = list[Item](), list[Item]()
        last = [-1] * (len(self.variants[0].bodies) + 1)

        def item(names: Sequence[str], body: TreeBody, k: int, starts: Sequence[int], following: int) -> Item:
            blocks = [kept[name, body.label] for name in names]
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
        return ForPairs(pairing.title, step, tuple(outer), tuple(inner), targets)

    def _block(self) -> int:
        self.blocks += 1
        return self.blocks - 1

    def _first(self, name: str, body: TreeBody) -> int:
        return body.q_range[0] if name == "q" else body.v_range[0]


def _entries(graph: Graph, name: str, shape: Shape) -> list[Scalar]:
    """Values of that shape: those that vary are symbols."""
    return [Scalar(graph, mark) if mark is not None else symbol(graph, f"{name}{k}") for k, mark in enumerate(shape)]


def _varying(values: Sequence[Scalar], shape: Shape) -> list[Scalar]:
    return [value for value, mark in zip(values, shape, strict=True) if mark is None]


def _pieces(name: str, values: Sequence[Scalar], count: int) -> list[tuple[str, list[Scalar]]]:
    """Values in so many pieces of one size, with names."""
    size = len(values) // max(count, 1)
    pieces = [list(values[k * size : (k + 1) * size]) for k in range(count)]
    return [(name if count == 1 else f"{name}_{k + 1}", piece) for k, piece in enumerate(pieces)]


def _input(name: str, values: Sequence[Scalar], labels: tuple[str, ...] = ()) -> Input:
    return Input(name, (len(values),), tuple(value.ref for value in values), labels=labels)


def _output(name: str, values: Sequence[Scalar]) -> Output:
    return Output(name, (len(values),), tuple(value.ref for value in values))

"""Recursions over the bodies of a tree as rolled programs: one step a sweep for each kind of bodies.

A sweep runs from ground outward or from the leaves inward, and hands values on along the tree. What is handed on, and
what bodies keep for later sweeps, is zero or one in some places for all bodies: such places are found by deriving the
steps until nothing changes, and do not stand in the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mbsym.formulations.shared.kinds import FrameName, Sorted, carried_by, sorted_bodies, stand_ins
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.rolled import MEMORY, Call, Item, Pairs, RolledProgram, Step, Sweep, Target
from mbsym.symbolic.scalar import Scalar, constant, symbol

Values: TypeAlias = Mapping[str, Sequence[Scalar]]
"""Entries by the names of what is read or written."""

StepFunction: TypeAlias = Callable[[tuple[TreeBody, ...], Values], Values]
"""What a sweep does with one body, given as it is in each of the equivalent mechanisms."""

Places: TypeAlias = Callable[[TreeBody], tuple[int, ...]]
"""Where entries of a result that belong to a body begin."""

Shape: TypeAlias = tuple[int | None, ...]
"""Of values in the memory: 0, 1 or -1 where they are that for all bodies, None where they vary."""

JOINT: Final = "joint"
"""What the first sweep finds of a joint's position, for the later ones."""

NUMBERS: Final = "numbers"


@dataclass(frozen=True, slots=True)
class Recursion:
    """What a sweep does.

    Attributes:
        title: of the sweep.
        step: for one body.
        along: name of what is handed on along the tree; inward, what the outboard bodies hand on is added.
        width: how many entries that has.
        ground: outward, what ground hands on; None for a sweep inward.
        takes: what earlier sweeps kept for the same body.
        keeps: for later sweeps.
        pools: what pairs of bodies and speeds read, by its name: how many entries each speed, or else the body, has.
        arguments: of the function, as far as they belong to the joint.
        results: what goes to the function's results, by their names: where entries of a body begin, which are as many
            pieces of one size.
        arrives: of a sweep inward, makes results of what arrives at ground.
    """

    title: str
    step: StepFunction
    along: str
    width: int
    ground: tuple[Scalar, ...] | None = None
    takes: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    pools: Mapping[str, int] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    results: Mapping[str, Places] = field(default_factory=dict)
    arrives: Callable[[Graph, Sequence[Scalar]], Values] | None = None


def of_speeds(body: TreeBody) -> tuple[int, ...]:
    """Where a result that has an entry for each speed has those of a body's joint."""
    return (body.v_range[0],)


@dataclass(frozen=True, slots=True)
class Pairing:
    """What is found for a body, or a speed, with each speed inward of it.

    Attributes:
        title: of it.
        name: of the step.
        step: what it finds.
        outer, inner: what it reads of both, names of pools.
        of_bodies: each body is paired with the speeds of its joint and of all inward; else each speed with those inward
            of it.
        targets: the results that take it: how far entries are apart there, and where the first stands, the sum of what
            the outer body or speed and what the inner speed make of their places: body's label - 1, place in v.
    """

    title: str
    name: str
    step: Callable[[Graph, Values], Sequence[Scalar]]
    outer: tuple[str, ...]
    inner: tuple[str, ...]
    of_bodies: bool
    targets: tuple[tuple[Target, Callable[[int], int], Callable[[int], int]], ...]


def rolled_up(
    head: Program,
    variants: Sequence[Mechanism],
    recursions: Sequence[Recursion],
    pairing: Pairing | None = None,
    frame: FrameName | None = None,
) -> RolledProgram | None:
    """The function whose sweeps are given; None where constants of bodies depend on run-time parameters.

    Args:
        head: its arguments and results.
        variants: equivalent mechanisms, in the order in which steps take their bodies.
        recursions: in order; the first takes q.
        pairing: what follows them; results that it writes are zero elsewhere.
        frame: that bodies have besides.
    """
    found = sorted_bodies(variants, frame)
    grounds = [value for recursion in recursions for value in recursion.ground or ()]
    if found is None or any(value.constant is None for value in grounds):
        return None
    return _Rolling(head, tuple(variants), tuple(recursions), found, pairing, frame).result()


_Key: TypeAlias = tuple[str, int, int]
"""What a step is for: "body", "ground", "leaf" or "sum", in which sweep, and for which kind of bodies."""


@dataclass(slots=True)
class _Rolling:
    """Derives the steps and lists the calls.

    Attributes:
        shapes: of what is handed on, by its name; of what bodies keep, by its name and their kind.
        steps: by what they are for.
        blocks: sizes of those of the memory.
        pieces: how many blocks of a pool a body fills, by its name and their kind.
    """

    head: Program
    variants: tuple[Mechanism, ...]
    recursions: tuple[Recursion, ...]
    sorted: Sorted
    pairing: Pairing | None
    frame: FrameName | None
    shapes: dict[tuple[str, int], Shape] = field(default_factory=dict)
    steps: dict[_Key, Step] = field(default_factory=dict)
    blocks: list[int] = field(default_factory=list)
    pieces: dict[tuple[str, int], int] = field(default_factory=dict)

    def result(self) -> RolledProgram:
        """The function."""
        while True:
            before = dict(self.shapes)
            for place, recursion in enumerate(self.recursions):
                self._derive(place, recursion)
            if self.shapes == before:
                break
        if self.pairing is not None:
            self.steps["pair", len(self.recursions), -1] = self._pair_step(self.pairing)
        number = {key: place for place, key in enumerate(self.steps)}
        kept: dict[tuple[str, int], tuple[int, ...]] = {}
        sweeps = [
            Sweep(recursion.title, tuple(self._calls(place, recursion, number, kept)))
            for place, recursion in enumerate(self.recursions)
        ]
        pairs: tuple[Pairs, ...] = ()
        zeroed: tuple[str, ...] = ()
        if self.pairing is not None:
            found = self._pairs(self.pairing, number["pair", len(self.recursions), -1], kept)
            pairs = (found,) if found.count else ()
            zeroed = tuple(dict.fromkeys(target.result for target in found.targets))
        return RolledProgram(self.head, tuple(self.steps.values()), tuple(self.blocks), tuple(sweeps), pairs, zeroed)

    # ---- steps ------------------------------------------------------------------------------------------------------

    def _derive(self, place: int, recursion: Recursion) -> None:
        """The steps of a sweep, what they write taken into account in the shapes."""
        along = (recursion.along, -1)
        if recursion.ground is not None:
            self._widen(along, recursion.ground)
            values = [value.constant or 0 for value in recursion.ground]
            self._small("ground", place, recursion, lambda graph, _: [constant(graph, value) for value in values], 0)
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
        numbers = [symbol(graph, f"n{k}") for k in range(self.sorted.kinds[kind].numbers)]
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
        inputs = [_input(name, values) for name, _, values in read] + [_input(NUMBERS, numbers)] * bool(numbers)
        program = Program(
            f"{recursion.along}_{bodies[0].joint.type}_{kind + 1}",
            graph,
            tuple(inputs),
            tuple(_output(name, values) for name, _, values in written),
        )
        return Step(
            program, tuple(array for _, array, _ in read), tuple(array for _, array, _ in written), len(numbers)
        )

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
        along = (recursion.along, -1)
        outward = recursion.ground is not None
        blocks: dict[int, int] = {}
        if outward:
            blocks[0] = self._block(along)
            yield Call(number["ground", place, -1], (), (blocks[0],))
        nothing: int | None = None
        bodies = self.variants[0].bodies
        for body in bodies if outward else reversed(bodies):
            kind = self.sorted.kind[body.label - 1]
            if not outward and body.label not in blocks:
                if nothing is None:
                    nothing = self._block(along)
                    yield Call(number["leaf", place, -1], (), (nothing,))
                blocks[body.label] = nothing
            reads = [self._first(name, body) for name in recursion.arguments]
            reads += kept[JOINT, body.label] if place else ()
            reads += [block for name in recursion.takes for block in kept[name, body.label]]
            reads.append(blocks[body.parent if outward else body.label])
            writes: list[int] = []
            for name in (*([JOINT] if not place else []), *recursion.keeps):
                kept[name, body.label] = (self._block((name, kind)),)
                writes += kept[name, body.label]
            for name in recursion.pools:
                kept[name, body.label] = tuple(self._block((name, -1)) for _ in range(self.pieces[name, kind]))
                writes += kept[name, body.label]
            own = -1
            if self._hands_on(recursion, kind):
                own = self._block(along)
                writes.append(own)
            writes += [start for places in recursion.results.values() for start in places(body)]
            numbers = self.sorted.numbers[body.label - 1]
            yield Call(number["body", place, kind], tuple(reads), tuple(writes), numbers)
            if outward:
                blocks[body.label] = own
            elif not body.parent and recursion.arrives is None:
                continue
            elif body.parent not in blocks:
                blocks[body.parent] = own
            else:
                total = self._block(along)
                yield Call(number["sum", place, -1], (blocks[body.parent], own), (total,))
                blocks[body.parent] = total
        if recursion.arrives is not None:
            step = self.steps["arrival", place, -1].program
            yield Call(number["arrival", place, -1], (blocks[0],), (0,) * len(step.outputs))

    def _pairs(self, pairing: Pairing, step: int, kept: Mapping[tuple[str, int], tuple[int, ...]]) -> Pairs:
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
        return Pairs(pairing.title, step, tuple(outer), tuple(inner), targets)

    def _block(self, name: tuple[str, int]) -> int:
        self.blocks.append(sum(mark is None for mark in self.shapes[name]))
        return len(self.blocks) - 1

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


def _input(name: str, values: Sequence[Scalar]) -> Input:
    return Input(name, (len(values),), tuple(value.ref for value in values))


def _output(name: str, values: Sequence[Scalar]) -> Output:
    return Output(name, (len(values),), tuple(value.ref for value in values))

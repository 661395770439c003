"""Recursions over the bodies of a tree as rolled programs: one step a sweep for each kind of bodies.

A sweep runs from ground outward or from the leaves inward, and hands values on along the tree. What is handed on, and
what bodies keep for later sweeps, is zero or one in some places for all bodies: such places are found by deriving the
steps until nothing changes, and do not stand in the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mbsym.formulations.shared.kinds import Sorted, carried_by, sorted_bodies, stand_ins
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.rolled import MEMORY, Call, RolledProgram, Step, Sweep
from mbsym.symbolic.scalar import Scalar, constant, symbol

Values: TypeAlias = Mapping[str, Sequence[Scalar]]
"""Entries by the names of what is read or written."""

StepFunction: TypeAlias = Callable[[tuple[TreeBody, ...], Values], Values]
"""What a sweep does with one body, given as it is in each of the equivalent mechanisms."""

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
        arguments: of the function, as far as they belong to the joint.
        results: likewise.
    """

    title: str
    step: StepFunction
    along: str
    width: int
    ground: tuple[Scalar, ...] | None = None
    takes: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


def rolled_up(head: Program, variants: Sequence[Mechanism], recursions: Sequence[Recursion]) -> RolledProgram | None:
    """The function whose sweeps are given; None where constants of bodies depend on run-time parameters.

    Args:
        head: its arguments and results.
        variants: equivalent mechanisms, in the order in which steps take their bodies.
        recursions: in order; the first takes q.
    """
    found = sorted_bodies(variants)
    grounds = [value for recursion in recursions for value in recursion.ground or ()]
    if found is None or any(value.constant is None for value in grounds):
        return None
    return _Rolling(head, tuple(variants), tuple(recursions), found).result()


_Key: TypeAlias = tuple[str, int, int]
"""What a step is for: "body", "ground", "leaf" or "sum", in which sweep, and for which kind of bodies."""


@dataclass(slots=True)
class _Rolling:
    """Derives the steps and lists the calls.

    Attributes:
        shapes: of what is handed on, by its name; of what bodies keep, by its name and their kind.
        steps: by what they are for.
        blocks: sizes of those of the memory.
    """

    head: Program
    variants: tuple[Mechanism, ...]
    recursions: tuple[Recursion, ...]
    sorted: Sorted
    shapes: dict[tuple[str, int], Shape] = field(default_factory=dict)
    steps: dict[_Key, Step] = field(default_factory=dict)
    blocks: list[int] = field(default_factory=list)

    def result(self) -> RolledProgram:
        """The function."""
        while True:
            before = dict(self.shapes)
            for place, recursion in enumerate(self.recursions):
                self._derive(place, recursion)
            if self.shapes == before:
                break
        number = {key: place for place, key in enumerate(self.steps)}
        kept: dict[tuple[str, int], int] = {}
        sweeps = [
            Sweep(recursion.title, tuple(self._calls(place, recursion, number, kept)))
            for place, recursion in enumerate(self.recursions)
        ]
        return RolledProgram(self.head, tuple(self.steps.values()), tuple(self.blocks), tuple(sweeps))

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
        stand_in = stand_ins(graph, self.sorted.kinds[kind], bodies, numbers, carried)
        with graph.section(recursion.title):
            found = dict(recursion.step(stand_in, given))
        written: list[tuple[str, str, list[Scalar]]] = []
        if not place:
            found[JOINT] = carried_by(stand_in[0].motion)
        for name in (*([JOINT] if not place else []), *recursion.keeps):
            self._widen((name, kind), found[name])
            written.append((name, MEMORY, _varying(found[name], self.shapes[name, kind])))
        if recursion.ground is not None or not self._ends_at_ground(kind):
            self._widen((recursion.along, -1), found[recursion.along])
            values = _varying(found[recursion.along], self.shapes[recursion.along, -1])
            written.append((f"{recursion.along}_out", MEMORY, values))
        written += [(name, name, list(found[name])) for name in recursion.results]
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
        self, place: int, recursion: Recursion, number: Mapping[_Key, int], kept: dict[tuple[str, int], int]
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
            reads += [kept[JOINT, body.label]] if place else []
            reads += [kept[name, body.label] for name in recursion.takes]
            reads.append(blocks[body.parent if outward else body.label])
            writes = []
            for name in (*([JOINT] if not place else []), *recursion.keeps):
                kept[name, body.label] = self._block((name, kind))
                writes.append(kept[name, body.label])
            own = -1
            if outward or not self._ends_at_ground(kind):
                own = self._block(along)
                writes.append(own)
            writes += [self._first(name, body) for name in recursion.results]
            numbers = self.sorted.numbers[body.label - 1]
            yield Call(number["body", place, kind], tuple(reads), tuple(writes), numbers)
            if outward:
                blocks[body.label] = own
            elif not body.parent:
                continue
            elif body.parent not in blocks:
                blocks[body.parent] = own
            else:
                total = self._block(along)
                yield Call(number["sum", place, -1], (blocks[body.parent], own), (total,))
                blocks[body.parent] = total

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


def _input(name: str, values: Sequence[Scalar]) -> Input:
    return Input(name, (len(values),), tuple(value.ref for value in values))


def _output(name: str, values: Sequence[Scalar]) -> Output:
    return Output(name, (len(values),), tuple(value.ref for value in values))

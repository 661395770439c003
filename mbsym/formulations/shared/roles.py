"""Programs with loops whose bodies have roles: what is done with a body depends on where it stands in the tree.

A role has one step for each kind of bodies that has it. Steps hand values to the bodies inboard or keep them for later
steps of the same body. What is zero or one for all bodies is found by deriving the steps until nothing changes, and
does not stand in the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from mbsym.formulations.shared.kinds import Sorted, carried_by, sorted_bodies, stand_ins
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import MEMORY, Call, For, Input, Output, Program, Step
from mbsym.symbolic.scalar import Scalar, constant, symbol

Whose: TypeAlias = Literal["own", "inboard"]
"""Whether something belongs to the body itself or to the one that carries it."""

Place: TypeAlias = tuple[str, Whose]
"""A name, and whose value it is."""

Given: TypeAlias = Mapping[Place | str, Sequence[Scalar]]
"""Entries by place, and those of the function's arguments by name."""

Shape: TypeAlias = tuple[int | None, ...]
"""Of values in the memory: 0, 1 or -1 where they are that for all bodies, None where they vary."""

JOINT: Final = "joint"
"""What the first role of a body finds of its joint's position, for the later ones."""

_NUMBERS: Final = "numbers"
_COMMON: Final = -1


@dataclass(frozen=True, slots=True)
class Role:
    """What is done with a body.

    Attributes:
        name: of its steps, before the joint's type.
        title: of it, for the text.
        step: from a body and what is given to what is handed on or kept, and results by their names.
        takes: of the memory.
        gives: likewise.
        arguments: of the function, as far as they belong to the joint; with q the step finds the joint's position.
        results: likewise.
    """

    name: str
    title: str
    step: Callable[[TreeBody, Given], Given]
    takes: tuple[Place, ...] = ()
    gives: tuple[Place, ...] = ()
    arguments: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """Parts of the work that do not depend on each other, each a list of roles with the labels of their bodies."""

    title: str
    parts: tuple[tuple[tuple[Role, int], ...], ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """What is handed from body to body.

    Attributes:
        ground: what ground hands on, constants by name.
        added: names of what the bodies outboard of one add up for it, with the number of entries; nothing comes from
            leaves.
        handed: names of the other values that bodies of all kinds hand on, with the number of entries.
    """

    ground: Mapping[str, Sequence[Scalar]]
    added: Mapping[str, int]
    handed: Mapping[str, int]


def cast_in_roles(
    head: Program, mechanism: Mechanism, cast: Cast, stages: Sequence[Stage], threads: int
) -> Program | None:
    """The function that goes through the stages; None where constants of bodies depend on run-time parameters.

    Args:
        head: its arguments and results.
        mechanism: whose bodies play the roles.
        cast: what they hand on.
        stages: in order.
        threads: that the code may use; none for code that knows of no threads.
    """
    found = sorted_bodies([mechanism])
    depends = any(not isinstance(number, Fraction) for numbers in found.numbers for number in numbers)
    if depends or any(entry.constant is None for entries in cast.ground.values() for entry in entries):
        return None
    return _Casting(head, mechanism, cast, tuple(stages), threads, found).result()


@dataclass(slots=True)
class _Casting:
    """Derives the steps and lists the calls.

    Attributes:
        shapes: of what is handed on, by its name; of what bodies keep, by its name and their kind.
        steps: by role and kind, or by what they are for.
        blocks: how many the memory has.
        where: blocks by name and label.
        waiting: those that are still to be added up, by name and label of the body for which.
    """

    head: Program
    mechanism: Mechanism
    cast: Cast
    stages: tuple[Stage, ...]
    threads: int
    sorted: Sorted
    shapes: dict[tuple[str, int], Shape] = field(default_factory=dict)
    steps: dict[tuple[str, int], Step] = field(default_factory=dict)
    blocks: int = 0
    where: dict[tuple[str, int], int] = field(default_factory=dict)
    waiting: dict[tuple[str, int], list[int]] = field(default_factory=dict)

    def result(self) -> Program:
        """The function."""
        roles = {
            (role.name, self._kind(label)): role
            for stage in self.stages
            for part in stage.parts
            for role, label in part
        }
        for name, width in (*self.cast.added.items(), *self.cast.handed.items()):
            self.shapes[name, _COMMON] = (0,) * width
        for name, entries in self.cast.ground.items():
            self.shapes[name, _COMMON] = _marks(entries)
        while True:
            before = dict(self.shapes)
            for (name, kind), role in roles.items():
                self.steps[name, kind] = self._step(role, kind)
            if self.shapes == before:
                break
        for name in self.cast.added:
            self._small(f"leaf_{name}", name, [0] * len(self.shapes[name, _COMMON]))
            self._sum(name)
        for name, entries in self.cast.ground.items():
            self._small(f"ground_{name}", name, [entry.constant or 0 for entry in entries])
        number = {key: place for place, key in enumerate(self.steps)}
        body = [For("what ground and leaves hand on", tuple(self._first_calls(number)), self.threads)]
        for stage in self.stages:
            calls = [
                call
                for place, part in enumerate(stage.parts)
                for role, label in part
                for call in self._calls(role, label, place, number)
            ]
            body.append(For(stage.title, tuple(calls), self.threads))
        return replace(self.head, body=tuple(body), steps=tuple(self.steps.values()))

    # ---- steps ------------------------------------------------------------------------------------------------------

    def _small(self, title: str, name: str, values: Sequence[Fraction | int]) -> None:
        """A step that hands on constants."""
        graph = Graph()
        shape = self.shapes[name, _COMMON]
        written = [constant(graph, value) for value in values]
        program = Program(title, graph, (), (_output(name, _varying(written, shape)),))
        self.steps[title, _COMMON] = Step(program, (), (MEMORY,), 0)

    def _sum(self, name: str) -> None:
        graph = Graph()
        shape = self.shapes[name, _COMMON]
        first, second = (_entries(graph, f"{before}{name}", shape) for before in ("", "other_"))
        total = [a + b for a, b in zip(first, second, strict=True)]
        inputs = _input(name, _varying(first, shape)), _input(f"other_{name}", _varying(second, shape))
        program = Program(f"sum_{name}", graph, inputs, (_output(f"{name}_out", _varying(total, shape)),))
        self.steps[f"sum_{name}", _COMMON] = Step(program, (MEMORY, MEMORY), (MEMORY,), 0)

    def _step(self, role: Role, kind: int) -> Step:
        graph = Graph()
        given: dict[Place | str, Sequence[Scalar]] = {}
        read: list[tuple[str, str, Sequence[Scalar]]] = []
        first = self.mechanism.bodies[self.sorted.kind.index(kind)]
        for name in role.arguments:
            given[name] = [symbol(graph, f"{name}{k}") for k in range(len(first.q if name == "q" else first.v))]
            read.append((name, name, given[name]))
        carried: list[Scalar] | None = None
        if "q" not in role.arguments:
            carried = _entries(graph, JOINT, self.shapes[JOINT, kind])
            read.append((JOINT, MEMORY, carried))
        for name, whose in role.takes:
            called = name if whose == "own" else f"inboard_{name}"
            shape = self.shapes[self._key(name, kind)]
            given[name, whose] = _entries(graph, called, shape)
            read.append((called, MEMORY, _varying(given[name, whose], shape)))
        numbers = [symbol(graph, f"n{k}") for k in range(self.sorted.kinds[kind].numbers)]
        (body,) = stand_ins(graph, self.sorted.kinds[kind], [first], numbers, carried)
        with graph.section(role.title):
            found = dict(role.step(body, given))
        written: list[tuple[str, str, Sequence[Scalar]]] = []
        if carried is None:
            found[JOINT, "own"] = carried_by(body.motion)
        for name, whose in self._gives(role):
            key = self._key(name, kind)
            self._widen(key, found[name, whose])
            called = f"{name}_out" if whose == "own" else f"inboard_{name}_out"
            written.append((called, MEMORY, _varying(found[name, whose], self.shapes[key])))
        written += [(name, name, list(found[name])) for name in role.results]
        inputs = [_input(name, values) for name, _, values in read] + [_input(_NUMBERS, numbers)] * bool(numbers)
        outputs = tuple(_output(name, values) for name, _, values in written)
        program = Program(f"{role.name}_{first.joint.type}_{kind + 1}", graph, tuple(inputs), outputs)
        reads, writes = tuple(array for _, array, _ in read), tuple(array for _, array, _ in written)
        return Step(program, reads, writes, len(numbers))

    def _gives(self, role: Role) -> tuple[Place, ...]:
        return ((JOINT, "own"), *role.gives) if "q" in role.arguments else role.gives

    def _key(self, name: str, kind: int) -> tuple[str, int]:
        return name, _COMMON if (name, _COMMON) in self.shapes else kind

    def _kind(self, label: int) -> int:
        return self.sorted.kind[label - 1]

    def _widen(self, key: tuple[str, int], values: Sequence[Scalar]) -> None:
        marks = _marks(values)
        known = self.shapes.setdefault(key, marks)
        self.shapes[key] = tuple(a if a == b else None for a, b in zip(known, marks, strict=True))

    # ---- calls ------------------------------------------------------------------------------------------------------

    def _first_calls(self, number: Mapping[tuple[str, int], int]) -> list[Call]:
        calls = []
        for name in self.cast.added:
            self.where[name, _COMMON] = self._block()
            calls.append(Call(number[f"leaf_{name}", _COMMON], (), (self.where[name, _COMMON],)))
        for name in self.cast.ground:
            self.where[name, 0] = self._block()
            calls.append(Call(number[f"ground_{name}", _COMMON], (), (self.where[name, 0],)))
        return calls

    def _calls(self, role: Role, label: int, part: int, number: Mapping[tuple[str, int], int]) -> list[Call]:
        """That of a role, behind those that add up what it takes."""
        body = self.mechanism.bodies[label - 1]
        kind = self._kind(label)
        calls: list[Call] = []
        reads = [_first(name, body) for name in role.arguments]
        reads += [self.where[JOINT, label]] if "q" not in role.arguments else []
        for name, whose in role.takes:
            owner = label if whose == "own" else body.parent
            if name in self.cast.added:
                calls += self._added_up(name, owner, part, number)
            reads.append(self.where[name, owner])
        writes = []
        for name, whose in self._gives(role):
            own = self._block()
            writes.append(own)
            owner = label if whose == "own" else body.parent
            if owner and name in self.cast.added:
                self.waiting.setdefault((name, owner), []).append(own)
            elif owner:
                self.where[name, owner] = own
        writes += [_first(name, body) for name in role.results]
        numbers = tuple(number for number in self.sorted.numbers[label - 1] if isinstance(number, Fraction))
        return [*calls, Call(number[role.name, kind], tuple(reads), tuple(writes), numbers, part)]

    def _added_up(self, name: str, label: int, part: int, number: Mapping[tuple[str, int], int]) -> list[Call]:
        """Calls that add up what bodies have given to one; only there, for they may be of several parts."""
        calls = []
        given = self.waiting.pop((name, label), [])
        if (name, label) not in self.where:
            self.where[name, label] = given.pop(0) if given else self.where[name, _COMMON]
        for block in given:
            total = self._block()
            places = (self.where[name, label], block), (total,)
            calls.append(Call(number[f"sum_{name}", _COMMON], *places, part=part))
            self.where[name, label] = total
        return calls

    def _block(self) -> int:
        self.blocks += 1
        return self.blocks - 1


def _first(name: str, body: TreeBody) -> int:
    return body.q_range[0] if name == "q" else body.v_range[0]


def _marks(values: Sequence[Scalar]) -> Shape:
    return tuple(value.ref if abs(value.ref) <= 1 else None for value in values)


def _entries(graph: Graph, name: str, shape: Shape) -> list[Scalar]:
    """Values of that shape: those that vary are symbols."""
    return [Scalar(graph, mark) if mark is not None else symbol(graph, f"{name}{k}") for k, mark in enumerate(shape)]


def _varying(values: Sequence[Scalar], shape: Shape) -> list[Scalar]:
    return [value for value, mark in zip(values, shape, strict=True) if mark is None]


def _input(name: str, values: Sequence[Scalar]) -> Input:
    return Input(name, (len(values),), tuple(value.ref for value in values))


def _output(name: str, values: Sequence[Scalar]) -> Output:
    return Output(name, (len(values),), tuple(value.ref for value in values))

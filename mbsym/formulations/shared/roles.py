"""Programs with loops whose bodies have roles: what is done with a body depends on where it stands in the tree.

A role has one step for each kind of bodies that has it. Steps hand values to the bodies inboard or keep them for later
steps of the same body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from mbsym.formulations.shared.kinds import Sorted, carried_by, sorted_bodies, stand_ins
from mbsym.formulations.shared.steps import COMMON, JOINT, Handed, Key, Row, argument, first_of, step_of
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import MEMORY, Call, For, Program, Step
from mbsym.symbolic.scalar import Scalar, symbol

Whose: TypeAlias = Literal["own", "inboard", "inner", "outer"]
"""Whether something belongs to the body itself, to the one that carries it, or to another one that an act names."""

Place: TypeAlias = tuple[str, Whose]
"""A name, and whose value it is."""

Given: TypeAlias = Mapping[Place | str, Sequence[Scalar]]
"""Entries by place, and those of the function's arguments by name."""


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


class Act(NamedTuple):
    """A role, the label of the body that plays it, and those of others whose values it takes or gives."""

    role: Role
    label: int
    inner: int = 0
    outer: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """Parts of the work that do not depend on each other, each what is done in turn."""

    title: str
    parts: tuple[tuple[Act, ...], ...]


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
        handed: what steps hand on, and what bodies keep.
        steps: by role and kind, or by what they are for.
        number: of each step.
        where: blocks by name and label.
        waiting: those that are still to be added up, by name and label of the body for which.
    """

    head: Program
    mechanism: Mechanism
    cast: Cast
    stages: tuple[Stage, ...]
    threads: int
    sorted: Sorted
    handed: Handed = field(default_factory=Handed)
    steps: dict[Key, Step] = field(default_factory=dict)
    number: dict[Key, int] = field(default_factory=dict)
    where: dict[tuple[str, int], int] = field(default_factory=dict)
    waiting: dict[tuple[str, int], list[int]] = field(default_factory=dict)

    def result(self) -> Program:
        """The function."""
        acts = [act for stage in self.stages for part in stage.parts for act in part]
        roles = {(act.role.name, self._kind(act.label)): act.role for act in acts}
        graph = self.head.graph
        nothing = {name: [Scalar(graph, 0)] * width for name, width in {**self.cast.added, **self.cast.handed}.items()}
        for name, values in {**nothing, **self.cast.ground}.items():
            self.handed.widen((name, COMMON), values)

        def derive() -> None:
            for (name, kind), role in roles.items():
                self.steps[name, kind] = self._step(role, kind)

        self.handed.settle(derive)
        for name in self.cast.added:
            self.steps[f"leaf_{name}", COMMON] = self.handed.given("leaf", name, nothing[name])
            self.steps[f"sum_{name}", COMMON] = self.handed.added(name)
        for name, values in self.cast.ground.items():
            self.steps[f"ground_{name}", COMMON] = self.handed.given("ground", name, values)
        self.number = {key: place for place, key in enumerate(self.steps)}
        body = [For("what ground and leaves hand on", tuple(self._first_calls()), self.threads)]
        for stage in self.stages:
            parts = enumerate(stage.parts)
            calls = [call for place, part in parts for act in part for call in self._calls(act, place)]
            body.append(For(stage.title, tuple(calls), self.threads))
        return replace(self.head, body=tuple(body), steps=tuple(self.steps.values()))

    # ---- steps ------------------------------------------------------------------------------------------------------

    def _step(self, role: Role, kind: int) -> Step:
        graph, handed = Graph(), self.handed
        given: dict[Place | str, Sequence[Scalar]] = {}
        first = self.mechanism.bodies[self.sorted.kind.index(kind)]
        read = [argument(graph, name, first) for name in role.arguments]
        given.update({name: values for name, _, values in read})
        carried: list[Scalar] | None = None
        if "q" not in role.arguments:
            carried = handed.entries(graph, JOINT, (JOINT, kind))
            read.append((JOINT, MEMORY, carried))
        for name, whose in role.takes:
            called = name if whose == "own" else f"{whose}_{name}"
            given[name, whose] = handed.entries(graph, called, self._key(name, kind))
            read.append((called, MEMORY, given[name, whose]))
        numbers = [symbol(graph, f"n{k}") for k in range(self.sorted.kinds[kind].numbers)]
        (body,) = stand_ins(graph, self.sorted.kinds[kind], [first], numbers, carried)
        with graph.section(role.title):
            found = dict(role.step(body, given))
        written: list[Row] = []
        if carried is None:
            found[JOINT, "own"] = carried_by(body.motion)
        for name, whose in self._gives(role):
            key = self._key(name, kind)
            handed.widen(key, found[name, whose])
            called = f"{name}_out" if whose == "own" else f"{whose}_{name}_out"
            written.append((called, MEMORY, handed.varying(key, found[name, whose])))
        written += [(name, name, found[name]) for name in role.results]
        return step_of(f"{role.name}_{first.joint.type}_{kind + 1}", graph, read, written, numbers)

    def _gives(self, role: Role) -> tuple[Place, ...]:
        return ((JOINT, "own"), *role.gives) if "q" in role.arguments else role.gives

    def _key(self, name: str, kind: int) -> tuple[str, int]:
        return name, COMMON if (name, COMMON) in self.handed.shapes else kind

    def _kind(self, label: int) -> int:
        return self.sorted.kind[label - 1]

    # ---- calls ------------------------------------------------------------------------------------------------------

    def _first_calls(self) -> list[Call]:
        calls = []
        for name in self.cast.added:
            self.where[name, COMMON] = self.handed.block()
            calls.append(Call(self.number[f"leaf_{name}", COMMON], (), (self.where[name, COMMON],)))
        for name in self.cast.ground:
            self.where[name, 0] = self.handed.block()
            calls.append(Call(self.number[f"ground_{name}", COMMON], (), (self.where[name, 0],)))
        return calls

    def _calls(self, act: Act, part: int) -> list[Call]:
        """That of a role, behind those that add up what it takes."""
        role, label = act.role, act.label
        body = self.mechanism.bodies[label - 1]
        kind = self._kind(label)
        owners = {"own": label, "inboard": body.parent, "inner": act.inner, "outer": act.outer}
        calls: list[Call] = []
        reads = [first_of(name, body) for name in role.arguments]
        reads += [self.where[JOINT, label]] if "q" not in role.arguments else []
        for name, whose in role.takes:
            owner = owners[whose]
            if name in self.cast.added:
                calls += self._added_up(name, owner, part)
            reads.append(self.where[name, owner])
        writes = []
        for name, whose in self._gives(role):
            own = self.handed.block()
            writes.append(own)
            owner = owners[whose]
            if owner and name in self.cast.added:
                self.waiting.setdefault((name, owner), []).append(own)
            elif owner:
                self.where[name, owner] = own
        writes += [first_of(name, body) for name in role.results]
        numbers = tuple(number for number in self.sorted.numbers[label - 1] if isinstance(number, Fraction))
        return [*calls, Call(self.number[role.name, kind], tuple(reads), tuple(writes), numbers, part)]

    def _added_up(self, name: str, label: int, part: int) -> list[Call]:
        """Calls that add up what bodies have given to one; only there, for they may be of several parts."""
        calls = []
        given = self.waiting.pop((name, label), [])
        if (name, label) not in self.where:
            self.where[name, label] = given.pop(0) if given else self.where[name, COMMON]
        for block in given:
            total = self.handed.block()
            places = (self.where[name, label], block), (total,)
            calls.append(Call(self.number[f"sum_{name}", COMMON], *places, part=part))
            self.where[name, label] = total
        return calls

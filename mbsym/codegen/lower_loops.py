"""From a program with loops to steps with statements, and loops over tables of calls: what all languages share.

What calls of steps leave for later ones stands in an array, their memory. A block of it is free again once the last
call that reads it is over, so that a chain of bodies hands its values on in a few places however long it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from typing import Any, Final

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.description import arguments_of
from mbsym.codegen.expressions import combined, whole
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.lower import lower
from mbsym.codegen.lowered import LoweredFunction, LoweredStep
from mbsym.codegen.statements import walk
from mbsym.symbolic.program import MEMORY, Call, For, ForPairs, Item, Program, Step, Zeros, total_operations

MOST_RUNS: Final = 4
"""Runs of calls of one step in a loop, above which it is one loop that chooses the step."""


def lower_loops(
    program: Program, arguments: Mapping[str, str], parameters: Mapping[str, str], outer: Scope
) -> LoweredFunction:
    """The loops of a program that has some, and the steps that they call.

    Args:
        program: what to print.
        arguments: identifiers of the function's inputs and outputs, by their names.
        parameters: identifiers of run-time parameters, by their names.
        outer: scope of what surrounds the function, of which no temporary may bear a name.
    """
    return _Lowering(program, arguments, parameters, outer).result()


@dataclass(frozen=True, slots=True)
class _Run:
    """Calls of one step, one after the other: the first of its calls, and the one behind the last."""

    step: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class _Sweep:
    """A loop of the program as runs.

    Attributes:
        loop: of the program.
        runs: in order; those of one step, each part of which is a call, are one.
        parts: where the runs of each part begin that a thread may take; none where one thread takes all, and where
            each call is a part.
        is_spread: each call is a part.
    """

    loop: For
    runs: tuple[_Run, ...]
    parts: tuple[int, ...]
    is_spread: bool

    @property
    def in_turn(self) -> tuple[_Run, ...]:
        """The runs that have a loop each: all if they are few, else those in front that are the only ones of their
        steps."""
        if len(self.runs) <= MOST_RUNS:
            return self.runs
        steps = [run.step for run in self.runs]
        return self.runs[: next((k for k, step in enumerate(steps) if steps.count(step) > 1), len(steps))]

    @property
    def mixed(self) -> tuple[_Run, ...]:
        """The others, which one loop takes that chooses the step."""
        return self.runs[len(self.in_turn) :]


class _Lowering:
    """One program on its way to statements."""

    def __init__(
        self, program: Program, arguments: Mapping[str, str], parameters: Mapping[str, str], outer: Scope
    ) -> None:
        self.program, self.parameters, self.outer = program, parameters, outer
        self.homes, memory = homes_of(program)
        self.scope = outer.inside((*arguments.values(), *parameters.values()))
        self.own = [ex.Array(self.scope.claim(name), (size,), True) for name, size in program.arrays.items()]
        self.own += [ex.Array(self.scope.claim("memory"), (memory,), True)] * (memory > 0)
        given = {item.name: ex.Array(arguments[item.name], (len(item.symbols),), False) for item in program.inputs}
        given |= {item.name: ex.Array(arguments[item.name], (len(item.values),), True) for item in program.outputs}
        self.arrays = {**given, **dict(zip((*program.arrays, MEMORY), self.own, strict=False))}
        self.scalars: dict[str, ex.Variable] = {}
        self.tables: list[st.Table] = []
        self.calls: list[list[Call]] = [[] for _ in program.steps]
        self.names: list[str] = []
        self.sweeps: dict[int, _Sweep] = {}
        self.places: dict[int, ex.Array] = {}
        self.numbers: dict[int, ex.Array] = {}
        self.k, self.at, self.kind, self.part = map(self._integer, ("k", "at", "kind", "part"))
        self.row, self.first, self.second, self.found = map(self.scope.claim, ("row", "outer", "inner", "found"))

    def _integer(self, name: str) -> ex.Variable:
        made = ex.Variable(self.scope.claim(name), "int")
        self.scalars[made.identifier] = made
        return made

    def result(self) -> LoweredFunction:
        """The loops and the steps."""
        program = self.program
        self.sweeps = {id(each): self._sweep(each) for each in program.sweeps}
        scope = Scope()
        steps = tuple(self._step(step, scope) for step in program.steps)
        self.names = [step.name for step in steps]
        body = tuple(self._statements())
        views = {each.view.name: each.view for each in walk(body) if isinstance(each, st.Look)}
        loops = st.Function(body=body, scalars=self.scalars, own=tuple(self.own), views=tuple(views.values()))
        operations = total_operations(program, [step.body.operations for step in steps])
        return LoweredFunction((), (), self._used(steps), (), operations, 0, loops, steps, tuple(self.tables))

    def _statements(self) -> Iterator[st.Statement]:
        """The loops in order; threads take neighbouring sweeps together."""
        for is_sweep, group in groupby(self.program.body, key=lambda each: isinstance(each, For)):
            if is_sweep and self.program.threads:
                shared = tuple(each for one in group for each in self._shared_out(self.sweeps[id(one)]))
                yield st.Threads(self.program.threads, shared)
                continue
            for each in group:
                if isinstance(each, Zeros):
                    array = self.arrays[each.result]
                    yield st.Store(whole(array), "=", ex.Call("zeros", (_number(array.size),), axes=1))
                elif isinstance(each, For):
                    yield from self._in_order(self.sweeps[id(each)])
                else:
                    yield self._over_pairs(each)

    def _used(self, steps: Sequence[LoweredStep]) -> frozenset[str]:
        """Identifiers of the arguments and parameters that steps read or fill."""
        named = {name for step in self.program.steps for name in (*step.reads, *step.writes)} - {MEMORY}
        named.update(target.result for pairs in self.program.pairs for target in pairs.targets)
        of_steps = {name for step in steps for name in step.body.used}
        return frozenset(self.arrays[name].name for name in named) | of_steps.intersection(self.parameters.values())

    # ---- steps and tables --------------------------------------------------------------------------------------------

    def _sweep(self, loop: For) -> _Sweep:
        """The runs of a loop; its calls join those of their steps."""
        runs: list[_Run] = []
        parts: list[int] = []
        is_spread = 1 < len({call.part for call in loop.calls}) == len(loop.calls)
        part = -1
        for call in sorted(loop.calls, key=lambda call: call.step) if is_spread else loop.calls:
            own = self.calls[call.step]
            begins = call.part != part and not is_spread
            if runs and runs[-1].step == call.step and not begins:
                runs[-1] = _Run(call.step, runs[-1].start, len(own) + 1)
            else:
                parts += [len(runs)] * begins
                runs.append(_Run(call.step, len(own), len(own) + 1))
            part = call.part
            own.append(call)
        return _Sweep(loop, tuple(runs), tuple(parts) if len(parts) > 1 else (), is_spread)

    def _step(self, step: Step, scope: Scope) -> LoweredStep:
        inside = self.outer.inside(self.parameters.values())
        own = arguments_of(step.program)
        names = {item.name: inside.claim(item.name) for item in own}
        body = lower(step.program, names, self.parameters, self.outer)
        return LoweredStep(scope.claim(step.program.name), own, tuple(names.values()), body)

    def _table(self, name: str, rows: Sequence[Sequence[Any]], remark: str, kind: ex.Kind = "int") -> ex.Array:
        """A table with that many columns."""
        array = ex.Array(self.scope.claim(name), (len(rows), len(rows[0])), writable=False, kind=kind)
        self.tables.append(st.Table(array, tuple(map(tuple, rows)), remark))
        return array

    def _column(self, name: str, entries: Sequence[int], remark: str = "") -> ex.Array:
        """A table with one column."""
        array = ex.Array(self.scope.claim(name), (len(entries),), writable=False, kind="int")
        self.tables.append(st.Table(array, (tuple(entries),), remark))
        return array

    def _places_of(self, number: int) -> ex.Array:
        """Where each call of a step reads and writes: its table, a row for each call."""
        if number not in self.places:
            rows = [self._places(self.program.steps[number], call) for call in self.calls[number]]
            told = f"{self.names[number]}: where what each call reads and writes begins"
            self.places[number] = self._table(f"places_{number + 1}", rows, told)
        return self.places[number]

    def _numbers_of(self, number: int) -> ex.Array:
        """The numbers that each call of a step brings."""
        if number not in self.numbers:
            rows = [call.numbers for call in self.calls[number]]
            told = f"{self.names[number]}: numbers of each call"
            self.numbers[number] = self._table(f"numbers_{number + 1}", rows, told, "real")
        return self.numbers[number]

    def _places(self, step: Step, call: Call) -> tuple[int, ...]:
        pairs = zip((*step.reads, *step.writes), (*call.reads, *call.writes), strict=True)
        return tuple(self.homes[place] if array == MEMORY else place for array, place in pairs)

    # ---- sweeps ------------------------------------------------------------------------------------------------------

    def _in_order(self, sweep: _Sweep) -> Iterator[st.Statement]:
        """A sweep, call by call."""
        titles = iter((sweep.loop.title,))
        for run in sweep.in_turn:
            yield from self._run(run, tuple(titles))
        if sweep.mixed:
            count = _number(sum(run.stop - run.start for run in sweep.mixed))
            yield self._choosing(sweep.mixed, _number(0), count, tuple(titles))

    def _run(self, run: _Run, remarks: tuple[str, ...]) -> tuple[st.Statement, ...]:
        if run.stop == run.start + 1:
            first, *others = self._call(run.step, _number(run.start))
            return (replace(first, remarks=remarks), *others)
        body = self._call(run.step, self.k)
        return (st.For(self.k, _number(run.start), _number(run.stop), False, body, remarks),)

    def _shared_out(self, sweep: _Sweep) -> Iterator[st.Statement]:
        """A sweep whose parts threads take, or one of them all of it."""
        title = (sweep.loop.title,)
        if sweep.is_spread:
            for place, run in enumerate(sweep.runs, start=1):
                # Only the last loop waits for all threads.
                yield st.For(
                    self.k,
                    _number(run.start),
                    _number(run.stop),
                    is_down=False,
                    body=self._call(run.step, self.k),
                    remarks=title * (place == 1),
                    is_shared=True,
                    is_awaited=place == len(sweep.runs),
                )
        elif sweep.parts:
            edges = [*sweep.parts, len(sweep.runs)]
            lengths = [sum(run.stop - run.start for run in sweep.runs[a:b]) for a, b in pairwise(edges)]
            told = "where each part begins in that order, and where the last ends"
            calls = self._order(sweep.runs)
            ends = self._column("ends", [0, *accumulate(lengths)], told)
            start, stop = (_entry(ends, index) for index in (self.part, combined("+", self.part, _number(1))))
            body = self._choosing(sweep.runs, start, stop, (), calls)
            yield st.For(self.part, _number(0), _number(len(sweep.parts)), False, (body,), title, is_shared=True)
        else:
            yield from self._in_order(sweep)

    def _order(self, runs: Sequence[_Run]) -> tuple[ex.Array | None, ex.Array | None]:
        """Of each call its step, by the cases of the choice, and its row in the tables of that; None: all agree."""
        steps = list(dict.fromkeys(run.step for run in runs))
        calls = [(steps.index(run.step), row) for run in runs for row in range(run.start, run.stop)]
        kinds, rows = zip(*calls, strict=True)
        told = "of each call its step, by the cases below, and its row in the tables of that"
        order = self._column("order", kinds, told) if len(steps) > 1 else None
        # A step that is called once has no table.
        return order, self._column("rows", rows) if any(len(self.calls[step]) > 1 for step in steps) else None

    def _choosing(
        self,
        runs: Sequence[_Run],
        start: ex.Expression,
        stop: ex.Expression,
        remarks: tuple[str, ...],
        tables: tuple[ex.Array | None, ex.Array | None] | None = None,
    ) -> st.For:
        """One loop that chooses the step of each call."""
        order, rows = tables or self._order(runs)
        steps = list(dict.fromkeys(run.step for run in runs))
        choice: tuple[st.Statement, ...] = self._call(steps[-1], self.at)
        for place, step in reversed([*enumerate(steps[:-1])]):
            test = ex.Operation("==", (self.kind, _number(place)))
            choice = (st.If(test, self._call(step, self.at), choice),)
        looked_up = [(self.kind, order), (self.at, rows)]
        opening = [st.Let(name, "=", _entry(table, self.k)) for name, table in looked_up if table is not None]
        return st.For(self.k, start, stop, False, (*opening, *choice), remarks)

    def _call(self, number: int, row: ex.Expression) -> tuple[st.Statement, ...]:
        """A call of a step, which is that of a row of its tables."""
        step, calls = self.program.steps[number], self.calls[number]
        sizes = [len(item.symbols) if item.shape else None for item in step.program.inputs[: len(step.reads)]]
        sizes += [len(item.values) for item in step.program.outputs]
        # Where there is but one call, it stands in the text; which row it would be is not known inside of loops.
        known = row if isinstance(row, ex.Constant) else _number(0) if len(calls) == 1 else None
        opening: tuple[st.Statement, ...] = ()
        starts: list[ex.Expression]
        if known is None:
            table = self._places_of(number)
            view = ex.Array(self.row, table.extents[1:], writable=False, kind="int")
            opening = (st.Look(view, _row(table, row)),)
            starts = [_entry(view, _number(column)) for column in range(len(sizes))]
        else:
            starts = [_number(place) for place in self._places(step, calls[known.value])]
        named = zip((*step.reads, *step.writes), starts, sizes, strict=True)
        handed = [self._handed(*each) for each in named]
        inputs = handed[: len(step.reads)]
        if step.numbers:
            inputs.append(_row(self._numbers_of(number), known or row))
        targets = tuple(each for each in handed[len(step.reads) :] if isinstance(each, ex.Place))
        return (*opening, st.Invoke(targets, "=", ex.Call(self.names[number], tuple(inputs))))

    def _handed(self, name: str, start: ex.Expression, size: int | None) -> ex.Place | ex.Variable:
        """Entries of an array, or an argument that is a number."""
        array = self.arrays[name]
        return ex.Variable(array.name) if size is None else _entries(array, start, size)

    # ---- pairs -------------------------------------------------------------------------------------------------------

    def _over_pairs(self, pairs: ForPairs) -> st.For:
        """Two loops, the inner one along the path of an item."""
        step = self.program.steps[pairs.step].program
        size, behind = len(step.outputs[0].values), 1 + len(pairs.targets)
        told = f"{pairs.title}: {pairs.count} pairs"
        views = []
        for name, view, items in (("outer_items", self.first, pairs.outer), ("inner_items", self.second, pairs.inner)):
            table = self._table(name, [self._pair_row(item) for item in items], "")
            views.append((table, ex.Array(view, table.extents[1:], writable=False, kind="int")))
        (outer_items, outer), (inner_items, inner) = views
        found = ex.Array(self.found, (size,), writable=True)
        self.own += [found] * (found not in self.own)
        starts = [_entry(view, _number(k)) for view in (outer, inner) for k in range(behind, view.size)]
        inputs = [
            _entries(self.arrays[MEMORY], start, len(given.symbols))
            for start, given in zip(starts, step.inputs, strict=True)
        ]
        stores = []
        for place, target in enumerate(pairs.targets, start=1):
            start = combined("+", _entry(outer, _number(place)), _entry(inner, _number(place)))
            span = ex.Span(
                start, combined("+", start, _number(size * target.stride)), is_whole=False, step=target.stride
            )
            stores.append(st.Store(ex.Place(self.arrays[target.result], (span,)), "=", whole(found)))
        following = _number(0)
        inside: tuple[st.Statement, ...] = (
            st.Look(inner, _row(inner_items, self.at)),
            st.Invoke((whole(found),), "=", ex.Call(self.names[pairs.step], tuple(inputs))),
            *stores,
            st.Let(self.at, "=", _entry(inner, following)),
        )
        body: tuple[st.Statement, ...] = (
            st.Look(outer, _row(outer_items, self.k)),
            st.Let(self.at, "=", _entry(outer, following)),
            st.While(ex.Operation(">=", (self.at, _number(0))), inside),
        )
        return st.For(self.k, _number(0), _number(len(pairs.outer)), False, body, (told,))

    def _pair_row(self, item: Item) -> tuple[int, ...]:
        """What comes next, or what it is paired with first; its share of the place in each target; what it reads."""
        return (item.following, *item.starts, *(self.homes[block] for block in item.reads))


def _number(value: int) -> ex.Constant:
    return ex.Constant(value, "int")


def _entry(array: ex.Array, index: ex.Expression) -> ex.Place:
    return ex.Place(array, (index,))


def _entries(array: ex.Array, start: ex.Expression, size: int) -> ex.Place:
    return ex.Place(array, (ex.Span(start, combined("+", start, _number(size)), is_whole=False),))


def _row(table: ex.Array, index: ex.Expression) -> ex.Place:
    return ex.Place(table, (index, ex.Span(_number(0), _number(table.extents[1]), is_whole=True)))


def homes_of(program: Program) -> tuple[dict[int, int], int]:
    """Where each block begins in the memory, and how large that is.

    Places that become free in a part of a sweep are taken again by that part alone until the sweep is over.
    """
    last, readers = _read(program)
    ending: dict[int, list[int]] = {}
    for block, time in last.items():
        ending.setdefault(time, []).append(block)
    memory = _Memory()
    time = 0
    for number, sweep in enumerate(program.sweeps):
        for call in sweep.calls:
            step = program.steps[call.step]
            # What a call writes never shares memory with what it reads.
            written = []
            for output, array, block in zip(step.program.outputs, step.writes, call.writes, strict=True):
                if array == MEMORY:
                    memory.take(block, len(output.values), call.part)
                    written.append(block)
            for block in (*ending.get(time, ()), *(block for block in written if block not in last)):
                others = {part for sweep_of, part in readers.get(block, ()) if sweep_of == number} - {call.part}
                memory.leave(block, None if others else call.part)
            time += 1
        memory.end_sweep()
    return memory.homes, memory.size


def _read(program: Program) -> tuple[dict[int, int], dict[int, set[tuple[int, int]]]]:
    """When each block is read last, counted in calls, and by which sweeps and parts of them."""
    last: dict[int, int] = {}
    readers: dict[int, set[tuple[int, int]]] = {}
    time = 0
    for number, sweep in enumerate(program.sweeps):
        for call in sweep.calls:
            for array, block in zip(program.steps[call.step].reads, call.reads, strict=True):
                if array == MEMORY:
                    last[block] = time
                    readers.setdefault(block, set()).add((number, call.part))
            time += 1
    for item in (item for each in program.pairs for item in (*each.outer, *each.inner)):
        last.update(dict.fromkeys(item.reads, time))
    return last, readers


class _Memory:
    """Places of blocks by length: free for all, or for the part of the sweep that left them."""

    def __init__(self) -> None:
        self.homes: dict[int, int] = {}
        self.size = 0
        self._lengths: dict[int, int] = {}
        self._free: dict[int, list[int]] = {}
        self._own: dict[tuple[int, int], list[int]] = {}
        self._later: list[tuple[int, int]] = []

    def take(self, block: int, length: int, part: int) -> None:
        """Finds a place for a block that a part writes."""
        self._lengths[block] = length
        known = self._own.get((part, length)) or self._free.get(length)
        if known:
            self.homes[block] = known.pop()
        else:
            self.homes[block] = self.size
            self.size += length

    def leave(self, block: int, part: int | None) -> None:
        """A block is not read any more; where parts beside each other read it, not before the sweep is over."""
        length = self._lengths[block]
        if part is None:
            self._later.append((length, self.homes[block]))
        else:
            self._own.setdefault((part, length), []).append(self.homes[block])

    def end_sweep(self) -> None:
        """What has become free is so for all."""
        for length, home in self._later:
            self._free.setdefault(length, []).append(home)
        for (_, length), homes in self._own.items():
            self._free.setdefault(length, []).extend(homes)
        self._own.clear()
        self._later.clear()

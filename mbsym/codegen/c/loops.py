"""Loops in C: numbers and places of the calls of steps as tables, and loops over these."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, groupby, pairwise
from typing import Final

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.c.tables import CONTINUED, INDENT
from mbsym.codegen.lowered import LoweredFor, LoweredFunction, LoweredPairs, LoweredStep, LoweredZeros, Run
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.text import WIDTH, c_comment

_LARGEST_SHORT: Final = 65535
_LARGEST_CHAR: Final = 255


class LoopLines:
    """The loops of a function whose steps are static functions.

    Args:
        module: that it belongs to.
        function: of the module.
        body: of the function.
        symbols: of the steps.
        printer: of the module's floating-point type.
    """

    def __init__(
        self,
        module: LoweredModule,
        function: ModuleFunction,
        body: LoweredFunction,
        symbols: Sequence[str],
        printer: CPrinter,
    ) -> None:
        self._body = body
        self._symbols = symbols
        self._printer = printer
        self._real = f"{module.names.module}_real"
        self._takes_parameters = module.takes_parameters(function)
        scope = module.names.inside((*function.identifiers, *body.arrays))
        self._memory = scope.claim("memory")
        self._place = scope.claim("k")
        self._at = scope.claim("at")
        self._order, self._rows = scope.claim("order"), scope.claim("row")
        self._found = scope.claim("found")
        self._pairs = [each for each in body.loops if isinstance(each, LoweredPairs)]
        self._outer = [scope.claim(f"outer_{k}") for k in range(1, len(self._pairs) + 1)]
        self._inner = [scope.claim(f"inner_{k}") for k in range(1, len(self._pairs) + 1)]
        self._part = scope.claim("part")
        self._ends = scope.claim("ends")
        self._numbers = [scope.claim(f"numbers_{k}") for k in range(1, len(body.steps) + 1)]
        self._places = [scope.claim(f"places_{k}") for k in range(1, len(body.steps) + 1)]

    def lines(self) -> list[str]:
        """The tables and all loops."""
        body, threads = self._body, self._body.threads
        lines = [line for number, step in enumerate(body.steps) for line in self._tables(number, step)]
        if body.memory:
            lines.append(f"{INDENT}{self._real} {self._memory}[{body.memory}]; /* what steps hand on */")
        lines += [f"{INDENT}{self._real} {name}[{size}];" for name, size in body.arrays.items()]
        for kind, group in groupby(body.loops, key=type):
            if kind is LoweredFor and threads:
                lines += [*_pragma(f"parallel num_threads({threads})"), f"{INDENT}{{"]
            for each in group:
                if isinstance(each, LoweredZeros):
                    lines += self._zeros(each)
                elif isinstance(each, LoweredPairs):
                    lines += self._over_pairs(self._pairs.index(each), each)
                else:
                    lines += ["", f"{INDENT}{INDENT * (threads > 0)}/* {c_comment(each.title)} */"]
                    own = self._shared_out(each) if threads else self._in_order(each)
                    lines += [f"{INDENT}{line}" if threads and not line.startswith("#") else line for line in own]
            lines += [f"{INDENT}}}"] * (kind is LoweredFor and threads > 0)
        return lines

    def _in_order(self, sweep: LoweredFor) -> list[str]:
        """A sweep, call by call."""
        lines = [line for run in sweep.in_turn for line in self._loop(run)]
        return lines + self._mixed(sweep.mixed) if sweep.mixed else lines

    def _shared_out(self, sweep: LoweredFor) -> list[str]:
        """A sweep whose parts threads take, or the one that comes first all of it."""
        if sweep.is_spread:
            lines = []
            for place, run in enumerate(sweep.runs, start=1):
                # Only the last loop waits for all threads; what is one call has no loop.
                way = "for schedule(static)" if run.stop > run.start + 1 else "single"
                lines += [*_pragma(way + " nowait" * (place < len(sweep.runs))), *self._loop(run)]
            return lines
        if sweep.parts:
            return [*_pragma("for schedule(static, 1)"), *self._parts(sweep)]
        inner = [f"{INDENT}{line}" for line in self._in_order(sweep)]
        return [*_pragma("single"), f"{INDENT}{{", *inner, f"{INDENT}}}"]

    def _zeros(self, zeros: LoweredZeros) -> list[str]:
        k = self._place
        return [
            "",
            f"{INDENT}for (int {k} = 0; {k} < {zeros.size}; ++{k}) {{",
            f"{CONTINUED}{zeros.identifier}[{k}] = 0;",
            f"{INDENT}}}",
        ]

    # ---- tables -----------------------------------------------------------------------------------------------------

    def _tables(self, number: int, step: LoweredStep) -> list[str]:
        lines = []
        if step.has_numbers:
            rows = [[self._printer.literal(value) for value in row] for row in step.numbers]
            head = f"static const {self._real} {self._numbers[number]}[{len(rows)}][{len(rows[0])}]"
            lines += [f"{INDENT}/* {step.name}: numbers of each call */", *_table(head, rows)]
        if len(step.places) > 1:
            kind = "unsigned short" if max(map(max, step.places)) <= _LARGEST_SHORT else "int"
            head = f"static const {kind} {self._places[number]}[{len(step.places)}][{len(step.places[0])}]"
            lines.append(f"{INDENT}/* {step.name}: where what each call reads and writes begins */")
            lines += _table(head, [[str(place) for place in row] for row in step.places])
        return lines

    # ---- pairs ------------------------------------------------------------------------------------------------------

    def _over_pairs(self, number: int, pairs: LoweredPairs) -> list[str]:
        """Two loops, the inner one along the path of an item."""
        outer, inner, k, at = self._outer[number], self._inner[number], self._place, self._at
        lines = ["", f"{INDENT}/* {c_comment(pairs.title)}: {pairs.count} pairs */"]
        for name, rows in ((outer, pairs.outer), (inner, pairs.inner)):
            head = f"static const int {name}[{len(rows)}][{len(rows[0])}]"
            lines += _table(head, [[str(place) for place in row] for row in rows])
        deep = CONTINUED + INDENT
        starts = range(1, len(pairs.targets) + 1)
        actual = [
            f"{self._memory} + {name}[{item}][{column}]"
            for name, item, rows in ((outer, k, pairs.outer), (inner, at, pairs.inner))
            for column in range(len(pairs.targets) + 1, len(rows[0]))
        ]
        lines += [
            f"{INDENT}for (int {k} = 0; {k} < {len(pairs.outer)}; ++{k}) {{",
            f"{CONTINUED}for (int {at} = {outer}[{k}][0]; {at} >= 0; {at} = {inner}[{at}][0]) {{",
            f"{deep}{self._real} {self._found}[{pairs.size}];",
            *_broken(deep, self._called(pairs.step, [*actual, self._found])),
        ]
        for (target, stride), column in zip(pairs.targets, starts, strict=True):
            for entry in range(pairs.size):
                place = f"{outer}[{k}][{column}] + {inner}[{at}][{column}]" + f" + {entry * stride}" * (entry > 0)
                lines.append(f"{deep}{target}[{place}] = {self._found}[{entry}];")
        return [*lines, f"{CONTINUED}}}", f"{INDENT}}}"]

    # ---- calls ------------------------------------------------------------------------------------------------------

    def _call(self, number: int, row: str) -> str:
        step = self._body.steps[number]
        single = len(step.places) == 1
        actual = []
        for k, array in enumerate(step.arrays):
            place = str(step.places[0][k]) if single else f"{self._places[number]}[{row}][{k}]"
            actual.append(array if step.sizes[k] is None else f"{array or self._memory} + {place}")
        if step.has_numbers:
            actual.insert(step.inputs, f"{self._numbers[number]}[{row}]")
        return self._called(number, actual)

    def _called(self, number: int, actual: Sequence[str]) -> str:
        given = ["parameters", *actual] if self._takes_parameters else actual
        return f"{self._symbols[number]}({', '.join(given)});"

    def _loop(self, run: Run) -> list[str]:
        if run.stop == run.start + 1:
            return _broken(INDENT, self._call(run.step, str(run.start)))
        k = self._place
        return [
            f"{INDENT}for (int {k} = {run.start}; {k} < {run.stop}; ++{k}) {{",
            *_broken(CONTINUED, self._call(run.step, k)),
            f"{INDENT}}}",
        ]

    def _mixed(self, runs: Sequence[Run]) -> list[str]:
        """One loop that chooses the step of each call."""
        count = sum(run.stop - run.start for run in runs)
        return [f"{INDENT}{{", *self._order_tables(runs), *self._choosing(runs, "0", str(count)), f"{INDENT}}}"]

    def _parts(self, sweep: LoweredFor) -> list[str]:
        """A loop over parts, each of which is a loop that chooses the step."""
        edges = [*sweep.parts, len(sweep.runs)]
        lengths = [sum(run.stop - run.start for run in sweep.runs[a:b]) for a, b in pairwise(edges)]
        ends = [0, *accumulate(lengths)]
        part = self._part
        return [
            f"{INDENT}for (int {part} = 0; {part} < {len(sweep.parts)}; ++{part}) {{",
            *self._order_tables(sweep.runs),
            f"{CONTINUED}/* where each part begins in that order, and where the last ends */",
            *_table(f"static const int {self._ends}[{len(ends)}]", [list(map(str, ends))], CONTINUED),
            *self._choosing(sweep.runs, f"{self._ends}[{part}]", f"{self._ends}[{part} + 1]"),
            f"{INDENT}}}",
        ]

    def _order_tables(self, runs: Sequence[Run]) -> list[str]:
        """Which step each call is of, and which of its calls it is."""
        steps = list(dict.fromkeys(run.step for run in runs))
        calls = [(steps.index(run.step), row) for run in runs for row in range(run.start, run.stop)]
        lines = [f"{CONTINUED}/* of each call its step, by the cases below, and its row in the tables of that */"]
        columns = list(zip((self._order, self._rows), zip(*calls, strict=True), strict=True))
        for name, column in columns if self._has_rows(runs) else columns[:1]:
            head = f"static const {_smallest(max(column))} {name}[{len(calls)}]"
            lines += _table(head, [list(map(str, column))], CONTINUED)
        return lines

    def _has_rows(self, runs: Sequence[Run]) -> bool:
        """Whether one of the steps has a table; one that is called once has none."""
        return any(len(self._body.steps[run.step].places) > 1 for run in runs)

    def _choosing(self, runs: Sequence[Run], start: str, stop: str) -> list[str]:
        """The loop over the order of steps."""
        k, at, inner = self._place, self._at, CONTINUED + INDENT
        steps = list(dict.fromkeys(run.step for run in runs))
        lines = [
            f"{CONTINUED}for (int {k} = {start}; {k} < {stop}; ++{k}) {{",
            *[f"{inner}const int {at} = {self._rows}[{k}];"] * self._has_rows(runs),
            f"{inner}switch ({self._order}[{k}]) {{",
        ]
        for place, step in enumerate(steps):
            label = "default" if place == len(steps) - 1 else f"case {place}"
            lines += [f"{inner}{label}:", *_broken(inner + INDENT, self._call(step, at)), f"{inner}{INDENT}break;"]
        return [*lines, f"{inner}}}", f"{CONTINUED}}}"]


def _smallest(largest: int) -> str:
    """The type of a table of whole numbers up to that."""
    return "unsigned char" if largest <= _LARGEST_CHAR else "unsigned short" if largest <= _LARGEST_SHORT else "int"


def _pragma(text: str) -> list[str]:
    """A line for OpenMP, which other compilers need not know."""
    return ["#ifdef _OPENMP", f"#pragma omp {text}", "#endif"]


def _broken(indent: str, statement: str) -> list[str]:
    """A call on one line, or with its arguments on several."""
    if len(indent) + len(statement) <= WIDTH:
        return [f"{indent}{statement}"]
    head, _, rest = statement.partition("(")
    return [f"{indent}{head}(", *_filled(rest.split(", "), indent + INDENT)]


def _filled(items: Sequence[str], indent: str) -> list[str]:
    """Items with commas between them on as few lines as hold them."""
    lines: list[str] = []
    line = indent
    for place, item in enumerate(items):
        text = item if place == len(items) - 1 else f"{item}, "
        if len(line) + len(text.rstrip()) > WIDTH and line != indent:
            lines.append(line.rstrip())
            line = indent
        line += text
    return [*lines, line]


def _table(head: str, rows: Sequence[Sequence[str]], indent: str = INDENT) -> list[str]:
    """A constant array; a single row is one of one dimension."""
    if head.count("[") == 1:
        return [f"{indent}{head} = {{", *_filled(rows[0], indent + INDENT), f"{indent}}};"]
    lines = [f"{indent}{head} = {{"]
    for row in rows:
        text = f"{indent}{INDENT}{{{', '.join(row)}}},"
        if len(text) <= WIDTH:
            lines.append(text)
        else:
            filled = _filled(row, indent + INDENT + " ")
            filled[0] = f"{indent}{INDENT}{{{filled[0].lstrip()}"
            lines += [*filled[:-1], f"{filled[-1]}}},"]
    return [*lines, f"{indent}}};"]

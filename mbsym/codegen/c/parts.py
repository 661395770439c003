"""Long functions as a sequence of short ones, and alike sections as loops over lanes.

The register allocation of compilers grows with the square of the length of straight-line code. A body above
``LARGEST_WHOLE`` operations becomes parts of about ``PART_SIZE``, cut where the fewest values cross. Sections that do
the same work on different values become loops, parts of their own. Values that later parts need pass through an array
of the calling function, whose places are used again once a value is no longer needed; what the lanes of a loop read or
write stands there side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from mbsym.codegen.c.lanes import Lanes, in_lanes
from mbsym.codegen.c.pieces import Line, Parts, Stage, identifier_of, variables_of
from mbsym.codegen.c.placing import Placing
from mbsym.codegen.expressions import Constant, Expression, leaves, operations
from mbsym.codegen.lowered import Block, LoweredFunction

LARGEST_WHOLE: Final = 4000
PART_SIZE: Final = 2500
SHORTEST: Final = 0.6
LONGEST: Final = 1.3


def split(body: LoweredFunction) -> Parts | None:
    """The parts of a body that is long or has alike sections; None for a body that stays whole."""
    if "parts" not in body.known:
        body.known["parts"] = _split(body)
    parts: Parts | None = body.known["parts"]
    return parts


def _split(body: LoweredFunction) -> Parts | None:
    blocks = in_lanes(body.blocks)
    has_loops = any(isinstance(block, Lanes) for block in blocks)
    if body.operations.arithmetic <= LARGEST_WHOLE and not has_loops:
        return None
    stages = _stages(body, blocks)
    if len(stages) == 1:
        return None
    return Placing(stages, body.results).result()


# ---- stages ----------------------------------------------------------------------------------------------------------


def _stages(body: LoweredFunction, blocks: Sequence[Block | Lanes]) -> list[Stage]:
    """Loops, and runs of lines between them cut to size; a run, perhaps an empty one, stands before each loop.

    An entry stands behind the last temporary that it needs; what needs none comes first.
    """
    temporaries = {assignment.identifier: None for block in body.blocks for assignment in block.assignments}
    order = {name: place for place, name in enumerate(temporaries)}
    ready: dict[int, list[Line]] = {}
    for result in body.results:
        for index, entry in enumerate(result.entries):
            line = _line("", result.identifier, index, entry, order)
            ready.setdefault(max((order[name] for name in line.needs), default=-1), []).append(line)
    runs: list[Stage] = [list(ready.get(-1, ()))]
    for block in blocks:
        run = runs[-1]
        assert isinstance(run, list)
        if isinstance(block, Lanes):
            inside = [name for names in block.names.values() for name in names]
            runs += [block, [line for name in inside for line in ready.get(order[name], ())]]
            continue
        for assignment in block.assignments:
            run.append(_line(block.title, assignment.identifier, None, assignment.expression, order))
            run += ready.get(order[assignment.identifier], ())
    crossing = _crossings(runs)
    stages: list[Stage] = []
    start = 0
    for item in runs:
        if isinstance(item, Lanes):
            stages.append(item)
            start += 1
        else:
            cuts = _cuts(item, crossing[start : start + len(item) + 1])
            stages += [item[a:b] for a, b in pairwise(cuts)]
            start += len(item)
    return stages


def _line(title: str, identifier: str, index: int | None, expression: Expression, order: dict[str, int]) -> Line:
    names = [identifier_of(leaf) for leaf in leaves(expression) if not isinstance(leaf, Constant)]
    needs = tuple(dict.fromkeys(name for name in names if name in order))
    operands = tuple(dict.fromkeys(name for name in names if name not in order))
    return Line(title, identifier, index, expression, needs, operands)


def _crossings(runs: Sequence[Stage]) -> list[int]:
    """How many temporaries wait at each place, lines and loops counted through."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    length = 0
    for item in runs:
        if isinstance(item, Lanes):
            for names in item.names.values():
                first.update(dict.fromkeys(names, length))
            for leaf in variables_of(item):
                last[leaf] = length
            length += 1
            continue
        for line in item:
            if line.index is None:
                first[line.identifier] = length
            last.update(dict.fromkeys(line.needs, length))
            length += 1
    change = [0] * (length + 2)
    for name, final in last.items():
        if name in first:
            change[first[name] + 1] += 1
            change[final + 1] -= 1
    total, crossing = 0, []
    for step in change:
        total += step
        crossing.append(total)
    return crossing


def _cuts(lines: list[Line], crossing: Sequence[int]) -> list[int]:
    """Where parts begin, and the end: within the range of sizes, where the fewest values cross."""
    sizes = [operations(line.expression) for line in lines]
    remaining = sum(sizes)
    cuts = [0]
    while remaining > LONGEST * PART_SIZE:
        size, place, best = 0, cuts[-1], (max(crossing) + 1, 0)
        while size <= LONGEST * PART_SIZE and place < len(lines):
            if size >= SHORTEST * PART_SIZE and lines[place].index is None:
                best = min(best, (crossing[place], -place))
            size += sizes[place]
            place += 1
        if not best[1]:
            break
        remaining -= sum(sizes[cuts[-1] : -best[1]])
        cuts.append(-best[1])
    return [*cuts, len(lines)]

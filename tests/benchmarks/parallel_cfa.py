"""The constraint force algorithm by threads: trees of 100 to 10000 bodies, and batches, beside the serial recursion.

    python tests/benchmarks/parallel_cfa.py [--small] [--threads 2] [--only TABLE] [--write docs/constraint_forces.md]

First the code that ``mbsym generate --formulation cfa-parallel --threads N`` writes, then how that came about:
parallel_cfa.c compares orders of elimination of all of A. It goes through tables; the equations are those of ``cfa``
(absolute form) for revolute joints, in an order of elimination that is data:

* leaf to root: no fill, one joint after the other;
* rounds: those of ``cfa-serial``, the joints of a round shared among threads, more than twice the operations;
* all ends: ground is an end like the leaves. Half of a chain is eliminated from its tip and half from ground, which
  meet in the middle, and so are the parts of a tree about its middle body: two tasks or more, no fill and no more
  operations than from leaf to root. The recursion has nothing like it: inertia can only be handed towards ground.

Microseconds of wall time are the best of many calls; the recursion by articulated bodies goes through tables too.
"Difference" is the largest one from the recursion's accelerations, relative to the largest acceleration.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import cos, sin
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import numpy as np
import parallel_generated
from cfa_operations import arms, binary, chain, comb
from numpy.typing import NDArray

from mbsym.codegen.build import find_compiler
from mbsym.formulations.constraint_force.elimination_order import rake_and_compress

Array = NDArray[Any]
Stages = list[list[list[int]]]
"""Stages, each of tasks that run at the same time, each of joints in turn; joints count from 0."""

SOURCE: Final = Path(__file__).with_name("parallel_cfa.c")
FLAGS: Final = ("-std=c99", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC")
SIDE: Final = 5
SHORTEST_ROUND: Final = 24
"""Joints of a round below which one thread does this and all later ones: waiting would cost more."""

NOTHING, PARENT, CHILD, SIBLING = range(4)


def rows(parents: Sequence[int], *, period: int = 13) -> Array:
    """A row of the table for each body: those of Liu, Hu and Zhang's method, from the start again after a period."""
    table = np.zeros((len(parents), 34))
    for body in range(len(parents)):
        i = body % period + 1
        a, b = 0.1 * i, 0.2
        about_x = np.array([[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]])
        about_y = np.array([[cos(b), 0, sin(b)], [0, 1, 0], [-sin(b), 0, cos(b)]])
        inertia = i * np.diag([0.02, 0.03, 0.04])
        table[body] = np.concatenate(
            [
                (about_x @ about_y).ravel(), [0.3, 0.1 * i, 0.05], [1 + i / 2], [0.1, 0.02 * i, 0.2],
                inertia.ravel(), np.linalg.inv(inertia).ravel(),
            ]
        )  # fmt: skip
    return table


def leaf_to_root(parents: Sequence[int]) -> Stages:
    """One joint after the other."""
    return [[list(range(len(parents) - 1, -1, -1))]]


def rounds(parents: Sequence[int]) -> Stages:
    """Rake and compress; what is left in short rounds is one task."""
    found = [[joint - 1 for joint in joints] for joints in rake_and_compress(parents)]
    long = next((k for k, joints in enumerate(found) if len(joints) < SHORTEST_ROUND), len(found))
    rest = [joint for joints in found[long:] for joint in joints]
    return [[[joint] for joint in joints] for joints in found[:long]] + ([[rest]] if rest else [])


def all_ends(parents: Sequence[int], threads: int) -> Stages:
    """From all ends inwards, ground among them, to a body in the middle: parts at the same time, then what is between.

    Joints couple where they touch one body, and ground does not couple them: it is an end like any other. Eliminated
    from its ends towards any body, a tree has no fill; parts that meet in this body alone do not wait for each other.
    """
    n = len(parents)
    near: list[list[tuple[int, int]]] = [[] for _ in range(n + 1)]
    for body, parent in enumerate(parents, start=1):
        near[parent].append((body, body))
        near[body].append((parent, body))
    size = [1] * (n + 1)
    for body in range(n, 0, -1):
        size[parents[body - 1]] += size[body] * (parents[body - 1] > 0)
    # The middle of the largest tree on ground: from where every part has at most half of the bodies.
    middle = max((body for body, _ in near[0]), key=lambda body: size[body])
    whole = size[middle]
    while heavy := [body for body, _ in near[middle] if body > middle and 2 * size[body] > whole]:
        middle = heavy[0]
    tasks = [_towards(body, middle, joint, near) for body, joint in near[middle] if body]
    tasks += [[*_towards(body, 0, joint, near), joint - 1] for body, joint in near[0] if _root(middle, parents) != body]
    between = [joint - 1 for _, joint in near[middle]]
    return [stage for stage in (_shared([each for each in tasks if each], threads), [between]) if stage]


def _root(body: int, parents: Sequence[int]) -> int:
    while parents[body - 1]:
        body = parents[body - 1]
    return body


def _towards(first: int, centre: int, joint: int, near: list[list[tuple[int, int]]]) -> list[int]:
    """Joints of the part behind a joint, those farthest from the centre first; the joint itself is left out."""
    found: list[int] = []
    front = [(first, joint)]
    while front:
        body, behind = front.pop()
        for other, own in near[body]:
            if own != behind:
                found.append(own - 1)
                if other and other != centre:
                    front.append((other, own))
    return found[::-1]


def _shared(tasks: list[list[int]], threads: int) -> list[list[int]]:
    """Tasks put together so that each thread has about as many joints."""
    found: list[list[int]] = [[] for _ in range(min(threads, len(tasks)))]
    for task in tasks:
        min(found, key=len).extend(task)
    return found


class _Order(ctypes.Structure):
    _fields_ = [("stages", ctypes.c_int)] + [
        (name, ctypes.c_void_p)
        for name in (
            "tasks", "joints", "order", "neighbours", "neighbour", "kind", "gathered", "gather", "gathered_right",
            "gather_right", "left", "kept",
        )
    ]  # fmt: skip


class _Tree(ctypes.Structure):
    _fields_ = [("bodies", ctypes.c_int)] + [
        (name, ctypes.c_void_p) for name in ("parent", "children", "child", "table")
    ] + [("gravity", ctypes.c_double * 3)]  # fmt: skip


class _Work(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_void_p)
        for name in ("turn", "omega", "alpha", "center", "known", "right", "wrench", "left", "kept")
    ]


@dataclass(frozen=True)
class Planned:
    """An order of elimination as parallel_cfa.c takes it.

    Attributes:
        structure: for C.
        arrays: what it points to.
        left, kept: numbers that joints leave to others and keep.
        fill: blocks that A does not have.
    """

    structure: _Order
    arrays: tuple[Array, ...]
    left: int
    kept: int
    fill: int


def planned(parents: Sequence[int], stages: Stages) -> Planned:
    """Who gathers what from whom."""
    n = len(parents)
    touching: dict[int, list[int]] = {}
    kinds: dict[tuple[int, int], int] = {}
    for joint, parent in enumerate(parents):
        if parent:
            kinds[joint, parent - 1], kinds[parent - 1, joint] = PARENT, CHILD
            touching.setdefault(parent, []).append(joint)
    for siblings in touching.values():
        kinds |= {(a, b): SIBLING for a in siblings for b in siblings if a != b}
    near: list[set[int]] = [set() for _ in parents]
    for a, b in kinds:
        near[a].add(b)
    order = [joint for stage in stages for task in stage for joint in task]
    waiting: dict[tuple[int, int], list[int]] = {}
    vectors: list[list[int]] = [[] for _ in parents]
    blocks: dict[int, list[list[int]]] = {}
    neighbour: dict[int, list[int]] = {}
    left, kept, places, keeps, fill = 0, 0, [0] * n, [0] * n, 0
    taken: list[list[int]] = [[] for _ in parents]
    for k in order:
        own = sorted(near[k])
        neighbour[k] = own
        blocks[k] = [[2 * place for place in waiting.pop((k, k), [])]]
        for o in own:
            fill += (k, o) not in kinds
            blocks[k].append([2 * place + (k > o) for place in waiting.pop((min(k, o), max(k, o)), [])])
            near[o].discard(k)
            near[o] |= {other for other in own if other != o}
        taken[k], places[k], keeps[k] = vectors[k], left, kept
        for place, a in enumerate(own):
            for b in own[: place + 1]:
                waiting.setdefault((b, a), []).append(left)
                left += SIDE * SIDE
        for a in own:
            vectors[a].append(left)
            left += SIDE
        kept += SIDE * SIDE * len(own)
    gathered = [entries for k in range(n) for entries in blocks[k]]
    tasks = [task for stage in stages for task in stage]
    arrays = tuple(
        np.array(values, dtype=np.int32)
        for values in (
            _starts(stages), _starts(tasks), order, _starts([neighbour[k] for k in range(n)]),
            [o for k in range(n) for o in neighbour[k]],
            [kinds.get((k, o), NOTHING) for k in range(n) for o in neighbour[k]],
            _starts(gathered), [entry for entries in gathered for entry in entries], _starts(taken),
            [entry for entries in taken for entry in entries], places, keeps,
        )
    )  # fmt: skip
    structure = _Order(len(stages), *(array.ctypes.data for array in arrays))
    return Planned(structure, arrays, left, kept, fill)


def _starts(lists: Sequence[Sequence[object]]) -> list[int]:
    found = [0]
    for each in lists:
        found.append(found[-1] + len(each))
    return found


class Mechanism:
    """A tree with its tables, and what computes its accelerations."""

    def __init__(self, library: ctypes.CDLL, parents: Sequence[int], table: Array, states: int = 1) -> None:
        n = len(parents)
        self.library, self.parents, self.n, self.states = library, tuple(parents), n, states
        children: list[list[int]] = [[] for _ in parents]
        for joint, parent in enumerate(parents):
            if parent:
                children[parent - 1].append(joint)
        integers = [[parent - 1 for parent in parents], _starts(children), [c for own in children for c in own]]
        self._kept = [*(np.array(values, dtype=np.int32) for values in integers), table]
        gravity = (ctypes.c_double * 3)(0, 0, -9.81)
        self.tree = _Tree(n, *(array.ctypes.data for array in self._kept), gravity)
        sizes = (9, 3, 3, 3, 6, 5, 6)
        self._numbers = [np.zeros(size * n * states) for size in sizes]
        self._recursive = [np.zeros(size * n * states) for size in (33, 8)]
        self.vdot = np.zeros(n * states)

    def constraint_forces(self, order: Planned, threads: int, q: Array, v: Array, tau: Array) -> Callable[[], Array]:
        """A call that computes the accelerations by the constraint force algorithm."""
        spaces = [np.zeros(order.left + 1), np.zeros(order.kept + 1)]
        work = _Work(*(array.ctypes.data for array in (*self._numbers, *spaces)))
        arguments = [ctypes.c_void_p(array.ctypes.data) for array in (q, v, tau, self.vdot)]
        function = self.library.constraint_forces

        def call() -> Array:
            function(ctypes.byref(self.tree), ctypes.byref(order.structure), ctypes.byref(work), threads, *arguments)
            return self.vdot

        call.__dict__["kept"] = spaces
        return call

    def recursion(self, q: Array, v: Array, tau: Array, threads: int = 0) -> Callable[[], Array]:
        """A call that computes the accelerations by articulated bodies; with threads those of many states."""
        work = _Work(*(array.ctypes.data for array in self._numbers), 0, 0)
        spaces = [ctypes.c_void_p(array.ctypes.data) for array in self._recursive]
        arguments = [ctypes.c_void_p(array.ctypes.data) for array in (q, v, tau, self.vdot)]
        named = [ctypes.byref(self.tree), ctypes.byref(work), *spaces]

        def call() -> Array:
            if threads:
                self.library.many(*named, threads, self.states, *arguments)
            else:
                self.library.recursion(*named, *arguments)
            return self.vdot

        return call


def compiled(directory: str, *, optimised: bool = True) -> ctypes.CDLL:
    """The library."""
    place = Path(directory) / "parallel_cfa.so"
    flags = FLAGS if optimised else [flag for flag in FLAGS if flag not in ("-O3", "-march=native")]
    subprocess.run([*find_compiler(), *flags, str(SOURCE), "-o", str(place), "-lm"], check=True)
    library = ctypes.CDLL(str(place))
    for function in (library.constraint_forces, library.recursion, library.many):
        function.restype = None
    return library


def microseconds(call: Callable[[], Array], seconds: float = 0.5) -> float:
    """Wall time of the fastest of many calls."""
    best, end = 1e9, perf_counter() + seconds
    call()
    while perf_counter() < end:
        began = perf_counter()
        call()
        best = min(best, perf_counter() - began)
    return 1e6 * best


def state(n: int, states: int = 1) -> tuple[Array, Array, Array]:
    """Coordinates, speeds and torques."""
    rng = np.random.default_rng(n)
    q, v, tau = (rng.uniform(-size, size, states * n) for size in (1, 0.1, 1))
    return q, v, tau


def single(
    library: ctypes.CDLL, parents: tuple[int, ...], threads: int, seconds: float = 0.5
) -> tuple[list[float], float]:
    """Microseconds of the recursion and of every order, and the largest difference."""
    given = state(len(parents))
    mechanism = Mechanism(library, parents, rows(parents))
    recursion = mechanism.recursion(*given)
    expected = recursion().copy()
    root, level, ends = (
        planned(parents, stages) for stages in (leaf_to_root(parents), rounds(parents), all_ends(parents, threads))
    )
    chosen = ((root, 1), (level, 1), (level, threads), (ends, 1), (ends, threads))
    calls = [mechanism.constraint_forces(order, count, *given) for order, count in chosen]
    worst = max(float(np.abs(call() - expected).max() / np.abs(expected).max()) for call in calls)
    return [microseconds(call, seconds) for call in (recursion, *calls)], worst


SHAPES: Final[dict[str, Callable[[int], tuple[int, ...]]]] = {
    "chain": chain, "four arms": arms, "comb": comb, "binary": binary
}  # fmt: skip


def generated_rows(sizes: Sequence[int], threads: int, seconds: float) -> Iterator[str]:
    """The table of generated code."""
    several = f"{threads} threads"
    gains = f"threads gain | recursion / {several}"
    yield f"| tree, us a call | bodies | recursion | parts, 1 thread | parts, {several} | {gains} | difference |"
    yield "|" + "---|" * 8
    with TemporaryDirectory() as scratch:
        for shape, parents_of in SHAPES.items():
            # Ten thousand bodies take minutes to derive: chains alone.
            for n in sizes if shape == "chain" else [n for n in sizes if n <= 1000]:
                parents = parents_of(n)
                given = state(len(parents))
                (alone, one, all_), worst = parallel_generated.single(Path(scratch), parents, threads, given, seconds)
                times = f"{alone:.0f} | {one:.0f} | {all_:.0f} | {one / all_:.2f} | {alone / all_:.2f}"
                yield f"| {shape} | {n} | {times} | {worst:.0e} |"


def counted_rows(sizes: Sequence[int]) -> Iterator[str]:
    """The table of operations of generated code, for chains."""
    yield "| bodies of a chain | | threads | operations a body | on the longest way | waits | recursion / longest way |"
    yield "|" + "---|" * 7
    for n in sizes:
        # Of ten thousand bodies each row takes a minute.
        yield from parallel_generated.counted(chain(n), (2, 4, 8, 16, 64) if n < 10000 else (2, 4, 16))


def order_rows(library: ctypes.CDLL, sizes: Sequence[int], threads: int, seconds: float) -> Iterator[str]:
    """The table of orders of elimination."""
    several = f"{threads} threads"
    ways = ["recursion", "leaf to root", "rounds", f"rounds, {several}", "all ends", f"all ends, {several}"]
    yield f"| tree, us a call | bodies | {' | '.join(ways)} | difference |"
    yield "|" + "---|" * 9
    for shape, parents_of in SHAPES.items():
        for n in sizes:
            times, worst = single(library, parents_of(n), threads, seconds)
            yield f"| {shape} | {n} | {' | '.join(f'{each:.0f}' for each in times)} | {worst:.0e} |"


def batch_rows(library: ctypes.CDLL, threads: int, seconds: float) -> Iterator[str]:
    """The table of many states at once."""
    yield f"| us a state | 1 thread | {threads} threads | threads gain | difference |"
    yield "|" + "---|" * 5
    for n in (100, 1000):
        mechanism = Mechanism(library, chain(n), rows(chain(n)), 64)
        given = state(n, 64)
        calls = [mechanism.recursion(*given, count) for count in (1, threads)]
        one, all_ = (each / 64 for each in parallel_generated.in_turn(calls, seconds))
        yield f"| chain of {n} by the recursion, 64 states | {one:.1f} | {all_:.1f} | {one / all_:.1f} | |"
    yield from parallel_generated.batches(seconds)


def main() -> None:
    """Prints the tables, and writes them to pages that have places for them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="trees of 100 bodies alone")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="the name of one table")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement; more on a busy machine")
    parser.add_argument("--write", metavar="PAGE", type=Path, help="put the tables between <!-- threads NAME --> lines")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", str(options.threads))
    sizes = (100,) if options.small else (100, 1000, 10000)
    with TemporaryDirectory() as scratch:
        library = compiled(scratch)
        tables = {
            "generated": generated_rows(sizes, options.threads, options.seconds),
            "counted": counted_rows(sizes),
            "orders": order_rows(library, sizes, options.threads, options.seconds),
            "batches": batch_rows(library, options.threads, options.seconds),
        }
        for name, lines in tables.items():
            if options.only not in ("", name):
                continue
            found = []
            for line in lines:
                found.append(line)
                print(line, flush=True)
            print()
            if options.write is not None:
                page = options.write.read_text(encoding="utf-8")
                place = rf"(<!-- threads {name} -->\n).*?(<!-- threads end -->)"
                text = "".join(f"{line}\n" for line in found)
                changed, places = re.subn(place, lambda at, text=text: f"{at[1]}{text}{at[2]}", page, flags=re.DOTALL)
                if not places:
                    parser.error(f"{options.write} has no lines <!-- threads {name} --> and <!-- threads end -->")
                options.write.write_text(changed, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Markdown of what was measured, ratios first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from peers import batches
from peers.contestants import SHORT
from peers.loops import ALGORITHMS, FUNCTION
from peers.measure import Timing, best
from peers.robots import Robot

MISSING = "–"
OURS, PEERS = "mbsym", ("Pinocchio", "CasADi", "MuJoCo")


@dataclass(slots=True)
class Measured:
    """All that one run found.

    Attributes:
        about: date, processor, compilers and versions, for the line under each table.
        robots: in the order of the tables.
        operations: inverse dynamics, forward dynamics and mass matrix of each robot.
        calls: timings of functions for one state.
        lanes: timings of batches, and of Pinocchio beside them.
        together: inverse dynamics a second of two threads, by kind of number.
        loops: timings of closed loops.
        missing: a sentence on each thing that could not be measured.
    """

    about: str
    robots: tuple[Robot, ...]
    operations: dict[str, tuple[int, ...]] = field(default_factory=dict)
    calls: list[Timing] = field(default_factory=list)
    lanes: list[Timing] = field(default_factory=list)
    together: dict[str, float] = field(default_factory=dict)
    loops: list[Timing] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def ratio(timings: Sequence[Timing], robot: str, function: str, peer: str, ours: str = OURS) -> float | None:
    """Times as fast as the peer's best build is ours."""
    one, other = best(timings, robot, function, ours), best(timings, robot, function, peer)
    return None if one is None or other is None else other.ns / one.ns


def _joined(cells: Iterable[str]) -> str:
    cells = list(cells)
    return MISSING if set(cells) <= {MISSING} else " / ".join(cells)


def _number(value: float | None, form: str = ".1f") -> str:
    return MISSING if value is None else format(value, form)


def _missed(found: Mapping[str, float | None], asked: Sequence[float] | None, most: bool = False) -> list[str]:
    """By how much figures are missed, in per cent; those asked for are the most or the least."""
    short = []
    for (name, value), limit in zip(found.items(), asked or (), strict=False):
        if value is not None and (value > limit if most else round(value, 1) < limit):
            short.append(f"{name} {abs(value / limit - 1):.0%}".replace("%", " %"))
    return short


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def summary(run: Measured) -> str:
    """A line a robot: inverse dynamics, forward dynamics and mass matrix in each cell."""
    rows = []
    for robot in run.robots:
        ratios = {peer: {name: ratio(run.calls, robot.name, name, peer) for name in SHORT} for peer in PEERS}
        counts = dict(zip(SHORT, run.operations.get(robot.name, ()), strict=False))
        ours = [best(run.calls, robot.name, name, OURS) for name in SHORT]
        missed = _missed(ratios["Pinocchio"], robot.ratios)
        missed += [f"{text} operations" for text in _missed(counts, robot.limits, most=True)]
        asked = MISSING if robot.ratios is None else _joined(f"{x:g}" for x in robot.ratios)
        rows.append((
            robot.title,
            _joined(map(_number, ratios["Pinocchio"].values())),
            asked,
            *(_joined(map(_number, ratios[peer].values())) for peer in PEERS[1:]),
            _joined(_number(None if item is None else item.ns, ".0f") for item in ours),
            _joined(map(str, counts.values())),
            _joined(map(str, robot.limits)),
            ", ".join(missed) or "nothing",
        ))  # fmt: skip
    head = (
        "robot",
        "times Pinocchio",
        "asked",
        "times CasADi",
        "times MuJoCo",
        "ns",
        "operations",
        "at most",
        "missed",
    )
    return table(head, rows) + "\n\n" + _under(run)


def calls(run: Measured) -> str:
    """A line a function, with the best build of each peer."""
    rows = []
    for robot in run.robots:
        for name in SHORT:
            times = [best(run.calls, robot.name, name, peer) for peer in (OURS, *PEERS)]
            told = [MISSING if item is None else f"{item.ns:.0f} ({item.build})" for item in times]
            found = (_number(ratio(run.calls, robot.name, name, peer)) for peer in PEERS)
            rows.append((robot.title, name, *found, *told))
    head = ("robot", "", *(f"times {peer}" for peer in PEERS), *(f"ns, {peer}" for peer in (OURS, *PEERS)))
    return table(head, rows) + "\n\n" + _under(run)


def plain(run: Measured) -> str:
    """A line a robot: times as fast as Pinocchio's best build what is generated without options is, by build."""
    rows = []
    for robot in run.robots:
        cells = []
        for build in _builds(run):
            found = [_built(run, robot.name, name, f"{build} auto") for name in SHORT]
            theirs = [best(run.calls, robot.name, name, "Pinocchio") for name in SHORT]
            pairs = zip(found, theirs, strict=True)
            cells.append(_joined(_number(None if a is None or b is None else b.ns / a.ns) for a, b in pairs))
        rows.append((robot.title, *cells))
    return table(("robot", *(f"`{build}`" for build in _builds(run))), rows) + "\n\n" + _under(run)


def sines(run: Measured) -> str:
    """A line a robot and build: nanoseconds with the library's sines, and with those of the text."""
    rows = []
    for robot in run.robots:
        for build in _builds(run):
            ways = [[_built(run, robot.name, name, f"{build} {way}") for name in SHORT] for way in ("libm", "auto")]
            ns = [[None if item is None else item.ns for item in way] for way in ways]
            times = [None if None in pair else pair[0] / pair[1] for pair in zip(*ns, strict=True)]
            cells = [_joined(_number(x, ".0f") for x in way) for way in ns]
            rows.append((robot.title, f"`{build}`", *cells, _joined(map(_number, times))))
    return table(("robot", "built by", "libm, ns", "auto, ns", "times"), rows) + "\n\n" + run.about


def _builds(run: Measured) -> list[str]:
    """How our code was built."""
    return list(dict.fromkeys(item.build.rpartition(" ")[0] for item in run.calls if item.peer == OURS))


def _built(run: Measured, robot: str, function: str, build: str) -> Timing | None:
    """Our timing of one build."""
    wanted = (robot, function, OURS, build)
    return next((x for x in run.calls if (x.robot, x.function, x.peer, x.build) == wanted), None)


def lanes(run: Measured) -> str:
    """A line for each kind of vector and function: states in rows and in columns, of double and of single precision."""
    rows = []
    titles = {robot.name: robot.title for robot in run.robots}
    for robot in dict.fromkeys(item.robot for item in run.lanes):
        for name in SHORT:
            for kind in batches.LANES:
                peers = [f"{kind} {real} {layout}" for real in batches.REALS for layout in batches.LAYOUTS]
                found = [best(run.lanes, robot, name, peer) for peer in peers]
                ratios = [ratio(run.lanes, robot, name, "Pinocchio", peer) for peer in peers]
                if not any(found):
                    continue
                asked = batches.asked(robot, kind)
                missed = _missed({"rows": ratios[0], "columns": ratios[1]}, (asked, asked))
                cells = (*(_number(x) for x in ratios), *(_number(None if item is None else item.ns) for item in found))
                rows.append((titles[robot], name, kind, f"{asked:g}", *cells, ", ".join(missed) or "nothing"))
    each = [f"{real}, {layout}" for real in batches.REALS for layout in batches.LAYOUTS]
    head = ("robot", "", "vectors", "asked", *(f"times, {x}" for x in each), *(f"ns, {x}" for x in each), "missed")
    told = "".join(
        f"\n\nTwo threads at once: {1e-6 * rate:.0f} million inverse dynamics of the Panda a second in {real}, "
        f"asked are {1e-6 * batches.ASKED_OF_TWO[real]:.0f}."
        for real, rate in run.together.items()
    )
    return table(head, rows) + told + "\n\n" + _under(run)


def loops(run: Measured) -> str:
    """A line a mechanism with closed loops."""
    rows = []
    for name in dict.fromkeys(item.robot for item in run.loops):
        times = [best(run.loops, name, FUNCTION, peer) for peer in (OURS, *ALGORITHMS)]
        told = [MISSING if item is None else f"{item.ns:.0f} ({item.build})" for item in times]
        found = (_number(ratio(run.loops, name, FUNCTION, peer)) for peer in ALGORITHMS)
        rows.append((name.replace("_", " "), *found, *told))
    head = ("", *(f"times {peer}" for peer in ALGORITHMS), *(f"ns, {peer}" for peer in (OURS, *ALGORITHMS)))
    return table(head, rows) + "\n\n" + _under(run)


def _under(run: Measured) -> str:
    return " ".join((run.about, *(f"{text}." for text in run.missing)))


BLOCKS: dict[str, Callable[[Measured], str]] = {
    "summary": summary,
    "plain": plain,
    "calls": calls,
    "sines": sines,
    "batches": lanes,
    "loops": loops,
}
"""Tables by the names that pages have them under."""


def written(page: str, run: Measured) -> str:
    """A page with its tables as they are now: what stands between ``peers NAME`` and ``peers end``."""
    filled = {"batches": run.lanes, "loops": run.loops}
    for name, block in BLOCKS.items():
        start, end = f"<!-- peers {name} -->\n", "<!-- peers end -->"
        if start not in page or not filled.get(name, run.calls):
            continue
        before, rest = page.split(start, 1)
        _, found, after = rest.partition(end)
        if not found:
            raise ValueError(f"nothing ends the table {name}: write {end} under it")
        page = f"{before}{start}{block(run)}\n{end}{after}"
    return page

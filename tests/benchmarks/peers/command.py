"""mbsym beside its peers, in one run: functions for one state, batches, closed loops.

Each peer is built by gcc and by clang with -O2 and with -O3 -march=native, as far as they are there, and the fastest
build of each counts. Libraries are kept in build/peers; the first run takes half an hour of compilers, a later one
minutes. All results are compared before anything is measured. Then all take turns, in another order in each round, by
one clock, the processor time of the thread, and medians count. Pinocchio's C++ is compiled from the headers of its
wheel, with Eigen's of EIGEN_INC, /usr/include/eigen3 or CasADi's wheel; CasADi writes C of Pinocchio's algorithms;
MuJoCo is called in its wheel's library. What is not installed has no figures.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from mbsym.pipeline import GenerationOptions, derive, express, read
from peers import batches, builds, contestants, loops, tables
from peers.measure import Entry, Timing, measured
from peers.robots import ROBOTS, STATES, Prepared, Robot, found, prepared

PARTS = ("calls", "batches", "loops")
WHEELS = {"pin": "Pinocchio", "casadi": "CasADi", "mujoco": "MuJoCo"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures what is asked for, and writes Markdown and JSON."""
    given = _parsed(arguments)
    for page in given.write:
        if "<!-- peers " not in Path(page).read_text():
            sys.exit(
                f"{page} has no place for tables: write <!-- peers NAME --> and <!-- peers end --> where one is to be"
            )
    if hasattr(os, "sched_setaffinity") and given.processor is not None:
        os.sched_setaffinity(0, {given.processor})
    files = dict(_file(text) for text in given.file)
    own = [Robot(name, name, str(path), given.floating) for name, path in files.items() if name not in _names(ROBOTS)]
    chosen = tuple(robot for robot in (*ROBOTS, *own) if not given.robots or robot.name in given.robots.split(","))
    kept = Path(given.build).resolve()
    kept.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        place = Path(scratch)
        run = tables.Measured(_about(), chosen)
        robots = _prepared(chosen, files, place, run)
        run.missing += [f"{title} is not installed" for wheel, title in WHEELS.items() if not _version(wheel)]
        if "calls" in given.only:
            run.missing += [f"{name} is left out" for name in given.without]
            _calls(robots, kept, place, given, run)
        if "batches" in given.only:
            _batches([item for item in robots if item.robot.name in batches.ROBOTS], kept, place, given.rounds, run)
        if "loops" in given.only:
            _loops(kept, given.rounds, run)
    filled = {"calls": run.calls, "batches": run.lanes, "loops": run.loops}
    blocks = [tables.summary(run)] * bool(run.calls) + [tables.BLOCKS[name](run) for name in PARTS if filled[name]]
    Path(given.markdown or kept / "peers.md").write_text("\n\n".join(blocks) + "\n")
    Path(given.json or kept / "peers.json").write_text(json.dumps(asdict(run), indent=1) + "\n")
    for page in given.write:
        Path(page).write_text(tables.written(Path(page).read_text(), run))
    print("\n\n".join(blocks))


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    wording = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("tests/benchmarks/peers", description=__doc__, formatter_class=wording)
    add = parser.add_argument
    add("--only", type=lambda text: text.split(","), default=PARTS, help=f"of {','.join(PARTS)}")
    add("--robots", default="", help=f"names with commas, of {','.join(_names(ROBOTS))} and those with a file")
    add(
        "--file", action="append", default=[], metavar="NAME=URDF", help="the file of a robot, such as iiwa=iiwa14.urdf"
    )
    add("--floating", action="store_true", help="robots of files that have no name above stand on a free base")
    without = f"peers of single states that take no part, of {','.join(contestants.PEERS)}"
    add("--without", type=lambda text: text.split(","), default=[], help=without)
    add("--rounds", type=int, default=21)
    add("--processor", type=int, help="that all run on, where the system can be told")
    add("--build", default=str(builds.KEPT), metavar="FOLDER", help="where what is built is kept")
    add("--markdown", metavar="FILE", help="default is peers.md among what is kept")
    add("--json", metavar="FILE", help="default is peers.json among what is kept")
    add("--write", nargs="*", default=[], metavar="PAGE", help="put the tables where pages have places for them")
    given = parser.parse_args(arguments)
    if set(given.only) - set(PARTS):
        parser.error(f"--only takes {','.join(PARTS)}")
    if set(given.without) - set(contestants.PEERS):
        parser.error(f"--without takes {','.join(contestants.PEERS)}")
    if given.rounds < 1:
        parser.error("--rounds is at least 1")
    for text in given.file:
        if "=" not in text or not Path(text.partition("=")[2]).is_file():
            parser.error(f"--file {text}: give NAME=URDF, a file that is there")
    for page in given.write:
        if not Path(page).is_file():
            parser.error(f"--write {page}: there is no such page")
    known = {*_names(ROBOTS), *(text.partition("=")[0] for text in given.file)}
    for name in filter(None, given.robots.split(",")):
        if name not in known:
            parser.error(f"--robots {name}: known are {', '.join(sorted(known))}")
    return given


def _file(text: str) -> tuple[str, Path]:
    name, _, path = text.partition("=")
    return name, Path(path).resolve()


def _names(robots: Sequence[Robot]) -> tuple[str, ...]:
    return tuple(robot.name for robot in robots)


def _version(wheel: str) -> str:
    try:
        return version(wheel)
    except PackageNotFoundError:
        return ""


def _about() -> str:
    peers = ", ".join(f"{title} {_version(wheel)}" for wheel, title in WHEELS.items() if _version(wheel))
    told = f"Of {date.today().isoformat()}, {builds.processor()}, one thread, {builds.compilers()}"
    return f"{told}; {peers}." if peers else f"{told}."


def _prepared(chosen: Sequence[Robot], files: dict[str, Path], place: Path, run: tables.Measured) -> list[Prepared]:
    robots = []
    for robot in chosen:
        urdf = found(robot, files)
        if urdf is None:
            run.missing.append(f"The {robot.title} has no file here (--file {robot.name}=URDF)")
            continue
        robots.append(prepared(robot, urdf, place))
        options = GenerationOptions(functions=tuple(contestants.FUNCTIONS))
        derivation = derive(express(read(robots[-1].model), options), options)
        counts = {program.name: program.operation_count().arithmetic for program in derivation.programs}
        run.operations[robot.name] = tuple(counts[name] for name in contestants.FUNCTIONS)
    return robots


def _calls(
    robots: Sequence[Prepared], kept: Path, place: Path, given: argparse.Namespace, run: tables.Measured
) -> None:
    every = []
    for robot in robots:
        items = contestants.contestants(robot, kept, place, given.without)
        contestants.require_agreement(items)
        every += [item.entry for item in items]
    run.calls = _timed(every, given.rounds)


def _batches(robots: Sequence[Prepared], kept: Path, place: Path, rounds: int, run: tables.Measured) -> None:
    opened = batches.opened(robots, kept)
    batches.require_agreement(opened, kept, place)
    every = [entry for item in opened for entry in item.entries()]
    for robot in robots:
        every += [item.entry for item in contestants.pinocchio(robot, kept, place, STATES)]
    run.lanes = _timed(every, rounds)
    run.together = batches.together(opened, rounds) if (os.cpu_count() or 1) > 1 else {}


def _loops(kept: Path, rounds: int, run: tables.Measured) -> None:
    every = []
    for name in loops.MECHANISMS:
        items, told = loops.contestants(name, kept)
        every += [item.entry for item in items]
        run.missing += [told] if told else []
    run.loops = _timed(every, rounds)


def _timed(every: Sequence[Entry], rounds: int) -> list[Timing]:
    """Robot by robot, so that what is compared is measured close together."""
    found = []
    for robot in dict.fromkeys(entry.robot for entry in every):
        print(f"measuring {robot}", file=sys.stderr, flush=True)
        found += measured([entry for entry in every if entry.robot == robot], rounds)
    return found

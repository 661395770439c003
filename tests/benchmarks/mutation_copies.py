"""Tries faults in copies of the tree, one for each process, with the tests that execute their lines.

Each process has a copy of its own, into which it puts a fault, runs the tests that execute its line, and takes it out
again. First tests of its room are asked, then those that name the room, at last all others; which lines they execute
is recorded when they are first asked, and kept for all processes: recordings hold paths from the root of the copy.
"""

from __future__ import annotations

import compileall
import json
import multiprocessing
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any, Final, Protocol

import mutation_runs

WITHOUT_FAULT: Final = "without_fault.json"
"""File of a copy with the text of the module that has a fault at present."""

IGNORED: Final = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "build")

TREES: Final = ("mbsym/", "runtime/")
"""Files whose lines are recorded."""

FIRST: Final = 8
"""Files of tests that are run against a fault before recordings are asked."""

FORK: Final = multiprocessing.get_context("fork")


class Fault(Protocol):
    """The text from start to end of a file is replaced."""

    @property
    def path(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def line(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Reach:
    """Which tests are asked about a fault.

    Attributes:
        depth: "first" are a few whole files of tests about the module, run for seconds, which needs no recordings;
            "room" are those of its room too, and those that name the room where none of them executes the line;
            "all" are all.
        slow: those are asked too that take too long to be recorded.
        named: tests that are asked instead of all these, with time to end.
    """

    depth: str
    slow: bool
    named: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A fault to be tried: its number, a line about it, and where the tests lie that are asked."""

    number: int
    shown: str
    fault: Fault
    asked: tuple[str, ...]


def prepared(root: Path, scratch: Path, processes: int, *, tests_anew: bool) -> list[Path]:
    """A copy of the tree for each process, as it was when the first was made, without faults.

    Args:
        root: of the repository.
        scratch: where the copies lie.
        processes: how many there are.
        tests_anew: the tests are copied as they are now.
    """
    copies = [scratch / f"copy_{number}" for number in range(processes)]
    for copy in copies:
        if copy.exists():
            restore(copy)
            if tests_anew:
                shutil.rmtree(copy / "tests")
                shutil.copytree(root / "tests", copy / "tests", ignore=IGNORED)
        else:
            shutil.copytree(copies[0] if copies[0].exists() else root, copy, ignore=IGNORED)
            # A module that has changed is noticed by its content.
            compileall.compile_dir(copy / "mbsym", quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return copies


def put(copy: Path, fault: Fault, source: str) -> None:
    """Puts the fault into the copy, and keeps the text without it."""
    (copy / WITHOUT_FAULT).write_text(json.dumps({"path": fault.path, "source": source}), encoding="utf-8")
    (copy / fault.path).write_text(source[: fault.start] + fault.text + source[fault.end :], encoding="utf-8")


def restore(copy: Path) -> None:
    """Takes the fault out of the copy, also one that an interrupted run has left there."""
    place = copy / WITHOUT_FAULT
    if place.exists():
        kept = json.loads(place.read_text(encoding="utf-8"))
        (copy / kept["path"]).write_text(kept["source"], encoding="utf-8")
        place.unlink()


def tiers(copy: Path, path: str, names: Sequence[str]) -> list[list[str]]:
    """Files of tests in the order in which they are asked about a file.

    First those that name the module or are called like it, then of its room, those that name the room, and others; in
    each those of the room come first.
    """
    parts = Path(path).with_suffix("").parts
    room = parts[1] if parts[0] == "mbsym" else parts[0]
    texts = {name: (copy / name).read_text(encoding="utf-8") for name in names}

    def naming(words: str) -> set[str]:
        return {name for name, text in texts.items() if re.search(rf"\b{re.escape(words)}\b", text)}

    like = {name for name in names if parts[-1] in Path(name).stem}
    own = {name for name in names if name.startswith(f"tests/unit/{room}/")}
    module, about = (naming(".".join(parts)), naming(f"mbsym.{room}")) if parts[0] == "mbsym" else (set(), naming(room))
    found: list[list[str]] = []
    for tier in (module | like, own, about, set(names)):
        new = [name for name in names if name in tier and not any(name in each for each in found)]
        found.append(sorted(new, key=lambda name: (name not in own, len(texts[name]))))
    return found


class Worker:
    """What a process has: its copy, where recordings lie, those that it has read, and how far it asks."""

    copy: Path
    kept: Path
    recordings: dict[str, dict[str, dict[str, Any]]]
    reach: Reach

    @classmethod
    def begin(cls, copies: Any, kept: Path, reach: Reach) -> None:
        """Takes the next copy."""
        cls.copy, cls.kept, cls.recordings, cls.reach = Path(copies.get()), kept, {}, reach

    @classmethod
    def recorded(cls, name: str) -> dict[str, dict[str, Any]]:
        """What the tests of a file execute."""
        if name not in cls.recordings:
            began = time.perf_counter()
            cls.recordings[name] = mutation_runs.record(cls.copy, name, TREES, cls.kept)
            if time.perf_counter() - began > 1:
                tests = len(cls.recordings[name])
                print(f"     {time.perf_counter() - began:5.0f} s  recorded {name}, {tests} tests", flush=True)
        return cls.recordings[name]

    @classmethod
    def seen(cls, task: Task) -> tuple[Task, str, float]:
        """What sees a fault: a test, or "" where none does; and the seconds that it took."""
        began = time.perf_counter()
        copy, fault = cls.copy, task.fault
        source = (copy / fault.path).read_text(encoding="utf-8")
        files = tiers(copy, fault.path, files_of_tests(copy, task.asked))
        try:
            by = cls._at_first([name for tier in files[:3] for name in tier], fault, source)
            if not by and cls.reach.depth != "first" and not cls.reach.named:
                by = cls._by_recordings(files, fault, source)
        finally:
            restore(copy)
        return task, by, time.perf_counter() - began

    @classmethod
    def _at_first(cls, near: Sequence[str], fault: Fault, source: str) -> str:
        copy, named = cls.copy, cls.reach.named
        put(copy, fault, source)
        names, seconds = (named, mutation_runs.NAMED) if named else (near[:FIRST], mutation_runs.WHOLE)
        return mutation_runs.first_failing(
            copy, names, seconds, lambda: restore(copy), lambda: put(copy, fault, source)
        )

    @classmethod
    def _by_recordings(cls, files: Sequence[Sequence[str]], fault: Fault, source: str) -> str:
        copy, asked, by = cls.copy, False, ""
        slow, imported = list[str](), list[tuple[str, float]]()
        for number, tier in enumerate(files):
            if cls.reach.depth == "room" and (number == 3 or (number == 2 and asked)):
                break
            # Recordings are made of the copy without the fault.
            restore(copy)
            recordings = [cls.recorded(name) for name in tier]
            quick, other, too_long = mutation_runs.candidates(recordings, fault.path, source, fault.line)
            put(copy, fault, source)
            by = mutation_runs.killed_by(copy, quick)
            if by:
                return by
            asked = asked or bool(quick)
            slow += too_long
            imported += other
        by = mutation_runs.killed_by(copy, imported)
        if not by and cls.reach.slow:
            by = mutation_runs.killed_by_slow(copy, slow, lambda: restore(copy), lambda: put(copy, fault, source))
        return by


def files_of_tests(copy: Path, places: Sequence[str]) -> list[str]:
    """Paths of the files of tests in these places."""
    files = (file for place in places for file in sorted((copy / place).rglob("test_*.py")))
    return [file.relative_to(copy).as_posix() for file in files]


def tried(copies: Sequence[Path], kept: Path, tasks: Sequence[Task], reach: Reach) -> Iterator[tuple[Task, str, float]]:
    """Tries faults as processes become free: what sees each, and the seconds that it took.

    Args:
        copies: one for each process.
        kept: where recordings lie, and are put.
        tasks: the faults.
        reach: which tests are asked.
    """
    mutation_runs.warm_up()
    free = FORK.SimpleQueue()
    for copy in copies:
        free.put(str(copy))
    with ProcessPoolExecutor(len(copies), FORK, Worker.begin, (free, kept, reach)) as pool:
        for done in as_completed([pool.submit(Worker.seen, task) for task in tasks]):
            yield done.result()

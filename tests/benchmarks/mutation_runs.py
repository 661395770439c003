"""Runs tests in processes that start warm: once to learn which test executes which line, then against single faults.

One process imports what tests import besides mbsym (pytest, NumPy, SymPy, Pinocchio, MuJoCo) and forks for every file
of tests and every fault. Which lines a test executes is traced, fixtures included; what is read as text (routines of
the runtime) counts as executed from then on, all of it. Against a fault only tests run that execute its statement, few
cheap ones of many files first, then the rest, until one fails.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import pytest

WARM: Final = (
    "hypothesis.extra.numpy", "hypothesis.strategies", "numpy", "scipy.integrate", "scipy.linalg", "scipy.optimize",
    "scipy.signal", "sympy", "jinja2", "yaml", "pydantic", "typer.testing", "rich", "matplotlib", "mpmath", "pinocchio",
    "mujoco",
)  # fmt: skip
"""Imported before the first fork; what is missing is left out."""

SLOWEST: Final = 4
"""Seconds of processor time after which the recording gives a test up: it is not run against faults."""

LONGEST: Final = 20
"""Seconds of processor time after which the recording of a file takes each function of tests with one set only."""

FIRST_FILES, FIRST_TESTS, FIRST_SECONDS = 12, 3, 15.0
"""Files, tests of each and seconds of the first round against a fault."""

SECONDS: Final = 90.0
"""Recorded seconds of all tests against one fault: the cheapest."""

PYTEST: Final = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--tb=no", "-m", ""]
"""Further examples too, which tests leave out."""


def warm_up() -> None:
    """Imports what tests need besides mbsym."""
    for name in WARM:
        try:
            __import__(name)
        except ImportError:
            continue


def spent() -> float:
    """Seconds of processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@dataclass(frozen=True, slots=True)
class Ended:
    """How a forked process ended: what it returned, or None where it was stopped or fell over."""

    returned: Any
    stopped: bool


def forked(copy: Path, work: Callable[[], Any], processor: int, wall: float) -> Ended:
    """Runs a function in a child whose working directory and mbsym are the copy's.

    Args:
        copy: root of the repository's copy.
        work: what the child does; its result goes through JSON.
        processor: seconds of processor time that the child has.
        wall: seconds after which it is stopped with all its children.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            os.setpgid(0, 0)
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 5))
            os.chdir(copy)
            here = Path(__file__).parent
            sys.path[:] = [str(copy), *(entry for entry in sys.path if Path(entry or ".").resolve() != here)]
            os.environ |= {"PYTHONPATH": str(copy), "CI": "1", "OMP_NUM_THREADS": "1"}
            answer = json.dumps(work()).encode()
            with os.fdopen(write, "wb") as pipe:
                pipe.write(answer)
        except BaseException:
            os._exit(70)
        os._exit(0)
    os.close(write)
    signal.signal(signal.SIGALRM, _too_late)
    signal.setitimer(signal.ITIMER_REAL, wall)
    try:
        with os.fdopen(read, "rb") as pipe:
            answer = pipe.read()
        _, status = os.waitpid(child, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except TimeoutError:
        status, answer = 1, b""
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
    if status == 1:
        os.waitpid(child, 0)
    return Ended(json.loads(answer) if answer else None, stopped=status == 1 or os.WIFSIGNALED(status))


def _too_late(*_: object) -> None:
    raise TimeoutError


class Recorder:
    """A plugin of pytest: seconds of each test and the lines of the rooms that it executes."""

    def __init__(self, copy: Path, rooms: Sequence[str]) -> None:
        self.copy, self.rooms = f"{copy}/", tuple(rooms)
        self.tests: dict[str, dict[str, Any]] = {}
        self.passed: dict[str, bool] = {}
        self._seen: dict[str, set[int]] = {}
        self._read: set[str] = set()
        self._places: dict[str, str] = {}
        self._left: dict[int, set[int]] = {}
        self._codes: list[CodeType] = []
        self._functions: set[str] = set()
        self._began = spent()
        sys.addaudithook(self._audited)

    def _place(self, filename: str) -> str:
        """Path from the copy's root of a file of the rooms, else ""."""
        found = self._places.get(filename)
        if found is None:
            path = filename.removeprefix(self.copy) if filename.startswith(self.copy) else ""
            found = self._places[filename] = path if path.startswith(self.rooms) else ""
        return found

    def _audited(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str) and "runtime" in arguments[0]:
            place = self._place(os.path.abspath(arguments[0]))
            if place:
                self._read.add(place)
                self._seen.setdefault(place, set()).add(0)

    def _trace(self, frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        place = self._place(code.co_filename)
        if not place:
            return None
        left = self._left.get(id(code))
        if left is None:
            self._codes.append(code)
            left = self._left[id(code)] = {line for *_, line in code.co_lines() if line}
        if not left:
            return None
        seen = self._seen.setdefault(place, set())

        def local(frame: FrameType, event: str, argument: object) -> Any:
            if event == "line":
                seen.add(frame.f_lineno)
                left.discard(frame.f_lineno)
            return local

        return local

    def _traced(self, name: str) -> Generator[None, Any, Any]:
        # What an earlier test of the file read may be kept in memory.
        self._seen, self._left, self._codes = {place: {0} for place in self._read}, {}, []
        began = spent()
        sys.settrace(self._trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            self.tests[name] = {
                "seconds": round(spent() - began, 4),
                "lines": {path: sorted(lines) for path, lines in self._seen.items()},
            }

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self, session: pytest.Session) -> Generator[None, Any, Any]:
        return (yield from self._traced(""))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, Any, Any]:
        return (yield from self._traced(item.nodeid))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        function = item.nodeid.partition("[")[0]
        if spent() - self._began > LONGEST and function in self._functions:
            pytest.skip("the file takes too long")
        self._functions.add(function)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        signal.signal(signal.SIGPROF, _too_late)
        signal.setitimer(signal.ITIMER_PROF, SLOWEST)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed[report.nodeid] = self.passed.get(report.nodeid, True) and report.passed

    def found(self) -> dict[str, dict[str, Any]]:
        """Tests that passed, and collection under the name ""."""
        return {name: test for name, test in self.tests.items() if not name or self.passed.get(name)}


def record(copy: Path, path: str, rooms: Sequence[str], kept: Path) -> dict[str, dict[str, Any]]:
    """Lines and seconds of the tests of a file, from what is kept where the file has not changed since."""
    digest = hashlib.sha256(path.encode() + (copy / path).read_bytes()).hexdigest()[:16]
    place = kept / f"{digest}.json"
    if place.exists():
        loaded: dict[str, dict[str, Any]] = json.loads(place.read_text(encoding="utf-8"))
        return loaded

    def work() -> dict[str, dict[str, Any]]:
        recorder = Recorder(copy, rooms)
        pytest.main([*PYTEST[1:], path], plugins=[recorder])
        return recorder.found()

    found: dict[str, dict[str, Any]] = forked(copy, work, processor=240, wall=900).returned or {}
    kept.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(found, separators=(",", ":")), encoding="utf-8")
    return found


class Selected:
    """A plugin of pytest: runs the named tests in their order and keeps the first that fails."""

    def __init__(self, names: Sequence[str]) -> None:
        self.order = {name: number for number, name in enumerate(names)}
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((each for each in items if each.nodeid in self.order), key=lambda e: self.order[e.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid} (import)"


def failing(copy: Path, tests: Sequence[tuple[str, float]]) -> str:
    """The first test that fails; "" where all pass, "time" where they do not end."""
    if not tests:
        return ""
    names = [name for name, _ in tests]
    expected = sum(seconds for _, seconds in tests)

    def work() -> str:
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        selected = Selected(names)
        status = pytest.main([*PYTEST, *dict.fromkeys(name.split("::")[0] for name in names)], plugins=[selected])
        return selected.failed or ("" if status in (0, 5) else f"status {status}")

    ended = forked(copy, work, processor=round(20 + 5 * expected), wall=600 + 40 * expected)
    if ended.stopped:
        return "time"
    return "end of the process" if ended.returned is None else str(ended.returned)


def statement_lines(source: str, line: int) -> tuple[range, bool]:
    """Lines of the innermost statement about a line (of its head if it has a body), and whether a function has it."""
    best, inside = range(line, line + 1), False
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.stmt) or not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        body = getattr(node, "body", None) or getattr(node, "cases", None)
        first = body[0] if body else None
        start = getattr(getattr(first, "pattern", first), "lineno", (node.end_lineno or 0) + 1)
        if isinstance(node, ast.FunctionDef) and line >= start:
            inside = True
        if line < start:
            best = range(node.lineno, max(start, line + 1))
    return best, inside


def candidates(
    records: Iterable[dict[str, dict[str, Any]]], path: str, source: str, line: int
) -> list[tuple[str, float]]:
    """Tests that execute the statement at a line, with their seconds; of what runs on import those about the file."""
    lines, inside = statement_lines(source, line) if path.endswith(".py") else (range(line, line + 1), False)
    found: list[tuple[str, float]] = []
    for tests in records:
        collected = not set(lines).isdisjoint(tests.get("", {}).get("lines", {}).get(path, ()))
        for name, test in tests.items():
            hit = test["lines"].get(path)
            if name and (collected or (hit and (not inside or 0 in hit or not set(lines).isdisjoint(hit)))):
                found.append((name, test["seconds"]))
    return sorted(found, key=lambda pair: (pair[1], pair[0]))


def rounds(tests: Sequence[tuple[str, float]], about: Sequence[str]) -> Iterator[list[tuple[str, float]]]:
    """A first round of few tests of the cheapest files, then the rest by file, those about the room first."""
    files: dict[str, list[tuple[str, float]]] = {}
    for test in tests:
        files.setdefault(test[0].split("::")[0], []).append(test)
    price = {path: sum(seconds for _, seconds in own[:FIRST_TESTS]) for path, own in files.items()}
    price = {path: value * (0.2 if path.startswith(tuple(about)) else 1.0) for path, value in price.items()}
    first: list[tuple[str, float]] = []
    for path in sorted(files, key=lambda path: (price[path], path))[:FIRST_FILES]:
        if sum(seconds for _, seconds in first) + price[path] < FIRST_SECONDS:
            first += files[path][:FIRST_TESTS]
    yield first
    done, rest, total = set(first), [], 0.0
    for path in sorted(files, key=lambda path: (price[path] / len(files[path]), path)):
        for test in files[path]:
            if test not in done and total + test[1] < SECONDS:
                total += test[1]
                rest.append(test)
    yield rest


def killed_by(copy: Path, tests: Sequence[tuple[str, float]], about: Sequence[str]) -> str:
    """The test that fails with the fault in place, or "" where none does."""
    for chosen in rounds(tests, about):
        failed = failing(copy, chosen)
        if failed:
            return failed
    return ""

"""Runs tests in processes that start warm: once to learn which test executes which line, then against single faults.

One process imports what tests import besides mbsym (pytest, NumPy, SymPy, Pinocchio, MuJoCo) and forks for every file
of tests and every fault. Which lines a test executes is traced, fixtures included; what is read as text (routines of
the runtime) counts as executed from then on, all of it. Against a fault only tests run that execute its statement, few
cheap ones of many files first, then the rest, until one fails.
"""

from __future__ import annotations

import ast
import fcntl
import hashlib
import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
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

SLOWEST: Final = 3
"""Seconds of processor time after which the recording gives a test up: it is not run against faults."""

QUIET: Final = 200
"""Lines of a function that a test executes without a new one until the function is traced no longer."""

LONGEST, ENOUGH = 5, 9
"""Seconds of processor time after which the recording of a file takes one set of each function of tests, then none."""

FIRST_FILES, FIRST_TESTS, FIRST_SECONDS = 12, 3, 15.0
"""Files, tests of each and seconds of the first round against a fault."""

SECONDS: Final = 90.0
"""Recorded seconds of all tests against one fault: the cheapest."""

SLOW_TESTS, SLOW_SECONDS = 8, 10.0
"""How many tests that take too long to be recorded are asked about a fault, and a fifth of what each may take."""

WHOLE, NAMED = 7, 300
"""Seconds of processor time of files that are run against a fault without recordings, and of tests that are named."""

IMPORT: Final = " (import)"
"""Marks a file of tests that could not be collected."""

PASSING: Final[set[str]] = set()
"""Tests of whole files that have passed without a fault."""

PYTEST: Final = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--tb=no"]


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
        self._foreign: set[int] = set()
        self._codes: list[CodeType] = []
        self._given_up: set[str] = set()
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

    def _tracer(self) -> Callable[[FrameType, str, object], Any]:
        """A trace function of one test: functions of other places, or whose lines are known, cost one look."""
        done, left, quiet = set(self._foreign), dict[int, set[int]](), dict[int, int]()
        self._seen = {place: {0} for place in self._read}

        def called(frame: FrameType, event: str, argument: object) -> Any:
            code = frame.f_code
            number = id(code)
            if number in done:
                return None
            if number not in left:
                place = self._place(code.co_filename)
                self._codes.append(code)
                if not place:
                    self._foreign.add(number)
                    done.add(number)
                    return None
                left[number], quiet[number] = {line for *_, line in code.co_lines() if line}, 0
            own, seen = left[number], self._seen.setdefault(self._place(code.co_filename), set())

            def local(frame: FrameType, event: str, argument: object) -> Any:
                if event == "line":
                    line = frame.f_lineno
                    if line in own:
                        seen.add(line)
                        own.discard(line)
                        quiet[number] = 0
                    quiet[number] += 1
                    if not own or quiet[number] > QUIET:
                        done.add(number)
                        frame.f_trace_lines = False
                return local

            return local

        return called

    @contextmanager
    def _traced(self, name: str) -> Iterator[None]:
        # What an earlier test of the file read may be kept in memory.
        tracer, began = self._tracer(), spent()
        sys.settrace(tracer)
        try:
            yield
        finally:
            sys.settrace(None)
            self.tests[name] = {
                "seconds": round(spent() - began, 4),
                "lines": {path: f"{sum(1 << line for line in lines):x}" for path, lines in self._seen.items()},
            }

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self, session: pytest.Session) -> Generator[None, Any, Any]:
        with self._traced(""):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, Any, Any]:
        with self._traced(item.nodeid):
            return (yield)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        function, took = item.nodeid.partition("[")[0], spent() - self._began
        if took > (LONGEST if function in self._functions else ENOUGH):
            self._given_up.add(item.nodeid)
            pytest.skip("the file takes too long")
        self._functions.add(function)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        def too_late(*_: object) -> None:
            self._given_up.add(item.nodeid)
            raise TimeoutError

        signal.signal(signal.SIGPROF, too_late)
        signal.setitimer(signal.ITIMER_PROF, SLOWEST)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed[report.nodeid] = self.passed.get(report.nodeid, True) and report.passed

    def found(self) -> dict[str, dict[str, Any]]:
        """Tests that passed, and collection under the name ""; those that were given up without their seconds."""
        for name in self._given_up & self.tests.keys():
            del self.tests[name]["seconds"]
        good = {name for name, passed in self.passed.items() if passed} | self._given_up | {""}
        return {name: test for name, test in self.tests.items() if name in good}


def record(copy: Path, path: str, rooms: Sequence[str], kept: Path) -> dict[str, dict[str, Any]]:
    """Lines and seconds of the tests of a file, from what is kept where the file has not changed since.

    Lines of a file are bits of a number, written to base 16. The bit of line 0 is set where the file was read as text.
    A test without seconds takes too long: its lines are those of its beginning. What another process records at the
    same time is waited for.
    """
    digest = hashlib.sha256(path.encode() + (copy / path).read_bytes()).hexdigest()[:16]
    place = kept / f"{digest}.json"
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / f"{digest}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            found = _recorded(copy, path, rooms)
            whole = place.with_suffix(".part")
            whole.write_text(json.dumps(found, separators=(",", ":")), encoding="utf-8")
            whole.replace(place)
    loaded: dict[str, dict[str, Any]] = json.loads(place.read_text(encoding="utf-8"))
    return loaded


def _recorded(copy: Path, path: str, rooms: Sequence[str]) -> dict[str, dict[str, Any]]:
    def work() -> dict[str, dict[str, Any]]:
        recorder = Recorder(copy, rooms)
        pytest.main([*PYTEST[1:], path], plugins=[recorder])
        return recorder.found()

    return forked(copy, work, processor=120, wall=600).returned or {}


class Noted:
    """A plugin of pytest: keeps the first test that fails."""

    def __init__(self) -> None:
        self.failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid}{IMPORT}"


class Selected(Noted):
    """Runs the named tests in their order."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.order = {name: number for number, name in enumerate(names)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((each for each in items if each.nodeid in self.order), key=lambda e: self.order[e.nodeid])


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


def first_failing(
    copy: Path, files: Sequence[str], seconds: int, without: Callable[[], None], fault: Callable[[], None]
) -> str:
    """The first test of these files that fails within seconds with the fault in place, and not without."""

    def work(names: Sequence[str]) -> str:
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        noted = Noted()
        pytest.main([*PYTEST, *names], plugins=[noted])
        return noted.failed

    if not files:
        return ""
    failed = str(forked(copy, lambda: work(files), processor=seconds, wall=20 * seconds).returned or "")
    if failed and failed not in PASSING:
        without()
        ended = forked(copy, lambda: work([failed.removesuffix(IMPORT)]), processor=seconds, wall=20 * seconds)
        fault()
        if ended.returned != "":
            return ""
        PASSING.add(failed)
    return failed


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
) -> tuple[list[tuple[str, float]], list[tuple[str, float]], list[str]]:
    """Tests that execute the statement at a line; that only have imported it; and those of the first that are slow.

    Of what runs on import the first are tests that execute anything of the file. Quick tests have their seconds.
    """
    lines, inside = statement_lines(source, line) if path.endswith(".py") else (range(line, line + 1), False)
    wanted = sum(1 << each for each in lines)
    found: list[tuple[str, float]] = []
    imported: list[tuple[str, float]] = []
    slow: list[str] = []
    for tests in records:
        collected = wanted & int(tests.get("", {}).get("lines", {}).get(path, "0"), 16)
        for name, test in tests.items():
            hit = int(test["lines"].get(path, "0"), 16)
            if name and (hit & (wanted | 1) if inside else hit):
                if "seconds" in test:
                    found.append((name, test["seconds"]))
                else:
                    slow.append(name)
            elif name and not test["lines"]:
                slow.append(name)
            elif name and collected and "seconds" in test:
                imported.append((name, test["seconds"]))
    found, imported = (sorted(each, key=lambda pair: (pair[1], pair[0])) for each in (found, imported))
    return found, imported, slow


def rounds(tests: Sequence[tuple[str, float]]) -> Iterator[list[tuple[str, float]]]:
    """A first round of few tests of the cheapest files, then the rest by file."""
    files: dict[str, list[tuple[str, float]]] = {}
    for test in tests:
        files.setdefault(test[0].split("::")[0], []).append(test)
    price = {path: sum(seconds for _, seconds in own[:FIRST_TESTS]) for path, own in files.items()}
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


def killed_by(copy: Path, tests: Sequence[tuple[str, float]]) -> str:
    """The test that fails with the fault in place, or "" where none does."""
    for chosen in rounds(tests):
        failed = failing(copy, chosen)
        if failed:
            return failed
    return ""


def killed_by_slow(copy: Path, tests: Sequence[str], without: Callable[[], None], fault: Callable[[], None]) -> str:
    """The first of the slow tests, of one set of each function, that fails with the fault in place and not without."""
    functions = {name.partition("[")[0]: name for name in reversed(tests)}
    for name in [each for each in tests if each in functions.values()][:SLOW_TESTS]:
        failed = failing(copy, [(name, SLOW_SECONDS)])
        if failed and failed != "time":
            without()
            passed = not failing(copy, [(name, SLOW_SECONDS)])
            fault()
            if passed:
                return f"{failed} (slow)"
    return ""

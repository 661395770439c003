"""What runs in a process of its own: its result, its errors, its progress, and its end."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from mbsym.errors import CodegenError
from mbsym.verification.apart import Ended, Notes, run_apart


def test_a_result_comes_back_after_the_progress() -> None:
    told: list[tuple[str, int, int]] = []

    def work(notes: Notes, progress: Callable[[str, int, int], None]) -> dict[str, int]:
        for k in range(3):
            progress("work", k, 3)
        return {"process": os.getpid()}

    found = run_apart(work, lambda *step: told.append(step))
    assert isinstance(found, dict) and found["process"] != os.getpid()
    assert told == [("work", k, 3) for k in range(3)]


def test_large_results_do_not_wait_for_each_other() -> None:
    assert run_apart(lambda notes, progress: "x" * 10**7) == "x" * 10**7


def test_errors_come_back_as_they_are() -> None:
    def work(notes: Notes, progress: object) -> None:
        raise CodegenError("it is wrong", where="here", remedy="mend it")

    with pytest.raises(CodegenError, match="here: it is wrong; mend it") as caught:
        run_apart(work)
    assert (caught.value.what, caught.value.where, caught.value.remedy) == ("it is wrong", "here", "mend it")


def test_other_errors_say_where_they_happened() -> None:
    class OwnError(Exception):
        """Known to nobody else, so that it cannot be sent."""

    def work(notes: Notes, progress: object) -> None:
        raise OwnError("deep inside")

    with pytest.raises(RuntimeError, match=r"(?s)deep inside.*test_apart\.py.*OwnError"):
        run_apart(work)


def kill(number: int) -> Callable[[], Any]:
    return lambda: os.kill(os.getpid(), number)


@pytest.mark.parametrize(
    ("end", "how"),
    [
        (lambda: ctypes.string_at(0), r"SIGSEGV \(Segmentation fault\)"),
        (os.abort, r"SIGABRT \(Aborted\)"),
        (kill(signal.SIGKILL), r"SIGKILL \(Killed\)"),
        (kill(signal.SIGRTMIN + 3), r"signal 37 \(Real-time signal 3\)"),
        (lambda: os._exit(5), "exit status 5 without a result"),
        (lambda: sys.exit(0), "exit status 1 without a result"),
    ],
    ids=["segmentation", "abort", "kill", "real time", "exit", "sys.exit"],
)
def test_its_end_ends_nothing_else(end: Callable[[], Any], how: str) -> None:
    def work(notes: Notes, progress: object) -> None:
        notes.write("something else, and longer")
        notes.write("c mass_matrix")
        end()

    found = run_apart(work)
    assert isinstance(found, Ended)
    assert found.doing == "c mass_matrix"
    assert re.fullmatch(how, found.how), found.how


def test_standard_output_stays_that_of_the_caller(capfd: pytest.CaptureFixture[str]) -> None:
    def work(notes: Notes, progress: object) -> None:
        os.write(1, b"noise")

    run_apart(work)
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "noise")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_no_standard_streams_are_needed(closed: str) -> None:
    imported = "from mbsym.verification.apart import run_apart"
    script = f"{imported}; assert run_apart(lambda notes, progress: print(3)) is None"
    done = subprocess.run(["sh", "-c", f'"$0" -c "$1" {closed}', sys.executable, script], check=False)
    assert done.returncode == 0


def test_an_interrupt_leaves_no_process_behind() -> None:
    def work(notes: Notes, progress: Callable[..., None]) -> None:
        progress("begun", os.getpid(), 0)
        signal.pause()

    child: list[int] = []

    def interrupt(what: str, number: int, total: int) -> None:
        child.append(number)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_apart(work, interrupt)
    with pytest.raises(ProcessLookupError):
        os.kill(child[0], 0)

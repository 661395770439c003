"""Running what nobody vouches for in a process of its own, whose end ends nothing else.

The process is a fork: it sees all records that this one has, those added at run time too, and starts at once.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from mmap import mmap
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

from mbsym.errors import MbsymError
from mbsym.pipeline import Progress

T = TypeVar("T")

_NOTE_BYTES: Final = 512


@dataclass(frozen=True, slots=True)
class Ended:
    """How the process ended without a result, and what it was doing then."""

    how: str
    doing: str


class Notes:
    """What the process is doing, in memory that outlives it."""

    def __init__(self) -> None:
        self._memory = mmap(-1, _NOTE_BYTES)

    def write(self, text: str) -> None:
        """Replaces the note."""
        self._memory[:] = text.encode("utf-8", "replace")[:_NOTE_BYTES].ljust(_NOTE_BYTES, b"\0")

    def read(self) -> str:
        """The last note."""
        return bytes(self._memory[:]).rstrip(b"\0").decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class _Done:
    """What the work returned, or the error that it raised."""

    value: Any = None
    error: BaseException | None = None


def run_apart(work: Callable[[Notes, Progress], T], progress: Progress | None = None) -> T | Ended:
    """What ``work`` returns in a process of its own, or how that ended without returning.

    What it prints goes to standard error, so that standard output remains this process's own.

    Args:
        work: told where to note what it is doing, and whom to tell of its progress.
        progress: told in this process.

    Raises:
        Exception: whatever ``work`` raises.
    """
    notes = Notes()
    receiver, sender = Pipe(duplex=False)
    _flush()
    child = os.fork()
    if not child:
        receiver.close()
        _work(work, notes, sender)
    sender.close()
    status = None
    try:
        result = _result(receiver, progress)
        _, status = os.waitpid(child, 0)
    finally:
        receiver.close()
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if result is None:
        return Ended(_how(status), notes.read())
    if result.error is not None:
        raise result.error
    return result.value  # type: ignore[no-any-return]


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _work(work: Callable[[Notes, Progress], Any], notes: Notes, sender: Connection) -> None:
    """The process: works, sends the result, and ends without what an interpreter does at its end."""
    status = 1
    try:
        if sys.stdout is not None:  # else that number may be the pipe's
            os.dup2(2 if sys.stderr is not None else os.open(os.devnull, os.O_WRONLY), 1)
        faulthandler.disable()  # the caller tells how it ended
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        sender.send_bytes(_outcome(lambda: work(notes, lambda *step: sender.send(step))))
        _flush()
        status = 0
    finally:
        os._exit(status)


def _outcome(work: Callable[[], Any]) -> bytes:
    try:
        return pickle.dumps(_Done(work()))
    except MbsymError as error:
        return pickle.dumps(_Done(error=error))
    except Exception as error:
        # Its class may be known to the process alone, and where it happened is lost on the way.
        return pickle.dumps(_Done(error=RuntimeError(f"{error}\n{traceback.format_exc()}")))


def _result(receiver: Connection, progress: Progress | None) -> _Done | None:
    """The result, after all messages of progress; None where the process ended without one."""
    while True:
        try:
            message = receiver.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            return None
        if isinstance(message, _Done):
            return message
        if progress is not None:
            progress(*message)


def _how(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        known = {int(item): item.name for item in signal.Signals}
        return f"{known.get(number, f'signal {number}')} ({signal.strsignal(number)})"
    return f"exit status {os.waitstatus_to_exitcode(status)} without a result"

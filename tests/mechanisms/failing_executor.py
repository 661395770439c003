"""An executor that fails, for what has to go on where it was left."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any


class Failing(Executor):
    """Computes some chunks, then is gone."""

    def __init__(self, good: int) -> None:
        self.left = good

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.left -= 1
        if self.left < 0:
            future.set_exception(ConnectionError("the workers are gone"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future

"""Progress: a bar on a terminal; in a pipe only the sentences that are to be read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbsym.pipeline import Progress


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A function to report steps to, shown on standard error from the first moment on."""
    if not sys.stderr.isatty():
        yield _sentences
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task("read the model", total=None)

        def report(what: str, done: int, total: int) -> None:
            if total:
                bar.update(task, description=what, completed=done, total=total)
            else:
                bar.console.print(f"note: {what}", markup=False, highlight=False)

        yield report


def _sentences(what: str, done: int, total: int) -> None:
    if not total:
        print(f"note: {what}", file=sys.stderr)

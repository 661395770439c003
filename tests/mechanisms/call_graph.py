"""Who calls whom in a C source, how large each frame is, and how deep a call goes, as a compiler of GCC tells it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

_NODE: Final = re.compile(
    r'^node: \{ title: "(?P<name>[^"]+)" label: "[^"]*\\n(?P<bytes>\d+) bytes \((?P<kind>[^)]*)\)"', re.M
)
_EDGE: Final = re.compile(r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', re.M)


@dataclass(frozen=True, slots=True)
class CallGraph:
    """Functions of a source.

    Attributes:
        frames: bytes of each function that it defines.
        bounded: False where a frame has no fixed size.
        calls: what each of them calls, functions of libraries included.
    """

    frames: Mapping[str, int]
    bounded: Mapping[str, bool]
    calls: Mapping[str, tuple[str, ...]]

    def depth(self, name: str, above: tuple[str, ...] = ()) -> int | None:
        """Bytes of a function and of what it calls at most, without libraries; None where there is no bound."""
        if name in above or not self.bounded[name]:
            return None
        inner = [self.depth(called, (*above, name)) for called in self.calls[name] if called in self.frames]
        if None in inner:
            return None
        return self.frames[name] + max((depth for depth in inner if depth is not None), default=0)


def call_graph(source: Path, command: Sequence[str]) -> CallGraph:
    """Compiles a source for what it tells.

    Args:
        source: a C file whose header stands beside it.
        command: a compiler of GCC, version 10 or later, with the flags of the product.
    """
    with TemporaryDirectory(prefix="mbsym") as scratch:
        made = Path(scratch) / f"{source.stem}.o"
        whole = (*command, "-std=c99", "-fcallgraph-info=su", "-c", str(source), "-o", str(made))
        done = subprocess.run(whole, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        assert (done.returncode, done.stderr) == (0, "")
        graph = made.with_suffix(".ci")
        text = graph.read_text(encoding="utf-8")
    named = {found["name"]: found for found in _NODE.finditer(text)}
    short = {name: name.rpartition(":")[2] for name in named}
    calls: dict[str, set[str]] = {name: set() for name in short.values()}
    for caller, called in _EDGE.findall(text):
        if caller in short:
            calls[short[caller]].add(short.get(called, called))
    return CallGraph(
        {short[name]: int(found["bytes"]) for name, found in named.items()},
        {short[name]: found["kind"] in ("static", "dynamic,bounded") for name, found in named.items()},
        {name: tuple(sorted(found)) for name, found in calls.items()},
    )

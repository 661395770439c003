"""The box of states, inputs and parameters over which bounds hold, from a file and the model's limits.

A box file has a key for each argument (q, v, vdot, tau, u, t, ...) and ``parameters``: ``[least, greatest]`` or a
number for all entries, or these by the names of coordinates, speeds, joints, control inputs or parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Final, TypeAlias

from mbsym.errors import FormatError
from mbsym.formats.text_source import TextSource, read_text
from mbsym.formats.yaml_document import Document, Leaf, read_yaml
from mbsym.rounding.tape import TURN

Interval: TypeAlias = tuple[float, float]

PARAMETERS: Final = "parameters"


@dataclass(frozen=True, slots=True)
class Entry:
    """One number that a function is given.

    Attributes:
        name: of the argument and its place in it, "q[0]", or "parameters.l".
        called: what else the box may call it: coordinate or speed, joint, input.
        limits: of the model, None where it has none; a parameter has its value.
        given: what holds where the box says nothing, None if it must say something.
    """

    name: str
    called: tuple[str, ...] = ()
    limits: Interval | None = None
    given: Interval | None = None

    @property
    def argument(self) -> str:
        """What the box calls all entries like this one."""
        return PARAMETERS if self.name.startswith(f"{PARAMETERS}.") else self.name.partition("[")[0]

    @property
    def shown(self) -> str:
        """The name that tells most."""
        return f"{self.called[0]} ({self.name})" if self.called else self.name


@dataclass(frozen=True, slots=True)
class Box:
    """Intervals by entry.

    Attributes:
        entries: all that functions are given, by name.
        intervals: what the box says, by name; entries that it must name and does not are missing.
        where: the file.
    """

    entries: Mapping[str, Entry]
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    where: str = ""

    def missing(self, names: Sequence[str]) -> str:
        """A sentence about the first entry without an interval; empty where there is none."""
        for name in names:
            if name not in self.intervals:
                entry = self.entries.get(name, Entry(name))
                return f"{entry.shown} has no limits in the model: give {entry.argument} an interval in the box"
        return ""


def entries_of(manifest: Mapping[str, Any]) -> dict[str, Entry]:
    """What functions of a module are given, with the limits that its manifest tells."""
    found: dict[str, Entry] = {}
    joints = {joint["name"]: joint for joint in manifest.get("joints", ())}
    for place, item in enumerate(manifest.get("coordinates", ())):
        limits = _limits(joints.get(item["joint"], {}), "q", place)
        usual = TURN if item["unit"] == "rad" else (-1.0, 1.0) if item["unit"] == "1" else None
        found[f"q[{place}]"] = Entry(f"q[{place}]", (item["name"], item["joint"]), limits, limits or usual)
    for argument, key in (("v", "velocity"), ("tau", "effort"), ("vdot", "")):
        for place, item in enumerate(manifest.get("speeds", ())):
            limits = _limits(joints.get(item["joint"], {}), key, place)
            name = f"{argument}[{place}]"
            found[name] = Entry(name, (item["name"], item["joint"]), limits, limits)
    for place, item in enumerate(manifest.get("inputs", ())):
        found[f"u[{place}]"] = Entry(f"u[{place}]", (item["name"],))
    for name, value in manifest["run_time_parameters"].items():
        point = (float(value), float(value))
        found[f"{PARAMETERS}.{name}"] = Entry(f"{PARAMETERS}.{name}", (name,), None, point)
    for function in manifest["functions"]:
        for name in names_of(function):
            found.setdefault(name, Entry(name))
    return found


def names_of(function: Mapping[str, Any]) -> Iterator[str]:
    """Names of what a function is given, its run-time parameters not among them."""
    for item in function["arguments"]:
        if item["direction"] == "in":
            size = 1
            for extent in item["shape"]:
                size *= extent
            yield from [f"{item['name']}[{k}]" for k in range(size)] if item["shape"] else [item["name"]]


def _limits(joint: Mapping[str, Any], key: str, place: int) -> Interval | None:
    """Limits of a joint for a coordinate (key "q") or a speed at a place."""
    table = joint.get("limits", {})
    own = place - joint.get("q" if key == "q" else "v", [place])[0]
    if key == "q":
        low, high = table.get("lower", []), table.get("upper", [])
        if own < len(low) and own < len(high) and isfinite(low[own]) and isfinite(high[own]):
            return float(low[own]), float(high[own])
        return None
    most = table.get(key, [])
    return (-float(most[own]), float(most[own])) if own < len(most) and isfinite(most[own]) else None


def read_box(path: str | Path | None, entries: Mapping[str, Entry]) -> Box:
    """The box of a file, or of the model's limits alone.

    Raises:
        FormatError: an interval is none, reversed or beyond the model's limits, or a name is unknown.
    """
    usual = {name: entry.given for name, entry in entries.items() if entry.given is not None}
    if path is None:
        return Box(entries, usual)
    return box_of(read_text(path), entries)


def box_of(source: TextSource, entries: Mapping[str, Entry]) -> Box:
    """The box of a text.

    Raises:
        FormatError: as ``read_box``.
    """
    usual = {name: entry.given for name, entry in entries.items() if entry.given is not None}
    document = read_yaml(source)
    known = dict.fromkeys(entry.argument for entry in entries.values())
    if not isinstance(document.data, dict):
        raise source.error((1, 1), "a box is a table", f"give intervals to {', '.join(known)}")
    told: dict[str, Interval] = {}
    for key, value in document.data.items():
        if key not in known:
            raise _error(document, (key,), f"no function has an argument {key!r}", f"known are {', '.join(known)}")
        own = [entry for entry in entries.values() if entry.argument == key]
        if not isinstance(value, dict):
            told |= {entry.name: _interval(document, (key,), value, entry) for entry in own}
            continue
        for name, inner in value.items():
            meant = [entry for entry in own if name in (*entry.called, entry.name)]
            if not meant:
                names = ", ".join(dict.fromkeys((entry.called or (entry.name,))[0] for entry in own))
                raise _error(document, (key, name), f"{key} has no entry {name!r}", f"known are {names}")
            told |= {entry.name: _interval(document, (key, name), inner, entry) for entry in meant}
    return Box(entries, usual | told, source.name)


def _interval(document: Document, path: tuple[str, ...], value: Any, entry: Entry) -> Interval:
    ends = value if isinstance(value, list) else [value, value]
    if len(ends) != 2 or not all(isinstance(end, Leaf) for end in ends):
        raise _error(document, path, "this is no interval", "write [least, greatest], or one number")
    try:
        low, high = (float(end) for end in ends)
    except ValueError:
        raise _error(document, path, f"[{', '.join(ends)}] are no numbers", "write [least, greatest]") from None
    if not (isfinite(low) and isfinite(high)):
        raise _error(document, path, "an end of the interval is not finite", "give finite numbers")
    if low > high:
        raise _error(document, path, f"the interval [{low:g}, {high:g}] is reversed", "write the least end first")
    if entry.limits is not None and not (entry.limits[0] <= low and high <= entry.limits[1]):
        limits = f"[{entry.limits[0]:g}, {entry.limits[1]:g}]"
        what = f"[{low:g}, {high:g}] goes beyond the limits {limits} of {entry.shown}"
        raise _error(document, path, what, "keep within them, or change the model's limits")
    return low, high


def _error(document: Document, path: tuple[str, ...], what: str, remedy: str) -> FormatError:
    return document.source.error(document.place(path), what, remedy)

"""States by name: from pairs, from JSON and CSV files, made whole by the model's own values."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from mbsym.conventions import unit_factor
from mbsym.errors import AnalysisError
from mbsym.linear.equations import LinearEquations, State
from mbsym.options.quantities import in_si
from mbsym.simulation.argument_checks import finite
from mbsym.simulation.equations import suggestion
from mbsym.simulation.initial_state import closed_state, constants, initial_state

_GROUPS: Final = ("q", "v", "tau", "u", "t", "x")
_SUFFIXES: Final = (".json", ".csv")

_SHOWN: Final = 40
"""Characters of what is no number."""


def state_of(
    equations: LinearEquations, given: Mapping[str, float | str], tau: Mapping[str, float | str] | None = None
) -> State:
    """A state by the names of coordinates, speeds, drives, control inputs and ``t``; the rest as the model starts.

    Closed loops are closed with what is given held; the rest follows.

    Args:
        equations: of the model.
        given: values by name.
        tau: generalised forces by the names of their speeds.

    Raises:
        SimulationError: a name is unknown, a value is not finite, or the loops do not close with what is given.
    """
    mechanism = equations.mechanism
    given = in_si(given, mechanism.model)
    forces = in_si(tau, mechanism.model, forces=True)
    inputs = {name: value for name, value in given.items() if name in equations.inputs}
    moving = {name: value for name, value in given.items() if name not in inputs and name != "t"}
    start = initial_state(mechanism, moving)
    q, v = start.q, start.v
    controls = constants(equations.inputs, inputs, "control input", equations.name)
    t = finite("t", given.get("t", 0.0))
    if mechanism.model.motions:
        q, v = equations.evaluate("driven_state", State(q, v, np.zeros(mechanism.nv), controls, t, start.drives))
    if equations.loops is not None:
        assembly, v = closed_state(mechanism, equations.looped_system, q, v, start.named)
        q = assembly.q
    return State(
        q,
        v,
        constants(equations.speeds, forces, "speed", equations.name),
        controls,
        t,
        start.drives,
    )


def is_state_file(text: str) -> bool:
    """True for the name of a file with a state."""
    return Path(text).suffix.lower() in _SUFFIXES


def read_state(path: Path, known: Mapping[str, str]) -> tuple[dict[str, float], dict[str, float]]:
    """Values by name from a file, and generalised forces by the names of their speeds.

    JSON holds an object of numbers by name, or such objects under q, v, u, x and tau, as ``--json`` prints them. CSV
    has names with or without [unit] above its columns, as ``mbsym simulate`` writes it; [deg] is taken as such, and its
    last row counts.

    Args:
        path: the file.
        known: coordinates, speeds and inputs with their units; other columns of a table are left alone.

    Raises:
        AnalysisError: the file cannot be read, or holds no state.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise AnalysisError(
            f"cannot read: {error.strerror or error}", where=str(path), remedy="name a JSON or CSV file"
        ) from None
    except UnicodeDecodeError:
        raise AnalysisError("the file is no text", where=str(path), remedy="name a JSON or CSV file") from None
    return _of_json(path, text) if path.suffix.lower() == ".json" else (_of_csv(path, text, known), {})


def _of_json(path: Path, text: str) -> tuple[dict[str, float], dict[str, float]]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}:{error.colno}"
        raise AnalysisError(f"this is no JSON: {error.msg}", where=where, remedy="mend it") from None
    except (ValueError, RecursionError):
        # Numbers of thousands of digits, brackets in thousands of brackets.
        raise AnalysisError("this is no state", where=str(path), remedy='write {"NAME": NUMBER}') from None
    if isinstance(document, dict) and isinstance(document.get("solutions"), list) and document["solutions"]:
        document = document["solutions"][0]
    if not isinstance(document, dict) or not any(isinstance(document.get(name), dict) for name in _GROUPS):
        return _numbers(path, document), {}
    found: dict[str, float] = {}
    for name in ("q", "v", "u", "x"):
        found |= _numbers(path, document.get(name, {}))
    if "t" in document:
        found["t"] = _number(path, "t", document["t"])
    return found, _numbers(path, document.get("tau", {}))


def _numbers(path: Path, entries: object) -> dict[str, float]:
    if not isinstance(entries, dict):
        raise AnalysisError("this is no object of numbers by name", where=str(path), remedy='write {"NAME": NUMBER}')
    return {name: _number(path, name, value) for name, value in entries.items()}


def _number(path: Path, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise AnalysisError(f"{name} is no number", where=str(path), remedy="give each name a number")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise AnalysisError(
            f"{name} = {str(value)[:_SHOWN]} is no finite number", where=str(path), remedy="give a number"
        )
    return number


def _of_csv(path: Path, text: str, known: Mapping[str, str]) -> dict[str, float]:
    try:
        rows = [row for row in csv.reader(line for line in text.splitlines() if not line.startswith("#")) if row]
    except csv.Error as error:
        raise AnalysisError(f"this is no table: {error}", where=str(path), remedy="mend it") from None
    if len(rows) < 2:
        raise AnalysisError("this is no table", where=str(path), remedy="give a row of names and a row of numbers")
    if len(rows[-1]) != len(rows[0]):
        raise AnalysisError(
            f"the last row has {len(rows[-1])} cells below {len(rows[0])} names",
            where=str(path),
            remedy="complete it, or leave it out",
        )
    found: dict[str, float] = {}
    names = []
    for head, cell in zip(rows[0], rows[-1], strict=True):
        name, _, unit = (part.strip() for part in head.partition("["))
        names.append(name)
        if name not in known:
            continue
        factor = unit_factor(unit.removesuffix("]"), known[name])
        if name in found or factor is None:
            what = f"there are two columns {name}" if name in found else f"{head.strip()} is not in {known[name]}"
            remedy = "keep one" if name in found else f"give {known[name]}"
            raise AnalysisError(what, where=str(path), remedy=remedy)
        found[name] = factor * _number(path, name, cell)
    if not found:
        raise AnalysisError(
            f"no column is called like a coordinate, a speed or an input: {', '.join(names)}",
            where=str(path),
            remedy=suggestion(names[0], list(known)),
        )
    return found

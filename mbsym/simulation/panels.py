"""Which curves a plot of a motion shows: grouped by kind and unit, attitudes as angles, what stays zero left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, Final, Protocol

import numpy as np

from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.simulation.equations import (
    Equations,
    coordinate_quantities,
    drive_quantities,
    output_quantities,
    speed_quantities,
)
from mbsym.simulation.monitors import Monitors
from mbsym.values.diagnostic import nearest
from mbsym.visualisation.plots import Panel

NOISE: Final = 1e-9
"""Size below which a gap [m, rad], or a drift beside the largest energy, is round-off: kept loops close to 1e-12,
and energies of explicit methods drift by more than this where they drift."""

ANGLES: Final = ("roll", "pitch", "yaw")


class Moved(Protocol):
    """A motion: its equations, times (n,), coordinates (n, nq), speeds (n, nv) and checks."""

    @property
    def equations(self) -> Equations: ...
    @property
    def t(self) -> Array: ...
    @property
    def q(self) -> Array: ...
    @property
    def v(self) -> Array: ...
    @property
    def x(self) -> Array: ...
    @property
    def y(self) -> Array: ...
    @property
    def monitors(self) -> Monitors: ...


def panels_of(result: Moved, quantities: Sequence[str] = ()) -> list[Panel]:
    """Panels of curves.

    Args:
        result: the motion.
        quantities: names of curves, in which * stands for anything; all that are not zero where none is named.

    Raises:
        SimulationError: nothing has a name.
    """
    every = _every(result)
    names = [name for panel in every for name, _ in panel.curves]
    for pattern in quantities:
        if not any(fnmatchcase(name, pattern) for name in names):
            remedy = nearest(pattern, names) or f"known are {', '.join(names)}"
            raise SimulationError(f"nothing to plot is called {pattern!r}", where="`quantity`", remedy=remedy)
    if quantities:
        return _kept(every, lambda name, _: any(fnmatchcase(name, pattern) for pattern in quantities))
    # What is zero throughout shows nothing; where everything is, the coordinates are still worth an axis.
    return _kept(every, lambda _, values: bool(np.any(np.abs(values) > NOISE))) or every[:1]


def _kept(panels: Sequence[Panel], wanted: Any) -> list[Panel]:
    found = [replace(panel, curves=tuple(curve for curve in panel.curves if wanted(*curve))) for panel in panels]
    return [panel for panel in found if panel.curves]


def _every(result: Moved) -> list[Panel]:
    mechanism, monitors = result.equations.mechanism, result.monitors
    items = [(item.name, item.unit) for item in coordinate_quantities(mechanism)]
    coordinates, q = _with_angles(items, result.q, _continued(result))
    speeds = [(item.name, item.unit) for item in speed_quantities(mechanism)]
    outputs = [(item.name, item.unit) for item in output_quantities(mechanism)]
    panels = [*_by_unit("coordinates", coordinates, q), *_by_unit("speeds", speeds, result.v)]
    panels += _by_unit("states of drives", [(item.name, item.unit) for item in drive_quantities(mechanism)], result.x)
    panels += _by_unit("outputs", outputs, result.y)
    energies = [("kinetic", monitors.kinetic_energy), ("potential", monitors.potential_energy)]
    energies.append(("total", monitors.kinetic_energy + monitors.potential_energy))
    if result.equations.layout.work:
        energies.append(("work", monitors.work))
    panels.append(Panel("energy", "J", tuple(energies)))
    largest = max(1.0, *(float(np.abs(values).max(initial=0.0)) for _, values in energies))
    panels.append(Panel("energy drift", "J", (("energy drift", _heard(monitors.energy_drift, largest)),)))
    if monitors.momentum_drift is not None:
        drift = _heard(monitors.momentum_drift, 1.0)
        panels.append(Panel("momentum drift", "N s, N m s", (("momentum drift", drift),)))
    if monitors.closure_gap is not None and monitors.speed_gap is not None:
        gaps = (("gap of positions", monitors.closure_gap), ("gap of speeds", monitors.speed_gap))
        panels.append(Panel("closure gap", "m, rad; m/s, rad/s", gaps, logarithmic=True))
    return panels


def _heard(values: Array, size: float) -> Array:
    """The values, or zeros where they are noise beside a size."""
    return values if float(np.abs(values).max(initial=0.0)) > NOISE * size else np.zeros_like(values)


def _continued(result: Moved) -> dict[int, bool]:
    """Where quaternions begin, and whether rows are close enough to tell how often each has turned."""
    found = {}
    longest = float(np.max(np.diff(result.t), initial=0.0))
    for body in result.equations.mechanism.bodies_by_coordinates:
        offset = body.joint.kind.quaternion
        if offset is not None:
            units = body.joint.shape.speed_units
            turning = [k for k, unit in zip(range(*body.v_range), units, strict=True) if unit == "rad/s"]
            fastest = float(np.max(np.linalg.norm(result.v[:, turning], axis=1), initial=0.0))
            found[body.q_range[0] + offset] = fastest * longest < np.pi
    return found


def _with_angles(
    items: Sequence[tuple[str, str]], q: Array, quaternions: Mapping[int, bool]
) -> tuple[list[tuple[str, str]], Array]:
    """Names, units and values in which each quaternion is roll, pitch and yaw, some continued over full turns."""
    names, columns = list(items), [q[:, k] for k in range(q.shape[1])]
    for start in sorted(quaternions, reverse=True):
        stem = items[start][0].rpartition("_")[0] or items[start][0]
        names[start : start + 4] = [(f"{stem}_{angle}", "rad") for angle in ANGLES]
        angles = _angles(q[:, start : start + 4])
        columns[start : start + 4] = [np.unwrap(angle) for angle in angles] if quaternions[start] else angles
    return names, np.column_stack(columns) if columns else q


def _angles(quaternions: Array) -> list[Array]:
    """Roll, pitch and yaw of unit quaternions (n, 4): turns about fixed x, y and z, in this order [rad]."""
    w, x, y, z = quaternions.T
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - x * z), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return [roll, pitch, yaw]


def _by_unit(title: str, items: Sequence[tuple[str, str]], values: Array) -> list[Panel]:
    """A panel for each unit, in order of appearance."""
    units = list(dict.fromkeys(unit for _, unit in items))
    return [
        Panel(title, unit, tuple((name, values[:, k]) for k, (name, own) in enumerate(items) if own == unit))
        for unit in units
    ]

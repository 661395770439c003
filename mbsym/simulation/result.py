"""What a simulation returns: states on the output grid, checks, events, and how to save and draw them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from mbsym import markup
from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.loops.assembly import Assembly
from mbsym.markup import Shown
from mbsym.simulation.adaptive_steps import Stiffness
from mbsym.simulation.equations import (
    Equations,
    coordinate_quantities,
    drive_quantities,
    output_quantities,
    speed_quantities,
)
from mbsym.simulation.events import Occurrence
from mbsym.simulation.limits import Exceeded
from mbsym.simulation.monitors import Monitors
from mbsym.simulation.monitors import columns as monitor_columns
from mbsym.simulation.output import (
    MARK,
    TABLE_SUFFIXES,
    Column,
    check_writable,
    csv_bytes,
    npz_bytes,
    parquet_bytes,
    write_whole,
)
from mbsym.simulation.panels import panels_of
from mbsym.simulation.singular_positions import SingularPosition
from mbsym.symbolic.interpret import interpret
from mbsym.visualisation.animation import Motion, animation_html
from mbsym.visualisation.image_files import gif_bytes
from mbsym.visualisation.plots import figure, figure_bytes
from mbsym.visualisation.raster import film
from mbsym.visualisation.skeleton import skeleton
from mbsym.visualisation.still import still_svg
from mbsym.visualisation.surfaces import Surface, surfaces_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


PLOT_SUFFIXES: Final = (".png", ".svg")

ANIMATION_SUFFIXES: Final = (".html", ".gif")

FILM_RATE: Final = 20.0
"""Pictures in each second of a GIF."""

MOST_PICTURES: Final = 240
"""Of a GIF; longer motions show fewer in each second."""

MOST_FRAMES: Final = 1500
"""Frames of an animation; longer motions show fewer in each second."""

FRAME_RATE: Final = 60.0

MOST_TOLD: Final = 12
"""Singular positions, and limits exceeded, that the summary tells."""

MOST_NAMED: Final = 3
"""Of what is beyond its limits, in titles."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """How a trajectory came about.

    Attributes:
        method: of integration.
        correction: that kept loops closed, "" for trees.
        language: of the functions, "c" or "numpy".
        steps: taken.
        evaluations: of the rates where the integrator counts them, else 0.
    """

    method: str
    correction: str
    language: str
    steps: int
    evaluations: int


@dataclass(frozen=True, slots=True, repr=False)
class SimulationResult:
    """A simulated motion, n rows.

    Attributes:
        t: times (n,) [s].
        q: coordinates (n, nq); v: speeds (n, nv).
        x: states of drives (n, nx).
        y: outputs of the model (n, ny).
        monitors: checks on the same times.
        events: those that happened, in order of time.
        statistics: of the integration.
        equations: of the model.
        ended_by_event: True where a terminal event came before the end.
        assembly: how closed loops were closed at the start, None for trees.
        singular: singular positions of closed loops that the motion came through, in order of time.
        exceeded: limits of coordinates, speeds, forces and inputs that were exceeded, in order of time.
        notes: what the checks leave out, in sentences.
        stiffness: of a motion whose steps stability held short; None where errors chose them.
    """

    t: Array
    q: Array
    v: Array
    x: Array
    y: Array
    monitors: Monitors
    events: tuple[Occurrence, ...]
    statistics: Statistics
    equations: Equations
    ended_by_event: bool
    assembly: Assembly | None = None
    singular: tuple[SingularPosition, ...] = ()
    exceeded: tuple[Exceeded, ...] = ()
    notes: tuple[str, ...] = ()
    stiffness: Stiffness | None = None

    def __repr__(self) -> str:
        return f"<SimulationResult, {len(self.t)} rows>\n{self.summary()}"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of q."""
        return tuple(item.name for item in coordinate_quantities(self.equations.mechanism))

    @property
    def speed_names(self) -> tuple[str, ...]:
        """Names of the columns of v."""
        return tuple(item.name for item in speed_quantities(self.equations.mechanism))

    @property
    def poses(self) -> Array:
        """Body frames in base axes (n, nb, 4, 4), bodies by regular label."""
        return self._poses(self.q)

    def _poses(self, q: Array) -> Array:
        functions, mechanism = self.equations.module.functions, self.equations.mechanism
        if "body_poses" in functions:
            poses = np.asarray(functions["body_poses"](q))
        else:
            mechanism = mechanism.afresh()
            (poses,) = interpret(TREE_FUNCTIONS["body_poses"](mechanism), {"q": q}).values()
        shape = (len(q), mechanism.nb, 4, 4)
        return poses if poses.shape == shape else np.broadcast_to(poses, shape)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Time, coordinates, speeds, states of drives, outputs and checks as a table has them."""
        mechanism = self.equations.mechanism
        found = [Column("t", "s", self.t)]
        for items, values in (
            (coordinate_quantities(mechanism), self.q),
            (speed_quantities(mechanism), self.v),
            (drive_quantities(mechanism), self.x),
            (output_quantities(mechanism), self.y),
        ):
            found += [Column(item.name, item.unit, values[:, k]) for k, item in enumerate(items)]
        found += [Column(name, unit, values) for name, unit, values in monitor_columns(self.monitors)]
        return tuple(found)

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Writes a CSV (a comment line, then names and units), an NPZ archive or Parquet, by the suffix.

        Raises:
            SimulationError: the suffix is none of these, or the file cannot be written or is somebody else's.
            ToolchainError: there is no pyarrow to write Parquet.
        """
        target = Path(path)
        check_suffix(target, TABLE_SUFFIXES)
        if target.suffix == ".csv":
            return write_whole(target, csv_bytes(self.columns, self._title), force=force)
        if target.suffix == ".parquet":
            return write_whole(target, parquet_bytes(self.columns, self._title), force=force)
        arrays = {"t": self.t, "q": self.q, "v": self.v}
        arrays |= {name: values for name, values in (("x", self.x), ("y", self.y)) if values.size}
        arrays |= {name: values for name, _, values in monitor_columns(self.monitors)}
        return write_whole(target, npz_bytes(self.columns, arrays), force=force)

    def plot(self, quantities: str | Sequence[str] = ()) -> Figure:
        """Coordinates, speeds, energy and checks over time, as a Matplotlib figure.

        Args:
            quantities: names of curves, in which * stands for anything; all that are not zero where none is named.

        Raises:
            ToolchainError: there is no matplotlib.
            SimulationError: nothing has a name.
        """
        wanted = (quantities,) if isinstance(quantities, str) else quantities
        return figure(self.t, panels_of(self, wanted), self._title)

    def save_plot(self, path: str | Path, quantities: str | Sequence[str] = (), *, force: bool = False) -> Path:
        """Writes the plot as a PNG or SVG file, by the suffix.

        Raises:
            ToolchainError: there is no matplotlib.
            SimulationError: the suffix is neither, nothing has a name, or the file cannot be written.
        """
        target = Path(path)
        check_suffix(target, PLOT_SUFFIXES)
        check_writable(target, force)
        return write_whole(target, figure_bytes(self.plot(quantities), target.suffix[1:], MARK), force=force)

    def _repr_html_(self) -> str:
        """For notebooks: the summary, and the plot where there is matplotlib."""
        summary = markup.preformatted(self.summary())
        if find_spec("matplotlib") is None:
            return summary
        return summary + markup.picture(figure_bytes(self.plot(), "svg", MARK))

    def picture(self, t: float = 0.0) -> Shown:
        """The mechanism at the recorded time nearest to t [s], as an SVG picture, which a notebook shows."""
        place = int(np.argmin(np.abs(self.t - t)))
        return Shown(still_svg(skeleton(self.equations.mechanism), self.poses[place]))

    def animation(self, height: int = 420) -> Shown:
        """The moving mechanism, which a notebook shows in a frame of this height [pixels]."""
        return Shown(markup.frame(self._page(), height))

    def animate(self, path: str | Path, *, force: bool = False, tell: Callable[[str], None] | None = None) -> Path:
        """Writes the motion as one HTML page that needs nothing else, or as a GIF for documents, by the suffix.

        Args:
            path: the file.
            force: overwrites what mbsym did not write.
            tell: is given a sentence for each mesh that cannot be drawn.

        Raises:
            SimulationError: the suffix is neither, or the file cannot be written.
        """
        target = Path(path)
        check_suffix(target, ANIMATION_SUFFIXES)
        check_writable(target, force)
        content = self._film(tell) if target.suffix == ".gif" else self._page(tell).encode()
        return write_whole(target, content, force=force)

    def _page(self, tell: Callable[[str], None] | None = None) -> str:
        frames, times = self._frames(FRAME_RATE, MOST_FRAMES)
        motion = Motion(self.equations.mechanism.model.name, self._course, times, self._poses(frames), MARK)
        panels = [
            replace(panel, curves=tuple((name, np.interp(times, self.t, values)) for name, values in panel.curves))
            for panel in panels_of(self)
        ]
        return animation_html(skeleton(self.equations.mechanism), motion, self._surfaces(tell), panels)

    def _film(self, tell: Callable[[str], None] | None = None) -> bytes:
        frames, times = self._frames(FILM_RATE, MOST_PICTURES)
        pictures = [*film(skeleton(self.equations.mechanism), self._poses(frames), self._surfaces(tell))]
        return gif_bytes(pictures, max(2, round(100.0 * float(times[-1] - times[0]) / (len(times) - 1))), MARK)

    def _surfaces(self, tell: Callable[[str], None] | None) -> tuple[Surface, ...]:
        surfaces, warnings = surfaces_of(self.equations.mechanism.model)
        if tell is not None:
            for sentence in warnings:
                tell(sentence)
        return surfaces

    def _frames(self, rate: float, most: int) -> tuple[Array, Array]:
        """Coordinates at evenly spaced times, by interpolation between recorded states, and these times."""
        duration = float(self.t[-1] - self.t[0])
        count = int(min(max(round(duration * rate), 1), most)) + 1
        times = np.linspace(self.t[0], self.t[-1], count)
        q = np.column_stack([np.interp(times, self.t, column) for column in self.q.T])
        return self.equations.layout.normalise(q), times

    def summary(self) -> str:
        """What happened and how well the checks hold, some lines of text."""
        return "\n".join(f"{name:14} {text}" for name, text in self._findings())

    def as_dict(self) -> dict[str, object]:
        """The summary for machines."""
        monitors, statistics = self.monitors, self.statistics
        drives = drive_quantities(self.equations.mechanism)
        found: dict[str, object] = {
            "name": self.equations.mechanism.model.name,
            "method": statistics.method,
            "language": statistics.language,
            "steps": statistics.steps,
            "evaluations": statistics.evaluations,
            "t_end": float(self.t[-1]),
            "ended_by_event": self.ended_by_event,
            "notes": list(self.notes),
            "stiffness": None if self.stiffness is None else self.stiffness.as_dict(),
            "limits_exceeded": [item.as_dict() for item in self.exceeded],
            "events": [{"name": item.name, "t": item.t} for item in self.events],
            "q": dict(zip(self.names, self.q[-1].tolist(), strict=True)),
            "v": dict(zip(self.speed_names, self.v[-1].tolist(), strict=True)),
            "x": {item.name: value for item, value in zip(drives, self.x[-1].tolist(), strict=True)},
            "energy_drift": monitors.worst_energy_drift,
            "relative_energy_drift": monitors.worst_energy_drift / monitors.energy_scale,
        }
        if self.assembly is not None:
            found["assembly"] = _assembly_as_dict(self.assembly, dict(zip(self.names, self.q[0].tolist(), strict=True)))
        if monitors.momentum_drift is not None:
            found["momentum_drift"] = float(np.max(monitors.momentum_drift))
        if monitors.closure_gap is not None and monitors.speed_gap is not None:
            found["correction"] = statistics.correction
            found["closure_gap"] = float(np.max(monitors.closure_gap))
            found["speed_gap"] = float(np.max(monitors.speed_gap))
            found["singular_positions"] = [item.as_dict() for item in self.singular]
        return found

    @property
    def warnings(self) -> tuple[str, ...]:
        """What should not be overlooked, in sentences, as the summary has it."""
        found = [*self.notes, *([] if self.stiffness is None else [self.stiffness.sentence])]
        for items, what in ((self.exceeded, "limits exceeded"), (self.singular, "singular positions")):
            found += [item.sentence for item in items[:MOST_TOLD]]
            if len(items) > MOST_TOLD:
                found.append(f"{what}: {len(items) - MOST_TOLD} more")
        return tuple(found)

    @property
    def _course(self) -> str:
        statistics = self.statistics
        kept = f", correction {statistics.correction}" if statistics.correction else ""
        names = list(dict.fromkeys(item.name for item in self.exceeded if not item.held))
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        beyond = f", beyond the limits of {', '.join(names[:MOST_NAMED])}{more}" if names else ""
        return f"{self.t[-1]:.6g} s by {statistics.method}{kept}{beyond}"

    @property
    def _title(self) -> str:
        return f"{self.equations.mechanism.model.name}, {self._course}"

    def _findings(self) -> list[tuple[str, str]]:
        monitors, statistics = self.monitors, self.statistics
        calls = f", {statistics.evaluations} evaluations" if statistics.evaluations else ""
        language = {"c": "C", "numpy": "NumPy"}[statistics.language]
        found = [("simulated", f"{self._title}, in {language}: {statistics.steps} steps{calls}")]
        found += [("start", told) for told in (self.assembly.sentences if self.assembly is not None else ())]
        drift = monitors.worst_energy_drift
        worked = f", work {monitors.work[-1]:.6g} J taken off" if self.equations.layout.work else ""
        found.append(("energy", f"drifts by {drift:.2e} J, {drift / monitors.energy_scale:.1e} of the scale{worked}"))
        if monitors.momentum_drift is not None:
            found.append(("momentum", f"drifts by {np.max(monitors.momentum_drift):.2e} N s, N m s"))
        if monitors.closure_gap is not None and monitors.speed_gap is not None:
            gaps = f"{np.max(monitors.closure_gap):.2e} m, rad; of speeds {np.max(monitors.speed_gap):.2e} m/s, rad/s"
            found.append(("closure", f"gaps up to {gaps}"))
        found += [("warning", sentence) for sentence in self.warnings]
        for item in self.events:
            found.append(("event", f"{item.name} at t = {item.t:.9g} s"))
        if self.ended_by_event:
            found.append(("ended", f"by an event at t = {self.t[-1]:.9g} s"))
        return found


def check_suffix(path: Path, suffixes: Sequence[str]) -> None:
    """Refuses a file name with another suffix.

    Raises:
        SimulationError: naming those that will do.
    """
    if path.suffix not in suffixes:
        raise SimulationError(
            f"no format is called {path.suffix!r}", where=str(path), remedy=f"use {', '.join(suffixes)}"
        )


def _assembly_as_dict(assembly: Assembly, q: dict[str, float]) -> dict[str, object]:
    """How the loops were closed at the start, for machines."""
    told = assembly.contradiction
    return {
        "q": q,
        "moved": [
            {"joint": item.joint, "by": item.by, "unit": item.unit, "given": item.given} for item in assembly.joints
        ],
        "contradiction": None
        if told is None
        else {"joints": list(told.joints), "gap": told.gap, "unit": told.row.unit},
        "speeds": {name: value for name, value, _ in assembly.speeds},
    }

"""Curves over time, drawn by matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mbsym.doors import Array
from mbsym.errors import optional

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MOST_CURVES = 12
"""Curves that a legend still tells apart; of more only the colours show."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves with one axis: title, unit, and name and values (n,) of each curve."""

    title: str
    unit: str
    curves: tuple[tuple[str, Array], ...]
    logarithmic: bool = False


def require_matplotlib() -> None:
    """Refuses to go on without matplotlib.

    Raises:
        ToolchainError: saying how to install it.
    """
    optional("matplotlib", "plots need matplotlib", "plot")


def figure(t: Array, panels: Sequence[Panel], title: str) -> Figure:
    """A figure with one panel below the other, on one axis of time.

    Args:
        t: times (n,) [s].
        panels: curves of n values.
        title: above all.

    Raises:
        ToolchainError: there is no matplotlib.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(9.0, 0.6 + 2.1 * len(panels)), layout="constrained")
    drawn.suptitle(title, fontsize=11)
    rows = drawn.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, panel in zip(rows, panels, strict=True):
        _draw(axes, t, panel)
    rows[-1].set_xlabel("t [s]")
    return drawn


def figure_bytes(drawn: Figure, kind: str, mark: str) -> bytes:
    """A figure as a file, the same in every run.

    Args:
        drawn: the figure.
        kind: "png" or "svg".
        mark: written into the file's metadata.
    """
    from matplotlib import rc_context

    stream = io.BytesIO()
    metadata = {"png": {"Software": mark}, "svg": {"Creator": mark, "Date": None}}
    # Identifiers in SVG files are random without a salt.
    with rc_context({"svg.hashsalt": "mbsym", "svg.fonttype": "none"}):
        drawn.savefig(stream, format=kind, dpi=110, metadata=metadata[kind])
    return stream.getvalue()


def _draw(axes: Any, t: Array, panel: Panel) -> None:
    for name, values in panel.curves:
        # A logarithmic axis has no zero; what is exactly closed is drawn at its lower edge.
        shown = np.maximum(np.abs(values), 1e-18) if panel.logarithmic else values
        axes.plot(t, shown, linewidth=1.1, label=name)
    if panel.logarithmic:
        axes.set_yscale("log")
    axes.set_ylabel(f"{panel.title}\n[{panel.unit}]", fontsize=9)
    axes.grid(True, linewidth=0.4, alpha=0.5)
    axes.margins(x=0.0)
    axes.tick_params(labelsize=8)
    names = [name for name, _ in panel.curves if name]
    if 0 < len(names) <= MOST_CURVES:
        axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)

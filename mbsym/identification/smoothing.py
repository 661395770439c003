"""Speeds and accelerations from measured coordinates: zero-phase low-pass filters and central differences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mbsym.doors import Array, scipy
from mbsym.errors import IdentificationError
from mbsym.identification.measurements import Measurements
from mbsym.kinematics.mechanism import Mechanism

_ORDER: Final = 4
_OVER: Final = 5.0
"""The cut-off frequency in terms of that below which nearly all of the motion lies."""

_NEARLY: Final = 0.99
_HIGHEST: Final = 0.8
"""Part of half the sampling frequency that a cut-off may reach."""

_STILL: Final = 1e-4
"""Part of the largest reach below which a coordinate stands still: what it shows is noise."""

_PADDED: Final = 15
"""Samples by which the filters extend the data at either end."""

_DROPPED: Final = 3.0
"""Periods of the cut-off frequency that are left out at both ends, where filters start and end."""


@dataclass(frozen=True, slots=True)
class Motion:
    """Samples that an estimate is made of.

    Attributes:
        t: (n,) [s].
        q, v, vdot, tau: (n, nq) and (n, nv).
        cutoff: of the filters [Hz], 0 where nothing was filtered.
    """

    t: Array
    q: Array
    v: Array
    vdot: Array
    tau: Array
    cutoff: float = 0.0

    @property
    def repeated(self) -> float:
        """Samples for each that is independent of the others: filters leave noise alike from one to the next."""
        if not self.cutoff:
            return 1.0
        return max(1.0, 1 / (2 * self.cutoff * float(self.t[1] - self.t[0])))

    def part(self, rows: slice) -> Motion:
        """Some of the samples."""
        return replace(self, **{name: getattr(self, name)[rows] for name in ("t", "q", "v", "vdot", "tau")})


def motion_of(data: Measurements, mechanism: Mechanism, cutoff: float = 0.0) -> Motion:
    """The data with what was not measured.

    Args:
        data: measured.
        mechanism: whose.
        cutoff: of the filters [Hz]; 0 for five times the frequency below which 99 % of the motion lies.

    Raises:
        IdentificationError: a joint's speeds are no rates of coordinates, or the cut-off is not to be had.
    """
    if data.v is not None and data.vdot is not None and not cutoff:
        return Motion(data.t, data.q, data.v, data.vdot, data.tau)
    if data.v is None and mechanism.q.quaternions:
        raise IdentificationError(
            "speeds of joints with quaternions cannot be differentiated from their coordinates",
            where=mechanism.model.name,
            remedy="give the columns of v",
        )
    if len(data.t) <= _PADDED:
        raise IdentificationError(
            f"{len(data.t)} samples are too few for filters",
            where=mechanism.model.name,
            remedy="measure longer, or give the columns of v and vdot",
        )
    rate = 1 / data.step
    found = cutoff or min(_OVER * _bandwidth(data.q, data.step), _HIGHEST * rate / 2)
    if not 0 < found <= _HIGHEST * rate / 2:
        raise IdentificationError(
            f"a cut-off frequency of {found:g} Hz cannot be had from {rate:g} samples a second",
            where="`cutoff`",
            remedy=f"choose one below {_HIGHEST * rate / 2:.4g} Hz",
        )
    q = _filtered(data.q, found, rate) if not mechanism.q.quaternions else data.q
    v = np.gradient(q, data.step, axis=0, edge_order=2) if data.v is None else _filtered(data.v, found, rate)
    vdot = np.gradient(v, data.step, axis=0, edge_order=2) if data.vdot is None else _filtered(data.vdot, found, rate)
    tau = _filtered(data.tau, found, rate)
    drop = min(round(_DROPPED * rate / found) + 2, len(data.t) // 4)
    kept = slice(drop, len(data.t) - drop)
    return Motion(data.t, q, v, vdot, tau, found).part(kept)


def _bandwidth(values: Array, step: float) -> float:
    """The frequency [Hz] below which nearly all of the power of each motion lies; what stands still has none."""
    moving = np.ptp(values, axis=0) > _STILL * np.ptp(values, axis=0).max(initial=0.0)
    values = values[:, moving]
    power = np.abs(np.fft.rfft(values - values.mean(axis=0), axis=0)) ** 2
    frequencies = np.fft.rfftfreq(len(values), step)
    below = np.cumsum(power, axis=0) / np.maximum(power.sum(axis=0), 1e-300)
    places = [int(np.searchsorted(column, _NEARLY)) for column in below.T]
    return float(frequencies[max([1, *places])])


def _filtered(values: Array, cutoff: float, rate: float) -> Array:
    sections = scipy.signal.butter(_ORDER, cutoff, fs=rate, output="sos")
    return np.asarray(scipy.signal.sosfiltfilt(sections, values, axis=0))

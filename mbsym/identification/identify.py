"""Parameters of a model from measured motions and forces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import IdentificationError
from mbsym.identification.consistent import consistent_parameters
from mbsym.identification.estimate import Estimate, estimate
from mbsym.identification.measurements import Measurements, read_measurements
from mbsym.identification.options import HELD_BACK
from mbsym.identification.rows import Regression, regression_of
from mbsym.identification.smoothing import Motion, motion_of
from mbsym.model.system import Model
from mbsym.pipeline import read
from mbsym.regressors.parameters import parameter_units, with_values
from mbsym.regressors.sampled import own_units

_DIGITS: Final = 12


@dataclass(frozen=True, slots=True, repr=False)
class Identification:
    """What data tell of a model.

    Attributes:
        source: the model that was given.
        regression: its base parameters and their regressor.
        motion: all samples, filtered where need be.
        kept: samples that the estimate is made of; the others are held back.
        estimate: of the base parameters.
        standard: physically consistent standard parameters (np,).
        predicted: forces (n, forces) by the estimate, by the essential parameters, by the consistent ones and by the
            model as it was.
        measured: forces (n, forces), less those of laws that the model knows.
        remarks: what one should know of the data.
    """

    source: Model
    regression: Regression
    motion: Motion
    kept: int
    estimate: Estimate
    standard: Array
    predicted: Mapping[str, Array]
    measured: Array
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        told = len(self.estimate.told)
        return f"<Identification of {self.source.name!r}: {told} of {len(self.regression.found)} base parameters>"

    @property
    def model(self) -> Model:
        """The model with the physically consistent parameters."""
        values = {
            item.name: float(f"{value:.{_DIGITS}g}")
            for item, value in zip(self.regression.found.columns, self.standard, strict=True)
        }
        return with_values(self.source, values)

    def errors(self, by: str, *, held_back: bool) -> Array:
        """Root mean square of what a prediction leaves of each force (forces,)."""
        rows = slice(self.kept, None) if held_back else slice(0, self.kept)
        left = self.measured[rows] - self.predicted[by][rows]
        return np.sqrt(np.mean(left**2, axis=0)) if len(left) else np.zeros(left.shape[1])


ESTIMATED, ESSENTIAL, CONSISTENT, GIVEN = "estimate", "essential parameters", "consistent parameters", "model as given"


def identify(
    source: Model | str | Path,
    data: Measurements | str | Path,
    *,
    held_back: float = HELD_BACK,
    cutoff: float = 0.0,
) -> Identification:
    """Estimates the base parameters, and standard parameters that are physically possible.

    Forces of elements that take inputs or time are part of the measured ones and no part of the model here; those of
    laws in which no parameter stands as a factor are taken off the measured ones as the model has them.

    Args:
        source: a model, a model file, or the name of a bundled example.
        data: a CSV file with the columns t, q, tau and perhaps v and vdot, named as ``simulate`` names them, or
            measurements that were read before.
        held_back: part of the samples, the last ones, that the estimate is tried on.
        cutoff: of the low-pass filters [Hz]; 0 filters only where speeds or accelerations were not measured.

    Raises:
        MbsymError: the model or the data are unusable, or the data tell nothing.
    """
    model = read(source)
    regression = regression_of(model)
    mechanism = regression.mechanism
    measured = data if isinstance(data, Measurements) else read_measurements(data, mechanism, forces=regression.forces)
    if not 0 <= held_back < 1:
        raise IdentificationError(f"{held_back} is no part to hold back", where="`hold_back`", remedy="use 0 up to 1")
    motion = motion_of(measured, mechanism, cutoff)
    kept = len(motion.t) - round(held_back * len(motion.t))
    regressor, forces = regression.rows(motion)
    rows = kept * forces.shape[1]
    if rows <= len(regression.found) < forces.size:
        raise IdentificationError(
            f"of {len(forces)} samples {kept} are left, too few for {len(regression.found)} parameters",
            where="`hold_back`",
            remedy=f"hold less back than {held_back:g}",
        )
    found = estimate(regressor[:kept], forces[:kept], model.name, motion.repeated)
    B = regression.found.matrix()
    told = list(found.told)
    matrix = B[told].copy()
    for place, shares in found.grouped.items():
        for other, share in shares.items():
            matrix[told.index(other)] += share * B[place]
    columns = regression.found.columns
    # What is small for a crane is all that a watch has: so in the mechanism's own units.
    units = np.array(parameter_units(mechanism.model, own_units(mechanism.model)), dtype=float)
    rows_in = units[[regression.found.base[place].column for place in told]]
    standard = units * consistent_parameters(
        mechanism.model,
        [replace(item, value=item.value / unit) for item, unit in zip(columns, units.tolist(), strict=True)],
        matrix * units / rows_in[:, None],
        found.values[told] / rows_in,
        found.covariance[np.ix_(told, told)] / np.outer(rows_in, rows_in),
    )
    own = np.array([item.value for item in columns])
    choices = {
        ESTIMATED: found.values,
        ESSENTIAL: found.essential_values,
        CONSISTENT: B @ standard,
        GIVEN: B @ own,
    }
    predicted = {name: regressor @ values for name, values in choices.items()}
    return Identification(
        model, regression, motion, kept, found, standard, predicted, forces, _remarks(measured, motion, regression)
    )


def _remarks(measured: Measurements, motion: Motion, regression: Regression) -> tuple[str, ...]:
    missing = [name for name, item in (("v", measured.v), ("vdot", measured.vdot)) if item is None]
    found = list(measured.remarks)
    if regression.known:
        found.append(f"forces of {', '.join(regression.known)} as the model has them, taken off the measured ones")
    if missing:
        found.append(f"{' and '.join(missing)} by central differences")
    if motion.cutoff:
        found.append(
            f"zero-phase low-pass filters with a cut-off frequency of {motion.cutoff:.4g} Hz; "
            f"{len(measured.t) - len(motion.t)} samples at the ends left out"
        )
    return tuple(found)

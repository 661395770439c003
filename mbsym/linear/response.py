"""Frequency response: what small motions answer to forces that swing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from mbsym.doors import Array, one_thread
from mbsym.errors import AnalysisError
from mbsym.linear.analysis import BALANCED, At, linearise
from mbsym.linear.options import LinearOptions, OfLinearisation, OfResponse
from mbsym.linear.tables import numbered, phase
from mbsym.linear.transfer_matrix_modes import transfer_function, vibrating_elements
from mbsym.markup import Told
from mbsym.model.system import Model
from mbsym.option import made, takes
from mbsym.pipeline import Progress


@dataclass(frozen=True, slots=True, repr=False)
class FrequencyResponse(Told):
    """Outputs per input over frequencies.

    Attributes:
        name: of the model.
        method: "equations" or "transfer-matrix".
        hertz: frequencies (k,) [Hz].
        inputs, outputs: names.
        values: complex, output by input: motion exp(i w t) to force exp(i w t) (k, outputs, inputs).
    """

    name: str
    method: str
    hertz: Array
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    values: Array

    @property
    def text(self) -> str:
        """Amplitude and phase of each output per input, a row for each frequency."""
        places = [(i, j) for j in range(len(self.inputs)) for i in range(len(self.outputs))]
        heads = [f"{self.outputs[i]} / {self.inputs[j]}" for i, j in places]
        rows: list[tuple[str, ...]] = [("Hz", *(part for head in heads for part in (head, "degrees")))]
        for frequency, values in zip(self.hertz, self.values, strict=True):
            cells = [(f"{abs(values[i, j]):.4g}", f"{phase(complex(values[i, j])):.1f}") for i, j in places]
            rows.append((f"{frequency:.5g}", *(part for cell in cells for part in cell)))
        words = "transfer matrices" if self.method == "transfer-matrix" else "linearised equations of motion"
        return "\n".join([f"{self.name}: frequency response by {words}", "", *numbered(rows)]) + "\n"

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        return {
            "method": self.method,
            "Hz": self.hertz.tolist(),
            "inputs": list(self.inputs),
            "outputs": list(self.outputs),
            "response": {"real": self.values.real.tolist(), "imaginary": self.values.imag.tolist()},
        }


@takes(LinearOptions, OfResponse)
@one_thread()
def frequency_response(
    model: Model | str | Path,
    hertz: ArrayLike,
    at: At = BALANCED,
    *,
    progress: Progress | None = None,
    **options: Unpack[OfResponse],
) -> FrequencyResponse:
    """What outputs answer to inputs that swing with small amplitudes about a state.

    Args:
        model: a model, a model file, or the name of a bundled example.
        hertz: frequencies above zero [Hz].
        at: the state, as in ``modes``.
        **options: see below.
        progress: told of each step.

    Raises:
        AnalysisError: a name is unknown, the state is none of rest, or a response is infinite.
        MbsymError: the model cannot be read or its equations cannot be derived.
    """
    asked: LinearOptions = made(LinearOptions, options)
    frequencies = np.atleast_1d(np.asarray(hertz, dtype=float))
    if not (frequencies.ndim == 1 and np.all(np.isfinite(frequencies)) and np.all(frequencies > 0.0)):
        raise AnalysisError("frequencies that are not above zero", where="hertz", remedy="give positive numbers [Hz]")
    if asked.method == "equations":
        own: Any = {name: value for name, value in options.items() if name in OfLinearisation.__annotations__}
        linear = linearise(model, at, **own, progress=progress)
        found = linear.response(frequencies)
        name, sides = linear.equations.name, (linear.inputs, linear.outputs)
    else:
        elements = vibrating_elements(model, at, asked, progress)
        answer = transfer_function(elements, asked.inputs, asked.outputs)
        found = np.array([answer(s) for s in 2j * np.pi * frequencies])
        name, sides = elements.name, (answer.inputs, answer.outputs)
    return FrequencyResponse(name, asked.method, frequencies, *sides, found)

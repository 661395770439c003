"""Frequency responses as text."""

from __future__ import annotations

from math import degrees

import numpy as np

from mbsym.linear.response import FrequencyResponse
from mbsym.linear.tables import numbered


def response_text(found: FrequencyResponse) -> str:
    """Amplitude and phase of each output per input, a row for each frequency."""
    pairs = [(i, j) for j in range(len(found.inputs)) for i in range(len(found.outputs))]
    heads = [f"{found.outputs[i]} / {found.inputs[j]}" for i, j in pairs]
    rows: list[tuple[str, ...]] = [("Hz", *(part for head in heads for part in (head, "degrees")))]
    for frequency, values in zip(found.hertz, found.values, strict=True):
        cells = [(f"{abs(values[i, j]):.4g}", f"{_phase(complex(values[i, j])):.1f}") for i, j in pairs]
        rows.append((f"{frequency:.5g}", *(part for cell in cells for part in cell)))
    words = "transfer matrices" if found.method == "transfer-matrix" else "linearised equations of motion"
    return "\n".join([f"{found.name}: frequency response by {words}", "", *numbered(rows)]) + "\n"


def _phase(value: complex) -> float:
    """In degrees, above -180 up to 180; of what is zero 0."""
    found = degrees(float(np.angle(value)))
    return 180.0 if found <= -179.95 else found + 0.0

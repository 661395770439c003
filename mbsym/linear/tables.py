"""Pieces of the tables with which results of linear analysis show themselves."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.markup import aligned

_ROUND_OFF: Final = 1e-11
"""Part of what they are measured by below which coordinates, speeds and forces are printed as 0: equilibria are found
to about 1e-10 of the forces."""

_FIRST: Final = ("", *"-±0123456789")
"""First letters of numbers, and of what has none."""


def phase(value: complex) -> float:
    """In degrees, above -180 up to 180; of what is zero 0."""
    found = degrees(float(np.angle(value)))
    return 180.0 if found <= -179.95 else found + 0.0


def pairs(names: Sequence[str], values: Array, sizes: Array | None = None) -> str:
    """Names with values, round-off of what these are measured by as 0; by default the largest of them."""
    least = _ROUND_OFF * (np.abs(values).max(initial=0.0) if sizes is None else sizes)
    shown = np.where(np.abs(values) > least, values, 0.0).tolist()
    return ", ".join(f"{name} = {number(value)}" for name, value in zip(names, shown, strict=True))


def with_units(names: Sequence[str], units: Sequence[str]) -> str:
    """Names, each with its unit if it has one."""
    shown = (f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True))
    return ", ".join(shown) or "none"


def numbered(rows: Sequence[Sequence[str]]) -> list[str]:
    """Names to the left, numbers to the right."""
    return aligned(rows, right=[k for k, cell in enumerate(rows[-1]) if k and cell[:1] in _FIRST])


def number(value: float) -> str:
    """Six digits, never a negative zero."""
    return f"{value + 0.0:.6g}"


def eigenvalue(value: complex) -> str:
    """x ± yi of a pair, by its upper one."""
    real, imaginary = _parts(value)
    if not imaginary:
        return f"{real:.6g}"
    return f"{real:.6g} ± {imaginary:.6g}i" if real else f"±{imaginary:.6g}i"


def complex_number(value: complex) -> str:
    """Four digits of each part, round-off of the other part left out."""
    real, imaginary = _parts(value)
    if not imaginary:
        return f"{real:.4g}"
    sign = "+" if imaginary > 0.0 else "-"
    return f"{real:.4g} {sign} {abs(imaginary):.4g}i" if real else f"{imaginary:.4g}i"


def _parts(value: complex) -> tuple[float, float]:
    """Real and imaginary part without round-off of the other."""
    least = 1e-9 * abs(value)
    real, imaginary = (part + 0.0 if abs(part) > least else 0.0 for part in (value.real, value.imag))
    return real, imaginary

"""The independent reference: maximal coordinates with multipliers, in NumPy, one state at a time.

It shares no dynamics with the formulations that it checks: bodies are followed by rotation matrices and origins in
base axes, every joint is a constraint with a wrench of its own.
"""

from __future__ import annotations

from mbsym.reference.differences import central_difference, complex_difference, derivative_columns
from mbsym.reference.maximal import MaximalSolution
from mbsym.reference.reference import Reference

__all__ = ["MaximalSolution", "Reference", "central_difference", "complex_difference", "derivative_columns"]

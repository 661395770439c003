"""What is said of many comparisons in one line."""

from __future__ import annotations

from mbsym.verification.certificate_page import OF_ITSELF, beyond

(SAME, *_) = OF_ITSELF


def checks(**passed: bool) -> list[dict[str, object]]:
    return [{"function": name, "against": SAME, "language": "c", "passed": each} for name, each in passed.items()]


def test_functions_that_failed_are_counted_among_all() -> None:
    """Else thirteen functions that are right would read as if there were no other."""
    (line,) = beyond(checks(mass_matrix=True, bias_force=True))
    assert line.startswith("2 functions as their own equations say")
    (line,) = beyond(checks(mass_matrix=True, bias_force=False))
    assert line.startswith("1 of 2 functions as their own equations say")
    (line,) = beyond(checks(mass_matrix=True))
    assert line.startswith("1 function as")
    assert list(beyond(checks(mass_matrix=False))) == []

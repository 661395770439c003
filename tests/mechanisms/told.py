"""Counts of operations that pages tell and tests hold: a loss fails, and so does a figure that has grown old."""

from __future__ import annotations

from typing import Final

SMALL_SAVINGS: Final = 0.95
"""Savings below five per cent need no new figure."""


def assert_as_told(found: int, told: int) -> None:
    """A count is not more than is told, and not much less, for then it ought to be told.

    Raises:
        AssertionError: it is more, or less than 95 per cent.
    """
    assert found <= told, f"{found} operations, {told} have been reached before"
    assert found >= SMALL_SAVINGS * told, f"{found} operations in place of {told}: write it here and in the pages"

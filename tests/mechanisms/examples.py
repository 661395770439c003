"""Examples that show once more what others show: the continuous check runs a third of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def further(*examples: Any) -> list[Any]:
    """Arguments of a parametrised test, each a tuple where there are several, that ``pytest -m more`` runs."""
    return [pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=pytest.mark.more) for each in examples]


def some(examples: Iterable[Any], kept: Iterable[Any]) -> list[Any]:
    """All examples in their order, those that are not kept as further ones.

    Raises:
        ValueError: one that is to be kept is none of them.
    """
    every, wanted = list(examples), list(kept)
    missing = [each for each in wanted if each not in every]
    if missing:
        raise ValueError(f"{missing} are none of the examples")
    return [each if each in wanted else further(each)[0] for each in every]

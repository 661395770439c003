"""The gallery: each mechanism's equations are the book's, exactly, in no more operations; its pictures are whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from mbsym.visualisation.skeleton import skeleton
from mbsym.visualisation.still import still_svg

DOCS = Path(__file__).resolve().parents[2] / "docs"
NAMES = tuple(yaml.safe_load((DOCS / "gallery" / "mechanisms.yaml").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def book() -> Iterator[ModuleType]:
    sys.path.insert(0, str(DOCS))
    yield import_module("gallery_book")
    sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def exhibits(book: ModuleType) -> dict[str, Any]:
    return {exhibit.name: exhibit for exhibit in book.exhibits()}


def test_there_are_twenty_five() -> None:
    assert len(NAMES) >= 25


@pytest.mark.parametrize("name", NAMES)
def test_equations_are_the_books_in_no_more_operations(name: str, book: ModuleType, exhibits: dict[str, Any]) -> None:
    exhibit = exhibits[name]
    exhibit.check()
    found = exhibit.derived()
    books = book.operations(exhibit.mass_matrix, exhibit.bias_force)
    assert book.operations(found.mass_matrix, found.bias_force) <= books


def test_a_wrong_sign_of_the_book_is_found(exhibits: dict[str, Any]) -> None:
    from dataclasses import replace

    exhibit = exhibits["furuta_pendulum"]
    with pytest.raises(AssertionError, match="bias_force"):
        replace(exhibit, bias_force=-exhibit.bias_force).check()


def test_pictures_are_filled_by_the_mechanism(exhibits: dict[str, Any]) -> None:
    """All that is drawn lies in the picture and reaches over at least half of its width or height."""
    import numpy as np

    from mbsym.kinematics.mechanism import build_mechanism

    for name in ("furuta_pendulum", "four_bar", "simple_pendulum"):
        model = exhibits[name].model
        mechanism = build_mechanism(model, model.label())
        poses = np.broadcast_to(np.eye(4), (mechanism.nb, 4, 4))
        root = ElementTree.fromstring(still_svg(skeleton(mechanism), poses))
        places = np.array(
            [[float(x) for x in pair.split(",")] for item in root.iter() for pair in item.get("points", "").split()]
        )
        size = np.array([420.0, 280.0])
        assert np.all(places >= 0) and np.all(places <= size)
        assert np.max(np.ptp(places, axis=0) / size) > 0.5

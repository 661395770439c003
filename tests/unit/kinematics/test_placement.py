"""Constant frames are exact: rational orthogonal matrices, right angles as signed permutations."""

from __future__ import annotations

from fractions import Fraction
from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym.errors import ModelError
from mbsym.kinematics.placement import rounded, transform_of
from mbsym.model.body import Placement
from mbsym.spatial.rotation import Rotation, align_xy, align_z, rational_quaternion
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import constant

NUMBERS = st.floats(-10, 10).filter(lambda x: abs(x) > 1e-3)
TURNS = [("x", 0.4), ("y", "-3*pi/7"), ("z", 2.5)]


def numbers(rotation: Rotation) -> list[list[Fraction]]:
    """The matrix, each of whose entries must be a constant."""
    rows = [[entry.constant for entry in row] for row in rotation.matrix()]
    assert all(entry is not None for row in rows for entry in row)
    return [[Fraction(entry) for entry in row] for row in rows]  # type: ignore[arg-type]


def is_orthogonal(rotation: Rotation) -> bool:
    R = numbers(rotation)
    return all(sum(R[i][k] * R[j][k] for k in range(3)) == (i == j) for i in range(3) for j in range(3))


def about(axis: str, angle: float) -> np.ndarray:
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3)
    R[i, i] = R[j, j] = np.cos(angle)
    R[i, j], R[j, i] = -np.sin(angle), np.sin(angle)
    return R


def test_turns_are_exactly_orthogonal_and_near_what_was_meant() -> None:
    rotation = transform_of(Placement((0, 0, 0), tuple(TURNS)), Graph(), {}).rotation  # type: ignore[arg-type]
    assert is_orthogonal(rotation)
    expected = about("x", 0.4) @ about("y", -3 * pi / 7) @ about("z", 2.5)
    # Tangents of half the angles are rounded to floats.
    assert np.array(numbers(rotation), dtype=float) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("angle", "turns"), [("pi/2", 1), ("-pi/2", -1), ("pi", 2), ("3*pi/2", 3), (1.5707963267948966, 1), ("2*pi", 0)]
)
def test_right_angles_are_signed_permutations(angle: str | float, turns: int) -> None:
    rotation = transform_of(Placement((0, 0, 0), (("y", angle),)), Graph(), {}).rotation
    assert numbers(rotation) == [[round(x) for x in row] for row in about("y", turns * pi / 2)]


def test_full_turns_are_none() -> None:
    assert transform_of(Placement((0, 0, 0), (("y", "pi"), ("y", "pi"))), Graph(), {}).rotation.is_identity


@given(st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_z_is_taken_to_any_axis(axis: tuple[float, float, float]) -> None:
    rotation = align_z(Graph(), axis)
    assert is_orthogonal(rotation)
    direction = np.array(axis) / np.linalg.norm(axis)
    third = [float(row[2]) for row in numbers(rotation)]
    assert third == pytest.approx(list(direction), abs=1e-12)


@pytest.mark.parametrize("axis", [(0, 0, -1), (0, 0, -7), (0, 0, 2), (1, 0, 0), (0, -3, 0)])
def test_axes_of_coordinates_are_exact(axis: tuple[int, int, int]) -> None:
    third = [row[2] for row in numbers(align_z(Graph(), axis))]
    assert third == [Fraction((x > 0) - (x < 0)) for x in axis]


@given(st.tuples(NUMBERS, NUMBERS, NUMBERS), st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_x_and_y_are_taken_to_any_perpendicular_pair(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    first = np.array(a) / np.linalg.norm(a)
    second = np.cross(first, b)
    if np.linalg.norm(second) < 1e-3:
        return
    second /= np.linalg.norm(second)
    R = np.array(numbers(align_xy(Graph(), first, second)), dtype=float)
    assert R[:, 0] == pytest.approx(first, abs=1e-12)
    assert R[:, 1] == pytest.approx(second, abs=1e-12)


def test_a_quaternion_of_zeros_is_refused() -> None:
    with pytest.raises(ModelError, match="no rotation"):
        rational_quaternion((0, 0, 0, 0))
    assert rational_quaternion((2, 0, 1e-14, -2)) == (1, 0, 0, -1)


def test_long_fractions_are_rounded_and_short_ones_kept() -> None:
    graph = Graph()
    for short in (Fraction(1, 3), Fraction(1, 3**2500)):
        assert rounded(constant(graph, short)).constant == short
    long = constant(graph, Fraction(1, 3) + Fraction(1, 3**3000))
    assert rounded(long).constant == Fraction(1 / 3)

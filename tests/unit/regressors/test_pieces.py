"""Pieces of regressors on what can be worked by hand: ranks over GF(p), what joints leave unseen, names of columns."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from mbsym.errors import ModelError
from mbsym.forces.applied_wrench import AppliedWrench
from mbsym.forces.joint_damper import JointDamper
from mbsym.forces.joint_force import JointForce
from mbsym.model.inertial_parameters import INERTIAL_NAMES
from mbsym.model.system import Model
from mbsym.regressors import base_parameters
from mbsym.regressors.invariants import invariants, solved_places
from mbsym.regressors.parameters import alone, standard_parameters, with_values
from mbsym.regressors.relations_text import proof
from mbsym.regressors.sampled import dependencies, is_deficient
from mbsym.symbolic.field_matrix import Echelon, rational
from mbsym.symbolic.finite_field import PRIME
from mechanisms.mechanism import mechanism_of
from mechanisms.one_joint import BAR, one_joint

# ---- ranks over GF(p) ------------------------------------------------------------------------------------------------


def test_columns_that_follow_from_others() -> None:
    """Column 2 is twice column 0 less three times column 1; column 3 is zero; rows in an order of their own."""
    matrix = [(1, 0, 2, 0), (4, 5, 8 - 15, 0), (0, 7, -21, 0)]
    echelon = Echelon([0, 1, 2, 3])
    added = [echelon.add({k: x % PRIME for k, x in enumerate(row)}) for row in reversed(matrix)]
    assert (added, echelon.rank, echelon.pivots) == ([True, True, False], 2, (0, 1))
    assert {k: rational(x) for k, x in echelon.combination(2).items()} == {0: Fraction(2), 1: Fraction(-3)}
    assert echelon.combination(3) == {}
    other = Echelon([2, 1, 0, 3])
    for row in matrix:
        other.add({k: x % PRIME for k, x in enumerate(row)})
    assert other.pivots == (2, 1)
    assert {k: rational(x) for k, x in other.combination(0).items()} == {2: Fraction(1, 2), 1: Fraction(3, 2)}


@pytest.mark.parametrize("number", [Fraction(3, 7), Fraction(-5, 2), Fraction(0), Fraction(1), Fraction(1 << 20, 3)])
def test_short_fractions_come_back_from_their_residues(number: Fraction) -> None:
    assert rational(number.numerator * pow(number.denominator, -1, PRIME)) == number


def test_most_residues_are_no_short_fraction() -> None:
    assert [rational(7**k) for k in range(30, 40)] == [None] * 10


# ---- what a joint leaves unseen --------------------------------------------------------------------------------------

UNSEEN = {
    "revolute": ({"m": 1}, {"hz": 1}, {"Ixx": 1, "Iyy": 1}),
    "prismatic": ({"Ixx": 1}, {"Iyy": 1}, {"Izz": 1}, {"Ixy": 1}, {"Ixz": 1}, {"Iyz": 1}),
    "spherical": ({"m": 1},),
    "free": (),
    "fixed": tuple({name: 1} for name in ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")),
}
"""Along or about z: mass on the axis, its moment along it and a ring about it; all that turning would show; mass at the
centre; nothing; everything."""


@pytest.mark.parametrize("kind", UNSEEN)
def test_what_a_joint_leaves_unseen(kind: str) -> None:
    own = mechanism_of(one_joint(kind, **({"axis": (0, 0, 1)} if kind in ("revolute", "prismatic") else {})))
    (body,) = own.bodies
    names = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    expected = np.array([[each.get(name, 0) for name in names] for each in UNSEEN[kind]], dtype=float).reshape(-1, 10)
    tens = invariants(own, body)
    found = np.array([[float(x) for x in ten] for ten in tens]).reshape(-1, 10)
    both = np.vstack([expected, found])
    assert len(found) == len(expected) == np.linalg.matrix_rank(both)
    places = solved_places(tens)
    assert [[bool(ten[place]) for place in places] for ten in tens] == np.eye(len(tens), dtype=bool).tolist()


# ---- columns in floating point ---------------------------------------------------------------------------------------


def test_columns_that_follow_in_floating_point() -> None:
    """Of a, b, a + 2 b, nothing, and 1e-10 of b more than a."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 12))
    rows = np.column_stack([a, b, a + 2 * b, 0 * a, a + 1e-10 * b])
    found = dependencies(rows, range(5))
    assert found.pivots == (0, 1)
    assert {k: set(relation) for k, relation in found.relations.items()} == {2: {0, 1}, 3: set(), 4: {0}}
    assert found.relations[2][0] == pytest.approx(1, abs=1e-12) and found.relations[2][1] == pytest.approx(2, abs=1e-12)
    assert found.gap[0] > 0.1 and found.gap[1] < 1e-9
    assert dependencies(rows, (4, 2, 1, 0, 3)).pivots == (4, 2)
    assert is_deficient(rows) and is_deficient(rows[:, :3]) and not is_deficient(rows[:, :2])
    assert not is_deficient(rows[:, :0]) and is_deficient(rows[:, 3:4])


# ---- names and values ------------------------------------------------------------------------------------------------


def driven() -> Model:
    """A bar with a rotor, a damper and a law that no parameter is a factor of."""
    model = one_joint("revolute", BAR, axis=(0, 0, 1), armature="1/4")
    return replace(model, forces=(JointDamper("oil", "j", "3"), JointForce("law", "j", "-q_j**3")))


def test_columns_are_bodies_then_rotors_then_forces() -> None:
    """The bar has its mass 1 at x = 0.5: about the origin of its frame its y and z moments are 1/4 larger."""
    found = standard_parameters(driven())
    assert [item.key for item in found] == [*INERTIAL_NAMES, "armature", "damping", "share"]
    assert [item.value for item in found[:10]] == pytest.approx([1, 0.5, 0, 0, 0.01, 0.35, 0.35, 0, 0, 0], abs=1e-15)
    assert [(item.owner, item.kind, item.unit, item.value) for item in found[10:]] == [
        ("j", "armature", "kg m^2", 0.25), ("oil", "force", "N s/m or N m s", 3.0), ("law", "share", "1", 1.0)
    ]  # fmt: skip


def test_other_values_are_those_of_another_model() -> None:
    model = driven()
    names = {item.key: item.name for item in standard_parameters(model)}
    changed = with_values(model, {names["armature"]: 2, names["damping"]: 5, names[INERTIAL_NAMES[1]]: 0.75})
    expected = {names["armature"]: 2.0, names["damping"]: 5.0, names[INERTIAL_NAMES[1]]: 0.75}
    for before, after in zip(standard_parameters(model), standard_parameters(changed), strict=True):
        assert after.value == pytest.approx(expected.get(before.name, before.value), abs=1e-15)
    with pytest.raises(ModelError, match="known as a whole"):
        with_values(model, {names["share"]: 2})
    with pytest.raises(ModelError, match="there is no parameter 'mass'"):
        with_values(model, {"mass": 1})


def test_an_element_with_one_of_its_parameters_alone() -> None:
    model = driven()
    found = {item.key: item for item in standard_parameters(model)}
    assert alone(model, model.forces[0], found["damping"]) == JointDamper("oil", "j", 1)
    assert alone(model, model.forces[1], found["share"]) == model.forces[1]


def test_one_of_three_components_alone_and_with_another_value() -> None:
    """Columns of a load by component; what shares a name with an earlier one is counted."""
    load = AppliedWrench("push", "a", force=(1, 2, 3), point=(0, 0, "0.5"))
    model = replace(one_joint("revolute", BAR, axis=(0, 0, 1)), forces=(load,))
    found = [item for item in standard_parameters(model) if item.owner == "push"]
    assert [item.name for item in found[:3]] == ["push_force_x", "push_force_y", "push_force_z"]
    assert alone(model, load, found[1]) == replace(load, force=(0, 1, 0), moment=(0, 0, 0))
    changed = with_values(model, {"push_force_y": 7, "push_force_z": 8}).forces[0]
    assert changed == replace(load, force=(1, 7, 8))
    both = replace(model, forces=tuple(replace(load, name=name) for name in ("it_all", "it all", "it-all")))
    names = [item.name for item in standard_parameters(both) if item.key == "moment"]
    assert names == [f"it_all_moment_{axis}{again}" for again in ("", "_2", "_3") for axis in "xyz"]


def test_parameters_told_apart_by_rounding_are_counted() -> None:
    found = base_parameters.base_parameters_of(mechanism_of(driven()))
    assert repr(found) == f"<BaseParameters of 'one': {len(found)} of 13 parameters, GF(p)>"
    assert proof(found).endswith("elements")
    blurred = "less 2 that only the rounding of the model's numbers tells apart; some coefficients are rounded"
    assert proof(replace(found, blurred=2, exact=False)).endswith(blurred)


@pytest.mark.parametrize("value", [1 / 3, -2.5, 1.2345678e-8, 7.0e-13, 123456.789, 0.0])
def test_a_measured_coefficient_keeps_its_digits_whatever_its_size(value: float) -> None:
    short = base_parameters._short(value)
    assert abs(float(short) - value) <= 1e-11 * abs(value)
    assert abs(value) != 1 / 3 or short == Fraction(1, 3)

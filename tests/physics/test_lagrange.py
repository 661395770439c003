"""Lagrange's equations are Kane's, exactly, on random trees with all joint types and couplings; what documents show.

Both are evaluated at a random point of GF(2^61 - 1), where polynomials that differ agree with a chance below 1e-13.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import sympy as sp

import mbsym
from mbsym.formulations import lagrange
from mbsym.formulations.kane.closed_form import KANE_FUNCTIONS
from mbsym.formulations.lagrange import LAGRANGE_FUNCTIONS
from mbsym.joints.registry import JOINT_TYPES
from mbsym.report.contents import report_sections
from mbsym.report.sections import Entries
from mbsym.symbolic.equality import compare
from mechanisms.examples import some
from mechanisms.mechanism import mechanism_of
from mechanisms.random_mechanisms import random_tree

SEEDS = range(48)


def tree(seed: int) -> mbsym.Model:
    return random_tree(seed, bodies=(1, 4), forces=seed % 2 == 0, couplings=seed % 5 == 0)


@pytest.mark.parametrize("block", some(range(4), range(2)))
def test_they_are_kanes_equations_exactly(block: int) -> None:
    for seed in SEEDS[12 * block : 12 * block + 12]:
        mechanism = mechanism_of(tree(seed))
        for name, derive in LAGRANGE_FUNCTIONS.items():
            assert compare(derive(mechanism), KANE_FUNCTIONS[name](mechanism), trials=1), f"tree {seed}: {name}"


def test_the_trees_have_every_joint_type_both_ways_and_couplings() -> None:
    mechanisms = [mechanism_of(tree(seed)) for seed in SEEDS]
    seen = {(body.joint.type, body.flipped) for mechanism in mechanisms for body in mechanism.bodies}
    turning = {name for name, kind in JOINT_TYPES.items() if not kind.speeds_are_rates}
    assert {name for name, _ in seen} == set(JOINT_TYPES)
    assert {(name, flipped) for name in turning for flipped in (False, True)} <= seen
    assert any(mechanism.is_coupled for mechanism in mechanisms)


@pytest.mark.parametrize("left_out", ["momentum_bracket", "element_forces"])
def test_without_one_of_its_terms_it_is_wrong(left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = {"momentum_bracket": lambda *_: (), "element_forces": lambda *_: None}
    monkeypatch.setattr(lagrange, left_out, nothing[left_out])
    wrong = 0
    for seed in SEEDS[:12]:
        mechanism = mechanism_of(tree(seed))
        wrong += not compare(LAGRANGE_FUNCTIONS["bias_force"](mechanism), KANE_FUNCTIONS["bias_force"](mechanism))
    assert wrong >= 3


@pytest.mark.parametrize("name", ["cart_pole", "spinning_top", "four_bar"])
def test_it_is_generated_and_certified(name: str, tmp_path: Path) -> None:
    mbsym.generate(name, tmp_path, formulation="lagrange", languages=["numpy"])
    assert mbsym.verify(tmp_path, states=3).passed
    assert "Lagrange's equations" in (tmp_path / f"{name}.py").read_text(encoding="utf-8")


def test_energies_and_momenta_of_the_cart_and_pole() -> None:
    equations = mbsym.derive("cart_pole", "lagrange")
    sections = {section.key: section for section in report_sections(equations)}
    shown = {item.letter: item.values for item in sections["energies"].items if isinstance(item, Entries)}
    m, mp, l, q, v, w = sp.symbols("m_cart m_pole l q_hinge v_rail v_hinge")
    kinetic = (m + mp) * v**2 / 2 + mp * l * sp.cos(q) * v * w / 2 + mp * l**2 * w**2 / 6
    assert sp.expand(shown["T"][()] - kinetic) == 0
    assert sp.expand(shown["U"][()] - sp.Rational("9.81") * mp * l * sp.cos(q) / 2) == 0
    for place, speed in enumerate((v, w), start=1):
        assert sp.expand(shown["p"][(place,)] - sp.diff(kinetic, speed)) == 0


@pytest.mark.more
def test_large_systems_show_the_equations_in_words_alone() -> None:
    keys = [section.key for section in report_sections(mbsym.derive("quadruped", "lagrange"))]
    assert "lagrange" in keys and "energies" not in keys


def test_the_inverse_mass_matrix_of_constraint_forces_is_c_less_b_a_b(tmp_path: Path) -> None:
    # Where all bodies have an inverse inertia it is made of A, B and C, else as under the other formulations.
    for name, way in (("space_robot", "C - B^T A^-1 B"), ("cart_pole", "inverse of the mass matrix")):
        directory = tmp_path / name
        mbsym.generate(name, directory, formulation="cfa", functions=["inverse_mass_matrix"], languages=["numpy"])
        assert way in (directory / f"{name}.py").read_text(encoding="utf-8")
        assert mbsym.verify(directory, states=2).passed

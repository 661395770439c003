"""M and h of arms are no longer than people wrote them by hand; what is counted is proven to be of these arms.

B. Armstrong, O. Khatib, J. Burdick: The explicit dynamic model and inertial parameters of the PUMA 560 arm, IEEE
International Conference on Robotics and Automation, 1986; the planar arm as textbooks expand two links (M. Spong, M.
Vidyasagar, Robot Dynamics and Control, 1989, section 6.4; R. Murray, Z. Li, S. Sastry, A Mathematical Introduction to
Robotic Manipulation, 1994, section 4.2), for three.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from benchmarks import short_forms

import mbsym
from mbsym.reference.reference import Reference
from mbsym.testing import assert_same_equations
from mechanisms.examples import some
from mechanisms.textbook_arms import PLANAR_3R, PUMA_560

PAGE = Path(__file__).resolve().parents[2] / "docs" / "short_forms.md"
CONSTANTS = {
    **{"I4": 0.690, "I5": 0.372, "I6": 0.333, "I7": 0.298, "I8": -0.134, "I9": 0.0238, "I10": -0.0213, "I11": -0.0142},
    **{"I12": -0.011, "I13": -0.00379, "I14": 0.00164, "I15": 0.00125, "I16": 0.00124, "I17": 0.000642},
    **{"I18": 0.000431, "I19": 0.0003, "I20": -0.000202, "I21": -0.0001, "I22": -0.000058, "I23": 0.00004},
}
"""As published, of three digits at most; I1 and I2 are known with inertias of motors only, I3 is not compared."""


def test_the_planar_arm_of_textbooks_is_the_bundled_one() -> None:
    q2, q3 = sp.symbols("q_elbow q_wrist")
    known = {"C2": sp.cos(q2), "S2": sp.sin(q2), "C3": sp.cos(q3), "S3": sp.sin(q3)}
    known |= {"C23": sp.cos(q2 + q3), "S23": sp.sin(q2 + q3)}
    known |= {f"v{k}": sp.Symbol(f"v_{joint}") for k, joint in enumerate(("shoulder", "elbow", "wrist"), 1)}
    names = ("I1", "I2", "I3", "m1", "m2", "m3", "c1", "c2", "c3", "l1", "l2")
    known |= {name: sp.Symbol(name) for name in names}
    upper = iter(sp.sympify(list(PLANAR_3R["M"]), locals=known))
    M = sp.zeros(3, 3)
    for i in range(3):
        for j in range(i, 3):
            M[i, j] = M[j, i] = next(upper)
    h = sp.sympify(list(PLANAR_3R["h"]), locals=known)
    assert_same_equations({"mass_matrix": M, "bias_force": h}, "planar_3r")


def test_the_published_mass_matrix_of_the_puma_is_that_of_the_bundled_one() -> None:
    """One set of constants fits all entries; what each is, the paper says to three digits."""
    reference, random = Reference(mbsym.examples.load("puma560")), np.random.default_rng(3)
    names = [*(f"I{k}" for k in range(1, 24)), *(f"Im{k}" for k in range(1, 7))]
    formulas = sp.Matrix(
        [sp.sympify(text, locals={name: sp.Symbol(name) for name in names}) for text in PUMA_560.values()]
    )
    linear = formulas.jacobian(sp.symbols(names))
    angles = sorted(linear.free_symbols, key=str)
    coefficients = sp.lambdify([angles], linear)
    rows, right = [], []
    for _ in range(12):
        q = random.uniform(-3, 3, 6)
        at = {"2": q[1], "3": q[2], "23": q[1] + q[2], "4": q[3], "5": q[4]}
        plain = {f"{letter}{k}": f(x) for k, x in at.items() for letter, f in (("S", np.sin), ("C", np.cos))}
        values = [plain.get(str(symbol)) or _product(str(symbol), plain) for symbol in angles]
        rows.append(np.array(coefficients(values), dtype=float))
        M = reference.mass_matrix(q)
        right.append(np.array([M[i - 1, j - 1] for i, j in PUMA_560]))
    fit, *_ = np.linalg.lstsq(np.vstack(rows), np.concatenate(right), rcond=None)
    # Rounding of entries of the size of seven, over twelve states.
    assert np.abs(np.vstack(rows) @ fit - np.concatenate(right)).max() < 1e-12
    found = dict(zip(names, fit, strict=True))
    for name, value in CONSTANTS.items():
        assert found[name] == pytest.approx(value, rel=0.03), name


def _product(name: str, plain: dict[str, float]) -> float:
    """SS23 is S23 S23, SC4 is S4 C4."""
    first, second, angle = name[0], name[1], name[2:]
    return plain[f"{first}{angle}"] * plain[f"{second}{angle}"]


@cache
def rows(arm: str) -> tuple[tuple[str, ...], ...]:
    return tuple(short_forms.rows((arm,)))


def test_what_is_derived_is_not_longer() -> None:
    counted = 0
    for arm, letter, by_hand, flat, *shorter in (*rows("planar 3R"), *rows("PUMA 560, in numbers")):
        if by_hand:
            counted += 1
            assert int(flat) < int(by_hand), (arm, letter)
        assert all(int(each) < int(flat) for each in shorter if each)
    assert counted == 3


def test_the_whole_puma_takes_fewer_operations_than_were_published() -> None:
    """1165 calculations of M vdot + h: the entries, and what puts them together."""
    (_, _, _, M, *_), (_, _, _, _, products, *_) = rows("PUMA 560, in numbers")
    together = 36 + 30 + 6
    assert int(M) + int(products) + together < 1165


@pytest.mark.parametrize("arm", some(short_forms.ARMS, ("planar 3R", "PUMA 560, in numbers", "three links in space")))
def test_the_table_of_the_page_is_current(arm: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert short_forms.line(short_forms.HEAD) in page
    for row in rows(arm):
        assert short_forms.line(row) in page

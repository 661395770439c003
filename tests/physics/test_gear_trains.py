"""A gear on a gear: couplings in a row, which random trees never have, and what documents show of their ratios."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
import sympy as sp

import mbsym
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.kane.closed_form import KANE_FUNCTIONS
from mbsym.formulations.lagrange import LAGRANGE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.report.contents import report_sections
from mbsym.report.sections import NamedMatrix
from mbsym.symbolic.equality import compare
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Program
from mechanisms.mechanism import mechanism_of

RATIOS = (2, -3)
Functions = Mapping[str, Callable[[Mechanism], Program]]


def train(order: tuple[int, int] = (1, 0)) -> Model:
    """Four links; joint 1 turns twice as far as joint 0, joint 2 back three times as far as joint 1."""
    links = tuple(Body(f"g{k}", 1 + k, (0.1 * k, 0.05, 0.02), (0.1, 0.2, 0.25, 0, 0, 0)) for k in range(4))
    joints = tuple(
        Joint(
            f"j{k}", "revolute", f"g{k - 1}" if k else "ground", f"g{k}",
            axis=(0, 1, 0) if k % 2 else (0, 0, 1), predecessor_placement=Placement((0.3, 0.1, 0)),
            armature="1/10" if k == 2 else 0,
        )
        for k in range(4)
    )  # fmt: skip
    gears = (Coupling("j1", "j0", RATIOS[0], 0.1), Coupling("j2", "j1", RATIOS[1], 0.2))
    return Model("train", links, joints, couplings=tuple(gears[k] for k in order))


def loose() -> Model:
    """The same links without gears."""
    return Model("train", train().bodies, train().joints)


def motion(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles and speeds of all joints, and how they follow the free ones."""
    first, second = 2 * q[0] + 0.1, -3 * (2 * q[0] + 0.1) + 0.2
    follow = np.array([[1, 0], [2, 0], [-6, 0], [0, 1]], dtype=float)
    return np.array([q[0], first, second, q[1]]), follow @ v, follow


@pytest.mark.parametrize("functions", [TREE_FUNCTIONS, KANE_FUNCTIONS, LAGRANGE_FUNCTIONS])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_gear_on_a_gear_multiplies_the_ratios(functions: Functions, order: tuple[int, int]) -> None:
    # N^T M N and N^T h of the links without gears, by the reference, which knows no coupling.
    mechanism = mechanism_of(train(order))
    assert mechanism.nv == 2
    q, v = np.array([0.4, -0.7]), np.array([0.9, 1.3])
    angles, speeds, follow = motion(q, v)
    free = Reference(loose())
    results = {
        name: interpret(functions[name](mechanism.afresh()), arguments)
        for name, arguments in (("mass_matrix", {"q": q}), ("bias_force", {"q": q, "v": v}))
    }
    mass, bias = (next(iter(found.values())) for found in results.values())
    still = np.zeros(4)
    np.testing.assert_allclose(mass, follow.T @ free.mass_matrix(angles) @ follow, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(bias, follow.T @ free.inverse_dynamics(angles, speeds, still), rtol=1e-12, atol=1e-11)


def test_all_formulations_that_cover_gears_agree_exactly() -> None:
    for name in ("forward_dynamics", "inverse_dynamics", "mass_matrix", "bias_force"):
        expected = TREE_FUNCTIONS[name](mechanism_of(train()))
        for functions in (KANE_FUNCTIONS, LAGRANGE_FUNCTIONS):
            assert compare(functions[name](mechanism_of(train())), expected)


def test_partial_velocities_bear_the_gear_ratios() -> None:
    """Along the speed of joint 0 link g2 turns by w_0 + 2 w_1 - 6 w_2: M from the vectors that Kane's page shows."""
    flat = Model(
        "wheels",
        tuple(Body(f"g{k}", 1, (0, 0, 0), (0.3, 0.3, 0.1 * (k + 1), 0, 0, 0)) for k in range(3)),
        tuple(Joint(f"j{k}", "revolute", "ground", f"g{k}") for k in range(3)),
        couplings=(Coupling("j1", "j0", RATIOS[0]), Coupling("j2", "j1", RATIOS[1])),
    )
    shown = {
        item.name: item.value
        for section in report_sections(mbsym.derive(flat, "kane"))
        for item in section.items
        if isinstance(item, NamedMatrix) and item.name.startswith("w_")
    }
    turns = {name: [int(x) for x in value] for name, value in shown.items()}
    assert turns == {"w_1,1": [0, 0, 1], "w_2,1": [0, 0, 2], "w_3,1": [0, 0, -6]}
    mass = mbsym.derive(flat, "kane").mass_matrix
    assert sp.nsimplify(mass[0, 0]) == sp.Rational(1, 10) * 1 + sp.Rational(2, 10) * 4 + sp.Rational(3, 10) * 36

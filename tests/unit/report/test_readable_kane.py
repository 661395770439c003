"""Kane's equations through T are as readable as the recursive ones, and SymPy gets what it can work with."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import sympy as sp

import mbsym
from mbsym.report import equations as report
from mbsym.report.document import document
from mbsym.report.equations import Equations
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.testing import assert_same_equations

MASSES = {"ms": 2, "mc": 1, "ma": "3/2", "i": "1/10", "j": "1/8", "c": "1/10", "l": "2/5", "a": "1/5"}


@cache
def tree() -> mbsym.Model:
    """A slide, a universal joint and a pin in turned frames, with a spring, a damper and a spring between points."""
    bodies = (
        mbsym.Body("slide", "ms", (0.1, 0, 0.2), ("i", "i", "i", 0, 0, 0)),
        mbsym.Body("cross", "mc", (0, "c", 0.1), ("i", "j", "i", 0, 0, 0)),
        mbsym.Body("arm", "ma", ("l", 0, 0.05), ("j", "j", "i", 0, 0, 0)),
    )
    first = mbsym.Placement((0.2, 0.1, 0.3), (("x", 0.4), ("y", 0.7)))
    second = mbsym.Placement((0.1, "a", 0.2), (("z", 0.5), ("x", -0.3)))
    joints = (
        mbsym.Joint("rail", "prismatic", "ground", "slide", axis=(1, 0, 0)),
        mbsym.Joint(
            "gimbal", "universal", "slide", "cross",
            axis=(1, 0, 0), second_axis=(0, 1, 0), predecessor_placement=first,
        ),
        mbsym.Joint("pin", "revolute", "cross", "arm", axis=(0, 0, 1), predecessor_placement=second),
    )  # fmt: skip
    forces = (
        mbsym.JointSpring("spring", "rail", 100),
        mbsym.JointDamper("damper", "pin", 0.5),
        mbsym.PointSpringDamper("tie", "ground", "arm", 50, 1, 0.4, (0, 0, 1), (0.1, 0.2, 0)),
    )
    parameters = tuple(mbsym.Parameter(name, value, "", symbolic=True) for name, value in MASSES.items())
    return mbsym.Model("tree", bodies, joints, forces=forces, parameters=parameters)


def printed(equations: Equations, name: str) -> int:
    form = equations.form(name)
    return PrintedSizes(form.program.graph).of_all(form.references or form.program.output_references)


@pytest.mark.parametrize("formulation", ["kane", "lagrange"])
def test_the_mass_matrix_is_of_the_size_of_the_automatic_one(formulation: str) -> None:
    """Through T it has seventy thousand operations before it is simplified, which nobody reads."""
    theirs, ours = mbsym.derive(tree()), mbsym.derive(tree(), formulation)
    assert ours.form("mass_matrix").is_of_recursion
    assert printed(ours, "mass_matrix") <= 1.1 * printed(theirs, "mass_matrix") < 1000
    text = " ".join(document(ours, "text").split())
    assert "This is the closed form of the recursive derivation, to which the formulation's own is equal" in text


def test_it_is_not_shown_where_the_formulation_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "compare", lambda *_: False)
    form = mbsym.derive(tree(), "kane").form("mass_matrix")
    assert not form.is_of_recursion and not form.is_expanded


def test_small_ones_are_the_formulation_s_own() -> None:
    assert not mbsym.derive("double_pendulum", "kane").form("mass_matrix").is_of_recursion


def values(*expressions: Any) -> dict[sp.Symbol, sp.Rational]:
    symbols = sorted(set().union(*(each.free_symbols for each in expressions)), key=str)
    return {symbol: sp.Rational(k + 3, 7 * (k + 2)) for k, symbol in enumerate(symbols)}


@pytest.mark.parametrize("name", ["mass_matrix", "gravity_force"])
@pytest.mark.parametrize("model", ["tree", "planar_3r"])
def test_common_subexpressions_put_together_are_the_matrix(name: str, model: str) -> None:
    equations = mbsym.derive(tree() if model == "tree" else model, "kane")
    steps, short = equations.reduced(name)
    whole = equations.matrix(name)
    new = {symbol for symbol, _ in steps}
    point = {
        symbol: value
        for symbol, value in values(whole, short, *(value for _, value in steps)).items()
        if symbol not in new
    }
    known: dict[sp.Symbol, Any] = dict(point)
    for symbol, value in steps:
        assert symbol not in known
        known[symbol] = value.subs(known).evalf(40)
    difference = short.subs(known).evalf(40) - whole.subs(point).evalf(40)
    assert max(map(abs, difference), default=0) < 1e-30
    if name == "mass_matrix" and model == "tree":
        assert sum(map(sp.count_ops, (*short, *(value for _, value in steps)))) < 0.8 * sum(map(sp.count_ops, whole))


def test_partial_velocities_make_the_mass_matrix() -> None:
    """M_jk = sum of m v_ij . v_ik + w_ij . J w_ik, planar, and the pattern of T."""
    equations = mbsym.derive("planar_3r", "kane")
    partial = equations.partial_velocities
    speeds = ["v_" + joint.name for joint in equations.mechanism.model.joints]
    mass = sp.zeros(3, 3)
    for i in range(3):
        for j in range(i + 1):
            for k in range(i + 1):
                (w_j, v_j), (w_k, v_k) = (partial[f"link{i + 1}", speeds[n]] for n in (j, k))
                mass[j, k] += sp.Symbol(f"m{i + 1}") * v_j.dot(v_k) + sp.Symbol(f"I{i + 1}") * w_j.dot(w_k)
    assert len(partial) == 6
    assert_same_equations({"mass_matrix": mass}, equations.mechanism.model)


def test_partial_velocities_of_a_large_tree_are_there_too() -> None:
    partial = mbsym.derive(tree(), "kane").partial_velocities
    assert {body for body, _ in partial} == {"slide", "cross", "arm"} and len(partial) == 1 + 3 + 4
    assert partial["slide", "v_rail"] == (sp.zeros(3, 1), sp.Matrix([1, 0, 0]))

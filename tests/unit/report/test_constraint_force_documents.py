"""Documents of the constraint force algorithm hold matrices, right side and forces, and these fit each other."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import mbsym
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force.kkt import kkt_system
from mbsym.formulations.constraint_force.matrices import cfa_matrices
from mbsym.report.contents import formulation_sections
from mbsym.report.document import document
from mbsym.report.equations import Equations
from mbsym.report.sections import Entries, NamedMatrix, Section, Steps
from mbsym.symbolic.interpret import interpret
from mechanisms.examples import further

TREES = ("cart_pole", "double_pendulum", "planar_3r", "puma560", "spinning_top", "floating_two_arm", "quadruped")


@cache
def equations(name: str, formulation: str = "cfa") -> Equations:
    return mbsym.derive(name, formulation)


@cache
def sections(name: str, formulation: str = "cfa") -> dict[str, Section]:
    return {section.key: section for section in formulation_sections(equations(name, formulation))}


def numbers(of: Equations) -> tuple[dict[sp.Symbol, float], dict[str, np.ndarray]]:
    """A state as values of symbols, and as arguments of a program."""
    rng = np.random.default_rng(3)
    mechanism = of.mechanism
    state = {name: rng.uniform(0.3, 0.9, size) for name, size in (("q", mechanism.nq), ("v", 6), ("tau", 6))}
    state["v"], state["tau"] = state["v"][: mechanism.nv], state["tau"][: mechanism.nv]
    for first in mechanism.q.quaternions:
        state["q"][first : first + 4] /= np.linalg.norm(state["q"][first : first + 4])
    symbols = zip((*of.coordinates, *of.speeds, *of.forces), np.concatenate(list(state.values())), strict=True)
    point = {**dict(symbols), **{sp.Symbol(item.name): float(item.default) for item in mechanism.parameters}}
    inputs = {sp.Symbol(item.name): 0.4 for item in mechanism.model.inputs}
    return {**point, **inputs}, {**state, **({"u": np.array([0.4]), "t": np.array(0.0)} if inputs else {})}


def evaluated(steps: Steps, point: dict[Any, float]) -> dict[tuple[int, ...], float]:
    known = dict(point)
    for group in steps.groups:
        for name, value in group.steps:
            known[sp.Symbol(name)] = float(value.subs(known))
    return {place: float(value.subs(known)) for place, value in steps.entries.values.items()}


@pytest.mark.parametrize("name", [*TREES[:3], *TREES[4:5], *further(*TREES[3:4], *TREES[5:])])
@pytest.mark.parametrize("formulation", ["cfa", "cfa-kkt"])
def test_every_bundled_tree_has_matrices_right_side_and_forces(name: str, formulation: str) -> None:
    found = sections(name, formulation)
    assert {"right_side", "constraint_forces"} <= set(found)
    assert {"matrix_A", "matrix_B", "matrix_C"} <= set(found) or {"matrix_I", "matrix_P", "matrix_W"} <= set(found)


@pytest.mark.parametrize("name", ["cart_pole", "double_pendulum", "planar_3r", "spinning_top"])
@pytest.mark.parametrize("formulation", ["cfa", "cfa-kkt"])
def test_the_steps_lead_to_the_forces_of_the_recursion(name: str, formulation: str) -> None:
    of = equations(name, formulation)
    point, arguments = numbers(of)
    (steps,) = sections(name, formulation)["constraint_forces"].items
    assert isinstance(steps, Steps)
    found = evaluated(steps, point)
    mechanism = of.mechanism.afresh()
    expected = interpret(TREE_FUNCTIONS["joint_wrenches"](mechanism), arguments)["wrenches"]
    shown = np.zeros_like(expected)
    for (row, column), value in found.items():
        shown[row - 1, column - 1] = value
    np.testing.assert_allclose(shown, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_x_is_a_times_the_constraint_forces() -> None:
    of = equations("spinning_top")
    point, _ = numbers(of)
    (side,) = sections("spinning_top")["right_side"].items
    (steps,) = sections("spinning_top")["constraint_forces"].items
    assert isinstance(side, Entries) and isinstance(steps, Steps)
    forces = evaluated(steps, point)
    held = np.array([[forces.get((1, column), 0.0)] for column in (4, 5, 6)])
    a = np.array(cfa_matrices(of.mechanism.afresh()).block("A", 1, 1).subs(point), dtype=float)
    x = np.array([[float(side.values.get((k,), sp.Integer(0)).subs(point))] for k in (1, 2, 3)])
    assert np.abs(x).max() > 1.0
    np.testing.assert_allclose(a @ held, x, rtol=1e-11)


def test_x_with_accelerations_is_the_right_side_of_all_rows() -> None:
    of = equations("double_pendulum")
    point, arguments = numbers(of)
    (side,) = sections("double_pendulum")["right_side"].items
    assert isinstance(side, Entries)
    mechanism = of.mechanism.afresh()
    system = kkt_system(mechanism, mechanism.of_joints(mechanism.entries(mechanism.tau)))
    from mechanisms.programs import make_program

    inputs = (mechanism.q, mechanism.v, mechanism.tau)
    program = make_program(mechanism, "x", inputs, [("X", (len(system.right),), list(system.right), "", "")], "")
    expected = interpret(program, arguments)["X"]
    shown = np.zeros_like(expected)
    for (row,), value in side.values.items():
        shown[row - 1] = float(value.subs(point))
    np.testing.assert_allclose(shown, expected, rtol=0, atol=1e-12)


def test_every_block_of_b_is_shown() -> None:
    # B is not symmetric: blocks below the diagonal are none of those above it.
    of = equations("slider_crank")
    matrices = cfa_matrices(of.mechanism.afresh())
    shown = {
        item.name: item.value for item in sections("slider_crank")["matrix_B"].items if isinstance(item, NamedMatrix)
    }
    present = {
        f"B_{i},{j}"
        for (i, j), block in matrices.blocks["B"].items()
        if block and block[0] and any(entry for line in block for entry in line)
    }
    assert set(shown) == present
    assert any(int(name[2]) > int(name[4]) for name in shown) and any(int(name[2]) < int(name[4]) for name in shown)


def test_the_command_of_the_page_shows_what_the_page_promises() -> None:
    page = (Path(mbsym.__file__).parents[1] / "docs" / "constraint_forces.md").read_text(encoding="utf-8")
    ((name, form),) = re.findall(r"mbsym derive (\w+) --formulation cfa --format (\w+)", page)
    text = " ".join(re.sub(r"<[^>]+>", " ", document(equations(name), form)).split())
    for promised in ("has no inverse inertia", "Form with accelerations", "Right side X", "Forces in the joints"):
        assert promised in text

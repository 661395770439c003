"""The KKT form of the constraint forces: equal to the other forms, where bodies have no inverse inertia as well."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbsym.errors import DerivationError
from mbsym.forces import AppliedWrench, JointDamper
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force.kkt import CFA_KKT_FUNCTIONS, kkt_system, solve_kkt
from mbsym.formulations.constraint_force.leaf_to_root import CFA_FUNCTIONS, inertia_form, motion_functions
from mbsym.model.body import Body
from mbsym.model.system import Model
from mbsym.registry import FORMULATIONS
from mbsym.symbolic.equality import compare, is_zero
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of
from mechanisms.trees import tree_model

MASSLESS = Body("B2")
POINT = Body("B2", 1.0, (0.1, 0, 0.2))
ROD = Body("B2", 1.0, (0.1, 0, 0.2), (0.1, 0, 0.1, 0, 0, 0))
KINDS: tuple[str, ...] = (
    "revolute", "prismatic", "helical", "cylindrical", "universal", "spherical", "planar", "free", "fixed",
)  # fmt: skip


def agrees_with_inertia_form(model: Model) -> None:
    mechanism = mechanism_of(model, order="input")
    found = inertia_form(mechanism, mechanism.of_joints(mechanism.entries(mechanism.tau)))
    for name, derive in CFA_KKT_FUNCTIONS.items():
        assert compare(derive(mechanism), motion_functions(lambda _: (found, "inertia form"))[name](mechanism))
        assert compare(derive(mechanism), TREE_FUNCTIONS[name](mechanism))


@pytest.mark.parametrize("body", [MASSLESS, POINT, ROD], ids=["massless", "point", "rod"])
@pytest.mark.parametrize("kind", ["revolute", "universal", "helical", "cylindrical"])
def test_bodies_without_an_inverse_inertia(body: Body, kind: str) -> None:
    model = tree_model((0, 1, 2, 2), (kind, "revolute", "spherical", kind))
    agrees_with_inertia_form(replace(model, bodies=(model.bodies[0], body, *model.bodies[2:])))


@pytest.mark.parametrize("backwards", [True, *further(False)])
@pytest.mark.parametrize("kind", KINDS)
def test_all_joints_in_both_directions(kind: str, backwards: bool) -> None:
    model = tree_model((0, 1, 1, 3), (kind, kind, "revolute", kind), backwards=backwards)
    agrees_with_inertia_form(model)
    mechanism = mechanism_of(model, order="input")
    for name, derive in CFA_KKT_FUNCTIONS.items():
        assert compare(derive(mechanism), CFA_FUNCTIONS[name](mechanism))


def test_rotors_and_force_elements() -> None:
    model = tree_model((0, 1, 1, 3), ("revolute", "cylindrical", "helical", "universal"))
    joints = tuple(replace(joint, armature=0.1 * k) for k, joint in enumerate(model.joints))
    forces = (JointDamper("friction", "J1", 0.2), AppliedWrench("push", "B3", force=(1, 2, 3), moment=(0, 1, 0)))
    agrees_with_inertia_form(replace(model, joints=joints, forces=forces))


def test_solution_fulfils_every_row() -> None:
    mechanism = mechanism_of(tree_model((0, 1, 1, 2), ("revolute", "universal", "helical", "spherical")), order="input")
    system = kkt_system(mechanism, mechanism.of_joints(mechanism.entries(mechanism.tau)))
    values = solve_kkt(mechanism, system)
    for row, right in zip(system.rows, system.right, strict=True):
        total = -right
        for unknown, entry in row.items():
            total = total + entry * values[unknown]
        assert is_zero(mechanism.graph, total.ref)


def test_it_is_a_saddle_point() -> None:
    """[I, -P W; (P W)^T, 0]: symmetric where both unknowns are accelerations, skew where they are not."""
    mechanism = mechanism_of(tree_model((0, 1, 1), ("revolute", "prismatic", "universal")), order="input")
    system = kkt_system(mechanism, mechanism.of_joints(mechanism.entries(mechanism.tau)))
    edge = 6 * mechanism.nb
    for r, row in enumerate(system.rows):
        for c, entry in row.items():
            assert not (r >= edge and c >= edge)
            sign = 1 if (r < edge) == (c < edge) else -1
            assert is_zero(mechanism.graph, (system.rows[c][r] - sign * entry).ref)


def test_a_massless_end_is_named() -> None:
    model = tree_model((0, 1), ("revolute", "revolute"))
    mechanism = mechanism_of(replace(model, bodies=(model.bodies[0], MASSLESS)), order="input")
    with pytest.raises(DerivationError, match="joint J2: nothing resists") as error:
        CFA_KKT_FUNCTIONS["forward_dynamics"](mechanism)
    assert "B2" in error.value.remedy


def test_it_is_a_formulation() -> None:
    assert FORMULATIONS["cfa-kkt"].functions is CFA_KKT_FUNCTIONS

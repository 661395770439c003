"""How closed loops enter the quantities of formulations: wrenches, accelerations, the multipliers' system, refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import mbsym
from mbsym import examples
from mbsym.errors import DerivationError
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.report.equations import Equations
from mechanisms.examples import some
from mechanisms.in_field import at_one_point
from mechanisms.trees import tree_model


def chain_with(constraint: object) -> Model:
    """Two spatial hinges and a slide, held besides."""
    model = tree_model((0, 1, 2), ("revolute", "revolute", "prismatic"))
    return replace(model, constraints=(constraint,))


LOOPS: dict[str, Callable[[], Model]] = {
    "hinge": lambda: examples.load("four_bar"),
    "slide": lambda: examples.load("slider_crank"),
    "two loops of a tool": lambda: examples.load("five_bar"),
    "ball": lambda: examples.load("rhombus_spatial"),
    "platform on six legs": lambda: examples.load("stewart_platform"),
    "wheels": lambda: examples.load("bicycle"),
    "rod": lambda: chain_with(mbsym.DistanceConstraint("rod", "ground", "B3", 0.7, (1, 0, 0), (0, 0.1, 0))),
    "expression": lambda: chain_with(mbsym.ExpressionConstraint("held", "position(B3).z - 1")),
    "speed": lambda: chain_with(mbsym.VelocityConstraint("blade", "velocity(B3, in=B3).y")),
}


def at_a_point(of: Equations, names: str) -> dict[str, object]:
    loops = analyse_loops(of.mechanism)
    functions = [LOOP_FUNCTIONS[name](of.mechanism, loops) for name in ("constraint_jacobian", "constraint_bias")]
    return at_one_point(of, {}, [*functions, *(of.quantities[name](of.mechanism) for name in names.split())])


@pytest.mark.parametrize("name", some(LOOPS, ["hinge", "slide", "two loops of a tool", "rod", "expression", "speed"]))
def test_wrenches_do_along_the_joints_what_g_says(name: str) -> None:
    """G^T = V^T E about centres of mass, G^T = H^T P^-1 E at the joints; e is E^T a where G vdot = gamma."""
    model = LOOPS[name]()
    found = at_a_point(mbsym.derive(model, "kane"), "partial_velocities closure_wrenches")
    V, E, G = (found[each] for each in ("partial_velocities", "closure_wrenches", "constraint_jacobian"))
    assert V.transpose() * E == G.transpose()
    found = at_a_point(mbsym.derive(model, "cfa"), "H P gamma E e")
    H, E, G = found["H"], found["E"], found["constraint_jacobian"]
    onto = found["P"].inv() * E
    assert H.transpose() * onto == G.transpose()
    assert found["e"] == found["constraint_bias"] + onto.transpose() * found["gamma"]


@pytest.mark.parametrize("formulation", ["cfa", "cfa-kkt", "kane", "lagrange", "articulated-body"])
def test_trees_have_none(formulation: str) -> None:
    of = mbsym.derive(tree_model((0, 1), ("revolute", "revolute")), formulation)
    for name in ("delassus", "right"):
        assert name not in of.quantities
        with pytest.raises(DerivationError, match=f"there is no {name}: no closed loop and no constraint"):
            of.matrix(name)


@pytest.mark.parametrize(("formulation", "name"), [("cfa", "E"), ("cfa", "e"), ("kane", "closure_wrenches")])
def test_a_gear_has_no_wrench_on_the_bodies(formulation: str, name: str) -> None:
    of = mbsym.derive(chain_with(mbsym.GearConstraint("gear", "J1", "J2", 2)), formulation)
    with pytest.raises(DerivationError, match="gear holds coordinates of joints, which no wrench on the bodies does"):
        of.matrix(name)
    assert of.quantities["delassus"](of.mechanism).outputs[0].shape == (1, 1)


def test_other_formulations_name_those_that_have_them() -> None:
    with pytest.raises(DerivationError, match=r"lagrange has no quantity 'E', which belongs to cfa, .*delassus, right"):
        mbsym.derive("four_bar", "lagrange").matrix("E")

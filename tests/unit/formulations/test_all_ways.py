"""Every formulation gives the functions of Newton and Euler, exactly; ``tests/physics`` has more trees."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from math import cos, sin

import pytest

from mbsym.formulations.constraint_force.matrices import cfa_matrices, inverse_mass_matrix
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.system import Model
from mbsym.registry import FORMULATIONS, TRANSFER_MATRIX, available_functions
from mbsym.symbolic.equality import compare
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.scalar import Scalar
from mechanisms.exact import same
from mechanisms.examples import some
from mechanisms.matrices import by, flat, results, rows
from mechanisms.mechanism import mechanism_of
from mechanisms.one_joint import BAR, one_joint
from mechanisms.random_trees import random_tree
from mechanisms.trees import tree_model

WAYS = [name for name in FORMULATIONS if name != TRANSFER_MATRIX]

TREES = {"turning": 63, "driven": 40, "springs": 111, "coupled": 59}
"""A universal joint on a helical one; a branch with force elements; a plane and springs; gears."""

BUSH = tree_model((0, 1, 1, 2, 2, 3), ("revolute", "cylindrical", "universal", "spherical", "prismatic", "revolute"))
"""Two branches that branch again, so that elimination takes rounds."""


@cache
def model(name: str) -> Model:
    """Each joint has a rotor, each another one."""
    drawn = BUSH if name == "bush" else random_tree(TREES[name], bodies=(1, 4))
    joints = tuple(replace(joint, armature=f"{k}/3") for k, joint in enumerate(drawn.joints, start=1))
    return replace(drawn, joints=joints)


def mechanism(name: str) -> Mechanism:
    return mechanism_of(model(name))


@pytest.mark.parametrize(
    ("way", "tree"),
    [
        *product(WAYS, ("turning", "driven")),
        *some(product(WAYS, ["springs"]), [(way, "springs") for way in WAYS[::2]]),
        *((way, "bush") for way in WAYS if way.startswith("cfa")),
        *some(
            ((way, "coupled") for way in WAYS if not way.startswith("cfa")),
            [("auto", "coupled"), ("kane", "coupled"), ("lagrange", "coupled")],
        ),
    ],
)
def test_functions_are_those_of_newton_and_euler(way: str, tree: str) -> None:
    own = mechanism(tree)
    expected = available_functions(own, "newton-euler").functions
    found = available_functions(own, way).functions
    assert {"forward_dynamics", "joint_wrenches"} <= set(found)
    for name, function in found.items():
        if name in expected:
            assert compare(function(own.afresh()), expected[name](own.afresh())), name


@pytest.mark.parametrize("tree", ["driven", "bush"])
def test_the_inverse_mass_matrix_of_constraint_forces(tree: str) -> None:
    own = mechanism(tree)
    (inverse,) = results(inverse_mass_matrix(own)).values()
    (entries,) = results(available_functions(own, "newton-euler").functions["mass_matrix"](own)).values()
    M, inverse = rows(entries, own.nv), rows(inverse, own.nv)
    unit = [Scalar(own.graph, 0) + int(i == j) for i in range(own.nv) for j in range(own.nv)]
    assert same(own, flat(by(M, inverse)), unit)


def test_inertias_of_constraint_forces_are_those_of_the_bodies() -> None:
    """[[I, h~], [h~^T, m 1]] of each body on the diagonal, nothing beside."""
    own = mechanism("driven")
    zero = Scalar(own.graph, 0)
    expected = [[zero] * (6 * own.nb) for _ in range(6 * own.nb)]
    for k, body in enumerate(own.bodies):
        m, (x, y, z) = body.inertia.mass, body.inertia.first_moment
        xx, yy, zz, xy, xz, yz = body.inertia.about_origin
        block = (
            (xx, xy, xz, zero, -z, y), (xy, yy, yz, z, zero, -x), (xz, yz, zz, -y, x, zero),
            (zero, z, -y, m, zero, zero), (-z, zero, x, zero, m, zero), (y, -x, zero, zero, zero, m),
        )  # fmt: skip
        for i, row in enumerate(block):
            expected[6 * k + i][6 * k : 6 * k + 6] = row
    assert same(own, flat(cfa_matrices(own).rows("I")), flat(expected))


@pytest.mark.parametrize("way", WAYS)
def test_a_pendulum_by_hand(way: str) -> None:
    """A bar of 1 kg, 0.1 kg m^2 about its centre, 0.5 m from the hinge, 1/4 kg m^2 of rotor, under gravity along -y."""
    bar = one_joint("revolute", BAR, axis=(0, 0, 1), armature="1/4")
    own = mechanism_of(replace(bar, gravity=(0, -10, 0)))
    inertia, q, tau = 0.1 + 0.5**2 + 0.25, 0.7, 3.0
    functions = available_functions(own, way).functions
    (vdot,) = interpret(functions["forward_dynamics"](own), {"q": [q], "v": [2.0], "tau": [tau]}).values()
    assert vdot == pytest.approx([(tau - 10 * 0.5 * cos(q)) / inertia], rel=1e-14)
    (matrix,) = interpret(functions["mass_matrix"](own), {"q": [q]}).values()
    assert matrix.ravel() == pytest.approx([inertia], rel=1e-14)
    (force,) = interpret(functions["gravity_force"](own), {"q": [q]}).values()
    assert force == pytest.approx([5 * cos(q)], rel=1e-14)
    (wrenches,) = interpret(functions["joint_wrenches"](own), {"q": [q], "v": [2.0], "tau": [tau]}).values()
    # Along the bar: the weight's part less v^2 r; across: the weight's part and the acceleration of the centre.
    along, across = 10 * sin(q) - 0.5 * 2.0**2, 10 * cos(q) + 0.5 * vdot[0]
    assert abs(complex(*wrenches[0][3:5])) == pytest.approx(abs(complex(along, across)), rel=1e-13)

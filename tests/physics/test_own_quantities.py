"""What formulations are made of, in SymPy from the front door, put together as a user would: the equations of motion.

Matrices are taken to a random point of the field of 2^61 - 1 elements, so that everything is compared exactly with the
recursive derivation.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
import sympy as sp
from sympy.polys.matrices import DomainMatrix

import mbsym
from mbsym.forces.contact import Contact
from mbsym.forces.tyre import Tyre
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.model.system import Model
from mbsym.report.equations import Equations
from mechanisms.examples import further, some
from mechanisms.in_field import FIELD, at_one_point
from mechanisms.random_trees import random_tree
from mechanisms.trees import tree_model


def planar_chain() -> Model:
    """Three bars on parallel hinges in symbols, a spring and a damper; Kane's centre of the last one is its origin."""
    names = ("m", "load", "l", "J", "k", "d")
    values = (2, 3, "0.5", "0.1", 30, "0.2")
    masses = ("m", "m", "m + load")
    bodies = tuple(mbsym.Body(f"bar{n}", masses[n], ("l/2", 0, 0), ("J/3", "J", "J*6/5", 0, 0, 0)) for n in range(3))
    ends = ("ground", *(body.name for body in bodies))
    joints = tuple(
        mbsym.Joint(
            f"hinge{n}",
            "revolute",
            ends[n],
            ends[n + 1],
            axis=(0, 1, 0),
            predecessor_placement=mbsym.Placement(("l" if n else 0, 0, 0)),
        )
        for n in range(3)
    )
    forces = (mbsym.JointSpring("spring", "hinge1", "k"), mbsym.JointDamper("damper", "hinge2", "d"))
    parameters = tuple(mbsym.Parameter(name, value) for name, value in zip(names, values, strict=True))
    return Model("chain", bodies, joints, forces=forces, parameters=parameters)


def arm() -> Model:
    """A spatial arm with a sliding joint."""
    return tree_model((0, 1, 2, 3), ("revolute", "prismatic", "universal", "cylindrical"))


def branches() -> Model:
    """A tree whose joints are written in both directions, with rotors at three of them."""
    model = tree_model((0, 1, 1, 3, 3), ("revolute", "spherical", "universal", "prismatic", "helical"), backwards=True)
    joints = tuple(
        replace(joint, armature=armature) for joint, armature in zip(model.joints, (0.3, 0, 0.2, 0, 0.1), strict=True)
    )
    # Labels, and with them rows, are not in the order in which the joints, and with them speeds, are written.
    return replace(model, joints=(*joints[2:], *joints[:2]))


MECHANISMS = {"planar chain": planar_chain, "spatial arm": arm, "tree with branches": branches}


RECURSION = ("forward_dynamics", "inverse_dynamics", "mass_matrix")
"""What the quantities are put together to."""


@cache
def equations(name: str, formulation: str) -> Equations:
    return mbsym.derive(MECHANISMS[name](), formulation)


@cache
def of_mechanism(name: str, formulation: str) -> dict[str, DomainMatrix]:
    return in_field(equations(name, formulation))


def in_field(of: Equations) -> dict[str, DomainMatrix]:
    """All quantities, the columns of symbols and results of the recursion at one point."""
    matrices = {name: of.matrix(name, any_size=True) for name in of.quantities}
    programs = [TREE_FUNCTIONS[name](of.mechanism) for name in RECURSION]
    return at_one_point(of, {**matrices, "tau": of.forces, "vdot": of.rates}, programs)


def zeros(rows: int, columns: int) -> DomainMatrix:
    return DomainMatrix.zeros((rows, columns), FIELD).to_dense()


# ---- constraint force algorithm --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", some(MECHANISMS, ["planar chain"]))
def test_a_f_is_x_and_the_accelerations_follow(name: str) -> None:
    found = of_mechanism(name, "cfa")
    A, X, W, H_bar, P, I = (found[letter] for letter in ("A", "X", "W", "H_bar", "P", "I"))
    F_S = A.lu_solve(X)
    F = found["F_known"] + W * F_S
    a = I.inv() * (P * F - found["b"])
    vdot = H_bar.transpose() * (P.transpose() * a - found["gamma"])
    assert vdot == found["forward_dynamics"]


@pytest.mark.parametrize("name", some(MECHANISMS, ["planar chain"]))
def test_matrices_of_constraint_forces_are_their_formulas(name: str) -> None:
    found = of_mechanism(name, "cfa")
    A, B, C, H, W, P, D = (found[letter] for letter in ("A", "B", "C", "H", "W", "P", "D"))
    inner = P.transpose() * found["I"].inv() * P
    assert W.transpose() * inner * W + D == A
    assert H.transpose() * found["H_bar"] == DomainMatrix.eye(H.shape[1], FIELD).to_dense()
    assert (C - B.transpose() * A.inv() * B) * found["mass_matrix"] == DomainMatrix.eye(H.shape[1], FIELD).to_dense()


@pytest.mark.parametrize("name", ["planar chain", *further("spatial arm")])
def test_without_rotors_b_c_and_x_are_their_formulas_too(name: str) -> None:
    found = of_mechanism(name, "cfa")
    H_bar, W, P = (found[letter] for letter in ("H_bar", "W", "P"))
    inner, inverse = P.transpose() * found["I"].inv() * P, found["I"].inv()
    assert W.transpose() * inner * H_bar == found["B"]
    assert H_bar.transpose() * inner * H_bar == found["C"]
    known = P.transpose() * inverse * (found["b"] - P * found["F_known"])
    assert W.transpose() * (known + found["gamma"]) == found["X"]


@pytest.mark.parametrize("name", some(MECHANISMS, ["planar chain"]))
def test_the_form_with_accelerations_has_the_same_forces_and_motion(name: str) -> None:
    found = of_mechanism(name, "cfa-kkt")
    solved = found["K"].lu_solve(found["X"])
    bodies = found["I"].shape[0]
    F_S = solved.extract(range(bodies, solved.shape[0]), [0])
    by_inverses = of_mechanism(name, "cfa")
    assert by_inverses["A"].lu_solve(by_inverses["X"]) == F_S
    a = found["I"].inv() * (found["P"] * (found["F_known"] + found["W"] * F_S) - found["b"])
    vdot = found["H_bar"].transpose() * (found["P"].transpose() * a - found["gamma"])
    assert vdot == found["forward_dynamics"]


def test_a_massless_body_has_the_form_with_accelerations() -> None:
    model = tree_model((0, 1), ("revolute", "prismatic"))
    model = replace(model, bodies=(mbsym.Body("B1"), model.bodies[1]))
    found = in_field(mbsym.derive(model, "cfa-kkt"))
    F_S = found["K"].lu_solve(found["X"]).extract(range(12, 22), [0])
    # I has no inverse: its first body, which has no inertia, is in balance under the wrenches of both joints.
    F = found["F_known"] + found["W"] * F_S
    assert (found["P"] * F - found["b"]).extract(range(6), [0]) == zeros(6, 1)
    assert "A" not in mbsym.derive(model, "cfa").quantities


# ---- Kane ------------------------------------------------------------------------------------------------------------


def cross(a: sp.Matrix, b: sp.Matrix) -> sp.Matrix:
    return sp.Matrix(a).cross(sp.Matrix(b))


def velocities_through_t(of: Equations) -> sp.Matrix:
    """V_ij = -T_ji [e_j; e_j x (r_Ci - r_Oj) + d_j], written out from T, H and the points."""
    T, H, origins, centers = (of.matrix(name) for name in ("T", "H", "origins", "centers"))
    V = sp.zeros(*H.shape)
    for i in range(T.rows):
        for j in range(T.rows):
            for column in range(H.cols):
                e, d = H[6 * j : 6 * j + 3, column], H[6 * j + 3 : 6 * j + 6, column]
                arm = (centers[i, :] - origins[j, :]).T
                V[6 * i : 6 * i + 3, column] -= T[j, i] * e
                V[6 * i + 3 : 6 * i + 6, column] -= T[j, i] * (cross(e, arm) + d)
    return V


@pytest.mark.parametrize("name", some(MECHANISMS, ["planar chain"]))
def test_mass_matrix_and_bias_come_from_partial_velocities_through_t(name: str) -> None:
    of = equations(name, "kane")
    V = at_one_point(of, {"V": velocities_through_t(of)})["V"]
    found = of_mechanism(name, "kane")
    rotors = found["rotors"]
    assert found["partial_velocities"] == V
    assert found["mass_matrix"] == V.transpose() * found["I"] * V + rotors
    if name != "planar chain":  # a spring and a damper act along its joints
        needed = V.transpose() * (found["active_wrenches"] + found["inertia_wrenches"]) - rotors * found["vdot"]
        assert needed == -found["inverse_dynamics"]


@pytest.mark.parametrize("name", some(MECHANISMS, ["planar chain"]))
def test_active_and_inertia_forces_are_in_balance(name: str) -> None:
    """F + F* = tau - (M vdot + h); each is what its wrenches do along the partial velocities."""
    found = of_mechanism(name, "kane")
    V, F, F_star = (found[each] for each in ("partial_velocities", "active_forces", "inertia_forces"))
    assert F + F_star == found["tau"] - found["inverse_dynamics"]
    assert F_star == V.transpose() * found["inertia_wrenches"] - found["rotors"] * found["vdot"]
    along_joints = F - found["tau"] - V.transpose() * found["active_wrenches"]
    assert (along_joints == zeros(*F.shape)) == (name != "planar chain")


# ---- articulated bodies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", some(MECHANISMS, ["planar chain", "tree with branches"]))
def test_articulated_inertias_are_what_each_joint_feels(name: str) -> None:
    """The recursion in matrices; the pivots are those of M, whose determinant is their product."""
    found = of_mechanism(name, "articulated-body")
    I_A, G, H, d = (found[letter] for letter in ("I_A", "G", "H", "d"))
    D = DomainMatrix.diag(d.to_list_flat(), FIELD).to_dense()
    carried = DomainMatrix.eye(I_A.shape[0], FIELD).to_dense() - found["P"]
    assert found["I"] + carried * (I_A - G * D * G.transpose()) * carried.transpose() == I_A
    assert D.det() == found["mass_matrix"].det()
    if name != "tree with branches":  # rotors are in d and not in G
        L = (H.transpose() * found["P"].inv() * G).transpose()
        assert L.transpose() * D * L == found["mass_matrix"]


# ---- Lagrange --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model", [planar_chain(), tree_model((0, 1), ("revolute", "prismatic"))], ids=["planar chain", "slide"]
)
def test_mass_matrix_and_bias_are_derivatives_of_energies_and_momenta(model: Model) -> None:
    of = mbsym.derive(model, "lagrange")
    T, U, p, Q = (of.matrix(letter) for letter in ("T", "U", "p", "Q"))
    q, v = of.coordinates, of.speeds
    M = p.jacobian(v)
    slope = sp.Matrix([T[0] - U[0]]).jacobian(q).T
    h = p.jacobian(q) * v - slope - Q
    programs = [TREE_FUNCTIONS[each](of.mechanism) for each in ("mass_matrix", "bias_force")]
    found = at_one_point(of, {"M": M, "h": h, "p": p, "gradient": sp.Matrix([T[0]]).jacobian(v).T}, programs)
    assert found["M"] == found["mass_matrix"] and found["h"] == found["bias_force"]
    assert found["p"] == found["gradient"]
    assert any(Q) == bool(model.forces)


def test_momenta_are_those_of_quaternions_and_rotors_too() -> None:
    of = equations("tree with branches", "lagrange")
    mine = {name: of.matrix(name, any_size=True) for name in ("T", "U", "p", "Q")}
    programs = [TREE_FUNCTIONS[each](of.mechanism) for each in ("mass_matrix", "kinetic_energy", "potential_energy")]
    found = at_one_point(of, {**mine, "v": of.speeds}, programs)
    v, p = found["v"], found["p"]
    assert found["mass_matrix"] * v == p
    assert v.transpose() * p == found["T"] + found["T"]
    assert found["T"].to_list_flat() == found["kinetic_energy"].to_list_flat()
    assert found["U"].to_list_flat() == found["potential_energy"].to_list_flat()


# ---- random trees ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(4), (0, 2)))
def test_random_trees_of_all_joints(seed: int) -> None:
    model = random_tree(seed, bodies=(2, 4), couplings=False)
    # SymPy takes minutes for a distance from a cylinder in all coordinates; how forces enter does not depend on it.
    model = replace(model, forces=tuple(each for each in model.forces if not isinstance(each, Contact | Tyre)))
    of = mbsym.derive(model, "cfa")
    if {"A", "X"} <= set(of.quantities):
        found = in_field(of)
        F = found["F_known"] + found["W"] * found["A"].lu_solve(found["X"])
        a = found["I"].inv() * (found["P"] * F - found["b"])
        assert found["H_bar"].transpose() * (found["P"].transpose() * a - found["gamma"]) == found["forward_dynamics"]
    found = in_field(mbsym.derive(model, "kane"))
    V = found["partial_velocities"]
    assert V.transpose() * found["I"] * V + found["rotors"] == found["mass_matrix"]
    assert found["active_forces"] + found["inertia_forces"] == found["tau"] - found["inverse_dynamics"]


@pytest.mark.parametrize("seed", range(2))
def test_coupled_joints_are_folded_into_columns_of_speeds(seed: int) -> None:
    model = random_tree(seed + 100, bodies=3, joint_types=("revolute", "prismatic"), couplings=False)
    coupling = mbsym.Coupling(model.joints[1].name, model.joints[0].name, 2.5)
    joints = tuple(replace(joint, armature=0.1 * k) for k, joint in enumerate(model.joints, start=1))
    model = replace(model, joints=joints, couplings=(coupling,))
    of = mbsym.derive(model, "kane")
    found = in_field(of)
    V = found["partial_velocities"]
    assert V.transpose() * found["I"] * V + found["rotors"] == found["mass_matrix"]
    assert found["active_forces"] + found["inertia_forces"] == found["tau"] - found["inverse_dynamics"]
    assert mbsym.derive(model, "cfa").quantities == {}

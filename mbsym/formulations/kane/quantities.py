"""The path matrix and the quantities of Kane's equations by name.

    V_ij = -T_ji [e_j; e_j x (r_Ci - r_Oj) + d_j],   H the columns [e_j; d_j]
    M = V^T I V + rotors,   F = V^T R + tau + forces of force elements along the joints,   F* = V^T R* - rotors vdot
    F + F* = 0,   which is M vdot + h = tau

All in base axes; rows of bodies run over regular labels, columns of speeds are in the order of v. With closed loops
these are quantities of the tree, the loops open. ``closed_form`` derives the entries.

Source: R. E. Roberson, R. Schwertassek, Dynamics of Multibody Systems, 1988, chapters 8 and 12; T. R. Kane, D. A.
Levinson, Dynamics: Theory and Applications, 1985, sections 2.14, 4.4, 4.11 and 6.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mbsym.formulations.contracts import Entries
from mbsym.formulations.kane.closed_form import (
    KaneBody,
    kane_active_forces,
    kane_active_wrenches,
    kane_bodies,
    kane_columns,
    kane_inertia_forces,
    kane_inertia_wrenches,
    kane_partial_velocities,
    kane_rotors,
)
from mbsym.formulations.quantity import block_diagonal, quantities_by_name, quantity
from mbsym.joints.motion import Motion, six
from mbsym.kinematics.mechanism import Mechanism
from mbsym.spatial.vector import skew, symmetric_matrix
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.topology.matrices import path_matrix

_KANE: Final = "Kane, Levinson 1985, "
_WITTENBURG: Final = "Roberson, Schwertassek 1988, "


def _path_matrix(mechanism: Mechanism) -> Entries:
    return [[constant(mechanism.graph, entry) for entry in row] for row in path_matrix(mechanism.labelling.tree)]


def _dense(mechanism: Mechanism, columns: Mapping[tuple[int, int], Motion]) -> list[list[Scalar]]:
    """Six rows a body and a column a speed, of motions by body label and place in v."""
    rows = [[Scalar(mechanism.graph, 0)] * mechanism.nv for _ in range(6 * mechanism.nb)]
    for (body, column), motion in columns.items():
        for k, entry in enumerate(six(motion), start=6 * (body - 1)):
            rows[k][column] = entry
    return rows


def _partial_velocities(mechanism: Mechanism) -> Entries:
    return _dense(mechanism, kane_columns(mechanism, kane_partial_velocities(mechanism, kane_bodies(mechanism))))


def _joint_columns(mechanism: Mechanism) -> Entries:
    own = {(body.label, body.label): body.columns for body in kane_bodies(mechanism)}
    return _dense(mechanism, kane_columns(mechanism, own))


def _inertia(body: KaneBody) -> list[list[Scalar]]:
    """[J, h~; -h~, m U] about C."""
    zero = Scalar(body.mass.graph, 0)
    turned = skew(body.moment)
    upper = [[*a, *b] for a, b in zip(symmetric_matrix(body.central), turned, strict=True)]
    masses = symmetric_matrix((body.mass, body.mass, body.mass, zero, zero, zero))
    return upper + [[*(-x for x in a), *b] for a, b in zip(turned, masses, strict=True)]


def _rotors(mechanism: Mechanism) -> Entries:
    zero = Scalar(mechanism.graph, 0)
    return [[x if r == c else zero for c in range(mechanism.nv)] for r, x in enumerate(kane_rotors(mechanism))]


def _inertia_wrenches(mechanism: Mechanism) -> Entries:
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    return [six(wrench) for wrench in kane_inertia_wrenches(mechanism, kane_bodies(mechanism), rates)]


def _inertia_forces(mechanism: Mechanism) -> Entries:
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    return kane_inertia_forces(mechanism, kane_bodies(mechanism), rates)


KANE_QUANTITIES: Final = quantities_by_name(
    quantity(
        "T()[nb, nb]",
        "Path matrix T",
        "T has -1 where the joint of the row is on the way from ground to the body of the column, and 0 "
        "elsewhere; rows and columns by label.",
        _WITTENBURG + "chapter 8",
        _path_matrix,
    ),
    quantity(
        "H(q)[6nb, nv]",
        "Joint columns H",
        "H has [e_j; d_j], the relative velocities [angular; linear] of unit speeds at the origin of each "
        "joint's frame on its outboard body: six rows a joint by label, a column a speed, in base axes.",
        _WITTENBURG + "chapter 8",
        _joint_columns,
    ),
    quantity(
        "r_O = origins(q)[nb, 3]",
        "Origins of the joint frames",
        "r_Oj from the base's origin to the frame of each joint on its outboard body, a row a joint by label, "
        "in base axes [m].",
        _WITTENBURG + "chapter 8",
        lambda mechanism: [body.frame.translation for body in kane_bodies(mechanism)],
    ),
    quantity(
        "r_C = centers(q)[nb, 3]",
        "Centres of mass",
        "r_Ci from the base's origin to each body's centre of mass, a row a body by label, in base axes [m]; "
        "the origin of the body's joint frame stands in for the centre of a body whose mass is a parameter by which "
        "its first moment cannot be divided exactly.",
        _WITTENBURG + "chapter 8",
        lambda mechanism: [body.center for body in kane_bodies(mechanism)],
    ),
    quantity(
        "V = partial_velocities(q)[6nb, nv]",
        "Partial velocities",
        "V has the partial angular velocity w_ij of each body and the partial velocity v_ij of its centre "
        "C_i: [w_ij; v_ij] = -T_ji [e_j; e_j x (r_Ci - r_Oj) + d_j], six rows a body by label, a column a speed, in "
        "base axes.",
        _KANE + "section 2.14",
        _partial_velocities,
    ),
    quantity(
        "I(q)[6nb, 6nb]",
        "Inertias about the centres of mass",
        "I has [J_i, h_i~; -h_i~, m_i U] on its diagonal, about C_i in base axes; the first moment h_i is "
        "zero where C_i is the centre of mass. M = V^T I V + rotors; six rows a body by label [kg m^2, kg m, kg].",
        _WITTENBURG + "chapter 12",
        lambda mechanism: block_diagonal(mechanism, map(_inertia, kane_bodies(mechanism))),
    ),
    quantity(
        "a = rotors()[nv, nv]",
        "Rotor inertias",
        "Rotor inertias on the diagonal: M = V^T I V + rotors, in the order of v.",
        "added to the sources, which have no rotors",
        _rotors,
        symmetric=True,
    ),
    quantity(
        "R = active_wrenches(q, v, t, u, x)[6nb]",
        "Active wrenches",
        "R has [moment; force] of gravity, force elements and outer wrenches about C_i, in base axes, six "
        "entries a body by label [N m, N].",
        _KANE + "section 4.4",
        lambda mechanism: [six(wrench) for wrench in kane_active_wrenches(mechanism, kane_bodies(mechanism))],
    ),
    quantity(
        "R_star = inertia_wrenches(q, v, vdot)[6nb]",
        "Inertia wrenches",
        "R* has [-J alpha - omega x J omega; -m a_C] of each body about C_i, in base axes, six entries a body "
        "by label [N m, N].",
        _KANE + "section 4.11",
        _inertia_wrenches,
    ),
    quantity(
        "F = active_forces(q, v, tau, t, u, x)[nv]",
        "Generalised active forces",
        "F = V^T R + tau and what force elements do along the joints, an entry a speed in the order of v; F + "
        "F* = 0 are the equations of motion.",
        _KANE + "section 4.4",
        lambda mechanism: kane_active_forces(mechanism, kane_bodies(mechanism)),
    ),
    quantity(
        "F_star = inertia_forces(q, v, vdot)[nv]",
        "Generalised inertia forces",
        "F* = V^T R* - rotors vdot, an entry a speed in the order of v; F + F* = 0 are the equations of motion.",
        _KANE + "section 4.11",
        _inertia_forces,
    ),
)
"""Of Kane's equations through the path matrix."""

"""The matrices and right sides of the constraint force algorithm by name.

    P F = I a + b,   P^T a = H vdot + gamma,   F = F_known + W F_S,   A F_S = X
    A = W^T P^T I^-1 P W + D,   B = W^T P^T I^-1 P H-bar,   C = H-bar^T P^T I^-1 P H-bar,   M^-1 = C - B^T A^-1 B

Rows and columns of bodies and of constraint forces run over regular labels, those of speeds are in the order of v, so
that what is solved for needs no sorting. ``matrices`` and ``kkt`` derive the entries.

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, with the
frame transforms that it leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, cast

from mbsym.formulations.constraint_force.kkt import KktSystem, bias_accelerations, bias_wrenches, kkt_system
from mbsym.formulations.constraint_force.leaf_to_root import compliances, held_joints, known_wrenches, right_side
from mbsym.formulations.constraint_force.matrices import (
    JointMatrices,
    MatrixName,
    cfa_matrices,
    matrices_with_accelerations,
)
from mbsym.formulations.contracts import Entries, Size, head_of
from mbsym.formulations.quantity import Quantity, quantities_by_name, quantity
from mbsym.joints.motion import six
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.scalar import Scalar

_LIU: Final = "Liu, Hu, Zhang 2016, "
_AXES: Final = "at and in the frame that each joint carries on its outboard body, the axis of a hinge being z"


def _sizes(mechanism: Mechanism) -> Mapping[str, int]:
    held = sum(len(joint.columns) for joint in held_joints(mechanism))
    return {"6nb": 6 * mechanism.nb, "held": held, "unknowns": 6 * mechanism.nb + held}


def _sizes_of_inverses(mechanism: Mechanism) -> Mapping[str, int]:
    compliances(mechanism)
    return _sizes(mechanism)


def _rows(
    of: Callable[[Mechanism], JointMatrices], name: MatrixName, shape: tuple[Size, ...], mechanism: Mechanism
) -> Sequence[Sequence[Scalar]]:
    """A matrix with what belongs to speeds in the order of v."""
    rows = of(mechanism).rows(name)
    columns = mechanism.columns_by_label
    order = sorted(range(mechanism.nv), key=lambda place: columns[place])
    if shape[1] == "nv":
        rows = [[row[place] for place in order] for row in rows]
    return [rows[place] for place in order] if shape[0] == "nv" else rows


def _matrix(
    head: str, title: str, sentence: str, source: str, *, inverts: bool = False, symmetric: bool = False
) -> Quantity:
    """One of the matrices; ``inverts`` those that take inverse inertias."""
    _, name, _, shape = head_of(head)
    of, sizes = (cfa_matrices, _sizes_of_inverses) if inverts else (matrices_with_accelerations, _sizes)
    derive = partial(_rows, of, cast(MatrixName, name), shape)
    return quantity(head, title, sentence, _LIU + source, derive, sizes=sizes, symmetric=symmetric)


def _kkt(mechanism: Mechanism) -> KktSystem:
    return kkt_system(mechanism, mechanism.of_joints(mechanism.entries(mechanism.tau)))


def _kkt_matrix(mechanism: Mechanism) -> Entries:
    zero, rows = Scalar(mechanism.graph, 0), _kkt(mechanism).rows
    return [[row.get(column, zero) for column in range(len(rows))] for row in rows]


JOINT_QUANTITIES: Final = quantities_by_name(
    _matrix(
        "H(q)[6nb, nv]",
        "Motion subspaces H",
        f"H has the directions in which each joint lets its body move, [angular; linear], {_AXES}: six rows a body by "
        "label, a column a speed in the order of v.",
        "freedoms of joints, section 2",
    ),
    _matrix(
        "H_bar(q)[6nb, nv]",
        "Dual motion subspaces H-bar",
        "H-bar = H (H^T H)^-1 has the wrenches, [moment; force], of unit generalised forces, and vdot = H-bar^T (P^T a "
        "- gamma): six rows a body by label, a column a speed in the order of v.",
        "section 2, where H^T H is the unit matrix",
    ),
    _matrix(
        "W(q)[6nb, held]",
        "Constraint subspaces W",
        "W has the directions in which each joint holds its body, H^T W = 0, and behind them those of its freedoms "
        f"with rotor inertia, {_AXES}: six rows a body and a column a constraint force, by label.",
        "constraints of joints, section 2",
    ),
    _matrix(
        "P(q)[6nb, 6nb]",
        "Recursion matrix P",
        "P takes joint wrenches to what they do to the bodies: six rows and columns a body by label, unit matrices on "
        "the diagonal, less the force transform X_i of body i to its parent in the parent's rows.",
        "equations (10) to (21)",
    ),
    _matrix(
        "I(q)[6nb, 6nb]",
        "Spatial inertias I",
        "I has the bodies' inertias [J, m c~; m c~^T, m U] on its diagonal, J about the frame's origin and c the "
        f"centre of mass from there, {_AXES}: six rows a body by label [kg m^2, kg m, kg].",
        "equations (1) to (3)",
        symmetric=True,
    ),
    _matrix(
        "D(q)[held, held]",
        "Inverse rotor inertias D",
        "D has 1/a on the diagonal where a freedom with rotor inertia a is held by its rotor, and is zero elsewhere: a "
        "row and a column a constraint force, by label.",
        "to which rotors are added",
        symmetric=True,
    ),
    quantity(
        "b(q, v, t, u, x)[6nb]",
        "Bias wrenches b",
        f"b of P F = I a + b: what speeds need less outer wrenches, [moment; force], {_AXES}, six entries a "
        "body by label [N m, N]; a has accelerations of the frames' origins less that of gravity.",
        _LIU + "equations (7) to (9), with accelerations of points",
        bias_wrenches,
        sizes=_sizes,
    ),
    quantity(
        "gamma(q, v, t, u, x)[6nb]",
        "Bias accelerations gamma",
        f"gamma of P^T a = H vdot + gamma: what speeds, and gravity at ground, contribute, [angular; linear], "
        f"{_AXES}, six entries a joint by label [rad/s^2, m/s^2].",
        _LIU + "equations (7) to (9), with accelerations of points",
        bias_accelerations,
        sizes=_sizes,
    ),
    quantity(
        "F_known(q, v, tau, t, u, x)[6nb]",
        "Known joint wrenches",
        "F = F_known + W F_S: H-bar times tau and the forces of force elements along the joints, without "
        f"freedoms that rotors hold, [moment; force], {_AXES}, six entries a joint by label [N m, N].",
        _LIU + "equations (5) and (6)",
        lambda mechanism: [six(wrench) for wrench in known_wrenches(mechanism)],
        sizes=_sizes,
    ),
)
"""What every form of the algorithm has."""

CFA_QUANTITIES: Final = quantities_by_name(
    _matrix(
        "A(q)[held, held]",
        "Constraint matrix A",
        "A = W^T P^T I^-1 P W + D of A F_S = X, symmetric and positive definite: a row and a column a constraint "
        "force, by label and in the order of W.",
        "equations (22) to (36)",
        inverts=True,
        symmetric=True,
    ),
    _matrix(
        "B(q)[held, nv]",
        "Matrix B",
        "B = W^T P^T I^-1 P H-bar: accelerations in the constraint directions by generalised forces; for a freedom "
        "that a rotor of inertia a holds H-bar counts as zero, and -1/a stands in the row of its force. A row a "
        "constraint force by label, a column a speed in the order of v.",
        "equations (22) to (29)",
        inverts=True,
    ),
    _matrix(
        "C(q)[nv, nv]",
        "Matrix C",
        "C = H-bar^T P^T I^-1 P H-bar of M^-1 = C - B^T A^-1 B; for a freedom that a rotor of inertia a holds H-bar "
        "counts as zero, and 1/a stands on the diagonal. A row and a column a speed in the order of v.",
        "equations (22) to (29)",
        inverts=True,
        symmetric=True,
    ),
    quantity(
        "X(q, v, tau, t, u, x)[held]",
        "Right side X",
        "A F_S = X under tau: the accelerations in the held directions that the constraint forces have to "
        "undo, X = W^T (gamma + P^T I^-1 (b - P F_known)), plus tau/a for a freedom that a rotor of inertia a holds; "
        "an entry a constraint force, by label and in the order of W.",
        _LIU + "equations (22) to (29), in the absolute form",
        right_side,
        sizes=_sizes_of_inverses,
    ),
    *JOINT_QUANTITIES.values(),
)
"""Of the forms that solve A F_S = X."""

CFA_KKT_QUANTITIES: Final = quantities_by_name(
    quantity(
        "K(q)[unknowns, unknowns]",
        "Matrix K of accelerations and constraint forces",
        "K [x; F_S] = X with a_i = [H_i W-bar_i] x_i, W-bar the duals of W: for each body by label six rows "
        "of [H_i W-bar_i]^T (I a - P W F_S), then for each joint the rows of W^T P^T a + D F_S.",
        _LIU + "section 2, before I is inverted",
        _kkt_matrix,
        sizes=_sizes,
    ),
    quantity(
        "X(q, v, tau, t, u, x)[unknowns]",
        "Right side X",
        "K [x; F_S] = X: for each body by label six entries of [H_i W-bar_i]^T (P F_known - b), then for each "
        "joint those of W^T gamma, plus tau/a for a freedom that a rotor of inertia a holds.",
        _LIU + "section 2, before I is inverted",
        lambda mechanism: _kkt(mechanism).right,
        sizes=_sizes,
    ),
    *JOINT_QUANTITIES.values(),
)
"""Of the form with accelerations, of which nothing is inverted but rotor inertias."""

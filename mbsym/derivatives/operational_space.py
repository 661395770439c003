"""The dynamics as the user's frames feel them: inertia, bias and dynamically consistent inverse of their Jacobian.

With x' = J v the twists of the frames, F wrenches on them and tau = J^T F,  F = Lambda x'' + bias, where
Lambda = (J M^-1 J^T + damping 1)^-1,  bias = Lambda (J M^-1 h - Jdot v),  and J_bar = M^-1 J^T Lambda.

Rows of J that are zero whatever q, as three of a mechanism in a plane, are left out of what is inverted: rows and
columns of the results are zero there.

Source: O. Khatib, A unified approach for motion and force control of robot manipulators: the operational space
formulation, 1987.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.derivatives.forward_dynamics import inverse
from mbsym.derivatives.tangent import Matrix, transposed
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.contracts import Derived, Entries
from mbsym.formulations.recursive.composite_body import factored_mass_matrix
from mbsym.formulations.recursive.sparse_factor import SparseFactor, factorised, product, weighted_product
from mbsym.kinematics.frames import frame_jacobian_entries, jacobian_rate_entries
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.program import Input
from mbsym.symbolic.scalar import Scalar


def operational_space_inertia(mechanism: Mechanism) -> Derived:
    """Lambda, (6 nf, 6 nf)."""
    space = _OperationalSpace(mechanism)
    return Derived(space.spread(space.inertia), inputs=(space.damping,))


def operational_space(mechanism: Mechanism) -> Derived:
    """Lambda (6 nf, 6 nf), bias (6 nf) and J_bar (nv, 6 nf)."""
    space = _OperationalSpace(mechanism)
    graph, factor = mechanism.graph, space.factor
    rates = jacobian_rate_entries(mechanism)
    forces = [Scalar(graph, ref) for ref in TREE_FUNCTIONS["bias_force"](mechanism).output_references]
    with graph.section("bias and inverse of the Jacobian"):
        right = factor.inward(forces)
        causes = [
            weighted_product(factor, half, right) - rates[row] for row, half in zip(space.rows, space.half, strict=True)
        ]
        bias = [product(row, causes) for row in space.inertia]
        columns = []
        for weights in space.inertia:
            half = [product(weights, [column[k] for column in space.half]) for k in range(mechanism.nv)]
            columns.append(factor.outward(half))
    zero = Scalar(graph, 0)
    placed = dict(zip(space.rows, zip(bias, columns, strict=True), strict=True))
    still = (zero, [zero] * mechanism.nv)
    every = [placed.get(row, still) for row in range(space.size)]
    entries: dict[str, Entries] = {
        "Lambda": space.spread(space.inertia),
        "bias": [entry for entry, _ in every],
        "J_bar": transposed(column for _, column in every),
    }
    return Derived(entries, inputs=(space.damping,))


class _OperationalSpace:
    """What both functions begin with.

    Attributes:
        size: 6 nf.
        rows: of the Jacobian in which anything moves.
        factor: of the mass matrix.
        half: L^-T times these rows.
        inertia: Lambda over these rows.
        damping: the argument.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        graph, nv = mechanism.graph, mechanism.nv
        self.size = 6 * len(mechanism.frames)
        entries = frame_jacobian_entries(mechanism)
        jacobian = [entries[nv * row : nv * (row + 1)] for row in range(self.size)]
        self.rows = [row for row, found in enumerate(jacobian) if any(found)]
        damping = Scalar(graph, graph.symbol("damping[0]"))
        self.damping = Input(
            "damping", (), (damping.ref,), "", "added to the diagonal of J M^-1 J^T before it is inverted; 0 for none"
        )
        self.factor: SparseFactor = factored_mass_matrix(mechanism)
        with graph.section("mobility of the frames"):
            self.half = [self.factor.inward(jacobian[row]) for row in self.rows]
            mobility = _symmetric(self.factor, self.half, damping)
        what = "mobility of the frames"
        self.inertia = inverse(mechanism, factorised(mechanism, mobility, what), what)
        self._zero = Scalar(graph, 0)

    def spread(self, matrix: Matrix) -> Matrix:
        """A matrix over the rows that move as one over all."""
        place = {row: k for k, row in enumerate(self.rows)}
        return [
            [matrix[place[i]][place[j]] if i in place and j in place else self._zero for j in range(self.size)]
            for i in range(self.size)
        ]


def _symmetric(factor: SparseFactor, half: Sequence[Sequence[Scalar]], damping: Scalar) -> Matrix:
    """J M^-1 J^T + damping 1, of which one triangle is computed."""
    entries = {(i, j): weighted_product(factor, half[i], half[j]) for i in range(len(half)) for j in range(i + 1)}
    return [
        [entries[max(i, j), min(i, j)] + (damping if i == j else 0) for j in range(len(half))] for i in range(len(half))
    ]

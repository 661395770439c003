"""Constraint forces of three trees to their printed digits, and Kane's matrices of the first.

Source: Liu, Hu, Zhang: constraint force algorithm for tree-like multibody system dynamics, 2016. The numbers were
worked out for these trees in 6 x 6 NumPy algebra, wrenches [moment; force] on the outboard body at its joint; they are
printed with nine decimals, free joints with linear speeds first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, sin
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force.elimination_order import chains, elimination_rounds, node_joints
from mbsym.formulations.constraint_force.leaf_to_root import CFA_BIAS_FUNCTIONS, CFA_FUNCTIONS
from mbsym.formulations.constraint_force.matrices import cfa_matrices, inverse_mass_matrix
from mbsym.formulations.constraint_force.odd_even_elimination import CFA_ELIMINATION_FUNCTIONS
from mbsym.formulations.constraint_force.serial import CFA_SERIAL_FUNCTIONS
from mbsym.formulations.kane.closed_form import KANE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Program
from mechanisms.mechanism import mechanism_of
from mechanisms.programs import make_program
from mechanisms.trees import tree_model

Functions = dict[str, Callable[[Mechanism], Program]]

WAYS: dict[str, Functions] = {
    "recursive": TREE_FUNCTIONS,
    "kane": KANE_FUNCTIONS,
    "absolute form": CFA_FUNCTIONS,
    "bias form": CFA_BIAS_FUNCTIONS,
    "reduction": CFA_SERIAL_FUNCTIONS,
    "elimination": CFA_ELIMINATION_FUNCTIONS,
}
PRINTED = 2e-9  # nine decimals were printed


def off(found: Any, printed: Any) -> float:
    """Largest difference of entries, those above 1 relative."""
    return float((np.abs(np.subtract(found, printed)) / np.maximum(1.0, np.abs(printed))).max())


@dataclass(frozen=True)
class Case:
    """A tree in the source's numbering, its state by joint, and what was printed."""

    parents: tuple[int, ...]
    types: tuple[str, ...]
    q: tuple[Sequence[float], ...]
    v: tuple[Sequence[float], ...]
    tau: tuple[Sequence[float], ...]
    vdot: tuple[Sequence[float], ...]
    wrenches: dict[int, Sequence[float]]
    size: int
    trace: float
    log_determinant: float

    def mechanism(self) -> Mechanism:
        return mechanism_of(tree_model(self.parents, self.types), order="input")


def ours(mechanism: Mechanism, by_joint: Sequence[Sequence[float]]) -> np.ndarray:
    """Values by the source's joints as an array in the order of the coordinates."""
    names = [body.joint.name for body in mechanism.bodies_by_coordinates]
    return np.array([x for name in names for x in by_joint[int(name[1:]) - 1]])


def state(case: Case, mechanism: Mechanism) -> dict[str, np.ndarray]:
    return {"q": ours(mechanism, case.q), "v": ours(mechanism, case.v), "tau": ours(mechanism, case.tau)}


def unit_quaternion(*turns: tuple[int, float]) -> tuple[float, ...]:
    total = np.array([1.0, 0, 0, 0])
    for axis, angle in turns:
        w, x, y, z = total
        a, b, c, d = (cos(angle / 2), *(sin(angle / 2) * (k == axis) for k in range(3)))
        total = np.array(
            [
                w * a - x * b - y * c - z * d,
                w * b + x * a + y * d - z * c,
                w * c - x * d + y * a + z * b,
                w * d + x * c - y * b + z * a,
            ]
        )
    return tuple(total)


def split(sizes: Sequence[int], values: Sequence[float]) -> tuple[Sequence[float], ...]:
    ends = np.cumsum(sizes)
    return tuple(tuple(values[end - size : end]) for size, end in zip(sizes, ends, strict=True))


def angular_first(parts: tuple[Sequence[float], ...]) -> tuple[Sequence[float], ...]:
    """A free first joint's speeds in our order."""
    return ((*parts[0][3:], *parts[0][:3]), *parts[1:])


SPHERICAL = unit_quaternion((0, 0.2), (1, -0.3), (2, 0.5))
PARENTS = (0, 1, 1, 3, 3)
A_SIZES = (1, 3, 2, 1, 2)
B_SIZES = (6, 3, 2, 1, 0)

A = Case(
    PARENTS,
    ("revolute", "spherical", "universal", "prismatic", "cylindrical"),
    ((0.3,), SPHERICAL, (0.4, -0.6), (0.25,), (-0.15, 0.7)),
    split(A_SIZES, [0.1 * k for k in range(1, 10)]),
    split(A_SIZES, [1 - 0.2 * k for k in range(1, 10)]),
    split(A_SIZES, [-0.774680213, 15.745219362, 10.128039990, 2.564066897, 11.354754904, 1.543947494, -8.906561411,
                    -9.913308705, 6.592246806]),
    {
        1: (19.694686366, -23.485157744, 0.8, 11.952719376, 11.262649179, 85.608747920),
        2: (0.6, 0.4, 0.2, 7.122700907, 3.351257105, 16.143423005),
        3: (1.109740380, -0.2, 1.622103015, 21.286209642, 42.463445632, 28.880578936),
        4: (-0.437149871, 1.277157520, -0.685071471, 7.084169957, 6.150353630, -0.4),
        5: (-2.122510332, 3.831484949, -0.8, 25.831247683, 13.560001549, -0.6),
    },
    21, 275.682346131, 21.371796386,
)  # fmt: skip
B = Case(
    PARENTS,
    ("free", "spherical", "universal", "prismatic", "fixed"),
    ((*unit_quaternion((2, 0.3), (0, -0.2)), 0.1, 0.2, 0.3), SPHERICAL, (0.4, -0.6), (0.25,), ()),
    angular_first(split(B_SIZES, [0.1 * k for k in range(1, 13)])),
    angular_first(split(B_SIZES, [1 - 0.2 * k for k in range(1, 13)])),
    angular_first(
        split(B_SIZES, [1.325600598, 1.259829173, -9.106783092, 20.011866625, 15.428064699, 1.959058404, -29.721627869,
                        -10.579369108, -6.271568943, -21.007465221, -20.877060105, 0.511416104])
    ),
    {
        1: (0.2, 0, -0.2, 0.8, 0.6, 0.4),
        2: (-0.4, -0.6, -0.8, -0.916393338, 1.008549615, -0.230159149),
        3: (-1.264332534, -1.2, -0.077037543, -3.018319893, 4.152091717, -0.560858434),
        4: (0.567117654, -0.164475287, -0.690643604, 1.893217258, -4.941322790, -1.4),
        5: (-1.223131293, -1.077938488, 0.601388399, -1.724845626, 3.625503689, -0.951768498),
    },
    18, 200.839931411, 23.569199441,
)  # fmt: skip
D = Case(
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 5, 10, 11, 12),
    ("revolute",) * 13,
    tuple((0.1 * i,) for i in range(1, 14)),
    tuple((0.05 * i,) for i in range(1, 14)),
    tuple((1 - 0.1 * i,) for i in range(1, 14)),
    split((1,) * 13, [22.948137438, -39.068376772, 10.015668088, 7.413704389, 3.145779881, -1.709428860, 4.121701748,
                      -1.190004592, 0.327420588, -0.291874864, -0.400108941, 3.051633072, -0.304720877]),
    {
        1: (72.809140520, -43.464466270, 0.9, 39.649410329, 73.328336431, 126.648235230),
        13: (1.242172250, 1.596087400, -0.3, 16.038485847, 8.398394973, 10.395862777),
    },
    65, 632.115949619, 30.891100691,
)  # fmt: skip
CASES = {"A": A, "B": B, "D": D}


def dense_matrix(mechanism: Mechanism, name: str, q: np.ndarray) -> np.ndarray:
    rows = cfa_matrices(mechanism).rows(name)  # type: ignore[arg-type]
    shape = (len(rows), len(rows[0]))
    program = make_program(
        mechanism, "matrix", (mechanism.q,), [("matrix", shape, [x for row in rows for x in row], "", "")], ""
    )
    return interpret(program, {"q": q})["matrix"]


def with_welds_in_their_own_frames(mechanism: Mechanism, matrix: np.ndarray) -> np.ndarray:
    """A for welds at their joint frames: the internal frame of a welded body, where W = U6, is its parent's."""
    starts = cfa_matrices(mechanism).system.starts
    change = np.eye(len(matrix))
    for body in mechanism.bodies:
        if body.joint.type == "fixed":
            frame = body.wrench_frame
            turn = np.array([[float(x.constant) for x in row] for row in frame.rotation.matrix()])
            x, y, z = (float(component.constant) for component in frame.translation)
            arm = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            own = slice(starts[body.label - 1], starts[body.label])
            change[own, own] = np.block([[turn, arm @ turn], [np.zeros((3, 3)), turn]])
    return change.T @ matrix @ change


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("letter", CASES)
def test_motion_and_true_wrenches(letter: str, way: str, agreement: Callable[[object], None]) -> None:
    case = CASES[letter]
    mechanism = case.mechanism()
    arguments = state(case, mechanism)
    vdot = interpret(WAYS[way]["forward_dynamics"](mechanism), arguments)["vdot"]
    np.testing.assert_allclose(vdot, ours(mechanism, case.vdot), rtol=PRINTED, atol=PRINTED)
    agreement(off(vdot, ours(mechanism, case.vdot)))
    wrenches = interpret(WAYS[way]["joint_wrenches"](mechanism), arguments)["wrenches"]
    for joint, printed in case.wrenches.items():
        label = mechanism.labelling.joint_labels[f"J{joint}"]
        np.testing.assert_allclose(wrenches[label - 1], printed, rtol=PRINTED, atol=PRINTED)
        agreement(off(wrenches[label - 1], printed))


@pytest.mark.parametrize("letter", CASES)
def test_invariants_of_the_constraint_matrix(letter: str, agreement: Callable[[object], None]) -> None:
    case = CASES[letter]
    mechanism = case.mechanism()
    matrix = dense_matrix(mechanism, "A", ours(mechanism, case.q))
    assert matrix.shape == (case.size, case.size)
    assert np.array_equal(matrix, matrix.T)
    matrix = with_welds_in_their_own_frames(mechanism, matrix)
    assert np.trace(matrix) == pytest.approx(case.trace, abs=PRINTED)
    sign, logarithm = np.linalg.slogdet(matrix)
    assert sign == 1
    assert logarithm == pytest.approx(case.log_determinant, abs=PRINTED)
    agreement(max(off(np.trace(matrix), case.trace), off(logarithm, case.log_determinant)))


def test_block_norms_of_case_a(agreement: Callable[[object], None]) -> None:
    mechanism = A.mechanism()
    matrices = cfa_matrices(mechanism)
    matrix = dense_matrix(mechanism, "A", ours(mechanism, A.q))
    starts = matrices.system.starts
    labels = mechanism.labelling.joint_labels

    def norm(i: int, j: int) -> float:
        a, b = labels[f"J{i}"], labels[f"J{j}"]
        return float(np.linalg.norm(matrix[starts[a - 1] : starts[a], starts[b - 1] : starts[b]]))

    printed = {(1, 1): 62.759728772, (2, 2): 7.538906616, (3, 3): 43.563955197, (1, 3): 30.019702036,
               (2, 3): 10.363164725, (4, 5): 21.864888013, (3, 5): 11.965101436}  # fmt: skip
    for (i, j), expected in printed.items():
        assert norm(i, j) == pytest.approx(expected, abs=PRINTED)
        agreement(off(norm(i, j), expected))
    # Joints that touch no common body do not couple.
    assert norm(1, 4) == norm(1, 5) == norm(2, 4) == norm(2, 5) == 0


@pytest.mark.more
def test_matrices_from_the_front_door_have_the_printed_forces(agreement: Callable[[object], None]) -> None:
    """A F_S = X in SymPy, solved at the source's state: motion, wrenches and invariants of A as printed."""
    of = mbsym.derive(tree_model(A.parents, A.types), "cfa", order="input")
    values = np.concatenate(list(state(A, of.mechanism).values()))
    point = dict(zip((*of.coordinates, *of.speeds, *of.forces), values, strict=True))
    names = ("A", "X", "W", "H_bar", "P", "I", "b", "gamma", "F_known")
    with_numbers = (np.array(of.matrix(name, any_size=True).xreplace(point), dtype=float) for name in names)
    matrix, X, W, H_bar, P, I, b, gamma, F_known = with_numbers
    assert np.trace(matrix) == pytest.approx(A.trace, abs=PRINTED)
    assert np.linalg.slogdet(matrix)[1] == pytest.approx(A.log_determinant, abs=PRINTED)
    F = F_known + W @ np.linalg.solve(matrix, X)
    a = np.linalg.solve(I, P @ F - b)
    vdot = H_bar.T @ (P.T @ a - gamma)
    np.testing.assert_allclose(vdot[:, 0], ours(of.mechanism, A.vdot), rtol=PRINTED, atol=PRINTED)
    for joint, printed in A.wrenches.items():
        label = of.mechanism.labelling.joint_labels[f"J{joint}"]
        np.testing.assert_allclose(F[6 * label - 6 : 6 * label, 0], printed, rtol=PRINTED, atol=PRINTED)
        agreement(off(F[6 * label - 6 : 6 * label, 0], printed))


def test_kane_from_the_front_door_has_the_printed_matrix_and_bias() -> None:
    of = mbsym.derive(tree_model(A.parents, A.types), "kane", order="input")
    arguments = state(A, of.mechanism)
    point = dict(zip((*of.coordinates, *of.speeds), np.concatenate([arguments["q"], arguments["v"]]), strict=True))
    point |= dict.fromkeys((*of.rates, *of.forces), 0.0)
    names = ("partial_velocities", "I", "active_wrenches", "inertia_wrenches")
    V, I, active, inertia = (
        np.array(of.matrix(name, any_size=True).xreplace(point), dtype=float) for name in names
    )  # fmt: skip
    order = np.argsort(ours(of.mechanism, split(A_SIZES, range(9))))
    printed = [4.527388, 0.1232, 0.16, 0.1032, 3.655036, 2.3042622, 3, 3.5, 0.27]
    np.testing.assert_allclose(np.diag(V.T @ I @ V)[order], printed, atol=1e-7)
    bias = -(V.T @ (active + inertia))[order, 0]
    np.testing.assert_allclose(bias, BIAS_OF_A, atol=PRINTED)


BIAS_OF_A = [10.490849644, -1.273944829, -1.035231659, 0.846162709, -5.782159521, -14.675617793, 9.172690775,
             8.841777555, 0.006644756]  # fmt: skip


@pytest.mark.parametrize("functions", [TREE_FUNCTIONS, KANE_FUNCTIONS], ids=["recursive", "kane"])
def test_mass_matrix_and_bias_of_case_a(functions: Functions) -> None:
    mechanism = A.mechanism()
    q, v = ours(mechanism, A.q), ours(mechanism, A.v)
    order = np.argsort(ours(mechanism, split(A_SIZES, range(9))))
    matrix = interpret(functions["mass_matrix"](mechanism), {"q": q})["M"][np.ix_(order, order)]
    bias = interpret(functions["bias_force"](mechanism), {"q": q, "v": v})["bias"][order]
    np.testing.assert_allclose(bias, BIAS_OF_A, atol=PRINTED)
    np.testing.assert_allclose(
        np.diag(matrix), [4.527388, 0.1232, 0.16, 0.1032, 3.655036, 2.3042622, 3, 3.5, 0.27], atol=1e-7
    )
    first = [4.527388, -0.1519605, 0.0235812, 0.1535046, -2.9462527, -0.222238, -1.4193807, -1.4214259, 0.4006096]
    np.testing.assert_allclose(matrix[0], first, atol=1e-7)  # seven decimals were printed


def test_inverse_mass_matrix_of_case_a() -> None:
    mechanism = A.mechanism()
    q = ours(mechanism, A.q)
    matrix = interpret(TREE_FUNCTIONS["mass_matrix"](mechanism), {"q": q})["M"]
    inverse = interpret(inverse_mass_matrix(mechanism), {"q": q})["M_inverse"]
    # 1e-12 relative between formulations.
    np.testing.assert_allclose(inverse @ matrix, np.eye(9), atol=1e-12 * np.linalg.cond(matrix))


def test_chains_of_case_d() -> None:
    assert chains(D.parents) == ((1, 2, 3, 4, 5), (6, 7, 8, 9), (10, 11, 12, 13))
    assert elimination_rounds(D.parents) == 3
    assert node_joints(D.parents) == (5, 6, 10)


def test_one_round_fewer_is_wrong() -> None:
    """The number of rounds counts the node that ends a chain; without it case D is far off."""
    from mbsym.formulations.constraint_force.leaf_to_root import constraint_forces
    from mbsym.formulations.constraint_force.odd_even_elimination import odd_even_elimination

    mechanism = D.mechanism()
    tau = mechanism.of_joints(mechanism.entries(mechanism.tau))
    errors = []
    for rounds in (3, 2):
        found = constraint_forces(mechanism, tau, lambda *system, n=rounds: odd_even_elimination(*system, rounds=n))
        moment, force = found.wrenches[1]
        program = make_program(
            mechanism, "f", (mechanism.q, mechanism.v, mechanism.tau), [("f", (6,), (*moment, *force), "", "")], ""
        )
        errors.append(np.abs(interpret(program, state(D, mechanism))["f"] - D.wrenches[1]).max())
    assert errors[0] < 1e-8
    assert errors[1] > 1

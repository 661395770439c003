"""The five-body tree of the slides on Roberson's and Wittenburg's description of topology, signs restored."""

from __future__ import annotations

from mbsym.topology import Labelling, SpanningTree, label
from mbsym.topology.matrices import incidence_matrix, path_matrix


def five_bodies() -> Labelling:
    return label([("H1", 0, 1), ("H2", 1, 2), ("H3", 1, 3), ("H4", 3, 4), ("H5", 3, 5)])


def in_slide_numbers(labelling: Labelling, matrix: tuple[tuple[int, ...], ...]) -> list[list[int]]:
    """Rows and columns of an nb x nb matrix in the slides' own numbers, which are regular labels of another order."""
    to_label = [labelling.body_labels[body] for body in range(1, 6)]
    return [[matrix[row - 1][column - 1] for column in to_label] for row in to_label]


S0 = [1, 0, 0, 0, 0]
S = [[-1, 1, 1, 0, 0], [0, -1, 0, 0, 0], [0, 0, -1, 1, 1], [0, 0, 0, -1, 0], [0, 0, 0, 0, -1]]
T = [[-1, -1, -1, -1, -1], [0, -1, 0, 0, 0], [0, 0, -1, -1, -1], [0, 0, 0, -1, 0], [0, 0, 0, 0, -1]]


def test_matrices_from_the_slides_incidence_arrays() -> None:
    # The slides' numbers are regular too, so they can be used as they are.
    inboard, outboard = (0, 1, 1, 3, 3), (1, 2, 3, 4, 5)
    incidence = incidence_matrix(inboard, outboard, 5)
    assert list(incidence[0]) == S0
    assert [list(row) for row in incidence[1:]] == S
    assert [list(row) for row in path_matrix(SpanningTree.from_inboard(inboard))] == T


def test_labelled_matrices_in_the_slides_numbers() -> None:
    labelling = five_bodies()
    incidence = labelling.incidence_matrix
    assert [incidence[0][labelling.joint_labels[f"H{joint}"] - 1] for joint in range(1, 6)] == S0
    assert in_slide_numbers(labelling, incidence[1:]) == S
    assert in_slide_numbers(labelling, labelling.path_matrix) == T
    assert not labelling.flipped and not labelling.cut_joints


def test_incidence_arrays() -> None:
    # i+ = (0 1 1 3 3), i- = (1 2 3 4 5) in the slides' numbers; labels of body 2 and body 3 change places.
    labelling = five_bodies()
    assert labelling.body_labels == {0: 0, 1: 1, 2: 3, 3: 2, 4: 4, 5: 5}
    assert labelling.inboard == (0, 1, 1, 2, 2)
    assert labelling.outboard == (1, 2, 3, 4, 5)


def test_angular_velocities_are_sums_along_paths() -> None:
    # omega_i = omega_0 - sum_j T_ji Omega_j, written out on the slides for all five bodies.
    labelling = five_bodies()
    sums = {1: {"H1"}, 2: {"H1", "H2"}, 3: {"H1", "H3"}, 4: {"H1", "H3", "H4"}, 5: {"H1", "H3", "H5"}}
    for body, joints in sums.items():
        column = labelling.body_labels[body] - 1
        on_path = {
            name for name, row in zip(labelling.joint_names, labelling.path_matrix, strict=True) if row[column] == -1
        }
        assert on_path == joints

"""Both worked examples of Qi, Huang, Shao: dynamic assembling and regular labelling, exactly."""

from __future__ import annotations

import json

import pytest

from mbsym import examples
from mbsym.cli import main
from mbsym.topology import Labelling, history_text, history_to_json, label

ALL = frozenset(range(5))


def qi(predecessors: list[int], successors: list[int]) -> Labelling:
    """The system of the paper's 2 x nj matrix J, eq (1); joint k is called k."""
    return label([(k, p, s) for k, (p, s) in enumerate(zip(predecessors, successors, strict=True), start=1)])


def body_map(labelling: Labelling) -> list[int]:
    return [labelling.body_labels[body] for body in range(1, labelling.nb + 1)]


def joint_map(labelling: Labelling) -> list[int]:
    return [labelling.joint_labels[joint] for joint in range(1, labelling.nj + 1)]


def small_example() -> Labelling:
    """Figure 2(d), eqs (3), (4), (7), (8), (10)."""
    return qi([0, 3, 2, 3, 1], [3, 1, 4, 4, 2])


def worked_example() -> Labelling:
    """Section 3, figure 4."""
    return qi([3, 3, 2, 0, 0, 3, 1, 5], [4, 1, 4, 4, 3, 5, 2, 1])


def test_small_example_history_of_connectivity() -> None:
    # Eq (3), with the patterns of figure 2.
    labelling = small_example()
    assert labelling.patterns == {1: "a", 2: "b", 3: "a", 4: "c", 5: "d"}
    assert labelling.connectivity_matrices == (
        ((1, 0, 0, 1, 0), (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (1, 0, 0, 1, 0), (0, 0, 0, 0, 0)),
        ((1, 1, 0, 1, 0), (1, 1, 0, 1, 0), (0, 0, 0, 0, 0), (1, 1, 0, 1, 0), (0, 0, 0, 0, 0)),
        ((1, 1, 0, 1, 0), (1, 1, 0, 1, 0), (0, 0, 1, 0, 1), (1, 1, 0, 1, 0), (0, 0, 1, 0, 1)),
        ((1, 1, 1, 1, 1),) * 5,
        ((1, 1, 1, 1, 1),) * 5,
    )
    assert labelling.history == (
        (frozenset({0, 3}),),
        (frozenset({0, 1, 3}),),
        (frozenset({0, 1, 3}), frozenset({2, 4})),
        (ALL,),
        (ALL,),
    )


def test_small_example_labels() -> None:
    labelling = small_example()
    assert labelling.cut_joints == (5,)
    assert labelling.layers == ((1, 2), (4,), (3,))
    assert body_map(labelling) == [3, 4, 1, 2]
    assert joint_map(labelling) == [1, 3, 4, 2, 5]
    assert labelling.matrix == ((0, 1, 1, 2, 3), (1, 2, 3, 4, 4), (1, 2, 3, 4, 5))
    assert labelling.orientation == (1, 1, 1, -1, 1)
    assert labelling.flipped == (3,)


def test_worked_example_history_of_connectivity() -> None:
    # S2 and S3 are misprinted in the paper as copies of S1; the others are as printed.
    labelling = worked_example()
    sets = [{3, 4}, {1, 3, 4}, {1, 2, 3, 4}, set(range(5)), set(range(5)), *[set(range(6))] * 3]
    assert labelling.history == tuple((frozenset(connected),) for connected in sets)
    for matrix, connected in zip(labelling.connectivity_matrices, sets, strict=True):
        assert matrix == tuple(tuple(int({i, j} <= connected) for j in range(6)) for i in range(6))
    assert "".join(labelling.patterns.values()) == "abbbdbdd"


def test_worked_example_labels() -> None:
    labelling = worked_example()
    assert labelling.cut_joints == (5, 7, 8)
    assert labelling.layers == ((1, 2, 5), (3,), (4,))
    assert body_map(labelling) == [3, 4, 2, 1, 5]
    assert joint_map(labelling) == [2, 3, 4, 1, 6, 5, 7, 8]


def test_worked_example_final_matrix() -> None:
    labelling = worked_example()
    assert labelling.matrix == (
        (0, 1, 2, 1, 2, 0, 3, 3),
        (1, 2, 3, 4, 5, 2, 4, 5),
        (1, 2, 3, 4, 5, 6, 7, 8),
    )
    assert labelling.orientation == (1, -1, 1, -1, 1, 1, 1, -1)


def test_worked_example_intermediate_matrix() -> None:
    # Relabelled, before joints are turned round and sorted.
    labelling = worked_example()
    predecessors, successors = labelling.graph.predecessors, labelling.graph.successors
    to_label = labelling.labels.body_labels
    assert [to_label[body] for body in predecessors] == [2, 2, 4, 0, 0, 2, 3, 5]
    assert [to_label[body] for body in successors] == [1, 3, 1, 1, 2, 5, 4, 3]


def test_worked_example_path_matrix_and_loops() -> None:
    labelling = worked_example()
    assert labelling.path_matrix == (
        (-1, -1, -1, -1, -1),
        (0, -1, -1, 0, -1),
        (0, 0, -1, 0, 0),
        (0, 0, 0, -1, 0),
        (0, 0, 0, 0, -1),
    )
    assert labelling.loop_matrix == ((1, 0, 0), (1, -1, 0), (0, -1, -1), (0, 1, 0), (0, 0, 1))
    # The same by user names: labels 1..5 are the joints 4, 1, 2, 3, 6.
    assert labelling.loops == {5: {4: 1, 1: 1}, 7: {1: -1, 2: -1, 3: 1}, 8: {2: -1, 6: 1}}


def test_the_command_line_prints_the_matrices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["label", "qi_closed_loops", "--order", "input", "--matrices"]) == 0
    assert capsys.readouterr().out.endswith(
        "joints as given: predecessor and successor\n"
        " J = [ 3  3  2  0  0  3  1  5]\n"
        "     [ 4  1  4  4  3  5  2  1]\n"
        "\n"
        "assembled: the joint's number, zero if it is cut\n"
        " J = [ 3  3  2  0  0  3  1  5]\n"
        "     [ 4  1  4  4  3  5  2  1]\n"
        "     [ 1  2  3  4  0  6  0  0]\n"
        "\n"
        "labelled, as end bodies were taken off: {1, 2, 5} {3} {4}\n"
        " J = [ 2  2  4  0  0  2  3  5]\n"
        "     [ 1  3  1  1  2  5  4  3]\n"
        "     [ 2  3  4  1  6  5  7  8]\n"
        "\n"
        "turned to point away from the base, and sorted\n"
        " J = [ 0  1  2  1  2  0  3  3]\n"
        "     [ 1  2  3  4  5  2  4  5]\n"
        "     [ 1  2  3  4  5  6  7  8]\n"
        "\n"
        "S0 = [ 1  0  0  0  0]\n"
        "\n"
        " S = [-1  1  0  1  0]\n"
        "     [ 0 -1  1  0  1]\n"
        "     [ 0  0 -1  0  0]\n"
        "     [ 0  0  0 -1  0]\n"
        "     [ 0  0  0  0 -1]\n"
        "\n"
        " T = [-1 -1 -1 -1 -1]\n"
        "     [ 0 -1 -1  0 -1]\n"
        "     [ 0  0 -1  0  0]\n"
        "     [ 0  0  0 -1  0]\n"
        "     [ 0  0  0  0 -1]\n"
        "\n"
        "motion over each cut joint, joints in regular direction\n"
        "5  = + 4 + 1\n"
        "7  = - 1 - 2 + 3\n"
        "8  = - 2 + 6\n"
        "\n"
    )


def test_the_command_line_prints_the_history(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["label", "qi_closed_loops", "--order", "input", "--history"]) == 0
    printed, _, steps = capsys.readouterr().out.partition("\nS, bodies in the order given: 0, 1, 2, 3, 4, 5\n")
    # S after the third joint, and a joint that is cut changes nothing.
    assert (
        "S3 = [ 0  0  0  0  0  0]\n"
        "     [ 0  1  1  1  1  0]\n"
        "     [ 0  1  1  1  1  0]\n"
        "     [ 0  1  1  1  1  0]\n"
        "     [ 0  1  1  1  1  0]\n"
        "     [ 0  0  0  0  0  0]\n"
    ) in steps and "\nS5 = S4\n" in steps  # fmt: skip
    assert printed.endswith(
        "step  joint  pattern  connected bodies\n"
        "----------------------------------------\n"
        "   1  1      a        {3, 4}\n"
        "   2  2      b        {1, 3, 4}\n"
        "   3  3      b        {1, 2, 3, 4}\n"
        "   4  4      b        {0, 1, 2, 3, 4}\n"
        "   5  5      d        {0, 1, 2, 3, 4}\n"
        "   6  6      b        {0, 1, 2, 3, 4, 5}\n"
        "   7  7      d        {0, 1, 2, 3, 4, 5}\n"
        "   8  8      d        {0, 1, 2, 3, 4, 5}\n"
    )


def test_the_small_example_as_text_and_data() -> None:
    # Eq (3): bodies 2 and 4 are a branch of their own until joint 4 joins the branches.
    data = history_to_json(small_example())
    assert [(step["joint"], step["pattern"]) for step in data] == list(zip("12345", "abacd", strict=True))
    assert [step["branches"] for step in data] == [
        [["0", "3"]], [["0", "1", "3"]], [["0", "1", "3"], ["2", "4"]], [["0", "1", "2", "3", "4"]],
        [["0", "1", "2", "3", "4"]],
    ]  # fmt: skip
    assert history_text(small_example()).splitlines()[4] == "   3  3      a        {0, 1, 3}  {2, 4}"


def test_data_have_the_history_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["label", "qi_closed_loops", "--order", "input", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert main(["label", "qi_closed_loops", "--order", "input", "--json", "--history"]) == 0
    asked = json.loads(capsys.readouterr().out)
    assert asked == plain | {"history": history_to_json(examples.load("qi_closed_loops").label(order="input"))}
    assert [set(map(int, step["branches"][0])) for step in asked["history"]] == [
        set(next(iter(branches))) for branches in worked_example().history
    ]

"""A labelling as text and as JSON."""

from __future__ import annotations

import json

import pytest

from mbsym.errors import TopologyError
from mbsym.topology import label, labelling_table, labelling_to_json, matrices_text

JOINTS = [("hinge", "ground", "crank"), ("pin", "rod", "crank"), ("slider", "ground", "rod"), ("peg", "rod", "ground")]


def test_json_has_the_agreed_shape() -> None:
    data = labelling_to_json(label(JOINTS, base="ground", weights=[1, 2, 9, 8]), "press")
    assert json.loads(json.dumps(data)) == {
        "name": "press",
        "bodies": {"ground": 0, "crank": 1, "rod": 2},
        "joints": {"hinge": 1, "pin": 2, "slider": 3, "peg": 4},
        "cut_joints": ["slider", "peg"],
        "flipped": ["pin", "peg"],
        "patterns": {"hinge": "a", "pin": "b", "slider": "d", "peg": "d"},
        "weights": {"hinge": 1, "pin": 2, "slider": 9, "peg": 8},
        "inboard": [0, 1],
        "incidence_matrix": [[1, 0], [-1, 1], [0, -1]],
        "path_matrix": [[-1, -1], [0, -1]],
        "loops": {"slider": {"hinge": 1, "pin": 1}, "peg": {"hinge": 1, "pin": 1}},
    }


def test_json_turns_names_into_text() -> None:
    data = labelling_to_json(label([(1, 0, 2)]), "one")
    assert data["bodies"] == {"0": 0, "2": 1}
    assert data["joints"] == {"1": 1}
    with pytest.raises(TopologyError, match="two names are the same as text: 1"):
        labelling_to_json(label([(1, 0, 1), ("1", 1, 2)]), "two")


def test_table_reads_well() -> None:
    table = labelling_table(label(JOINTS, base="ground", weights=[1, 2, 9, 8]))
    assert table == (
        "label  body     parent      joint   cut  flipped  pattern  weight\n"
        "-----------------------------------------------------------------\n"
        "    1  crank    ground (0)  hinge                 a             1\n"
        "    2  rod      crank (1)   pin          flipped  b             2\n"
        "-----------------------------------------------------------------\n"
        "    3  rod (2)  ground (0)  slider  cut           d             9\n"
        "    4  rod (2)  ground (0)  peg     cut  flipped  d             8\n"
        "\n"
        "2 bodies, 4 joints, 2 cut joints: slider, peg\n"
    )


def test_table_of_a_tree_names_added_joints() -> None:
    table = labelling_table(label([], bodies=["top"], free_roots="add"))
    assert table.endswith("1 body, 1 joint, 0 cut joints\nfree joints added: top_free\n")
    assert "weight" not in table


def test_matrices_as_text() -> None:
    text = matrices_text(label(JOINTS, base="ground"))
    assert text == (
        "joints as given: predecessor and successor\n"
        " J = [ 0  2  0  2]\n"
        "     [ 1  1  2  0]\n"
        "\n"
        "assembled: the joint's number, zero if it is cut\n"
        " J = [ 0  2  0  2]\n"
        "     [ 1  1  2  0]\n"
        "     [ 1  2  0  0]\n"
        "\n"
        "labelled, as end bodies were taken off: {rod} {crank}\n"
        " J = [ 0  2  0  2]\n"
        "     [ 1  1  2  0]\n"
        "     [ 1  2  3  4]\n"
        "\n"
        "turned to point away from the base, and sorted\n"
        " J = [ 0  1  0  0]\n"
        "     [ 1  2  2  2]\n"
        "     [ 1  2  3  4]\n"
        "\n"
        "S0 = [ 1  0]\n"
        "\n"
        " S = [-1  1]\n"
        "     [ 0 -1]\n"
        "\n"
        " T = [-1 -1]\n"
        "     [ 0 -1]\n"
        "\n"
        "motion over each cut joint, joints in regular direction\n"
        "slider  = + hinge + pin\n"
        "peg     = + hinge + pin\n"
    )
    assert "over each cut joint" not in matrices_text(label([(1, 0, 1)]))

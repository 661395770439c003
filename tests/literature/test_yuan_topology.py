"""The driver-cab man-machine system of Yuan, Zhang, Mao, Zhou: 16 vertices, 21 joints, 6 of them cut.

The seat contacts a, b, e are not legible in the paper's figure; they are set by the order of its letters, and every
other placement of them on head, trunk, pelvis and thighs gives the same cut joints.
"""

from __future__ import annotations

from itertools import product

import pytest

from mbsym.joints.prismatic import PRISMATIC
from mbsym.joints.revolute import REVOLUTE
from mbsym.joints.spherical import SPHERICAL
from mbsym.joints.universal import UNIVERSAL
from mbsym.topology import JointTraits, Labelling, joint_weights, label

CAB = (
    "a 1-2, b 1-3, c 2-3, d 3-4, e 1-4, f 3-5, g 3-6, h 5-7, i 6-8, j 7-9, k 8-10, l 9-1, m 10-1, n 4-11, o 4-12, "
    "p 11-13, q 12-14, r 13-15, s 14-16, t 15-1, u 16-1"
)
TYPES = dict.fromkeys("abecdfgnolmtu", "S") | dict.fromkeys("hipq", "R") | dict.fromkeys("jkrs", "U")
GROUND = 1
LETTERS = {"S": SPHERICAL, "U": UNIVERSAL, "R": REVOLUTE, "T": PRISMATIC}


def traits_of(name: object, letter: str, *, touches_ground: bool) -> JointTraits:
    kind = LETTERS[letter]
    return JointTraits(name, kind.shape.nv, kind.tie_break, touches_ground=touches_ground)


def cab_joints(seat: dict[str, int] | None = None) -> list[tuple[str, int, int]]:
    joints = []
    for text in CAB.split(", "):
        name, ends = text.split()
        tail, head = map(int, ends.split("-"))
        joints.append((name, tail, (seat or {}).get(name, head)))
    return joints


def cab(policy: str = "default", **options: object) -> Labelling:
    joints = cab_joints()
    traits = [traits_of(name, TYPES[name], touches_ground=GROUND in (tail, head)) for name, tail, head in joints]
    return label(joints, base=GROUND, weights=joint_weights(traits, policy), **options)  # type: ignore[arg-type]


def test_cut_joints_are_those_of_the_paper() -> None:
    labelling = cab()
    assert (labelling.nb, labelling.nj) == (15, 21)
    assert "".join(map(str, labelling.cut_joints)) == "belmtu"


@pytest.mark.parametrize(
    ("rule", "cut"),
    [
        ({"policy": "default"}, "belmtu"),
        ({"policy": "ground-first"}, "belmtu"),
        ({"policy": "type-only"}, "celmtu"),
        ({"policy": "input"}, "celmtu"),
        ({"policy": "default", "order": "input"}, "celmtu"),
        ({"policy": "input", "method": "depth-first"}, "belmtu"),
        ({"policy": "input", "method": "breadth-first"}, "cdhipq"),
    ],
)
def test_cut_joints_of_each_rule(rule: dict[str, object], cut: str) -> None:
    assert "".join(map(str, cab(**rule).cut_joints)) == cut  # type: ignore[arg-type]


def test_every_placement_of_the_seat_contacts_gives_the_same_cut_joints() -> None:
    for head, trunk, pelvis in product((2, 3, 4, 11, 12), repeat=3):
        joints = cab_joints({"a": head, "b": trunk, "e": pelvis})
        traits = [traits_of(name, TYPES[name], touches_ground=GROUND in ends) for name, *ends in joints]
        labelling = label(joints, base=GROUND, weights=joint_weights(traits))
        assert "".join(map(str, labelling.cut_joints)) == "belmtu"


def test_assembly_order_and_patterns() -> None:
    labelling = cab()
    assert "".join(map(str, labelling.assembly_order)) == "hipqjkrscdfgnoabelmtu"
    assert "".join(labelling.patterns[joint] for joint in labelling.assembly_order) == "aaaabbbbabccccbdddddd"


def test_labels_and_flips() -> None:
    labelling = cab()
    bodies = [labelling.body_labels[vertex] for vertex in range(2, 17)]
    joints = [labelling.joint_labels[name] for name in "abcdefghijklmnopqrstu"]
    assert bodies == [1, 2, 3, 4, 5, 8, 9, 12, 13, 6, 7, 10, 11, 14, 15]
    assert joints == [1, 16, 2, 3, 17, 4, 5, 8, 9, 12, 13, 18, 19, 6, 7, 10, 11, 14, 15, 20, 21]
    assert labelling.inboard == (0, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11)
    assert labelling.flipped == ("l", "m", "t", "u")


def test_coordinates_and_closure_equations() -> None:
    # 33 tree coordinates, 18 closure equations.
    freedoms = {"R": 1, "U": 2, "S": 3}
    labelling = cab()
    cut = set(labelling.cut_joints)
    assert sum(freedoms[kind] for name, kind in TYPES.items() if name not in cut) == 33
    assert sum(6 - freedoms[TYPES[str(name)]] for name in cut) == 18


def test_a_weaker_ground_contact_is_kept_in_the_tree() -> None:
    joints = cab_joints()
    kinds = TYPES | {"t": "U"}
    traits = [traits_of(name, kinds[name], touches_ground=GROUND in ends) for name, *ends in joints]
    assert "".join(map(str, label(joints, base=GROUND, weights=joint_weights(traits)).cut_joints)) == "abelmu"


def platform(policy: str) -> tuple[int, int]:
    """Joint coordinates and closure equations of a 6-(U-T-S) platform."""
    joints, traits = [], []
    for leg in range(6):
        for kind, tail, head in [
            ("U", "ground", f"lower{leg}"),
            ("T", f"lower{leg}", f"upper{leg}"),
            ("S", f"upper{leg}", "table"),
        ]:
            joints.append((f"{kind}{leg}", tail, head))
            traits.append(traits_of(f"{kind}{leg}", kind, touches_ground=tail == "ground"))
    labelling = label(joints, base="ground", weights=joint_weights(traits, policy))
    cut = [str(name) for name in labelling.cut_joints]
    assert len(cut) == 5
    freedoms = {"U": 2, "T": 1, "S": 3}
    kept = sum(freedoms[str(name)[0]] for name, *_ in joints if name not in cut)
    return kept, sum(6 - freedoms[name[0]] for name in cut)


def test_ground_first_can_be_harmful() -> None:
    assert platform("default") == (21, 15)
    assert platform("ground-first") == (26, 20)


def test_ground_first_cuts_all_ground_joints_but_one_for_each_part() -> None:
    # Two parts that meet only on the ground: three and two ground joints leave one each.
    joints = [("p", 0, 1), ("q", 0, 2), ("r", 0, 3), ("x", 1, 2), ("y", 2, 3), ("s", 0, 4), ("t", 0, 5), ("z", 4, 5)]
    traits = [traits_of(name, "R" if 0 in ends else "S", touches_ground=0 in ends) for name, *ends in joints]
    cut = label(joints, weights=joint_weights(traits, "ground-first")).cut_joints
    assert cut == ("q", "r", "t")

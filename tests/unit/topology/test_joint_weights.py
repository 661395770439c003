"""Joint weights: the formula, the policies, and that the heaviest total freedom is cut."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym.errors import TopologyError
from mbsym.joints.registry import JOINT_TYPES
from mbsym.topology import POLICIES, JointTraits, WeightPolicy, joint_weights, label


def weight(policy: str | WeightPolicy = "default", type: str = "revolute", **traits: object) -> int:
    kind = JOINT_TYPES[type]
    return joint_weights([JointTraits("j", kind.shape.nv, kind.tie_break, **traits)], policy)["j"]  # type: ignore[arg-type]


def test_type_weights_are_those_of_the_table() -> None:
    table = {
        "prismatic": 10,
        "helical": 13,
        "revolute": 15,
        "cylindrical": 20,
        "universal": 25,
        "planar": 30,
        "spherical": 35,
        "free": 60,
        "fixed": 0,
    }
    assert {kind: weight(type=kind) for kind in JOINT_TYPES} == table
    assert joint_weights([JointTraits("gimbal", 3)]) == {"gimbal": 30}


def test_tie_breaks_order_types_of_equal_freedom_alone() -> None:
    assert all(0 <= kind.tie_break <= 9 for kind in JOINT_TYPES.values())


@pytest.mark.parametrize(
    ("traits", "expected"),
    [
        ({"actuated": True}, [15 - 1000, 15 - 1000, 15, 0]),
        ({"loaded": True}, [15 - 2000, 15 - 2000, 15, 0]),
        ({"loaded": True, "actuated": True, "reaction_wanted": True}, [15 - 2000, 15 - 2000, 15, 0]),
        ({"reaction_wanted": True}, [1015, 1015, 15, 0]),
        ({"touches_ground": True}, [17, 115, 15, 0]),
        ({"force": "cut"}, [1_000_015, 1_000_015, 1_000_015, 1_000_000]),
        ({"force": "tree"}, [15 - 1_000_000, 15 - 1_000_000, 15 - 1_000_000, -1_000_000]),
        ({"weight": 7, "actuated": True, "touches_ground": True}, [7, 7, 7, 7]),
        ({"weight": 7, "force": "cut"}, [1_000_007] * 4),
    ],
)
def test_terms_under_each_policy(traits: dict[str, object], expected: list[int]) -> None:
    policies = ["default", "ground-first", "type-only", "input"]
    assert set(policies) == set(POLICIES)
    assert [weight(policy, type="revolute", **traits) for policy in policies] == expected


def test_a_policy_of_ones_own() -> None:
    assert weight(WeightPolicy(ground=5), type="spherical", touches_ground=True) == 40


def test_actuation_outranks_ground() -> None:
    actuated = weight("ground-first", type="spherical", actuated=True, touches_ground=True)
    assert actuated < weight("ground-first", type="prismatic")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"type": "revolute", "force": "weld"}, "joint j: a joint cannot be forced to be 'weld'"),
        ({"type": "revolute", "policy": "best"}, "policy: there is no weight policy 'best'"),
    ],
)
def test_mistakes_are_named(options: dict[str, str], message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        weight(**options)  # type: ignore[arg-type]
    assert message in str(caught.value)


@given(st.data())
def test_cut_joints_have_most_freedom(data: st.DataObject) -> None:
    nb = data.draw(st.integers(1, 4))
    ends = [(data.draw(st.integers(0, body - 1)), body) for body in range(1, nb + 1)]
    two = st.lists(st.integers(0, nb), min_size=2, max_size=2, unique=True)
    ends += [(a, b) for a, b in data.draw(st.lists(two, max_size=4))]
    kinds = [data.draw(st.sampled_from(sorted(JOINT_TYPES))) for _ in ends]
    joints = [(k, *pair) for k, pair in enumerate(ends)]
    traits = [JointTraits(k, JOINT_TYPES[kind].shape.nv, JOINT_TYPES[kind].tie_break) for k, kind in enumerate(kinds)]
    labelling = label(joints, weights=joint_weights(traits, "type-only"))

    def freedom(chosen: tuple[object, ...]) -> int:
        return sum(JOINT_TYPES[kinds[int(str(joint))]].shape.nv for joint in chosen)

    def connects(kept: set[int]) -> bool:
        link = list(range(nb + 1))
        for k in kept:
            a, b = ends[k]
            link = [link[a] if root == link[b] else root for root in link]
        return len(set(link)) == 1

    everything = set(range(len(ends)))
    most = max(freedom(cut) for cut in combinations(range(len(ends)), len(ends) - nb) if connects(everything - {*cut}))
    assert freedom(labelling.cut_joints) == most

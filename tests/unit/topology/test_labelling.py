"""Labelling by the public function: invariants on random multigraphs, options, and what a user gets wrong."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym.errors import TopologyError
from mbsym.topology import HISTORY_LIMIT, MATRIX_LIMIT, Labelling, label
from mbsym.topology.assembly import assembly_history
from mbsym.topology.graph import read_graph
from mbsym.topology.spanning_tree import METHODS, spanning_tree

Joints = list[tuple[int, int, int]]


@st.composite
def multigraphs(draw: st.DrawFn, most_bodies: int = 9, most_extra: int = 7) -> Joints:
    """Connected multigraphs on bodies 0..nb with parallel joints, any numbering, order and direction."""
    nb = draw(st.integers(1, most_bodies))
    number = draw(st.permutations(range(1, nb + 1)))
    body = [0, *number]
    edges = [(body[draw(st.integers(0, k - 1))], body[k]) for k in range(1, nb + 1)]
    two_bodies = st.lists(st.integers(0, nb), min_size=2, max_size=2, unique=True)
    edges += [(a, b) for a, b in draw(st.lists(two_bodies, max_size=most_extra))]
    edges = [edge if draw(st.booleans()) else edge[::-1] for edge in draw(st.permutations(edges))]
    return [(k, *edge) for k, edge in enumerate(edges)]


@st.composite
def weighted_multigraphs(draw: st.DrawFn, distinct: bool = False) -> tuple[Joints, list[int]]:
    joints = draw(multigraphs())
    if distinct:
        return joints, list(draw(st.permutations(range(len(joints)))))
    return joints, draw(st.lists(st.integers(-3, 3), min_size=len(joints), max_size=len(joints)))


def product(left: tuple[tuple[int, ...], ...], right: tuple[tuple[int, ...], ...]) -> list[list[int]]:
    columns = list(zip(*right, strict=True))
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in left]


def is_spanning_tree(joints: Joints, kept: set[int]) -> bool:
    reached, grew = {0}, True
    while grew:
        grew = False
        for name, a, b in joints:
            if name in kept and (a in reached) != (b in reached):
                reached |= {a, b}
                grew = True
    return len(kept) == len(reached) - 1 == len({body for _, *ends in joints for body in ends} | {0}) - 1


def check_regular(labelling: Labelling, joints: Joints) -> None:
    nb, nj = labelling.nb, labelling.nj
    assert sorted(labelling.body_labels.values()) == list(range(nb + 1))
    assert sorted(labelling.joint_labels.values()) == list(range(1, nj + 1))
    assert labelling.body_labels[0] == 0
    assert len(labelling.cut_joints) == nj - nb
    assert is_spanning_tree(joints, {name for name, *_ in joints} - set(labelling.cut_joints))
    inboard, outboard, labels = labelling.matrix
    assert labels == tuple(range(1, nj + 1))
    assert all(tail < head for tail, head in zip(inboard, outboard, strict=True))
    assert outboard[:nb] == labels[:nb]
    cut_numbers = [labelling.graph.joint_names.index(name) for name in labelling.cut_joints]
    assert cut_numbers == sorted(cut_numbers)
    for name, tail, head in joints:
        ends = labelling.body_labels[tail], labelling.body_labels[head]
        column = labelling.joint_labels[name] - 1
        assert (inboard[column], outboard[column]) == tuple(sorted(ends))
        assert (name in labelling.flipped) == (ends[0] > ends[1])
        assert labelling.orientation[column] == (-1 if name in labelling.flipped else 1)


@given(multigraphs(), st.sampled_from(METHODS))
def test_labels_are_regular(joints: Joints, method: str) -> None:
    check_regular(label(joints, method=method), joints)  # type: ignore[arg-type]


@given(multigraphs())
def test_matrix_identities(joints: Joints) -> None:
    labelling = label(joints)
    nb = labelling.nb
    identity = [[int(i == j) for j in range(nb)] for i in range(nb)]
    S0, S, T = labelling.incidence_matrix[:1], labelling.incidence_matrix[1:], labelling.path_matrix
    assert product(T, S) == identity
    assert product(S, T) == identity
    assert product(S0, T) == [[-1] * nb]
    if labelling.cut_joints:
        assert product(T, labelling.cut_incidence_matrix[1:]) == [list(row) for row in labelling.loop_matrix]
    for column, (cut, loop) in enumerate(labelling.loops.items()):
        assert cut == labelling.cut_joints[column]
        signs = {name: labelling.loop_matrix[labelling.joint_labels[name] - 1][column] for name in loop}
        assert loop == signs
        assert sum(row[column] != 0 for row in labelling.loop_matrix) == len(loop)


@given(multigraphs())
def test_matrix_and_union_find_assembly_agree(joints: Joints) -> None:
    labelling = label(joints)
    steps = assembly_history(labelling.graph, labelling.assembly.order)
    assert "".join(step.pattern for step in steps) == labelling.assembly.patterns
    before: list[set[int]] = []
    for (name, a, b), matrix, branches in zip(joints, labelling.connectivity_matrices, labelling.history, strict=True):
        # Both against the definition of the patterns on the branches that the matrix had before.
        entered = [branch for branch in before if a in branch or b in branch]
        expected = "d" if any({a, b} <= branch for branch in entered) else "abc"[len(entered)]
        assert labelling.patterns[name] == expected
        before = [set(branch) for branch in branches]
        for i, row in enumerate(matrix):
            for j, entry in enumerate(row):
                assert entry == any({i, j} <= branch for branch in branches)
    assert before == [set(range(labelling.nb + 1))]


@given(multigraphs())
def test_layers_and_levels(joints: Joints) -> None:
    labelling = label(joints)
    tree = labelling.tree
    by_label = [tuple(labelling.body_labels[body] for body in layer) for layer in labelling.layers]
    heights = {body: number for number, layer in enumerate(by_label) for body in layer}
    for body, height in heights.items():
        assert height == max((heights[child] + 1 for child in tree.children[body]), default=0)
    assert sorted(body for layer in by_label for body in layer) == list(range(1, tree.nb + 1))
    for layer in labelling.layers:
        assert list(layer) == sorted(layer)
    assert [set(level) for level in labelling.levels] == [
        {labelling.body_names[body] for body in level} for level in tree.levels_by_depth
    ]


@given(weighted_multigraphs())
def test_tree_has_minimum_weight(system: tuple[Joints, list[int]]) -> None:
    joints, weights = system
    labelling = label(joints, weights=weights)
    check_regular(labelling, joints)
    # A spanning tree has minimum weight exactly if no cut joint is lighter than a tree joint of its loop.
    for cut, loop in labelling.loops.items():
        assert all(labelling.weights[cut] >= labelling.weights[joint] for joint in loop)


@given(multigraphs(most_bodies=4, most_extra=4), st.data())
def test_minimum_weight_by_enumeration(joints: Joints, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(-5, 5), min_size=len(joints), max_size=len(joints)))
    labelling = label(joints, weights=weights)
    kept = [name for name, *_ in joints if name not in labelling.cut_joints]
    least = min(
        sum(weights[k] for k in choice)
        for choice in combinations(range(len(joints)), labelling.nb)
        if is_spanning_tree(joints, set(choice))
    )
    assert sum(labelling.weights[name] for name in kept) == least


@given(weighted_multigraphs(distinct=True), st.data())
def test_renumbering_changes_nothing_but_ties(system: tuple[Joints, list[int]], data: st.DataObject) -> None:
    joints, weights = system
    before = label(joints, weights=weights)
    nb = before.nb
    new = [0, *data.draw(st.permutations(range(1, nb + 1)))]
    order = data.draw(st.permutations(range(len(joints))))
    turned = data.draw(st.lists(st.booleans(), min_size=len(joints), max_size=len(joints)))
    renumbered = []
    for k in order:
        name, a, b = joints[k]
        renumbered.append((name, new[b], new[a]) if turned[k] else (name, new[a], new[b]))
    after = label(renumbered, weights=dict(enumerate(weights)))
    assert set(after.cut_joints) == set(before.cut_joints)
    # The same tree: every body keeps its inboard joint and its layer, and loops keep their joints.
    inboard_joint = {body: before.joint_names[before.body_labels[body] - 1] for body in range(1, nb + 1)}
    for body, joint in inboard_joint.items():
        assert after.joint_names[after.body_labels[new[body]] - 1] == joint
    assert [sorted(new[body] for body in layer) for layer in before.layers] == [list(x) for x in after.layers]
    assert {cut: set(loop) for cut, loop in after.loops.items()} == {
        cut: set(loop) for cut, loop in before.loops.items()
    }
    # Labels differ only inside a layer, where original numbers break the tie.
    assert [len(layer) for layer in after.layers] == [len(layer) for layer in before.layers]


@given(multigraphs(), st.data())
def test_forced_joints_are_obeyed(joints: Joints, data: st.DataObject) -> None:
    method = data.draw(st.sampled_from(METHODS))
    # What one tree keeps and cuts can be demanded together, so every subset of it must be met.
    model = label(joints, weights=data.draw(st.permutations(range(len(joints)))))
    cut = data.draw(st.sets(st.sampled_from(model.cut_joints))) if model.cut_joints else set()
    tree = data.draw(st.sets(st.sampled_from(model.joint_names[: model.nb])))
    labelling = label(joints, method=method, forced=dict.fromkeys(cut, "cut") | dict.fromkeys(tree, "tree"))  # type: ignore
    check_regular(labelling, joints)
    assert cut <= set(labelling.cut_joints)
    assert not tree & set(labelling.cut_joints)


SQUARE = [("p", 0, 1), ("q", 1, 2), ("r", 2, 3), ("s", 3, 0)]


def test_names_and_bodies_are_any_hashables() -> None:
    labelling = label([(("pin", 1), "ground", "rod"), (7, "rod", frozenset({"tool"}))], base="ground")
    assert labelling.body_labels == {"ground": 0, "rod": 1, frozenset({"tool"}): 2}
    assert labelling.joint_labels == {("pin", 1): 1, 7: 2}
    assert labelling.body_names == ("ground", "rod", frozenset({"tool"}))


def test_order_of_bodies_decides_ties() -> None:
    joints = [("x", "g", "a"), ("y", "g", "b")]
    assert label(joints, base="g").body_labels == {"g": 0, "a": 1, "b": 2}
    assert label(joints, base="g", bodies=["b", "g", "a"]).body_labels == {"g": 0, "b": 1, "a": 2}
    assert label([(1, 0, 9), (2, 0, 4)]).body_labels == {0: 0, 4: 1, 9: 2}


def test_parallel_joints_are_legal_and_the_later_is_cut() -> None:
    labelling = label([("x", 0, 1), ("y", 1, 0)])
    assert labelling.cut_joints == ("y",)
    assert labelling.flipped == ("y",)
    assert labelling.loops == {"y": {"x": 1}}


def test_order_input_sets_weights_aside_but_keeps_them() -> None:
    weights = {"p": 3, "q": 9, "r": 1, "s": 2}
    assert label(SQUARE, weights=weights).cut_joints == ("q",)
    by_input = label(SQUARE, weights=weights, order="input")
    assert by_input.cut_joints == ("s",)
    assert by_input.weights == weights
    assert label(SQUARE).weights == dict.fromkeys("pqrs", 0)


def test_search_takes_lighter_joints_first() -> None:
    weights = {"p": 2, "q": 0, "r": 0, "s": 1}
    assert label(SQUARE, weights=weights, method="depth-first").cut_joints == ("p",)
    assert label(SQUARE, method="depth-first").cut_joints == ("s",)
    assert label(SQUARE, method="breadth-first").cut_joints == ("r",)


def test_labelling_shows_itself_and_is_frozen() -> None:
    labelling = label(SQUARE)
    assert repr(labelling) == "Labelling(3 bodies, 4 joints, 1 of them cut)"
    with pytest.raises(AttributeError):
        labelling.graph = labelling.graph  # type: ignore[misc]


def test_free_roots_are_added_on_request() -> None:
    joints = [("arm", "hand", "body"), ("ground_pin", "ground", "post"), ("drone_free", "post", "rod")]
    labelling = label(
        joints, base="ground", bodies=["post", "rod", "body", "hand", "drone"], weights=[1, 2, 3], free_roots="add"
    )
    assert labelling.added_joints == ("body_free", "drone_free_2")
    assert labelling.body_labels == {"ground": 0, "post": 1, "rod": 3, "body": 2, "hand": 4, "drone": 5}
    assert labelling.flipped == ("arm",)
    assert labelling.weights["body_free"] == 60
    assert label([(1, 0, 1)], free_roots="add").added_joints == ()


def test_a_free_root_can_be_the_only_ground() -> None:
    labelling = label([("x", 5, 3), ("y", 4, 5)], free_roots="add")
    assert labelling.added_joints == ("3_free",)
    assert labelling.body_labels == {0: 0, 3: 1, 5: 2, 4: 3}
    assert label([], bodies=["top"], free_roots="add").joint_labels == {"top_free": 1}


@pytest.mark.parametrize(
    ("joints", "options", "message"),
    [
        ([("x", 0, 1), ("y", 2, 2)], {}, "joint y: the joint connects body 2 with itself"),
        ([("x", 0, 1), ("y", 1, 2), ("x", 0, 2)], {}, "joint x: joints 1 and 3 have the same name"),
        ([("x", 0, 3)], {"bodies": [1, 2]}, "joint x: the joint connects an unknown body 3"),
        ([("x", 3, 1)], {"bodies": [1, 2]}, "joint x: the joint connects an unknown body 3"),
        ([("x", 0, 1)], {"bodies": [1, 2, 1]}, "body 1: the body is listed twice"),
        ([("x", 1, 2)], {}, "base 0: no joint touches the base; connect a body to the base"),
        ([("x", 0, 1)], {"base": "ground"}, "base ground: no joint touches the base"),
        ([], {}, "base 0: there is no joint"),
        ([("x", 0)], {}, "joint 1 is ('x', 0); give every joint as (name, H+, H-)"),
        ([5], {}, "joint 1 is 5"),
        ([("x", 0, [1])], {}, "joint x: a body of the joint cannot serve as a name"),
        ([(["x"], 0, 1)], {}, "joints: a joint's name cannot serve as a name"),
        ([("x", 0, 1), ("y", 2, 3)], {}, "base 0: 1 branch is not connected to the base: {2, 3}"),
        (
            [("x", 0, 1), ("y", 7, 5), ("z", 3, 4), ("w", 5, 6)],
            {"bodies": [1, 3, 4, 5, 6, 7, 8]},
            "base 0: 3 branches are not connected to the base: {3, 4}; {5, 6, 7}; {8}",
        ),
        (SQUARE, {"weights": {"p": 1}}, "joint q: the joint has no weight"),
        (SQUARE, {"weights": dict.fromkeys("pqrst", 1)}, "joint t: a weight is given to a joint that does not exist"),
        (SQUARE, {"weights": [1, 2]}, "weights: there are 2 weights for 4 joints"),
        (SQUARE, {"weights": [1, 2, 3, 0.5]}, "joint s: the weight 0.5 is no integer"),
        (SQUARE, {"method": "prim"}, "method: there is no method 'prim'; use one of kruskal, depth-first"),
        (SQUARE, {"order": "random"}, "order: there is no order 'random'"),
        (SQUARE, {"free_roots": "maybe"}, "free_roots: free_roots cannot be 'maybe'"),
        (SQUARE, {"forced": {"z": "cut"}}, "joint z: forced_cut names a joint that does not exist"),
        (SQUARE, {"forced": {"z": "tree"}}, "joint z: forced_tree names a joint that does not exist"),
        (SQUARE, {"forced": {"p": "both"}}, "joint p: it cannot be forced to 'both'; say cut or tree"),
        (
            SQUARE,
            {"forced": dict.fromkeys("rpqs", "tree")},
            "joint s: the joints forced into the tree form the loop s, p, q, r; let one joint of the loop be cut",
        ),
        (
            SQUARE,
            {"forced": {"p": "cut", "r": "cut"}, "method": "depth-first"},
            "joint p: the joints p, r of the loop p, q, r, s are all forced to be cut",
        ),
        (
            [*SQUARE, ("bridge", 3, 4)],
            {"forced": {"bridge": "cut"}},
            "joint bridge: the joint is forced to be cut but lies in no loop",
        ),
    ],
)
def test_mistakes_are_named(joints: list[tuple[object, ...]], options: dict[str, object], message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        label(joints, **options)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert caught.value.what and caught.value.where and caught.value.remedy


def test_a_tree_refuses_a_joint_that_is_forced_both_ways() -> None:
    with pytest.raises(TopologyError, match="joint p: the joint is forced to be cut and forced into"):
        spanning_tree(read_graph(SQUARE), forced_cut=[0], forced_tree=[0])


def test_named_loops_are_loops() -> None:
    # Two squares on one edge: a loop with two forced joints is no contradiction while another way round is left.
    ladder = [*SQUARE, ("t", 3, 4), ("u", 4, 5), ("v", 5, 2)]
    assert set(label(ladder, forced=dict.fromkeys("pt", "cut")).cut_joints) == {"p", "t"}
    with pytest.raises(TopologyError, match=r"joint t: .*the joints t, v of the loop t, u, v, r"):
        label(ladder, forced=dict.fromkeys("ptv", "cut"))


def test_named_loop_has_as_few_forced_joints_as_possible() -> None:
    # Body 1 hangs on forced joints alone. The shortest loop through x holds three of them, a longer one just two.
    joints = [("x", 0, 1), ("y", 0, 2), ("z", 2, 1), ("a", 0, 3), ("b", 3, 2)]
    with pytest.raises(TopologyError, match=r"joint x: the joints x, z of the loop x, z, b, a are all forced"):
        label(joints, forced=dict.fromkeys("xyz", "cut"))


def test_many_isolated_branches_are_cut_short() -> None:
    joints = [("x", 0, 1), *((k, 2 * k, 2 * k + 1) for k in range(1, 41))]
    with pytest.raises(TopologyError, match=r"40 branches are not connected .* and 28 more branches"):
        label(joints)
    with pytest.raises(TopologyError, match=r"1 branch is not .* and 39 more\}"):
        label([("x", 0, 1), *((k, k, k + 1) for k in range(2, 52))])


def test_history_and_matrices_refuse_large_systems() -> None:
    def chain(length: int) -> Labelling:
        return label([(k, k, k + 1) for k in range(length)])

    assert len(chain(60).history) == 60
    with pytest.raises(TopologyError, match=f"at most {HISTORY_LIMIT} bodies and joints"):
        _ = chain(HISTORY_LIMIT).history
    large = chain(MATRIX_LIMIT + 1)
    for matrix in ("incidence_matrix", "path_matrix"):
        with pytest.raises(TopologyError, match=f"at most {MATRIX_LIMIT} bodies and joints"):
            getattr(large, matrix)
    ring = label([(k, k, k + 1) for k in range(MATRIX_LIMIT + 1)] + [("cut", MATRIX_LIMIT + 1, 0)])
    with pytest.raises(TopologyError, match=f"this one would be {MATRIX_LIMIT + 1} by 1"):
        _ = ring.loop_matrix


def test_history_follows_the_order_of_assembly() -> None:
    labelling = label(SQUARE, weights=[4, 3, 2, 1])
    assert labelling.assembly_order == ("s", "r", "q", "p")
    assert labelling.history[0] == (frozenset({0, 3}),)
    assert labelling.patterns == {"p": "d", "q": "b", "r": "b", "s": "a"}

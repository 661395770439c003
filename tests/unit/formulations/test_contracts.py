"""Contracts make Programs, the choice between ways counts operations, and what force elements do is added up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbsym.errors import DerivationError, SymbolicError
from mbsym.forces import JointDamper
from mbsym.formulations import fewest_operations
from mbsym.formulations.applied_forces import applied_forces, less, together
from mbsym.formulations.contracts import Contract, Derived, Function, Result, functions_by_name, references, sizes_of
from mbsym.formulations.fewest_operations import longest_path, shortest_way
from mbsym.formulations.shared.heads import head_of, is_plain
from mbsym.formulations.shared.placed import entries_of, placed
from mbsym.formulations.shared.steps import COMMON, Handed
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds
from mbsym.model.joint import Coupling
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import MEMORY, WRITTEN, Input, Output, Program
from mbsym.symbolic.scalar import Scalar, constant, symbol
from mechanisms.exact import equal
from mechanisms.mechanism import mechanism_of
from mechanisms.one_joint import one_joint
from mechanisms.trees import tree_model

TWO = Contract(
    "both",
    ("q", "v", "t", "u"),
    (Result("vdot", ("nv",), "", "rates"), Result("pairs", (2, "nq"), "kg")),
    "two results",
)


@pytest.fixture
def own() -> Mechanism:
    return mechanism_of(tree_model((0, 1), ("revolute", "cylindrical")))


# ---- contracts -------------------------------------------------------------------------------------------------------


def test_a_contract_makes_a_program(own: Mechanism) -> None:
    """Shapes by sizes, units by names, no time where the model has none, nested entries laid out in order."""
    q, v = own.entries(own.q), own.entries(own.v)
    found = TWO.program(own, Derived({"vdot": v, "pairs": [q, [a + a for a in q]]}, "by hand"))
    assert (found.name, found.description) == ("both", "two results (by hand)")
    assert [item.name for item in found.inputs] == ["q", "v"]
    rates, pairs = found.outputs
    assert (rates.shape, rates.unit, rates.description) == ((3,), own.vdot.unit, "rates")
    assert (pairs.shape, pairs.unit) == ((2, 3), "kg")
    assert pairs.values == (*(x.ref for x in q), *((x + x).ref for x in q))


def test_units_of_results_that_are_rates_or_forces_are_those_of_the_joints() -> None:
    hinge = mechanism_of(one_joint("revolute", axis=(0, 0, 1)))
    named = replace(TWO, results=(Result("vdot", ("nv",)), Result("tau", ("nv",), "lbf")))
    v = hinge.entries(hinge.v)
    assert [item.unit for item in named.program(hinge, Derived({"vdot": v, "tau": v})).outputs] == ["rad/s^2", "lbf"]


def test_entries_of_the_only_result_need_no_name(own: Mechanism) -> None:
    single = replace(TWO, results=TWO.results[:1])
    again = Function(single, lambda mechanism: Derived(mechanism.entries(mechanism.v), description="anew"))
    assert again(own).description == "anew"
    assert functions_by_name(again) == {"both": again}
    assert references([[symbol(own.graph, "a")], symbol(own.graph, "b")]) == (
        own.graph.symbol("a"), own.graph.symbol("b"),
    )  # fmt: skip


def test_a_derivation_brings_its_own_arguments_and_sizes(own: Mechanism) -> None:
    given = Input("weights", (1,), (own.graph.symbol("weights[0]"),))
    own_sizes = Contract("rows", ("q", "weights"), (Result("G", ("rows", "nv")),), "rows")
    entries = [Scalar(own.graph, 1)] * 6
    found = own_sizes.program(own, Derived(entries, inputs=(given,), sizes={"rows": 2}))
    assert (found.inputs[1], found.outputs[0].shape) == (given, (2, 3))
    for derived in (Derived(entries, sizes={"rows": 2}), Derived(entries, inputs=(given,))):
        with pytest.raises(DerivationError, match=r"nothing is known of '(weights|rows)'"):
            own_sizes.program(own, derived)


def test_what_a_derivation_returns_is_held_to_its_contract(own: Mechanism) -> None:
    v = own.entries(own.v)
    with pytest.raises(DerivationError, match="the derivation returns vdot") as error:
        TWO.program(own, Derived({"vdot": v}))
    assert error.value.remedy == "return vdot, pairs"
    with pytest.raises(SymbolicError):
        TWO.program(own, Derived({"vdot": v, "pairs": v}))


def test_sizes(own: Mechanism) -> None:
    assert sizes_of(own) == {"nq": 3, "nv": 3, "nb": 2, "nj": 2, "nf": 0, "6nf": 0, "nu": 0, "ny": 0, "nx": 0}


# ---- the choice between ways -----------------------------------------------------------------------------------------


def program_of(graph: Graph, operations: int) -> Program:
    total = symbol(graph, "x")
    for k in range(operations):
        total = total + symbol(graph, f"y{k}")
    return Program("sum", graph, (), (Output("sum", (1,), (total.ref,)),))


def test_the_way_with_fewest_operations(own: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = program_of(own.graph, 2), program_of(own.graph, 3)
    choose = fewest_operations.fewest_operations
    assert choose(own, {"sparse": lambda: many, "articulated": lambda: few}) is few
    assert choose(own, {"sparse": lambda: few, "articulated": lambda: program_of(own.graph, 2)}) is few
    geared = replace(tree_model((0, 1), ("revolute", "revolute")), couplings=(Coupling("J2", "J1", 2),))
    assert choose(mechanism_of(geared), {"sparse": lambda: many, "articulated": lambda: few}) is many
    monkeypatch.setattr(fewest_operations, "LONGEST_TRIED", 2)
    assert choose(own, {"sparse": lambda: few, "articulated": lambda: many}) is many


def test_the_longest_path_counts_speeds() -> None:
    kinds = ("revolute", "spherical", "prismatic", "universal")
    assert longest_path(mechanism_of(tree_model((0, 1, 1, 3), kinds))) == 4
    assert longest_path(mechanism_of(tree_model((0, 1, 2, 3), kinds))) == 7


def test_other_ways_are_tried_where_little_moves(own: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(mechanism: Mechanism, operations: int) -> list[Scalar]:
        return [Scalar(mechanism.graph, program_of(mechanism.graph, operations).output_references[0])]

    ways = {"first": lambda mechanism: found(mechanism, 3), "second": lambda mechanism: found(mechanism, 2)}
    assert shortest_way(own, ways, iter) == (found(own, 2), "second")
    monkeypatch.setattr(fewest_operations, "LITTLE", 2)
    assert shortest_way(own, ways, iter) == (found(own, 3), "first")


# ---- force elements --------------------------------------------------------------------------------------------------


def test_what_force_elements_and_rotors_do_is_one() -> None:
    """A damper pulls with -d v; the rotors of a ball with a = (a1, a1, a1) ask nothing more at constant speeds."""
    model = replace(one_joint("revolute", axis=(0, 0, 1)), forces=(JointDamper("d", "j", damping="0.5"),))
    own = mechanism_of(model)
    found = applied_forces(own, joint_speeds(own))
    assert found is not None
    ((pull,),) = found.joints
    assert equal([pull], [own.entries(own.v)[0] * constant(own.graph, 0.5) * -1])
    assert found.wrenches == {}
    bare = mechanism_of(one_joint("revolute", axis=(0, 0, 1)))
    assert applied_forces(bare, joint_speeds(bare)) is None


def test_forces_by_joint_are_added_and_subtracted() -> None:
    graph = Graph()
    a, b, c, d = (symbol(graph, name) for name in "abcd")
    assert less(((a, b), (c,)), ((c, a), (c,))) == ((a - c, b - a), (Scalar(graph, 0),))
    assert together(((a,), (b, c)), ((d,), (a, a))) == ((a + d,), (b + a, c + a))


# ---- pieces of shared steps ------------------------------------------------------------------------------------------


def test_a_head_has_results_that_statements_write(own: Mechanism) -> None:
    head = head_of(TWO, own, "rolled")
    assert head.description == "two results (rolled, bodies of a kind share their steps)"
    assert [item.values for item in head.outputs] == [(WRITTEN,) * 3, (WRITTEN,) * 6]
    assert is_plain(own)
    geared = replace(tree_model((0, 1), ("revolute", "revolute")), couplings=(Coupling("J2", "J1", 2),))
    assert not is_plain(mechanism_of(geared))


def test_a_frame_is_made_of_its_entries(own: Mechanism) -> None:
    frame = own.bodies[0].placement
    again = placed(entries_of(frame))
    assert equal(entries_of(again), entries_of(frame))


def test_what_is_handed_on_is_zero_one_or_varies() -> None:
    """Places that are one number for all stand in no memory; deriving goes on until nothing changes."""
    graph, handed, key = Graph(), Handed(), ("push", COMMON)
    zero, one, x = Scalar(graph, 0), Scalar(graph, 1), symbol(graph, "x")
    turns = []

    def derive() -> None:
        turns.append(handed.shapes.get(key))
        handed.widen(key, [zero, one, -one, x] if len(turns) == 1 else [zero, one, zero, x])

    handed.settle(derive)
    assert turns == [None, (0, 1, -1, None), (0, 1, None, None)]
    assert handed.varying(key, [zero, one, x, -x]) == [x, -x]
    assert handed.entries(graph, "push", key) == [zero, one, symbol(graph, "push2"), symbol(graph, "push3")]
    assert (handed.block(), handed.block(), handed.blocks) == (0, 1, 2)
    step = handed.added("push")
    assert (step.reads, step.writes, len(step.program.outputs[0].values)) == ((MEMORY, MEMORY), (MEMORY,), 2)

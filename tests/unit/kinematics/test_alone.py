"""Functions derived one by one from one mechanism are those of mechanisms written anew."""

from __future__ import annotations

import pytest

from mbsym import examples
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.kinematics.simplifications import SIMPLIFICATIONS
from mbsym.kinematics.simplified import simplified
from mbsym.stages.simplify import alone
from mbsym.symbolic.program import Program
from mbsym.symbolic.show import show


def written(name: str) -> Mechanism:
    """A bundled example, with all that makes it shorter."""
    model = examples.load(name)
    return simplified(build_mechanism(model, model.label()), SIMPLIFICATIONS)


def state(program: Program) -> object:
    """All that a graph holds, and where the results stand in it."""
    graph = program.graph
    return graph.kinds, graph.arguments, graph.names, graph.never_zero, graph.sections, program.output_references


def test_each_function_is_as_if_it_were_the_first() -> None:
    mechanism = written("double_pendulum")
    found = [alone(derive, mechanism) for derive in TREE_FUNCTIONS.values()]
    for program, derive in zip(found, TREE_FUNCTIONS.values(), strict=True):
        anew = derive(written("double_pendulum"))
        assert state(program) == state(anew)
        assert show(program) == show(anew)
    graphs = [mechanism.graph, *(program.graph for program in found)]
    assert len(set(map(id, graphs))) == len(graphs)


def test_the_mechanism_is_as_before_where_a_derivation_fails() -> None:
    mechanism = written("cart_pole")
    before = mechanism.graph.copy()

    def fails(given: Mechanism) -> Program:
        TREE_FUNCTIONS["mass_matrix"](given)
        raise ValueError

    with pytest.raises(ValueError):
        alone(fails, mechanism)
    assert mechanism.graph.kinds == before.kinds
    assert mechanism.graph.symbol("q_rail") == before.symbol("q_rail")
    assert len(mechanism.graph) == len(before)


def test_what_is_untouched_is_written_once() -> None:
    mechanism = written("double_pendulum")
    assert mechanism.untouched() is mechanism
    alone(TREE_FUNCTIONS["mass_matrix"], mechanism)
    assert mechanism.untouched() is mechanism
    TREE_FUNCTIONS["mass_matrix"](mechanism)
    other = mechanism.untouched()
    assert other is not mechanism and other.graph.size == mechanism.written == other.written
    assert (other.ways, other.prepared) == (mechanism.ways, mechanism.prepared)

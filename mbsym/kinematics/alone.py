"""Functions derived one by one from a mechanism that is written once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.program import Program


def alone(derive: Callable[[Mechanism], Program], mechanism: Mechanism) -> Program:
    """What is derived from a mechanism, in a graph of its own; the mechanism's graph is then again as it was before.

    So a function depends on nothing that was derived before it, as it would not on a mechanism written ``afresh``.

    Raises:
        DerivationError: the derivation does not cover the mechanism.
    """
    graph = mechanism.graph
    begun = graph.copy()
    try:
        program = derive(mechanism)
        # All values of the mechanism belong to its graph: it is the nodes of the function that move.
        return replace(program, graph=graph.copy()) if program.graph is graph else program
    finally:
        graph.become(begun)

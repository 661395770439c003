"""Mechanisms all of whose parameters are symbols, and functions that are linear in these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbsym import examples
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.system import Model
from mbsym.regressors.parameters import with_symbols
from mbsym.symbolic.equality import compare
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mechanisms.mechanism import mechanism_of
from mechanisms.random_trees import random_tree

SEEDS = (2, 12, 20, 26, 28, 40, 41, 43, 59, 63, 67, 90, 101, 102, 111)
"""Random trees that together have every joint type both ways round, couplings, and force elements of all types."""


def model_named(name: str | int) -> Model:
    return random_tree(name, bodies=(1, 4)) if isinstance(name, int) else examples.load(name)


@dataclass(frozen=True)
class Symbolic:
    """A mechanism all of whose parameters are symbols."""

    mechanism: Mechanism
    parameters: tuple[Scalar, ...]

    def times(self, program: Program, output: str) -> list[Scalar]:
        """A regressor times the parameters."""
        refs = [Scalar(self.mechanism.graph, ref) for ref in program.output(output).values]
        n = len(self.parameters)
        zero = Scalar(self.mechanism.graph, 0)
        return [
            sum((a * b for a, b in zip(refs[k : k + n], self.parameters, strict=True)), zero)
            for k in range(0, len(refs), n)
        ]

    def same(self, found: Sequence[Scalar], expected: Sequence[Scalar]) -> bool:
        """Equality for all states with unit quaternions and all parameters."""
        mechanism = self.mechanism
        inputs = (mechanism.q, mechanism.v, mechanism.vdot, *mechanism.extra_inputs)
        sides = (
            Program("side", mechanism.graph, inputs, (output,), mechanism.parameters)
            for output in (Output("entries", (len(side),), tuple(x.ref for x in side)) for side in (found, expected))
        )
        return bool(compare(*sides))

    def of(self, function: str) -> list[Scalar]:
        """Results of a function of every tree."""
        refs = TREE_FUNCTIONS[function](self.mechanism).output_references
        return [Scalar(self.mechanism.graph, ref) for ref in refs]


def symbolic(name: str | int) -> Symbolic:
    model, names = with_symbols(model_named(name))
    mechanism = mechanism_of(model)
    one = Scalar(mechanism.graph, mechanism.graph.const(1))
    return Symbolic(mechanism, tuple(mechanism.names[each] if each else one for each in names))

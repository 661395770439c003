"""What the functions of a module must be: derived anew from the mechanism as the user gave it.

Nothing is simplified here, no frame slides, no parameter moves, and no pass runs. Where another formulation derives a
function in its own way, that one is asked: Kane's equations through T, which know no recursion, or Newton's and
Euler's where Kane's are asked for or would be too long.

Inverse dynamics decide on four functions: tau(q, v, vdot) itself, tau(q, v, 0) is the bias, tau(q, v, x) - tau(q, v, 0)
is M x for unknown x, and tau(q, v, forward_dynamics(q, v, tau)) is tau again. Joint wrenches are then asked for at the
accelerations that were found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, TypeAlias, get_args

from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.derivatives.sparsity import Sparsity
from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import joint_wrenches_at
from mbsym.formulations.contracts import references
from mbsym.formulations.fewest_operations import Method
from mbsym.formulations.kane.closed_form import user_joint_wrenches
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.proof.printed import Results
from mbsym.registry import Available, DeriveFunction, available_functions
from mbsym.symbolic.compose import transplant
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Input, Program
from mbsym.symbolic.scalar import Scalar

PLAIN: Final = "plain"
"""In the place of a formulation: the function's own derivation, with nothing simplified."""

KANE: Final = "kane"

NEWTON_EULER: Final = "newton-euler"

WRENCHES: Final = {KANE: user_joint_wrenches, NEWTON_EULER: joint_wrenches_at}
"""Wrenches in all joints at given accelerations, by formulation."""

LONGEST_FOR_KANE: Final = 60
"""Bodies up to which Kane's equations are asked: their number of operations grows with the square."""

BY_INVERSE_DYNAMICS: Final = frozenset(("inverse_dynamics", "bias_force", "mass_matrix", "forward_dynamics"))

Pair: TypeAlias = tuple[str, int, Reference, Reference]
"""Result, place in it, what is printed and what it must be."""


@dataclass(frozen=True)
class Witness:
    """What functions must be, over one graph.

    Attributes:
        mechanism: as the user gave it, in a graph of its own.
        own: derivations in the formulation that is asked for.
        other: derivations in another one.
        requests: derivatives that are asked for.
    """

    mechanism: Mechanism
    own: Available
    other: Available
    requests: tuple[DerivativeRequest, ...]
    _programs: dict[str, Program] = field(default_factory=dict, init=False, repr=False, compare=False)
    _known_forces: dict[tuple[Reference, ...], tuple[Reference, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _rates: list[Reference] = field(default_factory=list, init=False, repr=False, compare=False)
    """The accelerations that were found, once they are."""

    @property
    def graph(self) -> Graph:
        """Where everything is derived."""
        return self.mechanism.graph

    def beside(self, function: str) -> str:
        """The formulation that a function is held against, or PLAIN."""
        if self._inverse_dynamics_decide(function):
            return self.other.formulation.name
        if function == "joint_wrenches" and self._is_of_tree and self._rates:
            return self.other.formulation.name
        of_own, of_other = self.own.formulation.functions, self.other.formulation.functions
        is_another = of_own.get(function) is not of_other.get(function)
        return self.other.formulation.name if is_another and self._is_of_tree else PLAIN

    def pairs(self, function: str, found: Results) -> list[Pair]:
        """What is printed beside what it must be, entry by entry.

        Raises:
            DerivationError: nothing says what the function must be.
        """
        if self._inverse_dynamics_decide(function):
            return self._by_inverse_dynamics(function, found)
        wrenches = WRENCHES[self.other.formulation.name]
        if function == "joint_wrenches" and self.beside(function) != PLAIN and self._rates:
            entries = wrenches(self.mechanism, [Scalar(self.graph, rate) for rate in self._rates])
            (name,) = found
            return by_entry(name, found[name], references(entries))
        return _paired(found, self._derivation(function))

    def product(self, function: str) -> tuple[Sequence[Reference], Sequence[Reference]] | None:
        """Factors of a matrix's columns and what each row comes to: M x is a difference of forces, J v are velocities.

        None where the function is no such matrix.
        """
        mechanism = self.mechanism
        if function == "mass_matrix":
            forces, bias = self._forces(mechanism.vdot.symbols), self._forces([0] * mechanism.nv)
            return mechanism.vdot.symbols, [self.graph.add(a, -b) for a, b in zip(forces, bias, strict=True)]
        if function == "body_jacobians":
            return mechanism.v.symbols, self._derivation("body_velocities").outputs[0].values
        return None

    def by_other_factors(self, function: str, found: Results) -> list[list[Pair]]:
        """The same for each way to factor the mass matrix, where the function returns what comes from its factors."""
        if self.own.loops is None or function not in LOOP_FUNCTIONS or not LOOP_FUNCTIONS[function].factors:
            return []
        ways = (replace(self.own.formulation, loop_method=method) for method in get_args(Method))
        each = (Available(self.mechanism, way, self.own.loops) for way in ways)
        return [_paired(found, self._derived(available.functions[function])) for available in each]

    def inputs(self) -> tuple[Input, ...]:
        """Arguments of all functions asked about so far, with what is known of them."""
        mechanism = self.mechanism
        every = [mechanism.q, mechanism.v, mechanism.vdot, mechanism.tau, *mechanism.extra_inputs]
        for program in self._programs.values():
            every += program.inputs
        return tuple({(item.name, item.symbols): item for item in every}.values())

    def _derivation(self, function: str) -> Program:
        """Its own plain one, or that of the other formulation.

        Raises:
            DerivationError: there is none.
        """
        derivations = self._every if self.beside(function) == PLAIN else self.other.functions
        if function not in derivations:
            raise DerivationError("no other derivation is known", where=function)
        if function not in self._programs:
            self._programs[function] = self._derived(derivations[function])
        return self._programs[function]

    def _derived(self, derive: DeriveFunction) -> Program:
        program = derive(self.mechanism)
        return program if program.graph is self.graph else transplant(program, self.graph)

    @cached_property
    def _every(self) -> Mapping[str, DeriveFunction]:
        return self.own.with_derivatives(self.requests)

    @property
    def _is_of_tree(self) -> bool:
        return self.own.loops is None and self.own.formulation.whole is None

    def _inverse_dynamics_decide(self, function: str) -> bool:
        if self.own.formulation.whole is not None:
            return False
        # With closed loops forward_dynamics is another function of that name.
        return function in BY_INVERSE_DYNAMICS and (self.own.loops is None or function != "forward_dynamics")

    def _by_inverse_dynamics(self, function: str, found: Results) -> list[Pair]:
        mechanism, graph = self.mechanism, self.graph
        rest: list[Reference] = [0] * mechanism.nv
        if function == "inverse_dynamics":
            return by_entry("tau", found["tau"], self._forces(mechanism.vdot.symbols))
        if function == "bias_force":
            (name,) = found
            return by_entry(name, found[name], self._forces(rest))
        if function == "forward_dynamics":
            self._rates[:] = found["vdot"]
            return by_entry("vdot", self._forces(found["vdot"]), mechanism.tau.symbols)
        any_rates, size = mechanism.vdot.symbols, mechanism.nv
        pairs: list[Pair] = []
        forces, bias = self._forces(any_rates), self._forces(rest)
        for row in range(size):
            product: Reference = 0
            for column, rate in enumerate(any_rates):
                product = graph.add(product, graph.mul(found["M"][row * size + column], rate))
            pairs.append(("M", row * size, graph.add(product, bias[row]), forces[row]))
        return pairs

    def _forces(self, rates: Sequence[Reference]) -> tuple[Reference, ...]:
        """Generalised forces at given rates, by the other formulation."""
        key = tuple(rates)
        if key not in self._known_forces:
            asked = replace(self.mechanism, vdot=replace(self.mechanism.vdot, symbols=key))
            self._known_forces[key] = self.other.functions["inverse_dynamics"](asked).outputs[0].values
        return self._known_forces[key]


def _paired(found: Results, expected: Program) -> list[Pair]:
    return [pair for output in expected.outputs for pair in by_entry(output.name, found[output.name], output.values)]


def by_entry(result: str, found: Sequence[Reference], expected: Sequence[Reference]) -> list[Pair]:
    """The entries of a result beside what they must be."""
    return [(result, place, a, b) for place, (a, b) in enumerate(zip(found, expected, strict=True))]


def witness(
    mechanism: Mechanism,
    formulation: str,
    loops: LoopAnalysis | None,
    requests: tuple[DerivativeRequest, ...],
) -> Witness:
    """What the functions of a mechanism must be.

    Args:
        mechanism: whose functions are printed, as the user gave it, over numbers of its own.
        formulation: in which they were derived.
        loops: what was found out about its closed loops.
        requests: derivatives that were asked for.
    """
    own = available_functions(mechanism, formulation, loops)
    is_long = mechanism.nb > LONGEST_FOR_KANE
    other = NEWTON_EULER if formulation == KANE or is_long else KANE
    return Witness(mechanism, own, available_functions(mechanism, other, loops), requests)


def uncompressed(found: Results, sparsity: Mapping[str, Sparsity]) -> dict[str, list[Reference]]:
    """The whole matrices of which a function returns what is not zero by structure.

    The entries that are left out are zeros here, and so are held against what they must be as all others are.
    """
    whole: dict[str, list[Reference]] = {name: list(entries) for name, entries in found.items()}
    for name, own in sparsity.items():
        size, columns = 1, own.shape[-1]
        for extent in own.shape:
            size *= extent
        stored = iter(found[name])
        entries: list[Reference] = [0] * size
        for column, rows in enumerate(own.stored):
            for row in rows:
                entries[row * columns + column] = next(stored)
        whole[name] = entries
    return whole

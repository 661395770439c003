"""Derivatives of the bundled models and of random trees against formal ones, exactly in the field of 2^61 - 1 elements.

Those of inverse dynamics, first and second, against the graph of inverse dynamics differentiated; those of forward
dynamics by what they must satisfy, M dvdot + dID = 0 at the motion that tau causes, and the same differentiated again;
the Coriolis matrix by Mdot = C + C^T; centroidal momentum by momentum. Closed loops are open.

    python tests/benchmarks/derivatives_exact.py [COUNT] [FIRST_SEED]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mbsym import examples
from mbsym.derivatives.functions import CONTROL_FUNCTIONS, DERIVATIVE_FUNCTIONS
from mbsym.derivatives.tangent import Matrix, along, along_speeds
from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.model.system import Model
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.equality import compare
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mechanisms.random_trees import random_tree


class Derivatives:
    """All derivatives of a mechanism in one graph."""

    def __init__(self, model: Model) -> None:
        self.mechanism: Mechanism = build_mechanism(model, model.label())
        m, n = self.mechanism, self.mechanism.nv
        refs = TREE_FUNCTIONS["inverse_dynamics"](m).output_references
        self.weights = [Scalar(m.graph, m.graph.symbol(f"weights[{k}]")) for k in range(n)]
        total = Scalar(m.graph, 0)
        for weight, ref in zip(self.weights, refs, strict=True):
            total = total + weight * Scalar(m.graph, ref)
        (first,), (speeds,) = along_speeds(m, [total.ref]), along(m, [total.ref], m.v.symbols)
        by_q, by_v = [x.ref for x in first], [x.ref for x in speeds]
        self.first = [along_speeds(m, refs), along(m, refs, m.v.symbols)]
        self.second = [
            along_speeds(m, by_q),
            along(m, by_q, m.v.symbols),
            along(m, by_v, m.v.symbols),
            along(m, by_q, m.vdot.symbols),
        ]
        self.mass = self.matrices(TREE_FUNCTIONS["mass_matrix"](m))[0]

    def matrices(self, program: Program) -> list[Matrix]:
        """Results of (rows, nv) entries."""
        n, graph = self.mechanism.nv, self.mechanism.graph
        return [
            [[Scalar(graph, ref) for ref in item.values[row : row + n]] for row in range(0, len(item.values), n)]
            for item in program.outputs
        ]

    def replaced(self, matrices: Sequence[Matrix], symbols: Sequence[int], values: Sequence[Scalar]) -> list[Matrix]:
        """Matrices with values in the place of symbols."""
        graph = self.mechanism.graph
        refs = [entry.ref for matrix in matrices for row in matrix for entry in row]
        mapping = {symbol: value.ref for symbol, value in zip(symbols, values, strict=True)}
        found = iter(substitute(graph, refs, mapping))
        return [[[Scalar(graph, next(found)) for _ in row] for row in matrix] for matrix in matrices]

    def same(self, found: Iterable[Matrix], expected: Iterable[Matrix]) -> bool:
        """For all states, quaternions of unit length."""
        m = self.mechanism
        sides = []
        for side in (found, expected):
            refs = tuple(entry.ref for matrix in side for row in matrix for entry in row)
            sides.append(Program("side", m.graph, (m.q, m.v), (Output("entries", (len(refs),), refs),), m.parameters))
        return compare(sides[0], sides[1]).kind == "equal"

    def checks(self) -> dict[str, bool]:
        """Whether each function is what it must be."""
        m, functions = self.mechanism, DERIVATIVE_FUNCTIONS
        found = {"ID": self.same(self.matrices(functions["inverse_dynamics_derivatives"](m)), self.first)}
        second = self.matrices(functions["inverse_dynamics_second_derivatives"](m))
        found["second ID"] = self.same(second, self.second)
        rates = [Scalar(m.graph, ref) for ref in TREE_FUNCTIONS["forward_dynamics"](m).output_references]
        there = self.replaced(self.first, m.vdot.symbols, rates)
        by_q, by_v, inverse = self.matrices(functions["forward_dynamics_derivatives"](m))
        found["FD"] = self.same([times(self.mass, by_q), times(self.mass, by_v)], [negative(x) for x in there])
        found["M^-1"] = self.same([times(self.mass, inverse)], [identity(m)])
        found["second FD"] = self.second_of_forward_dynamics(rates, by_q, by_v, inverse)
        C = self.matrices(functions["coriolis_matrix"](m))[0]
        v = [[speed] for speed in m.entries(m.v)]
        rate = times(along_speeds(m, [x.ref for row in self.mass for x in row]), v)
        both = [[C[i][j] + C[j][i]] for i in range(m.nv) for j in range(m.nv)]
        found["C"] = self.same([rate], [both])
        A = self.matrices(CONTROL_FUNCTIONS["centroidal_momentum_matrix"](m))[0]
        momentum = [[Scalar(m.graph, ref)] for ref in TREE_FUNCTIONS["momentum"](m).output_references]
        found["A"] = self.same([times(A, v)], [momentum])
        return found

    def second_of_forward_dynamics(self, rates: list[Scalar], by_q: Matrix, by_v: Matrix, inverse: Matrix) -> bool:
        """With the weights M mu, so that what was M^-1 weights is mu."""
        m = self.mechanism
        program = DERIVATIVE_FUNCTIONS["forward_dynamics_second_derivatives"](m)
        symbols = [weight.ref for weight in self.weights]
        pushed = [row[0] for row in times(self.mass, [[weight] for weight in self.weights])]
        of_qq, of_qv, of_vv, of_tau = self.replaced(self.matrices(program), symbols, pushed)
        hess, mixed, speeds, N = self.replaced(self.second, m.vdot.symbols, rates)
        turned = times(N, by_q)
        other = [list(column) for column in zip(*turned, strict=True)]
        expected = [added(hess, added(turned, other)), added(mixed, times(N, by_v)), speeds, times(N, inverse)]
        return self.same([of_qq, of_qv, of_vv, of_tau], [negative(x) for x in expected])


def times(a: Matrix, b: Matrix) -> Matrix:
    """a b."""
    columns = list(zip(*b, strict=True))
    zero = Scalar(a[0][0].graph, 0)
    return [[sum((x * y for x, y in zip(row, column, strict=True)), zero) for column in columns] for row in a]


def added(a: Matrix, b: Matrix) -> Matrix:
    """a + b."""
    return [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def negative(a: Matrix) -> Matrix:
    """-a."""
    return [[-x for x in row] for row in a]


def identity(mechanism: Mechanism) -> Matrix:
    """1."""
    zero = Scalar(mechanism.graph, 0)
    return [[zero + int(i == j) for j in range(mechanism.nv)] for i in range(mechanism.nv)]


def main() -> None:
    """Prints a line for each mechanism, and what failed at the end."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    models = [(name, examples.load(name)) for name in examples.names()]
    seed = first
    while len(models) < len(examples.names()) + count:
        model = random_tree(seed, bodies=(1, 7))
        if any(joint.shape.nv for joint in model.joints):
            models.append((str(seed), model))
        seed += 1
    failed = []
    for name, model in models:
        start = time.perf_counter()
        try:
            derivatives = Derivatives(model)
            found = derivatives.checks()
        except DerivationError as error:
            print(f"{name:18} {error}")
            continue
        failed += [(name, key) for key, passed in found.items() if not passed]
        words = ", ".join(key if passed else f"{key} DIFFERS" for key, passed in found.items())
        print(
            f"{name:18} {derivatives.mechanism.nv:3} speeds  {words}  {time.perf_counter() - start:.1f} s", flush=True
        )
    print(f"{len(models)} mechanisms, differing: {failed or 'none'}")


if __name__ == "__main__":
    main()

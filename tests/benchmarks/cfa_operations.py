"""Operations of the constraint force algorithm per added body: whole functions, and the solution of A F = X alone.

    python tests/benchmarks/cfa_operations.py [--large]

Solutions are counted on systems of five unknown forces a joint (revolute joints) whose blocks are dense symbols, with
the coupling of the tree; ``--large`` adds the trees on which elimination takes minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter

from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force.block_system import BlockSystem, solve
from mbsym.formulations.constraint_force.elimination_order import leaf_to_root, rake_and_compress
from mbsym.formulations.constraint_force.leaf_to_root import CFA_BIAS_FUNCTIONS, CFA_FUNCTIONS
from mbsym.formulations.constraint_force.odd_even_elimination import odd_even_elimination
from mbsym.formulations.contracts import Function
from mbsym.formulations.kane.closed_form import KANE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import OperationCount, count_operations
from mbsym.symbolic.scalar import Scalar, symbol

sys.path.append(str(Path(__file__).resolve().parents[1]))
from mechanisms.mechanism import mechanism_of
from mechanisms.trees import arms, binary, chain, comb, tree_model

Solution = Callable[[BlockSystem, tuple[int, ...], list[Scalar]], list[Scalar]]


def symbolic_system(parents: Sequence[int], size: int = 5) -> tuple[BlockSystem, list[Scalar]]:
    """A and X of dense symbols."""
    graph = Graph()
    n = len(parents)
    children: list[list[int]] = [[] for _ in range(n + 1)]
    for joint, parent in enumerate(parents, start=1):
        children[parent].append(joint)
    coupled = [(j, j) for j in range(1, n + 1)] + [(p, j) for j, p in enumerate(parents, start=1) if p]
    coupled += [(a, b) for body in range(1, n + 1) for a in children[body] for b in children[body] if a < b]
    blocks = {}
    for i, j in coupled:
        names = [
            [f"A{i}_{j}_{min(r, c)}_{max(r, c)}" if i == j else f"A{i}_{j}_{r}_{c}" for c in range(size)]
            for r in range(size)
        ]
        blocks[i, j] = tuple(tuple(symbol(graph, name) for name in row) for row in names)
    right = [symbol(graph, f"X{k}") for k in range(n * size)]
    return BlockSystem(graph, tuple(map(str, range(1, n + 1))), (size,) * n, blocks), right


def solution_count(parents: tuple[int, ...], way: Solution, size: int = 5) -> int:
    """Operations (+ - * /) of solving A F = X."""
    system, right = symbolic_system(parents, size)
    values = way(system, parents, right)
    graph = system.graph
    found: OperationCount = count_operations(graph, graph.reachable(x.ref for x in values))
    return found.arithmetic


SOLUTIONS: dict[str, Solution] = {
    "leaf to root": lambda system, parents, right: solve(system, leaf_to_root(parents), right),
    "elimination": odd_even_elimination,
    "rake, compress": lambda system, parents, right: solve(system, rake_and_compress(parents), right),
}


def dense_count(n: int, size: int = 5) -> int:
    """Operations of a dense L D L^T solution."""
    m = n * size
    return sum(1 + (m - k) + (m - k) * (m - k + 1) + 4 * (m - k) for k in range(1, m + 1)) + m


def tree(parents: Sequence[int], kind: str) -> Mechanism:
    """One type of joint in any topology."""
    return mechanism_of(tree_model(parents, (kind,) * len(parents)), order="input")


def motion_and_wrenches(functions: Mapping[str, Function], mechanism: Mechanism) -> int:
    """Operations of vdot and all joint wrenches together."""
    programs = [functions[name](mechanism) for name in ("forward_dynamics", "joint_wrenches")]
    refs = [ref for program in programs for ref in program.output_references]
    return count_operations(mechanism.graph, mechanism.graph.reachable(refs)).arithmetic


def per_body(functions: Mapping[str, Function], kind: str, n: int = 6) -> int:
    """What one more body at the end of a chain adds."""
    first, second = (motion_and_wrenches(functions, tree(chain(k), kind)) for k in (n, n + 1))
    return second - first


def main(arguments: Sequence[str]) -> None:
    print("vdot and all joint wrenches, operations per added body of a chain")
    ways = {
        "recursive": TREE_FUNCTIONS,
        "absolute form": CFA_FUNCTIONS,
        "bias form": CFA_BIAS_FUNCTIONS,
        "kane": KANE_FUNCTIONS,
    }
    print(f"{'joint':12}" + "".join(f"{way:>15}" for way in ways))
    for kind in ("revolute", "cylindrical", "spherical"):
        counts = [per_body(functions, kind) for functions in ways.values()]
        print(f"{kind:12}" + "".join(f"{count:15}" for count in counts))
    print("\nsolution of A F = X, operations per body")
    print(
        f"{'tree':12}{'N':>5}{'rounds':>8}"
        + "".join(f"{way:>16}" for way in SOLUTIONS)
        + f"{'dense':>12}{'seconds':>9}"
    )
    sizes = {chain: (16, 64, 256), arms: (17, 65, 257), binary: (15, 63, 255), comb: (16, 64, 128)}
    for shape, numbers in sizes.items():
        for n in numbers:
            parents = shape(n)
            start = perf_counter()
            cells = []
            for name, way in SOLUTIONS.items():
                heavy = name == "elimination" and (n > 100 or (shape in (binary, comb) and n > 20))
                skip = heavy and "--large" not in arguments
                cells.append("-" if skip else f"{solution_count(parents, way) / n:.0f}")
            print(
                f"{shape.__name__:12}{n:5}{len(rake_and_compress(parents)):8}"
                + "".join(f"{cell:>16}" for cell in cells)
                + f"{dense_count(n) / n:12.0f}{perf_counter() - start:9.1f}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])

"""The constraint force algorithm by threads, the paper's future work: any order of elimination moves a tree alike.

What is tested is the benchmark's code, ``tests/benchmarks/parallel_cfa.c``, whose tables reach 10000 bodies.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mbsym.codegen.build import find_compiler
from mbsym.errors import ToolchainError
from mechanisms.trees import binary, chain, comb

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

CASE_D = (0, 1, 2, 3, 4, 5, 6, 7, 8, 5, 10, 11, 12)
ACCELERATIONS = np.array(
    [
        22.948137438, -39.068376772, 10.015668088, 7.413704389, 3.145779881, -1.709428860, 4.121701748,
        -1.190004592, 0.327420588, -0.291874864, -0.400108941, 3.051633072, -0.304720877,
    ]
)  # fmt: skip
"""Of the tree with an inner node whose numbers the tests of the derived algorithm hold too."""


@pytest.fixture(scope="module")
def parallel(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    try:
        find_compiler()
    except ToolchainError as error:
        pytest.skip(str(error))
    sys.path.append(str(BENCHMARKS))
    try:
        spec = importlib.util.spec_from_file_location("parallel_cfa", BENCHMARKS / "parallel_cfa.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["parallel_cfa"] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCHMARKS))
    module.library = module.compiled(str(tmp_path_factory.mktemp("parallel")), optimised=False)  # type: ignore[attr-defined]
    return module


@pytest.mark.parametrize("order", ["leaf_to_root", "rounds", "all_ends"])
def test_case_d_by_two_threads(parallel: ModuleType, order: str) -> None:
    numbers = np.arange(1, 14)
    given = 0.1 * numbers, 0.05 * numbers, 1 - 0.1 * numbers
    mechanism = parallel.Mechanism(parallel.library, CASE_D, parallel.rows(CASE_D))
    stages = parallel.all_ends(CASE_D, 2) if order == "all_ends" else getattr(parallel, order)(CASE_D)
    call = mechanism.constraint_forces(parallel.planned(CASE_D, stages), 2, *given)
    np.testing.assert_allclose(call(), ACCELERATIONS, rtol=0, atol=1e-8)  # the digits printed


@pytest.mark.parametrize("shape", [chain, comb, binary])
def test_trees_of_sixty_bodies_move_as_by_recursion(parallel: ModuleType, shape: object) -> None:
    assert callable(shape)
    times, difference = parallel.single(parallel.library, shape(60), 2, seconds=0.0)
    # Condition numbers of these trees are about 1e3, and the recursion itself is off by as much.
    assert len(times) == 6 and difference < 1e-11


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("parents", [chain(40), comb(40), binary(40), CASE_D, (0, 0, 1, 2, 3, 4, 4)])
def test_from_all_ends_nothing_fills_up(parallel: ModuleType, parents: tuple[int, ...], threads: int) -> None:
    stages = parallel.all_ends(parents, threads)
    assert sorted(joint for stage in stages for task in stage for joint in task) == list(range(len(parents)))
    assert parallel.planned(parents, stages).fill == 0
    assert max(len(task) for task in stages[0]) <= len(parents) * 2 // 3


def test_tasks_of_a_stage_touch_no_joint_of_another(parallel: ModuleType) -> None:
    for parents in (chain(200), comb(200), binary(200), CASE_D):
        for stages in (parallel.rounds(parents), parallel.all_ends(parents, 2)):
            order = parallel.planned(parents, stages)
            first, neighbour = order.arrays[3], order.arrays[4]
            gone: set[int] = set()
            for stage in stages:
                for task in stage:
                    others = {joint for other in stage if other is not task for joint in other}
                    for joint in task:
                        assert others.isdisjoint(neighbour[first[joint] : first[joint + 1]])
                gone.update(joint for task in stage for joint in task)
            assert len(gone) == len(parents)


@pytest.mark.more
def test_operations_on_the_page_are_those_of_generated_code(parallel: ModuleType) -> None:
    """Not more than is told, and not less than 95 per cent of it: by four threads, and in parts of single bodies."""
    page = (BENCHMARKS.parents[1] / "docs" / "constraint_forces.md").read_text(encoding="utf-8").splitlines()
    ways = []
    for row in parallel.parallel_generated.counted(chain(100), (4,)):
        *what, every, longest, waits, _ = (cell.strip() for cell in row.split("|")[1:-1])
        (told,) = (line for line in page if line.startswith(f"| {' | '.join(what)} |"))
        *_, told_every, told_longest, told_waits, _ = (cell.strip() for cell in told.split("|")[1:-1])
        assert 0.95 * int(told_longest) <= int(longest) <= int(told_longest) and waits == told_waits
        assert 0.95 * int(told_every) <= int(every) <= int(told_every)
        ways.append(int(longest))
    recursion, four, single = ways
    assert four < 0.48 * recursion and single < 0.4 * recursion

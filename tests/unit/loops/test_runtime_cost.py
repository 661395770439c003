"""Operations that are declared of the runtime's C text are those that it has."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

from mbsym.loops.runtime_cost import RuntimeCost
from mbsym.symbolic.program import OperationCount
from mechanisms.loop_runtime import Terms, compiled

SIZES = ((1, 3), (2, 3), (5, 9), (15, 21))


def counting(text: str) -> str:
    """The text with every statement on real numbers counting its additions, multiplications, divisions and roots."""
    lines = []
    for line in text.split("\n"):
        head, loop, statement = re.fullmatch(r"(\s*)(for \([^()]*\) )?(.*)", line).groups()  # type: ignore[union-attr]
        bare = statement
        while "[" in bare:
            bare = re.sub(r"\[[^\[\]]*\]", "", bare)
        counts = [len(re.findall(pattern, bare)) for pattern in (r" [-+]=? ", r" \*=? ", r" /=? ", r"M_SQRT\(")]
        if statement.endswith(";") and head and any(counts):
            added = "".join(f"M_counts[{kind}] += {count}; " for kind, count in enumerate(counts) if count)
            statement = f"{{ {added}{statement} }}" if loop else f"{added}{statement}"
        lines.append(f"{head}{loop or ''}{statement}")
    return "\n".join(lines)


@pytest.mark.parametrize(("rows", "speeds"), SIZES)
def test_declared_operations_are_those_of_a_counted_run(rows: int, speeds: int, tmp_path: Path) -> None:
    jacobian = np.random.default_rng(0).normal(size=(rows, speeds))
    numbers = Terms.of_rows(jacobian, np.ones(rows)).packed
    library = compiled(tmp_path, rows, speeds, change=counting)
    counts = (ctypes.c_long * 4).in_dll(library, "M_counts")
    room = [np.zeros(len(numbers) + 6) for _ in range(4)]
    declared = RuntimeCost(rows, speeds)

    def counted(name: str, *arrays: np.ndarray) -> OperationCount:
        counts[:] = [0] * 4
        getattr(library, f"M_{name}")(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))
        return OperationCount(add=counts[0], mul=counts[1], div=counts[2], sqrt=counts[3])

    a, b, c, d = room
    steps, rank = np.zeros(1, np.intc), np.zeros(1, np.intc)
    assert counted("project_position_report", numbers, a, b, steps) == declared.position_step
    assert steps[0] == 1
    assert counted("project_velocity", numbers, a, b) == declared.velocity
    assert counted("constrained_dynamics_report", numbers, a, b, c, d, rank, room[0]) == declared.dynamics
    assert rank[0] == rows
    assert counted("forward_dynamics", numbers, a, b, c) == declared.dynamics
    assert counted("joint_wrenches", numbers, a, b, c) == declared.dynamics
    squares, oblongs = ([np.zeros(size) for _ in range(3)] for size in (speeds * speeds, rows * speeds))
    found = counted("constrained_dynamics_derivatives", numbers, a, b, *squares, *oblongs)
    assert found == declared.derivatives
    assert counted("stabilised_dynamics", numbers, a, b, np.ones(2), c, d) == declared.stabilised

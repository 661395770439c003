"""Operations that are counted of a routine's text are those that its C text has while it runs."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

from mbsym.codegen.routines.counts import count_operations
from mbsym.symbolic.program import OperationCount
from mechanisms.loop_runtime import Terms, compiled, routine

SIZES = ((1, 3), (2, 3), (5, 9), (15, 21))


def whole_lines(text: str) -> list[str]:
    """Statements on a line each, however they were broken."""
    lines: list[str] = []
    for line in text.split("\n"):
        if lines and lines[-1].startswith(" ") and not re.search(r"[;{}/]$", lines[-1]):
            lines[-1] = f"{lines[-1]} {line.strip()}"
        else:
            lines.append(line)
    return lines


def counting(text: str) -> str:
    """The text with statements that count their additions, multiplications, divisions, roots and sizes of numbers."""
    lines = []
    for line in whole_lines(text):
        head, loop, statement = re.fullmatch(r"(\s*)(for \([^()]*\) )?(.*)", line).groups()  # type: ignore[union-attr]
        bare = statement
        while "[" in bare:
            bare = re.sub(r"\[[^\[\]]*\]", "", bare)
        counts = [
            len(re.findall(pattern, bare)) for pattern in (r" [-+]=? ", r" \*=? ", r" /=? ", r"\bsqrt\(", r"\bfabs\(")
        ]
        added = "".join(f"M_counts[{kind}] += {count}; " for kind, count in enumerate(counts) if count)
        if added and head and re.match(r"if \(", statement):
            statement = f"{added}{statement}"
        elif added and head and statement.endswith(";"):
            statement = f"{{ {added}{statement} }}" if loop else f"{added}{statement}"
        lines.append(f"{head}{loop or ''}{statement}")
    return "\n".join(lines)


@pytest.mark.parametrize(("rows", "speeds"), SIZES)
def test_declared_operations_are_those_of_a_counted_run(rows: int, speeds: int, tmp_path: Path) -> None:
    jacobian = np.random.default_rng(0).normal(size=(rows, speeds))
    numbers = Terms.of_rows(jacobian, np.ones(rows)).packed
    library = compiled(tmp_path, rows, speeds, change=counting)
    counts = (ctypes.c_long * 5).in_dll(library, "M_counts")
    room = [np.zeros(len(numbers) + 6) for _ in range(4)]
    text = routine(rows, speeds)

    def counted(name: str, *arrays: np.ndarray) -> OperationCount:
        counts[:] = [0] * 5
        getattr(library, f"M_{name}")(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))
        return OperationCount(add=counts[0], mul=counts[1], div=counts[2], sqrt=counts[3], other=counts[4])

    def told(name: str) -> OperationCount:
        return count_operations(text, name)[0]

    a, b, c, d = room
    steps, rank = np.zeros(1, np.intc), np.zeros(1, np.intc)
    assert counted("project_position_report", numbers, a, b, steps) == told("project_position_report")
    assert steps[0] == 1
    assert counted("project_velocity", numbers, a, b) == told("project_velocity")
    assert counted("constrained_dynamics_report", numbers, a, b, c, d, rank, room[0]) == told(
        "constrained_dynamics_report"
    )
    assert rank[0] == rows
    assert counted("forward_dynamics", numbers, a, b, c) == told("forward_dynamics")
    assert counted("joint_wrenches", numbers, a, b, c) == told("joint_wrenches")
    squares, oblongs = ([np.zeros(size) for _ in range(3)] for size in (speeds * speeds, rows * speeds))
    found = counted("constrained_dynamics_derivatives", numbers, a, b, *squares, *oblongs)
    assert found == told("constrained_dynamics_derivatives")
    assert counted("stabilised_dynamics", numbers, a, b, np.ones(2), c, d) == told("stabilised_dynamics")

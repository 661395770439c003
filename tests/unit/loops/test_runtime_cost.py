"""Operations and arrays that are declared of the runtime's C text are those that it has."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

from mbsym.codegen.environment import fixed_text
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
    declared = RuntimeCost(rows, speeds, len(numbers))

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
    assert counted("stabilised_dynamics", numbers, a, b, np.ones(2), c, d) == declared.stabilised


def arrays_of(text: str, name: str, sizes: dict[str, int]) -> int:
    """Real numbers in the arrays and structures that a function, or the structure, declares."""
    found = re.search(rf"(?:^\w[^;{{}}]*\bM_{name}\([^{{;]*\)\n|typedef struct M_{name} )\{{.*?^\}}", text, re.M | re.S)
    assert found, name
    _, _, body = found.group().partition("{")
    total = 0
    for declaration in re.findall(r"^\s+M_real ([^;=]*\[[^;=]*);", body, re.M):
        for extent in re.findall(r"\[([^\]]*)\]", declaration):
            total += eval(extent, {}, sizes)
    if re.search(r"^\s+M_rows rows;", body, re.M):
        total += arrays_of(text, "rows", sizes)
    return total


def test_declared_arrays_are_those_of_the_text() -> None:
    text = fixed_text("c/loops.c", "M_")
    m, n, q = 4, 7, 9
    sizes = {"M_NR": m, "M_NV": n, "M_NQ": q}
    declared = RuntimeCost(m, n, q)
    solver = ("solve", "remove_unanswered")
    for calls, expected in (
        (("constrained_dynamics", "loop_dynamics", *solver), declared.dynamics_reals),
        (("forward_dynamics", "loop_dynamics", *solver), declared.forward_reals),
        (("joint_wrenches", "loop_dynamics", *solver), declared.wrenches_reals),
        (("project_position", "project_position_report", *solver), declared.position_reals),
        (("project_velocity", *solver), declared.velocity_reals),
    ):
        assert sum(arrays_of(text, name, sizes) for name in calls) == expected, calls

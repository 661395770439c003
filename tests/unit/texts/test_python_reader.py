"""NumPy read back: kernels, public functions, and what is kept to be compared."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mbsym.errors import TextError
from mbsym.texts.machine import Arithmetic, Machine, View
from mbsym.texts.python_reader import AS_CALLED, read_python

SOURCE = '''
"""A module."""
import math

_table = ((0, 1), (1, 0))


def f(q, parameters=None):
    """What it is."""
    arguments = (
        ("q", q, (3,)),
        ("m", parameters.m, ()),
    )
    return _evaluate(_f, arguments, ((2,),))[0]


def _f(function, q, m):
    sin = function.sin
    memory = [0.0] * 4
    memory[0:2] = _step(function, q[1:3])[0]
    for k in range(2):
        row = _table[k]
        memory[row[0]:row[0] + 4:2] = (memory[row[1]], m)
    out = (sin(q[0]) - memory[0] - memory[2], -m if m > 0 else function.min(m, 1.0))
    return (out,)


def _step(function, x):
    at = 0
    while at < 1:
        at = at + 1
    return ((x[0], 2.5*x[at]),)


def _evaluate(kernel, arguments, shapes):
    with something:
        return kernel
'''


def test_a_kernel_is_followed_and_a_public_function_hands_to_it() -> None:
    module = read_python(SOURCE)
    machine = Machine(module.text, Arithmetic(lambda number: number.value, {"sin": lambda x: x * 10, "fmin": min}))
    q = View([Fraction(k) for k in (1, 2, 3)])
    ((first, second),) = machine.call("f", [q, Fraction(7)])
    # Memory: (2, 7.5), then [0] = 7.5, [2] = 7, then [1] = 7.5, [3] = 7.
    assert first == 10 - Fraction(15, 2) - 7 and second == -7
    assert [item.name for item in module.text.functions["f"].arguments] == ["q", "parameters.m"]
    assert "_evaluate" in module.unread and f"f{AS_CALLED}" in module.unread


def test_comments_and_documentation_change_nothing_and_code_does() -> None:
    before = read_python(SOURCE)
    same = read_python(SOURCE.replace("What it is.", "Something else.").replace("at = 0\n", "at = 0  # here\n"))
    assert (before.text.functions, before.unread) == (same.text.functions, same.unread)
    other = read_python(SOURCE.replace("with something", "with another"))
    assert other.unread["_evaluate"] != before.unread["_evaluate"]
    other = read_python(SOURCE.replace("((2,),))[0]", "((2,),))[1]"))
    assert other.unread[f"f{AS_CALLED}"] != before.unread[f"f{AS_CALLED}"]


def test_what_is_no_python_is_told_with_its_line() -> None:
    with pytest.raises(TextError, match="line 2: no Python"):
        read_python("x = 1\ny = = 2\n")

"""Texts become lists of operations; what has none is refused with its line."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mbsym.errors import TextError
from mbsym.rounding.recording import record
from mbsym.rounding.samples import evaluated
from mbsym.texts.c_reader import read_c
from mechanisms.small_texts import small_tape

WHOLE = """
#include <math.h>
typedef double T_real;
typedef struct { T_real l; T_real m; } T_parameters;
static const T_real T_table[3] = {0.5, 1.5, -2.25};
enum { T_N = 3 };

static T_real twice(const T_real x)
{
    return x + x;
}

static void filled(T_real a[T_N], const T_real by)
{
    for (int k = 0; k < T_N; ++k) {
        a[k] = T_table[k]*by;
    }
}

void f(const T_parameters *parameters, const T_real x[2], T_real t, T_real y[4])
{
    T_real a[T_N];
    T_real sum = 0.0;
    filled(a, x[0]);
    for (int k = T_N - 1; k >= 0; --k) {
        if (k % 2 == 0) {
            sum += a[k];
        } else {
            sum -= twice(a[k]);
        }
    }
    y[0] = sum;
    y[1] = T_N > 2 ? parameters->l/parameters->m : x[1];
    y[2] = -0.75;
    y[3] = fabs(x[1]) - sqrt(t);
}
"""


def test_loops_calls_and_tables_are_followed() -> None:
    tape = record(read_c(WHOLE), "f")
    assert tape.inputs == ("parameters.l", "parameters.m", "x[0]", "x[1]", "t")
    assert [*tape.outputs] == ["y[0]", "y[1]", "y[2]", "y[3]"]
    states = np.array([[3.0, 1.0], [2.0, 4.0], [0.5, -2.0], [-5.0, 7.0], [4.0, 9.0]])
    x = states[2]
    wanted = [-2.25 * x - 2 * 1.5 * x + 0.5 * x, states[0] / states[1], [-0.75, -0.75], np.abs(states[3]) - [2.0, 3.0]]
    assert np.array_equal(evaluated(tape, states), np.array(wanted))


def test_a_constant_is_its_decimal() -> None:
    tape = small_tape("y[0] = 0.1*x[0];", 1)
    (value,) = (step.value for step in tape.steps if step.kind == "constant")
    assert value == Fraction(1, 10) and tape.steps[-1].line == 6


def test_what_nothing_is_made_of_is_not_used() -> None:
    assert small_tape("y[0] = x[2];", 4).used() == (False, False, True, False)


@pytest.mark.parametrize(
    ("body", "what", "line"),
    [
        ("y[0] = x[0] > 0.0 ? x[0] : x[1];", "a comparison of computed numbers decides what is done", 6),
        ("if (x[0] < x[1]) { y[0] = 1.0; }", "a comparison of computed numbers decides what is done", 6),
        (
            "T_real a = x[0];\nwhile (a > 1.0) { a = a*0.5; }\ny[0] = a;",
            "a comparison of computed numbers decides what is done",
            7,
        ),
        ("y[0] = exp(x[0]);", "exp is no function that is known", 6),
        ("y[0] = 0.1f*x[0];", "0.1f is of another type", 6),
        ("T_real a[2];\ny[0] = a[1];", "entry 1 is read before it is written", 7),
        ("y[0] = x[4];", "entry 4 is outside of an array", 6),
        ("for (int k = 0; k >= 0; ++k) { y[0] = x[0]*x[1]; }", "more than 100000 operations", 6),
    ],
)
def test_what_is_no_list_of_operations_is_refused(body: str, what: str, line: int) -> None:
    with pytest.raises(TextError) as caught:
        small_tape(body, 2)
    assert what in caught.value.what and caught.value.where == f"line {line}"


def test_a_result_that_is_never_stored_is_refused() -> None:
    with pytest.raises(TextError, match="entry 1 is read before it is written"):
        small_tape("y[0] = x[0];", 1, 2)


def test_many_turns_are_one_where_sines_alone_are_taken() -> None:
    tape = small_tape("y[0] = sin(x[0])*cos(x[1])*x[1] + sin(x[2] + x[3]) + cos(x[4]);", 5)
    low, high = tape.one_turn([-9.0] * 4 + [-1.0], [9.0] * 4 + [1.0])
    assert low[0] < -np.pi < np.pi < high[0] < 3.15
    assert (low[1:], high[1:]) == ((-9, -9, -9, -1), (9, 9, 9, 1))
    assert small_tape("y[0] = sin(x[0]);\ny[1] = x[0];", 1, 2).one_turn([-9.0], [9.0]) == ((-9,), (9,))

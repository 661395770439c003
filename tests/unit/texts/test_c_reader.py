"""C read back: the subset that is emitted, and what it refuses."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mbsym.errors import TextError
from mbsym.texts.c_reader import read_c
from mbsym.texts.machine import Arithmetic, Machine, View
from mbsym.texts.representation import For, Function, Let, Number, Operation, Return

HEADER = """
#ifndef H
#define H
typedef double x_real;
enum { x_N = 3, x_M }; /* one follows */
enum x_status { x_OK = 0, x_BAD = 4 };
static const x_real x_limit[2] = {1.5, -2.5e-1};
#define x_two 2
#define x_HALF(a) ((a) / 2.0)
#endif
"""
RATIONAL = Arithmetic(lambda number: number.value, {"fabs": abs})


def run(body: str, *arguments: object, formals: str = "", defined: dict[str, str] | None = None) -> object:
    text = read_c(f'#include "x.h"\nx_real f({formals})\n{{ {body} }}', {"x.h": HEADER}, defined)
    return Machine(text, RATIONAL).call("f", arguments)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("return 1.0 - 2.0 - 3.0;", Fraction(-4)),
        ("return 1.0 - (2.0 - 3.0);", Fraction(2)),
        ("return 2.0*3.0/4.0*5.0;", Fraction(15, 2)),
        ("return -2.0*3.0 + 1e-1;", Fraction(-59, 10)),
        ("return 7 / 2 + x_M;", Fraction(7)),
        ("return -7 / 2;", Fraction(-3)),
        ("return x_two * x_HALF(1.0 + 2.0);", Fraction(3)),
        ("return x_limit[1];", Fraction(-1, 4)),
        ("x_real a[2] = {1.0}; return a[0] + a[1];", Fraction(1)),
        ("x_real t = 0.0; for (int i = 0; i < x_N; ++i) { t += 0.5 * i; } return t;", Fraction(3, 2)),
        ("x_real t = 1.0; for (int i = 4; i >= 0; --i) { if (i == 2) { break; } t *= 2.0; } return t;", Fraction(4)),
        ("int i = 0; while (i < 5 && !(i == 3)) { i += 1; } return (x_real)i;", Fraction(3)),
        ("return 1.0 < 2.0 ? 3.0 : 4.0;", Fraction(3)),
        ("const x_real a = fabs(-2.0); (void)a; return a;", Fraction(2)),
        ("return 1 + 2 << 1 == 6 ? 1.0 : 0.0;", Fraction(1)),
    ],
)
def test_expressions_mean_what_they_mean_in_c(body: str, value: Fraction) -> None:
    assert run(body) == value


def test_pointers_share_memory_and_numbers_of_records_are_read_and_written() -> None:
    text = read_c(
        """
        typedef double r;
        typedef struct rows { r a[2]; int rank; } rows;
        static void fill(r *x, int n) { for (int i = 0; i < n; ++i) { x[i] = 2.0 * i; } }
        static int rank(rows *all) { all->rank = 2; fill(all->a, 2); return all->rank; }
        int f(const r q[4], r out[restrict 4])
        {
            rows all;
            const int found = rank(&all);
            fill(&out[1], 3);
            out[0] = all.a[1] + q[3];
            return found + all.rank;
        }
        """
    )
    out = View([None] * 4)
    assert Machine(text, RATIONAL).call("f", [View([Fraction(k) for k in range(4)]), out]) == 4
    assert out.cells == [5, 0, 2, 4]


def test_macros_choose_and_vectors_go_lane_by_lane() -> None:
    source = """
    #if defined(__GNUC__) && (W > 1 || 0)
    typedef double v __attribute__((vector_size(2 * sizeof(double))));
    #define BOTH(a, b) {(a), (b)}
    double f(double x) { const v t = BOTH(x, 2.0); const v u = 3.0*t - t[0]; return u[0] * u[1]; }
    #elif !defined(OTHER)
    double f(double x) { return x; }
    #else
    #error never
    #endif
    """
    for defined, expected in (({"__GNUC__": "1", "W": "2"}, 10), ({}, 5)):
        assert Machine(read_c(source, {}, defined), RATIONAL).call("f", [Fraction(5)]) == expected


def test_the_representation_keeps_texts_of_numbers_order_and_lines() -> None:
    text = read_c("double f(double x)\n{\n    const double t = 0.10*x + 1e5f;\n    return t;\n}\n")
    function = text.functions["f"]
    assert isinstance(function, Function) and [item.name for item in function.arguments] == ["x"]
    let, leave = function.body
    assert isinstance(let, Let) and let.line == 3 and isinstance(leave, Return)
    assert isinstance(let.value, Operation) and let.value.operator == "+"
    (product, last) = let.value.operands
    assert isinstance(product, Operation) and product.operands[0] == Number(Fraction(1, 10), "0.10")
    assert last == Number(Fraction(100000), "1e5f")
    # Lines and comments change nothing.
    assert (
        text.functions == read_c("/* a */ double f(double x) { const double t = 0.10*x + 1e5f; return t; }").functions
    )


def test_a_loop_that_counts_is_one() -> None:
    text = read_c("void f(double x[2]) { for (int i = 0; i < 2; i += 1) { x[i] = 1.0; } }")
    (loop,) = text.functions["f"].body
    assert isinstance(loop, For) and loop.variable == "i" and loop.step == Number(Fraction(1), "1", is_integer=True)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("double f(void) { return 1.0 @ 2.0; }", "line 1: '@' is no word of C"),
        ("double f(void) { goto end; }", "; is missing before 'end'"),
        ("double f(void)\n{ return (1.0; }", "line 2"),
        ("#if 1\ndouble f(void) { return 1.0; }", "an #if has no #endif"),
        ("double f(void) { return 1.0; }\ndouble f(void) { return 2.0; }", "f stands there twice"),
        ("#warning now\n", "emitted texts have no such directive"),
        ("double f(void) { 1.0 = 2.0; }", "nothing can be stored there"),
    ],
)
def test_what_no_emitted_text_holds_is_refused(source: str, message: str) -> None:
    with pytest.raises(TextError, match=message.replace("(", r"\(")):
        read_c(source)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x_real a[2]; return a[1];", "entry 1 is read before it is written"),
        ("x_real a[2] = {0.0}; return a[2];", "entry 2 is outside of an array"),
        ("return b;", "b is no name of the text"),
        ("return none(1.0);", "none is no function that is known"),
        ("return x_limit[0.5];", "an index is no whole number"),
    ],
)
def test_what_cannot_be_followed_is_told_with_its_line(body: str, message: str) -> None:
    with pytest.raises(TextError, match=f"f, line 3: {message}"):
        run(body)

"""How symbols, numbers and long formulas are set, in MathML and in LaTeX."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
import sympy as sp

from mbsym.report.latex import Latex, plain
from mbsym.report.mathml import MathML
from mbsym.report.numerals import with_decimals
from mbsym.report.rows import broken_rows, text_width
from mbsym.report.symbols import SymbolParts, symbol_parts

a, b, c, x = sp.symbols("a b c x")
q1, v_elbow, vdot_elbow = sp.symbols("q_1 v_elbow vdot_elbow")
WRITERS = (MathML(), Latex())


def words(mathml: str) -> str:
    """The text of MathML content, which must be well formed."""
    return "".join(ElementTree.fromstring(f"<math>{mathml}</math>").itertext())


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("q_elbow", ("q", 0, "elbow")),
        ("vdot_left_knee", ("v", 1, "left knee")),
        ("xddot", ("x", 2, "")),
        ("l1", ("l", 0, "1")),
        ("Ixx12", ("Ixx", 0, "12")),
        ("w2_x", ("w", 0, "2x")),
        ("theta", ("theta", 0, "")),
        ("dot", ("dot", 0, "")),
        ("_x", ("_x", 0, "")),
        ("A_1,2", ("A", 0, "1,2")),
    ],
)
def test_parts_of_symbols(name: str, parts: tuple[str, int, str]) -> None:
    assert symbol_parts(name) == SymbolParts(*parts)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (sp.Rational(981, 100) * a, "9.81*a"),
        (sp.Rational(981, 200) * a * sp.sin(x) + b / 2, "4.905*a*sin(x) + b/2"),
        (a / 3 + sp.Rational(3, 4), "a/3 + 3/4"),
        (a ** sp.Rational(1, 20), "a**(1/20)"),
        (sp.sqrt(a + sp.Rational(1, 20)), "sqrt(a + 0.05)"),
        (sp.Rational(10**20 + 1, 3 * 10**20) * a, "0.333333333333*a"),
        (sp.Rational(4, 100000) * a, "4.0e-5*a"),
        (123456789 * a, "123456789*a"),
    ],
)
def test_decimals(value: sp.Expr, text: str) -> None:
    assert sp.sstr(with_decimals(value), full_prec=False) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (a * b / 2, "1 2 ab"),
        (-a * sp.cos(q1), "−a cos q1"),
        (a * (b + c), "a(b+c)"),
        ((b + c) * sp.sin(q1) * a, "a(b+c) sin q1"),
        (v_elbow**2, "velbow2"),
        (vdot_elbow, "v˙elbow"),
        (sp.cos(q1) ** 2, "cos2 q1"),
        (sp.sin(q1 + x), "sin(q1+x)"),
        (a / b, "ab"),
        (-1 / (a + b), "−1a+b"),
        (sp.Rational(-1, 2), "−12"),
        (sp.sqrt(a * b), "ab"),
        ((a + b) ** 2, "(a+b)2"),
        (sp.Symbol("omega"), "ω"),
        (sp.Rational(4, 100000), "4·10−5"),
        (sp.Max(a, sp.tanh(b)), "max(a,tanh(b))"),
        (sp.pi * a, "πa"),
    ],
)
def test_mathml_reads_in_order(value: sp.Expr, text: str) -> None:
    shown = re.sub(r"[\u2061\u2062\s]", "", words(MathML().expression(value)))
    assert shown == re.sub(r"\s", "", text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (a * b / 2, r"\frac{1}{2} a b"),
        (a * (b + c) * sp.sin(v_elbow), r"a \left(b + c\right) \sin v_{\mathrm{elbow}}"),
        (vdot_elbow**2, r"\dot{v}_{\mathrm{elbow}}^{2}"),
        (sp.Rational(981, 100) * sp.cos(a - b), r"9.81 \cos\left(a - b\right)"),
        (sp.Symbol("theta_1") / a, r"\frac{\theta_{1}}{a}"),
        (sp.Symbol("m_cart"), r"m_{\mathrm{cart}}"),
        (sp.Symbol("push"), r"\mathit{push}"),
        (sp.Matrix([[a, 0], [0, b]]), r"\left[\begin{array}{cc} a & 0 \\ 0 & b \end{array}\right]"),
        (sp.Rational(4, 100000) * a, r"4 \cdot 10^{-5} a"),
        (sp.Symbol("q_a%b"), r"q_{\mathrm{a\%b}}"),
    ],
)
def test_latex(value: sp.Expr, text: str) -> None:
    assert Latex().expression(value) == text


def test_piecewise_in_both() -> None:
    value = sp.Piecewise((a, x > 0), (b, True))
    assert words(MathML().expression(value)) == "{ax>0botherwise"
    assert Latex().expression(value) == r"\begin{cases} a & x > 0 \\ b & \text{otherwise} \end{cases}"


@pytest.mark.parametrize("writer", WRITERS, ids=["mathml", "latex"])
def test_unknown_functions_and_names_are_escaped(writer: MathML | Latex) -> None:
    hostile = sp.Symbol("<script>&") + sp.Function("f<g>")(a) + sp.Symbol(r"\input{x}")
    shown = writer.expression(hostile)
    if isinstance(writer, MathML):
        assert "<script>" not in shown and "<script>&" in words(shown)
    else:
        assert r"\input" not in shown and r"\textbackslash{}input\{x\}" in shown


def test_plain_text_has_no_commands_left() -> None:
    assert plain("50% of $x_1 & #2 \\ {a}~^") == (
        r"50\% of \$x\_1 \& \#2 \textbackslash{} \{a\}\textasciitilde{}\textasciicircum{}"
    )


def long_formula() -> sp.Expr:
    inner = sum(sp.Symbol(f"m_{k}") * sp.cos(sp.Symbol(f"q_{k}")) for k in range(12))
    return (
        sp.sin(x) * a * (inner + b * (inner - c * (2 * inner + 1))) - sp.Rational(1, 2) * inner + (a + b) * (inner + c)
    )


@pytest.mark.parametrize("width", [30, 60, 110])
def test_rows_hold_the_whole_formula_in_order(width: float) -> None:
    """Rows set one after another are what SymPy reads back as the same expression."""
    value = long_formula()
    rows = broken_rows(value, width)
    text = ""
    for row in rows:
        for k, piece in enumerate(row):
            if piece.kind == "open":
                text += "*("
            elif piece.kind == "close":
                text += ")"
            else:
                assert piece.value is not None
                trailing = k > 0 and row[k - 1].kind == "close" and not piece.sign
                text += ("*" if trailing else piece.sign) + f"({piece.value})"
    assert sp.expand(sp.sympify(text) - value) == 0
    assert len(rows) > 2
    assert max(sum(piece.width for piece in row) for row in rows) <= 1.6 * width or width < 40
    assert all(row[0].sign for row in rows[1:])


def test_short_formulas_are_one_row() -> None:
    value = a * (b + c) * sp.sin(x) - 3
    ((piece,),) = broken_rows(value, 80)
    assert piece.value == value and text_width(value) < 20


def test_each_row_of_mathml_is_well_formed() -> None:
    for row, depth in MathML().rows(long_formula(), 60):
        assert words(row) and depth >= 0
    first, *others = Latex().rows(long_formula(), 60)
    assert not first[0].startswith("+") and all(row.startswith(("+", "-")) for row, _ in others)

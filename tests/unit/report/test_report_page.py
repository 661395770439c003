"""The report as a page: pictures, formulas to copy, short symbols."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

import mbsym
from mbsym.loops.assembly import assemble
from mbsym.registry import available_functions
from mbsym.report.document import document
from mbsym.report.equations import Equations, derive
from mbsym.report.formulas import FormulaWriter
from mbsym.report.latex import Latex
from mbsym.report.mathml import MathML
from mbsym.report.reader_symbols import reader_symbols
from mbsym.report.sections import Entries, Section
from mbsym.report.show import pictures
from mbsym.symbolic.interpret import interpret
from mbsym.visualisation.posing import poses_at
from mechanisms.javascript import run_node
from mechanisms.trees import tree_model


@cache
def equations(name: str) -> Equations:
    return derive(name)


@cache
def page(name: str) -> ElementTree.Element:
    """All its elements are closed but the two empty ones of the head."""
    return ElementTree.fromstring(re.sub(r"<!DOCTYPE html>|<meta [^>]*>", "", document(equations(name), "html")))


def test_copies_are_the_formulas_in_three_languages() -> None:
    tree = page("cart_pole")
    texts = json.loads(next(str(each.text) for each in tree.iter("script") if each.get("id") == "copies"))
    places = [int(each.get("data-copy", "")) for each in tree.iter("div") if each.get("class") == "copy"]
    assert sorted(places) == list(range(len(texts)))
    assert [
        r"M_{12} = \frac{1}{2} l m_{\mathrm{pole}} \cos q_{2}",
        "M_1_2 = l*m_pole*cos(q_hinge)/2",
        "const double M_1_2 = (1.0/2.0)*l*m_pole*cos(q[1]);",
    ] in texts
    found = equations("cart_pole")
    names = {str(symbol): symbol for symbol in found.mass_matrix.free_symbols}
    copied = dict(python.split(" = ", 1) for _, python, _ in texts)
    assert sp.sympify(copied["M_2_2"], locals=names) == found.mass_matrix[1, 1]
    assert copied["T"] == "sympy.Matrix([[-1, -1], [0, -1]])"


STAND_IN = """
class HTMLDetailsElement {}
const asked = {}, made = () => ({
  dataset: {}, classList: {}, children: [], append(...items) { this.children.push(...items); },
  addEventListener(event, answer) { asked[event] = answer; },
});
const sections = SECTIONS.map(id => Object.assign(new HTMLDetailsElement(), {id, open: false}));
const places = PLACES.map(copy => ({...made(), dataset: {copy}}));
const known = {copies: {textContent: COPIES}, fold: made(), shade: made()};
const document = {
  documentElement: made(), createElement: made, querySelector: made,
  getElementById: id => known[id] || sections.find(each => each.id === id) || null,
  querySelectorAll: which => ({"details.section": sections, ".copy": places})[which] || [],
};
const window = made(), matchMedia = made, location = {hash: HASH};
"""
"""A browser, as far as the page's script needs one to start."""


def started(name: str, end: str, section: str = "") -> Any:
    """What an expression says after a browser has opened the page, at a section if one is named."""
    scripts = [str(each.text) for each in page(name).iter("script")]
    given = {
        "SECTIONS": [each.get("id") for each in page(name).iter("details") if each.get("class") == "section"],
        "PLACES": [each.get("data-copy") for each in page(name).iter("div") if each.get("class") == "copy"],
        "COPIES": scripts[-2],
        "HASH": f"#{section}" if section else "",
    }
    browser = re.sub("|".join(given), lambda found: json.dumps(given[found.group()]), STAND_IN)
    return json.loads(run_node(f"{browser}(() => {{{scripts[-1]}\nconsole.log(JSON.stringify({end})); }})();"))


def test_there_is_a_button_for_each_text_which_says_its_language() -> None:
    texts, titles = started("cart_pole", "[texts, places.map(each => each.children.flatMap(made => made.title || []))]")
    assert [] not in titles and ["Copy as LaTeX", "Copy as Python", "Copy as C"] in titles
    assert sorted(map(len, titles)) == sorted(len([*filter(None, each)]) for each in texts)


def test_a_link_opens_the_section_that_it_leads_to() -> None:
    opened = "sections.filter(each => each.open).map(each => each.id)"
    assert started("cart_pole", opened) == []
    assert started("cart_pole", opened, "mass_matrix") == ["mass_matrix"]
    later = f'(location.hash = "#bias_force", asked.hashchange(), {opened})'
    assert started("cart_pole", later, "mass_matrix") == ["mass_matrix", "bias_force"]


def test_equations_have_two_sides_or_no_sign() -> None:
    found = ["".join(each.itertext()) for each in page("cart_pole").iter("div") if each.get("class") == "equation"]
    assert found and all(text == text.strip("=") for text in found)


@pytest.mark.parametrize("name", ["puma560", "five_bar"])
def test_the_mechanism_is_drawn_where_it_starts(name: str) -> None:
    """Body frames are those of the generated functions, with loops closed."""
    mechanism = equations(name).mechanism
    program = available_functions(mechanism, "auto").every["body_poses"](mechanism)
    q = assemble(mechanism).q
    expected = interpret(program, {"q": q})["poses"]
    assert np.abs(expected - poses_at(mechanism, q)).max() < 1e-12, "round-off of sines and products"


def test_pictures_are_on_the_page() -> None:
    tree = page("five_bar")
    (still,) = (each for each in tree.iter("div") if each.get("class") == "still")
    assert still[0].tag.endswith("svg")
    (frame,) = tree.iter("iframe")
    assert str(frame.get("srcdoc")).startswith("<!DOCTYPE html>")
    assert [each.get("id") for each in tree.iter("figure")] == ["mechanism", "topology"]


def test_what_is_larger_than_a_picture_has_none() -> None:
    mechanism = equations("five_bar").mechanism
    assert pictures(mechanism, most=2).turning == "" and pictures(mechanism, most=4).turning


# ---- short symbols ---------------------------------------------------------------------------------------------------


def test_long_names_are_short_in_formulas_and_told_once() -> None:
    latex = document(equations("cart_pole"), "latex-fragment")
    assert r"\cos q_{2}" in latex and "q_{\\mathrm{hinge}}" not in latex
    assert latex.count(r"q\_hinge") == 1
    assert r"\(q_{2}\) & q\_hinge & q[1] & hinge & rad \\" in latex
    assert r"\(m_{\mathrm{cart}}\) & 1 & kg \\" in latex
    assert "<mi>q</mi><mn>2</mn>" in document(equations("cart_pole"), "html")
    assert "cos(q_hinge)" in document(equations("cart_pole"), "text")


def test_sums_of_angles_are_named_once() -> None:
    of = derive("planar_3r")
    for language, name, told in (
        ("latex-fragment", r"\cos q_{23}", r"\(q_{23}\) & q\_2 + q\_3 \\"),
        ("html", "<mi>q</mi><mn>23</mn>", "q_2 + q_3"),
    ):
        text = document(of, language, ("mass_matrix",))
        assert name in text and text.count(told) == 1
        assert r"\left(q_{2} + q_{3}\right)" not in text.partition("copies")[0]
    many = derive(tree_model(range(10), ("revolute",) * 10), symbolic_parameters="none")
    last = sum(many.coordinates[8:])
    shown = Section("sum", "Sum", items=(Entries("x", {(): sp.sin(last)}),))
    assert str(reader_symbols(many, (shown,))[last]) == "q_9,10"


def test_short_names_and_names_that_the_model_states_stay() -> None:
    assert reader_symbols(equations("four_bar")) == {}
    model = mbsym.load("cart_pole")
    rail, hinge = model.joints
    stated = derive(replace(model, joints=(rail, replace(hinge, coordinates=("theta",), speeds=("omega",)))))
    changed = {str(old): str(new) for old, new in reader_symbols(stated).items()}
    assert changed == {"q_rail": "q_1", "v_rail": "v_1", "vdot_rail": "vdot_1", "tau_rail": "tau_1"}


def test_a_short_symbol_that_means_something_else_is_not_used() -> None:
    model = mbsym.load("cart_pole")
    named = replace(model, parameters=(*model.parameters, mbsym.Parameter("q_1", 1, symbolic=True)))
    assert reader_symbols(derive(named)) == {}


# ---- terms -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("writer", [Latex(), MathML()], ids=["latex", "mathml"])
def test_terms_say_what_the_formula_says(writer: FormulaWriter) -> None:
    a, b, c, x = sp.symbols("alpha beta gamma x")
    value = a * (b * sp.cos(x) + c * sp.sin(x) + a * b * c) - b * sp.cos(x) ** 2 * (a + b * c) * sp.sin(x) + a
    broken = writer.terms(value, 12)
    assert len(broken) == 3 and max(map(len, broken)) > 1
    assert [len(parts) for parts in writer.terms(a, 12)] == [1]
    for opening in ("(", "bigl("):
        joined = "".join(part for parts in broken for part in parts)
        assert joined.count(opening) == joined.count(opening.replace("(", ")").replace("bigl", "bigr"))

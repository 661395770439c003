"""Reports in all formats: exact, complete, safe to open, and the same each time."""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import sympy as sp
from jinja2 import meta, nodes

import mbsym
from mbsym.codegen.environment import environment, template_directory
from mbsym.errors import DerivationError
from mbsym.report.contents import formulation_sections, report_sections
from mbsym.report.document import FORMATS, document
from mbsym.report.equations import Equations, derive
from mbsym.report.sections import Equation, NamedMatrix, Pattern, Steps, Table
from mbsym.report.steps import named_steps
from mbsym.symbolic.equality import compare
from mbsym.symbolic.sympy_bridge import from_sympy_many
from mbsym.testing import assert_same_equations
from mechanisms.examples import further, some

EXAMPLES = ("double_pendulum", "cart_pole", "planar_3r", "four_bar", "spinning_top", "slider_crank")
TEMPLATE = "report/equations.html.jinja"


@cache
def equations(name: str, formulation: str = "auto") -> Equations:
    return derive(name, formulation)


@cache
def text_of(name: str, form: str, formulation: str = "auto") -> str:
    return document(equations(name, formulation), form)


def page(text: str) -> ElementTree.Element:
    """An HTML page as a tree: all its elements are closed but the two empty ones of the head."""
    return ElementTree.fromstring(re.sub(r"<!DOCTYPE html>|<meta [^>]*>", "", text))


# ---- JSON ------------------------------------------------------------------------------------------------------------


def parsed(quantity: dict[str, Any]) -> sp.Matrix:
    """Entries with the steps put in."""
    values: dict[str, sp.Expr] = {}
    for step in quantity["steps"] or ():
        values[step["name"]] = read(step["value"], values)
    return sp.Matrix([[read(entry, values) for entry in row] for row in quantity["entries"]])


def read(text: str, values: dict[str, sp.Expr]) -> sp.Expr:
    names = set(re.findall(r"[A-Za-z_]\w*", text)) - {"sin", "cos", "sqrt", "tanh", "exp", "Abs", "Max", "Min"}
    return sp.sympify(text, locals={name: values.get(name, sp.Symbol(name)) for name in names})


@pytest.mark.parametrize("name", [*EXAMPLES, *further("space_robot")])
def test_json_read_back_is_the_model_exactly(name: str) -> None:
    content = json.loads(text_of(name, "json"))
    found = content["quantities"]
    mine = {key: parsed(found[key]) for key in ("mass_matrix", "bias_force", "gravity_force")}
    assert_same_equations(mine, mbsym.examples.load(name))
    assert content["name"] == name and content["formulation"] == "auto"
    assert content["v"] == [str(x) for x in equations(name).speeds]
    assert set(content["operations"]) >= {"forward_dynamics", "mass_matrix", "joint_wrenches"}
    n = len(content["v"])
    assert found["mass_matrix"]["shape"] == [n, n] and len(found["mass_matrix"]["entries"]) == n


def test_json_of_loops_holds_closure_and_sentences() -> None:
    content = json.loads(text_of("four_bar", "json"))
    assert set(content["quantities"]) >= {"constraint_residual", "constraint_jacobian", "constraint_bias"}
    assert any("planar" in sentence for sentence in content["loops"])
    residual = parsed(content["quantities"]["constraint_residual"])
    jacobian = parsed(content["quantities"]["constraint_jacobian"])
    assert residual.jacobian(sp.Matrix(sp.symbols(content["q"]))) == sp.simplify(jacobian)


@pytest.mark.parametrize("name", ["puma560", "floating_two_arm"])
def test_steps_are_the_program_exactly(name: str) -> None:
    """Every step read back and put into the next gives the values that the derivation gave."""
    found = equations(name)
    form = found.form("bias_force")
    assert not form.is_expanded
    steps = named_steps(form.program, found.symbols)
    graph = form.program.graph
    known: dict[Any, int] = {}
    for ref in (*found.mechanism.q.symbols, *found.mechanism.v.symbols):
        known[sp.Symbol(graph.arguments[ref][0])] = ref
    for parameter in form.program.parameters:
        known[sp.Symbol(parameter.name)] = parameter.symbol
    names: list[str] = []
    for group in steps.groups:
        for left, value in group.steps:
            known[sp.Symbol(left)] = from_sympy_many(graph, [value], known)[0]
            names.append(left)
    outputs = from_sympy_many(graph, steps.outputs, known)
    (output,) = form.program.outputs
    assert (
        compare(form.program, replace(form.program, outputs=(replace(output, values=tuple(outputs)),))).kind == "equal"
    )
    assert len(names) == len(set(names)) and all(each.isidentifier() for each in names)
    assert any(each.startswith("w3_") for each in names)
    assert all(value.count_ops() < 60 for group in steps.groups for _, value in group.steps)


# ---- text ------------------------------------------------------------------------------------------------------------


def test_text_of_a_model_with_an_input() -> None:
    text = text_of("cart_pole", "text")
    assert "h[1] = d*v_rail - l*m_pole*v_hinge**2*sin(q_hinge)/2 - push" in text
    assert "h[2] = -4.905*l*m_pole*sin(q_hinge)" in text
    assert "M(q) vdot + h(q, v) = tau" in text
    assert re.search(r"forward_dynamics +\d+ +1\n", text)


def test_text_of_a_spherical_joint_uses_the_unit_quaternion() -> None:
    for formulation in ("auto", "kane"):
        text = text_of("spinning_top", "text", formulation)
        assert "M[1,1] = I_t\n  M[2,2] = I_t\n  M[3,3] = I_s\n" in text


@pytest.fixture(scope="module")
def loop_without_redundant_rows() -> Equations:
    """A rod from a pendulum to the ground: one closure row, of which nothing is said."""
    pendulum = mbsym.examples.load("double_pendulum")
    rod = mbsym.DistanceConstraint("rod", "ground", "lower_rod", 0.6, (0.3, 0, 0), (0, 0, -0.1))
    found = derive(replace(pendulum, constraints=(rod,)))
    assert found.loop_sentences == () and found.is_closed
    return found


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("text", "M(q) vdot + h(q, v) = tau + G(q)^T lambda,  G(q) vdot = gamma(q, v)"),
        ("latex", r"= \tau + G(q)^{\mathsf T} \lambda, \qquad G(q)\,\dot v = \gamma(q, v)"),
        ("html", "<msup><mi>G</mi><mi mathvariant='normal'>T</mi></msup><mi>λ</mi>"),
        ("json", '"equation": "M(q) vdot + h(q, v) = tau + G(q)^T lambda,  G(q) vdot = gamma(q, v)"'),
    ],
)
def test_a_loop_of_which_nothing_is_said_has_multipliers(
    loop_without_redundant_rows: Equations, form: str, said: str
) -> None:
    text = document(loop_without_redundant_rows, form)
    assert said in text
    assert "vdot + h(q, v) = tau." not in text


def test_a_tree_has_none() -> None:
    for form in FORMATS:
        assert "lambda" not in text_of("double_pendulum", form) and "λ" not in text_of("double_pendulum", form)
    assert json.loads(text_of("double_pendulum", "json"))["equation"] == "M(q) vdot + h(q, v) = tau"


def test_text_of_a_loop_names_what_closes() -> None:
    text = text_of("four_bar", "text")
    assert "closure of joint D" in text and "G(q)^T lambda" in text
    assert "Phi[1] = -l_base*cos(q_A + q_B + q_C)" in text


def test_large_closed_forms_become_named_steps_and_say_so() -> None:
    text = text_of("puma560", "text")
    assert "would fill pages" in text
    assert "  w3_x = w2_x*cos(q_joint3) + w2_y*sin(q_joint3)" in text
    assert "-(-" not in text
    (steps,) = (
        item
        for section in report_sections(equations("puma560"))
        if section.key == "bias_force"
        for item in section.items
        if isinstance(item, Steps)
    )
    assert [len(steps.entries.values), len(steps.groups) > 2] == [6, True]
    assert all(len(line) < 300 for line in text.splitlines() if line.startswith("  t"))


def test_matrix_method_is_available_after_a_large_form() -> None:
    """The raw values are there though nobody would print them."""
    assert equations("puma560").bias_force.shape == (6, 1)


# ---- formulations ----------------------------------------------------------------------------------------------------


def items(name: str, formulation: str, key: str) -> tuple[Any, ...]:
    return next(section.items for section in report_sections(equations(name, formulation)) if section.key == key)


def test_partial_velocities_have_the_pattern_of_the_path_matrix() -> None:
    found = equations("planar_3r", "kane")
    (pattern,) = (item for item in items("planar_3r", "kane", "partial_velocities") if isinstance(item, Pattern))
    path = found.path_matrix
    assert set(pattern.cells) == {(i, j) for i in range(3) for j in range(3) if path[j, i] == -1}
    assert pattern.cells[0, 0] == "w v"
    (prismatic,) = (item for item in items("cart_pole", "kane", "partial_velocities") if isinstance(item, Pattern))
    assert prismatic.cells == {(0, 0): "v", (1, 0): "v", (1, 1): "w v"}


def test_partial_velocities_give_the_mass_matrix() -> None:
    """M_jk = sum of m v_ij . v_ik + w_ij . J w_ik with what the page shows."""
    found = equations("planar_3r", "kane")
    vectors = {item.name: item.value for item in items("planar_3r", "kane", "partial_velocities_closed")}
    masses, inertias = sp.symbols("m1:4"), sp.symbols("I1:4")
    mass = sp.zeros(3, 3)
    for i in range(3):
        for j in range(i + 1):
            for k in range(i + 1):
                v, w = ([vectors.get(f"{letter}_{i + 1},{n + 1}", sp.zeros(3, 1)) for n in (j, k)] for letter in "vw")
                mass[j, k] += masses[i] * v[0].dot(v[1]) + inertias[i] * w[0].dot(w[1])
    assert_same_equations({"mass_matrix": mass}, found.mechanism.model)


@pytest.mark.more
def test_constraint_matrices_are_shown_with_their_sizes_and_the_schedule_with_each_joint_once() -> None:
    pattern, *blocks = items("space_robot", "cfa-serial", "matrix_A")
    assert set(pattern.cells.values()) == {"5x5"} and len(pattern.rows) == 12
    assert all(isinstance(block, NamedMatrix) and block.value.shape == (5, 5) for block in blocks)
    assert {block.name for block in blocks} >= {"A_2,2", "A_2,3", "A_2,4"}  # two joints hold the base
    assert items("space_robot", "cfa-serial", "matrix_C")[0].cells[0, 0] == "6x6"
    (table,) = items("space_robot", "cfa-serial", "level_schedule")
    assert isinstance(table, Table)
    names = [name for row in table.rows for name in row[2].split(", ")]
    assert len(names) == len(set(names)) == 12
    assert "rounds" in text_of("planar_3r", "text", "cfa-serial")


def test_blocks_of_a_small_system_are_those_of_the_algorithm() -> None:
    from mbsym.formulations.constraint_force.matrices import cfa_matrices
    from mbsym.kinematics.mechanism import build_mechanism

    model = mbsym.examples.load("slider_crank")
    shown = {
        item.name: item.value for item in items("slider_crank", "cfa", "matrix_A") if isinstance(item, NamedMatrix)
    }
    mechanism = build_mechanism(model, model.label(), "all")
    matrices = cfa_matrices(mechanism)
    assert len(shown) > 2
    for name, value in shown.items():
        i, j = map(int, name.removeprefix("A_").split(","))
        difference = value - matrices.block("A", i, j)
        point = {symbol: sp.Rational(k + 3, 7) for k, symbol in enumerate(sorted(difference.free_symbols, key=str))}
        assert all(abs(entry) < 1e-12 for entry in difference.subs(point).evalf(30))


TREES = ("cart_pole", "double_pendulum", "planar_3r", "puma560", "spinning_top", "floating_two_arm", "quadruped")


def test_why_there_is_no_constraint_matrix_is_said() -> None:
    text = text_of("double_pendulum", "text", "cfa")
    assert "does not exist, for body upper_rod has no inverse inertia" in " ".join(text.split())


@pytest.mark.parametrize("name", [*TREES[:3], *TREES[4:5], *further(*TREES[3:4], *TREES[5:])])
@pytest.mark.parametrize("formulation", ["cfa", "cfa-serial", "cfa-kkt"])
def test_every_tree_shows_the_system_that_its_forces_solve(name: str, formulation: str) -> None:
    """With A where there is one, else with the accelerations: the block matrices and what they are put together to."""
    sections = {section.key: section for section in formulation_sections(equations(name, formulation))}
    if "constraint_matrices" in sections:
        assert formulation != "cfa-kkt" and {"matrix_A", "matrix_B", "matrix_C"} <= set(sections)
        return
    assert {"acceleration_form", "matrix_I", "matrix_P", "matrix_W"} <= set(sections)
    assert ("matrix_D" in sections) == (name == "puma560")
    (system,) = sections["acceleration_form"].items
    assert isinstance(system, Equation) and system.text.startswith("[ I  -P W ; W^T P^T  D ] [ a ; F_S ]")
    shown = {item.name for section in sections.values() for item in section.items if isinstance(item, NamedMatrix)}
    bodies = len(equations(name).mechanism.bodies)
    assert {f"I_{k},{k}" for k in range(1, bodies + 1)} <= shown or name == "quadruped"  # too large to be shown


@pytest.mark.parametrize("name", ["cart_pole", "double_pendulum", *further("puma560")])
def test_matrices_with_accelerations_have_the_motion_as_their_solution(name: str) -> None:
    """At rest without gravity, under random forces, solved exactly: H^T (a - X^T a_parent) is M^-1 tau."""
    from mbsym.formulations.constraint_force.matrices import matrices_with_accelerations
    from mbsym.kinematics.mechanism import build_mechanism

    model = replace(mbsym.examples.load(name), gravity=(0, 0, 0))
    mechanism = build_mechanism(model, model.label(), "none")
    matrices = matrices_with_accelerations(mechanism)
    point = {f"q_{joint.name}": sp.Rational(k + 1, 3) for k, joint in enumerate(model.joints)}

    def number(letter: str) -> sp.Matrix:
        return sp.Matrix(matrices.to_sympy(letter)).subs(point).evalf(40)

    inertia, p, w, d, h = (number(letter) for letter in ("I", "P", "W", "D", "H"))
    assert number("H_bar") == h  # revolute and prismatic joints alone
    rotors = [k for k in range(mechanism.nv) if mechanism.bodies[k].armature[0]]
    tau = sp.Matrix([sp.Rational(7 * k + 2, 5) for k in range(mechanism.nv)])
    known = sp.Matrix([0 if k in rotors else tau[k] for k in range(mechanism.nv)])
    through = sp.zeros(d.rows, 1)
    for k in rotors:  # a rotor's freedom is the last column of its joint
        through[sum(matrices.column_sizes["W"][: k + 1]) - 1] = tau[k]
    system = sp.BlockMatrix([[inertia, -p * w], [w.T * p.T, d]]).as_explicit()
    right = sp.Matrix([p * h * known, d * through])
    solution = system.LUsolve(right)
    rates = h.T * p.T * solution[: inertia.rows, 0]
    mass = derive(model, symbolic_parameters="none").mass_matrix.subs(point).evalf(40)
    assert (mass * rates - tau).norm() < 1e-25


def test_transfer_matrices_are_shown() -> None:
    text = text_of("planar_3r", "text", "transfer-matrix")
    assert "Element: rigid body (plane)" in text and "Z_end = U_link3*U_link2*U_link1" in text
    assert "link2  link1     elbow     m2  I2  [c2, 0]         [l1, 0]" in text
    with pytest.raises(DerivationError, match="no element for an actuator"):
        text_of("cart_pole", "text", "transfer-matrix")


def test_unknown_names_are_refused() -> None:
    with pytest.raises(DerivationError, match="transfer-matrix"):
        derive("cart_pole", "hamilton")
    with pytest.raises(DerivationError, match="text, latex, html, json"):
        document(equations("cart_pole"), "pdf")
    with pytest.raises(DerivationError, match="mass_matrix"):
        equations("cart_pole").form("matrix")


# ---- LaTeX -----------------------------------------------------------------------------------------------------------

CASES = [
    *((name, "auto") for name in (*EXAMPLES, "puma560")),
    *(("planar_3r", form) for form in ("kane", "lagrange", "cfa", "cfa-serial", "transfer-matrix")),
    ("slider_crank", "cfa"),
    ("four_bar", "transfer-matrix"),
]


@pytest.mark.parametrize(("name", "formulation"), some(CASES, CASES[::2]))
def test_latex_is_balanced(name: str, formulation: str) -> None:
    text = re.sub(r"\\begin\{verbatim\}.*?\\end\{verbatim\}", "", text_of(name, "latex", formulation), flags=re.DOTALL)
    environments: list[str] = []
    for kind, title in re.findall(r"\\(begin|end)\{([^}]*)\}", text):
        if kind == "begin":
            environments.append(title)
        else:
            assert environments.pop() == title
    assert not environments
    assert re.sub(r"\\[{}\\]", "", text).count("{") == re.sub(r"\\[{}\\]", "", text).count("}")
    for environment_text in re.findall(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", text, flags=re.DOTALL):
        rows = [row for row in environment_text.split("\\\\\n") if row.strip()]
        for row in rows:
            assert row.count("&") == 1
            assert row.count(r"\left") == row.count(r"\right"), row
            assert row.count("{") == row.count("}")
            depth = 0
            for brace in re.findall(r"[{}]", row):
                depth += 1 if brace == "{" else -1
                assert depth >= 0
        assert environment_text.count(r"\bigl(") == environment_text.count(r"\bigr)")
        assert "\n\n" not in environment_text.strip("\n")
    assert all(ord(letter) < 128 for letter in text)


def test_latex_rows_fit_a_page() -> None:
    """Some 60 letters a row: no formula of the planar arm is wider than the paper."""
    for line in text_of("planar_3r", "latex").splitlines():
        if "&" in line and "\\begin" not in line:
            letters = re.sub(r"\\(?:mathrm|mathit|bigl|bigr|left|right|dot|quad|frac|cos|sin)|[\\{}_^& ]", "", line)
            assert len(letters) < 130


# ---- HTML ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "formulation"), some(CASES, CASES[1::2]))
def test_page_is_well_formed_and_needs_nothing_else(name: str, formulation: str) -> None:
    text = text_of(name, "html", formulation)
    tree = page(text)
    tags = {element.tag.split("}")[-1] for element in tree.iter()}
    assert not tags & {"link", "img", "object", "mfenced", "mstyle"}
    assert all({*element.attrib} <= {"id", "type"} for element in tree.iter("script"))
    assert all(element.get("src") is None and element.get("srcdoc") for element in tree.iter("iframe"))
    assert {"math", "svg", "mtable", "mi", "mn", "mo"} <= tags
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "") and "url(" not in text.replace("url(#", "")
    assert "@import" not in text and " src=" not in text
    for tag, size in (("mfrac", 2), ("msub", 2), ("msup", 2), ("msubsup", 3), ("mover", 2)):
        assert all(len(element) == size for element in tree.iter(tag)), tag


def test_page_shows_all_sections_and_breaks_long_formulas() -> None:
    tree = page(text_of("planar_3r", "html", "kane"))
    headings = ["".join(each.itertext()) for each in tree.iter("h2")]
    wanted = (
        "Bodies and joints",
        "Symbols",
        "Path matrix T",
        "Equations of motion",
        "Mass matrix",
        "Bias",
        "Joint wrenches",
    )
    assert all(any(heading.startswith(each) for heading in headings) for each in (*wanted, "Partial velocities"))
    assert [link.get("href") for link in tree.iter("a")][2:] == [
        f"#{section.get('id')}" for section in tree.iter("details") if section.get("class") == "section"
    ]
    formulas = [each for each in tree.iter("div") if each.get("class") == "right"]
    parts = ["".join(part.itertext()) for formula in formulas for part in formula.iter("math")]
    assert len(parts) > 2 * len(formulas)
    assert max(map(len, parts)) < 70, "a phone shows some 40 letters"
    assert "v˙" in "".join(tree.itertext())


def hostile_model() -> mbsym.Model:
    """Names with everything that names may hold and markup would choke on; a description that is markup."""
    return mbsym.Model(
        "hostile",
        description="</p><script>alert('x')</script> & 100% $x_1$ \\input{passwd}",
        bodies=(mbsym.Body("a/b [1], #2", mass=1, inertia=(1, 1, 1, 0, 0, 0)), mbsym.Body("it's Ω: (x)", mass="m")),
        joints=(
            mbsym.Joint("turn: #1", "revolute", "ground", "a/b [1], #2"),
            mbsym.Joint("_-_", "prismatic", "a/b [1], #2", "it's Ω: (x)", axis=(1, 0, 0)),
        ),
        parameters=(mbsym.Parameter("m", 2, "<kg>&"),),
    )


def test_nothing_of_the_model_becomes_markup() -> None:
    found = derive(hostile_model(), "cfa-serial")
    text = document(found, "html")
    tree = page(text)
    scripts = {each.get("id"): str(each.text) for each in tree.iter("script")}
    assert [*scripts] == ["copies", None] and not any("alert" in script for script in scripts.values())
    words = html.unescape("".join(tree.itertext()))
    assert "<script>alert('x')</script>" in words and "a/b [1], #2" in words and "<kg>&" in words
    mark, _, latex = document(found, "latex").partition("\n")
    assert mark == f"% Generated by mbsym {mbsym.__version__}."
    outside = re.sub(r"\\begin\{verbatim\}.*?\\end\{verbatim\}", "", latex, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)[#%$]", outside)
    assert json.loads(document(found, "json"))["labelling"]["bodies"] == {
        "ground": 0,
        "a/b [1], #2": 1,
        "it's Ω: (x)": 2,
    }
    document(found, "text")


def test_the_template_uses_exactly_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, object] = {}
    monkeypatch.setattr("mbsym.report.html.render_template", lambda name, /, **fields: str(given.update(fields) or ""))
    document(derive(hostile_model(), "cfa-serial"), "html")
    source = (template_directory() / TEMPLATE).read_text(encoding="utf-8")
    tree = environment().parse(source)
    assert meta.find_undeclared_variables(tree) == set(given)
    layout = (
        *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Getattr, nodes.For, nodes.If),
        *(nodes.Include, nodes.Const),
    )
    assert all(isinstance(node, layout) for node in tree.find_all(nodes.Node))
    assert {path.name for path in (template_directory() / "report").iterdir()} == {
        Path(TEMPLATE).name, *re.findall(r'{% include "report/([^"]+)" %}', source)
    }  # fmt: skip


# ---- every time ------------------------------------------------------------------------------------------------------

WRITTEN = (("double_pendulum", "kane"), ("slider_crank", "cfa-serial"))

SCRIPT = f"""
import hashlib
from mbsym.report.document import FORMATS, document
from mbsym.report.equations import derive
for name, formulation in {WRITTEN!r}:
    found = derive(name, formulation)
    for form in FORMATS:
        print(hashlib.sha256(document(found, form).encode()).hexdigest())
"""


@pytest.mark.more
def test_bytes_do_not_depend_on_the_order_of_sets() -> None:
    """Another process, in which sets have another order, writes what this one does."""
    here = [hashlib.sha256(text_of(name, form, way).encode()).hexdigest() for name, way in WRITTEN for form in FORMATS]
    seed = "1" if os.environ.get("PYTHONHASHSEED") == "77" else "77"
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == here and len(here) == 2 * len(FORMATS)


def test_formats_do_not_depend_on_what_was_written_before() -> None:
    first = {form: document(derive("cart_pole"), form) for form in FORMATS}
    found = derive("cart_pole")
    assert {form: document(found, form) for form in reversed(tuple(FORMATS))} == first


def test_json_has_matrices_row_by_row() -> None:
    """Links in a plane all turn about its normal; a product of matrices that is not multiplied out is a text."""

    def shown(formulation: str, key: str) -> dict[str, Any]:
        content = json.loads(text_of("planar_3r", "json", formulation))
        return {
            item["name"]: item["value"] for each in content["sections"] if each["key"] == key for item in each["items"]
        }

    assert shown("kane", "partial_velocities_closed")["w_3,1"] == [["0"], ["0"], ["1"]]
    assert shown("transfer-matrix", "transfer_overall") == {"Z_end": "U_link3*U_link2*U_link1"}


def test_json_has_the_steps_of_constraint_forces() -> None:
    sections = json.loads(text_of("slider_crank", "json", "cfa-serial"))["sections"]
    (forces,) = (section for section in sections if section["key"] == "constraint_forces")
    (item,) = forces["items"]
    named = {step["name"] for step in item["steps"]}
    assert named and item["entries"]
    assert all(set(step) == {"section", "name", "value"} for step in item["steps"])

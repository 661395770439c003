"""Equations as documents: plain text, LaTeX, JSON, and one self-contained HTML page with MathML."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from mbsym import __version__
from mbsym.codegen.environment import render_template
from mbsym.errors import DerivationError
from mbsym.kinematics.roadmap import roadmap_lines
from mbsym.report.equations import ClosedForm, Equations
from mbsym.symbolic.show import show
from mbsym.topology.tables import labelling_to_json
from mbsym.visualisation.topology_diagram import topology_svg

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS: Final = ("text", "latex", "html", "json")

LARGEST_PICTURE: Final = 200
"""Joints above which the page leaves the picture of the topology out."""

TITLES: Final = {
    "mass_matrix": "Mass matrix",
    "bias_force": "Bias forces",
    "gravity_force": "Gravity forces",
    "joint_wrenches": "Joint wrenches (constraint forces)",
    "constraint_residual": "Closure equations",
    "constraint_jacobian": "Constraint Jacobian",
    "constraint_bias": "Constraint bias",
}

SENTENCES: Final = {
    "mass_matrix": "M(q) in M(q) vdot + h(q, v) = tau.",
    "bias_force": "h(q, v): velocity, gravity and force element terms.",
    "gravity_force": "g(q): the forces that hold the mechanism against gravity.",
    "joint_wrenches": "[moment; force] on each joint's successor by its predecessor, at and in the joint frame on the "
    "successor; a row a joint, as functions of q, v and vdot.",
    "constraint_residual": "Phi(q) = 0 where the loops close.",
    "constraint_jacobian": "G(q) in G vdot = gamma and M vdot + h = tau + G^T lambda; independent rows only.",
    "constraint_bias": "gamma(q, v) in G vdot = gamma.",
}

TOO_LARGE: Final = "The closed form would fill pages, so the steps that compute it are listed instead."


def document(equations: Equations, form: str) -> str:
    """The equations in one of ``FORMATS``.

    Raises:
        DerivationError: there is no such format.
    """
    writers: dict[str, Callable[[Equations], str]] = {
        "text": text_document,
        "latex": latex_document,
        "html": html_document,
        "json": json_document,
    }
    if form not in writers:
        raise DerivationError(f"no format is called {form!r}", where="--format", remedy=f"use {', '.join(FORMATS)}")
    return writers[form](equations)


def _heading(equations: Equations) -> str:
    model = equations.mechanism.model
    return f"{model.name}: equations of motion ({equations.formulation})"


def text_document(equations: Equations) -> str:
    """Plain text: entries by name, zeros left out."""
    lines = [_heading(equations), "", *roadmap_lines(equations.mechanism), ""]
    lines += ["Path matrix T", *_integer_rows(equations.path_matrix), ""]
    lines += ["M(q) vdot + h(q, v) = tau", ""]
    lines += [*equations.loop_sentences]
    for name in equations.names:
        form = equations.form(name)
        lines += [f"{TITLES[name]}: {form.operations.arithmetic} operations", SENTENCES[name], ""]
        lines += _text_entries(equations, form) if form.is_expanded else [TOO_LARGE, "", show(form.program)]
        lines.append("")
    lines += ["Operations of the generated functions (+ - * /)", *_count_rows(equations)]
    return "\n".join(lines) + "\n"


def _integer_rows(matrix: Any) -> list[str]:
    return ["  " + " ".join(f"{int(entry):2d}" for entry in row) for row in matrix.tolist()]


def _count_rows(equations: Equations) -> list[str]:
    counts = equations.operation_counts()
    width = max(len(name) for name in counts)
    return [f"  {name:{width}}  {count.arithmetic:6}" for name, count in counts.items()]


def _text_entries(equations: Equations, form: ClosedForm) -> list[str]:
    matrix = equations.matrix(form.name)
    lines = []
    for row in range(matrix.rows):
        for column in range(matrix.cols):
            entry = matrix[row, column]
            if entry == 0 or (form.name == "mass_matrix" and column < row):
                continue
            place = f"{row + 1}" if matrix.cols == 1 else f"{row + 1},{column + 1}"
            lines.append(f"  {form.symbol}[{place}] = {entry}")
    return lines or ["  all entries are zero"]


def latex_document(equations: Equations) -> str:
    """LaTeX for ``\\input`` into a document that loads amsmath."""
    import sympy

    lines = [f"% {_heading(equations)}", f"% mbsym {__version__}"]
    lines += [r"\[ T = " + sympy.latex(equations.path_matrix) + r" \]"]
    lines += [r"\[ M(q)\,\dot v + h(q, v) = \tau \]"]
    for name in equations.names:
        form = equations.form(name)
        lines.append(f"% {TITLES[name]}: {SENTENCES[name]}")
        if not form.is_expanded:
            lines += [f"% {TOO_LARGE}", r"\begin{verbatim}", show(form.program), r"\end{verbatim}"]
            continue
        letter = {"Phi": r"\Phi", "gamma": r"\gamma"}.get(form.symbol, form.symbol)
        lines.append(rf"\[ {letter} = {sympy.latex(equations.matrix(name))} \]")
    return "\n".join(lines) + "\n"


def json_document(equations: Equations) -> str:
    """One JSON document: labelling, symbols, matrices as lists of expressions in Python syntax, operation counts."""
    mechanism = equations.mechanism
    quantities: dict[str, Any] = {}
    for name in equations.names:
        form = equations.form(name)
        matrix = equations.matrix(name) if form.is_expanded else None
        quantities[name] = {
            "description": SENTENCES[name],
            "shape": list(form.shape),
            "entries": None if matrix is None else [[str(entry) for entry in row] for row in matrix.tolist()],
            "steps": None if matrix is not None else show(form.program).splitlines(),
            "operations": form.operations.as_dict(),
        }
    content = {
        "mbsym": __version__,
        "name": mechanism.model.name,
        "formulation": equations.formulation,
        "labelling": labelling_to_json(mechanism.labelling, mechanism.model.name),
        "q": [str(x) for x in equations.coordinates],
        "v": [str(x) for x in equations.speeds],
        "vdot": [str(x) for x in equations.rates],
        "tau": [str(x) for x in equations.forces],
        "loops": list(equations.loop_sentences),
        "quantities": quantities,
        "operations": {name: count.as_dict() for name, count in equations.operation_counts().items()},
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class QuantityView:
    """A section of the page: MathML lines, or the listing of steps."""

    title: str
    sentence: str
    operations: int
    formulas: tuple[str, ...]
    steps: str


@dataclass(frozen=True, slots=True)
class PageView:
    """What the page's template shows; every text is escaped already."""

    title: str
    version: str
    description: str
    roadmap: str
    picture: str
    path_matrix: str
    symbols: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]
    quantities: tuple[QuantityView, ...]
    counts: tuple[tuple[str, int, int], ...]
    too_large: str


def html_document(equations: Equations) -> str:
    """One HTML page that needs nothing else: topology, T, coordinates, matrices in MathML, operation counts."""
    mechanism = equations.mechanism
    labelling = mechanism.labelling
    columns = {
        "coordinates q": equations.coordinates,
        "speeds v": equations.speeds,
        "rates": equations.rates,
        "generalised forces": equations.forces,
    }
    page = PageView(
        title=escape(_heading(equations)),
        version=escape(__version__),
        description=escape(" ".join(mechanism.model.description.split())),
        roadmap=escape("\n".join(roadmap_lines(mechanism))),
        picture=topology_svg(labelling, "") if labelling.nj <= LARGEST_PICTURE else "",
        path_matrix=_mathml("T", equations.path_matrix),
        symbols=tuple((escape(name), _mathml("", column.T)) for name, column in columns.items() if len(column)),
        sentences=tuple(escape(sentence) for sentence in equations.loop_sentences),
        quantities=tuple(_quantity(equations, name) for name in equations.names),
        counts=tuple(
            (escape(name), count.arithmetic, count.sincos) for name, count in equations.operation_counts().items()
        ),
        too_large=escape(TOO_LARGE),
    )
    return render_template("report/equations.html.jinja", page)


def _quantity(equations: Equations, name: str) -> QuantityView:
    form = equations.form(name)
    formulas: tuple[str, ...] = ()
    steps = ""
    if form.is_expanded:
        formulas = tuple(_entry_formulas(form, equations.matrix(name)))
    else:
        steps = escape(show(form.program))
    return QuantityView(escape(TITLES[name]), escape(SENTENCES[name]), form.operations.arithmetic, formulas, steps)


SMALL_MATRIX: Final = 60
"""Operations up to which a matrix is shown as one; larger ones entry by entry, which a page can wrap."""


def _entry_formulas(form: ClosedForm, matrix: Any) -> list[str]:
    if form.operations.arithmetic <= SMALL_MATRIX and matrix.cols <= 3:
        return [_mathml(form.symbol, matrix)]
    formulas = []
    for row in range(matrix.rows):
        for column in range(matrix.cols):
            entry = matrix[row, column]
            if entry == 0 or (form.name == "mass_matrix" and column < row):
                continue
            place = f"{row + 1}" if matrix.cols == 1 else f"{row + 1}{column + 1}"
            formulas.append(_mathml(f"{form.symbol}_{place}", entry))
    return formulas


def _mathml(name: str, value: Any) -> str:
    """``name = value`` as a MathML element."""
    import sympy
    from sympy.printing.mathml import mathml

    left = f"{mathml(sympy.Symbol(name), printer='presentation')}<mo>=</mo>" if name else ""
    return f'<math display="block"><mrow>{left}{mathml(value, printer="presentation")}</mrow></math>'

"""The report as one HTML page that needs nothing else: formulas in MathML, pictures, and buttons that copy formulas.

A formula is written in parts that stay together, its outermost terms, and theirs where these are wide: the reader's
screen or paper decides where rows end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from mbsym.codegen.environment import fixed_text, render_template
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.roadmap import body_rows, cut_rows, layout_sentence
from mbsym.report.contents import report_title
from mbsym.report.equations import Equations
from mbsym.report.forms import asked_sections
from mbsym.report.formulas import entries_of
from mbsym.report.latex import Latex, latex_formula
from mbsym.report.mathml import MathML, mathml_parts, told_html
from mbsym.report.numerals import with_decimals
from mbsym.report.reader_symbols import reader_symbols, symbols_section
from mbsym.report.sections import Entries, Equation, NamedMatrix, Pattern, Section, Steps, Table, VectorRow, VectorRows
from mbsym.report.show import LARGEST, pictures
from mbsym.report.symbols import short_names
from mbsym.report.vectors import PYTHON, with_short_numbers
from mbsym.visualisation.attachments import attachments_of
from mbsym.visualisation.topology_diagram import topology_svg

PART_WIDTH: Final = 46
"""Letters of a formula above which its terms are parts, and half of which a part has at most if it can be parted."""

MATRIX_WIDTH: Final = 110
"""Letters of a matrix above which its entries are formulas."""

MOST_OPEN: Final = 60
"""Formulas of a section above which it is folded at first."""

COPIED: Final = (
    "Copied LaTeX has the symbols of this page, Python the names of the model as SymPy has them, C the arrays of the "
    "generated functions."
)

TEMPLATE: Final = "report/equations.html.jinja"

_WRITER: Final = MathML()
_LATEX: Final = Latex()


@dataclass(frozen=True, slots=True)
class FormulaView:
    """A formula: what it defines, its value in parts, and where its texts to copy stand, nowhere if empty."""

    left: str
    right: str
    copy: str = ""


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell of a table and the class of its look."""

    text: str
    look: str


@dataclass(frozen=True, slots=True)
class FactView:
    """A figure under a word."""

    word: str
    figure: str


@dataclass(frozen=True, slots=True)
class ItemView:
    """One of: a heading of steps, formulas, an equation that may scroll, a table."""

    heading: str = ""
    formulas: tuple[FormulaView, ...] = ()
    equation: FormulaView | None = None
    header: tuple[CellView, ...] = ()
    cells: tuple[tuple[CellView, ...], ...] = ()
    look: str = ""


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section of the page."""

    key: str
    title: str
    sentences: tuple[str, ...]
    operations: str
    items: tuple[ItemView, ...]
    remark: str
    is_open: bool
    can_copy: bool


class _Writing:
    """Formulas on their way into the page, with the texts that its buttons copy: LaTeX as it shows them, Python and C.

    Args:
        short: symbols that formulas of the page have for the model's.
        code: what generated code calls the model's symbols.
    """

    def __init__(self, short: dict[Any, Any], code: dict[Any, Any]) -> None:
        from sympy.printing.c import C99CodePrinter

        self._short, self._code = short, code
        self._c: Any = C99CodePrinter()
        self.texts: list[tuple[str, str, str]] = []

    def formula(self, left: str, place: Sequence[int], value: Any) -> FormulaView:
        """``left``, perhaps at a place, from 1, is the value."""
        name = _identifier("_".join((left, *map(str, place))))
        shown = value.xreplace(self._short)
        copy = self._copied(
            f"{_LATEX.placed(left, place)} = {_LATEX.expression(shown)}",
            f"{name} = {with_decimals(value)}",
            f"const double {name} = {self._c.doprint(value.xreplace(self._code))};",
        )
        return FormulaView(_WRITER.placed(left, place), _flowing(shown), copy)

    def matrix(self, item: NamedMatrix) -> ItemView:
        """A matrix as one, which C has no word for, or its entries."""
        shown = item.value.xreplace(self._short)
        entries = entries_of(item, shown, MATRIX_WIDTH)
        if entries:
            return ItemView(formulas=tuple(self.formula(left, (), value) for left, value in entries))
        copy = ""
        if hasattr(item.value, "tolist"):
            named = f"{_LATEX.name(item.name)} = " if item.name else ""
            assigned = f"{_identifier(item.name or 'T')} = sympy.Matrix({item.value.tolist()})"
            copy = self._copied(f"{named}{_LATEX.expression(shown)}", assigned, "")
        left = _WRITER.name(item.name) if item.name else ""
        return ItemView(equation=FormulaView(left, _WRITER.expression(shown), copy))

    def vectors(self, row: VectorRow) -> FormulaView:
        """A row of named vectors; C has no word for it."""
        shown = with_short_numbers(row, self._short)
        left, parts = mathml_parts(shown)
        right = "<wbr/>".join(f"<math>{part}</math>" for part in parts)
        python = f"{PYTHON.vector(row.left)} = {''.join(PYTHON.right_side(row))}"
        return FormulaView(left, f"{right}{told_html(row)}", self._copied(latex_formula(shown), python, ""))

    def _copied(self, latex: str, python: str, c: str) -> str:
        self.texts.append((latex, python, c))
        return str(len(self.texts) - 1)


def _identifier(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_")


def html_document(equations: Equations, names: Sequence[str] = (), form: str = "closed") -> str:
    """The whole page, with quantities of these names alone in a form, if there are any."""
    mechanism = equations.mechanism
    sections = asked_sections(equations, names, form)
    short = reader_symbols(equations, sections)
    parts = (_bodies(mechanism), symbols_section(equations, short), *sections)
    shown = pictures(mechanism)
    drawn = mechanism.labelling.nj <= LARGEST
    page = {
        "name": escape(mechanism.model.name),
        "title": escape(report_title(equations)),
        "subtitle": "Equations of motion",
        "description": escape(" ".join(mechanism.model.description.split())),
        "facts": _facts(equations),
        "still": shown.still,
        "turning": escape(shown.turning),
        "topology": topology_svg(mechanism.labelling, "", attachments_of(mechanism.model)) if drawn else "",
        "last_step": 0,
        "pause": 0.0,
        "copied": COPIED,
        **section_fields(parts, short, short_names(equations.columns, "{}[{}]", 0)),
    }
    return render_template(TEMPLATE, **page)


def section_fields(sections: Sequence[Section], short: dict[Any, Any], code: dict[Any, Any]) -> dict[str, object]:
    """Returns fields of the page's template: sections, what its buttons copy, and what they run.

    Args:
        sections: in order.
        short: symbols that formulas of the page have for the model's.
        code: what generated code calls the model's symbols.
    """
    writing = _Writing(short, code)
    return {
        "sections": tuple(_section(section, writing) for section in sections),
        # A script ends at the first "</", wherever it stands.
        "copies": json.dumps(writing.texts, ensure_ascii=True).replace("<", "\\u003c").replace("&", "\\u0026"),
        "script": fixed_text("javascript/report.js", ""),
    }


def _facts(equations: Equations) -> tuple[FactView, ...]:
    mechanism = equations.mechanism
    found = [("bodies", mechanism.nb), ("joints", mechanism.labelling.nj), ("cut joints", len(mechanism.cut_joints))]
    found += [("coordinates", mechanism.nq), ("speeds", mechanism.nv)]
    told = [FactView(word, str(figure)) for word, figure in found if figure]
    return (*told, FactView("formulation", escape(equations.formulation)))


def _bodies(mechanism: Mechanism) -> Section:
    tables = [Table(rows[0], rows[1:]) for rows in (body_rows(mechanism), cut_rows(mechanism)) if rows]
    return Section("bodies", "Bodies and joints", items=tuple(tables), remark=layout_sentence(mechanism))


def _section(section: Section, writing: _Writing) -> SectionView:
    items: list[ItemView] = []
    for item in section.items:
        items += _items(item, writing)
    formulas = [formula for item in items for formula in item.formulas]
    return SectionView(
        escape(section.key),
        escape(section.title),
        tuple(map(escape, section.sentences)),
        "" if section.operations is None else f"{section.operations} operations",
        tuple(items),
        escape(section.remark),
        len(formulas) <= MOST_OPEN,
        bool(formulas),
    )


def _items(item: Any, writing: _Writing) -> list[ItemView]:
    if isinstance(item, Equation):
        return [ItemView(equation=FormulaView("", f"<mrow>{item.mathml}</mrow>"))]
    if isinstance(item, Entries):
        if not item.values:
            return [ItemView(equation=FormulaView("", "<mtext>all entries are zero</mtext>"))]
        return [ItemView(formulas=tuple(writing.formula(item.letter, *entry) for entry in item.values.items()))]
    if isinstance(item, NamedMatrix):
        return [writing.matrix(item)]
    if isinstance(item, VectorRows):
        return [ItemView(formulas=tuple(map(writing.vectors, item.rows)))]
    if isinstance(item, Steps):
        views = []
        for group in item.groups:
            views += [ItemView(heading=escape(group.title))] if group.title else []
            views.append(ItemView(formulas=tuple(writing.formula(left, (), value) for left, value in group.steps)))
        return [*views, ItemView(heading="result"), *_items(item.entries, writing)]
    if isinstance(item, Pattern):
        return [_pattern(item)]
    return [_table(item)]


def _pattern(item: Pattern) -> ItemView:
    header = (CellView(escape(item.name), ""), *(CellView(escape(each), "column") for each in item.columns))
    rows = (
        (CellView(escape(label), "row"), *(CellView(escape(each), "full" if each else "void") for each in cells))
        for label, *cells in item.table().rows
    )
    return ItemView(header=header, cells=tuple(rows), look="pattern")


def _table(item: Table) -> ItemView:
    looks = ["number" if all(row[k].isdigit() for row in item.rows) else "" for k in range(len(item.header))]

    def cell(column: int, text: str) -> CellView:
        shown = f"<math>{_WRITER.name(text)}</math>" if column in item.symbols else escape(text)
        return CellView(shown, looks[column])

    return ItemView(
        header=tuple(CellView(escape(each), look) for each, look in zip(item.header, looks, strict=True)),
        cells=tuple(tuple(cell(k, each) for k, each in enumerate(row)) for row in item.rows),
        look="plain",
    )


def _flowing(value: Any) -> str:
    """A value in parts between which a row may end."""
    shown = []
    for parts in _WRITER.terms(value, PART_WIDTH):
        inside = "<wbr/>".join(f"<math>{part}</math>" for part in parts)
        shown.append(f"<span>{inside}</span>" if len(parts) > 1 else inside)
    return "<wbr/>".join(shown)

"""The report as one HTML page that needs nothing else: formulas in MathML, pictures, and buttons that copy formulas.

A formula is written in parts that stay together, its outermost terms, and theirs where these are wide: the reader's
screen or paper decides where rows end.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final

from mbsym.codegen.environment import fixed_text, render_template
from mbsym.report.copies import Copies
from mbsym.report.formulas import entries_of
from mbsym.report.mathml import MathML
from mbsym.report.pictures import Pictures
from mbsym.report.sections import Entries, Equation, NamedMatrix, Pattern, Section, Steps, Table

PART_WIDTH: Final = 46
"""Letters of a formula above which its terms are parts, and half of which a part has at most if it can be parted."""

MATRIX_WIDTH: Final = 110
"""Letters of a matrix above which its entries are formulas."""

MOST_OPEN: Final = 60
"""Formulas of a section above which it is folded at first."""

TEMPLATE: Final = "report/equations.html.jinja"

_WRITER: Final = MathML()


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


@dataclass(frozen=True, slots=True)
class PageView:
    """What the page's template shows; every text is escaped already."""

    name: str
    title: str
    description: str
    facts: tuple[FactView, ...]
    still: str
    turning: str
    topology: str
    sections: tuple[SectionView, ...]
    copies: str
    script: str


@dataclass(frozen=True, slots=True)
class Heading:
    """What a report begins with.

    Attributes:
        name: of the model.
        title: of the report.
        description: of the model.
        facts: a word and a figure each.
        pictures: of the mechanism.
        topology: SVG of the graph, or nothing.
    """

    name: str
    title: str
    description: str
    facts: tuple[tuple[str, str], ...]
    pictures: Pictures
    topology: str


@dataclass(slots=True)
class _Writing:
    """Formulas on their way into the page, with the texts that its buttons copy."""

    copies: Copies
    short: dict[Any, Any]
    texts: list[tuple[str, str, str]] = field(default_factory=list)

    def formula(self, left: str, place: Sequence[int], value: Any) -> FormulaView:
        """A value under a name, perhaps at a place."""
        self.texts.append(self.copies.formula(left, place, value))
        return FormulaView(_WRITER.placed(left, place), _flowing(value.xreplace(self.short)), str(len(self.texts) - 1))

    def matrix(self, item: NamedMatrix) -> ItemView:
        """A matrix as one, or its entries."""
        shown = item.value.xreplace(self.short)
        entries = entries_of(item, shown, MATRIX_WIDTH)
        if entries:
            return ItemView(formulas=tuple(self.formula(left, (), value) for left, value in entries))
        left = _WRITER.name(item.name) if item.name else ""
        copy = ""
        if hasattr(item.value, "tolist"):
            self.texts.append(self.copies.matrix(item.name, item.value))
            copy = str(len(self.texts) - 1)
        return ItemView(equation=FormulaView(left, _WRITER.expression(shown), copy))


def html_document(heading: Heading, sections: Sequence[Section], copies: Copies, short: dict[Any, Any]) -> str:
    """The whole page.

    Args:
        heading: what it begins with.
        sections: what it says, in the model's symbols.
        copies: writes the texts that its buttons copy.
        short: symbols that it shows for the model's.
    """
    writing = _Writing(copies, short)
    views = tuple(_section(section, writing) for section in sections)
    page = PageView(
        escape(heading.name),
        escape(heading.title),
        escape(heading.description),
        tuple(FactView(escape(word), escape(figure)) for word, figure in heading.facts),
        heading.pictures.still,
        escape(heading.pictures.turning),
        heading.topology,
        views,
        # A script ends at the first "</", wherever it stands.
        json.dumps(writing.texts, ensure_ascii=True).replace("<", "\\u003c").replace("&", "\\u0026"),
        fixed_text("javascript/report.js", ""),
    )
    return render_template(TEMPLATE, page)


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

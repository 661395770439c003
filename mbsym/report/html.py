"""The report as one HTML page that needs nothing else: formulas in MathML, the topology as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from mbsym import __version__
from mbsym.codegen.environment import render_template
from mbsym.report.mathml import MathML
from mbsym.report.sections import Entries, Equation, NamedMatrix, Pattern, Section, Steps

ROW_WIDTH: Final = 105
"""Letters of a formula in a row."""


_WRITER: Final = MathML()


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of a formula: what it defines, on its first row, a part of the value, and how far this is indented."""

    left: str
    right: str
    indent: str = ""


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell of a table and the class of its look."""

    text: str
    look: str


@dataclass(frozen=True, slots=True)
class ItemView:
    """One of: a heading of steps, rows of formulas, a formula that may scroll, a table."""

    heading: str = ""
    rows: tuple[RowView, ...] = ()
    formula: str = ""
    header: tuple[CellView, ...] = ()
    cells: tuple[tuple[CellView, ...], ...] = ()
    look: str = ""


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section of the page."""

    title: str
    sentences: tuple[str, ...]
    operations: str
    items: tuple[ItemView, ...]
    remark: str


@dataclass(frozen=True, slots=True)
class PageView:
    """What the page's template shows; every text is escaped already."""

    title: str
    version: str
    description: str
    picture: str
    roadmap: str
    symbols: tuple[RowView, ...]
    sections: tuple[SectionView, ...]


def html_document(
    title: str,
    description: str,
    picture: str,
    roadmap: Sequence[str],
    symbols: Sequence[tuple[str, Any]],
    sections: Sequence[Section],
) -> str:
    """The whole page.

    Args:
        title: heading.
        description: of the model, plain text.
        picture: SVG of the topology, or nothing.
        roadmap: lines of a table of bodies and joints.
        symbols: names and columns of the symbols.
        sections: what it says.
    """
    page = PageView(
        escape(title),
        escape(__version__),
        escape(description),
        picture,
        escape("\n".join(roadmap)),
        tuple(RowView(escape(name), _list(column)) for name, column in symbols if len(column)),
        tuple(_section(section) for section in sections),
    )
    return render_template("report/equations.html.jinja", page)


def _list(column: Any) -> str:
    return ", ".join(f"<math>{_WRITER.expression(symbol)}</math>" for symbol in column)


def _section(section: Section) -> SectionView:
    items: list[ItemView] = []
    for item in section.items:
        items += _items(item)
    return SectionView(
        escape(section.title),
        tuple(map(escape, section.sentences)),
        "" if section.operations is None else f"{section.operations} operations",
        tuple(items),
        escape(section.remark),
    )


def _items(item: Any) -> list[ItemView]:
    if isinstance(item, Equation):
        return [ItemView(formula=f"<mrow>{item.mathml}</mrow>")]
    if isinstance(item, Entries):
        if not item.values:
            return [ItemView(formula="<mtext>all entries are zero</mtext>")]
        return [_formulas([(_WRITER.placed(item.letter, place), value) for place, value in item.values.items()])]
    if isinstance(item, NamedMatrix):
        entries = _WRITER.entries_of(item.name, item.value, 1.3 * ROW_WIDTH)
        if entries:
            return [_formulas(entries)]
        left = f"{_WRITER.name(item.name)}<mo>=</mo>" if item.name else ""
        return [ItemView(formula=f"<mrow>{left}{_WRITER.expression(item.value)}</mrow>")]
    if isinstance(item, Steps):
        views = []
        for group in item.groups:
            views += [ItemView(heading=escape(group.title))] if group.title else []
            views.append(_formulas([(_WRITER.name(left), value) for left, value in group.steps]))
        return [*views, ItemView(heading="result"), *_items(item.entries)]
    if isinstance(item, Pattern):
        header = (CellView(escape(item.name), ""), *(CellView(escape(each), "column") for each in item.columns))
        rows = []
        for i, label in enumerate(item.rows):
            cells = [item.cells.get((i, j), "") for j in range(len(item.columns))]
            rows.append(
                (
                    CellView(escape(label), "row"),
                    *(CellView(escape(each), "full" if each else "void") for each in cells),
                )
            )
        return [ItemView(header=header, cells=tuple(rows), look="pattern")]
    looks = ["number" if all(row[k].isdigit() for row in item.rows) else "" for k in range(len(item.header))]
    return [
        ItemView(
            header=tuple(CellView(escape(each), look) for each, look in zip(item.header, looks, strict=True)),
            cells=tuple(
                tuple(CellView(escape(each), look) for each, look in zip(row, looks, strict=True)) for row in item.rows
            ),
            look="plain",
        )
    ]


def _formulas(formulas: Sequence[tuple[str, Any]]) -> ItemView:
    rows: list[RowView] = []
    for left, value in formulas:
        for k, (right, depth) in enumerate(_WRITER.rows(value, ROW_WIDTH)):
            rows.append(RowView("", right, f"indent{min(depth, 5)}") if k else RowView(f"{left}<mo>=</mo>", right))
    return ItemView(rows=tuple(rows))

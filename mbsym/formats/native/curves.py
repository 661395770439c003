"""Tables of a model file, whose points stand in it or in a file of comma-separated values beside it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from mbsym.formats.native.includes import Reading
from mbsym.formats.text_source import TextSource, read_text
from mbsym.formats.xml_document import require_under
from mbsym.formats.yaml_document import Document, DocumentPath
from mbsym.model.table_checks import check_tables
from mbsym.values.diagnostic import Findings, nearest
from mbsym.values.table import Table

if TYPE_CHECKING:
    from mbsym.formats.native.schema import CurveTable


def read_curve(name: str, entry: CurveTable, document: Document, reading: Reading) -> Table:
    """A table of the model.

    Raises:
        FormatError: the file that it names cannot be read, or lacks a column.
    """
    if not entry.csv:
        return Table(name, entry.x, entry.y, entry.z, entry.between, entry.outside)
    path: DocumentPath = ("tables", name, "csv")
    file = Path(document.source.name).parent / entry.csv
    if not file.is_file():
        raise document.error(path, f"there is no file {str(file)!r}", "check the path, which starts at this file's")
    if reading.under is not None:
        require_under(file, repr(entry.csv), reading.under, str(document.source.at(document.place(path))))
    source = read_text(file)
    (_, header), *rows = _rows(source) or [(1, [])]
    names = [cell.strip() for cell in header]
    asked = entry.columns or tuple(names[:2])
    if len(asked) != 2:
        what, key = f"{len(asked)} columns where two belong", "columns" if entry.columns else "csv"
        raise document.error((*path[:2], key), what, "name those of x and y")
    for place, column in enumerate(asked):
        if column not in names:
            what, remedy = f"{file.name} has no column {column!r}", nearest(column, names)
            raise document.error((*path[:2], "columns", place), what, remedy)
    x, y = ([_number(source, row, names.index(column)) for row in rows] for column in asked)
    table = Table(name, tuple(x), tuple(y), (), entry.between, entry.outside)
    findings = Findings()
    check_tables((table,), findings)
    for finding in findings.diagnostics:
        row = finding.path[-1]
        raise source.error((rows[row][0] if isinstance(row, int) else 1, 1), finding.what, finding.remedy)
    return table


def _rows(source: TextSource) -> list[tuple[int, list[str]]]:
    """Rows with the numbers of their lines; empty lines and those that begin with # are left out."""
    lines = [(number, line) for number, line in enumerate(source.text.splitlines(), 1)]
    kept = [(number, line) for number, line in lines if line.strip() and not line.lstrip().startswith("#")]
    try:
        return [(number, next(csv.reader([line]))) for number, line in kept]
    except csv.Error as error:
        raise source.error((1, 1), f"this is no table: {error}", "write numbers with commas between them") from None


def _number(source: TextSource, row: tuple[int, list[str]], column: int) -> float:
    line, cells = row
    text = cells[column].strip() if column < len(cells) else ""
    try:
        return float(text)
    except ValueError:
        what = f"{text!r} where a number belongs" if text else f"no number in column {column + 1}"
        raise source.error((line, 1), what, "write decimals with points, and commas between columns") from None

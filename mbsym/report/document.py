"""Equations as documents: plain text, LaTeX, JSON, and one self-contained HTML page with MathML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mbsym.errors import DerivationError
from mbsym.kinematics.roadmap import roadmap_lines
from mbsym.report import html, latex, plain_text
from mbsym.report.contents import report_sections, report_title
from mbsym.report.equations import Equations
from mbsym.report.json_text import json_document
from mbsym.visualisation.topology_diagram import topology_svg

LARGEST_PICTURE: Final = 200
"""Joints above which the page leaves the picture of the topology out."""


def document(equations: Equations, form: str) -> str:
    """The equations in one of ``FORMATS``.

    Raises:
        DerivationError: there is no such format, or the formulation does not cover the mechanism.
    """
    if form not in FORMATS:
        raise DerivationError(f"no format is called {form!r}", where="--format", remedy=f"use {', '.join(FORMATS)}")
    return FORMATS[form](equations)


def _text(equations: Equations) -> str:
    return plain_text.text_document(
        report_title(equations), roadmap_lines(equations.mechanism), report_sections(equations)
    )


def _latex(equations: Equations) -> str:
    return latex.latex_document(report_title(equations), roadmap_lines(equations.mechanism), report_sections(equations))


def _html(equations: Equations) -> str:
    mechanism = equations.mechanism
    symbols = (
        ("coordinates q", equations.coordinates),
        ("speeds v", equations.speeds),
        ("rates", equations.rates),
        ("generalised forces", equations.forces),
    )
    drawn = mechanism.labelling.nj <= LARGEST_PICTURE
    return html.html_document(
        report_title(equations),
        " ".join(mechanism.model.description.split()),
        topology_svg(mechanism.labelling, "") if drawn else "",
        roadmap_lines(mechanism),
        symbols,
        report_sections(equations),
    )


FORMATS: Final[dict[str, Callable[[Equations], str]]] = {
    "text": _text,
    "latex": _latex,
    "html": _html,
    "json": json_document,
}

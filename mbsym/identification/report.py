"""What an identification found: as text, as data, and as a page with curves."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Final

import numpy as np

from mbsym.identification.identify import CONSISTENT, ESSENTIAL, ESTIMATED, GIVEN, Identification
from mbsym.markup import aligned
from mbsym.regressors.relations_text import relation
from mbsym.visualisation.plots import Panel, figure, figure_bytes

_PREDICTIONS: Final = (ESTIMATED, ESSENTIAL, CONSISTENT, GIVEN)
_STYLE: Final = (
    "body{font:15px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse}td,th{padding:.15em .8em;text-align:right;border-bottom:1px solid #ddd}"
    "td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}code{font-size:90%}"
)


def summary(found: Identification) -> str:
    """Tables of parameters and of errors."""
    lines = [_title(found), *found.remarks, "", *_table(_parameter_rows(found)), ""]
    lines += _sentences(found)
    return "\n".join([*lines, "", *_table(_error_rows(found))]) + "\n"


def as_dict(found: Identification) -> dict[str, object]:
    """The same for programs."""
    base, estimate, names = found.regression.found, found.estimate, found.regression.names
    return {
        "name": found.source.name,
        "samples": len(found.motion.t),
        "held_back": len(found.motion.t) - found.kept,
        "cutoff": found.motion.cutoff,
        "condition": estimate.condition,
        "remarks": list(found.remarks),
        "noise": dict(zip(names, estimate.noise.tolist(), strict=True)),
        "base": [
            {
                "name": item.name,
                "unit": item.unit,
                "relation": relation(base, item),
                "value": float(estimate.values[k]),
                "deviation": float(estimate.deviations[k]),
                "relative_deviation": _relative(found, k),
                "essential": k in estimate.essential,
                **(
                    {"grouped_with": {base.base[j].name: share for j, share in estimate.grouped[k].items()}}
                    if k in estimate.grouped
                    else {}
                ),
            }
            for k, item in enumerate(base.base)
        ],
        "standard": {item.name: float(x) for item, x in zip(base.columns, found.standard, strict=True)},
        "errors": {
            part: {
                by: dict(zip(names, found.errors(by, held_back=part == "held_back").tolist(), strict=True))
                for by in _PREDICTIONS
            }
            for part in ("used", "held_back")
        },
    }


def page(found: Identification, mark: str) -> str:
    """A self-contained HTML page.

    Args:
        found: what is told.
        mark: that says who wrote it.

    Raises:
        ToolchainError: there is no matplotlib to draw the curves.
    """
    panels = [
        Panel(
            name,
            found.regression.units[k],
            (("measured", found.measured[:, k]), ("estimate", found.predicted[ESTIMATED][:, k])),
        )
        for k, name in enumerate(found.regression.names)
    ]
    panels.append(
        Panel("left over", "noise", tuple(
            (name, (found.measured[:, k] - found.predicted[ESTIMATED][:, k]) / found.estimate.noise[k])
            for k, name in enumerate(found.regression.names)
        ))
    )  # fmt: skip
    base = found.regression.found
    title = f"{found.source.name}: measured forces and estimate"
    drawing = figure_bytes(figure(found.motion.t, panels, title), "svg", mark).decode()
    picture = drawing[drawing.index("<svg") :]
    parts = [
        f"<!DOCTYPE html>\n<!-- {mark} -->",
        f'<html lang="en"><head><meta charset="utf-8"><title>{html.escape(_title(found))}</title>',
        f"<style>{_STYLE}</style></head><body><h1>{html.escape(_title(found))}</h1>",
        *(f"<p>{html.escape(line)}</p>" for line in (*found.remarks, *_sentences(found))),
        _html_table(_parameter_rows(found)),
        "<h2>Errors</h2>",
        _html_table(_error_rows(found)),
        f"<h2>Curves</h2>{picture}",
        "<h2>What base parameters stand for</h2><ul>",
        *(f"<li><code>{html.escape(relation(base, item))}</code></li>" for item in base.base),
        "</ul></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _title(found: Identification) -> str:
    base = found.regression.found
    told = len(found.estimate.told)
    return (
        f"{found.source.name}: {told} of {len(base)} base parameters from {found.kept} samples of "
        f"{len(found.regression.names)} forces, condition {found.estimate.condition:.3g}"
    )


def _sentences(found: Identification) -> list[str]:
    estimate, base = found.estimate, found.regression.found
    lines = []
    for place, shares in estimate.grouped.items():
        name = base.base[place].name
        if not shares:
            lines.append(f"{name} shows in none of the forces: the motion does not excite it")
        for other, share in shares.items():
            kept = base.base[other].name
            lines.append(
                f"{name} cannot be told from {kept} by this motion: {kept} stands for "
                f"{kept} {'+' if share > 0 else '-'} {abs(share):.4g}*{name}"
            )
    few = [item.name for k, item in enumerate(base.base) if k not in estimate.essential]
    if few:
        lines.append(f"not essential, less than 1.96 deviations from zero: {', '.join(few)}")
    return lines


def _relative(found: Identification, place: int) -> float | None:
    value = float(found.estimate.values[place])
    return float(found.estimate.deviations[place]) / abs(value) if value else None


def _parameter_rows(found: Identification) -> list[list[str]]:
    base = found.regression.found
    own, consistent = base.values(), base.matrix() @ found.standard
    rows = [["base parameter", "estimate", "deviation", "per cent", "consistent", "model", "unit", ""]]
    for k, item in enumerate(base.base):
        relative = _relative(found, k)
        grouped = k in found.estimate.grouped
        rows.append(
            [
                item.name,
                "-" if grouped else f"{found.estimate.values[k]:.6g}",
                "-" if grouped else f"{found.estimate.deviations[k]:.2g}",
                "-" if relative is None else f"{100 * relative:.3g}",
                f"{consistent[k]:.6g}",
                f"{own[k]:.6g}",
                item.unit,
                "essential" if k in found.estimate.essential else "",
            ]
        )
    return rows


def _error_rows(found: Identification) -> list[list[str]]:
    rows = [["root mean square error", *found.regression.names]]
    sizes = np.sqrt(np.mean(found.measured**2, axis=0))
    rows.append(["measured force", *(f"{size:.4g}" for size in sizes)])
    for by in _PREDICTIONS:
        rows.append([by, *(f"{error:.4g}" for error in found.errors(by, held_back=False))])
        if found.kept < len(found.motion.t):
            rows.append([f"{by}, held back", *(f"{error:.4g}" for error in found.errors(by, held_back=True))])
    return rows


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    return aligned(rows, right=range(1, len(rows[0])))


def _html_table(rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return f"<table>{line(rows[0], 'th')}{''.join(line(row, 'td') for row in rows[1:])}</table>"

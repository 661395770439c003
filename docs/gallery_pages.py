"""Pages of the gallery: picture, equations, operations beside the book's, C, and a moving picture of each mechanism."""

from __future__ import annotations

import re
from pathlib import Path

from gallery_book import Exhibit, exhibits, operations

from mbsym.pipeline import GenerationOptions, generate_files
from mbsym.report.equations import Equations
from mbsym.simulation.integrate import simulate
from mbsym.simulation.options import Accuracy, Loads, Preparation

DURATION = 6.0
"""Of the motions that are shown [s]."""


def write_gallery(folder: Path) -> None:
    """Writes the pages, pictures and animations into a folder, each mechanism checked exactly."""
    (folder / "mechanisms").mkdir(parents=True, exist_ok=True)
    rows, sections = [], []
    for exhibit in exhibits():
        exhibit.check()
        found = exhibit.derived()
        counts = (
            operations(exhibit.mass_matrix, exhibit.bias_force),
            operations(found.mass_matrix, found.bias_force),
        )
        place = exhibit.title.lower().replace(",", "").replace(" ", "-")
        rows.append(f"| [{exhibit.title}](#{place}) | {counts[0]} | {counts[1]} |")
        sections += _section(exhibit, found, counts)
        _draw(exhibit, folder / "mechanisms")
    lines = [
        "# Mechanisms from textbooks",
        "",
        f"{len(rows)} mechanisms. The equations of each are compared exactly, in a finite field, with those that",
        "textbooks write out, here for the coordinates of the model, when this page is built; a book is named that",
        "treats it.",
        "Operations are those of M's upper triangle and h as printed, all parameters symbols.",
        "",
        *("| mechanism | textbook | mbsym |", "|---|---|---|", *rows, ""),
        *sections,
    ]
    (folder / "gallery.md").write_text("\n".join(lines), encoding="utf-8")


def _section(exhibit: Exhibit, found: Equations, counts: tuple[int, int]) -> list[str]:
    formulas = re.sub(r"^<p>.*?</p>", "", found._repr_html_(), count=1)
    motion = f"[In motion](path:mechanisms/{exhibit.name}.html)"
    return [
        *(f"## {exhibit.title}", "", f"![{exhibit.title}](mechanisms/{exhibit.name}.svg)", ""),
        f"Textbook ({exhibit.book}): {counts[0]} operations; mbsym: {counts[1]}. {motion}",
        *("", f"<div>{formulas}</div>", "", "<details><summary>C</summary>", "", "```c"),
        *(_code(exhibit), "```", "", "</details>", ""),
    ]


def _code(exhibit: Exhibit) -> str:
    """Mass matrix and bias forces as generated."""
    options = GenerationOptions(("c",), ("mass_matrix", "bias_force"), symbolic_parameters="all")
    _, files = generate_files(exhibit.model, options)
    text = next(file.text for file in files if file.name.endswith(".c"))
    return "\n".join(re.findall(rf"^void {exhibit.name}_\w+\(.*?^}}\n", text, re.MULTILINE | re.DOTALL)).rstrip()


def _draw(exhibit: Exhibit, folder: Path) -> None:
    initial = {name: float(value) for name, value in exhibit.start.items()}
    speeds = {joint.name: (joint.speeds or (f"v_{joint.name}",))[0] for joint in exhibit.model.joints}
    tau = {speeds[joint]: float(force) for joint, force in exhibit.held.items()}
    motion = simulate(
        exhibit.model,
        DURATION,
        output_step=0.02,
        initial=initial,
        loads=Loads(tau=tau),
        accuracy=Accuracy(rtol=1e-6),
        preparation=Preparation("numpy"),
    )
    motion.animate(folder / f"{exhibit.name}.html", force=True)
    (folder / f"{exhibit.name}.svg").write_text(motion.picture().html, encoding="utf-8")

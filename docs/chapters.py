"""Chapters of the documentation site: the pages of a folder are a chapter, so that a new page needs no list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

CHAPTERS = {
    "tutorial": ("Tutorial", "From a file to a controller in a quarter of an hour."),
    "how_to": ("How to", "One task a page."),
    "": ("Topics", "What there is, a page for each thing."),
    "explanations": ("Explanations", "Why it is so."),
    "built": ("Reference", "Read from the code: nothing here is written by hand."),
    "gallery": ("Gallery", "Mechanisms with their equations, and generated code worth reading."),
    "adding": ("The house", "How mbsym is built, and how to add to it."),
}
"""Folders of pages in the order of the chapters, with title and sentence; "" has the pages that lie in none."""

ELSEWHERE = {
    "index": None,
    "architecture": "adding",
    "built/contributing": "adding",
    "built/changelog": "adding",
    "built/exemplars": "gallery",
    "built/gallery": "gallery",
}
"""Pages that lie in no folder and stand in another chapter, or in none."""

ALSO = {
    "how_to": (
        ("constraint_forces", "Forces in joints by the constraint force algorithm"),
        ("transfer_matrix", "Steps by transfer matrices"),
        ("identification", "Parameters from measurements"),
        ("linear_analysis", "A linear model, equilibria and modes"),
        ("beams", "Beams in motion: loops, large deflections, rotation"),
        ("vibration", "Beams that bend, and how they vibrate"),
        ("embedded", "C on a microcontroller"),
        ("consumers", "Code for CasADi, acados, FMI, ROS 2, Rust, C++, Simulink and others"),
        ("batches", "Millions of states"),
    )
}
"""Pages among the topics that a chapter leads to as well, with what they are for there."""

FIRST = ("architecture", "built/contributing", "built/gallery")
"""Pages that open their chapters; the others follow by their titles."""


def chapter_pages(docs: Path) -> dict[str, str]:
    """Texts of the pages that open the chapters, by their names in the folder ``built``."""
    chapters: dict[str, list[str]] = {folder: [] for folder in CHAPTERS}
    for name, folder in _pages(docs):
        chapters[folder].append(name)
    return {
        f"chapter_{folder or 'topics'}.md": _opening(docs, folder, names) for folder, names in chapters.items() if names
    }


def contents(docs: Path) -> str:
    """The list of chapters on the first page, which the side of every page shows."""
    return _listing([f"built/{name.removesuffix('.md')}" for name in chapter_pages(docs)], ":hidden:")


def _pages(docs: Path) -> Iterator[tuple[str, str]]:
    """Pages by their names without suffix, and the folders of their chapters; those of other folders are topics."""
    for path in sorted(docs.rglob("*.md")):
        name = path.relative_to(docs).with_suffix("").as_posix()
        folder = ELSEWHERE.get(name, name.partition("/")[0] if "/" in name else "")
        if folder is not None and not path.name.startswith("chapter_"):
            yield name, folder if folder in CHAPTERS else ""


def _opening(docs: Path, folder: str, names: list[str]) -> str:
    title, sentence = CHAPTERS[folder]
    names = sorted(names, key=lambda name: (name not in FIRST, _title(docs / f"{name}.md").lower()))
    listing = _listing([f"../{name}" for name in names], ":maxdepth: 1")
    also = [f"* [{words}](../{name}.md)" for name, words in ALSO.get(folder, ()) if (docs / f"{name}.md").is_file()]
    more = ["Longer tasks have a page among the topics:", "", *also, ""] if also else []
    return "\n".join([f"# {title}", "", sentence, "", listing, *more])


def _title(path: Path) -> str:
    found = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else path.stem


def _listing(names: list[str], option: str) -> str:
    return "\n".join(["```{toctree}", option, "", *names, "```", ""])

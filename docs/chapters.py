"""Chapters of the documentation: pages of a folder are a chapter, topics stand in groups by what they are for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

CHAPTERS = {
    "tutorial": ("Tutorials", "One mechanism each, from its file to a result, in a quarter of an hour."),
    "how_to": ("How to", "One task a page."),
    "coming_from": ("Coming from", "What you know elsewhere, and where it is here."),
    "model": ("Model", "What the file of a mechanism can say."),
    "derive": ("Derive", "Equations to read, to compare and to compute with."),
    "control": ("Control", "Controllers, linear models, modes and vibration."),
    "identify": ("Identify", "Parameters from measured motions and forces."),
    "ship": ("Ship", "Generated code: what holds of it, where it runs, what makes it short."),
    "trust": ("Trust", "What is proven, what is measured, and how to check it yourself."),
    "explanations": ("Explanations", "Why it is so."),
    "adding": ("The house", "How mbsym is built, and how to add to it."),
    "built": ("Reference", "Read from the code: nothing here is written by hand."),
    "gallery": ("Gallery", "Mechanisms with their equations, and generated code worth reading."),
}
"""Chapters by the folders of their pages, or by their groups of topics: title and sentence."""

PARTS = {
    "Learn": ("tutorial", "how_to", "coming_from"),
    "Topics": ("model", "derive", "control", "identify", "ship", "trust"),
    "Inside": ("explanations", "adding"),
    "Look up": ("built", "gallery"),
}
"""Chapters in the order in which the side of every page shows them."""

TOPICS = {
    "model": (
        *("model_file", "expressions", "joints", "parts", "robot_files", "geometry", "frames", "closed_loops"),
        *("rolling", "forces", "contacts", "drives", "transmissions", "tables", "motions", "limits", "beams"),
    ),
    "derive": ("short_forms", "own_equations", "quantities", "derivatives", "constraint_forces", "transfer_matrix"),
    "control": ("control", "linear_analysis", "vibration"),
    "identify": ("identification",),
    "ship": (
        *("generated_c", "embedded", "consumers", "batches", "statuses", "operations", "limbs", "any_size"),
        "combinations",
    ),
    "trust": ("certificate", "exact", "rounding_bounds", "safety_report", "deliberate_faults", "papers"),
    "coming_from": ("comparison", "peers"),
}
"""Pages that lie in no folder, by their groups, in the order in which they are read."""

ELSEWHERE = {
    "index": None,
    "architecture": "adding",
    "built/readme": None,
    "built/contributing": "adding",
    "built/changelog": "adding",
    "built/security": "trust",
    "built/code_of_conduct": "adding",
    "built/exemplars": "gallery",
    "built/gallery": "gallery",
}
"""Further pages that stand in another chapter, or in none."""

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
    ),
}
"""Pages of other chapters that a chapter leads to as well, with what they are for there."""

FIRST = ("tutorial/cart_pole", "architecture", "built/contributing", "built/gallery")
"""Pages that open their chapters; topics follow in the order of their group, others by their titles."""

PAGES = re.compile(r"(?<=<!-- pages by chapters -->\n).*?(?=<!-- end of pages -->)", re.DOTALL)


def chapter_pages(docs: Path) -> dict[str, str]:
    """Texts of the pages that open the chapters, by their names in the folder ``built``.

    Raises:
        ValueError: a page lies in no folder and stands in no group.
    """
    return {f"chapter_{key}.md": _opening(docs, key, names) for key, names in _chapters(docs).items()}


def contents(docs: Path) -> str:
    """The list of chapters on the first page, by parts, which the side of every page shows."""
    there = _chapters(docs)
    lists = []
    for part, keys in PARTS.items():
        names = [f"built/chapter_{key}" for key in keys if key in there]
        names[:0] = ["Overview <built/readme>"] if part == "Learn" else []
        lists.append(_listing(names, ":hidden:", f":caption: {part}"))
    return "\n".join(lists)


def with_pages(text: str, docs: Path) -> str:
    """The text, with all pages that are written by hand between the marks of the list, by chapters."""
    return PAGES.sub(lambda _: _pages_by_chapters(docs), text)


def _pages_by_chapters(docs: Path) -> str:
    lines = [""]
    for key, names in _chapters(docs).items():
        links = [f"[{_title(docs / f'{name}.md')}]({name}.md)" for name in names if not name.startswith("built/")]
        if key not in ("built", "gallery"):
            title, sentence = CHAPTERS[key]
            lines += [f"**{title}.** {sentence}\\", " · ".join(links), ""]
    return "\n".join([*lines, ""])


def _chapters(docs: Path) -> dict[str, list[str]]:
    """Names of the pages without suffix by chapters, in the order of both."""
    found: dict[str, list[str]] = {key: [] for keys in PARTS.values() for key in keys}
    for name, key in _pages(docs):
        found[key].append(name)
    places = {name: place for names in TOPICS.values() for place, name in enumerate(names)}
    for names in found.values():
        names.sort(key=lambda name: (name not in FIRST, places.get(name, 99), _title(docs / f"{name}.md").lower()))
    return {key: names for key, names in found.items() if names}


def _pages(docs: Path) -> Iterator[tuple[str, str]]:
    """Pages by their names without suffix, and their chapters."""
    groups: dict[str, str | None] = {name: key for key, names in TOPICS.items() for name in names} | ELSEWHERE
    for path in sorted(docs.rglob("*.md")):
        name = path.relative_to(docs).with_suffix("").as_posix()
        if name not in groups and "/" not in name:
            raise ValueError(f"docs/{name}.md stands in no group: name it in TOPICS of docs/chapters.py")
        key = groups.get(name, name.partition("/")[0])
        if key is not None and not path.name.startswith("chapter_"):
            yield name, key


def _opening(docs: Path, key: str, names: list[str]) -> str:
    title, sentence = CHAPTERS[key]
    listing = _listing([f"../{name}" for name in names], ":maxdepth: 1")
    also = [f"* [{words}](../{name}.md)" for name, words in ALSO.get(key, ()) if (docs / f"{name}.md").is_file()]
    more = ["Pages of other chapters that belong here too:", "", *also, ""] if also else []
    return "\n".join([f"# {title}", "", sentence, "", listing, *more])


def _title(path: Path) -> str:
    found = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else path.stem


def _listing(names: list[str], *options: str) -> str:
    return "\n".join(["```{toctree}", *options, "", *names, "```", ""])

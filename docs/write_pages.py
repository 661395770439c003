"""Writes what machines write in the pages: the picture of the house, excerpts of files, and what code prints.

    python docs/write_pages.py

What is done with each block of a page: see ``blocks.py``; lists that are read from the code: ``lists.py``.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
sys.path[:0] = [str(DOCS), str(ROOT)]


def pages() -> list[Path]:
    """All pages that are written by hand."""
    return sorted(path for path in DOCS.rglob("*.md") if path.parent.name != "built")


def written(text: str, where: str = "page") -> str:
    """A page with its excerpts, outputs, lists and list of pages as they are now."""
    from blocks import Page
    from chapters import with_pages
    from lists import with_lists

    with tempfile.TemporaryDirectory() as scratch, chdir(scratch):
        return with_lists(with_pages(Page(where).written(text), DOCS))


def main() -> None:
    """Writes the picture and all pages, or the pages that are named."""
    import draw_house

    named = [Path(name).resolve() for name in sys.argv[1:]]
    if not named:
        draw_house.main()
    for page in named or pages():
        text = page.read_text(encoding="utf-8")
        new = written(text, page.relative_to(ROOT).as_posix())
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(f"wrote {os.path.relpath(page)}")


if __name__ == "__main__":
    main()

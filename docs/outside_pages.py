"""Texts of the repository that stand beside the pages are pages of the site; what else a page leads to is handed over
as a file.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

OUTSIDE = {
    "README.md": "built/readme.md",
    "CONTRIBUTING.md": "built/contributing.md",
    "CHANGELOG.md": "built/changelog.md",
    "SECURITY.md": "built/security.md",
    "CODE_OF_CONDUCT.md": "built/code_of_conduct.md",
    "generated/README.md": "built/exemplars.md",
}
"""Texts of the repository by their paths, and the pages that they are."""

LINK = re.compile(
    r"(?P<open>!?\[(?:[^\[\]\n]|!\[[^\]\n]*\]\([^)\n]*\))*\])\((?P<target>[^)\s#:]+)(?P<place>#[^)\s]*)?\)"
)
CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def outside_pages(root: Path) -> dict[str, str]:
    """Texts of these pages by the names of their files in the folder ``built``."""
    return {name.removeprefix("built/"): (root / path).read_text(encoding="utf-8") for path, name in OUTSIDE.items()}


def led_into_the_site(text: str, page: str, root: Path) -> str:
    """A page whose links to files beside the pages lead to pages where there are such, to files elsewhere.

    Args:
        text: Markdown.
        page: its address in the folder of the pages.
        root: of the repository.
    """
    source = {name: path for path, name in OUTSIDE.items()}.get(page, f"docs/{page}")

    def led(found: re.Match[str]) -> str:
        path = os.path.normpath(os.path.join(os.path.dirname(source), found["target"]))
        if path.startswith("..") or not (root / path).exists():
            return found[0]  # Sphinx will say so
        if (root / path).is_dir():
            return found["open"][1:-1]
        here = os.path.dirname(page)
        address = OUTSIDE.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else "")
        if address.endswith(".md") or found["open"].startswith("!"):
            return f"{found['open']}({os.path.relpath(address, here or '.')}{found['place'] or ''})"
        return f"{found['open']}(path:{os.path.relpath(os.path.join('..', path), here or '.')})"

    parts = CODE.split(text)
    return "".join(part if place % 2 else LINK.sub(led, part) for place, part in enumerate(parts))

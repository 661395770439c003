"""Checks the links of a built site: every page, file and place that one of its pages leads to is there.

    python docs/check_links.py build/site

Addresses elsewhere may be led to, and are not asked; nothing may be loaded from elsewhere, so that the site can be
read without a network.
"""

from __future__ import annotations

import posixpath
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


def broken_links(site: Path) -> list[str]:
    """What is wrong with the links of a site, as PAGE: LINK."""
    pages = {path.relative_to(site).as_posix(): _Page(path) for path in sorted(site.rglob("*.html"))}
    faults = []
    for name, page in pages.items():
        faults += [f"{name}: {address} is loaded from elsewhere" for address in page.loaded if urlsplit(address).netloc]
        for address in (*page.led_to, *page.loaded):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc or not address:
                continue
            path = unquote(parts.path)
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if not (site / target).is_file():
                faults.append(f"{name}: {address}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                faults.append(f"{name}: {address} has no such place")
    return faults


class _Page(HTMLParser):
    """Where a page leads, what it loads, and the places in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.led_to: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what a tag says."""
        said = {name: value or "" for name, value in attrs}
        self.places.update(said[name] for name in ("id", "name") if name in said)
        if tag == "a" and "href" in said:
            self.led_to.append(said["href"])
        elif tag == "link" and said.get("rel") in ("stylesheet", "icon", "preload") and "href" in said:
            self.loaded.append(said["href"])
        elif tag in ("img", "script", "iframe", "source", "video") and said.get("src"):
            self.loaded.append(said["src"])


def main() -> int:
    """Prints what is wrong; 1 where anything is."""
    faults = broken_links(Path(sys.argv[1]))
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

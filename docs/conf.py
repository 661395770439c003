"""The documentation site. A warning is an error, and so is a link that leads nowhere:

    sphinx-build -W --keep-going -q docs build/site

Which page stands where: see ``chapters.py``. The reference is read from the code.
"""

from __future__ import annotations

import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(DOCS), str(ROOT)]

project = "mbsym"
release = import_module("mbsym.version").__version__
copyright = "the mbsym authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["*.py", "house.toml"]
smartquotes = False  # options begin with two hyphens, and quotation marks of files are those that stand there

html_theme = "furo"
html_title = "mbsym"
html_static_path = ["site"]
html_css_files = ["site.css"]
templates_path = ["theme"]
html_sidebars = {
    "**": [
        *("sidebar/brand.html", "versions.html", "sidebar/search.html", "sidebar/scroll-start.html"),
        *("sidebar/navigation.html", "sidebar/scroll-end.html"),
    ]
}
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"source_edit_link": "", "source_view_link": ""}
pygments_style = "tango"
pygments_dark_style = "github-dark"

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline", "colon_fence"]
suppress_warnings = ["misc.highlighting_failure"]  # a page shows a line of output with a $ before it

add_module_names = False  # most names are imported from mbsym itself, whatever module they live in
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_use_ivar = True
napoleon_use_rtype = False
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True


def setup(app: Any) -> None:
    """Writes reference and chapters before the pages are read, and checks all links once they are written."""
    app.connect("config-inited", _write_pages)
    app.connect("source-read", _read_page)
    app.connect("env-get-outdated", lambda *_: ["index"])  # it holds the list of chapters
    app.connect("build-finished", _check_links)


def _write_pages(app: Any, config: Any) -> None:
    from chapters import chapter_pages
    from error_pages import errors_page
    from gallery_pages import write_gallery
    from outside_pages import outside_pages
    from reference_pages import reference_pages

    folder = DOCS / "built"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    write_gallery(folder)
    (folder / "errors.md").write_text(errors_page(), encoding="utf-8")
    for pages in (reference_pages, lambda: outside_pages(ROOT), lambda: chapter_pages(DOCS)):
        for name, text in pages().items():
            (folder / name).write_text(text, encoding="utf-8")


def _read_page(app: Any, name: str, source: list[str]) -> None:
    from chapters import contents
    from outside_pages import led_into_the_site

    if name == "index":
        source[0] += f"\n{contents(DOCS)}"
    source[0] = led_into_the_site(source[0], f"{name}.md", ROOT)


def _check_links(app: Any, exception: Exception | None) -> None:
    from check_links import broken_links
    from sphinx.errors import SphinxError

    if exception is None and app.builder.name == "html":
        faults = broken_links(Path(app.outdir))
        if faults:
            raise SphinxError("links that lead nowhere:" + "".join(f"\n  {fault}" for fault in faults))

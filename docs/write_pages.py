"""Writes what machines write in the pages: the picture of the house, excerpts of tests, and what code prints.

    python docs/write_pages.py

In a page, the block after `<!-- excerpt of FILE: NAME, NAME -->` holds the named definitions of a Python file, or the
whole file where no name is given. Every other Python block is run, all of a page in one namespace and an empty
directory; a block of text that follows at once holds what it printed.
"""

from __future__ import annotations

import ast
import io
import os
import re
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = (
    DOCS / "architecture.md",
    DOCS / "consumers.md",
    DOCS / "control.md",
    DOCS / "derivatives.md",
    DOCS / "frames.md",
    DOCS / "identification.md",
    DOCS / "linear_analysis.md",
    DOCS / "geometry.md",
    DOCS / "own_equations.md",
    DOCS / "robot_files.md",
    DOCS / "statuses.md",
    *sorted((DOCS / "adding").glob("*.md")),
)

BLOCK = re.compile(
    r"(?P<excerpt><!-- excerpt of (?P<file>\S+?)(?:: (?P<names>[^>]*?))? -->\n)?"
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```\n"
    r"(?P<printed>\n```text\n.*?^```\n)?",
    re.DOTALL | re.MULTILINE,
)


def excerpt(path: Path, names: tuple[str, ...]) -> str:
    """The source of top-level definitions of a file, in the order of the names; the whole file without names.

    Raises:
        KeyError: the file defines no such name.
    """
    text = path.read_text(encoding="utf-8")
    if not names:
        return text
    lines = text.splitlines()
    places: dict[str, tuple[int, int]] = {}
    for node in ast.parse(text).body:
        end = node.end_lineno or node.lineno
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            places[node.name] = (start, end)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            places.update({target.id: (node.lineno, end) for target in targets if isinstance(target, ast.Name)})
    cut = ["\n".join(lines[places[name][0] - 1 : places[name][1]]) for name in names]
    return "\n\n\n".join(cut) + "\n"


def printed(code: str, where: str, namespace: dict[str, object]) -> str:
    """What a block prints."""
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(code, where, "exec"), namespace)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def written(text: str, where: str = "page") -> str:
    """A page with its excerpts and outputs as they are now."""
    namespace: dict[str, object] = {"__name__": "page"}

    def replaced(found: re.Match[str]) -> str:
        if found["excerpt"]:
            names = tuple(name.strip() for name in (found["names"] or "").split(",") if name.strip())
            code = excerpt(ROOT / found["file"], names)
            return f"{found['excerpt']}```{found['language']}\n{code}```\n{found['printed'] or ''}"
        if found["language"] != "python":
            return found[0]
        output = printed(found["code"], where, namespace)
        if bool(output) != bool(found["printed"]):
            said = "prints, but no block of text follows" if output else "prints nothing, but a block of text follows"
            raise ValueError(f"{where}: a block {said}:\n{found['code']}")
        return f"```python\n{found['code']}```\n" + (f"\n```text\n{output}```\n" if output else "")

    with tempfile.TemporaryDirectory() as scratch, chdir(scratch):
        return BLOCK.sub(replaced, text)


def main() -> None:
    """Writes the picture and all pages."""
    sys.path[:0] = [str(DOCS), str(ROOT)]
    import draw_house

    draw_house.main()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        new = written(text, page.relative_to(ROOT).as_posix())
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(f"wrote {os.path.relpath(page)}")


if __name__ == "__main__":
    main()

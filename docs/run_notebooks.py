"""Runs the notebooks in examples/notebooks and writes what their cells show, without a kernel:

    python docs/run_notebooks.py

A cell is Python; what its last line is worth is shown, as text and as the HTML or picture that it has for notebooks.
"""

from __future__ import annotations

import ast
import io
import json
import os
import sys
import tempfile
from base64 import b64encode
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "examples" / "notebooks"

LARGEST_OUTPUT = 60_000
"""Letters of HTML above which a committed notebook holds the text alone."""


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its cells, run one after the other in an empty directory."""
    names: dict[str, object] = {"__name__": "notebook"}
    cells = []
    with tempfile.TemporaryDirectory() as scratch, chdir(scratch):
        for number, cell in enumerate(notebook["cells"]):
            if cell["cell_type"] == "code":
                cell = {**cell, "execution_count": None, "outputs": _outputs("".join(cell["source"]), number, names)}
            cells.append(cell)
    return {**notebook, "cells": cells}


def texts(notebook: dict[str, Any]) -> list[str]:
    """What the cells show as text, which is the same on every machine."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    return ["".join(output["text"] if "text" in output else output["data"]["text/plain"]) for output in outputs]


def _outputs(source: str, number: int, names: dict[str, object]) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    value: object = None
    with redirect_stdout(out):
        exec(compile(tree, f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    found: list[dict[str, Any]] = []
    if out.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": out.getvalue().splitlines(keepends=True)})
    if value is not None:
        data = {mime: text.splitlines(keepends=True) for mime, text in _shown(value).items()}
        found.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data})
    return found


def _shown(value: Any) -> dict[str, str]:
    """A value by kinds of content."""
    found = {"text/plain": repr(value)}
    if hasattr(value, "savefig"):
        stream = io.BytesIO()
        value.savefig(stream, format="png", dpi=60)
        return {"text/plain": "<Figure>", "image/png": b64encode(stream.getvalue()).decode("ascii")}
    if hasattr(value, "_repr_html_") and len(value._repr_html_()) <= LARGEST_OUTPUT:
        found["text/html"] = value._repr_html_()
    return found


def main() -> None:
    """Writes all notebooks whose text is not what it was."""
    sys.path[:0] = [str(ROOT)]
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        old = json.loads(path.read_text(encoding="utf-8"))
        new = executed(old)
        if texts(new) != texts(old):
            path.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            print(f"wrote {os.path.relpath(path)}")


if __name__ == "__main__":
    main()

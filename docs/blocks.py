"""Blocks of code in pages: each is run, read or drawn from a file, and what it prints is written anew.

Language decides what is done: Python is run, all of a page in one namespace; lines of a console are commands, a text
below a line is what it prints, in which a line ``...`` stands for any lines; ``# exit status 2`` behind a line says
that it is to end so. Data are read by their parsers, and a whole model is kept as NAME.yaml for the commands after it.
All of a page happens in one empty directory. Before a block may stand

    <!-- excerpt of FILE: NAME, NAME -->    the block holds these definitions of a Python file, or the whole file
    <!-- file NAME -->                      the block is kept as this file, for what comes after it
    <!-- more of NAME -->                   the block is put behind what this file has
    <!-- not run: REASON -->                nothing is done with the block
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from xml.etree import ElementTree

import yaml

ROOT = Path(__file__).resolve().parents[1]

BLOCK = re.compile(
    r"(?P<word><!-- (?P<kind>excerpt of|file|more of|not run:) (?P<what>[^>]*?) -->\n)?"
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```\n"
    r"(?P<printed>\n```text\n.*?^```\n)?",
    re.DOTALL | re.MULTILINE,
)


class Page:
    """The blocks of a page, one after the other, in the current directory."""

    def __init__(self, where: str) -> None:
        """Nothing has happened yet.

        Args:
            where: the page's name, for errors.
        """
        self.where = where
        self.names: dict[str, object] = {"__name__": "page"}

    def written(self, text: str) -> str:
        """The page with its excerpts and outputs as they are now.

        Raises:
            ValueError: a block fails, or prints what has no place, or nothing where something is shown.
        """
        return BLOCK.sub(self._block, text)

    def _block(self, found: re.Match[str]) -> str:
        word, code, language = found["word"] or "", found["code"], found["language"]
        if found["kind"] == "excerpt of":
            path, _, names = found["what"].partition(":")
            code = excerpt(ROOT / path, tuple(name.strip() for name in names.split(",") if name.strip()))
        elif found["kind"] in ("file", "more of"):
            with open(found["what"], "w" if found["kind"] == "file" else "a", encoding="utf-8") as file:
                file.write(code)
        elif found["kind"] != "not run:":
            if language == "python":
                return self._python(code, bool(found["printed"]))
            if language not in LANGUAGES:
                raise ValueError(f"{self.where}: nothing is known of the language {language!r}:\n{code}")
            code = LANGUAGES[language](code, self.where)
        return f"{word}```{language}\n{code}```\n{found['printed'] or ''}"

    def _python(self, code: str, shown: bool) -> str:
        output = printed(code, self.where, self.names)
        if bool(output) != shown:
            said = "prints, but no block of text follows" if output else "prints nothing, but a block of text follows"
            raise ValueError(f"{self.where}: a block {said}:\n{code}")
        return f"```python\n{code}```\n" + (f"\n```text\n{output}```\n" if output else "")


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
    """What a block of Python prints."""
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(code, where, "exec"), namespace)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


# ---- commands -------------------------------------------------------------------------------------------------------


def console(code: str, where: str) -> str:
    """A block of commands, run; without prompts every line is one, with prompts what a line prints is written anew."""
    if not re.search(r"^\$ ", code, re.MULTILINE):
        for line in code.splitlines():
            _run(line, where)
        return code
    parts = re.split(r"^(\$ .*\n)", code, flags=re.MULTILINE)
    texts = [parts[0]]
    for line, shown in zip(parts[1::2], parts[2::2], strict=True):
        output = _run(line[2:], where)
        texts += [line, shown if not shown.strip() or agrees(shown, output) else output]
    return "".join(texts)


def agrees(shown: str, output: str) -> bool:
    """True where the output is the text shown, in which a line ``...`` stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*?".join(parts), output) is not None


def _run(line: str, where: str) -> str:
    """What a line of commands prints."""
    line, _, remark = line.partition(" #")
    found = re.search(r"exit status (\d)", remark)
    wanted = int(found[1]) if found else 0
    output = ""
    commands = line.strip().split(" && ")
    for number, command in enumerate(commands, start=1):
        text, status = _mbsym(command) if command.startswith("mbsym ") else _shell(command)
        if status != (wanted if number == len(commands) else 0):
            raise ValueError(f"{where}: {command!r} ends with status {status}:\n{text}")
        output += text
    return output


def _mbsym(command: str) -> tuple[str, int]:
    from mbsym.cli import main

    out, said = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(said):
        status = main(shlex.split(command)[1:])
    return (said.getvalue() if status else out.getvalue()), status


def _shell(command: str) -> tuple[str, int]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, check=False
    )
    return done.stdout, done.returncode


# ---- data -----------------------------------------------------------------------------------------------------------


def yaml_block(code: str, where: str) -> str:
    """A block of YAML, read; a whole model is validated and kept as NAME.yaml."""
    found = yaml.safe_load(code)
    if isinstance(found, dict) and {"name", "bodies"} <= found.keys():
        from mbsym.formats.native import read_native
        from mbsym.formats.text_source import TextSource

        read_native(TextSource(where, code))
        Path(f"{found['name']}.yaml").write_text(code, encoding="utf-8")
    return code


def _read_by(parser: Callable[[str], object]) -> Callable[[str, str], str]:
    def read(code: str, where: str) -> str:
        parser(code)
        return code

    return read


LANGUAGES: dict[str, Callable[[str, str], str]] = {
    "console": console,
    "sh": console,
    "yaml": yaml_block,
    "json": _read_by(json.loads),
    "toml": _read_by(tomllib.loads),
    "xml": _read_by(lambda code: ElementTree.fromstring(f"<all>{code}</all>")),
    "text": _read_by(str),
}
"""What is done with blocks of a language."""

"""Faults planted in the text of generated C, one at a time: a constant that is a little off, a turned sign."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mechanisms.generated_c import run

_BODY: Final = re.compile(r"^\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_STATEMENT: Final = re.compile(r" = ([^;{]*);")
_CONSTANT: Final = re.compile(r"(?<![\w.])\d+\.\d*(?:e[-+]?\d+)?f?")
_SIGN: Final = re.compile(r"(?<=[\w)\]] )[+-](?= [\w(])")


def planted(text: str, off: float) -> Iterator[tuple[str, str, str]]:
    """Kind of each fault, what stands there, and the text with it; 0 and 1 are no constants of a model."""
    for body in _BODY.finditer(text):
        for statement in _STATEMENT.finditer(text, body.start(1), body.end(1)):
            start = statement.start(1)
            for found in _CONSTANT.finditer(statement[1]):
                value = float(found[0].rstrip("f"))
                if value not in (0.0, 1.0):
                    new = f"{value * (1 + off):.17g}"
                    new += ("" if "." in new or "e" in new else ".0") + "f" * found[0].endswith("f")
                    yield "constant", found[0], text[: start + found.start()] + new + text[start + found.end() :]
            for found in _SIGN.finditer(statement[1]):
                turned = {"+": "-", "-": "+"}[found[0]]
                yield "sign", statement[1], text[: start + found.start()] + turned + text[start + found.end() :]


def seen(code: Path, text: str, test: Path) -> bool:
    """Whether the self-test, compiled beside, fails with the text."""
    changed = code.with_name(f"planted_{code.name}")
    changed.write_text(text, encoding="utf-8")
    program, object_file = code.with_suffix(".planted"), test.with_suffix(".o")
    if not object_file.is_file():
        assert run("gcc", "-std=c99", "-O0", "-c", str(test), "-o", str(object_file)).returncode == 0
    made = run("gcc", "-std=c99", "-O0", "-w", str(changed), str(object_file), "-lm", "-o", str(program))
    assert made.returncode == 0, made.stderr[:1000]
    return run(str(program)).returncode != 0

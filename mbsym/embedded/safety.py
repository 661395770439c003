"""NAME.safety.json and NAME.safety.md: what a safety case asks about generated C, from its text and from tools."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.manifest import SAFETY_SUFFIXES, json_text
from mbsym.embedded.c_source import CFunction, CSource, cycles, deepest, read_source
from mbsym.embedded.misra import DEVIATIONS, Findings, Verdict, check, verdicts
from mbsym.embedded.safety_text import safety_text
from mbsym.embedded.stack import Frames, frames_of
from mbsym.errors import CodegenError
from mbsym.version import __version__

SCHEMA: Final = 1
"""Of the report; raised when a field changes its meaning or goes."""

NORMAL: Final[Mapping[str, tuple[float, float]]] = {
    "float": (2.0**-126, (2.0 - 2.0**-23) * 2.0**127),
    "double": (sys.float_info.min, sys.float_info.max),
}
"""Magnitudes of the normal numbers of each type."""

_OF_THE_HEAP: Final = "malloc calloc realloc free alloca"
ALLOCATING: Final = frozenset(_OF_THE_HEAP.split())


def safety_report(files: Sequence[GeneratedFile]) -> tuple[GeneratedFile, GeneratedFile]:
    """The report of a module as JSON and as Markdown.

    The same files, compiler and checker give the same bytes. Where there is no compiler or no checker, the report says
    so in place of what they would tell.

    Args:
        files: of the module, its manifest last.

    Raises:
        CodegenError: the module is not written in C.
    """
    manifest = json.loads(files[-1].text)
    name = manifest["name"]
    texts = [file for file in files if file.name.endswith((".c", ".h")) and not file.name.endswith("_selftest.c")]
    if not texts:
        raise CodegenError("a safety report is about C, which is not there", where=name, remedy="generate C")
    sources = {file.name: read_source(file.text) for file in texts}
    report = _report(manifest, texts, sources, frames_of(texts), check(texts))
    contents = zip(SAFETY_SUFFIXES, (f"{json_text(report)}\n", safety_text(report)), strict=True)
    first, second = (GeneratedFile(f"{name}{suffix}", content) for suffix, content in contents)
    return first, second


def _report(
    manifest: Mapping[str, Any],
    texts: Sequence[GeneratedFile],
    sources: Mapping[str, CSource],
    frames: Frames,
    found: Findings,
) -> dict[str, Any]:
    functions = {item.name: (file, item) for file, source in sources.items() for item in source.functions}
    calls = {name: item.calls for name, (_, item) in functions.items()}
    macros = frozenset(macro for source in sources.values() for macro in source.macros)
    calls = {name: tuple(called for called in called_ if called not in macros) for name, called_ in calls.items()}
    own = {name: tuple(called for called in called_ if called in functions) for name, called_ in calls.items()}
    recursive = cycles(own)
    changing = tuple(variable for source in sources.values() for variable in source.changing)
    words = frozenset(word for source in sources.values() for word in source.words)
    quiet = f"{frames.compiler}, {' '.join(frames.command)}" if frames.is_quiet else ""
    rules = verdicts(words, found, quiet, recursive, changing)
    known = bool(frames.sizes) and not recursive
    depths = deepest({name: frames.sizes.get(name, 0) for name in functions}, own) if known else {}
    titles = {entry["c_symbol"]: entry["name"] for entry in manifest["functions"]}
    real = manifest["real"]
    return {
        "mbsym": __version__,
        "schema": SCHEMA,
        "name": manifest["name"],
        "model_sha256": manifest["model_sha256"],
        "real": real,
        "files": {file.name: sha256(file.text.encode()).hexdigest() for file in texts},
        "misra": _misra(rules, found),
        "memory": {
            "allocating_calls": sorted(ALLOCATING & {called for called_ in calls.values() for called in called_}),
            "variables_that_change": list(changing),
        },
        "recursion": list(recursive),
        "stack": {
            "compiler": frames.compiler,
            "command": " ".join(frames.command),
            "reason": frames.reason or ("functions call themselves" if recursive else ""),
        },
        "constants": _range(
            [
                *(text for source in sources.values() for text in source.constants),
                *(text for _, item in functions.values() for text in item.constants),
            ],
            real,
        ),
        "libraries": sorted({called for called_ in calls.values() for called in called_ if called not in functions}),
        "functions": [
            _function(file, replace(item, calls=calls[name]), titles, own[name], frames, depths, real)
            for name, (file, item) in functions.items()
        ],
    }


def _misra(rules: Sequence[Verdict], found: Findings) -> dict[str, Any]:
    return {
        "standard": "MISRA C:2023, which holds MISRA C:2012 and its amendments",
        "checker": found.checker if found.counts is not None else "",
        "reason": found.reason,
        "rules": [
            {
                "rule": rule.guideline.number,
                "category": rule.guideline.category,
                "category_2012": rule.guideline.former,
                "status": rule.status,
                "basis": rule.basis,
                "findings": rule.findings,
            }
            for rule in rules
        ],
        "deviations": [
            {
                "rule": rule.guideline.number,
                "category": rule.guideline.category,
                "reason": DEVIATIONS[rule.guideline.number].reason,
                "harmless": DEVIATIONS[rule.guideline.number].harmless,
                "findings": rule.findings,
            }
            for rule in rules
            if rule.status == "deviation"
        ],
    }


def _function(
    file: str,
    item: CFunction,
    titles: Mapping[str, str],
    calls: Sequence[str],
    frames: Frames,
    depths: Mapping[str, int],
    real: str,
) -> dict[str, Any]:
    return {
        "symbol": item.name,
        "function": titles.get(item.name, ""),
        "file": file,
        "line": item.line,
        "static": item.is_static,
        "lines": item.lines,
        "complexity": item.complexity,
        "nesting": item.nesting,
        "loops": item.loops,
        "returns": item.returns,
        "calls": list(calls),
        "libraries": [called for called in item.calls if called not in calls],
        "frame": frames.sizes.get(item.name, 0) if depths else None,
        "stack": depths.get(item.name),
        "constants": _range(item.constants, real),
    }


def _range(texts: Sequence[str], real: str) -> dict[str, Any]:
    """How many constants there are, the least and largest magnitude but zero, and what their type cannot hold well."""
    values = {text: abs(float(text.rstrip("fFlL"))) for text in texts}
    sizes = [value for value in values.values() if value]
    least, largest = NORMAL[real]
    return {
        "count": len(values),
        "least": min(sizes, default=0.0),
        "largest": max(sizes, default=0.0),
        "outside": [text for text, value in values.items() if value and not least <= value <= largest],
    }

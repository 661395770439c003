"""NAME.safety.json and NAME.safety.md: what a safety case asks about generated C, from its text and from tools."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.manifest import SAFETY_SUFFIXES, json_text
from mbsym.embedded.c_source import CFunction, CSource, cycles, deepest, read_source
from mbsym.embedded.misra import Findings, Verdict, check, verdicts
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


@dataclass(frozen=True, slots=True)
class _Calls:
    """Who calls whom; keys are FILE:NAME, with the name that compilers and linkers see.

    Attributes:
        functions: file and function, by key.
        own: keys of the module's functions that each calls.
        libraries: names of all others that it calls.
    """

    functions: Mapping[str, tuple[str, CFunction]]
    own: Mapping[str, tuple[str, ...]]
    libraries: Mapping[str, tuple[str, ...]]

    def names(self, keys: Iterable[str]) -> list[str]:
        """As they stand in the text."""
        return [self.functions[key][1].name for key in keys]


def _calls(sources: Mapping[str, CSource]) -> _Calls:
    """When macros have been put in."""
    aliases = {name: other for source in sources.values() for name, other in source.aliases.items()}
    functions = {
        f"{file}:{aliases.get(item.name, item.name)}": (file, item)
        for file, source in sources.items()
        for item in source.functions
    }
    macros: dict[str, set[str]] = {}
    for source in sources.values():
        for macro, called in source.macros.items():
            macros.setdefault(macro, set()).update(called)
    own, libraries = {}, {}
    for key, (file, item) in functions.items():
        called = _called(item, macros, aliases)
        own[key] = _own_calls(file, called, functions)
        known = {one.partition(":")[2] for one in own[key]}
        libraries[key] = tuple(name for name in called if name not in known)
    return _Calls(functions, own, libraries)


def _report(
    manifest: Mapping[str, Any],
    texts: Sequence[GeneratedFile],
    sources: Mapping[str, CSource],
    frames: Frames,
    found: Findings,
) -> dict[str, Any]:
    calls = _calls(sources)
    recursive = cycles(calls.own)
    changing = tuple(variable for source in sources.values() for variable in source.changing)
    words = frozenset(word for source in sources.values() for word in source.words)
    quiet = f"{frames.compiler}, {' '.join(frames.command)}" if frames.is_quiet else ""
    rules = verdicts(words, found, quiet, recursive, changing)
    libraries = sorted({name for called in calls.libraries.values() for name in called})
    constants = [text for source in sources.values() for text in source.constants]
    constants += [text for _, item in calls.functions.values() for text in item.constants]
    return {
        "mbsym": __version__,
        "schema": SCHEMA,
        "name": manifest["name"],
        "model_sha256": manifest["model_sha256"],
        "real": manifest["real"],
        "files": {file.name: sha256(file.text.encode()).hexdigest() for file in texts},
        "misra": _misra(rules, found),
        "memory": {
            "allocating_calls": sorted(ALLOCATING.intersection(libraries)),
            "variables_that_change": list(changing),
        },
        "recursion": calls.names(recursive),
        "stack": {
            "compiler": frames.compiler,
            "command": " ".join(frames.command),
            "reason": frames.reason or ("functions call themselves" if recursive else ""),
        },
        "constants": _range(constants, manifest["real"]),
        "libraries": libraries,
        "functions": _functions(manifest, calls, {} if recursive else frames.sizes),
    }


def _functions(manifest: Mapping[str, Any], calls: _Calls, frames: Mapping[str, int]) -> list[dict[str, Any]]:
    """Each function; of stack only where frames are known and nothing calls itself."""
    titles = {entry["c_symbol"]: entry["name"] for entry in manifest["functions"]}
    depths = deepest({key: frames.get(key, 0) for key in calls.functions}, calls.own) if frames else {}
    return [
        {
            **_function(file, item, titles.get(key.partition(":")[2], ""), manifest["real"]),
            "calls": calls.names(calls.own[key]),
            "libraries": list(calls.libraries[key]),
            "frame": frames.get(key, 0) if depths else None,
            "stack": depths.get(key),
        }
        for key, (file, item) in calls.functions.items()
    ]


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
                "reason": rule.basis,
                "harmless": rule.harmless,
                "findings": rule.findings,
            }
            for rule in rules
            if rule.status == "deviation"
        ],
    }


def _called(item: CFunction, macros: Mapping[str, Collection[str]], aliases: Mapping[str, str]) -> tuple[str, ...]:
    """What a function calls when its macros have been put in."""
    found: set[str] = set()
    front = {*item.calls, *(name for name in item.names if name in macros)}
    while front:
        found |= front
        front = {called for name in front for called in macros.get(name, ())} - found
    return tuple(sorted(aliases.get(name, name) for name in found.difference(macros)))


def _own_calls(file: str, called: Sequence[str], functions: Mapping[str, tuple[str, CFunction]]) -> tuple[str, ...]:
    """Keys of the module's functions of those names: the file's own, else another file's that is seen there."""
    found = []
    for name in called:
        elsewhere = (key for key, (_, item) in functions.items() if key.endswith(f":{name}") and not item.is_static)
        key = f"{file}:{name}" if f"{file}:{name}" in functions else next(elsewhere, None)
        found += [key] if key is not None else []
    return tuple(found)


def _function(file: str, item: CFunction, title: str, real: str) -> dict[str, Any]:
    return {
        "symbol": item.name,
        "function": title,
        "file": file,
        "line": item.line,
        "static": item.is_static,
        "lines": item.lines,
        "complexity": item.complexity,
        "nesting": item.nesting,
        "loops": item.loops,
        "returns": item.returns,
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

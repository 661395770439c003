"""What a certificate tells that other verbs found: bounds of rounding, the safety report, versions of tools.

Bounds and reports count where they are about the very texts that are verified; of others nothing is told.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

from mbsym.codegen.manifest import BOUNDS_SUFFIXES, SAFETY_SUFFIXES
from mbsym.codegen.manifest_reader import file_hash
from mbsym.errors import CodegenError
from mbsym.rounding.bounds_file import FunctionEntry, read_bounds

LIBRARIES: Final = ("python", "numpy", "scipy", "sympy")
"""On whose numbers a certificate rests."""


def tools_here() -> dict[str, str]:
    """Versions of what computes, by name, and the widest vectors that NumPy found, on which last digits depend."""
    wide = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found") or ["no"]
    return {
        **{name: platform.python_version() if name == "python" else version(name) for name in LIBRARIES},
        "vectors of numpy": wide[-1],
        "library of C": " ".join(filter(None, platform.libc_ver())),
        "processor": platform.machine(),
    }


def bounds_beside(directory: Path, name: str, files: Mapping[str, str]) -> dict[str, Any] | None:
    """What the bounds of a module say, as JSON data; None where there are none of these texts.

    Args:
        directory: of the module.
        name: of the module.
        files: SHA-256 of its files.

    Raises:
        CodegenError: there is a file of bounds that cannot be read.
    """
    file = directory / f"{name}{BOUNDS_SUFFIXES[0]}"
    if not file.is_file():
        return None
    told = read_bounds(file)
    if not told.files.items() <= files.items():
        return None
    for function in told.functions:
        if not len(function.inputs) == len(function.low) == len(function.high):
            raise CodegenError(
                f"{function.name}: its box is none of its inputs", where=str(file), remedy="certify again"
            )
    return {
        "file": file.name,
        "sha256": file_hash(file),
        "passed": told.passed,
        "real": told.real,
        "sine_units": told.sine_units,
        "contraction": told.contraction,
        "samples": told.samples,
        "functions": [_bounded(function) for function in told.functions],
        "not_bounded": dict(told.not_bounded),
    }


def _bounded(function: FunctionEntry) -> dict[str, Any]:
    """One function: the output of the largest bound, the worst sample of any, what is feared, and the box."""
    known = [(output.bound, output.name) for output in function.outputs if output.bound is not None]
    bound, output = max(known) if len(known) == len(function.outputs) and known else (None, "")
    return {
        "name": function.name,
        "bound": bound,
        "output": output,
        "worst_sample": max((item.worst_sample or 0.0 for item in function.outputs), default=0.0),
        "largest": function.largest,
        "parts": len(function.parts),
        "dangers": [f"{danger.what} in line {danger.line}: {danger.text}" for danger in function.dangers],
        "box": [list(row) for row in zip(function.inputs, function.low, function.high, strict=True)],
    }


def safety_beside(directory: Path, name: str, files: Mapping[str, str]) -> dict[str, Any] | None:
    """What the safety report of a module says, as JSON data; None where there is none of these texts.

    Args:
        directory: of the module.
        name: of the module.
        files: SHA-256 of its files.

    Raises:
        CodegenError: there is a report that cannot be read.
    """
    file = directory / f"{name}{SAFETY_SUFFIXES[0]}"
    if not file.is_file():
        return None
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
        return _safety(report, file) if report["files"].items() <= files.items() else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CodegenError(
            f"the safety report cannot be read: {type(error).__name__}: {error}",
            where=str(file),
            remedy="generate again with `safety_report`",
        ) from None


def _safety(report: Mapping[str, Any], file: Path) -> dict[str, Any]:
    rules: dict[str, list[str]] = {}
    for rule in report["misra"]["rules"]:
        rules.setdefault(rule["status"], []).append(rule["rule"])
    return {
        "file": file.name,
        "sha256": file_hash(file),
        "standard": report["misra"]["standard"],
        "checker": report["misra"]["checker"],
        "reason": report["misra"]["reason"],
        "rules": rules,
        "allocating_calls": report["memory"]["allocating_calls"],
        "variables_that_change": report["memory"]["variables_that_change"],
        "recursion": report["recursion"],
        "stack": {
            **{key: report["stack"][key] for key in ("compiler", "command", "reason")},
            "bytes": {item["function"]: item["stack"] for item in report["functions"] if item["function"]},
        },
    }

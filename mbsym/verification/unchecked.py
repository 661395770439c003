"""What a certificate does not show, named function by function: the first thing that its page tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from mbsym.rounding.options import NOT_ASKED
from mbsym.verification.commands import (
    again,
    bounding,
    checking,
    compiling,
    confirming,
    proving,
    refusing,
    reporting,
)

UNWATCHED: Final = "accesses to memory were not watched: the compiler has nothing that does (-fsanitize=address)"

PRINTED_ONLY: Final = "printed from the same functions, not run by mbsym"
"""What is said of files that no check has run."""


def unchecked(told: Mapping[str, Any]) -> list[dict[str, str]]:
    """What is not shown: what it is about, why or how far, and the command that tells the same.

    Args:
        told: the certificate as JSON data, but for this.
    """
    name, command = told["certificate"], again(told)
    found = [(what, why, command) for what, why in _unproven(told["exact"], name)]
    found += _unbounded(told["bounds"], name) if told["compiler"] else []
    for item in told["coverage"]["functions"]:
        found += [(item["function"], f"not reached: {way}", command) for way in item["not_reached"]]
    found += _untried(told, command)
    return [{"what": what, "why": why, "command": checked_by} for what, why, checked_by in found]


def _unproven(exact: Mapping[str, Any] | None, name: str) -> Iterator[tuple[str, str]]:
    if exact is None:
        yield "every function", f"not proven: the texts were not read back, which {proving(name)} does"
        return
    for outcome in ("not proven", "agrees"):
        rest = [item for item in exact["functions"] if item["outcome"] == outcome]
        for text, why in dict.fromkeys((item["text"], item.get("why", "")) for item in rest):
            names = _listed(item["function"] for item in rest if (item["text"], item.get("why", "")) == (text, why))
            yield f"{names or 'all'} in {text}", f"{'not proven' if outcome == 'not proven' else 'agrees only'}: {why}"


def _unbounded(bounds: Mapping[str, Any] | None, name: str) -> Iterator[tuple[str, str, str]]:
    if bounds is None:
        yield (
            "every function in c",
            "rounding errors, overflow and division by zero are not bounded: "
            f"no {name}.bounds.json is about these texts, which {bounding(name)} writes",
            confirming(name),
        )
        return
    for item in bounds["functions"]:
        for danger in item["dangers"]:
            yield item["name"], f"feared inside the box: {danger}", confirming(name)
    for why in dict.fromkeys(bounds["not_bounded"].values()):
        names = _listed(each for each, own in bounds["not_bounded"].items() if own == why)
        command = confirming(name) if why == NOT_ASKED else refusing(name, names)
        yield names, f"rounding errors are not bounded: {why}", command


def _untried(told: Mapping[str, Any], command: str) -> Iterator[tuple[str, str, str]]:
    """What holds of the module as a whole."""
    name = told["certificate"]
    for file in told["not_run"]:
        yield file, PRINTED_ONLY, command
    if told["compiler"] and not told["watched_with"]:
        yield "memory", UNWATCHED, command
    if told["compiler"] and not told["also_compiled"]:
        yield (
            "other compilers",
            f"{told['compiler']} alone was tried; {compiling(name, 'clang -O3')} tries another",
            command,
        )
    if told["compiler"] and told["safety"] is None:
        yield (
            "MISRA C and stack",
            f"no {name}.safety.json is about these texts, which {reporting('MODEL')} writes",
            checking(name),
        )
    elif told["safety"] is not None:
        for status, meaning in (("finding", "a finding without a record"), ("open", "for the product's own review")):
            rules = told["safety"]["rules"].get(status)
            if rules:
                yield f"MISRA C {_listed(rules)}", meaning, checking(name)
    yield "other programs", "no witness but the reference of mbsym was asked about this model", command


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)

"""Checks of motions: what their laws may hold, where they begin, and whether they jump."""

from __future__ import annotations

from typing import Final

from mbsym.errors import MbsymError
from mbsym.model.motion import PrescribedMotion
from mbsym.model.system import Model
from mbsym.model.table_checks import check_followed
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Symbols
from mbsym.values.diagnostic import Findings, Path
from mbsym.values.entry_checks import check_values
from mbsym.values.numbers import evaluate, to_scalar, value_names
from mbsym.values.table_pieces import by_name

JUMPS: Final = {"sign": "sign", "select": "a choice"}
"""Kinds of values that jump, in words."""

BENDS: Final = {"abs": "abs", "min": "min", "max": "max"}
"""Kinds of values whose rates jump."""


def check_laws(model: Model, findings: Findings) -> None:
    """Notes what motions cannot follow, and warns of what they may not be meant to."""
    for index, motion in enumerate(model.motions):
        path: Path = ("motions", index)
        word = f"motion {motion.name!r}"
        check_values(motion, path, word, findings)
        if findings.failed:
            continue
        check_followed(model.tables, str(motion.law), motion.gives == "position", word, (*path, "law"), findings)
        if not findings.failed:
            _check_jumps(model, motion, word, (*path, "law"), findings)
            _check_start(model, motion, (*path, "law"), findings)


def _check_jumps(model: Model, motion: PrescribedMotion, word: str, path: Path, findings: Findings) -> None:
    """Warns of laws that may make a speed jump, which takes an impulse."""
    if motion.gives == "acceleration":
        return
    graph = Graph()
    graph.definitions = by_name(model.tables)
    law = to_scalar(motion.law, graph, Symbols(graph, dict.fromkeys(value_names(motion.law))))
    kinds = {str(graph.kinds[node]) for node in graph.reachable([law.ref])}
    told = {**JUMPS, **(BENDS if motion.gives == "position" else {})}
    found = [words for kind, words in told.items() if kind in kinds]
    if found:
        what = f"{word} has {' and '.join(found)} in its law: where the speed jumps by it, no result has the impulse"
        findings.warning(path, what, "take a smooth law, such as one with tanh, or see that its speed does not jump")


def _check_start(model: Model, motion: PrescribedMotion, path: Path, findings: Findings) -> None:
    """Warns of an initial value of a joint that is not where its motion begins, which counts."""
    joint = model.joint(motion.joint)
    if motion.gives != "position" or not joint.initial or {*value_names(motion.law)} - {*findings.numbers, "t"}:
        return
    try:
        begins = evaluate(motion.law, {**findings.numbers, "t": 0.0})
    except MbsymError:
        return  # it calls a table
    given = evaluate(joint.initial[motion.index], findings.numbers)
    if begins != given:
        own = f"joint {joint.name!r} has the initial value {given:g}"
        what = f"motion {motion.name!r} begins at {begins:g}, which counts, and {own}"
        findings.warning(path, what, "let the law begin there, or leave the initial value out")

"""Checks of motions: what their laws may hold, where they begin, and whether they jump."""

from __future__ import annotations

import re
from typing import Final

from mbsym.doors import numpy as np
from mbsym.errors import MbsymError
from mbsym.model.motion import PrescribedMotion
from mbsym.model.system import Model
from mbsym.symbolic.differentiate import gradient
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Symbols
from mbsym.values.diagnostic import Findings, Path
from mbsym.values.entry_checks import check_values
from mbsym.values.numbers import evaluate, to_scalar, value_names
from mbsym.values.table import Table
from mbsym.values.table_pieces import by_name, table_program

JUMPS: Final = {"sign": "sign", "select": "a choice"}
"""Kinds of values that jump, in words."""

BENDS: Final = {"abs": "abs", "min": "min", "max": "max"}
"""Kinds of values whose rates jump."""

LEVEL: Final = 1e-9
"""Slope at the end of a table, over that of its whole height, that is round-off."""


def check_laws(model: Model, findings: Findings) -> None:
    """Notes what motions cannot follow, and warns of what they may not be meant to."""
    for index, motion in enumerate(model.motions):
        path: Path = ("motions", index)
        word = f"motion {motion.name!r}"
        check_values(motion, path, word, findings)
        if findings.failed:
            continue
        called = set(re.findall(r"\w+(?=\s*\()", str(motion.law)))
        for table in model.tables:
            if table.name in called:
                _check_table(table, motion, f"{word} follows table {table.name!r}", (*path, "law"), findings)
        if not findings.failed:
            _check_jumps(model, motion, word, (*path, "law"), findings)
            _check_start(model, motion, (*path, "law"), findings)


def _check_table(table: Table, motion: PrescribedMotion, word: str, path: Path, findings: Findings) -> None:
    """Notes a table whose rates are not there where a motion needs them."""
    if table.arguments == 2:
        findings.error(path, f"{word}, which takes two arguments", "take a table of one")
    elif motion.gives == "position" and table.between == "linear":
        what = f"{word}, which is linear, so that its speed jumps"
        findings.error(path, what, "say between: spline, or cubic where it must not overshoot")
    elif motion.gives == "position" and table.outside == "hold" and not _is_level(table):
        what = f"{word}, which is held beyond ends where it is not level: its speed jumps there, by an impulse that "
        findings.warning(path, f"{what}no result has", "stay within it, or say outside: extrapolate")


def _is_level(table: Table) -> bool:
    """Whether a table has no slope at its ends."""
    program = table_program(table)
    slope = gradient(program.graph, program.outputs[0].values[0], [program.inputs[0].symbols[0]])
    evaluator = Evaluator(Program("slope", program.graph, program.inputs, (Output("slope", (), tuple(slope)),)))
    span, height = table.x[-1] - table.x[0], max(table.y) - min(table.y)
    ends = (table.x[0] + LEVEL * span, table.x[-1] - LEVEL * span)
    # The slope a little inside is off by its own rate times that little.
    found = [float(evaluator(np.array([x]))["slope"]) for x in ends]
    return all(abs(each) * span <= 100 * LEVEL * height for each in found)


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

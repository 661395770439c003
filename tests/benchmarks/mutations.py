"""Mutation testing: small faults are put into the code one by one, and the tests have to see each of them.

    python tests/benchmarks/mutations.py [--count 300] [--seed 1] [--room PREFIX] [--list] [--again] [--write PAGE]

A fault is another operator (+ for -, <= for <, and for or), another number (one more), a sign left out, a truth value
turned round, or the first two arguments of a call exchanged, in the formulations, kinematics, transfer matrices, code
generation and runtimes. What is drawn depends on the seed and the code alone. Faults are tried in a copy of the tree
that is made once (``--scratch``); which tests execute which line is recorded when a file of tests is first asked, those
about the room before all others, so that most faults cost seconds (mutation_runs.py); recording all takes half an hour.
A test that does not end counts as one that fails, a fault on a line that no test executes has survived. Results are
kept: the same command goes on where it was interrupted, ``--again`` tries survivors with the tests as they are now.
Whether a survivor is a hole in the tests or no fault at all (an equal value, a limit of text, a bound that is never
reached) is for the reader to say.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import json
import random
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any, Final

import mutation_runs
import no_faults

ROOT = Path(__file__).resolve().parents[2]

TREES = ("tests/physics/test_gear_trains.py", "tests/physics/test_formulations_agree_exactly.py")
STEPPING = (
    "tests/unit/transfer_matrix",
    "tests/literature/test_li_commands.py",
    "tests/execute/test_stepping_certificate.py",
    "tests/execute/test_statuses_of_steps.py",
    "tests/literature/test_transfer_matrix_rhombus.py",
    "tests/physics/test_transfer_matrix_elements.py",
)
LOOPS = (
    "tests/unit/loops/test_solver.py",
    "tests/execute/test_statuses_of_loops.py",
    "tests/execute/test_generated_loops.py",
    "tests/unit/loops/test_runtime_cost.py",
)
CODE = (
    "tests/unit/codegen",
    "tests/execute/test_statuses.py",
    "tests/execute/test_wrong_signs.py",
    "tests/execute/test_linking.py",
    "tests/execute/test_generated_code.py",
    "tests/execute/test_generated_loops.py",
)

TESTS: Final[dict[str, tuple[str, ...]]] = {
    "mbsym/formulations/constraint_force": (
        "tests/literature/test_cfa_trees.py",
        "tests/physics/test_formulations_kkt_form.py",
        "tests/unit/report/test_constraint_force_documents.py",
        *TREES,
        "tests/physics/test_formulations_constraint_forces.py",
    ),
    "mbsym/formulations/kane": (*TREES, "tests/unit/report/test_documents.py"),
    "mbsym/formulations/lagrange.py": ("tests/physics/test_lagrange.py",),
    "mbsym/formulations": (
        "tests/unit/formulations",
        *TREES,
        "tests/physics/test_frames.py",
        "tests/physics/test_operation_counts.py",
        "tests/execute/test_every_function_is_checked.py",
    ),
    "mbsym/kinematics": (
        "tests/unit/kinematics",
        "tests/unit/model",
        *TREES,
        "tests/physics/test_frames.py",
        "tests/physics/test_random_trees.py",
        "tests/unit/codegen/test_manifest.py",
        "tests/execute/test_every_function_is_checked.py",
    ),
    "mbsym/transfer_matrix": STEPPING,
    "runtime/transfer_matrix.py": STEPPING,
    "mbsym/linear/vibration": ("tests/unit/linear", "tests/physics/test_beam_vibrations.py"),
    "mbsym/codegen": CODE,
    "runtime/time_steps.py": ("tests/unit/simulation", "tests/physics/test_simulation_energy.py"),
    "runtime": (*LOOPS, "tests/execute/test_statuses.py"),
}
"""Tests about each room, the longest prefix first."""

ASKED: Final = ("tests/unit", "tests/physics", "tests/literature", "tests/execute")
"""What is asked about a fault that the tests about its room do not see.

Golden files and architecture would see any other text, whether it is wrong or not.
"""

ROOMS = ("mbsym/formulations", "mbsym/kinematics", "mbsym/transfer_matrix", "mbsym/linear/vibration", "mbsym/codegen",
         "runtime")  # fmt: skip

OTHER: Final = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*",
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.And: "or", ast.Or: "and", ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip

WITHOUT_FAULT: Final = "without_fault.json"
"""File of the copy with the text of the module that has a fault at present."""

NOT_EXCHANGED: Final = (ast.Starred, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Lambda, ast.GeneratorExp)


@dataclass(frozen=True, order=True, slots=True)
class Mutation:
    """A fault: the text from start to end of a file is replaced."""

    path: str
    start: int
    end: int
    text: str
    line: int

    def shown(self, source: str) -> str:
        """One line about it."""
        return f"{self.path}:{self.line}: {source[self.start : self.end]!r} -> {self.text!r}"


class Finder(ast.NodeVisitor):
    """Places of a Python module where a fault can be put."""

    def __init__(self, path: str, source: str) -> None:
        self.path, self.source = path, source
        self.found: list[Mutation] = []
        self._starts = [0]
        for line in source.encode().splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._bytes = source.encode()

    def _offset(self, line: int, column: int) -> int:
        """Places count letters, columns of the syntax tree bytes."""
        return len(self._bytes[: self._starts[line - 1] + column].decode())

    def _span(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def _add(self, start: int, end: int, text: str, line: int) -> None:
        self.found.append(Mutation(self.path, start, end, text, line))

    def _operator(self, left: ast.expr, operator: ast.AST, right: ast.expr) -> None:
        start, end = self._span(left)[1], self._span(right)[0]
        sign = re.search(
            r"(\*\*|//|<=|>=|==|!=|not in|is not|\bin\b|\bis\b|\band\b|\bor\b|[-+*/%<>])", self.source[start:end]
        )
        if sign and type(operator) in OTHER:
            self._add(start + sign.start(), start + sign.end(), OTHER[type(operator)], left.end_lineno or left.lineno)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not isinstance(node.left, ast.JoinedStr) and not isinstance(node.right, ast.JoinedStr):
            self._operator(node.left, node.op, node.right)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            self._operator(left, operator, right)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self._operator(node.values[0], node.op, node.values[1])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        start, _ = self._span(node)
        sign = "not " if isinstance(node.op, ast.Not) else "-"
        if self.source.startswith(sign, start):
            self._add(start, start + len(sign), "", node.lineno)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add(*self._span(node), str(not node.value), node.lineno)
        elif isinstance(node.value, int | float):
            self._add(*self._span(node), repr(node.value + 1), node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        # Exchanged values of one kind are faults; a text for a number falls over by itself.
        if len(node.args) >= 2 and not any(isinstance(each, NOT_EXCHANGED) for each in node.args[:2]):
            first, second = (self._span(each) for each in node.args[:2])
            between = self.source[first[1] : second[0]]
            swapped = self.source[slice(*second)] + between + self.source[slice(*first)]
            if self.source[slice(*first)] != self.source[slice(*second)]:
                self._add(first[0], second[1], swapped, node.lineno)
        self.generic_visit(node)

    # What is text or type is no place for a fault of mechanics.

    def visit_Raise(self, node: ast.Raise) -> None:
        """Words of errors."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Names and sentences."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        """Types of arguments."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        for statement in node.body:
            self.visit(statement)


def python_mutations(path: str, source: str) -> list[Mutation]:
    """All faults of a Python module."""
    finder = Finder(path, source)
    finder.visit(ast.parse(source))
    return finder.found


def c_mutations(path: str, source: str) -> list[Mutation]:
    """All faults of a C file: operators between blanks, and numbers, outside comments."""
    blank = re.sub(r"/\*.*?\*/", lambda found: " " * len(found[0]), source, flags=re.DOTALL)
    others = {"+": "-", "-": "+", "*": "/", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
              "&&": "||", "||": "&&", "+=": "-=", "-=": "+="}  # fmt: skip
    found = []
    for sign in re.finditer(r"(?<= )(\+=|-=|<=|>=|==|!=|&&|\|\||[-+*<>])(?= )", blank):
        line = source.count("\n", 0, sign.start()) + 1
        found.append(Mutation(path, sign.start(), sign.end(), others[sign[0]], line))
    for number in re.finditer(r"(?<![\w.])\d+(\.\d+)?(?![\w.])", blank):
        line = source.count("\n", 0, number.start()) + 1
        more = repr(float(number[0]) + 1) if "." in number[0] else str(int(number[0]) + 1)
        found.append(Mutation(path, number.start(), number.end(), more, line))
    return found


def all_mutations(root: Path, prefix: str) -> Iterator[Mutation]:
    """Every fault of the rooms below a prefix."""
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            name = path.relative_to(root).as_posix()
            if not name.startswith(prefix) or path.suffix not in (".py", ".c"):
                continue
            source = path.read_text(encoding="utf-8")
            yield from python_mutations(name, source) if path.suffix == ".py" else c_mutations(name, source)


def about(path: str) -> tuple[str, ...]:
    """Tests about a file's room, which are asked first."""
    return TESTS[max((prefix for prefix in TESTS if path.startswith(prefix)), key=len)]


class Records:
    """Which tests execute which lines: recorded when a room is first asked about, kept for later runs.

    Args:
        copy: of the tree.
        kept: where recordings are kept.
    """

    def __init__(self, copy: Path, kept: Path) -> None:
        self._copy, self._kept = copy, kept
        self._known: dict[str, dict[str, dict[str, Any]]] = {}

    def of(self, places: Sequence[str]) -> list[dict[str, dict[str, Any]]]:
        """The recordings of all files of tests in these places."""
        return [self._recorded(name) for name in self._files(places)]

    def _files(self, places: Sequence[str]) -> list[str]:
        found: dict[str, None] = {}
        for each in places:
            place = self._copy / each
            files = [place] if place.is_file() else sorted(place.rglob("test_*.py"))
            found |= dict.fromkeys(file.relative_to(self._copy).as_posix() for file in files)
        return list(found)

    def _recorded(self, name: str) -> dict[str, dict[str, Any]]:
        if name not in self._known:
            began = time.perf_counter()
            self._known[name] = mutation_runs.record(self._copy, name, ROOMS, self._kept)
            if time.perf_counter() - began > 1:
                tests = len(self._known[name])
                print(f"     {time.perf_counter() - began:5.0f} s  recorded {name}, {tests} tests", flush=True)
        return self._known[name]


def copied(copy: Path, *, tests_only: bool) -> None:
    """Copies the tree, compiled so that a changed file is noticed by its content, or the tests of it anew."""
    ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "build")
    if tests_only:
        shutil.rmtree(copy / "tests")
        shutil.copytree(ROOT / "tests", copy / "tests", ignore=ignored)
        return
    shutil.copytree(ROOT, copy, ignore=ignored)
    compileall.compile_dir(copy / "mbsym", quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)


def killed(copy: Path, mutation: Mutation, records: Records) -> str:
    """What sees a fault: a test, or "" where none does."""
    source = (copy / mutation.path).read_text(encoding="utf-8")
    try:
        asked: set[tuple[str, float]] = set()
        for places in (about(mutation.path), ASKED):
            # Recordings are made of the copy without the fault.
            restore(copy)
            found = mutation_runs.candidates(records.of(places), mutation.path, source, mutation.line)
            put(copy, mutation, source)
            failed = mutation_runs.killed_by(copy, [each for each in found if each not in asked], about(mutation.path))
            if failed:
                return failed
            asked |= set(found)
        return ""
    finally:
        restore(copy)


def put(copy: Path, mutation: Mutation, source: str) -> None:
    """Puts the fault into the copy, and keeps the text without it."""
    (copy / WITHOUT_FAULT).write_text(json.dumps({"path": mutation.path, "source": source}), encoding="utf-8")
    faulty = source[: mutation.start] + mutation.text + source[mutation.end :]
    (copy / mutation.path).write_text(faulty, encoding="utf-8")


def restore(copy: Path) -> None:
    """Takes the fault out of the copy, also one that an interrupted run has left there."""
    place = copy / WITHOUT_FAULT
    if place.exists():
        kept = json.loads(place.read_text(encoding="utf-8"))
        (copy / kept["path"]).write_text(kept["source"], encoding="utf-8")
        place.unlink()


def table(drawn: Sequence[Mutation], by: Mapping[str, str], sources: Mapping[str, str]) -> str:
    """Faults tried, seen and without effect by room, and the survivors, those with a reason last."""
    reasons = {
        each: no_faults.reason(each.path, sources[each.path], each.start, each.end)
        for each in drawn
        if not by[each.shown(sources[each.path])]
    }
    lines = ["| room | faults tried | seen by tests | change nothing | not seen |", "|---|---|---|---|---|"]
    for room in (*ROOMS, ""):
        own = [each for each in drawn if each.path.startswith(room)]
        if own:
            survived = [reasons[each] for each in own if each in reasons]
            nothing = sum(map(bool, survived))
            cells = (len(own), len(own) - len(survived), nothing, len(survived) - nothing)
            lines.append(f"| {f'`{room}`' if room else 'all'} | {' | '.join(map(str, cells))} |")
    for title, known in (("Not seen", False), ("Change nothing", True)):
        chosen = {each.shown(sources[each.path]): why for each, why in reasons.items() if bool(why) == known}
        if chosen:
            lines += ["", f"{title}:", "", *(f"* `{fault}`{why and f': {why}'}" for fault, why in chosen.items())]
    return "\n".join(lines)


def write(page: Path, text: str, count: int, seed: int) -> None:
    """Puts the table between the markers of a page.

    Raises:
        SystemExit: the page has no such markers.
    """
    old = page.read_text(encoding="utf-8")
    between = r"(<!-- faults -->\n).*?(<!-- faults end -->)"
    said = f"{count} faults, seed {seed}:\n\n{text}\n"
    new, found = re.subn(between, lambda match: f"{match[1]}{said}{match[2]}", old, flags=re.DOTALL)
    if found != 1:
        raise SystemExit(f"{page} needs one line <!-- faults --> and below it one line <!-- faults end -->")
    page.write_text(new, encoding="utf-8")


def main() -> None:
    """Copies, records, draws, tests and lists."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", default="")
    parser.add_argument("--list", action="store_true", help="lists the faults and tries none")
    parser.add_argument("--again", action="store_true", help="tries survivors again, with the tests as they are now")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="puts the table between the markers of a page")
    parser.add_argument("--scratch", type=Path, default=ROOT / "build" / "mutations")
    options = parser.parse_args()
    copy, kept = options.scratch / "copy", options.scratch / f"results_{options.seed}.jsonl"
    if not copy.exists():
        copied(copy, tests_only=False)
    elif options.again:
        copied(copy, tests_only=True)
    restore(copy)
    every = sorted(set(all_mutations(copy, options.room)))
    drawn = random.Random(options.seed).sample(every, min(options.count, len(every)))
    sources = {mutation.path: (copy / mutation.path).read_text(encoding="utf-8") for mutation in drawn}
    print(f"{len(every)} faults are possible, {len(drawn)} are tried (seed {options.seed})", flush=True)
    if options.list:
        print("\n".join(mutation.shown(sources[mutation.path]) for mutation in drawn))
        return
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    known: dict[str, str] = {each["fault"]: each["by"] for each in map(json.loads, lines)}
    mutation_runs.warm_up()
    records = Records(copy, options.scratch / "recorded")
    for number, mutation in enumerate(drawn, start=1):
        fault = mutation.shown(sources[mutation.path])
        if fault in known and (known[fault] or not options.again):
            continue
        began = time.perf_counter()
        known[fault] = killed(copy, mutation, records)
        said = f"killed by {known[fault]}" if known[fault] else "SURVIVED"
        print(f"{number:4} {time.perf_counter() - began:5.0f} s  {fault}  {said}", flush=True)
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"fault": fault, "by": known[fault]}) + "\n")
    text = table(drawn, known, sources)
    print(f"\n{text}")
    explained = {path: (copy / path).read_text(encoding="utf-8") for path in no_faults.LINES}
    for entry in no_faults.out_of_date(explained):
        print(f"no_faults.py knows a line that is there no longer: {entry}")
    if options.write:
        write(options.write, text, len(drawn), options.seed)


if __name__ == "__main__":
    main()

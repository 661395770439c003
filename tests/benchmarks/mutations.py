"""Mutation testing: small faults are put into the code one by one, and the tests have to see each of them.

    python tests/benchmarks/mutations.py [--count 300] [--seed 1] [--room PREFIX] [--list] [--again] [--write PAGE]

A fault is another operator (+ for -, <= for <, and for or), another number (one more), a sign left out, a truth value
turned round, or the first two arguments of a call exchanged, in any room of the package and in the routines of the
runtime, C and JavaScript too. A room has as many faults as it has lines, of the count, and a line one at most; which
depends on the seed and the code alone. Faults are tried in copies of the tree that are made once (``--scratch``), one
for each process. First a few files of tests about the module are run for some seconds, then tests that are recorded to
execute its line, of the room first (mutation_copies.py, mutation_runs.py). ``--depth first`` and ``--depth room`` stop
there, since recording all takes a processor more than an hour. A test that does not end counts as one that fails, a
fault on a line that no test executes has survived. Recordings and results are kept: the same command goes on where it
was interrupted. ``--again`` tries survivors with the tests as they are now, ``--slow`` also with those that take too
long to be recorded, and ``--again --fault FILE:LINE --tests TEST ...`` one of them with tests that it names. Whether a
survivor is a hole in the tests or no fault at all (an equal value, a limit of text, a bound that is never reached) is
for the reader to say (no_faults.py).
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import mutation_copies
import no_faults

ROOT = Path(__file__).resolve().parents[2]

TREES: Final = ("mbsym", "runtime")
"""Where faults are put."""

ASKED: Final = ("tests/unit", "tests/physics", "tests/literature", "tests/execute")
"""Tests that are asked about every fault."""

OF_TEXT: Final = ("tests/golden", "tests/architecture")
"""Tests that hold texts, asked where the text is the result: any text differs from them, whether it is wrong or not."""

TEXTS: Final = ("mbsym/formats", "mbsym/report", "mbsym/cli", "mbsym/visualisation", "mbsym/markup.py")
"""Rooms whose result is text."""

MODULES: Final = "mbsym/*.py"
"""The room of the modules beside the rooms."""

OTHER: Final = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*",
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.And: "or", ast.Or: "and", ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip

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
    """All faults of a C or JavaScript file: operators between blanks, and numbers, outside comments and texts."""
    silent = r"/\*.*?\*/" if path.endswith(".c") else r"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"|'[^'\n]*'"
    blank = re.sub(silent, lambda found: " " * len(found[0]), source, flags=re.DOTALL)
    others = {"+": "-", "-": "+", "*": "/", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
              "===": "!==", "!==": "===", "&&": "||", "||": "&&", "+=": "-=", "-=": "+="}  # fmt: skip
    found = []
    for sign in re.finditer(r"(?<= )(\+=|-=|<=|>=|[=!]==?|&&|\|\||[-+*<>])(?= )", blank):
        line = source.count("\n", 0, sign.start()) + 1
        found.append(Mutation(path, sign.start(), sign.end(), others[sign[0]], line))
    for number in re.finditer(r"(?<![\w.#])\d+(\.\d+)?(?![\w.])", blank):
        line = source.count("\n", 0, number.start()) + 1
        more = repr(float(number[0]) + 1) if "." in number[0] else str(int(number[0]) + 1)
        found.append(Mutation(path, number.start(), number.end(), more, line))
    return found


def rooms(root: Path) -> dict[str, list[Path]]:
    """The files of each room: each folder of the package, the modules beside them, the runtime."""
    found: dict[str, list[Path]] = {}
    for tree in TREES:
        for path in sorted((root / tree).rglob("*")):
            if path.suffix in (".py", ".c", ".js"):
                inside = path.relative_to(root / tree).parts
                room = tree if tree != "mbsym" else f"mbsym/{inside[0]}" if len(inside) > 1 else MODULES
                found.setdefault(room, []).append(path)
    return found


def shares(lines: Mapping[str, int], count: int) -> dict[str, int]:
    """How many of so many faults each room has: as many as it has lines, rounded so that the sum is right."""
    exact = {room: count * own / sum(lines.values()) for room, own in lines.items()}
    found = {room: int(share) for room, share in exact.items()}
    left = sorted(exact, key=lambda room: (found[room] - exact[room], room))[: count - sum(found.values())]
    return {room: share + (room in left) for room, share in found.items()}


def drawn(root: Path, prefix: str, count: int, seed: int) -> tuple[list[Mutation], dict[str, int]]:
    """Faults of the rooms below a prefix, at most one on a line, and the lines of each room.

    A smaller count gives faults that a larger one has too, but for rounding.
    """
    files = {room: own for room, own in rooms(root).items() if room.startswith(prefix)}
    sources = {path: path.read_text(encoding="utf-8") for own in files.values() for path in own}
    lines = {room: sum(sources[path].count("\n") for path in own) for room, own in files.items()}
    chosen: list[tuple[float, Mutation]] = []
    for room, share in shares(lines, count).items():
        by_line: dict[tuple[str, int], list[Mutation]] = {}
        for path in files[room]:
            name = path.relative_to(root).as_posix()
            faults = (python_mutations if path.suffix == ".py" else c_mutations)(name, sources[path])
            for each in sorted(set(faults)):
                by_line.setdefault((each.path, each.line), []).append(each)
        chance = random.Random(f"{seed} {room}")
        places = list(by_line.values())
        chance.shuffle(places)
        own_faults = [chance.choice(place) for place in places[:share]]
        # All rooms are tried side by side, so that an interrupted run is a sample as well.
        chosen += [((number + chance.random()) / len(own_faults), each) for number, each in enumerate(own_faults)]
    return [each for _, each in sorted(chosen)], lines


def asked(path: str) -> tuple[str, ...]:
    """Where tests lie that are asked about a file."""
    return (*ASKED, *OF_TEXT) if path.startswith(TEXTS) else ASKED


def table(chosen: Sequence[Mutation], by: Mapping[str, str], root: Path) -> str:
    """Faults tried, seen and without effect by room, and the survivors, those with a reason last."""
    sources = {each.path: (root / each.path).read_text(encoding="utf-8") for each in chosen}
    reasons = {
        each: no_faults.reason(each.path, no_faults.marked(sources[each.path], each.start, each.end))
        for each in chosen
        if not by.get(each.shown(sources[each.path]))
    }
    lines = ["| room | faults tried | seen by tests | change nothing | not seen |", "|---|---|---|---|---|"]
    files = {room: {path.relative_to(root).as_posix() for path in own} for room, own in rooms(root).items()}
    for room, names in (*files.items(), ("", {each.path for each in chosen})):
        own = [each for each in chosen if each.path in names]
        if own:
            survived = [reasons[each] for each in own if each in reasons]
            nothing = sum(map(bool, survived))
            cells = (len(own), len(own) - len(survived), nothing, len(survived) - nothing)
            lines.append(f"| {f'`{room}`' if room else 'all'} | {' | '.join(map(str, cells))} |")
    for title, known in (("Not seen", False), ("Change nothing", True)):
        told = {each.shown(sources[each.path]): why for each, why in reasons.items() if bool(why) == known}
        if told:
            lines += ["", f"{title}:", "", *(f"* `{fault}`{why and f': {why}'}" for fault, why in told.items())]
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
    """Draws, copies, records, tries and lists."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", default="", help="only rooms whose path begins so; * is the modules beside them")
    parser.add_argument("--list", action="store_true", help="lists the faults and tries none")
    parser.add_argument("--again", action="store_true", help="tries survivors again, with the tests as they are now")
    parser.add_argument("--fault", default="", metavar="FILE:LINE", help="only the fault there, by how its place ends")
    parser.add_argument("--tests", nargs="+", default=(), help="asks these tests alone, with time to end")
    parser.add_argument("--depth", choices=("first", "room", "all"), default="all", help="which tests are asked")
    parser.add_argument("--slow", action="store_true", help="asks tests that take too long to be recorded too")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="puts the table between the markers of a page")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--scratch", type=Path, default=ROOT / "build" / "mutations")
    options = parser.parse_args()
    copies = mutation_copies.prepared(ROOT, options.scratch, options.processes, tests_anew=options.again)
    chosen, lines = drawn(copies[0], options.room, options.count, options.seed)
    sources = {each.path: (copies[0] / each.path).read_text(encoding="utf-8") for each in chosen}
    print(f"{len(chosen)} faults in {sum(lines.values())} lines of {len(lines)} rooms, seed {options.seed}", flush=True)
    if options.list:
        print("\n".join(each.shown(sources[each.path]) for each in chosen))
        return
    kept = options.scratch / f"results_{options.seed}.jsonl"
    # What changes nothing by a rule is not tried.
    results = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    known: dict[str, str] = {each["fault"]: each["by"] for each in map(json.loads, results)}
    left = [
        mutation_copies.Task(number, each.shown(sources[each.path]), each, asked(each.path))
        for number, each in enumerate(chosen, start=1)
        if not known.get(fault := each.shown(sources[each.path]))
        and (options.again or fault not in known)
        and not no_faults.by_rule(no_faults.marked(sources[each.path], each.start, each.end))
    ]
    reach = mutation_copies.Reach(options.depth, options.slow, tuple(options.tests))
    for task, by, seconds in mutation_copies.tried(copies, options.scratch / "recorded", left, reach):
        known[task.shown] = by
        said = f"killed by {by}" if by else "SURVIVED"
        print(f"{task.number:4} {seconds:5.0f} s  {task.shown}  {said}", flush=True)
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"fault": task.shown, "by": by}) + "\n")
    if options.fault:
        return
    text = table(chosen, known, copies[0])
    print(f"\n{text}")
    explained = {path: (ROOT / path).read_text(encoding="utf-8") for path in no_faults.LINES if (ROOT / path).exists()}
    for entry in no_faults.out_of_date(explained):
        print(f"no_faults.py knows a line that is there no longer: {entry}")
    if options.write:
        write(options.write, text, len(chosen), options.seed)


if __name__ == "__main__":
    main()

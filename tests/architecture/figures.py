"""How large and how tangled the house is: a table of figures, of this tree or of others beside it.

    python tests/architecture/figures.py [NAME=ROOT ...] [--write PAGE]

ROOT is a checkout, this one where none is given; several stand side by side, each under its name. What a function's
complexity is: one more than its branches, loops, handlers, and, or, conditions of comprehensions, those of functions
inside it included, as radon counts.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Final

HERE: Final = Path(__file__).resolve().parents[2]

COMPLEX: Final = 21
"""Complexity from which radon's grade is D."""

OF_PROGRAMS: Final = (
    "mbsym/codegen",
    "mbsym/symbolic/program.py",
    "mbsym/symbolic/rolled.py",
    "mbsym/symbolic/unroll.py",
    "mbsym/symbolic/show.py",
    "mbsym/symbolic/interpret.py",
    "mbsym/passes/rolled_steps.py",
    "runtime/c",
    "runtime/numpy",
)
"""What makes text of derived functions, and the text that stands by itself."""

OPTION: Final = re.compile(r"(?<![\w-])--[a-z]")
GIVEN: Final = re.compile(r"--[a-z][a-z-]*(=.*)?")

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Tree:
    """A checkout, read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules = {
            path.relative_to(root).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
            for path in sorted((root / "mbsym").rglob("*.py"))
        }

    def lines(self, *places: str) -> int:
        """Lines of text in files and folders."""
        return sum(len(path.read_text(encoding="utf-8").splitlines()) for place in places for path in self.files(place))

    def files(self, place: str) -> Iterator[Path]:
        """The files of a folder, or the file."""
        path = self.root / place
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*.*") if file.suffix in (".py", ".c", ".h", ".js"))
        elif path.exists():
            yield path

    def functions(self) -> Iterator[tuple[str, Function]]:
        """Each function and method with its module, those inside others left out."""
        for name, module in self.modules.items():
            for statement in _statements(module):
                yield name, statement

    def complexity(self, module: str, name: str) -> int:
        """Of the function of that name; 0 where there is none."""
        return next((complexity(node) for place, node in self.functions() if (place, node.name) == (module, name)), 0)


def _statements(node: ast.Module | ast.ClassDef) -> Iterator[Function]:
    for statement in node.body:
        if isinstance(statement, Function):
            yield statement
        elif isinstance(statement, ast.ClassDef):
            yield from _statements(statement)


def complexity(function: Function) -> int:
    """One more than the places where a function may go two ways."""
    total = 1
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.IfExp | ast.Lambda | ast.Assert):
            total += 1
        elif isinstance(node, ast.For | ast.While | ast.AsyncFor):
            total += 1 + bool(node.orelse)
        elif isinstance(node, ast.Try):
            total += len(node.handlers) + bool(node.orelse)
        elif isinstance(node, ast.BoolOp):
            total += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            total += 1 + len(node.ifs)
        elif isinstance(node, ast.match_case | Function) and node is not function:
            total += 1
    return total


def _arguments(function: Function) -> int:
    own = function.args
    return len(own.posonlyargs) + len(own.args) + len(own.kwonlyargs)


def _documentation(module: ast.Module) -> set[int]:
    """Texts that are statements by themselves."""
    return {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}


def options_told(tree: Tree) -> int:
    """Texts below the command line that name an option of it; those that are options alone are given to programs."""
    found = 0
    for name, module in tree.modules.items():
        if not name.startswith("mbsym/cli"):
            aside = _documentation(module)
            texts = (node for node in ast.walk(module) if isinstance(node, ast.Constant) and id(node) not in aside)
            found += sum(
                isinstance(node.value, str) and bool(OPTION.search(node.value)) and not GIVEN.fullmatch(node.value)
                for node in texts
            )
    return found


def _mentions(tree: Tree, word: str) -> dict[str, int]:
    """How often modules outside of code generation name a thing, by module."""
    found = {}
    for name, module in tree.modules.items():
        if not name.startswith("mbsym/codegen"):
            nodes = ast.walk(module)
            names = (getattr(node, "id", getattr(node, "attr", getattr(node, "arg", ""))) for node in nodes)
            if count := sum(each == word for each in names):
                found[name] = count
    return found


def _inner_imports(tree: Tree) -> int:
    within = (node for _, function in tree.functions() for node in ast.walk(function))
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in within)


def _trigonometry(tree: Tree) -> str:
    found = _mentions(tree, "trigonometry")
    return f"{sum(found.values())} in {len(found)}"


def _solvers(tree: Tree) -> str:
    texts = [path for path in tree.files("runtime") if re.match(r"loop|closing", path.name)]
    return f"{sum(len(path.read_text(encoding='utf-8').splitlines()) for path in texts)} in {len(texts)}"


FIGURES: Final[Mapping[str, Callable[[Tree], int | str]]] = {
    "lines of the package": lambda tree: tree.lines("mbsym"),
    "modules": lambda tree: len(tree.modules),
    "lines of the middle module": lambda tree: round(median(tree.lines(name) for name in tree.modules)),
    "lines that make text of functions, with the runtime": lambda tree: tree.lines(*OF_PROGRAMS),
    "lines of the runtime, pages aside": lambda tree: tree.lines(
        *(path.relative_to(tree.root).as_posix() for path in tree.files("runtime") if path.suffix != ".js")
    ),
    "of these for one language alone, C or NumPy": lambda tree: tree.lines("runtime/c", "runtime/numpy"),
    "texts of the solver of closed loops, lines in files": _solvers,
    "lines of pipeline.py": lambda tree: tree.lines("mbsym/pipeline.py"),
    "complexity of derive": lambda tree: tree.complexity("mbsym/pipeline.py", "derive"),
    f"functions of complexity {COMPLEX} and more": lambda tree: sum(
        complexity(node) >= COMPLEX for _, node in tree.functions()
    ),
    "texts below the command line that name its options": options_told,
    "places outside of codegen that name trigonometry, in modules": _trigonometry,
    "arguments of the longest signature": lambda tree: max(_arguments(node) for _, node in tree.functions()),
    "imports inside functions": _inner_imports,
}
"""What is measured, by its name in the table."""


def table(roots: Mapping[str, Path]) -> str:
    """A row for each figure, a column for each tree."""
    trees = [Tree(root) for root in roots.values()]
    rows = [f"| | {' | '.join(roots)} |", "|---|" + "---|" * len(trees)]
    rows += [f"| {name} | {' | '.join(str(measure(tree)) for tree in trees)} |" for name, measure in FIGURES.items()]
    return "\n".join(rows)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("roots", nargs="*", metavar="NAME=ROOT", default=[f"today={HERE}"])
    parser.add_argument("--write", type=Path, metavar="PAGE", help="puts the table between the markers of a page")
    asked = parser.parse_args()
    found = table({name: Path(root) for name, _, root in (each.partition("=") for each in asked.roots)})
    print(found)
    if asked.write:
        mark = "<!-- figures of the house -->"
        text = asked.write.read_text(encoding="utf-8")
        new = re.sub(f"{mark}\n.*?{mark}", lambda _: f"{mark}\n{found}\n{mark}", text, flags=re.DOTALL)
        asked.write.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Imports go down the floors, never up or sideways, and form no cycle."""

from __future__ import annotations

import ast
import graphlib
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "mbsym"

# The picture of the house is drawn from the same table.
ROOMS = tomllib.loads((ROOT / "docs" / "house.toml").read_text(encoding="utf-8"))["room"]
FLOORS = {item["name"]: item["floor"] for item in ROOMS}

# Rooms that may see less of the house than the floors below them.
ONLY = {item["name"]: set(item["only"]) for item in ROOMS if "only" in item}

# Rooms that use the standard library alone.
STANDARD_LIBRARY_ONLY = {item["name"] for item in ROOMS if item.get("standard_library")}


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module, as written in one line of one module."""

    importer: str
    line: int
    imported: str

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def modules_of(package: Path) -> dict[str, Path]:
    """The dotted names of all modules of ``package``, with their files."""
    modules = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def room(module: str) -> str:
    """The name in ``FLOORS`` under which ``module`` lives."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports_of(module: str, path: Path, modules: dict[str, Path]) -> Iterator[Import]:
    """Every import of a module: at its top, inside functions, for type checking, and by ``import_module``."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module, node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            ancestors = package.split(".")[: len(package.split(".")) - node.level + 1]
            origin = ".".join([*ancestors, *filter(None, [node.module])]) if node.level else node.module or ""
            for alias in node.names:
                submodule = f"{origin}.{alias.name}"
                yield Import(module, node.lineno, submodule if submodule in modules else origin)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in {"import_module", "__import__"} and isinstance(node.args[0].value, str):
                relative = node.args[0].value.startswith(".")
                yield Import(module, node.lineno, package + node.args[0].value if relative else node.args[0].value)


@cache
def all_imports(package: Path) -> tuple[Import, ...]:
    modules = modules_of(package)
    return tuple(found for module, path in modules.items() for found in imports_of(module, path, modules))


def is_ours(module: str) -> bool:
    return module.split(".")[0] == "mbsym"


def floor_violations(package: Path) -> list[str]:
    violations = [f"{module} has no floor" for module in modules_of(package) if room(module) not in FLOORS]
    for found in all_imports(package):
        here, there = room(found.importer), room(found.imported)
        if here not in FLOORS or here == there or not is_ours(found.imported):
            continue
        if there not in FLOORS:
            violations.append(f"{found}, which has no floor")
        elif FLOORS[there] > FLOORS[here]:
            violations.append(f"{found}, up from floor {FLOORS[here]} to {FLOORS[there]}")
        elif FLOORS[there] == FLOORS[here]:
            violations.append(f"{found}, sideways on floor {FLOORS[here]}")
        elif here in ONLY and there not in ONLY[here]:
            violations.append(f"{found}, but {here} may import only {', '.join(sorted(ONLY[here]))}")
    return violations


def foreign_violations(package: Path) -> list[str]:
    return [
        f"{found}, but {room(found.importer)} needs the standard library alone"
        for found in all_imports(package)
        if room(found.importer) in STANDARD_LIBRARY_ONLY
        and not is_ours(found.imported)
        and found.imported.split(".")[0] not in sys.stdlib_module_names
    ]


def import_cycle(package: Path) -> list[str]:
    """The modules along one import cycle, the first again as the last; empty if there is none."""
    predecessors: dict[str, set[str]] = {module: set() for module in modules_of(package)}
    for found in all_imports(package):
        if found.imported in predecessors:
            predecessors[found.importer].add(found.imported)
    try:
        graphlib.TopologicalSorter(predecessors).prepare()
    except graphlib.CycleError as error:
        return list(reversed(error.args[1]))
    return []


def test_the_table_is_of_this_house() -> None:
    assert len(FLOORS) == len(ROOMS)
    assert set(FLOORS) == {room(module) for module in modules_of(PACKAGE)}
    assert {name for seen in ONLY.values() for name in seen} <= set(FLOORS)
    assert set(ONLY) == {"codegen", "reference", "texts", "exact"} and {"topology", "errors"} <= STANDARD_LIBRARY_ONLY


def test_imports_go_down_the_floors() -> None:
    assert floor_violations(PACKAGE) == []


def test_ground_rooms_use_the_standard_library_alone() -> None:
    assert foreign_violations(PACKAGE) == []


def test_there_are_no_import_cycles() -> None:
    assert import_cycle(PACKAGE) == []


def build(directory: Path, sources: dict[str, str]) -> Path:
    """A package that holds, besides empty parents, the given modules."""
    package = directory / "mbsym"
    for name, source in sources.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        for parent in path.relative_to(package).parents:
            (package / parent / "__init__.py").touch()
    return package


@pytest.mark.parametrize(
    ("where", "source", "complaint"),
    [
        (
            "topology/graph.py",
            "import mbsym.cli",
            f"mbsym.topology.graph:1 imports mbsym.cli, up from floor 1 to {FLOORS['cli']}",
        ),
        ("topology/graph.py", "from ..symbolic import Graph", "imports mbsym.symbolic, sideways on floor 1"),
        ("passes/fold.py", "def f():\n    from mbsym.spatial import vector", "fold:2 imports mbsym.spatial, sideways"),
        ("formats/urdf.py", "if TYPE_CHECKING:\n    from mbsym import cli", "formats.urdf:2 imports mbsym, up"),
        ("formats/__init__.py", "from .. import pipeline", "mbsym.formats:1 imports mbsym, up"),
        (
            "model/body.py",
            "importlib.import_module('mbsym.cli.main')",
            f"imports mbsym.cli.main, up from floor 4 to {FLOORS['cli']}",
        ),
        ("codegen/lower.py", "from mbsym.topology import tree", "but codegen may import only conventions, errors"),
        ("codegen/lower.py", "from mbsym.topology.tree import Tree", "but codegen may import only conventions, errors"),
        ("codegen/lower.py", "from mbsym import load", f"imports mbsym, up from floor 5 to {FLOORS['__init__']}"),
        ("reference/closure.py", "from mbsym.symbolic.graph import Graph", "reference may import only conventions"),
        ("attic/box.py", "", "mbsym.attic.box has no floor"),
        ("errors.py", "import mbsym.atic", "mbsym.errors:1 imports mbsym.atic, which has no floor"),
    ],
)
def test_a_planted_upward_import_is_found(tmp_path: Path, where: str, source: str, complaint: str) -> None:
    assert any(complaint in violation for violation in floor_violations(build(tmp_path, {where: source})))


def test_imports_down_the_floors_are_accepted(tmp_path: Path) -> None:
    sources = {
        "symbolic/graph.py": "import sympy\nfrom mbsym.errors import SymbolicError",
        "codegen/lower.py": "from mbsym.version import __version__\nfrom mbsym.symbolic import graph\nimport jinja2",
        "codegen/write.py": "from . import lower\nfrom ..errors import CodegenError",
        "kinematics/recursion.py": "from mbsym.spatial.motion import Motion\nfrom ..model import body",
        "__init__.py": "from . import codegen",
        "errors.py": "",
        "version.py": "",
        "model/body.py": "",
    }
    package = build(tmp_path, sources)
    assert floor_violations(package) == []
    assert import_cycle(package) == []
    assert Import("mbsym.codegen.write", 1, "mbsym.codegen.lower") in all_imports(package)
    assert Import("mbsym.kinematics.recursion", 2, "mbsym.model.body") in all_imports(package)


def test_a_planted_foreign_import_is_found(tmp_path: Path) -> None:
    package = build(tmp_path, {"topology/tree.py": "import heapq\n\ndef f():\n    from numpy.linalg import inv"})
    assert foreign_violations(package) == [
        "mbsym.topology.tree:4 imports numpy.linalg, but topology needs the standard library alone"
    ]


@pytest.mark.parametrize(
    "sources",
    [
        {"model/body.py": "from mbsym.model import joint", "model/joint.py": "def f():\n    from .body import Body"},
        {"model/__init__.py": "from .body import Body", "model/body.py": "from mbsym.model import Joint"},
        {"model/body.py": "from . import a", "model/a.py": "from . import b", "model/b.py": "import mbsym.model.body"},
    ],
)
def test_a_planted_cycle_is_found(tmp_path: Path, sources: dict[str, str]) -> None:
    cycle = import_cycle(build(tmp_path, sources))
    assert cycle[0] == cycle[-1]
    assert "mbsym.model.body" in cycle

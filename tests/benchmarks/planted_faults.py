"""Faults planted into what makes code shorter: each has to be stopped before a file is written.

    python tests/benchmarks/planted_faults.py [--count 300] [--seed 1] [--processes 4] [--write PAGE]

A fault is another operator, number, sign, truth value, place or order of arguments, in passes, regrouping, sliding,
preparing, given sines, rolling, lowering, parts and lanes, on a line that one of the ``CASES`` executes: models with
options that use these rooms. A process of its own imports mbsym with the fault and generates code for one of the cases
that execute the line, the ``TRIED`` best of them: those that execute it most often in their time. The fault is

    stopped     the proof before writing names a function, or the generation ends with an error
    no fault    the texts are the same, or differ and give the same numbers, in C and NumPy, or cannot be compiled
    missed      some text gives other numbers and would have been written, be it of one case alone

Random states and 1e-9 of the largest entry decide on numbers; the command ends with status 1 if a fault was missed.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import importlib.abc
import importlib.util
import inspect
import multiprocessing
import os
import pickle
import random
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, Final, TypeAlias

import jinja2
import mutations
import numpy as np
import pydantic
import sympy
import yaml

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
WARM: Final = (jinja2, pydantic, sympy, yaml)
"""Imported once, before the first fault."""

ROOMS: Final = (
    "mbsym/passes",
    "mbsym/kinematics/regrouping.py",
    "mbsym/kinematics/sliding.py",
    "mbsym/formulations/shared",
    "mbsym/codegen/lower_loops.py",
    "mbsym/codegen/lower_loops.py",
    "mbsym/codegen/lower.py",
    "mbsym/codegen/c/lanes.py",
    "mbsym/codegen/c/parts.py",
    "mbsym/codegen/c/pieces.py",
    "mbsym/codegen/c/placing.py",
)

CHAINS: Final = {"chain of 30 bodies": 30, "chain of 8 bodies": 8}
"""With all parameters as names."""

LANES: Final = "chain in lanes"
"""Whose alike sections are lanes where nothing is simplified."""

SHARED: Final = {"style": "shared"}
DYNAMICS: Final = {"functions": ("forward_dynamics", "inverse_dynamics", "mass_matrix")}

Case: TypeAlias = tuple[str, dict[str, Any]]
"""A mechanism and options."""

CASES: Final[tuple[Case, ...]] = (
    ("quadruped", DYNAMICS),
    ("double_pendulum", {}),
    ("spinning_top", {**DYNAMICS, "prepare": True, "symbolic_parameters": "all"}),
    ("puma560", {"prepare": True, "symbolic_parameters": "all", "functions": ("inverse_dynamics", "mass_matrix")}),
    ("quadruped", {"prepare": True, "symbolic_parameters": "all", "functions": ("inverse_dynamics",)}),
    ("cart_pole", {"prepare": True}),
    ("quadruped", {**DYNAMICS, "trigonometry": "argument"}),
    ("cart_pole", {"trigonometry": "argument", "symbolic_parameters": "all"}),
    ("puma560", {"trigonometry": "inline", "batch": ("all",), "functions": ("forward_dynamics", "body_jacobians")}),
    ("cart_pole", {}),
    ("cart_pole", {**SHARED, "symbolic_parameters": "all", "functions": ("forward_dynamics", "body_jacobians")}),
    ("space_robot", {"functions": ("inverse_dynamics", "forward_dynamics", "joint_wrenches")}),
    ("stewart_platform", {"functions": ("constrained_dynamics",)}),
    ("slider_crank", {"symbolic_parameters": "all", "functions": ("constrained_dynamics",)}),
    ("four_bar", {"functions": ("constraint_jacobian", "constrained_dynamics")}),
    ("chain of 30 bodies", {"formulation": "cfa-serial", "functions": ("forward_dynamics",)}),
    (LANES, {"formulation": "cfa-serial", "simplify": "none", "functions": ("forward_dynamics",)}),
    (LANES, {"formulation": "cfa-serial", "batch": ("all",), "functions": ("forward_dynamics",)}),
    ("chain of 8 bodies", {"formulation": "cfa-serial", "functions": ("forward_dynamics",)}),
    ("chain of 8 bodies", {"formulation": "cfa-parallel", "functions": ("forward_dynamics",)}),
    (
        "planar_3r",
        {"derivatives": (("inverse_dynamics", ("q", "v")),), "compressed": True, "symbolic_parameters": "all"},
    ),
    ("quadruped", {**SHARED, **DYNAMICS}),
    ("quadruped", {**SHARED, "functions": ("body_jacobians", "momentum", "kinetic_energy", "potential_energy")}),
    ("quadruped", {**SHARED, "symbolic_parameters": "all", "functions": ("center_of_mass", "gravity_force")}),
    ("quadruped", {**SHARED, "symbolic_parameters": "all", "functions": ("inverse_dynamics", "joint_wrenches")}),
    ("space_robot", {**SHARED, "functions": ("forward_dynamics", "body_velocities", "body_poses", "bias_force")}),
    ("floating_two_arm", {**SHARED, "functions": ("forward_dynamics", "joint_wrenches", "mass_matrix")}),
    ("spinning_top", {**SHARED, "functions": ("forward_dynamics", "joint_wrenches", "body_velocities")}),
    ("puma560", {**SHARED, "simplify": "none", "functions": ("forward_dynamics", "inverse_dynamics")}),
    ("quadruped", {**SHARED, "formulation": "cfa-parallel", "threads": 2, "functions": ("forward_dynamics",)}),
    ("chain of 8 bodies", {**SHARED, "functions": ("forward_dynamics", "mass_matrix", "joint_wrenches")}),
)

START, END = "<!-- planted faults -->", "<!-- end of planted faults -->"

SECONDS: Final = 15
"""Of processor time for a fault and a case: what takes longer does not end."""

TRIED: Final = 3
"""Cases in which a fault is tried."""

AGREEMENT: Final = 1e-9


class Faulty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module with other text."""

    def __init__(self, name: str, path: Path, text: str) -> None:
        self.name, self.path, self.text = name, path, text

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The module's, none of others."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def create_module(self, spec: ModuleSpec) -> None:
        """As always."""

    def exec_module(self, module: ModuleType) -> None:
        """Runs the other text."""
        exec(compile(self.text, str(self.path), "exec"), module.__dict__)


@dataclass(frozen=True, slots=True)
class Executed:
    """What a case does without a fault.

    Attributes:
        seconds: it takes.
        lines: of functions of each file of the rooms that it executes, and how often.
        texts: the files that it makes.
        numbers: that these give.
    """

    seconds: float
    lines: dict[str, Counter[int]]
    texts: dict[str, str]
    numbers: dict[Any, np.ndarray]


class Faults(mutations.Finder):
    """Places of faults, those that change values among them: signs and places."""

    def visit_Call(self, node: ast.Call) -> None:
        """Opposite operands of operations of a graph."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("add", "mul", "div"):
            for each in node.args:
                if not isinstance(each, ast.Starred):
                    self._instead(each, "-({})")
        super().visit_Call(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """The neighbour's place."""
        index = node.slice
        if isinstance(index, ast.Name) and not hasattr(builtins, index.id) and index.id.islower():
            self._instead(index, "{} - 1")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """The other one of two values."""
        self._turned(node.test)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """The other branch."""
        self._turned(node.test)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        """Opposite signs, where signs are values."""
        if isinstance(node.ctx, ast.Load) and node.id in ("negative", "minus", "sign"):
            self._instead(node, "(-{})" if node.id == "sign" else "(not {})")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """The same of what has a sign."""
        if isinstance(node.ctx, ast.Load) and node.attr == "negative":
            self._instead(node, "(not {})")
        self.generic_visit(node)

    def _turned(self, test: ast.expr) -> None:
        if isinstance(test, ast.Name | ast.Attribute | ast.Call):
            self._instead(test, "not ({})")

    def _instead(self, node: ast.expr, text: str) -> None:
        start, end = self._span(node)
        self._add(start, end, text.format(self.source[start:end]), node.lineno)


def texts_of(source: str, asked: dict[str, Any]) -> dict[str, str]:
    """The files of a case."""
    from mbsym import pipeline
    from mbsym.derivatives.of_functions import DerivativeRequest
    from mbsym.options.generation import GenerationOptions
    from mechanisms.benchmark_chains import benchmark_chain, spatial_chain

    # Which options show it is not asked here.
    pipeline.with_least_options = lambda found, *_, **__: found  # type: ignore[assignment]
    model = spatial_chain(CHAINS[source]) if source in CHAINS else benchmark_chain(8) if source == LANES else source
    requests = tuple(DerivativeRequest(*each) for each in asked.get("derivatives", ()))
    _, files = pipeline.generate_files(model, GenerationOptions(**{**asked, "derivatives": requests}))
    return {file.name: file.text for file in files}


def apart(work: Callable[..., Any], *given: Any) -> Any:
    """What a process of its own finds; an error as a sentence."""
    received, sent = multiprocessing.get_context("fork").Pipe(duplex=False)

    def run() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        os.environ["MBSYM_CACHE"] = tempfile.gettempdir()
        try:
            result = work(*given)
        except BaseException as error:  # whatever ends a generation
            result = f"{type(error).__name__}: {error}"
        sent.send_bytes(pickle.dumps(result))
        sent.close()

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    sent.close()
    try:
        return pickle.loads(received.recv_bytes())
    except EOFError:
        return "it does not end"
    finally:
        process.join()


def executed(source: str, asked: dict[str, Any]) -> Executed:
    """What a case does, its lines recorded in a run of their own."""
    texts = apart(texts_of, source, asked)
    if isinstance(texts, str):
        raise SystemExit(f"{source} {asked}: {texts}")
    lines, seconds = apart(lines_of, source, asked)
    return Executed(seconds, lines, texts, apart(lambda: dict(numbers_of(texts))))


def lines_of(source: str, asked: dict[str, Any]) -> tuple[dict[str, Counter[int]], float]:
    """How often a case executes each line of the rooms' functions, and the seconds that it takes, with the counting."""
    rooms = tuple(str(ROOT / room) for room in ROOMS)
    found: dict[str, Counter[int]] = defaultdict(Counter)
    known: dict[CodeType, Counter[int] | None] = {}

    def called(frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        if code not in known:
            inside = code.co_filename.startswith(rooms) and code.co_flags & inspect.CO_OPTIMIZED
            known[code] = found[os.path.relpath(code.co_filename, ROOT)] if inside else None
        lines = known[code]
        if lines is None:
            return None

        def stepped(frame: FrameType, event: str, argument: object) -> Any:
            lines[frame.f_lineno] += 1
            return stepped

        return stepped

    begun = time.process_time()
    sys.settrace(called)
    texts_of(source, asked)
    sys.settrace(None)
    return dict(found), time.process_time() - begun


def with_fault(fault: mutations.Mutation, source: str, asked: dict[str, Any]) -> dict[str, str]:
    """What comes of a case with a fault."""
    path = ROOT / fault.path
    whole = path.read_text(encoding="utf-8")
    text = whole[: fault.start] + fault.text + whole[fault.end :]
    name = fault.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    sys.meta_path.insert(0, Faulty(name, path, text))
    sys.setrecursionlimit(2000)
    return texts_of(source, asked)


def outcome(fault: mutations.Mutation, tried: Sequence[tuple[Case, Executed]]) -> str:
    """What becomes of a fault, in words: of one that is missed in a case, stopped in others, that it is missed."""
    found = [one_outcome(fault, case, without) for case, without in tried]
    return next(each for word in OUTCOMES for each in found if each.startswith(word))


OUTCOMES: Final = ("missed", "stopped by the proof", "stopped", "cannot be compiled", "no fault")
"""What tells most of a fault comes first."""


def one_outcome(fault: mutations.Mutation, case: Case, without: Executed) -> str:
    """What becomes of a fault in a case."""
    result = apart(with_fault, fault, *case)
    if isinstance(result, str):
        return f"stopped by {'the proof' if result.startswith('ProofError') else result.split(':')[0]}"
    if all(text == without.texts.get(name) for name, text in result.items()):
        return "no fault"
    numbers = apart(lambda: dict(numbers_of(result)))
    if isinstance(numbers, str):
        return "cannot be compiled" if numbers.startswith("CodegenError") else f"missed: {case} {numbers}"
    return "no fault" if same_numbers(numbers, without.numbers) else f"missed: {case}"


def same_numbers(found: dict[Any, np.ndarray], expected: dict[Any, np.ndarray]) -> bool:
    """Whether two modules give the same numbers, in both languages."""
    if found.keys() != expected.keys():
        return False
    for key, a in found.items():
        b = expected[key]
        allowed = AGREEMENT * np.abs(b).max(initial=0)
        if a.shape != b.shape or not np.allclose(a, b, rtol=0, atol=allowed, equal_nan=True):
            return False
    return True


def numbers_of(texts: dict[str, str]) -> Iterator[tuple[tuple[str, str, int], np.ndarray]]:
    """All results of a module's derived functions at random states, in C and in NumPy."""
    from mbsym.codegen.load import load_c, load_numpy

    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        (source,) = (Path(folder) / name for name in texts if name.endswith(".c") and "_batch" not in name)
        for module in (load_c(folder), load_numpy(source.with_suffix(".py"))):
            made: dict[str, np.ndarray] = {}
            for name, function in module.functions.items():
                arguments = [made[item.name] if item.name in made else values(item) for item in function.inputs]
                results = function(*arguments)
                results = results if isinstance(results, tuple) else (results,)
                if name in ("prepare", "sines_cosines"):
                    made[function.outputs[0].name] = results[0]
                    continue
                for place, result in enumerate(results):
                    yield (module.language, name, place), np.asarray(result, dtype=float)


def values(argument: Any) -> np.ndarray:
    """The same random values for an argument of that name and shape each time."""
    drawn = np.random.default_rng(sum(argument.name.encode())).uniform(-2, 2, argument.size)
    for start in argument.quaternions:
        drawn[start : start + 4] /= np.linalg.norm(drawn[start : start + 4])
    return drawn.reshape(argument.shape)


def drawn(rooms: Sequence[str], known: Sequence[Executed], count: int, seed: int) -> list[mutations.Mutation]:
    """A sample of the faults on lines that some case executes."""
    every: set[mutations.Mutation] = set()
    for room in rooms:
        for path in [ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py")):
            name, source = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            lines = {line for each in known for line in each.lines.get(name, ())}
            finder = Faults(name, source)
            finder.visit(ast.parse(source))
            every.update(fault for fault in finder.found if fault.line in lines)
    return sorted(random.Random(seed).sample(sorted(every), min(count, len(every))))


def tried_in(fault: mutations.Mutation, known: Sequence[Executed]) -> list[tuple[Case, Executed]]:
    """The cases that execute a fault's line most often in their time."""
    often = [each.lines.get(fault.path, Counter())[fault.line] / each.seconds for each in known]
    chosen = sorted((place for place, rate in enumerate(often) if rate), key=lambda place: -often[place])[:TRIED]
    return [(CASES[place], replace(known[place], lines={})) for place in chosen]


def main() -> int:
    """Plants the faults and prints what became of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", default="")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", type=Path, help="page whose table is written")
    parser.add_argument("--list", action="store_true", help="only the cases and faults")
    options = parser.parse_args()
    began = time.perf_counter()
    tally: Counter[str] = Counter()
    with ProcessPoolExecutor(options.processes, multiprocessing.get_context("fork")) as pool:
        known = list(pool.map(executed, *zip(*CASES, strict=True)))
        rooms = [room for room in ROOMS if room.startswith(options.room)]
        faults = drawn(rooms, known, options.count, options.seed)
        if options.list:
            for each, case in zip(known, CASES, strict=True):
                print(f"{each.seconds:5.1f} s, {sum(map(len, each.lines.values())):5} lines: {case}")
            outcomes: Iterable[str] = ["" for _ in faults]
        else:
            outcomes = pool.map(outcome, faults, [tried_in(each, known) for each in faults])
        for fault, found in zip(faults, outcomes, strict=True):
            tally[next((word for word in OUTCOMES if found.startswith(word)), "")] += 1
            print(f"{found:40} {fault.shown((ROOT / fault.path).read_text(encoding='utf-8'))}", flush=True)
    told = {
        "stopped by the proof": tally["stopped by the proof"],
        "ended by an error of their own": tally["stopped"],
        "made text that cannot be compiled": tally["cannot be compiled"],
        "change no number": tally["no fault"],
        "missed": tally["missed"],
    }
    lines = [f"Of {len(faults)} faults (seed {options.seed}):", "", "| faults | number |", "|---|---|"]
    lines += [f"| {words} | {count} |" for words, count in told.items()]
    print("\n".join(("", *lines, "", f"{time.perf_counter() - began:.0f} s")))
    if options.write:
        text = options.write.read_text(encoding="utf-8")
        before, after = text.split(START)[0], text.split(END)[1]
        options.write.write_text("\n".join((f"{before}{START}", *lines, f"{END}{after}")), encoding="utf-8")
    return 1 if told["missed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())

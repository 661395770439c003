"""Generated C and NumPy compute what the program says: compiled with all warnings as errors, run, compared."""

from __future__ import annotations

import ast
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym.codegen.build import WARNINGS, compile_c, find_compiler, runs
from mbsym.codegen.description import Argument, ModuleDescription, Real, RuntimeFunction
from mbsym.codegen.environment import runtime_directory
from mbsym.codegen.interface import render
from mbsym.codegen.load import LoadedModule, c_module, load_c, load_numpy
from mbsym.codegen.lower import PI
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.write import write_files
from mbsym.errors import CodegenError, ToolchainError
from mbsym.symbolic.graph import BINARY_FUNCTIONS, LEAVES, UNARY_FUNCTIONS, Graph, Reference
from mbsym.symbolic.program import Input, Output, ParameterInput, Program

ROOT = Path(__file__).resolve().parents[2]
STRICT = (*WARNINGS, "-O1")


def modules(directory: Path, description: ModuleDescription) -> tuple[LoadedModule, LoadedModule]:
    """The description in C and in NumPy."""
    files = write_files(directory, render(description))
    (python,) = (path for path in files if path.suffix == ".py")
    return load_c(directory, python.stem, STRICT), load_numpy(python)


# ---- an evaluation that shares nothing with code generation ---------------------------------------------------------

FUNCTIONS: dict[str, tuple[Callable[..., float], Callable[[float], float]]] = {
    "sqrt": (math.sqrt, lambda x: 0.5 / math.sqrt(x)),
    "sin": (math.sin, math.cos),
    "cos": (math.cos, math.sin),
    "tan": (math.tan, lambda x: 1 + math.tan(x) ** 2),
    "asin": (math.asin, lambda x: 1 / math.sqrt(1 - x * x)),
    "acos": (math.acos, lambda x: 1 / math.sqrt(1 - x * x)),
    "exp": (math.exp, math.exp),
    "log": (math.log, lambda x: 1 / x),
    "tanh": (math.tanh, lambda x: 1.0),
    "abs": (abs, lambda x: 1.0),
}


def values_and_errors(program: Program, state: dict[int, float], unit: float) -> list[tuple[float, float]]:
    """Each output entry with a first-order bound of the rounding error of any order of summation.

    ``unit`` is the relative rounding error of one operation. Magnitudes are carried along besides errors, because a sum
    of sums may be added up in another order, which costs up to ``unit`` times the magnitude of its terms each time.
    """
    graph = program.graph
    known: dict[int, tuple[float, float, float]] = {}  # value, error, magnitude

    def of(ref: Reference) -> tuple[float, float, float]:
        value, error, magnitude = known[abs(ref)]
        return (-value if ref < 0 else value), error, magnitude

    for node in program.nodes():
        kind, arguments = graph.kinds[node], graph.arguments[node]
        if kind == "symbol":
            value, error, magnitude = state[node], 0.0, abs(state[node])
        elif kind in ("const", "pi"):
            value = float(PI) if kind == "pi" else float(arguments[0])  # type: ignore[arg-type]
            error, magnitude = abs(value) * unit, abs(value)
        else:
            operands = [of(ref) for ref in graph.operands(node)]
            (x, ex, mx), *others = operands
            y, ey, my = others[0] if others else (0.0, 0.0, 0.0)
            if kind == "add":
                value, magnitude = x + y, mx + my
                error = ex + ey + 100 * unit * magnitude
            elif kind == "mul":
                value, magnitude = x * y, mx * my
                error = abs(x) * ey + abs(y) * ex + unit * magnitude
            elif kind == "div":
                value, magnitude = x / y, mx / abs(y)
                error = (ex + abs(x / y) * ey) / abs(y) + unit * magnitude
            elif kind == "sign":
                value, error, magnitude = float(np.sign(x)), 0.0, 1.0
            elif kind in ("min", "max"):
                value = min(x, y) if kind == "min" else max(x, y)
                error, magnitude = max(ex, ey), max(mx, my)
            elif kind == "atan2":
                value = math.atan2(x, y)
                error, magnitude = (abs(x) * ey + abs(y) * ex) / (x * x + y * y) + 2 * unit, abs(value)
            elif kind == "pow":
                value = x**y
                error, magnitude = abs(value) * (abs(y * ex / x) + abs(math.log(x)) * ey + 4 * unit), abs(value)
            elif kind == "select":
                value, error, magnitude = others[0] if x > 0 else others[1]
            else:
                function, derivative = FUNCTIONS[kind]
                value = function(x)
                error, magnitude = abs(derivative(x)) * ex + 4 * unit * abs(value), abs(value)
            error += 4 * unit * abs(value)
        known[node] = (value, error, magnitude)
    return [of(ref)[:2] for ref in program.output_references]


def random_program(seed: int, name: str) -> Program:
    """All node kinds in random order, arguments kept inside the domains and values moderate."""
    choose = random.Random(seed)
    graph = Graph()
    x = [graph.symbol(f"x{i}") for i in range(6)]
    t, m, k = graph.symbol("t"), graph.symbol("m"), graph.symbol("k")
    pool: list[Reference] = [*x, t, m, k, graph.pi(), graph.const(2), graph.const(Fraction(1, 3))]
    one, tenth = graph.const(1), graph.const(Fraction(9, 10))

    def pick() -> Reference:
        return choose.choice(pool[-25:] if choose.random() < 0.7 else pool) * choose.choice((1, -1))

    def bounded(ref: Reference) -> Reference:
        return graph.mul(tenth, graph.function("tanh", ref))

    def positive(ref: Reference) -> Reference:
        return graph.add(one, graph.function("abs", ref))

    makers: list[Callable[[], Reference]] = [
        *[lambda: graph.add(pick(), pick())] * 6,
        *[lambda: graph.mul(bounded(pick()), pick())] * 2,
        *[lambda: graph.mul(x[choose.randrange(6)], pick())] * 3,
        lambda: graph.div(pick(), positive(pick())),
        lambda: graph.div(pick(), graph.pi()),
        lambda: graph.mul(graph.pi(), graph.const(choose.randint(1, 9))),
        lambda: graph.function("sqrt", positive(pick())),
        lambda: graph.function("sin", pick()),
        lambda: graph.function("cos", pick()),
        lambda: graph.function("tan", bounded(pick())),
        lambda: graph.function("asin", bounded(pick())),
        lambda: graph.function("acos", bounded(pick())),
        lambda: graph.function("exp", bounded(pick())),
        lambda: graph.function("log", positive(pick())),
        lambda: graph.function("tanh", pick()),
        lambda: graph.function("abs", pick()),
        lambda: graph.function("sign", pick()),
        lambda: graph.function("min", pick(), pick()),
        lambda: graph.function("max", pick(), pick()),
        lambda: graph.function("atan2", pick(), positive(pick())),
        lambda: graph.function("pow", positive(bounded(pick())), bounded(pick())),
        lambda: graph.select(pick(), pick(), pick()),
        lambda: graph.power(bounded(pick()), 3),
        lambda: graph.function("sin", graph.const(Fraction(choose.randint(1, 99), 50))),
    ]
    for step in range(120):
        if step % 30 == 0:
            graph._section = 0
        with graph.section(f"part {step // 30}"):
            ref = choose.choice(makers)()
        if abs(ref) > 1:
            pool.append(ref)
            if choose.random() < 0.2:
                graph.name(ref, choose.choice(("w3_x", "for", "q", "sin", "t1", "x")))
    values = tuple(pick() if choose.random() < 0.9 else 0 for _ in range(6))
    return Program(
        name,
        graph,
        (Input("x", (2, 3), tuple(x)), Input("t", (), (t,), "s")),
        (Output("y", (5,), values[:5]), Output("z", (), values[5:])),
        (ParameterInput("m", m, Fraction(3, 2), "kg"), ParameterInput("k", k, Fraction(-7, 10))),
    )


@pytest.fixture(scope="module", params=["double", "float"])
def random_modules(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Real, list[Program], LoadedModule, LoadedModule]:
    real: Real = request.param
    programs = [random_program(seed, f"f{seed}") for seed in range(40)]
    directory = tmp_path_factory.mktemp("random")
    return (real, programs, *modules(directory, ModuleDescription("trial", tuple(programs), real=real)))


def test_random_programs(random_modules: tuple[Real, list[Program], LoadedModule, LoadedModule]) -> None:
    real, programs, c, numpy = random_modules
    unit = {"double": 2.0**-52, "float": 2.0**-23}[real]
    generator = np.random.default_rng(1)
    kinds: set[str] = set()
    for program in programs:
        kinds |= {program.graph.kinds[node] for node in program.nodes()}
        x = generator.uniform(-2, 2, (3, 2, 3)).astype(np.float32).astype(float)
        t = float(np.float32(generator.uniform(-1, 1)))
        # A sign or a choice near its switch tells nothing: the three states are judged one by one.
        expected = [reference(program, x[state], t, {"m": 1.5, "k": -0.7}, unit) for state in range(3)]
        for module in (c, numpy):
            results = module.functions[program.name](x, t)
            flat = np.concatenate([results[0], results[1][:, np.newaxis]], axis=1)
            assert (results[0].shape, results[1].shape) == ((3, 5), (3,))
            assert flat.dtype == {"double": np.float64, "float": np.float32}[real]
            for state in range(3):
                one = module.functions[program.name](x[state], t)
                np.testing.assert_allclose(np.append(*one), flat[state], rtol=64 * unit, atol=1e3 * unit)
                for value, (exact, error) in zip(flat[state].tolist(), expected[state], strict=True):
                    # Twice, because the reference rounds as well; the floor is for zero.
                    assert abs(value - exact) <= 2 * error + 1e-30, (program.name, module.language)
    assert kinds == {*LEAVES, *UNARY_FUNCTIONS, *BINARY_FUNCTIONS, "add", "mul", "div", "select"}


def reference(
    program: Program, x: np.ndarray, t: float, parameters: dict[str, float], unit: float
) -> list[tuple[float, float]]:
    state = dict(zip(program.inputs[0].symbols, x.ravel().tolist(), strict=True))
    state |= {program.inputs[1].symbols[0]: t}
    state |= {item.symbol: parameters[item.name] for item in program.parameters}
    return values_and_errors(program, state, unit)


# ---- calling convention ---------------------------------------------------------------------------------------------


def mixed_program() -> Program:
    """y = m x + t; z = |x|^2; s = t."""
    graph = Graph()
    x = [graph.symbol(f"x{i}") for i in range(3)]
    t, m = graph.symbol("t"), graph.symbol("m")
    y = tuple(graph.add(graph.mul(m, item), t) for item in x)
    square = 0
    for item in x:
        square = graph.add(square, graph.mul(item, item))
    inputs = (Input("x", (3,), tuple(x)), Input("unused", (2,), (graph.symbol("u0"), graph.symbol("u1"))))
    outputs = (Output("y", (3,), y), Output("lambda", (), (square,)), Output("s", (1, 1), (t,)))
    parameters = (ParameterInput("m", m, Fraction(2)), ParameterInput("idle", graph.symbol("idle"), Fraction(1)))
    return Program("mixed", graph, (*inputs, Input("t", (), (t,))), outputs, parameters)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[LoadedModule, LoadedModule]:
    return modules(tmp_path_factory.mktemp("mixed"), ModuleDescription("calls", (mixed_program(),)))


def test_batch_axes_broadcast(mixed: tuple[LoadedModule, LoadedModule]) -> None:
    x = np.arange(30.0).reshape(5, 2, 3)
    t = np.arange(8.0).reshape(4, 1, 1, 2)
    unused = np.zeros((5, 1, 2))
    for module in mixed:
        y, square, s = module.functions["mixed"](x, unused, t)
        assert (y.shape, square.shape, s.shape) == ((4, 1, 5, 2, 3), (4, 1, 5, 2), (4, 1, 5, 2, 1, 1))
        np.testing.assert_array_equal(y, 2 * x + t[..., np.newaxis] + np.zeros((4, 1, 5, 2, 3)))
        np.testing.assert_array_equal(square, np.broadcast_to((x**2).sum(-1), square.shape))
        np.testing.assert_array_equal(s[..., 0, 0], np.broadcast_to(t, square.shape))


def test_an_empty_batch(mixed: tuple[LoadedModule, LoadedModule]) -> None:
    for module in mixed:
        y, square, _ = module.functions["mixed"](np.zeros((0, 3)), np.zeros(2), 1.0)
        assert (y.shape, square.shape) == ((0, 3), (0,))


def test_lists_and_integers_are_taken(mixed: tuple[LoadedModule, LoadedModule]) -> None:
    for module in mixed:
        y, square, s = module.functions["mixed"]([1, 2, 3], (0, 0), 1)
        np.testing.assert_array_equal(y, [3, 5, 7])
        assert (square, s) == (14, [[1]])
        assert np.shape(square) == ()


def test_arguments_are_not_changed_nor_held(mixed: tuple[LoadedModule, LoadedModule]) -> None:
    for module in mixed:
        x = np.ones((2, 3))
        x.flags.writeable = False
        first = module.functions["mixed"](x, np.zeros(2), 1.0)
        second = module.functions["mixed"](2 * x, np.zeros(2), 1.0)
        np.testing.assert_array_equal(first[0], 3 * np.ones((2, 3)))
        np.testing.assert_array_equal(second[0], 5 * np.ones((2, 3)))


def test_parameters(mixed: tuple[LoadedModule, LoadedModule]) -> None:
    for module in mixed:
        y, *_ = module.functions["mixed"]([1, 2, 3], (0, 0), 0, parameters={"m": 10, "idle": 5})
        np.testing.assert_array_equal(y, [10, 20, 30])
        with pytest.raises(CodegenError, match="no parameter 'mass'; known are m, idle"):
            module.functions["mixed"]([1, 2, 3], (0, 0), 0, parameters={"mass": 10})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], (0, 0), 0), "x has the shape"),
        (([[1], [2], [3]], (0, 0), 0), "x has the shape"),
        ((1.0, (0, 0), 0), "x has the shape"),
        ((np.zeros((4, 3)), np.zeros((5, 2)), 0), "broadcast|do not fit"),
        (([1, 2, 3], (0, 0)), "2 arguments given, 3 expected"),
    ],
)
def test_wrong_arguments_are_refused(
    mixed: tuple[LoadedModule, LoadedModule], arguments: Sequence[Any], message: str
) -> None:
    for module in mixed:
        with pytest.raises(CodegenError, match=message):
            module.functions["mixed"](*arguments)


def test_numpy_results_are_named(tmp_path: Path) -> None:
    write_files(tmp_path, render(ModuleDescription("calls", (mixed_program(),))))
    code = (
        "import calls, inspect; r = calls.mixed([1, 2, 3], [0, 0], t=1.0, parameters=calls.Parameters(m=3.0));"
        "print(type(r).__name__, r._fields, r.y, calls.Parameters().m, inspect.getdoc(calls.mixed).splitlines()[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "MixedResult ('y', 'lambda_', 's') [ 4.  7. 10.] 2.0 mixed\n"


def test_batches_of_parameters_in_numpy(tmp_path: Path) -> None:
    write_files(tmp_path, render(ModuleDescription("calls", (mixed_program(),))))
    code = (
        "import calls, numpy as np; "
        "print(calls.mixed([1, 2, 3], [0, 0], 0, calls.Parameters(m=np.array([1.0, 2.0]))).y.tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]\n"


def test_outside_the_domain_both_answer_as_ieee_754_says(tmp_path: Path) -> None:
    graph = Graph()
    x = graph.symbol("x")
    values = [graph.function(name, x) for name in ("sqrt", "log", "asin", "sin", "exp", "sign")]
    values += [graph.div(1, x), graph.function("min", x, graph.const(2)), graph.select(x, x, graph.const(7))]
    program = Program("f", graph, (Input("x", (), (x,)),), (Output("y", (len(values),), tuple(values)),))
    c, numpy = modules(tmp_path, ModuleDescription("domain", (program,)))
    for argument in (0.0, -2.0, 1e3, math.inf, -math.inf, math.nan):
        with np.errstate(all="ignore"):
            expected, result = c.functions["f"](argument), numpy.functions["f"](argument)
            batch = numpy.functions["f"]([argument, argument])
        np.testing.assert_allclose(result, expected, rtol=1e-15)
        np.testing.assert_allclose(batch[1], expected, rtol=1e-15)
    assert math.isnan(c.functions["f"](math.nan)[5])


def empty_program() -> Program:
    graph = Graph()
    q = graph.symbol("q0")
    return Program(
        "empty",
        graph,
        (Input("q", (1,), (q,)), Input("v", (0,), ())),
        (Output("vdot", (0,), ()), Output("M", (0, 0), ()), Output("qdot", (1,), (0,))),
    )


@pytest.mark.parametrize("real", ["double", "float"])
def test_arrays_without_entries(tmp_path: Path, real: Real) -> None:
    for module in modules(tmp_path, ModuleDescription("nothing", (empty_program(),), real=real)):
        vdot, mass, qdot = module.functions["empty"](np.zeros((3, 1)), np.zeros((3, 0)))
        assert (vdot.shape, mass.shape, qdot.tolist()) == ((3, 0), (3, 0, 0), [[0.0]] * 3)
        vdot, mass, qdot = module.functions["empty"]([1.0], [])
        assert (vdot.shape, mass.shape, qdot.tolist()) == ((0,), (0, 0), [0.0])


def test_a_function_without_arguments(tmp_path: Path) -> None:
    graph = Graph()
    program = Program("constants", graph, (), (Output("y", (2,), (graph.pi(), -graph.const(Fraction(1, 3)))),))
    for module in modules(tmp_path, ModuleDescription("k", (program,))):
        np.testing.assert_array_equal(module.functions["constants"](), [math.pi, -1 / 3])


# ---- size -----------------------------------------------------------------------------------------------------------


def large_program(operations: int) -> Program:
    choose = random.Random(3)
    graph = Graph()
    q = [graph.symbol(f"q{i}") for i in range(30)]
    values = [*q, *(graph.function(name, item) for item in q for name in ("sin", "cos"))]
    while len(values) < operations:
        x, y = choose.choice(values[-60:]), choose.choice(values[-200:])
        if choose.random() < 0.5:
            value = graph.mul(x, choose.choice(values[:90]))
        else:
            value = graph.add(graph.mul(graph.const(choose.randint(1, 500) / 1000), x), choose.choice((y, -y)))
        if abs(value) > 1:
            values.append(value)
    return Program("large", graph, (Input("q", (30,), tuple(q)),), (Output("y", (8, 5), tuple(values[-40:])),))


def test_a_large_function(tmp_path: Path) -> None:
    program = large_program(12000)
    assert program.operation_count().arithmetic > 10000
    write_files(tmp_path, render(ModuleDescription("large", (program,))))
    c = load_c(tmp_path, "large", (*WARNINGS, "-O0"))
    numpy = load_numpy(tmp_path / "large.py")
    q = np.random.default_rng(0).uniform(-1, 1, (2, 30))
    expected = values_and_errors(program, dict(zip(program.inputs[0].symbols, q[0].tolist(), strict=True)), 2.0**-52)
    for module in (c, numpy):
        result = module.functions["large"](q)
        assert result.shape == (2, 8, 5)
        for value, (exact, error) in zip(result[0].ravel().tolist(), expected, strict=True):
            assert abs(value - exact) <= 2 * error + 1e-30
    assert max(len(line) for line in (tmp_path / "large.c").read_text().splitlines()) <= 130


def test_the_text_holds_the_operations_that_the_manifest_counts(tmp_path: Path) -> None:
    programs = (large_program(2000), *(random_program(seed, f"f{seed}") for seed in range(20)))
    write_files(tmp_path, render(ModuleDescription("counted", programs)))
    text = (tmp_path / "counted.py").read_text()
    kernels = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    for program, entry in zip(programs, read_manifest(tmp_path)["functions"], strict=True):
        found = [type(node.op) for node in ast.walk(kernels[f"_{entry['name']}"]) if isinstance(node, ast.BinOp)]
        operations = entry["operations"]
        assert found.count(ast.Add) + found.count(ast.Sub) == operations["add"] <= program.operation_count().add
        assert (found.count(ast.Mult), found.count(ast.Div)) == (operations["mul"], operations["div"])
        assert len(found) <= program.operation_count().arithmetic


# ---- the text -------------------------------------------------------------------------------------------------------


def test_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    script = tmp_path / "generate.py"
    script.write_text(
        f"import sys, runpy; sys.path.insert(0, {str(ROOT)!r})\n"
        f"module = runpy.run_path({__file__!r})\n"
        "programs = tuple(module['random_program'](seed, f'f{seed}') for seed in range(5))\n"
        "for file in module['render'](module['ModuleDescription']('same', programs)):\n"
        "    print(file.name, file.text)\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, str(script)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    ]
    assert len(outputs[0]) > 10000
    assert outputs[0] == outputs[1] == outputs[2]


EVIL = (
    "*/ EVIL(); /*",
    '"""\nEVIL()\n"""',
    "'''; EVIL()",
    "\\\nEVIL()",
    "x]; EVIL(); //",
    "{{ EVIL() }}{% EVIL %}",
    "\n#include EVIL\n",
    "??/\nEVIL",
    "../EVIL",
    "EVIL\0\u202e\u2028EVIL()",
    "\\N{BULLET}\\x\\",
    "\ud800EVIL",
    "%sEVIL%n",
)


def hostile_description(text: str) -> ModuleDescription:
    graph = Graph()
    q, m = graph.symbol(f"q {text}"), graph.symbol(f"m {text}")
    with graph.section(f"section {text}"):
        named = graph.mul(q, q)
        graph.name(named, f"name {text}")
        value = graph.add(graph.mul(named, m), named)
    program = Program(
        f"program {text}",
        graph,
        (Input(f"q {text}", (1,), (q,), f"unit {text}", f"input {text}"),),
        (Output(f"y {text}", (), (value,), text, text), Output(f"z {text}", (), (named,), text, text)),
        (ParameterInput(f"m {text}", m, Fraction(2), text),),
        text,
        (text, f"note {text}"),
    )
    return ModuleDescription(
        f"model {text}",
        (program,),
        (text, f"line {text}"),
        {"bodies": [{"name": text}]},
        constants={f"N {text}": 3},
        model_sha256=text,
    )


def without_comments(source: str) -> str:
    return re.sub(r"/\*.*?\*/", " ", source, flags=re.DOTALL)


@pytest.mark.parametrize("text", EVIL, ids=range(len(EVIL)))
def test_no_name_or_text_becomes_code(tmp_path: Path, text: str) -> None:
    description = hostile_description(text)
    c, numpy = modules(tmp_path, description)
    files = {path.suffix: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert sorted(files) == [".c", ".h", ".json", ".py"]
    for suffix in (".c", ".h"):
        code = without_comments(files[suffix])
        assert not re.search(r"\bEVIL\b", code)
        assert re.findall(r"^ *#.*", code, re.MULTILINE) == [
            line for line in code.splitlines() if line.startswith(("#include", "#if", "#def", "#en", "#undef", "#else"))
        ]
    for node in ast.walk(ast.parse(files[".py"])):
        assert not (isinstance(node, ast.Name) and node.id == "EVIL")
        assert not (isinstance(node, (ast.Import, ast.ImportFrom)) and "EVIL" in ast.dump(node))
    assert json.loads(files[".json"])["bodies"] == [{"name": text}]
    for module in (c, numpy):
        (function,) = module.functions.values()
        assert function.name == f"program {text}"
        assert function([3.0], parameters={f"m {text}": 5.0}) == (54.0, 9.0)


def test_generated_text_is_tidy(tmp_path: Path) -> None:
    programs = (random_program(7, "other"), random_program(8, "another"), empty_program())
    header = ("conventions:", "", "label  name", "1      arm")
    for file in render(ModuleDescription("tidy", programs, header, constants={"NQ": 3, "NV": 2})):
        assert file.text.endswith("\n") and not file.text.endswith("\n\n")
        assert "\n\n\n\n" not in file.text
        for line in file.text.splitlines():
            assert line == line.rstrip()
            assert "\t" not in line
            assert len(line) <= 130 or file.name.endswith(".json")


# ---- C --------------------------------------------------------------------------------------------------------------


def header_user(tmp_path: Path, suffix: str) -> Path:
    write_files(tmp_path, render(ModuleDescription("calls", (mixed_program(),), constants={"NQ": 3})))
    source = tmp_path / f"user{suffix}"
    source.write_text(
        '#include "calls.h"\n#include "calls.h"\n'
        "int main(void) {\n"
        "    calls_parameters parameters = calls_default_parameters;\n"
        "    calls_real x[calls_NQ] = {1.0, 2.0, 3.0}, unused[2] = {0.0, 0.0}, y[3], square[1], s[1];\n"
        "    parameters.m += 1.0;\n"
        "    calls_mixed(&parameters, x, unused, 0.5, y, square, s);\n"
        "    return y[2] == 9.5 && square[0] == 14.0 && s[0] == 0.5 ? 0 : 1;\n"
        "}\n"
    )
    return source


def test_a_c_program_uses_the_header(tmp_path: Path) -> None:
    source = header_user(tmp_path, ".c")
    command = [*find_compiler(), *WARNINGS, "-O2", str(source), str(tmp_path / "calls.c"), "-o", str(tmp_path / "a")]
    subprocess.run([*command, "-lm"], check=True)
    subprocess.run([tmp_path / "a"], check=True)


@pytest.mark.skipif(not runs("g++"), reason="the header for C++ is checked where there is a C++ compiler")
def test_a_cpp_program_uses_the_header(tmp_path: Path) -> None:
    source = header_user(tmp_path, ".cpp")
    objects = [str(tmp_path / "calls.o"), str(tmp_path / "user.o")]
    subprocess.run([*find_compiler(), *WARNINGS, "-c", str(tmp_path / "calls.c"), "-o", objects[0]], check=True)
    flags = ["-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run(["g++", *flags, "-c", str(source), "-o", objects[1]], check=True)
    subprocess.run(["g++", *objects, "-o", str(tmp_path / "a")], check=True)
    subprocess.run([tmp_path / "a"], check=True)


@pytest.mark.parametrize("standard", ["-std=c99", "-std=gnu99", "-std=c11", "-std=gnu17"])
def test_every_standard_and_level_compiles_without_a_warning(tmp_path: Path, standard: str) -> None:
    programs = tuple(random_program(seed, f"f{seed}") for seed in range(3))
    write_files(tmp_path, render(ModuleDescription("levels", (*programs, empty_program()))))
    flags = (*WARNINGS[1:], "-Wcast-qual", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wundef", "-Wvla")
    compile_c(tmp_path, "levels", (standard, *flags, "-O2"))


def test_single_precision_has_no_double(tmp_path: Path) -> None:
    programs = tuple(random_program(seed, f"f{seed}") for seed in range(3))
    write_files(tmp_path, render(ModuleDescription("single", programs, real="float")))
    compile_c(tmp_path, "single", (*WARNINGS, "-Wdouble-promotion", "-Wunsuffixed-float-constants"))


def test_a_planted_error_is_reported_with_the_compiler_message(tmp_path: Path) -> None:
    write_files(tmp_path, render(ModuleDescription("calls", (mixed_program(),))))
    source = tmp_path / "calls.c"
    source.write_text(source.read_text().replace("y[0] =", "y[0] ="[:-1] + "+* "))
    with pytest.raises(CodegenError, match=r"(?s)does not compile:.*error"):
        compile_c(tmp_path, "calls")


def test_a_planted_sign_shows(tmp_path: Path) -> None:
    write_files(tmp_path, render(ModuleDescription("calls", (mixed_program(),))))
    source = tmp_path / "calls.c"
    text = source.read_text()
    planted = text.replace("y[1] = t + ", "y[1] = t - ")
    assert planted != text
    source.write_text(planted)
    with pytest.raises(CodegenError, match=r"calls\.c: this is not the file that calls\.json was written with"):
        load_c(tmp_path)
    c, numpy = c_module(compile_c(tmp_path, "calls"), read_manifest(tmp_path)), load_numpy(tmp_path / "calls.py")
    assert (c.functions["mixed"]([1, 2, 3], (0, 0), 1)[0] != numpy.functions["mixed"]([1, 2, 3], (0, 0), 1)[0]).any()


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(ToolchainError, match="apt install gcc") as caught:
        compile_c(tmp_path, "calls")
    assert caught.value.exit_status == 3
    with pytest.raises(ToolchainError, match="no C compiler 'nonesuch -m32'"):
        compile_c(tmp_path, "calls", cc="nonesuch -m32")


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(CodegenError, match="no C source"):
        compile_c(tmp_path, "calls")
    with pytest.raises(CodegenError, match="no manifest stands here; run mbsym generate"):
        read_manifest(tmp_path)
    write_files(tmp_path, render(ModuleDescription("calls", (mixed_program(),)), ["c"]))
    with pytest.raises(CodegenError, match="no such Python module"):
        load_numpy(tmp_path / "calls.py")
    manifest = read_manifest(tmp_path)
    manifest["functions"][0]["c_symbol"] = "calls_other"
    with pytest.raises(CodegenError, match="the manifest lists mixed, the code does not have it"):
        c_module(compile_c(tmp_path, "calls"), manifest)
    (tmp_path / "calls.json").write_text("[1")
    with pytest.raises(CodegenError, match="cannot be read"):
        read_manifest(tmp_path / "calls.json")
    (tmp_path / "calls.json").write_text("[1]")
    with pytest.raises(CodegenError, match="no manifest of mbsym"):
        read_manifest(tmp_path / "calls.json")


# ---- functions with fixed text ---------------------------------------------------------------------------------------

C_RUNTIME = """
typedef double MODEL_real;
/* mbsym: copied from here */
/* Applies y = m x + t twice. */
void MODEL_twice(MODEL_FORMAL const MODEL_real x[3], MODEL_real y[restrict 3])
{
    const MODEL_real unused[2] = {0, 0};
    MODEL_real first[MODEL_N], square[1], s[1];

    MODEL_mixed(MODEL_ACTUAL x, unused, 0, first, square, s);
    MODEL_mixed(MODEL_ACTUAL first, unused, 0, y, square, s);
}
"""
NUMPY_RUNTIME = """
# mbsym: copied from here


def twice(x, **parameters):
    \"\"\"Applies y = m x + t twice.\"\"\"
    first = mixed(x, np.zeros(2), 0.0, **parameters).y
    return mixed(first, np.zeros(2), 0.0, **parameters).y
"""


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("symbolic", [True, False])
def test_fixed_text_joins_the_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, symbolic: bool, real: Real
) -> None:
    runtime_texts = tmp_path / "runtime"
    shutil.copytree(runtime_directory(), runtime_texts)
    (runtime_texts / "c" / "twice.c").write_text(C_RUNTIME)
    (runtime_texts / "numpy" / "twice.py").write_text(NUMPY_RUNTIME)
    monkeypatch.setattr("mbsym.codegen.environment.runtime_directory", lambda: runtime_texts)
    program = mixed_program()
    if not symbolic:
        m = program.parameters[0].symbol
        program = Program("mixed", program.graph, (*program.inputs, Input("m", (), (m,))), program.outputs)
        program = Program("mixed", program.graph, program.inputs[:3], (zeroed(program), *program.outputs[1:]))
    runtime = RuntimeFunction("twice", "twice", (Argument("x", "in", (3,)), Argument("y", "out", (3,))), "twice")
    description = ModuleDescription("fixed", (program,), constants={"N": 3}, runtime=(runtime,), real=real)
    for module in modules(tmp_path / "out", description):
        factor = 4 if symbolic else 1
        np.testing.assert_array_equal(module.functions["twice"]([[1, 2, 3]]), [[factor, 2 * factor, 3 * factor]])
        if symbolic:
            np.testing.assert_array_equal(module.functions["twice"]([1, 2, 3], parameters={"m": 3}), [9, 18, 27])


def zeroed(program: Program) -> Output:
    """y = x + t in place of m x + t."""
    graph = program.graph
    return Output("y", (3,), tuple(graph.add(item, program.inputs[2].symbols[0]) for item in program.inputs[0].symbols))

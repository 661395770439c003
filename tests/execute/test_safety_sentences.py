"""Every sentence of the safety report, derived again from the text and from what compilers make of it.

The checker is left out, which takes long for long texts and is asked in other tests: what is said without it is no less
true.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

import mbsym
from mbsym.codegen.description import GeneratedFile
from mbsym.embedded import safety
from mbsym.embedded.c_source import read_source
from mbsym.embedded.misra import DEVIATIONS, Findings, verdicts
from mbsym.registry import TRANSFER_MATRIX
from mechanisms.call_graph import CallGraph, call_graph
from mechanisms.examples import some
from mechanisms.generated_c import require
from mechanisms.trees import chain, tree_model

FEW = ("forward_dynamics", "inverse_dynamics")
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "straight": ("double_pendulum", {"functions": FEW}),
    "inline": ("planar_3r", {"functions": FEW, "trigonometry": "inline"}),
    "inline, float": ("planar_3r", {"functions": FEW, "trigonometry": "inline", "real": "float"}),
    "inline, batch": ("planar_3r", {"functions": FEW, "trigonometry": "inline", "batch": ("all",)}),
    "batch": ("cart_pole", {"functions": FEW, "batch": ("all",)}),
    "loops": ("four_bar", {"functions": ("forward_dynamics",)}),
    "loops, batch": ("four_bar", {"functions": ("project_velocity",), "batch": ("all",)}),
    "threads": ("parts", {"functions": FEW[:1], "formulation": "cfa-parallel", "threads": 2}),
    "shared": ("puma560", {"functions": FEW[1:], "style": "shared"}),
    "prepared": ("cart_pole", {"functions": FEW, "prepare": True, "symbolic_parameters": "all"}),
    "stepping": ("double_pendulum", {"formulation": TRANSFER_MATRIX}),
}
"""How code is generated."""

COMMENT = re.compile(r"/\*.*?\*/|\"[^\"\n]*\"", re.DOTALL)
"""And strings."""

NUMBER = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?[fF]?")


def made(kind: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("CC", "gcc")
    monkeypatch.setenv("CFLAGS", "-O0")
    monkeypatch.setattr(safety, "check", lambda _: Findings(reason="left out"))
    name, options = KINDS[kind]
    model = replace(tree_model((*chain(9), 4), ["revolute"] * 10), name=name) if name == "parts" else name
    mbsym.generate(model, directory, languages=("c",), safety_report=True, **options)
    (file,) = directory.glob("*.safety.json")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def compiled(source: Path) -> tuple[CallGraph, set[str], set[str]]:
    """Who calls whom in an object, symbols that it needs, and those of data that may change; nothing is optimised."""
    command = ("gcc", "-std=c99", "-O0")
    made = source.with_suffix(".o")
    subprocess.run([*command, "-c", source.name, "-o", made.name], cwd=source.parent, check=True)
    done = subprocess.run(["nm", made.name], cwd=source.parent, capture_output=True, text=True, check=True)
    symbols = [line.split()[-2:] for line in done.stdout.splitlines()]
    needed = {name for kind, name in symbols if kind == "U"}
    return (
        call_graph(source, (*command, "-Wno-psabi", "-Wno-unknown-pragmas")),
        needed,
        {name for kind, name in symbols if kind in "bBdDcC"},
    )


@pytest.mark.parametrize("kind", some(KINDS, set(KINDS) - {"loops, batch"}))
def test_sentences_are_what_text_and_compiler_say(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require("gcc")
    report = made(kind, tmp_path, monkeypatch)
    blank = {name: (tmp_path / name).read_text(encoding="utf-8") for name in report["files"]}
    # Comments leave their lines.
    texts = {name: COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text) for name, text in blank.items()}
    functions = {(item["file"], item["symbol"]): item for item in report["functions"]}
    assert len(functions) == len(report["functions"])
    listed = json.loads(next(tmp_path.glob(f"{next(iter(texts)).partition('.')[0]}.json")).read_text())["functions"]
    assert {entry["name"] for entry in listed} <= {item["function"] for item in report["functions"]}
    libraries: set[str] = set()
    for source in sorted(tmp_path.glob("*.c")):
        graph, needed, changing = compiled(source)
        # Functions: all that the compiler made, and none more; calls as it has them.
        # A name may stand for another one, which is what the compiler sees.
        names = dict(re.findall(r"^#define (\w+) ([A-Za-z_]\w*)$", "\n".join(texts.values()), re.MULTILINE))
        own = {names.get(name, name): item for (file, name), item in functions.items() if file == source.name}
        assert {name for name in graph.frames} <= own.keys()
        assert own.keys() - graph.frames.keys() <= set(
            re.findall(r"static inline [\w ]+?\**(\w+)\(", texts[source.name])
        )
        for name, called in graph.calls.items():
            told = {names.get(word, word) for word in (*own[name]["calls"], *own[name]["libraries"])}
            assert {word for word in called if not word.startswith("__")} <= told | {"memcpy", "memset"}, name
            assert own[name]["frame"] == graph.frames[name]
            assert (graph.depth(name) or 0) <= own[name]["stack"]
        assert changing == set() and report["memory"]["variables_that_change"] == []
        libraries |= needed - {names.get(name, name) for _, name in functions}
    # Libraries: all that the objects need, and what is more is a macro, or the compiler makes instructions of it.
    unasked = {"memcpy", "memset", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"}
    assert {name for name in libraries if not name.startswith(("GOMP_", "omp_"))} - unasked <= set(report["libraries"])
    more = set(report["libraries"]) - libraries
    assert more <= {"fabs", "fabsf", "sqrt", "sqrtf", "fmax", "isfinite", "UINT64_C", "UINT32_C", "memcpy", "memset",
                    "__builtin_shufflevector", "__builtin_shuffle"}, more  # fmt: skip
    whole = "\n".join(texts.values())
    assert all(re.search(rf"\b{name}\b", whole) for name in report["libraries"])
    assert report["memory"]["allocating_calls"] == [] and not re.search(r"\b(m|c|re)alloc\b|\balloca\b", whole)
    assert report["recursion"] == []
    for item in report["functions"]:
        lines = texts[item["file"]].splitlines()[item["line"] - 1 : item["line"] - 1 + item["lines"]]
        body = "\n".join(lines)
        assert body.startswith(("void", "int", "static")) and body.endswith("}"), item
        block = "\n".join(line for line in body[body.index("\n{") :].splitlines() if not line.lstrip().startswith("#"))
        assert item["static"] == body.startswith("static")
        assert item["loops"] == len(re.findall(r"\b(?:for|while)\b", block))
        depths = accumulate({"{": 1, "}": -1}[brace] for brace in re.findall(r"[{}]", block))
        assert item["nesting"] == max(depths) - 1
        assert item["returns"] == len(re.findall(r"\breturn\b", block))
        decisions = len(re.findall(r"\b(?:if|for|while|case)\b|&&|\|\||\?", block))
        assert item["complexity"] == 1 + decisions
        own = [abs(float(text.rstrip("fF"))) for text in set(NUMBER.findall(block))]
        assert item["constants"]["count"] == len(own)
        present = [value for value in own if value]
        assert (item["constants"]["least"], item["constants"]["largest"]) == (
            min(present, default=0.0), max(present, default=0.0),
        )  # fmt: skip
    for name, text in texts.items():
        assert report["files"][name] == sha256((tmp_path / name).read_bytes()).hexdigest()
        # What the reasons of deviations say: taken back where it was defined, and behind a condition.
        for taken in re.findall(r"^#undef (\w+)", text, re.MULTILINE):
            assert re.search(rf"^[ \t]*#\s*define {taken}\b", text, re.MULTILINE), taken
        depth = 0
        for line in text.splitlines():
            depth += len(re.findall(r"^\s*#\s*if", line)) - len(re.findall(r"^\s*#\s*endif", line))
            assert depth > name.endswith(".h") or "__attribute__" not in line, line
    statuses = [int(value) for value in re.findall(r"^    \w+_[A-Z_]+ = (\d+)", whole, re.MULTILINE)]
    assert all(value < 1 << 15 for value in statuses)
    numbers = {text: float(text.rstrip("fF")) for text in NUMBER.findall(whole)}
    sizes = [value for value in numbers.values() if value]
    assert report["constants"]["count"] == len(numbers) and report["constants"]["outside"] == []
    assert (report["constants"]["least"], report["constants"]["largest"]) == (min(sizes), max(sizes))


SUBJECTS = {
    "1.2": "__attribute__", "D4.6": r"\bint\b", "2.4": "enum", "2.5": r"#define \w+_(default_parameters|INLINE)",
    "5.6": "_angles", "9.3": "_angles", "5.9": r"_sincos|_(limit|lower|upper)\b", "8.14": "restrict",
    "9.2": r"^ .*_FOUR\(", "10.3": "_lanes_mask", "10.4": "status", "11.3": "_lanes", "15.6": "#pragma omp",
    "18.4": r"\bmemory\b|\bplaces_", "20.5": "#undef", "20.9": "FLT_EVAL_METHOD", "21.15": r"memcpy\(",
}  # fmt: skip


@pytest.mark.parametrize("kind", ["straight", "inline", "batch", "shared"])
def test_no_record_speaks_of_what_is_not_there(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a checker only what the text shows is a deviation; what nobody looked at is open."""
    report = made(kind, tmp_path, monkeypatch)
    text = COMMENT.sub("", "\n".join((tmp_path / name).read_text(encoding="utf-8") for name in report["files"]))
    status = {rule["rule"]: rule["status"] for rule in report["misra"]["rules"]}
    for rule, subject in SUBJECTS.items():
        assert (status[rule] == "deviation") == bool(re.search(subject, text, re.MULTILINE)), rule
    assert {status[rule] for rule in DEVIATIONS if rule not in SUBJECTS} == {"open"}
    unused = {"19.2": "union", "15.1": "goto", "17.1": "va_", "21.5": "signal", "4.3": "asm", "22.8": "errno"}
    for rule, word in unused.items():
        rule = f"D{rule}" if rule == "4.3" else rule
        assert status[rule] == "not used" and not re.search(rf"\b{word}", text)
    assert re.search(r"malloc|stdlib", text) is None and status["21.3"] == "not used"


def report_of(text: str) -> dict[str, Any]:
    manifest = {"name": "f", "functions": [], "real": "double", "model_sha256": ""}
    files = (GeneratedFile("f.c", text), GeneratedFile("f.json", json.dumps(manifest)))
    found: dict[str, Any] = json.loads(safety.safety_report(files)[0].text)
    return found


def test_what_hides_behind_macros_pointers_and_types_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safety, "check", lambda _: Findings(reason="left out"))
    hidden = """
#define ROOT(x) sqrt(x)
#define AGAIN(n) f(n)
#define other malloc
static const char *moving;
static const char *const still = 0;
static struct { int a; } counter;
static const struct { int a; } fixed = {1};
struct bits { unsigned int one : 1; };
typedef __typeof__((int){0} < (int){0}) mask;
static double g(double x) { return ROOT(x); }
double f(int n) { other(3); return n ? AGAIN(n - 1) : g(2.0); }
double (*taken(void))(int) { return f; }
"""
    report = report_of(hidden)
    functions = {item["symbol"]: item for item in report["functions"]}
    assert report["libraries"] == ["malloc", "sqrt"] and report["memory"]["allocating_calls"] == ["malloc"]
    assert report["memory"]["variables_that_change"] == ["moving", "counter"]
    assert report["recursion"] == ["f"] and functions["f"]["stack"] is None
    assert functions["f"]["calls"] == ["f", "g"] and functions["g"]["libraries"] == ["sqrt"]
    words = read_source(hidden).words
    status = {item.guideline.number: item.status for item in verdicts(words, Findings(), "", ["f"], ["moving"])}
    assert {status[rule] for rule in ("6.1", "17.12", "17.2", "D5.1")} == {"open"}


def test_functions_of_one_name_in_two_files_are_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("gcc") is None:
        require("gcc")
    report = made("inline, batch", tmp_path, monkeypatch)
    both = [item for item in report["functions"] if item["symbol"] == "planar_3r_sincos"]
    assert {item["file"] for item in both} == {"planar_3r.c", "planar_3r_batch.c"}

"""The safety report says of generated C what compilers, a checker and the text itself say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import mbsym
from mbsym.cli.application import main
from mbsym.embedded.misra import DEVIATIONS, GUIDELINES
from mechanisms.call_graph import call_graph
from mechanisms.examples import further
from mechanisms.generated_c import require

ROOT = Path(__file__).resolve().parents[2]


def made(model: str, directory: Path, **options: Any) -> dict[str, Any]:
    mbsym.generate(model, directory, languages=("c",), safety_report=True, **options)
    (file,) = directory.glob("*.safety.json")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def test_it_has_what_compiler_and_checker_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require("gcc", "cppcheck")
    monkeypatch.setenv("CC", "gcc")
    monkeypatch.setenv("CFLAGS", "-O1")
    report = made("four_bar", tmp_path, functions=("forward_dynamics", "project_position"))
    functions = {item["symbol"]: item for item in report["functions"]}
    graph = call_graph(tmp_path / "four_bar.c", ("gcc", "-O1"))
    for symbol in ("four_bar_forward_dynamics", "four_bar_project_position"):
        bound = graph.depth(symbol)
        # What a compiler puts into its callers has no frame of its own, and what that calls still counts.
        assert bound is not None and bound <= functions[symbol]["stack"] <= 2 * bound
        assert functions[symbol]["frame"] == graph.frames[symbol]
    for symbol, item in functions.items():
        called = {item for item in graph.calls.get(symbol, ()) if item.startswith("four_bar_")}
        assert item["calls"] or not called  # those of what was put into it come besides
    counts = {rule["rule"]: rule["findings"] for rule in report["misra"]["rules"]}
    source = (tmp_path / "four_bar.c").read_text(encoding="utf-8")
    assert counts["8.14"] == source.count("restrict ") > 0
    assert {rule["status"] for rule in report["misra"]["rules"]} >= {"compiled", "deviation", "no findings", "not used"}
    assert not any(rule["status"] == "finding" for rule in report["misra"]["rules"])
    assert (report["recursion"], report["memory"]) == ([], {"allocating_calls": [], "variables_that_change": []})
    assert report["stack"]["command"].endswith("-O1 -fstack-usage")
    text = (tmp_path / "four_bar.safety.md").read_text(encoding="utf-8")
    assert f"| {functions['four_bar_project_position']['stack']} |" in text
    assert_described(report)


def assert_described(report: dict[str, Any]) -> None:
    """Every field stands in the page."""
    page = (ROOT / "docs" / "safety_report.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    fields = set(report) | set(report["functions"][0]) | set(report["constants"]) | set(report["stack"])
    fields |= set(report["misra"]) | set(report["memory"])
    fields |= set(report["misra"]["rules"][0]) | set(report["misra"]["deviations"][0])
    assert named == fields


def test_it_says_so_where_there_are_no_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("PATH", str(tmp_path))
    report = made("cart_pole", tmp_path, real="float", trigonometry="inline", functions=("gravity_force",))
    assert report["misra"]["reason"] == "cppcheck is not installed"
    assert "no C compiler 'no-such-compiler'" in report["stack"]["reason"]
    assert all(item["stack"] is None and item["frame"] is None for item in report["functions"])
    assert report["constants"]["least"] == pytest.approx(2.89607395e-13) and report["constants"]["outside"] == []
    first = (tmp_path / "cart_pole.safety.json").read_bytes()
    made("cart_pole", tmp_path, real="float", trigonometry="inline", functions=("gravity_force",))
    assert (tmp_path / "cart_pole.safety.json").read_bytes() == first
    mbsym.generate("cart_pole", tmp_path, languages=("c",), functions=("mass_matrix",))
    assert not list(tmp_path.glob("*.safety.*"))  # it was about other code


def test_c_must_be_generated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["generate", "cart_pole", "-o", str(tmp_path), "--language", "numpy", "--safety-report"]
    assert main(asked) == 2
    assert "--safety-report: this is about C, which is not generated" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_guidelines_are_as_many_as_the_standard_has() -> None:
    directives = [item for item in GUIDELINES if item.number.startswith("D")]
    assert (len(GUIDELINES), len(directives)) == (221, 21)
    former = [item for item in GUIDELINES if item.former]
    assert (len(former) - 16, sum(item.number.startswith("D") for item in former)) == (143, 16)
    assert {item.number for item in former if item.former != item.category} == {"17.5", "21.11"}
    assert len({item.number for item in GUIDELINES}) == 221
    assert not {item.number for item in GUIDELINES if item.category == "mandatory"} & set(DEVIATIONS)


def test_the_page_of_generated_c_has_the_same_reasons() -> None:
    page = (ROOT / "docs" / "generated_c.md").read_text(encoding="utf-8").partition("## MISRA C:2012")[2]
    rows = re.findall(r"^\| ([\d.]+) \|.*\| ([^|]+) \|$", page, re.MULTILINE)
    assert rows and all(reason in {record.reason for record in DEVIATIONS[rule]} for rule, reason in rows)


@pytest.mark.parametrize(
    "options",
    [
        {"trigonometry": "inline"},
        {},
        *further(
            {"trigonometry": "inline", "batch": ("forward_dynamics",)}, {"trigonometry": "inline", "batch": ("all",)}
        ),
    ],
)
def test_what_it_says_of_vectors_follows_from_the_text(options: dict[str, object], tmp_path: Path) -> None:
    """Claims beside the text itself: extensions, own macros, numbers of macros, and no finding without a record."""
    require("cppcheck")
    done = mbsym.generate("cart_pole", tmp_path, languages=("c",), safety_report=True, **options)  # type: ignore[arg-type]
    text = "\n".join(path.read_text() for path in done.paths if path.suffix in (".c", ".h"))
    report = json.loads((tmp_path / "cart_pole.safety.json").read_text())
    status = {rule["rule"]: rule["status"] for rule in report["misra"]["rules"]}
    assert "finding" not in status.values()
    assert (status["1.2"] == "deviation") == ("__attribute__" in text)
    assert not [name for name in report["libraries"] if f"#define {name}(" in text]
    defined = [float(x.rstrip("f")) for x in re.findall(r"^#define \w+ (\d[\d.e+-]*f?)$", text, re.MULTILINE)]
    sizes = [size for size in defined if size % 1]
    assert report["constants"]["least"] <= min(sizes, default=1.0)

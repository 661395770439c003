"""Stack of generated C: no figure is stated, and what compilers report can be added up, because it is bounded."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from mbsym.registry import TRANSFER_MATRIX
from mechanisms.examples import further
from mechanisms.generated_c import Case, Module, require, run

CASES = (Case("puma560"), Case("four_bar"), Case("four_bar", TRANSFER_MATRIX))

NODE = re.compile(r'^node: \{ title: "(?P<name>[^"]+)" label: "[^"]*\\n(?P<bytes>\d+) bytes \((?P<kind>[^)]*)\)"', re.M)
EDGE = re.compile(r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', re.M)


def call_graph(module: Module, level: str) -> tuple[dict[str, int], dict[str, set[str]]]:
    """Frames of functions in bytes, and which functions each calls, as GCC reports them."""
    done = run("gcc", "-std=c99", level, "-fcallgraph-info=su", "-c", module.source.name, cwd=module.source.parent)
    assert (done.returncode, done.stderr) == (0, "")
    text = module.source.with_suffix(".ci").read_text()
    found = list(NODE.finditer(text))
    assert all(node["kind"] in ("static", "dynamic,bounded") for node in found)
    calls: dict[str, set[str]] = {node["name"]: set() for node in found}
    for caller, called in EDGE.findall(text):
        if called in calls:
            calls[caller].add(called)
    return {node["name"]: int(node["bytes"]) for node in found}, calls


def deepest(frames: dict[str, int], calls: dict[str, set[str]]) -> dict[str, int]:
    """Bytes of each function and of what it calls at most."""

    @cache
    def of(name: str, above: frozenset[str] = frozenset()) -> int:
        assert name not in above, f"{name} calls itself"
        return frames[name] + max((of(called, above | {name}) for called in calls[name]), default=0)

    return {name: of(name) for name in frames}


@pytest.mark.parametrize("level", ["-O2", *further("-O0")])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_frames_are_bounded_and_nothing_calls_itself(case: Case, level: str, tmp_path: Path) -> None:
    require("gcc")
    module = case.module(tmp_path)
    frames, calls = call_graph(module, level)
    total = deepest(frames, calls)
    public = {entry["c_symbol"] for entry in module.manifest["functions"]}
    assert public <= {name.partition(":")[2] or name for name in total}
    assert max(total.values()) < 64 * 1024


def test_the_documented_command_reports_every_function(tmp_path: Path) -> None:
    require("gcc")
    module = Case("four_bar").module(tmp_path)
    page = (Path(__file__).resolve().parents[2] / "docs" / "generated_c.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^gcc .*-fstack-usage.*$", page, re.MULTILINE)
    assert run(*command.replace("build/cart_pole", "four_bar").split(), cwd=tmp_path).returncode == 0
    reported = {line.split("\t")[0].rpartition(":")[2] for line in (tmp_path / "four_bar.su").read_text().splitlines()}
    assert {entry["c_symbol"] for entry in module.manifest["functions"]} <= reported


def test_no_figure_is_stated(tmp_path: Path) -> None:
    module = Case("four_bar").module(tmp_path)
    assert "stack" not in module.header.read_text() + json.dumps(module.manifest)

"""Frames as a compiler tells them: parts of a function are added up, and what has no bound gives none."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from mbsym.codegen.description import GeneratedFile
from mbsym.embedded import safety, stack
from mbsym.embedded.misra import Findings

SOURCE = GeneratedFile("f.c", "int f(int n) { return n > 0 ? g(n) : 0; }\nint g(int n) { return n; }\n")


def told(monkeypatch: pytest.MonkeyPatch, *lines: str) -> stack.Frames:
    """What a compiler is understood to say that writes these lines."""

    def run(place: Path, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        (place / "f.su").write_text("".join(f"f.c:1:5:{line}\n" for line in lines))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(stack, "find_compiler", lambda: ("cc",))
    monkeypatch.setattr(stack, "compiler_version", lambda _: "cc 1")
    monkeypatch.setattr(stack, "run_at", run)
    return stack.frames_of([SOURCE])


def test_parts_of_a_function_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, "f\t16\tstatic", "f.part.0\t32\tstatic", "g\t8\tdynamic,bounded")
    assert dict(found.sizes) == {"f.c:f": 48, "f.c:g": 8} and found.reason == ""


def test_a_frame_without_a_bound_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, "f\t16\tstatic", "g\t8\tdynamic")
    assert dict(found.sizes) == {} and found.reason == "the frame of f.c:1:5:g has no bound"
    # Who said so, and with which flags, is told as where there are frames.
    assert found.compiler == "cc 1" and found.command[0] == "cc" and found.command[-1] == "-fstack-usage"


@pytest.mark.parametrize(("called", "depth"), [("g", 24), ("f", None)])
def test_what_calls_itself_has_no_depth(called: str, depth: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = stack.Frames("cc 1", ("cc",), True, {"f.c:f": 16, "f.c:g": 8})
    monkeypatch.setattr(safety, "frames_of", lambda _: frames)
    monkeypatch.setattr(safety, "check", lambda _: Findings())
    source = GeneratedFile("f.c", SOURCE.text.replace("g(n) :", f"{called}(n) :"))
    manifest = {"name": "f", "functions": [], "real": "double", "model_sha256": ""}
    report = json.loads(safety.safety_report((source, GeneratedFile("f.json", json.dumps(manifest))))[0].text)
    assert report["functions"][0]["stack"] == depth and report["recursion"] == ["f"] * (depth is None)

"""The compiler's command is read before it is run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mbsym.codegen.build import compile_c, find_compiler, runs
from mbsym.errors import CodegenError, ToolchainError
from mechanisms.generated_c import require


def test_a_command_with_an_open_quotation_mark_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc \"x'")
    with pytest.raises(ToolchainError, match="cannot be read: no closing quotation; close its quotation marks"):
        find_compiler()


def test_a_command_of_blanks_is_no_compiler() -> None:
    with pytest.raises(ToolchainError, match="no C compiler ' '"):
        find_compiler(" ")


def put_first(folder: Path, monkeypatch: pytest.MonkeyPatch, **programs: str) -> None:
    """Puts programs first on the path: each name with the lines of a shell script."""
    for name, lines in programs.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{lines}\n", encoding="utf-8")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_a_program_that_cannot_run_counts_as_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert runs("sh") or runs("gcc") or runs("cc")
    put_first(tmp_path, monkeypatch, cargo="echo no toolchain >&2; exit 1", broken="")
    (tmp_path / "broken").write_bytes(b"\x7fELF nothing that runs")
    assert not runs("cargo") and not runs("broken") and not runs("a-program-that-is-not-there")
    monkeypatch.setenv("MBSYM_GATES", "")
    with pytest.raises(pytest.skip.Exception, match="not checked without cargo"):
        require("cargo")


def test_the_next_compiler_stands_in_for_one_that_cannot_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    usual = find_compiler()
    put_first(tmp_path, monkeypatch, **{usual[0]: "exit 1"})
    try:
        assert find_compiler() != usual
    except ToolchainError as error:  # where there is no other
        assert "no C compiler" in str(error)
    monkeypatch.setenv("CC", usual[0])
    with pytest.raises(ToolchainError, match=f"no C compiler '{usual[0]}'"):
        find_compiler()


def test_a_compiler_that_compiles_nothing_is_told_from_a_source_that_does_not_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "a.c"
    source.write_text("int a;\n", encoding="utf-8")
    says_its_version = 'case "$1" in --version) echo cc 1;; *) echo "cannot execute cc1" >&2; exit 1;; esac'
    with monkeypatch.context() as patched:
        put_first(tmp_path, patched, hollow=says_its_version)
        with pytest.raises(ToolchainError, match="the C compiler hollow compiles nothing: cannot execute cc1; install"):
            compile_c(tmp_path, "a", cc="hollow")
    source.write_text("int a = ;\n", encoding="utf-8")
    with pytest.raises(CodegenError, match="the C source does not compile"):
        compile_c(tmp_path, "a")

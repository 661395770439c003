"""Results with many constant entries: a table in C, because lists of assignments take compilers minutes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from mbsym.codegen.build import compile_c
from mbsym.codegen.interface import ModuleDescription, render
from mbsym.codegen.load import load_c
from mbsym.codegen.load_batch import batch_module
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.write import write_files
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program


def program(size: int) -> Program:
    """Entries -k/3, but x where k is a multiple of 100."""
    graph = Graph()
    x = graph.symbol("x")
    entries = tuple(x if k % 100 == 0 else graph.const(Fraction(-k, 3)) for k in range(size))
    return Program("entries", graph, (Input("x", (), (x,)),), (Output("y", (size,), entries),))


def test_long_tables_keep_their_values(tmp_path: Path) -> None:
    description = ModuleDescription("many", (program(1000),))
    files = render(description, ("c",))
    assert "static const many_real constant_entries[1000]" in files[0].text
    write_files(tmp_path, files)
    got = load_c(tmp_path).functions["entries"](7.5)
    expected = -np.arange(1000) / 3
    expected[::100] = 7.5
    np.testing.assert_array_equal(got, expected)


def test_zeros_need_no_table(tmp_path: Path) -> None:
    """Of a thousand entries seven are numbers, and seven come from the argument."""
    graph = Graph()
    x = graph.symbol("x")
    entries = [graph.const(0)] * 1000
    entries[3::150] = [graph.const(Fraction(-k, 3)) for k in range(1, 8)]
    entries[4::150] = [x] * 7
    sparse = Program("entries", graph, (Input("x", (), (x,)),), (Output("y", (1000,), tuple(entries)),))
    files = render(ModuleDescription("many", (sparse,), batch=("all",)), ("c", "batch"))
    assert all("static const" not in file.text for file in files if file.name == "many.c")
    write_files(tmp_path, files)
    expected = np.zeros((9, 1000))
    expected[:, 3::150] = -np.arange(1, 8) / 3
    expected[:, 4::150] = np.linspace(1.0, 2.0, 9)[:, None]
    got = load_c(tmp_path).functions["entries"](np.linspace(1.0, 2.0, 9))
    np.testing.assert_array_equal(got, expected)
    library = compile_c(tmp_path, "many_batch", ("-O1", "-Dmany_LANES=4"), also=("many",))
    lanes = batch_module(library, read_manifest(tmp_path)).functions["entries"]
    np.testing.assert_array_equal(lanes(np.linspace(1.0, 2.0, 9)), expected)


def test_short_lists_stay_assignments() -> None:
    assert "static const" not in render(ModuleDescription("short", (program(40),)), ("c",))[0].text

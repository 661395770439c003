"""A manifest is believed when it is whole, unchanged, and the files beside it are those that it was written with."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mbsym.codegen.interface import ModuleDescription, render
from mbsym.codegen.load import load_c, load_numpy
from mbsym.codegen.manifest import own_hash
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.write import write_files
from mbsym.errors import CodegenError
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A directory with a module of one function."""
    graph = Graph()
    x = [graph.symbol(f"x{k}") for k in range(2)]
    outputs = (Output("y", (1,), (graph.mul(*x),)),)
    program = Program("product", graph, (Input("x", (2,), tuple(x)),), outputs)
    write_files(tmp_path, render(ModuleDescription("m", (program,))))
    return tmp_path


def rewrite(directory: Path, change: Callable[[dict[str, Any]], object], *, hashed: bool = True) -> None:
    """The manifest after a change, with the hash that belongs to it or with the old one."""
    file = directory / "m.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    change(content)
    if hashed:
        content["sha256"] = own_hash(content)
    file.write_text(json.dumps(content), encoding="utf-8")


def set_in(*path: Any) -> Callable[[dict[str, Any]], object]:
    """Sets the entry at all but the last of the arguments to the last."""
    *way, key, value = path

    def change(content: Any) -> None:
        for step in way:
            content = content[step]
        content[key] = value

    return change


def test_spaces_and_order_do_not_count(module: Path) -> None:
    content = json.loads((module / "m.json").read_text(encoding="utf-8"))
    backwards = dict(reversed(content.items()))
    (module / "m.json").write_text(json.dumps(backwards, indent=7), encoding="utf-8")
    assert read_manifest(module) == content


FIELDS = ("name", "real", "model_sha256", "functions", "run_time_parameters", "names", "files", "sha256")


@pytest.mark.parametrize("field", FIELDS)
def test_a_missing_field_is_named(module: Path, field: str) -> None:
    rewrite(module, lambda content: content.pop(field), hashed=False)
    for reading in (lambda: read_manifest(module), lambda: load_c(module), lambda: load_numpy(module / "m.py")):
        with pytest.raises(CodegenError, match=rf"m\.json: {field}: it is missing; generate it again"):
            reading()


@pytest.mark.parametrize("field", ["name", "c_symbol", "arguments", "operations"])
def test_a_missing_field_of_a_function_is_named(module: Path, field: str) -> None:
    rewrite(module, lambda content: content["functions"][0].pop(field))
    with pytest.raises(CodegenError, match=rf"m\.json: functions\[0\]\.{field}: it is missing"):
        read_manifest(module)


FAULTS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (set_in("functions", []), r"functions: list should have at least 1 item"),
    (set_in("functions", 3), r"functions: it should be a valid list"),
    (set_in("functions", 0, 7), r"functions\[0\]: it should be"),
    (set_in("real", "quad"), r"real: it should be 'double' or 'float'"),
    (
        set_in("functions", 0, "arguments", 1, "direction", "inout"),
        r"functions\[0\]\.arguments\[1\]\.direction: it sho",
    ),
    (
        set_in("functions", 0, "arguments", 0, "shape", [-1]),
        r"functions\[0\]\.arguments\[0\]\.shape\[0\]: it should",
    ),
    (set_in("functions", 0, "arguments", 0, "shape", [10**30]), r"functions\[0\]\.arguments\[0\]\.shape\[0\]: "),
    (
        set_in("functions", 0, "arguments", 0, "shape", ["2"]),
        r"functions\[0\]\.arguments\[0\]\.shape\[0\]: it should",
    ),
    (set_in("functions", 0, "arguments", 0, "name", "y"), r"functions\[0\]\.arguments\[1\]\.name: 'y' is there twice"),
    (lambda content: content["functions"].append(content["functions"][0]), r"functions\[1\]\.name: 'product' is there"),
    (set_in("functions", 0, "c_symbol", "m();"), r"functions\[0\]\.c_symbol: "),
    (set_in("name", "../m"), r"name: "),
    (set_in("name", "other"), r"name: it is 'other', that of the file 'm'"),
    (set_in("files", {"../m.c": "0" * 64}), r"files\.\.\./m\.c"),
    (set_in("files", "m.c", "none"), r"files\.m\.c: "),
    (set_in("files", {}), r"files: "),
    (set_in("run_time_parameters", {"k": "1"}), r"run_time_parameters\.k: it should be a valid number"),
    (set_in("names", {"functions": {"product": "a b"}}), r"names\.functions\.product: "),
    (set_in("order", "random"), r"order: it should be 'weight', 'input', 'type-only'"),
]


@pytest.mark.parametrize(("change", "said"), FAULTS, ids=[said for _, said in FAULTS])
def test_faults_are_told_with_file_and_path(module: Path, change: Callable[[Any], object], said: str) -> None:
    rewrite(module, change)
    with pytest.raises(CodegenError, match=rf"m\.json: {said}") as caught:
        read_manifest(module)
    assert caught.value.exit_status == 2


def test_a_number_beyond_all_numbers_is_none(module: Path) -> None:
    """JSON has no word for it, but digits that are read as infinite."""
    rewrite(module, set_in("run_time_parameters", {"k": 7e77}), hashed=False)
    file = module / "m.json"
    file.write_text(file.read_text(encoding="utf-8").replace("7e+77", "7e+777"), encoding="utf-8")
    with pytest.raises(CodegenError, match=r"m\.json: run_time_parameters\.k: it should be a finite number"):
        read_manifest(module)


@pytest.mark.parametrize(
    "change",
    [
        set_in("real", "float"),
        set_in("functions", 0, "arguments", 0, "direction", "out"),
        set_in("functions", 0, "arguments", 0, "shape", [3]),
        set_in("functions", 0, "operations", None),
        lambda content: content.update(unheard_of=1),
    ],
)
def test_a_changed_manifest_is_refused(module: Path, change: Callable[[Any], object]) -> None:
    rewrite(module, change, hashed=False)
    for reading in (lambda: read_manifest(module), lambda: load_c(module), lambda: load_numpy(module / "m.py")):
        with pytest.raises(CodegenError, match=r"m\.json: sha256: the manifest was changed after it was written"):
            reading()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"mbsym": "1", "mbsym": "2"}', "'mbsym' is there twice"),
        ('{"mbsym": NaN}', "NaN is no number of JSON"),
        ('{"mbsym": ' + "[" * 100000, "cannot be read"),
        ('{"mbsym": "1"', "cannot be read"),
        ("\udcff", "cannot be read"),
        ("[1]", "this is no manifest of mbsym"),
        ("{}", "this is no manifest of mbsym"),
    ],
    ids=range(7),
)
def test_what_is_no_manifest_is_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "m.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(CodegenError, match=said):
        read_manifest(tmp_path / "m.json")


def test_a_pipe_is_not_waited_for(module: Path) -> None:
    os.mkfifo(module / "pipe.json")
    assert read_manifest(module)["name"] == "m"
    with pytest.raises(CodegenError, match="there is no such file"):
        read_manifest(module / "pipe.json")


def test_certificates_and_documents_are_no_manifests(module: Path) -> None:
    (module / "m.certificate.json").write_text('{"mbsym": "1", "certificate": "m"}', encoding="utf-8")
    (module / "m.equations.json").write_text('{"mbsym": "1", "labelling": {}}', encoding="utf-8")
    assert read_manifest(module)["name"] == "m"


@pytest.mark.parametrize("name", ["m.c", "m.h", "m.py"])
@pytest.mark.parametrize("change", ["edited", "gone", "unrecorded"])
def test_files_of_another_generation_are_refused(module: Path, name: str, change: str) -> None:
    if change == "edited":
        (module / name).write_bytes((module / name).read_bytes() + b"\n")
    elif change == "gone":
        (module / name).unlink()
    else:
        rewrite(module, lambda content: content["files"].pop(name))
    said = "no such Python module" if (name, change) == ("m.py", "gone") else "this is not the file that m.json was"
    with pytest.raises(CodegenError, match=rf"{name}: .*{said}|{name}: there is {said}"):
        load_numpy(module / "m.py") if name == "m.py" else load_c(module)
    load_c(module) if name == "m.py" else load_numpy(module / "m.py")

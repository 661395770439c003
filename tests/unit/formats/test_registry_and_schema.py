"""The way in: paths, names of examples, suffixes; the schema; and how little an import costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mbsym
from mbsym import examples
from mbsym.errors import FormatError
from mbsym.formats.native.entry_sentences import SENTENCES
from mbsym.formats.native.schema import ModelTable, json_schema
from mbsym.formats.registry import example_names, load
from mbsym.values.numbers import parameter_values

ROOT = Path(mbsym.__file__).resolve().parents[1]
OURS = (
    "cart_pole",
    "double_pendulum",
    "driver_cab",
    "floating_two_arm",
    "planar_3r",
    "puma560",
    "qi_closed_loops",
    "quadruped",
    "slides_tree",
    "spinning_top",
)


def test_examples_are_found_by_name() -> None:
    assert set(OURS) <= set(examples.names())
    assert examples.names() == example_names() == tuple(sorted(examples.names()))
    assert examples.path("puma560").read_text(encoding="utf-8").startswith("name: puma560")
    for name in examples.names():
        model = examples.load(name)
        assert model == load(name)
        assert model.name == name
        assert model.description


@pytest.mark.parametrize("name", ["cart_pole", "double_pendulum", "planar_3r", "spinning_top"])
def test_parameters_of_small_examples_stay_symbolic(name: str) -> None:
    parameters = examples.load(name).parameters
    assert parameters and all(parameter.symbolic and parameter.unit for parameter in parameters)


def test_the_puma_has_the_published_numbers() -> None:
    model = examples.load("puma560")
    assert [body.mass for body in model.bodies] == [0, "17.40", "4.80", "0.82", "0.34", "0.09"]
    assert [joint.armature for joint in model.joints] == ["1.14", "4.71", "0.83", "0.200", "0.179", "0.193"]
    assert parameter_values(model) == {"d2": 0.2435, "a2": 0.4318, "d3": -0.0934, "a3": -0.0203, "d4": 0.4331}
    assert len(model.warnings) == 1 and "link3" in model.warnings[0]


def test_the_suffix_tells_the_format(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("joints: {j: [revolute, ground, a]}\n")
    assert load(str(tmp_path / "a.yml")).name == "a"
    for name, message in (
        ("nothing.yaml", r"nothing\.yaml:1:1: the file cannot be read \(no such file"),
        ("nothing.urdf", r"nothing\.urdf:1:1: the file cannot be read"),
        ("nothing.xml", r"nothing\.xml:1:1: the file cannot be read"),
        ("model.step", "of no known format; use a file that ends in"),
    ):
        with pytest.raises(FormatError, match=message):
            load(tmp_path / name)
    (tmp_path / "dir.yaml").mkdir()
    with pytest.raises(FormatError, match="is a directory"):
        load(tmp_path / "dir.yaml")
    with pytest.raises(FormatError, match="is a directory"):
        load(tmp_path)
    with pytest.raises(FormatError, match="did you mean the example 'puma560'"):
        load("puma650")
    with pytest.raises(FormatError, match="neither a file nor an example"):
        load("qqqq")
    with pytest.raises(FormatError, match="zero character"):
        load("a\0.yaml")
    with pytest.raises(FormatError, match="did you mean 'puma560'"):
        examples.load("puma56")


def test_a_file_without_rights_is_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.symlink_to(tmp_path / "a.yaml")  # points to itself, which no rights mend
    with pytest.raises(FormatError, match="cannot be read"):
        load(path)


def test_the_schema_names_every_entry() -> None:
    schema = json_schema()
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert json.loads(json.dumps(schema)) == schema
    assert list(schema["properties"]) and set(schema["properties"]) == set(ModelTable.keys())
    definitions = schema["$defs"]
    joint = definitions["JointTable"]["anyOf"][0]
    assert joint["required"] == ["type", "from", "to"]
    assert joint["additionalProperties"] is False
    assert "revolute" in joint["properties"]["type"]["enum"]
    assert _references(schema) <= set(definitions)


def _tables() -> dict[str, Any]:
    """Properties of each table of the schema."""
    schema = json_schema()
    tables = {"Model": schema, **schema["$defs"]}
    return {name: table.get("anyOf", [table])[0].get("properties", {}) for name, table in tables.items()}


def test_every_entry_is_described_with_its_unit() -> None:
    """Numbers say their unit in square brackets, but for directions, factors and quaternions, which have none."""
    told = {
        (table, key): entry.get("description", "")
        for table, entries in _tables().items()
        for key, entry in entries.items()
    }
    assert len(told) > 105 and [place for place, sentence in told.items() if len(sentence) < 8] == []
    lacking = [
        (table, key)
        for table, entries in _tables().items()
        for key, entry in entries.items()
        if _holds_numbers(entry) and "[" not in entry["description"]
    ]
    directions = {("JointTable", "axis"), ("JointTable", "second_axis"), ("PlacementTable", "quaternion")}
    factors = {("LinearCouplingTable", "factors"), ("MeshTable", "scale")}
    depends = {("ActuatorTable", "gain"), ("GearConstraintTable", "ratio"), ("LinearCouplingTable", "offset")}
    assert {place for place in lacking if "ratio" not in place[1]} <= directions | depends | factors


def _holds_numbers(entry: dict[str, Any]) -> bool:
    """True for a value, or a list of them."""
    kinds = [entry, entry.get("items", {}), *entry.get("anyOf", [])]
    return any(kind.get("type") == ["number", "string"] for kind in kinds)


def test_descriptions_are_of_entries_that_there_are() -> None:
    for table, sentences in SENTENCES.items():
        found = _tables()["Model" if table == "ModelTable" else table]
        assert set(sentences) <= set(found), table


def _references(node: Any) -> set[str]:
    if isinstance(node, dict):
        own = {node["$ref"].rpartition("/")[2]} if "$ref" in node else set()
        return own.union(*map(_references, node.values()))
    return set().union(*map(_references, node)) if isinstance(node, list) else set()


def test_importing_the_formats_is_light() -> None:
    """Reading an XML file needs neither pydantic nor the YAML reader, and none needs SymPy or NumPy."""
    program = (
        "import sys, mbsym.formats, mbsym.formats.urdf, mbsym.formats.mjcf, mbsym.examples\n"
        "print(*(m for m in ('sympy', 'numpy', 'scipy', 'pydantic', 'yaml') if m in sys.modules))\n"
        "mbsym.examples.load('puma560')\n"
        "print(*(m for m in ('sympy', 'numpy', 'scipy') if m in sys.modules))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert run.stdout.split() == []

"""Each element of the schema stands in a whole model on a page, which the page runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from mbsym.formats.native.schema import json_schema

DOCS = Path(__file__).resolve().parents[2] / "docs"


def elements(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Sections of a model whose entries are tables, with each type of entry that there is; "" where there is one."""
    tables = schema["$defs"]
    yield from (("joints", kind) for kind in tables["JointTable"]["anyOf"][0]["properties"]["type"]["enum"])
    for name, section in schema["properties"].items():
        for form in (section, *section.get("anyOf", ())):
            entry = form.get("additionalProperties") or form.get("items")
            types = entry.get("discriminator", {}).get("mapping", {"": None}) if isinstance(entry, dict) else {}
            yield from ((name.removeprefix("ground_"), kind) for kind in types if kind or "$ref" in entry)


def examples(text: str) -> Iterator[dict[str, Any]]:
    """Models of a page whose files are named behind where they stand, in what runs there."""
    from blocks import BLOCK

    files: dict[str, str] = {}
    run: set[str] = set()
    for found in BLOCK.finditer(text):
        code, kind = found["code"], found["kind"]
        if kind == "not run:":
            continue
        if found["language"] == "yaml":
            match = re.search(r"^name: (\S+)", code, re.MULTILINE)
            name = found["what"] if kind in ("file", "more of") else f"{match[1]}.yaml" if match else ""
            files[name] = (files.get(name, "") if kind == "more of" else "") + code
        elif found["language"] in ("python", "console", "sh"):
            run |= {name for name in files if name and name in code}
    yield from (yaml.load(files[name], yaml.CSafeLoader) for name in run)


def used(model: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Elements that a model has."""
    for name, section in model.items():
        for entry in section.values() if isinstance(section, dict) else section if isinstance(section, list) else ():
            kind = entry[0] if isinstance(entry, list) else entry.get("type", "") if isinstance(entry, dict) else ""
            yield from ((name.removeprefix("ground_"), each) for each in ("", str(kind)))
            if isinstance(entry, dict):
                yield from (("geometry", shape["type"]) for shape in entry.get("geometry", ()))


def test_each_element_has_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new element needs a whole model on a page, whose file is named in code or commands behind it that run."""
    monkeypatch.syspath_prepend(str(DOCS))
    models = [
        model
        for page in DOCS.rglob("*.md")
        if page.parent.name != "built"
        for model in examples(page.read_text(encoding="utf-8"))
    ]
    shown = {element for model in models for element in used(model)}
    schema = json_schema()
    assert sorted(set(elements(schema)) - shown) == []
    schema["properties"]["forces"]["additionalProperties"]["discriminator"]["mapping"]["bumper"] = "#/$defs/BumperTable"
    schema["properties"]["magnets"] = {"additionalProperties": {"$ref": "#/$defs/MagnetTable"}, "type": "object"}
    schema["$defs"]["JointTable"]["anyOf"][0]["properties"]["type"]["enum"].append("hexapod")
    missing = [("forces", "bumper"), ("joints", "hexapod"), ("magnets", "")]
    assert sorted(set(elements(schema)) - shown) == missing


def test_a_model_that_nothing_runs_is_no_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    rod = "```yaml\nname: rod\nbodies: {bar: {mass: 1}}\njoints: {pin: [prismatic, ground, bar]}\n```\n"
    assert list(examples(rod)) == []
    (model,) = examples(rod + "```sh\nmbsym info rod.yaml\n```\n")
    assert set(used(model)) >= {("joints", "prismatic"), ("bodies", "")}
    parts = (
        "<!-- file a.yaml -->\n```yaml\nname: rod\n```\n<!-- more of a.yaml -->\n```yaml\ninputs: {u: A}\n```\n"
        "```python\nopen('a.yaml')\n```\n"
    )
    assert [list(each) for each in examples(parts)] == [["name", "inputs"]]

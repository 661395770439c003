"""The C of every bundled model keeps the rules of style, and its header and manifest say what a product has to say."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from mbsym.pipeline import GenerationOptions, generate_files
from mechanisms.c_style import RULES, heads
from mechanisms.examples import some
from mechanisms.generated_c import CASES, LONGEST, Case

YOURS = "This file is yours: use, change and pass it on as you like; the licence of mbsym does not extend to it."
SHORT = [case for case in CASES if case.model != LONGEST]
LARGE = ("stewart_platform", "quadruped", "space_robot", "bicycle", "rhombus_spatial", "rotating_beam")


@dataclass(frozen=True)
class Texts:
    """The files of a module."""

    source: str
    header: str
    manifest: dict[str, Any]

    def index(self, table: str) -> str:
        """The enumeration of a table of places, as the header has it."""
        prefix = self.manifest["name"]
        found = re.search(rf"enum \{{\n((?:    {prefix}_{table}_[^\n]*\n)+)\}};", self.header)
        return found[1] if found else ""


@cache
def texts(case: Case) -> Texts:
    options = GenerationOptions(
        ("c",), formulation=case.formulation, symbolic_parameters=case.symbolic, trigonometry=case.trigonometry
    )
    source, header, manifest = (file.text for file in generate_files(case.model, options)[1])
    return Texts(source, header, json.loads(manifest))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("case", some(SHORT, [case for case in SHORT if case.model not in LARGE]), ids=str)
def test_rules_of_style(case: Case, rule: str) -> None:
    found = texts(case)
    assert RULES[rule](found.source) == []
    # Macros of the header are for its users.
    assert rule == "no macros left" or RULES[rule](found.header) == []


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("braces", "    if (x > 0)\n        y = 1;\n"),
        ("braces", "    } else\n        y = 1;\n"),
        ("one declarator a line", "    int i, j;\n"),
        ("one declarator a line", "    arm_real a[2], b;\n"),
        ("one enumerator a line", "enum { A = 1, B = 2 };\n"),
        ("one assignment a statement", "    a[1] = b = c;\n"),
        ("no macros left", "#define arm_SQRT sqrt\n"),
        ("one base of indices", "    const arm_real sin_q4 = sin(q[4]);\n"),
        ("lines of a screen", "    " + "x + " * 40 + "1;\n"),
    ],
)
def test_rules_find_what_breaks_them(rule: str, text: str) -> None:
    assert RULES[rule](text)


@pytest.mark.parametrize("case", some(SHORT, [case for case in SHORT if case.model not in LARGE]), ids=str)
def test_source_and_header_name_arguments_alike(case: Case) -> None:
    found = texts(case)
    declared, defined = heads(found.header), heads(found.source)
    public = {entry["c_symbol"] for entry in found.manifest["functions"]}
    assert declared.keys() == public
    assert {name: defined[name] for name in declared} == declared


@pytest.mark.parametrize("case", some(SHORT, [case for case in SHORT if case.model not in LARGE]), ids=str)
def test_sines_and_cosines_bear_the_label_of_their_joint(case: Case) -> None:
    found = texts(case)
    labels = {joint["q"][0]: joint["label"] for joint in found.manifest["joints"] if not joint["cut"]}
    pairs, given = [], 0
    # Behind each declaration of angles stands what reads their sines and cosines.
    for text in re.split(r"_angles angle\[", found.source)[1:]:
        angles = re.sub(r"\w+_FOUR\(|\s", "", text[text.index("{") + 1 : text.index("};")]).split(",")
        own = [re.fullmatch(r"q\[(\d+)\]\)*", angle) for angle in angles]
        given += any(own)
        names = re.findall(r"_real (?:sin|cos)(\d+)(?:_\w+)? = (?:sine|cosine)\[(\d+)\];", text)
        pairs += [(label, angle[1]) for label, place in names if (angle := own[int(place)])]
    assert bool(pairs) == bool(given)
    for label, place in pairs:
        (joint,) = [item for item in found.manifest["joints"] if item["label"] == int(label)]
        assert joint["q"][0] <= int(place) < joint["q"][1], (label, place, labels)


@pytest.mark.parametrize("case", some(SHORT, [case for case in SHORT if case.model not in LARGE]), ids=str)
def test_header_and_manifest_say_names_units_and_meanings(case: Case) -> None:
    found = texts(case)
    manifest = found.manifest
    name = manifest["name"]
    assert YOURS in found.source and YOURS in found.header
    constants = re.search(r"\nenum \{\n(.*?)\n\};", found.header, re.DOTALL)
    assert constants is not None
    entries = re.split(r"\n(?=    \w)", constants[1])
    assert [entry for entry in entries if not re.search(r" /\*\s\w.*\s\*/$", entry, re.DOTALL)] == []
    assert all(item["meaning"] for item in manifest["constants"])
    assert len(manifest["coordinates"]) == manifest["nq"] and len(manifest["speeds"]) == manifest["nv"]
    assert all(item["unit"] for item in (*manifest["coordinates"], *manifest["speeds"]))
    assert all("[" in line for line in found.index("V").splitlines())
    motors = [joint["name"] for joint in manifest["joints"] if joint.get("actuated")]
    assert sorted({item["joint"] for item in manifest["motors"]}) == sorted(motors)
    assert bool(motors) == bool(found.index("MOTOR"))
    assert " * Motors: " in found.header
    assert len(found.index("U").splitlines()) == len(manifest["inputs"])
    for item in manifest["parameters"]:
        if item["symbolic"] and item["unit"]:
            assert re.search(rf"    {name}_real \w+; /\* {re.escape(item['name'])} \[", found.header)


@pytest.mark.parametrize("case", some(SHORT, [case for case in SHORT if case.model not in LARGE]), ids=str)
def test_arguments_that_nothing_looks_at_are_told(case: Case) -> None:
    """Functions of one kind take the same arguments; that one of them is not used is said where it is."""
    found = texts(case)
    silenced = {
        (symbol, name.removesuffix("_"))  # behind words that another language keeps for itself
        for symbol, body in re.findall(
            r"^\w+ (\w+)\(\n(?:    [^\n]+\n)+\{\n(.*?)^\}", found.source, re.MULTILINE | re.DOTALL
        )
        for name in re.findall(r"^    \(void\)(\w+);", body, re.MULTILINE)
    }
    told = {
        (entry["c_symbol"], item["name"])
        for entry in found.manifest["functions"]
        for item in entry["arguments"]
        if item.get("used") is False
    }
    assert told <= silenced
    fixed = {entry["c_symbol"] for entry in found.manifest["functions"] if entry["operations"] is None}
    sizes = {
        (entry["c_symbol"], item["name"])
        for entry in found.manifest["functions"]
        for item in entry["arguments"]
        if 0 in item["shape"]
    }
    status = {entry["c_symbol"] for entry in found.manifest["functions"] if "status" in entry}
    rest = {pair for pair in silenced - told - sizes if pair[1] != "parameters" and pair[0] not in fixed | status}
    assert rest == set()
    assert len(re.findall(r"; not\s(?: \*\s+)?used\n", found.header)) == len(told)

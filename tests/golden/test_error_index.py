"""The index of errors is read from the code, and has what is really told."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import mbsym
from mbsym.codegen.statuses import Status
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.options.exclusions import EXCLUSIONS
from mbsym.testing import assert_same_equations

ROOT = Path(__file__).resolve().parents[2]

MODULES = (
    *("formats/native/entry_types.py", "formats/native/leaves.py", "forces/contact.py", "model/inertia_checks.py"),
    *("values/entry_checks.py", "values/diagnostic.py", "records.py", "registry.py", "testing/same_equations.py"),
    *("loops/redundancy.py", "loops/closing.py"),
)
"""Where the cases below are told; the whole package takes seconds to read."""


@pytest.fixture(scope="module", autouse=True)
def scripts() -> Iterator[None]:
    """The scripts beside the pages can be imported."""
    sys.path.insert(0, str(ROOT / "docs"))
    yield
    sys.path.remove(str(ROOT / "docs"))


@pytest.fixture(scope="module")
def told() -> list[tuple[str, str, str]]:
    """What these modules tell: what is wrong, what to do, and the class of the error."""
    from error_pages import sentences

    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "mbsym" / name for name in MODULES)}
    return [(item.what, item.remedy, item.kind) for each in sentences(texts).values() for item in each]


def says(sentence: str, text: str) -> bool:
    """Whether a text is a sentence of the index, of which three dots stand for anything."""
    pattern = ".*".join(map(re.escape, sentence.split("…")))
    return re.fullmatch(rf"{pattern}( \(force element '\w+'\))?", text) is not None


ROD = "name: rod\nbodies: {bar: {mass: 1}}\njoints: {pin: {type: prismatic, from: ground, to: bar, axis: x}}\n"
FOOT = "forces: {foot: {type: contact, body: bar, on: ground, stiffness: 1, surface_radius: 1}}\n"
STRUT = (
    "constraints: {strut: {type: distance, first_body: ground, second_body: bar, length: 1, first_point: [0, 2, 0]}}\n"
)


def read(text: str) -> mbsym.Model:
    return read_native(TextSource("rod.yaml", text))


CASES: dict[str, Callable[[], object]] = {
    "a joint type": lambda: read(ROD.replace("prismatic", "prismatik")),
    "a mass": lambda: read(ROD.replace("mass: 1", "mass: -1")),
    "an unknown body": lambda: read(ROD.replace("to: bar", "to: baz")),
    "an element": lambda: read(ROD + FOOT),
    "a function": lambda: mbsym.generate("cart_pole", "build", functions=["mass"]),
    "a formulation": lambda: mbsym.derive("cart_pole", "cane"),
    "a matrix of another size": lambda: assert_same_equations({"mass_matrix": [["m"]]}, "cart_pole"),
    "a loop that cannot close": lambda: mbsym.generate(read(ROD + STRUT), "build"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_told_stands_in_the_index(case: str, told: list[tuple[str, str, str]]) -> None:
    with pytest.raises(mbsym.MbsymError) as raised:
        CASES[case]()
    error = raised.value
    found = [
        (remedy, kind) for what, remedy, kind in told if says(what, error.what) and kind in ("", type(error).__name__)
    ]
    assert [remedy for remedy, _ in found if any(says(each, error.remedy) for each in remedy.split(" / "))], error


def test_sentences_are_found_in_all_ways_in_which_they_are_said(tmp_path: Path) -> None:
    from error_pages import errors_page

    package = tmp_path / "mbsym"
    (package / "loops").mkdir(parents=True)
    (package / "loops" / "rings.py").write_text(
        "def tell(what, remedy): raise ModelError(what, remedy=remedy)\n"
        "def told(n): return f'{n} rings are open'\n"
        "def check(n):\n"
        "    if n > 9:\n        what = 'too many rings'\n"
        "    else:\n        what = 'too ' + ('few' if n else 'empty')\n"
        "    tell(what, 'take another number')\n"
        "    what = 'a ring is bent'\n"
        "    raise SimulationError(what, where='here', remedy=TURN)\n"
        "def close(n): raise ModelError(told(n), remedy=f'close {n}')\n"
        "TURN = 'turn {name} round'.format(name=3)\n",
        encoding="utf-8",
    )
    page = errors_page(package)
    assert "## `loops`: closed loops\n" in page
    rows = [
        line for line in page.partition("## `loops`")[2].splitlines() if line.startswith("| ") and "what" not in line
    ]
    assert rows == [
        "| a ring is bent | turn … round | `SimulationError` |",
        "| … rings are open | close … | `ModelError` |",
        "| too empty | take another number |  |",
        "| too few | take another number |  |",
        "| too many rings | take another number |  |",
    ]
    names = [f"| `{name}` |" for name in ("TopologyError", "FormatError", "IdentificationError")]
    names += [f"| `{status.name}` |" for status in Status]
    assert [name for name in names if name not in page] == []
    assert page.partition("## Options")[2].partition("## ")[0].count("\n| ") == len(EXCLUSIONS) + 1

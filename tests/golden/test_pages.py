"""The pages on how the house is built say what is so: a script writes pictures, excerpts and what code prints."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import mbsym
from mechanisms.examples import some

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def script(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


PAGES = script("write_pages")
HOUSE = script("draw_house")


SLOW = (
    "beams",
    "bicycle",
    "certificate",
    "vibration",
    "transfer_matrix",
    "consumers",
    "derivatives",
    "constraint_forces",
    "control",
    "quantities",
    "kane_through_t",
    "lqr",
    "own_equations",
    "closed_loops",
    "short_forms",
    "safety_report",
    "tables",
    "exact",
    "motions",
    "rolling",
    "batches",
    "rounding_bounds",
    "operations",
    "drives",
    "linear_analysis",
    "embedded",
    "microcontroller",
    "contacts",
    "frames",
)
"""What they show takes seconds to compute."""


QUICK = [page for page in PAGES.pages() if page.stem not in SLOW]


EXTRAS = {"matplotlib": "plot", "trimesh": "meshes", "pyarrow": "parquet", "pinocchio": "test", "mujoco": "test"}
"""Packages that the README's first line leaves out, and the extra that has them."""


@pytest.mark.parametrize("page", some(PAGES.pages(), QUICK), ids=lambda page: page.stem)
def test_pages_are_current(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a change is meant, run ``make docs`` and commit the difference.

    Lessons run in the environment that the README's first line makes, with the extras that stand on the page.
    """
    text = page.read_text(encoding="utf-8")
    if page.parent.name in ("tutorial", "coming_from"):
        for package, extra in EXTRAS.items():
            if f".[{extra}]" not in text:
                monkeypatch.setitem(sys.modules, package, None)
    assert PAGES.written(text, page.name).split("\n") == text.split("\n")


@pytest.mark.parametrize("page", PAGES.pages(), ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    local = [target for target in targets if target and "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_there_is_a_page_for_each_thing_that_can_be_added() -> None:
    kinds = {"a_joint", "a_force_element", "a_constraint", "a_function", "a_pass", "a_language", "a_formulation"}
    kinds |= {"a_format", "a_consumer", "an_option"}
    assert {page.stem for page in (DOCS / "adding").glob("*.md")} == kinds
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [kind for kind in sorted(kinds) if f"(docs/adding/{kind}.md)" not in contributing] == []


def test_the_picture_is_current() -> None:
    """Rooms, floors and arrows exactly; sizes to a quarter or 400 lines, so that few changes touch the picture."""
    committed = HOUSE.PICTURE.read_text(encoding="utf-8")
    drawn = {name: int(lines) for name, lines in re.findall(r'data-room="(\w+)" data-lines="(\d+)"', committed)}
    assert HOUSE.drawn(drawn).split("\n") == committed.split("\n"), "run make docs"
    for name, lines in HOUSE.sizes().items():
        assert abs(drawn[name] - lines) <= max(400, lines / 4), f"{name}: run make docs"


def test_arrows_are_what_is_not_reached_otherwise() -> None:
    found = {"a": {"b", "c", "errors"}, "b": {"c"}, "c": {"errors"}, "errors": set()}
    assert HOUSE.arrows(found) == (("a", "b"), ("b", "c"))


def test_text_stays_within_its_room() -> None:
    """Seven tenths of an em a letter is more than any of these letters takes."""
    for room in HOUSE.rooms():
        width = room.right - room.left
        assert len(room.name) * 15 * 0.62 < width, room.name
        assert len(room.holds) * 11.5 * 0.56 < width, room.holds


def test_a_planted_difference_is_found(tmp_path: Path) -> None:
    page = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    assert PAGES.written(page) == page.replace("3", "2")
    with pytest.raises(ValueError, match="no block of text follows"):
        PAGES.written("```python\nprint(1)\n```\n")
    with pytest.raises(ValueError, match="a block of text follows"):
        PAGES.written("```python\nx = 1\n```\n\n```text\n1\n```\n")
    cut = "<!-- excerpt of docs/write_pages.py: ROOT, DOCS -->\n```python\nROOT = 2\n```\n"
    assert 'DOCS = ROOT / "docs"\n```' in PAGES.written(cut)
    with pytest.raises(KeyError):
        PAGES.written(cut.replace("DOCS", "DOCKS"))


def test_commands_and_data_of_pages_are_run_and_read() -> None:
    """Commands see the models of the page; what they print is written anew, but for what stands for any lines."""
    model = "```yaml\nname: rod\nbodies: {bar: {mass: 1}}\njoints: {pin: [prismatic, ground, bar]}\n```\n"
    told = "1 body, 1 joint, 0 cut joints\n"
    shown = f"```console\n$ mbsym label rod.yaml --order input\n...\n{told}\n```\n"
    assert PAGES.written(model + shown) == model + shown
    assert told in PAGES.written(model + shown.replace("1 body", "2 bodies"))
    kept = "<!-- file a.py -->\n```python\nprint(6)\n```\n```console\n$ python a.py\n5\n```\n"
    assert PAGES.written(kept) == kept.replace("5", "6")
    with pytest.raises(ValueError, match="ends with status 2"):
        PAGES.written("```sh\nmbsym label nowhere.yaml\n```\n")
    refused = "```console\n$ mbsym label nowhere.yaml    # exit status 2\n...\n```\n"
    assert PAGES.written(refused) == refused
    with pytest.raises(ValueError, match="ends with status 2"):
        PAGES.written(refused.replace("status 2", "status 1"))
    with pytest.raises(ValueError, match="nothing is known of the language 'fortran'"):
        PAGES.written("```fortran\nend\n```\n")
    with pytest.raises(mbsym.MbsymError):
        PAGES.written(model.replace("prismatic", "prismatik"))
    PAGES.written("<!-- not run: a sketch -->\n```sh\nmbsym label nowhere.yaml\n```\n")

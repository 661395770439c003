"""The documentation site: chapters, the reference read from the code, links, and the line that builds it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import mbsym
from mbsym.cli.manual import manual_page, verbs

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module", autouse=True)
def scripts() -> Iterator[None]:
    """The scripts beside the pages can be imported."""
    sys.path.insert(0, str(DOCS))
    yield
    sys.path.remove(str(DOCS))


def script(name: str) -> ModuleType:
    return import_module(name)


def test_the_line_of_the_readme_is_the_one_that_the_check_runs() -> None:
    lines = re.findall(r"^.*sphinx-build.*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    check = [line.strip() for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 1 and lines[0] in check and " -W " in lines[0]


def test_a_new_page_joins_the_chapter_of_its_folder_or_its_group(tmp_path: Path) -> None:
    chapter_pages = script("chapters").chapter_pages
    (tmp_path / "how_to").mkdir()
    (tmp_path / "how_to" / "fly.md").write_text("# Fly\n", encoding="utf-8")
    for name in ("geometry", "frames"):
        (tmp_path / f"{name}.md").write_text(f"# {name.title()}\n", encoding="utf-8")
    pages = chapter_pages(tmp_path)
    assert pages.keys() == {"chapter_how_to.md", "chapter_model.md"}
    assert "../how_to/fly" in pages["chapter_how_to.md"] and "../frames" not in pages["chapter_how_to.md"]
    assert "../geometry\n../frames" in pages["chapter_model.md"]
    (tmp_path / "wings.md").write_text("# Wings\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"docs/wings\.md stands in no group"):
        chapter_pages(tmp_path)


def test_every_chapter_stands_in_one_part_and_every_topic_in_one_group() -> None:
    chapters = script("chapters")
    shown = [key for keys in chapters.PARTS.values() for key in keys]
    topics = [name for names in chapters.TOPICS.values() for name in names]
    assert sorted(shown) == sorted(chapters.CHAPTERS)
    assert len(topics) == len(set(topics)) and [name for name in topics if not (DOCS / f"{name}.md").is_file()] == []


def test_the_first_page_lists_every_page_that_is_written_by_hand() -> None:
    listed = set(re.findall(r"\]\(([\w/]+)\.md\)", (DOCS / "index.md").read_text(encoding="utf-8")))
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in script("write_pages").pages()}
    assert pages - listed == {"index"}


def test_a_chapter_leads_to_topics_that_there_are() -> None:
    also = script("chapters").ALSO
    page = script("chapters").chapter_pages(DOCS)["chapter_how_to.md"]
    assert all(f"(../{name}.md)" in page and (DOCS / f"{name}.md").is_file() for name, _ in also["how_to"])


def test_the_reference_has_every_public_name() -> None:
    names = {name for group in script("reference_pages").INTERFACE.values() for name in group}
    public = {f"mbsym:{name}" for name in mbsym.__all__} - {"mbsym:__version__", "mbsym:examples"}
    assert sorted(public - names) == []
    page = script("reference_pages").python_page()
    assert ".. autofunction:: mbsym.pipeline.generate\n" in page and ".. autoclass:: mbsym.model.body.Body\n" in page


def test_the_reference_has_every_verb_entry_and_function() -> None:
    pages = script("reference_pages").reference_pages()
    assert [f"## mbsym {verb.name}\n" in pages["command_line.md"] for verb in verbs()] == [True] * len(verbs())
    assert "`--symbolic-parameters`" in pages["command_line.md"]
    assert "## mbsym modes --json\n" in pages["json.md"] and "| `degrees_of_freedom` |" in pages["json.md"]
    assert "### frame\\_jacobian\n" in pages["functions.md"] or "### frame_jacobian\n" in pages["functions.md"]
    assert "### project_position\n" in pages["functions.md"]


def test_the_page_of_the_model_file_has_every_entry() -> None:
    """Those of a table stand behind its title, with what they hold where nothing is said."""
    page = (DOCS / "model_file.md").read_text(encoding="utf-8")
    sections = dict(part.split("\n", 1) for part in page.split("\n## ")[1:])
    assert "| `gravity` |" in sections["Model"] and "| `point` |" in sections["Applied wrench"]
    assert "| `stiffness` | value | `0` |" in sections["Point spring damper"]
    assert "| `from` | name | required |" in sections["Joint"] and "| `[0, 1, 0]` |" in sections["Rolling constraint"]


def test_a_new_model_leads_to_pages_that_there_are() -> None:
    named = re.findall(r"docs/\S+\.md", (ROOT / "templates" / "model.yaml.jinja").read_text(encoding="utf-8"))
    assert named and all((ROOT / name).is_file() for name in named)


def test_the_manual_page_says_what_help_says(capsys: pytest.CaptureFixture[str]) -> None:
    page = manual_page()
    for verb in verbs():
        assert mbsym_help(verb.name, capsys) >= {name for item in verb.arguments for name in item.names if "--" in name}
        assert f".SH {verb.name.upper()}\n" in page
    assert "\\fB\\-\\-snap\\-angles\\fR" in page
    assert not [
        line for line in page.splitlines() if line.startswith((".", "'")) and not re.match(r"\.[A-Z]|\.br", line)
    ]


def mbsym_help(verb: str, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """Options that the help of a verb lists."""
    from mbsym.cli import main

    assert main([verb, "--help"]) == 0
    return set(re.findall(r"--[\w-]+", capsys.readouterr().out))


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    broken_links = script("check_links").broken_links
    good = '<p id="here"></p><a href="#here"></a><a href="other.html"></a><a href="https://example.org/x"></a>'
    (tmp_path / "page.html").write_text(good, encoding="utf-8")
    (tmp_path / "other.html").write_text('<a href="page.html#here"></a><img src="picture.png">', encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"")
    assert broken_links(tmp_path) == []
    bad = '<a href="page.html#there"></a><a href="gone.html"></a><script src="https://example.org/a.js"></script>'
    (tmp_path / "bad.html").write_text(bad, encoding="utf-8")
    assert broken_links(tmp_path) == [
        "bad.html: https://example.org/a.js is loaded from elsewhere",
        "bad.html: page.html#there has no such place",
        "bad.html: gone.html",
    ]


def test_the_folder_of_all_versions_leads_to_the_newest(tmp_path: Path) -> None:
    for name in ("0.9.1", "0.10.0", "0.2.0", "assets"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text("<p></p>", encoding="utf-8")
    (tmp_path / "0.11.0").mkdir()  # a build that failed
    script("versions").write_lists(tmp_path)
    listed = json.loads((tmp_path / "versions.json").read_text(encoding="utf-8"))
    assert listed == ["0.10.0", "0.9.1", "0.2.0"]  # by numbers, not by letters
    first = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'content="0; url=0.10.0/index.html"' in first and re.findall(r"/index\.html\">(.+)</a>", first) == listed
    assert script("check_links").broken_links(tmp_path) == []


def test_a_folder_without_versions_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="has a site of no version"):
        script("versions").write_lists(tmp_path)
    (tmp_path / "searchindex.js").touch()
    assert script("versions").build(tmp_path, "0.2.0") == 2
    assert "holds a site without versions; remove it" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["searchindex.js"]


def test_links_to_what_stands_beside_the_pages_lead_into_the_site() -> None:
    led = script("outside_pages").led_into_the_site
    assert led("[`a`](docs/frames.md)", "built/readme.md", ROOT) == "[`a`](../frames.md)"
    assert led("[a](CONTRIBUTING.md) [b](LICENSE)", "built/readme.md", ROOT) == (
        "[a](contributing.md) [b](path:../../LICENSE)"
    )
    assert led("[a](../README.md)", "index.md", ROOT) == "[a](built/readme.md)"
    assert led("[a](../../tests/conftest.py)", "adding/a_joint.md", ROOT) == "[a](path:../../tests/conftest.py)"
    assert led("[a](docs)", "built/readme.md", ROOT) == "a"
    assert led("```python\nx[0](docs)\n```\n", "index.md", ROOT) == "```python\nx[0](docs)\n```\n"


def test_the_chapters_have_what_was_promised() -> None:
    chapters = script("chapters").chapter_pages(DOCS)
    wanted = {
        "chapter_tutorial.md": ["tutorial/cart_pole"],
        "chapter_how_to.md": [
            "equations_into_a_paper",
            "c_in_a_controller",
            "verify_your_own",
            "import_a_robot",
            "loop",
        ],
        "chapter_derive.md": ["constraint_forces", "transfer_matrix"],
        "chapter_identify.md": ["identification"],
        "chapter_coming_from.md": ["comparison", "sympy_mechanics", "pinocchio", "mujoco", "modelica"],
        "chapter_model.md": ["joints", "forces", "closed_loops"],
        "chapter_explanations.md": ["labelling", "kane_through_t", "exact_equality", "conventions"],
    }
    assert [(name, page) for name, pages in wanted.items() for page in pages if page not in chapters[name]] == []

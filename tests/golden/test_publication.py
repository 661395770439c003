"""What stands beside the sources for who reports, cites or packs them."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import mbsym

ROOT = Path(__file__).resolve().parents[2]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
TEXTS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def tracked() -> set[str]:
    run = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(filter(None, run.stdout.split("\0")))


def places(text: str) -> set[str]:
    """Anchors of the headings, as they are made of them: lower case, hyphens for blanks, no signs."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_what_is_cited_is_this_version_by_these_authors() -> None:
    cited = read("CITATION.cff")
    assert cited["version"] == mbsym.__version__
    assert cited["authors"] == project()["project"]["authors"] and cited["license"] == project()["project"]["license"]
    assert {"cff-version", "message", "title", "type"} <= cited.keys()


def test_the_changelog_begins_with_this_version() -> None:
    versions = re.findall(r"^## (\S+?)(?:, .+)?$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert versions[0] == mbsym.__version__


def test_the_version_of_today_is_maintained() -> None:
    rows = dict(re.findall(r"^\| (\d+\.\d+) \| (yes|no) \|$", (ROOT / "SECURITY.md").read_text(encoding="utf-8"), re.M))
    assert [version for version, answer in rows.items() if answer == "yes"] == [mbsym.__version__.rpartition(".")[0]]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_forms_can_be_filled_in(form: Path) -> None:
    said = yaml.safe_load(form.read_text(encoding="utf-8"))
    if form.stem == "config":
        assert said == {"blank_issues_enabled": True}
        return
    assert said["name"] and said["description"]
    fields = [field for field in said["body"] if field["type"] != "markdown"]
    names = [field["id"] for field in fields]
    assert len(names) == len(set(names)) and all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)


@pytest.mark.parametrize("name", ["wrong_result", "file_not_read"])
def test_forms_ask_for_the_command_and_the_machine(name: str) -> None:
    fields = {field.get("id"): field for field in read(f".github/ISSUE_TEMPLATE/{name}.yml")["body"]}
    assert "mbsym doctor --json" in fields["doctor"]["attributes"]["label"]
    assert any("command" in field["attributes"].get("label", "").lower() for field in fields.values())


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_to_tracked_files_and_places(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    files = tracked()
    folders = {parent.as_posix() for file in files for parent in Path(file).parents}

    def there(link: str) -> bool:
        path, _, place = link.partition("#")
        target = path.rstrip("/") or name
        known = target in files | folders
        return known and (not place or place in places((ROOT / target).read_text(encoding="utf-8")))

    links = [link for link in LINK.findall(text) if "://" not in link]
    assert links and [link for link in links if not there(link)] == []


def test_the_source_archive_is_all_that_is_tracked() -> None:
    """Hatch packs what git does not ignore but for what these settings leave out."""
    build = project()["tool"]["hatch"]["build"]
    assert "sdist" not in build["targets"] and build.keys() == {"exclude", "targets"}
    left_out = tuple(f"{folder.strip('/')}/" for folder in build["exclude"])
    files = tracked()
    assert [file for file in files if file.startswith(left_out)] == []
    assert {"CITATION.cff", "LICENSE", "tests/golden/test_publication.py", "mbsym/py.typed"} <= files
    assert set(build["targets"]["wheel"]["force-include"]) < {Path(file).parts[0] for file in files}

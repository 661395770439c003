"""Builds the documentation site of this version into a folder that has one of each version, for any static host:

    python docs/versions.py build/site

writes ``build/site/VERSION``, ``build/site/index.html``, which leads to the newest version, and
``build/site/versions.json``, the list that the pages of all versions read. What stands there of other versions stays.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
NUMBERS = re.compile(r"\d+(\.\d+)*")

INDEX = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={newest}/index.html">
<title>mbsym</title>
</head>
<body>
<p>The documentation of mbsym by versions:</p>
<ul>
{entries}
</ul>
</body>
</html>
"""


def versions(folder: Path) -> list[str]:
    """Versions whose sites stand in the folder, the newest first."""
    names = [path.parent.name for path in folder.glob("*/index.html")]
    return sorted(
        (name for name in names if NUMBERS.fullmatch(name)),
        key=lambda name: [int(number) for number in name.split(".")],
        reverse=True,
    )


def write_lists(folder: Path) -> None:
    """Writes the page that leads to the newest version, and the list of versions.

    Raises:
        ValueError: there is no site of any version.
    """
    found = versions(folder)
    if not found:
        raise ValueError(f"{folder} has a site of no version; build one first")
    entries = "\n".join(f'<li><a href="{name}/index.html">{name}</a></li>' for name in found)
    (folder / "index.html").write_text(INDEX.format(newest=found[0], entries=entries), encoding="utf-8")
    (folder / "versions.json").write_text(json.dumps(found) + "\n", encoding="utf-8")


def build(folder: Path, version: str) -> int:
    """Builds the site of this version into the folder.

    Returns:
        The exit status of Sphinx, or 2 where a site without versions stands in the folder.
    """
    if (folder / "searchindex.js").exists():
        print(f"{folder}: holds a site without versions; remove it, or name another folder", file=sys.stderr)
        return 2
    site = folder / version
    shutil.rmtree(site, ignore_errors=True)  # pages that are gone would stay
    with tempfile.TemporaryDirectory() as scratch:  # what Sphinx remembers is not for the host
        line = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", scratch]
        status = subprocess.run([*line, str(DOCS), str(site)], check=False).returncode
    if status == 0:
        write_lists(folder)
    return status


def main() -> int:
    """Builds into the folder that the command names."""
    if len(sys.argv) != 2:
        print("usage: python docs/versions.py FOLDER", file=sys.stderr)
        return 2
    sys.path.insert(0, str(DOCS.parent))
    from mbsym.version import __version__

    return build(Path(sys.argv[1]), __version__)


if __name__ == "__main__":
    sys.exit(main())

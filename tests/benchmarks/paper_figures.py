"""Runs the tests whose figures docs/papers.md tells, and prints what they measure; --write puts it into the page.

    python tests/benchmarks/paper_figures.py [--write]

A page that tells less than a test measures makes that test fail, wherever it runs (fixture ``agreement``).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

from mechanisms.paper_rows import rounded_up, rows, told, write  # noqa: E402


def main() -> None:
    """Prints a table, and writes."""
    tests = sorted({row.test for row in rows() if row.figures})
    measured: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "figures"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "more or not more", *tests]
        subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "MBSYM_FIGURES": str(path)})
        for line in path.read_text(encoding="utf-8").splitlines():
            test, value = json.loads(line)
            measured[test] = max(value, measured.get(test, 0.0))
    for test in tests:
        print(f"{test}: measured {measured[test]:.1e}, told {told(test):.0e}, to be told {rounded_up(measured[test])}")
    if "--write" in sys.argv[1:]:
        write(measured)


if __name__ == "__main__":
    main()

"""How long verbs take from the shell to their end, each in a fresh process: the least of three.

    python tests/benchmarks/start_times.py [--write]

Processor time, with that of processes that a verb starts; a verb waits for nothing else. The UR5, an arm of six joints,
and Talos, a humanoid of 44 speeds, are those of example-robot-data. With --write the table takes its place in the page.
"""

from __future__ import annotations

import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
from datetime import date
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "any_size.md"
PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from mbsym.cli import main; sys.exit(main(sys.argv[1:]))"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""As users have it: what was compiled in the first run is read in the others."""

VERBS = ("info", "label", "derive", "generate")
RUNS = 3


def spent() -> float:
    """Processor time of children that have ended [s]."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds(*arguments: str) -> float:
    """Least time of some runs [s]."""
    times = []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as place:
            begun = spent()
            subprocess.run(
                [sys.executable, "-c", PROGRAM, *arguments], check=True, cwd=place, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env=ENVIRONMENT,
            )  # fmt: skip
            times.append(spent() - begun)
    return min(times)


def robots() -> dict[str, str]:
    """Models by name; the UR5 and Talos where their files are installed."""
    found = {"double pendulum": "double_pendulum", "PUMA 560": "puma560"}
    installed = {"ur5_robot.urdf": "UR5", "talos_full_v2.urdf": "Talos"}
    try:
        every = files("example-robot-data") or ()
    except PackageNotFoundError:
        every = ()
    places = {installed[item.name]: str(item.locate()) for item in every if item.name in installed}
    return found | {name: places[name] for name in installed.values() if name in places}


def table() -> list[str]:
    """The table, a line each."""
    rows = [f"| | {' | '.join(f'`{verb}`' for verb in VERBS)} |", f"|---|{'---|' * len(VERBS)}"]
    for name, model in robots().items():
        rows.append(f"| {name} | {' | '.join(f'{seconds(verb, model):.2f} s' for verb in VERBS)} |")
    about = f"Python {platform.python_version()}, {date.today().isoformat()}"
    return [*rows, "", f"`mbsym --help` takes {seconds('--help'):.2f} s. {about}."]


def main() -> None:
    """Prints the table."""
    lines = table()
    print("\n".join(lines))
    if "--write" in sys.argv[1:]:
        text = PAGE.read_text(encoding="utf-8")
        between = r"(<!-- start times -->\n).*?(<!-- start times end -->)"
        changed = re.sub(between, lambda found: f"{found[1]}{chr(10).join(lines)}\n{found[2]}", text, flags=re.DOTALL)
        PAGE.write_text(changed, encoding="utf-8")


if __name__ == "__main__":
    main()

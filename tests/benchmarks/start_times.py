"""How long verbs take from the shell to their end, each in a fresh process: the best of three.

    python tests/benchmarks/start_times.py

Talos is the public humanoid of 44 speeds, from example-robot-data.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from mbsym.cli import main; sys.exit(main(sys.argv[1:]))"


def seconds(*arguments: str) -> float:
    """Best time of three runs [s]."""
    times = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as place:
            begun = perf_counter()
            subprocess.run(
                [sys.executable, "-c", PROGRAM, *arguments], check=True, cwd=place, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
            times.append(perf_counter() - begun)
    return min(times)


def robots() -> dict[str, str]:
    """Models by name; Talos where its file is installed."""
    found = {"double_pendulum": "double_pendulum"}
    try:
        every = files("example-robot-data") or ()
    except PackageNotFoundError:
        every = ()
    for item in every:
        if item.name == "talos_full_v2.urdf":
            found["Talos"] = str(item.locate())
    return found


def main() -> None:
    """Prints the table."""
    print(f"--help {seconds('--help'):.2f} s")
    print(f"{'model':18}" + "".join(f"{verb:>11}" for verb in ("info", "label", "derive", "generate")))
    for name, model in robots().items():
        times = [seconds(verb, model) for verb in ("info", "label", "derive", "generate")]
        print(f"{name:18}" + "".join(f"{time:9.2f} s" for time in times))


if __name__ == "__main__":
    main()

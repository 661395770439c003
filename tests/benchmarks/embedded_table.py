"""What generated C costs on a Cortex-M4F and a Cortex-M7, emulated by qemu, in single precision.

Prints, for each robot, function and core: bytes of text, data and bss of a module with that function, bytes of stack as
the compiler bounds them (without the C library) and as they were measured (with it), instructions of one call and the
error against double precision, relative to the largest entry: the median of the states of the self-test, and the most.
Closed loops take the longer way where rows depend on each other, which states of a self-test are chosen for. The flags
of GCC stand in ``mechanisms.embedded_cost``; the C library is newlib. With --write the rows take the place of those in
the page.

    python tests/benchmarks/embedded_table.py [PART_OF_A_NAME] [--write]
"""

from __future__ import annotations

import sys
from importlib.metadata import files
from pathlib import Path
from statistics import median_high
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).resolve().parents[1]))
from mechanisms.cortex_m import M4F, M7
from mechanisms.embedded_cost import cost


def robot(name: str) -> str:
    """The robot file of that name in the package example-robot-data."""
    return next(str(file.locate()) for file in files("example-robot-data") or () if file.name == name)


ROBOTS = {
    "UR5": robot("ur5_robot.urdf"),
    "Panda": robot("panda.urdf"),
    "quadruped": "quadruped",
    "four_bar": "four_bar",
    "stewart_platform": "stewart_platform",
}
FUNCTIONS = ("gravity_force", "inverse_dynamics", "forward_dynamics")


PAGE = Path(__file__).resolve().parents[2] / "docs" / "embedded.md"


def write(rows: list[str]) -> None:
    """Puts rows in the place of those of the same robot, function and core, and new ones behind them."""
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    start = next(k for k, line in enumerate(lines) if line.startswith("| robot | function | core |")) + 2
    end = next(k for k in range(start, len(lines)) if not lines[k].startswith("|"))
    table = {tuple(row.split(" | ")[:3]): row for row in (*lines[start:end], *rows)}
    places = {f"| {name}": k for k, name in enumerate(ROBOTS)}
    order = sorted(table, key=lambda key: (places[key[0]], FUNCTIONS.index(key[1]), key[2]))
    PAGE.write_text("\n".join([*lines[:start], *(table[key] for key in order), *lines[end:]]), encoding="utf-8")


def main() -> None:
    """Prints the table as it stands in the page."""
    asked = next((word for word in sys.argv[1:] if not word.startswith("--")), "")
    rows = []
    print(
        "| robot | function | core | text | data | bss | stack, bound | measured | instructions | most | error | most |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    with TemporaryDirectory() as scratch:
        for name, model in ROBOTS.items():
            for function in FUNCTIONS if asked in name else ():
                for core in (M4F, M7):
                    found = cost(model, function, core, Path(scratch) / f"{name}_{function}_{core.name}")
                    rows.append(
                        f"| {name} | {function} | {core.name} | {found.text} | {found.data} | {found.bss} | "
                        f"{found.bound} | {found.stack} | {median_high(found.instructions)} | "
                        f"{max(found.instructions)} | {median_high(found.errors):.1e} | {max(found.errors):.1e} |"
                    )
                    print(rows[-1], flush=True)
    if "--write" in sys.argv[1:]:
        write(rows)


if __name__ == "__main__":
    main()

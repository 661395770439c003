"""What generated C costs on a Cortex-M4F and a Cortex-M7, emulated by qemu, in single precision.

Prints, for each robot, function and core: bytes of text, data and bss of a module with that function, bytes of stack as
the compiler bounds them (without the C library) and as they were measured (with it), instructions of one call, the most
of three states, and the largest error against double precision, relative to the largest entry. GCC -O3
-fno-math-errno; the C library is newlib.

    python tests/benchmarks/embedded_table.py [PART_OF_A_NAME]
"""

from __future__ import annotations

import sys
from importlib.metadata import files
from pathlib import Path
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


def main() -> None:
    """Prints the table as it stands in the page."""
    asked = sys.argv[1] if len(sys.argv) > 1 else ""
    print("| robot | function | core | text | data | bss | stack, bound | measured | instructions | error |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with TemporaryDirectory() as scratch:
        for name, model in ROBOTS.items():
            for function in FUNCTIONS if asked in name else ():
                for core in (M4F, M7):
                    found = cost(model, function, core, Path(scratch) / f"{name}_{function}_{core.name}")
                    print(
                        f"| {name} | {function} | {core.name} | {found.text} | {found.data} | {found.bss} | "
                        f"{found.bound} | {found.stack} | {found.instructions} | {found.error:.1e} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()

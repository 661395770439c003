"""What each example controller costs on a Cortex-M7, emulated by qemu, in single precision with GCC -O2.

Prints instructions of one call, bytes of text of the controller alone and with the generated functions that it calls,
and bytes of stack as the compiler bounds them, without the C library.

    python tests/benchmarks/controller_costs.py
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import files
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).resolve().parents[1]))
from mechanisms.call_graph import CallGraph, call_graph
from mechanisms.cortex_m import M7
from mechanisms.generated_c import run

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "controllers"


def main() -> None:
    """Builds the example by CMake, runs it, and prints the table as it stands in the page."""
    ur5 = next(str(file.locate()) for file in files("example-robot-data") or () if file.name == "ur5_robot.urdf")
    with TemporaryDirectory() as scratch:
        place = Path(scratch)
        tool, chain = Path(sys.executable).parent / "mbsym", EXAMPLE / "cortex_m7.cmake"
        given = (f"-DUR5={ur5}", f"-DMBSYM={tool}", f"-DCMAKE_TOOLCHAIN_FILE={chain}")
        run("cmake", "-S", str(EXAMPLE), "-B", scratch, *given)
        run("cmake", "--build", scratch)
        printed = M7.ran(place / "on_target.elf", "-icount", "shift=0,align=off,sleep=off").stdout
        compiler = ("arm-none-eabi-gcc", *M7.flags, "-O2", f"-I{place / 'generated'}")
        module = call_graph(place / "generated" / "ur5.c", compiler)
        sizes = text_of(place / "generated" / "ur5.c", compiler, place)
        print("| controller | instructions | text | with generated code | stack |")
        print("|---|---|---|---|---|")
        for name, instructions in re.findall(r"^(\w+): held, (\d+) instructions$", printed, re.MULTILINE):
            source = EXAMPLE / f"{name}.c"
            graph = call_graph(source, compiler)
            whole = CallGraph(
                {**module.frames, **graph.frames}, {**module.bounded, **graph.bounded}, {**module.calls, **graph.calls}
            )
            own = sum(text_of(source, compiler, place).values())
            called = {function for calls in graph.calls.values() for function in calls}
            more = sum(size for function, size in sizes.items() if function in called)
            print(f"| {name} | {instructions} | {own} | {own + more} | {whole.depth(name)} |")


def text_of(source: Path, compiler: tuple[str, ...], place: Path) -> dict[str, int]:
    """Bytes of each function of a source."""
    made = place / "measured.o"
    run(*compiler, "-std=c99", "-c", str(source), "-o", str(made))
    rows = [line.split() for line in run("arm-none-eabi-nm", "-S", str(made)).stdout.splitlines()]
    return {row[3]: int(row[1], 16) for row in rows if len(row) == 4 and row[2] in "tT"}


if __name__ == "__main__":
    main()

"""What the proof before writing takes of a generation.

    python tests/benchmarks/proof_time.py [--repeat 5] [--write docs/proof_before_writing.md]

Each mechanism is generated in C and NumPy by a process of its own, with the options and the garbage collection that a
user of the command line gets without saying anything, in turn with the proof and without it: what printing needs as
well, such as the parts of long functions, is found by whichever of both comes first. Medians of processor times of
several repetitions in one process, the first of which, with its imports, does not count.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path
from time import process_time

START, END = "<!-- times of the proof -->", "<!-- end of times -->"

ROBOTS = {"UR5": "ur5_robot.urdf", "Panda": "panda.urdf", "Talos": "talos_reduced.urdf"}


def sources() -> dict[str, str]:
    """Mechanisms by name: files, examples, and a chain of a number of bodies."""
    listed = {file.name: str(file.locate()) for file in files("example-robot-data") or ()}
    robots = {name: listed[file] for name, file in ROBOTS.items() if file in listed}
    return {**robots, "Stewart platform": "stewart_platform", "four-bar": "four_bar", "chain of 300": "300"}


def measured(source: str, repeat: int) -> list[tuple[float, float]]:
    """Seconds of a generation with the proof and without it, by repetition."""
    import mbsym
    from mbsym.cli.application import COLLECTED_AT
    from mbsym.proof.proof import Proof
    from mbsym.stages import describe as stage

    prove = stage.prove
    model: object = source
    if source.isdigit():
        from any_size import chain

        model = chain(int(source))
    found = []
    gc.set_threshold(COLLECTED_AT, *gc.get_threshold()[1:])
    with tempfile.TemporaryDirectory() as folder:

        def seconds(proof: object) -> float:
            stage.prove = proof  # type: ignore[assignment]
            begun = process_time()
            mbsym.generate(model, folder, symbolic_parameters="none")  # type: ignore[arg-type]
            return process_time() - begun

        for _ in range(repeat + 1):
            found.append((seconds(prove), seconds(lambda *_, **__: Proof())))
    return found[1:]


def rows(repeat: int) -> Iterator[str]:
    """The table, line by line."""
    yield "| mechanism | with the proof [s] | without it [s] | share of the proof |"
    yield "|---|---|---|---|"
    for name, source in sources().items():
        command = [sys.executable, __file__, "--one", source, "--repeat", str(repeat)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        proven, bare = map(statistics.median, zip(*json.loads(done.stdout), strict=True))
        yield f"| {name} | {proven:.3f} | {bare:.3f} | {100 * (1 - bare / proven):.0f} % |"


def main() -> None:
    """Measures, prints, and writes the page's table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.one, options.repeat)))
        return
    table = []
    for row in rows(options.repeat):
        print(row, flush=True)
        table.append(row)
    if options.write:
        text = options.write.read_text(encoding="utf-8")
        before, after = text.split(START)[0], text.split(END)[1]
        options.write.write_text(f"{before}{START}\n" + "\n".join(table) + f"\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()

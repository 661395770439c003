"""What `verify --exact` proves of bundled examples and of robots: counts, reasons and processor times, as a table.

Prints a row for each model: functions of all texts that are proven, that agree in forty digits, that are not proven and
that differ, and the processor time, the derivation anew among it. Below stand the reasons of what is not proven, by how
many functions they leave. Robots are the URDF and SDF files of a directory, of package example-robot-data without one.

    python tests/benchmarks/exact_proofs.py [NAME...]
    python tests/benchmarks/exact_proofs.py --robots [FILE or DIRECTORY...]
"""

from __future__ import annotations

import gc
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import files
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from mbsym import examples, generate
from mbsym.cli.application import COLLECTED_AT
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.errors import DerivationError, MbsymError
from mbsym.exact.proof import OUTCOMES, Verdict
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.pipeline import read
from mbsym.verification.exact_texts import exact_verdicts

PROCESSES = 2
WITHOUT_ACCELERATIONS = (
    *("inverse_dynamics", "mass_matrix", "bias_force", "gravity_force", "kinetic_energy", "potential_energy"),
    *("body_poses", "body_velocities", "body_jacobians", "center_of_mass", "momentum"),
)


def verdicts(directory: Path, name: str) -> tuple[Verdict, ...]:
    """Of all functions of all texts of a directory."""
    manifest = read_manifest(directory / f"{name}.json")
    return exact_verdicts(directory, manifest, read_native(TextSource(name, manifest["model"])))


def proven(wanted: str) -> tuple[str, Sequence[Verdict], float, str]:
    """Of an example or a file: its name, what is shown of it, the time, and why nothing is."""
    gc.set_threshold(COLLECTED_AT, *gc.get_threshold()[1:])
    file = Path(wanted)
    is_file = file.suffix in (".urdf", ".sdf", ".xml", ".yaml")
    with TemporaryDirectory(prefix="mbsym") as scratch:
        try:
            model = read(file) if is_file else examples.load(wanted)
            try:
                generate(model, scratch, largest=float("inf"))
            except DerivationError:
                # What moves no inertia has no accelerations.
                generate(model, scratch, largest=float("inf"), functions=WITHOUT_ACCELERATIONS)
            began = time.process_time()
            (manifest,) = Path(scratch).glob("*.json")
            found = verdicts(Path(scratch), manifest.stem)
        except MbsymError as error:
            return file.stem, (), 0.0, str(error).splitlines()[0]
    return file.stem, found, time.process_time() - began, ""


def robots(places: Sequence[str]) -> Iterator[str]:
    """Files of robots, largest first."""
    paths = [Path(each) for each in places] or [Path(str(each.locate())) for each in files("example-robot-data") or ()]
    every = [file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])]
    yield from map(str, sorted({x for x in every if x.suffix in (".urdf", ".sdf")}, key=lambda x: -x.stat().st_size))


def table(wanted: Sequence[str]) -> int:
    """A row for each; the exit status."""
    titles = ("model", "functions", *OUTCOMES, "time [s]")
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}", flush=True)
    totals, reasons, seconds, began = Counter[str](), Counter[str](), 0.0, time.perf_counter()
    with ProcessPoolExecutor(PROCESSES) as pool:
        for name, found, spent, why in pool.map(proven, wanted):
            if why:
                print(f"| `{name}` | {why} |", flush=True)
                continue
            outcomes = Counter(verdict.outcome for verdict in found)
            counts = " | ".join(str(outcomes[each]) for each in OUTCOMES)
            print(f"| `{name}` | {outcomes.total()} | {counts} | {spent:.1f} |", flush=True)
            totals += outcomes
            reasons += Counter(f"{each.outcome}: {each.why}" for each in found if each.outcome != "proven")
            seconds += spent
    print(f"| all | {totals.total()} | {' | '.join(str(totals[each]) for each in OUTCOMES)} | {seconds:.1f} |")
    print(f"\n{time.perf_counter() - began:.0f} s by the clock, generation among them\n")
    for reason, count in reasons.most_common(60):
        print(f"{count:5}  {reason}")
    return bool(totals["differs"])


if __name__ == "__main__":
    asked = sys.argv[1:]
    if asked[:1] == ["--robots"]:
        raise SystemExit(table(list(robots(asked[1:]))))
    raise SystemExit(table(asked or examples.names()))

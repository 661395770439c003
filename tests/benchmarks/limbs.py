"""Equal limbs side by side in vectors, beside the same functions written out: nanoseconds a call, and code.

    python tests/benchmarks/limbs.py [ROBOT ...] [--rounds N] [--write]

Robots are those of `tests/benchmarks/peers`, solo12 and talos by default. Processor time of one thread, all builds in
turn in each round, the median of the rounds; results agree first. Bytes are those of the machine code and constants of
the three functions. With --write the table goes into docs/limbs.md.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from peers import generated
from peers.builds import BUILDS, KEPT, compilers, libraries
from peers.measure import Entry, measured
from peers.robots import ROBOTS, found, prepared
from sweep import put, told

FUNCTIONS = {"inverse_dynamics": "ID", "forward_dynamics": "FD", "mass_matrix": "M"}
WAYS = {"straight": ("-Dm_LIMBS=0",), "limbs": ()}
AGREE = 1e-11
PAGE = Path(__file__).resolve().parents[2] / "docs" / "limbs.md"
COLUMNS = (
    "robot",
    "compiler",
    "sines",
    *(text for name in FUNCTIONS.values() for text in (f"{name}, ns", "limbs", "times")),
    "bytes",
    "limbs",
)
HEAD = (f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}")


def sizes(texts: dict[str, str], build: tuple[str, ...], way: tuple[str, ...]) -> int:
    """Bytes of machine code and constants."""
    with TemporaryDirectory() as place:
        for name, text in texts.items():
            (Path(place) / name).write_text(text)
        command = [*build, "-std=c99", *way, "-c", "m.c", "-o", "m.o"]
        subprocess.run(command, cwd=place, check=True)
        found = subprocess.run(["size", "m.o"], cwd=place, check=True, capture_output=True, text=True).stdout
    return int(found.splitlines()[1].split()[0])


def rows(name: str, rounds: int) -> Iterator[str]:
    """The rows of a robot."""
    robot = next(item for item in ROBOTS if item.name == name)
    urdf = found(robot, {})
    assert urdf is not None, f"{name} is not here"
    with TemporaryDirectory() as place:
        ready = prepared(robot, urdf, Path(place))
    values = {"q": ready.ours.q, "v": ready.ours.v, "vdot": ready.ours.u, "tau": ready.ours.u}
    made = {kind: generated.code(ready.model, tuple(FUNCTIONS), kind, style="limbs") for kind in ("libm", "inline")}
    cases = [*product(made, BUILDS, WAYS)]
    jobs = [generated.job(f"{name}-{kind}-{way}", made[kind], build, WAYS[way]) for kind, build, way in cases]
    entries, results = [], {}
    for (kind, build, way), path in zip(cases, libraries(jobs, KEPT), strict=True):
        opened = generated.Opened(path, made[kind], {key: values[key] for key in ("q", "v", "vdot", "tau")})
        for k, short in enumerate(FUNCTIONS.values()):
            entries.append(Entry(name, short, way, f"{' '.join(build)} {kind}", partial(opened.spent, k)))
            opened.spent(k, 1)
            results[kind, build, way, short] = opened.result(k, 18)
    for kind, build, short in product(made, BUILDS, FUNCTIONS.values()):
        one, other = (results[kind, build, way, short] for way in WAYS)
        assert np.abs(one - other).max() <= AGREE * np.abs(one).max(), (kind, build, short)
    times = {(item.build, item.function, item.peer): item.ns for item in measured(entries, rounds)}
    for kind, build in product(made, BUILDS):
        cells = [robot.title, f"`{' '.join(build)}`", kind]
        for short in FUNCTIONS.values():
            one, other = (times[f"{' '.join(build)} {kind}", short, way] for way in WAYS)
            cells += [f"{one:.0f}", f"{other:.0f}", f"{one / other:.2f}"]
        texts = dict(made[kind].texts)
        cells += [str(sizes(texts, build, way)) for way in WAYS.values()]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Prints the table, or writes it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=["solo12", "talos"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    table = [*HEAD, *(row for name in given.robots for row in rows(name, given.rounds))]
    if given.write:
        put("limbs", [*table, "", f"{told()} {compilers()}."], PAGE)
    else:
        print(*table, told(), sep="\n")


if __name__ == "__main__":
    main()

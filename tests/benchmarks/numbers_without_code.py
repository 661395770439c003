"""How long analyses take that evaluate the equations in place of printing them, and what else one waits for: medians.

    python tests/benchmarks/numbers_without_code.py [--printed]

Wall time in one process after a first run of each kind. With --printed linearisations of chains of 7 and 12 bodies are
made the other way too: a module of the derivatives, printed and imported. That of 50 bodies is 5.7 MB of code.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import mbsym  # noqa: E402
from mbsym.codegen.interface import render  # noqa: E402
from mbsym.codegen.load import numpy_module  # noqa: E402
from mbsym.linear.equations import prepare  # noqa: E402
from mbsym.linear.state_values import state_of  # noqa: E402
from mbsym.model.system import Model  # noqa: E402
from mbsym.pipeline import derive, describe  # noqa: E402
from mbsym.report.overview import overview  # noqa: E402
from mechanisms.benchmark_chains import benchmark_chain, spatial_chain  # noqa: E402
from mechanisms.random_mechanisms import random_closed_loops  # noqa: E402


def seconds(work: Callable[[], Any], runs: int = 5) -> float:
    """The median of some runs [s]."""
    found = []
    for _ in range(runs):
        begun = perf_counter()
        work()
        found.append(perf_counter() - begun)
    return median(found)


def printed(model: Model) -> None:
    """The derivatives as a module, evaluated once."""
    equations = prepare(model)
    options = replace(equations.options, functions=("forward_dynamics_derivatives",))
    module = numpy_module(*render(describe(derive(equations.mechanism, options), options), ("numpy",)))
    function, given = module.functions["forward_dynamics_derivatives"], state_of(equations, {}).by_argument
    function(*(given[item.name] for item in function.inputs))


def generated(model: Model | str, function: str) -> None:
    """One function in C."""
    with tempfile.TemporaryDirectory() as place:
        mbsym.generate(model, place, functions=(function,), languages=("c",))


def in_a_process(statement: str) -> Callable[[], object]:
    """A statement in a fresh interpreter."""
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {statement}"
    return lambda: subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


def tell(what: str, work: Callable[[], Any], runs: int = 5) -> None:
    """Prints a row."""
    print(f"{what:<46} {seconds(work, runs):8.3f} s", flush=True)


def main() -> None:
    """Prints the table."""
    mbsym.linearise(benchmark_chain(3))
    mbsym.equilibrium(benchmark_chain(3), starts=1)
    for bodies, runs in ((7, 9), (50, 5), (200, 3), (400, 1)):
        tell(f"linearise, a chain of {bodies}", partial(mbsym.linearise, benchmark_chain(bodies)), runs)
    if "--printed" in sys.argv[1:]:
        for bodies in (7, 12):
            tell(f"the same by printed derivatives, {bodies}", partial(printed, benchmark_chain(bodies)), 3)
    for bodies, runs in ((7, 9), (50, 3), (200, 1)):
        work = partial(mbsym.equilibrium, benchmark_chain(bodies), starts=1)
        tell(f"equilibrium from one start, a chain of {bodies}", work, runs)
    looped, _ = random_closed_loops(3, bodies=(30, 30), loops=11, constraints=False, planar=False, forces=False)
    tell(f"info, {len(looped.bodies)} bodies in 11 loops", partial(overview, looped, "weight"))
    arms: dict[str, Model | str] = {"PUMA 560": "puma560", "7 joints, all symbolic": spatial_chain(7)}
    for name, arm in arms.items():
        for function in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
            generated(arm, function)
            tell(f"{function}, {name}", partial(generated, arm, function), 9)
    for statement in ("import mbsym; mbsym.simulate('cart_pole', 0.1)", "import scipy.integrate"):
        tell(statement, in_a_process(statement), 3)


if __name__ == "__main__":
    main()

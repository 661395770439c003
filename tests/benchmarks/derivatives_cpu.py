"""CPU time of derivatives: generated C, Pinocchio and CasADi side by side, in one run.

Each is built by gcc and by clang, as far as they are there, with -O2 and with -O3 -march=native; generated C, with
sines of the library and with its own, also without inlining its parts into one. The best build of each counts. All take
turns over random states; angles in the file within 1e-4 of a right one are exact. Pinocchio's C++ is compiled from its
headers, which takes minutes a build the first time and is kept in build/peers; where they are missing its column is
empty. CasADi's C is what it makes of inverse and forward dynamics as mbsym writes them, differentiated by CasADi; it is
left out where CasADi is not installed. The Stewart platform stands alone: its loops close at each state.

    python tests/benchmarks/derivatives_cpu.py [URDF [floating]]
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir
from functools import partial
from importlib.metadata import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from peers.builds import BUILDS, DRIVERS, Job, libraries, pinocchio_jobs
from peers.contestants import Peer
from peers.generated import code, entries
from peers.loops import states
from peers.measure import Entry, Timing, best, measured
from peers.robots import Inputs, as_text

from mbsym.formats.registry import LoadOptions
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.pipeline import read
from mbsym.reference import Reference
from mbsym.registry import available_functions
from mbsym.symbolic.program import Program

ROBOTS = (("xarm7.urdf", False), ("simple_humanoid.urdf", True))
"""An arm of seven joints and a humanoid on a free base."""

FUNCTIONS = {
    "inverse_dynamics_derivatives": "dID",
    "forward_dynamics_with_derivatives": "dFD",
    "inverse_dynamics_second_derivatives": "d2ID",
    "forward_dynamics_second_derivatives": "d2FD",
}

OF_LOOPS = {
    "constrained_dynamics": "FD",
    "constrained_dynamics_derivatives": "dFD",
    "independent_dynamics_derivatives": "dFD_i",
    "independent_multiplier_derivatives": "dlambda_i",
}

MOST_JOINTS = 12
"""Up to which second derivatives are timed; compilers take minutes for more."""

STATES, ROUNDS = 32, 9
APART = ((), ("-fno-inline",))


def random_states(model: Model) -> dict[str, Any]:
    """Arguments of all functions by name."""
    reference, rng = Reference(model), np.random.default_rng(0)
    q = rng.uniform(-3, 3, (STATES, reference.nq))
    for joint in reference.mechanism.tree_joints:
        if joint.type == "free" and joint.coordinates is not None:
            turn = q[:, joint.coordinates.start : joint.coordinates.start + 4]
            turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    v, x, along = rng.uniform(-1, 1, (3, STATES, reference.nv))
    return {"q": q, "v": v, "vdot": x, "tau": x, "weights": along}


def pinocchio(path: Path, floating: bool, place: Path) -> Iterator[Entry]:
    """Of Pinocchio's C++, all builds."""
    jobs = pinocchio_jobs("DERIVATIVES")
    if not jobs:
        return
    import pinocchio as pin

    twin = pin.buildModelFromUrdf(str(path), *((pin.JointModelFreeFlyer(),) if floating else ()))
    (place / "peer.txt").write_text(as_text(twin))
    rng = np.random.default_rng(0)
    q = np.array([pin.randomConfiguration(twin, -3 * np.ones(twin.nq), 3 * np.ones(twin.nq)) for _ in range(STATES)])
    inputs = Inputs(q, *rng.uniform(-1, 1, (2, STATES, twin.nv)))
    for job, built in zip(jobs, libraries(jobs), strict=True):
        peer = Peer(built, place / "peer.txt", inputs)
        for number, short in enumerate(("dID", "dFD", "d2ID")):
            yield Entry(path.name, short, "Pinocchio", " ".join(job.build), partial(peer.spent, number))


CASADI = """#include <string.h>
#include "clock.h"
#include "text.c"
typedef struct { const double **in; double **out; casadi_int *iw; double *w; } Peer;
__attribute__((visibility("default"))) double peer_spent(const Peer *peer, int function, long calls)
{
    const double start = now();
    long i;
    (void)function;
    for (i = 0; i < calls; ++i) derived(peer->in, peer->out, peer->iw, peer->w, 0);
    return now() - start;
}
"""


def casadi(name: str, model: Model, place: Path) -> Iterator[Entry]:
    """Of CasADi's C, all builds; nothing where it is not installed."""
    try:
        import casadi as ca
    except ImportError:
        return
    functions = available_functions(build_mechanism(model, model.label()), "auto").functions
    rng = np.random.default_rng(0)
    for function, short in (("inverse_dynamics", "dID"), ("forward_dynamics", "dFD")):
        program = functions[function](build_mechanism(model, model.label()))
        symbols, result = in_casadi(program, ca)
        results = [ca.jacobian(result, symbol) for symbol in symbols[: 2 if short == "dID" else 3]]
        made = ca.Function("derived", symbols, results if short == "dID" else [result, *results], {"cse": True})
        # It writes into the current directory.
        with chdir(place):
            made.generate("text.c")
        texts = {"driver.c": CASADI, "text.c": (place / "text.c").read_text()}
        texts["clock.h"] = (DRIVERS / "clock.h").read_text()
        arrays = [rng.uniform(-1, 1, item.shape) for item in program.inputs]
        outputs = [np.zeros(made.nnz_out(k)) for k in range(made.n_out())]
        work, integers = np.zeros(made.sz_w() + 64), np.zeros(made.sz_iw() + 64, dtype=np.int64)
        given, taken = ((ctypes.c_void_p * 64)(*(one.ctypes.data for one in many)) for many in (arrays, outputs))
        words = (ctypes.addressof(given), ctypes.addressof(taken), integers.ctypes.data, work.ctypes.data)
        kept = (arrays, outputs, work, integers, given, taken)
        jobs = [Job(f"casadi-{place.name}-{short}", build, texts) for build in BUILDS]
        for build, path in zip(BUILDS, libraries(jobs), strict=True):
            call = ctypes.CDLL(str(path)).peer_spent
            call.restype, call.argtypes = ctypes.c_double, [ctypes.c_void_p, ctypes.c_int, ctypes.c_long]
            peer = (ctypes.c_void_p * 4)(*words)

            def spent(calls: int, call: Any = call, peer: Any = peer, kept: Any = kept) -> float:
                return float(call(peer, 0, calls))

            yield Entry(name, short, "CasADi", " ".join(build), spent)


def in_casadi(program: Program, ca: Any) -> tuple[list[Any], Any]:
    """A program's arguments and first result as CasADi's expressions."""
    graph = program.graph
    values: dict[int, Any] = {}
    arguments = []
    for item in program.inputs:
        argument = ca.SX.sym(item.name, len(item.symbols))
        arguments.append(argument)
        values.update({ref: argument[k] for k, ref in enumerate(item.symbols)})

    def of(ref: int) -> Any:
        return values[ref] if ref >= 0 else -values[-ref]

    steps: dict[str, Callable[..., Any]] = {
        "add": lambda a, b: a + b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "sqrt": ca.sqrt,
        "sin": ca.sin,
        "cos": ca.cos,
    }
    for node in program.nodes():
        kind = graph.kinds[node]
        if node in values:
            continue
        if kind == "const":
            values[node] = ca.SX(float(graph.constant_value(node) or 0))
        else:
            values[node] = steps[kind](*(of(ref) for ref in graph.operands(node)))
    return arguments, ca.vertcat(*(of(ref) for ref in program.outputs[0].values))


def compare(path: Path, floating: bool) -> None:
    """Prints a table for one robot."""
    model = read(path, LoadOptions(floating=floating, snap_angles=1e-4))
    wanted = dict(list(FUNCTIONS.items())[: 4 if len(model.joints) <= MOST_JOINTS else 2])
    counts = code(model, tuple(wanted)).operations
    with TemporaryDirectory() as scratch:
        every = [item for item, _, _ in entries(path.name, model, wanted, random_states(model), extra=APART)]
        every += [*pinocchio(path, floating, Path(scratch)), *casadi(path.name, model, Path(scratch))]
        timings = measured(every, ROUNDS)
    told(timings)
    base = " on a free base" if floating else ""
    print(f"{path.name}{base}: us a call, in brackets how many times ours")
    print(f"{'':6}{'operations':>12}{'generated C':>14}{'Pinocchio, C++':>18}{'CasADi, C':>18}")
    for function, short in wanted.items():
        ours = best(timings, path.name, short, "mbsym")
        assert ours is not None
        row = f"{short:6}{counts[function]:12}{1e-3 * ours.ns:14.2f}"
        for peer in ("Pinocchio", "CasADi"):
            theirs = best(timings, path.name, short, peer)
            row += f"{'' if theirs is None else f'{1e-3 * theirs.ns:.2f} ({theirs.ns / ours.ns:.1f})':>18}"
        print(row.rstrip())
    print("d2 of Pinocchio are full tensors, ours contracted with a vector", flush=True)


def told(timings: list[Timing]) -> None:
    """Each build, on standard error."""
    for item in timings:
        print(f"{item.function:6}{item.peer}, {item.build}: {1e-3 * item.ns:.3f} us", file=sys.stderr)


def compare_loops(name: str) -> None:
    """Prints times of a bundled mechanism with closed loops."""
    model = read(name)
    start = np.array(analyse_loops(build_mechanism(model, model.label())).configuration)
    closed = states(Reference(model), start)
    values = {"q": closed.q, "v": closed.v, "tau": closed.u}
    timings = measured([item for item, _, _ in entries(name, model, OF_LOOPS, values, extra=APART)], ROUNDS)
    told(timings)
    print(f"{name}: us a call")
    for function, short in OF_LOOPS.items():
        ours = best(timings, name, short, "mbsym")
        assert ours is not None
        print(f"{function:36}{1e-3 * ours.ns:8.2f}", flush=True)


def main() -> None:
    """The robots of the table and the Stewart platform, or the one that is named."""
    words = sys.argv[1:]
    named = [word for word in words if word != "floating"]
    if named:
        compare(Path(named[0]), "floating" in words)
        return
    for name, floating in ROBOTS:
        path = next(Path(str(file.locate())) for file in files("example-robot-data") or () if file.name == name)
        compare(path, floating)
    compare_loops("stewart_platform")


if __name__ == "__main__":
    main()

"""The Stewart platform: time to derive and print C, operations, and time of its forward dynamics.

Pinocchio's constraint dynamics for the same mechanism stand beside, where it is installed: constraintDynamics, which
solves a saddle-point system, and lcaba, its loop-constrained articulated-body algorithm. Both have point contacts in
the place of five spherical joints and are called from Python, whose overhead is measured and taken off.

    python tests/benchmarks/stewart_platform.py
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from mbsym import examples
from mbsym.codegen.build import find_compiler
from mbsym.codegen.load import load_c
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.redundancy import analyse_loops
from mbsym.pipeline import GenerationOptions, generate, generate_files
from mbsym.reference import Reference

NAME = "stewart_platform"

DRIVER = r"""
#include <time.h>
#include "stewart_platform.h"

double time_of_call(const double q[], const double v[], const double tau[], int calls)
{
    double vdot[stewart_platform_NV], lambda[stewart_platform_NR], speeds[stewart_platform_NV];
    struct timespec start, stop;
    for (int k = 0; k < stewart_platform_NV; ++k) speeds[k] = v[k];
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (int i = 0; i < calls; ++i) {
        speeds[0] = v[0] + 1e-9 * i;
        stewart_platform_constrained_dynamics(q, speeds, tau, vdot, lambda);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &stop);
    return ((double)(stop.tv_sec - start.tv_sec) + 1e-9 * (double)(stop.tv_nsec - start.tv_nsec)) / calls;
}
"""


def best(measure: Callable[[], float], times: int = 7) -> float:
    """The smallest of several measurements."""
    return min(measure() for _ in range(times))


def timed(work: Callable[[], Any]) -> float:
    """Seconds of processor time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def generated(q: np.ndarray[Any, Any], v: np.ndarray[Any, Any], flags: str) -> float:
    """Seconds of a call of the generated C."""
    with TemporaryDirectory() as scratch:
        place = Path(scratch)
        generate(NAME, place, languages=("c",), functions=("constrained_dynamics",))
        (place / "driver.c").write_text(DRIVER)
        options = ("-std=gnu99", flags, "-shared", "-fPIC")
        command = [*find_compiler(), *options, f"{NAME}.c", "driver.c", "-o", "b.so", "-lm"]
        subprocess.run(command, cwd=place, check=True)
        function = ctypes.CDLL(str(place / "b.so")).time_of_call
        function.restype = ctypes.c_double
        doubles = ctypes.POINTER(ctypes.c_double)
        arrays = [np.ascontiguousarray(x).ctypes.data_as(doubles) for x in (q, v, np.zeros(len(v)))]
        return best(lambda: float(function(*arrays, 5000)))


def pinocchio(
    q: np.ndarray[Any, Any], v: np.ndarray[Any, Any], vdot: np.ndarray[Any, Any]
) -> dict[str, tuple[float, float]]:
    """Seconds of a call of Pinocchio's algorithms by name, and their largest difference from our accelerations."""
    import importlib.util

    import pinocchio as pin

    tests = Path(__file__).resolve().parents[1]
    sys.path.append(str(tests))
    path = tests / "physics" / "test_loops_against_pinocchio.py"
    spec = importlib.util.spec_from_file_location("loops_against_pinocchio", path)
    assert spec is not None
    assert spec.loader is not None
    twins = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = twins
    spec.loader.exec_module(twins)
    reference = Reference(examples.load(NAME))
    twin = twins._twin(reference)
    models, results = twins.contacts(reference, twin), pin.StdVec_RigidConstraintData()
    for item in models:
        results.append(pin.RigidConstraintData(item))
    pin.initConstraintDynamics(twin.model, twin.data, models, results)
    pin.computeJointMinimalOrdering(twin.model, twin.data, models)
    q_pin, v_pin, tau = twin.q(reference, q), twin.speeds(v), np.zeros(len(v))
    calls = 2000

    def overhead() -> None:
        for _ in range(calls):
            pin.neutral(twin.model)

    figures = {}
    # Accuracy and regularisation; lcaba asks for a positive one, and iterates.
    for name, numbers in (("constraintDynamics", (1e-10, 1e-12)), ("lcaba", (1e-12, 1e-6))):
        settings = pin.ProximalSettings(*numbers, 20)
        algorithm = partial(getattr(pin, name), twin.model, twin.data, q_pin, v_pin, tau, models, results, settings)

        def run(algorithm: Callable[[], Any] = algorithm) -> None:
            for _ in range(calls):
                algorithm()

        found = np.array(algorithm())[twin.v_places]
        seconds = (best(lambda run=run: timed(run), 5) - best(lambda: timed(overhead), 5)) / calls  # type: ignore[misc]
        figures[name] = seconds, float(np.max(np.abs(found - vdot)))
    return figures


def main() -> None:
    """Prints the table."""
    model = examples.load(NAME)
    options = GenerationOptions(languages=("c",))
    seconds = best(lambda: timed(lambda: generate_files(model, options)), 3)
    derivation, _ = generate_files(model, options)
    mechanism = build_mechanism(model, model.label())
    q = np.array(analyse_loops(mechanism).configuration)
    reference = Reference(model)
    v = reference.consistent_velocity(q, np.random.default_rng(0).normal(size=reference.nv))
    counts = {program.name: program.operation_count() for program in derivation.programs}
    loops = derivation.loops
    assert loops is not None
    print(f"{NAME}: {mechanism.nb} bodies, {mechanism.nv} speeds, {len(mechanism.cut_joints)} loops, "
          f"{len(loops.rows)} closure rows, {loops.mobility} freedoms")  # fmt: skip
    print(f"derive and print C, all functions   {seconds:8.2f} s")
    print(f"operations of constrained_terms     {counts['constrained_terms'].arithmetic:8d}")
    for flags in ("-O2", "-O3"):
        print(f"constrained dynamics, C {flags}         {1e6 * generated(q, v, flags):8.2f} us")
    with TemporaryDirectory() as scratch:
        generate(NAME, scratch, languages=("c",), functions=("constrained_dynamics",))
        vdot, _ = load_c(scratch).functions["constrained_dynamics"](q, v, np.zeros(len(v)))
    try:
        figures = pinocchio(q, v, vdot)
    except ModuleNotFoundError as error:
        if error.name != "pinocchio":
            raise
        print("Pinocchio is not installed")
        return
    for name, (theirs, difference) in figures.items():
        print(f"Pinocchio, {name:20}     {1e6 * theirs:8.2f} us   (largest difference {difference:.1e})")


if __name__ == "__main__":
    main()

"""The space robot simulated by four formulations in generated C: CPU time side by side, and how far they part.

    python tests/benchmarks/space_robot_cpu.py

Ten seconds at 0.002 s by the classical Runge-Kutta method, four evaluations a step, the arms driven by sinusoidal
torques over a free base. Each formulation is timed for vdot alone and for vdot with all joint wrenches.

The comparison is that of F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics,
2016, table 1: conventional Kane, recursion, general constraint force algorithm (dense solution of A F = X), and the
serialised one.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from mbsym import examples
from mbsym.codegen.build import find_compiler
from mbsym.codegen.description import ModuleDescription
from mbsym.codegen.interface import render
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force.block_system import BlockSystem
from mbsym.formulations.constraint_force.leaf_to_root import CFA_FUNCTIONS, derive_motion, motion_functions
from mbsym.formulations.constraint_force.odd_even_elimination import CFA_ELIMINATION_FUNCTIONS
from mbsym.formulations.constraint_force.serial import CFA_SERIAL_FUNCTIONS
from mbsym.formulations.contracts import Function
from mbsym.formulations.kane.closed_form import KANE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.pipeline import optimise
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar, symbol

NAME = "space_robot_cpu"
DURATION, STEP = 10.0, 0.002
FLAGS = ("-std=c99", "-O2", "-fPIC", "-shared")

DRIVER = r"""
#include <math.h>
#include <string.h>
#include <time.h>
#include "NAME.h"

enum { NQ = @NQ@, NV = @NV@, NB = @NB@, NS = @NS@, METHODS = @METHODS@ };

typedef void (*method)(const double q[], const double v[], const double tau[], double vdot[], double wrenches[]);

/* Dense L D L^T of a symmetric positive definite matrix, and the solution of A F = X. */
static void dense_solve(double A[], const double X[], double F[])
{
    for (int k = 0; k < NS; ++k) {
        const double inverse = 1.0 / A[k * NS + k];
        for (int i = k + 1; i < NS; ++i) {
            const double factor = A[i * NS + k] * inverse;
            for (int j = k + 1; j <= i; ++j)
                A[i * NS + j] -= factor * A[j * NS + k];
        }
        for (int i = k + 1; i < NS; ++i)
            A[i * NS + k] *= inverse;
    }
    memcpy(F, X, NS * sizeof(double));
    for (int i = 0; i < NS; ++i)
        for (int j = 0; j < i; ++j)
            F[i] -= A[i * NS + j] * F[j];
    for (int i = NS - 1; i >= 0; --i) {
        F[i] /= A[i * NS + i];
        for (int j = i + 1; j < NS; ++j)
            F[i] -= A[j * NS + i] * F[j];
    }
}

static void dense_motion(const double q[], const double v[], const double tau[], double vdot[], double wrenches[])
{
    static double A[NS * NS], X[NS], F[NS];
    (void)wrenches;
    NAME_system(q, v, tau, A, X);
    dense_solve(A, X, F);
    NAME_dense_vdot(q, v, tau, F, vdot);
}

static void dense_both(const double q[], const double v[], const double tau[], double vdot[], double wrenches[])
{
    static double A[NS * NS], X[NS], F[NS];
    NAME_system(q, v, tau, A, X);
    dense_solve(A, X, F);
    NAME_dense_both(q, v, tau, F, vdot, wrenches);
}

@WRAPPERS@

static const method methods[METHODS] = { @TABLE@ };

static void drive(double t, double tau[])
{
    static const double size[6] = { 3.0, 4.0, 2.0, 0.02, 0.05, 0.01 };
    for (int k = 0; k < 6; ++k)
        tau[k] = 0.0;
    for (int k = 6; k < NV; ++k) {
        /* Joints of both arms in turn have frequencies and phases of their own. */
        const int joint = (k - 6) % 6, place = 6 + 2 * joint + (k - 6) / 6;
        tau[k] = size[joint] * sin((1.0 + 0.1 * place) * t + 0.3 * place);
    }
}

static void derivative(method f, double t, const double x[], double dx[], double wrenches[])
{
    double tau[NV];
    drive(t, tau);
    NAME_position_rate(x, x + NQ, dx);
    f(x, x + NQ, tau, dx + NQ, wrenches);
}

/* Runs one method; keeps every stride-th state. Returns CPU seconds. */
double simulate(int number, double x[], double h, int steps, int stride, double kept[])
{
    enum { N = NQ + NV };
    double k1[N], k2[N], k3[N], k4[N], y[N];
    static double wrenches[6 * NB];
    const method f = methods[number];
    const clock_t start = clock();
    for (int n = 0; n < steps; ++n) {
        const double t = n * h;
        derivative(f, t, x, k1, wrenches);
        for (int i = 0; i < N; ++i) y[i] = x[i] + 0.5 * h * k1[i];
        derivative(f, t + 0.5 * h, y, k2, wrenches);
        for (int i = 0; i < N; ++i) y[i] = x[i] + 0.5 * h * k2[i];
        derivative(f, t + 0.5 * h, y, k3, wrenches);
        for (int i = 0; i < N; ++i) y[i] = x[i] + h * k3[i];
        derivative(f, t + h, y, k4, wrenches);
        for (int i = 0; i < N; ++i) x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        const double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        for (int i = 0; i < 4; ++i) x[i] /= norm;
        if ((n + 1) % stride == 0)
            memcpy(kept + (n + 1) / stride * N - N, x, N * sizeof(double));
    }
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}
"""


@dataclass(frozen=True, slots=True)
class Method:
    """A way to vdot: its title, and its generated functions for vdot alone and with wrenches."""

    title: str
    key: str
    operations: tuple[int, int]


def both(mechanism: Mechanism, functions: Mapping[str, Function], key: str) -> list[Program]:
    """Programs for vdot, and for vdot with wrenches."""
    forward = functions["forward_dynamics"](mechanism)
    wrenches = functions["joint_wrenches"](mechanism)
    together = replace(forward, outputs=forward.outputs + wrenches.outputs)
    return [replace(forward, name=f"{key}_vdot"), replace(together, name=f"{key}_both")]


def dense_programs(mechanism: Mechanism) -> tuple[list[Program], int, int]:
    """A and X, what follows from F, the number of unknowns, and the operations of the dense solution."""
    caught: list[tuple[BlockSystem, list[Scalar]]] = []

    def as_input(system: BlockSystem, parents: tuple[int, ...], right: list[Scalar]) -> list[Scalar]:
        caught.append((system, right))
        return [symbol(mechanism.graph, f"F[{k}]") for k in range(len(right))]

    found, _ = derive_motion(mechanism, as_input)
    ((system, right),) = caught
    n = len(right)
    rows: list[dict[int, Scalar]] = [{} for _ in range(n)]
    for pair in system.blocks:
        system.enter(pair, rows)
    zero = Scalar(mechanism.graph, 0)
    entries = tuple(rows[r].get(c, zero).ref for r in range(n) for c in range(n))
    inputs = (mechanism.q, mechanism.v, mechanism.tau)
    forces = Input("F", (n,), tuple(mechanism.graph.symbol(f"F[{k}]") for k in range(n)))
    outputs = (Output("A", (n, n), entries), Output("X", (n,), tuple(x.ref for x in right)))
    forward, wrenches = (function(mechanism) for function in motion_functions(lambda _: (found, "dense")).values())
    programs = [
        Program("system", mechanism.graph, inputs, outputs),
        replace(forward, name="dense_vdot", inputs=(*inputs, forces)),
        replace(forward, name="dense_both", inputs=(*inputs, forces), outputs=forward.outputs + wrenches.outputs),
    ]
    dense = sum(1 + 2 * (n - k) + (n - k) * (n - k + 1) for k in range(1, n + 1)) + 2 * n * (n - 1) + n
    return programs, n, dense


def main() -> None:
    model = examples.load("space_robot")
    mechanism = build_mechanism(model, model.label())
    ways = {
        "kane": ("conventional Kane", KANE_FUNCTIONS),
        "recursive": ("recursive (articulated bodies)", TREE_FUNCTIONS),
        "leaf": ("CFA, leaf to root", CFA_FUNCTIONS),
        "reduction": ("serialised CFA, reduction", CFA_SERIAL_FUNCTIONS),
        "elimination": ("serialised CFA, elimination", CFA_ELIMINATION_FUNCTIONS),
    }
    programs: list[Program] = []
    methods: list[Method] = []
    for key, (title, functions) in ways.items():
        pair = [optimise(program)[0] for program in both(mechanism, functions, key)]
        programs += pair
        methods.append(Method(title, key, (pair[0].operation_count().arithmetic, pair[1].operation_count().arithmetic)))
    found, unknowns, dense_operations = dense_programs(mechanism)
    found = [optimise(program)[0] for program in found]
    counts = [program.operation_count().arithmetic for program in found]
    extra = dense_operations + counts[0]
    methods.insert(2, Method("general CFA, dense solution", "dense", (extra + counts[1], extra + counts[2])))
    programs += [*found, optimise(TREE_FUNCTIONS["position_rate"](mechanism))[0]]
    with TemporaryDirectory() as scratch:
        library = compiled(Path(scratch), mechanism, programs, methods, unknowns)
        report(mechanism, methods, library)


def compiled(
    directory: Path, mechanism: Mechanism, programs: list[Program], methods: list[Method], unknowns: int
) -> ctypes.CDLL:
    """The generated module with the driver, as one library."""
    for file in render(ModuleDescription(NAME, tuple(programs)), ("c",)):
        (directory / file.name).write_text(file.text, encoding="utf-8")
    formal = "const double q[], const double v[], const double tau[], double vdot[], double wrenches[]"
    wrappers, table = [], []
    for item in methods:
        if item.key == "dense":
            table += ["dense_motion", "dense_both"]
            continue
        wrappers += [
            f"static void {item.key}_motion({formal})\n{{\n    (void)wrenches;\n"
            f"    NAME_{item.key}_vdot(q, v, tau, vdot);\n}}\n",
            f"static void {item.key}_all({formal})\n{{\n    NAME_{item.key}_both(q, v, tau, vdot, wrenches);\n}}\n",
        ]
        table += [f"{item.key}_motion", f"{item.key}_all"]
    text = DRIVER.replace("@WRAPPERS@", "\n".join(wrappers)).replace("@TABLE@", ", ".join(table))
    sizes = {"NQ": mechanism.nq, "NV": mechanism.nv, "NB": mechanism.nb, "NS": unknowns, "METHODS": len(table)}
    for key, value in sizes.items():
        text = text.replace(f"@{key}@", str(value))
    (directory / "driver.c").write_text(text.replace("NAME", NAME), encoding="utf-8")
    target = directory / "library.so"
    sources = [str(directory / f"{NAME}.c"), str(directory / "driver.c")]
    subprocess.run([*find_compiler(), *FLAGS, *sources, "-o", str(target), "-lm"], check=True)
    library = ctypes.CDLL(str(target))
    library.simulate.restype = ctypes.c_double
    return library


def report(mechanism: Mechanism, methods: list[Method], library: ctypes.CDLL) -> None:
    """Runs every method once for each kind of output and prints the table."""
    steps, stride = round(DURATION / STEP), 50
    width = mechanism.nq + mechanism.nv
    trajectories, seconds = {}, {}
    for number, (title, kind) in enumerate((item.title, kind) for item in methods for kind in (0, 1)):
        state = np.zeros(width)
        state[0] = 1.0
        # The arms start bent, so that nothing is aligned.
        state[7 : mechanism.nq] = 0.3 + 0.1 * np.concatenate([np.arange(0, 12, 2), np.arange(1, 12, 2)])
        kept = np.zeros((steps // stride, width))
        pointer = ctypes.POINTER(ctypes.c_double)
        seconds[title, kind] = library.simulate(
            number, state.ctypes.data_as(pointer), ctypes.c_double(STEP), steps, stride, kept.ctypes.data_as(pointer)
        )
        trajectories[title, kind] = kept
    reference = trajectories["recursive (articulated bodies)", 0]
    print(f"space robot: {mechanism.nb} bodies, {mechanism.nv} speeds, {DURATION:g} s at {STEP:g} s, Runge-Kutta 4")
    print(f"largest arm rotation {np.abs(reference[:, 7 : mechanism.nq]).max():.2f} rad\n")
    print(f"{'':32}{'vdot':>24}{'vdot and wrenches':>26}{'largest':>14}")
    print(f"{'formulation':32}{'operations':>12}{'CPU s':>12}{'operations':>14}{'CPU s':>12}{'difference':>14}")
    for item in methods:
        apart = max(np.abs(trajectories[item.title, kind] - reference).max() for kind in (0, 1))
        print(
            f"{item.title:32}{item.operations[0]:12}{seconds[item.title, 0]:12.3f}"
            f"{item.operations[1]:14}{seconds[item.title, 1]:12.3f}{apart:14.1e}"
        )
        if not apart < 1e-10:
            raise SystemExit(f"{item.title} departs from the recursive formulation by {apart:.1e}")


if __name__ == "__main__":
    main()

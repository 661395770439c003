"""CPU time of derivatives: generated C, Pinocchio and CasADi side by side, in one run.

The best of two builds each, gcc -O2 and -O3 -march=native, over the same number of random states; angles in the file
within 1e-4 of a right one are exact. Pinocchio's C++ is compiled against the library of its wheel, and with ``native``
from its headers at -O3 too, which takes minutes; where those headers or Eigen's (EIGEN_INC, else /usr/include/eigen3)
are missing it is called from Python, which is said. CasADi's C is what it makes of inverse and forward dynamics as
mbsym writes them, differentiated by CasADi; it is left out where CasADi is not installed.

    python tests/benchmarks/derivatives_cpu.py [URDF [floating]] [native]
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import timeit
from collections.abc import Callable, Sequence
from importlib.metadata import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pinocchio as pin

from mbsym.codegen.build import find_compiler
from mbsym.codegen.load import load_c
from mbsym.formats.registry import LoadOptions
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.system import Model
from mbsym.pipeline import generate, read
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

MOST_JOINTS = 12
"""Up to which second derivatives are timed; compilers take minutes for more."""

BUILDS = (("-O2",), ("-O3", "-march=native"))
STATES, SAMPLES = 32, 9

TIMER = r"""
#include <time.h>
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
"""

PINOCCHIO = r"""
#include <cstdlib>
#include <iostream>
#include <string>
#include <fstream>
#include <map>
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
using namespace pinocchio;

template <typename F> void timed(const char *name, F call)
{
    long calls = 64;
    double spent = 0;
    for (; spent < 0.02; calls *= 2) {
        double start = now();
        for (long i = 0; i < calls; ++i) call(i % 32);
        spent = now() - start;
    }
    double best = 1e9;
    for (int sample = 0; sample < 9; ++sample) {
        double start = now();
        for (long i = 0; i < calls; ++i) call(i % 32);
        best = std::min(best, (now() - start) / calls);
    }
    std::cout << name << " " << best << std::endl;
}

int main(int, char **argv)
{
    const std::map<std::string, JointModel> known = {
        {"JointModelRX", JointModelRX()}, {"JointModelRY", JointModelRY()}, {"JointModelRZ", JointModelRZ()},
        {"JointModelPX", JointModelPX()}, {"JointModelPY", JointModelPY()}, {"JointModelPZ", JointModelPZ()},
        {"JointModelFreeFlyer", JointModelFreeFlyer()}};
    Model model;
    std::ifstream file(argv[1]);
    std::string type;
    for (JointIndex parent; file >> type >> parent;) {
        double x[25];
        for (double &entry : x) file >> entry;
        Eigen::Map<Eigen::Matrix3d> turn(x), about(x + 16);
        SE3 place(turn, Eigen::Vector3d(x + 9));
        JointIndex joint = model.addJoint(parent, known.at(type), place, "j" + std::to_string(model.njoints));
        Inertia inertia(x[12], Eigen::Vector3d(x + 13), Eigen::Matrix3d(about));
        model.appendBodyToJoint(joint, inertia, SE3::Identity());
    }
    Data data(model);
    model.lowerPositionLimit.setConstant(-3);
    model.upperPositionLimit.setConstant(3);
    std::vector<Eigen::VectorXd> q, v, x;
    for (int k = 0; k < 32; ++k) {
        q.push_back(randomConfiguration(model));
        v.push_back(Eigen::VectorXd::Random(model.nv));
        x.push_back(Eigen::VectorXd::Random(model.nv));
    }
    timed("dID", [&](int k) { computeRNEADerivatives(model, data, q[k], v[k], x[k]); });
    timed("dFD", [&](int k) { computeABADerivatives(model, data, q[k], v[k], x[k]); });
    timed("d2ID", [&](int k) { ComputeRNEASecondOrderDerivatives(model, data, q[k], v[k], x[k]); });
}
"""

Times = dict[str, float]
"""Seconds of a call by the names of the table."""


def best(timer: Callable[[int], float]) -> float:
    """The smallest of several measurements of at least 20 ms, a call."""
    calls = 64
    while timer(calls) * calls < 0.02:
        calls *= 2
    return min(timer(calls) for _ in range(SAMPLES))


def library(source: Path, text: str, flags: Sequence[str]) -> ctypes.CDLL:
    """C text beside other sources, compiled and loaded."""
    source.write_text(text)
    built = source.with_suffix(f".{abs(hash(tuple(flags)))}.so")
    command = [*find_compiler(), "-std=gnu99", "-w", *flags, "-shared", "-fPIC", source.name, "-o", built.name, "-lm"]
    subprocess.run(command, cwd=source.parent, check=True)
    return ctypes.CDLL(str(built))


def least(every: Sequence[Times]) -> Times:
    """The best of several builds."""
    return {name: min(times[name] for times in every) for name in every[0]}


def generated(model: Model, place: Path) -> tuple[Times, dict[str, int]]:
    """Of generated C, and operations."""
    wanted = dict(list(FUNCTIONS.items())[: 4 if len(model.joints) <= MOST_JOINTS else 2])
    done = generate(model, place, languages=["c"], functions=tuple(wanted))
    counts = {item.name: item.operation_count().arithmetic for item in done.derivation.programs}
    module = load_c(place, flags=("-std=c99", "-O0"))
    name = module.manifest["name"]
    rng = np.random.default_rng(0)
    text = [TIMER, f'#include "{name}.c"']
    states: dict[str, Any] = {}
    for function, short in wanted.items():
        loaded = module.functions[function]
        every = []
        for item in loaded.inputs:
            values = states.setdefault(item.name, rng.uniform(-1, 1, (STATES, item.size)))
            for first in item.quaternions:
                values[:, first : first + 4] /= np.linalg.norm(values[:, first : first + 4], axis=1, keepdims=True)
            every.append(f"in[{len(every)}] + {item.size}*(i % {STATES})")
        outs = [f"out{k}" for k in range(len(loaded.outputs))]
        space = "".join(f"    static double out{k}[{item.size}];\n" for k, item in enumerate(loaded.outputs))
        text.append(f"double time_{short}(const double *const in[], int calls)\n{{\n{space}    double start = now();")
        text.append("    for (int i = 0; i < calls; ++i)")
        text.append(f"        {name}_{function}({', '.join([*every, *outs])});")
        text.append("    return (now() - start)/calls;\n}")
    found = []
    for flags in BUILDS:
        code = library(place / "driver.c", "\n".join(text), flags)
        times = {}
        for function, short in wanted.items():
            call = getattr(code, f"time_{short}")
            call.restype = ctypes.c_double
            arrays = [states[item.name] for item in module.functions[function].inputs]
            pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
            times[short] = best(lambda calls, call=call, pointers=pointers: float(call(pointers, calls)))
        found.append(times)
    return least(found), {short: counts[function] for function, short in wanted.items()}


def pinocchio(path: Path, floating: bool, native: bool, place: Path) -> tuple[str, Times]:
    """Of Pinocchio's C++ where it can be compiled, else from Python."""
    roots = (pin.JointModelFreeFlyer(),) if floating else ()
    model = pin.buildModelFromUrdf(str(path), *roots)
    prefix = Path(pin.__file__).parents[4]
    eigen = Path(os.environ.get("EIGEN_INC", "/usr/include/eigen3"))
    if (eigen / "Eigen").is_dir() and (prefix / "include" / "pinocchio").is_dir():
        (place / "peer.cpp").write_text(TIMER + PINOCCHIO)
        includes = (f"-I{eigen}", "-isystem", str(prefix / "include"))
        linked = (f"-L{prefix}/lib", "-lpinocchio_default", f"-Wl,-rpath,{prefix}/lib")
        (place / "peer.txt").write_text(as_text(model))
        defined = [f"-DBOOST_MPL_LIMIT_{size}_SIZE=30" for size in ("LIST", "VECTOR")]
        defined += ["-DBOOST_FUSION_INVOKE_MAX_ARITY=12", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DNDEBUG"]
        found = []
        builds = [(*BUILDS[0], "-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"), *BUILDS[1:] * native]
        for flags in builds:
            command = (
                "g++",
                "-std=c++17",
                "-w",
                *flags,
                *defined,
                *includes,
                "peer.cpp",
                "-o",
                "peer",
                *linked,
            )
            subprocess.run(command, cwd=place, check=True)
            run = (str(place / "peer"), str(place / "peer.txt"))
            lines = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
            found.append({name: float(seconds) for name, seconds in map(str.split, lines)})
        return "Pinocchio, C++", least(found)
    data, rng = model.createData(), np.random.default_rng(0)
    q, (v, x) = pin.neutral(model), rng.uniform(-1, 1, (2, model.nv))
    calls = {
        "dID": lambda: pin.computeRNEADerivatives(model, data, q, v, x),
        "dFD": lambda: pin.computeABADerivatives(model, data, q, v, x),
    }
    return "Pinocchio, from Python", {
        name: min(timeit.repeat(call, number=1000, repeat=SAMPLES)) / 1000 for name, call in calls.items()
    }


def as_text(model: Any) -> str:
    """Joints with their placements and inertias, for the C++ to read."""
    lines = []
    for k in range(1, model.njoints):
        place, inertia = model.jointPlacements[k], model.inertias[k]
        parts = (place.rotation.T.ravel(), place.translation, [inertia.mass], inertia.lever, inertia.inertia.ravel())
        numbers = " ".join(repr(float(entry)) for part in parts for entry in part)
        lines.append(f"{model.joints[k].shortname()} {model.parents[k]} {numbers}")
    return "\n".join(lines)


def casadi(model: Model, place: Path) -> Times | None:
    """Of CasADi's C; None where it is not installed."""
    try:
        import casadi as ca
    except ImportError:
        return None
    functions = available_functions(build_mechanism(model, model.label()), "auto").functions
    found: list[Times] = [{} for _ in BUILDS]
    rng = np.random.default_rng(0)
    for function, short in (("inverse_dynamics", "dID"), ("forward_dynamics", "dFD")):
        program = functions[function](build_mechanism(model, model.label()))
        symbols, result = in_casadi(program, ca)
        results = [ca.jacobian(result, symbol) for symbol in symbols[: 2 if short == "dID" else 3]]
        made = ca.Function(short, symbols, results if short == "dID" else [result, *results], {"cse": True})
        made.generate(f"cas_{short}.c")
        Path(f"cas_{short}.c").replace(place / f"cas_{short}.c")
        values = [rng.uniform(-1, 1, item.shape) for item in program.inputs]
        outputs = [np.zeros(made.nnz_out(k)) for k in range(made.n_out())]
        text = f"""{TIMER}
#include "cas_{short}.c"
double time_it(const double **in, double **out, long long *iw, double *w, int calls)
{{
    double start = now();
    for (int i = 0; i < calls; ++i) {short}(in, out, iw, w, 0);
    return (now() - start)/calls;
}}
"""
        for flags, times in zip(BUILDS, found, strict=True):
            call = library(place / f"cas_driver_{short}.c", text, flags).time_it
            call.restype = ctypes.c_double
            given, taken = (
                (ctypes.c_void_p * (len(arrays) + 64))(*(array.ctypes.data for array in arrays))
                for arrays in (values, outputs)
            )
            work = np.zeros(made.sz_w() + 64)
            integers = np.zeros(made.sz_iw() + 64, dtype=np.int64)
            where = (given, taken, ctypes.c_void_p(integers.ctypes.data), ctypes.c_void_p(work.ctypes.data))
            times[short] = best(lambda calls, call=call, where=where: float(call(*where, calls)))
    return least(found)


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


def compare(path: Path, floating: bool, native: bool) -> None:
    """Prints a table for one robot."""
    model = read(path, LoadOptions(floating=floating, snap_angles=1e-4))
    with TemporaryDirectory() as scratch:
        ours, counts = generated(model, Path(scratch))
        label, theirs = pinocchio(path, floating, native, Path(scratch))
        others = casadi(model, Path(scratch))
    base = " on a free base" if floating else ""
    print(f"{path.name}{base}: us a call, in brackets how many times ours")
    print(f"{'':6}{'operations':>12}{'generated C':>14}{label:>26}{'CasADi, C' if others else '':>20}")
    for short in ours:
        row = f"{short:6}{counts[short]:12}{1e6 * ours[short]:14.2f}"
        for times in (theirs, others or {}):
            told = f"{1e6 * times[short]:.2f} ({times[short] / ours[short]:.1f})" if short in times else ""
            row += f"{told:>{26 if times is theirs else 20}}"
        print(row.rstrip())
    print("d2 of Pinocchio are full tensors, ours contracted with a vector", flush=True)


def main() -> None:
    """The robots of the table, or the one that is named."""
    words = sys.argv[1:]
    named = [word for word in words if word not in ("floating", "native")]
    if named:
        compare(Path(named[0]), "floating" in words, "native" in words)
        return
    for name, floating in ROBOTS:
        path = next(Path(str(file.locate())) for file in files("example-robot-data") or () if file.name == name)
        compare(path, floating, "native" in words)


if __name__ == "__main__":
    main()

"""CPU time of derivatives: generated C, Pinocchio and CasADi side by side, in one run.

Each is built by gcc and by clang, as far as they are there, with -O2 and with -O3 -march=native; generated C, with
sines of the library and with its own, also without inlining its parts into one. The best build of each counts. All run
over the same number of random states; angles in the file within 1e-4 of a right one are exact. Pinocchio's C++ is
compiled against the library of its wheel, and with ``native`` from its headers at -O3 too, which takes minutes for each
compiler; where those headers or Eigen's (EIGEN_INC, else /usr/include/eigen3) are missing it is called from Python,
which is said. CasADi's C is what it makes of inverse and forward dynamics as mbsym writes them, differentiated by
CasADi; it is left out where CasADi is not installed. The Stewart platform stands alone: its loops close at each state.

    python tests/benchmarks/derivatives_cpu.py [URDF [floating]] [native]
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import timeit
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import files
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pinocchio as pin

from mbsym.codegen.load import load_c
from mbsym.formats.registry import LoadOptions
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.system import Model
from mbsym.pipeline import Derivation, generate, read
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

COMPILERS = {"gcc": "g++", "clang": "clang++"}
FLAGS = (("-O2",), ("-O3", "-march=native"))
BUILDS = [(name, *flags) for name in COMPILERS if which(name) for flags in FLAGS]
"""Compilers of C with what they are told; those of C++ by those of C."""

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


def library(source: Path, text: str, build: Sequence[str]) -> ctypes.CDLL:
    """C text beside other sources, compiled and loaded."""
    source.write_text(text)
    built = source.with_suffix(f".{'_'.join(build)}.so")
    command = [*build, "-std=gnu99", "-w", "-shared", "-fPIC", source.name, "-o", built.name, "-lm"]
    subprocess.run(command, cwd=source.parent, check=True)
    return ctypes.CDLL(str(built))


def least(what: str, every: Mapping[str, Times]) -> Times:
    """The best of several builds, of which each is told on standard error."""
    for build, times in every.items():
        listed = ", ".join(f"{name} {1e6 * seconds:.3f}" for name, seconds in times.items())
        print(f"{what}, {build}: {listed}", file=sys.stderr, flush=True)
    return {name: min(times[name] for times in every.values()) for name in next(iter(every.values()))}


def generated(
    model: Model, place: Path, wanted: Mapping[str, str], trigonometry: str = "libm"
) -> tuple[Times, dict[str, int]]:
    """Of generated C, and operations."""
    functions = tuple(wanted)
    done = generate(model, place, languages=["c"], functions=functions, trigonometry=trigonometry, force=True)
    counts = {item.name: item.operation_count().arithmetic for item in done.derivation.programs}
    module = load_c(place, flags=("-std=c99", "-O0"))
    name = module.manifest["name"]
    rng = np.random.default_rng(0)
    text = [TIMER, f'#include "{name}.c"']
    states = closed_states(model, done.derivation) if done.derivation.loops else {}
    for function, short in wanted.items():
        loaded = module.functions[function]
        every = []
        for item in loaded.inputs:
            values = states.setdefault(item.name, rng.uniform(-1, 1, (STATES, item.size)))
            for first in item.quaternions:
                values[:, first : first + 4] /= np.linalg.norm(values[:, first : first + 4], axis=1, keepdims=True)
            scalar = "" if item.shape else "*"
            every.append(f"{scalar}(in[{len(every)}] + {item.size}*(i % {STATES}))")
        outs = [f"out{k}" for k in range(len(loaded.outputs))]
        space = "".join(f"    static double out{k}[{item.size}];\n" for k, item in enumerate(loaded.outputs))
        text.append(f"double time_{short}(const double *const in[], int calls)\n{{\n{space}    double start = now();")
        text.append("    for (int i = 0; i < calls; ++i)")
        text.append(f"        {name}_{function}({', '.join([*every, *outs])});")
        text.append("    return (now() - start)/calls;\n}")
    found = {}
    for build in (*BUILDS, *((name, *FLAGS[1], "-fno-inline") for name, *flags in BUILDS if tuple(flags) == FLAGS[1])):
        code = library(place / "driver.c", "\n".join(text), build)
        times = {}
        for function, short in wanted.items():
            call = getattr(code, f"time_{short}")
            call.restype = ctypes.c_double
            arrays = [states[item.name] for item in module.functions[function].inputs]
            pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
            times[short] = best(lambda calls, call=call, pointers=pointers: float(call(pointers, calls)))
        found[" ".join(build)] = times
    return least(f"generated, {trigonometry}", found), {
        short: counts[function] for function, short in wanted.items() if function in counts
    }


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
        found = {}
        for name, *flags in BUILDS:
            # Built beside the wheel's library at -O2, and from the headers alone with more.
            whole = tuple(flags) != FLAGS[0]
            if whole and not native:
                continue
            kind = () if whole else ("-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION",)
            command = (COMPILERS[name], "-std=c++17", "-w", *flags, *kind, *defined, *includes, "peer.cpp")
            subprocess.run((*command, "-o", "peer", *linked), cwd=place, check=True)
            run = (str(place / "peer"), str(place / "peer.txt"))
            lines = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
            found[" ".join((name, *flags))] = {short: float(seconds) for short, seconds in map(str.split, lines)}
        return "Pinocchio, C++", least("Pinocchio", found)
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
    found: dict[str, Times] = {" ".join(build): {} for build in BUILDS}
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
        for build, times in zip(BUILDS, found.values(), strict=True):
            call = library(place / f"cas_driver_{short}.c", text, build).time_it
            call.restype = ctypes.c_double
            given, taken = (
                (ctypes.c_void_p * (len(arrays) + 64))(*(array.ctypes.data for array in arrays))
                for arrays in (values, outputs)
            )
            work = np.zeros(made.sz_w() + 64)
            integers = np.zeros(made.sz_iw() + 64, dtype=np.int64)
            where = (given, taken, ctypes.c_void_p(integers.ctypes.data), ctypes.c_void_p(work.ctypes.data))
            times[short] = best(lambda calls, call=call, where=where: float(call(*where, calls)))
    return least("CasADi", found)


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
    wanted = dict(list(FUNCTIONS.items())[: 4 if len(model.joints) <= MOST_JOINTS else 2])
    with TemporaryDirectory() as scratch:
        ours, counts = generated(model, Path(scratch) / "libm", wanted)
        inline, _ = generated(model, Path(scratch) / "inline", wanted, "inline")
        label, theirs = pinocchio(path, floating, native, Path(scratch))
        others = casadi(model, Path(scratch))
    base = " on a free base" if floating else ""
    print(f"{path.name}{base}: us a call, in brackets how many times the faster of ours")
    print(
        f"{'':6}{'operations':>12}{'generated C':>14}{'inline sine':>14}{label:>26}{'CasADi, C' if others else '':>20}"
    )
    for short in ours:
        row = f"{short:6}{counts[short]:12}{1e6 * ours[short]:14.2f}{1e6 * inline[short]:14.2f}"
        fastest = min(ours[short], inline[short])
        for times in (theirs, others or {}):
            told = f"{1e6 * times[short]:.2f} ({times[short] / fastest:.1f})" if short in times else ""
            row += f"{told:>{26 if times is theirs else 20}}"
        print(row.rstrip())
    print("d2 of Pinocchio are full tensors, ours contracted with a vector", flush=True)


def closed_states(model: Model, derivation: Derivation) -> dict[str, Any]:
    """The closed configuration that the model starts from, and random motions of its loops."""
    assert derivation.loops is not None
    reference, rng = Reference(model, derivation.mechanism.labelling), np.random.default_rng(0)
    q = np.tile(derivation.loops.configuration, (STATES, 1))
    v = np.array([reference.consistent_velocity(q[0], rng.uniform(-1, 1, reference.nv)) for _ in q])
    return {"q": q, "v": v}


def compare_loops(name: str) -> None:
    """Prints times of a bundled mechanism with closed loops."""
    with TemporaryDirectory() as scratch:
        ours, _ = generated(read(name), Path(scratch), OF_LOOPS)
    print(f"{name}: us a call")
    for function, short in OF_LOOPS.items():
        print(f"{function:36}{1e6 * ours[short]:8.2f}", flush=True)


def main() -> None:
    """The robots of the table and the Stewart platform, or the one that is named."""
    words = sys.argv[1:]
    named = [word for word in words if word not in ("floating", "native")]
    if named:
        compare(Path(named[0]), "floating" in words, "native" in words)
        return
    for name, floating in ROBOTS:
        path = next(Path(str(file.locate())) for file in files("example-robot-data") or () if file.name == name)
        compare(path, floating, "native" in words)
    compare_loops("stewart_platform")


if __name__ == "__main__":
    main()

"""Nanoseconds a state: functions for many states beside a loop over those for one and a loop over Pinocchio.

    python tests/benchmarks/batches.py [ROBOT ...]

All are in one program, take turns, and are measured by the time of one thread; the best of the rounds counts.
Pinocchio's headers are compiled with the same flags, which takes minutes; where they or Eigen's (of the system, or
CasADi's) are missing their columns stay empty. The last column is how many times as fast the batch is as the loop over
Pinocchio, states in rows in both.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mbsym

ROBOTS = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False),
    "panda": ("panda_description/urdf/panda.urdf", False),
    "solo12": ("solo_description/robots/solo12.urdf", True),
}
FLAGS = {"AVX-512": ("-march=native", "-mprefer-vector-width=512"), "AVX2": ("-march=x86-64-v3",)}
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")

PEER = r"""
#include <fstream>
#include <string>
#include <vector>
#include <pinocchio/fwd.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
using namespace pinocchio;
static SE3 placement(std::istream &in)
{
    SE3::Matrix3 R; SE3::Vector3 p;
    for (int k = 0; k < 9; ++k) in >> R(k / 3, k % 3);
    for (int k = 0; k < 3; ++k) in >> p[k];
    return SE3(R, p);
}
static Model model_in(const char *path)
{
    Model model;
    std::ifstream in(path);
    int joints; in >> joints;
    for (int k = 0; k < joints; ++k) {
        int parent; std::string type; SE3::Vector3 axis, c; double m; SE3::Matrix3 I;
        in >> parent >> type >> axis[0] >> axis[1] >> axis[2];
        const SE3 M = placement(in);
        in >> m >> c[0] >> c[1] >> c[2];
        for (int i = 0; i < 9; ++i) in >> I(i / 3, i % 3);
        const std::string name = "j" + std::to_string(k);
        JointIndex id;
        if (type == "FreeFlyer") id = model.addJoint(parent, JointModelFreeFlyer(), M, name);
        else if (type == "RX") id = model.addJoint(parent, JointModelRX(), M, name);
        else if (type == "RY") id = model.addJoint(parent, JointModelRY(), M, name);
        else if (type == "RZ") id = model.addJoint(parent, JointModelRZ(), M, name);
        else id = model.addJoint(parent, JointModelRevoluteUnaligned(axis), M, name);
        model.appendBodyToJoint(id, Inertia(m, c, I), SE3::Identity());
    }
    return model;
}

enum { N = 256 };
static Model model;
static Data *data;
static std::vector<Eigen::VectorXd> Q, V, U;
void peer_load(const char *path)
{
    model = model_in(path);
    data = new Data(model);
    for (int k = 0; k < N; ++k) {
        Eigen::VectorXd x = Eigen::VectorXd::Random(model.nq) * 3;
        normalize(model, x);
        Q.push_back(x);
        V.push_back(Eigen::VectorXd::Random(model.nv));
        U.push_back(Eigen::VectorXd::Random(model.nv));
    }
}
void peer_run(int function)
{
    for (int k = 0; k < N; ++k) {
        if (function == 0) rnea(model, *data, Q[k], V[k], U[k]);
        else if (function == 1) aba(model, *data, Q[k], V[k], U[k]);
        else crba(model, *data, Q[k]);
    }
}
"""

DRIVER = r"""
extern "C" {
#define restrict __restrict
#include "m_batch.h"
}
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#ifdef PEER
void peer_load(const char *path);
void peer_run(int function);
#endif
enum { N = 256 };
static double now()
{
    timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
template <class F> static void turn(double &best, F work)
{
    const double start = now();
    for (int k = 0; k < 4; ++k) work();
    const double took = (now() - start) / 4 / N * 1e9;
    best = took < best ? took : best;
}
static m_real q[N * m_NQ], v[N * m_NV], u[N * m_NV], out[N * m_NV * m_NV];
int main(int, char **texts)
{
    for (m_real &x : q) x = 6.0 * rand() / RAND_MAX - 3;
    for (m_real &x : v) x = 2.0 * rand() / RAND_MAX - 1;
    for (m_real &x : u) x = 2.0 * rand() / RAND_MAX - 1;
    const ptrdiff_t columns[2] = {1, N};
    double best[3][4];
    for (auto &row : best) for (double &x : row) x = 1e9;
#ifdef PEER
    peer_load(texts[1]);
#else
    (void)texts;
#endif
    for (int round = 0; round < 60; ++round) {
        turn(best[0][0], [&] { for (int k = 0; k < N; ++k) m_inverse_dynamics(q + k * m_NQ, v + k * m_NV, u + k * m_NV, out + k * m_NV); });
        turn(best[0][1], [&] { m_inverse_dynamics_batch(N, q, NULL, v, NULL, u, NULL, out, NULL); });
        turn(best[0][2], [&] { m_inverse_dynamics_batch(N, q, columns, v, columns, u, columns, out, columns); });
        turn(best[1][0], [&] { for (int k = 0; k < N; ++k) m_forward_dynamics(q + k * m_NQ, v + k * m_NV, u + k * m_NV, out + k * m_NV); });
        turn(best[1][1], [&] { m_forward_dynamics_batch(N, q, NULL, v, NULL, u, NULL, out, NULL); });
        turn(best[1][2], [&] { m_forward_dynamics_batch(N, q, columns, v, columns, u, columns, out, columns); });
        turn(best[2][0], [&] { for (int k = 0; k < N; ++k) m_mass_matrix(q + k * m_NQ, out + k * m_NV * m_NV); });
        turn(best[2][1], [&] { m_mass_matrix_batch(N, q, NULL, out, NULL); });
        turn(best[2][2], [&] { m_mass_matrix_batch(N, q, columns, out, columns); });
#ifdef PEER
        for (int k = 0; k < 3; ++k) turn(best[k][3], [&] { peer_run(k); });
#endif
    }
    for (auto &row : best) { for (double x : row) printf("%.9g ", x < 1e8 ? x : NAN); printf("\n"); }
    return 0;
}
"""  # noqa: E501


def main(names: Sequence[str]) -> None:
    """Prints a table."""
    prefix = next(Path(p) for p in sys.path if (Path(p) / "cmeel.prefix").is_dir()) / "cmeel.prefix"
    places = (prefix / "include", prefix.parent / "casadi/include", Path("/usr/include"))
    eigen = next((place / "eigen3" for place in places if (place / "eigen3").is_dir()), None)
    peer = find_spec("pinocchio") is not None and eigen is not None
    # More kinds of joints than Boost's lists hold by default.
    limits = ("-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30")
    limits = (*limits, "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12")
    include = (*limits, f"-I{eigen}", "-isystem", f"{prefix}/include") if peer else ()
    print("| robot | flags | function | one by one | states in rows | in columns | Pinocchio | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    with TemporaryDirectory() as scratch:
        directory = Path(scratch)
        (directory / "driver.cpp").write_text(DRIVER)
        (directory / "peer.cpp").write_text(PEER)
        for title, flags in FLAGS.items() if peer else ():
            command = ["g++", "-std=c++17", "-O3", *flags, "-DNDEBUG", "-w", *include, "-c", "peer.cpp"]
            subprocess.run([*command, "-o", f"peer-{title}.o"], cwd=directory, check=True)
        for name in names:
            path, floating = ROBOTS[name]
            urdf = directory / f"{name}.urdf"
            text = (prefix / "share/example-robot-data/robots" / path).read_text()
            text = re.sub(r'(<joint name="panda_finger_joint\d" type=)"prismatic"', r'\1"fixed"', text)
            urdf.write_text(re.sub(r"<mimic [^>]*/>", "", text))
            model: Any = mbsym.load(urdf, mbsym.LoadOptions(floating=floating))
            mbsym.generate(model, directory, languages=("batch",), functions=FUNCTIONS, prefix="m", force=True)
            if peer:
                _write_peer(urdf, floating, directory / "model.txt")
            for title, flags in FLAGS.items():
                for row in _measured(directory, flags, [f"peer-{title}.o"] if peer else []):
                    print(f"| {name} | {title} | {row}", flush=True)


def _measured(directory: Path, flags: Sequence[str], peer: Sequence[str]) -> list[str]:
    objects = list(peer)
    for source in ("m", "m_batch"):
        command = ["gcc", "-std=c99", "-O3", *flags, "-fno-math-errno", "-Wno-psabi", "-c", f"{source}.c"]
        subprocess.run(command, cwd=directory, check=True)
        objects.append(f"{source}.o")
    command = ["g++", "-std=c++17", "-O3", *(["-DPEER"] if peer else []), "driver.cpp", *objects, "-o", "driver"]
    subprocess.run(command, cwd=directory, check=True)
    done = subprocess.run(["./driver", "model.txt"], cwd=directory, check=True, capture_output=True, text=True)
    rows = []
    for function, line in zip(FUNCTIONS, done.stdout.splitlines(), strict=True):
        one, in_rows, in_columns, pinocchio = map(float, line.split())
        cells = [f"{x:.1f}" for x in (one, in_rows, in_columns, pinocchio)]
        rows.append(f"{function} | {' | '.join(cells)} | {pinocchio / in_rows:.1f} |")
    return rows


def _write_peer(urdf: Path, floating: bool, target: Path) -> None:
    """The model as Pinocchio reads it, joint by joint."""
    import pinocchio

    root = [pinocchio.JointModelFreeFlyer()] if floating else []
    model = pinocchio.buildModelFromUrdf(str(urdf), *root)
    lines = [str(model.njoints - 1)]
    for k in range(1, model.njoints):
        joint, inertia, place = model.joints[k], model.inertias[k], model.jointPlacements[k]
        kind = joint.shortname().removeprefix("JointModel")
        axis = joint.extract().axis if kind == "RevoluteUnaligned" else (0, 0, 1)
        numbers = (*axis, *place.rotation.flat, *place.translation)
        weight = (inertia.mass, *inertia.lever, *inertia.inertia.flat)
        lines.append(f"{model.parents[k]} {kind} {' '.join(map(repr, map(float, (*numbers, *weight))))}")
    target.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:] or list(ROBOTS))

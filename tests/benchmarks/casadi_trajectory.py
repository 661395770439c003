"""A trajectory optimisation of the UR5 in CasADi: generated functions beside the graph of articulated bodies.

    python tests/benchmarks/casadi_trajectory.py [RUNS]

Least integral of squared torques and speeds from one position at rest to another in a second; 40 steps of the
trapezoidal rule as equations, IPOPT with approximated Hessians of limited memory, from a cubic. The same problem is
solved with the functions that ``mbsym export casadi`` writes, and with Featherstone's articulated body algorithm as a
graph of CasADi's own, on the numbers of the model that Pinocchio reads (wheels have no pinocchio.casadi, whose graph
would be of this algorithm): evaluated by CasADi's machine, and compiled as C. Both ways with exact Hessians too.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from importlib.metadata import files
from pathlib import Path
from statistics import median
from typing import Any

import casadi as ca
import numpy as np
import pinocchio

import mbsym
from mbsym.codegen.build import find_compiler

STEPS, DURATION = 40, 1.0
START = (0.0, -1.2, 1.2, 0.0, 0.5, 0.0)
GOAL = (1.5, -0.6, 0.4, 0.8, -0.5, 1.0)
FLAGS = ("-O3", "-march=native")


def skew(x: Any) -> Any:
    return ca.vertcat(ca.horzcat(0, -x[2], x[1]), ca.horzcat(x[2], 0, -x[0]), ca.horzcat(-x[1], x[0], 0))


def articulated_bodies(model: Any) -> ca.Function:
    """(q, v, tau) -> vdot by Featherstone's table 7.1, vectors [linear; angular] as Pinocchio has them."""
    n = model.nv
    q, v, tau = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("tau", n)
    axis = {"RX": 0, "RY": 1, "RZ": 2}
    S, X, twist, bias, inertia, force = [], [], [], [], [], []
    for i in range(1, n + 1):
        k = axis[model.joints[i].shortname()[-2:]]
        c, s = ca.cos(q[i - 1]), ca.sin(q[i - 1])
        turn = ca.SX.eye(3)
        a, b = (k + 1) % 3, (k + 2) % 3
        turn[a, a], turn[a, b], turn[b, a], turn[b, b] = c, -s, s, c
        R = ca.sparsify(ca.SX(model.jointPlacements[i].rotation).T)
        E = turn.T @ R  # from the parent's axes to the body's
        r = ca.sparsify(ca.SX(model.jointPlacements[i].translation))
        X.append(ca.sparsify(ca.vertcat(ca.horzcat(E, -E @ skew(r)), ca.horzcat(ca.SX(3, 3), E))))
        S.append(ca.SX(6, 1))
        S[-1][3 + k] = 1
        before = X[-1] @ twist[model.parents[i] - 1] if model.parents[i] else ca.SX(6, 1)
        twist.append(before + S[-1] * v[i - 1])
        w = twist[-1]
        cross = ca.vertcat(ca.horzcat(skew(w[3:]), skew(w[:3])), ca.horzcat(ca.SX(3, 3), skew(w[3:])))
        bias.append(cross @ (S[-1] * v[i - 1]))
        inertia.append(ca.sparsify(ca.SX(model.inertias[i].matrix())))
        force.append(-cross.T @ (inertia[-1] @ w))
    nothing: list[Any] = [None] * n
    U, D, u = nothing.copy(), nothing.copy(), nothing.copy()
    for i in reversed(range(n)):
        U[i] = inertia[i] @ S[i]
        D[i] = ca.dot(S[i], U[i])
        u[i] = tau[i] - ca.dot(S[i], force[i])
        parent = model.parents[i + 1] - 1
        if parent >= 0:
            rest = inertia[i] - U[i] @ U[i].T / D[i]
            inertia[parent] += X[i].T @ rest @ X[i]
            force[parent] += X[i].T @ (force[i] + rest @ bias[i] + U[i] * u[i] / D[i])
    vdot, motion = [], []
    for i in range(n):
        parent = model.parents[i + 1] - 1
        upward = ca.vertcat(-ca.SX(model.gravity.linear), ca.SX(3, 1))
        given = X[i] @ (motion[parent] if parent >= 0 else upward) + bias[i]
        vdot.append((u[i] - ca.dot(U[i], given)) / D[i])
        motion.append(given + S[i] * vdot[-1])
    return ca.Function("articulated_bodies", [q, v, tau], [ca.vertcat(*vdot)], ["q", "v", "tau"], ["vdot"])


def generated(directory: Path, urdf: str) -> ca.Function:
    """The same function, written by mbsym."""
    mbsym.export(urdf, "casadi", directory, functions=["forward_dynamics"], prefix="ur5", settings={"hessians": "yes"})
    library = directory / "ur5_casadi.so"
    compile_with(directory, "ur5_casadi.c", "ur5.c", library)
    return ca.external("ur5_casadi_forward_dynamics", str(library))


def compiled_graph(function: ca.Function, directory: Path) -> ca.Function:
    """The graph and its Jacobian as C that CasADi writes."""
    generator = ca.CodeGenerator("graph.c")
    generator.add(function)
    generator.add(function.jacobian())
    generator.generate(f"{directory}/")
    library = directory / "graph.so"
    compile_with(directory, "graph.c", library)
    return ca.external(function.name(), str(library))


def compile_with(directory: Path, *files: str | Path) -> None:
    *sources, library = files
    command = [*find_compiler(), *FLAGS, "-shared", "-fPIC", *map(str, sources), "-o", str(library), "-lm"]
    subprocess.run(command, check=True, cwd=directory)


def along_a_cubic(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """States (12, STEPS + 1) of a cubic from start to goal, and the torques that it takes."""
    part = np.linspace(0, 1, STEPS + 1)
    way = np.subtract(GOAL, START)
    q = np.asarray(START)[:, None] + np.outer(way, 3 * part**2 - 2 * part**3)
    v = np.outer(way, 6 * part - 6 * part**2) / DURATION
    vdot = np.outer(way, 6 - 12 * part) / DURATION**2
    data = model.createData()
    torque = [pinocchio.rnea(model, data, *state) for state in zip(q.T, v.T, vdot.T, strict=True)]
    return np.vstack([q, v]), np.array(torque).T


def solved(
    dynamics: ca.Function, exact: bool, guess: tuple[np.ndarray, np.ndarray]
) -> tuple[float, float, int, np.ndarray]:
    """Seconds of CPU, cost, iterations, and states (STEPS + 1, 12)."""
    h = DURATION / STEPS
    problem = ca.Opti()
    x, torque = problem.variable(12, STEPS + 1), problem.variable(6, STEPS + 1)
    vdot = dynamics.map(STEPS + 1)(x[:6, :], x[6:, :], torque)
    rate = ca.vertcat(x[6:, :], vdot)
    problem.subject_to(ca.vec(x[:, 1:] - x[:, :-1] - h / 2 * (rate[:, 1:] + rate[:, :-1])) == 0)
    problem.subject_to(x[:, 0] == ca.vertcat(*START, *[0] * 6))
    problem.subject_to(x[:, -1] == ca.vertcat(*GOAL, *[0] * 6))
    problem.subject_to(problem.bounded(-150, ca.vec(torque), 150))
    problem.set_initial(x, guess[0])
    problem.set_initial(torque, guess[1])
    problem.minimize(h * (ca.sumsqr(torque) / 100 + ca.sumsqr(x[6:, :])))
    options: dict[str, Any] = {"print_level": 0, "max_iter": 3000, "tol": 1e-9, "sb": "yes"}
    if not exact:
        options |= {"hessian_approximation": "limited-memory", "limited_memory_max_history": 30}
    problem.solver("ipopt", {"print_time": False}, options)
    start = time.process_time()
    solution = problem.solve()
    seconds = time.process_time() - start
    return (
        seconds,
        float(solution.value(problem.f)),
        int(solution.stats()["iter_count"]),
        np.asarray(solution.value(x)).T,
    )


def main() -> None:
    """Prints the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    urdf = next(str(file.locate()) for file in files("example-robot-data") or () if file.name == "ur5_robot.urdf")
    model = pinocchio.buildModelFromUrdf(urdf)
    with tempfile.TemporaryDirectory() as scratch:
        ours = generated(Path(scratch), urdf)
        graph = articulated_bodies(model)
        state = [np.random.default_rng(0).standard_normal(6) for _ in range(3)]
        known = pinocchio.aba(model, model.createData(), *state)
        print("difference from Pinocchio's aba at a state: mbsym "
              f"{np.abs(np.array(ours(*state)).ravel() - known).max():.1e}, graph "
              f"{np.abs(np.array(graph(*state)).ravel() - known).max():.1e}")  # fmt: skip
        rows = {
            "mbsym export casadi": (ours, False),
            "same, exact Hessians": (ours, True),
            "graph, CasADi's machine": (graph, False),
            "graph, compiled": (compiled_graph(graph, Path(scratch)), False),
            "graph, exact Hessians": (graph, True),
        }
        print(f"{'dynamics':26} {'solve [s]':>9} {'iterations':>10} {'ms each':>8} {'cost':>12} {'difference':>10}")
        guess = along_a_cubic(model)
        first: np.ndarray | None = None
        found = {name: [solved(*row, guess) for _ in range(runs)] for name, row in rows.items()}
        for name, every in found.items():
            seconds = median(item[0] for item in every)
            _, cost, iterations, states = every[0]
            first = states if first is None else first
            difference = np.abs(states - first).max()
            each = 1e3 * seconds / iterations
            print(f"{name:26} {seconds:9.2f} {iterations:10} {each:8.2f} {cost:12.8f} {difference:10.1e}")


if __name__ == "__main__":
    main()

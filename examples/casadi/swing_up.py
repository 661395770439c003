"""Swing-up of a cart-pole with CasADi: the dynamics and their exact Jacobians are C that mbsym wrote.

    python swing_up.py

It takes mbsym, casadi (which brings IPOPT) and a C compiler.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import casadi as ca
import numpy as np

import mbsym

STEPS, DURATION = 40, 2.0


def compiled(directory: Path) -> ca.Function:
    """The forward dynamics (q, v, tau, t, u) -> vdot of the cart-pole, with their Jacobian."""
    mbsym.export("cart_pole", "casadi", directory, functions=["forward_dynamics"], symbolic_parameters="none")
    library = directory / "cart_pole_casadi.so"
    sources = [str(directory / name) for name in ("cart_pole_casadi.c", "cart_pole.c")]
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", *sources, "-o", str(library), "-lm"], check=True)
    return ca.external("cart_pole_casadi_forward_dynamics", str(library))


def swing_up(forward_dynamics: ca.Function) -> tuple[float, np.ndarray]:
    """Least integral of the squared push, and the states (STEPS + 1, 4) along the way."""
    h = DURATION / STEPS
    problem = ca.Opti()
    x, push = problem.variable(4, STEPS + 1), problem.variable(1, STEPS)

    def rate(state: ca.MX, force: ca.MX) -> ca.MX:
        q, v = state[:2], state[2:]
        return ca.vertcat(v, forward_dynamics(q, v, ca.MX.zeros(2), 0, force))

    for k in range(STEPS):
        here, there = rate(x[:, k], push[k]), rate(x[:, k + 1], push[k])
        problem.subject_to(x[:, k + 1] == x[:, k] + h / 2 * (here + there))
    problem.subject_to(x[:, 0] == [0, np.pi, 0, 0])
    problem.subject_to(x[:, -1] == 0)
    problem.subject_to(problem.bounded(-20, push, 20))
    problem.set_initial(x[1, :], np.linspace(np.pi, 0, STEPS + 1))
    problem.minimize(h * ca.sumsqr(push))
    options = {"hessian_approximation": "limited-memory", "print_level": 0, "max_iter": 1000, "tol": 1e-8}
    problem.solver("ipopt", {"print_time": False}, options)
    solution = problem.solve()
    return float(solution.value(problem.f)), solution.value(x).T


def main() -> None:
    """Prints the cost and where the pole was."""
    with tempfile.TemporaryDirectory() as directory:
        cost, states = swing_up(compiled(Path(directory)))
    print(f"integral of the squared push: {cost:.4f} N^2 s")
    print("angle of the pole [rad]:", *(f"{angle:.2f}" for angle in states[::8, 1]))


if __name__ == "__main__":
    main()

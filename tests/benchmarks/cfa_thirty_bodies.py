"""Trees of thirty bodies by the constraint force algorithm: seconds to derive and to compile, microseconds to run.

    python tests/benchmarks/cfa_thirty_bodies.py

Revolute joints; "equal" bodies are all alike, "different" ones all have other masses, offsets and twists. The random
tree attaches every body to one of the four before it. Equal joints of a round of the serialised algorithm are lanes of
one loop in the generated C; the last columns show what vectors of the machine make of it.
"""

from __future__ import annotations

import random
import subprocess
from dataclasses import replace
from os import times
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from cfa_operations import binary, chain, comb, tree

from mbsym.codegen.build import find_compiler
from mbsym.codegen.description import ModuleDescription
from mbsym.codegen.interface import render
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force.leaf_to_root import CFA_FUNCTIONS
from mbsym.formulations.constraint_force.serial import CFA_SERIAL_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.pipeline import optimise

N = 30
FLAGS = (("-O2",), ("-O3", "-march=native"))
WAYS = {"recursive": TREE_FUNCTIONS, "cfa": CFA_FUNCTIONS, "cfa-serial": CFA_SERIAL_FUNCTIONS}
DRIVER = r"""
#include <stdio.h>
#include <time.h>
#include "tree.h"

int main(void)
{
    enum { N = 30, CALLS = 500 };
    double q[N], v[N], tau[N], vdot[N], best = 1e9;
    for (int i = 0; i < N; ++i) { q[i] = 0.1*i; v[i] = 0.05*i; tau[i] = 1 - 0.1*i; }
    for (int round = 0; round < 20; ++round) {
        const clock_t start = clock();
        for (int call = 0; call < CALLS; ++call) {
            q[0] = 1e-3*call;
            tree_forward_dynamics(q, v, tau, vdot);
        }
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC / CALLS;
        best = seconds < best ? seconds : best;
    }
    printf("%.2f\n", 1e6*best);
    return 0;
}
"""


def alike(mechanism: Mechanism) -> Mechanism:
    """The same tree of equal bodies and placements."""
    model = mechanism.model
    body, joint = model.bodies[4], model.joints[4]
    bodies = tuple(replace(body, name=item.name) for item in model.bodies)
    joints = tuple(replace(item, predecessor_placement=joint.predecessor_placement) for item in model.joints)
    model = replace(model, bodies=bodies, joints=joints)
    return build_mechanism(model, model.label(order="input"))


def main() -> None:
    rng = random.Random(1)
    scattered = tuple(rng.randint(max(0, i - 4), i - 1) if i > 1 else 0 for i in range(1, N + 1))
    shapes = {"chain": chain(N), "comb": comb(N), "binary": binary(N), "random": scattered}
    print(
        f"{'tree':18}{'way':12}{'operations':>11}{'derive s':>10}{'print s':>9}{'C lines':>9}{'compile s':>11}"
        + "".join(f"{' '.join(flags) + ' us':>24}" for flags in FLAGS)
    )
    for shape, parents in shapes.items():
        for kind in ("equal", "different"):
            for way, functions in WAYS.items():
                mechanism = tree(parents, "revolute")
                mechanism = alike(mechanism) if kind == "equal" else mechanism
                start = process_time()
                program, _ = optimise(functions["forward_dynamics"](mechanism))
                derived = process_time()
                files = render(ModuleDescription("tree", (program,)), ("c",))
                printed = process_time()
                with TemporaryDirectory() as scratch:
                    directory = Path(scratch)
                    for file in files:
                        (directory / file.name).write_text(file.text, encoding="utf-8")
                    (directory / "driver.c").write_text(DRIVER, encoding="utf-8")
                    seconds, found = [], []
                    for flags in FLAGS:
                        command = [*find_compiler(), "-std=c99", *flags, "tree.c", "driver.c", "-o", "run", "-lm"]
                        before = times().children_user
                        subprocess.run(command, cwd=directory, check=True)
                        seconds.append(times().children_user - before)
                        found.append(subprocess.run(["./run"], cwd=directory, check=True, capture_output=True).stdout)
                print(
                    f"{shape + ', ' + kind:18}{way:12}{program.operation_count().arithmetic:11}"
                    f"{derived - start:10.2f}{printed - derived:9.2f}{files[0].text.count(chr(10)):9}{seconds[0]:11.1f}"
                    + "".join(f"{text.decode().strip():>24}" for text in found),
                    flush=True,
                )


if __name__ == "__main__":
    main()

"""How long closed forms are and how long they take: operations as printed before and after, process seconds.

    python tests/benchmarks/closed_forms.py

The spatial chains have alternating axes, and every mass, centre of mass, moment and product of inertia and distance is
a symbol.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import sympy  # noqa: F401  its import is no part of the figures

import mbsym
from mbsym.report.equations import derive
from mbsym.symbolic.printed_size import PrintedSizes

sys.path.append(str(Path(__file__).resolve().parents[1]))
from mechanisms.benchmark_chains import spatial_chain

QUANTITIES = ("mass_matrix", "bias_force", "gravity_force", "joint_wrenches")
EXAMPLES = ("double_pendulum", "cart_pole", "planar_3r", "spinning_top", "four_bar", "puma560")


def main() -> None:
    models = [mbsym.examples.load(name) for name in EXAMPLES] + [spatial_chain(k) for k in (1, 2, 3)]
    print(f"{'model':16} {'quantity':15} {'derived':>13} {'closed form':>12} {'seconds':>8}")
    for model in models:
        start = process_time()
        equations = derive(model)
        total = process_time() - start
        for name in QUANTITIES:
            start = process_time()
            form = equations.form(name)
            if form.is_expanded:
                equations.matrix(name)
            seconds = process_time() - start
            total += seconds
            sizes = PrintedSizes(form.program.graph)
            closed = str(sizes.of_all(form.references)) if form.is_expanded else "steps"
            derived = sizes.of_all(form.program.output_references)
            print(f"{model.name:16} {name:15} {derived:13} {closed:>12} {seconds:8.2f}")
        print(f"{model.name:16} {'in all':15} {'':13} {'':12} {total:8.2f}")


if __name__ == "__main__":
    main()

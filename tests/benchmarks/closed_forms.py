"""How long closed forms are and how long they take: operations as printed before and after, process seconds.

    python tests/benchmarks/closed_forms.py

The spatial chains have alternating axes, and every mass, centre of mass, moment and product of inertia and distance is
a symbol.
"""

from __future__ import annotations

from time import process_time

import sympy  # noqa: F401  its import is no part of the figures

import mbsym
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.report.equations import derive
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.values.parameter import Parameter

QUANTITIES = ("mass_matrix", "bias_force", "gravity_force", "joint_wrenches")
EXAMPLES = ("double_pendulum", "cart_pole", "planar_3r", "spinning_top", "four_bar", "puma560")


def spatial_chain(joints: int) -> Model:
    """Revolute joints about x, y, x, ... with fully symbolic bodies between them."""
    names: list[str] = []

    def made(*found: str) -> tuple[str, ...]:
        names.extend(found)
        return found

    bodies, chain = [], []
    for k in range(1, joints + 1):
        center = made(*(f"c{axis}{k}" for axis in "xyz"))
        inertia = made(*(f"I{axes}{k}" for axes in ("xx", "yy", "zz", "xy", "xz", "yz")))
        (mass,) = made(f"m{k}")
        bodies.append(Body(f"b{k}", mass, (center[0], center[1], center[2]), inertia))  # type: ignore[arg-type]
        at = made(*(f"l{axis}{k - 1}" for axis in "xyz")) if k > 1 else ("0", "0", "0")
        chain.append(
            Joint(
                f"j{k}",
                "revolute",
                f"b{k - 1}" if k > 1 else "ground",
                f"b{k}",
                axis=(1, 0, 0) if k % 2 else (0, 1, 0),
                predecessor_placement=Placement((at[0], at[1], at[2])),
            )
        )
    return Model(f"spatial_{joints}", tuple(bodies), tuple(chain), parameters=tuple(Parameter(n, 1) for n in names))


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

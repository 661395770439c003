"""What the five documents print and draw, a command each.

    python tests/benchmarks/papers.py [qi|yuan|slides|li|liu]... [--plot DIRECTORY] [--quick]

* qi: labels, cut joints, S after each joint and S0, S, T of both examples; figures 3 and 4.
* yuan: the same of the driver and cab, and the cut joints of every rule; figure 1.
* slides: S0, S, T and the sums of angular velocities of the tree; the Stanford arm; a system with
  no way to ground but a virtual joint.
* li: the comparison of methods on the six bars; figures 2 to 6.
* liu: labels of the space robot, differences between constraint forces and recursion, table 1; figures 6 and 8 to 12.

Without a name all five, which takes some minutes. ``--quick`` leaves out the small steps of li, whose runs end after
2 s, and table 1 of liu. What is compared with what is in docs/papers.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import paper_liu
import space_robot_cpu
import transfer_matrix_comparison

from mbsym import examples
from mbsym.cli import main as mbsym
from mbsym.topology.spanning_tree import ASSEMBLY_ORDERS

LABELLED: Final = {
    "qi": {"figure_3": ["qi_small", "--order", "input"], "figure_4": ["qi_closed_loops", "--order", "input"]},
    "yuan": {"figure_1": ["driver_cab"]},
    "slides": {
        "five_bodies": ["slides_tree", "--order", "input"],
        "stanford_arm": ["stanford_arm"],
        "virtual_joint": ["floating_two_arm"],
    },
    "liu": {"figure_6": ["space_robot"]},
}
"""Graphs of a document by the name of their picture, and how ``mbsym label`` is called."""

PAPERS: Final = ("qi", "yuan", "slides", "li", "liu")
QUICK: Final = 1.0
"""Seconds of motion of li where it is to be quick; the paper has 20."""


def label(paper: str, directory: Path | None) -> None:
    """Prints and draws the graphs of a document."""
    for figure, arguments in LABELLED[paper].items():
        drawn = [] if directory is None else ["--diagram", str(directory / f"{paper}_{figure}.svg")]
        print(f"\n{paper}, {figure}: mbsym label {' '.join(arguments)} --matrices --history\n")
        if mbsym(["label", *arguments, "--matrices", "--history", *drawn]):
            raise SystemExit(f"{paper}: {figure} failed")


def rules() -> None:
    """Cut joints of the driver and cab under every order of assembly."""
    print("\nyuan: cut joints of each rule")
    model = examples.load("driver_cab")
    for order in ASSEMBLY_ORDERS:
        cut = sorted(map(str, model.label(order=order).cut_joints))
        print(f"  {order:14} {' '.join(cut)}")


def angular_velocities() -> None:
    """Sums of relative angular velocities by the columns of T, as the slides write them."""
    print("\nslides: absolute angular velocities by relative ones")
    labelling = examples.load("slides_tree").label(order="input")
    T, bodies, joints = labelling.path_matrix, labelling.body_names, labelling.joint_names
    for body in sorted(range(T.cols), key=lambda body: str(bodies[body + 1])):
        terms = [f" {'+' if T[row, body] < 0 else '-'} Omega_{joints[row]}" for row in range(T.rows) if T[row, body]]
        print(f"  omega_{bodies[body + 1]} = omega_0{''.join(terms)}")


def paper(name: str, directory: Path | None, *, quick: bool) -> None:
    """Everything of one document."""
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
    if name in LABELLED:
        label(name, directory)
    if name == "yuan":
        rules()
    elif name == "slides":
        angular_velocities()
    elif name == "li":
        transfer_matrix_comparison.compare(quick, QUICK if quick else transfer_matrix_comparison.DURATION, directory)
    elif name == "liu":
        print()
        paper_liu.compare(directory)
        if not quick:
            space_robot_cpu.main()


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints and draws what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=", ".join(PAPERS))
    parser.add_argument("--plot", type=Path, metavar="DIRECTORY")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(arguments)
    for name in options.papers:
        if name not in PAPERS:
            parser.error(f"no document is called {name!r}; use {', '.join(PAPERS)}")
    for name in options.papers or PAPERS:
        paper(name, options.plot, quick=options.quick)


if __name__ == "__main__":
    main()

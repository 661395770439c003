"""What the five documents print and draw, a command each.

    python tests/benchmarks/papers.py [qi|yuan|slides|li|liu]... [--plot DIRECTORY]

qi, yuan and slides print labels, cut joints, S after each joint and the matrices S0, S and T, and draw the graphs; li
prints the comparison of methods on the six bars and draws figures 2 to 6 (minutes); liu draws figures 8 to 12, prints
table 1. Without a name: qi, yuan and slides. What is compared with what is in docs/papers.md.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import paper_liu
import space_robot_cpu
import transfer_matrix_comparison

from mbsym.cli import main as mbsym

LABELLED: Final = {
    "qi": {"figure_3": ["qi_small", "--order", "input"], "figure_4": ["qi_closed_loops", "--order", "input"]},
    "yuan": {"figure_1": ["driver_cab"]},
    "slides": {"five_bodies": ["slides_tree"], "stanford_arm": ["stanford_arm"]},
}
"""Graphs of a document by the name of their picture, and how ``mbsym label`` is called."""


def label(document: str, directory: Path | None) -> None:
    """Prints and draws the graphs of a document."""
    for figure, arguments in LABELLED[document].items():
        drawn = [] if directory is None else ["--diagram", str(directory / f"{document}_{figure}.svg")]
        print(f"\n{document}, {figure}: mbsym label {' '.join(arguments)} --matrices --history\n")
        if mbsym(["label", *arguments, "--matrices", "--history", *drawn]):
            raise SystemExit(f"{document}: {figure} failed")


def main() -> None:
    """Prints and draws what is asked for."""
    arguments = sys.argv[1:]
    directory: Path | None = None
    if "--plot" in arguments:
        place = arguments.index("--plot")
        directory = Path(arguments[place + 1])
        del arguments[place : place + 2]
    known = (*LABELLED, "li", "liu")
    unknown = [name for name in arguments if name not in known]
    if unknown:
        raise SystemExit(f"no document is called {unknown[0]!r}; use {', '.join(known)}")
    sys.argv[1:] = [] if directory is None else ["--plot", str(directory)]
    for name in arguments or LABELLED:
        if name in LABELLED:
            label(name, directory)
        elif name == "li":
            transfer_matrix_comparison.main()
        else:
            paper_liu.main()
            space_robot_cpu.main()


if __name__ == "__main__":
    main()

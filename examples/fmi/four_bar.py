"""A four-bar as a functional mock-up unit, simulated by FMPy in both ways, beside ``mbsym simulate``.

    python four_bar.py [3.0|2.0]

It takes mbsym, fmpy and a C compiler.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import fmpy
import fmpy.validation
import numpy as np

import mbsym

STEP, INTERVAL, END = 0.002, 0.01, 1.0


def exported(directory: Path, version: str) -> str:
    """The unit, with its library inside so that importers need no compiler."""
    mbsym.export("four_bar", "fmu", directory, settings={"fmi": version, "step": str(STEP), "binary": "yes"})
    return str(directory / "four_bar.fmu")


def states(unit: str, kind: str) -> np.ndarray:
    """Coordinates and speeds every INTERVAL, as the unit moves."""
    names = [item.name for item in fmpy.read_model_description(unit).modelVariables if item.causality == "output"]
    table = fmpy.simulate_fmu(
        unit, fmi_type=kind, stop_time=END, output_interval=INTERVAL, relative_tolerance=1e-10, output=names
    )
    # At events, where the loop is closed again, there are two rows; the last one holds.
    wanted = np.arange(0.0, END + INTERVAL / 2, INTERVAL)
    rows = np.searchsorted(table["time"], wanted + 1e-9) - 1
    return np.column_stack([table[name][rows] for name in names])


def main() -> None:
    """Prints how far the unit is from the simulation."""
    version = sys.argv[1] if len(sys.argv) > 1 else "3.0"
    with tempfile.TemporaryDirectory() as directory:
        unit = exported(Path(directory), version)
        print("faults that FMPy finds:", fmpy.validation.validate_fmu(unit) or "none")
        for kind, method in (("CoSimulation", "rk4"), ("ModelExchange", "DOP853")):
            known = mbsym.simulate("four_bar", END, step=STEP, output_step=INTERVAL, method=method)
            difference = np.abs(states(unit, kind) - np.hstack([known.q, known.v])).max()
            print(f"{kind}: largest difference from {method}: {difference:.1e}")


if __name__ == "__main__":
    main()

"""Draws the mode shapes of the satellite in the page on vibrations.

python docs/draw_modes.py
"""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path

import matplotlib as mpl
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
PICTURE = ROOT / "docs" / "figures" / "vibration" / "satellite.svg"
SHOWN = 4
SIZE = 0.5


def main() -> None:
    """Writes the picture."""
    import mbsym

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "mbsym"
    import matplotlib.pyplot as plt

    found = mbsym.transfer_matrix_modes(str(ROOT / "examples" / "vibration" / "satellite.yaml"), count=3 + SHOWN)
    figure, panels = plt.subplots(SHOWN, 1, figsize=(6.4, 5.6), sharex=True, sharey=True)
    order = np.argsort(found.points[:, 0], kind="stable")
    for panel, mode in zip(panels, list(found)[3:], strict=True):
        motion = mode.shape.reshape(-1, 6)[order, 3:5]
        size = SIZE / np.abs(motion).max()
        rest = found.points[order, :2]
        moved = rest + size * motion
        panel.plot(rest[:, 0], rest[:, 1], color="0.75", linewidth=1)
        panel.plot(moved[:, 0], moved[:, 1], color="tab:blue", marker="o", markersize=3)
        panel.set_ylabel("y [m]")
        panel.set_title(f"{mode.hertz:.3f} Hz, damping ratio {mode.damping:.4f}", fontsize=9, loc="left")
    panels[-1].set_xlabel("x [m]")
    figure.tight_layout()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(text := StringIO(), format="svg", metadata={"Date": None})
    lines = text.getvalue().splitlines()
    PICTURE.write_text("".join(f"{line.rstrip()}\n" for line in lines), encoding="utf-8")
    print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()

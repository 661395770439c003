"""Draws the swing-up of control.md: the page's own code is run, and its motion drawn.

python docs/draw_swing_up.py
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

DOCS = Path(__file__).resolve().parent
PICTURE = DOCS / "figures" / "control" / "swing_up.png"
LENGTH = 0.6
"""Of the pole [m]."""

EVERY = 5
"""Steps between two poles of the picture."""

sys.path.insert(0, str(DOCS))


def motion() -> dict[str, Any]:
    """What the first block of the page leaves: states, pushes and the length of a step."""
    from blocks import BLOCK

    text = (DOCS / "control.md").read_text(encoding="utf-8")
    code = next(match["code"] for match in BLOCK.finditer(text) if match["language"] == "python")
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch, chdir(scratch), redirect_stdout(StringIO()):
        exec(compile(code, "control.md", "exec"), names)
    return names


def main() -> None:
    """Poles at equal times above, cart, pole and push over time below."""
    found = motion()
    xs, pushes = np.asarray(found["xs"]), np.asarray(found["pushes"])
    t = found["h"] * np.arange(len(xs))
    figure, (above, below) = plt.subplots(2, 1, figsize=(7, 6.4), height_ratios=(1.3, 1), layout="constrained")
    for k in range(0, len(xs), EVERY):
        cart, angle = xs[k, :2]
        shade = str(0.85 - 0.85 * k / len(xs))
        above.plot([cart, cart + LENGTH * np.sin(angle)], [0, LENGTH * np.cos(angle)], color=shade, linewidth=1.5)
    tips = xs[:, 0] + LENGTH * np.sin(xs[:, 1]), LENGTH * np.cos(xs[:, 1])
    above.plot(*tips, color="tab:blue", linewidth=1)
    above.axhline(0, color="0.6", linewidth=0.8)
    above.set(aspect="equal", xlabel="m", ylabel="m", title=f"a pole every {EVERY * found['h']:g} s, later ones darker")
    below.plot(t, xs[:, 1], label="pole [rad]")
    below.plot(t, xs[:, 0], label="cart [m]")
    below.plot(t[:-1], pushes / 10, label="push [10 N]", linewidth=1)
    below.set(xlabel="s")
    below.legend(frameon=False, loc="upper right")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()

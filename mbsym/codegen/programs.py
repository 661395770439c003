"""Programs of the machine: which of them can run."""

from __future__ import annotations

import shutil
import subprocess
from typing import Final

PATIENCE: Final = 60.0
"""Seconds in which a program says its version, on a machine that is busy."""


def runs(program: str) -> bool:
    """Whether a program is there and can say its version.

    One that is there and cannot run is as good as none: the ``cargo`` of rustup without a toolchain, a compiler for
    another processor, a link into a package that is gone.
    """
    if shutil.which(program) is None:
        return False
    try:
        done = subprocess.run(
            (program, "--version"), capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0

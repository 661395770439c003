"""Starts the command, from wherever it is called."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # The folder of this file is no place for modules: their names are those of the package.
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from peers.command import main

    main()

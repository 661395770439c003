"""python -m mbsym."""

from __future__ import annotations

import sys

from mbsym.cli import main

sys.exit(main())

"""python -m mbsym."""

import sys

from mbsym.cli import main

sys.exit(main())

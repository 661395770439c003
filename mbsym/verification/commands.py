"""Commands that stand in certificates beside what they check, as they are typed where the certificate lies."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Final

TELLING_PLACE: Final = (
    'python3 -c "import numpy, platform; numpy.show_config(); print(platform.libc_ver(), platform.machine())"'
)
"""What tells on what a certificate was made, besides versions."""


TELLING_REFERENCE: Final = 'python3 -c "import mbsym.reference; print(mbsym.reference.__doc__)"'
"""What says by which mathematics the reference computes."""


def again(told: Mapping[str, Any]) -> str:
    """What writes a certificate again, given its data."""
    words = [f"mbsym verify {told['certificate']}.json", f"--states {told['states']}", f"--seed {told['seed']}"]
    words += ["--exact"] if told["exact"] is not None else []
    words += [f"--compiler {shlex.quote(item['asked'])}" for item in told["also_compiled"]]
    return " ".join(words)


def checking(name: str) -> str:
    """What checks a whole certificate, and writes nothing."""
    return f"mbsym verify {name}.json --check-certificate"


def proving(name: str) -> str:
    """What proves the texts of a module."""
    return f"mbsym verify {name}.json --exact"


def compiling(name: str, compiler: str) -> str:
    """What checks the C as another compiler compiles it."""
    return f"mbsym verify {name}.json --compiler {shlex.quote(compiler)}"


def bounding(name: str) -> str:
    """What bounds the rounding of a module."""
    return f"mbsym certify {name}.json"


def refusing(name: str, functions: str) -> str:
    """What tells why functions have no bounds; it writes nothing where they have none."""
    return f"{bounding(name)} --function {functions.replace(', ', ',')}"


def confirming(name: str) -> str:
    """What checks all parts of the bounds of a module."""
    return f"mbsym certify --check {name}.bounds.json --parts 0"


def reporting(name: str) -> str:
    """What writes a safety report."""
    return f"mbsym generate {name} --safety-report"


def hashing(name: str, digest: str) -> str:
    """What compares the hash of a file."""
    return f"sha256sum --check <<< '{digest}  {name}'"


def hashing_model(name: str) -> str:
    """What tells the hash of the model in a manifest."""
    text = f"import hashlib, json; print(hashlib.sha256(json.load(open('{name}.json'))['model'].encode()).hexdigest())"
    return f'python3 -c "{text}"'

"""Options that several verbs take, and what the help says of others, read from the registries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final, Protocol, TypeAlias

import typer


class Described(Protocol):
    """A record with a sentence about it."""

    @property
    def sentence(self) -> str: ...


def model_help() -> str:
    """The argument MODEL."""
    from mbsym.formats.registry import FORMATS

    return f"Model file ({', '.join(form.suffixes[0] for form in FORMATS.values())}) or name of a bundled example."


COORDINATES_HELP: Final = (
    "Order of q, v and tau: as joints stand in the 'file' (robot files depth first), by 'labels', or NAME,NAME: these "
    "joints first. Default: what the model says, else file."
)
"""The option --coordinates."""


AT_HELP: Final = (
    "The state: NAME=VALUE,... of coordinates, speeds and inputs (repeatable), a .json or .csv file, 'equilibrium', or "
    "'equilibrium:2' for the second one. What is not given is as the model starts."
)
"""The option --at."""


# Lists have their defaults in the option.

AT: Final[list[str]] = typer.Option([], "--at", help=AT_HELP)

TAU: Final[list[str]] = typer.Option(
    [], "--tau", help="SPEED=VALUE,...: generalised forces that act at the state; repeatable."
)

PARAMETERS: Final[list[str]] = typer.Option([], "--parameter", help="NAME=VALUE,...: parameters; repeatable.")

Floating: TypeAlias = Annotated[bool, typer.Option("--floating", help="URDF: the root link floats freely.")]

Loops: TypeAlias = Annotated[
    Path | None,
    typer.Option("--loops", help="URDF: file with what closes its loops; default is NAME.loops.yaml beside it."),
]

JointDynamics: TypeAlias = Annotated[
    str,
    typer.Option(
        "--joint-dynamics",
        help="Robot files: 'forces' takes damping and dry friction of joints as force elements, 'ignore' leaves out "
        "what the format takes for advice (all of it in URDF and SDF, dry friction in MJCF).",
    ),
]

Actuators: TypeAlias = Annotated[
    str,
    typer.Option(
        "--actuators",
        help="MJCF: 'inputs' takes motors and servos as control inputs u, 'ignore' leaves them out.",
    ),
]

Order: TypeAlias = Annotated[
    str,
    typer.Option(
        "--order",
        help="Order of assembly, which decides on the cut joints: by 'weight', as in the 'input', 'type-only', "
        "'ground-first', 'depth-first' or 'breadth-first'.",
    ),
]

CUT_HELP: Final = "NAME,...: joints that must be cut to open loops; repeatable."
"""The option --cut."""

KEEP_HELP: Final = "NAME,...: joints that must not be cut; repeatable."
"""The option --keep."""

AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]

ForceFile: TypeAlias = Annotated[bool, typer.Option("--force", help="Overwrite a file that mbsym did not write.")]

ForceFiles: TypeAlias = Annotated[bool, typer.Option("--force", help="Overwrite files that mbsym did not write.")]

WRENCH_INPUT_HELP: Final = (
    "NAME,...: a wrench at each of these frames, bodies or joints is a run-time input, six entries of u; repeatable."
)
"""The option --wrench-input."""

WRENCH_AXES_HELP: Final = "Axes of these wrenches: local (the frame's) or aligned (those of the base)."
"""The option --wrench-axes."""

STYLE_HELP: Final = (
    "straight: every operation is written out; shared: bodies of one kind share steps that loops call; auto: shared "
    "for long mechanisms."
)
"""The option --style."""

THREADS_HELP: Final = (
    "For how many threads (OpenMP), 2 to 1024, C divides the work of one state, with --formulation cfa-parallel; "
    "compiled without OpenMP one does it all, with the same results."
)
"""The option --threads."""

TRIGONOMETRY_HELP: Final = (
    "Sines and cosines: 'libm' calls the library, 'inline' brings those of all angles of a C function side by side in "
    "vectors, 'argument' takes them from the caller (generate)."
)
"""The option --trigonometry."""


SYMBOLS_HELP: Final = "Parameters that stay symbols: all, none, or NAME,NAME."
"""The option --symbolic-parameters of documents."""


def formulation_help() -> str:
    """The option --formulation."""
    from mbsym.registry import FORMULATIONS

    return _listed(FORMULATIONS)


def language_help() -> str:
    """The option --language."""
    from mbsym.codegen.languages import LANGUAGES

    return f"{_listed(LANGUAGES)} Repeatable; default is all."


def consumer_help() -> str:
    """The argument CONSUMER."""
    from mbsym.consumers.registry import CONSUMERS

    return _listed(CONSUMERS)


def simplify_help() -> str:
    """The option --simplify."""
    from mbsym.registry import SIMPLIFICATIONS

    return f"all, none, or NAME,... of the ways to fewer operations: {_listed(SIMPLIFICATIONS)}"


def _listed(records: Mapping[str, Described]) -> str:
    return "; ".join(f"{name} ({record.sentence})" for name, record in records.items()) + "."


def either(names: Iterable[str]) -> str:
    """Names as in "a, b or c"."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last

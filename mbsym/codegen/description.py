"""What a module of generated code is to contain: the data that every language's printer starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final, Literal, TypeAlias

from mbsym.codegen.limb_programs import LimbProgram
from mbsym.codegen.statuses import Failure, Status
from mbsym.errors import DerivationError
from mbsym.symbolic.domains import Guard, Need
from mbsym.symbolic.program import OperationCount, Program

Real: TypeAlias = Literal["double", "float"]
Trigonometry: TypeAlias = Literal["auto", "libm", "inline", "argument"]
EVERY: Final = "all"
"""In the place of names: all functions."""
Direction: TypeAlias = Literal["in", "out"]
Kind: TypeAlias = Literal["real", "int"]


@dataclass(frozen=True, slots=True)
class Argument:
    """An array that a generated function takes or fills; scalars have the shape ().

    Attributes:
        name: as the caller of the generator knows it.
        direction: "in" or "out".
        shape: of the dense row-major array.
        unit: of its entries, or "" where they differ.
        description: one line for headers and documentation.
        quaternions: flat index of the first component of each unit quaternion (w, x, y, z) inside the array.
        kind: of its entries, "real" or "int"; only results are integers.
    """

    name: str
    direction: Direction
    shape: tuple[int, ...]
    unit: str = ""
    description: str = ""
    quaternions: tuple[int, ...] = ()
    kind: Kind = "real"

    @property
    def size(self) -> int:
        """Number of entries."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """A number that the runtime compares with; users may change it.

    Attributes:
        name: in the runtime's text, in the header and in the Python module.
        double, single: its values in double and single precision.
        measure: where the values come from, in units of the type's epsilon where they have to do with rounding.
        reason: what it is for.
    """

    name: str
    double: float
    single: float
    measure: str
    reason: str

    def of(self, real: Real) -> float:
        """The value for a floating-point type."""
        return self.single if real == "float" else self.double


@dataclass(frozen=True, slots=True)
class RuntimeFunction:
    """A function written by hand once and for all, such as a Newton iteration around generated functions.

    Its text stands in ``runtime/FILE.py``, a routine that is printed in every language (``mbsym.codegen.routines``), or
    else in ``runtime/c/FILE.c`` and ``runtime/numpy/FILE.py``. What follows the line that says ``mbsym: copied from
    here`` is copied with ``MODEL_`` replaced by the module's prefix (in NumPy by nothing). Sizes reach it as the
    module's ``constants``, and its ``tolerances`` as ``MODEL_NAME`` (in NumPy ``NAME``). In C the heads of public
    functions are printed anew, so that arguments bear their names from here. The C text finds
    ``MODEL_SQRT``, ``MODEL_ABS`` and ``MODEL_INFINITY`` of the floating-point type, and arguments that it only passes
    on, both as formal and as actual ones and empty where there are none: ``MODEL_FORMAL`` and ``MODEL_ACTUAL``, the
    parameter structure, which comes first, and ``MODEL_EXTRA_FORMAL`` and ``MODEL_EXTRA_ACTUAL``, the module's
    ``extra``.

    Attributes:
        name: of the function that the file defines (``MODEL_name`` in C).
        file: its file name without extension; several functions may share one file, which is copied once.
        arguments: inputs, then outputs.
        description: one line for headers and documentation.
        calls: generated functions that an ordinary call evaluates, each as often as it stands here.
        own: operations of an ordinary call besides these; None where there is no telling.
        numbers: constants that a routine knows by name, besides the sizes.
        failures: the statuses that it may return; none if it cannot fail.
        lanes: whether the routine is printed for several states side by side, too. ``MODEL_name_lanes`` takes and
            gives vectors of ``MODEL_LANES`` states and says, by what is above zero, for which of them the function for
            one state would return OK with these results; integers are arrays of lanes.
    """

    name: str
    file: str
    arguments: tuple[Argument, ...]
    description: str = ""
    calls: tuple[str, ...] = ()
    own: OperationCount | None = None
    numbers: Mapping[str, int | float] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    lanes: bool = False


@dataclass(frozen=True, slots=True)
class Indices:
    """Where things of one kind stand in arrays.

    Attributes:
        name: of the table; in C it stands between the prefix and the name of each thing.
        sentence: what it says.
        places: first entry, and the one behind the last, by the user's names.
        notes: what else there is to say of a thing, such as units, by the same names.
    """

    name: str
    sentence: str
    places: Mapping[str, tuple[int, int]]
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModuleDescription:
    """A module to generate.

    Attributes:
        name: of the model; files and C symbols bear it, made an identifier where it is none, unless there is a prefix.
        programs: the derived functions, in order.
        header: free text for the head of each file, line by line and already laid out (conventions, roadmap table).
        manifest: fields merged into the manifest (formulation, nq, nv, bodies, joints, parameters, inputs, ...).
        real: floating-point type of the generated code.
        model_sha256: hash of the model that the programs were derived from.
        constants: integers for users of the C header and for the runtime (NQ, NV, ...).
        indices: where things stand in arrays, by their names, so that no user counts.
        limits: arrays of numbers for users, such as the limits of q, by name; infinite where there is none.
        index_arrays: arrays of integers for users, such as the rows of compressed columns, by name.
        runtime: functions with fixed text that are added to the programs.
        tolerances: that the runtime compares with.
        extra: arguments of the programs that the runtime passes on unseen.
        prefix: what files and C symbols bear in place of the name.
        trigonometry: what computes sines and cosines: the library, C code of the module itself (always, or where the
            compiler has vectors), or who calls.
        batch: functions that C has for many states too, or EVERY.
        prepares: name of the only function that takes the parameters, or nothing where all do.
        limbs: of functions that C computes with equal limbs side by side where it can, that program, by name.
    """

    name: str
    programs: tuple[Program, ...]
    header: tuple[str, ...] = ()
    manifest: Mapping[str, object] = field(default_factory=dict)
    real: Real = "double"
    model_sha256: str = ""
    constants: Mapping[str, int] = field(default_factory=dict)
    indices: tuple[Indices, ...] = ()
    limits: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    index_arrays: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    runtime: tuple[RuntimeFunction, ...] = ()
    tolerances: tuple[Tolerance, ...] = ()
    extra: tuple[Argument, ...] = ()
    prefix: str = ""
    trigonometry: Trigonometry = "libm"
    batch: tuple[str, ...] = ()
    prepares: str = ""
    limbs: Mapping[str, LimbProgram] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    """The text of one file, by its name without a directory."""

    name: str
    text: str


def arguments_of(program: Program) -> tuple[Argument, ...]:
    """Inputs and then outputs of a program as a generated function takes them."""
    inputs = [
        Argument(item.name, "in", item.shape, item.unit, item.description, item.quaternions) for item in program.inputs
    ]
    outputs = [Argument(item.name, "out", item.shape, item.unit, item.description) for item in program.outputs]
    return (*inputs, *outputs)


def known_for_batches(asked: tuple[str, ...], known: Sequence[str]) -> tuple[str, ...]:
    """The functions asked for, each of which must be known.

    Raises:
        DerivationError: one is not.
    """
    for name in asked:
        if name not in known and name != EVERY:
            raise DerivationError(
                f"no function {name!r} is generated that could take many states",
                where="`batch`",
                remedy=f"use all, {', '.join(known)}",
            )
    return asked


# ---- guards: what must be looked at before results are used ----------------------------------------------------------

GUARDED: Final = "guarded values"
"""The array beside a function's results that holds them; no argument has this name."""

VANISHES: Final = Tolerance(
    "VANISHES",
    1024 * 2.0**-52,
    1024 * 2.0**-23,
    "1024 epsilon",
    "Part of its ordinary size below which a divisor counts as zero: of numbers of that size round-off leaves as much "
    "after a few hundred operations.",
)

STATUS_OF: Final[dict[Need, Status]] = {
    "nonzero": Status.SINGULAR,
    "not negative": Status.OUT_OF_REACH,
    "positive": Status.OUT_OF_REACH,
    "within one": Status.OUT_OF_REACH,
}
"""What is returned where a guard fails."""

_WORDS: Final[dict[Need, str]] = {
    "nonzero": "a divisor vanishes",
    "not negative": "a root has a negative argument",
    "positive": "a logarithm or power has an argument that is not positive",
    "within one": "an arc function has an argument beyond one",
}


def failures_of(guards: Sequence[Guard]) -> tuple[Failure, ...]:
    """The statuses of a derived function with these guards, in the order of their numbers."""
    if not guards:
        return ()
    places: dict[Need, dict[str, None]] = {}
    for guard in guards:
        places.setdefault(guard.need, {})[f" in {guard.section}" if guard.section else ""] = None
    reasons: dict[Status, list[str]] = {}
    for need, found in places.items():
        reasons.setdefault(STATUS_OF[need], []).append(_WORDS[need] + " or".join(filter(None, found)))
    told = [Failure(status, f"not numbers: {', or '.join(reasons[status])}") for status in sorted(reasons)]
    return (*told, Failure(Status.NOT_FINITE, "not numbers"))

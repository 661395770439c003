"""The text of the time steps for a mechanism: its sizes, its constants, and the C driver that is printed of it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.build import SharedLibrary
from mbsym.codegen.c.routines import print_c
from mbsym.codegen.expressions import Array as Memory
from mbsym.codegen.routines.language import Formal, Routine, Signature
from mbsym.codegen.routines.module import routine_file
from mbsym.codegen.routines.reader import read_routine
from mbsym.joints.coordinate_groups import CoordinateGroup
from mbsym.kinematics.mechanism import Mechanism

Array: TypeAlias = NDArray[Any]

ROUTINE: Final = "time_steps"
DONE: Final = 0
NOT_FINITE: Final = 1
NOT_SOLVED: Final = 2

ITERATIONS: Final = 100

NUMBERS: Final[Mapping[str, int | float]] = {
    "DONE": DONE,
    "NOT_FINITE": NOT_FINITE,
    "NOT_SOLVED": NOT_SOLVED,
    # The implicit equation: changes of speeds below the first sum are none; those below the second, which is looser,
    # are none where they no longer shrink.
    "ITERATIONS": ITERATIONS,
    "LEAST_CHANGE": 1e-18,
    "RELATIVE_CHANGE": 1e-15,
    "LOOSE_CHANGE": 1e-14,
    "LOOSE_RELATIVE_CHANGE": 1e-12,
    "SHRINKING": 0.5,
    # The square of the angle below which functions of it are series.
    "SMALL": 1e-4,
}

SERIES: Final = 13

TANGENT: Final = tuple((-1.0) ** n / d for n, d in enumerate(np.cumprod(np.arange(1.0, SERIES + 1.0)).tolist()))
"""Coefficients of (1 - exp(-X))/X."""

INVERSE_TANGENT: Final = (
    1.0, 1 / 2, 1 / 12, 0.0, -1 / 720, 0.0, 1 / 30240, 0.0, -1 / 1209600, 0.0, 1 / 47900160, 0.0, -691 / 1307674368000
)  # fmt: skip
"""Coefficients of X/(1 - exp(-X))."""

FUNCTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "state_rates": ("loads", "runs", "t", "x", "rates", "report"),
    "runge_kutta": ("loads", "runs", "t", "h", "steps", "x", "report"),
    "variational": ("loads", "runs", "coefficients", "t", "h", "steps", "x", "report"),
}
"""Public functions of the text with their arguments."""

METHODS: Final = {"rk4": "runge_kutta", "symplectic": "variational"}
"""Which function takes the steps of a method."""


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of coordinates of one group; rotations and poses of one joint each."""

    kind: CoordinateGroup
    q: int
    v: int
    speeds: int


def coordinate_runs(mechanism: Mechanism) -> tuple[Run, ...]:
    """The independent coordinates in stretches as long as possible."""
    runs: list[Run] = []
    for body in mechanism.bodies_by_coordinates:
        q, v = body.q_range[0], body.v_range[0]
        count = body.v_range[1] - v
        kind = body.joint.kind.group
        if runs and kind is runs[-1].kind is CoordinateGroup.SUMS:
            runs[-1] = Run(kind, runs[-1].q, runs[-1].v, runs[-1].speeds + count)
        else:
            runs.append(Run(kind, q, v, count))
    return tuple(runs)


@dataclass(frozen=True, slots=True)
class StepSizes:
    """What the text of the time steps is specialised to.

    Attributes:
        nq, nv: sizes of q and v.
        runs: the coordinates.
        inputs: number of control inputs.
        work: the work of external forces is part of the state.
        timed: derived functions take time and inputs.
        powered: there is a function external_power.
        variational: there is what the variational steps need.
        staged: q and v are changed by a function ``stage`` before rates are found.
    """

    nq: int
    nv: int
    runs: tuple[Run, ...]
    inputs: int = 0
    work: bool = False
    timed: bool = False
    powered: bool = False
    variational: bool = False
    staged: bool = False

    @property
    def states(self) -> int:
        """Length of a state."""
        return self.nq + self.nv + int(self.work)

    def names(self) -> dict[str, int]:
        """The sizes by the names under which the text knows them."""
        return {
            "STEPS_NQ": self.nq,
            "STEPS_NV": self.nv,
            "STEPS_INPUTS": self.inputs,
            "STEPS_RUNS": len(self.runs),
            "STEPS_SERIES": SERIES,
            "STEPS_WORK": int(self.work),
            "STEPS_TIMED": int(self.timed),
            "STEPS_POWERED": int(self.powered),
            "STEPS_STAGED": int(self.staged),
        }

    def tables(self) -> tuple[Array, Array]:
        """The runs (runs, 4) and the coefficients of the series (2, SERIES), which the functions take."""
        rows = [[run.kind, run.q, run.v, run.speeds] for run in self.runs]
        return np.array(rows, dtype=float).reshape(-1, 4), np.array([TANGENT, INVERSE_TANGENT])


def sizes_of(mechanism: Mechanism, *, work: bool, powered: bool, variational: bool) -> StepSizes:
    """Sizes for the derived functions of a mechanism."""
    timed = mechanism.time is not None
    inputs = len(mechanism.model.inputs)
    runs = coordinate_runs(mechanism)
    return StepSizes(mechanism.nq, mechanism.nv, runs, inputs, work, timed, powered, variational)


@cache
def step_routine(sizes: StepSizes) -> Routine:
    """The text with its sizes decided, cached because reading it takes as long as many steps."""
    q, v = (sizes.nq,), (sizes.nv,)
    extra: tuple[tuple[int, ...], ...] = ((), (sizes.inputs,)) if sizes.timed else ()
    kernels = {
        "stage": Signature((q, v), (q, v)),
        "position_rate": Signature((q, v), (q,)),
        "forward_dynamics": Signature((q, v, v, *extra), (v,)),
        "external_power": Signature((q, v, *extra), ((1,),)),
        "variational_terms": Signature((q, v, *extra), (v, v)),
        "speeds_of_momentum": Signature((q, v), (v,)),
    }
    formals = _formals(sizes)
    public = {
        name: [formals[argument] for argument in arguments]
        for name, arguments in FUNCTIONS.items()
        if sizes.variational or name != "variational"
    }
    text = routine_file(ROUTINE).read_text(encoding="utf-8")
    return read_routine(text, ROUTINE, sizes.names(), NUMBERS, kernels, public)


def _formals(sizes: StepSizes) -> dict[str, Formal]:
    read = {"loads": (sizes.nv + sizes.inputs,), "runs": (len(sizes.runs), 4), "coefficients": (2, SERIES)}
    filled = {"x": (sizes.states,), "rates": (sizes.states,), "report": (2,)}
    arrays = [Memory(name, extents, name in filled) for name, extents in {**read, **filled}.items()]
    scalars = Formal("t", "real"), Formal("h", "real"), Formal("steps", "int")
    return {item.name: item for item in (*scalars, *(Formal(array.name, None, array) for array in arrays))}


def driver_source(name: str, sizes: StepSizes) -> str:
    """C text that includes NAME.c and adds the functions that step."""
    routine, formals = step_routine(sizes), _formals(sizes)
    heads = {}
    for function, arguments in FUNCTIONS.items():
        if routine.function(function) is not None:
            parts = [c_formal(formals[argument]) for argument in arguments]
            heads[function] = (*(f"{part}," for part in parts), "double *work)")
    declared = [f"void {name}_{function}({' '.join(head)};" for function, head in heads.items()]
    printed = print_c(routine, f"{name}_", heads, "double", has_parameters=False)
    return (
        "\n".join([f'#include "{name}.c"', "#include <math.h>", "#include <stdbool.h>", *declared, "", printed]) + "\n"
    )


def c_formal(formal: Formal) -> str:
    """An argument of a function in C."""
    if formal.array is None:
        return f"{'int' if formal.kind == 'int' else 'double'} {formal.name}"
    return f"{'' if formal.array.writable else 'const '}double *{formal.name}"


class Steps(Protocol):
    """The functions of the text on one state.

    Attributes:
        state: steps change it in place.
    """

    state: Array

    def rates(self, t: float, x: Array) -> Array:
        """Rates of a state, a new array."""

    def advance(self, method: str, t: float, h: float, steps: int) -> tuple[int, int]:
        """Steps ``state``; returns the steps done, and ``DONE``, ``NOT_FINITE`` or ``NOT_SOLVED``."""


class CompiledSteps:
    """The functions of the driver on one state buffer.

    Attributes:
        state: the buffer (states,); steps change it in place.
    """

    def __init__(self, library: SharedLibrary, name: str, sizes: StepSizes, tau: Array, u: Array) -> None:
        """Binds the functions.

        Args:
            library: compiled from ``driver_source``.
            name: of the generated module.
            sizes: of the driver.
            tau, u: constant forces and inputs.
        """
        routine = step_routine(sizes)
        runs, coefficients = sizes.tables()
        self.state = np.zeros(sizes.states)
        self._library = library
        self._buffers: dict[str, Array] = {
            "loads": np.concatenate([tau, u]).astype(float),
            "runs": runs,
            "coefficients": coefficients,
            "x": self.state,
            "rates": np.zeros(sizes.states),
            "report": np.zeros(2),
            "work": np.zeros(sum(array.size for array in routine.memory)),
        }
        kinds = {"t": ctypes.c_double, "h": ctypes.c_double, "steps": ctypes.c_int}
        self._functions = {}
        for function, arguments in FUNCTIONS.items():
            if routine.function(function) is not None:
                symbol = getattr(self._library.handle, f"{name}_{function}")
                names = (*arguments, "work")
                symbol.argtypes = [kinds.get(argument, ctypes.c_void_p) for argument in names]
                symbol.restype = None
                before = [self._buffers[argument].ctypes.data for argument in names[: names.index("t")]]
                after = [self._buffers[argument].ctypes.data for argument in names[names.index("x") :]]
                self._functions[function] = (symbol, before, after)

    def rates(self, t: float, x: Array) -> Array:
        """Rates of a state, a new array."""
        self.state[:] = x
        function, before, after = self._functions["state_rates"]
        function(*before, t, *after)
        return self._buffers["rates"].copy()

    def advance(self, method: str, t: float, h: float, steps: int) -> tuple[int, int]:
        """See ``Steps``."""
        function, before, after = self._functions[METHODS[method]]
        function(*before, t, h, steps, *after)
        status, done = self._buffers["report"]
        return int(done), int(status)

"""The text of the adaptive steps around the rates of a state: printed as C beside the time steps, and in Python.

What is held for the rates in C are the loads, the runs and the scratch memory of the time steps, one behind the other.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import ulp
from types import CodeType
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.build import SharedLibrary
from mbsym.codegen.c.routines import print_c
from mbsym.codegen.expressions import Array as Memory
from mbsym.codegen.numpy.routines import memory_class, print_numpy
from mbsym.codegen.routines.language import Formal, Routine, Signature
from mbsym.codegen.routines.module import routine_file
from mbsym.codegen.routines.reader import read_routine
from mbsym.simulation.runge_kutta_pairs import STAGES, TERMS
from mbsym.simulation.time_stepping import DONE, NOT_FINITE, StepSizes, c_formal, step_routine

Array: TypeAlias = NDArray[Any]
Rates: TypeAlias = Callable[[float, Array], Array]

ROUTINE: Final = "adaptive_steps"
TOO_SHORT: Final = 2
STUCK: Final = 3

MOST_IDLE: Final = 200
"""Steps in a row that may lead nowhere."""

STIFF_ROW: Final = 15
CALM_STEPS: Final = 6
"""Steps at the edge of stability in a row from which a motion counts as stiff, and those away from it that end a row:
those of Hairer's codes."""

STIFF_STEPS: Final = 300
"""Such steps from which it is told: fewer cost less than reading it."""

NUMBERS: Final[Mapping[str, int | float]] = {
    "DONE": DONE,
    "NOT_FINITE": NOT_FINITE,
    "TOO_SHORT": TOO_SHORT,
    "STUCK": STUCK,
    "MOST_IDLE": MOST_IDLE,
    "STIFF_ROW": STIFF_ROW,
    "CALM_STEPS": CALM_STEPS,
    "STIFF_STEPS": STIFF_STEPS,
    "SAFETY": 0.9,
    "MOST_GROWTH": 10.0,
    "LEAST_GROWTH": 0.2,
    "ROOT_STEPS": 100,
    "ROOT_ENOUGH": 1e-16,
    # The shortest step as a part of the time that it is taken at, and at time zero.
    "SPACING": 10.0 * ulp(1.0),
    "LEAST_LENGTH": 1e-300,
}

FUNCTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "between": ("held", "tableau", "quaternions", "allowances", "time", "x", "control"),
    "adaptive": ("held", "tableau", "quaternions", "allowances", "grid", "samples", "x", "control"),
}
"""Public functions of the text with their arguments."""

END, RELATIVE, LONGEST, MOST, COUNT, IDLE_LENGTH, TIME, LENGTH, FRESH, DUE = range(10)
STATUS, STEPS, EVALUATIONS, COORDINATES, FELT = range(14, 19)
HELD_STEPS, SINCE, FASTEST, IS_TOLD = range(21, 25)
"""Entries of ``control`` that are given and told, as the text has them."""

CONTROL: Final = 25
ROWS: Final = STAGES + 4 + TERMS

_SHIM: Final = """\
static void NAME_rates(const double *held, double t, const double *x, double *rates)
{
    /* The last part of what is held is scratch memory; the state is only read. */
    double *work = (double *)held + WORK;
    double report[2] = {0.0, 0.0};
    NAME_state_rates(held, held + RUNS, t, (double *)x, rates, report, work);
    if (report[0] != 0.0) {
        rates[0] = NAN;
    }
}
"""


@cache
def adaptive_routine(states: int, quaternions: int, held: int) -> Routine:
    """The text with its sizes decided."""
    sizes = {"ADAPTIVE_STATES": states, "ADAPTIVE_QUATERNIONS": quaternions, "ADAPTIVE_HELD": held}
    kernels = {"rates": Signature(((held,), (), (states,)), ((states,),))}
    formals = _formals(states, quaternions, held)
    public = {name: [formals[argument] for argument in arguments] for name, arguments in FUNCTIONS.items()}
    text = routine_file(ROUTINE).read_text(encoding="utf-8")
    return read_routine(text, ROUTINE, sizes, NUMBERS, kernels, public)


def _formals(states: int, quaternions: int, held: int) -> dict[str, Formal]:
    read = {"held": (held,), "tableau": (ROWS, STAGES), "quaternions": (quaternions,), "allowances": (states,)}
    filled = {"samples": (0,), "x": (states,), "control": (CONTROL,)}
    extents = {**read, "grid": (0,), **filled}
    arrays = [Memory(name, size, name in filled) for name, size in extents.items()]
    return {"time": Formal("time", "real"), **{array.name: Formal(array.name, None, array) for array in arrays}}


def quaternions_of(sizes: StepSizes) -> tuple[int, ...]:
    """Where the quaternions of a state begin."""
    return tuple(run.q for run in sizes.runs if run.kind.quaternion is not None)


def held_of(sizes: StepSizes, loads: Array) -> Array:
    """What the rates in C are held: loads, runs, scratch memory."""
    memory = sum(array.size for array in step_routine(sizes).memory)
    return np.concatenate([loads, sizes.tables()[0].ravel(), np.zeros(memory)])


def adaptive_source(name: str, sizes: StepSizes) -> str:
    """C text to follow that of the time steps of module NAME."""
    loads = sizes.nv + sizes.inputs
    held = len(held_of(sizes, np.zeros(loads)))
    arguments = sizes.states, len(quaternions_of(sizes)), held
    formals = _formals(*arguments)
    heads = {
        function: (*(f"{c_formal(formals[argument])}," for argument in names), "double *work)")
        for function, names in FUNCTIONS.items()
    }
    declared = [f"void {name}_{function}({' '.join(head)};" for function, head in heads.items()]
    shim = _SHIM.replace("NAME", name).replace("WORK", str(loads + 4 * len(sizes.runs))).replace("RUNS", str(loads))
    printed = print_c(adaptive_routine(*arguments), f"{name}_", heads, "double", has_parameters=False)
    return "\n".join([shim, *declared, "", printed]) + "\n"


class Engine(Protocol):
    """The public functions of the text on given arrays."""

    def call(self, function: str, arguments: Mapping[str, Any]) -> None:
        """Calls one of ``FUNCTIONS``; what it fills is filled in place."""


class CompiledEngine:
    """The functions of the driver."""

    def __init__(self, library: SharedLibrary, name: str, sizes: StepSizes, loads: Array) -> None:
        """Binds the functions.

        Args:
            library: compiled from ``driver_source``.
            name: of the generated module.
            sizes: of the driver.
            loads: constant forces and inputs.
        """
        self._library = library
        self._held = held_of(sizes, loads)
        routine = adaptive_routine(sizes.states, len(quaternions_of(sizes)), len(self._held))
        self._work = np.zeros(sum(array.size for array in routine.memory))
        self._functions = {}
        for function, arguments in FUNCTIONS.items():
            symbol = getattr(library.handle, f"{name}_{function}")
            symbol.argtypes = [ctypes.c_double if argument == "time" else ctypes.c_void_p for argument in arguments]
            symbol.argtypes = [*symbol.argtypes, ctypes.c_void_p]
            symbol.restype = None
            self._functions[function] = symbol

    def call(self, function: str, arguments: Mapping[str, Any]) -> None:
        """See ``Engine``."""
        actual = {**arguments, "held": self._held}
        values = (actual[name] for name in FUNCTIONS[function])
        given = [value if isinstance(value, float) else value.ctypes.data for value in values]
        self._functions[function](*given, self._work.ctypes.data)


class EvaluatedEngine:
    """The functions in Python around rates of any origin."""

    def __init__(self, rates: Rates, states: int, quaternions: Sequence[int]) -> None:
        def evaluate(_: object, _held: object, t: float, x: list[float]) -> tuple[list[float]]:
            return (rates(t, np.array(x)).tolist(),)

        names: dict[str, Any] = {"_Floats": None, "_rates": evaluate}
        exec(_python_text(states, len(quaternions)), names)
        self._functions, self._memory = names, names[memory_class(ROUTINE)]({})

    def call(self, function: str, arguments: Mapping[str, Any]) -> None:
        """See ``Engine``."""
        lists = {
            name: value if isinstance(value, float) else value.tolist()
            for name, value in {**arguments, "held": np.zeros(0)}.items()
        }
        self._functions[f"_{function}"](*(lists[name] for name in FUNCTIONS[function]), self._memory)
        for name in ("samples", "x", "control"):
            if name in lists:
                arguments[name][...] = lists[name]


@cache
def _python_text(states: int, quaternions: int) -> CodeType:
    text = "import math\n\n" + print_numpy(adaptive_routine(states, quaternions, 0))
    return compile(text, f"runtime/{ROUTINE}.py", "exec")

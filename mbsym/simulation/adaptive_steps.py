"""The text of the adaptive steps around the rates of a state: printed as C beside the time steps, and in Python.

What is held for the rates in C are the loads, the runs and the scratch memory of the time steps, one behind the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import ulp
from typing import Final, TypeAlias

import numpy as np

from mbsym.codegen.build import SharedLibrary
from mbsym.codegen.routines.language import Signature
from mbsym.doors import Array
from mbsym.simulation.stepping_text import CompiledEngine, Engine, EvaluatedEngine, SteppingText
from mbsym.simulation.time_stepping import DONE, NOT_FINITE, StepSizes, step_text

Rates: TypeAlias = Callable[[float, Array], Array]

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

END, RELATIVE, LONGEST, MOST, COUNT, IDLE_LENGTH, TIME, LENGTH, FRESH, DUE = range(10)
STATUS, STEPS, EVALUATIONS, COORDINATES, FELT = range(14, 19)
HELD_STEPS, SINCE, FASTEST, IS_TOLD = range(21, 25)
"""Entries of ``control`` that are given and told, as the text has them."""

CONTROL: Final = 25

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
def adaptive_text(states: int, quaternions: int, held: int) -> SteppingText:
    """The text with its sizes decided."""
    sizes = {"ADAPTIVE_STATES": states, "ADAPTIVE_QUATERNIONS": quaternions, "ADAPTIVE_HELD": held}
    kernels = {"rates": Signature(((held,), (), (states,)), ((states,),))}
    return SteppingText("adaptive_steps", sizes, NUMBERS, kernels, ("between", "adaptive"))


def _text_of(sizes: StepSizes) -> SteppingText:
    """The text around the rates in C."""
    layout = sizes.layout
    held = layout.nv + sizes.inputs + 4 * len(sizes.runs) + step_text(sizes).memory
    return adaptive_text(layout.size, len(layout.quaternions), held)


def adaptive_source(name: str, sizes: StepSizes) -> str:
    """C text to follow that of the time steps of module NAME."""
    loads = sizes.layout.nv + sizes.inputs
    shim = _SHIM.replace("NAME", name).replace("WORK", str(loads + 4 * len(sizes.runs))).replace("RUNS", str(loads))
    return f"{shim}\n{_text_of(sizes).in_c(name)}"


def compiled_engine(library: SharedLibrary, name: str, sizes: StepSizes, loads: Array) -> Engine:
    """The functions of a library, with the rates in C.

    Args:
        library: compiled with ``adaptive_source``.
        name: of the generated module.
        sizes: of the time steps.
        loads: constant forces and inputs.
    """
    held = np.concatenate([loads, sizes.tables()[0].ravel(), np.zeros(step_text(sizes).memory)])
    return CompiledEngine(library, name, _text_of(sizes), {"held": held})


def evaluated_engine(rates: Rates, states: int, quaternions: Sequence[int]) -> Engine:
    """The functions in Python around rates of any origin."""

    def evaluate(_: object, _held: object, t: float, x: list[float]) -> tuple[list[float]]:
        return (rates(t, np.array(x)).tolist(),)

    return EvaluatedEngine({"rates": evaluate}, adaptive_text(states, len(quaternions), 0), {"held": np.zeros(0)})

"""Statuses of generated steps, provoked: lengths that cannot be, forces that no step follows, no numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbsym.codegen.load import LoadedModule
from mbsym.codegen.statuses import Status
from mbsym.doors import Array
from mbsym.transfer_matrix.stepper import TransferMatrixStepper
from mbsym.verification.checks import OWN_STATUSES, Worst
from mbsym.verification.coverage import Coverage
from mbsym.verification.evidence import called
from mbsym.verification.stepping_evidence import calm_time

START: Final = "transfer_matrix_start"
STEPS: Final = ("step", "transfer_matrix_advance")

LENGTH: Final = 1e-3
"""Of a step that ends well [s], if it is no longer than calm."""

RADIUS: Final = 0.8
SETTINGS: Final = (1e-9, 1e-6, 20.0, 1.0)
"""Of an advance: bounds of corrections and of closure, iterations, and how often a Jacobian is made."""

THROWING: Final = (1e6, 1e9, 1e12)
"""Loads that throw bodies around many times within a step [N, N m]."""

NO_NUMBER: Final = (Status.NOT_FINITE, Status.SINGULAR, Status.CHART_LOST)
"""What is said of loads and states that are no numbers: pivots and attitudes that are none are met before results."""

Given = Mapping[str, Any]


def check_stepping_statuses(
    worst: Worst, steppers: Sequence[TransferMatrixStepper], state: Mapping[str, Any], coverage: Coverage
) -> None:
    """Notes whether each step says what it is told to say, and leaves the state as it was where it fails.

    Args:
        worst: takes the checks.
        steppers: of the module in each language.
        state: coordinates and speeds of a regular start.
        coverage: takes the statuses that were met.
    """
    for stepper in steppers:
        module = stepper.module
        start = stepper.start(state["q"], state["v"])
        length = calm_time(stepper.system, start, LENGTH)
        if START in module.functions and module.functions[START].statuses:
            _check_start(worst, module, coverage)
        for name in STEPS:
            if name in module.functions and module.functions[name].statuses:
                _check_steps(worst, stepper, name, start, length, coverage)


def _check_start(worst: Worst, module: LoadedModule, coverage: Coverage) -> None:
    """Whatever is given that is no number is told."""
    function = module.functions[START]
    whole = {item.name: np.zeros(item.shape) for item in function.inputs}
    for name, array in whole.items():
        if array.shape[-1:] == (4,):
            array[..., 0] = 1.0
        whole[name] = array
    wrong = 0
    _, status = _called(module, START, whole)
    coverage.note_statuses(START, [status])
    for name, array in whole.items():
        for value in (np.nan, np.inf):
            if array.size:
                _, status = _called(module, START, {**whole, name: np.full(array.shape, value)})
                coverage.note_statuses(START, [status])
                wrong += status == Status.OK
    worst.note(START, module.language, OWN_STATUSES, float(wrong), 0.5, 0)


def _check_steps(
    worst: Worst, stepper: TransferMatrixStepper, name: str, start: Array, length: float, coverage: Coverage
) -> None:
    module, loads = stepper.module, stepper.holding(start)

    def scheme(h: float) -> Any:
        return np.asarray(module.functions["generalised_alpha"](h, RADIUS)).ravel()

    def given(h: float = length, **changes: Any) -> dict[str, Any]:
        own = {"state": start, "h": h, "spectral_radius": RADIUS, "steps": 1.0, "settings": np.array(SETTINGS)}
        own["loads"] = loads
        if name != "step":
            own["scheme"] = scheme(h) if h > 0 else 0.0 * scheme(length)
        return {**own, **changes}

    cases: list[tuple[dict[str, Any], tuple[Status, ...]]] = [
        (given(), (Status.OK,)),
        (given(loads=np.nan), NO_NUMBER),
        (given(loads=np.inf), NO_NUMBER),
        (given(h=0.0), (Status.IMPOSSIBLE_STEP,)),
        (given(state=np.full_like(start, np.nan)), NO_NUMBER),
    ]
    if name == "step":
        cases.append((given(h=-length), (Status.IMPOSSIBLE_STEP,)))
    else:
        cases.append((given(steps=np.nan), (Status.IMPOSSIBLE_STEP,)))
        cases.append((given(loads=1.0, settings=np.array((-1.0, -1.0, 1.0, 1.0))), (Status.NOT_CONVERGED,)))
    cases += [(given(loads=size), tuple(Status)) for size in THROWING]
    wrong = 0
    for values, expected in cases:
        results, status = _called(module, name, values)
        coverage.note_statuses(name, [status])
        wrong += status not in expected
        kept = np.array_equal(results["next_state"], np.broadcast_to(values["state"], start.shape), equal_nan=True)
        wrong += status != Status.OK and not kept
        wrong += status == Status.OK and not np.isfinite(results["next_state"]).all()
    worst.note(name, module.language, OWN_STATUSES, float(wrong), 0.5, 0)


def _called(module: LoadedModule, name: str, given: Given) -> tuple[dict[str, Any], Status]:
    """Results by name and the status; what is not given is zero."""
    function = module.functions[name]
    values = {
        item.name: np.broadcast_to(np.asarray(given.get(item.name, 0.0), dtype=float), item.shape)
        for item in function.inputs
    }
    found, status = called(function, values)
    return dict(zip((item.name for item in function.outputs), found, strict=True)), Status(int(status))

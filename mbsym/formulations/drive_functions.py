"""Rates of the states of drives, in modules of models that have some."""

from __future__ import annotations

from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Display, Function, contract
from mbsym.formulations.output_functions import OUTPUT_FUNCTIONS, named_values
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.drive import DriveState
from mbsym.records import Registry
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.values.numbers import to_scalar


def _drive_rates(mechanism: Mechanism) -> list[Scalar]:
    with mechanism.graph.section("rates of drives"):
        drives = mechanism.model.drives
        rates = named_values(mechanism, [item.rate for item in drives])
        return [_held(mechanism, item, rate) for item, rate in zip(drives, rates, strict=True)]


def _held(mechanism: Mechanism, drive: DriveState, rate: Scalar) -> Scalar:
    """Returns the rate as it is between the limits of the state, and what of it leads back where one is reached."""
    graph, names = mechanism.graph, mechanism.names
    for limit, sign, inward in ((drive.upper, 1, "min"), (drive.lower, -1, "max")):
        if limit is not None:
            room = (to_scalar(limit, graph, names) - names[drive.name]) * sign
            back = rate.apply(inward, constant(graph, 0))
            rate = Scalar(graph, graph.select(room.ref, rate.ref, back.ref))
    return rate


DRIVE_FUNCTIONS: Final = Registry(
    "function",
    (
        Function(
            contract(
                "drive_rates(q, v, t, u, x)",
                "rates of the states of drives, in the model's order",
                "xdot[nx]: rates of the states of drives",
                display=Display(
                    "xdot",
                    "Rates of drives",
                    "xdot(q, v, t, u, x): the rates of the states of drives, in the order of x.",
                ),
                reference="drive_rates",
            ),
            _drive_rates,
        ),
    ),
    DerivationError,
)
"""Over the states of a model's drives; they cost nothing where there are none."""


def functions_of_model(mechanism: Mechanism) -> dict[str, Function]:
    """Those over what a model has of its own: outputs, and states of drives."""
    model = mechanism.model
    return {**(OUTPUT_FUNCTIONS if model.outputs else {}), **(DRIVE_FUNCTIONS if model.drives else {})}

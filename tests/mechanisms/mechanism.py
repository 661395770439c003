"""From a model to its mechanism, with labels as the pipeline chooses them."""

from __future__ import annotations

from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.model.system import Model


def mechanism_of(model: Model, *, order: str = "weight") -> Mechanism:
    """The mechanism of a model; the order "input" labels it as it is written."""
    return build_mechanism(model, model.label(order=order))

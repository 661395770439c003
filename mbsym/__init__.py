"""mbsym: equations of multibody systems, labelled, derived in closed form, written as C and NumPy, verified.

The names below are imported when they are first used, so that ``import mbsym`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

__version__ = "0.1.0"

_HOMES: Final = {
    "Accuracy": "mbsym.simulation.options",
    "Actuator": "mbsym.forces",
    "AppliedWrench": "mbsym.forces",
    "Body": "mbsym.model.body",
    "ControlInput": "mbsym.values.parameter",
    "Coupling": "mbsym.model.joint",
    "DistanceConstraint": "mbsym.constraints",
    "GearConstraint": "mbsym.constraints",
    "Joint": "mbsym.model.joint",
    "JointDamper": "mbsym.forces",
    "JointForce": "mbsym.forces",
    "JointFriction": "mbsym.forces",
    "JointSpring": "mbsym.forces",
    "Keeping": "mbsym.simulation.options",
    "LoadOptions": "mbsym.formats.registry",
    "Loads": "mbsym.simulation.options",
    "MbsymError": "mbsym.errors",
    "Model": "mbsym.model.system",
    "Parameter": "mbsym.values.parameter",
    "Placement": "mbsym.model.body",
    "PointOnLineConstraint": "mbsym.constraints",
    "PointSpringDamper": "mbsym.forces",
    "Preparation": "mbsym.simulation.options",
    "derive": "mbsym.report.equations",
    "examples": "mbsym.examples",
    "generate": "mbsym.pipeline",
    "load": "mbsym.formats.registry",
    "simulate": "mbsym.simulation.integrate",
    "verify": "mbsym.verification.certificate",
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mbsym' has no attribute {name!r}")
    module = import_module(_HOMES[name])
    value = module if _HOMES[name] == f"mbsym.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""Rates of a module's states over one array of all its variables, for consumers that integrate them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from mbsym.consumers.consumer import Exported
from mbsym.consumers.state_names import quantities
from mbsym.kinematics.mechanism import Mechanism
from mbsym.registry import available_functions

DYNAMICS: Final = "forward_dynamics"
RATES: Final = "position_rate"
RESIDUAL: Final = "constraint_residual"
SCALE: Final = "closure_scale"
POSITION: Final = "project_position"
VELOCITY: Final = "project_velocity"

PLACES: Final = {"q": "Q", "v": "V", "tau": "TAU", "t": "TIME", "u": "U", "parameters": "P"}
"""Of arguments among the variables, as the sources call them."""


@dataclass(frozen=True, slots=True)
class MotionContext:
    """Fields of ``consumers/motion.c.jinja``, which other templates include; calls that there are not are empty."""

    name: str
    np: int
    nu: int
    nq: int
    nv: int
    starts: tuple[str, ...]
    parameters: tuple[str, ...]
    rates: str
    dynamics: str
    dynamics_fail: bool
    quaternions: tuple[int, ...]
    position: str
    velocity: str


def motion_functions(mechanism: Mechanism, formulation: str) -> tuple[str, ...]:
    """The functions that the template calls."""
    fixed = available_functions(mechanism, formulation).fixed
    return (DYNAMICS, RATES, *((POSITION, VELOCITY) if fixed is not None else ()))


def motion_fields(exported: Exported) -> dict[str, Any]:
    """The fields of ``MotionContext`` by name."""
    given, module = quantities(exported), exported.module
    everything = (*given.parameters, *given.inputs, *given.forces, *given.coordinates, *given.speeds)
    return {
        "name": exported.name,
        "np": len(given.parameters),
        "nu": len(given.inputs),
        "nq": len(given.coordinates),
        "nv": len(given.speeds),
        "starts": tuple(repr(item.start) for item in everything),
        "parameters": tuple(module.names.parameters[item.name] for item in module.parameters),
        "rates": call_of(exported, RATES, "value + DQ"),
        "dynamics": call_of(exported, DYNAMICS, "value + DV"),
        "dynamics_fail": bool(exported.function(DYNAMICS).failures),
        "quaternions": tuple(exported.mechanism.q.quaternions),
        "position": call_of(exported, POSITION, "closed") if keeps_loops(exported) else "",
        "velocity": call_of(exported, VELOCITY, "consistent") if keeps_loops(exported) else "",
    }


def keeps_loops(exported: Exported) -> bool:
    """True where the module closes loops."""
    return bool(exported.derivation.runtime)


def call_of(exported: Exported, function: str, *results: str) -> str:
    """The call of a generated function over the variables, with the names of its results in their order."""
    actual, targets = ["&parameters"] if exported.module.parameters else [], iter(results)
    for item in exported.function(function).arguments:
        if item.direction == "out":
            actual.append(next(targets))
        elif item.name == "q":
            actual.append("q")
        else:
            actual.append(f"value + {PLACES[item.name]}" if item.shape else f"value[{PLACES[item.name]}]")
    return f"{exported.module.names.c_symbol(function)}({', '.join(actual)})"

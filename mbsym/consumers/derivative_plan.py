"""Which generated functions have the derivatives of a function by all its arguments and run-time parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.contracts import CONSTRAINED_DYNAMICS, CONSTRAINED_DYNAMICS_DERIVATIVES, FORWARD_DYNAMICS
from mbsym.registry import Available

TANGENT_MAP: Final = "tangent_map"
"""The function with which derivatives along speeds become those by coordinates."""

SHORTER: Final[Mapping[str, Mapping[tuple[str, str], tuple[str, str]]]] = {
    "inverse_dynamics": {
        ("tau", "q"): ("inverse_dynamics_derivatives", "dtau_dq"),
        ("tau", "v"): ("inverse_dynamics_derivatives", "dtau_dv"),
        ("tau", "vdot"): ("mass_matrix", "M"),
    },
    "forward_dynamics": {
        ("vdot", name): ("forward_dynamics_derivatives", f"dvdot_d{name}") for name in ("q", "v", "tau")
    },
}
"""By function, result and argument: functions with fewer operations than formal differentiation gives."""

OF_LOOPS: Final[Mapping[str, tuple[str, ...]]] = {
    FORWARD_DYNAMICS.name: ("vdot",),
    CONSTRAINED_DYNAMICS.name: ("vdot", "lambda"),
}
"""Functions of closed loops with fixed text that have derivatives, and their results."""


@dataclass(frozen=True, slots=True)
class DerivativePlan:
    """Where the derivatives of a function stand.

    Attributes:
        function: that is differentiated.
        sources: function and result by result and argument or parameter of it.
        requests: derivatives to ask for besides the functions of the catalogue.
        refusal: why there are none; else empty.
    """

    function: str
    sources: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    requests: tuple[DerivativeRequest, ...] = ()
    refusal: str = ""

    @property
    def functions(self) -> tuple[str, ...]:
        """Functions of the catalogue that it takes."""
        asked = {request.name for request in self.requests}
        return tuple(dict.fromkeys(name for name, _ in self.sources.values() if name not in asked))


def derivative_plan(mechanism: Mechanism, available: Available, function: str) -> DerivativePlan:
    """The plan for one function."""
    parameters = tuple(item.name for item in mechanism.parameters)
    extra = tuple(item.name for item in mechanism.extra_inputs)
    fixed = available.fixed
    if fixed is not None and function in fixed.names:
        return _of_loops(function, (*extra, *parameters))
    derive = available.every.get(function)
    if derive is None:
        return DerivativePlan(function, refusal="it iterates")
    program = derive(mechanism.afresh())
    results = tuple(item.name for item in program.outputs)
    names = (*(item.name for item in program.inputs if item.symbols), *parameters)
    known = {} if available.holding is not None and function == "forward_dynamics" else SHORTER.get(function, {})
    sources = {pair: source for pair, source in known.items() if pair[1] in names}
    rest = tuple(name for name in names if (results[0], name) not in sources)
    if not rest:
        return DerivativePlan(function, sources)
    request = DerivativeRequest(function, rest)
    sources |= {(result, name): (request.name, f"d{result}_d{name}") for result in results for name in rest}
    return DerivativePlan(function, sources, (request,))


def _of_loops(function: str, more: tuple[str, ...]) -> DerivativePlan:
    if function not in OF_LOOPS:
        return DerivativePlan(function, refusal="it iterates")
    if more:
        return DerivativePlan(function, refusal=f"with closed loops it has no derivatives by {', '.join(more)}")
    source = CONSTRAINED_DYNAMICS_DERIVATIVES.name
    pairs = ((result, name) for result in OF_LOOPS[function] for name in ("q", "v", "tau"))
    return DerivativePlan(function, {pair: (source, f"d{pair[0]}_d{pair[1]}") for pair in pairs})

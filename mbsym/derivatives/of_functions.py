"""The derivative of any function by any of its arguments or run-time parameters, differentiated as a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mbsym.derivatives.tangent import along, along_speeds
from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.compose import transplant
from mbsym.symbolic.program import Output, Program


@dataclass(frozen=True, slots=True)
class DerivativeRequest:
    """A derivative to generate.

    Attributes:
        function: what is differentiated; it may be the name of a request before this one.
        names: arguments and run-time parameters to differentiate by, in the order of the results.
    """

    function: str
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """FUNCTION_by_NAME_NAME."""
        return "_".join((f"{self.function}_by", *self.names))

    def as_manifest(self) -> dict[str, object]:
        """Of what, by what."""
        return {"name": self.name, "function": self.function, "with_respect_to": list(self.names)}


def requests_of(manifest: Mapping[str, Any]) -> tuple[DerivativeRequest, ...]:
    """What a manifest says that was asked for."""
    entries = manifest.get("derivatives", [])
    return tuple(DerivativeRequest(entry["function"], tuple(entry["with_respect_to"])) for entry in entries)


def differentiated(request: DerivativeRequest, derive: Callable[[Mechanism], Program], mechanism: Mechanism) -> Program:
    """dRESULT_dNAME for each name and result, of the result's shape with the name's behind it; q has nv directions.

    Raises:
        DerivationError: the function has no such argument or parameter.
    """
    program = derive(mechanism)
    if program.graph is not mechanism.graph:
        program = transplant(program, mechanism.graph)
    arguments = {item.name: (item.symbols, item.shape) for item in program.inputs}
    parameters = {item.name: ((item.symbol,), ()) for item in program.parameters}
    outputs = []
    for name in request.names:
        if name not in arguments and name not in parameters:
            raise _unknown(request, name, (*arguments, *parameters))
        symbols, shape = arguments.get(name) or parameters[name]
        for output in program.outputs:
            if name == "q":
                rows, shape = along_speeds(mechanism, output.values), (mechanism.nv,)
            else:
                rows = along(mechanism, output.values, symbols)
            outputs.append(
                Output(
                    f"d{output.name}_d{name}",
                    (*output.shape, *shape),
                    tuple(entry.ref for row in rows for entry in row),
                    "",
                    f"d {output.name} / d {name}{', q moved along the speeds' if name == 'q' else ''}",
                )
            )
    sentence = f"derivatives of {request.function} by {', '.join(request.names)}"
    if "q" in request.names:
        sentence = f"{sentence}, q moved along the speeds (see tangent_map)"
    return replace(program, name=request.name, outputs=tuple(outputs), description=sentence)


def _unknown(request: DerivativeRequest, name: str, known: tuple[str, ...]) -> DerivationError:
    return DerivationError(
        f"{request.function} has no argument or run-time parameter {name!r}",
        where=request.name,
        remedy=f"it has {', '.join(known)}",
    )

"""Generated functions as they look in units of the mechanism's own size: what they take and return, entry by entry.

Each argument and result has a power of energy, time and length, and along each axis a power of the units in which that
axis counts: motions along speeds, coordinates, closure rows, twists. Derivatives follow from what they are of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.codegen.description import Argument
from mbsym.codegen.load import LoadedFunction, LoadedModule
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.doors import Array
from mbsym.formulations.contracts import Contract, Size
from mbsym.model.own_units import SI
from mbsym.reference import Reference
from mbsym.verification.evidence import Companions, between
from mbsym.verification.own_units import motion_units

Shape: TypeAlias = tuple[Size, ...]


@dataclass(frozen=True, slots=True)
class Dimension:
    """Powers of energy, time and length, and of the units of each axis; axes that are not named have none."""

    energy: int = 0
    time: int = 0
    length: int = 0
    axes: tuple[int, ...] = ()

    def over(self, other: Dimension) -> Dimension:
        """Of a derivative by something, whose axes come last."""
        axes = (*self.axes, *(-power for power in other.axes))
        return Dimension(self.energy - other.energy, self.time - other.time, self.length - other.length, axes)


MOTION: Final = Dimension(axes=(1,))
SPEED, ACCELERATION = Dimension(0, -1, 0, (1,)), Dimension(0, -2, 0, (1,))
FORCE, MOMENTUM = Dimension(1, 0, 0, (-1,)), Dimension(1, 1, 0, (-1,))
RESPONSE: Final = Dimension(-1, -2, 0, (1, 1))
ENERGY: Final = Dimension(1)

DIMENSIONS: Final[Mapping[str, Dimension]] = {
    "q": MOTION, "v": SPEED, "vdot": ACCELERATION, "tau": FORCE, "t": Dimension(0, 1), "lambda": FORCE,
    "v_r": SPEED, "a_r": ACCELERATION, "motion": MOTION, "gains": Dimension(0, -1), "damping": Dimension(-1, -2),
    "bias": FORCE, "gravity": FORCE, "force": FORCE, "momentum": MOMENTUM, "rate": FORCE,
    "energy": ENERGY, "kinetic": ENERGY, "potential": ENERGY, "power": Dimension(1, -1),
    "M": Dimension(1, 2, 0, (-1, -1)), "C": Dimension(1, 1, 0, (-1, -1)), "M_inverse": RESPONSE,
    "A": Dimension(1, 2, 0, (-1, -1)), "Lambda": Dimension(1, 2, 0, (-1, -1)), "J_bar": Dimension(axes=(1, -1)),
    "T": Dimension(axes=(1, -1)), "qdot": SPEED, "com": Dimension(0, 0, 1),
    "velocities": Dimension(0, -1, 0, (0, 1)), "accelerations": Dimension(0, -2, 0, (0, 1)),
    "jacobians": Dimension(axes=(0, 1, -1)), "wrenches": Dimension(1, 0, 0, (0, -1)),
    "Y": FORCE, "F": FORCE, "P": MOMENTUM,
    "residual": MOTION, "size": MOTION, "rounding": MOTION, "G": Dimension(axes=(1, -1)), "N": Dimension(axes=(1, -1)),
    "residual_jacobian": Dimension(axes=(1, -1)), "gamma": ACCELERATION, "right": ACCELERATION, "free": ACCELERATION,
    "response": RESPONSE, "delassus": RESPONSE, "weighted": Dimension(axes=(-1, 1)),
    "inverses": Dimension(-1, -2, 0, (2,)), "q_moved": MOTION, "q_closed": MOTION, "v_consistent": SPEED,
    "v_independent": SPEED, "driving": FORCE, "q_prescribed": MOTION,
    "v_prescribed": SPEED, "q_assembled": MOTION, "inverse_inertias": Dimension(-1, -2, 0, (2,)),
}  # fmt: skip
"""Of arguments and results by name; parameters of regressors stay in SI, and so does what has none."""

SPEEDS_OF_MOMENTUM: Final = "speeds_of_momentum"
"""The function whose forces are momenta."""

AXES: Final[Mapping[str, Shape]] = {
    "q": ("nq",), "v": ("nv",), "v_r": ("nv",), "vdot": ("nv",), "a_r": ("nv",), "tau": ("nv",), "motion": ("nv",),
    "weights": ("nv",), "lambda": ("rows",), "v_independent": ("independent",),
    "u": ("nu",), "x": ("nx",),
}  # fmt: skip
"""Of arguments; those of control inputs and states of drives stay in SI, the others have none that counts."""


class OwnMeasures:
    """Arguments and results of a mechanism's functions in its own units.

    Attributes:
        units: those.
        coordinates, motions: units of the entries of q, and of motions along those of v.
        twists: units of [rotation; translation].
    """

    def __init__(self, reference: Reference, companions: Companions, contracts: Mapping[str, Contract]) -> None:
        """Takes the axes from a mechanism in those units.

        Args:
            reference: of the mechanism.
            companions: of the mechanism in these.
            contracts: of all functions.
        """
        units = self.units = companions.units
        self.twists = np.repeat([1.0, float(units.length)], 3)
        self.coordinates, self.motions = motion_units(reference, units)
        self._companions, self._contracts = companions, contracts
        self._axis = cache(self._axis_of)

    def module(self, module: LoadedModule) -> LoadedModule:
        """The module as it would be if it had been generated from the mechanism in these units."""
        if self.units == SI:
            return module
        return replace(
            module, functions={name: self._function(module, item) for name, item in module.functions.items()}
        )

    def argument(self, function: str, name: str, shape: tuple[int, ...]) -> Array:
        """One of these units in SI, for each entry of an argument."""
        return np.broadcast_to(self._array(*self._of_argument(function, name)), shape)

    def sizes(self, function: str, arguments: Sequence[Argument]) -> Mapping[str, Array]:
        """One of these units in SI of each argument of a function."""
        if self.units == SI:
            return {}
        return {item.name: self.argument(function, item.name, item.shape) for item in arguments}

    def in_si(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """A state in these units, in SI; what functions take besides it stays as it was drawn."""
        found = dict(state)
        for name in ("q", "v", "vdot", "tau", "t"):
            found[name] = state[name] * self.argument("", name, np.shape(state[name]))
        return found

    def _function(self, module: LoadedModule, function: LoadedFunction) -> LoadedFunction:
        given = [self.argument(function.name, item.name, item.shape) for item in function.inputs]
        returned = [self._result(module, function.name, item.name, item.shape) for item in function.outputs]

        def raw(inputs: Sequence[Any], parameters: Any) -> list[Array]:
            return [np.asarray(value, dtype=float) * unit for value, unit in zip(inputs, given, strict=True)]

        def own(found: Any) -> Any:
            if not isinstance(found, tuple):
                return found / returned[0]
            return tuple(array / unit for array, unit in zip(found, returned, strict=True))

        return between(raw, function, own)

    def _result(self, module: LoadedModule, function: str, name: str, shape: tuple[int, ...]) -> Array:
        """One of these units in SI, for each entry that is returned."""
        if name == "poses":
            pose = np.ones((4, 4))
            pose[:3, 3] = float(self.units.length)
            return np.broadcast_to(pose, shape)
        if name == "gap" and not shape:
            return np.asarray(self._axis("rows").max(initial=1.0))
        unit = self._array(*self._of_result(function, name))
        known = module.manifest.get("sparsity", {}).get(function, {}).get(name)
        if known is None or not module.manifest.get("compressed"):
            return np.broadcast_to(unit, shape)
        columns = np.broadcast_to(unit, known["shape"]).reshape(-1, known["shape"][-1])
        found = [columns[row, column] for column, rows in enumerate(known["rows"]) for row in rows]
        return np.array(found or [1.0])

    def _array(self, dimension: Dimension, shape: Shape) -> Array:
        units = self.units
        powers = ((units.energy, dimension.energy), (units.time, dimension.time), (units.length, dimension.length))
        found = np.asarray(np.prod([float(unit) ** power for unit, power in powers]))
        for size, power in zip(shape, dimension.axes, strict=False):
            found = np.multiply.outer(found, self._axis(size) ** power if power else np.ones(1))
        return found.reshape(found.shape + (1,) * (len(shape) - len(dimension.axes)))

    def _axis_of(self, size: Size) -> Array:
        """Units along an axis of that size."""
        length = float(self.units.length)
        companions = self._companions
        match size:
            case "nq":
                return self.coordinates
            case "nv":
                return self.motions
            case "independent":
                return np.asarray(self.motions[list(companions.independent)])
            case "rows" | "gaps":
                return np.array(
                    [length if unit in ("m", "m/s") else 1.0 for unit in companions.row_units(size == "gaps")]
                )
            case 6:
                return self.twists
            case "6nf":
                return np.tile(self.twists, len(companions.mechanism.frames))
        return np.ones(1)

    def _of_result(self, function: str, name: str) -> tuple[Dimension, Shape]:
        request = self._companions.derivatives.get(function)
        if request is not None:
            return self._of_derivative(request, name)
        contract = self._contracts.get(function)
        shape = next((item.shape for item in contract.results if item.name == name), ()) if contract else ()
        return _of_name(name), shape

    def _of_derivative(self, request: DerivativeRequest, name: str) -> tuple[Dimension, Shape]:
        of, _, by = name[1:].rpartition("_d")
        dimension, shape = self._of_result(request.function, of)
        dimension = replace(dimension, axes=(*dimension.axes, *(0,) * (len(shape) - len(dimension.axes))))
        if by == "q":
            return dimension.over(MOTION), (*shape, "nv")
        part, axes = self._of_argument(request.function, by)
        return dimension.over(part), (*shape, *axes)

    def _of_argument(self, function: str, name: str) -> tuple[Dimension, Shape]:
        axes = AXES.get(name, ())
        if name == "tau" and function == SPEEDS_OF_MOMENTUM:
            return MOMENTUM, axes
        if name == "weights":
            # Of forces they make energies, of accelerations rates of rates.
            return replace(MOTION, axes=(1 if "inverse" in function else -1,)), axes
        return DIMENSIONS.get(name, Dimension()), axes


def _of_name(name: str) -> Dimension:
    """Of a result; of derivatives by what they are of: dX_dY, X_dY, and d2X_dYdZ of weighted entries of X."""
    if name in DIMENSIONS:
        return DIMENSIONS[name]
    of, by_one, by = name.rpartition("_d")
    if not by_one:
        return Dimension()
    if of.startswith("d2"):
        whole = replace(DIMENSIONS[of[2:]], axes=())
        first, _, second = by.partition("d")
        return whole.over(DIMENSIONS[first]).over(DIMENSIONS[second])
    whole = DIMENSIONS[of if of in DIMENSIONS else of[1:]]
    return whole.over(DIMENSIONS[by])

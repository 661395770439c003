"""What keeping constraints, assembly and simulation ask of a mechanism with closed loops.

Every answer comes from the functions of a generated module, its solver included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.codegen.description import Argument
from mbsym.codegen.load import LoadedModule
from mbsym.codegen.statuses import Status
from mbsym.doors import Array
from mbsym.errors import SimulationError

Function: TypeAlias = Callable[..., Any]

NEEDED: Final = (
    "position_rate",
    "moved_position",
    "forward_dynamics",
    "constrained_dynamics",
    "constraint_residual",
    "closure_scale",
    "constraint_jacobian",
    "position_correction",
)
"""Functions without which a module cannot be assembled or simulated with closed loops; where there are closure rows,
those of the runtime stand beside them."""


@dataclass(frozen=True, slots=True)
class Acceleration:
    """Solution of the constrained equations.

    Attributes:
        vdot: (nv,).
        multipliers: of the independent closure rows, of least norm where the configuration is singular.
    """

    vdot: Array
    multipliers: Array


@dataclass(frozen=True, slots=True)
class ClosureState:
    """Closure equations at a configuration: residual (m,), its derivatives (m, nv) and G (m, nv)."""

    residual: Array
    residual_jacobian: Array
    jacobian: Array


@dataclass(frozen=True, slots=True)
class ProjectedPosition:
    """Where a projection of q ended: q (nq,), the largest gap left, Newton steps, and whether the loops are closed."""

    q: Array
    gap: float
    iterations: int
    converged: bool


@dataclass(frozen=True, slots=True)
class LoopedSystem:
    """A mechanism in numbers.

    Attributes:
        name: of the model.
        nq, nv: sizes of q and v.
        rows: number of independent closure rows.
        extra: t and u, where the dynamics take them.
        functions: by name; each takes arrays in the catalogue's order and returns an array or a tuple of arrays, as
            they are where it fails.
        projection: project_position_report with its status; None where there are no closure rows.
    """

    name: str
    nq: int
    nv: int
    rows: int
    extra: tuple[Argument, ...]
    functions: Mapping[str, Function]
    projection: Function | None = None

    @classmethod
    def of_module(cls, module: LoadedModule) -> LoopedSystem:
        """The system of a generated module.

        Raises:
            SimulationError: the module lacks a function.
        """
        for name in NEEDED:
            if name not in module.functions:
                raise SimulationError(
                    f"the module has no function {name}",
                    where=str(module.manifest["name"]),
                    remedy="generate it with all functions",
                )
        dynamics = module.functions["constrained_dynamics"]
        _, _, _, *extra = dynamics.inputs
        report = module.functions.get("project_position_report")
        return cls(
            str(module.manifest["name"]),
            int(module.manifest["nq"]),
            int(module.manifest["nv"]),
            dynamics.outputs[1].size,
            tuple(extra),
            module.functions,
            None if report is None else report.with_status,
        )

    def position_rate(self, q: Array, v: Array) -> Array:
        """qdot (nq,)."""
        return np.asarray(self.functions["position_rate"](q, v))

    def move(self, q: Array, step: Array) -> Array:
        """q moved by a small motion of v, its quaternions of unit length."""
        return np.asarray(self.functions["moved_position"](q, step))

    def closure(self, q: Array) -> ClosureState:
        """Closure equations at q."""
        return ClosureState(
            np.asarray(self.functions["constraint_residual"](q)),
            np.asarray(self.functions["position_correction"](q)[0]),
            np.asarray(self.functions["constraint_jacobian"](q)),
        )

    def scale(self, q: Array) -> tuple[Array, Array]:
        """Size and rounding by which the residuals at q are measured (m,)."""
        size, rounding = self.functions["closure_scale"](q)
        return np.asarray(size), np.asarray(rounding)

    def accelerate(self, q: Array, v: Array, tau: Array, extra: Sequence[Any] = ()) -> Acceleration:
        """vdot and multipliers; ``extra`` is t and u."""
        return Acceleration(*self.functions["constrained_dynamics"](q, v, tau, *extra))

    def accelerate_stabilised(
        self, q: Array, v: Array, tau: Array, extra: Sequence[Any], gains: tuple[float, float]
    ) -> Acceleration:
        """vdot and multipliers with restoring terms of the gains alpha and beta."""
        if not self.rows:
            return self.accelerate(q, v, tau, extra)
        return Acceleration(*self.functions["stabilised_dynamics"](q, v, tau, *extra, np.array(gains)))

    def project_position(self, q: Array) -> ProjectedPosition:
        """The nearest q, in the metric of the mass matrix, at which the loops are closed."""
        if not self.rows or self.projection is None:
            return ProjectedPosition(q, 0.0, 0, True)
        (closed, gap, steps), status = self.projection(q)
        return ProjectedPosition(np.asarray(closed), float(gap), int(steps), int(status) == Status.OK)

    def project_velocity(self, q: Array, v: Array) -> Array:
        """The speeds nearest to v, in the metric of the mass matrix, that keep the loops closed."""
        return np.asarray(self.functions["project_velocity"](q, v)) if self.rows else v

    def closure_rows(self, q: Array) -> Array:
        """G at q (m, nv)."""
        return np.asarray(self.functions["constraint_jacobian"](q)) if self.rows else np.zeros((0, self.nv))

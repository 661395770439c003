"""What keeping constraints, assembly and simulation ask of a mechanism with closed loops.

The functions are those of a generated and loaded module, or Programs evaluated as they are; both answer to the same
names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.load import LoadedModule
from mbsym.errors import SimulationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.initial_coordinates import normalised
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.symbolic.evaluator import Evaluator

Array: TypeAlias = NDArray[Any]
Function: TypeAlias = Callable[..., Any]

NEEDED: Final = ("position_rate", "constrained_terms", "constraint_correction")
"""Functions without which a module cannot be assembled or simulated with closed loops."""

REGULAR: Final = 1e-3
"""Part of the largest pivot of the Cholesky factor of G M^-1 G^T below which singular values take over. Errors grow
with the square of its inverse in the one and with the inverse in the other."""

DEPENDENT: Final = 1e-10
"""Part of the largest singular value of L^-T G^T below which a closure row counts as dependent."""


@dataclass(frozen=True, slots=True)
class Acceleration:
    """Solution of the constrained equations.

    Attributes:
        vdot: (nv,).
        multipliers: of the independent closure rows, of least norm where the configuration is singular.
        rank: of G here.
    """

    vdot: Array
    multipliers: Array
    rank: int


@dataclass(frozen=True, slots=True)
class ClosureState:
    """Closure equations at a configuration: residual (m,), its derivatives (m, nv), G (m, nv) and M^-1 G^T (nv, m)."""

    residual: Array
    residual_jacobian: Array
    jacobian: Array
    response: Array


@dataclass(frozen=True, slots=True)
class LoopedSystem:
    """A mechanism in numbers.

    Attributes:
        name: of the model.
        nq, nv: sizes of q and v.
        rows: number of independent closure rows.
        quaternions: indices in q of the first component of each quaternion.
        functions: by name; each takes arrays in the catalogue's order and returns an array or a tuple of arrays.
    """

    name: str
    nq: int
    nv: int
    rows: int
    quaternions: tuple[int, ...]
    functions: Mapping[str, Function]

    @classmethod
    def of_mechanism(
        cls,
        mechanism: Mechanism,
        analysis: LoopAnalysis | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> LoopedSystem:
        """The system evaluated from its Programs, for small models and short runs."""
        found = analyse_loops(mechanism) if analysis is None else analysis
        names = (*NEEDED, "kinetic_energy", "potential_energy", "closure_gap")
        functions: dict[str, Function] = {}
        for name in names:
            looped = LOOP_FUNCTIONS.get(name)
            program = TREE_FUNCTIONS[name](mechanism) if looped is None else looped(mechanism, found)
            functions[name] = _as_function(Evaluator(program, parameters))
        return cls(
            mechanism.model.name, mechanism.nq, mechanism.nv, len(found.rows), mechanism.q.quaternions, functions
        )

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
        q = module.functions["constrained_terms"].inputs[0]
        right = next(item for item in module.functions["constrained_terms"].outputs if item.name == "right")
        return cls(
            str(module.manifest["name"]),
            int(module.manifest["nq"]),
            int(module.manifest["nv"]),
            right.size,
            q.quaternions,
            module.functions,
        )

    @property
    def takes_time(self) -> bool:
        """True where the dynamics have the arguments t and u."""
        return len(_inputs(self.functions["constrained_terms"])) > 3

    def position_rate(self, q: Array, v: Array) -> Array:
        """qdot (nq,)."""
        return np.asarray(self.functions["position_rate"](q, v))

    def move(self, q: Array, step: Array) -> Array:
        """q moved by a small motion of v, its quaternions of unit length."""
        return normalised(q + self.position_rate(q, step), self.quaternions)

    def closure(self, q: Array) -> ClosureState:
        """Closure equations at q."""
        return ClosureState(*(np.asarray(item) for item in self.functions["constraint_correction"](q)))

    def accelerate(
        self, q: Array, v: Array, tau: Array, extra: Sequence[Any] = (), restoring: Array | None = None
    ) -> Acceleration:
        """vdot and multipliers; ``extra`` is t and u, ``restoring`` (m,) is added to gamma."""
        free, response, delassus, right, weighted, inverses = self.functions["constrained_terms"](q, v, tau, *extra)
        if not self.rows:
            return Acceleration(np.asarray(free), np.zeros(0), 0)
        wanted = right if restoring is None else right + restoring
        multipliers, rank = solve_multipliers(delassus, wanted, weighted, inverses)
        return Acceleration(free + response @ multipliers, multipliers, rank)


def solve_multipliers(delassus: Array, right: Array, weighted: Array, inverses: Array) -> tuple[Array, int]:
    """lambda of G M^-1 G^T lambda = right, and the rank of G.

    By Cholesky's factors, or where these show a singular configuration nearby, by the singular values of
    D^-1/2 L^-T G^T, which are found without squaring; lambda is then of least norm.

    Args:
        delassus: G M^-1 G^T (m, m).
        right: (m,).
        weighted: L^-T G^T (nv, m).
        inverses: of the entries of D (nv,).
    """
    try:
        lower = np.linalg.cholesky(delassus)
        pivots = np.diagonal(lower)
        regular = bool(np.min(pivots) > REGULAR * np.max(pivots))
    except np.linalg.LinAlgError:
        regular = False
    if regular:
        return np.linalg.solve(lower.T, np.linalg.solve(lower, right)), len(right)
    _, sizes, vt = np.linalg.svd(np.sqrt(np.abs(inverses))[:, None] * weighted, full_matrices=False)
    kept = sizes > DEPENDENT * sizes[0]
    squares = np.where(kept, 1.0 / np.where(kept, sizes, 1.0) ** 2, 0.0)
    return vt.T @ (squares * (vt @ right)), int(np.sum(kept))


def _inputs(function: Function) -> Sequence[Any]:
    found: Sequence[Any] = getattr(function, "inputs", ())
    return found


class _ProgramFunction:
    """A Program called with positional arrays."""

    __slots__ = ("_evaluator", "inputs")

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.inputs = evaluator.program.inputs

    def __call__(self, *arguments: Any) -> Any:
        results = tuple(self._evaluator(*arguments).values())
        return results[0] if len(results) == 1 else results


def _as_function(evaluator: Evaluator) -> Function:
    return _ProgramFunction(evaluator)

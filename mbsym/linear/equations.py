"""A model's equations and their derivatives, ready to be evaluated at a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from mbsym.codegen.interface import render
from mbsym.codegen.load import LoadedModule, numpy_module
from mbsym.codegen.statuses import SENTENCES, Status
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.looped_system import NEEDED, LoopedSystem
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.model.system import Model
from mbsym.options.generation import GenerationOptions
from mbsym.pipeline import Derivation, Progress, derive, describe, express
from mbsym.registry import available_functions
from mbsym.simulation.equations import coordinate_quantities, speed_quantities, suggestion
from mbsym.symbolic.program import Program

_TREE: Final = ("forward_dynamics", "mass_matrix", "body_poses", "tangent_map", "forward_dynamics_derivatives")
_LOOPS: Final = (*NEEDED, "mass_matrix", "body_poses", "tangent_map", "closure_gap", "constrained_dynamics_derivatives")


@dataclass(frozen=True, slots=True)
class State:
    """Where a mechanism is, how it moves and what acts on it.

    Attributes:
        q: coordinates (nq,).
        v: speeds (nv,).
        tau: generalised forces (nv,).
        u: control inputs (nu,).
        t: time [s].
    """

    q: Array
    v: Array
    tau: Array
    u: Array
    t: float = 0.0


@dataclass(frozen=True, slots=True)
class Slopes:
    """vdot at a state and its derivatives, q moved along the speeds.

    Attributes:
        vdot: (nv,).
        by_q, by_v, by_tau: (nv, nv).
        by_u: (nv, nu).
    """

    vdot: Array
    by_q: Array
    by_v: Array
    by_tau: Array
    by_u: Array


@dataclass(frozen=True, slots=True, repr=False)
class LinearEquations:
    """Equations of a model with their derivatives.

    Attributes:
        mechanism: the labelled model.
        derivation: the functions as graphs.
        module: the functions as NumPy.
    """

    mechanism: Mechanism
    derivation: Derivation
    module: LoadedModule

    def __repr__(self) -> str:
        return f"<LinearEquations of {self.name!r}>"

    @property
    def name(self) -> str:
        """Of the model."""
        return self.mechanism.model.name

    @property
    def loops(self) -> LoopAnalysis | None:
        """What is known of closed loops that hold the motion, None where none do."""
        loops = self.derivation.loops
        return loops if loops is not None and loops.rows else None

    @property
    def looped_system(self) -> LoopedSystem:
        """For closing and keeping closed loops."""
        return LoopedSystem.of_module(self.module)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the entries of q."""
        return tuple(item.name for item in coordinate_quantities(self.mechanism))

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the entries of v."""
        return tuple(item.name for item in speed_quantities(self.mechanism))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the control inputs."""
        return tuple(item.name for item in self.mechanism.model.inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the model's outputs, if the equations were prepared for them."""
        model = self.mechanism.model
        return tuple(item.name for item in model.outputs) if by_outputs(model).name in self.module.functions else ()

    @property
    def units(self) -> dict[str, str]:
        """Of coordinates, speeds, control inputs and time, by name."""
        quantities = (*coordinate_quantities(self.mechanism), *speed_quantities(self.mechanism))
        inputs = {item.name: item.unit for item in self.mechanism.model.inputs}
        return {**{item.name: item.unit for item in quantities}, **inputs, "t": "s"}

    def by_name(self, state: State) -> dict[str, object]:
        """What a state is made of, by name, for machines."""
        groups = (self.coordinates, state.q), (self.speeds, state.v), (self.speeds, state.tau), (self.inputs, state.u)
        named = (dict(zip(names, values.tolist(), strict=True)) for names, values in groups)
        return dict(zip(("q", "v", "tau", "u", "t"), (*named, state.t), strict=True))

    def unknown(self, kind: str, name: str, known: Sequence[str]) -> AnalysisError:
        """The error that nothing of a kind is called so."""
        return AnalysisError(f"no {kind} is called {name!r}", where=self.name, remedy=suggestion(name, known))

    def program(self, name: str) -> Program:
        """A function as a graph."""
        return next(program for program in self.derivation.programs if program.name == name)

    def evaluate(self, name: str, state: State) -> tuple[Array, ...]:
        """Results of a function at a state; vdot and other arguments that states lack are zero.

        Raises:
            AnalysisError: they do not exist there.
        """
        function = self.module.functions[name]
        known: dict[str, Any] = {"q": state.q, "v": state.v, "tau": state.tau, "u": state.u, "t": state.t}
        given = [known.get(item.name, np.zeros(item.shape)) for item in function.inputs]
        found, status = function.with_status(*given)
        if status:
            raise AnalysisError(
                f"{name} has no result at this state: {SENTENCES[Status(int(status))]}",
                where=self.name,
                remedy="take another state",
            )
        return tuple(np.asarray(item) for item in (found if isinstance(found, tuple) else (found,)))

    def slopes(self, state: State) -> Slopes:
        """vdot and its derivatives.

        Raises:
            AnalysisError: the mass matrix is singular there; it says which joints move without inertia.
        """
        self._require_inertia(state)
        (vdot,) = self.evaluate("forward_dynamics", state)
        function = "forward_dynamics_derivatives" if self.loops is None else "constrained_dynamics_derivatives"
        by_q, by_v, by_tau = self.evaluate(function, state)[:3]
        by_u = np.zeros((len(vdot), 0))
        if self.inputs:
            # tau = ID(q, v, vdot, u) is held.
            by_u = self._by_inputs(state, by_tau)
        return Slopes(vdot, by_q, by_v, by_tau, by_u)

    def _by_inputs(self, state: State, by_tau: Array) -> Array:
        """Derivatives of vdot by the control inputs (nv, nu)."""
        model = self.mechanism.model
        name = by_inputs(model, looped=self.loops is not None).name
        found = self.evaluate(name, state)
        if not model.motions:
            return -by_tau @ found[0]
        if self.loops is None:
            return found[0]
        # vdot = free + response lambda with delassus lambda = right, of which inputs change free and right.
        terms = dict(zip((item.name for item in self.module.functions[name].outputs), found, strict=True))
        _, response, delassus, *_ = self.evaluate("constrained_terms", state)
        pulls = np.linalg.lstsq(delassus, terms["dright_du"], rcond=None)[0]
        return np.asarray(terms["dfree_du"] + response @ pulls)

    def output_slopes(self, state: State) -> tuple[Array, Array, Array]:
        """Derivatives of the model's outputs: by q moved along the speeds and by v (ny, nv), by u (ny, nu).

        Raises:
            AnalysisError: an output has no value or no derivative there.
        """
        by_q, by_v, *by_u = self.evaluate(by_outputs(self.mechanism.model).name, state)
        return by_q, by_v, by_u[0] if by_u else np.zeros((len(by_q), 0))

    def _require_inertia(self, state: State) -> None:
        (mass,) = self.evaluate("mass_matrix", state)
        size = np.sqrt(np.abs(np.diagonal(mass)))
        scale = np.where(size > 0.0, size, 1.0)
        values, vectors = np.linalg.eigh(mass / np.outer(scale, scale))
        if values[0] > NO_INERTIA:
            return
        idle = np.abs(vectors[:, 0])
        names = [name for name, share in zip(self.speeds, idle, strict=True) if share > 0.1 * idle.max()]
        raise AnalysisError(
            f"the mass matrix is singular at this state: nothing resists a motion of {', '.join(names)}",
            where=self.name,
            remedy="give what moves there mass, or take another state",
        )


def by_inputs(model: Model, *, looped: bool) -> DerivativeRequest:
    """The derivatives that tell how control inputs act: on forces, and where motions follow them on the motion."""
    driven = "constrained_terms" if looped else "forward_dynamics"
    return DerivativeRequest(driven if model.motions else "inverse_dynamics", ("u",))


def by_outputs(model: Model) -> DerivativeRequest:
    """The derivatives of the model's outputs by coordinates and speeds, and by control inputs if it has any."""
    return DerivativeRequest("outputs", ("q", "v", *(("u",) if model.inputs else ())))


POSITIONS: Final = "frame_jacobian"
"""Whose linear rows say how frames shift, along base axes."""

NO_INERTIA: Final = 1e-13
"""Smallest eigenvalue of the mass matrix, its diagonal brought to one, that is more than round-off."""


def prepare(
    model: Model,
    order: str = "weight",
    frames: Sequence[str] = (),
    progress: Progress | None = None,
    *,
    outputs: bool = False,
) -> LinearEquations:
    """Derives what a linear analysis evaluates, as a NumPy module that never leaves the memory.

    Args:
        model: checked.
        order: of the assembly.
        frames: names of frames and bodies whose places are looked at.
        progress: told of each step.
        outputs: whether outputs of the model are looked at.

    Raises:
        AnalysisError: nothing can move.
        MbsymError: the equations cannot be derived.
    """
    options = GenerationOptions(
        languages=("numpy",),
        order=order,
        frames=tuple(frames),
        frame_axes="aligned",
        style="straight",
    )
    mechanism = express(model, options)
    if not mechanism.nv:
        raise AnalysisError("no joint can move", where=model.name, remedy="give the model a joint that is not fixed")
    # Cut joints that hold nothing leave a tree.
    loops = available_functions(mechanism, options.formulation).loops
    looped = loops is not None and bool(loops.rows)
    functions = (*(_LOOPS if looped else _TREE), *(("driven_state",) if model.motions else ()))
    requests = (
        *([by_inputs(model, looped=looped)] if model.inputs else []),
        *([by_outputs(model)] if outputs else []),
    )
    options = replace(options, functions=(*functions, *((POSITIONS,) if frames else ())), derivatives=requests)
    derivation = derive(mechanism, options, progress)
    module = numpy_module(*render(describe(derivation, options), options.languages))
    return LinearEquations(mechanism, derivation, module)

"""A model's equations and their derivatives, ready to be evaluated at a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from mbsym.derivatives.in_numbers import NumericDerivatives
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.formulations.massless_motion import require_inertia
from mbsym.kinematics.measures import measures_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.linear.motion import MotionEquations, Slopes
from mbsym.linear.tables import number, pairs
from mbsym.loops.looped_system import Function, LoopedSystem
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.runtime import extra_arguments
from mbsym.model.system import Model
from mbsym.options.generation import GenerationOptions
from mbsym.pipeline import Progress, derive, express
from mbsym.registry import Available, available_functions
from mbsym.simulation.equations import coordinate_quantities, drive_quantities, speed_quantities, suggestion
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Program


@dataclass(frozen=True, slots=True)
class State:
    """Where a mechanism is, how it moves and what acts on it.

    Attributes:
        q: coordinates (nq,).
        v: speeds (nv,).
        tau: generalised forces (nv,).
        u: control inputs (nu,).
        t: time [s].
        x: states of drives (nx,).
    """

    q: Array
    v: Array
    tau: Array
    u: Array
    t: float = 0.0
    x: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def by_argument(self) -> dict[str, Any]:
        """By the names that arguments of functions have."""
        return {"q": self.q, "v": self.v, "tau": self.tau, "u": self.u, "t": self.t, "x": self.x}


@dataclass(frozen=True, slots=True)
class ValueSlopes:
    """Values at a state and their derivatives.

    Attributes:
        values: (n,).
        by_q, by_v: by q moved along the speeds, and by these (n, nv).
        by_u: by control inputs (n, nu).
        by_x: by states of drives (n, nx).
    """

    values: Array
    by_q: Array
    by_v: Array
    by_u: Array
    by_x: Array


@dataclass(frozen=True, repr=False, eq=False)
class LinearEquations:
    """Equations of a model in numbers, each derived when it is asked for.

    Attributes:
        mechanism: the labelled model.
        found: what can be derived of it.
        options: by which equations are derived as formulas.
        tells_outputs: whether outputs of the model are looked at.
    """

    mechanism: Mechanism
    found: Available
    options: GenerationOptions
    tells_outputs: bool = False
    _evaluators: dict[str, Evaluator] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<LinearEquations of {self.name!r}>"

    @property
    def name(self) -> str:
        """Of the model."""
        return self.mechanism.model.name

    @property
    def loops(self) -> LoopAnalysis | None:
        """What is known of closed loops that hold the motion, None where none do."""
        return self.found.holding

    @property
    def looped_system(self) -> LoopedSystem:
        """For closing and keeping closed loops."""
        mechanism, motion = self.mechanism, self._motion
        functions: dict[str, Function] = {"constraint_jacobian": motion.constraint_jacobian}
        rows = len(self.loops.rows) if self.loops is not None else 0
        return LoopedSystem(self.name, mechanism.nq, mechanism.nv, rows, extra_arguments(mechanism), functions)

    def lines(self, state: State) -> list[str]:
        """A state as people read it."""
        sizes = measures_of(self.mechanism).coordinates
        lines = [f"{'q':12}{pairs(self.coordinates, state.q, sizes)}"]
        if state.v.any():
            lines.append(f"{'v':12}{pairs(self.speeds, state.v)}")
        if self.inputs:
            lines.append(f"{'inputs':12}{pairs(self.inputs, state.u)}")
        if self.drives:
            lines.append(f"{'drives':12}{pairs(self.drives, state.x, np.ones(len(state.x)))}")
        if state.tau.any():
            lines.append(f"{'tau':12}{pairs(self.speeds, state.tau)}")
        if self.mechanism.model.uses_time:
            lines.append(f"{'t':12}{number(state.t)} s, at which this holds: forces depend on time")
        return lines

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the entries of q."""
        return tuple(item.name for item in coordinate_quantities(self.mechanism))

    @cached_property
    def speeds(self) -> tuple[str, ...]:
        """Names of the entries of v."""
        return tuple(item.name for item in speed_quantities(self.mechanism))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the control inputs."""
        return tuple(item.name for item in self.mechanism.model.inputs)

    @property
    def drives(self) -> tuple[str, ...]:
        """Names of the states of drives."""
        return tuple(item.name for item in self.mechanism.model.drives)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the model's outputs, if the equations were prepared for them."""
        return tuple(item.name for item in self.mechanism.model.outputs) if self.tells_outputs else ()

    @property
    def units(self) -> dict[str, str]:
        """Of coordinates, speeds, states of drives, control inputs and time, by name."""
        moving = (*coordinate_quantities(self.mechanism), *speed_quantities(self.mechanism))
        quantities = (*moving, *drive_quantities(self.mechanism))
        inputs = {item.name: item.unit for item in self.mechanism.model.inputs}
        return {**{item.name: item.unit for item in quantities}, **inputs, "t": "s"}

    def by_name(self, state: State) -> dict[str, object]:
        """What a state is made of, by name, for machines."""
        groups = (
            (self.coordinates, state.q),
            (self.speeds, state.v),
            (self.speeds, state.tau),
            (self.inputs, state.u),
            (self.drives, state.x),
        )
        named = (dict(zip(names, values.tolist(), strict=True)) for names, values in groups)
        return {**dict(zip(("q", "v", "tau", "u", "x"), named, strict=True)), "t": state.t}

    def unknown(self, kind: str, name: str, known: Sequence[str]) -> AnalysisError:
        """The error that nothing of a kind is called so."""
        return AnalysisError(f"no {kind} is called {name!r}", where=self.name, remedy=suggestion(name, known))

    def formula(self, asked: str | DerivativeRequest) -> Program:
        """A function by its name, or a derivative, as a graph with fewest operations."""
        functions, requests = ((asked,), ()) if isinstance(asked, str) else ((), (asked,))
        options = replace(self.options, functions=functions, derivatives=requests)
        name = asked if isinstance(asked, str) else asked.name
        return next(program for program in derive(self.mechanism, options).programs if program.name == name)

    def evaluator(self, name: str) -> Evaluator:
        """A function in numbers."""
        if name not in self._evaluators:
            self._evaluators[name] = Evaluator(self.found.every[name](self.mechanism))
        return self._evaluators[name]

    def evaluate(self, name: str, state: State) -> tuple[Array, ...]:
        """Results of a function at a state; vdot and other arguments that states lack are zero.

        Raises:
            AnalysisError: they do not exist there.
        """
        function = self.evaluator(name)
        given = state.by_argument
        inputs = function.program.inputs
        found = tuple(function(*(given.get(item.name, np.zeros(item.shape)) for item in inputs)).values())
        self._require_finite(f"{name} has no result", *found)
        return found

    @cached_property
    def _motion(self) -> MotionEquations:
        return MotionEquations(self.mechanism, self.loops)

    @cached_property
    def _outputs(self) -> NumericDerivatives:
        program = self.found.every["outputs"](self.mechanism)
        return NumericDerivatives(self.mechanism, program, ("q", "v", "u", "x"))

    @cached_property
    def _drive_rates(self) -> NumericDerivatives:
        program = self.found.every["drive_rates"](self.mechanism)
        return NumericDerivatives(self.mechanism, program, ("q", "v", "u", "x"))

    def slopes(self, state: State) -> Slopes:
        """vdot and its derivatives.

        Raises:
            AnalysisError: the mass matrix is singular there; it says which joints move without inertia.
        """
        found = self._motion.slopes(state.by_argument)
        self._require_finite(
            "forward_dynamics has no result or no derivative",
            found.vdot,
            found.by_q,
            found.by_v,
            found.by_u,
            found.by_x,
        )
        return found

    def output_slopes(self, state: State) -> ValueSlopes:
        """The model's outputs and their derivatives.

        Raises:
            AnalysisError: an output has no value or no derivative there.
        """
        return self._value_slopes("outputs", "y", self._outputs(state.by_argument))

    def drive_slopes(self, state: State) -> ValueSlopes:
        """Rates of the states of drives and their derivatives.

        Raises:
            AnalysisError: a rate has no value or no derivative there.
        """
        nv, nu = self.mechanism.nv, len(self.inputs)
        if not self.drives:
            return ValueSlopes(np.zeros(0), *(np.zeros((0, size)) for size in (nv, nv, nu, 0)))
        return self._value_slopes("drive_rates", "xdot", self._drive_rates(state.by_argument))

    def _value_slopes(
        self, name: str, result: str, found: tuple[dict[str, Array], dict[tuple[str, str], Array]]
    ) -> ValueSlopes:
        values, slopes = found[0][result], found[1]
        nv, sizes = self.mechanism.nv, (len(self.inputs), len(self.drives))
        by = [slopes[result, "q"].reshape(-1, nv), slopes[result, "v"].reshape(-1, nv)]
        # What a model has none of is no argument.
        by += [
            slopes.get((result, argument), np.zeros((len(values), size)))
            for argument, size in zip("ux", sizes, strict=True)
        ]
        self._require_finite(f"{name} has no derivative", values, *by)
        return ValueSlopes(values, *by)

    def _require_finite(self, what: str, *values: Array) -> None:
        if not all(np.isfinite(value).all() for value in values):
            raise AnalysisError(
                f"{what} at this state: it divides by zero, or leaves the domain of a function",
                where=self.name,
                remedy="take another state",
            )


POSITIONS: Final = "frame_jacobian"
"""Whose linear rows say how frames shift, along base axes."""


def prepare(
    model: Model,
    order: str = "weight",
    frames: Sequence[str] = (),
    progress: Progress | None = None,
    *,
    outputs: bool = False,
) -> LinearEquations:
    """What a linear analysis evaluates: nothing is printed or compiled, and no formula of a derivative is made.

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
    if progress is not None and (mechanism.cut_joints or model.constraints):
        progress("analyse the loops", 0, 1)
    require_inertia(mechanism)
    return LinearEquations(mechanism, available_functions(mechanism, options.formulation), options, outputs)

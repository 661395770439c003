"""What checks of a generated function may ask: the function itself, its companions, and the reference's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from mbsym.codegen.load import LoadedFunction, LoadedModule
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.doors import Array
from mbsym.errors import VerificationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.independent import independent_at_start
from mbsym.model.own_units import SI, Units
from mbsym.passes.given_sines import SIN_COS, SINES_COSINES
from mbsym.reference import Reference
from mbsym.reference.motions import prescribed_motions
from mbsym.registry import Available, available_functions
from mbsym.symbolic.evaluator import Evaluator

Kind: TypeAlias = Literal["rounding", "solution", "closure", "difference", "slope", "solved slope"]
"""What bounds an error: rounding; rounding magnified by the condition of the mass matrix; how well the loops of random
states are closed; the step of a central difference, of the code, of the reference alone, or of what is then solved."""

Pairs: TypeAlias = Iterable[tuple[Any, Any]]
"""What was found, and what it must be."""

DIFFERENCE_STEP = 1e-5


def arrays_of(found: Any) -> tuple[Array, ...]:
    """The result of a call, or its several results, in double precision."""
    return tuple(np.asarray(array, dtype=float) for array in (found if isinstance(found, tuple) else (found,)))


class Numbers:
    """The reference at one state; each result is made once, when it is asked for.

    Attributes:
        reference: the model's equations by other mathematics.
        state: arrays by the names of arguments.
    """

    def __init__(self, reference: Reference, state: Mapping[str, Any]) -> None:
        self.reference = reference
        self.state = state
        self._made: dict[str, Any] = {}

    def __getitem__(self, path: str) -> Array:
        """What METHOD returns at this state, or METHOD.ATTRIBUTE of it.

        Raises:
            VerificationError: the reference has no such method.
        """
        method, _, attribute = path.partition(".")
        if method not in self._made:
            self._made[method] = self._call(method)
        made = self._made[method]
        return np.asarray(getattr(made, attribute) if attribute else made, dtype=float)

    def at(self, **changes: Any) -> Numbers:
        """The reference at this state with some arguments changed, ``closed`` among them.

        Raises:
            VerificationError: no method takes such an argument.
        """
        unknown = changes.keys() - self.state.keys() - {"closed"}
        if unknown:
            raise VerificationError(f"no reference takes {min(unknown)!r}", remedy=f"it takes {', '.join(self.state)}")
        return Numbers(self.reference, {**self.state, **changes})

    def _call(self, method: str) -> Any:
        function: Callable[..., Any] | None = getattr(self.reference, method, None)
        if function is None:
            raise VerificationError(f"the reference has no {method}", remedy="give it one, or name an identity instead")
        return function(**{name: self.state[name] for name in signature(function).parameters if name in self.state})


class Companions:
    """Functions that a check needs and a module lacks, evaluated from their Programs.

    Attributes:
        mechanism: in units of its own size.
        derivatives: that the module was asked for, by name.
        units: those in which the mechanism is.
    """

    def __init__(self, mechanism: Mechanism, derivatives: Sequence[DerivativeRequest] = (), units: Units = SI) -> None:
        self.mechanism = mechanism
        self.units = units
        self.derivatives = {request.name: request for request in derivatives}
        self._evaluators: dict[str, Evaluator] = {}

    def outputs(
        self, name: str, state: Mapping[str, Any], parameters: Mapping[str, float] | None = None
    ) -> tuple[Array, ...]:
        """Results of a function, with some run-time parameters changed."""
        key = f"{name} {sorted((parameters or {}).items())}"
        if key not in self._evaluators:
            self._evaluators[key] = Evaluator(self._functions[name](self.mechanism.afresh()), parameters)
        evaluator = self._evaluators[key]
        found = evaluator(*(np.ravel(state[item.name]) for item in evaluator.program.inputs))
        return tuple(np.asarray(array, dtype=float) for array in found.values())

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Columns of the independent speeds of closed loops."""
        assert self._available.loops is not None
        return independent_at_start(self.mechanism, self._available.loops)

    def row_units(self, everything: bool) -> tuple[str, ...]:
        """Units of the independent closure rows, or of all."""
        loops = self._available.loops
        assert loops is not None
        rows = [row for closure in loops.closures for row in closure.rows] if everything else loops.rows
        return tuple(row.unit for row in rows)

    @cached_property
    def _available(self) -> Available:
        return available_functions(self.mechanism, "auto")

    @cached_property
    def _functions(self) -> Mapping[str, Any]:
        return self._available.with_derivatives(tuple(self.derivatives.values()))


def expanded(values: Array, sparsity: Mapping[str, Any]) -> Array:
    """A matrix of compressed columns, as the manifest describes it; a matrix of zeros has one number stored."""
    shape = tuple(sparsity["shape"])
    columns = sparsity["rows"] if any(sparsity["rows"]) else [[0], *[[]] * (shape[-1] - 1)]
    matrix = np.zeros((int(np.prod(shape[:-1], dtype=int)), shape[-1]))
    matrix[[row for rows in columns for row in rows], np.repeat(range(shape[-1]), [len(rows) for rows in columns])] = (
        values
    )
    return matrix.reshape(shape)


def given_sines(module: LoadedModule, state: Mapping[str, Any]) -> dict[str, Array]:
    """The sines and cosines that a module's functions take at a state; nothing where they compute them."""
    made = module.functions.get(SINES_COSINES)
    return {SIN_COS: np.asarray(made(*(state[item.name] for item in made.inputs)))} if made is not None else {}


def called(
    function: LoadedFunction, states: Mapping[str, Any], parameters: Mapping[str, float] = MappingProxyType({})
) -> tuple[tuple[Array, ...], Array]:
    """Results of a function at some states, in double precision, and what it says of each state."""
    given = [states[item.name] for item in function.inputs]
    taken = {name: value for name, value in parameters.items() if name in function.parameters}
    with np.errstate(all="ignore"):
        found, status = function.with_status(*given, parameters=taken)
    return arrays_of(found), status


def between(
    given: Callable[[Any, Any], Any], function: LoadedFunction, returned: Callable[[Any], Any]
) -> LoadedFunction:
    """The function, called with what ``given`` makes of its inputs; returned is what ``returned`` makes of results."""

    def call(inputs: Any, parameters: Any) -> Any:
        return returned(function.call(given(inputs, parameters), parameters))

    judged = function.judged

    def judge(inputs: Any, parameters: Any) -> Any:
        assert judged is not None
        found, status = judged(given(inputs, parameters), parameters)
        return returned(found), status

    return replace(function, call=call, judged=judge if judged is not None else None)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One function of one module at one state.

    Attributes:
        function: its name.
        module: that holds it.
        numbers: the reference at the state.
        companions: functions that the module lacks.
        single: the code computes in single precision.
    """

    function: str
    module: LoadedModule
    numbers: Numbers
    companions: Companions
    single: bool = False

    @property
    def state(self) -> Mapping[str, Any]:
        """Arrays by the names of arguments."""
        return self.numbers.state

    @property
    def reference(self) -> Reference:
        """The model's equations by other mathematics."""
        return self.numbers.reference

    @property
    def mechanism(self) -> Mechanism:
        """The labelled model."""
        return self.companions.mechanism

    @property
    def is_closed(self) -> bool:
        """True where the model has closed loops."""
        return bool(self.mechanism.cut_joints or self.mechanism.model.constraints)

    @property
    def free(self) -> Array:
        """Of each speed 1, and 0 where a motion prescribes it (nv,)."""
        found = np.ones(self.reference.nv)
        found[[motion.speed for motion in prescribed_motions(self.reference.mechanism)]] = 0.0
        return found

    @property
    def mass_matrix(self) -> Array:
        """The reference's, in which speeds that motions prescribe stand by themselves with ones on the diagonal."""
        held: Array = np.outer(self.free, self.free) * self.numbers["mass_matrix"] + np.diag(1 - self.free)
        return held

    def outputs(self, name: str = "", **changes: Any) -> tuple[Array, ...]:
        """Results of the function, or of another, at the state with some arguments changed."""
        name = name or self.function
        state = {**self.state, **changes}
        if SIN_COS not in changes:
            state |= given_sines(self.module, state)
        if name not in self.module.functions:
            return self.companions.outputs(name, state)
        function = self.module.functions[name]
        found = function(*(state[item.name] for item in function.inputs))
        results = arrays_of(found)
        if not self.module.manifest.get("compressed"):
            return results
        known = self.module.manifest.get("sparsity", {}).get(name, {})
        return tuple(
            expanded(array, known[item.name]) if item.name in known else array
            for array, item in zip(results, function.outputs, strict=True)
        )

    def output(self, name: str = "", **changes: Any) -> Array:
        """The first of ``outputs``."""
        return self.outputs(name, **changes)[0]

    def by_name(self) -> dict[str, Array]:
        """``outputs`` of the function by the names of the results."""
        names = (item.name for item in self.module.functions[self.function].outputs)
        return dict(zip(names, self.outputs(), strict=True))

    def moved(self, direction: Array, h: float) -> Array:
        """Coordinates after a motion of v that lasts for h."""
        return self.reference.integrate_position(self.state["q"], direction, h)

    def rate(self, name: str, direction: Array) -> Array:
        """Central difference of fourth order of a function's first result along a motion of v.

        One of second order is off where joints turn by many times a coordinate, as ends of beams with modes do.
        """
        h = DIFFERENCE_STEP
        before, behind, ahead, beyond = (self.output(name, q=self.moved(direction, k * h)) for k in (-2, -1, 1, 2))
        return np.asarray((8 * (ahead - behind) - (beyond - before)) / (12 * h))


@dataclass(frozen=True, slots=True)
class Identity:
    """Something that must hold of a function's results.

    Attributes:
        name: what it is compared with, in the words of the certificate; contracts name it.
        kind: what bounds the error.
        pairs: found and expected numbers; none where the identity says nothing about the model.
    """

    name: str
    kind: Kind
    pairs: Callable[[Evidence], Pairs]

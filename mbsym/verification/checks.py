"""Checks of generated functions: against the reference, and against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.load import LoadedModule
from mbsym.errors import VerificationError
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.closing import initial_coordinates
from mbsym.model.force import JointSpring, PointSpringDamper
from mbsym.model.system import Model
from mbsym.pipeline import Progress
from mbsym.reference import Reference
from mbsym.verification.random_trees import random_state

Array = NDArray[Any]

TOLERANCE = 1e-10
"""Against the reference in double precision, which solves one large system: rounding of some 1e-13 of its entries."""

SINGLE_TOLERANCE = 2e-4
"""For code in single precision: thousands of operations of relative rounding 6e-8."""

CLOSURE_TOLERANCE = 1e-9
"""Loops of the random states are closed to some 1e-11 by an iteration."""

DIFFERENCE_STEP = 1e-5
DIFFERENCE_TOLERANCE = 1e-8
"""A central difference with that step errs by its square times the third derivative, some 1e-10 of metres."""

BATCH = 3
"""States per call of the NumPy module, so that its batch axes are checked too."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How many states, drawn how; the assembly's order; whether the code is in single precision."""

    states: int
    seed: int
    order: str
    single: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison of a generated function.

    Attributes:
        function: its name.
        language: of the generated code.
        against: what it was compared with.
        error: the worst over all states, relative to the largest entry compared with, at least 1.
        tolerance: what is allowed.
        state: number of the worst state.
    """

    function: str
    language: str
    against: str
    error: float
    tolerance: float
    state: int

    @property
    def passed(self) -> bool:
        """True where the error is a number within the tolerance."""
        return self.error <= self.tolerance

    def as_dict(self) -> dict[str, Any]:
        """As JSON data; an error that is no number becomes null."""
        return {
            "function": self.function,
            "language": self.language,
            "against": self.against,
            "error": self.error if np.isfinite(self.error) else None,
            "tolerance": self.tolerance,
            "worst_state": self.state,
            "passed": self.passed,
        }


class Worst:
    """Worst error and tolerance ratio of each check, over states."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str, str], Check] = {}

    def note(self, function: str, language: str, against: str, error: float, tolerance: float, state: int) -> None:
        key = (function, language, against)
        error = float(error) if np.isfinite(error) else float("inf")
        before = self.found.get(key)
        if before is None or error / tolerance > before.error / before.tolerance:
            self.found[key] = Check(function, language, against, error, float(tolerance), state)


def relative_error(found: Array, expected: Array) -> float:
    """Largest difference over the largest expected entry, at least 1; infinite where something is not a number."""
    difference = np.abs(np.asarray(found, dtype=float) - expected)
    if not np.all(np.isfinite(difference)):
        return float("inf")
    return float(difference.max(initial=0.0) / max(1.0, np.abs(expected).max(initial=0.0)))


def run_checks(
    model: Model, modules: Sequence[LoadedModule], settings: Settings, progress: Progress | None = None
) -> tuple[tuple[Check, ...], float]:
    """All checks that the modules' functions allow, and the largest condition number of the mass matrix."""
    labelling = model.label(order=settings.order)
    reference = Reference(model, labelling)
    rng = np.random.default_rng(settings.seed)
    worst = Worst()
    springs = any(isinstance(force, (JointSpring, PointSpringDamper)) for force in model.forces)
    closed = bool(reference.mechanism.cut_joints or model.constraints)
    start = initial_coordinates(build_mechanism(model, labelling))
    # Arguments that the reference does not know, such as gains; the languages are compared with each other on them.
    others = {item.name: item.shape for module in modules for f in module.functions.values() for item in f.inputs}
    condition = 1.0
    states: list[dict[str, Any]] = []
    for _ in range(settings.states):
        q, v, tau = random_state(model, labelling, rng, reference=reference)
        if closed:
            q, v = closed_state(reference, start, v, rng)
        time, controls = float(rng.uniform(0, 1)), rng.uniform(-1, 1, len(model.inputs))
        states.append({"q": q, "v": v, "tau": tau, "vdot": rng.uniform(-2, 2, len(v)), "t": time, "u": controls})
        states[-1] |= {name: rng.uniform(0.5, 2, shape) for name, shape in others.items() if name not in states[-1]}
    for number, state in enumerate(states):
        if progress is not None:
            progress("verify", number, settings.states)
        expected = _Expected(reference, state)
        matrix = expected["mass_matrix"]
        here = float(np.linalg.cond(matrix)) if matrix.size else 1.0
        condition = max(condition, here)
        for module in modules:
            _against_reference(worst, module, expected, state, here, settings, number)
            _against_each_other(worst, module, reference, state, here, settings, number, springs)
    if len(modules) > 1:
        _between_languages(worst, modules, states, settings, condition)
    return tuple(worst.found.values()), condition


DISTURBANCE = 0.2
"""Random offset of coordinates [rad, m] from the model's initial ones before loops are closed."""

ATTEMPTS = 50


def closed_state(reference: Reference, start: Array, v: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """A configuration with closed loops near the model's initial one, and the speeds nearest to v that keep it so.

    Raises:
        VerificationError: no such configuration was found.
    """
    size = DISTURBANCE
    for _ in range(ATTEMPTS):
        moved = reference.integrate_position(start, rng.uniform(-1, 1, reference.nv), size)
        q = reference.closed_position(moved)
        if np.abs(reference.closure_gap(q)).max(initial=0.0) < 1e-11:
            return q, reference.consistent_velocity(q, v)
        size *= 0.8
    raise VerificationError(
        "no configuration was found in which the loops close", remedy="give joints initial coordinates that nearly do"
    )


class _Expected:
    """Results of the reference at one state, made when asked for."""

    def __init__(self, reference: Reference, state: Mapping[str, Any]) -> None:
        q, v, tau, vdot, t, u = (state[key] for key in ("q", "v", "tau", "vdot", "t", "u"))
        r = reference
        # One solve gives accelerations and wrenches.
        motion = cache(lambda: r.solve(q, v, tau, t, u))
        self.makers: dict[str, Callable[[], Any]] = {
            "forward_dynamics": lambda: motion().vdot,
            "inverse_dynamics": lambda: r.inverse_dynamics(q, v, vdot, t, u),
            "mass_matrix": lambda: r.mass_matrix(q),
            "bias_force": lambda: r.bias_force(q, v, t, u),
            "gravity_force": lambda: r.gravity_force(q),
            "kinetic_energy": lambda: r.kinetic_energy(q, v),
            "potential_energy": lambda: r.potential_energy(q),
            "position_rate": lambda: r.position_rate(q, v),
            "body_poses": lambda: r.poses(q),
            "body_velocities": lambda: r.velocities(q, v),
            "body_jacobians": lambda: r.jacobians(q),
            "joint_wrenches": lambda: motion().wrenches,
            "center_of_mass": lambda: r.center_of_mass(q),
            "momentum": lambda: r.momentum(q, v),
        }
        self.made: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self.made:
            self.made[name] = np.asarray(self.makers[name](), dtype=float)
        return self.made[name]


SOLVES_FOR_ACCELERATIONS = frozenset(("forward_dynamics", "joint_wrenches", "constrained_dynamics"))


def _outputs(module: LoadedModule, name: str, state: Mapping[str, Any]) -> tuple[Array, ...]:
    function = module.functions[name]
    found = function(*(state[item.name] for item in function.inputs))
    return tuple(np.asarray(array, dtype=float) for array in (found if isinstance(found, tuple) else (found,)))


def _call(module: LoadedModule, name: str, state: Mapping[str, Any]) -> Array:
    return _outputs(module, name, state)[0]


def _against_reference(
    worst: Worst,
    module: LoadedModule,
    expected: _Expected,
    state: Mapping[str, Any],
    condition: float,
    settings: Settings,
    number: int,
) -> None:
    for name in module.functions:
        if name not in expected.makers:
            continue
        error = relative_error(_call(module, name, state), expected[name])
        base = SINGLE_TOLERANCE if settings.single else TOLERANCE
        # Solving M vdot = tau - h magnifies rounding by the condition of M.
        tolerance = base * condition if name in SOLVES_FOR_ACCELERATIONS else base
        worst.note(name, module.language, "reference", error, tolerance, number)


def _against_each_other(
    worst: Worst,
    module: LoadedModule,
    reference: Reference,
    state: Mapping[str, Any],
    condition: float,
    settings: Settings,
    number: int,
    springs: bool,
) -> None:
    base = SINGLE_TOLERANCE if settings.single else TOLERANCE
    has = module.functions
    if "constrained_dynamics" in has:
        _loop_checks(worst, module, state, base * condition, number)
    elif "forward_dynamics" in has and "inverse_dynamics" in has:
        vdot = _call(module, "forward_dynamics", state)
        tau = _call(module, "inverse_dynamics", {**state, "vdot": vdot})
        error = relative_error(tau, state["tau"])
        worst.note("inverse_dynamics", module.language, "tau of forward_dynamics", error, base * condition, number)
    if "kinetic_energy" in has and "mass_matrix" in has:
        v = state["v"]
        expected = np.asarray(0.5 * v @ _call(module, "mass_matrix", state) @ v)
        error = relative_error(_call(module, "kinetic_energy", state), expected)
        worst.note("kinetic_energy", module.language, "v.M v / 2", error, base, number)
    if settings.single:
        return
    if "body_jacobians" in has and "body_poses" in has and len(state["v"]):
        h, v = DIFFERENCE_STEP, state["v"]
        ahead, behind = (
            _call(module, "body_poses", {**state, "q": reference.integrate_position(state["q"], v, sign * h)})
            for sign in (1, -1)
        )
        here = _call(module, "body_poses", state)
        twists = _twists(here, (ahead - behind) / (2 * h))
        error = relative_error(_call(module, "body_jacobians", state) @ v, twists)
        worst.note("body_jacobians", module.language, "difference of poses", error, DIFFERENCE_TOLERANCE, number)
    if "potential_energy" in has and "gravity_force" in has and not springs and len(state["v"]):
        h, v = DIFFERENCE_STEP, state["v"]
        up, down = (
            _call(module, "potential_energy", {**state, "q": reference.integrate_position(state["q"], v, sign * h)})
            for sign in (1, -1)
        )
        power = _call(module, "gravity_force", state) @ v
        scale = max(1.0, float(np.abs(_call(module, "potential_energy", state))))
        error = abs(float(up - down) / (2 * h) - power) / scale
        worst.note("gravity_force", module.language, "power of potential", error, DIFFERENCE_TOLERANCE, number)


def _loop_checks(worst: Worst, module: LoadedModule, state: Mapping[str, Any], tolerance: float, number: int) -> None:
    """G v = 0, G vdot = gamma, M vdot + h = tau + G^T lambda with closed loops, as far as the functions are there."""
    has, language = module.functions, module.language
    vdot, multipliers = _outputs(module, "constrained_dynamics", state)[:2]
    if "constraint_residual" in has:
        residual = _call(module, "constraint_residual", state)
        error = relative_error(residual, 0 * residual)
        worst.note("constraint_residual", language, "closed loops", error, CLOSURE_TOLERANCE, number)
    if "constraint_jacobian" not in has:
        return
    jacobian = _call(module, "constraint_jacobian", state)
    error = relative_error(jacobian @ state["v"], np.zeros(len(jacobian)))
    worst.note("constraint_jacobian", language, "G v = 0", error, CLOSURE_TOLERANCE, number)
    if "constraint_bias" in has:
        error = relative_error(jacobian @ vdot, _call(module, "constraint_bias", state))
        worst.note("constrained_dynamics", language, "G vdot = gamma", error, tolerance, number)
    if "inverse_dynamics" in has:
        needed = _call(module, "inverse_dynamics", {**state, "vdot": vdot}) - jacobian.T @ multipliers
        error = relative_error(needed, state["tau"])
        worst.note("constrained_dynamics", language, "M vdot + h = tau + G^T lambda", error, tolerance, number)


def _twists(poses: Array, rates: Array) -> Array:
    """[omega; v] in body axes from homogeneous matrices and their rates."""
    rotation = poses[:, :3, :3]
    turning = np.einsum("bki,bkj->bij", rotation, rates[:, :3, :3])
    omega = np.stack(
        [turning[:, 2, 1] - turning[:, 1, 2], turning[:, 0, 2] - turning[:, 2, 0], turning[:, 1, 0] - turning[:, 0, 1]],
        axis=-1,
    )
    linear = np.einsum("bki,bk->bi", rotation, rates[:, :3, 3])
    return np.concatenate([omega / 2, linear], axis=-1)


def _between_languages(
    worst: Worst,
    modules: Sequence[LoadedModule],
    states: Sequence[Mapping[str, Any]],
    settings: Settings,
    condition: float,
) -> None:
    """The same functions in all languages, the NumPy one on batches."""
    first, *others = modules
    for start in range(0, len(states), BATCH):
        some = states[start : start + BATCH]
        batch = {key: np.array([state[key] for state in some]) for key in some[0]}
        for other in others:
            for name in first.functions:
                if name not in other.functions:
                    continue
                pairs = zip(_outputs(first, name, batch), _outputs(other, name, batch), strict=True)
                error = max(relative_error(found, expected) for expected, found in pairs)
                base = SINGLE_TOLERANCE if settings.single else TOLERANCE
                tolerance = base * condition if name in SOLVES_FOR_ACCELERATIONS else base
                worst.note(name, other.language, f"{first.language} code, in batches", error, tolerance, start)

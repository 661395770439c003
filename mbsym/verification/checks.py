"""Checks of generated functions: against the reference, by the identities their contracts name, and between languages.

A function that only another language's version was compared with has not been checked: that is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from mbsym.codegen.load import LoadedModule
from mbsym.codegen.statuses import Status
from mbsym.derivatives.of_functions import requests_of
from mbsym.doors import Array
from mbsym.errors import VerificationError
from mbsym.formulations.contracts import Contract
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.own_units import in_units
from mbsym.model.system import Model
from mbsym.pipeline import Progress
from mbsym.reference import Reference
from mbsym.registry import contracts_of
from mbsym.verification.closed_states import ClosedStates, with_resistance
from mbsym.verification.derivative_identities import derivative_contracts
from mbsym.verification.evidence import Companions, Evidence, Kind, Numbers, arrays_of, called, given_sines
from mbsym.verification.identities import IDENTITIES
from mbsym.verification.own_measures import OwnMeasures
from mbsym.verification.own_units import input_sizes, spread, units_of
from mbsym.verification.random_state import MADE, random_state, workspaces

TOLERANCE = 1e-10
"""Against the reference in double precision, which solves one large system: rounding of some 1e-13 of its entries."""

SINGLE_TOLERANCE = 2e-4
"""For code in single precision: thousands of operations of relative rounding 6e-8."""

CLOSURE_TOLERANCE = 1e-9
"""Loops of the random states are closed to some 1e-11 by an iteration."""

DIFFERENCE_TOLERANCE = 1e-8
"""A central difference with steps of 1e-5 errs by their square times the third derivative, some 1e-10 of metres;
slopes of the reference err by its rounding over the step, some 1e-9 of their size."""

BETWEEN_LANGUAGES = " code, in batches"

OWN_EQUATIONS = "its own equations, far and at branches"
OWN_STATUSES = "statuses of its own equations"
OWN_TERMS = "its own terms, solved by singular values"
OWN_SOLUTIONS = "statuses of its own terms"
OWN_GAPS = "gaps and statuses of its own residuals"
OF_ITSELF = (OWN_EQUATIONS, OWN_STATUSES, OWN_TERMS, OWN_SOLUTIONS, OWN_GAPS)
"""Comparisons of a text with the equations that it was printed from: they show nothing about these."""

READ_BACK = "the model, read back"
"""What constants of headers and modules are compared with."""

WITHIN_ARRAYS = "the memory of its arrays"
"""What a text may read and write."""

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
class Conditioning:
    """What bounds errors at the states of a certificate.

    Attributes:
        mass_matrix: its largest condition number.
        loops: the smallest measure of how far apart closure rows are, infinite without loops; see ``closed_states``.
        tight: names of cut joints whose rows nearly follow from others where that measure is too small.
    """

    mass_matrix: float
    loops: float
    tight: tuple[str, ...] = ()


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
        """As JSON data; errors and tolerances have three digits, and one that is no number becomes null."""
        return {
            "function": self.function,
            "language": self.language,
            "against": self.against,
            "error": _told(self.error),
            "tolerance": _told(self.tolerance),
            "worst_state": self.state,
            "passed": self.passed,
        }

    @property
    def is_of_text(self) -> bool:
        """True where versions of the same operations were compared, which shows nothing about these."""
        return self.against.endswith(BETWEEN_LANGUAGES) or self.against in (*OF_ITSELF, WITHIN_ARRAYS)

    @property
    def is_beyond(self) -> bool:
        """True for what is told in one line where it passed: texts against their equations, constants, and memory."""
        return self.against in (*OF_ITSELF, READ_BACK, WITHIN_ARRAYS)


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

    def add(self, checks: Iterable[Check]) -> None:
        """Takes checks of what no state changes."""
        self.found |= {(check.function, check.language, check.against): check for check in checks}


def _told(number: float) -> float | None:
    return float(f"{number:.3g}") if np.isfinite(number) else None


Beyond: TypeAlias = Callable[..., None]
"""Notes further checks, given what takes them, the states of those that there are in SI and, where the mechanism's own
units are known, what arguments of functions are counted in."""


def relative_error(found: Any, expected: Any) -> float:
    """Largest difference over the largest expected entry, at least 1; infinite where something is not a number."""
    difference = np.abs(np.asarray(found, dtype=float) - expected)
    if not np.all(np.isfinite(difference)):
        return float("inf")
    return float(difference.max(initial=0.0) / max(1.0, np.abs(expected).max(initial=0.0)))


def run_checks(
    model: Model,
    modules: Sequence[LoadedModule],
    settings: Settings,
    progress: Progress | None = None,
    beyond: Beyond | None = None,
) -> tuple[tuple[Check, ...], Conditioning]:
    """All checks of the modules' functions, and what the states were like.

    Args:
        model: that they were generated from.
        modules: in all languages.
        settings: of the states.
        progress: told of each state.
        beyond: called with what takes the checks and with the states, to note what else there is to check.

    Raises:
        VerificationError: a function has no check, or a random state cannot be closed.
    """
    units = units_of(Reference(model, model.label(order=settings.order)))
    model = in_units(model, units)
    labelling = model.label(order=settings.order)
    reference = Reference(model, labelling)
    manifest = modules[0].manifest
    requests = requests_of(manifest)
    # Derivatives by parameters need those of the module as arguments.
    mechanism = build_mechanism(model, labelling, tuple(manifest["run_time_parameters"]) if requests else "")
    contracts = {**contracts_of(mechanism), **{contract.name: contract for contract in MADE}}
    contracts |= {contract.name: contract for contract in derivative_contracts(requests, contracts)}
    require_checks(modules, contracts)
    companions = Companions(mechanism, requests, units)
    measures = OwnMeasures(reference, companions, contracts)
    modules = [measures.module(module) for module in modules]
    worst = Worst()
    rows = [module.functions["constraint_jacobian"] for module in modules if "constraint_jacobian" in module.functions]
    rank = rows[0].outputs[0].shape[0] if rows else None
    closed = ClosedStates(reference, mechanism, rank) if mechanism.cut_joints or model.constraints else None
    condition, states = 1.0, _states(reference, closed, modules, settings)
    for number, state in enumerate(states):
        if progress is not None:
            progress("verify", number, settings.states)
        numbers = Numbers(reference, state)
        matrix = numbers["mass_matrix"]
        # Where nothing has mass there is nothing to solve for.
        here = float(np.linalg.cond(with_resistance(matrix))) if matrix.any() else 1.0
        condition = max(condition, here)
        for module in modules:
            for name in module.functions:
                evidence = Evidence(name, module, numbers, companions, settings.single)
                check_function(worst, contracts[name], evidence, here, number)
    if closed is not None and closed.singular is not None:
        _check_singular(worst, modules, {**states[0], "q": closed.singular, "v": 0.0 * states[0]["v"]})
    if len(modules) > 1:
        _between_languages(worst, modules, contracts, states, settings, condition)
    if beyond is not None:
        beyond(worst, [measures.in_si(state) for state in states], measures.sizes)
    checks = tuple(worst.found.values())
    require_checked(modules, checks)
    return checks, conditioning(condition, closed)


def conditioning(condition: float, closed: ClosedStates | None) -> Conditioning:
    """Of states with such a largest condition of the mass matrix, drawn with closed loops, or without any."""
    return Conditioning(condition, *((closed.smallest, closed.tight) if closed is not None else (np.inf,)))


def _states(
    reference: Reference, closed: ClosedStates | None, modules: Sequence[LoadedModule], settings: Settings
) -> list[dict[str, Any]]:
    """Arguments of all functions by name, state after state."""
    model, rng = reference.mechanism.model, np.random.default_rng(settings.seed)
    # Arguments that no mechanism has, such as gains.
    others = {item.name: item.shape for module in modules for f in module.functions.values() for item in f.inputs}
    filled, (inputs, drives) = workspaces(modules), input_sizes(reference)
    states: list[dict[str, Any]] = []
    for _ in range(settings.states):
        q, v, tau = random_state(model, reference.labelling, rng, reference=reference)
        if closed is not None:
            q, v = closed.draw(v, rng)
        time, controls = float(rng.uniform(0, 1)), spread(model, model.inputs, inputs, rng.uniform(-1, 1, len(inputs)))
        state = {"q": q, "v": v, "tau": tau, "vdot": rng.uniform(-2, 2, len(v)), "t": time, "u": controls, **filled}
        state["x"] = spread(model, model.drives, drives, rng.uniform(-1, 1, len(drives)))
        state |= given_sines(modules[0], state)
        states.append(state | {name: rng.uniform(0.5, 2, shape) for name, shape in others.items() if name not in state})
    return states


def _check_singular(worst: Worst, modules: Sequence[LoadedModule], state: Mapping[str, Any]) -> None:
    """Notes whether functions that can say that a position is singular say so of one that is."""
    for module in modules:
        for name, function in module.functions.items():
            if Status.SINGULAR.name in function.statuses:
                _, said = called(function, state)
                missed = float(np.any(said != Status.SINGULAR))
                worst.note(name, module.language, "status of a singular position", missed, 0.5, 0)


def require_checks(modules: Sequence[LoadedModule], contracts: Mapping[str, Contract]) -> None:
    """Requires of each function a contract that names a check.

    Raises:
        VerificationError: one has none, or names one that does not exist.
    """
    for name in dict.fromkeys(name for module in modules for name in module.functions):
        contract = contracts.get(name)
        if contract is None or not (contract.reference or contract.identities):
            raise _unchecked(name, "its contract names none" if contract is not None else "it has no contract")
        for identity in contract.identities:
            IDENTITIES.named(identity, where=name)


CONTRACT_REMEDY = "name in its contract a method of the reference or an identity that covers this model"


def require_checked(modules: Sequence[LoadedModule], checks: Iterable[Check], remedy: str = CONTRACT_REMEDY) -> None:
    """Requires that each function was compared with something besides its own version in another language.

    Raises:
        VerificationError: one was not.
    """
    done = {(check.language, check.function) for check in checks if not check.is_of_text}
    for module in modules:
        for name in module.functions:
            if (module.language, name) not in done:
                raise _unchecked(name, f"nothing was compared in {module.language}", remedy)


def _unchecked(function: str, reason: str, remedy: str = CONTRACT_REMEDY) -> VerificationError:
    return VerificationError(f"function {function} has no check: {reason}", where=function, remedy=remedy)


def check_function(worst: Worst, contract: Contract, evidence: Evidence, condition: float, number: int) -> None:
    """Notes all checks of one function at one state."""
    name, language = contract.name, evidence.module.language
    if contract.reference:
        error = relative_error(evidence.output(), evidence.numbers[contract.reference])
        tolerance = _tolerance("solution" if contract.solves else "rounding", evidence.single, condition)
        worst.note(name, language, "reference", error, tolerance, number)
    for key in contract.identities:
        identity = IDENTITIES.named(key, where=name)
        if identity.kind == "difference" and evidence.single:
            continue  # differences of rounded numbers say nothing
        tolerance = _tolerance(identity.kind, evidence.single, condition)
        for found, expected in identity.pairs(evidence):
            worst.note(name, language, identity.name, relative_error(found, expected), tolerance, number)


def _tolerance(kind: Kind, single: bool, condition: float) -> float:
    base = SINGLE_TOLERANCE if single else TOLERANCE
    match kind:
        case "solution":
            # Solving M vdot = tau - h magnifies rounding by the condition of M.
            return base * condition
        case "closure":
            return max(base, CLOSURE_TOLERANCE)
        case "difference" | "slope":
            return max(base, DIFFERENCE_TOLERANCE)
        case "solved slope":
            return max(base, DIFFERENCE_TOLERANCE) * condition
        case _:
            return base


def _between_languages(
    worst: Worst,
    modules: Sequence[LoadedModule],
    contracts: Mapping[str, Contract],
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
                said, also = (called(module.functions[name], batch)[1] for module in (first, other))
                if not np.array_equal(np.broadcast_to(said, len(some)), np.broadcast_to(also, len(some))):
                    error = np.inf
                solves = any(IDENTITIES[key].kind == "solution" for key in contracts[name].identities)
                kind: Kind = "solution" if solves or contracts[name].solves else "rounding"
                tolerance = _tolerance(kind, settings.single, condition)
                worst.note(name, other.language, f"{first.language}{BETWEEN_LANGUAGES}", error, tolerance, start)


def _outputs(module: LoadedModule, name: str, state: Mapping[str, Any]) -> tuple[Array, ...]:
    function = module.functions[name]
    return arrays_of(function(*(state[item.name] for item in function.inputs)))

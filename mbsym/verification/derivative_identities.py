"""Identities of derivatives and of the Coriolis matrix, by differences of the reference along a direction.

A matrix of derivatives is compared along one direction a state, whose entries are those of other arguments and so
random: an error in any entry shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.doors import Array
from mbsym.formulations.contracts import Contract
from mbsym.reference import Reference
from mbsym.registry import contracts_of
from mbsym.verification.evidence import Evidence, Identity, Numbers, Pairs

STEP: Final = 2e-4
"""Of sixth-order differences: laws of a hundredth of a radian's width are still followed, and the reference's rounding,
some 1e-13 of its results, becomes some 1e-9."""


def slope(function: Callable[[float], Any]) -> Array:
    """Derivative at zero, by central differences of sixth order."""
    total: Array = np.asarray(0.0)
    for multiple, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)):
        total = total + weight * (np.asarray(function(multiple * STEP)) - np.asarray(function(-multiple * STEP)))
    return total / STEP


def random_direction(evidence: Evidence, name: str) -> Array:
    """An argument of another function, as long as one at most."""
    values = np.asarray(evidence.state[name], dtype=float)
    return values / max(1.0, float(np.abs(values).max(initial=0.0)))


def _slope_of_forces(evidence: Evidence, vdot: Array, along_q: Array, along_v: Array) -> Array:
    """d/dh of the reference's inverse dynamics at q + h along_q, v + h along_v."""
    numbers, v = evidence.numbers.at(vdot=vdot), evidence.state["v"]
    return slope(lambda h: numbers.at(q=evidence.moved(along_q, h), v=v + h * along_v)["inverse_dynamics"])


def _changes_of_forces(evidence: Evidence, vdot: Array, by_q: Array, by_v: Array) -> Iterator[tuple[Array, Array]]:
    """Derivatives of forces along a direction of q and one of v, and slopes of the reference's."""
    along_q, along_v = random_direction(evidence, "tau"), random_direction(evidence, "vdot")
    nothing = np.zeros(len(along_q))
    yield by_q @ along_q, _slope_of_forces(evidence, vdot, along_q, nothing)
    yield by_v @ along_v, _slope_of_forces(evidence, vdot, nothing, along_v)


def _difference_of_inverse_dynamics(evidence: Evidence) -> Pairs:
    yield from _changes_of_forces(evidence, evidence.state["vdot"], *evidence.outputs())


def _difference_of_forward_dynamics(evidence: Evidence) -> Pairs:
    """tau = ID(q, v, FD(q, v, tau)) differentiated: M dvdot = -dID at the accelerations of the reference."""
    for found, slopes in _accelerations(evidence, evidence.outputs()):
        yield evidence.mass_matrix @ found, slopes


def _solved_difference(evidence: Evidence) -> Pairs:
    """The same in accelerations, where light bodies count as much as heavy ones."""
    for found, slopes in _accelerations(evidence, evidence.outputs()):
        yield found, np.linalg.solve(evidence.mass_matrix, slopes)


def _accelerations(evidence: Evidence, derivatives: Sequence[Array]) -> Iterator[tuple[Array, Array]]:
    """Changes of vdot, and the forces that they are to need."""
    by_q, by_v, by_tau = derivatives[-3:]
    for found, slopes in _changes_of_forces(evidence, evidence.numbers["forward_dynamics"], by_q, by_v):
        yield found, -evidence.free * slopes
    yield by_tau, np.diag(evidence.free)


def _difference_of_derivatives(evidence: Evidence) -> Pairs:
    """By the first derivatives, which are those of the reference along the directions that are compared."""
    yield from _second_differences(evidence, "inverse_dynamics_derivatives", "vdot")
    state, weights = evidence.state, evidence.state["weights"]
    by_q, by_v = (weights @ first for first in evidence.companions.outputs("inverse_dynamics_derivatives", state))
    for found, slopes in _changes_of_forces(evidence, state["vdot"], by_q, by_v):
        yield found, weights @ slopes


def _difference_of_solved_derivatives(evidence: Evidence) -> Pairs:
    yield from _second_differences(evidence, "forward_dynamics_derivatives", "tau")
    found = evidence.companions.outputs("forward_dynamics_derivatives", evidence.state)
    for slopes, expected in _accelerations(evidence, found):
        yield slopes, np.linalg.solve(evidence.numbers["mass_matrix"], expected)


def _second_differences(evidence: Evidence, first: str, last: str) -> Pairs:
    """Second derivatives along directions, by slopes of weights^T the first ones."""
    state = evidence.state
    along = {name: random_direction(evidence, other) for name, other in (("q", "tau"), ("v", "vdot"), (last, "v"))}

    def slopes(name: str) -> list[Array]:
        def gradients(h: float) -> tuple[Array, ...]:
            step = along[name]
            moved = evidence.moved(step, h) if name == "q" else state[name] + h * step
            found = evidence.companions.outputs(first, {**state, name: moved})
            return state["weights"] @ found[0], state["weights"] @ found[1]

        return _of_each(gradients)

    by_qq, by_qv, by_vv, by_q_last = evidence.outputs()
    moved, sped, pushed = slopes("q"), slopes("v"), slopes(last)
    yield by_qq @ along["q"], moved[0]
    yield along["q"] @ by_qv, moved[1]
    yield by_qv @ along["v"], sped[0]
    yield by_vv @ along["v"], sped[1]
    yield by_q_last @ along[last], pushed[0]


def _rate_of_position(evidence: Evidence) -> Pairs:
    yield evidence.output() @ evidence.state["v"], evidence.numbers["position_rate"]


def _inverse(evidence: Evidence) -> Pairs:
    matrix = evidence.numbers["mass_matrix"]
    yield matrix @ evidence.output(), np.eye(len(matrix))


def _velocity_terms(evidence: Evidence) -> Array:
    """Bias forces of the model without force elements, less gravity, by the reference."""
    alone = Reference(replace(evidence.mechanism.model, forces=()), evidence.mechanism.labelling)
    numbers = Numbers(alone, evidence.state)
    return numbers["bias_force"] - numbers["gravity_force"]


def _rate_of_mass_matrix(evidence: Evidence) -> Pairs:
    matrix, v = evidence.output(), evidence.state["v"]
    yield matrix @ v, _velocity_terms(evidence)
    yield matrix + matrix.T, slope(lambda h: evidence.numbers.at(q=evidence.moved(v, h))["mass_matrix"])


def _slotine_li(evidence: Evidence) -> Pairs:
    """By the Coriolis matrix; and where the reference speeds are the speeds, by the reference alone."""
    state, numbers = evidence.state, evidence.numbers
    pushed = numbers["mass_matrix"] @ state["a_r"] + numbers["gravity_force"]
    yield evidence.output(), pushed + evidence.output("coriolis_matrix") @ state["v_r"]
    yield evidence.output(v_r=state["v"]), pushed + _velocity_terms(evidence)


def _difference_of_function(evidence: Evidence) -> Pairs:
    """Along one direction of each argument; by the reference where it has the function, else by its own Program."""
    request = evidence.companions.derivatives[evidence.function]
    found = iter(evidence.outputs())
    for name in request.names:
        along = _along(evidence, name)
        slopes = _slopes(evidence, request.function, name, along)
        for expected in slopes:
            derivative = next(found)
            yield np.tensordot(derivative, along, axes=along.ndim), expected


def _along(evidence: Evidence, name: str) -> Array:
    if name == "q":
        return random_direction(evidence, "tau")
    shape = np.shape(evidence.state[name]) if name in evidence.state else ()
    found: Array = np.cos(1.0 + np.arange(np.prod(shape, dtype=int))).reshape(shape)
    return found


def _slopes(evidence: Evidence, function: str, name: str, along: Array) -> list[Array]:
    state = evidence.state
    contract = contracts_of(evidence.mechanism).get(function)
    if name not in state:
        default = float(evidence.module.manifest["run_time_parameters"][name])
        size = abs(default) or 1.0

        def changed(h: float) -> tuple[Array, ...]:
            return evidence.companions.outputs(function, state, {name: default + h * size * float(along)})

        return [found / size for found in _of_each(changed)]

    def moved(h: float) -> tuple[Array, ...]:
        entry = evidence.moved(along, h) if name == "q" else state[name] + h * along
        there = evidence.numbers.at(**{name: entry})
        if contract is not None and contract.reference and len(contract.results) == 1:
            return (there[contract.reference],)
        return evidence.companions.outputs(function, there.state)

    return _of_each(moved)


def _of_each(function: Callable[[float], tuple[Array, ...]]) -> list[Array]:
    """Slopes of several results at once."""
    shapes = [result.shape for result in function(0.0)]
    flat = slope(lambda h: np.concatenate([np.ravel(result) for result in function(h)]))
    parts = np.split(flat, np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def derivative_contracts(
    requests: Sequence[DerivativeRequest], contracts: Mapping[str, Contract]
) -> Iterator[Contract]:
    """What the derivatives that a module was asked for are checked by."""
    solving = {name for name, contract in contracts.items() if contract.solves}
    for request in requests:
        solves = request.function in solving
        if solves:
            solving.add(request.name)
        identity = "difference of the solution" if solves else "difference of the function"
        yield Contract(request.name, (), (), request.name, identities=(identity,), solves=solves)


DERIVATIVE_IDENTITIES: Final = (
    Identity("difference of the function", "slope", _difference_of_function),
    Identity("difference of the solution", "solved slope", _difference_of_function),
    Identity("difference of inverse dynamics", "slope", _difference_of_inverse_dynamics),
    Identity("difference of forward dynamics", "slope", _difference_of_forward_dynamics),
    Identity("solved difference of inverse dynamics", "solved slope", _solved_difference),
    Identity("difference of the first derivatives", "slope", _difference_of_derivatives),
    Identity("difference of the first derivatives of the solution", "solved slope", _difference_of_solved_derivatives),
    Identity("T v = position_rate", "rounding", _rate_of_position),
    Identity("Mdot = C + C^T and C v", "slope", _rate_of_mass_matrix),
    Identity("M M^-1 = 1", "solution", _inverse),
    Identity("M a_r + C v_r + g", "rounding", _slotine_li),
)

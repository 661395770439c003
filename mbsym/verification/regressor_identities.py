"""Identities of regressors: what they say of a model with other parameters, against the reference of that model.

All parameters are changed at once, to numbers that have nothing to do with the model's, so that an error in any column
shows. Shares of force elements that count as a whole stay one.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from mbsym.doors import Array
from mbsym.reference import Reference
from mbsym.regressors.parameters import parameter_units, standard_parameters, with_values
from mbsym.verification.derivative_identities import slope
from mbsym.verification.evidence import Evidence, Identity, Pairs


def _others(evidence: Evidence) -> tuple[Array, Reference]:
    """Other values of all parameters [SI], and the reference of the model that has them."""
    mechanism = evidence.mechanism
    parameters = standard_parameters(mechanism.model)
    values: dict[str, Any] = {
        item.name: round(1.0 + 0.5 * float(np.cos(1.0 + 2.3 * k)), 3) if item.kind != "share" else 1.0
        for k, item in enumerate(parameters)
    }
    changed = with_values(mechanism.model, {name: value for name, value in values.items() if value != 1.0})
    others = {item.name: item.value for item in standard_parameters(changed)}
    found = np.array([others[item.name] for item in parameters])
    # The module's parameters are in SI, whatever its states are in.
    found *= np.array(parameter_units(mechanism.model, evidence.companions.units), dtype=float)
    return found, Reference(changed, mechanism.labelling)


def _forces(evidence: Evidence) -> Pairs:
    others, reference = _others(evidence)
    state = evidence.state
    expected = reference.inverse_dynamics(state["q"], state["v"], state["vdot"], state["t"], state["u"])
    yield evidence.output() @ others, expected


def _energies(evidence: Evidence) -> Pairs:
    others, reference = _others(evidence)
    kinetic, potential = evidence.outputs()
    q, v = evidence.state["q"], evidence.state["v"]
    yield kinetic @ others, reference.kinetic_energy(q, v)
    yield potential @ others, reference.potential_energy(q)


def _momenta(evidence: Evidence) -> Pairs:
    others, reference = _others(evidence)
    momenta, forces = evidence.outputs()
    state = evidence.state
    q, v = state["q"], state["v"]
    yield momenta @ others, reference.mass_matrix(q) @ v
    change = slope(lambda h: reference.mass_matrix(reference.integrate_position(q, v, h)) @ v)
    yield forces @ others, change - reference.bias_force(q, v, state["t"], state["u"])


def _base_forces(evidence: Evidence) -> Pairs:
    """Of a tree; relations are those of the manifest."""
    if not evidence.is_closed:
        others, reference = _others(evidence)
        state = evidence.state
        expected = reference.inverse_dynamics(state["q"], state["v"], state["vdot"], state["t"], state["u"])
        yield evidence.output() @ _base_of(evidence, others), expected


def _base_forces_along_loops(evidence: Evidence) -> Pairs:
    """Along motions that the loops leave, at accelerations that they allow."""
    if not evidence.is_closed:
        return
    others, reference = _others(evidence)
    state = evidence.state
    G, gamma = (evidence.output(name) for name in ("constraint_jacobian", "constraint_bias"))
    free = np.linalg.svd(G)[2][len(G) :].T
    vdot = free @ (free.T @ state["vdot"]) + np.linalg.lstsq(G, gamma, rcond=None)[0]
    expected = reference.inverse_dynamics(state["q"], state["v"], vdot, state["t"], state["u"])
    yield free.T @ (evidence.output(vdot=vdot) @ _base_of(evidence, others)), free.T @ expected


def _base_of(evidence: Evidence, values: Array) -> Array:
    """Base parameters of standard ones."""
    manifest = evidence.module.manifest
    by_name = {item["name"]: value for item, value in zip(manifest["regressor_columns"], values, strict=True)}
    return np.array(
        [
            sum(term["value"] * by_name[term["parameter"]] for term in item["terms"])
            for item in manifest["base_parameters"]["base"]
        ]
    )


REGRESSOR_IDENTITIES: Final = (
    Identity("forces of other base parameters", "rounding", _base_forces),
    Identity("forces of other base parameters along loops", "closure", _base_forces_along_loops),
    Identity("forces of other parameters", "rounding", _forces),
    Identity("energies of other parameters", "rounding", _energies),
    Identity("momenta of other parameters", "slope", _momenta),
)

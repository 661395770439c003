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
from mbsym.verification.evidence import Evidence, Identity, Numbers, Pairs


def _others(evidence: Evidence, **state: Any) -> tuple[Array, Numbers]:
    """Other values of all parameters [SI], and the reference of the model that has them, at the state or another."""
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
    return found, Numbers(Reference(changed, mechanism.labelling), {**evidence.state, **state})


def _forces(evidence: Evidence) -> Pairs:
    others, numbers = _others(evidence)
    yield evidence.output() @ others, numbers["inverse_dynamics"]


def _energies(evidence: Evidence) -> Pairs:
    others, numbers = _others(evidence)
    kinetic, potential = evidence.outputs()
    yield kinetic @ others, numbers["kinetic_energy"]
    yield potential @ others, numbers["potential_energy"]


def _momenta(evidence: Evidence) -> Pairs:
    others, numbers = _others(evidence)
    momenta, forces = evidence.outputs()
    v = evidence.state["v"]
    yield momenta @ others, numbers["mass_matrix"] @ v
    change = slope(lambda h: numbers.at(q=evidence.moved(v, h))["mass_matrix"] @ v)
    yield forces @ others, change - numbers["bias_force"]


def _base_forces(evidence: Evidence) -> Pairs:
    """Of a tree; relations are those of the manifest."""
    if not evidence.is_closed:
        others, numbers = _others(evidence)
        yield evidence.output() @ _base_of(evidence, others), numbers["inverse_dynamics"]


def _base_forces_along_loops(evidence: Evidence) -> Pairs:
    """Along motions that the loops leave, at accelerations that they allow."""
    if not evidence.is_closed:
        return
    G, gamma = (evidence.output(name) for name in ("constraint_jacobian", "constraint_bias"))
    free = np.linalg.svd(G)[2][len(G) :].T
    vdot = free @ (free.T @ evidence.state["vdot"]) + np.linalg.lstsq(G, gamma, rcond=None)[0]
    others, numbers = _others(evidence, vdot=vdot)
    found = evidence.output(vdot=vdot) @ _base_of(evidence, others)
    yield free.T @ found, free.T @ numbers["inverse_dynamics"]


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

"""Modules whose functions take sines and cosines: these are right where all that starts from them is."""

from __future__ import annotations

from mbsym.formulations.contracts import Contract, Result
from mbsym.passes.given_sines import COORDINATES, DESCRIPTION, SIN_COS, SINES_COSINES
from mbsym.registry import contracts_of
from mbsym.verification.evidence import Evidence, Identity, Pairs


def _functions_of_the_sines(evidence: Evidence) -> Pairs:
    """What this module makes, by itself and in its own functions."""
    rows = evidence.output()
    yield (rows**2).sum(axis=-1), 1.0
    contracts = contracts_of(evidence.mechanism)
    for name in evidence.module.functions:
        contract = contracts.get(name)
        if contract is not None and contract.reference and not contract.solves:
            yield evidence.output(name, **{SIN_COS: rows}), evidence.numbers[contract.reference]


SINES_IDENTITIES = (Identity("functions of the sines and cosines", "rounding", _functions_of_the_sines),)

GIVEN_SINES = Contract(
    SINES_COSINES,
    (COORDINATES,),
    (Result(SIN_COS),),
    DESCRIPTION,
    identities=tuple(identity.name for identity in SINES_IDENTITIES),
)
"""Of the function that computes the sines and cosines, whose Program follows from those of the others."""

"""Modules whose functions take a workspace: it is right where all that starts from it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbsym.codegen.load import LoadedModule
from mbsym.formulations.contracts import Contract, Result
from mbsym.passes.prepare import DESCRIPTION, PREPARE, WORKSPACE
from mbsym.registry import contracts_of
from mbsym.verification.evidence import Array, Evidence, Identity, Pairs


def workspaces(modules: Sequence[LoadedModule]) -> dict[str, Array]:
    """The argument that prepared functions take, as the first module fills it; nothing where there is none."""
    functions = [module.functions[PREPARE] for module in modules if PREPARE in module.functions]
    found: Any = functions[0]() if functions else None
    return {WORKSPACE: found} if functions else {}


def _functions_of_the_workspace(evidence: Evidence) -> Pairs:
    """What this module fills, in its own functions."""
    workspace = {WORKSPACE: evidence.output()}
    contracts = contracts_of(evidence.mechanism)
    for name in evidence.module.functions:
        contract = contracts.get(name)
        if contract is not None and contract.reference and not contract.solves:
            yield evidence.output(name, **workspace), evidence.numbers[contract.reference]
    if not any(contracts[name].reference for name in evidence.module.functions if name in contracts):
        yield evidence.output(), evidence.state[WORKSPACE]


WORKSPACE_IDENTITIES = (Identity("functions of the workspace", "rounding", _functions_of_the_workspace),)

PREPARED = Contract(
    PREPARE, (), (Result(WORKSPACE),), DESCRIPTION, identities=tuple(identity.name for identity in WORKSPACE_IDENTITIES)
)
"""Of the function that fills the workspace, whose Program follows from those of the others."""

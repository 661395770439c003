"""States drawn at random, and what functions take besides them that another function makes: a workspace, sines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from mbsym.codegen.load import LoadedModule
from mbsym.doors import Array
from mbsym.formulations.contracts import Contract, Result
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.system import Model
from mbsym.passes import given_sines, prepare
from mbsym.passes.given_sines import COORDINATES, SIN_COS, SINES_COSINES
from mbsym.passes.prepare import PREPARE, WORKSPACE
from mbsym.reference import Reference
from mbsym.registry import contracts_of
from mbsym.topology import Labelling
from mbsym.verification.evidence import Evidence, Identity, Pairs


def random_state(
    model: Model, labelling: Labelling, rng: np.random.Generator, *, reference: Reference | None = None
) -> tuple[Array, Array, Array]:
    """q (nq,) with unit quaternions, v (nv,) and tau (nv,) of a tree, or of a mechanism with its loops opened.

    Args:
        model: the mechanism.
        labelling: its labels, which order the entries.
        rng: generator.
        reference: the model's reference, if there is one already.
    """
    mechanism = (reference or Reference(model, labelling)).mechanism
    q = np.zeros(mechanism.nq)
    for joint in mechanism.tree_joints:
        if joint.coordinates is None:
            continue
        entries = []
        kind = JOINT_TYPES[joint.type]
        for unit in kind.shape.coordinate_units:
            entries.append({"1": rng.normal(), "rad": rng.uniform(-3, 3), "m": rng.uniform(-0.5, 0.5)}[unit])
        values = np.array(entries)
        if kind.quaternion is not None:
            quaternion = values[kind.quaternion : kind.quaternion + 4]
            quaternion /= np.linalg.norm(quaternion)
        q[joint.coordinates] = values
    return q, rng.uniform(-1, 1, mechanism.nv), rng.uniform(-2, 2, mechanism.nv)


def workspaces(modules: Sequence[LoadedModule]) -> dict[str, Array]:
    """The argument that prepared functions take, as the first module fills it; nothing where there is none."""
    functions = [module.functions[PREPARE] for module in modules if PREPARE in module.functions]
    found: Any = functions[0]() if functions else None
    return {WORKSPACE: found} if functions else {}


def _functions_of_the_workspace(evidence: Evidence) -> Pairs:
    """What this module fills, in its own functions."""
    workspace = evidence.output()
    yield from _functions_given(evidence, WORKSPACE, workspace)
    contracts = contracts_of(evidence.mechanism)
    if not any(contracts[name].reference for name in evidence.module.functions if name in contracts):
        yield workspace, evidence.state[WORKSPACE]


def _functions_of_the_sines(evidence: Evidence) -> Pairs:
    """What this module makes, by itself and in its own functions."""
    rows = evidence.output()
    yield (rows**2).sum(axis=-1), 1.0
    yield from _functions_given(evidence, SIN_COS, rows)


def _functions_given(evidence: Evidence, argument: str, made: Array) -> Iterator[tuple[Array, Array]]:
    """The module's functions with what it has made, by the reference."""
    contracts = contracts_of(evidence.mechanism)
    for name in evidence.module.functions:
        contract = contracts.get(name)
        if contract is not None and contract.reference and not contract.solves:
            yield evidence.output(name, **{argument: made}), evidence.numbers[contract.reference]


MADE_IDENTITIES: Final = (
    Identity("functions of the workspace", "rounding", _functions_of_the_workspace),
    Identity("functions of the sines and cosines", "rounding", _functions_of_the_sines),
)

MADE: Final = (
    Contract(PREPARE, (), (Result(WORKSPACE),), prepare.DESCRIPTION, identities=(MADE_IDENTITIES[0].name,)),
    Contract(
        SINES_COSINES,
        (COORDINATES,),
        (Result(SIN_COS),),
        given_sines.DESCRIPTION,
        identities=(MADE_IDENTITIES[1].name,),
    ),
)
"""Of the functions that make these arguments, whose Programs follow from those of the others."""

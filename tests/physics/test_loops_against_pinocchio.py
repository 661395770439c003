"""Closed loops against Pinocchio's constraint dynamics at given consistent states.

A spherical cut joint is a point contact there, a fixed one a contact of the whole frame, and a revolute one two point
contacts on its axis, one of whose six rows is redundant. Its solution is iterative, to 1e-9 of the largest entry.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import mbsym
from mbsym import examples
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.symbolic.interpret import interpret
from mechanisms.examples import further, some
from mechanisms.mechanism import mechanism_of
from mechanisms.random_mechanisms import random_closed_loops

Array = np.ndarray[Any, Any]


def _twin(reference: Reference) -> Any:
    path = Path(__file__).with_name("test_reference_pinocchio.py")
    spec = importlib.util.spec_from_file_location("pinocchio_twins", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["pinocchio_twins"] = module
    spec.loader.exec_module(module)
    return module.Twin.of(reference)


def contacts(reference: Reference, twin: Any) -> Any:
    """One or two contacts for each cut joint."""
    found = pin.StdVec_RigidConstraintModel()
    mechanism = reference.mechanism
    frame_of = {0: (0, pin.SE3.Identity())}
    for label, frame in enumerate(twin.frames, start=1):
        carrier = twin.model.frames[frame]
        frame_of[label] = (carrier.parentJoint, carrier.placement)
    for joint in mechanism.cut_joints:
        (first, near), (second, far) = frame_of[joint.predecessor], frame_of[joint.successor]
        near = near * pin.SE3(joint.predecessor_rotation, joint.predecessor_translation)
        far = far * pin.SE3(joint.successor_rotation, joint.successor_translation)
        kind = pin.ContactType.CONTACT_6D if joint.type == "fixed" else pin.ContactType.CONTACT_3D
        shifts = [np.zeros(3)] if joint.type != "revolute" else [np.zeros(3), joint.axis]
        for shift in shifts:
            move = pin.SE3(np.eye(3), shift)
            found.append(pin.RigidConstraintModel(kind, twin.model, first, near * move, second, far * move))
    return found


def without_flips(start: int) -> tuple[Model, Array]:
    """A random mechanism of kinds that Pinocchio has, all of whose tree joints point away from ground."""
    for seed in range(start, start + 400):
        model, q = random_closed_loops(
            seed, cut_types=("spherical", "fixed"), planar=False, constraints=False, forces=False, loops=(1, 2)
        )
        labelling = model.label()
        kinds = {joint.type for joint in model.joints}
        cut = {joint.type for joint in model.joints if joint.name in labelling.cut_joints}
        plain = not labelling.flipped and not model.parameters and not model.couplings
        if plain and not kinds & {"cylindrical", "planar"} and cut <= {"spherical", "fixed", "revolute"}:
            return model, q
    raise AssertionError("no such mechanism")


CASES = ["four_bar", "rhombus_spatial", "stewart_platform", "random 0", "random 400"]


@pytest.mark.parametrize("case", some(CASES, [case for case in CASES if case != "random 0"]))
def test_accelerations_agree_with_pinocchio(case: str) -> None:
    if case.startswith("random"):
        model, q = without_flips(int(case.split()[1]))
    else:
        model = examples.load(case)
        q = np.array(analyse_loops(mechanism_of(model)).configuration)
    reference = Reference(model)
    mechanism = mechanism_of(model)
    analysis = analyse_loops(mechanism)
    rng = np.random.default_rng(2)
    v = reference.consistent_velocity(q, rng.uniform(-1, 1, reference.nv))
    tau = rng.uniform(-1, 1, reference.nv)
    found = interpret(LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analysis), {"q": q, "v": v, "tau": tau})["vdot"]

    twin = _twin(reference)
    models = contacts(reference, twin)
    results = pin.StdVec_RigidConstraintData()
    for item in models:
        results.append(pin.RigidConstraintData(item))
    pin.initConstraintDynamics(twin.model, twin.data, models, results)
    settings = pin.ProximalSettings(1e-13, 1e-10, 200)
    q_pin, v_pin, tau_pin = twin.q(reference, q), twin.speeds(v), twin.speeds(tau)
    theirs = pin.constraintDynamics(twin.model, twin.data, q_pin, v_pin, tau_pin, models, results, settings)
    expected = np.array(theirs)[twin.v_places]
    assert np.max(np.abs(found - expected)) < 1e-9 * (1 + np.max(np.abs(expected)))

    if case in ("rhombus_spatial", "stewart_platform"):
        wrenches = interpret(LOOP_FUNCTIONS["joint_wrenches"](mechanism, analysis), {"q": q, "v": v, "tau": tau})[
            "wrenches"
        ]
        for place, result in enumerate(results):
            ours = np.linalg.norm(wrenches[mechanism.nb + place, 3:])
            assert np.isclose(ours, np.linalg.norm(result.contact_force.linear), rtol=1e-6)


@pytest.mark.parametrize("case", ["rhombus_spatial", *further("stewart_platform")])
def test_linear_systems_agree_with_pinocchio_along_closed_motions(case: str) -> None:
    """Constraint rows are each one's own, and so are derivatives across closed loops: positions and speeds move along
    them together. With several loops Pinocchio's derivatives are not those of its own accelerations, whose central
    differences are compared there, good to some 1e-8 of their size."""
    model = examples.load(case)
    still = mbsym.linearise(model)
    reference, q, n = Reference(model), still.state.q, still.equations.mechanism.nv
    rng = np.random.default_rng(3)
    v = reference.consistent_velocity(q, rng.uniform(-1, 1, n))
    tau = rng.uniform(-1, 1, n)
    found = mbsym.linearise(model, replace(still.state, v=v, tau=tau))
    twin = _twin(reference)
    models = contacts(reference, twin)
    results = pin.StdVec_RigidConstraintData()
    for item in models:
        results.append(pin.RigidConstraintData(item))
    pin.initConstraintDynamics(twin.model, twin.data, models, results)
    settings = pin.ProximalSettings(1e-13, 1e-12, 200)

    def accelerations(q: Array, v: Array) -> Array:
        given = twin.q(reference, q), twin.speeds(v), twin.speeds(tau)
        found = pin.constraintDynamics(twin.model, twin.data, *given, models, results, settings)
        return np.array(found)[twin.v_places]

    accelerations(q, v)
    kept, states = list(found.freedom.independent), found.freedom.of_states
    rates = found.A[len(kept) :]
    if len(models) == 1:
        pin.computeConstraintDynamicsDerivatives(twin.model, twin.data, models, results, settings)
        places = np.ix_(twin.v_places, twin.v_places)
        by_q, by_v, by_tau = (matrix[places] for matrix in (twin.data.ddq_dq, twin.data.ddq_dv, twin.data.ddq_dtau))
        expected = np.concatenate([by_q, by_v], axis=1) @ states
        assert np.abs(rates - expected[kept]).max() < 1e-8 * np.abs(expected).max()
        assert np.abs(found.equations.slopes(found.state).by_tau - by_tau).max() < 1e-8 * np.abs(by_tau).max()
        return
    for column, state in enumerate(states.T):

        def along(h: float, state: Array = state) -> Array:
            there = reference.closed_position(reference.integrate_position(q, state[:n], h))
            return accelerations(there, reference.consistent_velocity(there, v + h * state[n:]))

        slope = (along(1e-4) - along(-1e-4)) / 2e-4
        assert np.abs(rates[:, column] - slope[kept]).max() < 1e-7 * max(1.0, np.abs(slope).max())

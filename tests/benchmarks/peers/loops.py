"""Forward dynamics of closed loops beside Pinocchio's constraintDynamics and lcaba, at closed regular states."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import mbsym
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.redundancy import analyse_loops
from mbsym.reference import Reference
from peers.contestants import SINGLE, Contestant, in_their_order
from peers.generated import Opened, entries
from peers.measure import Entry
from peers.robots import Array, Inputs

MECHANISMS = ("stewart_platform", "four_bar")
FUNCTION = "constrained FD"
PROXIMAL = "constraintDynamics, proximal"
ALGORITHMS = {
    "constraintDynamics, solved once": ("constraintDynamics", (1e-12, 0.0, 1)),
    PROXIMAL: ("constraintDynamics", (1e-10, 1e-12, 20)),
    "lcaba": ("lcaba", (1e-12, 1e-6, 20)),
}
"""Functions of Pinocchio with accuracy, regularisation and iterations: none without closures that depend on others."""
SOLVED = 1e-4
"""Largest relative difference from ours of what counts as a solution: proximal iterations stop early."""


def states(reference: Reference, start: Array) -> Inputs:
    """The closed configuration of the file, with speeds that keep it closed, and forces."""
    rng = np.random.default_rng(0)
    v = [reference.consistent_velocity(start, rng.uniform(-1, 1, reference.nv)) for _ in range(SINGLE)]
    return Inputs(np.tile(start, (SINGLE, 1)), np.array(v), rng.uniform(-1, 1, (SINGLE, reference.nv)))


def contestants(name: str, kept: Path) -> tuple[list[Contestant], str]:
    """Those that solve a mechanism, and what is said of those that do not."""
    model = mbsym.load(name)
    reference = Reference(model)
    start = np.array(analyse_loops(build_mechanism(model, model.label())).configuration)
    inputs = states(reference, start)
    values = {"q": inputs.q, "v": inputs.v, "tau": inputs.u}
    nv = reference.nv
    functions = {"constrained_dynamics": FUNCTION}
    every, told, places = [], [], np.arange(nv)
    peers = list(_pinocchio(name, reference, inputs))
    if peers:
        places = peers[0][1]
    for entry, opened, _ in entries(name, model, functions, values, kept=kept):

        def result(opened: Opened = opened) -> Array:
            opened.spent(0, 1)
            return in_their_order(opened.result(0, nv), places, False)

        every.append(Contestant(entry, result))
    ours = every[0].result()
    for peer, _ in peers:
        difference = float(np.abs(peer.result() - ours).max() / np.abs(ours).max())
        if difference < SOLVED:
            every.append(peer)
        else:
            told.append(f"{peer.entry.peer} does not solve the {name}")
    return every, "; ".join(dict.fromkeys(told))


def _pinocchio(name: str, reference: Reference, inputs: Inputs) -> Iterator[tuple[Contestant, Array]]:
    try:
        import pinocchio as pin
    except ImportError:
        return
    twins = twin_module()
    twin = twins._twin(reference)
    contacts = twins.contacts(reference, twin)
    motions = [
        (twin.q(reference, q), twin.speeds(v), twin.speeds(u))
        for q, v, u in zip(inputs.q, inputs.v, inputs.u, strict=True)
    ]
    dependent = any(joint.type == "revolute" for joint in reference.mechanism.cut_joints)
    for algorithm, (function, numbers) in ALGORITHMS.items():
        if dependent and algorithm != PROXIMAL:
            continue  # Two points of an axis hold it twice along itself, which the others cannot bear.
        data, results = twin.model.createData(), pin.StdVec_RigidConstraintData()
        for item in contacts:
            results.append(pin.RigidConstraintData(item))
        if function == "lcaba":
            pin.computeJointMinimalOrdering(twin.model, data, contacts)
        else:
            pin.initConstraintDynamics(twin.model, data, contacts, results)
        called = partial(getattr(pin, function), twin.model, data)
        last = (contacts, results, pin.ProximalSettings(*numbers))

        def call(k: int, called: Any = called, last: Any = last) -> Any:
            return called(*motions[k], *last)

        def spent(calls: int, call: Callable[[int], Any] = call) -> float:
            start = time.thread_time()
            for i in range(calls):
                call(i % SINGLE)
            between = time.thread_time()
            # What a call from Python costs by itself.
            for _ in range(calls):
                pin.neutral(twin.model)
            return 2 * between - start - time.thread_time()

        entry = Entry(name, FUNCTION, algorithm, "wheel", spent)
        yield Contestant(entry, lambda call=call: np.array(call(0))), twin.v_places


def twin_module() -> Any:
    """The test that builds mechanisms with loops for Pinocchio."""
    tests = Path(__file__).resolve().parents[2]
    if str(tests) not in sys.path:
        sys.path.append(str(tests))
    path = tests / "physics" / "test_loops_against_pinocchio.py"
    spec = importlib.util.spec_from_file_location("loops_against_pinocchio", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module

"""Forward dynamics of closed loops beside Pinocchio's constraintDynamics and lcaba, at closed regular states."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import mbsym
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.redundancy import analyse_loops
from mbsym.reference import Reference
from peers.builds import BUILDS, libraries, pinocchio_jobs, wheel_headers
from peers.contestants import SINGLE, Contestant, Peer, in_their_order
from peers.generated import Opened, entries
from peers.measure import Entry
from peers.robots import Array, Inputs, as_text

MECHANISMS = ("stewart_platform", "four_bar")
FUNCTION = "constrained FD"
ALGORITHMS = ("constraintDynamics, solved once", "constraintDynamics, proximal", "lcaba")
"""Without regularisation, which closures that depend on each other need, and with it."""
SOLVED = 1e-4
"""Largest relative difference from ours of what counts as a solution: proximal iterations stop early."""
STEP = 0.1
"""Seconds that joints move from the configuration of the file, at up to 1 rad/s or 1 m/s."""


def states(reference: Reference, start: Array) -> Inputs:
    """Closed configurations near the one of the file, with speeds that keep them closed, and forces."""
    rng = np.random.default_rng(0)
    q, v = [], []
    for _ in range(SINGLE):
        motion = reference.consistent_velocity(start, rng.uniform(-1, 1, reference.nv))
        q.append(reference.closed_position(reference.integrate_position(start, motion, STEP)))
        v.append(reference.consistent_velocity(q[-1], rng.uniform(-1, 1, reference.nv)))
    return Inputs(np.array(q), np.array(v), rng.uniform(-1, 1, (SINGLE, reference.nv)))


def contestants(name: str, kept: Path, place: Path) -> tuple[list[Contestant], str]:
    """Those that solve a mechanism, and what is said of those that do not."""
    model = mbsym.load(name)
    reference = Reference(model)
    start = np.array(analyse_loops(build_mechanism(model, model.label())).configuration)
    inputs = states(reference, start)
    values = {"q": inputs.q, "v": inputs.v, "tau": inputs.u}
    nv = reference.nv
    functions = {"constrained_dynamics": FUNCTION}
    every, told, places = [], [], np.arange(nv)
    peers = list(_pinocchio(name, reference, inputs, kept, place))
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


def _pinocchio(
    name: str, reference: Reference, inputs: Inputs, kept: Path, place: Path
) -> Iterator[tuple[Contestant, Array]]:
    if wheel_headers() is None:
        return
    # One build, clang's where it is there: compilers take many minutes for these headers.
    jobs = pinocchio_jobs("LOOPS", BUILDS[-1:])
    twins = twin_module()
    twin = twins._twin(reference)
    path = place / f"{name}.txt"
    path.write_text(as_text(twin.model, twins.contacts(reference, twin)))
    q = np.array([twin.q(reference, one) for one in inputs.q])
    theirs = Inputs(q, *(np.array([twin.speeds(one) for one in many]) for many in (inputs.v, inputs.u)))
    for job, built in zip(jobs, libraries(jobs, kept), strict=True):
        peer = Peer(built, path, theirs)
        for number, algorithm in enumerate(ALGORITHMS):
            entry = Entry(name, FUNCTION, algorithm, " ".join(job.build), partial(peer.spent, number))
            yield Contestant(entry, partial(peer.result, number, 1)), twin.v_places


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

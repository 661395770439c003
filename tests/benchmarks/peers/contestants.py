"""Entries of each peer for a robot: inverse dynamics (ID), forward dynamics (FD) and mass matrix (M)."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from peers import generated
from peers.builds import (
    BUILDS,
    Job,
    driver,
    eigen_headers,
    libraries,
    library,
    loaded,
    pinocchio_jobs,
    wheel_headers,
)
from peers.measure import Entry
from peers.robots import Array, Inputs, Prepared

FUNCTIONS = {"inverse_dynamics": "ID", "forward_dynamics": "FD", "mass_matrix": "M"}
SHORT = tuple(FUNCTIONS.values())
SINGLE = 64
"""States that functions for one state go through in turn."""
AGREE = 1e-9
"""Largest relative difference of results: accelerations of light fingers and feet lose six digits in solving."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """An entry with what it computes for the first state, in Pinocchio's order."""

    entry: Entry
    result: Callable[[], Array]


class Peer:
    """An opened driver with its states."""

    def __init__(self, path: Path, model: Path, inputs: Inputs) -> None:
        self._code = loaded(path)
        self._peer = self._code.peer_open(str(model).encode())
        if not self._peer:
            raise ValueError(f"{path.name} cannot read {model.name}")
        self._nv = inputs.v.shape[1]
        arrays = [np.ascontiguousarray(values) for values in (inputs.q, inputs.v, inputs.u)]
        places = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        self._code.peer_states(ctypes.c_void_p(self._peer), ctypes.c_long(len(inputs.q)), *places)

    def spent(self, function: int, calls: int) -> float:
        """Seconds of so many calls."""
        return float(self._code.peer_spent(self._peer, function, calls))

    def result(self, function: int, kind: int) -> Array:
        """Of a function for the first state; kind 0: forces, 1: accelerations, 2: the upper triangle of a matrix."""
        self.spent(function, 1)
        found = np.zeros(self._nv ** (2 if kind == 2 else 1))
        self._code.peer_result(ctypes.c_void_p(self._peer), kind, ctypes.c_void_p(found.ctypes.data))
        return np.triu(found.reshape(self._nv, self._nv).T) if kind == 2 else found


def mbsym(robot: Prepared, kept: Path) -> Iterator[Contestant]:
    """Generated C, with sines of the library and as it is by default."""
    ours = robot.ours
    values = {"q": ours.q[:SINGLE], "v": ours.v[:SINGLE], "vdot": ours.u[:SINGLE], "tau": ours.u[:SINGLE]}
    nv = ours.v.shape[1]
    for entry, opened, k in generated.entries(robot.robot.name, robot.model, FUNCTIONS, values, kept=kept):

        def result(opened: generated.Opened = opened, k: int = k) -> Array:
            opened.spent(k, 1)
            found = opened.result(k, nv ** (1 + (k == 2)))
            return in_their_order(found, robot.places, k == 2)

        yield Contestant(entry, result)


def in_their_order(found: Array, places: Array, matrix: bool) -> Array:
    """Our vector or the upper triangle of our matrix, in Pinocchio's order."""
    moved = np.zeros_like(found)
    if not matrix:
        moved[places] = found
        return moved
    square = np.zeros((len(places), len(places)))
    square[np.ix_(places, places)] = found.reshape(square.shape)
    return np.triu(square)


def pinocchio(robot: Prepared, kept: Path, place: Path, states: int = SINGLE) -> Iterator[Contestant]:
    """Pinocchio's algorithms, in local and in world axes where it has both."""
    if robot.joints is None:
        return
    model = place / f"{robot.robot.name}.txt"
    model.write_text(robot.joints)
    jobs = pinocchio_jobs()
    for job, path in zip(jobs, libraries(jobs, kept), strict=True):
        peer = Peer(path, model, first(robot.theirs, states))
        for number, (kind, axes) in enumerate(((0, ""), (1, "local"), (1, "world"), (2, "local"), (2, "world"))):
            if kind == 1 and robot.robot.mimic:
                continue  # Articulated bodies take no joints that follow others there.
            build = f"{' '.join(job.build)} {axes}".strip()
            entry = Entry(robot.robot.name, SHORT[kind], "Pinocchio", build, partial(peer.spent, number))
            yield Contestant(entry, partial(peer.result, number, kind))


def first(inputs: Inputs, states: int) -> Inputs:
    """The first states."""
    return Inputs(inputs.q[:states], inputs.v[:states], inputs.u[:states])


def mujoco(robot: Prepared, kept: Path, place: Path) -> Iterator[Contestant]:
    """MuJoCo's stages that these functions need."""
    spec = find_spec("mujoco")
    if robot.mjcf is None or spec is None or spec.origin is None:
        return
    folder = Path(spec.origin).parent
    names = sorted(folder.glob("libmujoco.so*"))
    if not names or not BUILDS:
        return
    model = place / f"{robot.robot.name}.xml"
    model.write_text(robot.mjcf)
    build = BUILDS[0]
    extra = (f"-I{folder / 'include'}", f"-L{folder}", f"-l:{names[0].name}", f"-Wl,-rpath,{folder}")
    path = library(Job("mujoco", build, driver("mujoco.c"), extra), kept)
    for number, short in enumerate(SHORT):
        inputs, back = _in_mujocos_order(first(robot.theirs, SINGLE), robot.robot.floating, number)
        peer = Peer(path, model, inputs)

        def result(peer: Peer = peer, number: int = number, back: Callable[[Array], Array] = back) -> Array:
            return back(peer.result(number, number))

        yield Contestant(Entry(robot.robot.name, short, "MuJoCo", "wheel", partial(peer.spent, number)), result)


def _in_mujocos_order(inputs: Inputs, floating: bool, number: int) -> tuple[Inputs, Callable[[Array], Array]]:
    """States of a function as MuJoCo has them, and the way back: a free body's linear speed is in world axes there."""
    if not floating:
        return inputs, lambda found: found
    q, v, u = inputs.q.copy(), inputs.v.copy(), inputs.u.copy()
    q[:, 3:7] = inputs.q[:, [6, 3, 4, 5]]
    turns = np.array([_rotation(x) for x in q[:, 3:7]])
    v[:, :3] = np.einsum("kij,kj->ki", turns, v[:, :3])
    if number == 0:
        u[:, :3] += np.cross(inputs.v[:, 3:6], inputs.v[:, :3])
    u[:, :3] = np.einsum("kij,kj->ki", turns, u[:, :3])
    turn, shift = turns[0], np.cross(inputs.v[0, 3:6], inputs.v[0, :3])

    def back(found: Array) -> Array:
        if number == 2:
            whole = np.eye(len(v[0]))
            whole[:3, :3] = turn
            square = found + np.triu(found, 1).T
            return np.triu(whole.T @ square @ whole)
        found = found.copy()
        found[:3] = turn.T @ found[:3] - (shift if number == 1 else 0)
        return found

    return Inputs(q, v, u), back


def _rotation(quaternion: Array) -> Array:
    w, x, y, z = quaternion
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + 2 * w * cross + 2 * cross @ cross)


@cache
def _writer(kept: Path) -> Any:
    """CasADi's text of Pinocchio's algorithms, None where headers are missing."""
    spec = find_spec("casadi")
    headers, eigen = wheel_headers(), eigen_headers()
    jobs = pinocchio_jobs(builds=[("gcc", "-O1")])
    if spec is None or spec.origin is None or headers is None or eigen is None or not jobs:
        return None
    folder = Path(spec.origin).parent
    (dynamics,) = jobs
    extra = (*dynamics.extra, "-DPINOCCHIO_WITH_CASADI_SUPPORT", "-isystem", f"{folder}/include")
    extra = (*extra, f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}")
    texts = {**driver("casadi_writer.cpp"), **dynamics.texts}
    return loaded_writer(library(Job("casadi-writer", dynamics.build, texts, extra), kept))


def loaded_writer(path: Path) -> Any:
    """The function that writes."""
    write = ctypes.CDLL(str(path)).peer_write
    write.restype = ctypes.c_char_p
    return write


def casadi(robot: Prepared, kept: Path, place: Path) -> Iterator[Contestant]:
    """CasADi's C of Pinocchio's algorithms, with common subexpressions sought and without."""
    if robot.joints is None:
        return
    write = _writer(kept)
    if write is None:
        return
    model = place / f"{robot.robot.name}.txt"
    model.write_text(robot.joints)
    every = not robot.robot.mimic
    jobs = []
    for cse in (False, True):
        # CasADi takes names of C for its files.
        name = f"casadi_{robot.robot.name}{'_cse' if cse else ''}_{sha256(robot.joints.encode()).hexdigest()[:8]}"
        text = kept / f"{name}.c"
        if not text.exists():
            told = write(str(model).encode(), f"{kept}/".encode(), name.encode(), int(cse), int(every))
            if told:
                print(f"CasADi, {robot.robot.title}: {told.decode()}", file=sys.stderr)
                return
        texts = {**driver("casadi.c"), "text.c": text.read_text()}
        extra = ('-DTEXT="text.c"', *(("-DEVERY",) if every else ()))
        jobs += [(cse, Job(name, build, texts, extra)) for build in BUILDS]
    for (cse, job), path in zip(jobs, libraries([job for _, job in jobs], kept), strict=True):
        peer = Peer(path, model, first(robot.theirs, SINGLE))
        for number, short in enumerate(SHORT):
            if number == 1 and not every:
                continue
            build = f"{' '.join(job.build)}{' cse' if cse else ''}"
            entry = Entry(robot.robot.name, short, "CasADi", build, partial(peer.spent, number))
            yield Contestant(entry, partial(peer.result, number, number))


def contestants(robot: Prepared, kept: Path, place: Path, without: Collection[str] = ()) -> list[Contestant]:
    """All that there are for a robot, without the peers that are named."""
    found = list(mbsym(robot, kept))
    for name, peer in PEERS.items():
        found += [] if name in without else peer(robot, kept, place)
    return found


PEERS = {"Pinocchio": pinocchio, "CasADi": casadi, "MuJoCo": mujoco}


def require_agreement(every: list[Contestant]) -> None:
    """Raises ValueError where a result is not Pinocchio's, or not ours where that is missing."""
    expected: dict[str, Array] = {}
    for item in sorted(every, key=lambda item: item.entry.peer != "Pinocchio"):
        found = item.result()
        wanted = expected.setdefault(item.entry.function, found)
        difference = float(np.abs(found - wanted).max() / np.abs(wanted).max())
        if not difference < AGREE:
            told = f"{item.entry.robot}, {item.entry.function}: {item.entry.peer}, {item.entry.build}"
            raise ValueError(f"{told} differs by {difference:.1e}")

"""Functions for many states beside a loop over Pinocchio, and two threads of them at once."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from peers.builds import COMPILERS, Job, here, libraries
from peers.contestants import AGREE, FUNCTIONS, SHORT, in_their_order, pinocchio
from peers.generated import Code, Opened, code, job
from peers.measure import Entry, calls_of
from peers.robots import STATES, Prepared

LANES = {"AVX-512": ("-march=native", "-mprefer-vector-width=512"), "AVX2": ("-march=x86-64-v3",)}
NEEDED = {"AVX-512": "avx512f", "AVX2": "avx2"}
REALS = {"double": AGREE, "float": 1e-3}
"""Largest relative difference from Pinocchio; accelerations of light links lose most of a float's seven digits."""
LAYOUTS = ("rows", "columns")
ROBOTS = ("ur5", "panda", "iiwa", "solo12")
ASKED = {"AVX-512": {"solo12": 25}, "AVX2": {"solo12": 12}}
ASKED_OF_ARMS = {"AVX-512": 40, "AVX2": 20}
ASKED_OF_TWO = {"double": 100e6, "float": 180e6}
"""Inverse dynamics of the Panda a second, by two threads."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A built batch of a robot.

    Attributes:
        robot: it is of.
        lanes: AVX-512 or AVX2.
        real: of the numbers.
        compiler: of C.
        opened: with its states.
    """

    robot: Prepared
    lanes: str
    real: str
    compiler: str
    opened: Opened

    def peer(self, layout: str) -> str:
        """Its name among timings."""
        return f"{self.lanes} {self.real} {layout}"

    def entries(self) -> Iterator[Entry]:
        """Each function with its states in rows and in columns."""
        for k, short in enumerate(SHORT):
            for way, layout in enumerate(LAYOUTS):
                spent = partial(self.opened.spent, 2 * k + way)
                yield Entry(self.robot.robot.name, short, self.peer(layout), self.compiler, spent, STATES)


def opened(robots: Sequence[Prepared], kept: Path) -> list[Batch]:
    """All builds of all robots that this processor runs."""
    every: list[tuple[Prepared, str, str, str, Code, Job]] = []
    for robot in robots:
        for real in REALS:
            made = code(robot.model, tuple(FUNCTIONS), real=real, batch=True)
            for lanes, flags in LANES.items():
                for compiler in COMPILERS if here(NEEDED[lanes]) else ():
                    extra = ("-fno-math-errno", "-Wno-psabi")
                    name = f"{robot.robot.name}-batch-{real}"
                    built = job(name, made, (compiler, "-O3", *flags), extra, STATES)
                    every.append((robot, lanes, real, compiler, made, built))
    paths = libraries([item[-1] for item in every], kept)
    found = []
    for (robot, lanes, real, compiler, made, _), path in zip(every, paths, strict=True):
        ours = robot.ours
        values = {"q": ours.q, "v": ours.v, "vdot": ours.u, "tau": ours.u}
        found.append(Batch(robot, lanes, real, compiler, Opened(path, made, values)))
    return found


def require_agreement(every: Sequence[Batch], kept: Path, place: Path) -> None:
    """Raises ValueError where the first state's results are not Pinocchio's; says nothing where that is missing."""
    for robot in {id(item.robot): item.robot for item in every}.values():
        expected = {item.entry.function: item.result() for item in pinocchio(robot, kept, place)}
        for item in every:
            if item.robot is not robot or not expected:
                continue
            nv = len(robot.places)
            for k, short in enumerate(SHORT):
                item.opened.spent(2 * k, 1)
                size = nv ** (1 + (k == 2))
                found = in_their_order(item.opened.result(2 * k, size), robot.places, k == 2)
                difference = float(np.abs(found - expected[short]).max() / np.abs(expected[short]).max())
                if not difference < REALS[item.real]:
                    raise ValueError(f"{robot.robot.name}, {short}, {item.peer('rows')}: differs by {difference:.1e}")


def together(every: Sequence[Batch], rounds: int) -> dict[str, float]:
    """Inverse dynamics a second of two threads at once, the Panda's, best build, by kind of number.

    Each thread's own processor time counts, so that others on the machine do not; what the two take from each other
    does.
    """
    rates: dict[str, float] = {}
    with ThreadPoolExecutor(2) as executor:
        for item in every:
            if item.robot.robot.name != "panda" or item.lanes != next(iter(LANES)):
                continue
            for way in range(len(LAYOUTS)):
                calls = 20 * calls_of(Entry("", "", "", "", partial(item.opened.spent, way), STATES))
                found = []
                for _ in range(rounds):
                    spent = executor.map(partial(item.opened.spent, way), (calls, calls))
                    found.append(sum(calls * STATES / seconds for seconds in spent))
                rates[item.real] = max(rates.get(item.real, 0.0), statistics.median(found))
    return rates


def asked(robot: str, lanes: str) -> float:
    """Times as fast as a loop over Pinocchio that a batch is at least to be."""
    return ASKED[lanes].get(robot, ASKED_OF_ARMS[lanes])

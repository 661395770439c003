"""Loops that have turned a million radians and travelled a million metres close as they did at the start.

A sample; ``tests/benchmarks/far_loops.py`` does every closure in every language and precision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.codegen.build import compile_c
from mbsym.codegen.load import load_numpy
from mbsym.codegen.load_batch import CHECKED, batch_module
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.statuses import Status
from mbsym.joints.registry import JOINT_TYPES
from mbsym.simulation.integrate import simulate
from mbsym.simulation.options import Keeping
from mechanisms.examples import further
from mechanisms.far import FarLoop, far_loops, judged

LOOPS = {loop.name: loop for loop in far_loops()}
EPSILON = {"double": 2.0**-52, "float": 2.0**-23}
FAR = {"double": (159160, 1e6), "float": (160, 1e3)}
"""Turns and metres: a million, and for single precision what it resolves as well as a tenth of a millimetre."""

PROJECTION = ("project_position", "project_position_report", "constraint_residual", "closure_scale")
MOST = 16
"""Units in the last place of the largest coordinate: a few roundings of four coordinates, with levers of two metres."""


def generated(loop: FarLoop, scratch: str, languages: tuple[str, ...], real: Any = "double") -> Path:
    mbsym.generate(loop.model, scratch, functions=PROJECTION, languages=languages, real=real)
    return Path(scratch)


@cache
def in_numpy(name: str) -> Any:
    with TemporaryDirectory() as scratch:
        return load_numpy(generated(LOOPS[name], scratch, ("numpy",)) / f"far_{name}.py")


@cache
def in_c(name: str, real: str, lanes: int, *flags: str) -> Any:
    """For one state after the other, or for several side by side."""
    with TemporaryDirectory() as scratch:
        place = generated(LOOPS[name], scratch, ("c", "batch"), real)
        own = (*CHECKED, "-O1", f"-Dfar_{name}_LANES={lanes}", *flags)
        library = compile_c(place, f"far_{name}_batch", own, also=(f"far_{name}",))
        return batch_module(library, read_manifest(place))


def report_of(module: Any) -> Callable[[Any], Any]:
    return module.functions["project_position_report"].with_status


def assert_closed(name: str, report: Callable[[Any], Any], real: str = "double") -> None:
    turns, metres = FAR[real]
    for way in ((turns, 0.0), (0, metres), (turns, metres), (-turns, -metres)):
        found = judged(LOOPS[name], report, EPSILON[real], *way)
        assert found.open == 0 and found.steps <= 4, (way, found)
        assert max(found.gap, found.apart) < MOST, (way, found)


def test_every_closure_is_there() -> None:
    closing = {name for name, kind in JOINT_TYPES.items() if not kind.is_unbound}
    assert (
        closing | {"distance", "point_on_line", "gear", "linear_coupling", "coupled", "expression", "rolling"}
        == LOOPS.keys()
    )


@pytest.mark.parametrize("name", [name for name in LOOPS if name != "planar"])
def test_numpy_closes_far_away(name: str) -> None:
    assert_closed(name, report_of(in_numpy(name)))


@pytest.mark.parametrize(
    ("name", "real", "lanes"), [("gear", "double", 1), ("spherical", "float", 8), *further(("helical", "double", 4))]
)
def test_c_closes_far_away(name: str, real: str, lanes: int) -> None:
    assert_closed(name, report_of(in_c(name, real, lanes)), real)


def test_a_gap_is_told_far_away_too() -> None:
    """A micrometre, which is 200 times what a million metres and radians are rounded to."""
    module, loop = in_c("revolute", "double", 4, "-Dfar_revolute_ITERATIONS=0"), LOOPS["revolute"]
    closed = loop.at(*FAR["double"])
    opened = np.stack([closed, closed + 1e-6 * np.eye(4)[1], closed, closed + 1e-6 * np.eye(4)[2]])
    status = report_of(module)(opened)[1]
    assert status.tolist() == [Status.OK, Status.NOT_CLOSED, Status.OK, Status.NOT_CLOSED]


@pytest.mark.parametrize("name", [name for name in LOOPS if name != "planar"])
def test_what_passes_for_closed_is_a_few_roundings(name: str) -> None:
    loop = LOOPS[name]
    for turns, metres in ((0, 0.0), FAR["double"]):
        q = loop.at(turns, metres)
        size, rounding = in_numpy(name).functions["closure_scale"](q)
        assert ((rounding < 32 * np.abs(q).max()).all() and (size < 20).all()) or (size == rounding).any()


def test_what_is_not_known_is_not_closed() -> None:
    """At 1e16 rad an angle is known to a turn: nothing is closed there, whatever its sine happens to be."""
    report = report_of(in_numpy("revolute"))
    q = LOOPS["revolute"].at(10**16, 0.0)
    assert report(np.stack([q, q + 1.0]))[1].tolist() == [Status.NOT_CLOSED] * 2


@pytest.mark.parametrize("real", ["double", "float"])
def test_a_row_closes_beside_the_round_off_of_another(real: str) -> None:
    """The wheels have turned far and are off by a unit in the last place, the belt is open by less than that."""
    loop, (turns, _) = LOOPS["gear"], FAR[real]
    kind = np.float32 if real == "float" else np.float64
    closed = loop.at(turns, 0.0).astype(kind)
    q = np.tile(closed, (40, 1))
    q[:, 1] = np.nextafter(q[:, 1], kind(0))
    q[:, 0] += np.linspace(0.0, 0.9, 40, dtype=kind) * np.abs(q[0, 1] - closed[1])
    reports = [report_of(in_c("gear", real, 1))] + ([report_of(in_numpy("gear"))] if real == "double" else [])
    for report in reports:
        assert not report(q)[1].any()


@pytest.mark.parametrize("correction", ["projection", "partitioning"])
def test_gears_turn_on(correction: str) -> None:
    """They stopped at 512 rad, where a unit in the last place of an angle is a gap of 1.1e-13."""
    loop = LOOPS["gear"]
    names = ("q_rail_a", "q_pivot_a", "q_rail_b", "q_pivot_b")
    start = dict(zip(names, loop.at(*FAR["double"]), strict=True)) | {"v_pivot_b": 100.0}
    found = simulate(loop.model, 0.1, initial=start, method="rk4", step=1e-3, keeping=Keeping(correction))
    assert found.monitors.closure_gap is not None
    assert found.monitors.closure_gap.max() < MOST * EPSILON["double"] * np.abs(found.q).max()

"""Assembly in generated code: loops closed with some coordinates held."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.codegen.load import LoadedModule, load_c, load_numpy
from mbsym.codegen.statuses import Status
from mbsym.reference import Reference
from mechanisms.examples import further

LOADERS = {"c": load_c, "numpy": lambda folder: load_numpy(next(folder.glob("*.py")))}


@pytest.fixture(scope="module", params=[*further("stewart_platform"), "four_bar"])
def made(request: Any, tmp_path_factory: Any) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp(request.param)
    mbsym.generate(request.param, folder, functions=("assemble",), symbolic_parameters="none")
    return request.param, folder


@cache
def closed(name: str) -> np.ndarray:
    return mbsym.simulate(name, 0.05, output_step=0.05).q[0]


def driven(name: str, module: LoadedModule) -> np.ndarray:
    """One for each speed of a motor."""
    held = np.zeros(int(module.manifest["nv"]))
    for motor in ("leg_1", "leg_2", "leg_3", "leg_4", "leg_5", "leg_6") if name == "stewart_platform" else ("A",):
        (joint,) = (item for item in module.manifest["joints"] if item["name"] == motor)
        held[slice(*joint["v"])] = 1.0
    return held


def coordinates_of(module: LoadedModule, held: np.ndarray) -> list[int]:
    return [k for item in module.manifest["joints"] for k in range(*item["q"]) if held[slice(*item["v"])].any()]


@pytest.mark.parametrize("language", LOADERS)
def test_motors_are_held_and_the_rest_follows(made: tuple[str, Path], language: str) -> None:
    """Forward kinematics of a platform from legs 4 cm longer, of a four-bar from a crank turned by half a radian."""
    name, folder = made
    module = LOADERS[language](folder)
    held, start = driven(name, module), closed(name)
    given = start.copy()
    places = coordinates_of(module, held)
    given[places] += np.linspace(0.02, 0.04, 6) if name == "stewart_platform" else 0.5
    found, status = module.functions["assemble"].with_status(given, held)
    assert status == Status.OK
    assert np.array_equal(found[places], given[places])
    gap = Reference(mbsym.load(name)).closure_gap(found)
    assert np.abs(gap).max() < 1e-12
    assert np.abs(found - start).max() > 0.01


@pytest.mark.parametrize("language", LOADERS)
def test_what_cannot_be_closed_says_so(made: tuple[str, Path], language: str) -> None:
    name, folder = made
    module = LOADERS[language](folder)
    opened = closed(name).copy()
    opened[coordinates_of(module, driven(name, module))[0]] += 0.3
    everything = np.ones(int(module.manifest["nv"]))
    found, status = module.functions["assemble"].with_status(opened, everything)
    assert status == Status.NOT_CLOSED
    assert np.array_equal(found, opened)
    nowhere = np.full_like(opened, np.nan)
    assert module.functions["assemble"].with_status(nowhere, 0 * everything)[1] == Status.NOT_FINITE


def test_with_nothing_held_the_loops_close_nearby(made: tuple[str, Path]) -> None:
    name, folder = made
    module, rng = LOADERS["numpy"](folder), np.random.default_rng(4)
    starts = closed(name) + 0.02 * rng.uniform(-1, 1, (30, len(closed(name))))
    found = module.functions["assemble"](starts, np.zeros(int(module.manifest["nv"])))
    reference = Reference(mbsym.load(name))
    assert max(np.abs(reference.closure_gap(q)).max() for q in found) < 1e-12
    assert np.abs(found - starts).max() < 0.2


@pytest.mark.more
def test_batches_have_it_too(tmp_path: Path) -> None:
    mbsym.generate("four_bar", tmp_path, functions=("assemble",), batch=("assemble",), symbolic_parameters="none")
    assert mbsym.verify(tmp_path).passed


def test_a_four_bar_has_two_ways_to_be_assembled(tmp_path: Path) -> None:
    """For one crank angle: where the steps begin decides, and there are no others."""
    mbsym.generate("four_bar", tmp_path, functions=("assemble",), symbolic_parameters="none")
    module, rng = LOADERS["numpy"](tmp_path), np.random.default_rng(1)
    starts = np.tile(closed("four_bar"), (60, 1))
    starts[:, 1:] = rng.uniform(-np.pi, np.pi, (60, 2))
    found, status = module.functions["assemble"].with_status(starts, driven("four_bar", module))
    ends = found[status == Status.OK]
    assert len(ends) > 50
    turned = np.unique(np.round(np.exp(1j * ends), 9), axis=0)
    assert len(turned) == 2
    assert np.abs(turned[0] - turned[1]).max() > 0.5

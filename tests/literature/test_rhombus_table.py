"""The figures of the six-bar table of constraint keeping, to two digits, for steps of 10 ms."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from mbsym import examples
from mbsym.loops.looped_system import LoopedSystem
from mechanisms.mechanism import mechanism_of
from mechanisms.rhombus import Rhombus

TABLE = Path(__file__).parents[1] / "benchmarks" / "closed_loops_table.py"


def table() -> ModuleType:
    spec = importlib.util.spec_from_file_location("closed_loops_table", TABLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "name", ["none", "velocity", "position and velocity", "projection", "partitioning", "baumgarte 5", "baumgarte 20"]
)
def test_figures_agree_to_two_digits(name: str) -> None:
    module = table()
    model = examples.load("rhombus_regular")
    mechanism = mechanism_of(model)
    rhombus = Rhombus.of_mechanism(mechanism)
    system = LoopedSystem.of_mechanism(mechanism)
    figures = module.run(system, rhombus, module.way(name, rhombus), 1e-2)
    expected = module.EXPECTED[name, 1e-2]
    for place, (found, wanted) in enumerate(zip(figures, expected, strict=True)):
        if wanted < 1e-14:
            assert found < 2e-15, place
        else:
            # Two digits: half a unit of the second one, which is at most 5 per cent.
            assert abs(found - wanted) <= 0.051 * wanted, (place, found, wanted)

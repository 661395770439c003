"""Reference motions of the six bars by tight integration of hand-written equations, and the paper's ordinary dynamics.

These are the motions that transfer matrices are measured against; tabulated values are from 128-bit arithmetic.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mbsym import examples
from mechanisms.stepped import simulate_transfer_matrix


@pytest.fixture(scope="module")
def bars() -> ModuleType:
    """The benchmark's equations."""
    path = Path(__file__).resolve().parents[1] / "benchmarks" / "six_bars.py"
    spec = importlib.util.spec_from_file_location("six_bars", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["six_bars"] = module
    spec.loader.exec_module(module)
    return module


EQUAL = {
    0.5: (-1.841049084637, 2.085730429962, -1.629301795229, 4.772712606192),
    1: (-1.349309143085, 1.170127070545, -4.827174534378, 4.828081768285),
    2: (-1.616954347059, 1.813814596297, -10.855541168093, 4.104456735903),
    5: (-1.644020531003, 1.497862868685, -28.692084790675, 7.040363162931),
    10: (-1.682302948482, 0.932144098603, -26.018220326834, 0.282052668381),
}
SYMMETRIC = {
    1: (-2.187367357476, -2.742116386818),
    2: (-1.091445881387, -0.185255777299),
    5: (-1.662508500402, -2.516955241702),
    10: (-1.934170354827, -2.426492897231),
    15: (-0.962452426497, -0.367323723096),
    20: (-1.753106349341, -1.813856448808),
}
REGULAR = {
    0.5: (-1.051107605687, -2.348816004447, 1.520796374292, 1.339776866328, -1.801600445152, 4.743430805819),
    1: (-1.223137322041, -2.665617400238, 0.888725610038, 1.598247133912, -2.496366781334, 6.765722344046),
    2: (-0.947330554087, -2.265787951673, 1.671184609331, 1.359624042599, -1.379887910448, 2.573964767897),
    5: (-0.994413899538, -2.438170491064, 1.735111304430, 1.022510402981, -2.007757172421, 0.594647103786),
    10: (-1.113746377179, -2.449226760634, 1.190622885080, 1.578708237408, -1.094245701607, -0.467127941180),
    20: (-0.877887081037, -2.238533130412, 1.793100426533, 1.312413655165, -1.201611476589, -2.529198013465),
}
SPATIAL = {
    0.1: ((-0.523472321816, 0.404721533619, -0.019368782507), (0.523674795427, -0.389710571767, -0.048241679105)),
    0.5: ((0.391075541619, 0.900328663936, -1.98719388715), (-0.142173147761, -0.716667318634, -1.56798701462)),
    1: ((1.03290462579, 1.16078859694, 2.41445846656), (-0.718978143827, -0.370535710920, 2.06534555424)),
    2: ((2.79606332915, 0.601740841944, 2.48816617314), (1.28855928378, -0.522119500441, 0.460584755796)),
    5: ((1.38374250268, -0.695179355961, 0.580758216191), (-2.27564441080, -0.491135419581, 1.18177873585)),
    10: ((0.883890731206, 1.04886838303, -2.69355927577), (0.242497608328, -0.818689337687, -1.63776134964)),
}


def test_equal_bars_in_four_angles(bars: ModuleType, agreement: Callable[[object], None]) -> None:
    system = bars.EqualBars(bars.PLANAR)
    states = bars.tight(system.rate, system.start, np.array(list(EQUAL), dtype=float))
    error = np.abs(states[:, :4] - list(EQUAL.values())).max()
    assert error < 1e-9
    agreement(error)


def test_symmetric_bars_in_four_angles(bars: ModuleType) -> None:
    system = bars.EqualBars(bars.SYMMETRIC)
    states = bars.tight(system.rate, system.start, np.array(list(SYMMETRIC), dtype=float))
    np.testing.assert_allclose(states[:, [0, 2]], list(SYMMETRIC.values()), rtol=0, atol=1e-9)
    np.testing.assert_allclose(states[:, 1], -states[:, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(states[:, 3], np.pi - states[:, 2], rtol=0, atol=1e-9)


def test_unequal_bars_with_multipliers(bars: ModuleType) -> None:
    system = bars.PlanarBars(bars.REGULAR)
    states = bars.tight(system.rate, system.start, np.array(list(REGULAR), dtype=float))
    np.testing.assert_allclose(states[:, :6], list(REGULAR.values()), rtol=0, atol=1e-8)


@pytest.mark.more
def test_spatial_bars_with_multipliers(bars: ModuleType) -> None:
    system = bars.SpatialBars(bars.PLANAR)
    states = bars.tight(system.rate, system.start, np.array(list(SPATIAL), dtype=float))
    R = bars.rotations(states[:, :24].reshape(-1, 6, 4))[:, 4:]
    angles = np.stack(
        [np.arctan2(-R[..., 1, 2], R[..., 2, 2]), np.arcsin(R[..., 0, 2]), np.arctan2(-R[..., 0, 1], R[..., 0, 0])],
        axis=-1,
    )
    np.testing.assert_allclose(angles, list(SPATIAL.values()), rtol=0, atol=1e-7)


@pytest.mark.more
def test_transfer_matrices_approach_the_reference(bars: ModuleType) -> None:
    """Halving the step quarters the distance, in space as in the plane."""
    del bars
    model = examples.load("rhombus_spatial")
    errors = []
    for h in (2e-3, 1e-3):
        run = simulate_transfer_matrix(model, 0.5, h, every=1000)
        w, x, y, z = run.attitudes[-1][run.elements.index("body_9")]
        beta = np.arcsin(2 * (x * z + w * y))
        errors.append(abs(beta - SPATIAL[0.5][0][1]))
    assert errors[1] < 1e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)


# Closure at 1 s and at 20 s, largest energy error, angle error at 1 s and at 20 s, as tabulated to two digits or fewer.
ORDINARY = {
    ("no", 1e-2): (3.4e-5, 9.39e-3, 0.375, 4.1e-5, 0.22),
    ("no", 5e-3): (2.2e-6, 5.95e-4, 2.4e-2, 2.6e-6, 1.4e-2),
}


@pytest.mark.parametrize(("correction", "h"), ORDINARY)
def test_ordinary_dynamics_drift_as_tabulated(correction: str, h: float, bars: ModuleType) -> None:
    system = bars.PlanarBars(bars.REGULAR, correction)
    every = round(0.1 / h)
    states = bars.runge_kutta(system, h, round(20 / h), every)
    energy = system.energy(states)
    found = (
        system.closure(states[10]),
        system.closure(states[-1]),
        np.abs(energy - energy[0]).max(),
        np.abs(states[10, :6] - REGULAR[1]).max(),
        np.abs(states[-1, :6] - REGULAR[20]).max(),
    )
    np.testing.assert_allclose(found, ORDINARY[correction, h], rtol=0.03)

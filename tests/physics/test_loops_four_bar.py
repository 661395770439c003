"""A planar four-bar of spatial revolute joints just works: nothing but the model is given."""

from __future__ import annotations

import numpy as np

from mbsym.simulation.integrate import simulate
from mbsym.simulation.options import Accuracy


def test_a_hundred_seconds_without_drift() -> None:
    done = simulate("four_bar", 100.0, output_step=0.1, method="DOP853", accuracy=Accuracy(rtol=1e-10))
    monitors = done.monitors
    assert done.statistics.correction == "projection"
    assert monitors.closure_gap is not None
    assert np.max(monitors.closure_gap) < 1e-12
    first = monitors.kinetic_energy[0] + monitors.potential_energy[0]
    assert np.max(np.abs(monitors.energy_drift)) < 1e-9 * abs(first)
    # The crank swings over its whole range all the time.
    assert np.ptp(done.q[:, 0]) > 1.0
    assert np.ptp(done.q[-100:, 0]) > 1.0

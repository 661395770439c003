"""A car of included corners: double wishbones and five links, tyres on the road, a driven rack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.model.motion import PrescribedMotion
from mbsym.simulation.result import SimulationResult

CAR = Path(__file__).resolve().parents[2] / "examples" / "car" / "car.yaml"

SPEED, WHEELBASE, ARM = 20.0, 2.6, 0.12


def driven(law: str, duration: float) -> SimulationResult:
    model = replace(mbsym.load(CAR), motions=(PrescribedMotion("steering", "rack", law),))
    return mbsym.simulate(model, duration, output_step=0.05, initial="at_20")


def test_it_is_a_mechanism_of_ten_freedoms_and_wheels() -> None:
    """Chassis 6, four wheels that jump and turn; the rack is driven."""
    model = mbsym.load(CAR)
    labelling = model.label()
    assert (labelling.nb, len(labelling.cut_joints), len(model.constraints)) == (14, 2, 12)
    lines = sum(len((CAR.parent / f"{name}.yaml").read_text().splitlines()) for name in ("car",))
    assert lines < 120


def test_drawn_with_what_rods_and_struts_stand_for_it_has_fifty_joints() -> None:
    """A rod has a ball joint at each end, a strut two and a slide; rear uprights hang on their five rods alone."""
    model = mbsym.load(CAR)
    rods = sum(each.type == "distance" for each in model.constraints)
    struts = sum(each.type == "point_spring_damper" for each in model.forces)
    hanging = sum(each.type == "free" for each in model.joints) - 1
    assert len(model.joints) - hanging + 2 * rods + 3 * struts == 50


@pytest.mark.more
def test_it_goes_straight_and_changes_lanes() -> None:
    motion = mbsym.simulate(CAR, 6.0, output_step=0.05, initial="at_20")
    names = {name: k for k, name in enumerate(motion.names)}
    y, yaw = motion.q[:, names["q_body_py"]], 2 * motion.q[:, names["q_body_z"]]
    assert np.abs(y[motion.t < 0.5]).max() < 1e-3
    assert 3.0 < y[-1] < 4.0
    assert abs(yaw[-1]) < 0.01
    assert motion.monitors.worst_energy_drift < 1e-9 * motion.monitors.energy_scale
    assert motion.monitors.closure_gap is not None and motion.monitors.closure_gap.max() < 1e-12


@pytest.mark.more
def test_it_yaws_as_the_single_track_has_it() -> None:
    """Cornering stiffness per load is one for all tyres, which steers neutrally: yaw rate = v delta/(wheelbase).

    Links turn the wheels by some part of a degree as the body rolls, and loads move from the inner to the outer wheels,
    which a single track does not know: a twentieth.
    """
    motion = driven("0.0003*(1 + tanh(5*(t - 1)))/2", 4.0)
    rate = motion.y[-1, 1]
    assert rate == pytest.approx(SPEED * (0.0003 / ARM) / WHEELBASE, rel=0.05)

"""Beams that bend, stretch and twist, for steps by transfer matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mbsym.model.beam import Beam
from mbsym.model.beams_of_models import with_beams
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model

END = Body("end", 0.5, (0.05, 0.02, 0.03), (0.01, 0.02, 0.015, 0, 0, 0))
PLATE = Body("plate", 1, (0.1, 0, 0), (0.1, 0.12, 0.15, 0, 0, 0))
WHOLE: dict[str, Any] = {
    "length": 1, "mass": 1, "bending_stiffness": (20, 12), "bends": "both", "axial_stiffness": 2e3,
    "torsional_stiffness": 8, "torsional_inertia": 0.01,
}  # fmt: skip
FLAT: dict[str, Any] = {"length": 1, "mass": 1, "bending_stiffness": 20, "axial_stiffness": 2e3}


def beamed(name: str) -> Model:
    """A cantilever in the plane and in space, one that is walked from its tip, and one on a plate that turns freely."""
    match name:
        case "plane":
            return with_beams(Model(name, gravity=(0, -9.8, 0)), [Beam("b", "ground", segments=3, **FLAT)])
        case "from the tip":
            beam = Beam("b", "end", tip="ground", segments=2, damping=0.01, **WHOLE)
            return with_beams(Model(name, (END,)), [beam])
        case "on a plate":
            joints = (
                Joint("ball", "spherical", "ground", "plate"),
                Joint("cross", "universal", "end", "wheel", axis=(1, 0, 0), second_axis=(0, 1, 0)),
            )
            wheel = replace(PLATE, name="wheel", center_of_mass=(0.1, 0.1, 0))
            beam = Beam("b", "plate", tip="end", segments=2, damping=0.01, at=Placement((0.1, 0.2, 0)), **WHOLE)
            return with_beams(Model(name, (PLATE, END, wheel), joints), [beam])
    return with_beams(Model(name, (END,)), [Beam("b", "ground", tip="end", segments=2, **WHOLE)])

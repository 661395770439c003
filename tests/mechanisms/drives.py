"""Drives drawn for mechanisms that tests have: forces at a joint and a body that follow states with rates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mbsym.forces import AppliedWrench, JointForce
from mbsym.model.drive import DriveState
from mbsym.model.names import expression_names
from mbsym.model.system import Model
from mbsym.values.parameter import ControlInput


def with_drives(model: Model, rng: np.random.Generator) -> Model:
    """The model with three states beside what it has.

    The first follows a control input and the speed of the last body, the second the first one, a coordinate and time,
    the third only the second. A wrench on the last body and a force along a joint of the tree follow the first two and
    a speed.
    """
    a, b, c = (round(float(x), 2) for x in rng.uniform(0.5, 1.5, 3))
    joint, names, last = model.joints[0], expression_names(model), model.bodies[-1].name
    kept = tuple(replace(each, cut="tree") if each is joint else each for each in model.joints)
    wrench = AppliedWrench(
        "of drives", last, (f"{a}*x_1", f"-{b}*x_1*x_2", "sin(x_2)"), ("0.3*x_2", 0, f"{c}*x_1**2"), axes="body"
    )
    forces = (*model.forces, wrench)
    place, angle = f'position("{last}").x', ""
    if joint.shape.nv:
        speed = names.speeds[joint.name][0]
        forces = (*forces, JointForce("driven", joint.name, f"x_2*cos(t) - {c}*x_1*{speed}"))
        place, angle = names.coordinates[joint.name][0], f" + 0.3*{speed}*x_2"
    drives = (
        DriveState("x_1", f'fed - {a}*x_1 - {b}*velocity("{last}").y', 0.4, "A"),
        DriveState("x_2", f"sin({place})*x_1 - tanh({c}*x_2) + 0.2*t{angle}", -0.3),
        DriveState("x_3", "(x_2 - x_3)/0.1", lower=-0.5, upper=0.4),
    )
    inputs = (*model.inputs, ControlInput("fed", "A/s"))
    return replace(model, joints=kept, forces=forces, inputs=inputs, drives=drives)

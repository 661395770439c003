"""Uniform bars on pins in the plane of x and y."""

from __future__ import annotations

from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model


def hanging_bars(count: int, length: float, mass: float = 1.0, *, gravity: float = 9.81) -> Model:
    """Bars b0, b1, ... on pins j0, j1, ..., hanging down the y axis at coordinates -pi/2, 0, 0, ...

    Args:
        count: Of bars.
        length: Of each [m].
        mass: Of each [kg].
        gravity: Along -y [m/s^2].
    """
    inertia = mass * length**2 / 12
    names = ["ground", *(f"b{k}" for k in range(count))]
    bodies = tuple(Body(name, mass, (length / 2, 0, 0), (0, inertia, inertia, 0, 0, 0)) for name in names[1:])
    joints = tuple(
        Joint(f"j{k}", "revolute", names[k], names[k + 1], predecessor_placement=Placement((length if k else 0, 0, 0)))
        for k in range(count)
    )
    return Model("chain", bodies, joints, gravity=(0, -gravity, 0))

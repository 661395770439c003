"""Chains of revolute joints in a row, with all parameters of the bodies as names: what sizes are quoted for."""

from __future__ import annotations

from typing import Literal

from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.values.parameter import Parameter, Vector

DEFAULTS = {"m": ("1", "kg"), "h": ("0.25", "kg m"), "Ixx": ("0.2", "kg m^2"), "Iyy": ("0.25", "kg m^2")} | {
    "Izz": ("0.3", "kg m^2"),
    "l": ("0.5", "m"),
}


def benchmark_chain(joints: int, along: Literal["x", "z"] = "z") -> Model:
    """A chain of revolute joints whose axes alternate between x and y, hanging on ground without an offset.

    Mass m, moments of inertia Ixx, Iyy, Izz about the joint frame's axes, first moment h and link length l of each body
    stay run-time arguments; h and l lie along one axis.

    Args:
        joints: their number, that of the bodies too.
        along: the axis that links and first moments lie on: z is perpendicular to all joint axes, x is every other one.
    """

    def offset(size: str) -> Vector:
        return (size, 0, 0) if along == "x" else (0, 0, size)

    numbers = range(1, joints + 1)
    return Model(
        name=f"chain_{along}_{joints}",
        bodies=tuple(
            Body(f"b{k}", f"m{k}", offset(f"h{k}/m{k}"), (f"Ixx{k}", f"Iyy{k}", f"Izz{k}", 0, 0, 0), "frame")
            for k in numbers
        ),
        joints=tuple(_joint(k, Placement(offset(f"l{k - 1}")) if k > 1 else Placement()) for k in numbers),
        parameters=tuple(
            Parameter(f"{name}{k}", value, unit, symbolic=True)
            for k in numbers
            for name, (value, unit) in DEFAULTS.items()
            if not (name == "l" and k == joints)
        ),
    )


def spatial_chain(joints: int) -> Model:
    """Revolute joints about x, y, x, ... with fully symbolic bodies between them."""
    names: list[str] = []

    def made(*found: str) -> tuple[str, ...]:
        names.extend(found)
        return found

    bodies, chain = [], []
    for k in range(1, joints + 1):
        center = made(*(f"c{axis}{k}" for axis in "xyz"))
        inertia = made(*(f"I{axes}{k}" for axes in ("xx", "yy", "zz", "xy", "xz", "yz")))
        (mass,) = made(f"m{k}")
        bodies.append(Body(f"b{k}", mass, (center[0], center[1], center[2]), inertia))  # type: ignore[arg-type]
        at = made(*(f"l{axis}{k - 1}" for axis in "xyz")) if k > 1 else ("0", "0", "0")
        chain.append(_joint(k, Placement((at[0], at[1], at[2]))))
    return Model(f"spatial_{joints}", tuple(bodies), tuple(chain), parameters=tuple(Parameter(n, 1) for n in names))


def _joint(k: int, placement: Placement) -> Joint:
    """Joint k of a chain whose axes alternate between x and y."""
    axis = (1, 0, 0) if k % 2 else (0, 1, 0)
    inner = f"b{k - 1}" if k > 1 else "ground"
    return Joint(f"j{k}", "revolute", inner, f"b{k}", axis=axis, predecessor_placement=placement)

"""Linkages whose closure equations depend on each other, everywhere or where they start."""

from __future__ import annotations

from math import pi

from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model

ROD = ("1/12", "1/12", "1/12", 0, 0, 0)


def rod(name: str) -> Body:
    """A rod of length and mass one along x."""
    return Body(name, 1, (0.5, 0, 0), ROD)


def hinge(name: str, first: str, second: str, at: float = 0.0, there: float = 0.0) -> Joint:
    """A hinge about z at x = ``at`` of the first body and x = ``there`` of the second."""
    return Joint(
        name,
        "revolute",
        first,
        second,
        predecessor_placement=Placement((at, 0, 0)),
        successor_placement=Placement((there, 0, 0)),
    )


def windows(count: int) -> Model:
    """A row of parallel-crank four-bars: cranks A on ground, one metre apart, couplers between neighbours.

    Where all joints are zero the whole row lies flat on a line, which is singular.
    """
    bodies = [rod(f"crank{k}") for k in range(count + 1)] + [rod(f"coupler{k}") for k in range(count)]
    joints = [hinge(f"A{k}", "ground", f"crank{k}", float(k)) for k in range(count + 1)]
    for k in range(count):
        joints.append(hinge(f"B{k}", f"crank{k}", f"coupler{k}", 1.0))
        joints.append(hinge(f"C{k}", f"coupler{k}", f"crank{k + 1}", 1.0, 1.0))
    return Model(f"windows{count}", tuple(bodies), tuple(joints))


def parallel_cranks(count: int, angle: float) -> Model:
    """A bar on parallel cranks: two hold it, further ones repeat what these do, but only while they are parallel."""
    bodies = [rod(f"crank{k}") for k in range(count)] + [Body("bar", 1, (1, 0, 0), ROD)]
    joints = []
    for k in range(count):
        joints.append(hinge(f"A{k}", "ground", f"crank{k}", float(k)))
        joints.append(hinge(f"B{k}", f"crank{k}", "bar", 1.0, float(k)))
    turned = {f"A{k}": angle for k in range(count)} | {f"B{k}": -angle for k in range(count)}
    joints = [
        Joint(
            j.name, j.type, j.predecessor, j.successor,
            predecessor_placement=j.predecessor_placement, successor_placement=j.successor_placement,
            initial=(turned[j.name],),
        )
        for j in joints
    ]  # fmt: skip
    return Model(f"cranks{count}", tuple(bodies), tuple(joints))


def sarrus(fold: float) -> Model:
    """Two folding legs in planes at right angles between a base and a plate, which moves along z alone."""
    bodies = [rod(name) for name in ("lower1", "upper1", "lower2", "upper2")] + [Body("plate", 1, (0, 0, 0), ROD)]
    joints = []
    for leg, turn in ((1, 0.0), (2, pi / 2)):
        stand = Placement((0, 0, 0), (("z", turn),))
        chain = ("ground", f"lower{leg}", f"upper{leg}", "plate")
        angles = (-fold, pi + 2 * fold, -fold - pi)
        for k, angle in enumerate(angles):
            joints.append(
                Joint(
                    f"{'PQR'[k]}{leg}",
                    "revolute",
                    chain[k],
                    chain[k + 1],
                    axis=(0, 1, 0),
                    predecessor_placement=stand if k == 0 else Placement((1, 0, 0)),
                    successor_placement=stand if k == 2 else Placement(),
                    initial=(angle,),
                )
            )
    return Model("sarrus", tuple(bodies), tuple(joints))

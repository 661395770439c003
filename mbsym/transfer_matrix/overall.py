"""The overall transfer equation as a product of matrices: for inspection, and for chains of a few bodies.

Along the main path Z_end = U_n ... B U_2 B U_1 Z_root with the matrices of bodies behind their smooth hinges. A branch
that ends free is absorbed where it hangs: Q = 0 at its tip gives its force as K r + k, and B takes that from the force
on the main path. A loop is closed by r = 0 (less its place) at the end, an open chain by Q = 0: two equations, three in
space, for the force at the root, however many bodies there are. A product loses about half a digit a rigid body, and
has no digits left beyond some thirty; stepping code uses the recursion instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mbsym.doors import sympy as sp
from mbsym.errors import DerivationError
from mbsym.transfer_matrix.system import TransferSystem

Level: TypeAlias = Literal["steps", "accelerations"]
"""What state vectors hold: positions at the end of a step, or accelerations, all forces being loads."""


@dataclass(frozen=True, slots=True)
class OverallEquation:
    """The overall transfer equation.

    Attributes:
        bodies: numbers along the main path from ground to the cut joint or to a tip.
        is_loop: True where the end of the path is held on ground.
        expression: product of matrix symbols U_NAME of bodies behind their hinges and B_NAME of absorbed branches.
    """

    bodies: tuple[int, ...]
    is_loop: bool
    expression: sp.MatrixExpr


def overall_equation(system: TransferSystem, level: Level = "steps") -> OverallEquation:
    """The product of a chain, a tree or a single loop through ground, all branches hanging at output ends.

    Raises:
        DerivationError: the system is elastic, or has loops or branches of another kind.
    """
    covered = _not_covered(system, level)
    if covered:
        raise DerivationError(
            f"products are shown for {covered}",
            where=system.mechanism.model.name,
            remedy="the generated stepping code covers it by recursion",
        )
    cuts = _cut_joints(system)
    path = _main_path(system, max(cuts[0]) if cuts else 0)
    size = 2 * system.layout.dimension + 1
    factors: list[sp.MatrixExpr] = []
    for number in path:
        factors.append(sp.MatrixSymbol(f"U_{system.bodies[number - 1].name}", size, size))
        hanging = (body.name for k, body in enumerate(system.bodies, 1) if body.parent == number and k not in path)
        factors += [sp.MatrixSymbol(f"B_{name}", size, size) for name in hanging]
    return OverallEquation(tuple(path), bool(cuts), sp.MatMul(*reversed(factors)))


def _cut_joints(system: TransferSystem) -> list[tuple[int, int]]:
    return [(cut.first, cut.second) for cut in system.cuts if not cut.is_spring]


def _not_covered(system: TransferSystem, level: Level) -> str:
    """What products are shown for where the system is of another kind, nothing where it is not."""
    hinges = [body.hinge for body in system.bodies]
    in_steps = level == "steps"
    if in_steps and not system.is_planar:
        return "planar systems, and for accelerations in space"
    if not all(hinge.is_pin or hinge.is_ball for hinge in hinges):
        return "systems of pins, or of balls in space"
    cuts = _cut_joints(system)
    if len(cuts) > 1 or any(0 not in ends for ends in cuts) or (in_steps and len(system.cuts) > len(cuts)):
        return "one loop, cut at ground"
    if any(any(each.law[:3] if in_steps else each.law[2:3]) for hinge in hinges for each in hinge.coordinates):
        return "smooth hinges" if in_steps else "hinges without rotor inertia"
    if sum(not body.parent for body in system.bodies) > 1:
        return "one body on ground"
    return "" if _has_one_end_each(system) else "bodies with one output end"


def _has_one_end_each(system: TransferSystem) -> bool:
    used = [(body.parent, body.hinge.attachment) for body in system.bodies]
    cuts = [cut for cut in system.cuts if not cut.is_spring]
    used += [end for cut in cuts for end in ((cut.first, cut.first_point), (cut.second, cut.second_point))]
    ends = {(number, tuple(x.ref for x in point)) for number, point in used if number}
    return len(ends) == len({number for number, _ in ends})


def _main_path(system: TransferSystem, tip: int) -> list[int]:
    """Numbers from the body on ground to the tip; without a tip along the longest chain."""
    if not tip:
        depth = [0] * (len(system.bodies) + 1)
        for number, body in enumerate(system.bodies, start=1):
            depth[number] = depth[body.parent] + 1
        tip = max(range(len(depth)), key=lambda number: depth[number])
    return way_to(system, tip)


def way_to(system: TransferSystem, number: int) -> list[int]:
    """Numbers of the elements on the way from ground to one of them, which is the last."""
    way = []
    while number:
        way.append(number)
        number = system.bodies[number - 1].parent
    return way[::-1]

"""The overall transfer equation as a product of reduced matrices: for inspection, and for chains of a few bodies.

Along the main path Z_end = U_n ... B U_2 B U_1 Z_root with the 5 x 5 matrices of bodies between smooth hinges. A branch
that ends free is absorbed where it hangs: Q = 0 at its tip gives its force as K r + k, and B takes that from the force
on the main path. A loop is closed by r = 0 (less its place) at the end, an open chain by Q = 0: two equations for the
force at the root, however many bodies there are. A product loses about half a digit a rigid body, and has no digits
left beyond some thirty; stepping code uses the recursion instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbsym.doors import sympy as sp
from mbsym.errors import DerivationError
from mbsym.transfer_matrix.system import TransferSystem


@dataclass(frozen=True, slots=True)
class Path:
    """A chain of bodies outward, with the branches that hang on each one's output end."""

    bodies: tuple[int, ...]
    branches: tuple[tuple[Path, ...], ...]


@dataclass(frozen=True, slots=True)
class OverallEquation:
    """The overall transfer equation of a planar system.

    Attributes:
        path: main path from ground to the cut joint or to a tip.
        is_loop: True where the end of the path is held on ground.
        expression: product of matrix symbols U_NAME of bodies and B_NAME of absorbed branches.
        names: of bodies by number, for the symbols.
    """

    path: Path
    is_loop: bool
    expression: sp.MatrixExpr
    names: Mapping[int, str]

    def product(self, reduced: Mapping[int, sp.Matrix]) -> sp.Matrix:
        """The product for given 5 x 5 matrices of bodies, by number."""
        return _product(self.path, reduced)

    def root_force(self, reduced: Mapping[int, sp.Matrix], root: sp.Matrix, end: sp.Matrix) -> sp.Matrix:
        """Force at the root's input end.

        Args:
            reduced: 5 x 5 matrices of bodies, by number.
            root: place of the input end on ground.
            end: place of the cut joint on ground; not read for open chains.
        """
        T = self.product(reduced)
        rows = [0, 1] if self.is_loop else [2, 3]
        right = T.extract(rows, [0, 1]) * root + T.extract(rows, [4])
        if self.is_loop:
            right = right - end
        return -T.extract(rows, [2, 3]).LUsolve(right)


def branch_matrix(branch: sp.Matrix) -> sp.Matrix:
    """B: takes the force of a branch with a free tip, K r + k, from the force that goes on.

    Args:
        branch: product of the branch's reduced matrices, from its hinge to its tip.
    """
    inverse = branch.extract([2, 3], [2, 3]).inv()
    B = sp.eye(5)
    B[2:4, 0:2] = inverse * branch.extract([2, 3], [0, 1])
    B[2:4, 4] = inverse * branch.extract([2, 3], [4])
    return B


def overall_equation(system: TransferSystem) -> OverallEquation:
    """The product of a chain, a tree or a single loop through ground, all branches hanging at output ends.

    Raises:
        DerivationError: the system is spatial, elastic, or has loops or branches of another kind.
    """
    where = system.mechanism.model.name
    remedy = "the generated stepping code covers it by recursion"
    if not system.is_planar or any(body.hinge.elastic for body in system.bodies):
        raise DerivationError(
            "products are shown for planar systems without elastic hinges", where=where, remedy=remedy
        )
    if len(system.cuts) > 1 or any(cut.is_spring or 0 not in (cut.first, cut.second) for cut in system.cuts):
        raise DerivationError("products are shown for one loop, cut at ground", where=where, remedy=remedy)
    children: dict[int, list[int]] = {k: [] for k in range(len(system.bodies) + 1)}
    for number, body in enumerate(system.bodies, start=1):
        children[body.parent].append(number)
        if body.hinge.torsion[0] or body.hinge.torsion[1] or body.hinge.torsion[2]:
            raise DerivationError("products are shown for smooth hinges", where=where, remedy=remedy)
    if len(children[0]) > 1:
        raise DerivationError("products are shown for one body on ground", where=where, remedy=remedy)
    ends: dict[int, object] = {}
    for body in system.bodies:
        place = tuple(x.ref for x in body.hinge.attachment)
        if body.parent and ends.setdefault(body.parent, place) != place:
            raise DerivationError("products are shown for bodies with one output end", where=where, remedy=remedy)
    tip = 0
    if system.cuts:
        cut = system.cuts[0]
        tip, point = (cut.second, cut.second_point) if cut.first == 0 else (cut.first, cut.first_point)
        if ends.setdefault(tip, tuple(x.ref for x in point)) != tuple(x.ref for x in point):
            raise DerivationError("products are shown for bodies with one output end", where=where, remedy=remedy)
    main = _main_path(system, children, tip)
    path = _path(main, children)
    names = {number: body.name for number, body in enumerate(system.bodies, start=1)}
    factors: list[sp.MatrixExpr] = []
    for number, branches in zip(path.bodies, path.branches, strict=True):
        factors.append(sp.MatrixSymbol(f"U_{names[number]}", 5, 5))
        factors += [sp.MatrixSymbol(f"B_{names[branch.bodies[0]]}", 5, 5) for branch in branches]
    return OverallEquation(path, bool(system.cuts), sp.MatMul(*reversed(factors)), names)


def _main_path(system: TransferSystem, children: Mapping[int, list[int]], tip: int) -> list[int]:
    """Numbers from the body on ground to the tip; without a tip along the longest chain."""
    if not tip:
        depth = [0] * (len(system.bodies) + 1)
        for number, body in enumerate(system.bodies, start=1):
            depth[number] = depth[body.parent] + 1
        tip = max(range(len(depth)), key=lambda number: depth[number])
    path = []
    while tip:
        path.append(tip)
        tip = system.bodies[tip - 1].parent
    return path[::-1]


def _path(main: list[int], children: Mapping[int, list[int]]) -> Path:
    branches = []
    for place, number in enumerate(main):
        following = main[place + 1] if place + 1 < len(main) else 0
        branches.append(tuple(_chain(child, children) for child in children[number] if child != following))
    return Path(tuple(main), tuple(branches))


def _chain(number: int, children: Mapping[int, list[int]]) -> Path:
    """A branch along first children; the others are its own branches."""
    chain = [number]
    while children[chain[-1]]:
        chain.append(children[chain[-1]][0])
    return _path(chain, children)


def _product(path: Path, reduced: Mapping[int, sp.Matrix]) -> sp.Matrix:
    T = sp.eye(5)
    for number, branches in zip(path.bodies, path.branches, strict=True):
        T = reduced[number] * T
        for branch in branches:
            T = branch_matrix(_product(branch, reduced)) * T
    return T

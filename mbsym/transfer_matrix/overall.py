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
    covered = _not_covered(system)
    if covered:
        raise DerivationError(
            f"products are shown for {covered}",
            where=system.mechanism.model.name,
            remedy="the generated stepping code covers it by recursion",
        )
    children: dict[int, list[int]] = {k: [] for k in range(len(system.bodies) + 1)}
    names = {number: body.name for number, body in enumerate(system.bodies, start=1)}
    for number, body in enumerate(system.bodies, start=1):
        children[body.parent].append(number)
    tip = max(system.cuts[0].first, system.cuts[0].second) if system.cuts else 0
    path = _path(_main_path(system, tip), children)
    factors: list[sp.MatrixExpr] = []
    for number, branches in zip(path.bodies, path.branches, strict=True):
        factors.append(sp.MatrixSymbol(f"U_{names[number]}", 5, 5))
        factors += [sp.MatrixSymbol(f"B_{names[branch.bodies[0]]}", 5, 5) for branch in branches]
    return OverallEquation(path, bool(system.cuts), sp.MatMul(*reversed(factors)), names)


def _not_covered(system: TransferSystem) -> str:
    """What products are shown for where the system is of another kind, nothing where it is not."""
    hinges = [body.hinge for body in system.bodies]
    if not system.is_planar or any(len(hinge.coordinates) > 1 or hinge.slides for hinge in hinges):
        return "planar systems of pins"
    if len(system.cuts) > 1 or any(cut.is_spring or 0 not in (cut.first, cut.second) for cut in system.cuts):
        return "one loop, cut at ground"
    if any(hinge.acts for hinge in hinges):
        return "smooth hinges"
    if sum(not body.parent for body in system.bodies) > 1:
        return "one body on ground"
    return "" if _has_one_end_each(system) else "bodies with one output end"


def _has_one_end_each(system: TransferSystem) -> bool:
    used = [(body.parent, body.hinge.attachment) for body in system.bodies]
    used += [end for cut in system.cuts for end in ((cut.first, cut.first_point), (cut.second, cut.second_point))]
    ends = {(number, tuple(x.ref for x in point)) for number, point in used if number}
    return len(ends) == len({number for number, _ in ends})


def _main_path(system: TransferSystem, tip: int) -> list[int]:
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

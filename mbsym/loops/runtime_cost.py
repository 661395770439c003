"""What an ordinary call of the runtime in ``runtime/c/loops.c`` costs besides the derived functions that it calls.

Ordinary is a regular configuration, and one Newton step. The tests count the operations of that text while it runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbsym.symbolic.program import OperationCount


@dataclass(frozen=True, slots=True)
class RuntimeCost:
    """Costs for a number of closure rows and of speeds.

    Attributes:
        rows: m.
        speeds: n.
    """

    rows: int
    speeds: int

    @property
    def factor(self) -> OperationCount:
        """Of J M^-1 J^T, brought to unit diagonal."""
        m = self.rows
        cubic = m * (m * m - 1) // 6
        return OperationCount(add=cubic, mul=cubic + 3 * m * (m - 1) // 2, div=2 * m, sqrt=2 * m)

    @property
    def solve(self) -> OperationCount:
        """With its factor."""
        m = self.rows
        return OperationCount(add=m * (m - 1), mul=m * (m - 1) + 4 * m)

    @property
    def product(self) -> OperationCount:
        """Of a matrix (m, n) or (n, m) with a vector, added to another."""
        return OperationCount(add=self.rows * self.speeds, mul=self.rows * self.speeds)

    @property
    def dynamics(self) -> OperationCount:
        """Of constrained_dynamics."""
        return _sum(self.factor, self.solve, self.product)

    @property
    def stabilised(self) -> OperationCount:
        """Of stabilised_dynamics."""
        return _sum(self.dynamics, self.product, OperationCount(add=2 * self.rows, mul=4 * self.rows))

    @property
    def derivatives(self) -> OperationCount:
        """Of constrained_dynamics_derivatives: three matrices are solved for, column by column."""
        each = [self.solve, self.product] * (3 * self.speeds)
        return _sum(self.dynamics, *each, OperationCount(add=self.rows * self.speeds))

    @property
    def position_step(self) -> OperationCount:
        """Of a Newton step of project_position."""
        # Before it the first row is found open; after it, and at the end, all are judged.
        judged = 2 * self.rows + 1
        return _sum(self.factor, self.solve, self.product, OperationCount(add=judged, mul=3 * judged))

    @property
    def velocity(self) -> OperationCount:
        """Of project_velocity, which solves twice."""
        return _sum(self.factor, *[self.solve, self.product, self.product] * 2)


def _sum(*counts: OperationCount) -> OperationCount:
    return OperationCount(**{kind: sum(count.as_dict()[kind] for count in counts) for kind in counts[0].as_dict()})

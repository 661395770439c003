"""What an ordinary call of the runtime in ``runtime/c/loops.c`` costs besides the derived functions that it calls.

Ordinary is a regular configuration, and one Newton step. The tests count the operations of that text while it runs, and
measure its arrays.
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
        coordinates: of q.
    """

    rows: int
    speeds: int
    coordinates: int

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
    def position_step(self) -> OperationCount:
        """Of a Newton step of project_position."""
        return _sum(self.factor, self.solve, self.product)

    @property
    def velocity(self) -> OperationCount:
        """Of project_velocity, which solves twice."""
        return _sum(self.factor, *[self.solve, self.product, self.product] * 2)

    @property
    def _system(self) -> int:
        """Numbers in the structure of rows, and in the solver's arrays."""
        m, n = self.rows, self.speeds
        return 2 * m * n + m * m + n + m + 2 * m

    @property
    def dynamics_reals(self) -> int:
        """Floating-point numbers in the arrays of constrained_dynamics and stabilised_dynamics."""
        return self._system + self.rows * self.speeds + self.rows

    @property
    def forward_reals(self) -> int:
        """In those of forward_dynamics."""
        return self.dynamics_reals + self.rows

    @property
    def wrenches_reals(self) -> int:
        """In those of joint_wrenches."""
        return self.forward_reals + self.speeds

    @property
    def position_reals(self) -> int:
        """In those of project_position."""
        return self._system + self.rows * self.speeds + 2 * self.rows + self.speeds + self.coordinates

    @property
    def velocity_reals(self) -> int:
        """In those of project_velocity."""
        return self._system + self.rows * self.speeds + self.rows


def _sum(*counts: OperationCount) -> OperationCount:
    return OperationCount(**{kind: sum(count.as_dict()[kind] for count in counts) for kind in counts[0].as_dict()})

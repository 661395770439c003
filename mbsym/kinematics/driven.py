"""Speeds that motions prescribe, and systems of equations without them.

With d for what is driven and f for what is free, vdot_d = a is known in M vdot + h = tau, and what is left is

    M_ff vdot_f = tau_f - h_f - M_fd a

which is the same system with ones on the diagonal in the place of M_dd, zeros in that of M_fd, and h at the rates a.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 9.1.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import Speeds, joints_at_rest
from mbsym.model.motion import PrescribedMotion
from mbsym.symbolic.differentiate import forward
from mbsym.symbolic.graph import ONE
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import to_scalar


@dataclass(frozen=True, slots=True)
class DrivenSpeed:
    """An entry of v whose rate is prescribed.

    Attributes:
        motion: that prescribes it.
        column: its place in v.
        coordinate: the place in q of what it is the rate of; None where no position is prescribed.
        position, speed: what is prescribed of these; None where nothing is.
        acceleration: its rate.
    """

    motion: PrescribedMotion
    column: int
    coordinate: int | None
    position: Scalar | None
    speed: Scalar | None
    acceleration: Scalar


def driven_speeds(mechanism: Mechanism) -> tuple[DrivenSpeed, ...]:
    """The speeds that the motions of a model prescribe, in its order.

    Raises:
        DerivationError: a joint is cut.
    """
    bodies = {body.joint.name: body for body in mechanism.bodies}
    found = []
    for motion in mechanism.model.motions:
        body = bodies.get(motion.joint)
        if body is None:
            raise DerivationError(
                f"motion {motion.name} drives joint {motion.joint}, which is cut",
                where=motion.name,
                remedy=f"keep joint {motion.joint} in the tree (cut: tree)",
            )
        laws: list[Scalar | None] = [None] * ("position", "speed", "acceleration").index(motion.gives)
        laws.append(to_scalar(motion.law, mechanism.graph, mechanism.names))
        while len(laws) < 3:
            laws.append(_rate(mechanism, laws[-1]))
        position, speed, acceleration = laws
        assert acceleration is not None
        coordinate = None if position is None else body.q_range[0] + motion.index
        column = body.v_range[0] + motion.index
        found.append(DrivenSpeed(motion, column, coordinate, position, speed, acceleration))
    return tuple(found)


def driven_columns(mechanism: Mechanism) -> frozenset[int]:
    """Their places in v."""
    return frozenset(driven.column for driven in driven_speeds(mechanism))


def prescribed_entries(mechanism: Mechanism) -> tuple[Scalar, ...]:
    """vdot of what is driven, and zeros (nv,)."""
    rates = [Scalar(mechanism.graph, 0)] * mechanism.nv
    for driven in driven_speeds(mechanism):
        rates[driven.column] = driven.acceleration
    return tuple(rates)


def prescribed_rates(mechanism: Mechanism) -> Speeds:
    """The same by tree joint."""
    if not mechanism.model.motions:
        return joints_at_rest(mechanism)
    return mechanism.of_joints(prescribed_entries(mechanism))


def with_entries(values: Sequence[Scalar], known: Sequence[Scalar], driven: Collection[int]) -> list[Scalar]:
    """An array over v with the known entries of what is driven."""
    return [known[k] if k in driven else value for k, value in enumerate(values)]


def without_columns(values: Sequence[Scalar], driven: Collection[int]) -> list[Scalar]:
    """An array over v with zeros for what is driven."""
    return [0 * value if k in driven else value for k, value in enumerate(values)]


def without_rows(matrix: Sequence[Sequence[Scalar]], driven: Collection[int]) -> list[list[Scalar]]:
    """A matrix with zeros in the rows of what is driven."""
    return [without_columns(row, range(len(row)) if i in driven else ()) for i, row in enumerate(matrix)]


def without_driven(matrix: Sequence[Sequence[Scalar]], driven: Collection[int]) -> list[list[Scalar]]:
    """A square matrix with zeros in the rows and columns of what is driven."""
    return [without_columns(row, driven) for row in without_rows(matrix, driven)]


def held_matrix(matrix: Sequence[Sequence[Scalar]], driven: Collection[int]) -> list[list[Scalar]]:
    """A symmetric matrix over v in which what is driven stands by itself, with ones."""
    found = without_driven(matrix, driven)
    for k in driven:
        found[k][k] = found[k][k] + 1
    return found


def _rate(mechanism: Mechanism, value: Scalar | None) -> Scalar:
    """Of a law of time."""
    if value is None or mechanism.time is None:
        return Scalar(mechanism.graph, 0)
    (rate,) = forward(mechanism.graph, [value.ref], {mechanism.time.symbols[0]: ONE})
    return Scalar(mechanism.graph, rate)

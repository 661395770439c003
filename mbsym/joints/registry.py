"""The joint types that models may name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mbsym.errors import ModelError
from mbsym.joints.cylindrical import CYLINDRICAL
from mbsym.joints.fixed import FIXED
from mbsym.joints.free import FREE
from mbsym.joints.helical import HELICAL
from mbsym.joints.planar import PLANAR
from mbsym.joints.prismatic import PRISMATIC
from mbsym.joints.record import JointType
from mbsym.joints.revolute import REVOLUTE
from mbsym.joints.spherical import SPHERICAL
from mbsym.joints.universal import UNIVERSAL
from mbsym.records import Registry

LONGEST_LINE: Final = 116
"""Of the conventions, as they stand in generated files."""


def _checked(kind: JointType) -> None:
    from mbsym.joints.record_checks import check_joint_type

    check_joint_type(kind)


JOINT_TYPES: Final[Registry[JointType]] = Registry(
    "joint type",
    (REVOLUTE, PRISMATIC, HELICAL, CYLINDRICAL, UNIVERSAL, SPHERICAL, PLANAR, FREE, FIXED),
    ModelError,
    _checked,
)


def one_freedom() -> tuple[str, ...]:
    """Names of the types with one degree of freedom."""
    return tuple(name for name, kind in JOINT_TYPES.items() if kind.shape.nv == 1)


def joint_conventions(kinds: Iterable[JointType]) -> tuple[str, ...]:
    """What generated files say about q and v of the joints they have: first where speeds are no rates, then by name.

    Short ones stand in a line.
    """
    told = {kind.name: kind for kind in kinds if kind.convention}
    lines: list[str] = []
    for kind in sorted(told.values(), key=lambda kind: (kind.speeds_are_rates, kind.name)):
        if lines and len(lines[-1]) + 1 + len(kind.convention) <= LONGEST_LINE:
            lines[-1] += f" {kind.convention}"
        else:
            lines.append(kind.convention)
    return tuple(lines)

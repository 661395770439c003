"""Hypothesis strategies: mechanisms, and states of a model.

Examples shrink towards one body on a revolute joint, axes along z, short lengths and zero coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.errors import ModelError, ToolchainError
from mbsym.joints.registry import JOINT_TYPES
from mbsym.joints.revolute import REVOLUTE
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.testing.at_states import closed_coordinates
from mbsym.testing.subject import subject_of

try:
    from hypothesis import strategies as st
except ImportError:
    raise ToolchainError(
        "the strategies of mbsym.testing need Hypothesis, which is not installed", remedy="pip install hypothesis"
    ) from None

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

AXES: Final = ((0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, -1), (0, 3, 4), (2, -1, 2))

_ROD: Final = (0, 1, 0)
"""About which four-bar linkages turn."""

Vector: TypeAlias = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A state of a model.

    Attributes:
        q: coordinates (nq,), quaternions of length one, loops closed.
        v, vdot, tau: speeds, their rates and generalised forces (nv,).
    """

    q: Array
    v: Array
    vdot: Array
    tau: Array


def mechanisms(
    joints: Sequence[str] = (), bodies: int | tuple[int, int] = (1, 5), loops: int | tuple[int, int] = 0
) -> SearchStrategy[Model]:
    """Mechanisms with solid bodies on joints of random axes and places.

    Args:
        joints: types that may occur, the simplest first; all that move if empty.
        bodies: number of the bodies of the tree, or the smallest and largest.
        loops: number of four-bar linkages on ground or on bodies of the tree, which have three bodies more, or the
            smallest and largest.

    Raises:
        ModelError: a joint type or number is unknown.
    """
    types = [JOINT_TYPES.named(name).name for name in joints]
    types = types or [name for name, kind in JOINT_TYPES.items() if kind.shape.nv]
    parts = (st.sampled_from(types), _tenths(1, 4), st.integers(0, 11), st.sampled_from(AXES), _PLACES, _BLOCKS)
    least, most = _range(bodies, "bodies", 1)
    # Lists shrink by leaving out any link, so that what is behind follows another body.
    links = st.lists(st.tuples(*parts), min_size=least, max_size=most)
    return _mechanisms(links, st.integers(*_range(loops, "loops", 0)))


def _range(given: int | tuple[int, int], what: str, least: int) -> tuple[int, int]:
    lowest, highest = given if isinstance(given, tuple) else (given, given)
    if not least <= lowest <= highest:
        raise ModelError(f"{what} is {given!r}", where=what, remedy=f"give a number from {least} on, or two in order")
    return lowest, highest


def _vectors(lowest: int, highest: int) -> list[Vector]:
    """All vectors of tenths in a range, small ones first: one choice each, so that examples shrink fast."""
    every = product(range(lowest, highest + 1), repeat=3)
    ordered = sorted(every, key=lambda each: (sum(map(abs, each)), each[::-1]))
    return [(Fraction(x, 10), Fraction(y, 10), Fraction(z, 10)) for x, y, z in ordered]


_TENTHS: Final = {range_: [Fraction(k, 10) for k in range(*range_)] for range_ in ((0, 5), (1, 4), (2, 7), (4, 10))}
_PLACES: Final = st.sampled_from(_vectors(-5, 5))
_SIZES: Final = st.sampled_from(_vectors(1, 5))
_CENTERS: Final = st.sampled_from(_vectors(-3, 3))
_MASSES: Final = st.sampled_from([Fraction(k, 10) for k in range(5, 31)])


def _block(mass: Fraction, size: Vector, center: Vector) -> Body:
    """A solid block with its centre of mass anywhere."""
    a, b, c = (each * each for each in size)
    inertia = (mass * (b + c) / 12, mass * (a + c) / 12, mass * (a + b) / 12, 0, 0, 0)
    return Body("body", mass=mass, center_of_mass=center, inertia=inertia)


_BLOCKS: Final = st.builds(_block, _MASSES, _SIZES, _CENTERS)


def _tenths(first: int, end: int) -> SearchStrategy[Fraction]:
    return st.sampled_from(_TENTHS[first, end])


@st.composite
def _mechanisms(draw: DrawFn, links: SearchStrategy[list[Any]], loops: SearchStrategy[int]) -> Model:
    bodies, joints = list[Body](), list[Joint]()
    for k, (name, number, parent, axis, place, body) in enumerate(draw(links), 1):
        kind, inner = JOINT_TYPES.named(name), parent % k
        bodies.append(replace(body, name=f"body{k}"))
        joints.append(
            Joint(
                f"joint{k}",
                name,
                f"body{inner}" if inner else "ground",
                f"body{k}",
                axis=axis,
                predecessor_placement=Placement(place),
                numbers={item.name: number for item in kind.numbers},
            )
        )
    size = len(bodies)
    for k in range(1, draw(loops) + 1):
        mount = draw(st.integers(0, size))
        _add_four_bar(draw, f"bar{k}", f"body{mount}" if mount else "ground", bodies, joints)
    gravity = draw(st.sampled_from(((0, 0, 0), (0, 0, Fraction(-981, 100)), (3, -4, 5))))
    return Model("drawn", bodies=tuple(bodies), joints=tuple(joints), gravity=gravity)


def _add_four_bar(draw: DrawFn, name: str, mount: str, bodies: list[Body], joints: list[Joint]) -> None:
    """Crank, coupler and rocker, closed at their neutral coordinates and at no dead point there.

    The joints are at (0, 0), (0, a), (b, c) and (d, 0) with c >= a and d >= b, so that no two neighbours are in line.
    """
    a, b = draw(_tenths(2, 7)), draw(_tenths(4, 10))
    c, d = a + draw(_tenths(0, 5)), b + draw(_tenths(0, 5))
    x, y, z = draw(_PLACES)
    crank, coupler, rocker = (f"{name}_{each}" for each in ("crank", "coupler", "rocker"))
    bodies += [replace(draw(_BLOCKS), name=each) for each in (crank, coupler, rocker)]
    ends = (
        (mount, crank, (x, y, z), (0, 0, 0)),
        (crank, coupler, (0, 0, a), (0, 0, 0)),
        (mount, rocker, (x + d, y, z), (0, 0, 0)),
        (coupler, rocker, (b, 0, c - a), (b - d, 0, c)),
    )
    for letter, (inner, outer, there, here) in zip("ABDC", ends, strict=True):
        joints.append(
            Joint(
                f"{name}_{letter}",
                REVOLUTE.name,
                inner,
                outer,
                axis=_ROD,
                predecessor_placement=Placement(there),
                successor_placement=Placement(here),
            )
        )


def states(model: Model) -> SearchStrategy[State]:
    """States of a model: angles within half a turn, lengths within half a metre, the rest within two.

    With closed loops coordinates are drawn near the neutral ones and closed from there; speeds obey no loops.

    Raises:
        MbsymError: the model is unusable.
    """
    subject = subject_of(model, "position_rate", ())
    mechanism, has_loops = subject.mechanism, subject.has_loops
    units = [item["unit"] for item in subject.module.manifest["coordinates"]]
    reach = {"rad": 0.3, "m": 0.1} if has_loops else {"rad": 3.0, "m": 0.5}
    numbers = [st.floats(-reach.get(unit, 1.0), reach.get(unit, 1.0)) for unit in units]
    others = st.lists(st.floats(-2, 2), min_size=mechanism.nv, max_size=mechanism.nv).map(_array)
    neutral = _neutral(subject.mechanism)

    def closed(drawn: Sequence[float]) -> Any:
        q = neutral + _array(drawn)
        for start in mechanism.q.quaternions:
            q[start] = 1.0
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        return closed_coordinates(subject, q, {})

    coordinates = st.tuples(*numbers).map(closed).filter(lambda q: q is not None)
    return st.builds(State, coordinates, others, others, others)


def _array(numbers: Sequence[float]) -> Array:
    return np.array(numbers, dtype=float)


def _neutral(mechanism: Any) -> Array:
    """Coordinates from which loops are closed: those that the model gives, or where joint frames coincide."""
    given = [body.joint.initial or body.joint.shape.neutral for body in mechanism.bodies]
    return np.array([float(number) for entries in given for number in entries])

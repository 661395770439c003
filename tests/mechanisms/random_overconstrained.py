"""Overconstrained mechanisms that move, drawn at random: linkages whose freedom is known, started anywhere.

Planar linkages in any plane of space, parallel cranks, Bennett's, Bricard's and Sarrus' linkages, spherical four-bars,
and chains whose hinges are doubled. Each is built at a configuration in which it closes, by placements that are read
off there; a singular start is one in which rank is lost.

Sources: G. T. Bennett, A new mechanism, Engineering 76, 1903; Y. Chen, Z. You, T. Tarnai, Threefold-symmetric Bricard
linkages for deployable structures, Int. J. Solids Structures 42, 2005.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, pi, sin, sqrt
from typing import Any, Final

import numpy as np

from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mechanisms.overconstrained import parallel_cranks, sarrus, windows

Array = np.ndarray[Any, Any]

BOX: Final = (0.3, 0.4, 0.5, 0, 0, 0)


@dataclass(frozen=True)
class Overconstrained:
    """A mechanism and what is known of it.

    Attributes:
        kind: of linkage.
        model: with its start.
        generic: the same mechanism started away from singular positions, where that is another model.
        mobility: freedoms of its motion by theory, of the branch that it is started on.
        singular: True where the start is a singular position.
    """

    kind: str
    model: Model
    generic: Model
    mobility: int
    singular: bool


def rotation(axis: Sequence[float], angle: float) -> Array:
    """Rotation matrix about an axis."""
    x, y, z = np.array(axis, dtype=float) / np.linalg.norm(axis)
    tilde = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    found: Array = np.eye(3) + sin(angle) * tilde + (1 - cos(angle)) * tilde @ tilde
    return found


def axis_and_angle(matrix: Array) -> tuple[tuple[float, ...], float]:
    """Of a rotation matrix."""
    values, vectors = np.linalg.eig(matrix)
    axis = np.real(vectors[:, int(np.argmin(np.abs(values - 1)))])
    turned = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    return tuple(axis.tolist()), atan2(float(axis @ turned) / 2, (float(np.trace(matrix)) - 1) / 2)


def ring(name: str, axes: Sequence[tuple[Array, Array]], centres: Sequence[Array]) -> Model:
    """A closed loop of revolute joints: joint k joins body k to body k + 1, body 0 being ground.

    All coordinates are zero where the axes (point and direction in space) stand as given, body frames parallel to
    ground's with their origins at the centres.

    Args:
        name: of the model.
        axes: one a joint, in order around the loop.
        centres: of all bodies but ground.
    """
    names = ["ground", *(f"link{k}" for k in range(1, len(axes)))]
    origins = [np.zeros(3), *centres]
    bodies = tuple(Body(other, 1, (0.1, 0, 0.05), BOX) for other in names[1:])
    joints = []
    for k, (point, direction) in enumerate(axes):
        first, second = k, (k + 1) % len(axes)
        here, there = (Placement(tuple((point - origins[body]).tolist())) for body in (first, second))
        axis = tuple(direction.tolist())
        joints.append(
            Joint(f"R{k}", "revolute", names[first], names[second], axis=axis,
                  predecessor_placement=here, successor_placement=there)
        )  # fmt: skip
    return Model(name, bodies, tuple(joints))


def chain_axes(twists: Sequence[float], lengths: Sequence[float], angles: Sequence[float]) -> list[tuple[Array, Array]]:
    """Axes of a chain by Denavit and Hartenberg: length along x, twist about x, angle about z."""
    at, place = np.eye(3), np.zeros(3)
    found = []
    for twist, length, angle in zip(twists, lengths, angles, strict=True):
        found.append((place.copy(), at[:, 2].copy()))
        at = at @ rotation((0, 0, 1), angle)
        place = place + at @ np.array([length, 0, 0])
        at = at @ rotation((1, 0, 0), twist)
    return found


def middles(axes: Sequence[tuple[Array, Array]]) -> list[Array]:
    """Halfway between neighbouring axes."""
    return [(axes[k][0] + axes[k + 1][0]) / 2 for k in range(len(axes) - 1)]


def bennett(rng: np.random.Generator) -> Overconstrained:
    """Four hinges, opposite links alike, length over sine of the twist the same for all."""
    alpha, beta = rng.uniform(0.4, 1.2), rng.uniform(1.5, 2.4)
    a = rng.uniform(0.6, 1.2)
    b = a * sin(beta) / sin(alpha)
    theta = rng.uniform(0.6, 2.2)
    ratio = sin((beta + alpha) / 2) / sin((beta - alpha) / 2)
    phi = 2 * atan2(ratio, np.tan(theta / 2))
    axes = chain_axes((alpha, beta, alpha, beta), (a, b, a, b), (theta, phi, -theta, -phi))
    model = ring("bennett", axes, middles(axes))
    return Overconstrained("Bennett", model, model, 1, False)


def bricard(rng: np.random.Generator) -> Overconstrained:
    """Six hinges, threefold symmetric: links alike, twists alternating in sign."""
    alpha = rng.uniform(1.1, 1.5)
    while True:
        theta = rng.uniform(0.4, 1.6)
        # p cos(phi) + q sin(phi) + r = 0, from the closure of the loop.
        p = sin(alpha) ** 2 + (1 + cos(alpha) ** 2) * cos(theta)
        q = -2 * cos(alpha) * sin(theta)
        r = cos(alpha) ** 2 + sin(alpha) ** 2 * cos(theta)
        if abs(r) < 0.9 * sqrt(p * p + q * q):
            break
    phi = atan2(q, p) + np.arccos(-r / sqrt(p * p + q * q))
    axes = chain_axes((alpha, -alpha) * 3, (1.0,) * 6, (phi, theta) * 3)
    model = ring("bricard", axes, middles(axes))
    return Overconstrained("Bricard", model, model, 1, False)


def spherical(rng: np.random.Generator) -> Overconstrained:
    """Four hinges whose axes meet in a point, opposite arcs alike; a singular start has all axes in one plane."""
    singular = bool(rng.integers(2))
    a, b, turn = rng.uniform(0.4, 0.7), rng.uniform(0.8, 1.1), rng.uniform(0.5, 1.0)
    apex, stand = rng.uniform(-1, 1, 3), rotation(rng.uniform(-1, 1, 3), 1.0)

    def model(angle: float) -> Model:
        """Started where the crank stands at an angle from the base's arc."""
        z, x = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
        base = rotation(x, b) @ z
        crank = rotation(z, angle) @ rotation(x, a) @ z
        if angle:
            # The fourth axis is b away from the crank's and a away from the base's.
            normal, inner = np.cross(crank, base), float(crank @ base)
            part = np.linalg.solve([[1.0, inner], [inner, 1.0]], [cos(b), cos(a)])
            flat = part[0] * crank + part[1] * base
            last = flat - sqrt(1 - float(flat @ flat)) * normal / np.linalg.norm(normal)
        else:
            last = rotation(x, a + b) @ z
        directions = [stand @ direction for direction in (z, crank, last, base)]
        axes = [(apex + 0.7 * direction, direction) for direction in directions]
        return ring("spherical", axes, middles(axes))

    return Overconstrained("spherical", model(0.0) if singular else model(turn), model(turn), 1, singular)


def planar(rng: np.random.Generator) -> Overconstrained:
    """Four to six hinges with parallel axes, in any plane of space."""
    count = int(rng.integers(4, 7))
    corners = np.array([[cos(2 * pi * k / count), sin(2 * pi * k / count), 0.0] for k in range(count)])
    corners[:, :2] += rng.uniform(-0.25, 0.25, (count, 2))
    turn, shift = rotation(rng.uniform(-1, 1, 3), rng.uniform(0, 3)), rng.uniform(-1, 1, 3)
    # Hinges at any height along their axes.
    corners[:, 2] = rng.uniform(-0.3, 0.3, count)
    axes = [(shift + turn @ corner, turn[:, 2]) for corner in corners]
    model = ring(f"planar{count}", axes, middles(axes))
    return Overconstrained("planar", model, model, count - 3, False)


def cranks(rng: np.random.Generator) -> Overconstrained:
    """A bar on two to five parallel cranks, started anywhere or flat."""
    count, singular = int(rng.integers(2, 6)), bool(rng.integers(2))
    angle = float(rng.uniform(0.4, 1.2))
    generic = parallel_cranks(count, angle)
    return Overconstrained(
        "parallel cranks", parallel_cranks(count, 0.0) if singular else generic, generic, 1, singular
    )


def row_of_windows(rng: np.random.Generator) -> Overconstrained:
    """Windows from the flat position, or leaning."""
    count, singular = int(rng.integers(1, 6)), bool(rng.integers(4))
    leaning = leaning_windows(count)
    return Overconstrained("windows", windows(count) if singular else leaning, leaning, 1, singular)


def leaning_windows(count: int) -> Model:
    """A row of windows whose cranks lean by 0.7."""
    model, turns = windows(count), {"A": 0.7, "B": -0.7, "C": 0.7}
    return replace(model, joints=tuple(replace(joint, initial=(turns[joint.name[0]],)) for joint in model.joints))


def sarrus_plate(rng: np.random.Generator) -> Overconstrained:
    """Two folding legs at right angles."""
    model = sarrus(float(rng.uniform(0.4, 1.2)))
    return Overconstrained("Sarrus", model, model, 1, False)


def doubled(rng: np.random.Generator) -> Overconstrained:
    """A chain of hinges, each held twice along its axis, or by a copy of the same joint."""
    count = int(rng.integers(1, 4))
    names = ["ground", *(f"body{k}" for k in range(count))]
    bodies = tuple(Body(name, 1, (0.3, 0, 0.1), BOX) for name in names[1:])
    joints = []
    for k in range(count):
        axis = rng.uniform(-1, 1, 3)
        axis /= np.linalg.norm(axis)
        kind = ("revolute", "revolute", "prismatic")[int(rng.integers(3))]
        place, other = rng.uniform(-0.5, 0.5, 3), rng.uniform(-0.5, 0.5, 3)
        along = rng.uniform(0.1, 0.5) * axis * float(rng.integers(2))
        for copy in range(int(rng.integers(2, 4))):
            joints.append(
                Joint(f"J{k}_{copy}", kind, names[k], names[k + 1], axis=tuple(axis.tolist()),
                      predecessor_placement=Placement(tuple((place + copy * along).tolist())),
                      successor_placement=Placement(tuple((other + copy * along).tolist())))
            )  # fmt: skip
    model = Model(f"doubled{count}", bodies, tuple(joints))
    return Overconstrained("doubled joints", model, model, count, False)


KINDS: Final[tuple[Callable[[np.random.Generator], Overconstrained], ...]] = (
    planar, cranks, bennett, bricard, sarrus_plate, spherical, doubled, row_of_windows,
)  # fmt: skip


def random_overconstrained(seed: int) -> Overconstrained:
    """The mechanism of a seed; kinds take turns."""
    return KINDS[seed % len(KINDS)](np.random.default_rng(seed))

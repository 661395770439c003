"""What checks of a stepping module's building blocks may ask: results at random arguments, and numbers of mechanics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbsym.codegen.load import LoadedModule
from mbsym.doors import Array
from mbsym.reference import Reference
from mbsym.transfer_matrix.layout import LAYOUTS, Layout
from mbsym.transfer_matrix.schemes import HISTORY_SIZE
from mbsym.transfer_matrix.system import Kind, TransferSystem
from mbsym.verification.evidence import Pairs, arrays_of

TURN = 0.02
"""Angle by which accelerations of the start turn a body or a hinge in a time that is calm [rad]."""

COMPLEX_STEP = 1e-30
"""Imaginary step of derivatives: their error is its square, and nothing is subtracted."""


@dataclass(frozen=True, slots=True)
class StepEvidence:
    """The building blocks of one stepping module with arguments for each.

    Attributes:
        module: that holds them.
        system: elements of the model.
        reference: the model's equations by other mathematics.
        q, v: a state of the model, with closed loops.
        arguments: arrays by the names of arguments.
    """

    module: LoadedModule
    system: TransferSystem
    reference: Reference
    q: Array
    v: Array
    arguments: Mapping[str, Array]

    @property
    def layout(self) -> Layout:
        """Sizes of the kernels' arrays."""
        return self.system.layout

    def __getitem__(self, name: str) -> Array:
        """An argument."""
        return self.arguments[name]

    def results(self, function: str, **changes: Any) -> dict[str, Array]:
        """Results of a function by their names, with some arguments changed."""
        values = {**self.arguments, **changes}
        called = self.module.functions[function]
        arrays = arrays_of(called(*(values[item.name] for item in called.inputs)))
        return dict(zip((item.name for item in called.outputs), arrays, strict=True))


@dataclass(frozen=True, slots=True)
class StepIdentity:
    """Something that must hold of a building block's results.

    Attributes:
        name: of the function.
        against: what it is compared with, in the words of the certificate.
        pairs: found and expected numbers.
    """

    name: str
    against: str
    pairs: Callable[[StepEvidence], Pairs]


def calm_time(system: TransferSystem, start: Array, longest: float) -> float:
    """The longest time [s] in which nothing turns far from a start; strained springs leave but little of it."""
    layout, room, n = system.layout, system.coordinates, len(system.bodies)
    rows = start[: n * system.body_state].reshape(n, -1)
    first = layout.base + 2 * layout.load
    second = rows[:, -HISTORY_SIZE * room :].reshape(n, room, HISTORY_SIZE)[..., 2]
    turns = np.zeros((n, room), dtype=bool)
    for i, body in enumerate(system.bodies):
        for k, each in enumerate(body.hinge.coordinates):
            turns[i, k] = each.kind == Kind.TURN
    largest = max(np.abs(rows[:, first : first + layout.angles]).max(), np.abs(second[turns]).max(initial=0.0))
    return min(longest, float(np.sqrt(2 * TURN / largest))) if largest else longest


def random_arguments(
    module: LoadedModule, functions: Collection[str], system: TransferSystem, rng: np.random.Generator
) -> dict[str, Array]:
    """Arguments of the functions named: bodies with mass, attitudes that are rotations, matrices far from singular."""
    layout = system.layout
    shapes = {item.name: item.shape for name in functions for item in module.functions[name].inputs}
    found: dict[str, Array] = {}
    for name, shape in shapes.items():
        match name:
            case "base" | "attitude" if layout.dimension == 3:
                found[name] = quaternion(rng.uniform(-1, 1, 3))
            case "motion":
                found[name] = _motion(layout, rng)
            case "frame" | "turned":
                found[name] = _motion(layout, rng)[: shape[0]]
            case "body":
                found[name] = _body(layout, rng)
            case "W" | "S":
                found[name] = rng.uniform(-0.5, 0.5, shape) + 3 * np.eye(shape[0])
            case "h" | "beta" | "gamma" | "spectral_radius":
                found[name] = rng.uniform(0.5, 0.9, shape)
            case "theta":
                found[name] = rng.uniform(1.4, 2, shape)
            case _:
                found[name] = rng.uniform(-1, 1, shape)
    return found


def _motion(layout: Layout, rng: np.random.Generator) -> Array:
    """A rotation, and otherwise any numbers: most kernels only take them where they belong."""
    turn = rng.uniform(-1, 1, layout.angles)
    if layout.dimension == 2:
        return np.array([np.cos(turn[0]), np.sin(turn[0]), turn[0], *rng.uniform(0.5, 1, 3)])
    return np.concatenate([exponential(turn).ravel(), rng.uniform(-1, 1, 9 + 9 + 3 + 9 + 3)])


def _body(layout: Layout, rng: np.random.Generator) -> Array:
    """A row of the body table: mass, centre of mass, inertia."""
    inertia = rng.uniform(1, 2, 1)
    if layout.dimension == 3:
        inertia = np.concatenate([rng.uniform(1, 2, 3), rng.uniform(-0.3, 0.3, 3)])
    return np.array([rng.uniform(1, 2), *rng.uniform(-1, 1, layout.dimension), *inertia])


def cross_matrix(a: Array) -> Array:
    """a~ with a~ b = a x b."""
    zero = 0 * a[0]
    return np.array([[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]])


def exponential(psi: Array) -> Array:
    """Rotation matrix of a rotation vector, by Rodrigues' formula; complex vectors too."""
    tilde, angle = cross_matrix(psi), np.emath.sqrt(psi @ psi)
    found: Array = np.eye(3) + np.sinc(angle / np.pi) * tilde + np.sinc(angle / 2 / np.pi) ** 2 / 2 * tilde @ tilde
    return found


def quaternion(psi: Array) -> Array:
    """Unit quaternion of a rotation vector."""
    angle = np.linalg.norm(psi)
    return np.concatenate([[np.cos(angle / 2)], np.sinc(angle / 2 / np.pi) / 2 * psi])


def rotation_of(q: Array) -> Array:
    """Rotation matrix of a quaternion, times its square: from p -> q p q*."""
    w, u = q[0], q[1:]
    found: Array = (w * w - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * cross_matrix(u)
    return found


def inertia_matrix(body: Array) -> Array:
    """Inertia of a row of the body table, in the plane about its normal only."""
    if len(body) == 4:
        return np.diag([0, 0, body[3]])
    xx, yy, zz, xy, xz, yz = body[4:]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def derivative(function: Callable[[Array], Array], at: Array) -> Array:
    """Derivative of a vector by a vector, by complex steps."""
    steps = COMPLEX_STEP * 1j * np.eye(len(at))
    return np.stack([np.imag(function(at + step)) / COMPLEX_STEP for step in steps], axis=-1)


class InSpace:
    """Vectors of the plane as those of space, and back; rotations of the plane turn about its normal."""

    def __init__(self, layout: Layout) -> None:
        self.is_planar = layout.dimension == 2
        self.angles = LAYOUTS[layout.rotation].angles

    def point(self, a: Array) -> Array:
        """A vector of the plane in space."""
        return np.append(a, 0) if self.is_planar else a

    def turn(self, phi: Array) -> Array:
        """A small rotation, an angular velocity or a moment."""
        return np.array([0 * phi[0], 0 * phi[0], phi[0]]) if self.is_planar else phi

    def load(self, moment: Array, force: Array) -> Array:
        """[M; Q] in the components that bodies can turn and move in."""
        return np.concatenate([moment[2:], force[:2]] if self.is_planar else [moment, force])

    def split(self, load: Array) -> tuple[Array, Array]:
        """Moment and force of a load, or rotation and displacement of an end, in space."""
        return self.turn(load[: self.angles]), self.point(load[self.angles :])

    def rotation(self, motion: Array) -> Array:
        """R of a motion array, or of the axes that a hinge's coordinate moves in."""
        if not self.is_planar:
            return motion[:9].reshape(3, 3)
        return np.array([[motion[0], -motion[1], 0], [motion[1], motion[0], 0], [0, 0, 1]])

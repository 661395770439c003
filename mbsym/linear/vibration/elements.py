"""Elements of vibrating trees: joints with springs and beams, each with a rigid body at its end, at one frequency.

Static loads enter by the potential to second order: a load is its gradient over [rotation vector; displacement].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.linear.vibration import beam_matrices as beams
from mbsym.linear.vibration.beam_matrices import MassModel


@dataclass(frozen=True, slots=True)
class JointLink:
    """A joint's freedoms, at its outboard origin in base axes.

    Attributes:
        columns: motions [angular; linear] (6, k).
        stiffness, damping, inertia: of springs, dampers and rotors (k,).
        torque: of springs where the system rests (k,).
        order: +1 where the first of two rotations carries the second, -1 where it is carried; 0 elsewhere.
        carrier: place of a rotation that carries slides across it, of a planar joint walked backwards; -1 elsewhere.
    """

    columns: Array
    stiffness: Array
    damping: Array
    inertia: Array
    torque: Array
    order: int = 0
    carrier: int = -1


@dataclass(frozen=True, slots=True)
class BeamLink:
    """A beam from the parent's point along its first axis.

    Attributes:
        axes: its axes as columns, in base axes (3, 3).
        length, mass, bending: [m], [kg], EI [N m^2].
        planes: 1 where it bends about its second axis, 2 about its third; about others it is rigid.
        stretch: EA [N], None where it keeps its length.
        twist: GJ [N m^2] and its inertia about its axis [kg m^2], None where it does not twist.
        damping: time constant of its material, stress = E (strain + damping rate) [s].
        model: of its mass.
    """

    axes: Array
    length: float
    mass: float
    bending: tuple[float, ...]
    planes: tuple[int, ...]
    damping: float
    model: MassModel
    stretch: float | None = None
    twist: tuple[float, float] | None = None

    @property
    def lines(self) -> list[tuple[Array, float, float]]:
        """Stretch and twist as far as it has them: motion [angular; linear], stiffness and inertia of each."""
        along, none = self.axes[:, 0], np.zeros(3)
        found = [] if self.stretch is None else [(np.concatenate([none, along]), self.stretch, self.mass)]
        return found + ([] if self.twist is None else [(np.concatenate([along, none]), *self.twist)])


@dataclass(frozen=True, slots=True)
class VibrationElement:
    """An element and the rigid body at its end.

    Attributes:
        name: of the body.
        parent: index of the inboard element, -1 for ground.
        lever: from the parent's point to this element's (of a beam to its root), base axes [m].
        link: what lets its end move.
        mass: of the body about the element's point in base axes, [angular; linear] (6, 6).
        stiffness: of springs to ground on the body, likewise (6, 6).
        damping: of dampers to ground (6, 6).
        gradient: of the potential of what acts on the body at rest (6,).
        inside: it ends inside a piece of a beam, where nobody asked for a point.
    """

    name: str
    parent: int
    lever: Array
    link: JointLink | BeamLink
    mass: Array
    stiffness: Array
    damping: Array
    gradient: Array
    inside: bool = False

    def resisting(self, s: complex, damped: bool) -> Array:
        """Loads on the body that motions exp(s t) of the element's point need (6, 6)."""
        return np.asarray(self.stiffness + s**2 * self.mass + (s * self.damping if damped else 0.0))


@dataclass(frozen=True, slots=True)
class Closure:
    """A joint that closes a loop, or holds a tip on ground.

    Attributes:
        name: of the joint.
        elements: indices of those that it connects, -1 for ground.
        levers: take motions of their points to those of the joint's ends (6, 6).
        held: motions of the first end against the second that it does not let happen, rows (m, 6).
    """

    name: str
    elements: tuple[int, int]
    levers: tuple[Array, Array]
    held: Array


@dataclass(frozen=True, slots=True)
class Tie:
    """Springs, dampers and rotors between points of two elements, or of one and ground.

    Attributes:
        name: of the force or the joint.
        elements: indices of both, -1 for ground.
        levers: take motions of their points to those of the ends (6, 6).
        rows: motions of the first end against the second that are resisted (m, 6).
        stiffness, damping, inertia: along them (m,).
    """

    name: str
    elements: tuple[int, int]
    levers: tuple[Array, Array]
    rows: Array
    stiffness: Array
    damping: Array
    inertia: Array


@dataclass(frozen=True, slots=True)
class Eliminated:
    """What is kept of an element: its name, its pivot, T, H, and rows C^T of the coupling to the parent."""

    name: str
    pivot: Array
    lever: Array
    columns: Array
    coupling: Array


@dataclass(frozen=True, slots=True)
class Blocks:
    """What an element adds to the quadratic form of motions: over the parent's motion, the freedoms, and both."""

    name: str
    lever: Array
    columns: Array
    near: Array
    coupling: Array
    end: Array

    def with_outboard(self, S: Array) -> Eliminated:
        """The element that carries what needs the loads S at its end."""
        T, H = self.lever, self.columns
        return Eliminated(self.name, self.end + H.T @ S @ H, T, H, self.coupling + H.T @ S @ T)

    def inward(self, S: Array, own: Eliminated) -> Array:
        """Loads over motions of the parent that the element and what it carries need, own freedoms eliminated (6, 6).

        The bare difference near + T^T S T - (C + H^T S T)^T P^-1 (C + H^T S T) loses what the element resists beside a
        heavy load S. Along the freedoms, Q of H = Q R, the load is felt by what they resist, E' = R^-T E R^-1, alone:
        S - S Q P'^-1 Q^T S = E' P'^-1 S there, with P' = E' + S, a product with no digits to lose.
        """
        T, H = self.lever, self.columns
        k = H.shape[1]
        if not k:
            return np.asarray(self.near + T.T @ S @ T)
        basis, triangle = np.linalg.qr(H, mode="complete")
        Q, N, R = basis[:, :k], basis[:, k:], triangle[:k]
        resisted = np.linalg.solve(R.T, np.linalg.solve(R.T, self.end).T).T
        along, aside = Q.T @ S @ Q, Q.T @ S @ N
        part = solved(own.name, resisted + along, np.hstack([resisted, aside]))
        kept, turned = part[:, :k].T, part[:, k:]
        across = N @ (N.T @ S @ N - aside.T @ turned) @ N.T
        mixed = Q @ kept @ aside @ N.T
        carried = Q @ kept @ along @ Q.T + mixed + mixed.T + across
        if not self.coupling.any():
            return np.asarray(self.near + T.T @ carried @ T)
        follows = solved(own.name, own.pivot, np.hstack([self.coupling, H.T @ S @ T]))
        both = self.coupling.T @ follows[:, 6:]
        return np.asarray(self.near + T.T @ carried @ T - both - both.T - self.coupling.T @ follows[:, :6])


def solved(name: str, pivot: Array, right: Array) -> Array:
    """The solution of pivot x = right.

    Raises:
        AnalysisError: there is none.
    """
    try:
        return np.asarray(np.linalg.solve(pivot, right))
    except np.linalg.LinAlgError:
        raise AnalysisError(
            "nothing resists a motion here", where=name, remedy="give what moves there mass, or hold it"
        ) from None


def freedoms_of(element: VibrationElement) -> tuple[Array, Array]:
    """H at the element's point, and T from the parent's point to it."""
    link = element.link
    if isinstance(link, JointLink):
        return link.columns, lever_matrix(element.lever)
    H = np.zeros((6, 2 * len(link.planes)))
    for place, plane in enumerate(link.planes):
        H[3:, 2 * place], H[:3, 2 * place + 1] = _deflection(link, plane)
    H = np.column_stack([H, *(line for line, _, _ in link.lines)])
    return H, lever_matrix(element.lever + link.length * link.axes[:, 0])


def measures_of(columns: Array, size: float) -> Array:
    """Of the freedoms of columns [angular; linear]: 1 of turning, the size of sliding."""
    return np.where(columns[:3].any(axis=0), 1.0, size)


def _deflection(link: BeamLink, plane: int) -> tuple[Array, Array]:
    """Direction of the deflection y, and axis of the rotation dy/dx, where a beam bends about an axis of its own.

    About axis 2 (z) the deflection is along axis 1 (y); about axis 1 it is along axis 2, and dz/dx turns about -y.
    """
    if plane == 2:
        return link.axes[:, 1], link.axes[:, 2]
    return link.axes[:, 2], -link.axes[:, 1]


def blocks_of(element: VibrationElement, load: Array, s: complex, damped: bool, gravity: Array) -> Blocks:
    """What an element adds to the quadratic form.

    Args:
        element: the element.
        load: gradient of the potential outboard of it where the tree rests (6,).
        s: frequency [1/s].
        damped: False leaves dampers out.
        gravity: [m/s^2].
    """
    if isinstance(element.link, JointLink):
        return _joint_blocks(element, element.link, load, s, damped)
    return _beam_blocks(element, element.link, load, s, damped, gravity)


def _joint_blocks(element: VibrationElement, link: JointLink, load: Array, s: complex, damped: bool) -> Blocks:
    T, H = lever_matrix(element.lever), link.columns
    end = np.diag(link.stiffness + s**2 * link.inertia + (s * link.damping if damped else 0.0))
    if link.order:
        # exp(a) exp(b) turns by a + b + a x b / 2 to second order.
        both = link.order * 0.5 * load[:3] @ np.cross(H[:3, 0], H[:3, 1])
        end[0, 1] += both
        end[1, 0] += both
    if link.carrier >= 0:
        # What a rotation carries turns with it, and its own centre may lie aside of the point.
        turned = load[3:] @ np.cross(H[:3, link.carrier], H[3:], axisb=0, axisc=0)
        end[link.carrier] += turned
        end[:, link.carrier] += turned
        end[link.carrier, link.carrier] -= turned[link.carrier]
    return Blocks(element.name, T, H, lever_hessian(element.lever, load[3:]), _turned_columns(H, load), end)


def _beam_blocks(
    element: VibrationElement, link: BeamLink, load: Array, s: complex, damped: bool, gravity: Array
) -> Blocks:
    L, along = link.length, link.axes[:, 0]
    root = lever_matrix(element.lever)
    H, T = freedoms_of(element)
    near, far = np.zeros((6, 6), dtype=complex), np.zeros((6, H.shape[1]), dtype=complex)
    end = np.zeros((H.shape[1], H.shape[1]), dtype=complex)
    if link.stretch is None:
        near[3:, 3:] += s**2 * link.mass * np.outer(along, along)
    for place, (line, stiffness, inertia) in enumerate(link.lines, start=2 * len(link.planes)):
        D = _line(link, stiffness, inertia, s, damped)
        near += D.sum() * np.outer(line, line)
        far[:, place] += D.sum(axis=0)[1] * line
        end[place, place] += D[1, 1]
    tension = tension_of(link, load, gravity)
    for plane in (1, 2):
        first = np.zeros((6, 2))
        first[3:, 0], first[:3, 1] = _deflection(link, plane)
        if plane not in link.planes:
            near += s**2 * first @ beams.rigid_mass(L, link.mass) @ first.T
            continue
        place = link.planes.index(plane)
        own = slice(2 * place, 2 * place + 2)
        D = _plane_stiffness(link, link.bending[place], s, damped)
        # The end moves with the root as a rigid bar does, and by its own deflection.
        rigid = np.array([[1.0, L], [0.0, 1.0]])
        both = np.block([[np.eye(2), np.zeros((2, 2))], [rigid, np.eye(2)]])
        D = both.T @ D @ both
        near += first @ D[:2, :2] @ first.T
        far[:, own] += first @ D[:2, 2:]
        end[own, own] += D[2:, 2:]
        if link.model != "exact":
            end[own, own] += beams.load_stiffness(L, tension)[2:, 2:]
    weight = link.mass * gravity
    near = near + lever_hessian(L * along, load[3:]) + lever_hessian(L / 2 * along, -weight)
    near = root.T @ near @ root + lever_hessian(element.lever, load[3:] - weight)
    middle = np.concatenate([load[:3], load[3:] - weight / 2])
    return Blocks(element.name, T, H, near, (far.T + _turned_columns(H, middle)) @ root, end)


def _plane_stiffness(link: BeamLink, bending: float, s: complex, damped: bool) -> Array:
    EI = bending * (1.0 + s * link.damping) if damped else bending
    if link.model == "exact":
        return beams.dynamic_stiffness(link.length, link.mass, EI, s)
    mass = beams.element_mass(link.length, link.mass, link.model)
    return beams.element_stiffness(link.length, EI) + s**2 * mass


def _line(link: BeamLink, stiffness: float, inertia: float, s: complex, damped: bool) -> Array:
    k = stiffness * (1.0 + s * link.damping) if damped else stiffness
    if link.model == "exact":
        return beams.line_dynamic_stiffness(link.length, inertia, k, s)
    return beams.line_stiffness(link.length, k) + s**2 * beams.line_mass(inertia, link.model)


def tension_of(link: BeamLink, load: Array, gravity: Array) -> float:
    """Static tension in the middle of a beam: minus the gradient along it, of what hangs on it and half its weight."""
    along = link.axes[:, 0]
    return float(-(load[3:] @ along) + link.mass / 2 * (gravity @ along))


def row_of(n: int, elements: tuple[int, int], levers: tuple[Array, Array], along: Array) -> Array:
    """Forces on n elements of a unit force between points of two of them (n, 6)."""
    row = np.zeros((n, 6))
    for k, lever, sign in zip(elements, levers, (1.0, -1.0), strict=True):
        if k >= 0:
            row[k] += sign * lever.T @ along
    return row


def lever_matrix(lever: Array) -> Array:
    """Motion of the end of a rigid lever from that of its start: T [rotation; displacement] (6, 6)."""
    T = np.eye(6)
    T[3:, :3] = -cross_matrix(lever)
    return T


def cross_matrix(a: Array) -> Array:
    """The matrix of a x."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def lever_hessian(lever: Array, force: Array) -> Array:
    """Hessian of force . (theta x (theta x lever)) / 2, what a rotation does to the potential to second order."""
    H = np.zeros((6, 6))
    H[:3, :3] = 0.5 * (np.outer(force, lever) + np.outer(lever, force)) - force @ lever * np.eye(3)
    return H


def _turned_columns(H: Array, load: Array) -> Array:
    """Second order between an inner rotation and freedoms, which it turns: h x m / 2 + u x f (k, 6)."""
    turned = np.zeros((H.shape[1], 6))
    turned[:, :3] = 0.5 * np.cross(H[:3].T, load[:3]) + np.cross(H[3:].T, load[3:])
    return turned

"""Random trees for tests, in any naming, numbering and direction, the same for one seed.

Numbers are decimals of a few digits, so that exact arithmetic stays short. Inertias belong to possible rigid bodies:
J = tr(Q) 1 - Q with a positive definite second moment Q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbsym.forces import FORCE_ELEMENTS, ForceElement
from mbsym.forces.element import DrawnSpeed, JointElement
from mbsym.joints.free import FREE
from mbsym.joints.record import JointType
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.names import expression_names
from mbsym.model.system import Model
from mbsym.values.parameter import ControlInput, Parameter, Value

Array = NDArray[Any]

LARGEST: Final = 0.2
"""Of a joint's own numbers, such as its pitch [m/rad]."""

NAMES: Final = ("body {}", "link_{}", "{}", "Körper {}", "arm.{}", "B{}", "double{}", "q_{}")
JOINT_NAMES: Final = ("joint {}", "J{}", "{}", "Gelenk {}", "a/{}", "hinge-{}", "v_{}", "int{}")


def random_tree(
    seed: int,
    *,
    bodies: int | tuple[int, int] = (1, 30),
    joint_types: Sequence[str] = (),
    forces: bool = True,
    couplings: bool = True,
    parameters: bool = True,
    free_roots: bool = True,
) -> Model:
    """A tree of bodies.

    Args:
        seed: of NumPy's default generator; the same seed gives the same model.
        bodies: their number, or the smallest and largest.
        joint_types: that may occur; all if empty.
        forces: True adds armature and force elements to about half of the models.
        couplings: True couples two joints of one freedom in about one model of five.
        parameters: True makes some values expressions of parameters, some of which stay run-time arguments.
        free_roots: True leaves out a free joint at ground in some models, for the labelling to add.
    """
    rng = np.random.default_rng(seed)
    count = int(rng.integers(bodies[0], bodies[1] + 1)) if isinstance(bodies, tuple) else bodies
    body_names = _names(rng, NAMES, count)
    joint_names = _names(rng, JOINT_NAMES, count)
    ground = str(rng.choice(["ground", "world", "Erde"]))
    table = RandomParameters(rng, used=parameters and rng.random() < 0.4)
    chain = rng.random()
    kinds = [JOINT_TYPES.named(name) for name in joint_types or JOINT_TYPES]
    weights = np.array([kind.likelihood for kind in kinds])
    found_bodies, joints = [], []
    for k in range(count):
        parent = k - 1 if rng.random() < chain else int(rng.integers(-1, k))
        kind = kinds[int(rng.choice(len(kinds), p=weights / weights.sum()))]
        found_bodies.append(_body(rng, body_names[k], table))
        inner = ground if parent < 0 else body_names[parent]
        joints.append(_joint(rng, joint_names[k], kind, inner, body_names[k], table))
    gravity = _gravity(rng, table)
    rng.shuffle(found_bodies)
    rng.shuffle(joints)
    roots = [joint for joint in joints if joint.kind is FREE and ground in (joint.predecessor, joint.successor)]
    freed = bool(free_roots and roots and rng.random() < 0.3)
    if freed:
        joints.remove(roots[0])
    model = Model(
        name=f"random_{seed}",
        bodies=tuple(found_bodies),
        joints=tuple(joints),
        gravity=gravity,
        ground=ground,
        free_roots=freed,
    )
    if couplings and rng.random() < 0.2:
        model = _with_coupling(rng, model)
    if forces and rng.random() < 0.5:
        model = _with_forces(rng, model, table)
    return replace(model, parameters=table.parameters)


class RandomParameters:
    """Turns some numbers into expressions of parameters and remembers these."""

    def __init__(self, rng: np.random.Generator, *, used: bool) -> None:
        self._rng, self._used = rng, used
        self._found: list[Parameter] = []

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return tuple(self._found)

    def value(self, number: float, stem: str, unit: str) -> Value:
        """The number itself, or an expression with that value."""
        if not self._used or self._rng.random() > 0.15 or number == 0:
            return number
        name = f"{stem}_{len(self._found) + 1}"
        form = int(self._rng.integers(3))
        symbolic = bool(self._rng.random() < 0.6)
        if form == 0:
            self._found.append(Parameter(name, number, unit, symbolic))
            return name
        self._found.append(Parameter(name, decimal(number / 2, 6), unit, symbolic))
        return f"2*{name}" if form == 1 else f"{name}*(5 - 3)"


def decimal(number: float, digits: int = 3) -> float:
    """The number with few digits."""
    return round(float(number), digits)


def _names(rng: np.random.Generator, patterns: Sequence[str], count: int) -> list[str]:
    numbers = rng.permutation(count + int(rng.integers(4)))[:count] + int(rng.integers(2))
    pattern = patterns[int(rng.integers(len(patterns)))]
    return [pattern.format(int(number)) for number in numbers]


def random_vector(rng: np.random.Generator, size: float) -> tuple[float, float, float]:
    """A vector with some zeros."""
    x, y, z = (decimal(rng.uniform(-size, size)) if rng.random() < 0.7 else 0.0 for _ in range(3))
    return x, y, z


def _second_moment(rng: np.random.Generator) -> Array:
    spread = rng.uniform(-0.2, 0.2, (3, 3))
    moment: Array = spread @ spread.T + np.diag(rng.uniform(0.01, 0.05, 3))
    return moment if rng.random() < 0.6 else np.diag(np.diag(moment))


def _body(rng: np.random.Generator, name: str, table: RandomParameters) -> Body:
    mass = decimal(rng.uniform(0.2, 5))
    second = mass * _second_moment(rng)
    center = random_vector(rng, 0.3)
    inertia = np.trace(second) * np.eye(3) - second
    drawn = rng.random()
    about_frame, by_moment = drawn < 0.3, drawn < 0.15
    if about_frame:
        s = np.array(center)
        inertia = inertia + mass * (s @ s * np.eye(3) - np.outer(s, s))
    entries = [decimal(inertia[i, j], 6) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    xx, yy, zz, xy, xz, yz = entries
    return Body(
        name=name,
        mass=mass if about_frame else table.value(mass, "m", "kg"),
        center_of_mass=(0, 0, 0) if by_moment else center,
        inertia=(xx, yy, zz, xy, xz, yz),
        inertia_about="frame" if about_frame else "center_of_mass",
        first_moment=(mass * center[0], mass * center[1], mass * center[2]) if by_moment else None,
    )


def random_placement(rng: np.random.Generator, table: RandomParameters) -> Placement:
    """A placement, often turned by a multiple of 90 degrees."""
    x, y, z = random_vector(rng, 0.6)
    translation = (table.value(x, "l", "m"), y, z)
    draw = rng.random()
    if draw < 0.25:
        return Placement(translation)
    if draw < 0.55:
        quarters = int(rng.integers(1, 4))
        angle: Value = f"{quarters}*pi/2" if rng.random() < 0.5 else quarters * float(np.pi) / 2
        return Placement(translation, ((_axis_letter(rng), angle),))
    if draw < 0.9:
        turns = tuple((_axis_letter(rng), decimal(rng.uniform(-3, 3))) for _ in range(int(rng.integers(1, 4))))
        return Placement(translation, turns)
    w, a, b, c = (int(part) for part in rng.integers(1, 5, 4))
    return Placement(translation, quaternion=(w, -a, b, c))


def random_numbers(rng: np.random.Generator, kind: JointType) -> dict[str, Value]:
    """What a joint takes beside its axes, other than 0."""
    return {number.name: decimal(rng.uniform(-LARGEST, LARGEST)) or LARGEST for number in kind.numbers}


def _axis_letter(rng: np.random.Generator) -> Any:
    return "xyz"[int(rng.integers(3))]


def integer_direction(rng: np.random.Generator) -> tuple[int, int, int]:
    """A coordinate axis in either sense, or any direction of small integers."""
    if rng.random() < 0.65:
        entries = [0, 0, 0]
        entries[int(rng.integers(3))] = 1 if rng.random() < 0.6 else -1
    else:
        entries = [int(part) for part in rng.integers(-3, 4, 3)]
        entries[int(rng.integers(3))] = int(rng.integers(1, 4))
    return entries[0], entries[1], entries[2]


def perpendicular(rng: np.random.Generator, axis: tuple[int, int, int]) -> tuple[int, int, int]:
    """An integer vector exactly perpendicular to the axis."""
    while True:
        x, y, z = (int(part) for part in np.cross(axis, integer_direction(rng)))
        if (x, y, z) != (0, 0, 0):
            return x, y, z


def _joint(
    rng: np.random.Generator, name: str, kind: JointType, inner: str, outer: str, table: RandomParameters
) -> Joint:
    axis = integer_direction(rng)
    predecessor, successor = (inner, outer) if rng.random() < 0.6 else (outer, inner)
    return Joint(
        name=name,
        type=kind.name,
        predecessor=predecessor,
        successor=successor,
        axis=axis,
        second_axis=perpendicular(rng, axis) if "second_axis" in kind.entries and rng.random() < 0.8 else None,
        predecessor_placement=random_placement(rng, table) if rng.random() < 0.85 else Placement(),
        successor_placement=random_placement(rng, table) if rng.random() < 0.5 else Placement(),
        numbers=random_numbers(rng, kind),
    )


def _gravity(rng: np.random.Generator, table: RandomParameters) -> tuple[Value, Value, Value]:
    draw = rng.random()
    if draw < 0.15:
        return 0, 0, 0
    if draw < 0.5:
        return 0, 0, table.value(-9.81, "g", "m/s^2")
    x, y, z = (decimal(part) for part in rng.uniform(-8, 8, 3))
    return x, y, z


def _with_coupling(rng: np.random.Generator, model: Model) -> Model:
    able = [joint.name for joint in model.joints if joint.shape.nv == 1]
    if len(able) < 2:
        return model
    first, second = rng.permutation(len(able))[:2]
    ratio = decimal(rng.uniform(0.3, 2)) * (1 if rng.random() < 0.5 else -1)
    return replace(model, couplings=(Coupling(able[first], able[second], ratio, decimal(rng.uniform(-0.5, 0.5))),))


def _with_forces(rng: np.random.Generator, model: Model, table: RandomParameters) -> Model:
    """The model with armature on some joints and one to five force elements."""
    joints = tuple(
        joint if joint.kind.is_rigid or joint.kind.is_unbound else _with_rotor(rng, joint, table)
        for joint in model.joints
    )
    model = replace(model, joints=joints)
    moving = [joint for joint in joints if joint.shape.nv]
    inputs: list[ControlInput] = []
    draws = [RandomDraw(rng, f"force {k}", model, moving, inputs, table) for k in range(int(rng.integers(1, 6)))]
    forces = tuple(_random_element(rng, draw, on_joints=bool(moving)) for draw in draws)
    joints = tuple(_with_rotor(rng, joint, table) if joint.kind.is_unbound else joint for joint in joints)
    return replace(model, joints=joints, forces=forces, inputs=tuple(inputs))


def _with_rotor(rng: np.random.Generator, joint: Joint, table: RandomParameters) -> Joint:
    """The joint, which often has armature afterwards."""
    if rng.random() >= 0.25:
        return joint
    return replace(joint, armature=table.value(decimal(rng.uniform(0.01, 0.2)), "rotor", "kg m^2"))


def _random_element(rng: np.random.Generator, draw: RandomDraw, *, on_joints: bool) -> ForceElement:
    """A force element; those on joints are four times as likely as one of the others."""
    records = list(FORCE_ELEMENTS.values())
    elsewhere = [record for record in records if not issubclass(record.element, JointElement)]
    choice = int(rng.integers(len(elsewhere) + 4 * on_joints))
    if choice < len(elsewhere):
        candidates = [elsewhere[choice]]
    else:
        among = [record for record in records if issubclass(record.element, JointElement)]
        draw.choose_speed()
        candidates = [among[int(rng.integers(len(among)))], *reversed(among)]
    found = (record.element.random(draw) for record in candidates)
    return next(element for element in found if element is not None)


class RandomDraw:
    """Numbers and names for one force element of a model."""

    def __init__(
        self,
        rng: np.random.Generator,
        name: str,
        model: Model,
        moving: Sequence[Joint],
        inputs: list[ControlInput],
        table: RandomParameters,
    ) -> None:
        self._rng, self._model, self._moving, self._inputs, self._table = rng, model, moving, inputs, table
        self.name = name

    def choose_speed(self) -> None:
        """Draws a joint, one of its speeds and the size of a force."""
        joint = self._moving[int(self._rng.integers(len(self._moving)))]
        index = int(self._rng.integers(joint.shape.nv))
        size = self.number(0.1, 3)
        names = expression_names(self._model)
        plain = joint.shape.nq == joint.shape.nv
        coordinate = names.coordinates[joint.name][index] if plain else None
        self._place = DrawnSpeed(joint.name, index, coordinate, names.speeds[joint.name][index], size)

    @property
    def place(self) -> DrawnSpeed:
        return self._place

    def number(self, low: float, high: float) -> float:
        return decimal(self._rng.uniform(low, high))

    def vector(self, size: float) -> tuple[float, float, float]:
        return random_vector(self._rng, size)

    def chance(self, probability: float) -> bool:
        return bool(self._rng.random() < probability)

    def value(self, number: float, stem: str, unit: str) -> Value:
        return self._table.value(number, stem, unit)

    def input(self) -> str:
        self._inputs.append(ControlInput(f"u_{len(self._inputs) + 1}", "1"))
        return self._inputs[-1].name

    def body(self) -> str:
        return self._model.bodies[int(self._rng.integers(len(self._model.bodies)))].name

    def two_bodies(self) -> tuple[str, str]:
        names = [self._model.ground, *(body.name for body in self._model.bodies)]
        first, second = (names[int(k)] for k in self._rng.permutation(len(names))[:2])
        return first, second

"""A model in exact numbers of a field's point: the reference's mechanism, its numbers taken from the model's decimals.

Structure (labels, which body follows which, places in q and v) is the reference's own. Run-time parameters are residues
of their own, so that what holds here holds for all of their values. Directions and fixed angles of a model are as a
rule irrational; each stands for a rational rotation that is as near to it as doubles are: that with the ratios of its
quaternion's components as the shortest decimals of doubles, or the tangent of its half angle as a double. It is
orthogonal, exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import hypot, pi, remainder, tan
from typing import Any, Final

import numpy as np

from mbsym.exact.numbers import NumberClass
from mbsym.exact.residues import UndecidedError, chosen, exact_root
from mbsym.exact.tables import value as table_value
from mbsym.model.body import Body, Placement
from mbsym.model.frame_ends import on_bodies
from mbsym.model.joint import Joint
from mbsym.model.joint_frame import default_second_axis
from mbsym.model.system import Model, with_virtual_joints
from mbsym.reference.mechanism import Gear, NumericBody, NumericJoint, NumericMechanism, numeric_mechanism
from mbsym.reference.rotations import UNIT_VECTORS, Array, rotation_about
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Symbols
from mbsym.topology.labelling import Labelling
from mbsym.values.numbers import evaluate, to_scalar, value_names
from mbsym.values.parameter import Value
from mbsym.values.table import Table
from mbsym.values.table_pieces import by_name

_STANDING: Final = ("tanh", "exp", "log", "abs", "atan2", "asin", "acos", "min", "max", "sign", "pow")
"""Functions that stand for themselves in the field."""

_SAME: Final = 1e-12
"""Of ratios of a quaternion's components to whole numbers."""
_RIGHT: Final = 1e-14
"""Of angles to right ones, relative."""


class ExactNumbers:
    """Values of a model as residues of one point.

    Attributes:
        point: the class of its residues.
        names: numbers by name.
        symbolic: names that stand for no number.
        tables: by their names.
        floats: numbers of the model's parameters as doubles.
    """

    def __init__(
        self,
        point: NumberClass,
        names: Mapping[str, Any],
        symbolic: Collection[str] = (),
        tables: Mapping[str, Table] | None = None,
    ) -> None:
        self.point, self.names, self.symbolic, self.tables = point, dict(names), set(symbolic), tables or {}
        self.floats: Mapping[str, float] = {}
        self._known: dict[Value, Any] = {}

    def rational(self, value: Value) -> Any:
        """A value, as a fraction where it is one, else as a residue.

        Raises:
            UndecidedError: it holds a function that the field knows nothing of.
        """
        if not isinstance(value, (str, int, float, Fraction)):
            return self._evaluated(value)
        if value not in self._known:
            self._known[value] = self._evaluated(value)
        return self._known[value]

    def number(self, value: Value) -> Any:
        """A value as a residue."""
        return self.residue(self.rational(value))

    def residue(self, value: Any) -> Any:
        """A fraction as a residue; others stay."""
        return self.point.of(value) if isinstance(value, (int, float, Fraction)) else value

    def is_number(self, value: Value) -> bool:
        """Whether a value names nothing that stands for no number."""
        return self.symbolic.isdisjoint(value_names(value))

    def numbers(self, values: Sequence[Value]) -> Array:
        """Several, as an array."""
        found = np.empty(len(values), dtype=object)
        found[:] = [self.number(value) for value in values]
        return found

    def root(self, value: Any) -> Any:
        """The positive root of a fraction where it is one; of other numbers the field's."""
        exact = exact_root(value) if isinstance(value, Fraction) else None
        return self.residue(value).sqrt() if exact is None else exact

    def _evaluated(self, value: Value) -> Any:
        graph = Graph()
        graph.definitions = by_name(self.tables.values())
        target = to_scalar(value, graph, Symbols(graph, self.names)).ref
        found: dict[int, Any] = {}

        def signed(ref: int) -> Any:
            return found[ref] if ref >= 0 else -found[-ref]

        for node in graph.reachable([target]):
            kind, arguments = graph.kinds[node], graph.arguments[node]
            if kind == "const":
                found[node] = arguments[0]
            elif kind == "pi":
                found[node] = self.point.pi()
            elif kind == "symbol":
                found[node] = self.names[arguments[0]]
            else:
                found[node] = self._operation(kind, [signed(ref) for ref in arguments])
        return signed(target)

    def _operation(self, kind: str, given: list[Any]) -> Any:
        if kind == "add":
            return given[0] + given[1]
        if kind == "mul":
            return given[0] * given[1]
        if kind == "div":
            return given[0] / given[1]
        if kind == "sqrt":
            return self.root(given[0])
        residues = [self.residue(each) for each in given]
        if kind in ("sin", "cos", "tan"):
            return getattr(residues[0], kind)()
        if kind == "select":
            return chosen(*residues)
        if kind in self.tables:
            return table_value(self.tables[kind], self.point, residues)
        if kind in _STANDING:
            return residues[0].stands(kind, *residues[1:])
        raise UndecidedError(f"{kind} of values of the model")


def exact_mechanism(
    model: Model, labelling: Labelling, point: NumberClass, symbolic: Sequence[str]
) -> tuple[NumericMechanism, ExactNumbers]:
    """The mechanism in residues, and what turns further values into them.

    Args:
        model: the model.
        labelling: its labels.
        point: the class of residues.
        symbolic: names of the run-time parameters.

    Raises:
        UndecidedError: a value has no exact number in the field.
    """
    structure = numeric_mechanism(model, labelling)
    numbers = ExactNumbers(point, {}, symbolic, {table.name: table for table in model.tables})
    numbers.floats = structure.names
    for parameter in model.parameters:
        given = parameter.name in symbolic
        if not given and not numbers.is_number(parameter.value):
            numbers.symbolic.add(parameter.name)
        value = point.drawn("parameter", parameter.name) if given else numbers.rational(parameter.value)
        numbers.names[parameter.name] = value
    whole = on_bodies(with_virtual_joints(model, labelling))
    joints = {joint.name: joint for joint in whole.joints}
    exact = replace(
        structure,
        bodies=tuple(_body(whole.body(body.name), numbers) for body in structure.bodies),
        joints=tuple(_joint(joint, joints[joint.name], numbers) for joint in structure.joints),
        gravity=numbers.numbers(whole.gravity),
        names=numbers.names,
        followers=_followers(structure, {each.joint: each for each in whole.couplings}, numbers),
    )
    return exact, numbers


def _followers(structure: NumericMechanism, couplings: Mapping[str, Any], numbers: ExactNumbers) -> dict[int, Gear]:
    """What each joint follows, by its label; a leader follows none."""
    by_label = {label: name for name, label in structure.joint_labels.items()}
    found = {}
    for label in structure.followers:
        ratio: Any = Fraction(1)
        offset: Any = Fraction(0)
        at = label
        while at in structure.followers:
            coupling = couplings[by_label[at]]
            own, added = numbers.rational(coupling.ratio), numbers.rational(coupling.offset)
            ratio, offset, at = ratio * own, offset + ratio * added, structure.joint_labels[coupling.source]
        found[label] = Gear(label, at, ratio, numbers.residue(offset))
    return found


def _body(body: Body, numbers: ExactNumbers) -> NumericBody:
    mass = numbers.number(body.mass)
    if body.first_moment is None:
        center = numbers.numbers(body.center_of_mass)
    else:
        center = numbers.numbers(body.first_moment)
        center = center if mass.vanishes else center / mass
    xx, yy, zz, xy, xz, yz = numbers.numbers(body.inertia)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if body.inertia_about == "frame":
        inertia = inertia - mass * (center @ center * np.eye(3) - np.outer(center, center))
    return NumericBody(body.name, mass, center, inertia)


def _joint(structure: NumericJoint, joint: Joint, numbers: ExactNumbers) -> NumericJoint:
    near, far = (placed(each, numbers) for each in (joint.predecessor_placement, joint.successor_placement))
    first = [evaluate(value, numbers.floats) for value in joint.axis]
    if "second_axis" in joint.kind.entries:
        second = [evaluate(value, numbers.floats) for value in joint.second_axis or ()]
        frame = _turn(_taking_xy(first, second or [*default_second_axis((first[0], first[1], first[2]))]), numbers)
        axis, second_axis = frame[:, 0], frame[:, 1]
    else:
        frame = along_z(joint.axis if "axis" in joint.kind.entries else (0, 0, 1), numbers)
        axis, second_axis = frame[:, 2], structure.second_axis
    return replace(
        structure,
        axis=axis,
        second_axis=second_axis,
        frame=frame,
        numbers=tuple(numbers.number(value) for value in joint.values),
        armature=numbers.number(joint.armature),
        predecessor_rotation=near[0],
        predecessor_translation=near[1],
        successor_rotation=far[0],
        successor_translation=far[1],
    )


def turns_freely(joint: NumericJoint) -> bool:
    """Whether a quaternion stands first among the coordinates of a joint."""
    return len(joint.neutral) > int(joint.rates.stop) - int(joint.rates.start)


def quaternions(mechanism: NumericMechanism) -> list[int]:
    """Where in q quaternions begin."""
    joints = [joint for joint in mechanism.tree_joints if joint.coordinates is not None and turns_freely(joint)]
    return [joint.coordinates.start for joint in joints if joint.coordinates is not None]


def along_z(direction: Sequence[Value], numbers: ExactNumbers) -> Array:
    """The smallest rotation of z to a direction."""
    return _turn(_taking_z([evaluate(value, numbers.floats) for value in direction]), numbers)


# ---- rotations: the rational one that a direction or an angle of a model stands for ----------------------------------


def _taking_z(axis: Sequence[float]) -> list[float]:
    """Quaternion of the smallest rotation of z to an axis, half a turn about x where it points down."""
    x, y, z = (component / hypot(*axis) for component in axis)
    return [0.0, 1.0, 0.0, 0.0] if x == y == 0 and z < 0 else [1 + z, -y, x, 0.0]


def _taking_xy(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """Quaternion of the rotation of x and y to two perpendicular axes: its largest component leads."""
    a, b = (np.array(each) / hypot(*each) for each in (first, second))
    m = np.stack([a, b, np.cross(a, b)], axis=1)
    trace = np.trace(m)
    odd = [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]
    rows = [[1 + trace, *odd]]
    for k in range(3):
        rows.append([odd[k], *(m[k, i] + m[i, k] if i != k else 1 + 2 * m[k, k] - trace for i in range(3))])
    return max(((row[k], row) for k, row in enumerate(rows)), key=lambda pair: pair[0])[1]


def _turn(quaternion: Sequence[float], numbers: ExactNumbers) -> Array:
    """The rotation of a quaternion scaled to a largest component of one, whose ratios are taken as they are."""
    largest = max(quaternion, key=abs)
    ratios = [component / largest for component in quaternion]
    exact = [Fraction(round(x)) if abs(x - round(x)) <= _SAME else Fraction(repr(float(x))) for x in ratios]
    return _rotation(exact, numbers)


def _rotation(quaternion: Sequence[Fraction], numbers: ExactNumbers) -> Array:
    """The matrix of a quaternion of any length."""
    w, x, y, z = quaternion
    square = w * w + x * x + y * y + z * z
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    found = np.empty((3, 3), dtype=object)
    for i, row in enumerate(rows):
        found[i] = [numbers.residue(entry / square) for entry in row]
    return found


def placed(placement: Placement, numbers: ExactNumbers) -> tuple[Array, Array]:
    """Rotation matrix and translation of a placement."""
    translation = numbers.numbers(placement.translation)
    if placement.quaternion is not None:
        return _turn([evaluate(value, numbers.floats) for value in placement.quaternion], numbers), translation
    rotation = _rotation([Fraction(1), Fraction(0), Fraction(0), Fraction(0)], numbers)
    for axis, angle in placement.rotation:
        if numbers.is_number(angle):
            own = _rotation(_half_turned("xyz".index(axis), evaluate(angle, numbers.floats)), numbers)
        else:
            own = rotation_about(np.array(UNIT_VECTORS[axis]), numbers.number(angle))
        rotation = rotation @ own
    return rotation, translation


def _half_turned(axis: int, angle: float) -> list[Fraction]:
    """The quaternion of a rotation about x, y or z: right angles are exact, others by the tangent of their half."""
    quarters = round(angle / (pi / 2))
    if abs(remainder(angle, pi / 2)) <= _RIGHT * max(1.0, abs(angle)):
        lead, turned = map(Fraction, ((1, 0), (1, 1), (0, 1), (1, -1))[quarters % 4])
    else:
        lead, turned = Fraction(1), Fraction(tan(angle / 2))
    found = [lead, Fraction(0), Fraction(0), Fraction(0)]
    found[1 + axis] = turned
    return found

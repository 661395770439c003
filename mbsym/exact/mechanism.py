"""A model in exact numbers of a field's point: the reference's mechanism, its numbers taken from the model's decimals.

Structure (labels, which body follows which, places in q and v) is the reference's own. Run-time parameters are residues
of their own, so that what holds here holds for all of their values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mbsym.exact.numbers import NumberClass
from mbsym.exact.residues import UndecidedError, exact_root
from mbsym.model.body import Body, Placement
from mbsym.model.frame_ends import on_bodies
from mbsym.model.joint import Joint
from mbsym.model.joint_frame import default_second_axis
from mbsym.model.system import Model, with_virtual_joints
from mbsym.reference.mechanism import Gear, NumericBody, NumericJoint, NumericMechanism, numeric_mechanism
from mbsym.reference.rotations import UNIT_VECTORS, Array, rotation_about, skew
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Symbols
from mbsym.topology.labelling import Labelling
from mbsym.values.numbers import to_scalar
from mbsym.values.parameter import Value

_STANDING: Final = ("tanh", "exp", "log", "abs", "atan2", "asin", "acos", "min", "max", "sign", "pow")
"""Functions that stand for themselves in the field."""


class ExactNumbers:
    """Values of a model as residues of one point.

    Attributes:
        point: the class of its residues.
        names: numbers by name.
        irrational: whether some value is no rational number, so that texts have it rounded.
    """

    def __init__(self, point: NumberClass, names: Mapping[str, Any]) -> None:
        self.point, self.names, self.irrational = point, dict(names), False
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

    @staticmethod
    def is_whole(turns: Any) -> bool:
        """Whether a number of right angles is a small whole one."""
        if isinstance(turns, Fraction):
            return turns == 0
        return any(turns == k or turns + k == 0 for k in range(9))

    def numbers(self, values: Sequence[Value]) -> Array:
        """Several, as an array."""
        found = np.empty(len(values), dtype=object)
        found[:] = [self.number(value) for value in values]
        return found

    def root(self, value: Any) -> Any:
        """The positive root of a fraction where it is one; of other numbers the field's."""
        exact = exact_root(value) if isinstance(value, Fraction) else None
        self.irrational |= exact is None and isinstance(value, Fraction)
        return self.residue(value).sqrt() if exact is None else exact

    def _evaluated(self, value: Value) -> Any:
        graph = Graph()
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
        self.irrational |= all(isinstance(each, Fraction) for each in given)
        if kind in ("sin", "cos", "tan"):
            return getattr(residues[0], kind)()
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
    numbers = ExactNumbers(point, {})
    for parameter in model.parameters:
        known = parameter.name not in symbolic
        value = numbers.rational(parameter.value) if known else point.drawn("parameter", parameter.name)
        numbers.names[parameter.name] = value
    whole = on_bodies(with_virtual_joints(model, labelling))
    joints = {joint.name: joint for joint in whole.joints}
    couplings = {coupling.joint: coupling for coupling in whole.couplings}
    exact = replace(
        structure,
        bodies=tuple(_body(whole.body(body.name), numbers) for body in structure.bodies),
        joints=tuple(_joint(joint, joints[joint.name], numbers) for joint in structure.joints),
        gravity=numbers.numbers(whole.gravity),
        names=numbers.names,
    )
    by_label = {label: name for name, label in structure.joint_labels.items()}
    followers = {}
    for label in structure.followers:
        ratio, offset, at = Fraction(1), Fraction(0), label
        while at in structure.followers:
            coupling = couplings[by_label[at]]
            own, added = numbers.rational(coupling.ratio), numbers.rational(coupling.offset)
            ratio, offset, at = ratio * own, offset + ratio * added, structure.joint_labels[coupling.source]
        followers[label] = Gear(label, at, ratio, numbers.residue(offset))  # type: ignore[arg-type]
    return replace(exact, followers=followers), numbers


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
    axis = _unit(joint.axis, numbers)
    near, far = (_placed(each, numbers) for each in (joint.predecessor_placement, joint.successor_placement))
    if joint.second_axis is None:
        second = np.array([round(x) for x in default_second_axis((structure.axis[0], *structure.axis[1:]))])
        if not np.allclose(second.astype(float), structure.second_axis, atol=1e-15):
            second = structure.second_axis if joint.type != "universal" else _undecided("an axis that nobody names")
    else:
        second = _unit(joint.second_axis, numbers)
    return replace(
        structure,
        axis=axis,
        second_axis=second,
        frame=_aligned(axis, structure) if joint.type == "planar" else structure.frame,
        numbers=tuple(numbers.number(value) for value in joint.values),
        armature=numbers.number(joint.armature),
        predecessor_rotation=near[0],
        predecessor_translation=near[1],
        successor_rotation=far[0],
        successor_translation=far[1],
    )


def _undecided(what: str) -> Any:
    raise UndecidedError(what)


def _unit(vector: Sequence[Value], numbers: ExactNumbers) -> Array:
    entries = [numbers.rational(value) for value in vector]
    length = numbers.root(sum(entry * entry for entry in entries))
    found = np.empty(3, dtype=object)
    found[:] = [numbers.residue(entry / length) for entry in entries]
    return found


def _aligned(axis: Array, structure: NumericJoint) -> Array:
    """The smallest rotation that turns z to the axis, half a turn about x where it points down."""
    if np.allclose(structure.axis, (0, 0, -1), atol=0):
        return np.diag([1, -1, -1])
    x, y, z = axis
    across = skew(np.array([-y, x, 0 * x]))
    return np.eye(3) + across + across @ across / (1 + z)


def _placed(placement: Placement, numbers: ExactNumbers) -> tuple[Array, Array]:
    """Rotation matrix and translation."""
    translation = numbers.numbers(placement.translation)
    if placement.quaternion is not None:
        w, *vector = numbers.numbers(placement.quaternion)
        across = skew(np.array(vector))
        square = w * w + sum(each * each for each in vector)
        return np.eye(3) + (2 * w * across + 2 * (across @ across)) / square, translation
    rotation = np.eye(3) + 0 * skew(translation)
    for axis, angle in placement.rotation:
        exact = numbers.rational(angle)
        # Right angles have sines that are rational; zero has too.
        turns = exact if isinstance(exact, Fraction) else exact / numbers.point.pi() * 2
        numbers.irrational |= not numbers.is_whole(turns)
        rotation = rotation @ rotation_about(np.array(UNIT_VECTORS[axis]), numbers.residue(exact))
    return rotation, translation

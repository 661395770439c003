"""Coordinates and speeds of the joints of a tree as symbols, and the arrays in which they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from mbsym.kinematics.placement import scalars
from mbsym.model.coordinate_order import first_entries, joints_by_coordinates
from mbsym.model.joint import Coupling, Joint
from mbsym.model.names import ExpressionNames, expression_names
from mbsym.model.system import Model
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input
from mbsym.symbolic.scalar import Scalar, constant, symbol
from mbsym.topology import Labelling
from mbsym.values.numbers import to_scalar

RATES: Final = {"rad/s": "rad/s^2", "m/s": "m/s^2"}
"""Units of the rates of speeds."""


@dataclass(frozen=True, slots=True)
class JointCoordinates:
    """Coordinates and speeds of one joint.

    Attributes:
        q, v: symbols; of a coupled joint, expressions of its source's.
        q_range, v_range: where they stand in the arrays q and v; empty for joints without their own.
        columns: the column of v that each speed follows, with its ratio to it.
    """

    q: tuple[Scalar, ...]
    v: tuple[Scalar, ...]
    q_range: tuple[int, int]
    v_range: tuple[int, int]
    columns: tuple[tuple[int, Scalar], ...]


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Coordinates of all joints of a tree.

    Attributes:
        joints: the joints by label, that of label 1 first.
        of_joints: their coordinates, likewise.
        arranged: labels of those with coordinates of their own, in the order of the arrays.
    """

    joints: tuple[Joint, ...]
    of_joints: tuple[JointCoordinates, ...]
    arranged: tuple[int, ...]

    def arrays(self, graph: Graph) -> tuple[Input, Input, Input, Input]:
        """The arguments q, v, vdot and tau."""
        own = [(label, self.joints[label - 1].kind, self.of_joints[label - 1]) for label in self.arranged]
        shapes = [kind.shape for _, kind, _ in own]
        q = tuple(x.ref for _, _, each in own for x in each.q)
        v = tuple(x.ref for _, _, each in own for x in each.v)
        vdot, tau = self._over_v(graph, "vdot"), self._over_v(graph, "tau")
        quaternions = (each.q_range[0] + kind.quaternion for _, kind, each in own if kind.quaternion is not None)
        labels = (
            f"{label}_{suffix}" if suffix else str(label) for label, kind, _ in own for suffix in kind.shape.coordinates
        )
        position = common_unit(shape.coordinate_units for shape in shapes)
        speed = common_unit(shape.speed_units for shape in shapes)
        force = common_unit(shape.force_units for shape in shapes)
        return (
            Input("q", (len(q),), q, position, "coordinates", tuple(quaternions), tuple(labels)),
            Input("v", (len(v),), v, speed, "generalised speeds"),
            Input("vdot", (len(vdot),), vdot, RATES.get(speed, ""), "rates of the speeds"),
            Input("tau", (len(tau),), tau, force, "generalised forces"),
        )

    def _over_v(self, graph: Graph, name: str) -> tuple[int, ...]:
        """Symbols of another array over v, made in the order of the labels."""
        columns = [column for each in self.of_joints for column in range(*each.v_range)]
        made = {column: graph.symbol(f"{name}[{column}]") for column in columns}
        return tuple(made[column] for column in sorted(made))


def tree_coordinates(
    model: Model, labelling: Labelling, joints: Sequence[Joint], graph: Graph, names: Mapping[str, Scalar]
) -> tuple[Coordinates, dict[str, Scalar]]:
    """Coordinates of the joints of a tree, and what expressions call them.

    Symbols are made in the order of the labels, so that what is derived does not depend on the layout of the arrays.

    Args:
        model: with the free joints that the labelling added.
        labelling: its labels.
        joints: of the tree by label.
        graph: where the symbols are made.
        names: of the model's parameters.
    """
    words = expression_names(model)
    label_of = {joint.name: label for label, joint in enumerate(joints, start=1)}
    arranged = tuple(label_of[name] for name in joints_by_coordinates(model, labelling))
    known, behind = _own(words, joints, arranged, graph)
    couplings = {coupling.joint: coupling for coupling in model.couplings}

    def follow(name: str) -> JointCoordinates:
        if name not in known:
            known[name] = coupled(couplings[name]) if name in couplings else JointCoordinates((), (), *behind, ())
        return known[name]

    def coupled(coupling: Coupling) -> JointCoordinates:
        source = follow(coupling.source)
        ratio, offset = scalars((coupling.ratio, coupling.offset), graph, names)
        ((column, factor),) = source.columns
        q, v = (ratio * source.q[0] + offset,), (ratio * source.v[0],)
        return JointCoordinates(q, v, *behind, ((column, ratio * factor),))

    found = tuple(follow(joint.name) for joint in joints)
    named: dict[str, Scalar] = {}
    for joint, each in zip(joints, found, strict=True):
        called = chain(words.coordinates[joint.name], words.speeds[joint.name])
        named.update(zip(called, (*each.q, *each.v), strict=True))
    return Coordinates(tuple(joints), found, arranged), named


def _own(
    words: ExpressionNames, joints: Sequence[Joint], arranged: Sequence[int], graph: Graph
) -> tuple[dict[str, JointCoordinates], tuple[tuple[int, int], tuple[int, int]]]:
    """Joints with coordinates of their own, by name, and the empty ranges behind all of these."""
    own = [joints[label - 1] for label in arranged]
    first_q, nq = first_entries({joint.name: joint.shape.nq for joint in own})
    first_v, nv = first_entries({joint.name: joint.shape.nv for joint in own})
    one = constant(graph, 1)
    known = {}
    for joint in (joints[label - 1] for label in sorted(arranged)):
        name, shape = joint.name, joint.shape
        q_range = first_q[name], first_q[name] + shape.nq
        v_range = first_v[name], first_v[name] + shape.nv
        q = tuple(symbol(graph, word) for word in words.coordinates[name])
        v = tuple(symbol(graph, word) for word in words.speeds[name])
        known[name] = JointCoordinates(q, v, q_range, v_range, tuple((column, one) for column in range(*v_range)))
    return known, ((nq, nq), (nv, nv))


def driving_symbols(model: Model, graph: Graph) -> dict[str, Scalar]:
    """Time, control inputs and states of drives by name, for models that use one of them."""
    if not model.uses_time_or_inputs:
        return {}
    inputs, drives = (item.name for item in model.inputs), (item.name for item in model.drives)
    return {name: symbol(graph, name) for name in ("t", *inputs, *drives)}


def saturated_inputs(model: Model, symbols: Mapping[str, Scalar], names: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """What the names of control inputs that saturate stand for, by ``symbols`` of the inputs and ``names`` of
    parameters."""
    held = {}
    for item in model.inputs:
        if item.saturates:
            raw = symbols[item.name]
            bounds = (None if each is None else to_scalar(each, raw.graph, names) for each in (item.lower, item.upper))
            held[item.name] = raw.within(*bounds)
    return held


def driving_inputs(model: Model, symbols: Mapping[str, Scalar]) -> tuple[Input | None, Input | None, Input | None]:
    """The arguments t, u and x, None where there are no symbols for them, the last where there are no drives."""
    if not symbols:
        return None, None, None
    controls = tuple(symbols[item.name].ref for item in model.inputs)
    unit = common_unit([[item.unit for item in model.inputs]])
    time = Input("t", (), (symbols["t"].ref,), "s", "time")
    drives = tuple(symbols[item.name].ref for item in model.drives)
    own = common_unit([[item.unit for item in model.drives]])
    states = Input("x", (len(drives),), drives, own, "states of drives") if drives else None
    return time, Input("u", (len(controls),), controls, unit, "control inputs"), states


def common_unit(units: Iterable[Sequence[str]]) -> str:
    """The unit of all entries of an array, or "" where they differ or there are none."""
    found = {unit for own in units for unit in own}
    return found.pop() if len(found) == 1 else ""

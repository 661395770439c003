"""The parameters in which forces are linear: names, values, and a model with others.

Ten of each body, its mass, first moment and inertia about the origin of its frame, in the order and by the names of
``mbsym.model.inertial_parameters``; the rotor inertia of each joint that has one; and those of force elements: the
fields that an element calls ``linear_in``, or where it has none one factor of its whole force, which is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

from mbsym.errors import ModelError
from mbsym.forces.element import ForceElement
from mbsym.model.body import Body
from mbsym.model.inertial_parameters import INERTIAL_NAMES, INERTIAL_UNITS, inertial_values
from mbsym.model.names import identifier_part
from mbsym.model.own_units import Units, entry_unit, slides
from mbsym.model.system import Model
from mbsym.values.entries import entries_of
from mbsym.values.numbers import evaluate, parameter_values, value_names
from mbsym.values.parameter import Parameter, Value

Kind = Literal["inertial", "armature", "force", "share"]
AXES: Final = "xyz"

_Place: TypeAlias = tuple[str, int]
"""A key, and which of three where that holds three, else -1."""

_ARMATURE: Final = ("armature", -1)


@dataclass(frozen=True, slots=True)
class StandardParameter:
    """One column of a regressor.

    Attributes:
        name: identifier, unique in the model.
        unit: SI.
        kind: of a body, a joint's rotor, a field of a force element, or the share of a whole force element.
        owner: name of the body, joint or force element.
        key: which of the ten, "armature", the field of the element, or "share".
        index: which of three where the field holds three, else -1.
        value: that the model has.
    """

    name: str
    unit: str
    kind: Kind
    owner: str
    key: str
    index: int
    value: float


def standard_parameters(model: Model) -> tuple[StandardParameter, ...]:
    """All columns in order: bodies as they stand in the model, then joints, then force elements."""
    numbers = parameter_values(model)
    found: list[StandardParameter] = []
    taken: set[str] = set()

    def listed(kind: Kind, owner: str, key: str, unit: str, value: float, index: int = -1) -> None:
        stem = f"{identifier_part(owner)}_{key}{f'_{AXES[index]}' if index >= 0 else ''}"
        name, again = stem, 2
        while name in taken:
            name, again = f"{stem}_{again}", again + 1
        taken.add(name)
        found.append(StandardParameter(name, unit, kind, owner, key, index, value))

    tens = inertial_values(model)
    for body in model.bodies:
        for key, unit, exact in zip(INERTIAL_NAMES, INERTIAL_UNITS, tens(body), strict=True):
            listed("inertial", body.name, key, unit, float(exact))
    for joint in model.joints:
        armature = evaluate(joint.armature, numbers)
        if armature or value_names(joint.armature):
            listed("armature", joint.name, "armature", "kg" if slides(joint) else "kg m^2", armature)
    for element in model.forces:
        places = linear_places(model, element)
        if not places:
            listed("share", element.name, "share", "1", 1.0)
        units = {entry.key: entry.unit for entry in entries_of(type(element))}
        for key, index in places:
            value = getattr(element, key)
            number = evaluate(value if index < 0 else value[index], numbers)
            listed("force", element.name, key, units[key], number, index)
    return tuple(found)


def parameter_units(model: Model, units: Units) -> tuple[Fraction, ...]:
    """One of these units in SI of each standard parameter of a model."""
    joints = {joint.name: joint for joint in model.joints}
    forces = {element.name: element for element in model.forces}

    def unit(item: StandardParameter) -> Fraction:
        if item.kind == "armature":
            return units.of("kg or kg m^2", slides(joints[item.owner]))
        if item.kind != "force":
            return units.of(item.unit)
        element = forces[item.owner]
        (entry,) = (entry for entry in entries_of(type(element)) if entry.key == item.key)
        return entry_unit(model, element, entry, units)

    return tuple(unit(item) for item in standard_parameters(model))


def linear_places(model: Model, element: ForceElement) -> tuple[tuple[str, int], ...]:
    """Fields of an element, and which of three, in which its force is linear and that hold parameters alone.

    There are none where one of them holds time, inputs or coordinates: then the force counts as a whole.
    """
    names = {parameter.name for parameter in model.parameters}
    kinds = {entry.key: entry.kind for entry in entries_of(type(element))}
    places: list[tuple[str, int]] = []
    for key in element.linear_fields:
        value: Any = getattr(element, key)
        triple = kinds[key] in ("expressions", "vector")
        if not all(names.issuperset(value_names(each)) for each in (value if triple else (value,))):
            return ()
        places += [(key, index) for index in range(3)] if triple else [(key, -1)]
    return tuple(places)


def alone(model: Model, element: ForceElement, parameter: StandardParameter) -> ForceElement:
    """The element with one of its parameters at one and the others at zero; as it is where it counts as a whole."""
    own = (parameter.key, parameter.index)
    return _with_fields(element, {place: int(place == own) for place in linear_places(model, element)})


def _with_fields(element: ForceElement, values: Mapping[_Place, Value]) -> ForceElement:
    """The element with other values of fields, or of one of the three that a field holds."""
    changes: dict[str, Any] = {}
    for (key, index), value in values.items():
        if index < 0:
            changes[key] = value
        else:
            three = list(changes.get(key, getattr(element, key)))
            three[index] = value
            changes[key] = tuple(three)
    made: Any = replace(element, **changes)  # type: ignore[type-var]
    found: ForceElement = made
    return found


def with_values(model: Model, values: Mapping[str, Value]) -> Model:
    """The model with other values of some of its standard parameters, by their names.

    Raises:
        ModelError: there is no such parameter, or a share of a force element is to be other than 1.
    """
    known = {parameter.name: parameter for parameter in standard_parameters(model)}
    for name in values:
        if name not in known:
            raise ModelError(f"there is no parameter {name!r}", where=model.name, remedy=f"known: {', '.join(known)}")
    changes: dict[tuple[Kind, str], dict[_Place, Value]] = {}
    for name, value in values.items():
        item = known[name]
        if item.kind != "share":
            changes.setdefault((item.kind, item.owner), {})[item.key, item.index] = value
        elif value != 1:
            raise ModelError(
                f"the force of {item.owner} is known as a whole", where=name, remedy="scale its expressions"
            )

    def of(kind: Kind, owner: str) -> Mapping[_Place, Value]:
        return changes.get((kind, owner), {})

    tens = inertial_values(model)
    return replace(
        model,
        bodies=tuple(_with_inertia(tens, body, of("inertial", body.name)) for body in model.bodies),
        joints=tuple(
            replace(joint, armature=of("armature", joint.name).get(_ARMATURE, joint.armature)) for joint in model.joints
        ),
        forces=tuple(_with_fields(element, of("force", element.name)) for element in model.forces),
    )


def _with_inertia(own: Callable[[Body], list[Fraction]], body: Body, values: Mapping[_Place, Value]) -> Body:
    if not values:
        return body
    given = zip(INERTIAL_NAMES, own(body), strict=True)
    mass, hx, hy, hz, xx, yy, zz, xy, xz, yz = (values.get((key, -1), own) for key, own in given)
    return replace(
        body,
        mass=mass,
        center_of_mass=(0, 0, 0),
        inertia=(xx, yy, zz, xy, xz, yz),
        inertia_about="frame",
        first_moment=(hx, hy, hz),
    )


def with_symbols(model: Model) -> tuple[Model, tuple[str, ...]]:
    """The model with a symbol for each of its standard parameters, and their names; "" for shares, which are one."""
    taken = {*(item.name for item in model.parameters), *(item.name for item in model.inputs)}
    stem = "pi_"
    while any(name.startswith(stem) for name in taken):
        stem = f"p{stem}"
    parameters = standard_parameters(model)
    names = tuple(f"{stem}{k}" if item.kind != "share" else "" for k, item in enumerate(parameters))
    values = {item.name: name for item, name in zip(parameters, names, strict=True) if name}
    added = tuple(
        Parameter(name, item.value, item.unit, symbolic=True)
        for item, name in zip(parameters, names, strict=True)
        if name
    )
    # The numbers of the bodies are read before they are replaced.
    changed = with_values(model, values)
    return replace(changed, parameters=(*model.parameters, *added)), names

"""Mass, first moment and inertia of a body as parameters, so that a tool change is ten numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Final

from mbsym.errors import ModelError
from mbsym.model.body import Body
from mbsym.model.names import identifier_part
from mbsym.model.system import Model
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import evaluate, parameter_values, to_scalar
from mbsym.values.parameter import Parameter, Value

SUFFIX: Final = ".inertial"
"""Behind the name of a body, where names of parameters are listed."""

INERTIAL_NAMES: Final = ("mass", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
INERTIAL_UNITS: Final = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)
"""Of the ten inertial parameters of a body, in their order."""


def with_inertial_parameters(model: Model, *names: str) -> tuple[Model, tuple[str, ...]]:
    """The model with the ten inertial parameters of bodies, and their names.

    They are NAME_mass [kg], NAME_hx, NAME_hy, NAME_hz [kg m], mass times centre of mass in the body frame, and
    NAME_Ixx, NAME_Iyy, NAME_Izz, NAME_Ixy, NAME_Ixz, NAME_Iyz [kg m^2], about the frame's origin in its axes, products
    as entries of the matrix; body_NAME_mass and so on where the name begins with a digit. Their values are the body's;
    where these are expressions, with the values of the model's parameters.

    Raises:
        ModelError: there is no such body, or a parameter has such a name already.
    """
    parameters = {parameter.name: parameter for parameter in model.parameters}
    bodies = {body.name: body for body in model.bodies}
    values, found = inertial_values(model), []
    for name in names:
        body = model.body(name)
        stem = identifier_part(name)
        # Parameters stand in expressions, where a digit begins a number.
        stem = f"body_{stem}" if stem[0].isdigit() else stem
        own = [f"{stem}_{part}" for part in INERTIAL_NAMES]
        for each in (name for name in parameters if name in own):
            raise ModelError(f"there is a parameter {each!r} already", where=model.name, remedy="rename it or the body")
        for parameter, value, unit in zip(own, values(body), INERTIAL_UNITS, strict=True):
            parameters[parameter] = Parameter(parameter, value, unit)
        mass, hx, hy, hz, xx, yy, zz, xy, xz, yz = own
        bodies[name] = Body(name, mass, (0, 0, 0), (xx, yy, zz, xy, xz, yz), "frame", (hx, hy, hz))
        found += own
    return replace(model, parameters=tuple(parameters.values()), bodies=tuple(bodies.values())), tuple(found)


def inertial_values(model: Model) -> Callable[[Body], list[Fraction]]:
    """What tells mass, first moment and inertia about the frame's origin: exact where a body's numbers are rational."""
    graph, numbers = Graph(), parameter_values(model)
    names: dict[str, Scalar] = {}
    for parameter in model.parameters:
        names[parameter.name] = to_scalar(parameter.value, graph, names)

    def number(value: Value) -> Fraction:
        constant = to_scalar(value, graph, names).constant
        return constant if constant is not None else Fraction(repr(evaluate(value, numbers)))

    def values(body: Body) -> list[Fraction]:
        mass = number(body.mass)
        xx, yy, zz, xy, xz, yz = (number(value) for value in body.inertia)
        if body.first_moment is not None:
            return [mass, *map(number, body.first_moment), xx, yy, zz, xy, xz, yz]
        x, y, z = (number(value) for value in body.center_of_mass)
        if body.inertia_about == "center_of_mass":
            xx, yy, zz = xx + mass * (y * y + z * z), yy + mass * (x * x + z * z), zz + mass * (x * x + y * y)
            xy, xz, yz = xy - mass * x * y, xz - mass * x * z, yz - mass * y * z
        return [mass, mass * x, mass * y, mass * z, xx, yy, zz, xy, xz, yz]

    return values


def with_named_parameters(model: Model, asked: str | tuple[str, ...]) -> tuple[Model, str | tuple[str, ...]]:
    """The model, and which of its parameters stay run-time arguments; BODY.inertial stands for those of a body."""
    if isinstance(asked, str):
        return model, asked
    bodies = [name.removesuffix(SUFFIX) for name in asked if name.endswith(SUFFIX)]
    if not bodies:
        return model, asked
    model, own = with_inertial_parameters(model, *bodies)
    tens, size = iter(own), len(INERTIAL_NAMES)
    return model, tuple(each for name in asked for each in (islice(tens, size) if name.endswith(SUFFIX) else (name,)))

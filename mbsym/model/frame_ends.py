"""Force elements, constraints and shapes that stand on named frames, brought to the bodies that carry these.

Where an element may name a body it may name a frame: its points, directions and components are then those of the
frame. Whatever derives, checks or draws sees bodies alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from mbsym.errors import ModelError, SymbolicError
from mbsym.model.body import COINCIDENT, Placement
from mbsym.model.frame import Frame, FrameAxes
from mbsym.model.shape import Shape
from mbsym.model.system import Model, several_frames, which_frame
from mbsym.values.diagnostic import nearest
from mbsym.values.entries import entries_of
from mbsym.values.frame_quantities import value_frames
from mbsym.values.numbers import evaluate, parameter_values
from mbsym.values.parameter import Value, Vector

Quaternion: TypeAlias = tuple[float, float, float, float]


def attachable_frames(model: Model) -> dict[str, Frame]:
    """The frames that elements can name: all but those with the plain name of a body or of ground, which goes before.

    Where a name means several frames the first one stands here; ``ambiguous_ends`` has what is to be refused.
    """
    taken = {model.ground, *(body.name for body in model.bodies)}
    taken |= {joint.name for joint in model.joints}.difference(frame.name for frame in model.frames)
    return {name: found[0] for name, found in model.all_frames().items() if name not in taken}


def ambiguous_ends(model: Model) -> dict[str, tuple[str, str]]:
    """What is wrong with names that elements cannot use, and advice, by name."""
    joints = {joint.name for joint in model.joints}
    found = {}
    for name, frames in model.all_frames().items():
        # A joint must say that it is one.
        meant = [frame for frame in frames if not (frame.kind == "joint" and frame.name == name and name in joints)]
        if len(meant) > 1:
            found[name] = several_frames(name, meant), which_frame(meant)
    return found


def body_end(model: Model, name: str) -> str:
    """The body of that name as elements must name it."""
    return f"body:{name}" if name in ambiguous_ends(model) else name


def on_bodies(model: Model) -> Model:
    """The model with its force elements, constraints and shapes on bodies; itself where none is on a frame."""
    frames = attachable_frames(model)
    forces = tuple(element_on_bodies(item, frames) for item in model.forces)
    constraints = tuple(element_on_bodies(item, frames) for item in model.constraints)
    shapes = model.shapes
    if any(shape.body in frames for shape in shapes):
        names = parameter_values(model)
        shapes = tuple(_moved_shape(shape, frames, lambda value: evaluate(value, names)) for shape in shapes)
    if forces == model.forces and constraints == model.constraints and shapes == model.shapes:
        return model
    return replace(model, forces=forces, constraints=constraints, shapes=shapes)


def frames_in_expressions(model: Model) -> dict[str, Frame]:
    """The frames of which expressions take quantities, by the names that stand there; bodies too.

    Raises:
        ModelError: there is nothing of a name.
    """
    names = tuple(dict.fromkeys(name for value in model.expressions for name in value_frames(value)))
    if not names:
        return {}
    known: dict[str, Frame] = {name: Frame(name, name, kind="body") for name in (model.ground, *_bodies(model))}
    known = {**attachable_frames(model), **known}
    for name in names:
        if name not in known:
            raise ModelError(f"there is no body or frame {name!r}", where=model.name, remedy=nearest(name, known))
    return {name: known[name] for name in names}


def _bodies(model: Model) -> tuple[str, ...]:
    return tuple(body.name for body in model.bodies)


def with_frames(model: Model, names: Sequence[str], axes: FrameAxes | Literal[""] = "") -> Model:
    """The model with the frames of these names, and with those that its expressions name, which functions leave out.

    Args:
        model: that has them.
        names: of frames, bodies or joints, with KIND: before it where needed; ("all",) leaves all frames.
        axes: of all of them; "" leaves each its own.

    Raises:
        ModelError: there is nothing of a name, or a name is given twice.
    """
    found = model.frames_of_functions if tuple(names) == ("all",) else tuple(model.frame(name) for name in names)
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ModelError(f"frame {name!r} is asked for twice", where=model.name, remedy="ask once")
    if axes:
        found = tuple(replace(frame, axes=axes) for frame in found)
    found = tuple(replace(frame, in_functions=True) for frame in found)
    meant = {frame.full_name for frame in frames_in_expressions(model).values()}
    taken = {frame.full_name for frame in found}
    # What is in one place keeps one meaning under all its names.
    axes_of = {(frame.body, frame.placement): frame.axes for frame in found}
    kept = tuple(
        replace(frame, in_functions=False, axes=axes_of.get((frame.body, frame.placement), frame.axes))
        for frame in model.frames
        if frame.full_name in meant - taken
    )
    return replace(model, frames=(*found, *kept))


def with_frame(model: Model, name: str, on: str, at: Placement) -> Model:
    """The model with one more frame.

    Args:
        model: that gets it.
        name: of the frame, which no frame or body has.
        on: a body, ground, a frame or a joint.
        at: in the frame of that.

    Raises:
        ModelError: the name is taken, or there is nothing to put it on.
    """
    if name in model.all_frames():
        raise ModelError(f"there is a frame {name!r} already", where=model.name, remedy="use another name")
    carrier = model.frame(on)
    try:
        placed = composed(carrier.placement, at, evaluate)
    except SymbolicError as error:
        raise ModelError(
            f"frame {name!r} cannot be put on {on!r}: {error.what}",
            where=model.name,
            remedy="name the body that it is on",
        ) from None
    return replace(model, frames=(*model.frames, Frame(name, carrier.body, placed)))


def turned(placement: Placement, components: Vector) -> Vector:
    """Components in the placed frame as expressions of those in the carrying one."""
    x, y, z = components
    if placement.quaternion is not None:
        rows = _rows_of(placement.quaternion)
        a, b, c = (f"({row[0]})*({x}) + ({row[1]})*({y}) + ({row[2]})*({z})" for row in rows)
        return a, b, c
    for axis, angle in reversed(placement.rotation):
        x, y, z = _about(axis, angle, x, y, z)
    return x, y, z


def _rows_of(quaternion: Sequence[Value]) -> tuple[tuple[str, str, str], ...]:
    """Rotation matrix of a quaternion of any length but zero, whose entries may be expressions of parameters."""
    w, x, y, z = (f"({value})" for value in quaternion)
    s = f"2/({w}**2 + {x}**2 + {y}**2 + {z}**2)"
    return (
        (f"1 - {s}*({y}**2 + {z}**2)", f"{s}*({x}*{y} - {w}*{z})", f"{s}*({x}*{z} + {w}*{y})"),
        (f"{s}*({x}*{y} + {w}*{z})", f"1 - {s}*({x}**2 + {z}**2)", f"{s}*({y}*{z} - {w}*{x})"),
        (f"{s}*({x}*{z} - {w}*{y})", f"{s}*({y}*{z} + {w}*{x})", f"1 - {s}*({x}**2 + {y}**2)"),
    )


def _about(axis: str, angle: Value, x: Value, y: Value, z: Value) -> Vector:
    c, s = f"cos({angle})", f"sin({angle})"
    if axis == "x":
        return x, f"{c}*({y}) - {s}*({z})", f"{s}*({y}) + {c}*({z})"
    if axis == "y":
        return f"{c}*({x}) + {s}*({z})", y, f"{c}*({z}) - {s}*({x})"
    return f"{c}*({x}) - {s}*({y})", f"{s}*({x}) + {c}*({y})", z


def element_on_bodies(item: Any, frames: Mapping[str, Frame]) -> Any:
    """A force element or constraint with bodies in place of frames, which are given by name."""
    changes: dict[str, Any] = {}
    for entry in entries_of(type(item)):
        value = getattr(item, entry.key)
        if entry.kind == "body":
            if entry.or_frame and value in frames:
                changes[entry.key] = frames[value].body
        elif entry.body and getattr(item, entry.body) in frames:
            placement = frames[getattr(item, entry.body)].placement
            if entry.kind == "vector":
                changes[entry.key] = _point(placement, value)
            elif not entry.axes or getattr(item, entry.axes) == "body":
                changes[entry.key] = turned(placement, value)
    return replace(item, **changes) if changes else item


def _point(placement: Placement, point: Vector) -> Vector:
    """A point of the placed frame in the carrying one."""
    if _is_zero(point):
        return placement.translation
    moved = turned(placement, point)
    if _is_zero(placement.translation):
        return moved
    x, y, z = (f"({a}) + ({b})" for a, b in zip(placement.translation, moved, strict=True))
    return x, y, z


def _is_zero(values: Vector) -> bool:
    return all(value == 0 for value in values)


def _moved_shape(shape: Shape, frames: Mapping[str, Frame], number: Callable[[Value], float]) -> Shape:
    if shape.body not in frames:
        return shape
    frame = frames[shape.body]
    return replace(shape, body=frame.body, placement=composed(frame.placement, shape.placement, number))


def composed(outer: Placement, inner: Placement, number: Callable[[Value], float]) -> Placement:
    """A placement in a placed frame as one in the carrying frame: turns as they are, quaternions multiplied in floats.

    Args:
        outer: of the placed frame.
        inner: in the placed frame.
        number: makes numbers of the values of quaternions, and of turns that meet one.
    """
    if COINCIDENT in (outer, inner):
        return inner if outer == COINCIDENT else outer
    translation = _point(outer, inner.translation)
    if outer.quaternion is None and inner.quaternion is None:
        return Placement(translation, outer.rotation + inner.rotation)
    return Placement(translation, quaternion=_product(quaternion_of(outer, number), quaternion_of(inner, number)))


def quaternion_of(placement: Placement, number: Callable[[Value], float]) -> Quaternion:
    """(w, x, y, z) of a placement, of the length that it is given with, by what makes numbers of its values."""
    if placement.quaternion is not None:
        w, x, y, z = (number(value) for value in placement.quaternion)
        return w, x, y, z
    found: Quaternion = (1.0, 0.0, 0.0, 0.0)
    for axis, angle in placement.rotation:
        half = number(angle) / 2
        x, y, z = (math.sin(half) * (letter == axis) for letter in "xyz")
        found = _product(found, (math.cos(half), x, y, z))
    return found


def _product(a: Quaternion, b: Quaternion) -> Quaternion:
    w, x, y, z = a
    v, i, j, k = b
    return (
        w * v - x * i - y * j - z * k,
        w * i + x * v + y * k - z * j,
        w * j - x * k + y * v + z * i,
        w * k + x * j - y * i + z * v,
    )

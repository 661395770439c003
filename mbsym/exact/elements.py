"""Force elements in base axes, as their definitions read: forces at points of bodies, moments, forces along speeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbsym.exact.contacts import contact, joint_stop
from mbsym.exact.kinematics import Moving
from mbsym.exact.residues import UndecidedError
from mbsym.exact.scene import Scene
from mbsym.exact.words import Words
from mbsym.reference.rotations import Array


def scene_of(words: Words, motion: Moving, coordinates: Sequence[Array], rates: Sequence[Array]) -> Scene:
    """What force elements do.

    Raises:
        UndecidedError: an element is not rational.
    """
    wrenches = np.zeros((words.mechanism.nb + 1, 6), dtype=object)
    along = [np.zeros(len(own), dtype=object) for own in rates]
    scene = Scene(words, motion, coordinates, rates, wrenches, along)
    for element in words.mechanism.model.forces:
        law = _LAWS.get(element.type)
        if law is None:
            raise UndecidedError(f"the force element {element.type} branches or is not rational")
        law(scene, element)
    return scene


def stored(scene: Scene) -> Any:
    """Energy of springs."""
    total: Any = 0
    for element in scene.mechanism.model.forces:
        if element.type in _ENERGIES:
            total = total + _ENERGIES[element.type](scene, element)
    return total


def _stretch(scene: Scene, element: Any) -> Any:
    return scene.coordinates[scene.joint(element.joint)][element.index] - scene.of(element.reference)


def _add(scene: Scene, element: Any, force: Any) -> None:
    scene.along[scene.joint(element.joint)][element.index] += force


def _speed(scene: Scene, element: Any) -> Any:
    return scene.rates[scene.joint(element.joint)][element.index]


def _motor(scene: Scene, element: Any) -> None:
    force = scene.of(element.gain) * scene.words.named[element.input]
    if element.effort is not None:
        most = scene.words.numbers.residue(scene.of(element.effort))
        force = scene.words.numbers.residue(force).stands("min", most).stands("max", -most)
    _add(scene, element, force)


def _friction(scene: Scene, element: Any) -> None:
    ratio = _speed(scene, element) / scene.of(element.transition_speed)
    _add(scene, element, -scene.of(element.magnitude) * ratio.stands("tanh"))


def _wrench(scene: Scene, element: Any) -> None:
    label = scene.mechanism.body_labels[element.body]
    axes = scene.moving.rotations[label] if element.axes == "body" else np.eye(3)
    scene.pull(element.body, scene.arm(element.body, element.point), axes @ scene.vector(element.force))
    scene.wrenches[label, :3] += axes @ scene.vector(element.moment)


def _between(scene: Scene, element: Any) -> tuple[Array, Array, Array, Any, Any]:
    """Arms of both ends, the way from the first to the second, its length, and its rate times the length."""
    labels = [scene.mechanism.body_labels[name] for name in (element.first_body, element.second_body)]
    first, second = (
        scene.arm(element.first_body, element.first_point),
        scene.arm(element.second_body, element.second_point),
    )
    way = scene.moving.origins[labels[1]] + second - scene.moving.origins[labels[0]] - first
    rate = scene.moving.at(labels[1], second)[0] - scene.moving.at(labels[0], first)[0]
    return first, second, way, np.sqrt(way @ way), way @ rate


def _point_spring_damper(scene: Scene, element: Any) -> None:
    first, second, way, length, rate = _between(scene, element)
    tension = scene.of(element.stiffness) * (length - scene.of(element.free_length))
    tension = tension + scene.of(element.damping) * rate / length
    scene.pull(element.first_body, first, way * (tension / length))
    scene.pull(element.second_body, second, way * (-tension / length))


def _spring_energy(scene: Scene, element: Any) -> Any:
    return scene.of(element.stiffness) * _stretch(scene, element) * _stretch(scene, element) / 2


def _point_spring_energy(scene: Scene, element: Any) -> Any:
    stretch = _between(scene, element)[3] - scene.of(element.free_length)
    return scene.of(element.stiffness) * stretch * stretch / 2


_LAWS: Final[Mapping[str, Callable[[Scene, Any], None]]] = {
    "joint_spring": lambda scene, it: _add(scene, it, -scene.of(it.stiffness) * _stretch(scene, it)),
    "joint_damper": lambda scene, it: _add(scene, it, -scene.of(it.damping) * _speed(scene, it)),
    "joint_friction": _friction,
    "actuator": _motor,
    "joint_force": lambda scene, it: _add(scene, it, scene.of(it.expression)),
    "applied_wrench": _wrench,
    "point_spring_damper": _point_spring_damper,
    "contact": contact,
    "joint_stop": joint_stop,
}
"""By their type in files; others compare, or draw roots and arcs that the field has not."""

_ENERGIES: Final[Mapping[str, Callable[[Scene, Any], Any]]] = {
    "joint_spring": _spring_energy,
    "point_spring_damper": _point_spring_energy,
}

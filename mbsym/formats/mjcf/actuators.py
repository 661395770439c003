"""Actuators of MJCF as control inputs and the forces that they make: motors, servos of position and of speed; and the
rotors that they have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mbsym.forces.joint_force import JointForce
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element
from mbsym.formats.xml_numbers import read_number, read_numbers
from mbsym.model.names import expression_names, free_name, identifier_fault, identifier_part
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import ControlInput, Value

Law = tuple[Value, Value, Value, Value]
"""Gain of the input, and constant, factors of length and speed of the bias."""

KINDS: Final = ("motor", "position", "velocity", "general")
"""Tags that are covered; muscles, cylinders and adhesion are not."""


NOT_CONSTANT: Final = ("affine", "muscle", "dcmotor", "user")
"""Gains that depend on more than the input."""


def with_actuators(source: TextSource, actuators: Iterable[Element], model: Model) -> Model:
    """The model with its actuators as inputs, entries of u in the order of the file.

    An actuator of gear g on a joint of one freedom has the length g q and makes there the force
    g (k u + b0 + b1 g q + b2 g v). What has no counterpart is named in a warning: actuators of tendons, sites, bodies,
    activation dynamics, limits of force.

    Args:
        source: for messages.
        actuators: with the attributes of their classes.
        model: without them.

    Raises:
        FormatError: a number is none.
    """
    joints = {joint.name: joint for joint in model.joints}
    inputs, laws, notes = list(model.inputs), [], list(model.warnings)
    left: dict[str, int] = {}
    for actuator in actuators:
        joint = joints.get(actuator.attributes.get("joint", ""))
        law = _law(source, actuator) if actuator.tag in KINDS else None
        if joint is None or joint.shape.nv != 1 or law is None:
            left[actuator.tag] = left.get(actuator.tag, 0) + 1
            continue
        for key, what in (("dyntype", "the activation dynamics"), ("forcerange", "the limits of force")):
            if actuator.attributes.get(key, "none") != "none":
                notes.append(f"{what} of actuator {actuator.attributes.get('name', '')!r} are left out")
        name = _input_name(actuator.attributes.get("name") or f"{joint.name}_{actuator.tag}", inputs)
        lower, upper = _range(source, actuator)
        inputs.append(ControlInput(name, "", lower, upper))
        laws.append((name, joint.name, _gear(source, actuator), law))
    notes += [f"{count} actuators <{tag}> without a joint of one freedom are left out" for tag, count in left.items()]
    model = replace(model, inputs=tuple(inputs), warnings=tuple(notes))
    names = expression_names(model)
    forces = []
    for name, joint_name, gear, law in laws:
        q, v = names.coordinates[joint_name][0], names.speeds[joint_name][0]
        forces.append(JointForce(f"actuator {name}", joint_name, _expression(name, gear, law, q, v)))
    return replace(model, forces=(*model.forces, *forces))


def with_rotors(source: TextSource, actuators: Iterable[Element], model: Model) -> Model:
    """The model whose joints have the armature of their actuators, times the square of the gear.

    It is there whether the actuators' forces are read or not.

    Raises:
        FormatError: it is not at a joint of one freedom, or the joint has an armature of its own: MuJoCo adds both, but
            they may be told of one rotor.
    """
    joints = {joint.name: joint for joint in model.joints}
    found: dict[str, Value] = {}
    for actuator in actuators:
        armature = read_number(source, actuator, "armature", "0")
        if not evaluate(armature):
            continue
        word = f"actuator {actuator.attributes.get('name', '')!r}"
        joint = joints.get(actuator.attributes.get("joint") or actuator.attributes.get("jointinparent", ""))
        if joint is None or joint.shape.nv != 1:
            raise source.error(
                actuator.place,
                f"{word} has an armature, but no joint of one freedom",
                "remove its armature, and give joints what they feel of it",
            )
        if evaluate(joint.armature):
            raise source.error(
                actuator.place,
                f"joint {joint.name!r} has an armature of its own beside that of {word}",
                "give the joint the sum, which is what MuJoCo takes, and remove the actuator's",
            )
        gear = _gear(source, actuator)
        reflected = f"({gear})*({gear})*({armature})"
        found[joint.name] = f"{found[joint.name]} + {reflected}" if joint.name in found else reflected
    changed = (replace(joint, armature=found.get(joint.name, joint.armature)) for joint in model.joints)
    return replace(model, joints=tuple(changed)) if found else model


def _gear(source: TextSource, actuator: Element) -> Value:
    return read_numbers(source, actuator, "gear", 1, 2, 3, 4, 5, 6)[0] if "gear" in actuator.attributes else 1


def _law(source: TextSource, actuator: Element) -> Law | None:
    """Gain and bias, None where they are not linear."""
    if actuator.tag == "motor":
        return 1, 0, 0, 0
    if actuator.tag == "position":
        if "dampratio" in actuator.attributes or "timeconst" in actuator.attributes:
            return None
        kp, kv = read_number(source, actuator, "kp", "1"), read_number(source, actuator, "kv", "0")
        return kp, 0, f"-({kp})", f"-({kv})"
    if actuator.tag == "velocity":
        kv = read_number(source, actuator, "kv", "1")
        return kv, 0, 0, f"-({kv})"
    if actuator.attributes.get("gaintype") in NOT_CONSTANT:
        return None
    gain = _first(source, actuator, "gainprm", (1,))
    kind = actuator.attributes.get("biastype", "none")
    if kind == "none":
        return gain[0], 0, 0, 0
    if kind != "affine":
        return None
    b0, b1, b2 = (*_first(source, actuator, "biasprm", (0, 0, 0)), 0, 0)[:3]
    return gain[0], b0, b1, b2


def _first(source: TextSource, actuator: Element, key: str, default: tuple[Value, ...]) -> tuple[Value, ...]:
    return read_numbers(source, actuator, key, *range(1, 11)) if key in actuator.attributes else default


def _range(source: TextSource, actuator: Element) -> tuple[Value | None, Value | None]:
    if "ctrlrange" not in actuator.attributes or actuator.attributes.get("ctrllimited") == "false":
        return None, None
    lower, upper = read_numbers(source, actuator, "ctrlrange", 2)
    if evaluate(lower) > evaluate(upper):
        raise source.error(actuator.place, f"the ctrlrange of <{actuator.tag}> is the wrong way round", "exchange them")
    return lower, upper


def _input_name(wanted: str, inputs: list[ControlInput]) -> str:
    stem = identifier_part(wanted)
    return free_name(f"u_{stem}" if identifier_fault(stem) else stem, {item.name for item in inputs})


def _expression(name: str, gear: Value, law: Law, q: str, v: str) -> str:
    gain, b0, b1, b2 = law
    terms = [f"({gain})*{name}"]
    terms += [f"({b0})"] if evaluate(b0) else []
    terms += [f"({b1})*({gear})*{q}"] if evaluate(b1) else []
    terms += [f"({b2})*({gear})*{v}"] if evaluate(b2) else []
    return f"({gear})*({' + '.join(terms)})"

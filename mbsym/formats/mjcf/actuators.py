"""Actuators of MJCF as control inputs and the forces that they make: motors, servos of position and of speed; and the
rotors that they have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mbsym.forces.joint_force import JointForce
from mbsym.formats.xml_document import Element
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


def with_actuators(actuators: Iterable[Element], model: Model) -> Model:
    """The model with its actuators as inputs, entries of u in the order of the file.

    An actuator of gear g on a joint of one freedom has the length g q and makes there the force
    g (k u + b0 + b1 g q + b2 g v). What has no counterpart is named in a warning: actuators of tendons, sites, bodies,
    activation dynamics, limits of force.

    Args:
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
        law = _law(actuator) if actuator.tag in KINDS else None
        if joint is None or joint.shape.nv != 1 or law is None:
            left[actuator.tag] = left.get(actuator.tag, 0) + 1
            continue
        for key, what in (("dyntype", "the activation dynamics"), ("forcerange", "the limits of force")):
            if actuator.attributes.get(key, "none") != "none":
                notes.append(f"{what} of actuator {actuator.attributes.get('name', '')!r} are left out")
        name = _input_name(actuator.attributes.get("name") or f"{joint.name}_{actuator.tag}", inputs)
        lower, upper = _range(actuator)
        inputs.append(ControlInput(name, "", lower, upper))
        laws.append((name, joint.name, _gear(actuator), law))
    notes += [f"{count} actuators <{tag}> without a joint of one freedom are left out" for tag, count in left.items()]
    model = replace(model, inputs=tuple(inputs), warnings=tuple(notes))
    names = expression_names(model)
    forces = []
    for name, joint_name, gear, law in laws:
        q, v = names.coordinates[joint_name][0], names.speeds[joint_name][0]
        forces.append(JointForce(f"actuator {name}", joint_name, _expression(name, gear, law, q, v)))
    return replace(model, forces=(*model.forces, *forces))


def with_rotors(actuators: Iterable[Element], model: Model) -> Model:
    """The model whose joints have the armature of their actuators, times the square of the gear.

    It is there whether the actuators' forces are read or not.

    Raises:
        FormatError: it is not at a joint of one freedom, or the joint has an armature of its own: MuJoCo adds both, but
            they may be told of one rotor.
    """
    joints = {joint.name: joint for joint in model.joints}
    found: dict[str, Value] = {}
    for actuator in actuators:
        armature = actuator.number("armature", "0")
        if not evaluate(armature):
            continue
        word = f"actuator {actuator.attributes.get('name', '')!r}"
        joint = joints.get(actuator.attributes.get("joint") or actuator.attributes.get("jointinparent", ""))
        if joint is None or joint.shape.nv != 1:
            raise actuator.error(
                f"{word} has an armature, but no joint of one freedom",
                "remove its armature, and give joints what they feel of it",
            )
        if evaluate(joint.armature):
            raise actuator.error(
                f"joint {joint.name!r} has an armature of its own beside that of {word}",
                "give the joint the sum, which is what MuJoCo takes, and remove the actuator's",
            )
        gear = _gear(actuator)
        reflected = f"({gear})*({gear})*({armature})"
        found[joint.name] = f"{found[joint.name]} + {reflected}" if joint.name in found else reflected
    changed = (replace(joint, armature=found.get(joint.name, joint.armature)) for joint in model.joints)
    return replace(model, joints=tuple(changed)) if found else model


def _gear(actuator: Element) -> Value:
    return actuator.numbers("gear", *range(1, 7), default=(1,))[0]


def _law(actuator: Element) -> Law | None:
    """Gain and bias, None where they are not linear."""
    if actuator.tag == "motor":
        return 1, 0, 0, 0
    if actuator.tag == "position":
        if "dampratio" in actuator.attributes or "timeconst" in actuator.attributes:
            return None
        kp, kv = actuator.number("kp", "1"), actuator.number("kv", "0")
        return kp, 0, f"-({kp})", f"-({kv})"
    if actuator.tag == "velocity":
        kv = actuator.number("kv", "1")
        return kv, 0, 0, f"-({kv})"
    if actuator.attributes.get("gaintype") in NOT_CONSTANT:
        return None
    gain = actuator.numbers("gainprm", *range(1, 11), default=(1,))
    kind = actuator.attributes.get("biastype", "none")
    if kind == "none":
        return gain[0], 0, 0, 0
    if kind != "affine":
        return None
    b0, b1, b2 = (*actuator.numbers("biasprm", *range(1, 11), default=(0, 0, 0)), 0, 0)[:3]
    return gain[0], b0, b1, b2


def _range(actuator: Element) -> tuple[Value | None, Value | None]:
    if "ctrlrange" not in actuator.attributes or actuator.attributes.get("ctrllimited") == "false":
        return None, None
    lower, upper = actuator.numbers("ctrlrange", 2)
    if evaluate(lower) > evaluate(upper):
        raise actuator.error(f"the ctrlrange of <{actuator.tag}> is the wrong way round", "exchange them")
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

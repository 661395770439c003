"""Poses, velocities, energies, centre of mass and momentum of a tree as programs with loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from mbsym.formulations.contracts import (
    BODY_POSES,
    BODY_VELOCITIES,
    CENTER_OF_MASS,
    KINETIC_ENERGY,
    MOMENTUM,
    POTENTIAL_ENERGY,
)
from mbsym.formulations.shared.heads import head_of, vector
from mbsym.formulations.shared.placed import POSE, entries_of, placed, placed_on, still_base
from mbsym.formulations.shared.recursion import Beforehand, Places, Recursion, StepFunction, Values
from mbsym.formulations.shared.sweeps import rolled_up
from mbsym.joints.motion import Motion, motion_of, power, six
from mbsym.kinematics.equivalents import for_mass_matrix
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.observables import stored_energy
from mbsym.spatial.vector import Vector3, add, cross, dot, scale, subtract
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar, constant

_MASS_AND_MOMENT: Final = 4


def roll_body_poses(mechanism: Mechanism) -> Program:
    """Homogeneous matrices of the user's frames."""

    def step(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        body = bodies[0]
        frame = placed_on(body, placed(given["pose"]))
        user = frame.then(body.user_frame.inverse())
        rows = zip(user.rotation.matrix(), user.translation, strict=True)
        last = [constant(body.motion.graph, entry) for entry in (0, 0, 0, 1)]
        return {"pose": entries_of(frame), "poses": [*(entry for row, at in rows for entry in (*row, at)), *last]}

    outward = Recursion(
        "poses, outward",
        step,
        "pose",
        POSE,
        still_base(mechanism),
        arguments=("q",),
        results={"poses": lambda body: (16 * (body.label - 1),)},
    )
    return rolled_up(head_of(BODY_POSES, mechanism), [mechanism], [outward], frame="user_frame")


def roll_body_velocities(mechanism: Mechanism) -> Program:
    """Twists of the user's frames."""

    def step(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        moved = _moved(bodies[0], given)
        return {"twist": six(moved), "velocities": six(bodies[0].user_frame.twist_to_parent(*moved))}

    outward = _twists_outward(mechanism, step, results={"velocities": lambda body: (6 * (body.label - 1),)})
    return rolled_up(head_of(BODY_VELOCITIES, mechanism), [mechanism], [outward], frame="user_frame")


def roll_kinetic_energy(mechanism: Mechanism) -> Program:
    """Twice the energy of each body and its rotors, summed inward."""
    variant = for_mass_matrix(mechanism)

    def outward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        body = bodies[0]
        moved = _moved(body, given)
        twice = power(moved, body.inertia.times(*moved))
        for armature, rate in zip(body.armature, given["v"], strict=True):
            twice = twice + armature * (rate * rate)
        return {"twist": six(moved), "own": [twice]}

    def inward(_: tuple[TreeBody, ...], given: Values) -> Values:
        return {"twice": [given["twice"][0] + given["own"][0]]}

    def half(_: Graph, found: Sequence[Scalar]) -> Values:
        return {"energy": [found[0] * Fraction(1, 2)]}

    recursions = [
        _twists_outward(mechanism, outward, keeps=("own",)),
        Recursion("kinetic energy", inward, "twice", 1, takes=("own",), arrives=half),
    ]
    return rolled_up(head_of(KINETIC_ENERGY, mechanism), [variant], recursions)


def roll_potential_energy(mechanism: Mechanism) -> Program | None:
    """The first moment of all bodies against gravity, and what springs store, which comes with the first body."""
    gravity = [entry.constant for entry in mechanism.gravity]
    if None in gravity:
        return None
    before = None
    if any(force.stores_energy for force in mechanism.model.forces):
        with mechanism.graph.section("springs"):
            stored = stored_energy(mechanism)
        nothing = Scalar(mechanism.graph, 0)
        found = [(stored,), *[(nothing,)] * (mechanism.nb - 1)]
        before = Beforehand("springs", "springs", (mechanism.q,), {"stored": found})

    def step(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        handed = given["composite"]
        stored = handed[_MASS_AND_MOMENT] + given["stored"][0] if before is not None else handed[_MASS_AND_MOMENT]
        return {"composite": [*_composite(bodies[0], handed[:_MASS_AND_MOMENT]), stored]}

    def energy(graph: Graph, found: Sequence[Scalar]) -> Values:
        pull = vector([constant(graph, entry or 0) for entry in gravity])
        return {"energy": [found[_MASS_AND_MOMENT] - dot(pull, vector(found[1:_MASS_AND_MOMENT]))]}

    inward = Recursion(
        "composite mass and first moment, inward",
        step,
        "composite",
        _MASS_AND_MOMENT + 1,
        given=("stored",) if before is not None else (),
        arguments=("q",),
        arrives=energy,
    )
    return rolled_up(head_of(POTENTIAL_ENERGY, mechanism), [mechanism], [inward], before=before)


def roll_center_of_mass(mechanism: Mechanism) -> Program | None:
    """The first moment of all bodies by their mass."""
    mass = _mass(mechanism)
    if not mass:
        return None

    def center(_: Graph, found: Sequence[Scalar]) -> Values:
        return {"com": [entry / mass for entry in found[1:4]]}

    inward = Recursion(
        "composite mass and first moment, inward",
        lambda bodies, given: {"composite": _composite(bodies[0], given["composite"])},
        "composite",
        _MASS_AND_MOMENT,
        arguments=("q",),
        arrives=center,
    )
    return rolled_up(head_of(CENTER_OF_MASS, mechanism), [mechanism], [inward])


def roll_momentum(mechanism: Mechanism) -> Program | None:
    """Momenta of the bodies with their first moments, summed inward."""
    mass = _mass(mechanism)
    if not mass:
        return None

    def outward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        moved = _moved(bodies[0], given)
        return {"twist": six(moved), "own": six(bodies[0].inertia.times(*moved))}

    def inward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        body, handed = bodies[0], given["composite"]
        total = [a + b for a, b in zip(given["own"], handed[_MASS_AND_MOMENT:], strict=True)]
        momentum = six(body.placement.wrench_to_parent(*motion_of(total)))
        return {"composite": [*_composite(body, handed[:_MASS_AND_MOMENT]), *momentum]}

    def about_center(_: Graph, found: Sequence[Scalar]) -> Values:
        moment, angular, linear = vector(found[1:4]), vector(found[4:7]), vector(found[7:10])
        center = (moment[0] / mass, moment[1] / mass, moment[2] / mass)
        return {"momentum": [*subtract(angular, cross(center, linear)), *linear]}

    recursions = [
        _twists_outward(mechanism, outward, keeps=("own",)),
        Recursion("momentum, inward", inward, "composite", _MASS_AND_MOMENT + 6, takes=("own",), arrives=about_center),
    ]
    return rolled_up(head_of(MOMENTUM, mechanism), [mechanism], recursions)


def _twists_outward(
    mechanism: Mechanism, step: StepFunction, keeps: tuple[str, ...] = (), results: Mapping[str, Places] | None = None
) -> Recursion:
    """Twists of the internal frames in their own components."""
    still = (Scalar(mechanism.graph, 0),) * 6
    return Recursion(
        "velocities, outward",
        step,
        "twist",
        6,
        still,
        keeps=keeps,
        arguments=("q", "v"),
        results=results or {},
    )


def _moved(body: TreeBody, given: Values) -> Motion:
    """Twist of a body's internal frame from that of the body inboard."""
    twist = given["twist"]
    angular, linear = body.placement.twist_to_child(*motion_of(twist))
    spin, slide = body.motion.twist(tuple(given["v"]))
    return add(angular, spin), add(linear, slide)


def _composite(body: TreeBody, handed: Sequence[Scalar]) -> list[Scalar]:
    """Mass and first moment of a body and all outboard of it, at and in the frame of the body inboard."""
    mass = body.inertia.mass + handed[0]
    moment: Vector3 = add(body.inertia.first_moment, vector(handed[1:4]))
    return [mass, *add(body.rotation.to_parent(moment), scale(body.translation, mass))]


def _mass(mechanism: Mechanism) -> Fraction:
    """Of all bodies; zero where it depends on run-time parameters."""
    masses = [body.inertia.mass.constant for body in mechanism.bodies]
    known = [mass for mass in masses if mass is not None]
    return sum(known, Fraction(0)) if len(known) == len(masses) else Fraction(0)

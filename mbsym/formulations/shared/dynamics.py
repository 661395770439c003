"""Dynamics and joint wrenches of a tree as programs with loops: the recursions of ``recursive``, body by body.

They hold for trees whose joints move independently of each other. What force elements do is written out before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.contracts import FORWARD_DYNAMICS, JOINT_WRENCHES, Contract
from mbsym.formulations.recursive.articulated_body import (
    Pivot,
    Seen,
    carried_motion,
    eliminated,
    entries_handed_on,
    entries_of,
    joint_rates,
    pivots_of,
)
from mbsym.formulations.recursive.newton_euler import inertial_wrench, joint_forces, user_wrench
from mbsym.formulations.regular_mass import never_singular
from mbsym.formulations.shared.heads import head_of, vector
from mbsym.formulations.shared.recursion import Beforehand, Recursion, StepFunction, Values, of_speeds
from mbsym.formulations.shared.sweeps import rolled_up
from mbsym.joints.motion import difference_of, motion_of, six
from mbsym.kinematics.equivalents import for_forces, for_mass_matrix
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import BodyAcceleration, body_acceleration, body_velocity, joint_speeds
from mbsym.spatial.inertia import INERTIA_ENTRIES, ArticulatedInertia
from mbsym.spatial.vector import dot, negate, zero_vector
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar

_MOTION: Final = 18

_FORCES: Final = "acting"
"""Generalised forces of force elements on a body's joint."""

_WRENCH: Final = "pressing"
"""Their wrench on the body."""


def _force_elements(mechanism: Mechanism) -> Beforehand | None:
    """What force elements do, as it is written out; None where there are none."""
    applied = applied_forces(mechanism, joint_speeds(mechanism))
    if applied is None:
        return None
    zero = zero_vector(mechanism.graph)
    wrenches = [six(applied.wrenches.get(body.label, (zero, zero))) for body in mechanism.bodies]
    found = {_FORCES: applied.joints, _WRENCH: wrenches}
    return Beforehand("force elements", "force_elements", (mechanism.q, mechanism.v, *mechanism.extra_inputs), found)


def _outward(mechanism: Mechanism, speeds: bool, rates: bool, before: Beforehand | None) -> Recursion:
    """Accelerations of the bodies and the wrenches that they take, less those of force elements."""

    def step(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        body = bodies[0]
        zero = Scalar(body.motion.graph, 0)
        still = (zero,) * len(body.v)
        carried = given["motion"]
        carrier = BodyAcceleration(
            vector(carried[0:3]),
            vector(carried[3:6]),
            vector(carried[6:9]),
            (vector(carried[9:12]), vector(carried[12:15]), vector(carried[15:18])),
        )
        velocity = body_velocity(body, tuple(given["v"]) if speeds else still, carrier.omega)
        bias = velocity.angular_bias, velocity.linear_bias
        moved = body_acceleration(body, tuple(given["vdot"]) if rates else still, carrier, velocity.angular, bias)
        wrench = inertial_wrench(body.inertia, moved.omega, moved.angular, moved.turning, moved.linear)
        if before is not None:
            wrench = difference_of(wrench, motion_of(given[_WRENCH]))
        motion = [*moved.omega, *moved.angular, *moved.linear, *(entry for row in moved.turning for entry in row)]
        return {"motion": motion, "wrench": six(wrench)}

    zero = Scalar(mechanism.graph, 0)
    ground = (*[zero] * 6, *negate(mechanism.gravity), *[zero] * 9)
    arguments = ("q", *["v"] * speeds, *["vdot"] * rates)
    title = "accelerations and inertial wrenches, outward"
    acting = () if before is None else (_WRENCH,)
    return Recursion(title, step, "motion", _MOTION, ground, given=acting, keeps=("wrench",), arguments=arguments)


def _forces(body: TreeBody, given: Values, rates: bool) -> tuple[tuple[Scalar, ...], list[Scalar], list[Scalar]]:
    """Generalised forces of the joint, the wrench that passes it, and what the body hands on to its parent."""
    total = [a + b for a, b in zip(given["wrench"], given["push"], strict=True)]
    wrench = motion_of(total)
    still = (Scalar(body.motion.graph, 0),) * len(body.v)
    forces = joint_forces(body, wrench, tuple(given["vdot"]) if rates else still, tuple(given.get(_FORCES, ())))
    return forces, total, six(body.placement.wrench_to_parent(*wrench))


def roll_inverse_dynamics(contract: Contract, speeds: bool, rates: bool, mechanism: Mechanism) -> Program:
    """Recursive Newton-Euler algorithm, also of a mechanism whose speeds do not change, and of one at rest."""
    (result,) = (each.name for each in contract.results)
    variant = for_forces(mechanism)
    before = _force_elements(variant) if speeds else None
    geared = rates and any(entry for body in mechanism.bodies for entry in body.armature)

    def step(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        forces, _, push = _forces(bodies[0], given, geared)
        return {result: forces, "push": push}

    inward = Recursion(
        "joint wrenches and generalised forces, inward",
        step,
        "push",
        6,
        takes=("wrench",),
        given=_given(before),
        arguments=("vdot",) if geared else (),
        results={result: of_speeds},
    )
    head = head_of(contract, mechanism, "recursive Newton-Euler")
    return rolled_up(head, [variant], [_outward(variant, speeds, rates, before), inward], before=before)


def _given(before: Beforehand | None) -> tuple[str, ...]:
    return () if before is None else (_FORCES,)


@dataclass(frozen=True, slots=True)
class _Eliminated:
    """What a body's joint leaves, and the wrench that passes it while the speeds stay as they are."""

    pivots: list[Pivot]
    seen: Seen
    wrench: list[Scalar]
    handed: list[Scalar]


def _eliminated(bodies: tuple[TreeBody, ...], given: Values) -> _Eliminated:
    """The articulated-body algorithm for a body behind the recursive Newton-Euler algorithm for the bias forces.

    The first six entries that are handed on are the wrench of the bias forces, the others articulated inertia and bias
    wrench.
    """
    handed = given["articulated"]
    push = {**given, "push": handed[:6]}
    bias, total, pushed = _forces(bodies[0], push, rates=False)
    body = bodies[-1]
    inertia = ArticulatedInertia.of_rigid(body.inertia) + ArticulatedInertia.of_entries(handed[6 : 6 + INERTIA_ENTRIES])
    moving = tuple(f - h for f, h in zip(given["tau"], bias, strict=True))
    pivots, seen = eliminated(body, inertia, list(handed[6 + INERTIA_ENTRIES :]), moving, regular=True)
    return _Eliminated(pivots, seen, total, [*pushed, *entries_handed_on(body, seen)])


def _rates(body: TreeBody, given: Values, state: list[Scalar]) -> Values:
    """vdot of a body's joint, and its acceleration, which is handed on."""
    rates, state = joint_rates(body, pivots_of(body, given["pivots"]), state)
    return {"vdot": rates, "pushed": state}


def _articulated_inward(step: StepFunction, keeps: tuple[str, ...], before: Beforehand | None) -> Recursion:
    return Recursion(
        "articulated inertias and bias wrenches, inward",
        step,
        "articulated",
        12 + INERTIA_ENTRIES,
        takes=("wrench",),
        given=_given(before),
        keeps=keeps,
        arguments=("tau",),
    )


def roll_forward_dynamics(mechanism: Mechanism) -> Program | None:
    """Articulated-body algorithm behind the recursive Newton-Euler algorithm for the bias forces."""
    if not never_singular(mechanism):
        return None
    variants = [for_forces(mechanism), for_mass_matrix(mechanism)]
    before = _force_elements(variants[0])

    def inward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        found = _eliminated(bodies, given)
        return {"articulated": found.handed, "pivots": entries_of(found.pivots)}

    def outward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        return _rates(bodies[1], given, carried_motion(bodies[1], given["pushed"]))

    rest = (Scalar(mechanism.graph, 0),) * 6
    title = "accelerations, outward"
    return rolled_up(
        head_of(FORWARD_DYNAMICS, mechanism, "articulated bodies"),
        variants,
        [
            _outward(variants[0], True, False, before),
            _articulated_inward(inward, ("pivots",), before),
            Recursion(title, outward, "pushed", 6, rest, takes=("pivots",), results={"vdot": of_speeds}),
        ],
        before=before,
    )


def roll_joint_wrenches(mechanism: Mechanism) -> Program | None:
    """The wrench that keeps the speeds constant and that of the remaining motion, body by body, in joints' frames."""
    if not never_singular(mechanism):
        return None
    before = _force_elements(mechanism)

    def inward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        found = _eliminated(bodies, given)
        inertia = ArticulatedInertia.of_rows(found.seen.rows)
        bias = [a + b for a, b in zip(found.seen.bias, found.wrench, strict=True)]
        kept = {"pivots": entries_of(found.pivots), "inertia": inertia.entries(), "bias": bias}
        return {"articulated": found.handed, **kept}

    def outward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        body = bodies[0]
        state = carried_motion(body, given["pushed"])
        rows = ArticulatedInertia.of_entries(given["inertia"]).rows()
        wrench = [p + dot(row, state) for row, p in zip(rows, given["bias"], strict=True)]
        seen = six(user_wrench(body, motion_of(wrench)))
        return {"wrenches": seen, "pushed": _rates(body, given, state)["pushed"]}

    recursions = [
        _outward(mechanism, True, False, before),
        _articulated_inward(inward, ("pivots", "inertia", "bias"), before),
        Recursion(
            "accelerations and joint wrenches, outward",
            outward,
            "pushed",
            6,
            (Scalar(mechanism.graph, 0),) * 6,
            takes=("pivots", "inertia", "bias"),
            results={"wrenches": lambda body: (6 * (body.label - 1),)},
        ),
    ]
    head = head_of(JOINT_WRENCHES, mechanism)
    return rolled_up(head, [mechanism], recursions, frame="wrench_frame", before=before)

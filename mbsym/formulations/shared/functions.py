"""Inverse and forward dynamics of a tree as rolled programs: the recursions of ``recursive``, body by body.

They hold for trees whose joints move independently of each other, without force elements, whose constants are numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from mbsym.formulations.contracts import (
    BIAS_FORCE,
    FORWARD_DYNAMICS,
    GRAVITY_FORCE,
    INVERSE_DYNAMICS,
    Contract,
    Derived,
)
from mbsym.formulations.recursive.articulated_body import Pivot, eliminated, handed_on, joint_rates
from mbsym.formulations.recursive.newton_euler import inertial_wrench, joint_forces
from mbsym.formulations.regular_mass import never_singular
from mbsym.formulations.shared.sweeps import Recursion, Values, rolled_up
from mbsym.kinematics.equivalents import for_forces, for_mass_matrix
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import BodyAcceleration, body_acceleration, body_velocity
from mbsym.spatial.inertia import ArticulatedInertia
from mbsym.spatial.vector import Vector3, negate
from mbsym.symbolic.program import Program
from mbsym.symbolic.rolled import RolledProgram
from mbsym.symbolic.scalar import Scalar

_MOTION: Final = 18
_INERTIA: Final = 21

RollFunction = Callable[[Mechanism], RolledProgram | None]
"""A function as a rolled program; None where this one cannot be made."""


def _outward(mechanism: Mechanism, speeds: bool, rates: bool) -> Recursion:
    """Accelerations of the bodies and the wrenches that they take."""

    def step(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        body = bodies[0]
        zero = Scalar(body.motion.graph, 0)
        still = (zero,) * len(body.v)
        carried = given["motion"]
        carrier = BodyAcceleration(
            _vector(carried[0:3]),
            _vector(carried[3:6]),
            _vector(carried[6:9]),
            (_vector(carried[9:12]), _vector(carried[12:15]), _vector(carried[15:18])),
        )
        velocity = body_velocity(body, tuple(given["v"]) if speeds else still, carrier.omega)
        bias = velocity.angular_bias, velocity.linear_bias
        moved = body_acceleration(body, tuple(given["vdot"]) if rates else still, carrier, velocity.angular, bias)
        moment, force = inertial_wrench(body.inertia, moved.omega, moved.angular, moved.turning, moved.linear)
        motion = [*moved.omega, *moved.angular, *moved.linear, *(entry for row in moved.turning for entry in row)]
        return {"motion": motion, "wrench": [*moment, *force]}

    zero = Scalar(mechanism.graph, 0)
    ground = (*[zero] * 6, *negate(mechanism.gravity), *[zero] * 9)
    arguments = ("q", *["v"] * speeds, *["vdot"] * rates)
    title = "accelerations and inertial wrenches, outward"
    return Recursion(title, step, "motion", _MOTION, ground, keeps=("wrench",), arguments=arguments)


def _forces(body: TreeBody, given: Values, rates: bool) -> tuple[tuple[Scalar, ...], list[Scalar]]:
    """Generalised forces of the joint, and what the body hands on to its parent."""
    total = [a + b for a, b in zip(given["wrench"], given["push"], strict=True)]
    moment, force = _vector(total[:3]), _vector(total[3:])
    still = (Scalar(body.motion.graph, 0),) * len(body.v)
    forces = joint_forces(body, (moment, force), tuple(given["vdot"]) if rates else still)
    n, f = body.placement.wrench_to_parent(moment, force)
    return forces, [*n, *f]


def _roll_inverse_dynamics(
    contract: Contract, result: str, speeds: bool, rates: bool, mechanism: Mechanism
) -> RolledProgram | None:
    """Recursive Newton-Euler algorithm, also of a mechanism whose speeds do not change, and of one at rest."""
    if not _is_plain(mechanism):
        return None
    variant = for_forces(mechanism)
    geared = rates and any(entry for body in mechanism.bodies for entry in body.armature)

    def step(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        forces, push = _forces(bodies[0], given, geared)
        return {result: forces, "push": push}

    inward = Recursion(
        "joint wrenches and generalised forces, inward",
        step,
        "push",
        6,
        takes=("wrench",),
        arguments=("vdot",) if geared else (),
        results=(result,),
    )
    head = _head(contract, mechanism, "recursive Newton-Euler, bodies of a kind share their steps")
    return rolled_up(head, [variant], [_outward(variant, speeds, rates), inward])


def _roll_forward_dynamics(mechanism: Mechanism) -> RolledProgram | None:
    """Articulated-body algorithm behind the recursive Newton-Euler algorithm for the bias forces."""
    if not _is_plain(mechanism) or not never_singular(mechanism):
        return None
    variants = [for_forces(mechanism), for_mass_matrix(mechanism)]

    def inward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        """The first six entries are the wrench of the bias forces, the others articulated inertia and bias wrench."""
        handed = given["articulated"]
        bias, push = _forces(bodies[0], {"wrench": given["wrench"], "push": handed[:6]}, rates=False)
        body = bodies[1]
        inertia = ArticulatedInertia.of_rigid(body.inertia) + _inertia(handed[6 : 6 + _INERTIA])
        moving = tuple(f - h for f, h in zip(given["tau"], bias, strict=True))
        pivots, seen = eliminated(body, inertia, list(handed[6 + _INERTIA :]), moving, regular=True)
        carried, bias_wrench = handed_on(body, seen)
        entries = [Scalar(body.motion.graph, 0)] * _INERTIA if carried is None else _inertia_entries(carried)
        kept = [entry for pivot in pivots for entry in (*pivot.gain, pivot.offset)]
        return {"articulated": [*push, *entries, *bias_wrench], "pivots": kept}

    def outward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        body, kept = bodies[1], given["pivots"]
        pivots = [
            Pivot([*angular, *linear], list(kept[7 * k : 7 * k + 6]), kept[7 * k + 6])
            for k, (angular, linear) in enumerate(body.columns)
        ]
        moved = body.placement.twist_to_child(_vector(given["pushed"][:3]), _vector(given["pushed"][3:]))
        rates, state = joint_rates(body, pivots, [*moved[0], *moved[1]])
        return {"vdot": rates, "pushed": state}

    rest = (Scalar(mechanism.graph, 0),) * 6
    head = _head(FORWARD_DYNAMICS, mechanism, "articulated bodies, bodies of a kind share their steps")
    return rolled_up(
        head,
        variants,
        [
            _outward(variants[0], speeds=True, rates=False),
            Recursion(
                "articulated inertias and bias wrenches, inward",
                inward,
                "articulated",
                12 + _INERTIA,
                takes=("wrench",),
                keeps=("pivots",),
                arguments=("tau",),
            ),
            Recursion("accelerations, outward", outward, "pushed", 6, rest, takes=("pivots",), results=("vdot",)),
        ],
    )


def _is_plain(mechanism: Mechanism) -> bool:
    """True where nothing but joints and gravity acts between bodies, and each joint has coordinates of its own."""
    model = mechanism.model
    return not (mechanism.is_coupled or model.forces or mechanism.cut_joints or model.constraints)


def _head(contract: Contract, mechanism: Mechanism, how: str) -> Program:
    """Arguments and results, with zeros for these."""
    zero = Scalar(mechanism.graph, 0)
    return contract.program(mechanism, Derived([zero] * mechanism.nv, how))


def _vector(entries: Sequence[Scalar]) -> Vector3:
    x, y, z = entries
    return x, y, z


def _inertia(entries: Sequence[Scalar]) -> ArticulatedInertia:
    a, c, b = entries[:6], entries[15:21], [_vector(entries[k : k + 3]) for k in (6, 9, 12)]
    return ArticulatedInertia(
        (a[0], a[1], a[2], a[3], a[4], a[5]), (b[0], b[1], b[2]), (c[0], c[1], c[2], c[3], c[4], c[5])
    )


def _inertia_entries(inertia: ArticulatedInertia) -> list[Scalar]:
    return [*inertia.angular, *(entry for row in inertia.coupling for entry in row), *inertia.linear]


SHARED_FUNCTIONS: Final[Mapping[str, RollFunction]] = {
    FORWARD_DYNAMICS.name: _roll_forward_dynamics,
    INVERSE_DYNAMICS.name: partial(_roll_inverse_dynamics, INVERSE_DYNAMICS, "tau", True, True),
    BIAS_FORCE.name: partial(_roll_inverse_dynamics, BIAS_FORCE, BIAS_FORCE.results[0].name, True, False),
    GRAVITY_FORCE.name: partial(_roll_inverse_dynamics, GRAVITY_FORCE, GRAVITY_FORCE.results[0].name, False, False),
}
"""Functions that bodies of one kind can share steps of, by name."""

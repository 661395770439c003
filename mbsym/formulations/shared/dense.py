"""Mass matrices and Jacobians of trees as programs with loops: sweeps along the tree, and then a loop over pairs.

What a pair of bodies or speeds needs is found along the tree in base axes, so that what is computed for each pair is
short and the same for all. Moments are about points of the bodies, and only differences of places occur: nothing large
cancels however far from the base a body is.
"""

from __future__ import annotations

from mbsym.formulations.contracts import BODY_JACOBIANS, MASS_MATRIX
from mbsym.formulations.shared.heads import head_of, vector
from mbsym.formulations.shared.placed import POSE, entries_of, in_base, placed, placed_on, still_base
from mbsym.formulations.shared.recursion import Pairing, Recursion, Values
from mbsym.formulations.shared.sweeps import rolled_up
from mbsym.joints.motion import motion_of, power, six
from mbsym.kinematics.equivalents import for_mass_matrix
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.spatial.inertia import RIGID_ENTRIES, RigidInertia
from mbsym.spatial.vector import add, cross, subtract
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Program, Target
from mbsym.symbolic.scalar import Scalar


def roll_mass_matrix(mechanism: Mechanism) -> Program:
    """Composite bodies; the wrench that each speed's rate takes is projected on all speeds inward of it."""
    variant = for_mass_matrix(mechanism)
    n = mechanism.nv

    def inward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        body = bodies[0]
        inertia = body.inertia + RigidInertia.of_entries(given["composite"])
        wrenches = [inertia.times(*column) for column in body.columns]
        diagonal = [
            power(column, wrench) + armature
            for column, wrench, armature in zip(body.columns, wrenches, body.armature, strict=True)
        ]
        moved = inertia.to_parent(body.rotation, body.translation)
        return {
            "M": diagonal,
            "wrenches": [entry for wrench in wrenches for entry in six(wrench)],
            "composite": moved.entries(),
        }

    def outward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        body, wrenches = bodies[0], given["wrenches"]
        frame = placed_on(body, placed(given["pose"]))
        turned = []
        for k in range(len(body.columns)):
            moment, force = motion_of(wrenches[6 * k : 6 * k + 6])
            turned += [*frame.rotation.to_parent(moment), *frame.rotation.to_parent(force)]
        return {
            "pose": entries_of(frame),
            "wrench": turned,
            "axis": in_base(body, frame),
            "origin": list(frame.translation),
        }

    def entry(_: Graph, given: Values) -> list[Scalar]:
        moment, force = motion_of(given["outer_wrench"])
        lever = subtract(vector(given["outer_origin"]), vector(given["inner_origin"]))
        return [power(motion_of(given["inner_axis"]), (add(moment, cross(lever, force)), force))]

    return rolled_up(
        head_of(MASS_MATRIX, mechanism, "composite bodies"),
        [variant],
        [
            Recursion(
                "composite inertias, inward",
                inward,
                "composite",
                RIGID_ENTRIES,
                keeps=("wrenches",),
                arguments=("q",),
                results={"M": lambda body: tuple(k * (n + 1) for k in range(*body.v_range))},
            ),
            Recursion(
                "places and axes, outward",
                outward,
                "pose",
                POSE,
                still_base(mechanism),
                takes=("wrenches",),
                pools={"wrench": 6, "axis": 6, "origin": 3},
            ),
        ],
        Pairing(
            "mass matrix, each speed with those inward of it",
            "entry",
            entry,
            ("wrench", "origin"),
            ("axis", "origin"),
            False,
            ((Target("M"), lambda c: n * c, lambda r: r), (Target("M"), lambda c: c, lambda r: n * r)),
        ),
    )


def roll_body_jacobians(mechanism: Mechanism) -> Program:
    """Axes of all joints, and what they do to each body's frame."""
    n = mechanism.nv

    def outward(bodies: tuple[TreeBody, ...], given: Values) -> Values:
        body = bodies[0]
        frame = placed_on(body, placed(given["pose"]))
        return {
            "pose": entries_of(frame),
            "frame": entries_of(frame.then(body.user_frame.inverse())),
            "axis": in_base(body, frame),
            "origin": list(frame.translation),
        }

    def column(_: Graph, given: Values) -> list[Scalar]:
        frame, (omega, linear) = placed(given["outer_frame"]), motion_of(given["inner_axis"])
        lever = subtract(frame.translation, vector(given["inner_origin"]))
        moved = add(linear, cross(omega, lever))
        return [*frame.rotation.to_child(omega), *frame.rotation.to_child(moved)]

    return rolled_up(
        head_of(BODY_JACOBIANS, mechanism),
        [mechanism],
        [
            Recursion(
                "places and axes, outward",
                outward,
                "pose",
                POSE,
                still_base(mechanism),
                pools={"frame": POSE, "axis": 6, "origin": 3},
                arguments=("q",),
            )
        ],
        Pairing(
            "Jacobians, each body with the speeds inward of it",
            "column",
            column,
            ("frame",),
            ("axis", "origin"),
            True,
            ((Target("jacobians", n), lambda body: 6 * n * body, lambda r: r),),
        ),
        frame="user_frame",
    )

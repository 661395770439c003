"""Base parameters: moments of mass that a joint does not feel are moved to the body inboard of it.

What turns about an axis has the same effect with its mass, its first moment along the axis and its second moment along
the axis on the other side of the joint; of what slides the second moments may be, and so on for each type of joint.
Seven of ten parameters stay on a body behind a revolute joint, four of one behind a prismatic joint, none of one that
is fixed.

What a moment does in a motion is told by the kinetic energy T = (m v.v)/2 + v.(w x h) + (w.I w)/2 of its body S, whose
frame has the twist [w; v] at the origin O of the joint's frame on S, and by the weight's energy -(m p_O + R h).g. It
may move to P, the joint's frame inboard, where both are what they would be of a body at rest in P:

* the second moment c along z, I = diag(c, c, 0), where S turns about z of P or not at all: wx^2 + wy^2 is that of P,
  whatever slides, since m and h are zero;
* all second moments, where S does not turn in P: w is that of P in the same axes;
* the mass, I and h zero, where O stays in one point of P: v is that of P there;
* the first moment along z, where O stays and z too: h is the same vector in P;
* everything, where S and P are one.

The types of joint say which (``unfelt``). After a second moment c = (Ixx + Iyy - Izz)/2 has left, and only then,
Ixx + Iyy = Izz.

Generalised forces, the mass matrix and the kinetic energy stay the same. Forces in joints, momentum and the centre of
mass do not, and need the true bodies; nor need the bodies that are left be possible ones.

Source: M. Gautier, W. Khalil, Direct calculation of minimum set of inertial parameters of serial robots, 1990.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from mbsym.joints.record import Moment
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.placement import rounded
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.vector import Symmetric3, subtract, zero_vector
from mbsym.symbolic.scalar import Scalar

MOST_BITS: Final = 1 << 13
"""Constants with longer fractions are rounded: along a chain in general directions they grow by some hundred bits with
each joint. What is rounded can no longer be compared exactly."""

Share: TypeAlias = Literal["xx", "yy", "second moment"]
"""How much Ixx = Iyy moves across a turning joint is free. Ixx or Iyy leave a zero; the second moment along the axis
leaves Ixx + Iyy = Izz, so that Euler's equations need sums that the motion of points of the body needs too."""


def regrouped(mechanism: Mechanism, *, to_turn: bool = False, keeping: Container[int] = ()) -> Mechanism:
    """The same mechanism with all that a joint does not feel moved inward; what reaches ground is left out.

    Args:
        mechanism: of any tree joints.
        to_turn: for Euler's equations, in which another share of the second moments is better moved.
        keeping: labels of bodies from which nothing moves, so that their inertias stay those of possible bodies.
    """
    inertias = {body.label: body.inertia for body in mechanism.bodies}
    weighed = to_turn and mechanism.prepared and _turns_in_space(mechanism)
    with mechanism.graph.section("base parameters, inward"):
        for body in reversed(mechanism.bodies):
            if body.label in keeping:
                continue
            share = _share(mechanism, body, inertias[body.label], to_turn, weighed)
            unfelt = body.joint.kind.unfelt
            moved = _unfelt(inertias[body.label], unfelt, share)
            left = _difference(inertias[body.label], moved)
            if "second moment zz" in unfelt and share == "second moment":
                left = _flat(left)
            inertias[body.label] = _tidy(left)
            if body.parent:
                # Where it ends does not depend on the joint's coordinates, which may as well be zero. Bodies on rigid
                # joints are in the same frame.
                if not body.joint.kind.is_rigid:
                    moved = moved.to_parent(body.inboard.rotation, body.inboard.translation)
                inertias[body.parent] = _tidy(inertias[body.parent] + moved)
    return replace(mechanism, bodies=tuple(replace(body, inertia=inertias[body.label]) for body in mechanism.bodies))


def _turns_in_space(mechanism: Mechanism) -> bool:
    """True where a joint's axis, on bodies that move, is not parallel to that of the joint inboard of it."""
    return any(abs(body.inboard.rotation.matrix()[2][2].ref) != 1 for body in mechanism.bodies if body.parent)


def _share(mechanism: Mechanism, body: TreeBody, inertia: RigidInertia, to_turn: bool, weighed: bool) -> Share:
    """The one with which fewest operations were counted.

    Args:
        mechanism, body: the body's mechanism, and the body.
        inertia: of it with what has been moved to it.
        to_turn: as for ``regrouped``.
        weighed: symbols are treated as numbers are. Where operations on parameters count too, "xx" takes fewest.
    """
    symbolic = any(entry.constant is None for entry in inertia.about_origin)
    if symbolic and not weighed:
        return "xx"
    if not to_turn:
        return "yy"
    points = [inertia.first_moment, *(mechanism.body(child).translation for child in body.children)]
    needed = any(point[k] for point in points for k in (0, 1))
    return "second moment" if needed or any(inertia.about_origin[3:]) else "xx"


def _unfelt(inertia: RigidInertia, moments: tuple[Moment, ...], share: Share) -> RigidInertia:
    """Those moments of mass alone."""
    zero = Scalar(inertia.mass.graph, 0)
    first = zero_vector(zero.graph)
    if "first moments" in moments:
        first = inertia.first_moment
    elif "first moment z" in moments:
        first = (zero, zero, inertia.first_moment[2])
    about: Symmetric3 = (zero,) * 6
    if "second moments" in moments:
        about = inertia.about_origin
    elif "second moment zz" in moments:
        along = _along(inertia.about_origin, share)
        about = (along, along, zero, zero, zero, zero)
    return RigidInertia(inertia.mass if "mass" in moments else zero, first, about)


def _along(inertia: Symmetric3, share: Share) -> Scalar:
    """The equal moments Ixx = Iyy that are moved."""
    xx, yy, zz, *_ = inertia
    if share == "second moment":
        return (xx + yy - zz) * Fraction(1, 2)
    return xx if share == "xx" else yy


def _flat(inertia: RigidInertia) -> RigidInertia:
    """The same inertia of what has no extent along z, with Izz told as Ixx + Iyy, which symbols do not show."""
    xx, yy, _, xy, xz, yz = inertia.about_origin
    return RigidInertia(inertia.mass, inertia.first_moment, (xx, yy, xx + yy, xy, xz, yz))


def _difference(a: RigidInertia, b: RigidInertia) -> RigidInertia:
    xx, yy, zz, xy, xz, yz = (x - y for x, y in zip(a.about_origin, b.about_origin, strict=True))
    return RigidInertia(a.mass - b.mass, subtract(a.first_moment, b.first_moment), (xx, yy, zz, xy, xz, yz))


def _tidy(inertia: RigidInertia) -> RigidInertia:
    xx, yy, zz, xy, xz, yz = (rounded(entry, MOST_BITS) for entry in inertia.about_origin)
    x, y, z = (rounded(entry, MOST_BITS) for entry in inertia.first_moment)
    return RigidInertia(rounded(inertia.mass, MOST_BITS), (x, y, z), (xx, yy, zz, xy, xz, yz))

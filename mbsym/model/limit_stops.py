"""Stops at the limits of a joint: what ``limits: {stop: ...}`` of a model file is."""

from __future__ import annotations

from mbsym.errors import ModelError
from mbsym.forces import JointStop
from mbsym.model.joint import GivenValues, Joint
from mbsym.values.given import several


def limit_stops(joint: Joint, stiffness: GivenValues, damping: GivenValues = 0) -> tuple[JointStop, ...]:
    """Returns a stop at each limit of the joint's coordinates, named ``JOINT_lower_stop`` and the like.

    Args:
        joint: that has the limits.
        stiffness: force per depth [N/m or N m]; one for all of its coordinates, or one for each.
        damping: part of that force per speed into the stop [s/m or s], likewise.

    Raises:
        ModelError: the joint has no limits of coordinates, or other numbers of values.
    """
    given = {"stiffness": several(stiffness), "damping": several(damping)}
    nq = joint.shape.nq
    for key, values in given.items():
        if len(values) not in (1, nq):
            what = f"{joint.type} joint {joint.name!r} has {nq} coordinates but {len(values)} entries of {key!r}"
            raise ModelError(what, where=key, remedy=f"give one or {nq}")
    if not joint.lower and not joint.upper:
        what = f"the stop of joint {joint.name!r} has no limit to stand at"
        raise ModelError(what, where="stop", remedy="give lower, upper or both")
    stops = []
    for index in range(nq):
        k, c = (values[index % len(values)] for values in given.values())
        tail = f"_{index + 1}" if nq > 1 else ""
        for side, limits in (("lower", joint.lower), ("upper", joint.upper)):
            if index < len(limits):
                stops.append(JointStop(f"{joint.name}_{side}_stop{tail}", joint.name, side, limits[index], k, c, index))
    return tuple(stops)

"""Joint weights: integers that say which joint of a loop is cut first. The heavier one is.

    w = 10 f + t + 1000 [reaction wanted] - 1000 [actuated] - 2000 [loaded] + g [touches ground]
        + 10^6 [force cut] - 10^6 [force tree]

f is the number of degrees of freedom and t orders the types of equal f, so spherical > universal > cylindrical >
revolute > prismatic; whoever knows joint types hands both in. Cutting a joint takes
away its f coordinates and adds 6 - f closure equations; the cut set of greatest total f therefore leaves the fewest
coordinates and the fewest closure equations, and the spanning tree of least total weight has that cut set. What acts
along a coordinate outranks a motor's mark, because a cut joint has no coordinate to act along; a mark outranks ground,
which outranks nothing but ties unless ground is asked to come first.

Source: Yuan, Zhang, Mao, Zhou: making a non-tree-shape mechanical system model to be a tree-shape system, section 3.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Literal

from mbsym.errors import TopologyError

FORCE_WEIGHT = 1_000_000
"""What a forced joint's weight is moved by; far above what every other term can add up to."""


@dataclass(frozen=True, slots=True)
class JointTraits:
    """What decides a joint's weight.

    Attributes:
        name: the joint's user name.
        dof: f, its degrees of freedom.
        tie_break: t, which orders joints of equal freedom, 0 to 9.
        actuated: a motor is said to sit there, so its coordinate should stay.
        loaded: a drive, spring, damper or rotor acts along the joint, for which its coordinate is needed.
        reaction_wanted: the constraint force is asked for, which the multipliers of a cut joint give directly.
        touches_ground: one of its bodies is the base.
        force: "cut" or "tree" to decide regardless of weight.
        weight: the user's own integer, in place of the formula (a force still applies).
    """

    name: Hashable
    dof: int
    tie_break: int = 0
    actuated: bool = False
    loaded: bool = False
    reaction_wanted: bool = False
    touches_ground: bool = False
    force: Literal["cut", "tree"] | None = None
    weight: int | None = None


@dataclass(frozen=True, slots=True)
class WeightPolicy:
    """Factors of the terms of the weight formula.

    Attributes:
        type: factor of 10 f + t (0 or 1).
        reaction: added for a wanted reaction.
        actuated: taken off for an actuated joint.
        loaded: taken off for a joint along which something acts.
        ground: g, added for a joint that touches ground.
    """

    type: int = 1
    reaction: int = 1000
    actuated: int = 1000
    loaded: int = 2000
    ground: int = 2


POLICIES: dict[str, WeightPolicy] = {
    "default": WeightPolicy(),
    "ground-first": WeightPolicy(ground=100),
    "type-only": WeightPolicy(reaction=0, actuated=0, loaded=0, ground=0),
    "input": WeightPolicy(type=0, reaction=0, actuated=0, loaded=0, ground=0),
}
"""Named policies. "default" lets ground break ties inside a class; "ground-first" cuts ground joints before any other
passive joint; "type-only" looks at nothing but the type; "input" gives every joint the same weight, so the order of
input decides."""


def joint_weight(traits: JointTraits, policy: WeightPolicy) -> int:
    """Returns the weight of one joint under a policy.

    Raises:
        TopologyError: ``force`` is no known word.
    """
    if traits.weight is not None:
        weight = traits.weight
    else:
        weight = policy.type * (10 * traits.dof + traits.tie_break)
        weight += policy.reaction * traits.reaction_wanted - policy.actuated * traits.actuated
        weight -= policy.loaded * traits.loaded
        weight += policy.ground * traits.touches_ground
    if traits.force is None:
        return weight
    if traits.force not in ("cut", "tree"):
        raise TopologyError(
            f"a joint cannot be forced to be {traits.force!r}", where=f"joint {traits.name}", remedy="say cut or tree"
        )
    return weight + (FORCE_WEIGHT if traits.force == "cut" else -FORCE_WEIGHT)


def joint_weights(joints: Iterable[JointTraits], policy: str | WeightPolicy = "default") -> dict[Hashable, int]:
    """Returns the weight of every joint by name.

    Args:
        joints: the joints' traits.
        policy: a key of POLICIES, or a policy of one's own.

    Raises:
        TopologyError: an unknown policy, or as ``joint_weight``.
    """
    if isinstance(policy, str):
        if policy not in POLICIES:
            raise TopologyError(
                f"there is no weight policy {policy!r}", where="policy", remedy=f"use one of {', '.join(POLICIES)}"
            )
        policy = POLICIES[policy]
    return {traits.name: joint_weight(traits, policy) for traits in joints}

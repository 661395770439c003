"""The constraint force algorithm from all ends at once: parts of a tree that threads take at the same time.

From the leaves inward the forces in joints are eliminated in the inertia form: what is outboard of a joint is an
articulated inertia, f = I^A a + p. From ground outward they are eliminated in the form with inverse inertias: what is
inboard of a body gives way to a wrench f at it, a = a_0 + Phi f. At a joint with the constraint directions W, rotors
among them, between a carrier with Phi_c, a_c (turned to the body's frame) and a body with I and p,

    S = W^T (Phi_c + I^-1) W        S F_S = W^T (a_c + c - Phi_c g - I^-1 (g - p)) - W^T I^-1 f,    g = H-bar tau
    Phi = I^-1 - I^-1 W S^-1 W^T I^-1

which is the elimination of that joint's block of A F = X in the order from ground. The body in the middle has nothing
outboard of it left: its acceleration is a_0. Then both halves follow from it, outward and inward.

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, section 2;
that ground is an end too is R. Featherstone, A divide-and-conquer articulated-body algorithm, 1999, joint by joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mbsym.formulations.constraint_force.block_system import BlockSystem, solve
from mbsym.formulations.constraint_force.joint_compliance import carried_sizes, compliance, why_singular
from mbsym.formulations.constraint_force.leaf_to_root import combined, functions_by
from mbsym.formulations.constraint_force.parts import Parts, divided
from mbsym.formulations.contracts import FORWARD_DYNAMICS
from mbsym.formulations.recursive.articulated_body import (
    Seen,
    carried_motion,
    eliminated,
    entries_handed_on,
    entries_of,
    joint_rates,
    pivots_of,
)
from mbsym.formulations.recursive.newton_euler import inertial_wrench
from mbsym.formulations.regular_mass import never_singular
from mbsym.formulations.shared.heads import head_of, is_plain, vector
from mbsym.formulations.shared.roles import Cast, Given, Place, Role, Stage, cast_in_roles
from mbsym.joints.motion import motion_of, six
from mbsym.kinematics.equivalents import for_elimination
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import joint_speeds, turning_matrix
from mbsym.kinematics.rotors import rotor_forces
from mbsym.kinematics.simplified import true
from mbsym.spatial.inertia import INERTIA_ENTRIES, ArticulatedInertia
from mbsym.spatial.rotation import Rotation
from mbsym.spatial.vector import add, cross, dot, negate, subtract, transpose, zero_vector
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar

FEWEST_PARTS: Final = 2
_WIDTH: Final = INERTIA_ENTRIES + 6
"""Entries of a symmetric 6 x 6 matrix with a vector: an articulated inertia and its bias, or Phi and a_0."""

OWN: Final = "own"
INBOARD: Final = "inboard"


# ---- written out -----------------------------------------------------------------------------------------------------


def from_all_ends(system: BlockSystem, parents: tuple[int, ...], right: list[Scalar]) -> list[Scalar]:
    """The solution of A F = X in the order of ``divided``: no block fills up."""
    order = divided(parents, FEWEST_PARTS).order()
    return solve(system, tuple((joint,) for joint in order), right)


CFA_PARALLEL_FUNCTIONS: Final = functions_by("constraint force algorithm from all ends", from_all_ends)
"""Functions of the catalogue that are derived from all ends, each operation written out."""


# ---- as steps of parts -----------------------------------------------------------------------------------------------


def forward_dynamics_in_parts(mechanism: Mechanism, threads: int) -> Program | None:
    """Forward dynamics whose parts threads can take; None where it cannot be made so.

    That is where something besides joints and gravity acts, where values are run-time parameters, where the mass
    matrix may be singular, and where a tree does not fall into two parts.

    Args:
        mechanism: a tree.
        threads: for how many it is divided, of which the code takes no more than there are parts; with none it knows
            nothing of threads, and is divided for two.
    """
    if not is_plain(mechanism) or not never_singular(mechanism):
        return None
    if mechanism.model.forces or rotor_forces(mechanism, joint_speeds(mechanism)) is not None:
        return None
    # Whether a body has an inverse inertia is asked of numbers, which is cheap, for those on the path alone.
    bodies = true(mechanism).bodies
    if any(entry.constant is None for body in bodies for entry in (body.inertia.mass, *body.inertia.about_origin)):
        return None
    carried = carried_sizes(true(mechanism))

    def may_lie_on_path(label: int) -> bool:
        return not why_singular(bodies[label - 1].inertia, carried=carried[label - 1])

    parts = divided(mechanism.labelling.inboard, threads or FEWEST_PARTS, may_lie_on_path)
    if len(parts.tasks) < FEWEST_PARTS:
        return None
    zero = Scalar(mechanism.graph, 0)
    head = head_of(FORWARD_DYNAMICS, mechanism, "constraint forces from all ends")
    still = [*[zero] * 3, *negate(mechanism.gravity)]
    ground = {"omega": [zero] * 3, "moved": still}
    if parts.path:
        ground["compliance"] = [*[zero] * INERTIA_ENTRIES, *still]
    handed = {"push": 6} if parts.path else {}
    variant = for_elimination(mechanism, frozenset(parts.path))
    # More threads than parts would start only to wait.
    useful = min(threads, len(parts.tasks))
    return cast_in_roles(head, variant, Cast(ground, {"articulated": _WIDTH}, handed), _stages(variant, parts), useful)


def _stages(mechanism: Mechanism, parts: Parts) -> list[Stage]:
    """Who does what when."""
    inner = frozenset(parts.path)
    serial = sorted({*inner, *parts.between})
    meeting: list[tuple[Role, int]] = [(RAKE, label) for label in reversed(parts.between)]
    meeting += _beside(mechanism, inner, MEET, MEET_NODE, parts.path[-1:])
    meeting += [(PULL, label) for label in parts.between]
    every = tuple(((POSITION, body.label),) for body in mechanism.bodies)
    return [
        Stage("positions of the joints", every),
        Stage("angular velocities between the parts", (tuple((SPIN, label) for label in serial),)),
        Stage("from all ends inward", tuple(_inward(mechanism, task, inner) for task in parts.tasks)),
        Stage("between the parts", (tuple(meeting),)),
        Stage("back to all ends", tuple(_outward(mechanism, task, parts.path) for task in parts.tasks)),
    ]


def _inward(mechanism: Mechanism, task: Sequence[int], inner: frozenset[int]) -> tuple[tuple[Role, int], ...]:
    """From the leaves and from ground toward the middle."""
    outer = [label for label in task if label not in inner]
    along = _beside(mechanism, inner, REACH, REACH_NODE, [label for label in task if label in inner])
    return (*((SPIN, label) for label in outer), *((RAKE, label) for label in reversed(outer)), *along)


def _outward(mechanism: Mechanism, task: Sequence[int], path: Sequence[int]) -> tuple[tuple[Role, int], ...]:
    """From the middle back to ground, and to the leaves."""
    back = path[::-1] if path and path[0] in task else ()
    along = _beside(mechanism, frozenset(path), RETURN, RETURN_NODE, back)
    return (*along, *((PULL, label) for label in task if label not in path))


def _beside(
    mechanism: Mechanism, inner: frozenset[int], role: Role, of_node: Role, labels: Sequence[int]
) -> list[tuple[Role, int]]:
    """A role of bodies on the path: of those that carry others besides it is that of nodes."""
    return [(role if inner.issuperset(mechanism.body(label).children) else of_node, label) for label in labels]


# ---- what a body does ------------------------------------------------------------------------------------------------


def _position(body: TreeBody, given: Given) -> Given:
    """What the joint's speeds do by themselves, and the directions that it holds and drives."""
    spaces = body.joint.kind.subspaces(body.motion, body.q, body.flipped)
    spin, slide = body.motion.twist(body.v)
    held = [entry for column in (*spaces.constraints, *spaces.forces) for entry in column]
    return {("rates", OWN): [*spin, *slide, *body.motion.bias[0], *body.motion.bias[1]], ("held", OWN): held}


def _spin(body: TreeBody, given: Given) -> Given:
    carried = body.rotation.to_child(vector(given["omega", INBOARD]))
    return {("omega", OWN): add(carried, vector(given["rates", OWN][:3]))}


def _drift(body: TreeBody, given: Given) -> list[Scalar]:
    """c: the body's acceleration but for X a_c + H vdot."""
    rates, omega, over = given["rates", OWN], vector(given["omega", OWN]), vector(given["omega", INBOARD])
    spin, slide = motion_of(rates[:6])
    carried = subtract(omega, spin)
    angular = add(vector(rates[6:9]), cross(carried, spin))
    linear = add(vector(rates[9:]), cross(add(omega, carried), slide))
    return [*angular, *add(linear, body.rotation.to_child(cross(over, cross(over, body.translation))))]


def _load(body: TreeBody, given: Given) -> list[Scalar]:
    """p of the body alone: the wrench that its speeds take."""
    zero, omega = zero_vector(body.motion.graph), vector(given["omega", OWN])
    return six(inertial_wrench(body.inertia, omega, zero, turning_matrix(omega, zero), zero))


def _loaded(body: TreeBody, given: Given) -> tuple[ArticulatedInertia, list[Scalar]]:
    """I and p of the body with all that it carries."""
    handed = given.get(("articulated", OWN))
    inertia, load = ArticulatedInertia.of_rigid(body.inertia), _load(body, given)
    if handed is None:
        return inertia, load
    return inertia + ArticulatedInertia.of_entries(handed[:INERTIA_ENTRIES]), [
        a + b for a, b in zip(load, handed[INERTIA_ENTRIES:], strict=True)
    ]


def _rake(body: TreeBody, given: Given) -> Given:
    inertia, load = _loaded(body, given)
    drift = _drift(body, given)
    pivots, seen = eliminated(body, inertia, load, tuple(given["tau"]), regular=True)
    bias = [p + dot(row, drift) for row, p in zip(seen.rows, seen.bias, strict=True)]
    return {
        ("pivots", OWN): entries_of(pivots),
        ("drift", OWN): drift,
        ("articulated", INBOARD): entries_handed_on(body, Seen(seen.rows, bias)),
    }


def _pull(body: TreeBody, given: Given) -> Given:
    moved = carried_motion(body, given["moved", INBOARD])
    rates, state = joint_rates(
        body, pivots_of(body, given["pivots", OWN]), [a + c for a, c in zip(moved, given["drift", OWN], strict=True)]
    )
    return {"vdot": rates, ("moved", OWN): state}


def _reach(body: TreeBody, given: Given) -> Given:
    """Phi and a_0 of the body, from those of its carrier."""
    inertia, load = _loaded(body, given)
    drift = _drift(body, given)
    inverse = _inverse(body, None if ("articulated", OWN) not in given else inertia)
    phi = _at_body(body, ArticulatedInertia.of_entries(given["compliance", INBOARD][:INERTIA_ENTRIES])).rows()
    carried = carried_motion(body, given["compliance", INBOARD][INERTIA_ENTRIES:])
    held, driven, rotors = _held(body, given)
    known = combined(driven, Scalar(body.motion.graph, 0))
    moving = [g - p for g, p in zip(known, load, strict=True)]
    free = [dot(row, moving) for row in inverse]
    gap = [a + c - dot(row, known) - b for a, c, row, b in zip(carried, drift, phi, free, strict=True)]
    both = [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(phi, inverse, strict=True)]
    sides = [[dot(row, w) for row in inverse] for w in held]
    right = [dot(w, gap) for w in held]
    rows = [[dot([dot(row, w) for row in both], u) for u in held] for w in held]
    for place, armature, force in rotors:
        rows[place][place] = rows[place][place] + 1 / armature
        right[place] = right[place] + force / armature
    inverses = _eliminate(rows, [[*side, entry] for side, entry in zip(sides, right, strict=True)])
    reached = list(free)
    for pivot, side in inverses:
        scaled = [entry * pivot for entry in side[:6]]
        inverse = [[x - s * side[k] for k, x in enumerate(row)] for row, s in zip(inverse, scaled, strict=True)]
        reached = [x + s * side[6] for x, s in zip(reached, scaled, strict=True)]
    return {
        ("compliance", OWN): [*_swapped_entries(inverse), *reached],
        ("moved", OWN): reached,
        ("push", OWN): [Scalar(body.motion.graph, 0)] * 6,
        ("drift", OWN): drift,
        ("load", OWN): load,
    }


def _return(body: TreeBody, given: Given) -> Given:
    """The wrench in the joint, the carrier's acceleration, and the rates between both."""
    inertia = ArticulatedInertia.of_rigid(body.inertia)
    if ("articulated", OWN) in given:
        inertia = inertia + ArticulatedInertia.of_entries(given["articulated", OWN][:INERTIA_ENTRIES])
    moved, push, load = given["moved", OWN], given["push", OWN], given["load", OWN]
    wrench = [dot(row, moved) + p - f for row, p, f in zip(inertia.rows(), load, push, strict=True)]
    n, f = body.placement.wrench_to_parent(*motion_of(wrench))
    onto = [*negate(n), *negate(f)]
    phi, still = given["compliance", INBOARD][:INERTIA_ENTRIES], given["compliance", INBOARD][INERTIA_ENTRIES:]
    carrier = [
        a + dot(row, onto) for row, a in zip(_swapped(ArticulatedInertia.of_entries(phi)).rows(), still, strict=True)
    ]
    relative = [a - b - c for a, b, c in zip(moved, carried_motion(body, carrier), given["drift", OWN], strict=True)]
    rates = []
    for force, column, armature, tau in zip(
        _columns(body, given)[1], body.columns, body.armature, given["tau"], strict=True
    ):
        rates.append((tau - dot(six(column), wrench)) / armature if armature else dot(force, relative))
    return {"vdot": rates, ("moved", INBOARD): carrier, ("push", INBOARD): onto}


_TAKEN: Final[tuple[Place, ...]] = (("rates", OWN), ("omega", INBOARD), ("omega", OWN))
_OF_CARRIER: Final[tuple[Place, ...]] = (*_TAKEN, ("held", OWN), ("compliance", INBOARD))
_RETURNED: Final[tuple[Place, ...]] = (
    ("held", OWN), ("drift", OWN), ("load", OWN), ("moved", OWN), ("push", OWN), ("compliance", INBOARD),
)  # fmt: skip
_CARRIED: Final[Place] = ("articulated", OWN)
_KEPT: Final[tuple[Place, ...]] = (("drift", OWN), ("load", OWN))
_INWARD: Final[tuple[Place, ...]] = (("moved", INBOARD), ("push", INBOARD))
_MET: Final[tuple[Place, ...]] = (("moved", OWN), ("push", OWN), *_KEPT)

POSITION: Final = Role(
    "position", "position of the joint", _position, (), (("rates", OWN), ("held", OWN)), ("q", "v")
)  # fmt: skip
SPIN: Final = Role("spin", "angular velocity", _spin, _TAKEN[:2], (("omega", OWN),))
RAKE: Final = Role(
    "rake", "articulated inertia, inward", _rake, (*_TAKEN, _CARRIED),
    (("pivots", OWN), ("drift", OWN), ("articulated", INBOARD)), ("tau",),
)  # fmt: skip
PULL: Final = Role(
    "pull", "accelerations, outward", _pull, (("pivots", OWN), ("drift", OWN), ("moved", INBOARD)),
    (("moved", OWN),), (), ("vdot",),
)  # fmt: skip
REACH: Final = Role(
    "reach", "constraint force from ground", _reach, _OF_CARRIER, (("compliance", OWN), *_KEPT), ("tau",)
)
REACH_NODE: Final = replace(REACH, name="reach_node", takes=(*_OF_CARRIER, _CARRIED))
MEET: Final = Role("meet", "constraint force in the middle", _reach, _OF_CARRIER, _MET, ("tau",))
MEET_NODE: Final = replace(MEET, name="meet_node", takes=(*_OF_CARRIER, _CARRIED))
RETURN: Final = Role("return", "accelerations, inward", _return, _RETURNED, _INWARD, ("tau",), ("vdot",))
RETURN_NODE: Final = replace(RETURN, name="return_node", takes=(*_RETURNED, _CARRIED))


# ---- matrices --------------------------------------------------------------------------------------------------------


def _columns(body: TreeBody, given: Given) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """W and H-bar of the joint."""
    entries = given["held", OWN]
    columns = [list(entries[k : k + 6]) for k in range(0, len(entries), 6)]
    count = len(columns) - len(body.v)
    return columns[:count], columns[count:]


def _held(
    body: TreeBody, given: Given
) -> tuple[list[list[Scalar]], list[tuple[Scalar, list[Scalar]]], list[tuple[int, Scalar, Scalar]]]:
    """Directions of unknown forces; known ones with those of theirs; places of rotors, their inertias and forces."""
    held, forces = _columns(body, given)
    driven: list[tuple[Scalar, list[Scalar]]] = []
    rotors: list[tuple[int, Scalar, Scalar]] = []
    for force, armature, tau in zip(forces, body.armature, given["tau"], strict=True):
        if armature:
            rotors.append((len(held), armature, tau))
            held = [*held, force]
        else:
            driven.append((tau, force))
    return held, driven, rotors


def _eliminate(rows: list[list[Scalar]], sides: list[list[Scalar]]) -> list[tuple[Scalar, list[Scalar]]]:
    """S = L D L^T: 1 / D and the right sides L^-1 R, unknown by unknown; S is positive definite."""
    found = []
    for k, own in enumerate(rows):
        inverse = 1 / own[k].never_zero()
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] * inverse
            for j in range(k + 1, i + 1):
                rows[i][j] = rows[j][i] = rows[i][j] - factor * rows[j][k]
            sides[i] = [x - factor * y for x, y in zip(sides[i], sides[k], strict=True)]
        found.append((inverse, sides[k]))
    return found


def _inverse(body: TreeBody, inertia: ArticulatedInertia | None) -> list[list[Scalar]]:
    """I^-1 of the body alone in closed form, or of it with what it carries."""
    graph = body.motion.graph
    if inertia is None:
        origin = zero_vector(graph)
        return [list(row) for row in compliance(body.inertia).between(origin, origin).rows()]
    unit = [[Scalar(graph, int(r == c)) for c in range(6)] for r in range(6)]
    found = [[Scalar(graph, 0)] * 6 for _ in range(6)]
    for pivot, side in _eliminate(inertia.rows(), unit):
        scaled = [entry * pivot for entry in side]
        for r in range(6):
            for c in range(r, 6):
                found[r][c] = found[c][r] = found[r][c] + scaled[r] * side[c]
    return found


def _at_body(body: TreeBody, phi: ArticulatedInertia) -> ArticulatedInertia:
    """X Phi X^T: how the place of the joint on the carrier gives way, in the body's frame.

    ``phi`` has linear and angular halves exchanged: so it moves like an inertia.
    """
    graph = body.motion.graph
    moved = phi.to_parent(Rotation(graph), negate(body.translation))
    return _swapped(moved.to_parent(body.rotation.inverse(), zero_vector(graph)))


def _swapped(inertia: ArticulatedInertia) -> ArticulatedInertia:
    """The same matrix with linear and angular halves exchanged."""
    return ArticulatedInertia(inertia.linear, transpose(inertia.coupling), inertia.angular)


def _swapped_entries(rows: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    return _swapped(ArticulatedInertia.of_rows(rows)).entries()

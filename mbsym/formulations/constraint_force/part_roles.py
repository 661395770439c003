"""What is done with a body of a tree in parts; ``in_parts`` says when.

Inside a part the forces in joints are eliminated in the inertia form: what is outboard of a joint is an articulated
inertia, I a + p. On a segment, a part with two handles, something more pulls with a wrench f at its last body, which
moves with a_h. At the segment's first body, which moves with a and takes the wrench w in its joint,

    w = I a + p - P f        a_h = P^T a + Lambda f + a_0

P carries a wrench inward, and Lambda says how the joints on the way give way to it. Both follow freedom by freedom from
the pivots d and gains k of the articulated inertia: with the lever e = h^T P, P <- P - k e, Lambda <- Lambda +
e^T e / d. Where two parts A and B are joined at the joint of B's first body, with the constraint directions W of it,
rotors among them, with C = I_B^-1, X the motion transform to that body, c what speeds add and g = H-bar tau, only the
forces F_S in this joint are unknown:

    S = W^T (X Lambda_A X^T + C) W
    S F_S = W^T (X (P_A^T a + a_0A) + c - X Lambda_A X^T g - C (g - p_B + P_B f))

which is the block of A F = X that eliminating all joints inside of both leaves. With D = W S^-1 W^T and Q = P_A X^T
both have become one part:

    I <- I_A + Q D Q^T        P <- Q D C P_B        Lambda <- Lambda_B + P_B^T (C - C D C) P_B

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, section 2;
R. Featherstone, A divide-and-conquer articulated-body algorithm for parallel O(log(n)) calculation of rigid-body
dynamics, 1999, for joining; P and Lambda are the propagators of K. Kreutz-Delgado, A. Jain, G. Rodriguez, Recursive
formulation of operational space control, 1992.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from mbsym.formulations.constraint_force.leaf_to_root import combined
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
from mbsym.formulations.recursive.newton_euler import inertial_wrench
from mbsym.formulations.shared.heads import vector
from mbsym.formulations.shared.roles import Given, Place, Role
from mbsym.joints.motion import motion_of, six
from mbsym.kinematics.mechanism import TreeBody
from mbsym.kinematics.recursion import turning_matrix
from mbsym.spatial.inertia import INERTIA_ENTRIES, ArticulatedInertia
from mbsym.spatial.rotation import Rotation
from mbsym.spatial.vector import add, cross, dot, negate, subtract, transpose, zero_vector
from mbsym.symbolic.scalar import Scalar

HANDED_WIDTH: Final = INERTIA_ENTRIES + 6
"""Entries of an articulated inertia and its bias."""

REACH_WIDTH: Final = 36 + INERTIA_ENTRIES + 6
"""Entries of P, Lambda and a_0."""

Rows = list[list[Scalar]]

OWN: Final = "own"
INBOARD: Final = "inboard"
INNER: Final = "inner"
OUTER: Final = "outer"


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


def _raked(body: TreeBody, given: Given) -> tuple[list[Pivot], Given]:
    inertia, load = _loaded(body, given)
    drift = _drift(body, given)
    pivots, seen = eliminated(body, inertia, load, tuple(given["tau"]), regular=True)
    bias = [p + dot(row, drift) for row, p in zip(seen.rows, seen.bias, strict=True)]
    return pivots, {
        ("pivots", OWN): entries_of(pivots),
        ("drift", OWN): drift,
        ("articulated", INBOARD): entries_handed_on(body, Seen(seen.rows, bias)),
    }


def _rake(body: TreeBody, given: Given) -> Given:
    return _raked(body, given)[1]


def _start(body: TreeBody, given: Given) -> Given:
    """The last body of a segment by itself: P is the unit matrix."""
    graph = body.motion.graph
    unit = [[Scalar(graph, int(r == c)) for c in range(6)] for r in range(6)]
    return {("reach", OWN): _Reach(unit, _zeros(body), [Scalar(graph, 0)] * 6).entries()}


def _along(body: TreeBody, given: Given) -> Given:
    """What a rake gives, and P, Lambda and a_0 with this joint's freedoms in them."""
    pivots, found = _raked(body, given)
    reach = _Reach.of(given["reach", OUTER])
    inward, gives_way, still = reach.inward, reach.gives_way, reach.still
    levers: list[Scalar] = []
    for pivot in pivots:
        assert pivot.inverse is not None
        lever = [dot(pivot.column, column) for column in zip(*inward, strict=True)]
        scaled = [entry * pivot.inverse for entry in lever]
        inward = _with_product(inward, [-k for k in pivot.gain], lever)
        gives_way = _with_square(gives_way, scaled, lever)
        still = [a + e * pivot.offset for a, e in zip(still, lever, strict=True)]
        levers += scaled
    columns = [list(column) for column in zip(*(_zeros(body) if body.leaves_parent else inward), strict=True)]
    still = [a + dot(column, found["drift", OWN]) for a, column in zip(still, columns, strict=True)]
    carried = [six(body.placement.wrench_to_parent(*motion_of(column))) for column in columns]
    handed = _Reach([list(row) for row in zip(*carried, strict=True)], gives_way, still)
    return {**found, ("levers", OWN): levers, ("reach", OUTER): handed.entries()}


def _pull(body: TreeBody, given: Given) -> Given:
    pivots = pivots_of(body, given["pivots", OWN])
    if ("levers", OWN) in given:
        push, levers = given["push", OUTER], iter(_sixes(given["levers", OWN]))
        pivots = [replace(pivot, offset=pivot.offset + dot(next(levers), push)) for pivot in pivots]
    moved = carried_motion(body, given["moved", INBOARD])
    rates, state = joint_rates(body, pivots, [a + c for a, c in zip(moved, given["drift", OWN], strict=True)])
    return {"vdot": rates, ("moved", OWN): state}


def _join(body: TreeBody, given: Given) -> Given:
    """Two parts as one, and what says how the constraint forces between them follow."""
    between = _between(body, given)
    inertia, wrench = _zeros(body), between.known
    for way in between.ways:
        inertia = _with_square(inertia, [entry * way.pivot for entry in way.inboard], way.inboard)
        wrench = [f + w * (way.pivot * way.force) for f, w in zip(wrench, way.direction, strict=True)]
    inward = [dot(row, wrench) for row in between.across]
    ways = [[*(w * way.pivot for w in way.direction), way.force, *way.inboard] for way in between.ways]
    gaps = []
    for column, armature in zip(_columns(body, given)[1], body.armature, strict=True):
        # Of a freedom with a rotor the rate is that of the rotor.
        if not armature:
            gaps += [dot(column, between.start), *(dot(column, row) for row in between.across)]
            gaps += [dot(row, column) for row in between.gives_way]
    found: dict[Place | str, Sequence[Scalar]] = {
        ("articulated", INNER): [*ArticulatedInertia.of_rows(inertia).entries(), *inward],
        ("ways", OWN): [entry for way in ways for entry in way],
        ("inverse", OWN): [*ArticulatedInertia.of_rows(between.inverse).entries(), *between.load],
        ("gaps", OWN): gaps,
    }
    return {**found, **_handed_outward(body, between, given, wrench)} if ("reach", OUTER) in given else found


def _handed_outward(body: TreeBody, between: _Between, given: Given, wrench: list[Scalar]) -> Given:
    """P, Lambda and a_0 of two parts as one, and what a wrench on the last body does at the joint between them."""
    reach = _Reach.of(given["reach", OUTER])
    columns = [list(column) for column in zip(*reach.inward, strict=True)]
    pulled = [[dot(row, column) for row in between.inverse] for column in columns]
    inward = _zeros(body)
    gives_way = [
        [x + dot(a, b) if r <= c else x for c, (x, b) in enumerate(zip(row, pulled, strict=True))]
        for r, (row, a) in enumerate(zip(reach.gives_way, columns, strict=True))
    ]
    levers: list[Scalar] = []
    for way in between.ways:
        lever = [dot(way.direction, column) for column in pulled]
        scaled = [entry * way.pivot for entry in lever]
        inward = _with_product(inward, way.inboard, scaled)
        gives_way = _with_square(gives_way, [-entry for entry in scaled], lever)
        levers += lever
    moved = [dot(row, [f - p for f, p in zip(wrench, between.load, strict=True)]) for row in between.inverse]
    still = [a + dot(column, moved) for a, column in zip(reach.still, columns, strict=True)]
    return {
        ("reach", OUTER): _Reach(inward, gives_way, still).entries(),
        ("pulled", OWN): [*levers, *(entry for column in pulled for entry in column)],
    }


def _back(body: TreeBody, given: Given) -> Given:
    """The constraint forces between two parts, the motion of the outboard one and the wrench on the inboard one."""
    _, driven, _ = _held(body, given)
    moved, push = given["moved", INNER], given.get(("push", OUTER))
    pulled = iter(_sixes(given.get(("pulled", OWN), ())))
    wrench = combined(driven, Scalar(body.motion.graph, 0))
    ways = given["ways", OWN]
    for k in range(0, len(ways), 13):
        force = ways[k + 6] + dot(ways[k + 7 : k + 13], moved)
        if push is not None:
            force = force - dot(next(pulled), push)
        wrench = [a + w * force for a, w in zip(wrench, ways[k : k + 6], strict=True)]
    inverse, load = given["inverse", OWN][:INERTIA_ENTRIES], given["inverse", OWN][INERTIA_ENTRIES:]
    net = [f - p for f, p in zip(wrench, load, strict=True)]
    state = [dot(row, net) for row in ArticulatedInertia.of_entries(inverse).rows()]
    if push is not None:
        for entry, pulling in zip(push, pulled, strict=True):
            state = [a + x * entry for a, x in zip(state, pulling, strict=True)]
    rates, gaps = list[Scalar](), iter(given["gaps", OWN])
    for driving, column, armature, tau in zip(
        _columns(body, given)[1], body.columns, body.armature, given["tau"], strict=True
    ):
        if armature:
            rates.append((tau - dot(six(column), wrench)) / armature)
            continue
        start, *rows = (next(gaps) for _ in range(13))
        rates.append(dot(driving, state) - (start + dot(rows[:6], moved)) + dot(rows[6:], wrench))
    n, f = body.placement.wrench_to_parent(*motion_of(wrench))
    return {"vdot": rates, ("moved", OWN): state, ("push", INBOARD): [*negate(n), *negate(f)]}


# ---- angular velocities ----------------------------------------------------------------------------------------------


def _turn(body: TreeBody, given: Given) -> Given:
    """The rotation to this body from what carries the segment, row by column, and its angular velocity on that."""
    rotation, spin = body.rotation, vector(given["rates", OWN][:3])
    if ("turn", INBOARD) not in given:
        return {
            ("turn", OWN): [*(entry for column in transpose(rotation.inverse().matrix()) for entry in column), *spin]
        }
    columns = [vector(given["turn", INBOARD][k : k + 3]) for k in (0, 3, 6, 9)]
    carried = [rotation.to_child(column) for column in columns]
    return {("turn", OWN): [*carried[0], *carried[1], *carried[2], *add(carried[3], spin)]}


def _turned(turn: Sequence[Scalar], a: Sequence[Scalar]) -> list[Scalar]:
    return [dot((turn[k], turn[3 + k], turn[6 + k]), a) for k in range(3)]


def _carry(body: TreeBody, given: Given) -> Given:
    turn = given["turn", OWN]
    return {("omega", OWN): [a + b for a, b in zip(_turned(turn, given["omega", INNER]), turn[9:], strict=True)]}


def _compose(body: TreeBody, given: Given) -> Given:
    """The turn of two neighbours as one."""
    outboard, inboard = given["turn", OWN], given["turn", INNER]
    columns = [_turned(outboard, inboard[k : k + 3]) for k in (0, 3, 6, 9)]
    spin = [a + b for a, b in zip(columns[3], outboard[9:], strict=True)]
    return {("turn", OWN): [*columns[0], *columns[1], *columns[2], *spin]}


# ---- roles -----------------------------------------------------------------------------------------------------------

_TAKEN: Final[tuple[Place, ...]] = (("rates", OWN), ("omega", INBOARD), ("omega", OWN))
_RAKED: Final[tuple[Place, ...]] = (*_TAKEN, ("articulated", OWN))
_GIVEN: Final[tuple[Place, ...]] = (("pivots", OWN), ("drift", OWN), ("articulated", INBOARD))
_PULLED: Final[tuple[Place, ...]] = (("pivots", OWN), ("drift", OWN), ("moved", INBOARD))
_JOINED: Final[tuple[Place, ...]] = (*_RAKED, ("held", OWN), ("reach", INBOARD))
_KEPT: Final[tuple[Place, ...]] = (("ways", OWN), ("inverse", OWN), ("gaps", OWN))
_KEPT_OUTWARD: Final[tuple[Place, ...]] = (("pulled", OWN),)
_BACK: Final[tuple[Place, ...]] = (("held", OWN), ("moved", INNER), *_KEPT)
_FOUND: Final[tuple[Place, ...]] = (("moved", OWN), ("push", INBOARD))

POSITION: Final = Role(
    "position", "position of the joint", _position, (), (("rates", OWN), ("held", OWN)), ("q", "v")
)  # fmt: skip
SPIN: Final = Role("spin", "angular velocity", _spin, _TAKEN[:2], (("omega", OWN),))
FIRST_TURN: Final = Role("first_turn", "turn on what carries the segment", _turn, _TAKEN[:1], (("turn", OWN),))
TURN: Final = replace(FIRST_TURN, name="turn", takes=(("rates", OWN), ("turn", INBOARD)))
COMPOSE: Final = Role(
    "compose", "turn of two parts as one", _compose, (("turn", OWN), ("turn", INNER)), (("turn", OWN),)
)  # fmt: skip
CARRY: Final = Role(
    "carry", "angular velocity behind a segment", _carry, (("turn", OWN), ("omega", INNER)), (("omega", OWN),)
)  # fmt: skip
RAKE: Final = Role("rake", "articulated inertia, inward", _rake, _RAKED, _GIVEN, ("tau",))
START: Final = Role("start", "last body of a segment", _start, (), (("reach", OWN),))
ALONG: Final = Role(
    "along", "articulated inertia and reach of a segment, inward", _along, (*_RAKED, ("reach", OUTER)),
    (*_GIVEN, ("levers", OWN), ("reach", OUTER)), ("tau",),
)  # fmt: skip
JOIN: Final = Role(
    "join", "two parts as one", _join, (*_JOINED, ("reach", OUTER)),
    (("articulated", INNER), *_KEPT, ("reach", OUTER), *_KEPT_OUTWARD), ("tau",),
)  # fmt: skip
JOIN_LAST: Final = Role(
    "join_last", "a segment and what it ends at as one", _join, _JOINED, (("articulated", INNER), *_KEPT), ("tau",)
)  # fmt: skip
BACK: Final = Role(
    "back", "constraint force between two parts", _back, (*_BACK, *_KEPT_OUTWARD, ("push", OUTER)), _FOUND,
    ("tau",), ("vdot",),
)  # fmt: skip
BACK_LAST: Final = Role(
    "back_last", "constraint force at the end of a segment", _back, _BACK, _FOUND, ("tau",), ("vdot",)
)  # fmt: skip
PULL: Final = Role("pull", "accelerations, outward", _pull, _PULLED, (("moved", OWN),), (), ("vdot",))
PULL_ALONG: Final = replace(
    PULL, name="pull_along", title="accelerations of a segment, outward",
    takes=(*_PULLED, ("levers", OWN), ("push", OUTER)),
)  # fmt: skip


# ---- matrices --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reach:
    """P, Lambda and a_0 of a segment."""

    inward: Rows
    gives_way: Rows
    still: list[Scalar]

    @classmethod
    def of(cls, entries: Sequence[Scalar]) -> _Reach:
        """The one with those entries."""
        gives_way = ArticulatedInertia.of_entries(entries[36 : 36 + INERTIA_ENTRIES])
        return cls(_sixes(entries[:36]), gives_way.rows(), list(entries[36 + INERTIA_ENTRIES :]))

    def entries(self) -> list[Scalar]:
        """What makes it up, ``REACH_WIDTH`` of them."""
        gives_way = ArticulatedInertia.of_rows(self.gives_way).entries()
        return [*(entry for row in self.inward for entry in row), *gives_way, *self.still]


@dataclass(frozen=True, slots=True)
class _Way:
    """A held direction of the joint between two parts behind S = L D L^T.

    Attributes:
        pivot: 1 / D.
        direction: of L^-1 W^T.
        force: L^-1 times the right side, but for what follows from a and f.
        inboard: of L^-1 W^T Q^T, what a unit of a adds to that.
    """

    pivot: Scalar
    direction: list[Scalar]
    force: Scalar
    inboard: list[Scalar]


@dataclass(frozen=True, slots=True)
class _Between:
    """The joint between two parts.

    Attributes:
        known: g.
        start: acceleration that the inboard part has there by itself, with c.
        across: Q, by rows.
        gives_way: X Lambda X^T.
        inverse: C.
        load: p of the outboard part.
        ways: the held directions.
    """

    known: list[Scalar]
    start: list[Scalar]
    across: Rows
    gives_way: Rows
    inverse: Rows
    load: list[Scalar]
    ways: list[_Way]


def _between(body: TreeBody, given: Given) -> _Between:
    zero = Scalar(body.motion.graph, 0)
    inertia, load = _loaded(body, given)
    inboard = _Reach.of(given["reach", INBOARD])
    across = [carried_motion(body, row) for row in inboard.inward]
    start = [a + c for a, c in zip(carried_motion(body, inboard.still), _drift(body, given), strict=True)]
    gives_way, inverse = _at_body(body, inboard.gives_way), _inverse(body, inertia)
    held, driven, rotors = _held(body, given)
    known = combined(driven, zero)
    free = [dot(row, [g - p for g, p in zip(known, load, strict=True)]) for row in inverse]
    gap = [a - dot(row, known) - b for a, row, b in zip(start, gives_way, free, strict=True)]
    both = [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(gives_way, inverse, strict=True)]
    sides = [[dot(row, w) for row in both] for w in held]
    rows = [[dot(side, u) for u in held] for side in sides]
    right = [[*w, dot(w, gap)] for w in held]
    for place, armature, force in rotors:
        rows[place][place] = rows[place][place] + 1 / armature
        right[place][6] = right[place][6] + force / armature
    ways = [
        _Way(pivot, side[:6], side[6], [dot(side[:6], row) for row in across])
        for pivot, side in _eliminate(rows, right)
    ]
    return _Between(known, start, across, gives_way, inverse, load, ways)


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


def _inverse(body: TreeBody, inertia: ArticulatedInertia) -> Rows:
    """I^-1."""
    unit = [[Scalar(body.motion.graph, int(r == c)) for c in range(6)] for r in range(6)]
    found = _zeros(body)
    for pivot, side in _eliminate(inertia.rows(), unit):
        found = _with_square(found, [entry * pivot for entry in side], side)
    return found


def _at_body(body: TreeBody, gives_way: Rows) -> Rows:
    """X Lambda X^T: how the place of the joint on the carrier gives way, in the body's frame.

    With linear and angular halves exchanged the matrix moves like an inertia.
    """
    graph = body.motion.graph
    moved = _swapped(ArticulatedInertia.of_rows(gives_way)).to_parent(Rotation(graph), negate(body.translation))
    return _swapped(moved.to_parent(body.rotation.inverse(), zero_vector(graph))).rows()


def _swapped(matrix: ArticulatedInertia) -> ArticulatedInertia:
    return ArticulatedInertia(matrix.linear, transpose(matrix.coupling), matrix.angular)


def _zeros(body: TreeBody) -> Rows:
    return [[Scalar(body.motion.graph, 0)] * 6 for _ in range(6)]


def _with_product(rows: Rows, a: Sequence[Scalar], b: Sequence[Scalar]) -> Rows:
    """The matrix plus a b^T."""
    return [[x + y * z for x, z in zip(row, b, strict=True)] for row, y in zip(rows, a, strict=True)]


def _with_square(rows: Rows, a: Sequence[Scalar], b: Sequence[Scalar]) -> Rows:
    """The symmetric matrix plus a b^T, where a and b are parallel; what is below its diagonal is not looked at."""
    return [
        [x + a[r] * b[c] if r <= c else rows[c][r] + a[c] * b[r] for c, x in enumerate(row)]
        for r, row in enumerate(rows)
    ]


def _sixes(entries: Sequence[Scalar]) -> Rows:
    return [list(entries[k : k + 6]) for k in range(0, len(entries), 6)]

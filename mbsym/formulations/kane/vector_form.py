"""M and h of a tree in vectors: axes, lever arms, centres of mass, angular velocities, accelerations, inertia dyads.

O_i is the origin of body i's frame at its inboard joint, C_i its centre of mass, c_i = C_i - O_i, p_i = O_i - O_parent.
e_j and d_j are what a unit speed of joint j makes of omega and of the velocity of O_j. The bodies i that joint j moves
are those with T_ji = -1:

    r_ij = C_i - O_j,   S_j = sum_i m_i r_ij,   m_j* = sum_i m_i
    P_j = e_j x S_j + m_j* d_j,   L_j = sum_i (J_i . e_j + m_i r_ij x (e_j x r_ij)) + S_j x d_j
    M_jk = e_j . (L_k + p_jk x P_k) + d_j . P_k,   p_jk = O_k - O_j,   j inboard of k or the same joint
    N_i = J_i . alpha_i + omega_i x (J_i . omega_i) - n_i,   F_i = m_i (a_i - g) - f_i   at vdot = 0
    h_j = e_j . sum_i (N_i + r_ij x F_i) + d_j . sum_i F_i - Q_j

P_j and L_j are momentum, and moment of momentum about O_j, of what joint j moves at unit speed; n_i, f_i and Q_j what
force elements do. A body whose first moment s_i cannot be written as its mass times a vector is taken about O_i.

Source: J. Wittenburg, Dynamics of Multibody Systems, 2nd edition, 2008, chapter 5; T. R. Kane, D. A. Levinson,
Dynamics: Theory and Applications, 1985, chapters 4 and 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final

from mbsym.formulations.applied_forces import AppliedForces, applied_forces
from mbsym.formulations.contracts import BIAS_FORCE, MASS_MATRIX
from mbsym.formulations.kane.closed_form import kane_rotors, point_of_reference
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import joint_speeds, poses
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Symmetric3, Vector3, cross, is_zero, name_components, subtract
from mbsym.spatial.vector_formula import (
    Formula,
    Name,
    Number,
    Space,
    Sum,
    Vector,
    applied,
    crossed,
    dotted,
    names_in,
    nothing,
    plus,
    times,
    total,
)
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar, constant

MOST_BODIES: Final = 3
"""What more bodies need of a joint has a name of its own."""


@dataclass(frozen=True, slots=True)
class Definition:
    """What a name stands for.

    Attributes:
        name: of a vector, a dyad, or a rotation.
        sentence: what it is.
        formula: in terms of what is defined before it; None where components are given.
        components: three of a vector, six of a dyad (xx, yy, zz, xy, xz, yz), nine of a rotation by rows.
        axes: whose axes the components are in: the user's name of a body.
    """

    name: str
    sentence: str
    formula: Formula | None = None
    components: tuple[Scalar, ...] = ()
    axes: str = ""


@dataclass(frozen=True, slots=True)
class VectorForm:
    """M or h in vectors.

    Attributes:
        name: "mass_matrix" or "bias_force".
        definitions: in order, of all that is named.
        entries: by place, of one index or two, from 0; those on and above the diagonal of M, without zeros.
        program: the values of all entries, row-major; the components in base axes of what is named are steps.
    """

    name: str
    definitions: tuple[Definition, ...]
    entries: Mapping[tuple[int, ...], Formula]
    program: Program


def vector_mass_matrix(mechanism: Mechanism) -> VectorForm:
    """M(q)."""
    names = _Names(mechanism)
    entries: dict[tuple[int, ...], _Entry] = {}
    for body in mechanism.bodies:
        for column, (place, ratio) in enumerate(mechanism.speed_of[body.label - 1]):
            momentum, moment = _momenta(names, body, column)
            for inner in names.path(body.label):
                arm = names.between(inner.label, body.label)
                turned = plus(moment, crossed(arm, momentum))
                inner_speeds = mechanism.speed_of[inner.label - 1]
                for other, (inner_place, inner_ratio) in enumerate(inner_speeds):
                    if inner.label == body.label and other > column:
                        continue
                    axis, slide = names.axes[inner.label][other]
                    factor = ratio * inner_ratio
                    if place == inner_place and (inner.label, other) != (body.label, column):
                        factor = factor + factor
                    key = (min(place, inner_place), max(place, inner_place))
                    own = entries.setdefault(key, _Entry(mechanism))
                    own.add(factor, dotted(axis, turned))
                    own.add(factor, dotted(slide, momentum))
    for place, rotor in enumerate(kane_rotors(mechanism)):
        entries.setdefault((place, place), _Entry(mechanism)).add_number(rotor)
    nv, zero = mechanism.nv, Scalar(mechanism.graph, 0)
    values = [[zero] * nv for _ in range(nv)]
    for (r, c), entry in entries.items():
        values[r][c] = values[c][r] = entry.value
    return names.form("mass_matrix", entries, MASS_MATRIX.program(mechanism, values))


def vector_bias_force(mechanism: Mechanism) -> VectorForm:
    """h(q, v)."""
    names = _Names(mechanism)
    forces = applied_forces(mechanism, joint_speeds(mechanism))
    wrenches = _inertial_wrenches(names, forces)
    entries: dict[tuple[int, ...], _Entry] = {}
    for body in mechanism.bodies:
        j = body.label
        outer = names.outboard(j)
        push = plus(*(wrenches[i][1] for i in outer))
        turn = plus(*(part for i in outer for part in (wrenches[i][0], crossed(names.arm(i, j), wrenches[i][1]))))
        if len(body.v) > 1 or len(outer) > MOST_BODIES:
            turn = names.derived(f"K_{j}", turn, f"moment about O_{j} that moves what {_of(body)} moves")
            push = names.derived(f"R_{j}", push, f"force that moves what {_of(body)} moves")
        for column, (place, ratio) in enumerate(mechanism.speed_of[j - 1]):
            axis, slide = names.axes[j][column]
            own = entries.setdefault((place,), _Entry(mechanism))
            own.add(ratio, dotted(axis, turn))
            own.add(ratio, dotted(slide, push))
            if forces is not None:
                own.add_number(-(ratio * forces.joints[j - 1][column]))
    values = [entries[k,].value if (k,) in entries else Scalar(mechanism.graph, 0) for k in range(mechanism.nv)]
    return names.form("bias_force", entries, BIAS_FORCE.program(mechanism, values))


def _of(body: TreeBody) -> str:
    return f"joint {body.joint.name}"


def _momenta(names: _Names, body: TreeBody, column: int) -> tuple[Vector, Vector]:
    """P_j and L_j."""
    j = body.label
    axis, slide = names.axes[j][column]
    bodies = [names.mechanism.body(i) for i in names.outboard(j)]
    graph = names.mechanism.graph
    moment = names.first_moment(j)
    mass = sum((each.inertia.mass for each in bodies), Scalar(graph, 0))
    parts: list[Vector] = []
    for each in bodies:
        arm, own = names.arm(each.label, j), names.own_moment[each.label]
        parts.append(names.inertia(each.label, axis))
        parts.append(times(each.inertia.mass, crossed(arm, crossed(axis, arm))))
        if own:
            parts += [crossed(own, crossed(axis, arm)), crossed(arm, crossed(axis, own))]
    mark = names.mark(body, column)
    momentum = plus(crossed(axis, moment), times(mass, slide))
    angular = plus(*parts, crossed(moment, slide))
    told = f"of what {_of(body)} moves at unit speed{names.suffix(body, column)}"
    return (
        names.derived(f"P_{mark}", momentum, f"momentum {told}"),
        names.derived(f"L_{mark}", angular, f"moment of momentum about O_{j} {told}"),
    )


def _inertial_wrenches(names: _Names, forces: AppliedForces | None) -> dict[int, tuple[Vector, Vector]]:
    """N_i and F_i by label."""
    mechanism = names.mechanism
    graph = mechanism.graph
    omega, alpha = {0: nothing(names.space)}, {0: nothing(names.space)}
    origin = {0: nothing(names.space)}
    gravity = names.gravity()
    found = {}
    for body, speeds in zip(mechanism.bodies, joint_speeds(mechanism), strict=True):
        i, parent = body.label, body.parent
        turning, sliding = (
            total(names.space, zip(speeds, (pair[half] for pair in names.axes[i]), strict=True)) for half in (0, 1)
        )
        omega[i] = names.derived(f"omega_{i}", plus(omega[parent], turning), f"angular velocity of {body.name}")
        alpha[i] = names.derived(
            f"alpha_{i}",
            plus(alpha[parent], crossed(omega[parent], turning), names.turning_bias(body)),
            f"angular acceleration of {body.name} where vdot = 0",
        )
        origin[i] = names.derived(
            f"A_{i}",
            plus(
                origin[parent],
                _swing(alpha[parent], omega[parent], names.step(i)) if parent else nothing(names.space),
                crossed(plus(omega[parent], omega[i]), sliding),
                names.sliding_bias(body),
            ),
            f"acceleration of O_{i} where vdot = 0",
        )
        center = names.derived(
            f"a_{i}",
            plus(origin[i], _swing(alpha[i], omega[i], names.center[i])),
            f"acceleration of C_{i} where vdot = 0",
        )
        falling = plus(center, times(constant(graph, -1), gravity))
        moment = plus(names.inertia(i, alpha[i]), crossed(omega[i], names.inertia(i, omega[i])))
        force = times(body.inertia.mass, falling)
        own = names.own_moment[i]
        if own:
            moment = plus(moment, crossed(own, falling))
            force = plus(force, _swing(alpha[i], omega[i], own))
        if forces is not None and i in forces.wrenches:
            n, f = forces.wrenches[i]
            n = subtract(n, cross(names.reference[i], f))
            minus = constant(graph, -1)
            about = f"O_{i}" if own else f"C_{i}"
            told = f"of force elements on {body.name}"
            moment = plus(moment, times(minus, names.given(f"n_{i}", n, i, f"moment {told} about {about}")))
            force = plus(force, times(minus, names.given(f"f_{i}", f, i, f"force {told}")))
        found[i] = (
            names.derived(f"N_{i}", moment, f"moment about C_{i} that the motion of {body.name} takes"),
            names.derived(f"F_{i}", force, f"force that the motion of {body.name} takes"),
        )
    return found


def _swing(alpha: Vector, omega: Vector, arm: Vector) -> Vector:
    """alpha x r + omega x (omega x r)."""
    return plus(crossed(alpha, arm), crossed(omega, crossed(omega, arm)))


class _Entry:
    """An entry of M or h on its way."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._one = constant(mechanism.graph, 1)
        self.terms: list[tuple[Scalar, Formula]] = []
        self.value = Scalar(mechanism.graph, 0)

    def add(self, factor: Scalar, found: tuple[Formula, Scalar] | None) -> None:
        """Adds a multiple of a dot product."""
        if found is not None and factor:
            self.terms.append((factor, found[0]))
            self.value = self.value + factor * found[1]

    def add_number(self, number: Scalar) -> None:
        """Adds a number."""
        if number:
            self.terms.append((self._one, Number(number)))
            self.value = self.value + number


@dataclass(slots=True)
class _Names:
    """The named vectors of a mechanism, made as they are asked for.

    Attributes:
        mechanism: whose they are.
        axes: e and d of each speed of each joint by label.
        center: c_i by label; the zero vector where O_i stands in for C_i.
        reference: its components in the internal frame.
        own_moment: s_i by label, the first moment about O_i of such a body.
    """

    mechanism: Mechanism
    frames: tuple[Transform, ...] = ()
    axes: dict[int, list[tuple[Vector, Vector]]] = field(default_factory=dict)
    center: dict[int, Vector] = field(default_factory=dict)
    reference: dict[int, Vector3] = field(default_factory=dict)
    own_moment: dict[int, Vector] = field(default_factory=dict)
    _dyads: dict[int, Symmetric3] = field(default_factory=dict)
    _made: dict[str, Vector] = field(default_factory=dict)
    space: Space = field(init=False)
    _defined: dict[str, Definition] = field(default_factory=dict)
    _taken: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.frames = poses(self.mechanism)
        graph = self.mechanism.graph
        self.space = Space(graph, (self.mechanism.q,))
        self._taken = frozenset(str(graph.arguments[k][0]) for k, kind in enumerate(graph.kinds) if kind == "symbol")
        for body in self.mechanism.bodies:
            i = body.label
            columns = []
            for column, (turn, slide) in enumerate(body.columns):
                mark = self.mark(body, column)
                slid = self.given(f"d_{mark}", slide, i, f"direction of {_of(body)}{self.suffix(body, column)}")
                columns.append((self._axis(body, column, turn), slid))
            self.axes[i] = columns
            self.reference[i], moment, central = point_of_reference(body)
            self.center[i] = self.given(f"c_{i}", self.reference[i], i, f"from O_{i} to C_{i} of {body.name}")
            self.own_moment[i] = self.given(f"s_{i}", moment, i, f"first moment of mass of {body.name} about O_{i}")
            self._dyads[i] = self.frames[i].rotation.symmetric_to_parent(central)
            about = f"O_{i}" if self.own_moment[i] else f"C_{i}"
            if any(central):
                told = f"inertia of {body.name} about {about}"
                components = body.user_frame.rotation.symmetric_to_parent(central)
                free = self._free(f"J_{i}")
                self._defined[free] = Definition(free, told, None, components, body.name)

    def mark(self, body: TreeBody, column: int) -> str:
        """The index of what belongs to a speed: the joint's label, and the speed's number where it has several."""
        return f"{body.label},{column + 1}" if len(body.columns) > 1 else str(body.label)

    def _axis(self, body: TreeBody, column: int, components: Vector3) -> Vector:
        """e of a speed; parallel axes have one name."""
        value = self.frames[body.label].rotation.to_parent(components)
        known = next((each for each in self._made.values() if each and each.value == value), None)
        if known is None:
            told = f"axis of {_of(body)}{self.suffix(body, column)}"
            return self.given(f"e_{self.mark(body, column)}", components, body.label, told)
        assert isinstance(known.formula, Name)
        first = self._defined[known.formula.name]
        self._defined[first.name] = replace(first, sentence=f"{first.sentence} and of {_of(body)}")
        return known

    def suffix(self, body: TreeBody, column: int) -> str:
        """Which speed of a joint with several."""
        name = body.joint.shape.speeds[column]
        return f", speed {name}" if name else ""

    def path(self, label: int) -> list[TreeBody]:
        """The body and those inboard of it, outermost first."""
        found = []
        while label:
            found.append(self.mechanism.body(label))
            label = found[-1].parent
        return found

    def outboard(self, label: int) -> list[int]:
        """Labels of the bodies that a joint moves."""
        found = [label]
        for each in found:
            found += self.mechanism.body(each).children
        return sorted(found)

    def _free(self, name: str) -> str:
        """The name, or another one where a symbol of the model is called so."""
        while name.replace(",", "_") in self._taken:
            name = f"{name}_vec"
        return name

    def given(self, name: str, components: Vector3, label: int, sentence: str) -> Vector:
        """A vector by its components in a body's internal frame; ground is 0."""
        if is_zero(components):
            return nothing(self.space)
        shown, axes = components, "ground"
        if label:
            body = self.mechanism.body(label)
            shown, axes = body.user_frame.rotation.to_parent(components), body.name
        free = self._free(name)
        self._defined[free] = Definition(free, sentence, None, shown, axes)
        value = self.frames[label].rotation.to_parent(components)
        self._made[name] = Vector(self.space, Name(free), name_components(value, free.replace(",", "_")))
        return self._made[name]

    def derived(self, name: str, vector: Vector, sentence: str) -> Vector:
        """A vector by a formula; nothing is named that is zero or has a name."""
        if not vector or isinstance(vector.formula, Name):
            return vector
        free = self._free(name)
        self._defined[free] = Definition(free, sentence, vector.formula)
        return Vector(self.space, Name(free), name_components(vector.value, free.replace(",", "_")))

    def inertia(self, label: int, vector: Vector) -> Vector:
        """J_i times a vector."""
        if not vector or not any(self._dyads[label]):
            return nothing(self.space)
        return applied(self._free(f"J_{label}"), self._dyads[label], vector)

    def gravity(self) -> Vector:
        """g."""
        return self.given("g", self.mechanism.gravity, 0, "acceleration of gravity")

    def step(self, label: int) -> Vector:
        """p_i."""
        if f"p_{label}" in self._made:
            return self._made[f"p_{label}"]
        body = self.mechanism.body(label)
        return self.given(f"p_{label}", body.translation, body.parent, f"from O_{body.parent} to O_{label}")

    def between(self, inner: int, outer: int) -> Vector:
        """p_jk from O_j to O_k, zero from a point to itself."""
        if inner == outer:
            return nothing(self.space)
        body = self.mechanism.body(outer)
        if body.parent == inner:
            return self.step(outer)
        name = f"p_{self._pair(inner, outer)}"
        if name not in self._made:
            vector = plus(self.between(inner, body.parent), self.step(outer))
            self._made[name] = self.derived(name, vector, f"from O_{inner} to O_{outer}")
        return self._made[name]

    def _pair(self, first: int, second: int) -> str:
        return f"{first}{second}" if self.mechanism.nb < 10 else f"{first},{second}"

    def arm(self, body: int, joint: int) -> Vector:
        """r_ij."""
        if body == joint:
            return self.center[body]
        name = f"r_{self._pair(body, joint)}"
        if name not in self._made:
            following = next(each for each in self.path(body) if each.parent == joint)
            vector = plus(self.step(following.label), self.arm(body, following.label))
            self._made[name] = self.derived(name, vector, f"from O_{joint} to C_{body}")
        return self._made[name]

    def first_moment(self, joint: int) -> Vector:
        """S_j."""
        name = f"S_{joint}"
        if name not in self._made:
            outer = self.outboard(joint)
            masses = ((self.mechanism.body(i).inertia.mass, self.arm(i, joint)) for i in outer)
            vector = plus(total(self.space, masses), *(self.own_moment[i] for i in outer))
            told = f"first moment about O_{joint} of what {_of(self.mechanism.body(joint))} moves"
            self._made[name] = self.derived(name, vector, told)
        return self._made[name]

    def turning_bias(self, body: TreeBody) -> Vector:
        """H-dot v, angular; in axes of the joint where it is the product of two speeds and axes."""
        bias = body.motion.bias[0]
        if is_zero(bias):
            return nothing(self.space)
        refs = self.frames[body.label].rotation.to_parent(bias)
        for a, b in combinations(range(len(body.v)), 2):
            first, second = self.axes[body.label][a][0], self.axes[body.label][b][0]
            if first and second:
                found = times(body.v[a] * body.v[b], crossed(first, second))
                if self.space.is_zero(*subtract(found.value, refs)):
                    return found
        told = f"rate of the axes of {_of(body)} as {body.name} sees them, times speeds"
        return self.given(f"eta_{body.label}", bias, body.label, told)

    def sliding_bias(self, body: TreeBody) -> Vector:
        """H-dot v, linear."""
        told = f"rate of the directions of {_of(body)} as {body.name} sees them, times speeds"
        return self.given(f"xi_{body.label}", body.motion.bias[1], body.label, told)

    def form(self, name: str, entries: Mapping[tuple[int, ...], _Entry], program: Program) -> VectorForm:
        """What was asked for, with the definitions that it needs and how the axes turn that these are given in."""
        shown = {place: Sum(tuple(entry.terms)) for place, entry in sorted(entries.items()) if entry.terms}
        wanted: set[str] = set()
        todo = [each for formula in shown.values() for each in names_in(formula)]
        while todo:
            each = todo.pop()
            if each not in wanted:
                wanted.add(each)
                formula = self._defined[each].formula
                todo += names_in(formula) if formula is not None else ()
        used = [definition for key, definition in self._defined.items() if key in wanted]
        given = [each for each in used if each.formula is None]
        derived = [each for each in used if each.formula is not None]
        return VectorForm(name, (*self._rotations(given), *given, *derived), shown, program)

    def _rotations(self, given: Iterable[Definition]) -> Sequence[Definition]:
        """R_i of the bodies in whose axes something is given, and of those inboard of them, where axes turn."""
        axes = {each.axes for each in given}
        labels = {inner.label for body in self.mechanism.bodies if body.name in axes for inner in self.path(body.label)}
        found = []
        for label in sorted(labels):
            body = self.mechanism.body(label)
            carrier = self.mechanism.body(body.parent) if body.parent else None
            outer = carrier.user_frame.rotation.then(body.rotation) if carrier else body.rotation
            turned = outer.then(body.user_frame.rotation.inverse())
            if not turned.is_identity:
                inner = carrier.name if carrier else "ground"
                told = f"takes components in axes of {body.name} to those in axes of {inner}"
                rows = turned.matrix()
                found.append(
                    Definition(self._free(f"R_{label}"), told, None, tuple(x for row in rows for x in row), inner)
                )
        return found

"""Transfer matrices of a mechanism's own elements on its graph, and their products from any point to one beyond it.

The closed forms of the elements with the values of the model in them. In steps state vectors hold positions at the end
of a step about the iterate q, zddot = C z + D for the centres of mass and the angles of the scheme; kappa = 0, as the
paper iterates. Of accelerations they hold the second derivatives at q and v: C = 1, D = 0, and levers contribute
omega x (omega x lever), so that the products give vdot without any iteration; all forces are loads then, those along
joints on both of their bodies, and hinges are smooth.

Source: Li, Rui 2005, equations (4) to (10); for accelerations X. Rui et al., transfer matrix method for multibody
systems with accelerations as state variables, Multibody System Dynamics 38 (2016).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Final, TypeAlias

from mbsym.doors import sympy as sp
from mbsym.errors import DerivationError
from mbsym.kinematics.equality import equal_in_motion
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds, poses, velocity_terms
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3, cross, dot, multiply, product, skew, symmetric_matrix
from mbsym.symbolic.graph import Graph, exact
from mbsym.symbolic.program import Input
from mbsym.symbolic.scalar import Scalar, constant, symbol
from mbsym.symbolic.sympy_bridge import from_sympy_many
from mbsym.transfer_matrix import closed_form
from mbsym.transfer_matrix.applied_loads import Loads, loads_on_elements, without_elements
from mbsym.transfer_matrix.kernel import rows_of
from mbsym.transfer_matrix.overall import Level, OverallEquation, overall_equation, way_to
from mbsym.transfer_matrix.recognition import undriven_system
from mbsym.transfer_matrix.rigid_groups import RigidGroups, turned
from mbsym.transfer_matrix.spatial_matrices import inverse_of
from mbsym.transfer_matrix.system import Hinge, HingeCoordinate, Kind, tidy

Matrix: TypeAlias = list[list[Scalar]]
Values: TypeAlias = Mapping[str, Scalar]

SCHEME: Final = "scheme"
"""Name of the input with what schemes give: A, C, and B and D of each element."""


@cache
def _form(name: str) -> sp.Matrix:
    """Closed forms in symbols."""
    turning = sp.Matrix(3, 3, lambda i, k: sp.Symbol(f"S_{i + 1}{k + 1}"))
    forms = {
        "body in the plane": lambda: closed_form.planar_rigid_body(sp.Symbol("stretch")),
        "body in space": lambda: closed_form.spatial_rigid_body(turning),
        "pin": closed_form.smooth_hinge,
        "ball": closed_form.ball_hinge,
        "torsion": closed_form.torsion_spring,
        "bushing": closed_form.bushing,
    }
    return forms[name]().matrix


def _turns(hinge: Hinge) -> list[HingeCoordinate]:
    return [each for each in hinge.coordinates if each.kind == Kind.TURN]


class ElementMatrices:
    """Matrices of the elements of a mechanism.

    Attributes:
        system: the elements.
        size: of the state vectors, 7 or 13.
        level: what they hold.
        force: where Q starts in them, behind position, angle and moment.
    """

    def __init__(self, mechanism: Mechanism, level: Level) -> None:
        """Finds the elements.

        Raises:
            DerivationError: the mechanism has none, or its steps are not shown.
        """
        self.system = undriven_system(mechanism, forces_as_loads=True)
        self.level = level
        if level == "steps" and not self.system.is_planar:
            raise DerivationError(
                "in space the matrices of a step hold the rotation variable and what its scheme makes of it, which "
                "the report shows in symbols",
                where=mechanism.model.name,
                remedy="take those of accelerations, such as U_a",
            )
        layout = self.system.layout
        self._d, self._a = layout.dimension, layout.angles
        self.size = 2 * (self._d + self._a) + 1
        self.force = self._d + 2 * self._a

    @cached_property
    def main(self) -> OverallEquation:
        """The overall equation.

        Raises:
            DerivationError: products are not shown for the mechanism.
        """
        return overall_equation(self.system, self.level)

    @cached_property
    def _parts(self) -> RigidGroups:
        return RigidGroups(self.system.mechanism)

    @cached_property
    def _frames(self) -> Sequence[Transform]:
        return poses(self.system.mechanism)

    @cached_property
    def _spins(self) -> Sequence[Vector3]:
        return velocity_terms(self.system.mechanism, joint_speeds(self.system.mechanism)).angular

    @cached_property
    def _loads(self) -> Loads:
        model = self.system.mechanism.model
        elements = without_elements(model) if self.level == "steps" else model.forces
        return loads_on_elements(self.system, self._parts, elements)[0]

    # ---- names -------------------------------------------------------------------------------------------------------

    @property
    def elements(self) -> list[tuple[str, int, bool]]:
        """Name, number and whether it is a hinge, in the order of the transfer: each hinge before its body."""
        found = []
        for number, body in enumerate(self.system.bodies, start=1):
            found += [(body.hinge.joint.name, number, True), (body.name, number, False)]
        return found

    @property
    def scheme(self) -> Input:
        """What schemes give, in an order of its own: A and C, then D and B of each body, B of its ends behind these."""
        names = ["A", "C"]
        for body in self.system.bodies:
            names += [f"D_{body.name}_{what}" for what in ("x", "y", "theta")]
            names += [f"B_{body.name}_{what}" for what in ("theta", "input_x", "input_y", "end_x", "end_y")]
        return Input(SCHEME, (len(names),), tuple(self._of_scheme(name).ref for name in names), "", "of the scheme")

    def number(self, name: str) -> int:
        """Of a body, 0 for ground.

        Raises:
            DerivationError: there is no element of that name.
        """
        model = self.system.mechanism.model
        for number, body in enumerate(self.system.bodies, start=1):
            if name in body.members:
                return number
        if name == model.ground:
            return 0
        raise DerivationError(
            f"no element is called {name!r}",
            where=model.name,
            remedy=f"there are {', '.join((model.ground, *(body.name for body in self.system.bodies)))}",
        )

    # ---- elements ----------------------------------------------------------------------------------------------------

    def body(self, number: int) -> Matrix:
        """U of a rigid body from its input end to its output end; of a tip that is the centre of mass.

        Raises:
            DerivationError: it has several output ends, so that no one matrix takes all forces on it.
        """
        if len(self._ends(number)) > 1:
            raise DerivationError(
                f"{self.system.bodies[number - 1].name} has several output ends, whose forces no one matrix takes",
                where=self.system.mechanism.model.name,
                remedy="the generated stepping code covers it by recursion",
            )
        if self.system.is_planar:
            return self._filled("body in the plane", self._planar(number))
        return self._filled("body in space", self._spatial(number))

    def hinge(self, number: int) -> Matrix:
        """Of the hinge at a body's input end.

        Raises:
            DerivationError: nothing holds it, or it, or the next hinge, is of a kind without a closed form.
        """
        hinge = self.system.bodies[number - 1].hinge
        if any(each.law[2] for each in hinge.coordinates):
            raise DerivationError(
                "the closed form of a hinge has no rotor inertia",
                where=f"joint {hinge.joint.name}",
                remedy="the generated stepping code covers it by recursion",
            )
        slides = [each for each in hinge.coordinates if each.kind == Kind.SLIDE]
        if slides and (self.level == "accelerations" or not any(any(each.law[:2]) for each in slides)):
            raise DerivationError(
                "what gives way passes no position on: its force is a load",
                where=f"joint {hinge.joint.name}",
                remedy="look at the elements on both sides",
            )
        if not (hinge.is_pin or hinge.is_ball or len(slides) == 2):
            raise DerivationError(
                "there is a closed form of pins, of balls and of bushings in the plane",
                where=f"joint {hinge.joint.name}",
                remedy="the generated stepping code covers it by recursion",
            )
        springs = self.level == "steps" and any(any(each.law[:2]) for each in _turns(hinge))
        turning = self._torsion(number) if springs else self._smooth(number)
        return _times(turning, self._bushing(number)) if slides else turning

    def _smooth(self, number: int) -> Matrix:
        """No moment, and the angle behind it by M = 0 at the other end of the body behind it.

        Raises:
            DerivationError: a hinge at that end carries a moment, or it is at the centre of percussion.
        """
        for body in self.system.bodies:
            laws = [each.law[:3] if self.level == "steps" else each.law[2:3] for each in _turns(body.hinge)]
            if body.parent == number and any(map(any, laws)):
                raise DerivationError(
                    f"the next hinge, {body.hinge.joint.name}, carries a moment, so that M = 0 tells no angle",
                    where=f"joint {self.system.bodies[number - 1].hinge.joint.name}",
                    remedy="the generated stepping code covers it by recursion",
                )
        u, d, a = self.body(number), self._d, self._a
        known = {f"u_{i + 1}{k + 1}": x for i, row in enumerate(u) for k, x in enumerate(row)}
        known |= {f"u_{i + 1},{k + 1}": x for i, row in enumerate(u) for k, x in enumerate(row)}
        pivot = [row[d : d + a] for row in u[d + a : d + 2 * a]]
        determinant = pivot[0][0] if a == 1 else dot(pivot[0], cross(*map(_vector, pivot[1:])))
        if equal_in_motion(self.system.mechanism, [determinant], [determinant * 0]):
            raise DerivationError(
                "this hinge is at its body's centre of percussion, where no moment tells the angle",
                where=f"joint {self.system.bodies[number - 1].hinge.joint.name}",
                remedy="the generated stepping code covers it by recursion",
            )
        if a == 3:
            known |= {f"V_{i + 1}{k + 1}": x for i, row in enumerate(_inverse(pivot)) for k, x in enumerate(row)}
        return self._filled("pin" if a == 1 else "ball", known)

    def _torsion(self, number: int) -> Matrix:
        """Spring and damper of rotation at a pin."""
        hinge, inner = self.system.bodies[number - 1].hinge, self.system.bodies[number - 1].parent
        (turn,) = _turns(hinge)
        k, c, _, free = turn.law
        free = free + exact(tidy(hinge.turned[0]))
        rest = {"B_I": self._rest(inner, "theta"), "B_O": self._rest(number, "theta")}
        return self._filled("torsion", {"k": k, "c": c, "A": self._of_scheme("A"), "theta0": free, **rest})

    def _bushing(self, number: int) -> Matrix:
        """Spring and damper between the ends, which the pin behind it turns about.

        Raises:
            DerivationError: they are not equal along both axes, or what moves with a body has a damper or a length.
        """
        hinge, inner = self.system.bodies[number - 1].hinge, self.system.bodies[number - 1].parent
        first, second = (each for each in hinge.coordinates if each.kind == Kind.SLIDE)
        k, c, *_ = first.law
        carried = (inner or hinge.flipped) and (c or first.law[3] or second.law[3])
        if first.law[:2] != second.law[:2] or carried:
            raise DerivationError(
                "a closed form has equal springs and equal dampers along both axes, and is on ground where it has "
                "dampers or free lengths",
                where=f"joint {hinge.joint.name}",
                remedy="the generated stepping code covers it by recursion",
            )
        known = {"k": k, "c": c, "A": self._of_scheme("A")}
        free = [
            first.law[3] * exact(a) + second.law[3] * exact(b) for a, b in zip(first.axis, second.axis, strict=True)
        ]
        for axis, length in zip("xy", free, strict=True):
            known[f"B_I{axis}"] = self._rest(inner, f"end_{axis}")
            known |= {f"B_O{axis}": self._rest(number, f"input_{axis}"), f"l0_{axis}": length}
        return self._filled("bushing", known)

    def _rest(self, number: int, what: str) -> Scalar:
        """B of a body, zero of ground."""
        if not number:
            return constant(self.system.mechanism.graph, 0)
        return self._of_scheme(f"B_{self.system.bodies[number - 1].name}_{what}")

    def _filled(self, name: str, known: Values) -> Matrix:
        """A closed form with values in place of its symbols."""
        form, graph = _form(name), self.system.mechanism.graph
        refs = from_sympy_many(graph, list(form), {sp.Symbol(name): value.ref for name, value in known.items()})
        size = form.shape[1]
        return [[Scalar(graph, ref) for ref in refs[k : k + size]] for k in range(0, len(refs), size)]

    def _of_scheme(self, name: str) -> Scalar:
        return symbol(self.system.mechanism.graph, name)

    def _common(self, number: int) -> tuple[dict[str, Scalar], tuple[Scalar, ...], Vector3]:
        """Values that both kinds of body have, moment of the loads, and angular velocity in base axes."""
        system, parts = self.system, self._parts
        group = parts.groups[number - 1]
        frame = self._frames[group.first.label]
        axes = system.plane[: self._d]
        force, moment = self._loads[number - 1]
        force = tuple(f + group.inertia.mass * g for f, g in zip(force, system.gravity, strict=True))
        end = next(iter(self._ends(number)), group.center)
        known = {"m": group.inertia.mass}
        for name, vector in (("rho", frame.rotation.to_parent(group.center)), ("beta", frame.rotation.to_parent(end))):
            known |= zip((f"{name}_{axis}" for axis in "xyz"), turned(axes, vector), strict=False)
        known |= zip(("f_x", "f_y", "f_z"), force, strict=False)
        return known, moment, frame.rotation.to_parent(self._spins[group.first.label])

    def _planar(self, number: int) -> Values:
        known, (moment,), omega = self._common(number)
        graph, body = self.system.mechanism.graph, self.system.bodies[number - 1]
        zero = constant(graph, 0)
        known |= {"J": body.inertia[0], "m_ext": moment, "kappa": zero}
        if self.level == "accelerations":
            (spin,) = turned(self.system.plane[2:], omega)
            nothing = dict.fromkeys(("D_x", "D_y", "D_theta", "theta_s"), zero)
            return {**known, **nothing, "C": constant(graph, 1), "stretch": -(spin * spin)}
        of_scheme = {f"D_{what}": self._of_scheme(f"D_{body.name}_{what}") for what in ("x", "y", "theta")}
        return {
            **known,
            **of_scheme,
            "C": self._of_scheme("C"),
            "stretch": constant(graph, 1),
            "theta_s": self._angle(number),
        }

    def _spatial(self, number: int) -> Values:
        known, moment, omega = self._common(number)
        graph, group = self.system.mechanism.graph, self._parts.groups[number - 1]
        zero, one = constant(graph, 0), constant(graph, 1)
        J = symmetric_matrix(group.inertia_about_center(self._frames[group.first.label]))
        spin = skew(omega)
        known |= zip(("m_ext_x", "m_ext_y", "m_ext_z"), moment, strict=True)
        known |= zip(("tau_x", "tau_y", "tau_z"), cross(omega, multiply(J, omega)), strict=True)
        squares = product(spin, spin)
        for i in range(3):
            known |= {f"D_{'xyz'[i]}": zero, f"theta{i + 1}_s": zero}
            for k in range(3):
                place = f"{i + 1}{k + 1}"
                known |= {f"G_{place}": one if i == k else zero, f"E_{place}": J[i][k]}
                known |= {f"kappa_{place}": zero, f"S_{place}": squares[i][k]}
        return {**known, "C": one}

    def _angle(self, number: int) -> Scalar:
        """Of a body in the plane, at q."""
        total = constant(self.system.mechanism.graph, 0)
        for k in way_to(self.system, number):
            hinge, q = self.system.bodies[k - 1].hinge, self.system.mechanism.entries(self.system.mechanism.q)
            for each in _turns(hinge):
                total = total + each.sign * q[each.place[0]]
            total = total + exact(tidy(hinge.turned[0]))
        return total

    def _ends(self, number: int) -> list[Vector3]:
        """Output ends in the internal frame: where others hang, cut joints, and springs that are elements."""
        parts = self._parts
        found = [group.hinge[0].inboard.translation for group in parts.groups if group.parent == number]
        held = [*parts.cut_joints(), *((law, ends) for _, law, ends in parts.springs if self.level == "steps")]
        found += [point for _, ends in held for at, point in ends if at == number]
        return list({tuple(x.ref for x in point): point for point in found}.values())

    # ---- products ----------------------------------------------------------------------------------------------------

    def transfer(self, first: int, last: int) -> Matrix:
        """T from the output end of one element, or of ground, to the output end of one that is outboard of it.

        Raises:
            DerivationError: it is not, or products are not shown for the mechanism.
        """
        self.require_way(first, last)
        way = way_to(self.system, last)
        found = _unit(self.size, self.system.mechanism.graph)
        for number in way[way.index(first) + 1 if first else 0 :]:
            found = _times(self._to(number), found)
        return found

    def require_way(self, first: int, last: int) -> OverallEquation:
        """The overall equation, of whose elements these are two with a way outward between them.

        Raises:
            DerivationError: there is none.
        """
        way = way_to(self.system, last)
        if first == last or (first and first not in way):
            names = [self.system.mechanism.model.ground, *(body.name for body in self.system.bodies)]
            on_way = ", ".join((names[0], *(names[k] for k in way[:-1])))
            raise DerivationError(
                f"{names[last]} is not outboard of {names[first]}, so that no transfer leads there: hinges pass no "
                "moment, and nothing is transferred back through them",
                where=self.system.mechanism.model.name,
                remedy=f"start from {on_way}" if last else "end at a body",
            )
        return self.main

    def _to(self, number: int) -> Matrix:
        """From the output end that a body hangs at to its own: past what hangs there too, its hinge, and itself."""
        found = _times(self.body(number), self.hinge(number))
        parent = self.system.bodies[number - 1].parent
        others = [k for k, body in enumerate(self.system.bodies, 1) if parent and body.parent == parent and k != number]
        if self.main.is_loop and any(k in self.main.bodies for k in others):
            return _times(found, self._share(number, taken=False))
        for other in others:
            found = _times(found, self._share(other, taken=True))
        return found

    def _share(self, branch: int, *, taken: bool) -> Matrix:
        """B: the force of a branch with a free tip, K r + k, taken from the force that comes; or that force alone."""
        tip, children = branch, [branch]
        while children:
            tip = children[0]
            children = [k for k, body in enumerate(self.system.bodies, 1) if body.parent == tip]
        way = way_to(self.system, tip)
        found = _times(self.body(branch), self.hinge(branch))
        for number in way[way.index(branch) + 1 :]:
            found = _times(self._to(number), found)
        d, q = self._d, self.force
        inverse = _inverse([row[q : q + d] for row in found[q : q + d]])
        graph = self.system.mechanism.graph
        shares = _unit(self.size, graph)
        for i in range(d):
            if not taken:
                shares[q + i][q + i] = constant(graph, 0)
            for k in (*range(d), self.size - 1):
                pulled = sum((inverse[i][n] * found[q + n][k] for n in range(d)), constant(graph, 0))
                shares[q + i][k] = pulled if taken else -pulled
        return shares

    def overall(self) -> Matrix:
        """Rows of [U_all, u], U_all Q + u = 0 for the force Q at the root: T under what holds at both ends."""
        graph, d, q = self.system.mechanism.graph, self._d, self.force
        T = self.transfer(0, self.main.bodies[-1])
        rows = T[:d] if self.main.is_loop else T[q : q + d]
        root, end = [constant(graph, 0)] * d, [constant(graph, 0)] * d
        if self.level == "steps":
            axes = self.system.plane[:d]
            root = list(turned(axes, self._parts.groups[self.main.bodies[0] - 1].hinge[0].inboard.translation))
            if self.main.is_loop:
                ends = (one for _, both in self._parts.cut_joints() for one in both)
                end = list(turned(axes, next(point for at, point in ends if not at)))
        found = []
        for row, place in zip(rows, end, strict=True):
            own = sum((x * y for x, y in zip(row[:d], root, strict=True)), row[-1])
            found.append([*row[q : q + d], own - place])
        return found


def _unit(size: int, graph: Graph) -> Matrix:
    return [[constant(graph, int(r == c)) for c in range(size)] for r in range(size)]


def _times(a: Matrix, b: Matrix) -> Matrix:
    return [[dot(row, column) for column in zip(*b, strict=True)] for row in a]


def _vector(row: Sequence[Scalar]) -> Vector3:
    x, y, z = row
    return x, y, z


def _inverse(m: Matrix) -> Matrix:
    """Of two or three rows, by cofactors."""
    if len(m) == 3:
        return [list(row) for row in inverse_of(rows_of([x for row in m for x in row]))]
    (a, b), (c, d) = m
    factor = 1 / (a * d - b * c)
    return [[d * factor, -(b * factor)], [-(c * factor), a * factor]]

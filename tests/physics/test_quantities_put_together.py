"""Five mechanisms a formulation: what it is made of, in SymPy, put together to the accelerations as a user would.

Trees and closed loops, in the plane, in space and floating. Everything is taken to a random point of the field of
2^61 - 1 elements and compared exactly with the recursive derivation, for closed loops with that of the multipliers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import pytest
import sympy as sp
from sympy.polys.matrices import DomainMatrix

import mbsym
from mbsym import examples
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.recursion import accelerations, joint_speeds, poses
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.report.equations import Equations
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.program import Output, Program
from mbsym.transfer_matrix.recognition import transfer_system
from mechanisms.examples import some
from mechanisms.in_field import FIELD, at_one_point
from mechanisms.trees import tree_model

Found = Mapping[str, DomainMatrix]


def four_bar() -> Model:
    """Its last hinge written towards ground, so that its rows are those of the rocker's end, closed or not."""
    model = examples.load("four_bar")
    last = model.joints[-1]
    turned = replace(
        last,
        predecessor=last.successor,
        successor=last.predecessor,
        predecessor_placement=last.successor_placement,
        successor_placement=last.predecessor_placement,
    )
    return replace(model, joints=(*model.joints[:-1], turned))


def with_inertia(name: str) -> Model:
    """An example whose bodies have inertia about all axes, which A takes the inverse of."""
    model = examples.load(name)
    return replace(model, bodies=tuple(replace(body, inertia=(0.1, 0.2, 0.3, 0, 0, 0)) for body in model.bodies))


def arm_with_rotors() -> Model:
    model = tree_model((0, 1), ("revolute", "prismatic"))
    return replace(model, joints=tuple(replace(joint, armature=0.3) for joint in model.joints))


def sprung_pendulum() -> Model:
    """With forces along its hinges and between points, which are loads where states are accelerations."""
    forces = (
        mbsym.JointSpring("spring", "elbow", 3, 0.2),
        mbsym.JointDamper("damper", "shoulder", 2),
        mbsym.PointSpringDamper("rope", "ground", "lower_rod", 20, 1, 0.3, (1, 0, 0.5), (0, 0, -0.4)),
    )
    return replace(examples.load("double_pendulum"), forces=forces)


MECHANISMS: Mapping[str, Callable[[], Model]] = {
    "planar arm": lambda: with_inertia("planar_3r"),
    "spatial arm": lambda: tree_model((0, 1, 2), ("revolute", "prismatic", "revolute")),
    "floating robot": lambda: examples.load("floating_two_arm"),
    "four-bar": four_bar,
    "rhombus": lambda: with_inertia("rhombus_planar"),
    "arm with rotors": arm_with_rotors,
    "pendulum": lambda: examples.load("double_pendulum"),
    "sprung pendulum": sprung_pendulum,
    "spinning top": lambda: examples.load("spinning_top"),
    "spatial rhombus": lambda: examples.load("rhombus_spatial"),
}
FIVE = tuple(MECHANISMS)[:5]
ROTORS = "arm with rotors", "cfa-kkt"


@cache
def equations(name: str, formulation: str) -> Equations:
    return mbsym.derive(MECHANISMS[name](), formulation)


def of_motion(of: Equations) -> Program:
    """vdot by the derivations that all formulations have in common."""
    if of.is_closed:
        return LOOP_FUNCTIONS["forward_dynamics"](of.mechanism, analyse_loops(of.mechanism), "sparse")
    return TREE_FUNCTIONS["forward_dynamics"](of.mechanism)


def in_field(of: Equations, names: str) -> dict[str, DomainMatrix]:
    """Quantities and functions in SymPy, symbols and vdot, at one point."""
    asked = [*names.split(), *(("constraint_jacobian", "constraint_bias") if of.is_closed else ())]
    matrices = {name: of.matrix(name, any_size=True) for name in asked}
    matrices |= {"tau": of.forces, "rates": of.rates}
    return at_one_point(of, matrices, [of_motion(of)])


def closed(found: Found, M: DomainMatrix, force: DomainMatrix) -> DomainMatrix:
    """vdot of M vdot = force + G^T lambda and G vdot = gamma."""
    if "constraint_jacobian" not in found:
        return M.lu_solve(force)
    G = found["constraint_jacobian"]
    whole = M.hstack(-G.transpose()).vstack(G.hstack(zeros(G.shape[0], G.shape[0])))
    solved = whole.lu_solve(force.vstack(found["constraint_bias"]))
    return solved.extract(range(M.shape[0]), [0])


def zeros(rows: int, columns: int) -> DomainMatrix:
    return DomainMatrix.zeros((rows, columns), FIELD).to_dense()


# ---- the ten lines of each -------------------------------------------------------------------------------------------

OF_JOINTS = "W H H_bar P I D b gamma F_known"


def by_constraint_forces(of: Equations) -> tuple[DomainMatrix, DomainMatrix]:
    """A F_S = X, with E lambda of closed loops beside F_S."""
    found = in_field(of, f"A X {OF_JOINTS}" + (" E e" if of.is_closed else ""))
    A, X, W, H_bar, P, I, b, F = (found[name] for name in ("A", "X", "W", "H_bar", "P", "I", "b", "F_known"))
    inverse = I.inv()
    if of.is_closed:
        E, N = found["E"], W.transpose() * P.transpose() * inverse * found["E"]
        A = A.hstack(N).vstack(N.transpose().hstack(E.transpose() * inverse * E))
        X = X.vstack(found["e"] - E.transpose() * inverse * (P * F - b))
    solved, held = A.lu_solve(X), range(W.shape[1])
    wrenches = P * (F + W * solved.extract(held, [0]))
    if of.is_closed:
        wrenches = wrenches + E * solved.extract(range(len(held), A.shape[0]), [0])
    a = inverse * (wrenches - b)
    return H_bar.transpose() * (P.transpose() * a - found["gamma"]), found["forward_dynamics"]


def without_inverses(of: Equations) -> tuple[DomainMatrix, DomainMatrix]:
    """Accelerations of the bodies, constraint forces and multipliers at once."""
    found = in_field(of, OF_JOINTS + (" E e" if of.is_closed else ""))
    W, H_bar, P, I, D = (found[name] for name in ("W", "H_bar", "P", "I", "D"))
    # A rotor's column of W is that of H-bar, so that W^T H tau has the forces on rotors.
    held = W.transpose() * found["gamma"] + D * W.transpose() * found["H"] * found["tau"]
    onto, right = P * W, (P * found["F_known"] - found["b"]).vstack(held)
    if of.is_closed:
        rows = found["E"].shape[1]
        onto, right = onto.hstack(found["E"]), right.vstack(found["e"])
        D = D.hstack(zeros(D.shape[0], rows)).vstack(zeros(rows, D.shape[0] + rows))
    whole = I.hstack(-onto).vstack(onto.transpose().hstack(D))
    a = whole.lu_solve(right).extract(range(I.shape[0]), [0])
    return H_bar.transpose() * (P.transpose() * a - found["gamma"]), found["forward_dynamics"]


def by_partial_velocities(of: Equations) -> tuple[DomainMatrix, DomainMatrix]:
    """F + F* + G^T lambda = 0, with F* = -M vdot - c."""
    names = "partial_velocities I rotors active_forces inertia_forces"
    found = in_field(of, names + (" closure_wrenches" if of.is_closed else ""))
    V = found["partial_velocities"]
    M = V.transpose() * found["I"] * V + found["rotors"]
    c = -found["inertia_forces"] - M * found["rates"]
    if of.is_closed:
        assert V.transpose() * found["closure_wrenches"] == found["constraint_jacobian"].transpose()
    return closed(found, M, found["active_forces"] - c), found["forward_dynamics"]


def by_energies(of: Equations) -> tuple[DomainMatrix, DomainMatrix]:
    """d/dt p - D (T - U) + b = tau + Q + G^T lambda, the free body's speeds along its own axes."""
    T, U, p, Q, qdot = (of.matrix(name, any_size=True) for name in ("T", "U", "p", "Q", "position_rate"))
    q, v = of.coordinates, of.speeds
    N = qdot.jacobian(v)
    h = p.jacobian(q) * qdot - N.T * (T - U).jacobian(q).T - Q
    if qdot != v:  # speeds of a free body, behind which there are hinges
        w, u, moment, thrust = v[0:3, 0], v[3:6, 0], p[0:3, 0], p[3:6, 0]
        h += sp.Matrix([*(w.cross(moment) + u.cross(thrust)), *w.cross(thrust), *([0] * (len(v) - 6))])
    loops = ("constraint_jacobian", "constraint_bias") if of.is_closed else ()
    mine = {"M": p.jacobian(v), "h": h, "tau": of.forces, **{name: of.matrix(name) for name in loops}}
    found = at_one_point(of, mine, [of_motion(of)])
    return closed(found, found["M"], found["tau"] - found["h"]), found["forward_dynamics"]


def by_articulated_factors(of: Equations) -> tuple[DomainMatrix, DomainMatrix]:
    """M = L^T D L, L = G^T P^-T H, and the multipliers' system by it."""
    found = in_field(of, "G d H P")
    programs = [TREE_FUNCTIONS["bias_force"](of.mechanism)]
    programs += [of.quantities[name](of.mechanism) for name in ("delassus", "right") if of.is_closed]
    found |= at_one_point(of, {}, programs)
    L = found["G"].transpose() * found["P"].inv().transpose() * found["H"]
    D = DomainMatrix.diag(found["d"].to_list_flat(), FIELD).to_dense()
    M = L.transpose() * D * L
    force = found["tau"] - found["bias_force"]
    if not of.is_closed:
        return M.lu_solve(force), found["forward_dynamics"]
    G = found["constraint_jacobian"].transpose()
    assert found["delassus"] == G.transpose() * M.lu_solve(G)
    return M.lu_solve(force + G * found["delassus"].lu_solve(found["right"])), found["forward_dynamics"]


WAYS = {
    "cfa": by_constraint_forces,
    "cfa-kkt": without_inverses,
    "kane": by_partial_velocities,
    "lagrange": by_energies,
    "articulated-body": by_articulated_factors,
}
QUICK = {("planar arm", way) for way in WAYS} | {("four-bar", way) for way in WAYS} | {("spatial arm", "cfa")}


EVERY = [*((name, way) for name in FIVE for way in WAYS), ROTORS]


@pytest.mark.parametrize(("name", "formulation"), some(EVERY, [*sorted(QUICK), ROTORS]))
def test_accelerations_follow_from_a_formulations_own_quantities(name: str, formulation: str) -> None:
    mine, recursion = WAYS[formulation](equations(name, formulation))
    assert mine == recursion


# ---- transfer matrices -----------------------------------------------------------------------------------------------


def of_bodies(of: Equations) -> Program:
    """Angular accelerations in base axes, a row a body, at vdot of the dynamics."""
    m = of.mechanism
    motion = accelerations(m, joint_speeds(m), m.of_joints(m.entries(m.vdot)), m.gravity)
    turning = [poses(m)[body.label].rotation.to_parent(own.angular) for body, own in motion]
    vdot = of_motion(of).outputs[0].values
    refs = substitute(m.graph, [x.ref for own in turning for x in own], dict(zip(m.vdot.symbols, vdot, strict=True)))
    output = Output("alpha", (m.nb, 3), tuple(refs))
    return Program("alpha", m.graph, (m.q, m.v, m.tau, *m.extra_inputs), (output,), m.parameters)


class Chain:
    """Elements chained by hand, in the field: the state is [r, theta, M, Q, 1] with d, a, a, d entries and one."""

    def __init__(self, of: Equations) -> None:
        self.of, self.system = of, transfer_system(of.mechanism)
        self.cuts = [cut for cut in self.system.cuts if not cut.is_spring]
        self.d, self.a = (2, 1) if self.system.is_planar else (3, 3)
        self.q, self.size = self.d + 2 * self.a, 2 * (self.d + self.a) + 1
        bodies = [(body.name, body.hinge.joint.name) for body in self.system.bodies]
        names = [f"U_a({name})" for pair in bodies for name in pair]
        programs = [of.quantities["overall_a"](of.mechanism), of_bodies(of)]
        programs += [of.quantity(f"T_a(ground, {name})")(of.mechanism) for name, _ in bodies]  # type: ignore[misc]
        self.found = at_one_point(of, {name: of.matrix(name, any_size=True) for name in names}, programs)
        self.to = [self.found[f"U_a({name})"] * self.found[f"U_a({hinge})"] for name, hinge in bodies]
        self.names = [name for name, _ in bodies]

    def children(self, number: int) -> list[int]:
        return [k for k, body in enumerate(self.system.bodies, 1) if body.parent == number]

    def ends_free(self, number: int) -> bool:
        cut = {end for cut in self.cuts for end in (cut.first, cut.second)}
        return number not in cut and all(map(self.ends_free, self.children(number)))

    def pull(self, number: int) -> DomainMatrix:
        """Rows of Q = K r + k of a branch that ends free, over the state where it hangs."""
        T = self.to[number - 1]
        for child in self.children(number):  # none of these branches forks
            T = self.to[child - 1] * T
        q, d = range(self.q, self.q + self.d), [*range(self.d), self.size - 1]
        K = -T.extract(q, q).inv() * T.extract(q, d)
        rows = zeros(self.d, self.size).to_list()
        for row, found in zip(rows, K.to_list(), strict=True):
            row[: self.d], row[-1] = found[:-1], found[-1]
        return DomainMatrix(rows, (self.d, self.size), FIELD)

    def states(self, z: DomainMatrix) -> dict[str, DomainMatrix]:
        """At the output end of each body, from that at the root."""
        states, ends = {0: z}, {}
        for number, body in enumerate(self.system.bodies, 1):
            state = states[body.parent].to_list()
            others = [k for k in self.children(body.parent) if body.parent and k != number]
            if all(map(self.ends_free, others)):
                pulls = [self.pull(k) * states[body.parent] for k in others]
                for k in range(self.d):
                    state[self.q + k] = [state[self.q + k][0] - sum((pull[k, 0].element for pull in pulls), FIELD(0))]
            else:
                for k, force in enumerate((self.pull(number) * states[body.parent]).to_list_flat()):
                    state[self.q + k] = [force]
            states[number] = self.to[number - 1] * DomainMatrix(state, z.shape, FIELD)
            ends[body.name] = states[number]
        return ends


@pytest.mark.parametrize(
    "name",
    some(
        ["pendulum", "sprung pendulum", "planar arm", "four-bar", "rhombus", "spinning top", "spatial rhombus"],
        ["four-bar", "spinning top"],
    ),
)
def test_accelerations_follow_from_chained_transfer_matrices(name: str) -> None:
    chain = Chain(equations(name, "transfer-matrix"))
    d, overall = range(chain.d), chain.found["overall_a"]
    Q = overall.extract(d, d).lu_solve(-overall.extract(d, [chain.d]))
    z = DomainMatrix([[FIELD(0)]] * chain.q + [[x] for x in Q.to_list_flat()] + [[FIELD(1)]], (chain.size, 1), FIELD)
    ends, normal = chain.states(z), chain.system.plane[-chain.a :]
    for label, body in enumerate(chain.system.bodies):
        state = ends[body.name]
        turning = chain.found["alpha"].extract([label], range(3)).to_list_flat()
        expected = [sum((FIELD(int(n)) * x for n, x in zip(row, turning, strict=True)), FIELD(0)) for row in normal]
        assert state.to_list_flat()[chain.d : chain.d + chain.a] == expected
        assert chain.found[f"T_a(ground, {body.name})"] * z == state
    last = chain.system.bodies[chain.cuts[0].first - 1].name if chain.cuts else ""
    rows = d if last else range(chain.d + chain.a, chain.size - 1)
    assert not any(ends[last or chain.names[-1]].extract(rows, [0]).to_list_flat())

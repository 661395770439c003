"""Directions of coordinates, derivatives through the general door, compressed columns, and closed loops."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mbsym import examples
from mbsym.derivatives.composites import Change, Composite
from mbsym.derivatives.independent import independent_dynamics_derivatives
from mbsym.derivatives.loop_functions import constrained_derivative_terms
from mbsym.derivatives.of_functions import DerivativeRequest, differentiated, requests_of
from mbsym.derivatives.sparsity import compress, index_arrays, sparsity_fields, sparsity_of
from mbsym.derivatives.tangent import along, along_own_speeds, along_speeds, tangent_map
from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.independent import elimination, independent_at_start
from mbsym.loops.redundancy import analyse_loops
from mbsym.loops.wrenches import dense
from mbsym.registry import contracts_of
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.vector import Vector3, add, cross, scale, zero_vector
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.equality import compare
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar, constant, sin, symbol
from mechanisms.exact import equal, same
from mechanisms.matrices import by, flat, less, plus, refs, results, rows, times, transposed
from mechanisms.mechanism import mechanism_of
from mechanisms.one_joint import one_joint

# ---- directions ------------------------------------------------------------------------------------------------------


def test_a_unit_quaternion_has_three_directions() -> None:
    """q moves by half the quaternion of the speeds behind it; with T v = qdot a function of q has T^T of its slopes."""
    own = mechanism_of(one_joint("spherical"))
    q, v = own.entries(own.q), own.entries(own.v)
    T = tangent_map(own)
    assert (len(T), len(T[0])) == (4, 3)
    assert same(own, times(T, v), results(TREE_FUNCTIONS["position_rate"](own))["qdot"])
    value = sin(q[0] * q[1]) + q[2] * q[3]
    slopes = along(own, [value.ref], own.q.symbols)
    assert same(own, flat(along_speeds(own, [value.ref])), flat(by(slopes, T)))


def test_directions_of_one_joint_leave_what_is_held() -> None:
    own = mechanism_of(one_joint("universal", axis=(1, 0, 0), second_axis=(0, 1, 0)))
    (body,) = own.bodies
    first, second = body.q
    rate = sin(first)
    found = along_own_speeds(body, [first * second, rate * second], held=[rate])
    assert [refs(row) for row in found] == [[second.ref, Scalar(own.graph, 0).ref], [first.ref, rate.ref]]


# ---- composite bodies ------------------------------------------------------------------------------------------------

PARTICLES = (2, (1, 0, 3)), (3, (0, -2, 1)), (5, (1, 1, -1))
"""Masses and places: twice the wrench of w x xdot dm, by hand."""


def vector(graph: Graph, entries: tuple[int, ...]) -> Vector3:
    x, y, z = (constant(graph, Fraction(entry)) for entry in entries)
    return x, y, z


def test_the_wrench_of_a_change_is_that_of_its_particles() -> None:
    graph = Graph()
    masses = [constant(graph, Fraction(mass)) for mass, _ in PARTICLES]
    places = [vector(graph, place) for _, place in PARTICLES]
    moment = zero_vector(graph)
    xx = yy = zz = xy = xz = yz = constant(graph, Fraction(0))
    for mass, (x, y, z) in zip(masses, places, strict=True):
        moment = add(moment, scale((x, y, z), mass))
        xx, yy, zz = xx + mass * (y * y + z * z), yy + mass * (x * x + z * z), zz + mass * (x * x + y * y)
        xy, xz, yz = xy - mass * x * y, xz - mass * x * z, yz - mass * y * z
    inertia = RigidInertia(masses[0] + masses[1] + masses[2], moment, (xx, yy, zz, xy, xz, yz))
    omega, velocity = vector(graph, (2, -1, 4)), vector(graph, (7, 3, -2))
    alpha, linear, w = vector(graph, (1, 5, -3)), vector(graph, (-4, 2, 6)), vector(graph, (3, 1, 2))
    force, torque = zero_vector(graph), zero_vector(graph)
    for mass, place in zip(masses, places, strict=True):
        speed = add(velocity, cross(omega, place))
        push = add(add(linear, cross(alpha, place)), scale(cross(w, speed), constant(graph, Fraction(2))))
        force, torque = add(force, scale(push, mass)), add(torque, cross(place, scale(push, mass)))
    whole = Composite.of_body(inertia, omega, velocity)
    found = whole.wrench(Change((alpha, linear), w))
    assert refs([*found[0], *found[1]]) == refs([*torque, *force])
    # h^T 2 B w is the power of the part with w along h.
    steady = whole.wrench(Change((zero_vector(graph), zero_vector(graph)), w))
    row = whole.row((alpha, linear))
    along_h = sum((a * b for a, b in zip((*alpha, *linear), (*steady[0], *steady[1]), strict=True)), xx * 0)
    assert sum((a * b for a, b in zip(row, w, strict=True)), xx * 0).ref == along_h.ref


# ---- the general door ------------------------------------------------------------------------------------------------


def test_names_and_shapes_of_derivatives() -> None:
    own = mechanism_of(examples.load("cart_pole"))
    request = DerivativeRequest("mass_matrix", ("q", "l"))
    program = differentiated(request, TREE_FUNCTIONS["mass_matrix"], own)
    assert (program.name, [(item.name, item.shape) for item in program.outputs]) == (
        "mass_matrix_by_q_l", [("dM_dq", (2, 2, 2)), ("dM_dl", (2, 2))]
    )  # fmt: skip
    M = refs(results(TREE_FUNCTIONS["mass_matrix"](own))["M"])
    found = results(program)
    assert same(own, found["dM_dq"], flat(along_speeds(own, M)))
    assert same(own, found["dM_dl"], flat(along(own, M, [own.names["l"].ref])))
    assert requests_of({"derivatives": [request.as_manifest()]}) == (request,)
    assert requests_of({}) == ()
    with pytest.raises(DerivationError, match="no argument or run-time parameter 'v'"):
        differentiated(DerivativeRequest("mass_matrix", ("v",)), TREE_FUNCTIONS["mass_matrix"], own)


def test_compressed_columns() -> None:
    """[[a, 0, b], [0, 0, c]], one of zeros, and a vector, which stays as it is."""
    graph = Graph()
    a, b, c = (graph.symbol(name) for name in "abc")
    zero = Scalar(graph, 0).ref
    matrix = Output("A", (2, 3), (a, zero, b, zero, zero, c), "", "some matrix")
    nothing, vector = Output("Z", (2, 2), (zero,) * 4), Output("x", (3,), (a, zero, c))
    program = Program("f", graph, (), (matrix, nothing, vector))
    found = sparsity_of(program)
    assert list(found) == ["A", "Z"]
    assert (found["A"].columns, found["A"].rows, found["A"].starts) == (((0,), (), (0, 1)), (0, 0, 1), (0, 1, 1, 3))
    assert (found["Z"].columns, found["Z"].stored, found["Z"].starts) == (((), ()), ((0,), ()), (0, 1, 1))
    packed, empty, kept = compress(program).outputs
    assert (packed.shape, packed.values, packed.description) == ((3,), (a, b, c), "some matrix; compressed columns")
    assert (empty.shape, empty.values, empty.description) == ((1,), (zero,), "compressed columns")
    assert kept == vector
    assert index_arrays({"f": found}) == {
        "f_A_rows": (0, 0, 1), "f_A_starts": (0, 1, 1, 3), "f_Z_rows": (0,), "f_Z_starts": (0, 1, 1)
    }  # fmt: skip
    told = {"f": {"A": {"shape": [2, 3], "rows": [[0], [], [0, 1]]}, "Z": {"shape": [2, 2], "rows": [[], []]}}}
    assert sparsity_fields({"f": found}) == {"sparsity": told} and sparsity_fields({}) == {}


# ---- closed loops ----------------------------------------------------------------------------------------------------


def vanish(own: Mechanism, entries: list[Scalar], more: tuple[object, ...] = ()) -> bool:
    nothing = Scalar(own.graph, 0).ref
    inputs = (own.q, own.v, own.tau, *own.extra_inputs, *more)
    sides = (
        Program("side", own.graph, inputs, (Output("entries", (len(values),), values),), own.parameters)  # type: ignore[arg-type]
        for values in (tuple(refs(entries)), (nothing,) * len(entries))
    )
    return bool(compare(*sides))


def test_terms_of_closed_loops() -> None:
    """M free = -d(ID - G^T lambda), right = d(gamma - G vdot) - G free, by q and v, at given vdot and lambda."""
    own = mechanism_of(examples.load("four_bar"))
    loops = analyse_loops(own)
    derived = constrained_derivative_terms(own, [row.jacobian for row in loops.rows], [row.bias for row in loops.rows])
    (given,) = derived.inputs
    found, rates, pulls = derived.entries, own.entries(own.vdot), own.entries(given)
    M = rows(results(TREE_FUNCTIONS["mass_matrix"](own))["M"], own.nv)
    G = [dense(own, row.jacobian) for row in loops.rows]
    excess = [a - row.bias for a, row in zip(times(G, rates), loops.rows, strict=True)]
    forces = results(TREE_FUNCTIONS["inverse_dynamics"](own))["tau"]
    left = [a - b for a, b in zip(forces, times(transposed(G), pulls), strict=True)]
    entries = []
    for letter in "qv":
        slopes = [
            along_speeds(own, refs(x)) if letter == "q" else along(own, refs(x), own.v.symbols) for x in (left, excess)
        ]
        free = found[f"free_d{letter}"]
        entries += flat(plus(by(M, free), slopes[0]))
        entries += flat(plus(plus(found[f"right_d{letter}"], by(G, free)), slopes[1]))
    unit = [[Scalar(own.graph, 0) + int(i == k) for k in range(own.nv)] for i in range(own.nv)]
    entries += flat(less(by(M, found["M_inverse"]), unit))
    assert vanish(own, entries, (own.vdot, given))


def test_independent_coordinates_of_closed_loops() -> None:
    """The motion and multipliers of the loops, differentiated along the motions that they leave."""
    own = mechanism_of(examples.load("four_bar"))
    loops = analyse_loops(own)
    chosen = independent_at_start(own, loops)
    G = [dense(own, row.jacobian) for row in loops.rows]
    found = independent_dynamics_derivatives(own, elimination(own, G, chosen), [row.bias for row in loops.rows])
    N, turned = found["N"], found["dv_dq"]
    entries = flat(by(G, N)) + [N[k][0] - 1 for k in chosen]
    solved = results(LOOP_FUNCTIONS["constrained_dynamics"](own, loops, "sparse"))
    for key in ("vdot", "lambda"):
        entries += [a - b for a, b in zip(found[key], solved[key], strict=True)]
        slopes = along_speeds(own, refs(solved[key])), along(own, refs(solved[key]), own.v.symbols)
        entries += flat(less(found[f"d{key}_dq"], plus(by(slopes[0], N), by(slopes[1], turned))))
        entries += flat(less(found[f"d{key}_dv"], by(slopes[1], N)))
        entries += flat(less(found[f"d{key}_dtau"], along(own, refs(solved[key]), own.tau.symbols)))
    v = own.entries(own.v)
    speeds = times(N, [v[k] for k in chosen])
    closed = substitute(own.graph, refs(flat(turned)), dict(zip(own.v.symbols, refs(speeds), strict=True)))
    moved = flat(by(along_speeds(own, refs(speeds)), N))
    entries += [Scalar(own.graph, a) - b for a, b in zip(closed, moved, strict=True)]
    assert vanish(own, entries)


def test_equal_is_not_said_of_everything() -> None:
    """What this file compares with can tell."""
    graph = Graph()
    a, b = (symbol(graph, name) for name in "ab")
    assert equal([a * (a + b)], [a * a + a * b]) and not equal([a * (a + b)], [a * a - a * b])


def test_derivatives_of_what_is_solved_for_are_solved_for() -> None:
    """Rounding is magnified in them as it is in accelerations and multipliers themselves, and judged by that."""
    model = examples.load("four_bar")
    contracts = contracts_of(build_mechanism(model, model.label())).values()
    derived = [item for item in contracts if any(own.name.startswith(("dvdot_", "dlambda_")) for own in item.results)]
    assert len(derived) >= 3 and all(item.solves for item in derived)

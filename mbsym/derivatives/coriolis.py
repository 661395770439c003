"""The Coriolis matrix whose Mdot - 2 C is skew, and what adaptive control makes of it.

C_ij = h_i^T (I h_j' + B h_j) over the bodies outboard of both joints, h' the rate of a direction as an observer at rest
sees it and B the Coriolis part of ``composites``. Since B + B^T is the rate of the composite inertia, Mdot = C + C^T.

Source: S. Echeandia, P. M. Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for
rigid-body systems, 2021; J.-J. E. Slotine, W. Li, On the adaptive control of robot manipulators, 1987.
"""

from __future__ import annotations

from fractions import Fraction

from mbsym.derivatives.composites import Change, Composite, composites, twice
from mbsym.derivatives.tangent import Matrix
from mbsym.derivatives.variations import Table, direction_rates, folded, work
from mbsym.formulations.contracts import Derived
from mbsym.joints.motion import Motion, combination, power, sum_of
from mbsym.kinematics.equivalents import for_forces
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import joint_speeds, velocities
from mbsym.kinematics.rotors import coriolis_of_speeds
from mbsym.spatial.vector import negate, zero_vector
from mbsym.symbolic.program import Input
from mbsym.symbolic.scalar import Scalar


def coriolis_matrix(mechanism: Mechanism) -> Matrix:
    """C(q, v), (nv, nv)."""
    mechanism = for_forces(mechanism)
    twists = velocities(mechanism, joint_speeds(mechanism))
    wholes = composites(mechanism, twists)
    changes = [
        tuple(
            Change((twice(rate[0]), twice(rate[1])), direction[0])
            for rate, direction in zip(direction_rates(body, twists[body.label]), body.columns, strict=True)
        )
        for body in mechanism.bodies
    ]
    found: Table = {}
    with mechanism.graph.section("Coriolis matrix, inward"):
        for body in reversed(mechanism.bodies):
            whole = wholes[body.label - 1]
            rotors = _of_rotors(body)
            wrenches = [whole.wrench(change) for change in changes[body.label - 1]]
            rows = [(whole.inertia.times(*direction), whole.row(direction)) for direction in body.columns]
            for k, wrench in enumerate(wrenches):
                for m, direction in enumerate(body.columns):
                    found[(body.label, m), (body.label, k)] = power(direction, wrench) + 2 * rotors[k][m]
            carrier = body
            while carrier.parent:
                wrenches = [carrier.placement.wrench_to_parent(*wrench) for wrench in wrenches]
                rows = [(carrier.placement.wrench_to_parent(*f), carrier.rotation.to_parent(b)) for f, b in rows]
                carrier = mechanism.body(carrier.parent)
                for k, (wrench, (momentum, row)) in enumerate(zip(wrenches, rows, strict=True)):
                    for m, direction in enumerate(carrier.columns):
                        found[(carrier.label, m), (body.label, k)] = power(direction, wrench)
                        change = changes[carrier.label - 1][m]
                        found[(body.label, k), (carrier.label, m)] = work(momentum, row, change)
    return [[entry * Fraction(1, 2) for entry in row] for row in folded(mechanism, found)]


def _of_rotors(body: TreeBody) -> list[tuple[Scalar, ...]]:
    """Columns of the share that rotors of a body's joint have in its own block."""
    zero, one = Scalar(body.motion.graph, 0), Scalar(body.motion.graph, 1)
    units = (tuple(one if row == k else zero for row in range(len(body.v))) for k in range(len(body.v)))
    return [_times(body.armature, coriolis_of_speeds(body, body.v, unit)) for unit in units]


def _times(a: tuple[Scalar, ...], b: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return tuple(x * y for x, y in zip(a, b, strict=True))


def slotine_li(mechanism: Mechanism) -> Derived:
    """M(q) a_r + C(q, v) v_r + g(q), (nv,), in one sweep out and one in; everything is carried twice as large."""
    mechanism = for_forces(mechanism)
    graph = mechanism.graph
    zero = zero_vector(graph)
    speeds = joint_speeds(mechanism)
    twists = velocities(mechanism, speeds)
    symbols = {name: tuple(graph.symbol(f"{name}[{k}]") for k in range(mechanism.nv)) for name in ("v_r", "a_r")}
    inputs = tuple(
        Input(name, (mechanism.nv,), symbols[name], "", f"reference {what}")
        for name, what in (("v_r", "speeds"), ("a_r", "rates of the speeds"))
    )
    wanted, pushed = (mechanism.of_joints(mechanism.entries(item)) for item in inputs)
    turning: list[Motion] = [(zero, zero)]
    moved: list[Motion] = [(zero, twice(negate(mechanism.gravity)))]
    wrenches: list[Motion] = [(zero, zero)]
    with graph.section("reference motion, outward"):
        for body in mechanism.bodies:
            own, rates = wanted[body.label - 1], pushed[body.label - 1]
            carried = body.placement.twist_to_child(*turning[body.parent])
            turning.append(sum_of(carried, combination(graph, body.columns, own)))
            change = body.placement.twist_to_child(*moved[body.parent])
            change = sum_of(change, combination(graph, body.columns, _twice_all(rates)))
            along = direction_rates(body, twists[body.label])
            moved.append(sum_of(change, combination(graph, tuple(along), _twice_all(own))))
            wrench = Composite.of_body(body.inertia, *twists[body.label]).wrench(Change(moved[-1], turning[-1][0]))
            wrenches.append(wrench)
    turning_rotors = [coriolis_of_speeds(body, body.v, wanted[body.label - 1]) for body in mechanism.bodies]
    forces: list[tuple[Scalar, ...]] = []
    with graph.section("joint wrenches and generalised forces, inward"):
        for body in reversed(mechanism.bodies):
            wrench = wrenches[body.label]
            forces.append(
                tuple(
                    power(direction, wrench) * Fraction(1, 2) + armature * (rate + turned)
                    for direction, armature, rate, turned in zip(
                        body.columns, body.armature, pushed[body.label - 1], turning_rotors[body.label - 1], strict=True
                    )
                )
            )
            if body.parent:
                wrenches[body.parent] = sum_of(wrenches[body.parent], body.placement.wrench_to_parent(*wrench))
    return Derived(mechanism.gather(tuple(reversed(forces))), inputs=inputs)


def _twice_all(values: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return tuple(2 * value for value in values)

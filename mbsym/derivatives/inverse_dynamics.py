"""Derivatives of inverse dynamics: those of bodies in closed form, those of force elements by differentiation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mbsym.derivatives.tangent import Matrix, along, along_speeds, difference
from mbsym.derivatives.variations import State, folded, state_of, variations
from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.contracts import Derived
from mbsym.formulations.fewest_operations import shortest_way
from mbsym.joints.motion import Motion, power, sum_of
from mbsym.kinematics.equivalents import for_forces
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds
from mbsym.spatial.vector import zero_vector
from mbsym.symbolic.scalar import Scalar


def inverse_dynamics_derivatives(mechanism: Mechanism) -> Derived:
    """dtau/dq and dtau/dv, (nv, nv) each, in the way that takes fewer operations."""
    by_q, by_v, how = dynamics_jacobians(mechanism)
    return Derived({"dtau_dq": by_q, "dtau_dv": by_v}, how)


def dynamics_jacobians(mechanism: Mechanism) -> tuple[Matrix, Matrix, str]:
    """dtau/dq, dtau/dv, and the way that takes fewer operations."""
    ways: dict[str, Callable[[Mechanism], tuple[Matrix, Matrix]]] = {
        "composite bodies": _in_closed_form,
        "differentiated recursive Newton-Euler": _differentiated,
    }
    (by_q, by_v), how = shortest_way(mechanism, ways, entries_of)
    return by_q, by_v, how


def entries_of(matrices: Iterable[Matrix]) -> Iterator[Scalar]:
    """All of them."""
    return (entry for matrix in matrices for row in matrix for entry in row)


def _in_closed_form(mechanism: Mechanism) -> tuple[Matrix, Matrix]:
    mechanism = for_forces(mechanism)
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    state = state_of(mechanism, joint_speeds(mechanism), rates, mechanism.gravity)
    return inverse_dynamics_jacobians(mechanism, state, generalised(mechanism))


def _differentiated(mechanism: Mechanism) -> tuple[Matrix, Matrix]:
    refs = TREE_FUNCTIONS["inverse_dynamics"](mechanism).output_references
    return along_speeds(mechanism, refs), along(mechanism, refs, mechanism.v.symbols)


def inverse_dynamics_jacobians(
    mechanism: Mechanism, state: State, applied: tuple[Scalar, ...] | None
) -> tuple[Matrix, Matrix]:
    """dtau/dq and dtau/dv at rates that do not change.

    Args:
        mechanism: of any tree joints.
        state: the motion.
        applied: generalised forces of the force elements, if there are any.
    """
    found = variations(mechanism, state)
    by_q, by_v = folded(mechanism, found.displaced), folded(mechanism, found.sped)
    if applied is None:
        return by_q, by_v
    with mechanism.graph.section("force elements"):
        refs = [force.ref for force in applied]
        of_q, of_v = along_speeds(mechanism, refs), along(mechanism, refs, mechanism.v.symbols)
    return difference(by_q, of_q), difference(by_v, of_v)


def generalised(mechanism: Mechanism) -> tuple[Scalar, ...] | None:
    """Generalised forces of the force elements, (nv,); None where there are none."""
    applied = applied_forces(mechanism, joint_speeds(mechanism))
    if applied is None:
        return None
    zero = zero_vector(mechanism.graph)
    wrenches: list[Motion] = [applied.wrenches.get(label, (zero, zero)) for label in range(mechanism.nb + 1)]
    forces: list[tuple[Scalar, ...]] = []
    for body in reversed(mechanism.bodies):
        wrench, own = wrenches[body.label], applied.joints[body.label - 1]
        forces.append(tuple(power(column, wrench) + driven for column, driven in zip(body.columns, own, strict=True)))
        if body.parent:
            wrenches[body.parent] = sum_of(wrenches[body.parent], body.placement.wrench_to_parent(*wrench))
    return mechanism.gather(tuple(reversed(forces)))

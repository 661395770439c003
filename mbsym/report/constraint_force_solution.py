"""What the constraint force algorithm solves for: the right side X, and the forces that follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations.constraint_force.block_system import BlockSystem
from mbsym.formulations.constraint_force.kkt import kkt_system
from mbsym.formulations.constraint_force.leaf_to_root import derive_motion, first_singular_body
from mbsym.kinematics.mechanism import Mechanism
from mbsym.registry import FORMULATIONS
from mbsym.report.closed_form import closed_form
from mbsym.report.equations import Equations
from mbsym.report.sections import Entries, Section, Steps
from mbsym.report.steps import named_steps
from mbsym.symbolic.scalar import Scalar

LARGEST_SIDE: Final = 1200
"""Operations, as printed, of a right side up to which it is shown in closed form."""

LARGEST_SOLUTION: Final = 1500
"""Operations of the forces up to which the steps that compute them are listed."""


def solution_sections(mechanism: Mechanism, formulation: str) -> tuple[Section, ...]:
    """X and the joint wrenches under tau, as the formulation of that name finds them."""
    if mechanism.is_coupled:
        return ()
    equations = Equations(mechanism, formulation)
    with_accelerations = formulation == "cfa-kkt" or first_singular_body(mechanism) is not None
    return (_right_side(equations, with_accelerations), _forces(equations))


def _right_side(equations: Equations, with_accelerations: bool) -> Section:
    mechanism = equations.mechanism
    if with_accelerations:
        side = kkt_system(mechanism, mechanism.of_joints(mechanism.entries(mechanism.tau))).right
        sentence = (
            "X is the right side: for each body, by label, six rows along the free and the held directions of its "
            "joint, then for each joint the rows of its constraint forces."
        )
    else:
        side = tuple(_right_side_of_a(mechanism))
        sentence = (
            "A F_S = X, with X of speeds, gravity and all forces: for each joint, by label, the accelerations in its "
            "held directions that the constraint forces have to undo."
        )
    title = "Right side X"
    written = closed_form(mechanism, [entry.ref for entry in side], LARGEST_SIDE, equations.symbols)
    if written is None:
        return Section("right_side", title, (sentence, "Its entries are too large to be shown in closed form."))
    entries = Entries("X", {(k,): x for k, x in enumerate(written, start=1) if x != 0})
    return Section("right_side", title, (sentence,), (entries,))


def _right_side_of_a(mechanism: Mechanism) -> Sequence[Scalar]:
    caught: list[Sequence[Scalar]] = []

    def caught_only(system: BlockSystem, parents: tuple[int, ...], right: list[Scalar]) -> list[Scalar]:
        caught.append(right)
        return [Scalar(mechanism.graph, 0)] * len(right)

    derive_motion(mechanism, caught_only)
    return caught[0]


def _forces(equations: Equations) -> Section:
    title = "Forces in the joints"
    sentence = (
        "F = H-bar tau + W F_S: [moment; force] on each joint's successor by its predecessor under tau, six entries a "
        "joint, by label."
    )
    try:
        program = FORMULATIONS.named(equations.formulation).functions["joint_wrenches"](equations.mechanism.afresh())
    except DerivationError as error:
        return Section("constraint_forces", title, (sentence, f"They are not determined: {error.what}."))
    operations = program.operation_count().arithmetic
    if operations > LARGEST_SOLUTION:
        listed = f"The {operations} operations that compute them are in the generated function joint_wrenches."
        return Section("constraint_forces", title, (sentence, listed), operations=operations)
    found = named_steps(program, equations.symbols)
    places = {(row + 1, column + 1): found.outputs[6 * row + column] for row, column in _places(len(found.outputs))}
    entries = Entries("F", {place: value for place, value in places.items() if value != 0})
    return Section("constraint_forces", title, (sentence,), (Steps(found.groups, entries),), operations)


def _places(count: int) -> list[tuple[int, int]]:
    return [divmod(k, 6) for k in range(count)]

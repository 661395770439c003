"""What Kane's equations have to show: partial velocities, and the mass matrix in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mbsym.doors import sympy
from mbsym.formulations.kane.closed_form import kane_bodies, kane_columns, kane_partial_velocities
from mbsym.kinematics.mechanism import Mechanism
from mbsym.report.closed_form import closed_form, unit_coordinates
from mbsym.report.sections import Equation, Item, NamedMatrix, Pattern, Section
from mbsym.spatial.vector import Vector3, is_zero
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.sympy_bridge import to_sympy
from mbsym.symbolic.trigonometry import simplify_all_trigonometric

LARGEST_SIMPLIFIED: Final = 5000
"""Operations, as printed, of a vector up to which it is simplified."""

LARGEST_PATTERN: Final = 40
"""Bodies up to which the table of partial velocities is shown."""


def _dot(first: str, second: str) -> str:
    return f"{first}<mo>·</mo>{second}"


def _sub(letter: str, subscript: str) -> str:
    return f"<msub><mi>{letter}</mi><mi>{subscript}</mi></msub>"


IN_WORDS: Final = Equation(
    "M_jk = sum over bodies i of m_i v_ij . v_ik + w_ij . J_i w_ik",
    r"M_{jk} = \sum_i \left( m_i\, v_{ij} \cdot v_{ik} + \omega_{ij} \cdot J_i\, \omega_{ik} \right)",
    f"{_sub('M', 'jk')}<mo>=</mo><munder><mo>∑</mo><mi>i</mi></munder><mo>(</mo>{_sub('m', 'i')}"
    f"{_dot(_sub('v', 'ij'), _sub('v', 'ik'))}<mo>+</mo>"
    f"{_dot(_sub('ω', 'ij'), _sub('J', 'i'))}{_sub('ω', 'ik')}<mo>)</mo>",
)

SENTENCES: Final = (
    "w_ij and v_ij are the partial angular velocity of body i and the partial velocity of its centre of mass for the "
    "speed j, in base axes: the velocities that it has where this speed is one and the others are zero. They vanish "
    "unless T_ji = -1, that is, unless joint j is on the way from ground to body i, so T is the pattern of the table.",
    "In words: the mass matrix has in row j and column k the kinetic energy that bodies outboard of both joints share, "
    "mass times the product of their partial velocities and inertia about the centre of mass between their partial "
    "angular velocities; the bias has in row j the inertial forces at vdot = 0 along the same velocities.",
)

ORIGINS: Final = (
    "A body whose mass is a parameter that may be zero has no centre of mass then: its origin stands in for it, and "
    "the products with its first moment are added."
)


def kane_sections(mechanism: Mechanism) -> tuple[Section, ...]:
    """Table of partial velocities, and their closed forms where these can be read."""
    rows = tuple(body.name for body in mechanism.bodies)
    speeds = mechanism.speed_names
    cells: dict[tuple[int, int], str] = {}
    vectors, linear = _along_speeds(mechanism)
    for body, column in vectors:
        marks = [letter for letter, table in (("w", vectors), ("v", linear)) if not is_zero(table[body, column])]
        cells[body - 1, column - 1] = " ".join(marks)
    items: list[Item] = [IN_WORDS]
    if mechanism.nb <= LARGEST_PATTERN and speeds:
        items.append(Pattern("body", rows, speeds, {place: cell for place, cell in cells.items() if cell}))
    told = (*SENTENCES, ORIGINS) if any(any(body.moment) for body in kane_bodies(mechanism)) else SENTENCES
    section = Section("partial_velocities", "Partial velocities", told, tuple(items))
    shown = _closed(mechanism, {"w": vectors, "v": linear})
    if shown is None:
        return (section,)
    closed = Section(
        "partial_velocities_closed",
        "Partial velocities in closed form",
        ("Indices: body, speed; components in base axes.",),
        shown,
    )
    return (section, closed)


def _along_speeds(mechanism: Mechanism) -> tuple[dict[tuple[int, int], Vector3], dict[tuple[int, int], Vector3]]:
    """Partial angular velocities and velocities by body label and number of the speed, couplings folded in."""
    found = kane_columns(mechanism, kane_partial_velocities(mechanism, kane_bodies(mechanism)))
    vectors = {(body, column + 1): w for (body, column), (w, _) in found.items()}
    return vectors, {(body, column + 1): v for (body, column), (_, v) in found.items()}


def partial_velocities(mechanism: Mechanism) -> dict[tuple[str, str], tuple[sympy.Matrix, sympy.Matrix]]:
    """Partial angular velocity and partial velocity of the centre of mass, 3 x 1 in base axes.

    Returns:
        Pairs by name of the body and name of the speed; those that are zero by the path matrix are left out.
    """
    graph = mechanism.graph
    vectors, linear = _along_speeds(mechanism)
    names = [body.name for body in mechanism.bodies]
    speeds = mechanism.speed_names
    units = unit_coordinates(mechanism)
    found = {}
    for body, column in sorted(vectors):
        halves = []
        for table in (vectors, linear):
            refs = [entry.ref for entry in table[body, column]]
            if PrintedSizes(graph).of_all(refs) <= LARGEST_SIMPLIFIED:
                refs = list(simplify_all_trigonometric(graph, refs, units))
            halves.append(sympy.Matrix(to_sympy(graph, refs)))
        found[names[body - 1], speeds[column - 1]] = (halves[0], halves[1])
    return found


def _closed(mechanism: Mechanism, tables: Mapping[str, Mapping[tuple[int, int], Vector3]]) -> tuple[Item, ...] | None:
    places = [(letter, place, k) for letter, table in tables.items() for place in sorted(table) for k in range(3)]
    values = closed_form(mechanism, [tables[letter][place][k].ref for letter, place, k in places])
    if values is None:
        return None
    found = []
    for n in range(0, len(values), 3):
        letter, place, _ = places[n]
        vector = sympy.Matrix(values[n : n + 3])
        if not vector.is_zero_matrix:
            found.append(NamedMatrix(f"{letter}_{','.join(map(str, place))}", vector))
    return tuple(found)

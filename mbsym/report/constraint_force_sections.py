"""What the constraint force algorithm has to show: patterns of A, B and C, blocks in closed form, level schedule."""

from __future__ import annotations

from typing import Final

from mbsym.formulations.constraint_force.matrices import CfaMatrices, MatrixName, cfa_matrices
from mbsym.formulations.constraint_force.serial import level_schedule
from mbsym.kinematics.mechanism import Mechanism
from mbsym.report.sections import Equation, Item, NamedMatrix, Pattern, Section, Table
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.sympy_bridge import to_sympy
from mbsym.symbolic.trigonometry import simplify_all_trigonometric

LARGEST_PATTERN: Final = 30
"""Joints up to which the pattern of a matrix is shown."""

LARGEST_BLOCK: Final = 400
"""Operations, as printed, up to which a block is shown in closed form."""

LARGEST_MATRIX: Final = 2500
"""Operations, as printed, of all blocks of a matrix up to which they are shown in closed form."""


def _script(letter: str, superscript: str) -> str:
    return f"<msup><mi>{letter}</mi>{superscript}</msup>"


_T: Final = "<mi mathvariant='normal'>T</mi>"
_INVERSE: Final = "<mrow><mo>&#x2212;</mo><mn>1</mn></mrow>"
_CORE: Final = f"{_script('P', _T)}{_script('I', _INVERSE)}<mi>P</mi>"
_H_BAR: Final = "<mover><mi>H</mi><mo>¯</mo></mover>"
_COMMA: Final = "<mo>,</mo><mspace width='1em'/>"

DEFINITIONS: Final = Equation(
    "A = W^T P^T I^-1 P W,  B = W^T P^T I^-1 P H-bar,  C = H-bar^T P^T I^-1 P H-bar",
    r"A = W^{\mathsf T} P^{\mathsf T} I^{-1} P W, \quad B = W^{\mathsf T} P^{\mathsf T} I^{-1} P \bar H, \quad "
    r"C = \bar H^{\mathsf T} P^{\mathsf T} I^{-1} P \bar H",
    f"<mi>A</mi><mo>=</mo>{_script('W', _T)}{_CORE}<mi>W</mi>{_COMMA}"
    f"<mi>B</mi><mo>=</mo>{_script('W', _T)}{_CORE}{_H_BAR}{_COMMA}"
    f"<mi>C</mi><mo>=</mo><msup>{_H_BAR}{_T}</msup>{_CORE}{_H_BAR}",
)

SENTENCES: Final = {
    "A": "A F_S = -B (tau - h) for the constraint forces F_S in the directions W of all joints: symmetric, positive "
    "definite, a block where two joints hold the same body.",
    "B": "B takes generalised forces to accelerations in the constraint directions.",
    "C": "C has the accelerations of the freedoms, and M^-1 = C - B^T A^-1 B.",
}


def constraint_force_sections(mechanism: Mechanism) -> tuple[Section, ...]:
    """Patterns and blocks of A, B and C.

    Raises:
        DerivationError: the mechanism has no A: a body has no inverse inertia, or a coupling joins two joints.
    """
    matrices = cfa_matrices(mechanism)
    first = Section("constraint_matrices", "Matrices of the constraint force algorithm", (), (DEFINITIONS,))
    names: tuple[MatrixName, ...] = ("A", "B", "C")
    return (first, *(_matrix_section(matrices, name) for name in names))


def _matrix_section(matrices: CfaMatrices, name: MatrixName) -> Section:
    joints = [body.joint.name for body in matrices.mechanism.bodies]
    rows = [k for k, size in enumerate(matrices.row_sizes[name]) if size]
    columns = [k for k, size in enumerate(matrices.column_sizes[name]) if size]
    present = [
        (i, j)
        for i, j in sorted(matrices.blocks[name])
        if i - 1 in rows and j - 1 in columns and any(entry for line in matrices.blocks[name][i, j] for entry in line)
    ]
    items: list[Item] = []
    if len(rows) <= LARGEST_PATTERN and len(columns) <= LARGEST_PATTERN:
        cells = {
            (rows.index(i - 1), columns.index(j - 1)): f"{matrices.row_sizes[name][i - 1]}x"
            f"{matrices.column_sizes[name][j - 1]}"
            for i, j in present
        }
        items.append(Pattern(name, tuple(joints[k] for k in rows), tuple(joints[k] for k in columns), cells))
    upper = [(i, j) for i, j in present if name == "B" or i <= j]
    shown = _closed_blocks(matrices, name, upper)
    sentence = "" if shown else "The blocks are too large to be shown in closed form."
    below = "" if name == "B" or not shown else "Blocks below the diagonal are those above it, transposed."
    sentences = tuple(each for each in (SENTENCES[name], sentence, below) if each)
    return Section(f"matrix_{name}", f"Matrix {name}", sentences, (*items, *shown))


def _closed_blocks(matrices: CfaMatrices, name: MatrixName, places: list[tuple[int, int]]) -> tuple[Item, ...]:
    """The blocks in closed form, none where they are too large."""
    import sympy

    graph = matrices.mechanism.graph
    sizes = PrintedSizes(graph)
    refs = {place: [entry.ref for line in matrices.blocks[name][place] for entry in line] for place in places}
    if sum(map(sizes.of_all, refs.values())) > 4 * LARGEST_MATRIX:
        return ()
    q = matrices.mechanism.q
    units = [q.symbols[first : first + 4] for first in q.quaternions]
    short = {place: simplify_all_trigonometric(graph, values, units) for place, values in refs.items()}
    written = [sizes.of_all(values) for values in short.values()]
    if sum(written) > LARGEST_MATRIX or max(written, default=0) > LARGEST_BLOCK:
        return ()
    return tuple(
        NamedMatrix(
            f"{name}_{i},{j}",
            sympy.Matrix(
                matrices.row_sizes[name][i - 1], matrices.column_sizes[name][j - 1], to_sympy(graph, short[i, j])
            ),
        )
        for i, j in places
    )


def schedule_section(mechanism: Mechanism) -> Section:
    """In which round the reduction eliminates which joints.

    Raises:
        DerivationError: a coupling joins two joints.
    """
    rounds = level_schedule(mechanism)
    rows = tuple((str(k), str(len(joints)), ", ".join(joints)) for k, joints in enumerate(rounds, start=1))
    return Section(
        "level_schedule",
        "Level schedule",
        (
            f"The constraint forces of {sum(map(len, rounds))} joints are eliminated in {len(rounds)} rounds; the "
            "joints of a round do not depend on each other.",
        ),
        (Table(("round", "joints", "names"), rows),),
    )

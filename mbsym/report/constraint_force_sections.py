"""What the constraint force algorithm has to show: patterns of A, B and C, blocks in closed form, level schedule, the
right side X, and the forces that follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice
from operator import le, lt
from typing import Final

from mbsym.doors import sympy
from mbsym.errors import DerivationError
from mbsym.formulations.constraint_force.kkt import kkt_system
from mbsym.formulations.constraint_force.leaf_to_root import first_singular_body, right_side
from mbsym.formulations.constraint_force.matrices import (
    JointMatrices,
    MatrixName,
    cfa_matrices,
    matrices_with_accelerations,
)
from mbsym.formulations.constraint_force.serial import level_schedule
from mbsym.kinematics.mechanism import Mechanism
from mbsym.registry import FORMULATIONS
from mbsym.report.closed_form import closed_form, simplified_values, unit_coordinates
from mbsym.report.equations import Equations
from mbsym.report.sections import Entries, Equation, Item, NamedMatrix, Pattern, Section, Steps, Table
from mbsym.report.steps import named_steps
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.sympy_bridge import to_sympy

LARGEST_PATTERN: Final = 30
"""Joints up to which the pattern of a matrix is shown."""

LARGEST_BLOCK: Final = 400
"""Operations, as printed, up to which a block is shown in closed form."""

LARGEST_MATRIX: Final = 2500
"""Operations, as printed, of all blocks of a matrix up to which they are shown in closed form."""


LARGEST_SIDE: Final = 1200
"""Operations, as printed, of a right side up to which it is shown in closed form."""

LARGEST_SOLUTION: Final = 1500
"""Operations of the forces up to which the steps that compute them are listed."""


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

_WT: Final = _script("W", _T)
_PT: Final = _script("P", _T)
_GAP: Final = "<mo>,</mo><mspace width='0.4em'/>"


def _matrix(*rows: str) -> str:
    cells = "".join(f"<mtr>{row}</mtr>" for row in rows)
    return f"<mtable class='matrix'>{cells}</mtable>"


def _cell(text: str) -> str:
    return f"<mtd><mrow>{text}</mrow></mtd>"


WITH_ACCELERATIONS: Final = Equation(
    "[ I  -P W ; W^T P^T  D ] [ a ; F_S ] = [ P H-bar tau - b ; W^T gamma + D tau ]",
    r"\begin{bmatrix} I & -P W \\ W^{\mathsf T} P^{\mathsf T} & D \end{bmatrix} "
    r"\begin{bmatrix} a \\ F_S \end{bmatrix} = "
    r"\begin{bmatrix} P \bar H \tau - b \\ W^{\mathsf T} \gamma + D \tau \end{bmatrix}",
    _matrix(
        f"{_cell('<mi>I</mi>')}{_cell('<mo>&#x2212;</mo><mi>P</mi><mi>W</mi>')}",
        f"{_cell(_WT + _PT)}{_cell('<mi>D</mi>')}",
    )
    + _matrix(_cell("<mi>a</mi>"), _cell("<msub><mi>F</mi><mi>S</mi></msub>"))
    + "<mo>=</mo>"
    + _matrix(
        _cell(f"<mi>P</mi>{_H_BAR}<mi>τ</mi><mo>&#x2212;</mo><mi>b</mi>"),
        _cell(f"{_WT}<mi>γ</mi><mo>+</mo><mi>D</mi><mi>τ</mi>"),
    ),
)

SENTENCES: Final = {
    "W": "W has the directions in which each joint holds its body, and those of freedoms with rotor inertia.",
    "P": "P takes joint wrenches to what they do to the bodies: unit matrices on the diagonal, less the transform of "
    "each body's wrench to its parent.",
    "I": "I has the spatial inertias of the bodies about their frames.",
    "D": "D has the inverse rotor inertias, and is zero elsewhere.",
    "A": "A F_S = -B (tau - h) for the constraint forces F_S in the directions W of all joints: symmetric, positive "
    "definite, a block where two joints hold the same body.",
    "B": "B takes generalised forces to accelerations in the constraint directions.",
    "C": "C has the accelerations of the freedoms, and M^-1 = C - B^T A^-1 B.",
}


_SAID: Final[Mapping[str, Callable[[int, int], bool]]] = {
    **dict.fromkeys("WIDB", lambda i, j: True), **dict.fromkeys("AC", le), "P": lt,
}  # fmt: skip
"""Which blocks say something: the others are those above them, transposed, or unit matrices on the diagonal of P."""


def constraint_force_sections(mechanism: Mechanism, formulation: str) -> tuple[Section, ...]:
    """Matrices, right side and forces of the form of the algorithm of that name, and the schedule of one in rounds.

    Raises:
        DerivationError: the form does not cover the mechanism.
    """
    matrices = _with_accelerations(mechanism) if formulation == "cfa-kkt" else _matrices(mechanism)
    schedule = (_schedule(mechanism),) if formulation == "cfa-serial" else ()
    return (*matrices, *_solution(mechanism, formulation), *schedule)


def _matrices(mechanism: Mechanism) -> tuple[Section, ...]:
    """A, B and C, or where there is no A the reason and the form with accelerations."""
    try:
        matrices = cfa_matrices(mechanism)
    except DerivationError as error:
        reason = Section("constraint_matrix", "Constraint matrix A", (f"{error.what}.",))
        try:
            return (reason, *_with_accelerations(mechanism))
        except DerivationError:  # coupled joints have neither
            return (reason,)
    first = Section("constraint_matrices", "Matrices of the constraint force algorithm", (), (DEFINITIONS,))
    names: tuple[MatrixName, ...] = ("A", "B", "C")
    return (first, *(_matrix_section(matrices, name) for name in names))


def _with_accelerations(mechanism: Mechanism) -> tuple[Section, ...]:
    """The form with accelerations and constraint forces as unknowns, and its matrices; every tree has it."""
    matrices = matrices_with_accelerations(mechanism)
    has_rotors = any(entry for block in matrices.blocks["D"].values() for row in block for entry in row)
    sentences = (
        "The accelerations a of the body frames, [angular; linear], and the constraint forces F_S are the unknowns, "
        "and no inertia is inverted; b and gamma are what the speeds, gravity and outer forces contribute.",
        *(() if has_rotors else ("No joint has rotor inertia, so D is zero.",)),
    )
    first = Section("acceleration_form", "Form with accelerations", sentences, (WITH_ACCELERATIONS,))
    names: tuple[MatrixName, ...] = ("I", "P", "W", *(("D",) if has_rotors else ()))
    return (first, *(_matrix_section(matrices, name) for name in names))


def _matrix_section(matrices: JointMatrices, name: MatrixName) -> Section:
    present = [place for place, block in sorted(matrices.blocks[name].items()) if any(chain.from_iterable(block))]
    pattern = _pattern(matrices, name, present)
    worth = [place for place in present if _SAID[name](*place)]
    shown = _closed_blocks(matrices, name, worth)
    sentences = [SENTENCES[name]]
    if worth and not shown:
        sentences.append("The blocks are too large to be shown in closed form.")
    elif shown and _SAID[name] is le:
        sentences.append("Blocks below the diagonal are those above it, transposed.")
    return Section(f"matrix_{name}", f"Matrix {name}", tuple(sentences), (*pattern, *shown))


def _pattern(matrices: JointMatrices, name: MatrixName, present: Sequence[tuple[int, int]]) -> tuple[Pattern, ...]:
    """Which blocks are there, named by the bodies or joints that they belong to; nothing where they are many."""
    names = {
        True: [body.name for body in matrices.mechanism.bodies],
        False: [body.joint.name for body in matrices.mechanism.bodies],
    }
    sizes = matrices.row_sizes[name], matrices.column_sizes[name]
    lines = [[k for k, size in enumerate(own, start=1) if size] for own in sizes]
    if max(map(len, lines)) > LARGEST_PATTERN:
        return ()
    of_bodies = name in ("I", "P"), name == "I"
    rows, columns = (tuple(names[own][k - 1] for k in line) for own, line in zip(of_bodies, lines, strict=True))
    cells = {(lines[0].index(i), lines[1].index(j)): f"{sizes[0][i - 1]}x{sizes[1][j - 1]}" for i, j in present}
    return (Pattern(name, rows, columns, cells),)


def _closed_blocks(matrices: JointMatrices, name: MatrixName, places: list[tuple[int, int]]) -> tuple[Item, ...]:
    """The blocks in closed form, none where they are too large."""
    mechanism, graph = matrices.mechanism, matrices.mechanism.graph
    blocks = [[entry.ref for line in matrices.blocks[name][place] for entry in line] for place in places]
    every = simplified_values(graph, [*chain.from_iterable(blocks)], unit_coordinates(mechanism), LARGEST_MATRIX)
    values = iter(every or ())
    short = [list(islice(values, len(block))) for block in blocks]
    if every is None or max(map(PrintedSizes(graph).of_all, short), default=0) > LARGEST_BLOCK:
        return ()
    shapes = [(matrices.row_sizes[name][i - 1], matrices.column_sizes[name][j - 1]) for i, j in places]
    return tuple(
        NamedMatrix(f"{name}_{i},{j}", sympy.Matrix(*shape, to_sympy(graph, block)))
        for (i, j), shape, block in zip(places, shapes, short, strict=True)
    )


def _schedule(mechanism: Mechanism) -> Section:
    """In which round the reduction eliminates which joints."""
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


def _solution(mechanism: Mechanism, formulation: str) -> tuple[Section, ...]:
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
        side = right_side(mechanism)
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
    entries = Entries("F", {(k // 6 + 1, k % 6 + 1): value for k, value in enumerate(found.outputs) if value != 0})
    return Section("constraint_forces", title, (sentence,), (Steps(found.groups, entries),), operations)

"""Results of linear analysis as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from mbsym.doors import Array
from mbsym.kinematics.measures import measures_of
from mbsym.linear.equations import LinearEquations, State
from mbsym.linear.equilibrium import Equilibria
from mbsym.linear.linearised import Linearisation
from mbsym.linear.modes import Mode, Modes
from mbsym.linear.vibration.elements import BeamLink
from mbsym.markup import aligned

if TYPE_CHECKING:
    from mbsym.linear.modal_system import ModalSystem
    from mbsym.linear.symbols import SymbolicSystem
    from mbsym.linear.transfer_matrix_modes import TransferMatrixModes

_NOTHING = 1e-12
"""Part of the largest number of a matrix below which one is printed as 0."""

_ROUND_OFF = 1e-11
"""Part of what they are measured by below which coordinates, speeds and forces are printed as 0: equilibria are found
to about 1e-10 of the forces."""


_MATRICES = (
    ("A", "states", "states"),
    ("B", "states", "inputs"),
    ("C", "outputs", "states"),
    ("D", "outputs", "inputs"),
)
"""With what their rows and columns are."""


def linearisation_text(found: Linearisation, symbols: SymbolicSystem | None = None) -> str:
    """Where it holds, the matrices with their names, and the poles."""
    kind = "an equilibrium" if found.is_equilibrium else "a state that is no equilibrium"
    lines = [f"{found.equations.name}: linearised about {kind}", "", *_state(found.equations, found.state)]
    if not found.is_equilibrium:
        lines.append(f"{'rates':12}{_pairs(found.states, found.rates)}")
    lines.append(f"{'x':12}{_with_units(found.states, found.state_units)}")
    lines.append(f"{'u':12}{_with_units(found.inputs, found.input_units)}")
    lines.append(f"{'y':12}{'x' if found.outputs == found.states else ', '.join(found.outputs)}")
    shown = _MATRICES if found.outputs != found.states else _MATRICES[:2]
    for letter, row_names, column_names in shown:
        rows, columns = getattr(found, row_names), getattr(found, column_names)
        matrix = getattr(found, letter)
        if matrix.size:
            lines += ["", *_matrix(letter, matrix, rows, columns)]
    if symbols is not None:
        lines += ["", "in symbols", *_entries(found, symbols)]
    lines += ["", f"{'poles':12}{', '.join(_pairs_once(found.poles))}"]
    return "\n".join(lines) + "\n"


def modal_system_text(found: ModalSystem) -> str:
    """How many modes take part, the matrices with their names, and the poles."""
    count, searched = len(found.eigenvalues), found.searched
    told = f"{count} of {searched}" if count < searched else f"{count}"
    lines = [f"{found.name}: {told} mode{'' if searched == 1 else 's'} about a state of rest, by transfer matrices"]
    if count < searched:
        unfelt = "" if found.outputs == found.inputs else ", or no output feels them"
        lines.append(f"no input excites {'the others' if count else 'any'}{unfelt}")
    for letter, row_names, column_names in _MATRICES:
        matrix = getattr(found, letter)
        if matrix.size:
            lines += ["", *_matrix(letter, matrix, getattr(found, row_names), getattr(found, column_names))]
    poles = [_eigenvalue(pole) for pole in found.eigenvalues.tolist()]
    return "\n".join([*lines, "", f"{'poles':12}{', '.join(poles) or 'none'}"]) + "\n"


def equilibria_text(found: Equilibria) -> str:
    """Each equilibrium with its state and stability."""
    equations = found[0].equations
    lines = [f"{equations.name}: {len(found)} {'equilibrium' if len(found) == 1 else 'equilibria'}"]
    for item in found:
        lines += ["", f"{item.name}: {item.stability.sentence}", *_state(equations, item.state)]
        if item.idle:
            lines.append(f"{'one of many':12}{', '.join(item.idle)} may change")
    return "\n".join(lines) + "\n"


def modes_text(found: Modes) -> str:
    """A table of eigenvalues, and one of shapes."""
    linear = found.linearisation
    kind = "an equilibrium" if linear.is_equilibrium else "a state that is no equilibrium"
    shapes = [("shape", *(mode.name for mode in found))]
    for k, name in enumerate(found.names):
        shapes.append((name, *(_complex(mode.shape[k], 4) for mode in found)))
    lines = [f"{linear.equations.name}: small motions about {kind}", "", *_state(linear.equations, linear.state)]
    return "\n".join([*lines, "", *numbered(_eigenvalues(tuple(found))), "", *numbered(shapes)]) + "\n"


def _eigenvalues(modes: Sequence[Mode]) -> list[tuple[str, ...]]:
    """A table, a row for each mode."""
    rows: list[tuple[str, ...]] = [("", "eigenvalue [1/s]", "rad/s", "Hz", "damping", "behaviour")]
    rows += [
        (mode.name, _eigenvalue(mode.eigenvalue), _number(mode.frequency), _number(mode.hertz), _damping(mode),
         mode.behaviour)
        for mode in modes
    ]  # fmt: skip
    return rows


MOST_ROWS: Final = 60
"""Rows of a table of motions that people read; documents for machines have all."""


def transfer_matrix_modes_text(found: TransferMatrixModes) -> str:
    """A table of eigenvalues, and one of the motions of all points that move."""
    shapes = [("shape", *(mode.name for mode in found))]
    moving = [k for k in range(len(found.names)) if any(mode.shape[k] for mode in found)]
    for k in moving[:MOST_ROWS]:
        shapes.append((found.names[k], *(f"{mode.shape[k]:.4g}" for mode in found)))
    more = [] if len(moving) <= MOST_ROWS else [f"and {len(moving) - MOST_ROWS} more rows, which `json` has"]
    beams = f", beams {found.beams}" if any(isinstance(item.link, BeamLink) for item in found.tree.elements) else ""
    lines = [f"{found.name}: small motions about a state of rest, by transfer matrices{beams}"]
    return "\n".join([*lines, "", *numbered(_eigenvalues(tuple(found))), "", *numbered(shapes), *more]) + "\n"


def _damping(mode: Mode) -> str:
    return f"{mode.damping if abs(mode.damping) > 1e-9 else 0.0:.4g}" if mode.frequency else ""


def _state(equations: LinearEquations, state: State) -> list[str]:
    sizes = measures_of(equations.mechanism).coordinates
    lines = [f"{'q':12}{_pairs(equations.coordinates, state.q, sizes)}"]
    if state.v.any():
        lines.append(f"{'v':12}{_pairs(equations.speeds, state.v)}")
    if equations.inputs:
        lines.append(f"{'inputs':12}{_pairs(equations.inputs, state.u)}")
    if state.tau.any():
        lines.append(f"{'tau':12}{_pairs(equations.speeds, state.tau)}")
    if equations.mechanism.model.uses_time:
        lines.append(f"{'t':12}{_number(state.t)} s, at which this holds: forces depend on time")
    return lines


def _pairs(names: Sequence[str], values: Array, sizes: Array | None = None) -> str:
    """Names with values, round-off of what these are measured by as 0; by default the largest of them."""
    least = _ROUND_OFF * (np.abs(values).max(initial=0.0) if sizes is None else sizes)
    shown = np.where(np.abs(values) > least, values, 0.0).tolist()
    return ", ".join(f"{name} = {_number(value)}" for name, value in zip(names, shown, strict=True))


def _with_units(names: Sequence[str], units: Sequence[str]) -> str:
    shown = (f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True))
    return ", ".join(shown) or "none"


def _matrix(letter: str, matrix: Array, rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    least = _NOTHING * float(np.abs(matrix).max(initial=0.0))
    table = [(letter, *columns)]
    for name, row in zip(rows, matrix, strict=True):
        table.append((name, *(_number(float(x) if abs(x) > least else 0.0) for x in row)))
    return numbered(table)


def _entries(found: Linearisation, symbols: SymbolicSystem) -> list[str]:
    """Entries that are neither 0 nor 1, one a line."""
    lines = []
    for letter, row_names, column_names in _MATRICES:
        rows, columns = getattr(found, row_names), getattr(found, column_names)
        matrix = getattr(symbols, letter)
        for i in range(len(rows)):
            for j in range(len(columns)):
                if matrix[i, j] != 0 and matrix[i, j] != 1:
                    lines.append(f"  {letter}[{i + 1},{j + 1}] = {matrix[i, j]}")
    return lines


def numbered(rows: Sequence[Sequence[str]]) -> list[str]:
    """Names to the left, numbers to the right."""
    return aligned(rows, right=[k for k, cell in enumerate(rows[-1]) if k and _starts_a_number(cell)])


def _starts_a_number(cell: str) -> bool:
    return not cell or cell[0] in "-±0123456789"


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}"


def _pairs_once(poles: Array) -> list[str]:
    """Real poles, and complex pairs as one."""
    return [_eigenvalue(pole) for pole in poles.tolist() if pole.imag >= 0.0]


def _eigenvalue(value: complex) -> str:
    """x ± yi of a pair, by its upper one."""
    real, imaginary = _parts(value)
    if not imaginary:
        return f"{real:.6g}"
    return f"{real:.6g} ± {imaginary:.6g}i" if real else f"±{imaginary:.6g}i"


def _complex(value: complex, digits: int) -> str:
    real, imaginary = _parts(value)
    if not imaginary:
        return f"{real:.{digits}g}"
    sign = "+" if imaginary > 0.0 else "-"
    return f"{real:.{digits}g} {sign} {abs(imaginary):.{digits}g}i" if real else f"{imaginary:.{digits}g}i"


def _parts(value: complex) -> tuple[float, float]:
    """Real and imaginary part without round-off of the other."""
    size = abs(value)
    parts = (part if abs(part) > 1e-9 * size else 0.0 for part in (value.real, value.imag))
    real, imaginary = (part + 0.0 for part in parts)
    return real, imaginary

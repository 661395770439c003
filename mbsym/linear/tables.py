"""Results of linear analysis as text."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees
from typing import TYPE_CHECKING, Final

import numpy as np

from mbsym.doors import Array
from mbsym.kinematics.measures import measures_of
from mbsym.linear.equations import LinearEquations, State
from mbsym.linear.equilibrium import Equilibria
from mbsym.linear.linearised import Linearisation
from mbsym.linear.modes import Mode, Modes, ModeSequence
from mbsym.linear.vibration.elements import BeamLink
from mbsym.markup import aligned

if TYPE_CHECKING:
    from mbsym.linear.modal_system import ModalSystem
    from mbsym.linear.response import FrequencyResponse
    from mbsym.linear.symbols import SymbolicSystem
    from mbsym.linear.transfer_matrix_modes import TransferMatrixModes

_NOTHING = 1e-12
"""Part of the largest number of a matrix below which one is printed as 0."""

_ROUND_OFF = 1e-11
"""Part of what they are measured by below which coordinates, speeds and forces are printed as 0: equilibria are found
to about 1e-10 of the forces."""


_FIRST: Final = ("", *"-±0123456789")
"""First letters of numbers, and of what has none."""

_SIDES: Final = {
    "A": ("states", "states"),
    "B": ("states", "inputs"),
    "C": ("outputs", "states"),
    "D": ("outputs", "inputs"),
}
"""What rows and columns of the matrices are."""


def linearisation_text(found: Linearisation, symbols: SymbolicSystem | None = None) -> str:
    """Where it holds, the matrices with their names, and the poles."""
    lines = _heading(found, "linearised")
    if not found.is_equilibrium:
        lines.append(f"{'rates':12}{_pairs(found.states, found.rates)}")
    lines.append(f"{'x':12}{_with_units(found.states, found.state_units)}")
    lines.append(f"{'u':12}{_with_units(found.inputs, found.input_units)}")
    lines.append(f"{'y':12}{'x' if found.outputs == found.states else ', '.join(found.outputs)}")
    lines += _matrices(found, "ABCD" if found.outputs != found.states else "AB")
    if symbols is not None:
        lines += ["", "in symbols", *_entries(symbols)]
    # Of a pair the upper one says both.
    poles = [_eigenvalue(pole) for pole in found.poles.tolist() if pole.imag >= 0.0]
    return "\n".join([*lines, "", f"{'poles':12}{', '.join(poles)}"]) + "\n"


def modal_system_text(found: ModalSystem) -> str:
    """How many modes take part, the matrices with their names, and the poles."""
    count, searched = len(found.eigenvalues), found.searched
    told = f"{count} of {searched}" if count < searched else f"{count}"
    lines = [f"{found.name}: {told} mode{'' if searched == 1 else 's'} about a state of rest, by transfer matrices"]
    if count < searched:
        unfelt = "" if found.outputs == found.inputs else ", or no output feels them"
        lines.append(f"no input excites {'the others' if count else 'any'}{unfelt}")
    poles = [_eigenvalue(pole) for pole in found.eigenvalues.tolist()]
    return "\n".join([*lines, *_matrices(found, "ABCD"), "", f"{'poles':12}{', '.join(poles) or 'none'}"]) + "\n"


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
    shapes = [("shape", *(mode.name for mode in found))]
    for k, name in enumerate(found.names):
        shapes.append((name, *(_complex(mode.shape[k]) for mode in found)))
    lines = _heading(found.linearisation, "small motions")
    return "\n".join([*lines, "", *_eigenvalues(found), "", *_numbered(shapes)]) + "\n"


def _eigenvalues(modes: ModeSequence) -> list[str]:
    """A table, a row for each mode."""
    rows = [("", "eigenvalue [1/s]", "rad/s", "Hz", "damping", "behaviour")]
    for mode in modes:
        sizes = (_number(mode.frequency), _number(mode.hertz), _damping(mode))
        rows.append((mode.name, _eigenvalue(mode.eigenvalue), *sizes, mode.behaviour))
    return _numbered(rows)


MOST_ROWS: Final = 60
"""Rows of a table of motions that people read; documents for machines have all."""


def transfer_matrix_modes_text(found: TransferMatrixModes) -> str:
    """A table of eigenvalues, and one of the motions of all points that move."""
    shapes = [("shape", *(mode.name for mode in found))]
    moving = [k for k in range(len(found.names)) if any(mode.shape[k] for mode in found)]
    for k in moving[:MOST_ROWS]:
        shapes.append((found.names[k], *(f"{mode.shape[k]:.4g}" for mode in found)))
    more = [] if len(moving) <= MOST_ROWS else [f"and {len(moving) - MOST_ROWS} more rows, which `json` has"]
    beams = f", beams {found.beams}" if any(isinstance(item.link, BeamLink) for item in found.placed.elements) else ""
    lines = [f"{found.name}: small motions about a state of rest, by transfer matrices{beams}"]
    return "\n".join([*lines, "", *_eigenvalues(found), "", *_numbered(shapes), *more]) + "\n"


def response_text(found: FrequencyResponse) -> str:
    """Amplitude and phase of each output per input, a row for each frequency."""
    pairs = [(i, j) for j in range(len(found.inputs)) for i in range(len(found.outputs))]
    heads = [f"{found.outputs[i]} / {found.inputs[j]}" for i, j in pairs]
    rows: list[tuple[str, ...]] = [("Hz", *(part for head in heads for part in (head, "degrees")))]
    for frequency, values in zip(found.hertz, found.values, strict=True):
        cells = [(f"{abs(values[i, j]):.4g}", f"{_phase(complex(values[i, j])):.1f}") for i, j in pairs]
        rows.append((f"{frequency:.5g}", *(part for cell in cells for part in cell)))
    words = "transfer matrices" if found.method == "transfer-matrix" else "linearised equations of motion"
    return "\n".join([f"{found.name}: frequency response by {words}", "", *_numbered(rows)]) + "\n"


def _phase(value: complex) -> float:
    """In degrees, above -180 up to 180; of what is zero 0."""
    found = degrees(float(np.angle(value)))
    return 180.0 if found <= -179.95 else found + 0.0


def _damping(mode: Mode) -> str:
    return f"{mode.damping if abs(mode.damping) > 1e-9 else 0.0:.4g}" if mode.frequency else ""


def _heading(found: Linearisation, what: str) -> list[str]:
    """What the text is about, and the state."""
    kind = "an equilibrium" if found.is_equilibrium else "a state that is no equilibrium"
    return [f"{found.equations.name}: {what} about {kind}", "", *_state(found.equations, found.state)]


def _state(equations: LinearEquations, state: State) -> list[str]:
    sizes = measures_of(equations.mechanism).coordinates
    lines = [f"{'q':12}{_pairs(equations.coordinates, state.q, sizes)}"]
    if state.v.any():
        lines.append(f"{'v':12}{_pairs(equations.speeds, state.v)}")
    if equations.inputs:
        lines.append(f"{'inputs':12}{_pairs(equations.inputs, state.u)}")
    if equations.drives:
        lines.append(f"{'drives':12}{_pairs(equations.drives, state.x, np.ones(len(state.x)))}")
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


def _matrices(found: Linearisation | ModalSystem, letters: str) -> list[str]:
    """Those that have entries, each below a line without text, with the names of its rows and columns."""
    lines = []
    for letter in letters:
        matrix: Array = getattr(found, letter)
        rows, columns = (getattr(found, side) for side in _SIDES[letter])
        least = _NOTHING * float(np.abs(matrix).max(initial=0.0))
        table = [(letter, *columns)]
        for name, row in zip(rows, matrix, strict=True):
            table.append((name, *(_number(float(x) if abs(x) > least else 0.0) for x in row)))
        if matrix.size:
            lines += ["", *_numbered(table)]
    return lines


def _entries(symbols: SymbolicSystem) -> list[str]:
    """Entries that are neither 0 nor 1, one a line."""
    return [
        f"  {letter}[{i + 1},{j + 1}] = {matrix[i, j]}"
        for letter, matrix in zip(_SIDES, symbols, strict=True)
        for i in range(matrix.rows)
        for j in range(matrix.cols)
        if matrix[i, j] not in (0, 1)
    ]


def _numbered(rows: Sequence[Sequence[str]]) -> list[str]:
    """Names to the left, numbers to the right."""
    return aligned(rows, right=[k for k, cell in enumerate(rows[-1]) if k and cell[:1] in _FIRST])


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}"


def _eigenvalue(value: complex) -> str:
    """x ± yi of a pair, by its upper one."""
    real, imaginary = _parts(value)
    if not imaginary:
        return f"{real:.6g}"
    return f"{real:.6g} ± {imaginary:.6g}i" if real else f"±{imaginary:.6g}i"


def _complex(value: complex) -> str:
    real, imaginary = _parts(value)
    if not imaginary:
        return f"{real:.4g}"
    sign = "+" if imaginary > 0.0 else "-"
    return f"{real:.4g} {sign} {abs(imaginary):.4g}i" if real else f"{imaginary:.4g}i"


def _parts(value: complex) -> tuple[float, float]:
    """Real and imaginary part without round-off of the other."""
    least = 1e-9 * abs(value)
    real, imaginary = (part + 0.0 if abs(part) > least else 0.0 for part in (value.real, value.imag))
    return real, imaginary

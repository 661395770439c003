"""State-space matrices of small motions by transfer matrices: poles and residues of the response.

The response H(s) of outputs to inputs has a simple pole at each eigenvalue of an oscillation, and a double one at zero
where motions rest. Integrals around a pole give its residue C_k B_k, whose rank is the number of modes there, from
values of H that are far enough from the pole to have all digits; so shapes are needed of no kind of element. What the
modes that are left out answer to slow forces is the feedthrough D.

Source: Markushevich, Theory of Functions of a Complex Variable (1977), expansion of meromorphic functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias, Unpack

import numpy as np

from mbsym.doors import Array, one_thread, scipy
from mbsym.errors import AnalysisError
from mbsym.linear.analysis import BALANCED, At
from mbsym.linear.options import LinearOptions, OfModalSystem
from mbsym.linear.state_space import StateSpace
from mbsym.linear.tables import eigenvalue
from mbsym.linear.transfer_matrix_modes import TransferFunction, transfer_function, vibrating_elements
from mbsym.linear.vibration.roots import TOGETHER, damped_eigenvalues, modes
from mbsym.linear.vibration.tree import VibratingTree
from mbsym.model.system import Model
from mbsym.option import made, takes
from mbsym.pipeline import Progress

AROUND: Final = 0.25
"""Radius of a circle around a pole, as a part of the distance of the next one."""

POINTS: Final = 24
"""On each circle: what the next pole adds falls with ``AROUND`` to this power."""

RESIDUE: Final = 1e-10
"""Singular values of a residue below this part of the response on the circle, times its radius, are round-off."""

STRAY: Final = 1e-6
"""Part of the response on a circle around zero that may belong to no double pole there."""

AGREEING: Final = 1e-5
"""Part of the largest response by which that of all modes may miss the transfer matrices' own at a frequency: motions
that nearly rest, by a millionth of the highest frequency, are taken to rest."""

BETWEEN: Final = (0.7, 1.3)
"""Frequencies where both are compared, as parts of the slowest and the fastest oscillation's."""


@dataclass(frozen=True, slots=True, repr=False)
class ModalSystem(StateSpace):
    """xdot = A x + B u, y = C x + D u of the lowest modes, two states for each.

    It unpacks as A, B, C, D, so that ``scipy.signal.StateSpace(*found)`` and ``control.ss(*found)`` take it.

    Attributes:
        name: of the model.
        A, B, C, D: (n, n), (n, m), (p, n), (p, m). D is the answer to slow forces of all modes that are left out; zero
            where none is.
        inputs, outputs: names.
        eigenvalues: by rising frequency, 0 of motions that rest (n/2,) [1/s]. Modes that no input excites or no output
            feels are left out.
        searched: how many modes there were before these were left out.
    """

    name: str
    A: Array
    B: Array
    C: Array
    D: Array
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    eigenvalues: Array
    searched: int

    @property
    def text(self) -> str:
        """How many modes take part, the matrices with their names, and the poles."""
        count, searched = len(self.eigenvalues), self.searched
        told = f"{count} of {searched}" if count < searched else f"{count}"
        lines = [f"{self.name}: {told} mode{'' if searched == 1 else 's'} about a state of rest, by transfer matrices"]
        if count < searched:
            unfelt = "" if self.outputs == self.inputs else ", or no output feels them"
            lines.append(f"no input excites {'the others' if count else 'any'}{unfelt}")
        poles = [eigenvalue(pole) for pole in self.eigenvalues.tolist()]
        return "\n".join([*lines, *self.lines("ABCD"), "", f"{'poles':12}{', '.join(poles) or 'none'}"]) + "\n"

    @property
    def states(self) -> tuple[str, ...]:
        """Names: of mode k "mode k.1" and "mode k.2", the rate and the way of what does not decay."""
        return tuple(f"mode {k // 2 + 1}.{k % 2 + 1}" for k in range(len(self.A)))

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        return {
            "name": self.name,
            "method": "transfer-matrix",
            "states": list(self.states),
            "inputs": list(self.inputs),
            "outputs": list(self.outputs),
            **self.matrices(),
            "searched": self.searched,
            "poles": [{"real": float(x.real), "imaginary": float(x.imag)} for x in self.eigenvalues],
        }


@takes(LinearOptions, OfModalSystem)
@one_thread()
def transfer_matrix_system(
    model: Model | str | Path,
    at: At = BALANCED,
    *,
    progress: Progress | None = None,
    **options: Unpack[OfModalSystem],
) -> ModalSystem:
    """The state-space matrices of the lowest modes of small motions about a state of rest, by transfer matrices.

    Inputs are asked for by name: forces on the points of elements along base axes (ELEMENT.x), or moments about them
    (ELEMENT.rx). Motions that rest stay together, whatever the number of modes.

    Args:
        model: as in ``transfer_matrix_modes``.
        at: likewise.
        **options: see below.
        progress: told of each step.

    Raises:
        AnalysisError: a name is unknown, a mode is overdamped, a motion that rests is damped, or all modes together
            do not have the response; and as ``transfer_matrix_modes``.
        MbsymError: the model cannot be read.
    """
    asked: LinearOptions = made(LinearOptions, options)
    if asked.inputs == "auto":
        raise AnalysisError(
            "transfer matrices need inputs by name", where="`inputs`", remedy="give ELEMENT.x, ELEMENT.rx and the like"
        )
    elements = vibrating_elements(model, at, asked, progress)
    tree, name, count = elements.tree, elements.name, asked.modes
    response = transfer_function(elements, asked.inputs, asked.outputs)
    # One more mode says how far the last one that is kept is from the next, one that swings how far those at rest are.
    most = count + 1
    values = _eigenvalues(tree, most, name)
    while not values.any() and len(values) == most:
        most *= 2
        values = _eigenvalues(tree, most, name)
    near = _distance(values, 0.0)
    resting = int(np.sum(values == 0.0))
    parts, taken = [], resting
    if resting:
        parts.append(_resting(response, AROUND * near, name))
    while taken < min(count, len(values)):
        together = values[np.abs(values - values[taken]) <= TOGETHER * abs(values[taken])]
        value, taken = complex(np.mean(together)), taken + len(together)
        parts.append(_swinging(response, value, AROUND * _distance(values, value)))
    system = _together(name, parts, response, taken)
    if tree.freedoms is not None and tree.freedoms <= count:
        _require_whole(system, response)
        return system
    # The mean over a circle is the value of the regular part in its middle.
    rest = [response(s) - system.at(s) for s in 0.5 * near * _circle()]
    return replace(system, D=np.mean(rest, axis=0).real)


def _eigenvalues(tree: VibratingTree, count: int, name: str) -> Array:
    """By rising frequency, as often as each occurs; of pairs the upper one.

    Raises:
        AnalysisError: a mode does not oscillate.
    """
    omegas, shapes = modes(tree, count, name)
    if not tree.is_damped:
        return np.asarray(1j * omegas)
    found = damped_eigenvalues(tree, omegas, shapes, name)
    for k, value in enumerate(found, start=1):
        if value and abs(value.imag) <= TOGETHER * abs(value):
            raise AnalysisError(
                f"mode {k} does not oscillate, and has no residue here",
                where=name,
                remedy="take less damping, or leave `method` out",
            )
    return np.array([complex(value.real, abs(value.imag)) for value in found])


def _require_whole(system: ModalSystem, response: TransferFunction) -> None:
    """Compares the response of all modes with that of the tree.

    Raises:
        AnalysisError: they differ.
    """
    sizes = np.abs(system.eigenvalues[system.eigenvalues != 0.0])
    ends = (float(sizes.min()), float(sizes.max())) if len(sizes) else (1.0,)
    for omega in (part * end for end in ends for part in BETWEEN):
        own = response(1j * omega)
        missed = float(np.abs(system.at(1j * omega) - own).max(initial=0.0))
        size = float(np.abs(own).max(initial=0.0))
        if missed > AGREEING * size:
            raise AnalysisError(
                f"the modes found miss the response at {omega:.4g} rad/s by {missed / size:.1g} of it",
                where=system.name,
                remedy="leave `method` out",
            )


def _distance(values: Array, value: complex) -> float:
    """From an eigenvalue to the nearest other one, of both halves of the plane; 1 where there is none."""
    apart = np.abs(np.concatenate([values, values.conj()]) - value)
    apart = apart[apart > TOGETHER * abs(value)]
    return float(apart.min()) if len(apart) else 1.0


def _circle() -> Array:
    return np.asarray(np.exp(2j * np.pi * (np.arange(POINTS) + 0.5) / POINTS))


_Part: TypeAlias = tuple[Array, Array, Array, list[complex]]
"""A, B and C of the modes of a pole, and the eigenvalue of each."""


def _swinging(response: TransferFunction, value: complex, radius: float) -> _Part:
    turns = radius * _circle()
    values = np.array([response(value + turn) for turn in turns])
    left, right = _factors(np.tensordot(turns, values, axes=1) / POINTS, radius * np.abs(values).max(initial=0.0))
    # As real as can be, so that forces enter rates: without damping they do so alone.
    turned = np.exp(0.5j * np.angle(np.sum(right**2, axis=1)))
    left, right = left * turned, right / turned[:, None]
    signs = np.array([np.sign(row[np.argmax(np.abs(row))].real) for row in right])
    left, right = left * signs, right * signs[:, None]
    real, imaginary = value.real, value.imag
    block = np.array([[real, -imaginary], [imaginary, real]])
    return _states_of(value, block, (right.real, right.imag), (2.0 * left.real, -2.0 * left.imag))


def _resting(response: TransferFunction, radius: float, name: str) -> _Part:
    """The double pole at zero.

    Raises:
        AnalysisError: there are other poles.
    """
    turns = radius * _circle()
    values = np.array([response(turn) for turn in turns])
    simple, double, third = (np.tensordot(turns**k, values, axes=1) / POINTS for k in (1, 2, 3))
    size = float(np.abs(values).max(initial=0.0)) * radius**2
    if max(np.abs(simple).max(initial=0.0) * radius, np.abs(third).max(initial=0.0) / radius) > STRAY * size:
        raise AnalysisError(
            "a motion that no spring resists is damped", where=name, remedy="add a spring, or leave `method` out"
        )
    left, right = _factors(double.real, size)
    block = np.array([[0.0, 0.0], [1.0, 0.0]])
    return _states_of(0j, block, (right, np.zeros_like(right)), (np.zeros_like(left), left))


def _states_of(value: complex, block: Array, entering: tuple[Array, Array], leaving: tuple[Array, Array]) -> _Part:
    """Two states for each mode of a pole: what enters the first and the second (r, m), what leaves them (p, r)."""
    count, inputs = entering[0].shape
    A = np.kron(np.eye(count), block)
    B = np.stack(entering, axis=1).reshape(2 * count, inputs)
    C = np.stack(leaving, axis=2).reshape(len(leaving[0]), 2 * count)
    return A, B, C, [value] * count


def _factors(residue: Array, size: float) -> tuple[Array, Array]:
    """Left and right factors (p, r) and (r, m) of a residue, and no more of them than are above round-off."""
    left, sizes, right = np.linalg.svd(residue, full_matrices=False)
    kept = sizes > RESIDUE * max(size, 0.0)
    roots = np.sqrt(sizes[kept])
    return left[:, kept] * roots, roots[:, None] * right[kept]


def _together(name: str, parts: Sequence[_Part], response: TransferFunction, searched: int) -> ModalSystem:
    inputs, outputs = response.inputs, response.outputs
    eigenvalues = [value for part in parts for value in part[3]]
    A = scipy.linalg.block_diag(np.zeros((0, 0)), *(part[0] for part in parts))
    B = np.vstack([np.zeros((0, len(inputs))), *(part[1] for part in parts)])
    C = np.hstack([np.zeros((len(outputs), 0)), *(part[2] for part in parts)])
    D = np.zeros((len(outputs), len(inputs)))
    return ModalSystem(name, A, B, C, D, inputs, outputs, np.array(eigenvalues), searched)

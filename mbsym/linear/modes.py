"""Modes: how a mechanism moves by itself near a state."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.kinematics.mechanism import Mechanism
from mbsym.linear.eigen import EigenPair
from mbsym.linear.linearised import Linearisation
from mbsym.linear.shapes import swinging_frames, write_shapes
from mbsym.linear.tables import complex_number, eigenvalue, number, numbered
from mbsym.markup import Told

DOUBLE: Final = 1e-6
"""Imaginary part of an eigenvalue, as a part of its size, below which it counts as real."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to move by itself.

    Attributes:
        name: "mode 1", ... by rising frequency.
        eigenvalue: [1/s], of an oscillation that of positive imaginary part.
        shape: complex, over the independent increments (n,), the largest entry 1.
    """

    name: str
    eigenvalue: complex
    shape: Array

    @property
    def frequency(self) -> float:
        """Size of the eigenvalue [rad/s]: of an undamped oscillation its angular frequency."""
        return abs(self.eigenvalue)

    @property
    def hertz(self) -> float:
        """Oscillations in a second, damped as they are."""
        return abs(self.eigenvalue.imag) / (2.0 * pi)

    @property
    def damping(self) -> float:
        """Damping ratio: 0 undamped, 1 no oscillation, negative where it grows; of what stays zero."""
        return -self.eigenvalue.real / self.frequency + 0.0 if self.frequency else 0.0

    @property
    def behaviour(self) -> str:
        """In words."""
        real, imaginary = self.eigenvalue.real, self.eigenvalue.imag
        if not self.frequency:
            return "drifts"
        growth = "" if abs(real) < 1e-9 * self.frequency else " and grows" if real > 0.0 else " and decays"
        # Double roots, as of critical damping, are parted by the root of round-off.
        turns = abs(imaginary) > DOUBLE * self.frequency
        return f"oscillates{growth}" if turns else growth.removeprefix(" and ")


class ModeSequence(Told):
    """What has modes, by rising frequency: a sequence of them."""

    __slots__ = ()

    modes: tuple[Mode, ...]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)

    def __len__(self) -> int:
        return len(self.modes)

    def __getitem__(self, index: int) -> Mode:
        return self.modes[index]

    @property
    @abstractmethod
    def mechanism(self) -> Mechanism:
        """Of the model."""

    @abstractmethod
    def frames(self) -> list[Array]:
        """Body frames of each mode as it swings (FRAMES, nb, 4, 4)."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Of the entries of a shape."""

    @property
    def frequencies(self) -> Array:
        """[rad/s]"""
        return np.array([mode.frequency for mode in self.modes])

    def eigenvalue_lines(self) -> list[str]:
        """A table, a row for each mode."""
        rows = [("", "eigenvalue [1/s]", "rad/s", "Hz", "damping", "behaviour")]
        for mode in self.modes:
            damping = f"{mode.damping if abs(mode.damping) > 1e-9 else 0.0:.4g}" if mode.frequency else ""
            sizes = (number(mode.frequency), number(mode.hertz), damping)
            rows.append((mode.name, eigenvalue(mode.eigenvalue), *sizes, mode.behaviour))
        return numbered(rows)

    def listed(self, shape: Callable[[Array], object]) -> list[dict[str, object]]:
        """Each mode for machines, its shape as a function writes it."""
        return [
            {
                "name": mode.name,
                "eigenvalue": {"real": mode.eigenvalue.real, "imaginary": mode.eigenvalue.imag},
                "rad/s": mode.frequency,
                "Hz": mode.hertz,
                "damping": mode.damping,
                "behaviour": mode.behaviour,
                "shape": shape(mode.shape),
            }
            for mode in self.modes
        ]

    def page(self, path: str | Path, *, force: bool = False) -> Path:
        """Writes the shapes, one after the other, as an animated page that needs nothing else.

        Of transfer matrices bodies of a beam follow its pieces; masses that stand for modes stay on the axis.

        Raises:
            SimulationError: the suffix is not .html, or the file cannot be written.
        """
        captions = [f"{mode.name}: {mode.hertz:.4g} Hz, {mode.behaviour}" for mode in self.modes]
        return write_shapes(self.mechanism, captions, self.frames, Path(path), force)


@dataclass(frozen=True, slots=True, repr=False)
class Modes(ModeSequence):
    """The modes of a mechanism at a state, by rising frequency.

    Attributes:
        modes: each.
        linearisation: behind them.
    """

    modes: tuple[Mode, ...]
    linearisation: Linearisation

    @property
    def text(self) -> str:
        """A table of eigenvalues, and one of shapes."""
        shapes = [("shape", *(mode.name for mode in self.modes))]
        for k, name in enumerate(self.names):
            shapes.append((name, *(complex_number(mode.shape[k]) for mode in self.modes)))
        lines = self.linearisation.heading("small motions")
        caution = self.linearisation.caution("modes say")
        return "\n".join([*lines, "", *self.eigenvalue_lines(), *caution, "", *numbered(shapes)]) + "\n"

    @property
    def mechanism(self) -> Mechanism:
        """Of the model."""
        return self.linearisation.equations.mechanism

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries of a shape."""
        return self.linearisation.states[: len(self.linearisation.freedom.independent)]

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        return {
            "name": self.mechanism.model.name,
            "equilibrium": self.linearisation.is_equilibrium,
            "increments": list(self.names),
            "modes": self.listed(lambda shape: {"real": shape.real.tolist(), "imaginary": shape.imag.tolist()}),
        }

    def frames(self) -> list[Array]:
        """Body frames of each mode as it swings (FRAMES, nb, 4, 4)."""
        linear = self.linearisation
        motions = (linear.freedom.motion @ mode.shape for mode in self.modes)
        return [swinging_frames(linear.equations, linear.state.q, motion) for motion in motions]


def modes_of(linearisation: Linearisation) -> Modes:
    """The modes of a linear system of increments and their rates."""
    pairs: Sequence[EigenPair] = linearisation.eigenpairs()
    found = [Mode(f"mode {k}", pair.value, _of_size_one(pair.shape)) for k, pair in enumerate(pairs, start=1)]
    return Modes(tuple(found), linearisation)


def _of_size_one(shape: Array) -> Array:
    sizes = np.abs(shape)
    if not sizes.max(initial=0.0) > 0.0:
        return shape
    # Of entries of one size the first, whatever round-off says.
    return np.asarray(shape / shape[int(np.argmax(sizes > sizes.max() * (1 - 1e-9)))])

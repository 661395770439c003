"""Modes of trees by transfer matrices: beams as they are, nothing missed, no equations of motion formed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Unpack

import numpy as np

from mbsym.doors import Array, one_thread
from mbsym.errors import AnalysisError
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism
from mbsym.linear.analysis import BALANCED, At, state_at
from mbsym.linear.equations import prepare
from mbsym.linear.modes import Mode, ModeSequence
from mbsym.linear.options import LinearOptions, OfVibration
from mbsym.linear.shapes import moved_frames
from mbsym.linear.tables import numbered
from mbsym.linear.vibration.elements import BeamLink
from mbsym.linear.vibration.overdamped import damped_modes
from mbsym.linear.vibration.placed import BEAM_MODELS, BeamModel, VibratingElements
from mbsym.linear.vibration.roots import modes, of_size_one
from mbsym.linear.vibration.tree import VibratingTree
from mbsym.model.system import Model
from mbsym.option import made, takes
from mbsym.options.generation import GenerationOptions
from mbsym.pipeline import Progress, express, read
from mbsym.simulation.equations import suggestion
from mbsym.simulation.integrate import with_parameters

MOTIONS: Final = ("rx", "ry", "rz", "x", "y", "z")
"""Suffixes of a point's motion: rotations about base axes [rad], displacements along them [m]."""

MOST_ROWS: Final = 60
"""Rows of a table of motions that people read; documents for machines have all."""


@dataclass(frozen=True, slots=True, repr=False)
class TransferMatrixModes(ModeSequence):
    """The lowest modes of a mechanism, by rising frequency.

    A mode's shape holds the motions of all elements' points, [rotation; displacement] in base axes, flat (6 n,); what
    oscillates has that of the undamped mechanism. The largest entry is 1, or zero where a beam moves between the
    points alone.

    Attributes:
        name: of the model.
        modes: each.
        elements: names of the bodies at the points; of a beam of n segments BEAM_1 to BEAM_n at every nth of it.
        points: of the elements at rest, base axes (n, 3) [m].
        beams: how beams were taken.
        placed: the mechanism as elements.
    """

    name: str
    modes: tuple[Mode, ...]
    elements: tuple[str, ...]
    points: Array
    beams: BeamModel
    placed: VibratingElements

    @property
    def text(self) -> str:
        """A table of eigenvalues, and one of the motions of all points that move."""
        shapes = [("shape", *(mode.name for mode in self.modes))]
        moving = [k for k in range(len(self.names)) if any(mode.shape[k] for mode in self.modes)]
        for k in moving[:MOST_ROWS]:
            shapes.append((self.names[k], *(f"{mode.shape[k]:.4g}" for mode in self.modes)))
        more = [] if len(moving) <= MOST_ROWS else [f"and {len(moving) - MOST_ROWS} more rows, which `json` has"]
        beams = f", beams {self.beams}" if any(isinstance(item.link, BeamLink) for item in self.placed.elements) else ""
        lines = [f"{self.name}: small motions about a state of rest, by transfer matrices{beams}"]
        return "\n".join([*lines, "", *self.eigenvalue_lines(), "", *numbered(shapes), *more]) + "\n"

    @property
    def mechanism(self) -> Mechanism:
        """Of the model."""
        return self.placed.mechanism

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries of a shape: ELEMENT.rx, ELEMENT.ry, ELEMENT.rz, ELEMENT.x, ELEMENT.y, ELEMENT.z."""
        return tuple(f"{name}.{motion}" for name in self.elements for motion in MOTIONS)

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        return {
            "name": self.name,
            "method": "transfer-matrix",
            "beams": self.beams,
            "elements": list(self.elements),
            "points": self.points.tolist(),
            "motions": list(self.names),
            "modes": self.listed(lambda shape: shape.tolist()),
        }

    def frames(self) -> list[Array]:
        """Body frames of each mode as it swings (FRAMES, nb, 4, 4)."""
        rest = self.placed.body_frames()
        moved = (self.placed.motions_of_bodies(mode.shape.reshape(-1, 6)) for mode in self.modes)
        return [moved_frames(rest, at, motion) for at, motion in moved]


@takes(LinearOptions, OfVibration)
@one_thread()
def transfer_matrix_modes(
    model: Model | str | Path,
    at: At = BALANCED,
    *,
    progress: Progress | None = None,
    **options: Unpack[OfVibration],
) -> TransferMatrixModes:
    """The lowest frequencies and shapes of small motions about a state of rest, by transfer matrices.

    Args:
        model: a model, a model file, or the name of a bundled example: a tree, whose tips may be held on ground; loops
            where nothing is loaded at rest.
        at: the state, as in ``modes``; default the model's initial one if it is balanced, else an equilibrium. Beams
            are straight.
        **options: see below.
        progress: told of each step.

    Raises:
        AnalysisError: the state is none of rest or unstable, an overdamped mode is not found, or something is not
            covered; the message says what.
        MbsymError: the model cannot be read.
    """
    asked: LinearOptions = made(LinearOptions, options)
    elements = vibrating_elements(model, at, asked, progress)
    tree, name = elements.tree, elements.name
    omegas, shapes = modes(tree, asked.modes, name)
    values, told = damped_modes(tree, omegas, shapes, name) if tree.is_damped else (list(1j * omegas), list(shapes))
    found = [
        Mode(f"mode {k}", complex(value), _told(shape, elements.told, tree.size))
        for k, (value, shape) in enumerate(zip(values, told, strict=True), start=1)
    ]
    names = tuple(tree.elements[k].name for k in elements.told)
    return TransferMatrixModes(name, tuple(found), names, elements.places, elements.beams, elements)


def _told(shape: Array, told: list[int], size: float) -> Array:
    """Motions of the points that are told, flat."""
    whole = float(np.abs(shape / np.repeat([1.0, size], 3)).max(initial=0.0))
    return of_size_one(shape[told], size, whole).ravel()


def vibrating_elements(
    model: Model | str | Path, at: At, asked: LinearOptions, progress: Progress | None
) -> VibratingElements:
    """A model's elements about a state of rest; arguments as ``transfer_matrix_modes``.

    Raises:
        AnalysisError: the state is none of rest, or something is not covered.
        MbsymError: the model cannot be read.
    """
    beams = asked.beam_model
    chosen: BeamModel | None = next((known for known in BEAM_MODELS if known == beams), None)
    if chosen is None:
        raise AnalysisError(f"beams cannot be {beams!r}", where="beams", remedy=f"say {', '.join(BEAM_MODELS)}")
    checked = with_parameters(read(model), asked.parameters)
    if at is None or at == BALANCED:
        mechanism = express(checked, GenerationOptions(order=asked.order))
        try:
            return VibratingElements(mechanism, initial_coordinates(mechanism), chosen)
        except AnalysisError:
            # A mechanism that cannot be covered at all is refused below, for the same reason.
            if not mechanism.nv or (at is None and not mechanism.cut_joints):
                raise
    equations = prepare(checked, asked.order, (), progress)
    # Beams stand straight, and so does what hangs on them.
    state = state_at(equations, at, None, progress)
    if np.any(state.v):
        raise AnalysisError(
            "the state moves", where=checked.name, remedy="give coordinates alone, or leave `method` out"
        )
    return VibratingElements(equations.mechanism, state.q, chosen)


@dataclass(frozen=True, slots=True)
class TransferFunction:
    """What motions of elements' points answer to loads on them.

    Attributes:
        tree: of the elements.
        inputs, outputs: ELEMENT.x and the like.
        loads: of the inputs (m, n, 6).
        rows: where the outputs stand in the motions of all points, flat.
    """

    tree: VibratingTree
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    loads: Array
    rows: list[int]

    def __call__(self, s: complex) -> Array:
        """Motions exp(s t) to loads exp(s t), outputs by inputs (outputs, inputs)."""
        return np.array([self.tree.motion(s, load).ravel()[self.rows] for load in self.loads]).T


def transfer_function(
    elements: VibratingElements, inputs: str | Sequence[str], outputs: Sequence[str]
) -> TransferFunction:
    """That of inputs and outputs by name; default outputs are the inputs' motions.

    Raises:
        AnalysisError: there is no such motion, or no input.
    """
    tree, name = elements.tree, elements.name
    place = {f"{tree.elements[k].name}.{motion}": 6 * k + i for k in elements.told for i, motion in enumerate(MOTIONS)}
    wanted = (inputs,) if isinstance(inputs, str) else tuple(inputs)
    if not wanted:
        raise AnalysisError("no input is named", where=name, remedy="give inputs as ELEMENT.x, ELEMENT.rx and the like")
    told = tuple(outputs) or wanted
    for asked in (*wanted, *told):
        if asked not in place:
            raise AnalysisError(f"no motion is called {asked!r}", where=name, remedy=suggestion(asked, tuple(place)))
    loads = np.zeros((len(wanted), 6 * len(tree.elements)))
    loads[np.arange(len(wanted)), [place[asked] for asked in wanted]] = 1.0
    rows = [place[asked] for asked in told]
    return TransferFunction(tree, wanted, told, loads.reshape(len(wanted), -1, 6), rows)

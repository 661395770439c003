"""Forces that expressions of frames give: each word of the language in models that others have drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from mbsym.forces import AppliedWrench
from mbsym.model.body import Placement
from mbsym.model.frame import Frame
from mbsym.model.system import Model
from mbsym.symbolic.frame_quantities import COMPONENTS, WORDS, FrameQuantity, QuantityWord
from mechanisms.random_trees import decimal

PLACED: Final = ("tip", "left mark", "base mark")
"""Frames that are put on the last body, on another one and on ground."""


def with_frames_placed(model: Model, rng: np.random.Generator) -> Model:
    """The model with three frames away from those of its bodies, and askew: an angle has a value between any two."""
    bodies = (model.bodies[-1].name, model.bodies[int(rng.integers(len(model.bodies)))].name, model.ground)
    turns = rng.uniform(-1.5, 1.5, (len(PLACED), 3))
    frames = tuple(
        Frame(
            name, body, Placement((0.1 + 0.2 * k, 0.3, -0.2), tuple(zip(COMPONENTS, map(decimal, turn), strict=True)))
        )
        for k, (name, body, turn) in enumerate(zip(PLACED, bodies, turns, strict=True))
    )
    return replace(model, frames=frames)


def drawn_quantity(word: QuantityWord, rng: np.random.Generator, names: tuple[str, ...]) -> FrameQuantity:
    """A quantity of that word, of frames that are drawn from some names."""
    first = str(rng.choice(names))
    second = str(rng.choice([name for name in names if name != first]))
    axes = str(rng.choice(["", *names])) if word.is_vector else ""
    letter = str(rng.choice(COMPONENTS)) if word.has_letter else ""
    component = str(rng.choice(COMPONENTS)) if word.is_vector else ""
    return FrameQuantity(word.name, (first, second)[: word.frames], letter, axes, component)


def with_forces_of_frames(model: Model, rng: np.random.Generator) -> Model:
    """The model with all words in the forces at its last body, and no other force element."""
    model = with_frames_placed(model, rng)
    quantities = [drawn_quantity(word, rng, PLACED) for word in WORDS.values()]
    # An angle may lie where it jumps from pi to -pi.
    smooth = (f"sin({item.name})" if WORDS[item.word].unit == "rad" else item.name for item in quantities)
    terms = [f"{decimal(rng.uniform(0.2, 2))}*{text}" for text in smooth]
    sums = tuple(" - ".join(terms[k::6]) for k in range(6))
    return replace(model, forces=(AppliedWrench("of frames", "tip", sums[:3], sums[3:], axes="body"),), inputs=())

"""Quantities of frames in expressions: their words, and how each is written.

``position(tool).z`` is the height of a frame's origin, ``velocity(hub, in=hub).x`` the speed at which a hub rolls along
its own x axis, ``distance(a, b)`` that of two origins. What they are of is a body, ground, a frame or a joint; where
its name is no identifier it stands in quotes: ``position("left wheel").z``.

Components are along the axes of the base, or of the frame that ``in=`` names, which changes nothing but the axes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import Final

COMPONENTS: Final = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class QuantityWord:
    """A word of the expression language.

    Attributes:
        name: the word.
        unit: of it.
        frames: how many frames it takes.
        has_letter: whether it takes one of x, y and z: behind the frames, or as ``about=``.
        letter_key: that keyword, empty where the letter stands behind the frames.
        is_vector: whether it has components, and axes for them.
    """

    name: str
    unit: str
    frames: int = 1
    has_letter: bool = False
    letter_key: str = ""
    is_vector: bool = True

    @property
    def is_rate(self) -> bool:
        """Whether it is one of motion, not of places."""
        return self.unit.endswith("/s")

    @property
    def pattern(self) -> str:
        """How it is written."""
        inside = ["a", "b"][: self.frames]
        if self.has_letter:
            inside.append(f"{self.letter_key}=z" if self.letter_key else "z")
        return f"{self.name}({', '.join(inside)}){'.x' * self.is_vector}"


WORDS: Final[Mapping[str, QuantityWord]] = {
    word.name: word
    for word in (
        QuantityWord("position", "m"),
        QuantityWord("velocity", "m/s"),
        QuantityWord("angular_velocity", "rad/s"),
        QuantityWord("axis", "", has_letter=True),
        QuantityWord("direction", "", frames=2),
        QuantityWord("distance", "m", frames=2, is_vector=False),
        QuantityWord("distance_rate", "m/s", frames=2, is_vector=False),
        QuantityWord("angle", "rad", frames=2, has_letter=True, letter_key="about", is_vector=False),
    )
}
"""By name; what each stands for says docs/frames.md."""

MENTIONED: Final = re.compile(rf"(?<![\w.])(?:{'|'.join(WORDS)})\s*\(")
"""Where a quantity of frames may begin."""
QUOTED: Final = re.compile(r"\"[^\"]*\"|'[^']*'")
"""A name that is no identifier."""

_FRAME: Final = r"(?:\"[^\"]*\"|[^\W\d]\w*)"
_NAME: Final = re.compile(rf"({'|'.join(WORDS)})\(((?:(?:\w+=)?{_FRAME}(?:, )?)+)\)(?:\.([xyz]))?")
_ITEM: Final = re.compile(rf"(?:(\w+)=)?({_FRAME})")


@dataclass(frozen=True, slots=True)
class FrameQuantity:
    """A number that depends on where frames are and how they move.

    Attributes:
        word: its word.
        frames: names of what it is of.
        letter: x, y or z where the word takes one.
        axes: name of the frame along whose axes components are; "" for the base.
        component: x, y or z of a vector.
    """

    word: str
    frames: tuple[str, ...]
    letter: str = ""
    axes: str = ""
    component: str = ""

    @property
    def name(self) -> str:
        """Its one spelling, by which it is looked up among the names of an expression."""
        inside = list(map(_spelt, self.frames))
        if self.letter:
            inside.append(f"about={self.letter}" if WORDS[self.word].letter_key else self.letter)
        if self.axes:
            inside.append(f"in={_spelt(self.axes)}")
        return f"{self.word}({', '.join(inside)}){f'.{self.component}' * bool(self.component)}"

    @property
    def every_frame(self) -> tuple[str, ...]:
        """All frames that it names."""
        return (*self.frames, *([self.axes] if self.axes else []))

    @property
    def is_relative(self) -> bool:
        """Whether it stays the same where all its frames are moved as one."""
        return bool(self.axes) if self.word in ("axis", "direction") else not self.component

    @property
    def is_complete(self) -> bool:
        """Whether it has what its word asks for and nothing else."""
        word = WORDS[self.word]
        return (
            len(self.frames) == word.frames
            and self.letter in (COMPONENTS if word.has_letter else ("",))
            and self.component in (COMPONENTS if word.is_vector else ("",))
            and (word.is_vector or not self.axes)
        )

    def renamed(self, rename: Callable[[str], str]) -> FrameQuantity:
        """The same of frames with other names."""
        return replace(self, frames=tuple(map(rename, self.frames)), axes=rename(self.axes) if self.axes else "")


def quantity_of(name: str) -> FrameQuantity | None:
    """The quantity whose one spelling a name is; None of other names."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    word = WORDS[found[1]]
    items = [(key, value.strip('"')) for key, value in _ITEM.findall(found[2])]
    frames = tuple(value for _, value in items[: word.frames])
    rest = dict(items[word.frames :])
    made = FrameQuantity(word.name, frames, rest.get(word.letter_key, ""), rest.get("in", ""), found[3] or "")
    return made if made.is_complete and made.name == name else None


def _spelt(frame: str) -> str:
    return frame if frame.isidentifier() and not iskeyword(frame) else f'"{frame}"'

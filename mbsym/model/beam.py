"""Elastic beams: what a user says of an Euler-Bernoulli beam.

Equations of motion take a beam as rigid bodies with springs (``beam_parts``), bars with hinges or assumed modes; the
vibration analysis by transfer matrices knows the beam behind them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from mbsym.errors import ModelError
from mbsym.model.beam_shapes import MOST_SHAPES, SUPPORTS, Supports
from mbsym.model.body import COINCIDENT, Placement, placement
from mbsym.values.given import set_plain, several
from mbsym.values.parameter import Value
from mbsym.values.units import set_si

Bending: TypeAlias = Literal["y", "z", "both"]

MOST_SEGMENTS: Final = 10000
"""Segments of one beam: more are a mistake of writing."""

UNITS: Final = {
    "length": "m", "mass": "kg", "bending_stiffness": "N m^2", "damping": "s", "axial_stiffness": "N",
    "torsional_stiffness": "N m^2", "torsional_inertia": "kg m^2",
}  # fmt: skip
"""Of its numbers."""

SEGMENTS: Final = 8
"""Of bars, where the user does not say; beams with modes have one."""


@dataclass(frozen=True, slots=True)
class Beam:
    """An Euler-Bernoulli beam along the x axis of its root frame: it bends, and stretches and twists where asked to.

    Attributes:
        name: unique; the bars are NAME_0, NAME_1, ..., the hinges NAME_1, NAME_2, ..., what stretches or twists before
            the kth hinge is NAME_k_x, a joint and a body without mass; of kth segments with modes the
            straight axis is NAME_(k-1), the mass of mode i NAME_k_mi, its slide NAME_k_mi_y or NAME_k_mi_z.
        body: that carries its root, or ground.
        length: [m].
        mass: in all, evenly spread [kg].
        bending_stiffness: EI [N m^2]; one value, or two about y and z where it bends about both.
        bends: about y or z of the root frame, or about both.
        axial_stiffness: EA [N]; None where it keeps its length.
        torsional_stiffness: GJ [N m^2]; None where it does not twist.
        torsional_inertia: of all its mass about its axis, which a beam that twists has [kg m^2].
        tip: body at its end, "" for none.
        damping: time constant of the material: a hinge's damper is so many times its spring [s].
        segments: equal pieces, each a hinge between bars or of its own modes; default 8 of bars, 1 of modes.
        at: root frame in the frame of the body.
        at_tip: end frame, which is parallel to the root frame, in the frame of the tip.
        modes: assumed modes of each segment, in place of bars, which tension stiffens between segments alone; 0 for
            bars.
        supports: root and end of the segments' modes, "clamped-free", "clamped-clamped" or "clamped-pinned"; "" for
            the first where nothing is carried on the segment's end, else the second, whose first two modes are a
            finite element's cubic shapes with its consistent mass.
        lumped: the mass of the bars stands at the ends of the segments.
    """

    name: str
    body: str
    length: Value
    mass: Value
    bending_stiffness: tuple[Value, ...]
    bends: Bending = "z"
    tip: str = ""
    damping: Value = 0
    segments: int | None = None
    at: Placement = COINCIDENT
    at_tip: Placement = COINCIDENT
    modes: int = 0
    supports: Supports | Literal[""] = ""
    lumped: bool = False
    axial_stiffness: Value | None = None
    torsional_stiffness: Value | None = None
    torsional_inertia: Value | None = None

    def __post_init__(self) -> None:
        set_plain(self, "bending_stiffness", several(self.bending_stiffness))
        for key in ("at", "at_tip"):
            set_plain(self, key, placement(getattr(self, key)))
        where = f"beam {self.name}"
        set_si(self, {key: unit for key, unit in UNITS.items() if getattr(self, key) is not None}, where)
        if self.bends not in ("y", "z", "both"):
            raise ModelError(f"a beam cannot bend about {self.bends!r}", where=where, remedy="say y, z or both")
        if not 1 <= self.pieces <= MOST_SEGMENTS:
            raise ModelError(f"{self.segments} segments", where=where, remedy=f"give 1 to {MOST_SEGMENTS}")
        if not 0 <= self.modes <= MOST_SHAPES:
            raise ModelError(f"{self.modes} modes", where=where, remedy=f"give 1 to {MOST_SHAPES}, or 0 for bars")
        if self.supports and self.supports not in SUPPORTS:
            raise ModelError(
                f"modes cannot be {self.supports!r}", where=where, remedy=f"say one of {', '.join(SUPPORTS)}"
            )
        if self.supports and not self.modes:
            raise ModelError("supports without modes", where=where, remedy="give modes: N too, or leave supports out")
        if self.lumped and self.modes:
            raise ModelError("a beam with modes has no bars to lump", where=where, remedy="leave lumped or modes out")
        if self.modes and self.lines:
            raise ModelError(
                f"a beam with modes does not {' or '.join(self.lines)}", where=where,
                remedy="leave modes out, or the axial and torsional stiffness",
            )  # fmt: skip
        if (self.torsional_stiffness is None) != (self.torsional_inertia is None):
            raise ModelError(
                "a beam that twists has a torsional stiffness and a torsional inertia", where=where,
                remedy="give both, or neither",
            )  # fmt: skip
        if self.tip == self.body and self.at == self.at_tip:
            raise ModelError(
                f"both its ends are at the same place of {self.body}", where=where,
                remedy="say with at_tip where its end is held, or leave out 'to' where it is free",
            )  # fmt: skip
        if not 1 <= len(self.bending_stiffness) <= len(self.axes):
            remedy = "give one, or two about y and z" if self.bends == "both" else "give one"
            raise ModelError(f"{len(self.bending_stiffness)} bending stiffnesses", where=where, remedy=remedy)

    @property
    def axes(self) -> tuple[Literal["y", "z"], ...]:
        """Of the root frame, about which it bends."""
        return ("y", "z") if self.bends == "both" else (self.bends,)

    @property
    def lines(self) -> tuple[Literal["stretch", "twist"], ...]:
        """What it does along and about its axis."""
        given = ("stretch", self.axial_stiffness), ("twist", self.torsional_stiffness)
        return tuple(word for word, stiffness in given if stiffness is not None)  # type: ignore[misc]

    @property
    def stiffness_about(self) -> tuple[Value, ...]:
        """EI about each of its axes."""
        given = self.bending_stiffness
        return given if len(given) == len(self.axes) else given * len(self.axes)

    @property
    def pieces(self) -> int:
        """Segments."""
        return self.segments if self.segments is not None else 1 if self.modes else SEGMENTS

    @property
    def bars(self) -> tuple[str, ...]:
        """Names of its rigid bars, or straight axes of segments with modes, from root to tip."""
        return tuple(f"{self.name}_{k}" for k in range(self.pieces + (1 if self.tip or not self.modes else 0)))

    @property
    def hinges(self) -> tuple[str, ...]:
        """Names of its joints between bars, from root to tip; of a beam with modes none."""
        return () if self.modes else tuple(f"{self.name}_{k}" for k in range(1, self.pieces + 1))

    @property
    def middles(self) -> tuple[str, ...]:
        """Names of the joints that stretch or twist, and of the bodies without mass between these and the hinges."""
        return tuple(f"{hinge}_x" for hinge in self.hinges) if self.lines else ()

    @property
    def ends(self) -> tuple[str, ...]:
        """Names of the joints that hold the root and the tip."""
        return (f"{self.name}_root", f"{self.name}_tip")[: 2 if self.tip else 1]

"""Elastic beams as the rigid bodies, joints, springs and couplings that equations of motion take.

Bars: a beam of n segments is n + 1 bars with hinges in the middle of each nth of its length, the first bar held by the
body that carries the beam, the last one holding the body at its end. A hinge has the stiffness EI n/L of the piece that
it stands for (the finite segment method). Deflections and low frequencies are those of the beam but for a part of order
1/n^2. The mass is that of even bars, which is consistent with deflections that are straight between hinges, or lumped
at the ends of the segments.

A beam that stretches or twists does so in the middle of each nth too, on a slide or turn along its axis inboard of the
hinge, with the stiffness EA n/L or GJ n/L.

Modes: each segment is a straight axis with a mass for each assumed mode that slides across it (``beam_shapes``); what
the segment carries at its end hangs on slides and hinges that follow the masses by couplings.

Source: R. L. Huston, Multi-body dynamics including the effects of flexibility and compliance, Computers and Structures
14 (1981) 443.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from mbsym.forces.joint_damper import JointDamper
from mbsym.forces.joint_spring import JointSpring
from mbsym.joints.cylindrical import CYLINDRICAL
from mbsym.joints.fixed import FIXED
from mbsym.joints.prismatic import PRISMATIC
from mbsym.joints.revolute import REVOLUTE
from mbsym.joints.universal import UNIVERSAL
from mbsym.model.beam import Beam
from mbsym.model.beam_shapes import SlidingMass, sliding_masses
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.value_products import divided, product, rounded, times
from mbsym.values.parameter import Value

ROOT: Final = Fraction(20, 49)
"""Of the distance of hinges from each other, that of the first from the root, and of the last from a body at the tip.

Even bars between springs move like a beam but for a part of order 1/n^4. Ends that are held add two of order 1/n^2:
bars are displaced by -a^2 h^2/2 times the curvature there, and turned by (a^2/2 - 1/6) h^2 times its slope, with h
between hinges and a h before the first of them. On frequencies, and on deflections under a load at its own place,
both act by the same product of moment and shear at the end, (a^2 - 1/6) h^2, which vanishes for a = 1/sqrt(6); this
is a short fraction next to it, 0.02 % too small."""

_DIRECTION: Final = {"y": (0, 1, 0), "z": (0, 0, 1)}

_ACROSS: Final = {"y": "z", "z": "y"}
"""Along which a beam deflects that bends about an axis."""

_TURN: Final = {"y": (0, -1, 0), "z": (0, 0, 1)}
"""About which its end turns by the slope of that deflection."""


@dataclass(frozen=True, slots=True)
class BeamParts:
    """What stands for a beam in a model."""

    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    forces: list[JointSpring | JointDamper] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)


def parts_of(beam: Beam) -> BeamParts:
    """Bodies, joints, springs and dampers, and couplings of a beam."""
    parts = BeamParts()
    parts.joints.append(Joint(beam.ends[0], FIXED.name, beam.body, beam.bars[0], predecessor_placement=beam.at))
    if beam.modes:
        _add_modes(beam, parts)
        end: Value = 0
    else:
        _add_bars(beam, parts)
        end = times(beam.length, bar_lengths(beam)[-1])
    if beam.tip:
        ends, placed = (beam.bars[-1], beam.tip), Placement((end, 0, 0))
        parts.joints.append(
            Joint(beam.ends[1], FIXED.name, *ends, predecessor_placement=placed, successor_placement=beam.at_tip)
        )
    return parts


def _add_spring(beam: Beam, parts: BeamParts, name: str, joint: str, stiffness: Value, index: int) -> None:
    parts.forces.append(JointSpring(f"{name}_spring", joint, stiffness, index=index))
    if beam.damping != 0:
        parts.forces.append(JointDamper(f"{name}_damper", joint, product(stiffness, beam.damping), index))


# ---- bars -----------------------------------------------------------------------------------------------------------


def bar_lengths(beam: Beam) -> tuple[Fraction, ...]:
    """Of the bars from root to tip, as parts of the beam's length."""
    root = Fraction(1, 2) if beam.lumped else ROOT
    tip = root if beam.tip else Fraction(1, 2)
    if beam.pieces == 1:
        return Fraction(1, 2), Fraction(1, 2)
    whole = 1 / (beam.pieces - 1 + root + tip)
    return (root * whole, *(whole,) * (beam.pieces - 1), tip * whole)


def _add_bars(beam: Beam, parts: BeamParts) -> None:
    bars = bar_lengths(beam)
    reach = (Fraction(0), *(bar / 2 for bar in bars[1:-1]), Fraction(0))
    for k, hinge in enumerate(beam.hinges):
        carrier, placed = beam.bars[k], Placement((times(beam.length, bars[k]), 0, 0))
        # A hinge stands for the beam between the middles of its bars, or an end.
        piece = bars[k] - reach[k] + bars[k + 1] - reach[k + 1]
        if beam.lines:
            _add_line(beam, parts, carrier, beam.middles[k], placed, piece)
            carrier, placed = beam.middles[k], Placement()
        kind, first, second = REVOLUTE.name, _DIRECTION[beam.axes[0]], None
        if len(beam.axes) == 2:
            kind, second = UNIVERSAL.name, _DIRECTION["z"]
        parts.joints.append(Joint(hinge, kind, carrier, beam.bars[k + 1], first, second, placed))
        for index, stiffness in enumerate(beam.stiffness_about):
            spring = divided(times(stiffness, 1 / piece), beam.length)
            _add_spring(beam, parts, f"{hinge}_{beam.axes[index]}", hinge, spring, index)
    parts.bodies.extend(_bar(beam, k, share) for k, share in enumerate(bars))


def _add_line(beam: Beam, parts: BeamParts, carrier: str, name: str, placed: Placement, piece: Fraction) -> None:
    """What stretches or twists before a hinge: of both, q = (way, angle)."""
    kinds = {("stretch",): PRISMATIC, ("twist",): REVOLUTE, ("stretch", "twist"): CYLINDRICAL}
    kind = kinds[beam.lines]
    parts.joints.append(Joint(name, kind.name, carrier, name, (1, 0, 0), predecessor_placement=placed))
    parts.bodies.append(Body(name))
    stiffness = {"stretch": beam.axial_stiffness, "twist": beam.torsional_stiffness}
    for index, line in enumerate(beam.lines):
        spring = divided(times(stiffness[line] or 0, 1 / piece), beam.length)
        _add_spring(beam, parts, f"{name}_{line}", name, spring, index)


def _bar(beam: Beam, k: int, share: Fraction) -> Body:
    length, mass = times(beam.length, share), times(beam.mass, share)
    about_axis = times(beam.torsional_inertia or 0, share)
    if beam.lumped:
        # Segments end in the middle of the bars between hinges, at the root and at the tip.
        place = 0 if k == 0 else length if k == beam.pieces else times(length, Fraction(1, 2))
        return Body(beam.bars[k], mass, (place, 0, 0), (about_axis, 0, 0, 0, 0, 0))
    inertia = times(product(mass, product(length, length)), Fraction(1, 12))
    return Body(beam.bars[k], mass, (times(length, Fraction(1, 2)), 0, 0), (about_axis, inertia, inertia, 0, 0, 0))


# ---- modes ----------------------------------------------------------------------------------------------------------


def _add_modes(beam: Beam, parts: BeamParts) -> None:
    n = beam.pieces
    piece, mass = times(beam.length, Fraction(1, n)), times(beam.mass, Fraction(1, n))
    for k in range(1, n + 1):
        carries = k < n or bool(beam.tip)
        masses = sliding_masses(beam.modes, beam.supports or ("clamped-clamped" if carries else "clamped-free"))
        parts.bodies.append(_straight_axis(beam.bars[k - 1], masses, piece, mass))
        for i, sliding in enumerate(masses, start=1):
            _add_sliding_mass(beam, parts, k, i, sliding)
        if carries:
            _add_end(beam, parts, k, masses, piece)
    if beam.tip:
        parts.bodies.append(Body(beam.bars[-1]))


def _straight_axis(name: str, masses: tuple[SlidingMass, ...], length: Value, mass: Value) -> Body:
    """What the sliding masses leave of the segment's mass, first and second moment."""
    kept = 1.0 - sum(item.mass for item in masses)
    first = 0.5 - sum(item.mass * item.place for item in masses)
    second = 1.0 / 3.0 - sum(item.mass * item.place**2 for item in masses) - first**2 / kept
    own = times(mass, rounded(kept))
    inertia = times(product(mass, product(length, length)), rounded(second))
    return Body(name, own, (times(length, rounded(first / kept)), 0, 0), (0, inertia, inertia, 0, 0, 0))


def _slide(beam: Beam, k: int, i: int, axis: str) -> str:
    """Name of the joint along which the mass of a mode moves where the beam bends about an axis."""
    return f"{beam.name}_{k}_m{i}_{_ACROSS[axis]}"


def _add_sliding_mass(beam: Beam, parts: BeamParts, k: int, i: int, sliding: SlidingMass) -> None:
    n, name, carrier = beam.pieces, f"{beam.name}_{k}_m{i}", beam.bars[k - 1]
    placed = Placement((times(beam.length, rounded(sliding.place / n)), 0, 0))
    cube = product(beam.length, product(beam.length, beam.length))
    for axis, bending in zip(beam.axes, beam.stiffness_about, strict=True):
        last = axis == beam.axes[-1]
        joint = _slide(beam, k, i, axis)
        body = name if last else joint
        parts.bodies.append(Body(body, times(beam.mass, rounded(sliding.mass / n)) if last else 0))
        parts.joints.append(
            Joint(joint, PRISMATIC.name, carrier, body, _DIRECTION[_ACROSS[axis]], predecessor_placement=placed)
        )
        spring = divided(times(bending, rounded(sliding.stiffness * n**3)), cube)
        _add_spring(beam, parts, joint, joint, spring, 0)
        carrier, placed = body, Placement()


def _add_end(beam: Beam, parts: BeamParts, k: int, masses: tuple[SlidingMass, ...], piece: Value) -> None:
    """Slides and hinges one after the other, each following a mass: their sums are the end's deflection and slope."""
    carrier, placed = beam.bars[k - 1], Placement((piece, 0, 0))
    chain: list[Joint] = []
    for turning in (False, True):
        for axis in beam.axes:
            for i, sliding in enumerate(masses, start=1):
                followed = _slide(beam, k, i, axis)
                ratio = rounded(sliding.slope if turning else sliding.deflection)
                value: Value = divided(times(1, ratio), piece) if turning else times(1, ratio)
                if not ratio:
                    continue
                name = f"{beam.name}_{k}_{f'r{axis}' if turning else _ACROSS[axis]}{i}"
                kind, along = (REVOLUTE, _TURN[axis]) if turning else (PRISMATIC, _DIRECTION[_ACROSS[axis]])
                chain.append(Joint(name, kind.name, carrier, name, along, predecessor_placement=placed))
                parts.couplings.append(Coupling(name, followed, value))
                carrier, placed = name, Placement()
    parts.bodies.extend(Body(joint.successor) for joint in chain[:-1])
    chain[-1] = replace(chain[-1], successor=beam.bars[k])
    parts.joints.extend(chain)

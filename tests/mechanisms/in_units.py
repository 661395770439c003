"""Mechanisms in any units of length, mass and time: the same ones, so that results change as units do."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, pi

from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.model.system import Model


@dataclass(frozen=True, slots=True)
class Units:
    """How large one unit of the plain model is in those of the file [m, kg, s]."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    def of(self, kind: str) -> float:
        """A unit: m, rad, kg, kg m^2, N, N m, N/m, N m/rad, N s/m, m/s^2, N m^2, s, and rates of m and rad."""
        length, mass, time = self.length, self.mass, self.time
        force = mass * length / time**2
        table = {
            "m": length, "rad": 1.0, "m/s": length / time, "rad/s": 1.0 / time, "m/s^2": length / time**2,
            "kg": mass, "kg m^2": mass * length**2, "N": force, "N m": force * length, "N/m": force / length,
            "N m/rad": force * length, "N s/m": force / length * time, "N m s": force * length * time,
            "N m^2": force * length**2, "s": time,
        }  # fmt: skip
        return table[kind]


CART = """
name: cart
gravity: [0, 0, <-9.81 m/s^2>]
bodies:
  a: {mass: <1 kg>}
  b: {mass: <2 kg>, center_of_mass: [0, 0, <-0.4 m>], inertia: [<0.1 kg m^2>, <0.1 kg m^2>, <0.1 kg m^2>]}
joints:
  A: {type: prismatic, from: ground, to: a, axis: [1, 0, 0], initial: <0.3 m>}
  B: {type: revolute, from: a, to: b, axis: [0, 1, 0], initial: 0.1}
forces:
  s: {type: joint_spring, joint: A, stiffness: <3 N/m>, reference: <0.2 m>}
  p: {type: point_spring_damper, first_body: ground, first_point: [<1 m>, 0, <0.5 m>], second_body: b,
      second_point: [0, 0, <-0.3 m>], stiffness: <5 N/m>, damping: <0.3 N s/m>, free_length: <0.7 m>}
"""

SLIDER = f"""
name: slider
gravity: [0, <-1 m/s^2>, 0]
bodies:
  crank: {{mass: <1 kg>, center_of_mass: [<0.15 m>, 0, 0], inertia: [0, 0, <0.0075 kg m^2>]}}
  rod: {{mass: <2 kg>, center_of_mass: [<0.25 m>, <0.05 m>, 0], inertia: [0, 0, <0.04 kg m^2>]}}
  block: {{mass: <3 kg>, inertia: [0, 0, <0.01 kg m^2>]}}
joints:
  A: {{type: revolute, from: ground, to: crank, initial: {pi / 2!r}}}
  B: {{type: revolute, from: crank, to: rod, at: [<0.3 m>, 0, 0], initial: {-pi / 2 - atan2(3, 4)!r}}}
  C: {{type: revolute, from: rod, to: block, at: [<0.5 m>, 0, 0], initial: {atan2(3, 4)!r}}}
  D: {{type: prismatic, from: ground, to: block, axis: [1, 0, 0], initial: <0.4 m>}}
forces:
  kA: {{type: joint_spring, joint: A, stiffness: <2 N m/rad>, reference: 1.2}}
  kD: {{type: joint_spring, joint: D, stiffness: <70 N/m>, reference: <0.35 m>}}
  dD: {{type: joint_damper, joint: D, damping: <0.4 N s/m>}}
"""

UNLOADED_SLIDER = SLIDER.replace("<-1 m/s^2>", "0").replace("1.2}", f"{pi / 2!r}}}").replace("<0.35 m>", "<0.4 m>")
"""Whose springs do not pull where it starts."""

BEAM = """
name: beam
gravity: [0, 0, 0]
bodies: {e: {mass: <0.3 kg>, center_of_mass: [<0.1 m>, <0.02 m>, 0], inertia: [0, 0, <0.01 kg m^2>]}}
joints: {}
beams:
  b: {from: ground, to: e, length: <1.2 m>, mass: <0.6 kg>, bending_stiffness: <2.5 N m^2>, segments: 2,
      damping: <0.001 s>}
forces:
  p: {type: point_spring_damper, first_body: ground, first_point: [<1 m>, <0.5 m>, 0], second_body: e,
      second_point: [<0.1 m>, 0, 0], stiffness: <5 N/m>, damping: <0.3 N s/m>, free_length: <0.58309518948453 m>}
"""

FLOATING = """
name: floating
gravity: [0, 0, 0]
bodies:
  a: {mass: <1 kg>, center_of_mass: [0, <-0.5 m>, 0], inertia: [0, 0, <0.1 kg m^2>]}
  b: {mass: <2 kg>, center_of_mass: [<0.1 m>, <-0.4 m>, 0], inertia: [0, 0, <0.1 kg m^2>]}
joints:
  A: {type: planar, from: ground, to: a}
  B: {type: revolute, from: a, to: b, at: [0, <-1 m>, 0]}
forces: {s: {type: joint_spring, joint: B, stiffness: <3 N m/rad>}}
"""


def in_units(text: str, units: Units) -> Model:
    """The mechanism of a text with each <number unit> written in those units."""
    head, *parts = text.split("<")
    found = [head]
    for part in parts:
        value, rest = part.split(">", 1)
        number, kind = value.split(" ", 1)
        found.append(f"{float(number) * units.of(kind)!r}{rest}")
    return read_native(TextSource("units.yaml", "".join(found)))

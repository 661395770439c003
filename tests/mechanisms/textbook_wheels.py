"""Textbook models of what rolls and glides: a disc on a plane, Chaplygin's sleigh, the snakeboard.

Sources: J. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, 1972; J. Ostrowski and others, Proc. IEEE Int.
Conf. Robotics and Automation, 1994.
"""

from __future__ import annotations

from pathlib import Path

import mbsym
from mbsym.model.system import Model

DISC = """\
name: disc
parameters: {m: {value: 2, symbolic: true}, r: {value: 0.4, symbolic: true}, g: {value: 9.81, symbolic: true}}
gravity: [0, 0, -g]
bodies:
  a: {mass: 0}
  b: {mass: 0}
  c: {mass: 0}
  fork: {mass: 0}
  shaft: {mass: 0}
  disc: {mass: m, inertia: [m*r**2/4, m*r**2/2, m*r**2/4]}
joints:
  x: {type: prismatic, from: ground, to: a, axis: x}
  y: {type: prismatic, from: a, to: b, axis: y}
  z: {type: prismatic, from: b, to: c, axis: z, initial: 0.4}
  yaw: {type: revolute, from: c, to: fork, axis: z}
  lean: {type: revolute, from: fork, to: shaft, axis: x}
  spin: {type: revolute, from: shaft, to: disc, axis: y}
constraints:
  contact: {type: rolling, wheel: disc, on: ground, radius: r}
"""

UPSIDE_DOWN = DISC.replace("to: shaft, axis: x}", "to: shaft, axis: x, initial: 3.0}")
"""The disc where it leans by more than a right angle."""

SLEIGH = """\
name: sleigh
parameters: {m: {value: 2, symbolic: true}, a: {value: 0.4, symbolic: true}, I: {value: 0.3, symbolic: true}}
bodies:
  one: {mass: 0}
  two: {mass: 0}
  sleigh: {mass: m, inertia: [0, 0, I], center_of_mass: [a, 0, 0]}
joints:
  x: {type: prismatic, from: ground, to: one, axis: x}
  y: {type: prismatic, from: one, to: two, axis: y}
  turn: {type: revolute, from: two, to: sleigh, axis: z}
constraints:
  blade: {type: velocity, expression: "velocity(sleigh, in=sleigh).y"}
"""

SNAKEBOARD = """\
name: snakeboard
parameters:
  m: {value: 6, symbolic: true}
  l: {value: 0.2, symbolic: true}
  Jr: {value: 0.07, symbolic: true}
  Jw: {value: 0.01, symbolic: true}
  J: {value: m*l**2 - Jr - 2*Jw}
bodies:
  one: {mass: 0}
  two: {mass: 0}
  board: {mass: m, inertia: [0, 0, J]}
  rotor: {mass: 0, inertia: [0, 0, Jr]}
  front: {mass: 0, inertia: [0, 0, Jw]}
  back: {mass: 0, inertia: [0, 0, Jw]}
joints:
  x: {type: prismatic, from: ground, to: one, axis: x}
  y: {type: prismatic, from: one, to: two, axis: y}
  turn: {type: revolute, from: two, to: board, axis: z}
  psi: {type: revolute, from: board, to: rotor, axis: z}
  phi: {type: revolute, from: board, to: front, axis: z, at: [l, 0, 0]}
  phi_back: {type: revolute, from: board, to: back, axis: z, at: [-l, 0, 0]}
couplings:
  phi_back: {source: phi, ratio: -1}
constraints:
  front_wheel: {type: velocity, expression: "velocity(front, in=front).y"}
  back_wheel: {type: velocity, expression: "velocity(back, in=back).y"}
"""


def read(tmp_path: Path, text: str) -> Model:
    path = tmp_path / "model.yaml"
    path.write_text(text, encoding="utf-8")
    return mbsym.load(path)

"""A spatial tree at rest under loads: springs, dampers, a rotor, universal joints, one joint turned round."""

from __future__ import annotations

LOADED_TREE = """
name: tree
gravity: [1, 2, -9.81]
bodies:
  a: {mass: 2, center_of_mass: [0.1, 0.2, -0.4], inertia: [0.2, 0.3, 0.25, 0.01, 0.02, -0.03]}
  c: {mass: 1, center_of_mass: [0.3, 0.1, -0.2], inertia: [0.1, 0.13, 0.15]}
  e: {mass: 1, center_of_mass: [0.3, 0.1, -0.2], inertia: [0.1, 0.13, 0.15]}
joints:
  A: {type: universal, from: ground, to: a, axis: x, second_axis: y, at: [0.1, 0, 0]}
  C: {type: prismatic, from: c, to: a, armature: 0.1, axis: [0.2, 0.1, 1], at: [0, 0.1, -0.5]}
  E: {type: universal, from: e, to: a, axis: x, second_axis: y, at: [0, 0.4, 0]}
forces:
  s1: {type: joint_spring, joint: A, stiffness: 60}
  s2: {type: joint_spring, joint: A, stiffness: 70, index: 1}
  s4: {type: joint_spring, joint: C, stiffness: 500, reference: 0.01}
  s5: {type: joint_spring, joint: E, stiffness: 30}
  s6: {type: joint_spring, joint: E, stiffness: 30, index: 1}
  d1: {type: joint_damper, joint: A, damping: 0.3}
  d2: {type: joint_damper, joint: C, damping: 1.3}
  p: {type: point_spring_damper, first_body: c, second_body: ground, stiffness: 100, free_length: 0.5, damping: 2,
      first_point: [0.3, 0, 0.1], second_point: [1, 1, 0]}
  between: {type: point_spring_damper, first_body: c, second_body: e, stiffness: 40, free_length: 0.3, damping: 1.5,
      first_point: [0.1, 0.2, 0.3], second_point: [0.2, -0.1, 0]}
"""

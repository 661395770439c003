"""Conventions in one place; every generated file repeats those it depends on."""

from __future__ import annotations

from typing import Final

SPATIAL_ORDER: Final = "angular-linear"
QUATERNION_ORDER: Final = "wxyz"
STANDARD_GRAVITY: Final = ("0", "0", "-9.81")

CONVENTIONS: Final = (
    "SI units, radians. Ground is body 0; parent label < child label; joint j is the inboard joint of body j.",
    "Spatial vectors are [angular; linear]. Quaternions are scalar-first (w, x, y, z) and of unit length.",
    "Free joint: q = [quaternion; position of the frame origin], v = [omega; v_O] in the moving frame's axes.",
    "Spherical joint: v is the successor's angular velocity relative to the predecessor, in the successor's axes.",
    "Cylindrical joint: q = (translation, angle). Planar: q = (x, y, angle). Universal: q = (first, second angle).",
    "Equations: M(q) vdot + bias(q, v) = tau, bias with velocity, gravity and modelled force terms.",
    "Joint wrench: [moment; force] on the successor by the predecessor, at and in the successor's joint frame.",
)

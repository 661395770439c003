"""Sums of what is of two kinds: told where units are stated, and never where something may hide a unit."""

from __future__ import annotations

import pytest

from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.values.sums import dimensions, mixed_sum

UNITS = {
    "l": "m",
    "w": "m",
    "m": "kg",
    "k": "N/m",
    "c": "N m/rad",
    "q": "rad",
    "R": "ohm",
    "e": "",
    "v": "m/s",
    "t": "s",
}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("l + m", "l [m] and m [kg]"),
        ("2*l - w*m/3", "2 * l [m] and w * m / 3 [kg m]"),
        ("sin(q)*(l - t)", "l [m] and t [s]"),
        ("-k*l + k*v", "-k * l [N] and k * v [kg m/s^3]"),
        ("l + sqrt(l**2 + w)", "l ** 2 [m^2] and w [m]"),
        ("k*l**2/2 + c*q + k*l", "k * l ** 2 / 2 + c * q [J] and k * l [N]"),
        ("l + w - v*t", ""),
        ("sqrt(l**2 + w**2) - l", ""),
        ("k*l**2 + c*q", ""),  # a radian is a number beside forces
        ("l + 0.5*m", ""),  # half of what, nobody knows
        ("l + 1", ""),
        ("k*l - 100*(q + 1.2) - 3*v", ""),  # gains of a regulator
        ("R*v + l + e*m", ""),
        ("l if m > 1 else 2*l", ""),
        ("l**e + m**0.5", ""),
        ('position("a b").z - l', ""),
    ],
)
def test_of_expressions(text: str, told: str) -> None:
    assert mixed_sum(text, dimensions(UNITS)) == told


def test_of_models_where_they_stand() -> None:
    """In values, and in laws with coordinates, speeds, inputs and states, whose units the model knows."""
    text = """name: cart
parameters: {l: {value: 1, unit: m}, m: {value: 2, unit: kg}, k: {value: 3, unit: N/m}, d: {value: 3, unit: N s/m}}
inputs: {u: N}
bodies: {cart: {mass: m, center_of_mass: [l + m, 0, 0]}}
joints: {j: [prismatic, ground, cart]}
forces: {f: {type: joint_force, joint: j, expression: u - k*(q_j - l) - d*v_j}}
drives: {x: {rate: u - x, unit: m}}
"""
    warned = read_native(TextSource("cart.yaml", text)).warnings
    assert [each.partition(";")[0] for each in warned] == [
        "in l + m units of two kinds are summed: l [m] and m [kg]",
        "in u - x units of two kinds are summed: u [N] and x [m]",
    ]
    wrong = text.replace("d*v_j", "k*v_j")
    assert any("and k * v_j" in each for each in read_native(TextSource("cart.yaml", wrong)).warnings)

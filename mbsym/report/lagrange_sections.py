"""What Lagrange's equations have to show: the energies and the momenta that they are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mbsym.formulations.lagrange import energies
from mbsym.kinematics.mechanism import Mechanism
from mbsym.report.closed_form import closed_form
from mbsym.report.sections import Entries, Equation, Item, Section
from mbsym.symbolic.scalar import Scalar

IN_WORDS: Final = Equation(
    "d/dt dL/dv - D L + b(v, dL/dv) = tau + Q,  L = T - U",
    r"\frac{d}{dt} \frac{\partial L}{\partial v} - D L + b\!\left(v, \frac{\partial L}{\partial v}\right) = \tau + Q, "
    r"\qquad L = T - U",
    "<mfrac><mi>d</mi><mrow><mi>d</mi><mi>t</mi></mrow></mfrac>"
    "<mfrac><mrow><mi>∂</mi><mi>L</mi></mrow><mrow><mi>∂</mi><mi>v</mi></mrow></mfrac>"
    "<mo>−</mo><mi>D</mi><mi>L</mi><mo>+</mo><mi>b</mi><mo>(</mo><mi>v</mi><mo>,</mo>"
    "<mfrac><mrow><mi>∂</mi><mi>L</mi></mrow><mrow><mi>∂</mi><mi>v</mi></mrow></mfrac><mo>)</mo>"
    "<mo>=</mo><mi>τ</mi><mo>+</mo><mi>Q</mi><mo>,</mo><mspace width='1em'/><mi>L</mi><mo>=</mo><mi>T</mi>"
    "<mo>−</mo><mi>U</mi>",
)

SENTENCES: Final = (
    "T is the kinetic energy, U the potential energy of gravity, D the derivative along the motion of each speed, Q "
    "the forces of force elements by virtual work.",
    "Where all speeds are rates of coordinates, D is the derivative by q and b is zero; for angular velocities b is "
    "omega x p, and for free bodies [omega x p_omega + v x p_v; omega x p_v].",
)


def lagrange_sections(mechanism: Mechanism) -> tuple[Section, ...]:
    """The equations in words, and the energies and momenta where these can be read."""
    found = energies(mechanism)
    words = Section("lagrange", "Lagrange's equations", SENTENCES, (IN_WORDS,))
    shown = _closed(mechanism, {"T": (found.kinetic,), "U": (found.potential,), "p": found.momenta})
    if shown is None:
        return (words,)
    energy = Section(
        "energies",
        "Energies and momenta",
        ("T and U, and the momenta p = dT/dv; what is zero is left out.",),
        shown,
    )
    return (words, energy)


def _closed(mechanism: Mechanism, values: Mapping[str, Sequence[Scalar]]) -> tuple[Item, ...] | None:
    written = closed_form(mechanism, [value.ref for group in values.values() for value in group])
    if written is None:
        return None
    items: list[Item] = []
    for letter, group in values.items():
        own = [written.pop(0) for _ in group]
        indices: list[tuple[int, ...]] = [(k,) for k in range(1, len(own) + 1)] if letter == "p" else [()]
        places = {place: value for place, value in zip(indices, own, strict=True) if value != 0}
        if places:
            items.append(Entries(letter, places))
    return tuple(items)

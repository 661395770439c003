"""Arms that textbooks print, with the parameters of their bodies as names, and equations as they print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mbsym
from mbsym.values.parameter import Value

PLANAR_3R: Mapping[str, tuple[str, ...]] = {
    "M": (
        "I1 + I2 + I3 + m1*c1**2 + m2*(l1**2 + c2**2 + 2*l1*c2*C2)"
        " + m3*(l1**2 + l2**2 + c3**2 + 2*l1*l2*C2 + 2*l1*c3*C23 + 2*l2*c3*C3)",
        "I2 + I3 + m2*(c2**2 + l1*c2*C2) + m3*(l2**2 + c3**2 + l1*l2*C2 + l1*c3*C23 + 2*l2*c3*C3)",
        "I3 + m3*(c3**2 + l1*c3*C23 + l2*c3*C3)",
        "I2 + I3 + m2*c2**2 + m3*(l2**2 + c3**2 + 2*l2*c3*C3)",
        "I3 + m3*(c3**2 + l2*c3*C3)",
        "I3 + m3*c3**2",
    ),
    "h": (
        "-(m2*l1*c2*S2 + m3*l1*l2*S2 + m3*l1*c3*S23)*(2*v1*v2 + v2**2)"
        " - (m3*l1*c3*S23 + m3*l2*c3*S3)*(2*v1*v3 + 2*v2*v3 + v3**2)",
        "(m2*l1*c2*S2 + m3*l1*l2*S2 + m3*l1*c3*S23)*v1**2 - m3*l2*c3*S3*(2*v1*v3 + 2*v2*v3 + v3**2)",
        "(m3*l1*c3*S23 + m3*l2*c3*S3)*v1**2 + m3*l2*c3*S3*(2*v1*v2 + v2**2)",
    ),
}
"""M by rows on and above the diagonal, and h, as textbooks expand two links, for three."""

PUMA_560: Mapping[tuple[int, int], str] = {
    (1, 1): "Im1 + I1 + I3*CC2 + I7*SS23 + I10*SC23 + I11*SC2 + I20*(SS5*(SS23*(1 + CC4) - 1) - 2*SC23*C4*SC5)"
    " + I21*SS23*CC4 + 2*(I5*C2*S23 + I12*C2*C23 + I15*(SS23*C5 + SC23*C4*S5) + I16*C2*(S23*C5 + C23*C4*S5)"
    " + I18*S4*S5 + I22*(SC23*C5 + CC23*C4*S5))",
    (1, 2): "I4*S2 + I8*C23 + I9*C2 + I13*S23 - I15*C23*S4*S5 + I16*S2*S4*S5 + I18*(S23*C4*S5 - C23*C5)"
    " + I19*S23*SC4 + I20*S4*(S23*C4*CC5 + C23*SC5) + I22*S23*S4*S5",
    (1, 3): "I8*C23 + I13*S23 - I15*C23*S4*S5 + I19*S23*SC4 + I18*(S23*C4*S5 - C23*C5) + I22*S23*S4*S5"
    " + I20*S4*(S23*C4*CC5 + C23*SC5)",
    (1, 4): "I14*C23 + I15*S23*C4*S5 + I16*C2*C4*S5 + I18*C23*S4*S5 - I20*(S23*C4*SC5 + C23*SS5) + I22*C23*C4*S5",
    (1, 5): "I15*S23*S4*C5 + I16*C2*S4*C5 + I17*S23*S4 + I18*(S23*S5 - C23*C4*C5) + I22*C23*S4*C5",
    (1, 6): "I23*(C23*C5 - S23*C4*S5)",
    (2, 2): "Im2 + I2 + I6 + I20*SS4*SS5 + I21*SS4 + 2*(I5*S3 + I12*C3 + I15*C5 + I16*(S3*C5 + C3*C4*S5) + I22*C4*S5)",
    (2, 3): "I5*S3 + I6 + I12*C3 + I16*(S3*C5 + C3*C4*S5) + I20*SS4*SS5 + I21*SS4 + 2*(I15*C5 + I22*C4*S5)",
    (2, 4): "-I15*S4*S5 - I16*S3*S4*S5 + I20*S4*SC5",
    (2, 5): "I15*C4*C5 + I16*(C3*S5 + S3*C4*C5) + I17*C4 + I22*S5",
    (2, 6): "I23*S4*S5",
    (3, 3): "Im3 + I6 + I20*SS4*SS5 + I21*SS4 + 2*(I15*C5 + I22*C4*S5)",
    (3, 4): "-I15*S4*S5 + I20*S4*SC5",
    (3, 5): "I15*C4*C5 + I17*C4 + I22*S5",
    (3, 6): "I23*S4*S5",
    (4, 4): "Im4 + I14 - I20*SS5",
    (4, 6): "I23*C5",
    (5, 5): "Im5 + I17",
    (6, 6): "Im6 + I23",
}
"""Entries of M that are not zero, of Armstrong, Khatib, Burdick 1986, appendix: constants I are numbers, S23 is the
sine of q2 + q3, SS5 the square of S5, SC4 is S4 C4."""


def _body(number: int, center: tuple[Value, Value, Value]) -> mbsym.Body:
    moments = (f"Ix{number}", f"Iy{number}", f"Iz{number}", 0, 0, 0)
    return mbsym.Body(f"link{number}", f"m{number}", center, moments)  # type: ignore[arg-type]


def _arm(
    name: str,
    centers: Sequence[tuple[Value, Value, Value]],
    joints: Sequence[tuple[str, tuple[int, int, int], tuple[Value, Value, Value]]],
) -> mbsym.Model:
    """A chain of bodies with three moments of inertia each; what is a name in it is a parameter."""
    bodies = tuple(_body(k, center) for k, center in enumerate(centers, 1))
    chain = tuple(
        mbsym.Joint(
            f"j{k}",
            kind,
            f"link{k - 1}" if k > 1 else "ground",
            f"link{k}",
            axis=axis,
            predecessor_placement=mbsym.Placement(at),
        )
        for k, (kind, axis, at) in enumerate(joints, 1)
    )
    own = [f"{stem}{k}" for k in range(1, len(bodies) + 1) for stem in ("m", "Ix", "Iy", "Iz")]
    places = [each for triple in (*centers, *(at for _, _, at in joints)) for each in triple if isinstance(each, str)]
    parameters = tuple(mbsym.Parameter(each, 1, symbolic=True) for each in (*own, *places))
    return mbsym.Model(name, bodies, chain, parameters=parameters)


def spatial_arm() -> mbsym.Model:
    """Three links: one turns about the vertical, two in the plane that it carries."""
    return _arm(
        "spatial_arm",
        [("c1", 0, 0), ("c2", 0, 0), ("c3", 0, 0)],
        [
            ("revolute", (0, 0, 1), (0, 0, 0)),
            ("revolute", (0, 1, 0), ("l1", 0, 0)),
            ("revolute", (0, 1, 0), ("l2", 0, 0)),
        ],
    )


def stanford() -> mbsym.Model:
    """The Stanford arm: its third joint slides."""
    return _arm(
        "stanford",
        [(0, "c1y", "c1z"), (0, "c2y", "c2z"), (0, 0, "c3"), (0, "c4y", "c4z"), (0, 0, "c5"), (0, 0, "c6")],
        [
            ("revolute", (0, 0, 1), (0, 0, 0)),
            ("revolute", (0, 1, 0), (0, "d2", 0)),
            ("prismatic", (0, 0, 1), (0, 0, 0)),
            ("revolute", (0, 0, 1), (0, 0, 0)),
            ("revolute", (0, 1, 0), (0, 0, 0)),
            ("revolute", (0, 0, 1), (0, 0, "d6")),
        ],
    )

"""Settings of the compiler of MJCF that bear on masses, limits and angles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from mbsym.doors import numpy as np
from mbsym.formats.mjcf.frames import AngleRules
from mbsym.formats.rigid_frames import ExactMass, by_rows, exact_mass
from mbsym.formats.xml_document import Element
from mbsym.model.body import Body
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value

AUTO = "auto"


def compiler_words(root: Element) -> dict[str, str]:
    """What the elements <compiler> of a file say, later ones over earlier ones."""
    return {key: words for compiler in root.all("compiler") for key, words in compiler.attributes.items()}


@dataclass(frozen=True, slots=True)
class Settings:
    """What <compiler> says of masses and limits.

    Attributes:
        from_geoms: whether masses follow from geoms: "true", "false", or "auto" where a body states none.
        groups: the first and last group of the geoms that count.
        limits_follow: True limits joints that have a range, False those that say limited="true".
        least_mass: of every body [kg].
        least_inertia: of every principal moment [kg m^2].
        balance: True makes principal moments equal where the largest exceeds the sum of the others.
        exact_meshes: True where the volume of meshes is exact by default.
    """

    from_geoms: str = AUTO
    groups: tuple[int, int] = (0, 5)
    limits_follow: bool = True
    least_mass: float = 0.0
    least_inertia: float = 0.0
    balance: bool = False
    exact_meshes: bool = False

    def counts(self, group: int) -> bool:
        """Whether geoms of a group are among those that masses follow from."""
        return self.groups[0] <= group <= self.groups[1]

    def is_limited(self, joint: Element, lower: Value, upper: Value) -> bool:
        """Whether its range limits a joint, with the attributes of its class; an empty one has to be asked for."""
        usual = "true" if self.limits_follow and evaluate(lower) < evaluate(upper) else "false"
        stated = joint.attributes.get("limited", AUTO)
        return (usual if stated == AUTO else stated) == "true"

    def bounded(self, body: Body) -> Body:
        """The body with its mass and principal moments within the bounds."""
        if not (self.least_mass or self.least_inertia or self.balance):
            return body
        own = exact_mass(body)
        moments, axes = np.linalg.eigh(np.array(own.inertia, dtype=float))
        kept = np.maximum(moments, self.least_inertia)
        if self.balance and kept[0] + kept[1] < kept[2]:
            kept = np.full(3, kept.mean())
        mass = max(own.mass, Fraction(repr(self.least_mass)))
        inertia = own.inertia
        if not np.array_equal(kept, moments):
            inertia = by_rows([Fraction(repr(float(entry))) for entry in row] for row in (axes * kept) @ axes.T)
        return ExactMass(mass, own.center, inertia).body(body.name)


def read_settings(root: Element) -> Settings:
    """The settings of a file.

    Raises:
        FormatError: a bound or a range of groups is no number.
    """
    given = compiler_words(root)
    found = Settings(
        from_geoms=given.get("inertiafromgeom", AUTO),
        limits_follow=given.get("autolimits", "true") == "true",
        balance=given.get("balanceinertia") == "true",
        exact_meshes=given.get("exactmeshinertia") == "true",
    )
    for compiler in root.all("compiler"):
        if "boundmass" in compiler.attributes:
            found = replace(found, least_mass=max(evaluate(compiler.number("boundmass")), 0.0))
        if "boundinertia" in compiler.attributes:
            found = replace(found, least_inertia=max(evaluate(compiler.number("boundinertia")), 0.0))
        if "inertiagrouprange" in compiler.attributes:
            first, last = (round(evaluate(value)) for value in compiler.numbers("inertiagrouprange", 2))
            found = replace(found, groups=(first, last))
    return found


def angle_rules(root: Element, tolerance: float) -> AngleRules:
    """How the angles of a file are meant, those nearer than the tolerance to a multiple of 90 degrees as it [rad].

    Raises:
        FormatError: coordinates are global, or a unit or a sequence of axes is unknown.
    """
    for compiler in root.all("compiler"):
        if compiler.attributes.get("coordinate", "local") != "local":
            raise compiler.error("global coordinates are not covered", 'use coordinate="local"')
        unit = compiler.attributes.get("angle", "degree")
        if unit not in ("degree", "radian"):
            raise compiler.error(f"angles in {unit!r} are unknown", "say degree or radian")
        sequence = compiler.attributes.get("eulerseq", "xyz")
        if len(sequence) != 3 or any(letter not in "xyzXYZ" for letter in sequence):
            raise compiler.error(f"eulerseq={sequence!r} is no sequence of three axes", "say xyz")
    given = compiler_words(root)
    return AngleRules(given.get("angle", "degree") == "degree", given.get("eulerseq", "xyz"), tolerance)

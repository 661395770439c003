"""Settings of the compiler of MJCF that bear on masses and limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from mbsym.doors import numpy as np
from mbsym.formats.rigid_frames import ExactMass, by_rows, exact_mass
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element
from mbsym.formats.xml_numbers import read_number, read_numbers
from mbsym.model.body import Body
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Settings:
    """What <compiler> says, later ones over earlier ones.

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


def read_settings(source: TextSource, root: Element) -> Settings:
    """The settings of a file.

    Raises:
        FormatError: a bound or a range of groups is no number.
    """
    found = Settings()
    for compiler in root.all("compiler"):
        given = compiler.attributes
        found = replace(
            found,
            from_geoms=given.get("inertiafromgeom", found.from_geoms),
            limits_follow=given.get("autolimits", "true" if found.limits_follow else "false") == "true",
            balance=given.get("balanceinertia", "true" if found.balance else "false") == "true",
            exact_meshes=given.get("exactmeshinertia", "true" if found.exact_meshes else "false") == "true",
        )
        if "boundmass" in given:
            found = replace(found, least_mass=max(evaluate(read_number(source, compiler, "boundmass")), 0.0))
        if "boundinertia" in given:
            found = replace(found, least_inertia=max(evaluate(read_number(source, compiler, "boundinertia")), 0.0))
        if "inertiagrouprange" in given:
            first, last = (round(evaluate(value)) for value in read_numbers(source, compiler, "inertiagrouprange", 2))
            found = replace(found, groups=(first, last))
    return found

"""Mass of MJCF mesh geoms: MuJoCo's rules, on the vertices that it has, which are of single precision."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbsym.doors import numpy as np
from mbsym.errors import FormatError
from mbsym.formats.findings import listing
from mbsym.formats.mjcf.assets import Assets
from mbsym.formats.mjcf.frames import AngleRules, read_frame
from mbsym.formats.mjcf.shapes import mesh_frame
from mbsym.formats.rigid_frames import ExactMass, by_rows, exact3, placement_matrix
from mbsym.formats.xml_document import Element
from mbsym.shapes.mesh_file import Triangles, find_mesh, read_mesh
from mbsym.shapes.mesh_mass import RULES, convex_hull, joined, mesh_mass, single_precision, surface_fault
from mbsym.values.numbers import evaluate

if TYPE_CHECKING:
    # What computes with arrays is imported when there is a mesh to compute with.
    from mbsym.shapes.mesh_file import Triangles
    from mbsym.shapes.mesh_mass import MeshMass

LEGACY: Final = "legacy"
NOTICED = 1e-6
"""Share of a volume that the legacy rule may add before it is told."""


@dataclass(slots=True)
class MeshMasses:
    """Mass properties of the meshes of a file, each read once.

    Attributes:
        assets: of the file.
        rules: how angles are meant.
        exact: True where the compiler's exactmeshinertia makes "exact" the default rule.
        overstated: names of meshes whose volume the legacy rule overstates, with the share.
    """

    assets: Assets
    rules: AngleRules
    exact: bool = False
    overstated: dict[str, float] = field(default_factory=dict)
    _known: dict[tuple[str, bool], MeshMass] = field(default_factory=dict)

    def geom_mass(self, geom: Element, stated: float | None, density: float) -> ExactMass | None:
        """The mass properties of a mesh geom on the frame around it.

        Args:
            geom: with the attributes of its default class.
            stated: mass, None where the density says it.
            density: of what is within, or on the surface of a shell.

        Raises:
            FormatError: the mesh cannot be read, or bounds no volume.
        """
        mesh = self.assets.mesh(geom)
        own = self._mass(mesh, geom)
        mass = own.volume * density if stated is None else stated
        if mass == 0:
            return None
        x, y, z = (Fraction(repr(float(entry))) for entry in own.center)
        inertia = by_rows([Fraction(repr(float(entry) * mass / own.volume)) for entry in row] for row in own.inertia)
        return ExactMass(Fraction(repr(mass)), (x, y, z), inertia).moved(read_frame(geom, self.rules))

    def notes(self) -> list[str]:
        """What the legacy rule, MuJoCo's default, does to the meshes that have mass, in words."""
        if not self.overstated:
            return []
        names = sorted(self.overstated)
        most = max(self.overstated.values())
        word = "mesh" if len(names) == 1 else "meshes"
        return [
            f"the volume of {len(names)} {word} ({listing(names)}) is taken by MuJoCo's legacy rule, which overstates "
            f'it by up to {100 * most:.0f} %; inertia="exact" takes it as it is'
        ]

    def _mass(self, mesh: Element, geom: Element) -> MeshMass:
        name = geom.attributes["mesh"]
        shell = geom.attributes.get("shellinertia") == "true"
        if (name, shell) in self._known:
            return self._known[name, shell]
        word = mesh.attributes.get("inertia", "exact" if self.exact else LEGACY)
        rule = next((rule for rule in RULES if rule == word), None)
        if rule is None:
            raise mesh.error(f"there is no inertia {word!r}", f"say {', '.join(RULES)}")
        triangles = self._triangles(mesh)
        fault = surface_fault(triangles) if rule == "exact" and not shell else ""
        if fault:
            raise mesh.error(f"mesh {name!r} has no mass: {fault}", 'mend it, or say inertia="convex"')
        found = mesh_mass(triangles, "shell" if shell else rule)
        if not found.volume > 0:
            raise mesh.error(f"mesh {name!r} has no volume", "give it one, or its body an <inertial>")
        if rule == LEGACY and not shell:
            exact = mesh_mass(triangles, "exact").volume
            if found.volume > exact * (1 + NOTICED) or surface_fault(triangles):
                self.overstated[name] = found.volume / abs(exact) - 1 if exact else 1.0
        self._known[name, shell] = found
        return found

    def _triangles(self, mesh: Element) -> Triangles:
        """The surface of a mesh in its own frame, scaled along the axes of that."""
        try:
            parts = self._inline(mesh) if "vertex" in mesh.attributes else self._from_file(mesh)
            single = [Triangles(single_precision(part.vertices), part.faces) for part in parts]
        except (FormatError, ValueError) as error:
            what = error.what if isinstance(error, FormatError) else str(error)
            remedy = error.remedy if isinstance(error, FormatError) else "mend its vertices"
            raise mesh.error(what, remedy or "give its body an <inertial>") from None
        scale = [evaluate(value) for value in mesh.triple("scale", (1, 1, 1))]
        reference = mesh_frame(mesh)
        p, R = (np.array(part, dtype=float) for part in (exact3(reference.translation), placement_matrix(reference)))
        return joined([Triangles((part.vertices - p) @ R, part.faces) for part in single], scale)

    def _inline(self, mesh: Element) -> tuple[Triangles, ...]:
        count = len(mesh.attributes["vertex"].split())
        vertices = np.array([evaluate(value) for value in mesh.numbers("vertex", count)])
        if count % 3 or count < 12:
            raise FormatError(
                f"{count} numbers are no vertices of a mesh", remedy="give three for each of four or more"
            )
        if "face" not in mesh.attributes:
            return (convex_hull(single_precision(vertices.reshape(-1, 3))),)
        words = mesh.attributes["face"].split()
        if not words or len(words) % 3 or not all(word.isdigit() and int(word) < count // 3 for word in words):
            raise FormatError("the faces are no triples of vertices", remedy="count vertices from 0")
        return (Triangles(vertices.reshape(-1, 3), np.array(list(map(int, words))).reshape(-1, 3)),)

    def _from_file(self, mesh: Element) -> tuple[Triangles, ...]:
        file = self.assets.file_of(mesh)
        if not file:
            raise FormatError("a mesh without file and vertices has no mass here", remedy="give its body an <inertial>")
        return read_mesh(find_mesh(file, self.assets.home))

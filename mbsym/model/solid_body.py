"""Bodies whose mass follows from their shapes and a density."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbsym.doors import sympy as sp
from mbsym.errors import MbsymError, ModelError
from mbsym.model.body import Body
from mbsym.model.shape import Shape
from mbsym.shapes.forms import Mesh
from mbsym.shapes.mesh_file import find_mesh, read_mesh
from mbsym.shapes.mesh_mass import joined, mesh_mass, surface_fault
from mbsym.shapes.solids import PlacedForm, Solid, mass_properties
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value
from mbsym.values.units import si_given


def solid_body(name: str, parts: Sequence[tuple[Shape, Value]], directory: str = "") -> Body:
    """The body that is filled by shapes of these densities.

    Its mass properties are exact expressions of the sizes and densities, with pi where something is round. Where the
    shapes have one common centre, inertia is about it; else the body has its first moment, and inertia about its
    frame's origin, both linear in the densities.

    Args:
        name: of the body.
        parts: shapes with their densities [kg/m^3]; where they overlap each weighs for itself.
        directory: that names of meshes start from.

    Raises:
        ModelError: there is no shape, or a mesh cannot be read or bounds no volume.
        SymbolicError: a value is no expression.
    """
    if not parts:
        raise ModelError(f"body {name!r} has a density and no shape", remedy="give it shapes, or its mass")
    densities = si_given([density for _, density in parts], "kg/m^3", f"density of body {name!r}")
    forms = [
        PlacedForm(
            shape.form, density, shape.placement.translation, shape.placement.rotation, shape.placement.quaternion
        )
        for (shape, _), density in zip(parts, densities, strict=True)
    ]
    found = mass_properties(forms, lambda mesh: _mesh_solid(mesh, directory))
    if found.center_of_mass is not None:
        return Body(name, found.mass, found.center_of_mass, found.inertia)
    return Body(name, found.mass, inertia=found.inertia, inertia_about="frame", first_moment=found.first_moment)


def _mesh_solid(mesh: Mesh, directory: str) -> Solid:
    def number(value: float) -> Any:
        return sp.Rational(repr(float(value)))

    try:
        triangles = joined(read_mesh(find_mesh(mesh.file, directory)), [evaluate(factor) for factor in mesh.scale])
    except MbsymError as error:
        if error.exit_status != ModelError.exit_status:
            raise
        raise ModelError(error.what, where=mesh.file, remedy=error.remedy) from None
    fault = surface_fault(triangles)
    if fault:
        raise ModelError(f"mesh {mesh.file!r} has no mass: {fault}", remedy="mend it, or state the mass of its body")
    own = mesh_mass(triangles)
    inertia = sp.Matrix(3, 3, [number(entry) for entry in own.inertia.ravel()])
    return Solid(number(own.volume), sp.Matrix([number(entry) for entry in own.center]), inertia)

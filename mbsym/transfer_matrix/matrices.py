"""The transfer matrices of a mechanism in closed form, and the equation that they make together.

Source: Li Chunming, Rui Xiaoting, Validating on the transfer matrix method of multibody system without considering
constraint violation correction, 2005, equations (4) to (8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mbsym.doors import sympy as sp
from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.model.system import Model
from mbsym.symbolic.scalar import Scalar
from mbsym.symbolic.sympy_bridge import to_sympy
from mbsym.transfer_matrix import closed_form
from mbsym.transfer_matrix.closed_form import TransferElement
from mbsym.transfer_matrix.overall import OverallEquation, overall_equation
from mbsym.transfer_matrix.recognition import undriven_system
from mbsym.transfer_matrix.system import Kind, TransferSystem


@dataclass(frozen=True, slots=True)
class BodyValues:
    """What the symbols of the rigid body's matrix are for one body.

    Attributes:
        name, parent: of the element and of the one that it hangs on (the ground's name for ground).
        hinge: name of the joint at the input end.
        mass, inertia: inertia about the centre of mass, a number in the plane, a 3 x 3 matrix in space.
        center: from the input end, body axes.
        attachment: where the input end sits on the parent, from the parent's input end in its axes.
    """

    name: str
    parent: str
    hinge: str
    mass: sp.Expr
    inertia: sp.Expr | sp.Matrix
    center: sp.Matrix
    attachment: sp.Matrix


@dataclass(frozen=True, slots=True)
class TransferMatrices:
    """The transfer matrix method's view of a mechanism, in closed form.

    Attributes:
        name: of the model.
        elements: matrices of the element types that occur, boundaries included.
        bodies: values of the rigid bodies.
        cuts: name and bodies of each cut joint and point spring.
        overall: the overall transfer equation as a product, None where products are not shown.
        overall_remark: boundary conditions, or why there is no product.
        rotation: in space, R and H of the Cardan angles and T of incremental rotations, by name.
    """

    name: str
    elements: tuple[TransferElement, ...]
    bodies: tuple[BodyValues, ...]
    cuts: tuple[tuple[str, str, str], ...]
    overall: OverallEquation | None
    overall_remark: str
    rotation: Mapping[str, sp.Matrix]

    def element(self, name: str) -> TransferElement:
        """The element of that name.

        Raises:
            DerivationError: there is none.
        """
        for element in self.elements:
            if element.name == name:
                return element
        raise DerivationError(
            f"no element {name!r}", where=self.name, remedy=f"there are {', '.join(x.name for x in self.elements)}"
        )


def derive_transfer_matrices(source: Model | Mechanism) -> TransferMatrices:
    """Closed forms of all elements of a mechanism, and how they are put together.

    Args:
        source: a model, or a mechanism whose run-time parameters stay symbols.

    Raises:
        DerivationError: the mechanism has an element that is not covered.
    """
    mechanism = source if isinstance(source, Mechanism) else build_mechanism(source, source.label())
    system = undriven_system(mechanism)
    names = [mechanism.model.ground, *(body.name for body in system.bodies)]

    def expressions(values: Sequence[Scalar]) -> list[sp.Expr]:
        return to_sympy(mechanism.graph, [value.ref for value in values])

    bodies = []
    for body in system.bodies:
        J = expressions(body.inertia)
        if not system.is_planar:
            xx, yy, zz, xy, xz, yz = J
            J = [sp.Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])]
        bodies.append(
            BodyValues(
                body.name,
                names[body.parent],
                body.hinge.joint.name,
                expressions([body.mass])[0],
                J[0],
                sp.Matrix(expressions(body.center)),
                sp.Matrix(expressions(body.hinge.attachment)),
            )
        )
    overall: OverallEquation | None = None
    try:
        overall = overall_equation(system)
        remark = (
            "place of the cut joint at the end, two equations for the root's force"
            if overall.is_loop
            else ("no force at the end, two equations for the root's force")
        )
    except DerivationError as error:
        remark = f"{error.what}; {error.remedy}"
    R, H = closed_form.cardan_rotation()
    turns = {} if system.is_planar else {"R (Cardan angles)": R, "H (Cardan angles)": H}
    if not system.is_planar:
        turns["T (incremental rotation)"] = closed_form.incremental_rotation()
    return TransferMatrices(
        mechanism.model.name,
        _elements(system),
        tuple(bodies),
        tuple((cut.name, names[cut.first], names[cut.second]) for cut in system.cuts),
        overall,
        remark,
        turns,
    )


def _elements(system: TransferSystem) -> tuple[TransferElement, ...]:
    """The element types of a system, in the order of the library."""
    parents = {body.parent for body in system.bodies}
    cut_bodies = {number for cut in system.cuts for number in (cut.first, cut.second)}
    has_tips = any(k not in parents and k not in cut_bodies for k in range(1, len(system.bodies) + 1))
    return tuple((_planar_elements if system.is_planar else _spatial_elements)(system, has_tips))


def _spatial_elements(system: TransferSystem, has_tips: bool) -> list[TransferElement]:
    boundaries = {element.name: element for element in closed_form.boundaries()}
    found = [closed_form.spatial_rigid_body()]
    if any(body.hinge.ball for body in system.bodies):
        found.append(closed_form.ball_hinge())
    if any(not body.hinge.ball for body in system.bodies):
        found.append(closed_form.elastic_coordinate())
    found.append(boundaries["pinned end (space)"])
    return [*found, boundaries["free end (space)"]] if has_tips else found


def _planar_elements(system: TransferSystem, has_tips: bool) -> list[TransferElement]:
    boundaries = {element.name: element for element in closed_form.boundaries()}
    body = closed_form.planar_rigid_body()
    found = [body, closed_form.smooth_hinge(), closed_form.reduced_rigid_body(body.matrix)]
    if any(each.kind == Kind.TURN and any(each.law[:2]) for x in system.bodies for each in x.hinge.coordinates):
        found.append(closed_form.torsion_spring())
    if any(x.hinge.slides for x in system.bodies):
        found.append(closed_form.bushing())
    found.append(boundaries["pinned end (plane)"])
    if has_tips:
        found.append(boundaries["free end (plane)"])
    if any(not cut.is_spring for cut in system.cuts):
        found.append(boundaries["cut joint (plane)"])
    return found

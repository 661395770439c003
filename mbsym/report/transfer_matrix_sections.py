"""What the transfer matrix method has to show: element matrices, values of the bodies, the overall equation."""

from __future__ import annotations

from mbsym.kinematics.mechanism import Mechanism
from mbsym.report.numerals import text
from mbsym.report.sections import Item, NamedMatrix, Section, Table
from mbsym.transfer_matrix.matrices import TransferMatrices, derive_transfer_matrices


def transfer_matrix_sections(mechanism: Mechanism) -> tuple[Section, ...]:
    """Element matrices with the states that they connect, and how they are put together.

    Raises:
        DerivationError: the mechanism has an element that is not covered.
    """
    found = derive_transfer_matrices(mechanism)
    elements = tuple(
        Section(
            f"transfer_element_{k}",
            f"Element: {element.name}",
            tuple(
                each
                for each in (
                    f"U Z = 0 for Z = [{', '.join(element.state)}]."
                    if element.is_boundary
                    else f"Z_out = U Z_in for Z = [{', '.join(element.state)}].",
                    f"{element.remark}." if element.remark else "",
                )
                if each
            ),
            (NamedMatrix("U", element.matrix),),
        )
        for k, element in enumerate(found.elements, start=1)
    )
    turns: tuple[Item, ...] = tuple(
        NamedMatrix(name.partition(" ")[0], matrix) for name, matrix in found.rotation.items()
    )
    rotation = (Section("transfer_rotation", "Rotation", tuple(f"{name}." for name in found.rotation), turns),)
    return (*elements, *(rotation if turns else ()), _bodies(found), _overall(found))


def _bodies(found: TransferMatrices) -> Section:
    rows = tuple(
        (body.name, body.parent, body.hinge, text(body.mass), *map(_flat, (body.inertia, body.center, body.attachment)))
        for body in found.bodies
    )
    header = ("body", "hangs on", "hinge", "m", "J", "centre of mass", "input end on the parent")
    return Section("transfer_bodies", "Values of the bodies", ("Lengths in body axes.",), (Table(header, rows),))


def _flat(value: object) -> str:
    rows = value.tolist() if hasattr(value, "tolist") else None
    return text(value) if rows is None else f"[{', '.join(text(entry) for row in rows for entry in row)}]"


def _overall(found: TransferMatrices) -> Section:
    items: list[Item] = []
    if found.cuts:
        items.append(Table(("cut", "body", "body"), found.cuts))
    if found.overall is not None:
        items.append(NamedMatrix("Z_end", found.overall.expression))
    return Section("transfer_overall", "Overall transfer equation", (f"{found.overall_remark}.",), tuple(items))

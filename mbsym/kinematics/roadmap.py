"""What a generated module says about the mechanism: the roadmap table of its header and its manifest's fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.kinematics.mechanism import Mechanism
from mbsym.values.numbers import parameter_values


def roadmap_lines(mechanism: Mechanism) -> tuple[str, ...]:
    """A table of bodies and joints: label, body, parent, joint, its type, ranges of q and v; then cut joints."""
    names = {0: mechanism.model.ground} | {body.label: body.name for body in mechanism.bodies}
    rows = [("label", "body", "parent", "joint", "type", "q", "v")]
    for body in mechanism.bodies:
        joint = f"{body.joint.name} (walked backwards)" if body.flipped else body.joint.name
        rows.append(
            (
                str(body.label),
                body.name,
                f"{body.parent} {names[body.parent]}",
                joint,
                body.joint.type,
                _range("q", body.q_range),
                _range("v", body.v_range),
            )
        )
    lines = [*_aligned(rows)]
    if mechanism.cut_joints:
        cut = [("label", "cut joint", "from", "to", "type")]
        for item in mechanism.cut_joints:
            cut.append(
                (str(item.label), item.joint.name, names[item.predecessor], names[item.successor], item.joint.type)
            )
        lines += ["", *_aligned(cut)]
    if mechanism.frames:
        own = [(frame.name, names[frame.label], frame.axes) for frame in mechanism.frames]
        lines += ["", *_aligned([("frame", "body", "axes"), *own]), *_AXES]
    return tuple(lines)


_AXES: Final = (
    "local: at the frame's origin, in its axes; aligned: at its origin, in base axes; base: at the base's origin, in",
    "its axes, as a spatial vector. Accelerations at a frame's origin are those of the point.",
)


def _range(letter: str, bounds: tuple[int, int]) -> str:
    start, stop = bounds
    if stop == start:
        return "-"
    return f"{letter}[{start}]" if stop == start + 1 else f"{letter}[{start}..{stop - 1}]"


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def manifest_fields(mechanism: Mechanism) -> dict[str, object]:
    """Fields of the manifest that describe the mechanism, in user names and regular labels."""
    model = mechanism.model
    symbolic = {item.name for item in mechanism.parameters}
    numbers = parameter_values(model)
    joints: list[dict[str, object]] = [
        {
            "name": body.joint.name,
            "label": body.label,
            "type": body.joint.type,
            "predecessor": body.joint.predecessor,
            "successor": body.joint.successor,
            "flipped": body.flipped,
            "cut": False,
            "q": list(body.q_range),
            "v": list(body.v_range),
        }
        for body in mechanism.bodies
    ]
    joints += [
        {
            "name": item.joint.name,
            "label": item.label,
            "type": item.joint.type,
            "predecessor": item.joint.predecessor,
            "successor": item.joint.successor,
            "flipped": False,
            "cut": True,
            "q": [mechanism.nq, mechanism.nq],
            "v": [mechanism.nv, mechanism.nv],
        }
        for item in mechanism.cut_joints
    ]
    frames = [{"name": frame.name, "body": frame.body, "axes": frame.axes} for frame in model.frames]
    return {
        "nq": mechanism.nq,
        "nv": mechanism.nv,
        "bodies": [{"name": body.name, "label": body.label, "parent": body.parent} for body in mechanism.bodies],
        "joints": joints,
        **({"frames": frames} if frames else {}),
        "parameters": [
            {"name": item.name, "value": numbers[item.name], "unit": item.unit, "symbolic": item.name in symbolic}
            for item in model.parameters
        ],
        "inputs": [{"name": item.name, "unit": item.unit} for item in model.inputs],
    }

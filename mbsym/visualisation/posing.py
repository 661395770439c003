"""A mechanism to be moved by hand: one HTML page with sliders for its coordinates, which keeps its loops closed.

The page carries functions in JavaScript, printed from the Programs and the text that C is printed from: a slider holds
its own coordinate and the other independent ones, and the dependent ones follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from math import isfinite, pi
from typing import Final

import numpy as np

from mbsym.codegen.environment import render_template
from mbsym.doors import Array
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.roadmap import limit_tables
from mbsym.loops.closing import gap_program
from mbsym.loops.constraints import closures
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.names import expression_names
from mbsym.symbolic.evaluator import Evaluator
from mbsym.visualisation.linkage import scenery
from mbsym.visualisation.page_functions import page_script, poses_program
from mbsym.visualisation.parts import rounded
from mbsym.visualisation.scene import extent, scene_of, scene_text, script
from mbsym.visualisation.skeleton import skeleton
from mbsym.visualisation.surfaces import Surface

TEMPLATE: Final = "animation/show.html.jinja"

_DEPENDENT: Final = 1e-8
"""Singular value of closure rows, to the largest, below which they do not decide on a speed."""

_REACH: Final = 0.5
"""Way of a displacement without limits to each side, to the size of the mechanism."""


@dataclass(frozen=True, slots=True)
class Slider:
    """A number that the page lets one move.

    Attributes:
        name: of the coordinate; of a quaternion's three angles the axis about which the body turns.
        unit: "rad" or "m".
        q: its place in q, None for an angle of a quaternion.
        angle: which of the three angles x, y, z of a quaternion it is, whose order of turns is that of the names.
        low, high: between which it moves.
    """

    name: str
    unit: str
    q: int | None
    angle: int | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Handle:
    """The sliders of a joint.

    Attributes:
        joint, type: its name and type.
        v: columns of its speeds.
        quaternion: where its quaternion starts in q, None where there is none.
        sliders: of its coordinates.
        independent: for each column whether it is held while others are moved.
    """

    joint: str
    type: str
    v: tuple[int, ...]
    quaternion: int | None
    sliders: tuple[Slider, ...]
    independent: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class ShowContext:
    """Fields of ``animation/show.html.jinja``, escaped where they are text."""

    mark: str
    name: str
    title: str
    scene: str
    handles: str
    script: str


def show_html(mechanism: Mechanism, q: Array, mark: str, surfaces: Sequence[Surface] = ()) -> str:
    """The page.

    Args:
        mechanism: whose parameters are numbers.
        q: coordinates that it starts from, with closed loops (nq,).
        mark: of the file.
        surfaces: of its bodies and ground.
    """
    poses = poses_at(mechanism, q)[None]
    shape = skeleton(mechanism)
    items = scenery(shape, poses[0], surfaces)
    where = extent(shape, items, poses)
    found = handles(mechanism, q, where.sphere[1])
    controls = {
        "q": [float(x) for x in q],
        "handles": [asdict(handle) for handle in found],
        "length": rounded([where.sphere[1]])[0],
    }
    return render_template(
        TEMPLATE,
        ShowContext(
            escape(mark),
            escape(mechanism.model.name),
            escape(_title(mechanism, found)),
            scene_text(scene_of(shape, items, where)),
            scene_text(controls),
            "\n".join(
                (
                    script("camera", "solids", "view"),
                    page_script(mechanism, analyse_loops(mechanism)),
                    script("handles", "show"),
                )
            ),
        ),
    )


def poses_at(mechanism: Mechanism, q: Array) -> Array:
    """Body frames in base axes (nb, 4, 4)."""
    poses: Array = Evaluator(poses_program(mechanism))(q)["poses"].reshape(mechanism.nb, 4, 4)
    return poses


def handles(mechanism: Mechanism, q: Array, size: float) -> tuple[Handle, ...]:
    """The sliders of all joints, in the order of q.

    Args:
        mechanism: whose they are.
        q: coordinates (nq,), at which it is decided which of them are independent.
        size: of the mechanism [m].
    """
    free = independent_speeds(mechanism, q)
    limits = limit_tables(mechanism)
    low, high = (
        np.array(limits.get(key, [end] * mechanism.nq)) for key, end in (("q_lower", -np.inf), ("q_upper", np.inf))
    )
    names = expression_names(mechanism.model).coordinates
    found = []
    for body in mechanism.bodies_by_coordinates:
        start, quaternion = body.q_range[0], body.joint.kind.quaternion
        sliders = [] if quaternion is None else [
            Slider(f"turn about {axis}", "rad", None, k, -pi if k != 1 else -pi / 2, pi if k != 1 else pi / 2)
            for k, axis in enumerate("xyz")
        ]  # fmt: skip
        for k, (name, unit) in enumerate(zip(names[body.joint.name], body.joint.shape.coordinate_units, strict=True)):
            if quaternion is None or not quaternion <= k < quaternion + 4:
                bounds = _bounds(low[start + k], high[start + k], float(q[start + k]), unit, size)
                sliders.append(Slider(name, unit, start + k, None, *bounds))
        columns = tuple(range(*body.v_range))
        place = None if quaternion is None else start + quaternion
        held = tuple(column in free for column in columns)
        found.append(Handle(body.joint.name, body.joint.type, columns, place, tuple(sliders), held))
    return tuple(found)


def independent_speeds(mechanism: Mechanism, q: Array) -> frozenset[int]:
    """Columns of v that the closed loops leave free, all of them in a tree.

    As many as there are freedoms; those of motors first, then those of joints on ground, then from the base outward.
    """
    found = closures(mechanism)
    columns = [column for body in sorted(mechanism.bodies, key=_eagerness) for column in range(*body.v_range)]
    if not any(closure.rows for closure in found):
        return frozenset(columns)
    jacobian = Evaluator(gap_program(mechanism, found))(q)["residual_jacobian"]
    following = list(range(mechanism.nv))
    rank = _rank(jacobian)
    for column in columns:
        others = [k for k in following if k != column]
        if _rank(jacobian[:, others]) == rank:
            following = others
        if len(following) == rank:
            break
    return frozenset(range(mechanism.nv)).difference(following)


def _eagerness(body: TreeBody) -> tuple[bool, bool, int]:
    return not body.joint.actuated, body.parent != 0, body.label


def _rank(matrix: Array) -> int:
    sizes = np.linalg.svd(matrix, compute_uv=False) if matrix.size else np.zeros(0)
    return int(np.sum(sizes > _DEPENDENT * max(float(sizes[0]), 1e-300))) if len(sizes) else 0


def _bounds(low: float, high: float, now: float, unit: str, size: float) -> tuple[float, float]:
    """The limits, where they are missing a turn to both sides or half the size of the mechanism."""
    reach = pi if unit == "rad" else _REACH * size
    near = now if abs(now) > reach or unit != "rad" else 0.0
    low = low if isfinite(low) else min(near - reach, now, high - reach)
    high = high if isfinite(high) else max(near + reach, now, low + reach)
    return min(low, now), max(high, now)


def _title(mechanism: Mechanism, found: Sequence[Handle]) -> str:
    freedoms = sum(sum(handle.independent) for handle in found)
    closed = ", loops kept closed" if freedoms < mechanism.nv else ""
    return f"{mechanism.nb} bodies, {freedoms} {'freedom' if freedoms == 1 else 'freedoms'}{closed}"

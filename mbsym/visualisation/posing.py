"""A mechanism to be moved by hand: one HTML page with sliders for its coordinates, which keeps its loops closed.

The page carries functions in JavaScript, printed from the Programs and the text that C is printed from: a slider holds
its own coordinate and the other independent ones, and the dependent ones follow. Loops are closed by the same text as
in generated C and NumPy, on the same functions but for one: there is no mass matrix, and each speed has a mobility
instead, a parameter of the functions, which is zero for what the user holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from html import escape
from math import isfinite, pi
from typing import Final

import numpy as np

from mbsym.codegen.description import ModuleDescription, RuntimeFunction
from mbsym.codegen.environment import render_template
from mbsym.codegen.javascript.module import enclosed
from mbsym.doors import Array
from mbsym.formulations.contracts import Derived, Entries
from mbsym.formulations.recursive.sparse_factor import product
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.observables import pose_entries
from mbsym.kinematics.roadmap import limit_tables
from mbsym.loops import contracts
from mbsym.loops.closing import gap_program
from mbsym.loops.constraints import closures
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.loops.runtime import loop_constants, loop_runtime
from mbsym.loops.tolerances import RUNTIME
from mbsym.loops.wrenches import dense
from mbsym.model.names import expression_names
from mbsym.model.own_units import length_unit
from mbsym.passes.pass_manager import run
from mbsym.passes.standard import STANDARD_PASSES
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, ParameterInput, Program
from mbsym.symbolic.scalar import Scalar, symbol
from mbsym.visualisation.linkage import scenery
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
        mark=escape(mark),
        name=escape(mechanism.model.name),
        title=escape(_title(mechanism, found)),
        scene=scene_text(scene_of(shape, items, where)),
        handles=scene_text(controls),
        script="\n".join(
            (
                script("camera", "solids", "view"),
                page_script(mechanism, analyse_loops(mechanism)),
                script("handles", "show"),
            )
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


_AS_DERIVED: Final = ("constraint_residual", "closure_scale", "moved_position")


def page_module(mechanism: Mechanism, loops: LoopAnalysis) -> ModuleDescription:
    """body_poses, and with closed loops project_position with what it calls.

    Args:
        mechanism: whose parameters are numbers.
        loops: its closure equations.
    """
    programs = [poses_program(mechanism)]
    runtime: tuple[RuntimeFunction, ...] = ()
    if loops.rows:
        programs += [LOOP_FUNCTIONS[name](mechanism, loops) for name in _AS_DERIVED]
        programs.append(_position_correction(mechanism, loops))
        runtime = tuple(item for item in loop_runtime(mechanism, loops) if item.name == "project_position")
    sizes = {"NQ": mechanism.nq, "NV": mechanism.nv, "NB": mechanism.nb, **loop_constants(mechanism, loops)}
    return ModuleDescription(
        "page",
        tuple(run(program, STANDARD_PASSES)[0] for program in programs),
        constants=sizes,
        runtime=runtime,
        tolerances=RUNTIME if runtime else (),
    )


def page_script(mechanism: Mechanism, loops: LoopAnalysis) -> str:
    """The functions as an object called mechanism."""
    return f"const mechanism = {enclosed(page_module(mechanism, loops))};"


def poses_program(mechanism: Mechanism) -> Program:
    """Body frames in base axes."""
    entries = tuple(x.ref for x in pose_entries(mechanism))
    output = Output("poses", (mechanism.nb, 4, 4), entries, "", "body frames in base axes")
    return Program("body_poses", mechanism.graph, (mechanism.q,), (output,), mechanism.parameters)


def _position_correction(mechanism: Mechanism, loops: LoopAnalysis) -> Program:
    """Closure rows on mobilities: what is long moves as easily as what turns by the angle of that length."""
    graph, length = mechanism.graph, Fraction(length_unit(mechanism.model))
    units = [unit for body in mechanism.bodies_by_coordinates for unit in body.joint.shape.speed_units]
    given = [
        ParameterInput(f"mobility_{k}", symbol(graph, f"mobility_{k}").ref, length**2 if unit == "m/s" else Fraction(1))
        for k, unit in enumerate(units)
    ]
    mobility = [Scalar(graph, item.symbol) for item in given]
    rows = [dense(mechanism, row.residual_jacobian) for row in loops.rows]
    eased = [[x * ease for x, ease in zip(row, mobility, strict=True)] for row in rows]
    found: dict[str, Entries] = {
        "residual_jacobian": rows,
        "response": _transposed(eased),
        "delassus": [[product(row, other) for other in eased] for row in rows],
        "weighted": _transposed(rows),
        "inverses": mobility,
    }
    derived = Derived(found, description="what closes the loops with the least motion", sizes={"rows": len(rows)})
    program = contracts.POSITION_CORRECTION.program(mechanism, derived)
    return Program(
        program.name, graph, program.inputs, program.outputs, (*program.parameters, *given), program.description
    )


def _transposed(rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    return [list(column) for column in zip(*rows, strict=True)]

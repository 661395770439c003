"""Stepping code by the discrete time transfer matrix method: derived kernels, and the sweep that calls them.

Source: Li Chunming, Rui Xiaoting, Validating on the transfer matrix method of multibody system without considering
constraint violation correction, 2005, equations (4) to (10); the Riccati form of the recursion with columns for the cut
forces keeps the products of long chains from losing digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mbsym.codegen.interface import Argument, ModuleDescription, RuntimeFunction
from mbsym.codegen.routines.module import memory_size
from mbsym.codegen.statuses import Failure, Status
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Program
from mbsym.transfer_matrix import planar, spatial, spatial_rotation
from mbsym.transfer_matrix.kernel import programs_of
from mbsym.transfer_matrix.layout import RotationVariable
from mbsym.transfer_matrix.schemes import SCHEME_SIZE, scheme_programs
from mbsym.transfer_matrix.settings import NUMBERS, Report, Setting
from mbsym.transfer_matrix.system import TransferSystem


@dataclass(frozen=True, slots=True)
class SteppingModule:
    """What a module of generated code needs for stepping.

    Attributes:
        system: the elements.
        programs: tables of the system, kernels of the elements, constants of the integration schemes.
        runtime: start, advance, step and observe, with fixed text.
        constants: sizes for the fixed text.
        manifest: fields for the manifest.
    """

    system: TransferSystem
    programs: tuple[Program, ...]
    runtime: tuple[RuntimeFunction, ...]
    constants: Mapping[str, int]
    manifest: Mapping[str, object]


def kernel_programs(rotation: RotationVariable) -> tuple[Program, ...]:
    """The kernels of one variant, over a graph of their own: the same for every mechanism."""
    plane = rotation == "angle"
    own = planar.ROTATION if plane else spatial_rotation.ROTATIONS[rotation]
    return programs_of(spatial.kernels_of(planar.PLANE if plane else spatial.Space(), own), Graph())


def stepping_module(system: TransferSystem) -> SteppingModule:
    """Stepping code of a system of elements."""
    constants = {**_sizes(system), "TRANSFER_WORK": work_size(system)}
    programs = (system.program(), *kernel_programs(system.rotation), *scheme_programs(Graph()))
    return SteppingModule(system, programs, _runtime(system), constants, _manifest(system))


def work_size(system: TransferSystem) -> int:
    """Entries of scratch memory that the C functions need."""
    return memory_size("transfer_matrix", _sizes(system))


def _sizes(system: TransferSystem) -> dict[str, int]:
    """What the sweep must know of the system, by the names under which it knows it."""
    return {
        "TRANSFER_BODIES": len(system.bodies),
        "TRANSFER_CUTS": len(system.cuts),
        "TRANSFER_UNKNOWNS": system.unknowns,
        "TRANSFER_SCHEME": SCHEME_SIZE,
        "TRANSFER_CARDAN": int(system.rotation == "cardan"),
        "TRANSFER_COORDINATES": system.coordinates,
        "TRANSFER_JOINT": system.layout.joint(system.coordinates),
        "TRANSFER_LOADS": system.load_size,
        "TRANSFER_STATE": system.body_state,
        **system.layout.constants(),
        "TRANSFER_CUT_FORCES": max(system.unknowns, 1),
        "TRANSFER_SIZE": system.state_size,
    }


def with_steps(description: ModuleDescription, stepping: SteppingModule) -> ModuleDescription:
    """The module with stepping code besides what it has."""
    return replace(
        description,
        programs=(*description.programs, *stepping.programs),
        runtime=(*description.runtime, *stepping.runtime),
        constants={**description.constants, **stepping.constants},
        manifest={**description.manifest, **stepping.manifest},
    )


def _runtime(system: TransferSystem) -> tuple[RuntimeFunction, ...]:
    layout = system.layout
    n, d = len(system.bodies), layout.dimension
    size = system.state_size
    turn = 1 if d == 2 else 4
    work = Argument("work", "out", (work_size(system),), "", "scratch memory, its content means nothing")
    report = Argument(
        "report", "out", (len(Report),), "", "status, steps, iterations in all, at most, last change, loose, pivots"
    )
    of_hinges = n, system.coordinates
    words = (
        "force and moment at centres of mass besides gravity, base axes; forces along the hinge's coordinates, and "
        "where motions prescribe these the coordinate at the end, or its second derivative at the start"
    )
    loads = Argument("loads", "in", (n, system.load_size), "", words)
    quaternions = () if d == 2 else tuple(range(0, 4 * n, 4))
    before = Argument(
        "state", "in", (size,), "", "attitude, history and load of each body, history of its hinge; then cut forces"
    )
    unusable = "what arithmetic made of them, and not to be used"
    stay = "the state before the step that failed, and the report"
    failing = [Status.SINGULAR, Status.NOT_FINITE, Status.NOT_CONVERGED]
    failing += [Status.CHART_LOST] * (system.rotation == "cardan") + [Status.IMPOSSIBLE_STEP]
    failures = tuple(Failure(status, stay) for status in failing)
    after = Argument("next_state", "out", (size,), "", "as ``state``")
    functions = (
        RuntimeFunction(
            "transfer_matrix_start",
            "transfer_matrix",
            (
                Argument("attitude", "in", (n, turn), "", "angle in the plane, quaternion in space", quaternions),
                Argument("omega", "in", (n, layout.angles), "rad/s", "angular velocities, in space in body axes"),
                Argument("coordinates", "in", of_hinges, "", "of hinges; in the plane attitudes decide turns"),
                Argument("rates", "in", of_hinges, "", "of these"),
                loads,
                after,
                report,
                work,
            ),
            "state with accelerations and forces that fit attitudes and angular velocities",
            failures=(Failure(Status.SINGULAR, unusable), Failure(Status.NOT_FINITE, unusable)),
        ),
        RuntimeFunction(
            "transfer_matrix_advance",
            "transfer_matrix",
            (
                before,
                Argument("scheme", "in", (SCHEME_SIZE,), "", "constants of one step"),
                Argument("steps", "in", (), "", "number of steps, at most 2^24"),
                loads,
                Argument(
                    "settings", "in", (len(Setting),), "", "tolerance, acceptable change, iterations, 1 for Newton"
                ),
                after,
                report,
                work,
            ),
            "a number of steps of any scheme",
            failures=failures,
        ),
        RuntimeFunction(
            "step",
            "transfer_matrix",
            (
                before,
                Argument("h", "in", (), "s", "step"),
                Argument("spectral_radius", "in", (), "", "of generalised-alpha at infinite frequency, 0.8 is usual"),
                loads,
                after,
                report,
                work,
            ),
            "one step of generalised-alpha, iterated to round-off",
            failures=failures,
        ),
        RuntimeFunction(
            "transfer_matrix_observe",
            "transfer_matrix",
            (
                before,
                Argument("attitudes", "out", (n, turn), "", "angles or quaternions", ()),
                Argument("angular_velocities", "out", (n, layout.angles), "rad/s", "in space in body axes"),
                Argument("centers", "out", (n, d), "m", "centres of mass"),
                Argument("velocities", "out", (n, d), "m/s", "of the centres of mass"),
                Argument("accelerations", "out", (n, d), "m/s^2", "of the centres of mass"),
                Argument("input_ends", "out", (n, d), "m", "points at the inboard hinges"),
                Argument("forces", "out", (n, d), "N", "on each body at its input end"),
                Argument("coordinates", "out", of_hinges, "", "of hinges"),
                Argument("rates", "out", of_hinges, "", "of these"),
                Argument("driving_forces", "out", of_hinges, "", "along those that motions prescribe; 0 along others"),
                Argument(
                    "cut_forces",
                    "out",
                    (max(system.unknowns, 1),),
                    "N",
                    "on second bodies of cuts; tensions; 0 if none",
                ),
                Argument("energy", "out", (), "J", "kinetic, of gravity and of springs"),
                Argument("closure", "out", (), "m", "largest gap of a cut joint"),
                work,
            ),
            "what can be seen in a state",
        ),
    )
    return tuple(replace(function, numbers=NUMBERS) for function in functions)


def _manifest(system: TransferSystem) -> Mapping[str, object]:
    layout = system.layout
    return {
        "transfer_matrix": {
            "rotation": system.rotation,
            "dimension": layout.dimension,
            "elements": [
                {
                    "name": body.name,
                    "parent": body.parent,
                    "hinge": body.hinge.joint.name,
                    "joints": [joint.name for joint in body.hinge.joints],
                    "coordinates": [each.kind.name.lower() for each in body.hinge.coordinates],
                    "driven": [each.is_driven for each in body.hinge.coordinates],
                    "members": list(body.members),
                }
                for body in system.bodies
            ],
            "cuts": [
                {"name": cut.name, "spring": cut.is_spring, "bodies": [cut.first, cut.second]} for cut in system.cuts
            ],
            "unknowns": system.unknowns,
        }
    }

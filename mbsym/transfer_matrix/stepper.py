"""Simulation by the discrete time transfer matrix method: generated stepping code, schemes, status.

Source: Li Chunming, Rui Xiaoting, Validating on the transfer matrix method of multibody system without considering
constraint violation correction, 2005, steps 1 to 10 of section 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from mbsym.codegen.interface import ModuleDescription, Real, render
from mbsym.codegen.load import LoadedModule, load_c, load_numpy
from mbsym.codegen.write import write_files
from mbsym.doors import Array
from mbsym.errors import SimulationError, ToolchainError
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.own_units import length_unit
from mbsym.model.system import Model
from mbsym.transfer_matrix.coordinates import ElementCoordinates
from mbsym.transfer_matrix.layout import RotationVariable
from mbsym.transfer_matrix.module import SteppingModule, stepping_module, with_steps
from mbsym.transfer_matrix.recognition import transfer_system
from mbsym.transfer_matrix.schemes import SCHEME_FUNCTIONS
from mbsym.transfer_matrix.settings import DEFAULT_ACCEPTABLE, DEFAULT_MOST, DEFAULT_TOLERANCE, LIMITS, Status
from mbsym.transfer_matrix.system import TransferSystem

Engine: TypeAlias = Literal["auto", "c", "numpy"]

_STARTS: Final = ("houbolt_first", "houbolt_second")

SCHEMES: Final[Mapping[str, Mapping[str, float]]] = {
    name.replace("_", "-"): {item.name: item.default for item in function.parameters}
    for name, function in SCHEME_FUNCTIONS.items()
    if name not in _STARTS
}
"""Integration schemes and the default values of their parameters, in the order of the generated functions.

Newmark's default is damped: with beta = 1/4, gamma = 1/2 forces of constraint grow without bound.
"""


@dataclass(frozen=True, slots=True)
class Iteration:
    """How the equations of a step are solved.

    Attributes:
        tolerance: the iteration ends when no angle changes by more than this times the square root of the number of
            bodies [rad] (or when round-off ends the convergence).
        acceptable: last change that still counts as a step, reported as loose; above it the step has failed.
        most: iterations allowed in a step.
        newton: True linearises the levers of the forces (quadratic convergence), False is the paper's iteration.
    """

    tolerance: float = DEFAULT_TOLERANCE
    acceptable: float = DEFAULT_ACCEPTABLE
    most: int = DEFAULT_MOST
    newton: bool = True

    def settings(self, bodies: int) -> Array:
        """As the stepping code takes them."""
        return np.array([self.tolerance * sqrt(bodies), self.acceptable, float(self.most), float(self.newton)])


@dataclass(frozen=True, slots=True)
class Scheme:
    """An integration scheme with its parameters.

    Attributes:
        name: a key of ``SCHEMES``.
        parameters: values that replace the defaults.
        iteration: how each step is solved, None for what the type of numbers allows.
    """

    name: str = "generalised-alpha"
    parameters: Mapping[str, float] = field(default_factory=dict)
    iteration: Iteration | None = None

    def __post_init__(self) -> None:
        if self.name not in SCHEMES:
            raise SimulationError(
                f"no integration scheme is called {self.name!r}", remedy=f"known are {', '.join(SCHEMES)}"
            )
        known = SCHEMES[self.name]
        for key in sorted(self.parameters):
            if key not in known:
                takes = f"it takes {', '.join(known)}" if known else "it takes none"
                raise SimulationError(f"{self.name} has no parameter {key!r}", remedy=takes)
        values = self.values
        if self.name == "generalised-alpha" and not 0 <= values[0] <= 1:
            raise SimulationError("the spectral radius lies outside [0, 1]", remedy="0.8 is usual")
        if self.name == "newmark" and not (values[0] > 0 and values[1] >= 0.5):
            raise SimulationError("Newmark's beta must be positive and gamma 1/2 at least", remedy="0.3025 and 0.6")
        if self.name == "wilson" and not values[0] >= 1:
            raise SimulationError("Wilson's theta must be 1 at least", remedy="1.4 is usual")

    @property
    def values(self) -> tuple[float, ...]:
        """Parameters in order."""
        return tuple(float(self.parameters.get(key, default)) for key, default in SCHEMES[self.name].items())


@dataclass(frozen=True, slots=True)
class StepReport:
    """What the stepping code tells of a number of steps.

    Attributes:
        status: what became of the last step.
        steps: done before the one that failed.
        iterations: in all.
        most_iterations: in one step.
        last_change: largest last change of an angle [rad].
        loose_steps: accepted without reaching the tolerance.
        pivot_ratio: smallest pivot of the scaled closure equations; small near singular configurations.
    """

    status: Status
    steps: int
    iterations: int
    most_iterations: int
    last_change: float
    loose_steps: int
    pivot_ratio: float

    @classmethod
    def of(cls, values: Array) -> StepReport:
        """From the stepping code's array."""
        s, n, total, most, change, loose, ratio = (float(x) for x in values)
        return cls(Status(int(s)), int(n), int(total), int(most), change, int(loose), ratio)


FAILURES: Final[Mapping[Status, tuple[str, str]]] = {
    Status.NOT_CONVERGED: (
        "the iteration of a step does not converge",
        "take a smaller step, or a scheme with more damping",
    ),
    Status.NOT_FINITE: ("the motion is no longer finite", "take a smaller step, or a scheme with more damping"),
    Status.SINGULAR: ("the closure equations are singular", "start from another configuration or cut another joint"),
    Status.CHART_LOST: ("a body reaches the singular attitude of its Cardan angles", "integrate incremental rotations"),
    Status.IMPOSSIBLE_STEP: ("the step is impossible", "give a positive step, and at most 2^24 of them"),
}


def failure(report: StepReport, t: float, name: str) -> SimulationError:
    """The error of a step of a model that would have ended at a time."""
    what, remedy = FAILURES[report.status]
    return SimulationError(f"{what} at t = {t:.6g} s (last change {report.last_change:.3g})", where=name, remedy=remedy)


@dataclass(frozen=True, slots=True)
class Observation:
    """What can be seen in a state; rows are elements.

    In the plane attitudes are angles (n, 1) and vectors are in the plane's axes; in space attitudes are quaternions
    (n, 4), angular velocities in body axes, other vectors in base axes. Coordinates and rates are those of hinges as
    the joint table has them, and forces along these that motions take, zero along others.
    """

    attitudes: Array
    angular_velocities: Array
    centers: Array
    velocities: Array
    accelerations: Array
    input_ends: Array
    forces: Array
    coordinates: Array
    rates: Array
    driving_forces: Array
    cut_forces: Array
    energy: float
    closure: float


class TransferMatrixStepper:
    """Generated stepping code of one model, loaded.

    Attributes:
        system: the elements.
        module: the loaded functions.
        nothing: loads of zero: force and moment on each body, then a force along each coordinate of its hinge.
    """

    def __init__(
        self,
        source: Model | TransferSystem,
        *,
        rotation: RotationVariable | None = None,
        engine: Engine = "auto",
        order: str = "weight",
        real: Real = "double",
        flags: Sequence[str] | None = None,
        module: LoadedModule | None = None,
    ) -> None:
        """Recognises the elements, generates the code and loads it.

        Args:
            source: a model; or its elements, for which rotation and order are decided.
            rotation: in space "incremental" (default) or "cardan".
            engine: "c", "numpy", or "auto" for C where there is a compiler.
            order: of the assembly, a key of ``ASSEMBLY_ORDERS``.
            real: of the C code.
            flags: of the C compiler.
            module: code that was generated from this source and loaded before, in place of new code.

        Raises:
            DerivationError: the model has an element that is not covered.
            ToolchainError: engine "c" and no compiler.
        """
        if isinstance(source, Model):
            source = transfer_system(build_mechanism(source, source.label(order=order)), rotation)
        self.system: TransferSystem = source
        self.module: LoadedModule = module or _load(stepping_module(self.system), engine, real, flags)
        self._limits = LIMITS[self.module.manifest.get("real", "double")]
        self.nothing: Array = np.zeros((len(self.system.bodies), self.system.load_size))
        self.coordinates = ElementCoordinates(self.system)
        self._lengths = self.system.lengths if self.system.mechanism.parameters else frozenset()
        self._closed = self._limits.closure * length_unit(self.system.mechanism.model)

    @property
    def elements(self) -> tuple[str, ...]:
        """Names of the elements in order."""
        return tuple(body.name for body in self.system.bodies)

    def start(
        self,
        q: ArrayLike,
        v: ArrayLike,
        loads: ArrayLike | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> Array:
        """State of the history at coordinates and speeds of the tree joints, with consistent accelerations."""
        placed = self.coordinates.to_elements(np.asarray(q, dtype=float), np.asarray(v, dtype=float))
        return self.start_elements(*placed, loads=loads, parameters=parameters)

    def start_elements(
        self,
        attitudes: ArrayLike,
        omegas: ArrayLike,
        coordinates: ArrayLike | None = None,
        rates: ArrayLike | None = None,
        loads: ArrayLike | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> Array:
        """State at attitudes and angular velocities of the elements, and the hinges' coordinates and rates.

        In the plane attitudes decide what the hinges turn by.

        Raises:
            SimulationError: a loop is open, or no accelerations fit.
        """
        none = np.zeros((len(self.system.bodies), self.system.coordinates))
        state: Array
        state, report, _ = self._call(
            "transfer_matrix_start",
            attitudes,
            omegas,
            none if coordinates is None else coordinates,
            none if rates is None else rates,
            self.nothing if loads is None else loads,
            parameters=parameters,
        )
        where = self.system.mechanism.model.name
        gap = self.observe(state).closure
        if not gap <= self._closed:
            raise SimulationError(
                f"a loop is open by {gap:.3g} m at the start",
                where=where,
                remedy="give coordinates that close it, as assembly finds them",
            )
        if StepReport.of(report).status:
            raise SimulationError(
                "no accelerations fit the initial configuration",
                where=where,
                remedy="start away from singular configurations, and check masses and inertias",
            )
        return state

    def advance(
        self,
        state: Array,
        h: float,
        steps: int = 1,
        scheme: Scheme | None = None,
        loads: ArrayLike | None = None,
        done: int = 0,
        parameters: Mapping[str, float] | None = None,
    ) -> tuple[Array, StepReport]:
        """State after a number of steps, and the report; a failed step leaves the state before it.

        Args:
            state: where to start.
            h: step [s].
            steps: how many.
            scheme: default generalised-alpha with 0.8; Newton to 1e-12, in single precision to 1e-6.
            loads: force and moment at each centre of mass besides gravity, and forces along hinges' coordinates; in the
                place of these, coordinates that motions prescribe as they are at the end of these steps.
            done: steps taken from the start before this call, which Houbolt's scheme needs to know.
            parameters: what run-time parameters are at the end of these steps, where they change.

        Raises:
            SimulationError: a length is among the parameters, or Wilson's scheme has any, or motions.
        """
        scheme = scheme or Scheme()
        own = Iteration(self._limits.tolerance, self._limits.acceptable)
        if scheme.name == "wilson" and (parameters or self.system.mechanism.model.motions):
            what = "parameters" if parameters else "motions"
            raise SimulationError(
                f"Wilson's scheme holds the equations beyond the step, where {what} are not known",
                where=self.system.mechanism.model.name,
                remedy="take another scheme",
            )
        settings = (scheme.iteration or own).settings(len(self.system.bodies))
        loads = self.nothing if loads is None else loads
        report: StepReport | None = None
        for function, count in _stages(scheme, steps, done):
            constants = self.module.functions[function](h, *(scheme.values if function not in _STARTS else ()))
            given = (state, constants, count, loads, settings)
            state, values, _ = self._call("transfer_matrix_advance", *given, parameters=parameters)
            report = _joined(report, StepReport.of(values))
            if report.status:
                break
        return state, report or StepReport(Status.DONE, 0, 0, 0, 0.0, 0, 1.0)

    def step(
        self, state: Array, h: float, spectral_radius: float = 0.8, loads: ArrayLike | None = None
    ) -> tuple[Array, StepReport]:
        """One step by the generated function ``step``."""
        state, values, _ = self._call("step", state, h, spectral_radius, self.nothing if loads is None else loads)
        return state, StepReport.of(values)

    def holding(self, state: Array) -> Array:
        """Loads that leave what motions prescribe where it is in a state, and nothing else."""
        loads: Array = self.nothing.copy()
        view = self.observe(state)
        for body, at, row in zip(self.system.bodies, view.coordinates, loads, strict=True):
            for k, each in enumerate(body.hinge.coordinates):
                row[self.system.layout.load + k] = at[k] if each.is_driven else 0.0
        return loads

    def observe(self, state: Array, parameters: Mapping[str, float] | None = None) -> Observation:
        """What can be seen in a state, with run-time parameters as they are then."""
        a = self._call("transfer_matrix_observe", state, parameters=parameters)
        energy, closure = float(a[11]), float(a[12])
        return Observation(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], energy, closure)

    def kinetic_energy(self, view: Observation, parameters: Mapping[str, float] | None = None) -> float:
        """Kinetic energy [J] in a state, rotors included."""
        bodies, joints, *_ = self._call("transfer_matrix_system", parameters=parameters)
        omega, layout = view.angular_velocities, self.system.layout
        twice = bodies[:, 0] @ np.sum(view.velocities**2, axis=1)
        for k in range(self.system.coordinates):
            rotor = joints[:, layout.joint(0) + k * layout.slot + layout.dimension + 3]
            twice += rotor @ view.rates[:, k] ** 2
        if self.system.is_planar:
            return float(0.5 * (twice + bodies[:, 3] @ omega[:, 0] ** 2))
        xx, yy, zz, xy, xz, yz = bodies[:, 4:].T
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return float(0.5 * (twice + np.einsum("ni,ijn,nj->", omega, J, omega)))

    def coordinates_of(self, view: Observation) -> tuple[Array, Array]:
        """q and v of the tree joints in a state, the sign of a quaternion being any."""
        arrays = view.attitudes, view.angular_velocities, view.coordinates, view.rates
        q, v = self.coordinates.to_coordinates(*(np.asarray(array)[np.newaxis] for array in arrays))
        return q[0], v[0]

    def _call(self, name: str, *arguments: Any, parameters: Mapping[str, float] | None = None) -> tuple[Any, ...]:
        for parameter in self._lengths.intersection(parameters or ()):
            raise SimulationError(
                f"parameter {parameter!r} cannot change: centres of mass or joints of bodies depend on it",
                where=self.system.mechanism.model.name,
                remedy="let a prismatic joint follow a motion",
            )
        result = self.module.functions[name](*arguments, parameters=parameters)
        assert isinstance(result, tuple)
        return result


def _stages(scheme: Scheme, steps: int, done: int) -> list[tuple[str, int]]:
    """Generated functions that make the constants, and for how many steps each."""
    name = scheme.name.replace("-", "_")
    if name != "houbolt":
        return [(name, steps)]
    stages = []
    for place, start in enumerate(_STARTS):
        if done <= place < done + steps:
            stages.append((start, 1))
    rest = steps - len(stages)
    return [*stages, (name, rest)] if rest else stages


def _joined(first: StepReport | None, second: StepReport) -> StepReport:
    if first is None:
        return second
    return StepReport(
        second.status,
        first.steps + second.steps,
        first.iterations + second.iterations,
        max(first.most_iterations, second.most_iterations),
        max(first.last_change, second.last_change),
        first.loose_steps + second.loose_steps,
        min(first.pivot_ratio, second.pivot_ratio),
    )


def _load(stepping: SteppingModule, engine: Engine, real: Real, flags: Sequence[str] | None) -> LoadedModule:
    description = with_steps(ModuleDescription(stepping.system.mechanism.model.name, (), real=real), stepping)
    with TemporaryDirectory(prefix="mbsym") as scratch:
        if engine in ("auto", "c"):
            files = render(description, ("c",))
            write_files(scratch, files)
            try:
                return load_c(scratch) if flags is None else load_c(scratch, flags=flags)
            except ToolchainError:
                if engine == "c":
                    raise
        paths = write_files(scratch, render(description, ("numpy",)), force=True)
        return load_numpy(next(path for path in paths if path.suffix == ".py"))

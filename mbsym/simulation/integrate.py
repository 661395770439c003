"""Simulating a model: from its initial state over a duration to a result with checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Unpack

import numpy as np

from mbsym.doors import Array
from mbsym.errors import ModelError, SimulationError
from mbsym.kinematics.driven import driven_speeds
from mbsym.loops.assembly import Assembly
from mbsym.loops.corrections import CORRECTIONS, Keeper, NoCorrection, Projection, keeper
from mbsym.loops.looped_system import LoopedSystem
from mbsym.model.beams_of_models import of_fixed_length
from mbsym.model.names import expression_names
from mbsym.model.system import Model
from mbsym.model.value_checks import check_beams
from mbsym.option import takes
from mbsym.options.quantities import in_si
from mbsym.pipeline import Progress, read
from mbsym.simulation.adaptive_steps import compiled_engine
from mbsym.simulation.argument_checks import check_callable, check_named, shown
from mbsym.simulation.crossing import Crossing
from mbsym.simulation.equations import Equations, prepare, shown_motions, speed_quantities, suggestion
from mbsym.simulation.evaluated_steps import evaluated_steps
from mbsym.simulation.events import EventWatch
from mbsym.simulation.initial_state import (
    closed_state,
    coarse_angles,
    constants,
    initial_state,
    is_text,
    starting_values,
)
from mbsym.simulation.limit_watch import LimitWatch, Lookout
from mbsym.simulation.limits import STOP, check_choice, held_within, unwatched
from mbsym.simulation.methods import METHODS, TRANSFER_MATRIX
from mbsym.simulation.monitors import monitor, require_other_names
from mbsym.simulation.options import (
    Keeping,
    Law,
    Loads,
    OfSimulations,
    SimulationOptions,
    Stepping,
    check_kinds,
    check_numbers,
)
from mbsym.simulation.rates import (
    ActingLoads,
    DrivenState,
    LoopCorrection,
    driving_forces,
    extra_values,
    leaves_rates,
    looped_system,
)
from mbsym.simulation.result import SimulationResult, Statistics
from mbsym.simulation.scipy_integrators import RateJacobian, beyond_reach
from mbsym.simulation.singular_positions import SingularPosition, SingularWatch
from mbsym.simulation.stepping_text import CompiledEngine, Engine
from mbsym.simulation.time_stepping import Steps
from mbsym.simulation.trajectory import (
    Correct,
    Course,
    Trajectory,
    adaptive_trajectory,
    fixed_step_trajectory,
)
from mbsym.simulation.transfer_matrix_steps import TransferMatrixSteps
from mbsym.values.diagnostic import Findings
from mbsym.values.entry_checks import check_values
from mbsym.values.numbers import parameter_values

AFTER_STEPS: Final = ("velocity", "projection", "reassignment")
"""Corrections that leave the steps themselves alone."""

DEFAULT_STEP: Final = 1e-3
"""Step of methods with a fixed one [s]."""

DEFAULT_ROWS: Final = 1000
"""Intervals of the output grid where no step is given."""

MOST_NUMBERS: Final = 200_000_000
"""Numbers in a result, above which the grid is refused."""

BAUMGARTE_TIME: Final = 0.01
"""Step [s] from which Baumgarte's gains follow where the integrator chooses its steps."""


@takes(SimulationOptions, OfSimulations)
def simulate(
    model: Model | str | Path | Equations,
    duration: float,
    *,
    tell: Callable[[str], None] | None = None,
    progress: Progress | None = None,
    **options: Unpack[OfSimulations],
) -> SimulationResult:
    """Integrates the motion of a model.

    Args:
        model: a model, a model file, the name of a bundled example, or what ``prepare`` made of one, for many runs.
        duration: [s].
        **options: see below.
        tell: is given each warning as a sentence as soon as it is known; the result has them all.
        progress: told of each step.

    Returns:
        States on the output grid with checks and events.

    Raises:
        SimulationError: an argument is wrong, the state becomes infinite, the integrator fails, or the motion starts
            beyond a limit at which it is to stop.
        ToolchainError: C is asked for and there is no compiler.
        MbsymError: the model cannot be read or its equations cannot be derived.
    """
    asked = SimulationOptions(**options)
    step, method, parameters = asked.step, asked.method, asked.parameters
    loads, stepping, accuracy = asked.loads, asked.stepping, asked.accuracy
    check_kinds(asked)
    check_numbers(duration, step, asked.output_step, accuracy)
    _check_rest(model, asked, {"progress": progress, "tell": tell})
    check_choice(asked.limits)
    if method not in METHODS:
        raise SimulationError(f"no method is called {method!r}", remedy=suggestion(method, [*METHODS]))
    if method != TRANSFER_MATRIX and stepping != Stepping():
        raise SimulationError(
            "schemes and rotation variables are those of the transfer matrix method",
            where=f"method {method}",
            remedy="use transfer-matrix, or leave them out",
        )
    if isinstance(model, Equations):
        equations = model
        _check_prepared(equations, method, loads.drive, parameters)
    else:
        equations = prepare(
            with_parameters(read(model), parameters),
            asked.preparation,
            loaded=loads.drive,
            variational=method == "symplectic",
            stepped=method == TRANSFER_MATRIX,
            rotation=stepping.rotation,
            progress=progress,
        )
    require_other_names(equations.mechanism.model)
    demanded = _acting(equations, loads)
    acting = held_within(equations, demanded) if loads.saturate else demanded
    times = _output_times(equations, duration, step, asked.output_step, method)
    start_at = initial_state(equations.mechanism, starting_values(equations.mechanism.model, asked.initial))
    q, v = start_at.q, start_at.v
    loops, kept, label = _loops(equations, method, asked.keeping, step)
    assembly: Assembly | None = None
    if loops is not None:
        assembly, v = closed_state(equations.mechanism, loops, q, v, start_at.named)
        q = assembly.q
    layout = equations.layout
    demanded.check(q, v)
    singular = _singular_watch(equations, loops)
    limited = LimitWatch(equations, demanded, acting, accuracy, saturate=loads.saturate, stops=asked.limits == STOP)
    watch = Lookout(EventWatch(asked.events, lambda x: (layout.q(x), layout.v(x))), limited)
    short = beyond_reach(method, accuracy)
    notes = (*unwatched(equations), *coarse_angles(equations.mechanism, q), *([short] if short else []))
    x = layout.state(q, v, start_at.drives)
    limited.begin(0.0, x)
    tell = tell if tell is not None else _keep_quiet
    for sentence in (*notes, *(item.sentence for item in limited.found)):
        tell(sentence)
    statistics = Statistics(method, label, equations.module.language, 0, 0)
    start = singular.start(float(times[0]), x) if singular is not None else None
    if start is not None:
        tell(start.sentence)
        if fixed := of_fixed_length(equations.mechanism.model):
            notes = (*notes, fixed)
            tell(fixed)
    # A state that is not finite is told as an error, so that warnings on the way there say nothing new.
    with np.errstate(all="ignore"), _after(start, limited, equations):
        course = Course(x, times, layout, equations.mechanism.model.name, watch, singular, progress, tell)
        trajectory = _as_prescribed(equations, _integrated(course, equations, loops, kept, acting, asked))
    q, v, drives = (part.copy() for part in layout.parts(trajectory.x))
    tau_free = not callable(acting.tau) and not np.any(acting.tau)
    return SimulationResult(
        t=trajectory.t,
        q=q,
        v=v,
        x=drives,
        y=_outputs(equations, acting, trajectory.t, q, v, drives),
        monitors=monitor(equations, trajectory, tau_free),
        events=tuple(watch.events.occurrences),
        statistics=replace(statistics, steps=trajectory.steps, evaluations=trajectory.evaluations),
        equations=equations,
        ended_by_event=trajectory.ended_by_event,
        assembly=assembly,
        singular=singular.finish() if singular is not None else (),
        exceeded=limited.found,
        notes=notes,
        stiffness=trajectory.stiffness,
    )


def _outputs(equations: Equations, acting: ActingLoads, times: Array, q: Array, v: Array, drives: Array) -> Array:
    """The model's outputs and the forces of its motions (n, ny), under the control inputs that acted."""
    mechanism, functions = equations.mechanism, equations.module.functions
    driven = [each.column for each in shown_motions(mechanism)]
    if not (mechanism.model.outputs or driven):
        return np.zeros((len(times), 0))
    found = []
    for t, a, b, x in zip(times.tolist(), q, v, drives, strict=True):
        tau, u = acting.at(t, a, b)
        extra = extra_values(equations, t, u, x)
        own = functions["outputs"](a, b, *extra) if mechanism.model.outputs else np.zeros(0)
        forces = driving_forces(equations, t, a, b, tau, u, x)[driven] if driven else np.zeros(0)
        found.append(np.concatenate([own, forces]))
    return np.array(found)


def _as_prescribed(equations: Equations, trajectory: Trajectory) -> Trajectory:
    """Recorded states with what motions prescribe, from which rounding and errors of steps have led astray."""
    if not equations.sizes.driven:
        return trajectory
    x, layout = trajectory.x.copy(), equations.layout
    put_right = DrivenState(equations)
    for t, row in zip(trajectory.t.tolist(), x, strict=True):
        layout.q(row)[:], layout.v(row)[:] = put_right(t, layout.q(row), layout.v(row))
    return replace(trajectory, x=x)


def check_model(model: object) -> None:
    """Refuses what is no model.

    Raises:
        SimulationError: saying what is one.
    """
    if not isinstance(model, (Model, Equations, str, Path)):
        raise SimulationError(
            f"{shown(model)} is no model", remedy="give a Model, the path of a model file, or the name of an example"
        )


def _check_rest(model: object, asked: SimulationOptions, called: Mapping[str, object]) -> None:
    """Refuses what is no model, what gives no numbers names, and what cannot be called."""
    check_model(model)
    if not is_text(asked.initial):
        check_named("initial", asked.initial or {}, "write initial={'q_rail': 0.1}")
    check_named("parameters", asked.parameters or {}, "write parameters={'l': 0.5}")
    for name, given in called.items():
        check_callable(name, given)


@contextmanager
def _after(start: SingularPosition | None, limited: LimitWatch, equations: Equations) -> Iterator[None]:
    """Says of a motion that fails where it started, if that was singular, and beyond which limits it was."""
    try:
        yield
    except SimulationError as error:
        passed = [item.sentence for item in limited.found]
        if start is None and not passed:
            raise
        beside = "start beside the singular position, by other initial coordinates"
        remedies = [error.remedy] if start is None else [beside]
        if passed:
            remedies.insert(0, "look at the limits first, beyond which a model may mean nothing")
        raise SimulationError(
            "; ".join([*([start.sentence] if start is not None else []), *passed, error.what]),
            where=equations.mechanism.model.name,
            remedy="; ".join(remedies),
        ) from None


def _keep_quiet(_: str) -> None:
    """For callers who read the result."""


def with_parameters(model: Model, values: Mapping[str, float | str] | None) -> Model:
    """The model with numbers in the place of those of its parameters.

    Raises:
        ModelError: no parameter has that name, a value is not finite, or a beam or constraint cannot have it.
    """
    values = in_si(values, model)
    numbers = parameter_values(model, values)
    if values:
        findings = Findings(numbers, dict(expression_names(model).kinds))
        check_beams(model.beams, findings)
        for index, item in enumerate(model.constraints):
            check_values(item, ("constraints", index), f"constraint {item.name!r}", findings)
        for fault in (item for item in findings.diagnostics if item.severity == "error"):
            raise ModelError(fault.what, where=f"parameter {', '.join(sorted(values))}", remedy=fault.remedy)
    changed = tuple(
        replace(item, value=values[item.name]) if item.name in values else item for item in model.parameters
    )
    return replace(model, parameters=changed)


def _check_prepared(
    equations: Equations, method: str, loaded: bool, parameters: Mapping[str, float | str] | None
) -> None:
    lacks = ""
    if method == "symplectic" and not equations.sizes.variational:
        lacks = "variational=True"
    elif loaded and not equations.layout.work:
        lacks = "loaded=True"
    elif equations.steps_alone and method != TRANSFER_MATRIX:
        lacks = "stepped=False"
    name = equations.mechanism.model.name
    if lacks:
        raise SimulationError("the equations were prepared without what this needs", where=name, remedy=f"add {lacks}")
    if parameters:
        raise SimulationError(
            "the parameters of prepared equations are numbers", where=name, remedy="prepare them with other parameters"
        )


def _output_times(
    equations: Equations, duration: float, step: float | None, output_step: float | None, method: str
) -> Array:
    own = step or (DEFAULT_STEP if METHODS[method].is_fixed else duration / DEFAULT_ROWS)
    interval = output_step or own
    rows = duration / interval
    width = equations.layout.size + 16
    if rows * width > MOST_NUMBERS:
        raise SimulationError(
            f"the output would have {rows:.3g} rows", where=equations.mechanism.model.name, remedy="take a longer step"
        )
    whole = int(rows * (1.0 + 1e-12) + 1e-9)
    times = np.arange(whole + 1) * interval
    if not whole or duration - times[-1] > 1e-9 * interval:
        return np.append(times, duration)
    times[-1] = duration
    return times


def _acting(equations: Equations, loads: Loads) -> ActingLoads:
    model = equations.mechanism.model
    names = [item.name for item in model.inputs]
    speeds = [item.name for item in speed_quantities(equations.mechanism)]
    tau, inputs = loads.tau, loads.inputs
    driven = driven_speeds(equations.mechanism)
    acting: Array | Law
    if callable(tau):
        acting = _where_free(tau, [each.column for each in driven]) if driven else tau
    else:
        acting = constants(speeds, in_si(tau, model, forces=True), "speed", model.name)
        for each in driven:
            if acting[each.column]:
                raise SimulationError(
                    f"a force on {speeds[each.column]} is given, which motion {each.motion.name} prescribes",
                    where=model.name,
                    remedy="leave it out: the force is a result",
                )
    return ActingLoads(
        acting,
        inputs if callable(inputs) else constants(names, in_si(inputs, model), "control input", model.name),
        len(names),
    )


def _where_free(law: Law, driven: Sequence[int]) -> Law:
    """Forces without those of driven speeds, which have no effect."""

    def acting(t: float, q: Array, v: Array) -> Array:
        tau = np.array(law(t, q, v), dtype=float)
        tau[driven] = 0.0
        return tau

    return acting


def _loops(
    equations: Equations, method: str, keeping: Keeping, step: float | None
) -> tuple[LoopedSystem | None, Keeper | None, str]:
    """The closed loops with what keeps them closed and its name; nothing for a tree."""
    where = equations.mechanism.model.name
    correction = keeping.correction
    if equations.loops is None:
        if correction is not None:
            raise SimulationError(
                "there are no closed loops to correct", where=where, remedy="leave the correction out"
            )
        return None, None, ""
    if method == "symplectic":
        raise SimulationError(
            "the variational midpoint rule does not cover closed loops", where=where, remedy="use rk4 or DOP853"
        )
    system = looped_system(equations)
    if method == TRANSFER_MATRIX and correction is None:
        return system, None, ""
    if method == TRANSFER_MATRIX and isinstance(correction, str) and correction not in AFTER_STEPS:
        raise SimulationError(
            f"the transfer matrix method closes loops by itself and has no rates for the correction {correction}",
            where=where,
            remedy=f"leave it out, or correct after each step: {', '.join(AFTER_STEPS)}",
        )
    several = METHODS[method].remembers
    chosen = correction if correction is not None else "baumgarte" if several else "projection"
    if not isinstance(chosen, str):
        return system, chosen, type(chosen).__name__.lower()
    if chosen not in CORRECTIONS:
        raise SimulationError(f"no correction is called {chosen!r}", remedy=suggestion(chosen, tuple(CORRECTIONS)))
    if several and chosen not in ("none", "baumgarte"):
        raise SimulationError(
            f"{method} remembers earlier steps, which the correction {chosen} would contradict",
            where=where,
            remedy="use baumgarte or none, or a one-step method such as Radau or DOP853",
        )
    fixed = METHODS[method].is_fixed
    return system, keeper(chosen, (step or DEFAULT_STEP) if fixed else BAUMGARTE_TIME, keeping.gains), chosen


def _integrated(
    course: Course,
    equations: Equations,
    system: LoopedSystem | None,
    kept: Keeper | None,
    loads: ActingLoads,
    asked: SimulationOptions,
) -> Trajectory:
    method, step = asked.method, asked.step or DEFAULT_STEP
    correct: Correct | None = None
    if system is not None and kept is not None and not isinstance(kept, NoCorrection):
        correct = LoopCorrection(equations, system, kept)
    if method == TRANSFER_MATRIX:
        return _by_transfer_matrices(course, equations, correct, loads, asked.stepping, step)
    compiled: Engine | None = None
    if equations.library is not None and leaves_rates(kept) and not callable(loads.tau) and not callable(loads.u):
        library, name, sizes, acting = equations.library, equations.name, equations.sizes, [loads.tau, loads.u]
        steps = Steps(course.name, sizes, np.concatenate(acting), partial(CompiledEngine, library, name))
        compiled = compiled_engine(library, name, sizes, np.concatenate(acting))
    else:
        steps = evaluated_steps(equations, loads, system, kept)
    known = METHODS[method]
    if known.is_fixed:
        return fixed_step_trajectory(course, partial(steps.advance, method), step, correct)
    crossing: Crossing | None = None
    singular, layout = course.singular, course.layout
    gap = known.widest_gap
    closes = isinstance(kept, Projection) and kept.positions
    if singular is not None and correct is not None and gap is not None and closes:
        crossing = Crossing(steps.rates, correct, singular, layout, asked.accuracy.absolute, gap)
    rates = steps.rates if crossing is None else crossing.rates
    jacobian = RateJacobian(rates, equations.mechanism, layout) if known.is_implicit else None
    return adaptive_trajectory(course, steps.rates, method, asked.accuracy, correct, crossing, jacobian, compiled)


def _by_transfer_matrices(
    course: Course,
    equations: Equations,
    correct: Correct | None,
    loads: ActingLoads,
    stepping: Stepping,
    step: float,
) -> Trajectory:
    """Steps of one length, which build on those before."""
    name, times, watch = course.name, course.times, course.watch
    if watch.events or (watch.limits and watch.limits.stops):
        raise SimulationError(
            "the transfer matrix method takes no events here, nor stops at limits",
            where=name,
            remedy="leave them out or use another method",
        )
    interval = float(times[1] - times[0])
    if abs(max(1, round(interval / step)) * step - interval) > 1e-9 * step:
        raise SimulationError("the interval of the output is no multiple of the step", where=name, remedy="make it one")
    if correct is not None and stepping.scheme is not None and stepping.scheme.name == "houbolt":
        raise SimulationError(
            "Houbolt's scheme remembers earlier steps, which a correction would contradict",
            where=name,
            remedy="leave the correction out, or take another scheme",
        )
    taken = TransferMatrixSteps(equations, stepping, loads)
    return fixed_step_trajectory(course, taken.advance, step, correct, remembers=True)


def _singular_watch(equations: Equations, system: LoopedSystem | None) -> SingularWatch | None:
    """What looks out for singular positions of closed loops, nothing where there are no closure rows."""
    if system is None or equations.loops is None or not equations.loops.rows:
        return None
    return SingularWatch(equations, equations.loops, system)

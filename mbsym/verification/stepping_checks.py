"""Checks of generated stepping code: its building blocks one by one, and its motions against the reference's.

A function that nothing was compared with is an error, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbsym.codegen.load import LoadedModule
from mbsym.doors import Array
from mbsym.errors import VerificationError
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.own_units import Units, in_units
from mbsym.model.system import Model
from mbsym.pipeline import Progress
from mbsym.records import Registry
from mbsym.reference import Reference
from mbsym.reference.motions import prescribed_motions
from mbsym.transfer_matrix.stepper import TransferMatrixStepper
from mbsym.verification.checks import (
    SINGLE_TOLERANCE,
    Beyond,
    Check,
    Conditioning,
    Settings,
    Worst,
    conditioning,
    relative_error,
    require_checked,
)
from mbsym.verification.closed_states import ClosedStates
from mbsym.verification.element_identities import ELEMENT_IDENTITIES
from mbsym.verification.element_table_identities import TABLE_IDENTITIES
from mbsym.verification.far_states import precision
from mbsym.verification.own_units import motion_units, units_of
from mbsym.verification.random_state import random_state
from mbsym.verification.rotation_identities import ROTATION_IDENTITIES
from mbsym.verification.scheme_identities import SCHEME_IDENTITIES
from mbsym.verification.stepping_evidence import StepEvidence, calm_time, random_arguments

SPAN: Final = 4e-3
"""Time over which motions are compared, in the mechanism's own unit, if it is no longer than calm: wrong forces show as
accelerations times it."""

REFERENCE_STEPS: Final = 4
"""Runge-Kutta steps of the reference, whose error over the span is some 1e-11."""

STEPS: Final = 200
MOTION_TOLERANCE: Final = 1e-6
"""The schemes are of second order: steps of 2e-5 s err by some 1e-8 where accelerations change within 0.01 s."""

LANGUAGE_STEPS: Final = 4
LANGUAGE_TOLERANCE: Final = 1e-6
"""Accelerations are positions over beta h^2: steps of 1e-3 s turn a rounding of 1e-14 m into some 1e-8 m/s^2."""

SINGLE_STEPS: Final = 4
"""In single precision: accelerations are positions of rounding e over h^2 / 4, speeds those over h / 4, so that short
steps only add to the errors of speeds."""

SINGLE_LANGUAGE_SPAN: Final = 4e-2
"""Time over which states of two languages, accelerations among them, are compared in single precision [s]."""

SINGLE_LANGUAGE_ROUNDINGS: Final = 16.0
"""Roundings that add up in an acceleration then, each 4 e / h^2."""

CLOSURE_TOLERANCE: Final = 1e-10
SINGLE_CLOSURE_TOLERANCE: Final = 1e-5

BLOCK_TOLERANCE: Final = 1e-9
"""Building blocks round to some 1e-14; loops of random states, by which tables are checked, close to 1e-11."""

STEP_IDENTITIES: Final = Registry(
    "check of stepping code",
    (*TABLE_IDENTITIES, *SCHEME_IDENTITIES, *ROTATION_IDENTITIES, *ELEMENT_IDENTITIES),
    VerificationError,
)
"""What building blocks must agree with, by their names; motions check the functions that are made of them."""


def run_stepping_checks(
    model: Model,
    modules: Sequence[LoadedModule],
    settings: Settings,
    progress: Progress | None = None,
    beyond: Beyond | None = None,
) -> tuple[tuple[Check, ...], Conditioning]:
    """Checks of all functions at random states, and what these were like.

    Args:
        model: that they were generated from.
        modules: in all languages.
        settings: of the states.
        progress: told of each state.
        beyond: called with what takes the checks and with the states, to note what else there is to check.

    Raises:
        VerificationError: a function has no check, or a random state cannot be closed.
    """
    labelling = model.label(order=settings.order)
    reference = Reference(model, labelling)
    rng = np.random.default_rng(settings.seed)
    mechanism = build_mechanism(model, labelling)
    units = units_of(reference)
    coordinates, motions = motion_units(reference, units)
    # States are drawn, and loops closed, in units of the mechanism's own size, and all else is in SI.
    own = in_units(model, units)
    of_own = Reference(own, own.label(order=settings.order))
    has_loops = mechanism.cut_joints or model.constraints
    closed = ClosedStates(of_own, build_mechanism(own, of_own.labelling)) if has_loops else None
    steppers = [TransferMatrixStepper(model, order=settings.order, module=module) for module in modules]
    worst, condition = Worst(), 1.0
    states: list[dict[str, Any]] = []
    for number in range(settings.states):
        if progress is not None:
            progress("verify", number, settings.states)
        q, v, _ = random_state(model, labelling, rng, reference=reference)
        if closed is not None:
            q, v = closed.draw(v, rng)
        q, v = q * coordinates, v * motions / float(units.time)
        states.append({"q": q, "v": v})
        condition = max(condition, float(np.linalg.cond(reference.mass_matrix(q))))
        for stepper in steppers:
            names = [name for name in STEP_IDENTITIES if name in stepper.module.functions]
            arguments = random_arguments(stepper.module, names, stepper.system, rng)
            evidence = StepEvidence(stepper.module, stepper.system, reference, q, v, arguments)
            for name in names:
                check_block(worst, name, evidence, settings, number)
        _compare(worst, steppers, reference, q, v, settings, number, units)
    if beyond is not None:
        beyond(worst, states)
    checks = tuple(worst.found.values())
    require_checked(modules, checks, remedy="give the function a record in STEP_IDENTITIES")
    return checks, conditioning(condition, closed)


def check_block(worst: Worst, name: str, evidence: StepEvidence, settings: Settings, number: int) -> None:
    """Notes the check of one building block at one state."""
    identity = STEP_IDENTITIES[name]
    allowed = _tolerance(BLOCK_TOLERANCE, settings)
    for found, expected in identity.pairs(evidence):
        error = relative_error(found, expected)
        worst.note(name, evidence.module.language, identity.against, error, allowed, number)


def _compare(
    worst: Worst,
    steppers: Sequence[TransferMatrixStepper],
    reference: Reference,
    q: Array,
    v: Array,
    settings: Settings,
    number: int,
    units: Units,
) -> None:
    length, joule, time = float(units.length), float(units.energy), float(units.time)
    pose = np.ones((4, 4))
    pose[:3, 3] = length
    calm = steppers[0].start(q, v)
    span = calm_time(steppers[0].system, calm, SPAN * time)
    energy = reference.kinetic_energy(q, v) + reference.potential_energy(q)
    expected_poses, expected_energy = _reference_motion(reference, q, v, span)
    steps = SINGLE_STEPS if settings.single else STEPS
    language_span = SINGLE_LANGUAGE_SPAN if settings.single else SPAN
    h = calm_time(steppers[0].system, calm, language_span * time) / LANGUAGE_STEPS
    states = []
    for stepper in steppers:
        language = stepper.module.language
        course = _Course(stepper, reference, q, v)
        state = course.start()
        error = relative_error(stepper.observe(state).energy / joule, energy / joule)
        worst.note("transfer_matrix_start", language, "energy of reference", error, _tolerance(1e-10, settings), number)
        if reference.mechanism.model.motions:
            found, expected = course.driving_forces(state)
            error = relative_error(found, expected)
            allowed = _tolerance(BLOCK_TOLERANCE, settings)
            worst.note("transfer_matrix_observe", language, "driving forces of reference", error, allowed, number)
        state, failed = course.advance(state, span / steps, steps)
        view = stepper.observe(state)
        reached, _ = stepper.coordinates_of(view)
        poses = reference.poses(reached) / pose
        error = relative_error(poses, expected_poses / pose) if not failed else float("inf")
        allowed = _tolerance(MOTION_TOLERANCE, settings)
        worst.note("transfer_matrix_advance", language, "motion of reference", error, allowed, number)
        error = relative_error(view.energy / joule, expected_energy / joule)
        worst.note("transfer_matrix_observe", language, "energy of reference", error, 10 * allowed, number)
        closed = SINGLE_CLOSURE_TOLERANCE if settings.single else CLOSURE_TOLERANCE
        worst.note("transfer_matrix_advance", language, "closed loops", view.closure / length, closed, number)
        one, _ = stepper.step(course.start(), span / steps, loads=course.loads(span / steps))
        same, _ = course.advance(course.start(), span / steps, 1)
        allowed = _tolerance(LANGUAGE_TOLERANCE, settings)
        worst.note("step", language, "transfer_matrix_advance", relative_error(one, same), allowed, number)
        coarse, _ = course.advance(course.start(), h, LANGUAGE_STEPS)
        states.append((language, coarse))
    rounding = SINGLE_LANGUAGE_ROUNDINGS * float(precision(True).eps) * 4.0 / (h / time) ** 2
    allowed = rounding if settings.single else LANGUAGE_TOLERANCE
    (first, expected), *others = states
    for language, state in others:
        error = relative_error(state, expected)
        worst.note("transfer_matrix_advance", language, f"{first} code", error, allowed, number)


class _Course:
    """Steps from a state by laws of what motions prescribe that begin there, with the model's accelerations."""

    def __init__(self, stepper: TransferMatrixStepper, reference: Reference, q: Array, v: Array) -> None:
        self._stepper, self._reference, self._q, self._v = stepper, reference, q, v
        self._laws = {each.speed: each.values for each in prescribed_motions(reference.mechanism)}

    def _with(self, prescribed: Mapping[int, float]) -> Array:
        """Loads of nothing but what is prescribed of speeds by their places."""
        loads: Array = self._stepper.nothing.copy()
        for body, row in zip(self._stepper.system.bodies, loads, strict=True):
            for k, each in enumerate(body.hinge.coordinates):
                row[self._stepper.system.layout.load + k] = each.sign * prescribed.get(each.place[1], 0.0)
        return loads

    def start(self) -> Array:
        accelerations = {speed: values[2] for speed, values in self._laws.items()}
        return self._stepper.start(self._q, self._v, self._with(accelerations))

    def driving_forces(self, start: Array) -> tuple[Array, Array]:
        """At the start, and the reference's there, by speeds."""
        seen = self._stepper.observe(start).driving_forces
        found = np.zeros(self._reference.nv)
        for body, row in zip(self._stepper.system.bodies, seen, strict=True):
            for each, force in zip(body.hinge.coordinates, row, strict=False):
                found[each.place[1]] = each.sign * force
        return found, self._reference.solve(self._q, self._v, np.zeros(self._reference.nv)).driving

    def loads(self, t: float) -> Array:
        """At a time."""
        found = {}
        for each in prescribed_motions(self._reference.mechanism, t):
            assert each.coordinate is not None
            position, speed, _ = self._laws[each.speed]
            found[each.speed] = self._q[each.coordinate] + each.values[0] - position + (self._v[each.speed] - speed) * t
        return self._with(found)

    def advance(self, state: Array, h: float, steps: int) -> tuple[Array, bool]:
        """The state after some steps, and whether one of them failed."""
        if not self._laws:
            state, report = self._stepper.advance(state, h, steps)
            return state, bool(report.status)
        for k in range(steps):
            state, report = self._stepper.advance(state, h, loads=self.loads((k + 1) * h), done=k)
            if report.status:
                return state, True
        return state, False


def _tolerance(double: float, settings: Settings) -> float:
    return max(double, SINGLE_TOLERANCE) if settings.single else double


def _reference_motion(reference: Reference, q: Array, v: Array, span: float) -> tuple[Array, float]:
    """Poses and energy after a span of time, by Runge-Kutta steps on the reference's accelerations."""
    h = span / REFERENCE_STEPS
    tau = np.zeros(reference.nv)

    def rates(t: float, q: Array, v: Array) -> tuple[Array, Array]:
        return reference.position_rate(q, v), reference.forward_dynamics(q, v, tau, t)

    for k in range(REFERENCE_STEPS):
        a = rates(k * h, q, v)
        b = rates((k + 0.5) * h, q + h / 2 * a[0], v + h / 2 * a[1])
        c = rates((k + 0.5) * h, q + h / 2 * b[0], v + h / 2 * b[1])
        d = rates((k + 1) * h, q + h * c[0], v + h * c[1])
        q = q + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        v = v + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
    return reference.poses(q), reference.kinetic_energy(q, v) + reference.potential_energy(q)

"""Beams in time steps by transfer matrices: bending, stretch and twist against ordinary dynamics, statics, a manoeuvre.

Ordinary dynamics are those of the reference, in maximal coordinates, integrated to rounding.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import mbsym
from mbsym.errors import DerivationError
from mbsym.forces import AppliedWrench, JointForce
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.model.beam import Beam
from mbsym.model.beam_parts import bar_lengths
from mbsym.model.beams_of_models import with_beams
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.transfer_matrix.coordinates import rotation_matrices
from mbsym.transfer_matrix.stepper import Scheme, TransferMatrixStepper
from mbsym.transfer_matrix.system import Kind
from mechanisms.beams import END, WHOLE, beamed
from mechanisms.examples import further
from mechanisms.stepped import at_rest

Array = NDArray[Any]


def moving(reference: Reference, size: float = 0.3) -> tuple[Array, Array]:
    """A state with all springs strained, as large angles as beams have."""
    rng = np.random.default_rng(2)
    v = rng.uniform(-1, 1, reference.nv)
    return reference.integrate_position(reference.neutral, rng.uniform(-size, size, reference.nv), 1.0), v


def reached(reference: Reference, q: Array, v: Array, span: float) -> tuple[Array, Array]:
    n, tau = reference.nq, np.zeros(reference.nv)

    def rates(_: float, x: Array) -> Array:
        return np.concatenate([reference.position_rate(x[:n], x[n:]), reference.forward_dynamics(x[:n], x[n:], tau)])

    end = solve_ivp(rates, (0, span), np.concatenate([q, v]), method="DOP853", rtol=1e-9, atol=1e-10).y[:, -1]
    return end[:n], end[n:]


@pytest.mark.parametrize("name", ["space", *further("plane", "from the tip", "on a plate")])
def test_beams_move_as_in_ordinary_dynamics(name: str) -> None:
    """Accelerations and coordinates at the start to rounding, motions to second order of the step, at any angle."""
    model = beamed(name)
    stepper = TransferMatrixStepper(model, flags=("-O1",))
    reference = Reference(model, stepper.system.mechanism.labelling)
    q, v = moving(reference)
    start = stepper.start(q, v)
    view = stepper.observe(start)
    for found, given in zip(stepper.coordinates_of(view), (q, v), strict=True):
        np.testing.assert_allclose(found, given, rtol=0, atol=1e-13)
    energy = reference.kinetic_energy(q, v) + reference.potential_energy(q)
    assert view.energy == pytest.approx(energy, rel=1e-12)
    vdot = reference.forward_dynamics(q, v, np.zeros(reference.nv))
    n, room = len(stepper.system.bodies), stepper.system.coordinates
    second = start[: n * stepper.system.body_state].reshape(n, -1)[:, -6 * room :].reshape(n, room, 6)[..., 2]
    for i, body in enumerate(stepper.system.bodies):
        for k, each in enumerate(body.hinge.coordinates):
            if each.kind != Kind.BALL:
                expected = vdot[each.place[1]]
                # Bars are short and stiff: rounding is that of the largest acceleration.
                assert each.sign * second[i, k] == pytest.approx(expected, rel=0, abs=1e-12 * np.abs(vdot).max())
    span, errors = 0.01, []
    expected_q, expected_v = reached(reference, q, v, span)
    for steps in (20, 40):
        state, report = stepper.advance(start, span / steps, steps)
        assert (report.status, report.loose_steps) == (0, 0)
        found_q, found_v = stepper.coordinates_of(stepper.observe(state))
        errors.append((np.abs(found_q - expected_q).max(), np.abs(found_v - expected_v).max()))
    orders = np.log2(np.divide(*errors))
    np.testing.assert_allclose(orders, 2, atol=0.25)
    assert errors[1][0] < 5e-4


def test_a_beam_settles_where_it_is_in_equilibrium() -> None:
    """Long damped steps end at rest, bent out of both planes and turned, where equations of motion say it stays."""
    pull, moment = (-3.0, 9.0, 5.0), (1.0, 0.0, 0.0)
    force = AppliedWrench("pull", "end", pull, moment, END.center_of_mass)
    beam = Beam("b", "ground", tip="end", segments=2, damping=0.5, **WHOLE)
    model = with_beams(Model("bent", (END,), gravity=(0, 0, -9.81)), [beam])
    stepper = TransferMatrixStepper(model, flags=("-O1",))
    reference = Reference(replace(model, forces=(*model.forces, force)), stepper.system.mechanism.labelling)
    still = np.zeros(reference.nv)
    loads, tip = stepper.nothing.copy(), float(bar_lengths(beam)[-1])
    # The last bar and the body at the end are one element, whose centre of mass is elsewhere.
    last = stepper.system.bodies[-1]
    assert last.members == ("b_2", "end")
    state = stepper.start(still, still)
    for _ in range(150):
        view = stepper.observe(state)
        R = rotation_matrices(view.attitudes[-1])
        place = R @ (np.array([tip, 0, 0]) + END.center_of_mass - [float(x.constant) for x in last.center])
        loads[-1, :6] = (*pull, *(moment + np.cross(place, pull)))
        state, report = stepper.advance(state, 0.1, 1, Scheme("fox-euler"), loads=loads)
        assert report.status == 0
    q, _ = stepper.coordinates_of(stepper.observe(state))
    assert np.abs(q).max() > 0.2
    # Springs hold some 10 N m there.
    np.testing.assert_allclose(reference.inverse_dynamics(q, still, still), 0, rtol=0, atol=1e-8)


@pytest.mark.more
def test_forces_act_along_what_stretches_and_twists() -> None:
    """On joints whose bodies have no mass, by expressions, beside ordinary dynamics: to second order of the step."""
    pushes = (
        JointForce("pull", "b_1_x", "30*sin(9*t)", 0),
        JointForce("wring", "b_1_x", "0.5*cos(5*t)", 1),
        JointForce("bend", "b_2", "2*sin(3*t)", 1),
    )
    own = beamed("space")
    model = replace(own, forces=(*own.forces, *pushes))
    expected = mbsym.simulate(model, 0.05, output_step=0.05).q[-1]
    assert np.abs(expected).max() > 0.02
    errors = []
    for step in (1e-3, 5e-4):
        stepped = mbsym.simulate(model, 0.05, method="transfer-matrix", step=step, output_step=0.05)
        errors.append(np.abs(stepped.q[-1] - expected).max())
    assert errors[1] < 2e-5 and 3.5 < errors[0] / errors[1] < 4.5


def test_a_force_on_a_body_without_mass_is_refused() -> None:
    model = beamed("space")
    pushed = replace(model, forces=(*model.forces, AppliedWrench("push", "b_1_x", (1, 0, 0))))
    with pytest.raises(DerivationError, match="body b_1_x: a force acts on a body without mass"):
        mbsym.simulate(pushed, 0.1, method="transfer-matrix", step=1e-2)


BRACKET = """
name: bracket
gravity: [0, 0, -9.81]
bodies:
  crank: {mass: 0.4, center_of_mass: [0.1, 0, 0], inertia: [1e-3, 2e-3, 2e-3]}
  rocker: {mass: 0.5, center_of_mass: [0.15, 0, 0], inertia: [1e-3, 5e-3, 5e-3]}
  head: {}
  foot: {mass: 0.05, inertia: [1e-4, 1e-4, 1e-4]}
joints:
  A: {type: revolute, from: ground, to: crank, axis: [0, 1, 2]}
  B: {type: universal, from: crank, to: head, at: [0.2, 0, 0], axis: y, second_axis: z}
  C: {type: spherical, from: rocker, to: foot, at: [0.3, 0, 0], cut: cut}
  D: {type: revolute, from: ground, to: rocker, at: [0.9, 0.1, 0], initial: 3.1}
beams:
  coupler: {from: head, to: foot, length: 0.4, mass: 0.3, bends: both, bending_stiffness: [5, 3], axial_stiffness: 1e3,
            torsional_stiffness: 3, torsional_inertia: 1e-3, segments: 2}
"""


@pytest.mark.more
def test_a_loop_in_space_is_closed_by_a_beam() -> None:
    """Cut at a ball: the motion of maximal coordinates to second order of the step, closed throughout."""
    model = read_native(TextSource("bracket.yaml", BRACKET))
    stepper = TransferMatrixStepper(model, flags=("-O1",))
    reference = Reference(model, stepper.system.mechanism.labelling)
    start, v = at_rest(stepper.system)
    q = reference.closed_position(start)
    expected, _ = reached(reference, q, v, 0.02)
    errors = []
    for steps in (100, 200):
        state, report = stepper.advance(stepper.start(q, v), 0.02 / steps, steps)
        view = stepper.observe(state)
        assert report.status == 0 and view.closure < 1e-13
        errors.append(np.abs(stepper.coordinates_of(view)[0] - expected).max())
    assert errors[1] < 1e-4 and 3.5 < errors[0] / errors[1] < 4.5

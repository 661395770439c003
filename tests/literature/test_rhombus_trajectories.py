"""Trajectories of the six-bar systems of Li and Rui against extended-precision ones from two formulations each.

Planar cases: angles of the bars. Spatial case: Cardan angles and the place of hinge 5. The tolerances are those that
double precision reaches with a margin of at least ten.

Source: C. Li, X. Rui, Validating on the transfer matrix method of multibody system without considering constraint
violation correction; initial angles and parameters there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from scipy.integrate import DOP853

from mbsym import examples
from mbsym.codegen.load import LoadedModule, load_c
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.corrections import Keeper, NoCorrection, Projection
from mbsym.loops.looped_system import LoopedSystem
from mbsym.pipeline import generate
from mbsym.reference import Reference
from mechanisms.constrained_step import runge_kutta_step
from mechanisms.examples import further
from mechanisms.looped_systems import looped_system
from mechanisms.mechanism import mechanism_of
from mechanisms.rhombus import BODIES, Rhombus

Array = np.ndarray[Any, Any]

FUNCTIONS = ("constrained_dynamics", "position_rate", "body_poses", "kinetic_energy",
             "potential_energy")  # fmt: skip

REGULAR = {  # bodies 2, 4, 6, 8, 9, 10
    0.5: (-1.051107605687, -2.348816004447, 1.520796374292, 1.339776866328, -1.801600445152, 4.743430805819),
    1.0: (-1.223137322041, -2.665617400238, 0.888725610038, 1.598247133912, -2.496366781334, 6.765722344046),
    2.0: (-0.947330554087, -2.265787951673, 1.671184609331, 1.359624042599, -1.379887910448, 2.573964767897),
    5.0: (-0.994413899538, -2.438170491064, 1.735111304430, 1.022510402981, -2.007757172421, 0.594647103786),
    10.0: (-1.113746377179, -2.449226760634, 1.190622885080, 1.578708237408, -1.094245701607, -0.467127941180),
    20.0: (-0.877887081037, -2.238533130412, 1.793100426533, 1.312413655165, -1.201611476589, -2.529198013465),
}
PLANAR = {  # bodies 2, 8, 9, 10
    0.5: (-1.841049084637, 2.085730429962, -1.629301795229, 4.772712606192),
    1.0: (-1.349309143085, 1.170127070545, -4.827174534378, 4.828081768285),
    2.0: (-1.616954347059, 1.813814596297, -10.855541168093, 4.104456735903),
    5.0: (-1.644020531003, 1.497862868685, -28.692084790675, 7.040363162931),
    10.0: (-1.682302948482, 0.932144098603, -26.018220326834, 0.282052668381),
}
SYMMETRIC = {  # bodies 2, 9
    1.0: (-2.187367357476, -2.742116386818),
    5.0: (-1.662508500402, -2.516955241702),
    10.0: (-1.934170354827, -2.426492897231),
    20.0: (-1.753106349341, -1.813856448808),
}
SPATIAL = {  # Cardan angles of body 9, of body 10, place of hinge 5
    0.1: ((-0.523472321816, 0.404721533619, -0.019368782507), (0.523674795427, -0.389710571767, -0.048241679105),
          (0.005309955067, -1.766512409871, -0.000820937365)),
    1.0: ((1.03290462579, 1.16078859694, 2.41445846656), (-0.718978143827, -0.370535710920, 2.06534555424),
          (-0.110412481963, -1.945878966771, -0.076941443778)),
    5.0: ((1.38374250268, -0.695179355961, 0.580758216191), (-2.27564441080, -0.491135419581, 1.18177873585),
          (0.229486695562, -1.899200411744, -0.239847401175)),
    10.0: ((0.883890731206, 1.04886838303, -2.69355927577), (0.242497608328, -0.818689337687, -1.63776134964),
           (0.295499529960, -1.795551110153, -0.287629344242)),
}  # fmt: skip


@cache
def compiled(name: str) -> tuple[Mechanism, LoopedSystem, LoadedModule]:
    model = examples.load(name)
    with TemporaryDirectory() as scratch:
        generate(model, scratch, languages=("c",), functions=FUNCTIONS)
        module = load_c(Path(scratch))
    return mechanism_of(model), LoopedSystem.of_module(module), module


def integrate(name: str, keeper: Keeper, times: list[float], tolerance: float) -> dict[float, tuple[Array, Array]]:
    """States at the given times from rest, each step corrected."""
    mechanism, system, _ = compiled(name)
    nq, tau = system.nq, np.zeros(system.nv)

    def rates(_: float, x: Array) -> Array:
        q, v = keeper.stage(system, x[:nq], x[nq:])
        return np.concatenate([system.position_rate(q, v), keeper.accelerate(system, q, v, tau).vdot])

    x, t = np.concatenate([initial_coordinates(mechanism), tau]), 0.0
    found = {}
    for end in times:
        solver = DOP853(rates, t, x, end, rtol=tolerance, atol=tolerance)
        while solver.status == "running":
            solver.step()
            q = system.move(solver.y[:nq], np.zeros(system.nv))  # quaternions get their length
            done = keeper.after_step(system, q, solver.y[nq:])
            solver.y = np.concatenate([done.q, done.v])
            solver.f = rates(solver.t, solver.y)
        assert solver.status == "finished"
        x, t = solver.y, end
        found[end] = x[:nq], x[nq:]
    return found


def energy(name: str, q: Array, v: Array) -> float:
    functions = compiled(name)[2].functions
    return float(np.asarray(functions["kinetic_energy"](q, v))) + float(np.asarray(functions["potential_energy"](q)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rhombus_planar", -59.409342699612),
        ("rhombus_symmetric", -9.8 * 3 * np.sqrt(3)),
        ("rhombus_regular", -52.368966830067),
        ("rhombus_spatial", -61.284491518201),
    ],
)
def test_energies_at_rest_are_those_of_the_cases(name: str, expected: float) -> None:
    mechanism, system, _ = compiled(name)
    q = initial_coordinates(mechanism)
    assert np.isclose(energy(name, q, np.zeros(system.nv)), expected, rtol=0, atol=2e-12)
    assert np.max(np.abs(system.closure(q).residual)) < 2e-15


@pytest.mark.parametrize("keeper", [NoCorrection(), *further(Projection())])
def test_the_regular_case_to_twenty_seconds(keeper: Keeper) -> None:
    rhombus = Rhombus.of_mechanism(compiled("rhombus_regular")[0])
    times = list(REGULAR) if isinstance(keeper, Projection) else [0.5, 1.0, 2.0, 5.0]
    states = integrate("rhombus_regular", keeper, times, 1e-13)
    for time in times:
        q, v = states[time]
        assert np.max(np.abs(rhombus.angles(q) - REGULAR[time])) < 1e-8
        assert abs(energy("rhombus_regular", q, v) + 52.368966830067) < 1e-9


def test_speeds_and_first_accelerations_of_the_regular_case(agreement: Callable[[object], None]) -> None:
    mechanism, system, _ = compiled("rhombus_regular")
    rhombus = Rhombus.of_mechanism(mechanism)
    rows = np.array([rhombus.row(body) for body in BODIES])
    _, v = integrate("rhombus_regular", Projection(), [1.0], 1e-13)[1.0]
    expected = [-0.419988896916, -0.900002781455, -1.157695185566, 0.002238265107, 2.422335983493, 0.886093845823]
    assert np.max(np.abs(rows @ v - expected)) < 1e-10
    first = system.accelerate(rhombus.start, np.zeros(6), np.zeros(6)).vdot
    expected = [-4.3337940984, 5.26547049864, -10.8265220597, 15.3506435028, -5.35942823914, 11.4496544262]
    error = np.max(np.abs(rows @ first - expected))
    assert error < 1e-9
    agreement(error)


@pytest.mark.parametrize(
    ("name", "table", "bodies"),
    [("rhombus_planar", PLANAR, (2, 8, 9, 10)), *further(("rhombus_symmetric", SYMMETRIC, (2, 9)))],
)
def test_equal_bars_pass_their_singular_configurations(
    name: str, table: dict[float, tuple[float, ...]], bodies: tuple[int, ...]
) -> None:
    """The direct method keeps to the branch on which opposite bars stay parallel."""
    rhombus = Rhombus.of_mechanism(compiled(name)[0])
    states = integrate(name, rhombus.reassignment(in_stages=True), list(table), 1e-13)
    for time, expected in table.items():
        found = [float(rhombus.row(body) @ states[time][0]) for body in bodies]
        assert np.max(np.abs(np.subtract(found, expected))) < 1e-9, time


@pytest.mark.more
def test_projection_carries_equal_bars_through_31_singular_configurations() -> None:
    """No hint of the branch: fixed steps of 2 ms, hinges 3 and 7 meeting 31 times in 20 s."""
    mechanism, system, _ = compiled("rhombus_planar")
    rhombus = Rhombus.of_mechanism(mechanism)
    q, v, tau = rhombus.start, np.zeros(6), np.zeros(6)
    crossings, side = 0, 0.0
    for number in range(1, 10001):
        done = runge_kutta_step(system, Projection(), q, v, 2e-3, tau)
        q, v = done.q, done.v
        angle = rhombus.angles(q)
        # Parallel opposite bars: theta4 = theta8 - pi and theta6 = theta2 + pi.
        assert abs(angle[1] - angle[3] + np.pi) < 1e-8
        assert abs(angle[2] - angle[0] - np.pi) < 1e-8
        now = float(np.sign(np.sin(angle[0] - angle[3])))
        crossings += int(side * now < 0)
        side = now
        if number == 5000:
            assert np.max(np.abs(angle[[0, 3, 4, 5]] - PLANAR[10.0])) < 1e-5
    assert crossings == 31
    assert rhombus.gap(q) < 1e-13
    assert abs(energy("rhombus_planar", q, v) + 59.409342699612) < 1e-5


@pytest.mark.more
def test_the_spatial_case_to_ten_seconds() -> None:
    mechanism, _, module = compiled("rhombus_spatial")
    states = integrate("rhombus_spatial", Projection(), list(SPATIAL), 1e-12)
    labels = {body.name: body.label - 1 for body in mechanism.bodies}
    for time, (nine, ten, place) in SPATIAL.items():
        q, v = states[time]
        poses = np.asarray(module.functions["body_poses"](q))
        for body, expected in (("body_9", nine), ("body_10", ten)):
            r = poses[labels[body], :3, :3]
            found = np.arctan2(-r[1, 2], r[2, 2]), np.arcsin(r[0, 2]), np.arctan2(-r[0, 1], r[0, 0])
            assert np.max(np.abs(np.subtract(found, expected))) < 1e-7, (time, body)
        assert np.max(np.abs(poses[labels["body_6"], :3, 3] - place)) < 1e-7
        assert abs(energy("rhombus_spatial", q, v) + 61.284491518201) < 1e-8


def test_bars_that_are_pulled_at_their_axes_do_not_spin() -> None:
    states = integrate("rhombus_spatial", Projection(), [1.0], 1e-11)
    mechanism, _, _ = compiled("rhombus_spatial")
    twists = Reference(mechanism.model, mechanism.labelling).velocities(*states[1.0])
    assert np.max(np.abs(twists[:, 0])) < 1e-9


@pytest.mark.parametrize("name", ["rhombus_regular", "rhombus_symmetric"])
def test_weaker_gravity_is_slower_time(name: str) -> None:
    """theta(t; g/4) = theta(t/2; g) from rest under gravity alone."""
    model = examples.load(name)
    slow = replace(model, gravity=(0, "-2.45", 0))
    rhombus = Rhombus.of_mechanism(mechanism_of(model))
    ends = []
    for version, step in ((model, 1e-3), (slow, 2e-3)):
        system = looped_system(mechanism_of(version))
        q, v = rhombus.start, np.zeros(6)
        for _ in range(200):
            done = runge_kutta_step(system, NoCorrection(), q, v, step, np.zeros(6))
            q, v = done.q, done.v
        ends.append(q)
    assert np.max(np.abs(ends[0] - ends[1])) < 1e-10


def test_the_symmetric_case_stays_symmetric() -> None:
    rhombus = Rhombus.of_mechanism(compiled("rhombus_symmetric")[0])
    states = integrate("rhombus_symmetric", rhombus.reassignment(in_stages=True), [5.0], 1e-12)
    angle = dict(zip(BODIES, rhombus.angles(states[5.0][0]), strict=True))
    assert abs(angle[8] + angle[2]) < 1e-10
    assert abs(angle[10] - (np.pi - angle[9])) < 1e-10

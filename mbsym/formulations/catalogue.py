"""The catalogue of generated functions: what each is called, takes and returns, and which derivation makes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.recursive.articulated_body import RestMotion, articulated_body
from mbsym.formulations.recursive.composite_body import mass_matrix, solve
from mbsym.formulations.recursive.newton_euler import InverseDynamics, newton_euler, superposed, user_wrenches
from mbsym.kinematics import observables
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import Speeds
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar


def make_program(
    mechanism: Mechanism,
    name: str,
    inputs: Sequence[Input],
    outputs: Sequence[tuple[str, tuple[int, ...], Sequence[Scalar], str, str]],
    description: str,
) -> Program:
    """A Program over the mechanism's graph; outputs are (name, shape, entries, unit, description)."""
    return Program(
        name,
        mechanism.graph,
        tuple(inputs),
        tuple(Output(n, shape, tuple(x.ref for x in values), unit, text) for n, shape, values, unit, text in outputs),
        mechanism.parameters,
        description,
    )


def _speeds(mechanism: Mechanism) -> Speeds:
    return tuple(body.v for body in mechanism.bodies)


def _still(mechanism: Mechanism) -> Speeds:
    zero = Scalar(mechanism.graph, 0)
    return tuple((zero,) * len(body.v) for body in mechanism.bodies)


def inverse_dynamics(mechanism: Mechanism) -> Program:
    """tau that produces vdot."""
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    applied = applied_forces(mechanism, _speeds(mechanism))
    found = newton_euler(mechanism, _speeds(mechanism), rates, mechanism.gravity, applied)
    tau = [x.named(f"tau{k + 1}") for k, x in enumerate(mechanism.gather(found.forces))]
    return make_program(
        mechanism,
        "inverse_dynamics",
        (mechanism.q, mechanism.v, mechanism.vdot, *mechanism.extra_inputs),
        [("tau", (mechanism.nv,), tau, "", "generalised forces")],
        "generalised forces that produce the rates vdot (recursive Newton-Euler)",
    )


def bias_force(mechanism: Mechanism) -> Program:
    """Generalised forces that keep the speeds constant: velocity, gravity and force element terms."""
    applied = applied_forces(mechanism, _speeds(mechanism))
    found = newton_euler(mechanism, _speeds(mechanism), _still(mechanism), mechanism.gravity, applied)
    return make_program(
        mechanism,
        "bias_force",
        (mechanism.q, mechanism.v, *mechanism.extra_inputs),
        [("bias", (mechanism.nv,), mechanism.gather(found.forces), "", "bias forces")],
        "velocity, gravity and force element terms: M(q) vdot + bias(q, v) = tau",
    )


def gravity_force(mechanism: Mechanism) -> Program:
    """Generalised forces that hold the mechanism against gravity."""
    still = _still(mechanism)
    found = newton_euler(mechanism, still, still, mechanism.gravity)
    return make_program(
        mechanism,
        "gravity_force",
        (mechanism.q,),
        [("gravity", (mechanism.nv,), mechanism.gather(found.forces), "", "gravity forces")],
        "generalised forces that hold the mechanism against gravity",
    )


def forward_dynamics(mechanism: Mechanism) -> Program:
    """vdot under tau by articulated bodies; by the factored mass matrix where couplings join joints."""
    if mechanism.is_coupled:
        return forward_dynamics_by_mass_matrix(mechanism)
    _, motion = _by_articulated_bodies(mechanism)
    return _forward_program(mechanism, [rate for joint in motion.rates for rate in joint], "articulated bodies")


def _by_articulated_bodies(mechanism: Mechanism) -> tuple[InverseDynamics, RestMotion]:
    """What keeps the speeds constant, and the motion that the rest of the forces causes."""
    applied = applied_forces(mechanism, _speeds(mechanism))
    bias = newton_euler(mechanism, _speeds(mechanism), _still(mechanism), mechanism.gravity, applied)
    tau = mechanism.of_joints(mechanism.entries(mechanism.tau))
    with mechanism.graph.section("forces less bias"):
        moving = tuple(tuple(f - h for f, h in zip(*pair, strict=True)) for pair in zip(tau, bias.forces, strict=True))
    return bias, articulated_body(mechanism, moving)


def forward_dynamics_by_mass_matrix(mechanism: Mechanism) -> Program:
    """vdot under tau by the factored mass matrix."""
    vdot = _by_mass_matrix(mechanism, mechanism.entries(mechanism.tau))
    return _forward_program(mechanism, vdot, "factored mass matrix")


def _forward_program(mechanism: Mechanism, vdot: Sequence[Scalar], method: str) -> Program:
    return make_program(
        mechanism,
        "forward_dynamics",
        (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs),
        [("vdot", (mechanism.nv,), vdot, "", "rates of the speeds")],
        f"rates of the speeds under the generalised forces tau ({method})",
    )


def _by_mass_matrix(mechanism: Mechanism, tau: Sequence[Scalar]) -> list[Scalar]:
    speeds = _speeds(mechanism)
    applied = applied_forces(mechanism, speeds)
    bias = newton_euler(mechanism, speeds, _still(mechanism), mechanism.gravity, applied)
    right = [f - h for f, h in zip(tau, mechanism.gather(bias.forces), strict=True)]
    return solve(mechanism, mass_matrix(mechanism), right)


def mass_matrix_program(mechanism: Mechanism) -> Program:
    """M(q)."""
    matrix = mass_matrix(mechanism)
    n = mechanism.nv
    return make_program(
        mechanism,
        "mass_matrix",
        (mechanism.q,),
        [("M", (n, n), [entry for row in matrix for entry in row], "", "mass matrix")],
        "mass matrix (composite bodies)",
    )


def joint_wrenches(mechanism: Mechanism) -> Program:
    """Wrench in every joint under tau: those that keep the speeds constant, and those of the remaining motion."""
    if mechanism.is_coupled:
        speeds = _speeds(mechanism)
        rates = mechanism.of_joints(tuple(_by_mass_matrix(mechanism, mechanism.entries(mechanism.tau))))
        applied = applied_forces(mechanism, speeds)
        wrenches = newton_euler(mechanism, speeds, rates, mechanism.gravity, applied).wrenches
    else:
        bias, motion = _by_articulated_bodies(mechanism)
        wrenches = superposed(bias.wrenches, motion.wrenches)
    return make_program(
        mechanism,
        "joint_wrenches",
        (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs),
        [("wrenches", (mechanism.nb, 6), user_wrenches(mechanism, wrenches), "", "joint wrenches")],
        "[moment; force] on each joint's successor by its predecessor, at and in the joint frame on the successor",
    )


def _observable(
    name: str,
    entries: Callable[[Mechanism], Sequence[Scalar]],
    shape: Callable[[Mechanism], tuple[int, ...]],
    output: str,
    unit: str,
    description: str,
    with_speeds: bool,
) -> Callable[[Mechanism], Program]:
    def derive(mechanism: Mechanism) -> Program:
        inputs = (mechanism.q, mechanism.v) if with_speeds else (mechanism.q,)
        values = entries(mechanism)
        return make_program(
            mechanism, name, inputs, [(output, shape(mechanism), values, unit, description)], description
        )

    return derive


def _momentum_entries(mechanism: Mechanism) -> Sequence[Scalar]:
    angular, linear = observables.momentum(mechanism)
    return (*angular, *linear)


TREE_FUNCTIONS: Final[dict[str, Callable[[Mechanism], Program]]] = {
    "forward_dynamics": forward_dynamics,
    "inverse_dynamics": inverse_dynamics,
    "mass_matrix": mass_matrix_program,
    "bias_force": bias_force,
    "gravity_force": gravity_force,
    "kinetic_energy": _observable(
        "kinetic_energy",
        lambda m: (observables.kinetic_energy(m),),
        lambda m: (),
        "energy",
        "J",
        "kinetic energy with rotor inertias",
        True,
    ),
    "potential_energy": _observable(
        "potential_energy",
        lambda m: (observables.potential_energy(m),),
        lambda m: (),
        "energy",
        "J",
        "potential energy of gravity and springs",
        False,
    ),
    "position_rate": _observable(
        "position_rate", observables.position_rate, lambda m: (m.nq,), "qdot", "", "rates of the coordinates", True
    ),
    "body_poses": _observable(
        "body_poses",
        observables.pose_entries,
        lambda m: (m.nb, 4, 4),
        "poses",
        "",
        "homogeneous matrices from body frames to the base frame",
        False,
    ),
    "body_velocities": _observable(
        "body_velocities",
        observables.velocity_entries,
        lambda m: (m.nb, 6),
        "velocities",
        "",
        "[omega; v] of body frames in body axes at the frames' origins",
        True,
    ),
    "body_jacobians": _observable(
        "body_jacobians",
        observables.jacobian_entries,
        lambda m: (m.nb, 6, m.nv),
        "jacobians",
        "",
        "Jacobians of body frames in body axes at the frames' origins",
        False,
    ),
    "joint_wrenches": joint_wrenches,
    "center_of_mass": _observable(
        "center_of_mass", observables.center_of_mass, lambda m: (3,), "com", "m", "centre of mass in base axes", False
    ),
    "momentum": _observable(
        "momentum",
        _momentum_entries,
        lambda m: (6,),
        "momentum",
        "",
        "[angular about the centre of mass; linear] in base axes",
        True,
    ),
}


def derive_function(mechanism: Mechanism, name: str) -> Program:
    """The Program of a catalogue function.

    Raises:
        DerivationError: there is no such function, or this mechanism does not have it.
    """
    if name not in TREE_FUNCTIONS:
        raise DerivationError(
            f"no function is called {name}", where=mechanism.model.name, remedy=f"known: {', '.join(TREE_FUNCTIONS)}"
        )
    return TREE_FUNCTIONS[name](mechanism)

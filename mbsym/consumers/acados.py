"""acados: explicit and implicit dynamics with derivatives, and discrete steps, in its convention of functions.

States x are q and then v. Controls are the generalised forces of the motors, then the model's control inputs; p are
the run-time parameters. The implicit dynamics are qdot - position_rate(q, v) and inverse_dynamics(q, v, vdot) - tau, so
that the Jacobian by xdot holds the mass matrix and nothing is solved.
"""

from __future__ import annotations

from typing import Any, Final

from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.environment import render_template
from mbsym.consumers.consumer import (
    Consumer,
    Exported,
    ExportOptions,
    Request,
    needs_dynamics,
    step_of,
    takes_no_functions,
    with_derivatives,
)
from mbsym.consumers.derivative_plan import derivative_plan
from mbsym.consumers.external_body import PARAMETERS, ExternalFunction, Slot, Statement
from mbsym.consumers.external_function import external_file, jacobian_function, value_function
from mbsym.consumers.places import Pattern, dense
from mbsym.errors import CodegenError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.registry import available_functions

FORWARD: Final = "forward_dynamics"
INVERSE: Final = "inverse_dynamics"
RATES: Final = "position_rate"
HELPERS: Final = {FORWARD: "forward_jacobian", INVERSE: "inverse_jacobian", RATES: "rate_jacobian"}


def request(mechanism: Mechanism, options: ExportOptions) -> Request:
    """Forward and inverse dynamics with their derivatives.

    Raises:
        CodegenError: the step means nothing, motions are prescribed, forces depend on time, drives have states, or
                there are no derivatives.
    """
    step_of(options)
    unknown = (mechanism.model.motions, "motions that are prescribed"), (mechanism.model.drives, "states of drives")
    for items, what in unknown:
        if items:
            raise CodegenError(
                f"implicit dynamics of acados have no {what}",
                where=mechanism.model.name,
                remedy="export casadi, whose functions are those of the model",
            )
    available = available_functions(mechanism, options.generation.formulation)
    names = (FORWARD, *([INVERSE] if available.holding is None else []), *([RATES] if mechanism.q.quaternions else []))
    plans = tuple(derivative_plan(mechanism, available, name) for name in names)
    for plan in plans:
        if plan.refusal:
            raise CodegenError(
                f"{plan.function} has no derivatives: {plan.refusal}",
                where=mechanism.model.name,
                remedy="fold the parameters in with `symbolic_parameters none`",
            )
    return with_derivatives(mechanism, plans, compressed=True)


def motors_of(mechanism: Mechanism) -> tuple[int, ...]:
    """Speeds that motors drive: those of actuated joints where the model names some, else all."""
    actuated = [k for body in mechanism.bodies if body.joint.actuated for k in range(*body.v_range)]
    return tuple(sorted(actuated)) or tuple(range(mechanism.nv))


def files(exported: Exported) -> tuple[GeneratedFile, ...]:
    """NAME_acados.c."""
    prefix = f"{exported.name}_acados"
    terms: list[ExternalFunction] = []
    views: dict[str, dict[str, Any]] = {}
    for plan in exported.plans:
        name = plan.function
        value = value_function(exported, name, f"{prefix}_{name}")
        jacobian = jacobian_function(exported, plan, f"{prefix}_{name}_jacobian")
        terms += [value, jacobian]
        if any(slot.name.endswith("_t") and slot.pattern.size for slot in jacobian.outputs):
            raise CodegenError(
                "forces depend on time, which explicit dynamics of acados do not have",
                where=exported.mechanism.model.name,
                remedy="make what depends on time a control input or a run-time parameter",
            )
        views[name] = _term(exported, name, value, jacobian)
    motors = motors_of(exported.mechanism)
    controls = exported.mechanism.controls
    nx = exported.mechanism.nq + exported.mechanism.nv
    nu = len(motors) + (controls.shape[0] if controls is not None else 0)
    own = max(sum(block["entries"] for block in view["blocks"]) + view["work"] for view in views.values())
    work = own + exported.mechanism.nv
    step = step_of(exported.options)
    fields = {
        "prefix": prefix,
        "nq": exported.mechanism.nq,
        "nv": exported.mechanism.nv,
        "nu": nu,
        "motor_count": len(motors),
        "controls": ", ".join(str(motors.index(k)) if k in motors else "-1" for k in range(exported.mechanism.nv)),
        "step": repr(step),
        "forward": views[FORWARD],
        "inverse": views.get(INVERSE),
        "position": views.get(RATES),
        "terms": tuple(views.values()),
        "work": work,
    }
    prelude = [render_template("consumers/acados.c.jinja", **fields).strip("\n")]
    about = (
        "Dynamics for acados, in the convention of the CasADi functions that it generates for itself. Controls are",
        f"forces of {len(motors)} motors, then the model's inputs; discrete dynamics have steps of {step!r} s.",
    )
    functions = _functions(exported, nx, nu, work)
    return (external_file(exported, f"{prefix}.c", about, [*terms, *functions], prelude),)


def _term(exported: Exported, name: str, value: ExternalFunction, jacobian: ExternalFunction) -> dict[str, Any]:
    """A function of which the sums are made: symbols, arguments, blocks of its Jacobian, first row and memory."""
    arguments = [item.name for item in exported.function(name).inputs]
    arguments += [PARAMETERS] if exported.module.parameters else []
    given = {"q": "x", "v": "x + NQ", "tau": "tau", "vdot": "xdot + NQ", "u": "u + NM", "t": "NULL"}
    given[PARAMETERS] = "p"
    places = {
        "q": {"matrix": "jx", "column": "0", "columns": "NULL"},
        "v": {"matrix": "jx", "column": "NQ", "columns": "NULL"},
        "tau": {"matrix": "ju", "column": "0", "columns": "control_of"},
        "vdot": {"matrix": "jxdot", "column": "NQ", "columns": "NULL"},
        "u": {"matrix": "ju", "column": "NM", "columns": "NULL"},
    }
    blocks = tuple(
        {"number": number, "entries": max(slot.pattern.size, 1), **places[argument]}
        for number, (argument, slot) in enumerate(zip(arguments, jacobian.outputs, strict=True))
        if argument in places
    )
    return {
        "title": name,
        "helper": HELPERS[name],
        "value": value.symbol,
        "jacobian": jacobian.symbol,
        "arguments": ", ".join(given[argument] for argument in arguments),
        "inputs": jacobian.input_count,
        "outputs": jacobian.output_count,
        "blocks": blocks,
        "row": "0" if name == RATES else "NQ",
        "work": max(value.work, jacobian.work),
    }


def _functions(exported: Exported, nx: int, nu: int, work: int) -> list[ExternalFunction]:
    """What acados calls, each a call of a sum of terms."""
    name, prefix = exported.name, f"{exported.name}_acados"
    count = len(exported.module.parameters)
    p = Slot("p", dense((count,)) if count else Pattern(0, 0, ()))
    x, u, xdot = Slot("x", dense((nx,))), Slot("u", dense((nu,))), Slot("xdot", dense((nx,)))
    z, t = Slot("z", Pattern(0, 0, ())), Slot("t", dense(()))
    sx, su = Slot("Sx", dense((nx, nx))), Slot("Su", dense((nx, nu)))
    rate, jx, jxdot = Slot("f", dense((nx,))), Slot("jac_x", dense((nx, nx))), Slot("jac_xdot", dense((nx, nx)))
    ju, jz = Slot("jac_u", dense((nx, nu))), Slot("jac_z", Pattern(nx, 0, ()))
    phi, phi_jac = Slot("phi", dense((nx,))), Slot("jac_ux", dense((nx + nu, nx)))
    lam, adj = Slot("lambda", dense((nx,))), Slot("adj", dense((nx + nu,)))
    jacobians = 2 * nx * nx + nx * nu
    explicit = [
        ("expl_ode_fun", "explicit", (x, u, p), (rate,), nx),
        ("expl_vde_forw", "forward_sensitivities", (x, sx, su, u, p), (rate, sx, su), nx + jacobians),
        ("expl_vde_adj", "adjoint", (x, lam, u, p), (adj,), jacobians),
        ("dyn_disc_phi_fun", "step", (x, u, p), (phi,), 4 * nx),
        ("dyn_disc_phi_fun_jac", "step_jacobian", (x, u, p), (phi, phi_jac), 4 * nx + jacobians + 3 * nx * (nx + nu)),
    ]
    dae = (x, xdot, u, z, t, p)
    implicit = [
        ("impl_dae_fun", "implicit", dae, (rate,), nx),
        ("impl_dae_fun_jac_x_xdot_z", "implicit_x_xdot", dae, (rate, jx, jxdot, jz), jacobians),
        ("impl_dae_fun_jac_x_xdot_u", "implicit_x_xdot_u", dae, (rate, jx, jxdot, ju), jacobians),
        ("impl_dae_jac_x_xdot_u_z", "implicit_jacobians", dae, (jx, jxdot, ju, jz), jacobians),
    ]
    return [
        ExternalFunction(
            f"{name}_{title}",
            f"{title} of acados",
            inputs,
            outputs,
            work + memory,
            (Statement(f"return {prefix}_{helper}(arg, res, w)"),),
            ("iw", "mem"),
        )
        for title, helper, inputs, outputs, memory in (*explicit, *([] if exported.is_closed else implicit))
    ]


def notes(exported: Exported) -> tuple[str, ...]:
    """Why there are no implicit dynamics, where there are none."""
    if exported.is_closed:
        return ("implicit dynamics are left out: with closed loops they would need multipliers as algebraic states",)
    return ()


ACADOS: Final = Consumer(
    name="acados",
    sentence="explicit and implicit dynamics with derivatives, and discrete steps, for acados",
    reals=("double",),
    request=request,
    files=files,
    settings={"step": "0.02"},
    notes=notes,
    reason="acados computes in double precision",
    excludes=(
        takes_no_functions("acados", "acados takes dynamics, not functions", "leave it out, or export to casadi"),
        needs_dynamics("acados"),
    ),
)

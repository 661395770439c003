"""CasADi: functions with exact Jacobians for ``casadi.external``.

The convention is that of code which CasADi generates: sparse matrices in compressed columns, ``jac_NAME`` with the
inputs and then the results of NAME in, and a block for each pair of a result and an input out, by results first;
``adj1_NAME`` and ``jac_adj1_NAME`` for Hessians.
"""

from __future__ import annotations

from typing import Final

from mbsym.codegen.description import GeneratedFile
from mbsym.consumers.adjoint_function import SECOND, adjoint_functions, hessian_refusal
from mbsym.consumers.consumer import (
    Consumer,
    Exported,
    ExportOptions,
    Request,
    needs_dynamics,
    says_yes,
    with_derivatives,
)
from mbsym.consumers.derivative_plan import DerivativePlan, derivative_plan
from mbsym.consumers.external_function import external_file, jacobian_function, value_function
from mbsym.errors import CodegenError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.registry import available_functions

USUAL: Final = ("forward_dynamics", "inverse_dynamics")
OF_QUATERNIONS: Final = ("position_rate",)
OF_FRAMES: Final = ("frame_pose", "frame_velocity")


def plans_asked(mechanism: Mechanism, options: ExportOptions) -> tuple[DerivativePlan, ...]:
    """Of functions that were named, or else dynamics, rates of quaternions, and poses and velocities of frames."""
    available = available_functions(mechanism, options.generation.formulation)
    names = options.generation.functions
    if not names:
        fixed = available.fixed
        known = {*available.every, *(fixed.names if fixed is not None else ())}
        more = (*(OF_QUATERNIONS if mechanism.q.quaternions else ()), *OF_FRAMES)
        names = tuple(name for name in (*USUAL, *more) if name in known)
    return tuple(derivative_plan(mechanism, available, name) for name in names)


def _twice(
    mechanism: Mechanism, options: ExportOptions, plans: tuple[DerivativePlan, ...]
) -> tuple[DerivativePlan, ...]:
    """Functions with second derivatives, where they are asked for.

    Raises:
        CodegenError: the setting means nothing, or none of the functions has any.
    """
    if not says_yes("hessians", options):
        return ()
    available = available_functions(mechanism, options.generation.formulation)
    refusals = {plan.function: hessian_refusal(mechanism, available, plan.function) for plan in plans}
    if all(refusals.values()):
        told = "; ".join(f"{function}: {refusal}" for function, refusal in refusals.items())
        raise CodegenError(
            f"there are no exact Hessians ({told})",
            where="`settings hessians`",
            remedy="leave it out; with IPOPT take hessian_approximation limited-memory",
        )
    return tuple(plan for plan in plans if not refusals[plan.function])


def request(mechanism: Mechanism, options: ExportOptions) -> Request:
    """The functions, and where their derivatives come from.

    Raises:
        CodegenError: Hessians are asked for, and there are none.
    """
    plans = plans_asked(mechanism, options)
    second = (SECOND[plan.function].function for plan in _twice(mechanism, options, plans))
    return with_derivatives(mechanism, plans, second, compressed=True)


def files(exported: Exported) -> tuple[GeneratedFile, ...]:
    """NAME_casadi.c."""
    prefix = f"{exported.name}_casadi"
    found = []
    twice = {plan.function for plan in _twice(exported.mechanism, exported.options, exported.plans)}
    for plan in exported.plans:
        symbol = f"{prefix}_{exported.module.names.functions[plan.function]}"
        found.append(value_function(exported, plan.function, symbol))
        if not plan.refusal:
            found.append(jacobian_function(exported, plan, f"jac_{symbol}"))
        if plan.function in twice:
            found += adjoint_functions(exported, plan, symbol)
    file = f"{prefix}.c"
    about = (
        "Functions for casadi.external, with exact Jacobians. To compile it:",
        f"    cc -O2 -shared -fPIC {file} {exported.name}.c -o {prefix}.so -lm",
        f'and in CasADi: external("{found[0].symbol}", "./{prefix}.so").',
    )
    return (external_file(exported, file, about, found, for_casadi=True),)


CASADI: Final = Consumer(
    name="casadi",
    sentence="functions with exact Jacobians for casadi.external",
    reals=("double",),
    request=request,
    files=files,
    settings={"hessians": "no"},
    notes=lambda exported: exported.refusals("{} has no Jacobian"),
    reason="CasADi computes in double precision",
    excludes=(needs_dynamics("casadi"),),
)

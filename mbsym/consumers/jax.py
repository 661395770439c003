"""JAX: functions on the processor through ``jax.ffi``, with exact derivatives.

The C has a handler for each function and for each that has derivatives of it; a batch of states is one call. The
Python module compiles it when it is first imported, and brings forward and reverse derivatives together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mbsym.codegen.description import EVERY, Argument, GeneratedFile
from mbsym.codegen.environment import render_template
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.codegen.text import c_comment, plain_line
from mbsym.consumers.casadi import plans_asked
from mbsym.consumers.consumer import Consumer, Exported, ExportOptions, Request, needs_dynamics, with_derivatives
from mbsym.consumers.derivative_plan import TANGENT_MAP, DerivativePlan
from mbsym.errors import CodegenError
from mbsym.kinematics.mechanism import Mechanism


def request(mechanism: Mechanism, options: ExportOptions) -> Request:
    """The functions, and where their derivatives come from, for many states."""
    return with_derivatives(mechanism, plans_asked(mechanism, options), batch=(EVERY,))


def files(exported: Exported) -> tuple[GeneratedFile, ...]:
    """NAME_jax.c and NAME_jax.py.

    Raises:
        CodegenError: a function returns integers, of which there are no derivatives.
    """
    plans = {plan.function: plan for plan in exported.plans}
    needed = {*plans, TANGENT_MAP, *(source for plan in plans.values() for source, _ in plan.sources.values())}
    handlers, functions = [], []
    for function in exported.module.functions:
        if function.name not in needed:  # called by others
            continue
        whole = [item.name for item in function.outputs if item.kind != "real"]
        if whole:
            raise CodegenError(
                f"{function.name} returns the integers {', '.join(whole)}, of which there are no derivatives",
                where="`functions`",
                remedy="leave it out",
            )
        symbol = f"{exported.name}_jax_{function.identifier}"
        handlers.append(_handler(exported, function, symbol))
        plan = plans.get(function.name)
        functions.append(
            {
                "name": function.name,
                "symbol": symbol,
                "sentence": plain_line(function.description),
                "is_public": plan is not None,
                "inputs": _shapes(function.inputs),
                "outputs": _shapes(function.outputs),
                "sources": _sources(exported, plan, function.inputs) if plan is not None else "{}",
                "refusal": repr(plan.refusal if plan is not None else "derivatives of derivatives are not exported"),
            }
        )
    fields = {
        "name": exported.name,
        "handlers": tuple(handlers),
        "real": {"double": "float64", "float": "float32"}[exported.module.description.real],
        "functions": tuple(functions),
        "parameters": repr({item.name: float(item.default) for item in exported.module.parameters}),
        "quaternions": repr(tuple(exported.mechanism.q.quaternions)),
    }
    return (
        GeneratedFile(f"{exported.name}_jax.c", render_template("consumers/jax.c.jinja", **fields)),
        GeneratedFile(f"{exported.name}_jax.py", render_template("consumers/jax.py.jinja", **fields)),
    )


def _handler(exported: Exported, function: ModuleFunction, symbol: str) -> dict[str, Any]:
    inputs, outputs = function.inputs, function.outputs
    parameters = bool(exported.module.parameters)
    structure = f"(const {exported.name}_parameters *)in[{len(inputs)}] + first, 1"
    actual = ["block", *([structure] if parameters else [])]
    actual += [f"in[{place}] + first * {item.size}, NULL" for place, item in enumerate(inputs)]
    actual += [f"out[{place}] + first * {item.size}, NULL" for place, item in enumerate(outputs)]
    fails = bool(function.failures)
    actual += ["status"] if fails else []
    before = "(void)" if fails else ""
    first = f"{before}{exported.module.names.batch_symbol(function.name)}("
    return {
        "symbol": symbol,
        "comment": c_comment(function.description),
        "rank": len(inputs[0].shape),
        "inputs": len(inputs) + parameters,
        "outputs": len(outputs),
        "call": (first, *(f"    {item}," for item in actual[:-1]), f"    {actual[-1]});"),
        "results": tuple(item.size for item in outputs) if fails else (),
    }


def _shapes(items: Sequence[Argument]) -> str:
    return repr({item.name: tuple(item.shape) for item in items})


def _sources(exported: Exported, plan: DerivativePlan, inputs: Sequence[Argument]) -> str:
    """By result and argument: the function that has the derivative, and which of its results; parameters one by one."""
    names = [*(item.name for item in inputs), *(item.name for item in exported.module.parameters)]
    found = {}
    for (result, name), (function, output) in plan.sources.items():
        results = [item.name for item in exported.function(function).outputs]
        if name in names:
            found[result, name] = (function, results.index(output))
    return repr(found)


JAX: Final = Consumer(
    name="jax",
    sentence="functions for JAX on the processor, with exact derivatives",
    reals=("double", "float"),
    request=request,
    files=files,
    notes=lambda exported: exported.refusals("{} has no derivatives"),
    excludes=(needs_dynamics("jax"),),
)

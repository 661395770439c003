"""Reverse derivatives of external functions and their Jacobians, by which CasADi has exact Hessians.

``adj1_NAME`` takes the arguments and results of NAME and a weight for each result, and returns J^T weights for each
argument; ``jac_adj1_NAME`` has the derivatives of these, which are second derivatives of the function contracted with
the weights, and J^T.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mbsym.codegen.description import Argument
from mbsym.consumers.consumer import Exported
from mbsym.consumers.derivative_plan import DerivativePlan
from mbsym.consumers.external_body import Body, ExternalFunction, Slot, arguments_out
from mbsym.consumers.external_function import Block, block_of, slots_of, unread
from mbsym.consumers.places import Pattern, dense, empty, result_of, stored
from mbsym.kinematics.mechanism import Mechanism
from mbsym.registry import Available


@dataclass(frozen=True, slots=True)
class SecondDerivatives:
    """The function that has them, and its results by the pairs of arguments by which is differentiated."""

    function: str
    results: Mapping[tuple[str, str], str]


SECOND: Final[Mapping[str, SecondDerivatives]] = {
    "forward_dynamics": SecondDerivatives(
        "forward_dynamics_second_derivatives",
        {
            ("q", "q"): "d2vdot_dqdq",
            ("q", "v"): "d2vdot_dqdv",
            ("v", "v"): "d2vdot_dvdv",
            ("q", "tau"): "d2vdot_dqdtau",
        },
    ),
    "inverse_dynamics": SecondDerivatives(
        "inverse_dynamics_second_derivatives",
        {
            ("q", "q"): "d2tau_dqdq",
            ("q", "v"): "d2tau_dqdv",
            ("v", "v"): "d2tau_dvdv",
            ("q", "vdot"): "d2tau_dqdvdot",
        },
    ),
}
"""By function; pairs that are not here are zero, but for those in the other order."""


def hessian_refusal(mechanism: Mechanism, available: Available, function: str) -> str:
    """Why there are no second derivatives of a function by all its arguments; "" where there are."""
    if function not in SECOND:
        return "second derivatives are those of forward and inverse dynamics"
    if available.holding is not None:
        return "there are no second derivatives of closed loops"
    if mechanism.q.quaternions:
        return "second derivatives are along speeds, which are no rates of quaternions"
    more = [item.name for item in mechanism.extra_inputs] + [item.name for item in mechanism.parameters]
    if more:
        return f"there are no second derivatives by {', '.join(more)}"
    if SECOND[function].function not in available.every:
        return "the formulation has no second derivatives"
    return ""


def adjoint_functions(exported: Exported, plan: DerivativePlan, symbol: str) -> tuple[ExternalFunction, ...]:
    """``adj1_SYMBOL`` and ``jac_adj1_SYMBOL``."""
    return _adjoint(exported, plan, f"adj1_{symbol}"), _jacobian(exported, plan, f"jac_adj1_{symbol}")


def _begun(
    exported: Exported, plan: DerivativePlan
) -> tuple[Body, Sequence[Argument], Argument, dict[str, str], dict[str, Block]]:
    """A body with its arguments, weights behind them, and where first derivatives stand by argument."""
    body, arguments = Body(exported), exported.function(plan.function).inputs
    (result,) = arguments_out(exported, plan.function)
    values = body.inputs(arguments, unit=False)
    body.add(f"const double *const weights = {body.given(len(arguments) + 1)}")
    blocks = {item.name: block_of(exported, plan, result, item) for item in arguments}
    return body, arguments, result, {**values, "weights": "weights"}, blocks


def _slots(exported: Exported, function: str) -> tuple[Slot, ...]:
    """Arguments of the function, its results, which nobody reads, and weights of each."""
    weights = (Slot(f"adj_{item.name}", dense(item.shape)) for item in arguments_out(exported, function))
    return (*slots_of(exported, function), *unread(exported, function), *weights)


def _call(body: Body, functions: Sequence[str], values: Mapping[str, str]) -> None:
    for name in dict.fromkeys(functions):
        body.call_all([name], values)


def _adjoint(exported: Exported, plan: DerivativePlan, symbol: str) -> ExternalFunction:
    body, arguments, _, values, blocks = _begun(exported, plan)
    _call(body, [source for block in blocks.values() for source, _ in block.sources], values)
    for place, argument in enumerate(arguments):
        block = blocks[argument.name]
        terms: list[list[tuple[int, int]]] = [[] for _ in range(argument.size)]
        for (row, column), (_, left) in zip(block.pattern.entries, block.places, strict=True):
            terms[column].append((left, row))
        body.sums(place, (body.results[block.sources[0]], "weights"), terms)
    slots = tuple(Slot(f"adj_{item.name}", dense(item.shape)) for item in arguments)
    return body.finished(symbol, f"reverse derivatives of {plan.function}", _slots(exported, plan.function), slots)


def _jacobian(exported: Exported, plan: DerivativePlan, symbol: str) -> ExternalFunction:
    body, arguments, result, values, blocks = _begun(exported, plan)
    second = SECOND[plan.function]
    _call(body, [second.function, *(source for block in blocks.values() for source, _ in block.sources)], values)
    slots: list[Slot] = []
    for one in arguments:
        for other in arguments:
            pattern, places, name = _of_second(exported, second, one, other)
            body.gather(len(slots), body.results.get((second.function, name), ""), places)
            slots.append(Slot(f"jac_adj_{one.name}_{other.name}", pattern))
        slots.append(Slot(f"jac_adj_{one.name}_out_{result.name}", Pattern(one.size, result.size, ())))
        pattern, places = _transposed(blocks[one.name])
        body.gather(len(slots), body.results[blocks[one.name].sources[0]], places)
        slots.append(Slot(f"jac_adj_{one.name}_adj_{result.name}", pattern))
    own = tuple(Slot(f"out_adj_{item.name}", empty(item.shape)) for item in arguments)
    inputs = (*_slots(exported, plan.function), *own)
    return body.finished(symbol, f"second derivatives of {plan.function}", inputs, tuple(slots))


def _of_second(
    exported: Exported, second: SecondDerivatives, one: Argument, other: Argument
) -> tuple[Pattern, tuple[int, ...], str]:
    """Pattern of the derivatives of the adjoint of one argument by another, where they stand, and in which result."""
    straight, turned = second.results.get((one.name, other.name)), second.results.get((other.name, one.name))
    name = straight or turned
    if name is None:
        return Pattern(one.size, other.size, ()), (), ""
    entries = result_of(exported, second.function, name).entries
    if straight is None:
        entries = {(column, row): place for (row, column), place in entries.items()}
    return *stored(one.size, other.size, entries), name


def _transposed(block: Block) -> tuple[Pattern, tuple[int, ...]]:
    entries = {
        (column, row): place for (row, column), (_, place) in zip(block.pattern.entries, block.places, strict=True)
    }
    return stored(block.pattern.columns, block.pattern.rows, entries)

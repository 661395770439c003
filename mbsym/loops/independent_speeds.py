"""Independent speeds that a user chooses: entries of v, or expressions that are linear in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Final

from mbsym.constraints.expression import VelocityConstraint
from mbsym.errors import DerivationError, MbsymError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.closure_row import Row
from mbsym.loops.expressions import expression_closure
from mbsym.loops.independent import independent_at_start
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.model.clock import needs_clock
from mbsym.model.names import RESERVED, expression_names
from mbsym.model.validate import require_valid
from mbsym.symbolic.scalar import Scalar, constant, symbol

_NAME: Final = re.compile(r"([^\W\d_]+)(\w*)")


@dataclass(frozen=True, slots=True)
class IndependentSpeed:
    """One of the speeds u = Y v.

    Attributes:
        name: of an entry of v, or that the user gives an expression.
        row: of Y.
        bias: -Ydot v.
        symbol, rate: that stand for it and its rate.
    """

    name: str
    row: Row
    bias: Scalar
    symbol: Scalar
    rate: Scalar


def independent_speeds(
    mechanism: Mechanism, loops: LoopAnalysis, chosen: Sequence[str] = ()
) -> tuple[IndependentSpeed, ...]:
    """One speed for each freedom.

    Args:
        mechanism: with closed loops or held speeds.
        loops: its closure rows.
        chosen: names of speeds, or of coordinates whose rates are speeds, or NAME=EXPRESSION with an expression that
            is linear in speeds; default are those that tell the others best where the loops were analysed.

    Raises:
        DerivationError: a name is unknown or taken, an expression is not linear, or there are too many or too few.
    """
    if not chosen:
        return tuple(_entry(mechanism, column) for column in independent_at_start(mechanism, loops))
    found = tuple(_defined(mechanism, each) if "=" in each else _named(mechanism, each) for each in chosen)
    names = [speed.name for speed in found]
    if not len({speed.rate.ref for speed in found}) == len(names) == loops.mobility:
        freedoms = f"{loops.mobility} {'freedom' if loops.mobility == 1 else 'freedoms'}"
        raise DerivationError(
            f"{freedoms} take as many independent speeds, not {len(names)}: {', '.join(names)}",
            where=mechanism.model.name,
            remedy=f"choose {loops.mobility}, each once, or none to have them chosen",
        )
    return found


def _entry(mechanism: Mechanism, column: int) -> IndependentSpeed:
    graph, (speed, rate) = mechanism.graph, (item.symbols[column] for item in (mechanism.v, mechanism.vdot))
    row = {column: constant(graph, 1)}
    name = mechanism.speed_names[column]
    return IndependentSpeed(name, row, Scalar(graph, 0), Scalar(graph, speed), Scalar(graph, rate))


def _named(mechanism: Mechanism, name: str) -> IndependentSpeed:
    columns = mechanism.speed_names
    names = expression_names(mechanism.model)
    rates = {
        coordinate: speed
        for joint, coordinates in names.coordinates.items()
        if len(coordinates) == len(names.speeds[joint])
        for coordinate, speed in zip(coordinates, names.speeds[joint], strict=True)
    }
    speed = rates.get(name, name)
    if speed not in columns:
        close = get_close_matches(speed, columns, n=1)
        raise DerivationError(
            f"no independent speed is called {name!r}",
            where=mechanism.model.name,
            remedy=f"did you mean {close[0]}?"
            if close
            else f"choose of {', '.join(columns)}, or define NAME=EXPRESSION",
        )
    return _entry(mechanism, columns.index(speed))


def _defined(mechanism: Mechanism, text: str) -> IndependentSpeed:
    graph = mechanism.graph
    name, expression = (part.strip() for part in text.split("=", 1))
    parts = _NAME.fullmatch(name)
    if parts is None or name in mechanism.names or name in RESERVED:
        raise DerivationError(
            f"{name!r} is no name for an independent speed" if parts is None else f"the name {name} is taken",
            where=text,
            remedy="write NAME=EXPRESSION with a name of its own, in letters, digits and underscores",
        )
    model = mechanism.model
    held = replace(model, constraints=(*model.constraints, VelocityConstraint(name, expression)))
    try:
        require_valid(held)
        if needs_clock(held):
            raise DerivationError("it is not zero at rest, or depends on t", remedy="write terms with a speed each")
        closure = expression_closure(replace(mechanism, model=held), name, "", expression, "m/s", of_speeds=True)
    except MbsymError as error:
        what = error.what.replace(f"constraint {name!r}", "it")
        raise DerivationError(f"no speed is defined so: {what}", where=text, remedy=error.remedy) from None
    (row,) = closure.rows
    rate = "_".join(part for part in (f"{parts[1]}dot", parts[2].removeprefix("_")) if part)
    return IndependentSpeed(name, row.jacobian, row.bias, symbol(graph, name), symbol(graph, rate))

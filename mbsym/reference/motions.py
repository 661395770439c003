"""What motions prescribe: SymPy differentiates laws of time, SciPy the tables in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from mbsym.model.motion import PrescribedMotion
from mbsym.reference.force_state import acting_inputs
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.rotations import Array
from mbsym.reference.tables import slopes_by_name, sympy_with_tables
from mbsym.values.numbers import value_names
from mbsym.values.table import Table


@dataclass(frozen=True, slots=True)
class Prescribed:
    """What a motion prescribes.

    Attributes:
        coordinate: place in q of what it gives the position of, None where it gives none.
        speed: place in v.
        rate: place among the speeds of all joints.
        values: of the law, its rate and the rate of that, as far as its acceleration.
    """

    coordinate: int | None
    speed: int
    rate: int
    values: tuple[float, ...]


def prescribed_motions(mechanism: NumericMechanism, t: float = 0.0, u: Sequence[float] = ()) -> list[Prescribed]:
    """What the motions of a model prescribe at a time, in its order."""
    numbers = {**mechanism.names, **acting_inputs(mechanism, u), "t": t}
    found = []
    for motion in mechanism.model.motions:
        joint = mechanism.joints[mechanism.joint_labels[motion.joint] - 1]
        assert joint.speeds is not None and joint.coordinates is not None, "followers and cut joints are refused"
        coordinate = joint.coordinates.start + motion.index if motion.gives == "position" else None
        values = _law(motion, tuple(mechanism.model.tables))(numbers)
        found.append(
            Prescribed(coordinate, joint.speeds.start + motion.index, joint.rates.start + motion.index, values)
        )
    return found


def prescribed_state(
    mechanism: NumericMechanism, q: Array, v: Array, t: float = 0.0, u: Sequence[float] = ()
) -> tuple[Array, Array]:
    """q and v with what motions prescribe of them."""
    q, v = np.array(q, dtype=float), np.array(v, dtype=float)
    for each in prescribed_motions(mechanism, t, u):
        if each.coordinate is not None:
            q[each.coordinate] = each.values[0]
        if len(each.values) > 1:
            v[each.speed] = each.values[-2]
    return q, v


@cache
def _law(motion: PrescribedMotion, tables: tuple[Table, ...]) -> Callable[[dict[str, float]], tuple[float, ...]]:
    """The law of a motion and its rates, by the numbers of names."""
    import sympy

    names = value_names(motion.law)
    variables = {name: sympy.Symbol(name, real=True) for name in (*names, "t")}
    every = [sympy_with_tables(motion.law, variables, tables)]
    for _ in range(("acceleration", "speed", "position").index(motion.gives)):
        every.append(sympy.diff(every[-1], variables["t"]))
    compute = sympy.lambdify(list(variables.values()), every, [slopes_by_name(tables), "math"])
    return lambda numbers: tuple(map(float, compute(*(numbers[name] for name in variables))))

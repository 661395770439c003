"""Random points at which texts and definitions are compared: arguments, parameters, and the mechanism there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from mbsym.errors import SymbolicError
from mbsym.exact.closures import LoopState
from mbsym.exact.constraints import Going, held_by
from mbsym.exact.definitions import definitions
from mbsym.exact.derivatives import Definition
from mbsym.exact.functions import Results
from mbsym.exact.mechanism import exact_mechanism, quaternions, turns_freely
from mbsym.exact.numbers import NumberClass
from mbsym.exact.residues import NO_SQUARE, UndecidedError
from mbsym.model.system import Model
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import body_placements
from mbsym.topology.labelling import Labelling

ATTEMPTS: Final = 1 << 9
"""Places that are drawn until the field has all lengths there: enough for six or seven of them."""


@dataclass(slots=True)
class Point:
    """A mechanism at one random point, and what its functions return there.

    Attributes:
        numbers: the class of its numbers.
        given: arguments by name.
        parameters: run-time parameters by name.
        state: the mechanism there.
        definitions: of its functions by name.
        has_lengths: the field has the lengths of all springs, rods and the like there.
    """

    numbers: NumberClass
    given: dict[str, Any]
    parameters: Mapping[str, Any]
    state: LoopState
    definitions: Mapping[str, Definition]
    has_lengths: bool
    _expected: dict[str, Results | str] = field(default_factory=dict)

    def expected(self, name: str) -> Results:
        """What a function must return.

        Raises:
            UndecidedError: the definition is not rational there.
        """
        if name not in self._expected:
            try:
                self._expected[name] = self.definitions[name](self.state, self.given)
            except UndecidedError as error:
                self._expected[name] = error.what
        found = self._expected[name]
        if isinstance(found, str):
            raise UndecidedError(found)
        return found

    def near_by(self, name: str, nudge: float) -> Results:
        """The same with coordinates that are larger by a relative amount."""
        q = self.state.q * (1 + nudge)
        return self.definitions[name](replace(self.state, q=q), {**self.given, "q": q})


def draw_point(
    model: Model,
    labelling: Labelling,
    symbolic: Sequence[str],
    shapes: Mapping[str, tuple[int, ...]],
    numbers: NumberClass,
    requests: Mapping[str, tuple[str, Sequence[str]]],
    lane: int = 0,
    attempts: int = ATTEMPTS,
) -> Point:
    """A random point.

    Args:
        model, labelling: the mechanism.
        symbolic: names of its run-time parameters.
        shapes: of arguments by name.
        numbers: the class of numbers, which draws them.
        requests: derivatives that were asked for; see ``definitions``.
        lane: other states with the same parameters.
        attempts: places that are drawn at most, until the field has all lengths there.
    """
    mechanism, exact = exact_mechanism(model, labelling, numbers, symbolic)
    sizes = {
        **shapes,
        "q": (mechanism.nq,),
        "v": (mechanism.nv,),
        "u": (len(model.inputs),),
        "x": (len(model.drives),),
        "t": (),
    }
    given: dict[str, Any] = {}
    for name, shape in sizes.items():
        drawn = _drawn(numbers, math.prod(shape), name, lane)
        given[name] = drawn if shape else drawn[0]
    if "motion" in given:
        _turn_by_roots(mechanism, given["motion"])
    has_lengths = False
    for attempt in range(attempts):
        q = given["q"] = _drawn(numbers, mechanism.nq, "q", lane, attempt)
        _on_spheres(mechanism, q)
        for joint in mechanism.tree_joints:
            ratios: list[Any] = [gear.ratio for gear in mechanism.followers.values() if gear.leader == joint.label]
            if ratios and joint.coordinates is not None:
                numbers.relate(q[joint.coordinates.start], ratios)
        state = LoopState(mechanism, exact, q, given["v"], given["t"], tuple(given["u"]), tuple(given["x"]))
        has_lengths = _has_lengths(state)
        if has_lengths:
            break
    parameters = {name: exact.names[name] for name in symbolic}
    return Point(numbers, given, parameters, state, definitions(mechanism, requests), has_lengths)


def _drawn(numbers: NumberClass, count: int, *name: object) -> Any:
    found = np.empty(count, dtype=object)
    found[:] = [numbers.drawn(*name, k) for k in range(count)]
    return found


def _has_lengths(state: LoopState) -> bool:
    """Whether the field has the lengths of springs, rods and other elements where the mechanism is: of each it has
    half, so that places are drawn until it has all of them."""
    mechanism, still = state.mechanism, np.zeros(state.mechanism.nv, dtype=object)
    going = Going(state, state.q, still, *body_placements(mechanism, state.q))
    try:
        state.scene_in(state.moving)
        for element in mechanism.model.constraints:
            held_by(element, going)
    except UndecidedError as error:
        return error.what != NO_SQUARE
    except SymbolicError:
        return True  # a value that is not read; functions that need it tell of it
    return True


def _turn_by_roots(mechanism: NumericMechanism, motion: Any) -> None:
    """Draws a motion along the speeds anew where it turns a quaternion: 1 + |omega|^2/4, its square of a length, is a
    square if omega = 4t/(1 - t^2) n with n of unit length, (2a, 2b, 1 - a^2 - b^2)/(1 + a^2 + b^2)."""
    for joint in mechanism.tree_joints:
        if joint.speeds is not None and turns_freely(joint):
            turn = slice(joint.speeds.start, joint.speeds.start + 3)
            t, a, b = motion[turn]
            squares = a * a + b * b
            factor = 4 * t / ((1 - t * t) * (1 + squares))
            motion[turn] = [2 * a * factor, 2 * b * factor, (1 - squares) * factor]


def _on_spheres(mechanism: NumericMechanism, q: Any) -> None:
    """Makes quaternions of unit length: r^2/|r|^2."""
    for start in quaternions(mechanism):
        w, x, y, z = q[start : start + 4]
        square = w * w + x * x + y * y + z * z
        parts = (w * w - x * x - y * y - z * z, 2 * w * x, 2 * w * y, 2 * w * z)
        q[start : start + 4] = [part / square for part in parts]

"""Random points at which texts and definitions are compared: arguments, parameters, and the mechanism there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mbsym.exact.closures import LoopState
from mbsym.exact.definitions import definitions
from mbsym.exact.derivatives import Definition
from mbsym.exact.functions import Results
from mbsym.exact.mechanism import exact_mechanism, quaternions
from mbsym.exact.numbers import NumberClass
from mbsym.exact.residues import UndecidedError
from mbsym.model.system import Model
from mbsym.reference.mechanism import NumericMechanism
from mbsym.topology.labelling import Labelling


@dataclass(slots=True)
class Point:
    """A mechanism at one random point, and what its functions return there.

    Attributes:
        numbers: the class of its numbers.
        given: arguments by name.
        parameters: run-time parameters by name.
        state: the mechanism there.
        definitions: of its functions by name.
    """

    numbers: NumberClass
    given: dict[str, Any]
    parameters: Mapping[str, Any]
    state: LoopState
    definitions: Mapping[str, Definition]
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
) -> Point:
    """A random point.

    Args:
        model, labelling: the mechanism.
        symbolic: names of its run-time parameters.
        shapes: of arguments by name.
        numbers: the class of numbers, which draws them.
        requests: derivatives that were asked for; see ``definitions``.
        lane: other states with the same parameters.
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
        drawn = np.empty(math.prod(shape), dtype=object)
        drawn[:] = [numbers.drawn(name, lane, k) for k in range(math.prod(shape))]
        given[name] = drawn if shape else drawn[0]
    _on_spheres(mechanism, given["q"])
    for joint in mechanism.tree_joints:
        ratios: list[Any] = [gear.ratio for gear in mechanism.followers.values() if gear.leader == joint.label]
        if ratios and joint.coordinates is not None:
            numbers.relate(given["q"][joint.coordinates.start], ratios)
    state = LoopState(mechanism, exact, given["q"], given["v"], given["t"], tuple(given["u"]), tuple(given["x"]))
    return Point(
        numbers, given, {name: exact.names[name] for name in symbolic}, state, definitions(mechanism, requests)
    )


def _on_spheres(mechanism: NumericMechanism, q: Any) -> None:
    """Makes quaternions of unit length: r^2/|r|^2."""
    for start in quaternions(mechanism):
        w, x, y, z = q[start : start + 4]
        square = w * w + x * x + y * y + z * z
        parts = (w * w - x * x - y * y - z * z, 2 * w * x, 2 * w * y, 2 * w * z)
        q[start : start + 4] = [part / square for part in parts]

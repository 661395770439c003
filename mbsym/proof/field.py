"""Mechanisms at one random point of the finite field: what is derived of them is evaluated as it is made.

Long mechanisms make very many nodes, each of which is looked at once. Here the references of a graph are residues
instead, and an operation gives the residue of its result: the derivations run as they are, over other numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import is_
from typing import Any, Final, NoReturn

from mbsym.errors import SymbolicError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.proof.residues import CIRCLE
from mbsym.symbolic.finite_field import PRIME, Draw, inverse, prepare, residue, signed
from mbsym.symbolic.graph import Graph, Number, Reference, exact
from mbsym.symbolic.program import Input, Output, ParameterInput, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.topology.labelling import Labelling

_OF_THE_USER: Final = (Model, Labelling, Joint)
"""Parts of a mechanism without values of its graph."""


class _Kinds(list[str]):
    """Of residues: none that a derivation knows."""

    def __getitem__(self, _: Any) -> Any:
        return "residue"


class Field(Graph):
    """Residues in the place of references; no more is known of one than whether it is zero.

    Attributes:
        symbols: residues of symbols by name; others are drawn when they are asked for.
        circle: sine and cosine by the residue of an angle; no other angle has them.
    """

    __slots__ = ("_draw", "_inverses", "circle", "symbols")

    def __init__(self, trial: int) -> None:
        """A point without symbols: the one of that number."""
        self.kinds = _Kinds()
        self.never_zero, self.may_vanish, self.sections, self._section = set(), set(), [""], 0
        self.definitions = {}
        self.symbols: dict[str, int] = {}
        self.circle: dict[int, tuple[int, int]] = {0: (0, 1)}
        self._draw = Draw(f"proof,{trial}", {}, True)
        self._inverses: dict[int, int] = {}

    def __getattr__(self, name: str) -> NoReturn:
        raise SymbolicError(f"residues have no {name}")

    def const(self, value: Number) -> Reference:
        return residue(exact(value), self._inverses)

    def pi(self) -> Reference:
        raise SymbolicError("a fraction of pi is looked at in a graph alone")

    def symbol(self, name: str) -> Reference:
        if name not in self.symbols:
            self.symbols[name] = self._draw.symbol(name)
        return self.symbols[name]

    def constant_value(self, ref: Reference) -> None:
        return None

    def add(self, x: Reference, y: Reference) -> Reference:
        return (x + y) % PRIME

    def mul(self, x: Reference, y: Reference) -> Reference:
        return x * y % PRIME

    def div(self, x: Reference, y: Reference) -> Reference:
        return x * inverse(y % PRIME) % PRIME

    def function(self, name: str, *args: Reference) -> Reference:
        angle = args[0] % PRIME
        if name not in CIRCLE or angle not in self.circle:
            raise SymbolicError(f"{name} of this is looked at in a graph alone")
        return self.circle[angle][CIRCLE[name]]

    def name(self, ref: Reference, name: str) -> None:
        """Nothing is printed."""


def at_random_point(mechanism: Mechanism, trial: int) -> Mechanism:
    """The mechanism whose values are residues, over a ``Field``.

    Raises:
        SymbolicError: a divisor is zero everywhere.
    """
    graph, refs = mechanism.graph, [0]

    def note(value: Scalar) -> Scalar:
        refs.append(value.ref)
        return value

    _mapped(mechanism, {Scalar: note})
    inputs = [mechanism.q, mechanism.v, mechanism.vdot, mechanism.tau, *mechanism.extra_inputs]
    every = [*refs, *(ref for item in inputs for ref in item.symbols), *(x.symbol for x in mechanism.parameters)]
    program = Program(
        "proof", graph, tuple(inputs), (Output("values", (len(every),), tuple(every)),), mechanism.parameters
    )
    (values,) = prepare((program,)).evaluate(0, trial)
    values[0] = 0
    field = Field(trial)
    turned: dict[int, dict[str, int]] = {}
    for node in program.nodes():
        if graph.kinds[node] == "symbol":
            field.symbols[graph.arguments[node][0]] = values[node]
        elif graph.kinds[node] in CIRCLE:
            (angle,) = graph.arguments[node]
            turned.setdefault(signed(values, angle), {})[graph.kinds[node]] = values[node]
    for angle, point in turned.items():
        if len(point) == len(CIRCLE):
            sine, cosine = point["sin"], point["cos"]
            field.circle |= {angle: (sine, cosine), -angle % PRIME: (-sine, cosine)}
    change: dict[type, Callable[[Any], Any]] = {
        Graph: lambda _: field,
        Scalar: lambda value: Scalar(field, signed(values, value.ref)),
        Input: lambda item: replace(item, symbols=tuple(signed(values, ref) for ref in item.symbols)),
        ParameterInput: lambda item: replace(item, symbol=values[item.symbol]),
    }
    mapped: Mechanism = _mapped(mechanism, change)
    return mapped


def _mapped(value: Any, change: Mapping[type, Callable[[Any], Any]]) -> Any:
    """A value in which all of some classes are changed, wherever they stand; what has none of them is the same one."""
    kind = value.__class__
    if kind in change:
        return change[kind](value)
    if kind is tuple:
        items = [_mapped(item, change) for item in value]
        return value if all(map(is_, items, value)) else tuple(items)
    if kind is dict:
        return {key: _mapped(item, change) for key, item in value.items()}
    new = {}
    for name in _parts(kind):
        own = getattr(value, name)
        item = _mapped(own, change)
        if item is not own:
            new[name] = item
    return replace(value, **new) if new else value


@cache
def _parts(kind: type) -> tuple[str, ...]:
    """Names of what a record of the mechanism is made of."""
    return tuple(item.name for item in fields(kind)) if is_dataclass(kind) and kind not in _OF_THE_USER else ()

"""Equations in coordinates and speeds of the user's own.

With the model's q = f(x) in own coordinates x, and v = V(x, u) = B(x) u in own speeds u, the equations become
B^T M B udot + B^T (h + M Bdot u) = B^T tau, whose right side are the own generalised forces. Own speeds are the rates
of the own coordinates unless they are given. Coordinates that are not mapped stay, as do their speeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from mbsym.errors import SymbolicError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.differentiate import forward, jacobian
from mbsym.symbolic.equality import is_zero
from mbsym.symbolic.graph import Graph, Reference
from mbsym.testing.symbols import Symbols, first_unknown, name_of


@dataclass(frozen=True, slots=True)
class Variables:
    """Coordinates, speeds, rates of the speeds and generalised forces in which equations are compared.

    Attributes:
        graph: where all values live.
        q, v, vdot, tau: symbols, each in the place of the model's.
        q_names, v_names: how they are called.
        qdot: rates of q in terms of q and v.
        images: value of each of the model's symbols that is none of these.
        motion: B, None where v is the model's.
        drift: Bdot v.
        quasi: True where speeds were given that may be no rates.
    """

    graph: Graph
    q: tuple[Reference, ...]
    v: tuple[Reference, ...]
    vdot: tuple[Reference, ...]
    tau: tuple[Reference, ...]
    q_names: tuple[str, ...]
    v_names: tuple[str, ...]
    qdot: tuple[Reference, ...]
    images: Mapping[int, Reference]
    motion: tuple[tuple[Reference, ...], ...] | None
    drift: tuple[Reference, ...]
    quasi: bool = False

    def seen(self, refs: Sequence[Reference]) -> list[Reference]:
        """Values of the model in these variables."""
        return substitute(self.graph, refs, self.images)

    def along(self, forces: Sequence[Reference]) -> list[Reference]:
        """B^T times an array over the model's speeds."""
        if self.motion is None:
            return list(forces)
        columns = zip(*self.motion, strict=True)
        return [_dot(self.graph, column, forces) for column in columns]


def model_variables(mechanism: Mechanism, rates: Sequence[Reference]) -> Variables:
    """The model's own; ``rates`` are those of its coordinates."""
    graph = mechanism.graph
    q, v, vdot, tau = (item.symbols for item in (mechanism.q, mechanism.v, mechanism.vdot, mechanism.tau))
    names = [tuple(str(graph.arguments[ref][0]) for ref in refs) for refs in (q, v)]
    return Variables(graph, q, v, vdot, tau, names[0], names[1], tuple(rates), {}, None, (0,) * len(v))


def own_variables(
    model: Variables, symbols: Symbols, coordinates: Mapping[Any, Any], speeds: Mapping[Any, Any] | None
) -> Variables:
    """Those in terms of which the maps give the model's.

    Args:
        model: the model's own variables.
        symbols: what symbols stand for without the maps.
        coordinates: some of the model's coordinates in terms of as many of the user's.
        speeds: some of the model's speeds, linear in as many of the user's; None for rates of the own coordinates.

    Raises:
        SymbolicError: a map is no change of variables, or concerns what it cannot.
    """
    graph = model.graph
    rated = {k: model.v.index(ref) for k, ref in enumerate(model.qdot) if ref in model.v}
    found = _own_coordinates(model, symbols, coordinates, rated)
    images: dict[int, Reference] = {model.q[k]: value for k, value in found.values.items()}
    if speeds:
        own = _mapped_speeds(model, symbols, found, speeds, images)
    else:
        own = _rates_as_speeds(model, symbols, found, rated, images)
    matrix = jacobian(graph, own.motion, own.v)
    drift = forward(graph, own.motion, dict(zip(found.q, own.qdot, strict=True)))

    def fresh(kept: Sequence[Reference], words: str) -> tuple[Reference, ...]:
        return tuple(graph.symbol(f"{words} {name}") if k in own.moved else kept[k] for k, name in enumerate(own.names))

    vdot = fresh(model.vdot, "rate of")
    images.update(zip(model.v, own.motion, strict=True))
    turned = [graph.add(_dot(graph, row, vdot), change) for row, change in zip(matrix, drift, strict=True)]
    images.update(zip(model.vdot, turned, strict=True))
    return Variables(
        graph,
        found.q,
        tuple(own.v),
        vdot,
        fresh(model.tau, "force along"),
        found.q_names,
        tuple(own.names),
        tuple(own.qdot),
        {node: value for node, value in images.items() if node != value},
        tuple(map(tuple, matrix)),
        tuple(drift),
        quasi=bool(speeds),
    )


@dataclass(frozen=True, slots=True)
class _Coordinates:
    """The own coordinates among all, the model's in terms of them, and who reads both.

    Attributes:
        own: names of the own ones.
        q, q_names: of all.
        values: of the mapped ones of the model, by place.
        reader: of expressions of coordinates and parameters.
    """

    own: tuple[str, ...]
    q: tuple[Reference, ...]
    q_names: tuple[str, ...]
    values: Mapping[int, Reference]
    reader: Symbols


def _own_coordinates(
    model: Variables, symbols: Symbols, coordinates: Mapping[Any, Any], rated: Mapping[int, int]
) -> _Coordinates:
    graph = model.graph
    q, q_names = list(model.q), list(model.q_names)
    places = _places(coordinates, symbols, model.q_names, "coordinate")
    for k in places:
        if k not in rated:
            raise SymbolicError(
                f"{q_names[k]} is no coordinate whose rate is a speed", where="coordinates", remedy="leave it as it is"
            )
    replaced = [q_names[k] for k in places]
    # Neither speeds nor time nor inputs belong into the map.
    allowed = {*model.q_names, *symbols.kinds["parameters"]}.difference(replaced)
    kept = {name: ref for name, ref in symbols.references.items() if name in allowed}
    reader = Symbols(graph, kept, {}, symbols.given, symbols.kinds)
    own = _own_names(coordinates, reader, "coordinates")
    _require_free(own, symbols, replaced, "coordinates")
    for k, name in zip(sorted(places), own, strict=True):
        q[k], q_names[k] = graph.symbol(f"own {name}"), name
    reader = _with(reader, {name: q[q_names.index(name)] for name in own})
    values = dict(zip(places, reader.read(list(coordinates.values()), "coordinates"), strict=True))
    _require_change(graph, list(values.values()), [q[k] for k in places], "coordinates")
    return _Coordinates(own, tuple(q), tuple(q_names), values, reader)


@dataclass(frozen=True, slots=True)
class _Speeds:
    """The own speeds among all, the model's in terms of them, and the rates of coordinates.

    Attributes:
        moved: places of the own ones.
        v, names: of all.
        motion: the model's.
        qdot: of all coordinates.
    """

    moved: Sequence[int]
    v: list[Reference]
    names: list[str]
    motion: list[Reference]
    qdot: list[Reference]


def _named_speeds(model: Variables, symbols: Symbols, moved: Sequence[int], fresh: Sequence[str]) -> _Speeds:
    """All speeds, new ones in some places; what they make of the model's is still to be said."""
    _require_free(fresh, symbols, [model.v_names[k] for k in moved], "speeds")
    v, names = list(model.v), list(model.v_names)
    for k, name in zip(sorted(moved), fresh, strict=True):
        v[k], names[k] = model.graph.symbol(f"own {name}"), name
    return _Speeds(moved, v, names, list(v), [])


def _rates_as_speeds(
    model: Variables, symbols: Symbols, found: _Coordinates, rated: Mapping[int, int], images: Mapping[int, Reference]
) -> _Speeds:
    """Rates of the own coordinates are the speeds; ``rated`` has the place of the speed that is a coordinate's rate."""
    fresh = [f"v_{name.removeprefix('q_')}" for name in found.own]
    own = _named_speeds(model, symbols, [rated[k] for k in found.values], fresh)
    own.qdot[:] = substitute(model.graph, model.qdot, images)
    for k in found.values:
        own.qdot[k] = own.v[rated[k]]
    seeds = dict(zip(found.q, own.qdot, strict=True))
    for k, value in found.values.items():
        (own.motion[rated[k]],) = forward(model.graph, [value], seeds)
    return own


def _mapped_speeds(
    model: Variables,
    symbols: Symbols,
    found: _Coordinates,
    speeds: Mapping[Any, Any],
    images: Mapping[int, Reference],
) -> _Speeds:
    """Speeds by the user's map."""
    graph = model.graph
    moved = _places(speeds, symbols, model.v_names, "speed")
    kept = {name: model.v[k] for k, name in enumerate(model.v_names) if k not in moved}
    reader = _with(found.reader, kept)
    fresh = _own_names(speeds, reader, "speeds")
    own = _named_speeds(model, symbols, moved, fresh)
    reader = _with(reader, {name: own.v[own.names.index(name)] for name in fresh})
    for k, value in zip(moved, reader.read(list(speeds.values()), "speeds"), strict=True):
        own.motion[k] = value
    mapped = [own.motion[k] for k in moved]
    _require_linear(graph, mapped, own.v)
    _require_change(graph, mapped, [own.v[k] for k in moved], "speeds")
    own.qdot[:] = substitute(graph, model.qdot, {**images, **dict(zip(model.v, own.motion, strict=True))})
    _solve_rates(graph, found.values, found.q, own.qdot)
    return own


def _places(mapping: Mapping[Any, Any], symbols: Symbols, names: Sequence[str], what: str) -> list[int]:
    found: list[int] = []
    for key in mapping:
        name = symbols.given.get(name_of(key), name_of(key))
        if name not in names:
            near = get_close_matches(name, names, n=1)
            raise SymbolicError(
                f"{name!r} is no {what} of the model",
                where=f"{what}s",
                remedy=f"did you mean {near[0]}?" if near else f"they are {', '.join(names)}",
            )
        if names.index(name) in found:
            raise SymbolicError(f"{name} is mapped twice", where=f"{what}s", remedy="map it once")
        found.append(names.index(name))
    return found


def _own_names(mapping: Mapping[Any, Any], known: Symbols, what: str) -> tuple[str, ...]:
    """Names in a map that stand for nothing else: as many as it replaces."""
    names = first_unknown(mapping.values(), known)
    if len(names) != len(mapping):
        raise SymbolicError(
            f"the map has {len(names)} {what} of your own ({', '.join(names) or 'none'}) in place of {len(mapping)}",
            where=what,
            remedy="give as many, in terms of parameters and each other alone",
        )
    return names


def _require_free(names: Sequence[str], symbols: Symbols, replaced: Sequence[str], what: str) -> None:
    for name in names:
        if name in symbols.references and name not in replaced:
            raise SymbolicError(
                f"{name!r} is taken: the model knows something else by it", where=what, remedy="choose another name"
            )


def _with(symbols: Symbols, more: Mapping[str, Reference]) -> Symbols:
    return Symbols(symbols.graph, {**symbols.references, **more}, {}, symbols.given, symbols.kinds)


def _require_linear(graph: Graph, values: Sequence[Reference], v: Sequence[Reference]) -> None:
    matrix = jacobian(graph, values, v)
    flat = [entry for row in matrix for entry in row]
    bent = [entry for row in jacobian(graph, flat, v) for entry in row]
    rest = [graph.sub(value, _dot(graph, row, v)) for value, row in zip(values, matrix, strict=True)]
    if not is_zero(graph, *bent, *rest):
        raise SymbolicError(
            "the map is not linear in your speeds", where="speeds", remedy="give v = B(x) u, which all speeds obey"
        )


def _require_change(graph: Graph, values: Sequence[Reference], variables: Sequence[Reference], what: str) -> None:
    """Requires that the values determine the variables, but in special places."""
    _solved(graph, jacobian(graph, values, variables), [0] * len(values), what)


def _solve_rates(
    graph: Graph, positions: Mapping[int, Reference], q: Sequence[Reference], qdot: list[Reference]
) -> None:
    """Puts the rates of the own coordinates in the places of those of the model's, from which they follow."""
    values = list(positions.values())
    others = {ref: rate for k, (ref, rate) in enumerate(zip(q, qdot, strict=True)) if k not in positions}
    carried = forward(graph, values, others)
    right = [graph.sub(qdot[k], change) for k, change in zip(positions, carried, strict=True)]
    matrix = jacobian(graph, values, [q[k] for k in positions])
    for k, rate in zip(positions, _solved(graph, matrix, right, "coordinates"), strict=True):
        qdot[k] = rate


def _solved(
    graph: Graph, matrix: Sequence[Sequence[Reference]], right: Sequence[Reference], what: str
) -> list[Reference]:
    """The solution of a square system, by elimination with pivots that are exactly no zeros."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    n = len(rows)
    for k in range(n):
        pivot = next((r for r in range(k, n) if not is_zero(graph, rows[r][k])), None)
        if pivot is None:
            raise SymbolicError(
                "the map is no change of variables: its Jacobian is singular everywhere",
                where=what,
                remedy="give variables that determine each other",
            )
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for r in range(n):
            if r != k and rows[r][k]:
                factor = graph.div(rows[r][k], rows[k][k])
                rows[r] = [graph.sub(x, graph.mul(factor, y)) for x, y in zip(rows[r], rows[k], strict=True)]
    return [graph.div(row[-1], row[k]) for k, row in enumerate(rows)]


def product(graph: Graph, matrix: Sequence[Sequence[Reference]], column: Sequence[Reference]) -> list[Reference]:
    """A matrix times a column."""
    return [_dot(graph, row, column) for row in matrix]


def _dot(graph: Graph, row: Sequence[Reference], column: Sequence[Reference]) -> Reference:
    total = 0
    for x, y in zip(row, column, strict=True):
        total = graph.add(total, graph.mul(x, y))
    return total

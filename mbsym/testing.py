"""For users' own tests: are equations that I derived by hand those of my model?

The decision is exact: both sides become graphs, which are compared at random points of a finite field. Where a
function has no meaning there (exp, tanh, ...), equality is still proved if both sides apply it to equal arguments;
otherwise floating-point states decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mbsym.errors import SymbolicError
from mbsym.joints.coordinate_groups import momentum_bracket
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.model.system import Model
from mbsym.registry import available_functions
from mbsym.symbolic.differentiate import gradient, jacobian
from mbsym.symbolic.equality import Verdict, compare
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.symbolic.sympy_bridge import from_sympy

if TYPE_CHECKING:
    import numpy as np

FLOAT_STATES: Final = 20
FLOAT_TOLERANCE: Final = 1e-9
"""Relative, for functions that the field does not know: rounding of hand-sized expressions stays far below."""

KINDS: Final = ("mass_matrix", "bias_force", "gravity_force", "forcing", "lagrangian", "residual")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was found for one kind of equation.

    Attributes:
        kind: of equation.
        verdict: equal or not, and where.
        place: rows and columns of the differing entry in words, or "".
        names: of the entries of each input that the verdict's counterexample has values of.
    """

    kind: str
    verdict: Verdict
    place: str = ""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def assert_same_equations(
    mine: Any,
    model: Model,
    *,
    speeds: Sequence[str] = (),
    symbols: Mapping[Any, str] | None = None,
    formulation: str = "auto",
) -> None:
    """Passes if hand-derived equations are exactly those of the model, else says which entry differs and shows a state.

    Args:
        mine: a mapping, or an object with attributes, of one or more of ``mass_matrix`` M, ``bias_force`` h and
            ``gravity_force`` g (M vdot + h = tau), ``forcing`` (M vdot = forcing, as SymPy's KanesMethod has it; tau
            is taken to be zero if it does not occur), ``lagrangian`` (a scalar of q and v, compared by
            differentiation; with spherical and free joints in their angular and linear velocities), and
            ``residual`` (M vdot + h - tau, or its negative, row by row). With closed loops these are the equations
            of the tree, without the multipliers.
        model: the mechanism; all its parameters are kept as symbols. Unit quaternions have length one.
        speeds: names of the speeds in the order of the rows of ``mine``; default is the order of v.
        symbols: what a symbol of ``mine`` stands for: the name of a coordinate, speed, parameter or input, or
            ``vdot_NAME`` and ``tau_NAME`` for the rate and the force of the speed ``v_NAME``. SymPy functions of time
            count by their names, and derivatives of coordinates by time are speeds.
        formulation: to compare with.

    Raises:
        AssertionError: an entry differs; the message names it and shows values at a counterexample.
        SymbolicError: ``mine`` has no equations or holds unknown symbols.
    """
    found = compare_equations(mine, model, speeds=speeds, symbols=symbols, formulation=formulation)
    for item in found:
        if not item.verdict:
            raise AssertionError(_message(item))


def compare_equations(
    mine: Any,
    model: Model,
    *,
    speeds: Sequence[str] = (),
    symbols: Mapping[Any, str] | None = None,
    formulation: str = "auto",
) -> tuple[Comparison, ...]:
    """The verdict for each kind of equation in ``mine``; see ``assert_same_equations``."""
    given = {kind: value for kind in KINDS if (value := _entry(mine, kind)) is not None}
    if not given:
        raise SymbolicError("no equations were given", remedy=f"give one of {', '.join(KINDS)}")
    comparer = _Comparer(model, speeds, symbols or {}, formulation)
    return tuple(comparer.comparison(kind, value) for kind, value in given.items())


def _entry(mine: Any, kind: str) -> Any:
    return mine.get(kind) if isinstance(mine, Mapping) else getattr(mine, kind, None)


def _message(item: Comparison) -> str:
    verdict = item.verdict
    first, second = verdict.values
    place = f" ({item.place})" if item.place else ""
    lines = [f"{verdict.output}{list(verdict.index) if verdict.index else ''}{place} is {verdict.kind}"]
    lines.append(f"  yours: {first!r}\n  mbsym: {second!r}\nat")
    for name, values in verdict.point.items():
        names = item.names.get(name, (name,) if len(values) == 1 else tuple(f"{name}[{k}]" for k in range(len(values))))
        lines += [f"  {each} = {value!r}" for each, value in zip(names, values, strict=True)]
    if verdict.functions:
        lines.append(f"(functions without an exact test: {', '.join(verdict.functions)})")
    return "\n".join(lines)


class _Comparer:
    """The model's equations with every parameter a symbol, and the reading of the user's."""

    def __init__(self, model: Model, speeds: Sequence[str], symbols: Mapping[Any, str], formulation: str) -> None:
        self.mechanism = build_mechanism(model, model.label(), "all")
        self.derive = available_functions(self.mechanism, formulation).functions
        graph = self.mechanism.graph
        names = {str(graph.arguments[ref][0]): k for k, ref in enumerate(self.mechanism.v.symbols)}
        order = list(speeds) or list(names)
        if sorted(order) != sorted(names):
            raise SymbolicError(f"the speeds are {', '.join(names)}", where="speeds", remedy="name each once")
        self.order = order
        self.rows = [names[name] for name in order]
        rates = self.derive["position_rate"](self.mechanism).outputs[0].values
        self.symbols = _Symbols(self.mechanism, names, symbols, rates)

    def comparison(self, kind: str, value: Any) -> Comparison:
        """The verdict for one kind of equation, with the names of rows and of the counterexample's entries."""
        verdict = self._compare(kind, value)
        rows = [self.order[k] for k in verdict.index]
        place = ", ".join(f"{which} {name}" for which, name in zip(("row", "column"), rows, strict=False))
        m = self.mechanism
        inputs = (m.q, m.v, *m.extra_inputs)
        names = {item.name: tuple(str(m.graph.arguments[ref][0]) for ref in item.symbols) for item in inputs}
        stems = [name.removeprefix("v_") for name in names["v"]]
        names |= {name: tuple(f"{name}_{stem}" for stem in stems) for name in ("vdot", "tau")}
        return Comparison(kind, verdict, place, names)

    def _compare(self, kind: str, value: Any) -> Verdict:
        n = self.mechanism.nv
        found = list(_entries(value))
        wanted_size = {"lagrangian": 1, "mass_matrix": n * n}.get(kind, n)
        if len(found) != wanted_size:
            shape = {"lagrangian": "a scalar", "mass_matrix": f"{n} x {n}"}.get(kind, str(n))
            raise SymbolicError(
                f"it has {len(found)} entries; this model's has {wanted_size}",
                where=kind,
                remedy=f"give {shape}, in the order of the speeds {', '.join(self.order)}",
            )
        entries = self.symbols.read(found)
        if kind == "lagrangian":
            return self._decide(self._lagrange(entries[0]), self._residual())
        if kind == "residual":
            return self._compare_residual(entries)
        if kind == "forcing":
            driven = not set(self.mechanism.graph.reachable(entries)).isdisjoint(self.mechanism.tau.symbols)
            return self._decide(self._program(kind, (n,), entries), self._forcing(driven))
        refs = self.derive[kind](self.mechanism).outputs[0].values
        if kind == "mass_matrix":
            wanted = [refs[r * n + c] for r in self.rows for c in self.rows]
            return self._decide(self._program(kind, (n, n), entries), self._program(kind, (n, n), wanted))
        wanted = [refs[r] for r in self.rows]
        return self._decide(self._program(kind, (n,), entries), self._program(kind, (n,), wanted))

    def _program(self, name: str, shape: tuple[int, ...], refs: Sequence[Reference]) -> Program:
        m = self.mechanism
        inputs: tuple[Input, ...] = (m.q, m.v, m.vdot, m.tau, *m.extra_inputs)
        return Program(name, m.graph, inputs, (Output(name, shape, tuple(refs)),), m.parameters, name)

    def _residual(self) -> Program:
        m = self.mechanism
        inverse = self.derive["inverse_dynamics"](m).outputs[0].values
        refs = [m.graph.sub(inverse[r], m.tau.symbols[r]) for r in self.rows]
        return self._program("residual", (m.nv,), refs)

    def _forcing(self, driven: bool) -> Program:
        m = self.mechanism
        bias = self.derive["bias_force"](m).outputs[0].values
        tau = m.tau.symbols if driven else (0,) * m.nv
        return self._program("forcing", (m.nv,), [m.graph.sub(tau[r], bias[r]) for r in self.rows])

    def _compare_residual(self, refs: Sequence[Reference]) -> Verdict:
        theirs = self._residual()
        aligned = []
        for ref, other in zip(refs, theirs.outputs[0].values, strict=True):
            negated = self._decide(self._program("residual", (1,), [-ref]), self._program("residual", (1,), [other]))
            aligned.append(-ref if negated else ref)
        return self._decide(self._program("residual", (self.mechanism.nv,), aligned), theirs)

    def _lagrange(self, scalar: Reference) -> Program:
        """d/dt dL/dv + gyroscopic terms - N^T dL/dq - tau, with qdot = N(q) v (Euler, Poincare).

        The gyroscopic terms are those of speeds that are no rates, the momentum bracket of their group.
        """
        m = self.mechanism
        graph = m.graph
        q, v, vdot = m.q.symbols, m.v.symbols, m.vdot.symbols
        qdot = self.derive["position_rate"](m).outputs[0].values
        momenta = gradient(graph, scalar, v)
        by_v, by_q = jacobian(graph, momenta, v), jacobian(graph, momenta, q)
        slope, rates = gradient(graph, scalar, q), jacobian(graph, qdot, v)
        totals = []
        for r in range(m.nv):
            total = -m.tau.symbols[r]
            for c in range(m.nv):
                total = graph.add(total, graph.mul(by_v[r][c], vdot[c]))
            for c in range(m.nq):
                total = graph.add(total, graph.mul(by_q[r][c], qdot[c]))
                total = graph.sub(total, graph.mul(rates[c][r], slope[c]))
            totals.append(total)
        for body in m.bodies:
            start, stop = body.v_range
            speeds, along = ([Scalar(graph, ref) for ref in refs[start:stop]] for refs in (v, momenta))
            for row, term in enumerate(momentum_bracket(body.joint.kind.group, speeds, along), start):
                totals[row] = graph.add(totals[row], term.ref)
        return self._program("residual", (m.nv,), [totals[r] for r in self.rows])

    def _decide(self, mine: Program, theirs: Program) -> Verdict:
        verdict = compare(mine, theirs)
        if verdict.kind != "undecided":
            return verdict
        return _by_floats(mine, theirs, verdict)


def _by_floats(mine: Program, theirs: Program, verdict: Verdict) -> Verdict:
    """Random floating-point states where the field has no meaning for a function; those without a value are passed."""
    import numpy as np

    from mbsym.symbolic.interpret import interpret

    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(FLOAT_STATES):
        point = {item.name: _random_entries(item, rng) for item in mine.inputs}
        parameters = {item.name: float(rng.uniform(0.5, 2)) for item in mine.parameters}
        with np.errstate(all="ignore"):
            (first,), (second,) = (interpret(p, point, parameters).values() for p in (mine, theirs))
        if not (np.all(np.isfinite(first)) and np.all(np.isfinite(second))):
            continue
        seen += 1
        difference = np.abs(first - second)
        allowed = FLOAT_TOLERANCE * max(1.0, float(np.abs(second).max(initial=0)))
        if np.any(difference > allowed):
            index = np.unravel_index(int(np.argmax(difference)), np.shape(difference)) if np.shape(difference) else ()
            state = {name: tuple(map(float, np.ravel(values))) for name, values in point.items()}
            return Verdict(
                "different",
                verdict.output,
                tuple(map(int, index)),
                state | {name: (value,) for name, value in parameters.items()},
                (float(first[index]), float(second[index])),
                functions=verdict.functions,
                trials=seen,
            )
    if not seen:
        return verdict
    return Verdict("equal", functions=verdict.functions, failure_probability=0.0, trials=seen)


def _random_entries(item: Input, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Random entries of an input, its quaternions of length one."""
    import numpy as np

    values = rng.uniform(-1, 1, item.shape)
    flat = values.reshape(-1)
    for start in item.quaternions:
        flat[start : start + 4] /= np.linalg.norm(flat[start : start + 4])
    return values


def _entries(value: Any) -> Sequence[Any]:
    """A SymPy matrix, nested list or list, row by row."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    flat: list[Any] = []
    for item in value if isinstance(value, (list, tuple)) else [value]:
        flat.extend(_entries(item) if isinstance(item, (list, tuple)) else [item])
    return flat


class _Symbols:
    """What each symbol of the user's expressions stands for."""

    def __init__(
        self,
        mechanism: Mechanism,
        speeds: Mapping[str, int],
        given: Mapping[Any, str],
        rates: Sequence[Reference],
    ) -> None:
        graph = mechanism.graph
        self.graph = graph
        self.references: dict[str, Reference] = {name: value.ref for name, value in mechanism.names.items()}
        self.rate_of: dict[str, str] = {}
        speed_nodes = {ref: str(graph.arguments[ref][0]) for ref in mechanism.v.symbols}
        for ref, rate in zip(mechanism.q.symbols, rates, strict=True):
            if rate in speed_nodes:
                self.rate_of[str(graph.arguments[ref][0])] = speed_nodes[rate]
        for name, column in speeds.items():
            stem = name.removeprefix("v_")
            self.references[f"vdot_{stem}"] = mechanism.vdot.symbols[column]
            self.references[f"tau_{stem}"] = mechanism.tau.symbols[column]
            self.rate_of[name] = f"vdot_{stem}"
        self.given = {_name(symbol): name for symbol, name in given.items()}

    def read(self, expressions: Sequence[Any]) -> list[Reference]:
        """The expressions as values of the mechanism's graph."""
        import sympy

        wanted = [sympy.sympify(item) for item in expressions]
        table: dict[Any, Reference] = {}
        for expression in wanted:
            leaves = expression.atoms(sympy.Derivative) | expression.atoms(sympy.core.function.AppliedUndef)
            for leaf in sorted(leaves | expression.free_symbols, key=str):
                name = self._meaning(leaf)
                if name in self.references:
                    table[leaf] = self.references[name]
        return [from_sympy(self.graph, expression, table) for expression in wanted]

    def _meaning(self, leaf: Any) -> str:
        import sympy

        if isinstance(leaf, sympy.Derivative):
            name = self._meaning(leaf.expr)
            for _ in range(sum(count for _, count in leaf.variable_count)):
                name = self.rate_of.get(name, "")
            return name
        return self.given.get(_name(leaf), _name(leaf))


def _name(symbol: Any) -> str:
    return str(getattr(symbol, "func", symbol)) if getattr(symbol, "is_Function", False) else str(symbol)

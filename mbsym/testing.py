"""For users' own tests: are equations that I derived by hand those of my model?

The decision is exact: both sides become graphs, which are compared at random points of a finite field. Where a
function has no meaning there (exp, tanh, ...), equality is still proved if both sides apply it to equal arguments;
otherwise floating-point states decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mbsym.errors import SymbolicError
from mbsym.formulations.catalogue import make_program
from mbsym.formulations.registry import available_functions
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.model.system import Model
from mbsym.symbolic.differentiate import gradient, jacobian
from mbsym.symbolic.equality import Verdict, compare
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.program import Input, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.symbolic.sympy_bridge import from_sympy

FLOAT_STATES: Final = 20
FLOAT_TOLERANCE: Final = 1e-9
"""Relative, for functions that the field does not know: rounding of hand-sized expressions stays far below."""

KINDS: Final = ("mass_matrix", "bias_force", "gravity_force", "forcing", "lagrangian", "residual")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was found for one kind of equation."""

    kind: str
    verdict: Verdict


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
            ``gravity_force`` g (M vdot + h = tau), ``forcing`` (M vdot = forcing, tau included, as SymPy's
            KanesMethod has it), ``lagrangian`` (a scalar of q and v, compared by differentiation), and ``residual``
            (M vdot + h - tau, or its negative, row by row).
        model: the mechanism; all its parameters are kept as symbols.
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
    return tuple(Comparison(kind, comparer.compare(kind, value)) for kind, value in given.items())


def _entry(mine: Any, kind: str) -> Any:
    return mine.get(kind) if isinstance(mine, Mapping) else getattr(mine, kind, None)


def _message(item: Comparison) -> str:
    verdict = item.verdict
    first, second = verdict.values
    lines = [f"{verdict.output}{list(verdict.index) if verdict.index else ''} is {verdict.kind}"]
    lines.append(f"  yours:  {first!r}\n  mbsym: {second!r}\nat")
    for name, values in verdict.point.items():
        shown = ", ".join(f"{value:.6g}" for value in values)
        lines.append(f"  {name} = {shown}")
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
        self.rows = [names[name] for name in order]
        self.symbols = _Symbols(self.mechanism, names, symbols)

    def compare(self, kind: str, value: Any) -> Verdict:
        """The verdict for one kind of equation."""
        if kind == "lagrangian":
            return self._decide(self._lagrange(value), self._residual())
        if kind == "residual":
            return self._compare_residual(value)
        n = self.mechanism.nv
        entries = self.symbols.read(list(_entries(value)))
        if kind == "forcing":
            theirs = self._forcing()
            return self._decide(self._program(kind, (n,), entries), theirs)
        theirs = self.derive[kind](self.mechanism)
        refs = theirs.outputs[0].values
        if kind == "mass_matrix":
            wanted = [refs[r * n + c] for r in self.rows for c in self.rows]
            return self._decide(self._program(kind, (n, n), entries), self._program(kind, (n, n), wanted))
        wanted = [refs[r] for r in self.rows]
        return self._decide(self._program(kind, (n,), entries), self._program(kind, (n,), wanted))

    def _program(self, name: str, shape: tuple[int, ...], refs: Sequence[Reference]) -> Program:
        m = self.mechanism
        values = [Scalar(m.graph, ref) for ref in refs]
        inputs: tuple[Input, ...] = (m.q, m.v, m.vdot, m.tau, *m.extra_inputs)
        return make_program(m, name, inputs, [(name, shape, values, "", "")], name)

    def _residual(self) -> Program:
        m = self.mechanism
        inverse = self.derive["inverse_dynamics"](m).outputs[0].values
        refs = [m.graph.sub(inverse[r], m.tau.symbols[r]) for r in self.rows]
        return self._program("residual", (m.nv,), refs)

    def _forcing(self) -> Program:
        m = self.mechanism
        bias = self.derive["bias_force"](m).outputs[0].values
        return self._program("forcing", (m.nv,), [m.graph.sub(m.tau.symbols[r], bias[r]) for r in self.rows])

    def _compare_residual(self, value: Any) -> Verdict:
        theirs = self._residual()
        refs = self.symbols.read(list(_entries(value)))
        aligned = []
        for ref, other in zip(refs, theirs.outputs[0].values, strict=True):
            negated = self._decide(self._program("residual", (1,), [-ref]), self._program("residual", (1,), [other]))
            aligned.append(-ref if negated else ref)
        return self._decide(self._program("residual", (self.mechanism.nv,), aligned), theirs)

    def _lagrange(self, lagrangian: Any) -> Program:
        """d/dt dL/dv - dL/dq - tau, for coordinates whose rates are the speeds."""
        m = self.mechanism
        graph = m.graph
        if m.nq != m.nv or any(body.joint.type in ("spherical", "free") for body in m.bodies):
            raise SymbolicError(
                "a Lagrangian needs coordinates whose rates are the speeds; this model has quaternions",
                remedy="compare the mass matrix and bias, or the residual",
            )
        (scalar,) = self.symbols.read([lagrangian])
        q, v, vdot = m.q.symbols, m.v.symbols, m.vdot.symbols
        momenta = gradient(graph, scalar, v)
        by_v, by_q = jacobian(graph, momenta, v), jacobian(graph, momenta, q)
        conservative = gradient(graph, scalar, q)
        refs = []
        for r in self.rows:
            total = graph.sub(-conservative[r], m.tau.symbols[r])
            for c in range(m.nv):
                total = graph.add(total, graph.mul(by_v[r][c], vdot[c]))
                total = graph.add(total, graph.mul(by_q[r][c], v[c]))
            refs.append(total)
        return self._program("residual", (m.nv,), refs)

    def _decide(self, mine: Program, theirs: Program) -> Verdict:
        verdict = compare(mine, theirs)
        if verdict.kind != "undecided":
            return verdict
        return _by_floats(mine, theirs, verdict)


def _by_floats(mine: Program, theirs: Program, verdict: Verdict) -> Verdict:
    """Random floating-point states where the field has no meaning for a function."""
    import numpy as np

    from mbsym.symbolic.interpret import interpret

    rng = np.random.default_rng(0)
    for _ in range(FLOAT_STATES):
        point = {item.name: rng.uniform(-1, 1, item.shape) for item in mine.inputs}
        parameters = {item.name: float(rng.uniform(0.5, 2)) for item in mine.parameters}
        (first,), (second,) = (interpret(p, point, parameters).values() for p in (mine, theirs))
        difference = np.abs(first - second)
        if not np.all(difference <= FLOAT_TOLERANCE * max(1.0, float(np.abs(second).max(initial=0)))):
            return verdict
    return Verdict("equal", functions=verdict.functions, failure_probability=0.0, trials=FLOAT_STATES)


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

    def __init__(self, mechanism: Mechanism, speeds: Mapping[str, int], given: Mapping[Any, str]) -> None:
        graph = mechanism.graph
        self.graph = graph
        self.references: dict[str, Reference] = {name: value.ref for name, value in mechanism.names.items()}
        self.rate_of: dict[str, str] = {}
        for ref, speed in zip(mechanism.q.symbols, mechanism.v.symbols, strict=False):
            if mechanism.nq == mechanism.nv:
                self.rate_of[str(graph.arguments[ref][0])] = str(graph.arguments[speed][0])
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
